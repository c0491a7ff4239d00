"""Evaluation of predictions in arrays, for learning to rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.arrays import Bools, Floats, Ints
from cranfield.data.qrels import Positions, Qrels
from cranfield.data.reading.lines import parse_identifier
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import Evaluator
from cranfield.evaluation.options import Settings, with_options
from cranfield.labelling.predictions import PredictionRanker
from cranfield.measures.base import Measure
from cranfield.measures.selection import MeasuresLike, find_deepest
from cranfield.scores import LazyNotes, Note, Scores

QID_USAGE = "qid=[query of each document]"
QUERIES = f"Pass group=[documents per query], {QID_USAGE}, or arrays with a row per query."

EXCHANGED = Note("exchanged", "y_true has fractions and y_score integers. Check the order: levels, then predictions.")


@with_options
def evaluate_arrays(
    y_true: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    group: ArrayLike | None = None,
    measures: MeasuresLike = None,
    *,
    qid: ArrayLike | None = None,
    **options: Unpack[Settings],
) -> Scores:
    """Score predictions for documents with known levels.

    y_true
        The level of each document, ≥ 0: one array, or one row per query.
    y_score
        The predictions in the same shape, or a dict from model names to predictions.
    group
        The number of documents of each query in order, as in LightGBM, or the query of each
        document.
    qid
        The query of each document, as in XGBoost, in any order.

    Topics are named by qid, otherwise numbered from 0. Documents are numbered by position from 0.
    Equal predictions keep the order of the arrays. ``ties="expected"`` computes the mean over all
    orders, as scikit-learn does.

    >>> evaluate_arrays([2, 0, 1, 0, 1], [0.9, 0.5, 0.7, 0.1, 0.8], [3, 2], "nDCG@10 RR").summary()
    {'run': {'nDCG@10': 1.0, 'RR': 1.0}}
    >>> evaluate_arrays([[0, 1], [1, 0]], [[0.9, 0.1], [0.9, 0.1]], measures="RR").summary()
    {'run': {'RR': 0.75}}
    """
    return ArrayEvaluator(y_true, group, measures, qid=qid, **options)(y_score)


@with_options
class ArrayEvaluator:
    """Levels prepared once for many predictions, as in a training loop.

    The arguments are those of `evaluate_arrays`.

    >>> ev = ArrayEvaluator([2, 0, 1, 0, 1], [3, 2], "nDCG@10 RR")
    >>> ev([0.9, 0.5, 0.7, 0.1, 0.8]).mean()
    {'run': {'nDCG@10': 1.0, 'RR': 1.0}}
    """

    def __init__(
        self,
        y_true: ArrayLike,
        group: ArrayLike | None = None,
        measures: MeasuresLike = None,
        *,
        qid: ArrayLike | None = None,
        **options: Unpack[Settings],
    ) -> None:
        self._levels = _read_numbers(y_true, "y_true", copy=True)
        self._has_fractions = not (self._levels == np.floor(self._levels)).all()
        _check_values(self._levels < 0, self._levels, "y_true", "a level ≥ 0")
        if options.get("exclude_self"):
            raise InputError.from_problem("exclude_self needs document ids, and arrays have none")
        _check_gains(options.get("gains"))
        qrels = _build_qrels(self._levels, _find_queries(self._levels.shape, group, qid))
        self._evaluator = Evaluator(qrels, measures, **options)
        for m in self.measures:
            if m.needs_documents:
                problem = f"{m} requires document ids, but arrays have none"
                raise InputError.from_problem(problem, "Use cf.evaluate with qrels and runs")
        self._order = None if isinstance(qrels.lines, slice) else qrels.lines
        self._ranker = PredictionRanker(qrels.offsets, qrels.levels) if self._can_rank else None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures to compute, with the options applied."""
        return self._evaluator.measures

    def __call__(self, y_score: ArrayLike | Mapping[str, ArrayLike]) -> Scores:
        """Score predictions, or a dict from model names to predictions."""
        predictions = y_score if isinstance(y_score, Mapping) else {"run": y_score}
        scores = {name: _read_predictions(values, name, self._levels) for name, values in predictions.items()}
        result = self._score_tops(scores) or self._evaluator(scores)
        if self._has_fractions and all(map(_are_counts, scores.values())):  # these may be the levels
            return replace(result, notes=LazyNotes(lambda: (EXCHANGED, *result.notes)))
        return result

    @property
    def _can_rank(self) -> bool:
        """True if the levels of the top ranks determine the scores."""
        collection, options = self._evaluator.collection, self._evaluator.options
        by_levels = collection.labels.is_default and collection.intents is None and not collection.extras
        by_score = options.order in (None, "score") and options.ties not in ("trec", "rank", "given")
        return by_levels and by_score and not options.residuals

    def _score_tops(self, scores: Mapping[str, Floats]) -> Scores | None:
        """Score the top ranks, or return None if other documents or orders of ties matter."""
        ranker, evaluator = self._ranker, self._evaluator
        if ranker is None or not ranker.is_compact or not scores:
            return None
        reach = find_deepest(self.measures, evaluator.options.depth)
        rows = [values if self._order is None else values[self._order] for values in scores.values()]
        tops = [ranker.rank(row, reach) for row in rows]
        if evaluator.options.ties in ("best", "worst", "expected") and any(top.tied for top in tops):
            return None
        names, strategy = list(scores), evaluator.collection.apply_strategy
        counts = evaluator.choose_topics(names, [top.rankings.answered for top in tops])
        values = np.stack([evaluator.scorer.compute_values(strategy(top.rankings)) for top in tops])
        return evaluator.collect_scores(names, counts, values, lambda: evaluator(scores).notes)


