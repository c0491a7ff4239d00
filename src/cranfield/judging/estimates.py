"""Estimates from a judge's scores and people's: of a run, of two runs, of any sum of runs.

Both kinds of data, people's scores of some topics and people's labels of some documents, answer the
same: `of(contrast)`, with a number for each run, 1 for the run itself, 1 and −1 for two.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.stats.judged import LEAST as LEAST_TOPICS
from cranfield.stats.judged import (
    OWN_WEIGHT,
    RowMeans,
    planned_variances,
    planned_widths,
    powered_rows,
    prediction_powered,
    row_means,
    t_quantile,
    unpromised,
)
from cranfield.stats.paired import bootstrapped, by_t
from cranfield.stats.sampled import LEAST, estimated, expected_variance
from cranfield.wording import counted

ENOUGH = 50  # topics, from which on intervals of measures that are no sums hold, by simulation
ENOUGH_DRAWN = 3  # documents of a topic that people labelled, in the mean; if the judge tells less
TELLING = 0.4  # of the variance of people's levels than this,
ENOUGH_ALONE = 15  # so many
TRIALS, SEED = 2_000, 0  # of the bootstrap of topics
NOT_RANDOM = "people's topics were not drawn at random"
NO_LABELS = "no human labels"
EQUAL = "no variance: all scores are equal"


def too_few(unit: str) -> str:
    """Why there is no interval of the difference estimator."""
    return f"fewer than {LEAST} sampled {unit}s on which people and the judge differ"


@dataclass(frozen=True)
class Estimate:
    """What a judge and people say together, and each alone.

    `low` and `high` are None if there is no interval, and `unpromised` says why it may not hold.
    `wide_low` and `wide_high` are for other topics, where the interval is of these alone. `bias`
    is how much the judge alone says more. `n_eff` is how many topics, or documents, people alone
    would have had to judge, and `needed` how many they have to judge in all for the interval
    that is wanted: None if none was asked for, or for the reason that `why_not` gives. `n` is how
    many labelled units it rests on: without any there is no estimate. What is not known is nan.
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
    agrees: bool = True  # whether the judge's scores rise with people's
    unpromised: str = ""
    n: int = 0
    why_not: str = ""
    at_best: float | None = None  # the half-width with all labels, if that is not enough


def without_labels(alone: float, alone_pvalue: float, target: float | None) -> Estimate:
    """What the judge says alone: without human labels there is no estimate."""
    unknown = math.nan
    return Estimate(
        unknown, unknown, None, None, unknown, unknown, unknown, alone, alone_pvalue,
        unknown, None, None, None, unknown,
        unpromised=NO_LABELS, why_not=NO_LABELS if target else "",
    )  # fmt: skip


class Needed(NamedTuple):
    """How many labels an interval needs, or the reason why there is no number."""

    needed: int | None = None
    why_not: str = ""
    at_best: float | None = None


def _reason(why: str, target: float | None) -> Needed:
    """No number of labels, for a reason, if a number was asked for."""
    return Needed(None, why if target else "")


def _tested(
    value: float, error: float, quantile: float, df: int, known: bool
) -> tuple[float | None, float | None, float]:
    """The ends of an interval and the p-value; without an interval, p is nan."""
    if not known:
        return None, None, math.nan
    return value - quantile * error, value + quantile * error, _t(value, error, df)


def _tested_bias(
    value: float, error: float, quantile: float, df: int, known: bool
) -> tuple[float | None, float | None, float | None]:
    """The ends of an interval and the p-value, None without an interval or a variance."""
    if not known or not error > TOLERANCE:
        return None, None, None
    return _tested(value, error, quantile, df, known)


def _mean_and_error(x: Floats) -> tuple[float, float]:
    return float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x))


def _t(value: float, error: float, df: int) -> float:
    """The p-value of a value and its standard error."""
    return by_t("t", value, error, df, df + 1, "", "two-sided", ()).pvalue


def _mean_t(x: Floats) -> float:
    """The p-value of a mean."""
    return _t(float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x)), len(x) - 1)


