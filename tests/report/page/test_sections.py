"""The section of the HTML report that compares the rankings of two runs."""

from __future__ import annotations

from typing import Any

import pytest

import cranfield as cf

pytest.importorskip("jinja2")
QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1, "d": 1}, "3": {"x": 1}}
FIRST = {"1": ["a", "b", "c"], "2": ["d", "a"], "3": ["x"]}
SECOND = {"1": ["b", "a", "e"], "2": ["a", "c", "d"]}


def read_section(*runs: Any) -> dict[str, Any] | None:
    page = cf.report_page(QRELS, {f"run{i}": run for i, run in enumerate(runs, 1)}, "AP nDCG@10")
    return next((section for section in page.data["sections"] if section["id"] == "difference"), None)


def test_report_of_two_runs_has_the_values_of_diff() -> None:
    section = read_section(FIRST, SECOND)
    assert section is not None
    assert section["title"] == "run1 vs run2"
    result = cf.diff({"run1": FIRST}["run1"], SECOND, QRELS, "AP nDCG@10")
    means, counts, topics, effects, documents = (table["rows"] for table in section["tables"])
    assert {row[0]: row[1] for row in [*means, *counts]} == pytest.approx(
        {name: mean for name, mean in result.means.items() if not name.startswith("RBO ")}, abs=1e-5
    )
    assert [row[0] for row in topics] == [topic.topic for topic in result.topics]
    assert [row[0] for row in effects] == [topic.topic for topic in result.sort_by_effect()]
    relevant = {(x.topic, x.doc, x.from_rank, x.to_rank) for x in result.documents if (x.level or 0) > 0}
    assert {tuple(row[:4]) for row in documents} == relevant


@pytest.mark.parametrize("runs", [(FIRST,), (FIRST, SECOND, FIRST | {"3": ["y"]})])
def test_report_of_one_or_three_runs_has_no_difference_section(runs: tuple[Any, ...]) -> None:
    assert read_section(*runs) is None
