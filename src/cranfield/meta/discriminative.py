"""Discriminative power: significant differences between runs by measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from cranfield.arrays import TOLERANCE
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, is_one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.meta.notes import collect_alpha_notes
from cranfield.meta.summaries import format_summary
from cranfield.scores import Note
from cranfield.stats.families import (
    TESTS,
    PairTest,
    choose_test,
    compare_pairs,
    name_subjects,
    note_reach,
)
from cranfield.stats.measure_scores import split_by_measure
from cranfield.stats.notes import merge_notes
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Sampled, check_alpha
from cranfield.wording import format_count, suggest_keywords

__all__ = ["DiscriminativePower", "discriminative_power"]


@dataclass(frozen=True)
class Pair:
    """Two runs by a measure. A difference above 0 means that `run` is better."""

    run: str
    other: str
    difference: float
    pvalue: float
    sampled: Sampled | None = None


@dataclass(frozen=True)
class Discrimination:
    """Significant differences by a measure.

    `pairs` are all pairs of runs, the largest p-value first: the ASL curve. `critical` is the
    honestly significant difference, for tests that have one.
    """

    measure: str
    topics: int
    alpha: float
    pairs: tuple[Pair, ...] = field(repr=False)
    critical: float | None = None

    @cached_property
    def significant(self) -> tuple[Pair, ...]:
        """Pairs with a p-value of at most α."""
        return tuple(pair for pair in self.pairs if pair.pvalue <= self.alpha)

    @property
    def share(self) -> float:
        """Discriminative power: fraction of significant pairs."""
        return len(self.significant) / len(self.pairs)

    @property
    def smallest(self) -> float | None:
        """Smallest significant difference, None if no pair is significant."""
        return min((abs(pair.difference) for pair in self.significant), default=None)


@dataclass(frozen=True)
class DiscriminativePower(TableResult, tables="meta.discriminative"):
    """Discriminative power of several measures, the highest first.

    ``result["AP"]`` is the result of AP.
    """

    test: str
    correction: str
    alpha: float
    runs: tuple[str, ...]
    measures: tuple[Discrimination, ...]
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        descriptions = [
            format_count(len(self.runs), "run"),
            f"{self.test} test",
            f"α = {self.alpha:g}",
        ]
        return format_summary(
            self,
            descriptions,
            {discrimination.measure: discrimination.share for discrimination in self.measures},
        )

    def __getitem__(self, measure: object) -> Discrimination:
        for discrimination in self.measures:
            if discrimination.measure == str(measure):
                return discrimination
        names = ", ".join(discrimination.measure for discrimination in self.measures)
        raise InputError.from_problem(f"unknown measure {str(measure)!r}", f"Measures: {names}.")


@suggest_keywords
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
    """Count the pairs of runs that each measure distinguishes, with all p-values as a curve.

    power = (pairs with p ≤ α) / (m (m − 1) / 2), for m runs

    A measure that distinguishes more pairs on the same runs, topics and α is more consistent over
    topics. This does not show that the measure is valid. The ASL curve shows the p-values (achieved
    significance levels) of all pairs, the largest first: curves near the origin belong to measures
    with high discriminative power. The smallest significant difference estimates the difference
    needed on this number of topics.

    `test` is a test of `compare`. The randomised Tukey HSD test itself accounts for the number of
    runs. Tests of two runs, such as the ``bootstrap`` of Sakai 2006, are by default not corrected
    for the number of pairs, as in that paper: measures are compared with each other at the same α.
    `correction` can be ``holm``, ``bonferroni`` or ``bh``. All measures use the same random
    numbers, on any number of `threads`.

    The sign of measures with lower is better is reversed, and geometric means are compared by
    logarithms. Topics with an undefined score are excluded from that measure. Measures without a
    direction are excluded. `notes` list these cases.

    Reference: Sakai 2006, Evaluating evaluation metrics based on the bootstrap, SIGIR; with the
    randomised Tukey HSD test Sakai 2012, Evaluation with informational and navigational intents,
    WWW; Sakai 2014, Metrics, Statistics, Tests, section 5.1.

    >>> scores = {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.5, 0.7, 0.6]}
    >>> by_topic = {run: dict(zip("123", x)) for run, x in scores.items()}
    >>> found = discriminative_power(by_topic, "t")["score"]  # c − a: 0.4, 0.5, 0.3; t = 0.4 √300
    >>> [round(pair.pvalue, 4) for pair in found.pairs], round(found.share, 4)
    ([1.0, 0.0202, 0.0202], 0.6667)
    """
    check_alpha(alpha)
    matrices, notes = split_by_measure(read_scores(scores))
    runs = next(iter(matrices.values())).systems
    test, correction = choose_test(test, correction, len(runs), 1)
    is_joint = is_one_of(test, TESTS) and TESTS[test].is_joint
    confidence = 1 - alpha if is_joint else None
    trial_options: Any = {"trials": trials, "seed": seed, "threads": threads, "progress": progress}
    results: list[Discrimination] = []
    tested: dict[str, list[PairTest]] = {}
    for measure, matrix in matrices.items():
        tests = compare_pairs(
            matrix, test, None, correction, confidence=confidence, **trial_options
        )
        pairs = sorted(
            (_build_pair(pair_test, runs, alpha) for pair_test in tests),
            key=lambda pair: -pair.pvalue,
        )
        critical = _compute_critical_difference(tests[0], matrix.scale)
        results.append(Discrimination(measure, len(matrix.topics), alpha, tuple(pairs), critical))
        tested[measure] = tests
    results.sort(key=lambda pair_test: -pair_test.share)
    test_notes: list[tuple[str, Note]] = []
    for measure, tests in tested.items():
        pair_notes = [
            (pair_test, [n for n in pair_test.outcome.notes if n.kind != "trials"])
            for pair_test in tests
        ]
        test_notes += name_subjects(measure, runs, pair_notes)
    noun = "measure" if all(subject in tested for subject, _ in test_notes) else "pair"
    notes += *merge_notes(test_notes, noun), *collect_alpha_notes(tested, alpha)
    for measure, tests in tested.items():
        notes += note_reach(measure, tests, test, correction, trials, alpha)
    return DiscriminativePower(test, correction, alpha, runs, tuple(results), trials, seed, notes)


def _build_pair(pair_test: PairTest, runs: Sequence[str], alpha: float) -> Pair:
    outcome = pair_test.outcome
    run, other = runs[pair_test.first], runs[pair_test.second]
    return Pair(run, other, outcome.difference, pair_test.pvalue_at(alpha), outcome.sampled)


def _compute_critical_difference(pair_test: PairTest, scale: float) -> float | None:
    """Return half the simultaneous interval, which is the same for every pair; None without one.

    Intervals are wider by the rounding error of the scores, which is removed here.
    """
    if pair_test.interval is None:
        return None
    reach = (pair_test.interval.high - pair_test.interval.low) / 2
    decimals = math.floor(-math.log10(10 * TOLERANCE * (scale or 1.0)))
    return round(reach, decimals) if math.isfinite(reach) else None
