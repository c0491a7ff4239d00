"""Bounds of scores and differences if unjudged documents were judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any, Unpack

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, map_blocks
from cranfield.evaluation.collection import LabelledRun
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.options import Options, Settings, with_options
from cranfield.evaluation.scoring import Scorer
from cranfield.labelling.blocks import expand_spans
from cranfield.measures.bounds import BOUNDED, Ends, FullLists, compute_difference_bounds, is_bounded
from cranfield.measures.lists import Lists, scatter, to_floats
from cranfield.measures.selection import MeasuresLike, find_deepest
from cranfield.scores import ALL, Scores

MEASURE = "nDCG@10"  # default


@dataclass(frozen=True)
class Bound(TableResult):
    """Bounds of a score, or of the difference of two scores, depending on unjudged documents.

    `topic` is a topic, or ``all`` for the mean.
    """

    run: str
    other: str | None  # None: the score of the run itself
    topic: str
    value: float
    low: float
    high: float


@with_options
def bounds(qrels: QrelsLike, runs: RunsLike, measure: MeasuresLike = None, **options: Unpack[Settings]) -> Rows[Bound]:
    """Compute how judgments of the unjudged documents could change scores and differences.

    Each unjudged document above the cutoff could have any level of the judgments, or be
    nonrelevant. The rows are bounds of the score of each run, then of the difference of each pair
    of runs, for each topic and for the mean. An unjudged document in two runs has the same level in
    both. Default `measure`: the first of the preset, otherwise nDCG@10.

    The bounds of a score are attained. So are the bounds of a difference, except for AP, GMAP, ERR
    and iRBU: they have outer bounds, which a difference never exceeds and may not reach.

    >>> runs = {"x": {"q1": ["a", "b", "c"]}, "y": {"q1": ["c", "d", "a"]}}
    >>> *_, mean = bounds({"q1": {"a": 1, "d": 0}}, runs, "P@3")  # b and c are not judged
    >>> mean.run, mean.other, mean.value, mean.low, round(mean.high, 4)
    ('x', 'y', 0.0, 0.0, 0.3333)
    """
    bounded = BoundedRuns.read(qrels, runs, measure, options)
    indices = range(len(bounded.documents))
    pairs = [*((a, None) for a in indices), *combinations(indices, 2)]
    return Rows(row for pair in pairs for row in bounded.iter_rows(*pair))


def bound_differences(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: MeasuresLike,
    pairs: Sequence[tuple[str, str]],
    **options: Unpack[Settings],
) -> list[Bound]:
    """Return the bounds of the difference of means of each pair of runs."""
    bounded = BoundedRuns.read(qrels, runs, measure, options)
    place = {name: i for i, name in enumerate(bounded.scores.runs)}
    return [list(bounded.iter_rows(place[run], place[other]))[-1] for run, other in pairs]


@dataclass(frozen=True, eq=False)
class BoundedRuns:
    """Runs with their scores, and the documents that the measure uses."""

    bounding: ScoreBounds
    scores: Scores
    documents: tuple[RunDocuments, ...]

    @classmethod
    def read(cls, qrels: QrelsLike, runs: RunsLike, measure: MeasuresLike, options: Mapping[str, Any]) -> BoundedRuns:
        """Read judgments and runs. Raise an error if no bounds of the measure are known."""
        evaluator = build_evaluator(qrels, measure, options)
        bounding, collection = ScoreBounds(evaluator.scorer), evaluator.collection
        if bounding.unsupported:
            fix = f"Supported: {', '.join(BOUNDED)}."
            raise InputError.from_problem(f"no bounds for {bounding.unsupported}", fix)

        def read_documents(runs_read: Sequence[Run]) -> list[tuple[LabelledRun, RunDocuments]]:
            labelled_runs = map(collection.label, runs_read)
            return [(labelled_run, bounding.read_documents(labelled_run)) for labelled_run in labelled_runs]

        labelled, documents = zip(*call_with_split(evaluator.read(runs), read_documents), strict=True)
        return cls(bounding, evaluator.score_labelled(labelled), documents)

    @cached_property
    def places(self) -> list[int]:
        """The indices of the scored topics."""
        return [self.bounding.collection.find_topic(topic) for topic in self.scores.topics]

    @property
    def values(self) -> Floats:
        """The scores [runs, topics]."""
        return self.scores.values[:, :, 0]

    def iter_rows(self, a: int, b: int | None) -> Iterator[Bound]:
        """Yield the bounds of a run, or of a difference, for each topic and for the mean."""
        scores = self.scores
        other_run = None if b is None else scores.runs[b]
        ends = self.bounding.compute_bounds(self.documents[a], None if b is None else self.documents[b])
        low, high = (end[self.places] for end in ends)
        value = self.values[a] if b is None else self.values[a] - self.values[b]
        for topic, *numbers in zip(scores.topics, value, low, high, strict=True):
            yield Bound(scores.runs[a], other_run, topic, *map(float, numbers))
        yield Bound(scores.runs[a], other_run, ALL, *(float(x.mean()) for x in (value, low, high)))


def build_evaluator(qrels: QrelsLike, measure: MeasuresLike, options: Mapping[str, Any]) -> Evaluator:
    """Build the evaluator of one measure (default: the first of the preset, or nDCG@10).

    Depth and labels of a preset apply. Raise an error for several measures or expected ties.
    """
    settings = Options.from_mapping(options)
    settings.reject_expected_ties()
    default = MEASURE if settings.task is None else settings.task.measures_at()[0]
    overrides = {"preset": None, "depth": settings.depth, "labels": settings.labels}
    selected = default if measure is None else measure
    evaluator = Evaluator(qrels, selected, **{**options, **overrides})
    columns = [column.name for column in evaluator.scorer.columns]
    if len(columns) != 1:
        raise InputError(f"{len(columns)} measures ({', '.join(columns)})", "one")
    if settings.per_intent:
        raise InputError.from_problem("per_intent is not supported")
    return evaluator


def compute_required_depth(depth: int | None, options: Options) -> int | None:
    """Return the number of documents of a run that determine the first `depth` documents.

    None means all: reordered ties may move documents from any rank.
    """
    needs_all = depth is None or options.ties in ("best", "worst")
    return None if needs_all else (depth or 0) + options.exclude_self


@dataclass(frozen=True, eq=False)
class RunDocuments:
    """The documents of a run that a measure uses, for all rankings in one flat array."""

    lengths: Ints  # [topics] lengths of the complete rankings
    offsets: Ints  # [topics + 1]
    levels: Floats  # [documents] NaN: unjudged
    docs: Ints  # [documents] number of the unjudged document within its topic, −1: judged

    @property
    def sizes(self) -> Ints:
        """The number of documents used of each ranking."""
        return np.diff(self.offsets)

    @classmethod
    def concatenate(cls, runs: Sequence[RunDocuments]) -> RunDocuments:
        """Concatenate the rankings of several runs."""
        parts = ((run.lengths, run.sizes, run.levels, run.docs) for run in runs)
        lengths, sizes, levels, docs = map(np.concatenate, zip(*parts, strict=True))
        return cls(lengths, np.append(0, np.cumsum(sizes)), levels, docs)

    def select_lists(self, indices: Ints) -> RunDocuments:
        """Return some of the rankings, an empty one for index −1."""
        lengths, sizes = (np.where(indices < 0, 0, x[indices]) for x in (self.lengths, self.sizes))
        rows = expand_spans(self.offsets[:-1][indices], sizes)
        return RunDocuments(lengths, np.append(0, np.cumsum(sizes)), self.levels[rows], self.docs[rows])

    def build_block(self, block: Block) -> FullLists:
        """Return the rankings of a block of topics for measures."""
        start, stop, gold = block
        mask = np.arange(self.sizes[start:stop].max(initial=0)) < self.sizes[start:stop, None]
        cells = slice(self.offsets[start], self.offsets[stop])
        levels = scatter(mask, self.levels[cells], np.nan)
        judged = ~np.isnan(levels)
        ranks = np.broadcast_to(np.arange(1, mask.shape[1] + 1), mask.shape)
        filled = np.where(judged, levels, 0.0)
        lists = Lists(ranks, filled, judged, self.lengths[start:stop], gold)
        return FullLists(lists, scatter(mask, self.docs[cells], -1))


class ScoreBounds:
    """Bounds of the scores by one measure, depending on unjudged documents."""

    def __init__(self, measuring: Scorer) -> None:
        self.measuring, self.collection = measuring, measuring.collection
        (self.measure,) = measuring.measures
        self.last_rank = find_deepest([self.measure], self.collection.options.depth)
        self.numbers: list[dict[str, int]] = [{} for _ in self.collection.topics]
        self.cache: dict[RunDocuments, Ends] = {}  # bounds of scores that were computed before

    @property
    def unsupported(self) -> str:
        """The reason if no bounds are known, otherwise empty."""
        if not is_bounded(self.measure):
            return str(self.measure)
        if self.collection.intents is not None:
            return "judgments for intents"
        return "" if self.collection.labels.is_default else "classes or groups of documents"

    @property
    def required_depth(self) -> int | None:
        """The number of documents needed from each ranking, None for all."""
        return compute_required_depth(self.last_rank, self.collection.options)

    def read_documents(
        self, labelled_run: LabelledRun, ranked: Mapping[str, Sequence[str]] | None = None
    ) -> RunDocuments:
        """Read the documents of a run that the measure uses.

        `ranked` are the documents of the run, if already read, at least the required depth.
        """
        collection = self.collection
        lists = collection.select_topics(labelled_run.rankings)
        cut = lists if self.last_rank is None else lists.truncate(self.last_rank)
        levels = np.full(int(cut.lengths.sum()), np.nan)
        levels[cut.starts[cut.hit_topics] + cut.ranks - 1] = cut.levels
        docs = np.full(len(levels), -1)
        offsets = np.append(0, np.cumsum(cut.lengths))
        counts = np.diff(np.append(0, np.cumsum(np.isnan(levels)))[offsets])
        ranked = labelled_run.run.rankings(self.required_depth) if ranked is None else ranked
        docs[np.isnan(levels)] = [
            self.numbers[t].setdefault(doc, len(self.numbers[t]))
            for t, count in enumerate(counts.tolist())
            if count
            for doc in islice(collection.iter_unjudged(ranked[collection.topics[t]], t), count)
        ]
        return RunDocuments(lists.lengths, offsets, levels, docs)

    def compute_bounds(self, a: RunDocuments, b: RunDocuments | None = None) -> Ends:
        """Return the bounds of the scores of a run, or of the differences to another run."""
        if b is not None:
            return self._compute_bounds(a, b)
        if a not in self.cache:
            self.cache[a] = self._compute_bounds(a, a.select_lists(np.full(len(a.lengths), -1)))
        return self.cache[a]

    def _compute_bounds(self, a: RunDocuments, b: RunDocuments) -> Ends:
        ranks = int((a.sizes + b.sizes).max(initial=0)) + 1

        def compute(block: Block) -> Ends:
            m = self.measuring.with_topic_gains(self.measure, block.start)
            return compute_difference_bounds(m, a.build_block(block), b.build_block(block))

        blocks = self.collection.build_blocks(ranks, self.measuring.gains)
        ends = map_blocks(blocks, compute, self.collection.options.workers)
        low, high = zip(*ends, strict=True)
        return to_floats(np.concatenate(low)), to_floats(np.concatenate(high))
