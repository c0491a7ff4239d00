"""Summaries of the scores of one system, and of all systems on each topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_number, to_list
from cranfield.scores import FLOOR, Interval, Scores
from cranfield.stats.measure_scores import get_sign
from cranfield.stats.resampling import TRIALS, check_trials
from cranfield.stats.samples import Sample, check_topic_count, to_array
from cranfield.wording import suggest_keywords

__all__ = ["Summary", "summarise"]

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Summary(TableResult):
    """Summary of the scores of `n` topics.

    `gmean` is the geometric mean, in which scores below `floor` are replaced by the floor. `std` is
    the standard deviation with n − 1 in its denominator. `quantiles` are keyed by their fraction of
    topics. `interval` is a confidence interval of the mean. With one topic, deviation and interval
    are NaN.
    """

    n: int
    mean: float
    gmean: float
    floor: float
    median: float
    std: float
    quantiles: dict[float, float]
    interval: Interval


@suggest_keywords
def summarise(
    x: Sample,
    floor: float = FLOOR,
    quantiles: Sequence[float] = QUARTILES,
    confidence: float = 0.95,
    method: Literal["t", "bootstrap", "percentile"] = "t",
    trials: int = TRIALS,
    seed: int = 0,
) -> Summary:
    """Summarise scores of one system: means, median, deviation, quantiles.

    The geometric mean is exp(mean(log(max(x, floor)))). A quantile between two scores is
    interpolated (type 7 of Hyndman and Fan). The interval of the mean is a Student's t interval
    (``method="t"``, which assumes a normal distribution of the mean), or a bootstrap interval:
    bias-corrected and accelerated (``"bootstrap"``), or ``"percentile"``.

    >>> summary = summarise({"301": 0.1, "302": 0.4, "303": 0.4}, confidence=0.5)
    >>> round(summary.mean, 4), round(summary.gmean, 4), summary.median  # ∛0.016 = 0.2520
    (0.3, 0.252, 0.4)
    >>> summary.quantiles
    {0.0: 0.1, 0.25: 0.25, 0.5: 0.4, 0.75: 0.4, 1.0: 0.4}
    >>> round(summary.interval.low, 4)  # 0.3 − t s / √n = 0.3 − 0.8165 · 0.1732 / 1.7321
    0.2184

    Reference: Robertson (2006), On GMAP: and other transformations, CIKM; Efron (1987), Better
    bootstrap confidence intervals, JASA 82(397), 171-185.
    """
    values = to_array(x)
    check_topic_count(len(values), 1)
    check_trials(trials, seed)
    for share in to_list("quantiles", quantiles, "numbers in [0, 1]"):
        check_number("quantile", share, "a number in [0, 1]")
        if not 0 <= share <= 1:
            raise InputError(f"quantile {share}", "a number in [0, 1]")
    numbers = map(str, range(len(values)))
    scores = Scores(values.reshape(1, -1, 1), ("x",), tuple(numbers), ("score",), ("mean",))
    return Summary(
        n=len(values),
        mean=scores.mean()["x"]["score"],
        gmean=scores.gmean(floor)["x"]["score"],
        floor=floor,
        median=scores.median()["x"]["score"],
        std=scores.std()["x"]["score"],
        quantiles={q: float(np.quantile(values, q)) for q in quantiles},
        interval=scores.interval(method, confidence, trials, seed)["x"]["score"],
    )


@dataclass(frozen=True, eq=False)
class RunStatistics:
    """Mean, best, median and worst score over runs on each topic.

    NaN if no run has a score. Undefined scores of single runs are excluded.
    """

    mean: Floats
    best: Floats
    median: Floats
    worst: Floats


def compute_run_statistics(scores: Scores, measure: str) -> RunStatistics:
    """Compute mean, best, median and worst score over runs on each topic.

    If lower is better, the best score is the lowest.

    >>> scores = Scores([[[0.5]], [[0.25]], [[np.nan]]], "abc", ["1"], ["RNOD"], ["mean"],
    ...                 better=["lower"])
    >>> rnod = compute_run_statistics(scores, "RNOD")
    >>> float(rnod.best[0]), float(rnod.median[0]), float(rnod.worst[0])
    (0.25, 0.375, 0.5)
    """
    values = scores.values[:, :, scores.measures.index(measure)]
    defined = [of_topic[np.isfinite(of_topic)] for of_topic in values.T]
    ends = (np.max, np.min) if get_sign(scores, measure) > 0 else (np.min, np.max)
    statistics = [
        np.array([function(x) if len(x) else np.nan for x in defined])
        for function in (np.mean, ends[0], np.median, ends[1])
    ]
    return RunStatistics(*statistics)
