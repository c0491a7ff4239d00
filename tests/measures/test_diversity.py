"""Measures of diversity: the papers' numbers, a second writing, peers, and what must hold.

The second writing (`Topic`) is plain Python from the formulas, one topic, one intent and one rank
at a time, and shares nothing with the package.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pyndeval
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.reading.columns import sort_intents
from cranfield.measures.diversity import sum_intents
from tests.evidence import checks
from tests.made import Command, examples

ByIntent = dict[str, dict[str, dict[str, float]]]  # {topic: {intent: {doc: level}}}
Ranked = dict[str, list[str]]
Known = dict[str, dict[str, Any]]

few = settings(max_examples=examples(15))
some = settings(max_examples=examples(30))


def score(m: str, *levels: Any, **known: Any) -> float:
    """The score of one list, given as in `Measure.__call__`."""
    found: float = cf.parse_measure(m)(*levels, **known)
    return found


def value(qrels: Any, ranked: Any, m: str, **options: Any) -> float:
    """The score of one topic, through `evaluate`."""
    found: float = cf.evaluate(qrels, ranked, m, **options).values.item()
    return found


# -- the papers' numbers ----------------------------------------------------------------------

# Sakai 2011, section 4: document a is L2 to the company and L1 to the fruit; gains 2 and 1, and
# so GG = 0.8·2 + 0.2·1 = 1.8. Nothing else is judged; the list is c, b, a.
APPLE: ByIntent = {"apple": {"company": {"a": 2}, "fruit": {"a": 1}}}
LIKELY: Known = {"apple": {"company": 0.8, "fruit": 0.2}}
FOUND: Ranked = {"apple": ["c", "b", "a"]}


class TestSakai2011:
    @checks("D", against="Sakai 2011")
    @pytest.mark.parametrize(
        ("m", "printed"),
        [
            ("D(RR)", 0.3333),
            ("D(O)", 0.5833),
            ("D(Pmeasure)", 0.5833),
            ("D(Pplus)", 0.5833),
            ("D(AP)", 0.3333),
            ("D(Q)", 0.5833),
            ("D(NCU(stop=rb, utility=P))", 0.3333),
            ("D(NCU(stop=rb, utility=BR))", 0.5833),
            ("D(RBP(p=0.95))", 0.0451),
            ("D(ERR(prob=linear))", 0.2143),
            ("D(AP)@1000", 0.3333),
            ("D(Q)@1000", 0.5833),
            ("D(nDCG(discount=jk))@1000", 0.6309),
            ("D(nDCG)@1000", 0.5),
            ("D(P)@1000", 0.0010),
            ("D(nERR(prob=linear))@1000", 0.3333),
            ("D(Success)@1000", 1.0),
        ],
    )
    def test_figure_4(self, m: str, printed: float) -> None:
        assert round(value(APPLE, FOUND, m, intents=LIKELY), 4) == printed

    @checks("IRec", against="Sakai 2011")
    def test_figure_5(self) -> None:
        assert value(APPLE, FOUND, "IRec@1000") == 1.0
        assert value(APPLE, FOUND, "IRec(top=intents)") == 0.0
        assert value(APPLE, FOUND, "I-rec@n") == 0.0


# Two intents, x and y, with probabilities 0.75 and 0.25; five documents were judged:
#        a  b  c  d  e
#   x    2  1  1  0  0      GG = 0.75·x + 0.25·y
#   y    0  0  1  1  0      GG = 1.5  0.75  1  0.25  0, and so the ideal list is a, c, b, d, e
# The list is a, u (unjudged), b, c, d.
JUDGED = [[2, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
LIST = [[2, 0], None, [1, 0], [1, 1], [0, 1]]
P = [0.75, 0.25]
log2 = math.log2


class TestSakai2014:
    """Equations 24 to 34, by hand."""

    def test_intent_recall(self) -> None:
        """Eq. 24: newint is 1 at ranks 1 and 4."""
        assert [score(f"IRec@{l}", LIST, JUDGED) for l in (1, 3, 4)] == [0.5, 0.5, 1.0]
        assert score("IRec(top=intents)", LIST, JUDGED) == 0.5
        assert score("IRec(rel=2)", LIST, JUDGED) == 0.5
        assert score("IRec(rel=2, intents=relevant)", LIST, JUDGED) == 1.0
        assert score("IRec(condensed=true)@3", LIST, JUDGED) == 1.0

    # x is found at ranks 1, 3, 4 and y at ranks 4, 5. With α = 0.5:
    # ng = 1, –, 1/2, 1/4 + 1, 1/2. Greedily: c (1 + 1); then d (1/2), and a and b (1/2, 1/4), in
    # any order. Over log2 of 2, 3, 4, 5, 6:
    NG = 1 + 0.5 / log2(4) + 1.25 / log2(5) + 0.5 / log2(6)
    NG_IDEAL = 2 + 0.5 / math.log2(3) + 0.5 / log2(4) + 0.25 / log2(5)

    def test_alpha_nDCG(self) -> None:
        """Eq. 25."""
        assert score("alpha_DCG(norm=sum)", LIST, JUDGED) == pytest.approx(self.NG)
        assert score("alpha_nDCG", LIST, JUDGED) == pytest.approx(self.NG / self.NG_IDEAL)
        # at 3: (1 + 0.5/2) over (2 + 0.5/math.log2(3) + 0.5/2)
        at_3 = 1.25 / (2 + 0.5 / math.log2(3) + 0.25)
        assert score("alpha_nDCG@3", LIST, JUDGED) == pytest.approx(at_3)
        # every item relevant to both: 2 + 2·0.5/math.log2(3) + 2·0.25/2
        most = 2 + 1 / math.log2(3) + 0.25
        assert score("alpha_DCG@3", LIST, JUDGED) == pytest.approx(1.25 / most)

    def test_another_alpha(self) -> None:
        """α = 0.2: ng = 1, –, 0.8, 0.64 + 1, 0.8; greedily 2, 0.8, 0.8, 0.64, as above."""
        found = 1 + 0.8 / 2 + 1.64 / log2(5) + 0.8 / log2(6)
        ideal = 2 + 0.8 / math.log2(3) + 0.8 / 2 + 0.64 / log2(5)
        assert score("alpha_nDCG(alpha=0.2)", LIST, JUDGED) == pytest.approx(found / ideal)
        # α = 0 counts intents: ng = 1, –, 1, 2, 1 over 2, 1, 1, 1
        found, ideal = (
            1 + 1 / 2 + 2 / log2(5) + 1 / log2(6),
            2 + 1 / math.log2(3) + 1 / 2 + 1 / log2(5),
        )
        assert score("alpha_nDCG(alpha=0)", LIST, JUDGED) == pytest.approx(found / ideal)
        # α = 1 counts new intents: 1, –, 0, 1, 0 over 2
        found = 1 + 1 / log2(5)
        assert score("alpha_nDCG(alpha=1)", LIST, JUDGED) == pytest.approx(found / 2)

    def test_weighted(self) -> None:
        """Clarke et al. 2011: ng = 0.75, –, 0.375, 0.75/4 + 0.25, 0.125.

        Greedily: c (1), then a and b (0.375, 0.1875), then d (0.125).
        """
        found = 0.75 + 0.375 / 2 + 0.4375 / log2(5) + 0.125 / log2(6)
        ideal = 1 + 0.375 / math.log2(3) + 0.1875 / 2 + 0.125 / log2(5)
        got = score("alpha_nDCG(weighted=true)", LIST, JUDGED, probabilities=P)
        assert got == pytest.approx(found / ideal)
        unmoved = score("alpha_nDCG", LIST, JUDGED, probabilities=P)
        assert unmoved == score("alpha_nDCG", LIST, JUDGED)

    def test_cascades(self) -> None:
        """The same ng, over r and by β^(r−1)."""
        found = 1 + 0.5 / 3 + 1.25 / 4 + 0.5 / 5
        best = 2 * sum(0.5 ** (r - 1) / r for r in range(1, 6))
        assert score("ERR_IA@5", LIST, JUDGED) == pytest.approx(found / best)
        ideal = 2 + 0.5 / 2 + 0.5 / 3 + 0.25 / 4
        assert score("nERR_IA@5", LIST, JUDGED) == pytest.approx(found / ideal)
        # β = 0.5: the endless list of perfect items has 2·Σ 0.25^(r−1) = 2/(1 − 1/4)
        found = 1 + 0.5 / 4 + 1.25 / 8 + 0.5 / 16
        assert score("NRBP", LIST, JUDGED) == pytest.approx(found * 0.75 / 2)
        ideal = 2 + 0.5 / 2 + 0.5 / 4 + 0.25 / 8
        assert score("nNRBP", LIST, JUDGED) == pytest.approx(found / ideal)
        # α = 0.2, β = 0.9: ng = 1, –, 0.8, 1.64, 0.8 and (1 − 0.8·0.9)/2
        found = 1 + 0.8 * 0.9**2 + 1.64 * 0.9**3 + 0.8 * 0.9**4
        got = score("NRBP(alpha=0.2, beta=0.9)", LIST, JUDGED)
        assert got == pytest.approx(found * 0.28 / 2)

    def test_intent_aware(self) -> None:
        """Eq. 26. x: ranks 1, 3, 4 of R = 3; y: ranks 4, 5 of R = 2."""
        x, y = (1 + 2 / 3 + 3 / 4) / 3, (1 / 4 + 2 / 5) / 2
        got = score("IA(AP)", LIST, JUDGED, probabilities=P)
        assert got == pytest.approx(0.75 * x + 0.25 * y)
        assert score("IA(AP)", LIST, JUDGED) == pytest.approx((x + y) / 2)
        # Pr = 3/4 for level 2 and 1/4 for level 1 (h = 2)
        x = 3 / 4 + (1 / 4) * (1 / 4) / 3 + (1 / 4) * (3 / 4) * (1 / 4) / 4
        y = (1 / 4) / 4 + (3 / 4) * (1 / 4) / 5
        got = score("IA(ERR)", LIST, JUDGED, probabilities=P)
        assert got == pytest.approx(0.75 * x + 0.25 * y)

    # Over log2 of 2, 3, 4, 5, 6: GG = 1.5, –, 0.75, 1, 0.25
    DCG = 1.5 + 0.75 / log2(4) + 1 / log2(5) + 0.25 / log2(6)
    IDEAL = 1.5 + 1 / math.log2(3) + 0.75 / log2(4) + 0.25 / log2(5)

    def test_D_nDCG(self) -> None:
        """Eq. 27 and 28."""
        got = score("D(nDCG)", LIST, JUDGED, probabilities=P)
        assert got == pytest.approx(self.DCG / self.IDEAL)
        at_3 = (1.5 + 0.75 / 2) / (1.5 + 1 / math.log2(3) + 0.75 / 2)
        assert score("D(nDCG)@3", LIST, JUDGED, probabilities=P) == pytest.approx(at_3)
        # gain=1:3 makes a worth 3·0.75 = 2.25
        got = score("D(nDCG(gain=1:3))@1", LIST, JUDGED, probabilities=P)
        assert got == 1.0
        assert score("D(DCG(gain=1:3))@1", LIST, JUDGED, probabilities=P) == 2.25

    def test_D_Q(self) -> None:
        """cg = 1.5, –, 2.25, 3.25, 3.5; cg* = 1.5, 2.5, 3.25, 3.5, 3.5; R = 4."""
        BR = [2.5 / 2.5, (2 + 2.25) / (3 + 3.25), (3 + 3.25) / (4 + 3.5), (4 + 3.5) / (5 + 3.5)]
        assert score("D(Q)", LIST, JUDGED, probabilities=P) == pytest.approx(sum(BR) / 4)

    def test_D_sharp(self) -> None:
        """Eq. 29, with l = 3, where I-rec is 1/2."""
        D = (1.5 + 0.75 / 2) / (1.5 + 1 / math.log2(3) + 0.75 / 2)
        for gamma in (0, 0.25, 0.5, 1):
            m = f"Dsharp(nDCG, gamma={gamma})@3"
            got = score(m, LIST, JUDGED, probabilities=P)
            assert got == pytest.approx(gamma * 0.5 + (1 - gamma) * D), m

    def test_U(self) -> None:
        """Eq. 30 and 31, gain x/(2 + 1); all documents have 5000 characters, F·5000 = 1000.

        D-U reads what is relevant to any intent; to U-IA each intent has a text of its own.
        """
        lengths = [5000] * 5
        settings: dict[str, Any] = {"judged": JUDGED, "probabilities": P, "lengths": lengths}

        def D(pos: float) -> float:
            return 1 - pos / 132000

        found = score("D(U(prob=linear))", LIST, **settings)
        DU = [1.5 * D(1200), 0.75 * D(2600), 1 * D(3800), 0.25 * D(5000)]
        assert found == pytest.approx(sum(DU) / 3)
        x = (2 * D(1200) + D(2600) + D(3800)) / 3
        y = (D(1800) + D(3000)) / 3
        found = score("IA(U(prob=linear))", LIST, **settings)
        assert found == pytest.approx(0.75 * x + 0.25 * y)

    def test_U_on_one_text(self) -> None:
        """Each intent reads what is relevant to any: U-IA is D-U, to the last digits."""
        settings: dict[str, Any] = {"judged": JUDGED, "probabilities": P, "lengths": [5000] * 5}
        found = score("IA(U(prob=linear), trail=shared)", LIST, **settings)
        assert found == pytest.approx(score("D(U(prob=linear))", LIST, **settings), rel=1e-14)
        with pytest.raises(cf.CranfieldError, match=r"trail=shared requires IA\(U\), found IA\(nDCG\)"):
            cf.parse_measure("IA(nDCG, trail=shared)")

    def test_PMP(self) -> None:
        """Footnote 13: intent x has 0.75; three of the five documents are relevant to it."""
        assert score("PMP@5", LIST, probabilities=P) == 3 / 5
        assert score("PMP(rel=2)@2", LIST, probabilities=P) == 1 / 2
        both = [score(f"IA(P)@{k}", LIST) for k in (1, 5)]
        assert [score(f"PMP@{k}", LIST) for k in (1, 5)] == both  # alike: the mean of both

    def test_DIN(self) -> None:
        """Eq. 32 and 33: if x is navigational, b and c are worth nothing to it.

        GG = 1.5, –, 0, 0.25, 0.25. The ideal list is unchanged.
        """
        found = 1.5 + 0.25 / log2(5) + 0.25 / log2(6)
        settings: dict[str, Any] = {"judged": JUDGED, "probabilities": P}
        got = score("DIN(nDCG)", LIST, **settings, navigational=[0])
        assert got == pytest.approx(found / self.IDEAL)
        # y: d, at rank 5, is worth nothing to it
        got = score("DIN(nDCG)", LIST, **settings, navigational=[1])
        assert got == pytest.approx((self.DCG - 0.25 / log2(6)) / self.IDEAL)
        got = score("DINsharp(nDCG)@10", LIST, **settings, navigational=[0])
        assert got == pytest.approx(0.5 + 0.5 * found / self.IDEAL)

    def test_P_plus_Q(self) -> None:
        """Eq. 34. x: gains 2, 1, 1 at 1, 3, 4, cg* = 2, 3, 4, 4, 4; y: 1, 1 at 4, 5, cg* = 1, 2…

        Q_x = (3/3 + 5/7 + 7/8)/3; rp = 1 and P+_x = 3/3.
        Q_y = (2/6 + 4/7)/2; rp = 4 and P+_y = 2/6.
        """
        Q_x, P_x, Q_y, P_y = (1 + 5 / 7 + 7 / 8) / 3, 1.0, (2 / 6 + 4 / 7) / 2, 2 / 6
        settings: dict[str, Any] = {"judged": JUDGED, "probabilities": P}
        for navigational, x, y in (([], Q_x, Q_y), ([0], P_x, Q_y), ([1], Q_x, P_y)):
            got = score("PplusQ", LIST, **settings, navigational=navigational)
            assert got == pytest.approx(0.75 * x + 0.25 * y)
            got = score("PplusQsharp(gamma=0.25)@10", LIST, **settings, navigational=navigational)
            assert got == pytest.approx(0.25 * 1 + 0.75 * (0.75 * x + 0.25 * y))


class TestGreedy:
    """The ideal list of α-nDCG is made item by item, and is not always the best there is.

    Three items serve two intents each. If the one that overlaps with both others is taken first,
    the second adds 1 + 1/2; else it adds 2.
    """

    GREEDY, BEST = 2 + 1.5 / math.log2(3), 2 + 2 / math.log2(3)

    @pytest.mark.parametrize(
        ("overlapping", "others", "ideal"),
        [
            ("c", ("a", "b"), GREEDY),  # of equal gains the larger id comes first: c
            ("a", ("b", "c"), BEST),  # c, then b: a would add less
            ("d9", ("d10", "d2"), GREEDY),  # ids are compared as bytes: d9 is the largest
            ("d10", ("d9", "d2"), BEST),
        ],
    )
    def test_ties_go_to_the_larger_id(self, overlapping: str, others: tuple[str, str], ideal: float) -> None:
        one, other = others
        qrels: ByIntent = {
            "t": {
                "1": {one: 1, overlapping: 1},
                "2": {one: 1},
                "3": {other: 1, overlapping: 1},
                "4": {other: 1},
            }
        }
        got = value(qrels, {"t": [one, other]}, "alpha_nDCG@2")
        assert got == pytest.approx(self.BEST / ideal)
        assert (got > 1) == (ideal == self.GREEDY)

    def test_nothing_beats_it_by_much(self) -> None:
        """Greedy is optimal for one rank, and here the best order of all is not far above 1."""
        qrels: ByIntent = {"t": {"1": {"a": 1, "c": 1}, "2": {"a": 1}, "3": {"b": 1, "c": 1},
                                 "4": {"b": 1}}}  # fmt: skip
        runs = {"".join(order): {"t": list(order)} for order in permutations("abc")}
        found = cf.evaluate(qrels, runs, "alpha_nDCG@1 alpha_nDCG").values
        assert found[:, 0, 0].max() == 1.0
        # a, b, c against c, b, a: 2, 2, 1 against 2, 1.5, 1.5
        best = (2 + 2 / math.log2(3) + 1 / 2) / (2 + 1.5 / math.log2(3) + 1.5 / 2)
        assert found[:, 0, 1].max() == pytest.approx(best)


# -- the equations, once more -----------------------------------------------------------------


@dataclass(frozen=True)
class Base:
    """A measure of one intent, or of global gains, and its settings."""

    name: str
    rel: float | None = None
    gain: Any = "linear"
    prob: str = "exp"
    l: int | None = None

    def __str__(self) -> str:
        default = Base(self.name)
        gain = self.gain if isinstance(self.gain, str) else ":".join(f"{g:g}" for g in self.gain)
        known = {"rel": self.rel, "gain": gain, "prob": self.prob}
        given = [f"{k}={v}" for k, v in known.items() if v != getattr(default, k)]
        return self.name + (f"({', '.join(given)})" if given else "")

    def gain_of(self, level: float) -> float:
        if level <= 0 or (self.rel is not None and level < self.rel):
            return 0.0
        if self.gain == "linear":
            return level
        if self.gain == "exp":
            return float(2**level - 1)
        if self.gain == "binary":
            return 1.0
        return float(self.gain[int(level) - 1])

    def relevant(self, level: float) -> bool:
        return level >= self.rel if self.rel is not None else self.gain_of(level) > 0

    def highest(self, top: float) -> float:
        """h: the highest level, at the end of the gain table or in the judgments."""
        return top if isinstance(self.gain, str) else float(len(self.gain))

    def satisfied(self, level: float, top: float) -> float:
        """Pr: (2^x − 1)/2^h or g/(g_h + 1)."""
        g, h = self.gain_of(level), self.highest(top)
        if self.prob == "linear":
            every = replace(self, rel=None)
            return g / (every.gain_of(h) + 1)
        return (2**level - 1) / 2**h if g > 0 else 0.0


def divided(a: float, b: float) -> float:
    return a / b if b else 0.0


@dataclass(frozen=True)
class Seen:
    """A list as a measure of one intent sees it: flags and gains, and those of the ideal list."""

    I: list[bool]
    g: list[float]
    level: list[float]  # by which P+ stops
    Pr: list[float]  # by which ERR stops, and U gains
    ideal: list[float]  # the gains of all judged items, falling
    ideal_R: int
    g_h: float
    l: int | None
    lengths: list[float]

    def ranks(self) -> list[int]:
        """The ranks of relevant items."""
        return [r for r, flag in enumerate(self.I, 1) if flag and (not self.l or r <= self.l)]

    def BR(self, r: int) -> float:
        return (sum(self.I[:r]) + sum(self.g[:r])) / (r + sum(self.ideal[:r]))

    def P(self) -> float:
        return divided(len(self.ranks()), self.l or len(self.I))

    def RR(self) -> float:
        return 1 / self.ranks()[0] if self.ranks() else 0.0

    def R(self) -> int:
        return min(self.l, self.ideal_R) if self.l else self.ideal_R

    def AP(self) -> float:
        return divided(sum(sum(self.I[:r]) / r for r in self.ranks()), self.R())

    def Q(self) -> float:
        return divided(sum(self.BR(r) for r in self.ranks()), self.R())

    def Pplus(self) -> float:
        if not self.ranks():
            return 0.0
        best = max(self.level[r - 1] for r in self.ranks())
        rp = next(r for r in self.ranks() if self.level[r - 1] == best)
        down = [r for r in self.ranks() if r <= rp]
        return sum(self.BR(r) for r in down) / len(down)

    def nDCG(self) -> float:
        def dcg(gains: list[float]) -> float:
            return sum(g / log2(r + 1) for r, g in enumerate(gains[: self.l], 1))

        return divided(dcg(self.g), dcg(self.ideal))

    def ERR(self) -> float:
        total, unhappy = 0.0, 1.0
        for r, Pr in enumerate(self.Pr[: self.l], 1):
            total += unhappy * Pr / r
            unhappy *= 1 - Pr
        return total

    def RBP(self) -> float:
        total = sum(g * 0.8 ** (r - 1) for r, g in enumerate(self.g[: self.l], 1))
        return divided(0.2 * total, self.g_h)

    def U(self) -> float:
        total = read = 0.0
        for r, flag in enumerate(self.I[: self.l], 1):
            if flag:
                read += 0.2 * self.lengths[r - 1]
                total += self.Pr[r - 1] * max(0.0, 1 - (200 * r + read) / 132000)
        return total


@dataclass(frozen=True)
class Topic:
    """One topic and the list for it, with all that is known of its intents."""

    judged: dict[str, dict[str, float]]  # {intent: {doc: level}}
    p: dict[str, float]  # in the order in which gains are added up
    navigational: set[str]
    ranked: list[str]
    top: float  # the highest level of the collection
    lengths: dict[str, float]

    @property
    def docs(self) -> list[str]:
        return sorted({doc for docs in self.judged.values() for doc in docs})

    @property
    def condensed(self) -> Topic:
        return replace(self, ranked=[doc for doc in self.ranked if doc in self.docs])

    def level(self, intent: str, doc: str) -> float:
        """The level of a judged document for an intent: 0 where nobody says otherwise."""
        return self.judged.get(intent, {}).get(doc, 0.0)

    def is_rel(self, intent: str, doc: str, rel: float | None) -> bool:
        level = self.level(intent, doc)
        return doc in self.docs and (level > 0 if rel is None else level >= rel)

    def counted(self, rel: float | None, which: str) -> list[str]:
        if which == "known":
            return list(self.p)
        return [i for i in self.p if any(self.is_rel(i, doc, rel) for doc in self.docs)]

    # -- intents

    def IRec(self, l: int | None, rel: float | None = None, which: str = "known") -> float:
        counted = self.counted(rel, which)
        covered = [i for i in counted if any(self.is_rel(i, d, rel) for d in self.ranked[:l])]
        return divided(len(covered), len(counted))

    def IRec_n(self, which: str) -> float:
        n = len(self.counted(None, which))
        return self.IRec(n, None, which) if n else 0.0

    # -- intents as topics

    def of_intent(self, m: Base, intent: str) -> float:
        judged = [self.level(intent, doc) for doc in self.docs]
        listed = [self.level(intent, doc) if doc in self.docs else 0.0 for doc in self.ranked]
        found = [doc in self.docs and m.relevant(self.level(intent, doc)) for doc in self.ranked]
        g_h = replace(m, rel=None).gain_of(m.highest(self.top))
        seen = Seen(
            found,
            [m.gain_of(x) for x in listed],
            listed,
            [m.satisfied(x, self.top) for x in listed],
            sorted((m.gain_of(x) for x in judged), reverse=True),
            sum(m.relevant(x) for x in judged),
            g_h,
            m.l,
            [self.lengths[doc] for doc in self.ranked],
        )
        value: float = getattr(seen, m.name)()
        return value

    def IA(self, m: Base, which: str = "known") -> float:
        """Eq. 26."""
        served = [i for i in self.p if any(m.relevant(self.level(i, doc)) for doc in self.docs)]
        counted = served if which == "relevant" else list(self.p)
        weight = sum(self.p[i] for i in counted)
        return divided(sum(self.p[i] * self.of_intent(m, i) for i in counted), weight)

    def PMP(self, l: int | None, rel: float | None) -> float:
        """Footnote 13: only what is relevant to the most probable intent is relevant."""
        most = [i for i, p in self.p.items() if p == max(self.p.values())]
        shown = self.ranked[:l]
        hits = [sum(self.is_rel(i, doc, rel) for doc in shown) for i in most]
        return divided(sum(hits), len(most) * (len(shown) if l is None else l))

    def PplusQ(self, m: Base) -> float:
        """Eq. 34."""
        kinds = {i: "Pplus" if i in self.navigational else "Q" for i in self.p}
        return sum(p * self.of_intent(replace(m, name=kinds[i]), i) for i, p in self.p.items())

    # -- global gains

    def worth(self, m: Base, intent: str, doc: str) -> float:
        if doc not in self.docs:
            return 0.0
        level = self.level(intent, doc)
        return m.satisfied(level, self.top) if m.name == "U" else m.gain_of(level)

    def D(self, m: Base, din: bool = False) -> float:
        """Eq. 27, 28, 32 and 33."""
        GG, served = [], set()
        for doc in self.ranked:
            total = 0.0
            for i, p in self.p.items():
                g = self.worth(m, i, doc)
                muted = din and i in self.navigational and i in served
                total += 0.0 if muted else p * g
                if g > 0:
                    served.add(i)
            GG.append(total)
        every = [sum(p * self.worth(m, i, doc) for i, p in self.p.items()) for doc in self.docs]
        ideal = sorted(every, reverse=True)
        top = ideal[0]
        on_gains = Base(m.name, prob=m.prob)
        Pr = GG if m.name == "U" else [on_gains.satisfied(g, top) for g in GG]
        flags, R = [g > 0 for g in GG], sum(g > 0 for g in ideal)
        lengths = [self.lengths[doc] for doc in self.ranked]
        seen = Seen(flags, GG, GG, Pr, ideal, R, top, m.l, lengths)
        value: float = getattr(seen, m.name)()
        return value

    def sharp(self, gamma: float, m: Base, value: float) -> float:
        """Eq. 29."""
        covered = [
            i for i in self.p if any(d in self.docs and m.relevant(self.level(i, d)) for d in self.ranked[: m.l])
        ]
        return gamma * divided(len(covered), len(self.p)) + (1 - gamma) * value

    # -- cascades

    def cascade(self, docs: list[str], c: Cascade) -> float:
        """Σ ng(r)·d(r), Eq. 25."""
        worth = {i: p if c.weighted else 1.0 for i, p in self.p.items()}
        total = 0.0
        for r, doc in enumerate(docs[: c.l], 1):
            for i in (i for i in self.p if self.is_rel(i, doc, c.rel)):
                total += worth[i] * c.discount(r)
                worth[i] *= 1 - c.alpha
        return total

    def greedy(self, c: Cascade) -> list[str]:
        worth = {i: p if c.weighted else 1.0 for i, p in self.p.items()}
        left, made = self.docs, []
        while left:
            gains = {d: sum(worth[i] for i in worth if self.is_rel(i, d, c.rel)) for d in left}
            best = max(left, key=lambda doc: (gains[doc], doc.encode()))
            made.append(best)
            left = [doc for doc in left if doc != best]
            for i in worth:
                worth[i] *= 1 - c.alpha if self.is_rel(i, best, c.rel) else 1.0
        return made

    def best(self, c: Cascade) -> float:
        """Of a list of items that are relevant to every intent that any is relevant to."""
        n = sum(self.p[i] if c.weighted else 1.0 for i in self.counted(c.rel, "relevant"))
        last = 2000 if c.l is None or c.name == "NRBP" else c.l  # NRBP's has no end
        return sum(n * (1 - c.alpha) ** (r - 1) * c.discount(r) for r in range(1, last + 1))

    def Cascade(self, c: Cascade) -> float:
        found = self.cascade(self.ranked, c)
        if c.normalised:
            return divided(found, self.cascade(self.greedy(c), c))
        return divided(found, self.best(c))


@dataclass(frozen=True)
class Cascade:
    """One of the measures that ndeval has, and its settings."""

    name: str
    alpha: float = 0.5
    beta: float = 0.5
    rel: float | None = None
    weighted: bool = False
    l: int | None = None

    @property
    def normalised(self) -> bool:
        return self.name in ("alpha_nDCG", "nERR_IA", "nNRBP")

    def discount(self, r: int) -> float:
        if "DCG" in self.name:
            return 1 / log2(r + 1)
        return 1 / r if "ERR" in self.name else self.beta ** (r - 1)

    def __str__(self) -> str:
        default = Cascade(self.name)
        known = ("alpha", "beta", "rel")
        given = [f"{k}={v}" for k in known if (v := getattr(self, k)) != getattr(default, k)]
        given += ["weighted=true"] if self.weighted else []
        return self.name + (f"({', '.join(given)})" if given else "")


def written(name: str, l: int | None, condensed: bool, *arguments: Any) -> str:
    """A measure in the grammar."""
    inside = [str(a) for a in arguments if a] + (["condensed=true"] if condensed else [])
    return name + (f"({', '.join(inside)})" if inside else "") + (f"@{l}" if l else "")


# The settings of the bases; gains=(…) are the gains of levels 1, 2, 3.
BASES = [
    *map(Base, ("AP", "nDCG", "RR", "ERR", "P", "Q", "RBP", "U", "Pplus")),
    Base("AP", rel=2),
    Base("RR", rel=2),
    Base("nDCG", gain="exp"),
    Base("nDCG", gain=(1.0, 3.0, 7.0), rel=2),
    Base("Q", gain="exp", rel=2),
    Base("Q", gain=(0.0, 0.5, 2.0)),
    Base("ERR", prob="linear"),
    Base("ERR", prob="linear", gain=(1.0, 2.0, 4.0)),
    Base("RBP", gain="exp"),
    Base("U", prob="linear", gain=(0.0, 1.0, 2.0)),
    Base("U", rel=2),
]
CASCADES = [
    *map(Cascade, ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")),
    *(Cascade(name, weighted=True) for name in ("alpha_nDCG", "alpha_DCG", "NRBP", "nERR_IA")),
    Cascade("alpha_nDCG", alpha=0.3, rel=2),
    Cascade("alpha_nDCG", alpha=0.0),
    Cascade("alpha_nDCG", alpha=1.0, weighted=True),
    Cascade("ERR_IA", alpha=0.9, rel=2),
    Cascade("NRBP", alpha=0.3, beta=0.8),
    Cascade("nNRBP", alpha=0.3, beta=0.8, weighted=True),
]


def naive(topic: Topic, l: int | None, condensed: bool) -> dict[str, float]:
    """Every measure of diversity, by name."""
    t = topic.condensed if condensed else topic
    found: dict[str, float] = {}
    for which in ("known", "relevant"):
        chosen = "" if which == "known" else "intents=relevant"
        for rel in (None, 2):
            threshold = "" if rel is None else "rel=2"
            found[written("IRec", l, condensed, threshold, chosen)] = t.IRec(l, rel, which)
        if l is None:
            found[written("IRec", l, condensed, chosen, "top=intents")] = t.IRec_n(which)
        for m in BASES:
            found[written("IA", l, condensed, m, chosen)] = t.IA(replace(m, l=l), which)
    for rel in (None, 2):
        found[written("PMP", l, condensed, "" if rel is None else "rel=2")] = t.PMP(l, rel)
    for m in (replace(m, l=l) for m in BASES):
        D, DIN, gamma = t.D(m), t.D(m, din=True), 0.25
        found[written("D", l, condensed, m)] = D
        if m.name == "U":  # linear in the gains: with one text for all intents they are the same
            found[written("IA", l, condensed, m, "trail=shared")] = D
        found[written("DIN", l, condensed, m)] = DIN
        found[written("Dsharp", l, condensed, m, "gamma=0.25")] = t.sharp(gamma, m, D)
        found[written("DINsharp", l, condensed, m)] = t.sharp(0.5, m, DIN)
    for m in (Base("", l=l), Base("", gain="exp", rel=2, l=l)):
        settings = str(m).strip("()")
        found[written("PplusQ", l, condensed, settings)] = t.PplusQ(m)
        sharp = t.sharp(0.25, m, t.PplusQ(m))
        found[written("PplusQsharp", l, condensed, settings, "gamma=0.25")] = sharp
    for c in (replace(c, l=l) for c in CASCADES):
        inside = str(c).removeprefix(c.name).strip("()")
        found[written(c.name, l, condensed, inside)] = t.Cascade(c)
        if c.name == "alpha_DCG":
            bare = t.cascade(t.ranked, c)
            found[written(c.name, l, condensed, inside, "norm=sum")] = bare
    return found


parsed = cache(cf.parse_measure)
VIEWS = [(l, condensed) for l in (None, 1, 3) for condensed in (False, True)]

DOCS = ["d1", "d2", "d9", "d10", "D1", "é", "文", "x"]
UNJUDGED = ["u1", "u2", "u3"]
LENGTHS = {doc: 700.0 * i**2 + 90 for i, doc in enumerate([*DOCS, *UNJUDGED])}
INTENTS = ["1", "2", "10", "b"]
LEVELS = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0])


@dataclass
class Collection:
    """Judgments for intents, lists, and what is known of the intents, if anything is."""

    qrels: ByIntent
    ranked: Ranked
    probabilities: Known
    types: Known

    @property
    def intents(self) -> list[Known] | None:
        return [known for known in (self.probabilities, self.types) if known] or None

    def topics(self) -> dict[str, Topic]:
        top = max(x for t in self.qrels.values() for docs in t.values() for x in docs.values())
        made = {}
        for name, judged in self.qrels.items():
            given = self.probabilities.get(name)
            numbers = all(i.isdecimal() for i in given or judged)
            every = sorted(given or judged, key=int if numbers else str)
            p = {i: given[i] if given else 1 / len(every) for i in every}
            navigational = {i for i, kind in self.types.get(name, {}).items() if kind == "nav"}
            ranked = self.ranked.get(name, [])
            made[name] = Topic(judged, p, navigational, ranked, max(top, 0.0), LENGTHS)
        return made

    def evaluate(self, measures: Any, **options: Any) -> cf.Scores:
        settings = {"intents": self.intents, "lengths": {"characters": LENGTHS}} | options
        return cf.evaluate(self.qrels, self.ranked, measures, **settings)


def drawn_intents(draw: st.DrawFn, names: list[str]) -> dict[str, float]:
    """Probabilities of these intents, and perhaps of others that nothing was judged for."""
    others = draw(st.lists(st.sampled_from(["3", "zz"]), unique=True, max_size=1))
    parts = {i: draw(st.integers(0, 4)) for i in [*names, *others]}
    parts[names[0]] += 1
    return {i: part / sum(parts.values()) for i, part in parts.items()}


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    made = Collection({}, {}, {}, {})
    for t in [f"t{i}" for i in range(draw(st.integers(1, 3)))]:
        names = draw(st.lists(st.sampled_from(INTENTS), unique=True, min_size=1, max_size=4))
        judged = {i: draw(st.dictionaries(st.sampled_from(DOCS), LEVELS, max_size=6)) for i in names}
        if judged := {i: docs for i, docs in judged.items() if docs}:
            made.qrels[t] = judged
            if draw(st.booleans()):
                made.probabilities[t] = drawn_intents(draw, list(judged))
            if draw(st.booleans()):
                made.types[t] = {i: draw(st.sampled_from(["inf", "nav"])) for i in judged}
            if draw(st.integers(0, 4)):
                made.ranked[t] = draw(st.lists(st.sampled_from([*DOCS, *UNJUDGED]), unique=True))
    if not made.qrels or not made.ranked:
        made.qrels["t"], made.ranked["t"] = {"1": {"d1": 1.0}, "2": {"d2": 0.0}}, ["u1", "d1"]
    return made


OF_INTENTS = [name for name, c in cf.REGISTRY.items() if c.__module__ == "cranfield.measures.diversity"]


@checks(*OF_INTENTS, against="second writing")
@given(collections(), st.sampled_from(VIEWS))
@some
def test_a_second_writing(drawn: Collection, view: tuple[int | None, bool]) -> None:
    expected = {name: naive(topic, *view) for name, topic in drawn.topics().items()}
    names = list(next(iter(expected.values())))
    scores = drawn.evaluate([parsed(name) for name in names])
    assert len(scores.measures) == len(names)
    for topic, by_name in expected.items():
        for name, column in zip(names, scores.measures, strict=True):
            got = scores["run", topic, column]
            assert got == pytest.approx(by_name[name], rel=1e-12, abs=1e-12), (topic, name)


def test_every_measure_of_diversity_is_written_twice() -> None:
    """A new one must be added above, too."""
    topic = Topic({"1": {"d1": 1.0}}, {"1": 1.0}, set(), ["d1"], 1.0, LENGTHS)
    assert set(OF_INTENTS) == {type(cf.parse_measure(m)).__name__ for m in naive(topic, None, False)}


# -- peers ------------------------------------------------------------------------------------

NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "P-IA": "IA(P, intents=relevant)",
    "strec": "IRec(intents=relevant)",
}
AT_CUTOFFS = {f"{theirs}@{l}": f"{ours}@{l}" for theirs, ours in NDEVAL.items() for l in (5, 10, 20)}
THEIRS = AT_CUTOFFS | {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "IA(AP, intents=relevant)"}


def a_collection(seed: int) -> tuple[list[tuple[str, str, str, int]], Ranked]:
    """Judgments of up to 60 documents for up to 8 intents, and lists with unjudged documents."""
    rng = random.Random(seed)  # noqa: S311
    qrels, ranked = [], {}
    for topic in map(str, range(1, rng.randint(2, 6))):
        docs = [f"d{i}" for i in range(rng.randint(1, 60))]
        intents = [str(i) for i in range(1, rng.randint(1, 8) + 1)]
        pool = rng.sample(docs, rng.randint(1, len(docs)))
        for doc in pool:
            for intent in rng.sample(intents, rng.randint(1, len(intents))):
                qrels.append((topic, intent, doc, rng.choice([0, 0, 0, 1, 1, 2])))
        ranked[topic] = rng.sample(docs, rng.randint(1, len(docs)))
    return qrels, ranked


@checks(*THEIRS.values(), against="ndeval")
@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 50, 100])
def test_ndeval(first: int) -> None:
    compared = 0
    for seed in range(first, first + 50):
        qrels, ranked = a_collection(seed)
        scored = {t: {d: float(-r) for r, d in enumerate(ds)} for t, ds in ranked.items()}
        expected = pyndeval.ndeval(
            [pyndeval.SubtopicQrel(*judgment) for judgment in qrels],
            [pyndeval.ScoredDoc(t, d, x) for t, docs in scored.items() for d, x in docs.items()],
            measures=list(THEIRS),
        )
        scores = cf.evaluate(qrels, scored, list(THEIRS.values()))
        for topic, values in expected.items():
            for theirs, ours in THEIRS.items():
                got = scores["run", topic, str(parsed(ours))]
                # Without relevant documents nNRBP is 0/0 there, and 0 here.
                value = 0.0 if math.isnan(values[theirs]) else values[theirs]
                assert got == pytest.approx(value, abs=1e-12), (seed, topic, theirs)
                compared += 1
    assert compared > 50 * len(THEIRS)


@checks("D", against="pyNTCIREVAL")
def test_pyNTCIREVAL() -> None:
    """Its measures take a gain for every level: let each global gain be a level of its own."""
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL import metrics as m

    for seed in range(40):
        qrels, ranked = a_collection(seed)
        topic = qrels[0][0]
        levels: dict[str, dict[str, int]] = {}
        for t, intent, doc, level in qrels:
            if t == topic:
                levels.setdefault(intent, {})[doc] = level
        docs = {doc for judged in levels.values() for doc in judged}
        total = {d: sum(judged.get(d, 0) for judged in levels.values()) for d in docs}
        if not any(total.values()):
            continue
        # With probabilities alike, GG is the sum of the levels over the number of intents.
        tops = max(total.values())
        gains = [x / len(levels) for x in range(1, tops + 1)]
        labeler = Labeler(total)
        labelled = labeler.label(ranked[topic])
        number = labeler.compute_per_level_doc_num(tops + 1)
        theirs = {
            "D(nDCG)@10": m.MSnDCG(number, gains, 10),
            "D(nDCG(discount=jk))@10": m.nDCG(number, gains, 2.0, 10),
            "D(AP)": m.AP(number, gains),
            "D(Q)": m.QMeasure(number, gains, 1.0),
            "D(Pplus)": m.PPlusMeasure(number, gains, 1.0),
            "D(ERR(prob=linear))": m.ERR(number, gains),
            "D(RBP(p=0.95))": m.RBP(number, gains, 0.95),
        }
        ours = cf.evaluate({topic: levels}, {topic: ranked[topic]}, list(theirs))
        for name, peer in theirs.items():
            expected = peer.compute(labelled)
            assert ours["run", topic, name] == pytest.approx(expected, abs=1e-12), (seed, name)


# -- what must hold ---------------------------------------------------------------------------

OF_LISTS = [
    c
    for c in cf.REGISTRY.values()
    if c.__module__.startswith("cranfield.measures") and c.takes == "lists" and c.effectiveness
]


@cache
def combined(how: str) -> list[tuple[cf.Measure, cf.Measure]]:
    """D(M) and M, say, for every M that there is."""
    found: list[tuple[cf.Measure, cf.Measure]] = []
    for c in OF_LISTS:
        names = {f.name for f in c.list_parameters()}
        chosen = [f"({name}={x})" for name, x in SETTINGS if name in names]
        for base in (c.__name__ + setting for setting in ("", *chosen)):
            with contextlib.suppress(cf.CranfieldError):  # there is no such thing
                found += [(parsed(f"{how}({base}){l}"), parsed(base + l)) for l in ("", "@2")]
    assert len(found) > 100
    return found


SETTINGS = (("rel", "2"), ("gain", "exp"), ("gain", "1:3:7"), ("gain", "raw"))


@st.composite
def one_intent(draw: st.DrawFn) -> tuple[dict[str, dict[str, float]], Ranked]:
    judged = draw(st.dictionaries(st.sampled_from(DOCS), LEVELS, min_size=1))
    ranked = draw(st.lists(st.sampled_from([*DOCS, *UNJUDGED]), unique=True))
    return {"t": judged, "u": {"d1": 3.0}}, {"t": ranked, "u": ["d1"]}


class TestOneIntent:
    """One intent with probability 1 makes D(M) = IA(M) = M."""

    def same(self, how: str, drawn: tuple[Any, Any], without: tuple[str, ...] = ()) -> None:
        judged, ranked = drawn
        both = [(d, m) for d, m in combined(how) if type(m).__name__ not in without]
        qrels = {topic: {"only": docs} for topic, docs in judged.items()}
        known = {topic: {"only": 1.0} for topic in judged}
        lengths = {"characters": LENGTHS, "words": LENGTHS}
        got = cf.evaluate(qrels, ranked, [d for d, _ in both], intents=known, lengths=lengths)
        plain = cf.evaluate(judged, ranked, [m for _, m in both], lengths=lengths)
        for d, m in both:
            for topic in judged:
                x, y = got["run", topic, str(d)], plain["run", topic, str(m)]
                assert x == pytest.approx(y, rel=1e-12, abs=1e-12), (topic, str(d))

    @given(one_intent())
    @settings(few, max_examples=examples(6))
    def test_IA(self, drawn: tuple[Any, Any]) -> None:
        self.same("IA", drawn)

    @given(one_intent())
    @settings(few, max_examples=examples(6))
    def test_D(self, drawn: tuple[Any, Any]) -> None:
        """Those that depend on g_h take that of the global gains, which are of one topic."""
        by_highest = ("RBP", "ERR", "nERR", "EBR", "nEBR", "iRBU", "niRBU", "rpref_N")
        self.same("D", drawn, without=by_highest)

    @given(one_intent())
    @few
    def test_D_where_the_highest_level_is_that_of_the_topic(self, drawn: tuple[Any, Any]) -> None:
        judged, ranked = drawn
        judged = {"t": judged["t"] | {"x": 3.0}}
        names = ("RBP", "RBP(rel=2)", "RBP(gain=exp)", "ERR", "nERR(prob=linear)", "rpref_N")
        for name in names:
            got = value({"t": {"1": judged["t"]}}, {"t": ranked["t"]}, f"D({name})")
            expected = value(judged, {"t": ranked["t"]}, name)
            assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("name", ["GAP", "WRR", "NWRR", "infAP"])
def test_some_measures_need_levels(name: str) -> None:
    """Global gains are no levels 1, 2, …, nor −1, which is unjudged to infAP."""
    with pytest.raises(cf.CranfieldError, match="requires levels, not gains"):
        cf.parse_measure(f"D({name})")
    assert cf.parse_measure(f"IA({name})").takes == "intents"


GAMMAS = (0.0, 0.3, 0.5, 1.0)
NAMES = ("nDCG", "Q", "AP", "ERR", "RBP")


class TestIdentities:
    @given(collections())
    @few
    def test_DIN_is_D_if_no_intent_is_navigational(self, drawn: Collection) -> None:
        drawn.types = {t: dict.fromkeys(of_t, "informational") for t, of_t in drawn.types.items()}
        DIN, D = ([f"{how}({m})@5" for m in NAMES] for how in ("DIN", "D"))
        assert drawn.evaluate(DIN).values.tolist() == drawn.evaluate(D).values.tolist()

    @given(collections())
    @few
    def test_DIN_is_at_most_D(self, drawn: Collection) -> None:
        drawn.types = {t: dict.fromkeys(of_t, "navigational") for t, of_t in drawn.qrels.items()}
        x = drawn.evaluate(["DIN(nDCG)@5", "D(nDCG)@5"]).values
        assert (x[..., 0] <= x[..., 1] + 1e-12).all()

    @given(collections())
    @few
    def test_sharp_mixes(self, drawn: Collection) -> None:
        for how in ("D", "DIN"):
            sharp = [f"{how}sharp(nDCG, gamma={gamma})@4" for gamma in GAMMAS]
            x = drawn.evaluate(["IRec@4", f"{how}(nDCG)@4", *sharp]).values
            irec, d = x[..., 0], x[..., 1]
            for k, gamma in enumerate(GAMMAS):
                assert x[..., 2 + k] == pytest.approx(gamma * irec + (1 - gamma) * d)
            assert x[..., 2].tolist() == d.tolist()  # γ = 0
            assert x[..., -1].tolist() == irec.tolist()  # γ = 1

    @given(collections())
    @few
    def test_the_global_ideal_list_scores_1(self, drawn: Collection) -> None:
        for name, topic in drawn.topics().items():
            GG = {d: sum(p * max(topic.level(i, d), 0) for i, p in topic.p.items())
                  for d in topic.docs}  # fmt: skip
            drawn.ranked[name] = sorted(GG, key=lambda doc: -GG[doc])
            best = 1.0 if any(GG.values()) else 0.0
            ms = ["D(nDCG)", "D(nDCG)@2", "D(Q)", "D(nERR)@3", "D(AP)"]
            got = drawn.evaluate(ms).select(topics=[name]).values
            assert got == pytest.approx(best), (name, got)

    @given(collections())
    @few
    def test_D_U_and_U_IA_agree_closely(self, drawn: Collection) -> None:
        """They differ by what users of other intents read: F·length of relevant documents."""
        drawn.types = {}
        x = drawn.evaluate(["D(U)", "IA(U)"]).values[0]
        for (d, ia), (name, topic) in zip(x, drawn.topics().items(), strict=True):
            read = 0.2 * sum(LENGTHS[doc] for doc in topic.ranked if doc in topic.docs)
            gains = sum(p * topic.worth(Base("U"), i, doc)
                        for i, p in topic.p.items() for doc in topic.ranked)  # fmt: skip
            assert d <= ia + 1e-12, name
            assert ia - d <= gains * read / 132000 + 1e-12, name

    @given(collections())
    @settings(few, max_examples=examples(10))
    def test_probabilities_alike_change_nothing(self, drawn: Collection) -> None:
        """Not even the last bit."""
        drawn.probabilities = {}
        names = measures(3)
        without = drawn.evaluate(names)
        for t, of_t in drawn.qrels.items():
            drawn.probabilities[t] = {i: 1 / len(of_t) for i in of_t}
        given_alike = drawn.evaluate(names)
        for k, name in enumerate(without.measures):
            x, y = without.values[..., k].tolist(), given_alike.values[..., k].tolist()
            assert x == y, name

    @given(collections(), st.sampled_from([None, 1, 3]))
    @few
    def test_ranges(self, drawn: Collection, l: int | None) -> None:
        """From 0 to 1; over a greedy ideal list a little more is possible."""
        names = [name for name in measures(l) if not name.startswith(("IA(U", "D(U", "DIN(U"))]
        names = [name for name in names if "sharp(U" not in name and "norm=sum" not in name]
        x = drawn.evaluate(names)
        for k, name in enumerate(names):
            greedy = name.startswith(("alpha_nDCG", "nERR_IA", "nNRBP"))
            column = x.values[..., k]
            assert ((column >= 0) & (column <= (1.5 if greedy else 1) + 1e-12)).all(), name


@cache
def measures(l: int | None) -> tuple[str, ...]:
    """All measures of diversity that are written twice above."""
    topic = Topic({"1": {"d1": 1.0}}, {"1": 1.0}, set(), ["d1"], 1.0, LENGTHS)
    return tuple(str(parsed(name)) for name in naive(topic, l, False))


# -- the same bits, however it is computed and whatever it comes from -----------------------------


def rows(drawn: Collection) -> list[tuple[str, str, str, float]]:
    return [(t, i, d, x) for t, of_t in drawn.qrels.items() for i, docs in of_t.items()
            for d, x in docs.items()]  # fmt: skip


def bits(drawn: Collection, qrels: Any, **options: Any) -> list[Any]:
    """The scores of a few measures of each kind, topic by topic in the order of their names."""
    names = [*measures(None)[::8], *measures(3)[3::8]]
    scores = cf.evaluate(
        qrels,
        drawn.ranked,
        names,
        **({"intents": drawn.intents, "lengths": {"characters": LENGTHS}} | options),
    )
    order = sorted(range(len(scores.topics)), key=scores.topics.__getitem__)
    found: list[Any] = scores.values[0, order].tolist()
    return found


class TestSameBits:
    @given(collections())
    @settings(few, max_examples=examples(10))
    def test_blocks_and_threads(self, drawn: Collection) -> None:
        expected = bits(drawn, drawn.qrels, threads=1)
        for cells, threads in ((1, 1), (1, 4), (30, 2)):
            assert bits(drawn, drawn.qrels, block_cells=cells, threads=threads) == expected

    @given(drawn=collections(), shuffled=st.randoms(use_true_random=False))
    @few
    def test_the_order_of_judgments(self, drawn: Collection, shuffled: random.Random) -> None:
        expected, lines = bits(drawn, drawn.qrels), rows(drawn)
        assert bits(drawn, lines) == expected
        shuffled.shuffle(lines)
        assert bits(drawn, lines) == expected

    @given(drawn=collections())
    @settings(few, max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_inputs(self, drawn: Collection, tmp_path: Path) -> None:
        expected, lines = bits(drawn, drawn.qrels), rows(drawn)
        frame = pl.DataFrame(lines, schema=["topic", "intent", "doc", "level"], orient="row")
        texts = {
            "text": "".join(f"{t} {i} {d} {x:g}\n" for t, i, d, x in lines),
            "csv": frame.write_csv(),
            "tsv": frame.rename({"intent": "subtopic"}).write_csv(separator="\t"),
            "json": json.dumps(drawn.qrels),
            "jsonl": frame.write_ndjson(),
        }
        for kind, text in texts.items():
            path = tmp_path / f"qrels.{kind}"
            path.write_text(text, encoding="utf-8")
            assert bits(drawn, path) == expected, kind
        frame.write_parquet(tmp_path / "qrels.parquet")
        assert bits(drawn, tmp_path / "qrels.parquet") == expected
        for made in (frame, frame.to_pandas(), frame.rename({"intent": "subtopic"})):
            assert bits(drawn, made) == expected

    @given(drawn=collections())
    @few
    def test_of_one_topic_alone(self, drawn: Collection) -> None:
        """Except for the highest level, which is that of the collection: declared here."""
        names = ["D(nDCG)", "IA(Q)", "Dsharp(nDCG)@3", "alpha_nDCG", "NRBP", "IA(ERR(max_level=3))",
                 "PplusQ@3", "D(RBP)"]  # fmt: skip
        together = drawn.evaluate(names)
        for topic in drawn.qrels.keys() & drawn.ranked.keys():  # a run answers at least one
            alone = replace(drawn, qrels={topic: drawn.qrels[topic]})
            alone.probabilities = {t: p for t, p in drawn.probabilities.items() if t == topic}
            alone.types = {t: kinds for t, kinds in drawn.types.items() if t == topic}
            got, expected = alone.evaluate(names), together.select(topics=[topic])
            assert got.values[0, 0].tolist() == expected.values[0, 0].tolist(), topic


# -- intent by intent, ties, and how a score comes about ------------------------------------------


class TestPerIntent:
    @given(collections())
    @few
    def test_every_intent_is_a_topic(self, drawn: Collection) -> None:
        """As if its judgments were in a file of their own, all documents judged for it."""
        drawn.probabilities = {}
        names = ["nDCG@3", "AP", "ERR(max_level=3)", "Q", "P@2", "bpref"]
        got = drawn.evaluate([f"IA({m})" for m in names], per_intent=True)
        assert got.measures == tuple(names)
        expected: dict[str, dict[str, float]] = {}
        for t, topic in drawn.topics().items():
            for i in topic.p:
                expected[f"{t}/{i}"] = {doc: topic.level(i, doc) for doc in topic.docs}
        ranked = {name: drawn.ranked.get(name.split("/")[0], []) for name in expected}
        plain = cf.evaluate(expected, ranked, names)
        assert got.topics == plain.topics
        assert got.values.tolist() == plain.values.tolist()

    def test_what_measures_become(self) -> None:
        asked = ["IRec@3", "D(nDCG)@3", "IA(ERR)", "DINsharp(Q)@3", "PplusQ@3", "AP"]
        scores = cf.evaluate(APPLE, FOUND, asked, per_intent=True)
        expected = ("Success@3", "nDCG@3", "ERR", "Q@3", "Pplus@3", "AP")
        assert scores.measures == expected
        assert scores.topics == ("apple/company", "apple/fruit")
        assert scores["run", "apple/fruit", "AP"] == pytest.approx(1 / 3)

    @pytest.mark.parametrize("m", ["alpha_nDCG@10", "NRBP", "ERR_IA", "IRec(top=intents)"])
    def test_some_have_no_value_for_an_intent(self, m: str) -> None:
        with pytest.raises(cf.CranfieldError, match="has no value for a single intent"):
            cf.evaluate(APPLE, FOUND, m, per_intent=True)


class TestTies:
    QRELS: ClassVar[ByIntent] = {"t": {"1": {"a": 1, "c": 1}, "2": {"b": 1}}}
    TIED: ClassVar[Any] = {"t": {"a": 1.0, "b": 1.0, "c": 1.0}}
    MEASURES = ("alpha_nDCG@2", "IRec@2", "D(nDCG)@2", "IA(RR)", "NRBP")

    def orders(self) -> np.ndarray:
        """The scores of all six orders: [6, measures]."""
        runs = {"".join(docs): {"t": list(docs)} for docs in permutations("abc")}
        return cf.evaluate(self.QRELS, runs, self.MEASURES).values[:, 0]

    def test_expected_is_sampled(self) -> None:
        every = self.orders()
        got = cf.evaluate(self.QRELS, self.TIED, self.MEASURES, ties="expected", tie_samples=1000)
        for k, m in enumerate(self.MEASURES):
            x, se = (got["run", "t", name] for name in (m, f"{m}.se"))
            assert abs(x - every[:, k].mean()) <= 5 * se + 1e-12, m

    @pytest.mark.parametrize("ties", ["trec", "best", "worst"])
    def test_one_order_of_all(self, ties: Any) -> None:
        got = cf.evaluate(self.QRELS, self.TIED, self.MEASURES, ties=ties)
        assert got.values[0, 0].tolist() in self.orders().tolist()

    def test_trec_order(self) -> None:
        """By document id, descending."""
        got = cf.evaluate(self.QRELS, self.TIED, self.MEASURES)
        alike = cf.evaluate(self.QRELS, {"t": ["c", "b", "a"]}, self.MEASURES)
        assert got.values.tolist() == alike.values.tolist()


class TestExplain:
    def test_global_gains(self) -> None:
        """Figure 4 again: (1 + 1.8)/(3 + 1.8)."""
        shown = str(cf.explain("D(Q)", APPLE, FOUND, intents=LIKELY))
        assert "1.8000" in shown
        assert shown.endswith("D(Q) = 0.5833 / 1 = 0.5833")

    BY_HAND: ClassVar[ByIntent] = {
        "t": {name: {d: levels[i] for d, levels in zip("abcde", JUDGED, strict=True)}
              for i, name in enumerate("xy")}
    }  # fmt: skip
    LISTED: ClassVar[Ranked] = {"t": ["a", "u", "b", "c", "d"]}

    def column(self, m: str, name: str) -> list[float]:
        """What is shown of the judged documents in the list."""
        steps = cf.explain(m, self.BY_HAND, self.LISTED).steps
        return [row.values[steps.columns.index(name)] for row in steps.rows if row.values]

    def test_novelty_biased_gains(self) -> None:
        """As by hand: 1, –, 1/2, 1/4 + 1, 1/2."""
        assert self.column("alpha_nDCG", "ng") == [1, 0.5, 1.25, 0.5]

    def test_new_intents(self) -> None:
        """newint is 1 at ranks 1 and 4."""
        assert self.column("IRec", "new intents") == [1, 0, 1, 0]

    def test_intents_one_by_one(self) -> None:
        """AP of x and of y."""
        totals = cf.explain("IA(AP)", self.BY_HAND, self.LISTED).steps.totals
        x, y = (1 + 2 / 3 + 3 / 4) / 3, (1 / 4 + 2 / 5) / 2
        assert list(totals.values()) == pytest.approx([x, y])

    @pytest.mark.parametrize("m", ["IRec", "IA(AP)", "DIN(nDCG)@3", "Dsharp(Q)", "PplusQ", "NRBP"])
    def test_ends_in_the_score(self, m: str) -> None:
        shown = str(cf.explain(m, APPLE, FOUND, intents=LIKELY))
        assert shown.splitlines()[-1].split(" = ")[-1] == f"{value(APPLE, FOUND, m, intents=LIKELY):.4f}"

    def test_on_the_command_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "qrels").write_text("1 1 a 2\n1 2 a 1\n1 2 b 1\n")
        (tmp_path / "run").write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n")
        (tmp_path / "p").write_text("1 1 0.8\n1 2 0.2\n")
        paths = [str(tmp_path / name) for name in ("qrels", "run", "p")]
        code = main(["explain", "D(nDCG)@2", "--on", *paths[:2], "--intents", paths[2]])
        out = capsys.readouterr().out
        assert code == 0
        # GG: b 0.2, a 1.8; (0.2 + 1.8/math.log2(3)) / (1.8 + 0.2/math.log2(3))
        assert out.rstrip().endswith("D(nDCG)@2 = 1.3357 / 1.9262 = 0.6934")


# -- what reviews found ---------------------------------------------------------------------------

TWO = {"1": {"1": {"a": 1}, "2": {"b": 1}}}


def test_probabilities_are_not_made_to_sum_to_one() -> None:
    """IA(M) = Σ Pr·M with the numbers as given, within 1e-6 of a sum of 1."""
    known = {"1": {"1": 0.5000004, "2": 0.4999998}}
    scores = cf.evaluate(TWO, {"1": ["b", "a"]}, "IA(P)@1", intents=known)
    assert scores["run", "1", "IA(P)@1"] == pytest.approx(0.4999998, rel=1e-12)


def test_D_and_DIN_of_one_measure_at_once() -> None:
    """Two items for a navigational intent: the second adds nothing, to DIN alone."""
    qrels, run = {"1": {"1": {"a": 1, "b": 1}}}, {"1": ["a", "b"]}
    scores = cf.evaluate(qrels, run, ["D(nDCG)", "DIN(nDCG)"], intents={"1": {"1": "nav"}})
    assert scores["run", "1", "D(nDCG)"] == 1.0
    assert scores["run", "1", "DIN(nDCG)"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_D_of_U_with_two_probabilities_at_once() -> None:
    """(2^1 − 1)/2^2 = 1/4 and 1/(2 + 1) = 1/3 at offset 200 + 0.2·0, of L = 132000."""
    qrels, run = {"1": {"1": {"a": 1, "b": 2}}}, {"1": ["a"]}
    both = ["D(U)", "D(U(prob=linear))"]
    together = cf.evaluate(qrels, run, both, lengths={"a": 100, "b": 100})
    for name in both:
        alone = cf.evaluate(qrels, run, name, lengths={"a": 100, "b": 100})
        assert together["run", "1", name] == alone["run", "1", name]
    assert together["run", "1", both[0]] != together["run", "1", both[1]]


def test_levels_below_one_are_relevant() -> None:
    """What is above 0 is relevant where no threshold is set."""
    qrels = {"1": {"1": {"a": 0.5}, "2": {"b": 0}}}
    scores = cf.evaluate(qrels, {"1": ["a"]}, ["IRec", "alpha_nDCG@1"])
    assert scores.values.tolist() == [[[0.5, 1.0]]]


def test_a_threshold_of_0_and_topics_with_fewer_intents() -> None:
    """Every judged item is then relevant to every intent of its topic, and to no other."""
    qrels = {"1": {"1": {"a": 0}}, "2": {"1": {"a": 0}, "2": {"b": 1}, "3": {"c": 1}}}
    scores = cf.evaluate(qrels, {"1": ["a"], "2": ["a"]}, "IRec(rel=0)")
    assert scores.values.tolist() == [[[1.0], [1.0]]]


def test_fractional_levels_and_blocks() -> None:
    """The levels of GAP are those of the collection, however blocks are cut."""
    qrels = {
        "1": {"1": {"a": 1, "b": 3, "c": 2}, "2": {"a": 0.3}},
        "2": {"1": {"a": 1.7, "b": 0.1}, "2": {"b": 2.9, "c": 0.7}},
    }
    run = {"1": ["x", "a", "c", "b"], "2": ["c", "x", "b", "a"]}
    names = ["IA(GAP)", "IA(GAP(thresholds=level))", "IA(GAP(thresholds=1:5:7))"]
    one, all_at_once = (cf.evaluate(qrels, run, names, block_cells=n).values for n in (1, 10**6))
    assert np.array_equal(one, all_at_once)


@pytest.mark.parametrize("settings", ["rel=2", "condensed=true", "gain=0:1"])
def test_intent_recall_is_the_mean_over_intents(settings: str) -> None:
    """IRec is the part of the intents that --per-intent calls a success."""
    qrels = {"1": {"1": {"a": 1}, "2": {"b": 2}, "3": {"c": 2}}}
    run = {"1": ["a", "x", "b", "c"]}
    name = f"IRec({settings})@3"
    whole = cf.evaluate(qrels, run, name)["run", "1", name]
    each = cf.evaluate(qrels, run, name, per_intent=True)
    assert each.values.mean() == pytest.approx(whole)


def test_no_intent_is_0_unless_something_is_relevant_to_it() -> None:
    """TREC and NTCIR put useless documents there."""
    useless = {"1": {"0": {"x": 0}, "1": {"a": 1}, "2": {"b": 1}}}
    real = {"1": {"0": {"x": 1}, "1": {"a": 1}, "2": {"b": 1}}}
    found = [cf.evaluate(q, {"1": ["a"]}, "IRec")["run", "1", "IRec"] for q in (useless, real)]
    assert found == [1 / 2, 1 / 3]


def test_a_topic_of_intent_0_alone() -> None:
    """It has that intent, and no relevant document."""
    qrels = {"1": {"0": {"x": 0}}, "2": {"1": {"a": 1}}}
    scores = cf.evaluate(qrels, {"1": ["x"], "2": ["a"]}, "IRec", per_intent=True)
    assert scores.topics == ("1/0", "2/1")


def test_useless_documents_of_intent_0_where_probabilities_are_known() -> None:
    """Intent 0 is none of the intents: its judgments must not fall to another topic's."""
    qrels = {"1": {"1": {"a": 1}, "0": {"a": -2, "x": -2}}, "2": {"1": {"b": 1}, "2": {"c": 1}}}
    known = {"1": {"1": 1.0}, "2": {"1": 0.5, "2": 0.5}}
    scores = cf.evaluate(qrels, {"1": ["a"], "2": ["c", "b"]}, "D(nDCG)", intents=known)
    assert scores.values.tolist() == [[[1.0], [1.0]]]


