"""Parcels: how what tasks find goes back, or on to other tasks.

A parcel is a row: a kind, a bucket, and an Arrow table as bytes, so that one pass over the rows may
find several kinds of things. What may be the same comes together in one of the `BUCKETS`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from cranfield.arrays import Words
from cranfield.data.reading.strings import Strings, spans
from cranfield.data.reading.tables import strings_of
from cranfield.dataclass import dataclass
from cranfield.late import pl

PARCELS = "kind string, bucket int, parcel binary"
BUCKETS = 256
HELD = 1 << 20  # rows that are held before they are sent


def parcel(kind: str, columns: Mapping[str, Any], bucket: int = 0) -> Any:
    """A table as a row of what a pass finds."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    table = pa.table(
        {name: _texts(x) if isinstance(x, Strings) else x for name, x in columns.items()}
    )
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    packed = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    made = [pa.array([kind]), pa.array([bucket], pa.int32()), packed]
    return pa.RecordBatch.from_arrays(made, ["kind", "bucket", "parcel"])


def in_buckets(kind: str, keys: Words, columns: Mapping[str, Any]) -> Iterator[Any]:
    """Rows as parcels, those of equal keys in the same bucket."""
    bucket = keys >> np.uint64(64 - BUCKETS.bit_length() + 1)
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(BUCKETS + 1))
    for number in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[number] : bounds[number + 1]]
        yield parcel(kind, {name: column[rows] for name, column in columns.items()}, number)


def opened(rows: Iterable[Any]) -> Iterator[tuple[str, Any, Any]]:
    """The kind of each parcel in some batches, its table, and the row that it is."""
    import pyarrow as pa

    for batch in rows:
        columns = batch.column("kind").to_pylist(), batch.column("parcel")
        for i, (kind, packed) in enumerate(zip(*columns, strict=True)):
            yield kind, pa.ipc.open_stream(packed.as_buffer()).read_all(), batch.slice(i, 1)


def unpacked(rows: Any) -> dict[str, Any]:
    """The tables in some parcels, those of each kind put together."""
    import pyarrow as pa

    found: dict[str, list[Any]] = {}
    for kind, table, _ in opened(rows.to_batches()):
        found.setdefault(kind, []).append(table)
    return {kind: pa.concat_tables(tables) for kind, tables in found.items()}


@dataclass
class Held:
    """Rows of a kind that wait to be sent together: by their keys, if they have some."""

    kind: str
    parts: list[dict[str, Any]] = field(default_factory=list)
    rows: int = 0

    def add(self, columns: dict[str, Any]) -> Iterator[Any]:
        """Take some rows; all are sent if they are many."""
        self.parts.append(columns)
        self.rows += len(next(iter(columns.values())))
        if self.rows >= HELD:
            yield from self.sent()

    def sent(self) -> Iterator[Any]:
        """All that wait, as parcels."""
        if not self.rows:
            return
        columns = {name: _joined([part[name] for part in self.parts]) for name in self.parts[0]}
        self.parts.clear()
        self.rows = 0
        if "key" in columns:
            yield from in_buckets(self.kind, columns["key"], columns)
        else:
            yield parcel(self.kind, columns, partition())


def _joined(columns: list[Any]) -> Any:
    return Strings.joined(columns) if isinstance(columns[0], Strings) else np.concatenate(columns)


def partition() -> int:
    """The number of the partition that this task works on."""
    if "pyspark" not in sys.modules:
        return 0
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _texts(column: Strings) -> Any:
    """Strings as Arrow has them."""
    import pyarrow as pa

    ends = np.concatenate(([0], np.cumsum(column.length)))
    text = column.buffer[spans(column.start, column.length)]
    buffers = pa.py_buffer(ends), pa.py_buffer(text)
    return pa.LargeStringArray.from_buffers(len(column), *buffers)


def texts(column: Any) -> Strings:
    """Strings that were sent."""
    return strings_of(pl.Series(pl.from_arrow(column)))
