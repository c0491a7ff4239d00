"""Bounds of score differences over all possible levels of unjudged items.

Judgments can be completed in many ways: each unjudged item that a measure uses, in either of two
lists, gets a level of the collection or no gain. Over all completions, a difference of two scores
is between two bounds. `BOUNDED` is the table of the measures with known bounds:

- sums of gains times rank weights (`compute_sum_bounds`): an item in both lists counts once, with
  both weights,
- such sums divided by the sum of the ideal list (`compute_share_bounds`): the ideal list grows as
  well,
- the best such product (`compute_best_bounds`): one more relevant item is the best or worst case,
- average precision (`compute_ap_bounds`) and measures that only rise with the levels of their items
  (`compute_monotone_bounds`): each list at its best and at its worst.

The first three kinds of bounds, and all bounds of a single list, are attained by some completion.
The last two kinds are outer bounds of a difference: it is never outside, but may not reach the
ends, because an item in both lists would need two levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import sort_distinct
from cranfield.measures.base import Measure, is_built_in
from cranfield.measures.dcg import DISCOUNTS, compute_powers
from cranfield.measures.gains import get_top_level
from cranfield.measures.lists import Lists, ratio, scatter, sum_above, to_floats, total
from cranfield.measures.ncu import count_stops
from cranfield.measures.sets import count_ranks, count_returned

Ends: TypeAlias = tuple[Floats, Floats]  # [topics] the least and the most
_STEPS = 100  # of a search that takes four or five


@dataclass(frozen=True, eq=False)
class FullLists:
    """A block of lists with a column for every rank, judged or not."""

    lists: Lists  # where an item is not judged, it is of no use
    docs: Ints  # [topics, items] which unjudged document it is, of its topic; −1: it is judged

    def restrict_to(self, m: Measure) -> FullLists:
        """Return the part of the lists that a measure uses."""
        x = m.view(self.lists)
        return FullLists(x, self.docs[:, : x.r.shape[1]])

    @cached_property
    def unjudged(self) -> Bools:
        """Mask of unjudged items."""
        return self.docs >= 0

    @property
    def keys(self) -> Ints:
        """Number of each unjudged document of each topic, list by list."""
        return self.docs[self.unjudged] * len(self.docs) + np.nonzero(self.unjudged)[0]

    def with_unjudged_at(self, level: float) -> Lists:
        """Return the lists with all unjudged items at this level."""
        x = self.lists
        return replace(x, level=np.where(self.unjudged, level, x.level), judged=x.judged | self.unjudged)


class Terms(NamedTuple):
    """Gains of items and weights of their ranks."""

    gain: Floats
    weight: Floats

    @property
    def products(self) -> Floats:
        """Gains times weights."""
        return self.gain * self.weight


@dataclass(frozen=True, eq=False)
class Pair:
    """Two blocks of lists as a measure sees them, and their unjudged documents."""

    m: Any
    a: FullLists
    b: FullLists
    terms: Callable[[Any, Lists], Terms]

    @cached_property
    def difference(self) -> Floats:
        """Difference of the scores, with unjudged items nonrelevant."""
        return to_floats(self.m.score(self.a.lists) - self.m.score(self.b.lists))

    @cached_property
    def levels(self) -> Floats:
        """All possible levels."""
        x = self.a.lists
        known_levels, table = x.gold.distinct, get_top_level(x.gain)
        highest = x.max_level if x.max_level is not None else table
        if highest is None:
            highest = x.gold.max_level or 1.0  # if nothing is relevant yet
        return sort_distinct(np.append(known_levels[known_levels <= highest], [0.0, highest]))

    @cached_property
    def possible_gains(self) -> Floats:
        """All possible gains of an unjudged item, 0 included."""
        x, n = self.a.lists, len(self.levels)
        rows = np.broadcast_to(self.levels, (len(x), n))
        all_levels = replace(x, r=_broadcast_ranks(x, n), level=rows, judged=np.ones(rows.shape, dtype=bool))
        return sort_distinct(np.append(self.terms(self.m, all_levels).gain[:1], 0.0))

    @cached_property
    def weights(self) -> tuple[Bools, Floats, Floats]:
        """Filled cells, and the weights of unjudged documents in both lists.

        Arrays [topics, documents]. The weight is 0 if the document is not in the list. Documents
        are sorted by the difference of their weights, those in favour of the first list first.
        """
        keys, of_a, of_b = self.collect_weights(lambda x: self.terms(self.m, x).weight)
        topic = keys % len(self.a.docs)
        order = np.lexsort((of_b - of_a, topic))
        count = np.bincount(topic, minlength=len(self.a.lists))
        filled = np.arange(count.max(initial=0)) < count[:, None]
        return (filled, to_floats(scatter(filled, of_a[order])), to_floats(scatter(filled, of_b[order])))

    def collect_weights(self, weigh: Callable[[Lists], Floats]) -> tuple[Ints, Floats, Floats]:
        """Return the keys of unjudged documents, and their weights in both lists."""
        keys = np.unique(np.concatenate((self.a.keys, self.b.keys)))
        of_a, of_b = np.zeros((2, len(keys)))
        for weights, full in ((of_a, self.a), (of_b, self.b)):
            cells = np.broadcast_to(weigh(full.lists), full.docs.shape)[full.unjudged]
            weights[np.searchsorted(keys, full.keys)] = cells
        return keys, of_a, of_b

    @cached_property
    def unlisted(self) -> tuple[Ints, Ints]:
        """Numbers of unjudged documents that only the second, only the first list has."""
        counts = self.weights[0].sum(axis=1)
        return counts - self.a.unjudged.sum(axis=1), counts - self.b.unjudged.sum(axis=1)


def _broadcast_ranks(x: Lists, n: int) -> Ints:
    return np.broadcast_to(np.arange(1, n + 1), (len(x), n))


# -- the bounds of a difference -------------------------------------------------------------------


def compute_sum_bounds(pair: Pair) -> Ends:
    """Return the bounds of sums.

    D + Σ min(0, w_A − w_B)·g and D + Σ max(0, w_A − w_B)·g, over unjudged documents.
    """
    _, of_a, of_b = pair.weights
    highest, lowest = pair.possible_gains.max(), pair.possible_gains.min()
    changes = highest * (of_a - of_b), lowest * (of_a - of_b)
    low, high = np.minimum(*changes), np.maximum(*changes)
    return pair.difference + total(low), pair.difference + total(high)


def compute_best_bounds(pair: Pair) -> Ends:
    """Return the bounds of the best product: only one more relevant item matters."""
    filled, *weights = pair.weights
    now = [pair.m.score(full.lists)[:, None] for full in (pair.a, pair.b)]
    then = [np.maximum(score, pair.possible_gains.max() * weight) for score, weight in zip(now, weights, strict=True)]
    differences = np.concatenate((now[0] - now[1], np.where(filled, then[0] - then[1], 0.0)), axis=1)
    return _find_ends(differences, np.append(np.full((len(filled), 1), True), filled, axis=1))


def _find_ends(values: Floats, filled: Bools) -> Ends:
    low, high = np.where(filled, values, np.inf), np.where(filled, values, -np.inf)
    return low.min(axis=1), high.max(axis=1)


def compute_monotone_bounds(pair: Pair) -> Ends:
    """Return the bounds of measures that only rise with levels.

    Each list as it is, or with all unjudged items at the highest level.
    """
    level = pair.levels.max()
    (low_a, high_a), (low_b, high_b) = (
        (pair.m.score(full.lists), pair.m.score(full.with_unjudged_at(level))) for full in (pair.a, pair.b)
    )
    return low_a - high_b, high_a - low_b


def compute_ap_bounds(pair: Pair) -> Ends:
    """Return the bounds of average precision: each list at its best and its worst."""
    if not pair.possible_gains.max() > 0:
        return pair.difference, pair.difference
    lists = zip((pair.a, pair.b), pair.unlisted, strict=True)
    (low_a, high_a), (low_b, high_b) = (_compute_ap_ends(pair.m, *arguments) for arguments in lists)
    return low_a - high_b, high_a - low_b


def _compute_ap_ends(m: Any, full: FullLists, unlisted: Ints) -> Ends:
    """Return the lowest and highest AP of each list.

    `unlisted` documents outside the list may be relevant. At best, the first t unjudged items are
    relevant, for some t. At worst, the documents outside and the last t items are relevant: R is
    then larger, and no other t items add less (or more) to the sum of precisions.
    """
    x, new = full.lists, full.unjudged.astype(np.float64)
    precisions = total(x.I * x.C / x.r)[:, None]
    gain_below = _sum_below(x.I / x.r)  # what one more relevant item above adds to the others'
    down = np.cumsum(new * ((x.C + np.cumsum(new, axis=1)) / x.r + gain_below), axis=1)
    up = _sum_from_bottom(new * ((x.C + 1.0) / x.r + gain_below + _sum_below(new / x.r)))
    R, added = x.R[:, None], unlisted[:, None]

    def compute_scores(gained: Floats, relevant: Floats) -> Floats:
        return ratio(precisions + gained, count_stops(m, x, relevant))

    without_new = compute_scores(np.zeros_like(precisions), np.concatenate((R, R + added), axis=1))
    highest = compute_scores(down, R + np.cumsum(new, axis=1)).max(axis=1, initial=-np.inf)
    lowest = compute_scores(up, R + added + _sum_from_bottom(new)).min(axis=1, initial=np.inf)
    return np.minimum(without_new.min(axis=1), lowest), np.maximum(without_new[:, 0], highest)


def _sum_from_bottom(x: Floats) -> Floats:
    """Return Σ_{k≥r} x(k), summed from the bottom up."""
    return np.cumsum(x[:, ::-1], axis=1)[:, ::-1]


def _sum_below(x: Floats) -> Floats:
    """Return Σ_{k>r} x(k)."""
    return sum_above(x[:, ::-1])[:, ::-1]


def compute_share_bounds(pair: Pair, full_ideal: bool = False) -> Ends:
    """Return the bounds of a fraction of the ideal list's sum. See `_Share`."""
    low, high = (_Share.from_pair(pair, sign, full_ideal).compute_maximum() for sign in (-1.0, 1.0))
    return -low, high


