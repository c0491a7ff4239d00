"""The equations written twice, and what they say of one another.

The second writing (`Naive`) is plain Python from the formulas of the papers, one topic and one
rank at a time, and shares nothing with the package, not even the defaults.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from tests.evidence import checks
from tests.made import examples

Collection = dict[str, dict[str, float]]
Level = float | None

BUILT_IN = {
    c.__name__: c for c in cf.REGISTRY.values() if c.__module__.startswith("cranfield.measures") and c.takes == "lists"
}
MODELS = [c for c in BUILT_IN.values() if issubclass(c, cf.UserModel)]

few = settings(max_examples=examples(25))


# -- the equations, once more -----------------------------------------------------------------

DEFAULTS: dict[str, Any] = {
    "rel": None,
    "gain": "linear",
    "max_level": None,
    "condensed": False,
    "measurement": "",
    "beta": 1.0,
    "alpha": None,
    "norm": "min",
    "mult": 1.0,
    "reach": "exact",
    "prob": "exp",
    "stop": "gu",
    "utility": "BR",
    "gamma": 0.95,
    "stops": None,
    "discount": "log2",
    "b": 2.0,
    "thresholds": "uniform",
    "normalize": True,
    "depth": None,
}
OWN_DEFAULTS: dict[str, dict[str, Any]] = {
    "RBP": {"p": 0.8},
    "nRBP": {"p": 0.8},
    "iRBU": {"p": 0.99},
    "niRBU": {"p": 0.99},
    "NCU": {"p": 0.99},
    "Compat": {"p": 0.95},
    "AP11": {"points": tuple(i / 10 for i in range(11))},
    "WRR": {"beta": None},
    "NWRR": {"beta": None},
    "Utility": {"a": 1.0, "b": -1.0, "c": 0.0, "d": 0.0, "docs": 0.0},
    "TBG": {
        "halflife": 224.0,
        "summary_time": 4.4,
        "click": 0.64,
        "miss": 0.39,
        "save": 0.77,
        "per_word": 0.018,
        "per_document": 7.8,
    },
    "U": {"L": 132000.0, "F": 0.2, "snippet": 200.0, "norm": 1.0},
    "ESL": {"q": 1.0, "size": None},
}


HALF = Fraction(1, 2)


def divided(a: float, b: float) -> float:
    """a/b, and 0 where there is nothing to divide by."""
    return a / b if b else 0.0


class Naive:
    """One list as one measure sees it: levels from the top (None: unjudged), and the judgments."""

    def __init__(
        self,
        levels: list[Level],
        judged: list[float],
        top: float,
        l: float | None = None,
        lengths: dict[str, list[float]] | None = None,
        **chosen: Any,
    ) -> None:
        self.levels, self.judged, self.top, self.lengths = levels, judged, top, lengths or {}
        self.chosen, self.s = chosen, SimpleNamespace(**chosen)
        if self.s.condensed:
            kept = [i for i, x in enumerate(levels) if x is not None]
            self.levels = [levels[i] for i in kept]
            self.lengths = {u: [every[i] for i in kept] for u, every in self.lengths.items()}
        self.l: Any = l
        self.shown = self.levels if l is None else self.levels[: int(l)]

    @property
    def ideal(self) -> Naive:
        harmless = [x for x in self.judged if x > 0] if self.s.gain == "raw" else self.judged
        best: list[Level] = sorted(harmless, reverse=True)  # type: ignore[assignment]
        chosen = {**self.chosen, "condensed": False}
        return Naive(best, self.judged, self.top, self.l, **chosen)

    # -- levels, gains and counts

    @property
    def h(self) -> float:
        """The highest level: declared, at the end of the gain table, or in the judgments."""
        if self.s.max_level is not None:
            return float(self.s.max_level)
        return self.top if isinstance(self.s.gain, str) else float(len(self.s.gain))

    def gain(self, x: float) -> float:
        if self.s.gain == "raw":
            return x
        if x <= 0:
            return 0.0
        if self.s.gain == "linear":
            return x
        if self.s.gain == "exp":
            return float(2.0**x - 1)
        if self.s.gain == "binary":
            return 1.0
        return float(self.s.gain[int(x) - 1])

    def g(self, x: Level) -> float:
        if x is None or (self.s.rel is not None and x < self.s.rel):
            return 0.0
        return self.gain(x if self.s.max_level is None else min(x, self.s.max_level))

    def is_rel(self, x: Level) -> bool:
        if x is None:
            return False
        return x >= self.s.rel if self.s.rel is not None else self.g(x) > 0

    @property
    def R(self) -> int:
        return sum(self.is_rel(x) for x in self.judged)

    @property
    def N(self) -> int:
        return len(self.judged) - self.R

    def C(self, r: float) -> int:
        return sum(self.is_rel(x) for x in self.shown[: int(r)])

    def cg(self, r: float) -> float:
        return sum(self.g(x) for x in self.shown[: int(r)])

    def cg_ideal(self, r: float) -> float:
        return sum(self.g(x) for x in sorted(self.judged, reverse=True)[: int(r)])

    def relevant(self) -> list[int]:
        """The ranks of relevant items."""
        return [r for r, x in enumerate(self.shown, 1) if self.is_rel(x)]

    @property
    def found(self) -> int:
        return len(self.relevant())

    @property
    def looked_at(self) -> int:
        return len(self.shown) if self.l is None else self.l

    # -- sets

    def P(self) -> float:
        return divided(self.found, self.looked_at)

    def SetP(self) -> float:
        return divided(self.found, len(self.shown))

    def Recall(self) -> float:
        return divided(self.found, self.R)

    SetRecall = Recall

    def harmonic(self, P: float) -> float:
        Rec, a, b = self.Recall(), self.s.alpha, self.s.beta
        if P == 0 or Rec == 0:
            return 0.0
        if a is None:
            return float((b**2 + 1) * P * Rec / (b**2 * P + Rec))
        return float(1 / (a / P + (1 - a) / Rec))

    def F(self) -> float:
        return self.harmonic(self.P())

    def SetF(self) -> float:
        return self.harmonic(self.SetP())

    def E(self) -> float:
        return 1 - self.F()

    def Success(self) -> float:
        return float(self.found > 0)

    def items(self, share: float) -> int:
        """How many items a share of R are."""
        if self.s.reach == "nearest":
            return math.floor(share * self.R + 0.5)
        if self.s.reach == "trec9":
            return math.floor(share * self.R + 0.9)
        return math.ceil(Fraction(str(share)) * self.R)

    def Rprec(self) -> float:
        k = self.items(self.s.mult)
        return divided(self.C(k), k)

    def RelP(self) -> float:
        return divided(self.found, min(self.looked_at, self.R))

    def SetRelP(self) -> float:
        return divided(self.found, min(len(self.shown), self.R))

    def SetAP(self) -> float:
        return self.SetP() * self.Recall()

    def Utility(self) -> float:
        other, missed = len(self.shown) - self.found, self.R - self.found
        rest = self.s.docs - self.found - other - missed
        s = self.s
        return float(s.a * self.found + s.b * other + s.c * missed + s.d * rest)

    def PairAccuracy(self) -> float:
        right = pairs = 0
        for a, x in enumerate(self.shown):
            for b, y in enumerate(self.shown):
                if self.is_rel(x) and not self.is_rel(y):
                    pairs += 1
                    right += a < b
        return right / pairs if pairs else float(self.found > 0)

    # -- cumulated gain

    def nCG(self) -> float:
        return divided(self.cg(len(self.shown)), self.cg_ideal(self.l or len(self.judged)))

    def nG(self) -> float:
        at = self.l or 1
        here = self.g(self.shown[at - 1]) if len(self.shown) >= at else 0.0
        return divided(here, self.cg_ideal(at) - self.cg_ideal(at - 1))

    def blended(self, r: float) -> float:
        beta = self.s.beta
        return divided(self.C(r) + beta * self.cg(r), r + beta * self.cg_ideal(r))

    def BR(self) -> float:
        return self.blended(self.looked_at)

    def Rmeasure(self) -> float:
        return self.blended(self.R)

    # -- stopping

    def satisfaction(self, x: Level) -> float:
        g = self.g(x)
        if self.s.prob == "linear":
            return g / (self.g_h + 1)
        if x is None or g == 0:
            return 0.0
        return (2 ** min(x, self.h) - 1) / 2**self.h

    @property
    def g_h(self) -> float:
        return self.gain(self.h)

    def preferred(self) -> int:
        """rp: the first rank with the highest level found; 0 if nothing relevant is."""
        best = max((self.shown[r - 1] for r in self.relevant()), default=None)  # type: ignore[type-var]
        return next((r for r in self.relevant() if self.shown[r - 1] == best), 0)

    def stops(self, stop: str) -> dict[int, float]:
        """The probability of stopping at each rank."""
        at = self.relevant()
        most = self.R if self.l is None or self.s.norm == "R" else min(self.l, self.R)
        if stop == "u":
            return dict.fromkeys(at, 1 / most) if at else {}
        if stop == "rb":
            every = sum(self.s.gamma ** (k - 1) for k in range(1, most + 1))
            return {r: self.s.gamma ** (self.C(r) - 1) / every for r in at}
        if stop == "gu":
            every = sum(self.stop_value(x) for x in self.ideal.shown)
            return {r: divided(self.stop_value(self.shown[r - 1]), every) for r in at}
        if stop == "r1":
            return dict.fromkeys(at[:1], 1.0)
        if stop == "rp":
            return {r: 1.0 for r in at if r == self.preferred()}
        if stop == "to_rp":
            return {r: 1 / self.C(self.preferred()) for r in at if r <= self.preferred()}
        going_on, probability = 1.0, {}
        for r, x in enumerate(self.shown, 1):  # sat
            probability[r] = going_on * self.satisfaction(x)
            going_on *= 1 - self.satisfaction(x)
        return probability

    def stop_value(self, x: Level) -> float:
        if self.s.stops is None:
            return self.g(x)
        return float(self.s.stops[int(x) - 1]) if x and x > 0 and self.is_rel(x) else 0.0

    def utility(self, utility: str, r: int) -> float:
        if utility == "P":
            return self.C(r) / r
        if utility == "BR":
            return self.blended(r)
        return 1 / r if utility == "RR" else float(self.s.p**r)

    def users(self, stop: str, utility: str) -> float:
        return sum(p * self.utility(utility, r) for r, p in self.stops(stop).items())

    def NCU(self) -> float:
        return self.users(self.s.stop, self.s.utility)

    def RR(self) -> float:
        return 1 / self.relevant()[0] if self.found else 0.0

    def precisions(self) -> float:
        return sum(self.C(r) / r for r in self.relevant())

    def AP(self) -> float:
        below = self.R if self.l is None or self.s.norm == "R" else min(self.l, self.R)
        return divided(self.precisions(), below)

    GMAP = AP

    def YAAP(self) -> float:
        S = self.precisions()
        return math.log((1 + S) / (1 + self.R - S))

    def Q(self) -> float:
        below = self.R if self.l is None else min(self.l, self.R)
        return divided(sum(self.blended(r) for r in self.relevant()), below)

    def O(self) -> float:  # noqa: E743
        return self.blended(self.relevant()[0]) if self.found else 0.0

    def Pmeasure(self) -> float:
        return self.blended(self.preferred()) if self.found else 0.0

    def Pplus(self) -> float:
        to = [r for r in self.relevant() if r <= self.preferred()]
        return divided(sum(self.blended(r) for r in to), len(to))

    def ERR(self) -> float:
        return self.users("sat", "RR")

    def nERR(self) -> float:
        return divided(self.ERR(), self.ideal.ERR())

    def EBR(self) -> float:
        return self.users("sat", "BR")

    def nEBR(self) -> float:
        return divided(self.EBR(), self.ideal.EBR())

    def iRBU(self) -> float:
        return self.users("sat", "IE")

    def niRBU(self) -> float:
        return divided(self.iRBU(), self.ideal.iRBU())

    # -- discounted gain

    def discount(self, r: int) -> float:
        if self.s.discount == "log2":
            return math.log2(r + 1)
        if self.s.discount == "jk":  # no discount up to rank b
            return 1.0 if r <= self.s.b else math.log(r, self.s.b)
        return 1 + math.log(r, self.s.b)

    def DCG(self) -> float:
        seen = self.ideal if self.s.measurement == "ideal" else self
        return sum(self.g(x) / self.discount(r) for r, x in enumerate(seen.shown, 1))

    def nDCG(self) -> float:
        return divided(self.DCG(), self.ideal.DCG())

    def MeanNDCG(self) -> float:
        end = len(self.shown) if self.l is None else int(self.l)
        return divided(sum(self.cut(k).nDCG() for k in range(1, end + 1)), end)

    def cut(self, k: int) -> Naive:
        return Naive(self.levels, self.judged, self.top, k, **self.chosen)

    def RBP(self) -> float:
        p, ranks = float(self.s.p), list(enumerate(self.shown, 1))
        if self.s.measurement == "residual":
            return 1 - (1 - p) * sum(p ** (r - 1) for r, x in ranks if x is not None)
        if self.s.rel is not None:
            return (1 - p) * sum(p ** (r - 1) for r, x in ranks if self.is_rel(x))
        return (1 - p) * divided(sum(self.g(x) * p ** (r - 1) for r, x in ranks), self.g_h)

    def nRBP(self) -> float:
        return divided(self.RBP(), self.ideal.RBP())

    # -- graded in other ways

    def threshold(self, j: int) -> float:
        """g_j, up to a factor."""
        if isinstance(self.s.thresholds, str):
            return 1.0 if self.s.thresholds == "uniform" else float(j)
        return float(self.s.thresholds[j - 1])

    def thresholds_to(self, x: float) -> float:
        """Σ_{j≤x} g_j; of a level between whole ones, its part of the next."""
        if self.s.thresholds == "level":  # 1 + 2 + … + x
            return x * (x + 1) / 2
        whole = int(x)
        part = (x - whole) * self.threshold(whole + 1) if x > whole else 0.0
        return sum(self.threshold(j) for j in range(1, whole + 1)) + part

    def GAP(self) -> float:
        def level(x: Level) -> float:
            return min(max(x or 0.0, 0.0), self.h)

        added = 0.0
        for n, x in enumerate(self.shown, 1):
            for y in self.shown[:n]:  # Δ(m, n)
                added += self.thresholds_to(min(level(x), level(y))) / n
        return divided(added, sum(self.thresholds_to(level(x)) for x in self.ideal.shown))

    def gAP(self) -> float:
        def added(seen: Naive) -> float:
            return sum(seen.cg(r) / r for r in seen.relevant())

        return divided(added(self), added(self.ideal))

    def beta_of(self, x: float) -> float:
        if self.s.beta is None:
            return self.h + 2 - min(max(x, 0.0), self.h)
        if len(self.s.beta) == 1:
            return float(self.s.beta[0])
        return float(self.s.beta[int(x) - 1]) if x > 0 else math.inf

    def WRR(self) -> float:
        worth = [1 / (r - 1 / self.beta_of(self.shown[r - 1] or 0.0)) for r in self.relevant()]
        return max(worth, default=0.0)

    def NWRR(self) -> float:
        return (1 - 1 / self.beta_of(self.h)) * self.WRR()

    def Compat(self) -> float:
        """Lists of names: d1, d2, … in the list, m1, m2, … judged but not in it."""
        listed = {f"d{r}": x for r, x in enumerate(self.shown, 1)}
        left = list(self.judged)
        for x in listed.values():
            if x is not None:
                left.remove(x)
        known: dict[str, Level] = listed | {f"m{i}": x for i, x in enumerate(left)}
        ideal = sorted((d for d in known if self.is_rel(known[d])), key=lambda d: -(known[d] or 0))
        depth = int(self.s.depth or max(len(listed), len(ideal)))

        def rbo(ranked: list[str]) -> float:
            shared = [len({*ranked[:d]} & {*ideal[:d]}) / d for d in range(1, depth + 1)]
            weights = [self.s.p**d for d in range(depth)]
            return divided(sum(w * o for w, o in zip(weights, shared, strict=True)), sum(weights))

        return divided(rbo(list(listed)), rbo(ideal)) if self.s.normalize else rbo(list(listed))

    # -- curves

    def at_recall(self, i: float) -> float:
        enough = self.items(i)
        precisions = [self.C(r) / r for r in self.relevant() if self.C(r) >= enough]
        return max(precisions, default=0.0)

    def IPrec(self) -> list[float] | float:
        if self.l is not None:
            whole = Naive(self.levels, self.judged, self.top, None, **self.chosen)
            return whole.at_recall(self.l)
        return [self.at_recall(i / 10) for i in range(11)]

    def AP11(self) -> float:
        return sum(map(self.at_recall, self.s.points)) / len(self.s.points)

    # -- reading

    def TBG(self) -> float:
        s, added = self.s, 0.0
        for r in self.relevant():
            T = 0.0
            for k in range(1, r):  # all documents above, judged or not
                click = s.click if self.is_rel(self.shown[k - 1]) else s.miss
                read = s.per_word * self.lengths["words"][k - 1] + s.per_document
                T += s.summary_time + click * read
            added += s.click * s.save * math.exp(-T * math.log(2) / s.halflife)
        return added

    def U(self) -> float:
        s, added, pos = self.s, 0.0, 0.0
        for r, x in enumerate(self.shown, 1):
            pos += s.snippet
            if self.is_rel(x):
                pos += s.F * self.lengths["characters"][r - 1]
                gain = self.g(x) if s.prob == "gain" else self.satisfaction(x)
                added += gain * max(0.0, 1 - pos / s.L)
        return float(added / s.norm)

    # -- incomplete judgments

    def above(self, r: int) -> int:
        """Judged nonrelevant items above r."""
        return sum(x is not None and not self.is_rel(x) for x in self.shown[: r - 1])

    def place(self, r: int) -> int:
        """The rank in the condensed list."""
        return sum(x is not None for x in self.shown[:r])

    def bpref(self) -> float:
        R, N = self.R, self.N
        if R > N:  # bpref_N, and trec_eval's min(R, …), which is never reached
            return divided(sum(1 - divided(self.above(r), N) for r in self.relevant()), R)
        return self.bpref_R()

    GMbpref = bpref

    def bpref_R(self) -> float:
        R = self.R
        return divided(sum(1 - min(R, self.above(r)) / R for r in self.relevant()), R)

    def bpref_N(self) -> float:
        added = sum(1 - divided(self.above(r), self.N) for r in self.relevant())
        return divided(added, self.R)

    def bpref_relative(self) -> float:
        at = [r for r in self.relevant() if self.place(r) > 1]
        return divided(sum(1 - self.above(r) / (self.place(r) - 1) for r in at), self.R)

    def penalty(self, r: int) -> float:
        g = self.g(self.shown[r - 1])
        others = [self.g(x) for x in self.shown[: r - 1] if x is not None]
        return sum((g - other) / g for other in others if other < g)

    def preferences(self, below: Any, first: int = 1) -> float:
        """Σ g(r)·(1 − pen(r)/below(r)) over Σ g*."""
        added = 0.0
        for r, x in enumerate(self.shown, 1):
            if self.g(x) > 0 and self.place(r) >= first:
                added += self.g(x) * (1 - divided(self.penalty(r), below(r)))
        return divided(added, sum(self.g(x) for x in self.judged))

    def rpref_N(self) -> float:
        every = sum(self.g(x) for x in self.judged)
        d = len(self.judged) - divided(every, self.g_h)
        return self.preferences(lambda r: d)

    def rpref_relative(self) -> float:
        return self.preferences(lambda r: self.place(r) - 1, first=2)

    def rpref_relative2(self) -> float:
        return self.preferences(self.place)

    def infAP(self) -> float:
        added, e = 0.0, 0.00001
        for r in self.relevant():
            upper = [x for x in self.shown[: r - 1] if x is not None]
            c = sum(self.is_rel(x) for x in upper)
            n = sum(x >= 0 and not self.is_rel(x) for x in upper)  # below 0: not in the sample
            added += 1 / r + len(upper) / r * (c + e) / (c + n + 2 * e)
        return divided(added, self.R)

    # Without strata the pool is one of them; see test_incomplete.py for several.

    @property
    def share(self) -> Fraction:
        """n/N: how many of the pool were judged."""
        return Fraction(sum(x >= 0 for x in self.judged), len(self.judged))

    def xinfAP(self) -> float:
        added, e = 0.0, 0.00001
        for r in self.relevant():
            upper = [x for x in self.shown[: r - 1] if x is not None]
            c, j = sum(map(self.is_rel, upper)), sum(x >= 0 for x in upper)
            added += 1 / r + len(upper) / r * (c + e) / (j + 3 * e)
        return divided(added, self.R)

    def infNDCG(self) -> float:
        pooled = [x for x in self.shown if x is not None]
        drawn = [x for x in pooled if x >= 0]
        dcg = sum(self.g(x) / math.log2(r + 1) for r, x in enumerate(self.shown, 1))
        gains = [self.g(x) for x in self.judged]
        best: list[float] = []
        for gain in sorted({g for g in gains if g > 0}, reverse=True):
            best += [gain] * math.floor(gains.count(gain) / self.share + HALF)
        ideal = sum(g / math.log2(r + 1) for r, g in enumerate(best[: self.l], 1))
        return divided(divided(dcg * len(pooled), len(drawn)), ideal)

    # -- users who look for several

    def PRES(self) -> float:
        l = len(self.shown) if self.l is None else int(self.l)
        ranks = self.relevant()
        missed = [l + place for place in range(len(ranks) + 1, self.R + 1)]
        if not self.R or not l:
            return 0.0
        return 1 - (sum([*ranks, *missed]) / self.R - (self.R + 1) / 2) / l

    def ESL(self) -> float:
        wanted, ranks = max(1, min(int(self.s.q), self.R)), self.relevant()
        if len(ranks) >= wanted:
            return ranks[wanted - 1] - wanted
        n, C = len(self.shown), len(ranks)
        left = self.R - C
        below = len(self.judged) - self.R if self.s.size is None else self.s.size - n - left
        return n - C + (wanted - C) * max(below, 0) / (left + 1)

    # -- trec_eval's experiments

    def binG(self) -> float:
        return divided(sum(1 / math.log2(2 + r - self.C(r)) for r in self.relevant()), self.R)

    def G(self) -> float:
        best, added = sorted((max(self.g(x), 0.0) for x in self.judged), reverse=True), 0.0
        for r, x in enumerate(self.shown, 1):
            could = sum(max(best[k], 1.0) if k < len(best) else 1.0 for k in range(r))
            added += self.g(x) / math.log2(2 + could - self.cg(r))
        return divided(added, sum(best))

    def dcg_at(self, levels: list[Level], k: int) -> float:
        return sum(self.g(x) / math.log2(r + 1) for r, x in enumerate(levels[:k], 1))

    def ndcg_at(self, k: int) -> float:
        return divided(self.dcg_at(self.shown, k), self.dcg_at(self.ideal.levels, k))

    def nDCGrel(self) -> float:
        at = [r for r, x in enumerate(self.shown, 1) if self.g(x) > 0]
        R = sum(self.g(x) > 0 for x in self.judged)
        end = len(self.shown) + len(self.judged)
        missed = (R - len(at)) * self.ndcg_at(end)
        return divided(sum(self.ndcg_at(r) for r in at) + missed, R)

    def RnDCG(self) -> float:
        best = sorted((self.g(x) for x in self.judged), reverse=True)
        R = sum(g > 0 for g in best)
        ranks = [k for k in range(1, R + 1) if k == len(best) or best[k] != best[k - 1]]
        values = [self.ndcg_at(k) for k in ranks]
        if len(self.shown) > R + 1:
            values.append(self.ndcg_at(len(self.shown) + len(self.judged)))
        return divided(sum(values), len(values))


Chosen = list[dict[str, Any]]
BINARY: Chosen = [{}, {"rel": 2.0}, {"rel": 1.5}, {"rel": 0.0}]
GRADED: Chosen = [
    *({}, {"gain": "exp"}, {"gain": "binary"}, {"rel": 2.0}, {"rel": 0.0}),
    {"gain": "exp", "rel": 1.0},
]
BLENDED: Chosen = [*GRADED, {"beta": 0.0}, {"beta": 10.0, "rel": 1.0}, {"beta": 0.5, "gain": "exp"}]
SATISFIED: Chosen = [
    *({}, {"prob": "linear"}, {"max_level": 4.0}, {"max_level": 1.0}, {"gain": "binary"}),
    {"prob": "linear", "gain": "exp"},
    {"prob": "linear", "gain": "binary", "max_level": 2.5},
]
WEIGHTED: Chosen = [*BINARY, {"beta": 0.0}, {"beta": 2.0}, {"alpha": 0.0}, {"alpha": 1.0},
                    {"alpha": 1 / 3, "rel": 1.0}, {"beta": 3.0, "alpha": 0.7}]  # fmt: skip
REACH: Chosen = [*BINARY, {"reach": "nearest"}, {"reach": "trec9"}]
PATIENT: Chosen = [*GRADED, {"p": 0.95}, {"max_level": 1.0}, {"gain": "exp", "max_level": 5.0},
                   {"gain": "binary", "max_level": 0.75, "p": 0.3}]  # fmt: skip
EGUCHI: Chosen = [*BINARY, {"max_level": 5.0}, {"max_level": 1.0}, {"beta": (math.inf,)},
                  {"beta": (2.0,)}]  # fmt: skip
STOPS = ("u", "gu", "rb", "r1", "rp", "to_rp", "sat")
UTILITIES = ("P", "BR", "RR", "IE")

SETTINGS: dict[str, Chosen] = {
    **dict.fromkeys(("P", "SetP", "Recall", "SetRecall", "Success", "RelP", "SetRelP"), BINARY),
    **dict.fromkeys(("SetAP", "PairAccuracy", "RR", "YAAP", "binG", "infAP"), BINARY),
    **dict.fromkeys(("bpref", "GMbpref", "bpref_R", "bpref_N", "bpref_relative"), BINARY),
    **dict.fromkeys(("F", "SetF", "E"), WEIGHTED),
    "AP": [*BINARY, {"norm": "R"}],
    "xinfAP": BINARY,
    "infNDCG": [{}, {"gain": "exp"}, {"gain": "binary"}],
    "PRES": BINARY,
    "ESL": [*BINARY, {"q": 3.0}, {"q": 2.0, "size": 40.0}, {"size": 4.0}],
    "GMAP": [*BINARY, {"norm": "R"}],
    "Rprec": [*REACH, {"mult": 0.7}, {"mult": 2.0, "rel": 1.0}, {"mult": 0.2, "reach": "nearest"},
              {"mult": 1.4, "reach": "trec9"}],
    "IPrec": REACH,
    "AP11": [*REACH, {"points": (0.2, 0.5, 0.8)}, {"points": (1.0, 0.0), "reach": "trec9"}],
    "Utility": [*BINARY, {"a": 2.0, "b": -0.5, "c": -1.0, "d": 0.25, "docs": 100.0}],
    **dict.fromkeys(("nCG", "nG", "gAP"), GRADED),
    **{name: [*GRADED, {"gain": "raw"}] for name in ("G", "nDCGrel", "RnDCG")},
    **dict.fromkeys(("rpref_relative", "rpref_relative2"), GRADED),
    "rpref_N": [*GRADED, {"max_level": 1.0}, {"max_level": 4.0, "gain": "exp"}],
    **dict.fromkeys(("BR", "Rmeasure", "Q", "O", "Pmeasure", "Pplus"), BLENDED),
    **dict.fromkeys(("ERR", "nERR"), SATISFIED),
    "EBR": [*SATISFIED, {"beta": 0.0}, {"beta": 5.0}],
    "nEBR": [*SATISFIED, {"beta": 0.0}, {"beta": 5.0}],
    "iRBU": [*SATISFIED, {"p": 0.5}],
    "niRBU": [*SATISFIED, {"p": 0.5}],
    "NCU": [
        *({"stop": s, "utility": u} for s in STOPS for u in UTILITIES),
        *({"stop": s, "rel": 2.0, "gain": "exp"} for s in STOPS),
        {"stop": "rb", "gamma": 0.5, "beta": 3.0},
        {"stop": "gu", "max_level": 1.0, "utility": "P"},
        {"stop": "sat", "prob": "linear", "utility": "IE", "p": 0.7, "rel": 1.0},
    ],
    "DCG": [
        *(chosen | {"discount": d} for chosen in GRADED for d in ("log2", "jk", "jk2008")),
        {"discount": "jk", "b": 10.0},
        {"discount": "jk2008", "b": 1.5},
        {"measurement": "ideal"},
        {"measurement": "ideal", "gain": "exp", "discount": "jk"},
        {"gain": "raw"},
        {"gain": "raw", "discount": "jk"},
    ],
    "nDCG": [
        {"gain": "raw"},
        *GRADED,
        *({"discount": "jk", "b": b} for b in (2.0, 10.0)),
        {"discount": "jk", "gain": "exp"},
        {"discount": "jk2008"},
        {"discount": "jk2008", "b": 10.0, "rel": 1.0},
    ],
    "MeanNDCG": [{"gain": "raw"}, *GRADED, {"discount": "jk", "gain": "exp"}],
    "RBP": [*PATIENT, {"measurement": "residual"}, {"measurement": "residual", "p": 0.5}],
    "nRBP": PATIENT,
    "GAP": [{}, {"thresholds": "level"}, {"max_level": 1.0}, {"max_level": 5.0},
            {"thresholds": (3.0, 2.0, 1.0)}, {"thresholds": "level", "max_level": 2.5}],
    "WRR": EGUCHI,
    "NWRR": EGUCHI,
    "Compat": [{}, {"p": 0.5}, {"normalize": False}, {"p": 0.8, "normalize": False},
               {"depth": 3.0}, {"depth": 30.0, "p": 0.5}, {"depth": 30.0, "normalize": False}],
    "TBG": [*BINARY, {"halflife": 20.0, "summary_time": 1.0, "per_word": 0.1},
            {"click": 0.3, "miss": 0.9, "save": 1.0, "per_document": 0.0}],
    "U": [*BINARY, *SATISFIED[1:], {"prob": "gain"}, {"prob": "gain", "gain": "exp"},
          {"prob": "gain", "max_level": 2.0}, {"L": 3000.0, "F": 1.0},
          {"snippet": 0.0, "norm": 4.0}],
}  # fmt: skip


def takes(name: str, parameter: str) -> bool:
    return parameter in {f.name for f in BUILT_IN[name].list_parameters()}


GAIN_TABLES: Chosen = [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}]
TABLES: dict[str, Chosen] = {name: list(GAIN_TABLES) for name in SETTINGS if takes(name, "gain")}
for name, chosen in TABLES.items():  # a level that gains nothing may count as relevant
    if takes(name, "rel"):
        chosen.append({"gain": (0.0, 2.0, 2.0), "rel": 1.0})
    if takes(name, "max_level"):
        chosen.append({"gain": (1.0, 3.0, 7.0), "max_level": 2.0})
    if takes(name, "prob"):
        chosen.append({"gain": (0.0, 1.0, 5.0), "prob": "linear"})
TABLES["NCU"] += [
    *({"stop": s, "gain": (0.0, 0.5, 2.0)} for s in STOPS),
    *({"stops": (1.0, 2.0, 5.0), "utility": u} for u in UTILITIES),
    {"stops": (0.0, 1.0, 1.0), "gain": (0.0, 3.0, 7.0), "rel": 1.0},
]
TABLES["GAP"] = [
    *({}, {"thresholds": "level"}, {"thresholds": (0.5, 0.0, 0.5)}, {"max_level": 2.0}),
    {"thresholds": (1.0, 2.0, 3.0, 4.0, 5.0), "max_level": 5.0},
]
BETAS: Chosen = [{"beta": (4.0, 3.0, 2.0)}, {"beta": (math.inf, 3.0, 1.5), "rel": 2.0}]
TABLES["WRR"] = [*BETAS, {"beta": (4.0, 3.0, 2.0), "rel": 0.0}]
TABLES["NWRR"] = [{**chosen, "max_level": 3.0} for chosen in TABLES["WRR"]]


def measures_of(catalogue: dict[str, Chosen], cutoffs: tuple[int | None, ...]) -> list[cf.Measure]:
    """Every measure of a catalogue at these cutoffs, the plain ones also condensed."""
    every = [
        BUILT_IN[name](**chosen, condensed=condensed, cutoff=cutoff)
        for name, all_of in catalogue.items()
        for chosen in all_of
        for condensed in ((False,) if chosen else (False, True))
        for cutoff in (cutoffs if name != "IPrec" else (None, 0.35))
    ]
    return list(dict.fromkeys(every))


def settings_of(m: cf.Measure) -> dict[str, Any]:
    """What differs from the defaults of the second writing."""
    name = type(m).__name__
    chosen = DEFAULTS | OWN_DEFAULTS.get(name, {})
    own = {f.name: getattr(m, f.name) for f in m.list_parameters() if getattr(m, f.name) != f.default}
    return chosen | own | {"measurement": m.measurement}


def test_the_second_writing_covers_every_effectiveness_measure() -> None:
    """That of user models, which look at all ranks down to n, is in test_cwl.py."""
    effectiveness = {n for n, c in BUILT_IN.items() if c.effectiveness and c not in MODELS}
    assert effectiveness == set(SETTINGS) - {"Utility"}


def example_of(c: type[cf.Measure], cutoff: int | None) -> cf.Measure:
    """A measure at a cutoff. User models look at a few ranks, and have gains from 0 to 1."""
    return c(cutoff=cutoff, **{"n": 20, "gain": "unit"} if c in MODELS else {})


# -- collections ------------------------------------------------------------------------------


def order(ranked: dict[str, float]) -> list[str]:
    """trec_eval's order: score, then document id, both descending."""
    return sorted(ranked, key=lambda d: (ranked[d], d.encode()), reverse=True)