@dataclass(frozen=True, eq=False)
class ByTopic:
    """People's scores of some topics [runs, n], the judge's of these, and of others [runs, N]."""

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
        """How many topics people scored, and how many the judge alone."""
        return self.people.shape[1], self.others.shape[1]

    def of(self, contrast: Floats) -> Estimate:
        """By prediction-powered inference."""
        Y, f, rest = (contrast @ x for x in (self.people, self.judge, self.others))
        found = prediction_powered(Y, f, rest, confidence=self.confidence)
        n, varies = len(Y), found.low is not None
        bias, error = _mean_and_error(f - Y)
        doubt = unpromised(Y, self.unit) if varies else EQUAL
        needed = self._needed(Y, f, rest) if varies else _reason(EQUAL, self.target)
        quantile = float(t_quantile(self.confidence, n - 1))
        return Estimate(
            found.estimate,
            found.error,
            *_tested(found.estimate, found.error, quantile, n - 1, self.at_random and varies),
            found.people,
            found.people_error,
            found.judge,
            _mean_t(np.append(f, rest)),
            bias,
            *_tested_bias(bias, error, quantile, n - 1, self.at_random),
            found.n_eff if math.isfinite(found.n_eff) else math.nan,
            found.weight,
            agrees=found.covariance > 0 or not f.any(),
            unpromised=doubt if self.at_random else NOT_RANDOM,
            n=n,
            **needed._asdict(),
        )

    def _needed(self, Y: Floats, f: Floats, rest: Floats) -> Needed:
        """How many topics people have to score in all."""
        if self.target is None:
            return Needed()
        sizes, widths = planned_widths(Y, f, rest, self.confidence)
        return _fewest(sizes, widths, self.target, self.unit)


def _fewest(sizes: Ints, widths: Floats, target: float, unit: str) -> Needed:
    """The first size that is enough."""
    enough = widths <= target
    if enough.any():
        return Needed(int(sizes[enough.argmax()]))
    why = f"all {counted(int(sizes[-1]), unit)} of the judge are too few"
    return Needed(None, why, float(widths[-1]))


