"""Tests of two sets of scores with different topics."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats, estimate_rounding
from cranfield.errors import InputError, check_choice, describe_value
from cranfield.scores import Note
from cranfield.stats.paired import (
    Alternative,
    build_bounds_around,
    build_t_outcome,
    build_trial_outcome,
    compute_standard_error,
    count_extreme,
    resample,
)
from cranfield.stats.resampling import TRIALS, Progress, run_in_chunks
from cranfield.stats.result import Outcome, Sampled
from cranfield.stats.samples import Sample, check_scale, check_topic_count, mean, to_array
from cranfield.wording import suggest_keywords

__all__ = ["unpaired_bootstrap", "welch"]

Statistic: TypeAlias = Literal["mean", "median"] | Callable[..., Any]
"""The statistic to compare: a name, or a function of an array such as ``np.std``."""


@suggest_keywords
def welch(x: Sample, y: Sample, alternative: Alternative = "two-sided") -> Outcome:
    """Run Welch's t-test: are the means of two samples equal, with any variances?

    t = (x̄ − ȳ) / √(a + b),   a = s²(x) / n,   b = s²(y) / m
    df = (a + b)² / (a² / (n − 1) + b² / (m − 1))

    t has approximately a t distribution with df degrees of freedom. Topics are not paired.

    Reference: Welch 1947, The generalization of “Student's” problem when several different
    population variances are involved, Biometrika.

    >>> outcome = welch([0.5, 0.7], [0.1, 0.2, 0.3])  # a = 0.02 / 2, b = 0.01 / 3: 0.4 / √0.01333
    >>> round(outcome.statistic, 4), round(outcome.df, 4), outcome.n
    (3.4641, 1.6842, 5)
    """
    first, second, tolerance = to_arrays(x, y, least=2)
    n, m = len(first), len(second)
    difference = mean(first) - mean(second)
    if abs(difference) <= tolerance:
        difference = 0.0
    a, b = (
        compute_standard_error(first, tolerance) ** 2,
        compute_standard_error(second, tolerance) ** 2,
    )
    df = float(n + m - 2)
    notes: tuple[Note, ...] = ()
    if a + b:
        df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    else:
        notes = (Note("constant", "both samples are constant"),)
    assumed = "the scores are independent random samples of two normal distributions"
    error = math.sqrt(a + b)
    return build_t_outcome("Welch's t-test", difference, error, df, n + m, assumed, alternative, notes)


@suggest_keywords
def unpaired_bootstrap(
    x: Sample,
    y: Sample,
    statistic: Statistic = "mean",
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    alternative: Alternative = "two-sided",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the unpaired bootstrap test: compare d with samples from the pooled scores.

    The statistic is d = M(x) − M(y), where M is the mean, the median or any function. A trial
    draws two samples of the sizes of x and y from the pooled scores, with replacement, and counts
    if |d*| ≥ |d| (`strict`: >). Topics are not paired, and the sizes may differ. The interval is
    d ± q, where q is the quantile of |d*|.

    A function with an ``axis`` argument, as in NumPy, is called with arrays [trials, scores] and
    ``axis=1``. Other functions are called once per trial, which is slower.

    Reference: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 16; Sakai 2006,
    Evaluating evaluation metrics based on the bootstrap, SIGIR.

    >>> outcome = unpaired_bootstrap([0.1, 0.3], [0.2, 0.0, 0.0])  # 0.2 − 0.0667
    >>> round(outcome.statistic, 4), outcome.n, outcome.pvalue > 0.05
    (0.1333, 5, True)
    """
    first, second, tolerance = to_arrays(x, y)
    check_choice("alternative", alternative, Alternative)
    compute_rows = _build_row_statistic(statistic, first)
    observed, other_value = (float(compute_rows(values[None, :])[0]) for values in (first, second))
    difference = observed - other_value
    if not math.isfinite(difference):
        raise InputError(f"a statistic of {observed} and {other_value}", "finite numbers")
    tolerance = max(tolerance, estimate_rounding(observed, other_value))
    cells = len(first) + len(second)

    def run_trial(rng: np.random.Generator, size: int) -> Floats:
        first_sample, second_sample = resample_pooled(first, second, rng.integers(cells, size=(size, cells)))
        return compute_rows(first_sample) - compute_rows(second_sample)

    deviations = np.concatenate(run_in_chunks(run_trial, trials, seed, cells, threads, progress))
    sampled = Sampled(count_extreme(deviations, difference, alternative, tolerance, strict), trials, seed)
    assumed = "if there is no difference, all scores are random samples of one distribution"
    bounds, difference_pair = (
        build_bounds_around(difference, deviations, alternative),
        (difference, difference),
    )
    # Scores are exchangeable. The most extreme split has a mirror image if sizes are equal.
    extremes = 2 if alternative == "two-sided" and len(first) == len(second) else 1
    smallest = min(1.0, extremes / math.comb(cells, min(len(first), len(second), 50)))
    return build_trial_outcome("unpaired bootstrap test", *difference_pair, cells, assumed, bounds, sampled, smallest)


def resample_pooled(x: Floats, y: Floats, integers: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """Return both bootstrap samples from the pooled samples: x*, y*.

    >>> x, y = np.array([0.1, 0.3]), np.array([0.2, 0.0, 0.0])
    >>> resample_pooled(x, y, np.array([0, 2, 0, 1, 3]))
    (array([0.1, 0.2]), array([0.1, 0.3, 0. ]))
    """
    pooled_sample = resample(np.concatenate([x, y]), integers)
    return pooled_sample[..., : len(x)], pooled_sample[..., len(x) :]


def to_arrays(x: Sample, y: Sample, least: int = 1) -> tuple[Floats, Floats, float]:
    """Return both samples as arrays, and the tolerance for rounding errors."""
    first, second = to_array(x, "x"), to_array(y, "y")
    check_topic_count(min(len(first), len(second)), least)
    check_scale(first, second)
    return first, second, estimate_rounding(first, second)


def _build_row_statistic(statistic: Statistic, example: Floats) -> Callable[[Floats], Floats]:
    """Return the statistic as a function from a matrix to one number per row."""
    functions = {"mean": np.mean, "median": np.median}
    function: Any = functions.get(statistic) if isinstance(statistic, str) else statistic
    if not callable(function):
        raise InputError(f"statistic={statistic!r}", "mean, median or a function")
    try:
        takes_axis = np.shape(function(example[None, :], axis=1)) == (1,)
    except (TypeError, ValueError):
        takes_axis = False
    if takes_axis:
        return lambda rows: np.asarray(function(rows, axis=1), dtype=np.float64)
    try:
        float(function(example))
    except (TypeError, ValueError):
        expected = "a function from scores to a number"
        raise InputError(f"statistic={describe_value(statistic)}", expected) from None
    return lambda rows: np.array([float(function(row)) for row in rows])
