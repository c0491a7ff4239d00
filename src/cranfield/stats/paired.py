"""Tests of two systems on the same topics, from the differences z = x − y."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import (
    TOLERANCE,
    Floats,
    Ints,
    estimate_rounding,
    subtract_rounded,
    unify_rounded,
)
from cranfield.errors import check_choice
from cranfield.lazy_imports import special, statistics
from cranfield.scores import Note
from cranfield.stats.few_topics import limit_p_by_signs, note_few_topics
from cranfield.stats.notes import (
    note_constant,
    note_identical,
    note_skewness,
    note_trials,
    note_zeros,
)
from cranfield.stats.resampling import (
    BLOCK_CELLS,
    CELLS,
    TRIALS,
    Progress,
    check_trials,
    draw_topics,
    run_in_chunks,
)
from cranfield.stats.result import Bounds, Outcome, Sampled
from cranfield.stats.samples import Sample, Topics, mean, pair_scores
from cranfield.wording import suggest_keywords

__all__ = ["bootstrap", "randomisation", "sign_test", "t_test", "wilcoxon"]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""The alternative hypothesis: x and y differ, x is greater, or x is less."""

Zeros: TypeAlias = Literal["wilcox", "pratt", "zsplit"]
PAIRS = 50  # pairs of systems tested together with the same sign flips: 4 MB
MAX_EXACT_TOPICS = 50  # topics up to which SciPy, and this module, use the exact distribution of signed ranks


@suggest_keywords
def t_test(x: Sample, y: Sample, topics: Topics = "same", alternative: Alternative = "two-sided") -> Outcome:
    """Run the paired t-test: is the mean of the differences 0?

    t = z̄ / (s / √n),   s² = Σ (z − z̄)² / (n − 1)

    t has a t distribution with n − 1 degrees of freedom if differences are normal. If all
    differences are 0, p is 1. If all are equal and not 0, t is infinite.

    Reference: Student 1908, The probable error of a mean, Biometrika.

    >>> outcome = t_test([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])  # z = 0.1, 0.2, 0.3: 0.2 / (0.1 / √3)
    >>> round(outcome.statistic, 4), round(outcome.pvalue, 4), outcome.df
    (3.4641, 0.0742, 2)
    """
    z, tolerance = compute_differences(x, y, topics, least=2)
    assumed = "the differences are a random sample of a normal distribution"
    notes = note_identical(z) or note_constant(z, tolerance) or note_skewness(z)
    error = compute_standard_error(z, tolerance)
    return build_t_outcome("paired t-test", mean(z), error, len(z) - 1, len(z), assumed, alternative, notes)


@suggest_keywords
def wilcoxon(
    x: Sample,
    y: Sample,
    topics: Topics = "same",
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
) -> Outcome:
    """Run the Wilcoxon signed-rank test: are the differences symmetric about 0?

    The absolute differences are ranked. Differences within rounding errors (1e-12 of the largest
    score) are ties. The statistic is the sum of the ranks of positive differences. In a two-sided
    test it is the smaller of this sum and the sum for negative differences. The p-value is computed
    by scipy.stats.wilcoxon: exactly for up to 50 topics without ties, otherwise by its own choice
    of method. `zeros` are excluded ("wilcox"), ranked but not counted ("pratt") or counted half
    ("zsplit").

    `difference` is the pseudo-median, the median of the means of all pairs of differences. The
    ends of the interval are two of these means, by the exact critical value for up to 50 topics,
    otherwise by the normal approximation.

    Reference: Wilcoxon 1945, Individual comparisons by ranking methods, Biometrics Bulletin;
    Hodges and Lehmann 1963, Estimates of location based on rank tests, Ann. Math. Stat.

    >>> outcome = wilcoxon([0.5, 0.75, 1.0], [0.25, 0.25, 0.25])  # all positive: p = 2 / 2³
    >>> outcome.statistic, round(outcome.pvalue, 4), outcome.difference
    (0.0, 0.25, 0.5)
    """
    z, tolerance = compute_differences(x, y, topics)
    check_choice("alternative", alternative, Alternative)
    check_choice("zeros", zeros, Zeros)
    z = np.sign(z) * unify_rounded(np.abs(z), tolerance)
    notes = note_identical(z)
    if zeros == "wilcox":
        notes += note_zeros(z)
    statistic, pvalue = 0.0, 1.0
    if z.any():
        result = statistics.wilcoxon(z, zero_method=zeros, alternative=alternative)
        statistic, pvalue = float(result.statistic), float(result.pvalue)
    return Outcome(
        test="Wilcoxon signed-rank test",
        statistic=statistic,
        pvalue=pvalue,
        difference=float(np.median(_compute_walsh_averages(z))),
        n=len(z),
        assumed="the differences are a random sample of a symmetric distribution",
        bounds=partial(_compute_signed_rank_bounds, z, alternative),
        notes=notes,
        smallest_pvalue=limit_p_by_signs(len(z), count_tails(alternative)),
    )


