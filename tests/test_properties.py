"""What must hold for any data: ranges, bounds, invariances, and the equations written twice.

The second writing of the equations (`Naive`) is plain Python from the formulas of the papers, one
topic and one rank at a time, and shares nothing with the package.
"""

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
from cranfield.data.source import Source

Lists = dict[str, dict[str, float]]

BUILT_IN = {
    c.__name__: c for c in cf.REGISTRY.values() if c.__module__.startswith("cranfield.measures")
}

few = settings(max_examples=30, deadline=None)
many = settings(max_examples=100, deadline=None)


# -- the equations, once more -----------------------------------------------------------------


class Naive:
    """One ranked list: the levels of its items from the top (None: unjudged), and the judgments."""

    def __init__(self, levels: list[float | None], judged: list[float], h: float) -> None:
        self.levels, self.judged, self.h = levels, judged, h

    def __call__(self, name: str, cutoff: int | None = None, **settings: Any) -> float:
        levels = self.levels
        if settings.pop("condensed", False):
            levels = [x for x in levels if x is not None]
        shown = levels if cutoff is None else levels[:cutoff]
        result: float = getattr(self, name)(shown, cutoff, **settings)
        return result

    @staticmethod
    def g(x: float | None, gain: Any = "linear", rel: float | None = None) -> float:
        if x is None or x <= 0 or (rel is not None and x < rel):
            return 0.0
        if gain == "linear":
            return x
        if gain == "exp":
            return 2.0**x - 1
        if gain == "binary":
            return 1.0
        return float(gain[int(x) - 1])

    @classmethod
    def is_rel(cls, x: float | None, gain: Any = "linear", rel: float | None = None) -> bool:
        if x is None:
            return False
        return cls.g(x, gain) > 0 if rel is None else x >= rel

    def R(self, gain: Any = "linear", rel: float | None = None) -> int:
        return sum(self.is_rel(x, gain, rel) for x in self.judged)

    def ideal(self, gain: Any, rel: float | None = None) -> list[float]:
        return sorted((self.g(x, gain, rel) for x in self.judged), reverse=True)

    def P(self, shown: list[float | None], l: int | None, rel: float | None = None) -> float:
        below = len(shown) if l is None else l
        return sum(self.is_rel(x, rel=rel) for x in shown) / below if below else 0.0

    def Recall(self, shown: list[float | None], l: int | None, rel: float | None = None) -> float:
        R = self.R(rel=rel)
        return sum(self.is_rel(x, rel=rel) for x in shown) / R if R else 0.0

    def Success(self, shown: list[float | None], l: int | None, rel: float | None = None) -> float:
        return float(any(self.is_rel(x, rel=rel) for x in shown))

    def RR(self, shown: list[float | None], l: int | None, rel: float | None = None) -> float:
        return next((1 / r for r, x in enumerate(shown, 1) if self.is_rel(x, rel=rel)), 0.0)

    def AP(
        self, shown: list[float | None], l: int | None, rel: float | None = None, norm: str = "min"
    ) -> float:
        R = self.R(rel=rel)
        below = R if l is None or norm == "R" else min(l, R)
        found, added = 0, 0.0
        for r, x in enumerate(shown, 1):
            if self.is_rel(x, rel=rel):
                found += 1
                added += found / r
        return added / below if below else 0.0

    def Q(
        self,
        shown: list[float | None],
        l: int | None,
        beta: float = 1.0,
        gain: Any = "linear",
        rel: float | None = None,
    ) -> float:
        R = self.R(gain, rel)
        below = R if l is None else min(l, R)
        ideal = self.ideal(gain, rel)
        C, cg, added = 0, 0.0, 0.0
        for r, x in enumerate(shown, 1):
            cg += self.g(x, gain, rel)
            if self.is_rel(x, gain, rel):
                C += 1
                added += (C + beta * cg) / (r + beta * sum(ideal[:r]))
        return added / below if below else 0.0

    def nDCG(
        self,
        shown: list[float | None],
        l: int | None,
        gain: Any = "linear",
        rel: float | None = None,
        discount: str = "log2",
        b: float = 2.0,
    ) -> float:
        def dcg(gains: list[float]) -> float:
            added = 0.0
            for r, g in enumerate(gains, 1):
                if discount == "log2":
                    added += g / math.log2(r + 1)
                else:  # no discount before rank b
                    added += g if r <= b else g / math.log(r, b)
            return added

        ideal = dcg(self.ideal(gain, rel)[:l])
        return dcg([self.g(x, gain, rel) for x in shown]) / ideal if ideal else 0.0

    def ERR(
        self,
        shown: list[float | None],
        l: int | None,
        prob: str = "exp",
        gain: Any = "linear",
        max_level: float | None = None,
    ) -> float:
        h = max_level or (self.h if isinstance(gain, str) else len(gain))
        going_on, added = 1.0, 0.0
        for r, x in enumerate(shown, 1):
            level = min(max(x or 0.0, 0.0), h)
            if prob == "exp":
                Pr = (2**level - 1) / 2**h
            else:
                Pr = self.g(level, gain) / (self.g(h, gain) + 1)
            added += going_on * Pr / r
            going_on *= 1 - Pr
        return added

    def RBP(
        self,
        shown: list[float | None],
        l: int | None,
        p: float = 0.8,
        gain: Any = "linear",
        rel: float | None = None,
        max_level: float | None = None,
    ) -> float:
        h = max_level or (self.h if isinstance(gain, str) else len(gain))
        g_h = 1.0 if rel is not None else self.g(h, gain)
        added = 0.0
        for r, x in enumerate(shown, 1):
            if rel is not None:
                g = float(self.is_rel(x, rel=rel))
            else:
                g = self.g(None if x is None else min(x, h), gain)
            added += g * p ** (r - 1)
        return (1 - p) * added / g_h if g_h else 0.0

    def bpref(self, shown: list[float | None], l: int | None, rel: float | None = None) -> float:
        R = self.R(rel=rel)
        N = len(self.judged) - R
        nonrelevant, added = 0, 0.0
        for x in shown:
            if self.is_rel(x, rel=rel):
                least = min(R, N)
                added += 1.0 - (min(R, nonrelevant) / least if least else 0.0)
            elif x is not None:
                nonrelevant += 1
        return added / R if R else 0.0


