"""Levels and predictions as arrays: the same scores as dicts give, whatever shape they have."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from tests.made import examples

MEASURES = "nDCG@3 nDCG(gain=exp)@3 AP AP@2 RR P@2 ERR(max_level=3)"
Rows = list[tuple[int, float, float]]  # the query, the level and the prediction of each document


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """Documents of a few queries in any order, with ties."""
    one = st.tuples(
        st.integers(0, 3),
        st.sampled_from([0.0, 0.0, 1.0, 2.0, 2.5, 3.0]),
        st.sampled_from([-1.5, 0.0, 0.25, 7.0]),
    )
    return draw(st.lists(one, min_size=1, max_size=20))


def by_dicts(drawn: Rows) -> cf.Scores:
    """The same documents by name, in the order of the list where predictions are equal."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for place, (query, level, score) in enumerate(drawn):
        qrels.setdefault(f"{query}", {})[f"d{place}"] = level
        run.setdefault(f"{query}", {})[f"d{place}"] = score
    return cf.evaluate(qrels, run, MEASURES, ties="file")


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate_arrays(*args, **options)
    return str(caught.value)


@given(rows())
@settings(max_examples=examples(60))
def test_queries_of_documents_in_any_order(drawn: Rows) -> None:
    query, level, score = map(list, zip(*drawn, strict=True))
    expected = by_dicts(drawn)
    found = cf.evaluate_arrays(level, score, measures=MEASURES, qid=query)
    assert found.topics == expected.topics
    assert found.values.tolist() == expected.values.tolist()


@given(rows())
@settings(max_examples=examples(60))
def test_sizes_of_groups(drawn: Rows) -> None:
    drawn.sort(key=lambda row: row[0])
    query, level, score = map(list, zip(*drawn, strict=True))
    sizes = [query.count(q) for q in sorted(set(query))]
    expected = by_dicts(drawn)
    if len(sizes) == len(query) > 1:  # which may also be the same query, n times
        assert "ambiguous group" in refused(level, score, sizes)
        return
    found = cf.evaluate_arrays(level, score, group=sizes, measures=MEASURES)
    assert found.topics == tuple(map(str, range(len(sizes))))
    assert found.values.tolist() == expected.values.tolist()


def test_a_row_for_each_query() -> None:
    """By hand: 0, 1, 2 in predicted order, then 3, 0, 0."""
    y_true, y_score = [[1, 0, 2], [3, 0, 0]], [[0.5, 0.9, 0.1], [0.9, 0.8, 0.7]]
    found = cf.evaluate_arrays(y_true, y_score, measures="nDCG RR P@1")
    first = (1 / math.log2(3) + 2 / 2) / (2 + 1 / math.log2(3))
    assert found.topics == ("0", "1")
    assert found.values[0].tolist() == [pytest.approx([first, 0.5, 0.0]), [1.0, 1.0, 1.0]]


def test_the_numbers_that_learners_print() -> None:
    """By their definitions: LightGBM's and XGBoost's ndcg@k has gain 2^x − 1, and their order is
    stable; LightGBM's map@k divides by min(k, R)."""
    level, score, sizes = [0, 2, 1, 1, 0], [0.5, 0.5, 0.9, 0.1, 0.2], [3, 2]
    found = cf.evaluate_arrays(level, score, sizes, ["nDCG(gain=exp)@2", "AP@2"])
    ideal = 3 + 1 / math.log2(3)
    assert found["run", "0"].values[0, 0].tolist() == pytest.approx([1 / ideal, 1 / 2])
    assert found["run", "1"].values[0, 0].tolist() == pytest.approx([1 / math.log2(3), 1 / 2])


@pytest.mark.parametrize("k", [1, 2, 4])
def test_scikit_learn_takes_the_mean_over_orders_of_ties(k: int) -> None:
    """Its ndcg_score, from all orders of the documents that agree with the predictions."""
    level, score = [0.0, 3.0, 1.0, 0.5], [0.5, 0.5, 0.5, 0.9]

    def dcg(of: list[float]) -> float:
        return sum(g / math.log2(r + 1) for r, g in enumerate(of[:k], 1))

    orders = [o for o in permutations(range(4)) if o[0] == 3]
    mean = sum(dcg([level[i] for i in order]) for order in orders) / len(orders)
    found = cf.evaluate_arrays([level], [score], measures=f"nDCG@{k}", ties="expected")
    assert found.values.item() == pytest.approx(mean / dcg(sorted(level, reverse=True)), rel=1e-12)


