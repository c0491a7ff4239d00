"""Measures for incomplete judgments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, ratio, sum_above, total
from cranfield.measures.parameters import GainSetting, gain_param, max_level_param, rel_param


class PreferenceMeasure(Measure):
    """Relevant items above nonrelevant items. Unjudged items are ignored."""

    rel: float | None = rel_param()
    references = cite("buckley2004", "sakai2007")
    ignores_unjudged = True
    task = "incomplete judgments; condensed-list AP is usually the better choice"

    def count_misplaced(self, x: Lists) -> Floats:
        """Return n(r), judged nonrelevant items above r (condensed list: r' − C(r'))."""
        return x.step("nonrelevant above", sum_above(x.J - x.I))

    def mean(self, x: Lists, penalty: Floats) -> Floats:
        """Return (1/R) Σ_r I(r)·(1 − penalty)."""
        return x.ratio(total(x.step("1 − penalty", x.I * (1.0 - penalty))), x.R)


@measure
class bpref(PreferenceMeasure):
    """Binary preference: penalises judged nonrelevant items above relevant ones.

    bpref = (1/R) Σ_r I(r) · (1 − min(R, n(r)) / min(R, N))

    n(r) is the number of judged nonrelevant items above r. This is bpref_R if R ≤ N and bpref_N if
    R ≥ N (Sakai 2014, equations 22 and 23), and trec_eval's bpref.

    >>> bpref()([None, 0, 1], judged=[1, 0])  # Sakai 2011, section 3.2: zero
    0.0
    >>> bpref()([1, None, 1, 0], judged=[1, 1, 0, 0])
    1.0
    """

    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        R, N = x.R[:, None], x.N[:, None]
        return self.mean(x, ratio(np.minimum(self.count_misplaced(x), R), np.minimum(R, N)))


@measure
class GMbpref(bpref):
    """bpref, summarised over topics by its geometric mean, which stresses hard topics.

    GMbpref = exp((1/T) Σ_topics log max(bpref, 0.00001))

    >>> GMbpref()([1, None, 1, 0], judged=[1, 1, 0, 0])
    1.0
    """

    summary = "gmean"
    references = cite("robertson2006")
    task = "detecting systems that fail badly on some topics"


@measure
class bpref_R(PreferenceMeasure):
    """bpref for topics with at most as many relevant as nonrelevant items.

    bpref_R = (1/R) Σ_r I(r) · (1 − min(R, n(r)) / R)

    >>> bpref_R()([0, 1, 1], judged=[1, 1, 0, 0])
    0.5
    """

    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        R = x.R[:, None]
        return self.mean(x, ratio(np.minimum(self.count_misplaced(x), R), R))


@measure
class bpref_N(PreferenceMeasure):
    """bpref for topics with at least as many relevant as nonrelevant items, also RankEff.

    bpref_N = (1/R) Σ_r I(r) · (1 − n(r) / N)

    >>> bpref_N()([0, 1, 1], judged=[1, 1, 0, 0])
    0.5
    """

    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        return self.mean(x, ratio(self.count_misplaced(x), x.N[:, None]))


class RelativePreferenceMeasure(Measure):
    """Preferences between levels: a penalty for each item with a lower gain above.

    pen(r) = Σ_{k<r, g(k)<g(r)} (g(r) − g(k))/g(r), in the condensed list
    """

    gain: GainSetting = gain_param()
    rel: float | None = rel_param()
    references = cite("debeer2006", "sakai2007")
    ignores_unjudged = True
    task = "incomplete graded judgments; condensed-list Q is usually the better choice"

    def compute_penalty(self, x: Lists) -> Floats:
        """Return pen(r), summed over the gains that occur."""
        pen = np.zeros(x.g.shape)
        for v in np.unique(x.g[x.judged]):
            pen += sum_above(x.J * (x.g == v)) * ratio(np.maximum(x.g - v, 0.0), x.g)
        return x.step("pen", pen)

    def compute_place(self, x: Lists) -> Floats:
        """Return r', the rank in the condensed list."""
        return x.step("r'", np.cumsum(x.J, axis=1))

    def compute_ratio(self, x: Lists, penalty: Floats) -> Floats:
        """Return Σ_r g(r)·(1 − penalty) / Σ g*."""
        gains = total(x.step("g·(1 − penalty)", x.g * (1.0 - penalty)))
        return x.ratio(gains, total(x.whole_ideal.g))


@measure
class rpref_N(RelativePreferenceMeasure):
    """Graded preference with penalties relative to the items that could be above.

    rpref_N = Σ_r g(r)·(1 − pen(r)/d) / Σ g*,   d = R + N − Σ g*/g_h
    pen(r)  = Σ_{k<r, g(k)<g(r)} (g(r) − g(k))/g(r), in the condensed list

    >>> round(rpref_N(gain="1:2")([None, 0, 1], judged=[1, 0]), 4)  # NTCIREVAL: 0.3333
    0.3333
    """

    max_level: float | None = max_level_param()
    properties = has("graded", "normalised")
    may_fall = True  # at a cutoff (or a depth) an item's penalty may outweigh its gain

    def score(self, x: Lists) -> Floats:
        d = x.R + x.N - ratio(total(x.whole_ideal.g), x.g_h)
        return self.compute_ratio(x, ratio(self.compute_penalty(x), d[:, None]))

    def takes_max_level(self) -> bool:
        return self.has_open_max_level(self.gain == "binary")


