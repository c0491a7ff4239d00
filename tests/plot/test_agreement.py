"""Measures, and sets of judgments, against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from tests.made import Command, simulated
from tests.plot.made import panels_of, rows_of


def two() -> cf.Scores:
    """Five runs by two measures."""
    a, b = simulated(5, gap=0.01), simulated(5, seed=2, gap=0.01)
    values = np.concatenate([a.values, b.values], axis=2)
    return cf.Scores(values, a.runs, a.topics, ("AP", "Q"), ("mean", "mean"))


def test_points_are_means_and_tau_is_kendalls() -> None:
    scores = two()
    (panel,) = panels_of(cf.plot.agreement(scores, trials=50))
    means = scores.summary()
    points = {row["run"]: (row["first"], row["second"]) for row in rows_of(panel)}
    assert points == {run: pytest.approx((m["AP"], m["Q"])) for run, m in means.items()}
    x, y = ([of_run[name] for of_run in means.values()] for name in ("AP", "Q"))
    assert panel["title"].startswith(f"Kendall's τ: {cf.meta.kendall(x, y).value:.4f} [")


def test_two_sets_of_judgments(cranfield: Command, here: Path) -> None:
    cf.simulate(topics=6, runs=4, depth=20, seed=7).write(here)
    lines = Path("qrels.txt").read_text().splitlines()
    Path("other.txt").write_text("\n".join(lines[::2]) + "\n")
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    by_files = ["qrels.txt", *runs, "-m", "AP", "--qrels2", "other.txt", "--trials", "50"]
    cranfield.succeeds("plot", "agreement", *by_files, "-o", "x.csv")
    cranfield.succeeds("meta", "correlation", *by_files, "--plot", "y.csv")
    assert Path("x.csv").read_text() == Path("y.csv").read_text()
    picture = cf.plot.agreement("qrels.txt", runs, "AP", others="other.txt", trials=50)
    (panel,) = panels_of(picture)
    first, second = (cf.evaluate(q, runs, "AP").summary() for q in ("qrels.txt", "other.txt"))
    found = {row["run"]: (row["first"], row["second"]) for row in rows_of(panel)}
    assert found == {r: pytest.approx((first[r]["AP"], second[r]["AP"])) for r in first}


def test_measures_have_a_panel_for_each_pair_up_to_a_dozen() -> None:
    a = simulated(3, topics=5)
    values = np.concatenate([a.values**k for k in range(1, 7)], axis=2)
    names = tuple(f"m{k}" for k in range(6))
    scores = cf.Scores(values, a.runs, a.topics, names, ("mean",) * 6)
    three = cf.plot.agreement(scores.select(measures=["m0", "m1", "m2"]), trials=9)
    assert len(panels_of(three)) == 3
    with pytest.raises(cf.CranfieldError, match="found 15 pairs of 6 measures, expected at most 12"):
        cf.plot.agreement(scores, trials=9)