def test_ties_are_told() -> None:
    found = cf.evaluate_arrays([[0, 1]], [[0.5, 0.5]], measures="RR")
    assert found.values.item() == 0.5
    assert [n.topics for n in found.notes if n.kind == "ties"] == [("0",)]
    best = cf.evaluate_arrays([[0, 1]], [[0.5, 0.5]], measures="RR", ties="best")
    assert best.values.item() == 1.0


def test_several_models_and_whatever_becomes_an_array() -> None:
    level, sizes = np.array([1, 0, 0, 2], dtype=np.int8), polars.Series([2, 2])
    models = {
        "a": np.array([1, 2, 3, 4], dtype=np.float32),
        "b": pandas.Series([4, 3, 2, 1], index=[9, 8, 7, 6]),
    }
    found = cf.evaluate_arrays(level, models, sizes, "RR")
    assert found.runs == ("a", "b")
    assert found.values[:, :, 0].tolist() == [[0.5, 1.0], [1.0, 0.5]]
    for qid in (["x", "x", "y", "y"], pandas.Series([7.0, 7, 3, 3]), np.array([7, 7, 3, 3])):
        other = cf.evaluate_arrays(list(map(bool, level)), models["a"], qid, "RR")
        assert other.values[0, :, 0].tolist() == [0.5, 1.0]
        assert other.topics == (("x", "y") if qid[0] == "x" else ("7", "3"))


def test_options_are_those_of_evaluate() -> None:
    level, score, sizes = [0, 0, 2, 1], [4, 3, 2, 1], [2, 2]
    found = cf.evaluate_arrays(level, score, sizes, "RR", undefined="skip", rel=2)
    assert found.summary() == {"run": {"RR(rel=2)": 1.0}}


@pytest.mark.parametrize(
    ("y_true", "y_score", "options", "said"),
    [
        ([1, 0], [1, 2], {}, "no queries. Pass group=[documents per query], qid="),
        ([1, 0], [1, 2], {"group": [2], "qid": [1, 1]}, "use either group or qid. Pass group="),
        (
            [[1, 0]],
            [[1, 2]],
            {"group": [2]},
            "use either group or qid, or arrays with a row per query",
        ),
        ([1, 0], [1], {"group": [2]}, "y_score of shape 1, expected shape 2 as y_true"),
        ([[1, 0]], [1, 2], {}, "y_score of shape 2, expected shape 1×2 as y_true"),
        ([1, 0], {"a": [1]}, {"group": [2]}, "y_score['a'] of shape 1, expected shape"),
        ([1, 0, 1], [1, 2, 3], {"group": [1, 1]}, "group of 2 that adds up to 2, expected sizes"),
        ([1, 0, 1], [1, 2, 3], {"group": [3, 0]}, "group[1] = 0, expected sizes ≥ 1 that add"),
        ([1, 0, 1], [1, 2, 3], {"group": [4, -1]}, "group of shape 2, expected sizes ≥ 1 that"),
        ([1, 0, 1], [1, 2, 3], {"group": [1, 1, 1]}, "ambiguous group: 3 sizes, or"),
        ([1, 0, 1], [1, 2, 3], {"group": [0, 1, 2]}, "ambiguous group: 3 sizes, or"),
        ([1, 0, 1], [1, 2, 3], {"group": [3, 0, 0]}, "ambiguous group: 3 sizes, or"),
        ([1, 0, 1], [1, 2, 3], {"group": [[3]]}, "group of shape 1×1, expected sizes ≥ 1 that"),
        ([1, 0, 1], [1, 2, 3], {"qid": [1, 1]}, "qid of shape 2, expected the query of each of 3"),
        ([1, 0], [1, 2], {"qid": [1, math.nan]}, "qid[1] = nan, expected a name or an integer"),
        ([1, 0], [1, 2], {"qid": [1.5, 1]}, "qid[0] = 1.5, expected a name or an integer"),
        ([1, 0], [1, 2], {"qid": ["a", ""]}, "qid[1] = '', expected a name or an integer"),
        ([1, 0], [1, math.nan], {"group": [2]}, "y_score[1] = nan, expected a finite number"),
        ([[1, 0], [0, math.inf]], [[1, 0], [1, 2]], {}, "y_true[1, 1] = inf, expected a finite"),
        ([1, -1], [1, 2], {"group": [2]}, "y_true[1] = -1, expected a level ≥ 0"),
        ([1, 0], ["1", "2"], {"group": [2]}, "y_score must be an array of numbers"),
        ([[1, 0], [1]], [[1, 0], [1]], {}, "y_true must be an array of numbers"),
        ([1, None], [1, 2], {"group": [2]}, "y_true[1] = nan, expected a finite number"),
        ([], [], {"group": []}, "y_true of shape 0, expected one number per document, or one row"),
        (1, 1, {}, "y_true of shape none, expected one number per document, or one row per query"),
        ([1, 0], [1, 2], {"group": [2], "exclude_self": True}, "exclude_self needs document ids"),
        (
            [1, 0],
            [1, 2],
            {"group": [2], "gains": [0, 1, 3]},
            "gains start with 0, as label_gain of LightGBM",
        ),
        ([1, 0], [1, 2], {"qid": ["all", "b"]}, "a topic is named 'all', the name of the summary"),
    ],
)
def test_what_is_refused(y_true: Any, y_score: Any, options: Any, said: str) -> None:
    message = refused(y_true, y_score, measures="RR", **options)
    assert message.removeprefix("found ").startswith(said)


