"""Estimates from judge and human scores: of runs and differences.

All estimators have the method `estimate(contrast)`. The contrast is a number for each run: 1 for
the run itself, 1 and −1 for a difference.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.stats.paired import bootstrap_statistics, build_t_outcome
from cranfield.stats.prediction import LEAST as LEAST_TOPICS
from cranfield.stats.prediction import (
    OWN_WEIGHT,
    RowMeans,
    compute_row_means,
    compute_t_quantile,
    estimate_powered_rows,
    find_doubt,
    predict_variances,
    predict_widths,
    prediction_powered,
)
from cranfield.stats.sample_estimates import LEAST, estimate_difference, predict_variance
from cranfield.wording import format_count

ENOUGH = 50  # topics from which intervals of measures that are not sums hold, by simulation
ENOUGH_DRAWN = 3  # mean number of human labels per topic. If the judge explains less
TELLING = 0.4  # of the variance of human levels than this,
ENOUGH_ALONE = 15  # this number is needed
TRIALS, SEED = 2_000, 0  # bootstrap of topics
NOT_RANDOM = "topics with human labels were not drawn at random"
NO_LABELS = "no human labels"
EQUAL = "no variance: all scores are equal"


def format_too_few(unit: str) -> str:
    """Return the reason for a missing interval of the difference estimator."""
    return f"fewer than {LEAST} sampled {unit}s with different human and judge labels"


@dataclass(frozen=True)
class Estimate:
    """Estimate from judge and human labels, and from each of them only.

    `low` and `high` are None without an interval. `unpromised` is the reason why the interval may
    not hold. `wide_low` and `wide_high` are the interval for other topics, if `low` and `high` hold
    only for these topics. `alone` is the score by the judge only, and `bias` how much higher it is.
    `n_eff` is the number of topics, or documents, that would need human labels for the same
    precision without the judge. `needed` is the total number that need human labels for the
    requested interval: None if none was requested, or for the reason `why_not`. `n` is the number
    of units with human labels: without any, there is no estimate. Unknown values are nan.
    """

    estimate: float
    error: float
    low: float | None
    high: float | None
    pvalue: float
    people: float
    people_error: float
    alone: float
    alone_pvalue: float
    bias: float
    bias_low: float | None
    bias_high: float | None
    bias_pvalue: float | None
    n_eff: float
    weight: float | None = None
    wide_low: float | None = None
    wide_high: float | None = None
    needed: int | None = None
    agrees: bool = True  # True if judge scores rise with human scores
    unpromised: str = ""
    n: int = 0
    why_not: str = ""
    at_best: float | None = None  # the half-width with all labels, if it is not enough


def build_judge_only_estimate(alone: float, alone_pvalue: float, target: float | None) -> Estimate:
    """Build the estimate of runs without human labels: only judge scores are known."""
    unknown = math.nan
    return Estimate(
        unknown, unknown, None, None, unknown, unknown, unknown, alone, alone_pvalue,
        unknown, None, None, None, unknown,
        unpromised=NO_LABELS, why_not=NO_LABELS if target else "",
    )  # fmt: skip


class RequiredLabels(NamedTuple):
    """Number of labels that an interval needs, or the reason why it is unknown."""

    needed: int | None = None
    why_not: str = ""
    at_best: float | None = None


def _explain_missing(reason: str, target: float | None) -> RequiredLabels:
    """Return no number of labels, with the reason if a number was requested."""
    return RequiredLabels(None, reason if target else "")


def _compute_interval(
    value: float, error: float, quantile: float, df: int, has_interval: bool
) -> tuple[float | None, float | None, float]:
    """Return the ends of an interval and the p-value, nan without interval."""
    if not has_interval:
        return None, None, math.nan
    return value - quantile * error, value + quantile * error, _compute_t_pvalue(value, error, df)


def _compute_bias_interval(
    value: float, error: float, quantile: float, df: int, has_interval: bool
) -> tuple[float | None, float | None, float | None]:
    """Return the ends of an interval and the p-value, or None without them."""
    if not has_interval or not error > TOLERANCE:
        return None, None, None
    return _compute_interval(value, error, quantile, df, has_interval)


def _mean_and_error(x: Floats) -> tuple[float, float]:
    return float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x))


def _compute_t_pvalue(value: float, error: float, df: int) -> float:
    """Return the p-value of a value and its standard error."""
    return build_t_outcome("t", value, error, df, df + 1, "", "two-sided", ()).pvalue


def _test_mean(x: Floats) -> float:
    """Return the p-value of a mean."""
    return _compute_t_pvalue(float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x)), len(x) - 1)


@dataclass(frozen=True, eq=False)
class TopicEstimator:
    """Human and judge scores [runs, n], and judge scores [runs, N] of others."""

    measure: str
    runs: tuple[str, ...]
    lower_is_better: bool
    people: Floats
    judge: Floats
    others: Floats
    confidence: float = 0.95
    at_random: bool = True
    target: float | None = None
    unit: str = "topic"

    @property
    def size(self) -> tuple[int, int]:
        """Number of topics with human scores, and with judge scores only."""
        return self.people.shape[1], self.others.shape[1]

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate by prediction-powered inference."""
        Y, f, rest = (contrast @ x for x in (self.people, self.judge, self.others))
        result = prediction_powered(Y, f, rest, confidence=self.confidence)
        n, varies = len(Y), result.low is not None
        bias, error = _mean_and_error(f - Y)
        doubt = find_doubt(Y, self.unit) if varies else EQUAL
        required = self._find_required(Y, f, rest) if varies else _explain_missing(EQUAL, self.target)
        quantile = float(compute_t_quantile(self.confidence, n - 1))
        return Estimate(
            result.estimate,
            result.error,
            *_compute_interval(result.estimate, result.error, quantile, n - 1, self.at_random and varies),
            result.people,
            result.people_error,
            result.judge,
            _test_mean(np.append(f, rest)),
            bias,
            *_compute_bias_interval(bias, error, quantile, n - 1, self.at_random),
            result.n_eff if math.isfinite(result.n_eff) else math.nan,
            result.weight,
            agrees=result.covariance > 0 or not f.any(),
            unpromised=doubt if self.at_random else NOT_RANDOM,
            n=n,
            **required._asdict(),
        )

    def _find_required(self, Y: Floats, f: Floats, rest: Floats) -> RequiredLabels:
        """Return the total number of topics that need human scores."""
        if self.target is None:
            return RequiredLabels()
        sizes, widths = predict_widths(Y, f, rest, self.confidence)
        return _find_fewest(sizes, widths, self.target, self.unit)


