"""Effort to find several relevant items: how far users have to read."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, total
from cranfield.measures.parameters import param, rel_param
from cranfield.measures.sets import count_ranks, count_returned


@measure
class PRES(Measure):
    """Patent retrieval evaluation score: recall, reduced by the depth of the relevant items.

    PRES@l = 1 − (Σ_i r_i/R − (R + 1)/2)/l = Σ_r I(r)·(l − r + C(r)) / (R·l)

    r_i are the ranks of all relevant items. Users check l items (N_max). Relevant items not
    retrieved have the ranks l + C(l) + 1 to l + R: the worst list. PRES is normalised recall with l
    instead of the collection size. Without a cutoff, l is the length of the list.

    >>> (PRES @ 100)([1], judged=[1] * 4)  # as its authors: one of four, at rank 1
    0.25
    >>> (PRES @ 100)([0] * 49 + [1, 1, 0, 1, 1], judged=[1] * 4)  # 1 − (208/4 − 5/2)/100
    0.505
    """

    rel: float | None = rel_param()
    holds_under_ties = True
    references = cite("magdy2010")
    task = "patient recall: patents, prior art, reviews; l is the number of items users are willing to check"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        l = count_ranks(x)
        distance = x.step("l − r + C", np.reshape(l, (-1, 1)) - x.r + x.C)
        return x.ratio(total(x.step("I·(l − r + C)", x.I * distance)), x.R * l)


@measure
class ESL(Measure):
    """Expected search length: nonrelevant items seen until `q` relevant items are found.

    ESL = r_q − q, r_q the rank of the q-th relevant item. If the list has only C < q of them,
    ESL = (n − C) + (q − C)·i/(R − C + 1), i the nonrelevant items below the list

    Items that were not returned are one level of tied items below the list, as in Cooper's
    definition. `size` is the number of items in the collection, so that i = size − n − (R − C).
    Without it, i = N, the number of items judged nonrelevant, and the search length is too short.
    If fewer than q items are relevant, users search for all of them. `--ties expected` computes
    Cooper's mean over the orders of tied items, j + s·i/(r + 1).

    >>> ESL()([0, 0, 1], judged=[1, 0, 0]), ESL(q=2)([1, 0, 0, 1], judged=[1, 1, 0, 0])
    (2.0, 2.0)
    >>> ESL(q=2, size=8)([0, 1], judged=[1, 1, 0])  # 1, and of 5 others the half, 5/(1 + 1)
    3.5
    """

    q: float = param(1, "number of relevant items searched for", low=1, whole=True)
    size: float | None = param(None, "items in the collection", low=1, whole=True)
    rel: float | None = rel_param()
    better = "lower"
    references = cite("cooper1968")
    task = "the effort to find one or several relevant items, averaged over ties"
    range = "0 (best) and above"
    properties = has("diminishing return")

    def score(self, x: Lists) -> Floats:
        target = np.maximum(1.0, np.minimum(self.q, x.R))
        relevant, n = total(x.I), count_returned(x)
        r_q = total(x.I * x.r * (target[:, None] == x.C))
        missing = x.R - relevant
        unseen = x.N if self.size is None else self.size - n - missing
        beyond = n - relevant + (target - relevant) * ratio(np.maximum(unseen, 0.0), missing + 1.0)
        return x.step("search length", np.where(relevant >= target, r_q - target, beyond))
