"""Lines of named cells, from whatever holds them: text, tables, JSON, frames, mappings, tuples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cranfield.data.columns import spelt
from cranfield.data.formats import Format, recognise
from cranfield.data.mappings import read_json
from cranfield.data.records import HEADED, fields_of, rows, short, text_lines
from cranfield.data.source import Source
from cranfield.data.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted


@dataclass(frozen=True)
class Layout:
    """Which cells a line has, and what their columns are called in tables."""

    text: tuple[str, ...]  # the fields of a line of text
    needed: tuple[str, ...]  # those that tables must have; mappings and tuples have no others
    spellings: Mapping[str, Sequence[str]]

    def columns(self, names: Iterable[str]) -> dict[str, str]:
        """Our name -> the table's own of each column; none if one that is needed is lacking."""
        given = list(names)
        found = {ours: spelt(theirs, given) for ours, theirs in self.spellings.items()}
        known = {ours: theirs for ours, theirs in found.items() if theirs is not None}
        return known if known.keys() >= set(self.needed) else {}


class Line(NamedTuple):
    """The cells of one line, by name."""

    where: str
    number: int | None  # None where there are no lines
    cells: Mapping[str, Any]

    def error(self, found: str, expected: str) -> InputError:
        """What is wrong with this line."""
        return InputError(found, expected, self.where, self.number)


def read_lines(data: Any, layout: Layout, what: str, separator: str | None = None) -> list[Line]:
    """The lines of a path, a nested mapping, a Polars or pandas frame, or tuples: at least one.

    `separator` stands between the fields of text, instead of blanks.
    """
    found = list(_lines(data, layout, what, separator))
    if not found:
        where = Source.of(data).name if isinstance(data, str | os.PathLike) else what
        raise InputError(f"no {what}", " ".join(layout.text), where)
    return found


def _lines(data: Any, layout: Layout, where: str, separator: str | None) -> Iterator[Line]:
    if isinstance(data, str | os.PathLike):
        yield from _of_file(Source.of(data), layout, separator)
    elif is_frame(data):
        frame = polars_frame(data, list, where)
        yield from _of_table(((None, row) for row in frame.iter_rows(named=True)), layout, where)
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, layout, where)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        for row in data:
            fields = row if isinstance(row, tuple | list) else (row,)
            yield _named(fields, (layout.needed, layout.text), where, None)
    else:
        raise InputError(repr(data), f"{where} as a path, a mapping, a frame or tuples")


def is_text(source: Source) -> bool:
    """Whether a file is lines of text, and neither a table with a header nor JSON."""
    return recognise(source) in ("trec", "ntcir", "early")


def _of_file(source: Source, layout: Layout, separator: str | None) -> Iterator[Line]:
    format = _table_format(source, layout)
    if format is not None:
        yield from _of_table(rows(source, format), layout, source.name, format in HEADED)
    elif not is_text(source):
        yield from _of_mapping(read_json(source), layout, source.name)
    else:
        for number, line in text_lines(source):
            yield _named(fields_of(line, separator), (layout.text,), source.name, number)


def _table_format(source: Source, layout: Layout) -> Format | None:
    """The format of a file with named columns, told by its first line; else None."""
    first = source.start.decode("utf-8", "replace").lstrip().partition("\n")[0]
    headers: dict[str, Format] = {",": "csv", "\t": "tsv"}
    for between, format in headers.items():
        if layout.columns(first.split(between)):
            return format
    found = recognise(source)
    return found if found in ("csv", "tsv", "jsonl", "parquet", "arrow") else None


def _of_table(
    table: Iterable[tuple[int | None, dict[str, Any]] | InputError],
    layout: Layout,
    where: str,
    headed: bool = False,
) -> Iterator[Line]:
    for row in table:
        if isinstance(row, InputError):
            raise row
        number, cells = row
        columns = layout.columns(cells)
        if not columns:
            found = f"columns {', '.join(map(str, cells))}"
            raise InputError(found, f"the columns {', '.join(layout.needed)}", where, number)
        if headed:
            headed = False
        else:
            yield Line(where, number, {ours: cells[theirs] for ours, theirs in columns.items()})


def _of_mapping(data: Any, layout: Layout, where: str) -> Iterator[Line]:
    for fields in _flat(data, len(layout.needed), where):
        yield _named(fields, (layout.needed,), where, None)


def _flat(data: Any, depth: int, where: str) -> Iterator[tuple[Any, ...]]:
    """The paths from the keys of nested mappings to their leaves, or to each of a list of these."""
    if depth == 1:
        yield from ((leaf,) for leaf in (data if isinstance(data, list | tuple) else [data]))
        return
    if not isinstance(data, Mapping):
        raise InputError(short(repr(data)), "a mapping", where)
    for key, inner in data.items():
        yield from ((key, *rest) for rest in _flat(inner, depth - 1, where))


def _named(
    fields: Sequence[Any], layouts: Sequence[Sequence[str]], where: str, number: int | None
) -> Line:
    names = next((names for names in layouts if len(names) == len(fields)), None)
    if names is None:
        said = short(" ".join(map(str, fields)))
        found = f"{counted(len(fields), 'field')} ({said})"
        raise InputError(found, f"{len(layouts[0])}: {' '.join(layouts[0])}", where, number)
    return Line(where, number, dict(zip(names, fields, strict=True)))
