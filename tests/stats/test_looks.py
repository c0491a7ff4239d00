"""Repeated looks: levels of looks, corrected p-values and the rate of false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import cranfield as cf
from cranfield.stats.looks import repeated_t_test, spend_level
from tests.evidence import checks


@checks("cf.stats.spend_level", against="by hand")
def test_spend_level_equals_equation() -> None:
    constant = 2.10974280123689197447  # OEIS A115563
    expected = [1 / (constant * n * math.log(n) ** 2) for n in (2, 3, 4)]
    assert spend_level(3).tolist() == pytest.approx(expected, rel=1e-14)


def test_spend_level_sum_of_all_looks_is_1() -> None:
    """The sum of the first N fractions and the integral of the others, 1 / (c ln (N + 3/2))."""
    looks = 100_000
    rest = 1 / (2.10974280123689197447 * math.log(looks + 1.5))
    assert math.fsum(spend_level(looks)) + rest == pytest.approx(1, abs=1e-9)


@given(st.integers(1, 2000))
def test_spend_level_of_a_look_does_not_depend_on_later_looks(look: int) -> None:
    fractions = spend_level(look)
    assert fractions[-1] == spend_level(look + 7)[look - 1]
    assert (np.diff(fractions) < 0).all()


@checks("cf.stats.repeated_t_test", against="SciPy")
def test_repeated_t_test_equals_scipy_divided_by_fraction() -> None:
    random = np.random.default_rng(1)
    x, y = random.normal(0.05, 0.1, 40), np.zeros(40)
    expected = scipy_stats.ttest_rel(x, y)
    outcome = repeated_t_test(x, y, look=9)
    assert outcome.uncorrected == pytest.approx(expected.pvalue, rel=1e-10)
    assert outcome.pvalue == pytest.approx(expected.pvalue / spend_level(9)[-1], rel=1e-10)
    band = expected.confidence_interval(1 - 0.05 * spend_level(9)[-1])
    own = outcome.confidence_band(0.95)
    assert (own.low, own.high) == pytest.approx((band.low, band.high), rel=1e-8)


def test_repeated_t_test_band_excludes_0_if_significant() -> None:
    random = np.random.default_rng(2)
    for look in (1, 5, 60):
        for shift in (0.0, 0.03, 0.08):
            outcome = repeated_t_test(random.normal(shift, 0.1, 30), np.zeros(30), look)
            band = outcome.confidence_band(0.95)
            assert (outcome.pvalue <= 0.05) == (not band.low <= 0 <= band.high)


@pytest.mark.parametrize("look", [0, -1, 1.5, True])
def test_repeated_t_test_wrong_look_raises(look: object) -> None:
    with pytest.raises(cf.CranfieldError, match="an integer ≥ 1"):
        repeated_t_test([0.5, 0.6], [0.4, 0.3], look)  # type: ignore[arg-type]


@checks("cf.stats.repeated_t_test", against="simulation")
def test_repeated_t_test_false_alarms_of_dependent_looks() -> None:
    """30 nights on the same topics, all compared with the first night: at most 5 % have an alarm."""
    random = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        nights = random.normal(0, 0.05, (31, 40))
        alarms += any(repeated_t_test(nights[k], nights[0], k).pvalue <= 0.05 for k in range(1, 31))
    assert alarms / 200 <= 0.05 + 0.04  # 2.6 standard errors
