"""Normalised cumulative utility: users stop at relevant ranks and value what they have seen.

NCU = Σ_r Pstop(r) · NU(r). Average precision stops at each relevant item alike and values
precision; Q values the blended ratio; reciprocal rank stops at the first relevant item.
"""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, gain_param, measure, param, rel_param
from cranfield.measures.gains import Gain
from cranfield.measures.lists import Lists, ratio, total


def stops(x: Lists, norm: str = "min") -> Floats:
    """How many relevant items a user may stop at: R, or min(l, R) at a cutoff."""
    return x.R if x.l is None or norm == "R" else np.minimum(x.R, x.l)


@measure
class AP(Measure):
    """Average precision: the mean precision at the relevant items, found or not.

    AP   = (1/R) Σ_r I(r) · C(r)/r
    AP@l = (1/min(l, R)) Σ_{r≤l} I(r) · C(r)/r

    AP@l follows NTCIREVAL; `norm=R` divides by R at a cutoff too, as trec_eval's map_cut does.

    >>> AP()([None, 0, 1], judged=[1, 0])  # seed 000, Figure 1: 0.3333
    0.3333333333333333
    """

    rel: float | None = rel_param()
    norm: str = param(
        "min",
        "min: divide by min(l, R) at a cutoff; R: by R, as trec_eval's map_cut",
        choices=("min", "R"),
    )
    references = ("buckley2005", "sakai2014metrics")
    task = "informational search with binary judgments"

    def score(self, x: Lists) -> Floats:
        return ratio(total(x.I * x.C / x.r), stops(x, self.norm))


@measure
class Q(Measure):
    """Q-measure: average precision for graded relevance.

    Q     = (1/R) Σ_r I(r) · BR(r)
    BR(r) = (C(r) + β·cg(r)) / (r + β·cg*(r)), the blended ratio
    Q@l divides by min(l, R) and stops at l. With β = 0 it is AP.

    >>> Q()([None, 0, 1], judged=[1, 0])  # seed 000, Figure 1: 0.5000
    0.5
    """

    beta: float = param(1.0, "patience: larger forgives relevant items at low ranks", low=0)
    gain: Gain = gain_param()
    rel: float | None = rel_param(
        "lowest level that counts as relevant; every level with a gain if not given"
    )
    references = ("sakai2004", "sakai2014metrics")
    task = "informational search with graded judgments"

    def score(self, x: Lists) -> Floats:
        BR = (x.C + self.beta * x.cg) / (x.r + self.beta * x.cg_ideal)
        return ratio(total(x.I * BR), stops(x))


@measure
class RR(Measure):
    """Reciprocal rank: how soon the first relevant item comes.

    RR = 1/r1, r1 the rank of the first relevant item; 0 if there is none (down to the cutoff).

    >>> RR()([None, 0, 1])  # seed 000, Figure 1: 0.3333
    0.3333333333333333
    """

    rel: float | None = rel_param()
    references = ("voorhees1999",)
    task = "navigational and known-item search, question answering"

    def score(self, x: Lists) -> Floats:
        return total(x.I * (x.C == 1) / x.r)
