"""Audits: who is drawn how often, in which order; files, there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from cranfield.data.audits import AuditOrder, read_audit
from cranfield.errors import InputError
from cranfield.judging.audit import audit, render_audit
from tests.evidence import checks
from tests.made import Command, written

RUNS = {
    run: {f"t{t}": [f"d{(7 * t + k * step) % 40}" for k in range(20)] for t in range(30)}
    for run, step in (("x", 1), ("y", 3))
}


@checks("cf.audit", against="by hand")
def test_probabilities_by_hand() -> None:
    """DCG: 1/log₂(rank + 1). a: 1 + 1/log₂3, b: 1/log₂3, c: 1; Σ π = 1."""
    runs = {"x": {"q": ["a", "b"]}, "y": {"q": ["c", "a"]}}
    made = audit(runs, 1, depth=2)
    w = {"a": 1 + 1 / np.log2(3), "b": 1 / np.log2(3), "c": 1.0}
    found = dict(zip((doc for _, doc in made.order.pairs), made.order.probabilities, strict=True))
    assert found == pytest.approx({doc: x / sum(w.values()) for doc, x in w.items()})


def test_about_as_many_are_drawn_as_asked_for() -> None:
    sizes = [audit(RUNS, 100, "P@10", depth=10, seed=seed).to_judge for seed in range(40)]
    assert np.mean(sizes) == pytest.approx(100, abs=5)
    assert audit(RUNS, 100, "P@10", depth=10).order.probabilities.sum() == pytest.approx(100)


@checks("cf.audit", against="simulation")
def test_each_is_drawn_as_often_as_it_should() -> None:
    """The first 60 of the order, weighted by their probabilities, count all: 1,000 seeds."""
    made = [audit(RUNS, 60, "RBP(p=0.8)@5", depth=5, seed=seed) for seed in range(300)]
    every = len(made[0].order)
    for count in (40, 60):
        counts = [float((1 / one.order.compute_probabilities(count)[:count]).sum()) for one in made]
        assert np.mean(counts) == pytest.approx(every, rel=0.03)


def test_ranks_without_weight_are_not_in_it() -> None:
    made = audit(RUNS, 10, "P@5", depth=20)
    top = {(t, d) for run in RUNS.values() for t, docs in run.items() for d in docs[:5]}
    assert {*made.order.pairs} == top


def test_ratios_draw_from_the_whole_pool() -> None:
    """nDCG@2: 1/log₂(rank + 1), at least 1/log₂3, in each run; any may be in the ideal list."""
    made = audit({"x": {"q": ["a", "b", "c"]}, "y": {"q": ["c", "a", "d"]}}, 2, "nDCG@2", depth=3)
    least = 1 / np.log2(3)
    w = {"a": 1 + least, "b": 2 * least, "c": 1 + least, "d": 2 * least}
    found = dict(zip((doc for _, doc in made.order.pairs), made.order.probabilities, strict=True))
    assert found == pytest.approx({doc: 2 * x / sum(w.values()) for doc, x in w.items()})


def test_more_go_on_where_fewer_stopped() -> None:
    few, many = (audit(RUNS, size, "P@10", depth=10, seed=2) for size in (50, 120))
    assert {*few.order.pairs[: few.to_judge]} <= {*many.order.pairs[: many.to_judge]}


def test_all_are_to_be_judged() -> None:
    made = audit(RUNS, 10_000, "P@5", depth=5)
    assert made.to_judge == len(made.order)
    assert [n.kind for n in made.notes] == ["audit"]


@pytest.mark.parametrize("format", ["text", "csv", "tsv", "json"])
def test_there_and_back(format: str, tmp_path: Path) -> None:
    made = audit(RUNS, 50, "P@10", depth=10, seed=1)
    path = written(tmp_path / f"audit.{format}", render_audit(made, format))
    read = read_audit(path)
    assert read.pairs == made.order.pairs
    assert np.array_equal(read.probabilities, made.order.probabilities)
    assert np.array_equal(read.draws, made.order.draws)


def test_thresholds() -> None:
    order = AuditOrder((("q", "a"), ("q", "b"), ("q", "c")), np.array([0.8, 0.5, 0.2]),
                       np.array([0.5, 0.9, 1.6]))  # fmt: skip
    assert order.compute_probabilities(2).tolist() == [0.8, 0.5, 0.2]
    assert order.compute_probabilities(1) == pytest.approx([0.72, 0.45, 0.18])
    assert order.compute_probabilities(3).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("size", "measure", "said"),
    [
        (0, "P@10", "found size=0, expected an integer ≥ 1"),
        (5, "P@5 P@10", "found 2 measures, expected one"),
    ],
)
def test_refused(size: int, measure: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        audit(RUNS, size, measure)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q a 0.5\n", ":1: found 3 fields"),
        ("q a 0.5 x\n", ":1: found draw 'x', expected a number ≥ 0"),
        ("q a 1.5 0.1\n", ":1: found probability 1.5, expected a probability"),
        ("q a 0 0.1\n", ":1: found probability 0, expected a probability"),
        (
            "q a 0.5 0.1\nq a 0.5 0.2\n",
            r":2: duplicate document 'a' in topic q \(first on line 1\)",
        ),
        ("", "found no audit"),
    ],
)
def test_malformed_files(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_audit(written(tmp_path / "audit.txt", text))


def test_the_command(tmp_path: Path, cranfield: Command) -> None:
    for run, lists in RUNS.items():
        rows = [f"{t} Q0 {d} {r} {50 - r} {run}\n" for t, docs in lists.items()
                for r, d in enumerate(docs)]  # fmt: skip
        written(tmp_path / f"{run}.run", "".join(rows))
    runs = [tmp_path / "x.run", tmp_path / "y.run"]
    out = cranfield.printed("pool", *runs, "--audit", "40", "--depth", "10", "-f", "csv")
    assert out.splitlines()[0] == "topic,doc,probability,draw,to_judge"
    assert "--to-judge requires --audit N" in cranfield.refused("pool", *runs, "--to-judge", "x")
    assert cranfield("pool", *runs, "--seed", "3").code == 2


def test_from_python() -> None:
    made = cf.audit(cf.pool(RUNS, 10), 40, "P@10")
    assert repr(made).endswith("documents to judge, by P@10, seed 0")
