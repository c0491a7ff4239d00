"""Lines of named cells from text, tables, JSON, frames, mappings and tuples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, islice
from typing import Any, Self, TypeAlias

from cranfield.data.files import log_reading
from cranfield.data.reading.adapters import to_records
from cranfield.data.reading.columns import (
    describe_column,
    find_named_column,
    find_spelling,
    make_unknown_column_error,
    reject_duplicates,
)
from cranfield.data.reading.contents import Place, SourceRecord, is_empty
from cranfield.data.reading.formats import FORMAT, JSON, LETOR, TREC, Format, guess_format
from cranfield.data.reading.lines import (
    Line,
    iter_text_lines,
    split_fields,
    to_separator,
    truncate_text,
)
from cranfield.data.reading.mappings import read_json, read_keys
from cranfield.data.reading.signatures import (
    Match,
    Signature,
    Use,
    detect,
    detect_record,
    explain_mismatch,
    read_rows,
    reject_foreign,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import Row, is_frame, to_polars
from cranfield.data.reading.trec import Fields, strip_comments
from cranfield.data.reading.user_columns import PIECES, Choice, get_user_columns
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, format_option

Names: TypeAlias = tuple[str, ...]
Nested: TypeAlias = Callable[[Mapping[Any, Any], str], Iterable[dict[str, Any]]]
DETECTION_ROWS = 20  # rows that determine the format of a table of another tool
CACHE_SIZE = 100  # cached headers: every JSON line has a header, usually the same


@dataclass(frozen=True)
class Layout:
    """The cells of a line, and the column names in tables."""

    forms: tuple[Names, ...]  # the fields of a line of text, for each form of line
    required: Names  # columns that every table has
    spellings: Mapping[str, Sequence[str]]  # in order of priority: a column has one role
    header: Names = ()  # columns that identify a header (default: the first two required)
    fields: Callable[[str, str | None], Sequence[Any]] = split_fields  # splits a line
    uniform: bool = False  # all lines of text have the form of the first,
    uniform_note: str = ""  # and the end of the error if one does not
    verbatim: bool = False  # no comments, and " belongs to cells of TSV
    wide: bool = False  # tables may have columns without a role
    keeps_columns: bool = False  # also if all roles have a column
    fixed: bool = False  # all rows of a table have the columns of the first
    expected_line: str = ""  # description of a line of text for errors,
    expected_columns: str = ""  # and of the columns of tables
    use: Use | None = None  # use of the tables, if files of other tools are rejected
    table: str = ""  # kind of table, as the user calls it: see `user_columns`
    choices: Mapping[str, Choice] = field(default_factory=dict)  # columns chosen by the user, by role
    cache: dict[tuple[Any, ...], dict[str, str]] = field(default_factory=dict, compare=False)

    def with_choices(self) -> Self:
        """Return the layout with the columns that the user has chosen for this kind of table."""
        choices = {} if self.choices else get_user_columns().select(self.table)
        return replace(self, choices=choices, cache={}) if choices else self

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        """Map each role to the column that has it."""
        key = tuple(names)
        if key not in self.cache:
            if len(self.cache) >= CACHE_SIZE:
                self.cache.clear()
            self.cache[key] = self._find_columns(key)
        return {**self.cache[key]}

    def _find_columns(self, names: tuple[Any, ...]) -> dict[str, str]:
        columns = self._find_roles(names)
        if self.wide and (self.keeps_columns or len(columns) < len(self.spellings)):
            kept = (*self.required, *self.find_choices(names))
            columns = {role: column for role, column in columns.items() if role in kept}
            columns |= {name: name for name in names if name not in columns.values()}
        return columns

    def _find_roles(self, names: Sequence[Any]) -> dict[str, str]:
        """Map each role to its column, also if a wide table keeps the name of the column."""
        columns: dict[str, str] = {}
        chosen = self.find_choices(names)
        for role, spellings in self.spellings.items():
            used = (*columns.values(), *chosen.values())
            column = chosen.get(role) or find_spelling(spellings, (name for name in names if name not in used))
            if column is not None:
                columns[role] = column
        return columns

    @property
    def is_declared(self) -> bool:
        """True if the user has named columns of this kind of table."""
        return any(choice.is_declared for choice in self.choices.values())

    def find_choices(self, names: Sequence[Any]) -> dict[str, str]:
        """Return the columns chosen by the user that a table has."""
        columns = {role: find_named_column(choice.column, names) for role, choice in self.choices.items()}
        return {role: column for role, column in columns.items() if column is not None}

    def is_header(self, names: Iterable[Any]) -> bool:
        """Return True if the names look like a header, even if a column is missing."""
        names = tuple(names)
        return bool(self.choices and self.find_choices(names)) or self.has_header(names)

    def has_header(self, names: Iterable[Any]) -> bool:
        """Return True if the names have the roles of a header."""
        return self.resolve_columns(names).keys() >= set(self.header or self.required[:2])

    def check_columns(
        self, names: Sequence[Any], columns: Mapping[str, str], location: str, line: int | None = None
    ) -> None:
        """Raise InputError if a table lacks a required column, or a column chosen by the user."""
        chosen = self.find_choices(names)
        in_pieces = {role for column, roles in PIECES.items() if column in columns for role in roles}
        for role, choice in self.choices.items():
            if role not in chosen and role not in in_pieces:
                other = f"{self.table}.{role}=" if role in columns and not choice.is_declared else ""
                raise make_unknown_column_error(choice.column, [*map(str, names)], location, line, other)
        if expected := self.describe_missing(columns):
            role = next((role for role in self.required if role not in columns), "")
            hint = format_option(f"or use --columns {role}=NAME", "") if self.table and names and role else ""
            raise InputError(f"columns {', '.join(map(str, names))}", expected, location, line, hint)
        self._report_columns(names, location)

    def _report_columns(self, names: Sequence[Any], location: str) -> None:
        """Note the columns for `validate -v`, and roles that several columns could have."""
        context = get_user_columns()
        context.used_keys.update(choice.key for choice in self.choices.values())
        if not self.table or location in context.tables:
            return
        roles = self._find_roles(names)
        context.tables[location] = roles
        unused = [name for name in names if name not in roles.values()]
        doubts = [
            f"the {role} is column {column}, not {' or '.join(others)}"
            for role, column in roles.items()
            if role not in self.choices
            and (others := [str(name) for name in unused if find_spelling(self.spellings[role], [name]) is not None])
        ]
        if doubts:
            context.doubts[location] = "; ".join(doubts)

    def describe_missing(self, columns: Mapping[str, str]) -> str:
        """Describe a missing column; empty if the table has all required columns."""
        for name in self.required:
            if name not in columns:
                return self.expected_columns or describe_column(name, self.spellings[name], 3)
        return ""


def list_columns(data: Any, layout: Layout) -> list[str]:
    """Return the column names of a table, or an empty list for other data."""
    if isinstance(data, str | os.PathLike):
        source = Source.from_path(data)
        format = detect_layout_format(source, layout)
        if format.tabular is not None:
            return [str(name) for name in format.tabular.read_names(source)]
        data = read_json(source) if format is JSON else None
    if is_frame(data):
        return [str(name) for name in data.columns]
    return [str(name) for name in data[0]] if _is_record_list(data) else []


def get_location(data: Any, otherwise: str) -> str:
    """Return the name of the data in messages: the path of a file, else `otherwise`."""
    return Source.from_path(data).name if isinstance(data, str | os.PathLike) else otherwise


def read_lines(
    data: Any,
    layout: Layout,
    noun: str,
    separator: str | None = None,
    nested: Nested | None = None,
    location: str | None = None,
) -> Iterator[Line]:
    """Yield the lines of a path, a nested mapping, a frame or tuples. Raise InputError for none.

    `separator` separates the fields of text (default: whitespace). Nested mappings have one level
    for each required cell except the last, or are converted to rows by `nested`. In a list of
    mappings, each mapping is a row. Messages name `location`, or the path of a file.
    """
    line = None
    for line in iter_lines(data, layout, location or noun, separator, nested):
        yield line
    if line is None:
        expected = _format_separator(separator).join(layout.forms[0])
        raise InputError(f"no {noun}", expected, get_location(data, location or noun))


def iter_lines(
    data: Any,
    layout: Layout,
    location: str,
    separator: str | None = None,
    nested: Nested | None = None,
) -> Iterator[Line]:
    """Yield the lines of the data, as `read_lines`, but allow empty data."""
    separator, layout = to_separator(separator), layout.with_choices()
    if not isinstance(data, str | os.PathLike) and not is_frame(data):
        data = to_records(data, layout.is_header)
    if isinstance(data, str | os.PathLike):
        yield from _read_file(Source.from_path(data), layout, separator, nested)
    elif is_frame(data):
        frame = to_polars(data, list, location)
        yield from _read_rows(((None, row) for row in frame.iter_rows(named=True)), layout, location)
    elif isinstance(data, Mapping) or _is_record_list(data):
        yield from _read_mapping(data, layout, location, nested)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        forms = layout.forms if layout.wide else (layout.required, *layout.forms)
        for row in data:
            is_single = isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable)
            yield _build_line((row,) if is_single else tuple(row), forms, location, None, layout.expected_line)
    else:
        raise InputError(type(data).__name__, "a path, a mapping, a frame or tuples", location)


def is_text(source: Source) -> bool:
    """Return True for lines of text: no table with a header, no JSON."""
    format = guess_format(source)
    return format.tabular is None and format not in (JSON, LETOR)


def _read_file(source: Source, layout: Layout, separator: str | None, nested: Nested | None) -> Iterator[Line]:
    format = detect_layout_format(source, layout, separator)
    if format is JSON:
        yield from _read_mapping(read_json(source), layout, source.name, nested)
    elif format.tabular is not None:
        unquoted = format is FORMAT["tsv"] and layout.verbatim
        table = _read_unquoted(source) if unquoted else format.tabular.read_rows(source, layout.verbatim)
        yield from _read_rows(table, layout, source.name, format.tabular.headed)
    else:
        yield from read_text_lines(source, layout, separator)


def read_text_lines(source: Source, layout: Layout, separator: str | None = None) -> Iterator[Line]:
    """Yield the lines of a text file, without format detection."""
    for choice in layout.choices.values():
        if choice.is_declared:
            problem = f"no column {choice.column!r}: lines of text have no column names"
            raise InputError.from_problem(problem, "Add a header, or remove the column from --columns.", source.name)
    forms, separator = layout.forms, to_separator(separator)
    expected = layout.expected_line or _format_forms(forms, _format_separator(separator))
    for number, text in iter_text_lines(source, comments=not layout.verbatim):
        fields = layout.fields(text, separator)
        line = _build_line(fields, forms, source.name, number, expected)
        if layout.uniform and forms is layout.forms:
            forms = (tuple(line.cells),)
            expected = layout.expected_line or _format_forms(forms, _format_separator(separator)) + layout.uniform_note
        yield line


def is_plain_file(data: Any) -> bool:
    """Return True for the path of a regular file, which can be read more than once."""
    return isinstance(data, str | os.PathLike) and os.path.isfile(data)


def read_text_columns(data: Any, layout: Layout) -> dict[str, Strings]:
    """Return the cells of a text file by column: row i is on line i + 1.

    Raise Irregular for files with problems: the caller then reads line by line to find them.
    """
    layout = layout.with_choices()
    if not is_plain_file(data) or layout.is_declared:
        raise Irregular
    source = Source.from_path(data)
    format = detect_layout_format(source, layout)
    if format.tabular is not None or format is JSON:
        raise Irregular
    text = source.read()
    width = len(text.partition(b"\n")[0].split())
    names = next((names for names in layout.forms if len(names) == width), None)
    commented = not layout.verbatim and strip_comments(text) != text
    if names is None or commented or source.find_long_line(text) is not None:
        raise Irregular
    fields = Fields(text, width)
    if len(fields) != text.count(b"\n") + (not text.endswith(b"\n")):  # some lines are blank
        raise Irregular
    return {name: fields.get_column(i) for i, name in enumerate(names)}


def detect_layout_format(source: Source, layout: Layout, separator: str | None = None) -> Format:
    """Detect the format of a file, with the columns of the layout as header."""
    layout = layout.with_choices()
    format = _detect_layout_format(source, layout, separator)
    log_reading(source.path, (format, layout, separator))
    return format


def _detect_layout_format(source: Source, layout: Layout, separator: str | None) -> Format:
    first, _, rest = source.start.decode("utf-8", "replace").lstrip().partition("\n")
    for name, delimiter in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if layout.is_header(first.split(delimiter)):
            return FORMAT[name]
    keys = read_keys(first)
    if layout.is_header(keys) or (keys and rest.strip()):  # a JSON file has only one object
        return FORMAT["jsonl"]
    format = guess_format(source)
    separated = separator is not None and separator in first  # regardless of the file name
    return TREC if separated and format.tabular is not None and format.tabular.headed else format


def _read_unquoted(source: Source) -> Iterator[Row]:
    """Yield the rows of a TSV file in which quotation marks belong to the cells."""
    header: Names = ()
    for number, text in iter_text_lines(source, comments=False):
        fields = text.split("\t")
        if not header:
            header = tuple(fields)
            reject_duplicates(header, source.name, number)
        yield number, dict(_build_line(fields, (header,), source.name, number).cells)


def _read_rows(
    table: Iterable[Row | InputError], layout: Layout, location: str, headed: bool = False
) -> Iterator[Line]:
    names: tuple[Any, ...] | None = None
    columns: dict[str, str] = {}
    first, rows = _peek_row(table, headed, DETECTION_ROWS if layout.use is not None else 1)
    for row in rows:
        if isinstance(row, InputError):
            raise row
        number, cells = row
        if names is None or (tuple(cells) != names and not layout.fixed):
            signature = _detect_foreign(layout, cells if names else first, cells, location, number)
            if signature is not None and layout.use is not None and names is None:
                yield from _read_foreign_rows(signature, layout.use, location, rows if headed else chain([row], rows))
                return
            names, columns = tuple(cells), layout.resolve_columns(cells)
            layout.check_columns(names, columns, location, number)
        if not headed:
            yield Line(location, number, {role: cells.get(column) for role, column in columns.items()})
        headed = False


def _detect_foreign(
    layout: Layout, record: Any, names: Mapping[Any, Any], location: str, line: int | None
) -> Signature | None:
    """Return the format of another tool that has a reader for the layout, unless the user has chosen the columns.

    Raise InputError for a format without a reader.
    """
    is_chosen = bool(layout.choices) and len(layout.find_choices(tuple(names))) == len(layout.choices)
    signature = None if layout.use is None or is_chosen else detect_record(record, location)
    if signature is None or layout.use is None:
        return None
    reject_foreign(signature, layout.use, location, line)
    return signature if signature.get_reader(layout.use) is not None else None


def _peek_row(
    table: Iterable[Row | InputError], headed: bool, count: int = DETECTION_ROWS
) -> tuple[Mapping[Any, Any] | None, Iterator[Row | InputError]]:
    """Return the first row with values, for its format, and all rows with the header.

    Empty cells of the first row have the first value in the next rows: the first value can be missing.
    """
    rows = iter(table)
    start = list(islice(rows, count + headed))
    records = [row[1] for row in start[headed:] if not isinstance(row, InputError)]
    if not records and headed and start and not isinstance(start[0], InputError):
        records = [start[0][1]]
    if not records:
        return None, chain(start, rows)
    first = dict(records[0])
    for key, cell in records[0].items():
        if is_empty(cell):
            values = (record.get(key) for record in records)
            first[key] = next((value for value in values if not is_empty(value)), cell)
    return first, chain(start, rows)


def detect_file(source: Source) -> Signature | None:
    """Return the format of another tool that a file has, or None."""
    format = guess_format(source)
    if format is JSON:
        data = read_json(source)
        return detect_record(data[0], source.name) if _is_record_list(data) else detect(data, source.name)
    if format.tabular is None:
        return None
    first, _ = _peek_row(format.tabular.read_rows(source, False), format.tabular.headed)
    return detect_record(first, source.name)


def _read_foreign_rows(
    signature: Signature, use: Use, location: str, rows: Iterable[Row | InputError]
) -> Iterator[Line]:
    """Yield the lines of a table that another tool has written."""
    numbered = enumerate(rows, 1)
    records = (
        x if isinstance(x, InputError) else SourceRecord(_build_place(location, x[0], i), x[1]) for i, x in numbered
    )
    for number, cells in read_rows(Match(signature, records), use, location):
        yield Line(location, number, cells)


def _build_place(location: str, line: int | None, record: int) -> Place:
    return Place(location, line, "" if line else f" in record {record}")


def _read_mapping(data: Any, layout: Layout, location: str, nested: Nested | None) -> Iterator[Line]:
    rows: Iterable[dict[str, Any]]
    if layout.use is not None and isinstance(data, Mapping):
        signature = detect(data, location)
        reject_foreign(signature, layout.use, location)
        is_unknown = signature is None and not _has_only_leaves(data)
        if is_unknown and (error := explain_mismatch(data, location, layout.use)) is not None:
            raise error
    if _is_record_list(data):
        rows = data
    elif nested is None:
        rows, layout = _flatten(data, layout.required, location), replace(layout, choices={}, cache={})
    elif isinstance(data, Mapping):
        rows = list(nested(data, location))
        layout = replace(layout, choices=_keep_found(layout, rows), cache={})
    else:
        raise InputError(type(data).__name__, "a JSON object", location)
    yield from _read_rows(((None, row) for row in rows), layout, location)


def _has_only_leaves(data: Any, levels: int = 4) -> bool:
    """Return True for nested mappings of numbers and texts, which no list contains."""
    if isinstance(data, Mapping):
        return bool(data) and levels > 0 and all(_has_only_leaves(inner, levels - 1) for inner in data.values())
    return isinstance(data, str | int | float)


def _keep_found(layout: Layout, rows: Sequence[Mapping[str, Any]]) -> dict[str, Choice]:
    """Return the user's columns that rows have, or all if a column that must exist is missing."""
    found = layout.find_choices([*rows[0]]) if rows else {}
    return {role: choice for role, choice in layout.choices.items() if role in found or choice.is_declared}


