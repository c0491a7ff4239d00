"""`compare`: differences of runs with intervals, p-values and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.arrays import (
    TOLERANCE,
    Floats,
    estimate_rounding,
    subtract_rounded,
    unify_rounded,
)
from cranfield.assess.teams import TeamBest, select_best_runs
from cranfield.comparison.systems import (
    ComponentSummary,
    Seeds,
    SystemRuns,
    choose_system_test,
    describe_run_count,
    rank_part,
    read_system_runs,
)
from cranfield.data.run_systems import SystemsLike
from cranfield.data.tracks import TeamsLike
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError, check_choice, describe_value, to_list
from cranfield.evaluation.results import Missing, ScoresLike, read_scores
from cranfield.scores import Note, Scores, format_first_notes
from cranfield.stats.corrections import CORRECTIONS, family_wise_error
from cranfield.stats.effects import EFFECTS, EffectName, get_default_effect
from cranfield.stats.families import (
    TESTS,
    PairTest,
    choose_test,
    compare_each,
    count_required_topics,
    name_subjects,
    note_reach,
)
from cranfield.stats.few_topics import is_out_of_reach
from cranfield.stats.gate import Gate, GateVerdict, Undecided, check_margin, within_margin
from cranfield.stats.letters import assign_letters
from cranfield.stats.measure_scores import (
    MeasureScores,
    drop_standard_errors,
    extract_measure,
    find_ranking_measures,
    format_reasons,
    get_sign,
)
from cranfield.stats.notes import merge_notes, note_trials
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import check_alpha, format_p, format_p_statement, is_fully_enumerated
from cranfield.stats.samples import Matrix
from cranfield.tables import ResultTable
from cranfield.wording import escape_unprintable, format_count, format_names, suggest_keywords

Verdict: TypeAlias = Literal["better", "worse", ""]
_OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better", "": ""}
_PAIRS_SHOWN = 10
_PAIRS_PER_BLOCK = 4096  # pairs whose differences are in memory together


@dataclass(frozen=True)
class RunSummary:
    """Mean of a run by one measure, with an interval.

    `groups` are letters: runs with a common letter are not significantly different. `better_than`
    and `worse_than` are the baselines with a significant difference. For systems of several runs,
    `seeds` is their number, and `se` and `df` belong to the crossed interval. `best` is the fraction
    of resamples in which the run is best, and `rank_low` and `rank_high` are quantiles of its rank.
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
    `reversals` the fraction of pairs of single runs with means in the opposite order.
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
    resamples of ranks.
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
        ``pass``.

        >>> x = {f"q{i}": i / 10 for i in range(8)}
        >>> y = {topic: value - 0.01 for topic, value in x.items()}
        >>> comparison = compare({"old": x, "new": y}, baseline="old")
        >>> comparison.gate().passed, comparison.gate(margin=0.02).passed
        (False, True)
        """
        if self.systems:
            problem = "the check for worse runs is not defined for systems of several runs"
            raise InputError.from_problem(problem, "Compare single runs.")
        if not self.baselines:
            problem = "the comparison has no baseline"
            raise InputError.from_problem(problem, "Use compare(…, baseline=…).")
        if margin is not None:
            check_margin(margin, self.alpha)
        check_choice("undecided", undecided, Undecided)
        measures, excluded = find_ranking_measures(self.scores)
        if not measures:
            raise InputError(f"no measure to decide by{format_reasons(excluded)}", "a measure that ranks runs")
        notes = tuple(
            Note("no-verdict", f"{name} has no verdict: neither high nor low values are better")
            for name in self.scores.measures
            if name not in measures
        )
        verdicts = [
            self._build_verdict(pair, margin)
            for pair in self.pairs
            if pair.measure in measures and pair.run not in self.baselines
        ]
        estimates = TESTS[self.test].estimates
        estimated = "" if "mean" in estimates else f" of {estimates}"
        trials = None if self.enumerated else self.trials
        settings = self.test, self.alpha, margin, undecided, estimated, trials, notes
        return Gate(tuple(verdicts), *settings)

    def _build_verdict(self, pair: PairComparison, margin: float | None) -> GateVerdict:
        part = extract_measure(self.scores, pair.measure, turned=False).matrix
        x, y = (part.values[:, part.systems.index(run)] for run in (pair.run, pair.other))
        sign = get_sign(self.scores, pair.measure)
        verdict = GateVerdict(
            pair.measure, pair.run, pair.other,
            "fail" if pair.verdict == "worse" else "pass",
            pair.topics, pair.difference, self._compute_relative(pair), pair.low, pair.high,
            pair.pvalue,
            pair.wins, pair.ties, pair.losses, sign < 0, shown_p=self.shown_p(pair),
        )  # fmt: skip
        if margin is None:
            z = np.where(np.abs(x - y) <= TOLERANCE * part.scale, 0.0, x - y)
            return self._mark_undecided(replace(verdict, least=self._compute_smallest_p(pair, z)), pair, z)
        trials, seed = self.trials or TRIALS, self.seed or 0
        result = within_margin(sign * x, sign * y, margin, self.alpha, trials, seed)
        low, high = sorted((sign * result.interval.low, sign * result.interval.high))
        b_low, b_high = sorted((sign * result.bootstrap.low, sign * result.bootstrap.high))
        return replace(
            verdict,
            decision=result.decision,
            low=low,
            high=high,
            bootstrap_low=b_low,
            bootstrap_high=b_high,
            by_bootstrap=result.by_bootstrap,
            needed=result.needed,
        )

    def _mark_undecided(self, verdict: GateVerdict, pair: PairComparison, z: Floats) -> GateVerdict:
        """Return the verdict, undecided if no loss could have been significant."""
        hopeless = is_out_of_reach(pair.smallest_pvalue, self.alpha)
        verdict = replace(verdict, smallest=pair.smallest_pvalue)
        if verdict.decision == "fail" or not (hopeless or self._is_unseen_loss(verdict)):
            return verdict
        pairs = sum(p.measure == pair.measure for p in self.pairs)
        level = self.alpha / (pairs if CORRECTIONS[self.correction].family_wise else 1)
        if self.trials and not self.enumerated and is_out_of_reach(1 / (self.trials + 1), level):
            return replace(verdict, decision="undecided")  # too few trials, not topics
        if hopeless:
            required_topics: int | None = count_required_topics(self.test, level)
        else:  # topics that differ
            n, differ = len(z), int(np.count_nonzero(z))
            more = ((k, (np.arange(n) < k) * np.arange(1.0, n + 1)) for k in range(differ + 1, n))
            least = ((k, self._compute_smallest_p(pair, signs)) for k, signs in more)
            required_topics = next((k for k, p in least if p is not None and p <= self.alpha), n)
        return replace(verdict, decision="undecided", needed=required_topics)

    def _is_unseen_loss(self, verdict: GateVerdict) -> bool:
        """Return True for a loss on too few topics to be significant."""
        if verdict.least is None or not is_out_of_reach(verdict.least, self.alpha):
            return False
        worse = -verdict.difference if verdict.lower_is_better else verdict.difference
        return worse < 0 or verdict.losses > verdict.wins

    def _compute_relative(self, pair: PairComparison) -> float | None:
        """Return the difference of the means divided by the mean of the other run."""
        means = {run.run: run.mean for run in self.runs if run.measure == pair.measure}
        return means[pair.run] / means[pair.other] - 1 if means[pair.other] > 0 else None

    def _compute_smallest_p(self, pair: PairComparison, z: Floats) -> float | None:
        """Return the smallest p-value of a pair that differs on these topics."""
        smallest_p = TESTS[self.test].smallest_p
        if smallest_p is None:
            return None
        family = [p for p in self.pairs if p.measure == pair.measure]
        trial_limit = 0.0 if self.trials is None or self.enumerated else 1 / (self.trials + 1)
        least = max(smallest_p(z), trial_limit)
        pvalues = [least if p is pair else p.uncorrected for p in family]
        return float(CORRECTIONS[self.correction](pvalues).pvalues[family.index(pair)])

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
        Resample topics (and runs of systems): how often each run is best, and intervals of ranks.

    >>> x = {f"q{i}": i / 10 for i in range(8)}
    >>> y = {topic: value + 0.1 for topic, value in x.items()}
    >>> comparison = compare({"bm25": x, "dense": y}, baseline="bm25")
    >>> pair = comparison.pair("dense", "bm25")
    >>> round(pair.difference, 4), pair.pvalue, pair.wins, pair.verdict  # p = 2 / 2 ** 8
    (0.1, 0.0078125, 8, 'better')
    """
    read = drop_standard_errors(read_scores(scores, missing, measures, lower))
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
    results = _compare_measures(read, alpha, baselines, effect_name, testing, groups, rank_trials)
    runs, pairs, enumerated, result_notes, components = zip(*results, strict=True)
    notes = [*team_notes, *read.notes, *chain(*result_notes)]
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
    )


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


