"""A judge of everything and people of a random sample: sums estimated by their difference.

The documents are the sample: the judge labelled all of them, people those that were drawn, each
with a probability of its own. What is said is of these topics.
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

LEAST = 5  # sampled documents on which people and the judge differ, for an interval


@dataclass(frozen=True)
class DifferenceEstimate(TableResult):
    """A weighted sum of people's labels, estimated from the judge's and a sample of people's.

    `judge` is the sum of the judge's labels alone, `people` what people's alone estimate, with its
    standard error. `sampled` documents were labelled by people, `differ` of them, drawn by chance,
    otherwise than by the judge: fewer than 5 give no interval.
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
    """Σ w y over all documents, from the judge's f of all and people's y of a random sample.

    T = Σ w f + Σ_sampled w (y − f)/π,   Var(T) = Σ_sampled (1 − π)/π² (w (y − f))²

    `people` are NaN where a document was not drawn; π, the `probabilities`, are those with which
    documents were drawn, independently. This is unbiased whatever the judge is worth. The interval
    is Student's, with one degree of freedom less than sampled documents with y ≠ f and π < 1. With
    fewer than 5 of these there is none, unless every document that weighs anything was drawn with
    π = 1. For a difference of two runs, w is the difference of the weights of their ranks.

    >>> nan = math.nan
    >>> found = difference_estimate([0.5, 0.25, 0.125], [1, 1, 0], [nan, 0, 1], [0.8, 0.5, 0.4])
    >>> found.estimate, round(found.error**2, 8), found.low  # 0.75 − 0.5 + 0.3125
    (0.5625, 0.18359375, None)

    Reference: Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapter 6.
    """
    w, f, y, p = _read_columns(weights, judge, people, probabilities)
    sampled = ~np.isnan(y)
    w_drawn, y_drawn, f_drawn = w[sampled], y[sampled], f[sampled]
    change = w_drawn * (y_drawn - f_drawn)
    complete = bool((sampled & (p == 1))[w != 0].all())
    return estimate_difference(
        math.fsum(w * f), change, w_drawn * y_drawn, p[sampled], confidence, complete
    )


def estimate_difference(
    judge_sum: float,
    change: Floats,
    human_values: Floats,
    p: Floats,
    confidence: float = 0.95,
    complete: bool = False,
) -> DifferenceEstimate:
    """The estimate from Σ w f, and of each document that people labelled w (y − f), w y and π.

    If all documents were drawn for certain (`complete`), the sum is known, the interval a point.
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
    """What the variance would be if documents were drawn `probabilities` with these probabilities, from a
    sample that was `used_probabilities` others: Σ_sampled (1 − π′)/π′ (w (y − f))²/π.
    """
    return math.fsum((1 - probabilities) / probabilities * change**2 / used_probabilities)


@suggest_keywords
def inclusion_probabilities(weights: ArrayLike, size: float) -> Floats:
    """π = min(1, c w) with Σ π = size: documents that weigh more are drawn more often.

    Where everything that weighs anything is to be drawn, π is 1.

    >>> inclusion_probabilities([4, 2, 1, 1, 0], 2).tolist()
    [1.0, 0.5, 0.25, 0.25, 0.0]

    Reference: Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapter 3.
    """
    w = np.atleast_1d(_to_numbers("weights", weights))
    check_number("size", size, "a number above 0")
    if not (np.isfinite(w) & (w >= 0)).all():
        raise InputError("weights below 0, or none", "finite numbers from 0")
    if not 0 < size < math.inf:
        raise InputError(f"a sample of {size}", "a number above 0")
    heavy = np.sort(w[w > 0])[::-1]
    if size >= len(heavy):
        return (w > 0).astype(np.float64)
    rest = np.cumsum(heavy[::-1])[::-1]  # Σ of this weight and all lighter ones
    certain = np.arange(len(heavy))  # so many are drawn for certain,
    factor = (size - certain) / rest  # and then c is
    first = int(np.argmax((factor * heavy <= 1) & (factor > 0)))
    return np.asarray(np.minimum(1.0, factor[first] * w))


def _read_columns(*arrays: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    names = "weights", "judge", "people", "probabilities"
    w, f, y, p = (
        np.atleast_1d(_to_numbers(name, x)) for name, x in zip(names, arrays, strict=True)
    )
    if len({x.shape for x in (w, f, y, p)}) > 1 or w.ndim != 1:
        shapes = ", ".join(
            f"{n} of shape {x.shape}" for n, x in zip(names, (w, f, y, p), strict=True)
        )
        raise InputError(shapes, "a number of each for every document")
    if not (np.isfinite(w) & np.isfinite(f)).all() or np.isinf(y).any():
        raise InputError("weights or labels that are no numbers", "finite numbers; NaN: not drawn")
    if not ((p[~np.isnan(y)] > 0) & (p[~np.isnan(y)] <= 1)).all():
        raise InputError("a drawn document of probability 0, or above 1", "from above 0 to 1")
    if never := np.flatnonzero(np.isnan(y) & (w != 0) & ~((p > 0) & (p <= 1))).tolist():
        i = never[0]
        problem = f"probability {p[i]:g} for document {i + 1} of weight {w[i]:g}"
        raise InputError(problem, "above 0, at most 1: a document that cannot be drawn is unknown")
    return w, f, y, p


def _to_numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={describe_value(values)}", "an array of numbers") from None