def test_equal_gains_of_the_greedy_list_fall_by_document() -> None:
    """Each adds 2 at first: c comes first, after which a adds 1.5; a and b would add 4."""
    qrels = {"1": {"1": {"a": 1}, "2": {"a": 1, "c": 1}, "3": {"b": 1, "c": 1}, "4": {"b": 1}}}
    runs = {"greedy": {"1": ["c", "a"]}, "best": {"1": ["a", "b"]}}
    scores = cf.evaluate(qrels, runs, "alpha_nDCG@2")
    assert scores["greedy", "1", "alpha_nDCG@2"] == 1.0
    best = (2 + 2 / math.log2(3)) / (2 + 1.5 / math.log2(3))
    assert scores["best", "1", "alpha_nDCG@2"] == pytest.approx(best)


def test_intents_come_in_order_whatever_the_order_of_probabilities() -> None:
    """By number."""
    known = {"1": {"10": 0.2, "9": 0.8}}
    qrels = {"1": {"9": {"a": 1}, "10": {"b": 1}}}
    scores = cf.evaluate(qrels, {"1": ["a"]}, "IRec", intents=known, per_intent=True)
    assert scores.topics == ("1/9", "1/10")


TWO_INTENTS = {"t": {"1": {"a": 1}, "2": {"a": 1, "b": 1}}}


