"""`Lists`: a block of ranked lists as the equations see them.

The names are the papers': r, I(r), C(r), g(r), cg(r), the ideal list's g*(r) and cg*(r), R, N, l,
h. Each is an array with one row per topic and one column per judged item of the list, in order of
rank. A quantity is computed on first use and cached.
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
from cranfield.labelling.blocks import Intents, Judgments, Names, Rankings, expand_spans
from cranfield.labelling.blocks import sort_distinct as distinct_of
from cranfield.measures.gains import Gain, compute_gains, get_top_level

T = TypeVar("T")

BLOCK_CELLS = 1 << 19  # topics × columns of one block: a few megabytes per array
DENSE_CELLS = 1 << 16  # topics × ranks if every rank counts: about ten arrays fit in the cache


def to_floats(x: Any) -> Floats:
    """Convert to an array of doubles, for the type checker."""
    return np.asarray(x, dtype=np.float64)


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Return numerator / denominator, or 0 if the denominator is 0."""
    out: Floats = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=out, where=np.not_equal(denominator, 0))
    return out


def total(x: Any) -> Floats:
    """Return Σ_r x(r), summed from the top rank down.

    Summing in rank order keeps the last bit independent of padding, block size and threads. NumPy's
    own sum adds pairwise, in an order that depends on the width.
    """
    x = to_floats(x)
    return np.cumsum(x, axis=1)[:, -1] if x.shape[1] else np.zeros(x.shape[0])


def scatter(filled: Bools, values: Any, padding: float = 0) -> Any:
    """Put flat values into the filled cells of a matrix."""
    cells = np.full((*filled.shape, *values.shape[1:]), padding, dtype=values.dtype)
    cells[filled] = values
    return cells


def sum_above(x: Any) -> Floats:
    """Return Σ_{k<r} x(k), the sum above each rank, from the top down."""
    x = to_floats(x)
    return np.concatenate((np.zeros((len(x), 1)), np.cumsum(x, axis=1)), axis=1)[:, :-1]


@dataclass(frozen=True, eq=False)
class IntentBlock:
    """The intents of a block of topics, padded."""

    weights: Floats  # [topics, intents] probabilities, or 1 if all are equal; 0: padding
    uniform_counts: Floats  # [topics] number of intents if all are equal, else 0
    navigational: Bools  # [topics, intents]
    filled: Bools  # [topics, intents] False for padding
    levels: Floats  # [topics, items, intents] of all judged items, by document id, largest first
    judged: Bools  # [topics, items] False for padding
    flat: Intents | None = None  # the source
    names: tuple[tuple[str, ...], ...] = ()  # intent names of each topic
    importance: Floats | None = None  # [topics, intents, verticals] Pr(v|i) if known

    @cached_property
    def p(self) -> Floats:
        """Pr(i|q): probability of each intent."""
        return self.weights / np.where(self.uniform_counts > 0, self.uniform_counts, 1.0)[:, None]

    @cached_property
    def n(self) -> Floats:
        """Number of intents of each topic."""
        return to_floats(self.filled.sum(axis=1))


class Strata(NamedTuple):
    """The strata from which the judgments of a block of topics were sampled."""

    padded: Floats  # stratum of each level of the block
    flat: Floats  # stratum of each judged item of the collection


