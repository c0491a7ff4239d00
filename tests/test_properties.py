"""What must hold for any data: ranges, bounds, invariances, and what measures say of themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.source import Source
from cranfield.measures.base import FIVE
from cranfield.measures.cwl import models

Lists = dict[str, dict[str, float]]

BUILT_IN = {
    c.__name__: c
    for c in cf.REGISTRY.values()
    if c.__module__.startswith("cranfield.measures") and c.takes == "lists"
}

USER_MODELS = {name: c for name, c in BUILT_IN.items() if issubclass(c, cf.UserModel)}
UNIT_GAINS = {name for name, c in models().items() if c.unit_gains}  # gains must be from 0 to 1

few = settings(max_examples=20, deadline=None)
many = settings(max_examples=60, deadline=None)


# -- measures ---------------------------------------------------------------------------------

GRADED: list[dict[str, Any]] = [{}, {"gain": "exp"}, {"gain": "binary"}, {"rel": 2.0}]
BINARY: list[dict[str, Any]] = [{}, {"rel": 2.0}, {"rel": 1.5}, {"rel": 0.0}]
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "P": BINARY,
    "AP": [*BINARY, {"norm": "R"}],
    "Q": [*GRADED, {"beta": 0.0}, {"beta": 10.0, "rel": 1.0}, {"gain": "exp", "rel": 2.0}],
    "nDCG": [*GRADED, {"discount": "jk"}, {"discount": "jk", "b": 10.0}, {"gain": "exp", "rel": 1}],
    "ERR": [{}, {"prob": "linear"}, {"max_level": 4.0}, {"prob": "linear", "gain": "exp"}],
    "RBP": [*GRADED, {"p": 0.95}, {"max_level": 1.0}, {"gain": "exp", "max_level": 5.0}],
    "bpref": BINARY,
    "NCU": [{"stop": s, "utility": u} for s, u in zip(
        ("gu", "rb", "to_rp", "sat", "gu"), ("BR", "P", "BR", "IE", "P"), strict=True)],
    "GAP": [{}, {"thresholds": "level"}, {"max_level": 1.0}],
    "F": [{}, {"alpha": 0.3}],
    "Compat": [{}, {"normalize": False}],
    "INST": [{}, {"T": 3.0}],
    "BPM": [{}, {"T": 2.0, "K": 3.0}],
    "BPMD": [{}, {"T": 2.0, "K": 4.0, "hb": 0.5, "hc": 2.0}],
}  # fmt: skip
TABLES: dict[str, list[dict[str, Any]]] = {
    name: [{"gain": (0.1, 0.3, 1.0)}, {"gain": (0.0, 0.5, 0.5)}]
    if name in UNIT_GAINS
    else [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}]
    for name, c in BUILT_IN.items()
    if "gain" in {f.name for f in c.parameters()}
}


def fitting(c: type[cf.Measure]) -> dict[str, Any]:
    """What a measure needs to be evaluated on any levels, and soon."""
    few_ranks = {"n": 20} if issubclass(c, cf.UserModel) else {}
    return few_ranks | ({"gain": "unit"} if c.__name__ in UNIT_GAINS else {})


def measures_of(catalogue: dict[str, list[dict[str, Any]]]) -> list[cf.Measure]:
    """Every measure of a catalogue, whole and at two cutoffs, the plain ones also condensed."""
    return [
        BUILT_IN[name](**fitting(BUILT_IN[name]) | chosen, condensed=condensed, cutoff=cutoff)
        for name, all_of in catalogue.items()
        for chosen in all_of
        for condensed in ((False,) if chosen else (False, True))
        for cutoff in ((None, 1, 4) if name != "IPrec" else (None, 0.35))
    ]


EFFECTIVENESS = {name: c for name, c in BUILT_IN.items() if c.effectiveness}
EVERY = measures_of({name: SETTINGS.get(name, [{}]) for name in EFFECTIVENESS})
EVERY_TABLE = measures_of(TABLES)
EACH = [  # one of each, for tests that take long
    *(c(**fitting(c), cutoff=4 if i % 2 and c is not cf.IPrec else None)
      for i, c in enumerate(EFFECTIVENESS.values())),
    *map(cf.parse_measure, ("AP(condensed=true)", "nDCG(gain=exp)@1", "RBP(rel=0)", "P(rel=1.5)")),
]  # fmt: skip
EACH_MODEL = [  # all that user models measure, some at a cutoff
    c(n=20, cutoff=4 if i % 3 == 2 else None, measurement=measurement)
    for i, c in enumerate(dict.fromkeys(models().values()))
    for measurement in FIVE
]


# -- collections ------------------------------------------------------------------------------


def order(ranked: dict[str, float]) -> list[str]:
    """trec_eval's order: score, then document id, both descending."""
    return sorted(ranked, key=lambda d: (ranked[d], d.encode()), reverse=True)


LEVELS = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 2.0, 3.0])
WHOLE = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
UNIT = st.sampled_from([-1.0, 0.0, 0.0, 0.2, 0.25, 0.5, 0.9, 1.0])  # gains from 0 to 1
DOCS = [f"d{i}" for i in range(16)]


Levels = st.SearchStrategy[float]


@st.composite
def topics(draw: st.DrawFn, levels: Levels = LEVELS) -> tuple[Any, Any]:
    """Judgments and a list of one topic, with unjudged documents and ties."""
    judged = draw(st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=10))
    listed = draw(st.lists(st.sampled_from(DOCS), unique=True, max_size=14))
    scores = draw(
        st.lists(st.integers(0, 9).map(float), min_size=len(listed), max_size=len(listed))
    )
    return {d: draw(levels) for d in judged}, dict(zip(listed, scores, strict=True))


@st.composite
def collections(draw: st.DrawFn, levels: Levels = LEVELS) -> tuple[Lists, Lists]:
    drawn = draw(st.lists(topics(levels), min_size=1, max_size=4))
    qrels = {f"t{i}": judged for i, (judged, _) in enumerate(drawn)}
    return qrels, {f"t{i}": listed for i, (_, listed) in enumerate(drawn)}


OTHER_DOCS = [f"doc-{i}" for i in range(90)] + ["é", "中文", "😀", "\uff61", "Z", "a"]
PLACES = [f"d{i}" for i in range(len(DOCS), 40)] + [f"missed{i}" for i in range(9)]
LENGTHS = {
    unit: {d: float(7 * i % 311 * i + 40) for i, d in enumerate([*DOCS, *OTHER_DOCS, *PLACES])}
    for unit in ("words", "characters")
}


# Measures, and levels that are gains to them.
either = pytest.mark.parametrize(
    ("measures", "levels"), [(EACH, LEVELS), (EACH_MODEL, UNIT)], ids=["each", "each user model"]
)


def evaluate(qrels: Any, runs: Any, measures: Any, **options: Any) -> cf.Scores:
    """With lengths of all documents, for the measures that need them."""
    return cf.evaluate(qrels, runs, measures, lengths=LENGTHS, **options)


# -- bounds -----------------------------------------------------------------------------------

ANY_LEVEL = st.one_of(
    st.integers(-3, 12).map(float),
    # A gain over one below 1e-300 is more than a float can hold (nG below rank 1).
    st.floats(-5, 20, allow_subnormal=False).filter(lambda x: x <= 0 or x > 1e-9),
)


def bounded(value: float) -> bool:
    return math.isfinite(value) and 0 <= value <= 1 + 1e-12


def owners(measures: list[cf.Measure]) -> list[cf.Measure]:
    """The measure of each column."""
    return [m for m in measures for _ in m.names()]


BOUNDS: dict[str, tuple[float, float]] = {
    "0 to 1": (0, 1),
    "1 (worst) to 0": (0, 1),
    "0 to below 1": (0, 1),
    "0 to 1, and less than 1 for lists that end": (0, 1),
    "0 to 1 at rank 1": (0, math.inf),  # further down the list may hold more than the ideal one
    "0 to 1/(1 − 1/β) of the highest level": (0, 2),  # as β is 2 for the highest level
    "from 0": (0, math.inf),
    "−log(1 + R) to log(1 + R)": (-math.log(11), math.log(11)),  # at most 10 are judged
    "EU and ETU as the gains; ED from 1 to n": (0, math.inf),  # see test_user_models
}


