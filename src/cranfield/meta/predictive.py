"""Predictive power: agreement of measures with human preferences.

Compute how often measures agree with humans that saw the outputs of two runs for a topic and chose
the better one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from itertools import chain, combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield import tables
from cranfield.arrays import Bools
from cranfield.data.preference_pairs import PreferencePair, PreferencePairs, PreferencePairsLike, read_preference_pairs
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError, describe_value, is_one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.lazy_imports import special
from cranfield.meta.concordance import Signs, compute_sign_test, compute_signs
from cranfield.meta.results import MethodResult
from cranfield.scores import Interval, Note, Scores
from cranfield.stats.measure_scores import MeasureScores, extract_measure, find_ranking_measures
from cranfield.stats.result import check_alpha, check_confidence
from cranfield.stats.tables import build_p_column
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["PredictivePower", "predictive_power"]

Method: TypeAlias = Literal["wilson", "exact"]


@dataclass(frozen=True)
class Prediction:
    """Agreement of a measure with preferences.

    The measure is `tied` if it gives both outputs the same score. This is no agreement.
    """

    measure: str
    agreements: int
    disagreements: int
    tied: int
    interval: Interval

    @property
    def n(self) -> int:
        """Number of preferences to predict."""
        return self.agreements + self.disagreements + self.tied

    @property
    def rate(self) -> float:
        """Predictive power: agreements / n; nan without preferences."""
        return self.agreements / self.n if self.n else math.nan


@dataclass(frozen=True)
class PredictionPair:
    """Two measures on the same preferences."""

    first: str
    second: str
    n: int
    both: int
    only_first: int
    only_second: int

    @property
    def difference(self) -> float:
        """Difference of the rates of agreement, on preferences defined for both."""
        return (self.only_first - self.only_second) / self.n if self.n else math.nan

    @property
    def pvalue(self) -> float:
        """P-value of McNemar's exact test: the sign test on differing predictions."""
        return compute_sign_test(self.only_first, self.only_second)


@dataclass(frozen=True)
class PredictivePower(MethodResult):
    """Agreement of measures with human preferences.

    `preferences` is the number of predicted preferences, `tied_preferences` the number of ties
    among the preferences, and `left_out` the number about topics or runs without scores.
    `assessors` is 0 if unknown.
    """

    measures: tuple[Prediction, ...]
    pairs: tuple[PredictionPair, ...] = field(repr=False)
    preferences: int
    tied_preferences: int
    left_out: int
    outputs: int  # different pairs of outputs
    assessors: int
    runs: tuple[str, ...] = field(repr=False)
    topics: tuple[str, ...] = field(repr=False)
    method: Method
    confidence: float
    alpha: float
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def _build_tables(self) -> list[tables.ResultTable]:
        """Return the measures and, if there are several, the pairs of measures."""
        return [build_measures_table(self), *([build_pairs_table(self)] if self.pairs else [])]

    def _build_settings(self) -> dict[str, Any]:
        values = tables.read_settings(self, "confidence", "alpha", "runs", "topics")
        return {"interval": self.method, **values}


