"""Diversity: one list for users who want different things, the intents of a topic.

Intents are judged one by one: I_i(r) is 1 if the item at rank r is relevant to intent i, g_i(r) is
its gain for it, and Pr(i|q) the probability of the intent. Measures of ordinary lists become
measures of diversity in two ways: `IA` takes their mean over the intents, `D` computes them once
with global gains, GG(r) = Σ_i Pr(i|q)·g_i(r). An item that was judged for one intent is judged for
all intents of its topic, with level 0 where nobody says otherwise.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, settled
from cranfield.errors import CranfieldError, InputError
from cranfield.measures.arrays import intent_lists
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.dcg import nDCG
from cranfield.measures.gains import gain_of
from cranfield.measures.grammar import MeasureLike, parse_measure
from cranfield.measures.intents import best_first, gold_rows, intent_rows, intents_of, rows_of
from cranfield.measures.lists import Gold, IntentBlock, Lists, NeedsMore, floats, ratio, total
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
_OF_BASE = (
    "summary", "better", "effectiveness", "length_unit", "every_length", "needs_documents"
)  # fmt: skip
LEAST = 2.0**-60  # what this part of a sum cannot change its last bit
RANKS = 100_000  # of the best list there could be, held for every topic of a block


def over_intents(x: Any) -> Floats:
    """Σ_i x(i), in their order: padding cannot change the last bit. The last axis is i."""
    x = np.asarray(x, dtype=np.float64)
    return np.cumsum(x, axis=-1)[..., -1] if x.shape[-1] else np.zeros(x.shape[:-1])


def expectation(M: Floats, known: IntentBlock, counted: Bools) -> Floats:
    """Σ_i Pr(i|q)·M_i over the intents that count, as if there were no others."""
    # Equal probabilities give the same bits whether somebody states them or not.
    equal = ((known.weights == known.weights[:, :1]) | ~known.there).all(axis=1)
    weights = np.where(counted, np.where(equal[:, None], 1.0, known.weights), 0.0)
    all_count = (counted == known.there).all(axis=1)
    whole = np.where(all_count, 1.0, over_intents(weights))
    whole = np.where(equal, counted.sum(axis=1), whole)
    return ratio(over_intents(weights * M), whole)


# -- global gains ---------------------------------------------------------------------------------


def global_lists(x: Lists, m: Measure, din: bool) -> Lists:
    """The lists with global gains as levels, as a measure would give gains to single intents.

    With `din`, an item is worth nothing to a navigational intent that another above it serves.
    """
    view = m.view_settings() | {"prob": getattr(m, "prob", None)}
    key = ("global", din, type(m).worth, *view.values())
    return x.remember(key, lambda: _global_lists(x, m, din, key))


def _global_lists(x: Lists, m: Measure, din: bool, key: Any) -> Lists:
    known = intents_of(x)
    gold = x.gold.remember((*key, "gold"), lambda: _global_gold(x.gold, known, m))
    g = _local_gains(intent_rows(x), m, known)
    if din:
        relevant = g > 0
        first = relevant & (np.cumsum(relevant, axis=2) == 1)
        g = np.where(known.navigational[:, :, None], g * first, g)
    # Items that are worth the same, in the list or in the judgments, are so to the last bit.
    every = np.concatenate((gold.levels, _global_gains(g, known)), axis=1)
    GG = _settled(every)[:, gold.levels.shape[1] :]
    return Lists(x.r, GG, x.judged, x.n, gold, lengths=x.lengths)


def _global_gold(gold: Gold, known: IntentBlock, m: Measure) -> Gold:
    n = known.judged.sum(axis=1)
    every = Lists(np.zeros(known.judged.shape, dtype=np.int64), n, known.judged, n, gold)
    g = _local_gains(rows_of(known.levels, every, gold_rows(gold)), m, known)
    GG, filled, order = best_first(_settled(_global_gains(g, known)), known.judged)
    tops = np.maximum(GG[:, 0], 0.0) if GG.shape[1] else np.zeros(len(GG))
    highest = float(tops.max(initial=0.0))
    return Gold(GG, filled, highest, gold.known, gold.traced, tops=tops, order=order)


def _global_gains(g: Floats, known: IntentBlock) -> Floats:
    """GG(r) = Σ_i Pr(i|q)·g_i(r), of [topics, intents, items]."""
    return over_intents(np.moveaxis(known.p[:, :, None] * g, 1, 2))


def _settled(GG: Floats) -> Floats:
    """Global gains, without what rounding makes of 0.1 + 0.2."""
    return settled(GG, TOLERANCE * np.abs(GG))


def _local_gains(rows: Lists, m: Measure, known: IntentBlock) -> Floats:
    """g_i(r), what items are worth to single intents: [topics, intents, items]."""
    view = rows.view(None, **m.view_settings())
    worth = m.worth(view)
    return worth.reshape(*known.p.shape, worth.shape[1])


# -- measures -------------------------------------------------------------------------------------


def known_param() -> Any:
    """Which intents count."""
    return param(
        "known",
        "the intents that count: known: all; relevant: those that some item is relevant to "
        "(ndeval)",
        choices=("known", "relevant"),
    )


class Diverse(Measure):
    """A measure of lists for the intents of a topic."""

    takes = "intents"
    may_fall = True  # what is better for one intent may be worse for another

    def __call__(  # type: ignore[override]
        self,
        levels: Any,
        judged: Any = None,
        *,
        probabilities: Any = None,
        navigational: Any = (),
        lengths: Any = None,
    ) -> float:
        """The score of one list: for each item its levels for all intents, or None if unjudged.

        `judged` are the levels of all judged items, in the same form. `probabilities` of the
        intents are alike if not given; `navigational` are the numbers of those that are, from 0.

        >>> import cranfield as cf
        >>> (cf.IRec @ 2)([[1, 0], None, [0, 1]])
        0.5
        """
        known = {} if lengths is None else {self.length_unit: lengths}
        try:
            x = intent_lists(levels, judged, probabilities, navigational, known)
            return float(self.values(x)[0, 0])
        except CranfieldError as problem:
            raise CranfieldError(f"{self}: {problem}") from None

    def of_intent(self) -> tuple[Measure, ...]:
        """What it is made of, intent by intent."""
        raise CranfieldError(f"{self} has no value for a single intent")

    def relevant(self, x: Lists) -> Floats:
        """I_i(r): 1 where the item is relevant to an intent: [topics, items, intents]."""
        intents_of(x)
        return self._flags(np.asarray(x.by_intent), x.judged)

    def _flags(self, level: Floats, judged: Bools) -> Floats:
        """1 where an item is relevant: by the threshold, else by its gain."""
        settings = self.view_settings()
        if settings["rel"] is not None:
            flag = level >= settings["rel"]
        elif isinstance(settings["gain"], tuple):
            flag = gain_of(settings["gain"], level) > 0
        else:
            flag = level > 0
        return floats(flag & judged[:, :, None])

    def served(self, x: Lists) -> Bools:
        """Which intents some judged item is relevant to: [topics, intents]."""
        known = intents_of(x)
        if not x.gold.known:
            return known.there
        return self._flags(known.levels, known.judged).any(axis=1) & known.there

    def counted(self, x: Lists) -> Bools:
        """Which intents count."""
        known = intents_of(x)
        return self.served(x) if getattr(self, "intents", "") == "relevant" else known.there


@measure
class IRec(Diverse):
    """Intent recall, also subtopic recall: the part of the intents that the list covers.

    IRec@l = |{i: I_i(r) = 1 for some r ≤ l}| / |{i}|

    With `top=intents` it looks at as many ranks as there are intents: NTCIREVAL's I-rec@n.

    >>> (IRec @ 1000)([None, None, [2, 1]])  # Sakai 2011, Figure 5
    1.0
    >>> IRec(top="intents")([None, None, [2, 1]])
    0.0
    """

    gain: GainSetting = gain_param()
    rel: float | None = graded_rel_param()
    intents: str = known_param()
    top: str = param("cutoff", "ranks to look at: cutoff: those down to it, or all; intents: as "
                     "many as there are intents", choices=("cutoff", "intents"))  # fmt: skip
    references = cite("zhai2003", "sakai2011song", "sakai2014metrics")
    task = "how many of the intents are served at all, beside a measure of relevance"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        counted = self.counted(x)
        n = counted.sum(axis=1)
        I = self.relevant(x)
        if self.top == "intents":
            I = I * (x.r <= n[:, None])[:, :, None]
        I = I * counted[:, None, :]
        new = x.step("new intents", over_intents(I * (np.cumsum(I, axis=1) == 1)))
        return x.ratio(total(new), n)

    def of_intent(self) -> tuple[Measure, ...]:
        if self.top == "intents":
            return super().of_intent()
        rel = self.rel
        if rel is None and isinstance(self.gain, tuple):  # relevant is what gains
            rel = next((level for level, g in enumerate(self.gain, 1) if g > 0), None)
        return (Success(rel=rel, cutoff=self.cutoff, condensed=self.condensed),)


class Combined(Diverse):
    """Another measure, made one of diversity."""

    base: Setting[MeasureLike, Measure] = dataclasses.field(default=_BASE, kw_only=False)
    combines = True

    def __init__(self, base: Any = None, **settings: Any) -> None:
        if base is not None:
            settings["base"] = base
        super().__init__(**settings)

    def __post_init__(self) -> None:
        base, name = parse_measure(self.base), type(self).__name__
        if base.takes != "lists" or base.is_model or len(base.names()) > 1 or base.measurement:
            expected = "a measure of ranked lists with one number, such as nDCG, and no user model"
            raise InputError(base, expected, name)
        self._refuse(base)
        if base.cutoff is not None and self.cutoff not in (None, base.cutoff):
            found = f"{name}: found cutoffs {self.cutoff:g} and {base.cutoff:g}"
            raise CranfieldError(f"{found}, expected one: {name}({replace(base, cutoff=None)})@10")
        object.__setattr__(self, "cutoff", base.cutoff if self.cutoff is None else self.cutoff)
        object.__setattr__(self, "condensed", base.condensed or self.condensed)
        object.__setattr__(self, "base", replace(base, cutoff=None, condensed=False, called=""))
        for name in _OF_BASE:
            object.__setattr__(self, name, getattr(base, name))
        super().__post_init__()

    def _refuse(self, base: Measure) -> None:
        if not base.effectiveness:
            raise InputError(base, "a measure of effectiveness", type(self).__name__)

    def arguments(self) -> list[str]:
        return [str(self.base)]

    @classmethod
    def parameters(cls) -> Iterator[dataclasses.Field[Any]]:
        return (f for f in super().parameters() if f.name != "base")

    @cached_property
    def inner(self) -> Measure:
        """The measure that it is made of, at its cutoff."""
        return replace(self.base, cutoff=self.cutoff)

    @cached_property
    def _seen(self) -> Measure:
        """The same, on the lists that it looks at."""
        return replace(self.inner, condensed=self.condensed)

    @property
    def last_rank(self) -> int | None:
        return self.inner.last_rank

    def weighs_intents(self) -> bool:
        return True

    def takes_default(self, name: str) -> bool:
        return self.base.takes_default(name) if name != "condensed" else not self.condensed

    def with_defaults(self, settings: Mapping[str, Any]) -> Self:
        own = {name: value for name, value in settings.items() if name == "condensed"}
        others = {name: value for name, value in settings.items() if name != "condensed"}
        return replace(super().with_defaults(own), base=self.base.with_defaults(others))

    def view(self, lists: Lists) -> Lists:
        return self._seen.view(lists)

    def view_settings(self) -> dict[str, Any]:
        return self.base.view_settings()

    def of_intent(self) -> tuple[Measure, ...]:
        return (self._seen,)


class Expectation(Diverse):
    """What is expected of a measure of single intents."""

    def of_kind(self, navigational: bool) -> Measure:
        """The measure of an intent of that kind."""
        raise TypeError(f"{type(self).__name__} defines no of_kind(self, navigational)")

    def values(self, lists: Lists) -> Floats:
        x = lists.condensed if self.condensed else lists
        return expectation(self.by_intent(x), intents_of(x), self.counted(x))[:, None]

    def by_intent(self, x: Lists) -> Floats:
        """The value of the measure for each intent: [topics, intents]."""
        known, rows = intents_of(x), intent_rows(x)
        kinds = (self.of_kind(False), self.of_kind(True))
        values = {m: m.values(rows)[:, 0].reshape(known.p.shape) for m in {*kinds}}
        return np.where(known.navigational, values[kinds[1]], values[kinds[0]])

    def traced(self, lists: Lists) -> Lists:
        x = lists.condensed if self.condensed else lists
        known, view, values = intents_of(x), self.view(lists), self.by_intent(x)
        names = known.names[0] if known.names else map(str, range(known.p.shape[1]))
        for i, intent in enumerate(names):
            m = self.of_kind(bool(known.navigational[0, i]))
            view.step(f"{m} for intent {intent}, probability {known.p[0, i]:.4g}", values[:, i])
        return view


@measure
class IA(Expectation, Combined):
    """Intent-aware: the mean of a measure over the intents, each by its probability.

    IA(M) = Σ_i Pr(i|q)·M_i

    M_i is the measure as if intent i were the topic, with an ideal list of its own. `IA(ERR)`,
    `IA(AP)`, `IA(P)@10`, `IA(U)`, …. The ideal lists of all intents cannot be had at once: the mean
    of a normalised measure hardly ever reaches 1. Users of `IA(U)` read what is relevant to their
    own intent; with trail=shared, what is relevant to any, and U-IA is D(U).

    >>> (IA(nDCG) @ 1)([[1, 0], [0, 1]], judged=[[1, 0], [0, 1]], probabilities=[0.75, 0.25])
    0.75
    """

    intents: str = known_param()
    trail: str = param("own", "IA(U): the documents that are read: own: those relevant to the "
                       "intent; shared: to any", choices=("own", "shared"))  # fmt: skip
    references = cite("agrawal2009", "sakai2014metrics")
    task = "users of one intent each; not the diversity of a list, unless M sees redundancy"
    range = "as M"

    def _refuse(self, base: Measure) -> None:
        super()._refuse(base)
        if self.trail == "shared" and not isinstance(base, U):
            raise InputError(f"IA({base}, trail=shared)", "U, whose users read a trail of texts")

    def of_kind(self, navigational: bool) -> Measure:
        return self.inner

    def by_intent(self, x: Lists) -> Floats:
        m = self.inner
        if self.trail == "own" or not isinstance(m, U):
            return super().by_intent(x)
        p, rows = intents_of(x).p, m.view(intent_rows(x))
        read = (rows.I.reshape(*p.shape, rows.I.shape[1]) > 0).any(axis=1)
        return m.of_text(rows, np.repeat(read, p.shape[1], axis=0)).reshape(p.shape)

    def takes_max_level(self) -> bool:
        return self.base.takes_max_level()


@measure
class PMP(Expectation):
    """Precision for the most popular intent: only items relevant to the most probable one count.

    PMP@l = P_i@l, i the intent with the highest Pr(i|q)

    Where several intents are the most probable, it is the mean of theirs.

    >>> (PMP @ 2)([[1, 0], [0, 1]], probabilities=[0.75, 0.25])
    0.5
    """

    rel: float | None = rel_param()
    references = cite("sakai2014metrics")
    task = "whether a list serves the intent that matters most: a gold standard for concordance"
    properties = has("recall-independent")

    def of_kind(self, navigational: bool) -> Measure:
        return P(rel=self.rel, cutoff=self.cutoff)

    def counted(self, x: Lists) -> Bools:
        known = intents_of(x)
        weights = np.where(known.there, known.weights, -np.inf)
        most = weights.max(axis=1, initial=-np.inf, keepdims=True)
        return np.asarray(known.there & (weights == most))

    def weighs_intents(self) -> bool:
        return True

    def of_intent(self) -> tuple[Measure, ...]:
        return (replace(self.of_kind(False), condensed=self.condensed),)


@measure
class D(Combined):
    """D-measure: a measure with global gains, what items are worth to all intents together.

    D(M) = M with GG(r) = Σ_i Pr(i|q)·g_i(r) instead of g(r)

    There is one ideal list: all judged items by global gain. A list in that order scores 1 if M is
    normalised. `D(nDCG)@10`, `D(Q)@10`, `D(RBP)`, `D(U)`, …; the gain and the threshold of M are
    those of single intents, and g_h is the highest global gain of the topic.

    >>> m = D("Q")  # Sakai 2011, Figure 4: 0.5833
    >>> round(m([None, None, [2, 1]], [[2, 1]], probabilities=[0.8, 0.2]), 4)
    0.5833
    """

    references = cite("sakai2011song", "sakai2014metrics")
    task = "overall relevance of a list to all intents; plot it against IRec"
    range = "as M"
    properties = has("graded", "normalised")
    din: ClassVar[bool] = False  # whether a navigational intent is served once

    def _refuse(self, base: Measure) -> None:
        super()._refuse(base)
        if not base.takes_gains:
            found = f"{type(self).__name__}: found {base}"
            raise CranfieldError(f"{found}, which needs levels, not gains")

    def takes_max_level(self) -> bool:
        # What items are worth to single intents may depend on it; g_h is that of the topic.
        return isinstance(self.base, U) and self.base.takes_max_level()

    def values(self, lists: Lists) -> Floats:
        x = lists.condensed if self.condensed else lists
        return self._on_gains.values(global_lists(x, self.inner, self.din))

    def traced(self, lists: Lists) -> Lists:
        x = lists.condensed if self.condensed else lists
        return self._on_gains.view(global_lists(x, self.inner, self.din))

    @cached_property
    def _on_gains(self) -> Measure:
        return self.inner.on_gains()


@measure
class DIN(D):
    """DIN-measure: a D-measure in which a navigational intent is served by one item only.

    DIN(M) = M with GG(r) = Σ_i Pr(i|q)·g_i(r) + Σ_j isnew_j(r)·Pr(j|q)·g_j(r)

    i are the informational and j the navigational intents; isnew_j(r) is 1 if no item above r is
    relevant to j. The ideal list is that of D: if a navigational intent has several relevant items,
    nothing scores 1.

    >>> m, judged = DIN(nDCG), [[1, 0], [1, 0], [0, 1]]
    >>> round(m([[1, 0], [1, 0]], judged, navigational=[0]) / D(nDCG)([[1, 0]], judged), 4)
    1.0
    """

    references = cite("sakai2012", "sakai2014metrics")
    task = "diversified search where one page is enough for some intents"
    properties = has("graded")
    din = True

    def types_intents(self) -> bool:
        return True


def sharpened(irec: Any, value: Any, gamma: float) -> Any:
    """γ·I-rec + (1 − γ)·D, of numbers or arrays."""
    return gamma * irec + (1.0 - gamma) * value


class Sharp(Diverse):
    """A measure of diversity, mixed with intent recall."""

    gamma: float = param(0.5, "the part of intent recall", low=0, high=1)

    def values(self, lists: Lists) -> Floats:
        return floats(sharpened(self.irec.values(lists), super().values(lists), self.gamma))

    @property
    def irec(self) -> IRec:
        """Intent recall, by the same threshold."""
        settings = self.view_settings()
        same = {name: settings[name] for name in ("rel", "gain")}
        return IRec(**same, cutoff=self.cutoff, condensed=self.condensed)

    def traced(self, lists: Lists) -> Lists:
        view = super().traced(lists)
        view.step(str(self.irec), self.irec.values(lists)[:, 0])
        of = "".join(f"({base})" for base in self.arguments())
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        name = type(self).__name__.removesuffix("sharp")
        view.step(f"{name}{of}{at}", super().values(lists)[:, 0])
        return view


@measure
class Dsharp(Sharp, D):
    """D♯-measure: intent recall and a D-measure, mixed.

    Dsharp(M) = γ·IRec + (1 − γ)·D(M)

    With γ = 0 it is D(M), with γ = 1 it is IRec. NTCIR takes 0.5. Cut lists at least at the number
    of intents, or I-rec cannot reach 1.

    >>> m = Dsharp("nDCG", gamma=0.5) @ 10
    >>> m, m([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    (Dsharp(nDCG)@10, 1.0)
    """

    references = cite("sakai2011song", "sakai2014metrics")
    task = "one number for diversity and relevance: NTCIR's choice (INTENT, IMine, Temporalia)"
    range = "0 to 1, if M is"


@measure
class DINsharp(Sharp, DIN):
    """DIN♯-measure: intent recall and a DIN-measure, mixed.

    DINsharp(M) = γ·IRec + (1 − γ)·DIN(M)

    >>> (DINsharp("nDCG", gamma=1) @ 10)([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    1.0
    """

    references = cite("sakai2012", "sakai2014metrics")
    task = "as D♯, where one page is enough for some intents"
    range = "0 to 1, if M is"


@measure
class PplusQ(Expectation):
    """P+Q: Q-measure for informational and P+ for navigational intents.

    PplusQ@l = Σ_i Pr(i|q)·Q_i@l + Σ_j Pr(j|q)·P+_j

    i are the informational and j the navigational intents. An intent-aware measure with two
    measures: whoever wants one page stops at the first best one. Both look down to the cutoff.

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

    def of_kind(self, navigational: bool) -> Measure:
        cls = Pplus if navigational else Q
        return cls(beta=self.beta, gain=self.gain, rel=self.rel, cutoff=self.cutoff)

    def weighs_intents(self) -> bool:
        return True

    def types_intents(self) -> bool:
        return True

    def of_intent(self) -> tuple[Measure, ...]:
        return (self.of_kind(False), self.of_kind(True))


@measure
class PplusQsharp(Sharp, PplusQ):
    """P+Q♯: intent recall and P+Q, mixed.

    PplusQsharp = γ·IRec + (1 − γ)·PplusQ

    >>> (PplusQsharp(gamma=1) @ 10)([[0, 1], [1, 0]], judged=[[1, 0], [0, 1]])
    1.0
    """

    task = "as P+Q, with a reward for serving many intents"


# -- cascades: an intent is worth less the more often it has been served --------------------------


def faded(q: float, count: Any) -> Floats:
    """q^count, by repeated multiplication."""
    count = np.asarray(count, dtype=np.int64)
    table = np.cumprod(np.concatenate(([1.0], np.full(int(count.max(initial=0)), q))))
    return floats(table[count])


def _fades_at(q: float) -> float:
    """The rank from which on q^(r−1) changes no sum that begins with 1; perhaps there is none."""
    if q in (0.0, 1.0):
        return 1 if q == 0 else math.inf
    return math.ceil(math.log(LEAST) / math.log(q)) + 1


class Cascade(Diverse):
    """Novelty-biased gains, discounted by rank: Σ_r ng(r)·d(r), over what an ideal list has."""

    alpha: float = param(0.5, "how much less an intent is worth each time it has been served",
                         low=0, high=1)  # fmt: skip
    rel: float | None = rel_param()
    weighted: bool = param(False, "intents count by their probability, and not alike")
    properties = has("recall-independent", "diminishing return")

    def discount(self, r: Any) -> Floats:
        """d(r), what a rank leaves of a gain."""
        raise TypeError(f"{type(self).__name__} defines no discount(self, r)")

    def weighs_intents(self) -> bool:
        return self.weighted

    def weights(self, x: Lists) -> Floats:
        """What the intents are worth: [topics, intents]."""
        known = intents_of(x)
        return known.p if self.weighted else known.there.astype(np.float64)

    def cascade(self, x: Lists) -> Floats:
        """Σ_r ng(r)·d(r),   ng(r) = Σ_i I_i(r)·(1 − α)^C_i(r−1)."""
        I = self.relevant(x)
        before = np.cumsum(I, axis=1) - I
        ng = over_intents(self.weights(x)[:, None, :] * I * faded(1.0 - self.alpha, before))
        return total(x.step("ng·d", x.step("ng", ng) * self.discount(x.r)))

    def best(self, x: Lists) -> Floats:
        """The sum of a list in which every item is relevant to every intent, if there were one."""
        whole = over_intents(np.where(self.served(x), self.weights(x), 0.0))
        ranks = np.arange(1, self._last_rank(x.l) + 1)
        fading = faded(1.0 - self.alpha, ranks - 1)
        return total(whole[:, None] * fading * self.discount(ranks))

    def _last_rank(self, cutoff: int | None) -> int:
        """The last rank that can change a sum."""
        if cutoff is None and self.alpha == 0:
            expected = "a cutoff, or alpha above 0: without either the sum has no end"
            raise InputError("neither", expected, self)
        last = min(cutoff or math.inf, _fades_at(1.0 - self.alpha))
        if last > RANKS:
            expected = f"at most {RANKS:,}: a lower cutoff, or alpha further from 0"
            raise InputError(f"a sum over {last:,.0f} ranks", expected, self)
        return int(last)

    def over_best(self, x: Lists, found: Floats) -> Floats:
        """A sum over the best there could be."""
        return x.ratio(found, x.gold.remember(("best", self), lambda: self.best(x)))

    def score(self, x: Lists) -> Floats:
        return self.over_best(x, x.step("Σ ng·d", self.cascade(x)))


class OverGreedy(Cascade):
    """A cascade over that of the greedy ideal list."""

    equal: str = param("rounded", "items are equally good for the ideal list if their sums "
                       "differ only by rounding (rounded) or not at all (bits, as in ndeval)",
                       choices=("rounded", "bits"))  # fmt: skip
    properties = has("normalised", "diminishing return")

    def score(self, x: Lists) -> Floats:
        found = self.cascade(x)
        ideal = x.gold.remember(("greedy", self), lambda: self.greedy(x))
        score = ratio(found, ideal)
        if x.l is not None or self.alpha > 0:  # as in ndeval: the last bit may decide a digit
            score = ratio(self.over_best(x, found), self.over_best(x, ideal))
        x.ratio(found, ideal)  # what is shown
        return score

    def greedy(self, x: Lists) -> Floats:
        """The sum of the list that takes the item of most gain next, and the largest id of many.

        The best list of all would take too long to find: that is why it may be beaten.
        """
        known = intents_of(x)
        if not x.gold.known:
            raise NeedsMore("needs the levels of all judged items: judged=[…]")
        I = self._flags(known.levels, known.judged)
        w = self.weights(x).copy()
        left: Any = I.any(axis=2)  # items of no use would come last
        steps = int(left.sum(axis=1).max(initial=0))
        steps = steps if x.l is None else min(steps, x.l)
        rows, found = np.arange(len(w)), np.zeros(len(w))
        d = self.discount(np.arange(1, steps + 1))
        rounding = TOLERANCE if self.equal == "rounded" else 0.0
        for step in range(steps):
            gain = np.where(left, over_intents(I * w[:, None, :]), -1.0)
            most = gain.max(axis=1, initial=-1.0, keepdims=True)
            best = np.argmax(gain >= most - rounding * np.abs(most), axis=1)
            found += np.maximum(gain[rows, best], 0.0) * d[step]
            w *= np.where(I[rows, best] > 0, 1.0 - self.alpha, 1.0)
            left[rows, best] = False
        return found


class ByLogarithm(Cascade):
    """d(r) = 1/log2(r + 1)."""

    references = cite("clarke2008", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return floats(np.log(2.0) / np.log(np.asarray(r) + 1.0))


class ByRank(Cascade):
    """d(r) = 1/r."""

    references = cite("chapelle2009", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return 1.0 / np.asarray(r, dtype=np.float64)


class ByPatience(Cascade):
    """d(r) = β^(r−1)."""

    beta: float = param(0.5, "probability of going on to the next rank", low=0, high=1,
                        open_ends=True)  # fmt: skip
    references = cite("clarke2009", "clarke2011")

    def discount(self, r: Any) -> Floats:
        return faded(self.beta, np.asarray(r) - 1)

    def over_best(self, x: Lists, found: Floats) -> Floats:
        whole = over_intents(np.where(self.served(x), self.weights(x), 0.0))
        return found * ratio(1.0 - (1.0 - self.alpha) * self.beta, whole)  # of a list without end


@measure
class alpha_DCG(ByLogarithm):
    """α-DCG: discounted gains, where items are worth less to intents that have been served.

    alpha_DCG@l = Σ_{r≤l} ng(r)/log2(r + 1)  /  Σ_{r≤l} n·(1 − α)^(r−1)/log2(r + 1)
    ng(r)       = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    C_i(r) is the number of items down to r that are relevant to intent i, and n the number of
    intents that any judged item is relevant to (all of them, for a list without `judged`). It is
    divided by the sum of a list all of whose items are relevant to all intents, as in ndeval;
    `norm=sum` is the sum itself. With `weighted` intents count by their probability (Clarke et al.
    2011), and n is the sum of theirs.

    >>> round(alpha_DCG(norm="sum")([[1, 1], [1, 0]]), 4)  # 2 + 0.5/log2(3)
    2.3155
    """

    norm: str = param("best", "best: divided as said above; sum: not divided",
                      choices=("best", "sum"))  # fmt: skip
    task = "the gain of α-nDCG, where topics should not weigh alike"

    def score(self, x: Lists) -> Floats:
        return super().score(x) if self.norm == "best" else self.cascade(x)


@measure
class alpha_nDCG(OverGreedy, ByLogarithm):
    """α-nDCG: discounted gains that fade as intents are served, over those of an ideal list.

    alpha_nDCG@l = Σ_{r≤l} ng(r)/log2(r + 1)  /  Σ_{r≤l} ng*(r)/log2(r + 1)
    ng(r)        = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    The ideal list is made greedily, item by item; of several that add the same, the one with the
    largest document id comes first, as in ndeval. A better list may exist, and score above 1.

    >>> judged = [[1, 1], [1, 0], [0, 1]]
    >>> (alpha_nDCG @ 2)([[1, 1], [1, 0]], judged)
    1.0
    """

    task = "TREC's diversity measure: what each item adds to what was seen (Web Track)"


@measure
class ERR_IA(ByRank):
    """ERR-IA of TREC: a cascade for each intent, divided by that of a list of perfect items.

    ERR_IA@l = Σ_{r≤l} ng(r)/r  /  Σ_{r≤l} n·(1 − α)^(r−1)/r
    ng(r)    = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    C_i(r) is the number of items down to r that are relevant to intent i, and n the number of
    intents that any judged item is relevant to (all of them, for a list without `judged`); with
    `weighted`, the sum of their probabilities. As ndeval computes it: relevance has one level, and
    satisfies with probability α. The mean of ERR over all intents is `IA(ERR)`.

    >>> (ERR_IA @ 2)([[1, 1], [1, 0]])  # (2 + 0.5/2)/(2 + 1/2)
    0.9
    """

    task = "TREC's first measure of diversity (Web Track): how soon users of all intents are done"


@measure
class nERR_IA(OverGreedy, ByRank):
    """Normalised ERR-IA: the cascade for each intent, over that of an ideal list.

    nERR_IA@l = Σ_{r≤l} ng(r)/r  /  Σ_{r≤l} ng*(r)/r

    The ideal list is made greedily, as that of α-nDCG.

    >>> (nERR_IA @ 2)([[1, 1], [1, 0]], [[1, 1], [1, 0], [0, 1]])
    1.0
    """

    task = "ERR-IA, where topics should weigh alike"


@measure
class NRBP(ByPatience):
    """Novelty- and rank-biased precision: a cascade for each intent, for users who may give up.

    NRBP  = (1 − (1 − α)·β)/n · Σ_r ng(r)·β^(r−1)
    ng(r) = Σ_i I_i(r)·(1 − α)^C_i(r−1)

    β is the probability of going on to the next item; ndeval takes 0.5. C_i(r) is the number of
    items down to r that are relevant to intent i, and n the number of intents that any judged item
    is relevant to (all of them, for a list without `judged`); with `weighted`, the sum of their
    probabilities.

    >>> NRBP()([[1, 1], [1, 0]])  # (1 − 1/4)/2·(2 + 0.5/2)
    0.84375
    """

    task = "diversity, for users of known persistence"


@measure
class nNRBP(OverGreedy, ByPatience):
    """Normalised NRBP: NRBP over that of an ideal list.

    nNRBP = Σ_r ng(r)·β^(r−1)  /  Σ_r ng*(r)·β^(r−1)

    The ideal list is made greedily, as that of α-nDCG.

    >>> nNRBP()([[1, 1], [1, 0], [0, 1]], [[1, 1], [1, 0], [0, 1]])
    1.0
    """

    task = "NRBP, where topics should weigh alike"
