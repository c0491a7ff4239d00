"""Graded versions of binary measures that do not use a blended ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import InputError
from cranfield.measures.base import Measure, NormalisedMeasure, cite, has, measure
from cranfield.measures.cumulated import CumulatedMeasure
from cranfield.measures.gains import MAX_LEVELS, compute_gains
from cranfield.measures.lists import Lists, to_floats, total
from cranfield.measures.parameters import max_level_param, param, rel_param


@measure
class GAP(Measure):
    """Graded average precision: AP averaged over users with different relevance thresholds.

    GAP = Σ_n (1/n) Σ_{m≤n} Δ(m, n)  /  Σ_i R_i Σ_{j≤i} g_j
    Δ(m, n) = Σ_{j≤min(level_m, level_n)} g_j

    g_j is the probability that a user's threshold is level j, so GAP is a mean of AP over
    thresholds: Σ_j g_j Σ_r I_j(r)·C_j(r)/r over Σ_j g_j R_j, with index j for items of level j or
    higher. `thresholds` have equal probabilities (uniform), proportional to the level (level:
    NTCIREVAL's), or proportional to given numbers. At a cutoff the denominator uses the top l of
    the ideal list, like NTCIREVAL. Levels between integers count in proportion. With
    thresholds=level, Δ is m(m + 1)/2 for any m.

    >>> round(GAP()([1, 2], judged=[2, 1]), 4)  # (1·1 + 2/2·1 + 1/2·1)/(1·2 + 1·1)
    0.8333
    """

    thresholds: Any = param("uniform", "probabilities of thresholds: uniform, level, or a table "
                                       "such as 3:2:1",
                            choices=("uniform", "level"), low=0, table=True)  # fmt: skip
    max_level: float | None = max_level_param()
    references = cite("robertson2010", "sakai2011song")
    task = "informational search with graded judgments, users with different standards"
    properties = has("graded", "normalised")
    takes_gains = False
    holds_under_ties = True

    def score(self, x: Lists) -> Floats:
        sums, maximum = np.zeros(len(x)), np.zeros(len(x))
        for level, weight in self.compute_level_weights(x):
            y, best = x.with_threshold(level), x.ideal
            sums += weight * total(y.I * y.C / y.r)
            maximum += weight * total(best.judged & (best.level >= level))
        return x.ratio(sums, maximum)

    def compute_level_weights(self, x: Lists) -> list[tuple[float, float]]:
        """Return all levels and the threshold probability of the step up to each level."""
        # Only gcompute has gains here, and a highest level per topic. One table serves all topics,
        # because no topic has a higher level. Gains in lists are rounded, maybe above ideal gains.
        h = float(x.h if x.gold.tops is None else np.max(x.gold.distinct, initial=0.0))
        if h > MAX_LEVELS:
            problem = f"highest level is {h:g}, maximum {MAX_LEVELS}"
            raise InputError.from_problem(problem, where=self)
        top = max(1, int(np.ceil(h)))
        if self.thresholds == "uniform":
            g = np.ones(top)
        elif self.thresholds == "level":
            g = np.arange(1.0, top + 1.0)
        else:
            g = compute_gains(self.thresholds, np.arange(1.0, top + 1.0), "thresholds")
        levels = np.union1d(np.arange(1.0, top + 1.0), x.gold.distinct[x.gold.distinct > 0])
        levels = np.append(0.0, np.unique(np.minimum(levels, h)))
        upto = np.interp(levels, np.arange(top + 1.0), np.append(0.0, np.cumsum(g)))
        if self.thresholds == "level":  # 1 + 2 + … + x, for any x: NTCIREVAL's gains, too
            upto = levels * (levels + 1.0) / 2.0
        return list(zip(levels[1:].tolist(), np.diff(upto).tolist(), strict=True))


class CumulatedPrecision(CumulatedMeasure):
    """Σ_r I(r)·cg(r)/r, the sum in gAP."""

    def score(self, x: Lists) -> Floats:
        return total(x.step("cg/r", x.I * x.cg / x.r))


@measure
class gAP(NormalisedMeasure, CumulatedPrecision):
    """Generalised average precision (Kishida): the mean gain up to each relevant item.

    gAP = Σ_r I(r)·cg(r)/r  /  Σ_{r≤R} cg*(r)/r

    >>> gAP()([1, 3], judged=[3, 1])  # (1/1 + 4/2) / (3/1 + 4/2)
    0.6
    """

    references = cite("kishida2005")
    task = "informational search with graded judgments"


@measure
class WRR(Measure):
    """Weighted reciprocal rank: reciprocal rank with a slight preference for higher levels.

    WRR = max_r δ_x / (r − 1/β_x), x the level at r

    δ is 1 from the lowest relevant level on, else 0. β_x > 1 is smaller for higher levels. The
    default is h + 2 − x: 2 for the highest level, 3 for the next. As β > 1, a low level at rank 1
    beats a high one at rank 2. With β = ∞ for all levels it is RR.

    >>> round(WRR(max_level=2)([1, 2]), 4)  # 1/(1 − 1/3), not 1/(2 − 1/2)
    1.5
    """

    beta: Any = param(None, "β of levels 1, 2, … such as 4:3:2, or one for all (default: h + 2 − "
                            "x)", low=1, open_ends=True, table=True, infinite=True)  # fmt: skip
    rel: float | None = rel_param()
    max_level: float | None = max_level_param()
    references = cite("eguchi2003", "sakai2007one")
    task = "navigational search with graded judgments"
    range = "0 to 1/(1 − 1/β) of the highest level"
    takes_gains = False
    properties = has("graded", "recall-independent", "diminishing return")

    def score(self, x: Lists) -> Floats:
        values = x.step("δ/(r − 1/β)", x.I / (x.r - 1.0 / self.compute_betas(x, x.level)))
        return to_floats(values.max(axis=1, initial=0.0))

    def compute_betas(self, x: Lists, level: Floats) -> Floats:
        """Return β of levels."""
        if self.beta is None:
            return to_floats(x.h + 2.0 - np.clip(level, 0.0, x.h))
        if len(self.beta) == 1:
            return np.full(level.shape, self.beta[0])
        betas = compute_gains(self.beta, level, "beta")
        return np.where(betas > 0, betas, np.inf)  # level 0 has no β

    def takes_max_level(self) -> bool:
        return self.beta is None and self.max_level is None

    def rewards_better_items(self) -> bool:
        falling = self.beta is None or list(self.beta) == sorted(self.beta, reverse=True)
        return falling and super().rewards_better_items()


@measure
class NWRR(WRR):
    """Normalised weighted reciprocal rank: WRR divided by its maximum.

    NWRR = (1 − 1/β_h) · max_r δ_x / (r − 1/β_x), h the highest level

    >>> NWRR(max_level=2)([2, 1]), round(NWRR(max_level=2)([1, 2]), 4)
    (1.0, 0.75)
    """

    range = "0 to 1"

    def score(self, x: Lists) -> Floats:
        top = 2.0 if self.beta is None else self.beta[-1]
        return (1.0 - 1.0 / top) * super().score(x)


@measure
class Compat(Measure):
    """Compatibility: the overlap of the list with the most similar ideal list.

    Compat = RBO(list, ideal) / RBO(ideal, ideal)
    RBO    = Σ_d p^(d−1)·o(d)/d  /  Σ_d p^(d−1), o(d) the items the tops of length d share

    The ideal list contains the relevant items by level. Items of one level are in the order of the
    list. d runs to the end of the longer of the two lists, or to `depth` (1000 in the authors'
    program). `normalize=false` omits the denominator.

    >>> Compat()([2, 1, 0], judged=[2, 1, 0]), Compat(p=0.5)([1, 2], judged=[2, 1])  # 0.5/1.5
    (1.0, 0.3333333333333333)
    """

    p: float = param(0.95, "persistence of rank-biased overlap", low=0, high=1, open_ends=True)
    normalize: bool = param(True, "divide by the value of the ideal list")
    depth: float | None = param(
        None, "deepest rank at which overlap counts (default: end of the longer list)", low=1, whole=True
    )
    references = cite("clarke2021")
    task = "the best items first, as with preference judgments"
    properties = has("graded", "normalised", "diminishing return")

    def score(self, x: Lists) -> Floats:
        n = x.n if x.l is None else np.minimum(x.n, x.l)
        longer = np.maximum(n, x.R) if self.depth is None else np.full(len(x), self.depth)
        depth = longer.astype(np.int64)
        d = np.arange(1, int(depth.max(initial=0)) + 1)
        weight = np.concatenate(([0.0], np.cumsum(self.p ** (d - 1.0) / d)))

        def compute_overlap(since: Any, relevant: Floats) -> Floats:
            """Sum the weights of shared items, from the depth at which both lists have them."""
            since = np.minimum(since, depth[:, None] + 1).astype(np.int64)
            return total(relevant * (weight[depth][:, None] - weight[since - 1]))

        shared = compute_overlap(np.maximum(x.r, self.find_ideal_ranks(x)), x.I)
        if not self.normalize:
            return x.ratio(shared * (1.0 - self.p), 1.0 - self.p ** depth.astype(np.float64))
        best = x.whole_ideal
        return x.ratio(shared, compute_overlap(best.r, best.I))

    def find_ideal_ranks(self, x: Lists) -> Floats:
        """Return the rank of each item in the ideal list most similar to the list."""
        rank = np.ones(x.r.shape)
        for v in np.unique(x.level[x.I > 0]):
            at_level = (x.level == v) * x.I
            higher = (x.gold.judged & (x.gold.levels > v)).sum(axis=1)
            rank = np.where(at_level > 0, higher[:, None] + np.cumsum(at_level, axis=1), rank)
        return rank
