"""User models: how users walk down a ranking (C/W/L).

Each has five measurements, EU, ETU, EC, ETC and ED, as in `INST(T=2).ETC`. A model without a suffix
is EU. Models with the name of another measure (P, RR, AP, RBP, TBG, U, NCU) are the user models of
these measures and need the suffix: `RBP` is rank-biased precision, `RBP.EU` the expected utility of
its user.

All models have the parameters gain, rel, max_level, n (depth), min_gain, max_gain, max_cost,
min_cost and totals: see models/README.md.

Notation: i rank, g gain and c cost of the item there, γ and κ cumulative gain and cost.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import InputError
from cranfield.measures import ncu
from cranfield.measures.base import READINGS, cite, has, measure
from cranfield.measures.cwl import Items, UserModel, register_reading, sweep
from cranfield.measures.lists import ratio, sum_above
from cranfield.measures.names import MODEL_PARAMETERS
from cranfield.measures.parameters import param


def target_param() -> Any:
    """Declare the parameter T of several models."""
    return param(1.0, "gain that the user wants", low=0, open_ends=True)


# -- users who look at ranks only -----------------------------------------------------------------


@register_reading
class P(UserModel):
    """Precision: a user who reads k items.

    C(i) = 1 for i < k, 0 at k

    EU is the mean gain of the top k items, ETU their sum, ED is k. Without a cutoff, k is the depth
    n.

    >>> (P @ 4).EU([1, 0, None, 1]), (P @ 4).ETU([1, 0, None, 1])
    (0.5, 2.0)
    """

    references = cite("vanrijsbergen1979", "azzopardi2019")
    advice = (
        "If the number of items seen is fixed: a page of ten links, an answer made from five "
        "passages. Compare runs only at the same k: ED is always k, and the order within the "
        "page does not count."
    )
    examples = ("P@5.EU",)
    task = "a page of k results, read completely"

    def C(self, x: Items) -> Floats:
        return np.where(x.i < x.n, 1.0, 0.0)


@measure
class SDCG(UserModel):
    """Scaled DCG: a user who continues with the ratio of DCG's discounts.

    C(i) = log2(i + 1) / log2(i + 2) for i < k, 0 at k

    EU is DCG@k divided by the sum of the discounts, ETU is DCG@k. Unlike nDCG, it does not use the
    ideal list.

    >>> round((SDCG @ 2).ETU([0, 1]), 4)  # 1/log2(3), DCG@2
    0.6309
    """

    references = cite("jarvelin2002", "azzopardi2019")
    advice = (
        "For a DCG that can be compared across topics and added to a time budget. The ED of "
        "DCG@10 implies a user who reads 4.5 items. For the fraction of the ideal gain, use "
        "nDCG."
    )
    examples = ("SDCG@10",)
    task = "graded gains near the top, on a scale that is the same for all topics"

    def C(self, x: Items) -> Floats:
        return np.log2(x.i + 1.0) / np.log2(x.i + 2.0)


@register_reading
class RBP(UserModel):
    """Rank-biased precision: a user who continues with the same probability after every item.

    C(i) = p

    ED is 1/(1 − p). Gains are not divided by the highest gain, unlike in the measure RBP. `rel`
    sets the gain of lower levels to 0; in the measure RBP it makes gains 1 or 0.

    >>> round(RBP(p=0.5).ED([]), 6), round(RBP(p=0.5).EU([0, 1]), 6)  # 1/4
    (2.0, 0.25)
    """

    p: float = param(0.8, "probability of continuing to the next rank", low=0, high=1, open_ends=True)
    references = cite("moffat2008", "azzopardi2019")
    advice = (
        "If the persistence of users is known, from a log or by convention (0.5 impatient, 0.8 "
        "web search, 0.95 patient). It does not depend on lower ranks, and its residual is the "
        "largest possible effect of unjudged items. But its users ignore the relevance of the "
        "items they see."
    )
    examples = ("RBP(p=0.8).EU",)
    task = "users of known persistence who ignore the relevance of items"
    vary = sweep("p", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def C(self, x: Items) -> Floats:
        return np.full(x.n, self.p)


@measure
class NPV(UserModel):
    """Net present value: gains are discounted at a rate per rank.

    C(i) = 1 / (1 + rate)

    It is RBP with p = 1/(1 + rate).

    >>> round(NPV(rate=1).EU([0, 1]), 6)  # RBP(p=0.5).EU
    0.25
    """

    rate: float = param(0.1, "discount rate of gains per rank", low=0,
                        open_ends=True)  # fmt: skip
    references = cite("azzopardi2019")
    advice = "If a discount rate is easier to justify than a persistence. It is equivalent to RBP."
    examples = ("NPV(rate=0.25)",)
    task = "economic analyses with a discount rate instead of a persistence"
    vary = sweep("rate", 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

    def C(self, x: Items) -> Floats:
        return np.full(x.n, 1.0 / (1.0 + self.rate))


@measure
class INSQ(UserModel):
    """Inverse squares: a user who wants T items and continues more often at deeper ranks.

    C(i) = ((i + 2T − 1) / (i + 2T))²

    The deeper the rank, the more likely users continue. T sets the expected depth, about 2T + 1/2.

    >>> round(float(INSQ(T=1).walk([0]).C[0]), 4)  # (2/3)²
    0.4444
    """

    T: float = target_param()
    references = cite("moffat2012", "moffat2013", "moffat2017")
    advice = (
        "If users know how many items they need, and are more likely to continue the deeper they "
        "are. It does not react to gains, which makes it simple. INST is a version that does."
    )
    examples = ("INSQ(T=2)",)
    task = "users who want a certain number of items and continue more often at deeper ranks"
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + 2.0 * self.T)


def compute_inverse_squares(depth: Floats) -> Floats:
    """Return ((d − 1) / d)², the C of INSQ, INST and NERR11."""
    return ((depth - 1.0) / depth) ** 2


@measure
class SET(UserModel):
    """Search economics: a user for whom i items have the value i^beta.

    C(i) = w(i + 1) / w(i) for i < k, 0 at k,   w(i) = (i + 1)^beta − i^beta

    With beta = 1 it is P@k.

    >>> round(float((SET(beta=0.5) @ 10).walk([0]).C[0]), 4)  # (√3 − √2)/(√2 − 1)
    0.7673
    """

    beta: float = param(0.5, "diminishing returns of more items; 1: none",
                        low=1e-9, high=1)  # below it all w are 0 but for rounding  # fmt: skip
    references = cite("azzopardi2014", "azzopardi2019")
    advice = (
        "If an economic model of search defines diminishing returns, and the cutoff is known. "
        "With beta near 1 it is P@k."
    )
    examples = ("SET(beta=0.5)@10",)
    task = "diminishing returns as in economic models of search"
    vary = sweep("beta", 0.1, 0.25, 0.5, 0.75, 1.0)

    def C(self, x: Items) -> Floats:
        w = (np.append(x.i, x.n + 1) + 1.0) ** self.beta - np.append(x.i, x.n + 1.0) ** self.beta
        return w[1:] / w[:-1]


# -- users who react to what they find ------------------------------------------------------------


@register_reading
class RR(UserModel):
    """Reciprocal rank: a user who stops at the first item of use.

    C(i) = 1 until the first gain, then 0

    EU is the gain of that item over its rank, ED its rank. A user who finds nothing reads on beyond
    n: ED is n, but ETC, a sum over where users stop, is 0 (`totals=W` counts it, `@k` ends it).

    >>> RR().EU([0, 0.5]), RR().ED([0, 0.5])
    (0.25, 2.0)
    """

    looks_at = ("gains",)
    references = cite("kantor2000", "azzopardi2019")
    advice = (
        "If users need one item and read until they find it. It assumes that a list without "
        "gains is read to depth n, which affects ED and ETC."
    )
    examples = ("RR.EU",)
    task = "one answer is enough"

    def C(self, x: Items) -> Floats:
        return np.where(np.cumsum(x.g > 0, axis=1) == 0, 1.0, 0.0)


@register_reading
class AP(UserModel):
    """Average precision: a user who knows what is still to come, and stops at items of use.

    C(i) = Σ_{j>i} g(j)/j  /  Σ_{j≥i} g(j)/j

    Only what the list holds is known to this user: EU divides by the gain in the list, where AP
    divides by the relevant items there are.

    >>> AP().ETU([1, 0, 1]), round(AP().EU([1, 0, 1]), 4)  # 3/4 stop at rank 1, 1/4 at rank 3
    (1.25, 0.8333)
    """

    looks_at = ("gains",)
    references = cite("harman1992", "moffat2017")
    advice = (
        "To study the user model of AP: users stop at relevant items, in proportion to gain over "
        "rank, and know the rest of the list. Use it to explain AP, not to evaluate. Residuals "
        "are large, because unjudged items change every stopping point."
    )
    examples = ("AP.EU",)
    task = "comparison with AP; not a realistic user"

    def C(self, x: Items) -> Floats:
        rest = np.cumsum((x.g / x.i)[:, ::-1], axis=1)[:, ::-1]  # Σ_{j≥i} g(j)/j
        next_rest = np.concatenate((rest[:, 1:], np.zeros((len(rest), 1))), axis=1)
        return ratio(np.where(next_rest > 0, next_rest, 0.0), rest)


@measure
class TrAP(UserModel):
    """Harman's first AP: attention in proportion to the gain per cost so far.

    W(i) = γ(i)/κ(i) / R, γ taken as 1 before the first gain, R the relevant items there are

    W does not sum to 1, so this is a user model in form only: cwl_eval has it, and so have we.

    >>> TrAP().EU([1, 0, 1], judged=[1, 1])  # (1 + 2/3)/2
    0.8333333333333333
    """

    scaled = False
    looks_at = ("gains", "costs")
    references = cite("harman1992", "azzopardi2019")
    advice = "To reproduce cwl_eval's TrAP. Its weights do not sum to 1, so it describes no user."
    examples = ("TrAP",)
    task = "comparison with the first definition of AP"
    properties = has("graded")

    def W(self, x: Items) -> Floats:
        nothing_yet = (np.cumsum(x.cg != 0, axis=1) == 0) & (x.i < max(x.n, 2))
        rate = np.where(nothing_yet, 1.0, x.cg) / x.cc
        return rate / np.where(x.R > 0, x.R, 1.0)[:, None]


@measure
class INST(UserModel):
    """INST: a user who wants gain T, and adapts to what has been found.

    C(i) = ((i + T + T(i) − 1) / (i + T + T(i)))²,   T(i) = T − γ(i)

    INSQ, with the part of the target already found taken off: the nearer the target, the likelier
    the end. Gains must be from 0 to 1.

    >>> round(float(INST(T=2).walk([1]).C[0]), 4)  # ((1 + 2 + 1 − 1)/(1 + 2 + 1))²
    0.5625
    """

    T: float = param(1.0, "gain that the user wants", low=0.25)  # else C(1) could exceed 1
    looks_at = ("gains",)
    unit_gains = True
    references = cite("moffat2015", "moffat2017")
    advice = (
        "If users have a goal T in gain, as most have, and are more likely to stop the closer "
        "they are to it. Of the models that react to gains, it is the best supported by "
        "observation. Choose T by task: about 1 for a fact, 3 or more to learn about a subject. "
        "Gains must be between 0 and 1."
    )
    examples = ("INST(T=2)",)
    task = "the usual choice: expectations, patience and success all count"
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + self.T + (self.T - x.cg))


@measure
class BPM(UserModel):
    """Bejeweled player model: a user who stops at a total gain or a total cost.

    C(i) = 1 while γ(i) < T and κ(i) < K, else 0

    >>> BPM(T=1, K=10).ED([0, 0.5, 0.5, 0]), BPM(T=1, K=2).ED([0, 0.5, 0.5, 0])
    (3.0, 2.0)
    """

    T: float = target_param()
    K: float = param(10.0, "cost that the user accepts", low=0, open_ends=True)
    looks_at = ("gains", "costs")
    translations = MODEL_PARAMETERS | {"cutoff": lambda v: {"K": v}}
    references = cite("zhang2017", "azzopardi2019")
    advice = (
        "If users have both a goal and a budget, such as minutes or screens, and stop as soon as "
        "they reach either. Give costs in the unit of K."
    )
    examples = ("BPM(T=2, K=10)",)
    task = "users with a goal and a budget"
    vary = sweep("T", 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)

    def C(self, x: Items) -> Floats:
        return np.where((x.cg < self.T) & (x.cc < self.K), 1.0, 0.0)


@measure
class BPMD(BPM):
    """Dynamic Bejeweled player model: items change the goal and the budget.

    C(i) = 1 while γ(i) < T(i) and κ(i) < K(i), else 0
    T(i + 1) = T(i) + hb·(g(i) − gain_med),   K(i + 1) = K(i) + hc·(g(i) − gain_med)

    The program cwl_eval never changes K (`update_K=false`).

    >>> BPMD(T=2, K=10, hb=0.5, hc=0.5).ED([0.0, 0.0, 0.2, 0.4, 1.0, 0.2])  # cwl_eval, Table 1
    5.0
    """

    hb: float = param(1.0, "effect of an item on the goal T")
    hc: float = param(1.0, "effect of an item on the budget K")
    gain_med: float = param(0.5, "gain of an item without effect on T and K")
    update_K: bool = param(True, "let items change K (not in cwl_eval)")
    advice = (
        "If items change users' expectations: good items raise the goal and the budget, poor "
        "items lower them. Fit its four parameters to logs. Without logs, use BPM."
    )
    examples = ("BPMD(T=2, K=10, hb=0.5, hc=0.5)",)

    def C(self, x: Items) -> Floats:
        surprise = x.g[:, :-1] - self.gain_med

        def compute_limit(start: float, weight: float) -> Floats:
            """Return start + weight · Σ_{j<i} (g(j) − gain_med), summed from the top down."""
            begin = np.full((len(x.g), 1), start)
            return np.cumsum(np.concatenate((begin, weight * surprise), axis=1), axis=1)

        T, K = (compute_limit(self.T, self.hb), compute_limit(self.K, self.hc if self.update_K else 0.0))
        return np.where((x.cg < T) & (x.cc < K), 1.0, 0.0)


# -- information foraging -------------------------------------------------------------------------


def compute_odds(b: float, exponent: Floats) -> Floats:
    """Return 1 / (1 + b·e^exponent), also for large exponents."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + b * np.exp(exponent)) if b else np.ones(exponent.shape)


