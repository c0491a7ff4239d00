"""Cumulative gain up to a rank, divided by the ideal cumulative gain."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, total
from cranfield.measures.parameters import GainSetting, beta_param, gain_param, graded_rel_param
from cranfield.measures.sets import count_ranks


class CumulatedMeasure(Measure):
    """Base of measures that sum gains, which hold for expected gains."""

    gain: GainSetting = gain_param()
    rel: float | None = graded_rel_param()
    holds_under_ties = True
    properties = has("graded", "normalised")


def sum_gains(x: Lists, rank: Floats) -> Floats:
    """Return cg(rank), the gain up to a rank of each list."""
    return total(x.g * (x.r <= rank))


@measure
class nCG(CumulatedMeasure):
    """Normalised cumulative gain (normalised sliding ratio): gain over the ideal gain.

    nCG@l = cg(l) / cg*(l)

    Without a cutoff it is the fraction of all gain that is in the list: graded recall.

    >>> (nCG @ 2)([1, 0, 3], judged=[3, 1, 0])
    0.25
    """

    references = cite("pollock1968", "jarvelin2002")
    task = "graded relevance of the first page, in any order"

    def score(self, x: Lists) -> Floats:
        ideal = x.gold.cache(("nCG", self), lambda: total(x.ideal.g))
        return x.ratio(x.step("cg(l)", total(x.g)), x.step("cg*(l)", ideal))


@measure
class nG(CumulatedMeasure):
    """Normalised gain: the gain at one rank over the ideal gain there.

    nG@l = g(l) / g*(l);   nG without a cutoff is nG@1

    nG@1 is the quality of the first answer. With binary relevance it is accuracy. At deeper ranks
    the ideal list can have less gain than the list, so the value can be above 1.

    >>> nG()([1, 3], judged=[3, 1])
    0.3333333333333333
    """

    references = cite("sakai2010cqa")
    task = "one answer: question answering"
    range = "0 to 1 at rank 1"
    cutoff_meaning = "the rank (default: 1)"

    def score(self, x: Lists) -> Floats:
        rank = x.l or 1
        return x.ratio(total(x.g * (x.r == rank)), total(x.ideal.g * (x.ideal.r == rank)))

    def rewards_better_items(self) -> bool:
        return (self.cutoff or 1) == 1 and super().rewards_better_items()


@measure
class BR(CumulatedMeasure):
    """Blended ratio: precision and normalised cumulative gain in one.

    BR(l) = (C(l) + β·cg(l)) / (l + β·cg*(l))

    Without a cutoff l is the length of the list. It is the utility in Q, O, P-measure and P+.

    >>> (BR @ 3)([None, 0, 1], judged=[1, 0])  # Sakai 2011, Figure 1: 0.5000
    0.5
    """

    beta: float = beta_param()
    references = cite("sakai2004", "sakai2014metrics")
    task = "graded precision of the first page"

    def score(self, x: Lists) -> Floats:
        return self.compute_blended_ratio(x, np.broadcast_to(count_ranks(x), (len(x),)))

    def compute_blended_ratio(self, x: Lists, rank: Floats) -> Floats:
        """Return the blended ratio at a rank of each list."""
        ranks = rank[:, None]
        C, cg = total(x.I * (x.r <= ranks)), sum_gains(x, ranks)
        return x.ratio(C + self.beta * cg, rank + self.beta * sum_gains(x.whole_ideal, ranks))


@measure
class Rmeasure(BR):
    """R-measure: the blended ratio at rank R.

    Rmeasure = BR(R) = (C(R) + β·cg(R)) / (R + β·cg*(R))

    >>> Rmeasure()([1, 3, None], judged=[3, 1])
    1.0
    """

    task = "informational search with graded judgments, at the same point for every topic"

    def score(self, x: Lists) -> Floats:
        return self.compute_blended_ratio(x, x.R)

    def decided(self, x: Lists) -> Floats:
        return x.R
