"""Differences over several collections: macro means, heterogeneity and pooled estimates.

Notation: a collection k of K has the difference d_k with the variance v_k = s²_k / n_k, from n_k
topics. All functions use the last axis as the axis of collections.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, describe_value
from cranfield.lazy_imports import special
from cranfield.scores import Note
from cranfield.stats.paired import build_t_outcome
from cranfield.stats.result import Outcome
from cranfield.wording import format_count, suggest_keywords

__all__ = [
    "Heterogeneity",
    "combine_collections",
    "generalise_collections",
    "measure_heterogeneity",
    "pool_collections",
    "predict_collection",
]

ENOUGH_COLLECTIONS = 5  # with fewer collections, their spread is hardly known
_STEPS = 200  # of Newton's method: the function is convex, so it converges from the left
_CONVERGED = 1e-14

Numbers = Sequence[float] | Floats


@dataclass(frozen=True)
class Heterogeneity(TableResult):
    """Variation of the true differences between collections.

    `q` is Cochran's Q with its p-value, `i2` the fraction of the variation that sampled topics do
    not explain, and `tau` the standard deviation τ of the true differences (Paule and Mandel).
    """

    collections: int
    q: float
    pvalue: float
    i2: float
    tau: float


@suggest_keywords
def combine_collections(differences: Numbers, variances: Numbers, df: Numbers) -> Outcome:
    """Test the macro mean of these collections, for other topics.

    d̄ = Σ d / K,   V = Σ v / K²,   ν = (Σ v)² / Σ (v² / df)

    `variances` are the squared standard errors of the differences, and `df` their degrees of
    freedom, n − 1 for n topics. The interval holds for other topics of the same collections, not
    for other collections: see `generalise_collections`.

    Reference: Satterthwaite 1946, An approximate distribution of estimates of variance components.

    >>> outcome = combine_collections([0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004], [25, 100, 50])
    >>> interval = outcome.confidence_interval()
    >>> round(outcome.df, 2), round(interval.low, 4), round(interval.high, 4)
    (83.51, 0.0301, 0.0699)
    """
    d, v, dfs = _read_collections(differences, variances, df, least=1)
    error, dof = combine_errors(v, dfs)
    assumed = "topics are random samples within fixed collections, and mean differences are normal"
    return build_t_outcome("macro mean", float(d.mean()), float(error), float(dof), len(d), assumed, "two-sided", ())


@suggest_keywords
def generalise_collections(differences: Numbers, variances: Numbers, df: Numbers) -> Outcome:
    """Test the macro mean of collections like these, for other topics and other collections.

    V = max(s_d², v̄) / K,   t with min(K − 1, ν) degrees of freedom

    s_d² is the variance of the differences, v̄ the mean of `variances`, and ν as in
    `combine_collections`. The interval assumes that the collections are a random sample. It needs
    at least 3 collections.

    Reference: Student 1908, The probable error of a mean, Biometrika, with the maximum as a bound;
    Soboroff 2018, Meta-analysis for retrieval experiments involving multiple test collections.

    >>> outcome = generalise_collections([0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004], [25, 100, 50])
    >>> round(outcome.pvalue, 4)
    0.102
    """
    d, v, dfs = _read_collections(differences, variances, df, least=3)
    error, dof = generalise_errors(d, v, dfs)
    assumed = "collections are a random sample, and their differences are normal"
    notes = note_few_collections(len(d))
    name = "macro mean of collections like these"
    return build_t_outcome(name, float(d.mean()), float(error), float(dof), len(d), assumed, "two-sided", notes)


@suggest_keywords
def predict_collection(differences: Numbers, variances: Numbers, df: Numbers) -> Outcome:
    """Predict the difference on one further collection like these.

    d̄ ± t √(max(s_d², v̄) (1 + 1/K)),   t with min(K − 1, ν) degrees of freedom

    The interval of the outcome is the prediction interval. The symbols are those of
    `generalise_collections`.

    Reference: Higgins, Thompson and Spiegelhalter 2009, A re-evaluation of random-effects
    meta-analysis, Journal of the Royal Statistical Society A.

    >>> outcome = predict_collection([0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004], [25, 100, 50])
    >>> interval = outcome.confidence_interval()
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.099, 0.199)
    """
    d, v, dfs = _read_collections(differences, variances, df, least=3)
    error, dof = generalise_errors(d, v, dfs)
    spread = float(error) * math.sqrt(len(d) + 1)
    assumed = "collections are a random sample, and their differences are normal"
    notes = note_few_collections(len(d))
    name = "difference on a further collection"
    return build_t_outcome(name, float(d.mean()), spread, float(dof), len(d), assumed, "two-sided", notes)


@suggest_keywords
def measure_heterogeneity(differences: Numbers, variances: Numbers) -> Heterogeneity:
    """Measure how much the true differences vary between collections.

    Q = Σ (d − d̃)² / v,   I² = max(0, (Q − K + 1) / Q),   d̃ = Σ (d/v) / Σ (1/v)

    p is that of χ² with K − 1 degrees of freedom. τ² is 0 if Q ≤ K − 1. Otherwise it solves
    Σ (d − d*)² / (v + τ²) = K − 1, and d* has the weights 1 / (v + τ²).

    Reference: Cochran 1954, The combination of estimates from different experiments, Biometrics;
    Paule and Mandel 1982, Consensus values and weighting factors, Journal of Research of NBS;
    Higgins and Thompson 2002, Quantifying heterogeneity in a meta-analysis, Statistics in Medicine.

    >>> result = measure_heterogeneity([0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004])
    >>> round(result.q, 4), round(result.i2, 4), round(result.tau**2, 6)
    (4.5, 0.5556, 0.0005)
    """
    d, v, _ = _read_collections(differences, variances, None, least=2, positive=True)
    q = float(compute_q(d, v))
    pvalue = float(special.chdtrc(len(d) - 1, q))
    i2 = max(0.0, (q - len(d) + 1) / q) if q else 0.0
    return Heterogeneity(len(d), q, pvalue, i2, math.sqrt(float(compute_tau2(d, v))))


@suggest_keywords
def pool_collections(differences: Numbers, variances: Numbers) -> Outcome:
    """Test the pooled difference, in which large collections have more weight.

    d* = Σ w d / Σ w,   w = 1 / (v + τ²),   SE² = Σ w (d − d*)² / ((K − 1) Σ w)

    τ² is that of `measure_heterogeneity`. t has K − 1 degrees of freedom. In simulations, 95 %
    intervals held in 88 to 96 % of cases, so the macro mean is the default of suites.

    Reference: Hartung and Knapp 2001, A refined method for the meta-analysis of controlled
    clinical trials with binary outcome, Statistics in Medicine.

    >>> outcome = pool_collections([0.02, 0.05, 0.08], [0.0004, 0.0001, 0.0004])
    >>> round(outcome.difference, 4), round(outcome.confidence_interval().high, 4)
    (0.05, 0.119)
    """
    d, v, _ = _read_collections(differences, variances, None, least=2, positive=True)
    weights = compute_weights(v, compute_tau2(d, v))
    pooled = float(weights @ d)
    error = math.sqrt(float(weights @ (d - pooled) ** 2) / (len(d) - 1))
    assumed = "collections are a random sample, differences are normal, and variances are known"
    notes = note_few_collections(len(d))
    return build_t_outcome("Hartung–Knapp", pooled, error, len(d) - 1, len(d), assumed, "two-sided", notes)


# -- arrays, with collections in the last axis ----------------------------------------------------


def combine_variances(variances: Floats, dfs: Floats) -> tuple[Floats, Floats]:
    """Return the sum of variances, and its degrees of freedom by Satterthwaite.

    If all variances are 0, the degrees of freedom are added.

    >>> total, df = combine_variances(np.array([1.0, 1.0]), np.array([5.0, 5.0]))
    >>> float(total), float(df)
    (2.0, 10.0)
    """
    scale = variances.max(axis=-1, keepdims=True)  # squares of small variances would be 0
    shares = np.divide(variances, scale, out=np.ones_like(variances), where=scale > 0)
    return variances.sum(axis=-1), shares.sum(axis=-1) ** 2 / (shares**2 / dfs).sum(axis=-1)


def combine_errors(v: Floats, dfs: Floats) -> tuple[Floats, Floats]:
    """Return standard error and degrees of freedom of the mean of these collections."""
    total, dof = combine_variances(v, dfs)
    return np.sqrt(total) / v.shape[-1], dof


def generalise_errors(d: Floats, v: Floats, dfs: Floats) -> tuple[Floats, Floats]:
    """Return standard error and degrees of freedom of the mean of collections like these."""
    K = d.shape[-1]
    variance = np.maximum(d.var(axis=-1, ddof=1), v.mean(axis=-1))
    return np.sqrt(variance / K), np.minimum(K - 1, combine_variances(v, dfs)[1])


def compute_q(d: Floats, v: Floats, tau2: Any = 0.0) -> Floats:
    """Return Σ (d − d*)² / (v + τ²): Cochran's Q for τ² = 0."""
    inverse = 1 / (v + np.asarray(tau2)[..., None])
    mean = (inverse * d).sum(axis=-1, keepdims=True) / inverse.sum(axis=-1, keepdims=True)
    return np.asarray((inverse * (d - mean) ** 2).sum(axis=-1))