def test_the_quotient_shown_is_over_the_greedy_list() -> None:
    """b serves an intent; a the other, and again that one: half as much. The best begins with a."""
    shown = cf.explain("alpha_nDCG@2", TWO_INTENTS, {"t": ["b", "a"]}, "t")
    assert shown.fraction == pytest.approx((1 + 1.5 / math.log2(3), 2 + 0.5 / math.log2(3)))


def test_both_parts_of_a_sharp_measure_are_shown() -> None:
    """Global gains are 0.5 for b and 1 for a."""
    shown = cf.explain("Dsharp(nDCG)@2", TWO_INTENTS, {"t": ["b", "a"]}, "t").steps.totals
    gained, best = 0.5 + 1 / math.log2(3), 1 + 0.5 / math.log2(3)
    assert shown["IRec@2"] == 1
    assert shown["D(nDCG)@2"] == pytest.approx(gained / best)


def test_sums_over_no_intents_are_0() -> None:
    assert sum_intents(np.zeros((2, 3, 0))).tolist() == [[0.0] * 3] * 2


def test_harm_alone_stays_harm() -> None:
    """A document below 0 for its only intent is below 0 for the topic."""
    qrels = cf.read_qrels({"1": {"1": {"a": -2, "b": 1}}}, by_intent=True)
    assert qrels.to_dict() == {"1": {"a": -2.0, "b": 1.0}}