def _find_fewest(sizes: Ints, widths: Floats, target: float, unit: str) -> RequiredLabels:
    """Return the first sufficient size."""
    enough = widths <= target
    if enough.any():
        return RequiredLabels(int(sizes[enough.argmax()]))
    reason = f"all {format_count(int(sizes[-1]), unit)} with judge labels are too few"
    return RequiredLabels(None, reason, float(widths[-1]))


@dataclass(frozen=True, eq=False)
class AnswerEstimator:
    """Human scores of some answers and judge scores of more: [runs, topics].

    Scores are NaN if missing. `unit` is the labelled unit: an answer, a ranking or a score.
    """

    measure: str
    runs: tuple[str, ...]
    lower_is_better: bool
    people: Floats
    judge: Floats
    confidence: float = 0.95
    at_random: bool = True
    target: float | None = None
    unit: str = "answer"

    @cached_property
    def labelled(self) -> Bools:
        """Answers with both scores."""
        return np.asarray(~np.isnan(self.people) & ~np.isnan(self.judge))

    @cached_property
    def judged(self) -> Bools:
        """Answers with a judge score."""
        return np.asarray(~np.isnan(self.judge))

    @property
    def size(self) -> tuple[int, int]:
        """Number of answers with human scores, and with judge scores only."""
        labelled_count = int(self.labelled.sum())
        return labelled_count, int(self.judged.sum()) - labelled_count

    @cached_property
    def _powered_rows(self) -> tuple[RowMeans, Floats]:
        return estimate_powered_rows(np.where(self.labelled, self.people, np.nan), self.judge)

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate by prediction-powered inference, each run by its own answers.

        Runs with answers to the same topics are compared topic by topic. Otherwise the difference
        of the estimates is used, and common topics of the runs add a covariance.
        """
        rows = np.flatnonzero(contrast)
        labelled, judged = self.labelled[rows], self.judged[rows]
        counts = labelled.sum(axis=1)
        if not counts.all():
            return build_judge_only_estimate(*self._compute_judge_mean(contrast, rows), self.target)
        has_same_topics = bool((labelled == labelled[0]).all() and (judged == judged[0]).all())
        if has_same_topics and counts[0] >= OWN_WEIGHT:
            return self._to_topic_estimator(rows).estimate(contrast[rows])
        return self._estimate_unpaired(contrast, rows, int(counts.min()), int(counts.sum()))

    def _to_topic_estimator(self, rows: Ints) -> TopicEstimator:
        """Build the estimator of runs with answers to the same topics."""
        labelled, rest = self.labelled[rows[0]], self.judged[rows[0]] & ~self.labelled[rows[0]]
        Y, f = self.people[rows], self.judge[rows]
        return TopicEstimator(
            self.measure, tuple(self.runs[r] for r in rows), self.lower_is_better,
            Y[:, labelled], f[:, labelled], f[:, rest],
            self.confidence, self.at_random, self.target, self.unit,
        )  # fmt: skip

    def _compute_judge_mean(self, contrast: Floats, rows: Ints) -> tuple[float, float]:
        """Return mean and p-value of judge scores, on topics of all these runs."""
        scores = contrast[rows] @ self.judge[rows][:, self.judged[rows].all(axis=0)]
        if not len(scores):
            return math.nan, math.nan
        return float(scores.mean()), _test_mean(scores) if len(scores) > 1 else math.nan

    def _estimate_unpaired(self, contrast: Floats, rows: Ints, least: int, n: int) -> Estimate:
        """Combine the estimates of single runs."""
        theta, weights = self._powered_rows
        Y, f = (np.where(self.labelled, x, np.nan) for x in (self.people, self.judge))
        estimate, error = _combine_rows(contrast, rows, theta)
        people, people_error = _combine_rows(contrast, rows, compute_row_means(Y))
        bias = _combine_rows(contrast, rows, compute_row_means(f - Y))
        enough = least >= LEAST_TOPICS and error > TOLERANCE
        doubt = self._find_doubt(Y[rows], least, error)
        required = self._find_required(contrast, rows) if enough else _explain_missing(doubt, self.target)
        df, has_interval = max(least - 1, 1), self.at_random and enough
        quantile = float(compute_t_quantile(self.confidence, df))
        return Estimate(
            estimate,
            error,
            *_compute_interval(estimate, error, quantile, df, has_interval),
            people,
            people_error,
            *self._compute_judge_mean(contrast, rows),
            bias[0],
            *_compute_bias_interval(*bias, quantile, df, has_interval),
            n * people_error**2 / error**2 if enough else math.nan,
            float(weights[rows].mean()),
            agrees=len(rows) > 1 or least < LEAST_TOPICS or self._has_agreement(rows[0]),
            unpromised=doubt if self.at_random else NOT_RANDOM,
            n=n,
            **required._asdict(),
        )

    def _find_doubt(self, Y: Floats, least: int, error: float) -> str:
        """Return the reason why an interval may not hold, or is missing."""
        if least < LEAST_TOPICS:
            count_text = f"{format_count(least, self.unit)} with human labels for a run"
            return f"{count_text}: an interval needs {LEAST_TOPICS}"
        if not error > TOLERANCE:
            return EQUAL
        return next(filter(None, (find_doubt(y[~np.isnan(y)], self.unit) for y in Y)), "")

    def _has_agreement(self, row: int) -> bool:
        """Return True if the judge scores of a run rise with the human scores."""
        f = self.judge[row][self.labelled[row]]
        return not f.any() or float(np.cov(self.people[row][self.labelled[row]], f)[0, 1]) > 0

    def _find_required(self, contrast: Floats, rows: Ints) -> RequiredLabels:
        """Return the total number of answers that need human scores.

        The same fraction of answers of each run is labelled. Covariances between runs are ignored:
        with independently drawn answers they are small, and reduce the error of a difference.
        """
        if self.target is None:
            return RequiredLabels()
        judged_counts, labelled_counts = (self.judged[rows].sum(axis=1), self.labelled[rows].sum(axis=1))
        fractions = np.linspace(
            (labelled_counts / judged_counts).max(), 1.0, 1 + int(judged_counts.max() - labelled_counts.min())
        )
        sizes = np.ceil(fractions[None, :] * judged_counts[:, None] - 1e-9).astype(np.int64)
        variance = np.zeros(len(fractions))
        for k, r in enumerate(rows.tolist()):
            labelled, rest = self.labelled[r], self.judged[r] & ~self.labelled[r]
            Y, f, rest_scores = (self.people[r][labelled], self.judge[r][labelled], self.judge[r][rest])
            variance += contrast[r] ** 2 * predict_variances(Y, f, rest_scores, sizes[k])
        widths = np.sqrt(variance) * compute_t_quantile(self.confidence, sizes.min(axis=0) - 1)
        return _find_fewest(sizes.sum(axis=0), widths, self.target, self.unit)


def _combine_rows(contrast: Floats, rows: Ints, means: RowMeans) -> tuple[float, float]:
    """Return a sum of row means and its error; topics are independent."""
    c = contrast[rows]
    error = math.sqrt(float(((c @ means.spread[rows]) ** 2).sum()))
    return float(c @ means.mean[rows]), error


@dataclass(frozen=True, eq=False)
class SampleEstimator:
    """Judge scores [runs, topics] and effects [runs, documents] of human labels.

    `change` is the change of scores by the human label of a document, `human_values` the
    contribution of the human label itself. `probabilities` are the drawing probabilities of the
    sample, and `all_probabilities` of all documents.
    """

    measure: str
    runs: tuple[str, ...]
    lower_is_better: bool
    judged: Floats
    change: Floats
    human_values: Floats
    topic_of: Ints
    probabilities: Floats
    all_probabilities: Floats  # drawing probabilities of all documents
    confidence: float = 0.95
    target: float | None = None
    unit: str = "document"  # or a nugget, or a citation
    in_runs: Bools | None = None  # [runs, documents]: documents of each run, if they differ

    @property
    def size(self) -> tuple[int, int]:
        """Number of documents, nuggets or citations with and without human labels."""
        return len(self.probabilities), len(self.all_probabilities) - len(self.probabilities)

    @property
    def complete(self) -> bool:
        """True if every document of the audit has a human label."""
        return len(self.probabilities) == len(self.all_probabilities) and bool((self.all_probabilities == 1).all())

    @cached_property
    def topics(self) -> int:
        """Number of topics."""
        return int(self.judged.shape[1])

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate by the difference estimator."""
        T, p = self.topics, self.probabilities
        scores, change, human_values = (contrast @ x for x in (self.judged, self.change, self.human_values))
        alone = float(scores.mean())
        alone_pvalue = _test_mean(scores) if T > 1 else math.nan
        in_runs = None if self.in_runs is None else self.in_runs[np.flatnonzero(contrast)]
        if in_runs is not None and not in_runs.any(axis=1).all():
            return build_judge_only_estimate(alone, alone_pvalue, self.target)
        result = estimate_difference(alone, change / T, human_values / T, p, self.confidence, self.complete)
        has_interval, df = result.low is not None, max(result.differ - 1, 1)
        bias, quantile = alone - result.estimate, float(compute_t_quantile(self.confidence, df))
        ends = _compute_interval(bias, result.error, quantile, df, has_interval)
        required = (
            RequiredLabels(self._find_required(change / T, df))
            if has_interval
            else _explain_missing(format_too_few(self.unit), self.target)
        )
        return Estimate(
            result.estimate,
            result.error,
            result.low,
            result.high,
            _compute_t_pvalue(result.estimate, result.error, df) if has_interval else math.nan,
            result.people,
            result.people_error,
            alone,
            alone_pvalue,
            bias,
            *ends[:2],
            ends[2] if has_interval else None,
            self._count_documents(human_values / T, result.error**2) if has_interval and result.error else math.nan,
            None,
            *self._compute_wide_interval(scores, change),
            unpromised="" if has_interval else format_too_few(self.unit),
            n=len(p) if in_runs is None else int(in_runs.any(axis=0).sum()),
            **required._asdict(),
        )

    def _compute_wide_interval(self, scores: Floats, change: Floats) -> tuple[float | None, float | None]:
        """Return the interval for a population of topics."""
        T = self.topics
        if T < 2:
            return None, None
        of_topic = scores + np.bincount(self.topic_of, change / self.probabilities, minlength=T)
        error = float(of_topic.std(ddof=1)) / math.sqrt(T)
        half = error * float(compute_t_quantile(self.confidence, T - 1))
        return float(of_topic.mean()) - half, float(of_topic.mean()) + half

    def _find_required(self, change: Floats, df: int) -> int | None:
        """Return the total number of documents that need human labels."""
        if self.target is None:
            return None
        target_variance = (self.target / float(compute_t_quantile(self.confidence, df))) ** 2
        return max(len(self.probabilities), math.ceil(self._count_documents(change, target_variance)))

    def _count_documents(self, values: Floats, target_variance: float) -> float:
        """Return the number of documents that gives this variance."""
        p = self.probabilities
        low, high = (1e-6, 1.0 / float(min(p.min(initial=1.0), self.all_probabilities.min(initial=1.0))))
        for _ in range(60):
            middle = math.sqrt(low * high)
            enough = predict_variance(values, p, np.minimum(1.0, middle * p)) <= target_variance
            low, high = (low, middle) if enough else (middle, high)
        return float(np.minimum(1.0, high * self.all_probabilities).sum())