def compute_tau2(d: Floats, v: Floats) -> Floats:
    """Return τ² of Paule and Mandel, by Newton's method.

    The generalised Q decreases with τ² and is convex. Steps from τ² = 0 therefore never pass the
    root (DerSimonian and Kacker 2007).

    >>> round(float(compute_tau2(np.array([0.02, 0.05, 0.08]), np.array([4e-4, 1e-4, 4e-4]))), 9)
    0.0005
    """
    K = d.shape[-1]
    tau2 = np.zeros(d.shape[:-1])
    for _ in range(_STEPS):
        inverse = 1 / (v + tau2[..., None])
        mean = (inverse * d).sum(axis=-1, keepdims=True) / inverse.sum(axis=-1, keepdims=True)
        squares = inverse * (d - mean) ** 2
        excess, slope = squares.sum(axis=-1) - (K - 1), (inverse * squares).sum(axis=-1)
        step = np.where(excess > 0, excess / np.where(slope > 0, slope, 1.0), 0.0)
        tau2 = tau2 + step
        if not (step > _CONVERGED * tau2).any():
            break
    return tau2


def compute_weights(v: Floats, tau2: Any = 0.0) -> Floats:
    """Return the weights 1 / (v + τ²), with the sum 1."""
    inverse = 1 / (v + np.asarray(tau2)[..., None])
    return np.asarray(inverse / inverse.sum(axis=-1, keepdims=True))


