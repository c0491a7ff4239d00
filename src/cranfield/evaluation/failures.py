"""Where runs fail: the hardest topics, those that divide runs, those that decide, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, Unpack

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
from cranfield.evaluation.resolved_measures import MeasuresLike
from cranfield.evaluation.unjudged import RunDocuments, ScoreBounds, build_evaluator
from cranfield.labelling.blocks import Rankings, RunLabels
from cranfield.measures.bounds import Ends
from cranfield.scores import Note, note_topics
from cranfield.wording import format_count, format_names

BUCKETS = ("not answered", "none found", "cut off", "ties", "unjudged", "ranked low")
"""Why a run fails at a topic: the first that holds."""

MIN_CHANGE = 0.1  # from here on ties and unjudged documents decide a score, if no run is better
TOP_TOPICS = 10  # topics that are shown
MIN_FAILURES = 10  # failures, of which no share is told
T = TypeVar("T")


@dataclass(frozen=True)
class Result(TableResult):
    """How a run did on a topic, and why.

    Other orders of tied documents give scores from `ties_low` to `ties_high`, and other judgments
    of unjudged documents those from `unjudged_low` to `unjudged_high`. `other` is the best run of
    the topic, if that is better; the difference to it may be from `difference_low` to
    `difference_high`, whatever the unjudged documents are. What is not known is None.
    """

    topic: str
    run: str
    score: float
    relevant: int  # documents, of which so many
    found: int  # are in the list,
    above_cutoff: int  # and where the measure looks
    ties_low: float
    ties_high: float
    unjudged_low: float | None
    unjudged_high: float | None
    other: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    bucket: str | None  # one of BUCKETS; None: it does not fail


@dataclass(frozen=True)
class Topic(TableResult):
    """How all runs did on a topic: their mean and standard deviation, the best and the worst."""

    topic: str
    relevant: int  # documents
    mean: float
    sd: float  # 0 for a single run, and if only rounding makes scores differ
    best: float
    best_runs: tuple[str, ...]  # that score so
    worst: float
    worst_runs: tuple[str, ...]
    results: tuple[Result, ...]  # of each run, in their order

    @classmethod
    def from_results(cls, results: tuple[Result, ...], better: str) -> Topic:
        """What there is to say of the results of all runs."""
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
        """That of a run."""
        return next(result for result in self.results if result.run == run)

    @property
    def buckets(self) -> dict[str, int]:
        """How many runs fail for which reason, in the order of BUCKETS."""
        counts = Counter(result.bucket for result in self.results)
        return {bucket: counts[bucket] for bucket in BUCKETS if counts[bucket]}


@dataclass(frozen=True)
class Deciding(TableResult):
    """How two runs differ on a topic; `share` is that of all differences, whatever their sign.

    Whatever unjudged documents are, the difference is from `low` to `high`, if that is known.
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
    bucket: str | None  # of the run that is worse


