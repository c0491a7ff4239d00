"""Swap rates, and the stability of rankings: fewer topics, fewer judgments."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import CranfieldError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.meta.rankings import kendall, tau_ap
from cranfield.meta.stability import drawn_part, scored_with, stability, stability_of_judgments
from cranfield.meta.swap import Swap, SwapBin, SwapRates, swap
from cranfield.report.meta import stability as stability_report
from cranfield.report.meta import swap as swap_report
from cranfield.stats.paired import t_test


def by_topic(**runs: Sequence[float]) -> dict[str, dict[str, float]]:
    return {run: {f"q{i}": x for i, x in enumerate(values)} for run, values in runs.items()}


def random_runs(runs: int, topics: int, seed: int = 1) -> dict[str, dict[str, float]]:
    values = np.random.default_rng(seed).random((runs, topics))
    return by_topic(**{f"run{i}": row.tolist() for i, row in enumerate(values)})


# -- swap -----------------------------------------------------------------------------------------


def rates_of(found: SwapRates) -> dict[float, float]:
    return {one.low: one.rate for one in found.bins}


def test_two_topics_by_hand() -> None:
    """One topic in each set. a − b is 0.25 or −0.05: a swap whichever comes first."""
    found = swap(by_topic(a=[0.5, 0.25], b=[0.25, 0.3]), trials=50)["score"]
    assert rates_of(found) == {0.25: 1.0, 0.05: 1.0}
    assert (found.size, found.comparisons, found.required()) == (1, 50, None)
    assert found.sensitivity() == 0


def test_ties_are_half_a_swap() -> None:
    """a − b is 0 or 0.25; a and c never differ; b − c is 0 or −0.25."""
    found = swap(by_topic(a=[0.5, 0.5], b=[0.5, 0.25], c=[0.5, 0.5]), trials=50)["score"]
    zero, quarter = found.bins
    assert (quarter.low, quarter.rate) == (0.25, 0.5)
    assert zero.comparisons + quarter.comparisons == 150
    assert zero.swaps == (zero.comparisons - 50) / 2  # of a and c none


def test_constant_differences_never_swap() -> None:
    x = np.random.default_rng(0).integers(0, 8, 9) / 16
    found = swap(by_topic(a=x.tolist(), b=(x + 0.125).tolist()), [1, 2, 4], trials=30)
    for size in (1, 2, 4):
        assert rates_of(found["score", size]) == {0.12: 0.0}
        assert found["score", size].required() == 0.12
        assert found["score", size].sensitivity() == 1


def test_edges_belong_to_the_bin_above() -> None:
    """0.3 − 0.1 is a little less than 0.2 in floats, and is 0.2."""
    found = swap(by_topic(a=[0.3, 0.3], b=[0.1, 0.1]), bin=0.1, trials=10)["score"]
    assert [(one.low, one.high) for one in found.bins] == [(0.2, 0.3)]


@pytest.mark.parametrize("alpha", [None, 0.05, 0.3])
def test_against_all_splits_one_by_one(alpha: float | None) -> None:
    """Of six topics there are 20 first halves; the second is the rest. In narrow bins each is by
    itself, so that every rate is 0 or 1, as a loop with `t_test` finds them.
    """
    rng = np.random.default_rng(4)
    x = rng.random(6)
    y = x + rng.normal(0.2, 0.2, 6)
    bin = 1e-5
    expected: dict[int, float] = {}
    for half in map(list, combinations(range(6), 3)):
        rest = [i for i in range(6) if i not in half]
        d, other = (float(np.mean(x[part] - y[part])) for part in (half, rest))
        if alpha is None or t_test(x[half], y[half]).pvalue <= alpha:
            expected[int(abs(d) / bin)] = float(d * other < 0)
    found = swap(
        by_topic(x=x.tolist(), y=y.tolist()),
        bin=bin,
        filter=None if alpha is None else "t",
        alpha=0.05 if alpha is None else alpha,
        trials=1000,
    )["score"]
    assert {round(one.low / bin): one.rate for one in found.bins} == expected
    assert len(expected) == 20 if alpha is None else 0 < len(expected) < 20


def test_filter_keeps_constant_differences() -> None:
    """Their t is infinite; where there is no difference, there is nothing to keep."""
    found = swap(by_topic(a=[0.1] * 4, b=[0.2] * 4, c=[0.2] * 4), filter="t", trials=20)["score"]
    assert found.comparisons == 40
    nothing = swap(by_topic(a=[0.2] * 4, b=[0.2] * 4), filter="t", trials=20)["score"]
    assert nothing.bins == ()
    assert math.isnan(nothing.rate)


def test_required_difference_takes_bins_together() -> None:
    """50 of 100, 2 of 100, 1 of 1: the last two are 3 of 101, below 5%."""
    bins = [(0.0, 100, 50.0), (0.01, 100, 2.0), (0.02, 1, 1.0)]
    rates = SwapRates("AP", 10, 5, tuple(SwapBin(a, a + 0.01, n, k) for a, n, k in bins))
    assert rates.required(0.05) == 0.01
    assert rates.sensitivity(0.05) == 101 / 201
    assert rates.required(0.02) is None
    assert rates.rate == 53 / 201


@given(st.integers(0, 10_000), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_swap_rates_are_shares(seed: int, size: int) -> None:
    found = swap(random_runs(4, 10, seed), size, trials=20)["score"]
    assert found.comparisons == 20 * 6
    assert all(0 <= one.rate <= 1 for one in found.bins)
    assert found.required(1.0) == found.bins[0].low


def test_swap_on_threads() -> None:
    scores = random_runs(60, 12)  # 1,770 pairs: chunks of 282 trials
    one, four = (swap(scores, trials=600, threads=n) for n in (1, 4))
    assert one == four
    assert swap(scores, trials=600, seed=1) != one


def test_what_swap_refuses() -> None:
    scores = random_runs(3, 5)
    with pytest.raises(CranfieldError, match="found samples of 3 topics for score, expected 1 to"):
        swap(scores, 3)
    with pytest.raises(CranfieldError, match="samples of 1 topic for score, expected 2 to 2: two"):
        swap(scores, 1, filter="t")
    with pytest.raises(CranfieldError, match="found alpha=2, expected a number between 0 and 1"):
        swap(scores, filter="t", alpha=2)
    with pytest.raises(CranfieldError, match="a number above 0"):
        swap(scores, bin=0)
    with pytest.raises(CranfieldError, match="a larger one"):
        swap(scores, bin=1e-9)
    with pytest.raises(CranfieldError, match="score on 2"):
        swap(scores)["AP"]


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_a_rate_is_from_0_to_1(rate: float) -> None:
    with pytest.raises(CranfieldError, match="found rate="):
        swap(random_runs(3, 5), trials=5)["score"].required(rate)


def test_the_largest_sets_are_meant_if_no_size_is_given() -> None:
    found = swap(random_runs(3, 6), [1, 3], trials=5)
    assert found["score"].size == 3
    rates = [f"score on {one.size} {one.rate:.4f}" for one in found.rates]
    assert repr(found) == f"Swap of 3 runs, 5 trials: {', '.join(rates)}"


def test_rounding_is_no_swap() -> None:
    a, b = [0.1, 0.2, 0.1, 0.2], [0.1 + 1e-16, 0.2, 0.1, 0.2 + 1e-16]
    [one] = swap(by_topic(a=a, b=b), trials=50).rates
    assert (one.rate, one.bins[0].low) == (0, 0)


def test_drawn_rates_fall() -> None:
    """0.5, then 10 of 40, then 3 of 10: the last two do not fall, so both are 13 of 50."""
    bins = [SwapBin(0.0, 0.1, 10, 5), SwapBin(0.1, 0.2, 40, 10), SwapBin(0.2, 0.3, 10, 3)]
    assert SwapRates("AP", 10, 5, tuple(bins)).falling == [0.5, 0.26, 0.26]


def test_swaps_are_shown_as_counts() -> None:
    bins = (SwapBin(0.0, 0.1, 6000, 3112.0), SwapBin(0.1, 0.2, 5000, 1012.5))
    found = Swap(("a", "b"), (SwapRates("AP", 10, 5, bins),), 0.1, None, 0.05, 1000, 0)
    [swaps] = [field for field in swap_report.sheets(found)[1].fields if field.name == "swaps"]
    assert swaps.shown == ["3,112", "1,012.5"]


def test_tables_and_picture_of_swaps() -> None:
    found = swap(random_runs(3, 8), [2, 4], bin=0.1, filter="t", trials=100)
    measures, bins = swap_report.sheets(found)
    assert [row["set_size"] for row in measures.rows] == [2, 4]
    assert sum(row["comparisons"] for row in bins.rows) == sum(
        row["comparisons"] for row in measures.rows
    )
    assert "pairs of 3 runs that differ significantly on it (paired t-test, α = 0.05)" in (
        measures.caption
    )
    drawn = swap_report.picture(found)
    legend = json.loads(drawn.render("json"))["layer"][1]["encoding"]["color"]["scale"]["domain"]
    assert legend == ["sets of 2 topics", "sets of 4 topics"]
    names = ["swap_rate", "difference_needed", "share", "tolerated_rate"]
    assert {*names} <= measures.rows[0].keys()
    assert bins.rows[0].keys() >= {"set_size", "swap_rate", "rate_taken_together"}


def test_what_sets_are_drawn_from() -> None:
    scores = random_runs(3, 8)
    for sizes, told in (([3], "two sets of 3 of 8 topics"), ([2, 4], "sets drawn from 8 topics")):
        found = swap(scores, sizes, trials=20)
        assert f"3 runs, {told} (20 trials, seed 0)." in swap_report.sheets(found)[1].caption


# -- stability on fewer topics --------------------------------------------------------------------

# All topics: a > b > c. The first alone: a > c > b; the second: a > b > c.
THREE = by_topic(a=[0.5, 0.4], b=[0.2, 0.3], c=[0.3, 0.1])


def test_samples_of_topics_by_hand() -> None:
    one, two = stability(THREE, [1, 2], trials=100)["score"]
    assert (one.low, one.high) == pytest.approx((1 / 3, 1))
    assert 1 / 3 < one.mean < 1
    assert (two.mean, two.low, two.high) == (1, 1, 1)


def test_two_samples_of_topics_by_hand() -> None:
    """The first topic against the second, whichever is drawn first: two of three pairs agree."""
    (point,) = stability(THREE, against="others", trials=20)["score"]
    assert point.size == 1
    assert point.mean == pytest.approx(1 / 3)


def test_statistics_are_those_of_rankings() -> None:
    """A sample of one topic has the statistic of that topic's ranking."""
    alone = [{run: x[topic] for run, x in THREE.items()} for topic in ("q0", "q1")]
    whole = {run: sum(x.values()) for run, x in THREE.items()}
    for name, alike in (("kendall", kendall), ("tau-ap", tau_ap)):
        (point,) = stability(THREE, [1], name, trials=100)["score"]
        values = sorted(alike(x, whole).value for x in alone)
        assert (point.low, point.high) == pytest.approx(tuple(values))


