"""The stability of rankings: fewer topics, fewer judgments."""

from __future__ import annotations

import json
import math
from itertools import pairwise
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
from cranfield.meta.stability import draw_judgments, score_with, stability, stability_of_judgments
from cranfield.meta.swap import swap
from tests.evidence import checks
from tests.made import examples, rows_of
from tests.meta.made import by_topic, random_runs

# -- stability on fewer topics --------------------------------------------------------------------

# All topics: a > b > c. The first alone: a > c > b; the second: a > b > c.
THREE = by_topic(a=[0.5, 0.4], b=[0.2, 0.3], c=[0.3, 0.1])


@checks("cf.meta.stability", against="by hand")
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
@settings(max_examples=examples(15))
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


def test_stability_invalid_arguments_raise() -> None:
    with pytest.raises(CranfieldError, match="found samples of 3 topics for score, expected 1 to"):
        stability(THREE, [3])
    with pytest.raises(CranfieldError, match="expected 1 to 1"):
        stability(THREE, [2], against="others")
    with pytest.raises(CranfieldError, match="disjoint samples cannot be drawn with replacement"):
        stability(THREE, against="others", replacement=True)
    with pytest.raises(CranfieldError, match="one of kendall"):
        stability(THREE, statistic="pearson")


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([], "no size given"),
        ([1.5], "found size 1.5, expected an integer number"),
        (1.0, "found size 1.0, expected an integer number"),
        ("1", "found size '1', expected an integer number"),
    ],
)
def test_sizes_are_whole_numbers(sizes: Any, said: str) -> None:
    for method in (swap, stability):
        with pytest.raises(CranfieldError, match=said):
            method(THREE, sizes)


def test_stability_accepts_single_size() -> None:
    found = stability(THREE, 1, trials=5)
    assert found.points == stability(THREE, [1], trials=5).points
    [point] = found.points
    assert repr(found) == (f"Stability of kendall, 3 runs, samples of topics: score at 1 {point.mean:.4f}")
    assert [note.kind for note in found.notes] == ["few-runs"]
    assert swap(THREE, 1, trials=5)["score"].size == 1


def test_a_constant_measure_has_no_stability() -> None:
    found = stability(by_topic(a=[1, 1], b=[1, 1], c=[1, 1], d=[1, 1]), trials=5)
    assert [n.text for n in found.notes] == ["score cannot rank the runs: all have the same mean"]


def test_all_topics_are_the_gold_ranking() -> None:
    """Of single topics, half of the trials each: the quartiles are the two values.

    All: a > c > b > d. First topic, a > b > c > d: 2/3 (1/1 + 1/2 + 3/3) − 1 = 2/3; second,
    c > d > a > b: 2/3 (1/1 + 0/2 + 2/3) − 1 = 1/9. The other way round, it has −2/9.
    """
    runs = by_topic(a=[0.9, 0.2], b=[0.8, 0.1], c=[0.3, 0.7], d=[0.2, 0.25])
    [point] = stability(runs, [1], "tau-ap", confidence=0.5, trials=200).points
    assert [point.low, point.high] == pytest.approx([1 / 9, 2 / 3])


def test_stability_others_have_same_size() -> None:
    """The first two topics say a, the third b by more: of two single topics, 2 of 6 agree. One
    against both others, in their mean, would never agree: τ = −1 always.
    """
    runs = by_topic(a=[0.6, 0.6, 0.0], b=[0.5, 0.5, 0.9])
    [point] = stability(runs, [1], against="others", trials=3000).points
    assert point.mean == pytest.approx((2 - 4) / 6, abs=0.07)  # four standard errors


# -- stability with fewer judgments ---------------------------------------------------------------

MEASURES = "AP nDCG@5 RR P@5 bpref infAP Q ERR RBP Judged@5 AP(condensed=true)"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 7, "undefined": "nan"},
        {"ties": "expected", "measures": "AP P@5 bpref"},
        {"topics": "common", "gains": [1, 3, 7], "rel": 2},
    ],
)
def test_a_part_is_as_if_the_rest_had_never_been_judged(collection: Any, options: dict[str, Any]) -> None:
    """Scores with some of the items are those with judgments that lack the others."""
    measures = options.pop("measures", MEASURES)
    whole = Evaluator(collection.qrels, measures, **options)
    runs = whole.read(collection.runs)
    every = whole.collection.gold.judgments
    kept = draw_judgments(every, np.random.default_rng(1).random(len(every.levels)), 0.4)
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
    found = score_with(whole, [whole.collection.compute_rankings(run) for run in runs], kept)
    counted = [topic in expected.topics for topic in every.topics]
    assert 0 < kept.sum() < len(kept)
    np.testing.assert_array_equal(found[:, counted], expected.values)


