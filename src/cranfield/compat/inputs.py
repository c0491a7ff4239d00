"""Judgments and runs of ir_measures: named tuples, dicts, frames with its columns."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from cranfield.compat.scorer import is_empty, read_fields
from cranfield.data.qrels import Qrels, read_qrels
from cranfield.data.reading.adapters import to_frame
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.run import Run
from cranfield.data.run_reader import read_run
from cranfield.errors import InputError
from cranfield.lazy_imports import load

if TYPE_CHECKING:
    import pandas as pd

ITERATION = "0"  # Default iteration of judgments.


class Qrel(NamedTuple):
    """One judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = ITERATION


class ScoredDoc(NamedTuple):
    """One result."""

    query_id: str
    doc_id: str
    score: float


COLUMNS: dict[Kind, tuple[str, ...]] = {"qrels": Qrel._fields[:3], "run": ScoredDoc._fields}


def read_trec_qrels(file: str | PathLike[str] | TextIO) -> Iterator[Qrel]:
    """Yield the judgments of a TREC file: a path, an open file, or its text.

    >>> list(read_trec_qrels("q1 0 d1 2\\n"))
    [Qrel(query_id='q1', doc_id='d1', relevance=2, iteration='0')]
    """
    for line in _read_fields(file, "qrels"):
        yield Qrel(line["topic"], line["doc"], int(line["level"]), line["iteration"])


def read_trec_run(file: str | PathLike[str] | TextIO) -> Iterator[ScoredDoc]:
    """Yield the results of a TREC file: a path, an open file, or its text.

    >>> list(read_trec_run("q1 Q0 d1 1 2.5 bm25\\n"))
    [ScoredDoc(query_id='q1', doc_id='d1', score=2.5)]
    """
    for line in _read_fields(file, "run"):
        yield ScoredDoc(line["topic"], line["doc"], float(line["score"]))


def _read_fields(file: str | PathLike[str] | TextIO, kind: Kind) -> Iterator[Mapping[str, str]]:
    if not isinstance(file, str | PathLike):
        yield from read_fields(file, kind)
    elif "\n" in fspath(file):
        yield from read_fields(io.StringIO(fspath(file)), kind)
    else:
        with Source.from_path(file).open_checked() as stream:
            yield from read_fields(io.TextIOWrapper(stream, encoding="utf-8"), kind)


def materialize(data: Any) -> Any:
    """Return the data in a form that can be read several times."""
    return list(data) if isinstance(data, Iterator) else data


def to_rows(data: Any, kind: Kind, subtopics: bool = False) -> Any:
    """Return data for cranfield's readers: columns of frames and named tuples.

    Other data are unchanged. With `subtopics`, iterations are the second column.
    """
    names = COLUMNS[kind]
    if is_frame(data):
        return _select_columns(to_frame(data, kind, names[2]), names, subtopics)
    if isinstance(data, Mapping | str | PathLike | Qrels | Run):
        return data
    try:
        if subtopics:
            pairs = ((row, getattr(row, "iteration", ITERATION)) for row in data)
            return [(row.query_id, x, row.doc_id, _number(row.relevance)) for row, x in pairs]
        return [(row.query_id, row.doc_id, _number(getattr(row, names[2]))) for row in data]
    except (AttributeError, TypeError):
        expected = f"a dict of dicts, a frame, or named tuples ({', '.join(names)})"
        raise InputError(type(data).__name__, expected, kind) from None


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _select_columns(data: Any, names: Sequence[str], subtopics: bool) -> Any:
    if type(data).__name__ == "LazyFrame":
        data = data.collect()
    columns = list(data.columns)
    if missing := [name for name in names if name not in columns]:
        expected = f"{', '.join(names)} (cranfield.evaluate accepts more names)"
        kind = "run" if names is COLUMNS["run"] else "qrels"
        raise InputError(f"no column {missing[0]} among {', '.join(map(str, columns))}", expected, kind)
    iteration = ["iteration"] if "iteration" in columns and (subtopics or "relevance" in names) else []
    return data[[*names, *iteration]]


def read_subtopic_qrels(qrels: Any) -> Qrels:
    """Read judgments for subtopics, named by iterations. Default: one subtopic."""
    if isinstance(qrels, Qrels) and qrels.by_intent is None:
        qrels = qrels.to_dict()
    elif is_frame(qrels) and "iteration" not in to_frame(qrels, "qrels", "relevance").columns:
        qrels = read_qrels(to_rows(qrels, "qrels")).to_dict()
    if isinstance(qrels, Mapping):
        levels = (level for docs in qrels.values() for level in docs.values())
        if not isinstance(next(levels, None), Mapping):
            qrels = {topic: {ITERATION: docs} for topic, docs in qrels.items()}
    return read_qrels(to_rows(qrels, "qrels", subtopics=True), by_intent=True)


def clip_levels(qrels: Qrels) -> Qrels:
    """Return the judgments with levels below 0 set to 0."""
    assert qrels.by_intent is not None  # noqa: S101
    by_intent = replace(qrels.by_intent, levels=qrels.by_intent.levels.clip(min=0.0))
    return replace(qrels, levels=qrels.levels.clip(min=0.0), by_intent=by_intent)


def sort_frame(data: Any, kind: Kind) -> pd.DataFrame:
    """Return a pandas frame sorted by topic, then by document or score, for custom measures."""
    pd = load("pandas")
    if is_frame(data):
        data = to_frame(data, kind, COLUMNS[kind][2])
        frame = data if isinstance(data, pd.DataFrame) else _to_pandas(data)
    else:
        frame = pd.DataFrame(list(_list_rows(data, kind)), columns=list(COLUMNS[kind]))
    if "query_id" not in frame.columns:
        problem = f"no column query_id among {', '.join(map(str, frame.columns))}"
        raise InputError(problem, "one", kind)
    if kind == "qrels" and "iteration" not in frame.columns:
        frame = frame.assign(iteration=ITERATION)
    sort_keys = {"query_id": True} | ({"doc_id": True} if kind == "qrels" else {"score": False})
    sort_keys = {name: rising for name, rising in sort_keys.items() if name in frame.columns}
    return frame.sort_values(by=list(sort_keys), ascending=list(sort_keys.values()))


def _to_pandas(data: Any) -> pd.DataFrame:
    pd = load("pandas")
    data = data.collect() if type(data).__name__ == "LazyFrame" else data
    return pd.DataFrame(data.to_dict(as_series=False))


def _list_rows(data: Any, kind: Kind) -> Iterable[tuple[Any, ...]]:
    read = to_rows(data, kind)
    if not isinstance(read, Mapping | str | PathLike | Qrels | Run):
        return list(read)
    if is_empty(read):
        return []
    if not isinstance(read, Mapping):
        read = (read_qrels(read) if kind == "qrels" else read_run(read)).to_dict()
    return [(topic, doc, x) for topic, docs in read.items() for doc, x in docs.items()]