def test_replacement() -> None:
    """Two of two topics may be the first twice: then the ranking is not that of all."""
    (point,) = stability(THREE, [2], replacement=True, trials=100)["score"]
    assert point.low == pytest.approx(1 / 3)


@given(st.integers(0, 10_000), st.sampled_from(["kendall", "tau-ap", "spearman", "rbo"]))
@settings(max_examples=15, deadline=None)
def test_all_topics_give_the_same_ranking(seed: int, statistic: str) -> None:
    points = stability(random_runs(5, 7, seed), statistic=statistic, trials=5)["score"]
    assert [point.size for point in points] == [1, 2, 3, 4, 5, 6, 7]
    assert points[-1].mean == pytest.approx(1)
    assert all(point.low - 1e-9 <= point.mean <= point.high + 1e-9 for point in points)


def test_runs_that_are_all_tied() -> None:
    """τ_b of nothing is undefined."""
    points = stability(by_topic(a=[0.5, 0.5], b=[0.5, 0.5]), [1], "kendall-b", trials=5)["score"]
    assert math.isnan(points[0].mean)


def test_lower_is_better_for_tau_ap() -> None:
    """Which counts errors at the top: turned round, the same errors."""
    values = np.random.default_rng(0).random((4, 6, 1))
    both = np.concatenate([values, 1 - values], axis=2)
    names = (("a", "b", "c", "d"), tuple("123456"), ("AP", "error"), ("mean", "mean"))
    scores = cf.Scores(both, *names, better=("higher", "lower"))
    found = stability(scores, statistic="tau-ap", trials=20)
    assert [p.mean for p in found["AP"]] == pytest.approx([p.mean for p in found["error"]])


