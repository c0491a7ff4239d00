"""Divergences between a system's and the gold distribution of labels.

Labels are bins 1, …, L. NMD, RNOD and RSNOD use their order, JSD and RNSS do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.base import Measure, cite, measure
from cranfield.measures.lists import to_floats, total
from cranfield.measures.parameters import param

SUM_TOLERANCE = 1e-6  # for the sum of probabilities


class Pair(NamedTuple):
    """System and gold distributions: a row for each item, a column for each label."""

    system: Floats
    gold: Floats


class Divergence(Measure):
    """Base of measures that compare two distributions. 0 means equal."""

    takes = "distributions"
    cutoff_meaning = ""
    better = "lower"
    effectiveness = False

    def score(self, x: Any) -> Floats:
        return self.compare(x.system, x.gold)

    def compare(self, p: Floats, gold: Floats) -> Floats:
        """Return the divergence of each row of two arrays [items, labels]."""
        raise TypeError(f"{type(self).__name__} defines no compare(self, p, gold)")

    def __call__(self, system: Any, gold: Any) -> Any:  # type: ignore[override]
        """Return the divergence from the gold distribution, for arrays [n, L] row by row.

        >>> NMD()([0.2, 0.3, 0.5], [0.1, 0.1, 0.8])
        0.2
        """
        p, q = (_read_probabilities(self, values) for values in (system, gold))
        if p.shape != q.shape:
            shapes = f"{np.shape(system)} and {np.shape(gold)}"
            raise CranfieldError(f"{self}: system and gold must have equal shapes, found {shapes}")
        divergences = self.score(Pair(p, q))
        return divergences if np.ndim(system) == 2 else float(divergences[0])


def _read_probabilities(m: Measure, values: Any) -> Floats:
    try:
        distributions = np.atleast_2d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        distributions = np.empty((0, 0))
    if distributions.ndim != 2 or distributions.shape[1] < 2:
        problem = f"probabilities of at least 2 labels expected, found {values!r}"
        raise InputError.from_problem(problem, where=m)
    for row in distributions:
        if not (row >= 0).all() or not abs(row.sum() - 1) <= SUM_TOLERANCE:
            problem = f"{m}: probabilities must be ≥ 0 with a sum of 1, found {row.tolist()}"
            raise CranfieldError(f"{problem} (sum {row.sum():.10g})")
    return distributions


@measure
class NMD(Divergence):
    """Normalised match distance: the probability to be moved times its distance.

    NMD = (1/(L − 1)) Σ_i |P(i) − P*(i)|

    P and P* are the cumulative distributions of the system and of the gold labels. It is the earth
    mover's distance over labels with distance 1, divided by its maximum.

    >>> NMD()([0, 0, 1], [1, 0, 0]), NMD()([0, 0, 1], [0, 1, 0])  # two labels off, and one
    (1.0, 0.5)
    """

    references = cite("werman1985", "sakai2018")
    task = "ordered labels: the distance of wrong labels counts"

    def compare(self, p: Floats, gold: Floats) -> Floats:
        P, P_gold = np.cumsum(p, axis=1), np.cumsum(gold, axis=1)
        distance = total(np.abs(P - P_gold)[:, :-1])  # at the last both are 1
        return to_floats(distance / (p.shape[1] - 1))


@measure
class JSD(Divergence):
    """Jensen–Shannon divergence of system and gold distribution, in bits.

    JSD = (1/2) Σ_i p(i) log(p(i)/m(i)) + (1/2) Σ_i p*(i) log(p*(i)/m(i)),  m = (p + p*)/2

    The order of labels does not matter. SciPy's `jensenshannon` is its square root.

    >>> JSD()([0, 0, 1], [1, 0, 0]), JSD()([0, 0, 1], [0, 1, 0])  # wrong is wrong
    (1.0, 1.0)
    """

    base: float = param(2.0, "base of the logarithm; 2.718281828459045 gives nats", low=1, open_ends=True)
    references = cite("lin1991", "sakai2018")
    task = "labels without an order (nominal classes)"
    range = "0 to 1 (to log 2 in another base)"

    def compare(self, p: Floats, gold: Floats) -> Floats:
        middle = (p + gold) / 2
        divergence = (_compute_relative_entropy(p, middle) + _compute_relative_entropy(gold, middle)) / 2
        return to_floats(np.maximum(divergence, 0.0) / np.log(self.base))  # rounding may be below 0


def _compute_relative_entropy(p: Floats, q: Floats) -> Floats:
    """Return Σ_i p(i) ln(p(i)/q(i)). Terms with p(i) = 0 are 0."""
    positive = p > 0
    return total(np.where(positive, p * np.log(np.where(positive, p, 1.0) / np.where(positive, q, 1.0)), 0))


@measure
class RNSS(Divergence):
    """Root normalised sum of squares of the differences of two distributions.

    RNSS = √(Σ_i (p(i) − p*(i))²/2)

    The order of labels does not matter.

    >>> RNSS()([0, 0.5, 0.5], [1, 0, 0]) == 0.75**0.5, RNSS()([0, 0, 1], [1, 0, 0])
    (True, 1.0)
    """

    references = cite("sakai2018")
    task = "labels without an order (nominal classes), as in nugget detection"

    def compare(self, p: Floats, gold: Floats) -> Floats:
        return to_floats(np.sqrt(total((p - gold) ** 2) / 2))


def compute_order_aware(p: Floats, gold: Floats) -> Floats:
    """Return OD(p‖p*), the mean of Σ_j |i − j| (p(j) − p*(j))² over i with p*(i) > 0.

    >>> compute_order_aware(np.array([[0.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]]))  # |1 − 3|·1²
    array([2.])
    """
    i = np.arange(p.shape[1])
    distance = np.abs(i[:, None] - i)  # |i − j|
    weighted = total(((p - gold) ** 2)[:, :, None] * distance)  # over j
    positive = gold > 0
    return to_floats(total(weighted * positive) / positive.sum(axis=1))


@measure
class RNOD(Divergence):
    """Root normalised order-aware divergence: squared errors, weighted by label distance.

    RNOD     = √(OD(p‖p*)/(L − 1))
    OD(p‖p*) = mean over i with p*(i) > 0 of Σ_j |i − j| (p(j) − p*(j))²

    It is not symmetric: distances are measured from the gold labels. All probability at the wrong
    end scores 1. With five labels or more, a gold distribution with little probability on a distant
    label can score above 1.

    >>> RNOD()([0, 0, 1], [1, 0, 0]), round(RNOD()([0, 0, 1], [0, 1, 0]), 4)  # √(2/2), √(1/2)
    (1.0, 0.7071)
    """

    references = cite("sakai2018")
    task = "ordered labels, if one large error is worse than several small errors"
    range = "0 to 1, below √2 in rare cases"

    def compare(self, p: Floats, gold: Floats) -> Floats:
        return to_floats(np.sqrt(compute_order_aware(p, gold) / (p.shape[1] - 1)))


@measure
class RSNOD(RNOD):
    """Root symmetric normalised order-aware divergence: distances from both distributions.

    RSNOD = √(SOD/(L − 1)),  SOD = (OD(p‖p*) + OD(p*‖p))/2

    OD is as in RNOD. More than 1 is possible with five labels or more.

    >>> round(RSNOD()([0, 0.5, 0.5], [1, 0, 0]), 4)  # OD 0.75 and 1.75, their mean over L − 1 = 2
    0.7906
    """

    task = "ordered labels, like RNOD, if neither distribution is the reference"

    def compare(self, p: Floats, gold: Floats) -> Floats:
        symmetric = (compute_order_aware(p, gold) + compute_order_aware(gold, p)) / 2
        return to_floats(np.sqrt(symmetric / (p.shape[1] - 1)))