@measure
class rpref_relative(RelativePreferenceMeasure):
    """Graded preference with penalties relative to the rank. Rank 1 is skipped.

    rpref_relative = Σ_{r'>1} g(r')·(1 − pen(r')/(r' − 1)) / Σ g*, in the condensed list
    pen(r) = Σ_{k<r, g(k)<g(r)} (g(r) − g(k))/g(r)

    It is undefined at rank 1, so an item there adds 0. rpref_relative2 corrects that.

    >>> rpref_relative()([0, 1], judged=[1, 0]), rpref_relative()([0, 0, 1], judged=[1, 0, 0])
    (0.0, 0.0)
    """

    properties = has("graded")

    def score(self, x: Lists) -> Floats:
        r = self.compute_place(x)
        return self.compute_ratio(x, np.where(r > 1, ratio(self.compute_penalty(x), r - 1.0), 1.0))


@measure
class rpref_relative2(RelativePreferenceMeasure):
    """Graded preference with penalties relative to the rank. On binary data: condensed AP.

    rpref_relative2 = Σ_r' g(r')·(1 − pen(r')/r') / Σ g*, in the condensed list
    pen(r) = Σ_{k<r, g(k)<g(r)} (g(r) − g(k))/g(r)

    >>> rpref_relative2()([None, 0, 1], judged=[1, 0])  # NTCIREVAL: 0.5
    0.5
    """

    properties = has("graded", "normalised")

    def score(self, x: Lists) -> Floats:
        return self.compute_ratio(x, self.compute_penalty(x) / np.maximum(self.compute_place(x), 1.0))


@measure
class bpref_relative(PreferenceMeasure):
    """bpref with penalties relative to the rank: rpref_relative on binary judgments.

    bpref_relative = (1/R) Σ_{r'>1} I(r')·(1 − n(r')/(r' − 1)), in the condensed list

    >>> bpref_relative()([1, 0, 1], judged=[1, 1, 0])  # rank 1 is skipped
    0.25
    """

    def score(self, x: Lists) -> Floats:
        place = np.cumsum(x.J, axis=1)
        return self.mean(x, np.where(place > 1, ratio(self.count_misplaced(x), place - 1.0), 1.0))


@measure
class infAP(Measure):
    """Inferred average precision: AP estimated from a judged sample of a pool.

    infAP = (1/R) Σ_r I(r)·(1/r + p(r)/r · (c(r) + ε)/(c(r) + n(r) + 2ε)),   ε = 0.00001

    Above r, p(r) items are in the pool, c(r) of them judged relevant and n(r) nonrelevant. A level
    below 0 in the judgments means pooled but not judged.

    >>> round(infAP()([1, -1, 1], judged=[1, 1, -1]), 4)  # 1, and 1/3 + 2/3·1 if all are relevant
    1.0
    """

    rel: float | None = rel_param()
    takes_unsampled = True
    takes_gains = False  # it asks which levels are below 0
    references = cite("yilmaz2006")
    task = "pools with only a random sample judged"
    properties = has("normalised")
    may_fall = True  # an item pooled but not judged is better above than below

    def score(self, x: Lists) -> Floats:
        eps = 1e-5
        c, pooled, judged = sum_above(x.I), sum_above(x.J), sum_above(x.judged & (x.level >= 0))
        precision = x.step("precision above", (c + eps) / (judged + 2 * eps))
        inferred = np.where(x.r == 1, 1.0, (1.0 + pooled * precision) / x.r)
        return x.ratio(total(x.step("inferred", x.I * inferred)), x.R)


# -- judgments that are a sample ------------------------------------------------------------------


HALF = 0.5 + 1e-9  # also where rounding has made a little less of it


class Stratum(NamedTuple):
    """A part of the pool from which documents were sampled."""

    is_listed: Bools  # [lists, items] which items of the lists are in it
    is_pooled: Bools  # [lists, items] which of all
    is_judged: Bools  # [lists, items] and which of these were drawn
    scale: tuple[Floats, Floats]  # [lists] N_s, n_s: how many are in it, and were drawn

    def estimate_count(self, mask: Bools) -> Floats:
        """Estimate a count in the stratum: N_s/n_s times the count in the sample."""
        size, sample = self.scale
        return ratio(mask.sum(axis=1) * size, sample)


class SampleMeasure(Measure):
    """Base of estimates from judgments sampled from the strata of a pool.

    A level below 0 means pooled but not sampled. Without strata, the pool is one stratum.
    """

    rel: float | None = rel_param()
    takes_samples = True
    takes_unsampled = True
    takes_gains = False  # it asks which levels are below 0
    references = cite("yilmaz2008")
    may_fall = True  # an item pooled but not judged is better above than below

    def iter_strata(self, x: Lists) -> Iterator[Stratum]:
        """Yield the strata of all topics."""
        gold = x.gold
        item_strata = np.zeros(x.level.shape) if x.stratum is None else x.stratum
        gold_strata = np.zeros(gold.levels.shape) if gold.strata is None else gold.strata.padded
        for s in np.unique(gold_strata[gold.judged]):
            pooled = gold.judged & (gold_strata == s)
            is_judged = pooled & (gold.levels >= 0)
            yield Stratum(
                x.judged & (item_strata == s),
                pooled,
                is_judged,
                (pooled.sum(axis=1).astype(np.float64), is_judged.sum(axis=1).astype(np.float64)),
            )


