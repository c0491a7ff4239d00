"""Grouping of lines by topic if topics are scattered in a file, in memory or on disk.

Tables are sorted by topic and stored column by column. The topics are then read in batches, in the
order of their first lines. Lines of a topic keep their order. The file on disk has no name: it
disappears with the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import IO, Any, TypeAlias

import numpy as np

from cranfield.arrays import Ints
from cranfield.data.parallel import map_in_order
from cranfield.data.reading.strings import ROOM, Numbering, Strings
from cranfield.data.reading.table import COLUMNS, Table
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError

Part: TypeAlias = Callable[[], Table]
Place: TypeAlias = Any  # position of a column: offset, type on disk, type; for strings,
# a pair of positions
MEMORY_LIMIT = 16 << 20  # bytes in memory: larger data are written to disk
BATCH_LINES = 1 << 19  # lines sorted and stored together
PART_LINES, MAX_PART_LINES = 1 << 17, 1 << 21  # of a part; a topic can have more
MAX_PARTS = 128  # each part reads from all batches: with more lines, parts grow


@contextmanager
def group_topics(
    parts: Iterator[Part], threads: int = 1, callback: Callable[[Table], None] | None = None
) -> Iterator[Iterator[Part]]:
    """Yield parts with complete topics, from parts with scattered topics.

    `callback` is called with each table that was read.

    >>> docs, topics = (Strings.from_list(x) for x in (["a", "b", "c"], ["q2", "q1", "q2"]))
    >>> table = Table.from_columns(docs, np.ones(3), topics)
    >>> with group_topics(iter([lambda: table])) as parts:
    ...     [(table.names, table.docs.tolist()) for table in map(_read, parts)]
    [(['q2', 'q1'], ['a', 'c', 'b'])]
    """
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(MEMORY_LIMIT) as file:
        store, waiting = _TopicStore(_ColumnFile(file)), list[Table]()
        for table in map_in_order(parts, _read, threads):
            waiting.append(table)
            if sum(map(len, waiting)) >= BATCH_LINES:
                store.store(Table.concatenate(waiting))
            if callback is not None:
                callback(table)
        if waiting:
            store.store(Table.concatenate(waiting))
        yield store.iter_parts()


def _read(part: Part) -> Table:
    return part()


@dataclass(frozen=True, eq=False)
class _ColumnFile:
    """A temporary file of columns that can be read by row."""

    file: IO[bytes]
    lock: Any = field(default_factory=Lock)

    def write(self, column: Any) -> Place:
        """Append an array or a column of strings, and return its position."""
        if isinstance(column, Strings):
            ends = np.append(0, np.cumsum(column.length))
            return self.write(ends), self.write(column.buffer[ROOM:-ROOM])
        begin, small = self.file.tell(), _compress(column)
        try:
            self.file.write(small.data)
        except OSError as error:
            raise _make_disk_error(error) from None
        return begin, small.dtype, column.dtype

    def read(self, place: Place, first: int, stop: int) -> Any:
        """Return the rows first..stop-1 of a column."""
        if isinstance(place[0], tuple):
            lengths, text = place
            ends = self.read(lengths, first, stop + 1)
            return Strings.from_bytes(self.read(text, ends[0], ends[-1]).tobytes(), np.diff(ends))
        begin, small, dtype = place
        with self.lock:
            self.file.seek(begin + int(first) * small.itemsize)
            read = self.file.read(int(stop - first) * small.itemsize)
        return np.frombuffer(read, dtype=small).astype(dtype, copy=False)


def _compress(column: Any) -> Any:
    """Convert a column to a type of half the size if this keeps all values: writing is slow."""
    half = {"i": np.uint32, "f": np.float32}.get(column.dtype.kind)
    if half is None:
        return column
    with np.errstate(over="ignore"):
        small = column.astype(half)
    return small if (small == column).all() else column


def _make_disk_error(error: OSError) -> CranfieldError:
    from tempfile import gettempdir

    problem = "cannot group lines by topic"
    reason = (error.strerror or str(error)).lower()
    return CranfieldError(f"{problem}: {reason} in {gettempdir()} (TMPDIR sets the directory)")


@dataclass(frozen=True, eq=False)
class _Batch:
    """A stored table, sorted by the numbers of its topics."""

    empty: Table  # the table without lines
    numbers: Place  # topic number of each group
    starts: Place  # first line of each group, and the number of lines
    groups: int
    columns: dict[str, Place]


@dataclass(eq=False)
class _TopicStore:
    """Stored tables and their topics."""

    file: _ColumnFile
    topics: Numbering = field(default_factory=Numbering)
    sizes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # lines of each
    batches: list[_Batch] = field(default_factory=list)

    def store(self, table: Table) -> None:
        """Store a table, sorted by topic number."""
        numbers = self.topics.number_strings(table.topics)
        table = table.group_by_topic(numbers).copy()
        numbers = np.flatnonzero(np.bincount(numbers))  # sorted, without duplicates
        new = np.zeros(len(self.topics.strings) - len(self.sizes), dtype=np.int64)
        self.sizes = np.concatenate([self.sizes, new])
        self.sizes[numbers] += table.sizes
        columns = {name: getattr(table, name) for name in COLUMNS if name != "hashes"}
        put = {name: self.file.write(x) for name, x in columns.items() if x is not None}
        starts = self.file.write(np.append(table.starts, len(table)))
        empty = table.slice_groups(0, 0).copy()
        self.batches.append(_Batch(empty, self.file.write(numbers), starts, len(numbers), put))

    def iter_parts(self) -> Iterator[Part]:
        """Yield parts with complete topics."""
        lines = min(max(PART_LINES, int(self.sizes.sum()) // MAX_PARTS), MAX_PART_LINES)
        part = (np.cumsum(self.sizes) - self.sizes) // lines  # part of each topic
        cuts = np.append(np.flatnonzero(np.diff(part, prepend=-1)), len(part))
        groups = [np.searchsorted(self.file.read(x.numbers, 0, x.groups), cuts) for x in self.batches]
        for bounds in pairwise(np.transpose(groups)):
            yield partial(self._read_part, *bounds)

    def _read_part(self, first: Sequence[int], stop: Sequence[int]) -> Table:
        """Read a range of groups of each batch: all lines of some topics."""
        selections = [
            selection for selection in zip(self.batches, first, stop, strict=True) if selection[1] < selection[2]
        ]
        numbers = np.concatenate([self.file.read(batch.numbers, *groups) for batch, *groups in selections])
        return Table.concatenate([self._read_lines(*selection) for selection in selections]).group_by_topic(numbers)

    def _read_lines(self, batch: _Batch, first: int, stop: int) -> Table:
        starts = self.file.read(batch.starts, first, stop + 1)
        rows = starts[[0, -1]]
        columns = {name: self.file.read(place, *rows) for name, place in batch.columns.items()}
        topics = self.topics.strings[self.file.read(batch.numbers, first, stop)]
        hashes, starts = columns["docs"].compute_hashes(), starts[:-1] - starts[0]
        return replace(batch.empty, topics=topics, starts=starts, hashes=hashes, **columns)
