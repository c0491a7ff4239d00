"""Effect sizes: by hand, by SciPy, by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.errors import CranfieldError
from cranfield.stats.effects import anova_effect, cohen_dz, glass_delta, hedges_g
from tests.evidence import checks
from tests.made import examples
from tests.stats.made import TOPICS_RUNS, numbers

X = {"301": 0.5, "302": 0.4, "303": 0.9}
Y = {"303": 0.6, "302": 0.2, "301": 0.4}  # in another order: X − Y is 0.1, 0.2, 0.3


def normal_pairs(count: int, n: int, shift: float) -> Any:
    """Many pairs of samples whose differences are normal with this mean and deviation 1."""
    rng = np.random.default_rng(5)
    y = rng.normal(0, 2, (count, n))
    return zip(y + rng.normal(shift, 1, (count, n)), y, strict=True)


class TestCohen:
    @checks("cf.stats.cohen_dz", against="by hand")
    def test_by_hand(self) -> None:
        """The mean of 0.1, 0.2, 0.3 is 0.2, and their deviation √(0.02 / 2) = 0.1."""
        effect = cohen_dz(X, Y)
        assert effect.value == pytest.approx(2.0, abs=1e-12)
        assert effect.difference == pytest.approx(0.2)
        assert effect.divisor == pytest.approx(0.1)
        assert effect.n == 3
        assert "differences" in effect.standardiser

    @checks("cf.stats.cohen_dz", against="SciPy")
    def test_it_is_t_by_root_n(self) -> None:
        from scipy.stats import ttest_rel

        rng = np.random.default_rng(1)
        x, y = rng.random(20), rng.random(20)
        assert cohen_dz(x, y).value * math.sqrt(20) == pytest.approx(ttest_rel(x, y).statistic)

    @checks("cf.stats.cohen_dz interval", against="SciPy")
    @pytest.mark.parametrize("sign", [1, -1])
    def test_the_ends_of_the_interval_are_what_noncentral_t_says(self, sign: int) -> None:
        """At its ends, the data are just at the 2.5% in one and the other tail."""
        from scipy.stats import nct

        rng = np.random.default_rng(2)
        y = rng.random(12)
        x = y + sign * rng.normal(0.1, 0.1, 12)
        effect = cohen_dz(x, y)
        interval = effect.confidence_interval(0.95)
        t, root = effect.value * math.sqrt(12), math.sqrt(12)
        assert nct.sf(t, 11, interval.low * root) == pytest.approx(0.025, abs=1e-6)
        assert nct.cdf(t, 11, interval.high * root) == pytest.approx(0.025, abs=1e-6)
        assert interval.low < effect.value < interval.high
        assert (interval.mean, interval.method, interval.n) == (effect.value, "noncentral t", 12)

    @checks("cf.stats.cohen_dz interval", against="simulation")
    def test_the_interval_covers_as_often_as_it_says(self) -> None:
        """Of 600 samples, 90% within four standard errors, √(0.9 · 0.1 / 600) = 0.012 each."""
        intervals = [cohen_dz(x, y).confidence_interval(0.9) for x, y in normal_pairs(600, 7, 0.8)]
        covered = sum(i.low <= 0.8 <= i.high for i in intervals) / 600
        assert covered == pytest.approx(0.9, abs=0.049)

    @pytest.mark.parametrize("n", [3, 30])
    def test_huge_effects_have_intervals_too(self, n: int) -> None:
        """With t = (Z + δ) / s so large that Z does not count, δ / t is a quantile of s, which is
        √(χ² / ν); it is nearly so below t = 1000, where the formula changes, too.
        """
        from scipy.stats import chi2

        z = np.linspace(-1, 1, n)
        for t in (990, 1010, 1e9):
            x = z + z.std(ddof=1) * t / math.sqrt(n)
            found = cohen_dz(x, np.zeros(n)).confidence_interval()
            ends = (found.low / found.mean, found.high / found.mean)
            expected = np.sqrt(chi2.ppf([0.025, 0.975], n - 1) / (n - 1))
            assert ends == pytest.approx(tuple(expected), rel=5e-4)

    def test_without_variance_there_is_no_scale(self) -> None:
        """0.3 − 0.1, 0.9 − 0.7 and 0.4 − 0.2 are equal, but for rounding."""
        better = cohen_dz([0.3, 0.9, 0.4], [0.1, 0.7, 0.2])
        assert better.value == math.inf
        assert cohen_dz([0.1, 0.7, 0.2], [0.3, 0.9, 0.4]).value == -math.inf
        same = cohen_dz([0.1, 0.7], [0.1, 0.7])
        assert (same.value, same.divisor) == (0.0, 0.0)
        for effect in (better, same):
            assert math.isnan(effect.confidence_interval().low)

    @settings(max_examples=examples(30))
    @given(numbers, st.data())
    def test_signs_and_scales(self, x: list[float], data: Any) -> None:
        y = data.draw(st.lists(st.sampled_from(x), min_size=len(x), max_size=len(x)))
        for function in (cohen_dz, hedges_g, glass_delta):
            value = function(x, y).value
            other = function(y, x, baseline="x") if function is glass_delta else function(y, x)
            assert other.value == pytest.approx(-value)
            wider = function(4 * np.array(x), 4 * np.array(y)).value
            assert wider == pytest.approx(value)

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="found 1 topic, expected at least 2"):
            cohen_dz([0.1], [0.2])
        with pytest.raises(CranfieldError, match=r"of one system only\. Use topics='common'"):
            cohen_dz(X, {"301": 0.4, "302": 0.2, "304": 0.1})
        with pytest.raises(CranfieldError, match="found confidence=95"):
            cohen_dz(X, Y).confidence_interval(95)


class TestHedges:
    @checks("cf.stats.hedges_g", against="by hand")
    def test_by_hand(self) -> None:
        """d_z = 2 and J(2) = Γ(1) / (√1 Γ(1/2)) = 1 / √π."""
        assert hedges_g(X, Y).value == pytest.approx(2 / math.sqrt(math.pi), abs=1e-12)

    def test_unpaired_by_hand(self) -> None:
        """Means 0.2 and 0.5; squares about them 0.02 and 0.02: s = √(0.04 / 3), ν = 3.

        J(3) = Γ(3/2) / (√(3/2) Γ(1)) = (√π / 2) / √1.5 = 0.7236.
        """
        effect = hedges_g([0.1, 0.2, 0.3], [0.4, 0.6], unpaired=True)
        assert effect.divisor == pytest.approx(math.sqrt(0.04 / 3))
        expected = math.sqrt(math.pi) / 2 / math.sqrt(1.5) * -0.3 / math.sqrt(0.04 / 3)
        assert effect.value == pytest.approx(expected)
        assert (effect.n, effect.standardiser) == (5, "pooled standard deviation")

    def test_the_correction_is_nearly_that_of_hedges_approximation(self) -> None:
        """J(ν) ≈ 1 − 3 / (4ν − 1), Hedges (1981); the error falls quickly with ν."""
        rng = np.random.default_rng(3)
        x, y = rng.random(25), rng.random(25)
        share = hedges_g(x, y).value / cohen_dz(x, y).value
        assert share == pytest.approx(1 - 3 / (4 * 24 - 1), abs=1e-4)

    @checks("cf.stats.hedges_g", against="simulation")
    def test_it_is_unbiased_where_cohen_s_is_not(self) -> None:
        found = [(cohen_dz(x, y).value, hedges_g(x, y).value) for x, y in normal_pairs(1500, 6, 0.5)]
        biased, unbiased = np.mean(found, axis=0)
        error = np.std(found, axis=0)[1] / math.sqrt(1500)
        assert unbiased == pytest.approx(0.5, abs=4 * error)
        assert biased > 0.5 + 2 * error

    @checks("cf.stats.hedges_g interval", against="SciPy")
    def test_the_unpaired_interval_is_that_of_two_samples(self) -> None:
        from scipy.stats import nct, ttest_ind

        rng = np.random.default_rng(4)
        x, y = rng.random(9), rng.random(14)
        interval = hedges_g(x, y, unpaired=True).confidence_interval()
        root = math.sqrt(9 * 14 / 23)
        t = ttest_ind(x, y).statistic
        assert nct.sf(t, 21, interval.low * root) == pytest.approx(0.025, abs=1e-6)
        assert nct.cdf(t, 21, interval.high * root) == pytest.approx(0.025, abs=1e-6)

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="at least 3"):
            hedges_g([0.1, 0.2], [0.2, 0.1])
        with pytest.raises(CranfieldError, match="at least 2 of each system"):
            hedges_g([0.1, 0.2], [0.2], unpaired=True)


class TestGlass:
    @checks("cf.stats.glass_delta", against="by hand")
    def test_by_hand(self) -> None:
        """X − Y is 0.2; Y's deviation is √(0.08 / 2) = 0.2, X's √(0.14 / 2) = 0.2646."""
        assert glass_delta(X, Y).value == pytest.approx(1.0)
        assert glass_delta(X, Y, baseline="x").value == pytest.approx(0.2 / math.sqrt(0.07))

    @checks("cf.stats.glass_delta interval", against="SciPy")
    def test_the_interval_is_the_bootstrap_s(self) -> None:
        from scipy.stats import bootstrap

        rng = np.random.default_rng(6)
        y = rng.random(30)
        x = y + rng.normal(0.1, 0.1, 30)
        interval = glass_delta(x, y, trials=4000, seed=1).confidence_interval(0.9)

        def delta(a: Any, b: Any, axis: int) -> Any:
            return (a - b).mean(axis=axis) / b.std(axis=axis, ddof=1)

        theirs = bootstrap(
            (x, y), delta, paired=True, n_resamples=4000, method="percentile",
            confidence_level=0.9, random_state=np.random.default_rng(2),
        ).confidence_interval  # fmt: skip
        # Two bootstraps: ends differ by Monte-Carlo error, here less than a tenth of the width.
        assert interval.low == pytest.approx(theirs.low, abs=0.1 * (theirs.high - theirs.low))
        assert interval.high == pytest.approx(theirs.high, abs=0.1 * (theirs.high - theirs.low))
        assert (interval.trials, interval.seed, interval.method) == (4000, 1, "percentile")
        again = glass_delta(x, y, trials=4000, seed=1).confidence_interval(0.9)
        assert again == interval

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="found baseline='z', expected 'x' or 'y'"):
            glass_delta(X, Y, baseline="z")  # type: ignore[arg-type]
        with pytest.raises(CranfieldError, match="found trials=0"):
            glass_delta(X, Y, trials=0)


class TestAnovaEffect:
    @checks("cf.stats.anova_effect", against="by hand")
    def test_by_hand(self) -> None:
        """The differences 0.1, 0.2, 0.3 have variance 0.01: V_E2 is half of it, 0.005."""
        found = anova_effect({"x": X, "y": Y})
        assert set(found) == {("x", "y"), ("y", "x")}
        assert found["x", "y"].value == pytest.approx(0.2 / math.sqrt(0.005))
        assert found["y", "x"].value == pytest.approx(-0.2 / math.sqrt(0.005))

    def test_of_two_systems_the_interval_is_cohen_s(self) -> None:
        """d_z √2, and so are the ends: m = 2 gives the same t and degrees of freedom."""
        ours = anova_effect({"x": X, "y": Y})["x", "y"].confidence_interval()
        cohen = cohen_dz(X, Y).confidence_interval()
        assert ours.low == pytest.approx(math.sqrt(2) * cohen.low)
        assert ours.high == pytest.approx(math.sqrt(2) * cohen.high)

    def test_all_pairs_have_one_divisor(self) -> None:
        rng = np.random.default_rng(7)
        found = anova_effect(rng.random((10, 4)), axes=TOPICS_RUNS)
        assert len(found) == 12
        assert len({effect.divisor for effect in found.values()}) == 1

    def test_systems_that_differ_by_a_constant(self) -> None:
        found = anova_effect({"x": [0.3, 0.9, 0.4], "y": [0.1, 0.7, 0.2]})
        assert found["x", "y"].value == math.inf
