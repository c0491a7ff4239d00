"""Corrections for multiple tests: adjusted p-values, comparable with α."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cranfield.arrays import Bools, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.stats.samples import quote_short
from cranfield.wording import suggest_keywords

__all__ = ["Corrected", "benjamini_hochberg", "bonferroni", "family_wise_error", "holm"]


FAMILY_WISE = "the family-wise error rate"


@dataclass(frozen=True, eq=False)
class Corrected:
    """Adjusted p-values of a family of tests, in the given order.

    `size` is the number of tests in the family. NaN, the p-value of a test that is not possible, is
    returned unchanged and not counted. `controls` is the error rate that the correction controls.
    """

    pvalues: Floats
    correction: str
    size: int
    controls: str

    def rejected(self, alpha: float = 0.05) -> Bools:
        """Return True for tests with an adjusted p-value of at most `alpha`."""
        return self.pvalues <= alpha


@suggest_keywords
def family_wise_error(tests: int, alpha: float = 0.05) -> float:
    """Return the probability of a significant test if no systems differ.

    1 − (1 − α)^k for k independent tests, each at level α, without a correction.

    Reference: Sakai 2014, section 4.4.

    >>> round(family_wise_error(10), 4)  # all pairs of five runs
    0.4013
    """
    if isinstance(tests, bool) or not isinstance(tests, int | np.integer) or tests < 1:
        raise InputError(f"{quote_short(tests)} tests", "an integer ≥ 1")
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise InputError(f"alpha {quote_short(alpha)}", "a number between 0 and 1")
    return -math.expm1(int(tests) * math.log1p(-alpha))


def keep_pvalues(pvalues: ArrayLike) -> Corrected:
    """Return the p-values unchanged: each test has an error probability of α.

    >>> keep_pvalues([0.01, 0.04]).pvalues.tolist()
    [0.01, 0.04]
    """
    return _apply_correction(pvalues, "none", "the error rate of each test", lambda p: p)


@suggest_keywords
def bonferroni(pvalues: ArrayLike) -> Corrected:
    """Apply Bonferroni's correction: N tests have an error probability ≤ α.

    p' = min(1, N · p)

    Tests may depend on each other in any way.

    Reference: Dunn 1961, Multiple comparisons among means, JASA 56.

    >>> bonferroni([0.01, 0.5, 0.04]).pvalues.tolist()
    [0.03, 1.0, 0.12]
    """
    return _apply_correction(pvalues, "bonferroni", FAMILY_WISE, lambda p: len(p) * p)


@suggest_keywords
def holm(pvalues: ArrayLike) -> Corrected:
    """Apply Holm's correction: as safe as Bonferroni's, never less powerful.

    p'_i = min(1, max_{j ≤ i} (N − j + 1) · p_j), adjusted, of the N p-values in rising order

    Tests may depend on each other in any way.

    Reference: Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian
    Journal of Statistics 6.

    >>> holm([0.01, 0.5, 0.04]).pvalues.tolist()  # 3 · 0.01, 1 · 0.5, 2 · 0.04
    [0.03, 0.5, 0.08]
    """
    return _apply_correction(
        pvalues,
        "holm",
        FAMILY_WISE,
        lambda p: np.maximum.accumulate(np.arange(len(p), 0, -1) * p),
    )


@suggest_keywords
def benjamini_hochberg(pvalues: ArrayLike) -> Corrected:
    """Apply Benjamini and Hochberg's correction of false discoveries.

    p'_i = min(1, min_{j ≥ i} N · p_j / j), adjusted, of the N p-values in rising order

    The expected fraction of false discoveries is at most α, for tests that are independent or
    positively dependent.

    Reference: Benjamini and Hochberg 1995, Controlling the false discovery rate: a practical and
    powerful approach to multiple testing, Journal of the Royal Statistical Society B 57.

    >>> benjamini_hochberg([0.01, 0.5, 0.04]).pvalues.tolist()  # 3/1 · 0.01, 3/3 · 0.5, 3/2 · 0.04
    [0.03, 0.5, 0.06]
    """
    return _apply_correction(
        pvalues,
        "bh",
        "the false discovery rate",
        lambda p: np.minimum.accumulate((len(p) / np.arange(1, len(p) + 1) * p)[::-1])[::-1],
    )


@dataclass(frozen=True)
class Correction:
    """Row of `CORRECTIONS`. Called with p-values, it returns them corrected.

    A `family_wise` correction needs p ≤ α / N for the smallest of N p-values. If it is
    `simultaneous`, intervals of confidence 1 − α / N hold together with probability 1 − α.
    """

    name: str
    title: str
    function: Callable[[ArrayLike], Corrected]
    family_wise: bool = False
    simultaneous: bool = False

    def __call__(self, pvalues: ArrayLike) -> Corrected:
        return self.function(pvalues)


_CORRECTIONS = (
    Correction("none", "no correction", keep_pvalues),
    Correction("holm", "Holm's correction", holm, family_wise=True),
    Correction("bonferroni", "Bonferroni's correction", bonferroni,
               family_wise=True, simultaneous=True),
    Correction("bh", "Benjamini and Hochberg's correction", benjamini_hochberg),
)  # fmt: skip
CORRECTIONS = {correction.name: correction for correction in _CORRECTIONS}
"""The corrections by name."""


def _apply_correction(
    pvalues: ArrayLike, correction: str, controls: str, adjust: Callable[[Floats], Floats]
) -> Corrected:
    """Correct p-values. `adjust` gets the p-values that are not NaN, in rising order."""
    try:
        values = np.asarray(pvalues, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"p-values {quote_short(pvalues)}", "a sequence of numbers") from None
    if values.ndim != 1:
        raise InputError(f"p-values of shape {values.shape}", "a sequence of numbers")
    if ((values < 0) | (values > 1)).any():
        wrong = values[(values < 0) | (values > 1)][0]
        raise InputError(f"a p-value of {wrong}", "numbers in [0, 1] or NaN")
    numbers = np.flatnonzero(~np.isnan(values))
    order = numbers[np.argsort(values[numbers], kind="stable")]
    adjusted = values.copy()
    if len(order):
        adjusted[order] = np.minimum(1.0, adjust(values[order]))
    return Corrected(adjusted, correction, len(order), controls)