@suggest_keywords
def predictive_power(
    scores: ScoresLike,
    preferences: PreferencePairsLike,
    measures: Sequence[Any] | None = None,
    method: Method = "wilson",
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> PredictivePower:
    """Compute how often measures agree with human preferences between two outputs for a topic.

    rate = (preferences for X over Y where M(X) > M(Y)) / (all preferences)

    If a measure gives both outputs the same score it does not agree. Such ties are counted.
    Preferences that are ties are excluded. If several assessors judged the same two outputs, each
    of them counts. `preferences` are anything that `read_preference_pairs` accepts. Differences
    below the rounding error (1e-12 of the largest score) count as 0.

    The interval of the rate is Wilson's, or the exact interval of Clopper and Pearson. Two measures
    are compared by McNemar's exact test: the sign test on the preferences that only one of them
    predicts. Both assume independent preferences. Preferences about the same outputs are dependent,
    and intervals and p-values are then too small.

    Reference: Sanderson, Paramita, Clough and Kanoulas 2010, Do User Preferences and Evaluation
    Measures Line Up?, SIGIR; Wilson 1927, Probable Inference, the Law of Succession, and
    Statistical Inference, JASA; Clopper and Pearson 1934, Biometrika; McNemar 1947, Psychometrika.

    >>> scores = Scores([[[0.9], [0.5]], [[0.4], [0.5]]], ["x", "y"], ["1", "2"], ["AP"], ["mean"])
    >>> said = [("1", "x", "y"), ("1", "x", "y"), ("1", "y", "x"), ("2", "x", "y")]
    >>> [found] = predictive_power(scores, said).measures
    >>> found.agreements, found.disagreements, found.tied, found.rate
    (2, 1, 1, 0.5)
    >>> round(found.interval.low, 4), round(found.interval.high, 4)  # (½ ± z √(1/16 + z²/64)) / …
    (0.15, 0.85)
    """
    if not is_one_of(method, _BOUNDS):
        raise InputError(f"method={describe_value(method)}", "wilson or exact")
    check_confidence(confidence)
    check_alpha(alpha)
    scores = read_scores(scores)
    preference_data = read_preference_pairs(preferences)
    scored_pairs, preference_notes = _select_scored(preference_data, scores)
    decided_pairs = [pair for pair in scored_pairs if not pair.tied]
    if not decided_pairs:
        raise CranfieldError(f"{preference_data.where}: {_describe_missing(preference_data, scored_pairs, scores)}")
    names, exclusions = find_ranking_measures(scores, None if measures is None else [*map(str, measures)])
    if not names:
        raise InputError.from_problem("no measure has a direction")
    measured_scores = [extract_measure(scores, name) for name in names]
    signs = _compute_preference_signs(measured_scores, decided_pairs, scores)
    return PredictivePower(
        tuple(_compute_prediction(name, *signs[name], method, confidence) for name in signs),
        tuple(_compare_predictions(a, b, *signs[a], *signs[b]) for a, b in combinations(signs, 2)),
        len(decided_pairs),
        len(scored_pairs) - len(decided_pairs),
        len(preference_data.pairs) - len(scored_pairs),
        *_describe_preferences(decided_pairs, scores),
        method,
        confidence,
        alpha,
        (*scores.notes, *preference_notes, *exclusions, *chain(*(item.notes for item in measured_scores))),
    )


def _describe_preferences(
    decided_pairs: Sequence[PreferencePair], scores: Scores
) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    """Return the number of different pairs of outputs and of assessors, and the runs and topics."""
    runs, topics = ({x for pair in decided_pairs for x in pair[1:3]}, {pair.topic for pair in decided_pairs})
    outputs = {(pair.topic, frozenset(pair[1:3])) for pair in decided_pairs}
    assessors = {pair.assessor for pair in decided_pairs} - {None}
    names = tuple(filter(runs.__contains__, scores.runs))
    return len(outputs), len(assessors), names, tuple(filter(topics.__contains__, scores.topics))


def _compute_preference_signs(
    measured_scores: Sequence[MeasureScores], decided_pairs: Sequence[PreferencePair], scores: Scores
) -> dict[str, tuple[Signs, Bools]]:
    """Return the signs of the differences by measure, preferred minus other, and where defined."""
    run, topic = ({n: i for i, n in enumerate(names)} for names in (scores.runs, scores.topics))
    places = [(topic[p.topic], run[p.preferred], run[p.other]) for p in decided_pairs]
    topic_indices, better, worse = np.array(places).T
    return {
        item.measure: (
            compute_signs(item.values[topic_indices, better], item.values[topic_indices, worse], item.values),
            item.defined[topic_indices],
        )
        for item in measured_scores
    }


def _select_scored(preference_data: PreferencePairs, scores: Scores) -> tuple[list[PreferencePair], list[Note]]:
    """Return the preferences between outputs with scores, and notes about the others."""
    runs, topics = set(scores.runs), set(scores.topics)
    scored_pairs = [pair for pair in preference_data.pairs if pair.topic in topics and runs.issuperset(pair[1:3])]
    notes = [Note("sides", f"{preference_data.where}: {note}") for note in preference_data.notes]
    run_names = dict.fromkeys(name for pair in preference_data.pairs for name in pair[1:3])
    other_runs = [name for name in run_names if name not in runs]
    other_topics = list(dict.fromkeys(p.topic for p in preference_data.pairs if p.topic not in topics))
    for kind, names in (("run", other_runs), ("topic", other_topics)):
        if names:
            text = f"preferences about {format_names(names, kind)} without scores, excluded"
            notes.append(Note(f"other-{kind}s", f"{preference_data.where}: {text}"))
    if ties := sum(pair.tied for pair in scored_pairs):
        text = f"{format_count(ties, 'tie')} among the preferences excluded"
        notes.append(Note("tied-preferences", f"{preference_data.where}: {text}"))
    return scored_pairs, notes


def _describe_missing(preference_data: PreferencePairs, scored_pairs: Sequence[PreferencePair], scores: Scores) -> str:
    count = format_count(len(preference_data.pairs), "preference")
    if scored_pairs:
        return f"{count}, all of them ties"
    if any(set(pair[1:3]) <= set(scores.runs) for pair in preference_data.pairs):
        return f"{count}, none about a topic with scores such as {scores.topics[0]}"
    return f"{count}, none about two runs with scores such as {scores.runs[0]}"


def _compute_prediction(name: str, signs: Signs, defined: Bools, method: Method, confidence: float) -> Prediction:
    n, right, wrong = (int(np.count_nonzero(defined & x)) for x in (True, signs > 0, signs < 0))
    low, high = _BOUNDS[method](right, n, confidence) if n else (math.nan, math.nan)
    interval = Interval(low, high, right / n if n else math.nan, method, confidence, n)
    return Prediction(name, right, wrong, n - right - wrong, interval)


def _compare_predictions(first: str, second: str, a: Signs, of_a: Bools, b: Signs, of_b: Bools) -> PredictionPair:
    x, y, defined = a > 0, b > 0, of_a & of_b
    counts = (int(np.count_nonzero(defined & w)) for w in (True, x & y, x & ~y, y & ~x))
    return PredictionPair(first, second, *counts)


def _compute_wilson(right: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the rates π that the normal test of |p − π| with variance π (1 − π)/n accepts.

    >>> [round(end, 4) for end in _compute_wilson(0, 10, 0.95)]  # from 0 to z²/(n + z²)
    [0.0, 0.2775]
    """
    z2 = float(special.ndtri((1 + confidence) / 2)) ** 2
    p = right / n
    middle = p + z2 / (2 * n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    low, high = (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)
    return (low if right else 0.0), (high if right < n else 1.0)


def compute_clopper_pearson(right: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the rates that neither one-sided binomial test rejects.

    >>> limits = compute_clopper_pearson(0, 10, 0.95)  # from 0 to 1 − 0.025^(1/10)
    >>> [round(limit, 4) for limit in limits]
    [0.0, 0.3085]
    """
    tail = (1 - confidence) / 2
    low = float(special.betaincinv(right, n - right + 1, tail)) if right else 0.0
    high = float(special.betaincinv(right + 1, n - right, 1 - tail)) if right < n else 1.0
    return low, high


_BOUNDS = {"wilson": _compute_wilson, "exact": compute_clopper_pearson}
"""The intervals of rates, by name."""


# -- tables and figures ---------------------------------------------------------------------------

METHODS = {"wilson": "Wilson's", "exact": "exact (Clopper and Pearson)"}


def build_measures_table(result: PredictivePower) -> tables.ResultTable:
    column, intervals = (tables.bind_rows(result.measures), [prediction.interval for prediction in result.measures])
    defined = " A measure is tested on the preferences for which it is defined." * _has_different_counts(result)
    return tables.build_table(
        "measures",
        "Predictive power: agreement of measures with human preferences between two outputs. "
        f"{_describe_comparison(result)}.{defined} A tied measure does not agree. "
        f"{tables.format_percent(result.confidence)} interval: {METHODS[result.method]}.",
        column("measure", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("agreement", "rate"),
        *tables.build_interval_columns(intervals, result.confidence),
        column("agreements", head="agree"),
        column("disagreements", head="disagree"),
        column("tied"),
    )


def build_pairs_table(result: PredictivePower) -> tables.ResultTable:
    """Return the preferences that one of two measures predicts and the other does not."""
    column = tables.bind_rows(result.pairs)
    defined = " (if both are defined)" * _has_different_counts(result)
    return tables.build_table(
        "pairs",
        f"Predictive power of two measures on the same preferences{defined}: difference of the "
        "rates of agreement, first − second, and number of preferences that both, or only one, "
        f"predicted. p: McNemar's exact test. * p ≤ α = {result.alpha:g}.",
        *tables.build_columns(column, "first", "second", key=True),
        column("preferences", "n", visible=_has_different_counts(result)),
        column("difference", text=tables.format_difference),
        *tables.build_columns(column, "both", "only_first", "only_second"),
        build_p_column(result.pairs, result.alpha),
        column("significant", lambda pair: pair.pvalue <= result.alpha, visible=False),
    )


def _has_different_counts(result: PredictivePower) -> bool:
    """Return True if a measure is undefined for some preferences."""
    return any(prediction.n != result.preferences for prediction in result.measures)


def _describe_comparison(result: PredictivePower) -> str:
    assessor_text = f" of {format_count(result.assessors, 'assessor')}" if result.assessors else ""
    outputs = f"{format_count(result.outputs, 'pair')} of outputs"
    size = tables.format_runs_and_topics(len(result.runs), len(result.topics))
    return f"{format_count(result.preferences, 'preference')}{assessor_text} on {outputs}: {size}"
