"""What unjudged items could still change: the least and the most a difference can be.

Judgments may be completed in many ways: each unjudged item that a measure looks at, in either of
two lists, gets a level of the collection, or is of no use. Over all completions, a difference of
two scores is between two bounds. `BOUNDED` is the table of the measures of which they are known:

- a sum of what items are worth, times the weight of their rank (`added`): an item that both lists
  have counts once, with both weights;
- such a sum as a share of the ideal list's (`shared`): the ideal list grows, too;
- the best such product (`best`): one more relevant item is the worst, or the best, that can happen;
- average precision (`averaged`), and what only rises with the levels of its items (`rising`): each
  list at its best and at its worst.

All but the last two are attained by some completion, and so are those of one list. The last two are
outer bounds of a difference: it is never outside, but the ends may be out of reach, because an item
that both lists have would need two levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.labelling.blocks import distinct
from cranfield.measures.base import Measure, is_built_in
from cranfield.measures.dcg import DISCOUNTS, powers
from cranfield.measures.gains import top_level
from cranfield.measures.lists import Lists, above, floats, ratio, scattered, total
from cranfield.measures.ncu import stops_of
from cranfield.measures.sets import returned, shown_items

Ends: TypeAlias = tuple[Floats, Floats]  # [topics] the least and the most
_STEPS = 100  # of a search that takes four or five


@dataclass(frozen=True, eq=False)
class Seen:
    """A block of lists, every item down to a rank in a column of its own, judged or not."""

    lists: Lists  # where an item is not judged, it is of no use
    docs: Ints  # [topics, items] which unjudged document it is, of its topic; −1: it is judged

    def by(self, m: Measure) -> Seen:
        """What a measure sees of them."""
        x = m.view(self.lists)
        return Seen(x, self.docs[:, : x.r.shape[1]])

    @cached_property
    def unjudged(self) -> Bools:
        """Which items are unjudged."""
        return self.docs >= 0

    @property
    def keys(self) -> Ints:
        """A number for each unjudged document of each topic, from the first list to the last."""
        return self.docs[self.unjudged] * len(self.docs) + np.nonzero(self.unjudged)[0]

    def at_best(self, level: float) -> Lists:
        """The lists if every unjudged item were of this level."""
        x = self.lists
        return replace(
            x, level=np.where(self.unjudged, level, x.level), judged=x.judged | self.unjudged
        )


class Terms(NamedTuple):
    """What items are worth, and what the ranks they stand at are."""

    worth: Floats
    weight: Floats

    @property
    def products(self) -> Floats:
        """What each adds to a sum."""
        return self.worth * self.weight


@dataclass(frozen=True, eq=False)
class Pair:
    """Two blocks of lists as a measure sees them, and the unjudged documents of both."""

    m: Any
    a: Seen
    b: Seen
    terms: Callable[[Any, Lists], Terms]

    @cached_property
    def difference(self) -> Floats:
        """The scores of the first less those of the second, unjudged items being of no use."""
        return floats(self.m.score(self.a.lists) - self.m.score(self.b.lists))

    @cached_property
    def levels(self) -> Floats:
        """The levels that judgments may have."""
        x = self.a.lists
        known, table = x.gold.distinct, top_level(x.gain)
        highest = x.max_level if x.max_level is not None else table
        if highest is None:
            highest = x.gold.max_level or 1.0  # if nothing is relevant yet
        return distinct(np.append(known[known <= highest], [0.0, highest]))

    @cached_property
    def worths(self) -> Floats:
        """What an unjudged item may be worth: nothing, or as one of any level."""
        x, n = self.a.lists, len(self.levels)
        rows = np.broadcast_to(self.levels, (len(x), n))
        every = replace(x, r=_ranks(x, n), level=rows, judged=np.ones(rows.shape, dtype=bool))
        return distinct(np.append(self.terms(self.m, every).worth[:1], 0.0))

    @cached_property
    def weights(self) -> tuple[Bools, Floats, Floats]:
        """The weights of each unjudged document in the first list and in the second, 0 where it is
        not there; those that favour the first most come first. Which cells hold one, and both:
        [topics, documents].
        """
        known = np.unique(np.concatenate((self.a.keys, self.b.keys)))
        of_a, of_b = np.zeros((2, len(known)))
        for weights, seen in ((of_a, self.a), (of_b, self.b)):
            weight = self.terms(self.m, seen.lists).weight
            cells = np.broadcast_to(weight, seen.docs.shape)[seen.unjudged]
            weights[np.searchsorted(known, seen.keys)] = cells
        topic = known % len(self.a.docs)
        order = np.lexsort((of_b - of_a, topic))
        count = np.bincount(topic, minlength=len(self.a.lists))
        there = np.arange(count.max(initial=0)) < count[:, None]
        return there, floats(scattered(there, of_a[order])), floats(scattered(there, of_b[order]))

    @cached_property
    def outside(self) -> tuple[Ints, Ints]:
        """How many unjudged documents only the second list has, and how many only the first."""
        every = self.weights[0].sum(axis=1)
        return every - self.a.unjudged.sum(axis=1), every - self.b.unjudged.sum(axis=1)


def _ranks(x: Lists, n: int) -> Ints:
    return np.broadcast_to(np.arange(1, n + 1), (len(x), n))


# -- the bounds of a difference -------------------------------------------------------------------


def added(pair: Pair) -> Ends:
    """Of sums: D + Σ min(0, w_A − w_B)·g and D + Σ max(0, w_A − w_B)·g, over unjudged documents."""
    _, of_a, of_b = pair.weights
    most, least = pair.worths.max(), pair.worths.min()
    changes = most * (of_a - of_b), least * (of_a - of_b)
    low, high = np.minimum(*changes), np.maximum(*changes)
    return pair.difference + total(low), pair.difference + total(high)


def best(pair: Pair) -> Ends:
    """Of the best product: only one more relevant item matters, the first of its list."""
    there, *weights = pair.weights
    now = [pair.m.score(seen.lists)[:, None] for seen in (pair.a, pair.b)]
    then = [
        np.maximum(score, pair.worths.max() * weight)
        for score, weight in zip(now, weights, strict=True)
    ]
    every = np.concatenate((now[0] - now[1], np.where(there, then[0] - then[1], 0.0)), axis=1)
    return _ends(every, np.append(np.full((len(there), 1), True), there, axis=1))


def _ends(values: Floats, there: Bools) -> Ends:
    """The least and the most of the values that are there."""
    low, high = np.where(there, values, np.inf), np.where(there, values, -np.inf)
    return low.min(axis=1), high.max(axis=1)


def rising(pair: Pair) -> Ends:
    """Of what only rises: each list as it is, or with all unjudged items of the highest level."""
    level = pair.levels.max()
    (low_a, high_a), (low_b, high_b) = (
        (pair.m.score(seen.lists), pair.m.score(seen.at_best(level))) for seen in (pair.a, pair.b)
    )
    return low_a - high_b, high_a - low_b


def averaged(pair: Pair) -> Ends:
    """Of average precision: each list at its best and at its worst."""
    if not pair.worths.max() > 0:
        return pair.difference, pair.difference
    lists = zip((pair.a, pair.b), pair.outside, strict=True)
    (low_a, high_a), (low_b, high_b) = (_of_precisions(pair.m, *one) for one in lists)
    return low_a - high_b, high_a - low_b


def _of_precisions(m: Any, seen: Seen, outside: Ints) -> Ends:
    """The least and the most AP of each list, if `outside` documents that it lacks may be relevant.

    At best the first t unjudged items are relevant, for some t; at worst those outside, then the
    last t: R is then larger, and no other t items add less, or more, to the sum of precisions.
    """
    x, new = seen.lists, seen.unjudged.astype(np.float64)
    found = total(x.I * x.C / x.r)[:, None]
    below = _from_below(x.I / x.r)  # what one more relevant item above adds to the others'
    down = np.cumsum(new * ((x.C + np.cumsum(new, axis=1)) / x.r + below), axis=1)
    up = _to_the_top(new * ((x.C + 1.0) / x.r + below + _from_below(new / x.r)))
    R, more = x.R[:, None], outside[:, None]

    def scores(gained: Floats, relevant: Floats) -> Floats:
        return ratio(found + gained, stops_of(m, x, relevant))

    none = scores(np.zeros_like(found), np.concatenate((R, R + more), axis=1))
    highest = scores(down, R + np.cumsum(new, axis=1)).max(axis=1, initial=-np.inf)
    lowest = scores(up, R + more + _to_the_top(new)).min(axis=1, initial=np.inf)
    return np.minimum(none.min(axis=1), lowest), np.maximum(none[:, 0], highest)


def _to_the_top(x: Floats) -> Floats:
    """Σ_{k≥r} x(k), added from the bottom up."""
    return np.cumsum(x[:, ::-1], axis=1)[:, ::-1]


def _from_below(x: Floats) -> Floats:
    """Σ_{k>r} x(k)."""
    return above(x[:, ::-1])[:, ::-1]


def shared(pair: Pair, whole: bool = False) -> Ends:
    """Of shares of the ideal list's sum, which ends at the cutoff, or is that of the `whole` list:
    see `_Share`.
    """
    low, high = (_Share.of(pair, sign, whole).most() for sign in (-1.0, 1.0))
    return -low, high


def shared_by_all(pair: Pair) -> Ends:
    """Of shares of all that is relevant."""
    return shared(pair, whole=True)


@dataclass(frozen=True, eq=False)
class _Share:
    """The most that N/I can be: N the difference of two sums, I the sum of the ideal list.

    I depends on how many unjudged documents are of which worth, not on which they are. So N is at
    its most where those that favour the first list most are worth most, and the documents in that
    order have falling worths: they are cut into those of the highest, of the second highest, …
    Given λ, the cuts with the most N − λI are found worth by worth, each by one pass over the
    documents; λ = N/I of these cuts is then as large or larger, until it no longer rises
    (Dinkelbach 1967).
    """

    differences: Floats  # [topics] N if no unjudged document is worth anything
    gained: Floats  # [topics, documents + 1] Σ (w_A − w_B) of the first so many
    lost: Floats  # [topics, documents + 1] N of the others, which are worth 0 or less
    known: Bools  # [topics, documents + 1] whether there are so many
    weights: Floats  # [ranks + 1] Σ w of the first so many ranks of an ideal list
    worths: Floats  # above 0, falling
    counts: Ints  # [worths, topics] how many judged items are worth so much or more

    @classmethod
    def of(cls, pair: Pair, sign: float, whole: bool) -> _Share:
        """What is to be as large as possible: the difference, or the difference the other way."""
        m, x = pair.m, pair.a.lists
        there, of_a, of_b = pair.weights
        change = sign * (of_a - of_b)
        if sign < 0:  # the other end first, padding last
            order = np.argsort(np.where(there, -change, np.inf), axis=1, kind="stable")
            change = _taken(change, order)
        ideal = x.whole_ideal if whole else x.ideal
        judged, worths = pair.terms(m, ideal).worth, pair.worths[pair.worths > 0][::-1]
        nothing, harm = np.zeros((len(x), 1)), np.maximum(pair.worths[0] * change, 0.0)
        own = [total(pair.terms(m, seen.lists).products) for seen in (pair.a, pair.b)]
        return cls(
            sign * (own[0] - own[1]),
            np.concatenate((nothing, np.cumsum(change, axis=1)), axis=1),
            np.concatenate((_to_the_top(harm), nothing), axis=1),
            np.concatenate((nothing == 0, there), axis=1),
            _weights_to(pair, ideal, judged.shape[1] + there.shape[1]),
            worths,
            np.array([(judged >= worth).sum(axis=1) for worth in worths], dtype=np.int64),
        )

    def most(self) -> Floats:
        """The most that N/I can be; 0 if I is."""
        share = self._at(np.zeros(len(self.differences)))
        for _ in range(_STEPS):
            found = self._at(np.where(np.isfinite(share), share, 0.0))
            if not (found > share).any():
                break
            share = np.maximum(share, found)
        empty = self._ideal_of_judged == 0
        return np.where(empty, np.maximum(share, 0.0), share)

    @property
    def _ideal_of_judged(self) -> Floats:
        """I if no unjudged document is worth anything."""
        to_here = self.weights[self.counts]  # [worths, topics]
        steps = np.diff(to_here, axis=0, prepend=0.0)
        return floats((self.worths[:, None] * steps).sum(axis=0))

    def _at(self, guess: Floats) -> Floats:
        """N/I of the cuts with the most N − λI, for a λ of each topic; −∞ if I is 0 in all."""
        size = np.arange(self.gained.shape[1])
        N = np.where(size == 0, 0.0, -np.inf) + np.zeros_like(self.gained)
        I, rate = np.zeros_like(N), guess[:, None]
        before = np.zeros(len(guess), dtype=np.int64)
        for worth, count in zip(self.worths, self.counts, strict=True):
            above_it = self.weights[size + before[:, None]]
            key = N - rate * I - worth * (self.gained - rate * above_it)
            new = key >= np.maximum.accumulate(key, axis=1)  # the most so far
            last = np.maximum.accumulate(np.where(new, size, 0), axis=1)
            N = _taken(N, last) + worth * (self.gained - _taken(self.gained, last))
            to_here = self.weights[size + count[:, None]]
            I = _taken(I, last) + worth * (to_here - _taken(above_it, last))
            before = count
        N = self.differences[:, None] + N + self.lost
        value = np.where(self.known & (I > 0), N - rate * I, -np.inf)
        chosen = np.argmax(value, axis=1)[:, None]
        found = ratio(_taken(np.where(I > 0, N, 0.0), chosen), _taken(I, chosen))[:, 0]
        return np.where(_taken(I, chosen)[:, 0] > 0, found, -np.inf)


def _weights_to(pair: Pair, ideal: Lists, ranks: int) -> Floats:
    """Σ w of the first 0, 1, 2, … ranks of an ideal list; beyond the cutoff they weigh nothing."""
    rows, none = _ranks(ideal, ranks), np.zeros((len(ideal), ranks))
    empty = replace(ideal, r=rows, level=none, judged=none > 0)
    weight = np.broadcast_to(pair.terms(pair.m, empty).weight, none.shape)[0]
    seen = np.arange(ranks) < (ranks if ideal.l is None else ideal.l)
    return np.append(0.0, np.cumsum(weight * seen))


def _taken(x: Floats, columns: Ints) -> Floats:
    return np.take_along_axis(x, columns, axis=1)


# -- the table of measures ------------------------------------------------------------------------


def _relevant(weight: Callable[[Lists], Floats]) -> Callable[[Any, Lists], Terms]:
    """Of measures that count relevant items."""
    return lambda m, x: Terms(x.I, weight(x))


def _ones(x: Lists) -> Floats:
    return np.ones((1, 1))


def _gains(m: Any, x: Lists) -> Terms:
    return Terms(x.g, _ones(x))


def _discounted(m: Any, x: Lists) -> Terms:
    return Terms(x.g, 1.0 / DISCOUNTS[m.discount](x.r, m.b))


def _rank_biased(m: Any, x: Lists) -> Terms:
    g, g_h = (x.g, x.g_h) if m.rel is None else (x.I, 1.0)
    return Terms(g, ratio((1.0 - m.p) * powers(m.p, x.r - 1), g_h))


_EACH = _relevant(_ones)
_FIRST = _relevant(lambda x: 1.0 / x.r)

BOUNDED: dict[str, tuple[Callable[[Pair], Ends], Callable[[Any, Lists], Terms]]] = {
    "P": (added, _relevant(lambda x: ratio(1.0, shown_items(x)).reshape(-1, 1))),
    "SetP": (added, _relevant(lambda x: ratio(1.0, returned(x)).reshape(-1, 1))),
    "DCG": (added, _discounted),
    "RBP": (added, _rank_biased),
    "nDCG": (shared, _discounted),
    "nRBP": (shared, _rank_biased),
    "nCG": (shared, _gains),
    "Recall": (shared_by_all, _EACH),
    "SetRecall": (shared_by_all, _EACH),
    "RelP": (shared, _EACH),
    "RR": (best, _FIRST),
    "Success": (best, _EACH),
    "AP": (averaged, _EACH),
    "GMAP": (averaged, _EACH),
    "ERR": (rising, _EACH),
    "iRBU": (rising, _EACH),
}
"""How a difference of scores is bounded, and the terms of a score, by the names of measures."""


def is_bounded(m: Measure) -> bool:
    """Whether it is known what unjudged items could change: not where they are left out."""
    plain = is_built_in(type(m)) and not (m.condensed or m.measurement)
    own_length = type(m).__name__ == "RelP" and m.cutoff is None  # min(n, R) of each list
    return type(m).__name__ in BOUNDED and plain and not own_length


def difference_bounds(m: Measure, a: Seen, b: Seen) -> Ends:
    """Return bounds of the scores of `a` less those of `b`, whatever the unjudged items are.

    They are the bounds of `a` alone if `b` has no items, and then always attained. Some are outer
    bounds of a difference, see `has_outer_bounds`.
    """
    bound, terms = BOUNDED[type(m).__name__]
    pair = Pair(m, a.by(m), b.by(m), terms)
    now = pair.difference  # which is possible, too, and exactly what it is
    low, high = (np.where(np.abs(end - now) <= TOLERANCE, now, end) for end in bound(pair))
    low, high = (np.where(np.abs(end) <= TOLERANCE, 0.0, end) for end in (low, high))
    return np.minimum(low, now), np.maximum(high, now)


def has_outer_bounds(m: Measure) -> bool:
    """Return True if the bounds of a difference may be wider than what is possible."""
    return is_bounded(m) and BOUNDED[type(m).__name__][0] in (averaged, rising)


def is_sum(m: Measure) -> bool:
    """Whether its score is a sum of what items are worth, times the weights of their ranks."""
    return is_bounded(m) and BOUNDED[type(m).__name__][0] is added


SUMS = tuple(name for name, (bound, _) in BOUNDED.items() if bound is added)
"""The names of measures that are sums."""


def terms_of(m: Measure, x: Lists) -> Terms:
    """What the items that a measure looks at are worth, and the weights of their ranks."""
    return BOUNDED[type(m).__name__][1](m, m.view(x))
