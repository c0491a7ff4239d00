"""The formats of judgments and runs: detection and readers.

`TABLE` has a row for each format. Every format has two readers. The reader of columns is fast, and
raises Irregular for files with problems. The reader of records then finds the line of each problem.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TypeAlias

from cranfield.data.files import log_reading
from cranfield.data.names import AUDIT
from cranfield.data.ntcir import ir4qa, topic_dirs
from cranfield.data.reading import columns, excel, json_columns, letor, tables, trec
from cranfield.data.reading.binary import reject_unsupported_file
from cranfield.data.reading.columns import Kind, Layouts
from cranfield.data.reading.inspection import Inspection
from cranfield.data.reading.layouts import SEPARATORS, detect_header, detect_shape
from cranfield.data.reading.mappings import (
    describe_json_keys,
    detect_json_kind,
    is_json,
    is_json_lines,
    list_json_topics,
    name_json,
    read_json_records,
    read_json_rows,
)
from cranfield.data.reading.objects import (
    describe_jsonl_keys,
    detect_jsonl_kind,
    has_rows_on_lines,
    list_jsonl_topics,
    list_separated_topics,
    name_jsonl,
    read_jsonl_records,
    read_separated_records,
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

Matcher: TypeAlias = Callable[[Beginning], bool]
RecordReader: TypeAlias = Callable[[Source, Kind, ReadOptions], Iterator[RecordItem]]
TopicLister: TypeAlias = Callable[[Source, Kind, ReadOptions], Iterable[str] | None]

KIND_NAMES: Mapping[Kind, str] = {"qrels": "judgments", "run": "results"}
JUDGMENTS: Mapping[Kind, str] = {"qrels": "judgments"}
RESULTS: Mapping[Kind, str] = {"run": "results"}


@dataclass(frozen=True, eq=False)
class Format:
    """A file format of judgments or runs."""

    name: str
    read_records: RecordReader  # yields records and errors; may raise InputError
    kinds: Mapping[Kind, str] = field(default_factory=lambda: KIND_NAMES)  # with names for errors
    find_kind: Callable[[Source, ReadOptions], Kind] | None = None  # if there are two kinds
    matches: Matcher = lambda beginning: False  # detects the format by content
    suffixes: tuple[str, ...] = ()  # detect the format if the content does not
    fields: Layouts = field(default_factory=dict)  # of a line, if all lines have the same fields
    read_piece: Callable[[bytes, Kind, ReadOptions], Table] | None = None  # complete lines
    tabular: tables.Tabular | None = None  # reader of tables with named columns
    list_topics: TopicLister = lambda source, kind, options: None  # with empty topics, if possible

    @property
    def has_lines(self) -> bool:
        """True if records are lines of a file."""
        return self is not JSON and (self.tabular is None or self.tabular.has_lines)

    @property
    def streams_runs(self) -> bool:
        """True if runs are text that is read in pieces when they are evaluated."""
        return self.read_piece is not None and self.tabular is None and "run" in self.kinds

    def detect_kind(self, source: Source, options: ReadOptions) -> Kind:
        """Return the kind of a file of this format."""
        return next(iter(self.kinds)) if self.find_kind is None else self.find_kind(source, options)

    def read_table(self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> Table:
        """Read a file as columns. Raise Irregular for files with problems."""
        if options.labels is not None:
            raise Irregular
        if self.tabular is not None and self.read_piece is None:
            return self.tabular.read_table(source, kind, options)
        if self is LETOR:
            return letor.read_table(source, kind, options)
        if self is JSON:
            return read_json_rows(source, kind, options)
        if self.read_piece is None:
            raise Irregular
        if not (parts := [part() for part in self.iter_parts(source, kind, options)]):
            raise Irregular
        reject_mixed_parts(parts)
        return Table.concatenate(parts)

    def get_tabular(self, options: ReadOptions) -> tables.Tabular | None:
        """Return the reader of named columns, None if the options prevent its use."""
        return self.tabular if options.separator is None and options.labels is None else None

    def iter_parts(self, source: Source, kind: Kind, options: ReadOptions) -> Iterator[Callable[[], Table]]:
        """Yield functions that each read a piece of a file."""
        for read in source.iter_pieces():
            yield partial(self._read_part, source, read, kind, options)

    def _read_part(self, source: Source, read: Callable[[], bytes], kind: Kind, options: ReadOptions) -> Table:
        assert self.read_piece is not None  # noqa: S101
        piece = read()
        if source.find_long_line(piece) is not None:
            raise Irregular
        table = self.read_piece(piece, kind, options)
        return replace(table, bytes_read=round(len(piece) * source.compression_ratio))

    def check_records(
        self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS
    ) -> Iterator[Problem | Record]:
        """Yield the records and problems of a file, such as duplicates."""
        if self is DIRECTORIES:  # has its own rules
            yield from topic_dirs.read_records(source, kind, options)
            return
        empty = True
        for item in check_records(self.iter_records(source, kind, options), kind, source.name, options):
            empty = empty and isinstance(item, Problem) and item.cause is None
            yield item
        if empty:
            yield self.make_empty_file_error(source, kind)

    def make_empty_file_error(self, source: Source, kind: Kind) -> Problem:
        """Return the error for a file without records."""
        problem = "file is empty"
        if source.start.strip():
            tool = name_shape(self, source, kind)
            problem = f"no {self.kinds.get(kind, KIND_NAMES[kind])} in file" + (f" ({tool})" if tool else "")
        return Problem.from_error(InputError.from_problem(problem, "", source.name), source.name)

    def iter_records(self, source: Source, kind: Kind, options: ReadOptions) -> Iterator[RecordItem]:
        """Yield the records and errors of a file."""
        try:
            yield from self.read_records(source, kind, options)
        except InputError as error:
            yield error

    def describe_columns(self, source: Source, kind: Kind, options: ReadOptions) -> list[str]:
        """Describe the role of each column; an empty list if the format has no columns."""
        if self.tabular is not None and self is not JSONL:
            names = [str(name) for name in self.tabular.read_names(source)]
            by_role = columns.name_columns(names, kind, source.name, None, options.uses_second_column, options.columns)
            count = format_count(len(names), "column")
        elif self in (JSON, JSONL):
            describe = describe_json_keys if self is JSON else describe_jsonl_keys
            return describe(source, kind, options)
        else:
            layout = self.fields.get(kind, ())
            by_role = {name: str(i) for i, name in enumerate(layout, 1) if name not in UNUSED}
            count = format_count(len(layout), "field")
        descriptions = [
            f"{'document' if role == 'doc' else role} in column {column}" for role, column in by_role.items()
        ]
        return [count, *descriptions] if by_role else []

    def get_error(self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> CranfieldError:
        """Return the first error of a file, or a general error if it has none."""
        unknown = CranfieldError(f"cannot read {source.name} as {self.name} {kind}")
        return self.find_error(source, kind, options) or unknown

    def find_error(self, source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> InputError | None:
        """Return the first error of a file, or None."""
        return Inspection(self, source, kind, options).find_first_error()


# -- the table ------------------------------------------------------------------------------------

UNUSED = ("", "iteration", "q0")  # fields without a role


def _make_line_format(
    name: str,
    fields: Layouts,
    find_kind: Callable[[Source, ReadOptions], Kind] | None = None,
) -> Format:
    """Return a format whose lines all have the same fields."""
    return Format(
        name,
        partial(trec.read_records, fields),
        {kind: KIND_NAMES[kind] for kind in fields},
        find_kind,
        fields=fields,
        read_piece=partial(trec.read_table, fields),
    )


def _make_tabular(name: str, rows: tables.Tabular, matches: Matcher, *suffixes: str) -> Format:
    return Format(
        name,
        rows.read_records,
        find_kind=rows.detect_kind,
        matches=matches,
        suffixes=suffixes,
        tabular=rows,
    )


def _make_separated(name: str, separators: str, *suffixes: str) -> Format:
    table = tables.make_separated(separators)
    return replace(
        _make_tabular(name, table, partial(tables.is_headed, separators), *suffixes),
        read_records=partial(read_separated_records, table),
        list_topics=partial(list_separated_topics, table),
    )


def _list_directory_topics(source: Source, kind: Kind, options: ReadOptions) -> Iterable[str] | None:
    return topic_dirs.list_topics(source) if kind == "run" else None


TREC = _make_line_format("trec", columns.TREC, trec.detect_kind)
NTCIR = Format("ntcir", trec.read_ntcir_records, JUDGMENTS, matches=trec.is_ntcir,
               fields={"qrels": columns.NTCIR[0]}, read_piece=trec.read_ntcir)  # fmt: skip
EARLY = Format("early", trec.read_early_records, JUDGMENTS, matches=trec.is_early_ntcir,
               fields={"qrels": columns.EARLY})  # fmt: skip
JSON = Format("json", read_json_records, find_kind=detect_json_kind, matches=is_json,
              suffixes=(".json",), list_topics=list_json_topics)  # fmt: skip
JSONL = replace(
    _make_tabular("jsonl", tables.make_json_lines(), is_json_lines, ".jsonl", ".ndjson"),
    read_records=read_jsonl_records,
    find_kind=detect_jsonl_kind,
    list_topics=list_jsonl_topics,
)
JSON_ROWS = replace(  # rows of a table
    JSONL,
    read_records=tables.make_json_lines().read_records,
    list_topics=lambda source, kind, options: None,
    read_piece=json_columns.read_rows,
)
LETOR = Format("letor", letor.read_records, letor.KINDS, matches=letor.is_letor)
IR4QA = Format("ir4qa", ir4qa.read_records, RESULTS, matches=ir4qa.detect_ir4qa,
               list_topics=lambda source, kind, options: ir4qa.read_ir4qa(source))  # fmt: skip
DIRECTORIES = Format("directories", topic_dirs.read_records, list_topics=_list_directory_topics)
TABLE = (
    TREC,
    NTCIR,
    EARLY,
    _make_line_format("triples", columns.TRIPLES, trec.detect_triples_kind),
    _make_line_format("sampled", columns.SAMPLED),
    _make_line_format("msmarco", columns.MSMARCO),
    _make_line_format("colbert", columns.COLBERT),
    _make_separated("csv", ",;", ".csv"),
    _make_separated("tsv", "\t"),
    JSON,
    JSONL,
    _make_tabular("parquet", tables.make_binary("parquet"), tables.is_parquet, ".parquet"),
    _make_tabular("arrow", tables.make_binary("arrow"), tables.is_arrow,
                  ".arrow", ".arrows", ".feather", ".ipc"),
    _make_tabular("xlsx", excel.make_excel(), excel.is_excel, ".xlsx"),
    LETOR,
    IR4QA,
    DIRECTORIES,
)  # fmt: skip
BY_FIELDS = (NTCIR, EARLY, IR4QA)  # detected by the fields of lines, also with a separator
BY_START = tuple(format for format in TABLE if format not in (NTCIR, EARLY))

FORMAT = {format.name: format for format in TABLE}
_SELECTABLE = [format for format in TABLE if format not in (IR4QA, DIRECTORIES)]
FORMATS = tuple(format.name for format in _SELECTABLE)  # for --qrels-format
RUN_FORMATS = tuple(format.name for format in _SELECTABLE if "run" in format.kinds)


def reject_mixed_parts(tables: Sequence[Table]) -> None:
    """Raise Irregular if only some parts of a file have scores."""
    if len({table.scored for table in tables if len(table)}) > 1:
        raise Irregular


def name_shape(format: Format, source: Source, kind: Kind) -> str:
    """Return the name of the shape of JSON objects, such as ``ragas run``, or an empty text."""
    if format is JSON:
        return name_json(source, kind)
    return name_jsonl(source, kind) if format is JSONL else ""


@dataclass(frozen=True)
class DetectedFormat:
    """The format of a file, and options such as the separator."""

    format: Format
    options: ReadOptions

    def describe(self, source: Source, kind: Kind, name: str) -> str:
        """Format the detected format: ``trec run, 6 fields, topic in column 1, …``."""
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
    """Detect the format of a file. Raise InputError if it is ambiguous.

    Topic directories are only detected if `kind` is given.
    """
    detected = _detect_format(source, format_name, options, kind)
    if kind is not None:
        log_reading(source.path, (detected, kind))
    return detected


def _detect_format(source: Source, format_name: str | None, options: ReadOptions, kind: Kind | None) -> DetectedFormat:
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
    if format is JSONL and has_rows_on_lines(source, options):
        format = JSON_ROWS
    return DetectedFormat(format, _detect_separator(format, beginning, options))


def _resolve_intents(format: Format | None, beginning: Beginning, options: ReadOptions) -> Format | None:
    """Return the format, or TREC if the grades are intents."""
    if format is not EARLY or beginning.kind == "run" or not trec.can_be_intents(beginning):
        return format
    if not options.intents:
        raise trec.make_grade_error(beginning)
    return TREC


def _reject_audit(beginning: Beginning) -> None:
    """Raise InputError for lines ``topic doc probability draw``, which look like judgments."""
    if beginning.start.startswith(AUDIT.encode()):
        fix = "Judge its documents and write lines: topic 0 doc level."
        raise InputError.from_problem("this is an audit without judgments", fix, beginning.source.name)


def _detect_separator(format: Format, beginning: Beginning, options: ReadOptions) -> ReadOptions:
    """Return the options with the separator of a table without a header."""
    widths = {len(layout) for layout in format.fields.values()}
    if options.separator is not None or format in (TREC, NTCIR) or format.read_piece is None:
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
    """Guess the format of a file from path, user's choice, content or suffix. Default: TREC.

    `labels` are accepted as L2 in NTCIR judgments.
    """
    beginning = Beginning(source, kind, separator, labels)
    format = _match_path(source, kind) or _get_format(format_name) or _match_content(beginning)
    return format or _match_suffix(beginning) or TREC


def _match_path(source: Source, kind: Kind | None) -> Format | None:
    return DIRECTORIES if topic_dirs.is_topic_directory(source.path, kind) else None


def _get_format(name: str | None) -> Format | None:
    if name is not None and name not in FORMATS:
        raise InputError(f"format {name!r}", f"one of {', '.join(FORMATS)}")
    return None if name is None else FORMAT[name]


def _match_content(beginning: Beginning) -> Format | None:
    """Return the format with this content. With a separator, only fields of lines are used."""
    reject_unsupported_file(beginning.start, beginning.source.name)
    candidates = (*(BY_START if beginning.separator is None else ()), *BY_FIELDS)
    return next((format for format in candidates if format.matches(beginning)), None)


def _match_suffix(beginning: Beginning) -> Format | None:
    suffix = beginning.source.suffix
    candidates = TABLE if beginning.separator is None else ()
    return next((format for format in candidates if suffix in format.suffixes), None)


def _match_header(beginning: Beginning) -> Format | None:
    """Return the format of a table with a header, even if its columns are unknown."""
    name = detect_header(beginning)
    return None if name is None else FORMAT[name]


def _match_columns(beginning: Beginning, options: ReadOptions) -> Format | None:
    """Return the format of a table that has the user's columns."""
    tabular = next((f for f in TABLE if f.tabular is not None and f.matches(beginning)), None)
    if tabular is not None:
        return tabular
    user_columns = {name for name in options.columns.values() if not name.isdecimal()}
    for name, separators in (("tsv", "\t"), ("csv", ",;")):
        if user_columns & {x.strip(' "') for x in tables.split_names(separators, beginning.first)}:
            return FORMAT[name]
    return _match_header(beginning) or _build_numbered_format(beginning, options)


