"""Measures of verticals and hierarchies, for the subtopics of IMine's tasks.

A run has pairs of a subtopic and a vertical, the kind of results that its users want. Or it has
subtopics of two levels, each second-level subtopic under a first-level one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.arrays import build_intent_lists
from cranfield.measures.base import cite, measure
from cranfield.measures.dcg import nDCG
from cranfield.measures.diversity import DiversityMeasure, Dsharp
from cranfield.measures.intents import get_intents
from cranfield.measures.lists import Lists, NeedsMore, ratio, total
from cranfield.measures.parameters import param, rel_param


def find_intents(levels: Floats, rel: float | None = None) -> Ints:
    """Return the intent of each item, -1 for none.

    It is the intent with the item's highest level, the first among equals. The last axis is the
    intents.

    >>> find_intents(np.array([[0, 2, 1], [1, 1, 0], [0, 0, 0]])).tolist()
    [1, 0, -1]
    """
    if not levels.shape[-1]:
        return np.full(levels.shape[:-1], -1, dtype=np.int64)
    highest = levels.max(axis=-1)
    belongs = highest > 0 if rel is None else highest >= rel
    return np.where(belongs, levels.argmax(axis=-1), -1)


def compute_suitability(x: Lists, rel: float | None) -> Floats:
    """Return Pr(v(r)|i(r)) / max_v Pr(v|i(r)), 0 for an item without intent."""
    importance = get_intents(x).importance
    if importance is None or x.vertical is None:
        raise NeedsMore("requires the verticals of intents. Use verticals=")
    v, i = x.vertical, find_intents(np.asarray(x.intent_levels), rel)
    is_known = x.judged & (i >= 0) & ~np.isnan(v)
    of_intent = importance[np.arange(len(x))[:, None], np.where(is_known, i, 0)]
    number = np.where(is_known, v, 0.0).astype(np.int64)
    importances = np.take_along_axis(of_intent, number[:, :, None], axis=2)[:, :, 0]
    return np.where(is_known, ratio(importances, of_intent.max(axis=2)), 0.0)


class PairMeasure(DiversityMeasure):
    """A measure of pairs of a subtopic and a vertical."""

    needs_verticals = True

    def __call__(  # type: ignore[override]
        self, levels: Any, judged: Any = None, *, verticals: Any, importance: Any, probabilities: Any = None
    ) -> float:
        """Return the score of one list.

        `levels` contains the levels of each subtopic for all intents, or None. `verticals` are the
        numbers of the subtopics' verticals, from 0. `importance` is Pr(v|i): for each intent a
        number for each vertical. `judged` and `probabilities` are as for other diversity measures.
        """
        try:
            if len(verticals) != len(levels):
                raise InputError(f"{len(verticals)} verticals", len(levels))
            x = build_intent_lists(levels, judged, probabilities)
            numbers = np.array([math.nan if v is None else float(v) for v in verticals])
            if not (numbers >= 0).all():
                raise InputError.from_problem("verticals must be numbers ≥ 0, one per item")
            x.vertical = numbers[x.r - 1]
            importances = np.array(importance, dtype=np.float64)[None]
            x.gold.intents = replace(get_intents(x), importance=importances)
            return float(self.compute(x)[0, 0])
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None


@measure
class Vscore(PairMeasure):
    """V-score: the suitability of verticals for their subtopics.

    Vscore@l = (1/l) Σ_{r≤l} Pr(v(r)|i(r)) / max_v Pr(v|i(r))

    v(r) is the vertical at rank r, i(r) the intent of the subtopic there: the intent with its
    highest level, the first among equals. Pr(v|i) is the probability that users with intent i want
    vertical v. A subtopic without intent scores 0, and so does a vertical with probability 0.
    Shorter lists are also divided by l. Without a cutoff, l is the length of the list.

    >>> (Vscore @ 2)([[1, 0], [0, 1]], verticals=[0, 0], importance=[[0.6, 0.4], [0.2, 0.8]])
    0.625
    """

    rel: float | None = rel_param()
    references = cite("yamamoto2016")
    task = "predicting the kind of results that a subtopic needs (IMine-2 QU)"

    def score(self, x: Lists) -> Floats:
        suitabilities = x.step("Pr(v|i)/max", compute_suitability(x, self.rel))
        return x.ratio(total(suitabilities), x.n if x.l is None else float(x.l))


@measure
class QUscore(PairMeasure, Dsharp):
    """QU-score: relevance and diversity of subtopics, and suitability of their verticals.

    QUscore@l = λ·D♯(nDCG)@l + (1 − λ)·V-score@l

    λ is `share`, the weight of D♯. Another measure can replace nDCG: QUscore(Q)@10.

    >>> m, judged = QUscore(share=0.5) @ 2, [[1, 0], [0, 1]]
    >>> m(judged, judged, verticals=[0, 0], importance=[[0.6, 0.4], [0.2, 0.8]])
    0.8125
    """

    share: float = param(0.5, "weight of D♯, λ", low=0, high=1)
    references = cite("yamamoto2016")
    task = "query understanding: subtopics with their verticals (IMine-2 QU)"

    def get_arguments(self) -> list[str]:
        return [] if self.base == nDCG() else super().get_arguments()

    @property
    def dsharp(self) -> Dsharp:
        """D♯ of the subtopics."""
        return Dsharp(self.base, gamma=self.gamma, cutoff=self.cutoff, condensed=self.condensed)

    @property
    def vscore(self) -> Vscore:
        """V-score of the verticals, with the same threshold."""
        rel = getattr(self.base, "rel", None)
        return Vscore(rel=rel, cutoff=self.cutoff, condensed=self.condensed)

    def compute(self, lists: Lists) -> Floats:
        dsharp, vscore = self.dsharp.compute(lists), self.vscore.compute(lists)
        return self.share * dsharp + (1.0 - self.share) * vscore

    def trace(self, lists: Lists) -> Lists:
        view = self.dsharp.trace(lists)
        view.step(str(self.vscore), self.vscore.compute(lists)[:, 0])
        return view


# -- hierarchies ----------------------------------------------------------------------------------


def compute_h_score(assigned: list[str | None], parents: list[str | None]) -> float:
    """Return Hscore: the fraction of second-level subtopics under the correct parent.

    Hscore = |{s: i(f(s)) = parent(i(s))}| / |{s}|

    s are the returned subtopics of the second level, f(s) is the first-level subtopic above s, and
    i the intent of a subtopic. `assigned` contains i(f(s)), `parents` contains parent(i(s)), the
    gold parent. None is no intent, which is never correct.

    >>> compute_h_score(["a", "a", "b", None], ["a", "b", "b", None])
    0.5
    """
    right = [f is not None and f == p for f, p in zip(assigned, parents, strict=True)]
    return sum(right) / len(right) if right else 0.0


def compute_h_measure(hscore: Floats, first: Floats, second: Floats, alpha: float = 0.5) -> Floats:
    """Return the H-measure: Hscore times D♯ of both levels of a hierarchy.

    H = Hscore·(α·D1♯ + (1 − α)·D2♯)

    D1♯ and D2♯ are D♯-measures of the subtopics of the first and of the second level.

    >>> compute_h_measure(0.5, 1.0, 0.6, alpha=0.5)
    0.4
    """
    return hscore * (alpha * first + (1.0 - alpha) * second)
