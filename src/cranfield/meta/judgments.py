"""Two sets of judgments: how far they agree, and what becomes of the evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, subtract_rounded
from cranfield.assess.agreement import Agreement, agreement
from cranfield.assess.assessments import Assessments, format_exact
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.correlation import check_two_names, correlation
from cranfield.meta.notes import collect_alpha_notes, collect_ranking_notes
from cranfield.meta.rankings import count_above_and_tied
from cranfield.meta.summaries import format_summary
from cranfield.scores import Interval, Note, Scores, note_topics_file
from cranfield.stats.families import PairTest, choose_test, compare_pairs
from cranfield.stats.measure_scores import (
    extract_measure,
    find_ranking_measures,
    find_undefined_topics,
    get_sign,
    note_undefined,
)
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import check_alpha, check_confidence
from cranfield.wording import format_count, format_names

__all__ = ["JudgmentComparison", "compare_judgments"]

TopicLevels: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level
AgreementPair: TypeAlias = tuple[Agreement | None, Agreement | None]
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
        strength = ("passive", "mixed", "active")[sum(self.significant)]
        return f"{strength} {'disagreement' if self.reversed else 'agreement'}"  # type: ignore[return-value]

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
class JudgmentComparison(TableResult, tables="meta.judgments"):
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
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        numbers = {} if self.levels is None else {"κ": self.levels["kappa"]}
        taus = {x.measure: x.correlations["kendall"].mean for x in self.rankings if x.correlations}
        about = [
            " and ".join(self.names),
            format_count(self.items.both, "document") + " judged in both",
        ]
        return format_summary(self, about, numbers | {f"τ by {m}": tau for m, tau in taus.items()})

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
    name_pair = check_two_names(names)
    check_alpha(alpha)
    check_confidence(confidence)
    qrels_pair = [
        replace(
            read_qrels(data, qrels_format, separator=separator, labels=labels, columns=columns),
            declared=isinstance(data, Qrels),
        )
        for data in (first, second)
    ]
    level = 1.0 if rel is None else rel
    selected_topics = read_named_topics(options.get("topics"))
    pair = _JudgmentPair(name_pair, *(qrels.to_dict() for qrels in qrels_pair))
    if selected_topics is not None:
        selected_topics = choose_topics(selected_topics, {**pair.first, **pair.second})
        pair = pair.select_topics(selected_topics)
    pair.check_common(needs_items=runs is None or common)
    agreements = _compute_agreements(pair, level, per_topic)
    result = JudgmentComparison(
        name_pair,
        pair.items,
        pair.topics,
        (_count_relevant(pair.first, level), _count_relevant(pair.second, level)),
        pair.ranges,
        level,
        common,
        *agreements,
        pair.by_topic,
        alpha=alpha,
        trials=trials,
        seed=seed,
        confidence=confidence,
        notes=(
            *note_topics_file(selected_topics),
            *pair.collect_notes(common),
            *_merge_notes(agreements),
        ),
    )
    if runs is None:
        return result
    sets = _select_qrels(qrels_pair, pair, common)
    if selected_topics is not None:  # those of the same topics
        options["topics"] = [topic for topic in selected_topics if topic in sets[0].topics]
    selection = "AP" if measures is None and options.get("preset") is None else measures
    format_options: dict[str, Any] = {"separator": separator, "columns": columns}
    scores = [
        evaluate(qrels, runs, selection, rel=rel, threads=threads, **format_options, **options)
        for qrels in sets
    ]
    systems = len(scores[0].runs)
    test, correction = choose_test(test, correction, systems, math.comb(systems, 2))
    result = replace(result, test=test, correction=correction)
    return _with_rankings(result, scores, threads, tested)


# -- the judgments --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _JudgmentPair:
    """Two sets of judgments, and what they have in common."""

    names: tuple[str, str]
    first: TopicLevels
    second: TopicLevels

    def select_topics(self, selection: Sequence[str]) -> _JudgmentPair:
        """The judgments of the topics that are named."""
        sides = ({t: x[t] for t in selection if t in x} for x in (self.first, self.second))
        return _JudgmentPair(self.names, *sides)

    @cached_property
    def by_topic(self) -> dict[str, Overlap]:
        """How many items of each topic were judged in both, and in one."""
        topics = chain(self.first, self.second)
        return {t: _count_overlap(self.first.get(t, {}), self.second.get(t, {})) for t in topics}

    @cached_property
    def items(self) -> Overlap:
        """How many items were judged in both, and in one."""
        return Overlap(
            *(sum(getattr(o, f.name) for o in self.by_topic.values()) for f in fields(Overlap))
        )

    @cached_property
    def topics(self) -> Overlap:
        """How many topics were judged in both, and in one."""
        return _count_overlap(self.first, self.second)

    @cached_property
    def shared(self) -> tuple[TopicLevels, TopicLevels]:
        """The judgments of items that the other set has, too."""
        return _select_common(self.first, self.second), _select_common(self.second, self.first)

    @cached_property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The lowest and the highest level in each."""
        return _find_range(self.first), _find_range(self.second)

    def check_common(self, needs_items: bool) -> None:
        """Sets without a common topic; if an item is `needs_items`, without a common one."""
        if not self.topics.both:
            problem = f"no topic in both {self.names[0]} and {self.names[1]}"
            raise InputError(problem, "judgments of the same topics")
        if not self.items.both and needs_items:
            raise InputError("no document judged in both", "judgments of the same")

    def collect_notes(self, common: bool) -> Iterator[Note]:
        """What is left out, and that levels are on different scales."""
        sides = self.first, self.second
        for name, judged, other_judged in zip(self.names, sides, reversed(sides), strict=True):
            unshared = [topic for topic in judged if topic not in other_judged]
            if unshared:
                text = f"{format_names(unshared, 'topic')} judged by {name} only, left out"
                yield Note("missing-topics", text, topics=tuple(unshared))
        if self.ranges[0] != self.ranges[1]:
            named_ranges = zip(self.names, self.ranges, strict=True)
            scales = " and ".join(
                f"{low:g} to {high:g} by {name}" for name, (low, high) in named_ranges
            )
            text = f"levels are {scales}: they are compared as numbers"
            yield Note("scales", text)
        empty_topics = (
            [topic for topic, docs in self.shared[0].items() if not docs] if common else []
        )
        if empty_topics:
            text = (
                f"{format_names(empty_topics, 'topic')} without a document judged by both, left out"
            )
            yield Note("missing-topics", text, topics=tuple(empty_topics))


