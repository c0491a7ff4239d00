"""Tests of two systems: the published examples, SciPy, enumeration, and what must always hold."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import cranfield as cf
from cranfield.errors import InputError
from cranfield.stats import resampling
from cranfield.stats.notes import note_skewness, note_trials
from cranfield.stats.paired import (
    bootstrap,
    bootstrap_statistics,
    randomisation,
    resample,
    run_randomisations,
    sign_test,
    t_test,
    wilcoxon,
)
from cranfield.stats.result import Outcome, Sampled
from cranfield.stats.samples import mean
from cranfield.stats.unpaired import resample_pooled, unpaired_bootstrap, welch
from tests.evidence import checks
from tests.made import examples

Test = Callable[..., Outcome]
Pairs = list[tuple[int, int]]

ALTERNATIVES = ("two-sided", "greater", "less")
SIDES: dict[str, Callable[[Any], Any]] = {
    "two-sided": np.abs,
    "greater": np.positive,
    "less": np.negative,
}
PAIRED: dict[str, Test] = {
    "t": t_test,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "randomisation": partial(randomisation, trials=2000),
    "bootstrap": partial(bootstrap, trials=2000),
    "mean shift": partial(bootstrap, trials=2000, studentised=False),
}
EVERY = PAIRED | {"welch": welch, "unpaired": partial(unpaired_bootstrap, trials=2000)}
RESAMPLED = ("randomisation", "bootstrap", "mean shift", "unpaired")

integers = st.integers(0, 10)
pairs = st.lists(st.tuples(integers, integers), min_size=2, max_size=20)
few = st.lists(st.tuples(integers, integers), min_size=1, max_size=7)


def scores(given: Pairs, over: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two systems' scores, multiples of 1/over: those of 16 have no rounding, those of 10 do."""
    x, y = np.array(given, dtype=np.float64).T / over
    return x, y