GRADED: list[dict[str, Any]] = [{}, {"gain": "exp"}, {"gain": "binary"}, {"rel": 2.0}]
BINARY: list[dict[str, Any]] = [{}, {"rel": 2.0}, {"rel": 1.5}, {"rel": 0.0}]
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "P": BINARY,
    "Recall": BINARY,
    "Success": BINARY,
    "RR": BINARY,
    "AP": [*BINARY, {"norm": "R"}],
    "Q": [*GRADED, {"beta": 0.0}, {"beta": 10.0, "rel": 1.0}, {"gain": "exp", "rel": 2.0}],
    "nDCG": [*GRADED, {"discount": "jk"}, {"discount": "jk", "b": 10.0}, {"gain": "exp", "rel": 1}],
    "ERR": [
        {},
        {"prob": "linear"},
        {"max_level": 4.0},
        {"max_level": 1.0},
        {"prob": "linear", "gain": "exp"},
    ],
    "RBP": [*GRADED, {"p": 0.95}, {"max_level": 1.0}, {"gain": "exp", "max_level": 5.0}],
    "bpref": BINARY,
}
TABLES: dict[str, list[dict[str, Any]]] = {
    "Q": [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}],
    "nDCG": [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}],
    "ERR": [{"gain": (1.0, 3.0, 7.0), "prob": "linear"}, {"gain": (1.0, 2.0, 3.0)}],
    "RBP": [{"gain": (1.0, 3.0, 7.0)}, {"gain": (0.0, 0.5, 2.0)}],
}


def measures_of(catalogue: dict[str, list[dict[str, Any]]]) -> list[cf.Measure]:
    """Every measure of a catalogue, whole and at two cutoffs, the plain ones also condensed."""
    return [
        BUILT_IN[name](**chosen, condensed=condensed, cutoff=cutoff)
        for name, all_of in catalogue.items()
        for chosen in all_of
        for condensed in ((False,) if chosen else (False, True))
        for cutoff in (None, 1, 4)
    ]


def settings_of(m: cf.Measure) -> dict[str, Any]:
    return {f.name: getattr(m, f.name) for f in m.parameters() if getattr(m, f.name) != f.default}