class TestRange:
    def within(self, drawn: tuple[Lists, Lists], measures: list[cf.Measure]) -> None:
        scores = evaluate(*drawn, measures)
        for m, column in zip(owners(measures), scores.values[0].T, strict=True):
            low, high = (0, 1) if str(m) == "nG@1" else BOUNDS[m.range]
            inside = np.isfinite(column) & (column >= low - 1e-12) & (column <= high + 1e-12)
            assert inside.all(), (str(m), column)

    @given(collections(ANY_LEVEL))
    @settings(max_examples=40, deadline=None)
    def test_effectiveness_is_in_its_range(self, drawn: tuple[Lists, Lists]) -> None:
        self.within(drawn, [m for m in EVERY if "rpref" not in str(m)])  # see the next test

    @given(collections(UNIT))
    @few
    def test_user_models(self, drawn: tuple[Lists, Lists]) -> None:
        """With gains from 0 to 1 and costs of 1; TrAP's attention does not sum to 1."""
        every = [m for m in EACH_MODEL if not isinstance(m, cf.TrAP)]
        scores = evaluate(*drawn, every)
        assert scores.measures == tuple(map(str, every))
        for m, column in zip(every, scores.values[0].T, strict=True):
            n = 20 if m.cutoff is None else m.cutoff
            low, high = {"EU": (0, 1), "EC": (1, 1), "ED": (1, n)}.get(m.measurement, (0, n))
            assert ((column >= low - 1e-12) & (column <= high + 1e-12)).all(), (str(m), column)

    @pytest.mark.filterwarnings("error")
    def test_tiny_levels_do_not_overflow(self) -> None:
        judged = {"d0": 9.0, "d1": 2.3e-308}
        self.within(({"t": judged}, {"t": {"d0": 2.0, "d1": 1.0}}), [cf.rpref_relative2()])

    @given(collections(WHOLE))
    @few
    def test_with_gain_tables(self, drawn: tuple[Lists, Lists]) -> None:
        self.within(drawn, EVERY_TABLE)

    def test_every_range_is_known(self) -> None:
        """Those above are all there are: a new one must be stated here, too."""
        assert {c.range for c in EFFECTIVENESS.values()} == set(BOUNDS)

    @pytest.mark.parametrize("name", ["RBP", "ERR(prob=linear)", "nDCG", "nDCG@1", "Q", "Q@1"])
    def test_a_gain_table_that_falls(self, name: str) -> None:
        """A table need not rise with the level: the most an item can gain is its maximum."""
        try:
            scores = cf.evaluate(
                {"t": {"a": 1, "b": 2, "c": 1}}, {"t": ["a", "c"]}, name, gains="3:1"
            )
        except cf.CranfieldError:
            return  # refusing such a table would do as well
        assert 0 <= scores.values.item() <= 1

    @pytest.mark.parametrize("text", ["ERR", "ERR(prob=linear)", "RBP", "nDCG", "Q", "AP", "bpref"])
    @pytest.mark.parametrize("level", [1000.0, 1100.0, 1e6, 1e300])
    def test_levels_may_be_large(self, text: str, level: float) -> None:
        """Counts of clicks or prices serve as levels: 2^x must not overflow to nan."""
        m = cf.parse_measure(text)
        value = m([level, 1, None, 0], judged=[level, 1, 1, 0])
        assert bounded(value), value

    @pytest.mark.parametrize("text", ["nDCG(gain=exp)", "Q(gain=exp)", "RBP(gain=exp)"])
    def test_levels_too_large_for_a_gain(self, text: str) -> None:
        assert bounded(cf.parse_measure(text)([1000, 1], judged=[1000, 1]))
        with pytest.raises(cf.CranfieldError, match="found level 1e\\+06 in the judgments"):
            cf.parse_measure(text)([1e6, 1], judged=[1e6, 1])

    @pytest.mark.parametrize(
        ("level", "expected"), [(3, "found level 3 .*levels up to 2"), (0.5, "whole levels")]
    )
    def test_levels_a_gain_table_does_not_have(self, level: float, expected: str) -> None:
        with pytest.raises(cf.CranfieldError, match=expected):
            cf.evaluate({"t": {"a": level}}, {"t": ["a"]}, "nDCG(gain=1:2)")
        below = cf.evaluate({"t": {"a": -1, "b": 2}}, {"t": ["b", "a"]}, "nDCG(gain=1:2)")
        assert below.values.item() == 1.0

    @given(collections(ANY_LEVEL))
    @few
    def test_judged_is_a_share(self, drawn: tuple[Lists, Lists]) -> None:
        values = cf.evaluate(*drawn, ["Judged", "Judged@3", "Judged(condensed=true)@3"]).values
        assert ((values >= 0) & (values <= 1)).all()


IDEAL_IS_1 = [
    *("AP", "AP@3", "AP(condensed=true)", "nDCG", "nDCG@3", "nDCG(gain=exp)@5"),
    *("nDCG(discount=jk)", "nDCG(discount=jk, b=3)@4", "Q", "Q@3", "Q(beta=0)", "Q(beta=10)@5"),
    *("Q(gain=exp)", "RR", "RR@1", "Success@1", "bpref", "P@1", "Recall", "nDCG(gain=binary)"),
]  # fmt: skip


class TestIdealList:
    @given(topics())
    @many
    def test_scores_1(self, drawn: tuple[Any, Any]) -> None:
        judged, _ = drawn
        relevant = sorted((d for d in judged if judged[d] > 0), key=lambda d: -judged[d])
        assume(relevant)
        run = {"t": {d: float(-i) for i, d in enumerate(relevant)}}
        R = len(relevant)
        names = list(dict.fromkeys([*IDEAL_IS_1, f"Recall@{R}", f"P@{R}", f"AP(norm=R)@{R}"]))
        values = cf.evaluate({"t": judged}, run, names).values[0, 0]
        assert dict(zip(names, values.tolist(), strict=True)) == dict.fromkeys(names, 1.0)

    @given(topics())
    @few
    def test_is_the_best_there_is(self, drawn: tuple[Any, Any]) -> None:
        judged, ranked = drawn
        # Condensing hides what the list is worth, and rel=0 makes documents relevant that gain
        # nothing. Some look at what was returned, and may prefer a shorter list; some are as in
        # FALLS, as users who find enough and stop. Less of E is better.
        fair = [
            m
            for m in EVERY
            if not m.condensed
            and getattr(m, "rel", None) != 0.0
            and not (m.cutoff is None and type(m).__name__ in ("P", "F", "BR"))
            and type(m).__name__ not in {"SetP", "SetF", "SetRelP", "SetAP", "RelP", "E", "Compat"}
            and not falls(m)
        ]
        runs = {"best": {"t": judged}, "any": {"t": ranked}}
        best, other = evaluate({"t": judged}, runs, fair).values[:, 0]
        worse = np.flatnonzero(best < other - 1e-12)
        assert not worse.size, [str(owners(fair)[i]) for i in worse]

    def test_shorter_than_R_cannot_score_1(self) -> None:
        qrels, run = {"t": {"a": 1, "b": 1}}, {"t": {"a": 1.0}}
        values = cf.evaluate(qrels, run, ["AP", "nDCG", "Q", "Recall", "bpref"]).values
        assert (values < 1).all()


UTILITIES = ("P", "BR", "RR", "IE")
FALLS = {"Pmeasure", "Pplus", "EBR", "nEBR", "G", "infAP", "TBG", "U"}
FALLS |= {"TrAP", "BPM", "BPMD", "IFT", "IFTGoal", "IFTRate"}  # user models


def is_plain(m: cf.Measure) -> bool:
    """Whole and not condensed, unless it is the cutoff that makes it fall."""
    return not m.condensed and (
        m.cutoff is None or (m.cutoff > 1 and type(m) in (cf.nG, cf.PairAccuracy))
    )


def falls(m: cf.Measure) -> bool:
    """Whether the score may fall when a better document moves up over a worse one.

    It may where the stop is more likely, or comes earlier, and less has been gained by then
    (NCU and relatives; G's discount); where a rank, but not what is above, is looked at (nG,
    PairAccuracy at a cutoff); where documents have lengths; where the number of unjudged
    documents above matters (infAP); where users who have found enough stop (BPM, IFT), or costs
    change who goes on (TrAP). Of INST and NERR no case is known: users stop sooner there, too, but
    what is gained above outweighs it.
    """
    name = type(m).__name__
    if name == "NCU":
        pairs = {"gu": ("P", "BR"), "sat": ("P", "BR"), "rp": UTILITIES, "to_rp": UTILITIES}
        return m.utility in pairs.get(m.stop, ())  # type: ignore[attr-defined]
    if name in ("nG", "PairAccuracy"):
        return m.cutoff is not None and m.cutoff > 1
    return name in FALLS


# For Q: moved over a nonrelevant document, the same numerator meets a smaller denominator; moved
# over a less relevant one, the numerator at the upper rank grows and nothing changes at the lower.
MONOTONE = [m for m in EVERY if m.rewards_better_items()]


def named(levels: list[float | None], missed: list[float]) -> dict[str, float]:
    """The judgments of a list d0, d1, … with these levels, and of some documents not in it."""
    judged = {f"d{i}": x for i, x in enumerate(levels) if x is not None}
    return judged | {f"missed{i}": x for i, x in enumerate(missed)}


class TestMovingUp:
    @given(
        st.lists(st.none() | LEVELS, min_size=2, max_size=14),
        st.lists(LEVELS, max_size=5),
        st.integers(0, 12),
    )
    @many
    def test_a_better_document_never_lowers_a_score(
        self, levels: list[float | None], missed: list[float], place: int
    ) -> None:
        place %= len(levels) - 1
        upper, lower = (max(0.0, x or 0.0) for x in levels[place : place + 2])
        assume(upper != lower)
        swapped = [*levels[:place], levels[place + 1], levels[place], *levels[place + 2 :]]
        before, after = (levels, swapped) if upper < lower else (swapped, levels)
        scores = evaluate(
            {"b": named(before, missed), "a": named(after, missed)},
            {t: [f"d{i}" for i in range(len(levels))] for t in "ba"},
            MONOTONE,
        )
        sign = np.array([-1 if m.better == "lower" else 1 for m in owners(MONOTONE)])
        worse, better = scores.values[0] * sign
        fell = np.flatnonzero(better < worse - 1e-12)
        assert not fell.size, [str(owners(MONOTONE)[i]) for i in fell]

    @pytest.mark.parametrize("m", [m for m in EVERY if falls(m) and is_plain(m)], ids=str)
    def test_some_do_fall(self, m: cf.Measure) -> None:
        """A random search finds a case for each that promises nothing to `ties=best`."""
        rng = np.random.default_rng(1)
        n, depth = 6000, 8
        levels = rng.choice([np.nan, -1, 0, 0.5, 1, 1, 1.5, 2, 3], (n, depth))
        judged = np.hstack([levels, rng.choice([np.nan, -1, 0, 0, 1, 2, 3], (n, 4))])
        lengths = rng.integers(1, 3000, (n, depth)) if m.length_unit else None
        looks_at_costs = isinstance(m, cf.UserModel) and "costs" in m.looks_at
        costs = rng.uniform(0.1, 3, (n, depth)) if looks_at_costs else None
        rows, place = np.arange(n), rng.integers(0, depth - 1, n)
        swapped = np.tile(np.arange(depth), (n, 1))
        swapped[rows, place], swapped[rows, place + 1] = place + 1, place

        def turned(x: Any) -> Any:
            return None if x is None else np.take_along_axis(x, swapped, axis=1)

        worth = np.maximum(np.nan_to_num(levels), 0)
        up = np.sign(worth[rows, place + 1] - worth[rows, place])
        before = m(levels, judged, lengths=lengths, costs=costs)
        after = m(turned(levels), judged, lengths=turned(lengths), costs=turned(costs))
        assert ((after - before) * up < -1e-6).any()
        assert not m.rewards_better_items()

    def test_and_raises_those_that_look_at_order(self) -> None:
        scores = cf.evaluate(
            {"t": {"a": 2, "b": 1, "c": 0}},
            {"before": {"t": ["c", "b", "a"]}, "after": {"t": ["b", "c", "a"]}},
            ["AP", "nDCG", "Q", "RBP", "ERR", "RR", "P@1", "bpref"],
        )
        assert (scores.values[1] > scores.values[0]).all()


