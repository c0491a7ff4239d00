"""The HTML report of a suite: an overview, and a switch between collections."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import cranfield as cf
from tests.comparison.test_suites import EXAMPLE, SEEDS, SYSTEMS
from tests.made import Command


@pytest.fixture(scope="module")
def page() -> cf.ReportPage:
    return cf.report_page(cf.suite(EXAMPLE, trials=50))


def get_section(page: cf.ReportPage, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(section for section in page.data["overview"]["sections"] if section["id"] == name)
    return found


def test_report_of_suite_overview_has_macro_means_and_answer(page: cf.ReportPage) -> None:
    overview = page.data["overview"]
    assert overview["answer"][0].startswith("By score, a is not significantly different from b on these 3 collections:")
    assert overview["board"][0]["means"] == [0.536667, 0.43]
    assert overview["topics"] == []
    assert [fact["value"] for fact in overview["collection"]] == ["3", "12", "2"]


def test_report_of_suite_tables_equal_result(page: cf.ReportPage) -> None:
    result = cf.suite(EXAMPLE, trials=50)
    [table] = get_section(page, "differences")["tables"]
    assert [row[2:4] for row in table["rows"]] == [["x", 4], ["y", 3], ["z", 5]]
    assert [row[4] for row in table["rows"]] == pytest.approx([row.difference for row in result.forest], rel=1e-5)
    [pair] = get_section(page, "pairs")["tables"][0]["rows"]
    numbers = dict(zip(get_section(page, "pairs")["tables"][0]["columns"], pair, strict=True))
    assert numbers["difference"] == pytest.approx(0.106667, abs=1e-6)  # the worked numbers
    assert (numbers["like these low"], numbers["like these high"]) == pytest.approx((-0.077003, 0.290336), abs=1e-6)
    assert get_section(page, "collections")["tables"][0]["columns"] == ["system", "x", "y", "z", "macro mean"]
    assert get_section(page, "ranks")["tables"][0]["rows"][0][0] == "a"


def test_report_of_suite_collections_are_reports_of_scores(page: cf.ReportPage) -> None:
    parts = page.data["collections"]
    assert [part["name"] for part in parts] == ["x", "y", "z"]
    expected = cf.report_page(cf.read_scores(EXAMPLE["z"]), test="t").data
    assert parts[2]["report"]["scores"] == expected["scores"]
    assert parts[2]["report"]["pairs"][0]["p"] == expected["pairs"][0]["p"]
    assert parts[2]["report"]["title"] == "z"


def test_report_of_suite_html_has_a_switch_and_the_data(page: cf.ReportPage) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    assert found is not None
    assert json.loads(found[1]) == page.data
    assert '<div id="collections"></div>' in page.html
    assert (
        repr(page) == "ReportPage: 2 systems on 3 collections (12 topics) × 1 measure; .save('report.html') writes it"
    )


def test_report_of_suite_seeds_are_averaged_and_noted() -> None:
    page = cf.report_page(cf.suite(SEEDS, systems=SYSTEMS, trials=50))
    report = page.data["collections"][0]["report"]
    assert [run["name"] for run in report["runs"]] == ["a", "b"]
    assert report["scores"][0][0] == [0.55, 0.6, 0.45]
    texts = [text for notice in report["notices"] for text in notice["texts"] if notice["kind"] == "seeds"]
    assert texts == ["1 system (a): means over seeds. Intervals and tests hold for these seeds"]


def test_report_of_suite_with_runs_raises() -> None:
    with pytest.raises(cf.CranfieldError, match=r"runs with a result of cf\.suite\. Pass only the result"):
        cf.report_page(cf.suite(EXAMPLE, trials=10), {"a": {}})


def test_command_suite_report_writes_page(tmp_path: Any, cranfield: Command) -> None:
    for name in "xy":
        (tmp_path / f"{name}.qrels").write_text("1 0 d 1\n2 0 d 1\n3 0 d 1\n")
        for run, docs in {"a": "dde", "b": "eed"}.items():
            lines = [f"{t} Q0 {doc} 1 2 {run}\n{t} Q0 f 2 1 {run}\n" for t, doc in enumerate(docs, 1)]
            (tmp_path / f"{name}.{run}").write_text("".join(lines))
    (tmp_path / "suite.toml").write_text(
        '[collections]\nx.qrels = "x.qrels"\ny.qrels = "y.qrels"\n'
        '[systems]\na = "{collection}.a"\nb = "{collection}.b"\n'
    )
    target = tmp_path / "suite.html"
    text = cranfield.printed("suite", str(tmp_path / "suite.toml"), "-m", "RR", "--report", str(target))
    assert text.startswith("By RR, a is")
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    refused = cranfield.refused(f"suite {tmp_path / 'suite.toml'} --report {tmp_path / 'no' / 'suite.html'}")
    assert "does not exist" in refused
