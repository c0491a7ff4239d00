"""Battles: systems compared in pairs by humans or a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.preference_pairs import PreferencePair, PreferencePairs, PreferencePairsLike, read_preference_pairs
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.lazy_imports import special
from cranfield.meta.concordance import compute_sign_test
from cranfield.meta.predictive import compute_clopper_pearson, predictive_power
from cranfield.meta.rankings import compute_kendall
from cranfield.scores import Note, Scores
from cranfield.stats.battles import (
    RIDGE,
    Counts,
    check_ridge,
    compute_ratings,
    davidson,
    find_groups,
    fit_strengths,
    intransitive_triples,
)
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.letters import assign_letters
from cranfield.stats.paired import build_t_outcome
from cranfield.stats.resampling import Progress, run_in_chunks
from cranfield.stats.result import check_alpha, check_confidence
from cranfield.tables import ResultTable
from cranfield.wording import format_count, format_names, suggest_keywords

TRIALS = 2_000  # bootstrap samples of topics
FEW_TOPICS = 20  # with fewer, bootstrap intervals are too narrow
UNBALANCED = 0.01  # p-value below which the order of presentation is not random


@dataclass(frozen=True)
class Fighter:
    """Run with its rating and interval, its results, and its letters."""

    run: str
    rating: float
    low: float | None
    high: float | None
    strength: float  # log π
    battles: int
    wins: int
    ties: int
    losses: int
    letters: str = ""


@dataclass(frozen=True)
class Duel:
    """Two runs, the stronger one first: wins, ties, losses, difference."""

    run: str
    other: str
    wins: int
    ties: int
    losses: int
    difference: float
    low: float | None
    high: float | None
    pvalue: float | None  # corrected for the number of pairs
    win: float  # its probability by the model


@dataclass(frozen=True)
class PositionBias:
    """Wins of the output shown first and second, without ties, with a test for bias."""

    first: int
    second: int
    ties: int
    pvalue: float
    low: float  # exact interval of the fraction
    high: float

    @property
    def share(self) -> float:
        """Fraction of battles with a winner that the output shown first won."""
        return self.first / (self.first + self.second)


@dataclass(frozen=True)
class MeasureAgreement:
    """Agreement of a measure with battles: order of runs, single battles."""

    measure: str
    runs: int
    tau: float
    low: float | None
    high: float | None
    agreements: int
    disagreements: int
    tied: int

    @property
    def rate(self) -> float:
        """Fraction of battles with a winner in which the winner has the higher score."""
        n = self.agreements + self.disagreements + self.tied
        return self.agreements / n if n else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class Battles(TableResult):
    """Runs by strength, strongest first, and further results of battles.

    `nu` is the frequency of ties. `triples` is the number of intransitive triples of runs and the
    number of triples. `position` is None if the output shown first is unknown, or if the order was
    not random.
    """

    runs: tuple[Fighter, ...]
    pairs: tuple[Duel, ...]
    nu: float
    ridge: float
    battles: int
    topics: int
    triples: tuple[int, int]
    position: PositionBias | None
    measures: tuple[MeasureAgreement, ...] = ()
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    trials: int = TRIALS
    seed: int = 0
    notes: tuple[Note, ...] = field(default=())

    def _build_tables(self) -> list[ResultTable]:
        from cranfield.judging.battle_tables import build_tables

        return build_tables(self)

    def _select_tables(self, format: str) -> tuple[str, ...]:
        from cranfield.judging.battle_tables import select_tables

        return select_tables(self, format)

    def _build_settings(self) -> dict[str, Any]:
        from cranfield.judging.battle_tables import build_settings

        return build_settings(self)

    def __repr__(self) -> str:
        size = f"{format_count(self.battles, 'battle')} on {format_count(self.topics, 'topic')}"
        best = [f"{fighter.run} {fighter.rating:.0f}" for fighter in self.runs[:6]]
        more = ["…"] if len(self.runs) > 6 else []
        return f"Battles: {size}: {', '.join([*best, *more])}"


@suggest_keywords
def battles(
    data: PreferencePairsLike,
    scores: ScoresLike = None,
    measures: Sequence[Any] | None = None,
    *,
    ridge: float = RIDGE,
    alpha: float = 0.05,
    correction: str = "holm",
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Battles:
    """Estimate strengths of runs from comparisons of two outputs for a topic.

    Davidson's model (see `cf.stats.davidson`) gives each run a strength. Ratings are strengths on
    the Elo scale: 400 points more mean ten times as many wins as losses. Battles on one topic are
    not independent, so intervals are percentiles of `trials` bootstrap samples of topics.
    Differences are tested by their bootstrap standard errors and Student's t, with topics − 1
    degrees of freedom. Runs with a common letter are not significantly different. `ridge` bounds
    the strength of a run that won, or lost, every battle. `data` is the input of
    `read_preference_pairs`: topic, run_a, run_b, winner (a, b, tie, or the name of the run), and
    optionally first. With `scores`, measures are compared with the battles.

    >>> data = [("1", "x", "y"), ("2", "x", "y"), ("3", "y", "x"), ("4", "x", "y", "tie")]
    >>> result = battles(data, trials=100)
    >>> [(fighter.run, round(fighter.rating, 1)) for fighter in result.runs]  # π_x/π_y = 2
    [('x', 1060.2), ('y', 939.8)]
    """
    check_ridge(ridge)
    check_alpha(alpha)
    check_confidence(confidence)
    check_choice("correction", correction, CORRECTIONS)
    preferences = read_preference_pairs(data)
    counts = _BattleCounts.from_pairs(preferences)
    counts.check_connected()
    model = davidson(counts.wins, counts.ties, ridge)
    order = np.argsort(-model.strengths, kind="stable")
    samples = counts.draw_strengths(ridge, trials, seed, threads, progress)
    pairs = _build_duels(counts, model, order, samples, correction, confidence)
    run_letters = _assign_letters([counts.runs[r] for r in order], pairs, alpha)
    runs = tuple(
        Fighter(
            counts.runs[r],
            float(model.ratings[r]),
            *_compute_interval(None if samples is None else compute_ratings(samples.strengths[:, r]), confidence),
            float(model.strengths[r]),
            *counts.count_results(r),
            run_letters[place],
        )
        for place, r in enumerate(order.tolist())
    )
    position, position_notes = _compute_position_bias(preferences, confidence)
    agreements, measure_notes = _compare_measures(
        preferences, scores, measures, counts, model.strengths, samples, confidence
    )
    return Battles(
        runs, pairs, model.nu, ridge, len(preferences.pairs), len(counts.topics),
        intransitive_triples(counts.wins), position, agreements, alpha, correction, confidence,
        trials, seed,
        (*_collect_notes(preferences, counts, samples, ridge), *position_notes, *measure_notes),
    )  # fmt: skip


# -- counts ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _StrengthSamples:
    """Strengths [trials, runs] in samples, and samples with infinite ones."""

    strengths: Floats
    separated: Bools


@dataclass(frozen=True, eq=False)
class _BattleCounts:
    """Counts of battles by topic [topics, pairs], for pairs of runs with battles."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    pairs: Ints
    first: Floats
    second: Floats
    tied: Floats

    @classmethod
    def from_pairs(cls, read: PreferencePairs) -> _BattleCounts:
        """Count each battle once."""
        runs = tuple(sorted({name for pair in read.pairs for name in pair[1:3]}))
        topics = tuple(dict.fromkeys(pair.topic for pair in read.pairs))
        place, row = ({n: i for i, n in enumerate(names)} for names in (runs, topics))
        met = sorted({tuple(sorted(place[x] for x in pair[1:3])) for pair in read.pairs})
        column = {pair: i for i, pair in enumerate(met)}
        counts = np.zeros((3, len(topics), len(met)))
        for pair in read.pairs:
            two = place[pair.preferred], place[pair.other]
            kind = 2 if pair.tied else int(two[0] > two[1])
            counts[kind, row[pair.topic], column[min(two), max(two)]] += 1
        return cls(runs, topics, np.array(met), *counts)

    @cached_property
    def total(self) -> Counts:
        """Counts over all topics."""
        added = (x.sum(axis=0, keepdims=True) for x in (self.first, self.second, self.tied))
        return Counts(self.pairs, len(self.runs), *added)

    def _to_square(self, upper: Floats, lower: Floats) -> Floats:
        matrix = np.zeros((len(self.runs), len(self.runs)))
        i, j = self.pairs.T
        matrix[i, j], matrix[j, i] = upper[0], lower[0]
        return matrix

    @property
    def wins(self) -> Floats:
        """[i, j]: number of wins of i against j."""
        return self._to_square(self.total.first, self.total.second)

    @property
    def ties(self) -> Floats:
        """[i, j]: number of ties."""
        return self._to_square(self.total.tied, self.total.tied)

    def count_results(self, r: int) -> tuple[int, int, int, int]:
        """Return the battles, wins, ties and losses of a run."""
        won, tied, lost = self.wins[r].sum(), self.ties[r].sum(), self.wins[:, r].sum()
        return int(won + tied + lost), int(won), int(tied), int(lost)

    def check_connected(self) -> None:
        """Raise an error if battles do not link all runs."""
        group_of = find_groups(self.pairs, len(self.runs))
        if len(set(group_of)) > 1:
            parts = [[r for r, g in zip(self.runs, group_of, strict=True) if g == group] for group in set(group_of)]
            parts.sort(key=len)
            problem = f"{format_names(parts[0], 'run')} with no battles that link them to the others"
            raise InputError(problem, "battles that connect all runs")

    def draw_strengths(
        self, ridge: float, trials: int, seed: int, threads: int | None, progress: Progress | None
    ) -> _StrengthSamples | None:
        """Return the strengths in samples of topics, or None with a single topic."""
        n = len(self.topics)

        def run_trial(stream: np.random.Generator, size: int) -> tuple[Floats, Bools]:
            often = stream.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
            counts = Counts(self.pairs, len(self.runs), *(often @ x for x in (self.first, self.second, self.tied)))
            return fit_strengths(counts, max(ridge, RIDGE))[0], counts.separated

        cells = n + 8 * len(self.pairs) + 2 * len(self.runs) ** 2
        if n < 2:
            return None
        chunks = run_in_chunks(run_trial, trials, seed, cells, threads, progress)
        return _StrengthSamples(*(np.concatenate(x) for x in zip(*chunks, strict=True)))


