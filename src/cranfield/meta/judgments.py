"""Two sets of judgments: how far they agree, and what becomes of the evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, apart
from cranfield.assess.agreement import Agreement, agreement
from cranfield.assess.assessments import Assessments, exact
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.tracks import choose_topics, named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.meta.brief import in_brief
from cranfield.meta.cautions import near_alpha, of_rankings
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.correlation import correlation, two_names
from cranfield.meta.rankings import standing
from cranfield.scores import Interval, Notice, Scores, about_topics
from cranfield.shown import Shown
from cranfield.stats.families import PairTest, compare_pairs, decided
from cranfield.stats.measured import direction, measured, ranking, undefined, unknown_to_any
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import checked_alpha, checked_confidence
from cranfield.wording import counted, some

__all__ = ["JudgmentComparison", "compare_judgments"]

Judged: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level
Agreed: TypeAlias = tuple[Agreement | None, Agreement | None]
Kind: TypeAlias = Literal[
    "active agreement", "mixed agreement", "passive agreement",
    "passive disagreement", "mixed disagreement", "active disagreement",
]  # fmt: skip

STATISTICS = ("kendall", "tau-ap", "rbo")
"""How alike the two rankings of runs are; the first judgments are the gold ones of τ_ap."""


@dataclass(frozen=True)
class Overlap:
    """How many were judged in both sets, and in only one of them."""

    both: int
    first: int
    second: int


@dataclass(frozen=True)
class RunChange:
    """A run by both sets of judgments: its mean (or whatever sums the measure up), its rank."""

    run: str
    means: tuple[float, float]
    ranks: tuple[int, int]

    @property
    def rise(self) -> int:
        """How many ranks higher the second judgments place it."""
        return self.ranks[0] - self.ranks[1]


@dataclass(frozen=True)
class PairChange:
    """Two runs by both sets of judgments: differences of means, tests, who is significant."""

    runs: tuple[str, str]
    differences: tuple[float, float]  # 0 where only rounding made one
    tests: tuple[PairTest, PairTest]
    significant: tuple[bool, bool]

    @property
    def reversed(self) -> bool:
        """Whether the two sets have the runs in opposite order; a tie contradicts nothing."""
        return self.differences[0] * self.differences[1] < 0

    @property
    def kind(self) -> Kind:
        """Active if both differences are significant, mixed if one is, passive if none is."""
        how = ("passive", "mixed", "active")[sum(self.significant)]
        return f"{how} {'disagreement' if self.reversed else 'agreement'}"  # type: ignore[return-value]

    @property
    def changed(self) -> bool:
        """Whether one would conclude something else: all but agreement with the same certainty."""
        return self.significant[0] != self.significant[1] or self.kind == "active disagreement"


@dataclass(frozen=True)
class RankingChange:
    """What a measure says of runs by both sets of judgments, on the same topics.

    `runs` are in the order of the first ranking. `correlations` has kendall, tau-ap and rbo
    between the rankings, with bootstrap intervals over topics; `pairs` all pairs of runs. Both are
    empty for one run or one topic.
    """

    measure: str
    topics: int
    runs: tuple[RunChange, ...]
    correlations: Mapping[str, Interval]
    pairs: tuple[PairChange, ...] = field(repr=False)

    @property
    def changed(self) -> tuple[PairChange, ...]:
        """The pairs of runs of which the two sets say something different."""
        return tuple(pair for pair in self.pairs if pair.changed)

    def count(self, kind: Kind, significant: tuple[bool, bool] | None = None) -> int:
        """How many pairs of runs are of a kind; of mixed ones, also by who is significant."""
        return sum(
            pair.kind == kind and significant in (None, pair.significant) for pair in self.pairs
        )


@dataclass(frozen=True, eq=False)
class JudgmentComparison(Shown, tables="meta.judgments"):
    """Two sets of judgments compared.

    `items` and `topics` say what was judged in both and in one only, `relevant` how many items each
    set has at level `rel` or above, `ranges` the lowest and highest level in each. `levels` and
    `binary` are the agreement over items judged in both, by level and as relevant or not; None if
    there are none. `by_topic` and `levels.topics` say it of each topic. `rankings`, one for each
    measure, says what becomes of runs.
    """

    names: tuple[str, str]
    items: Overlap
    topics: Overlap
    relevant: tuple[int, int]
    ranges: tuple[tuple[float, float], tuple[float, float]]
    rel: float
    common: bool
    levels: Agreement | None
    binary: Agreement | None
    by_topic: Mapping[str, Overlap]
    rankings: tuple[RankingChange, ...] = ()
    test: str | None = None
    correction: str | None = None
    alpha: float = 0.05
    trials: int = TRIALS
    seed: int = 0
    confidence: float = 0.95
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        numbers = {} if self.levels is None else {"κ": self.levels["kappa"]}
        taus = {x.measure: x.correlations["kendall"].mean for x in self.rankings if x.correlations}
        about = [" and ".join(self.names), counted(self.items.both, "document") + " judged in both"]
        return in_brief(self, about, numbers | {f"τ by {m}": tau for m, tau in taus.items()})

    @property
    def judged(self) -> tuple[int, int]:
        """How many items each set judged."""
        return self.items.both + self.items.first, self.items.both + self.items.second


def compare_judgments(
    first: QrelsLike,
    second: QrelsLike,
    runs: Any = None,
    measures: Any = None,
    *,
    names: Sequence[str] = ("first", "second"),
    common: bool = False,
    per_topic: bool = False,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 0,
    confidence: float = 0.95,
    rel: float | None = None,
    labels: LabelsLike | None = None,
    separator: str | None = None,
    qrels_format: str | None = None,
    columns: ColumnsLike | None = None,
    threads: int | None = None,
    tested: Progress | None = None,
    **options: Any,
) -> JudgmentComparison:
    """Compare two sets of judgments: two assessors, or people and a language model.

    Over the items that both judged: the confusion matrix, percent agreement, Cohen's κ (plain,
    linear, quadratic) and Krippendorff's α, by level and for relevant (from `rel`, 1 if not given)
    or not. Levels are compared as numbers; `labels` gives those of letters, in both sets.

    With `runs`, what becomes of the evaluation on the topics that both judged: means and ranks of
    runs by each `measure` (AP if none is named), τ, τ_ap (the first judgments being gold) and RBO
    between the rankings, and for every pair of runs whether the same `test` finds a difference by
    both (see `PairChange.kind`): an agreement if no order is reversed, active, mixed or passive as
    both differences, one or none are significant at `alpha`. The judgments are used as they are,
    unjudged being not relevant; with `common`, only items that both judged are. `tested` is told
    of every so many trials of the tests. The other `options` are those of `evaluate`.

    A set that agrees well may still favour some runs, and one that agrees badly may rank all of
    them alike: look at both.

    Reference: Voorhees 2000, Variations in Relevance Judgments and the Measurement of Retrieval
    Effectiveness, IP&M; of the kinds of agreement Moffat, Scholer and Thomas 2012, Models and
    Metrics: IR Evaluation as a User Process, ADCS; Ferro and Sanderson 2017, Sub-corpora Impact on
    System Effectiveness, SIGIR.

    >>> people = {"q": {"a": 1, "b": 0, "c": 1}}
    >>> found = compare_judgments(people, {"q": {"a": 1, "b": 0, "c": 0, "d": 1}})
    >>> found.items, round(found.levels["kappa"], 4)  # agreement 2/3, by chance 4/9
    (Overlap(both=3, first=0, second=1), 0.4)
    """
    both = two_names(names)
    checked_alpha(alpha)
    checked_confidence(confidence)
    given = [
        replace(
            read_qrels(data, qrels_format, separator=separator, labels=labels, columns=columns),
            declared=isinstance(data, Qrels),
        )
        for data in (first, second)
    ]
    level = 1.0 if rel is None else rel
    named = named_topics(options.get("topics"))
    pair = _Two(both, *(qrels.to_dict() for qrels in given))
    if named is not None:
        named = choose_topics(named, {**pair.first, **pair.second})
        pair = pair.of_topics(named)
    pair.refuse_apart(needed=runs is None or common)
    agreed = _agreed(pair, level, per_topic)
    found = JudgmentComparison(
        both,
        pair.items,
        pair.topics,
        (_relevant(pair.first, level), _relevant(pair.second, level)),
        pair.ranges,
        level,
        common,
        *agreed,
        pair.by_topic,
        alpha=alpha,
        trials=trials,
        seed=seed,
        confidence=confidence,
        notices=(*about_topics(named), *pair.notices(common), *_told_once(agreed)),
    )
    if runs is None:
        return found
    sets = _to_evaluate(given, pair, common)
    if named is not None:  # those of the same topics
        options["topics"] = [topic for topic in named if topic in sets[0].topics]
    wanted = "AP" if measures is None and options.get("preset") is None else measures
    written: dict[str, Any] = {"separator": separator, "columns": columns}
    scores = [
        evaluate(qrels, runs, wanted, rel=rel, threads=threads, **written, **options)
        for qrels in sets
    ]
    systems = len(scores[0].runs)
    test, correction = decided(test, correction, systems, math.comb(systems, 2))
    found = replace(found, test=test, correction=correction)
    return _with_rankings(found, scores, threads, tested)


# -- the judgments --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Two:
    """Two sets of judgments, and what they have in common."""

    names: tuple[str, str]
    first: Judged
    second: Judged

    def of_topics(self, named: Sequence[str]) -> _Two:
        """The judgments of the topics that are named."""
        sides = ({t: x[t] for t in named if t in x} for x in (self.first, self.second))
        return _Two(self.names, *sides)

    @cached_property
    def by_topic(self) -> dict[str, Overlap]:
        """How many items of each topic were judged in both, and in one."""
        topics = chain(self.first, self.second)
        return {t: _overlap(self.first.get(t, {}), self.second.get(t, {})) for t in topics}

    @cached_property
    def items(self) -> Overlap:
        """How many items were judged in both, and in one."""
        return Overlap(
            *(sum(getattr(o, f.name) for o in self.by_topic.values()) for f in fields(Overlap))
        )

    @cached_property
    def topics(self) -> Overlap:
        """How many topics were judged in both, and in one."""
        return _overlap(self.first, self.second)

    @cached_property
    def shared(self) -> tuple[Judged, Judged]:
        """The judgments of items that the other set has, too."""
        return _of_both(self.first, self.second), _of_both(self.second, self.first)

    @cached_property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The lowest and the highest level in each."""
        return _range(self.first), _range(self.second)

    def refuse_apart(self, needed: bool) -> None:
        """Sets without a common topic; if an item is `needed`, without a common one."""
        if not self.topics.both:
            found = f"no topic in both {self.names[0]} and {self.names[1]}"
            raise InputError(found, "judgments of the same topics")
        if not self.items.both and needed:
            raise InputError("no document judged in both", "judgments of the same")

    def notices(self, common: bool) -> Iterator[Notice]:
        """What is left out, and that levels are on different scales."""
        sides = self.first, self.second
        for name, one, other in zip(self.names, sides, reversed(sides), strict=True):
            alone = [topic for topic in one if topic not in other]
            if alone:
                text = f"{some(alone, 'topic')} judged by {name} only, left out"
                yield Notice("missing-topics", text, topics=tuple(alone))
        if self.ranges[0] != self.ranges[1]:
            both = zip(self.names, self.ranges, strict=True)
            scales = " and ".join(f"{low:g} to {high:g} by {name}" for name, (low, high) in both)
            text = f"levels are {scales}: they are compared as numbers"
            yield Notice("scales", text)
        apart = [topic for topic, docs in self.shared[0].items() if not docs] if common else []
        if apart:
            text = f"{some(apart, 'topic')} without a document judged by both, left out"
            yield Notice("missing-topics", text, topics=tuple(apart))


