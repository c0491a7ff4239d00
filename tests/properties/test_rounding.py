"""Rounding decides nothing: scores times ten, intents in another order, exact fractions."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pyndeval
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.arrays import TOLERANCE, estimate_rounding, sort_rounded, unify_rounded
from cranfield.compat import ir_measures
from cranfield.meta.rankings import kendall, spearman
from cranfield.stats.paired import sign_test, wilcoxon
from cranfield.tools.ndeval import COLUMNS, ndeval
from tests.made import examples

Levels: TypeAlias = list[list[int]]  # of items, for each intent
TENTHS = (1, 10, 100, 1000)

# -- the mechanism --------------------------------------------------------------------------------


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=12), st.sampled_from(TENTHS))
def test_settled_values_are_the_same_where_exact_ones_are(whole: list[int], over: int) -> None:
    """0.1 added n times, beside n / 10."""
    step = 1 / over
    added = [math.copysign(sum([step] * abs(n)), n) for n in whole]
    values = np.array([*added, *(n / over for n in whole)])
    made = unify_rounded(values, estimate_rounding(values))
    exact = [*whole, *whole]
    for i, j in itertools.combinations(range(len(exact)), 2):
        assert np.sign(made[i] - made[j]) == np.sign(exact[i] - exact[j])
    assert np.abs(made - values).max() <= 100 * estimate_rounding(values)
    assert (unify_rounded(made, estimate_rounding(values)) == made).all()


def test_every_row_and_every_value_has_a_rounding_of_its_own() -> None:
    """A difference of 1e-12 is rounding beside 1, and none beside 1e-12."""
    values = np.array([[1.0, 1.0 + 1e-13, 3e-12, 1e-12], [2e-12, 1e-12, 0.0, 3e-12]])
    made = unify_rounded(values, TOLERANCE * np.abs(values))
    assert made.tolist() == [[1.0, 1.0, 3e-12, 1e-12], values[1].tolist()]
    order, first = sort_rounded(values, TOLERANCE * np.abs(values))
    assert (order[0].tolist(), first[0].tolist()) == ([3, 2, 0, 1], [0, 1, 2, 2])


def test_no_numbers_are_not_the_same_as_any() -> None:
    values = np.array([math.nan, 0.5, math.nan])
    assert str(unify_rounded(values, 1e-12).tolist()) == "[nan, 0.5, nan]"
    assert estimate_rounding(values, math.inf) == 0.5e-12
    assert unify_rounded(np.zeros((2, 0)), 0.0).shape == (2, 0)


# -- statistics -----------------------------------------------------------------------------------

tenths = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=7)


@given(tenths, st.sampled_from(TENTHS[1:]), st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_signs_and_ranks_are_those_of_whole_numbers(whole: list[tuple[int, int]], over: int, random: Any) -> None:
    """Whatever the unit, and the order of the topics."""
    assume(any(x != y for x, y in whole))
    others = random.sample(whole, len(whole))
    for test in (wilcoxon, sign_test):
        expected = test(*np.array(whole, dtype=float).T)
        for given_ in (whole, others):
            found = test(*np.array(given_).T / over)
            assert found.statistic == expected.statistic
            assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)


@given(st.lists(st.lists(st.integers(0, 5), min_size=5, max_size=5), min_size=3, max_size=6))
@settings(max_examples=examples(15))
def test_wins_ranks_and_correlations_are_those_of_whole_numbers(whole: list[list[int]]) -> None:
    """[runs, topics], and the runs' means; by another measure the runs as they come."""
    assume(len({tuple(run) for run in whole}) > 1)
    runs = tuple(f"r{i}" for i in range(len(whole)))
    topics = tuple("12345")
    found = []
    for over in (1, 10, 100):
        values = np.array([[[x / over, x * 3 / over - x / over, -i] for x in run]
                           for i, run in enumerate(whole)])  # fmt: skip
        scores = cf.Scores(values, runs, topics, ("AP", "Q", "P"), ("mean",) * 3)
        compared = cf.compare(scores, measures=["AP"], test="wilcoxon")
        pairs = [(p.run, p.other, p.wins, p.ties, p.losses) for p in compared.pairs]
        movers = [(m.run, m.other, m.topic) for m in compared.movers()]
        means = [sum(run) / over for run in values[:, :, 0].tolist()]
        taus = [f([sum(run) / over for run in whole], means).value for f in (kendall, spearman)]
        [agreed] = cf.meta.concordance(scores, gold="P", measures=["AP", "Q"]).pairs
        order = [run.run for run in compared.runs]
        assert order == list(scores.sorted_by("AP").runs)
        found.append((pairs, movers, order, str(np.round(taus, 9)), agreed))
    assert found[0] == found[1] == found[2]