def test_stability_on_threads() -> None:
    scores = random_runs(30, 10)  # chunks of 277 trials
    one, four = (stability(scores, [3, 6], trials=600, threads=n) for n in (1, 4))
    assert one == four
    assert stability(scores, [3, 6], trials=600, seed=1) != one


def test_what_stability_refuses() -> None:
    with pytest.raises(CranfieldError, match="found samples of 3 topics for score, expected 1 to"):
        stability(THREE, [3])
    with pytest.raises(CranfieldError, match="expected 1 to 1"):
        stability(THREE, [2], against="others")
    with pytest.raises(CranfieldError, match="one or the other"):
        stability(THREE, against="others", replacement=True)
    with pytest.raises(CranfieldError, match="one of kendall"):
        stability(THREE, statistic="pearson")


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([], "found no size, expected at least one"),
        ([1.5], "found a size of 1.5, expected a whole number"),
        (1.0, "found a size of 1.0, expected a whole number"),
        ("1", "found a size of '1', expected a whole number"),
    ],
)
def test_sizes_are_whole_numbers(sizes: Any, said: str) -> None:
    for method in (swap, stability):
        with pytest.raises(CranfieldError, match=said):
            method(THREE, sizes)


def test_one_size_will_do() -> None:
    found = stability(THREE, 1, trials=5)
    assert found.points == stability(THREE, [1], trials=5).points
    [point] = found.points
    assert repr(found) == (
        f"Stability of kendall, 3 runs, samples of topics: score at 1 {point.mean:.4f}"
    )
    assert [notice.kind for notice in found.notices] == ["few-runs"]
    assert swap(THREE, 1, trials=5)["score"].size == 1


