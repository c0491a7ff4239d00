"""Experimental gain measures of trec_eval."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, to_floats, total
from cranfield.measures.parameters import GainSetting, gain_param, rel_param
from cranfield.measures.sets import count_returned


@measure
class binG(Measure):
    """Binary G: relevant items, discounted by the nonrelevant items above them.

    binG = (1/R) Σ_r I(r) / log2(2 + r − C(r))

    >>> binG()([1, 1], judged=[1, 1]), round(binG()([None, 1], judged=[1]), 4)  # 1/log2(3)
    (1.0, 0.6309)
    """

    rel: float | None = rel_param()
    references = cite("buckley2005")
    task = "a compromise of AP and nDCG"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        d = x.step("d", np.log2(2.0 + x.r - x.C))
        return x.ratio(total(x.step("I/d", ratio(x.I, d))), x.R)


class GradedMeasure(Measure):
    """Base of the graded measures. They use the whole list and all gains."""

    gain: GainSetting = gain_param()
    rel: float | None = rel_param("levels below this have gain 0")
    takes_raw_gains = True
    references = cite("buckley2005")
    task = "a compromise of AP and nDCG"
    properties = has("graded", "normalised")


@measure
class G(GradedMeasure):
    """G: gains, discounted by the additional gain of the ideal list at the same rank.

    G = Σ_r g(r) / log2(2 + Σ_{k≤r} max(g*(k), 1) − cg(r))  /  Σ_r g*(r)

    >>> G()([2, 1], judged=[2, 1]), round(G()([None, 1], judged=[1]), 4)  # 1/log2(2 + 2 − 1)
    (1.0, 0.6309)
    """

    may_fall = True  # what is gained above an item lowers its discount

    def score(self, x: Lists) -> Floats:
        ideal = x.whole_ideal
        cost = np.cumsum(np.maximum(ideal.g, 1.0), axis=1)
        d = x.step("d", np.log2(2.0 + extend_cumulated(cost, x.r, 1.0) - x.cg))
        return x.ratio(total(x.step("g/d", ratio(x.g, d))), total(ideal.g))


@measure
class nDCGrel(GradedMeasure):
    """nDCG, averaged over the relevant items.

    nDCGrel = (1/R) Σ_{relevant items} nDCG at their rank (not retrieved: nDCG at the end)

    >>> nDCGrel()([2, 1], judged=[2, 1])
    1.0
    """

    def score(self, x: Lists) -> Floats:
        ideal = x.whole_ideal
        best = np.cumsum(ideal.g / np.log2(ideal.r + 1.0), axis=1)
        dcg = np.cumsum(x.g / np.log2(x.r + 1.0), axis=1)
        ndcg = x.step("nDCG(r)", ratio(dcg, extend_cumulated(best, x.r, 0.0)))
        at_end = ratio(get_last_column(dcg), get_last_column(best))
        relevant = (x.g > 0).astype(np.float64)
        R = total(ideal.g > 0)
        return x.ratio(total(relevant * ndcg) + (R - total(relevant)) * at_end, R)


@measure
class RnDCG(GradedMeasure):
    """nDCG, averaged over the ranks before a lower gain in the ideal list.

    RnDCG = mean of nDCG@k over these ranks k, and over the end of a longer list

    The end of the list counts if the list is more than one item longer than R.

    >>> RnDCG()([2, 1], judged=[2, 1])
    1.0
    """

    holds_under_ties = True

    def score(self, x: Lists) -> Floats:
        ideal = x.whole_ideal
        best = np.cumsum(ideal.g / np.log2(ideal.r + 1.0), axis=1)
        gains = np.zeros((len(x), best.shape[1] + 1))
        rows = np.broadcast_to(np.arange(len(x))[:, None], x.r.shape)
        within = x.judged & (x.r <= best.shape[1])
        gains[rows[within], x.r[within]] = (x.g / np.log2(x.r + 1.0))[within]
        dcg = np.cumsum(gains, axis=1)[:, 1:]
        next_gain = np.concatenate((ideal.g[:, 1:], np.zeros((len(x), 1))), axis=1)
        changes = (ideal.g > 0) & (next_gain != ideal.g)
        goes_on = count_returned(x) > total(ideal.g > 0) + 1
        at_end = ratio(total(x.g / np.log2(x.r + 1.0)), get_last_column(best))
        points = total(changes) + goes_on
        return x.ratio(total(changes * ratio(dcg, best)) + goes_on * at_end, points)


def get_last_column(x: Floats) -> Floats:
    """Return the last column, 0 if there is none."""
    return x[:, -1] if x.shape[1] else np.zeros(len(x))


def extend_cumulated(cumulated: Floats, r: Ints, step: float) -> Floats:
    """Return a cumulated quantity of the ideal list, plus `step` per rank beyond it."""
    width = cumulated.shape[1]
    if not width:
        return step * r.astype(np.float64)
    within = np.take_along_axis(cumulated, np.minimum(r, width) - 1, axis=1)
    return to_floats(within + step * np.maximum(r - width, 0))
