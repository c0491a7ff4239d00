"""Preference measures: relevant items above nonrelevant ones, unjudged items ignored."""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, measure, rel_param
from cranfield.measures.lists import Lists, ratio, total


@measure
class bpref(Measure):
    """Binary preference: how rarely a judged nonrelevant item stands above a relevant one.

    bpref = (1/R) Σ_r I(r) · (1 − min(R, n(r)) / min(R, N))

    n(r) is the number of judged nonrelevant items above r. This is bpref_R where R ≤ N and
    bpref_N where R ≥ N (seed 001, equations 22 and 23), and trec_eval's bpref.

    >>> bpref()([None, 0, 1], judged=[1, 0])  # seed 000, section 3.2: zero
    0.0
    >>> bpref()([1, None, 1, 0], judged=[1, 1, 0, 0])
    1.0
    """

    rel: float | None = rel_param()
    references = ("buckley2004", "sakai2007")
    task = "incomplete judgments; condensed-list AP is usually the better choice"

    def score(self, x: Lists) -> Floats:
        R, N = x.R[:, None], x.N[:, None]
        above = np.cumsum(x.judged - x.I, axis=1)
        return ratio(total(x.I * (1.0 - ratio(np.minimum(above, R), np.minimum(R, N)))), x.R)