# -- what measures say of themselves ----------------------------------------------------------

ROWS, DEPTH = 800, 6


def with_top_3(c: type[cf.Measure], cutoff: int | None = None) -> cf.Measure:
    """The measure with the highest level declared, so that it does not depend on the batch."""
    declared = {"max_level": 3} if "max_level" in {f.name for f in c.parameters()} else {}
    gains = {"n": 20, "gain": "0.2:0.5:1"} if issubclass(c, cf.UserModel) else {}
    return c(**declared, **gains, cutoff=None if c is cf.IPrec else cutoff)


class Batch:
    """Random lists of levels 0 to 3 with unjudged items, what else is judged, and lengths."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.levels = rng.choice([np.nan, 0, 1, 2, 3], (ROWS, DEPTH))
        self.missed = rng.choice([0.0, 1.0, 2.0, 3.0], (ROWS, 2))
        self.lengths = rng.integers(1, 3000, (ROWS, DEPTH)).astype(float)

    def score(self, m: cf.Measure, levels: Any, *more: Any, mask: Any = None) -> Any:
        """[rows, columns]: the lists, judged with what is in `more` besides."""
        found = m(
            levels,
            np.hstack([np.where(mask, levels, np.nan) if mask is not None else levels, *more]),
            mask=mask,
            lengths=self.lengths if m.length_unit else None,
        )
        return found if found.ndim == 2 else found[:, None]


def differs(a: Any, b: Any) -> bool:
    return bool(np.abs(a - b).max() > 1e-12)


each_measure = pytest.mark.parametrize("c", EFFECTIVENESS.values(), ids=str)
CUTOFFS = (None, 1, 3, 8)

# Normalised, but not at every cutoff: these compare with all relevant items wherever they stop
# (below R), or are precisions (BR beyond R), or look at one rank (nG), or guess a little (infAP).
ONLY_WHOLE = {"Rprec", "Rmeasure", "AP11", "binG", "G", "nDCGrel", "RnDCG", "Compat", "bpref",
              "GMbpref", "bpref_R", "bpref_N", "rpref_N", "rpref_relative2", "infAP", "BR",
              "nG"}  # fmt: skip
# Not declared, although the list of all relevant items scores 1: it depends on the parameters.
IDEAL_IS_1_ALL_THE_SAME = {"NCU"}

FIGURE_6 = {  # seed 001: rows (a), (b), (c), (e) and (f); those for TBG and AP in between are no
    "nDCG": ("graded", "normalised"),
    "AP": ("normalised",),
    "Q": ("graded", "normalised"),
    "Pplus": ("graded", "normalised"),
    "ERR": ("graded", "recall-independent", "diminishing return"),
    "RBP": ("graded", "recall-independent"),
    "TBG": ("recall-independent", "uses lengths"),
    "U": ("graded", "recall-independent", "diminishing return", "uses lengths"),
}


class TestDeclaredProperties:
    @pytest.mark.parametrize(("name", "properties"), FIGURE_6.items())
    def test_figure_6(self, name: str, properties: tuple[str, ...]) -> None:
        assert BUILT_IN[name].properties == properties

    @each_measure
    def test_graded(self, c: type[cf.Measure]) -> None:
        """Other positive levels in place of positive levels change something, or nothing."""
        batch = Batch()
        other = [np.where(x > 0, batch.rng.integers(1, 4, x.shape), x)
                 for x in (batch.levels, batch.missed)]  # fmt: skip
        changed = any(
            differs(batch.score(m, batch.levels, batch.missed), batch.score(m, *other))
            for m in (with_top_3(c, k) for k in CUTOFFS)
        )
        assert changed == ("graded" in c.properties)

    @staticmethod
    def ideal_scores(c: type[cf.Measure], cutoff: int | None) -> Any:
        """Scores of lists of all relevant items, best first."""
        batch = Batch()
        judged = batch.rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], (ROWS, DEPTH))
        judged[:, 0] = batch.rng.integers(1, 4, ROWS)
        best = -np.sort(-judged, axis=1)
        zeros = np.where(best > 0, np.nan, 0.0)  # nonrelevant items are judged, not listed
        return batch.score(with_top_3(c, cutoff), best, zeros, mask=best > 0)

    @each_measure
    def test_normalised(self, c: type[cf.Measure]) -> None:
        """The ideal list scores 1, at every cutoff unless excepted, and no list scores more."""
        name, cutoffs = c.__name__, (None, *range(1, 9))
        reached = [not differs(self.ideal_scores(c, k), 1.0) for k in cutoffs]
        if "normalised" not in c.properties:
            assert all(reached) == (name in IDEAL_IS_1_ALL_THE_SAME)
            return
        assert all(reached) == (name not in ONLY_WHOLE)
        if name == "infAP":  # each item above counts as 1 − ε
            assert np.abs(self.ideal_scores(c, None) - 1).max() < 1e-5
        else:
            assert reached[0]
        batch = Batch(1)
        for k in CUTOFFS[: 2 if name == "nG" else None]:
            found = batch.score(with_top_3(c, k), batch.levels, batch.missed)
            assert found.max() <= 1 + 1e-12

    def test_NCU_is_normalised_or_not(self) -> None:
        judged = [3, 1, 1]
        for stop in ("u", "gu", "rb", "r1", "rp", "to_rp"):
            for utility in ("P", "BR"):
                ncu = cf.NCU(stop=stop, utility=utility)
                assert ncu(judged, judged) == pytest.approx(1, abs=1e-12)
        assert cf.NCU(utility="IE")(judged, judged) < 1
        assert cf.NCU(stop="sat")(judged, judged) < 1

    def test_G_is_not_normalised_for_gains_below_1(self) -> None:
        """An item of the ideal list costs at least 1, as in trec_eval, which knows no others."""
        assert cf.G()([0.5], [0.5]) == pytest.approx(1 / np.log2(2 + 1 - 0.5))

    @each_measure
    def test_recall_independent(self, c: type[cf.Measure]) -> None:
        """More relevant items that were not found change nothing, or something."""
        batch = Batch(2)
        more = batch.rng.integers(1, 4, (ROWS, 3))
        changed = any(
            differs(
                batch.score(m, batch.levels, batch.missed),
                batch.score(m, batch.levels, batch.missed, more),
            )
            for m in (with_top_3(c, k) for k in CUTOFFS)
        )
        assert changed != ("recall-independent" in c.properties)

    @each_measure
    def test_diminishing_return(self, c: type[cf.Measure]) -> None:
        """A relevant item below all others never adds more, and sometimes less, after another.

        The items come from a pool of all levels, so that the ideal list stays as it is. The
        item put above is another document, so it has another length.
        """
        batch = Batch(3)
        rows, rng = np.arange(ROWS), batch.rng
        above = rng.integers(0, DEPTH - 1, ROWS)
        here = above + 1 + rng.integers(0, DEPTH, ROWS) % (DEPTH - 1 - above)
        below = np.arange(DEPTH) > here[:, None]
        without = np.where(below & (batch.levels > 0), 0.0, batch.levels)
        without[rows, above] = without[rows, here] = 0
        lengths = batch.lengths.copy()
        lengths[rows, above] = rng.integers(1, 3000, ROWS)
        levels = rng.integers(1, 4, (2, ROWS))
        pool = np.repeat([[0.0, 1.0, 2.0, 3.0]], DEPTH, axis=1)

        def gained(m: cf.Measure, before: Any, lengths: Any) -> Any:
            after = before.copy()
            after[rows, here] = levels[0]
            judged = np.repeat(pool, ROWS, axis=0)
            given = {"lengths": lengths} if m.length_unit else {}
            sign = -1 if m.better == "lower" else 1
            found = m(after, judged, **given) - m(before, judged, **given)
            return sign * (found if found.ndim == 2 else found[:, None])

        more = smaller = False
        found = without.copy()
        found[rows, above] = levels[1]
        for m in (with_top_3(c, k) for k in (None, 3, 6)):
            alone, after_another = (
                gained(m, without, batch.lengths), gained(m, found, lengths))  # fmt: skip
            more |= bool((after_another > alone + 1e-12).any())
            smaller |= bool((after_another < alone - 1e-12).any())
        assert (smaller and not more) == ("diminishing return" in c.properties)

    @each_measure
    def test_uses_lengths(self, c: type[cf.Measure]) -> None:
        assert bool(c.length_unit) == ("uses lengths" in c.properties)
        if c.length_unit:
            batch, m = Batch(), with_top_3(c)
            before = batch.score(m, batch.levels)
            batch.lengths += 100
            assert differs(before, batch.score(m, batch.levels))


# -- identities -------------------------------------------------------------------------------


def same(a: cf.Scores, b: cf.Scores) -> None:
    """Equal to the last bit."""
    assert a.topics == b.topics
    assert np.array_equal(a.values, b.values, equal_nan=True), np.abs(a.values - b.values).max()


class TestIdentities:
    @either
    @given(data=st.data())
    @few
    def test_condensed_is_removing_the_unjudged_by_hand(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject
    ) -> None:
        qrels, run = data.draw(collections(levels))
        by_hand = {t: {d: s for d, s in docs.items() if d in qrels[t]} for t, docs in run.items()}
        plain = [cf.NumRet @ 3, cf.Judged @ 3] + [m for m in measures if not m.condensed]
        condensed = [_condensed(m) for m in plain]
        expected = evaluate(qrels, by_hand, plain).values
        assert np.array_equal(evaluate(qrels, run, condensed).values, expected)
        for_all = evaluate(qrels, run, plain, condensed=True)
        assert for_all.measures == tuple(name for m in condensed for name in m.names())
        assert np.array_equal(for_all.values, expected)

    @either
    @given(data=st.data(), depth=st.integers(1, 15))
    @few
    def test_depth_is_cutting_by_hand(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject, depth: int
    ) -> None:
        qrels, run = data.draw(collections(levels))
        by_hand = {t: {d: docs[d] for d in order(docs)[:depth]} for t, docs in run.items()}
        names = [*measures, cf.NumRet(), cf.Judged()]
        same(evaluate(qrels, run, names, depth=depth), evaluate(qrels, by_hand, names))

    def test_depth_truncates_before_condensing(self) -> None:
        qrels, run = {"t": {"a": 1, "b": 1}}, {"t": ["x", "a", "y", "b"]}
        scores = cf.evaluate(qrels, run, "AP RR NumRet(condensed=true)", depth=2, condensed=True)
        assert scores.values.tolist() == [[[0.5, 1.0, 1.0]]]

    def test_cutoff_beyond_the_list_counts_missing_ranks_as_nonrelevant(self) -> None:
        scores = cf.evaluate({"t": {"a": 1, "b": 1}}, {"t": {"a": 1.0}}, "P@10 P AP@10")
        assert scores.values.tolist() == [[[0.1, 1.0, 0.5]]]

    def test_exclude_self(self, give: Give) -> None:
        qrels = {"a": {"a": 1, "b": 1, "c": 0}, "b": {"a": 1, "b": 0}}
        run = {"a": {"a": 9.0, "c": 8.0, "b": 7.0}, "b": {"a": 2.0, "b": 3.0, "c": 1.0}}
        by_hand = {t: {d: s for d, s in docs.items() if d != t} for t, docs in run.items()}
        names = ["AP", "nDCG", "P@2", "NumRet"]
        same(
            cf.evaluate(qrels, give(run), names, exclude_self=True),
            cf.evaluate(qrels, by_hand, names),
        )
        assert cf.evaluate(qrels, give(run), "NumRet").values.sum() == 6

    @pytest.mark.parametrize("others", [{}, {"b": {"x": 1.0}}], ids=["alone", "among others"])
    def test_exclude_self_may_leave_an_empty_list(self, give: Give, others: Lists) -> None:
        """The topic was answered, if only by itself: it is not missing."""
        qrels = {"a": {"a": 1, "b": 1}, "b": {"x": 1}}
        scores = cf.evaluate(qrels, give({"a": {"a": 1.0}, **others}), "NumRet", exclude_self=True)
        assert scores["r", "a", "NumRet"] == 0
        missing = [t for n in scores.notices if n.kind == "missing-topics" for t in n.topics]
        assert missing == ([] if others else ["b"])

    @either
    @given(data=st.data())
    @few
    def test_the_mean_does_not_depend_on_the_order_of_topics(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject
    ) -> None:
        qrels, run = data.draw(collections(levels))
        turned = dict(reversed(qrels.items()))
        a, b = evaluate(qrels, run, measures), evaluate(turned, run, measures)
        assert a.summary() == b.summary()
        assert b.topics == tuple(turned)

    def test_the_mean_of_many_topics_does_not_depend_on_their_order(self) -> None:
        rng = np.random.default_rng(5)
        qrels = {f"t{i}": {f"d{j}": 1 for j in range(1 + i % 7)} for i in range(300)}
        run = {t: {f"d{j}": rng.random() for j in range(12)} for t in qrels}
        expected = cf.evaluate(qrels, run, "AP nDCG@5 RBP").summary()
        for _ in range(5):
            shuffled = {t: qrels[t] for t in rng.permutation(list(qrels))}
            assert cf.evaluate(shuffled, run, "AP nDCG@5 RBP").summary() == expected

    @either
    @given(data=st.data())
    @few
    def test_other_topics_change_nothing(
        self, measures: list[cf.Measure], levels: Levels, data: st.DataObject
    ) -> None:
        (qrels, run), (other_qrels, other_run) = (data.draw(collections(levels)) for _ in range(2))
        top = max(x for docs in qrels.values() for x in docs.values())
        others = {
            f"o{t}": {d: min(x, top) for d, x in docs.items()} for t, docs in other_qrels.items()
        }
        each = [m for m in measures if not isinstance(m, cf.GAP)]  # see test_blocks_of_other_levels
        both = evaluate({**others, **qrels}, {**run, **_renamed(other_run, "o")}, each)
        alone = evaluate(qrels, run, each)
        assert np.array_equal(both.values[:, len(others) :], alone.values)


def _condensed(m: cf.Measure) -> cf.Measure:
    values = {f.name: getattr(m, f.name) for f in m.parameters()} | {"condensed": True}
    return type(m)(**values, cutoff=m.cutoff, measurement=m.measurement)


def _renamed(run: Lists, prefix: str) -> Lists:
    return {prefix + topic: docs for topic, docs in run.items()}


# -- the same bits, wherever the data come from -----------------------------------------------


def trec(run: Lists, tag: str = "r") -> str:
    return "".join(
        f"{t} Q0 {d} {i} {docs[d]!r} {tag}\n"
        for t, docs in run.items()
        for i, d in enumerate(order(docs), 1)
    )


def frame_of(run: Lists, value: str = "score") -> pl.DataFrame:
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    schema = {"topic": pl.String, "doc": pl.String, value: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes files be read in pieces of so many bytes."""
    return lambda size: monkeypatch.setattr(Source.pieces, "__defaults__", (size,))