@dataclass(frozen=True, eq=False)
class ImputationEstimator(SampleEstimator):
    """Estimator for measures that are not sums, with imputed labels.

    `estimates` are scores by judge and human labels, `by_people` scores by human labels only.
    `change` and `human_values` are the effects of documents, which predict the results of a larger
    sample. Intervals also hold for other topics.
    """

    estimates: Floats = None  # type: ignore[assignment]  # fields before have defaults
    by_people: Floats = None  # type: ignore[assignment]
    explained: float = 1.0  # fraction of the variance of human levels explained by other documents

    def estimate(self, contrast: Floats) -> Estimate:
        """Estimate by the bootstrap of the estimates of topics."""
        scores, alone, people = (contrast @ x for x in (self.estimates, self.judged, self.by_people))
        theta, bias = Bootstrap(scores), Bootstrap(alone - scores)
        has_interval = theta.error > 0
        low, high = theta.compute_interval(self.confidence) if has_interval else (None, None)
        bias_low, bias_high = bias.compute_interval(self.confidence) if bias.error > 0 else (None, None)
        change, human_values = (contrast @ self.change / self.topics, contrast @ self.human_values / self.topics)
        within = predict_variance(change, self.probabilities, self.probabilities)
        required = self._find_required_documents(change, within, theta.error)
        return Estimate(
            theta.mean,
            theta.error,
            None,
            None,
            theta.pvalue if has_interval else math.nan,
            float(people.mean()),
            Bootstrap(people).error,
            float(alone.mean()),
            _test_mean(alone) if len(scores) > 1 else math.nan,
            bias.mean,
            bias_low,
            bias_high,
            bias.pvalue if bias.error > 0 else None,
            self._count_documents(human_values, within) if within > 0 else math.nan,
            None,
            low,
            high,
            unpromised=self._find_doubt() if has_interval or self.topics < 2 else EQUAL,
            n=len(self.probabilities),
            **required._asdict(),
        )

    def _find_doubt(self) -> str:
        """Return the reason why an interval may not hold."""
        topics_text, sampled_count = format_count(self.topics, "topic"), len(self.probabilities)
        if self.topics < ENOUGH:
            return f"{topics_text} by a measure that is not a sum: intervals hold from {ENOUGH} on"
        is_telling = self.explained >= TELLING
        enough = min(self.topics * (ENOUGH_DRAWN if is_telling else ENOUGH_ALONE), len(self.all_probabilities))
        if sampled_count >= enough:
            return ""
        reason = "" if is_telling else ", and a judge that explains little of the human labels"
        documents = f"{format_count(sampled_count, 'document')} with human labels in {topics_text}"
        text = f"{documents} by a measure that is not a sum{reason}"
        return f"{text}: intervals hold from {enough:,} on"

    def _find_required_documents(self, change: Floats, within: float, error: float) -> RequiredLabels:
        """Return the number of documents that need human labels."""
        if self.target is None:
            return RequiredLabels()
        if self.topics < 2:
            return RequiredLabels(None, "1 topic: no interval")
        quantile = float(compute_t_quantile(self.confidence, self.topics - 1))
        topic_variance = max(error**2 - within, 0.0)
        allowed_variance = (self.target / quantile) ** 2 - topic_variance
        if allowed_variance <= 0:
            documents = format_count(len(self.all_probabilities), "document")
            reason = f"all {documents} are too few: the variance of topics is too large"
            return RequiredLabels(None, reason, quantile * math.sqrt(topic_variance))
        return RequiredLabels(max(len(self.probabilities), math.ceil(self._count_documents(change, allowed_variance))))


