"""Gains discounted by the time or the text it takes to reach an item."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from cranfield.arrays import Bools, Floats
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, sum_above, total
from cranfield.measures.ncu import compute_satisfaction
from cranfield.measures.parameters import GainSetting, gain_param, max_level_param, param, rel_param


@measure
class TBG(Measure):
    """Time-biased gain: relevant items, discounted by the time to reach them.

    TBG  = Σ_r g(r)·exp(−T(r)·ln 2/h)
    T(r) = Σ_{k<r} (T_S + Pclick(k)·T_D(k)),   T_D(k) = 0.018·words(k) + 7.8 seconds

    A relevant item has gain 0.64·0.77: it is clicked, and then saved. Needs the lengths of all
    documents in words (`lengths=`, `--lengths FILE`).

    >>> round(TBG()([0, 1], lengths=[1000, 10]), 4)  # Sakai 2014: T(2) = 4.4 + 10.062 s
    0.4712
    """

    rel: float | None = rel_param()
    halflife: float = param(224.0, "seconds until half the users stop", low=0, open_ends=True)
    summary_time: float = param(4.4, "T_S, seconds to read a summary", low=0)
    click: float = param(0.64, "probability of a click on a relevant item", low=0, high=1)
    miss: float = param(0.39, "probability of a click on another item", low=0, high=1)
    save: float = param(0.77, "probability that a relevant item is saved", low=0, high=1)
    per_word: float = param(0.018, "seconds to read a word", low=0)
    per_document: float = param(7.8, "seconds per document in addition to its words", low=0)
    length_unit = "words"
    every_length = True
    references = cite("smucker2012", "sakai2014metrics")
    task = "effort in seconds: short good documents first"
    range = "from 0"
    properties = has("recall-independent", "uses lengths")
    may_fall = True  # a long document may cost more than it gains

    def score(self, x: Lists) -> Floats:
        T = x.step("T", self.compute_time(x))
        g = self.click * self.save * x.I
        return total(x.step("g·D", g * np.exp(-T * np.log(2.0) / self.halflife)))

    def compute_time(self, x: Lists) -> Floats:
        """Return T(r): the time if all items are nonrelevant, plus the relevant extra."""
        k = x.r - 1.0
        opened = self.per_word * x.length_above(self.length_unit) + self.per_document * k
        relevant_time = x.I * (self.per_word * x.length(self.length_unit) + self.per_document)
        return self.summary_time * k + self.miss * opened + (self.click - self.miss) * sum_above(relevant_time)


@measure
class U(Measure):
    """U-measure: relevant items, discounted by the text read so far.

    U = (1/N) Σ_r g(r)·D(pos(r)),   D(pos) = max(0, 1 − pos/L)
    pos(r) = 200·r + Σ_{relevant k≤r} F·characters(k)

    Users read every snippet and a fraction F of every relevant document. The position of a document
    is the end of this fraction. The gain is (2^x − 1)/2^h (default; see `prob`). `gain` then only
    selects the levels that count, and their number. Needs the lengths of relevant documents in
    characters (`lengths=`, `--lengths FILE`).

    >>> round(U(max_level=1)([0, 1], lengths=[9000, 5000]), 6)  # 0.5·(1 − 1400/132000)
    0.494697
    """

    prob: str = param(
        "exp",
        "gain of an item: exp: (2^x − 1)/2^h; linear: g/(g_h + 1); gain: g itself",
        choices=("exp", "linear", "gain"),
    )
    gain: GainSetting = gain_param()
    rel: float | None = rel_param()
    max_level: float | None = max_level_param()
    L: float = param(132000.0, "characters after which gains are 0", low=0, open_ends=True)
    F: float = param(0.2, "fraction of a relevant document that is read", low=0, high=1)
    snippet: float = param(200.0, "characters of a snippet", low=0)
    norm: float = param(1.0, "N, the divisor of the sum", low=0, open_ends=True)
    length_unit = "characters"
    references = cite("sakai2013dou", "sakai2014metrics")
    task = "effort in text read, on the same scale for lists, sessions and summaries"
    range = "from 0"
    properties = has("graded", "recall-independent", "diminishing return", "uses lengths")
    may_fall = True  # a long document may cost more than it gains

    def score(self, x: Lists) -> Floats:
        return self.score_texts(x, x.I > 0)

    def score_texts(self, x: Lists, read: Bools) -> Floats:
        """Return U for the documents that users read."""
        g = x.step("gain", self.compute_item_gains(x))
        text = np.where(read, x.length(self.length_unit), 0.0)
        pos = x.step("pos", self.snippet * x.r + self.F * np.cumsum(text, axis=1))
        D = x.step("D", np.maximum(0.0, 1.0 - pos / self.L))
        return total(x.step("g·D", g * D)) / self.norm

    def compute_item_gains(self, x: Lists) -> Floats:
        return x.g if self.prob == "gain" else compute_satisfaction(self, x)

    def with_levels_as_gains(self) -> Self:
        return replace(super().with_levels_as_gains(), prob="gain")

    def takes_max_level(self) -> bool:
        binary = self.prob == "linear" and self.gain == "binary"
        return self.has_open_max_level(binary or self.prob == "gain")
