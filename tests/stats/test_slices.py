"""Welch's test of interaction between slices."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.stats.slices import compute_welch, permute_slices
from tests.evidence import checks

FACT, NAV = (0.10, 0.20, 0.15, 0.05, 0.25), (-0.10, 0.05, 0, 0.02, -0.07, 0.04)
HOW = (0.30, -0.05, 0.10, 0.20, 0)


@checks("cf.stats.welch_interaction", against="by hand")
def test_welch_interaction_two_slices_equals_spec() -> None:
    result = cf.stats.welch_interaction({"fact": FACT, "nav": NAV}, trials=99)
    assert (result.statistic, result.df2, result.pvalue) == pytest.approx((13.641208, 7.506658, 0.006823), abs=5e-7)
    assert (result.slices, result.topics, result.df1) == (2, 11, 1)


def test_welch_interaction_three_slices_equals_spec() -> None:
    result = cf.stats.welch_interaction([FACT, NAV, HOW], trials=99)
    assert (result.statistic, result.df2, result.pvalue) == pytest.approx((6.709550, 7.435465, 0.021620), abs=5e-7)


@checks("cf.stats.welch_interaction", against="statsmodels")
def test_welch_interaction_equals_statsmodels() -> None:
    anova_oneway = pytest.importorskip("statsmodels.stats.oneway").anova_oneway
    expected = anova_oneway([FACT, NAV, HOW], use_var="unequal", welch_correction=True)
    result = cf.stats.welch_interaction([FACT, NAV, HOW], trials=0)
    assert (result.statistic, result.pvalue) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert np.isnan(result.permutation)


@checks("cf.stats.welch_interaction", against="property")
@given(st.lists(st.integers(-50, 50), min_size=14, max_size=20))
@settings(max_examples=30, deadline=None)
def test_welch_interaction_two_slices_equals_square_of_t(numbers: list[int]) -> None:
    x, y = np.array(numbers[:6]) / 100, np.array(numbers[6:]) / 100
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return
    t = cf.stats.welch(x, y)
    result = cf.stats.welch_interaction([x, y], trials=0)
    assert result.statistic == pytest.approx(t.statistic**2, abs=1e-9)
    assert (result.df2, result.pvalue) == pytest.approx((t.df, t.pvalue), rel=1e-7, abs=1e-12)


def test_permute_slices_small_case_equals_enumeration() -> None:
    d, codes = np.array([0.1, 0.3, -0.2, 0.5, 0.45, 0.9]), np.array([0, 0, 0, 1, 1, 1])

    def compute(labels: Any) -> float:
        groups = [d[labels == k] for k in (0, 1)]
        variances = np.maximum([g.var(ddof=1) for g in groups], 1e-6 * d.var(ddof=1))
        return float(compute_welch(np.array([g.mean() for g in groups]), 3 / variances, np.array([2.0, 2.0]))[0])

    observed = compute(codes)
    exact = np.mean([compute(np.array(p)) >= observed - 1e-9 for p in permutations(codes)])
    [estimate] = permute_slices(d[:, None], codes, trials=20_000)
    assert estimate == pytest.approx(exact, abs=0.01)


def test_permute_slices_several_columns_equal_single_columns() -> None:
    rng = np.random.default_rng(0)
    columns, codes = rng.normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    together = permute_slices(columns, codes, trials=200)
    assert together == [permute_slices(columns[:, [i]], codes, trials=200)[0] for i in range(3)]


def test_welch_interaction_wrong_slices_raises() -> None:
    with pytest.raises(cf.CranfieldError, match="1 slice"):
        cf.stats.welch_interaction([FACT])
    with pytest.raises(cf.CranfieldError, match="3 topics, expected at least 5"):
        cf.stats.welch_interaction([FACT, (0.3, 0.1, 0.2)])
    with pytest.raises(cf.CranfieldError, match="equal"):
        cf.stats.welch_interaction([FACT, (0.1,) * 5])
