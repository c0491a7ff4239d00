"""Tests of two systems on the same topics. All look at z = x − y, the difference of each topic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import TOLERANCE, Floats, Ints, apart, rounding_of, settled
from cranfield.errors import one_of
from cranfield.late import special, statistics
from cranfield.scores import Notice
from cranfield.stats.cautions import (
    about_constant,
    about_identical,
    about_normality,
    about_trials,
    about_zeros,
)
from cranfield.stats.few_topics import about_few_topics, smallest_by_signs
from cranfield.stats.resampling import (
    CELLS,
    NEAR,
    TRIALS,
    Progress,
    checked_trials,
    drawn_topics,
    in_chunks,
)
from cranfield.stats.result import Bounds, Outcome, Sampled
from cranfield.stats.samples import Sample, Topics, mean, paired
from cranfield.wording import suggests_keywords

__all__ = ["bootstrap", "randomisation", "sign_test", "t_test", "wilcoxon"]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""What may be so instead: x and y differ, x is the greater one, or the less."""

Zeros: TypeAlias = Literal["wilcox", "pratt", "zsplit"]
PAIRS = 50  # of systems that are tested with the same changes of signs at a time: 4 MB
EXACT = 50  # topics up to which SciPy takes the signed ranks' own distribution, and so do we


@suggests_keywords
def t_test(
    x: Sample, y: Sample, topics: Topics = "same", alternative: Alternative = "two-sided"
) -> Outcome:
    """Paired t-test: is the mean of the differences 0?

    t = z̄ / (s / √n),   s² = Σ (z − z̄)² / (n − 1)

    It has a t distribution with n − 1 degrees of freedom if differences are normal. If all are 0,
    p is 1; if all are the same, t is infinite.

    Reference: Student 1908, The probable error of a mean, Biometrika.

    >>> found = t_test([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])  # z = 0.1, 0.2, 0.3: 0.2 / (0.1 / √3)
    >>> round(found.statistic, 4), round(found.pvalue, 4), found.df
    (3.4641, 0.0742, 2)
    """
    z, tolerance = differences(x, y, topics, least=2)
    assumed = "the differences are a random sample of a normal distribution"
    notices = about_identical(z) or about_constant(z, tolerance) or about_normality(z)
    error = standard_error(z, tolerance)
    return by_t("paired t-test", mean(z), error, len(z) - 1, len(z), assumed, alternative, notices)


@suggests_keywords
def wilcoxon(
    x: Sample,
    y: Sample,
    topics: Topics = "same",
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
) -> Outcome:
    """Wilcoxon signed-rank test: are the differences symmetric about 0?

    The absolute differences are ranked, those that differ by rounding alone (1e-12 of the largest
    score) as ties; the statistic is the sum of the ranks of the positive ones, or of the negative
    ones if that is less and the test two-sided. This is scipy.stats.wilcoxon: exact for up to 50
    topics without ties, otherwise as it decides. `zeros` are left out ("wilcox"), ranked but not
    counted ("pratt") or counted half ("zsplit").

    `difference` is the pseudo-median, the median of the means of all pairs of differences, and
    the interval has two of these means at its ends: those of the exact critical value for up to 50
    topics, otherwise of the normal approximation.

    Reference: Wilcoxon 1945, Individual comparisons by ranking methods, Biometrics Bulletin;
    Hodges and Lehmann 1963, Estimates of location based on rank tests, Ann. Math. Stat.

    >>> found = wilcoxon([0.5, 0.75, 1.0], [0.25, 0.25, 0.25])  # all positive: p = 2 / 2³
    >>> found.statistic, round(found.pvalue, 4), found.difference
    (0.0, 0.25, 0.5)
    """
    z, tolerance = differences(x, y, topics)
    one_of("alternative", alternative, Alternative)
    one_of("zeros", zeros, Zeros)
    z = np.sign(z) * settled(np.abs(z), tolerance)
    notices = about_identical(z)
    if zeros == "wilcox":
        notices += about_zeros(z)
    statistic, pvalue = 0.0, 1.0
    if z.any():
        found = statistics.wilcoxon(z, zero_method=zeros, alternative=alternative)
        statistic, pvalue = float(found.statistic), float(found.pvalue)
    return Outcome(
        test="Wilcoxon signed-rank test",
        statistic=statistic,
        pvalue=pvalue,
        difference=float(np.median(_walsh(z))),
        n=len(z),
        assumed="the differences are a random sample of a symmetric distribution",
        bounds=partial(_signed_rank_bounds, z, alternative),
        notices=notices,
        smallest_pvalue=smallest_by_signs(len(z), sides(alternative)),
    )


