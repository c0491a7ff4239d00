"""Users who look for several relevant items: how far down a list they have to go for them."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, total
from cranfield.measures.parameters import param, rel_param
from cranfield.measures.sets import count_ranks, count_returned


@measure
class PRES(Measure):
    """Patent retrieval evaluation score: recall, less the deeper the relevant items stand.

    PRES@l = 1 − (Σ_i r_i/R − (R + 1)/2)/l = Σ_r I(r)·(l − r + C(r)) / (R·l)

    r_i are the ranks of all relevant items. Users check l items (N_max); what they do not find
    stands below l, at l + C(l) + 1 to l + R: the worst list. It is normalised recall with l in the
    place of the size of the collection. Without a cutoff l is the length of the list.

    >>> (PRES @ 100)([1], judged=[1] * 4)  # as its authors: one of four, at rank 1
    0.25
    >>> (PRES @ 100)([0] * 49 + [1, 1, 0, 1, 1], judged=[1] * 4)  # 1 − (208/4 − 5/2)/100
    0.505
    """

    rel: float | None = rel_param()
    holds_under_ties = True
    references = cite("magdy2010")
    task = "recall with patience: patents, prior art, reviews; l is what users are willing to check"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        l = count_ranks(x)
        distance = x.step("l − r + C", np.reshape(l, (-1, 1)) - x.r + x.C)
        return x.ratio(total(x.step("I·(l − r + C)", x.I * distance)), x.R * l)


@measure
class ESL(Measure):
    """Expected search length: nonrelevant items seen until `q` relevant ones are found.

    ESL = r_q − q, r_q the rank of the q-th relevant item; if the list holds only C < q of them,
    ESL = (n − C) + (q − C)·i/(R − C + 1), i the nonrelevant items below the list

    What was not returned is one level of tied items below the list, as Cooper has it. `size` is the
    number of items in the collection, so that i = size − n − (R − C); without it, i is taken to be
    N, as many as were judged nonrelevant, and such searches are too short. If fewer than q items
    are relevant, users look for all of them. `--ties expected` gives Cooper's mean over the orders
    of tied items, j + s·i/(r + 1).

    >>> ESL()([0, 0, 1], judged=[1, 0, 0]), ESL(q=2)([1, 0, 0, 1], judged=[1, 1, 0, 0])
    (2.0, 2.0)
    >>> ESL(q=2, size=8)([0, 1], judged=[1, 1, 0])  # 1, and of 5 others the half, 5/(1 + 1)
    3.5
    """

    q: float = param(1, "relevant items that are looked for", low=1, whole=True)
    size: float | None = param(None, "items in the collection", low=1, whole=True)
    rel: float | None = rel_param()
    better = "lower"
    references = cite("cooper1968")
    task = "how many useless items it costs to find one, or several; ties in the mean"
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