EVERY = measures_of(SETTINGS)
EVERY_TABLE = measures_of(TABLES)


def test_the_second_writing_covers_every_effectiveness_measure() -> None:
    assert {n for n, c in BUILT_IN.items() if c.effectiveness} == set(SETTINGS)


# -- collections ------------------------------------------------------------------------------


def order(ranked: dict[str, float]) -> list[str]:
    """trec_eval's order: score, then document id, both descending."""
    return sorted(ranked, key=lambda d: (ranked[d], d.encode()), reverse=True)


LEVELS = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 2.0, 3.0])
WHOLE = st.sampled_from([-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
DOCS = [f"d{i}" for i in range(16)]


@st.composite
def topics(draw: st.DrawFn, levels: st.SearchStrategy[float] = LEVELS) -> tuple[Any, Any]:
    """Judgments and a list of one topic, with unjudged documents and ties."""
    judged = draw(st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=10))
    listed = draw(st.lists(st.sampled_from(DOCS), unique=True, max_size=14))
    scores = draw(
        st.lists(st.integers(0, 9).map(float), min_size=len(listed), max_size=len(listed))
    )
    return {d: draw(levels) for d in judged}, dict(zip(listed, scores, strict=True))


@st.composite
def collections(draw: st.DrawFn, levels: st.SearchStrategy[float] = LEVELS) -> tuple[Lists, Lists]:
    drawn = draw(st.lists(topics(levels), min_size=1, max_size=4))
    qrels = {f"t{i}": judged for i, (judged, _) in enumerate(drawn)}
    return qrels, {f"t{i}": listed for i, (_, listed) in enumerate(drawn)}


def naive_of(qrels: Lists, run: Lists, topic: str) -> Naive:
    judged = qrels[topic]
    h = max(0.0, *(x for docs in qrels.values() for x in docs.values()))
    return Naive([judged.get(d) for d in order(run.get(topic, {}))], list(judged.values()), h)


def compare_with_naive(qrels: Lists, run: Lists, measures: list[cf.Measure]) -> None:
    scores = cf.evaluate(qrels, run, measures)
    for t, topic in enumerate(scores.topics):
        naive = naive_of(qrels, run, topic)
        for m, measure in enumerate(measures):
            expected = naive(type(measure).__name__, measure.cutoff, **settings_of(measure))
            got = scores.values[0, t, m]
            assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), (topic, str(measure))


class TestEquations:
    @given(collections())
    @settings(max_examples=40, deadline=None)
    def test_every_measure_is_its_equation(self, drawn: tuple[Lists, Lists]) -> None:
        compare_with_naive(*drawn, EVERY)

    @given(collections(WHOLE))
    @settings(max_examples=30, deadline=None)
    def test_gain_tables(self, drawn: tuple[Lists, Lists]) -> None:
        compare_with_naive(*drawn, EVERY_TABLE)

    def test_long_lists(self) -> None:
        rng = np.random.default_rng(11)
        docs = [f"d{i}" for i in range(400)]
        qrels = {
            f"t{t}": {
                d: float(rng.choice([-1, 0, 0, 0, 0.5, 1, 2, 3]))
                for d in rng.choice(docs, 60, replace=False)
            }
            for t in range(6)
        }
        run = {
            f"t{t}": {d: float(rng.integers(0, 90)) for d in rng.permutation(docs)[: 60 * t]}
            for t in range(6)
        }
        compare_with_naive(qrels, run, EVERY)

    @given(topics())
    @few
    def test_calling_a_measure_on_one_list_is_evaluating_it(self, drawn: tuple[Any, Any]) -> None:
        judged, ranked = drawn
        levels = [judged.get(d) for d in order(ranked)]
        for m in EVERY[::3]:
            expected = cf.evaluate({"t": judged}, {"t": ranked}, m).values[0, 0, 0]
            assert m(levels, judged=list(judged.values())) == expected, str(m)

    @given(collections(), st.sampled_from([None, 1, 5]), st.sampled_from([None, 2.0]))
    @few
    def test_counts(self, drawn: tuple[Lists, Lists], k: int | None, rel: float | None) -> None:
        qrels, run = drawn
        counts = [
            cf.NumQ(cutoff=k),
            cf.NumRet(cutoff=k),
            cf.NumRel(rel=rel, cutoff=k),
            cf.NumRelRet(rel=rel, cutoff=k),
            cf.Judged(cutoff=k),
        ]
        scores = cf.evaluate(qrels, run, counts)
        for t, topic in enumerate(scores.topics):
            naive = naive_of(qrels, run, topic)
            shown = naive.levels[:k]
            judged = sum(x is not None for x in shown)
            assert scores.values[0, t].tolist() == [
                1,
                len(shown),
                naive.R(rel=rel),
                sum(naive.is_rel(x, rel=rel) for x in shown),
                judged / len(shown) if shown else 0,
            ]
        sums = scores.summary()["run"]
        assert sums[str(counts[0])] == len(qrels)
        assert sums[str(counts[1])] == sum(len(list(docs)[:k]) for docs in run.values())


