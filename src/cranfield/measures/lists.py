"""`Lists`: a block of ranked lists as the equations see them.

The names are the papers': r, I(r), C(r), g(r), cg(r), the ideal list's g*(r) and cg*(r), R, N,
l, h. Each is an array with one row per topic and one column per judged item of the list, in
order of rank; a quantity is computed when first asked for and remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError
from cranfield.labelling.blocks import Intents, Judgments, Names, Rankings, spans
from cranfield.labelling.blocks import distinct as distinct_of
from cranfield.measures.gains import Gain, gain_of, top_level

T = TypeVar("T")

BLOCK_CELLS = 1 << 19  # topics × columns of one block: a few megabytes per array
DENSE_CELLS = 1 << 16  # topics × ranks where every rank counts: some ten arrays stay in the cache


def floats(x: Any) -> Floats:
    """An array as what it is, of doubles: where its type is lost to the type checker."""
    return np.asarray(x, dtype=np.float64)


def ratio(numerator: Any, denominator: Any) -> Floats:
    """numerator / denominator, and 0 where nothing can be divided by (no relevant item)."""
    out: Floats = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=out, where=np.not_equal(denominator, 0))
    return out


def total(x: Any) -> Floats:
    """Σ_r x(r), from the top rank down.

    Added in the order of the ranks, so that padding, block size and threads cannot change the
    last bit (NumPy's own sum adds pairwise, in an order that depends on the width).
    """
    x = floats(x)
    return np.cumsum(x, axis=1)[:, -1] if x.shape[1] else np.zeros(x.shape[0])


def scattered(there: Bools, values: Any, padding: float = 0) -> Any:
    """Values one after the other, put where something is there; the rest is padding."""
    cells = np.full((*there.shape, *values.shape[1:]), padding, dtype=values.dtype)
    cells[there] = values
    return cells


def above(x: Any) -> Floats:
    """Σ_{k<r} x(k): what stands above each rank, added from the top down."""
    x = floats(x)
    return np.concatenate((np.zeros((len(x), 1)), np.cumsum(x, axis=1)), axis=1)[:, :-1]


@dataclass(frozen=True, eq=False)
class IntentBlock:
    """The intents of a block of topics, padded."""

    weights: Floats  # [topics, intents] how probable each is, or 1 where all are alike; 0: none
    alike: Floats  # [topics] then their number, else 0
    navigational: Bools  # [topics, intents]
    there: Bools  # [topics, intents] which ones are not padding
    levels: Floats  # [topics, items, intents] of all judged items, by document id, largest first
    judged: Bools  # [topics, items] which ones are not padding
    flat: Intents | None = None  # what it was made of
    names: tuple[tuple[str, ...], ...] = ()  # of the intents of each topic
    importance: Floats | None = None  # [topics, intents, verticals] Pr(v|i), where it is known

    @cached_property
    def p(self) -> Floats:
        """Pr(i|q): how probable each intent is."""
        return self.weights / np.where(self.alike > 0, self.alike, 1.0)[:, None]

    @cached_property
    def n(self) -> Floats:
        """The number of intents of each topic."""
        return floats(self.there.sum(axis=1))


class Strata(NamedTuple):
    """What the judgments of a block of topics were sampled from."""

    of: Floats  # the stratum of each level, padded
    every: Floats  # that of all judged items of the collection, flat


@dataclass(eq=False, repr=False)
class Remembers:
    """What keeps the values that were computed of it."""

    _remembered: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def remember(self, key: Any, compute: Callable[[], T]) -> T:
        """The value under `key`, computed once: of a Gold, whatever the number of runs."""
        if key not in self._remembered:
            self._remembered[key] = compute()
        value: T = self._remembered[key]
        return value


@dataclass(eq=False, repr=False)
class Gold(Remembers):
    """The judgments of a block of topics, padded, with all that is derived from them."""

    levels: Floats
    judged: Bools
    max_level: float
    known: bool = True  # whether these are all, and not only what the lists have
    traced: bool = False  # whether lists keep the steps of a computation
    # The levels of the whole collection, so that nothing depends on how blocks are cut.
    distinct: Any = None
    intents: IntentBlock | None = None
    tops: Floats | None = None  # the highest level of each topic, where that is what h means
    order: Ints | None = None  # which of the intents' items each level is of
    strata: Strata | None = None  # where judgments are a sample
    topics: tuple[str, ...] = ()  # their names, where they are known
    items: Ints | None = None  # [topics, items] of each level, if a measure asks for documents
    names: Names | None = None  # of documents, likewise

    def __post_init__(self) -> None:
        self.distinct = distinct_of(self.levels) if self.distinct is None else self.distinct

    @cached_property
    def ideal(self) -> Lists:
        """The ideal lists: all judged items, best first."""
        n, width = self.levels.shape
        ranks = np.broadcast_to(np.arange(1, width + 1), (n, width))
        length = self.judged.sum(axis=1)
        return Lists(ranks, self.levels, self.judged, length, self, is_ideal=True)

    def only(self, topics: Bools) -> Gold:
        """The judgments of some topics, where they are not for intents."""
        return Gold(
            self.levels[topics],
            self.judged[topics],
            self.max_level,
            distinct=self.distinct,
            topics=tuple(compress(self.topics, topics)),
            items=None if self.items is None else self.items[topics],
            names=self.names,
        )

    @property
    def judged_anywhere(self) -> frozenset[str]:
        """The ids of the documents that are judged for any topic of the collection."""
        if self.names is None:
            raise NeedsMore("needs the ids of documents: use cf.evaluate")
        return self.names.judged_anywhere

    def judged_docs(self, t: int) -> list[str]:
        """The documents of the ideal list of a topic."""
        if self.items is None or self.names is None:
            raise NeedsMore("needs the ids of judged documents: use cf.evaluate")
        return [self.names.judged[item] for item in self.items[t, self.judged[t]].tolist()]


class NeedsMore(CranfieldError):
    """A measure asked for what it was not given: judgments, or lengths."""


class Lengths(NamedTuple):
    """The lengths of the documents of a block of lists, in one unit, at its judged items."""

    own: Floats  # of the item
    above: Floats  # of all documents above it, judged or not


@dataclass(frozen=True)
class Costs:
    """Costs, or other numbers, of all items of some lists, one list after the other."""

    flat: Floats
    n: Ints  # lengths of the lists

    def to(self, width: int) -> Floats:
        """Those down to a rank, as [lists, width]; NaN beyond the end."""
        rows = spans(np.cumsum(self.n) - self.n, np.minimum(self.n, width))
        return floats(scattered(np.arange(width) < self.n[:, None], self.flat[rows], np.nan))

    def at(self, row: Ints, rank: Ints) -> Floats:
        """That of the item at a rank of a list, for many of them."""
        return floats(self.flat[(np.cumsum(self.n) - self.n)[row] + rank - 1])

    def of(self, row: int, width: int) -> Floats:
        """Those of one list, down to a rank."""
        begin = int(self.n[:row].sum())
        return self.flat[begin : begin + min(int(self.n[row]), width)]


@dataclass(eq=False, repr=False)
class Lists(Remembers):
    """A block of ranked lists, seen through a cutoff, a gain and a threshold.

    | name | meaning |
    |---|---|
    | `r` | ranks of the judged items |
    | `level`, `judged` | their levels; which cells hold an item (the rest is padding) |
    | `J`, `I`, `C` | judged flag, relevance flag, relevant items so far |
    | `first`, `r1` | 1 at the first relevant item; its rank |
    | `g`, `cg` | gain, cumulative gain |
    | `ideal` | the ideal list, with the same attributes, cut at the same rank |
    | `whole_ideal` | the ideal list, not cut |
    | `cg_ideal` | cg*(r), the ideal list's cumulative gain at rank r |
    | `R`, `N` | relevant and nonrelevant items known for the topic |
    | `n`, `l` | length of the list; the cutoff or None |
    | `h`, `g_h` | the highest level, and its gain |
    | `length(unit)`, `length_above(unit)` | of the document; of all documents above it |
    | `stratum` | what the item was sampled from, if judgments are a sample |
    | `topic(t)` | the topic of row t |
    | `docs(t)` | ids of the documents of row t, if the measure says `needs_documents` |

    `x.step(name, values)` gives the values back, and keeps them for `cranfield explain --on`;
    `x.ratio(a, b)` does so with the fraction that is the score.
    """

    r: Ints
    level: Floats
    judged: Bools
    n: Ints
    gold: Gold
    _: KW_ONLY
    cutoff: int | None = None
    rel: float | None = None
    gain: Gain = "linear"
    max_level: float | None = None
    is_ideal: bool = False
    lengths: Mapping[str, Lengths] = None  # type: ignore[assignment]  # {}
    costs: Costs | None = None  # of all items, judged or not
    documents: Costs | None = None  # their numbers, if a measure asks for documents
    by_intent: Floats | None = None  # [lists, items, intents] the level for each intent
    vertical: Floats | None = None  # [lists, items] the number of its kind of result, NaN: unknown
    stratum: Floats | None = None  # [lists, items] what it was sampled from, where that is known
    steps: dict[str, Any] = field(default_factory=dict, init=False)
    by_rank: dict[str, Floats] = field(default_factory=dict, init=False)  # steps of every rank
    fraction: tuple[Any, Any] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.l, self.lengths = self.cutoff, self.lengths or {}

    def __len__(self) -> int:
        return len(self.n)

    # -- views ------------------------------------------------------------------------------------

    def view(
        self,
        cutoff: int | None = None,
        *,
        rel: float | None = None,
        gain: Gain = "linear",
        max_level: float | None = None,
    ) -> Lists:
        """These lists cut at `cutoff`, with this gain and threshold."""
        seen: dict[str, Any] = {"cutoff": cutoff, "rel": rel, "gain": gain, "max_level": max_level}
        return self.remember(("view", *seen.values()), lambda: self._view(**seen))

    def _view(self, **seen: Any) -> Lists:
        judged, cutoff = self.judged, seen["cutoff"]
        if cutoff is not None:  # the k-th judged item cannot stand above rank k
            judged = judged[:, :cutoff] & (self.r[:, :cutoff] <= cutoff)
        width = judged.shape[1]
        return Lists(
            self.r[:, :width],
            self.level[:, :width],
            judged,
            self.n,
            self.gold,
            is_ideal=self.is_ideal,
            lengths={
                unit: Lengths(own[:, :width], before[:, :width])
                for unit, (own, before) in self.lengths.items()
            },
            documents=self.documents,
            by_intent=None if self.by_intent is None else self.by_intent[:, :width],
            vertical=None if self.vertical is None else self.vertical[:, :width],
            stratum=None if self.stratum is None else self.stratum[:, :width],
            **seen,
        )

    def by_ranks(self, values: Floats, width: int, unjudged: float) -> Floats:
        """Values of the judged items as [lists, width], with one for all other ranks."""
        made = np.full((len(self), width), unjudged)
        row, column = np.nonzero(self.judged & (self.r <= width))
        made[row, self.r[row, column] - 1] = values[row, column]
        return made

    def at_level(self, rel: float) -> Lists:
        """This view, with what is relevant decided by one level alone; not kept."""
        return self._view(cutoff=self.l, rel=rel, gain="binary", max_level=None)

    @cached_property
    def condensed(self) -> Lists:
        """These lists without their unjudged items."""
        ranks = np.broadcast_to(np.arange(1, self.r.shape[1] + 1), self.r.shape)
        lengths = {unit: Lengths(own, above(own)) for unit, (own, _) in self.lengths.items()}
        n = self.judged.sum(axis=1)
        row, column = np.nonzero(self.judged)
        costs, documents = (
            None if given is None else Costs(given.at(row, self.r[row, column]), n)
            for given in (self.costs, self.documents)
        )
        kept: dict[str, Any] = {"costs": costs, "documents": documents}
        return replace(self, r=ranks, n=n, lengths=lengths, is_ideal=False, **kept)

    def topic(self, t: int) -> str:
        """The name of the topic of a list."""
        if not self.gold.topics:
            raise NeedsMore("needs the topic: use cf.evaluate")
        return self.gold.topics[t]

    def docs(self, t: int) -> list[str]:
        """The documents of a list, from the top down to the cutoff."""
        if self.documents is None or self.gold.names is None:
            raise NeedsMore("needs the ids of documents: use cf.evaluate")
        names = self.gold.names.returned
        width = int(self.n[t]) if self.l is None else self.l
        return [names[int(number)] for number in self.documents.of(t, width).tolist()]

    @property
    def ideal(self) -> Lists:
        """The ideal lists under the same cutoff, gain and threshold."""
        if self.is_ideal:
            return self
        self._need("an ideal list")
        return self.gold.ideal.view(self.l, rel=self.rel, gain=self.gain, max_level=self.max_level)

    def step(self, name: str, values: T) -> T:
        """The values, and a note of them if somebody wants to see how a score comes about."""
        if self.gold.traced:
            self.steps[name] = values
        return values

    @property
    def whole_ideal(self) -> Lists:
        """The ideal lists without a cutoff, under the same gain and threshold."""
        self._need("an ideal list")
        return self.gold.ideal.view(rel=self.rel, gain=self.gain, max_level=self.max_level)

    def ratio(self, numerator: Any, denominator: Any) -> Floats:
        """The score as a fraction, and 0 where nothing can be divided by; noted as a step is."""
        if self.gold.traced:
            self.fraction = numerator, denominator
        return ratio(numerator, denominator)

    # -- quantities -------------------------------------------------------------------------------

    @cached_property
    def J(self) -> Floats:
        """J(r): 1 where there is a judged item, else 0 (padding)."""
        return self.judged.astype(np.float64)

    @cached_property
    def I(self) -> Floats:  # noqa: E743
        """I(r): 1 where the item is relevant, else 0."""
        return self._relevant(self.level, self.judged).astype(np.float64)

    @cached_property
    def C(self) -> Floats:
        """C(r): relevant items down to rank r."""
        return np.cumsum(self.I, axis=1)

    @cached_property
    def first(self) -> Floats:
        """1 at r1, the rank of the first relevant item, else 0."""
        return floats(self.I * (self.C == 1))

    @property
    def r1(self) -> Ints:
        """r1: the rank of the first relevant item (the last it may have, if ties leave it open);
        the end of the list if there is none.
        """
        last = np.where(self.first > 0, self.r, 0).max(axis=1, initial=0)
        return np.where(last > 0, last, self.n)

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
        return np.take_along_axis(cg, np.minimum(self.r, width) - 1, axis=1)

    @property
    def R(self) -> Floats:
        """R: the number of items known to be relevant to the topic."""
        self._need("the number of relevant items")
        return self.gold.remember(
            ("R", self.rel, self.gain, self.max_level),
            lambda: (
                self._relevant(self.gold.levels, self.gold.judged).sum(axis=1).astype(np.float64)
            ),
        )

    @property
    def N(self) -> Floats:
        """N: the number of items judged nonrelevant to the topic."""
        return floats(self.gold.judged.sum(axis=1) - self.R)

    @property
    def h(self) -> Any:
        """h: the highest level: declared, else the highest in all the judgments, as a number.

        Where levels are global gains of intents it is the highest of each topic: [lists].
        """
        if self.gold.tops is not None:
            return self.gold.tops
        declared = self.max_level if self.max_level is not None else top_level(self.gain)
        if declared is not None:
            return declared
        self._need("the highest level (max_level=)")
        return self.gold.max_level

    @property
    def g_h(self) -> Any:
        """The gain of the highest level, a number or [lists] as `h` is."""
        if self.gold.tops is not None:
            return self.gold.tops
        return float(gain_of(self.gain, np.array([self.h]), highest=self.h)[0])

    def length(self, unit: str) -> Floats:
        """The length of each item."""
        return self._lengths(unit).own

    def length_above(self, unit: str) -> Floats:
        """The length of all documents above each item, judged or not."""
        return self._lengths(unit).above

    def _lengths(self, unit: str) -> Lengths:
        if unit not in self.lengths:
            raise NeedsMore(f"needs the lengths of the documents in {unit}: give them as lengths=")
        return self.lengths[unit]

    def gains_of(self, level: Floats) -> Floats:
        """The gains of some levels."""
        return self._gains(level, np.ones(level.shape, dtype=bool))

    def _gains(self, level: Floats, judged: Bools) -> Floats:
        kept = judged if self.rel is None else judged & (level >= self.rel)
        if self.max_level is not None:  # declared: no level counts for more
            level = np.minimum(level, self.max_level)
        highest = self.gold.max_level if self.max_level is None else self.max_level
        gains = gain_of(self.gain, np.where(judged, level, 0.0), highest=highest)
        if self.is_ideal:  # where nothing stands that does harm
            gains = np.maximum(gains, 0.0)
        return np.where(kept, gains, 0.0)

    def _relevant(self, level: Floats, judged: Bools) -> Bools:
        """level ≥ rel where a threshold is given, else gain > 0."""
        if self.rel is not None:
            return judged & (level >= self.rel)
        return self._gains(level, judged) > 0

    def _need(self, what: str) -> None:
        if not self.gold.known:
            raise NeedsMore(f"needs {what}: give all judged levels of the topic as judged=[…]")


def blocks(
    counts: Ints, cells: int = BLOCK_CELLS, settings: Sequence[Any] | None = None
) -> list[tuple[int, int]]:
    """Topic ranges of bounded size, given how many columns each topic fills.

    If topics have settings of their own, those of one range are the same.
    """
    ranges, start, width = [], 0, 0
    for t, count in enumerate(counts.tolist()):
        widest = max(width, count)
        differs = settings is not None and settings[t] != settings[start]
        if t > start and (differs or widest * (t + 1 - start) > cells):
            ranges.append((start, t))
            start, widest = t, count
        width = widest
    if len(counts) > start:
        ranges.append((start, len(counts)))
    return ranges


def gold_block(
    judgments: Judgments,
    start: int,
    stop: int,
    intents: Intents | None = None,
    importance: Floats | None = None,
) -> Gold:
    """The judgments of the topics start..stop-1, padded; `importance` is Pr(v|i) of all intents."""
    judged, cells = _padding(judgments.offsets[start : stop + 1])
    levels = scattered(judged, judgments.levels[cells])
    made = Gold(levels, judged, judgments.max_level, distinct=judgments.distinct)
    made.topics = judgments.topics[start:stop]
    if judgments.names is not None:
        made.items = scattered(judged, judgments.items[cells])
        made.names = judgments.names
    if intents is not None:
        made.intents = intent_block(intents, start, stop, importance)
    if (every := judgments.strata) is not None:
        made.strata = Strata(scattered(judged, every[judgments.items[cells]]), every)
    return made


def intent_block(
    intents: Intents, start: int, stop: int, importance: Floats | None = None
) -> IntentBlock:
    """The intents of the topics start..stop-1, padded."""
    there, of_intents = _padding(intents.offsets[start : stop + 1])
    judged, of_items = _padding(intents.items[start : stop + 1])
    weights = scattered(there, intents.weights[of_intents])
    navigational = scattered(there, intents.navigational[of_intents])
    levels = scattered(judged, intents.levels_of(intents.by_name[of_items], there.shape[1]))
    wanted = None if importance is None else scattered(there, importance[of_intents])
    return IntentBlock(
        weights,
        intents.alike[start:stop],
        navigational,
        there,
        levels,
        judged,
        flat=intents,
        names=intents.names[start:stop],
        importance=wanted,
    )


def lists_block(rankings: Rankings, gold: Gold, start: int, stop: int) -> Lists:
    """The lists of the topics start..stop-1, padded: past the end, the rank is length + 1."""
    judged, cells = _padding(rankings.offsets[start : stop + 1])
    n = rankings.lengths[start:stop]
    r = np.repeat(n[:, None] + 1, judged.shape[1], axis=1)
    r[judged] = rankings.ranks[cells]
    lengths, whole, vertical = {}, dict[str, Costs](), None
    for unit, every in rankings.noted.items():
        if unit in ("cost", "document"):
            first = rankings.starts[start] if stop > start else 0
            whole[unit] = Costs(every[first : first + n.sum()], n)
            continue
        if unit == "vertical":
            places = rankings.starts[rankings.hit_topics[cells]] + r[judged] - 1
            vertical = scattered(judged, every[places], np.nan)
            continue
        own, before = np.zeros(judged.shape), np.zeros(judged.shape)
        for t, (a, k) in enumerate(zip(rankings.starts[start:stop], n, strict=True)):
            there, given = judged[t], every[a : a + k]
            own[t, there] = given[r[t, there] - 1]
            before[t, there] = above(given[None, :])[0, r[t, there] - 1]
        lengths[unit] = Lengths(own, before)
    by_intent, hits = None, rankings.items[cells]
    if gold.intents is not None and gold.intents.flat is not None:
        width = gold.intents.there.shape[1]
        by_intent = scattered(judged, gold.intents.flat.levels_of(hits, width))
    return Lists(
        r,
        scattered(judged, rankings.levels[cells]),
        judged,
        n,
        gold,
        lengths=lengths,
        costs=whole.get("cost"),
        documents=whole.get("document"),
        by_intent=by_intent,
        vertical=vertical,
        stratum=None if gold.strata is None else scattered(judged, gold.strata.every[hits]),
    )


def tie_bounds(rankings: Rankings, start: int, stop: int) -> tuple[Ints, Ints]:
    """The first and last rank that ties allow each item of the topics start..stop-1, padded."""
    judged, cells = _padding(rankings.offsets[start : stop + 1])
    return scattered(judged, rankings.first[cells]), scattered(judged, rankings.last[cells])


def _padding(offsets: Ints) -> tuple[Bools, slice]:
    """Which cells of a padded block are filled, and by which slice of the flat arrays."""
    counts = np.diff(offsets)
    width = int(counts.max(initial=0))
    return np.arange(width) < counts[:, None], slice(int(offsets[0]), int(offsets[-1]))