def test_numbers_written_in_two_ways() -> None:
    """1 and 01 are two intents, in the order of their names whichever came first."""
    assert sort_intents(["1", "01"]) == sort_intents(["01", "1"]) == ["01", "1"]


def test_a_condensed_base_makes_a_condensed_combination() -> None:
    """D(nDCG(condensed=true)) is D(nDCG, condensed=true)."""
    qrels, run = {"1": {"1": {"a": 1}}}, {"1": ["x", "a"]}
    scores = cf.evaluate(qrels, run, ["D(nDCG(condensed=true))", "D(nDCG)"])
    assert scores.values.tolist() == [[[1.0, pytest.approx(1 / math.log2(3))]]]


def test_intents_of_later_topics_from_mappings() -> None:
    """Topics with more intents than documents for the last of them."""
    qrels = {"1": {"1": {"a": 1}, "2": {"b": 1}}, "2": {"x": {"c": 1}, "y": {"d": 1, "e": 1}}}
    scores = cf.evaluate(qrels, {"1": ["a", "b"], "2": ["d"]}, "IRec")
    assert scores.values.tolist() == [[[1.0], [0.5]]]


def test_a_curve_is_no_base() -> None:
    """IPrec without a level of recall is eleven numbers."""
    with pytest.raises(cf.CranfieldError, match="not a measure of rankings with one value"):
        cf.parse_measure("IA(IPrec)")


