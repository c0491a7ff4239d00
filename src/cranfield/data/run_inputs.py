"""Detection of input types: one or several runs, rows, predictions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import count, islice
from typing import Any, TypeAlias

import numpy as np

from cranfield.data.qrels import Qrels
from cranfield.data.reading.adapters import has_rows, is_ranx
from cranfield.data.reading.columns import TREC
from cranfield.data.reading.lines import to_number
from cranfield.data.reading.mappings import is_plain
from cranfield.data.reading.objects import is_shaped, is_single_run
from cranfield.data.reading.records import ReadOptions, Record
from cranfield.data.reading.shapes import read_entries
from cranfield.data.reading.tables import is_frame
from cranfield.data.run import Run

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples,
# records, Run, or predictions for LETOR data: an array or a list of numbers


def name_runs(runs: Any, qrels: Qrels | None) -> list[tuple[str | None, str, RunLike]]:
    """Return (name, location, data) of each run.

    The name is None if the user gave none.
    """
    if isinstance(runs, Mapping):
        if _has_runs(runs, qrels):
            return [(str(n), str(n) if are_numbers(r) else "run", r) for n, r in runs.items()]
        return [(None, "run", runs)]
    if _is_list_of_numbers(runs) or is_single_run(runs):
        return [(None, "run", runs)]
    if isinstance(runs, list | tuple) and any(_is_run(r, qrels) for r in runs):
        named_types = (str, os.PathLike, Run)
        in_memory = count(1)
        if len(runs) == 1:
            return [(None, "run", runs[0])]
        return [(None, "" if isinstance(r, named_types) else f"run{next(in_memory)}", r) for r in runs]
    return [(None, "run", runs)]


def _has_runs(data: Mapping[Any, Any], qrels: Qrels | None) -> bool:
    """Return True for a mapping of runs by name, False for a mapping of topics."""
    sample = list(islice(data.values(), 100))
    if is_shaped(data) or is_plain(data) or any(map(_is_topic, sample)):
        return False
    return any(_is_run(value, qrels) for value in sample)


def _is_topic(value: Any) -> bool:
    """Return True if this is ``{doc: score}``, judged by the first document."""
    return isinstance(value, Mapping) and to_number(next(iter(value.values()), None)) is not None


def _is_run(value: Any, qrels: Qrels | None) -> bool:
    """Return True if a value is a complete run, not a row or a list of a run."""
    if isinstance(value, Mapping):
        inner = value.values()
        return bool(value) and all(isinstance(docs, Mapping | list | tuple) for docs in inner)
    if _is_list_of_numbers(value):
        if qrels is not None and qrels.lines is not None and len(value) == len(qrels.levels):
            return True
        return any(isinstance(x, float | np.floating) for x in value)  # integers may be document ids
    if isinstance(value, str | os.PathLike | Run) or is_frame(value) or _is_array(value):
        return True
    return is_ranx(value) or has_rows(value) or is_single_run(value)


def are_numbers(data: Any) -> bool:
    """Return True for predictions in memory."""
    return _is_array(data) or _is_list_of_numbers(data)


def _is_array(data: Any) -> bool:
    """Return True for an array or series of NumPy, pandas, Polars or another library."""
    return hasattr(data, "__array__") and not is_frame(data) and not has_rows(data)


def _is_list_of_numbers(data: Any) -> bool:
    """Return True for a list of numbers, judged by the first."""
    return isinstance(data, list | tuple) and bool(data) and to_number(data[0]) is not None


def find_ranked_rows(data: Any, text: ReadOptions) -> list[Record]:
    """Return the results in memory with ranks: positions in lists, or ranks of rows.

    The documents of a dict have no order.
    """
    rows: list[tuple[Any, Any, Any, Any]] = []
    if isinstance(data, Mapping):
        for topic, docs in () if is_plain(data) else data.items():
            if docs and not isinstance(docs, Mapping):
                cells = read_entries(docs, "run", text)
                rows += [(topic, x["doc"], x.get("score"), x.get("rank")) for x in cells]
    elif len(next(iter(data), ())) == len(TREC["run"]):
        rows = [(row[0], row[2], row[4], row[3]) for row in data]
    numbers = ((topic, doc, to_number(score), to_number(rank)) for topic, doc, score, rank in rows)
    return [
        Record(None, str(topic), str(doc), score, rank, None)
        for topic, doc, score, rank in numbers
        if score is not None and rank is not None
    ]
