"""Where runs fail: the hardest topics, those that divide runs, those that decide, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, Unpack

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints, rounding_of
from cranfield.data.qrels import QrelsLike
from cranfield.data.run import Run, with_each
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.asked import MeasuresLike
from cranfield.evaluation.blocks import Block, in_blocks
from cranfield.evaluation.collection import Labelled
from cranfield.evaluation.evaluate import Evaluator, RunsLike
from cranfield.evaluation.options import Settings, shows_options
from cranfield.evaluation.unjudged import Bounding, SeenRun, evaluator_of
from cranfield.labelling.blocks import Rankings, RunLabels
from cranfield.measures.bounds import Ends
from cranfield.scores import Notice, about
from cranfield.shown import Rows, Shown
from cranfield.wording import counted, some

BUCKETS = ("not answered", "none found", "cut off", "ties", "unjudged", "ranked low")
"""Why a run fails at a topic: the first that holds."""

CHANGE = 0.1  # from here on ties and unjudged documents decide a score, if no run is better
TOP = 10  # topics that are shown
FEW = 10  # failures, of which no share is told
T = TypeVar("T")


@dataclass(frozen=True)
class Result(Shown):
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
class Topic(Shown):
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
    def of(cls, results: tuple[Result, ...], better: str) -> Topic:
        """What there is to say of the results of all runs."""
        scores = np.array([one.score for one in results])
        rounding = rounding_of(scores)
        differ = np.ptp(scores) > rounding

        def named(end: float) -> tuple[str, ...]:
            return tuple(one.run for one in results if abs(one.score - end) <= rounding)

        low, high = float(scores.min()), float(scores.max())
        best, worst = (high, low) if better == "higher" else (low, high)
        return cls(
            results[0].topic,
            results[0].relevant,
            float(scores.mean()),
            float(scores.std(ddof=1)) if differ else 0.0,
            best,
            named(best),
            worst,
            named(worst),
            results,
        )

    def result_of(self, run: str) -> Result:
        """That of a run."""
        return next(one for one in self.results if one.run == run)

    @property
    def buckets(self) -> dict[str, int]:
        """How many runs fail for which reason, in the order of BUCKETS."""
        found = Counter(one.bucket for one in self.results)
        return {bucket: found[bucket] for bucket in BUCKETS if found[bucket]}


@dataclass(frozen=True)
class Deciding(Shown):
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
class HardTopics(Shown, tables="failures"):
    """How runs did on each topic by one measure, and why they fail where they do.

    `results` are those of all runs, in their order, for one topic after the other.
    """

    measure: str
    better: str  # higher or lower scores
    runs: tuple[str, ...]
    results: tuple[Result, ...]
    bounded: bool  # whether it is known what unjudged documents could change
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        hardest = some([topic.topic for topic in self.hardest(None)], "topic")
        runs = counted(len(self.runs), "run")
        return f"HardTopics: {runs} by {self.measure} on {hardest}, the hardest first"

    @property
    def _sign(self) -> int:
        return 1 if self.better == "higher" else -1

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """All topics, in the order of the judgments."""
        n = len(self.runs)
        rows = (self.results[i : i + n] for i in range(0, len(self.results), n))
        return tuple(Topic.of(row, self.better) for row in rows)

    def hardest(self, top: int | None = TOP) -> Rows[Topic]:
        """The topics with the worst mean over all runs, the hardest first."""
        return _least(self.topics, lambda topic: self._sign * topic.mean, top)

    def as_hard(self, top: int = TOP) -> int:
        """How many topics more are just as hard as the last of the hardest."""
        every = self.hardest(None)
        shown, others = every[:top], every[top:]
        return sum(abs(topic.mean - shown[-1].mean) <= TOLERANCE for topic in others)

    def divisive(self, top: int | None = TOP) -> Rows[Topic]:
        """The topics on which runs differ, those with the largest standard deviation first."""
        return _least((topic for topic in self.topics if topic.sd), lambda topic: -topic.sd, top)

    def deciding(self, top: int | None = TOP) -> Rows[Deciding]:
        """Of two runs the topics on which they differ, those with the largest difference first."""
        every = [self._deciding(topic) for topic in self.topics if topic.sd]
        return _least(every, lambda one: -abs(one.difference), top)

    def _deciding(self, topic: Topic) -> Deciding:
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
        scores = np.array([one.score for one in self.results]).reshape(-1, 2)
        return np.asarray(scores[:, 0] - scores[:, 1])

    def decided_by(self) -> int:
        """Of two runs, so many topics decide which is better: without those that favour it most,
        it is not better on the mean; 0 if neither is better.
        """
        total, rounding = float(self.differences.sum()), rounding_of(self.differences)
        if abs(total) <= rounding:
            return 0
        favour = np.sort(np.sign(total) * self.differences)[::-1]
        return int(np.argmax(abs(total) - np.cumsum(favour) <= rounding)) + 1

    def tally(self) -> dict[str, dict[str | None, int]]:
        """``{run: {bucket: topics}}``, where None is for topics at which it does not fail."""
        found = Counter((one.run, one.bucket) for one in self.results)
        return {
            run: {bucket: found[run, bucket] for bucket in (*BUCKETS, None)} for run in self.runs
        }


def _least(items: Iterable[T], key: Callable[[T], float], top: int | None) -> Rows[T]:
    """The first of some, by a key in which rounding does not decide; else in their order."""
    return Rows(sorted(items, key=lambda item: round(key(item), 12))[:top])


@shows_options
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
    looking = Looking(evaluator_of(qrels, measure, options))
    find = looking.evaluator.collection.find
    seen = with_each(
        looking.evaluator.read(runs), lambda each: [looking.at(run, find(run)) for run in each]
    )
    return looking.found(seen)


class Looking:
    """Looks at runs, one after the other, and then tells where they fail by one measure."""

    def __init__(self, evaluator: Evaluator) -> None:
        (column,) = evaluator.measuring.columns
        if column.better == "neither":
            raise InputError(column.name, "a measure of which higher or lower scores are better")
        self.evaluator, self.column = evaluator, column
        self.bounding = Bounding(evaluator.measuring)

    def at(
        self, run: Run, labels: RunLabels, ranked: Mapping[str, Sequence[str]] | None = None
    ) -> LookedAt:
        """What there is to know of a run, which was labelled, and perhaps `ranked`."""
        return LookedAt.of(self.evaluator, self.bounding, run, labels, ranked)

    def found(self, seen: Sequence[LookedAt]) -> HardTopics:
        """Where the runs fail that were looked at, and why."""
        evaluator, bounding, column = self.evaluator, self.bounding, self.column
        scores = evaluator.scored(one.labelled for one in seen)
        known = _counts(evaluator, None)
        places = np.array([evaluator.collection.place(topic) for topic in scores.topics])
        there = (known > 0)[places] | (not evaluator.measures[0].effectiveness)
        lacking = [topic for topic, some in zip(scores.topics, there, strict=True) if not some]
        if not there.any():
            where = evaluator.collection.gold.qrels.where
            raise InputError("no topic with a relevant document", "some", where)
        failures = _Failures(evaluator, bounding, seen, known)
        notices = [
            *(notice for notice in scores.notices if notice.kind != "no-relevant"),
            *about("no-relevant", lacking, "without a relevant document, left out"),
        ]
        if bounding.unknown:
            said = "what unjudged documents could change is not known"
            text = f"{bounding.unknown}: {said}: no failure is put down to them"
            notices.append(Notice("bounds", text))
        results = tuple(failures.results(places[there].tolist()))
        notices += _mostly_unjudged(column.name, results, seen)
        return HardTopics(
            column.name,
            column.better,
            scores.runs,
            results,
            not bounding.unknown,
            tuple(notices),
        )


@dataclass(frozen=True, eq=False)
class LookedAt:
    """What is known of a run; all arrays are [topics]."""

    labelled: Labelled
    score: Floats
    ties: Ends
    found: Ints  # relevant documents in the list
    above: Ints  # those that the measure looks at
    documents: SeenRun | None  # None: nobody asks which they are

    @classmethod
    def of(
        cls,
        evaluator: Evaluator,
        bounding: Bounding,
        run: Run,
        labels: RunLabels,
        ranked: Mapping[str, Sequence[str]] | None = None,
    ) -> LookedAt:
        collection, measuring = evaluator.collection, evaluator.measuring
        one = collection.labelled(run, labels)
        collection.refuse_stranger(one)
        orders = [one, *(collection.ordered(x).labelled(run, labels) for x in ("best", "worst"))]
        values = np.stack([measuring.values(order.rankings)[:, 0] for order in orders])
        return cls(
            one,
            values[0],
            (values.min(axis=0), values.max(axis=0)),
            _counts(evaluator, one.rankings, whole=True),
            _counts(evaluator, one.rankings),
            None if bounding.unknown else bounding.see(one, ranked),
        )


def _mostly_unjudged(
    measure: str, results: Sequence[Result], seen: Sequence[LookedAt]
) -> Iterator[Notice]:
    """Whether what nobody judged could explain most failures, so that no reason tells much."""
    reasons = Counter(one.bucket for one in results if one.bucket)
    unjudged, failures = reasons["unjudged"], reasons.total()
    if failures < FEW or 2 * unjudged <= failures:
        return
    docs = np.concatenate([one.documents.docs for one in seen if one.documents is not None])
    said = f"{unjudged:,} of {failures:,} failures are put down to unjudged documents"
    share = f"{np.mean(docs >= 0):.0%} of those that {measure} looks at"
    more = "a lower cutoff or depth, or more judgments, would tell why runs fail"
    yield Notice("mostly-unjudged", f"{said}, which are {share}: {more}")


def _counts(evaluator: Evaluator, rankings: Rankings | None, whole: bool = False) -> Ints:
    """How many relevant documents the measure sees in each list, or would in the `whole` list; how
    many there are, if no lists are given.
    """
    measuring = evaluator.measuring

    def counted(block: Block) -> Floats:
        m = measuring.here(evaluator.measures[0], block.start)
        if rankings is None:
            return m.view(block.gold.ideal).R
        lists = block.lists(rankings)
        x = lists.view(None, **m.view_settings()) if whole else m.view(lists)
        return np.asarray(x.I.sum(axis=1))

    counts = in_blocks(measuring.blocks, counted, evaluator.options.workers)
    return np.concatenate(counts).astype(np.int64)


class _Failures:
    """Which runs fail where, and why; all arrays are [runs, topics]."""

    def __init__(
        self, evaluator: Evaluator, bounding: Bounding, seen: Sequence[LookedAt], known: Ints
    ) -> None:
        self.evaluator, self.bounding, self.seen, self.known = evaluator, bounding, seen, known
        self.sign = -1.0 if evaluator.measuring.columns[0].better == "lower" else 1.0
        self.score = np.stack([one.score for one in seen])
        self.rounding = rounding_of(self.score)

    @cached_property
    def other(self) -> Ints:
        """The best run of the topic, the first of several, where it is better; else −1.

        A run without a score is neither worse than another nor the best.
        """
        worth = np.where(np.isnan(self.score), -np.inf, self.sign * self.score)
        better = (worth < worth.max(axis=0) - self.rounding) & ~np.isnan(self.score)
        return np.where(better, worth.argmax(axis=0), -1)

    @cached_property
    def fails(self) -> Bools:
        """Where a run fails."""
        if len(self.seen) == 1:
            return self._below(self._ideal)
        nothing = self.seen[0].labelled.rankings.of_topics(np.zeros(len(self.known), dtype=bool))
        empty = self.evaluator.measuring.values(nothing)[:, 0]
        return (self.other >= 0) | ~self._below(empty, -self.sign)

    def _below(self, scores: Floats, sign: float | None = None) -> Bools:
        """Where the runs' scores are worse than some; with the other sign, better."""
        sign = self.sign if sign is None else sign
        return np.asarray(sign * (scores - self.score) > self.rounding)

    @property
    def _ideal(self) -> Floats:
        """The scores of ideal lists; infinite where it is not known what those are."""
        collection, m = self.evaluator.collection, self.evaluator.measures[0]
        if m.takes != "lists" or collection.extras or collection.intents is not None:
            return np.full(len(self.known), self.sign * np.inf)
        measuring = self.evaluator.measuring
        (scores,) = measuring.measured([m], lambda block: block.gold.ideal, measuring.blocks)
        return scores[:, 0]

    @cached_property
    def alone(self) -> Sequence[Ends]:
        """What the score of each run can be, whatever the unjudged documents are."""
        return [self.bounding.bounds(one) for one in self._documents]

    @cached_property
    def against(self) -> Sequence[Ends]:
        """The same of the difference to the best run, where it is better; else of the score."""
        every, topics = self._documents, np.arange(self.other.shape[1])
        joined = SeenRun.joined(every)
        which = np.where(self.other < 0, -1, self.other * len(topics) + topics)
        others = map(joined.taken, which)
        return [self.bounding.bounds(*pair) for pair in zip(every, others, strict=True)]

    @property
    def _documents(self) -> list[SeenRun]:
        return [one.documents for one in self.seen if one.documents is not None]

    @property
    def ties(self) -> Bools:
        """Where the order of tied documents decides."""
        low, high = (np.stack(x) for x in zip(*(one.ties for one in self.seen), strict=True))
        least, most = (low, high) if self.sign > 0 else (-high, -low)
        least_of_other = np.take_along_axis(least, np.maximum(self.other, 0), axis=0)
        return self._decided(high - low, most - least_of_other)

    @property
    def unjudged(self) -> Bools:
        """Where unjudged documents decide."""
        if self.bounding.unknown:
            return np.zeros(self.score.shape, dtype=bool)
        low, high = (np.stack(x) for x in zip(*self.against, strict=True))
        return self._decided(high - low, high if self.sign > 0 else -low)

    def _decided(self, width: Floats, at_best: Floats) -> Bools:
        """Whether a run could be as good as the best one; if none is better, whether its score
        could be quite another.
        """
        return np.where(self.other >= 0, at_best >= -self.rounding, width > CHANGE + self.rounding)

    @cached_property
    def buckets(self) -> Ints:
        """The first reason that holds; −1 where a run does not fail."""
        answered = np.stack([one.labelled.placed.answered for one in self.seen])
        found, above = (
            np.stack([getattr(x, name) for x in self.seen]) for name in ("found", "above")
        )
        holds = [~answered, found == 0, above == 0, self.ties, self.unjudged, answered | True]
        return np.where(self.fails, np.argmax(holds, axis=0), -1)

    def results(self, topics: Sequence[int]) -> Iterator[Result]:
        """Those of all runs, for one topic after the other."""
        return (self._result(i, t) for t in topics for i in range(len(self.seen)))

    def _result(self, i: int, t: int) -> Result:
        one, other, bounded = self.seen[i], int(self.other[i, t]), not self.bounding.unknown
        ties_low, ties_high = _at(one.ties, t)
        low, high = _at(self.alone[i], t) if bounded else (None, None)
        least, most = _at(self.against[i], t) if bounded and other >= 0 else (None, None)
        return Result(
            topic=self.evaluator.collection.topics[t],
            run=one.labelled.run.name,
            score=float(one.score[t]),
            relevant=int(self.known[t]),
            found=int(one.found[t]),
            above_cutoff=int(one.above[t]),
            ties_low=ties_low,
            ties_high=ties_high,
            unjudged_low=low,
            unjudged_high=high,
            other=None if other < 0 else self.seen[other].labelled.run.name,
            difference=None if other < 0 else float(one.score[t] - self.score[other, t]),
            difference_low=least,
            difference_high=most,
            bucket=[*BUCKETS, None][self.buckets[i, t]],
        )


def _at(ends: Ends, t: int) -> tuple[float, float]:
    return float(ends[0][t]), float(ends[1][t])