def test_condensed_for_all_is_of_use_to_a_combination() -> None:
    """So nobody is told that it changes nothing; and is, if all measures say so."""
    qrels, run = {"1": {"1": {"a": 1}}}, {"1": ["x", "a"]}
    for name, told in (("D(nDCG)", False), ("D(nDCG, condensed=true)", True)):
        notes = cf.evaluate(qrels, run, name, condensed=True).notes
        assert any("condensed has no effect" in n.text for n in notes) == told


def test_IA_tells_the_highest_level() -> None:
    """It may be declared."""
    for name, told in (("IA(ERR)", True), ("IA(ERR(max_level=3))", False)):
        notes = cf.evaluate(TWO, {"1": ["a"]}, name).notes
        assert any("the highest level is 1" in n.text for n in notes) == told


def test_condensed_sharp_measures_have_condensed_intent_recall() -> None:
    """The unjudged x is left out by both parts."""
    name = "Dsharp(nDCG, condensed=true)@1"
    assert cf.evaluate({"1": {"1": {"a": 1}}}, {"1": ["x", "a"]}, name)["run", "1", name] == 1.0


def test_beta_of_P_plus_Q() -> None:
    """The blended ratio of rank 2 is (1 + β)/(2 + β): 11/12 with β = 10."""
    for known in ("nav", "inf"):
        found = cf.evaluate(
            {"1": {"1": {"a": 1}}},
            {"1": ["x", "a"]},
            "PplusQ(beta=10)",
            intents={"1": {"1": known}},
        )
        assert found.values.item() == pytest.approx(11 / 12)


