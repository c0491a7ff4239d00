"""Tukey's honestly significant differences: tests of all pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import TOLERANCE, Floats
from cranfield.dataclass import dataclass
from cranfield.display import WithNotes
from cranfield.errors import InputError
from cranfield.lazy_imports import special
from cranfield.scores import Interval, Note
from cranfield.stats.anova import two_way
from cranfield.stats.few_topics import is_out_of_reach, limit_p_by_signs
from cranfield.stats.notes import note_skewness, note_trials
from cranfield.stats.paired import find_critical_value
from cranfield.stats.resampling import CELLS, TRIALS, Progress, check_trials, run_in_chunks
from cranfield.stats.result import Outcome, Sampled, check_confidence
from cranfield.stats.samples import Axes, Matrix, Systems, Topics, to_matrix
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["Family", "randomised_tukey_hsd", "tukey_hsd"]

OUTLIER_FACTOR = 1.2  # an outlier that makes intervals wider by this factor has a note
SIMULTANEOUS = (
    "p-values and intervals are simultaneous: if all systems are equal, the probability that any "
    "pair is significant is at most α"
)


@dataclass(frozen=True, eq=False)
class Family(WithNotes):
    """Result of a test of all pairs of systems.

    `differences`, `pvalues`, `statistics` and `counts` are arrays [systems, systems]. The
    difference is the mean of the row's system minus the mean of the column's system. The p-value on
    the diagonal is 1. `counts` are numbers of `trials`, or of all outcomes if `exact`; other tests
    have no counts. The arrays are computed on first use. With thousands of systems, `pair` is
    faster.
    """

    test: str
    systems: tuple[str, ...]
    means: Floats
    n: int
    assumed: str
    threshold: Callable[[float], float] = field(repr=False)
    statistic: Callable[[Any], Any] | None = field(default=None, repr=False)  # of |difference|
    tail: Callable[[float], float] | None = field(default=None, repr=False)  # p of a statistic
    df: int | None = None
    count: Callable[[Any], Any] | None = field(default=None, repr=False)  # of |difference|
    trials: int | None = None
    seed: int | None = None
    exact: bool = False
    common_notes: tuple[Note, ...] = ()  # the notices on all pairs
    note_pair: Callable[[int, int], tuple[Note, ...]] | None = field(default=None, repr=False)
    smallest_pvalue: float = 0.0

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Notes on all pairs, and one note for each kind of note on single pairs."""
        numbers = combinations(range(len(self.systems)), 2)
        single = [(i, j, note) for i, j in numbers for note in self._collect_pair_notes(i, j)]
        return self.common_notes + tuple(self._merge_notes(single))

    @cached_property
    def differences(self) -> Floats:
        return self.means[:, None] - self.means

    @cached_property
    def statistics(self) -> Floats | None:
        return None if self.statistic is None else self.statistic(np.abs(self.differences))

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        if self.count is None or self.trials is None:
            return None
        counts_matrix: NDArray[np.int64] = self.count(np.abs(self.differences))
        np.fill_diagonal(counts_matrix, self.trials)
        return counts_matrix

    @cached_property
    def pvalues(self) -> Floats:
        if self.counts is not None and self.trials is not None:
            data_trial = 0 if self.exact else 1  # the data count as one more trial
            return (self.counts + data_trial) / (self.trials + data_trial)
        pvalue_matrix = np.ones((len(self.systems), len(self.systems)))
        for i, j in combinations(range(len(self.systems)), 2):
            pvalue_matrix[i, j] = pvalue_matrix[j, i] = self._compute_pair(i, j)[1]
        return pvalue_matrix

    def critical(self, alpha: float = 0.05) -> float:
        """Return the honestly significant difference: larger differences are significant.

        Infinite if `alpha` is below `smallest_pvalue`, because then no difference is significant.
        """
        check_confidence(1 - alpha)
        return math.inf if is_out_of_reach(self.smallest_pvalue, alpha) else self.threshold(alpha)

    def confidence_interval(self, x: str, y: str, confidence: float = 0.95) -> Interval:
        """Return the simultaneous interval of the difference of two systems.

        difference ± critical(1 − confidence)
        """
        return self.pair(x, y).confidence_interval(confidence)

    def pair(self, x: str, y: str) -> Outcome:
        """Return the outcome of two systems."""
        i, j = self._find_system(x), self._find_system(y)
        difference = float(self.means[i] - self.means[j])
        statistic, pvalue, sampled = self._compute_pair(i, j)
        return Outcome(
            test=self.test,
            statistic=difference if statistic is None else statistic,
            pvalue=pvalue,
            difference=difference,
            n=self.n,
            assumed=self.assumed,
            bounds=partial(_compute_bounds, difference, self.threshold),
            df=self.df,
            sampled=sampled,
            notes=tuple(n for n in self.common_notes if n.kind != "far" or n.run not in (x, y))
            + self._collect_pair_notes(i, j),
            smallest_pvalue=self.smallest_pvalue,
        )

    def pairs(self) -> list[tuple[str, str, Outcome]]:
        """Return all pairs of systems with their outcomes, in order of the systems."""
        return [(x, y, self.pair(x, y)) for x, y in combinations(self.systems, 2)]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {system: i for i, system in reversed([*enumerate(self.systems)])}

    def _find_system(self, system: str) -> int:
        if system not in self._positions:
            raise InputError(f"system {system!r}", format_names(self.systems, "system"))
        return self._positions[system]

    def _collect_pair_notes(self, i: int, j: int) -> tuple[Note, ...]:
        """Return the notes on a single pair."""
        if self.note_pair is not None:
            return self.note_pair(i, j)
        sampled = self._compute_pair(i, j)[2]
        return () if sampled is None else note_trials(sampled)

    def _merge_notes(self, single: Iterable[tuple[int, int, Note]]) -> Iterator[Note]:
        """Return the first note of each kind, with its pair and the number of others."""
        by_kind: dict[str, list[tuple[int, int, Note]]] = {}
        for row in single:
            by_kind.setdefault(row[2].kind, []).append(row)
        for (i, j, note), *rest in by_kind.values():
            more = f", and {format_count(len(rest), 'other pair')}" if rest else ""
            pair = f"{self.systems[i]} and {self.systems[j]}{more}"
            yield replace(note, text=f"{note.text} ({pair})")

    def _compute_pair(self, i: int, j: int) -> tuple[float | None, float, Sampled | None]:
        """Return the statistic of a pair, its p-value, and its trials."""
        size = abs(float(self.means[i] - self.means[j]))
        if self.count is not None and self.trials is not None:
            count = self.trials if i == j else int(self.count(size))
            sampled = Sampled(count, self.trials, self.seed, self.exact)
            return None, sampled.pvalue, sampled
        if self.statistic is None or self.tail is None:
            raise TypeError("a family without a test")
        statistic = float(self.statistic(size))
        return statistic, 1.0 if i == j else self.tail(statistic), None


