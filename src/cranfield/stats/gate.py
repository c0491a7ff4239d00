"""Gates: decide whether a system may replace another (pass, fail or undecided)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from cranfield import tables
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.scores import Interval, Note, format_first_notes
from cranfield.stats.families import TESTS
from cranfield.stats.few_topics import is_out_of_reach
from cranfield.stats.paired import (
    bootstrap_statistics,
    build_bounds_around,
    compute_differences,
    compute_standard_error,
    t_test,
)
from cranfield.stats.power import ALPHA, MAX_TOPICS, topics_to_decide
from cranfield.stats.resampling import TRIALS
from cranfield.stats.result import check_alpha, format_p_statement
from cranfield.stats.samples import Sample, Topics
from cranfield.tables import ResultTable
from cranfield.wording import escape_unprintable, format_count, format_number, suggest_keywords

__all__ = ["Gate", "GateVerdict", "WithinMargin", "within_margin"]

Decision: TypeAlias = Literal["pass", "fail", "undecided"]
Undecided: TypeAlias = Literal["fail", "pass"]
"""Result of a gate that is undecided because of too few topics."""


@dataclass(frozen=True)
class WithinMargin(TableResult):
    """Decision whether a system is worse than another by more than a margin.

    `decision` uses the Student's t `interval`, `by_bootstrap` the studentised bootstrap interval
    `bootstrap`. `needed` is the number of similar topics that would decide an undecided gate, or
    None if ten million topics would not.
    """

    decision: Decision
    by_bootstrap: Decision
    difference: float
    interval: Interval
    bootstrap: Interval
    margin: float
    alpha: float
    n: int
    needed: int | None = None


@suggest_keywords
def within_margin(
    x: Sample,
    y: Sample,
    margin: float,
    alpha: float = ALPHA,
    trials: int = TRIALS,
    seed: int = 0,
    topics: Topics = "same",
) -> WithinMargin:
    """Test whether x is worse than y by at most a margin. Higher scores are better.

    [L, U] = z̄ ± t(1 − α; n − 1) s / √n is the interval of the mean difference with confidence
    1 − 2α. The decision is ``pass`` if L ≥ −margin, otherwise ``fail`` if U < 0, otherwise
    ``undecided``. If differences are normal, a system that is worse by the margin passes with
    probability α, and an equally good system fails with probability at most α. Long left tails make
    false passes more frequent: with exponential losses, 0.10 instead of 0.05 with 25 topics, and
    0.07 with 200. Therefore the interval of the studentised bootstrap, [z̄ − q(1 − α) s / √n,
    z̄ − q(α) s / √n] with quantiles q of t(w*), is also computed.

    Differences −0.1, 0, 0.1, 0: 0 ± 2.3534 · 0.0816 / 2. From 10 topics on, 0.0816 t / √n is below
    0.048:

    >>> result = within_margin([0.4, 0.5, 0.6, 0.5], [0.5, 0.5, 0.5, 0.5], margin=0.048)
    >>> result.decision, result.needed
    ('undecided', 10)
    >>> round(result.interval.low, 4), round(result.interval.high, 4)
    (-0.0961, 0.0961)

    Reference: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
    approach, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680; Efron and Tibshirani
    (1993), An Introduction to the Bootstrap, chapter 12.
    """
    check_margin(margin, alpha)
    z, tolerance = compute_differences(x, y, topics, least=2)
    outcome, error = t_test(x, y, topics), compute_standard_error(z, tolerance)
    d, n, confidence = outcome.difference, len(z), 1 - 2 * alpha
    interval = outcome.confidence_interval(confidence)
    deviations = error * bootstrap_statistics(z, tolerance, trials, seed)
    low, high = (
        build_bounds_around(d, deviations, "greater")(1 - alpha)[0],
        build_bounds_around(d, deviations, "less")(1 - alpha)[1],
    )
    bootstrap = Interval(low, high, d, "bootstrap-t", confidence, n, trials, seed)
    decision, by_bootstrap = (decide_by_interval(bounds, margin, tolerance) for bounds in (interval, bootstrap))
    required_topics = topics_to_decide(d, n * error**2, margin, alpha) if decision == "undecided" else None
    return WithinMargin(
        decision, by_bootstrap, d, interval, bootstrap, margin, alpha, n, required_topics
    )  # fmt: skip


def decide_by_interval(interval: Interval, margin: float, tolerance: float) -> Decision:
    """Return the decision of an interval, with a tolerance for rounding errors."""
    if interval.low >= -margin - tolerance:
        return "pass"
    return "fail" if interval.high < -tolerance else "undecided"


def check_margin(margin: float, alpha: float) -> None:
    """Raise an error unless the margin is a number ≥ 0 and α allows an interval."""
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin < math.inf:
        raise InputError(f"margin={margin!r}", "a number ≥ 0")
    if check_alpha(alpha) >= 0.5:
        raise InputError.from_problem(f"alpha={alpha} with a margin", "Use a number below 0.5.")


# -- verdicts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GateVerdict:
    """Verdict on a run and a baseline by one measure.

    `difference` is run − other. `relative` is the difference of the means divided by the mean of
    the other run, if that mean is above 0. Without a margin, `low` and `high` are the interval of
    the test. `least` is the smallest p-value possible for these topics with `wins` and `losses`, if
    it is known, and `smallest` the smallest p-value possible for this number of topics. With a
    margin, `low`, `high` and the decision are the results of `within_margin`; `bootstrap_low`,
    `bootstrap_high` and `by_bootstrap` are its second interval and the decision by it. An undecided
    verdict would be decided by `needed` topics. In a suite, `wins`, `ties` and `losses` count
    `collections`. `attribute` and `slice` are set for a verdict on a
    slice of topics.
    """

    measure: str
    run: str
    other: str
    decision: Decision
    topics: int
    difference: float
    relative: float | None
    low: float
    high: float
    pvalue: float
    wins: int
    ties: int
    losses: int
    lower_is_better: bool = False
    least: float | None = None
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    by_bootstrap: Decision | None = None
    needed: int | None = None
    shown_p: str = ""  # the formatted p-value
    smallest: float = 0.0
    attribute: str = ""  # of topics
    slice: str = ""
    clusters: int | None = None  # clusters of topics, and how many have a difference
    differing: int | None = None
    collections: int | None = None  # of a suite, which wins, ties and losses count

    @property
    def is_worse(self) -> bool:
        """True if the complete interval is on the worse side of 0."""
        return self.low > 0 if self.lower_is_better else self.high < 0


@dataclass(frozen=True, repr=False)
class Gate(TableResult):
    """Verdicts on runs by baseline and measure. One failed verdict fails the gate.

    Without a `margin`, a run fails if it is significantly worse, and is undecided if no loss could
    have been significant. With a margin, a run fails if it is worse and not within the margin.
    `undecided` is the result of a gate with too few topics for a decision.
    """

    verdicts: tuple[GateVerdict, ...]
    test: str
    alpha: float
    margin: float | None = None
    undecided: Undecided = "fail"
    estimates: str = ""  # the parameter of the intervals, if not the mean
    trials: int | None = None  # of a test with random trials
    notes: tuple[Note, ...] = ()
    slice_rule: str = ""  # test and correction of the verdicts on slices

    @property
    def failed(self) -> tuple[GateVerdict, ...]:
        """Verdicts that fail the gate."""
        failing = {"fail"} | ({"undecided"} if self.undecided == "fail" else set())
        return tuple(verdict for verdict in self.verdicts if verdict.decision in failing)

    @property
    def passed(self) -> bool:
        """True if all runs passed."""
        return not self.failed

    @property
    def confidence(self) -> float:
        """Confidence of the intervals: 1 − 2α with a margin, otherwise 1 − α."""
        return round(1 - (1 if self.margin is None else 2) * self.alpha, 12)

    @property
    def lines(self) -> list[str]:
        """One line for each verdict."""
        return [escape_unprintable(f"verdict: {self._format_verdict(verdict)}") for verdict in self.verdicts]

    def _format_verdict(self, verdict: GateVerdict) -> str:
        consequence = f", which {'fails' if self.undecided == 'fail' else 'passes'}"
        decision = f"{verdict.decision}{consequence if verdict.decision == 'undecided' else ''}"
        numbers = ", ".join(self._format_numbers(verdict))
        remark = self._format_remark(verdict)
        place = "" if verdict.collections is None else f" on these {format_count(verdict.collections, 'collection')}"
        return f"{decision}: {self._format_decision(verdict)}{place}: {numbers}{remark}"

    def _format_decision(self, verdict: GateVerdict) -> str:
        place = f" on {verdict.attribute} {verdict.slice}" if verdict.attribute else ""
        comparison = f"worse than {verdict.other} by {verdict.measure}{place}"
        if self.margin is None and verdict.decision != "undecided":
            negation = "" if verdict.decision == "fail" else "not "
            return f"{verdict.run} is {negation}significantly {comparison}"
        more = f" by more than {self.margin:g}" if self.margin else ""
        if verdict.decision == "fail":
            return f"{verdict.run} is {comparison}"
        if verdict.decision == "undecided":
            return f"cannot tell whether {verdict.run} is {comparison}{more}"
        if verdict.is_worse:
            return f"{verdict.run} is {comparison}, but within the margin of {self.margin:g}"
        return f"{verdict.run} is not {comparison}{more}"

    def _format_numbers(self, verdict: GateVerdict) -> Sequence[str]:
        """Format difference, intervals, p-value and topics."""
        relative = "" if verdict.relative is None else f" ({verdict.relative:+z.1%})"
        kind = "t interval" if self.margin is not None else f"interval{self.estimates}"
        intervals = [f"{100 * self.confidence:g}% {kind} {_format_interval(verdict.low, verdict.high)}"]
        if verdict.bootstrap_low is not None and verdict.bootstrap_high is not None:
            intervals.append(f"bootstrap-t {_format_interval(verdict.bootstrap_low, verdict.bootstrap_high)}")
        return [
            f"{format_number(verdict.difference, '+')}{relative}",
            *(["lower is better"] if verdict.lower_is_better else []),
            *intervals,
            *([] if self.margin is not None else [format_p_statement(verdict.shown_p)]),
            _format_counts(verdict),
        ]

    def _format_remark(self, verdict: GateVerdict) -> str:
        """Format the number of topics needed, or the decision of the other interval."""
        if self.margin is None:
            return self._format_test_remark(verdict)
        if verdict.decision == "undecided":
            topics = format_count(verdict.needed or MAX_TOPICS, "topic")
            topics_text = f"about {topics} like these would decide"
            return f"; {topics_text if verdict.needed else topics_text.replace('about', 'not even')}"
        bootstrap_decision = verdict.by_bootstrap
        return (
            ""
            if bootstrap_decision in (None, verdict.decision)
            else f"; {bootstrap_decision} by the bootstrap-t interval"
        )

    def _format_test_remark(self, verdict: GateVerdict) -> str:
        """Format whether the test could have failed, or the number of topics needed."""
        noun = "topic" if verdict.clusters is None else "cluster"
        if is_out_of_reach(verdict.smallest, self.alpha):
            return self._format_size_remark(verdict, noun)
        if verdict.decision == "fail" or not verdict.wins + verdict.losses:
            return ""
        if verdict.least is None:  # tests with symmetric intervals
            loss = verdict.high - verdict.difference
            loss_text = f"a loss of {format_number(loss)}" if loss < math.inf else "no loss"
            return f"; {loss_text} would fail"
        differ = verdict.wins + verdict.losses if verdict.differing is None else verdict.differing
        size_text, p = (
            f"{format_count(differ, noun)} that differ",
            "exact p" if self.trials else "p",
        )
        if verdict.least <= self.alpha:
            return f"; {size_text} could have shown a loss"
        if self.trials and self.trials + 1 < 2 ** (differ - 1):
            size_text, p = format_count(self.trials, "trial"), "p"
        text = f"; {size_text} could not have shown a loss: no {p} is below {verdict.least:.4f}"
        return f"{text}, {verdict.needed:,} would be needed" if verdict.needed else text

    def _format_size_remark(self, verdict: GateVerdict, noun: str) -> str:
        """Format that this number of topics, clusters or trials cannot show a loss."""
        units = format_count(verdict.clusters or verdict.topics, noun)
        size_text = units if verdict.needed else format_count(self.trials or 0, "trial")
        advice = f"use {format_count(verdict.needed, noun)} or more" if verdict.needed else "use more trials"
        return f"; {size_text} cannot show a loss: no p is below {verdict.smallest:.4f}, {advice}"

    def _build_tables(self) -> list[ResultTable]:
        rows, with_margin = self.verdicts, self.margin is not None
        column = tables.bind_rows(rows)
        undecided = any(row.needed for row in rows)
        has_bootstrap = any(row.bootstrap_low is not None for row in rows)
        in_suite = any(row.collections is not None for row in rows)
        several_measures = len({row.measure for row in rows}) > 1
        counts = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
        bootstrap_intervals = [tables.format_interval(row.bootstrap_low, row.bootstrap_high, "+") for row in rows]
        fields = (
            *tables.build_key_columns(column, several_measures, "baseline"),
            *_build_slice_columns(rows),
            column("decision", head="verdict"),
            column("passes", lambda row: row not in self.failed, visible=False),
            column("topics", visible=False),
            *([column("collections", visible=False)] if in_suite else []),
            column("difference", text=tables.format_difference),
            column("relative", head="%", text=lambda share: f"{100 * share:+z.1f}", dtype=float),
            *tables.build_interval_columns(rows, self.confidence, "+"),
            *tables.build_columns(column, "bootstrap_low", "bootstrap_high", visible=False, dtype=float),
            tables.Field("bootstrap", None, "bootstrap-t", bootstrap_intervals, visible=has_bootstrap),
            column("by_bootstrap", visible=False, dtype=str),
            column("pvalue", head="p", text=str, visible=False),
            column("least_p", "least", visible=False, dtype=float),
            *tables.build_columns(column, "wins", "ties", "losses", visible=False),
            tables.Field("counts", None, "win/tie/loss", counts),
            column("topics_needed", "needed", visible=with_margin or undecided, dtype=int),
            column("lower_is_better", visible=False),
            tables.Field("text", self.lines, visible=False),
        )
        measure_text = f" by {rows[0].measure}" if rows and not several_measures else ""
        measure_text += " on these collections" if in_suite else ""
        return [tables.build_table("verdicts", f"Verdicts{measure_text}: {_describe_rule(self)}.", *fields)]

    def _build_settings(self) -> dict[str, Any]:
        names = "test", "alpha", "margin", "undecided", "confidence", "passed"
        return tables.read_settings(self, *names)

    def _format_text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def __repr__(self) -> str:
        head = f"Gate: {'pass' if self.passed else 'fail'}"
        return "\n".join([head, *self.lines, *format_first_notes(self.notes, None)])


def _build_slice_columns(rows: Sequence[GateVerdict]) -> list[tables.Field]:
    """Build the columns of slices of topics, if any verdict is on a slice."""
    column = tables.bind_rows(rows)
    if not any(row.attribute for row in rows):
        return []
    several = len({row.attribute for row in rows if row.attribute}) > 1
    shown = column("slice", text=lambda name: name or "all topics", key=True)
    return [column("attribute", visible=several, key=True), shown]


def _format_counts(verdict: GateVerdict) -> str:
    """Format the numbers of worse and better topics, or collections of a suite."""
    noun, total = ("topic", verdict.topics) if verdict.collections is None else ("collection", verdict.collections)
    return f"{format_count(verdict.losses, noun)} worse and {verdict.wins:,} better of {total:,}"


def _format_interval(low: float, high: float) -> str:
    return f"[{format_number(low, '+')}, {format_number(high, '+')}]"


def _describe_rule(gate: Gate) -> str:
    """Describe the rule that decides the verdicts."""
    level = f"α = {gate.alpha:g}"
    otherwise = "fails" if gate.undecided == "fail" else "passes"
    if gate.margin is None:
        by_cluster = " by cluster" if any(verdict.clusters is not None for verdict in gate.verdicts) else ""
        on_slices = f"; on slices: {gate.slice_rule}" if gate.slice_rule else ""
        text = f"fail if significantly worse ({TESTS[gate.test].title}{by_cluster}, two-sided, {level}{on_slices})"
        undecided = any(verdict.decision == "undecided" for verdict in gate.verdicts)
        unseen = f", undecided ({otherwise}) if no loss could be significant"
        return f"{text}{unseen * undecided}"
    sure = tables.format_percent(gate.confidence)
    return (
        f"pass if no part of the {sure} paired t interval of the difference is worse than the "
        f"margin of {gate.margin:g}, otherwise fail if the complete interval is worse than 0, "
        f"otherwise undecided, which {otherwise} ({level})"
    )