@measure
class xinfAP(SampleMeasure):
    """Extended inferred average precision: AP estimated from a sample of each stratum of a pool.

    xinfAP  = (1/R̂) Σ_r I(r)·(N_s/n_s)·E(r),   R̂ = Σ_s (N_s/n_s)·R_s
    E(r)    = 1/r + (1/r) Σ_s k_s(r)·(c_s(r) + ε)/(j_s(r) + 3ε),   ε = 0.00001

    Stratum s has N_s pooled documents, n_s of them judged, R_s relevant. Above r are k_s(r) of its
    documents, j_s(r) of them judged, c_s(r) relevant. Judgments are ``topic 0 doc stratum level``,
    with a level below 0 if a document was not sampled. TREC's sample_eval.pl prints this as infAP.
    It uses 1,000 documents per topic: xinfAP@1000.

    >>> round(xinfAP()([1, -1, 1], judged=[1, 1, -1]), 4)  # 1, and 1/3 + 2/3·1 if all are relevant
    1.0
    >>> round(xinfAP()([0, -1, 1], judged=[1, 0, -1]), 4)  # 1/3 + 2/3·(ε/(1 + 3ε))
    0.3333
    """

    task = "pools with a random sample judged, at a rate for each stratum"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        eps = 1e-5
        relevant = x.whole_ideal.I > 0  # the ideal list has all judged items, best first
        expected, weight = np.zeros(x.level.shape), np.zeros(x.level.shape)
        R = np.zeros(len(x))
        for s in self.iter_strata(x):
            judged_above = sum_above(s.is_listed & (x.level >= 0))
            expected += sum_above(s.is_listed) * (sum_above(x.I * s.is_listed) + eps) / (judged_above + 3 * eps)
            weight += s.is_listed * ratio(*s.scale)[:, None]
            R += s.estimate_count(s.is_judged & relevant)
        precision = x.step("E", (1.0 + expected) / x.r)
        sums = total(x.step("I·N_s/n_s·E", x.I * x.step("N_s/n_s", weight) * precision))
        return x.ratio(sums, x.step("R̂", R))


@measure
class infNDCG(SampleMeasure):
    """Inferred nDCG: nDCG estimated from a sample of each stratum of a pool.

    infNDCG@l = Σ_s (k_s/j_s) Σ_{r≤l in s} g(r)/log2(r + 1) / Σ_{r≤l} g*(r)/log2(r + 1)

    k_s is the number of documents of stratum s up to l, and j_s of these were judged. The ideal
    list has the estimated number of documents of each level, Σ_s (N_s/n_s)·R_s, rounded half up.
    Judgments are as for xinfAP. TREC's sample_eval.pl uses 1,000 documents: infNDCG@1000.

    The estimate can exceed 1.

    >>> round(infNDCG()([2, -1, 1], judged=[2, 1, -1]), 4)  # 3/2·2.5; ideal 2, 2, 1, 1: 4.1925
    0.8944
    """

    gain: GainSetting = gain_param()
    task = "graded judgments of a random sample of a pool, at a rate for each stratum"
    range = "from 0"
    properties = has("graded")

    def score(self, x: Lists) -> Floats:
        paid = x.step("g/log2(r + 1)", x.g / np.log2(x.r + 1.0))
        weight = np.zeros(x.level.shape)
        for s in self.iter_strata(x):
            judged = (s.is_listed & (x.level >= 0)).sum(axis=1)
            weight += s.is_listed * ratio(s.is_listed.sum(axis=1), judged)[:, None]
        dcg = total(x.step("g/log2(r + 1)·k_s/j_s", paid * x.step("k_s/j_s", weight)))
        return x.ratio(dcg, x.gold.cache(("inferred", self), lambda: self._estimate_ideal(x)))

    def _estimate_ideal(self, x: Lists) -> Floats:
        """Return the estimated DCG of the ideal list."""
        ideal, strata = x.whole_ideal, list(self.iter_strata(x))
        start, dcg = np.zeros(len(x), dtype=np.int64), np.zeros(len(x))
        for gain in sorted({*ideal.g[ideal.g > 0].tolist()}, reverse=True):
            estimated = np.zeros(len(x))
            for s in strata:
                estimated += s.estimate_count(s.is_judged & (ideal.g == gain))
            stop = start + np.floor(estimated + HALF).astype(np.int64)
            last = int(stop.max(initial=0)) if x.l is None else x.l
            discounts = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(np.arange(last) + 2.0))))
            dcg += gain * (discounts[np.minimum(stop, last)] - discounts[np.minimum(start, last)])
            start = stop
        return dcg