def _overlap(first: Mapping[str, Any], second: Mapping[str, Any]) -> Overlap:
    both = len(first.keys() & second.keys())
    return Overlap(both, len(first) - both, len(second) - both)


def _of_both(judged: Judged, other: Judged) -> Judged:
    return {
        topic: {doc: level for doc, level in docs.items() if doc in other[topic]}
        for topic, docs in judged.items()
        if topic in other
    }


def _agreed(pair: _Two, rel: float, per_topic: bool) -> Agreed:
    """The agreement by level, and as relevant or not; None if nothing was judged in both."""
    if not pair.items.both:
        return None, None
    both = pair.shared, [_binary(judged, rel) for judged in pair.shared]
    levels, binary = (agreement(_assessments(pair.names, *one), per_topic) for one in both)
    return levels, binary


def _told_once(agreed: Agreed) -> Iterable[Notice]:
    """What both kinds of agreement tell, each sentence once."""
    return {notice.text: notice for one in agreed if one for notice in one.notices}.values()


def _assessments(names: tuple[str, str], first: Judged, second: Judged) -> Assessments:
    """The judgments of the same items as those of two assessors."""
    votes = {
        topic: {
            doc: dict(zip(names, (x, second[topic][doc]), strict=True)) for doc, x in docs.items()
        }
        for topic, docs in first.items()
        if docs
    }
    seen = sorted({*_levels(first), *_levels(second)})
    return Assessments(names, votes, {level: exact(level) for level in seen})


