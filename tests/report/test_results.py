"""Every result in every format: as it was when somebody looked at it, escaped, and read back.

``python -m tests.report.test_results`` writes the snapshots anew: look at the
difference before you commit.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.assess.aggregate import aggregate
from cranfield.display import Rows, TableResult
from cranfield.evaluation.answers import AnswerCollection
from cranfield.evaluation.texts import TextCollection
from cranfield.measures.texts import Smeasure
from cranfield.report import formats
from cranfield.report.formats import FORMATS, TableOutput
from cranfield.report.results import prepare_output
from tests import ROOT
from tests.made import in_10_digits, shown_by

SNAPSHOTS = Path(__file__).parent / "snapshots"
NOTEBOOK = ROOT / "docs" / "results.ipynb"

# Small enough to be computed by hand; names that HTML, LaTeX and spreadsheets would take for code.
QRELS = {
    "q1": {"a": 2, "b": 0, "c": 1},
    "q2": {"d": 1, "e": 0, "f": 2},
    "q3": {"a": 1, "d": 0},
    "q4": {"c": 1, "e": 1, "f": 0},
}
EVIL = "<script>alert(1)</script>"
RUNS = {
    "bm25": {"q1": ["a", "c", "b"], "q2": ["e", "d"], "q3": ["a"], "q4": ["f", "c", "e"]},
    EVIL: {"q1": ["b", "a"], "q2": ["f", "d", "e"], "q3": ["d", "a"], "q4": ["c", "e"]},
    "=1+1": {"q1": ["c"], "q2": ["e", "f"], "q3": ["d", "x"], "q4": ["e", "f", "c"]},
}
OTHER = {**QRELS, "q1": {"a": 0, "b": 1, "c": 1}}
ASSESSORS = {
    "ann": {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}},
    "bob_1": {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1, "e": 1}},
}
PREFERENCES = [("q1", "bm25", EVIL), ("q2", EVIL, "bm25"), ("q3", "bm25", "=1+1")]
BATTLES = [*PREFERENCES, ("q4", "=1+1", "bm25"), ("q4", "=1+1", EVIL), ("q1", EVIL, "=1+1")]
TEAMS = {"bm25": "A", EVIL: "<b>", "=1+1": "A"}
NUGGETS = {"q1": {"birth": (3, "born 1942"), "place": (1, "Liverpool")}}
JUDGED = {EVIL: {"q1": {"born <b>1942</b>": ("vital", "support"), "=1+1": ("okay", "partial")}}}
CITED = [
    {"text": "Born <i>1942</i>.", "citations": ["d1", "d2"]},
    {"text": "=1+1", "citations": []},
]
SUPPORT = {EVIL: {"q1": [{"d1": "full"}]}}
CRITERIA = {EVIL: {"q1": [{"criterion": "\\says", "weight": -2, "met": 0.5, "axis": "a_b"}]}}
LOG = {"q1": {"s1": [(1, 2, 5000)]}}


def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, "AP nDCG@3")


def answers() -> AnswerCollection:
    written = {EVIL: {"q1": CITED}}
    return AnswerCollection.from_inputs(JUDGED, None, written, SUPPORT, CRITERIA, {"q1": "1942"})


def preferences() -> Any:
    rows = [*zip(*PREFERENCES, strict=True)]
    return pl.DataFrame({"topic": rows[0], "first": rows[1], "second": rows[2], "winner": rows[1]})


RESULTS: dict[str, Callable[[], TableResult]] = {
    "scores": scores,
    "comparison": lambda: cf.compare(scores(), trials=200),
    "baseline": lambda: cf.compare(scores(), baseline="bm25", test="t", correction="none"),
    "movers": lambda: cf.compare(scores(), trials=200).movers(1),
    "gate": lambda: cf.compare(scores(), baseline="bm25", trials=200).gate(margin=0.1),
    "plan": lambda: cf.stats.plan(scores(), differences=[0.1], sizes=[50]),
    "pool": lambda: cf.pool(RUNS, depth=2, qrels=QRELS),
    "agreement": lambda: cf.agreement(ASSESSORS),
    "judgments": lambda: aggregate(ASSESSORS, "max"),
    "explained": lambda: cf.explain("nDCG@3", QRELS, {EVIL: RUNS[EVIL]}, "q1"),
    "labelled": lambda: cf.label(QRELS, RUNS, ["q1"]),
    "topics": lambda: cf.hard_topics(QRELS, RUNS, "nDCG@2"),
    "two_runs": lambda: cf.hard_topics(QRELS, {x: RUNS[x] for x in ("bm25", EVIL)}, "AP"),
    "bounds": lambda: cf.bounds(QRELS, RUNS, "P@2"),
    "trail": lambda: cf.trailtext(clicks=LOG),
    "findings": lambda: TextCollection.from_inputs(None, {"q1": "born 1942"}, NUGGETS, None, "auto").compute_findings(
        "q1", Smeasure()
    ),
    "answers": lambda: answers().build_details("q1", answers().choose_measures(None)),
    "discriminative": lambda: cf.meta.discriminative_power(scores(), trials=200),
    "swap": lambda: cf.meta.swap(scores(), sizes=2, trials=10),
    "stability": lambda: cf.meta.stability(scores(), sizes=2, trials=10),
    "correlation": lambda: cf.meta.correlation(scores(), trials=50),
    "concordance": lambda: cf.meta.concordance(cf.evaluate(QRELS, RUNS, "AP nDCG@3 P@1"), gold=["P@1"]),
    "predictive": lambda: cf.meta.predictive_power(scores(), preferences()),
    "leave_one_out": lambda: cf.meta.leave_one_out(QRELS, RUNS, "AP", pool_depth=2),
    "judge": lambda: cf.judge(QRELS, OTHER, RUNS, "AP P@2", teams=TEAMS, target=0.5, per_topic=True),
    "audit": lambda: cf.audit(RUNS, 4, "P@2", depth=2),
    "battles": lambda: cf.battles(BATTLES, scores(), trials=100),
    "two_judgments": lambda: cf.meta.compare_judgments(QRELS, OTHER, RUNS, "AP", trials=200),
}
EACH = pytest.mark.parametrize("name", RESULTS)


def written(found: TableResult, format: str) -> str:
    """What the format holds; of Parquet the rows and the types."""
    made: TableOutput = prepare_output(found, format, {})
    data = formats.render(made, format)
    if format != "parquet":
        return data.decode()
    frame = pl.read_parquet(io.BytesIO(data))
    return f"{dict(frame.schema)}\n" + frame.write_ndjson()


@EACH
@pytest.mark.parametrize("format", FORMATS)
def test_snapshot(name: str, format: str) -> None:
    """As somebody looked at it; `python -m tests.report.test_results` writes it anew."""
    path = SNAPSHOTS / f"{name}.{format}.txt"
    made, known = written(RESULTS[name](), format), path.read_text(encoding="utf-8")
    assert in_10_digits(made) == in_10_digits(known)


class Names(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@EACH
def test_html_escapes_data(name: str) -> None:
    page = Names()
    page.feed(RESULTS[name]().to_html())
    ours = {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "b", "p"}
    assert {*page.tags} <= ours | {"h4"}
    assert "table" in page.tags


@EACH
def test_every_result_has_the_same_methods(name: str) -> None:
    found = RESULTS[name]()
    frame, pandas = found.to_polars(), found.to_pandas()
    assert [*frame.columns] == [*pandas.columns]
    assert len(frame) == len(pandas) > 0
    assert found.to_markdown().count("|") > 4
    assert r"\begin{tabular}" in found.to_latex(label="tab:x")
    assert r"\label{tab:x}" in found.to_latex(label="tab:x")
    assert "<table>" in found._repr_html_()
    assert json.dumps(found.to_dict())
    assert repr(found)
    assert len(repr(found).splitlines()) <= 30  # a screen


def test_unknown_table_option_or_value_raises() -> None:
    found = RESULTS["comparison"]()
    with pytest.raises(cf.CranfieldError, match=r"^found table x, expected a table of this result: runs, pairs"):
        found.to_markdown("x")
    with pytest.raises(TypeError, match="tables of Comparison have no argument 'mover'"):
        found.to_markdown(mover=2)
    for count in (-1, 16, 99):  # as --decimals
        with pytest.raises(cf.CranfieldError, match=f"found decimals={count}, expected an integer"):
            found.to_latex(decimals=count)
    assert re.search(r"\.\d{15}\b", found.to_markdown(decimals=15))
    with pytest.raises(cf.CranfieldError, match="found caption='left', expected one of above"):
        found.to_latex(caption="left")


def test_latex_for_a_paper() -> None:
    """Letters in a column of their own, decimals as asked for, the caption below."""
    lines = RESULTS["comparison"]().to_latex("results", decimals=2, label="tab:r", caption="below").splitlines()
    start = lines.index(r"\begin{tabular}{lr@{\,}lr@{\,}l}")
    assert lines[start + 2] == r"run & \multicolumn{2}{c}{AP} & \multicolumn{2}{c}{nDCG@3} \\"
    assert lines.index(r"\label{tab:r}") > lines.index(r"\end{tabular}")
    # bm25's AP is (1 + 1/4 + 1 + 7/12) / 4 = 0.708: q1 1, q2 (1/2)/2, q3 1, q4 (1/2 + 2/3)/2
    assert any(line.startswith(r"bm25 & ") and "0.71" in line for line in lines)


def test_spreadsheet_formulas_are_escaped() -> None:
    made = prepare_output(scores(), "csv", {})
    plain = [*csv.reader(io.StringIO(formats.render(made, "csv").decode()))]
    safe = formats.render(TableOutput(made.tables, spreadsheet=True), "csv").decode()
    rows = [*csv.reader(io.StringIO(safe))]
    assert {row[0] for row in plain} >= {"=1+1"}
    assert {row[0] for row in rows} >= {"'=1+1"}
    assert [row[3] for row in rows] == [row[3] for row in plain]  # numbers are none


def test_rows_are_tuples_and_tables() -> None:
    found = RESULTS["movers"]()
    assert isinstance(found, Rows)
    assert found == tuple(found)
    assert found.to_polars().columns[:4] == ["measure", "run", "other", "topic"]
    assert "×" in repr(found)


def test_a_simulated_collection_is_a_line() -> None:
    found = repr(cf.simulate(topics=2, runs=2, depth=10))
    assert "\n" not in found
    assert found.startswith("Collection: 2 topics, ")


def test_long_tables_are_truncated_in_notebooks() -> None:
    many = cf.evaluate({"q": {"a": 1}}, {f"run{i}": {"q": ["a"]} for i in range(60)}, "AP")
    assert "… 10 more rows" in many._repr_html_()
    assert "more rows" not in many.to_html()


@pytest.fixture(scope="module")
def displayed() -> list[Any]:
    return shown_by(NOTEBOOK)


class TestNotebook:
    """docs/results.ipynb, cell by cell, as a notebook shows what the last line of a cell is."""

    def test_every_result_has_html_in_notebooks(self, displayed: list[Any]) -> None:
        results = [value for value in displayed if isinstance(value, TableResult)]
        assert len({type(value) for value in results}) >= 16
        for value in results:
            assert value._repr_html_().count("<table>") >= 1
            assert len(repr(value).splitlines()) <= 60

    def test_a_collection_is_a_line(self, displayed: list[Any]) -> None:
        assert repr(displayed[0]).count("\n") == 0


if __name__ == "__main__":
    for name, make in RESULTS.items():
        for format in FORMATS:
            path = SNAPSHOTS / f"{name}.{format}.txt"
            path.write_text(written(make(), format), encoding="utf-8")
    sys.exit()