def _check_gains(gains: object) -> None:
    """Raise an error for gains from level 0, as in LightGBM. Ours start at level 1."""
    if isinstance(gains, str) or not isinstance(gains, Sequence | np.ndarray):
        return
    values = list(gains)
    if len(values) > 1 and values[0] == 0:
        problem = "gains start with 0, as label_gain of LightGBM for level 0"
        from_one = dict(enumerate(values[1:], 1))
        raise InputError.from_problem(problem, f"Gains start at level 1: gains={from_one}")


def _are_counts(x: Floats) -> bool:
    """Return True if all numbers are integers ≥ 0."""
    return bool(((x >= 0) & (x == np.floor(x))).all())


class Queries(NamedTuple):
    """The queries in input order, their documents, and the order of documents by query."""

    names: tuple[str, ...]
    sizes: Ints
    order: Ints | None = None  # None: in order of the queries


def _build_qrels(levels: Floats, queries: Queries) -> Qrels:
    """Build judgments. Their lines are positions in the arrays, as for predictions."""
    order, flat = queries.order, levels.ravel()
    return Qrels(
        queries.names,
        np.concatenate(([0], np.cumsum(queries.sizes))),
        flat if order is None else flat[order],
        Positions(range(len(flat)) if order is None else order.tolist()),
        "y_true",
        lines=slice(None) if order is None else order,
    )


# -- queries --------------------------------------------------------------------------------------


def _find_queries(shape: tuple[int, ...], group: ArrayLike | None, qid: ArrayLike | None) -> Queries:
    count = (group is not None) + (qid is not None)
    if len(shape) == 2:
        if count:
            raise InputError.from_problem("use either group or qid, or arrays with a row per query")
        return _expand_sizes(np.full(shape[0], shape[1]))
    if count != 1:
        raise InputError.from_problem("use either group or qid" if count else "no queries", QUERIES)
    if group is None:
        ids = np.asarray(qid)
        if ids.shape != shape:
            raise InputError(_describe_shape("qid", ids), f"the query of each of {shape[0]} documents")
        return _number_ids(ids, "qid")
    return _parse_group(np.asarray(group), shape[0])


