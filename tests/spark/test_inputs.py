"""Rows to tables, wherever they are: the same grammar, and the row of every mistake."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cranfield.data.reading.formats import FORMAT
from cranfield.data.reading.records import Text
from cranfield.data.reading.table import Table
from cranfield.spark import inputs
from cranfield.spark.inputs import Bad, LineReader, Reading, RowReader


def batches(lines: list[bytes], size: int = 2) -> list[Any]:
    """Lines as Spark sends them."""
    parts = [lines[i : i + size] for i in range(0, len(lines), size)]
    return [pa.RecordBatch.from_arrays([pa.array(part, pa.binary())], ["value"]) for part in parts]


TREC = LineReader(FORMAT["trec"], Text(by_tag=True), "run.txt")
LINES = [b"q1 Q0 d1 1 2.5 r", b"# a comment", b"q1\tQ0  d2 2 1e0 r\r", b"", b"q2 Q0 \xc3\xa9 1 7 r"]


def test_lines_are_what_they_are_in_a_file() -> None:
    (table,) = TREC.tables(batches(LINES))
    assert isinstance(table, Table)
    assert table.names == ["q1", "q2"]
    assert table.docs.tolist() == ["d1", "d2", "é"]
    assert table.values.tolist() == [2.5, 1.0, 7.0]
    assert table.tag == "r"


def test_nothing_but_comments_is_nothing() -> None:
    reading = Reading(0, TREC, "run.txt", None, True)
    for lines in ([b"# one", b""], [b"", b" "], []):
        assert [*reading.tables(batches(lines))] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"q1 Q0 d3 3 r", "5 fields ('q1 Q0 d3 3 r')"),
        (b"q1 Q0 d3 3 inf r", "score 'inf' ('q1 Q0 d3 3 inf r')"),
    ],
)
def test_a_bad_line_is_shown(line: bytes, found: str) -> None:
    (bad,) = TREC.tables(batches([*LINES, line, line]))
    assert isinstance(bad, Bad)
    assert (bad.found, bad.rows) == (found, 2)


def test_other_encodings_are_told() -> None:
    (bad,) = TREC.tables(batches([*LINES, b"q1 Q0 \xff 3 1 r"]))
    assert isinstance(bad, Bad)
    assert bad.rows == 1


def test_rows_of_a_frame() -> None:
    frame = pa.table({"topic": [1, 1, 2], "doc": ["a", "b", "c"], "score": ["2", "3", "nan"]})
    reader = RowReader(Text(by_tag=True), "rows")
    (table,) = reader.tables(frame.slice(0, 2).to_batches())
    assert isinstance(table, Table)
    assert (table.names, table.values.tolist()) == (["1"], [2.0, 3.0])
    (bad,) = reader.tables(frame.to_batches())
    assert isinstance(bad, Bad)
    assert (bad.found, bad.rows) == ("topic '2', doc 'c', value nan", 1)


def test_runs_are_told_apart_by_their_tags() -> None:
    lines = [b"q1 Q0 a 1 3 x", b"q1 Q0 b 2 2 y", b"q2 Q0 c 1 1 x"]
    for by_tag, expected in ((True, [("x", 2), ("y", 1)]), (False, [(None, 3)])):
        reading = Reading(0, TREC, "run.txt", None, by_tag)
        tables = [*reading.tables(batches(lines))]
        assert [(t.tag, len(t)) for t in tables if isinstance(t, Table)] == expected


def test_ranks_may_decide() -> None:
    reading = Reading(0, TREC, "run.txt", "rank", True)
    (table,) = reading.tables(batches([b"q1 Q0 a 2 9 x", b"q1 Q0 b 1 1 x"]))
    assert isinstance(table, Table)
    assert table.values.tolist() == [-2.0, -1.0]


class Files:
    """What Spark says of a text that it would read."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths

    def inputFiles(self) -> list[str]:
        return [path.as_uri() for path in self.paths]


def test_files_are_read_in_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines once, wherever files are cut, and what stands before them is left out."""
    monkeypatch.setattr(inputs, "PIECE", 50)
    lines = [b"q%d Q0 d%d %d %d r" % (n // 7, n, n % 7, -n) for n in range(100)]
    first, second = tmp_path / "a file é.txt", tmp_path / "b.txt"
    first.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines[:60]))  # no end of the last line
    second.write_bytes(b"\n".join(lines[60:]) + b"\n")
    found = [*inputs.stretches(Files(first, second))]
    assert len(found) > 10
    reader = replace(TREC, stretches=found)
    numbers = pa.record_batch([pa.array(range(len(found)))], ["id"])
    docs: list[str] = []
    for table in reader.tables([numbers]):
        assert isinstance(table, Table)
        docs += table.docs.tolist()
    assert docs == [f"d{n}" for n in range(100)]


def test_packed_files_are_left_to_spark(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q1 Q0 d 1 1 r\n"))
    (tmp_path / "run").write_bytes(b"q1 Q0 d 1 1 r\n")
    assert [*inputs.stretches(Files(tmp_path / "run", tmp_path / "run.gz"))] == []
    assert len([*inputs.stretches(Files(tmp_path / "run"))]) == 1
