"""`Run`: the ranked lists of one system, in memory or still in their file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from cranfield.data import trec
from cranfield.data.formats import Format, recognise
from cranfield.data.mappings import Nested, is_listed, nested, read_json
from cranfield.data.records import Record, errors, first_error, records
from cranfield.data.source import Source
from cranfield.data.table import Table
from cranfield.data.tables import NotATable, frame_table, is_frame, read_table
from cranfield.errors import CranfieldError, InputError

RunLike: TypeAlias = Any  # a path, {topic: {doc: score}}, {topic: [doc, …]}, a frame, tuples, Run
Ties: TypeAlias = Literal["trec", "rank", "given"]
TIES: tuple[Ties, ...] = ("trec", "rank", "given")


def reading_order(ties: str | None) -> Ties | None:
    """The order in which a run is to be read: None, as it says itself, for other ways with ties."""
    return next((known for known in TIES if known == ties), None)


Part: TypeAlias = Callable[[], Table]


@dataclass(frozen=True, eq=False)
class Run:
    """One system's lists: a mapping, or parts of a table read one after the other.

    The value of a document is what it is ranked by, larger first; equal values are ordered by
    document id, larger first (trec_eval's rule). With `given`, the order is that of the lists.

    >>> read_run({"q1": {"d1": 0.5, "d2": 0.9}}, name="bm25")
    Run 'bm25'
    """

    name: str
    lists: Mapping[str, Mapping[str, float]] | None
    parts: Callable[[], Iterator[Part]] | None = None
    given: bool = False
    where: str = "run"
    source: Source | None = None
    format: Format | None = None

    def __repr__(self) -> str:
        return f"Run {self.name!r}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: value}}``, the value being what documents are ranked by."""
        if self.lists is not None:
            return {topic: dict(docs) for topic, docs in self.lists.items()}
        made: dict[str, dict[str, float]] = {}
        for table in (part() for part in self.parts()) if self.parts else ():
            docs, values = table.docs.tolist(), table.values.tolist()
            for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                made.setdefault(name, {}).update(zip(docs[a:b], values[a:b], strict=True))
        return made

    def list_of(self, topic: str) -> dict[str, float]:
        """``{doc: value}`` of one topic, empty if the run does not answer it."""
        if self.lists is not None:
            return dict(self.lists.get(topic, {}))
        found: dict[str, float] = {}
        for table in (part() for part in self.parts()) if self.parts else ():
            for name, (a, b) in zip(table.names, table.bounds(), strict=True):
                if name == topic:
                    values = table.values[a:b].tolist()
                    found.update(zip(table.docs[a:b].tolist(), values, strict=True))
        return found

    def refusal(self, found: str, expected: str) -> CranfieldError:
        """The error that explains why the run cannot be used, with its line if there is one."""
        if self.source is None or self.format is None:
            return InputError(found, expected, self.where)
        return first_error(self.source, self.format, "run")


def read_run(
    data: RunLike,
    format: str | None = None,
    *,
    name: str | None = None,
    ties: Ties | None = None,
) -> Run:
    """A run from a path, a mapping, a Polars or pandas frame, or tuples.

    `ties` is the order of the lists: ``trec`` by score, then document id, both descending (the
    default where there are scores); ``rank`` by the rank column (the default of a table with
    ranks and no scores); ``given`` as they come (the default where there is neither).
    `format` forces the format of a file.
    """
    if ties is not None and ties not in TIES:
        raise CranfieldError(f"found ties {ties!r}, expected one of {', '.join(TIES)}")
    if isinstance(data, Run):
        if ties == "rank":
            raise CranfieldError("found a run already read, expected ties=rank when it is read")
        return replace(data, name=name or data.name, given=data.given or ties == "given")
    if isinstance(data, str | os.PathLike):
        run = _read_file(Source.of(data), format, ties)
    elif is_frame(data):
        run = _of_table(frame_table(data, "run", "run"), "run", ties)
    else:
        lists, _ = nested(data, "run", "run")
        run = _of_nested(lists, not is_listed(data), ties, "run")
    return replace(run, name=name) if name else run


def _of_nested(
    lists: Nested, scored: bool, ties: Ties | None, where: str, tag: str | None = None
) -> Run:
    if not lists:
        raise InputError("no results", "at least one", where)
    if ties == "rank":
        raise InputError("no ranks", "a rank column for ties=rank", where)
    if ties == "trec" and not scored:
        raise InputError("no scores", "scores for ties=trec", where)
    return Run(tag or where, lists, given=ties == "given" or not scored, where=where)


def _of_table(table: Table, where: str, ties: Ties | None) -> Run:
    if ties == "trec" and not table.scored:
        raise InputError("no scores", "scores for ties=trec", where)
    if ties is None and not table.scored:
        ties = "given" if table.ranks is None else "rank"
    ranked = by_order(table, ties, where)
    return Run(table.tag or where, None, lambda: iter([lambda: ranked]), ties == "given", where)


def by_order(table: Table, ties: Ties | None, where: str) -> Table:
    """The table with the values its rows are ranked by."""
    if ties != "rank":
        return table
    if table.ranks is None:
        raise InputError("ranks that are not numbers", "a number for ties=rank", where)
    return replace(table, values=-table.ranks)


def _read_file(source: Source, forced: str | None, ties: Ties | None) -> Run:
    """The fast way where the file is in order, else record by record, with every error's place."""
    format = recognise(source, forced)
    if format == "trec":
        run = _stream(source, ties)
    elif format in ("json", "jsonl"):
        run = _read_records(source, format, ties)
    else:
        try:
            run = _of_table(read_table(source, format, "run"), source.name, ties)
        except NotATable:
            run = _read_records(source, format, ties)
    return replace(run, source=source, format=format)


def _stream(source: Source, ties: Ties | None) -> Run:
    """TREC text: its parts are read when it is evaluated, and not kept."""

    def parts() -> Iterator[Part]:
        for read in source.pieces():
            yield lambda read=read: by_order(trec.read_table(read(), "run"), ties, source.name)  # type: ignore[misc]

    return Run(_first_tag(source), None, parts, given=ties == "given", where=source.name)


def _first_tag(source: Source) -> str:
    for record in records(source, "trec", "run"):
        if isinstance(record, Record) and record.tag is not None:
            return record.tag
        break
    raise first_error(source, "trec", "run")


def _read_records(source: Source, format: Format, ties: Ties | None) -> Run:
    """Line by line, with the line of every error."""
    found: list[Record] = []
    for item in errors(source, format, "run"):
        if isinstance(item, Record):
            found.append(item)
        elif item.cause is not None:
            raise item.cause
    scored = all(r.value is not None for r in found)
    if not scored and any(r.value is not None for r in found):
        expected = "a score on every line or on none"
        raise InputError("scores on some lines only", expected, source.name)
    if ties is None and not scored and all(r.rank is not None for r in found):
        ties = "rank"
    lists: dict[str, dict[str, float]] = {}
    for place, r in enumerate(found):
        key = -float(place) if r.value is None else r.value
        if ties == "rank":
            if r.rank is None:
                raise InputError("no rank", "one for ties=rank", source.name, r.line)
            key = -r.rank
        lists.setdefault(r.topic, {})[r.doc] = key
    by_rank = ties == "rank"
    order = None if by_rank else ties
    if format == "json":  # records cannot tell of topics without documents
        lists = {topic: lists.get(topic, {}) for topic in read_json(source)}
    return _of_nested(dict(lists), scored or by_rank, order, source.name, found[0].tag)
