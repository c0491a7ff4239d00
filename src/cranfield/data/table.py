"""`Table`: some lines of judgments or results, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cranfield.data.strings import Bools, Floats, Ints, Strings, Words


@dataclass(frozen=True, eq=False)
class Table:
    """Lines in the order of their file, adjacent lines of a topic taken together."""

    names: list[str]  # the topic of each group of adjacent lines
    starts: Ints  # and its first row
    docs: Strings
    values: Floats  # levels, or what documents are ranked by
    ranks: Floats | None = None
    tag: str | None = None  # of the first line
    scored: bool = True  # False where there were no values to read

    def __len__(self) -> int:
        return len(self.docs)

    @property
    def sizes(self) -> Ints:
        """The number of lines of each group."""
        return np.diff(self.starts, append=len(self.docs))

    def groups(self, first: int, stop: int) -> Table:
        """The groups first..stop-1."""
        ends = [*self.starts.tolist(), len(self.docs)]
        rows = slice(ends[first], ends[stop])
        return Table(
            self.names[first:stop],
            self.starts[first:stop] - ends[first],
            self.docs[rows],
            self.values[rows],
            None if self.ranks is None else self.ranks[rows],
            self.tag,
        )

    def where(self, kept: Bools) -> Table:
        """Only some of the lines."""
        group = np.repeat(np.arange(len(self.names)), self.sizes)[kept]
        left = np.unique(group)
        return Table(
            [self.names[g] for g in left.tolist()],
            np.searchsorted(group, left),
            self.docs[kept],
            self.values[kept],
            None if self.ranks is None else self.ranks[kept],
            self.tag,
        )

    def compact(self) -> Table:
        """The same, without holding on to the text it was read from."""
        ranks = None if self.ranks is None else self.ranks.copy()
        return replace(self, docs=self.docs.compact(), values=self.values.copy(), ranks=ranks)

    @staticmethod
    def joined(parts: Sequence[Table]) -> Table:
        """Tables one after the other."""
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *map(len, parts[:-1])])
        ranks = [p.ranks for p in parts if p.ranks is not None]
        return Table(
            [name for p in parts for name in p.names],
            np.concatenate([p.starts + b for p, b in zip(parts, before, strict=True)]),
            Strings.joined([p.docs for p in parts]),
            np.concatenate([p.values for p in parts]),
            np.concatenate(ranks) if len(ranks) == len(parts) else None,
            parts[0].tag,
        )

    def grouped(self) -> Table:
        """All lines of a topic together, topics and lines otherwise in their order."""
        code = {name: i for i, name in enumerate(dict.fromkeys(self.names))}
        if len(code) == len(self.names):
            return self
        topic = np.repeat([code[name] for name in self.names], self.sizes)
        order = np.argsort(topic, kind="stable")
        return Table(
            list(code),
            np.searchsorted(topic[order], np.arange(len(code))),
            self.docs[order],
            self.values[order],
            None if self.ranks is None else self.ranks[order],
            self.tag,
        )


def repeats(docs: Strings, hashes: Words, group: Ints) -> bool:
    """Whether a document occurs twice in a group (certain, though told by hashes at first)."""
    keys = in_group(hashes, group)
    ordered = np.sort(keys)
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return False
    rows = np.flatnonzero(np.isin(keys, ordered[1:][same]))
    pairs = list(zip(group[rows].tolist(), docs[rows].tolist(), strict=True))
    return len(set(pairs)) < len(pairs)


def in_group(hashes: Words, group: Ints) -> Words:
    """Hashes of documents within groups of lines."""
    return hashes ^ (group.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
