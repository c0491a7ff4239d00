"""A gate: may one system take the place of another? Worse, not worse, or too few topics to tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import Interval, Notice, notes
from cranfield.shown import Shown
from cranfield.stats.few_topics import is_out_of_reach
from cranfield.stats.paired import around, bootstrapped, differences, standard_error, t_test
from cranfield.stats.power import ALPHA, MOST, topics_to_decide
from cranfield.stats.resampling import TRIALS
from cranfield.stats.result import checked_alpha, stated_p
from cranfield.stats.samples import Sample, Topics
from cranfield.wording import counted, printable, rounded, suggests_keywords

__all__ = ["Gate", "GateVerdict", "WithinMargin", "within_margin"]

Decision: TypeAlias = Literal["pass", "fail", "undecided"]
Undecided: TypeAlias = Literal["fail", "pass"]
"""What a gate does if there were too few topics to tell."""


@dataclass(frozen=True)
class WithinMargin(Shown):
    """Whether a system is worse than another by more than a margin, as far as topics tell.

    `decision` is by the `interval`, Student's; `by_bootstrap` by that of the studentised bootstrap,
    `bootstrap`. `needed` is how many topics like these would decide, if these do not: None if
    even ten million would not.
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


@suggests_keywords
def within_margin(
    x: Sample,
    y: Sample,
    margin: float,
    alpha: float = ALPHA,
    trials: int = TRIALS,
    seed: int = 0,
    topics: Topics = "same",
) -> WithinMargin:
    """Whether x is no worse than y by more than a margin; higher scores are better.

    By [L, U] = z̄ ± t(1 − α; n − 1) s / √n, the interval of the mean difference with confidence
    1 − 2α: ``pass`` if L ≥ −margin; else ``fail`` if U < 0; else ``undecided``. So a system that is
    worse by the margin passes with probability α, and one that is as good fails with at most α, if
    differences are normal. Long left tails make false passes more frequent (0.10 instead of 0.05
    of 25 topics, 0.07 of 200, if losses are exponential): the interval of the studentised
    bootstrap, [z̄ − q(1 − α) s / √n, z̄ − q(α) s / √n] with quantiles q of t(w*), is found, too.

    Differences −0.1, 0, 0.1, 0: 0 ± 2.3534 · 0.0816 / 2. From 10 topics on 0.0816 t / √n is below
    0.048:

    >>> found = within_margin([0.4, 0.5, 0.6, 0.5], [0.5, 0.5, 0.5, 0.5], margin=0.048)
    >>> found.decision, round(found.interval.low, 4), round(found.interval.high, 4), found.needed
    ('undecided', -0.0961, 0.0961, 10)

    Reference: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
    approach, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680; Efron and Tibshirani
    (1993), An Introduction to the Bootstrap, chapter 12.
    """
    checked_margin(margin, alpha)
    z, tolerance = differences(x, y, topics, least=2)
    outcome, error = t_test(x, y, topics), standard_error(z, tolerance)
    d, n, confidence = outcome.difference, len(z), 1 - 2 * alpha
    interval = outcome.confidence_interval(confidence)
    drawn = error * bootstrapped(z, tolerance, trials, seed)
    low, high = around(d, drawn, "greater")(1 - alpha)[0], around(d, drawn, "less")(1 - alpha)[1]
    bootstrap = Interval(low, high, d, "bootstrap-t", confidence, n, trials, seed)
    decision, by_bootstrap = (_decided(one, margin, tolerance) for one in (interval, bootstrap))
    needed = topics_to_decide(d, n * error**2, margin, alpha) if decision == "undecided" else None
    return WithinMargin(
        decision, by_bootstrap, d, interval, bootstrap, margin, alpha, n, needed
    )  # fmt: skip


def _decided(interval: Interval, margin: float, tolerance: float) -> Decision:
    """What an interval says; rounding does not decide."""
    if interval.low >= -margin - tolerance:
        return "pass"
    return "fail" if interval.high < -tolerance else "undecided"


def checked_margin(margin: float, alpha: float) -> None:
    """Refuse what is no margin, or has no interval."""
    if (
        isinstance(margin, bool)
        or not isinstance(margin, int | float)
        or not 0 <= margin < math.inf
    ):
        raise InputError(f"margin={margin!r}", "a number from 0")
    if checked_alpha(alpha) >= 0.5:
        raise InputError(f"alpha={alpha}", "a number below 0.5 with a margin")


# -- verdicts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GateVerdict:
    """What a gate decided of a run and a baseline by one measure.

    `difference` is run − other, `relative` that of the means, of the other's, if that is above 0.
    Without a margin, `low` and `high` are the interval of the test, and `least` is the smallest
    p-value that the topics, `wins` and `losses` of which are better and worse, could have had,
    where that is known, `smallest` the smallest that any topics could have had; with a margin they
    are those of `within_margin`, the decision of which follows, with the other interval, and what
    that would decide. If it is undecided, `needed` topics would decide.
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
    shown_p: str = ""  # the p-value as people read it
    smallest: float = 0.0

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval is on the worse side of 0."""
        return self.low > 0 if self.lower_is_better else self.high < 0