def _is_record_list(data: Any) -> bool:
    """Return True for a list of mappings, as from pandas' ``to_json(orient="records")``."""
    return isinstance(data, list) and bool(data) and all(isinstance(x, Mapping) for x in data)


def _flatten(
    data: Any, names: Names, location: str, all_names: Names = (), context: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield the rows of nested mappings: the keys by name, and a leaf or item of a list."""
    if len(names) == 1:
        is_list = isinstance(data, list | tuple) and data
        yield from ({names[0]: leaf} for leaf in (data if is_list else [data]))
        return
    all_names = all_names or names
    if not isinstance(data, Mapping):
        shape = "{" + ": {".join(all_names[:-1]) + f": {all_names[-1]}" + "}" * (len(all_names) - 1)
        raise InputError(f"{type(data).__name__}{context}", shape, location)
    for key, inner in data.items():
        inner_rows = _flatten(inner, names[1:], location, all_names, f" for {names[0]} {key!r}")
        yield from ({names[0]: key, **rest} for rest in inner_rows)


def _format_separator(separator: str | None) -> str:
    return "<TAB>" if separator == "\t" else " "


def _format_forms(forms: Iterable[Names], separator: str = " ") -> str:
    return " or ".join(f"{len(names)}: {separator.join(names)}" for names in dict.fromkeys(forms))


def _build_line(
    fields: Sequence[Any],
    forms: Sequence[Names],
    location: str,
    number: int | None,
    expected: str = "",
) -> Line:
    names = next((names for names in forms if len(names) == len(fields)), None)
    if names is None:
        actual = f"{format_count(len(fields), 'field')} ({truncate_text(' '.join(map(str, fields)))})"
        raise InputError(actual, expected or _format_forms(forms), location, number)
    return Line(location, number, dict(zip(names, fields, strict=True)))
