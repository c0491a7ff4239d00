"""Normalised cumulative utility: users stop somewhere and value the items seen.

NCU = Σ_r Pstop(r) · NU(r)

Two tables define the family: stopping distributions (`STOPS`) and utilities (`UTILITIES`). Average
precision stops at each relevant item with equal weight and values precision. Reciprocal rank stops
at the first relevant item, expected reciprocal rank at the item that satisfies the user. (Sakai
2011, section 3.1.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.measures.base import Measure, NormalisedMeasure, cite, has, is_built_in, measure
from cranfield.measures.gains import compute_gains
from cranfield.measures.lists import Lists, to_floats, total
from cranfield.measures.parameters import (
    GainSetting,
    beta_param,
    gain_param,
    graded_rel_param,
    max_level_param,
    param,
    rel_param,
)

# -- where users stop: weights of the ranks, and what they add up to on the ideal list ------------


def stop_uniformly(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at each relevant item with equal weight: 1/R, or 1/min(l, R) at a cutoff."""
    return x.I, count_stops(m, x, x.R)


def count_stops(m: Any, x: Lists, R: Floats) -> Floats:
    """Return the number of stops if R items are relevant."""
    is_whole = x.l is None or getattr(m, "norm", "min") == "R"
    return R if is_whole else np.minimum(R, float(x.l or 0))


