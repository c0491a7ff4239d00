"""Systems with several runs: worked numbers, REML, enumeration, properties."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import cranfield as cf
from cranfield.errors import InputError
from cranfield.stats.crossed import (
    SeedTerm,
    Term,
    combine_terms,
    compute_t_half,
    count_reversals,
    estimate_variance,
    measure_runs,
    resample_means,
)
from cranfield.stats.paired import t_test
from tests.evidence import checks
from tests.stats.made import TOPICS_RUNS, close

# Worked numbers of the design, computed by statsmodels and by general matrices.
DENSE = {"1": [0.4, 0.5, 0.6, 0.3], "2": [0.5, 0.6, 0.8, 0.3]}
SPARSE = {"1": [0.3, 0.4, 0.5, 0.3], "2": [0.3, 0.5, 0.4, 0.2]}
OTHER = {"1": [0.4, 0.5, 0.6, 0.3], "2": [0.5, 0.4, 0.6, 0.2], "3": [0.4, 0.6, 0.5, 0.4]}
EXACT = 5e-7  # six printed decimals


def make_runs(random: np.random.Generator, n: int, s: int, seed_sd: float = 0.1) -> NDArray[np.float64]:
    topics, seeds = random.normal(0.5, 0.2, (n, 1)), random.normal(0, seed_sd, (1, s))
    return topics + seeds + random.normal(0, 0.05, (n, s))


# -- two systems ----------------------------------------------------------------------------------


@checks("cf.stats.crossed", against="second writing")
def test_crossed_worked_example_both_with_seeds() -> None:
    outcome = cf.stats.crossed(DENSE, SPARSE)
    interval = outcome.confidence_interval()
    assert (outcome.difference, outcome.se) == close((0.1375, 0.0625), abs=EXACT)
    assert outcome.df == close(2.021200, abs=EXACT)
    assert (interval.low, interval.high) == close((-0.128731, 0.403731), abs=EXACT)
    assert outcome.pvalue == close(0.157476, abs=EXACT)
    assert outcome.seed_share == close(0.533333, abs=EXACT)
    assert outcome.reversals == 0
    assert [note.kind for note in outcome.notes] == ["few-seeds"]


def test_crossed_fixed_seeds_is_t_test_of_means() -> None:
    x, y = (np.mean([*runs.values()], axis=0) for runs in (DENSE, SPARSE))
    outcome = t_test(x, y)
    interval = outcome.confidence_interval()
    assert (interval.low, interval.high, outcome.pvalue) == close((0.001623, 0.273377, 0.048567), abs=EXACT)


def test_crossed_negative_components_are_cut_to_zero() -> None:
    outcome = cf.stats.crossed(OTHER, SPARSE)
    interval = outcome.confidence_interval()
    assert (outcome.difference, outcome.se, outcome.df) == close((0.0875, 0.021916, 1), abs=EXACT)
    assert (interval.low, interval.high, outcome.pvalue) == close((-0.190973, 0.365973, 0.156241), abs=EXACT)
    assert outcome.seed_share == 0


def test_crossed_worked_example_against_one_run() -> None:
    outcome = cf.stats.crossed(DENSE, {"only": [0.35, 0.45, 0.5, 0.25]})
    interval = outcome.confidence_interval()
    assert (outcome.difference, outcome.se, outcome.df) == close((0.1125, 0.055434, 1.423334), abs=EXACT)
    assert (interval.low, interval.high, outcome.pvalue) == close((-0.247387, 0.472387, 0.228600), abs=EXACT)
    assert outcome.seed_share == close(0.677966, abs=EXACT)
    assert "2 seeds against one run" in outcome.notes[0].text


def test_crossed_single_runs_equal_t_test() -> None:
    x, y = [0.5, 0.7, 0.9, 0.2], [0.4, 0.5, 0.6, 0.3]
    outcome, expected = cf.stats.crossed({"x": x}, {"y": y}), t_test(x, y)
    assert (outcome.pvalue, outcome.df, outcome.difference) == (expected.pvalue, expected.df, expected.difference)
    assert outcome.confidence_interval().low == expected.confidence_interval().low


def test_combine_terms_suite_of_two_collections_worked_example() -> None:
    """Collections x and y of section 5: a seed is one model on both."""
    x = np.array([[0.5, 0.6, 0.4], [0.6, 0.6, 0.5]]).T
    y = np.array([[0.2, 0.4, 0.3, 0.3], [0.3, 0.4, 0.4, 0.3]]).T
    others = np.array([0.4, 0.5, 0.4]), np.array([0.2, 0.2, 0.3, 0.2])
    differences = [values.mean(axis=1) - other for values, other in zip((x, y), others, strict=True)]
    topics = [Term(d.var(ddof=1) / len(d) / 4, len(d) - 1) for d in differences]
    macro = (x.mean(axis=0) + y.mean(axis=0)) / 2
    within = tuple(Term(float(measure_runs(values)[1]) / (len(values) * 2) / 4, len(values) - 1) for values in (x, y))
    variance = combine_terms(topics, [SeedTerm(Term(macro.var(ddof=1) / 2, 1), within)])
    half = compute_t_half(variance, 0.95)
    assert (variance.se, variance.df) == close((0.035355, 2), abs=EXACT)
    assert (0.1 - half, 0.1 + half) == close((-0.052122, 0.252122), abs=EXACT)
    assert variance.seed_share == close(0.583333, abs=EXACT)


def test_combine_terms_clusters_without_subtraction_worked_example() -> None:
    """Worked example 3.1 with clusters {1, 2}, {3}, {4}: CR2 by its formula."""
    x, y = (np.array([*runs.values()]).T for runs in (DENSE, SPARSE))
    d = x.mean(axis=1) - y.mean(axis=1)
    residuals, w = d - d.mean(), np.array([2, 1, 1]) / 4
    sums = np.array([residuals[:2].sum(), residuals[2], residuals[3]])
    a = w**2 / (1 - w)
    cr2 = Term((sums**2 / (1 - w)).sum() / 16, 1 / ((w**2).sum() + a.sum() ** 2 - (a**2).sum()))
    seeds = [SeedTerm(Term(float(measure_runs(values)[0]) / 2, 1)) for values in (x, y)]
    variance = combine_terms([cr2], seeds)
    t = d.mean() / variance.se
    assert (variance.se, variance.df) == close((0.066536, 1.8), abs=EXACT)
    assert 2 * cf.stats.crossed(DENSE, SPARSE).n == 8
    from scipy.stats import t as student

    assert 2 * student.sf(t, variance.df) == close(0.188717, abs=EXACT)


@checks("cf.stats.crossed", against="statsmodels")
def test_crossed_equals_reml_of_balanced_design() -> None:
    """With equal numbers of seeds, a mixed model with the same components has the same error."""
    smf = pytest.importorskip("statsmodels.formula.api")

    random = np.random.default_rng(3)
    topics = random.normal(0.5, 0.2, (12, 1))
    x, y = (topics + random.normal(0, 0.1, (12, 1)) + make_runs(random, 12, 4) * [[0.4]] for _ in range(2))
    rows = [
        {"score": values[t, r], "system": name, "topic": t, "run": f"{name}{r}", "cell": f"{name}{t}", "all": 0}
        for name, values in (("x", x), ("y", y))
        for t, r in product(range(12), range(4))
    ]
    parts = {"topic": "0 + C(topic)", "cell": "0 + C(cell)", "run": "0 + C(run)"}
    model = smf.mixedlm("score ~ system", pd.DataFrame(rows), groups="all", vc_formula=parts)
    fitted = model.fit(reml=True)
    outcome = cf.stats.crossed(x, y, axes=TOPICS_RUNS)
    assert outcome.difference == close(-fitted.params["system[T.y]"], abs=1e-8)
    assert outcome.se == close(fitted.bse["system[T.y]"], rel=2e-3)


def test_crossed_pairs_topics_by_name() -> None:
    x = {"1": {"a": 0.4, "b": 0.5, "c": 0.7}, "2": {"a": 0.5, "b": 0.6, "c": 0.6}}
    y = {"1": {"c": 0.3, "b": 0.4, "a": 0.5}}
    values = np.array([[*run.values()] for run in x.values()])
    expected = cf.stats.crossed(values, np.array([[0.5, 0.4, 0.3]]), axes=("runs", "topics"))
    assert cf.stats.crossed(x, y).pvalue == expected.pvalue
    with pytest.raises(InputError, match=r"3 and 2 topics, not the same\. Use topics='common'"):
        cf.stats.crossed(x, {"1": {"a": 0.3, "b": 0.2}})
    assert cf.stats.crossed(x, {"1": {"a": 0.3, "b": 0.2, "z": 0.9}}, topics="common").n == 2
    with pytest.raises(InputError, match="1 common topic, expected at least 2"):
        cf.stats.crossed(x, {"1": {"a": 0.3, "z": 0.2}}, topics="common")


def test_crossed_identical_systems_have_p_of_one() -> None:
    outcome = cf.stats.crossed(DENSE, DENSE)
    assert (outcome.difference, outcome.pvalue, outcome.reversals) == (0, 1, 0.5)


runs = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(runs, st.integers(2, 8), st.integers(1, 4), st.integers(1, 4))
def test_crossed_order_of_topics_and_runs_changes_nothing(
    random: np.random.Generator, n: int, s: int, other: int
) -> None:
    x, y = make_runs(random, n, s), make_runs(random, n, other)
    topics = random.permutation(n)
    first = cf.stats.crossed(x, y, axes=TOPICS_RUNS)
    second = cf.stats.crossed(
        x[topics][:, random.permutation(s)], y[topics][:, random.permutation(other)], axes=TOPICS_RUNS
    )
    values = [(o.difference, o.se, o.df, o.pvalue, o.seed_share, o.reversals) for o in (first, second)]
    assert values[0] == close(values[1], rel=1e-6, abs=1e-9)
    turned = cf.stats.crossed(y, x, axes=TOPICS_RUNS)
    assert (turned.difference, turned.se) == close((-first.difference, first.se))
    assert 1 <= (first.df or 0) <= n - 1


@given(runs, st.integers(2, 8), st.integers(2, 5))
def test_crossed_copies_of_a_run_have_no_seed_variance(random: np.random.Generator, n: int, s: int) -> None:
    x, y = random.random(n), random.random(n)
    copies = np.repeat(x[:, None], s, axis=1)
    outcome, expected = cf.stats.crossed(copies, y[:, None], axes=TOPICS_RUNS), t_test(x, y)
    assert (outcome.seed_share, outcome.df) == (0, n - 1)
    assert (outcome.se, outcome.pvalue) == close((abs(expected.difference / expected.statistic), expected.pvalue))


def test_estimate_variance_repetitions_equal_single_ones() -> None:
    random = np.random.default_rng(1)
    x, y = (np.stack([make_runs(random, 6, s) for _ in range(5)]) for s in (3, 2))
    together = estimate_variance(x, y)
    for i in range(5):
        alone = estimate_variance(x[i], y[i])
        assert (together.value[i], together.df[i]) == close((alone.value, alone.df), rel=1e-12)


@checks("cf.stats.crossed interval", against="simulation")
def test_crossed_interval_coverage_is_promised() -> None:
    """3 seeds, 50 topics, sd of seeds .02: t on means over runs covers .82, crossed .953."""
    random, covered = np.random.default_rng(7), {"crossed": 0.0, "t": 0.0}
    shape = (1000, 50, 3)
    x = random.normal(0, 0.02, (1000, 1, 3)) + random.normal(0, 0.05, shape) + random.normal(0, 0.1, (1000, 50, 1))
    y = random.normal(0, 0.02, (1000, 1, 3)) + random.normal(0, 0.05, shape)
    d = np.abs(x.mean(axis=(1, 2)) - y.mean(axis=(1, 2)))
    halves = compute_t_half(estimate_variance(x, y), 0.95)
    interval = cf.stats.crossed(x[0], y[0], axes=TOPICS_RUNS).confidence_interval(0.95)
    assert interval.high - interval.low == close(2 * halves[0])
    covered["crossed"] = float((d <= halves).mean())
    means = x.mean(axis=2, keepdims=True), y.mean(axis=2, keepdims=True)
    covered["t"] = float((d <= compute_t_half(estimate_variance(*means), 0.95)).mean())
    assert 0.93 <= covered["crossed"] <= 0.975
    assert covered["t"] < 0.9


# -- reversals, components ------------------------------------------------------------------------


@given(runs, st.integers(1, 4), st.integers(1, 4))
def test_count_reversals_counts_pairs_of_runs(random: np.random.Generator, s: int, other: int) -> None:
    x, y = random.integers(0, 4, (3, s)) / 4, random.integers(0, 4, (3, other)) / 4
    direction = np.sign(round(x.mean() - y.mean(), 9))
    signs = [np.sign(round(a - b, 9)) * direction for a, b in product(x.mean(axis=0), y.mean(axis=0))]
    expected = sum(1 if sign < 0 else 0.5 if sign == 0 else 0 for sign in signs) / len(signs)
    assert count_reversals(x, y) == (close(expected) if direction else 0.5)


@checks("cf.stats.seed_components", against="statsmodels")
def test_seed_components_equal_reml() -> None:
    smf = pytest.importorskip("statsmodels.formula.api")

    values = make_runs(np.random.default_rng(8), 15, 4)
    rows = [{"score": values[t, r], "topic": t, "run": r, "all": 0} for t, r in product(range(15), range(4))]
    parts = {"topic": "0 + C(topic)", "run": "0 + C(run)"}
    fitted = smf.mixedlm("score ~ 1", pd.DataFrame(rows), groups="all", vc_formula=parts).fit(reml=True)
    components = cf.stats.seed_components(values, axes=TOPICS_RUNS)
    estimates = components.var_seed, components.var_topic, components.var_rest
    assert estimates == close((*fitted.vcomp, fitted.scale), rel=5e-3)


@checks("cf.stats.seed_components", against="second writing")
def test_seed_components_worked_example() -> None:
    components = cf.stats.seed_components(DENSE)
    assert components.var_topic == close(0.026667, abs=EXACT)
    assert (components.var_seed, components.var_rest) == close((0.004167, 0.003333), abs=EXACT)
    assert (components.seeds, components.topics) == (2, 4)
    assert (components.lowest, components.highest) == close((0.45, 0.55))
    variance = estimate_variance(np.array([*DENSE.values()]).T)
    half = compute_t_half(variance, 0.95)
    assert (0.5 - half, 0.5 + half) == close((0.195304, 0.804696), abs=EXACT)


def test_seed_components_single_run_raises() -> None:
    with pytest.raises(InputError, match="1 systems, expected at least 2"):
        cf.stats.seed_components({"1": [0.4, 0.5, 0.6]})


# -- ranks ----------------------------------------------------------------------------------------


@checks("cf.stats.rank_systems", against="enumeration")
def test_rank_systems_single_runs_all_27_samples() -> None:
    first, second = cf.stats.rank_systems({"a": {"1": [0.4, 0.6, 0.5]}, "b": {"1": [0.5, 0.5, 0.4]}})
    assert (first.best, second.best) == close((20 / 27, 7 / 27))


def test_rank_systems_runs_all_16_samples() -> None:
    systems = {"a": {"1": [0.4, 0.6], "2": [0.5, 0.7]}, "b": {"1": [0.55, 0.55]}}
    first, second = cf.stats.rank_systems(systems)
    assert (first.best, second.best) == (0.5, 0.5)
    values = [np.array([*runs.values()]).T for runs in systems.values()]
    means = resample_means(values)
    assert means.shape == (2**2 * 2**2, 2)
    expected = [
        (np.mean([values[0][t, r] for t in topics for r in runs]), 0.55)
        for topics in product(range(2), repeat=2)
        for runs in product(range(2), repeat=2)
    ]
    assert means == close(np.array(expected))


def test_rank_systems_random_samples_agree_with_enumeration() -> None:
    systems = {"a": {"1": [0.4, 0.6, 0.5]}, "b": {"1": [0.5, 0.5, 0.4]}}
    ranks = cf.stats.rank_systems(systems, trials=26)
    assert ranks[0].best * 52 == close(round(ranks[0].best * 52))  # 26 samples, ties of two count ½
    values = [np.array(run["1"])[:, None] for run in systems.values()]
    means = resample_means([np.repeat(x, 4, axis=1) for x in values], trials=20_000, seed=5)
    best = (means[:, 0] > means[:, 1] + 1e-12).mean() + (np.abs(means[:, 0] - means[:, 1]) <= 1e-12).mean() / 2
    assert best == close(20 / 27, abs=4 * math.sqrt(0.25 / 20_000))


def test_rank_systems_tied_systems_share_best_and_ranks() -> None:
    runs = {"1": [0.4, 0.6, 0.5]}
    ranks = cf.stats.rank_systems({"a": runs, "b": runs, "c": {"1": [0.1, 0.2, 0.1]}})
    assert [row.best for row in ranks] == [0.5, 0.5, 0]
    assert [(row.rank_low, row.rank_high) for row in ranks] == [(1, 2), (1, 2), (3, 3)]


def test_rank_systems_threads_change_nothing() -> None:
    random = np.random.default_rng(2)
    systems = {name: make_runs(random, 40, 3) for name in "abc"}
    one, two = (cf.stats.rank_systems(systems, trials=30_000, threads=threads, axes=TOPICS_RUNS) for threads in (1, 3))
    assert one == two
    assert sum(row.best for row in one) == close(1)


def test_rank_systems_one_system_raises() -> None:
    with pytest.raises(InputError, match="1 system, expected at least 2"):
        cf.stats.rank_systems({"a": {"1": [0.4, 0.6]}})
