"""Means and tests of clusters of topics, such as variations of one information need.

Topics of a cluster are not independent. Standard errors are CR2 (Bell and McCaffrey 2002), and random
trials flip, permute or resample complete clusters. The mean is still the mean over topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, describe_value
from cranfield.lazy_imports import special
from cranfield.scores import Interval
from cranfield.scores.clusters import Clusters, check_cluster_count, compute_cr2_error, compute_design_effect
from cranfield.stats.few_topics import limit_p_by_signs
from cranfield.stats.notes import note_constant, note_identical
from cranfield.stats.paired import (
    Alternative,
    build_bounds_around,
    build_t_outcome,
    build_trial_outcome,
    compute_differences,
    count_extreme,
    count_tails,
    divide_by_error,
    randomisation,
)
from cranfield.stats.resampling import TRIALS, Progress, run_in_chunks
from cranfield.stats.result import Outcome, Sampled, check_confidence
from cranfield.stats.samples import Matrix, Sample, mean, pair_scores, to_array, to_mapping
from cranfield.stats.tukey import run_randomised_tukey_hsds
from cranfield.wording import suggest_keywords

__all__ = [
    "ClusterMean",
    "ClusteredOutcome",
    "clustered_bootstrap",
    "clustered_mean",
    "clustered_randomisation",
    "clustered_t_test",
]


Labels = Mapping[str, Any] | Sequence[Any]
"""Clusters of topics: ``{topic: cluster}``, or a cluster for each score."""


@dataclass(frozen=True)
class ClusterMean(TableResult):
    """Mean over topics with its CR2 standard error `se` and `df` degrees of freedom.

    `deff` is the design effect, the variance divided by the variance of independent topics. It is
    NaN if all values are equal.
    """

    mean: float
    se: float
    df: float
    deff: float
    topics: int
    clusters: int

    def interval(self, confidence: float = 0.95) -> Interval:
        """Return mean ± t(ν) · SE."""
        half = float(special.stdtrit(self.df, (1 + check_confidence(confidence)) / 2)) * self.se
        return Interval(self.mean - half, self.mean + half, self.mean, "CR2", confidence, self.topics)


@dataclass(frozen=True)
class ClusteredOutcome(Outcome):
    """Result of a test by cluster. `n` is the number of topics, `clusters` the number of clusters."""

    clusters: int = 0

    @classmethod
    def from_outcome(cls, outcome: Outcome, clusters: Clusters, **changes: Any) -> ClusteredOutcome:
        """Return an outcome with the number of clusters, and other changes."""
        values = {f.name: getattr(outcome, f.name) for f in fields(outcome)}
        return cls(**(values | changes), clusters=len(clusters))


@suggest_keywords
def clustered_mean(x: Sample, clusters: Labels) -> ClusterMean:
    """Estimate a mean over topics in clusters, with its CR2 standard error.

    SE² = Σ_g e_g² / (1 − w_g) / n²,   e_g = Σ_{i in g} (x_i − x̄),   w_g = n_g / n
    ν = 1 / (Σ w_g² + (Σ a_g)² − Σ a_g²),   a_g = w_g² / (1 − w_g)
    deff = SE² / (s² / n)

    `clusters` are ``{topic: cluster}``, or a cluster for each score. At least 3 clusters are
    required. If each cluster has one topic, SE is s / √n and ν is n − 1.

    Reference: Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression
    with multi-stage samples, Survey Methodology 28; Pustejovsky and Tipton 2018, Small-sample
    methods for cluster-robust variance estimation, JBES 36.

    >>> estimate = clustered_mean([0.1, 0.3, 0.0, 0.2, 0.2, 0.2, -0.1, 0.1], "aabbccdd")
    >>> round(estimate.se, 6), round(estimate.df, 6), round(estimate.deff, 6)
    (0.047871, 3.0, 1.115942)
    """
    scores = to_mapping(x)
    return estimate_mean(to_array(scores), _number_clusters(clusters, scores))


def estimate_mean(x: Floats, clusters: Clusters, tolerance: float = 0.0) -> ClusterMean:
    """Estimate the mean of an array, see `clustered_mean`."""
    n, average = len(x), mean(x)
    error = compute_cr2_error(x, clusters, tolerance)
    deff = compute_design_effect(x, error, tolerance)
    return ClusterMean(average, error, clusters.df, deff, n, len(clusters))


@suggest_keywords
def clustered_t_test(
    x: Sample, y: Sample, clusters: Labels, alternative: Alternative = "two-sided"
) -> ClusteredOutcome:
    """Run the t-test of paired scores of topics in clusters.

    t = z̄ / SE with the CR2 standard error and the degrees of freedom ν of `clustered_mean`.

    Reference: Bell and McCaffrey 2002; Cameron and Miller 2015, A practitioner's guide to
    cluster-robust inference, Journal of Human Resources 50.

    >>> x = [0.1, 0.3, 0.0, 0.2, 0.2, 0.2, -0.1, 0.1]
    >>> outcome = clustered_t_test(x, [0.0] * 8, "aabbccdd")
    >>> round(outcome.pvalue, 6), outcome.clusters
    (0.079605, 4)
    """
    z, tolerance, numbered = _compute_clustered_differences(x, y, clusters)
    assumed = "the sums of differences over clusters are independent and normal"
    notes = note_identical(z) or note_constant(z, tolerance)
    error = compute_cr2_error(z, numbered, tolerance)
    outcome = build_t_outcome(
        "t-test by cluster (CR2)", mean(z), error, numbered.df, len(z), assumed, alternative, notes
    )
    return ClusteredOutcome.from_outcome(outcome, numbered)


@suggest_keywords
def clustered_randomisation(
    x: Sample,
    y: Sample,
    clusters: Labels,
    trials: int = TRIALS,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ClusteredOutcome:
    """Run the randomisation test of paired scores of topics in clusters.

    A trial draws one sign for all differences of a cluster. If 2^G is at most `trials`, the signs of
    all G clusters are enumerated. The interval is the CR2 interval of `clustered_t_test`.

    Reference: Smucker, Allan and Carterette 2007, as `randomisation`; Fisher 1935, The Design of
    Experiments.

    >>> x = [0.1, 0.3, 0.0, 0.2, 0.2, 0.2, -0.1, 0.1]
    >>> clustered_randomisation(x, [0.0] * 8, "aabbccdd").pvalue  # 4 of 2⁴
    0.25
    """
    z, tolerance, numbered = _compute_clustered_differences(x, y, clusters)
    scaled = numbered.scale(z)
    scaled[np.abs(scaled) <= tolerance * numbered.sizes.max()] = 0.0
    flips = randomisation(
        scaled, np.zeros(len(scaled)), trials, seed, alternative=alternative, threads=threads, progress=progress
    )
    error = compute_cr2_error(z, numbered, tolerance)
    by_t = build_t_outcome("", mean(z), error, numbered.df, len(z), "", alternative, ())
    assumed = "either system could have had either of the two scores of all topics in a cluster"
    notes = tuple(note for note in flips.notes if note.kind != "identical") + note_identical(z)
    changes = {"n": len(z), "assumed": assumed, "bounds": by_t.bounds, "df": numbered.df, "notes": notes}
    return ClusteredOutcome.from_outcome(flips, numbered, test="randomisation test by cluster", **changes)


@suggest_keywords
def clustered_bootstrap(
    x: Sample,
    y: Sample,
    clusters: Labels,
    trials: int = TRIALS,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ClusteredOutcome:
    """Run the studentised bootstrap test of paired scores of topics in clusters.

    The statistic is z̄ / SE with the CR2 standard error. A trial draws G of the G clusters of the
    centred differences with replacement, and counts if |t*| ≥ |t|. The interval is z̄ ± q · SE with
    the quantile q of |t*|.

    Reference: Efron and Tibshirani 1993, An Introduction to the Bootstrap; Cameron, Gelbach and
    Miller 2008, Bootstrap-based improvements for inference with clustered errors, REStat 90.

    >>> x = [0.1, 0.3, 0.0, 0.2, 0.2, 0.2, -0.1, 0.1]
    >>> outcome = clustered_bootstrap(x, [0.0] * 8, "aabbccdd")
    >>> round(outcome.statistic, 4), outcome.sampled.trials
    (2.6112, 10000)
    """
    z, tolerance, numbered = _compute_clustered_differences(x, y, clusters)
    observed, error = mean(z), compute_cr2_error(z, numbered, tolerance)
    drawn = _bootstrap_statistics(z, numbered, tolerance, trials, seed, threads, progress)
    statistic, rounding = divide_by_error(observed, error), tolerance / (error or 1.0)
    outcome = build_trial_outcome(
        "bootstrap test by cluster",
        statistic,
        observed,
        len(z),
        "the clusters are a random sample of clusters of any distribution",
        build_bounds_around(observed, error * drawn, alternative),
        Sampled(count_extreme(drawn, statistic, alternative, rounding, False), trials, seed),
        limit_p_by_signs(len(numbered), count_tails(alternative)),
        note_identical(z) + note_constant(z, tolerance),
    )
    return ClusteredOutcome.from_outcome(outcome, numbered, df=numbered.df)


def _bootstrap_statistics(
    z: Floats,
    clusters: Clusters,
    tolerance: float,
    trials: int,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> Floats:
    """Return t of each sample of clusters of the centred differences."""
    sums, sizes, count = clusters.sum(z - mean(z)), clusters.sizes.astype(float), len(clusters)

    def run_trial(rng: np.random.Generator, size: int) -> Floats:
        places = rng.integers(count, size=(size, count))
        drawn_sums, drawn_sizes = sums[places], sizes[places]
        topics = drawn_sizes.sum(axis=1, keepdims=True)
        means = drawn_sums.sum(axis=1, keepdims=True) / topics
        residuals = drawn_sums - drawn_sizes * means
        variances = (residuals**2 / (1 - drawn_sizes / topics)).sum(axis=1) / topics[:, 0] ** 2
        errors = np.sqrt(variances)
        constant = errors <= tolerance
        t = means[:, 0] / np.where(constant, 1.0, errors)
        infinite = np.where(np.abs(means[:, 0]) <= tolerance, 0.0, np.copysign(math.inf, means[:, 0]))
        return np.where(constant, infinite, t)

    return np.concatenate(run_in_chunks(run_trial, trials, seed, count, threads, progress))


# -- pairs of systems -----------------------------------------------------------------------------


def run_clustered_pairs(
    function: Any,
    matrix: Matrix,
    clusters: Clusters,
    pairs: Sequence[tuple[int, int]],
    progress: Progress | None = None,
    **trial_settings: Any,
) -> Iterator[ClusteredOutcome]:
    """Run a test of two systems by cluster for pairs of columns of a matrix."""
    for i, j in pairs:
        yield function(matrix.values[:, i], matrix.values[:, j], clusters, **trial_settings)
        if progress is not None:
            progress(trial_settings.get("trials", 1))


def run_clustered_tukey(
    matrix: Matrix,
    clusters: Clusters,
    pairs: Sequence[tuple[int, int]],
    progress: Progress | None = None,
    **trial_settings: Any,
) -> Iterator[ClusteredOutcome]:
    """Run the randomised Tukey HSD test with one permutation of the systems per cluster.

    The sums over clusters are permuted. They are scaled so that their means are means over topics.
    """
    names = tuple(f"cluster {g}" for g in range(len(clusters)))
    scaled = Matrix(clusters.scale(matrix.values), matrix.systems, names)
    [family] = run_randomised_tukey_hsds([scaled], **trial_settings, progress=progress)
    assumed = "equal systems could have had each other's scores of all topics in a cluster"
    for i, j in pairs:
        outcome = family.pair(matrix.systems[i], matrix.systems[j])
        difference = float(matrix.means[i] - matrix.means[j])
        changes = {"difference": difference, "n": len(matrix.topics), "assumed": assumed}
        yield ClusteredOutcome.from_outcome(outcome, clusters, test="randomised Tukey HSD by cluster", **changes)


# -- input and notes ------------------------------------------------------------------------------


def _compute_clustered_differences(x: Sample, y: Sample, clusters: Any) -> tuple[Floats, float, Clusters]:
    """Return the differences of paired scores, the tolerance, and the clusters."""
    first = to_mapping(x)
    if not isinstance(clusters, Clusters):
        a, b = pair_scores(x, y)
        clusters = _number_clusters(clusters, first)
        return *compute_differences(a, b, "same", least=2), clusters
    return *compute_differences(x, y, "same", least=2), clusters


def _number_clusters(clusters: Labels | Clusters, scores: Any) -> Clusters:
    """Number the clusters of scores. Raise an error for fewer than three."""
    if isinstance(clusters, Clusters):
        return clusters
    if isinstance(clusters, Mapping):
        if not isinstance(scores, Mapping):
            raise InputError("{topic: cluster} for scores without topics", "a cluster for each score")
        labels = [clusters.get(topic) for topic in scores]
        if None in labels:
            topic = next(topic for topic in scores if clusters.get(topic) is None)
            raise InputError(f"topic {topic!r} without a cluster", "a cluster for each topic")
    elif isinstance(clusters, Iterable):
        labels = list(clusters)
    else:
        raise InputError(f"clusters={describe_value(clusters)}", "{topic: cluster}, or a cluster for each score")
    if len(labels) != len(scores):
        raise InputError(f"{len(labels)} clusters for {len(scores)} scores", "a cluster for each score")
    numbered = Clusters.from_labels(labels)
    check_cluster_count(numbered)
    return numbered
