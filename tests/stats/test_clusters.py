"""Means and tests of clusters of topics."""

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.arrays import Floats
from cranfield.scores.clusters import Clusters, compute_cr2_error, note_few_clusters
from cranfield.stats.clusters import run_clustered_tukey
from cranfield.stats.samples import Matrix
from cranfield.stats.tukey import randomised_tukey_hsd
from tests.evidence import checks

EXAMPLES = {  # ../shared/spec/designs.md, section 2
    1: ((0.1, 0.3), (0.0, 0.2), (0.2, 0.2), (-0.1, 0.1)),
    2: ((0.1,), (0.2, 0.4), (-0.1, 0.0, 0.1), (0.3, 0.3, 0.2, 0.4)),
    3: ((0.05,), (0.10,), (0.02,), (-0.03,), (0.06,)),
}


def flatten(example: int) -> tuple[Floats, list[int]]:
    groups = EXAMPLES[example]
    return np.concatenate([np.array(x) for x in groups]), [g for g, x in enumerate(groups) for _ in x]


def compute_cr2_by_matrices(x: Floats, labels: Any) -> tuple[float, float]:
    """SE and Satterthwaite df of Bell and McCaffrey with general matrices, working model: independence."""
    n, codes = len(x), np.unique(labels, return_inverse=True)[1]
    design = np.ones((n, 1))
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residuals, variance, columns = (np.eye(n) - hat) @ x, 0.0, []
    for g in range(codes.max() + 1):
        rows = np.flatnonzero(codes == g)
        values, vectors = np.linalg.eigh(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        weights = (bread @ design[rows].T @ root)[0]
        variance += float(weights @ residuals[rows]) ** 2
        columns.append((np.eye(n) - hat)[:, rows] @ weights)
    p = np.array(columns)
    lower = p @ p.T
    return float(np.sqrt(variance)), float(np.trace(lower) ** 2 / (lower**2).sum())


@checks("cf.stats.clustered_mean", "cf.stats.clustered_t_test", "cf.stats.clustered_randomisation", against="by hand")
@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (1, (0.125, 0.047871, 3, -0.027348, 0.277348, 0.079605, 0.25, 1.115942)),
        (2, (0.19, 0.092537, 2.392405, -0.151678, 0.531678, 0.155137, 0.25, 3.095095)),
        (3, (0.04, 0.021679, 4, None, None, 0.138781, 0.1875, 1)),
    ],
)
def test_clustered_t_test_worked_examples_equal_spec(example: int, expected: tuple[Any, ...]) -> None:
    x, labels = flatten(example)
    mean, se, df, low, high, pvalue, flips, deff = expected
    estimate, zeros = cf.stats.clustered_mean(x, labels), np.zeros(len(x))
    outcome = cf.stats.clustered_t_test(x, zeros, labels)
    assert (estimate.mean, estimate.se, estimate.df, estimate.deff) == pytest.approx((mean, se, df, deff), abs=5e-7)
    assert outcome.pvalue == pytest.approx(pvalue, abs=5e-7)
    assert cf.stats.clustered_randomisation(x, zeros, labels).pvalue == flips
    if low is not None:
        interval = outcome.confidence_interval()
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-7)
        assert (estimate.interval().low, estimate.interval().high) == (interval.low, interval.high)


@checks("cf.stats.clustered_mean", against="second writing")
@given(
    st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=6, max_size=12),
    st.lists(st.integers(0, 4), min_size=12, max_size=12),
)
@settings(max_examples=40, deadline=None)
def test_clustered_mean_any_sizes_equals_matrices(x: list[float], labels: list[int]) -> None:
    labels = [0, 1, 2, *labels[3 : len(x)]]
    values = np.array(x)
    estimate = cf.stats.clustered_mean(values, labels)
    se, df = compute_cr2_by_matrices(values, labels)
    assert estimate.se == pytest.approx(se, abs=1e-10)
    assert estimate.df == pytest.approx(df, rel=1e-9)


def test_cr2_equal_sizes_equals_cr1_of_statsmodels() -> None:
    """With G equal clusters, CR2 of a mean is CR1 with the correction G / (G − 1)."""
    sm = pytest.importorskip("statsmodels.api")
    x, labels = np.random.default_rng(0).normal(size=24), np.repeat(np.arange(6), 4)
    fit = sm.OLS(x, np.ones(24)).fit(cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False})
    expected = fit.bse[0] * np.sqrt(6 / 5)
    assert compute_cr2_error(x, Clusters.from_labels(labels.tolist())) == pytest.approx(expected, rel=1e-12)