def _count_overlap(first: Mapping[str, Any], second: Mapping[str, Any]) -> Overlap:
    common = len(first.keys() & second.keys())
    return Overlap(common, len(first) - common, len(second) - common)


def _select_common(judged: TopicLevels, reference: TopicLevels) -> TopicLevels:
    return {
        topic: {doc: level for doc, level in docs.items() if doc in reference[topic]}
        for topic, docs in judged.items()
        if topic in reference
    }


def _compute_agreements(pair: _JudgmentPair, rel: float, per_topic: bool) -> AgreementPair:
    """The agreement by level, and as relevant or not; None if nothing was judged in both."""
    if not pair.items.both:
        return None, None
    judgment_pairs = pair.shared, [_convert_to_binary(judged, rel) for judged in pair.shared]
    levels, binary = (
        agreement(_to_assessments(pair.names, *judgment_pair), per_topic)
        for judgment_pair in judgment_pairs
    )
    return levels, binary


def _merge_notes(agreements: AgreementPair) -> Iterable[Note]:
    """What both kinds of agreement tell, each sentence once."""
    return {note.text: note for result in agreements if result for note in result.notes}.values()


def _to_assessments(names: tuple[str, str], first: TopicLevels, second: TopicLevels) -> Assessments:
    """The judgments of the same items as those of two assessors."""
    votes = {
        topic: {
            doc: dict(zip(names, (x, second[topic][doc]), strict=True)) for doc, x in docs.items()
        }
        for topic, docs in first.items()
        if docs
    }
    levels = sorted({*_iterate_levels(first), *_iterate_levels(second)})
    return Assessments(names, votes, {level: format_exact(level) for level in levels})


def _convert_to_binary(judged: TopicLevels, rel: float) -> TopicLevels:
    return {t: {d: float(level >= rel) for d, level in docs.items()} for t, docs in judged.items()}


def _iterate_levels(judged: TopicLevels) -> Iterator[float]:
    return (level for docs in judged.values() for level in docs.values())


def _find_range(judged: TopicLevels) -> tuple[float, float]:
    levels = set(_iterate_levels(judged))
    if not levels:
        raise InputError("topics without a judgment", "judgments", "qrels")
    return min(levels), max(levels)


def _count_relevant(judged: TopicLevels, rel: float) -> int:
    return sum(level >= rel for level in _iterate_levels(judged))


def _select_qrels(qrels_pair: Sequence[Qrels], pair: _JudgmentPair, common: bool) -> list[Qrels]:
    """The judgments to evaluate by, of the topics that are in both sets."""
    topics = [topic for topic in qrels_pair[0].topics if topic in {*qrels_pair[1].topics}]
    if common:
        topics = [topic for topic in topics if pair.shared[0].get(topic)]
        common_to = [{topic: side[topic] for topic in topics} for side in pair.shared]
        read = zip(common_to, qrels_pair, strict=True)
        return [replace(read_qrels(side), declared=qrels.declared) for side, qrels in read]
    return [
        side if set(side.topics) == set(topics) else side.select_topics(topics)
        for side in qrels_pair
    ]


