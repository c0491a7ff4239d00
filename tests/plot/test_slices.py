"""Means and differences on slices of topics."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import cranfield as cf
from tests.made import Command, written
from tests.plot.made import axis_of, marks_of, panels_of, rows_of, said_by, spec_of

TOPICS = [f"q{i}" for i in range(15)]
BY = {topic: "fact" if i < 6 else "nav" if i < 12 else "rest" for i, topic in enumerate(TOPICS)}
SCORES = {
    name: {topic: 0.3 + step * (i * i % 11) for i, topic in enumerate(TOPICS)}
    for name, step in (("a", 0.03), ("b", 0.02), ("c", 0.01))
}


def test_slices_two_runs_equal_comparison() -> None:
    scores = {name: SCORES[name] for name in "ab"}
    comparison = cf.compare(scores, by=BY)
    figure = cf.plot.slices(scores, by=BY)
    *rows, whole = figure.data.iter_rows(named=True)
    for row, pair in zip(rows, comparison.slice_pairs, strict=True):
        assert (row["slice"], row["topics"], row["value"]) == (pair.slice, pair.topics, pair.difference)
        assert (row["low"], row["high"]) == pytest.approx((pair.low, pair.high), nan_ok=True)
        assert row["pvalue"] == pair.pvalue
    assert (whole["slice"], whole["value"]) == ("All topics", comparison.pairs[0].difference)
    (panel,) = panels_of(figure)
    assert axis_of(panel, "y")["scale"]["domain"] == ["fact (6)", "nav (6)", "rest (3)", "All topics (15)"]
    low, high = axis_of(panel, "x")["scale"]["domain"]
    assert low <= 0 <= high
    assert {"rule", "point", "text"} <= set(marks_of(panel))
    assert len(rows_of(panel)) == 4
    assert "Welch's test of slices: p" in axis_of(panel, "x")["title"]
    assert "paired randomisation test" in said_by(figure)


def test_slices_several_runs_equal_means() -> None:
    comparison = cf.compare(SCORES, by=BY)
    figure = cf.plot.slices(SCORES, by=BY)
    assert len(panels_of(figure)) == 3
    values = {(row["run"], row["slice"]): row["value"] for row in figure.data.iter_rows(named=True)}
    for row in comparison.slices:
        assert values[row.run, row.slice] == row.mean
    assert len({tuple(axis_of(panel, "x")["scale"]["domain"]) for panel in panels_of(figure)}) == 1


def test_slices_baseline_draws_other_runs() -> None:
    figure = cf.plot.slices(SCORES, by=BY, baseline="c", test="t")
    assert {(run, other) for run, other in figure.data.select("run", "other").rows()} == {("a", "c"), ("b", "c")}


def test_slices_small_slices_of_flips_have_a_note() -> None:
    by = {topic: "ab"[i % 2] if i < 10 else "rest" for i, topic in enumerate(TOPICS)}
    figure = cf.plot.slices({name: SCORES[name] for name in "ab"}, by=by)
    assert "3 infinite intervals" in " ".join(note.text for note in figure.notes)
    assert figure.chart.to_dict()["datasets" if "datasets" in figure.chart.to_dict() else "title"]


def test_slices_clusters_have_cr2_intervals() -> None:
    clusters = {topic: f"need{i // 2}" for i, topic in enumerate(TOPICS)}
    figure = cf.plot.slices({"a": SCORES["a"]}, by=BY, clusters=clusters)
    expected = cf.compare(SCORES, by=BY, clusters=clusters).scores.slices[0]
    first = figure.data.row(0, named=True)
    assert (first["low"], first["high"]) == (expected.low, expected.high)
    assert "CR2 intervals for other clusters" in said_by(figure)


@pytest.mark.parametrize("runs", ["ab", "abc"])
def test_slices_look_follows_the_theme(runs: str) -> None:
    scores = {f"<script>{name}": SCORES[name] for name in runs}
    figure = cf.plot.slices(scores, by=BY, title="A <title>", width=155, font_size=7, grey=True)
    spec, svg = spec_of(figure), figure._render_svg()
    assert spec["title"]["text"] == "A <title>"
    assert spec["config"]["axis"]["labelFontSize"] == 7
    assert '"width": 155' in json.dumps(spec)
    assert "<script" not in svg
    colours = re.findall(r"#[0-9a-fA-F]{6}\b", svg)
    assert colours
    assert not [c for c in colours if not c[1:3] == c[3:5] == c[5:7]]
    assert "title" not in spec_of(cf.plot.slices(scores, by=BY, title=""))


def test_slices_without_attributes_raise() -> None:
    with pytest.raises(cf.CranfieldError, match="no slices of topics"):
        cf.plot.slices(SCORES)


def test_slices_many_panels_raise() -> None:
    runs = {f"r{i}": SCORES["a"] for i in range(25)}
    with pytest.raises(cf.CranfieldError, match=r"25 panels .* Select fewer runs"):
        cf.plot.slices(runs, by=BY)


def test_command_slices_writes_the_numbers(tmp_path: Path, cranfield: Command) -> None:
    rows = [f"{run},{topic},{value}" for run, values in SCORES.items() for topic, value in values.items()]
    scores = written(tmp_path / "scores.csv", "\n".join(["run,topic,AP", *rows]) + "\n")
    table = written(tmp_path / "topics.csv", "\n".join(["topic,kind", *(f"{t},{x}" for t, x in BY.items())]) + "\n")
    target = tmp_path / "slices.tsv"
    arguments = "plot", "slices", "--scores", scores, "--by", f"{table}:kind", "--baseline", "c", "-o", str(target)
    code, _, _ = cranfield(*arguments)
    assert code == 0
    header, *lines = target.read_text().splitlines()
    assert header.split("\t")[:5] == ["measure", "attribute", "run", "other", "slice"]
    assert len(lines) == 8