@dataclass(eq=False, repr=False)
class ValueCache:
    """Base of blocks that cache values computed from them."""

    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def cache(self, key: Any, compute: Callable[[], T]) -> T:
        """Return the value under `key`, computed once. A Gold serves all runs."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: T = self._cache[key]
        return value


@dataclass(eq=False, repr=False)
class Gold(ValueCache):
    """The judgments of a block of topics, padded, and values derived from them."""

    levels: Floats
    judged: Bools
    max_level: float
    is_complete: bool = True  # False: only the judged items in the lists are known
    traced: bool = False  # lists store the steps of a computation
    collection: Judgments | Intents | None = None  # the judgments of all blocks
    intents: IntentBlock | None = None
    tops: Floats | None = None  # highest level of each topic, if h is defined by topic
    order: Ints | None = None  # index of each level's item among the intents' items
    strata: Strata | None = None  # for sampled judgments
    topics: tuple[str, ...] = ()  # names, if known
    items: Ints | None = None  # [topics, items] of each level, for measures that use documents
    names: Names | None = None  # document ids, for the same measures

    @cached_property
    def distinct(self) -> Floats:
        """The distinct levels of the collection, so that scores do not depend on the blocks."""
        return distinct_of(self.levels) if self.collection is None else self.collection.distinct

    @cached_property
    def ideal(self) -> Lists:
        """The ideal lists: all judged items, best first."""
        n, width = self.levels.shape
        ranks = np.broadcast_to(np.arange(1, width + 1), (n, width))
        length = self.judged.sum(axis=1)
        return Lists(ranks, self.levels, self.judged, length, self, is_ideal=True)

    def select(self, topics: Bools) -> Gold:
        """Return the judgments of some topics. Not for intents."""
        return Gold(
            self.levels[topics],
            self.judged[topics],
            self.max_level,
            collection=self.collection,
            topics=tuple(compress(self.topics, topics)),
            items=None if self.items is None else self.items[topics],
            names=self.names,
        )

    @property
    def judged_anywhere(self) -> frozenset[str]:
        """Ids of the documents judged for any topic of the collection."""
        if self.names is None:
            raise NeedsMore("requires document ids. Use cf.evaluate")
        return self.names.judged_anywhere

    def list_judged_docs(self, t: int) -> list[str]:
        """Return the documents of the ideal list of a topic."""
        if self.items is None or self.names is None:
            raise NeedsMore("requires the ids of judged documents. Use cf.evaluate")
        return [self.names.judged[item] for item in self.items[t, self.judged[t]].tolist()]


class NeedsMore(CranfieldError):
    """Error for a missing input of a measure, such as judgments or lengths."""


class Lengths(NamedTuple):
    """Document lengths in one unit, at the judged items of a block of lists."""

    item: Floats  # length of the item
    preceding: Floats  # total length of all documents above it, judged or not


@dataclass(frozen=True)
class Costs:
    """Costs, or other numbers, of all items of the lists, one list after another."""

    flat: Floats
    n: Ints  # lengths of the lists

    def to_matrix(self, width: int) -> Floats:
        """Return the costs up to a rank, [lists, width], NaN beyond the end."""
        rows = expand_spans(np.cumsum(self.n) - self.n, np.minimum(self.n, width))
        return to_floats(scatter(np.arange(width) < self.n[:, None], self.flat[rows], np.nan))

    def get_at_ranks(self, row: Ints, rank: Ints) -> Floats:
        """Return the costs of items at given rows and ranks."""
        return to_floats(self.flat[(np.cumsum(self.n) - self.n)[row] + rank - 1])

    def get_list(self, row: int, width: int) -> Floats:
        """Return the costs of one list up to a rank."""
        begin = int(self.n[:row].sum())
        return self.flat[begin : begin + min(int(self.n[row]), width)]


@dataclass(eq=False, repr=False)
class Lists(ValueCache):
    """A block of ranked lists, seen through a cutoff, a gain and a threshold.

    | name | meaning |
    |---|---|
    | `r` | ranks of the judged items |
    | `level`, `judged` | their levels; True for cells with an item (the rest is padding) |
    | `J`, `I`, `C` | judged flag, relevance flag, relevant items so far |
    | `first`, `r1` | 1 at the first relevant item; its rank |
    | `g`, `cg` | gain, cumulative gain |
    | `ideal` | the ideal list, with the same attributes, cut at the same rank |
    | `whole_ideal` | the ideal list, not cut |
    | `cg_ideal` | cg*(r), the ideal list's cumulative gain at rank r |
    | `R`, `N` | relevant and nonrelevant items judged for the topic |
    | `n`, `l` | length of the list; the cutoff or None |
    | `h`, `g_h` | the highest level, and its gain |
    | `length(unit)`, `length_above(unit)` | of the document; of all documents above it |
    | `stratum` | stratum of the item, for sampled judgments |
    | `topic(t)` | the topic of row t |
    | `docs(t)` | ids of the documents of row t, if the class has `needs_documents = True` |

    `x.step(name, values)` returns the values, and stores them for `cranfield explain --on`.
    `x.ratio(a, b)` does the same with the fraction that is the score.
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
    documents: Costs | None = None  # document numbers, for measures that use documents
    intent_levels: Floats | None = None  # [lists, items, intents] level for each intent
    vertical: Floats | None = None  # [lists, items] number of the vertical, NaN: unknown
    stratum: Floats | None = None  # [lists, items] number of the stratum, if known
    steps: dict[str, Any] = field(default_factory=dict, init=False)
    rank_steps: dict[str, Floats] = field(default_factory=dict, init=False)  # steps with a value for every rank
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
        """Return these lists cut at `cutoff`, with this gain and threshold."""
        settings: dict[str, Any] = {"cutoff": cutoff, "rel": rel, "gain": gain, "max_level": max_level}
        return self.cache(("view", *settings.values()), lambda: self._build_view(**settings))

    def _build_view(self, **settings: Any) -> Lists:
        judged, cutoff = self.judged, settings["cutoff"]
        if cutoff is not None:  # the k-th judged item cannot be above rank k
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
                unit: Lengths(item_lengths[:, :width], preceding[:, :width])
                for unit, (item_lengths, preceding) in self.lengths.items()
            },
            documents=self.documents,
            intent_levels=None if self.intent_levels is None else self.intent_levels[:, :width],
            vertical=None if self.vertical is None else self.vertical[:, :width],
            stratum=None if self.stratum is None else self.stratum[:, :width],
            **settings,
        )

    def expand_to_ranks(self, values: Floats, width: int, unjudged: float) -> Floats:
        """Return values of judged items as [lists, width], `unjudged` at all other ranks."""
        matrix = np.full((len(self), width), unjudged)
        row, column = np.nonzero(self.judged & (self.r <= width))
        matrix[row, self.r[row, column] - 1] = values[row, column]
        return matrix

    def with_threshold(self, rel: float) -> Lists:
        """Return this view with one level as the threshold. Not cached."""
        return self._build_view(cutoff=self.l, rel=rel, gain="binary", max_level=None)

    @cached_property
    def condensed(self) -> Lists:
        """These lists without unjudged items."""
        ranks = np.broadcast_to(np.arange(1, self.r.shape[1] + 1), self.r.shape)
        lengths = {
            unit: Lengths(item_lengths, sum_above(item_lengths)) for unit, (item_lengths, _) in self.lengths.items()
        }
        n = self.judged.sum(axis=1)
        row, column = np.nonzero(self.judged)
        costs, documents = (
            None if values is None else Costs(values.get_at_ranks(row, self.r[row, column]), n)
            for values in (self.costs, self.documents)
        )
        columns: dict[str, Any] = {"costs": costs, "documents": documents}
        return replace(self, r=ranks, n=n, lengths=lengths, is_ideal=False, **columns)

    def topic(self, t: int) -> str:
        """Return the name of a list's topic."""
        if not self.gold.topics:
            raise NeedsMore("requires the topic. Use cf.evaluate")
        return self.gold.topics[t]

    def docs(self, t: int) -> list[str]:
        """Return the documents of a list, from the top to the cutoff."""
        if self.documents is None or self.gold.names is None:
            raise NeedsMore("requires document ids. Use cf.evaluate")
        names = self.gold.names.returned
        width = int(self.n[t]) if self.l is None else self.l
        return [names[int(number)] for number in self.documents.get_list(t, width).tolist()]

    @property
    def ideal(self) -> Lists:
        """The ideal lists with the same cutoff, gain and threshold."""
        if self.is_ideal:
            return self
        self._check_complete("an ideal list")
        return self.gold.ideal.view(self.l, rel=self.rel, gain=self.gain, max_level=self.max_level)

    def step(self, name: str, values: T) -> T:
        """Return the values, and store them if the computation is traced."""
        if self.gold.traced:
            self.steps[name] = values
        return values

    @property
    def whole_ideal(self) -> Lists:
        """The ideal lists without a cutoff, with the same gain and threshold."""
        self._check_complete("an ideal list")
        return self.gold.ideal.view(rel=self.rel, gain=self.gain, max_level=self.max_level)

    def ratio(self, numerator: Any, denominator: Any) -> Floats:
        """Return the score as a fraction, 0 if the denominator is 0, and store its parts."""
        if self.gold.traced:
            self.fraction = numerator, denominator
        return ratio(numerator, denominator)

    # -- quantities -------------------------------------------------------------------------------

    @cached_property
    def J(self) -> Floats:
        """J(r): 1 for a judged item, else 0 (padding)."""
        return self.judged.astype(np.float64)

    @cached_property
    def I(self) -> Floats:  # noqa: E743
        """I(r): 1 if the item is relevant, else 0."""
        return self._find_relevant(self.level, self.judged).astype(np.float64)

    @cached_property
    def C(self) -> Floats:
        """C(r): relevant items up to rank r."""
        return np.cumsum(self.I, axis=1)

    @cached_property
    def first(self) -> Floats:
        """1 at r1, the rank of the first relevant item, else 0."""
        return to_floats(self.I * (self.C == 1))

    @property
    def r1(self) -> Ints:
        """r1: rank of the first relevant item, or the end of the list.

        With ties it is the lowest rank that the item can have.
        """
        last = np.where(self.first > 0, self.r, 0).max(axis=1, initial=0)
        return np.where(last > 0, last, self.n)

    @cached_property
    def g(self) -> Floats:
        """g(r): gain of the item."""
        return self._compute_gains(self.level, self.judged)

    @cached_property
    def cg(self) -> Floats:
        """cg(r): cumulative gain at rank r."""
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
        """R: number of items judged relevant to the topic."""
        self._check_complete("the number of relevant items")
        return self.gold.cache(
            ("R", self.rel, self.gain, self.max_level),
            lambda: self._find_relevant(self.gold.levels, self.gold.judged).sum(axis=1).astype(np.float64),
        )

    @property
    def N(self) -> Floats:
        """N: number of items judged nonrelevant to the topic."""
        return to_floats(self.gold.judged.sum(axis=1) - self.R)

    @property
    def h(self) -> Any:
        """h: the highest level, declared or in all judgments, as a number.

        If levels are global gains of intents: the highest level of each topic, [lists].
        """
        if self.gold.tops is not None:
            return self.gold.tops
        declared = self.max_level if self.max_level is not None else get_top_level(self.gain)
        if declared is not None:
            return declared
        self._check_complete("the highest level (max_level=)")
        return self.gold.max_level

    @property
    def g_h(self) -> Any:
        """Gain of the highest level, a number or [lists] like `h`."""
        if self.gold.tops is not None:
            return self.gold.tops
        return float(compute_gains(self.gain, np.array([self.h]), highest=self.h)[0])

    def length(self, unit: str) -> Floats:
        """Return the length of each item."""
        return self._get_lengths(unit).item

    def length_above(self, unit: str) -> Floats:
        """Return the total length of all documents above each item, judged or not."""
        return self._get_lengths(unit).preceding

    def _get_lengths(self, unit: str) -> Lengths:
        if unit not in self.lengths:
            raise NeedsMore(f"requires document lengths in {unit}. Use lengths=")
        return self.lengths[unit]

    def compute_gains(self, level: Floats) -> Floats:
        """Return the gains of levels."""
        return self._compute_gains(level, np.ones(level.shape, dtype=bool))

    def _compute_gains(self, level: Floats, judged: Bools) -> Floats:
        counted = judged if self.rel is None else judged & (level >= self.rel)
        if self.max_level is not None:  # a declared maximum limits levels
            level = np.minimum(level, self.max_level)
        highest = self.gold.max_level if self.max_level is None else self.max_level
        gains = compute_gains(self.gain, np.where(judged, level, 0.0), highest=highest)
        if self.is_ideal:  # the ideal list has no harmful items
            gains = np.maximum(gains, 0.0)
        return np.where(counted, gains, 0.0)

    def _find_relevant(self, level: Floats, judged: Bools) -> Bools:
        """Return level ≥ rel if a threshold is given, else gain > 0."""
        if self.rel is not None:
            return judged & (level >= self.rel)
        return self._compute_gains(level, judged) > 0

    def _check_complete(self, quantity: str) -> None:
        if not self.gold.is_complete:
            raise NeedsMore(f"requires {quantity}. Pass all judged levels of the topic as judged=[…]")


