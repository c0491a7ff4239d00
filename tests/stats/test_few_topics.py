"""Few topics: the smallest p-value of each test, and the verdicts that it excludes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

import cranfield as cf
from cranfield.stats.families import TESTS, compare_pairs
from tests.coverage_simulated import level
from tests.made import scored

FREE = ("randomised-tukey", "randomisation", "wilcoxon", "sign", "bootstrap", "bootstrap-shift")


def two(n: int) -> dict[str, list[float]]:
    """Runs of which the first is better on every topic, by about 0.2."""
    return {"x": [0.6 + 0.01 * i for i in range(n)], "y": [0.4 + 0.013 * i for i in range(n)]}


def compared(n: int, test: str, alpha: float = 0.05, runs: int = 2) -> cf.Comparison:
    rows = [0.1 * np.sin(np.arange(n)) + k * (0.2 + 0.003 * np.arange(n)) for k in range(runs)]
    return cf.compare(scored(rows, tuple("abcdefgh"[:runs])), test=test, alpha=alpha)


def test_smallest_pvalue_sign_flips_enumerated_is_2_to_the_1_minus_n() -> None:
    """Two of the 2ⁿ ways to sign n differences have the largest |sum|."""
    for n in range(1, 9):
        ways = [abs(sum(signs)) for signs in product((-1, 1), repeat=n)]
        share = Fraction(ways.count(n), len(ways))
        assert TESTS["randomisation"].limit_p(n) == TESTS["sign"].limit_p(n) == share


def test_smallest_pvalue_pair_of_three_enumerated_is_not_that_of_all_orders() -> None:
    """Systems a and b are equal, c is always between them: 3 topics, values 1, 0, −1.

    a is above b on every topic, or below, in 2 of 8 cases. One of the 36 ways to permute the
    scores of the other topics has as large a range: a p-value of 1/36 comes with probability 1/4.
    """
    best = 6  # the range of sums, if all topics have one order
    orders = [*permutations((1, 0, -1))]
    sums = [[1 + p[0] + q[0], p[1] + q[1], -1 + p[2] + q[2]] for p, q in product(orders, repeat=2)]
    assert [max(s) - min(s) for s in sums].count(best) / len(sums) == 1 / 36
    significant = 0
    for flips in product((1, -1), repeat=3):
        x = {"a": flips, "b": [-f for f in flips], "c": [0, 0, 0]}
        family = cf.stats.randomised_tukey_hsd(x)
        outcome = family.pair("a", "b")
        significant += outcome.pvalue <= 0.05
        assert outcome.smallest_pvalue == 1 / 4
        assert family.critical(0.05) == math.inf
        assert outcome.confidence_interval(0.75).high < math.inf
    assert significant == 2


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 10])
def test_outcome_smallest_pvalue_by_test(n: int) -> None:
    x, y = two(n).values()
    for test in (cf.stats.sign_test, cf.stats.wilcoxon, cf.stats.randomisation):
        assert test(x, y).smallest_pvalue == 2 / 2**n
        assert test(x, y, alternative="greater").smallest_pvalue == 1 / 2**n
    for studentised in (True, False):
        found = cf.stats.bootstrap(x, y, studentised=studentised)
        assert found.smallest_pvalue == 2 / 2**n
    assert cf.stats.t_test(x, y).smallest_pvalue == 0
    assert cf.stats.tukey_hsd({"x": x, "y": y}).pair("x", "y").smallest_pvalue == 0


def test_outcome_smallest_pvalue_few_trials_is_1_of_trials_and_1() -> None:
    x, y = two(20).values()
    for test in (cf.stats.randomisation, cf.stats.bootstrap):
        assert test(x, y, trials=99).smallest_pvalue == 1 / 100
        assert test(x, y, trials=99).confidence_interval(0.999).high == math.inf


def test_unpaired_bootstrap_smallest_pvalue_is_that_of_ways_to_split() -> None:
    """Of C(5, 2) = 10 ways to split, one is the most extreme; of C(4, 2) = 6 two are."""
    split = cf.stats.unpaired_bootstrap
    assert split([0.8, 0.9], [0.1, 0.2, 0.3]).smallest_pvalue == 1 / 10
    assert split([0.8, 0.9], [0.1, 0.2]).smallest_pvalue == 2 / 6
    assert split([0.8, 0.9], [0.1, 0.2], alternative="greater").smallest_pvalue == 1 / 6
    assert split([0.8, 0.9], [0.1, 0.2]).confidence_interval().high == math.inf
    assert cf.stats.welch([0.8, 0.9], [0.1, 0.2]).smallest_pvalue == 0


@pytest.mark.parametrize("test", FREE)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_compare_alpha_out_of_reach_has_no_verdict(test: str, n: int) -> None:
    found = compared(n, test)
    [pair] = found.pairs
    assert (pair.verdict, pair.low, pair.high) == ("", -math.inf, math.inf)
    assert pair.smallest_pvalue == 2 / 2**n
    assert pair.pvalue >= pair.smallest_pvalue > found.alpha
    assert found.significant == ()
    assert not found.shown_p(pair).startswith("<")
    [text] = [note.text for note in found.notes if note.kind == "hopeless"]
    topics = f"{n} topics"
    assert f"with {topics} the smallest p-value of this test is {2 / 2**n:.4f}" in text
    assert text.endswith("above α = 0.05: no verdict, no interval. Use 6 topics or more")


@pytest.mark.parametrize("test", FREE)
def test_compare_alpha_in_reach_has_a_verdict(test: str) -> None:
    """6 topics: 2 / 2⁶ is 0.03125."""
    found = compared(6, test)
    [pair] = found.pairs
    assert (pair.verdict, pair.smallest_pvalue) == ("better", 2 / 64)
    assert 0 < pair.low < pair.high < math.inf
    assert "hopeless" not in {note.kind for note in found.notes}
    assert compared(6, test, alpha=0.03).pairs[0].verdict == ""
    assert compared(5, test, alpha=0.0625).pairs[0].verdict == "better"


@pytest.mark.parametrize("runs", [3, 5])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_compare_randomised_tukey_few_topics_has_no_ends(n: int, runs: int) -> None:
    found = compared(n, "randomised-tukey", runs=runs)
    assert all((pair.low, pair.high) == (-math.inf, math.inf) for pair in found.pairs)
    assert {pair.verdict for pair in found.pairs} == {""}
    assert {run.groups for run in found.runs} == {"a"}


def test_compare_corrected_smallest_pvalue_is_multiplied() -> None:
    """6 topics, 3 pairs: 3 · 2 / 2⁶ = 0.09375. Intervals are of each pair alone, at 0.03125."""
    rows = [np.arange(6) * 0.1 + k * (0.2 + 0.01 * np.arange(6)) for k in range(3)]
    for correction, smallest in (("holm", 6 / 64), ("bonferroni", 6 / 64), ("bh", 2 / 64)):
        found = cf.compare(scored(rows, tuple("abc")), test="sign", correction=correction)
        assert {pair.smallest_pvalue for pair in found.pairs} == {smallest}
        assert all((pair.verdict == "") == (smallest > 0.05) for pair in found.pairs)
        assert all((pair.high < math.inf) == (correction != "bonferroni") for pair in found.pairs)
        texts = [note.text for note in found.notes if note.kind == "hopeless"]
        assert len(texts) == (smallest > 0.05)
        assert all("is 0.0938 for 3 pairs, above" in text for text in texts)
        assert all(text.endswith("Use 7 topics or more") for text in texts)


def test_discriminative_power_alpha_out_of_reach_finds_nothing() -> None:
    scores = {run: dict(zip("123", row, strict=True)) for run, row in two(3).items()}
    power = cf.meta.discriminative_power(scores, "bootstrap-shift")["score"]
    assert (power.share, power.pairs[0].pvalue) == (0, 2 / 8)


def test_compare_pairs_smallest_pvalue_is_stated() -> None:
    [pair] = compare_pairs(two(4), "bootstrap-shift")
    assert pair.smallest_pvalue == 2 / 16
    assert (pair.pvalue_at(0.05), pair.pvalue_at(0.2)) == (2 / 16, pair.pvalue)


@pytest.mark.parametrize(
    ("test", "n", "low", "high"),
    [
        ("bootstrap-shift", 2, 0.4, 0.6),  # two differences have the same sign with probability ½
        ("bootstrap-shift", 10, 0.076, 0.2),
        ("bootstrap-shift", 40, 0.0, 0.1),
        ("bootstrap", 4, 0.0, 0.075),
        ("randomisation", 5, 0.0, 0.0),
        ("sign", 5, 0.0, 0.0),
        ("t", 2, 0.02, 0.1),
    ],
)
def test_level_few_normal_differences_is_as_documented(test: str, n: int, low: float, high: float) -> None:
    assert low <= level(test, "normal", n, repetitions=300, trials=200) <= high


def test_compare_bootstrap_shift_below_30_topics_warns() -> None:
    for n, kinds in ((5, {"hopeless"}), (6, {"few-topics"}), (29, {"few-topics"}), (30, set())):
        found = compared(n, "bootstrap-shift")
        assert {note.kind for note in found.notes} == kinds
    for test in ("t", "bootstrap", "randomisation", "sign", "wilcoxon", "randomised-tukey"):
        assert "few-topics" not in {note.kind for note in compared(6, test).notes}