@dataclass(frozen=True, repr=False)
class Gate(Shown, tables="gate"):
    """Verdicts on runs, baseline by baseline and measure by measure: one that fails fails all.

    Without a `margin` a run fails if it is significantly worse, and is undecided if no loss could
    have been significant; with one, it fails if it is worse, unless by no more than that.
    `undecided` says what is done where there are too few topics to tell.
    """

    verdicts: tuple[GateVerdict, ...]
    test: str
    alpha: float
    margin: float | None = None
    undecided: Undecided = "fail"
    estimates: str = ""  # what intervals are of, if not of means
    trials: int | None = None  # of the test, if they are random
    notices: tuple[Notice, ...] = ()

    @property
    def failed(self) -> tuple[GateVerdict, ...]:
        """The verdicts that let the gate fail."""
        failing = {"fail"} | ({"undecided"} if self.undecided == "fail" else set())
        return tuple(one for one in self.verdicts if one.decision in failing)

    @property
    def passed(self) -> bool:
        """Whether all runs passed."""
        return not self.failed

    @property
    def confidence(self) -> float:
        """That of the intervals: 1 − 2α with a margin."""
        return round(1 - (1 if self.margin is None else 2) * self.alpha, 12)

    @property
    def lines(self) -> list[str]:
        """A sentence for each verdict, which no name in it makes more than a line."""
        return [printable(f"verdict: {self._told(one)}") for one in self.verdicts]

    def _told(self, one: GateVerdict) -> str:
        but = f", which {'fails' if self.undecided == 'fail' else 'passes'}"
        which = f"{one.decision}{but if one.decision == 'undecided' else ''}"
        return f"{which}: {self._said(one)}: {', '.join(self._numbers(one))}{self._remark(one)}"

    def _said(self, one: GateVerdict) -> str:
        """What was decided, in words."""
        than = f"worse than {one.other} by {one.measure}"
        if self.margin is None and one.decision != "undecided":
            return f"{one.run} is {'' if one.decision == 'fail' else 'not '}significantly {than}"
        more = f" by more than {self.margin:g}" if self.margin else ""
        if one.decision == "fail":
            return f"{one.run} is {than}"
        if one.decision == "undecided":
            return f"cannot tell whether {one.run} is {than}{more}"
        if one.is_worse:
            return f"{one.run} is {than}, but within the margin of {self.margin:g}"
        return f"{one.run} is not {than}{more}"

    def _numbers(self, one: GateVerdict) -> Sequence[str]:
        """Difference, intervals, p-value, topics."""
        relative = "" if one.relative is None else f" ({one.relative:+z.1%})"
        kind = "t interval" if self.margin is not None else f"interval{self.estimates}"
        intervals = [f"{100 * self.confidence:g}% {kind} {_ends(one.low, one.high)}"]
        if one.bootstrap_low is not None and one.bootstrap_high is not None:
            intervals.append(f"bootstrap-t {_ends(one.bootstrap_low, one.bootstrap_high)}")
        return [
            f"{rounded(one.difference, '+')}{relative}",
            *(["lower is better"] if one.lower_is_better else []),
            *intervals,
            *([] if self.margin is not None else [stated_p(one.shown_p)]),
            f"{counted(one.losses, 'topic')} worse and {one.wins:,} better of {one.topics:,}",
        ]

    def _remark(self, one: GateVerdict) -> str:
        """What else is to be known: could it have failed, how many topics would decide?"""
        if self.margin is None:
            return self._remark_on_test(one)
        if one.decision == "undecided":
            many = f"about {counted(one.needed or MOST, 'topic')} like these would decide"
            return f"; {many if one.needed else many.replace('about', 'not even')}"
        other = one.by_bootstrap
        return "" if other == one.decision else f"; {other} by the bootstrap-t interval"

    def _remark_on_test(self, one: GateVerdict) -> str:
        """Return whether the test could have failed, and otherwise the number of topics needed."""
        if is_out_of_reach(one.smallest, self.alpha):
            short = (
                counted(one.topics, "topic") if one.needed else counted(self.trials or 0, "trial")
            )
            needed = (
                f"use {counted(one.needed, 'topic')} or more" if one.needed else "use more trials"
            )
            return f"; {short} cannot show a loss: no p is below {one.smallest:.4f}, {needed}"
        if one.decision == "fail" or not one.wins + one.losses:
            return ""
        if one.least is None:  # of tests whose intervals are as wide above as below
            loss = one.high - one.difference
            return f"; {f'a loss of {rounded(loss)}' if loss < math.inf else 'no loss'} would fail"
        differ = one.wins + one.losses
        few, p = f"{counted(differ, 'topic')} that differ", "exact p" if self.trials else "p"
        if one.least <= self.alpha:
            return f"; {few} could have shown a loss"
        if self.trials and self.trials + 1 < 2 ** (differ - 1):
            few, p = counted(self.trials, "trial"), "p"
        text = f"; {few} could not have shown a loss: no {p} is below {one.least:.4f}"
        return f"{text}, {one.needed:,} would be needed" if one.needed else text

    def __repr__(self) -> str:
        head = f"Gate: {'pass' if self.passed else 'fail'}"
        return "\n".join([head, *self.lines, *notes(self.notices, None)])


def _ends(low: float, high: float) -> str:
    return f"[{rounded(low, '+')}, {rounded(high, '+')}]"