Give = Callable[[Lists], dict[str, Any]]


@pytest.fixture(params=["mapping", "frame", "file", "file in pieces"])
def give(request: pytest.FixtureRequest, tmp_path: Path, pieces: Callable[[int], None]) -> Give:
    """Takes lists to where runs come from."""

    def file(run: Lists) -> Path:
        path = tmp_path / "r.txt"
        path.write_text(trec(run), encoding="utf-8")
        return path

    if request.param == "file in pieces":
        pieces(40)
    how: dict[str, Callable[[Lists], Any]] = {"mapping": dict, "frame": frame_of}
    return lambda run: {"r": how.get(request.param, file)(run)}


def collection(seed: int, n_topics: int, depth: int) -> tuple[Lists, Lists]:
    """Ties, unjudged documents, fractional and negative levels, missing and unjudged topics."""
    rng = np.random.default_rng(seed)
    docs = [f"doc-{i}" for i in range(3 * depth)] + ["é", "中文", "😀", "\uff61", "Z", "a"]
    names = [f"{2000 + i // 3}-{i}" for i in range(n_topics + 2)]
    qrels: Lists = {}
    run: Lists = {}
    for i, name in enumerate(names):
        if i != n_topics:  # the last but one is not judged
            levels = rng.choice([-1, 0, 0, 0, 0.5, 1, 2, 3], size=3 + 5 * i % (2 * depth))
            qrels[name] = {
                str(d): float(x)
                for d, x in zip(rng.choice(docs, len(levels), replace=False), levels, strict=True)
            }
        if i != 1:  # the second is not answered
            chosen = rng.choice(docs, 1 + (7 * i) % depth, replace=False)
            scores = np.round(rng.normal(size=len(chosen)), 1 + i % 3) * 1e3 ** (i % 2)
            run[name] = {str(d): float(s) for d, s in zip(chosen, scores, strict=True)}
    return qrels, run


QRELS, RUN = collection(seed=1, n_topics=24, depth=30)
NAMES = [*EACH, *(c() for c in BUILT_IN.values() if not c.effectiveness)]
NAMES += [m for m in EACH_MODEL[::7] if type(m).__name__ not in UNIT_GAINS]  # see TestUserModels
EXPECTED = evaluate(QRELS, {"r": RUN}, NAMES)


def notices_of(scores: cf.Scores) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(n.kind, n.text, tuple(sorted(n.topics))) for n in scores.notices]


def identical(scores: cf.Scores) -> None:
    same(scores, EXPECTED)
    assert scores.runs == ("r",)
    assert scores.summary() == EXPECTED.summary()


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.txt"
    path.write_text(trec(RUN), encoding="utf-8")
    return path


