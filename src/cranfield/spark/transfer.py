"""Transfer of results between tasks and the driver.

A packed table is a row: a kind, a bucket, and an Arrow table as bytes, so that one pass can return
several kinds of tables. Rows with equal keys are in the same one of the `BUCKETS`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from cranfield.arrays import Words
from cranfield.data.reading.strings import Strings, expand_spans
from cranfield.data.reading.tables import to_strings
from cranfield.dataclass import dataclass
from cranfield.lazy_imports import pl

PACKED = "kind string, bucket int, packed binary"
BUCKETS = 256
BUFFER_ROWS = 1 << 20  # rows that are held before they are sent


def pack_table(kind: str, columns: Mapping[str, Any], bucket: int = 0) -> Any:
    """Return a table as a row with its kind."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    table = pa.table({name: _to_arrow(x) if isinstance(x, Strings) else x for name, x in columns.items()})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    packed = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    arrays = [pa.array([kind]), pa.array([bucket], pa.int32()), packed]
    return pa.RecordBatch.from_arrays(arrays, ["kind", "bucket", "packed"])


def pack_by_key(kind: str, keys: Words, columns: Mapping[str, Any]) -> Iterator[Any]:
    """Yield packed tables, with rows of equal keys in the same bucket."""
    bucket = keys >> np.uint64(64 - BUCKETS.bit_length() + 1)
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(BUCKETS + 1))
    for number in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[number] : bounds[number + 1]]
        yield pack_table(kind, {name: column[rows] for name, column in columns.items()}, number)


def unpack_tables(rows: Iterable[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the kind, the table and the row of each packed table in batches."""
    import pyarrow as pa

    for batch in rows:
        columns = batch.column("kind").to_pylist(), batch.column("packed")
        for i, (kind, packed) in enumerate(zip(*columns, strict=True)):
            yield kind, pa.ipc.open_stream(packed.as_buffer()).read_all(), batch.slice(i, 1)


def merge_tables(rows: Any) -> dict[str, Any]:
    """Return the packed tables, concatenated by kind."""
    import pyarrow as pa

    tables_by_kind: dict[str, list[Any]] = {}
    for kind, table, _ in unpack_tables(rows.to_batches()):
        tables_by_kind.setdefault(kind, []).append(table)
    return {kind: pa.concat_tables(tables) for kind, tables in tables_by_kind.items()}


@dataclass
class Buffer:
    """Rows of a kind that wait to be sent together: by their keys, if they have some."""

    kind: str
    parts: list[dict[str, Any]] = field(default_factory=list)
    rows: int = 0

    def add(self, columns: dict[str, Any]) -> Iterator[Any]:
        """Add rows; flush all if there are many."""
        self.parts.append(columns)
        self.rows += len(next(iter(columns.values())))
        if self.rows >= BUFFER_ROWS:
            yield from self.flush()

    def flush(self) -> Iterator[Any]:
        """Yield all rows as packed tables."""
        if not self.rows:
            return
        columns = {name: _concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        self.parts.clear()
        self.rows = 0
        if "key" in columns:
            yield from pack_by_key(self.kind, columns["key"], columns)
        else:
            yield pack_table(self.kind, columns, get_partition())


def _concatenate(columns: list[Any]) -> Any:
    return Strings.concatenate(columns) if isinstance(columns[0], Strings) else np.concatenate(columns)


def get_partition() -> int:
    """Return the number of the partition of this task."""
    if "pyspark" not in sys.modules:
        return 0
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _to_arrow(column: Strings) -> Any:
    """Strings as Arrow has them."""
    import pyarrow as pa

    ends = np.concatenate(([0], np.cumsum(column.length)))
    text = column.buffer[expand_spans(column.start, column.length)]
    buffers = pa.py_buffer(ends), pa.py_buffer(text)
    return pa.LargeStringArray.from_buffers(len(column), *buffers)


def from_arrow(column: Any) -> Strings:
    """Strings that were sent."""
    return to_strings(pl.Series(pl.from_arrow(column)))