def _build_numbered_format(beginning: Beginning, options: ReadOptions) -> Format | None:
    """Return a format of lines with fields numbered by the user."""
    all_kinds: tuple[Kind, ...] = ("qrels", "run")
    kinds = all_kinds if beginning.kind is None else (beginning.kind,)
    counts = {kind: columns.get_column_numbers(options.columns, kind) for kind in kinds}
    layouts = {kind: _build_layout(beginning, places) for kind, places in counts.items() if places}
    return _make_line_format("columns", layouts) if layouts else None


def _build_layout(beginning: Beginning, places: Mapping[int, str]) -> tuple[str, ...]:
    """Return the fields of lines, with roles by column number."""
    separators = SEPARATORS if beginning.separator is None else (beginning.separator,)
    views = (replace(beginning, separator=separator) for separator in separators)
    widths = [len(row) for view in views for row in view.fields[:1]]
    width = next((width for width in widths if width >= max(places)), None)
    if width is None and widths:
        expected = f"at least {max(places)} (--columns)"
        raise InputError(format_count(max(widths), "field"), expected, beginning.source.name)
    return tuple(places.get(i, "") for i in range(1, (width or max(places)) + 1))


def list_runs(path: str | os.PathLike[str]) -> list[str]:
    """Return the runs of a path: all runs in topic directories, or the path itself."""
    runs = topic_dirs.list_runs(os.fspath(path)) if os.path.isdir(path) else []
    return runs or [os.fspath(path)]
