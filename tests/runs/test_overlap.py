"""Equations of two rankings: RBO against the definition, Kendall's τ against SciPy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.runs.overlap import TieVariant, compute_tau_b
from tests.made import examples

stats = pytest.importorskip("scipy.stats")

SCORES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 4), min_size=1)


def contribute(ranking: dict[str, int], doc: str, depth: int, ties: TieVariant) -> Fraction:
    """Return c of a document: 0 above its tie, 1 below it, and part of it inside."""
    if doc not in ranking:
        return Fraction(0)
    above = sum(score > ranking[doc] for score in ranking.values())
    tied = sum(score == ranking[doc] for score in ranking.values())
    if ties == "w":
        return Fraction(depth > above)
    return min(Fraction(1), max(Fraction(0), Fraction(depth - above, tied)))


def agree(x: dict[str, int], y: dict[str, int], depth: int, ties: TieVariant) -> float:
    """Return A of answers_judges: both rankings reach this depth."""
    docs = x.keys() | y.keys()
    c = {doc: (contribute(x, doc, depth, ties), contribute(y, doc, depth, ties)) for doc in docs}
    common = sum(a * b for a, b in c.values())
    if ties == "a":
        return float(Fraction(common) / depth)
    if ties == "w":
        return float(Fraction(2 * common) / sum(a + b for a, b in c.values()))
    squares = [float(sum(pair[i] ** 2 for pair in c.values())) for i in (0, 1)]
    return float(common) / math.sqrt(squares[0] * squares[1])


@given(st.permutations("abcdefgh"), SCORES, st.sampled_from(get_args(TieVariant)), st.floats(0.1, 0.95))
@settings(max_examples=examples(100))
def test_rbo_same_length_equals_definition(docs: list[str], scores: dict[str, int], ties: TieVariant, p: float) -> None:
    """RBO_ext of rankings of one length l: (1 − p)/p Σ A_d p^d + A_l p^l."""
    y = dict(zip(docs, scores.values(), strict=False))
    x = dict(list(scores.items())[: len(y)])
    l = len(x)
    agreements = [agree(x, y, d, ties) for d in range(1, l + 1)]
    expected = (1 - p) / p * sum(a * p**d for d, a in enumerate(agreements, 1)) + agreements[-1] * p**l
    assert cf.meta.rbo(x, y, p, ties=ties).value == pytest.approx(expected, abs=1e-12)


@given(SCORES, SCORES, st.sampled_from(get_args(TieVariant)))
@settings(max_examples=examples(60))
def test_rbo_long_rankings_bounds_meet(x: Any, y: Any, ties: TieVariant) -> None:
    """With 300 more documents, nothing can change at p = 0.5."""
    more = {f"z{i}": -i for i in range(1, 301)}
    found = cf.meta.rbo({**x, **more}, {**y, **more}, 0.5, ties=ties)
    assert found.minimum == pytest.approx(found.maximum, abs=1e-12)
    assert found.value == pytest.approx(found.maximum, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2)), max_size=60))
@settings(max_examples=examples(200))
def test_tau_b_of_groups_equals_scipy(items: list[tuple[int, int, int]]) -> None:
    x, y, group = np.array(items, dtype=np.int64).reshape(-1, 3).T
    taus = compute_tau_b(x, y, group, 3)
    for g, tau in enumerate(taus.tolist()):
        mine = group == g
        expected = stats.kendalltau(x[mine], y[mine]).statistic if mine.sum() > 1 else math.nan
        assert tau == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_b_many_items_equals_scipy() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3000, 5000), rng.permutation(5000)
    tau = compute_tau_b(x, y, np.zeros(5000, dtype=np.int64), 1)[0]
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
