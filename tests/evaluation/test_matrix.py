"""A matrix of scores: the same numbers as the complete rankings give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cranfield as cf

QRELS = {"q": {"a": 1, "c": 2}, "r": {"b": 1}}
IDS = ["q", "r"], ["a", "b", "c"]


@pytest.mark.parametrize("values", [4, 10**9])
@pytest.mark.parametrize("measures", ["nDCG@5 P@3", "AP RR", "Judged@10"])
def test_evaluate_matrix_random_scores_equals_complete_runs(values: int, measures: str) -> None:
    rng = np.random.default_rng(values)
    scores = rng.integers(0, values, (7, 50)).astype(np.float32)
    queries, docs = [f"q{i}" for i in range(7)], [f"d{i}" for i in range(50)]
    qrels = {q: {d: int(rng.integers(0, 3)) for d in rng.choice(docs, 12, replace=False)} for q in queries}
    run = {q: dict(zip(docs, map(float, row), strict=True)) for q, row in zip(queries, scores, strict=True)}
    result = cf.evaluate_matrix(scores, queries, docs, qrels, measures)
    assert result.values.tobytes() == cf.evaluate(qrels, run, measures).values.tobytes()


def test_evaluate_matrix_equal_scores_are_ordered_by_id() -> None:
    """By hand: c, b, a in descending order of ids, so RR is 1 for q and 1/2 for r."""
    result = cf.evaluate_matrix(np.zeros((2, 3)), *IDS, QRELS, "RR@3")
    assert result.values[0, :, 0].tolist() == [1.0, 0.5]


def test_evaluate_matrix_minus_infinity_is_not_retrieved() -> None:
    """By hand: q retrieves b only, so its recall is 0, and r retrieves b."""
    scores = np.array([[-np.inf, 0.1, -np.inf], [0.2, 0.1, 0.3]])
    assert cf.evaluate_matrix(scores, *IDS, QRELS, "Recall@3").values[0, :, 0].tolist() == [0.0, 1.0]


class Tensor:
    """An object with DLPack only, as tensors have."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_evaluate_matrix_dlpack_equals_array() -> None:
    array = np.array([[0.3, 0.2, 0.1], [0.3, 0.2, 0.1]])
    result = cf.evaluate_matrix(Tensor(array), *IDS, QRELS, "nDCG@3 RR@1")
    assert result.values.tobytes() == cf.evaluate_matrix(array, *IDS, QRELS, "nDCG@3 RR@1").values.tobytes()


@pytest.mark.parametrize(
    ("scores", "queries", "docs", "message"),
    [
        ([[1, 2]], *IDS, "found scores of shape 1×2, expected 2×3: query_ids × doc_ids"),
        ([1, 2], *IDS, "scores must be a matrix of numbers [queries × documents]"),
        ([["x"]], ["q"], ["a"], "scores must be a matrix of numbers [queries × documents]"),
        ([[0.0, np.nan]], ["q"], ["a", "b"], "found scores[0, 1] = nan, expected a finite number, or -inf"),
        ([[0, 1]], ["q"], ["a", "a"], "duplicate id 'a' in doc_ids (0 and 1)"),
        ([[0]], [None], ["a"], "found query_ids[0] = None, expected a name or an integer"),
    ],
)
def test_evaluate_matrix_bad_input_raises(scores: Any, queries: list[Any], docs: list[str], message: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate_matrix(scores, queries, docs, QRELS, "RR@3")
    assert message in str(caught.value)


def test_evaluate_matrix_order_given_raises() -> None:
    with pytest.raises(cf.InputError, match="a matrix has scores, no ranks"):
        cf.evaluate_matrix([[1, 2, 3], [1, 2, 3]], *IDS, QRELS, "RR@3", order="given")
