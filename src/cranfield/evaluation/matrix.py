"""Evaluation of a matrix with a score for each query and document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.data.qrels import QrelsLike
from cranfield.data.reading.lines import parse_identifier
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Settings, with_options
from cranfield.measures.selection import MeasuresLike, find_deepest
from cranfield.scores import Scores

CELLS = 1 << 22  # scores converted at a time: 32 MB


@with_options
def evaluate_matrix(
    scores: Any,
    query_ids: Sequence[Any],
    doc_ids: Sequence[Any],
    qrels: QrelsLike,
    measures: MeasuresLike = None,
    **options: Unpack[Settings],
) -> Scores:
    """Score a dense matrix of scores [queries × documents], such as of a retrieval model.

    scores
        A NumPy array, or any object with ``__array__`` or DLPack. −inf: not retrieved.
    query_ids, doc_ids
        The ids of rows and columns.

    Only the ranks that the measures use are selected, by partition. Documents with equal scores are
    ordered as in `evaluate`: by document id, descending. A measure without a cutoff needs all
    documents, unless `depth` limits the rankings.

    >>> evaluate_matrix([[0.1, 0.9, 0.5]], ["q"], ["a", "b", "c"], {"q": {"c": 1}}, "RR@10").mean()
    {'run': {'RR@10': 0.5}}
    """
    matrix = _read_matrix(scores)
    queries, docs = _read_ids(query_ids, "query_ids"), _read_ids(doc_ids, "doc_ids")
    if matrix.shape != (len(queries), len(docs)):
        shape = "×".join(map(str, matrix.shape))
        raise InputError(f"scores of shape {shape}", f"{len(queries)}×{len(docs)}: query_ids × doc_ids")
    evaluator = Evaluator(qrels, measures, **options)
    settings = evaluator.options
    if {settings.order, settings.ties} & {"rank", "given"}:
        raise InputError.from_problem("a matrix has scores, no ranks", "Omit order.")
    depth = find_deepest(evaluator.measures, settings.depth)
    if settings.chunks is not None or settings.exclude_self:
        depth = None  # further documents move up
    names = np.array(docs, dtype=object)
    return evaluator({"run": dict(zip(queries, _iter_tops(matrix, names, depth), strict=True))})


def _iter_tops(matrix: NDArray[Any], names: NDArray[Any], depth: int | None) -> Iterator[dict[str, float]]:
    """Yield the best documents of each row, with all that tie with the last one."""
    rows = max(1, CELLS // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), rows):
        block = _to_doubles(matrix[start : start + rows], start)
        limits = np.full(len(block), -np.inf)
        if depth is not None and depth < block.shape[1]:
            limits = np.partition(block, block.shape[1] - depth, axis=1)[:, -depth]
        for row, limit in zip(block, limits.tolist(), strict=True):
            best = np.flatnonzero((row >= limit) & (row > -np.inf))
            yield dict(zip(names[best].tolist(), row[best].tolist(), strict=True))


def _read_matrix(scores: Any) -> NDArray[Any]:
    if not hasattr(scores, "__array__") and hasattr(scores, "__dlpack__"):
        scores = np.from_dlpack(scores)
    try:
        matrix = np.asarray(scores)
    except (TypeError, ValueError, RuntimeError) as error:
        problem = f"scores cannot be converted to a NumPy array ({error})"
        raise InputError.from_problem(problem, "Move a tensor to the CPU and detach it first.") from None
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise InputError.from_problem("scores must be a matrix of numbers [queries × documents]")
    return matrix


def _to_doubles(block: NDArray[Any], start: int) -> Floats:
    numbers: Floats = block.astype(np.float64)
    wrong = np.isnan(numbers) | (numbers == np.inf)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise InputError(f"scores[{start + row}, {column}] = {numbers[row, column]:g}", "a finite number, or -inf")
    return numbers


def _read_ids(ids: Sequence[Any], name: str) -> list[str]:
    try:
        values = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    except TypeError:
        raise InputError(f"{name} {ids!r}", "a list of ids") from None
    texts: dict[str, int] = {}
    for place, value in enumerate(values):
        text = parse_identifier(value)
        if text is None:
            raise InputError(f"{name}[{place}] = {value!r}", "a name or an integer")
        if text in texts:
            raise InputError.from_problem(f"duplicate id {text!r} in {name} ({texts[text]} and {place})")
        texts[text] = place
    return [*texts]
