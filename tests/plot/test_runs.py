"""The figure of means: its numbers are those of `compare`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from tests.made import Command, scored, simulated
from tests.plot.made import axis_of, marks_of, panels_of, rows_of, said_by


def test_numbers_are_those_of_compare() -> None:
    scores = simulated(4, gap=0.03)
    picture = cf.plot.runs(scores, alpha=0.1)
    found = cf.compare(scores, alpha=0.1)
    expected = [(r.run, r.topics, r.mean, r.low, r.high, r.groups) for r in found.runs]
    names = ("run", "topics", "mean", "low", "high", "groups")
    (panel,) = panels_of(picture)
    assert [tuple(row[name] for name in names) for row in rows_of(panel)] == expected
    assert [row[1:] for row in picture.data.rows()] == expected
    assert {"rule", "point", "text"} <= set(marks_of(panel))
    assert "30 topics, with 90% t intervals" in said_by(picture)
    assert "randomised Tukey" in said_by(picture)


def test_runs_sort_orders_runs() -> None:
    values = np.array([[[0.5, 0.1], [0.6, 0.2]], [[0.4, 0.9], [0.5, 0.8]]])
    measures = ("AP", "RR")
    scores = cf.Scores(values, ("a", "b"), ("1", "2"), measures, ("mean", "mean"))
    for sort, order in ((None, ["a", "b"]), ("RR", ["b", "a"]), (cf.RR, ["b", "a"])):
        panels = panels_of(cf.plot.runs(scores, sort=sort, letters=False))
        domains = [axis_of(panel, "y")["scale"]["domain"] for panel in panels]
        assert domains == [order, order]
        assert [axis_of(panel, "x")["title"] for panel in panels] == ["AP", "RR"]
    means = {row["run"]: row["mean"] for row in rows_of(panels[1])}
    assert means == {"a": pytest.approx(0.15), "b": pytest.approx(0.85)}


def test_runs_lower_is_better_first_with_axis_title() -> None:
    scores = scored([[0.5, 0.6], [0.2, 0.1]], ("bad", "good"), "RNOD", better=("lower",))
    picture = cf.plot.runs(scores)
    assert picture.data["run"].to_list() == ["good", "bad"]
    assert axis_of(panels_of(picture)[0], "x")["title"] == "RNOD (lower is better)"


def test_a_count_is_a_mean_beside_its_interval() -> None:
    """Not the sum, which tables have: its interval would be another's."""
    scores = scored([[10, 20], [30, 40]], ("a", "b"), "NumRet", summaries=("sum",))
    for letters in (True, False):
        means = cf.plot.runs(scores, letters=letters).data.sort("run")["mean"]
        assert means.to_list() == [15, 35]


def test_bars_begin_at_zero() -> None:
    (panel,) = panels_of(cf.plot.runs(simulated(2), bars=True))
    assert "bar" in marks_of(panel)
    assert axis_of(panel, "x")["scale"]["domain"][0] == 0


def test_one_run_has_an_interval_and_one_topic_has_none() -> None:
    """t(0.975; 1) = 12.7062; s = 0.1414, so the half is t s / √2 = 1.2706."""
    one = cf.plot.runs({"a": {"1": 0.2, "2": 0.4}}).data.row(0, named=True)
    assert one["mean"] == pytest.approx(0.3)
    assert one["high"] - one["mean"] == pytest.approx(1.2706, abs=1e-4)
    assert one["groups"] == ""
    topic = cf.plot.runs({"a": {"1": 0.2}, "b": {"1": 0.5}})
    assert topic.data["mean"].to_list() == [0.5, 0.2]
    assert topic.data["low"].is_nan().all()
    assert "interval" not in said_by(topic)


def test_the_command(cranfield: Command, here: Path) -> None:
    cf.simulate(topics=8, runs=3, depth=20, seed=7).write(here)
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    plot = cranfield.of("plot", "runs")
    plot.succeeds("qrels.txt", *runs, "-m", "AP RR", "--no-letters", "-o", "runs.csv")
    lines = Path("runs.csv").read_text().splitlines()
    assert lines[0] == "measure,run,topics,mean,low,high,groups"
    means = cf.evaluate("qrels.txt", runs, "AP RR").summary()
    for line in lines[1:]:
        measure, run, topics, mean, *_ = line.split(",")
        assert (int(topics), float(mean)) == (8, means[run][measure])
    cranfield.succeeds("evaluate", "qrels.txt", *runs, "-q", "-f", "tsv", "-o", "scores.tsv")
    plot.succeeds("--scores", "scores.tsv", "-m", "AP RR", "--no-letters", "-o", "again.csv")
    assert Path("again.csv").read_text().splitlines() == lines