def _parse_group(group: NDArray[Any], n: int) -> Queries:
    """Parse group: sizes add up to the number of documents, or one query per document."""
    counts = group.ndim == 1 and group.dtype.kind in "iu" and bool((group >= 0).all())
    adds_up = counts and int(group.sum()) == n
    if adds_up and len(group) == n > 1:
        problem = f"ambiguous group: {n} sizes, or the query of each of {n} documents"
        raise InputError.from_problem(problem, f"Use {QID_USAGE}.")
    if adds_up and (group > 0).all():
        return _expand_sizes(group.astype(np.int64))
    if group.shape == (n,):
        return _number_ids(group, "group")
    problem = f"group of {len(group)} that adds up to {group.sum()}" if counts else _describe_shape("group", group)
    if adds_up:
        problem = f"group[{int(np.argmin(group))}] = 0"
    raise InputError(problem, f"sizes ≥ 1 that add up to {n}, or the query of each of {n}")


def _expand_sizes(sizes: Ints) -> Queries:
    return Queries(tuple(map(str, range(len(sizes)))), sizes)


def _number_ids(ids: NDArray[Any], name: str) -> Queries:
    """Number the query ids in order of their first occurrence."""
    place: dict[str, int] = {}
    numbers = np.empty(len(ids), dtype=np.int64)
    for row, cell in enumerate(ids.tolist()):
        is_integer = isinstance(cell, float) and cell.is_integer()  # frames may store integers as floats
        query = parse_identifier(int(cell) if is_integer else cell)
        if query is None:
            raise InputError(f"{name}[{row}] = {cell!r}", "a name or an integer")
        numbers[row] = place.setdefault(query, len(place))
    in_order = bool((numbers[1:] >= numbers[:-1]).all())
    return Queries(tuple(place), np.bincount(numbers), None if in_order else np.argsort(numbers, kind="stable"))


# -- numbers --------------------------------------------------------------------------------------


def _read_predictions(values: ArrayLike, name: str, levels: Floats) -> Floats:
    location = "y_score" if name == "run" else f"y_score[{name!r}]"
    predictions = _read_numbers(values, location)
    if predictions.shape != levels.shape:
        expected = f"shape {_format_shape(levels)} as y_true"
        raise InputError(_describe_shape(location, predictions), expected)
    return predictions.ravel()


def _read_numbers(values: ArrayLike, name: str, copy: bool = False) -> Floats:
    """Return finite numbers, one per document, or one row per query."""
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "bfiuO" or any(isinstance(x, str) for x in _iter_objects(numbers)):
            raise TypeError
        numbers = numbers.astype(np.float64, copy=copy)
    except (TypeError, ValueError, OverflowError):
        problem = f"{name} must be an array of numbers, one per document"
        raise InputError.from_problem(problem) from None
    if numbers.ndim not in (1, 2) or not numbers.size:
        expected = "one number per document, or one row per query"
        raise InputError(_describe_shape(name, numbers), expected)
    _check_values(~np.isfinite(numbers), numbers, name, "a finite number")
    return numbers


def _check_values(wrong: Bools, values: Floats, name: str, expected: str) -> None:
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        position = ", ".join(map(str, place))
        raise InputError(f"{name}[{position}] = {values[place]:g}", expected)


def _iter_objects(array: NDArray[Any]) -> Iterable[Any]:
    """Iterate over the elements of an object array."""
    return array.flat if array.dtype.kind == "O" else ()


def _format_shape(array: NDArray[Any]) -> str:
    return "×".join(map(str, array.shape)) or "none"


def _describe_shape(name: str, array: NDArray[Any]) -> str:
    """
    >>> _describe_shape("y_score", np.zeros((2, 3)))
    'y_score of shape 2×3'
    """
    return f"{name} of shape {_format_shape(array)}"
