"""Discriminative power: how many pairs of runs does a measure tell apart with significance?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cranfield.errors import InputError
from cranfield.results import ScoresLike, read_scores
from cranfield.scores import Notice
from cranfield.stats.families import OF_MANY, PairTest, compare_pairs
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Sampled, checked_confidence
from cranfield.stats.samples import Matrix
from cranfield.wording import counted, some

_FLOOR = 1e-5  # what counts as 0 in a geometric mean, as in `Scores.gmean`


@dataclass(frozen=True)
class Pair:
    """Two runs by a measure. A difference above 0 says that `run` is the better one."""

    run: str
    other: str
    difference: float
    pvalue: float
    sampled: Sampled | None = None


@dataclass(frozen=True)
class Discrimination:
    """What a measure tells apart, on so many topics.

    `pairs` are all pairs of runs, the largest p-value first: the ASL curve. `critical` is the
    honestly significant difference of tests that have one.
    """

    measure: str
    topics: int
    alpha: float
    pairs: tuple[Pair, ...] = field(repr=False)
    critical: float | None = None

    @cached_property
    def significant(self) -> tuple[Pair, ...]:
        """The pairs with a p-value of at most α."""
        return tuple(pair for pair in self.pairs if pair.pvalue <= self.alpha)

    @property
    def share(self) -> float:
        """How many of all pairs are significant: discriminative power."""
        return len(self.significant) / len(self.pairs)

    @property
    def smallest(self) -> float | None:
        """The smallest difference that was found to be significant, None if none was."""
        return min((abs(pair.difference) for pair in self.significant), default=None)


@dataclass(frozen=True)
class DiscriminativePower:
    """What each of several measures tells apart, the one with the highest share first.

    ``found["AP"]`` is what AP does.
    """

    test: str
    correction: str
    alpha: float
    runs: tuple[str, ...] = field(repr=False)
    measures: tuple[Discrimination, ...] = field(repr=False)
    trials: int
    seed: int
    notices: tuple[Notice, ...] = ()

    def __getitem__(self, measure: object) -> Discrimination:
        for one in self.measures:
            if one.measure == str(measure):
                return one
        expected = ", ".join(one.measure for one in self.measures)
        raise InputError(f"measure {str(measure)!r}", f"one of {expected}")


def discriminative_power(
    scores: ScoresLike,
    test: str = "randomised-tukey",
    alpha: float = 0.05,
    correction: str = "none",
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> DiscriminativePower:
    """How many pairs of runs each measure tells apart, and their p-values as a curve.

    discriminative power = (pairs with p ≤ α) / (m (m − 1) / 2), for m runs

    A measure that tells more pairs apart on the same runs, topics and α is the more consistent
    one over topics. That does not say that it measures what it should. The ASL curve has the
    p-values (achieved significance levels) of all pairs, the largest first: curves near the origin
    are those of measures with high discriminative power. The smallest difference found to be
    significant estimates what it takes on so many topics.

    `test` is one of those of `compare`. The randomised Tukey HSD test allows for the number of
    runs by itself. Tests of two runs, such as the ``bootstrap`` of Sakai 2006, are by default not
    corrected for the number of pairs, as there: measures are compared with each other, at the same
    α. `correction` may be ``holm``, ``bonferroni`` or ``bh``. All measures see the same random
    numbers, on any number of `threads`.

    A measure that is better if lower is turned round, a geometric mean is compared by logarithms,
    topics for which a measure is undefined are left out of it, and measures that are better at
    neither end are left out; `notices` say so.

    Reference: Sakai 2006, Evaluating evaluation metrics based on the bootstrap, SIGIR; with the
    randomised Tukey HSD test Sakai 2012, Evaluation with informational and navigational intents,
    WWW; Sakai 2014, Metrics, Statistics, Tests, section 5.1.

    >>> scores = {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.5, 0.7, 0.6]}
    >>> by_topic = {run: dict(zip("123", x)) for run, x in scores.items()}
    >>> found = discriminative_power(by_topic, "t")["score"]  # c − a: 0.4, 0.5, 0.3; t = 0.4 √300
    >>> [round(pair.pvalue, 4) for pair in found.pairs], round(found.share, 4)
    ([1.0, 0.0202, 0.0202], 0.6667)
    """
    checked_confidence(1 - alpha)
    matrices, notices = by_measure(scores)
    runs = next(iter(matrices.values())).systems
    found: list[Discrimination] = []
    cautions: list[tuple[str, Notice]] = []
    for measure, matrix in matrices.items():
        tests = compare_pairs(
            matrix,
            test,
            correction=correction,
            trials=trials,
            seed=seed,
            confidence=1 - alpha if test in OF_MANY else None,
            threads=threads,
            progress=progress,
        )
        pairs = sorted((_pair(one, runs) for one in tests), key=lambda pair: -pair.pvalue)
        critical = _critical(tests[0])
        found.append(Discrimination(measure, len(matrix.topics), alpha, tuple(pairs), critical))
        told = dict.fromkeys(notice for one in tests for notice in one.outcome.notices)
        cautions += [(measure, notice) for notice in told]
    found.sort(key=lambda one: -one.share)
    return DiscriminativePower(
        test,
        correction,
        alpha,
        runs,
        tuple(found),
        trials,
        seed,
        (*notices, *_in_short(cautions)),
    )


def _pair(one: PairTest, runs: Sequence[str]) -> Pair:
    outcome = one.outcome
    run, other = runs[one.first], runs[one.second]
    return Pair(run, other, outcome.difference, one.pvalue, outcome.sampled)


def _critical(one: PairTest) -> float | None:
    """Half the simultaneous interval, which is as wide for every pair; None if there is none."""
    if one.interval is None:
        return None
    reach = (one.interval.high - one.interval.low) / 2
    return reach if math.isfinite(reach) else None


def _in_short(cautions: Iterable[tuple[str, Notice]]) -> list[Notice]:
    """One notice of each kind: hundreds of tests would repeat it."""
    by_kind: dict[str, list[str]] = {}
    for measure, notice in cautions:
        by_kind.setdefault(notice.kind, []).append(f"{measure}: {notice.text}")
    return [
        Notice(kind, first + (f" (and {counted(len(more), 'other such case')})" if more else ""))
        for kind, (first, *more) in by_kind.items()
    ]


def by_measure(data: ScoresLike, least: int = 2) -> tuple[dict[str, Matrix], tuple[Notice, ...]]:
    """The scores of each measure, the higher the better, and what the user should know: of the
    scores, and of measures and topics that were turned round or left out.

    >>> matrices, _ = by_measure({"a": {"301": 0.5, "302": 0.1}, "b": {"301": 0.4, "302": 0.3}})
    >>> matrices["score"].values.tolist()
    [[0.5, 0.4], [0.1, 0.3]]
    """
    scores = read_scores(data)
    if len(scores.runs) < 2:
        raise InputError(counted(len(scores.runs), "run"), "at least 2")
    made: dict[str, Matrix] = {}
    notices = [*scores.notices]
    for k, measure in enumerate(scores.measures):
        values, better = scores.values[:, :, k].T, scores.better[k]
        if scores.summaries[k] == "se":  # the standard error of another measure
            continue
        if better == "neither":
            text = f"{measure} is left out: neither high nor low values of it are better"
            notices.append(Notice("left-out", text))
            continue
        if scores.summaries[k] == "gmean":
            values = np.log(np.maximum(values, _FLOOR))
        if better == "lower":
            values = -values
            text = f"{measure} is better if lower: its scores are taken with the other sign"
            notices.append(Notice("turned-round", text))
        defined = np.isfinite(values.sum(axis=1))
        kept = tuple(topic for topic, there in zip(scores.topics, defined, strict=True) if there)
        if len(kept) < len(scores.topics):
            lost = tuple(topic for topic in scores.topics if topic not in set(kept))
            text = f"{some(lost, 'topic')} left out, where {measure} of a run is undefined"
            notices.append(Notice("undefined", text, topics=lost))
        if len(kept) < least:
            text = f"{measure} is left out: defined for {counted(len(kept), 'topic')} only"
            notices.append(Notice("left-out", text))
            continue
        made[measure] = Matrix(values[defined], scores.runs, kept)
    if not made:
        found = f"{some(scores.measures, 'measure')}, none of which ranks runs"
        raise InputError(found, f"one that does, on at least {counted(least, 'topic')}")
    return made, tuple(notices)
