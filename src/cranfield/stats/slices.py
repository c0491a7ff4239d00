"""Differences of two systems between slices of topics, such as languages or query types."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, describe_value
from cranfield.lazy_imports import special
from cranfield.stats.resampling import TRIALS, run_in_chunks
from cranfield.stats.samples import check_topic_count, mean, to_array
from cranfield.wording import format_count, suggest_keywords

__all__ = ["Interaction", "welch_interaction"]

MIN_TOPICS = 5  # topics of a slice that is tested
FLOOR = 1e-6  # lowest variance of a slice in a permutation, as a fraction of the variance of all differences
_CELLS_OF_TOPIC = 64  # limits the memory of a chunk with few topics


@dataclass(frozen=True)
class Interaction(TableResult):
    """Test whether a difference is the same in all slices.

    `statistic` is Welch's W with `df1` and `df2` degrees of freedom. `permutation` is the p-value of
    W by permutation of the slices over topics. It is NaN without trials.
    """

    slices: int
    topics: int
    statistic: float
    df1: float
    df2: float
    pvalue: float
    permutation: float = math.nan


@suggest_keywords
def welch_interaction(
    differences: Mapping[str, Any] | Sequence[Any], trials: int = TRIALS, seed: int = 0, threads: int | None = None
) -> Interaction:
    """Test whether slices of topics have the same mean difference, with any variances.

    w = n / s²,   d̃ = Σ w d̄ / Σ w,   A = Σ w (d̄ − d̃)² / (K − 1),   h = Σ (1 − w / Σ w)² / (n − 1)
    W = A / (1 + 2 (K − 2) h / (K² − 1)),   F with K − 1 and (K² − 1) / (3 h) degrees of freedom

    `differences` has the differences of two systems for each of K slices, at least 5 in each. Slices
    differ in size and spread, so analysis of variance with a common variance can have a Type I error
    of 0.4 instead of 0.05. `permutation` computes W for permuted slices of topics, with each s² at
    least 1e-6 times the s² of all differences. It is (count + 1) / (trials + 1).

    Reference: Welch 1951, On the comparison of several mean values: an alternative approach,
    Biometrika 38.

    >>> fact, nav = [0.10, 0.20, 0.15, 0.05, 0.25], [-0.10, 0.05, 0, 0.02, -0.07, 0.04]
    >>> result = welch_interaction({"fact": fact, "nav": nav})
    >>> round(result.statistic, 6), round(result.df2, 6), round(result.pvalue, 6)
    (13.641208, 7.506658, 0.006823)
    """
    groups = differences.values() if isinstance(differences, Mapping) else differences
    if not isinstance(groups, Iterable):
        raise InputError(f"differences={describe_value(differences)}", "the differences of each slice")
    samples = [to_array(group, "differences") for group in groups]
    if len(samples) < 2:
        raise InputError(format_count(len(samples), "slice"), "at least 2")
    for sample in samples:
        check_topic_count(len(sample), MIN_TOPICS)
        if is_constant(sample):
            raise InputError.from_problem("all differences of a slice are equal", "Welch's test needs a variance")
    codes = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
    columns = np.concatenate(samples)[:, None]
    [permuted] = permute_slices(columns, codes, trials, seed, threads) if trials else [math.nan]
    weights = np.array([len(x) / x.var(ddof=1) for x in samples])
    dfs = np.array([len(x) - 1.0 for x in samples])
    means = np.array([mean(x) for x in samples])
    return build_interaction(means, weights, dfs, len(codes), permuted)


def is_constant(differences: Floats, tolerance: float = 0.0) -> bool:
    """Return True if all differences of a slice are equal, except for rounding errors."""
    limit = max(tolerance, TOLERANCE * float(np.abs(differences).max(initial=0.0)))
    return bool(np.ptp(differences) <= limit)


def build_interaction(
    means: Floats, weights: Floats, dfs: Floats, topics: int, permutation: float = math.nan
) -> Interaction:
    """Run Welch's test on the means of slices.

    `weights` are 1 / SE² and `dfs` the degrees of freedom of the means.
    """
    statistic, df1, df2 = (float(x) for x in compute_welch(means, weights, dfs))
    pvalue = float(special.fdtrc(df1, df2, statistic))
    return Interaction(len(means), topics, statistic, df1, df2, pvalue, permutation)


def compute_welch(means: Floats, weights: Floats, dfs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return W and its degrees of freedom. Slices are the last axis.

    >>> [round(float(x), 4) for x in compute_welch(*np.array([[0.1, 0.3], [50, 100], [9, 9]]))]
    [1.3333, 1.0, 16.2]
    """
    k = means.shape[-1]
    total = weights.sum(axis=-1, keepdims=True)
    centre = (weights * means).sum(axis=-1, keepdims=True) / total
    a = (weights * (means - centre) ** 2).sum(axis=-1) / (k - 1)
    h = ((1 - weights / total) ** 2 / dfs).sum(axis=-1)
    return a / (1 + 2 * (k - 2) * h / (k * k - 1)), np.full_like(a, k - 1), (k * k - 1) / (3 * h)


def permute_slices(
    columns: Floats, codes: Ints, trials: int = TRIALS, seed: int = 0, threads: int | None = None
) -> list[float]:
    """Return the permutation p-value of W for each column of differences [topics, pairs].

    `codes` are the numbers of the slices of topics. All columns use the same permutations.
    """
    centred = columns - columns.mean(axis=0)
    both = np.concatenate([centred, centred**2], axis=1)
    sizes = np.bincount(codes).astype(float)
    floors = FLOOR * columns.var(axis=0, ddof=1)
    observed = _compute_statistics(codes[None], both, sizes, floors)[0]
    limit = observed * (1 - 1e-9)  # trials that differ by rounding errors are ties

    def run_trial(rng: np.random.Generator, size: int) -> Ints:
        labels = rng.permuted(np.tile(codes, (size, 1)), axis=1)
        counts: Ints = (_compute_statistics(labels, both, sizes, floors) >= limit).sum(axis=0)
        return counts

    cells = max(len(codes), _CELLS_OF_TOPIC)  # not the number of columns: chunks, and so p, must not depend on it
    counts = np.sum(run_in_chunks(run_trial, trials, seed, cells, threads), axis=0)
    return [float(p) for p in (counts + 1) / (trials + 1)]


def _compute_statistics(labels: Ints, both: Floats, sizes: Floats, floors: Floats) -> Floats:
    """Return W [labellings, pairs] from differences and their squares [topics, 2 × pairs]."""
    pairs = both.shape[1] // 2
    sums = np.stack([(labels == k).astype(float) @ both for k in range(len(sizes))], axis=-1)
    means = sums[:, :pairs] / sizes
    variances = np.maximum((sums[:, pairs:] - sizes * means**2) / (sizes - 1), floors[:, None])
    return compute_welch(means, sizes / variances, sizes - 1)[0]