# -- the runs -------------------------------------------------------------------------------------


def _add_names(names: tuple[str, str], sides: Sequence[Sequence[Note]]) -> Iterator[Note]:
    """What was noticed by both judgments once, and the rest with the name of the judgments."""
    for name, side_notes, other_notes in zip(names, sides, reversed(sides), strict=True):
        for note in side_notes:
            if note not in other_notes:
                yield replace(note, text=f"by {name}: {note.text}")
            elif name == names[0]:
                yield note


def _with_rankings(
    result: JudgmentComparison,
    scores: Sequence[Scores],
    threads: int | None,
    progress: Progress | None,
) -> JudgmentComparison:
    """The comparison, with what becomes of the runs that have these scores."""
    testing = {name: getattr(result, name) for name in ("test", "correction", "trials", "seed")}
    testing |= {"threads": threads, "progress": progress}
    score_pairs, exclusions = _select_scores(scores)
    rankings = tuple(
        _compare_rankings(pair, result.alpha, result.confidence, testing) for pair in score_pairs
    )
    tests = {item.measure: [t for pair in item.pairs for t in pair.tests] for item in rankings}
    notes = (
        *result.notes,
        *_add_names(result.names, [item.notes for item in scores]),
        *exclusions,
        *_add_names(result.names, [_collect_ranking_notes(rankings, side) for side in (0, 1)]),
        *collect_alpha_notes(tests, result.alpha),
    )
    return replace(result, rankings=rankings, notes=notes)


def _collect_ranking_notes(rankings: Sequence[RankingChange], side: int) -> tuple[Note, ...]:
    """What to know of the rankings by one of the judgments, where there are correlations."""
    correlated = [change for change in rankings if change.correlations]
    return collect_ranking_notes(
        {x.measure: np.array([run.means[side] for run in x.runs]) for x in correlated}
    )


def _select_scores(scores: Sequence[Scores]) -> tuple[list[tuple[Scores, Scores]], list[Note]]:
    """Both scores of each measure that can rank, on the topics on which all are defined."""
    first, second = scores
    topics = [topic for topic in first.topics if topic in second.topics]
    names, exclusions = find_ranking_measures(first)
    if not names:
        raise InputError("no measure that ranks runs", "at least one")
    score_pairs, notes = [], [*exclusions]
    for m in names:
        unknown, error_notes = find_undefined_topics(scores, m, turned=False)
        kept_topics = [topic for topic in topics if topic not in unknown]
        if not kept_topics:
            raise InputError(f"no topic with {m} of every run", "at least one")
        notes += error_notes
        if len(kept_topics) < len(topics):
            notes.append(note_undefined(m, [topic for topic in topics if topic in unknown]))
        score_pairs.append(
            (first.select(None, kept_topics, [m]), second.select(None, kept_topics, [m]))
        )
    return score_pairs, notes


def _compare_rankings(
    pair: tuple[Scores, Scores], alpha: float, confidence: float, testing: Mapping[str, Any]
) -> RankingChange:
    measure, names, topics = pair[0].measures[0], pair[0].runs, len(pair[0].topics)
    sign = get_sign(pair[0], measure)
    means = [np.array([x[measure] for x in side.summary().values()]) for side in pair]
    ranks = [_compute_ranks(sign * x) for x in means]
    changes = [
        RunChange(run, (float(means[0][r]), float(means[1][r])), (ranks[0][r], ranks[1][r]))
        for r, run in enumerate(names)
    ]
    changes.sort(key=lambda change: change.ranks)
    if len(names) < 2 or topics < 2:
        return RankingChange(measure, topics, tuple(changes), {}, ())
    resampling_options = {"trials": DRAWS, "seed": testing["seed"], "threads": testing["threads"]}
    correlations = {
        statistic: correlation(*pair, statistic, confidence=confidence, **resampling_options)[
            measure, measure
        ]
        for statistic in STATISTICS
    }
    matrices = [extract_measure(side, measure, turned=False).matrix for side in pair]
    differences = [_compute_differences(m.means, m.scale) for m in matrices]
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


def _compute_differences(means: Floats, scale: float) -> Floats:
    """[i, j]: how much higher the mean of i is than that of j; 0 if rounding could have made it."""
    return subtract_rounded(means[:, None], means, TOLERANCE * scale)


def _compute_ranks(values: Floats) -> list[int]:
    """From 1, the highest first; tied ones have the same."""
    return [*map(int, count_above_and_tied(values)[0] + 1)]