@dataclass(frozen=True, eq=False, repr=False)
class HardTopics(TableResult, tables="failures"):
    """How runs did on each topic by one measure, and why they fail where they do.

    `results` are those of all runs, in their order, for one topic after the other.
    """

    measure: str
    better: str  # higher or lower scores
    runs: tuple[str, ...]
    results: tuple[Result, ...]
    bounded: bool  # whether it is known what unjudged documents could change
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        hardest = format_names([topic.topic for topic in self.hardest(None)], "topic")
        runs = format_count(len(self.runs), "run")
        return f"HardTopics: {runs} by {self.measure} on {hardest}, the hardest first"

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
        """The topics with the worst mean over all runs, the hardest first."""
        return _sort_rounded(self.topics, lambda topic: self._sign * topic.mean, top)

    def count_tied(self, top: int = TOP_TOPICS) -> int:
        """How many topics more are just as hard as the last of the hardest."""
        ranked = self.hardest(None)
        listed_topics, rest = ranked[:top], ranked[top:]
        return sum(abs(topic.mean - listed_topics[-1].mean) <= TOLERANCE for topic in rest)

    def divisive(self, top: int | None = TOP_TOPICS) -> Rows[Topic]:
        """The topics on which runs differ, those with the largest standard deviation first."""
        return _sort_rounded(
            (topic for topic in self.topics if topic.sd), lambda topic: -topic.sd, top
        )

    def deciding(self, top: int | None = TOP_TOPICS) -> Rows[Deciding]:
        """Of two runs the topics on which they differ, those with the largest difference first."""
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
        """Of two runs those of their scores, topic by topic, the first less the second."""
        scores = np.array([result.score for result in self.results]).reshape(-1, 2)
        return np.asarray(scores[:, 0] - scores[:, 1])

    def decided_by(self) -> int:
        """Of two runs, so many topics decide which is better: without those that favour it most,
        it is not better on the mean; 0 if neither is better.
        """
        total, rounding = float(self.differences.sum()), estimate_rounding(self.differences)
        if abs(total) <= rounding:
            return 0
        favour = np.sort(np.sign(total) * self.differences)[::-1]
        return int(np.argmax(abs(total) - np.cumsum(favour) <= rounding)) + 1

    def tally(self) -> dict[str, dict[str | None, int]]:
        """``{run: {bucket: topics}}``, where None is for topics at which it does not fail."""
        counts = Counter((result.run, result.bucket) for result in self.results)
        return {
            run: {bucket: counts[run, bucket] for bucket in (*BUCKETS, None)} for run in self.runs
        }


def _sort_rounded(items: Iterable[T], key: Callable[[T], float], top: int | None) -> Rows[T]:
    """The first of some, by a key in which rounding does not decide; else in their order."""
    return Rows(sorted(items, key=lambda item: round(key(item), 12))[:top])


@with_options
def hard_topics(
    qrels: QrelsLike, runs: RunsLike, measure: MeasuresLike = None, **options: Unpack[Settings]
) -> HardTopics:
    """The hardest topics by a measure, those on which runs differ, and why runs fail there.

    A run fails at a topic where another run scores better; where it scores no better than an empty
    list; and, if it is the only run, where the ideal list scores better. Why it does is the first
    of these that holds (`BUCKETS`):

    not answered, none found, cut off
        It has no list; no relevant document in it; none where the measure looks.
    ties
        Another order of tied documents, of its own or of the best run's, would make it as good as
        the best run of the topic. If no run is better: orders differ by more than 0.1 in its score.
    unjudged
        The unjudged documents that the measure looks at may be such that it is as good as the best
        run: the bounds of the difference (see `bounds`) include 0. If no run is better: the bounds
        of its score are more than 0.1 apart.
    ranked low
        None of these.

    If no `measure` is named, it is the first of the preset, or nDCG@10. Topics without a relevant
    document are left out.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    >>> runs = {"x": {"q1": ["a"], "q2": ["z"]}, "y": {"q1": ["z", "a"], "q2": ["b"], "q3": ["c"]}}
    >>> found = hard_topics(qrels, runs, "RR@1")
    >>> [(one.run, one.topic, one.bucket) for one in found.results if one.bucket]
    [('y', 'q1', 'cut off'), ('x', 'q2', 'none found'), ('x', 'q3', 'not answered')]
    """
    looking = FailureFinder(build_evaluator(qrels, measure, options))
    find = looking.evaluator.collection.match_run
    inspections = call_with_split(
        looking.evaluator.read(runs),
        lambda runs_read: [looking.inspect_run(run, find(run)) for run in runs_read],
    )
    return looking.find_hard_topics(inspections)