def test_a_constant_measure_has_no_stability() -> None:
    found = stability(by_topic(a=[1, 1], b=[1, 1], c=[1, 1], d=[1, 1]), trials=5)
    assert [n.text for n in found.notices] == ["score ranks nothing: all runs have the same mean"]


def test_all_topics_are_the_gold_ranking() -> None:
    """Of single topics, half of the trials each: the quartiles are the two values.

    All: a > c > b > d. First topic, a > b > c > d: 2/3 (1/1 + 1/2 + 3/3) − 1 = 2/3; second,
    c > d > a > b: 2/3 (1/1 + 0/2 + 2/3) − 1 = 1/9. The other way round, it has −2/9.
    """
    runs = by_topic(a=[0.9, 0.2], b=[0.8, 0.1], c=[0.3, 0.7], d=[0.2, 0.25])
    [point] = stability(runs, [1], "tau-ap", confidence=0.5, trials=200).points
    assert [point.low, point.high] == pytest.approx([1 / 9, 2 / 3])


def test_others_are_as_many() -> None:
    """The first two topics say a, the third b by more: of two single topics, 2 of 6 agree. One
    against both others, in their mean, would never agree: τ = −1 always.
    """
    runs = by_topic(a=[0.6, 0.6, 0.0], b=[0.5, 0.5, 0.9])
    [point] = stability(runs, [1], against="others", trials=3000).points
    assert point.mean == pytest.approx((2 - 4) / 6, abs=0.07)  # four standard errors


