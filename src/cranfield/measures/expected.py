"""`Expected`: lists averaged over all orders of their tied items.

A group of s tied items fills the ranks from `first` to `last`. If m of the items are relevant and G
is their total gain, then averaged over all orders of the group (McSherry and Najork 2008), at its
j-th rank r:

    I(r) = m/s,  g(r) = G/s
    C(r) = C(before) + 1 + (j − 1)(m − 1)/(s − 1)          if the item at r is relevant
    cg(r) = cg(before) + G/m + (j − 1)(G − G/m)/(s − 1)    if the item at r is relevant
    first(r) = the probability that the first relevant item is at r

So a measure that is linear in I or g, in the products I·C or I·cg, or in `first` is exact if its
equation is applied to these lists: its code does not handle ties. Such measures return True from
`exact_under_ties`. Tests enumerate all orders to prove it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import expand_spans
from cranfield.measures.lists import Lists, scatter, to_floats


class Cells(NamedTuple):
    """A cell for every rank of every group with a judged item: arrays [T, W]."""

    r: Ints
    filled: Bools
    a: Ints  # the group's judged items are the columns a..b-1 of the list
    b: Ints
    s: Ints  # items in the group
    j: Ints  # the place of the rank in the group, from 1


class Expected(Lists):
    """A block of lists with ties, averaged over the orders of tied items.

    `depth` is the end of the lists. Ranks below `max_rank` are not used.
    """

    def __init__(
        self,
        hits: Lists,
        first: Ints,
        last: Ints,
        depth: int | None = None,
        max_rank: int | None = None,
        cells: Cells | None = None,
        **settings: Any,
    ) -> None:
        self.hits, self.bounds = hits, (first, last)
        cells = cells or _build_cells(hits, first, last, depth if max_rank is None else max_rank)
        n = hits.n if depth is None else np.minimum(hits.n, depth)
        filled, cutoff = cells.filled, settings.get("cutoff")
        if cutoff is not None:  # the k-th cell cannot stand above rank k
            filled = filled[:, :cutoff] & (cells.r[:, :cutoff] <= cutoff)
        width = filled.shape[1]
        self.cells = cells = Cells(*(array[:, :width] for array in cells))  # type: ignore[arg-type]
        super().__init__(
            cells.r,
            np.full(filled.shape, np.nan),  # no item is there for certain
            filled,
            n,
            hits.gold,
            **settings,
        )

    def _build_view(self, **settings: Any) -> Lists:
        x = self.hits  # with the length that the depth leaves:
        hits = Lists(x.r, x.level, x.judged, self.n, x.gold)
        return Expected(hits, *self.bounds, cells=self.cells, **settings)

    @cached_property
    def condensed(self) -> Lists:
        """The lists without unjudged items: each group keeps its judged items."""
        start, stop = _find_group_columns(self.hits.judged, self.bounds[0])
        return Expected(self.hits.condensed, start + 1, stop)

    # -- quantities -------------------------------------------------------------------------------

    @cached_property
    def _hits_view(self) -> Lists:
        return self.hits.view(rel=self.rel, gain=self.gain, max_level=self.max_level)

    def _sum_before(self, cumulated: Floats) -> Floats:
        return _take_before(cumulated, self.cells.a)

    def _sum_group(self, values: Floats, cumulated: Floats) -> Floats:
        """Return the sum over the judged items of the group, exact for a single item."""
        sums = _take_before(cumulated, self.cells.b) - self._sum_before(cumulated)
        is_single = self.cells.b - self.cells.a == 1
        single = np.take_along_axis(values, self.cells.a, axis=1) if values.shape[1] else sums
        return np.where(self.judged, np.where(is_single, single, sums), 0.0)

    @cached_property
    def _m(self) -> Floats:
        """m: relevant items in the group."""
        return self._sum_group(self._hits_view.I, self._hits_view.C)

    @cached_property
    def _G(self) -> Floats:
        """G: gain of the group."""
        return self._sum_group(self._hits_view.g, self._hits_view.cg)

    def _interpolate(self, group_rest: Floats) -> Floats:
        """Return (j − 1)/(s − 1) of the rest of the group."""
        return group_rest * (self.cells.j - 1) / np.maximum(self.cells.s - 1, 1)

    @cached_property
    def J(self) -> Floats:
        return np.where(self.judged, (self.cells.b - self.cells.a) / self.cells.s, 0.0)

    @cached_property
    def I(self) -> Floats:  # noqa: E743
        return self._m / self.cells.s

    @cached_property
    def C(self) -> Floats:
        expected: Floats = self._sum_before(self._hits_view.C) + 1.0 + self._interpolate(self._m - 1.0)
        return np.where(self._m > 0, expected, self._sum_before(self._hits_view.C))

    @cached_property
    def first(self) -> Floats:
        m, s, j = self._m, self.cells.s, self.cells.j
        remaining = np.maximum(s - j + 1, 1)  # items not yet placed
        missed = np.maximum(s - m - j + 1, 0.0) / remaining  # 1 without relevant items, then 0 for good
        so_far = np.cumprod(missed, axis=1)
        none_above = np.concatenate((np.ones((len(self), 1)), so_far[:, :-1]), axis=1)
        return to_floats(none_above[:, : m.shape[1]] * np.minimum(m / remaining, 1.0))

    @cached_property
    def g(self) -> Floats:
        return self._G / self.cells.s

    @cached_property
    def cg(self) -> Floats:
        item_gain = np.divide(self._G, self._m, out=np.zeros_like(self._G), where=self._m > 0)
        return self._sum_before(self._hits_view.cg) + item_gain + self._interpolate(self._G - item_gain)


def _take_before(cumulated: Floats, column: Ints) -> Floats:
    """Return a cumulated quantity before a column."""
    padded = np.concatenate((np.zeros((len(cumulated), 1)), cumulated), axis=1)
    return np.take_along_axis(padded, column, axis=1)


def _find_group_columns(judged: Bools, first: Ints) -> tuple[Ints, Ints]:
    """Return the first and last (exclusive) column of the group of each judged item."""
    n, width = first.shape
    new = np.ones((n, width), dtype=bool)
    new[:, 1:] = (first[:, 1:] != first[:, :-1]) | ~judged[:, 1:]
    column = np.broadcast_to(np.arange(width), (n, width))
    start = np.maximum.accumulate(np.where(new, column, 0), axis=1)
    ends = np.where(np.append(new[:, 1:], np.ones((n, 1), dtype=bool), axis=1), column + 1, width)
    stop = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return start, stop


def _build_cells(hits: Lists, first: Ints, last: Ints, depth: int | None) -> Cells:
    start, stop = _find_group_columns(hits.judged, first)
    heads = hits.judged & (np.arange(first.shape[1]) == start)  # the first item of each group
    if depth is not None:
        heads &= first <= depth
    row = np.nonzero(heads)[0]
    first, last, a, b = first[heads], last[heads], start[heads], stop[heads]
    size = last - first + 1
    visible = size if depth is None else np.minimum(last, depth) - first + 1
    count = np.bincount(row, weights=visible, minlength=len(hits)).astype(np.int64)
    filled = np.arange(int(count.max(initial=0))) < count[:, None]

    group = np.repeat(np.arange(len(first)), visible)
    j = expand_spans(np.ones_like(visible), visible)
    r = scatter(filled, first[group] + j - 1, 0)
    return Cells(
        np.where(filled, r, hits.n[:, None] + 1),
        filled,
        scatter(filled, a[group], 0),
        scatter(filled, b[group], 0),
        scatter(filled, size[group], 1),
        scatter(filled, j, 1),
    )
