"""Measures of ir_measures, given as they are: the values are those of ir_measures."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
from ir_measures import (
    AP,
    ERR,
    INST,
    RBP,
    RR,
    Bpref,
    IPrec,
    Judged,
    P,
    R,
    Rprec,
    SetF,
    Success,
    nDCG,
)

import cranfield as cf

MADE = cf.simulate(topics=8, runs=1, depth=50, seed=3)
RUN = next(iter(MADE.runs.values()))

SAME = [
    AP, AP @ 10, AP(rel=2), AP(rel=2) @ 100, nDCG, nDCG @ 10, nDCG(dcg="exp-log2") @ 5, P @ 5,
    P(rel=2) @ 5, RR, RR @ 10, R @ 20, Rprec, Bpref, Success @ 1, IPrec @ 0.1, Judged @ 10,
    SetF(beta=2.0), ERR @ 20,
]  # fmt: skip


@pytest.mark.parametrize("measure", SAME, ids=str)
def test_evaluate_measure_of_ir_measures_has_its_value(measure: Any) -> None:
    theirs = ir_measures.calc_aggregate([measure], MADE.qrels, RUN)[measure]
    (ours,) = cf.evaluate(MADE.qrels, RUN, measure).summary()["run"].values()
    rounded = "dcg" in measure.params or measure.NAME == "ERR"  # by gdeval, to five decimals
    assert ours == pytest.approx(theirs, abs=1e-5 if rounded else 1e-12)


def test_evaluate_several_measures_of_ir_measures_are_columns() -> None:
    scores = cf.evaluate(MADE.qrels, RUN, [nDCG @ 10, "P@5", cf.RR, AP @ 10])
    assert scores.measures == ("nDCG@10", "P@5", "RR", "AP(norm=R)@10")
    assert cf.evaluate(MADE.qrels, RUN, {"mine": AP @ 10}).measures == ("mine",)
    theirs = cf.compat.ir_measures.AP @ 10
    assert cf.parse_measure(theirs) == cf.parse_measure(AP @ 10)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (INST(max_rel=2), r"has several values\. Use one of them, such as 'INST\.EU'\."),
        (RBP(rel=1), "has several values"),
        (nDCG(gains={0: 0, 1: 3}) @ 10, r"has its own gains\. Set the gains"),
        (ir_measures.define(lambda qrels, run: [], name="Mine"), "of ir_measures"),
        (sorted, "is not a measure or its name. Use @cf.measure to turn a function into a measure"),
        (3, "3 is not a measure or its name"),
    ],
    ids=str,
)
def test_parse_measure_object_without_a_meaning_names_the_way(measure: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        cf.evaluate(MADE.qrels, RUN, [measure])
