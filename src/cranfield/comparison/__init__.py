"""`compare`: differences of runs with intervals, p-values and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from cranfield.arrays import (
    TOLERANCE,
    Floats,
    estimate_rounding,
    subtract_rounded,
    unify_rounded,
)
from cranfield.assess.teams import TeamBest, select_best_runs
from cranfield.comparison.pairs import Verdict, choose_verdict, collect_pair_notes, count_signs, count_wins
from cranfield.comparison.slices import (
    SliceComparer,
    SliceInteraction,
    SlicePair,
    SliceTest,
    extract_matrix,
)
from cranfield.comparison.systems import (
    ComponentSummary,
    Seeds,
    SystemRuns,
    choose_system_test,
    describe_run_count,
    rank_part,
    read_system_runs,
)
from cranfield.data.attributes import AttributesLike
from cranfield.data.run_systems import SystemsLike
from cranfield.data.tracks import TeamsLike
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError, check_choice, describe_value, to_list
from cranfield.evaluation.attributes import attach_attributes, attach_clusters
from cranfield.evaluation.results import Missing, ScoresLike, read_scores
from cranfield.scores import Note, Scores, format_first_notes
from cranfield.scores.clusters import check_cluster_count
from cranfield.scores.slices import SliceSummary
from cranfield.stats.clusters import estimate_mean
from cranfield.stats.corrections import CORRECTIONS, family_wise_error
from cranfield.stats.effects import EFFECTS, EffectName, get_default_effect
from cranfield.stats.families import (
    TESTS,
    PairTest,
    choose_test,
    compare_each,
    note_reach,
)
from cranfield.stats.gate import Gate, Undecided
from cranfield.stats.letters import assign_letters
from cranfield.stats.measure_scores import drop_standard_errors, extract_measure
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import check_alpha, format_p, format_p_statement, is_fully_enumerated
from cranfield.stats.samples import Matrix
from cranfield.tables import ResultTable
from cranfield.wording import escape_unprintable, format_count, format_names, suggest_keywords

_OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better", "": ""}
_PAIRS_SHOWN = 10


@dataclass(frozen=True)
class RunSummary:
    """Mean of a run by one measure, with an interval.

    `groups` are letters: runs with a common letter are not significantly different. `better_than`
    and `worse_than` are the baselines with a significant difference. For systems of several runs,
    `seeds` is their number, and `se` and `df` belong to the crossed interval. `best` is the fraction
    of resamples in which the run is best, and `rank_low` and `rank_high` are quantiles of its rank.
    For topics in clusters, `clusters` is their number, `se` and `df` belong to the CR2 interval, and
    `deff` is the design effect. For a geometric mean, they belong to the logarithms.
    """

    measure: str
    run: str
    topics: int
    mean: float
    low: float
    high: float
    groups: str = ""
    better_than: tuple[str, ...] = ()
    worse_than: tuple[str, ...] = ()
    se: float | None = None
    df: float | None = None
    seeds: int | None = None
    best: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    clusters: int | None = None
    deff: float | None = None


@dataclass(frozen=True)
class PairComparison:
    """Comparison of two runs by one measure.

    `difference` is the difference of means, run − other. `pvalue` is corrected for the number of
    comparisons, `uncorrected` is not. `wins` is the number of topics on which the run is better
    than the other. `verdict` is ``better`` or ``worse`` if the run is significantly better or
    worse. It is empty if the difference is not significant, or if neither high nor low values of
    the measure are better. `smallest_pvalue` is the smallest corrected p-value that this number of
    topics, trials and pairs can justify. If it is above α, `pvalue` is at least as large and there
    is no verdict. For systems of several runs, `seeds` and `other_seeds` are their numbers, `se` and
    `df` belong to the crossed test, `seed_share` is the fraction of the variance due to seeds, and
    `reversals` the fraction of pairs of single runs with means in the opposite order. For topics in
    clusters, `clusters` is their number, `se` and `df` are the CR2 standard error of the difference
    and its degrees of freedom, and `deff` is the design effect.
    """

    measure: str
    run: str
    other: str
    topics: int
    difference: float
    low: float
    high: float
    statistic: float
    pvalue: float
    uncorrected: float
    asl: float | None
    error: float | None  # the Monte-Carlo standard error of the uncorrected p-value
    none_as_extreme: bool  # in all trials: p is below 1 / trials
    effect: float
    dz: float
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    smallest_pvalue: float = 0.0
    se: float | None = None
    df: float | None = None
    seeds: int | None = None
    other_seeds: int | None = None
    seed_share: float | None = None
    reversals: float | None = None
    clusters: int | None = None
    deff: float | None = None


@dataclass(frozen=True)
class UnjudgedRange:
    """Range of a difference of means over all possible judgments of unjudged documents.

    `exact` is False if the ends may be too far out, see `bounds`. `sign` is ``fixed`` if no judgments
    can change the sign of the difference, ``can change``, or ``could change`` if the range is not exact.
    """

    measure: str
    run: str
    other: str
    difference: float
    low: float
    high: float
    exact: bool

    @property
    def sign(self) -> str:
        """Whether judgments can change the sign of the difference."""
        if self.low > 0 or self.high < 0 or self.low == self.high:
            return "fixed"
        return "can change" if self.exact else "could change"


@dataclass(frozen=True)
class Mover:
    """Topic with the scores of two runs and their difference."""

    measure: str
    run: str
    other: str
    topic: str
    score: float
    other_score: float
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(TableResult):
    """Comparison of runs by measure: `runs` and `pairs`, ordered by mean.

    `test`, `correction`, `alpha`, `trials` and `seed` are the settings, including defaults.
    `enumerated` is True if all outcomes were enumerated instead of random trials. `teams` are set
    if only the best run of each team was compared. `systems` are the runs of each system, if systems
    of several runs were compared: `scores` are then means over runs. `seeds` is ``random`` or
    ``fixed``, and `components` are the components of variance. `rank_trials` is the number of
    resamples of ranks. If the topics have attributes, `slices` are the means on slices of topics,
    `slice_pairs` the differences with the test `slice_test`, and `interactions` test whether a
    difference is the same on all slices. `unjudged` are the ranges of differences of `cranfield
    compare --unjudged`.
    """

    scores: Scores
    runs: tuple[RunSummary, ...]
    pairs: tuple[PairComparison, ...]
    test: str
    correction: str
    alpha: float
    effect: str
    baselines: tuple[str, ...] = ()
    trials: int | None = None
    seed: int | None = None
    enumerated: bool = False
    notes: tuple[Note, ...] = ()
    teams: tuple[TeamBest, ...] = ()
    systems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seeds: str | None = None
    components: tuple[ComponentSummary, ...] = ()
    rank_trials: tuple[int, int] | None = None  # and the seed
    slices: tuple[SliceSummary, ...] = ()
    slice_pairs: tuple[SlicePair, ...] = ()
    interactions: tuple[SliceInteraction, ...] = ()
    slice_test: SliceTest | None = None
    unjudged: tuple[UnjudgedRange, ...] = ()

    @property
    def worse(self) -> tuple[PairComparison, ...]:
        """Pairs whose run is significantly worse than the other run, or than a baseline.

        Pairs of two baselines are excluded.
        """
        return tuple(p for p in self.pairs if p.verdict == "worse" and p.run not in self.baselines)

    @property
    def significant(self) -> tuple[PairComparison, ...]:
        """Pairs with a significant difference."""
        return tuple(pair for pair in self.pairs if pair.pvalue <= self.alpha)

    def pair(self, run: str, other: str, measure: str | None = None) -> PairComparison:
        """Return the comparison of two runs, by default for the only measure."""
        name = self.scores.measures[0] if measure is None else str(measure)
        for pair in self.pairs:
            if (pair.run, pair.other, pair.measure) == (run, other, name):
                return pair
        if name not in self.scores.measures:
            measures = format_names(self.scores.measures, "measure")
            raise InputError(f"measure {name!r}", f"one of {measures}")
        of_measure = [f"{p.run} – {p.other}" for p in self.pairs if p.measure == name]
        pairs_text = format_names(of_measure, "pair")
        raise InputError(f"the pair {run} – {other} by {name}", f"one of {pairs_text}")

    def by(self, measure: str) -> Comparison:
        """Return the comparison by one measure, without the notes."""
        return replace(
            self,
            scores=self.scores.select(measures=[measure]),
            runs=tuple(run for run in self.runs if run.measure == measure),
            pairs=tuple(pair for pair in self.pairs if pair.measure == measure),
            slices=tuple(row for row in self.slices if row.measure == measure),
            slice_pairs=tuple(pair for pair in self.slice_pairs if pair.measure == measure),
            interactions=tuple(row for row in self.interactions if row.measure == measure),
            notes=(),
        )

    def movers(self, most: int = 3) -> Rows[Mover]:
        """Return the topics with the largest differences of each pair.

        Up to `most` topics on which the run is better come first, then up to `most` on which it is
        worse.
        """
        return Rows(mover for pair in self.pairs for mover in self._iter_movers(pair, most))

    def _iter_movers(self, pair: PairComparison, limit: int) -> Iterator[Mover]:
        scores = self.scores
        runs, m = (pair.run, pair.other), scores.measures.index(pair.measure)
        x, y = (scores.values[scores.runs.index(run), :, m] for run in runs)
        rounding = estimate_rounding(x, y)
        z = subtract_rounded(x, y, rounding)
        order = np.argsort(-unify_rounded(np.abs(z), rounding), kind="stable").tolist()
        ups, downs = ([t for t in order if side * z[t] > 0][:limit] for side in (1, -1))
        for t in (*ups, *downs):
            names = (pair.measure, pair.run, pair.other, scores.topics[t])
            yield Mover(*names, float(x[t]), float(y[t]), float(z[t]))

    def shown_p(self, pair: PairComparison) -> str:
        """Format the p-value of a pair, never as 0: 0.0321 or <0.0001."""
        trials = None if self.enumerated else self.trials
        least = pair.none_as_extreme and self.correction == "none"
        return format_p(pair.pvalue, trials, least)

    def gate(self, margin: float | None = None, undecided: Undecided = "fail") -> Gate:
        """Decide for every measure whether the runs may replace the baselines.

        Without a margin, a run fails if it is significantly worse than a baseline. It is undecided
        if no loss could have been significant: α is below the smallest p-value of this number of
        topics, or the mean is worse and too few topics differ. With a margin, a run passes if it is
        not worse by more than the margin, and fails if it is worse, each with the confidence of the
        interval (see `cf.stats.within_margin`). An undecided run fails, unless `undecided` is
        ``pass``. With slices of topics, every slice of 5 topics or more has a verdict, too. Its
        p-values are corrected for the slices. A margin is then not defined.

        >>> x = {f"q{i}": i / 10 for i in range(8)}
        >>> y = {topic: value - 0.01 for topic, value in x.items()}
        >>> comparison = compare({"old": x, "new": y}, baseline="old")
        >>> comparison.gate().passed, comparison.gate(margin=0.02).passed
        (False, True)
        """
        from cranfield.comparison.gates import build_gate

        return build_gate(self, margin, undecided)

    def _build_tables(self, movers: int = 3, gate: Gate | None = None, marks: str = "letters") -> list[ResultTable]:
        from cranfield.comparison.tables import build_tables

        return build_tables(self, movers, gate, marks)

    def _select_tables(self, format: str, movers: int | None = None, gate: Gate | None = None) -> tuple[str, ...]:
        from cranfield.comparison.tables import select_tables

        return select_tables(self, format, movers, gate)

    def _write_answer(self, gate: Gate | None = None) -> str:
        from cranfield.comparison.answer import write_answer

        return write_answer(self) if gate is None else ""  # a gate prints its verdicts

    def _build_settings(self, gate: Gate | None = None) -> dict[str, Any]:
        from cranfield.comparison.tables import build_settings

        return build_settings(self, gate)

    def __repr__(self) -> str:
        pairs = [
            f"{p.measure}: {p.run} − {p.other} = {p.difference:+z.4f} "
            f"[{p.low:+z.4f}, {p.high:+z.4f}], {format_p_statement(self.shown_p(p))}"
            for p in self.pairs[:_PAIRS_SHOWN]
        ]
        runs, topics = len(self.scores.runs), len(self.scores.topics)
        size = f"{describe_run_count(runs, self.systems)} × {format_count(topics, 'topic')}"
        head = f"Comparison: {size}, {self.test}, α = {self.alpha:g}"
        hidden = len(self.pairs) - len(pairs)
        more = [f"… {hidden} more in .pairs"] if hidden else []
        return "\n".join([*map(escape_unprintable, [head, *pairs]), *more, *format_first_notes(self.notes, runs)])


@suggest_keywords
def compare(
    scores: ScoresLike,
    baseline: str | Sequence[str] | None = None,
    *,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 0,
    measures: str | Sequence[Any] | None = None,
    effect: EffectName | None = None,
    missing: Missing = "error",
    lower: str | Sequence[Any] = (),
    teams: TeamsLike = None,
    best_by: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
    systems: SystemsLike = None,
    seeds: Seeds | None = None,
    ranks: bool = False,
    by: AttributesLike = None,
    queries: Any = None,
    clusters: AttributesLike = None,
) -> Comparison:
    """Compare runs by measure: differences, intervals, p-values, effect sizes.

    scores
        Scores by topic: the result of `evaluate`, or any input of `read_scores`.
    baseline
        One run or several: every other run is compared with each of them. Default: all pairs.
    test
        ``randomised-tukey`` (the default for more than two runs) or ``tukey``, which use all
        runs, whichever pairs are reported. Tests of two runs: ``randomisation`` (the default for
        two runs), ``t``, ``wilcoxon``, ``sign``, ``bootstrap`` (studentised), ``bootstrap-shift``.
    correction
        Correction of tests of two runs for the number of pairs, measure by measure: ``holm`` (the
        default), ``bonferroni``, ``bh`` or ``none``.
    alpha
        Significance level. Intervals have confidence 1 − alpha. Intervals of Tukey's tests and
        with ``bonferroni`` are simultaneous. Other intervals hold for each pair separately.
    missing, lower
        Treatment of missing topics, and measures for which lower is better, as in
        `read_scores`.
    teams, best_by
        The teams of runs (``{run: team}``, a path or a frame): only the best run of each team by
        the measure `best_by` (default: the first) and the baselines are compared.
    effect
        ``dz`` (Cohen's, the default for two runs), ``g`` (Hedges'), ``glass``, or ``anova`` (the
        default for more): the difference divided by the residual standard deviation of all runs.
    systems, seeds
        Systems of several runs, such as training seeds: ``{run: system}``, a path or frame with the
        columns run, system and optionally seed, or patterns such as ``"dense-*"``. `seeds` is
        ``random`` (default: intervals and the test ``crossed`` for other topics and other seeds) or
        ``fixed`` (any test of the means over these runs, for other topics).
    ranks
        Resample topics (and runs of systems): fraction in which each run is best, and intervals of ranks.
    by, queries, clusters
        Slices of topics (with queries for the attribute ``length``) and clusters of topics, as in
        `evaluate`. By default those of the scores. Tests of slices are tests of two runs: `test`, or
        ``randomisation`` instead of Tukey's tests. `correction` is then for all pairs and slices of an
        attribute. With clusters, tests are by cluster: ``t``, ``randomisation``,
        ``randomised-tukey`` or ``bootstrap``.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> comparison = compare({"bm25": x, "dense": y}, baseline="bm25")
    >>> pair = comparison.pair("dense", "bm25")
    >>> round(pair.difference, 4), pair.pvalue, pair.wins, pair.verdict  # p = 2 / 2 ** 8
    (0.1, 0.0078125, 8, 'better')
    """
    read = _attach_topics(drop_standard_errors(read_scores(scores, missing, measures, lower)), by, queries, clusters)
    groups = read_system_runs(read, systems, seeds)
    if groups is not None and teams is not None:
        raise InputError.from_problem("use either teams or systems, not both")
    read, team_notes = _average_systems(read, groups)
    test = choose_system_test(test, groups)
    if len(read.runs) < 2:
        raise InputError.from_problem(f"compare needs at least 2 runs, found {len(read.runs)}")
    check_alpha(alpha)
    if effect is not None:
        check_choice("effect", effect, EFFECTS)
    baselines = _read_baselines(read, baseline)
    best: tuple[TeamBest, ...] = ()
    if teams is not None:
        read, best, team_notes = select_best_runs(read, teams, best_by, baselines)
        _read_baselines(read, baselines or None)  # raises an error if no other run remains
    elif best_by is not None:
        raise InputError.from_problem("best_by requires teams")
    size = len(_list_pairs(range(len(read.runs)), [*map(read.runs.index, baselines)]))
    chosen_test, chosen_correction = choose_test(test, correction, len(read.runs), size)
    effect_name = effect or get_default_effect(len(read.runs))
    testing: dict[str, Any] = {
        "test": chosen_test,
        "correction": chosen_correction,
        "trials": trials,
        "seed": seed,
    }
    testing |= {"threads": threads, "progress": progress}
    rank_trials = _choose_rank_trials(ranks, groups, trials, seed)
    parts, tested_pairs = _prepare_measures(read, baselines, groups)
    results = _compare_measures(read, parts, tested_pairs, alpha, baselines, effect_name, testing, groups, rank_trials)
    runs, pairs, enumerated, result_notes, components = zip(*results, strict=True)
    draws = {"trials": trials, "seed": seed, "threads": threads}
    slices = SliceComparer(read, alpha, chosen_test, correction, draws, groups).compare(parts, tested_pairs)
    notes = [*team_notes, *read.notes, *chain(*result_notes), *slices.notes]
    if "identical" not in {note.kind for note in notes}:  # tests of two runs note it themselves
        notes += _note_identical(read)
    if chosen_correction == "none" and not TESTS[chosen_test].is_joint:
        notes += _note_uncorrected(size, alpha)
    trial_settings: tuple[int | None, int | None] = (trials, seed) if TESTS[chosen_test].random else (None, None)
    return Comparison(
        read,
        tuple(chain(*runs)),
        tuple(chain(*pairs)),
        chosen_test,
        chosen_correction,
        alpha,
        effect_name,
        baselines,
        *trial_settings,
        all(enumerated),
        tuple(notes),
        best,
        getattr(groups, "groups", {}),
        getattr(groups, "seeds", None),
        tuple(chain(*components)),
        rank_trials,
        slices.slices,
        slices.pairs,
        slices.interactions,
        slices.test,
    )


def _attach_topics(scores: Scores, by: AttributesLike, queries: Any, clusters: AttributesLike) -> Scores:
    """Return the scores with attributes and clusters of their topics."""
    if by is not None:
        scores = attach_attributes(scores, by, queries)
    elif queries is not None:
        raise InputError.from_problem("queries requires by")
    return scores if clusters is None else attach_clusters(scores, clusters)


def _choose_rank_trials(ranks: bool, groups: SystemRuns | None, trials: int, seed: int) -> tuple[int, int] | None:
    """Return the number of resamples and their seed, if ranks are resampled."""
    return (trials, seed) if ranks or groups is not None else None


def _average_systems(scores: Scores, groups: SystemRuns | None) -> tuple[Scores, list[Note]]:
    """Return means over the runs of each system, and notes; without systems, the scores."""
    return (scores, []) if groups is None else (groups.average(), [*_note_identical(scores), *groups.note_runs()])


def _read_baselines(scores: Scores, baseline: str | Sequence[str] | None) -> tuple[str, ...]:
    if baseline is None:
        return ()
    expected = f"one of {format_names(scores.runs, 'run')}"
    is_single = isinstance(baseline, str)
    names = (baseline,) if is_single else tuple(to_list("baseline", baseline, expected))
    names = tuple(dict.fromkeys(name if isinstance(name, str) else describe_value(name) for name in names))
    for name in names:
        if name not in scores.runs:
            raise InputError(f"baseline {name!r}", f"one of {format_names(scores.runs, 'run')}")
    if len(names) == len(scores.runs):
        raise InputError(f"{format_count(len(names), 'baseline')}", "a run that is not a baseline")
    return names


def _list_pairs(order: Sequence[int], baselines: Sequence[int]) -> list[tuple[int, int]]:
    """List the pairs to compare: all pairs, or every other run with each baseline.

    >>> _list_pairs([2, 0, 1], []), _list_pairs([2, 0, 1], [1])
    ([(2, 0), (2, 1), (0, 1)], [(2, 1), (0, 1)])
    """
    if not baselines:
        return [*combinations(order, 2)]
    return [(i, b) for index, b in enumerate(baselines) for i in order if i not in baselines[: index + 1]]


def _prepare_measures(
    scores: Scores, baselines: tuple[str, ...], groups: SystemRuns | None
) -> tuple[list[Matrix], list[list[tuple[int, int]]]]:
    """Return the scores of each measure, and its pairs, the best runs first."""
    parts = [_extract_measure(scores, measure) for measure in scores.measures]
    parts = _attach_runs(parts, scores.measures, groups)
    orders = [_order_runs(part, better) for part, better in zip(parts, scores.better, strict=True)]
    return parts, [_list_pairs(order, [*map(scores.runs.index, baselines)]) for order in orders]


def _compare_measures(
    scores: Scores,
    parts: list[Matrix],
    pairs_by_measure: list[list[tuple[int, int]]],
    alpha: float,
    baselines: tuple[str, ...],
    effect: str,
    testing: dict[str, Any],
    groups: SystemRuns | None,
    rank_trials: tuple[int, int] | None,
) -> Iterator[tuple[list[RunSummary], list[PairComparison], bool, list[Note], list[ComponentSummary]]]:
    """Yield runs, pairs, full enumeration, notes and components of each measure."""
    row = CORRECTIONS.get(testing["correction"])
    level = alpha / len(pairs_by_measure[0]) if row is not None and row.simultaneous else alpha
    tested = compare_each(parts, pairs_by_measure, confidence=1 - level, **testing)
    for m, measure in enumerate(scores.measures):
        effects, dz = (EFFECTS[name].compute(parts[m], pairs_by_measure[m]) for name in (effect, "dz"))
        pairs = [
            _build_pair(measure, parts[m], *values, alpha, scores.better[m])
            for values in zip(tested[m], effects, dz, count_signs(parts[m], pairs_by_measure[m]), strict=True)
        ]
        order = _order_runs(parts[m], scores.better[m])
        runs = [*_build_summaries(scores, measure, parts[m], order, pairs, alpha, baselines)]
        notes = [
            *extract_measure(scores, measure, turned=False).notes,
            *collect_pair_notes(measure, parts[m], tested[m], alpha),
        ]
        test_settings = testing["test"], testing["correction"], testing["trials"]
        notes += note_reach(measure, tested[m], *test_settings, alpha)
        if not baselines and not any(run.groups for run in runs):
            text = f"{measure}: more groups of runs than letters, so no letters are shown"
            notes.append(Note("letters", text))
        runs, pairs = _describe_clusters(runs, pairs, parts[m])
        kind = scores.better[m], scores.summaries[m]
        runs = _describe_systems(runs, parts[m], *kind, alpha, groups, rank_trials)
        enumerated = is_fully_enumerated(pair.outcome.sampled for pair in tested[m])
        if groups is None:
            yield runs, pairs, enumerated, notes, []
        else:
            notes += groups.note_reversals(parts[m], measure, pairs_by_measure[m])
            pairs = _describe_seeds(pairs, tested[m], parts[m], groups)
            yield runs, pairs, enumerated, notes, [*groups.estimate_components(parts[m], measure)]


def _attach_runs(parts: list[Matrix], measures: Sequence[str], groups: SystemRuns | None) -> list[Matrix]:
    """Return the matrices with the runs of systems, if there are any."""
    if groups is None:
        return parts
    return [groups.attach_runs(part, measure) for part, measure in zip(parts, measures, strict=True)]


def _describe_seeds(
    pairs: list[PairComparison], tested: Sequence[PairTest], part: Matrix, groups: SystemRuns
) -> list[PairComparison]:
    """Add the fields of pairs that depend on runs."""
    return [
        replace(pair, **groups.describe_pair(part, test.first, test.second, test.outcome))
        for pair, test in zip(pairs, tested, strict=True)
    ]


def _describe_clusters(
    runs: list[RunSummary], pairs: list[PairComparison], part: Matrix
) -> tuple[list[RunSummary], list[PairComparison]]:
    """Add the CR2 standard errors and design effects of topics in clusters."""
    if part.clusters is None:
        return runs, pairs
    clusters, columns = part.clusters, {name: part.values[:, i] for i, name in enumerate(part.systems)}

    def describe(values: Floats) -> dict[str, Any]:
        estimate = estimate_mean(values, clusters, TOLERANCE * part.scale)
        deff = None if math.isnan(estimate.deff) else estimate.deff
        return {"clusters": len(clusters), "se": estimate.se, "df": estimate.df, "deff": deff}

    return (
        [replace(run, **describe(columns[run.run])) for run in runs],
        [replace(pair, **describe(columns[pair.run] - columns[pair.other])) for pair in pairs],
    )


def _describe_systems(
    runs: list[RunSummary],
    part: Matrix,
    better: str,
    summary: str,
    alpha: float,
    groups: SystemRuns | None,
    rank_trials: tuple[int, int] | None,
) -> list[RunSummary]:
    """Add the intervals of systems of several runs, and the ranks."""
    fields: dict[str, dict[str, Any]] = {run.run: {} for run in runs}
    if groups is not None:
        for place, name in enumerate(part.systems):
            fields[name] |= groups.describe_system(part, place, alpha, summary)
    for name, ranks in (rank_part(part, better, alpha, groups, *rank_trials) if rank_trials else {}).items():
        fields[name] |= ranks
    return [replace(run, **fields[run.run]) for run in runs]


def _extract_measure(scores: Scores, measure: str) -> Matrix:
    """Extract the scores of a measure. Raise an error for fewer than two topics, or three clusters."""
    part = extract_matrix(scores, measure)
    if len(part.topics) < 2:
        raise InputError(f"{measure} of {format_count(len(part.topics), 'topic')}", "at least 2")
    if part.clusters is not None:
        check_cluster_count(part.clusters, f"{measure} of ")
    return part


def _order_runs(part: Matrix, better: str) -> list[int]:
    """Order the runs by mean, best first, or as given if no end is better."""
    if better == "neither":
        return list(range(len(part.systems)))
    sign = 1 if better == "lower" else -1
    means = unify_rounded(part.means, TOLERANCE * part.scale)
    return sorted(range(len(part.systems)), key=lambda i: sign * means[i])


def _build_pair(
    measure: str,
    part: Matrix,
    tested: PairTest,
    effect: float,
    dz: float,
    signs: tuple[int, int],
    alpha: float,
    better: str,
) -> PairComparison:
    outcome, sampled = tested.outcome, tested.outcome.sampled
    pvalue, verdict = tested.pvalue_at(alpha), choose_verdict(tested, signs, alpha, better)
    names = part.systems[tested.first], part.systems[tested.second]
    difference = float(part.means[tested.first] - part.means[tested.second])
    low, high = (tested.interval.low, tested.interval.high) if tested.interval else (math.nan,) * 2
    asl, error = (sampled.asl, sampled.error) if sampled else (None, None)
    estimates = low, high, outcome.statistic, pvalue, outcome.pvalue
    none_as_extreme = sampled is not None and sampled.count == 0 and pvalue == tested.pvalue
    n = len(part.topics)
    return PairComparison(
        measure, *names, n, difference, *estimates, asl, error, none_as_extreme, effect, dz,
        *count_wins(signs, n, better), verdict, tested.smallest_pvalue,
    )  # fmt: skip


def _build_summaries(
    scores: Scores,
    measure: str,
    part: Matrix,
    order: list[int],
    pairs: Sequence[PairComparison],
    alpha: float,
    baselines: tuple[str, ...],
) -> Iterator[RunSummary]:
    selected = scores.select(topics=list(part.topics), measures=[measure])
    intervals = selected.interval("t", confidence=1 - alpha)
    groups = [""] * len(order)
    if not baselines:
        names = [part.systems[i] for i in order]
        different = [(pair.run, pair.other) for pair in pairs if pair.pvalue <= alpha]
        groups = assign_letters(names, different) or groups
    against: dict[str, dict[str, Verdict]] = {run: {} for run in part.systems}
    for pair in pairs if baselines else ():
        against[pair.run][pair.other] = pair.verdict
        against[pair.other][pair.run] = _OPPOSITE[pair.verdict]
    for place, i in enumerate(order):
        run = part.systems[i]
        interval, verdicts = intervals[run][measure], against[run]
        yield RunSummary(
            measure, run, interval.n, interval.mean, interval.low, interval.high, groups[place],
            tuple(name for name in baselines if verdicts.get(name) == "better"),
            tuple(name for name in baselines if verdicts.get(name) == "worse"),
        )  # fmt: skip


def _note_identical(scores: Scores) -> Iterator[Note]:
    """Note runs with the same scores by every measure."""
    groups: dict[bytes, list[str]] = {}
    for run, values in zip(scores.runs, scores.values, strict=True):
        groups.setdefault(values.tobytes(), []).append(run)
    for names in groups.values():
        if len(names) > 1:
            same = f"{format_names(names, 'run')} have identical scores by every measure"
            text = f"{same}. Check that they are not copies."
            yield Note("identical", text)


def _note_uncorrected(tests: int, alpha: float) -> Iterator[Note]:
    """Note the family-wise error rate of several uncorrected tests."""
    if tests > 1:
        rate = family_wise_error(tests, alpha)
        tests_text = f"{format_count(tests, 'test')} by each measure, each at α = {alpha:g}, uncorrected"
        text = f"{tests_text}: with equal runs and independent tests, at least one would be"
        yield Note("family", f"{text} significant with probability {rate:.2f}")
