"""What unjudged documents could change: worked cases, and every completion of small judgments."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures.bounds import BOUNDED, has_outer_bounds
from cranfield.scores import ALL
from tests.made import examples

Levels = dict[str, float]


def ends(qrels: Any, runs: Any, measure: str, topic: str = "t", **options: Any) -> list[Any]:
    """The bounds of a topic: of each run, and of each pair."""
    found = cf.bounds(qrels, runs, measure, **options)
    return [(row.low, row.high) for row in found if row.topic == topic]


QRELS = {"t": {"d1": 1, "d4": 0}}
RUNS = {"A": {"t": ["d1", "d2", "d3"]}, "B": {"t": ["d3", "d4", "d1"]}}


class TestWorked:
    """A = d1 d2 d3 and B = d3 d4 d1, of which d1 is relevant and d4 is not."""

    @pytest.mark.parametrize(
        ("measure", "low", "high"),
        [
            ("RBP(p=0.5)", 0, 0.625),
            ("P@3", 0, 1 / 3),
            ("nDCG", 0, 0.6934),
            ("AP", 0, 0.8333),
            ("GMAP", 0, 0.8333),
            # d1 is at rank 1 of A; only if d3 is relevant is B as good
            ("RR", 0, 2 / 3),
            ("Success@1", 0, 1),
            # found 1 of 1, or with d3 1 of 2 and 1 of 2
            ("Recall@2", 0, 1),
        ],
    )
    def test_of_a_difference(self, measure: str, low: float, high: float) -> None:
        *_, pair = ends(QRELS, RUNS, measure)
        assert pair == pytest.approx((low, high), abs=5e-5)

    def test_of_one_run(self) -> None:
        """If d2 and d3 are relevant, AP is 1; if d3 alone is, (1 + 2/3)/2; if d2 is, 1 again."""
        a, b, _ = ends(QRELS, RUNS, "AP")
        assert a == pytest.approx((5 / 6, 1))
        assert b == pytest.approx((1 / 3, 5 / 6))

    def test_of_the_mean(self) -> None:
        """Topics are completed apart, so bounds of a mean are means of bounds."""
        qrels = {**QRELS, "u": {"x": 1}}
        runs = {name: {**lists, "u": ["x"]} for name, lists in RUNS.items()}
        *_, mean = cf.bounds(qrels, runs, "P@3")
        assert (mean.run, mean.other, mean.topic) == ("A", "B", ALL)
        assert (mean.value, mean.low, mean.high) == pytest.approx((0, 0, 1 / 6))

    def test_what_is_judged_cannot_change(self) -> None:
        for measure in ("nDCG@1", "P@1", "RR@1", "AP@1", "ERR@1"):
            a, _, _ = ends(QRELS, RUNS, measure)
            assert a == (1, 1) if measure != "ERR@1" else a == (0.5, 0.5)


# -- every completion -----------------------------------------------------------------------------

EXACT = [
    *("P@3", "P", "SetP@3", "P(rel=2)@3", "DCG@3", "DCG(gain=exp)", "RBP(p=0.6)", "DCG(rel=2)"),
    *("RBP(p=0.6, rel=2)@3", "RBP(gain=exp, max_level=3)", "P(rel=0)@3", "DCG(gain=raw)"),
    *("nDCG@3", "nDCG", "nDCG(gain=exp)@3", "nDCG(gain=1:4:5)@3", "nDCG(discount=jk)", "nRBP@3"),
    *("nDCG(rel=2)@3", "nDCG(gain=binary)@3", "nDCG(gain=raw)@3", "nCG@3", "nCG", "Recall@3"),
    *("Recall", "SetRecall", "Recall(rel=2)@3", "RelP@3", "RR", "RR@3", "RR(rel=2)"),
    *("Success@3", "Success"),
]  # fmt: skip
SOUND = [
    *("AP", "AP@3", "AP(norm=R)@3", "AP(rel=2)", "GMAP", "ERR", "ERR@3", "ERR(prob=linear)"),
    *("ERR(max_level=3)", "iRBU(p=0.7)"),
]  # fmt: skip
DOCS = "abcdef"


@st.composite
def judged_lists(draw: st.DrawFn) -> tuple[Levels, list[list[str]]]:
    """Judgments of some of a few documents, and two lists."""
    judged = draw(st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=4))
    lists = st.lists(st.sampled_from(DOCS), unique=True, min_size=1, max_size=5)
    return {d: float(draw(st.integers(-1, 2))) for d in judged}, [draw(lists), draw(lists)]


def choices(m: cf.Measure) -> tuple[float, ...]:
    """The levels that may change a score: those of the judgments, and the highest declared."""
    if getattr(m, "rel", None) == 0:
        return (0.0,)  # as good as any other
    table = getattr(m, "gain", "")
    declared = [getattr(m, "max_level", None), float(len(table)) if "," in str(table) else None]
    below = [-1.0] if table == "raw" else []
    return (*below, 1.0, 2.0, *(x for x in declared if x))


def enumerated(measures: list[str], judged: Levels, lists: list[list[str]]) -> dict[str, Any]:
    """The scores of lists with each unjudged document of each level, or not judged: those of a
    measure are [lists, completions].
    """
    alike: dict[Any, list[str]] = {}
    for text in measures:
        m = cf.parse_measure(text)
        alike.setdefault((m.cutoff, choices(m)), []).append(text)
    found: dict[str, Any] = {}
    for (depth, levels), texts in alike.items():
        docs = list({doc: 0 for ranked in lists for doc in ranked[:depth] if doc not in judged})
        every = [*itertools.product([None, *levels], repeat=len(docs))]
        qrels = {
            f"{i}": judged | {d: x for d, x in zip(docs, each, strict=True) if x is not None}
            for i, each in enumerate(every)
        }
        runs = {f"{i}": dict.fromkeys(qrels, ranked) for i, ranked in enumerate(lists)}
        scores = cf.evaluate(qrels | OTHER, runs, texts).select(topics=[*qrels])
        found |= {text: scores.values[:, :, i] for i, text in enumerate(texts)}
    return found


OTHER = {"other": {"x": 2.0, "y": 1.0, "z": -1.0}}  # levels that an unjudged document may have


@given(judged_lists())
@settings(max_examples=examples(20), deadline=None)
def test_no_completion_is_outside(drawn: tuple[Levels, list[list[str]]]) -> None:
    """And some are at the ends: of one run always, of a difference where the bounds are exact."""
    judged, lists = drawn
    runs = {name: {"t": ranked} for name, ranked in zip("AB", lists, strict=True)}
    every = enumerated([*EXACT, *SOUND], judged, lists)
    alone = [enumerated([*EXACT, *SOUND], judged, [ranked]) for ranked in lists]
    for measure, (a, b) in every.items():
        *single, (low, high) = ends({"t": judged} | OTHER, runs, measure)
        for found, values in zip(single, alone, strict=True):
            ours = values[measure]
            assert found == pytest.approx((ours.min(), ours.max()), abs=1e-12), measure
        if measure in EXACT:
            assert (low, high) == pytest.approx(((a - b).min(), (a - b).max()), abs=1e-12), measure
        assert low <= (a - b).min() + 1e-12, measure
        assert high >= (a - b).max() - 1e-12, measure


def test_has_outer_bounds_of_measures_that_are_not_exact_returns_true() -> None:
    assert not any(has_outer_bounds(cf.parse_measure(text)) for text in EXACT)
    assert all(has_outer_bounds(cf.parse_measure(text)) for text in SOUND)


@pytest.mark.parametrize("measure", ["AP", "ERR"])
def test_bounds_of_a_shared_unjudged_document_are_outer_bounds(measure: str) -> None:
    """The document u of both lists has one level, but the bounds give it one for each list."""
    judged, lists = {"a": 1.0}, [["a", "u", "v"], ["u", "a", "w"]]
    runs = {name: {"t": ranked} for name, ranked in zip("AB", lists, strict=True)}
    a, b = enumerated([measure], judged, lists)[measure]
    *_, (low, high) = ends({"t": judged} | OTHER, runs, measure)
    assert low < (a - b).min() - 0.01
    assert high > (a - b).max() + 0.01


def test_every_bounded_measure_is_enumerated() -> None:
    asked = {type(cf.parse_measure(text)).__name__ for text in [*EXACT, *SOUND]}
    assert asked == set(BOUNDED)


@given(st.lists(judged_lists(), min_size=2, max_size=5), st.sampled_from([1, 7, 1 << 19]))
@settings(max_examples=examples(8), deadline=None)
def test_topics_do_not_depend_on_others(drawn: list[tuple[Levels, list[list[str]]]], cells: int) -> None:
    """Lists of many lengths, with few and many unjudged documents, in one block or in many."""
    names = [f"q{i}" for i in range(len(drawn))]
    qrels = {name: judged for name, (judged, _) in zip(names, drawn, strict=True)}
    runs = {run: {name: lists[i] for name, (_, lists) in zip(names, drawn, strict=True)} for i, run in enumerate("AB")}
    for measure in ("nDCG@3", "nDCG", "AP", "DCG", "RR@3"):
        for name in names:
            alone = {run: {name: lists[name]} for run, lists in runs.items()}
            one = ends({name: qrels[name]} | OTHER, alone, measure, name)
            assert ends(qrels | OTHER, runs, measure, name, block_cells=cells) == one, measure