# -- bounds -----------------------------------------------------------------------------------

ANY_LEVEL = st.one_of(
    st.integers(-3, 12).map(float), st.floats(-5, 20, allow_subnormal=False).map(lambda x: x)
)


def bounded(value: float) -> bool:
    return math.isfinite(value) and 0 <= value <= 1 + 1e-12


class TestRange:
    @given(collections(ANY_LEVEL))
    @many
    def test_effectiveness_is_between_0_and_1(self, drawn: tuple[Lists, Lists]) -> None:
        scores = cf.evaluate(*drawn, EVERY)
        for m, column in zip(EVERY, scores.values[0].T, strict=True):
            assert all(bounded(v) for v in column.tolist()), (str(m), column)

    @given(collections(WHOLE))
    @few
    def test_with_gain_tables(self, drawn: tuple[Lists, Lists]) -> None:
        scores = cf.evaluate(*drawn, EVERY_TABLE)
        for m, column in zip(EVERY_TABLE, scores.values[0].T, strict=True):
            assert all(bounded(v) for v in column.tolist()), (str(m), column)

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
        # P without a cutoff rewards short lists, condensing hides what the list is worth, and
        # rel=0 makes documents relevant that gain nothing.
        fair = [
            m
            for m in EVERY
            if not m.condensed
            and getattr(m, "rel", None) != 0.0
            and not (type(m) is cf.P and m.cutoff is None)
        ]
        runs = {"best": {"t": judged}, "any": {"t": ranked}}
        best, other = cf.evaluate({"t": judged}, runs, fair).values[:, 0]
        assert (best >= other - 1e-12).all(), [str(fair[i]) for i in np.flatnonzero(best < other)]

    def test_shorter_than_R_cannot_score_1(self) -> None:
        qrels, run = {"t": {"a": 1, "b": 1}}, {"t": {"a": 1.0}}
        values = cf.evaluate(qrels, run, ["AP", "nDCG", "Q", "Recall", "bpref"]).values
        assert (values < 1).all()


# The measures that never fall when a better document moves up. For Q: moved over a nonrelevant
# document, the same numerator meets a smaller denominator; moved over a less relevant one, the
# numerator at the upper rank grows and nothing changes at the lower.
MONOTONE = [m for m in EVERY if type(m).__name__ != "Success" and not m.condensed]


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
        scores = cf.evaluate(
            {"b": named(before, missed), "a": named(after, missed)},
            {t: [f"d{i}" for i in range(len(levels))] for t in "ba"},
            MONOTONE,
        )
        worse, better = scores.values[0]
        fell = better < worse - 1e-12
        assert not fell.any(), [str(MONOTONE[i]) for i in np.flatnonzero(fell)]

    def test_and_raises_those_that_look_at_order(self) -> None:
        scores = cf.evaluate(
            {"t": {"a": 2, "b": 1, "c": 0}},
            {"before": {"t": ["c", "b", "a"]}, "after": {"t": ["b", "c", "a"]}},
            ["AP", "nDCG", "Q", "RBP", "ERR", "RR", "P@1", "bpref"],
        )
        assert (scores.values[1] > scores.values[0]).all()


# -- identities -------------------------------------------------------------------------------


def same(a: cf.Scores, b: cf.Scores) -> None:
    """Equal to the last bit."""
    assert a.topics == b.topics
    assert np.array_equal(a.values, b.values, equal_nan=True), np.abs(a.values - b.values).max()