# -- notes and checks -----------------------------------------------------------------------------


def note_few_collections(count: int) -> tuple[Note, ...]:
    """Note that few collections show little about other collections.

    >>> note_few_collections(3)[0].text
    '3 collections show little about other collections: see the first interval of the macro mean'
    >>> note_few_collections(5)
    ()
    """
    if count >= ENOUGH_COLLECTIONS:
        return ()
    text = f"{format_count(count, 'collection')} show little about other collections"
    return (Note("few-collections", f"{text}: see the first interval of the macro mean"),)


def _read_collections(
    differences: Numbers, variances: Numbers, df: Numbers | None, least: int, positive: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Return three arrays of the same length, or raise an error."""
    d, v = _to_finite_array("differences", differences), _to_finite_array("variances", variances)
    dfs = np.ones(len(v)) if df is None else _to_finite_array("df", df)
    arrays = {"variances": v, "df": dfs}
    for name, array in arrays.items():
        if len(array) != len(d):
            raise InputError(f"{len(d)} differences and {len(array)} {name}", "the same number")
    if len(d) < least:
        raise InputError(format_count(len(d), "collection"), f"at least {least}")
    if (v < 0).any() or (positive and not v.all()):
        bad = v[(v <= 0) if positive else (v < 0)][0]
        raise InputError(f"the variance {bad:g}", "a number > 0" if positive else "a number ≥ 0")
    if (dfs <= 0).any():
        raise InputError(f"df {dfs[dfs <= 0][0]:g}", "a number > 0")
    return d, v, dfs


def _to_finite_array(name: str, values: Numbers) -> Floats:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}={describe_value(values)}", "numbers") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{name}={describe_value(values)}", "finite numbers, one per collection")
    return array