# -- by permutation -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cached:
    """Cached threshold by alpha, which unlike `functools.cache` can be pickled."""

    function: Callable[[float], float]
    values: dict[float, float] = field(default_factory=dict)

    def __call__(self, alpha: float) -> float:
        if alpha not in self.values:
            self.values[alpha] = self.function(alpha)
        return self.values[alpha]


def _compute_bounds(difference: float, threshold: Callable[[float], float], confidence: float) -> tuple[float, float]:
    half = threshold(1 - confidence)
    return difference - half, difference + half


def _count(ranges: Floats, slack: float, sizes: Any) -> Any:
    return len(ranges) - np.searchsorted(ranges, sizes + slack)


def _compute_randomised_threshold(ranges: Floats, exact: bool, slack: float, alpha: float) -> float:
    return find_critical_value(ranges, alpha, exact) - slack


def _studentise(unit: float, tolerance: float, sizes: Any) -> Any:
    return sizes / unit if unit else np.where(sizes > tolerance, math.inf, 0.0)


def _solve_threshold(upper_tail: Callable[[float], float], tolerance: float, unit: float, alpha: float) -> float:
    low, high = 0.0, 1.0
    while upper_tail(high) > alpha:
        low, high = high, 2 * high
    for _ in range(50):  # halves
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(middle) > alpha else (low, middle)
    return max(tolerance, unit * high)


