"""`Lists`: a block of ranked lists as the equations see them.

The names are the papers': r, I(r), C(r), g(r), cg(r), the ideal list's g*(r) and cg*(r), R, N,
l, h. Each is an array with one row per topic and one column per judged item of the list, in
order of rank; a quantity is computed when first asked for and remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from cranfield.errors import CranfieldError
from cranfield.labelling.blocks import Bools, Floats, Ints, Judgments, Rankings
from cranfield.measures.gains import Gain, gain_of, top_level

T = TypeVar("T")

BLOCK_CELLS = 1 << 19  # topics × columns of one block: a few megabytes per array


def ratio(numerator: Any, denominator: Any) -> Floats:
    """numerator / denominator, and 0 where nothing can be divided by (no relevant item)."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out: Floats = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def total(x: Any) -> Floats:
    """Σ_r x(r), from the top rank down.

    Added in the order of the ranks, so that padding, block size and threads cannot change the
    last bit (NumPy's own sum adds pairwise, in an order that depends on the width).
    """
    x = np.asarray(x, dtype=np.float64)
    return np.cumsum(x, axis=1)[:, -1] if x.shape[1] else np.zeros(x.shape[0])


class Gold:
    """The judgments of a block of topics, padded, with all that is derived from them."""

    def __init__(self, levels: Floats, judged: Bools, max_level: float, known: bool = True) -> None:
        self.levels, self.judged, self.max_level, self.known = levels, judged, max_level, known
        self._remembered: dict[Any, Any] = {}

    def remember(self, key: Any, compute: Callable[[], T]) -> T:
        """The value under `key`, computed once per block, whatever the number of runs."""
        if key not in self._remembered:
            self._remembered[key] = compute()
        value: T = self._remembered[key]
        return value

    @property
    def ideal(self) -> Lists:
        """The ideal lists: all judged items, best first."""
        return self.remember("ideal", self._ideal)

    def _ideal(self) -> Lists:
        n, width = self.levels.shape
        ranks = np.broadcast_to(np.arange(1, width + 1), (n, width))
        length = self.judged.sum(axis=1)
        return Lists(ranks, self.levels, self.judged, length, self, is_ideal=True)


class NeedsJudgments(CranfieldError):
    """A measure asked for what only the judgments can tell, and there are none."""


