"""Discounted gain: gains, each discounted by its rank.

Two tables define the family: gains (`gains.py`) and discounts by rank (`DISCOUNTS`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.measures.base import Measure, NormalisedMeasure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, to_floats, total
from cranfield.measures.parameters import GainSetting, format_value, gain_param, max_level_param, param, rel_param

DISCOUNTS = {
    "log2": lambda r, b: np.log2(r + 1),  # Microsoft (Burges et al. 2005)
    "jk": lambda r, b: np.maximum(np.log(r) / np.log(b), 1.0),  # Järvelin & Kekäläinen 2002
    "jk2008": lambda r, b: 1.0 + np.log(r) / np.log(b),  # Järvelin et al. 2008
}

TOOLS = {  # discount and gain of nDCG, with base 2: who computes it so
    "log2 linear": "the Microsoft version; trec_eval's ndcg and ndcg_cut, NTCIREVAL's MSnDCG",
    "log2 exp": "the Microsoft version; gdeval's",
    "jk linear": "NTCIREVAL's nDCG; the original of Järvelin and Kekäläinen (2002)",
    "jk exp": "LETOR's",
    "jk2008 linear": "the version of Järvelin et al. (2008)",
}


@measure
class DCG(Measure):
    """Discounted cumulative gain: gains, each divided by the discount of its rank.

    DCG@l = Σ_{r≤l} g(r)/d(r)
    d(r)  = log2(r + 1)       Microsoft (`discount=log2`)
            max(1, log_b r)   Järvelin and Kekäläinen's original (`discount=jk`)
            1 + log_b r       Järvelin et al. 2008 (`discount=jk2008`)

    >>> DCG()([0, 0, 0, 0, 0, 0, 3])  # Sakai 2014: a gain of 3 at rank 7 is worth 1
    1.0
    """

    gain: GainSetting = gain_param()
    rel: float | None = rel_param("levels below this have gain 0")
    discount: str = param(
        "log2", "log2: log2(r + 1); jk: max(1, log_b r); jk2008: 1 + log_b r", choices=tuple(DISCOUNTS)
    )
    b: float = param(2.0, "base of the logarithm for jk and jk2008", low=1, open_ends=True)
    measurements: ClassVar[tuple[str, ...]] = ("ideal",)
    takes_raw_gains = True
    references = cite("jarvelin2002", "burges2005", "jarvelin2008")
    task = "graded relevance at the top of the list, if topics should have different weights"
    range = "from 0"
    properties = has("graded", "recall-independent")
    holds_under_ties = True

    def score(self, x: Lists) -> Floats:
        return self.sum_discounted(x.ideal if self.measurement == "ideal" else x)

    def sum_discounted(self, x: Lists) -> Floats:
        """Return Σ_r g(r)/d(r)."""
        d = x.step("d", DISCOUNTS[self.discount](x.r, self.b))
        return x.step("Σ g/d", total(x.step("g/d", x.g / d)))

    def describe_variant(self) -> str:
        b = format_value(self.b)
        discount = {
            "log2": "discount log2(r + 1)",
            "jk": f"discount max(1, log{b} r)",
            "jk2008": f"discount 1 + log{b} r",
        }[self.discount]
        gains = {"linear": "the level as gain", "exp": "gain 2^x − 1", "binary": "gain 1 or 0"}
        gain = gains.get(str(self.gain), f"gains {format_value(self.gain)}")
        tool = TOOLS.get(f"{self.discount} {self.gain}") if self.b == 2 else None
        return f"{discount}, {gain}" + (f": {tool}" if tool else "")


@measure
class nDCG(NormalisedMeasure, DCG):
    """Normalised discounted cumulative gain: DCG divided by the DCG of the ideal list.

    nDCG@l = Σ_{r≤l} g(r)/d(r)  /  Σ_{r≤l} g*(r)/d(r),   d(r) = log2(r + 1)

    Five versions are in use:
    nDCG                            Microsoft, the level as gain: trec_eval's ndcg and ndcg_cut,
                                    NTCIREVAL's MSnDCG
    nDCG(gain=exp)                  the same with gain 2^x − 1: gdeval's
    nDCG(discount=jk, b=2)          Järvelin and Kekäläinen's original, d(r) = max(1, log_b r):
                                    NTCIREVAL's nDCG
    nDCG(gain=exp, discount=jk)     LETOR's, also written nDCG(letor=true)
    nDCG(discount=jk2008, b=2)      Järvelin et al. 2008, d(r) = 1 + log_b r

    >>> nDCG()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: MSnDCG 0.5000
    0.5
    >>> round(nDCG(discount="jk")([None, 0, 1], judged=[1, 0]), 4)  # Figure 1: nDCG 0.6309
    0.6309
    """

    task = "graded relevance at the top of the list: the most common measure for web search"
    properties = has("graded", "normalised")


@measure
class MeanNDCG(DCG):
    """Mean nDCG: the mean of nDCG over every rank up to the cutoff, or to the list's end.

    MeanNDCG@l = (1/l) Σ_{k≤l} nDCG@k;   without a cutoff, l is the length of the list

    LETOR 4.0 uses MeanNDCG(letor=true), with all documents of a query in a list.

    >>> MeanNDCG()([None, 1], judged=[1])  # nDCG@1 is 0, nDCG@2 1/log2(3)
    0.31546487678572877
    """

    measurements: ClassVar[tuple[str, ...]] = ()
    references = cite("qin2013")
    task = "learning to rank, to compare complete lists without a single cutoff"
    range = "0 to 1"
    properties = has("graded", "normalised")

    def score(self, x: Lists) -> Floats:
        """Return Σ_k DCG(k)/DCG*(k) = Σ_r g(r)/d(r) · Σ_{k≥r} 1/DCG*(k)."""
        l = np.maximum(x.n, 0) if x.l is None else np.full(len(x), x.l)
        cumulate = x.gold.cache(("Σ 1/DCG*", self), lambda: self.build_cumulation(x.ideal))
        d = x.step("d", DISCOUNTS[self.discount](x.r, self.b))
        weight = cumulate(l[:, None]) - cumulate(np.minimum(x.r - 1, l[:, None]))
        return x.ratio(x.step("Σ nDCG@k", total(x.step("g/d", x.g / d) * weight)), l)

    def build_cumulation(self, ideal: Lists) -> Callable[[Ints], Floats]:
        """Return a function k ↦ Σ_{j≤k} 1/DCG*(j), also for k beyond the ideal list."""
        reciprocals = ratio(1.0, np.cumsum(ideal.g / DISCOUNTS[self.discount](ideal.r, self.b), axis=1))
        sums = np.concatenate((np.zeros((len(reciprocals), 1)), np.cumsum(reciprocals, axis=1)), axis=1)
        n = ideal.judged.sum(axis=1, keepdims=True)  # from there on DCG* stays the same
        last = np.take_along_axis(np.append(np.zeros((len(reciprocals), 1)), reciprocals, axis=1), n, axis=1)

        def cumulate(k: Ints) -> Floats:
            rank = np.minimum(k, n)
            return to_floats(np.take_along_axis(sums, rank, axis=1) + (k - rank) * last)

        return cumulate


def compute_powers(p: float, k: Ints) -> Floats:
    """Return p^k by repeated multiplication, with the bits of a loop over ranks."""
    vanishing = math.ceil(-745 / math.log(p))  # e^−745 is the least double
    factors = np.full(min(int(k.max(initial=0)), vanishing) + 1, p)
    factors[0] = 1.0
    table = np.cumprod(factors)
    return table[np.minimum(k, len(table) - 1)]


@measure
class RBP(Measure):
    """Rank-biased precision: the gain per item seen by a user with persistence p.

    RBP = (1 − p)/g_h · Σ_r g(r) · p^(r−1)
    RBP.residual = 1 − (1 − p) Σ_{judged r} p^(r−1)

    g_h is the gain of the highest level: `max_level`, or the end of the gain table, else the
    highest level in all the judgments. With `rel` the gain is 1 from that level on, else 0. The
    residual is the score that unjudged items, and items below the end of the list or the cutoff,
    could add: the true value is between RBP and RBP + RBP.residual.

    >>> round(RBP(p=0.95, gain="1:2")([None, 0, 1]), 4)  # Sakai 2011, Figure 1: 0.0226
    0.0226
    >>> RBP(p=0.5, rel=1)([1, None]), RBP(p=0.5, rel=1, measurement="residual")([1, None])
    (0.5, 0.5)
    """

    p: float = param(0.8, "probability of continuing to the next rank", low=0, high=1, open_ends=True)
    gain: GainSetting = gain_param()
    rel: float | None = rel_param("lowest level that counts; makes the gain binary")
    max_level: float | None = max_level_param()
    measurements: ClassVar[tuple[str, ...]] = ("residual",)
    has_residuals = True
    references = cite("moffat2008")
    task = "users of known persistence; independent of the number of relevant items"
    range = "0 to 1, and less than 1 for lists that end"
    properties = has("graded", "recall-independent")
    holds_under_ties = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.measurement:
            object.__setattr__(self, "has_residuals", False)

    def compute_bounds(self, lists: Lists) -> Floats:
        lower = self.compute(lists)
        return np.concatenate((lower, lower + self.residual.compute(lists)), axis=1)

    @property
    def residual(self) -> RBP:
        """The measure of the residual: the gain that unjudged items can add."""
        return replace(self, measurement="residual")

    def score(self, x: Lists) -> Floats:
        weight = x.step("p^(r−1)", compute_powers(self.p, x.r - 1))
        if self.measurement == "residual":
            return 1.0 - (1.0 - self.p) * total(x.J * weight)
        g, g_h = (x.g, x.g_h) if self.rel is None else (x.I, 1.0)
        return x.ratio((1.0 - self.p) * x.step("Σ g·p^(r−1)", total(g * weight)), g_h)

    def compute_item_gains(self, x: Lists) -> Floats:
        return x.g if self.rel is None else x.I

    def takes_max_level(self) -> bool:
        binary = self.rel is not None or self.gain == "binary"
        return self.has_open_max_level(binary or bool(self.measurement))

    def rewards_better_items(self) -> bool:
        return not self.measurement and super().rewards_better_items()


@measure
class nRBP(NormalisedMeasure, RBP):
    """Normalised rank-biased precision: RBP divided by the RBP of the ideal list.

    nRBP@l = RBP@l / RBP*@l

    >>> round(nRBP(p=0.95)([None, 0, 1], judged=[1, 0]), 4)  # 0.95²
    0.9025
    """

    has_residuals = False
    references = cite("moffat2008", "sakai2021zeng")
    task = "rank-biased precision, if topics should have equal weights"
    properties = has("graded", "normalised")

    def takes_max_level(self) -> bool:
        return False  # it cancels out
