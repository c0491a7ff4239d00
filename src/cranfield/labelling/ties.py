"""Other orders of tied items."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import Rankings, expand_spans


class Reordering:
    """The groups of tied items that can change a score, prepared for other orders.

    These are the groups with a judged item, or all groups if every document has a value (length,
    cost). A *place* is a rank of such a group, with or without a judged item.
    """

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        self.hits = np.flatnonzero(rankings.last > rankings.first)
        topic, first = rankings.hit_topics[self.hits], rankings.first[self.hits]
        start, size = rankings.tie_groups
        group = np.searchsorted(start, rankings.starts[topic] + first - 1)  # of each hit
        self.bounds = np.append(0, np.cumsum(size))  # first place of each group
        place = self.bounds[group] + rankings.ranks[self.hits] - first
        self.group = np.repeat(np.arange(len(size), dtype=np.float64), size)
        self.rows = expand_spans(start, size)  # [places] row among all documents
        self.hit_at = np.full(len(self.rows), -1)  # [places] hit, or -1
        self.hit_at[place] = self.hits

    @property
    def possible(self) -> bool:
        """True if there is another order."""
        return len(self.rows) > 0

    @cached_property
    def ranks(self) -> Ints:
        """[places] rank."""
        starts = self.rankings.starts
        return self.rows - starts[np.searchsorted(starts, self.rows, side="right") - 1] + 1

    @property
    def topics(self) -> Bools:
        """True for topics with tied items."""
        rows = np.zeros(int(self.rankings.lengths.sum()) + 1, dtype=np.int64)
        rows[self.rows + 1] = 1
        ends = np.append(self.rankings.starts, len(rows) - 1)
        return np.asarray(np.diff(np.cumsum(rows)[ends]) > 0)

    def best(self) -> Rankings:
        """Order tied items by level, descending. Nonrelevant items keep their order."""
        return self._sort_by(-self._level)

    def worst(self) -> Rankings:
        """Order tied items by level, ascending."""
        return self._sort_by(self._level)

    @property
    def _level(self) -> Floats:
        """The level at each place, 0 if unjudged."""
        return np.where(self.hit_at < 0, 0.0, np.maximum(self.rankings.levels, 0.0)[self.hit_at])

    def shuffle(self, keys: Floats) -> Rankings:
        """Order the items of each group by random keys in [0, 1), one for each place."""
        keys = self.group + keys
        if kernel.KERNEL is None:
            return self._reorder(np.argsort(keys, kind="stable"))
        order = np.empty(len(keys), dtype=np.int64)
        kernel.KERNEL.sort_groups(keys, self.bounds, order)
        return self._reorder(order)

    def _sort_by(self, key: Floats) -> Rankings:
        """Order the items of each group by key. Equal keys keep their order."""
        return self._reorder(np.lexsort((key, self.group)))

    def _reorder(self, order: Ints) -> Rankings:
        """Move the items at the places `order` to the places 0, 1, 2, …

        The number of hits in each group does not change.
        """
        hit = self.hit_at[order]
        places_with_hits = np.flatnonzero(hit >= 0)
        changed = {"ranks": self.ranks[places_with_hits]} | {
            name: getattr(self.rankings, name)[hit[places_with_hits]] for name in ("items", "levels")
        }
        changed_columns: dict[str, Any] = {}
        for name, values in changed.items():
            changed_columns[name] = getattr(self.rankings, name).copy()
            changed_columns[name][self.hits] = values
        document_values = {}
        for name, column_values in self.rankings.document_values.items():
            document_values[name] = column_values.copy()
            document_values[name][self.rows] = column_values[self.rows[order]]
        return replace(self.rankings, document_values=document_values, **changed_columns)