def _signed_rank_bounds(
    z: Floats, alternative: Alternative, confidence: float
) -> tuple[float, float]:
    outside = _ranks_outside(len(z), tail(confidence, alternative))
    return _between(_walsh(z), outside, alternative)


@suggests_keywords
def sign_test(
    x: Sample, y: Sample, topics: Topics = "same", alternative: Alternative = "two-sided"
) -> Outcome:
    """Sign test: is x as often better than y as worse?

    The statistic is the number of topics on which x is better, which is binomial with p = ½ among
    the topics with a difference; the others are left out. `difference` is the median of all
    differences, and the interval has two of them at its ends.

    Reference: Dixon and Mood 1946, The statistical sign test, JASA.

    >>> found = sign_test([5, 6, 7, 8, 9], [4, 5, 6, 7, 10])  # 2 · (1 + 5) / 2⁵
    >>> found.statistic, round(found.pvalue, 4), found.difference
    (4.0, 0.375, 1.0)
    """
    z, _ = differences(x, y, topics)
    one_of("alternative", alternative, Alternative)
    better, worse = int(np.count_nonzero(z > 0)), int(np.count_nonzero(z < 0))
    at_most = {"two-sided": min(better, worse), "greater": worse, "less": better}[alternative]
    return Outcome(
        test="sign test",
        statistic=float(better),
        pvalue=min(1.0, sides(alternative) * float(special.bdtr(at_most, better + worse, 0.5))),
        difference=float(np.median(z)),
        n=len(z),
        assumed="topics are independent",
        bounds=partial(_sign_bounds, z, alternative),
        notices=about_identical(z) + about_zeros(z),
        smallest_pvalue=smallest_by_signs(len(z), sides(alternative)),
    )


@suggests_keywords
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
    """Paired randomisation test: what if each topic's two scores had come in the other order?

    The statistic is z̄. A trial changes the signs of some differences, each with probability ½;
    it counts if |z̄*| ≥ |z̄| (`strict`: >). All 2ⁿ ways are gone through if they are no more
    than `trials`.

    The interval has the shifts d of all x for which the test of x − d against y has p > 1 −
    confidence. A trial counts at d until d is beyond the mean of the differences it changed, and
    that of the others: the ends are among such means (Hartigan 1969, Using subsample values as
    typical values, JASA).

    Reference: Smucker, Allan and Carterette 2007, A comparison of statistical significance tests
    for information retrieval evaluation, CIKM; Fisher 1935, The Design of Experiments.

    >>> found = randomisation([0.3, 0.3, 0.4], [0.2, 0.1, 0.1])  # of 2³ ways, + + + and − − −
    >>> round(found.statistic, 4), found.pvalue, found.sampled
    (0.2, 0.25, Sampled(count=2, trials=8, seed=None, exact=True))
    """
    z, tolerance = differences(x, y, topics)
    one_of("alternative", alternative, Alternative)
    total, number, used = _flipped(z[:, None], trials, seed, threads, progress)
    return _randomised(z, tolerance, total[:, 0], number, used, strict, alternative)