def _compute_signed_rank_bounds(z: Floats, alternative: Alternative, confidence: float) -> tuple[float, float]:
    outside = _count_outside_sums(len(z), compute_tail(confidence, alternative))
    return _trim_ends(_compute_walsh_averages(z), outside, alternative)


@suggest_keywords
def sign_test(x: Sample, y: Sample, topics: Topics = "same", alternative: Alternative = "two-sided") -> Outcome:
    """Run the sign test: is x better than y as often as it is worse?

    The statistic is the number of topics on which x is better. It is binomial with p = ½ among the
    topics with a difference other than 0; other topics are excluded. `difference` is the median of
    all differences, and the ends of the interval are two of the differences.

    Reference: Dixon and Mood 1946, The statistical sign test, JASA.

    >>> outcome = sign_test([5, 6, 7, 8, 9], [4, 5, 6, 7, 10])  # 2 · (1 + 5) / 2⁵
    >>> outcome.statistic, round(outcome.pvalue, 4), outcome.difference
    (4.0, 0.375, 1.0)
    """
    z, _ = compute_differences(x, y, topics)
    check_choice("alternative", alternative, Alternative)
    better, worse = int(np.count_nonzero(z > 0)), int(np.count_nonzero(z < 0))
    less_frequent = {"two-sided": min(better, worse), "greater": worse, "less": better}[alternative]
    return Outcome(
        test="sign test",
        statistic=float(better),
        pvalue=min(1.0, count_tails(alternative) * float(special.bdtr(less_frequent, better + worse, 0.5))),
        difference=float(np.median(z)),
        n=len(z),
        assumed="topics are independent",
        bounds=partial(_compute_sign_bounds, z, alternative),
        notes=note_identical(z) + note_zeros(z),
        smallest_pvalue=limit_p_by_signs(len(z), count_tails(alternative)),
    )