def _compare_measures(
    scores: Scores,
    alpha: float,
    baselines: tuple[str, ...],
    effect: str,
    testing: dict[str, Any],
    groups: SystemRuns | None,
    rank_trials: tuple[int, int] | None,
) -> Iterator[tuple[list[RunSummary], list[PairComparison], bool, list[Note], list[ComponentSummary]]]:
    """Yield runs, pairs, full enumeration, notes and components of each measure."""
    extracted = [_extract_measure(scores, measure) for measure in scores.measures]
    parts = _attach_runs([scores_part.matrix for scores_part in extracted], scores.measures, groups)
    orders = [_order_runs(part, better) for part, better in zip(parts, scores.better, strict=True)]
    pairs_by_measure = [_list_pairs(order, [*map(scores.runs.index, baselines)]) for order in orders]
    row = CORRECTIONS.get(testing["correction"])
    level = alpha / len(pairs_by_measure[0]) if row is not None and row.simultaneous else alpha
    tested = compare_each(parts, pairs_by_measure, confidence=1 - level, **testing)
    for m, measure in enumerate(scores.measures):
        effects, dz = (EFFECTS[name].compute(parts[m], pairs_by_measure[m]) for name in (effect, "dz"))
        pairs = [
            _build_pair(measure, parts[m], *values, alpha, scores.better[m])
            for values in zip(tested[m], effects, dz, _count_signs(parts[m], pairs_by_measure[m]), strict=True)
        ]
        runs = [*_build_summaries(scores, measure, parts[m], orders[m], pairs, alpha, baselines)]
        notes = [*extracted[m].notes, *_collect_notes(measure, parts[m], tested[m], alpha)]
        test_settings = testing["test"], testing["correction"], testing["trials"]
        notes += note_reach(measure, tested[m], *test_settings, alpha)
        if not baselines and not any(run.groups for run in runs):
            text = f"{measure}: more groups of runs than letters, so no letters are shown"
            notes.append(Note("letters", text))
        runs = _describe_systems(runs, parts[m], scores.better[m], alpha, groups, rank_trials)
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


