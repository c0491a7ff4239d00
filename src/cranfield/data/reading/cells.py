"""Lines of named cells, from whatever holds them: text, tables, JSON, frames, mappings, tuples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.columns import spelt
from cranfield.data.reading.formats import Format, recognise
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import (
    HEADED,
    Row,
    fields_of,
    identifier,
    rows,
    short,
    text_lines,
)
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted

Names: TypeAlias = tuple[str, ...]
Nested: TypeAlias = Callable[[Mapping[Any, Any], str], Iterable[dict[str, Any]]]


@dataclass(frozen=True)
class Layout:
    """Which cells a line has, and what their columns are called in tables."""

    text: tuple[Names, ...]  # the fields of a line of text, in each form it may have
    needed: Names  # the columns of every table
    spellings: Mapping[str, Sequence[str]]  # in order: each takes one that is not taken yet
    told: int = 2  # a header by so many of those that are needed
    fields: Callable[[str, str | None], list[str]] = fields_of  # of a line, between separators
    alike: bool = False  # whether all lines of text have the form of the first
    verbatim: bool = False  # whether # begins no comment, and " is part of a cell of TSV
    wide: bool = False  # whether tables may have other columns, beside those that are needed

    def columns(self, names: Iterable[Any]) -> dict[str, str]:
        """Our name -> the table's own of each column."""
        given = list(names)
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
        return self.columns(names).keys() >= set(self.needed[: self.told])


class Line(NamedTuple):
    """The cells of one line, by name."""

    where: str
    number: int | None  # None where there are no lines
    cells: Mapping[str, Any]

    def error(self, found: str, expected: str, hint: str = "") -> InputError:
        """What is wrong with this line."""
        return InputError(found, expected, self.where, self.number, hint)

    def name(self, column: str) -> str:
        """The identifier in a cell."""
        found = identifier(self.cells[column])
        if found is None or not found.strip():
            raise self.error(f"{column} {self.cells[column]!r}", "an identifier")
        return found


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
    """The same, where there may be none."""
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
            one = isinstance(row, str | bytes) or not isinstance(row, Iterable)
            yield _named((row,) if one else tuple(row), forms, where, None)
    else:
        raise InputError(type(data).__name__, "a path, a mapping, a frame or tuples", where)


def is_text(source: Source) -> bool:
    """Whether a file is lines of text, and neither a table with a header nor JSON."""
    return recognise(source) in ("trec", "ntcir", "early")


def _of_file(
    source: Source, layout: Layout, separator: str | None, nested: Nested | None
) -> Iterator[Line]:
    format = _format(source, layout, separator)
    if format == "json":
        yield from _of_mapping(read_json(source), layout, source.name, nested)
    elif format in ("csv", "tsv", "jsonl", "parquet", "arrow"):
        plain = format == "tsv" and layout.verbatim
        table = _unquoted(source) if plain else rows(source, format, layout.verbatim)
        yield from _of_table(table, layout, source.name, format in HEADED)
    else:
        forms = layout.text
        for number, text in text_lines(source, comments=not layout.verbatim):
            fields = layout.fields(text, separator)
            line = _named(fields, forms, source.name, number, _between(separator))
            forms = (tuple(line.cells),) if layout.alike else forms
            yield line


def _format(source: Source, layout: Layout, separator: str | None) -> Format:
    """As for judgments and runs, but that it is the columns of the layout that make a header."""
    first, _, rest = source.start.decode("utf-8", "replace").lstrip().partition("\n")
    if layout.is_header(first.split("\t")):
        return "tsv"
    if layout.is_header(first.split(",")):
        return "csv"
    keys = _keys(first)
    if layout.is_header(keys) or (keys and rest.strip()):  # JSON would end with the first object
        return "jsonl"
    found = recognise(source)
    separated = separator is not None and separator in first  # whatever the name of the file says
    return "trec" if separated and found in HEADED else found


def _keys(line: str) -> list[str]:
    import json

    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []


def _unquoted(source: Source) -> Iterator[Row]:
    """A table in which a quotation mark is one, as texts have them anywhere."""
    header: Names = ()
    for number, text in text_lines(source, comments=False):
        fields = text.split("\t")
        header = header or tuple(fields)
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
        if tuple(cells) != known:
            known, columns = tuple(cells), layout.columns(cells)
            for name in layout.needed:
                if name not in columns:
                    found = f"columns {', '.join(map(str, known))}"
                    such = ", ".join(layout.spellings[name][1:4])
                    raise InputError(found, f"a column named {name} (or {such})", where, number)
        if not headed:
            yield Line(where, number, {ours: cells[theirs] for ours, theirs in columns.items()})
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


def _named(
    fields: Sequence[Any],
    forms: Sequence[Names],
    where: str,
    number: int | None,
    between: str = " ",
) -> Line:
    names = next((names for names in forms if len(names) == len(fields)), None)
    if names is None:
        found = f"{counted(len(fields), 'field')} ({short(' '.join(map(str, fields)))})"
        every = dict.fromkeys(forms)
        expected = " or ".join(f"{len(names)}: {between.join(names)}" for names in every)
        raise InputError(found, expected, where, number)
    return Line(where, number, dict(zip(names, fields, strict=True)))