def test_ties_between_documents_for_different_intents_are_told() -> None:
    """Both have level 1, for different intents: their order decides."""
    qrels = {"1": {"1": {"a": 1}, "2": {"b": 1}, "3": {"b": 1}}}
    scores = cf.evaluate(qrels, {"1": {"a": 1.0, "b": 1.0}}, "alpha_nDCG@1")
    assert [n.kind for n in scores.notes] == ["ties"]


def test_costs_of_documents_for_every_intent() -> None:
    """What users of RBP pay does not depend on what is relevant to them."""
    settings: dict[str, Any] = {"measures": "RBP(p=0.5).EC", "costs": {"1": {"a": 5, "b": 7}}}
    whole = cf.evaluate(TWO, {"1": ["a", "b"]}, **settings, intents={"1": {"1": 1 / 2, "2": 1 / 2}})
    each = cf.evaluate(TWO, {"1": ["a", "b"]}, **settings, per_intent=True)
    assert each.values.ravel().tolist() == [whole.values.item()] * 2


def test_expected_ties_for_every_intent() -> None:
    """Either document is first half of the time."""
    run = {"1": {"a": 1.0, "b": 1.0}}
    scores = cf.evaluate(TWO, run, "IRec@1", per_intent=True, ties="expected")
    assert scores.summary()["run"]["Success@1"] == pytest.approx(0.5)