LEVELS = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 2.0, 3.0])
WHOLE = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
FLAT = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0])
DOCS = [f"d{i}" for i in range(16)]
LENGTHS = {
    "words": {d: 37.0 * i * i + 5 for i, d in enumerate(DOCS)},
    "characters": {d: 6000.0 - 390.0 * i for i, d in enumerate(DOCS)},
}


@st.composite
def topics(draw: st.DrawFn, levels: st.SearchStrategy[float] = LEVELS) -> tuple[Any, Any]:
    """Judgments and a list of one topic, with unjudged documents and ties."""
    judged = draw(st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=10))
    listed = draw(st.lists(st.sampled_from(DOCS), unique=True, max_size=14))
    scores = draw(st.lists(st.integers(0, 9).map(float), min_size=len(listed), max_size=len(listed)))
    return {d: draw(levels) for d in judged}, dict(zip(listed, scores, strict=True))


Drawn = tuple[Collection, Collection]


@st.composite
def collections(draw: st.DrawFn, levels: st.SearchStrategy[float] = LEVELS) -> Drawn:
    drawn = draw(st.lists(topics(levels), min_size=1, max_size=3))
    qrels = {f"t{i}": judged for i, (judged, _) in enumerate(drawn)}
    return qrels, {f"t{i}": listed for i, (_, listed) in enumerate(drawn)}


