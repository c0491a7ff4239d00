"""What unjudged documents could still change: which ones a measure sees, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.blocks import Block, in_blocks
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.measuring import Measuring
from cranfield.evaluation.notices import deepest
from cranfield.evaluation.options import Options, Settings, shows_options
from cranfield.labelling.blocks import spans
from cranfield.measures.bounds import BOUNDED, Ends, Seen, difference_bounds, is_bounded
from cranfield.measures.lists import Lists, floats, scattered
from cranfield.scores import ALL
from cranfield.shown import Rows, Shown

MEASURE = "nDCG@10"  # if none is named


@dataclass(frozen=True)
class Bound(Shown):
    """What a run's score, or the difference of its score and another run's, is and could be,
    whatever the unjudged documents are: of a topic, or the mean over ``all``.
    """

    run: str
    other: str | None  # None: the score of the run itself
    topic: str
    value: float
    low: float
    high: float


@shows_options
def bounds(
    qrels: QrelsLike, runs: RunsLike, measure: MeasuresLike = None, **options: Unpack[Settings]
) -> Rows[Bound]:
    """What the unjudged documents that a measure looks at could still change.

    Each of them may be of any level that the judgments have, or of no use. The bounds are those of
    the score of every run, then of the difference of every two runs: topic by topic, and of the
    mean over all topics. An unjudged document that two runs return is one document. If no `measure`
    is named, it is the first of the preset, or nDCG@10.

    The bounds of a score are attained. So are the bounds of a difference, except for AP, GMAP, ERR
    and iRBU: they have outer bounds, which a difference never exceeds and may not reach.

    >>> runs = {"x": {"q1": ["a", "b", "c"]}, "y": {"q1": ["c", "d", "a"]}}
    >>> *_, mean = bounds({"q1": {"a": 1, "d": 0}}, runs, "P@3")  # b and c are not judged
    >>> mean.run, mean.other, mean.value, mean.low, round(mean.high, 4)
    ('x', 'y', 0.0, 0.0, 0.3333)
    """
    evaluator = evaluator_of(qrels, measure, options)
    bounding, collection = Bounding(evaluator.measuring), evaluator.collection
    if bounding.unknown:
        raise InputError(bounding.unknown, f"one of {', '.join(BOUNDED)}")

    def read(each: Sequence[Run]) -> list[tuple[Labelled, SeenRun]]:
        return [(one, bounding.see(one)) for one in map(collection.label, each)]

    labelled, seen = zip(*with_each(evaluator.read(runs), read), strict=True)
    scores = evaluator.scored(labelled)
    places = [collection.place(topic) for topic in scores.topics]
    values = scores.values[:, :, 0]

    def rows(a: int, b: int | None) -> Iterator[Bound]:
        other = None if b is None else scores.runs[b]
        ends = bounding.bounds(seen[a], None if b is None else seen[b])
        low, high = (end[places] for end in ends)
        value = values[a] if b is None else values[a] - values[b]
        for topic, *numbers in zip(scores.topics, value, low, high, strict=True):
            yield Bound(scores.runs[a], other, topic, *map(float, numbers))
        yield Bound(scores.runs[a], other, ALL, *(float(x.mean()) for x in (value, low, high)))

    every = range(len(seen))
    asked = [*((a, None) for a in every), *combinations(every, 2)]
    return Rows(row for pair in asked for row in rows(*pair))


def evaluator_of(qrels: QrelsLike, measure: MeasuresLike, options: Mapping[str, Any]) -> Evaluator:
    """What evaluates by one measure, and knows the order of lists; of a preset it takes the depth
    and the labels, and the first measure if none is named.
    """
    given = Options.of(options)
    given.refuse_expected()
    usual = MEASURE if given.task is None else given.task.measures_at()[0]
    taken = {"preset": None, "depth": given.depth, "labels": given.labels}
    chosen = usual if measure is None else measure
    evaluator = Evaluator(qrels, chosen, **{**options, **taken})
    columns = [column.name for column in evaluator.measuring.columns]
    if len(columns) != 1:
        raise InputError(f"{len(columns)} measures ({', '.join(columns)})", "one")
    if given.per_intent:
        raise InputError("per_intent", "topics as they are")
    return evaluator


def needed(depth: int | None, options: Options) -> int | None:
    """How much of a run's lists tells the first `depth` documents as they are evaluated; None: all,
    since tied documents may have come from anywhere in the list.
    """
    whole = depth is None or options.ties in ("best", "worst")
    return None if whole else (depth or 0) + options.exclude_self


@dataclass(frozen=True, eq=False)
class SeenRun:
    """The lists of a run as far as a measure looks at them, document by document, one list after
    the other.
    """

    lengths: Ints  # [topics] of the whole lists
    offsets: Ints  # [topics + 1]
    levels: Floats  # [documents] NaN: unjudged
    docs: Ints  # [documents] which unjudged one it is, of its topic; −1: it is judged

    @property
    def sizes(self) -> Ints:
        """How much of each list is seen."""
        return np.diff(self.offsets)

    @classmethod
    def joined(cls, runs: Sequence[SeenRun]) -> SeenRun:
        """The lists of several runs, those of the first before those of the second."""
        parts = ((run.lengths, run.sizes, run.levels, run.docs) for run in runs)
        lengths, sizes, levels, docs = map(np.concatenate, zip(*parts, strict=True))
        return cls(lengths, np.append(0, np.cumsum(sizes)), levels, docs)

    def taken(self, which: Ints) -> SeenRun:
        """Some of the lists, and an empty one where that is −1."""
        lengths, sizes = (np.where(which < 0, 0, x[which]) for x in (self.lengths, self.sizes))
        rows = spans(self.offsets[:-1][which], sizes)
        return SeenRun(lengths, np.append(0, np.cumsum(sizes)), self.levels[rows], self.docs[rows])

    def block(self, block: Block) -> Seen:
        """The lists of some topics, as equations see them."""
        start, stop, gold = block
        there = np.arange(self.sizes[start:stop].max(initial=0)) < self.sizes[start:stop, None]
        cells = slice(self.offsets[start], self.offsets[stop])
        levels = scattered(there, self.levels[cells], np.nan)
        judged = ~np.isnan(levels)
        ranks = np.broadcast_to(np.arange(1, there.shape[1] + 1), there.shape)
        known = np.where(judged, levels, 0.0)
        lists = Lists(ranks, known, judged, self.lengths[start:stop], gold)
        return Seen(lists, scattered(there, self.docs[cells], -1))


class Bounding:
    """What unjudged documents could change in the scores by one measure."""

    def __init__(self, measuring: Measuring) -> None:
        self.measuring, self.collection = measuring, measuring.collection
        (self.measure,) = measuring.measures
        self.last = deepest([self.measure], self.collection.options.depth)
        self.numbers: list[dict[str, int]] = [{} for _ in self.collection.topics]
        self.known: dict[SeenRun, Ends] = {}  # of scores, for which several people ask

    @property
    def unknown(self) -> str:
        """Why no bounds are known, if so."""
        if not is_bounded(self.measure):
            return str(self.measure)
        if self.collection.intents is not None:
            return "judgments for intents"
        return "" if self.collection.counting.plain else "classes or groups of documents"

    @property
    def reach(self) -> int | None:
        """So many documents of a run's lists have to be known; None: all."""
        return needed(self.last, self.collection.options)

    def see(self, one: Labelled, ranked: Mapping[str, Sequence[str]] | None = None) -> SeenRun:
        """The lists of a run, as far as the measure looks at them; `ranked`, if somebody has them
        already, are its documents, within `reach` at least.
        """
        collection = self.collection
        lists = collection.of_chosen(one.rankings)
        cut = lists if self.last is None else lists.truncated(self.last)
        levels = np.full(int(cut.lengths.sum()), np.nan)
        levels[cut.starts[cut.hit_topics] + cut.ranks - 1] = cut.levels
        docs = np.full(len(levels), -1)
        offsets = np.append(0, np.cumsum(cut.lengths))
        counts = np.diff(np.append(0, np.cumsum(np.isnan(levels)))[offsets])
        ranked = one.run.rankings(self.reach) if ranked is None else ranked
        docs[np.isnan(levels)] = [
            self.numbers[t].setdefault(doc, len(self.numbers[t]))
            for t, count in enumerate(counts.tolist())
            if count
            for doc in islice(collection.unjudged(ranked[collection.topics[t]], t), count)
        ]
        return SeenRun(lists.lengths, offsets, levels, docs)

    def bounds(self, a: SeenRun, b: SeenRun | None = None) -> Ends:
        """The least and the most that a run's scores can be, or their differences to others'."""
        if b is not None:
            return self._bounds(a, b)
        if a not in self.known:
            self.known[a] = self._bounds(a, a.taken(np.full(len(a.lengths), -1)))
        return self.known[a]

    def _bounds(self, a: SeenRun, b: SeenRun) -> Ends:
        ranks = int((a.sizes + b.sizes).max(initial=0)) + 1

        def compute(block: Block) -> Ends:
            m = self.measuring.here(self.measure, block.start)
            return difference_bounds(m, a.block(block), b.block(block))

        blocks = self.collection.blocks(ranks, self.measuring.gains)
        ends = in_blocks(blocks, compute, self.collection.options.workers)
        low, high = zip(*ends, strict=True)
        return floats(np.concatenate(low)), floats(np.concatenate(high))
