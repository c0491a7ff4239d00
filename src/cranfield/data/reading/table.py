"""`Table`: some lines of judgments or results, as columns."""

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
)  # a cell for each line


class PartRead(str):
    """The name of a run, of which more lines were read, out of so many bytes of its file.

    >>> part = PartRead("bm25", 1000, 42_000)
    >>> part, part.lines, part.taken
    ('bm25', 1000, 42000)
    """

    lines: int
    bytes_read: int

    def __new__(cls, name: str, lines: int, bytes_read: int) -> Self:
        part = super().__new__(cls, name)
        part.lines, part.bytes_read = lines, bytes_read
        return part


class Irregular(ValueError):
    """What is read is not in order; whoever reads it record by record finds where.

    Its arguments, if any, are the problem and what was expected. Threads raise it, and whoever
    waits for them reads the file once more, not each of them.
    """


@dataclass(frozen=True, eq=False)
class Table:
    """Lines in the order of their file, adjacent lines of a topic taken together."""

    topics: Strings  # the topic of each group of adjacent lines
    starts: Ints  # and its first row
    docs: Strings
    hashes: Words  # of the documents
    values: Floats  # levels, or what documents are ranked by
    ranks: Floats | None = None
    tag: str | None = None  # of the first line
    scored: bool = True  # False where there were no values to read
    types: Strings | None = None  # of results, or the intents of judgments, where asked for
    doubts: str = ""  # which columns were taken, where others could be meant
    tags: Strings | None = None  # of all lines, where they are not all the same
    lines: Ints | None = None  # their numbers, for whoever wants to tell of them
    strata: Floats | None = None  # what judgments were sampled from
    bytes_read: int = 0  # bytes of the file that was read for them

    @classmethod
    def from_columns(cls, docs: Strings, values: Floats, topics: Strings | None = None) -> Table:
        """A table of columns, in one group if there are no topics."""
        starts = np.zeros(1, dtype=np.int64) if topics is None else topics.find_changes()
        group_names = Strings.from_list([""]) if topics is None else topics[starts]
        return cls(group_names, starts, docs, docs.compute_hashes(), values)

    def __len__(self) -> int:
        return len(self.docs)

    @cached_property
    def names(self) -> list[str]:
        """The topics as Python strings, of which there may be as many as lines."""
        return self.topics.tolist()

    @property
    def sizes(self) -> Ints:
        """The number of lines of each group."""
        return np.diff(self.starts, append=len(self.docs))

    def iter_bounds(self) -> Iterator[tuple[int, int]]:
        """First and last row (exclusive) of each group."""
        return pairwise([*self.starts.tolist(), len(self.docs)])

    @cached_property
    def group(self) -> Ints:
        """The group of each line."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def _select_lines(self, rows: Any, topics: Strings, starts: Ints) -> Table:
        return replace(self.map_columns(lambda column: column[rows]), topics=topics, starts=starts)

    def map_columns(self, change: Callable[[Any], Any]) -> Table:
        """This table with every column changed that there is."""
        columns = ((name, getattr(self, name)) for name in COLUMNS)
        return replace(self, **{name: change(x) for name, x in columns if x is not None})

    def slice_groups(self, first: int, stop: int) -> Table:
        """The groups first..stop-1."""
        rows = np.append(self.starts, len(self.docs))[[first, stop]]
        starts = self.starts[first:stop] - rows[0]
        return self._select_lines(slice(*rows.tolist()), self.topics[first:stop], starts)

    def select_lines(self, mask: Bools) -> Table:
        """Only some of the lines."""
        group = self.group[mask]
        groups = np.unique(group)
        return self._select_lines(mask, self.topics[groups], np.searchsorted(group, groups))

    def split_by_tag(self) -> Iterator[Table]:
        """The lines of each tag, in the order of the first of each."""
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
        """The lines in another order, each within its group."""
        return self._select_lines(rows, self.topics, self.starts)

    def group_by_topic(self, number: Ints | None = None) -> Table:
        """All lines of a topic together, in their order; topics as they come, or by number."""
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
        """This table, without holding on to the text it was read from."""
        return replace(self.map_columns(lambda column: column.copy()), topics=self.topics.copy())

    @staticmethod
    def concatenate(parts: list[Table]) -> Table:
        """Tables one after the other. Empties the list, so that no column is kept twice."""
        if len(parts) == 1:
            return parts.pop()
        offsets = np.cumsum([0, *map(len, parts[:-1])])
        topics = Strings.concatenate([p.topics.copy() for p in parts])
        starts = np.concatenate([p.starts + b for p, b in zip(parts, offsets, strict=True)])
        first = next((p for p in parts if len(p)), parts[0])  # there may be comments before it
        tag, scored = first.tag, first.scored
        columns = {name: [getattr(p, name) for p in parts] for name in COLUMNS}
        parts.clear()
        merged = {name: _concatenate(column) for name, column in columns.items()}
        return Table(topics, starts, tag=tag, scored=scored, **merged)

    def find_duplicate(self) -> tuple[str, str] | None:
        """A topic and a document that occurs twice in it: told by hashes, then made certain."""
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
        """The row of each of some documents within groups of this table, -1 where it has none.

        >>> from cranfield.data.reading.strings import Strings
        >>> docs, two = Strings.of(["a", "b", "a"]), np.array([0, 2])
        >>> table = Table(Strings.of(["q1", "q2"]), two, docs, docs.hashes(), np.zeros(3))
        >>> table.find(docs, docs.hashes(), np.array([1, 1, 0])).tolist()
        [2, -1, 0]
        """
        keys, order = self._by_hash
        sought = hash_in_groups(hashes, group)
        rows = np.full(len(docs), -1, dtype=np.int64)
        place = np.searchsorted(keys, sought)
        remaining = np.arange(len(docs))
        while len(remaining):  # more than once only where two documents have the same hash
            remaining = remaining[place[remaining] < len(keys)]
            remaining = remaining[keys[place[remaining]] == sought[remaining]]
            row = order[place[remaining]]
            is_match = docs[remaining].compare(self.docs[row]) & (
                group[remaining] == self.group[row]
            )
            rows[remaining[is_match]] = row[is_match]
            remaining = remaining[~is_match]
            place[remaining] += 1
        return rows


def iter_whole_topics(tables: Iterable[Table]) -> Iterator[Table]:
    """Table after table, the last topic of each with the next one, where it may go on."""
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
    """What is known of documents, and noted for every one that a run returns."""

    @property
    def values(self) -> Mapping[str, Floats]:
        """What is known, by unit."""

    def rows(self, lines: Table) -> Ints:
        """The row of `values` for each of some lines of a run, -1 where nothing is known."""


def list_unknown_types(document_values: DocumentValues, tables: Iterable[Table]) -> list[str]:
    """The types of results of which nothing is known."""
    types: dict[str, None] = {}
    for table in tables:
        if table.types is not None:
            types.update(dict.fromkeys(table.types[document_values.rows(table) < 0].tolist()))
    return list(types)


def _concatenate(columns: list[Any]) -> Any:
    """Columns one after the other, none if one of them is missing. Empties the list."""
    if any(column is None for column in columns):
        return None
    strings = isinstance(columns[0], Strings)
    result = Strings.concatenate(columns) if strings else np.concatenate(columns)
    columns.clear()
    return result


def hash_in_groups(hashes: Words, group: Ints) -> Words:
    """Hashes of documents within groups of lines."""
    keys = group.astype(np.uint64)
    keys += np.uint64(1)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    keys ^= hashes
    return keys