def randomisations(
    values: Floats,
    pairs: Sequence[tuple[int, int]],
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """The paired randomisation test of pairs of columns of [topics, systems].

    All pairs see the same changes of signs, as single tests with this seed do; they are drawn once
    for many.
    """
    for first in range(0, len(pairs), PAIRS):
        some = pairs[first : first + PAIRS]
        made = [differences(values[:, i], values[:, j], "same") for i, j in some]
        columns = np.stack([z for z, _ in made], axis=1)
        totals, number, used = _flipped(columns, trials, seed, threads, None)
        for (z, tolerance), total in zip(made, np.ascontiguousarray(totals.T), strict=True):
            yield _randomised(z, tolerance, total, number, used, False, "two-sided")
            if progress is not None:
                progress(trials)


def _flipped(
    columns: Floats, trials: int, seed: int, threads: int | None, progress: Progress | None
) -> tuple[Floats, Floats, int | None]:
    """For each trial the sum of the changed differences, [trials, columns], and their number; and
    the seed, None if these are all trials there are.
    """
    checked_trials(trials, seed)
    n = len(columns)
    counted = np.column_stack([columns, np.ones(n)])
    exact = 2**n <= trials
    if exact:
        made = [flips @ counted for flips in _all_flips(n, progress)]
    else:

        def trial(rng: np.random.Generator, size: int) -> Floats:
            return _random_flips(rng, size, n) @ counted

        made = in_chunks(trial, trials, seed, n, threads, progress)
    found = np.concatenate(made)
    return found[:, :-1], found[:, -1], None if exact else seed


def _sign_bounds(z: Floats, alternative: Alternative, confidence: float) -> tuple[float, float]:
    at_most = special.bdtr(np.arange(len(z)), len(z), 0.5)
    most = tail(confidence, alternative) + TOLERANCE
    outside = int(np.count_nonzero(at_most <= most))
    return _between(z, outside, alternative)


def _randomised_bounds(
    z: Floats,
    tolerance: float,
    total: Floats,
    number: Floats,
    exact: bool,
    alternative: Alternative,
    confidence: float,
) -> tuple[float, float]:
    n, observed = len(z), mean(z)

    def end(side: float) -> float:
        """The upper end of the interval of side · z."""
        changed = _means(side * total, number)
        if alternative == "two-sided":
            others = _means(side * (n * observed - total), n - number)
            changed = np.maximum(changed, others)
        return reach(changed, 1 - confidence, exact)

    low, high = (0.0 if abs(x) <= tolerance else x for x in (-end(-1.0), end(1.0)))
    return ends(low, high, alternative)


def _randomised(
    z: Floats,
    tolerance: float,
    total: Floats,
    number: Floats,
    seed: int | None,
    strict: bool,
    alternative: Alternative,
) -> Outcome:
    """What follows from the sums and numbers of changed differences; all of them without a seed."""
    n, observed, exact = len(z), mean(z), seed is None
    count = extreme(observed - 2 * total / n, observed, alternative, tolerance, strict)
    sampled = Sampled(count, len(total), seed, exact)

    bounds = partial(_randomised_bounds, z, tolerance, total, number, exact, alternative)
    assumed = "either system could have had either of the two scores of a topic"
    both, smallest = (observed, observed), smallest_by_signs(n, sides(alternative))
    return by_trials(
        "randomisation test", *both, n, assumed, bounds, sampled, smallest, about_identical(z)
    )


@suggests_keywords
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
    """Paired bootstrap test: how large is t in samples of differences whose mean is 0?

    The statistic is t(z) = z̄ / (s / √n). A trial draws n of the values w = z − z̄ with
    replacement; it counts if |t(w*)| ≥ |t(z)| (`strict`: >). If a sample is of equal values, t
    is 0 if they are 0, and otherwise infinite. With ``studentised=False`` the statistic is z̄, and
    w̄* is compared with it. The interval is z̄ ± q s / √n, or z̄ ± q, where q is the quantile of
    |t(w*)|, or of |w̄*|.

    Reference: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 16; Sakai 2006,
    Evaluating evaluation metrics based on the bootstrap, SIGIR.

    >>> found = bootstrap([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])  # t as in the t-test
    >>> round(found.statistic, 4), round(found.difference, 4), found.sampled.trials
    (3.4641, 0.2, 10000)
    """
    z, tolerance = differences(x, y, topics, least=2)
    one_of("alternative", alternative, Alternative)
    observed, error = mean(z), standard_error(z, tolerance)
    found = bootstrapped(z, tolerance, trials, seed, studentised, threads, progress)
    unit = error if studentised else 1.0
    statistic = in_errors(observed, unit)
    rounding = tolerance / unit if unit else tolerance
    sampled = Sampled(extreme(found, statistic, alternative, rounding, strict), trials, seed)
    test = "bootstrap test" if studentised else "bootstrap test (mean shift)"
    assumed = "the differences are a random sample of any distribution"
    bounds = around(observed, unit * found, alternative)
    notices = about_identical(z) + about_constant(z, tolerance)
    notices += () if studentised else about_few_topics("bootstrap-shift", len(z))
    smallest = smallest_by_signs(len(z), sides(alternative))
    return by_trials(test, statistic, observed, len(z), assumed, bounds, sampled, smallest, notices)


def bootstrapped(
    z: Floats,
    tolerance: float,
    trials: int,
    seed: int,
    studentised: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The statistic of each sample of the differences, less their mean."""
    n, w = len(z), z - mean(z)

    def statistics(topics: Ints) -> Floats:
        drawn = resampled(w, topics)
        means: Floats = drawn.mean(axis=1)
        if not studentised:
            return means
        drawn -= means[:, None]  # as `std` does, without another array of that size
        drawn *= drawn
        deviations: Floats = np.sqrt(drawn.sum(axis=1) / (n - 1))
        return _all_in_errors(means, deviations / math.sqrt(n), tolerance)

    def trial(rng: np.random.Generator, size: int) -> Floats:
        topics, few = drawn_topics(rng, size, n), max(1, NEAR // n)
        return np.concatenate([statistics(topics[i : i + few]) for i in range(0, size, few)])

    return np.concatenate(in_chunks(trial, trials, seed, n, threads, progress))


def resampled(w: Floats, integers: NDArray[np.integer]) -> Floats:
    """The values that these integers, from 0, draw.

    >>> resampled(np.array([0.2, 0.0, 0.1, 0.4, 0.0]), np.array([0, 2, 0, 1, 3]))
    array([0.2, 0.1, 0.2, 0. , 0.4])
    """
    return np.take(w, integers)


# -- what tests have in common --------------------------------------------------------------------


def differences(x: Sample, y: Sample, topics: Topics, least: int = 1) -> tuple[Floats, float]:
    """z = x − y, and what rounding may make of 0; such differences are 0.

    >>> differences([0.1 + 0.2, 1.0], [0.3, 0.5], "same")
    (array([0. , 0.5]), 1e-12)
    """
    a, b = paired(x, y, topics, least)
    tolerance = rounding_of(a, b)
    return apart(a, b, tolerance), tolerance


def standard_error(z: Floats, tolerance: float) -> float:
    """Of the mean: s / √n; 0 if all values are the same but for rounding."""
    return 0.0 if np.ptp(z) <= tolerance else float(z.std(ddof=1)) / math.sqrt(len(z))


def in_errors(difference: float, error: float) -> float:
    """A difference in standard errors; of values without variance, 0 or infinite."""
    if error:
        return difference / error
    return math.copysign(math.inf, difference) if difference else 0.0


def by_t(
    test: str,
    difference: float,
    error: float,
    df: float,
    n: int,
    assumed: str,
    alternative: Alternative,
    notices: tuple[Notice, ...],
) -> Outcome:
    """What a difference and its standard error mean if their ratio has a t distribution."""
    one_of("alternative", alternative, Alternative)
    t = in_errors(difference, error)
    below = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    pvalue = float(special.stdtr(df, below)) * sides(alternative)
    if difference == error == 0:
        pvalue = 1.0  # whatever the alternative: there is no evidence
    bounds = partial(_t_bounds, difference, error, df, alternative)
    return Outcome(test, t, pvalue, difference, n, assumed, bounds, df, notices=notices)


def _t_bounds(
    difference: float, error: float, df: float, alternative: Alternative, confidence: float
) -> tuple[float, float]:
    reached = float(special.stdtrit(df, 1 - tail(confidence, alternative))) * error
    return ends(difference - reached, difference + reached, alternative)


def by_trials(
    test: str,
    statistic: float,
    difference: float,
    n: int,
    assumed: str,
    bounds: Bounds,
    sampled: Sampled,
    smallest: float,
    notices: tuple[Notice, ...] = (),
) -> Outcome:
    """What a statistic means that was compared with those of trials."""
    told, smallest = notices + about_trials(sampled), max(smallest, sampled.smallest_pvalue)
    found = test, statistic, sampled.pvalue, difference, n, assumed, bounds
    return Outcome(*found, sampled=sampled, notices=told, smallest_pvalue=smallest)


def extreme(
    values: Floats, observed: float, alternative: Alternative, tolerance: float, strict: bool
) -> int:
    """How many are as far out as what was observed, on the side or sides that matter.

    >>> extreme(np.array([-0.3, 0.1, 0.3, 0.5]), 0.1 + 0.2, "two-sided", 1e-12, strict=False)
    3
    """
    if alternative == "two-sided":
        values, observed = np.abs(values), abs(observed)
    elif alternative == "less":
        values, observed = -values, -observed
    if strict:
        return int(np.count_nonzero(values > observed + tolerance))
    return int(np.count_nonzero(values >= observed - tolerance))


def reach(values: Floats, alpha: float, exact: bool) -> float:
    """The greatest value such that those as great or greater give a p-value above `alpha`.

    Infinite if even none of them do.

    >>> reach(np.arange(1.0, 100), 0.05, exact=False)  # (5 + 1) / (99 + 1), with 95 … 99
    95.0
    """
    share = alpha * (len(values) + (not exact)) + 1e-9  # 1 − 0.9 is less than 0.1
    needed = math.floor(share) + exact
    if needed == 0:
        return math.inf
    place = len(values) - needed
    return float(np.partition(values, place)[place])


def around(difference: float, deviations: Floats, alternative: Alternative) -> Bounds:
    """The interval as far from the difference as trials are from 0 where there is none."""
    return partial(_bounds_around, difference, deviations, alternative)


def _bounds_around(
    difference: float, deviations: Floats, alternative: Alternative, confidence: float
) -> tuple[float, float]:
    alpha = 1 - confidence
    if alternative == "two-sided":
        below = above = reach(np.abs(deviations), alpha, exact=False)
    else:
        below, above = (reach(side * deviations, alpha, exact=False) for side in (1, -1))
    return ends(difference - below, difference + above, alternative)


def ends(low: float, high: float, alternative: Alternative) -> tuple[float, float]:
    """Both, or the one that a one-sided test has."""
    return (
        -math.inf if alternative == "less" else low,
        math.inf if alternative == "greater" else high,
    )


def sides(alternative: Alternative) -> int:
    """Return the number of tails of the test."""
    return 2 if alternative == "two-sided" else 1


def tail(confidence: float, alternative: Alternative) -> float:
    """The probability beyond each end of an interval."""
    return (1 - confidence) / sides(alternative)


# -- the smallest p-value that so many topics which differ could have -----------------------------


def least_of_signs(z: Floats) -> float:
    """If all of them favoured the same system: so do two of the 2ᵏ ways to sign k differences.

    >>> least_of_signs(np.array([0.0] * 35 + [-0.3] * 5))  # 2 / 2⁵
    0.0625
    """
    return min(1.0, 2.0 ** (1 - int(np.count_nonzero(z))))


def least_of_ranks(z: Floats) -> float:
    """That of Wilcoxon's test if all of them favoured the same system."""
    return wilcoxon(np.abs(z), np.zeros(len(z))).pvalue


def least_of_t(z: Floats) -> float:
    """That of the t-test if all of them, k of n, were the same: t² = k (n − 1) / (n − k).

    >>> round(least_of_t(np.array([0.0] * 37 + [-0.3] * 3)), 4)  # t = √(3 · 39 / 37)
    0.0832
    """
    n, alike = len(z), (z != 0).astype(np.float64)
    return t_test(alike, np.zeros(n)).pvalue


# -- signs and ranks ------------------------------------------------------------------------------


def _walsh(z: Floats) -> Floats:
    """The means of all pairs of values, a value with itself included."""
    return np.concatenate([(z[i:] + z[i]) / 2 for i in range(len(z))])


def _ranks_outside(n: int, tail: float) -> int:
    """How many sums of signed ranks, from 0 up, have at most this probability together."""
    if n > EXACT:
        middle, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, math.floor(middle + float(special.ndtri(tail)) * spread) + 1)
    ways = np.ones(1)  # in which a sum comes about; below 2⁵³, so exact
    for rank in range(1, n + 1):
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    return int(np.count_nonzero(np.cumsum(ways) <= tail * 2.0**n))


def _between(values: Floats, outside: int, alternative: Alternative) -> tuple[float, float]:
    """The first and the last value if so many at either end, less one, are left out.

    If `outside` is 0 no value is far enough out: the interval has no ends.
    """
    if not outside:
        return -math.inf, math.inf
    places = outside - 1, len(values) - outside
    low, high = np.partition(values, places)[list(places)].tolist()
    return ends(low, high, alternative)


# -- trials ---------------------------------------------------------------------------------------


def _random_flips(rng: np.random.Generator, size: int, n: int) -> Floats:
    """For each trial, 1 for the topics whose difference changes its sign."""
    drawn = np.frombuffer(rng.bytes(-(-size * n // 8)), dtype=np.uint8)
    return np.unpackbits(drawn, count=size * n).reshape(size, n).astype(np.float64)


def _all_flips(n: int, progress: Progress | None) -> Iterator[Floats]:
    """The signs of all 2ⁿ trials there are, some of them at a time."""
    size = max(1, CELLS // n)
    for first in range(0, 2**n, size):
        numbers = np.arange(first, min(first + size, 2**n))
        yield (numbers[:, None] >> np.arange(n) & 1).astype(np.float64)
        if progress is not None:
            progress(len(numbers))


def _means(totals: Floats, numbers: Floats) -> Floats:
    """Infinite where there is nothing to take the mean of: such a trial counts at any shift."""
    means: Floats = np.full(len(totals), np.inf)
    return np.divide(totals, numbers, where=numbers > 0, out=means)


def _all_in_errors(means: Floats, errors: Floats, tolerance: float) -> Floats:
    """t of each sample: `in_errors`, where rounding may have made something of 0."""
    flat = errors <= tolerance
    infinite = np.where(np.abs(means) <= tolerance, 0.0, np.copysign(np.inf, means))
    return np.divide(means, errors, where=~flat, out=infinite)
