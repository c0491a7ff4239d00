"""The figure of curves: its numbers are the scores at each cutoff, and the intervals theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.figures.theme import Theme
from tests.made import Command
from tests.plot.made import axis_of, marks_of, panels_of, rows_of, said_by

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}
RUNS = {
    "one": {"q1": ["a", "x", "b"], "q2": ["y", "d"]},
    "two": {"q1": ["x", "b"], "q2": ["d"]},
}


@pytest.fixture(scope="module")
def many() -> Any:
    """Twelve runs."""
    return cf.simulate(topics=6, runs=12, depth=30, seed=3)


def test_numbers_are_the_scores_at_each_cutoff() -> None:
    picture = cf.plot.curve(QRELS, RUNS, "nDCG P", cutoffs=[1, 3], band=True, confidence=0.9)
    scores = cf.evaluate(QRELS, RUNS, "nDCG@1 nDCG@3 P@1 P@3")
    means, intervals = scores.summary(), scores.interval(confidence=0.9)
    for panel, measure in zip(panels_of(picture), ("nDCG", "P"), strict=True):
        assert axis_of(panel, "y")["title"] == measure
        found = {(row["line"], row["at"]): row for row in rows_of(panel)}
        assert found.keys() == {(run, at) for run in RUNS for at in (1, 3)}
        for (run, at), row in found.items():
            column = f"{measure}@{at:g}"
            ends = intervals[run][column]
            expected = (means[run][column], ends.low, ends.high)
            assert (row["value"], row["low"], row["high"]) == expected
    assert "2 topics, with 90% t intervals" in said_by(picture)
    assert picture.data.columns == ["measure", "run", "at", "value", "low", "high"]


def test_recall_and_precision() -> None:
    picture = cf.plot.curve(QRELS, RUNS)
    (panel,) = panels_of(picture)
    means = cf.evaluate(QRELS, RUNS, "IPrec").summary()
    for run in RUNS:
        found = {row["at"]: row["value"] for row in rows_of(panel) if row["line"] == run}
        assert found == {i / 10: means[run][f"IPrec@{i / 10:g}"] for i in range(11)}
    assert axis_of(panel, "x")["title"] == "recall"
    assert axis_of(panel, "x")["scale"]["domain"] == [0, 1]
    assert "area" not in marks_of(panel)
    assert "low" not in picture.data.columns


def test_a_line_has_its_dash_its_mark_and_a_sample_of_both() -> None:
    (panel,) = panels_of(cf.plot.curve(QRELS, RUNS, grey=True))
    styles = Theme(grey=True).assign_styles(RUNS)
    for name in RUNS:
        own = [
            layer["mark"] for layer in panel["layer"]
            if {"filter": {"field": "label", "equal": name}} in layer.get("transform", [])
        ]  # fmt: skip
        line, mark = own
        colour, shape, dash = styles[name]
        assert (line["type"], line["color"], line["strokeDash"]) == ("line", colour, dash)
        assert (mark["type"], mark["color"], mark["shape"]) == ("point", colour, shape)
    legend = panel["layer"][-1]["encoding"]
    assert legend["color"]["scale"]["domain"] == legend["shape"]["scale"]["domain"] == [*RUNS]
    assert legend["color"]["scale"]["range"] == [styles[name].colour for name in RUNS]
    assert len({*legend["shape"]["scale"]["range"]}) == 2


def test_of_many_runs_the_best_have_names(many: Any) -> None:
    picture = cf.plot.curve(many.qrels, many.runs, "P", cutoffs=[10])
    (panel,) = panels_of(picture)
    means = {run: of["P@10"] for run, of in cf.evaluate(many.qrels, many.runs, "P@10").summary().items()}
    best = sorted(means, key=lambda run: -means[run])
    others = {row["line"]: row["value"] for row in rows_of(panel, 0)}
    named = {row["line"]: row["value"] for row in rows_of(panel)}
    assert [*named] == [run for run in means if run in best[:8]]
    assert named | others == means
    assert "Named: the 8 of 12 runs with the best scores. Grey: the other lines." in said_by(picture)
    assert [n.kind for n in picture.notes][-1] == "names"


def test_of_many_runs_the_lowest_are_best_where_lower_is_better(many: Any) -> None:
    picture = cf.plot.curve(many.qrels, many.runs, "E", cutoffs=[10])
    (panel,) = panels_of(picture)
    assert axis_of(panel, "y")["title"] == "E (lower is better)"
    worst = max(row["value"] for row in rows_of(panel))
    assert all(row["value"] >= worst for row in rows_of(panel, 0))


def test_axes() -> None:
    deep = {"q1": [f"d{i}" for i in range(100)]}
    (panel,) = panels_of(cf.plot.curve(QRELS, deep, "P"))
    x = axis_of(panel, "x")
    assert (x["title"], x["scale"]["type"]) == ("cutoff (log scale)", "log")
    assert x["axis"]["values"] == [1, 2, 5, 10, 20, 50, 100]
    (panel,) = panels_of(cf.plot.curve(QRELS, deep, "P", width=150))
    assert axis_of(panel, "x")["axis"]["values"] == [1, 10, 100]
    (panel,) = panels_of(cf.plot.curve(QRELS, RUNS, "P", band=True))
    assert axis_of(panel, "x")["title"] == "cutoff"
    assert axis_of(panel, "y")["scale"]["domain"] == [0, 1]  # whatever the bands are


def test_sums_are_called_so_and_have_no_band() -> None:
    picture = cf.plot.curve(QRELS, RUNS, "NumRelRet", cutoffs=[1, 3], band=True)
    found = {(row["line"], row["at"]): row["value"] for row in rows_of(panels_of(picture)[0])}
    assert found == {("one", 1): 1, ("one", 3): 3, ("two", 1): 1, ("two", 3): 2}
    assert said_by(picture).strip() == "Sums over 2 topics."


def test_one_run_one_topic_and_nothing_relevant() -> None:
    picture = cf.plot.curve({"q1": QRELS["q1"]}, RUNS["one"], "P", band=True)
    assert said_by(picture).strip() == "Means over 1 topic."  # of one topic there is no interval
    assert len(rows_of(panels_of(picture)[0])) == 3
    with pytest.raises(cf.CranfieldError, match="no run has a value of P"):
        cf.plot.curve({"q1": {"a": 0}}, RUNS, "P", undefined="skip")


def test_long_names_have_room_in_a_column() -> None:
    names = [f"a_name_of_{i}_{'long' * 12}" for i in range(8)]
    picture = cf.plot.curve(QRELS, dict.fromkeys(names, RUNS["one"]), width=190, font_size=8)
    legend = panels_of(picture)[0]["layer"][-1]["encoding"]["color"]
    shown = legend["scale"]["domain"]
    assert len({*shown}) == 8
    assert max(map(len, shown)) * 8 * 0.6 + 20 < 190
    assert legend["scale"]["range"] == [Theme().assign_styles(names)[name].colour for name in names]


def test_the_command(cranfield: Command, here: Path) -> None:
    cf.simulate(topics=4, runs=2, depth=20, seed=7).write(here)
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    plot = cranfield.of("plot", "curve")
    plot.succeeds("qrels.txt", *runs, "-m", "nDCG", "--cutoffs", "5,10", "-o", "curve.csv")
    lines = Path("curve.csv").read_text().splitlines()
    assert lines[0] == "measure,run,at,value"
    means = cf.evaluate("qrels.txt", runs, "nDCG@5 nDCG@10").summary()
    for line in lines[1:]:
        _, run, at, value = line.split(",")
        assert float(value) == means[run][f"nDCG@{float(at):g}"]
    assert len(lines) == 1 + 2 * len(runs)
    plot.succeeds("qrels.txt", *runs, "-o", "curve.csv", "--cutoffs", "0,0.5,1")
    assert len(Path("curve.csv").read_text().splitlines()) == 1 + 3 * len(runs)
    refused = plot.refused("qrels.txt", *runs, "-m", "nDCG@10", "-o", "curve.csv", "--quiet")
    assert "nDCG@10 has a cutoff. Use nDCG." in refused
    assert "--band" in plot.refused("qrels.txt", *runs, "--confidence", "0.9", "-o", "curve.csv")