@suggest_keywords
def randomisation(
    x: Sample,
    y: Sample,
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    topics: Topics = "same",
    alternative: Alternative = "two-sided",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the paired randomisation test: swap the two scores of topics at random.

    The statistic is z̄. A trial changes the sign of each difference with probability ½, and counts
    if |z̄*| ≥ |z̄| (`strict`: >). If 2ⁿ is at most `trials`, all 2ⁿ sign changes are enumerated.

    The interval contains the shifts d of all x for which the test of x − d against y has p > 1 −
    confidence. A trial counts at d until d is beyond both the mean of the changed differences and
    the mean of the others. The ends are therefore such means (Hartigan 1969, Using subsample
    values as typical values, JASA).

    Reference: Smucker, Allan and Carterette 2007, A comparison of statistical significance tests
    for information retrieval evaluation, CIKM; Fisher 1935, The Design of Experiments.

    >>> outcome = randomisation([0.3, 0.3, 0.4], [0.2, 0.1, 0.1])  # of 2³: + + + and − − −
    >>> round(outcome.statistic, 4), outcome.pvalue, outcome.sampled
    (0.2, 0.25, Sampled(count=2, trials=8, seed=None, exact=True))
    """
    z, tolerance = compute_differences(x, y, topics)
    check_choice("alternative", alternative, Alternative)
    total, number, used = _sum_flips(z[:, None], trials, seed, threads, progress)
    return _build_randomisation_outcome(z, tolerance, total[:, 0], number, used, strict, alternative)


def run_randomisations(
    values: Floats,
    pairs: Sequence[tuple[int, int]],
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Run the paired randomisation test for pairs of columns of [topics, systems].

    All pairs use the same sign flips as single tests with this seed. The flips are drawn once for a
    block of pairs.
    """
    for first in range(0, len(pairs), PAIRS):
        block = pairs[first : first + PAIRS]
        block_differences = [compute_differences(values[:, i], values[:, j], "same") for i, j in block]
        columns = np.stack([z for z, _ in block_differences], axis=1)
        totals, number, used = _sum_flips(columns, trials, seed, threads, None)
        for (z, tolerance), total in zip(block_differences, np.ascontiguousarray(totals.T), strict=True):
            yield _build_randomisation_outcome(z, tolerance, total, number, used, False, "two-sided")
            if progress is not None:
                progress(trials)


def _sum_flips(
    columns: Floats, trials: int, seed: int, threads: int | None, progress: Progress | None
) -> tuple[Floats, Floats, int | None]:
    """Return sum and number of flipped differences of each trial, and the seed.

    The sums are [trials, columns]. The seed is None if the trials are all possible outcomes.
    """
    check_trials(trials, seed)
    n = len(columns)
    with_count = np.column_stack([columns, np.ones(n)])
    exact = 2**n <= trials
    if exact:
        sums = [flips @ with_count for flips in _enumerate_flips(n, progress)]
    else:

        def run_trial(rng: np.random.Generator, size: int) -> Floats:
            return _draw_flips(rng, size, n) @ with_count

        sums = run_in_chunks(run_trial, trials, seed, n, threads, progress)
    all_sums = np.concatenate(sums)
    return all_sums[:, :-1], all_sums[:, -1], None if exact else seed


def _compute_sign_bounds(z: Floats, alternative: Alternative, confidence: float) -> tuple[float, float]:
    cumulative = special.bdtr(np.arange(len(z)), len(z), 0.5)
    tail_limit = compute_tail(confidence, alternative) + TOLERANCE
    outside = int(np.count_nonzero(cumulative <= tail_limit))
    return _trim_ends(z, outside, alternative)


def _compute_randomisation_bounds(
    z: Floats,
    tolerance: float,
    total: Floats,
    number: Floats,
    exact: bool,
    alternative: Alternative,
    confidence: float,
) -> tuple[float, float]:
    n, observed = len(z), mean(z)

    def find_upper_end(side: float) -> float:
        """Return the upper end of the interval of side · z."""
        changed = _divide_totals(side * total, number)
        if alternative == "two-sided":
            unchanged = _divide_totals(side * (n * observed - total), n - number)
            changed = np.maximum(changed, unchanged)
        return find_critical_value(changed, 1 - confidence, exact)

    low, high = (0.0 if abs(x) <= tolerance else x for x in (-find_upper_end(-1.0), find_upper_end(1.0)))
    return apply_alternative(low, high, alternative)


def _build_randomisation_outcome(
    z: Floats,
    tolerance: float,
    total: Floats,
    number: Floats,
    seed: int | None,
    strict: bool,
    alternative: Alternative,
) -> Outcome:
    """Build the outcome from sums of flipped differences; no seed if enumerated."""
    n, observed, exact = len(z), mean(z), seed is None
    count = count_extreme(observed - 2 * total / n, observed, alternative, tolerance, strict)
    sampled = Sampled(count, len(total), seed, exact)

    bounds = partial(_compute_randomisation_bounds, z, tolerance, total, number, exact, alternative)
    assumed = "either system could have had either of the two scores of a topic"
    mean_pair, smallest = (observed, observed), limit_p_by_signs(n, count_tails(alternative))
    return build_trial_outcome(
        "randomisation test", *mean_pair, n, assumed, bounds, sampled, smallest, note_identical(z)
    )


@suggest_keywords
def bootstrap(
    x: Sample,
    y: Sample,
    trials: int = TRIALS,
    seed: int = 0,
    studentised: bool = True,
    strict: bool = False,
    topics: Topics = "same",
    alternative: Alternative = "two-sided",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the paired bootstrap test: compare t with samples of centred differences.

    The statistic is t(z) = z̄ / (s / √n). A trial draws n of the values w = z − z̄ with
    replacement, and counts if |t(w*)| ≥ |t(z)| (`strict`: >). If all values of a sample are equal,
    t is 0 if they are 0, and otherwise infinite. With ``studentised=False``, z̄ is compared with
    w̄*. The interval is z̄ ± q s / √n with the quantile q of |t(w*)|, or z̄ ± q with the quantile
    of |w̄*|.

    Reference: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 16; Sakai 2006,
    Evaluating evaluation metrics based on the bootstrap, SIGIR.

    >>> outcome = bootstrap([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])  # t as in the t-test
    >>> round(outcome.statistic, 4), round(outcome.difference, 4), outcome.sampled.trials
    (3.4641, 0.2, 10000)
    """
    z, tolerance = compute_differences(x, y, topics, least=2)
    check_choice("alternative", alternative, Alternative)
    observed, error = mean(z), compute_standard_error(z, tolerance)
    statistics_drawn = bootstrap_statistics(z, tolerance, trials, seed, studentised, threads, progress)
    unit = error if studentised else 1.0
    statistic = divide_by_error(observed, unit)
    rounding = tolerance / unit if unit else tolerance
    sampled = Sampled(count_extreme(statistics_drawn, statistic, alternative, rounding, strict), trials, seed)
    test = "bootstrap test" if studentised else "bootstrap test (mean shift)"
    assumed = "the differences are a random sample of any distribution"
    bounds = build_bounds_around(observed, unit * statistics_drawn, alternative)
    notes = note_identical(z) + note_constant(z, tolerance)
    notes += () if studentised else note_few_topics("bootstrap-shift", len(z))
    smallest = limit_p_by_signs(len(z), count_tails(alternative))
    return build_trial_outcome(test, statistic, observed, len(z), assumed, bounds, sampled, smallest, notes)


def bootstrap_statistics(
    z: Floats,
    tolerance: float,
    trials: int,
    seed: int,
    studentised: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Return the statistic of each bootstrap sample of the centred differences."""
    n, w = len(z), z - mean(z)

    def compute_statistics(topics: Ints) -> Floats:
        samples = resample(w, topics)
        means: Floats = samples.mean(axis=1)
        if not studentised:
            return means
        samples -= means[:, None]  # like `std`, without another array of this size
        samples *= samples
        deviations: Floats = np.sqrt(samples.sum(axis=1) / (n - 1))
        return _divide_by_errors(means, deviations / math.sqrt(n), tolerance)

    def run_trial(rng: np.random.Generator, size: int) -> Floats:
        topics, block = draw_topics(rng, size, n), max(1, BLOCK_CELLS // n)
        return np.concatenate([compute_statistics(topics[i : i + block]) for i in range(0, size, block)])

    return np.concatenate(run_in_chunks(run_trial, trials, seed, n, threads, progress))


def resample(w: Floats, integers: NDArray[np.integer]) -> Floats:
    """Return the values at these indices.

    >>> resample(np.array([0.2, 0.0, 0.1, 0.4, 0.0]), np.array([0, 2, 0, 1, 3]))
    array([0.2, 0.1, 0.2, 0. , 0.4])
    """
    return np.take(w, integers)


# -- shared by tests ------------------------------------------------------------------------------


def compute_differences(x: Sample, y: Sample, topics: Topics, least: int = 1) -> tuple[Floats, float]:
    """Return z = x − y, with rounding errors set to 0, and the tolerance used.

    >>> compute_differences([0.1 + 0.2, 1.0], [0.3, 0.5], "same")
    (array([0. , 0.5]), 1e-12)
    """
    a, b = pair_scores(x, y, topics, least)
    tolerance = estimate_rounding(a, b)
    return subtract_rounded(a, b, tolerance), tolerance


def compute_standard_error(z: Floats, tolerance: float) -> float:
    """Return s / √n, the standard error of the mean, or 0 if all values are equal."""
    return 0.0 if np.ptp(z) <= tolerance else float(z.std(ddof=1)) / math.sqrt(len(z))


def divide_by_error(difference: float, error: float) -> float:
    """Return the difference in standard errors: 0 or infinite if the error is 0."""
    if error:
        return difference / error
    return math.copysign(math.inf, difference) if difference else 0.0


def build_t_outcome(
    test: str,
    difference: float,
    error: float,
    df: float,
    n: int,
    assumed: str,
    alternative: Alternative,
    notes: tuple[Note, ...],
) -> Outcome:
    """Build the outcome of a difference and its standard error by Student's t."""
    check_choice("alternative", alternative, Alternative)
    t = divide_by_error(difference, error)
    t_below = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    pvalue = float(special.stdtr(df, t_below)) * count_tails(alternative)
    if difference == error == 0:
        pvalue = 1.0  # for every alternative: there is no evidence
    bounds = partial(_compute_t_bounds, difference, error, df, alternative)
    return Outcome(test, t, pvalue, difference, n, assumed, bounds, df, notes=notes)


def _compute_t_bounds(
    difference: float, error: float, df: float, alternative: Alternative, confidence: float
) -> tuple[float, float]:
    reached = float(special.stdtrit(df, 1 - compute_tail(confidence, alternative))) * error
    return apply_alternative(difference - reached, difference + reached, alternative)


def build_trial_outcome(
    test: str,
    statistic: float,
    difference: float,
    n: int,
    assumed: str,
    bounds: Bounds,
    sampled: Sampled,
    smallest: float,
    notes: tuple[Note, ...] = (),
) -> Outcome:
    """Build the outcome of a statistic that was compared with random trials."""
    all_notes, smallest = notes + note_trials(sampled), max(smallest, sampled.smallest_pvalue)
    test_values = test, statistic, sampled.pvalue, difference, n, assumed, bounds
    return Outcome(*test_values, sampled=sampled, notes=all_notes, smallest_pvalue=smallest)


def count_extreme(values: Floats, observed: float, alternative: Alternative, tolerance: float, strict: bool) -> int:
    """Count values at least as extreme as the observed one, in the test's tails.

    >>> count_extreme(np.array([-0.3, 0.1, 0.3, 0.5]), 0.1 + 0.2, "two-sided", 1e-12, strict=False)
    3
    """
    if alternative == "two-sided":
        values, observed = np.abs(values), abs(observed)
    elif alternative == "less":
        values, observed = -values, -observed
    if strict:
        return int(np.count_nonzero(values > observed + tolerance))
    return int(np.count_nonzero(values >= observed - tolerance))


def find_critical_value(values: Floats, alpha: float, exact: bool) -> float:
    """Return the largest value whose upper tail gives a p-value above `alpha`.

    Infinite if even zero values give a p-value above `alpha`.

    >>> find_critical_value(np.arange(1.0, 100), 0.05, exact=False)  # (5 + 1) / (99 + 1): 95 … 99
    95.0
    """
    allowed = alpha * (len(values) + (not exact)) + 1e-9  # 1 − 0.9 is less than 0.1
    extreme_count = math.floor(allowed) + exact
    if extreme_count == 0:
        return math.inf
    place = len(values) - extreme_count
    return float(np.partition(values, place)[place])


def build_bounds_around(difference: float, deviations: Floats, alternative: Alternative) -> Bounds:
    """Build bounds around the difference from the deviations of trials."""
    return partial(_compute_bounds_around, difference, deviations, alternative)


def _compute_bounds_around(
    difference: float, deviations: Floats, alternative: Alternative, confidence: float
) -> tuple[float, float]:
    alpha = 1 - confidence
    if alternative == "two-sided":
        distance_below = distance_above = find_critical_value(np.abs(deviations), alpha, exact=False)
    else:
        distance_below, distance_above = (
            find_critical_value(side * deviations, alpha, exact=False) for side in (1, -1)
        )
    return apply_alternative(difference - distance_below, difference + distance_above, alternative)


def apply_alternative(low: float, high: float, alternative: Alternative) -> tuple[float, float]:
    """Return both ends, with an infinite end for a one-sided test."""
    return (
        -math.inf if alternative == "less" else low,
        math.inf if alternative == "greater" else high,
    )


def count_tails(alternative: Alternative) -> int:
    """Return the number of tails of the test."""
    return 2 if alternative == "two-sided" else 1


def compute_tail(confidence: float, alternative: Alternative) -> float:
    """Return the probability beyond each end of an interval."""
    return (1 - confidence) / count_tails(alternative)


# -- the smallest possible p-value with these numbers of differences ------------------------------


def find_smallest_sign_p(z: Floats) -> float:
    """Return the p-value if all k differences had the same sign: 2 / 2ᵏ.

    >>> find_smallest_sign_p(np.array([0.0] * 35 + [-0.3] * 5))  # 2 / 2⁵
    0.0625
    """
    return min(1.0, 2.0 ** (1 - int(np.count_nonzero(z))))


def find_smallest_rank_p(z: Floats) -> float:
    """Return the p-value of Wilcoxon's test if all differences had the same sign."""
    return wilcoxon(np.abs(z), np.zeros(len(z))).pvalue


def find_smallest_t_p(z: Floats) -> float:
    """Return the t-test's p-value if k of n differences were equal, others 0.

    >>> round(find_smallest_t_p(np.array([0.0] * 37 + [-0.3] * 3)), 4)  # t = √(3 · 39 / 37)
    0.0832
    """
    n, equal_differences = len(z), (z != 0).astype(np.float64)
    return t_test(equal_differences, np.zeros(n)).pvalue


# -- signs and ranks ------------------------------------------------------------------------------


def _compute_walsh_averages(z: Floats) -> Floats:
    """Return the means of all pairs of values, each value with itself included."""
    return np.concatenate([(z[i:] + z[i]) / 2 for i in range(len(z))])


def _count_outside_sums(n: int, tail: float) -> int:
    """Count the smallest sums of signed ranks with total probability ≤ `tail`."""
    if n > MAX_EXACT_TOPICS:
        middle, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, math.floor(middle + float(special.ndtri(tail)) * spread) + 1)
    ways = np.ones(1)  # number of ways to get each sum; below 2⁵³, so exact
    for rank in range(1, n + 1):
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    return int(np.count_nonzero(np.cumsum(ways) <= tail * 2.0**n))


def _trim_ends(values: Floats, outside: int, alternative: Alternative) -> tuple[float, float]:
    """Return first and last value after trimming `outside` − 1 at each end.

    If `outside` is 0, no value is extreme enough, and both ends are infinite.
    """
    if not outside:
        return -math.inf, math.inf
    places = outside - 1, len(values) - outside
    low, high = np.partition(values, places)[list(places)].tolist()
    return apply_alternative(low, high, alternative)


# -- trials ---------------------------------------------------------------------------------------


def _draw_flips(rng: np.random.Generator, size: int, n: int) -> Floats:
    """Draw the topics with a flipped sign, 1 or 0, for each trial."""
    random_bytes = np.frombuffer(rng.bytes(-(-size * n // 8)), dtype=np.uint8)
    return np.unpackbits(random_bytes, count=size * n).reshape(size, n).astype(np.float64)


def _enumerate_flips(n: int, progress: Progress | None) -> Iterator[Floats]:
    """Yield the flips of all 2ⁿ possible trials, in blocks."""
    size = max(1, CELLS // n)
    for first in range(0, 2**n, size):
        numbers = np.arange(first, min(first + size, 2**n))
        yield (numbers[:, None] >> np.arange(n) & 1).astype(np.float64)
        if progress is not None:
            progress(len(numbers))


def _divide_totals(totals: Floats, numbers: Floats) -> Floats:
    """Return means, infinite without numbers: such a trial counts at any shift."""
    means: Floats = np.full(len(totals), np.inf)
    return np.divide(totals, numbers, where=numbers > 0, out=means)


def _divide_by_errors(means: Floats, errors: Floats, tolerance: float) -> Floats:
    """Return t of each sample, with a tolerance for rounding errors."""
    flat = errors <= tolerance
    infinite = np.where(np.abs(means) <= tolerance, 0.0, np.copysign(np.inf, means))
    return np.divide(means, errors, where=~flat, out=infinite)