def test_parts_are_nested_and_stratified(collection: Any) -> None:
    """⌈share · number⌉ of the relevant and of the other judgments of every topic."""
    every = Evaluator(collection.qrels, "AP").collection.gold.judgments
    order = np.random.default_rng(0).random(len(every.levels))
    parts = [draw_judgments(every, order, share) for share in (0.1, 0.3, 0.7, 1.0)]
    for smaller, larger in pairwise(parts):
        assert (larger | ~smaller).all()
    assert parts[-1].all()
    for t, topic in enumerate(every.topics):
        relevant = [level > 0 for level in collection.qrels[topic].values()]
        here = slice(every.offsets[t], every.offsets[t + 1])
        of_topic, levels = parts[1][here], every.levels[here]
        assert (of_topic & (levels > 0)).sum() == math.ceil(0.3 * sum(relevant) - 1e-9)
        assert (of_topic & (levels <= 0)).sum() == math.ceil(0.3 * (len(relevant) - sum(relevant)) - 1e-9)


@checks("cf.meta.stability_of_judgments", against="by hand")
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


def test_stability_of_judgments_undefined_topics_have_note() -> None:
    """Level 2 is relevant here, and of a and b one stays: the topic may have nothing left."""
    qrels = {"1": {"a": 2, "b": 1}, "2": {"c": 2}}
    runs = {"x": {"1": ["a"], "2": ["c"]}, "y": {"1": ["b", "a"], "2": ["d"]}}
    options = {"rel": 2, "undefined": "skip"}
    found = stability_of_judgments(qrels, runs, "AP", [0.5], trials=20, **options)  # type: ignore[arg-type]
    assert found.notes[-1].text == (
        "with fewer judgments, 1 measure (AP(rel=2)) undefined on some topics, excluded from that trial"
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
    assert draw_judgments(judgments, np.arange(25.0), 0.28).sum() == 7


def test_stability_of_judgments_invalid_arguments_raise(collection: Any) -> None:
    with pytest.raises(CranfieldError, match=r"numbers in \(0, 1\]"):
        stability_of_judgments(collection.qrels, collection.runs, "AP", [0, 0.5])
    with pytest.raises(CranfieldError, match="judgments for intents are not supported"):
        stability_of_judgments({"1": {"i": {"a": 1}}}, {"1": ["a"]}, "IRec@10")
    with pytest.raises(CranfieldError, match="classes and groups of items are not supported"):
        stability_of_judgments(collection.qrels, collection.runs, "AP", labelling=cf.EquivalenceClasses({}))


def test_the_legend_has_lines_without_a_bin() -> None:
    """Of equal scores no difference is significant: there is nothing to draw, but to name."""
    same = np.full((2, 4, 2), 0.5)
    scores = cf.Scores(same, ("x", "y"), tuple("abcd"), ("AP", "RR"), ("mean", "mean"))
    drawn = swap(scores, trials=3, filter="t")._build_figure()
    assert drawn.data.is_empty()
    lines = json.loads(drawn.render("json"))["layer"][1]["encoding"]["color"]
    assert lines["scale"]["domain"] == ["AP", "RR"]


# -- tables, pictures, commands -------------------------------------------------------------------


def test_tables_and_pictures_of_stability() -> None:
    found = stability(THREE, trials=20)
    sizes, points = found._build_tables()
    assert sizes.visible_fields[0].cell_texts == ["1", "2"]
    assert sizes.visible_fields[1].cell_texts[1] == "1.0000 [1.0000, 1.0000]"
    assert [row["size"] for row in points.rows] == [1, 2]
    assert sizes.caption == (
        "Kendall's τ between the rankings of 3 runs on a random sample of topics and on all: mean, "
        "and range of the middle 95% of the trials. 2 topics (20 trials, seed 0)."
    )
    marks = [layer["mark"]["type"] for layer in json.loads(found._build_figure().render("json"))["layer"]]
    assert marks == ["area", "line", "point"]
    assert "Kendall's τ, mean of 20 trials" in found._build_figure().render("json").decode()


def test_stability_command(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        (["--shares", "0.5"], "--shares requires --sample judgments"),
        (["--sample", "judgments", "--sizes", "3"], "--sizes requires --sample topics"),
    ):
        assert main([*words, *more]) == 2
        assert told in capsys.readouterr().err