@suggest_keywords
def randomised_tukey_hsd(
    scores: Systems,
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    topics: Topics = "same",
    threads: int | None = None,
    progress: Progress | None = None,
    axes: Axes | None = None,
) -> Family:
    """Run the randomised Tukey HSD test of all pairs of systems.

    In every trial the scores of each topic are permuted among the systems. The p-value of a pair
    is the fraction of trials in which the range of the means of systems, max_j ū_j − min_j ū_j, is
    at least as large as the difference of the pair. With ``strict=True`` the range must be larger,
    as in Figure 15 of Sakai 2014. If there are at most `trials` permutations, all are enumerated.

    The only assumption is that the scores of equal systems on a topic are exchangeable. The
    distribution of scores can have any shape. With two systems, this is the paired randomisation
    test. `scores` are
    Scores of one measure, ``{system: {topic: score}}``, or an array with its `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    Reference: Carterette 2012, Multiple testing in statistical analysis of systems-based
    information retrieval experiments, ACM TOIS 30; Sakai 2014, Metrics, Statistics, Tests,
    Figure 15.

    >>> family = randomised_tukey_hsd({"a": [0.1, 0.1], "b": [0.2, 0.3], "c": [0.3, 0.5]})
    >>> family.exact, family.trials  # the first topic is fixed, 3! orders of the second
    (True, 6)
    >>> for x, y, outcome in family.pairs():  # ranges are 0.3, 0.25, 0.25, 0.15, 0.15, 0.1
    ...     print(x, y, f"{outcome.difference:.4f} {outcome.pvalue:.4f}")
    a b -0.1500 0.8333
    a c -0.3000 0.1667
    b c -0.1500 0.8333
    """
    data = to_matrix(scores, topics, axes, least=1)
    return run_randomised_tukey_hsds([data], trials, seed, strict, threads, progress)[0]


def run_randomised_tukey_hsds(
    matrices: Sequence[Matrix],
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Family]:
    """Run `randomised_tukey_hsd` for several matrices, such as several measures.

    Matrices of the same shape share their permutations, which take most of the time.
    """
    check_trials(trials, seed)
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for place, data in enumerate(matrices):
        by_shape.setdefault(data.values.shape, []).append(place)
    families: dict[int, Family] = {}
    for (n, m), places in by_shape.items():
        values_group = [matrices[place].values for place in places]
        is_enumerable = (n - 1) * math.lgamma(m + 1) <= math.log(trials) + 1  # otherwise too many to compute the number
        ways = math.factorial(m) ** (n - 1) if is_enumerable else math.inf  # the first topic can stay fixed
        used_seed = None if ways <= trials else seed
        if used_seed is None:
            ranges_by_matrix = [[*_enumerate_ranges(values, progress)] for values in values_group]
        else:
            group_progress = None if progress is None else _scale_progress(progress, len(values_group))
            chunks = run_in_chunks(_build_range_trial(values_group), trials, seed, n * m, threads, group_progress)
            ranges_by_matrix = [[*chunk_ranges] for chunk_ranges in zip(*chunks, strict=True)]
        for place, ranges in zip(places, ranges_by_matrix, strict=True):
            families[place] = _build_family(matrices[place], np.sort(np.concatenate(ranges)), used_seed, strict)
    return [families[place] for place in range(len(matrices))]


def _scale_progress(progress: Progress, factor: int) -> Progress:
    return lambda trials: progress(trials * factor)


def _build_family(data: Matrix, ranges: Floats, seed: int | None, strict: bool) -> Family:
    """Build the family from sorted ranges of trials; no seed if enumerated."""
    trials, exact = len(ranges), seed is None
    tolerance = TOLERANCE * (data.scale or 1.0)  # never 0, for a strict test of zeros
    slack = tolerance if strict else -tolerance

    count = partial(_count, ranges, slack)

    return Family(
        test="randomised Tukey HSD",
        systems=data.systems,
        means=data.means,
        n=len(data.values),
        assumed=f"equal systems could have had each other's scores of a topic; {SIMULTANEOUS}",
        threshold=Cached(partial(_compute_randomised_threshold, ranges, exact, slack)),
        count=count,
        trials=trials,
        seed=seed,
        exact=exact,
        common_notes=_note_equal_systems(data.values, tolerance) + _note_outlier(data),
        smallest_pvalue=max(limit_p_by_signs(len(data.values)), 0 if exact else 1 / (trials + 1)),
    )


