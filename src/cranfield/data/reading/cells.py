"""Lines of named cells, from whatever holds them: text, tables, JSON, frames, mappings, tuples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from cranfield.data.reading.columns import describe_column, find_spelling, reject_duplicates
from cranfield.data.reading.formats import FORMAT, TREC, Format, guess_format
from cranfield.data.reading.lines import (
    Line,
    iter_text_lines,
    split_fields,
    to_separator,
    truncate_text,
)
from cranfield.data.reading.mappings import read_keys
from cranfield.data.reading.signatures import Use, detect_record, reject_foreign
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import Row, is_frame, to_polars
from cranfield.data.reading.trec import Fields, strip_comments
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

Names: TypeAlias = tuple[str, ...]
Nested: TypeAlias = Callable[[Mapping[Any, Any], str], Iterable[dict[str, Any]]]
CACHE_SIZE = 100  # headers that a layout remembers: objects on lines have one each, mostly the same


@dataclass(frozen=True)
class Layout:
    """Which cells a line has, and what their columns are called in tables."""

    forms: tuple[Names, ...]  # the fields of a line of text, in each form it may have
    required: Names  # the columns of every table
    spellings: Mapping[str, Sequence[str]]  # in order: each takes one that is not taken yet
    header: Names = ()  # those that make a header; the first two of those needed
    fields: Callable[[str, str | None], Sequence[Any]] = (
        split_fields  # of a line, between separators
    )
    uniform: bool = False  # whether all lines of text have the form of the first,
    uniform_note: str = ""  # and what is said of that where one has not
    verbatim: bool = False  # whether # begins no comment, and " is part of a cell of TSV
    wide: bool = False  # whether tables may have other columns, beside those that are needed
    fixed: bool = False  # whether all rows of a table have the columns of the first
    expected_line: str = ""  # what a line of text has, in words,
    expected_columns: str = ""  # and what tables
    use: Use | None = None  # what tables are used as, if files of other tools are to be rejected
    cache: dict[tuple[Any, ...], dict[str, str]] = field(default_factory=dict, compare=False)

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        """Our name -> the table's own of each column."""
        key = tuple(names)
        if key not in self.cache:
            if len(self.cache) >= CACHE_SIZE:
                self.cache.clear()
            self.cache[key] = self._find_columns(key)
        return {**self.cache[key]}

    def _find_columns(self, names: tuple[Any, ...]) -> dict[str, str]:
        columns: dict[str, str] = {}
        for role, spellings in self.spellings.items():
            column = find_spelling(
                spellings, (name for name in names if name not in columns.values())
            )
            if column is not None:
                columns[role] = column
        if self.wide and len(columns) < len(self.spellings):
            columns = {role: column for role, column in columns.items() if role in self.required}
            columns |= {name: name for name in names if name not in columns.values()}
        return columns

    def is_header(self, names: Iterable[Any]) -> bool:
        """Whether these are names of columns, be it that one is lacking."""
        return self.resolve_columns(names).keys() >= set(self.header or self.required[:2])

    def describe_missing(self, columns: Mapping[str, str]) -> str:
        """What is expected of a table where a column is missing, nothing if all are there."""
        for name in self.required:
            if name not in columns:
                return self.expected_columns or describe_column(name, self.spellings[name], 3)
        return ""


def get_location(data: Any, otherwise: str) -> str:
    """How messages call what is read: a file by its name."""
    return Source.from_path(data).name if isinstance(data, str | os.PathLike) else otherwise


