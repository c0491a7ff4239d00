"""Ranges of values, ideal lists, and documents that move up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from tests.made import examples
from tests.properties.made import (
    EACH_MODEL,
    EFFECTIVENESS,
    EVERY,
    EVERY_TABLE,
    LEVELS,
    UNIT,
    WHOLE,
    Lists,
    collections,
    evaluate,
    few,
    many,
    topics,
)

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
    "0 (best) and above": (0, math.inf),
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
    @settings(max_examples=examples(40))
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
            scores = cf.evaluate({"t": {"a": 1, "b": 2, "c": 1}}, {"t": ["a", "c"]}, name, gains="3:1")
        except cf.CranfieldError:
            return  # refusing such a table would do as well
        assert 0 <= scores.values.item() <= 1

    @pytest.mark.parametrize("text", ["ERR", "ERR(prob=linear)", "RBP", "nDCG", "Q", "AP", "bpref"])
    @pytest.mark.parametrize("level", [1000.0, 1100.0, 1e6, 1e12])
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

    @pytest.mark.parametrize(("level", "expected"), [(3, "found level 3 .*levels ≤ 2"), (0.5, "integer levels")])
    def test_levels_a_gain_table_does_not_have(self, level: float, expected: str) -> None:
        with pytest.raises(cf.CranfieldError, match=expected):
            cf.evaluate({"t": {"a": level}}, {"t": ["a"]}, "nDCG(gain=1:2)")
        below = cf.evaluate({"t": {"a": -1, "b": 2}}, {"t": ["b", "a"]}, "nDCG(gain=1:2)")
        assert below.values.item() == 1.0

    @given(collections(ANY_LEVEL))
    @few
    def test_judged_is_a_share(self, drawn: tuple[Lists, Lists]) -> None:
        qrels, run = cf.read_qrels(drawn[0]), drawn[1]
        names = ["Judged", "Judged@3", "Judged(condensed=true)@3"]
        values = cf.evaluate(qrels, run, names).values
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
        # nothing. Some look at what was returned, and may prefer a shorter list (PRES
        # without a cutoff a longer one); some are as in FALLS, as users who find enough and stop.
        # Less of E and ESL is better.
        fair = [
            m
            for m in EVERY
            if not m.condensed
            and getattr(m, "rel", None) != 0.0
            and not (m.cutoff is None and type(m).__name__ in ("P", "F", "BR"))
            and type(m).__name__
            not in {
                "SetP",
                "SetF",
                "SetRelP",
                "SetAP",
                "RelP",
                "E",
                "Compat",
                "ESL",
                "PRES",
                "infNDCG",
            }
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
FALLS = {"Pmeasure", "Pplus", "EBR", "nEBR", "G", "infAP", "xinfAP", "TBG", "U"}
FALLS |= {"TrAP", "BPM", "BPMD", "IFT", "IFTGoal", "IFTRate"}  # user models


def is_plain(m: cf.Measure) -> bool:
    """Whole and not condensed, unless it is the cutoff that makes it fall."""
    return not m.condensed and (m.cutoff is None or (m.cutoff > 1 and type(m) in (cf.nG, cf.PairAccuracy, cf.infNDCG)))


def falls(m: cf.Measure) -> bool:
    """Whether the score may fall when a better document moves up over a worse one.

    It may where the stop is more likely, or comes earlier, and less has been gained by then
    (NCU and relatives; G's discount); where a rank, but not what is above, is looked at (nG,
    PairAccuracy at a cutoff); where documents have lengths; where the number of unjudged
    documents above matters (infAP, xinfAP), or their share (infNDCG at a cutoff); where users who
    have found enough stop (BPM, IFT), or costs change who goes on (TrAP). Of INST and NERR no case
    is known: users stop sooner there, too, but what is gained above outweighs it.
    """
    name = type(m).__name__
    if name == "NCU":
        pairs = {"gu": ("P", "BR"), "sat": ("P", "BR"), "rp": UTILITIES, "to_rp": UTILITIES}
        return m.utility in pairs.get(m.stop, ())  # type: ignore[attr-defined]
    if name in ("nG", "PairAccuracy", "infNDCG"):
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
