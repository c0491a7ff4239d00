"""The formats of judgments and runs: one table of how each is told, and how it is read.

A format is a row of `TABLE`. What it holds is read twice: as columns, which is fast and gives up
where anything is odd, and record by record, which is sure of the place of every problem.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from cranfield.data.ntcir import ir4qa, topic_dirs
from cranfield.data.reading import letor, tables, trec
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.looking import Look
from cranfield.data.reading.mappings import (
    are_objects,
    is_object,
    json_kind,
    json_name,
    json_records,
    json_topics,
    read_json,
)
from cranfield.data.reading.objects import line_kind, line_name, line_records, line_topics
from cranfield.data.reading.records import PLAIN, Found, Problem, Record, Text, checked
from cranfield.data.reading.source import Beginning, Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.errors import CranfieldError, InputError

Tells: TypeAlias = Callable[[Beginning], bool]
Records: TypeAlias = Callable[[Source, Kind, Text], Iterator[Found]]
Topics: TypeAlias = Callable[[Source, Kind, Text], Iterable[str] | None]
Errors: TypeAlias = Callable[[Source, Kind, Text], Iterator[Problem | Record]]

BOTH: Mapping[Kind, str] = {"qrels": "judgments", "run": "results"}
JUDGMENTS: Mapping[Kind, str] = {"qrels": "judgments"}
RESULTS: Mapping[Kind, str] = {"run": "results"}


def _never(beginning: Beginning) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Format:
    """One way to write judgments or runs.

    It is told by its path alone (`at`), else by how it begins (`told`), else by the end of its
    name (`suffixes`), else by the fields of its lines (`shape`).
    """

    name: str
    records: Records | None = None  # one at a time; an InputError may end them
    kinds: Mapping[Kind, str] = field(default_factory=lambda: BOTH)  # what it can hold, in words
    kind: Callable[[Source, Text], Kind] | None = None  # which, where it may be either
    at: Callable[[str, Kind | None], bool] = lambda path, kind: False
    told: Tells = _never
    suffixes: tuple[str, ...] = ()
    shape: Tells = _never
    forced: bool = True  # whether users may ask for it by its name
    piece: Callable[[bytes, Kind, Text], Table] | None = None  # some whole lines as columns
    whole: Callable[[Source, Kind, Text], Table] | None = None  # the file as columns
    rows: tables.Tabular | None = None  # if it is a table with named columns
    nested: Callable[[Source], Any] | None = None  # if it is an object: what it holds
    topics: Topics = lambda source, kind, text: None  # all, if some may have no documents
    called: Callable[[Source, Kind], str] = lambda source, kind: ""  # the shape of its objects
    lined: bool = True  # whether it is lines
    streamed: bool = False  # whether runs are read piece by piece when they are evaluated
    placed: bool = False  # whether runs are predictions: one number for each judgment, in order
    groups: Callable[[str, str | None], dict[str, dict[str, str]]] | None = None  # its classes
    checks: Errors | None = None  # if it has other rules for what is wrong than `checked`

    def kind_of(self, source: Source, text: Text) -> Kind:
        """What a file holds: judgments or a run?"""
        return self.kind(source, text) if self.kind is not None else next(iter(self.kinds))

    def table(self, source: Source, kind: Kind, text: Text = PLAIN) -> Table:
        """The file as columns, or Irregular if there is anything odd about it."""
        if text.separator is not None or text.labels is not None:
            raise Irregular
        if self.whole is not None:
            return self.whole(source, kind, text)
        if self.piece is None or not (parts := [part() for part in self.parts(source, kind, text)]):
            raise Irregular
        return Table.joined(parts)

    def parts(self, source: Source, kind: Kind, text: Text) -> Iterator[Callable[[], Table]]:
        """The file piece by piece, to be read by whoever works on them."""
        for read in source.pieces():
            yield partial(self._part, source, read, kind, text)

    def _part(self, source: Source, read: Callable[[], bytes], kind: Kind, text: Text) -> Table:
        assert self.piece is not None  # noqa: S101
        piece = read()
        if source.long_line(piece) is not None:
            raise Irregular
        return self.piece(piece, kind, text)

    def errors(self, source: Source, kind: Kind, text: Text = PLAIN) -> Iterator[Problem | Record]:
        """Every record of a file, and every error in its place."""
        if self.checks is not None:
            yield from self.checks(source, kind, text)
            return
        empty = True
        for item in checked(self.each(source, kind, text), kind, source.name, text):
            empty = empty and isinstance(item, Problem) and item.cause is None
            yield item
        if empty:
            yield self.nothing(source, kind)

    def nothing(self, source: Source, kind: Kind) -> Problem:
        """The error that a file is which holds nothing."""
        what = self.kinds.get(kind, BOTH[kind])
        found = ("an empty file", what) if self.lined else (f"no {what}", "at least one")
        return Problem.error(InputError(*found, source.name), source.name)

    def each(self, source: Source, kind: Kind, text: Text = PLAIN) -> Iterator[Found]:
        """Everything a file holds, each as a record or as the error that it is."""
        try:
            if self.records is not None:
                yield from self.records(source, kind, text)
        except InputError as error:
            yield error

    def first_error(self, source: Source, kind: Kind, text: Text = PLAIN) -> CranfieldError:
        """The error to refuse a file with."""
        unknown = CranfieldError(f"cannot read {source.name} as {self.name} {kind}")
        return Look(self, source, kind, text).first_error() or unknown


def _tabular(name: str, rows: tables.Tabular, told: Tells, *suffixes: str) -> Format:
    return Format(
        name,
        rows.records,
        kind=rows.kind,
        told=told,
        suffixes=suffixes,
        whole=rows.table,
        rows=rows,
        lined=rows.lined,
    )


def _in_directories(source: Source, kind: Kind, text: Text) -> Iterable[str] | None:
    return topic_dirs.topics_of(source) if kind == "run" else None


# -- the table ------------------------------------------------------------------------------------

TREC = Format("trec", trec.records, kind=trec.kind_of, piece=trec.read_table, streamed=True)
NTCIR = Format("ntcir", trec.ntcir_records, JUDGMENTS, shape=trec.are_ntcir, piece=trec.read_ntcir)
DIRECTORIES = Format("directories", at=topic_dirs.holds, topics=_in_directories,
                     groups=topic_dirs.groups, checks=topic_dirs.errors, forced=False)  # fmt: skip

TABLE = (
    TREC,
    NTCIR,
    Format("early", trec.early_records, JUDGMENTS, shape=trec.are_early),
    _tabular("csv", tables.separated(","), partial(tables.is_headed, ","), ".csv"),
    _tabular("tsv", tables.separated("\t"), partial(tables.is_headed, "\t")),
    Format("json", json_records, kind=json_kind, told=is_object, suffixes=(".json",),
           nested=read_json, topics=json_topics, called=json_name, lined=False),
    replace(_tabular("jsonl", tables.json_lines(), are_objects, ".jsonl", ".ndjson"),
            records=line_records, kind=line_kind, topics=line_topics, called=line_name),
    _tabular("parquet", tables.binary("parquet"), tables.is_parquet, ".parquet"),
    _tabular("arrow", tables.binary("arrow"), tables.is_arrow,
             ".arrow", ".feather", ".ipc"),
    Format("letor", letor.records, letor.KINDS, told=letor.names_queries, whole=letor.read_table,
           placed=True),
    Format("ir4qa", ir4qa.records, RESULTS, told=ir4qa.told, shape=ir4qa.told,
           topics=lambda source, kind, text: ir4qa.read_ir4qa(source), forced=False),
    DIRECTORIES,
)  # fmt: skip

FORMAT = {format.name: format for format in TABLE}
FORMATS = tuple(format.name for format in TABLE if format.forced)
RUN_FORMATS = tuple(format.name for format in TABLE if format.forced and "run" in format.kinds)


def recognise(
    source: Source,
    forced: str | None = None,
    separator: str | None = None,
    labels: Collection[str] = (),
    kind: Kind | None = None,
) -> Format:
    """The format of a file, or the one the user forced; with a separator, one of text.

    `labels` may stand where NTCIR's judgments have L2. `kind` is what the file holds, if that is
    known: only then a path may mean topic directories.
    """
    for format in TABLE:
        if format.at(source.path, kind):
            return format
    if forced is not None:
        if forced not in FORMATS:
            raise InputError(f"format {forced!r}", f"one of {', '.join(FORMATS)}")
        return FORMAT[forced]
    beginning = Beginning(source, kind, separator, labels)
    suffix = source.suffix
    whatever = TABLE if separator is None else ()
    told = chain(
        (format for format in whatever if format.told(beginning)),
        (format for format in whatever if suffix in format.suffixes),
        (format for format in TABLE if format.shape(beginning)),
    )
    return next(told, TREC)


def runs_in(path: str | os.PathLike[str]) -> list[str]:
    """The runs that a path means: all that are in topic directories, or the one it is."""
    inside = topic_dirs.runs(os.fspath(path)) if os.path.isdir(path) else []
    return inside or [os.fspath(path)]
