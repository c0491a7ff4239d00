"""Equations that compare two rankings: rank-biased overlap and Kendall's τ.

A ranking is given by its ties: for each place, the number of documents `above` its tie and the
number `tied` in it. Without ties these are 0, 1, 2, … and 1. Common documents are pairs of places.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints

TieVariant: TypeAlias = Literal["a", "b", "w"]
P = 0.9  # of RBO: the first ten ranks have 86% of the weight


class Ties(NamedTuple):
    """Ties of a ranking: arrays with one value per place."""

    above: Ints
    tied: Ints

    def select(self, places: Ints | Bools | slice) -> Ties:
        """Return the ties of some places."""
        return Ties(self.above[places], self.tied[places])

    @property
    def bottom(self) -> Ints:
        """Number of documents above the end of each tie."""
        return self.above + self.tied

    def compute_shares(self, depth: int, ties: TieVariant) -> Floats:
        """Return the contribution c at depths 1, 2, … of a document of the tie at this depth."""
        shares = np.ones(depth)
        if ties != "w":
            n = min(depth, len(self.above))
            shares[:n] = (np.arange(1, n + 1) - self.above[:n]) / self.tied[:n]
        return shares


class OverlapBounds(NamedTuple):
    """Extrapolated overlap of two rankings, with bounds for unknown continuations."""

    value: float
    lower: float
    upper: float


def find_ties(values: Floats, group: Ints, distinct: bool = False) -> Ties:
    """Return the ties of ranked scores, group by group. If `distinct`, equal scores are no ties.

    >>> find_ties(np.array([3.0, 3.0, 1.0, 1.0]), np.array([0, 0, 0, 1]))
    Ties(above=array([0, 0, 2, 0]), tied=array([2, 2, 1, 1]))
    """
    starts_group = np.diff(group, prepend=-1) != 0
    starts_tie = starts_group | distinct
    if not distinct:
        starts_tie[1:] |= np.diff(values) != 0
    first = np.flatnonzero(starts_tie)
    tied = np.diff(first, append=len(values))
    begin = np.maximum.accumulate(np.where(starts_group, np.arange(len(values)), 0))
    return Ties(np.repeat(first, tied) - begin, np.repeat(tied, tied))


# -- rank-biased overlap --------------------------------------------------------------------------


def compute_rbo_bounds(
    x: Ties, y: Ties, places: tuple[Ints, Ints], p: float = P, ties: TieVariant = "a"
) -> OverlapBounds:
    """Return RBO_ext, RBO_min and RBO_max of two rankings. `places` are those of common documents.

    Three sections: both rankings have documents (d ≤ s), only the longer has (s < d ≤ l), neither
    has. Two empty rankings agree. An empty ranking and another one have 0, and could have 1.
    """
    short, long, in_short, in_long = x, y, *places
    if len(y.above) < len(x.above):
        short, long, in_short, in_long = y, x, *reversed(places)
    s, l = len(short.above), len(long.above)
    if s == 0:
        return OverlapBounds(0.0, 0.0, 1.0) if l else OverlapBounds(1.0, 1.0, 1.0)
    d, share = np.arange(1, l + 1), long.compute_shares(l, ties)
    common_seen = _count_common(short.select(in_short), long.select(in_long), short.compute_shares(l, ties), share)
    # The shorter ranking goes on with d − s unseen documents: at best the first of the longer alone.
    alone = np.ones(l, dtype=bool)
    alone[in_long] = False
    only_long = long.select(alone)
    active = _count_intervals(only_long.above + 1, only_long.bottom, l)
    complete = _count_intervals(only_long.bottom + 1, np.full(len(only_long.above), l), l)
    unseen = np.maximum(d - s, 0)
    matched = np.minimum(unseen, complete) + np.clip(unseen - complete, 0, active) * share
    scale = _compute_agreement_scale(short, long, s, ties)
    agreement = common_seen[s - 1] / scale[s - 1]
    extrapolated = common_seen + unseen * agreement * (complete + active * share) / np.maximum(complete + active, 1)
    weight, common = p**d, len(in_long)
    tail = max(-math.log1p(-p) - float((weight / d).sum()), 0.0)  # Σ p^d/d for d > l
    deep = np.arange(l + 1, s + l - common + 1)  # from the last of these on, all documents agree
    growing = float(((2 * deep - l - s + common) / deep * p**deep).sum())
    endless = p ** (s + l - common + 1) / (1 - p)
    sections = (
        (extrapolated, (common + (l - s) * agreement) / l * p ** (l + 1) / (1 - p)),
        (common_seen, common * tail),
        (common_seen + matched, growing + endless),
    )
    return OverlapBounds(
        *(float((1 - p) / p * ((overlap / scale * weight).sum() + rest)) for overlap, rest in sections)
    )


def _count_common(x: Ties, y: Ties, share_x: Floats, share_y: Floats) -> Floats:
    """Return X = Σ c c′ of common documents at depths 1, 2, …

    At each depth, one tie of each ranking is active, which contributes its share. Ties above are
    complete, and contribute 1.
    """
    depth = len(share_x)
    both = _count_intervals(np.maximum(x.above, y.above) + 1, np.minimum(x.bottom, y.bottom), depth)
    only_x = _count_intervals(np.maximum(x.above, y.bottom) + 1, x.bottom, depth)
    only_y = _count_intervals(np.maximum(y.above, x.bottom) + 1, y.bottom, depth)
    complete = _count_intervals(np.maximum(x.bottom, y.bottom) + 1, np.full(len(x.above), depth), depth)
    return np.asarray(complete + only_x * share_x + only_y * share_y + both * share_x * share_y)


def _count_intervals(first: Ints, last: Ints, depth: int) -> Ints:
    """Return the number of intervals that contain each depth 1, 2, …

    >>> _count_intervals(np.array([1, 2, 3]), np.array([2, 2, 2]), 3).tolist()
    [1, 2, 0]
    """
    nonempty = first <= last
    begin = np.bincount(first[nonempty], minlength=depth + 2)
    end = np.bincount(last[nonempty] + 1, minlength=depth + 2)
    return np.cumsum(begin - end)[1 : depth + 1]


def _compute_agreement_scale(short: Ties, long: Ties, s: int, ties: TieVariant) -> Floats:
    """Return X_d / A_d: unseen documents of the shorter ranking, below s, count as untied."""
    depths = np.arange(1.0, len(long.above) + 1)
    if ties == "a":
        return depths
    sums = []
    for ranking in (short, long):
        total, n = depths.copy(), len(ranking.above)
        if ties == "w":
            total[:n] = ranking.bottom
        else:
            total[:n] = ranking.above + ranking.tied * ranking.compute_shares(n, ties) ** 2
        sums.append(total)
    return np.asarray((sums[0] + sums[1]) / 2 if ties == "w" else np.sqrt(sums[0] * sums[1]))


# -- Kendall's τ ----------------------------------------------------------------------------------


def compute_tau_b(x: Ints, y: Ints, group: Ints, groups: int) -> Floats:
    """Return Kendall's τ_b of each group, for the places x and y of items. Equal places are tied.

    τ_b = (concordant − discordant) / √(pairs untied in x · pairs untied in y)

    NaN for groups of fewer than two items, and if all are tied in x or in y. Pairs are counted in
    n log n steps (Knight 1966, A Computer Method for Calculating Kendall's Tau with Ungrouped Data).

    >>> compute_tau_b(np.array([0, 1, 2]), np.array([0, 2, 1]), np.zeros(3, dtype=int), 2).round(4).tolist()
    [0.3333, nan]
    """
    order = np.lexsort((y, x, group))
    x, y, group = x[order], y[order], group[order]
    pairs = _count_pairs(np.bincount(group, minlength=groups))
    tied_x, tied_y, tied_both = (_count_tied_pairs(group, groups, *keys) for keys in ((x,), (y,), (x, y)))
    discordant = _count_inversions(y, group, groups)
    scale = np.sqrt((pairs - tied_x).astype(np.float64) * (pairs - tied_y))
    numerator = (pairs - tied_x - tied_y + tied_both - 2 * discordant).astype(np.float64)
    return np.asarray(np.divide(numerator, scale, out=np.full(groups, np.nan), where=scale > 0))


def _count_pairs(n: Ints) -> Ints:
    return np.asarray(n * (n - 1) // 2)


def _count_tied_pairs(group: Ints, groups: int, *keys: Ints) -> Ints:
    """Return the number of pairs of each group with equal keys."""
    if not len(group):
        return np.zeros(groups, dtype=np.int64)
    order = np.lexsort((*keys, group))
    changes = np.any([np.diff(column[order]) != 0 for column in (*keys, group)], axis=0)
    first = np.append(0, np.flatnonzero(changes) + 1)
    tied = _count_pairs(np.diff(first, append=len(group)))
    return np.bincount(group[order][first], tied, groups).astype(np.int64)


def _count_inversions(values: Ints, group: Ints, groups: int) -> Ints:
    """Return the number of pairs i < j with a larger value at i, in each group of consecutive items.

    Items with equal higher bits are neighbours. At each bit, every 1 before a 0 is an inversion. Then
    0s move before 1s.

    >>> _count_inversions(np.array([2, 0, 1, 5, 4]), np.array([0, 0, 0, 1, 1]), 2).tolist()
    [2, 1]
    """
    inversions = np.zeros(groups, dtype=np.int64)
    for bit in reversed(range(int(values.max(initial=0)).bit_length())):
        high = values >> (bit + 1)
        new = np.append(True, (np.diff(high) != 0) | (np.diff(group) != 0))[: len(values)]
        first = np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
        ones = (values >> bit) & 1
        before = np.cumsum(ones) - ones
        before -= before[first]
        inversions += np.bincount(group, before * (1 - ones), groups).astype(np.int64)
        zeros_before = np.arange(len(values)) - first - before
        segment = np.cumsum(new) - 1
        zeros = np.bincount(segment, 1 - ones).astype(np.int64)
        place = first + np.where(ones == 1, zeros[segment] + before, zeros_before) if len(values) else first
        moved = np.empty_like(values)
        moved[place] = values
        values = moved
    return inversions
