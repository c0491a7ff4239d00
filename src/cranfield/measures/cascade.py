"""User models without recall: the user walks down and may stop at every rank."""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, gain_param, measure, param, rel_param
from cranfield.measures.gains import Gain
from cranfield.measures.lists import Lists, ratio, total


@measure
class ERR(Measure):
    """Expected reciprocal rank: 1/r at the rank where the user is satisfied.

    ERR = Σ_r dsat(r−1) · Pr(r) / r,   dsat(r) = Π_{k≤r} (1 − Pr(k))
    Pr(r) = (2^x − 1)/2^h for an item of level x (Chapelle et al.; `prob=exp`), or
    Pr(r) = g(r)/(g_h + 1) (NTCIREVAL; `prob=linear`)

    h is the highest level: `max_level`, or the length of the gain table, else the highest in
    all the judgments (gdeval takes 4).

    >>> ERR(max_level=3)([0, 3])  # seed 001: stopping probability 0.8750 at rank 2
    0.4375
    >>> round(ERR(prob="linear", gain="1:2")([None, 0, 1]), 4)  # seed 000, Figure 1: 0.1111
    0.1111
    """

    prob: str = param(
        "exp",
        "exp: (2^x − 1)/2^h (Chapelle); linear: g/(g_h + 1) (NTCIREVAL)",
        choices=("exp", "linear"),
    )
    gain: Gain = gain_param()
    max_level: float | None = param(
        None,
        "highest level h; from the gain table or the judgments if not given",
        low=0,
        open_ends=True,
    )
    references = ("chapelle2009",)
    task = "navigational search with graded judgments; returns diminish after a good item"
    range = "0 to below 1"

    def score(self, x: Lists) -> Floats:
        Pr = self.satisfaction(x)
        dsat = np.cumprod(1.0 - Pr, axis=1)
        before = np.concatenate((np.ones((len(x), 1)), dsat[:, :-1]), axis=1) if dsat.size else dsat
        return total(before * Pr / x.r)

    def takes_max_level(self) -> bool:
        binary = self.prob == "linear" and self.gain == "binary"
        return self.max_level is None and isinstance(self.gain, str) and not binary

    def satisfaction(self, x: Lists) -> Floats:
        """Pr(r): the probability that the item at r satisfies the user."""
        if self.prob == "linear":
            return x.g / (x.g_h + 1.0)
        level = np.minimum(np.where(x.g > 0, x.level, 0.0), x.h)
        Pr: Floats = np.exp2(level - x.h) - np.exp2(-x.h)  # (2^x − 1)/2^h, for any h
        return np.where(level > 0, Pr, 0.0)


@measure
class RBP(Measure):
    """Rank-biased precision: the gain per item seen by a user who goes on with probability p.

    RBP = (1 − p)/g_h · Σ_r g(r) · p^(r−1)

    g_h is the gain of the highest level: `max_level`, or the end of the gain table, else the
    highest level in all the judgments. With `rel` the gain is 1 from that level on, else 0.

    >>> round(RBP(p=0.95, gain="1:2")([None, 0, 1]), 4)  # seed 000, Figure 1: 0.0226
    0.0226
    """

    p: float = param(0.8, "probability of going on to the next rank", low=0, high=1, open_ends=True)
    gain: Gain = gain_param()
    rel: float | None = rel_param("lowest level that counts; makes the gain binary")
    max_level: float | None = param(
        None,
        "highest level; from the gain table or the judgments if not given",
        low=0,
        open_ends=True,
    )
    references = ("moffat2008",)
    task = "a user of known persistence; does not depend on how many relevant items exist"
    range = "0 to 1, and less than 1 for lists that end"

    def score(self, x: Lists) -> Floats:
        g, g_h = (x.g, x.g_h) if self.rel is None else (x.I, 1.0)
        return ratio((1 - self.p) * total(g * self.p ** (x.r - 1.0)), g_h)

    def takes_max_level(self) -> bool:
        binary = self.rel is not None or self.gain == "binary"
        return self.max_level is None and isinstance(self.gain, str) and not binary
