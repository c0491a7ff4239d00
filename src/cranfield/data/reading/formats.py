"""The formats of judgments and runs: one table of how each is told, and how it is read.

A format is a row of `TABLE`. What it holds is read twice: as columns, which is fast and gives up
where anything is odd, and record by record, which is sure of the place of every problem.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from cranfield.data.names import AUDIT
from cranfield.data.ntcir import ir4qa, topic_dirs
from cranfield.data.reading import columns, letor, tables, trec
from cranfield.data.reading.binary import refuse_other_files
from cranfield.data.reading.columns import Kind, Layouts
from cranfield.data.reading.layouts import SEPARATORS, header_of, shape_of
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
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import counted

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

    It is told by its path alone (`at`), else by how it begins (`told`), else by the fields of its
    lines (`shape`, and `layouts` for tables without a header), else by the end of its name
    (`suffixes`).
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
    fields: Layouts = field(default_factory=dict)  # of its lines, if all have the same
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
        if text.labels is not None:
            raise Irregular
        if self.whole is not None:
            return self.whole(source, kind, text)
        if self.piece is None or not (parts := [part() for part in self.parts(source, kind, text)]):
            raise Irregular
        return Table.joined(parts)

    def named(self, text: Text) -> tables.Tabular | None:
        """What reads the columns of a file, if it is a table with named ones."""
        return self.rows if text.separator is None and text.labels is None else None

    def parts(self, source: Source, kind: Kind, text: Text) -> Iterator[Callable[[], Table]]:
        """The file piece by piece, to be read by whoever works on them."""
        for read in source.pieces():
            yield partial(self._part, source, read, kind, text)

    def _part(self, source: Source, read: Callable[[], bytes], kind: Kind, text: Text) -> Table:
        assert self.piece is not None  # noqa: S101
        piece = read()
        if source.long_line(piece) is not None:
            raise Irregular
        return replace(self.piece(piece, kind, text), taken=round(len(piece) * source.packed))

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

    def taken(self, source: Source, kind: Kind, text: Text) -> list[str]:
        """Describe the meaning of each column; an empty list if the format has no columns."""
        if self.rows is not None:
            names = [str(name) for name in self.rows.names(source)]
            named = columns.name_columns(names, kind, source.name, None, text.typed, text.columns)
            count = counted(len(names), "column")
        else:
            layout = self.fields.get(kind, ())
            named = {name: str(i) for i, name in enumerate(layout, 1) if name not in UNUSED}
            count = counted(len(layout), "field")
        each = [
            f"{'document' if ours == 'doc' else ours} in column {theirs}"
            for ours, theirs in named.items()
        ]
        return [count, *each] if named else []

    def first_error(self, source: Source, kind: Kind, text: Text = PLAIN) -> CranfieldError:
        """The error to refuse a file with."""
        unknown = CranfieldError(f"cannot read {source.name} as {self.name} {kind}")
        return self.error_of(source, kind, text) or unknown

    def error_of(self, source: Source, kind: Kind, text: Text = PLAIN) -> InputError | None:
        """The error of the first line that has one, None if all are in order."""
        return Look(self, source, kind, text).first_error()


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

UNUSED = ("", "iteration", "q0")  # of the fields of a line


def _lines(name: str, fields: Layouts, **others: Any) -> Format:
    """Lines that all have the same fields."""
    return Format(
        name,
        partial(trec.records, fields),
        {kind: BOTH[kind] for kind in fields},
        piece=partial(trec.read_table, fields),
        fields=fields,
        streamed=True,
        **others,
    )


TREC = _lines("trec", columns.TREC, kind=trec.kind_of)
NTCIR = Format("ntcir", trec.ntcir_records, JUDGMENTS, shape=trec.are_ntcir, piece=trec.read_ntcir,
               fields={"qrels": columns.NTCIR[0]})  # fmt: skip
DIRECTORIES = Format("directories", at=topic_dirs.holds, topics=_in_directories,
                     groups=topic_dirs.groups, checks=topic_dirs.errors, forced=False)  # fmt: skip

EARLY = Format("early", trec.early_records, JUDGMENTS, shape=trec.are_early,
               fields={"qrels": columns.EARLY})  # fmt: skip

TABLE = (
    TREC,
    NTCIR,
    EARLY,
    _lines("triples", columns.TRIPLES, kind=trec.kind_of_triples),
    _lines("sampled", columns.SAMPLED),
    _lines("msmarco", columns.MSMARCO),
    _lines("colbert", columns.COLBERT),
    _tabular("csv", tables.separated(",;"), partial(tables.is_headed, ",;"), ".csv"),
    _tabular("tsv", tables.separated("\t"), partial(tables.is_headed, "\t")),
    Format("json", json_records, kind=json_kind, told=is_object, suffixes=(".json",),
           nested=read_json, topics=json_topics, called=json_name, lined=False),
    replace(_tabular("jsonl", tables.json_lines(), are_objects, ".jsonl", ".ndjson"),
            records=line_records, kind=line_kind, topics=line_topics, called=line_name),
    _tabular("parquet", tables.binary("parquet"), tables.is_parquet, ".parquet"),
    _tabular("arrow", tables.binary("arrow"), tables.is_arrow,
             ".arrow", ".arrows", ".feather", ".ipc"),
    Format("letor", letor.records, letor.KINDS, told=letor.names_queries, whole=letor.read_table,
           placed=True),
    Format("ir4qa", ir4qa.records, RESULTS, told=ir4qa.told, shape=ir4qa.told,
           topics=lambda source, kind, text: ir4qa.read_ir4qa(source), forced=False),
    DIRECTORIES,
)  # fmt: skip

FORMAT = {format.name: format for format in TABLE}
FORMATS = tuple(format.name for format in TABLE if format.forced)
RUN_FORMATS = tuple(format.name for format in TABLE if format.forced and "run" in format.kinds)


@dataclass(frozen=True)
class Decision:
    """How a file is read: its format, and what separates the fields of its lines."""

    format: Format
    text: Text

    def described(self, source: Source, kind: Kind, name: str) -> str:
        """What was decided, in words: ``trec run, 6 fields, topic in column 1, …``."""
        between = {",": "commas", ";": "semicolons", None: ""}
        signs = between.get(self.text.separator, repr(self.text.separator))
        what = f"{name} {kind}" + (f" with {signs} between fields" if signs else "")
        return ", ".join([what, *self.format.taken(source, kind, self.text)])


def decide(
    source: Source, forced: str | None = None, text: Text = PLAIN, kind: Kind | None = None
) -> Decision:
    """How judgments or a run are to be read; what may be read in two ways is an error.

    `kind` is what the file holds, if that is known: only then a path may mean topic directories.
    """
    beginning = Beginning(source, kind, text.separator, text.labels or ())
    told = _by_path(source, kind) or _forced(forced)
    if forced is not None:
        text = replace(text, forced=True)
    if told is None and text.columns:
        told = _with_columns(beginning, text)
    if told is None:
        _refuse_audit(beginning)
        told = _with_intents(_by_content(beginning), beginning, text)
        shape = shape_of(beginning) if told is None and not text.intents else None
        if shape is not None:
            return Decision(FORMAT[shape.format], replace(text, separator=shape.separator))
        told = told or _with_header(beginning) or _by_name(beginning) or TREC
    return Decision(told, _separated(told, beginning, text))


def _with_intents(format: Format | None, beginning: Beginning, text: Text) -> Format | None:
    """Return the format, or TREC's if what look like grades are intents."""
    if format is not EARLY or beginning.kind == "run" or not trec.may_be_intents(beginning):
        return format
    if not text.intents:
        raise trec.grade_or_intent(beginning)
    return TREC