def test_an_unknown_intent_of_judgments_without_a_file() -> None:
    with pytest.raises(cf.InputError, match=r"found 1 intent \(2\) of topic 1, expected one of 1"):
        cf.evaluate(TWO, {"1": ["a"]}, "IA(AP)", intents={"1": {"1": 1}})


def test_D_of_U_tells_the_highest_level() -> None:
    scores = cf.evaluate(TWO, {"1": ["a"]}, "D(U)", lengths={"a": 1, "b": 1})
    assert any("the highest level is 1" in note.text for note in scores.notes)


@pytest.mark.parametrize("options", [{"condensed": True}, {"rel": 1}, {"gains": "1:3"}])
def test_a_picture_with_settings_for_all_measures(options: dict[str, object]) -> None:
    picture = cf.plot.diversity(TWO, {"x": {"1": ["a", "b"]}}, **options)  # type: ignore[arg-type]
    assert picture.data.rows() == [("x", 1.0, 1.0, 1.0)]


@pytest.mark.parametrize(
    ("measure", "weighs"),
    [("IA(AP)", True), ("D(AP)", True), ("PplusQ", True), ("IRec", False)],
)
def test_who_asks_how_probable_intents_are(measure: str, weighs: bool) -> None:
    """Gains of intents are weighted by Pr(i|q); intent recall is a count."""
    notes = cf.evaluate(TWO, {"1": ["a"]}, measure).notes
    assert any("equal probability" in note.text for note in notes) == weighs


def test_settings_for_all_measures_are_those_of_the_measure_inside() -> None:
    """From level 2 on, intent 1 has c at rank 3, and intent 2 has b at rank 2."""
    qrels = {"1": {"1": {"a": 1, "c": 2}, "2": {"b": 2}}}
    scores = cf.evaluate(qrels, {"1": ["a", "b", "c"]}, "IA(AP)", rel=2)
    assert scores.values.item() == pytest.approx((1 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize("name", ["alpha_DCG", "ERR_IA", "NRBP"])
def test_intents_that_nothing_is_relevant_to_are_not_in_n(name: str, cranfield: Command) -> None:
    """As the measure says. Its three sums are the same: one item, for the first of two intents."""
    said = "number of intents with a relevant judged item"
    assert said in " ".join(cranfield.printed(f"explain {name}").split())
    m = cf.parse_measure(f"{name}@1")
    served, both = (m([[1, 0]], judged) for judged in ([[1, 0]], [[1, 0], [0, 1]]))
    assert (served / both, m([[1, 0]])) == (2, both)
