"""Discriminative power: significant differences between runs by measure.

Test all pairs of runs by each measure. Show the number of significant pairs, the smallest
significant difference, and all p-values as a curve (ASL curve).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from cranfield import tables
from cranfield.arrays import TOLERANCE
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, is_one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl
from cranfield.meta.notes import collect_alpha_notes
from cranfield.meta.results import MethodResult, format_summary
from cranfield.scores import Note
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.families import TESTS, PairTest, choose_test, compare_pairs, name_subjects, note_reach
from cranfield.stats.measure_scores import split_by_measure
from cranfield.stats.notes import merge_notes
from cranfield.stats.resampling import TRIALS, Progress
from cranfield.stats.result import Sampled, check_alpha, is_fully_enumerated
from cranfield.stats.tables import build_p_column, describe_test
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
class DiscriminativePower(MethodResult):
    """Discriminative power of several measures, the highest first.

    ``result["AP"]`` is the result of AP.
    """

    _human_tables = ("measures",)

    test: str
    correction: str
    alpha: float
    runs: tuple[str, ...]
    measures: tuple[Discrimination, ...]
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        descriptions = [format_count(len(self.runs), "run"), f"{self.test} test", f"α = {self.alpha:g}"]
        return format_summary(
            self, descriptions, {discrimination.measure: discrimination.share for discrimination in self.measures}
        )

    def __getitem__(self, measure: object) -> Discrimination:
        for discrimination in self.measures:
            if discrimination.measure == str(measure):
                return discrimination
        names = ", ".join(discrimination.measure for discrimination in self.measures)
        raise InputError.from_problem(f"unknown measure {str(measure)!r}", f"Measures: {names}.")

    def _build_tables(self) -> list[tables.ResultTable]:
        """Return a row for each measure, and a row for each pair of runs."""
        column = tables.bind_rows(self.measures)
        critical = column("hsd", "critical", "HSD")
        measures = tables.build_table(
            "measures",
            format_caption(self),
            column("measure", key=True),
            column("significant", lambda discrimination: len(discrimination.significant), "significant pairs"),
            column("pairs", lambda discrimination: len(discrimination.pairs), "of"),
            column("share"),
            column("smallest_significant", "smallest", "smallest significant difference"),
            *([critical] if _has_hsd(self) else []),
            column("topics", visible=len({discrimination.topics for discrimination in self.measures}) > 1),
            *tables.build_constant_columns(self._build_settings(), self.measures),
        )
        return [measures, _build_curves_table(self)]

    def _build_settings(self) -> dict[str, Any]:
        random = ("trials", "seed") if TESTS[self.test].random else ()
        return tables.read_settings(self, "test", "correction", "alpha", *random)

    def _build_figure(self, theme: Theme = DEFAULT_THEME, whole: bool = False) -> Figure:
        """Draw ASL curves, one line per measure: p-values near α, or all if `whole`."""
        data = _build_curves_table(self).to_frame()
        return Figure(lambda: _draw_chart(self, theme, data, whole), data, self.notes)


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
        tests = compare_pairs(matrix, test, None, correction, confidence=confidence, **trial_options)
        pairs = sorted((_build_pair(pair_test, runs, alpha) for pair_test in tests), key=lambda pair: -pair.pvalue)
        critical = _compute_critical_difference(tests[0], matrix.scale)
        results.append(Discrimination(measure, len(matrix.topics), alpha, tuple(pairs), critical))
        tested[measure] = tests
    results.sort(key=lambda pair_test: -pair_test.share)
    test_notes: list[tuple[str, Note]] = []
    for measure, tests in tested.items():
        pair_notes = [(pair_test, [n for n in pair_test.outcome.notes if n.kind != "trials"]) for pair_test in tests]
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
    """Return half the simultaneous interval, which is the same for every pair, None without one.

    Intervals are wider by the rounding error of the scores, which is removed here.
    """
    if pair_test.interval is None:
        return None
    reach = (pair_test.interval.high - pair_test.interval.low) / 2
    decimals = math.floor(-math.log10(10 * TOLERANCE * (scale or 1.0)))
    return round(reach, decimals) if math.isfinite(reach) else None


# -- tables and figures ---------------------------------------------------------------------------

ZOOM = 3  # times α: how far up the curves are shown, as papers do


def _has_hsd(result: DiscriminativePower) -> bool:
    return any(discrimination.critical is not None for discrimination in result.measures)


def _build_curves_table(result: DiscriminativePower) -> tables.ResultTable:
    column, pair_column = tables.bind_nested_rows(result.measures, "pairs")
    ranked = [(rank, pair) for discrimination in result.measures for rank, pair in enumerate(discrimination.pairs, 1)]
    return tables.build_table(
        "curves",
        f"ASL curves: the p-values of all pairs of {format_count(len(result.runs), 'run')}, on "
        f"{_format_topics(result)}, the largest first, by the {_describe_test(result)}. "
        "A difference above 0 means that the first run is better. "
        f"* p ≤ α = {result.alpha:g}.",
        column("measure", key=True),
        tables.Field("rank", [rank for rank, _ in ranked], key=True),
        *tables.build_columns(pair_column, "run", "other", key=True),
        pair_column("difference", text=tables.format_difference),
        build_p_column([pair for _, pair in ranked], result.alpha),
    )


def format_caption(result: DiscriminativePower) -> str:
    """Describe the runs, the test and the topics."""
    text = (
        f"Discriminative power: pairs of {format_count(len(result.runs), 'run')} that differ "
        f"significantly at α = {result.alpha:g} by the {_describe_test(result)}, "
        f"on {_format_topics(result)}."
    )
    if _has_hsd(result):
        text += " HSD: honestly significant difference, larger differences are significant."
    return text


def _describe_test(result: DiscriminativePower) -> str:
    """Describe the test and its number of trials."""
    sampled = [pair.sampled for discrimination in result.measures for pair in discrimination.pairs]
    correction_text = "" if TESTS[result.test].is_joint else CORRECTIONS[result.correction].title
    title, *details = describe_test(
        result.test, result.trials, result.seed, is_fully_enumerated(sampled), correction_text
    )
    return title + (f" ({', '.join(details)})" if details else "")


def _format_topics(result: DiscriminativePower) -> str:
    return tables.format_topics(discrimination.topics for discrimination in result.measures)


def _draw_chart(result: DiscriminativePower, theme: Theme, data: pl.DataFrame, whole: bool) -> Any:
    top = 1.0 if whole else min(1.0, ZOOM * result.alpha)
    pairs = len(result.measures[0].pairs)
    shares = {item.measure: f": {100 * item.share:.1f}%" for item in result.measures}
    line = charts.shorten_name_column(data["measure"]) + data["measure"].replace_strict(shares)
    measure_styles = theme.assign_styles(shares)  # colours belong to measures, not to labels
    styles = {item: measure_styles[measure] for item, measure in zip(line, data["measure"], strict=True)}
    above_count = (pl.col("pvalue") > top).sum().over("measure")
    curve_data = data.with_columns(line=line).filter(pl.col("rank") >= above_count)  # begins with the last
    ranked = f"{format_count(pairs, 'pair')} of runs, by falling p-value"
    chart = charts.draw_curves(
        curve_data,
        charts.build_axis("x", "rank", ranked, [1, max(2, pairs)], **charts.build_rank_axis_style(pairs)),
        charts.build_axis("y", "pvalue", "p-value (ASL)", [0, top]),
        f"fraction with p ≤ {result.alpha:g}",
        ["measure:N", "run:N", "other:N", *charts.build_number_tooltips("difference", "pvalue"), "rank:Q"],
        theme,
        charts.draw_horizontal_lines("pvalue", result.alpha),
        styles=styles,
        clip=True,
    )
    captions = [f"{_describe_test(result)}, {_format_topics(result)}", f"grey line: α = {result.alpha:g}"]
    return charts.finish_chart(chart, theme, "ASL curves", captions)