def _refuse_audit(beginning: Beginning) -> None:
    """Raise an error for the lines ``topic doc probability draw``, which could be judgments."""
    if beginning.start.startswith(AUDIT.encode()):
        fix = "Judge its documents, and write lines: topic 0 doc level."
        raise InputError.problem("this is an audit without judgments", fix, beginning.source.name)


def _separated(format: Format, beginning: Beginning, text: Text) -> Text:
    """The text with what separates the fields of a table without a header, if that is no blank."""
    widths = {len(layout) for layout in format.fields.values()}
    if text.separator is not None or format is TREC or not format.streamed:
        return text
    for separator in SEPARATORS:
        rows = replace(beginning, separator=separator).fields
        if rows and len(rows[0]) in widths:
            return replace(text, separator=separator)
    return text


def recognise(
    source: Source,
    forced: str | None = None,
    separator: str | None = None,
    labels: Collection[str] = (),
    kind: Kind | None = None,
) -> Format:
    """The format of a file that tells it, or the one the user forced; else text.

    `labels` may stand where NTCIR's judgments have L2.
    """
    beginning = Beginning(source, kind, separator, labels)
    found = _by_path(source, kind) or _forced(forced) or _by_content(beginning)
    return found or _by_name(beginning) or TREC


def _by_path(source: Source, kind: Kind | None) -> Format | None:
    return next((format for format in TABLE if format.at(source.path, kind)), None)