def compute_full_share_bounds(pair: Pair) -> Ends:
    """Return the bounds of a fraction of the sum of the uncut ideal list."""
    return compute_share_bounds(pair, full_ideal=True)


@dataclass(frozen=True, eq=False)
class _Share:
    """The maximum of N/I, a difference of two sums over the sum of the ideal list.

    I depends only on the number of unjudged documents with each gain. So N is at its maximum if the
    documents that favour the first list most have the highest gains. In that order the gains fall,
    and the documents are cut into groups of equal gain. For a given λ, the cuts that maximise N −
    λI are found gain by gain, each with one pass over the documents. λ = N/I of these cuts is then
    equal or larger, and is iterated until it no longer rises (Dinkelbach 1967).
    """

    differences: Floats  # [topics] N if no unjudged document is worth anything
    gained: Floats  # [topics, documents + 1] Σ (w_A − w_B) of the first so many
    lost: Floats  # [topics, documents + 1] N of the others, which are worth 0 or less
    exists: Bools  # [topics, documents + 1] whether there are so many
    weights: Floats  # [ranks + 1] Σ w of the first so many ranks of an ideal list
    gains: Floats  # above 0, falling
    counts: Ints  # [worths, topics] how many judged items are worth so much or more

    @classmethod
    def from_pair(cls, pair: Pair, sign: float, full_ideal: bool) -> _Share:
        """Build the problem: maximise the difference, or the reversed difference."""
        m, x = pair.m, pair.a.lists
        filled, of_a, of_b = pair.weights
        change = sign * (of_a - of_b)
        if sign < 0:  # the other end first, padding last
            order = np.argsort(np.where(filled, -change, np.inf), axis=1, kind="stable")
            change = _take_columns(change, order)
        ideal = x.whole_ideal if full_ideal else x.ideal
        judged, gains = (pair.terms(m, ideal).gain, pair.possible_gains[pair.possible_gains > 0][::-1])
        zeros, harm = np.zeros((len(x), 1)), np.maximum(pair.possible_gains[0] * change, 0.0)
        sums = [total(pair.terms(m, full.lists).products) for full in (pair.a, pair.b)]
        return cls(
            sign * (sums[0] - sums[1]),
            np.concatenate((zeros, np.cumsum(change, axis=1)), axis=1),
            np.concatenate((_sum_from_bottom(harm), zeros), axis=1),
            np.concatenate((zeros == 0, filled), axis=1),
            _cumulate_weights(pair, ideal, judged.shape[1] + filled.shape[1]),
            gains,
            np.array([(judged >= gain).sum(axis=1) for gain in gains], dtype=np.int64),
        )

    def compute_maximum(self) -> Floats:
        """Return the maximum of N/I, 0 if I is 0."""
        share = self._solve_cuts(np.zeros(len(self.differences)))
        for _ in range(_STEPS):
            candidate = self._solve_cuts(np.where(np.isfinite(share), share, 0.0))
            if not (candidate > share).any():
                break
            share = np.maximum(share, candidate)
        empty = self._ideal_of_judged == 0
        return np.where(empty, np.maximum(share, 0.0), share)

    @property
    def _ideal_of_judged(self) -> Floats:
        """I if all unjudged documents have no gain."""
        to_here = self.weights[self.counts]  # [worths, topics]
        steps = np.diff(to_here, axis=0, prepend=0.0)
        return to_floats((self.gains[:, None] * steps).sum(axis=0))

    def _solve_cuts(self, guess: Floats) -> Floats:
        """Return N/I of the cuts that maximise N − λI, −∞ if I is 0 in all."""
        size = np.arange(self.gained.shape[1])
        N = np.where(size == 0, 0.0, -np.inf) + np.zeros_like(self.gained)
        I, rate = np.zeros_like(N), guess[:, None]
        previous = np.zeros(len(guess), dtype=np.int64)
        for gain, count in zip(self.gains, self.counts, strict=True):
            ideal_above = self.weights[size + previous[:, None]]
            key = N - rate * I - gain * (self.gained - rate * ideal_above)
            new = key >= np.maximum.accumulate(key, axis=1)  # the most so far
            last = np.maximum.accumulate(np.where(new, size, 0), axis=1)
            N = _take_columns(N, last) + gain * (self.gained - _take_columns(self.gained, last))
            to_here = self.weights[size + count[:, None]]
            I = _take_columns(I, last) + gain * (to_here - _take_columns(ideal_above, last))
            previous = count
        N = self.differences[:, None] + N + self.lost
        value = np.where(self.exists & (I > 0), N - rate * I, -np.inf)
        best_column = np.argmax(value, axis=1)[:, None]
        share = ratio(_take_columns(np.where(I > 0, N, 0.0), best_column), _take_columns(I, best_column))[:, 0]
        return np.where(_take_columns(I, best_column)[:, 0] > 0, share, -np.inf)


