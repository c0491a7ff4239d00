"""Tests that are repeated, for example every night, with one level for all looks together."""

from __future__ import annotations

import math

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import Interval
from cranfield.stats.paired import Alternative, t_test
from cranfield.stats.result import Outcome, check_confidence
from cranfield.stats.samples import Sample, Topics
from cranfield.wording import suggest_keywords

__all__ = ["LookOutcome", "repeated_t_test", "spend_level"]

_SUM = 2.1097428012368919745  # Σ 1 / (n ln² n), n = 2, 3, …


@dataclass(frozen=True)
class LookOutcome(Outcome):
    """Result of `repeated_t_test` at a look.

    `pvalue` is corrected for all looks, `uncorrected` is the p-value of this look alone. `fraction`
    is the fraction of the level that the look spends.
    """

    look: int = 1
    fraction: float = 1.0
    uncorrected: float = math.nan

    def confidence_band(self, confidence: float = 0.95) -> Interval:
        """Return the interval that holds at all looks together with this confidence."""
        return self.confidence_interval(1 - (1 - check_confidence(confidence)) * self.fraction)


def spend_level(looks: int) -> Floats:
    """Return the fraction of the level that each of the first looks spends.

    γ_k = 1 / (c (k + 1) ln²(k + 1)),   c = Σ 1 / (n ln² n) over n = 2, 3, … = 2.10974…

    The fractions of infinitely many looks have the sum 1, so the number of looks needs no plan. They
    decrease slowly. With many topics, a two-sided test at α = 0.05 needs |t| above 2.2 at the first
    look, 4.0 at look 30 and 4.8 at look 365.

    Reference: Lan and DeMets 1983, Discrete sequential boundaries for clinical trials, Biometrika;
    Tian and Ramdas 2021, Online control of the familywise error rate, Statistical Methods in Medical
    Research.

    >>> spend_level(4).round(4).tolist()
    [0.4933, 0.1309, 0.0617, 0.0366]
    """
    if isinstance(looks, bool) or not isinstance(looks, int) or looks < 1:
        raise InputError(f"looks={looks!r}", "an integer ≥ 1")
    n = np.arange(2.0, looks + 2)
    return np.asarray(1 / (_SUM * n * np.log(n) ** 2))


@suggest_keywords
def repeated_t_test(
    x: Sample, y: Sample, look: int, topics: Topics = "same", alternative: Alternative = "two-sided"
) -> LookOutcome:
    """Run the paired t-test at one of many looks, such as nights: p = min(1, p_look / γ_look).

    `look` is 1 for the first test. It spends the fraction γ_look of the level (`spend_level`). If
    there never is a difference, the probability that p ≤ α at any look is at most α, for any number
    of looks and any dependence between them. Looks at the same topics are dependent, so methods for
    independent looks (SPRT, confidence sequences, LOND for independent p-values) are not valid here.

    Reference: Tian and Ramdas 2021, Online control of the familywise error rate, Statistical Methods
    in Medical Research (alpha-spending); Student 1908, The probable error of a mean, Biometrika.

    >>> outcome = repeated_t_test([0.5, 0.7, 0.9], [0.4, 0.5, 0.6], look=2)  # p of the t-test: 0.0742
    >>> round(outcome.uncorrected, 4), round(outcome.fraction, 4), round(outcome.pvalue, 4)
    (0.0742, 0.1309, 0.5667)
    """
    fraction = float(spend_level(look)[-1])
    outcome = t_test(x, y, topics, alternative)
    values = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}
    values |= {"pvalue": min(1.0, outcome.pvalue / fraction), "test": "repeated paired t-test"}
    return LookOutcome(**values, look=look, fraction=fraction, uncorrected=outcome.pvalue)