@dataclass(frozen=True, eq=False)
class ByAnswer:
    """People's scores of some answers of each run, and the judge's of more: [runs, topics], NaN
    where there is no score. `unit` is what was labelled: an answer, a ranking or a score.
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
        """The answers that both scored."""
        return np.asarray(~np.isnan(self.people) & ~np.isnan(self.judge))

    @cached_property
    def judged(self) -> Bools:
        """The answers that the judge scored."""
        return np.asarray(~np.isnan(self.judge))

    @property
    def size(self) -> tuple[int, int]:
        """How many answers people scored, and how many the judge alone."""
        both = int(self.labelled.sum())
        return both, int(self.judged.sum()) - both

    @cached_property
    def _powered(self) -> tuple[RowMeans, Floats]:
        return powered_rows(np.where(self.labelled, self.people, np.nan), self.judge)

    def of(self, contrast: Floats) -> Estimate:
        """By prediction-powered inference, of each run by its own answers.

        Runs whose answers are of the same topics are compared topic by topic. Otherwise the
        difference is that of the estimates, and topics that runs share add a covariance.
        """
        rows = np.flatnonzero(contrast)
        labelled, judged = self.labelled[rows], self.judged[rows]
        counts = labelled.sum(axis=1)
        if not counts.all():
            return without_labels(*self._alone(contrast, rows), self.target)
        same = bool((labelled == labelled[0]).all() and (judged == judged[0]).all())
        if same and counts[0] >= OWN_WEIGHT:
            return self._by_topic(rows).of(contrast[rows])
        return self._unpaired(contrast, rows, int(counts.min()), int(counts.sum()))

    def _by_topic(self, rows: Ints) -> ByTopic:
        """The runs, if they have answers of the same topics."""
        mine, rest = self.labelled[rows[0]], self.judged[rows[0]] & ~self.labelled[rows[0]]
        Y, f = self.people[rows], self.judge[rows]
        return ByTopic(
            self.measure, tuple(self.runs[r] for r in rows), self.lower_is_better,
            Y[:, mine], f[:, mine], f[:, rest],
            self.confidence, self.at_random, self.target, self.unit,
        )  # fmt: skip

    def _alone(self, contrast: Floats, rows: Ints) -> tuple[float, float]:
        """What the judge alone says, on the topics of which it scored all of these runs."""
        scores = contrast[rows] @ self.judge[rows][:, self.judged[rows].all(axis=0)]
        if not len(scores):
            return math.nan, math.nan
        return float(scores.mean()), _mean_t(scores) if len(scores) > 1 else math.nan

    def _unpaired(self, contrast: Floats, rows: Ints, least: int, n: int) -> Estimate:
        """From the estimates of each run."""
        theta, weights = self._powered
        Y, f = (np.where(self.labelled, x, np.nan) for x in (self.people, self.judge))
        estimate, error = _combined(contrast, rows, theta)
        people, people_error = _combined(contrast, rows, row_means(Y))
        bias = _combined(contrast, rows, row_means(f - Y))
        enough = least >= LEAST_TOPICS and error > TOLERANCE
        doubt = self._doubt(Y[rows], least, error)
        needed = self._needed(contrast, rows) if enough else _reason(doubt, self.target)
        df, known = max(least - 1, 1), self.at_random and enough
        quantile = float(t_quantile(self.confidence, df))
        return Estimate(
            estimate,
            error,
            *_tested(estimate, error, quantile, df, known),
            people,
            people_error,
            *self._alone(contrast, rows),
            bias[0],
            *_tested_bias(*bias, quantile, df, known),
            n * people_error**2 / error**2 if enough else math.nan,
            float(weights[rows].mean()),
            agrees=len(rows) > 1 or least < LEAST_TOPICS or self._agrees(rows[0]),
            unpromised=doubt if self.at_random else NOT_RANDOM,
            n=n,
            **needed._asdict(),
        )

    def _doubt(self, Y: Floats, least: int, error: float) -> str:
        """Why an interval may not hold, or is not there."""
        if least < LEAST_TOPICS:
            few = f"{counted(least, self.unit)} of people of a run"
            return f"{few}: an interval needs {LEAST_TOPICS}"
        if not error > TOLERANCE:
            return EQUAL
        return next(filter(None, (unpromised(y[~np.isnan(y)], self.unit) for y in Y)), "")

    def _agrees(self, row: int) -> bool:
        """Whether the judge's scores of a run rise with people's."""
        f = self.judge[row][self.labelled[row]]
        return not f.any() or float(np.cov(self.people[row][self.labelled[row]], f)[0, 1]) > 0

    def _needed(self, contrast: Floats, rows: Ints) -> Needed:
        """How many answers of these runs people have to score in all, the same fraction of each.

        Covariances between runs are left out: with answers that are drawn one by one they are
        small, and make the error of a difference smaller.
        """
        if self.target is None:
            return Needed()
        every, mine = self.judged[rows].sum(axis=1), self.labelled[rows].sum(axis=1)
        fractions = np.linspace((mine / every).max(), 1.0, 1 + int(every.max() - mine.min()))
        sizes = np.ceil(fractions[None, :] * every[:, None] - 1e-9).astype(np.int64)
        variance = np.zeros(len(fractions))
        for k, r in enumerate(rows.tolist()):
            known, rest = self.labelled[r], self.judged[r] & ~self.labelled[r]
            Y, f, others = self.people[r][known], self.judge[r][known], self.judge[r][rest]
            variance += contrast[r] ** 2 * planned_variances(Y, f, others, sizes[k])
        widths = np.sqrt(variance) * t_quantile(self.confidence, sizes.min(axis=0) - 1)
        return _fewest(sizes.sum(axis=0), widths, self.target, self.unit)


def _combined(contrast: Floats, rows: Ints, means: RowMeans) -> tuple[float, float]:
    """A sum of means of rows, and its standard error: topics are independent, rows are not."""
    c = contrast[rows]
    error = math.sqrt(float(((c @ means.spread[rows]) ** 2).sum()))
    return float(c @ means.mean[rows]), error


@dataclass(frozen=True, eq=False)
class BySample:
    """The judge's scores of all topics [runs, topics], and what documents of people change in them,
    [runs, documents]: by how much, and what they add by people; with which probability each was
    drawn, and the others were not.
    """

    measure: str
    runs: tuple[str, ...]
    lower_is_better: bool
    judged: Floats
    change: Floats
    said: Floats
    topic_of: Ints
    probabilities: Floats
    every: Floats  # the probabilities of all documents, drawn or not
    confidence: float = 0.95
    target: float | None = None
    unit: str = "document"  # or a nugget, or a citation
    seen: Bools | None = None  # which documents are of which runs, if not all are of all

    @property
    def size(self) -> tuple[int, int]:
        """How many documents, nuggets or citations people labelled, and how many they did not."""
        return len(self.probabilities), len(self.every) - len(self.probabilities)

    @property
    def complete(self) -> bool:
        """Whether people labelled every document of the audit."""
        return len(self.probabilities) == len(self.every) and bool((self.every == 1).all())

    @cached_property
    def topics(self) -> int:
        """How many topics there are."""
        return int(self.judged.shape[1])

    def of(self, contrast: Floats) -> Estimate:
        """By the difference estimator."""
        T, p = self.topics, self.probabilities
        scores, change, said = (contrast @ x for x in (self.judged, self.change, self.said))
        alone = float(scores.mean())
        alone_pvalue = _mean_t(scores) if T > 1 else math.nan
        seen = None if self.seen is None else self.seen[np.flatnonzero(contrast)]
        if seen is not None and not seen.any(axis=1).all():
            return without_labels(alone, alone_pvalue, self.target)
        found = estimated(alone, change / T, said / T, p, self.confidence, self.complete)
        known, df = found.low is not None, max(found.differ - 1, 1)
        bias, quantile = alone - found.estimate, float(t_quantile(self.confidence, df))
        ends = _tested(bias, found.error, quantile, df, known)
        needed = (
            Needed(self._needed(change / T, df))
            if known
            else _reason(too_few(self.unit), self.target)
        )
        return Estimate(
            found.estimate,
            found.error,
            found.low,
            found.high,
            _t(found.estimate, found.error, df) if known else math.nan,
            found.people,
            found.people_error,
            alone,
            alone_pvalue,
            bias,
            *ends[:2],
            ends[2] if known else None,
            self._documents(said / T, found.error**2) if known and found.error else math.nan,
            None,
            *self._other_topics(scores, change),
            unpromised="" if known else too_few(self.unit),
            n=len(p) if seen is None else int(seen.any(axis=0).sum()),
            **needed._asdict(),
        )

    def _other_topics(self, scores: Floats, change: Floats) -> tuple[float | None, float | None]:
        """The interval for a population of topics, from the estimates of these."""
        T = self.topics
        if T < 2:
            return None, None
        of_topic = scores + np.bincount(self.topic_of, change / self.probabilities, minlength=T)
        error = float(of_topic.std(ddof=1)) / math.sqrt(T)
        half = error * float(t_quantile(self.confidence, T - 1))
        return float(of_topic.mean()) - half, float(of_topic.mean()) + half

    def _needed(self, change: Floats, df: int) -> int | None:
        """How many documents people have to label in all: the order is gone down as far as that."""
        if self.target is None:
            return None
        wanted = (self.target / float(t_quantile(self.confidence, df))) ** 2
        return max(len(self.probabilities), math.ceil(self._documents(change, wanted)))

    def _documents(self, values: Floats, wanted: float) -> float:
        """How many documents drawn in the same way give a sum of such values this variance."""
        p = self.probabilities
        low, high = 1e-6, 1.0 / float(min(p.min(initial=1.0), self.every.min(initial=1.0)))
        for _ in range(60):
            middle = math.sqrt(low * high)
            enough = expected_variance(values, p, np.minimum(1.0, middle * p)) <= wanted
            low, high = (low, middle) if enough else (middle, high)
        return float(np.minimum(1.0, high * self.every).sum())


@dataclass(frozen=True, eq=False)
class ByImputation(BySample):
    """A measure that is no sum: scores of topics by judge and people together, and by people alone,
    [runs, topics], in which what was not drawn is imputed. `change` and `said` are what documents
    change in them, and tell what a larger sample would. Intervals are for other topics, too.
    """

    estimates: Floats = None  # type: ignore[assignment]  # fields before have defaults
    by_people: Floats = None  # type: ignore[assignment]
    explained: float = 1.0  # the share of the variance of people's levels that is told by others

    def of(self, contrast: Floats) -> Estimate:
        """By the bootstrap of the topics' estimates."""
        scores, alone, people = (
            contrast @ x for x in (self.estimates, self.judged, self.by_people)
        )
        theta, bias = Bootstrap(scores), Bootstrap(alone - scores)
        known = theta.error > 0
        low, high = theta.interval(self.confidence) if known else (None, None)
        bias_low, bias_high = bias.interval(self.confidence) if bias.error > 0 else (None, None)
        change, said = contrast @ self.change / self.topics, contrast @ self.said / self.topics
        within = expected_variance(change, self.probabilities, self.probabilities)
        needed = self._needed_for(change, within, theta.error)
        return Estimate(
            theta.mean,
            theta.error,
            None,
            None,
            theta.pvalue if known else math.nan,
            float(people.mean()),
            Bootstrap(people).error,
            float(alone.mean()),
            _mean_t(alone) if len(scores) > 1 else math.nan,
            bias.mean,
            bias_low,
            bias_high,
            bias.pvalue if bias.error > 0 else None,
            self._documents(said, within) if within > 0 else math.nan,
            None,
            low,
            high,
            unpromised=self._unpromised() if known or self.topics < 2 else EQUAL,
            n=len(self.probabilities),
            **needed._asdict(),
        )

    def _unpromised(self) -> str:
        """Why an interval may not hold."""
        few, drawn = counted(self.topics, "topic"), len(self.probabilities)
        if self.topics < ENOUGH:
            return f"{few} by a measure that is no sum: intervals hold from {ENOUGH} on"
        telling = self.explained >= TELLING
        enough = min(self.topics * (ENOUGH_DRAWN if telling else ENOUGH_ALONE), len(self.every))
        if drawn >= enough:
            return ""
        why = "" if telling else ", and a judge that tells little of what they say"
        text = f"{counted(drawn, 'document')} of people in {few} by a measure that is no sum{why}"
        return f"{text}: intervals hold from {enough:,} on"

    def _needed_for(self, change: Floats, within: float, error: float) -> Needed:
        """How many documents people have to label: what topics differ by stays."""
        if self.target is None:
            return Needed()
        if self.topics < 2:
            return Needed(None, "1 topic: no interval")
        quantile = float(t_quantile(self.confidence, self.topics - 1))
        between = max(error**2 - within, 0.0)
        left = (self.target / quantile) ** 2 - between
        if left <= 0:
            why = f"all {counted(len(self.every), 'document')} are too few: topics differ too much"
            return Needed(None, why, quantile * math.sqrt(between))
        return Needed(max(len(self.probabilities), math.ceil(self._documents(change, left))))


