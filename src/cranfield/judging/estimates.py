"""Estimates from a judge's scores and people's: of a run, of two runs, of any sum of runs.

Both kinds of data, people's scores of some topics and people's labels of some documents, answer the
same: `of(contrast)`, with a number for each run, 1 for the run itself, 1 and −1 for two.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.stats.judged import prediction_powered, t_quantile, topics_needed
from cranfield.stats.paired import bootstrapped, by_t
from cranfield.stats.sampled import LEAST, estimated, expected_variance
from cranfield.wording import counted

ENOUGH = 50  # topics, from which on intervals of measures that are no sums hold, by simulation
ENOUGH_DRAWN = 3  # documents of a topic that people labelled, in the mean; if the judge tells less
TELLING = 0.4  # of the variance of people's levels than this,
ENOUGH_ALONE = 15  # so many
TRIALS, SEED = 2_000, 0  # of the bootstrap of topics
NOT_RANDOM = "people's topics were not drawn at random"
TOO_FEW = f"fewer than {LEAST} sampled documents on which people and the judge differ"


@dataclass(frozen=True)
class Estimate:
    """What a judge and people say together, and each alone.

    `low` and `high` are None if there is no interval, and `unpromised` says why it may not hold.
    `wide_low` and `wide_high` are for other topics, where the interval is of these alone. `bias`
    is how much the judge alone says more. `n_eff` is how many topics, or documents, people alone
    would have had to judge, and `needed` how many they have to judge in all for the interval
    that is wanted: None if all are not enough, if it cannot be told, or if none was asked for.
    What is not known is nan.
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
        bias, n = f - Y, len(Y)
        error = float(bias.std(ddof=1)) / math.sqrt(n)
        half = error * float(t_quantile(self.confidence, n - 1))
        off, known = float(bias.mean()), self.at_random
        wanted = self.target
        return Estimate(
            found.estimate,
            found.error,
            found.low if known else None,
            found.high if known else None,
            _t(found.estimate, found.error, n - 1) if known else math.nan,
            found.people,
            found.people_error,
            found.judge,
            _mean_t(np.append(f, rest)),
            off,
            off - half if known else None,
            off + half if known else None,
            _t(off, error, n - 1) if known else None,
            found.n_eff if math.isfinite(found.n_eff) else math.nan,
            found.weight,
            needed=None if wanted is None else topics_needed(Y, f, rest, wanted, self.confidence),
            agrees=found.covariance > 0 or not f.any(),
            unpromised=found.unpromised if known else NOT_RANDOM,
        )


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
    unit: str = "document"

    @property
    def size(self) -> tuple[int, int]:
        """How many documents people labelled, and how many of the audit they did not."""
        return len(self.probabilities), len(self.every) - len(self.probabilities)

    @cached_property
    def topics(self) -> int:
        """How many topics there are."""
        return int(self.judged.shape[1])

    def of(self, contrast: Floats) -> Estimate:
        """By the difference estimator."""
        T, p = self.topics, self.probabilities
        scores, change, said = (contrast @ x for x in (self.judged, self.change, self.said))
        alone = float(scores.mean())
        found = estimated(alone, change / T, said / T, p, self.confidence)
        df = max(found.differ - 1, 1)
        off = alone - found.estimate
        reached = None if found.high is None else found.high - found.estimate
        known = reached is not None
        return Estimate(
            found.estimate,
            found.error,
            found.low,
            found.high,
            _t(found.estimate, found.error, df) if known else math.nan,
            found.people,
            found.people_error,
            alone,
            _mean_t(scores) if T > 1 else math.nan,
            off,
            None if reached is None else off - reached,
            None if reached is None else off + reached,
            None if reached is None else _t(off, found.error, df),
            self._documents(said / T, found.error**2) if known and found.error else math.nan,
            None,
            *self._other_topics(scores, change),
            needed=self._needed(change / T, df) if known else None,
            unpromised="" if known else TOO_FEW,
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
        known = len(scores) > 1
        low, high = theta.interval(self.confidence) if known else (None, None)
        bias_low, bias_high = bias.interval(self.confidence) if known else (None, None)
        change, said = contrast @ self.change / self.topics, contrast @ self.said / self.topics
        within = expected_variance(change, self.probabilities, self.probabilities)
        return Estimate(
            theta.mean,
            theta.error,
            None,
            None,
            theta.pvalue if known else math.nan,
            float(people.mean()),
            Bootstrap(people).error,
            float(alone.mean()),
            _mean_t(alone) if known else math.nan,
            bias.mean,
            bias_low,
            bias_high,
            bias.pvalue if known else None,
            self._documents(said, within) if within > 0 else math.nan,
            None,
            low,
            high,
            needed=self._needed_for(change, within, theta.error),
            unpromised=self._unpromised(),
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

    def _needed_for(self, change: Floats, within: float, error: float) -> int | None:
        """How many documents people have to label: what topics differ by stays."""
        if self.target is None or self.topics < 2:
            return None
        wanted = (self.target / float(t_quantile(self.confidence, self.topics - 1))) ** 2
        left = wanted - max(error**2 - within, 0.0)
        if left <= 0:
            return None
        return max(len(self.probabilities), math.ceil(self._documents(change, left)))


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


Estimates: TypeAlias = ByTopic | BySample
"""What both kinds of data answer is the same."""