# -- stability with fewer judgments ---------------------------------------------------------------

MEASURES = "AP nDCG@5 RR P@5 bpref infAP Q ERR RBP Judged@5 AP(condensed=true)"


@pytest.fixture(scope="module")
def collection() -> Any:
    return cf.simulate(topics=6, runs=4, depth=30, seed=5)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 7, "undefined": "nan"},
        {"ties": "expected", "measures": "AP P@5 bpref"},
        {"topics": "common", "gains": [1, 3, 7], "rel": 2},
    ],
)
def test_a_part_is_as_if_the_rest_had_never_been_judged(
    collection: Any, options: dict[str, Any]
) -> None:
    """Scores with some of the items are those with judgments that lack the others."""
    measures = options.pop("measures", MEASURES)
    whole = Evaluator(collection.qrels, measures, **options)
    runs = whole.read(collection.runs)
    every = whole.collection.gold.judgments
    kept = drawn_part(every, np.random.default_rng(1).random(len(every.levels)), 0.4)
    docs = {
        item: (topic, doc)
        for topic, items in zip(every.topics, whole.collection.gold.by_topic, strict=True)
        for doc, item in items.items()
    }
    left: dict[str, dict[str, float]] = {topic: {} for topic in every.topics}
    for item in np.flatnonzero(kept).tolist():
        topic, doc = docs[item]
        left[topic][doc] = collection.qrels[topic][doc]
    expected = Evaluator(left, measures, **options)(runs)
    found = scored_with(whole, [whole.collection.rankings(run) for run in runs], kept)
    counted = [topic in expected.topics for topic in every.topics]
    assert 0 < kept.sum() < len(kept)
    np.testing.assert_array_equal(found[:, counted], expected.values)


def test_parts_are_nested_and_stratified(collection: Any) -> None:
    """⌈share · number⌉ of the relevant and of the other judgments of every topic."""
    every = Evaluator(collection.qrels, "AP").collection.gold.judgments
    order = np.random.default_rng(0).random(len(every.levels))
    parts = [drawn_part(every, order, share) for share in (0.1, 0.3, 0.7, 1.0)]
    for smaller, larger in pairwise(parts):
        assert (larger | ~smaller).all()
    assert parts[-1].all()
    for t, topic in enumerate(every.topics):
        relevant = [level > 0 for level in collection.qrels[topic].values()]
        here = slice(every.offsets[t], every.offsets[t + 1])
        of_topic, levels = parts[1][here], every.levels[here]
        assert (of_topic & (levels > 0)).sum() == math.ceil(0.3 * sum(relevant) - 1e-9)
        assert (of_topic & (levels <= 0)).sum() == math.ceil(
            0.3 * (len(relevant) - sum(relevant)) - 1e-9
        )


def test_one_judgment_of_two_by_hand() -> None:
    """P@1 with all judgments: x has 1 and 1, y has 1 and 0. Of a and b one stays: with a, x has 1
    and 1, y has 0 and 0, the same ranking; with b, x has 0 and 1, y has 1 and 0, a tie.
    """
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    runs = {"x": {"1": ["a"], "2": ["c"]}, "y": {"1": ["b"], "2": ["d", "c"]}}
    half, whole = stability_of_judgments(qrels, runs, "P@1", [0.5, 1.0], trials=30)["P@1"]
    assert (half.low, half.high, whole.mean) == (0, 1, 1)


def test_shares_by_threads_and_seed(collection: Any) -> None:
    args = (collection.qrels, collection.runs, "AP RR", [0.2, 1.0])
    one, two = (stability_of_judgments(*args, trials=6, threads=n) for n in (1, 2))
    assert one == two
    assert [point.mean for m in ("AP", "RR") for point in one[m] if point.size == 1] == [1, 1]
    assert stability_of_judgments(*args, trials=6, seed=1).points != one.points