def _cumulate_weights(pair: Pair, ideal: Lists, ranks: int) -> Floats:
    """Return Σ w of the first 0, 1, 2, … ranks of an ideal list, 0 beyond the cutoff."""
    rows, zeros = _broadcast_ranks(ideal, ranks), np.zeros((len(ideal), ranks))
    empty = replace(ideal, r=rows, level=zeros, judged=zeros > 0)
    weight = np.broadcast_to(pair.terms(pair.m, empty).weight, zeros.shape)[0]
    counted_ranks = np.arange(ranks) < (ranks if ideal.l is None else ideal.l)
    return np.append(0.0, np.cumsum(weight * counted_ranks))


def _take_columns(x: Floats, columns: Ints) -> Floats:
    return np.take_along_axis(x, columns, axis=1)


# -- the table of measures ------------------------------------------------------------------------


def _make_relevant_terms(weight: Callable[[Lists], Floats]) -> Callable[[Any, Lists], Terms]:
    return lambda m, x: Terms(x.I, weight(x))


def _make_ones(x: Lists) -> Floats:
    return np.ones((1, 1))


def _get_gain_terms(m: Any, x: Lists) -> Terms:
    return Terms(x.g, _make_ones(x))


def _get_discounted_terms(m: Any, x: Lists) -> Terms:
    return Terms(x.g, 1.0 / DISCOUNTS[m.discount](x.r, m.b))


