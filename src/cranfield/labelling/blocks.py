"""The data that labelling passes to measures: numbers, no document ids.

`Judgments` are the judged items of each topic, the same for all runs. `Rankings` are the judged
items in the rankings of one run. Both are flat arrays with one slice per topic
(``offsets[t]:offsets[t + 1]``), so topics of very different sizes need no padding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.reading.strings import Strings, expand_spans
from cranfield.dataclass import dataclass

if TYPE_CHECKING:
    from cranfield.data.reading.table import DocumentValues
    from cranfield.data.values import Values

__all__ = [
    "Intents",
    "Judgments",
    "Names",
    "RankingBuilder",
    "Rankings",
    "RunLabels",
    "count_by",
    "expand_spans",
    "sort_distinct",
]  # fmt: skip

MAX_COUNTED = 1 << 12  # levels below are counted, which is faster than to sort them


def sort_distinct(values: Floats) -> Floats:
    """Return the distinct values in ascending order, without the numpy.ma import of np.unique."""
    with np.errstate(invalid="ignore"):  # values beyond int64
        small = values.astype(np.int64).ravel()
    if small.size and small.min() >= 0 and small.max() < MAX_COUNTED and np.array_equal(small, values.ravel()):
        return np.flatnonzero(np.bincount(small)).astype(np.float64)
    ordered = np.sort(values, axis=None)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])


@dataclass(frozen=True, eq=False)
class Names:
    """Document ids, for measures that need them."""

    judged: Sequence[str]  # ids of all judged items
    returned: Sequence[str]  # ids of all retrieved documents, by the numbers from labelling

    @cached_property
    def judged_anywhere(self) -> frozenset[str]:
        """Documents with a judgment for any topic."""
        return frozenset(self.judged)


@dataclass(frozen=True, eq=False)
class Judgments:
    """The ideal ranking of each topic: its judged items, highest level first.

    A labelling strategy may exclude items. `items` has the indices of the included items.
    """

    topics: tuple[str, ...]
    offsets: Ints  # [topics + 1]
    levels: Floats  # [items], descending within a topic
    items: Ints  # [items] index into all judged items
    strata: Floats | None = None  # [all judged items] the stratum of each sampled item
    names: Names | None = None  # only if a measure needs document ids

    @cached_property
    def counts(self) -> Ints:
        """The number of judged items of each topic."""
        return np.diff(self.offsets)

    @cached_property
    def max_level(self) -> float:
        """The highest level of the collection, at least 0."""
        return max(0.0, float(self.levels.max(initial=0.0)))

    @cached_property
    def distinct(self) -> Floats:
        """The distinct levels of the collection, ascending."""
        return sort_distinct(self.levels)

    @cached_property
    def item_topics(self) -> Ints:
        """The topic of each item, as an index into `topics`."""
        return np.repeat(np.arange(len(self.topics)), self.counts)


@dataclass(frozen=True, eq=False)
class Intents:
    """The intents of each topic, and the level of each judged item for each intent.

    An item judged for one intent has level 0 for all intents without a judgment.
    """

    names: tuple[tuple[str, ...], ...]  # of each topic
    offsets: Ints  # [topics + 1] slices of the intents of all topics
    weights: Floats  # [intents] probability, or 1 if all intents of the topic are equally probable
    uniform_counts: Floats  # [topics] then their number, else 0
    navigational: Bools
    cells: Ints  # [topics] first index into `levels`; per item, one level for each intent
    levels: Floats
    items: Ints  # [topics + 1] slices of the items of all topics
    by_name: Ints  # [items] the items of each topic by document id, descending

    @cached_property
    def counts(self) -> Ints:
        """The number of intents of each topic."""
        return np.diff(self.offsets)

    @cached_property
    def distinct(self) -> Floats:
        """The distinct levels, ascending, with 0."""
        return sort_distinct(np.append(self.levels, 0.0))

    def get_levels(self, items: Ints, width: int) -> Floats:
        """Return the levels [items, width] for each intent, padded with 0."""
        topic = np.searchsorted(self.items, items, side="right") - 1
        count = self.counts[topic]
        begin = self.cells[topic] + (items - self.items[topic]) * count
        mask = np.arange(width) < count[:, None]
        result = np.zeros(mask.shape)
        result[mask] = self.levels[(begin[:, None] + np.arange(width))[mask]]
        return result


@dataclass(frozen=True, eq=False)
class Rankings:
    """The judged items in the rankings of one run. Unjudged items are gaps between ranks."""

    returned: Ints  # [topics] length of the ranking, or -1 for a missing topic
    offsets: Ints  # [topics + 1]
    ranks: Ints  # [hits] ascending within a topic, from 1
    items: Ints  # [hits] index into all judged items
    levels: Floats  # [hits] the judged level, or the level assigned by the labelling strategy
    first: Ints  # [hits] best and worst rank allowed by the score,
    last: Ints  # both equal to `ranks` unless the score is tied
    tied: Ints  # [topics] number of tied items
    document_values: Mapping[str, Floats] = field(default_factory=dict)  # [documents] in order of rank, list
    # after list: their lengths, by unit, and "cost", NaN where not known; and then also
    scores: Floats | None = None  # [documents] what they are ranked by

    @cached_property
    def hit_topics(self) -> Ints:
        """The topic of each hit."""
        return np.repeat(np.arange(len(self.returned)), np.diff(self.offsets))

    @property
    def has_ties(self) -> bool:
        """True if another order of equal scores could change a score."""
        # Spark counts tied documents only for notes. Without hits, costs of unjudged documents can differ.
        return bool((self.first != self.last).any() or self.tied.any())

    @property
    def answered(self) -> Bools:
        """True for topics with a ranking, even an empty one."""
        return self.returned >= 0

    @property
    def lengths(self) -> Ints:
        """The length of each ranking, 0 for missing topics."""
        return np.maximum(self.returned, 0)

    @property
    def judged_ranks(self) -> Ints:
        """The number of ranks above the first unjudged item of each ranking."""
        counts = np.diff(self.offsets)
        judged = self.ranks == expand_spans(np.ones_like(counts), counts)
        return count_by(self.hit_topics[judged], len(counts))

    @property
    def starts(self) -> Ints:
        """The first row of each ranking if all rankings are concatenated."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    def truncate(self, depth: int) -> Rankings:
        """Cut the rankings after `depth` items."""
        rankings = self.with_hits(self.ranks <= depth)
        return replace(rankings._with_lengths(np.minimum(self.returned, depth)), scores=None)

    def keep_topics(self, mask: Bools) -> Rankings:
        """Return the rankings with empty rankings for all other topics."""
        hits = self.with_hits(mask[self.hit_topics])
        lists = hits._with_lengths(np.where(mask, self.returned, 0))
        return replace(lists, tied=np.where(mask, self.tied, 0))

    def select_topics(self, topics: Bools) -> Rankings:
        """Return the rankings of the selected topics only."""
        hits = self._select_hits(topics[self.hit_topics])
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[topics])))
        rows = expand_spans(self.starts[topics], self.lengths[topics])
        return replace(
            hits,
            returned=self.returned[topics],
            offsets=offsets,
            tied=self.tied[topics],
            document_values={name: x[rows] for name, x in self.document_values.items()},
            scores=None if self.scores is None else self.scores[rows],
        )

    def _with_lengths(self, returned: Ints) -> Rankings:
        """Cut the values of all documents to the given lengths."""
        rows = expand_spans(self.starts, np.maximum(returned, 0))
        document_values = {name: x[rows] for name, x in self.document_values.items()}
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, returned=returned, document_values=document_values, scores=scores)

    def with_hits(self, mask: Bools) -> Rankings:
        """Return the rankings with some of the hits. All other items become unjudged."""
        offsets = np.concatenate(([0], np.cumsum(mask)))[self.offsets]
        return replace(self._select_hits(mask), offsets=offsets)

    def _select_hits(self, hits: Bools | Ints) -> Rankings:
        columns = ("ranks", "items", "levels", "first", "last")
        return replace(self, **{name: getattr(self, name)[hits] for name in columns})

    @cached_property
    def tie_groups(self) -> tuple[Ints, Ints]:
        """The first row and the size of each group of tied documents.

        Without the scores of all documents, only groups with a hit. Rows count the documents of
        all rankings.
        """
        if self.scores is None:
            tied = self.group_heads & (self.last > self.first)
            first = self.starts[self.hit_topics[tied]] + self.first[tied] - 1
            return first, (self.last - self.first + 1)[tied]
        new = np.ones(len(self.scores), dtype=bool)
        new[1:] = self.scores[1:] != self.scores[:-1]
        new[self.starts[self.lengths > 0]] = True
        first = np.flatnonzero(new)
        size = np.diff(first, append=len(new))
        return first[size > 1], size[size > 1]

    @cached_property
    def group_heads(self) -> Bools:
        """True for the first hit of each group of equal scores."""
        new = np.ones(len(self.first), dtype=bool)
        new[1:] = self.first[1:] != self.first[:-1]
        new[1:] |= self.hit_topics[1:] != self.hit_topics[:-1]
        return new

    def count_tied_ranks(self, depth: int | None = None) -> Ints:
        """Count, per topic, the ranks up to a depth that could be a hit in another tie order."""
        first, last = self.first[self.group_heads], self.last[self.group_heads]
        last = last if depth is None else np.minimum(last, depth)
        size = np.maximum(last - first + 1, 0)
        topics = self.hit_topics[self.group_heads]
        return np.bincount(topics, weights=size, minlength=len(self.returned)).astype(np.int64)

    def count_influential_ties(
        self, depth: int | None = None, interchangeable: bool = True, relevant: bool = True
    ) -> Ints:
        """Count, per topic, the tied items that could change a score in another order.

        A group of tied items counts if it has a relevant item (or `relevant` is False), has several
        levels (or items of one level are not interchangeable), and starts within the depth.
        """
        topics, levels = len(self.returned), self.levels
        if "cost" in self.document_values and self.scores is not None:
            return self._count_influential_costs(depth)
        tied = self.last > self.first
        if depth is not None:
            tied &= self.first <= depth
        if not tied.any():
            return np.zeros(topics, dtype=np.int64)
        hit_topics, levels = self.hit_topics[tied], levels[tied]
        first, size = self.first[tied], (self.last - self.first + 1)[tied]
        start = np.flatnonzero(self.group_heads[tied])
        best = np.maximum.reduceat(levels, start)
        worst = np.minimum.reduceat(levels, start)
        members = np.diff(np.append(start, len(first)))
        differ = (best != worst) | (members < size[start]) | (not interchangeable)
        counts = np.where(((best > 0) | (not relevant)) & differ, size[start], 0)
        return np.bincount(hit_topics[start], counts, topics).astype(np.int64)

    def _count_influential_costs(self, depth: int | None) -> Ints:
        """Count tied items if costs are used: groups with different costs or a relevant item."""
        first, size = self.tie_groups
        rows = expand_spans(first, size)
        topic = np.repeat(np.arange(len(self.returned)), self.lengths)[first]
        cost = self.document_values["cost"][rows]
        begin = np.cumsum(size) - size
        useful = np.zeros(int(self.lengths.sum()))
        useful[(self.starts[self.hit_topics] + self.ranks - 1)[self.levels > 0]] = 1.0
        matters = np.zeros(len(first), dtype=bool)
        if len(first):
            dear, cheap = np.maximum.reduceat(cost, begin), np.minimum.reduceat(cost, begin)
            matters = (dear > cheap) | (np.maximum.reduceat(useful[rows], begin) > 0)
        if depth is not None:
            matters &= first - self.starts[topic] < depth
        counts = np.bincount(topic, np.where(matters, size, 0), len(self.returned))
        return counts.astype(np.int64)


