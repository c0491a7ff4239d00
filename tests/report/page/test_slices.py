"""Slices of topics in the HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import InputError
from cranfield.report.page.report import report_page

TOPICS = [f"q{i}" for i in range(14)]
BY = {topic: "fact" if i < 6 else "nav" if i < 12 else "rest" for i, topic in enumerate(TOPICS)}
SCORES = {
    "a": {topic: 0.3 + 0.03 * i for i, topic in enumerate(TOPICS)},
    "b": {topic: 0.3 + 0.02 * (i * i % 9) for i, topic in enumerate(TOPICS)},
}
QRELS = {topic: {"x": 1, "y": 0, "z": 1} for topic in TOPICS}
RUNS = {
    "a": {topic: ["x", "y", "z"][i % 3 :] for i, topic in enumerate(TOPICS)},
    "b": {topic: ["z", "y", "x"][i % 2 :] for i, topic in enumerate(TOPICS)},
}


def get_sections(page: Any) -> list[dict[str, Any]]:
    return [section for section in page.data["sections"] if section["id"].startswith("slices")]


def test_report_page_slices_equal_comparison() -> None:
    comparison = cf.compare(SCORES, by=BY)
    page = report_page(comparison.scores)
    [section] = get_sections(page)
    means, differences, interactions = section["tables"]
    assert means["columns"] == ["run", "fact (6)", "nav (6)", "rest (2)"]
    expected = {(row.run, row.slice): row.mean for row in comparison.slices}
    for run, *values in means["rows"]:
        assert values == pytest.approx([expected[run, name] for name in ("fact", "nav", "rest")], abs=1e-4)
    for row, pair in zip(differences["rows"], comparison.slice_pairs, strict=True):
        assert row[:4] == [pair.slice, pair.run, pair.other, pair.topics]
        assert row[4] == pytest.approx(pair.difference, abs=1e-4)
        assert row[7] == ("–" if pair.pvalue is None else f"{pair.pvalue:.4f}")
    assert interactions["rows"][0][3] == pytest.approx(comparison.interactions[0].statistic, rel=1e-3)
    assert page.data["topics"][0]["slices"] == {"slice": "fact"}


def test_report_page_by_of_runs_and_lengths_of_queries() -> None:
    queries = {topic: "word " * (1 + i % 4) for i, topic in enumerate(TOPICS)}
    page = report_page(QRELS, RUNS, "AP", by=["length", BY], queries=queries)
    assert [section["title"] for section in get_sections(page)] == ["Slices: length", "Slices: slice"]
    assert get_sections(report_page(QRELS, RUNS, "AP", queries=queries)) == []


def test_report_page_one_run_has_means_only() -> None:
    page = report_page(QRELS, {"a": RUNS["a"]}, "AP", by=BY)
    assert [len(section["tables"]) for section in get_sections(page)] == [1]


def test_report_page_clusters_raise() -> None:
    with pytest.raises(InputError, match="a report with clusters of topics"):
        report_page(QRELS, RUNS, "AP", clusters=BY)
    with pytest.raises(InputError, match="a report with clusters of topics"):
        report_page(cf.compare(SCORES, clusters=BY).scores)


def test_report_command_slices_of_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries without a header can accompany slices of another table."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{run},{topic},{value}" for run, values in SCORES.items() for topic, value in values.items()]
    Path("scores.csv").write_text("\n".join(["run,topic,AP", *rows]) + "\n")
    Path("topics.csv").write_text("\n".join(["topic,kind", *(f"{t},{x}" for t, x in BY.items())]) + "\n")
    Path("queries.tsv").write_text("".join(f"{topic}\tsome words\n" for topic in TOPICS))
    arguments = ["--scores", "scores.csv", "--by", "topics.csv:kind", "--queries", "queries.tsv", "-o", "r.html"]
    assert main(["report", *arguments]) == 0
    assert "Slices: kind" in Path("r.html").read_text()