def test_topics_that_lose_what_is_relevant_are_told() -> None:
    """Level 2 is relevant here, and of a and b one stays: the topic may have nothing left."""
    qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 2}}
    runs = {"x": {"1": ["a"], "2": ["c"]}, "y": {"1": ["b", "a"], "2": ["d"]}}
    options = {"rel": 2, "undefined": "skip"}
    found = stability_of_judgments(qrels, runs, "AP", [0.5], trials=20, **options)  # type: ignore[arg-type]
    assert found.notices[-1].text == (
        "with fewer judgments 1 measure (AP(rel=2)) is undefined for some topics: left out of that "
        "trial"
    )
    assert found["AP(rel=2)"][0].mean == 1


def test_all_judgments_are_the_gold_ranking() -> None:
    """One of a and b is kept. By P@2, w > x = y > z with both; with a alone, w = x > y = z.

    τ_ap in the mean over the orders of tied runs: rank 2, x or w: 1 or 0 of 1; rank 3, y or z:
    1.5 or 2 of 2; rank 4, z or y: 3 or 1.5 of 3. 2/3 (1/2 + 7/8 + 3/4) − 1 = 5/12, and with b
    alone too. The other way round it is 2/3 (3/4 + 5/8 + 5/6) − 1 = 17/36.
    """
    lists = {"w": ["a", "b"], "x": ["a", "n"], "y": ["n", "b"], "z": ["n", "m"]}
    runs = {run: {"1": docs} for run, docs in lists.items()}
    qrels = {"1": {"a": 1, "b": 1}}
    [point] = stability_of_judgments(qrels, runs, "P@2", 0.5, "tau-ap", trials=4).points
    assert [point.mean, point.low, point.high] == pytest.approx([5 / 12] * 3)


def test_judgments_of_common_topics_only() -> None:
    """y does not answer topic 1. On topic 2 it is better than x, by all judgments."""
    qrels = {"1": {"a": 1}, "2": {"b": 1, "n": 0}}
    runs = {"x": {"1": ["a"], "2": ["n"]}, "y": {"2": ["b"]}}
    found = stability_of_judgments(qrels, runs, "P@1", [1], trials=2, topics="common")
    assert (found.topics, [point.mean for point in found.points]) == (1, [1.0])


def test_a_share_is_not_rounded_up_for_rounding() -> None:
    judgments = Evaluator({"1": {f"d{i}": 0 for i in range(25)}}, "P@1").collection.gold.judgments
    assert 0.28 * 25 > 7  # in floating point
    assert drawn_part(judgments, np.arange(25.0), 0.28).sum() == 7


def test_what_judgments_refuse(collection: Any) -> None:
    with pytest.raises(CranfieldError, match=r"numbers in \(0, 1\]"):
        stability_of_judgments(collection.qrels, collection.runs, "AP", [0, 0.5])
    with pytest.raises(CranfieldError, match="found judgments for intents"):
        stability_of_judgments({"1": {"i": {"a": 1}}}, {"1": ["a"]}, "IRec@10")
    with pytest.raises(CranfieldError, match="found classes or groups"):
        stability_of_judgments(
            collection.qrels, collection.runs, "AP", labelling=cf.EquivalenceClasses({})
        )


def test_the_legend_has_lines_without_a_bin() -> None:
    """Of equal scores no difference is significant: there is nothing to draw, but to name."""
    same = np.full((2, 4, 2), 0.5)
    scores = cf.Scores(same, ("x", "y"), tuple("abcd"), ("AP", "RR"), ("mean", "mean"))
    drawn = swap_report.picture(swap(scores, trials=3, filter="t"))
    assert drawn.data.is_empty()
    lines = json.loads(drawn.render("json"))["layer"][1]["encoding"]["color"]
    assert lines["scale"]["domain"] == ["AP", "RR"]


# -- tables, pictures, commands -------------------------------------------------------------------


