"""User models: how somebody walks down a list, as C/W/L has it.

Each gives five measurements: EU, ETU, EC, ETC and ED, as in `INST(T=2).ETC`; a model alone is EU.
Models with the name of another measure (P, RR, AP, RBP, TBG, U, NCU) are its C/W/L reading, and are
meant by the suffix: `RBP` is rank-biased precision, `RBP.EU` the expected utility of its user.

All have the parameters gain, rel, max_level, n (the depth), min_gain, max_gain, max_cost, min_cost
and totals: see models/README.md.

Notation: i rank, g gain and c cost of the item there, γ and κ gains and costs down to it.
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
    """T of several models."""
    return param(1.0, "gain that the user wants", low=0, open_ends=True)


# -- users who look at ranks only -----------------------------------------------------------------


@register_reading
class P(UserModel):
    """Precision: a user who looks at k items, whatever they are.

    C(i) = 1 for i < k, 0 at k

    EU is the mean gain of the first k items, ETU their sum, ED is k. Without a cutoff, k is the
    depth n.

    >>> (P @ 4).EU([1, 0, None, 1]), (P @ 4).ETU([1, 0, None, 1])
    (0.5, 2.0)
    """

    references = cite("vanrijsbergen1979", "azzopardi2019")
    advice = (
        "When the number of items that is looked at is fixed from outside: a page of ten links, "
        "an answer made from five passages. Compare runs at the same k only: ED is k for all of "
        "them, and the order within the page does not count."
    )
    examples = ("P@5.EU",)
    task = "a page of k results that is read to the end"

    def C(self, x: Items) -> Floats:
        return np.where(x.i < x.n, 1.0, 0.0)


@measure
class SDCG(UserModel):
    """Scaled DCG: a user who goes on with the ratio of DCG's discounts.

    C(i) = log2(i + 1) / log2(i + 2) for i < k, 0 at k

    EU is DCG@k over the sum of the discounts, ETU is DCG@k itself. Unlike nDCG it does not ask what
    else there was to find.

    >>> round((SDCG @ 2).ETU([0, 1]), 4)  # 1/log2(3), DCG@2
    0.6309
    """

    references = cite("jarvelin2002", "azzopardi2019")
    advice = (
        "When a DCG is wanted that can be compared across topics and added to a time budget: "
        "its ED says that DCG@10 believes in a user who reads 4.5 items. For the share of what "
        "could have been found, take nDCG."
    )
    examples = ("SDCG@10",)
    task = "graded gains near the top, on a scale that is the same for all topics"

    def C(self, x: Items) -> Floats:
        return np.log2(x.i + 1.0) / np.log2(x.i + 2.0)


@register_reading
class RBP(UserModel):
    """Rank-biased precision: a user who goes on with the same probability after every item.

    C(i) = p

    ED is 1/(1 − p). Gains are as they are, where RBP alone divides them by the highest; and `rel`
    takes the gain from lower levels, where in RBP alone it makes gains 1 or 0.

    >>> round(RBP(p=0.5).ED([]), 6), round(RBP(p=0.5).EU([0, 1]), 6)  # 1/4
    (2.0, 0.25)
    """

    p: float = param(0.8, "probability of going on to the next rank", low=0, high=1, open_ends=True)
    references = cite("moffat2008", "azzopardi2019")
    advice = (
        "When the persistence of users is known, from a log or by convention (0.5 impatient, "
        "0.8 web search, 0.95 patient). It needs no knowledge of what is below, and its "
        "residual says how much unjudged items could change; but it believes that users do not "
        "care what they find."
    )
    examples = ("RBP(p=0.8).EU",)
    task = "a user of known persistence, who does not mind what is found"
    vary = sweep("p", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def C(self, x: Items) -> Floats:
        return np.full(x.n, self.p)


@measure
class NPV(UserModel):
    """Net present value: RBP for economists, a gain at the next rank is worth less at a rate.

    C(i) = 1 / (1 + rate)

    It is RBP with p = 1/(1 + rate).

    >>> round(NPV(rate=1).EU([0, 1]), 6)  # RBP(p=0.5).EU
    0.25
    """

    rate: float = param(0.1, "by which a gain at the next rank is worth less", low=0,
                        open_ends=True)  # fmt: skip
    references = cite("azzopardi2019")
    advice = (
        "When a discount rate is easier to argue for than a persistence: it is RBP in other "
        "words, and has RBP's virtues and faults."
    )
    examples = ("NPV(rate=0.25)",)
    task = "where a discount rate is easier to argue for than a persistence"
    vary = sweep("rate", 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

    def C(self, x: Items) -> Floats:
        return np.full(x.n, 1.0 / (1.0 + self.rate))


@measure
class INSQ(UserModel):
    """Inverse squares: a user who wants T items, and goes on ever more surely.

    C(i) = ((i + 2T − 1) / (i + 2T))²

    Who has come far goes on; T sets how many items are looked at, about 2T + 1/2.

    >>> round(float(INSQ(T=1).walk([0]).C[0]), 4)  # (2/3)²
    0.4444
    """

    T: float = target_param()
    references = cite("moffat2012", "moffat2013", "moffat2017")
    advice = (
        "When users come with an idea of how many items they need, and read on the more surely "
        "the deeper they are. It reacts to no gain, so it is simple to reason about; INST is "
        "INSQ that reacts."
    )
    examples = ("INSQ(T=2)",)
    task = "users who want a certain number of items, and read on as they get deeper"
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + 2.0 * self.T)


def compute_inverse_squares(depth: Floats) -> Floats:
    """((d − 1) / d)², the C of INSQ, INST and NERR11."""
    return ((depth - 1.0) / depth) ** 2


@measure
class SET(UserModel):
    """Search economics: a user for whom i items are worth i^beta.

    C(i) = w(i + 1) / w(i) for i < k, 0 at k,   w(i) = (i + 1)^beta − i^beta

    With beta = 1 it is P@k.

    >>> round(float((SET(beta=0.5) @ 10).walk([0]).C[0]), 4)  # (√3 − √2)/(√2 − 1)
    0.7673
    """

    beta: float = param(0.5, "how much of the worth of items is left by more of them; 1: all",
                        low=1e-9, high=1)  # below it all w are 0 but for rounding  # fmt: skip
    references = cite("azzopardi2014", "azzopardi2019")
    advice = (
        "When an economic model of search says how returns diminish, and the cutoff is known. "
        "With beta near 1 it is P@k."
    )
    examples = ("SET(beta=0.5)@10",)
    task = "diminishing returns as economic models of search have them"
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
        "When one item is all that is needed and users are known to read until they have it. "
        "Beware of its belief: a list without an item of use is read to depth n, which shows in "
        "ED and ETC."
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
        "To see what AP believes: users who stop at items of use, in proportion to gain over "
        "rank, and who know what is still to come. Use it to explain AP to others rather than "
        "to evaluate; residuals are large, because unjudged items change where everybody stops."
    )
    examples = ("AP.EU",)
    task = "comparison with AP; hardly a user one meets"

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
    advice = (
        "To reproduce cwl_eval's. Its weights do not sum to 1, so its numbers are not those of "
        "any user."
    )
    examples = ("TrAP",)
    task = "history"
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
        "When users have a goal T in gain, as most have, and are the likelier to stop the more "
        "of it they have reached. It is the best supported by observation of the models that "
        "react to what is found. Choose T by the kind of task: about 1 for a fact, 3 or more to "
        "learn about a subject. Gains must be between 0 and 1."
    )
    examples = ("INST(T=2)",)
    task = "the usual choice: expectations, patience and success all count"
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + self.T + (self.T - x.cg))


@measure
class BPM(UserModel):
    """Bejeweled player model: a user who stops with enough gain or at enough cost.

    C(i) = 1 while γ(i) < T and κ(i) < K, else 0

    >>> BPM(T=1, K=10).ED([0, 0.5, 0.5, 0]), BPM(T=1, K=2).ED([0, 0.5, 0.5, 0])
    (3.0, 2.0)
    """

    T: float = target_param()
    K: float = param(10.0, "cost that the user is ready for", low=0, open_ends=True)
    looks_at = ("gains", "costs")
    translations = MODEL_PARAMETERS | {"cutoff": lambda v: {"K": v}}
    references = cite("zhang2017", "azzopardi2019")
    advice = (
        "When users have both a goal and a budget, such as minutes or screens, and stop sharply "
        "at either. Give costs in the unit of K."
    )
    examples = ("BPM(T=2, K=10)",)
    task = "users with a goal and a budget"
    vary = sweep("T", 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)

    def C(self, x: Items) -> Floats:
        return np.where((x.cg < self.T) & (x.cc < self.K), 1.0, 0.0)


@measure
class BPMD(BPM):
    """Dynamic Bejeweled player model: what is found changes what is wanted, and the budget.

    C(i) = 1 while γ(i) < T(i) and κ(i) < K(i), else 0
    T(i + 1) = T(i) + hb·(g(i) − gain_med),   K(i + 1) = K(i) + hc·(g(i) − gain_med)

    The program cwl_eval never changes K (`update_K=false`).

    >>> BPMD(T=2, K=10, hb=0.5, hc=0.5).ED([0.0, 0.0, 0.2, 0.4, 1.0, 0.2])  # cwl_eval, Table 1
    5.0
    """

    hb: float = param(1.0, "how much an item changes the gain that is wanted")
    hc: float = param(1.0, "how much an item changes the cost the user is ready for")
    gain_med: float = param(0.5, "gain of an item that changes neither")
    update_K: bool = param(True, "whether items change K; cwl_eval's never do")
    advice = (
        "When what is found changes users' minds: good items raise the hopes and the patience, "
        "poor ones lower them. Four parameters want to be fitted to logs; without any, prefer "
        "BPM."
    )
    examples = ("BPMD(T=2, K=10, hb=0.5, hc=0.5)",)

    def C(self, x: Items) -> Floats:
        surprise = x.g[:, :-1] - self.gain_med

        def compute_limit(start: float, weight: float) -> Floats:
            """start + weight · Σ_{j<i} (g(j) − gain_med), added from the top down."""
            begin = np.full((len(x.g), 1), start)
            return np.cumsum(np.concatenate((begin, weight * surprise), axis=1), axis=1)

        T, K = (
            compute_limit(self.T, self.hb),
            compute_limit(self.K, self.hc if self.update_K else 0.0),
        )
        return np.where((x.cg < T) & (x.cc < K), 1.0, 0.0)


# -- information foraging -------------------------------------------------------------------------


def compute_odds(b: float, exponent: Floats) -> Floats:
    """1 / (1 + b·e^exponent), however large the exponent."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + b * np.exp(exponent)) if b else np.ones(exponent.shape)