class TestIdentities:
    @given(collections())
    @few
    def test_Q_without_patience_is_AP(self, drawn: tuple[Lists, Lists]) -> None:
        pairs = [
            ("Q(beta=0)", "AP"),
            ("Q(beta=0)@5", "AP@5"),
            ("Q(beta=0, rel=2)@3", "AP(rel=2)@3"),
            ("Q(beta=0, condensed=true)", "AP(condensed=true)"),
        ]
        scores = cf.evaluate(*drawn, [name for pair in pairs for name in pair])
        assert (scores.values[..., 0::2] == scores.values[..., 1::2]).all()

    @given(collections())
    @few
    def test_condensed_is_removing_the_unjudged_by_hand(self, drawn: tuple[Lists, Lists]) -> None:
        qrels, run = drawn
        by_hand = {t: {d: s for d, s in docs.items() if d in qrels[t]} for t, docs in run.items()}
        plain = [cf.NumRet @ 3, cf.Judged @ 3] + [m for m in EVERY if not m.condensed]
        condensed = [_condensed(m) for m in plain]
        expected = cf.evaluate(qrels, by_hand, plain).values
        assert np.array_equal(cf.evaluate(qrels, run, condensed).values, expected)
        for_all = cf.evaluate(qrels, run, plain, condensed=True)
        assert for_all.measures == tuple(map(str, condensed))
        assert np.array_equal(for_all.values, expected)

    @given(collections(), st.integers(1, 15))
    @few
    def test_depth_is_cutting_by_hand(self, drawn: tuple[Lists, Lists], depth: int) -> None:
        qrels, run = drawn
        by_hand = {t: {d: docs[d] for d in order(docs)[:depth]} for t, docs in run.items()}
        names = [*EVERY, cf.NumRet(), cf.Judged()]
        same(cf.evaluate(qrels, run, names, depth=depth), cf.evaluate(qrels, by_hand, names))

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

    @given(collections())
    @few
    def test_the_mean_does_not_depend_on_the_order_of_topics(
        self, drawn: tuple[Lists, Lists]
    ) -> None:
        qrels, run = drawn
        turned = dict(reversed(qrels.items()))
        a, b = cf.evaluate(qrels, run, EVERY[::2]), cf.evaluate(turned, run, EVERY[::2])
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

    @given(collections(), collections())
    @few
    def test_other_topics_change_nothing(
        self, drawn: tuple[Lists, Lists], more: tuple[Lists, Lists]
    ) -> None:
        (qrels, run), (other_qrels, other_run) = drawn, more
        top = max(x for docs in qrels.values() for x in docs.values())
        others = {
            f"o{t}": {d: min(x, top) for d, x in docs.items()} for t, docs in other_qrels.items()
        }
        both = cf.evaluate({**others, **qrels}, {**run, **_renamed(other_run, "o")}, EVERY)
        alone = cf.evaluate(qrels, run, EVERY)
        assert np.array_equal(both.values[:, len(others) :], alone.values)