def split_topics(
    counts: Ints, cells: int = BLOCK_CELLS, settings: Sequence[Any] | None = None
) -> list[tuple[int, int]]:
    """Split topics into ranges of bounded size, from the number of columns of each.

    Topics of one range have equal `settings`.
    """
    if settings is None and len(counts) > 0 and int(counts.max()) * len(counts) <= cells:
        return [(0, len(counts))]
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


def build_gold_block(
    judgments: Judgments, start: int, stop: int, intents: Intents | None = None, importance: Floats | None = None
) -> Gold:
    """Return the padded judgments of topics start..stop-1. `importance` is Pr(v|i)."""
    judged, cells = _find_cells(judgments.offsets[start : stop + 1])
    levels = scatter(judged, judgments.levels[cells])
    gold = Gold(levels, judged, judgments.max_level, collection=judgments)
    gold.topics = judgments.topics[start:stop]
    if judgments.names is not None:
        gold.items = scatter(judged, judgments.items[cells])
        gold.names = judgments.names
    if intents is not None:
        gold.intents = build_intent_block(intents, start, stop, importance)
    if (strata := judgments.strata) is not None:
        gold.strata = Strata(scatter(judged, strata[judgments.items[cells]]), strata)
    return gold


def build_intent_block(intents: Intents, start: int, stop: int, importance: Floats | None = None) -> IntentBlock:
    """Return the padded intents of topics start..stop-1."""
    filled, of_intents = _find_cells(intents.offsets[start : stop + 1])
    judged, of_items = _find_cells(intents.items[start : stop + 1])
    weights = scatter(filled, intents.weights[of_intents])
    navigational = scatter(filled, intents.navigational[of_intents])
    levels = scatter(judged, intents.get_levels(intents.by_name[of_items], filled.shape[1]))
    importance_block = None if importance is None else scatter(filled, importance[of_intents])
    return IntentBlock(
        weights,
        intents.uniform_counts[start:stop],
        navigational,
        filled,
        levels,
        judged,
        flat=intents,
        names=intents.names[start:stop],
        importance=importance_block,
    )


