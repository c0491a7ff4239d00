"""Comparison of two sets of judgments, and of the evaluations by them."""

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
    """Numbers of items in both sets, and in only one of them."""

    both: int
    first: int
    second: int


@dataclass(frozen=True)
class RunChange:
    """Means and ranks of a run by both sets of judgments."""

    run: str
    means: tuple[float, float]
    ranks: tuple[int, int]

    @property
    def rise(self) -> int:
        """Number of ranks that the run rises with the second judgments."""
        return self.ranks[0] - self.ranks[1]


@dataclass(frozen=True)
class PairChange:
    """Differences and tests of two runs by both sets of judgments."""

    runs: tuple[str, str]
    differences: tuple[float, float]  # 0 where only rounding made one
    tests: tuple[PairTest, PairTest]
    significant: tuple[bool, bool]

    @property
    def reversed(self) -> bool:
        """True if the two sets order the runs differently; ties contradict no order."""
        return self.differences[0] * self.differences[1] < 0

    @property
    def kind(self) -> Kind:
        """Active if both differences are significant, mixed if one is, else passive."""
        strength = ("passive", "mixed", "active")[sum(self.significant)]
        return f"{strength} {'disagreement' if self.reversed else 'agreement'}"  # type: ignore[return-value]

    @property
    def changed(self) -> bool:
        """True if the conclusion differs: other significance, or active disagreement."""
        return self.significant[0] != self.significant[1] or self.kind == "active disagreement"


@dataclass(frozen=True)
class RankingChange:
    """Rankings of runs by both sets of judgments, for one measure and the same topics.

    `runs` are in the order of the first ranking. `correlations` has kendall, tau-ap and rbo between
    the rankings, with bootstrap intervals over topics. `pairs` has all pairs of runs. Both are
    empty for one run or one topic.
    """

    measure: str
    topics: int
    runs: tuple[RunChange, ...]
    correlations: Mapping[str, Interval]
    pairs: tuple[PairChange, ...] = field(repr=False)

    @property
    def changed(self) -> tuple[PairChange, ...]:
        """Pairs of runs with different conclusions."""
        return tuple(pair for pair in self.pairs if pair.changed)

    def count(self, kind: Kind, significant: tuple[bool, bool] | None = None) -> int:
        """Count the pairs of runs of a kind; mixed pairs also by the set with the significant
        difference.
        """
        return sum(
            pair.kind == kind and significant in (None, pair.significant) for pair in self.pairs
        )