def test_tables_and_pictures_of_stability() -> None:
    found = stability(THREE, trials=20)
    sizes, points = stability_report.sheets(found)
    assert sizes.seen[0].shown == ["1", "2"]
    assert sizes.seen[1].shown[1] == "1.0000 [1.0000, 1.0000]"
    assert [row["size"] for row in points.rows] == [1, 2]
    assert sizes.caption == (
        "Kendall's τ between the rankings of 3 runs on a random sample of topics and on all: mean, "
        "and where the middle 95% of the trials are; 2 topics (20 trials, seed 0)."
    )
    marks = [
        layer["mark"]["type"]
        for layer in json.loads(stability_report.picture(found).render("json"))["layer"]
    ]
    assert marks == ["area", "line", "point"]
    assert (
        "Kendall's τ, mean of 20 trials" in stability_report.picture(found).render("json").decode()
    )


@pytest.fixture(scope="module")
def files(collection: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    made = [str(path) for path in collection.write(tmp_path_factory.mktemp("made"))]
    return [p for p in made if "qrels" in p] + sorted(p for p in made if "runs" in p)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_swap_command(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = tmp_path / "swap.csv"
    words = ["meta", "swap", *files, "-m", "AP RR", "--sizes", "2,3", "--trials", "50"]
    assert main([*words, "--plot", str(numbers)]) == 0
    assert "difference needed" in capsys.readouterr().out
    assert main([*words, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == {
        **{"tolerated_rate": 0.05, "bin": 0.01, "filter": "none"},
        **{"alpha": 0.05, "trials": 50, "seed": 0},
    }
    assert main([*words, "--table", "bins", "-f", "csv"]) == 0
    assert rows_of(capsys.readouterr().out) == rows_of(numbers.read_text())
    for more, told in (
        (["--alpha", "0.1"], "found --alpha, expected --filter t with it"),
        (["--rate", "5"], "found rate=5.0, expected a number from 0 to 1"),
        (["--plot", "nowhere/swap.svg"], "there is no directory nowhere"),
    ):
        assert main([*words, *more]) == 2
        assert told in capsys.readouterr().err


def test_stability_command(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = tmp_path / "points.csv"
    words = ["meta", "stability", *files, "-m", "AP RR", "--trials", "5"]
    assert main([*words, "--sizes", "2,6", "--plot", str(numbers)]) == 0
    assert "on a random sample of topics and on all" in capsys.readouterr().out
    assert [row["size"] for row in rows_of(numbers.read_text())] == ["2", "6"] * 2
    assert main([*words, "--sample", "judgments", "--shares", "0.5,1", "-f", "csv"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert [(row["measure"], row["size"], row["trials"]) for row in rows] == [
        (measure, size, "5") for measure in ("AP", "RR") for size in ("0.5", "1.0")
    ]
    assert main([*words, "--sizes", "2", "-f", "json"]) == 0
    made = json.loads(capsys.readouterr().out)["settings"]
    assert (made["sampled"], made["statistic"], made["trials"]) == ("topics", "kendall", 5)
    for more, told in (
        (["--shares", "0.5"], "found --shares, expected --sample judgments with it"),
        (["--sample", "judgments", "--sizes", "3"], "expected --sample topics with it"),
    ):
        assert main([*words, *more]) == 2
        assert told in capsys.readouterr().err


def test_a_difference_that_rests_on_a_few_comparisons_is_told() -> None:
    """Six comparisons in all: of 4 topics, the 6 ways to draw 2."""
    a, b = [0.9, 0.8, 0.1, 0.2], [0.1, 0.3, 0.2, 0.1]
    given = {run: dict(zip("1234", x, strict=True)) for run, x in (("a", a), ("b", b))}
    found = swap(given, 2, trials=6)
    assert found["score"].required(1.0) is not None
    assert [notice.kind for notice in found.cautions(1.0)] == ["few-comparisons"]
    assert not found.cautions(0.0) or found["score"].required(0.0) is not None