def evaluate(qrels: Collection, run: Collection, measures: Any, **options: Any) -> cf.Scores:
    return cf.evaluate(qrels, run, measures, **{"lengths": LENGTHS} | options)


# Known to differ: see test_the_R_measure_is_the_blended_ratio_at_R.
WRONG_AT_CUTOFFS = {"Rmeasure"}


def compare_with_naive(drawn: Drawn, measures: list[cf.Measure], lengths: Any = LENGTHS) -> int:
    """Asserts that all values are the second writing's, and says how many there were."""
    qrels, run = drawn
    measures = [m for m in measures if m.cutoff is None or type(m).__name__ not in WRONG_AT_CUTOFFS]
    scores = evaluate(qrels, run, measures, lengths=lengths)
    top = max(0.0, *(x for docs in qrels.values() for x in docs.values()))
    for t, topic in enumerate(scores.topics):
        docs = order(run.get(topic, {}))
        levels = [qrels[topic].get(d) for d in docs]
        own = {unit: [every[d] for d in docs] for unit, every in lengths.items()}
        expected: list[float] = []
        for m in measures:
            naive = Naive(levels, list(qrels[topic].values()), top, m.cutoff, own, **settings_of(m))
            expected += np.ravel(getattr(naive, type(m).__name__)()).tolist()
        off = np.abs(scores.values[0, t] - expected) > 1e-12 * np.maximum(1, np.abs(expected))
        wrong = [(scores.measures[i], scores.values[0, t, i], expected[i]) for i in np.flatnonzero(off)]
        assert not wrong, (levels, qrels[topic], wrong)
    return scores.values.size


