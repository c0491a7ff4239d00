"""Results of tests: a statistic, a p-value, an interval, and the assumptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_number
from cranfield.scores import Interval, Note
from cranfield.stats.few_topics import is_out_of_reach

__all__ = ["Outcome", "Sampled"]

Bounds = Callable[[float], tuple[float, float]]
"""Function from a confidence such as 0.95 to the ends of an interval."""


@dataclass(frozen=True)
class Sampled:
    """P-value by counting: `count` of `trials` are as extreme as the data.

    If `exact`, all possible outcomes were enumerated and `trials` is their number. The p-value is
    then count / trials. Otherwise it is (count + 1) / (trials + 1), which is never 0 and keeps the
    test valid (Phipson and Smyth 2010). `asl`, the achieved significance level of Efron and
    Tibshirani, is count / trials.

    >>> sampled = Sampled(count=9, trials=999, seed=0)
    >>> sampled.pvalue, round(sampled.asl, 4), round(sampled.error, 4)
    (0.01, 0.009, 0.0031)
    """

    count: int
    trials: int
    seed: int | None = None
    exact: bool = False

    @property
    def pvalue(self) -> float:
        """Probability of a result at least as extreme if there is no difference."""
        return self.asl if self.exact else (self.count + 1) / (self.trials + 1)

    @property
    def asl(self) -> float:
        """count / trials."""
        return self.count / self.trials

    @property
    def smallest_pvalue(self) -> float:
        """P-value if no trial is as extreme as the data: 1 / (trials + 1), or 0 if exact."""
        return 0.0 if self.exact else 1 / (self.trials + 1)

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of p, √(p (1 − p) / trials), or 0 if exact."""
        return 0.0 if self.exact else math.sqrt(self.pvalue * (1 - self.pvalue) / self.trials)


@dataclass(frozen=True)
class Outcome(TableResult):
    """Result of a test of two systems, similar to results of scipy.stats.

    `difference` is the estimate (the mean of x − y, unless the test documents another one), `n` the
    number of topics, and `assumed` the assumptions of the p-value. `sampled` contains trials, seed
    and Monte-Carlo error of tests that count trials. `smallest_pvalue` is the smallest p-value that
    this number of topics and trials can justify. Smaller p-values are no stronger evidence.
    """

    test: str
    statistic: float
    pvalue: float
    difference: float
    n: int
    assumed: str
    bounds: Bounds = field(repr=False, compare=False)
    df: float | None = None
    sampled: Sampled | None = None
    notes: tuple[Note, ...] = ()
    smallest_pvalue: float = 0.0

    def confidence_interval(self, confidence: float = 0.95) -> Interval:
        """Return the interval of the difference that belongs to the test.

        The difference is significant at 1 − `confidence` if the interval does not contain 0.
        Exceptions are ties at its ends, and tests that exclude differences of 0 (sign, Wilcoxon).
        Both ends are infinite if 1 − `confidence` is below the smallest p-value.
        """
        low, high = self.bounds(check_confidence(confidence))
        if is_out_of_reach(self.smallest_pvalue, 1 - confidence):
            low, high = -math.inf, math.inf
        trials, seed = (self.sampled.trials, self.sampled.seed) if self.sampled else (None, None)
        return Interval(low, high, self.difference, self.test, confidence, self.n, trials, seed)


def is_fully_enumerated(sampled: Iterable[Sampled | None]) -> bool:
    """Return True if every test enumerated all outcomes."""
    return all(trials is not None and trials.exact for trials in sampled)


def format_p(pvalue: float, trials: int | None = None, least: bool = False) -> str:
    """Format a p-value with four decimals, never as 0.

    If `least`, none of `trials` random trials was as extreme: p is below 1 / trials, rounded up.

    >>> format_p(0.0321), format_p(1e-9), format_p(1 / 1001, trials=1000, least=True)
    ('0.0321', '<0.0001', '<0.001')
    >>> format_p(1 / 3001, trials=3000, least=True)
    '<0.00034'
    """
    if least and trials:
        place = 10.0 ** (math.floor(math.log10(1 / trials) + 1e-9) - 1)
        return f"<{math.ceil(1 / trials / place - 1e-9) * place:.2g}"
    return "<0.0001" if pvalue < 0.0001 else f"{pvalue:.4f}"


def format_p_statement(text: str) -> str:
    """Format a p-value for a sentence.

    >>> format_p_statement("0.0321"), format_p_statement("<0.0001")
    ('p = 0.0321', 'p < 0.0001')
    """
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def check_open_fraction(name: str, value: float) -> float:
    """Return the number, or raise an error unless it is between 0 and 1."""
    check_number(name, value, "a number between 0 and 1")
    if not 0 < value < 1:
        raise InputError(f"{name}={value}", "a number between 0 and 1")
    return value


check_confidence = partial(check_open_fraction, "confidence")
check_alpha = partial(check_open_fraction, "alpha")