def test_runs_that_rounding_tells_apart_share_the_best() -> None:
    """The mean of 0.1 and 0.2 is that of 0 and 0.3, and runs that tie stay in order."""
    for values in ([[0.0, 0.3], [0.1, 0.2]], [[0.1, 0.2], [0.0, 0.3]]):
        runs, topics = ("a", "b"), ("1", "2")
        made = np.array(values)[:, :, None]
        scores = cf.Scores(made, runs, topics, ("AP",), ("sum",), better=("higher",))
        assert scores.summary()["a"] != scores.summary()["b"]
        assert scores.sorted_by("AP").runs == ("a", "b")
        assert scores.to_markdown().count("**") == 4
        compared = cf.compare(scores)
        assert [run.run for run in compared.runs] == ["a", "b"]
        assert compared.to_markdown().count("**") == 4


def test_the_end_of_an_interval_is_not_left_to_rounding() -> None:
    """Of nine signs as many as four are negative with probability ½, and so has the interval of
    50 % an end at the fifth difference, the median.
    """
    found = sign_test(np.arange(1, 10) / 10, np.zeros(9), alternative="greater")
    assert found.confidence_interval(0.5).low == 0.5


# -- diversity ------------------------------------------------------------------------------------


def exact_greedy(levels: Levels, p: Sequence[Fraction], alpha: Fraction) -> list[int]:
    """Item by item what adds most; of several the last, whose id is the largest."""
    left, worth, made = list(range(len(levels))), list(p), list[int]()
    while left:
        gains = {d: sum(w for w, x in zip(worth, levels[d], strict=True) if x) for d in left}
        best = max(left, key=lambda d: (gains[d], d))
        made.append(best)
        left.remove(best)
        worth = [w * (1 - alpha) if x else w for w, x in zip(worth, levels[best], strict=True)]
    return made


def exact_sum(order: Sequence[int], levels: Levels, p: Sequence[Fraction], alpha: Fraction) -> float:
    """Σ ng(r)/log2(r + 1), with exact gains."""
    worth, found = list(p), list[float]()
    for r, doc in enumerate(order, 1):
        gain = sum(w for w, x in zip(worth, levels[doc], strict=True) if x)
        found.append(float(gain) / math.log2(r + 1))
        worth = [w * (1 - alpha) if x else w for w, x in zip(worth, levels[doc], strict=True)]
    return math.fsum(found)


def exact_alpha_ndcg(levels: Levels, p: Sequence[Fraction], alpha: Fraction) -> float:
    """That of the list of all items as they come."""
    ideal = exact_sum(exact_greedy(levels, p, alpha), levels, p, alpha)
    return exact_sum(range(len(levels)), levels, p, alpha) / ideal


def test_the_ideal_list_of_exact_fractions() -> None:
    """Five intents and the list d1, …, d7: floats took another ideal list, and gave 0.77466."""
    relevant = {"i1": "2567", "i2": "2367", "i3": "456", "i4": "1347", "i5": "345"}
    known = {"i1": 0.1, "i2": 0.4, "i3": 0.2, "i4": 0.2, "i5": 0.1}
    levels = [[int(d in docs) for docs in relevant.values()] for d in "1234567"]
    p = [Fraction(str(x)) for x in known.values()]
    assert round(exact_alpha_ndcg(levels, p, Fraction(1, 2)), 5) == 0.7786
    qrels = {"q": {i: {f"d{d}": 1 for d in docs} for i, docs in relevant.items()}}
    ranked = {"q": [f"d{d}" for d in "1234567"]}
    for names in (list(known), list(reversed(known))):
        intents = {"q": {name: known[name] for name in names}}
        found = cf.evaluate(qrels, ranked, "alpha_nDCG(weighted=true)", intents=intents)
        assert round(found.values.item(), 5) == 0.7786


@st.composite
def diverse(draw: st.DrawFn) -> tuple[Levels, list[int]]:
    """Items, each relevant to some of the intents, and these in tenths."""
    n = draw(st.integers(2, 5))
    tenths = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    item = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    levels = draw(st.lists(item, min_size=2, max_size=7))
    assume(any(map(any, levels)))
    return levels, tenths