# -- pairs ----------------------------------------------------------------------------------------


def _build_duels(
    counts: _BattleCounts,
    model: Any,
    order: Ints,
    strength_samples: _StrengthSamples | None,
    correction: str,
    confidence: float,
) -> tuple[Duel, ...]:
    """Compare all pairs of runs, the stronger one first."""
    wins, ties, n = counts.wins, counts.ties, len(counts.topics)
    pairs = [*combinations(order.tolist(), 2)]
    differences = [float(model.strengths[i] - model.strengths[j]) for i, j in pairs]
    samples = (
        None
        if strength_samples is None
        else [strength_samples.strengths[:, i] - strength_samples.strengths[:, j] for i, j in pairs]
    )
    pvalues: list[float | None] = [None] * len(pairs)
    if samples is not None:
        tests = [
            build_t_outcome("bootstrap of topics", d, float(x.std(ddof=1)), n - 1, n, "", "two-sided", ())
            for d, x in zip(differences, samples, strict=True)
        ]
        pvalues = CORRECTIONS[correction]([test.pvalue for test in tests]).pvalues.tolist()
    scale = compute_ratings(np.ones(1)) - compute_ratings(np.zeros(1))
    return tuple(
        Duel(
            counts.runs[i],
            counts.runs[j],
            int(wins[i, j]),
            int(ties[i, j]),
            int(wins[j, i]),
            float(scale[0]) * differences[k],
            *_compute_interval(None if samples is None else scale * samples[k], confidence),
            pvalues[k],
            model.probabilities(i, j)[0],
        )
        for k, (i, j) in enumerate(pairs)
    )