@dataclass(frozen=True, eq=False)
class JudgmentComparison(TableResult, tables="meta.judgments"):
    """Comparison of two sets of judgments.

    `items` and `topics` count what was judged in both sets and in only one. `relevant` is the
    number of items at level `rel` or above in each set, `ranges` the lowest and highest level in
    each. `levels` and `binary` are the agreement on items judged in both sets, by level and as
    relevant or not; None without such items. `by_topic` and `levels.topics` have the same for each
    topic. `rankings` has the effect on the rankings of runs, one for each measure.
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
        """Number of judged items in each set."""
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
    """Compare two sets of judgments, for example by two assessors or by humans and an LLM.

    For the items that both sets have: confusion matrix, percentage agreement, Cohen's κ
    (unweighted, linear, quadratic) and Krippendorff's α, by level and as relevant (from `rel`,
    default 1) or not. Levels are compared as numbers. `labels` maps letters to levels, in both
    sets.

    With `runs`, also compare the evaluations on the topics that both sets have: means and ranks of
    runs by each `measure` (default AP); τ, τ_ap (the first judgments are gold) and RBO between the
    rankings; and for every pair of runs, whether the same `test` finds a difference by both sets
    (see `PairChange.kind`). The sets agree on a pair if its order is not reversed. The agreement is
    active, mixed or passive if both differences, one or none are significant at `alpha`. Unjudged
    documents are nonrelevant. With `common`, only items that both sets have are used. `tested` is
    called with the number of finished trials. The other `options` are those of `evaluate`.

    A set with high agreement may still favour some runs, and a set with low agreement may give the
    same ranking. Check both.

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
        """Return the judgments of the selected topics."""
        sides = ({t: x[t] for t in selection if t in x} for x in (self.first, self.second))
        return _JudgmentPair(self.names, *sides)

    @cached_property
    def by_topic(self) -> dict[str, Overlap]:
        """Overlap of the items of each topic."""
        topics = chain(self.first, self.second)
        return {t: _count_overlap(self.first.get(t, {}), self.second.get(t, {})) for t in topics}

    @cached_property
    def items(self) -> Overlap:
        """Overlap of the items."""
        return Overlap(
            *(sum(getattr(o, f.name) for o in self.by_topic.values()) for f in fields(Overlap))
        )

    @cached_property
    def topics(self) -> Overlap:
        """Overlap of the topics."""
        return _count_overlap(self.first, self.second)

    @cached_property
    def shared(self) -> tuple[TopicLevels, TopicLevels]:
        """Judgments of the items that the other set also has."""
        return _select_common(self.first, self.second), _select_common(self.second, self.first)

    @cached_property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Lowest and highest level in each set."""
        return _find_range(self.first), _find_range(self.second)

    def check_common(self, needs_items: bool) -> None:
        """Raise an error if the sets share no topic or, if `needs_items`, no item."""
        if not self.topics.both:
            first, second = self.names
            raise InputError.from_problem(f"{first} and {second} have no topic in common")
        if not self.items.both and needs_items:
            raise InputError.from_problem("no document is judged in both sets")

    def collect_notes(self, common: bool) -> Iterator[Note]:
        """Yield notes about excluded topics and different scales."""
        sides = self.first, self.second
        for name, judged, other_judged in zip(self.names, sides, reversed(sides), strict=True):
            unshared = [topic for topic in judged if topic not in other_judged]
            if unshared:
                text = f"{format_names(unshared, 'topic')} judged only by {name}, excluded"
                yield Note("missing-topics", text, topics=tuple(unshared))
        if self.ranges[0] != self.ranges[1]:
            named_ranges = zip(self.names, self.ranges, strict=True)
            scales = " and ".join(
                f"{low:g} to {high:g} by {name}" for name, (low, high) in named_ranges
            )
            text = f"levels are {scales}, compared as numbers"
            yield Note("scales", text)
        empty_topics = (
            [topic for topic, docs in self.shared[0].items() if not docs] if common else []
        )
        if empty_topics:
            text = (
                f"{format_names(empty_topics, 'topic')} without a document judged by both, excluded"
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
    """Return the agreement by level and as relevant or not; None without shared items."""
    if not pair.items.both:
        return None, None
    judgment_pairs = pair.shared, [_convert_to_binary(judged, rel) for judged in pair.shared]
    levels, binary = (
        agreement(_to_assessments(pair.names, *judgment_pair), per_topic)
        for judgment_pair in judgment_pairs
    )
    return levels, binary


def _merge_notes(agreements: AgreementPair) -> Iterable[Note]:
    """Return the notes of both agreements without duplicates."""
    return {note.text: note for result in agreements if result for note in result.notes}.values()


def _to_assessments(names: tuple[str, str], first: TopicLevels, second: TopicLevels) -> Assessments:
    """Return the judgments of the same items as those of two assessors."""
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
        raise InputError.from_problem("topics without judgments", where="qrels")
    return min(levels), max(levels)


def _count_relevant(judged: TopicLevels, rel: float) -> int:
    return sum(level >= rel for level in _iterate_levels(judged))


def _select_qrels(qrels_pair: Sequence[Qrels], pair: _JudgmentPair, common: bool) -> list[Qrels]:
    """Return the judgments to evaluate with, of the topics in both sets."""
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
    """Yield shared notes once, other notes with the name of the judgments."""
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
    """Return the comparison, with the rankings by these scores."""
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
    """Return notes about the rankings by one set, if there are correlations."""
    correlated = [change for change in rankings if change.correlations]
    return collect_ranking_notes(
        {x.measure: np.array([run.means[side] for run in x.runs]) for x in correlated}
    )


def _select_scores(scores: Sequence[Scores]) -> tuple[list[tuple[Scores, Scores]], list[Note]]:
    """Return both scores of each measure that can rank, on the topics defined in both."""
    first, second = scores
    topics = [topic for topic in first.topics if topic in second.topics]
    names, exclusions = find_ranking_measures(first)
    if not names:
        raise InputError.from_problem("no measure can rank the runs")
    score_pairs, notes = [], [*exclusions]
    for m in names:
        unknown, error_notes = find_undefined_topics(scores, m, turned=False)
        kept_topics = [topic for topic in topics if topic not in unknown]
        if not kept_topics:
            raise InputError.from_problem(f"no topic has {m} for every run")
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
    """Return [i, j]: the mean of i minus the mean of j, 0 within the rounding error."""
    return subtract_rounded(means[:, None], means, TOLERANCE * scale)


def _compute_ranks(values: Floats) -> list[int]:
    """Return ranks from 1, the highest value first; tied values share a rank."""
    return [*map(int, count_above_and_tied(values)[0] + 1)]