def test_gains_of_levels_from_one() -> None:
    """label_gain 0, 1, 3 of LightGBM: level 2 is worth 3, as the error says how to write it."""
    said = refused([1, 2], [2, 1], [2], "nDCG@2", gains=[0, 1, 3])
    assert said.endswith("gains={1: 1, 2: 3}")
    found = cf.evaluate_arrays([1, 2], [2, 1], [2], "nDCG@2", gains={1: 1, 2: 3})
    low, high = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)
    assert found["run", "0"].values.item() == pytest.approx(low / high)


@pytest.mark.parametrize(
    ("y_true", "y_score", "told"),
    [
        ([0.9, 0.4], [2, 0], True),
        ([2, 0], [0.9, 0.4], False),
        ([2, 0], [1, 0], False),
        ([0.5, 0], [0.9, 0.4], False),
        ([0.5, 0], [-1, 2], False),
    ],
)
def test_levels_and_predictions_exchanged(y_true: Any, y_score: Any, told: bool) -> None:
    """XGBoost's and LightGBM's own metrics are called with predictions first."""
    found = cf.evaluate_arrays(y_true, y_score, [2], "RR")
    assert [x.kind for x in found.notes] == ["exchanged"] * told


ALL_MEASURES = "nDCG@3 nDCG AP AP(condensed=true)@2 RR P@2 Judged@4 ERR(max_level=3)@5 RBP.EU bpref Recall@7 Q@4 SetP"


@given(rows(), st.sampled_from([None, "file", "best", "worst", "expected"]), st.sampled_from([None, 2, 5]))
@settings(max_examples=examples(60))
def test_array_evaluator_any_predictions_equals_labelled_documents(drawn: Rows, ties: Any, depth: int | None) -> None:
    """The top ranks of a matrix give the bits that labelling by document ids gives."""
    query, level, score = map(list, zip(*drawn, strict=True))
    options: dict[str, Any] = {"ties": ties, "depth": depth, "tie_samples": 3}
    fast = cf.ArrayEvaluator(level, None, ALL_MEASURES, qid=query, **options)
    scores, expected = fast(score), fast._evaluator({"run": np.array(score)})
    assert scores.measures == expected.measures
    assert scores.values.tobytes() == expected.values.tobytes()
    assert scores.notes == expected.notes


@pytest.mark.parametrize("cutoff", [1, 4, 12, 100])
@pytest.mark.parametrize("values", [3, 40, 10**9])
def test_array_evaluator_long_rankings_equals_labelled_documents(cutoff: int, values: int) -> None:
    """Partitions, cut groups of equal predictions, and queries with fewer documents than the cutoff."""
    rng = np.random.default_rng(cutoff + values)
    sizes = rng.integers(1, 60, 30)
    level, score = rng.integers(0, 4, sizes.sum()), rng.integers(0, values, sizes.sum()) / 7
    for ties in (None, "expected", "best"):
        fast = cf.ArrayEvaluator(level, sizes, f"nDCG@{cutoff} P@{cutoff}", ties=ties)
        expected = fast._evaluator({"run": score})
        assert fast(score).values.tobytes() == expected.values.tobytes()


def test_array_evaluator_levels_change_later_keeps_scores() -> None:
    levels = np.array([[1.0, 0.0]])
    evaluator = cf.ArrayEvaluator(levels, measures="RR")
    levels[:] = 0
    assert evaluator([[0.9, 0.1]]).values.item() == 1.0
    assert evaluator({"a": [[0.9, 0.1]], "b": [[0.1, 0.9]]}).mean() == {"a": {"RR": 1.0}, "b": {"RR": 0.5}}


def test_array_evaluator_wrong_shape_raises() -> None:
    evaluator = cf.ArrayEvaluator([[1, 0]], measures="RR")
    with pytest.raises(cf.InputError, match=r"y_score of shape 1×3, expected shape 1×2 as y_true"):
        evaluator([[1, 2, 3]])
