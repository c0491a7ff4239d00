"""Rank correlation: of two rankings, between measures and between sets of judgments."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.cli.main import main
from cranfield.errors import CranfieldError, InputError
from cranfield.meta.concordance import concordance
from cranfield.meta.correlation import CorrelationMatrix, correlation
from cranfield.meta.rankings import (
    STATISTICS,
    RboKind,
    kendall,
    rbo,
    spearman,
    tau_ap,
    tau_ap_symmetric,
)
from cranfield.runs.overlap import TieVariant
from cranfield.scores import Note, Scores
from cranfield.stats.resampling import create_generator
from tests.evidence import checks
from tests.made import examples

RANKED = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)  # few values: many ties
UNTIED = st.permutations(range(6))


def close(value: float) -> object:
    return pytest.approx(value, rel=0, abs=1e-12)


# -- Kendall and Spearman -----------------------------------------------------------------------


@checks("cf.meta.kendall", against="by hand")
def test_kendall_by_hand() -> None:
    """x: a > b > c > d > e; y: b > a > c > e > d. 8 of 10 pairs are alike, (a, b), (d, e) not."""
    x = dict(zip("abcde", [5, 4, 3, 2, 1], strict=True))
    y = dict(zip("baced", [5, 4, 3, 2, 1], strict=True))
    assert kendall(x, y).value == close((8 - 2) / 10)
    assert kendall(x, y).n == 5


def test_kendall_with_ties_by_hand() -> None:
    """Of 6 pairs 4 are alike, one is tied in x, one in y: √(5 · 5) pairs are not tied."""
    x, y = [3, 3, 2, 1], [4, 3, 1, 1]
    assert kendall(x, y).value == close(4 / 6)
    assert kendall(x, y, variant="b").value == close(4 / 5)


@checks("cf.meta.kendall", "cf.meta.spearman", against="SciPy")
@given(RANKED)
@settings(max_examples=examples(60))
def test_kendall_b_and_spearman_are_scipys(pairs: list[tuple[int, int]]) -> None:
    from scipy import stats

    x, y = ([pair[k] / 7 for pair in pairs] for k in (0, 1))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(kendall(x, y, "b").value)
        assert math.isnan(spearman(x, y).value)
        return
    ours, theirs = kendall(x, y, "b"), stats.kendalltau(x, y)
    assert (ours.value, ours.pvalue) == (close(theirs.statistic), close(theirs.pvalue))
    rho, its = spearman(x, y), stats.spearmanr(x, y)
    assert rho.value == close(its.statistic)
    if len(x) > 2 and abs(rho.value) < 1 - 1e-9:  # where t = ρ √(n − 2) / √(1 − ρ²) is finite
        assert rho.pvalue == close(its.pvalue)


def test_the_p_value_of_few_systems_is_exact() -> None:
    """Of 4! orders, one is as the other ranking and one is its reverse."""
    assert kendall([4, 3, 2, 1], [8, 7, 6, 5]).pvalue == close(2 / 24)


def test_kendall_rounding_error_is_tie() -> None:
    """0.1 + 0.2 is not 0.3 in floating point."""
    assert kendall([0.1 + 0.2, 0.3, 0.1], [0.3, 0.2, 0.1]).value == close(2 / 3)


def test_rounding_is_relative_to_the_largest_score() -> None:
    """1e-12 · 1e6 = 1e-6, which 2e-7 is below."""
    assert kendall([1e6, 1e6 + 2e-7], [1, 2]).value == 0


def test_series_are_paired_by_name() -> None:
    x = pd.Series({"a": 3.0, "b": 2.0, "c": 1.0})
    assert kendall(x, x[::-1]).value == 1
    assert rbo(x, x[::-1]).value == close(1)


def test_intervals_are_of_fishers_z() -> None:
    """Of 13 systems: artanh τ ± 1.96 · √(0.437 / 9); of ρ, √((1 + ρ²/2) / 10)."""
    x, y = list(range(13)), [2, 0, 3, 1, 4, 7, 5, 6, 12, 9, 11, 8, 10]
    z = 1.959963984540054
    tau, rho = kendall(x, y), spearman(x, y)
    for found, half in (
        (tau, z * math.sqrt(0.437 / 9)),
        (rho, z * math.sqrt((1 + rho.value**2 / 2) / 10)),
    ):
        interval = found.confidence_interval(0.95)
        assert interval is not None
        assert interval.low == close(math.tanh(math.atanh(found.value) - half))
        assert interval.high == close(math.tanh(math.atanh(found.value) + half))


def test_there_is_no_interval_without_an_approximation() -> None:
    for found in (kendall([1, 2, 3, 4], [1, 2, 4, 3]), spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])):
        interval = found.confidence_interval()
        assert interval is not None
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
    assert tau_ap([1, 2, 3], [1, 3, 2]).confidence_interval() is None
    assert rbo(["a"], ["b"]).pvalue is None


# -- AP correlation -----------------------------------------------------------------------------


@checks("cf.meta.tau_ap", "cf.meta.tau_ap_symmetric", against="by hand")
def test_ap_correlation_by_hand() -> None:
    """Gold a > b > c > d, evaluated d > a > b > c: correct(2, 3, 4) are 0, 1, 2; the other way
    round, evaluated a > b > c > d by the gold d > a > b > c, they are 1, 2, 0.
    """
    abcd = dict(zip("abcd", [4, 3, 2, 1], strict=True))
    dabc = dict(zip("dabc", [4, 3, 2, 1], strict=True))
    assert tau_ap(dabc, gold=abcd).value == close(2 / 3 * (0 + 1 / 2 + 2 / 3) - 1)  # −2/9
    assert tau_ap(abcd, gold=dabc).value == close(2 / 3 * (1 + 1 + 0) - 1)  # 1/3
    assert tau_ap_symmetric(abcd, dabc).value == close((-2 / 9 + 1 / 3) / 2)


@checks("cf.meta.tau_ap", "cf.meta.tau_ap_symmetric", against="Urbano and Marrero 2017")
def test_ap_correlation_with_ties_is_that_of_its_authors() -> None:
    """The example in the manual of Urbano and Marrero's R package ircor, with its output; there
    0.45 was rounded to the even digit (with 0.5 in its place the last value would be another).
    """
    x = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    tied_x = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
    tied_y = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]
    assert tau_ap(y, gold=x).value == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(tied_y, gold=x).value == pytest.approx(0.39903, abs=5e-7)
    assert tau_ap_symmetric(x, tied_y, "b").value == pytest.approx(0.3317019, abs=5e-8)
    assert tau_ap_symmetric(tied_x, tied_y, "b").value == pytest.approx(0.339418, abs=5e-7)


def orders(scores: Mapping[str, float]) -> list[list[str]]:
    """All orders of the systems by their scores, tied ones each way."""
    return [list(order) for order in permutations(scores) if all(scores[a] >= scores[b] for a, b in pairwise(order))]


def naive_ap(evaluated: Sequence[str], gold: Sequence[str]) -> float:
    """Eq. 52 of seed 001, system by system."""
    total = 0.0
    for r in range(1, len(evaluated)):
        here = gold.index(evaluated[r])
        total += sum(gold.index(name) < here for name in evaluated[:r]) / r
    return 2 * total / (len(evaluated) - 1) - 1


TIED: list[tuple[dict[str, float], dict[str, float]]] = [
    ({"a": 3, "b": 3, "c": 2, "d": 1}, {"a": 1, "b": 4, "c": 2, "d": 2}),
    ({"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 2, "c": 2, "d": 2}),
    ({"a": 2, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 1, "c": 3, "d": 2}),
]


@checks("cf.meta.tau_ap", against="enumeration")
@pytest.mark.parametrize(("x", "y"), TIED)
def test_ties_of_ap_correlation_are_the_mean_over_all_orders(x: dict[str, float], y: dict[str, float]) -> None:
    every = [naive_ap(a, b) for a, b in product(orders(x), orders(y))]
    assert tau_ap(x, gold=y).value == close(math.fsum(every) / len(every))


# -- rank-biased overlap ------------------------------------------------------------------------


def naive_rbo(x: Sequence[str], y: Sequence[str], p: float, depth: int = 400) -> float:
    """The definition, of lists so long that the rest weighs nothing."""
    total, seen_x, seen_y, both = 0.0, set[str](), set[str](), 0
    for d in range(1, depth + 1):
        seen_x.add(x[d - 1])
        seen_y.add(y[d - 1])
        both += (x[d - 1] in seen_y) + (y[d - 1] in seen_x) - (x[d - 1] == y[d - 1])
        total += (1 - p) * p ** (d - 1) * both / d
    return total


def going_on(x: Sequence[str], y: Sequence[str], alike: bool) -> tuple[list[str], list[str]]:
    """The lists with 400 more items, which agree as little or as early as they can."""
    if not alike:
        return [*x, *(f"x{k}" for k in range(400))], [*y, *(f"y{k}" for k in range(400))]
    more = [f"z{k}" for k in range(400)]
    return [*x, *(n for n in y if n not in x), *more], [*y, *(n for n in x if n not in y), *more]


LISTS = [("abcde", "bcdae"), ("abc", "abcde"), ("ab", "cdef"), ("dabx", "adbcef"), ("a", "a")]


@checks("cf.meta.rbo", against="by hand")
def test_rbo_by_hand() -> None:
    """X_d = 0, 1, 2, 4, 5: 1/9 · (0.81/2 + 2 · 0.729/3 + 0.6561 + 0.59049) + 0.59049."""
    by_hand = (0.405 + 0.486 + 0.6561 + 0.59049) / 9 + 0.59049
    assert rbo(list("abcde"), list("bcdae"), p=0.9).value == close(by_hand)


def test_rbo_of_lists_of_different_lengths_by_hand() -> None:
    """s = 1, l = 2, X = 1, 1; Eq. 32: (1 · p + 1/2 · p² + 1 · 1/2 · p²) (1 − p)/p + (0/2 + 1) p²,
    which is 1: the short list is taken to go on as it began.
    """
    assert rbo(["a"], ["a", "b"], p=0.7).value == close(1.0)
    # X = 0, 1: (1 − p)/p · p²/2 + 1/2 · p² for p = 0.5 is 1/8 + 1/8
    assert rbo(["b"], ["a", "b"], p=0.5).value == close(0.25)


@checks("cf.meta.rbo", against="second writing")
@pytest.mark.parametrize(("x", "y"), LISTS)
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_rbo_min_and_residual_are_its_bounds(x: str, y: str, p: float) -> None:
    least = naive_rbo(*going_on(x, y, alike=False), p)
    most = naive_rbo(*going_on(x, y, alike=True), p)
    found = {kind: rbo(list(x), list(y), p, kind).value for kind in ("ext", "min", "res")}
    assert found["min"] == close(least)
    assert found["res"] == close(most - least)
    assert least - 1e-12 <= found["ext"] <= most + 1e-12


def test_rbo_of_the_same_and_of_other_lists() -> None:
    assert rbo(list("abc"), list("abc")).value == close(1.0)
    assert rbo(list("abc"), list("def")).value == 0.0
    assert rbo(list("abc"), list("def"), kind="min").value == 0.0


@checks("cf.meta.rbo", against="by hand")
@pytest.mark.parametrize(("ties", "value"), [("a", 0.7507), ("w", 0.7870), ("b", 0.8023)])
def test_rbo_tie_variants_worked_example(ties: TieVariant, value: float) -> None:
    """(a b) c d and b a (e c) at p = 0.8, computed independently of this project."""
    x, y = {"a": 3, "b": 3, "c": 2, "d": 1}, {"b": 4, "a": 3, "e": 2, "c": 2}
    assert rbo(x, y, 0.8, ties=ties).value == pytest.approx(value, abs=5e-5)


def test_rbo_bounds_worked_example() -> None:
    found = rbo(list("abcd"), list("bade"), 0.9)
    numbers = [found.value, found.minimum, found.maximum]
    assert numbers == pytest.approx([0.69075, 0.39553, 0.854775], abs=5e-6)


@given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=1),
       st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=1))  # fmt: skip
def test_rbo_tie_variants_order_bounds_and_identity(x: dict[str, float], y: dict[str, float]) -> None:
    """Variant b of a ranking and itself is 1, a is never above b, and ext is within the bounds."""
    for ties in get_args(TieVariant):
        found = rbo(x, y, 0.8, ties=ties)
        assert found.minimum is not None
        assert found.maximum is not None
        assert found.minimum - 1e-12 <= found.value <= found.maximum + 1e-12
        assert rbo(y, x, 0.8, ties=ties).value == close(found.value)
    assert rbo(x, x, 0.8, ties="b").value == close(1.0)
    assert rbo(x, y, 0.8, ties="a").value <= rbo(x, y, 0.8, ties="b").value + 1e-12
    untied = [rbo(list(x), list(y), 0.8, ties=ties).value for ties in get_args(TieVariant)]
    assert untied == pytest.approx([untied[0]] * 3, rel=0, abs=1e-12)


UNEVEN: tuple[dict[str, float], dict[str, float]] = (
    {"a": 2, "b": 2},
    {"c": 3, "a": 1, "d": 1, "b": 1},
)


@checks("cf.meta.rbo", against="enumeration")
@pytest.mark.parametrize(
    ("x", "y", "kind"),
    [(*pair, kind) for pair in TIED for kind in ("ext", "min", "max", "res")] + [(*UNEVEN, "min")],
)
def test_rbo_variant_a_equals_mean_over_orders(x: dict[str, float], y: dict[str, float], kind: RboKind) -> None:
    every = [rbo(a, b, 0.8, kind).value for a, b in product(orders(x), orders(y))]
    assert rbo(x, y, 0.8, kind).value == close(math.fsum(every) / len(every))


# -- all of them --------------------------------------------------------------------------------


@given(UNTIED)
@settings(max_examples=examples(30))
def test_statistics_equal_rankings_1_reversed_minus_1(order: list[int]) -> None:
    back = [-v for v in order]
    for statistic in (kendall, spearman, tau_ap, tau_ap_symmetric):
        assert statistic(order, order).value == close(1.0)
        assert statistic(order, back).value == close(-1.0)


@given(RANKED)
@settings(max_examples=examples(40))
def test_values_have_their_range_and_symmetry(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array([[float(pair[k]) for pair in pairs]]) for k in (0, 1))
    for name, statistic in STATISTICS.items():
        there, back = (float(statistic(*z)[0, 0]) for z in ((x, y), (y, x)))
        if math.isnan(there):
            assert len(set(x[0])) == 1 or len(set(y[0])) == 1
            continue
        assert (0.0 if name == "rbo" else -1.0) - 1e-12 <= there <= 1 + 1e-12
        if name != "tau-ap":
            assert there == close(back)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (
            lambda: kendall({"a": 1, "b": 2}, {"a": 1, "c": 2}),
            "found 2 systems (b, c) in only one ranking, expected the same systems in both",
        ),
        (
            lambda: kendall({"a": 1, "b": 2}, [1, 2]),
            "only one of the two sets of scores has names. Give names to both or to neither.",
        ),
        (
            lambda: kendall([1, 2], [1, 2, 3]),
            "found 2 and 3 scores, expected equal numbers of scores",
        ),
        (lambda: kendall([1], [1]), "found 1 system, expected at least 2"),
        (lambda: kendall([1, 2], [1, math.nan]), "found y with nan"),
        (lambda: kendall([1, 2], [1, 2], "c"), "variant='c'"),  # type: ignore[arg-type]
        (lambda: rbo(["a", "a"], ["b"]), "duplicate name 'a' in x"),
        (lambda: rbo([0.5, 0.25], [0.5, 0.25]), "found x with numbers, expected names"),
        (lambda: rbo("ab", "ba"), "found x='ab', expected names"),
        (lambda: rbo(["a"], []), "found y=[], expected a ranking of names"),
        (lambda: rbo(["a"], ["a"], p=1), "p=1"),
    ],
)
def test_rank_correlation_invalid_ranking_raises(call: Callable[[], object], found: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert found in str(error.value)


# -- between measures, between sets -------------------------------------------------------------


def make(seed: int = 0, runs: int = 6, topics: int = 8, measures: str = "AP Q RR") -> Scores:
    """Runs of different strength, measures that agree more or less."""
    random = np.random.default_rng(seed)
    names = measures.split()
    values = random.random((runs, 1, 1)) + random.normal(size=(runs, topics, len(names))) * 0.3
    return Scores(
        values,
        tuple(f"r{r}" for r in range(runs)),
        tuple(str(300 + t) for t in range(topics)),
        tuple(names),
        ("mean",) * len(names),
    )


def means(scores: Scores, measure: str) -> dict[str, float]:
    return {run: of_run[measure] for run, of_run in scores.summary().items()}


def same(a: CorrelationMatrix, b: CorrelationMatrix) -> bool:
    return all(
        np.array_equal(x, y, equal_nan=True) for x, y in ((a.values, b.values), (a.low, b.low), (a.high, b.high))
    )


@checks("cf.meta.correlation", against="property")
def test_values_are_those_of_the_means() -> None:
    scores = make()
    ap, q = means(scores, "AP"), means(scores, "Q")
    expected = {
        "kendall": kendall(ap, q),
        "kendall-b": kendall(ap, q, "b"),
        "tau-ap": tau_ap(ap, gold=q),
        "tau-ap-symmetric": tau_ap_symmetric(ap, q),
        "tau-ap-b": tau_ap_symmetric(ap, q, "b"),
        "spearman": spearman(ap, q),
        "rbo": rbo(ap, q, 0.8),
    }
    assert set(expected) == set(STATISTICS)
    for statistic, by_two in expected.items():
        found = correlation(scores, statistic=statistic, p=0.8, trials=5)
        assert found["AP", "Q"].mean == close(by_two.value)


@checks("cf.meta.correlation interval", against="SciPy")
def test_intervals_are_quantiles_of_resampled_topics() -> None:
    """One trial after the other, with SciPy's τ; shifted by (value − mean of the trials)."""
    from scipy import stats

    scores, trials = make(), 40
    drawn = create_generator(3, 0).multinomial(8, np.full(8, 1 / 8), size=trials)
    taus = []
    for counts in drawn:
        x, y = (np.repeat(scores.values[:, :, m], counts, axis=1).mean(axis=1) for m in (0, 1))
        taus.append(stats.kendalltau(x, y).statistic)
    value = kendall(means(scores, "AP"), means(scores, "Q")).value
    low, high = (sorted(taus)[k] + value - np.mean(taus) for k in (1, 37))  # 2nd and 38th of 40
    found = correlation(scores, confidence=0.9, trials=trials, seed=3)["AP", "Q"]
    assert (found.low, found.high) == (close(low), close(min(high, 1.0)))
    assert (found.n, found.trials, found.seed, found.confidence) == (8, 40, 3, 0.9)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_seed_decides_and_threads_do_not(statistic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.stats.resampling.CELLS", 500)  # so that there are many chunks
    scores = make()
    first = correlation(scores, statistic=statistic, trials=30, threads=1)
    assert same(first, correlation(scores, statistic=statistic, trials=30, threads=3))
    assert not same(first, correlation(scores, statistic=statistic, trials=30, seed=1))
    assert np.all((first.low <= first.values + 1e-12) & (first.values <= first.high + 1e-12))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_correlation_independent_of_other_measures(statistic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interval is the same whichever other measures are asked for, in many chunks of trials."""
    monkeypatch.setattr("cranfield.stats.resampling.CELLS", 500)
    scores, others = make(0, measures="AP Q RR P"), make(1, measures="AP Q RR P")
    few, many = (
        correlation(scores, statistic=statistic, measures=names, trials=40)
        for names in (["AP", "Q"], ["RR", "AP", "P", "Q"])
    )
    alone, together = (correlation(scores, others, statistic, names, trials=40) for names in (["Q"], None))
    for x, y, pair in (
        (few, many, ("AP", "Q")),
        (few, many, ("Q", "AP")),
        (alone, together, ("Q", "Q")),
    ):
        ends = [(at.low, at.mean, at.high) for at in (x[pair], y[pair])]
        assert ends[0] == tuple(map(close, ends[1]))


def test_the_first_set_is_gold() -> None:
    """By the first set a > b > c > d, by the other d > a > b > c: τ_ap = 2/3 (0 + 1/2 + 2/3) − 1,
    and 1/3 the other way round, as above.
    """
    first, other = (
        Scores(np.array([[[x], [x]] for x in of_run]), (*"abcd",), ("1", "2"), ("AP",), ("mean",))
        for of_run in ([4, 3, 2, 1], [3, 2, 1, 4])
    )
    assert correlation(first, other, "tau-ap", trials=2)["AP", "AP"].mean == close(-2 / 9)
    assert correlation(other, first, "tau-ap", trials=2)["AP", "AP"].mean == close(1 / 3)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_correlation_equal_sets_interval_has_no_width(statistic: str) -> None:
    scores = make()
    found = correlation(scores, scores, statistic, trials=20)
    assert found.between == "sets"
    for row in found.rows():
        assert row["x"] == row["y"]
        assert (row["value"], row["low"], row["high"]) == (close(1.0),) * 3


def test_sets_are_paired_by_name() -> None:
    scores, others = make(0), make(1)
    moved = others.select(others.runs[::-1], others.topics[::-1])
    assert same(correlation(scores, others, trials=20), correlation(scores, moved, trials=20))


def test_subsets_of_topics_are_compared_and_named() -> None:
    scores = make()
    even, odd = (scores.select(topics=scores.topics[k::2]) for k in (0, 1))
    found = correlation(even, odd, trials=50)
    assert found.topics == 8
    expected = kendall(means(even, "AP"), means(odd, "AP")).value
    assert found["AP", "AP"].mean == close(expected)
    assert found["AP", "AP"].low < expected
    assert "only one set has scores of 8 topics (300, 302, 304, 306, 301, …)" in [note.text for note in found.notes]


def test_correlation_lower_is_better_reversed_and_neither_excluded() -> None:
    scores = make(measures="AP cost num_ret")
    values = scores.values.copy()
    values[:, :, 1] = -values[:, :, 0]
    better = ("higher", "lower", "neither")
    turned = Scores(values, scores.runs, scores.topics, scores.measures, scores.summaries,
                    better=better)  # fmt: skip
    found = correlation(turned, statistic="tau-ap", trials=20)
    assert found.names == ("AP", "cost")
    assert found["AP", "cost"].mean == close(1.0)
    assert found["AP", "cost"].low == close(1.0)
    assert [note.kind for note in found.notes] == ["left-out", "turned-round"]


@pytest.mark.parametrize("undefined", ["zero", "skip"])
def test_correlation_undefined_topic_excluded_from_measure(undefined: str) -> None:
    scores = make()
    values = scores.values.copy()
    values[0, 2, 0] = np.nan
    names = (scores.runs, scores.topics, scores.measures, scores.summaries)
    found = correlation(Scores(values, *names, undefined=undefined), trials=20)
    without = [topic for topic in scores.topics if topic != "302"]
    ap = means(scores.select(topics=without), "AP")
    assert found["AP", "Q"].mean == close(kendall(ap, means(scores, "Q")).value)
    assert not np.isnan(found.low).any()
    assert [n.text for n in found.notes] == ["AP: 1 topic (302) excluded, undefined for a run"]


@pytest.mark.parametrize("side", [0, 1])
def test_correlation_topic_undefined_in_one_set_excluded_from_both(side: int) -> None:
    """Otherwise means over other topics would be compared."""
    sets = [make(0, measures="AP"), make(1, measures="AP")]
    kept = [topic for topic in sets[0].topics if topic != "302"]
    first, second = (one.select(topics=kept) for one in sets)
    expected = correlation(first, second, trials=5)
    values = sets[side].values.copy()
    values[0, 2] = np.nan
    one = sets[side]
    sets[side] = Scores(values, one.runs, one.topics, one.measures, one.summaries)
    found = correlation(sets[0], sets[1], trials=5)
    assert found["AP", "AP"].mean == close(expected["AP", "AP"].mean)
    assert np.array_equal(found.means, expected.means)
    assert [n.kind for n in found.notes] == ["undefined"]


def test_correlation_no_comparable_measure_raises_with_reason() -> None:
    scores = make(measures="AP Q")
    values = scores.values.copy()
    values[0, 1:, 1] = np.nan
    flawed = Scores(values, scores.runs, scores.topics, scores.measures, scores.summaries)
    said = r"1 comparable measure \(Q excluded: defined for 1 topic only\)"
    with pytest.raises(CranfieldError, match=said):
        correlation(flawed)


def test_dicts_are_scores() -> None:
    given = make(measures="AP Q")
    found = correlation(given.to_dict(), trials=5)
    assert same(found, correlation(given, trials=5))
    assert repr(found) == (
        f"CorrelationMatrix of kendall, 6 runs, {len(given.topics)} topics: AP – Q {found['AP', 'Q'].mean:.4f}"
    )


def test_geometric_means_rank_by_themselves() -> None:
    """Arithmetic means 0.5 and 0.455, geometric ones √(0.01 · 0.99) and √(0.45 · 0.46)."""
    scores = Scores(
        np.array([[[0.01, 0.01], [0.99, 0.99]], [[0.45, 0.45], [0.46, 0.46]]]),
        ("a", "b"), ("1", "2"), ("AP", "GMAP"), ("mean", "gmean"),
    )  # fmt: skip
    assert correlation(scores, trials=5)["AP", "GMAP"].mean == -1.0


@pytest.mark.parametrize("statistic", STATISTICS)
def test_correlation_constant_measure_has_note(statistic: str) -> None:
    scores = make(measures="AP Q")
    values = scores.values.copy()
    values[:, :, 1] = 0.5
    flat = Scores(values, scores.runs, scores.topics, scores.measures, scores.summaries)
    found = correlation(flat, statistic=statistic, trials=5)
    undefined = statistic in ("kendall-b", "tau-ap-b", "spearman")
    assert math.isnan(found["AP", "Q"].mean) == undefined
    assert math.isnan(found["AP", "Q"].low) == undefined
    assert [n.text for n in found.notes] == ["Q cannot rank the runs: all have the same mean"]


@pytest.mark.parametrize(("runs", "kinds"), [(3, ["few-runs"]), (4, [])])
def test_few_runs_agree_by_chance(runs: int, kinds: list[str]) -> None:
    found = correlation(make(runs=runs), trials=5)
    assert [note.kind for note in found.notes] == kinds


def test_correlation_interval_equal_for_reversed_measure() -> None:
    scores = make(measures="AP Q")
    names = (scores.runs, scores.topics, scores.measures, scores.summaries)
    turned = Scores(scores.values * [1, -1], *names, better=("higher", "lower"))
    found = [correlation(x, trials=50)["AP", "Q"] for x in (scores, turned)]
    assert (found[0].low, found[0].high) == (found[1].low, found[1].high)
    assert found[0].low < found[0].high


def test_geometric_means_are_resampled_by_logarithms() -> None:
    values = np.random.default_rng(4).random((5, 6, 2))
    logs = np.stack([np.log(values[:, :, 0]), values[:, :, 1]], axis=2)
    names = (tuple("abcde"), tuple("123456"), ("AP", "Q"))
    of_scores = correlation(Scores(values, *names, ("gmean", "mean")), trials=50)["AP", "Q"]
    of_logs = correlation(Scores(logs, *names, ("mean", "mean")), trials=50)["AP", "Q"]
    assert (of_scores.low, of_scores.high) == (close(of_logs.low), close(of_logs.high))


def test_correlation_keeps_notes_of_scores() -> None:
    note = Note("ties", "ties could change a score")
    scores = make(measures="AP Q G")
    names = (scores.runs, scores.topics, scores.measures, scores.summaries)
    told = Scores(scores.values, *names, notes=(note,))
    assert note in correlation(told, trials=5).notes
    assert note in concordance(told, "G").notes


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: correlation(make(measures="AP")), "found 1 comparable measure"),
        (lambda: correlation(make(), make(runs=7)), "found 1 run (r6) in only one set of scores"),
        (lambda: correlation(make(runs=1)), "found 1 run"),
        (lambda: correlation(make(topics=1)), "found 1 topic"),
        (lambda: correlation(make(), make(measures="AP Q")), "no scores of RR"),
        (lambda: correlation(make(), statistic="tau"), "statistic='tau'"),
        (lambda: correlation(make(), confidence=95), "found confidence=95"),
        (lambda: correlation(make(), trials=0), "found trials=0"),
        (lambda: correlation(make(), make(1), trials=5, names=["x", "x"]), "found names x, x"),
        (lambda: correlation(make(), statistic="rbo", p=0), "found p=0"),
        (lambda: correlation(make())["AP", "ERR"], "unknown measure 'ERR'. Measures: AP"),
    ],
)
def test_correlation_invalid_arguments_raise(call: Callable[[], object], found: str) -> None:
    with pytest.raises(CranfieldError) as error:
        call()
    assert found in str(error.value)


# -- tables, pictures, the command --------------------------------------------------------------


def test_build_tables_symmetric_matrix_is_upper_triangle() -> None:
    found = correlation(make(), trials=20)
    matrix, pairs = found._build_tables()
    shown = [field.cell_texts for field in matrix.fields]
    assert [field.head or field.name for field in matrix.fields] == ["measure", "Q", "RR"]
    assert shown[0] == ["AP", "Q"]
    assert shown[1][0].startswith(f"{found['AP', 'Q'].mean:.4f} [{found['AP', 'Q'].low:.4f}, ")
    assert shown[1][1] == ""
    assert [(row["x"], row["y"]) for row in pairs.rows] == [("AP", "Q"), ("AP", "RR"), ("Q", "RR")]
    assert pairs.rows[0]["value"] == found["AP", "Q"].mean
    assert "6 runs on 8 topics, 95% bootstrap intervals over topics (20 trials, seed 0)" in (matrix.caption)
    assert b"\\begin{tabular}" in found.to_latex("matrix").encode()


def test_build_tables_tau_ap_has_both_triangles() -> None:
    found = correlation(make(), statistic="tau-ap", trials=5)
    matrix, pairs = found._build_tables()
    assert [field.cell_texts[0] == "" for field in matrix.fields[1:]] == [True, False, False]
    assert len(pairs.rows) == 6


def test_build_figure_has_values() -> None:
    between = correlation(make(), trials=5)
    map_ = between._build_figure()
    assert map_.data["value"].to_list() == [row["value"] for row in between.rows()]
    svg = map_.render("svg").decode()
    assert f"{between['AP', 'Q'].mean:.4f}" in svg
    sets = correlation(make(0), make(1), trials=5)
    scatter = sets._build_figure()
    assert scatter.data.filter(scatter.data["measure"] == "AP")["first"].to_list() == [
        close(mean) for mean in means(make(0), "AP").values()
    ]
    assert "r5" in scatter.render("svg").decode()
    named = correlation(make(0), make(1), "tau-ap", trials=5, names=["people", "llm"])
    assert "mean by llm" in named._build_figure().render("json").decode()
    caption = named._build_tables()[0].caption
    assert "between the rankings by people and llm, gold: people" in caption


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Judgments, others, and three runs that find d1 at ranks 1, 2 and 3."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n2 0 d2 0\n")
    Path("other").write_text("1 0 d1 0\n1 0 d3 1\n2 0 d1 0\n2 0 d3 1\n")
    for rank, name in enumerate("abc"):
        docs = ["d2", "d3"]
        docs.insert(rank, "d1")
        lines = [f"{t} Q0 {d} {k} {9 - k} {name}\n" for t in (1, 2) for k, d in enumerate(docs)]
        Path(name).write_text("".join(lines))
    return ["qrels", "a", "b", "c"]


def test_the_command_prints_rows(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-m", "AP RR", "--trials", "20", "-f", "tsv"]
    assert main(["meta", "correlation", *files, *arguments]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split("\t")[:6] == ["x", "y", "statistic", "value", "low", "high"]
    assert row.split("\t")[:6] == ["AP", "RR", "kendall", "1.0", "1.0", "1.0"]


def test_the_command_compares_two_sets_of_judgments(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """By the other judgments, d3 is at ranks 3, 3 and 2: c is first, a and b are tied. Of the
    pairs with a or b and c, both are reversed: τ_a = −2/3.
    """
    arguments = ["-m", "AP", "--qrels2", "other", "--trials", "20", "-f", "json"]
    assert main(["meta", "correlation", *files, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"] == {
        **{"statistic": "kendall", "p": None, "confidence": 0.95},
        **{"runs": 3, "topics": 2, "trials": 20, "seed": 0},
    }
    (row,) = found["pairs"]
    assert (row["measure"], row["value"]) == ("AP", close(-2 / 3))
    assert (row["runs"], row["topics"], row["trials"]) == (3, 2, 20)


def test_the_command_draws(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-m", "AP RR", "--statistic", "rbo", "--p", "0.8", "--plot", "map.csv"]
    assert main(["meta", "correlation", *files, *arguments]) == 0
    shown, told = capsys.readouterr()
    assert "RBO (p = 0.8) between the rankings by two measures" in shown
    assert "only 3 runs: their rankings can easily agree by chance" in told
    assert Path("map.csv").read_text().splitlines()[0] == "x,y,value,low,high"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--p", "0.8"], "--p requires --statistic rbo"),
        (["--plot", "map.txt"], "found map.txt, expected a name that ends in"),
        (
            ["--plot", "nowhere/map.svg"],
            "cannot write nowhere/map.svg: directory nowhere does not exist",
        ),
        (["--scores", "--qrels2", "other"], "use either --qrels2 or --scores, not both"),
        (["--qrels2", "-"], "standard input (-) cannot be used with --qrels2"),
        (["-m", "AP"], "found 1 comparable measure, expected at least 2"),
    ],
)
def test_command_invalid_options_raise(
    files: list[str], arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", "correlation", *files, *arguments]) == 2
    assert said in capsys.readouterr().err