CUTOFF = st.none() | st.integers(1, 17)


class TestEquations:
    @checks(*SETTINGS, against="second writing")
    @given(collections(), CUTOFF)
    @settings(max_examples=examples(30))
    def test_every_measure_is_its_equation(self, drawn: Drawn, cutoff: int | None) -> None:
        compare_with_naive(drawn, measures_of(SETTINGS, (cutoff,)))

    @given(collections(WHOLE), CUTOFF)
    @settings(max_examples=examples(30))
    def test_tables(self, drawn: Drawn, cutoff: int | None) -> None:
        # A level of 3, so that every table has a place for the highest.
        drawn[0]["z"], drawn[1]["z"] = {"d0": 3.0}, {"d0": 1.0}
        compare_with_naive(drawn, measures_of(TABLES, (cutoff,)))

    def test_every_cutoff(self) -> None:
        """All cutoffs from 1 to beyond the end of the lists."""
        qrels = {
            "a": {"d1": 3.0, "d2": 0.0, "d4": 1.0, "d5": 2.0, "d8": 1.0, "d11": -1.0},
            "b": {"d0": 1.0, "d3": 0.5},
            "c": {"d1": 0.0, "d2": -2.0},
        }
        run = {
            "a": {f"d{i}": float(s) for i, s in enumerate([9, 8, 8, 7, 6, 5, 5, 4, 3, 3, 3, 2])},
            "b": {f"d{i}": float(i % 3) for i in range(9)},
            "c": {"d1": 2.0, "d2": 1.0},
        }
        plain: dict[str, Chosen] = {name: [{}] for name in SETTINGS}
        compared = compare_with_naive((qrels, run), measures_of(plain, (None, *range(1, 16))))
        assert compared > 3 * 50 * 2 * 16

    def test_long_lists(self) -> None:
        rng = np.random.default_rng(11)
        docs = [f"d{i}" for i in range(120)]
        lengths = {unit: dict(zip(docs, rng.integers(1, 9000, 120) * 1.0, strict=True))
                   for unit in LENGTHS}  # fmt: skip
        qrels = {
            f"t{t}": {d: float(rng.choice([-1, 0, 0, 0, 0.5, 1, 2, 3])) for d in rng.choice(docs, 30, replace=False)}
            for t in range(3)
        }
        run = {f"t{t}": {d: float(rng.integers(0, 50)) for d in rng.permutation(docs)[: 55 * t]} for t in range(3)}
        few_of_each = {name: chosen[:2] for name, chosen in SETTINGS.items()}
        compare_with_naive((qrels, run), measures_of(few_of_each, (None, 10, 50)), lengths)

    @checks(
        *(n for n, c in BUILT_IN.items() if not c.effectiveness and n not in SETTINGS),
        against="second writing",
    )
    @given(collections(), st.sampled_from([None, 1, 5]), st.sampled_from([None, 2.0]))
    @few
    def test_counts(self, drawn: Drawn, k: int | None, rel: float | None) -> None:
        qrels, run = drawn
        counts = [
            cf.NumQ(cutoff=k),
            cf.NumRet(cutoff=k),
            cf.NumRel(rel=rel, cutoff=k),
            cf.NumRelRet(rel=rel, cutoff=k),
            cf.NumNonRelRet(rel=rel, cutoff=k),
            cf.NumJudgedRet(cutoff=k),
            cf.NumUnjudgedRet(cutoff=k),
            cf.Judged(cutoff=k),
            cf.Unjudged(cutoff=k),
        ]
        assert {type(m) for m in counts} == {c for c in BUILT_IN.values() if not c.effectiveness} - {cf.Utility}
        scores = evaluate(qrels, run, counts)

        def relevant(x: Level) -> bool:
            return x is not None and (x > 0 if rel is None else x >= rel)

        for t, topic in enumerate(scores.topics):
            shown = [qrels[topic].get(d) for d in order(run[topic])][:k]
            judged, found = sum(x is not None for x in shown), sum(map(relevant, shown))
            unjudged = len(shown) - judged
            assert scores.values[0, t].tolist() == [
                1,
                len(shown),
                sum(map(relevant, qrels[topic].values())),
                found,
                judged - found,
                judged,
                unjudged,
                divided(judged, len(shown)),
                divided(unjudged, len(shown) if k is None else k),
            ]
        sums = scores.summary()["run"]
        assert sums[str(counts[0])] == len(qrels)
        assert sums[str(counts[1])] == sum(len(list(docs)[:k]) for docs in run.values())


