"""Runs larger than memory: what is held does not grow with the lines that are read."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.data.reading import grouping, tables
from cranfield.data.reading.source import Source

QRELS = {"3": {"d7": 1, "d599": 2}}
DEPTH = 600
LEAST = 32 * 40 * DEPTH  # bytes of 40 lists, as places, lengths, hashes and scores


def write(path: Path, form: str, topics: int) -> Path:
    """A run of so many lists, in one of the forms."""
    rows = [(str(t), f"d{(rank * 7) % DEPTH}", DEPTH - rank) for t in range(topics) for rank in range(DEPTH)]
    if form == "scattered":
        rows.sort(key=lambda row: -row[2])
    made = path / f"{form}-{topics}"
    if form.startswith("parquet"):
        group = len(rows) if form == "parquet in one group" else 5000
        frame = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
        frame.write_parquet(made, row_group_size=group)
        return made
    text = "".join(f"{t} Q0 {doc} 1 {score} r\n" for t, doc, score in rows).encode()
    made.write_bytes(gzip.compress(text, 1) if form == "gz" else text)
    return made


def _whole(source: Source) -> bytes:
    raise AssertionError("the whole file is asked for")


def peak(path: Path) -> int:
    """The most that Python and NumPy held at a time, in bytes."""
    tracemalloc.start()
    try:
        scores = cf.evaluate(QRELS, path, "RR", threads=1, run_names="file")
        assert scores[str(path), "3", "RR"] == 1 / 2  # d7 is the second
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", ["text", "gz", "scattered", "parquet in many groups", "parquet in one group"])
def test_three_times_the_lines_take_no_more_memory(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (1 << 15,))
    monkeypatch.setattr(tables, "PART", 1500)
    monkeypatch.setattr(grouping, "BATCH_LINES", 1500)
    monkeypatch.setattr(grouping, "PART_LINES", 1500)
    monkeypatch.setattr(grouping, "MEMORY_LIMIT", 1)
    few, many = (write(tmp_path, form, topics) for topics in (20, 60))
    peak(few)  # what is imported, and kept for the next
    with monkeypatch.context() as patch:
        patch.setattr(Source, "read", _whole)
        assert peak(many) - peak(few) < LEAST / 2
