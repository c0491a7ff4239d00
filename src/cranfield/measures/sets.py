"""Set measures: the number of relevant items up to a cutoff, in any order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, total
from cranfield.measures.parameters import param, rel_param


def count_ranks(x: Lists) -> Floats:
    """Return the number of ranks: l, or the list length if there is no cutoff."""
    return np.asarray(x.n if x.l is None else x.l, dtype=np.float64)


def count_returned(x: Lists) -> Floats:
    """Return the number of items up to the cutoff: at most l."""
    return np.asarray(x.n if x.l is None else np.minimum(x.n, x.l), dtype=np.float64)


class SetMeasure(Measure):
    """Base of measures that count items, which hold for expected counts."""

    holds_under_ties = True


class RelevanceMeasure(SetMeasure):
    """A measure of the number or the ranks of relevant items."""

    rel: float | None = rel_param()


@measure
class P(RelevanceMeasure):
    """Precision: the fraction of the top l items that are relevant.

    P@l = C(l) / l

    P@l divides by l even if fewer items were returned. P without a cutoff divides by the number of
    items returned.

    >>> (P @ 10)([1, 0, 0, 1, 1, 1, 0, 0, 1, 1])  # LETOR, section 3
    0.6
    """

    references = cite("vanrijsbergen1979")
    task = "quality of the first page, regardless of order"
    properties = has("recall-independent")

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(l)", total(x.I)), count_ranks(x))


@measure
class SetP(RelevanceMeasure):
    """Set precision: the fraction of the returned items that are relevant.

    SetP@l = C(l) / min(l, n), n the length of the list

    >>> (SetP @ 10)([1, 0]), (P @ 10)([1, 0])
    (0.5, 0.1)
    """

    references = cite("vanrijsbergen1979")
    task = "results without an order, of any number"
    properties = has("normalised", "recall-independent")

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(l)", total(x.I)), count_returned(x))


@measure
class Recall(RelevanceMeasure):
    """Recall: the fraction of the relevant items that are retrieved.

    Recall@l = C(l) / R

    >>> (Recall @ 2)([1, 0, 1], judged=[1, 1, 1, 1, 0])
    0.25
    """

    references = cite("vanrijsbergen1979")
    task = "completeness for a later stage or a patient user"

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(l)", total(x.I)), x.R)


@measure
class SetRecall(Recall):
    """Set recall: the fraction of the relevant items that are returned. The same as Recall.

    SetRecall = C(n) / R, n the length of the list

    >>> SetRecall()([1, 0, 1], judged=[1, 1, 1, 1, 0])
    0.5
    """

    task = "results without an order, of any number"


class FMeasure(SetMeasure):
    """F, E and their set version: precision and recall in one number."""

    beta: float = param(1.0, "weight of recall relative to precision", low=0)
    alpha: float | None = param(None, "weight of precision instead of beta: α = 1/(β² + 1)", low=0, high=1)
    rel: float | None = rel_param()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha is not None:  # it takes the place of beta, and the name says so
            object.__setattr__(self, "beta", 1.0)

    def compute_f(self, x: Lists, size: Floats) -> Floats:
        """Return F = (β² + 1)·P·Recall / (β²·P + Recall)."""
        C = x.step("C(l)", total(x.I))
        P, recall = x.step("P", ratio(C, size)), x.step("Recall", ratio(C, x.R))
        if self.alpha == 0:
            return recall
        b = self.beta**2 if self.alpha is None else 1.0 / self.alpha - 1.0
        return x.ratio((b + 1.0) * P * recall, recall + b * P)


@measure
class F(FMeasure):
    """F-measure: the weighted harmonic mean of precision and recall.

    F = (β² + 1)·P·Recall / (β²·P + Recall) = 1 / (α/P + (1 − α)/Recall),   α = 1/(β² + 1)

    Precision is P@l, which divides by l. Without a cutoff, it divides by the number of items
    returned.

    >>> round(F()([1, None, 1, None], judged=[1, 1, 1]), 4)  # P = 1/2, Recall = 2/3
    0.5714
    """

    references = cite("vanrijsbergen1979", "sakai2014metrics")
    task = "results without an order, if both precision and recall matter"

    def score(self, x: Lists) -> Floats:
        return self.compute_f(x, count_ranks(x))


@measure
class SetF(FMeasure):
    """Set F-measure: the weighted harmonic mean of set precision and recall.

    SetF = (β² + 1)·SetP·Recall / (β²·SetP + Recall)

    trec_eval's set_F does not square its parameter: set_F_2 is SetF(alpha=1/3).

    >>> (SetF @ 10)([1, 1], judged=[1, 1])
    1.0
    """

    references = cite("vanrijsbergen1979")
    task = "results without an order, if both precision and recall matter"

    def score(self, x: Lists) -> Floats:
        return self.compute_f(x, count_returned(x))


@measure
class E(F):
    """E-measure: one minus the F-measure. Lower is better.

    E = 1 − 1 / (α/P + (1 − α)/Recall),   α = 1/(β² + 1)

    With α = 0.5 it is (|D* ∪ D| − |D* ∩ D|) / (|D*| + |D|), D* the relevant and D the returned
    items. A topic without a relevant item scores 1, the worst.

    >>> round(E()([1, None, 1, None], judged=[1, 1, 1]), 4)  # (5 − 2) / (3 + 4)
    0.4286
    """

    better = "lower"
    range = "1 (worst) to 0"

    def score(self, x: Lists) -> Floats:
        return 1.0 - super().score(x)


@measure
class Success(RelevanceMeasure):
    """Success (Hit): 1 if there is a relevant item up to the cutoff, else 0.

    Success@l = 1 if C(l) > 0, else 0

    >>> (Success @ 2)([0, 0, 1]), (Success @ 3)([0, 0, 1])
    (0.0, 1.0)
    """

    references = cite("sakai2011ntcireval")
    task = "tasks with one answer: question answering, known-item search, retrieval for RAG"
    properties = has("normalised", "recall-independent", "diminishing return")

    def score(self, x: Lists) -> Floats:
        return total(x.first)

    def decided(self, x: Lists) -> Ints:
        return x.r1


REACHES = {
    "exact": "rounded up",
    "nearest": "rounded to the nearest integer, as trec_eval 10 does for recall",
    "trec9": "trec_eval 9's floating-point rule, off by one for some R",
}


def reach_param() -> Any:
    """Declare the rule that converts a fraction of R to a number of items."""
    text = "; ".join(f"{name}: {meaning}" for name, meaning in REACHES.items())
    return param("exact", f"items a share of R stands for: {text}", choices=tuple(REACHES))


def compute_reach(share: float, R: Floats, rule: str) -> Floats:
    """Return the number of items for a fraction of R, rounded up or like trec_eval."""
    if rule == "nearest":
        return np.floor(share * R + 0.5)
    if rule == "trec9":
        return np.floor(share * R + 0.9)
    from fractions import Fraction

    decimal = Fraction(repr(share))  # 0.7 is 7/10: what was written, not the nearest double
    return np.array([math.ceil(decimal * int(relevant)) for relevant in R], dtype=np.float64)


@measure
class Rprec(RelevanceMeasure):
    """R-precision: precision at rank R. There it equals recall.

    Rprec = C(R) / R

    `mult` selects another multiple of R: C(mult·R) / (mult·R), trec_eval's Rprec_mult.

    >>> Rprec()([1, None, 1, 1], judged=[1, 1, 1])
    0.6666666666666666
    """

    mult: float = param(1.0, "multiple of R", low=0, open_ends=True)
    reach: str = reach_param()
    references = cite("buckley2005")
    task = "informational search with few or many relevant items per topic"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        k = self.decided(x)
        return x.ratio(x.step("C(R)", total(x.I * (x.r <= k[:, None]))), k)

    def decided(self, x: Lists) -> Floats:
        return compute_reach(self.mult, x.R, self.reach)


@measure
class RelP(RelevanceMeasure):
    """Relative precision: precision divided by the highest possible at the cutoff.

    RelP@l = C(l) / min(l, R): precision up to rank R, recall from there on

    trec_eval's relative_P, and BEIR's capped recall, R_cap.

    >>> (RelP @ 10)([1, 1], judged=[1, 1, 1, 1])
    0.5
    """

    references = cite("buckley2005", "thakur2021")
    task = "precision, for topics with fewer relevant items than the cutoff"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(l)", total(x.I)), np.minimum(count_ranks(x), x.R))


@measure
class SetRelP(RelP):
    """Relative set precision: set precision divided by the highest possible for the list length.

    SetRelP = C(n) / min(n, R), n the length of the list

    >>> SetRelP()([1, None], judged=[1, 1, 1, 1])
    0.5
    """

    task = "results without an order, of any number"

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(n)", total(x.I)), np.minimum(count_returned(x), x.R))


@measure
class SetAP(Measure):
    """Set average precision: precision times recall of the returned items.

    SetAP = C(n)² / (n·R), n the length of the list

    >>> SetAP()([1, None], judged=[1, 1])
    0.25
    """

    rel: float | None = rel_param()
    references = cite("buckley2005")
    task = "results without an order, of any number"

    def score(self, x: Lists) -> Floats:
        return x.ratio(x.step("C(n)", total(x.I)) ** 2, count_returned(x) * x.R)


@measure
class Utility(SetMeasure):
    """Set utility: the sum of the values of returned and missed items.

    Utility = a·(relevant returned) + b·(nonrelevant returned)
            + c·(relevant missed) + d·(nonrelevant missed)

    The number of nonrelevant items missed follows from `docs`, the size of the collection.

    >>> Utility()([1, 0, 0], judged=[1, 1, 0, 0])
    -1.0
    """

    a: float = param(1.0, "value of a returned relevant item")
    b: float = param(-1.0, "value of a returned nonrelevant item")
    c: float = param(0.0, "value of a missed relevant item")
    d: float = param(0.0, "value of a missed nonrelevant item")
    docs: float = param(0.0, "items in the collection", low=0)
    rel: float | None = rel_param()
    effectiveness = False
    references = cite("buckley2005")
    task = "filtering: decisions, not rankings"
    range = "any number"

    def score(self, x: Lists) -> Floats:
        C, n = x.step("C(n)", total(x.I)), count_returned(x)
        missed = x.R - C
        return self.a * C + self.b * (n - C) + self.c * missed + self.d * (self.docs - n - missed)


@measure
class PairAccuracy(Measure):
    """Pair accuracy: the fraction of pairs with the relevant item above the nonrelevant one.

    PairAccuracy = 1 − Σ_r I(r)·(r − C(r)) / (C·(n − C)), over the items returned

    Unjudged items count as nonrelevant. ir_measures calls it Accuracy. A list without relevant
    items scores 0, a list without nonrelevant items 1.

    >>> PairAccuracy()([0, 1, 0, 1])
    0.25
    """

    rel: float | None = rel_param()
    references = cite("macavaney2022")
    task = "checking the training of a ranker: the area under its ROC curve"
    properties = has("normalised", "recall-independent")
    may_fall = True  # at a cutoff (or a depth) one more relevant item may make for wrong pairs

    def score(self, x: Lists) -> Floats:
        C = x.step("C(n)", total(x.I))
        wrong = x.step("pairs in the wrong order", total(x.I * (x.r - x.C)))
        return np.where(C > 0, 1.0 - ratio(wrong, C * (count_returned(x) - C)), 0.0)
