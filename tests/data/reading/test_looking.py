"""A file looked over piece by piece, and record by record: the same problems on the same lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.looking import Look
from cranfield.data.reading.records import Problem, Record, Text
from cranfield.data.reading.source import Source
from cranfield.data.validate import _file
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
    return "".join(row + draw(st.sampled_from(ENDS)) for row in rows).encode(
        "utf-8", "surrogateescape"
    )


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
    format, source = FORMAT[name], Source.of(path)
    source = Source(source.path, type(source.limits)(line=most))
    text = Text(intents=intents and kind == "qrels", by_tag=by_tag)
    every = list(format.errors(source, kind, text))
    expected = [item for item in every if isinstance(item, Problem)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.pieces, "__defaults__", (size,))
        look = Look(format, source, kind, text)
        tables = list(look.tables())
        assert told(look.found()) == told(expected)
        causes = [p.cause for p in expected if p.cause is not None]
        first = Look(format, source, kind, text).first_error()
        assert str(first) == str(causes[0] if causes else None)
        opened = _file(str(path), kind, name, text)
        reports = [opened.report(None, fast) for fast in (True, False)]
    records = [item for item in every if isinstance(item, Record)]
    rows = [
        (line, name, doc)
        for table in tables
        for (a, b), name in zip(table.bounds(), table.names, strict=True)
        for line, doc in zip(
            (table.lines[a:b] if table.lines is not None else ()), table.docs[a:b], strict=True
        )
        if len(table)
    ]
    assert rows == [(r.line, r.topic, r.doc) for r in records]
    assert told(reports[0].problems) == told(reports[1].problems)
    assert (reports[0].lines, reports[0].runs) == (reports[1].lines, reports[1].runs)
