"""Means over random orders of tied documents, where they cannot be computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.evaluation.blocks import Block
from cranfield.labelling.blocks import Rankings
from cranfield.labelling.ties import Reordering
from cranfield.measures.base import Measure

if TYPE_CHECKING:
    from cranfield.evaluation.measuring import Measuring

ROUNDING = 1e-14  # what the order of a sum may change


def samples(
    measuring: Measuring, measures: Sequence[Measure], rankings: Rankings
) -> Iterator[list[Floats]]:
    """Topics × names of each measure, for one random order of tied documents after another.

    Every order has a random key for each place that a tied document can take, whoever looks at it.
    """
    fixed = measuring.plain(measures, measuring.collection.counted(rankings))
    places = Reordering(rankings)
    if not places.possible:
        yield fixed
        return
    values = dict(zip(measures, fixed, strict=True))
    every = _orders(measuring, measures, places)
    orders = [some for some in every if some.reordering.possible]  # others change no score
    random = np.random.default_rng(measuring.options.seed).random
    for _ in range(measuring.options.tie_samples):
        keys = random(len(places.rows))
        for some in orders:
            values |= some.values(keys, values)
        yield [values[m] for m in measures]


def _orders(
    measuring: Measuring, measures: Sequence[Measure], places: Reordering
) -> Iterator[Orders]:
    """The orders of the hits that change a score: all, or for some measures those of any gain."""
    few = [m for m in measures if measuring.separable and m.sees_gains_alone()]
    if few:
        gainful = places.rankings.with_hits(_gainful(measuring, few, places.rankings))
        yield Orders(measuring, few, gainful, places)
    if others := [m for m in measures if m not in few]:
        yield Orders(measuring, others, places.rankings, places)


def _gainful(measuring: Measuring, measures: Sequence[Measure], rankings: Rankings) -> Bools:
    """Which hits are relevant, or of any gain, to one of the measures."""
    parts = []
    for block in measuring.blocks:
        lists = block.lists(rankings)
        seen = np.zeros(lists.r.shape, dtype=bool)
        for m in measures:
            x = lists.view(**m.view_settings())
            seen |= (x.I > 0) | (x.g != 0)
        parts.append(seen[lists.judged])
    return np.concatenate(parts)


class Orders:
    """Some measures of lists of which the tied documents trade places."""

    def __init__(
        self,
        measuring: Measuring,
        measures: Sequence[Measure],
        rankings: Rankings,
        places: Reordering,
    ) -> None:
        self.measuring, self.measures = measuring, measures
        self.reordering, self.blocks = Reordering(rankings), measuring.blocks
        self.keys = np.searchsorted(places.rows, self.reordering.rows)  # of all that are drawn
        self.topics: Any = slice(None)
        if measuring.separable:  # only where something changes
            self.topics = self.reordering.topics
            self.reordering = Reordering(rankings.only(self.topics))
            self.blocks = list(_only(measuring.blocks, self.topics))

    def values(self, keys: Floats, before: dict[Measure, Floats]) -> dict[Measure, Floats]:
        """Topics × names of each measure, in the order by some keys."""
        order = self.measuring.collection.counted(self.reordering.drawn(keys[self.keys]))
        found = self.measuring.measured(
            self.measures, lambda block: block.lists(order), self.blocks
        )
        made = {}
        for m, x in zip(self.measures, found, strict=True):
            made[m] = before[m].copy()
            made[m][self.topics] = x
        return made


def _only(blocks: Sequence[Block], topics: Bools) -> Iterator[Block]:
    """The blocks of some of their topics, which are then all that there are."""
    start = 0
    for block in blocks:
        kept = topics[block.start : block.stop]
        stop = start + int(kept.sum())
        if stop > start:
            yield Block(start, stop, block.gold.only(kept))
        start = stop


class Spread:
    """Mean and standard error of arrays, one array after the other."""

    def __init__(self, first: Floats) -> None:
        self.first = first
        self.n, self.sum, self.squares = 0, np.zeros(first.shape), np.zeros(first.shape)

    def add(self, x: Floats) -> None:
        change = x - self.first  # from the first, so that what is always the same stays so
        change = np.where(np.abs(change) <= ROUNDING * np.abs(self.first), 0.0, change)
        self.n += 1
        self.sum += change
        self.squares += change * change

    @property
    def mean(self) -> Floats:
        return self.first + self.sum / self.n

    @property
    def error(self) -> Floats:
        """The standard error of the mean."""
        variance = np.maximum(self.squares / self.n - (self.sum / self.n) ** 2, 0.0)
        return np.sqrt(variance / max(self.n - 1, 1))
