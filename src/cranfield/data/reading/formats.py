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
from cranfield.data.reading.binary import reject_unsupported_file
from cranfield.data.reading.columns import Kind, Layouts
from cranfield.data.reading.inspection import Inspection
from cranfield.data.reading.layouts import SEPARATORS, detect_header, detect_shape
from cranfield.data.reading.mappings import (
    detect_json_kind,
    is_json,
    is_json_lines,
    list_json_topics,
    name_json,
    read_json,
    read_json_records,
)
from cranfield.data.reading.objects import (
    detect_jsonl_kind,
    list_jsonl_topics,
    name_jsonl,
    read_jsonl_records,
)
from cranfield.data.reading.records import (
    DEFAULT_OPTIONS,
    Problem,
    ReadOptions,
    Record,
    RecordItem,
    check_records,
)
from cranfield.data.reading.source import Beginning, Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.wording import format_count

Tells: TypeAlias = Callable[[Beginning], bool]
Records: TypeAlias = Callable[[Source, Kind, ReadOptions], Iterator[RecordItem]]
Topics: TypeAlias = Callable[[Source, Kind, ReadOptions], Iterable[str] | None]
Errors: TypeAlias = Callable[[Source, Kind, ReadOptions], Iterator[Problem | Record]]

KIND_NAMES: Mapping[Kind, str] = {"qrels": "judgments", "run": "results"}
JUDGMENTS: Mapping[Kind, str] = {"qrels": "judgments"}
RESULTS: Mapping[Kind, str] = {"run": "results"}