@checks("cf.stats.clustered_t_test", "cf.stats.clustered_randomisation", against="property")
def test_clustered_mean_single_topics_equals_ordinary_t() -> None:
    x, y = {f"q{i}": i % 3 / 10 for i in range(8)}, {f"q{i}": i % 5 / 10 for i in range(8)}
    own = {topic: topic for topic in x}
    ordinary, clustered = cf.stats.t_test(x, y), cf.stats.clustered_t_test(x, y, own)
    assert (clustered.pvalue, clustered.df) == pytest.approx((ordinary.pvalue, ordinary.df), rel=1e-12)
    flips = cf.stats.clustered_randomisation(x, y, own)
    assert flips.pvalue == cf.stats.randomisation(x, y).pvalue


@checks("cf.stats.clustered_randomisation", against="enumeration")
def test_clustered_randomisation_five_clusters_equals_enumeration() -> None:
    rng = np.random.default_rng(3)
    x, labels = rng.normal(0.1, 0.2, 11), [0, 0, 1, 1, 1, 2, 3, 3, 4, 4, 4]
    signs = [np.array(s)[labels] for s in product([-1, 1], repeat=5)]
    count = sum(abs((s * x).mean()) >= abs(x.mean()) - 1e-12 for s in signs)
    assert cf.stats.clustered_randomisation(x, np.zeros(11), labels).pvalue == count / 32


@checks("cf.stats.clustered_bootstrap", against="enumeration")
def test_clustered_bootstrap_three_clusters_equals_enumeration() -> None:
    x, labels = np.array([0.1, 0.3, 0.05, -0.1, 0.2, 0.4]), [0, 0, 1, 1, 2, 2]
    centred, extreme, ways = x - x.mean(), 0.0, list(product(range(3), repeat=3))
    t = x.mean() / compute_cr2_error(x, Clusters.from_labels(labels))
    for places in ways:
        sample = np.concatenate([centred[2 * g : 2 * g + 2] for g in places])
        error = compute_cr2_error(sample, Clusters.from_labels([0, 0, 1, 1, 2, 2]), 1e-12)
        extreme += not error or abs(sample.mean() / error) >= t - 1e-9
    outcome = cf.stats.clustered_bootstrap(x, np.zeros(6), labels, trials=20_000)
    assert outcome.pvalue == pytest.approx(extreme / len(ways), abs=4 * outcome.sampled.error + 1e-3)  # type: ignore[union-attr]


def test_clustered_tukey_single_topics_equals_randomised_tukey() -> None:
    values = np.random.default_rng(1).random((7, 3))
    matrix = Matrix(values, ("a", "b", "c"), tuple("1234567"))
    family = randomised_tukey_hsd(matrix, trials=200)
    clusters = Clusters.from_labels(range(7))
    outcomes = [*run_clustered_tukey(matrix, clusters, matrix.pairs, trials=200, seed=0)]
    assert [o.pvalue for o in outcomes] == [
        family.pair(*"ab").pvalue,
        family.pair(*"ac").pvalue,
        family.pair(*"bc").pvalue,
    ]


def test_clustered_tukey_small_case_equals_enumeration() -> None:
    values, labels = np.random.default_rng(2).random((5, 3)), [0, 0, 1, 2, 2]
    matrix, orders = Matrix(values, ("a", "b", "c"), tuple("12345")), [list(p) for p in permutations(range(3))]
    ranges = []
    for choice in product(orders, repeat=3):
        means = np.array([values[i][choice[labels[i]]] for i in range(5)]).mean(axis=0)
        ranges.append(np.ptp(means))
    difference = abs(values.mean(axis=0)[0] - values.mean(axis=0)[1])
    [outcome] = run_clustered_tukey(matrix, Clusters.from_labels(labels), [(0, 1)], trials=1000, seed=0)
    assert outcome.pvalue == np.mean(np.array(ranges) >= difference - 1e-12)


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (["a", "a", "b", "b"], "2 clusters"),
        (["a", "b", "c"], "3 clusters for 4 scores"),
        ({"1": "a"}, "scores without topics"),
    ],
)
def test_clustered_mean_wrong_clusters_raises(clusters: Any, message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        cf.stats.clustered_mean([0.1, 0.2, 0.3, 0.4], clusters)


def test_clustered_mean_topic_without_cluster_raises() -> None:
    with pytest.raises(cf.CranfieldError, match="topic '3' without a cluster"):
        cf.stats.clustered_mean({"1": 0.1, "2": 0.2, "3": 0.3}, {"1": "a", "2": "b"})


def test_clustered_t_test_constant_differences_have_no_error() -> None:
    outcome = cf.stats.clustered_t_test([0.2] * 6, [0.1] * 6, "aabbcc")
    assert outcome.statistic == np.inf
    assert outcome.notes[0].kind == "constant"
    assert cf.stats.clustered_t_test([0.1] * 6, [0.1] * 6, "aabbcc").pvalue == 1


def test_note_few_clusters_depends_on_number_and_sizes() -> None:
    unequal = [0] * 400 + [*range(1, 12)]
    assert note_few_clusters(Clusters.from_labels(range(10))) == ()
    assert [note.kind for note in note_few_clusters(Clusters.from_labels(unequal))] == ["clusters"]