@given(diverse(), st.sampled_from(("0.5", "0.1", "0.3")), st.booleans(), st.data())
@settings(max_examples=examples(80))
def test_greedy_lists_are_those_of_exact_fractions(
    drawn: tuple[Levels, list[int]], alpha: str, weighted: bool, data: st.DataObject
) -> None:
    """Whatever the order of the intents."""
    levels, tenths = drawn
    p = [Fraction(x, sum(tenths)) if weighted else Fraction(1) for x in tenths]
    expected = exact_alpha_ndcg(levels, p, Fraction(alpha))
    order = data.draw(st.permutations(range(len(tenths))))
    moved = [[item[i] for i in order] for item in levels]
    given_ = [tenths[i] / sum(tenths) for i in order]
    m = cf.alpha_nDCG(alpha=float(alpha), weighted=weighted)
    found = m(moved, moved[::-1], probabilities=given_)  # judged items by id, the largest first
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["Pplus", "Pmeasure"])
def test_the_best_item_is_not_found_by_rounding(name: str) -> None:
    """Y is worth 0.1 + 0.2, X 0.3, and N nothing: whichever is first is the best, at rank 1."""
    X, Y, N = [0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]
    m: Any = cf.parse_measure(f"D({name})")
    for order in itertools.permutations(range(4)):
        x, y, n = ([item[i] for i in order] for item in (X, Y, N))
        p = [[0.1, 0.2, 0.3, 0.4][i] for i in order]
        for ranked in ([x, n, y], [y, n, x]):
            assert m(ranked, [x, n, y], probabilities=p) == 1.0


def exact_p(name: str, gains: Sequence[Fraction], judged: Sequence[Fraction]) -> Fraction:
    """P-measure or P+ of a list of judged items, with β = 1."""
    best = gains.index(max(gains))
    ideal = sorted(judged, reverse=True)
    ratios = [
        Fraction(sum(g > 0 for g in gains[:r]) + sum(gains[:r])) / (r + sum(ideal[:r])) for r in range(1, best + 2)
    ]
    at = [x for g, x in zip(gains, ratios, strict=False) if g > 0]
    if not at:
        return Fraction(0)
    return at[-1] if name == "Pmeasure" else sum(at, Fraction(0)) / len(at)


@given(diverse(), st.sampled_from(("Pplus", "Pmeasure")), st.booleans(), st.data())
@settings(max_examples=examples(60))
def test_best_items_are_those_of_exact_fractions(
    drawn: tuple[Levels, list[int]], name: str, din: bool, data: st.DataObject
) -> None:
    """Whatever the order of the intents, the first of which may be served once; with gains ten
    times as high and β a tenth the score is the same.
    """
    levels, tenths = drawn
    judged = [Fraction(sum(map(operator.mul, tenths, item)), sum(tenths)) for item in levels]
    gains, met = list(judged), False
    for r, item in enumerate(levels):
        gains[r] -= Fraction(tenths[0] * item[0] * (din and met), sum(tenths))
        met = met or item[0] > 0
    expected = exact_p(name, gains, judged)
    order = data.draw(st.permutations(range(len(tenths))))
    moved = [[item[i] for i in order] for item in levels]
    known: dict[str, Any] = {"probabilities": [tenths[i] / sum(tenths) for i in order]}
    if din:
        known["navigational"] = [order.index(0)]
    for times in (1, 10, 100):
        m = cf.parse_measure(f"{'DIN' if din else 'D'}({name}(gain={times}, beta={1 / times}))")
        assert m(moved, moved, **known) == pytest.approx(float(expected), rel=1e-9)


# -- other programs' digits -----------------------------------------------------------------------


def test_ndeval_has_its_own_bits() -> None:
    """With α = 0.3 the program's sums of equal gains differ, and so does its ideal list."""
    of_docs = {
        "d1": "1235",
        "d2": "245",
        "d3": "123",
        "d4": "35",
        "d5": "1245",
        "d6": "124",
        "d7": "14",
    }
    qrels = sorted(("1", intent, doc, 1) for doc, few in of_docs.items() for intent in few)
    run = {"1": {doc: -float(r) for r, doc in enumerate(of_docs)}}
    theirs = pyndeval.ndeval(
        [pyndeval.SubtopicQrel(*judged) for judged in qrels],
        [pyndeval.ScoredDoc("1", doc, x) for doc, x in run["1"].items()],
        measures=["alpha-nDCG@20"],
        alpha=0.3,
    )["1"]["alpha-nDCG@20"]
    lines, _ = ndeval(qrels, run, alpha=0.3)
    printed = dict(zip(COLUMNS, lines[1].split(",")[2:], strict=True))
    assert printed["alpha-nDCG@20"] == f"{theirs:.6f}"
    m = ir_measures.alpha_nDCG(alpha=0.3) @ 20
    [asked] = ir_measures.iter_calc([m], [ir_measures.Qrel("1", d, 1, i) for _, i, d, _ in qrels], run)
    assert asked.value == pytest.approx(theirs, abs=1e-12)

    levels = [[int(str(i) in few) for i in range(1, 6)] for few in of_docs.values()]
    exact = exact_alpha_ndcg(levels, [Fraction(1)] * 5, Fraction(3, 10))
    ours = cf.evaluate(qrels, run, "alpha_nDCG(alpha=0.3)@20").values.item()
    assert ours == pytest.approx(exact) != pytest.approx(theirs)
