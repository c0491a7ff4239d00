"""Ties: other orders of items that a run gave the same score."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from cranfield import kernel
from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import Rankings, expand_spans


class Reordering:
    """The groups of tied items that matter, ready to be put in another order.

    Those that hold a judged item matter, and all where something is noted of every document. A
    *place* is a rank of such a group, whether it holds a judged item or not.
    """

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        self.hits = np.flatnonzero(rankings.last > rankings.first)
        topic, first = rankings.hit_topics[self.hits], rankings.first[self.hits]
        start, size = rankings.tie_groups
        group = np.searchsorted(start, rankings.starts[topic] + first - 1)  # of each hit
        self.bounds = np.append(0, np.cumsum(size))  # of the places of groups
        place = self.bounds[group] + rankings.ranks[self.hits] - first
        self.group = np.repeat(np.arange(len(size), dtype=np.float64), size)
        self.rows = expand_spans(start, size)  # per document
        self.hit_at = np.full(len(self.rows), -1)  # the one at each place, or none
        self.hit_at[place] = self.hits

    @property
    def possible(self) -> bool:
        """Whether there is another order at all."""
        return len(self.rows) > 0

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each place."""
        starts = self.rankings.starts
        return self.rows - starts[np.searchsorted(starts, self.rows, side="right") - 1] + 1

    @property
    def topics(self) -> Bools:
        """The topics whose lists have other orders."""
        rows = np.zeros(int(self.rankings.lengths.sum()) + 1, dtype=np.int64)
        rows[self.rows + 1] = 1
        ends = np.append(self.rankings.starts, len(rows) - 1)
        return np.asarray(np.diff(np.cumsum(rows)[ends]) > 0)

    def best(self) -> Rankings:
        """Higher levels first; what is of no use stays in its order."""
        return self._sort_by(-self._level)

    def worst(self) -> Rankings:
        """Higher levels last."""
        return self._sort_by(self._level)

    @property
    def _level(self) -> Floats:
        """What is at each place is worth."""
        return np.where(self.hit_at < 0, 0.0, np.maximum(self.rankings.levels, 0.0)[self.hit_at])

    def shuffle(self, keys: Floats) -> Rankings:
        """Within each group, by random keys from 0 to below 1, one for each place."""
        keys = self.group + keys
        if kernel.KERNEL is None:
            return self._reorder(np.argsort(keys, kind="stable"))
        order = np.empty(len(keys), dtype=np.int64)
        kernel.KERNEL.sort_groups(keys, self.bounds, order)
        return self._reorder(order)

    def _sort_by(self, key: Floats) -> Rankings:
        """Within each group, smaller keys first; equal ones stay in their order."""
        return self._reorder(np.lexsort((key, self.group)))

    def _reorder(self, order: Ints) -> Rankings:
        """The rankings with what is at the places `order` at the places 0, 1, 2, …

        A group has as many hits as before: they trade places among themselves.
        """
        hit = self.hit_at[order]
        places_with_hits = np.flatnonzero(hit >= 0)
        changed = {"ranks": self.ranks[places_with_hits]} | {
            name: getattr(self.rankings, name)[hit[places_with_hits]]
            for name in ("items", "levels")
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