def _get_rank_biased_terms(m: Any, x: Lists) -> Terms:
    g, g_h = (x.g, x.g_h) if m.rel is None else (x.I, 1.0)
    return Terms(g, ratio((1.0 - m.p) * compute_powers(m.p, x.r - 1), g_h))


_RELEVANT = _make_relevant_terms(_make_ones)
_RECIPROCAL = _make_relevant_terms(lambda x: 1.0 / x.r)

BOUNDED: dict[str, tuple[Callable[[Pair], Ends], Callable[[Any, Lists], Terms]]] = {
    "P": (compute_sum_bounds, _make_relevant_terms(lambda x: ratio(1.0, count_ranks(x)).reshape(-1, 1))),
    "SetP": (compute_sum_bounds, _make_relevant_terms(lambda x: ratio(1.0, count_returned(x)).reshape(-1, 1))),
    "DCG": (compute_sum_bounds, _get_discounted_terms),
    "RBP": (compute_sum_bounds, _get_rank_biased_terms),
    "nDCG": (compute_share_bounds, _get_discounted_terms),
    "nRBP": (compute_share_bounds, _get_rank_biased_terms),
    "nCG": (compute_share_bounds, _get_gain_terms),
    "Recall": (compute_full_share_bounds, _RELEVANT),
    "SetRecall": (compute_full_share_bounds, _RELEVANT),
    "RelP": (compute_share_bounds, _RELEVANT),
    "RR": (compute_best_bounds, _RECIPROCAL),
    "Success": (compute_best_bounds, _RELEVANT),
    "AP": (compute_ap_bounds, _RELEVANT),
    "GMAP": (compute_ap_bounds, _RELEVANT),
    "ERR": (compute_monotone_bounds, _RELEVANT),
    "iRBU": (compute_monotone_bounds, _RELEVANT),
}
"""The bounds of a score difference and the terms of a score, by measure name."""


