"""`suite`: comparisons of systems over several collections."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats
from cranfield.comparison import _list_pairs, _order_runs, _read_baselines
from cranfield.comparison.pairs import Verdict
from cranfield.comparison.suite_estimates import (
    SuiteEstimate,
    SuiteEstimator,
    SuitePart,
    SuiteSettings,
    build_outcome,
    extract_parts,
    mean,
    resample_macro_means,
)
from cranfield.comparison.suite_slices import SuiteSlice, SuiteSlicePair, SuiteSlices, compare_slices
from cranfield.comparison.systems import Seeds, SystemRuns, read_system_runs
from cranfield.data.run_systems import SystemsLike
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.suites import MissingRuns, SuiteScores, get_group, read_suite
from cranfield.scores import Note, Scores, format_first_notes
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.crossed import note_few_seeds
from cranfield.stats.crossed import summarise_ranks as summarise_resampled_ranks
from cranfield.stats.gate import Gate, Undecided
from cranfield.stats.measure_scores import extract_measure
from cranfield.stats.notes import merge_notes
from cranfield.stats.paired import build_t_outcome
from cranfield.stats.resampling import TRIALS
from cranfield.stats.result import Outcome, check_alpha, format_p, format_p_statement
from cranfield.stats.suites import (
    compute_tau2,
    compute_weights,
    measure_heterogeneity,
    note_few_collections,
    pool_collections,
)
from cranfield.tables import ResultTable
from cranfield.wording import escape_unprintable, format_count, format_names, suggest_keywords

_PAIRS_SHOWN = 10


@dataclass(frozen=True)
class SuiteCell:
    """Mean of a system on a collection, with an interval for other topics."""

    measure: str
    collection: str
    run: str
    topics: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SuiteRun:
    """Macro mean of a system over collections, with its ranks.

    `low` and `high` hold for other topics of these collections. `mean_rank` is the mean of its
    ranks on the collections. `best` is the fraction of resamples in which the system has the
    highest macro mean, and `rank_low` and `rank_high` are the interval of its rank. They are None
    if neither high nor low values are better.
    """

    measure: str
    run: str
    collections: int
    mean: float
    low: float
    high: float
    mean_rank: float | None
    best: float | None
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class SuiteDifference:
    """Difference of two systems on a collection: a row of the forest plot.

    `weight` is the weight of the collection in the pooled difference.
    """

    measure: str
    run: str
    other: str
    collection: str
    topics: int
    difference: float
    low: float
    high: float
    se: float
    weight: float


@dataclass(frozen=True)
class SuitePair:
    """Comparison of two systems over the collections of a suite.

    `difference` is the difference of macro means with the standard error `se` and `df` degrees of
    freedom. `low`, `high` and `pvalue` hold for other topics of these collections. `pvalue` is
    corrected for the number of pairs. `further_low`, `further_high` and `further_p` hold for the
    mean of collections like these, `prediction_low` and `prediction_high` for one further
    collection. Heterogeneity is Cochran's `q` with `q_pvalue`, `i2` and `tau`. `pooled` weights
    collections by their precision. `wins` counts collections on which the run is better.
    """

    measure: str
    run: str
    other: str
    collections: int
    topics: int
    difference: float
    se: float
    df: float
    low: float
    high: float
    pvalue: float
    uncorrected: float
    further_low: float
    further_high: float
    further_p: float | None
    prediction_low: float
    prediction_high: float
    q: float
    q_pvalue: float | None
    i2: float
    tau: float
    pooled: float
    pooled_low: float
    pooled_high: float
    wins: int
    ties: int
    losses: int
    verdict: Verdict
    seeds: int | None = None
    other_seeds: int | None = None
    seed_share: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Suite(TableResult):
    """Comparison of systems over several collections, by measure.

    `scores` has the scores of each collection, or of each part of one, `means` the mean of each
    system on each collection (as topics). `systems` maps systems to their runs. `seeds` is
    ``random`` or ``fixed``, or empty if every system has one run. `slices` and `slice_pairs` are macro
    means and comparisons on the slices of topics, if scores have attributes.
    """

    scores: Mapping[str, Scores]
    means: Scores
    cells: tuple[SuiteCell, ...]
    runs: tuple[SuiteRun, ...]
    forest: tuple[SuiteDifference, ...]
    pairs: tuple[SuitePair, ...]
    systems: Mapping[str, tuple[str, ...]]
    correction: str
    alpha: float
    trials: int
    seed: int
    baselines: tuple[str, ...] = ()
    seeds: str = ""
    standardise: bool = False
    notes: tuple[Note, ...] = ()
    slices: tuple[SuiteSlice, ...] = ()
    slice_pairs: tuple[SuiteSlicePair, ...] = ()

    @property
    def collections(self) -> tuple[str, ...]:
        """Names of the collections."""
        return self.means.topics

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return self.means.measures

    def pair(self, run: str, other: str, measure: str | None = None) -> SuitePair:
        """Return the comparison of two systems, by default for the first measure."""
        name = self.measures[0] if measure is None else str(measure)
        for pair in self.pairs:
            if (pair.run, pair.other, pair.measure) == (run, other, name):
                return pair
        names = [f"{p.run} – {p.other}" for p in self.pairs if p.measure == name]
        if not names:
            raise InputError(f"measure {name!r}", f"one of {format_names(self.measures, 'measure')}")
        raise InputError(f"the pair {run} – {other} by {name}", f"one of {format_names(names, 'pair')}")

    def gate(self, margin: float | None = None, undecided: Undecided = "fail") -> Gate:
        """Decide for every measure whether the systems may replace the baselines.

        Without a margin, a system fails if it is significantly worse than a baseline on these
        collections. Slices of topics have verdicts, too. With a margin, a system passes if its macro
        mean is not worse by more than the margin, and fails if it is worse, each with the confidence
        of the interval (see `cf.stats.within_margin`). Otherwise it is undecided, which fails, unless
        `undecided` is ``pass``. A margin is not defined with slices, clusters or standardised
        differences, and a gate is not defined for systems of several runs.

        >>> x = {"a": {"1": 0.5, "2": 0.6, "3": 0.4}, "b": {"1": 0.4, "2": 0.5, "3": 0.2}}
        >>> y = {"a": {"1": 0.2, "2": 0.3, "3": 0.4}, "b": {"1": 0.3, "2": 0.1, "3": 0.1}}
        >>> result = suite({"scifact": x, "nq": y}, baseline="b")
        >>> result.gate().passed, result.gate(margin=0.01).verdicts[0].decision
        (True, 'undecided')
        """
        from cranfield.comparison.suite_gates import build_suite_gate

        return build_suite_gate(self, margin, undecided)

    def _build_tables(self, pool: bool = False, gate: Gate | None = None) -> list[ResultTable]:
        from cranfield.comparison.suite_tables import build_tables

        return [*build_tables(self, pool), *([] if gate is None else gate._build_tables())]

    def _write_answer(self, gate: Gate | None = None) -> str:
        from cranfield.comparison.suite_tables import write_answer

        return write_answer(self) if gate is None else ""  # a gate prints its verdicts

    def _select_tables(self, format: str, gate: Gate | None = None) -> tuple[str, ...]:
        from cranfield.comparison.suite_tables import select_tables

        return (*select_tables(self, format), *(("verdicts",) if gate is not None and format == "json" else ()))

    def _build_settings(self) -> dict[str, Any]:
        from cranfield.comparison.suite_tables import build_settings

        return build_settings(self)

    def __repr__(self) -> str:
        pairs = [
            f"{p.measure}: {p.run} − {p.other} = {p.difference:+z.4f} "
            f"[{p.low:+z.4f}, {p.high:+z.4f}], {format_p_statement(format_p(p.pvalue))}"
            for p in self.pairs[:_PAIRS_SHOWN]
        ]
        runs, collections = len(self.means.runs), len(self.collections)
        head = f"Suite: {format_count(runs, 'system')} × {format_count(collections, 'collection')}, α = {self.alpha:g}"
        hidden = len(self.pairs) - len(pairs)
        more = [f"… {hidden} more in .pairs"] if hidden else []
        return "\n".join([*map(escape_unprintable, [head, *pairs]), *more, *format_first_notes(self.notes, runs)])


@suggest_keywords
def suite(
    collections: Any,
    runs: str | os.PathLike[str] | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    measures: Any = None,
    systems: SystemsLike = None,
    seeds: Seeds | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 0,
    missing: MissingRuns = "error",
    standardise: bool = False,
    lower: str | Sequence[Any] = (),
    evaluation: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Suite:
    """Compare systems over several collections.

    The macro mean is the mean over collections. Its difference has two intervals: for other topics
    of these collections (which decides the verdict), and for other collections like these.

    collections
        A TOML file (see `cranfield suite`), a directory with ``NAME/qrels/test.tsv``, or a mapping
        from names to scores (any input of `read_scores`) or to ``{"qrels": …, "runs": {name: …}}``.
        Parts such as ``cqadupstack/android`` are averaged first.
    runs
        For a directory of collections: a directory with ``SYSTEM/NAME.EXT``.
    baseline
        One system or several: every other system is compared with each of them. Default: all pairs.
    measures
        Default: the measures of the file, all measures of scores, or nDCG@10.
    systems, seeds
        Systems of several runs (seeds): ``{run: system}``, patterns such as ``dense-*``, or a file.
        ``random`` (default) generalises to other seeds, ``fixed`` uses means over these runs.
    correction, alpha
        ``holm`` (default), ``bonferroni``, ``bh`` or ``none``, for the pairs of each measure.
    trials, seed
        Resamples of topics for `best` and the intervals of ranks.
    missing
        Runs that are missing on a collection: ``error`` (default) or ``common``, which excludes
        collections that some systems lack.
    standardise
        If True, divide the differences of each collection by their standard deviation.
    lower
        Measures for which lower is better, as in `read_scores`.
    evaluation
        Options of `evaluate` for all collections: ``{"depth": 100}``. The value
        ``"{collection}/topics.csv:kind"`` of `by` or `clusters` has the name of each collection.

    >>> x = {"a": {"1": 0.5, "2": 0.6, "3": 0.4}, "b": {"1": 0.4, "2": 0.5, "3": 0.2}}
    >>> y = {"a": {"1": 0.2, "2": 0.3, "3": 0.4}, "b": {"1": 0.3, "2": 0.1, "3": 0.1}}
    >>> pair = suite({"scifact": x, "nq": y}).pair("a", "b")
    >>> round(pair.difference, 4), pair.collections, pair.topics
    (0.1333, 2, 6)
    """
    check_alpha(alpha)
    content = read_suite(collections, runs, measures, missing, evaluation, lower)
    system_runs = _read_groups(content, systems, seeds)
    groups = system_runs.groups
    mode = system_runs.seeds if any(len(names) > 1 for names in groups.values()) else ""
    if standardise and mode == "random":
        raise InputError.from_problem("standardised differences of random seeds", "Use --seeds fixed (seeds='fixed').")
    if standardise and any(scores.clusters for scores in content.scores.values()):
        raise InputError.from_problem("standardised differences of topics in clusters", "Omit --standardise.")
    chosen = "holm" if correction is None else correction
    check_choice("correction", chosen, CORRECTIONS)
    parts = [extract_parts(content, m) for m in range(len(content.measures))]
    means = _collect_means(content, parts, groups)
    baselines = _read_baselines(means, baseline)
    settings = SuiteSettings(groups, mode == "random", standardise, chosen, alpha, trials, seed, threads, baselines)
    results = [_compare_measure(means, m, parts[m], settings) for m in range(len(content.measures))]
    cells, rows, forest, pairs, slices, notes = zip(*results, strict=True)
    all_notes = (*content.notes, *_merge_collection_notes(content), *chain(*notes))
    all_notes += note_few_collections(len(means.topics)) + tuple(system_runs.note_runs())
    return Suite(
        content.scores,
        means,
        tuple(chain(*cells)),
        tuple(chain(*rows)),
        tuple(chain(*forest)),
        tuple(chain(*pairs)),
        groups,
        chosen,
        alpha,
        trials,
        seed,
        baselines,
        mode,
        standardise,
        all_notes,
        tuple(chain.from_iterable(x.slices for x in slices)),
        tuple(chain.from_iterable(x.pairs for x in slices)),
    )


# -- systems and parts ----------------------------------------------------------------------------


def _read_groups(content: SuiteScores, systems: SystemsLike, seeds: Seeds | None) -> SystemRuns:
    """Return the runs of each system."""
    first = next(iter(content.scores.values()))
    if content.systems:
        first = replace(first, systems={run: content.systems[run] for run in first.runs})
    groups = read_system_runs(first, systems, seeds)
    groups = groups or SystemRuns(first, {run: (run,) for run in first.runs}, "fixed")
    if len(groups.groups) < 2:
        raise InputError(format_names([*groups.groups], "system"), "a suite of at least 2 systems")
    return groups


def _collect_means(
    content: SuiteScores, parts: Sequence[Sequence[SuitePart]], groups: Mapping[str, tuple[str, ...]]
) -> Scores:
    """Return the means of systems on collections as scores, with collections as topics."""
    collections = tuple(dict.fromkeys(map(get_group, content.scores)))
    values = np.array(
        [
            [[_compute_mean(of_measure, name, names) for of_measure in parts] for name in collections]
            for names in groups.values()
        ]
    )
    first = next(iter(content.scores.values()))
    return Scores(
        values=values,
        runs=tuple(groups),
        topics=collections,
        measures=content.measures,
        summaries=("mean",) * len(content.measures),
        better=first.better,
    )


def _compute_mean(parts: Iterable[SuitePart], collection: str, runs: Sequence[str]) -> float:
    """Return the mean of a system on a collection, over parts, runs and topics."""
    in_collection = [part for part in parts if part.collection == collection]
    return mean([mean([mean(x) for x in part.get_runs(runs).T]) for part in in_collection])


# -- one measure ----------------------------------------------------------------------------------

_Results: TypeAlias = tuple[
    list[SuiteCell], list[SuiteRun], list[SuiteDifference], list[SuitePair], SuiteSlices, list[Note]
]


def _compare_measure(means: Scores, m: int, parts: Sequence[SuitePart], settings: SuiteSettings) -> _Results:
    """Return cells, runs, forest, pairs, slices and notes of a measure."""
    measure, better = means.measures[m], means.better[m]
    part = extract_measure(means, measure, turned=False).matrix
    order = _order_runs(part, better)
    names = [means.runs[i] for i in order]
    estimator = SuiteEstimator(parts, means.topics, settings)
    cells = [*_build_cells(means, measure, names, estimator)]
    runs = [*_build_runs(means, m, names, estimator)]
    pairs = _list_pairs(order, [*map(means.runs.index, settings.baselines)])
    estimates = [estimator.compare(means.runs[i], means.runs[j]) for i, j in pairs]
    forest = [*chain.from_iterable(_build_forest(measure, x, estimator) for x in estimates)]
    slices = compare_slices(estimator, measure, better, names, [(x.run, x.other) for x in estimates])
    notes = [*_collect_pair_notes(measure, estimates), *slices.notes]
    return cells, runs, forest, _build_pairs(measure, better, estimates, estimator), slices, notes


# -- rows -----------------------------------------------------------------------------------------


def _build_cells(means: Scores, measure: str, names: Sequence[str], estimator: SuiteEstimator) -> Iterator[SuiteCell]:
    for collection in means.topics:
        topics, own_measure = estimator.count_topics(collection), estimator.list_parts(collection)[0].measure
        for name in names:
            value = means[name, collection, measure]
            outcome = build_outcome(value, estimator.estimate_variance([name], [collection]), topics)
            ends = outcome.confidence_interval(estimator.confidence)
            yield SuiteCell(own_measure, collection, name, topics, value, ends.low, ends.high)


def _build_runs(means: Scores, m: int, names: Sequence[str], estimator: SuiteEstimator) -> Iterator[SuiteRun]:
    measure, settings = means.measures[m], estimator.settings
    sign = {"higher": 1.0, "lower": -1.0}.get(means.better[m])
    ranks: dict[str, Any] = {}
    mean_ranks: dict[str, float] = {}
    if sign is not None:
        tolerance = TOLERANCE * max(float(np.abs(part.values).max(initial=0.0)) for part in estimator.parts)
        samples = sign * resample_macro_means(estimator)
        rows = summarise_resampled_ranks([*settings.groups], samples, settings.alpha, tolerance)
        ranks = {row.system: row for row in rows}
        mean_ranks = dict(zip(means.runs, _compute_mean_ranks(sign * means.values[:, :, m], tolerance), strict=True))
    for name in names:
        value = mean(means.values[means.runs.index(name), :, m])
        outcome = build_outcome(value, estimator.estimate_variance([name], means.topics), len(means.topics))
        ends = outcome.confidence_interval(estimator.confidence)
        rank = ranks.get(name)
        of_ranks = (None,) * 3 if rank is None else (rank.best, rank.rank_low, rank.rank_high)
        interval = value, ends.low, ends.high
        yield SuiteRun(measure, name, len(means.topics), *interval, mean_ranks.get(name), *of_ranks)


def _compute_mean_ranks(values: Floats, tolerance: float) -> list[float]:
    """Return the mean rank of each system, from values [systems, collections]; ties share ranks."""
    lead = values[None] - values[:, None]
    better, tied = (lead > tolerance).sum(axis=1), (np.abs(lead) <= tolerance).sum(axis=1) - 1
    return [mean(row) for row in 1.0 + better + tied / 2]


def _build_forest(measure: str, estimate: SuiteEstimate, estimator: SuiteEstimator) -> Iterator[SuiteDifference]:
    has_weights = bool((estimate.v > 0).all())
    weights = compute_weights(estimate.v, compute_tau2(estimate.d, estimate.v)) if has_weights else None
    for k, collection in enumerate(estimator.collections):
        systems = (estimate.run, estimate.other)
        variance = estimator.estimate_variance(systems, [collection])
        outcome = build_outcome(float(estimate.d[k]), variance, estimator.count_topics(collection))
        ends = outcome.confidence_interval(estimator.confidence)
        weight = math.nan if weights is None else float(weights[k])
        topics = estimator.count_topics(collection)
        interval = float(estimate.d[k]), ends.low, ends.high, float(variance.se), weight
        yield SuiteDifference(measure, *systems, collection, topics, *interval)


def _build_pairs(
    measure: str, better: str, estimates: Sequence[SuiteEstimate], estimator: SuiteEstimator
) -> list[SuitePair]:
    settings = estimator.settings
    row = CORRECTIONS[settings.correction]
    level = settings.alpha / len(estimates) if row.simultaneous else settings.alpha
    outcomes = [build_outcome(mean(x.d), x.variance, len(x.d)) for x in estimates]
    uncorrected = [outcome.pvalue for outcome in outcomes]
    pvalues = row(uncorrected).pvalues if len(uncorrected) > 1 else uncorrected
    return [
        _build_pair(measure, better, estimate, outcome, float(pvalue), level, estimator)
        for estimate, outcome, pvalue in zip(estimates, outcomes, pvalues, strict=True)
    ]


def _build_pair(
    measure: str,
    better: str,
    estimate: SuiteEstimate,
    outcome: Outcome,
    pvalue: float,
    level: float,
    estimator: SuiteEstimator,
) -> SuitePair:
    settings, K = estimator.settings, len(estimate.d)
    sign = -1 if better == "lower" else 1
    difference = outcome.difference
    verdict: Verdict = ""
    if pvalue <= settings.alpha and better != "neither" and difference:
        verdict = "better" if sign * difference > 0 else "worse"
    ends = outcome.confidence_interval(1 - level)
    wins, losses = (int((side * sign * estimate.d > 0).sum()) for side in (1, -1))
    numbers = _describe_further(estimate, difference, level) | _describe_heterogeneity(estimate, settings.alpha)
    if max(map(len, settings.groups.values())) > 1:
        share = float(estimate.variance.seed_share) if settings.random_seeds else None
        numbers |= {"seeds": estimate.seeds[0], "other_seeds": estimate.seeds[1], "seed_share": share}
    return SuitePair(
        measure=measure,
        run=estimate.run,
        other=estimate.other,
        collections=K,
        topics=sum(map(estimator.count_topics, estimator.collections)),
        difference=difference,
        se=float(estimate.variance.se),
        df=float(estimate.variance.df),
        low=ends.low,
        high=ends.high,
        pvalue=pvalue,
        uncorrected=outcome.pvalue,
        wins=wins,
        ties=K - wins - losses,
        losses=losses,
        verdict=verdict,
        **numbers,
    )


def _describe_further(estimate: SuiteEstimate, difference: float, level: float) -> dict[str, Any]:
    """Return interval and p for collections like these, and the prediction interval."""
    names = "further_low", "further_high", "prediction_low", "prediction_high"
    if estimate.like_these is None:
        return {**dict.fromkeys(names, math.nan), "further_p": None}
    K, like_these = len(estimate.d), estimate.like_these
    outcome = build_outcome(difference, like_these, K)
    mean_interval = outcome.confidence_interval(1 - level)
    further = build_t_outcome("", difference, estimate.prediction, float(like_these.df), K, "", "two-sided", ())
    prediction = further.confidence_interval(1 - level)
    ends = mean_interval.low, mean_interval.high, prediction.low, prediction.high
    return {**dict(zip(names, ends, strict=True)), "further_p": outcome.pvalue}


def _describe_heterogeneity(estimate: SuiteEstimate, alpha: float) -> dict[str, Any]:
    """Return Q, its p, I², τ, and the pooled difference with its interval."""
    names = "q", "i2", "tau", "pooled", "pooled_low", "pooled_high"
    if not (estimate.v > 0).all():
        return {**dict.fromkeys(names, math.nan), "q_pvalue": None}
    spread = measure_heterogeneity(estimate.d, estimate.v)
    pooled = pool_collections(estimate.d, estimate.v)
    ends = pooled.confidence_interval(1 - alpha)
    values = spread.q, spread.i2, spread.tau, pooled.difference, ends.low, ends.high
    return {**dict(zip(names, values, strict=True)), "q_pvalue": spread.pvalue}


# -- notes ----------------------------------------------------------------------------------------


def _merge_collection_notes(content: SuiteScores) -> Iterator[Note]:
    """Yield one note of each kind about the scores, with the number of other runs and collections."""
    by_kind: dict[str, list[tuple[str, Note]]] = {}
    for name, scores in content.scores.items():
        of_measures = (extract_measure(scores, measure, turned=False).notes for measure in scores.measures)
        for note in (*scores.notes, *chain.from_iterable(of_measures)):
            by_kind.setdefault(note.kind, []).append((name, note))
    for kind, named in by_kind.items():
        (name, note), *others = named
        text = f"{name}: {note.text.rstrip('.')}"
        if others:
            collections = format_count(len({name for name, _ in named}), "collection")
            counted = f"{format_count(len(others), 'other run')} on {collections}"
            text += f". Also affected: {collections if note.run is None else counted}"
        yield Note(kind, text, note.run)


def _collect_pair_notes(measure: str, estimates: Sequence[SuiteEstimate]) -> Iterator[Note]:
    """Note collections without variance, identical systems, and too few seeds."""
    named: list[tuple[str, Note]] = []
    for estimate in estimates:
        subject = f"{measure}, {estimate.run} – {estimate.other}"
        if not estimate.d.any() and not estimate.v.any():
            named.append((subject, Note("identical", "identical scores on all collections")))
        elif not (estimate.v > 0).all():
            count = format_count(int((estimate.v == 0).sum()), "collection")
            text = f"equal differences on all topics of {count}: no heterogeneity and no pooled difference"
            named.append((subject, Note("constant", text)))
        named += [(subject, note) for note in _note_seeds(estimate)]
    yield from merge_notes(named, "pair")


def _note_seeds(estimate: SuiteEstimate) -> tuple[Note, ...]:
    share = float(estimate.variance.seed_share)
    return note_few_seeds(*estimate.seeds, share) if share > 0 else ()
