"""Topic set size design: against published numbers, SciPy and simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ncfdtr

from cranfield.errors import CranfieldError
from cranfield.stats.power import (
    _compute_beta_mixture,
    difference_for_anova,
    difference_for_t,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
    topics_to_decide,
    variance_from,
    width_of_interval,
)
from tests.evidence import checks
from tests.made import examples
from tests.stats.made import TOPICS_RUNS

differences = st.floats(0.05, 3)
variances = st.floats(0.1, 3)


class TestT:
    @checks("cf.stats.topics_for_t", against="Faul et al. 2007")
    @pytest.mark.parametrize(
        ("d", "power", "topics"),
        [
            (0.2, 0.8, 199),  # G*Power 3, paired t: d_z = 0.2, 0.5 and 0.8
            (0.5, 0.8, 34),
            (0.8, 0.8, 15),
            (0.25, 0.75, 113),  # R's pwr.t.test, type="paired": n = 112.9798
            (0.5, 0.75, 30),  # n = 29.7355
        ],
    )
    def test_published_numbers(self, d: float, power: float, topics: int) -> None:
        assert topics_for_t(d, 1.0, power=power).topics == topics

    def test_jmp_s_example(self) -> None:
        """Deviation 2, difference 1.5, power 0.9: 21, which achieve 90.4 or 90.5%."""
        design = topics_for_t(1.5, 4.0, power=0.9)
        assert design.topics == 21
        assert design.achieved == pytest.approx(0.9045, abs=0.0006)
        assert (design.method, design.difference, design.power) == ("t", 1.5, 0.9)

    @checks("cf.stats.power_of_t", against="SciPy")
    @pytest.mark.parametrize("n", [2, 3, 10, 50, 400])
    @pytest.mark.parametrize("d", [0.1, 0.5, 1.2])
    def test_power_is_that_of_the_noncentral_t(self, n: int, d: float) -> None:
        from scipy.stats import nct, t

        critical, shift = t.isf(0.01, n - 1), d * math.sqrt(n)
        expected = nct.sf(critical, n - 1, shift) + np.nan_to_num(nct.cdf(-critical, n - 1, shift))
        assert power_of_t(n, d, 1.0, alpha=0.02) == pytest.approx(expected, abs=1e-9)

    @checks("cf.stats.power_of_t", against="simulation")
    def test_power_by_simulation(self) -> None:
        """Of 20,000 samples of 20 topics; four standard errors are at most 0.0142."""
        z = np.random.default_rng(1).normal(0.1, 0.2, (20_000, 20))
        t = z.mean(axis=1) / (z.std(axis=1, ddof=1) / math.sqrt(20))
        found = (np.abs(t) >= 2.0930240544).mean()  # t(0.025; 19), from tables
        assert power_of_t(20, 0.1, 0.04) == pytest.approx(found, abs=0.0142)

    @settings(max_examples=examples(40))
    @given(differences, variances, st.sampled_from([0.5, 0.8, 0.95]))
    def test_it_is_the_smallest_number(self, d: float, variance: float, power: float) -> None:
        design = topics_for_t(d, variance, power=power)
        assert design.achieved == power_of_t(design.topics, d, variance) >= power
        assert design.topics == 2 or power_of_t(design.topics - 1, d, variance) < power

    @checks("cf.stats.difference_for_t", against="property")
    def test_the_difference_is_the_inverse(self) -> None:
        d = difference_for_t(50, 0.08, power=0.9)
        assert power_of_t(50, d, 0.08) == pytest.approx(0.9, abs=1e-12)

    def test_almost_nothing_is_found_with_probability_alpha(self) -> None:
        assert power_of_t(30, 1e-9, 1.0, alpha=0.03) == pytest.approx(0.03)

    def test_more_than_there_are(self) -> None:
        with pytest.raises(CranfieldError, match="more than 10,000,000 topics"):
            topics_for_t(1e-6, 1.0)


class TestAnova:
    @checks("cf.stats.topics_for_anova", against="Cohen 1988")
    @pytest.mark.parametrize(
        ("f", "systems", "topics"),
        [
            (0.25, 3, 53),  # G*Power 3: 159 in all; R's pwr.anova.test: 52.3966
            (0.28, 4, 36),  # Cohen (1988), exercise 8.10; R's pwr.anova.test: 35.75789
        ],
    )
    def test_published_numbers(self, f: float, systems: int, topics: int) -> None:
        """f² = Σ a_i² / (m σ²), and the worst case has Σ a_i² = D² / 2: D = f σ √(2m)."""
        design = topics_for_anova(f * math.sqrt(2 * systems), 1.0, systems)
        assert design.topics == topics
        assert (design.method, design.systems) == ("anova", systems)

    def test_two_systems_are_the_unpaired_t_test(self) -> None:
        """G*Power 3, two independent means: d = 0.5 needs 64 in each group."""
        assert topics_for_anova(0.5, 1.0, 2).topics == 64

    @checks("cf.stats.power_of_anova", against="SciPy")
    @pytest.mark.parametrize(("n", "m"), [(2, 2), (10, 3), (50, 10), (100, 100)])
    def test_power_is_that_of_the_noncentral_f(self, n: int, m: int) -> None:
        from scipy.stats import f, ncf

        critical = f.isf(0.05, m - 1, m * (n - 1))
        expected = ncf.sf(critical, m - 1, m * (n - 1), n * 0.3**2 / (2 * 0.04))
        assert power_of_anova(n, 0.3, 0.04, m) == pytest.approx(expected, abs=1e-9)

    @checks("cf.stats.power_of_anova", against="simulation")
    def test_power_by_simulation_of_the_worst_case(self) -> None:
        """Best and worst 0.2 apart, two halfway; 8,000 samples, four standard errors 0.0224."""
        from scipy.special import fdtri

        n, m = 15, 4
        x = np.random.default_rng(2).normal([-0.1, 0, 0, 0.1], 0.2, (8_000, n, m))
        between = n * x.mean(axis=1).var(axis=1, ddof=1)
        within = x.var(axis=1, ddof=1).mean(axis=1)
        found = (between / within >= fdtri(m - 1, m * (n - 1), 0.95)).mean()
        assert power_of_anova(n, 0.2, 0.04, m) == pytest.approx(found, abs=0.0224)

    @settings(max_examples=examples(25))
    @given(differences, variances, st.integers(2, 30))
    def test_it_is_the_smallest_number(self, d: float, variance: float, systems: int) -> None:
        design = topics_for_anova(d, variance, systems)
        assert design.achieved == design.power_of(design.topics) >= 0.8
        assert design.topics == 2 or design.power_of(design.topics - 1) < 0.8

    @checks("cf.stats.difference_for_anova", against="property")
    def test_the_difference_is_the_inverse(self) -> None:
        d = difference_for_anova(50, 0.04, 10, alpha=0.01, power=0.7)
        assert power_of_anova(50, d, 0.04, 10, alpha=0.01) == pytest.approx(0.7, abs=1e-12)


class TestInterval:
    @checks("cf.stats.width_of_interval", against="by hand")
    def test_two_and_three_topics_by_hand(self) -> None:
        """E[s] is σ √(2/π) for n = 2 and σ √π / 2 for n = 3; tables: t = 12.7062 and 4.3027."""
        expected = 2 * 12.7062047 * math.sqrt(2 / math.pi) / math.sqrt(2)
        assert width_of_interval(2, 1.0) == pytest.approx(expected)
        expected = 2 * 4.30265273 * math.sqrt(math.pi) / 2 / math.sqrt(3)
        assert width_of_interval(3, 1.0) == pytest.approx(expected)

    @checks("cf.stats.width_of_interval", against="simulation")
    def test_width_by_simulation(self) -> None:
        z = np.random.default_rng(3).normal(0, 0.3, (20_000, 8))
        widths = 2 * 2.36462425 * z.std(axis=1, ddof=1) / math.sqrt(8)  # t(0.025; 7), from tables
        error = widths.std() / math.sqrt(20_000)
        assert width_of_interval(8, 0.09) == pytest.approx(widths.mean(), abs=4 * error)

    @checks("cf.stats.topics_for_interval", against="property")
    @settings(max_examples=examples(25))
    @given(st.floats(0.1, 5), variances, st.sampled_from([0.8, 0.95]))
    def test_it_is_the_smallest_number(self, w: float, variance: float, level: float) -> None:
        design = topics_for_interval(w, variance, level)
        assert design.achieved <= w
        assert design.topics == 2 or width_of_interval(design.topics - 1, variance, level) > w
        assert (design.width, design.difference, design.power) == (w, None, None)
        assert design.alpha == pytest.approx(1 - level)

    def test_it_has_no_power(self) -> None:
        with pytest.raises(CranfieldError, match="has no power"):
            topics_for_interval(0.1, 0.1).power_of(10)


class TestVariance:
    @checks("cf.stats.variance_from", against="by hand")
    def test_by_hand(self) -> None:
        """Squares about 0.3 and 0.5: 0.08 and 0.24, by 2 · 2; differences 0.2, 0 and 0.4."""
        found = variance_from({"a": [0.1, 0.3, 0.5], "b": [0.3, 0.3, 0.9]})
        assert found.one_way == pytest.approx(0.32 / 4)
        assert found.difference == pytest.approx(0.04)
        assert (found.topics, found.systems) == ((3,), (2,))

    def test_differences_vary_so_in_the_mean_over_pairs(self) -> None:
        x = np.random.default_rng(4).random((12, 5))
        pairs = [(x[:, i] - x[:, j]).var(ddof=1) for i in range(5) for j in range(i)]
        assert variance_from(x, axes=TOPICS_RUNS).difference == pytest.approx(np.mean(pairs))
        assert variance_from(x, axes=TOPICS_RUNS).one_way == pytest.approx(x.var(axis=0, ddof=1).mean())

    def test_collections_are_pooled_by_their_topics(self) -> None:
        a, b = np.random.default_rng(5).random((2, 11, 3))
        b = b[:6]
        one, other, both = (
            variance_from(a, axes=TOPICS_RUNS),
            variance_from(b, axes=TOPICS_RUNS),
            variance_from(a, b, axes=TOPICS_RUNS),
        )
        assert both.one_way == pytest.approx((10 * one.one_way + 5 * other.one_way) / 15)
        assert both.two_way == pytest.approx((10 * one.two_way + 5 * other.two_way) / 15)
        assert both.topics == (11, 6)
        assert both.error == pytest.approx(math.sqrt(2 / 15))

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="no pilot"):
            variance_from()
        with pytest.raises(CranfieldError, match="found 1 systems, expected at least 2"):
            variance_from({"a": [0.1, 0.2]})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"alpha": 0}, "found alpha=0, expected a number between 0 and 1"),
        ({"alpha": 1.5}, "found alpha=1.5"),
        ({"power": 1.0}, "found power=1.0, expected a number between 0 and 1"),
        ({"power": 0.04}, "found power=0.04, expected more than alpha=0.05"),
        ({"variance": -1.0}, "found variance=-1.0, expected a number above 0"),
        ({"variance": math.nan}, "found variance=nan"),
        ({"difference": 0}, "found difference=0, expected a number above 0"),
        ({"difference": math.inf}, "found difference=inf, expected a number in \\[1e-18, 1e12\\]"),
        ({"systems": 1}, "found systems=1, expected an integer ≥ 2"),
        ({"systems": 2.5}, "found systems=2.5"),
    ],
)
def test_wrong_numbers(changed: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {"difference": 0.1, "variance": 0.1, "systems": 3}
    with pytest.raises(CranfieldError, match=message):
        topics_for_anova(**{**right, **changed})
    if "systems" not in changed:
        del right["systems"]
        with pytest.raises(CranfieldError, match=message):
            topics_for_t(**{**right, **changed})


def test_wrong_numbers_of_what_is_reached_and_of_intervals() -> None:
    for topics in (1, 2.5):
        with pytest.raises(CranfieldError, match=f"found topics={topics}, expected an integer"):
            difference_for_t(topics, 1.0)  # type: ignore[arg-type]
    with pytest.raises(CranfieldError, match=r"found power=0\.04, expected more than alpha=0\.05"):
        difference_for_t(10, 1.0, power=0.04)
    with pytest.raises(CranfieldError, match="found width=0, expected a number above 0"):
        topics_for_interval(0, 1.0)
    with pytest.raises(CranfieldError, match="found confidence=95, expected a number between"):
        topics_for_interval(0.1, 1.0, confidence=95)


@pytest.mark.parametrize("difference", [-0.5, 0.5])
def test_a_difference_is_decided_without_a_margin(difference: float) -> None:
    """Half a deviation, by Student's table: 1.782 / √13 = 0.494, but 1.796 / √12 = 0.518."""
    assert topics_to_decide(difference, 1.0) == 13


@pytest.mark.parametrize(("between", "within"), [(1, 9), (4, 30)])
@pytest.mark.parametrize("noncentrality", [0.5, 12.0, 300.0])
def test_noncentral_f_where_scipy_has_none(between: int, within: int, noncentrality: float) -> None:
    """As a mixture; SciPy's own has islands of nan, but not here."""
    for share in (0.5, 1.0, 1.5):
        f = share * (1 + noncentrality / between)
        expected = ncfdtr(between, within, noncentrality, f)
        assert 1e-12 < expected < 1
        assert _compute_beta_mixture(between, within, noncentrality, f) == pytest.approx(expected, rel=1e-9)


def test_power_is_a_number() -> None:
    assert power_of_t(20, 1.0, 0.01, 0.001) == pytest.approx(1)


def test_a_word_is_no_number() -> None:
    with pytest.raises(CranfieldError, match="found variance='large', expected a number"):
        topics_for_t(0.1, variance="large")  # type: ignore[arg-type]
