"""Agreement of two sets of judgments, and their effect on runs.

Compare two sets of judgments, by two assessors or by humans and an LLM. Show their agreement on
documents that both judged and, with runs, the rankings and significant differences by each set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from itertools import chain, product
from operator import itemgetter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield import tables
from cranfield.arrays import TOLERANCE, Floats, subtract_rounded
from cranfield.assess.agreement import PAIRWISE, TITLES, Agreement, agreement
from cranfield.assess.assessments import Assessments, format_exact
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.meta.correlation import TRIALS as DRAWS
from cranfield.meta.correlation import check_two_names, correlation
from cranfield.meta.notes import collect_alpha_notes, collect_ranking_notes
from cranfield.meta.rankings import count_above_and_tied
from cranfield.meta.results import MethodResult, format_summary
from cranfield.scores import Interval, Note, Scores, note_topics_file
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import PairTest, choose_test, compare_pairs
from cranfield.stats.measure_scores import (
    extract_measure,
    find_ranking_measures,
    find_undefined_topics,
    get_sign,
    note_undefined,
)
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import check_alpha, check_confidence, is_fully_enumerated
from cranfield.stats.tables import build_p_column, describe_test
from cranfield.tables import Field, ResultTable
from cranfield.wording import format_count, format_names

__all__ = ["JudgmentComparison", "compare_judgments"]

TopicLevels: TypeAlias = dict[str, dict[str, float]]  # topic -> doc -> level
AgreementPair: TypeAlias = tuple[Agreement | None, Agreement | None]
Kind: TypeAlias = Literal[
    "active agreement", "mixed agreement", "passive agreement",
    "passive disagreement", "mixed disagreement", "active disagreement",
]  # fmt: skip

STATISTICS = ("kendall", "tau-ap", "rbo")
"""Correlations of the two rankings of runs. The first judgments are gold for τ_ap."""


TABLES = (
    "overlap", "agreement", "confusion", "topics", "runs", "rankings", "significance", "changed",
    "pairs",
)  # fmt: skip


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
        """True if the two sets order the runs differently. Ties contradict no order."""
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
        """Count the pairs of runs of a kind, mixed pairs also by the set with the significant
        difference.
        """
        return sum(pair.kind == kind and significant in (None, pair.significant) for pair in self.pairs)


@dataclass(frozen=True, eq=False)
class JudgmentComparison(MethodResult):
    """Comparison of two sets of judgments.

    `items` and `topics` count what was judged in both sets and in only one. `relevant` is the
    number of items at level `rel` or above in each set, `ranges` the lowest and highest level in
    each. `levels` and `binary` are the agreement on items judged in both sets, by level and as
    relevant or not; None without such items. `by_topic` and `levels.topics` have the same for each
    topic. `rankings` has the effect on the rankings of runs, one for each measure.
    """

    _human_tables = TABLES[:-1]
    _flat_tables = ("runs", "agreement")

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
        descriptions = [" and ".join(self.names), format_count(self.items.both, "document") + " judged in both"]
        return format_summary(self, descriptions, numbers | {f"τ by {m}": tau for m, tau in taus.items()})

    @property
    def judged(self) -> tuple[int, int]:
        """Number of judged items in each set."""
        return self.items.both + self.items.first, self.items.both + self.items.second

    def _build_tables(self) -> list[ResultTable]:
        """Return all tables of a comparison."""
        result_tables = [_build_overlap_table(self)]
        if self.levels is not None and self.binary is not None:
            result_tables += [
                _build_agreement_table(self, self.levels, self.binary),
                _build_confusion_table(self, self.levels),
            ]
            if self.levels.topics:
                result_tables.append(_build_topics_table(self, self.levels, self.binary))
        if self.rankings:
            result_tables.append(_build_runs_table(self))
        if any(ranking.pairs for ranking in self.rankings):
            different = "Pairs of runs with different conclusions"
            result_tables += [
                _build_rankings_table(self),
                _build_significance_table(self),
                _build_pairs_table(self, "changed", different),
            ]
            result_tables.append(_build_pairs_table(self, "pairs", "All pairs of runs"))
        return result_tables

    def _build_settings(self) -> dict[str, Any]:
        run_settings = "test", "correction", "alpha", "trials", "seed", "confidence"
        names = "rel", "common", *(run_settings if self.rankings else ())
        return {"names": list(self.names), **tables.read_settings(self, *names)}

    def _select_tables(self, format: str) -> tuple[str, ...]:
        """Return the default tables: changed pairs only if there are any."""
        changed = any(ranking.changed for ranking in self.rankings)
        return tuple(x for x in super()._select_tables(format) if changed or x != "changed")


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
        notes=(*note_topics_file(selected_topics), *pair.collect_notes(common), *_merge_notes(agreements)),
    )
    if runs is None:
        return result
    sets = _select_qrels(qrels_pair, pair, common)
    if selected_topics is not None:  # those of the same topics
        options["topics"] = [topic for topic in selected_topics if topic in sets[0].topics]
    selection = "AP" if measures is None and options.get("preset") is None else measures
    format_options: dict[str, Any] = {"separator": separator, "columns": columns}
    scores = [evaluate(qrels, runs, selection, rel=rel, threads=threads, **format_options, **options) for qrels in sets]
    systems = len(scores[0].runs)
    test, correction = choose_test(test, correction, systems, math.comb(systems, 2))
    result = replace(result, test=test, correction=correction)
    return _with_rankings(result, scores, threads, tested)


# -- the judgments --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _JudgmentPair:
    """Two sets of judgments, and their shared items and topics."""

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
        return Overlap(*(sum(getattr(o, f.name) for o in self.by_topic.values()) for f in fields(Overlap)))

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
            scales = " and ".join(f"{low:g} to {high:g} by {name}" for name, (low, high) in named_ranges)
            text = f"levels are {scales}, compared as numbers"
            yield Note("scales", text)
        empty_topics = [topic for topic, docs in self.shared[0].items() if not docs] if common else []
        if empty_topics:
            text = f"{format_names(empty_topics, 'topic')} without a document judged by both, excluded"
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
    """Return the agreement by level and as relevant or not, None without shared items."""
    if not pair.items.both:
        return None, None
    judgment_pairs = pair.shared, [_convert_to_binary(judged, rel) for judged in pair.shared]
    levels, binary = (
        agreement(_to_assessments(pair.names, *judgment_pair), per_topic) for judgment_pair in judgment_pairs
    )
    return levels, binary


def _merge_notes(agreements: AgreementPair) -> Iterable[Note]:
    """Return the notes of both agreements without duplicates."""
    return {note.text: note for result in agreements if result for note in result.notes}.values()


def _to_assessments(names: tuple[str, str], first: TopicLevels, second: TopicLevels) -> Assessments:
    """Return the judgments of the shared items, as of two assessors."""
    votes = {
        topic: {doc: dict(zip(names, (x, second[topic][doc]), strict=True)) for doc, x in docs.items()}
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
    return [side if set(side.topics) == set(topics) else side.select_topics(topics) for side in qrels_pair]


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
    result: JudgmentComparison, scores: Sequence[Scores], threads: int | None, progress: Progress | None
) -> JudgmentComparison:
    """Return the comparison, with the rankings by these scores."""
    testing = {name: getattr(result, name) for name in ("test", "correction", "trials", "seed")}
    testing |= {"threads": threads, "progress": progress}
    score_pairs, exclusions = _select_scores(scores)
    rankings = tuple(_compare_rankings(pair, result.alpha, result.confidence, testing) for pair in score_pairs)
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
    return collect_ranking_notes({x.measure: np.array([run.means[side] for run in x.runs]) for x in correlated})


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
        score_pairs.append((first.select(None, kept_topics, [m]), second.select(None, kept_topics, [m])))
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
        statistic: correlation(*pair, statistic, confidence=confidence, **resampling_options)[measure, measure]
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
    """Return ranks from 1, the highest value first. Tied values share a rank."""
    return [*map(int, count_above_and_tied(values)[0] + 1)]


# -- tables and figures ---------------------------------------------------------------------------

_COEFFICIENTS = (*PAIRWISE, "alpha_nominal", "alpha_ordinal", "alpha_interval")
_STATISTICS = {"kendall": "τ", "tau-ap": "τ_ap", "rbo": "RBO"}


def _build_overlap_table(result: JudgmentComparison) -> ResultTable:
    items, topics = result.items, result.topics
    low, high = zip(*result.ranges, strict=True)
    shares = [n / total for n, total in zip(result.relevant, result.judged, strict=True)]
    return tables.build_table(
        "overlap",
        f"{format_count(items.both, 'document')} of {format_count(topics.both, 'topic')} judged "
        f"both by {_join_names(result)}. Relevant: level {result.rel:g} or above.",
        Field("judgments", list(result.names), key=True),
        Field("topics", [topics.both + topics.first, topics.both + topics.second]),
        Field("judged", result.judged, "documents"),
        Field("only_here", [items.first, items.second]),
        Field("relevant", result.relevant),
        Field("share_relevant", shares),
        Field("lowest", low, "levels from", [*map("{:g}".format, low)]),
        Field("highest", high, "to", [*map("{:g}".format, high)]),
    )


def _join_names(result: JudgmentComparison, and_by: str = " and by ") -> str:
    """Join the names of the two sets."""
    return and_by.join(result.names)


def _build_agreement_table(result: JudgmentComparison, levels: Agreement, binary: Agreement) -> ResultTable:
    column = tables.bind_rows([levels, binary])
    return tables.build_table(
        "agreement",
        f"Agreement of {_join_names(result, ' and ')} on the documents that both judged, "
        f"by level, and as relevant (level {result.rel:g} or above) or not. Cohen's κ, "
        "Krippendorff's α.",
        Field("scale", ["levels", "binary"], texts=["levels", "relevant or not"], key=True),
        column("items", head="documents"),
        *(column(name, itemgetter(name), TITLES[name]) for name in _COEFFICIENTS),
    )


def _build_confusion_table(result: JudgmentComparison, levels: Agreement) -> ResultTable:
    first, second = result.names
    counts = levels.pairs[0].confusion.T.tolist()
    columns = zip(levels.labels, counts, strict=True)
    return tables.build_table(
        "confusion",
        f"Documents by level: rows by {first}, columns by {second}.",
        Field("first", list(levels.labels), f"{first} ↓ {second} →", key=True),
        *(Field(f"second_{label}", column, label) for label, column in columns),
    )


def _build_topics_table(result: JudgmentComparison, levels: Agreement, binary: Agreement) -> ResultTable:
    column = tables.bind_rows(result.by_topic.values())
    first, second = result.names

    def build_coefficients(agreement: Agreement, kind: str, *names: str) -> list[Field]:
        values = [agreement.topics[x].values if x in agreement.topics else {} for x in result.by_topic]
        return [
            Field(kind.replace(" ", "_") + x, [topic_values.get(x) for topic_values in values], kind + TITLES[x])
            for x in names
        ]

    return tables.build_table(
        "topics",
        "Agreement by topic. nan: undefined.",
        Field("topic", list(result.by_topic), key=True),
        column("both", head="by both"),
        column("only_first", lambda overlap: overlap.first, f"only {first}"),
        column("only_second", lambda overlap: overlap.second, f"only {second}"),
        *build_coefficients(levels, "", "agreement", "kappa", "kappa_quadratic"),
        *build_coefficients(binary, "binary ", "agreement", "kappa"),
    )


def _build_runs_table(result: JudgmentComparison) -> ResultTable:
    measure_column, column = tables.bind_nested_rows(result.rankings, "runs")
    return tables.build_table(
        "runs",
        f"{_describe_evaluation(result)} Rise: number of ranks that a run is higher by "
        f"{result.names[1]}{_describe_moves(result)}.",
        measure_column("measure", key=True),
        column("run", key=True),
        *tables.build_pair_columns(column, "mean", "means", result.names),
        *tables.build_pair_columns(column, "rank", "ranks", [f"rank {name}" for name in result.names]),
        column("rise", text=lambda rise: f"{rise:+d}" if rise else "0"),
    )


def _describe_evaluation(result: JudgmentComparison) -> str:
    default_text = "all judgments of each, unjudged documents are nonrelevant"
    used = "only documents that both judged" if result.common else default_text
    runs, topics = result.rankings[0].runs, [ranking.topics for ranking in result.rankings]
    size = tables.format_runs_and_topics(len(runs), *topics)
    return f"Means of {size} by {_join_names(result)} ({used})."


def _describe_moves(result: JudgmentComparison) -> str:
    """Describe the runs that move most."""
    text = []
    for ranking in result.rankings:
        maximum = max(abs(change.rise) for change in ranking.runs)
        moved = [change.run for change in ranking.runs if maximum and abs(change.rise) == maximum]
        if moved:
            change = f"{format_names(moved, 'run')} by {format_count(maximum, 'rank')}"
            text.append(f"{change} ({ranking.measure})")
    return f". Largest changes: {', '.join(text)}" if text else ". No run changes its rank"


def _build_rankings_table(result: JudgmentComparison) -> ResultTable:
    rankings = [ranking for ranking in result.rankings if ranking.pairs]
    column = tables.bind_rows(rankings)
    correlation_fields = [
        _build_interval_fields(name.replace("-", "_"), head, [r.correlations[name] for r in rankings])
        for name, head in _STATISTICS.items()
    ]
    return tables.build_table(
        "rankings",
        f"Correlation of the rankings by {_join_names(result, ' and ')}: Kendall's τ, AP "
        f"correlation with {result.names[0]} as gold, rank-biased overlap (p = 0.9). "
        f"{tables.format_percent(result.confidence)} bootstrap intervals from {DRAWS:,} draws of "
        f"topics, seed {result.seed}.",
        column("measure", key=True),
        column("runs", lambda ranking: len(ranking.runs)),
        column("topics"),
        *chain(*correlation_fields),
    )


def _build_interval_fields(name: str, head: str, values: list[Interval]) -> Iterator[Field]:
    yield Field(name, [x.mean for x in values], head, [*map(tables.format_mean_with_interval, values)])
    yield Field(f"{name}_low", [x.low for x in values], visible=False)
    yield Field(f"{name}_high", [x.high for x in values], visible=False)


def _build_significance_table(result: JudgmentComparison) -> ResultTable:
    first, second = result.names
    finders = "both", *result.names, "neither"
    finder_names = dict(zip(product((True, False), (True, False)), finders, strict=True))
    kinds = "passive", "mixed", "active"  # by the number of sets with a significant difference
    rows = [
        (ranking.measure, kind, name, order, pairs, pairs / len(ranking.pairs))
        for ranking in result.rankings
        if ranking.pairs
        for kind in get_args(Kind)
        for order in ["reversed" if "disagreement" in kind else "same"]
        for is_significant, name in finder_names.items()
        if kind.startswith(kinds[sum(is_significant)])
        for pairs in [ranking.count(kind, is_significant)]
    ]
    names = "measure", "kind", "significant_by", "order", "pairs", "share"
    column = tables.bind_rows(rows)
    return tables.build_table(
        "significance",
        f"Pairs of runs with a significant difference by {first}, by {second}, by both or by "
        f"neither ({_describe_test(result)}), with the runs in the same or in reversed order.",
        *(column(name, itemgetter(k), key=name in names[:2]) for k, name in enumerate(names)),
    )


def _describe_test(result: JudgmentComparison) -> str:
    correction = result.correction or "none"
    correction_text = "" if correction == "none" else CORRECTIONS[correction].title
    tests = (test for ranking in result.rankings for pair in ranking.pairs for test in pair.tests)
    sampled = [test.sampled for test in tests]
    parts = describe_test(result.test or "", result.trials, result.seed, is_fully_enumerated(sampled), correction_text)
    return ", ".join([*parts, f"α = {result.alpha:g}"])


def _build_pairs_table(result: JudgmentComparison, name: str, subject: str) -> ResultTable:
    measure_column, column = tables.bind_nested_rows(result.rankings, name)
    rows = [pair for ranking in result.rankings for pair in getattr(ranking, name)]
    heads = [f"difference {name}" for name in result.names]
    tests = [[pair.tests[i] for pair in rows] for i in range(2)]
    sides = zip(("first", "second"), result.names, tests, strict=True)
    return tables.build_table(
        name,
        f"{subject}: differences of means and p-values by {_join_names(result)} ({_describe_test(result)}). * p ≤ α.",
        measure_column("measure", key=True),
        column("run", lambda pair: pair.runs[0], key=True),
        column("other", lambda pair: pair.runs[1], key=True),
        *tables.build_pair_columns(column, "difference", "differences", heads, text=tables.format_difference),
        *(build_p_column(x, result.alpha, f"pvalue_{side}", f"p {set_name}") for side, set_name, x in sides),
        column("kind"),
    )
