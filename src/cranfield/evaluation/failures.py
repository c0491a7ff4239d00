"""Failure analysis: the hardest topics of runs, and the reasons for low scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar, Unpack

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints, estimate_rounding
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run
from cranfield.data.run_reader import call_with_split
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError
from cranfield.evaluation.blocks import Block, map_blocks
from cranfield.evaluation.collection import LabelledRun
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.options import Settings, with_options
from cranfield.evaluation.unjudged import RunDocuments, ScoreBounds, build_evaluator
from cranfield.labelling.blocks import Rankings, RunLabels
from cranfield.measures.bounds import Ends
from cranfield.measures.selection import MeasuresLike
from cranfield.scores import Note, note_topics
from cranfield.scores.slices import SliceSummary
from cranfield.tables import FLAT, ResultTable, read_settings
from cranfield.wording import format_count, format_names

TABLES = ("hardest", "divisive", "deciding", "tally", "slices", "results")

BUCKETS = ("not answered", "none found", "cut off", "ties", "unjudged", "ranked low")
"""Reasons for the failure of a run on a topic. The first one that applies counts."""

MIN_CHANGE = 0.1  # ties or unjudged documents decide a score if they change it by more, and no run is better
TOP_TOPICS = 10  # topics in tables
MIN_FAILURES = 10  # fewer failures give no note
T = TypeVar("T")


@dataclass(frozen=True)
class Result(TableResult):
    """The score of a run on a topic, and the reason for a failure.

    Other orders of tied documents give scores from `ties_low` to `ties_high`. Judgments of
    unjudged documents could give scores from `unjudged_low` to `unjudged_high`. `other` is the best
    run of the topic, if it is better. The difference to it could be from `difference_low` to
    `difference_high`, depending on unjudged documents. Unknown values are None.
    """

    topic: str
    run: str
    score: float
    relevant: int  # relevant documents,
    found: int  # in the ranking,
    above_cutoff: int  # and above the cutoff of the measure
    ties_low: float
    ties_high: float
    unjudged_low: float | None
    unjudged_high: float | None
    other: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    bucket: str | None  # one of BUCKETS, or None without a failure


@dataclass(frozen=True)
class Topic(TableResult):
    """The scores of all runs on a topic: mean, standard deviation, best and worst."""

    topic: str
    relevant: int  # documents
    mean: float
    sd: float  # 0 for a single run, and if scores differ by rounding only
    best: float
    best_runs: tuple[str, ...]
    worst: float
    worst_runs: tuple[str, ...]
    results: tuple[Result, ...]  # one per run

    @classmethod
    def from_results(cls, results: tuple[Result, ...], better: str) -> Topic:
        """Summarize the results of all runs."""
        scores = np.array([one.score for one in results])
        rounding = estimate_rounding(scores)
        differ = np.ptp(scores) > rounding

        def find_runs(end: float) -> tuple[str, ...]:
            return tuple(result.run for result in results if abs(result.score - end) <= rounding)

        low, high = float(scores.min()), float(scores.max())
        best, worst = (high, low) if better == "higher" else (low, high)
        return cls(
            results[0].topic,
            results[0].relevant,
            float(scores.mean()),
            float(scores.std(ddof=1)) if differ else 0.0,
            best,
            find_runs(best),
            worst,
            find_runs(worst),
            results,
        )

    def result_of(self, run: str) -> Result:
        """Return the result of a run."""
        return next(result for result in self.results if result.run == run)

    @property
    def buckets(self) -> dict[str, int]:
        """The number of failing runs by reason, in the order of BUCKETS."""
        counts = Counter(result.bucket for result in self.results)
        return {bucket: counts[bucket] for bucket in BUCKETS if counts[bucket]}


@dataclass(frozen=True)
class Deciding(TableResult):
    """The difference of two runs on a topic. `share` is its fraction of all absolute differences.

    Depending on unjudged documents, the difference could be from `low` to `high` (None: unknown).
    """

    run: str
    other: str
    topic: str
    relevant: int
    score: float
    other_score: float
    difference: float
    share: float
    low: float | None
    high: float | None
    bucket: str | None  # of the worse run


@dataclass(frozen=True, eq=False, repr=False)
class HardTopics(TableResult):
    """The results of runs on each topic by one measure, with the reasons for failures.

    `results` are grouped by topic, with one result per run. If topics have `attributes`, `slices`
    are the means of the runs on their slices.
    """

    measure: str
    better: str  # higher or lower scores
    runs: tuple[str, ...]
    results: tuple[Result, ...]
    bounded: bool  # True if the bounds for unjudged documents are known
    notes: tuple[Note, ...] = ()
    slices: tuple[SliceSummary, ...] = ()
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        hardest = format_names([topic.topic for topic in self.hardest(None)], "topic")
        runs = format_count(len(self.runs), "run")
        return f"HardTopics: {runs} by {self.measure} on {hardest}, the hardest first"

    def _build_tables(self, top: int = TOP_TOPICS) -> list[ResultTable]:
        from cranfield.evaluation.failure_tables import build_tables

        return build_tables(self, top)

    def _select_tables(self, format: str) -> tuple[str, ...]:
        if format in FLAT:
            return ("results",)
        slices = ("slices",) if self.slices else ()
        if format == "json":
            return tuple(name for name in TABLES if name != "slices" or slices)
        # Differences between two runs are largest on the deciding topics.
        return ("hardest", "deciding" if len(self.runs) == 2 else "divisive", "tally", *slices)

    def _build_settings(self) -> dict[str, Any]:
        return {
            **read_settings(self, "measure", "better", "runs", "topics", "bounded"),
            **({"decided_by": self.decided_by()} if len(self.runs) == 2 else {}),
        }

    @property
    def _sign(self) -> int:
        return 1 if self.better == "higher" else -1

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """All topics, in the order of the judgments."""
        n = len(self.runs)
        rows = (self.results[i : i + n] for i in range(0, len(self.results), n))
        return tuple(Topic.from_results(row, self.better) for row in rows)

    def hardest(self, top: int | None = TOP_TOPICS) -> Rows[Topic]:
        """Return the topics with the worst mean over all runs, the hardest first."""
        return _sort_rounded(self.topics, lambda topic: self._sign * topic.mean, top)

    def count_tied(self, top: int = TOP_TOPICS) -> int:
        """Count the topics that are as hard as the last one of the hardest."""
        ranked = self.hardest(None)
        listed_topics, rest = ranked[:top], ranked[top:]
        return sum(abs(topic.mean - listed_topics[-1].mean) <= TOLERANCE for topic in rest)

    def divisive(self, top: int | None = TOP_TOPICS) -> Rows[Topic]:
        """Return the topics on which runs differ, the largest standard deviation first."""
        return _sort_rounded((topic for topic in self.topics if topic.sd), lambda topic: -topic.sd, top)

    def deciding(self, top: int | None = TOP_TOPICS) -> Rows[Deciding]:
        """Return the topics on which two runs differ, the largest difference first."""
        rows = [self._build_deciding(topic) for topic in self.topics if topic.sd]
        return _sort_rounded(rows, lambda row: -abs(row.difference), top)

    def _build_deciding(self, topic: Topic) -> Deciding:
        a, b = topic.results
        worse, difference = (a, a.score - b.score) if a.other else (b, a.score - b.score)
        low, high = worse.difference_low, worse.difference_high
        if worse is b and low is not None and high is not None:
            low, high = -high, -low
        return Deciding(
            a.run,
            b.run,
            topic.topic,
            topic.relevant,
            a.score,
            b.score,
            difference,
            abs(difference) / float(np.abs(self.differences).sum()),
            low,
            high,
            worse.bucket,
        )

    @cached_property
    def differences(self) -> Floats:
        """The score differences of two runs by topic, first minus second."""
        scores = np.array([result.score for result in self.results]).reshape(-1, 2)
        return np.asarray(scores[:, 0] - scores[:, 1])

    def decided_by(self) -> int:
        """Return the number of topics that decide which of two runs has the better mean.

        Without this number of its most favourable topics, the better run is not better. The number
        is 0 if both means are equal.
        """
        total, rounding = float(self.differences.sum()), estimate_rounding(self.differences)
        if abs(total) <= rounding:
            return 0
        favour = np.sort(np.sign(total) * self.differences)[::-1]
        return int(np.argmax(abs(total) - np.cumsum(favour) <= rounding)) + 1

    def tally(self) -> dict[str, dict[str | None, int]]:
        """Return ``{run: {bucket: topics}}``, with None for topics without a failure."""
        counts = Counter((result.run, result.bucket) for result in self.results)
        return {run: {bucket: counts[run, bucket] for bucket in (*BUCKETS, None)} for run in self.runs}


def _sort_rounded(items: Iterable[T], key: Callable[[T], float], top: int | None) -> Rows[T]:
    """Return the first items by a rounded key. Equal keys keep their order."""
    return Rows(sorted(items, key=lambda item: round(key(item), 12))[:top])


@with_options
def hard_topics(
    qrels: QrelsLike, runs: RunsLike, measure: MeasuresLike = None, **options: Unpack[Settings]
) -> HardTopics:
    """Find the hardest topics by a measure, the topics on which runs differ, and the reasons.

    A run fails on a topic if another run scores better, or if it scores no better than an empty
    ranking. A single run also fails if the ideal ranking scores better. The reason is the first of
    these that applies (`BUCKETS`):

    not answered, none found, cut off
        The topic is missing, has no relevant document, or has none above the cutoff.
    ties
        In another order of tied documents, of this run or of the best run, it would be as good as
        the best run. If no run is better: the orders change its score by more than 0.1.
    unjudged
        Depending on unjudged documents, the run could be as good as the best run: the bounds of the
        difference (see `bounds`) include 0. If no run is better: the bounds of its score differ by
        more than 0.1.
    ranked low
        No other reason applies.

    Default `measure`: the first of the preset, otherwise nDCG@10. Topics without relevant documents
    are excluded.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> runs = {"x": {"q1": ["a"], "q2": ["z"]}, "y": {"q1": ["z", "a"], "q2": ["b"], "q3": ["c"]}}
    >>> found = hard_topics(qrels, runs, "RR@1")
    >>> [(one.run, one.topic, one.bucket) for one in found.results if one.bucket]
    [('y', 'q1', 'cut off'), ('x', 'q2', 'none found'), ('x', 'q3', 'not answered')]
    """
    looking = FailureFinder(build_evaluator(qrels, measure, options))
    find = looking.evaluator.collection.match_run
    inspections = call_with_split(
        looking.evaluator.read(runs), lambda runs_read: [looking.inspect_run(run, find(run)) for run in runs_read]
    )
    return looking.find_hard_topics(inspections)


class FailureFinder:
    """Inspects runs one by one, then finds the failures of all runs by one measure."""

    def __init__(self, evaluator: Evaluator) -> None:
        (column,) = evaluator.scorer.columns
        if column.better == "neither":
            problem = f"{column.name}: neither higher nor lower scores are better"
            raise InputError.from_problem(problem)
        self.evaluator, self.column = evaluator, column
        self.bounding = ScoreBounds(evaluator.scorer)

    def inspect_run(
        self, run: Run, labels: RunLabels, ranked: Mapping[str, Sequence[str]] | None = None
    ) -> RunInspection:
        """Inspect a labelled run. `ranked` are its documents, if already read."""
        return RunInspection.from_labels(self.evaluator, self.bounding, run, labels, ranked)

    def find_hard_topics(self, inspections: Sequence[RunInspection]) -> HardTopics:
        """Rank topics by difficulty and classify the failures of all inspected runs."""
        evaluator, bounding, column = self.evaluator, self.bounding, self.column
        scores = evaluator.score_labelled(inspection.labelled for inspection in inspections)
        relevant_counts = _count_relevant(evaluator, None)
        places = np.array([evaluator.collection.find_topic(topic) for topic in scores.topics])
        has_relevant = (relevant_counts > 0)[places] | (not evaluator.measures[0].effectiveness)
        excluded = [topic for topic, is_kept in zip(scores.topics, has_relevant, strict=True) if not is_kept]
        if not has_relevant.any():
            location = evaluator.collection.gold.qrels.where
            raise InputError.from_problem("no topic with a relevant document", where=location)
        failures = _FailureAnalysis(evaluator, bounding, inspections, relevant_counts)
        notes = [
            *(note for note in scores.notes if note.kind != "no-relevant"),
            *note_topics("no-relevant", excluded, "without relevant documents, excluded"),
        ]
        if bounding.unsupported:
            reason = "the effect of unjudged documents is unknown"
            text = f"{bounding.unsupported}: {reason}, so no failure has the reason unjudged"
            notes.append(Note("bounds", text))
        results = tuple(failures.iter_results(places[has_relevant].tolist()))
        notes += _note_mostly_unjudged(column.name, results, inspections)
        kept = scores.select(topics=[topic for topic in scores.topics if topic not in {*excluded}])
        slices = tuple(kept.slices), kept.attributes
        return HardTopics(
            column.name, column.better, scores.runs, results, not bounding.unsupported, tuple(notes), *slices
        )


@dataclass(frozen=True, eq=False)
class RunInspection:
    """The scores and bounds of a run. All arrays are [topics]."""

    labelled: LabelledRun
    score: Floats
    ties: Ends
    found: Ints  # relevant documents in the ranking
    above: Ints  # relevant documents above the cutoff
    documents: RunDocuments | None  # None if no bounds are known

    @classmethod
    def from_labels(
        cls,
        evaluator: Evaluator,
        bounding: ScoreBounds,
        run: Run,
        labels: RunLabels,
        ranked: Mapping[str, Sequence[str]] | None = None,
    ) -> RunInspection:
        collection, measuring = evaluator.collection, evaluator.scorer
        labelled = collection.apply_labels(run, labels)
        collection.check_overlap(labelled)
        orders = [labelled, *(collection.with_ties(x).apply_labels(run, labels) for x in ("best", "worst"))]
        values = np.stack([measuring.compute_values(order.rankings)[:, 0] for order in orders])
        return cls(
            labelled,
            values[0],
            (values.min(axis=0), values.max(axis=0)),
            _count_relevant(evaluator, labelled.rankings, full=True),
            _count_relevant(evaluator, labelled.rankings),
            None if bounding.unsupported else bounding.read_documents(labelled, ranked),
        )


def _note_mostly_unjudged(
    measure: str, results: Sequence[Result], inspections: Sequence[RunInspection]
) -> Iterator[Note]:
    """Warn if unjudged documents could explain most failures."""
    reasons = Counter(row.bucket for row in results if row.bucket)
    unjudged, failures = reasons["unjudged"], reasons.total()
    if failures < MIN_FAILURES or 2 * unjudged <= failures:
        return
    docs = np.concatenate([row.documents.docs for row in inspections if row.documents is not None])
    text = f"{unjudged:,} of {failures:,} failures could be caused by unjudged documents"
    fraction = f"{np.mean(docs >= 0):.0%} of the documents above the cutoff of {measure}"
    advice = "A lower cutoff or depth, or more judgments, would show other reasons."
    yield Note("mostly-unjudged", f"{text} ({fraction}). {advice}")


def _count_relevant(evaluator: Evaluator, rankings: Rankings | None, full: bool = False) -> Ints:
    """Count the relevant documents above the cutoff, or in the `full` ranking.

    Without rankings, count all relevant documents.
    """
    measuring = evaluator.scorer

    def count_block(block: Block) -> Floats:
        m = measuring.with_topic_gains(evaluator.measures[0], block.start)
        if rankings is None:
            return m.view(block.gold.ideal).R
        lists = block.build_lists(rankings)
        x = lists.view(None, **m.get_view_settings()) if full else m.view(lists)
        return np.asarray(x.I.sum(axis=1))

    counts = map_blocks(measuring.blocks, count_block, evaluator.options.workers)
    return np.concatenate(counts).astype(np.int64)


class _FailureAnalysis:
    """The failures of runs and their reasons. All arrays are [runs, topics]."""

    def __init__(
        self, evaluator: Evaluator, bounding: ScoreBounds, inspections: Sequence[RunInspection], relevant_counts: Ints
    ) -> None:
        self.evaluator, self.bounding, self.inspections, self.relevant_counts = (
            evaluator,
            bounding,
            inspections,
            relevant_counts,
        )
        self.sign = -1.0 if evaluator.scorer.columns[0].better == "lower" else 1.0
        self.score = np.stack([inspection.score for inspection in inspections])
        self.rounding = estimate_rounding(self.score)

    @cached_property
    def best_run(self) -> Ints:
        """The index of the best run of the topic if it is better than the run, otherwise −1.

        A run without a score is neither worse nor best.
        """
        signed_scores = np.where(np.isnan(self.score), -np.inf, self.sign * self.score)
        better = (signed_scores < signed_scores.max(axis=0) - self.rounding) & ~np.isnan(self.score)
        return np.where(better, signed_scores.argmax(axis=0), -1)

    @cached_property
    def fails(self) -> Bools:
        """True for failures."""
        if len(self.inspections) == 1:
            return self._is_worse(self._ideal)
        empty_rankings = self.inspections[0].labelled.rankings.keep_topics(
            np.zeros(len(self.relevant_counts), dtype=bool)
        )
        empty = self.evaluator.scorer.compute_values(empty_rankings)[:, 0]
        return (self.best_run >= 0) | ~self._is_worse(empty, -self.sign)

    def _is_worse(self, scores: Floats, sign: float | None = None) -> Bools:
        """Return True for run scores worse than the given scores, better for the opposite sign."""
        sign = self.sign if sign is None else sign
        return np.asarray(sign * (scores - self.score) > self.rounding)

    @property
    def _ideal(self) -> Floats:
        """The scores of ideal rankings, infinite if unknown."""
        collection, m = self.evaluator.collection, self.evaluator.measures[0]
        if m.takes != "lists" or collection.extras or collection.intents is not None:
            return np.full(len(self.relevant_counts), self.sign * np.inf)
        measuring = self.evaluator.scorer
        (scores,) = measuring.compute_measures([m], lambda block: block.gold.ideal, measuring.blocks)
        return scores[:, 0]

    @cached_property
    def score_bounds(self) -> Sequence[Ends]:
        """Bounds of the scores of each run."""
        return [self.bounding.compute_bounds(documents) for documents in self._documents]

    @cached_property
    def difference_bounds(self) -> Sequence[Ends]:
        """Bounds of the difference to the best run if it is better, otherwise of the score."""
        documents, topics = self._documents, np.arange(self.best_run.shape[1])
        concatenated = RunDocuments.concatenate(documents)
        rows = np.where(self.best_run < 0, -1, self.best_run * len(topics) + topics)
        best_runs = map(concatenated.select_lists, rows)
        return [self.bounding.compute_bounds(*pair) for pair in zip(documents, best_runs, strict=True)]

    @property
    def _documents(self) -> list[RunDocuments]:
        return [inspection.documents for inspection in self.inspections if inspection.documents is not None]

    @property
    def tie_decides(self) -> Bools:
        """True if the order of tied documents decides."""
        low, high = (np.stack(x) for x in zip(*(inspection.ties for inspection in self.inspections), strict=True))
        minimum, maximum = (low, high) if self.sign > 0 else (-high, -low)
        best_minimum = np.take_along_axis(minimum, np.maximum(self.best_run, 0), axis=0)
        return self._is_decided(high - low, maximum - best_minimum)

    @property
    def unjudged_decides(self) -> Bools:
        """True if unjudged documents decide."""
        if self.bounding.unsupported:
            return np.zeros(self.score.shape, dtype=bool)
        low, high = (np.stack(x) for x in zip(*self.difference_bounds, strict=True))
        return self._is_decided(high - low, high if self.sign > 0 else -low)

    def _is_decided(self, width: Floats, at_best: Floats) -> Bools:
        """Return True if a run could be as good as the best run.

        If no run is better, return True if its score could change by more than 0.1.
        """
        return np.where(self.best_run >= 0, at_best >= -self.rounding, width > MIN_CHANGE + self.rounding)

    @cached_property
    def buckets(self) -> Ints:
        """The index of the first reason that applies, −1 without a failure."""
        answered = np.stack([inspection.labelled.full_rankings.answered for inspection in self.inspections])
        retrieved, above_cutoff = (
            np.stack([getattr(x, name) for x in self.inspections]) for name in ("found", "above")
        )
        holds = [~answered, retrieved == 0, above_cutoff == 0, self.tie_decides, self.unjudged_decides, answered | True]
        return np.where(self.fails, np.argmax(holds, axis=0), -1)

    def iter_results(self, topics: Sequence[int]) -> Iterator[Result]:
        """Yield the results of all runs, topic by topic."""
        return (self._build_result(i, t) for t in topics for i in range(len(self.inspections)))

    def _build_result(self, i: int, t: int) -> Result:
        inspection, best, bounded = (self.inspections[i], int(self.best_run[i, t]), not self.bounding.unsupported)
        ties_low, ties_high = _get_ends(inspection.ties, t)
        low, high = _get_ends(self.score_bounds[i], t) if bounded else (None, None)
        minimum, maximum = _get_ends(self.difference_bounds[i], t) if bounded and best >= 0 else (None, None)
        return Result(
            topic=self.evaluator.collection.topics[t],
            run=inspection.labelled.run.name,
            score=float(inspection.score[t]),
            relevant=int(self.relevant_counts[t]),
            found=int(inspection.found[t]),
            above_cutoff=int(inspection.above[t]),
            ties_low=ties_low,
            ties_high=ties_high,
            unjudged_low=low,
            unjudged_high=high,
            other=None if best < 0 else self.inspections[best].labelled.run.name,
            difference=None if best < 0 else float(inspection.score[t] - self.score[best, t]),
            difference_low=minimum,
            difference_high=maximum,
            bucket=[*BUCKETS, None][self.buckets[i, t]],
        )


def _get_ends(ends: Ends, t: int) -> tuple[float, float]:
    return float(ends[0][t]), float(ends[1][t])