class ForagingModel(UserModel):
    """Information foraging: goals and rates."""

    references = cite("azzopardi2018")
    task = "information foraging: users stop when satisfied, or when the gain per cost is too low"


def _b_param(quantity: str) -> Any:
    return param(0.9, f"where {quantity} does not matter: the odds of stopping are 1 to b", low=0)


def _R_param(quantity: str) -> Any:
    return param(10.0, f"how much {quantity} matters: 0 not at all", low=0)


@measure
class IFTGoal(ForagingModel):
    """Information foraging, goal: a user more likely to stop the more gain was found.

    C(i) = 1 − 1/(1 + b1·e^((T − γ(i))·R1))

    >>> round(float(IFTGoal(T=1, b1=1, R1=1).walk([1.0]).C[0]), 4)  # 1 − 1/2
    0.5
    """

    T: float = param(2.0, "gain that the user wants", low=0, open_ends=True)
    b1: float = _b_param("the goal")
    R1: float = _R_param("the goal")
    looks_at: ClassVar[tuple[str, ...]] = ("gains",)
    advice = (
        "If users are satisfied gradually. b1 sets the behaviour at the goal, R1 the sharpness "
        "of the reaction. A large R1 is BPM without a budget, 0 is RBP."
    )
    examples = ("IFTGoal(T=2, b1=0.25, R1=10)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 4.0)

    def C(self, x: Items) -> Floats:
        return 1.0 - compute_odds(self.b1, (self.T - x.cg) * self.R1)


@measure
class IFTRate(ForagingModel):
    """Information foraging, rate: a user who stops if the gain per cost is too low.

    C(i) = 1/(1 + b2·e^((A − γ(i)/κ(i))·R2))

    >>> round(float(IFTRate(A=0.5, b2=1, R2=1).walk([0.5]).C[0]), 4)  # 1/(1 + e^0)
    0.5
    """

    A: float = param(0.2, "gain per cost that the user expects", low=0)
    b2: float = _b_param("the rate")
    R2: float = _R_param("the rate")
    looks_at = ("gains", "costs")
    advice = (
        "If users leave a list with little gain. They compare the rate of gain so far with A, "
        "the rate they expect elsewhere. Give costs in the unit of A."
    )
    examples = ("IFTRate(A=0.2, b2=0.25, R2=10)",)
    vary = sweep("A", 0.05, 0.1, 0.2, 0.3, 0.5)

    def C(self, x: Items) -> Floats:
        return compute_odds(self.b2, (self.A - x.cg / x.cc) * self.R2)


@measure
class IFT(IFTRate, IFTGoal):
    """Information foraging: a user who stops when satisfied, or if gain per cost is too low.

    C(i) = C1(i)·C2(i)
    C1(i) = 1 − 1/(1 + b1·e^((T − γ(i))·R1)),   C2(i) = 1/(1 + b2·e^((A − γ(i)/κ(i))·R2))

    >>> round(float(IFT(T=1, b1=1, R1=1, A=1, b2=1, R2=1).walk([1.0]).C[0]), 4)  # 1/2 · 1/2
    0.25
    """

    looks_at = ("gains", "costs")
    advice = (
        "If both matter: users stop when satisfied, and leave when the rate of gain is too low. "
        "In its paper it predicted stopping best, but it has six parameters to fit."
    )
    examples = ("IFT(T=2, b1=0.25, R1=10, A=0.2, b2=0.25, R2=10)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 4.0)

    def C(self, x: Items) -> Floats:
        return IFTGoal.C(self, x) * IFTRate.C(self, x)


# -- not ERR, but nearly --------------------------------------------------------------------------


class NearlyERR(UserModel):
    """Users satisfied by an item with a probability equal to its gain."""

    looks_at = ("gains",)
    unit_gains = True
    references = cite("azzopardi2021", "chapelle2009")
    task = "the tasks of ERR, with a defined user model (ERR itself is not C/W/L)"


@measure
class NERR8(NearlyERR):
    """Nearly ERR, equation 8: a user who continues unless satisfied, up to rank k.

    C(i) = 1 − g(i) for i < k, 0 at k

    >>> (NERR8 @ 3).ED([0.5, 0.5, 1])  # 1 + 1/2 + 1/4
    1.75
    """

    advice = (
        "If a single item can satisfy users, with a probability equal to its gain, and other "
        "users continue to the end of the page. It is the user model intended by ERR. Gains must "
        "be probabilities."
    )
    examples = ("NERR8@10",)

    def C(self, x: Items) -> Floats:
        return 1.0 - x.g


@measure
class NERR9(NearlyERR):
    """Nearly ERR, equation 9: satisfaction, and ERR's discount by rank.

    C(i) = i/(i + 1) · (1 − g(i)) for i < k, 0 at k

    >>> (NERR9 @ 2).ED([0.5, 1])  # 1 + 1/2·1/2
    1.25
    """

    advice = "Like NERR8, with ERR's discount by rank: the closest C/W/L model to ERR."
    examples = ("NERR9@10",)

    def C(self, x: Items) -> Floats:
        return x.i / (x.i + 1.0) * (1.0 - x.g)


@measure
class NERR10(NearlyERR):
    """Nearly ERR, equation 10: satisfaction, and RBP's persistence.

    C(i) = phi · (1 − g(i))

    >>> NERR10(phi=0.5).ED([0.5, 1])  # 1 + 1/2·1/2
    1.25
    """

    phi: float = param(0.9, "probability that an unsatisfied user continues", low=0, high=1,
                       open_ends=True)  # fmt: skip
    advice = "If a single item can satisfy users, and unsatisfied users have RBP's persistence. No cutoff is needed."
    examples = ("NERR10(phi=0.8)",)
    vary = sweep("phi", 0.5, 0.6, 0.7, 0.8, 0.9)

    def C(self, x: Items) -> Floats:
        return self.phi * (1.0 - x.g)


@measure
class NERR11(NearlyERR):
    """Nearly ERR, equation 11: satisfaction, and INSQ's patience.

    C(i) = ((i + 2T − 1) / (i + 2T))² · (1 − g(i))

    >>> round(NERR11(T=1).ED([0.0, 1.0]), 4)  # 1 + (2/3)²
    1.4444
    """

    T: float = target_param()
    advice = "If a single item can satisfy users, and unsatisfied users have INSQ's patience, which grows with depth."
    examples = ("NERR11(T=2)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + 2.0 * self.T) * (1.0 - x.g)


# -- users whose time is short --------------------------------------------------------------------


@register_reading
class TBG(UserModel):
    """Time-biased gain: attention that halves with every h of cost.

    W(i) ∝ 2^(−κ(i − 1)/h)

    With unit costs it is RBP with p = 2^(−1/h). Costs are times. The measure TBG (without a suffix)
    computes times from document lengths.

    >>> round(TBG(halflife=1).EU([0, 1]), 6)  # RBP(p=0.5).EU
    0.25
    """

    halflife: float = param(224.0, "h, cost after which half the users have stopped", low=0,
                            open_ends=True)  # fmt: skip
    looks_at = ("costs",)
    references = cite("smucker2012", "azzopardi2019")
    advice = (
        "If items take different times and users have limited time: short relevant items near "
        "the top score best. Give costs in seconds, and the half-life from a log (224 seconds in "
        "its paper)."
    )
    examples = ("TBG(halflife=2).EU",)
    task = "documents with different reading times"
    vary = sweep("halflife", 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)

    def W(self, x: Items) -> Floats:
        return 2.0 ** (-sum_above(x.c) / self.halflife)


@register_reading
class U(UserModel):
    """U-measure: attention that falls with the text read, to 0 at L.

    W(i) ∝ max(0, 1 − κ(i − 1)/L);   position=end: max(0, 1 − κ(i)/L)

    Costs are lengths. C/W/L and cwl_eval weight an item by its start, Sakai's U by the end of
    reading it (`position=end`); then the first item must cost less than L. cwl_eval gives rank n no
    attention (`end=false`). This matters if L reaches beyond n items.

    >>> round(U(L=2).EU([0, 1]), 4)  # weights 1 and 1/2
    0.3333
    >>> round(U(L=3, position="end").EU([0, 1]), 4)  # weights 2/3 and 1/3
    0.3333
    """

    L: float = param(132000.0, "cost after which attention is 0", low=0, open_ends=True)
    end: bool = param(True, "give attention to rank n (not in cwl_eval)")
    position: str = param("start", "position of an item: start or end of reading it",
                          choices=("start", "end"))  # fmt: skip
    looks_at = ("costs",)
    references = cite("sakai2013dou", "azzopardi2019")
    advice = (
        "If users read a limited amount of text. Give the lengths of texts as costs, and the "
        "amount after which users stop as L."
    )
    examples = ("U(L=10).EU",)
    task = "text in which each page has less value than the page before"
    vary = sweep("L", 5.0, 10.0, 20.0, 50.0, 100.0)

    def W(self, x: Items) -> Floats:
        read = sum_above(x.c) if self.position == "start" else np.cumsum(x.c, axis=1)
        weight = np.maximum(0.0, 1.0 - read / self.L)
        if (weight[:, 0] == 0).any():
            problem = f"cost of the first item is {float(read[:, 0].max()):g}"
            raise InputError.from_problem(f"{problem}, must be < L = {self.L:g}", where=self)
        if not self.end and x.n > 1:
            weight[:, -1] = 0.0
        return weight


# -- Sakai's populations --------------------------------------------------------------------------


@register_reading
class NCU(UserModel):
    """Normalised cumulative utility: a population of users who stop at relevant items.

    L(i) = Pstop(i)

    The stopping distributions of AP, Q, RR, O, P-measure, P+ and ERR as user models (`stop`, as in
    NCU). Users whose stopping item is not in the list read to depth n. The distributions u, gu, rb,
    rp and to_rp depend on lower ranks; only r1 and sat depend on the items seen. There are no
    residuals, because unjudged items would change R.

    >>> NCU(stop="r1").ED([0, 1, 1], judged=[1, 1, 1])
    2.0
    >>> NCU(stop="u", n=3).walk([0, 1, 1], judged=[1, 1, 1]).L.round(4).tolist()  # 1/R each
    [0.0, 0.3333, 0.3333]
    """

    stop: str = param("gu", "stopping distribution Pstop(i)", choices=tuple(ncu.STOPS))
    gamma: float = param(0.95, "stop=rb: weight of each stop relative to the one before", low=0, high=1)
    norm: str = param("ideal", "stop=rb at a cutoff: divide by the ideal list's sum, or by "
                               "min(l, R)",
                      choices=("ideal", "min"))  # fmt: skip
    stops: Any = param(None, "stop=gu: stop values of levels 1, 2, … (default: the gains)",
                       low=0, table=True)  # fmt: skip
    prob: str = param("exp", "stop=sat: (2^x − 1)/2^h (exp) or g/(g_h + 1) (linear)",
                      choices=("exp", "linear"))  # fmt: skip
    has_residuals = False
    looks_at = ("gains",)
    references = cite("sakai2008", "azzopardi2019")
    advice = (
        "To compare the user models of the NCU family with those of C/W/L. Sakai's utilities are "
        "not included: EU is the mean gain of the items seen, Q uses a blended ratio."
    )
    examples = ("NCU.EU", *(f"NCU(stop={stop}).EU" for stop in ncu.STOPS if stop != "gu"))
    task = "studying the user models of the NCU family"
    properties = has("graded")

    def takes_max_level(self) -> bool:
        open_ = self.stop == "sat" and self.has_open_max_level(False)
        return open_ or super().takes_max_level()

    def last(self, x: Items) -> Floats:
        weight, norm = ncu.STOPS[self.stop](self, x.lists)
        return x.lists.expand_to_ranks(ratio(weight, norm[:, None]), x.n, 0.0)


READINGS["DCG"] = SDCG
