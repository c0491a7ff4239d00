"""Means over random orders of tied documents, for measures without an exact formula."""

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
    from cranfield.evaluation.scoring import Scorer

ROUNDING = 1e-14  # relative rounding error of sums


def iter_samples(measuring: Scorer, measures: Sequence[Measure], rankings: Rankings) -> Iterator[list[Floats]]:
    """Yield topics × columns of each measure for random orders of tied documents.

    Every order has one random key for each possible place of a tied document, so all measures see
    the same order.
    """
    fixed = measuring.compute_plain(measures, measuring.collection.apply_strategy(rankings))
    reordering = Reordering(rankings)
    if not reordering.possible:
        yield fixed
        return
    values = dict(zip(measures, fixed, strict=True))
    all_orders = _build_orders(measuring, measures, reordering)
    orders = [tie_order for tie_order in all_orders if tie_order.reordering.possible]  # others change no score
    random = np.random.default_rng(measuring.options.seed).random
    for _ in range(measuring.options.tie_samples):
        keys = random(len(reordering.rows))
        for tie_order in orders:
            values |= tie_order.compute_values(keys, values)
        yield [values[m] for m in measures]


def _build_orders(measuring: Scorer, measures: Sequence[Measure], places: Reordering) -> Iterator[TieOrders]:
    """Yield the orders of hits that can change a score: hits with gain, or all hits."""
    gain_only = [m for m in measures if measuring.is_separable and m.can_drop_nonrelevant()]
    if gain_only:
        gainful = places.rankings.with_hits(_find_gainful(measuring, gain_only, places.rankings))
        yield TieOrders(measuring, gain_only, gainful, places)
    if remaining := [m for m in measures if m not in gain_only]:
        yield TieOrders(measuring, remaining, places.rankings, places)


def _find_gainful(measuring: Scorer, measures: Sequence[Measure], rankings: Rankings) -> Bools:
    """Return True for hits that are relevant or have a gain for one of the measures."""
    parts = []
    for block in measuring.blocks:
        lists = block.build_lists(rankings)
        mask = np.zeros(lists.r.shape, dtype=bool)
        for m in measures:
            x = lists.view(**m.get_view_settings())
            mask |= (x.I > 0) | (x.g != 0)
        parts.append(mask[lists.judged])
    return np.concatenate(parts)


class TieOrders:
    """Computes some measures for other orders of tied documents."""

    def __init__(self, measuring: Scorer, measures: Sequence[Measure], rankings: Rankings, places: Reordering) -> None:
        self.measuring, self.measures = measuring, measures
        self.reordering, self.blocks = Reordering(rankings), measuring.blocks
        self.keys = np.searchsorted(places.rows, self.reordering.rows)  # index of each key
        self.topics: Any = slice(None)
        if measuring.is_separable:  # only topics with ties
            self.topics = self.reordering.topics
            self.reordering = Reordering(rankings.select_topics(self.topics))
            self.blocks = list(_select_blocks(measuring.blocks, self.topics))

    def compute_values(self, keys: Floats, previous: dict[Measure, Floats]) -> dict[Measure, Floats]:
        """Compute topics × columns of each measure for the order of the keys."""
        order = self.measuring.collection.apply_strategy(self.reordering.shuffle(keys[self.keys]))
        values = self.measuring.compute_measures(self.measures, lambda block: block.build_lists(order), self.blocks)
        result = {}
        for m, x in zip(self.measures, values, strict=True):
            result[m] = previous[m].copy()
            result[m][self.topics] = x
        return result


def _select_blocks(blocks: Sequence[Block], topics: Bools) -> Iterator[Block]:
    """Yield the blocks with only the selected topics."""
    start = 0
    for block in blocks:
        mask = topics[block.start : block.stop]
        stop = start + int(mask.sum())
        if stop > start:
            yield Block(start, stop, block.gold.select(mask))
        start = stop


class RunningMean:
    """Running mean and standard error of arrays."""

    def __init__(self, first: Floats) -> None:
        self.first = first
        self.n, self.sum, self.squares = 0, np.zeros(first.shape), np.zeros(first.shape)

    def add(self, x: Floats) -> None:
        change = x - self.first  # relative to the first, so that constant values stay exact
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