class Bootstrap:
    """Mean over topics, by the studentised bootstrap."""

    def __init__(self, x: Floats) -> None:
        self.x, self.mean = x, float(x.mean())
        self.error = float(x.std(ddof=1)) / math.sqrt(len(x)) if len(x) > 1 else 0.0
        if self.error <= TOLERANCE * max(1.0, float(np.abs(x).max(initial=0.0))):
            self.error = 0.0

    @cached_property
    def deviations(self) -> Floats:
        """Distances of bootstrap samples from their mean, in standard errors."""
        return np.abs(bootstrap_statistics(self.x, TOLERANCE, TRIALS, SEED, threads=1))

    def compute_interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the mean, by the quantile of the deviations."""
        half = self.error * float(np.quantile(self.deviations, confidence)) if self.error else 0.0
        return self.mean - half, self.mean + half

    @property
    def pvalue(self) -> float:
        """Fraction of samples with a deviation at least as large as the distance of 0."""
        if not self.error:
            return 0.0 if self.mean else 1.0
        extreme_count = int(np.count_nonzero(self.deviations >= abs(self.mean) / self.error))
        return (extreme_count + 1) / (len(self.deviations) + 1)


Estimator: TypeAlias = TopicEstimator | AnswerEstimator | SampleEstimator
"""All estimators have the method `estimate`."""
