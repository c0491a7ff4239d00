"""`Table`: lines of judgments or runs as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, Self

import numpy as np

from cranfield.arrays import Bools, Floats, Ints, Words
from cranfield.data.reading.strings import Numbering, Strings, expand_spans
from cranfield.dataclass import dataclass

COLUMNS = (
    "docs",
    "hashes",
    "values",
    "ranks",
    "types",
    "strata",
    "tags",
    "lines",
)  # one cell per line


class PartRead(str):
    """Name of a run, with the number of lines and bytes read since the last report.

    >>> part = PartRead("bm25", 1000, 42_000)
    >>> part, part.lines, part.bytes_read
    ('bm25', 1000, 42000)
    """

    lines: int
    bytes_read: int

    def __new__(cls, name: str, lines: int, bytes_read: int) -> Self:
        part = super().__new__(cls, name)
        part.lines, part.bytes_read = lines, bytes_read
        return part


class Irregular(ValueError):
    """Error for data with problems that readers of columns do not locate.

    Its arguments, if any, are the problem and the expected value. The caller reads the data again
    as records, once for all threads.
    """


@dataclass(frozen=True, eq=False)
class Table:
    """Lines in file order, with adjacent lines of a topic as a group."""

    topics: Strings  # topic of each group
    starts: Ints  # first row of each group
    docs: Strings
    hashes: Words  # of documents
    values: Floats  # levels or scores
    ranks: Floats | None = None
    tag: str | None = None  # tag of the first line
    scored: bool = True  # False if the file has no values
    types: Strings | None = None  # element types or intents, if requested
    doubts: str = ""  # description of ambiguous columns
    tags: Strings | None = None  # of all lines, if they differ
    lines: Ints | None = None  # line numbers, if requested
    strata: Floats | None = None  # of sampled judgments
    bytes_read: int = 0  # bytes of the file read for this table

    @classmethod
    def from_columns(cls, docs: Strings, values: Floats, topics: Strings | None = None) -> Table:
        """Create a table from columns; without topics, it has one group."""
        starts = np.zeros(1, dtype=np.int64) if topics is None else topics.find_changes()
        group_names = Strings.from_list([""]) if topics is None else topics[starts]
        return cls(group_names, starts, docs, docs.compute_hashes(), values)

    def __len__(self) -> int:
        return len(self.docs)

    @cached_property
    def names(self) -> list[str]:
        """The topics of the groups as Python strings."""
        return self.topics.tolist()

    @property
    def sizes(self) -> Ints:
        """The number of lines of each group."""
        return np.diff(self.starts, append=len(self.docs))

    def iter_bounds(self) -> Iterator[tuple[int, int]]:
        """Yield first row and last row (exclusive) of each group."""
        return pairwise([*self.starts.tolist(), len(self.docs)])

    @cached_property
    def group(self) -> Ints:
        """The group of each line."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def _select_lines(self, rows: Any, topics: Strings, starts: Ints) -> Table:
        return replace(self.map_columns(lambda column: column[rows]), topics=topics, starts=starts)

    def map_columns(self, change: Callable[[Any], Any]) -> Table:
        """Return the table with a function applied to each column."""
        columns = ((name, getattr(self, name)) for name in COLUMNS)
        return replace(self, **{name: change(x) for name, x in columns if x is not None})

    def slice_groups(self, first: int, stop: int) -> Table:
        """Return the groups first..stop-1."""
        rows = np.append(self.starts, len(self.docs))[[first, stop]]
        starts = self.starts[first:stop] - rows[0]
        return self._select_lines(slice(*rows.tolist()), self.topics[first:stop], starts)

    def select_lines(self, mask: Bools) -> Table:
        """Return the lines selected by a mask."""
        group = self.group[mask]
        groups = np.unique(group)
        return self._select_lines(mask, self.topics[groups], np.searchsorted(group, groups))

    def split_by_tag(self) -> Iterator[Table]:
        """Yield a table for each tag, in the order of first lines."""
        if self.tags is None:
            yield self
            return
        starts = self.tags.find_changes()
        names = self.tags[starts].tolist()
        code = {name: i for i, name in enumerate(dict.fromkeys(names))}
        sizes = np.diff(starts, append=len(self))
        tag = np.repeat([code[name] for name in names], sizes)
        for name, i in code.items():
            yield replace(self.select_lines(tag == i), tag=name, tags=None)

    def reorder(self, rows: Ints) -> Table:
        """Return the lines in another order within their groups."""
        return self._select_lines(rows, self.topics, self.starts)

    def group_by_topic(self, number: Ints | None = None) -> Table:
        """Return a table with one group per topic, in order of first lines, or by number."""
        if number is None:
            number = Numbering().number_strings(self.topics)
        if (number[1:] > number[:-1]).all():
            return self
        order = np.argsort(number, kind="stable")
        sizes = self.sizes[order]
        first = np.flatnonzero(np.diff(number[order], prepend=-1))
        starts = (np.cumsum(sizes) - sizes)[first]
        rows = expand_spans(self.starts[order], sizes)
        return self._select_lines(rows, self.topics[order[first]], starts)

    def copy(self) -> Table:
        """Return a copy without references to the text of the file."""
        return replace(self.map_columns(lambda column: column.copy()), topics=self.topics.copy())

    @staticmethod
    def concatenate(parts: list[Table]) -> Table:
        """Concatenate tables. Empties the list to save memory."""
        if len(parts) == 1:
            return parts.pop()
        offsets = np.cumsum([0, *map(len, parts[:-1])])
        topics = Strings.concatenate([p.topics.copy() for p in parts])
        starts = np.concatenate([p.starts + b for p, b in zip(parts, offsets, strict=True)])
        first = next((p for p in parts if len(p)), parts[0])  # comments can precede it
        tag, scored = first.tag, first.scored
        doubts = "; ".join(dict.fromkeys(filter(None, (p.doubts for p in parts))))
        columns = {name: [getattr(p, name) for p in parts] for name in COLUMNS}
        parts.clear()
        merged = {name: _concatenate(column) for name, column in columns.items()}
        return Table(topics, starts, tag=tag, scored=scored, doubts=doubts, **merged)

    def find_duplicate(self) -> tuple[str, str] | None:
        """Return topic and document of the first duplicate, or None. Hashes are verified."""
        group = self.group
        keys = hash_in_groups(self.hashes, group)
        ordered = np.sort(keys)
        is_repeat = ordered[1:] == ordered[:-1]
        if not is_repeat.any():
            return None
        rows = np.flatnonzero(np.isin(keys, ordered[1:][is_repeat]))
        pairs = set()
        for pair in zip(group[rows].tolist(), self.docs[rows].tolist(), strict=True):
            if pair in pairs:
                return self.names[pair[0]], pair[1]
            pairs.add(pair)
        return None

    @cached_property
    def _by_hash(self) -> tuple[Words, Ints]:
        keys = hash_in_groups(self.hashes, self.group)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def find(self, docs: Strings, hashes: Words, group: Ints) -> Ints:
        """Return the rows of documents within groups of this table, -1 if missing.

        >>> from cranfield.data.reading.strings import Strings
        >>> docs, two = Strings.from_list(["a", "b", "a"]), np.array([0, 2])
        >>> topics, hashes = Strings.from_list(["q1", "q2"]), docs.compute_hashes()
        >>> table = Table(topics, two, docs, hashes, np.zeros(3))
        >>> table.find(docs, hashes, np.array([1, 1, 0])).tolist()
        [2, -1, 0]
        """
        keys, order = self._by_hash
        sought = hash_in_groups(hashes, group)
        rows = np.full(len(docs), -1, dtype=np.int64)
        place = np.searchsorted(keys, sought)
        remaining = np.arange(len(docs))
        while len(remaining):  # repeats only after hash collisions
            remaining = remaining[place[remaining] < len(keys)]
            remaining = remaining[keys[place[remaining]] == sought[remaining]]
            row = order[place[remaining]]
            is_match = docs[remaining].compare(self.docs[row]) & (group[remaining] == self.group[row])
            rows[remaining[is_match]] = row[is_match]
            remaining = remaining[~is_match]
            place[remaining] += 1
        return rows


