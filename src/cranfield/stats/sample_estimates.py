"""Difference estimators: sums from judge labels and a human sample.

The documents are the sample: each has a judge label and its own probability of a human label.
Results hold for these topics.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_number, describe_value
from cranfield.stats.prediction import compute_t_quantile
from cranfield.stats.result import check_confidence
from cranfield.wording import suggest_keywords

__all__ = ["DifferenceEstimate", "difference_estimate", "inclusion_probabilities"]

LEAST = 5  # sampled documents with different human and judge labels, for an interval


@dataclass(frozen=True)
class DifferenceEstimate(TableResult):
    """Weighted sum of human labels, estimated from judge and sampled labels.

    `judge` is the sum of the judge labels. `people` is the estimate from human labels only, with
    its standard error `people_error`. `sampled` documents have a human label. `differ` is the
    number of randomly drawn documents with different human and judge labels: fewer than 5 give no
    interval.
    """

    estimate: float
    error: float
    low: float | None
    high: float | None
    confidence: float
    judge: float
    people: float
    people_error: float
    sampled: int
    differ: int


@suggest_keywords
def difference_estimate(
    weights: ArrayLike,
    judge: ArrayLike,
    people: ArrayLike,
    probabilities: ArrayLike,
    confidence: float = 0.95,
) -> DifferenceEstimate:
    """Estimate Σ w y from all judge labels f and human labels y of a sample.

    T = Σ w f + Σ_sampled w (y − f)/π,   Var(T) = Σ_sampled (1 − π)/π² (w (y − f))²

    `people` contains NaN for documents that were not drawn. π, the `probabilities`, are the
    independent drawing probabilities. The estimate is unbiased for any judge. The interval is a
    Student's t interval. Its degrees of freedom are the number of sampled documents with y ≠ f and
    π < 1, minus one. With fewer than 5 such documents there is no interval, unless every document
    with a weight was drawn with π = 1. For a difference of two runs, w is the difference of the
    weights of their ranks.

    >>> nan = math.nan
    >>> result = difference_estimate([0.5, 0.25, 0.125], [1, 1, 0], [nan, 0, 1], [0.8, 0.5, 0.4])
    >>> result.estimate, round(result.error**2, 8), result.low  # 0.75 − 0.5 + 0.3125
    (0.5625, 0.18359375, None)

    Reference: Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapter 6.
    """
    w, f, y, p = _read_columns(weights, judge, people, probabilities)
    sampled = ~np.isnan(y)
    w_drawn, y_drawn, f_drawn = w[sampled], y[sampled], f[sampled]
    change = w_drawn * (y_drawn - f_drawn)
    complete = bool((sampled & (p == 1))[w != 0].all())
    return estimate_difference(math.fsum(w * f), change, w_drawn * y_drawn, p[sampled], confidence, complete)


def estimate_difference(
    judge_sum: float,
    change: Floats,
    human_values: Floats,
    p: Floats,
    confidence: float = 0.95,
    complete: bool = False,
) -> DifferenceEstimate:
    """Estimate from Σ w f, and w (y − f), w y and π of each sampled document.

    If all documents were drawn with certainty (`complete`), the sum is exact and the interval a
    point.
    """
    check_confidence(confidence)
    theta = judge_sum + math.fsum(change / p)
    variance, human_variance = _compute_variance(change, p), _compute_variance(human_values, p)
    differ = int(np.count_nonzero((change != 0) & (p < 1)))
    half = math.sqrt(variance) * float(compute_t_quantile(confidence, max(differ - 1, 1)))
    has_interval = differ >= LEAST or complete
    return DifferenceEstimate(
        theta,
        math.sqrt(variance),
        theta - half if has_interval else None,
        theta + half if has_interval else None,
        confidence,
        judge_sum,
        math.fsum(human_values / p),
        math.sqrt(human_variance),
        len(p),
        differ,
    )


def _compute_variance(change: Floats, p: Floats) -> float:
    return math.fsum((1 - p) / p**2 * change**2)


def predict_variance(change: Floats, used_probabilities: Floats, probabilities: Floats) -> float:
    """Predict the variance for other drawing probabilities π′.

    Σ_sampled (1 − π′)/π′ (w (y − f))²/π
    """
    return math.fsum((1 - probabilities) / probabilities * change**2 / used_probabilities)


@suggest_keywords
def inclusion_probabilities(weights: ArrayLike, size: float) -> Floats:
    """Compute drawing probabilities π = min(1, c w) with Σ π = size.

    If `size` is at least the number of documents with a weight, their π is 1.

    >>> inclusion_probabilities([4, 2, 1, 1, 0], 2).tolist()
    [1.0, 0.5, 0.25, 0.25, 0.0]

    Reference: Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapter 3.
    """
    w = np.atleast_1d(_to_numbers("weights", weights))
    check_number("size", size, "a number above 0")
    if not (np.isfinite(w) & (w >= 0)).all():
        raise InputError.from_problem("invalid weights", "Use finite numbers ≥ 0.")
    if not 0 < size < math.inf:
        raise InputError(f"a sample of {size}", "a number above 0")
    heavy = np.sort(w[w > 0])[::-1]
    if size >= len(heavy):
        return (w > 0).astype(np.float64)
    rest = np.cumsum(heavy[::-1])[::-1]  # Σ of this weight and all smaller weights
    certain = np.arange(len(heavy))  # number of documents drawn with certainty
    factor = (size - certain) / rest  # c for this number
    first = int(np.argmax((factor * heavy <= 1) & (factor > 0)))
    return np.asarray(np.minimum(1.0, factor[first] * w))


def _read_columns(*arrays: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    names = "weights", "judge", "people", "probabilities"
    w, f, y, p = (np.atleast_1d(_to_numbers(name, x)) for name, x in zip(names, arrays, strict=True))
    if len({x.shape for x in (w, f, y, p)}) > 1 or w.ndim != 1:
        shapes = ", ".join(f"{n} of shape {x.shape}" for n, x in zip(names, (w, f, y, p), strict=True))
        raise InputError(shapes, "one number of each per document")
    if not (np.isfinite(w) & np.isfinite(f)).all() or np.isinf(y).any():
        raise InputError.from_problem("weights or labels are not finite", "Only human labels not drawn can be NaN.")
    if not ((p[~np.isnan(y)] > 0) & (p[~np.isnan(y)] <= 1)).all():
        raise InputError.from_problem("probability of a drawn document outside (0, 1]", "Use probabilities above 0.")
    if never := np.flatnonzero(np.isnan(y) & (w != 0) & ~((p > 0) & (p <= 1))).tolist():
        i = never[0]
        problem = f"probability {p[i]:g} for document {i + 1} of weight {w[i]:g}"
        raise InputError(problem, "a probability in (0, 1], because the document has a weight")
    return w, f, y, p


def _to_numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={describe_value(values)}", "an array of numbers") from None