Sampled: TypeAlias = tuple[list[str], Ints, Strings]  # topics, documents per topic, documents


@dataclass(frozen=True, eq=False)
class RunLabels:
    """The rankings of a run and the topics in its file."""

    rankings: Rankings
    topics: tuple[str, ...]
    contradicted_topics: tuple[str, ...]  # topics with ranks that contradict the scores
    values: Values | None = None  # the scores of documents, if recorded
    sample: Sequence[Sampled] = ()  # only for runs that are not in memory

    def with_part(self, mask: Bools) -> RunLabels:
        """Return the labels of the same run with judgments of some of the items."""
        hits = self.rankings.with_hits(mask[self.rankings.items])
        number = np.cumsum(mask) - 1  # new number of each item that is kept
        return replace(self, rankings=replace(hits, items=number[hits.items]))


def count_by(topics: Ints, n: int) -> Ints:
    """Count the occurrences of each topic 0..n-1."""
    return np.bincount(topics, minlength=n).astype(np.int64)


@dataclass
class RankingBuilder:
    """The rankings of a run, collected part by part. Each part has complete topics."""

    lists: list[tuple[Ints, ...]] = field(default_factory=list)  # topic, length, tied documents
    hits: list[tuple[Ints, ...]] = field(default_factory=list)
    # topic, rank, item, best and worst possible rank of judged documents, in any order
    document_rows: list[tuple[Ints, ...]] = field(default_factory=list)  # rows of all, in order of rank,
    scores: list[Floats] = field(default_factory=list)  # and what they are ranked by

    def build_rankings(self, judgments: Judgments, sources: Sequence[DocumentValues]) -> Rankings:
        """Build the rankings with judged levels and the values of the documents.

        Clears the collected hits to save memory.
        """
        n = len(judgments.topics)
        returned, tied = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
        topic_indices, *of_lists = _concatenate_columns(self.lists, 3)
        returned[topic_indices], tied[topic_indices] = of_lists
        topics, ranks, items, first, last = _concatenate_columns(self.hits, 5)
        self.hits.clear()
        falls = topics[1:] < topics[:-1]
        falls |= (topics[1:] == topics[:-1]) & (ranks[1:] < ranks[:-1])
        by_rank = np.lexsort((ranks, topics)) if falls.any() else slice(None)
        offsets = np.concatenate(([0], np.cumsum(count_by(topics, n))))
        items = items[by_rank]
        levels = judgments.levels[items]
        rankings = Rankings(returned, offsets, ranks[by_rank], items, levels, first[by_rank], last[by_rank], tied)
        return self._with_document_values(rankings, topic_indices, sources) if sources else rankings

    def _with_document_values(self, rankings: Rankings, topics: Ints, sources: Sequence[DocumentValues]) -> Rankings:
        """Return the rankings with the values of every document, NaN for unknown values."""
        place = expand_spans(rankings.starts[topics], rankings.lengths[topics])
        document_values = {}
        for source, rows in zip(sources, _concatenate_columns(self.document_rows, len(sources)), strict=True):
            for unit, values in source.values.items():
                document_values[unit] = np.empty(len(rows))
                document_values[unit][place] = np.append(values, np.nan)[rows]  # row -1 is the last
        ranked_by = np.empty(len(place))
        ranked_by[place] = np.concatenate([place[:0], *self.scores])
        return replace(rankings, document_values=document_values, scores=ranked_by)


def _concatenate_columns(parts: Iterable[tuple[Ints, ...]], columns: int) -> list[Ints]:
    """Concatenate the columns of parts. There may be no part."""
    empty = (np.empty(0, dtype=np.int64),) * columns
    return [np.concatenate(column) for column in zip(empty, *parts, strict=True)]
