"""What `mypy --strict` says of a user's file: wrong names and types are told at once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

# A line is wrong if it says so, and is then refused; all others are accepted.
USERS_FILE = '''
import numpy as np
from numpy.typing import NDArray

import cranfield as cf
from cranfield import nDCG, parse_measure

# measures, with and without parameters
cf.nDCG @ 10
cf.nDCG(gain="exp") @ 10
cf.nDCG(gain=(1, 2, 3), rel=2, cutoff=10)
cf.nDCG(gain=[1, 2.5])
cf.nDCG(gain={1: 1, 2: 3})
cf.AP(rel=2)
cf.AP(norm="R", condensed=True) @ 100
cf.INST(T=2, n=100).ETC
cf.RBP.EU
cf.RBP(p=0.8).EU([1, 0])
cf.D(cf.nDCG) @ 10
cf.D(cf.nDCG(gain="exp"))
cf.Dsharp("Q", gamma=0.5) @ 10
cf.ROUGE(n=2)("a text", ["a reference"])
cf.clickU(max_level=2)([(1, 4, 10000)])
cf.NCU(stop="gu", stops=(1, 2))
(cf.P @ 5)([1, 0, None])
nDCG(gain="exp")

cf.nDCG(gian="exp")  # wrong
nDCG(gian="exp")  # wrong
cf.nDCG(gain=None)  # wrong
cf.AP(rel="x")  # wrong
cf.AP([1, 0])  # wrong
cf.AP(condensed="yes")  # wrong
cf.D(cf.nDCG, gama=0.5)  # wrong
cf.D(10)  # wrong
cf.nDGC  # wrong
cf.nDCG @ "ten"  # wrong

at_ten: cf.nDCG = cf.nDCG(gain="exp") @ 10
gain: str | tuple[float, ...] = at_ten.gain
base: cf.Measure = cf.IA(cf.AP).base
several: tuple[cf.Measure, ...] = cf.parse_measures(["AP", cf.nDCG @ 10, cf.P])
some: list[type[cf.Measure]] = [c for c in cf.REGISTRY.values() if c.takes == "lists"]


# figures
picture = cf.plot.runs("qrels.txt", ["bm25.run"], "AP", bars=True, grey=True, depth=10)
cf.plot.topics({"a": {"q1": 0.5}}, against="median", title="Topics", width=240)
picture.save("runs.svg")
cf.plot.runs("qrels.txt", ["bm25.run"], gray=True)  # wrong
cf.plot.pairs("qrels.txt", ["bm25.run"], alpha="5%")  # wrong
cf.plot.heatmap("qrels.txt", ["bm25.run"], font_size="large")  # wrong


# a measure of one's own
@cf.measure
class FirstHit(cf.Measure):
    """1 if the first item is relevant."""

    rel: float | None = cf.param(None, "lowest level that counts as relevant")

    def score(self, x: cf.Lists) -> NDArray[np.float64]:
        return cf.total(x.I * (x.r == 1))


@cf.measure
class Hopeful(cf.UserModel):
    """Goes on with probability p."""

    p: float = cf.param(0.5, "persistence", low=0, high=1)

    def C(self, x: cf.Items) -> NDArray[np.float64]:
        return x.g * 0 + self.p


@cf.measure
def mine(levels: list[float], judged: list[float], p: float = 0.9) -> float:
    return sum(level * p**i for i, level in enumerate(levels))


@cf.measure(lower_is_better=True)
def unseen(docs: list[str], judged_docs: list[str], topic: str) -> float:
    return len(judged_docs) - len(docs)


@cf.measure  # wrong
def words(levels: list[float]) -> str:
    return "many"


mine @ 10
unseen(condensed=True) @ 10
mine(p=0.5)([1, 0, 2])
(mine(p=0.5, condensed=True) @ 10)([1, 0, 2], judged=[2, 1, 1])
cf.parse_measures([mine, mine @ 5, "mine"])
cf.evaluate({"t": {"a": 1}}, {"t": {"a": 0.5}}, {"hit": "Success@10", "own": mine @ 5})
mine @ "ten"  # wrong

FirstHit(rel=2) @ 10
Hopeful(p=0.5, n=10).ED([1, 0, 0])
FirstHit(lvl=2)  # wrong
Hopeful(p="often")  # wrong

# evaluating
scores = cf.evaluate({"t": {"a": 1}}, {"t": {"a": 0.5}}, ["AP", cf.nDCG @ 10, FirstHit])
scores.summary()
cf.evaluate({"t": {"a": 1}}, {"t": {"a": 0.5}}, "AP", depth=3, ties="expected")
cf.evaluate({"t": {"a": 1}}, {"t": {"a": 0.5}}, "AP", depht=3)  # wrong
cf.evaluate_arrays(np.array([1, 0]), {"gbm": np.array([0.2, 0.1])}, [2], cf.nDCG @ 10)
cf.evaluate_arrays([[1, 0]], [[0.2, 0.1]], measures="nDCG@10", ties="expected").summary()
cf.evaluate_arrays([1, 0], [0.2, 0.1], qid=["a", "a"], measures="AP", depht=3)  # wrong
cf.evaluate_arrays([1, 0], group=[2])  # wrong
cf.evalute({"t": {"a": 1}}, {"t": {"a": 0.5}}, "AP")  # wrong
'''


def refused(code: str, place: Path) -> dict[int, str]:
    """The lines of a user's file that mypy refuses, and why.

    It runs where `make lint` ran, and so with what that knows of the package already.
    """
    users = place / "users.py"
    users.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-color-output"]
    done = subprocess.run([*command, str(users)], cwd=ROOT, capture_output=True, text=True, check=False)
    told = [re.fullmatch(r".*users\.py:(\d+): error: (.*)", line) for line in done.stdout.split("\n")]
    assert not done.stderr, done.stderr
    return {int(error[1]): error[2] for error in told if error}


@pytest.mark.slow
def test_mypy_knows_names_and_parameters(tmp_path: Path) -> None:
    found = refused(USERS_FILE, tmp_path)
    lines = dict(enumerate(USERS_FILE.split("\n"), 1))
    wrong = {n for n, line in lines.items() if line.endswith("# wrong")}
    assert {lines[n]: found[n] for n in found.keys() - wrong} == {}
    assert [lines[n] for n in sorted(wrong - found.keys())] == []
    assert any('Unexpected keyword argument "gian" for "nDCG"' in said for said in found.values())