# -- identities -------------------------------------------------------------------------------


def values_of(drawn: Drawn, names: Any, **options: Any) -> Any:
    """Topics × measures."""
    return evaluate(*drawn, names, **options).values[0]


def assert_pairs(drawn: Drawn, pairs: list[tuple[str, str]], tolerance: float = 1e-12) -> None:
    """Both measures of each pair give the same for every topic."""
    both = [[cf.parse_measure(name) for name in side] for side in zip(*pairs, strict=True)]
    left, right = (np.stack([values_of(drawn, m)[:, 0] for m in side]) for side in both)
    off = np.abs(left - right).max(axis=1) > tolerance
    assert not off.any(), [(pairs[i], left[i], right[i]) for i in np.flatnonzero(off)]


def at(cutoff: int | None) -> str:
    return "" if cutoff is None else f"@{cutoff}"


class TestIdentities:
    @given(collections(), CUTOFF)
    @few
    def test_users_who_stop(self, drawn: Drawn, cutoff: int | None) -> None:
        """The named measures are members of the NCU family, to the last bit."""
        family = {
            "AP": ("u", "P"), "Q": ("u", "BR"), "RR": ("r1", "RR"), "O": ("r1", "BR"),
            "Pmeasure": ("rp", "BR"), "Pplus": ("to_rp", "BR"), "ERR": ("sat", "RR"),
            "EBR": ("sat", "BR"), "iRBU": ("sat", "IE"),
        }  # fmt: skip
        pairs = [
            (f"NCU(stop={s}, utility={u}{more}){at(cutoff)}", f"{name}{settings}{at(cutoff)}")
            for name, (s, u) in family.items()
            for more, settings in [("", ""), (", condensed=true", "(condensed=true)")]
        ]
        assert_pairs(drawn, pairs, tolerance=0)

    @given(collections(), CUTOFF)
    @few
    def test_without_patience(self, drawn: Drawn, cutoff: int | None) -> None:
        """With β = 0 the blended ratio is precision."""
        pairs = [
            ("Q(beta=0)", "AP"),
            ("Q(beta=0, rel=2)", "AP(rel=2)"),
            ("Q(beta=0, condensed=true)", "AP(condensed=true)"),
            ("Rmeasure(beta=0)", "Rprec"),
            ("BR(beta=0)", "P"),
            ("O(beta=0)", "RR"),
        ]
        assert_pairs(drawn, [(a + at(cutoff), b + at(cutoff)) for a, b in pairs], tolerance=0)

    @given(topics(), CUTOFF)
    @few
    def test_P_plus_is_a_mean_of_blended_ratios(self, drawn: tuple[Any, Any], cutoff: int | None) -> None:
        judged, ranked = drawn
        levels = [judged.get(d) for d in order(ranked)][:cutoff]
        every = list(judged.values())
        best = max((x for x in levels if x is not None and x > 0), default=None)
        to = [] if best is None else range(1, levels.index(best) + 2)
        ratios = [(cf.BR @ r)(levels, every) for r in to if (levels[r - 1] or 0) > 0]
        expected = divided(math.fsum(ratios), len(ratios))
        assert abs(cf.Pplus(cutoff=cutoff)(levels, every) - expected) < 1e-12

    @given(st.lists(st.sampled_from([None, 0, 1]), max_size=12), st.sampled_from([1, 2, 5, 20, 53, 60]))
    @few
    def test_certain_satisfaction_is_reciprocal_rank(self, flags: list[int | None], h: int) -> None:
        """Items of the highest level satisfy with 1 − 2^−h: the first one does, or nearly so."""
        levels = [x and h for x in flags]
        err, rr = cf.ERR(max_level=h)(levels), cf.RR()(levels)
        assert (1 - 2.0**-h) * rr <= err <= rr
        if h > 53:  # 2^−h is lost beside 1
            assert err == rr

    @given(collections())
    @few
    def test_discounts_that_agree(self, drawn: Drawn) -> None:
        """All discounts are 1 at rank 1, the original's also at rank 2 and up to its base."""
        pairs = [
            *(("nDCG@1", f"nDCG(discount={d}, b={b})@1") for d in ("jk", "jk2008") for b in (2, 9)),
            ("nDCG(gain=exp)@1", "nDCG(gain=exp, discount=jk)@1"),
            ("nDCG@1", "nG@1"),
            ("nDCG@1", "nCG@1"),
            ("nG", "nG@1"),
            ("nDCG(discount=jk)@2", "nCG@2"),
            ("nDCG(discount=jk, b=7)@7", "nCG@7"),
            ("nDCG(discount=jk, b=1e9)", "nCG"),
            ("nDCG(discount=jk, gain=exp, b=1e9)@5", "nCG(gain=exp)@5"),
        ]
        assert_pairs(drawn, pairs, tolerance=0)

    def test_discounts_that_do_not(self) -> None:
        levels, judged = [0, 1, 2], [1, 2]
        names = ["nDCG@2", "nDCG(discount=jk)@2", "nDCG(discount=jk2008)@2"]
        assert len({cf.parse_measure(n)(levels, [*judged, 0]) for n in names}) == 3

    @given(collections(FLAT), CUTOFF)
    @few
    def test_graded_measures_of_one_level_are_binary_measures(self, drawn: Drawn, cutoff: int | None) -> None:
        pairs = [
            ("GAP", "AP"),
            ("GAP(thresholds=level)", "AP"),
            ("GAP(max_level=4, thresholds=1:2:3:4)", "AP"),
            ("gAP", "AP"),
            ("WRR(beta=inf)", "RR"),
            ("NWRR(beta=inf)", "RR"),
            ("nG", "P@1" if cutoff is None else f"nG(gain=exp)@{cutoff}"),
        ]
        pairs = [(a + at(cutoff), b if "@" in b else b + at(cutoff)) for a, b in pairs]
        some = [t for t, docs in drawn[0].items() if max(docs.values()) > 0]  # others: P@1 is 0
        if some:
            assert_pairs(({t: drawn[0][t] for t in some}, drawn[1]), pairs)

    @given(collections(), CUTOFF)
    @few
    def test_binary_gains_make_binary_measures(self, drawn: Drawn, cutoff: int | None) -> None:
        pairs = [
            ("gAP(gain=binary)", "AP"),
            ("WRR(beta=inf)", "RR"),
            ("nCG(gain=binary)", "RelP" if cutoff else "Recall"),
            ("RBP(gain=binary)", "RBP(rel=0.001)"),
            ("bpref_relative", "rpref_relative(gain=binary)"),
            ("rpref_relative2(gain=binary, condensed=true)", "AP(norm=R, condensed=true)"),
        ]
        assert_pairs(drawn, [(a + at(cutoff), b + at(cutoff)) for a, b in pairs])
        assert_pairs(drawn, [("rpref_relative2(gain=binary)", "AP(condensed=true)")])

    @given(collections(), CUTOFF)
    @few
    def test_precision_and_recall(self, drawn: Drawn, cutoff: int | None) -> None:
        names = ["F", "E", "F(alpha=0.3, rel=2)", "E(alpha=0.3, rel=2)", "F(beta=2)", "E(beta=2)"]
        values = values_of(drawn, [name + at(cutoff) for name in names])
        assert np.abs(values[:, ::2] + values[:, 1::2] - 1).max() < 1e-12
        pairs = [
            ("SetF", "F"), ("SetF(alpha=0.3)", "F(alpha=0.3)"), ("SetP", "P"),
            ("SetRecall", "Recall"), ("SetRelP", "RelP"), ("F(alpha=1)", "P"),
            ("F(alpha=0)", "Recall"), ("F(beta=2)", "F(alpha=0.2)"),
        ]  # fmt: skip
        assert_pairs(drawn, pairs)
        assert_pairs(drawn, [("SetRecall" + at(cutoff), "Recall" + at(cutoff))])

    @given(collections(), st.sampled_from(["exact", "nearest", "trec9"]))
    @few
    def test_the_curve_falls_and_AP11_is_its_mean(self, drawn: Drawn, reach: str) -> None:
        scores = evaluate(*drawn, f"IPrec(reach={reach}) AP11(reach={reach})")
        assert len(scores.measures) == 12
        curve, mean = scores.values[0, :, :-1], scores.values[0, :, -1]
        assert (np.diff(curve, axis=1) <= 0).all()
        assert np.abs(curve.mean(axis=1) - mean).max() < 1e-12

    @given(collections(), st.sampled_from([0, 0.1, 0.25, 0.7, 1]))
    @few
    def test_interpolated_precision_at_any_recall(self, drawn: Drawn, recall: float) -> None:
        """What is reached exactly counts: 0.7 of 10 are 7, whatever a float makes of it."""
        (found,) = values_of(drawn, f"IPrec@{recall}").T
        for t, (topic, judged) in enumerate(drawn[0].items()):
            R = sum(x > 0 for x in judged.values())
            best, C = 0.0, 0
            for r, d in enumerate(order(drawn[1][topic]), 1):
                C += judged.get(d, 0) > 0
                if C and Fraction(C, R) >= Fraction(str(recall)):
                    best = max(best, C / r)
            assert found[t] == best

    @given(
        st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=10),
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=20),
        st.sampled_from(["", "rel=2, ", "gain=exp, ", "gain=1:2:5, "]),
    )
    @settings(max_examples=examples(30))
    def test_the_residual_of_RBP_bounds_what_judging_more_can_do(
        self, levels: list[Level], more: list[float], chosen: str
    ) -> None:
        """Unjudged items get levels, and the list goes on."""
        name = f"RBP({chosen}p=0.7, max_level=3)"
        low, residual = cf.parse_measure(name)(levels), cf.parse_measure(f"{name}.residual")(levels)
        supply = iter([*more, *[0.0] * len(levels)])
        judged = [next(supply) if x is None else x for x in levels] + list(supply)
        complete = cf.parse_measure(name)(judged)
        assert low + residual <= 1 + 1e-12
        assert low - 1e-12 <= complete <= low + residual + 1e-12

    def test_the_residual_is_reached(self) -> None:
        m = cf.RBP(p=0.5, rel=1)
        residual = replace(m, measurement="residual")([1, None, 0])
        assert residual == 0.25 + 0.125  # rank 2, and all below rank 3
        assert m([1, 1, 0, *[1] * 60]) == m([1, None, 0]) + residual

    @given(collections(), CUTOFF)
    @few
    def test_condensed_is_removing_the_unjudged_by_hand(self, drawn: Drawn, cutoff: int | None) -> None:
        qrels, run = drawn
        by_hand = {t: {d: s for d, s in docs.items() if d in qrels[t]} for t, docs in run.items()}
        plain = [example_of(c, cutoff if c is not cf.IPrec else None) for c in BUILT_IN.values()]
        condensed = [replace(m, condensed=True) for m in plain]
        expected = evaluate(qrels, by_hand, plain).values
        found = evaluate(qrels, run, condensed).values
        assert np.allclose(found, expected, rtol=0, atol=1e-12)
        sharp = [i for i, m in enumerate(evaluate(qrels, run, plain).measures) if "TBG" not in m]
        assert np.array_equal(found[..., sharp], expected[..., sharp])

    @given(collections(), st.integers(1, 16))
    @few
    def test_nothing_below_the_cutoff_matters(self, drawn: Drawn, cutoff: int) -> None:
        qrels, run = drawn
        cut = {t: {d: docs[d] for d in order(docs)[:cutoff]} for t, docs in run.items()}
        measures = [example_of(c, cutoff) for c in BUILT_IN.values() if c is not cf.IPrec]
        assert np.array_equal(evaluate(qrels, run, measures).values, evaluate(qrels, cut, measures).values)

    def test_the_R_measure_is_the_blended_ratio_at_R(self) -> None:
        """A cutoff hides items of the list; the denominator R + β·cg*(R) is that of the topic."""
        levels: list[Level] = [None, 3, None, 1]
        judged = [3.0, 2.0, 1.0, 1.0]
        assert (cf.Rmeasure @ 2)(levels, judged) == cf.Rmeasure()(levels[:2], judged)

    def test_U_asks_for_the_length_of_all_that_is_read(self) -> None:
        """With rel=0 level 0 is read, too, so that its length must be known."""
        with pytest.raises(cf.CranfieldError, match="no length"):
            cf.evaluate({"t": {"a": 1, "b": 0}}, {"t": ["b", "a"]}, "U(rel=0)", lengths={"a": 100})

    def test_the_table_of_NWRR_says_which_level_is_the_highest(self) -> None:
        """A table declares the levels, as a table of gains does; or a notice must say h."""
        scores = cf.evaluate({"t": {"a": 2}}, {"t": ["a"]}, "NWRR(beta=4:3:2)")
        said = "max-level" in [n.kind for n in scores.notes]
        assert said or scores.values.item() == pytest.approx((1 - 1 / 2) / (1 - 1 / 3), abs=1e-12)

    def test_a_curve_and_a_point_of_it(self) -> None:
        scores = cf.evaluate({"t": {"a": 2}}, {"t": ["a"]}, "IPrec IPrec@0.5")
        assert "IPrec@0.5" in scores.measures