def random_scores(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    x = random.random(n)
    return x, x + random.normal(0.05, 0.2, n)


def kinds(outcome: Outcome) -> list[str]:
    return [note.kind for note in outcome.notes]


# Published examples


@checks(
    "cf.stats.t_test",
    "cf.stats.t_test interval",
    "cf.stats.welch",
    "cf.stats.welch interval",
    against="Student 1908",
)
def test_sleep_data_of_student() -> None:
    """Student 1908, as the manual of R's t.test has it: paired, and Welch's for two samples."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    found = t_test(first, second)
    interval = found.confidence_interval()
    assert found.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert found.pvalue == pytest.approx(0.002833, abs=5e-7)
    assert (interval.low, interval.high) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)

    found = welch(first, second)
    interval = found.confidence_interval()
    assert (found.statistic, found.df) == pytest.approx((-1.8608, 17.776), abs=5e-4)
    assert found.pvalue == pytest.approx(0.07939, abs=5e-6)
    assert (interval.low, interval.high) == pytest.approx((-3.3654832, 0.2054832), abs=5e-8)


@checks("cf.stats.t_test", "cf.stats.randomisation", against="Fisher 1935")
def test_maize_of_darwin() -> None:
    """Fisher 1935: of 2¹⁵ arrangements, 863 have a sum of at least 314, and as many of −314."""
    z = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    found = randomisation(z, [0] * 15, trials=2**15)
    assert found.sampled == Sampled(count=2 * 863, trials=2**15, exact=True)
    assert found.pvalue == 1726 / 32768
    assert found.statistic == pytest.approx(314 / 15)
    one_sided = randomisation(z, [0] * 15, trials=2**15, alternative="greater")
    assert one_sided.pvalue == 863 / 32768
    assert t_test(z, [0] * 15).statistic == pytest.approx(2.148, abs=5e-4)


@checks("cf.stats.wilcoxon", "cf.stats.wilcoxon interval", against="Hollander and Wolfe 1973")
def test_depression_scale_of_hollander_and_wolfe() -> None:
    """Nonparametric Statistical Methods, chapter 3: T⁺ = 40, p = 10/2⁹; 0.46, 96% interval."""
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = wilcoxon(x, y, alternative="greater")
    assert (found.statistic, found.pvalue) == (40, 10 / 512)
    assert found.difference == pytest.approx(0.46)
    interval = wilcoxon(x, y).confidence_interval(0.96)
    assert (interval.low, interval.high) == pytest.approx((0.010, 0.786))


def test_samples_of_figures_11_and_13() -> None:
    """Seed 001: the integers (1, 3, 1, 2, 4), ours from 0."""
    drawn = np.array([1, 3, 1, 2, 4]) - 1
    w = np.array([0.2, 0.0, 0.1, 0.4, 0.0])
    assert resample(w, drawn).tolist() == [0.2, 0.1, 0.2, 0.0, 0.4]
    x, y = resample_pooled(np.array([0.1, 0.3]), np.array([0.2, 0.0, 0.0]), drawn)
    assert (x.tolist(), y.tolist()) == ([0.1, 0.2], [0.1, 0.3, 0.0])


def test_median_between_order_statistics() -> None:
    """Of 10 differences 1 … 10, P(at most 1 heads) = 11/1024 < 0.025 < 56/1024: from 2 to 9."""
    found = sign_test(range(1, 11), [0] * 10)
    interval = found.confidence_interval()
    assert (found.difference, interval.low, interval.high) == (5.5, 2, 9)
    assert found.pvalue == pytest.approx(2 / 1024)
    one_sided = sign_test(range(1, 11), [0] * 10, alternative="greater").confidence_interval(0.99)
    assert (one_sided.low, one_sided.high) == (1, math.inf)  # 1/1024 < 0.01 < 11/1024


# SciPy


def same(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


@checks("cf.stats.t_test", "cf.stats.sign_test", against="SciPy")
@given(pairs, st.sampled_from((10, 16)), st.sampled_from(ALTERNATIVES))
@settings(max_examples=examples(60))
def test_t_and_sign_test_agree_with_scipy(given: Pairs, over: int, alternative: Any) -> None:
    from scipy import stats

    x, y = scores(given, over)
    better, worse = int((x > y).sum()), int((x < y).sum())
    assume(np.ptp(x - y) > 0.01)
    theirs = stats.binomtest(better, better + worse, 0.5, alternative)
    assert sign_test(x, y, alternative=alternative).pvalue == same(theirs.pvalue)

    found = t_test(x, y, alternative=alternative)
    theirs = stats.ttest_rel(x, y, alternative=alternative)
    ours, interval = found.confidence_interval(0.9), theirs.confidence_interval(0.9)
    assert (found.statistic, found.pvalue) == same((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == same((interval.low, interval.high))


@checks("cf.stats.welch", against="SciPy")
@given(pairs, pairs, st.sampled_from(ALTERNATIVES))
@settings(max_examples=examples(60))
def test_welch_agrees_with_scipy(first: Pairs, second: Pairs, alternative: Any) -> None:
    from scipy import stats

    x, y = scores(first, 10)[0], scores(second, 10)[1]
    assume(np.ptp(x) > 0.01 and np.ptp(y) > 0.01)
    found = welch(x, y, alternative=alternative)
    theirs = stats.ttest_ind(x, y, equal_var=False, alternative=alternative)
    ours, interval = found.confidence_interval(0.9), theirs.confidence_interval(0.9)
    assert (found.statistic, found.pvalue) == same((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == same((interval.low, interval.high))


@checks("cf.stats.wilcoxon", against="SciPy")
@given(
    st.lists(st.tuples(integers, integers), min_size=14, max_size=30) | few,
    st.sampled_from((10, 16)),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from(("wilcox", "pratt", "zsplit")),
)
@settings(max_examples=examples(30))
def test_wilcoxon_agrees_with_scipy(given: Pairs, over: int, alternative: Any, zeros: Any) -> None:
    """SciPy sees whole numbers, for which ties are not left to rounding. Not on 8 to 13 topics, for
    which it takes up to two seconds if there are ties.
    """
    from scipy import stats

    assume(any(x != y for x, y in given))
    found = wilcoxon(*scores(given, over), alternative=alternative, zeros=zeros)
    theirs = stats.wilcoxon(*scores(given, 1), zero_method=zeros, alternative=alternative)
    assert (found.statistic, found.pvalue) == same((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_large_samples_agree_with_scipy(alternative: Any) -> None:
    from scipy import stats

    x, y = random_scores(300, seed=1)
    theirs = stats.ttest_rel(x, y, alternative=alternative)
    assert t_test(x, y, alternative=alternative).pvalue == pytest.approx(theirs.pvalue, rel=1e-12)
    theirs = stats.wilcoxon(x, y, alternative=alternative)
    found = wilcoxon(x, y, alternative=alternative)
    assert found.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)


# Enumeration


def enumerated(given: Pairs, alternative: str, strict: bool) -> int:
    """How many of the 2ⁿ sums of ±z are as extreme, in whole numbers."""
    z = [x - y for x, y in given]
    side = SIDES[alternative]
    sums = [side(sum(a * b for a, b in zip(z, s, strict=True))) for s in signs(len(z))]
    return sum(s > side(sum(z)) if strict else s >= side(sum(z)) for s in sums)


def signs(n: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product((1, -1), repeat=n)


@checks("cf.stats.randomisation", against="enumeration")
@given(few, st.sampled_from(ALTERNATIVES), st.booleans())
@settings(max_examples=examples(100))
def test_randomisation_is_exact(given: Pairs, alternative: Any, strict: bool) -> None:
    x, y = scores(given, 10)
    found = randomisation(x, y, alternative=alternative, strict=strict)
    count = enumerated(given, alternative, strict)
    assert found.sampled == Sampled(count, 2 ** len(given), exact=True)
    assert found.pvalue == Fraction(count, 2 ** len(given))


def test_plain_floats_miscount_ties() -> None:
    """z = 0.3, 0.6, −0.3, −0.5: all 16 sums are at least 0.1, but not all floats are."""
    given = [(10, 7), (6, 0), (3, 6), (1, 6)]
    x, y = scores(given, 10)
    plain = sum(abs(np.mean(s * (x - y))) >= abs(np.mean(x - y)) for s in np.array([*signs(4)]))
    assert plain < 16
    assert enumerated(given, "two-sided", strict=False) == 16
    assert randomisation(x, y).pvalue == 1


@checks("cf.stats.bootstrap", against="enumeration")
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_bootstrap_draws_from_all_samples(alternative: Any) -> None:
    """All 4⁴ samples of w, in whole numbers: those of equal values have an infinite t."""
    z = np.array([5, 3, 6, -2])  # the mean is 3: w = 2, 0, 3, −5
    side = SIDES[alternative]

    def t(sample: tuple[int, ...]) -> float:
        spread = statistics.stdev(sample)
        mean = statistics.mean(sample)
        if not spread:
            return math.copysign(math.inf, mean) if mean else 0.0
        return mean / (spread / 2)

    samples = list(itertools.product((2, 0, 3, -5), repeat=4))
    observed = side(t((5, 3, 6, -2)))
    share = sum(side(t(s)) >= observed - 1e-9 for s in samples) / len(samples)
    found = bootstrap(z / 10, np.zeros(4), trials=20_000, alternative=alternative)
    assert found.sampled is not None
    assert found.statistic == pytest.approx(t((5, 3, 6, -2)))
    assert found.pvalue == pytest.approx(share, abs=4 * found.sampled.error)

    share = sum(side(sum(s)) >= side(12) for s in samples) / len(samples)
    found = bootstrap(z / 10, np.zeros(4), trials=20_000, studentised=False, alternative=alternative)
    assert found.sampled is not None
    assert found.pvalue == pytest.approx(share, abs=4 * found.sampled.error)


@checks("cf.stats.unpaired_bootstrap", against="enumeration")
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("name", "statistic"), [("mean", np.mean), ("median", np.median)])
def test_unpaired_bootstrap_draws_from_all_samples(name: Any, statistic: Any, alternative: Any) -> None:
    """All 5⁵ samples of both together, in whole numbers."""
    x, y = [7, 9], [2, 4, 4]
    side = SIDES[alternative]
    every = np.array(list(itertools.product(x + y, repeat=5)))
    found = side(statistic(every[:, :2], axis=1) - statistic(every[:, 2:], axis=1))
    share = np.mean(found >= side(statistic(x) - statistic(y)) - 1e-9)

    outcome = unpaired_bootstrap(np.array(x) / 10, np.array(y) / 10, name, trials=20_000, alternative=alternative)
    assert outcome.sampled is not None
    assert outcome.difference == pytest.approx((statistic(x) - statistic(y)) / 10)
    assert outcome.pvalue == pytest.approx(share, abs=4 * outcome.sampled.error)


def test_functions_with_an_axis_and_without() -> None:
    x, y = random_scores(12, seed=2)
    test: Test = partial(unpaired_bootstrap, x, y[:9], trials=200)
    assert test(np.median) == test("median") == test(statistics.median)
    assert test(lambda values: sorted(values)[0]) == test(np.min)
    for wrong in ("mode", 5):
        with pytest.raises(InputError, match="mean, median or a function"):
            test(wrong)
    with pytest.raises(InputError, match="finite numbers"):
        test(lambda values: math.inf)


# What the p-values are worth


@pytest.mark.parametrize("name", ["randomisation", "bootstrap", "mean shift"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_resampling_converges_to_the_t_test(name: str, alternative: Any) -> None:
    """On normal differences they are the same to a few 1/n, besides Monte-Carlo error."""
    z = np.random.default_rng(3).normal(0.1, 1, 200)
    found = PAIRED[name](z, np.zeros(200), trials=10_000, alternative=alternative)
    assert found.sampled is not None
    expected = t_test(z, np.zeros(200), alternative=alternative).pvalue
    assert found.pvalue == pytest.approx(expected, abs=4 * found.sampled.error + 2 / 200)


@checks(
    "cf.stats.t_test",
    "cf.stats.sign_test",
    "cf.stats.randomisation",
    "cf.stats.bootstrap",
    against="simulation",
)
@pytest.mark.parametrize("name", ["t", "sign", "randomisation", "bootstrap"])
def test_type_i_error(name: str) -> None:
    """Of 1,000 pairs of equal systems, 5% are found different: 50 ± 4 standard deviations of 6.9.

    The sign test, whose p-values are far apart, finds 0.0414: P(at most 5 of 20 heads), twice.
    """
    random = np.random.default_rng(4)
    found = 0
    for seed, (x, y) in enumerate(random.random((1000, 2, 20))):
        options = {"trials": 199, "seed": seed} if name in RESAMPLED else {}
        found += PAIRED[name](x, y, **options).pvalue <= 0.05
    share = 0.0414 if name == "sign" else 0.05
    assert found == pytest.approx(1000 * share, abs=4 * math.sqrt(1000 * share * (1 - share)))


@checks(
    "cf.stats.t_test interval",
    "cf.stats.wilcoxon interval",
    "cf.stats.sign_test interval",
    "cf.stats.randomisation interval",
    "cf.stats.bootstrap interval",
    "cf.stats.welch interval",
    against="property",
)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [9, 25])
@pytest.mark.parametrize("name", [*PAIRED, "welch"])
def test_intervals_have_what_the_test_does_not_reject(name: str, n: int, alternative: Any) -> None:
    """x − d differs from y, for d just outside an end of the interval, and not just inside."""
    test = EVERY[name]
    x, y = random_scores(n, seed=n)
    found = test(x, y, alternative=alternative)
    interval = found.confidence_interval(0.9)
    assert interval.low < found.difference < interval.high
    assert (interval.low == -math.inf) == (alternative == "less")
    assert (interval.high == math.inf) == (alternative == "greater")
    for end, outwards in ((interval.low, -1e-7), (interval.high, 1e-7)):
        if math.isfinite(end):
            assert test(x - (end + outwards), y, alternative=alternative).pvalue <= 0.1
            assert test(x - (end - outwards), y, alternative=alternative).pvalue > 0.1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.25, 0.5])
def test_unpaired_interval_without_zero_is_significant(shift: float, alternative: Any) -> None:
    x, y = random_scores(15, seed=11)
    found = unpaired_bootstrap(x + shift, y[:12], trials=999, alternative=alternative)
    for confidence in (0.5, 0.8, 0.95, 0.99):
        interval = found.confidence_interval(confidence)
        outside = not interval.low <= 0 <= interval.high
        assert outside == (found.pvalue <= 1 - confidence)
    assert interval.mean == found.difference


def test_interval_of_many_signed_ranks() -> None:
    """Beyond 50 topics the critical value is the normal one, as SciPy's p-value is."""
    x, y = random_scores(80, seed=5)
    interval = wilcoxon(x, y).confidence_interval(0.95)
    for end, outwards in ((interval.low, -1e-7), (interval.high, 1e-7)):
        assert wilcoxon(x - (end + outwards), y).pvalue <= 0.05
        assert wilcoxon(x - (end - outwards), y).pvalue > 0.05


@pytest.mark.parametrize("name", ["wilcoxon", "sign", "randomisation"])
def test_too_few_topics_for_an_interval(name: str) -> None:
    """The least p-value of 4 topics is 2/2⁴ = 0.125: no difference at all can be excluded."""
    found = PAIRED[name]([4, 5, 7, 9], [1, 1, 2, 3])
    interval = found.confidence_interval(0.95)
    assert found.pvalue == 0.125
    assert (interval.low, interval.high) == (-math.inf, math.inf)
    assert math.isfinite(found.confidence_interval(0.8).low)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        t_test([1, 2, 4], [0, 0, 0]).confidence_interval(confidence)


# What must always hold


@pytest.mark.parametrize("name", ["randomisation", "bootstrap", "unpaired"])
def test_seed_alone_decides(name: str) -> None:
    x, y = random_scores(50, seed=6)
    told: list[int] = []
    test = partial(EVERY[name], x, y, trials=12_000)  # more than a chunk
    first = test(seed=1, threads=1)
    again = test(seed=1, threads=3, progress=told.append)
    assert first == again
    assert first.confidence_interval() == again.confidence_interval()
    assert first.sampled != test(seed=2).sampled
    assert (sum(told), len(told) > 1) == (12_000, True)
    interval = first.confidence_interval()
    assert (interval.trials, interval.seed) == (12_000, 1)


def test_progress_of_an_enumeration() -> None:
    told: list[int] = []
    x, y = random_scores(10, seed=7)
    found = randomisation(x, y, trials=2**10, progress=told.append)
    assert sum(told) == 2**10
    assert found.sampled is not None
    assert found.sampled.exact
    sampled = randomisation(x, y, trials=2**10 - 1).sampled
    assert sampled is not None
    assert not sampled.exact


@pytest.mark.parametrize("name", RESAMPLED)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_sampled_p_value_is_zero(name: str, seed: int) -> None:
    x, y = random_scores(50, seed=8)
    found = EVERY[name](x + 100, y, trials=99, seed=seed)
    assert found.sampled == Sampled(count=0, trials=99, seed=seed)
    assert found.pvalue == 0.01


@given(pairs, st.sampled_from([*PAIRED, "welch"]))
@settings(max_examples=examples(60))
def test_other_order_of_systems_same_p_value(given: Pairs, name: str) -> None:
    """The difference changes its sign; one-sided tests change sides. Trials are the same."""
    assume(name != "wilcoxon" or not 7 < len(given) < 14)  # slow
    x, y = scores(given, 16)
    test = EVERY[name]
    there, back = test(x, y), test(y, x)
    assert back.difference == pytest.approx(-there.difference)
    assert back.pvalue == pytest.approx(there.pvalue)
    greater, less = test(x, y, alternative="greater"), test(y, x, alternative="less")
    assert greater.pvalue == pytest.approx(less.pvalue)
    low, high = greater.confidence_interval().low, less.confidence_interval().high
    assert high == pytest.approx(-low)


@given(pairs, st.integers(1, 32), st.sampled_from(["t", "sign", "randomisation", "bootstrap"]))
@settings(max_examples=examples(60))
def test_a_better_system_is_not_less_significant(given: Pairs, more: int, name: str) -> None:
    x, y = scores(given, 16)
    test = partial(PAIRED[name], alternative="greater")
    assume(name != "sign" or not np.isin(0, x - y))  # they are left out, and then are not
    assert test(x + more / 16, y).pvalue <= test(x, y).pvalue + 1e-12


@pytest.mark.parametrize("name", sorted(EVERY))
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems(name: str, alternative: Any) -> None:
    same = [0.1 + 0.2] * 6
    found = EVERY[name](same, [0.3] * 6, alternative=alternative)
    assert found.pvalue == 1
    assert found.difference == pytest.approx(0)
    assert math.isfinite(found.statistic)
    if name != "unpaired":
        assert set(kinds(found)) & {"identical", "constant"}


def test_constant_difference() -> None:
    """As SciPy has it, t is infinite; counted tests see only that no trial goes as far."""
    x, y = [0.3, 0.4, 0.5, 0.9], [0.2, 0.3, 0.4, 0.8]  # 0.1, but for rounding
    found = t_test(x, y)
    assert (found.statistic, found.pvalue, kinds(found)) == (math.inf, 0, ["constant"])
    assert t_test(x, y, alternative="less").pvalue == 1
    assert t_test(y, x).statistic == -math.inf
    interval = found.confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((0.1, 0.1))
    assert bootstrap(x, y, trials=99).pvalue == 0.01
    assert randomisation(x, y).pvalue == 2 / 16


@pytest.mark.parametrize("name", sorted(PAIRED))
def test_topics_are_paired_by_name(name: str) -> None:
    x, y = random_scores(9, seed=9)
    topics = [str(301 + i) for i in range(9)]
    first = dict(zip(topics, x.tolist(), strict=True))
    second = dict(zip(topics, y.tolist(), strict=True))
    test = PAIRED[name]
    assert test(first, dict(sorted(second.items(), reverse=True))) == test(x, y)

    first["400"] = 0.5
    with pytest.raises(InputError, match=r"1 topic \(400\) of one system only"):
        test(first, second)
    assert test(first, second, topics="common") == test(x, y)
    with pytest.raises(InputError, match="both with, or both without"):
        test(first, y)
    with pytest.raises(InputError, match="9 and 8 scores"):
        test(x, y[1:])


@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_is_refused(name: str) -> None:
    test = EVERY[name]
    with pytest.raises(InputError, match="two-sided, greater, less"):
        test([1, 2], [2, 3], alternative="bigger")
    with pytest.raises(InputError, match="finite numbers"):
        test([1, math.nan], [2, 3])
    with pytest.raises(InputError, match="at least"):
        test([], [])
    if name in RESAMPLED:
        with pytest.raises(InputError, match="trials=0"):
            test([1, 2], [2, 3], trials=0)
        with pytest.raises(InputError, match="seed=-1"):
            test([1, 2], [2, 3], seed=-1)


# What the user is told


def test_topics_without_a_difference_are_counted() -> None:
    x, y = [1, 2, 3, 4, 5], [1, 2, 2, 2, 2]
    found = sign_test(x, y)
    assert (found.n, found.statistic, found.pvalue) == (5, 3, 0.25)
    assert [note.text for note in found.notes] == ["2 of 5 topics excluded (difference 0)"]
    assert kinds(wilcoxon(x, y)) == ["zeros"]
    assert kinds(wilcoxon(x, y, zeros="pratt")) == []
    with pytest.raises(InputError, match="wilcox, pratt, zsplit"):
        wilcoxon(x, y, zeros="none")  # type: ignore[arg-type]


def test_rounding_does_not_decide_ranks() -> None:
    """−0.1, 0.1 and 0.1 have rank 2; in floats the last is the largest, and the others had 1.5."""
    for times in (1, 10, 100):
        found = wilcoxon(times * np.array([0.2, 0.3, 0.4]), times * np.array([0.3, 0.2, 0.3]))
        assert (found.statistic, found.pvalue, found.notes) == (2, 1, ())


@pytest.mark.parametrize(
    ("count", "trials", "warns"),
    [
        (500, 10_000, True),  # 0.0501 ± 0.0022
        (460, 10_000, True),  # 0.0461 ± 0.0021
        (440, 10_000, False),  # 0.0441 ± 0.0021
        (9, 10_000, True),  # of 0.001, a third
        (10, 10_000, False),
        (0, 10_000, False),  # shown as p < 0.0001
        (0, 40, True),  # 0.0244 ± 0.0241
        (0, 10, True),
    ],
)
def test_too_few_trials(count: int, trials: int, warns: bool) -> None:
    notes = note_trials(Sampled(count, trials, seed=0))
    assert [note.kind for note in notes] == ["trials"] * warns
    assert not note_trials(Sampled(count, trials, exact=True))


def test_small_p_values_are_shown_with_a_digit() -> None:
    (note,) = note_trials(Sampled(3, 1_000_000, seed=0))
    assert note.text == (
        "p = 0.000004, standard error 0.000002 from 1,000,000 trials. Use trials=10000000 for a more precise p"
    )


def test_skewed_differences() -> None:
    """Skewness of n − 1 zeros and a one: (n − 2) / √(n − 1); the bounds are 0.3 √n, 3 errors."""

    def warns(n: int) -> bool:
        return bool(note_skewness(np.array([0.0] * (n - 1) + [1.0])))

    assert [warns(n) for n in (2, 5, 10, 50)] == [False, False, True, True]  # 2.67 > 3 · 0.687
    assert kinds(t_test([0.5] * 20 + [1.0], [0.5] * 21)) == ["normality"]
    normal = np.random.default_rng(10).normal(size=(500, 10))
    assert sum(bool(note_skewness(z)) for z in normal) <= 5
    assert not note_skewness(np.array([-9.0, *np.linspace(-1, 1, 19), 9.0]))  # heavy, even


@pytest.mark.parametrize("topics", [6, 30])
def test_pairs_together_are_as_one_by_one(topics: int) -> None:
    """More pairs than are drawn for at a time, on topics that are enumerated and that are not."""
    values = np.round(np.random.default_rng(5).random((topics, 12)), 1)
    pairs = [(i, j) for i in range(12) for j in range(i)]  # 66
    for (i, j), found in zip(pairs, run_randomisations(values, pairs, 500, 3), strict=True):
        alone = cf.stats.randomisation(values[:, i], values[:, j], 500, 3)
        assert (found.pvalue, found.sampled) == (alone.pvalue, alone.sampled)
        ours, theirs = found.confidence_interval(), alone.confidence_interval()
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("n", "trials"), [(7, 500), (50, 10_000), (300, 4_000)])
def test_bootstrap_samples_are_those_of_the_streams(n: int, trials: int) -> None:
    """Chunk by chunk, each sample by itself, to the last bit; and again, when they are known."""
    z = np.random.default_rng(n).random(n).round(2) - 0.4
    w, size = z - mean(z), resampling.CELLS // n
    chunks = [
        resampling.create_generator(5, i).integers(n, size=(min(size, trials - first), n))
        for i, first in enumerate(range(0, trials, size))
    ]
    drawn = w[np.concatenate(chunks)]
    means, errors = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(n)
    for _ in range(2):
        assert (bootstrap_statistics(z, 1e-12, trials, 5, studentised=False) == means).all()
        assert (bootstrap_statistics(z, 1e-12, trials, 5, threads=2) == means / errors).all()
