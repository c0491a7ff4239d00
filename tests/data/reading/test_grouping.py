"""Lines of scattered topics, put together as if they were in memory; many of them on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading import grouping
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import COLUMNS, Table
from cranfield.data.run import TableRun
from tests.made import examples

ROWS = st.lists(
    st.tuples(st.sampled_from("qrstu"), st.text("ab", min_size=1, max_size=3), st.integers(0, 3)),
    min_size=1,
    max_size=40,
)


def text_of(rows: list[tuple[str, str, int]]) -> str:
    return "".join(f"{topic} Q0 {doc} {n} {score} r\n" for n, (topic, doc, score) in enumerate(rows))


def columns_of(table: Table) -> dict[str, Any]:
    found = {name: getattr(table, name) for name in COLUMNS}
    listed = {name: None if x is None else x.tolist() for name, x in found.items()}
    return {"names": table.names, "sizes": table.sizes.tolist(), **listed}


def read(path: Path, **options: Any) -> TableRun:
    run = cf.read_run(path, **options)
    assert isinstance(run, TableRun)
    return run


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grouping")


@given(
    rows=ROWS,
    piece=st.integers(1, 60),
    laid=st.sampled_from([1, 5, 1 << 19]),
    lines=st.sampled_from([1, 3, 1 << 17]),
    held=st.sampled_from([1, 1 << 24]),
)
@settings(max_examples=examples(100))
def test_parts_are_the_whole_table(
    scratch: Path, rows: list[tuple[str, str, int]], piece: int, laid: int, lines: int, held: int
) -> None:
    """In memory or on disk, in parts of any size, from pieces of any size."""
    path = scratch / "run.txt"
    path.write_text(text_of(rows))
    run = read(path, types=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.iter_pieces, "__defaults__", (piece,))
        patch.setattr(grouping, "BATCH_LINES", laid)
        patch.setattr(grouping, "PART_LINES", lines)
        patch.setattr(grouping, "MEMORY_LIMIT", held)
        expected = run.gather()
        with run.group_by_topic(threads=2) as parts:
            tables = [part() for part in parts]
    assert [name for table in tables for name in table.names] == expected.names
    assert lines > 1 or all(len(table.names) == 1 for table in tables)
    assert columns_of(Table.concatenate(tables)) == columns_of(expected)


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a line, parts of a topic, and nothing held in memory."""
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (1,))
    for name in ("BATCH_LINES", "PART_LINES", "MEMORY_LIMIT"):
        monkeypatch.setattr(grouping, name, 1)


SCATTERED = text_of([("q", "a", 3), ("r", "a", 3), ("q", "b", 2), ("r", "c", 1), ("q", "c", 1)])


def test_lists_are_the_same_whatever_asks_for_them(on_disk: None, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(SCATTERED)
    run = read(path, duplicates="first")
    assert run.rankings() == {"q": ["a", "b", "c"], "r": ["a", "c"]}
    assert list(run.to_dict()) == ["q", "r"]
    assert run.get_scores("r") == {"a": 3.0, "c": 1.0}
    scores = cf.evaluate({"q": {"b": 1}, "r": {"a": 1}}, path, "RR")
    assert [scores["r", topic, "RR"] for topic in "qr"] == [0.5, 1.0]


@pytest.mark.parametrize("again", ["r Q0 a 9 0 r\n", "q Q0 c 9 0 r\nr Q0 a 9 0 r\n"])
def test_a_document_twice_is_an_error_with_its_line(on_disk: None, tmp_path: Path, again: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text(SCATTERED + again)
    topic, _, doc, *_ = again.split()
    with pytest.raises(cf.InputError, match=rf"run.txt:6: duplicate document '{doc}' in topic {topic}"):
        cf.evaluate({"q": {"b": 1}}, path, "RR")


def test_of_several_the_first_topic_is_told(on_disk: None) -> None:
    """As if the lines were in memory: a frame has no lines to tell, and topics have an order."""
    rows = [(topic, doc, 1.0) for doc in ("x", "y", "x", "y") for topic in ("z", "s", "t")]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
    with pytest.raises(cf.InputError, match="run: duplicate document 'x' in topic z"):
        cf.evaluate({"s": {"x": 1}}, frame, "RR")


def test_a_line_that_is_none_is_the_error_it_is(on_disk: None, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(SCATTERED + "q Q0 d nine\n")
    with pytest.raises(cf.InputError, match=r"run.txt:6: found 4 fields"):
        read(path).rankings()


def test_sorted_by_number() -> None:
    """Topics by the numbers they are given, lines in their order."""
    table = cf.read_run(pl.DataFrame({"topic": ["b", "a", "b"], "doc": ["x", "y", "z"], "score": [1.0, 2.0, 3.0]}))
    assert isinstance(table, TableRun)
    found = next(table.iterate_tables()).group_by_topic(np.array([7, 0, 7]))
    assert (found.names, found.docs.tolist()) == (["a", "b"], ["y", "x", "z"])
    assert np.array_equal(found.starts, [0, 1])