def _match_never(beginning: Beginning) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Format:
    """One way to write judgments or runs.

    It is told by its path alone (`matches_path`), else by how it begins (`matches_start`), else by the fields of its
    lines (`matches_lines`, and `layouts` for tables without a header), else by the end of its name
    (`suffixes`).
    """

    name: str
    read_records: Records | None = None  # one at a time; an InputError may end them
    kinds: Mapping[Kind, str] = field(
        default_factory=lambda: KIND_NAMES
    )  # what it can hold, in words
    kind: Callable[[Source, ReadOptions], Kind] | None = None  # which, where it may be either
    matches_path: Callable[[str, Kind | None], bool] = lambda path, kind: False
    matches_start: Tells = _match_never
    suffixes: tuple[str, ...] = ()
    matches_lines: Tells = _match_never
    selectable: bool = True  # whether users may ask for it by its name
    read_piece: Callable[[bytes, Kind, ReadOptions], Table] | None = (
        None  # some whole lines as columns
    )
    read_file: Callable[[Source, Kind, ReadOptions], Table] | None = None  # the file as columns
    fields: Layouts = field(default_factory=dict)  # of its lines, if all have the same
    tabular: tables.Tabular | None = None  # if it is a table with named columns
    read_object: Callable[[Source], Any] | None = None  # if it is an object: what it holds
    list_topics: Topics = lambda source, kind, text: None  # all, if some may have no documents
    name_shape: Callable[[Source, Kind], str] = lambda source, kind: ""  # the shape of its objects
    has_lines: bool = True  # whether it is lines
    streamed: bool = False  # whether runs are read piece by piece when they are evaluated
    positional: bool = False  # whether runs are predictions: one number for each judgment, in order
    read_groups: Callable[[str, str | None], dict[str, dict[str, str]]] | None = None  # its classes
    check_file: Errors | None = None  # if it has other rules for what is wrong than `checked`

    def detect_kind(self, source: Source, options: ReadOptions) -> Kind:
        """What a file holds: judgments or a run?"""
        return self.kind(source, options) if self.kind is not None else next(iter(self.kinds))

    def read_table(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> Table:
        """The file as columns, or Irregular if there is anything odd about it."""
        if options.labels is not None:
            raise Irregular
        if self.read_file is not None:
            return self.read_file(source, kind, options)
        if self.read_piece is None or not (
            parts := [part() for part in self.iter_parts(source, kind, options)]
        ):
            raise Irregular
        return Table.concatenate(parts)

    def get_tabular(self, options: ReadOptions) -> tables.Tabular | None:
        """What reads the columns of a file, if it is a table with named ones."""
        return self.tabular if options.separator is None and options.labels is None else None

    def iter_parts(
        self, source: Source, kind: Kind, options: ReadOptions
    ) -> Iterator[Callable[[], Table]]:
        """The file piece by piece, to be read by whoever works on them."""
        for read in source.iter_pieces():
            yield partial(self._read_part, source, read, kind, options)

    def _read_part(
        self, source: Source, read: Callable[[], bytes], kind: Kind, options: ReadOptions
    ) -> Table:
        assert self.read_piece is not None  # noqa: S101
        piece = read()
        if source.find_long_line(piece) is not None:
            raise Irregular
        return replace(
            self.read_piece(piece, kind, options),
            bytes_read=round(len(piece) * source.compression_ratio),
        )

    def check_records(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> Iterator[Problem | Record]:
        """Every record of a file, and every error in its place."""
        if self.check_file is not None:
            yield from self.check_file(source, kind, options)
            return
        empty = True
        for item in check_records(
            self.iter_records(source, kind, options), kind, source.name, options
        ):
            empty = empty and isinstance(item, Problem) and item.cause is None
            yield item
        if empty:
            yield self.make_empty_file_error(source, kind)

    def make_empty_file_error(self, source: Source, kind: Kind) -> Problem:
        """The error that a file is which holds nothing."""
        noun = self.kinds.get(kind, KIND_NAMES[kind])
        actual = ("an empty file", noun) if self.has_lines else (f"no {noun}", "at least one")
        return Problem.from_error(InputError(*actual, source.name), source.name)

    def iter_records(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> Iterator[RecordItem]:
        """Everything a file holds, each as a record or as the error that it is."""
        try:
            if self.read_records is not None:
                yield from self.read_records(source, kind, options)
        except InputError as error:
            yield error

    def describe_columns(self, source: Source, kind: Kind, options: ReadOptions) -> list[str]:
        """Describe the meaning of each column; an empty list if the format has no columns."""
        if self.tabular is not None:
            names = [str(name) for name in self.tabular.read_names(source)]
            by_role = columns.name_columns(
                names, kind, source.name, None, options.uses_second_column, options.columns
            )
            count = format_count(len(names), "column")
        else:
            layout = self.fields.get(kind, ())
            by_role = {name: str(i) for i, name in enumerate(layout, 1) if name not in UNUSED}
            count = format_count(len(layout), "field")
        descriptions = [
            f"{'document' if role == 'doc' else role} in column {column}"
            for role, column in by_role.items()
        ]
        return [count, *descriptions] if by_role else []

    def get_error(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> CranfieldError:
        """The error to refuse a file with."""
        unknown = CranfieldError(f"cannot read {source.name} as {self.name} {kind}")
        return self.find_error(source, kind, options) or unknown

    def find_error(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> InputError | None:
        """The error of the first line that has one, None if all are in order."""
        return Inspection(self, source, kind, options).find_first_error()


def _make_tabular(name: str, rows: tables.Tabular, matches_start: Tells, *suffixes: str) -> Format:
    return Format(
        name,
        rows.read_records,
        kind=rows.detect_kind,
        matches_start=matches_start,
        suffixes=suffixes,
        read_file=rows.read_table,
        tabular=rows,
        has_lines=rows.has_lines,
    )


def _list_directory_topics(
    source: Source, kind: Kind, options: ReadOptions
) -> Iterable[str] | None:
    return topic_dirs.list_topics(source) if kind == "run" else None


# -- the table ------------------------------------------------------------------------------------

UNUSED = ("", "iteration", "q0")  # of the fields of a line


def _make_line_format(name: str, fields: Layouts, **settings: Any) -> Format:
    """Lines that all have the same fields."""
    return Format(
        name,
        partial(trec.read_records, fields),
        {kind: KIND_NAMES[kind] for kind in fields},
        read_piece=partial(trec.read_table, fields),
        fields=fields,
        streamed=True,
        **settings,
    )


TREC = _make_line_format("trec", columns.TREC, kind=trec.detect_kind)
NTCIR = Format("ntcir", trec.read_ntcir_records, JUDGMENTS, matches_lines=trec.is_ntcir, read_piece=trec.read_ntcir,
               fields={"qrels": columns.NTCIR[0]})  # fmt: skip
DIRECTORIES = Format("directories", matches_path=topic_dirs.is_topic_directory, list_topics=_list_directory_topics,
                     read_groups=topic_dirs.read_groups, check_file=topic_dirs.read_records, selectable=False)  # fmt: skip

EARLY = Format("early", trec.read_early_records, JUDGMENTS, matches_lines=trec.is_early_ntcir,
               fields={"qrels": columns.EARLY})  # fmt: skip

TABLE = (
    TREC,
    NTCIR,
    EARLY,
    _make_line_format("triples", columns.TRIPLES, kind=trec.detect_triples_kind),
    _make_line_format("sampled", columns.SAMPLED),
    _make_line_format("msmarco", columns.MSMARCO),
    _make_line_format("colbert", columns.COLBERT),
    _make_tabular("csv", tables.make_separated(",;"), partial(tables.is_headed, ",;"), ".csv"),
    _make_tabular("tsv", tables.make_separated("\t"), partial(tables.is_headed, "\t")),
    Format("json", read_json_records, kind=detect_json_kind, matches_start=is_json, suffixes=(".json",),
           read_object=read_json, list_topics=list_json_topics, name_shape=name_json, has_lines=False),
    replace(_make_tabular("jsonl", tables.make_json_lines(), is_json_lines, ".jsonl", ".ndjson"),
            read_records=read_jsonl_records, kind=detect_jsonl_kind, list_topics=list_jsonl_topics, name_shape=name_jsonl),
    _make_tabular("parquet", tables.make_binary("parquet"), tables.is_parquet, ".parquet"),
    _make_tabular("arrow", tables.make_binary("arrow"), tables.is_arrow,
             ".arrow", ".arrows", ".feather", ".ipc"),
    Format("letor", letor.read_records, letor.KINDS, matches_start=letor.is_letor, read_file=letor.read_table,
           positional=True),
    Format("ir4qa", ir4qa.read_records, RESULTS, matches_start=ir4qa.detect_ir4qa, matches_lines=ir4qa.detect_ir4qa,
           list_topics=lambda source, kind, text: ir4qa.read_ir4qa(source), selectable=False),
    DIRECTORIES,
)  # fmt: skip

FORMAT = {format.name: format for format in TABLE}
FORMATS = tuple(format.name for format in TABLE if format.selectable)
RUN_FORMATS = tuple(format.name for format in TABLE if format.selectable and "run" in format.kinds)


@dataclass(frozen=True)
class DetectedFormat:
    """How a file is read: its format, and what separates the fields of its lines."""

    format: Format
    options: ReadOptions

    def describe(self, source: Source, kind: Kind, name: str) -> str:
        """What was decided, in words: ``trec run, 6 fields, topic in column 1, …``."""
        separators = {",": "commas", ";": "semicolons", None: ""}
        separator = separators.get(self.options.separator, repr(self.options.separator))
        summary = f"{name} {kind}" + (f" with {separator} between fields" if separator else "")
        return ", ".join([summary, *self.format.describe_columns(source, kind, self.options)])


def detect_format(
    source: Source,
    format_name: str | None = None,
    options: ReadOptions = DEFAULT_OPTIONS,
    kind: Kind | None = None,
) -> DetectedFormat:
    """How judgments or a run are to be read; what may be read in two ways is an error.

    `kind` is what the file holds, if that is known: only then a path may mean topic directories.
    """
    beginning = Beginning(source, kind, options.separator, options.labels or ())
    format = _match_path(source, kind) or _get_format(format_name)
    if format_name is not None:
        options = replace(options, format_given=True)
    if format is None and options.columns:
        format = _match_columns(beginning, options)
    if format is None:
        _reject_audit(beginning)
        format = _resolve_intents(_match_content(beginning), beginning, options)
        shape = detect_shape(beginning) if format is None and not options.intents else None
        if shape is not None:
            return DetectedFormat(FORMAT[shape.format], replace(options, separator=shape.separator))
        format = format or _match_header(beginning) or _match_suffix(beginning) or TREC
    return DetectedFormat(format, _detect_separator(format, beginning, options))


def _resolve_intents(
    format: Format | None, beginning: Beginning, options: ReadOptions
) -> Format | None:
    """Return the format, or TREC's if what look like grades are intents."""
    if format is not EARLY or beginning.kind == "run" or not trec.can_be_intents(beginning):
        return format
    if not options.intents:
        raise trec.make_grade_error(beginning)
    return TREC


def _reject_audit(beginning: Beginning) -> None:
    """Raise an error for the lines ``topic doc probability draw``, which could be judgments."""
    if beginning.start.startswith(AUDIT.encode()):
        fix = "Judge its documents, and write lines: topic 0 doc level."
        raise InputError.from_problem(
            "this is an audit without judgments", fix, beginning.source.name
        )


def _detect_separator(format: Format, beginning: Beginning, options: ReadOptions) -> ReadOptions:
    """The text with what separates the fields of a table without a header, if that is no blank."""
    widths = {len(layout) for layout in format.fields.values()}
    if options.separator is not None or format is TREC or not format.streamed:
        return options
    for separator in SEPARATORS:
        rows = replace(beginning, separator=separator).fields
        if rows and len(rows[0]) in widths:
            return replace(options, separator=separator)
    return options


def guess_format(
    source: Source,
    format_name: str | None = None,
    separator: str | None = None,
    labels: Collection[str] = (),
    kind: Kind | None = None,
) -> Format:
    """The format of a file that tells it, or the one the user forced; else text.

    `labels` may stand where NTCIR's judgments have L2.
    """
    beginning = Beginning(source, kind, separator, labels)
    format = _match_path(source, kind) or _get_format(format_name) or _match_content(beginning)
    return format or _match_suffix(beginning) or TREC


def _match_path(source: Source, kind: Kind | None) -> Format | None:
    return next((format for format in TABLE if format.matches_path(source.path, kind)), None)


def _get_format(name: str | None) -> Format | None:
    if name is not None and name not in FORMATS:
        raise InputError(f"format {name!r}", f"one of {', '.join(FORMATS)}")
    return None if name is None else FORMAT[name]


def _match_content(beginning: Beginning) -> Format | None:
    """What a file begins with, or the fields of its lines; with a separator only these."""
    reject_unsupported_file(beginning.start, beginning.source.name)
    candidates = TABLE if beginning.separator is None else ()
    matches = (format for format in candidates if format.matches_start(beginning))
    return next(
        chain(matches, (format for format in TABLE if format.matches_lines(beginning))), None
    )


def _match_suffix(beginning: Beginning) -> Format | None:
    suffix = beginning.source.suffix
    candidates = TABLE if beginning.separator is None else ()
    return next((format for format in candidates if suffix in format.suffixes), None)


def _match_header(beginning: Beginning) -> Format | None:
    """A table whose first line names columns, whatever they are called."""
    name = detect_header(beginning)
    return None if name is None else FORMAT[name]


def _match_columns(beginning: Beginning, options: ReadOptions) -> Format | None:
    """The table that has the columns that the user named, or counted."""
    tabular = next((f for f in TABLE if f.tabular is not None and f.matches_start(beginning)), None)
    if tabular is not None:
        return tabular
    user_columns = {name for name in options.columns.values() if not name.isdecimal()}
    for name, signs in (("tsv", "\t"), ("csv", ",;")):
        if user_columns & {x.strip(' "') for x in tables.split_names(signs, beginning.first)}:
            return FORMAT[name]
    return _match_header(beginning) or _build_numbered_format(beginning, options)


def _build_numbered_format(beginning: Beginning, options: ReadOptions) -> Format | None:
    """Lines whose fields the user counted."""
    all_kinds: tuple[Kind, ...] = ("qrels", "run")
    kinds = all_kinds if beginning.kind is None else (beginning.kind,)
    counts = {kind: columns.get_column_numbers(options.columns, kind) for kind in kinds}
    layouts = {kind: _build_layout(beginning, places) for kind, places in counts.items() if places}
    return _make_line_format("columns", layouts) if layouts else None


def _build_layout(beginning: Beginning, places: Mapping[int, str]) -> tuple[str, ...]:
    """The fields of lines, some of which have names by their places."""
    signs = SEPARATORS if beginning.separator is None else (beginning.separator,)
    widths = [len(row) for sign in signs for row in replace(beginning, separator=sign).fields[:1]]
    width = next((width for width in widths if width >= max(places)), None)
    if width is None and widths:
        expected = f"column {max(places)}, which --columns names"
        raise InputError(format_count(max(widths), "field"), expected, beginning.source.name)
    return tuple(places.get(i, "") for i in range(1, (width or max(places)) + 1))


def list_runs(path: str | os.PathLike[str]) -> list[str]:
    """The runs that a path means: all that are in topic directories, or the one it is."""
    runs = topic_dirs.list_runs(os.fspath(path)) if os.path.isdir(path) else []
    return runs or [os.fspath(path)]
