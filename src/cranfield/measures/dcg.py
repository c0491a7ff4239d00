"""Discounted cumulative gain: gains, and what a rank leaves of them."""

from __future__ import annotations

import numpy as np

from cranfield.labelling.blocks import Floats
from cranfield.measures.base import Measure, gain_param, measure, param, rel_param
from cranfield.measures.gains import Gain
from cranfield.measures.lists import Lists, ratio, total

DISCOUNTS = {
    "log2": lambda r, b: np.log2(r + 1),  # Microsoft (Burges et al. 2005)
    "jk": lambda r, b: np.maximum(np.log(r) / np.log(b), 1.0),  # Järvelin & Kekäläinen 2002
}


@measure
class nDCG(Measure):
    """Normalised discounted cumulative gain: the gains found, over those of the ideal list.

    nDCG@l = Σ_{r≤l} g(r)/d(r)  /  Σ_{r≤l} g*(r)/d(r),   d(r) = log2(r + 1)

    This is the Microsoft version with the level as gain: trec_eval's ndcg and ndcg_cut, and
    NTCIREVAL's MSnDCG. `gain=exp` is gdeval's; `discount=jk` is the original of Järvelin and
    Kekäläinen, d(r) = max(1, log_b r), which NTCIREVAL calls nDCG.

    >>> nDCG()([None, 0, 1], judged=[1, 0])  # seed 000, Figure 1: MSnDCG 0.5000
    0.5
    >>> round(nDCG(discount="jk")([None, 0, 1], judged=[1, 0]), 4)  # Figure 1: nDCG 0.6309
    0.6309
    """

    gain: Gain = gain_param()
    rel: float | None = rel_param("levels below this gain nothing")
    discount: str = param("log2", "log2: log2(r + 1); jk: max(1, log_b r)", choices=("log2", "jk"))
    b: float = param(2.0, "base of the logarithm for discount=jk", low=1, open_ends=True)
    references = ("jarvelin2002", "burges2005")
    task = "graded relevance at the top of the list: the field's first choice for web search"

    def score(self, x: Lists) -> Floats:
        ideal = x.gold.remember(("DCG", x.l, self), lambda: self.dcg(x.ideal))
        return ratio(self.dcg(x), ideal)

    def dcg(self, x: Lists) -> Floats:
        """DCG = Σ_r g(r)/d(r)."""
        return total(x.g / DISCOUNTS[self.discount](x.r, self.b))