def _compute_interval(values: Floats | None, confidence: float) -> tuple[float | None, float | None]:
    """Return the percentiles of the samples, if there are any."""
    if values is None:
        return None, None
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _assign_letters(names: Sequence[str], pairs: Sequence[Duel], alpha: float) -> list[str]:
    """Return the letters of the runs in order, empty if there are too few."""
    known = [(pair.run, pair.other, pair.pvalue) for pair in pairs if pair.pvalue is not None]
    different = [(run, other) for run, other, pvalue in known if pvalue <= alpha]
    has_pvalues = len(known) == len(pairs)
    return (assign_letters(names, different) if has_pvalues else None) or [""] * len(names)


# -- position bias --------------------------------------------------------------------------------


def _compute_position_bias(
    preferences: PreferencePairs, confidence: float
) -> tuple[PositionBias | None, tuple[Note, ...]]:
    """Test whether the output shown first wins more often, if the order was random."""
    ordered = [pair for pair in preferences.pairs if pair.first is not None]
    won = [pair for pair in ordered if not pair.tied]
    if not won:
        return None, ()
    improbable = _test_order(ordered)
    if improbable < UNBALANCED:
        text = (
            "the order of presentation depends on the run (p "
            f"{'< 0.0001' if improbable < 1e-4 else f'= {improbable:.4f}'} of a random order): "
            "position bias cannot be separated from strength"
        )
        return None, (Note("order", text),)
    first = sum(pair.first == pair.preferred for pair in won)
    n = len(won)
    low, high = compute_clopper_pearson(first, n, confidence)
    bias = PositionBias(
        first, n - first, len(ordered) - n, compute_sign_test(first, n - first), low, high
    )  # fmt: skip
    notes = []
    if len(ordered) < len(preferences.pairs):
        text = f"{format_count(len(preferences.pairs) - len(ordered), 'battle')} without first output"
        notes.append(Note("order", f"{text}: excluded from the test of position bias"))
    return bias, tuple(notes)


