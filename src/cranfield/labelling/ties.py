"""Ties: other orders of items that a run gave the same score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.labelling.blocks import Rankings, spans


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
        self.first = first
        self.begin = (np.cumsum(size) - size)[group]  # the first place of its group
        self.place = self.begin + rankings.ranks[self.hits] - first
        self.group = np.repeat(np.arange(len(size)), size)
        self.level = np.zeros(len(self.group))
        self.level[self.place] = np.maximum(rankings.levels[self.hits], 0.0)
        self.rows = spans(start, size)  # per document

    @property
    def possible(self) -> bool:
        """Whether there is another order at all."""
        return len(self.rows) > 0

    def best(self) -> Rankings:
        """Higher levels first; what is of no use stays in its order."""
        return self._by(-self.level)

    def worst(self) -> Rankings:
        """Higher levels last."""
        return self._by(self.level)

    def sample(self, random: Callable[[int], Floats]) -> Rankings:
        """Any order, all as likely."""
        return self._placed(np.argsort(self.group + random(len(self.group))))  # from 0 to below 1

    def _by(self, key: Floats) -> Rankings:
        """Within each group, smaller keys first; equal ones stay in their order."""
        return self._placed(np.lexsort((key, self.group)))

    def _placed(self, order: Ints) -> Rankings:
        """The rankings with what is at the places `order` at the places 0, 1, 2, …"""
        to = np.empty_like(order)
        to[order] = np.arange(len(order))
        ranks = self.rankings.ranks.copy()
        ranks[self.hits] = self.first + to[self.place] - self.begin
        noted = {}
        for name, given in self.rankings.noted.items():
            noted[name] = given.copy()
            noted[name][self.rows] = given[self.rows[order]]
        return replace(self.rankings, ranks=ranks, noted=noted).in_order()