@pytest.fixture
def qrels_file(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    lines = [f"{t} 0 {d} {x!r}\n" for t, docs in QRELS.items() for d, x in docs.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


class TestSameBits:
    def test_there_is_something_to_compare(self) -> None:
        assert len(EXPECTED.topics) == 25
        assert 0.02 < float(np.mean(EXPECTED.values[0, :, 0])) < 0.98
        kinds = [n.kind for n in EXPECTED.notices]
        assert {"ties", "missing-topics", "unjudged-topics", "max-level"} <= set(kinds)

    def test_frame(self) -> None:
        identical(evaluate(QRELS, {"r": frame_of(RUN)}, NAMES))
        identical(evaluate(QRELS, {"r": frame_of(RUN).lazy()}, NAMES))

    def test_frame_of_judgments(self) -> None:
        judged = frame_of(QRELS, "level")
        identical(evaluate(judged, {"r": RUN}, NAMES))
        identical(evaluate(judged, {"r": frame_of(RUN)}, NAMES))

    def test_files(self, run_file: Path, qrels_file: Path) -> None:
        identical(evaluate(cf.read_qrels(qrels_file), cf.read_run(run_file), NAMES))

    def test_notices_are_the_same_too(self, give: Give, qrels_file: Path) -> None:
        scores = evaluate(qrels_file, give(RUN), NAMES)
        identical(scores)
        assert notices_of(scores) == notices_of(EXPECTED)

    def test_paths(self, run_file: Path, qrels_file: Path) -> None:
        identical(evaluate(qrels_file, run_file, NAMES))
        identical(evaluate(str(qrels_file), [str(run_file)], NAMES))

    @pytest.mark.parametrize("cells", [1, 7, 100, 10**9])
    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_blocks_and_threads(self, cells: int, threads: int) -> None:
        identical(evaluate(QRELS, {"r": RUN}, NAMES, block_cells=cells, threads=threads))

    def test_blocks_of_other_levels(self) -> None:
        """Levels that only other topics of a block have do not change how GAP is added up."""
        rng = np.random.default_rng(0)
        qrels = {
            f"t{t}": {d: float(rng.choice([0, 0.3, 1, 2, 3] if t % 2 else [0, 1, 3])) for d in DOCS}
            for t in range(40)
        }
        run = {t: {d: rng.random() for d in DOCS} for t in qrels}
        names = "GAP GAP(thresholds=level) GAP@5"
        same(*(evaluate(qrels, run, names, block_cells=cells) for cells in (1, 10**9)))

    def test_blocks_of_other_lengths(self) -> None:
        """What is above a document is added up within its list."""
        rng = np.random.default_rng(0)
        lengths = {d: 1000 * rng.random() for d in DOCS} | {"long": 1e20}
        qrels = {f"t{t}": dict.fromkeys([*DOCS[::2], "long"], 1.0) for t in range(20)}
        run = {t: {d: rng.random() for d in DOCS} for t in qrels}
        run["t3"] = {"long": 1.0, **run["t3"]}
        given = {"lengths": {"words": lengths, "characters": lengths}}
        same(*(cf.evaluate(qrels, run, "TBG U", block_cells=c, **given) for c in (1, 10**9)))

    def test_repeated_calls(self, run_file: Path) -> None:
        ev = cf.Evaluator(QRELS, NAMES, lengths=LENGTHS)
        stream = cf.read_run(run_file)
        for _ in range(3):
            identical(ev({"r": RUN}))
            identical(ev(stream))

    @pytest.mark.parametrize("size", [1, 64, 1000])
    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_pieces(
        self, run_file: Path, pieces: Callable[[int], None], size: int, threads: int
    ) -> None:
        pieces(size)
        run = cf.read_run(run_file)
        identical(evaluate(QRELS, run, NAMES, threads=threads))

    @pytest.mark.parametrize("size", [1, 64])
    def test_pieces_of_judgments(
        self, qrels_file: Path, pieces: Callable[[int], None], size: int
    ) -> None:
        pieces(size)
        identical(evaluate(cf.read_qrels(qrels_file), {"r": RUN}, NAMES))

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("size", [64, 1 << 20])
    def test_shuffled_lines(
        self, tmp_path: Path, pieces: Callable[[int], None], seed: int, size: int
    ) -> None:
        """Topics interleaved, in any order, also where they span pieces."""
        lines = np.random.default_rng(seed).permutation(trec(RUN).splitlines(keepends=True))
        path = tmp_path / "shuffled.txt"
        path.write_text("".join(lines), encoding="utf-8")
        pieces(size)
        scores = evaluate(QRELS, path, NAMES)
        identical(scores)
        assert notices_of(scores) == notices_of(EXPECTED)

    def test_shuffled_within_topics(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(3)
        mixed = {
            t: {str(d): docs[d] for d in rng.permutation(list(docs))} for t, docs in RUN.items()
        }
        identical(evaluate(QRELS, {"r": mixed}, NAMES))
        identical(evaluate(QRELS, {"r": frame_of(mixed)}, NAMES))

    def test_shuffled_judgments(self, qrels_file: Path) -> None:
        lines = qrels_file.read_text(encoding="utf-8").splitlines(keepends=True)
        lines = np.random.default_rng(4).permutation(lines).tolist()
        qrels_file.write_text("".join(lines), encoding="utf-8")
        scores = evaluate(qrels_file, {"r": RUN}, NAMES)
        assert scores.summary() == EXPECTED.summary()
        identical(scores.select(topics=list(EXPECTED.topics)))

    def test_other_runs_beside_it(self) -> None:
        other = {t: dict.fromkeys(docs, 1.0) for t, docs in QRELS.items()}
        identical(evaluate(QRELS, {"other": other, "r": RUN}, NAMES).select(runs="r"))

    def test_other_measures_beside_it(self) -> None:
        scores = evaluate(QRELS, {"r": RUN}, EVERY)
        for name in EXPECTED.measures:
            if name in scores.measures:
                same(scores.select(measures=name), EXPECTED.select(measures=name))

    @given(drawn=collections(), size=st.integers(1, 120), threads=st.integers(1, 3), data=st.data())
    @settings(max_examples=60, deadline=None)
    def test_any_collection(
        self,
        scratch: Path,
        drawn: tuple[Lists, Lists],
        size: int,
        threads: int,
        data: st.DataObject,
    ) -> None:
        """A file of any lists, in any order, cut anywhere, is the mapping of the same lists."""
        qrels, run = drawn
        lines = trec({t: docs for t, docs in run.items() if docs}).splitlines(keepends=True)
        assume(lines)
        expected = evaluate(qrels, {"r": {t: d for t, d in run.items() if d}}, NAMES)
        if data.draw(st.booleans()):
            lines = data.draw(st.permutations(lines))
        path = scratch / "any.txt"
        path.write_text("".join(lines), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Source.pieces, "__defaults__", (size,))
            scores = evaluate(qrels, path, NAMES, threads=threads)
        same(scores, expected)
        assert notices_of(scores) == notices_of(expected)


UNIT_QRELS = {t: {d: x / 3 for d, x in docs.items()} for t, docs in QRELS.items()}
COSTS = {t: {d: 0.5 + len(d) + i % 3 for i, d in enumerate(docs)} for t, docs in RUN.items()}


def modelled(qrels: Any, run: Any, costs: Any, **options: Any) -> cf.Scores:
    return cf.evaluate(qrels, run, EACH_MODEL, costs=costs, residuals=True, **options)


@pytest.fixture(scope="module")
def expected() -> cf.Scores:
    return modelled(UNIT_QRELS, {"r": RUN}, COSTS)


class TestUserModels:
    """The same, for all that every user model measures: gains from 0 to 1, costs, residuals."""

    def test_there_is_something_to_compare(self, expected: cf.Scores) -> None:
        assert np.isfinite(expected.values).all()
        of_one = [f"{m}{bound}" for m in map(str, EACH_MODEL) if "INST" in m
                  for bound in ("", ".lower", ".upper")]  # fmt: skip
        assert len(of_one) == 15
        assert (expected.select(measures=of_one).values.std(axis=1) > 0).all()

    @pytest.mark.parametrize("names", [
        ("INST(gain=unit, max_level=3, n=20)", "INST(gain=unit, max_level=6, n=20)"),
        ("NCU(stop=sat, max_level=3, n=20).ED", "NCU(stop=sat, max_level=6, n=20).ED"),
        ("NCU(n=4).ED", "NCU(n=20)@4.ED", "NCU(n=20).ED"),
        ("NPV(n=4).ED", "NPV@4.ED", "NPV(n=4, totals=W).ETC", "NPV(n=4, condensed=true).EU"),
        ("BPM(rel=2, n=4)", "BPM(gain=exp, n=4)", "BPM(n=4, min_gain=0.5)", "BPM(n=4, max_cost=2)"),
    ], ids=lambda names: names[0])  # fmt: skip
    def test_other_models_beside_it(self, names: tuple[str, ...]) -> None:
        """What models share is what they see alike."""
        alone = [evaluate(QRELS, RUN, name).values[0, :, 0] for name in names]
        for these in (names, names[::-1]):
            among = evaluate(QRELS, RUN, these)
            for name, expected in zip(names, alone, strict=True):
                assert np.array_equal(among.select(measures=name).values[0, :, 0], expected)

    @pytest.mark.parametrize("options", [
        {"block_cells": 1, "threads": 1}, {"block_cells": 1, "threads": 3},
        {"block_cells": 100, "threads": 2}, {"block_cells": 10**9},
    ], ids=str)  # fmt: skip
    def test_blocks_and_threads(self, expected: cf.Scores, options: dict[str, int]) -> None:
        same(modelled(UNIT_QRELS, {"r": RUN}, COSTS, **options), expected)

    def test_one_topic_at_a_time(self, expected: cf.Scores) -> None:
        top = max(x for docs in UNIT_QRELS.values() for x in docs.values())
        for t, topic in enumerate(expected.topics):
            highest = {"top": {"x": top}}  # residuals take it for the best there is
            alone = modelled({topic: UNIT_QRELS[topic], **highest}, RUN, COSTS)
            assert np.array_equal(alone.values[0, 0], expected.values[0, t])

    def test_frames(self, expected: cf.Scores) -> None:
        qrels, costs = frame_of(UNIT_QRELS, "level"), frame_of(COSTS, "cost")
        same(modelled(qrels, {"r": frame_of(RUN)}, costs), expected)

    @pytest.mark.parametrize("size", [64, 1 << 20])
    def test_files(
        self, expected: cf.Scores, tmp_path: Path, pieces: Callable[[int], None], size: int
    ) -> None:
        files = [tmp_path / name for name in ("qrels", "run", "costs")]
        rows = [(t, d, x) for t, docs in UNIT_QRELS.items() for d, x in docs.items()]
        files[0].write_text("".join(f"{t} 0 {d} {x!r}\n" for t, d, x in rows), encoding="utf-8")
        files[1].write_text(trec(RUN), encoding="utf-8")
        rows = [(t, d, x) for t, docs in COSTS.items() for d, x in docs.items()]
        files[2].write_text("".join(f"{t} {d} {x!r}\n" for t, d, x in rows), encoding="utf-8")
        pieces(size)
        found = modelled(*files)
        same(found, expected)
        assert found.measures == expected.measures

    def test_in_the_order_of_documents(self, expected: cf.Scores) -> None:
        """A list says as much as scores do, and a cost stays with its document."""
        lists = {t: order(docs) for t, docs in RUN.items()}
        same(modelled(UNIT_QRELS, {"r": lists}, COSTS), expected)

    @given(data=st.data(), depth=st.integers(1, 15))
    @few
    def test_condensed_and_cut_by_hand(self, data: st.DataObject, depth: int) -> None:
        """Documents that are left out take their costs with them."""
        qrels, run = data.draw(collections(UNIT))
        costs = {t: {d: 0.5 + i % 4 for i, d in enumerate(DOCS)} for t in run}
        cut = {t: order(docs)[:depth] for t, docs in run.items()}
        same(modelled(qrels, run, costs, depth=depth), modelled(qrels, cut, costs))
        judged = {t: [d for d in docs if d in qrels[t]] for t, docs in cut.items()}
        condensed = modelled(qrels, cut, costs, condensed=True)
        assert np.array_equal(condensed.values, modelled(qrels, judged, costs).values)


# -- order ------------------------------------------------------------------------------------

LETTERS = "aZé0~Ωß中ｱ😀\ue000\u0301"  # UTF-16 sorts 😀 before \ue000 and ｱ; UTF-8 does not
IDS = st.text(LETTERS, min_size=1, max_size=3)


def ranks_of(run: Any, docs: list[str], **options: Any) -> dict[str, int]:
    """The rank a run gives each document: that at which it is found if nothing else is judged."""
    qrels = {f"{i}": {d: 1} for i, d in enumerate(docs)}
    scores = cf.evaluate(qrels, run, "RR", **options)
    return {d: round(1 / scores.values[0, i, 0]) for i, d in enumerate(docs)}


def repeated(ranked: Any, n: int) -> dict[str, Any]:
    return {f"{i}": ranked for i in range(n)}


class TestOrder:
    @given(st.dictionaries(IDS, st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e-9]), min_size=1))
    @example({"😀": 0.0, "\ue000": 0.0, "ｱ": 0.0, "é": 0.0, "e\u0301": 0.0})
    @few
    def test_score_then_document_id_both_descending(self, ranked: dict[str, float]) -> None:
        docs = sorted(ranked, key=lambda d: (ranked[d] + 0.0, d.encode()), reverse=True)
        assert docs == sorted(ranked, key=lambda d: (ranked[d] + 0.0, d), reverse=True)
        expected = {d: i for i, d in enumerate(docs, 1)}
        run = repeated(ranked, len(docs))
        assert ranks_of(run, docs) == expected
        assert ranks_of(run, docs, ties="trec") == expected
        assert ranks_of(frame_of(run), docs) == expected

    def test_ties_wherever_they_come_from(self, give: Give) -> None:
        docs = [
            "😀",
            "ｱ",
            "\ue000",
            "中",
            "é",
            "a",
            "Z",
            "10",
            "1",
            "a" * 20,
            "a" * 8,
            "a\0",
            "a" * 9,
        ]
        ranked = sorted(docs, key=str.encode, reverse=True)
        run = give(repeated(dict.fromkeys(docs, 0.5), len(docs)))
        assert ranks_of(run, docs) == {d: i for i, d in enumerate(ranked, 1)}

    @given(st.lists(IDS, unique=True, min_size=1, max_size=8))
    @few
    def test_given(self, docs: list[str]) -> None:
        expected = {d: i for i, d in enumerate(docs, 1)}
        lists = repeated(docs, len(docs))
        scored = repeated({d: float(i) for i, d in enumerate(docs)}, len(docs))
        assert ranks_of(lists, docs) == expected
        assert ranks_of(lists, docs, ties="given") == expected
        assert ranks_of(scored, docs, ties="given") == expected
        assert ranks_of(frame_of(scored), docs, ties="given") == expected
        assert ranks_of(frame_of(scored).drop("score"), docs) == expected

    @pytest.mark.parametrize("size", [40, 1 << 20])
    @pytest.mark.parametrize(
        ("ties", "expected"),
        [("trec", "bcda"), (None, "bcda"), ("rank", "cdab"), ("given", "abcd")],
    )
    def test_orders_of_a_file(
        self, tmp_path: Path, pieces: Callable[[int], None], size: int, ties: Any, expected: str
    ) -> None:
        """trec: by score; rank: by the rank column, ties by id; given: as in the file."""
        path = tmp_path / "r.txt"
        path.write_text(
            "".join(
                f"{i} Q0 a 2 0.1 r\n{i} Q0 b 3 0.9 r\n{i} Q0 c 1 0.5 r\n{i} Q0 d 2 0.2 r\n"
                for i in range(4)
            )
        )
        pieces(size)
        ranks = {d: i for i, d in enumerate(expected, 1)}
        assert ranks_of(cf.read_run(path, ties=ties), list("abcd")) == ranks
        assert ranks_of(path, list("abcd"), ties=ties) == ranks

    @given(
        lines=st.lists(
            st.tuples(
                st.sampled_from("ab"),
                st.text("xyzé", min_size=1, max_size=12),
                st.sampled_from(["1", "2", "03", "10", "+4", "1.5", "1e1", "-2", "9" * 20, "0"]),
                st.sampled_from(["0", "1", "0.5", "-3", "1e-3", "2.25", "00.5"]),
            ),
            min_size=1,
            max_size=12,
            unique_by=lambda line: line[:2],
        ),
        ties=st.sampled_from(["trec", "rank", "given"]),
        size=st.sampled_from([1, 30, 1 << 20]),
        excluded=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_any_order_of_any_file(
        self,
        scratch: Path,
        lines: list[tuple[str, str, str, str]],
        ties: Any,
        size: int,
        excluded: bool,
    ) -> None:
        """Each document is ranked where the simplest possible sort puts it."""
        path = scratch / "order.txt"
        path.write_text(
            "".join(f"{t} Q0 {d} {r} {s} tag\n" for t, d, r, s in lines), encoding="utf-8"
        )
        keys: dict[str, Callable[[tuple[str, str, str, str]], Any]] = {
            "trec": lambda line: (float(line[3]), line[1].encode()),
            "rank": lambda line: (-float(line[2]), line[1].encode()),
            "given": lambda line: -lines.index(line),
        }
        for topic, doc, *_ in {lines[0], lines[-1]}:
            ranked = sorted((x for x in lines if x[0] == topic), key=keys[ties], reverse=True)
            expected = 1 / (1 + [x[1] for x in ranked].index(doc))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Source.pieces, "__defaults__", (size,))
                got = cf.evaluate({topic: {doc: 1}}, path, "RR", ties=ties, exclude_self=excluded)
            assert got.values.item() == expected

    @pytest.mark.parametrize("size", [20, 1 << 20])
    def test_given_with_interleaved_topics(
        self, tmp_path: Path, pieces: Callable[[int], None], size: int
    ) -> None:
        path = tmp_path / "r.txt"
        path.write_text("".join(f"{i} Q0 {d} 0 0 r\n" for d in "cab" for i in (2, 0, 1)))
        pieces(size)
        assert ranks_of(path, ["a", "b", "c"], ties="given") == {"c": 1, "a": 2, "b": 3}

    @pytest.mark.parametrize("rank", ["x", "nan", "inf", "-"])
    def test_ties_rank_needs_numbers(self, tmp_path: Path, rank: str) -> None:
        path = tmp_path / "r.txt"
        path.write_text(f"0 Q0 a 1 0.1 r\n0 Q0 b {rank} 0.9 r\n")
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, path, "RR", ties="rank")

    def test_ties_rank_needs_ranks(self) -> None:
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, {"0": {"a": 1.0}}, ties="rank")
        with pytest.raises(cf.CranfieldError, match="rank"):
            cf.evaluate({"0": {"a": 1}}, frame_of({"0": {"a": 1.0}}), ties="rank")

    def test_ties_trec_needs_scores(self) -> None:
        with pytest.raises(cf.CranfieldError, match="scores"):
            cf.evaluate({"0": {"a": 1}}, {"0": ["a"]}, ties="trec")
        with pytest.raises(cf.CranfieldError, match="scores"):
            cf.evaluate({"0": {"a": 1}}, frame_of({"0": {"a": 1.0}}).drop("score"), ties="trec")

    @pytest.mark.parametrize("format", ["csv", "jsonl", "frame"])
    def test_orders_of_a_table(self, tmp_path: Path, format: str) -> None:
        """With ranks and scores the scores decide, with ranks alone the ranks."""
        table = pl.DataFrame(
            {"topic": ["t"] * 3, "doc": ["a", "b", "c"], "rank": [3, 1, 2], "score": [0.5, 1, 2]}
        )

        def first(table: pl.DataFrame, **options: Any) -> str:
            path = tmp_path / f"r.{format}"
            if format == "csv":
                table.write_csv(path)
            elif format == "jsonl":
                table.write_ndjson(path)
            data = table if format == "frame" else path
            scores = [cf.evaluate({"t": {d: 1}}, data, "P@1", **options) for d in "abc"]
            return "abc"[[s.values.item() for s in scores].index(1.0)]

        assert first(table) == "c"
        assert first(table, ties="trec") == "c"
        assert first(table, ties="rank") == "b"
        assert first(table, ties="given") == "a"
        assert first(table.drop("score")) == "b"
        assert first(table.drop("score"), ties="given") == "a"
        assert first(table.drop("score", "rank")) == "a"
        with pytest.raises(cf.CranfieldError, match="score"):
            first(table.drop("score"), ties="trec")
        with pytest.raises(cf.CranfieldError, match="rank"):
            first(table.drop("rank"), ties="rank")

    def test_a_run_already_read_keeps_its_order(self) -> None:
        qrels, run = {"t": {"a": 1}}, cf.read_run({"t": {"a": 1.0, "b": 2.0}}, name="r")
        assert cf.evaluate(qrels, run, "RR").values.item() == 0.5
        assert cf.evaluate(qrels, run, "RR", ties="given").values.item() == 1.0
        with pytest.raises(cf.CranfieldError, match="ties=rank"):
            cf.evaluate(qrels, run, "RR", ties="rank")

    def test_unknown_ties(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found ties='random'"):
            cf.evaluate({"0": {"a": 1}}, {"0": {"a": 1.0}}, ties="random")


# -- topics and what is undefined -------------------------------------------------------------

HOLES: Lists = {"a": {"x": 1}, "b": {"x": 0}, "c": {"y": 2, "x": 0}}
HOLES_RUN: Lists = {"a": {"x": 1.0}, "b": {"x": 1.0}, "z": {"x": 1.0}}


class TestUndefined:
    def test_zero(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet")
        assert scores.values[0, :, 0].tolist() == [1.0, 0.0, 0.0]
        assert scores.summary()["run"] == {"AP": 1 / 3, "NumRet": 2.0}

    def test_nan(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet Judged", undefined="nan")
        assert np.isnan(scores["run", "b", "AP"])
        assert scores["run", "c", "AP"] == 0.0  # not answered, but there was something to find
        assert math.isnan(scores.summary()["run"]["AP"])
        assert scores.summary()["run"]["NumRet"] == 2.0
        assert scores["run", "b", "Judged"] == 1.0

    def test_skip(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP NumRet", undefined="skip")
        assert scores.summary()["run"] == {"AP": 0.5, "NumRet": 2.0}
        assert "AP" not in scores.to_dict()["run"]["b"]

    def test_error(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"no relevant document for 1 topic \(b\)"):
            cf.evaluate(HOLES, HOLES_RUN, "AP", undefined="error")
        judged = {"a": HOLES["a"], "c": HOLES["c"]}
        assert cf.evaluate(judged, HOLES_RUN, "AP", undefined="error").summary()["run"]["AP"] == 0.5

    def test_error_concerns_effectiveness_only(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "NumRet Judged", undefined="error")
        assert scores.summary()["run"]["NumRet"] == 2.0

    def test_error_concerns_topics_that_count_only(self) -> None:
        run = {"a": {"x": 1.0}, "c": {"x": 1.0}}
        scores = cf.evaluate(HOLES, run, "AP", topics="common", undefined="error")
        assert scores.topics == ("a", "c")

    def test_follows_the_threshold_of_each_measure(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP AP(rel=2) nDCG(gain=0:1)", undefined="nan")
        undefined = np.isnan(scores.values[0]).tolist()
        assert undefined == [[False, True, True], [True, True, True], [False, False, False]]

    @pytest.mark.parametrize("undefined", ["zero", "nan", "skip"])
    def test_is_noticed(self, undefined: Any) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP", undefined=undefined)
        (notice,) = [n for n in scores.notices if n.kind == "no-relevant"]
        assert notice.topics == ("b",)
        assert "1 topic (b)" in notice.text

    @pytest.mark.parametrize("options", [{}, {"undefined": "skip"}])
    def test_is_noticed_under_a_threshold(self, options: dict[str, Any]) -> None:
        """No document of topic a reaches level 2: as far as the measure goes, none is relevant."""
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP(rel=2)", **options)
        named = [t for n in scores.notices if n.kind == "no-relevant" for t in n.topics]
        assert named == ["a", "b"]

    def test_unknown(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found undefined='drop'"):
            cf.evaluate(HOLES, HOLES_RUN, undefined="drop")  # type: ignore[arg-type]


class TestTopics:
    def test_judged(self) -> None:
        scores = cf.evaluate(HOLES, HOLES_RUN, "AP")
        assert scores.topics == ("a", "b", "c")

    def test_common(self) -> None:
        runs = {"one": HOLES_RUN, "two": {"c": {"y": 1.0}, "a": {"w": 1.0}}}
        scores = cf.evaluate(HOLES, runs, "AP", topics="common")
        assert scores.topics == ("a",)
        assert scores.values.tolist() == [[[1.0]], [[0.0]]]
        alone = cf.evaluate(HOLES, HOLES_RUN, "AP", topics="common")
        assert alone.topics == ("a", "b")

    def test_an_empty_list_is_an_answer(self) -> None:
        scores = cf.evaluate(HOLES, {"a": {}, "b": {"x": 1.0}}, "AP", topics="common")
        assert scores.topics == ("a", "b")

    def test_nothing_in_common(self) -> None:
        with pytest.raises(
            cf.CranfieldError, match=r"no judged topic in run, .* 3 topics \(a, b, c"
        ):
            cf.evaluate(HOLES, {"z": {"x": 1.0}}, "AP", topics="common")
        both = {"r1": {"a": {"x": 1.0}}, "r2": {"b": {"x": 1.0}}}
        with pytest.raises(cf.CranfieldError, match="no judged topic that every run answers"):
            cf.evaluate(HOLES, both, "AP", topics="common")

    def test_unknown(self) -> None:
        with pytest.raises(
            cf.CranfieldError, match="found topic 'all', expected one of the judgments' 3"
        ):
            cf.evaluate(HOLES, HOLES_RUN, topics="all")

    def test_a_run_with_none_of_the_topics_scores_zero(self) -> None:
        scores = cf.evaluate(HOLES, {"z": {"x": 1.0}}, "AP P@5 NumRet")
        assert not scores.values.any()


# -- notices ----------------------------------------------------------------------------------


def kinds(scores: cf.Scores) -> list[str]:
    return [n.kind for n in scores.notices]


def the(scores: cf.Scores, kind: str) -> cf.Notice:
    (found,) = [n for n in scores.notices if n.kind == kind]
    return found


class TestNotices:
    def test_none_where_all_is_well(self) -> None:
        assert cf.evaluate({"a": {"x": 1}}, {"a": {"x": 1.0}}, "AP nDCG@5").notices == ()

    def test_missing_topics(self) -> None:
        notice = the(cf.evaluate(HOLES, HOLES_RUN, "AP"), "missing-topics")
        assert (notice.run, notice.topics) == ("run", ("c",))
        assert notice.text.startswith("run: 1 topic (c) not answered")
        assert "empty" in notice.text
        common = the(cf.evaluate(HOLES, HOLES_RUN, "AP", topics="common"), "missing-topics")
        assert "left out" in common.text

    def test_unjudged_topics(self) -> None:
        notice = the(cf.evaluate(HOLES, HOLES_RUN, "AP"), "unjudged-topics")
        assert notice.topics == ("z",)
        assert notice.text.startswith("run: 1 topic (z) without judgments")

    def test_only_a_few_topics_are_named(self) -> None:
        qrels = {f"t{i}": {"x": 1} for i in range(9)}
        notice = the(cf.evaluate(qrels, {"t0": {"x": 1.0}}, "AP"), "missing-topics")
        assert "8 topics (t1, t2, t3, t4, t5, …)" in notice.text
        assert len(notice.topics) == 8

    def test_ties_that_matter(self, give: Give) -> None:
        qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}}
        run = {"a": {"x": 1.0, "y": 1.0, "z": 0.5}, "b": {"u": 1.0, "x": 1.0, "v": 1.0, "w": 2.0}}
        notice = the(cf.evaluate(qrels, give(run), "AP"), "ties")
        assert notice.topics == ("a", "b")
        assert "5 of 5 tied documents" in notice.text

    @pytest.mark.parametrize(
        ("judged", "ranked"),
        [
            ({"x": 1, "y": 1}, {"x": 1.0, "y": 1.0}),
            ({"x": 1, "y": 0, "z": -1}, {"x": 2.0, "y": 1.0, "z": 1.0, "u": 1.0}),
            ({"x": 1}, {"x": 2.0, "u": 1.0, "v": 1.0}),
        ],
        ids=["all of one level", "none relevant", "none judged"],
    )
    def test_ties_that_do_not(
        self, give: Give, judged: dict[str, float], ranked: dict[str, float]
    ) -> None:
        assert "ties" not in kinds(cf.evaluate({"a": judged}, give({"a": ranked}), "AP"))

    @given(collections())
    @few
    def test_ties_that_are_not_reported_change_nothing(self, drawn: tuple[Lists, Lists]) -> None:
        qrels, run = drawn
        measures = [m for m in EACH if getattr(m, "rel", None) != 0.0 and not m.length_unit]
        scores = evaluate(qrels, run, measures)
        reported = {t for n in scores.notices if n.kind == "ties" for t in n.topics}
        turned = {
            t: sorted(docs, key=lambda d, docs=docs: (-docs[d], d.encode()))  # type: ignore[misc]
            for t, docs in run.items()
        }
        other = evaluate(qrels, turned, measures)
        for t, topic in enumerate(scores.topics):
            if topic not in reported:
                assert np.array_equal(other.values[0, t], scores.values[0, t]), topic

    def test_ties_of_documents_of_different_lengths(self) -> None:
        """Documents of one level, but not of one length: their order changes TBG."""
        qrels, run = {"a": {"x": 1, "y": 1}}, {"a": {"x": 1.0, "y": 1.0}}
        turned, lengths = {"a": {"x": 2.0, "y": 1.0}}, {"x": 10.0, "y": 1000.0}
        scores = cf.evaluate(qrels, run, "TBG", lengths=lengths)
        assert scores.values != cf.evaluate(qrels, turned, "TBG", lengths=lengths).values
        assert "ties" in kinds(scores)

    def test_ties_below_every_cutoff_are_not_reported(self) -> None:
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"z": 2.0, "x": 1.0, "y": 1.0}}
        assert "ties" not in kinds(cf.evaluate(qrels, run, "P@1"))
        assert "ties" in kinds(cf.evaluate(qrels, run, "P@2"))
        assert "ties" in kinds(cf.evaluate(qrels, run, "P@1 AP"))

    def test_ties_above_a_cutoff_of_the_condensed_list(self) -> None:
        """The unjudged z is left out, so that the tie is about rank 1."""
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"z": 2.0, "x": 1.0, "y": 1.0}}
        better = {"a": {"z": 2.0, "x": 1.1, "y": 1.0}}
        names = "P(condensed=true)@1"
        assert cf.evaluate(qrels, run, names).values != cf.evaluate(qrels, better, names).values
        assert "ties" in kinds(cf.evaluate(qrels, run, names))

    def test_ties_across_the_depth(self) -> None:
        """y stands before x by its name only: with a depth of 1, the tie decides everything."""
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"x": 1.0, "y": 1.0}}
        assert "ties" in kinds(cf.evaluate(qrels, run, "AP", depth=1))

    def test_unjudged_at_the_cutoff(self) -> None:
        qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x", "u"], "b": ["v", "w", "y"]}
        notice = the(cf.evaluate(qrels, run, "P@2 nDCG@10"), "unjudged")
        assert "3 of 4 documents in the top 2 are unjudged" in notice.text
        assert "unjudged" not in kinds(cf.evaluate(qrels, run, "AP"))
        assert "unjudged" not in kinds(cf.evaluate(qrels, run, "P@2", condensed=True))
        assert "unjudged" not in kinds(cf.evaluate(qrels, {"a": ["x", "u"]}, "P@1"))

    @pytest.mark.parametrize(
        "text", ["ERR", "ERR(prob=linear)@5", "RBP", "RBP(gain=exp)", "ERR(gain=binary)"]
    )
    def test_max_level_is_said_where_nobody_declared_it(self, text: str) -> None:
        qrels = {"a": {"x": 1, "y": 3}}
        notice = the(cf.evaluate(qrels, {"a": ["x"]}, ["AP", text]), "max-level")
        assert "the highest level is 3" in notice.text
        assert text in notice.text
        low = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, text)
        high = cf.evaluate(qrels, {"a": ["x"]}, text)
        assert low.values != high.values, "the highest level matters"

    @pytest.mark.parametrize(
        "text",
        ["ERR(max_level=3)", "ERR(gain=1:2:3)", "RBP(rel=1)", "RBP(gain=binary)", "AP", "nDCG"],
    )
    def test_max_level_is_not_said_where_it_does_not_matter(self, text: str) -> None:
        qrels = {"a": {"x": 1, "y": 3}}
        assert "max-level" not in kinds(cf.evaluate(qrels, {"a": ["x"]}, text))

    def test_max_level_is_that_of_the_whole_collection(self) -> None:
        qrels = {"a": {"x": 1}, "b": {"y": 4}}
        scores = cf.evaluate(qrels, {"a": ["x"]}, "ERR RBP(p=0.5)")
        assert scores.values[0, 0].tolist() == [1 / 16, 0.125]

    @pytest.mark.parametrize("size", [20, 1 << 20])
    @pytest.mark.parametrize(
        ("text", "topics"),
        {
            "one of two": ("a Q x 1 1 r\na Q y 2 9 r\nb Q x 1 9 r\nb Q y 2 1 r\n", ("a",)),
            "none": ("a Q x 1 9 r\na Q y 2 1 r\n", ()),
            "interleaved": ("a Q x 1 1 r\nb Q x 1 1 r\na Q y 2 9 r\n", ("a",)),
            "in an unjudged topic": ("z Q x 1 1 r\nz Q y 2 9 r\na Q x 1 1 r\n", ()),
            "beside a tie": ("a Q w 1 3 r\na Q x 5 2 r\na Q y 2 2 r\na Q z 3 1 r\n", ("a",)),
            "equal ranks": ("a Q x 1 3 r\na Q y 1 2 r\na Q z 2 2 r\n", ()),
            "ranks from 0": ("a Q x 0 3 r\na Q y 1 2 r\na Q z 2 2 r\n", ()),
            "not numbers": ("a Q x - 1 r\na Q y - 2 r\n", ()),
        }.values(),
    )
    def test_ranks_that_contradict_scores(
        self,
        tmp_path: Path,
        pieces: Callable[[int], None],
        size: int,
        text: str,
        topics: tuple[str, ...],
    ) -> None:
        path = tmp_path / "r.txt"
        path.write_text(text)
        pieces(size)
        qrels = {"a": {"x": 1}, "b": {"x": 1}}
        scores = cf.evaluate(qrels, path, "RR")
        assert [n.topics for n in scores.notices if n.kind == "rank-order"] == [topics][
            : len(topics)
        ]
        assert kinds(scores).count("rank-order") == kinds(
            cf.evaluate(qrels, path, "RR", ties="trec")
        ).count("rank-order")
        assert "rank-order" not in kinds(cf.evaluate(qrels, path, "RR", ties="given"))
        if "-" not in text:
            assert "rank-order" not in kinds(cf.evaluate(qrels, path, "RR", ties="rank"))

    def test_ranks_matter_no_more_when_a_read_run_is_taken_as_given(self, tmp_path: Path) -> None:
        path = tmp_path / "r.txt"
        path.write_text("a Q0 x 1 0.1 r\na Q0 y 2 0.9 r\n")
        scores = cf.evaluate({"a": {"x": 1}}, cf.read_run(path), "RR", ties="given")
        assert scores.values.tolist() == [[[1.0]]]
        assert "rank-order" not in kinds(scores)

    @pytest.mark.parametrize("form", ["file", "frame", "tuples"])
    def test_repeated_judgments(self, tmp_path: Path, form: str) -> None:
        rows = [("a", "x", 1), ("a", "y", 0), ("a", "x", 1)]
        path = tmp_path / "q.txt"
        path.write_text("".join(f"{t} 0 {d} {x}\n" for t, d, x in rows))
        data: Any = {
            "file": lambda: path,
            "frame": lambda: pl.DataFrame(rows, schema=["topic", "doc", "level"], orient="row"),
            "tuples": lambda: rows,
        }[form]()
        scores = cf.evaluate(data, {"a": ["y", "x"]}, "AP")
        assert scores.values.tolist() == [[[0.5]]]
        assert "1 judgment" in the(scores, "duplicates").text

    def test_no_measure(self) -> None:
        with pytest.raises(cf.CranfieldError, match="no measure"):
            cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, [])

    @pytest.mark.parametrize("depth", [0, -1])
    def test_depth_is_from_1(self, depth: int) -> None:
        with pytest.raises(cf.CranfieldError, match="found depth"):
            cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, depth=depth)