def _test_order(pairs: Sequence[PreferencePair]) -> float:
    """Return the p-value of a random order of presentation, by χ².

    Σ (times that the alphabetically first run is shown first − n/2)² / (n/4) over pairs.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for pair in pairs:
        two = (pair.preferred, pair.other)
        key = (min(two), max(two))
        counts.setdefault(key, [0, 0])[pair.first != key[0]] += 1
    if len(counts) == 1:  # exact test
        ((first, second),) = counts.values()
        return compute_sign_test(first, second)
    statistic = math.fsum((a - b) ** 2 / (a + b) for a, b in counts.values())
    return float(special.chdtrc(len(counts), statistic))


# -- measures -------------------------------------------------------------------------------------


def _compare_measures(
    preferences: PreferencePairs,
    scores: ScoresLike,
    measures: Sequence[Any] | None,
    counts: _BattleCounts,
    strengths: Floats,
    samples: _StrengthSamples | None,
    confidence: float,
) -> tuple[tuple[MeasureAgreement, ...], tuple[Note, ...]]:
    """Compare measures with the battles of runs that also have scores."""
    if scores is None:
        return (), ()
    all_scores = read_scores(scores)
    power = predictive_power(all_scores, preferences, measures, confidence=confidence)
    common = [r for r, run in enumerate(counts.runs) if run in all_scores.runs]
    if len(common) < 2:
        raise InputError(f"{format_count(len(common), 'run')} with battles and scores", "at least 2")
    names = [counts.runs[r] for r in common]
    rows = []
    for measure_power in power.measures:
        means = _compute_means(all_scores, measure_power.measure, names)
        tau = float(compute_kendall(strengths[None, common], means[None])[0, 0])
        taus = None if samples is None else compute_kendall(samples.strengths[:, None, common], means[None])
        ends = _compute_interval(None if taus is None else taus[:, 0, 0], confidence)
        rows.append(
            MeasureAgreement(
                measure_power.measure,
                len(common),
                tau,
                *ends,
                measure_power.agreements,
                measure_power.disagreements,
                measure_power.tied,
            )
        )
    return tuple(rows), tuple(note for note in power.notes if note.kind != "sides")


def _compute_means(scores: Scores, measure: str, names: Sequence[str]) -> Floats:
    """Return the mean of each run; higher is always better."""
    summary = scores.select(list(names), None, [measure]).summary()
    sign = -1.0 if scores.better[scores.measures.index(measure)] == "lower" else 1.0
    return np.array([sign * summary[name][measure] for name in names])


# -- notes ----------------------------------------------------------------------------------------


def _collect_notes(
    preferences: PreferencePairs, counts: _BattleCounts, samples: _StrengthSamples | None, ridge: float
) -> Iterator[Note]:
    n = len(counts.topics)
    if samples is None:
        yield Note("few-topics", "all battles are on one topic: no intervals, no tests")
    elif n < FEW_TOPICS:
        text = f"battles on only {n} topics: intervals are too narrow"
        yield Note("few-topics", text)
    won, lost = (counts.wins.sum(axis=axis) for axis in (1, 0))
    alone = counts.ties.sum(axis=1) == 0
    for counts_opposite, verb in ((lost, "won"), (won, "lost")):
        runs = [counts.runs[r] for r in np.flatnonzero((counts_opposite == 0) & alone)]
        if runs:
            text = f"{format_names(runs, 'run')} {verb} every battle: only ridge {ridge:g} limits"
            yield Note("separated", f"{text} the rating")
    if samples is not None and not counts.total.separated.any() and samples.separated.any():
        share = float(samples.separated.mean())
        text = f"a run won or lost every battle in {100 * share:.1f}% of the bootstrap samples"
        yield Note("separated", f"{text}: the ridge limits the ends of its interval")
    yield from (Note("sides", f"{preferences.where}: {note}") for note in preferences.notes)