def _forced(name: str | None) -> Format | None:
    if name is not None and name not in FORMATS:
        raise InputError(f"format {name!r}", f"one of {', '.join(FORMATS)}")
    return None if name is None else FORMAT[name]


def _by_content(beginning: Beginning) -> Format | None:
    """What a file begins with, or the fields of its lines; with a separator only these."""
    refuse_other_files(beginning.start, beginning.source.name)
    whatever = TABLE if beginning.separator is None else ()
    told = (format for format in whatever if format.told(beginning))
    return next(chain(told, (format for format in TABLE if format.shape(beginning))), None)


def _by_name(beginning: Beginning) -> Format | None:
    suffix = beginning.source.suffix
    whatever = TABLE if beginning.separator is None else ()
    return next((format for format in whatever if suffix in format.suffixes), None)


def _with_header(beginning: Beginning) -> Format | None:
    """A table whose first line names columns, whatever they are called."""
    name = header_of(beginning)
    return None if name is None else FORMAT[name]


def _with_columns(beginning: Beginning, text: Text) -> Format | None:
    """The table that has the columns that the user named, or counted."""
    named = next((f for f in TABLE if f.rows is not None and f.told(beginning)), None)
    if named is not None:
        return named
    theirs = {name for name in text.columns.values() if not name.isdecimal()}
    for name, signs in (("tsv", "\t"), ("csv", ",;")):
        if theirs & {x.strip(' "') for x in tables.names_in(signs, beginning.first)}:
            return FORMAT[name]
    return _with_header(beginning) or _numbered(beginning, text)


def _numbered(beginning: Beginning, text: Text) -> Format | None:
    """Lines whose fields the user counted."""
    every: tuple[Kind, ...] = ("qrels", "run")
    kinds = every if beginning.kind is None else (beginning.kind,)
    counts = {kind: columns.counted(text.columns, kind) for kind in kinds}
    layouts = {kind: _layout(beginning, places) for kind, places in counts.items() if places}
    return _lines("columns", layouts) if layouts else None


def _layout(beginning: Beginning, places: Mapping[int, str]) -> tuple[str, ...]:
    """The fields of lines, some of which have names by their places."""
    signs = SEPARATORS if beginning.separator is None else (beginning.separator,)
    widths = [len(row) for sign in signs for row in replace(beginning, separator=sign).fields[:1]]
    width = next((width for width in widths if width >= max(places)), None)
    if width is None and widths:
        expected = f"column {max(places)}, which --columns names"
        raise InputError(counted(max(widths), "field"), expected, beginning.source.name)
    return tuple(places.get(i, "") for i in range(1, (width or max(places)) + 1))


def runs_in(path: str | os.PathLike[str]) -> list[str]:
    """The runs that a path means: all that are in topic directories, or the one it is."""
    inside = topic_dirs.runs(os.fspath(path)) if os.path.isdir(path) else []
    return inside or [os.fspath(path)]
