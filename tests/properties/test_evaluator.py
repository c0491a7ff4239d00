"""An evaluator gives what `evaluate` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cranfield as cf
from tests.properties.made import QRELS, RUN, Lists, frame_of

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
            assert scores.notes == expected.notes

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