def _build_range_trial(
    arrays: Sequence[Floats],
) -> Callable[[np.random.Generator, int], list[Floats]]:
    """Build the trial that returns ranges of means after common permutations."""
    n, m = arrays[0].shape
    # A single matrix is permuted directly. For several, indices are permuted and applied to each.
    places = np.arange(m, n * m).reshape(n - 1, m)
    permuted = arrays[0][1:] if len(arrays) == 1 else places

    def run_trial(rng: np.random.Generator, size: int) -> list[Floats]:
        rows = np.repeat(permuted[:, None], size, axis=1)  # [topics, trials, systems]
        rng.permuted(rows, axis=2, out=rows)  # releases the GIL, so threads help
        if len(arrays) == 1:
            return [_compute_ranges(arrays[0][0] + rows.sum(axis=0), n)]
        room = np.empty(rows.shape)  # shared: allocation would take longer than permutation
        permuted_scores = (values.take(rows, out=room, mode="clip") for values in arrays)
        array_pairs = zip(arrays, permuted_scores, strict=True)
        return [_compute_ranges(values[0] + permuted_array.sum(axis=0), n) for values, permuted_array in array_pairs]

    return run_trial


def _enumerate_ranges(values: Floats, progress: Progress | None) -> Iterator[Floats]:
    """Yield the ranges of means for all orders of all topics but the first."""
    orders = [np.array(list(permutations(row))) for row in values[1:]]
    ways = math.prod(map(len, orders))
    size = max(1, CELLS // values.shape[1])
    for begin in range(0, ways, size):
        number = np.arange(begin, min(begin + size, ways))  # its digits are the orders of topics
        sums = np.repeat(values[:1], len(number), axis=0)
        for rows in orders:
            number, digit = np.divmod(number, len(rows))
            sums += rows[digit]
        yield _compute_ranges(sums, len(values))
        if progress is not None:
            progress(len(sums))


def _compute_ranges(sums: Floats, n: int) -> Floats:
    return np.asarray(np.ptp(sums, axis=1) / n)


# -- by the studentised range ---------------------------------------------------------------------


@suggest_keywords
def tukey_hsd(scores: Systems, topics: Topics = "same", axes: Axes | None = None) -> Family:
    """Run the Tukey HSD test for paired scores of all pairs of systems.

    t = |x̄_·j − x̄_·k| / √(V_E2 / n),   p = P(q ≥ t)

    V_E2 is the residual mean square of two-way ANOVA without replication. q is the studentised
    range of m means with (m − 1)(n − 1) degrees of freedom. Assumes that the effects of topics and
    systems add up, and that residuals are independent and normal with the same variance. With two
    systems, this is the paired t-test. `scores` and `axes` are those of `two_way`.

    Reference: Sakai 2018, Laboratory Experiments in Information Retrieval, Springer; Tukey 1949,
    Comparing individual means in the analysis of variance, Biometrics 5.

    >>> family = tukey_hsd({"a": [0.1, 0.2, 0.6], "b": [0.3, 0.4, 0.5]})
    >>> pair = family.pair("b", "a")  # 0.2, 0.2, −0.1: V_E2 = 0.03 / 2, t = 0.1 / √0.005
    >>> round(pair.statistic, 4), pair.df, round(pair.pvalue, 4)  # as t(2) = 0.1 / 0.1 = 1
    (1.4142, 2, 0.4226)
    """
    data = to_matrix(scores, topics, axes)
    n, m = data.values.shape
    tolerance = TOLERANCE * data.scale
    residual = two_way(data).residual
    cautions = _note_equal_systems(data.values, tolerance)
    unit = 0.0 if cautions else math.sqrt(residual.mean_square / n)  # 0: a rounding error
    upper_tail = build_studentised_range(m, residual.df)
    threshold = partial(_solve_threshold, upper_tail, tolerance, unit)
    return Family(
        test="Tukey HSD",
        systems=data.systems,
        means=data.means,
        n=n,
        assumed="effects of topics and systems add up, residuals are independent and normal with "
        f"the same variance; {SIMULTANEOUS}",
        threshold=Cached(threshold),  # the same for all pairs
        statistic=partial(_studentise, unit, tolerance),
        tail=upper_tail,
        df=residual.df,
        common_notes=cautions,
        note_pair=None if cautions else partial(_note_pair_skewness, data.values),
    )


def _note_pair_skewness(values: Floats, i: int, j: int) -> tuple[Note, ...]:
    return note_skewness(values[:, i] - values[:, j])


def build_studentised_range(m: int, df: float) -> Callable[[float], float]:
    """Return the upper tail of the studentised range as a function of q.

    P(q) = 1 − ∫ f(s) ∫ m φ(z) (Φ(z) − Φ(z − q s))^(m − 1) dz ds

    f is the density of s, the root of a χ² divided by its `df` degrees of freedom. Both integrals
    are sums over equal steps of z and of log s. If integrands are smooth and vanish at both ends,
    such sums are exact to 13 digits with few steps. scipy.stats.studentized_range, which adapts
    its steps, takes a hundred times longer: minutes for the pairs of 100 systems.

    Reference: Lund and Lund 1983, Algorithm AS 190: Probabilities and upper quantiles for the
    studentized range, Applied Statistics 32.

    >>> round(build_studentised_range(3, 10)(3.877), 4)  # tables have q = 3.88 for 0.05
    0.05
    """
    half, outside = df / 2, 1e-17
    ends = (f(half, outside) for f in (special.gammaincinv, special.gammainccinv))
    low, high = (math.log(end / half) / 2 for end in ends)
    log_s = np.arange(low, high, min(0.1, 0.5 / math.sqrt(2 * df)))  # half a deviation of log s
    s = np.exp(log_s)
    density = np.exp(df * log_s - half * (s * s - 1))  # density of log s, up to a constant
    density /= density.sum()
    step = 0.1
    z = np.arange(-8.5, 8.5, step)
    weights = m * step * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    normal_cdf = special.ndtr(z)
    return partial(_compute_upper_tail, m, s, density, z, weights, normal_cdf)


def _compute_upper_tail(
    m: int, s: Floats, density: Floats, z: Floats, weights: Floats, normal_cdf: Floats, q: float
) -> float:
    within = (normal_cdf - special.ndtr(z - q * s[:, None])) ** (m - 1) @ weights
    return min(1.0, max(0.0, 1.0 - float(density @ within)))


# -- notes ----------------------------------------------------------------------------------------


def _note_equal_systems(values: Floats, tolerance: float) -> tuple[Note, ...]:
    """Note systems with equal scores, or with constant differences on all topics."""
    system_differences = values - values[:, :1]
    if np.ptp(system_differences, axis=0).max() > tolerance:
        return ()
    if np.abs(system_differences).max() <= tolerance:
        text = "all systems have identical scores"
        return (Note("identical", text),)
    text = "differences of systems are the same on every topic: the residual variance is 0"
    return (Note("constant", text),)


def _find_outlier(means: Floats) -> int | None:
    """Return the system farther from all other means than their range, if any.

    >>> _find_outlier(np.array([0.5, 0.1, 0.48, 0.52]))
    1
    >>> _find_outlier(np.array([0.5, 0.3, 0.4, 0.2])) is None
    True
    """
    order = np.argsort(means, kind="stable")
    ordered = means[order]
    gaps = ordered[1] - ordered[0], ordered[-1] - ordered[-2]
    rest_spreads = ordered[-1] - ordered[1], ordered[-2] - ordered[0]
    for end, gap, spread in zip((0, -1), gaps, rest_spreads, strict=True):
        if gap > spread:
            return int(order[end])
    return None


def _note_outlier(data: Matrix) -> tuple[Note, ...]:
    """Note an outlier among four or more systems if it makes intervals wide.

    Its scores are permuted among the scores of the other systems. The width of intervals is
    proportional to the root of the variance of the permuted scores, Σ_i Σ_j (x_ij − x̄_i·)² / (n (m
    − 1)). The note is returned if this root is smaller by the factor `OUTLIER_FACTOR` without the
    system.
    """
    k = _find_outlier(data.means) if len(data.systems) > 3 else None
    if k is None:
        return ()
    spread, rest_spread = (
        math.sqrt(float(values.var(axis=1, ddof=1).mean()))
        for values in (data.values, np.delete(data.values, k, axis=1))
    )
    if spread < OUTLIER_FACTOR * rest_spread:
        return ()
    times = spread / rest_spread if rest_spread else math.inf
    name = data.systems[k]
    distance_text = f"the mean of {name} is farther from all other means than their range"
    wide = f"{name} makes the intervals of other pairs {times:.2g} times as wide"
    text = f"{distance_text}. {wide}: decide without p-values whether to compare it"
    return (Note("far", text, run=name),)
