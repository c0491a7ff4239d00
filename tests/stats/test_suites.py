"""Differences over several collections: worked numbers, published trials, statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import stats
from cranfield.errors import CranfieldError
from cranfield.stats.suites import combine_variances, compute_tau2, compute_weights, note_few_collections
from tests.evidence import checks
from tests.made import examples

D, V, DF = [0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004], [25, 100, 50]

# Colditz et al. 1994: cases and others among vaccinated people, cases and others among the rest.
BCG = np.array([
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619),
    (33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892),
    (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
], dtype=float)  # fmt: skip
CASES, OTHERS, CONTROL_CASES, CONTROLS = BCG.T
RISK_RATIOS = np.log(CASES / (CASES + OTHERS)) - np.log(CONTROL_CASES / (CONTROL_CASES + CONTROLS))
VARIANCES = 1 / CASES - 1 / (CASES + OTHERS) + 1 / CONTROL_CASES - 1 / (CONTROL_CASES + CONTROLS)


def interval(outcome: Any) -> Any:
    ends = outcome.confidence_interval(0.95)
    return pytest.approx((ends.low, ends.high), abs=1e-6)


class TestWorkedNumbers:
    @checks("cf.stats.combine_collections", against="by hand")
    def test_combine_collections_equals_worked_numbers(self) -> None:
        outcome = stats.combine_collections(D, V, DF)
        assert outcome.difference == pytest.approx(0.05)
        assert outcome.df == pytest.approx(83.505155, abs=1e-6)
        assert interval(outcome) == (0.030112, 0.069888)

    @checks("cf.stats.generalise_collections", "cf.stats.predict_collection", against="by hand")
    def test_generalise_and_predict_equal_worked_numbers(self) -> None:
        outcome = stats.generalise_collections(D, V, DF)
        assert outcome.pvalue == pytest.approx(0.101973, abs=1e-6)
        assert interval(outcome) == (-0.024524, 0.124524)
        assert interval(stats.predict_collection(D, V, DF)) == (-0.099048, 0.199048)

    @checks("cf.stats.measure_heterogeneity", "cf.stats.pool_collections", against="by hand")
    def test_heterogeneity_and_pooled_estimate_equal_worked_numbers(self) -> None:
        result = stats.measure_heterogeneity(D, V)
        assert (result.q, result.pvalue) == pytest.approx((4.5, 0.105399), abs=1e-6)
        assert (result.i2, result.tau**2) == pytest.approx((0.555556, 0.0005), abs=1e-6)
        pooled = stats.pool_collections(D, V)
        assert pooled.difference == pytest.approx(0.05)
        assert interval(pooled) == (-0.018996, 0.118996)

    @checks("cf.stats.measure_heterogeneity", "cf.stats.pool_collections", against="Colditz et al. 1994")
    def test_bcg_trials_equal_published_results(self) -> None:
        """13 trials of a vaccine; metafor and others print these numbers."""
        result = stats.measure_heterogeneity(RISK_RATIOS, VARIANCES)
        assert result.q == pytest.approx(152.233008, abs=1e-6)
        assert result.i2 == pytest.approx(0.921173, abs=1e-6)
        assert result.tau**2 == pytest.approx(0.318068, abs=1e-6)
        pooled = stats.pool_collections(RISK_RATIOS, VARIANCES)
        assert pooled.difference == pytest.approx(-0.714968, abs=1e-6)
        assert pooled.difference / pooled.statistic == pytest.approx(0.180892, abs=1e-6)
        assert interval(pooled) == (-1.109098, -0.320838)
        like_these = stats.generalise_collections(RISK_RATIOS, VARIANCES, [50] * 13)
        assert like_these.difference == pytest.approx(-0.740650, abs=1e-6)
        assert interval(like_these) == (-1.159913, -0.321388)

    def test_generalise_collections_maximum_of_variances_decides(self) -> None:
        """Worked example 3: differences of topics on three small collections."""
        pairs = {
            "x": ((0.5, 0.6, 0.4, 0.7), (0.4, 0.5, 0.4, 0.5)),
            "y": ((0.2, 0.3, 0.4), (0.3, 0.2, 0.1)),
            "z": ((0.9, 0.8, 0.7, 0.6, 0.8), (0.7, 0.7, 0.7, 0.5, 0.6)),
        }
        differences = [np.subtract(*pair) for pair in pairs.values()]
        d = [x.mean() for x in differences]
        v = [x.var(ddof=1) / len(x) for x in differences]
        df = [len(x) - 1 for x in differences]
        outcome = stats.combine_collections(d, v, df)
        assert outcome.difference == pytest.approx(0.106667, abs=1e-6)
        assert outcome.difference / outcome.statistic == pytest.approx(0.042687, abs=1e-6)
        assert outcome.df == pytest.approx(2.978357, abs=1e-6)
        assert outcome.pvalue == pytest.approx(0.088414, abs=1e-6)
        assert interval(outcome) == (-0.029744, 0.243078)
        assert interval(stats.generalise_collections(d, v, df)) == (-0.077003, 0.290336)
        result = stats.measure_heterogeneity(d, v)
        assert result.q == pytest.approx(0.138817, abs=1e-6)
        assert result.tau == 0


@checks("cf.stats.measure_heterogeneity", "cf.stats.pool_collections", against="statsmodels")
@pytest.mark.parametrize("K", [3, 13])
def test_heterogeneity_random_data_equals_statsmodels(K: int) -> None:
    combine_effects = pytest.importorskip("statsmodels.stats.meta_analysis").combine_effects
    random = np.random.default_rng(K)
    d, v = random.normal(0.05, 0.04, K), random.uniform(0.0001, 0.0009, K)
    peer = combine_effects(d, v, method_re="iterated", use_t=True, atol=1e-12, maxiter=200)
    result, pooled = stats.measure_heterogeneity(d, v), stats.pool_collections(d, v)
    assert result.q == pytest.approx(peer.q)
    assert result.i2 == pytest.approx(max(0, (peer.q - peer.df) / peer.q))
    assert result.tau**2 == pytest.approx(max(0, peer.tau2), abs=1e-8)
    assert pooled.difference == pytest.approx(peer.mean_effect_re, abs=1e-7)
    assert pooled.difference / pooled.statistic == pytest.approx(peer.var_hksj_re**0.5, rel=1e-4)


collections = st.lists(
    st.tuples(st.integers(-300, 300).map(lambda x: x / 1000), st.integers(1, 900).map(lambda x: x / 1e6)),
    min_size=3,
    max_size=13,
)


def summarise(d: Any, v: Any, df: Any) -> list[float]:
    """All numbers of a suite in the unit of the differences."""
    outcomes = [f(d, v, df) for f in (stats.combine_collections, stats.generalise_collections)]
    outcomes += [stats.predict_collection(d, v, df), stats.pool_collections(d, v)]
    intervals = [outcome.confidence_interval() for outcome in outcomes]
    return [x for ends in intervals for x in (ends.low, ends.high)] + [stats.measure_heterogeneity(d, v).tau]


class TestProperties:
    @checks("cf.stats.combine_collections", "cf.stats.generalise_collections", against="property")
    @settings(max_examples=examples(60), deadline=None)
    @given(collections, st.randoms(use_true_random=False))
    def test_order_of_collections_is_irrelevant(self, rows: Any, random: Any) -> None:
        rows = [(*row, 10 + i) for i, row in enumerate(rows)]
        shuffled = random.sample(rows, len(rows))
        assert summarise(*zip(*shuffled, strict=True)) == pytest.approx(
            summarise(*zip(*rows, strict=True)), rel=1e-7, abs=1e-8
        )

    @checks("cf.stats.predict_collection", "cf.stats.pool_collections", against="property")
    @settings(max_examples=examples(60), deadline=None)
    @given(collections, st.sampled_from([-1.0, 0.01, 100.0]))
    def test_scale_of_differences_scales_results(self, rows: Any, factor: float) -> None:
        d, v = np.array(rows).T
        df = np.arange(len(d)) + 10
        scaled = summarise(factor * d, factor**2 * v, df)
        results = factor * np.array(summarise(d, v, df))
        if factor < 0:
            results = np.array([*results[:8].reshape(4, 2)[:, ::-1].ravel(), -results[8]])
        assert scaled == pytest.approx(results, rel=1e-6, abs=1e-8 * abs(factor))

    @checks("cf.stats.measure_heterogeneity", against="property")
    @settings(max_examples=examples(60), deadline=None)
    @given(collections)
    def test_tau_is_zero_exactly_if_q_is_at_most_its_expectation(self, rows: Any) -> None:
        d, v = np.array(rows).T
        result = stats.measure_heterogeneity(d, v)
        assert (result.tau == 0) == (result.q <= len(d) - 1)
        assert 0 <= result.i2 < 1
        if result.tau:  # the equation of Paule and Mandel holds
            weights = 1 / (v + result.tau**2)
            mean = (weights * d).sum() / weights.sum()
            assert (weights * (d - mean) ** 2).sum() == pytest.approx(len(d) - 1, rel=1e-6)


class TestArrays:
    def test_compute_tau2_many_suites_equals_single_suites(self) -> None:
        random = np.random.default_rng(0)
        d, v = random.normal(0, 0.05, (20, 6)), random.uniform(0.0001, 0.002, (20, 6))
        assert compute_tau2(d, v) == pytest.approx([float(compute_tau2(*row)) for row in zip(d, v, strict=True)])
        assert compute_weights(v, compute_tau2(d, v)).sum(axis=1) == pytest.approx(1)

    def test_combine_variances_of_zero_adds_degrees_of_freedom(self) -> None:
        total, df = combine_variances(np.zeros(3), np.array([4.0, 5.0, 6.0]))
        assert total == 0
        assert df == pytest.approx(9 / (1 / 4 + 1 / 5 + 1 / 6))

    def test_note_few_collections_only_below_five(self) -> None:
        assert [len(note_few_collections(k)) for k in (2, 4, 5)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("function", "values", "message"),
    [
        ("combine_collections", ([0.1, 0.2], [0.1], [3, 4]), "found 2 differences and 1 variances, expected the same"),
        ("generalise_collections", ([0.1, 0.2], [0.1, 0.1], [3, 4]), "found 2 collections, expected at least 3"),
        ("combine_collections", ([0.1, 0.2], [0.1, -1], [3, 4]), "found the variance -1, expected a number ≥ 0"),
        ("pool_collections", ([0.1, 0.2], [0.1, 0]), "found the variance 0, expected a number > 0"),
        ("combine_collections", ([0.1, 0.2], [0.1, 0.1], [3, 0]), "found df 0, expected a number > 0"),
        ("measure_heterogeneity", ([0.1, float("nan")], [0.1, 0.1]), "finite numbers, one per collection"),
        ("measure_heterogeneity", (["a", "b"], [0.1, 0.1]), "expected numbers"),
    ],
)
def test_collections_wrong_input_raises(function: str, values: Any, message: str) -> None:
    with pytest.raises(CranfieldError, match=message):
        getattr(stats, function)(*values)