def is_bounded(m: Measure) -> bool:
    """Return True if bounds are known. They are not if unjudged items are omitted."""
    is_supported = is_built_in(type(m)) and not (m.condensed or m.measurement)
    own_length = type(m).__name__ == "RelP" and m.cutoff is None  # min(n, R) of each list
    return type(m).__name__ in BOUNDED and is_supported and not own_length


def compute_difference_bounds(m: Measure, a: FullLists, b: FullLists) -> Ends:
    """Return bounds of the scores of `a` minus the scores of `b`.

    They hold for any levels of the unjudged items.

    If `b` has no items, they are the bounds of `a` and always attained. Some are outer bounds of a
    difference, see `has_outer_bounds`.
    """
    bound, terms = BOUNDED[type(m).__name__]
    pair = Pair(m, a.restrict_to(m), b.restrict_to(m), terms)
    now = pair.difference  # which is possible, too, and exactly what it is
    low, high = (np.where(np.abs(end - now) <= TOLERANCE, now, end) for end in bound(pair))
    low, high = (np.where(np.abs(end) <= TOLERANCE, 0.0, end) for end in (low, high))
    return np.minimum(low, now), np.maximum(high, now)


class Effects(NamedTuple):
    """Changes of a difference if one unjudged document is judged, a row per document.

    They are exact for sums of gains. For other measures they only order documents: a gain at the
    rank, divided by the ideal list with one more document of the highest level.
    """

    topic: Ints
    doc: Ints
    low: Floats  # at most 0
    high: Floats  # at least 0


def compute_effects(m: Measure, a: FullLists, b: FullLists) -> Effects:
    """Return the effect of each unjudged document on the score of `a` minus the score of `b`."""
    bound, terms = BOUNDED[type(m).__name__]
    pair = Pair(m, a.restrict_to(m), b.restrict_to(m), terms)
    x = pair.a.lists
    if bound is compute_sum_bounds:
        weigh, scale = _bind_weight(pair), np.ones(len(x))
    elif bound in (compute_share_bounds, compute_full_share_bounds):
        weigh, ideal = _bind_weight(pair), x.whole_ideal if bound is compute_full_share_bounds else x.ideal
        best = pair.possible_gains.max() * _cumulate_weights(pair, ideal, 1)[1]
        scale = np.maximum(total(terms(m, ideal).products), best)
    else:
        weigh, scale = (lambda y: 1.0 / np.maximum(y.r, 1)), x.R + 1.0
    keys, of_a, of_b = pair.collect_weights(weigh)
    topic, doc = keys % len(x), keys // len(x)
    gains = pair.possible_gains
    changes = [gain * ratio(of_a - of_b, scale[topic]) for gain in (gains.max(), gains.min(), 0.0)]
    return Effects(topic, doc, np.minimum.reduce(changes), np.maximum.reduce(changes))


def _bind_weight(pair: Pair) -> Callable[[Lists], Floats]:
    return lambda x: pair.terms(pair.m, x).weight


def has_outer_bounds(m: Measure) -> bool:
    """Return True if the bounds of a difference can be too wide."""
    return is_bounded(m) and BOUNDED[type(m).__name__][0] in (compute_ap_bounds, compute_monotone_bounds)


def is_sum(m: Measure) -> bool:
    """Return True if the score is a sum of gains times rank weights."""
    return is_bounded(m) and BOUNDED[type(m).__name__][0] is compute_sum_bounds


SUMS = tuple(name for name, (bound, _) in BOUNDED.items() if bound is compute_sum_bounds)
"""Names of the measures that are sums."""


def compute_terms(m: Measure, x: Lists) -> Terms:
    """Return the gains of items and the weights of their ranks."""
    return BOUNDED[type(m).__name__][1](m, m.view(x))
