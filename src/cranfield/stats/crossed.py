"""Systems with several runs (seeds): means, differences and ranks for other topics and seeds.

The runs of a system share its topics, so topics and seeds are crossed. Functions compute on arrays
[…, topics, runs]: leading axes are repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, Ints, estimate_rounding, subtract_rounded
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, describe_value
from cranfield.lazy_imports import special
from cranfield.scores import Note
from cranfield.scores.clusters import Clusters, compute_cr2_error
from cranfield.stats.notes import note_constant, note_identical, note_skewness
from cranfield.stats.paired import Alternative, build_t_outcome
from cranfield.stats.resampling import TRIALS, Progress, run_in_chunks
from cranfield.stats.result import Outcome
from cranfield.stats.samples import Axes, Matrix, Systems, Topics, mean, to_matrix
from cranfield.wording import format_count, suggest_keywords

__all__ = ["CrossedOutcome", "RankSummary", "SeedComponents", "crossed", "rank_systems", "seed_components"]

SHARE = 0.5  # share of seeds in the variance from which 2 seeds are too few
FEW_RUNS = 3  # seeds that are too few against one run
REVERSED = 0.05  # fraction of pairs of runs in the opposite order that is reported
_CELLS = 1 << 20  # resampled values in memory: 8 MB


@dataclass(frozen=True)
class Term:
    """Part of a variance, with its degrees of freedom. Both can be arrays of repetitions."""

    value: Any
    df: Any


@dataclass(frozen=True)
class SeedTerm:
    """Variance of the mean of a system's runs: `between` runs, minus what the `within` terms explain.

    `between` is v / s, and `within` is M / (n s), or one such term for each collection. Without
    `within`, nothing is subtracted.
    """

    between: Term
    within: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Variance:
    """Variance of an estimate, its degrees of freedom, and the share of seeds."""

    value: Any
    df: Any
    seed_share: Any

    @property
    def se(self) -> Any:
        """Standard error."""
        return np.sqrt(self.value)


@dataclass(frozen=True)
class SeedComponents:
    """Components of the variance of a system's scores, and its lowest and highest run mean.

    `var_topic` is the variance between topics, `var_seed` between runs, and `var_rest` of topics ×
    runs. Negative estimates are 0.
    """

    seeds: int
    topics: int
    var_topic: float
    var_seed: float
    var_rest: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class CrossedOutcome(Outcome):
    """Result of `crossed`: also standard error, numbers of seeds and share of seeds.

    `seed_share` is the fraction of the variance of the difference that is due to seeds.
    `reversals` is the fraction of pairs of single runs with means in the opposite order.
    """

    se: float = math.nan
    seeds: int = 1
    other_seeds: int = 1
    seed_share: float = 0.0
    reversals: float = 0.0


@dataclass(frozen=True)
class RankSummary:
    """How often a system is best in resamples, and the interval of its rank.

    The numbers are fractions of resamples and their quantiles, not probabilities of truth.
    """

    system: str
    best: float
    rank_low: int
    rank_high: int


# -- variances ------------------------------------------------------------------------------------


def combine_terms(topics: Sequence[Term], seeds: Sequence[SeedTerm] = ()) -> Variance:
    """Add the terms of topics and seeds, with degrees of freedom by Satterthwaite.

    V = Σ topics + Σ_a max(0, between_a − Σ within_a)
    ν = V² / Σ (term² / df of the term), at least 1 and at most the ν of the topics alone

    >>> variance = combine_terms([Term(0.5, 4)], [SeedTerm(Term(0.75, 2), (Term(0.25, 8),))])
    >>> variance.value.item(), round(variance.df.item(), 4), variance.seed_share.item()
    (1.0, 2.8444, 0.5)
    """
    zero = np.float64(0.0)
    topic_sum = sum((term.value for term in topics), zero)
    seed_sum = sum(
        (np.maximum(0.0, a.between.value - sum((term.value for term in a.within), zero)) for a in seeds), zero
    )
    all_terms = [*topics, *(term for a in seeds for term in (a.between, *a.within))]
    value = topic_sum + seed_sum
    limit = _compute_df(topic_sum, topics)
    return Variance(
        value,
        np.clip(_compute_df(value, all_terms), 1.0, np.maximum(limit, 1.0)),
        np.divide(seed_sum, value, out=np.zeros_like(value), where=value > 0),
    )


def _compute_df(value: Any, terms: Sequence[Term]) -> Any:
    """Return V² / Σ (term² / df), or the smallest df if all terms are 0."""
    value = np.asarray(value, dtype=np.float64)
    divisor = np.asarray(sum(term.value**2 / term.df for term in terms), dtype=np.float64)
    least = np.array(np.minimum.reduce([np.broadcast_to(term.df, value.shape) for term in terms]), dtype=np.float64)
    return np.divide(value**2, divisor, out=least, where=divisor > 0)


def build_topic_term(differences: Floats, tolerance: float = 0.0, clusters: Clusters | None = None) -> Term:
    """Return s² / n of values [..., topics], or the CR2 variance of values [topics] in clusters."""
    if clusters is not None:
        return Term(np.float64(compute_cr2_error(differences, clusters, tolerance) ** 2), clusters.df)
    n = differences.shape[-1]
    variance = differences.var(axis=-1, ddof=1) * (np.ptp(differences, axis=-1) > tolerance)
    return Term(variance / n, n - 1)


def build_seed_terms(values: Floats, subtracts: bool = True) -> tuple[SeedTerm, ...]:
    """Return the term of a system [..., topics, runs], or none for one run."""
    n, s = values.shape[-2:]
    if s == 1:
        return ()
    between, rest = measure_runs(values)
    if not subtracts:
        return (SeedTerm(Term(between / s, s - 1)),)
    return (SeedTerm(Term(between / s, s - 1), (Term(rest / (n * s), (n - 1) * (s - 1)),)),)


def measure_runs(values: Floats) -> tuple[Any, Any]:
    """Return v, the variance of the run means, and M, the mean square of topics × runs.

    >>> v, rest = measure_runs(np.array([[0.4, 0.5], [0.5, 0.6], [0.6, 0.8], [0.3, 0.3]]))
    >>> round(v.item(), 6), round(rest.item(), 6)
    (0.005, 0.003333)
    """
    n, s = values.shape[-2:]
    tolerance = TOLERANCE * np.abs(values).max(axis=(-2, -1), initial=0.0)
    run_means = values.mean(axis=-2)
    rest = values - run_means[..., None, :] - values.mean(axis=-1, keepdims=True)
    rest += values.mean(axis=(-2, -1), keepdims=True)
    rest = np.where(np.abs(rest) <= tolerance[..., None, None], 0.0, rest)
    between = run_means.var(axis=-1, ddof=1) * (np.ptp(run_means, axis=-1) > tolerance)
    return between, (rest**2).sum(axis=(-2, -1)) / ((n - 1) * (s - 1))


def estimate_variance(x: Floats, y: Floats | None = None, clusters: Clusters | None = None) -> Variance:
    """Return the variance of the mean of a system [..., topics, runs], or of a difference.

    With clusters of topics, the CR2 variance replaces s² / n, and nothing is subtracted from the
    variance of seeds.

    >>> x = np.array([[0.4, 0.5], [0.5, 0.6], [0.6, 0.8], [0.3, 0.3]])
    >>> variance = estimate_variance(x)
    >>> round(variance.se.item(), 6), variance.df.item()
    (0.095743, 3.0)
    """
    z = x.mean(axis=-1) if y is None else x.mean(axis=-1) - y.mean(axis=-1)
    tolerance = estimate_rounding(x) if y is None else estimate_rounding(x, y)
    subtracts = clusters is None
    seeds = build_seed_terms(x, subtracts) + (() if y is None else build_seed_terms(y, subtracts))
    return combine_terms([build_topic_term(z, tolerance, clusters)], seeds)


def compute_t_half(variance: Variance, confidence: float) -> Any:
    """Return half the width of the t interval."""
    return special.stdtrit(variance.df, (1 + confidence) / 2) * variance.se


# -- two systems ----------------------------------------------------------------------------------


@suggest_keywords
def crossed(
    x: Systems,
    y: Systems,
    topics: Topics = "same",
    alternative: Alternative = "two-sided",
    axes: Axes | None = None,
) -> CrossedOutcome:
    """Compare two systems with several runs (seeds) each, for other topics and other seeds.

    V = s_d² / n + Σ_a max(0, v_a / s_a − M_a / (n s_a)),   t = d̄ / √V with ν degrees of freedom
    ν = V² / (A + B + C), at least 1 and at most n − 1
    A = (s_d² / n)² / (n − 1),   B = Σ_a (v_a / s_a)² / (s_a − 1)
    C = Σ_a (M_a / (n s_a))² / ((n − 1)(s_a − 1))

    d is the difference of the means over runs, by topic, s_d² its variance, v_a the variance of the
    s_a run means of system a, and M_a its mean square of topics × runs. A system of one run adds no
    term: the interval is then for this run, and holds for the system if it is deterministic. Runs of
    the two systems are not paired. The note ``few-seeds`` reports numbers of seeds for which
    simulated coverage was below the nominal one.

    `x` and `y` are the runs of one system each: Scores of one measure, ``{run: {topic: score}}``, or
    an array with its `axes`, ``("topics", "runs")`` or ``("runs", "topics")``.

    Reference: Satterthwaite 1946, An approximate distribution of estimates of variance components,
    Biometrics Bulletin; Searle, Casella and McCulloch 1992, Variance Components.

    >>> dense = {"s1": [0.4, 0.5, 0.6, 0.3], "s2": [0.5, 0.6, 0.8, 0.3]}
    >>> bm25 = {"s1": [0.3, 0.4, 0.5, 0.3], "s2": [0.3, 0.5, 0.4, 0.2]}
    >>> outcome = crossed(dense, bm25)
    >>> round(outcome.difference, 4), round(outcome.se, 4), round(outcome.pvalue, 4)
    (0.1375, 0.0625, 0.1575)
    """
    return compare_runs(*_align_runs(x, y, topics, axes), alternative)


def compare_runs(
    x: Floats, y: Floats, alternative: Alternative = "two-sided", clusters: Clusters | None = None
) -> CrossedOutcome:
    """Compute `crossed` from arrays [topics, runs], of topics in clusters if given."""
    tolerance = estimate_rounding(x, y)
    x_means, y_means = (np.array([*map(mean, values)]) for values in (x, y))
    z = subtract_rounded(x_means, y_means, tolerance)
    variance = estimate_variance(x, y, clusters)
    seeds, share = (x.shape[1], y.shape[1]), float(variance.seed_share)
    notes = note_identical(z) or note_constant(z, tolerance) or note_skewness(z)
    notes += note_few_seeds(*seeds, share)
    assumed = "topics and runs are random samples, and effects of topics and runs are normal"
    outcome = build_t_outcome(
        "crossed t-test", mean(z), float(variance.se), float(variance.df), len(z), assumed, alternative, notes
    )
    return CrossedOutcome(
        **{name: getattr(outcome, name) for name in Outcome.__dataclass_fields__},
        se=float(variance.se),
        seeds=seeds[0],
        other_seeds=seeds[1],
        seed_share=share,
        reversals=count_reversals(x, y),
    )


def compare_clustered_runs(
    matrix: Matrix, clusters: Clusters, pairs: Sequence[tuple[int, int]], progress: Progress | None = None
) -> Iterator[CrossedOutcome]:
    """Compare the runs of pairs of systems on topics in clusters."""
    for i, j in pairs:
        yield compare_runs(matrix.replicates[i], matrix.replicates[j], clusters=clusters)
        if progress is not None:
            progress(1)


def _align_runs(x: Systems, y: Systems, topics: Topics, axes: Axes | None) -> tuple[Floats, Floats]:
    """Return the scores of both systems on the same topics."""
    first, second = (_to_runs(data, topics, axes) for data in (x, y))
    if {*first.topics} != {*second.topics} and topics == "same":
        problem = f"{len(first.topics)} and {len(second.topics)} topics, not the same"
        raise InputError.from_problem(problem, "Use topics='common' to exclude topics of one system only.")
    shared = [topic for topic in first.topics if topic in {*second.topics}]
    if len(shared) < 2:
        raise InputError(f"{format_count(len(shared), 'common topic')}", "at least 2")
    rows = [[part.topics.index(topic) for topic in shared] for part in (first, second)]
    return first.values[rows[0]], second.values[rows[1]]


def _to_runs(data: Systems, topics: Topics = "same", axes: Axes | None = None) -> Matrix:
    return to_matrix(data, topics, axes, systems=1)


def count_reversals(x: Floats, y: Floats) -> float:
    """Return the fraction of pairs of runs whose means are in the opposite order.

    Ties count ½. So does every pair if the systems have equal means.

    >>> count_reversals(np.array([[0.4, 0.7]]), np.array([[0.5, 0.5, 0.3]]))
    0.3333333333333333
    """
    tolerance = estimate_rounding(x, y)
    x_means, y_means = (np.array([mean(run) for run in values.T]) for values in (x, y))
    direction = float(subtract_rounded(mean(x_means), mean(y_means), tolerance))
    z = subtract_rounded(x_means[:, None], y_means[None, :], tolerance) * math.copysign(1, direction)
    return 0.5 if not direction else float(((z < 0) + 0.5 * (z == 0)).mean())


def note_few_seeds(seeds: int, other_seeds: int, share: float) -> tuple[Note, ...]:
    """Note that the coverage of the interval is not promised for these numbers of seeds.

    >>> note_few_seeds(2, 5, 0.75)[0].text
    '2 seeds, and 75% of the variance is due to seeds: the interval may be too narrow. Use 3 seeds or more'
    >>> note_few_seeds(3, 1, 0.25)[0].text
    '3 seeds against one run: the interval may be too narrow. Use 4 seeds or more'
    >>> note_few_seeds(3, 3, 0.75), note_few_seeds(1, 1, 0.0)
    ((), ())
    """
    few, many = sorted((seeds, other_seeds))
    if few == 1 < many <= FEW_RUNS:
        text, enough = f"{many} seeds against one run", FEW_RUNS + 1
    elif few == 2 and share > SHARE:
        text, enough = f"2 seeds, and {share:.0%} of the variance is due to seeds", 3
    else:
        return ()
    return (Note("few-seeds", f"{text}: the interval may be too narrow. Use {enough} seeds or more"),)


# -- components and ranks -------------------------------------------------------------------------


@suggest_keywords
def seed_components(x: Systems, topics: Topics = "same", axes: Axes | None = None) -> SeedComponents:
    """Estimate components of variance of a system with two runs (seeds) or more.

    var_rest = M,   var_seed = max(0, v − M / n),   var_topic = max(0, s²(topic means) − M / s)

    v is the variance of the s run means and M the mean square of topics × runs. `x` are the runs, as in `crossed`.

    Reference: Searle, Casella and McCulloch 1992, Variance Components.

    >>> found = seed_components({"s1": [0.4, 0.5, 0.6, 0.3], "s2": [0.5, 0.6, 0.8, 0.3]})
    >>> [round(v, 6) for v in (found.var_topic, found.var_seed, found.var_rest)]
    [0.026667, 0.004167, 0.003333]
    """
    return estimate_components(to_matrix(x, topics, axes).values)


def estimate_components(x: Floats) -> SeedComponents:
    """Compute `seed_components` from an array [topics, runs]."""
    n, s = x.shape
    between, rest = map(float, measure_runs(x))
    topic_variance = float(build_topic_term(x.mean(axis=1), estimate_rounding(x)).value) * n
    run_means = [mean(run) for run in x.T]
    components = max(0.0, topic_variance - rest / s), max(0.0, between - rest / n), rest
    return SeedComponents(s, n, *components, min(run_means), max(run_means))


@suggest_keywords
def rank_systems(
    systems: Mapping[str, Systems],
    topics: Topics = "same",
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    axes: Axes | None = None,
) -> list[RankSummary]:
    """Resample topics and runs, and count how often each system is best.

    A resample draws topics, common to all systems, and runs within each system, all with
    replacement. If there are at most `trials` samples, all are enumerated. `best` is the fraction of
    resamples with the best mean; m tied systems get 1 / m each. `rank_low` is the α/2 quantile of 1 +
    the number of better systems, `rank_high` the 1 − α/2 quantile of 1 + the number of better and
    tied systems (quantiles by the inverted distribution function). Higher scores are better. The
    fractions are not probabilities of truth, and they are approximate.

    `systems` are ``{system: runs}``, with runs as in `crossed`.

    Reference: Efron 1979, Bootstrap methods: another look at the jackknife, Annals of Statistics.

    >>> ranks = rank_systems({"a": {"1": [0.4, 0.6, 0.5]}, "b": {"1": [0.5, 0.5, 0.4]}})
    >>> [(row.system, round(row.best, 4), row.rank_low, row.rank_high) for row in ranks]  # 20 of 27
    [('a', 0.7407, 1, 2), ('b', 0.2593, 1, 2)]
    """
    if not isinstance(systems, Mapping):
        raise InputError(f"systems={describe_value(systems)}", "{system: runs}")
    if len(systems) < 2:
        raise InputError(format_count(len(systems), "system"), "at least 2")
    first, *others = systems.values()
    pairs = [_align_runs(first, other, topics, axes) for other in others]
    if len({x.shape for x, _ in pairs}) > 1:
        raise InputError.from_problem("systems with different topics", "Give all systems the same topics.")
    values = [pairs[0][0], *(y for _, y in pairs)]
    return rank_runs([*systems], values, 1 - confidence, trials, seed, threads)


def rank_runs(
    names: Sequence[str],
    systems: Sequence[Floats],
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    clusters: Clusters | None = None,
) -> list[RankSummary]:
    """Compute `rank_systems` from arrays [topics, runs]; higher scores are better.

    Topics in clusters are drawn by cluster.
    """
    means = resample_means(systems, trials, seed, threads, clusters)
    return summarise_ranks(names, means, alpha, estimate_rounding(*systems))


def summarise_ranks(names: Sequence[str], means: Floats, alpha: float, tolerance: float) -> list[RankSummary]:
    """Summarise the ranks of systems by means [resamples, systems]; higher is better.

    >>> summarise_ranks("ab", np.array([[0.5, 0.4], [0.5, 0.5]]), 0.05, 1e-12)
    [RankSummary(system='a', best=0.75, rank_low=1, rank_high=2), RankSummary(system='b', \
best=0.25, rank_low=1, rank_high=2)]
    """
    is_best = means >= means.max(axis=1, keepdims=True) - tolerance
    best = (is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0)
    summaries = []
    for i, name in enumerate(names):
        lead = means - means[:, [i]]
        better = (lead > tolerance).sum(axis=1)
        tied = (np.abs(lead) <= tolerance).sum(axis=1) - 1
        low, high = (
            int(np.quantile(ranks, q, method="inverted_cdf"))
            for ranks, q in ((1 + better, alpha / 2), (1 + better + tied, 1 - alpha / 2))
        )
        summaries.append(RankSummary(name, float(best[i]), low, high))
    return summaries


def resample_means(
    systems: Sequence[Floats],
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    clusters: Clusters | None = None,
) -> Floats:
    """Return means [resamples, systems] of resampled topics and runs; `systems` are [topics, runs].

    All samples are enumerated if there are at most `trials`. With clusters of topics, complete
    clusters are drawn.
    """
    n, sizes = systems[0].shape[0], [x.shape[1] for x in systems]
    units, codes = (n, np.arange(n)) if clusters is None else (len(clusters), clusters.codes)
    if math.prod(float(size) ** size for size in (units, *sizes)) <= trials:
        return _enumerate_means(systems, units, codes)

    def draw_means(generator: np.random.Generator, size: int) -> Floats:
        weights = _count_draws(generator.integers(units, size=(size, units)), units)[:, codes]
        topics = weights.sum(axis=1)
        columns = []
        for x, s in zip(systems, sizes, strict=True):
            run_means = weights @ x
            if s > 1:
                run_means *= _count_draws(generator.integers(s, size=(size, s)), s)
            columns.append(run_means.sum(axis=1) / (topics * s))
        return np.stack(columns, axis=1)

    cells = n + sum(sizes)
    return np.concatenate(run_in_chunks(draw_means, trials, seed, cells, threads))


def _count_draws(draws: Ints, n: int) -> Floats:
    """Return how often each of n items was drawn, for each row."""
    rows = np.arange(len(draws))[:, None] * n
    return np.bincount((draws + rows).ravel(), minlength=len(draws) * n).reshape(-1, n).astype(np.float64)


def _enumerate_means(systems: Sequence[Floats], units: int, codes: Ints) -> Floats:
    """Return the means of all samples of topics, or of clusters, and runs."""
    by_topics = _list_samples(units)[:, codes]
    by_runs = [_list_samples(x.shape[1]) for x in systems]
    rows = []
    for weights in by_topics:
        run_means = [weights @ x / weights.sum() for x in systems]
        means = [counts @ x / len(x) for counts, x in zip(by_runs, run_means, strict=True)]
        rows += [*product(*means)]
    return np.array(rows)


def _list_samples(n: int) -> Floats:
    """Return how often each of n items occurs, for each of the nⁿ samples."""
    return _count_draws(np.array([*product(range(n), repeat=n)]), n)