def read_lines(
    data: Any,
    layout: Layout,
    noun: str,
    separator: str | None = None,
    nested: Nested | None = None,
    location: str | None = None,
) -> Iterator[Line]:
    """The lines of a path, a nested mapping, a Polars or pandas frame, or tuples: at least one.

    `separator` stands between the fields of text, instead of blanks. Mappings have a key for each
    cell that is needed but the last, unless `nested` says what rows they hold; in a list of
    mappings, each is a row. What is not in a file is called `location` by messages.
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
    """The lines of whatever `read_lines` takes, where there may be none."""
    separator = to_separator(separator)
    if isinstance(data, str | os.PathLike):
        yield from _read_file(Source.from_path(data), layout, separator, nested)
    elif is_frame(data):
        frame = to_polars(data, list, location)
        yield from _read_rows(
            ((None, row) for row in frame.iter_rows(named=True)), layout, location
        )
    elif isinstance(data, Mapping) or _is_record_list(data):
        yield from _read_mapping(data, layout, location, nested)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        forms = layout.forms if layout.wide else (layout.required, *layout.forms)
        for row in data:
            is_single = isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable)
            yield _build_line(
                (row,) if is_single else tuple(row), forms, location, None, layout.expected_line
            )
    else:
        raise InputError(type(data).__name__, "a path, a mapping, a frame or tuples", location)


def is_text(source: Source) -> bool:
    """Whether a file is lines of text, and neither a table with a header nor JSON."""
    format = guess_format(source)
    return format.tabular is None and format.read_object is None and not format.positional


def _read_file(
    source: Source, layout: Layout, separator: str | None, nested: Nested | None
) -> Iterator[Line]:
    format = detect_layout_format(source, layout, separator)
    if format.read_object is not None:
        yield from _read_mapping(format.read_object(source), layout, source.name, nested)
    elif format.tabular is not None:
        unquoted = format is FORMAT["tsv"] and layout.verbatim
        table = (
            _read_unquoted(source)
            if unquoted
            else format.tabular.read_rows(source, layout.verbatim)
        )
        yield from _read_rows(table, layout, source.name, format.tabular.headed)
    else:
        yield from read_text_lines(source, layout, separator)


def read_text_lines(source: Source, layout: Layout, separator: str | None = None) -> Iterator[Line]:
    """The lines of a text, whatever it looks like."""
    forms, separator = layout.forms, to_separator(separator)
    expected = layout.expected_line or _format_forms(forms, _format_separator(separator))
    for number, text in iter_text_lines(source, comments=not layout.verbatim):
        fields = layout.fields(text, separator)
        line = _build_line(fields, forms, source.name, number, expected)
        if layout.uniform and forms is layout.forms:
            forms = (tuple(line.cells),)
            expected = (
                layout.expected_line
                or _format_forms(forms, _format_separator(separator)) + layout.uniform_note
            )
        yield line


def is_plain_file(data: Any) -> bool:
    """Whether this is the path of a file that may be read again."""
    return isinstance(data, str | os.PathLike) and os.path.isfile(data)


def read_text_columns(data: Any, layout: Layout) -> dict[str, Strings]:
    """The cells of a text file column by column, or Irregular if anything about it is odd.

    Then whoever reads it line by line finds what. Row i is on line i + 1.
    """
    if not is_plain_file(data):
        raise Irregular
    source = Source.from_path(data)
    format = detect_layout_format(source, layout)
    if format.tabular is not None or format.read_object is not None:
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
    """As for judgments and runs, but that it is the columns of the layout that make a header."""
    first, _, rest = source.start.decode("utf-8", "replace").lstrip().partition("\n")
    for name, delimiter in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if layout.is_header(first.split(delimiter)):
            return FORMAT[name]
    keys = read_keys(first)
    if layout.is_header(keys) or (keys and rest.strip()):  # JSON would end with the first object
        return FORMAT["jsonl"]
    format = guess_format(source)
    separated = separator is not None and separator in first  # whatever the name of the file says
    return TREC if separated and format.tabular is not None and format.tabular.headed else format


def _read_unquoted(source: Source) -> Iterator[Row]:
    """A table in which a quotation mark is one, as texts have them anywhere."""
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
    for row in table:
        if isinstance(row, InputError):
            raise row
        number, cells = row
        if names is None or (tuple(cells) != names and not layout.fixed):
            if layout.use is not None:
                reject_foreign(detect_record(cells, location), layout.use, location, number)
            names, columns = tuple(cells), layout.resolve_columns(cells)
            if expected := layout.describe_missing(columns):
                actual = f"columns {', '.join(map(str, names))}"
                raise InputError(actual, expected, location, number)
        if not headed:
            yield Line(
                location, number, {role: cells.get(column) for role, column in columns.items()}
            )
        headed = False


def _read_mapping(
    data: Any, layout: Layout, location: str, nested: Nested | None
) -> Iterator[Line]:
    rows: Iterable[dict[str, Any]]
    if _is_record_list(data):
        rows = data
    elif nested is None:
        rows = _flatten(data, layout.required, location)
    elif isinstance(data, Mapping):
        rows = nested(data, location)
    else:
        raise InputError(type(data).__name__, "a JSON object", location)
    yield from _read_rows(((None, row) for row in rows), layout, location)


def _is_record_list(data: Any) -> bool:
    """Whether this is a list of rows with names, as pandas' ``to_json(orient="records")``."""
    return isinstance(data, list) and bool(data) and all(isinstance(x, Mapping) for x in data)


def _flatten(
    data: Any, names: Names, location: str, all_names: Names = (), context: str = ""
) -> Iterator[dict[str, Any]]:
    """The keys of nested mappings, by name, with each of their leaves, or of a list of these."""
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
        actual = (
            f"{format_count(len(fields), 'field')} ({truncate_text(' '.join(map(str, fields)))})"
        )
        raise InputError(actual, expected or _format_forms(forms), location, number)
    return Line(location, number, dict(zip(names, fields, strict=True)))
