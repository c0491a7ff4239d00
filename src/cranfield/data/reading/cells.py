"""Lines of named cells, from whatever holds them: text, tables, JSON, frames, mappings, tuples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from cranfield.data.reading.columns import column_named, refuse_duplicates, spelt
from cranfield.data.reading.formats import FORMAT, TREC, Format, recognise
from cranfield.data.reading.lines import Line, fields_of, short, text_lines, to_separator
from cranfield.data.reading.mappings import keys_of
from cranfield.data.reading.signatures import Use, detect_record, refuse_foreign
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import Row, is_frame, polars_frame
from cranfield.data.reading.trec import Fields, data_of
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted

Names: TypeAlias = tuple[str, ...]
Nested: TypeAlias = Callable[[Mapping[Any, Any], str], Iterable[dict[str, Any]]]
SEEN = 100  # headers that a layout remembers: objects on lines have one each, mostly the same


@dataclass(frozen=True)
class Layout:
    """Which cells a line has, and what their columns are called in tables."""

    text: tuple[Names, ...]  # the fields of a line of text, in each form it may have
    needed: Names  # the columns of every table
    spellings: Mapping[str, Sequence[str]]  # in order: each takes one that is not taken yet
    told: Names = ()  # those that make a header; the first two of those needed
    fields: Callable[[str, str | None], Sequence[Any]] = fields_of  # of a line, between separators
    alike: bool = False  # whether all lines of text have the form of the first,
    before: str = ""  # and what is said of that where one has not
    verbatim: bool = False  # whether # begins no comment, and " is part of a cell of TSV
    wide: bool = False  # whether tables may have other columns, beside those that are needed
    fixed: bool = False  # whether all rows of a table have the columns of the first
    line: str = ""  # what a line of text has, in words,
    columns_are: str = ""  # and what tables
    use: Use | None = None  # what tables are used as, if files of other tools are to be rejected
    seen: dict[tuple[Any, ...], dict[str, str]] = field(default_factory=dict, compare=False)

    def columns(self, names: Iterable[Any]) -> dict[str, str]:
        """Our name -> the table's own of each column."""
        given = tuple(names)
        if given not in self.seen:
            if len(self.seen) >= SEEN:
                self.seen.clear()
            self.seen[given] = self._columns(given)
        return {**self.seen[given]}

    def _columns(self, given: tuple[Any, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for ours, spellings in self.spellings.items():
            theirs = spelt(spellings, (name for name in given if name not in found.values()))
            if theirs is not None:
                found[ours] = theirs
        if self.wide and len(found) < len(self.spellings):
            found = {ours: theirs for ours, theirs in found.items() if ours in self.needed}
            found |= {name: name for name in given if name not in found.values()}
        return found

    def is_header(self, names: Iterable[Any]) -> bool:
        """Whether these are names of columns, be it that one is lacking."""
        return self.columns(names).keys() >= set(self.told or self.needed[:2])

    def lacking(self, columns: Mapping[str, str]) -> str:
        """What is expected of a table where a column is missing, nothing if all are there."""
        for name in self.needed:
            if name not in columns:
                return self.columns_are or column_named(name, self.spellings[name], 3)
        return ""


def where_of(data: Any, otherwise: str) -> str:
    """How messages call what is read: a file by its name."""
    return Source.of(data).name if isinstance(data, str | os.PathLike) else otherwise


def read_lines(
    data: Any,
    layout: Layout,
    what: str,
    separator: str | None = None,
    nested: Nested | None = None,
    where: str | None = None,
) -> Iterator[Line]:
    """The lines of a path, a nested mapping, a Polars or pandas frame, or tuples: at least one.

    `separator` stands between the fields of text, instead of blanks. Mappings have a key for each
    cell that is needed but the last, unless `nested` says what rows they hold; in a list of
    mappings, each is a row. What is not in a file is called `where` by messages.
    """
    line = None
    for line in lines_of(data, layout, where or what, separator, nested):
        yield line
    if line is None:
        expected = _between(separator).join(layout.text[0])
        raise InputError(f"no {what}", expected, where_of(data, where or what))


def lines_of(
    data: Any,
    layout: Layout,
    where: str,
    separator: str | None = None,
    nested: Nested | None = None,
) -> Iterator[Line]:
    """The lines of whatever `read_lines` takes, where there may be none."""
    separator = to_separator(separator)
    if isinstance(data, str | os.PathLike):
        yield from _of_file(Source.of(data), layout, separator, nested)
    elif is_frame(data):
        frame = polars_frame(data, list, where)
        yield from _of_table(((None, row) for row in frame.iter_rows(named=True)), layout, where)
    elif isinstance(data, Mapping) or _are_records(data):
        yield from _of_mapping(data, layout, where, nested)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        forms = layout.text if layout.wide else (layout.needed, *layout.text)
        for row in data:
            one = isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable)
            yield _named((row,) if one else tuple(row), forms, where, None, layout.line)
    else:
        raise InputError(type(data).__name__, "a path, a mapping, a frame or tuples", where)


def is_text(source: Source) -> bool:
    """Whether a file is lines of text, and neither a table with a header nor JSON."""
    format = recognise(source)
    return format.rows is None and format.nested is None and not format.placed


def _of_file(
    source: Source, layout: Layout, separator: str | None, nested: Nested | None
) -> Iterator[Line]:
    format = format_of(source, layout, separator)
    if format.nested is not None:
        yield from _of_mapping(format.nested(source), layout, source.name, nested)
    elif format.rows is not None:
        plain = format is FORMAT["tsv"] and layout.verbatim
        table = _unquoted(source) if plain else format.rows.rows(source, layout.verbatim)
        yield from _of_table(table, layout, source.name, format.rows.headed)
    else:
        yield from of_text(source, layout, separator)


def of_text(source: Source, layout: Layout, separator: str | None = None) -> Iterator[Line]:
    """The lines of a text, whatever it looks like."""
    forms, separator = layout.text, to_separator(separator)
    expected = layout.line or _either(forms, _between(separator))
    for number, text in text_lines(source, comments=not layout.verbatim):
        fields = layout.fields(text, separator)
        line = _named(fields, forms, source.name, number, expected)
        if layout.alike and forms is layout.text:
            forms = (tuple(line.cells),)
            expected = layout.line or _either(forms, _between(separator)) + layout.before
        yield line


def is_plain_file(data: Any) -> bool:
    """Whether this is the path of a file that may be read again."""
    return isinstance(data, str | os.PathLike) and os.path.isfile(data)


def columns_of(data: Any, layout: Layout) -> dict[str, Strings]:
    """The cells of a text file column by column, or Irregular if anything about it is odd.

    Then whoever reads it line by line finds what. Row i is on line i + 1.
    """
    if not is_plain_file(data):
        raise Irregular
    source = Source.of(data)
    format = format_of(source, layout)
    if format.rows is not None or format.nested is not None:
        raise Irregular
    text = source.read()
    width = len(text.partition(b"\n")[0].split())
    names = next((names for names in layout.text if len(names) == width), None)
    commented = not layout.verbatim and data_of(text) != text
    if names is None or commented or source.long_line(text) is not None:
        raise Irregular
    fields = Fields(text, width)
    if len(fields) != text.count(b"\n") + (not text.endswith(b"\n")):  # some lines are blank
        raise Irregular
    return {name: fields.column(i) for i, name in enumerate(names)}


def format_of(source: Source, layout: Layout, separator: str | None = None) -> Format:
    """As for judgments and runs, but that it is the columns of the layout that make a header."""
    first, _, rest = source.start.decode("utf-8", "replace").lstrip().partition("\n")
    for name, between in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if layout.is_header(first.split(between)):
            return FORMAT[name]
    keys = keys_of(first)
    if layout.is_header(keys) or (keys and rest.strip()):  # JSON would end with the first object
        return FORMAT["jsonl"]
    found = recognise(source)
    separated = separator is not None and separator in first  # whatever the name of the file says
    return TREC if separated and found.rows is not None and found.rows.headed else found


def _unquoted(source: Source) -> Iterator[Row]:
    """A table in which a quotation mark is one, as texts have them anywhere."""
    header: Names = ()
    for number, text in text_lines(source, comments=False):
        fields = text.split("\t")
        if not header:
            header = tuple(fields)
            refuse_duplicates(header, source.name, number)
        yield number, dict(_named(fields, (header,), source.name, number).cells)


def _of_table(
    table: Iterable[Row | InputError], layout: Layout, where: str, headed: bool = False
) -> Iterator[Line]:
    known: tuple[Any, ...] | None = None
    columns: dict[str, str] = {}
    for row in table:
        if isinstance(row, InputError):
            raise row
        number, cells = row
        if known is None or (tuple(cells) != known and not layout.fixed):
            if layout.use is not None:
                refuse_foreign(detect_record(cells, where), layout.use, where, number)
            known, columns = tuple(cells), layout.columns(cells)
            if expected := layout.lacking(columns):
                found = f"columns {', '.join(map(str, known))}"
                raise InputError(found, expected, where, number)
        if not headed:
            yield Line(where, number, {ours: cells.get(theirs) for ours, theirs in columns.items()})
        headed = False


def _of_mapping(data: Any, layout: Layout, where: str, nested: Nested | None) -> Iterator[Line]:
    made: Iterable[dict[str, Any]]
    if _are_records(data):
        made = data
    elif nested is None:
        made = _flat(data, layout.needed, where)
    elif isinstance(data, Mapping):
        made = nested(data, where)
    else:
        raise InputError(type(data).__name__, "a JSON object", where)
    yield from _of_table(((None, row) for row in made), layout, where)


def _are_records(data: Any) -> bool:
    """Whether this is a list of rows with names, as pandas' ``to_json(orient="records")``."""
    return isinstance(data, list) and bool(data) and all(isinstance(x, Mapping) for x in data)


def _flat(
    data: Any, names: Names, where: str, whole: Names = (), of: str = ""
) -> Iterator[dict[str, Any]]:
    """The keys of nested mappings, by name, with each of their leaves, or of a list of these."""
    if len(names) == 1:
        several = isinstance(data, list | tuple) and data
        yield from ({names[0]: leaf} for leaf in (data if several else [data]))
        return
    whole = whole or names
    if not isinstance(data, Mapping):
        shape = "{" + ": {".join(whole[:-1]) + f": {whole[-1]}" + "}" * (len(whole) - 1)
        raise InputError(f"{type(data).__name__}{of}", shape, where)
    for key, inner in data.items():
        below = _flat(inner, names[1:], where, whole, f" for {names[0]} {key!r}")
        yield from ({names[0]: key, **rest} for rest in below)


def _between(separator: str | None) -> str:
    return "<TAB>" if separator == "\t" else " "


def _either(forms: Iterable[Names], between: str = " ") -> str:
    return " or ".join(f"{len(names)}: {between.join(names)}" for names in dict.fromkeys(forms))


def _named(
    fields: Sequence[Any],
    forms: Sequence[Names],
    where: str,
    number: int | None,
    expected: str = "",
) -> Line:
    names = next((names for names in forms if len(names) == len(fields)), None)
    if names is None:
        found = f"{counted(len(fields), 'field')} ({short(' '.join(map(str, fields)))})"
        raise InputError(found, expected or _either(forms), where, number)
    return Line(where, number, dict(zip(names, fields, strict=True)))