def _binary(judged: Judged, rel: float) -> Judged:
    return {t: {d: float(level >= rel) for d, level in docs.items()} for t, docs in judged.items()}


def _levels(judged: Judged) -> Iterator[float]:
    return (level for docs in judged.values() for level in docs.values())


def _range(judged: Judged) -> tuple[float, float]:
    found = set(_levels(judged))
    if not found:
        raise InputError("topics without a judgment", "judgments", "qrels")
    return min(found), max(found)


def _relevant(judged: Judged, rel: float) -> int:
    return sum(level >= rel for level in _levels(judged))


def _to_evaluate(given: Sequence[Qrels], pair: _Two, common: bool) -> list[Qrels]:
    """The judgments to evaluate by, of the topics that are in both sets."""
    topics = [topic for topic in given[0].topics if topic in {*given[1].topics}]
    if common:
        topics = [topic for topic in topics if pair.shared[0].get(topic)]
        common_to = [{topic: one[topic] for topic in topics} for one in pair.shared]
        read = zip(common_to, given, strict=True)
        return [replace(read_qrels(one), declared=qrels.declared) for one, qrels in read]
    return [one if set(one.topics) == set(topics) else one.of_topics(topics) for one in given]


# -- the runs -------------------------------------------------------------------------------------


def _by_name(names: tuple[str, str], told: Sequence[Sequence[Notice]]) -> Iterator[Notice]:
    """What was noticed by both judgments once, and the rest with the name of the judgments."""
    for name, one, other in zip(names, told, reversed(told), strict=True):
        for notice in one:
            if notice not in other:
                yield replace(notice, text=f"by {name}: {notice.text}")
            elif name == names[0]:
                yield notice