class ForagingModel(UserModel):
    """Information foraging: goals and rates."""

    references = cite("azzopardi2018")
    task = "result pages as patches: users stop when sated, or when the page does not feed them"


def _b_param(quantity: str) -> Any:
    return param(0.9, f"where {quantity} does not matter: the odds of stopping are 1 to b", low=0)


def _R_param(quantity: str) -> Any:
    return param(10.0, f"how much {quantity} matters: 0 not at all", low=0)


@measure
class IFTGoal(ForagingModel):
    """Information foraging, goal: a user who is the likelier to stop the more has been found.

    C(i) = 1 − 1/(1 + b1·e^((T − γ(i))·R1))

    >>> round(float(IFTGoal(T=1, b1=1, R1=1).walk([1.0]).C[0]), 4)  # 1 − 1/2
    0.5
    """

    T: float = param(2.0, "gain that the user wants", low=0, open_ends=True)
    b1: float = _b_param("the goal")
    R1: float = _R_param("the goal")
    looks_at: ClassVar[tuple[str, ...]] = ("gains",)
    advice = (
        "When users are satisfied little by little: b1 is how they behave at the goal, R1 how "
        "sharply they react to it. Large R1 is BPM without a budget, 0 is RBP."
    )
    examples = ("IFTGoal(T=2, b1=0.25, R1=10)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 4.0)

    def C(self, x: Items) -> Floats:
        return 1.0 - compute_odds(self.b1, (self.T - x.cg) * self.R1)


@measure
class IFTRate(ForagingModel):
    """Information foraging, rate: a user who stops when gain comes too slowly.

    C(i) = 1/(1 + b2·e^((A − γ(i)/κ(i))·R2))

    >>> round(float(IFTRate(A=0.5, b2=1, R2=1).walk([0.5]).C[0]), 4)  # 1/(1 + e^0)
    0.5
    """

    A: float = param(0.2, "gain per cost that the user expects", low=0)
    b2: float = _b_param("the rate")
    R2: float = _R_param("the rate")
    looks_at = ("gains", "costs")
    advice = (
        "When users leave a list that does not feed them: they compare the rate of gain so far "
        "with A, the rate they expect elsewhere. Give costs, in the unit in which A is stated."
    )
    examples = ("IFTRate(A=0.2, b2=0.25, R2=10)",)
    vary = sweep("A", 0.05, 0.1, 0.2, 0.3, 0.5)

    def C(self, x: Items) -> Floats:
        return compute_odds(self.b2, (self.A - x.cg / x.cc) * self.R2)


@measure
class IFT(IFTRate, IFTGoal):
    """Information foraging: a user who stops when sated, or when gain comes too slowly.

    C(i) = C1(i)·C2(i)
    C1(i) = 1 − 1/(1 + b1·e^((T − γ(i))·R1)),   C2(i) = 1/(1 + b2·e^((A − γ(i)/κ(i))·R2))

    >>> round(float(IFT(T=1, b1=1, R1=1, A=1, b2=1, R2=1).walk([1.0]).C[0]), 4)  # 1/2 · 1/2
    0.25
    """

    looks_at = ("gains", "costs")
    advice = (
        "When both count: users stop when sated, and leave when the list is too slow. It "
        "predicted users' stopping best in its paper, at the price of six parameters that have "
        "to be fitted."
    )
    examples = ("IFT(T=2, b1=0.25, R1=10, A=0.2, b2=0.25, R2=10)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 4.0)

    def C(self, x: Items) -> Floats:
        return IFTGoal.C(self, x) * IFTRate.C(self, x)


# -- not ERR, but nearly --------------------------------------------------------------------------


class NearlyERR(UserModel):
    """Users whom an item satisfies with the probability that is its gain."""

    looks_at = ("gains",)
    unit_gains = True
    references = cite("azzopardi2021", "chapelle2009")
    task = "what ERR is used for, with a user who can be named: ERR itself is not C/W/L"


@measure
class NERR8(NearlyERR):
    """Nearly ERR, equation 8: a user who goes on unless satisfied, down to rank k.

    C(i) = 1 − g(i) for i < k, 0 at k

    >>> (NERR8 @ 3).ED([0.5, 0.5, 1])  # 1 + 1/2 + 1/4
    1.75
    """

    advice = (
        "When an item may satisfy at once, with a probability that is its gain, and users "
        "otherwise go on to the end of the page. It is what ERR means to say, as a user model. "
        "Gains must be probabilities."
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

    advice = "As NERR8, with ERR's own fall by rank: the nearest that C/W/L comes to ERR."
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

    phi: float = param(0.9, "probability that an unsatisfied user goes on", low=0, high=1,
                       open_ends=True)  # fmt: skip
    advice = (
        "When an item may satisfy at once, and unsatisfied users have RBP's persistence: no "
        "cutoff is needed."
    )
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
    advice = (
        "When an item may satisfy at once, and unsatisfied users have INSQ's patience, which "
        "grows with depth."
    )
    examples = ("NERR11(T=2)",)
    vary = sweep("T", 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)

    def C(self, x: Items) -> Floats:
        return compute_inverse_squares(x.i + 2.0 * self.T) * (1.0 - x.g)


# -- users whose time is short --------------------------------------------------------------------


@register_reading
class TBG(UserModel):
    """Time-biased gain: attention that halves with every h of cost.

    W(i) ∝ 2^(−κ(i − 1)/h)

    With unit costs it is RBP with p = 2^(−1/h). Costs are times; TBG alone (without a suffix)
    computes them from the lengths of documents.

    >>> round(TBG(halflife=1).EU([0, 1]), 6)  # RBP(p=0.5).EU
    0.25
    """

    halflife: float = param(224.0, "h, cost by which half the users have stopped", low=0,
                            open_ends=True)  # fmt: skip
    looks_at = ("costs",)
    references = cite("smucker2012", "azzopardi2019")
    advice = (
        "When items take different times, and time is what users run out of: short items of use "
        "near the top score best. Give costs in seconds, and the half-life from a log (224 "
        "seconds in its paper)."
    )
    examples = ("TBG(halflife=2).EU",)
    task = "documents that take different times to read"
    vary = sweep("halflife", 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)

    def W(self, x: Items) -> Floats:
        return 2.0 ** (-sum_above(x.c) / self.halflife)


@register_reading
class U(UserModel):
    """U-measure: attention that falls with the text read, to nothing at L.

    W(i) ∝ max(0, 1 − κ(i − 1)/L);   position=end: max(0, 1 − κ(i)/L)

    Costs are lengths. C/W/L and cwl_eval weigh an item by where it starts; Sakai's U, by where
    reading it ends (`position=end`), and then the first item must cost less than L. cwl_eval gives
    rank n no attention (`end=false`), which shows where L reaches beyond n items.

    >>> round(U(L=2).EU([0, 1]), 4)  # weights 1 and 1/2
    0.3333
    >>> round(U(L=3, position="end").EU([0, 1]), 4)  # weights 2/3 and 1/3
    0.3333
    """

    L: float = param(132000.0, "cost after which nothing is seen", low=0, open_ends=True)
    end: bool = param(True, "whether rank n gets attention; not in cwl_eval")
    position: str = param("start", "where an item counts: where reading it starts, or ends",
                          choices=("start", "end"))  # fmt: skip
    looks_at = ("costs",)
    references = cite("sakai2013dou", "azzopardi2019")
    advice = (
        "When text is what users run out of: give the lengths of what is read as costs, and in "
        "L the text after which nobody reads on."
    )
    examples = ("U(L=10).EU",)
    task = "text of which each page is worth less than the one before"
    vary = sweep("L", 5.0, 10.0, 20.0, 50.0, 100.0)

    def W(self, x: Items) -> Floats:
        read = sum_above(x.c) if self.position == "start" else np.cumsum(x.c, axis=1)
        weight = np.maximum(0.0, 1.0 - read / self.L)
        if (weight[:, 0] == 0).any():
            problem = f"a first item of cost {float(read[:, 0].max()):g}"
            raise InputError(problem, f"less than L = {self.L:g}, where nothing is seen", self)
        if not self.end and x.n > 1:
            weight[:, -1] = 0.0
        return weight


# -- Sakai's populations --------------------------------------------------------------------------


@register_reading
class NCU(UserModel):
    """Normalised cumulative utility: a population of users who stop at items of use.

    L(i) = Pstop(i)

    The stopping distributions of AP, Q, RR, O, P-measure, P+ and ERR as user models (`stop`, as in
    NCU). Users for whom the list does not hold the item at which they would stop read on to
    depth n. Those of u, gu, rb, rp and to_rp know what is below; only r1 and sat can be told from
    what has been seen. There are no residuals: what unjudged items would be changes R.

    >>> NCU(stop="r1").ED([0, 1, 1], judged=[1, 1, 1])
    2.0
    >>> NCU(stop="u", n=3).walk([0, 1, 1], judged=[1, 1, 1]).L.round(4).tolist()  # 1/R each
    [0.0, 0.3333, 0.3333]
    """

    stop: str = param("gu", "where users stop, Pstop(i)", choices=tuple(ncu.STOPS))
    gamma: float = param(0.95, "stop=rb: how much less likely each stop is", low=0, high=1)
    norm: str = param("ideal", "stop=rb at a cutoff: over the ideal list's sum, or over min(l, R)",
                      choices=("ideal", "min"))  # fmt: skip
    stops: Any = param(None, "stop=gu: stop values of levels 1, 2, …, the gains if not given",
                       low=0, table=True)  # fmt: skip
    prob: str = param("exp", "stop=sat: (2^x − 1)/2^h (exp) or g/(g_h + 1) (linear)",
                      choices=("exp", "linear"))  # fmt: skip
    has_residuals = False
    looks_at = ("gains",)
    references = cite("sakai2008", "azzopardi2019")
    advice = (
        "To see what a measure of the NCU family believes about its users, beside those of "
        "C/W/L. Sakai's utilities are not in it: EU is the mean gain of what is seen, where Q "
        "has a blended ratio."
    )
    examples = ("NCU.EU", *(f"NCU(stop={stop}).EU" for stop in ncu.STOPS if stop != "gu"))
    task = "what a measure of the NCU family believes about its users"
    properties = has("graded")

    def takes_max_level(self) -> bool:
        open_ = self.stop == "sat" and self.has_open_max_level(False)
        return open_ or super().takes_max_level()

    def last(self, x: Items) -> Floats:
        weight, norm = ncu.STOPS[self.stop](self, x.lists)
        return x.lists.expand_to_ranks(ratio(weight, norm[:, None]), x.n, 0.0)


READINGS["DCG"] = SDCG