def _describe_systems(
    runs: list[RunSummary],
    part: Matrix,
    better: str,
    alpha: float,
    groups: SystemRuns | None,
    rank_trials: tuple[int, int] | None,
) -> list[RunSummary]:
    """Add the intervals of systems of several runs, and the ranks."""
    fields: dict[str, dict[str, Any]] = {run.run: {} for run in runs}
    if groups is not None:
        for place, name in enumerate(part.systems):
            fields[name] |= groups.describe_system(part, place, alpha)
    for name, ranks in (rank_part(part, better, alpha, groups, *rank_trials) if rank_trials else {}).items():
        fields[name] |= ranks
    return [replace(run, **fields[run.run]) for run in runs]


def _extract_measure(scores: Scores, measure: str) -> MeasureScores:
    """Extract the scores of a measure. Raise an error for fewer than two topics."""
    extracted = extract_measure(scores, measure, turned=False)
    if len(extracted.matrix.topics) < 2:
        text = f"{measure} of {format_count(len(extracted.matrix.topics), 'topic')}"
        raise InputError(text, "at least 2")
    return extracted


def _order_runs(part: Matrix, better: str) -> list[int]:
    """Order the runs by mean, best first, or as given if no end is better."""
    if better == "neither":
        return list(range(len(part.systems)))
    sign = 1 if better == "lower" else -1
    means = unify_rounded(part.means, TOLERANCE * part.scale)
    return sorted(range(len(part.systems)), key=lambda i: sign * means[i])


def _count_signs(part: Matrix, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Count the topics on which the first run of each pair scores higher, and lower."""
    for begin in range(0, len(pairs), _PAIRS_PER_BLOCK):
        first, second = np.array(pairs[begin : begin + _PAIRS_PER_BLOCK]).T
        z = subtract_rounded(part.values[:, first], part.values[:, second], TOLERANCE * part.scale)
        yield from zip((z > 0).sum(axis=0).tolist(), (z < 0).sum(axis=0).tolist(), strict=True)


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
    (higher, lower), sign = signs, -1 if better == "lower" else 1
    outcome, sampled = tested.outcome, tested.outcome.sampled
    verdict: Verdict = ""
    pvalue = tested.pvalue_at(alpha)
    if pvalue <= alpha and better != "neither":
        # The sign of the estimate of the test. If it is 0 (a median), the sign of the wins.
        direction = outcome.difference or higher - lower
        verdict = "better" if sign * direction > 0 else "worse"
    names = part.systems[tested.first], part.systems[tested.second]
    difference = float(part.means[tested.first] - part.means[tested.second])
    low, high = (tested.interval.low, tested.interval.high) if tested.interval else (math.nan,) * 2
    asl, error = (sampled.asl, sampled.error) if sampled else (None, None)
    estimates = low, high, outcome.statistic, pvalue, outcome.pvalue
    none_as_extreme = sampled is not None and sampled.count == 0 and pvalue == tested.pvalue
    n, won, lost = len(part.topics), *signs[::sign]
    counts = won, n - won - lost, lost
    return PairComparison(
        measure, *names, n, difference, *estimates, asl, error, none_as_extreme, effect, dz,
        *counts, verdict, tested.smallest_pvalue,
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


def _collect_notes(measure: str, part: Matrix, tested: Sequence[PairTest], alpha: float) -> tuple[Note, ...]:
    """Collect the notes of the tests, each kind once.

    Whether there are too few trials depends on the significance level.
    """
    notes: list[tuple[PairTest, list[Note]]] = []
    for pair in tested:
        sampled = pair.outcome.sampled
        useless = {"trials"} | ({"few-topics", "far"} if pair.is_hopeless(alpha) else set())
        useless |= {"far"} if pair.pvalue <= alpha else set()  # only for undecided pairs
        of_pair = [note for note in pair.outcome.notes if note.kind not in useless]
        if sampled is not None and not pair.is_hopeless(alpha):
            of_pair += note_trials(sampled, alpha, pair.pvalue)
        notes.append((pair, of_pair))
    return merge_notes(name_subjects(measure, part.systems, notes), "pair")