class FailureFinder:
    """Looks at runs, one after the other, and then tells where they fail by one measure."""

    def __init__(self, evaluator: Evaluator) -> None:
        (column,) = evaluator.scorer.columns
        if column.better == "neither":
            raise InputError(column.name, "a measure of which higher or lower scores are better")
        self.evaluator, self.column = evaluator, column
        self.bounding = ScoreBounds(evaluator.scorer)

    def inspect_run(
        self, run: Run, labels: RunLabels, ranked: Mapping[str, Sequence[str]] | None = None
    ) -> RunInspection:
        """What there is to know of a run, which was labelled, and perhaps `ranked`."""
        return RunInspection.from_labels(self.evaluator, self.bounding, run, labels, ranked)

    def find_hard_topics(self, inspections: Sequence[RunInspection]) -> HardTopics:
        """Where the runs fail that were looked at, and why."""
        evaluator, bounding, column = self.evaluator, self.bounding, self.column
        scores = evaluator.score_labelled(inspection.labelled for inspection in inspections)
        relevant_counts = _count_relevant(evaluator, None)
        places = np.array([evaluator.collection.find_topic(topic) for topic in scores.topics])
        has_relevant = (relevant_counts > 0)[places] | (not evaluator.measures[0].effectiveness)
        excluded = [
            topic for topic, is_kept in zip(scores.topics, has_relevant, strict=True) if not is_kept
        ]
        if not has_relevant.any():
            location = evaluator.collection.gold.qrels.where
            raise InputError("no topic with a relevant document", "some", location)
        failures = _FailureAnalysis(evaluator, bounding, inspections, relevant_counts)
        notes = [
            *(note for note in scores.notes if note.kind != "no-relevant"),
            *note_topics("no-relevant", excluded, "without a relevant document, left out"),
        ]
        if bounding.unsupported:
            reason = "what unjudged documents could change is not known"
            text = f"{bounding.unsupported}: {reason}: no failure is put down to them"
            notes.append(Note("bounds", text))
        results = tuple(failures.iter_results(places[has_relevant].tolist()))
        notes += _note_mostly_unjudged(column.name, results, inspections)
        return HardTopics(
            column.name,
            column.better,
            scores.runs,
            results,
            not bounding.unsupported,
            tuple(notes),
        )


@dataclass(frozen=True, eq=False)
class RunInspection:
    """What is known of a run; all arrays are [topics]."""

    labelled: LabelledRun
    score: Floats
    ties: Ends
    found: Ints  # relevant documents in the list
    above: Ints  # those that the measure looks at
    documents: RunDocuments | None  # None: nobody asks which they are

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
        orders = [
            labelled,
            *(collection.with_ties(x).apply_labels(run, labels) for x in ("best", "worst")),
        ]
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
    """Whether what nobody judged could explain most failures, so that no reason tells much."""
    reasons = Counter(row.bucket for row in results if row.bucket)
    unjudged, failures = reasons["unjudged"], reasons.total()
    if failures < MIN_FAILURES or 2 * unjudged <= failures:
        return
    docs = np.concatenate([row.documents.docs for row in inspections if row.documents is not None])
    text = f"{unjudged:,} of {failures:,} failures are put down to unjudged documents"
    fraction = f"{np.mean(docs >= 0):.0%} of those that {measure} looks at"
    advice = "a lower cutoff or depth, or more judgments, would tell why runs fail"
    yield Note("mostly-unjudged", f"{text}, which are {fraction}: {advice}")


