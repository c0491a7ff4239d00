"""Lines of scattered topics, put together: in memory, or on disk where they are many.

Tables are sorted by topic and laid aside as they come, column by column. Topics are then taken up
again, a few at a time, in the order in which they first came, and their lines in their own order.
What is laid aside has no name on disk: whatever happens to the process, it is gone with it.
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
from cranfield.data.reading.parts import in_order
from cranfield.data.reading.strings import ROOM, Numbering, Strings
from cranfield.data.reading.table import COLUMNS, Table
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError

Part: TypeAlias = Callable[[], Table]
Place: TypeAlias = Any  # where a column is: where it begins, its type on disk, and its own; of
# strings, two of these
HELD = 16 << 20  # bytes that are held in memory; if there are more, all go to disk
LAID = 1 << 19  # lines that are sorted and laid aside at a time
LINES, MOST_LINES = 1 << 17, 1 << 21  # of a part; one topic may have more
PARTS = 128  # each is taken out of all that was laid, which takes its time: so parts grow


@contextmanager
def grouped(
    parts: Iterator[Part], threads: int = 1, told: Callable[[Table], None] | None = None
) -> Iterator[Iterator[Part]]:
    """Parts that hold whole topics, made of others in which these are scattered.

    Somebody may be `told` of each table that was read.

    >>> table = Table.of(Strings.of(["a", "b", "c"]), np.ones(3), Strings.of(["q2", "q1", "q2"]))
    >>> with grouped(iter([lambda: table])) as parts:
    ...     [(made.names, made.docs.tolist()) for made in map(_read, parts)]
    [(['q2', 'q1'], ['a', 'c', 'b'])]
    """
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(HELD) as file:
        aside, waiting = _Aside(_Columns(file)), list[Table]()
        for table in in_order(parts, _read, threads):
            waiting.append(table)
            if sum(map(len, waiting)) >= LAID:
                aside.lay(Table.joined(waiting))
            if told is not None:
                told(table)
        if waiting:
            aside.lay(Table.joined(waiting))
        yield aside.parts()


def _read(part: Part) -> Table:
    return part()


@dataclass(frozen=True, eq=False)
class _Columns:
    """A file of columns, of which some rows can be had again."""

    file: IO[bytes]
    lock: Any = field(default_factory=Lock)

    def put(self, column: Any) -> Place:
        """Write an array, or strings that are compact, at the end."""
        if isinstance(column, Strings):
            ends = np.append(0, np.cumsum(column.length))
            return self.put(ends), self.put(column.buffer[ROOM:-ROOM])
        begin, small = self.file.tell(), _small(column)
        try:
            self.file.write(small.data)
        except OSError as error:
            raise _no_room(error) from None
        return begin, small.dtype, column.dtype

    def get(self, place: Place, first: int, stop: int) -> Any:
        """The rows first..stop-1 of a column."""
        if isinstance(place[0], tuple):
            lengths, text = place
            ends = self.get(lengths, first, stop + 1)
            return Strings.packed(self.get(text, ends[0], ends[-1]).tobytes(), np.diff(ends))
        begin, small, own = place
        with self.lock:
            self.file.seek(begin + int(first) * small.itemsize)
            read = self.file.read(int(stop - first) * small.itemsize)
        return np.frombuffer(read, dtype=small).astype(own, copy=False)


def _small(column: Any) -> Any:
    """The same numbers in half of their bytes, if they are the same: what is written takes time."""
    half = {"i": np.uint32, "f": np.float32}.get(column.dtype.kind)
    if half is None:
        return column
    with np.errstate(over="ignore"):
        small = column.astype(half)
    return small if (small == column).all() else column


def _no_room(error: OSError) -> CranfieldError:
    from tempfile import gettempdir

    what = "cannot group lines whose topics are scattered"
    reason = (error.strerror or str(error)).lower()
    return CranfieldError(f"{what}: {reason} in {gettempdir()} (TMPDIR names another directory)")


@dataclass(frozen=True, eq=False)
class _Laid:
    """A table that was laid aside, sorted by the numbers of its topics."""

    empty: Table  # it, without its lines
    numbers: Place  # of the topic of each group
    starts: Place  # the first line of each group, and where the last ends
    groups: int
    columns: dict[str, Place]


@dataclass(eq=False)
class _Aside:
    """Tables that were laid aside, and the topics in them."""

    file: _Columns
    topics: Numbering = field(default_factory=Numbering)
    sizes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # lines of each
    laid: list[_Laid] = field(default_factory=list)

    def lay(self, table: Table) -> None:
        """Lay a table aside, its lines in the order of the numbers of their topics."""
        numbers = self.topics.of(table.topics)
        table = table.grouped(numbers).compact()
        numbers = np.flatnonzero(np.bincount(numbers))  # each once, rising
        new = np.zeros(len(self.topics.known) - len(self.sizes), dtype=np.int64)
        self.sizes = np.concatenate([self.sizes, new])
        self.sizes[numbers] += table.sizes
        columns = {name: getattr(table, name) for name in COLUMNS if name != "hashes"}
        put = {name: self.file.put(x) for name, x in columns.items() if x is not None}
        starts = self.file.put(np.append(table.starts, len(table)))
        empty = table.groups(0, 0).compact()
        self.laid.append(_Laid(empty, self.file.put(numbers), starts, len(numbers), put))

    def parts(self) -> Iterator[Part]:
        """All lines, whole topics at a time."""
        lines = min(max(LINES, int(self.sizes.sum()) // PARTS), MOST_LINES)
        part = (np.cumsum(self.sizes) - self.sizes) // lines  # of each topic
        cuts = np.append(np.flatnonzero(np.diff(part, prepend=-1)), len(part))
        groups = [np.searchsorted(self.file.get(x.numbers, 0, x.groups), cuts) for x in self.laid]
        for bounds in pairwise(np.transpose(groups)):
            yield partial(self._part, *bounds)

    def _part(self, first: Sequence[int], stop: Sequence[int]) -> Table:
        """Some groups of each table, which are all lines of some topics."""
        few = [some for some in zip(self.laid, first, stop, strict=True) if some[1] < some[2]]
        numbers = np.concatenate([self.file.get(one.numbers, *groups) for one, *groups in few])
        return Table.joined([self._lines(*some) for some in few]).grouped(numbers)

    def _lines(self, one: _Laid, first: int, stop: int) -> Table:
        starts = self.file.get(one.starts, first, stop + 1)
        rows = starts[[0, -1]]
        columns = {name: self.file.get(place, *rows) for name, place in one.columns.items()}
        topics = self.topics.known[self.file.get(one.numbers, first, stop)]
        hashes, starts = columns["docs"].hashes(), starts[:-1] - starts[0]
        return replace(one.empty, topics=topics, starts=starts, hashes=hashes, **columns)
