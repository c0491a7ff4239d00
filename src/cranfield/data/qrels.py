"""`Qrels`: the judgments of a test collection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.data import trec
from cranfield.data.formats import recognise
from cranfield.data.mappings import Nested, nested, read_json
from cranfield.data.records import Problem, Record, errors, finite, first_error
from cranfield.data.source import Source
from cranfield.data.tables import NotATable, frame_table, is_frame, read_table
from cranfield.errors import CranfieldError, InputError

if TYPE_CHECKING:
    import polars as pl

QrelsLike: TypeAlias = Any  # a path, {topic: {doc: level}}, a frame, tuples, or Qrels

LARGE = 12 << 20  # bytes of text from which Polars is worth its import


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments, topic by topic in the order of the file.

    >>> read_qrels({"q1": {"d1": 2, "d2": 0}})
    Qrels: 2 judgments of 1 topic
    """

    topics: tuple[str, ...]
    offsets: npt.NDArray[np.int64]  # topic t has the rows offsets[t]:offsets[t + 1]
    docs: list[str] | pl.Series  # a series for large collections
    levels: npt.NDArray[np.float64]
    where: str = "qrels"
    repeated: int = 0  # judgments given more than once, each time alike

    def __repr__(self) -> str:
        n, t = len(self.levels), len(self.topics)
        return f"Qrels: {n} judgment{'s' * (n != 1)} of {t} topic{'s' * (t != 1)}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: level}}``."""
        docs, levels = list(self.docs), self.levels.tolist()
        bounds = zip(
            self.topics, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True
        )
        return {t: dict(zip(docs[a:b], levels[a:b], strict=True)) for t, a, b in bounds}


def read_qrels(data: QrelsLike, format: str | None = None, *, large: bool | None = None) -> Qrels:
    """Judgments from a path, a mapping, a Polars or pandas frame, or tuples.

    `format` forces the format of a file: trec, csv, tsv, json, jsonl, parquet or arrow.
    """
    if isinstance(data, Qrels):
        return data
    if isinstance(data, str | os.PathLike):
        return _checked(_read_file(Source.of(data), format, large))
    if is_frame(data):
        return _checked(_from_frame(frame_table(data, "qrels", "qrels"), "qrels", from_file=False))
    return _checked(_from_nested(nested(data, "qrels", "qrels")[0], "qrels"))


def _checked(qrels: Qrels) -> Qrels:
    if not qrels.topics:
        raise InputError("no judgments", "at least one", qrels.where)
    if "all" in qrels.topics:
        raise InputError("a topic named 'all'", "another name: 'all' is the summary's", qrels.where)
    return qrels


def _read_file(source: Source, forced: str | None, large: bool | None) -> Qrels:
    format = recognise(source, forced)
    if format == "json":
        return _from_nested(nested(read_json(source), "qrels", source.name)[0], source.name)
    try:
        if format == "trec":
            if large if large is not None else source.size > LARGE:
                return _from_frame(_whole_frame(source), source.name)
            found = trec.columns(source.read(), "qrels")
            return _from_columns(found.topic, found.doc, found.value, source.name)
        if format != "jsonl":
            return _from_frame(read_table(source, format, "qrels"), source.name)
    except (trec.Irregular, NotATable, _Repeated):
        pass
    if format in ("parquet", "arrow"):
        raise CranfieldError(f"{source.name}: found conflicting judgments, expected one a document")
    return _from_records(source, format)


def _whole_frame(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.concat([trec.frame(read(), "qrels") for read in source.pieces()])


class _Repeated(ValueError):
    """A document is judged twice; the slow reader tells whether alike."""


def _from_columns(
    topics: Sequence[str], docs: Sequence[str], levels: list[float], where: str
) -> Qrels:
    made: dict[str, dict[str, float]] = {}
    for topic, doc, level in zip(topics, docs, levels, strict=True):
        made.setdefault(topic, {})[doc] = level
    if sum(map(len, made.values())) < len(docs):
        raise _Repeated
    return _from_nested(dict(made), where)


def _from_nested(judged: Nested, where: str, repeated: int = 0) -> Qrels:
    counts = [len(docs) for docs in judged.values()]
    values = chain.from_iterable(docs.values() for docs in judged.values())
    try:
        levels = np.fromiter(values, dtype=np.float64, count=sum(counts))
    except (TypeError, ValueError):
        levels = np.array([np.nan])
    if not np.isfinite(levels).all():
        topic, doc, level = next(
            (t, d, v) for t, docs in judged.items() for d, v in docs.items() if finite(v) is None
        )
        raise InputError(f"level {level!r} for document {doc} of topic {topic}", "a number", where)
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64)
    return Qrels(
        tuple(judged), offsets, list(chain.from_iterable(judged.values())), levels, where, repeated
    )


def _from_frame(table: pl.DataFrame, where: str, from_file: bool = True) -> Qrels:
    import polars as pl

    pairs = table.select("topic", "doc")
    repeated = len(table) - pairs.n_unique()
    if repeated:
        table = table.unique(["topic", "doc", "value"], maintain_order=True)
        again = table.filter(table.select("topic", "doc").is_duplicated())
        if len(again):
            first, second = again.rows()[0], again.rows()[1]
            if from_file:
                raise _Repeated
            raise InputError(
                f"levels {first[2]:g} and {second[2]:g} for document {first[1]} "
                f"of topic {first[0]}",
                "one level a document",
                where,
            )
    order = table["topic"].unique(maintain_order=True)
    codes = pl.DataFrame({"topic": order, "code": np.arange(len(order))})
    table = table.join(codes, on="topic", how="left", maintain_order="left").sort(
        "code", maintain_order=True
    )
    counts = np.bincount(table["code"].to_numpy(), minlength=len(order))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Qrels(
        tuple(order.to_list()), offsets, table["doc"], table["value"].to_numpy(), where, repeated
    )


def _from_records(source: Source, format: Any) -> Qrels:
    """Line by line: for what the fast readers leave, and for the line of an error."""
    made: dict[str, dict[str, float]] = {}
    repeated = 0
    for item in errors(source, format, "qrels"):
        if isinstance(item, Record):
            made.setdefault(item.topic, {})[item.doc] = item.value or 0.0
        elif isinstance(item, Problem) and item.severity == "error":
            raise CranfieldError(str(item))
        else:
            repeated += 1
    if not made:
        raise first_error(source, format, "qrels")
    return _from_nested(dict(made), source.name, repeated)