def _count_relevant(evaluator: Evaluator, rankings: Rankings | None, full: bool = False) -> Ints:
    """How many relevant documents the measure sees in each list, or would in the `full` list; how
    many there are, if no lists are given.
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
    """Which runs fail where, and why; all arrays are [runs, topics]."""

    def __init__(
        self,
        evaluator: Evaluator,
        bounding: ScoreBounds,
        inspections: Sequence[RunInspection],
        relevant_counts: Ints,
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
        """The best run of the topic, the first of several, where it is better; else −1.

        A run without a score is neither worse than another nor the best.
        """
        signed_scores = np.where(np.isnan(self.score), -np.inf, self.sign * self.score)
        better = (signed_scores < signed_scores.max(axis=0) - self.rounding) & ~np.isnan(self.score)
        return np.where(better, signed_scores.argmax(axis=0), -1)

    @cached_property
    def fails(self) -> Bools:
        """Where a run fails."""
        if len(self.inspections) == 1:
            return self._is_worse(self._ideal)
        empty_rankings = self.inspections[0].labelled.rankings.keep_topics(
            np.zeros(len(self.relevant_counts), dtype=bool)
        )
        empty = self.evaluator.scorer.compute_values(empty_rankings)[:, 0]
        return (self.best_run >= 0) | ~self._is_worse(empty, -self.sign)

    def _is_worse(self, scores: Floats, sign: float | None = None) -> Bools:
        """Where the runs' scores are worse than some; with the other sign, better."""
        sign = self.sign if sign is None else sign
        return np.asarray(sign * (scores - self.score) > self.rounding)

    @property
    def _ideal(self) -> Floats:
        """The scores of ideal lists; infinite where it is not known what those are."""
        collection, m = self.evaluator.collection, self.evaluator.measures[0]
        if m.takes != "lists" or collection.extras or collection.intents is not None:
            return np.full(len(self.relevant_counts), self.sign * np.inf)
        measuring = self.evaluator.scorer
        (scores,) = measuring.compute_measures(
            [m], lambda block: block.gold.ideal, measuring.blocks
        )
        return scores[:, 0]

    @cached_property
    def score_bounds(self) -> Sequence[Ends]:
        """What the score of each run can be, whatever the unjudged documents are."""
        return [self.bounding.compute_bounds(documents) for documents in self._documents]

    @cached_property
    def difference_bounds(self) -> Sequence[Ends]:
        """The same of the difference to the best run, where it is better; else of the score."""
        documents, topics = self._documents, np.arange(self.best_run.shape[1])
        concatenated = RunDocuments.concatenate(documents)
        rows = np.where(self.best_run < 0, -1, self.best_run * len(topics) + topics)
        best_runs = map(concatenated.select_lists, rows)
        return [
            self.bounding.compute_bounds(*pair) for pair in zip(documents, best_runs, strict=True)
        ]

    @property
    def _documents(self) -> list[RunDocuments]:
        return [
            inspection.documents
            for inspection in self.inspections
            if inspection.documents is not None
        ]

    @property
    def tie_decides(self) -> Bools:
        """Where the order of tied documents decides."""
        low, high = (
            np.stack(x)
            for x in zip(*(inspection.ties for inspection in self.inspections), strict=True)
        )
        minimum, maximum = (low, high) if self.sign > 0 else (-high, -low)
        best_minimum = np.take_along_axis(minimum, np.maximum(self.best_run, 0), axis=0)
        return self._is_decided(high - low, maximum - best_minimum)

    @property
    def unjudged_decides(self) -> Bools:
        """Where unjudged documents decide."""
        if self.bounding.unsupported:
            return np.zeros(self.score.shape, dtype=bool)
        low, high = (np.stack(x) for x in zip(*self.difference_bounds, strict=True))
        return self._is_decided(high - low, high if self.sign > 0 else -low)

    def _is_decided(self, width: Floats, at_best: Floats) -> Bools:
        """Whether a run could be as good as the best one; if none is better, whether its score
        could be quite another.
        """
        return np.where(
            self.best_run >= 0, at_best >= -self.rounding, width > MIN_CHANGE + self.rounding
        )

    @cached_property
    def buckets(self) -> Ints:
        """The first reason that holds; −1 where a run does not fail."""
        answered = np.stack(
            [inspection.labelled.full_rankings.answered for inspection in self.inspections]
        )
        retrieved, above_cutoff = (
            np.stack([getattr(x, name) for x in self.inspections]) for name in ("found", "above")
        )
        holds = [
            ~answered,
            retrieved == 0,
            above_cutoff == 0,
            self.tie_decides,
            self.unjudged_decides,
            answered | True,
        ]
        return np.where(self.fails, np.argmax(holds, axis=0), -1)

    def iter_results(self, topics: Sequence[int]) -> Iterator[Result]:
        """Those of all runs, for one topic after the other."""
        return (self._build_result(i, t) for t in topics for i in range(len(self.inspections)))

    def _build_result(self, i: int, t: int) -> Result:
        inspection, best, bounded = (
            self.inspections[i],
            int(self.best_run[i, t]),
            not self.bounding.unsupported,
        )
        ties_low, ties_high = _get_ends(inspection.ties, t)
        low, high = _get_ends(self.score_bounds[i], t) if bounded else (None, None)
        minimum, maximum = (
            _get_ends(self.difference_bounds[i], t) if bounded and best >= 0 else (None, None)
        )
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