def _with_rankings(
    found: JudgmentComparison,
    scores: Sequence[Scores],
    threads: int | None,
    progress: Progress | None,
) -> JudgmentComparison:
    """The comparison, with what becomes of the runs that have these scores."""
    testing = {name: getattr(found, name) for name in ("test", "correction", "trials", "seed")}
    testing |= {"threads": threads, "progress": progress}
    chosen, left_out = _chosen(scores)
    rankings = tuple(_ranking(pair, found.alpha, found.confidence, testing) for pair in chosen)
    tests = {one.measure: [t for pair in one.pairs for t in pair.tests] for one in rankings}
    notices = (
        *found.notices,
        *_by_name(found.names, [one.notices for one in scores]),
        *left_out,
        *_by_name(found.names, [_of_rankings(rankings, side) for side in (0, 1)]),
        *near_alpha(tests, found.alpha),
    )
    return replace(found, rankings=rankings, notices=notices)


def _of_rankings(rankings: Sequence[RankingChange], side: int) -> tuple[Notice, ...]:
    """What to know of the rankings by one of the judgments, where there are correlations."""
    known = [one for one in rankings if one.correlations]
    return of_rankings({x.measure: np.array([run.means[side] for run in x.runs]) for x in known})


def _chosen(scores: Sequence[Scores]) -> tuple[list[tuple[Scores, Scores]], list[Notice]]:
    """Both scores of each measure that can rank, on the topics on which all are defined."""
    first, second = scores
    topics = [topic for topic in first.topics if topic in second.topics]
    names, others = ranking(first)
    if not names:
        raise InputError("no measure that ranks runs", "at least one")
    chosen, notices = [], [*others]
    for m in names:
        unknown, told = unknown_to_any(scores, m, turned=False)
        kept = [topic for topic in topics if topic not in unknown]
        if not kept:
            raise InputError(f"no topic with {m} of every run", "at least one")
        notices += told
        if len(kept) < len(topics):
            notices.append(undefined(m, [topic for topic in topics if topic in unknown]))
        chosen.append((first.select(None, kept, [m]), second.select(None, kept, [m])))
    return chosen, notices


def _ranking(
    pair: tuple[Scores, Scores], alpha: float, confidence: float, testing: Mapping[str, Any]
) -> RankingChange:
    measure, names, topics = pair[0].measures[0], pair[0].runs, len(pair[0].topics)
    sign = direction(pair[0], measure)
    means = [np.array([x[measure] for x in one.summary().values()]) for one in pair]
    ranks = [_ranks(sign * x) for x in means]
    changes = [
        RunChange(run, (float(means[0][r]), float(means[1][r])), (ranks[0][r], ranks[1][r]))
        for r, run in enumerate(names)
    ]
    changes.sort(key=lambda change: change.ranks)
    if len(names) < 2 or topics < 2:
        return RankingChange(measure, topics, tuple(changes), {}, ())
    drawn = {"trials": DRAWS, "seed": testing["seed"], "threads": testing["threads"]}
    correlations = {
        statistic: correlation(*pair, statistic, confidence=confidence, **drawn)[measure, measure]
        for statistic in STATISTICS
    }
    matrices = [measured(one, measure, turned=False).matrix for one in pair]
    differences = [_differences(m.means, m.scale) for m in matrices]
    pairs = [
        PairChange(
            (names[a.first], names[a.second]),
            (float(differences[0][a.first, a.second]), float(differences[1][a.first, a.second])),
            (a, b),
            (a.pvalue_at(alpha) <= alpha, b.pvalue_at(alpha) <= alpha),
        )
        for a, b in zip(*(compare_pairs(m, **testing) for m in matrices), strict=True)
    ]
    return RankingChange(measure, topics, tuple(changes), correlations, tuple(pairs))


def _differences(means: Floats, scale: float) -> Floats:
    """[i, j]: how much higher the mean of i is than that of j; 0 if rounding could have made it."""
    return apart(means[:, None], means, TOLERANCE * scale)


def _ranks(values: Floats) -> list[int]:
    """From 1, the highest first; tied ones have the same."""
    return [*map(int, standing(values)[0] + 1)]
