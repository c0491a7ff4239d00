"""Lines of scattered topics, put together: in memory, or on disk where they are many.

Tables are sorted by topic and laid aside as they come, column by column. Topics are then taken up
again, a few at a time, in the order in which they first came, and their lines in their own order.
What is laid aside has no name on disk: whatever happens to the process, it is gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import pairwise
from threading import Lock
from typing import IO, Any, TypeAlias

import numpy as np

from cranfield.arrays import Ints
from cranfield.data.reading.parts import in_order
from cranfield.data.reading.strings import ROOM, Strings
from cranfield.data.reading.table import COLUMNS, Table
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError

Part: TypeAlias = Callable[[], Table]
Place: TypeAlias = Any  # where a column is: where it begins, and its type; of strings, two of these
HELD = 16 << 20  # bytes that are held in memory; if there are more, all go to disk
LINES, MOST_LINES = 1 << 17, 1 << 21  # of a part; one topic may have more
PARTS = 64  # each is taken out of every table, which takes its time: parts grow with the lines


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
        aside = _Aside(_Columns(file))
        for table in in_order(parts, _read, threads):
            aside.lay(table)
            if told is not None:
                told(table)
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
        begin = self.file.tell()
        try:
            self.file.write(column.data)
        except OSError as error:
            raise _no_room(error) from None
        return begin, column.dtype

    def get(self, place: Place, first: int, stop: int) -> Any:
        """The rows first..stop-1 of a column."""
        begin, of = place
        if isinstance(begin, tuple):
            ends = self.get(begin, first, stop + 1)
            return Strings.packed(self.get(of, ends[0], ends[-1]).tobytes(), np.diff(ends))
        with self.lock:
            self.file.seek(begin + int(first) * of.itemsize)
            return np.frombuffer(self.file.read(int(stop - first) * of.itemsize), dtype=of)


def _no_room(error: OSError) -> CranfieldError:
    from tempfile import gettempdir

    what = "cannot group lines whose topics are scattered"
    reason = (error.strerror or str(error)).lower()
    return CranfieldError(f"{what}: {reason} in {gettempdir()} (TMPDIR names another directory)")


@dataclass(frozen=True, eq=False)
class _Laid:
    """A table that was laid aside, sorted by the numbers of its topics."""

    empty: Table  # it, without its lines
    lines: int
    topics: Place  # the number of each line's topic
    columns: dict[str, Place]


@dataclass(eq=False)
class _Aside:
    """Tables that were laid aside, and the topics in them."""

    file: _Columns
    codes: dict[str, int] = field(default_factory=dict)  # the number of each topic
    sizes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # and its lines
    laid: list[_Laid] = field(default_factory=list)

    @cached_property
    def names(self) -> list[str]:
        """The topics in the order of their numbers, once all are known."""
        return list(self.codes)

    def lay(self, table: Table) -> None:
        """Lay a table aside, its lines in the order of the numbers of their topics."""
        for name in table.names:
            self.codes.setdefault(name, len(self.codes))
        table = table.grouped(self.codes).compact()
        topics = np.array([self.codes[name] for name in table.names], dtype=np.int64)
        new = np.zeros(len(self.codes) - len(self.sizes), dtype=np.int64)
        self.sizes = np.concatenate([self.sizes, new])
        self.sizes[topics] += table.sizes
        columns = {name: getattr(table, name) for name in COLUMNS}
        put = {name: self.file.put(x) for name, x in columns.items() if x is not None}
        every = self.file.put(np.repeat(topics, table.sizes))
        empty = replace(
            table.each(lambda column: column[:0].copy()), names=[], starts=np.zeros(0, np.int64)
        )
        self.laid.append(_Laid(empty, len(table), every, put))

    def parts(self) -> Iterator[Part]:
        """All lines, whole topics at a time."""
        lines = min(max(LINES, int(self.sizes.sum()) // PARTS), MOST_LINES)
        part = (np.cumsum(self.sizes) - self.sizes) // lines  # of each topic
        cuts = np.append(np.flatnonzero(np.diff(part, prepend=-1)), len(part))
        rows = [np.searchsorted(self._topics(one, 0, one.lines), cuts) for one in self.laid]
        for bounds in pairwise(np.transpose(rows)):
            yield partial(self._part, *bounds)

    def _topics(self, one: _Laid, first: int, stop: int) -> Ints:
        found: Ints = self.file.get(one.topics, first, stop)
        return found

    def _part(self, first: Sequence[int], stop: Sequence[int]) -> Table:
        """Some rows of each table, which are all lines of some topics."""
        few = zip(self.laid, first, stop, strict=True)
        return Table.joined([self._lines(*rows) for rows in few if rows[1] < rows[2]]).grouped()

    def _lines(self, one: _Laid, first: int, stop: int) -> Table:
        topics = self._topics(one, first, stop)
        starts = np.flatnonzero(np.diff(topics, prepend=-1))
        names = [self.names[code] for code in topics[starts].tolist()]
        columns = {name: self.file.get(place, first, stop) for name, place in one.columns.items()}
        return replace(one.empty, names=names, starts=starts, **columns)