# -- Evaluator --------------------------------------------------------------------------------


OPTIONS: list[dict[str, Any]] = [
    {},
    {"depth": 5, "condensed": True},
    {"undefined": "nan", "rel": 2, "gains": "exp"},
    {"topics": "common", "ties": "given"},
]


class TestEvaluator:
    @pytest.mark.parametrize("chosen", OPTIONS)
    def test_many_runs_one_after_the_other(self, chosen: dict[str, Any]) -> None:
        names = ["AP", "nDCG@10", "Q", "RBP", "ERR@5", "bpref", "NumRet"]
        ev = cf.Evaluator(QRELS, names, **chosen)
        other = {t: dict.fromkeys(docs, 1.0) for t, docs in QRELS.items()}
        for run in (RUN, other, RUN, frame_of(RUN)):
            scores, expected = ev(run), cf.evaluate(QRELS, run, names, **chosen)
            assert scores == expected
            assert scores.notices == expected.notices

    def test_parameters_for_all_measures(self) -> None:
        ev = cf.Evaluator(QRELS, "AP nDCG@10 nDCG(rel=1) ERR", rel=2, gains="1:2:3")
        assert tuple(map(str, ev.measures)) == (
            "AP(rel=2)",
            "nDCG(gain=1:2:3, rel=2)@10",
            "nDCG(gain=1:2:3, rel=1)",
            "ERR(gain=1:2:3)",
        )

    def test_default_measures(self) -> None:
        scores = cf.Evaluator(QRELS)(RUN)
        assert scores.measures == ("AP", "nDCG@10", "RR", "P@10", "Recall@1000", "Judged@10")

    def test_several_runs(self) -> None:
        ev = cf.Evaluator({"a": {"x": 1}}, "RR")
        lists: list[Lists] = [{"a": {"x": 1.0}}, {"a": {"y": 2.0, "x": 1.0}}]
        assert ev(lists).summary() == {"run1": {"RR": 1.0}, "run2": {"RR": 0.5}}
        named = ev({"bm25": lists[0], "dense": lists[1]})
        assert named.summary() == {"bm25": {"RR": 1.0}, "dense": {"RR": 0.5}}

    @pytest.mark.parametrize("as_sequence", [list, tuple])
    def test_named_runs_that_are_lists_of_documents(self, as_sequence: Callable[..., Any]) -> None:
        runs = {"bm25": {"a": as_sequence(["y", "x"])}, "dense": {"a": as_sequence(["x", "y"])}}
        scores = cf.evaluate({"a": {"x": 1}}, runs, "RR")
        assert scores.summary() == {"bm25": {"RR": 0.5}, "dense": {"RR": 1.0}}


