"""Diversity measures: one list for the different intents of a topic.

Each intent has its own judgments: I_i(r) is 1 if the item at rank r is relevant to intent i, g_i(r)
is its gain, and Pr(i|q) the probability of the intent. Measures of ordinary lists become diversity
measures in two ways: `IA` averages them over the intents, `D` computes them once with global gains,
GG(r) = Σ_i Pr(i|q)·g_i(r). An item judged for one intent is judged for all intents of its topic,
with level 0 by default.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, unify_rounded
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.arrays import build_intent_lists
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.dcg import nDCG
from cranfield.measures.gains import compute_gains
from cranfield.measures.grammar import MeasureLike, parse_measure
from cranfield.measures.intents import build_intent_rows, expand_gold, expand_intents, get_intents, sort_by_level
from cranfield.measures.lists import Gold, IntentBlock, Lists, NeedsMore, ratio, to_floats, total
from cranfield.measures.ncu import Pplus, Q
from cranfield.measures.parameters import (
    GainSetting,
    Setting,
    beta_param,
    gain_param,
    graded_rel_param,
    param,
    rel_param,
)
from cranfield.measures.reading import U
from cranfield.measures.sets import P, Success

_BASE: Any = nDCG()
_INHERITED = (
    "summary", "better", "effectiveness", "length_unit", "every_length", "needs_documents"
)  # fmt: skip
LEAST = 2.0**-60  # relative size of terms that cannot change the last bit of a sum
RANKS = 100_000  # maximum length of the perfect list, stored for every topic of a block


def sum_intents(x: Any) -> Floats:
    """Return Σ_i x(i) over the last axis, in order, so that padding changes no bit."""
    x = np.asarray(x, dtype=np.float64)
    return np.cumsum(x, axis=-1)[..., -1] if x.shape[-1] else np.zeros(x.shape[:-1])


def average_intents(M: Floats, intents: IntentBlock, is_counted: Bools) -> Floats:
    """Return Σ_i Pr(i|q)·M_i over the counted intents, renormalised."""
    # Equal probabilities give the same bits, declared or not.
    equal = ((intents.weights == intents.weights[:, :1]) | ~intents.filled).all(axis=1)
    weights = np.where(is_counted, np.where(equal[:, None], 1.0, intents.weights), 0.0)
    all_count = (is_counted == intents.filled).all(axis=1)
    weight_sum = np.where(all_count, 1.0, sum_intents(weights))
    weight_sum = np.where(equal, is_counted.sum(axis=1), weight_sum)
    return ratio(sum_intents(weights * M), weight_sum)


# -- global gains ---------------------------------------------------------------------------------


def build_global_lists(x: Lists, m: Measure, din: bool) -> Lists:
    """Return the lists with global gains as levels, from the measure's local gains.

    With `din`, an item has no gain for a navigational intent served by an item above it.
    """
    view = m.get_view_settings() | {"prob": getattr(m, "prob", None)}
    key = ("global", din, type(m).compute_item_gains, *view.values())
    return x.cache(key, lambda: _compute_global_lists(x, m, din, key))


def _compute_global_lists(x: Lists, m: Measure, din: bool, key: Any) -> Lists:
    intents = get_intents(x)
    gold = x.gold.cache((*key, "gold"), lambda: _build_global_gold(x.gold, intents, m))
    g = _compute_local_gains(expand_intents(x), m, intents)
    if din:
        relevant = g > 0
        first = relevant & (np.cumsum(relevant, axis=2) == 1)
        g = np.where(intents.navigational[:, :, None], g * first, g)
    # Items with equal gains, in the list or in the judgments, get the same bits.
    gains = np.concatenate((gold.levels, _sum_global_gains(g, intents)), axis=1)
    GG = _round_gains(gains)[:, gold.levels.shape[1] :]
    return Lists(x.r, GG, x.judged, x.n, gold, lengths=x.lengths)


def _build_global_gold(gold: Gold, intents: IntentBlock, m: Measure) -> Gold:
    n = intents.judged.sum(axis=1)
    all_items = Lists(np.zeros(intents.judged.shape, dtype=np.int64), n, intents.judged, n, gold)
    g = _compute_local_gains(build_intent_rows(intents.levels, all_items, expand_gold(gold)), m, intents)
    GG, filled, order = sort_by_level(_round_gains(_sum_global_gains(g, intents)), intents.judged)
    tops = np.maximum(GG[:, 0], 0.0) if GG.shape[1] else np.zeros(len(GG))
    highest = float(tops.max(initial=0.0))
    return Gold(GG, filled, highest, gold.is_complete, gold.traced, tops=tops, order=order)


def _sum_global_gains(g: Floats, intents: IntentBlock) -> Floats:
    """Return GG(r) = Σ_i Pr(i|q)·g_i(r) from [topics, intents, items]."""
    return sum_intents(np.moveaxis(intents.p[:, :, None] * g, 1, 2))


def _round_gains(GG: Floats) -> Floats:
    """Round global gains, so that 0.1 + 0.2 equals 0.3."""
    return unify_rounded(GG, TOLERANCE * np.abs(GG))


def _compute_local_gains(rows: Lists, m: Measure, intents: IntentBlock) -> Floats:
    """Return g_i(r), the gains for single intents: [topics, intents, items]."""
    view = rows.view(None, **m.get_view_settings())
    gains = m.compute_item_gains(view)
    return gains.reshape(*intents.p.shape, gains.shape[1])


# -- measures -------------------------------------------------------------------------------------


def intents_param() -> Any:
    """Declare the parameter that selects the intents that count."""
    return param(
        "known",
        "intents that count: known (all) or relevant (with at least one relevant item, as in ndeval)",
        choices=("known", "relevant"),
    )


class DiversityMeasure(Measure):
    """A measure of lists for the intents of a topic."""

    takes = "intents"
    may_fall = True  # a better item for one intent can be worse for another

    def __call__(  # type: ignore[override]
        self, levels: Any, judged: Any = None, *, probabilities: Any = None, navigational: Any = (), lengths: Any = None
    ) -> float:
        """Return the score of one list.

        `levels` contains the levels of each item for all intents, or None for an unjudged item.
        `judged` contains the levels of all judged items in the same form. `probabilities` of the
        intents are equal by default. `navigational` are the numbers of navigational intents, from
        0.

        >>> import cranfield as cf
        >>> (cf.IRec @ 2)([[1, 0], None, [0, 1]])
        0.5
        """
        unit_lengths = {} if lengths is None else {self.length_unit: lengths}
        try:
            x = build_intent_lists(levels, judged, probabilities, navigational, unit_lengths)
            return float(self.compute(x)[0, 0])
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None

    def get_intent_measures(self) -> tuple[Measure, ...]:
        """Return the measures of a single intent that this measure combines."""
        raise CranfieldError(f"{self} has no value for a single intent")

    def mark_relevant(self, x: Lists) -> Floats:
        """Return I_i(r), 1 if an item is relevant to an intent: [topics, items, intents]."""
        get_intents(x)
        return self._flag_levels(np.asarray(x.intent_levels), x.judged)

    def _flag_levels(self, level: Floats, judged: Bools) -> Floats:
        """Return 1 for relevant items: by the threshold, else by their gain."""
        settings = self.get_view_settings()
        if settings["rel"] is not None:
            flag = level >= settings["rel"]
        elif isinstance(settings["gain"], tuple):
            flag = compute_gains(settings["gain"], level) > 0
        else:
            flag = level > 0
        return to_floats(flag & judged[:, :, None])

    def mark_served(self, x: Lists) -> Bools:
        """Return the intents with a relevant judged item: [topics, intents]."""
        block = get_intents(x)
        if not x.gold.is_complete:
            return block.filled
        return self._flag_levels(block.levels, block.judged).any(axis=1) & block.filled

    def mark_counted(self, x: Lists) -> Bools:
        """Return the mask of intents that count."""
        block = get_intents(x)
        return self.mark_served(x) if getattr(self, "intents", "") == "relevant" else block.filled


@measure
class IRec(DiversityMeasure):
    """Intent recall, also subtopic recall: the fraction of intents that the list covers.

    IRec@l = |{i: I_i(r) = 1 for some r ≤ l}| / |{i}|

    With `top=intents` the number of ranks is the number of intents: NTCIREVAL's I-rec@n.

    >>> (IRec @ 1000)([None, None, [2, 1]])  # Sakai 2011, Figure 5
    1.0
    >>> IRec(top="intents")([None, None, [2, 1]])
    0.0
    """

    gain: GainSetting = gain_param()
    rel: float | None = graded_rel_param()
    intents: str = intents_param()
    top: str = param("cutoff", "number of ranks used: cutoff (up to it, or all) or intents (the "
                               "number of intents)", choices=("cutoff", "intents"))  # fmt: skip
    references = cite("zhai2003", "sakai2011song", "sakai2014metrics")
    task = "the number of covered intents, in addition to a relevance measure"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        is_counted = self.mark_counted(x)
        n = is_counted.sum(axis=1)
        I = self.mark_relevant(x)
        if self.top == "intents":
            I = I * (x.r <= n[:, None])[:, :, None]
        I = I * is_counted[:, None, :]
        new = x.step("new intents", sum_intents(I * (np.cumsum(I, axis=1) == 1)))
        return x.ratio(total(new), n)

    def get_intent_measures(self) -> tuple[Measure, ...]:
        if self.top == "intents":
            return super().get_intent_measures()
        rel = self.rel
        if rel is None and isinstance(self.gain, tuple):  # items with a gain are relevant
            rel = next((level for level, g in enumerate(self.gain, 1) if g > 0), None)
        return (Success(rel=rel, cutoff=self.cutoff, condensed=self.condensed),)


class CombinedMeasure(DiversityMeasure):
    """A diversity measure based on another measure."""

    base: Setting[MeasureLike, Measure] = dataclasses.field(default=_BASE, kw_only=False)
    combines = True

    def __init__(self, base: Any = None, **settings: Any) -> None:
        if base is not None:
            settings["base"] = base
        super().__init__(**settings)

    def __post_init__(self) -> None:
        base, name = parse_measure(self.base), type(self).__name__
        if base.takes != "lists" or base.is_model or len(base.names()) > 1 or base.measurement:
            problem = f"{base} is not a measure of rankings with one value, such as nDCG"
            raise InputError.from_problem(problem, where=name)
        self._check_base(base)
        if base.cutoff is not None and self.cutoff not in (None, base.cutoff):
            problem = f"two cutoffs, {self.cutoff:g} and {base.cutoff:g}"
            fix = f"Use one, as in {name}({replace(base, cutoff=None)})@10"
            raise InputError.from_problem(problem, fix, name)
        object.__setattr__(self, "cutoff", base.cutoff if self.cutoff is None else self.cutoff)
        object.__setattr__(self, "condensed", base.condensed or self.condensed)
        object.__setattr__(self, "base", replace(base, cutoff=None, condensed=False, called=""))
        for name in _INHERITED:
            object.__setattr__(self, name, getattr(base, name))
        super().__post_init__()

    def _check_base(self, base: Measure) -> None:
        if not base.effectiveness:
            problem = f"{base} is not a measure of effectiveness"
            raise InputError.from_problem(problem, where=type(self).__name__)

    def get_arguments(self) -> list[str]:
        return [str(self.base)]

    @classmethod
    def list_parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        return (f for f in super().list_parameters() if f.name != "base")

    @cached_property
    def inner(self) -> Measure:
        """The base measure at the cutoff."""
        return replace(self.base, cutoff=self.cutoff)

    @cached_property
    def _condensed_inner(self) -> Measure:
        """The base measure at the cutoff, condensed if this measure is."""
        return replace(self.inner, condensed=self.condensed)

    @property
    def last_rank(self) -> int | None:
        return self.inner.last_rank

    def needs_intent_weights(self) -> bool:
        return True

    def takes_default(self, name: str) -> bool:
        return self.base.takes_default(name) if name != "condensed" else not self.condensed

    def with_defaults(self, settings: Mapping[str, Any]) -> Self:
        own_settings = {name: value for name, value in settings.items() if name == "condensed"}
        base_settings = {name: value for name, value in settings.items() if name != "condensed"}
        return replace(super().with_defaults(own_settings), base=self.base.with_defaults(base_settings))

    def view(self, lists: Lists) -> Lists:
        return self._condensed_inner.view(lists)

    def get_view_settings(self) -> dict[str, Any]:
        return self.base.get_view_settings()

    def get_intent_measures(self) -> tuple[Measure, ...]:
        return (self._condensed_inner,)


class Expectation(DiversityMeasure):
    """The expectation over intents of a measure of single intents."""

    def get_kind_measure(self, navigational: bool) -> Measure:
        """Return the measure for navigational or informational intents."""
        raise TypeError(f"{type(self).__name__} defines no of_kind(self, navigational)")

    def compute(self, lists: Lists) -> Floats:
        x = lists.condensed if self.condensed else lists
        return average_intents(self.compute_by_intent(x), get_intents(x), self.mark_counted(x))[:, None]

    def compute_by_intent(self, x: Lists) -> Floats:
        """Return the score for each intent: [topics, intents]."""
        intents, rows = get_intents(x), expand_intents(x)
        kinds = (self.get_kind_measure(False), self.get_kind_measure(True))
        values = {m: m.compute(rows)[:, 0].reshape(intents.p.shape) for m in {*kinds}}
        return np.where(intents.navigational, values[kinds[1]], values[kinds[0]])

    def trace(self, lists: Lists) -> Lists:
        x = lists.condensed if self.condensed else lists
        intents, view, values = get_intents(x), self.view(lists), self.compute_by_intent(x)
        names = intents.names[0] if intents.names else map(str, range(intents.p.shape[1]))
        for i, intent in enumerate(names):
            m = self.get_kind_measure(bool(intents.navigational[0, i]))
            view.step(f"{m} for intent {intent}, probability {intents.p[0, i]:.4g}", values[:, i])
        return view


@measure
class IA(Expectation, CombinedMeasure):
    """Intent-aware: the mean of a measure over intents, weighted by probability.

    IA(M) = Σ_i Pr(i|q)·M_i

    M_i is the measure with intent i as the topic, with a separate ideal list. Examples: `IA(ERR)`,
    `IA(AP)`, `IA(P)@10`, `IA(U)`. One list cannot be ideal for all intents, so the mean of a
    normalised measure rarely reaches 1. Users of `IA(U)` read the documents relevant to their own
    intent. With trail=shared they read the documents relevant to any intent, and U-IA is D(U).

    >>> (IA(nDCG) @ 1)([[1, 0], [0, 1]], judged=[[1, 0], [0, 1]], probabilities=[0.75, 0.25])
    0.75
    """

    intents: str = intents_param()
    trail: str = param("own", "IA(U): documents that users read: own (relevant to the intent) or "
                              "shared (to any intent)", choices=("own", "shared"))  # fmt: skip
    references = cite("agrawal2009", "sakai2014metrics")
    task = "users with one intent each; measures diversity only if M penalises redundancy"
    range = "as M"

    def _check_base(self, base: Measure) -> None:
        super()._check_base(base)
        if self.trail == "shared" and not isinstance(base, U):
            raise InputError.from_problem(f"trail=shared requires IA(U), found IA({base})")

    def get_kind_measure(self, navigational: bool) -> Measure:
        return self.inner

    def compute_by_intent(self, x: Lists) -> Floats:
        m = self.inner
        if self.trail == "own" or not isinstance(m, U):
            return super().compute_by_intent(x)
        p, rows = get_intents(x).p, m.view(expand_intents(x))
        read = (rows.I.reshape(*p.shape, rows.I.shape[1]) > 0).any(axis=1)
        return m.score_texts(rows, np.repeat(read, p.shape[1], axis=0)).reshape(p.shape)

    def takes_max_level(self) -> bool:
        return self.base.takes_max_level()


@measure
class PMP(Expectation):
    """Precision for the most probable intent.

    PMP@l = P_i@l, i the intent with the highest Pr(i|q)

    If several intents are equally probable, it is their mean.

    >>> (PMP @ 2)([[1, 0], [0, 1]], probabilities=[0.75, 0.25])
    0.5
    """

    rel: float | None = rel_param()
    references = cite("sakai2014metrics")
    task = "checking the most important intent: a gold standard for concordance"
    properties = has("recall-independent")

    def get_kind_measure(self, navigational: bool) -> Measure:
        return P(rel=self.rel, cutoff=self.cutoff)

    def mark_counted(self, x: Lists) -> Bools:
        intents = get_intents(x)
        weights = np.where(intents.filled, intents.weights, -np.inf)
        highest = weights.max(axis=1, initial=-np.inf, keepdims=True)
        return np.asarray(intents.filled & (weights == highest))

    def needs_intent_weights(self) -> bool:
        return True

    def get_intent_measures(self) -> tuple[Measure, ...]:
        return (replace(self.get_kind_measure(False), condensed=self.condensed),)


@measure
class D(CombinedMeasure):
    """D-measure: a measure with global gains, expected over all intents.

    D(M) = M with GG(r) = Σ_i Pr(i|q)·g_i(r) instead of g(r)

    There is one ideal list: all judged items by global gain. A list in that order scores 1 if M is
    normalised. Examples: `D(nDCG)@10`, `D(Q)@10`, `D(RBP)`, `D(U)`. The gain and the threshold of M
    apply to single intents. g_h is the highest global gain of the topic.

    >>> m = D("Q")  # Sakai 2011, Figure 4: 0.5833
    >>> round(m([None, None, [2, 1]], [[2, 1]], probabilities=[0.8, 0.2]), 4)
    0.5833
    """

    references = cite("sakai2011song", "sakai2014metrics")
    task = "overall relevance of a list to all intents; plot it against IRec"
    range = "as M"
    properties = has("graded", "normalised")
    din: ClassVar[bool] = False  # a navigational intent is served only once

    def _check_base(self, base: Measure) -> None:
        super()._check_base(base)
        if not base.takes_gains:
            problem = f"{base} requires levels, not gains"
            raise InputError.from_problem(problem, where=type(self).__name__)

    def takes_max_level(self) -> bool:
        # Gains for single intents can depend on it; g_h is that of the topic.
        return isinstance(self.base, U) and self.base.takes_max_level()

    def compute(self, lists: Lists) -> Floats:
        x = lists.condensed if self.condensed else lists
        return self._gain_measure.compute(build_global_lists(x, self.inner, self.din))

    def trace(self, lists: Lists) -> Lists:
        x = lists.condensed if self.condensed else lists
        return self._gain_measure.view(build_global_lists(x, self.inner, self.din))

    @cached_property
    def _gain_measure(self) -> Measure:
        return self.inner.with_levels_as_gains()


@measure
class DIN(D):
    """DIN-measure: a D-measure in which a navigational intent is served by one item only.

    DIN(M) = M with GG(r) = Σ_i Pr(i|q)·g_i(r) + Σ_j isnew_j(r)·Pr(j|q)·g_j(r)

    i are the informational and j the navigational intents. isnew_j(r) is 1 if no item above r is
    relevant to j. The ideal list is the same as for D. If a navigational intent has several
    relevant items, no list scores 1.

    >>> m, judged = DIN(nDCG), [[1, 0], [1, 0], [0, 1]]
    >>> round(m([[1, 0], [1, 0]], judged, navigational=[0]) / D(nDCG)([[1, 0]], judged), 4)
    1.0
    """

    references = cite("sakai2012", "sakai2014metrics")
    task = "diversified search with intents for which one page is enough"
    properties = has("graded")
    din = True

    def needs_intent_types(self) -> bool:
        return True


def mix_recall(irec: Any, value: Any, gamma: float) -> Any:
    """Return γ·I-rec + (1 − γ)·D, for numbers or arrays."""
    return gamma * irec + (1.0 - gamma) * value


class SharpMeasure(DiversityMeasure):
    """A diversity measure combined with intent recall."""

    gamma: float = param(0.5, "weight of intent recall", low=0, high=1)

    def compute(self, lists: Lists) -> Floats:
        return to_floats(mix_recall(self.irec.compute(lists), super().compute(lists), self.gamma))

    @property
    def irec(self) -> IRec:
        """Intent recall with the same threshold."""
        settings = self.get_view_settings()
        shared_settings = {name: settings[name] for name in ("rel", "gain")}
        return IRec(**shared_settings, cutoff=self.cutoff, condensed=self.condensed)

    def trace(self, lists: Lists) -> Lists:
        view = super().trace(lists)
        view.step(str(self.irec), self.irec.compute(lists)[:, 0])
        arguments = "".join(f"({base})" for base in self.get_arguments())
        suffix = "" if self.cutoff is None else f"@{self.cutoff}"
        name = type(self).__name__.removesuffix("sharp")
        view.step(f"{name}{arguments}{suffix}", super().compute(lists)[:, 0])
        return view


@measure
class Dsharp(SharpMeasure, D):
    """D♯-measure: a weighted mean of intent recall and a D-measure.

    Dsharp(M) = γ·IRec + (1 − γ)·D(M)

    With γ = 0 it is D(M), with γ = 1 it is IRec. NTCIR uses 0.5. If the cutoff is below the number
    of intents, I-rec may be unable to reach 1.

    >>> m = Dsharp("nDCG", gamma=0.5) @ 10
    >>> m, m([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    (Dsharp(nDCG)@10, 1.0)
    """

    references = cite("sakai2011song", "sakai2014metrics")
    task = "one number for diversity and relevance: NTCIR's choice (INTENT, IMine, Temporalia)"
    range = "0 to 1, if M is"


@measure
class DINsharp(SharpMeasure, DIN):
    """DIN♯-measure: a weighted mean of intent recall and a DIN-measure.

    DINsharp(M) = γ·IRec + (1 − γ)·DIN(M)

    >>> (DINsharp("nDCG", gamma=1) @ 10)([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    1.0
    """

    references = cite("sakai2012", "sakai2014metrics")
    task = "like D♯, with intents for which one page is enough"
    range = "0 to 1, if M is"


@measure
class PplusQ(Expectation):
    """P+Q: Q-measure for informational and P+ for navigational intents.

    PplusQ@l = Σ_i Pr(i|q)·Q_i@l + Σ_j Pr(j|q)·P+_j

    i are the informational and j the navigational intents. It is intent-aware with two measures:
    users with a navigational intent stop at the first best item. Both use the same cutoff.

    >>> levels, judged = [[0, 1], [1, 0], [1, 0]], [[1, 0], [1, 0], [0, 1]]
    >>> PplusQ()(levels, judged, navigational=[1])  # Q = (2/4 + 4/5)/2, P+ = 1
    0.825
    """

    beta: float = beta_param()
    gain: GainSetting = gain_param()
    rel: float | None = graded_rel_param()
    references = cite("sakai2012", "sakai2014metrics")
    task = "diversified search with informational and navigational intents"
    properties = has("graded")

    def get_kind_measure(self, navigational: bool) -> Measure:
        cls = Pplus if navigational else Q
        return cls(beta=self.beta, gain=self.gain, rel=self.rel, cutoff=self.cutoff)

    def needs_intent_weights(self) -> bool:
        return True

    def needs_intent_types(self) -> bool:
        return True

    def get_intent_measures(self) -> tuple[Measure, ...]:
        return (self.get_kind_measure(False), self.get_kind_measure(True))


@measure
class PplusQsharp(SharpMeasure, PplusQ):
    """P+Q♯: a weighted mean of intent recall and P+Q.

    PplusQsharp = γ·IRec + (1 − γ)·PplusQ

    >>> (PplusQsharp(gamma=1) @ 10)([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    1.0
    """

    task = "like P+Q, with a reward for serving many intents"


# -- cascades: an intent is worth less the more often it has been served --------------------------


def compute_fading(q: float, count: Any) -> Floats:
    """Return q^count by repeated multiplication."""
    count = np.asarray(count, dtype=np.int64)
    table = np.cumprod(np.concatenate(([1.0], np.full(int(count.max(initial=0)), q))))
    return to_floats(table[count])


def _find_vanishing_rank(q: float) -> float:
    """Return the rank from which q^(r−1) cannot change a sum that starts with 1."""
    if q in (0.0, 1.0):
        return 1 if q == 0 else math.inf
    return math.ceil(math.log(LEAST) / math.log(q)) + 1


class Cascade(DiversityMeasure):
    """Novelty-biased gains discounted by rank, Σ_r ng(r)·d(r), over an ideal sum."""

    alpha: float = param(0.5, "decay of an intent's gain each time it has been served",
                         low=0, high=1)  # fmt: skip
    rel: float | None = rel_param()
    weighted: bool = param(False, "weight intents by their probability instead of equally")
    properties = has("recall-independent", "diminishing return")

    def discount(self, r: Any) -> Floats:
        """Return d(r), the discount factor of a rank."""
        raise TypeError(f"{type(self).__name__} defines no discount(self, r)")

    def needs_intent_weights(self) -> bool:
        return self.weighted

    def get_weights(self, x: Lists) -> Floats:
        """Return the weights of intents: [topics, intents]."""
        intents = get_intents(x)
        return intents.p if self.weighted else intents.filled.astype(np.float64)

    def sum_cascade(self, x: Lists) -> Floats:
        """Return Σ_r ng(r)·d(r),   ng(r) = Σ_i I_i(r)·(1 − α)^C_i(r−1)."""
        I = self.mark_relevant(x)
        served_above = np.cumsum(I, axis=1) - I
        ng = sum_intents(self.get_weights(x)[:, None, :] * I * compute_fading(1.0 - self.alpha, served_above))
        return total(x.step("ng·d", x.step("ng", ng) * self.discount(x.r)))

    def sum_perfect(self, x: Lists) -> Floats:
        """Return the sum of a list with every item relevant to every intent."""
        weight_sum = sum_intents(np.where(self.mark_served(x), self.get_weights(x), 0.0))
        ranks = np.arange(1, self._find_last_rank(x.l) + 1)
        fading = compute_fading(1.0 - self.alpha, ranks - 1)
        return total(weight_sum[:, None] * fading * self.discount(ranks))

    def _find_last_rank(self, cutoff: int | None) -> int:
        """Return the last rank that can change a sum."""
        if cutoff is None and self.alpha == 0:
            problem = "the ideal sum is infinite"
            raise InputError.from_problem(problem, "Use a cutoff, or alpha > 0", self)
        last = min(cutoff or math.inf, _find_vanishing_rank(1.0 - self.alpha))
        if last > RANKS:
            problem = f"sum over {last:,.0f} ranks, at most {RANKS:,} are possible"
            fix = "Use a lower cutoff, or alpha further from 0"
            raise InputError.from_problem(problem, fix, self)
        return int(last)

    def divide_by_perfect(self, x: Lists, sums: Floats) -> Floats:
        """Divide a sum by the highest possible sum."""
        return x.ratio(sums, x.gold.cache(("best", self), lambda: self.sum_perfect(x)))

    def score(self, x: Lists) -> Floats:
        return self.divide_by_perfect(x, x.step("Σ ng·d", self.sum_cascade(x)))


class GreedyCascade(Cascade):
    """A cascade divided by the cascade of the greedy ideal list."""

    equal: str = param("rounded", "items are tied for the ideal list if their sums are equal up "
                                  "to rounding (rounded) or in all bits (bits, as in ndeval)",
                       choices=("rounded", "bits"))  # fmt: skip
    properties = has("normalised", "diminishing return")

    def score(self, x: Lists) -> Floats:
        sums = self.sum_cascade(x)
        ideal = x.gold.cache(("greedy", self), lambda: self.sum_greedy(x))
        score = ratio(sums, ideal)
        if x.l is not None or self.alpha > 0:  # as in ndeval: the last bit can decide a digit
            score = ratio(self.divide_by_perfect(x, sums), self.divide_by_perfect(x, ideal))
        x.ratio(sums, ideal)  # stored for explain
        return score

    def sum_greedy(self, x: Lists) -> Floats:
        """Return the sum of the greedy ideal list.

        Each rank takes the item with the highest gain, and the largest document id among equal
        items. A better list can exist, but finding it would take too long.
        """
        intents = get_intents(x)
        if not x.gold.is_complete:
            raise NeedsMore("requires the levels of all judged items. Use judged=[…]")
        I = self._flag_levels(intents.levels, intents.judged)
        w = self.get_weights(x).copy()
        remaining: Any = I.any(axis=2)  # items without gain would come last
        steps = int(remaining.sum(axis=1).max(initial=0))
        steps = steps if x.l is None else min(steps, x.l)
        rows, sums = np.arange(len(w)), np.zeros(len(w))
        d = self.discount(np.arange(1, steps + 1))
        rounding = TOLERANCE if self.equal == "rounded" else 0.0
        for step in range(steps):
            gain = np.where(remaining, sum_intents(I * w[:, None, :]), -1.0)
            highest = gain.max(axis=1, initial=-1.0, keepdims=True)
            best = np.argmax(gain >= highest - rounding * np.abs(highest), axis=1)
            sums += np.maximum(gain[rows, best], 0.0) * d[step]
            w *= np.where(I[rows, best] > 0, 1.0 - self.alpha, 1.0)
            remaining[rows, best] = False
        return sums


class LogarithmicCascade(Cascade):
    """A cascade with d(r) = 1/log2(r + 1)."""

    references = cite("clarke2008", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return to_floats(np.log(2.0) / np.log(np.asarray(r) + 1.0))


class ReciprocalCascade(Cascade):
    """A cascade with d(r) = 1/r."""

    references = cite("chapelle2009", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return 1.0 / np.asarray(r, dtype=np.float64)


class GeometricCascade(Cascade):
    """A cascade with d(r) = β^(r−1)."""

    beta: float = param(0.5, "probability of continuing to the next rank", low=0, high=1,
                        open_ends=True)  # fmt: skip
    references = cite("clarke2009", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return compute_fading(self.beta, np.asarray(r) - 1)

    def divide_by_perfect(self, x: Lists, sums: Floats) -> Floats:
        weight_sum = sum_intents(np.where(self.mark_served(x), self.get_weights(x), 0.0))
        return sums * ratio(1.0 - (1.0 - self.alpha) * self.beta, weight_sum)  # of an infinite list


@measure
class alpha_DCG(LogarithmicCascade):
    """α-DCG: discounted gains, reduced for intents that were already served.

    alpha_DCG@l = Σ_{r≤l} ng(r)/log2(r + 1)  /  Σ_{r≤l} n·(1 − α)^(r−1)/log2(r + 1)
    ng(r)       = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    C_i(r) is the number of items up to r that are relevant to intent i, and n the number of intents
    with a relevant judged item (all intents, for a list without `judged`). As in ndeval, the
    denominator is the sum of a list with every item relevant to every intent. `norm=sum` has no
    denominator. With `weighted`, intents are weighted by their probability (Clarke et al. 2011),
    and n is the sum of the probabilities.

    >>> round(alpha_DCG(norm="sum")([[1, 1], [1, 0]]), 4)  # 2 + 0.5/log2(3)
    2.3155
    """

    norm: str = param("best", "best: divided as above; sum: not divided",
                      choices=("best", "sum"))  # fmt: skip
    task = "the gain of α-nDCG, if topics should have different weights"

    def score(self, x: Lists) -> Floats:
        return super().score(x) if self.norm == "best" else self.sum_cascade(x)


@measure
class alpha_nDCG(GreedyCascade, LogarithmicCascade):
    """α-nDCG: α-DCG's gains divided by those of a greedy ideal list.

    alpha_nDCG@l = Σ_{r≤l} ng(r)/log2(r + 1)  /  Σ_{r≤l} ng*(r)/log2(r + 1)
    ng(r)        = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    The ideal list is built greedily, item by item. Among equal items, the largest document id comes
    first, as in ndeval. A better list can exist and score above 1.

    >>> judged = [[1, 1], [1, 0], [0, 1]]
    >>> (alpha_nDCG @ 2)([[1, 1], [1, 0]], judged)
    1.0
    """

    task = "TREC's diversity measure: the novelty of each item (Web Track)"


@measure
class ERR_IA(ReciprocalCascade):
    """ERR-IA of TREC: a cascade for each intent, divided by the cascade of perfect items.

    ERR_IA@l = Σ_{r≤l} ng(r)/r  /  Σ_{r≤l} n·(1 − α)^(r−1)/r
    ng(r)    = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    C_i(r) is the number of items up to r that are relevant to intent i, and n the number of intents
    with a relevant judged item (all intents, for a list without `judged`); with `weighted`, the sum
    of their probabilities. As in ndeval, relevance has one level and satisfies with probability α.
    The mean of ERR over all intents is `IA(ERR)`.

    >>> (ERR_IA @ 2)([[1, 1], [1, 0]])  # (2 + 0.5/2)/(2 + 1/2)
    0.9
    """

    task = "TREC's first diversity measure (Web Track): early satisfaction of all intents"


@measure
class nERR_IA(GreedyCascade, ReciprocalCascade):
    """Normalised ERR-IA: ERR-IA's cascade divided by the cascade of a greedy ideal list.

    nERR_IA@l = Σ_{r≤l} ng(r)/r  /  Σ_{r≤l} ng*(r)/r

    The ideal list is built greedily, as for α-nDCG.

    >>> (nERR_IA @ 2)([[1, 1], [1, 0]], [[1, 1], [1, 0], [0, 1]])
    1.0
    """

    task = "ERR-IA, if topics should have equal weights"


@measure
class NRBP(GeometricCascade):
    """Novelty- and rank-biased precision: a cascade for each intent, with persistence β.

    NRBP  = (1 − (1 − α)·β)/n · Σ_r ng(r)·β^(r−1)
    ng(r) = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    β is the probability of continuing to the next item; ndeval uses 0.5. C_i(r) is the number of
    items up to r that are relevant to intent i, and n the number of intents with a relevant judged
    item (all intents, for a list without `judged`); with `weighted`, the sum of their
    probabilities.

    >>> NRBP()([[1, 1], [1, 0]])  # (1 − 1/4)/2·(2 + 0.5/2)
    0.84375
    """

    task = "diversity, for users of known persistence"


@measure
class nNRBP(GreedyCascade, GeometricCascade):
    """Normalised NRBP: NRBP divided by the NRBP of a greedy ideal list.

    nNRBP = Σ_r ng(r)·β^(r−1)  /  Σ_r ng*(r)·β^(r−1)

    The ideal list is built greedily, as for α-nDCG.

    >>> nNRBP()([[1, 1], [1, 0], [0, 1]], [[1, 1], [1, 0], [0, 1]])
    1.0
    """

    task = "NRBP, if topics should have equal weights"