def iter_whole_topics(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables of complete topics: the last topic of a table can continue in the next."""
    waiting: list[Table] = []
    for table in tables:
        waiting.append(table)
        if len({*waiting[0].names, *waiting[-1].names}) > 1:
            merged = Table.concatenate(waiting).group_by_topic()
            last = len(merged.starts) - 1
            yield merged.slice_groups(0, last)
            waiting = [merged.slice_groups(last, last + 1).copy()]
    if waiting:
        yield Table.concatenate(waiting).group_by_topic()


class DocumentValues(Protocol):
    """Values of documents, such as costs, looked up for each document of a run."""

    @property
    def values(self) -> Mapping[str, Floats]:
        """The values by unit."""

    def rows(self, lines: Table) -> Ints:
        """Return the row of `values` for each line of a run, -1 if unknown."""


def list_unknown_types(document_values: DocumentValues, tables: Iterable[Table]) -> list[str]:
    """Return the element types without values."""
    types: dict[str, None] = {}
    for table in tables:
        if table.types is not None:
            types.update(dict.fromkeys(table.types[document_values.rows(table) < 0].tolist()))
    return list(types)


def _concatenate(columns: list[Any]) -> Any:
    """Concatenate columns, or return None if one is missing. Empties the list."""
    if any(column is None for column in columns):
        return None
    strings = isinstance(columns[0], Strings)
    result = Strings.concatenate(columns) if strings else np.concatenate(columns)
    columns.clear()
    return result


def hash_in_groups(hashes: Words, group: Ints) -> Words:
    """Return hashes of pairs of document and group."""
    keys = group.astype(np.uint64)
    keys += np.uint64(1)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    keys ^= hashes
    return keys