def build_lists_block(rankings: Rankings, gold: Gold, start: int, stop: int) -> Lists:
    """Return the padded lists of topics start..stop-1.

    Ranks past the end are length + 1.
    """
    judged, cells = _find_cells(rankings.offsets[start : stop + 1])
    n = rankings.lengths[start:stop]
    r = np.repeat(n[:, None] + 1, judged.shape[1], axis=1)
    r[judged] = rankings.ranks[cells]
    lengths, costs, vertical = {}, dict[str, Costs](), None
    for unit, values in rankings.document_values.items():
        if unit in ("cost", "document"):
            first = rankings.starts[start] if stop > start else 0
            costs[unit] = Costs(values[first : first + n.sum()], n)
            continue
        if unit == "vertical":
            places = rankings.starts[rankings.hit_topics[cells]] + r[judged] - 1
            vertical = scatter(judged, values[places], np.nan)
            continue
        item_lengths, preceding = np.zeros(judged.shape), np.zeros(judged.shape)
        for t, (a, k) in enumerate(zip(rankings.starts[start:stop], n, strict=True)):
            is_judged, topic_lengths = judged[t], values[a : a + k]
            item_lengths[t, is_judged] = topic_lengths[r[t, is_judged] - 1]
            preceding[t, is_judged] = sum_above(topic_lengths[None, :])[0, r[t, is_judged] - 1]
        lengths[unit] = Lengths(item_lengths, preceding)
    by_intent, hits = None, rankings.items[cells]
    if gold.intents is not None and gold.intents.flat is not None:
        width = gold.intents.filled.shape[1]
        by_intent = scatter(judged, gold.intents.flat.get_levels(hits, width))
    return Lists(
        r,
        scatter(judged, rankings.levels[cells]),
        judged,
        n,
        gold,
        lengths=lengths,
        costs=costs.get("cost"),
        documents=costs.get("document"),
        intent_levels=by_intent,
        vertical=vertical,
        stratum=None if gold.strata is None else scatter(judged, gold.strata.flat[hits]),
    )


def build_tie_bounds(rankings: Rankings, start: int, stop: int) -> tuple[Ints, Ints]:
    """Return the padded first and last rank that ties allow each item."""
    judged, cells = _find_cells(rankings.offsets[start : stop + 1])
    return scatter(judged, rankings.first[cells]), scatter(judged, rankings.last[cells])


def _find_cells(offsets: Ints) -> tuple[Bools, slice]:
    """Return the filled cells of a padded block, and their slice of the flat arrays."""
    counts = np.diff(offsets)
    width = int(counts.max(initial=0))
    return np.arange(width) < counts[:, None], slice(int(offsets[0]), int(offsets[-1]))
