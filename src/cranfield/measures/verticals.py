"""Verticals and hierarchies: what the subtopics of IMine's tasks are worth.

A run has pairs of a subtopic and a vertical, the kind of results that its users want; or it has
subtopics of two levels, each of the second below one of the first.
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
    """The intent that each item belongs to, -1 if none: that of its highest level, the first of
    several. The last axis are the intents.

    >>> own_intent(np.array([[0, 2, 1], [1, 1, 0], [0, 0, 0]])).tolist()
    [1, 0, -1]
    """
    if not levels.shape[-1]:
        return np.full(levels.shape[:-1], -1, dtype=np.int64)
    highest = levels.max(axis=-1)
    belongs = highest > 0 if rel is None else highest >= rel
    return np.where(belongs, levels.argmax(axis=-1), -1)


def compute_suitability(x: Lists, rel: float | None) -> Floats:
    """Pr(v(r)|i(r)) / max_v Pr(v|i(r)), and 0 for an item of no intent: [topics, items]."""
    importance = get_intents(x).importance
    if importance is None or x.vertical is None:
        raise NeedsMore("needs the verticals of intents: give them as verticals=")
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
        self,
        levels: Any,
        judged: Any = None,
        *,
        verticals: Any,
        importance: Any,
        probabilities: Any = None,
    ) -> float:
        """The score of one list: for each subtopic its levels for all intents, or None.

        `verticals` are those of the subtopics, as numbers from 0, and `importance` is Pr(v|i): for
        each intent a number for each vertical. `judged` and `probabilities` are as for other
        measures of diversity.
        """
        try:
            if len(verticals) != len(levels):
                raise InputError(f"{len(verticals)} verticals", len(levels))
            x = build_intent_lists(levels, judged, probabilities)
            numbers = np.array([math.nan if v is None else float(v) for v in verticals])
            if not (numbers >= 0).all():
                raise InputError("a vertical that is not a number from 0", "one per item")
            x.vertical = numbers[x.r - 1]
            importances = np.array(importance, dtype=np.float64)[None]
            x.gold.intents = replace(get_intents(x), importance=importances)
            return float(self.compute(x)[0, 0])
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None


@measure
class Vscore(PairMeasure):
    """V-score: how well the verticals that are named suit the subtopics they are named for.

    Vscore@l = (1/l) Σ_{r≤l} Pr(v(r)|i(r)) / max_v Pr(v|i(r))

    v(r) is the vertical at rank r, i(r) the intent that the subtopic there belongs to, which is the
    one it is judged most relevant to, and the first of several; Pr(v|i) says how much users of
    intent i want vertical v. A subtopic of no intent scores 0, and so does a vertical that nobody
    wants. A list shorter than l is divided by l as well; without a cutoff l is its length.

    >>> (Vscore @ 2)([[1, 0], [0, 1]], verticals=[0, 0], importance=[[0.6, 0.4], [0.2, 0.8]])
    0.625
    """

    rel: float | None = rel_param()
    references = cite("yamamoto2016")
    task = "whether systems know which kind of results a subtopic asks for (IMine-2 QU)"

    def score(self, x: Lists) -> Floats:
        suitabilities = x.step("Pr(v|i)/max", compute_suitability(x, self.rel))
        return x.ratio(total(suitabilities), x.n if x.l is None else float(x.l))


@measure
class QUscore(PairMeasure, Dsharp):
    """QU-score: whether subtopics are relevant and diverse, and their verticals suit them.

    QUscore@l = λ·D♯(nDCG)@l + (1 − λ)·V-score@l

    λ is the `share` of D♯. Another measure may stand for nDCG: QUscore(Q)@10.

    >>> m, judged = QUscore(share=0.5) @ 2, [[1, 0], [0, 1]]
    >>> m(judged, judged, verticals=[0, 0], importance=[[0.6, 0.4], [0.2, 0.8]])
    0.8125
    """

    share: float = param(0.5, "the part of D♯, λ", low=0, high=1)
    references = cite("yamamoto2016")
    task = "query understanding: subtopics with their verticals (IMine-2 QU)"

    def get_arguments(self) -> list[str]:
        return [] if self.base == nDCG() else super().get_arguments()

    @property
    def dsharp(self) -> Dsharp:
        """D♯, of the subtopics."""
        return Dsharp(self.base, gamma=self.gamma, cutoff=self.cutoff, condensed=self.condensed)

    @property
    def vscore(self) -> Vscore:
        """V-score, of their verticals, by the same threshold."""
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
    """Hscore: the fraction of the second-level subtopics that are where they belong.

    Hscore = |{s: i(f(s)) = parent(i(s))}| / |{s}|

    s are the subtopics of the second level that were returned, f(s) the one of the first level that
    s is put below, and i the intent that a subtopic belongs to. `assigned` has i(f(s)) and `parents`
    has parent(i(s)), the gold parent; None is no intent, which is never right.

    >>> h_score(["a", "a", "b", None], ["a", "b", "b", None])
    0.5
    """
    right = [f is not None and f == p for f, p in zip(assigned, parents, strict=True)]
    return sum(right) / len(right) if right else 0.0


def compute_h_measure(hscore: Floats, first: Floats, second: Floats, alpha: float = 0.5) -> Floats:
    """H-measure: D♯ of both levels of a hierarchy, as far as the hierarchy is right.

    H = Hscore·(α·D1♯ + (1 − α)·D2♯)

    D1♯ and D2♯ are D♯-measures of the subtopics of the first and of the second level.

    >>> h_measure(0.5, 1.0, 0.6, alpha=0.5)
    0.4
    """
    return hscore * (alpha * first + (1.0 - alpha) * second)
