"""Ranks from counts: ranks of judged documents in lists that no worker has completely.

The retrieved judged documents, the *hits*, divide a list into bins. Each worker counts its rows in
each bin, and cumulated sums of the counts are the ranks. Only counts are transferred, and no list
has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading.strings import Strings, expand_spans
from cranfield.dataclass import dataclass
from cranfield.labelling.gold import GoldStandard


@dataclass(frozen=True, eq=False)
class Hits:
    """The judged documents in some lists, list by list, from the top.

    Hits of one list with equal values are a group. A group of m hits has m + 2 bins: rows with
    higher values (below the group before), m bins of rows with its value, each up to one hit, and
    rows after the last hit.
    """

    lists: Ints  # [lists] their numbers, ascending
    offsets: Ints  # [lists + 1] into groups
    values: Floats  # [groups] falling within a list
    members: Ints  # [groups + 1] into items
    items: Ints  # [hits] by name within a group, the largest first
    docs: Strings  # [hits]

    @classmethod
    def from_columns(cls, lists: Ints, values: Floats, items: Ints, gold: GoldStandard) -> Hits:
        """Hits in any order."""
        by_name = rank_by_name(gold)
        order = np.lexsort((by_name[items], -values, lists))
        lists, values, items = lists[order], values[order], items[order]
        new_list = np.append(True, lists[1:] != lists[:-1])[: len(lists)]
        new = new_list.copy()
        new[1:] |= values[1:] != values[:-1]
        heads = np.flatnonzero(new)
        first = np.flatnonzero(new_list[heads])
        return cls(
            lists[heads][first],
            np.append(first, len(heads)),
            values[heads],
            np.append(heads, len(lists)),
            items,
            gold.table.docs[np.argsort(gold.items)[items]],
        )

    @cached_property
    def _first_bins(self) -> Ints:
        """First bin of each group."""
        return self.members[:-1] + 2 * np.arange(len(self.values))

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.items) + 2 * len(self.values)

    @property
    def hit_bins(self) -> Ints:
        """Bin of each hit, which is the last row in it."""
        size = np.diff(self.members)
        return np.arange(len(self.items)) + 1 + 2 * np.repeat(np.arange(len(size)), size)

    @property
    def hit_lists(self) -> Ints:
        """Number of the list of each hit."""
        groups = np.diff(self.members)
        return np.repeat(np.repeat(self.lists, np.diff(self.offsets)), groups)

    def find_duplicate(self) -> int | None:
        """Return a hit with a duplicate document in its list, or None."""
        lists = self.hit_lists
        order = np.lexsort((self.items, lists))
        items, lists = self.items[order], lists[order]
        duplicates = np.flatnonzero((items[1:] == items[:-1]) & (lists[1:] == lists[:-1]))
        return int(order[duplicates[0] + 1]) if len(duplicates) else None

    def split(self, first: int, stop: int, limit: int) -> Iterator[tuple[int, Hits]]:
        """Yield hits of lists first..stop-1 in chunks of at most `limit`, with their first bin."""
        begin, end = np.searchsorted(self.lists, (first, stop)).tolist()
        ends = self.members[self.offsets]
        while begin < end:
            last = int(np.searchsorted(ends, ends[begin] + limit, side="right")) - 1
            last = min(max(last, begin + 1), end)
            a, b = self.offsets[[begin, last]].tolist()
            hits = slice(*self.members[[a, b]].tolist())
            yield (
                int(self._first_bins[a]),
                Hits(
                    self.lists[begin:last],
                    self.offsets[begin : last + 1] - a,
                    self.values[a:b],
                    self.members[a : b + 1] - hits.start,
                    self.items[hits],
                    self.docs[hits].copy(),
                ),
            )
            begin = last

    def find_bins(self, numbers: Ints, values: Floats, docs: Strings) -> Ints:
        """Return the bins of rows, without rows below the last hit.

        `numbers` are the numbers of the lists of the rows.
        """
        rows, group = self._find_groups(numbers, values)
        equal = self.values[group] == values[rows]
        bins = self._first_bins[group]
        if equal.any():
            larger_hits = self._count_larger_hits(group[equal], docs[rows[equal]])
            bins[equal] += 1 + larger_hits
        return bins

    def _find_groups(self, numbers: Ints, values: Floats) -> tuple[Ints, Ints]:
        """Return the rows that are not below all hits of their list, and the highest group with a
        value not above theirs, by binary search of all rows.
        """
        place = np.searchsorted(self.lists, numbers)
        rows = np.flatnonzero(np.append(self.lists, -2)[place] == numbers)  # -1 is nobody's
        low, high = self.offsets[place[rows]], self.offsets[place[rows] + 1]
        end, sought = high.copy(), values[rows]
        padded = np.append(self.values, 0.0)  # nobody looks at the last
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            middle = (low + high) >> 1
            is_above = (padded[middle] > sought) & (low < high)
            low = np.where(is_above, middle + 1, low)
            high = np.where(is_above, high, middle)
        exists = low < end
        return rows[exists], low[exists]

    def _count_larger_hits(self, group: Ints, docs: Strings) -> Ints:
        """Count the hits of its group with a larger name than each document."""
        counts = np.zeros(len(group), dtype=np.int64)
        size = np.diff(self.members)[group]
        single = np.flatnonzero(size == 1)  # most often the hit itself
        hit = self.docs[self.members[group[single]]]
        pending = np.ones(len(group), dtype=bool)
        pending[single[docs[single].compare(hit)]] = False
        if pending.any():
            rows = np.flatnonzero(pending)
            counts[rows] = self._sort_and_count(group[rows], docs[rows])
        return counts

    def _sort_and_count(self, group: Ints, docs: Strings) -> Ints:
        distinct = np.unique(group)
        size = np.diff(self.members)[distinct]
        hits = self.docs[expand_spans(self.members[distinct], size)]
        names = Strings.concatenate([docs.copy(), hits.copy()])
        groups = np.concatenate((group, np.repeat(distinct, size)))
        is_hit = np.arange(len(names)) >= len(docs)
        keys = (~key for key in reversed(names.compute_sort_keys()))
        order = np.lexsort([is_hit, *keys, groups])  # largest name first, a hit after itself
        hits_before = np.empty(len(names), dtype=np.int64)
        hits_before[order] = np.cumsum(is_hit[order]) - is_hit[order]
        begin = np.cumsum(size) - size
        larger: Ints = hits_before[: len(docs)] - begin[np.searchsorted(distinct, group)]
        return larger

    def compute_ranks(self, counts: Ints) -> tuple[Ints, Ints, Ints]:
        """Return rank, best and worst possible rank of each hit, from the rows in each bin."""
        cumulative = np.concatenate(([0], np.cumsum(counts)))
        size = np.diff(self.members)
        group = np.repeat(np.arange(len(size)), size)
        begin = np.repeat(cumulative[self._first_bins[self.offsets[:-1]]], np.diff(self.offsets))
        place = np.arange(len(self.items)) - self.members[group]
        rank = cumulative[self._first_bins[group] + place + 2] - begin[group]
        first = cumulative[self._first_bins + 1] - begin + 1
        last = cumulative[self._first_bins + size + 2] - begin
        return rank, first[group], last[group]


def rank_by_name(gold: GoldStandard) -> Ints:
    """Return the position of each judged item by name within its topic, largest first."""
    table = gold.table
    keys = (~key for key in reversed(table.docs.compute_sort_keys()))
    places = np.empty(len(table), dtype=np.int64)
    places[gold.items[np.lexsort([*keys, table.group])]] = np.arange(len(table))
    return places