class Lists:
    """A block of ranked lists, seen through a cutoff, a gain and a threshold.

    | name | meaning |
    |---|---|
    | `r` | ranks of the judged items |
    | `level`, `judged` | their levels; which cells hold an item (the rest is padding) |
    | `I`, `C` | relevance flag, relevant items so far |
    | `g`, `cg` | gain, cumulative gain |
    | `ideal` | the ideal list, with the same attributes |
    | `cg_ideal` | cg*(r), the ideal list's cumulative gain at rank r |
    | `R`, `N` | relevant and nonrelevant items known for the topic |
    | `n`, `l` | length of the list; the cutoff or None |
    | `h`, `g_h` | the highest level, and its gain |
    """

    def __init__(
        self,
        r: Ints,
        level: Floats,
        judged: Bools,
        n: Ints,
        gold: Gold,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gain: Gain = "linear",
        max_level: float | None = None,
        is_ideal: bool = False,
    ) -> None:
        self.r, self.level, self.judged, self.n, self.gold = r, level, judged, n, gold
        self.l, self.rel, self.gain, self.max_level = cutoff, rel, gain, max_level
        self.is_ideal = is_ideal
        self._views: dict[Any, Lists] = {}

    def __len__(self) -> int:
        return len(self.n)

    # -- views ------------------------------------------------------------------------------

    def view(
        self,
        cutoff: int | None = None,
        *,
        rel: float | None = None,
        gain: Gain = "linear",
        max_level: float | None = None,
    ) -> Lists:
        """The same lists cut at `cutoff`, with this gain and threshold."""
        key = (cutoff, rel, gain, max_level)
        if key not in self._views:
            r, level, judged = self.r, self.level, self.judged
            if cutoff is not None:  # the k-th judged item cannot stand above rank k
                r, level, judged = r[:, :cutoff], level[:, :cutoff], judged[:, :cutoff]
                judged = judged & (r <= cutoff)
            self._views[key] = Lists(
                r,
                level,
                judged,
                self.n,
                self.gold,
                cutoff=cutoff,
                rel=rel,
                gain=gain,
                max_level=max_level,
                is_ideal=self.is_ideal,
            )
        return self._views[key]

    @cached_property
    def condensed(self) -> Lists:
        """These lists without their unjudged items."""
        ranks = np.broadcast_to(np.arange(1, self.r.shape[1] + 1), self.r.shape)
        return Lists(ranks, self.level, self.judged, self.judged.sum(axis=1), self.gold)

    @property
    def ideal(self) -> Lists:
        """The ideal lists under the same cutoff, gain and threshold."""
        if self.is_ideal:
            return self
        self._need("an ideal list")
        return self.gold.ideal.view(self.l, rel=self.rel, gain=self.gain, max_level=self.max_level)

    # -- quantities -------------------------------------------------------------------------

    @cached_property
    def I(self) -> Floats:  # noqa: E743
        """I(r): 1 where the item is relevant, else 0."""
        return self._relevant(self.level, self.judged).astype(np.float64)

    @cached_property
    def C(self) -> Floats:
        """C(r): relevant items down to rank r."""
        return np.cumsum(self.I, axis=1)

    @cached_property
    def g(self) -> Floats:
        """g(r): the gain of the item."""
        return self._gains(self.level, self.judged)

    @cached_property
    def cg(self) -> Floats:
        """cg(r): the gains down to rank r, added up."""
        return np.cumsum(self.g, axis=1)

    @cached_property
    def cg_ideal(self) -> Floats:
        """cg*(r): the ideal list's cumulative gain at the ranks of this list."""
        cg = self.ideal.cg
        width = cg.shape[1]
        if not width:
            return np.zeros(self.r.shape)
        at: Floats = np.take_along_axis(cg, np.minimum(self.r, width) - 1, axis=1)
        return at

    @property
    def R(self) -> Floats:
        """R: the number of items known to be relevant to the topic."""
        self._need("the number of relevant items")
        return self.gold.remember(
            ("R", self.rel, self.gain),
            lambda: (
                self._relevant(self.gold.levels, self.gold.judged).sum(axis=1).astype(np.float64)
            ),
        )

    @property
    def N(self) -> Floats:
        """N: the number of items judged nonrelevant to the topic."""
        N: Floats = self.gold.judged.sum(axis=1) - self.R
        return N

    @property
    def h(self) -> float:
        """h: the highest level: declared, else the highest in all the judgments."""
        declared = self.max_level if self.max_level is not None else top_level(self.gain)
        if declared is not None:
            return declared
        self._need("the highest level (max_level=)")
        return self.gold.max_level

    @property
    def g_h(self) -> float:
        """The gain of the highest level."""
        return float(gain_of(self.gain, np.array([self.h]))[0])

    def _gains(self, level: Floats, judged: Bools) -> Floats:
        kept = judged if self.rel is None else judged & (level >= self.rel)
        if self.max_level is not None:  # declared: no level counts for more
            level = np.minimum(level, self.max_level)
        return np.where(kept, gain_of(self.gain, np.where(judged, level, 0.0)), 0.0)

    def _relevant(self, level: Floats, judged: Bools) -> Bools:
        """level ≥ rel where a threshold is given, else gain > 0."""
        if self.rel is not None:
            return judged & (level >= self.rel)
        return self._gains(level, judged) > 0

    def _need(self, what: str) -> None:
        if not self.gold.known:
            raise NeedsJudgments(f"needs {what}: give all judged levels of the topic as judged=[…]")


def blocks(judgments: Judgments, cells: int = BLOCK_CELLS) -> list[tuple[int, int]]:
    """Topic ranges of bounded size, the same for every run."""
    ranges, start, width = [], 0, 0
    for t, count in enumerate(judgments.counts.tolist()):
        widest = max(width, count)
        if t > start and widest * (t + 1 - start) > cells:
            ranges.append((start, t))
            start, widest = t, count
        width = widest
    if len(judgments.topics) > start:
        ranges.append((start, len(judgments.topics)))
    return ranges


def gold_block(judgments: Judgments, start: int, stop: int) -> Gold:
    """The judgments of the topics start..stop-1, padded."""
    judged, cells = _padding(judgments.offsets[start : stop + 1])
    levels = np.zeros(judged.shape)
    levels[judged] = judgments.levels[cells]
    return Gold(levels, judged, judgments.max_level)


def lists_block(
    rankings: Rankings, judgments: Judgments, gold: Gold, start: int, stop: int
) -> Lists:
    """The lists of the topics start..stop-1, padded: past the end, the rank is length + 1."""
    judged, cells = _padding(rankings.offsets[start : stop + 1])
    n = rankings.lengths[start:stop]
    r = np.repeat(n[:, None] + 1, judged.shape[1], axis=1)
    level = np.zeros(judged.shape)
    r[judged] = rankings.ranks[cells]
    level[judged] = judgments.levels[rankings.items[cells]]
    return Lists(r, level, judged, n, gold)


def _padding(offsets: Ints) -> tuple[Bools, slice]:
    """Which cells of a padded block are filled, and by which slice of the flat arrays."""
    counts = np.diff(offsets)
    width = int(counts.max(initial=0))
    return np.arange(width) < counts[:, None], slice(int(offsets[0]), int(offsets[-1]))