class Bootstrap:
    """A mean over topics, by the studentised bootstrap."""

    def __init__(self, x: Floats) -> None:
        self.x, self.mean = x, float(x.mean())
        self.error = float(x.std(ddof=1)) / math.sqrt(len(x)) if len(x) > 1 else 0.0
        if self.error <= TOLERANCE * max(1.0, float(np.abs(x).max(initial=0.0))):
            self.error = 0.0

    @cached_property
    def drawn(self) -> Floats:
        """How many standard errors samples of topics are from their mean."""
        return np.abs(bootstrapped(self.x, TOLERANCE, TRIALS, SEED, threads=1))

    def interval(self, confidence: float) -> tuple[float, float]:
        """As far from the mean, either way, as that share of samples are from theirs."""
        half = self.error * float(np.quantile(self.drawn, confidence)) if self.error else 0.0
        return self.mean - half, self.mean + half

    @property
    def pvalue(self) -> float:
        """How many samples are as far away as 0 is."""
        if not self.error:
            return 0.0 if self.mean else 1.0
        far = int(np.count_nonzero(self.drawn >= abs(self.mean) / self.error))
        return (far + 1) / (len(self.drawn) + 1)


Estimates: TypeAlias = ByTopic | ByAnswer | BySample
"""What both kinds of data answer is the same."""
