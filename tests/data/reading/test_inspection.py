"""A file looked over piece by piece, and record by record: the same problems on the same lines."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.inspection import Inspection
from cranfield.data.reading.records import Problem, ReadOptions, Record, RecordBuilder
from cranfield.data.reading.source import Source
from cranfield.data.validate import _open_file, validate
from tests.made import examples

NUMBERS = ["1", "2", "0.5", "nan", "1e3", "x", "1_0", "٣", "1e13", "-0", "0.25"]
TOPICS, DOCS, TAGS = ["a", "b", "all", "中"], ["x", "y", "zzzzzzzzzzzz", "é"], ["t", "t", "t", "u"]
RANKS = ["1", "2", "3", "10", "x", "nan"]
FIELDS = {
    ("trec", "run"): (TOPICS, ["Q0"], DOCS, RANKS, NUMBERS, TAGS),
    ("trec", "qrels"): (TOPICS, ["0", "1"], DOCS, NUMBERS),
    ("ntcir", "qrels"): (TOPICS, DOCS, ["L0", "L1", "L2", "L", "L٣", "2", "L9999999999999"]),
}
OTHER = ["", "# a comment", "a", "a b c d e f g", "\udcff\udcfe", "<SYSDESC>x</SYSDESC>", "x" * 90]
ENDS = ["\n", "\n", "\n", "\r\n", "", " \n", "\n\n", "\r"]


@st.composite
def texts(draw: Any, fields: tuple[list[str], ...]) -> bytes:
    """Lines most of which are in order."""
    line = st.tuples(*(st.sampled_from(values) for values in fields)).map(" ".join)
    few = st.tuples(*(st.sampled_from(values[:3]) for values in fields)).map(" ".join)
    rows = draw(st.lists(few | line | st.sampled_from(OTHER), max_size=14))
    return "".join(row + draw(st.sampled_from(ENDS)) for row in rows).encode("utf-8", "surrogateescape")


def told(problems: list[Problem]) -> list[Any]:
    return [(p.severity, p.line, p.text, p.kind, p.by_intent, str(p.cause)) for p in problems]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("looking") / "file"


@pytest.mark.parametrize(("name", "kind"), FIELDS)
@given(
    data=st.data(),
    size=st.sampled_from([5, 40, 1 << 20]),
    intents=st.booleans(),
    by_tag=st.booleans(),
    most=st.sampled_from([80, 1 << 20]),
)
@settings(max_examples=examples(150))
def test_the_same_problems(
    path: Path, name: str, kind: Kind, data: Any, size: int, intents: bool, by_tag: bool, most: int
) -> None:
    path.write_bytes(data.draw(texts(FIELDS[name, kind])))
    format, source = FORMAT[name], Source.from_path(path)
    source = Source(source.path, type(source.limits)(line=most))
    text = ReadOptions(intents=intents and kind == "qrels", by_tag=by_tag)
    every = list(format.check_records(source, kind, text))
    expected = [item for item in every if isinstance(item, Problem)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (size,))
        look = Inspection(format, source, kind, text)
        tables = list(look.read_tables())
        assert told(look.list_problems()) == told(expected)
        causes = [p.cause for p in expected if p.cause is not None]
        first = Inspection(format, source, kind, text).find_first_error()
        assert (first and first.message) == (causes[0].message if causes else None)
        few = look.list_problems(2)
        assert {told([p])[0] for p in few} <= {*told(expected)}
        for severity in ("error", "warning"):
            count = sum(1 + p.more for p in few if p.severity == severity)
            assert count == sum(p.severity == severity for p in expected)
        opened = _open_file(str(path), kind, name, text)
        reports = [opened.build_report(None, fast) for fast in (True, False)]
    records = [item for item in every if isinstance(item, Record)]
    rows = [
        (line, name, doc)
        for table in tables
        for (a, b), name in zip(table.iter_bounds(), table.names, strict=True)
        for line, doc in zip((table.lines[a:b] if table.lines is not None else ()), table.docs[a:b], strict=True)
        if len(table)
    ]
    assert rows == [(r.line, r.topic, r.doc) for r in records]
    assert told(reports[0].problems) == told(reports[1].problems)
    assert (reports[0].lines, reports[0].runs) == (reports[1].lines, reports[1].runs)


def repeating(tmp_path: Path, name: str) -> Path:
    """A run of 3,000 lines, twice, in a format."""
    rows = [(f"q{i // 100}", f"d{i}", 3000 - i) for i in range(3000)] * 2
    path = tmp_path / name
    if name.endswith(("csv", "parquet")):
        frame = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
        (frame.write_csv if name.endswith("csv") else frame.write_parquet)(path)
        return path
    text = "".join(f"{topic} Q0 {doc} 1 {score} r\n" for topic, doc, score in rows)
    if not name.endswith("zip"):
        path.write_text(text, encoding="utf-8")
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("r.txt", text)
    return path


@pytest.mark.parametrize(("name", "line"), [("r.txt", 3001), ("r.zip", 3001), ("r.csv", 3002), ("r.parquet", None)])
@pytest.mark.parametrize("size", [2000, 1 << 20])
def test_evaluate_run_that_repeats_itself_makes_few_records(
    tmp_path: Path, name: str, line: int | None, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost of an error is that of reading the file, not of a record for each line."""
    path, records, looks = repeating(tmp_path, name), [], []
    record, first_error = RecordBuilder.build_record, Inspection.find_first_error

    def count(self: RecordBuilder, *given: Any) -> Any:
        records.append(given)
        return record(self, *given)

    def look(self: Inspection) -> Any:
        looks.append(self)
        return first_error(self)

    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
    monkeypatch.setattr(RecordBuilder, "build_record", count)
    monkeypatch.setattr(Inspection, "find_first_error", look)
    place = "" if line is None else f":{line}"
    lines = "" if line is None else f"Duplicates on lines {line}, {line + 1}, "
    with pytest.raises(cf.InputError, match=f"{name}{place}: duplicate document 'd0' .*{lines}"):
        cf.evaluate({"q0": {"d0": 1}, "q1": {"d100": 1}}, path, "AP")
    assert len(records) < 30
    assert len(looks) == 1  # not once in every thread
    [report] = validate([str(path)], max_listed=20)
    assert len(records) < 90
    assert sum(problem.severity == "error" for problem in report.problems) == 20
    assert report.count("error") == 3000
    assert report.problems[0].line == line


def test_read_qrels_repeated_judgments_makes_few_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"q{i // 100} 0 d{i} {i % 3}\n" for i in range(3000))
    path, records = tmp_path / "qrels", []
    record = RecordBuilder.build_record

    def count(self: RecordBuilder, *given: Any) -> Any:
        records.append(given)
        return record(self, *given)

    monkeypatch.setattr(RecordBuilder, "build_record", count)
    path.write_text(text * 2, encoding="utf-8")
    qrels = cf.read_qrels(path)
    assert (qrels.repeated, len(qrels.levels), len(records)) == (3000, 3000, 0)
    path.write_text(text * 2 + "q0 0 d7 2\n", encoding="utf-8")
    with pytest.raises(cf.InputError, match="qrels:6001: conflicting levels for document 'd7' in topic"):
        cf.read_qrels(path)
    assert len(records) < 30