def test_what_is_relevant_does_not_depend_on_other_measures() -> None:
    """A declared highest level changes the gains of its own measure only."""
    qrels, run = {"t": {"a": 2, "b": 1}}, {"t": ["a", "b"]}
    alone = cf.evaluate(qrels, run, "Q(gain=0:1)")["run", "t", "Q(gain=0:1)"]
    both = cf.evaluate(qrels, run, ["NCU(stop=u, gain=0:1, max_level=1)", "Q(gain=0:1)"])
    assert both["run", "t", "Q(gain=0:1)"] == alone == 1


def test_of_a_measure_of_ones_own_no_bound_is_claimed() -> None:
    @cf.measure
    class LastHit(cf.Measure):
        """The last relevant rank."""

        def score(self, x: Any) -> Any:
            return (x.I * x.r).max(axis=1, initial=0.0)

    try:
        run = {"t": {"a": 1.0, "b": 1.0}}
        scores = cf.evaluate({"t": {"a": 1, "b": 0}}, run, "LastHit", ties="best")
    finally:
        del cf.REGISTRY["LastHit"]
    said = [n.text for n in scores.notices if n.kind == "tie-order"]
    assert said[0].endswith("another order may score better under LastHit")


def test_unjudged_documents_are_counted_in_the_order_scored() -> None:
    qrels, run = {"t": {"a": 1}}, {"t": {"a": 1.0, "b": 1.0}}

    def said(ties: str) -> list[str]:
        scores = cf.evaluate(qrels, run, "P@1", ties=ties)
        return [n.text for n in scores.notices if n.kind == "unjudged"]

    assert said("best") == []
    assert len(said("worst")) == 1
    assert said("expected") == []  # there is no one order


def test_the_worst_of_E_is_not_called_0() -> None:
    scores = cf.evaluate({"t": {"a": 0}}, {"t": ["a"]}, "E")
    assert scores.values.item() == 1
    assert [n.text for n in scores.notices if n.kind == "no-relevant"] == [
        "1 topic (t) without a relevant document, counted as the worst score"
    ]


def test_levels_above_the_declared_highest_are_said_to_count_as_it() -> None:
    scores = cf.evaluate({"t": {"a": 2}}, {"t": ["a"]}, "ERR(max_level=1)")
    said = [n.text for n in scores.notices if n.kind == "max-level"]
    assert said == ["ERR(max_level=1): levels up to 2 in the judgments count as 1"]