def stop_by_gain(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at relevant items in proportion to their gain or their level's stop value."""

    def compute_values(y: Lists) -> Floats:
        return y.g if m.stops is None else y.I * compute_gains(m.stops, y.level, "stops")

    return compute_values(x), x.gold.cache(("gu", m), lambda: total(compute_values(x.ideal)))


def stop_rank_biased(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at relevant items, each with γ times the weight of the one before."""

    def compute_weights(y: Lists) -> Floats:
        return to_floats(y.I * m.gamma ** np.maximum(y.C - 1.0, 0.0))

    if x.l is not None and m.norm == "min":
        return compute_weights(x), np.minimum(x.R, x.l)
    return compute_weights(x), x.gold.cache(("rb", m), lambda: total(compute_weights(x.ideal)))


def stop_at_first(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at r1, the first relevant item."""
    return x.first, np.ones(len(x))


def stop_at_preferred(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at rp, the first item with the highest level in the list."""
    level = np.where(x.I > 0, x.level, -np.inf)
    best = (x.I > 0) & (level == level.max(axis=1, initial=-np.inf, keepdims=True))
    return (best & (np.cumsum(best, axis=1) == 1)).astype(np.float64), np.ones(len(x))


def stop_until_preferred(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at each relevant item up to rp with equal weight: 1/C(rp)."""
    stop, _ = stop_at_preferred(m, x)
    passed = np.cumsum(stop, axis=1) - stop
    weight = x.I * (1.0 - passed)
    return weight, total(weight)


def stop_when_satisfied(m: Any, x: Lists) -> tuple[Floats, Floats]:
    """Stop at the first item that satisfies the user: Pr(r)·dsat(r − 1)."""
    Pr = x.step("Pr", compute_satisfaction(m, x))
    dsat = np.cumprod(1.0 - Pr, axis=1)
    unsatisfied = np.concatenate((np.ones((len(x), 1)), dsat[:, :-1]), axis=1) if dsat.size else dsat
    return x.step("dsat(r−1)", unsatisfied) * Pr, np.ones(len(x))


def compute_satisfaction(m: Any, x: Lists) -> Floats:
    """Return Pr(r), the probability that the item at r satisfies the user."""
    if m.prob == "linear":
        return x.g / (np.reshape(x.g_h, (-1, 1)) + 1.0)
    h = np.reshape(x.h, (-1, 1))
    level = np.minimum(np.where(x.g > 0, x.level, 0.0), h)
    Pr: Floats = np.exp2(level - h) - np.exp2(-h)  # (2^x − 1)/2^h, for any h
    return np.where(level > 0, Pr, 0.0)


STOPS: dict[str, Callable[[Any, Lists], tuple[Floats, Floats]]] = {
    "u": stop_uniformly,
    "gu": stop_by_gain,
    "rb": stop_rank_biased,
    "r1": stop_at_first,
    "rp": stop_at_preferred,
    "to_rp": stop_until_preferred,
    "sat": stop_when_satisfied,
}

# -- what they have by then -----------------------------------------------------------------------


def compute_precision(m: Any, x: Lists) -> Floats:
    """Use precision: P(r) = C(r)/r."""
    return x.C / x.r


def compute_blended_ratio(m: Any, x: Lists) -> Floats:
    """Use the blended ratio: BR(r) = (C(r) + β·cg(r)) / (r + β·cg*(r))."""
    return to_floats((x.C + m.beta * x.cg) / (x.r + m.beta * x.cg_ideal))


def compute_reciprocal_rank(m: Any, x: Lists) -> Floats:
    """Use the reciprocal rank, 1/r: only the item at r counts."""
    return 1.0 / x.r


def compute_effort_left(m: Any, x: Lists) -> Floats:
    """Use what the effort of reading r items leaves: IE(r) = p^r (iRBU's utility)."""
    return to_floats(m.p ** x.r.astype(np.float64))


UTILITIES: dict[str, Callable[[Any, Lists], Floats]] = {
    "P": compute_precision,
    "BR": compute_blended_ratio,
    "RR": compute_reciprocal_rank,
    "IE": compute_effort_left,
}

# Products of two quantities whose expectation over ties is the product that `Lists` describes.
EXACT = {("u", "P"), ("u", "BR"), ("u", "RR"), ("u", "IE"), ("r1", "RR"), ("r1", "IE"),
         ("gu", "P"), ("gu", "RR"), ("gu", "IE")}  # fmt: skip


class StoppingMeasure(Measure):
    """A stopping distribution and a utility: the sum of their products."""

    user: ClassVar[tuple[str, str]]  # the names of both

    def get_stop_and_utility(self) -> tuple[str, str]:
        """Return the names of the stopping distribution and the utility."""
        return self.user

    def score(self, x: Lists) -> Floats:
        stop, utility = self.get_stop_and_utility()
        weight, norm = STOPS[stop](self, x)
        weight = x.step("stop", weight)
        NU = x.step(utility, UTILITIES[utility](self, x))
        # Divided by r, not multiplied by 1/r: one rounding less, and gdeval's bits.
        products = weight / x.r if utility == "RR" else weight * NU
        return x.ratio(x.step(f"Σ stop·{utility}", total(products)), norm)

    def decided(self, x: Lists) -> Ints | None:
        return x.r1 if self.get_stop_and_utility()[0] == "r1" else None

    def exact_under_ties(self) -> bool:
        return self.get_stop_and_utility() in EXACT

    def can_drop_nonrelevant(self) -> bool:
        return is_built_in(type(self)) and not self.condensed

    def rewards_better_items(self) -> bool:
        stop, utility = self.get_stop_and_utility()
        if stop in ("rp", "to_rp"):  # a better item may move the stop to a lower rank
            return False
        if stop in ("gu", "sat") and utility in ("P", "BR"):  # it may be better to stop later
            return False
        return super().rewards_better_items()


@measure
class AP(StoppingMeasure):
    """Average precision: the mean precision at the relevant items, 0 for items not retrieved.

    AP   = (1/R) Σ_r I(r) · C(r)/r
    AP@l = (1/min(l, R)) Σ_{r≤l} I(r) · C(r)/r

    AP@l follows NTCIREVAL. `norm=R` divides by R at a cutoff as well, like trec_eval's map_cut.

    >>> AP()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.3333
    0.3333333333333333
    """

    user = ("u", "P")
    rel: float | None = rel_param()
    norm: str = param(
        "min", "at a cutoff, divide by min(l, R) or by R (like trec_eval's map_cut)", choices=("min", "R")
    )
    references = cite("buckley2005", "sakai2014metrics")
    task = "informational search with binary judgments"
    properties = has("normalised")

    def describe_variant(self) -> str:
        if self.cutoff is None:
            return ""
        return {"min": "divided by min(l, R), as NTCIREVAL does; trec_eval's map_cut is norm=R",
                "R": "divided by R, as trec_eval's map_cut"}[self.norm]  # fmt: skip


@measure
class GMAP(AP):
    """AP, summarised over topics by its geometric mean, which stresses hard topics.

    GMAP = exp((1/T) Σ_topics log max(AP, 0.00001))

    >>> GMAP()([None, 1], judged=[1])
    0.5
    """

    summary = "gmean"
    references = cite("robertson2006")
    task = "detecting systems that fail badly on some topics"


@measure
class YAAP(Measure):
    """Yet another average precision: AP smoothed, on a scale that can be averaged.

    YAAP = log((1 + S) / (1 + R − S)),   S = Σ_r I(r)·C(r)/r

    >>> round(YAAP()([1], judged=[1]), 4)  # log(2/1)
    0.6931
    """

    rel: float | None = rel_param()
    references = cite("robertson2012")
    task = "averaging over topics of very different difficulty"
    range = "−log(1 + R) to log(1 + R)"

    def score(self, x: Lists) -> Floats:
        S = x.step("S", total(x.I * x.C / x.r))
        return np.log((1.0 + S) / (1.0 + x.R - S))


class BlendedMeasure(StoppingMeasure):
    """Users who value the items seen by their blended ratio."""

    beta: float = beta_param()
    gain: GainSetting = gain_param()
    rel: float | None = graded_rel_param()
    properties = has("graded", "normalised")


@measure
class Q(BlendedMeasure):
    """Q-measure: average precision for graded relevance.

    Q     = (1/R) Σ_r I(r) · BR(r)
    BR(r) = (C(r) + β·cg(r)) / (r + β·cg*(r)), the blended ratio
    Q@l divides by min(l, R) and stops at l. With β = 0 it is AP.

    >>> Q()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.5000
    0.5
    """

    user = ("u", "BR")
    references = cite("sakai2004", "sakai2014metrics")
    task = "informational search with graded judgments"


@measure
class RR(StoppingMeasure):
    """Reciprocal rank: the inverse rank of the first relevant item.

    RR = 1/r1, r1 the rank of the first relevant item, 0 if the list has none (up to the cutoff).

    >>> RR()([None, 0, 1])  # Sakai 2011, Figure 1: 0.3333
    0.3333333333333333
    """

    user = ("r1", "RR")
    rel: float | None = rel_param()
    references = cite("voorhees1999")
    task = "navigational and known-item search, question answering"
    properties = has("normalised", "recall-independent", "diminishing return")


@measure
class O(BlendedMeasure):  # noqa: E742
    """O-measure: reciprocal rank for graded relevance.

    O = BR(r1), the blended ratio at the first relevant item, 0 if the list has none

    >>> O()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.5000
    0.5
    """

    user = ("r1", "BR")
    references = cite("sakai2007one")
    task = "navigational search with graded judgments, if any relevant item is enough"
    properties = has("graded", "normalised", "diminishing return")


@measure
class Pmeasure(BlendedMeasure):
    """P-measure: the blended ratio at the best item of the list.

    Pmeasure = BR(rp), rp the first rank with the highest level in the list

    >>> Pmeasure()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.5000
    0.5
    """

    user = ("rp", "BR")
    references = cite("sakai2007one")
    task = "navigational search for one highly relevant item"


@measure
class Pplus(BlendedMeasure):
    """P+: the mean blended ratio at the relevant items up to the best item of the list.

    Pplus = (1/C(rp)) Σ_{r≤rp} I(r)·BR(r), rp the first rank with the list's highest level

    >>> Pplus()([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.5000
    0.5
    """

    user = ("to_rp", "BR")
    references = cite("sakai2007one", "sakai2014metrics")
    task = "navigational search for one or a few highly relevant items"


class SatisfactionMeasure(StoppingMeasure):
    """Users who stop at an item that satisfies them."""

    prob: str = param(
        "exp", "exp: (2^x − 1)/2^h (Chapelle); linear: g/(g_h + 1) (NTCIREVAL)", choices=("exp", "linear")
    )
    gain: GainSetting = gain_param()
    max_level: float | None = max_level_param()

    def takes_max_level(self) -> bool:
        return self.has_open_max_level(self.prob == "linear" and self.gain == "binary")

    def describe_variant(self) -> str:
        return {"exp": "Pr = (2^x − 1)/2^h (Chapelle); NTCIREVAL's is prob=linear",
                "linear": "Pr = g/(g_h + 1), as in NTCIREVAL"}[self.prob]  # fmt: skip


@measure
class ERR(SatisfactionMeasure):
    """Expected reciprocal rank: the expectation of 1/r at the rank that satisfies the user.

    ERR = Σ_r dsat(r−1) · Pr(r) / r,   dsat(r) = Π_{k≤r} (1 − Pr(k))
    Pr(r) = (2^x − 1)/2^h for an item of level x (Chapelle et al.; `prob=exp`), or
    Pr(r) = g(r)/(g_h + 1) (NTCIREVAL; `prob=linear`)

    h is the highest level: `max_level`, or the length of the gain table, else the highest in all
    the judgments (gdeval uses 4). With `prob=exp` the gain only selects the levels that count.

    >>> ERR(max_level=3)([0, 3])  # Sakai 2014: stopping probability 0.8750 at rank 2
    0.4375
    >>> round(ERR(prob="linear", gain="1:2")([None, 0, 1]), 4)  # Sakai 2011, Figure 1: 0.1111
    0.1111
    """

    user = ("sat", "RR")
    references = cite("chapelle2009")
    task = "navigational search with graded judgments and diminishing returns after a good item"
    range = "0 to below 1"
    properties = has("graded", "recall-independent", "diminishing return")


@measure
class nERR(NormalisedMeasure, ERR):
    """Normalised expected reciprocal rank: ERR divided by the ERR of the ideal list.

    nERR@l = ERR@l / ERR*@l

    >>> round(nERR(prob="linear", gain="1:2")([None, 0, 1], judged=[1, 0]), 4)  # Figure 1: 0.3333
    0.3333
    """

    references = cite("chapelle2009", "sakai2011song")
    properties = has("graded", "normalised", "diminishing return")


@measure
class EBR(SatisfactionMeasure):
    """Expected blended ratio: its expectation at the rank that satisfies the user.

    EBR = Σ_r dsat(r−1) · Pr(r) · BR(r), with Pr and dsat as in ERR

    >>> round(EBR(prob="linear", gain="1:2")([None, 0, 1], judged=[1, 0]), 4)
    0.1667
    """

    user = ("sat", "BR")
    beta: float = beta_param()
    references = cite("sakai2021zeng")
    task = "graded judgments, users who stop when satisfied but value all items seen"
    range = "0 to below 1"
    properties = has("graded")


@measure
class nEBR(NormalisedMeasure, EBR):
    """Normalised expected blended ratio: EBR divided by the EBR of the ideal list.

    nEBR@l = EBR@l / EBR*@l

    >>> nEBR(prob="linear", gain="1:2")([None, 0, 1], judged=[1, 0])
    0.5
    """

    properties = has("graded", "normalised")


@measure
class iRBU(SatisfactionMeasure):
    """Intentwise rank-biased utility: the utility left by the effort up to the last rank seen.

    iRBU = Σ_r dsat(r−1) · Pr(r) · p^r, with Pr and dsat as in ERR

    >>> round(iRBU(prob="linear", gain="1:2")([None, 0, 1]), 4)
    0.3234
    """

    user = ("sat", "IE")
    p: float = param(0.99, "utility left after reading one more item", low=0, high=1, open_ends=True)
    references = cite("amigo2018", "sakai2021zeng")
    task = "graded judgments, patient users"
    range = "0 to below 1"
    properties = has("graded", "recall-independent", "diminishing return")


@measure
class niRBU(NormalisedMeasure, iRBU):
    """Normalised intentwise rank-biased utility: iRBU divided by the iRBU of the ideal list.

    niRBU@l = iRBU@l / iRBU*@l

    >>> round(niRBU(prob="linear", gain="1:2")([None, 0, 1], judged=[1, 0]), 4)
    0.9801
    """

    properties = has("graded", "normalised", "diminishing return")


@measure
class NCU(SatisfactionMeasure):
    """Normalised cumulative utility with any stopping distribution and utility.

    NCU = Σ_r Pstop(r) · NU(r)

    stop     u      each relevant item equally: 1/R, or 1/min(l, R) (AP, Q)
             gu     graded-uniform: g(r)/Σ g*(r), or by `stops`, a value for each level
             rb     rank-biased: γ^(C(r)−1) / Σ_{k≤R} γ^(k−1)
             r1     the first relevant item (RR, O)
             rp     the first item of the list's highest level (P-measure)
             to_rp  each relevant item up to rp equally (P+)
             sat    the item that satisfies the user (ERR, EBR, iRBU)
    utility  P      precision C(r)/r
             BR     blended ratio (C(r) + β·cg(r)) / (r + β·cg*(r))
             RR     1/r
             IE     p^r

    At a cutoff the sums over the ideal list also end there. For rank-biased stops, NTCIREVAL
    divides by min(l, R) instead (norm=min, and NCUrb,P@0010). These values do not reach 1.

    >>> round(NCU(gain="1:2")([None, 0, 1], judged=[1, 0]), 4)  # Figure 1: NCUgu,BR 0.5000
    0.5
    >>> round(NCU(stop="rb", utility="P", gain="1:2")([None, 0, 1], judged=[1, 0]), 4)
    0.3333
    """

    stop: str = param("gu", "stopping distribution Pstop(r)", choices=tuple(STOPS))
    utility: str = param("BR", "utility NU(r) at the stopping rank", choices=tuple(UTILITIES))
    gamma: float = param(0.95, "stop=rb: weight of each stop relative to the one before", low=0, high=1)
    norm: str = param("ideal", "stop=rb at a cutoff: divide by the ideal list's sum, or by "
                               "min(l, R)",
                      choices=("ideal", "min"))  # fmt: skip
    stops: Any = param(None, "stop=gu: stop values of levels 1, 2, … (default: the gains)",
                       low=0, table=True)  # fmt: skip
    beta: float = beta_param()
    p: float = param(0.99, "utility=IE: utility left after reading one more item", low=0, high=1,
                     open_ends=True)  # fmt: skip
    rel: float | None = graded_rel_param()
    references = cite("sakai2008", "sakai2011ntcireval")
    task = "a known population of users"
    properties = has("graded")

    def get_stop_and_utility(self) -> tuple[str, str]:
        return self.stop, self.utility

    def takes_max_level(self) -> bool:
        return self.stop == "sat" and super().takes_max_level()

    def exact_under_ties(self) -> bool:
        return super().exact_under_ties() and not (self.stop == "gu" and self.stops)

    def rewards_better_items(self) -> bool:
        rising = self.stop != "gu" or not self.stops or list(self.stops) == sorted(self.stops)
        return rising and super().rewards_better_items()

    def describe_variant(self) -> str:
        return f"{STOPS[self.stop].__doc__} {UTILITIES[self.utility].__doc__}"