def _condensed(m: cf.Measure) -> cf.Measure:
    values = {f.name: getattr(m, f.name) for f in m.parameters()} | {"condensed": True}
    return type(m)(**values, cutoff=m.cutoff)


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
NAMES = [*EVERY[::2], *measures_of({"NumRet": [{}], "Judged": [{}], "NumRelRet": [{}]})]
EXPECTED = cf.evaluate(QRELS, {"r": RUN}, NAMES)


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
        identical(cf.evaluate(QRELS, {"r": frame_of(RUN)}, NAMES))
        identical(cf.evaluate(QRELS, {"r": frame_of(RUN).lazy()}, NAMES))

    def test_frame_of_judgments(self) -> None:
        judged = frame_of(QRELS, "level")
        identical(cf.evaluate(judged, {"r": RUN}, NAMES))
        identical(cf.evaluate(judged, {"r": frame_of(RUN)}, NAMES))

    def test_files(self, run_file: Path, qrels_file: Path) -> None:
        identical(cf.evaluate(cf.read_qrels(qrels_file), cf.read_run(run_file), NAMES))

    def test_notices_are_the_same_too(self, give: Give, qrels_file: Path) -> None:
        scores = cf.evaluate(qrels_file, give(RUN), NAMES)
        identical(scores)
        assert notices_of(scores) == notices_of(EXPECTED)

    def test_paths(self, run_file: Path, qrels_file: Path) -> None:
        identical(cf.evaluate(qrels_file, run_file, NAMES))
        identical(cf.evaluate(str(qrels_file), [str(run_file)], NAMES))

    @pytest.mark.parametrize("cells", [1, 7, 100, 10**9])
    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_blocks_and_threads(self, cells: int, threads: int) -> None:
        identical(cf.evaluate(QRELS, {"r": RUN}, NAMES, block_cells=cells, threads=threads))

    def test_repeated_calls(self, run_file: Path) -> None:
        ev = cf.Evaluator(QRELS, NAMES)
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
        identical(cf.evaluate(QRELS, run, NAMES, threads=threads))

    @pytest.mark.parametrize("size", [1, 64])
    def test_pieces_of_judgments(
        self, qrels_file: Path, pieces: Callable[[int], None], size: int
    ) -> None:
        pieces(size)
        identical(cf.evaluate(cf.read_qrels(qrels_file), {"r": RUN}, NAMES))

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
        scores = cf.evaluate(QRELS, path, NAMES)
        identical(scores)
        assert notices_of(scores) == notices_of(EXPECTED)

    def test_shuffled_within_topics(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(3)
        mixed = {
            t: {str(d): docs[d] for d in rng.permutation(list(docs))} for t, docs in RUN.items()
        }
        identical(cf.evaluate(QRELS, {"r": mixed}, NAMES))
        identical(cf.evaluate(QRELS, {"r": frame_of(mixed)}, NAMES))

    def test_shuffled_judgments(self, qrels_file: Path) -> None:
        lines = qrels_file.read_text(encoding="utf-8").splitlines(keepends=True)
        lines = np.random.default_rng(4).permutation(lines).tolist()
        qrels_file.write_text("".join(lines), encoding="utf-8")
        scores = cf.evaluate(qrels_file, {"r": RUN}, NAMES)
        assert scores.summary() == EXPECTED.summary()
        identical(scores.select(topics=list(EXPECTED.topics)))

    def test_other_runs_beside_it(self) -> None:
        other = {t: dict.fromkeys(docs, 1.0) for t, docs in QRELS.items()}
        identical(cf.evaluate(QRELS, {"other": other, "r": RUN}, NAMES).select(runs="r"))

    def test_other_measures_beside_it(self) -> None:
        scores = cf.evaluate(QRELS, {"r": RUN}, EVERY)
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
        expected = cf.evaluate(qrels, {"r": {t: d for t, d in run.items() if d}}, NAMES)
        if data.draw(st.booleans()):
            lines = data.draw(st.permutations(lines))
        path = scratch / "any.txt"
        path.write_text("".join(lines), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Source.pieces, "__defaults__", (size,))
            scores = cf.evaluate(qrels, path, NAMES, threads=threads)
        same(scores, expected)
        assert notices_of(scores) == notices_of(expected)


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
        with pytest.raises(cf.CranfieldError, match="found ties 'best'"):
            cf.evaluate({"0": {"a": 1}}, {"0": {"a": 1.0}}, ties="best")


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
        with pytest.raises(cf.CranfieldError, match="found undefined 'drop'"):
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
        with pytest.raises(cf.CranfieldError, match="no judged topic that every run answers"):
            cf.evaluate(HOLES, {"z": {"x": 1.0}}, "AP", topics="common")

    def test_unknown(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found topics 'all'"):
            cf.evaluate(HOLES, HOLES_RUN, topics="all")  # type: ignore[arg-type]

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
        measures = [m for m in EVERY if getattr(m, "rel", None) != 0.0]
        scores = cf.evaluate(qrels, run, measures)
        reported = {t for n in scores.notices if n.kind == "ties" for t in n.topics}
        turned = {
            t: sorted(docs, key=lambda d, docs=docs: (-docs[d], d.encode()))  # type: ignore[misc]
            for t, docs in run.items()
        }
        other = cf.evaluate(qrels, turned, measures)
        for t, topic in enumerate(scores.topics):
            if topic not in reported:
                assert np.array_equal(other.values[0, t], scores.values[0, t]), topic

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
