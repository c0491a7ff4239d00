"""Lengths of documents: ``doc length`` lines, or a table with a column per unit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading import excel
from cranfield.data.reading.cells import Layout
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.formats import FORMAT, JSON, TREC, Format, guess_format
from cranfield.data.reading.lines import (
    check_not_empty,
    iter_text_lines,
    parse_finite,
    split_fields,
    to_number,
)
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.source import Source, split_lines
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import is_frame, to_polars
from cranfield.data.reading.trec import read_number_columns
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.lazy_imports import load, pl

LengthsLike: TypeAlias = Any  # a path, {doc: length}, {unit: {doc: length}}, a frame, DocLengths

UNITS = {
    "words": ("words", "word_count", "tokens", "num_words"),
    "characters": ("characters", "chars", "character_count", "num_characters"),
    "": ("length", "len", "doc_length", "doclen", "size"),  # the unit of the measure
}
LAYOUT = Layout(
    (("doc", "length"),),
    ("doc",),
    {"doc": SPELLINGS["doc"]} | {unit or "length": names for unit, names in UNITS.items()},
    header=("doc",),
    table="lengths",
)
EXPECTED = "a document and its length, a number ≥ 0"


@dataclass(frozen=True, eq=False)
class DocLengths:
    """Lengths of documents in one or several units. The unit may be unnamed ('')."""

    table: Table  # the documents, in one group
    values: Mapping[str, Floats]  # by unit
    where: str = "lengths"

    def select_units(self, units: Sequence[str]) -> DocLengths:
        """Return the lengths in each unit. Lengths without a unit count for one unit."""
        unnamed = [unit for unit in units if unit not in self.values]
        if len(unnamed) > 1 or (unnamed and "" not in self.values):
            have = ", ".join(unit or "no named unit" for unit in self.values)
            expected = f"a table with the columns doc, {', '.join(units)}"
            raise InputError(f"lengths in {have}", expected, self.where)
        values = {unit: self.values.get(unit, self.values.get("")) for unit in units}
        return replace(self, values={u: v for u, v in values.items() if v is not None})

    def rows(self, lines: Table) -> Ints:
        """Return the row of the document of each line, -1 if its length is unknown."""
        return self.table.find(lines.docs, lines.hashes, np.zeros_like(lines.group))


def read_lengths(data: LengthsLike) -> DocLengths:
    """Read document lengths from a path, a mapping or a frame.

    >>> read_lengths({"d1": 120, "d2": 80}).values
    {'': array([120.,  80.])}
    """
    if isinstance(data, DocLengths):
        return data
    if isinstance(data, Mapping):
        return _read_mapping(data, "lengths")
    if is_frame(data):
        return _read_frame(to_polars(data, list, "lengths"), "lengths")
    if isinstance(data, str | os.PathLike):
        return _read_file(Source.from_path(data))
    raise InputError(repr(data), "lengths as a path, a dict or a frame")


def _build_lengths(docs: Strings, values: dict[str, Floats], location: str) -> DocLengths:
    check_not_empty(docs, "lengths", location)
    table = Table.from_columns(docs, np.zeros(len(docs)))
    if twice := table.find_duplicate():
        raise InputError.from_problem(f"duplicate document {twice[1]!r}", where=location)
    return DocLengths(table, values, location)


def _read_mapping(data: Mapping[Any, Any], location: str) -> DocLengths:
    units = dict(data) if all(isinstance(v, Mapping) for v in data.values()) else {"": data}
    first: Mapping[Any, Any] = next(iter(units.values()), {})
    values = {}
    for unit, lengths in units.items():
        if unit not in UNITS or lengths.keys() != first.keys():
            expected = "{doc: length}, or the same documents under 'words' and 'characters'"
            raise InputError(f"lengths under {unit!r}", expected, location)
        for doc, length in lengths.items():
            number = to_number(length)
            if not isinstance(doc, str) or number is None or number < 0:
                raise InputError(f"{doc!r}: {length!r}", EXPECTED, location)
        values[unit] = np.array(list(lengths.values()), dtype=np.float64)
    return _build_lengths(Strings.from_list(list(first)), values, location)


def _read_file(source: Source) -> DocLengths:
    format = _detect_format(source)
    if format is JSON:
        data = read_json(source)
        if not isinstance(data, dict):
            raise InputError("JSON that is not an object", "{doc: length}", source.name)
        return _read_mapping(data, source.name)
    if format.tabular is None:
        return _read_text(source)
    load("polars", "tables of lengths need Polars")
    try:
        frame = _read_excel(source) if format.name == "xlsx" else format.tabular.read_frame(source, None)
    except (pl.exceptions.PolarsError, Irregular) as error:
        reason = str(error).partition("\n")[0] or "unbalanced quotation mark or carriage return"
        broken = f"corrupt {format.name} file ({reason})"
        raise InputError(broken, EXPECTED, source.name) from None
    return _read_frame(frame, source.name, header=format.tabular.headed)


def _read_excel(source: Source) -> pl.DataFrame:
    """Return the cells of an Excel file as texts."""
    rows = [cells for _, cells in excel.read_rows(source)]
    return pl.DataFrame([{x: None if cell is None else str(cell) for x, cell in cells.items()} for cells in rows])


def _detect_format(source: Source) -> Format:
    """Detect the format as for runs, but a header needs no topic column."""
    layout = LAYOUT.with_choices()
    for line in split_lines(source.start)[:1]:
        for name, separator in (("csv", ","), ("tsv", "\t")):
            if layout.is_header(line.decode("utf-8", "replace").split(separator)):
                return FORMAT[name]
    format = guess_format(source)
    return TREC if format.tabular is not None and format.tabular.headed else format


def _read_text(source: Source) -> DocLengths:
    try:
        (docs,), lengths = read_number_columns(source.read(), 2)
        if (lengths < 0).any():
            raise Irregular
    except Irregular:
        raise _find_first_error(source) from None
    return _build_lengths(docs, {"": lengths}, source.name)


def _find_first_error(source: Source) -> InputError:
    for number, line in iter_text_lines(source):
        parts = split_fields(line, None)
        length = parse_finite(parts[1]) if len(parts) == 2 else None
        if length is None or length < 0:
            return InputError(repr(line.strip()), EXPECTED, source.name, number)
    return InputError("lines that are not text", EXPECTED, source.name)


def _read_frame(frame: pl.DataFrame, location: str, header: bool = False) -> DocLengths:
    layout = LAYOUT.with_choices()
    columns = layout.resolve_columns(frame.columns)
    doc = columns.get("doc")
    units = {unit: columns[unit or "length"] for unit in UNITS if (unit or "length") in columns}
    if doc is None or not units:
        problem = f"columns {', '.join(frame.columns)}"
        raise InputError(problem, "doc, and length, words or characters", location)
    layout.check_columns(frame.columns, columns, location)
    for column in (doc, *units.values()):
        if frame[column].dtype.is_nested():
            problem = f"{column} of type {frame[column].dtype}"
            raise InputError(problem, EXPECTED, location)
    values = {}
    for unit, column in units.items():
        numbers = frame[column].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
        wrong = numbers.is_null() | ~numbers.is_finite() | (numbers < 0)
        for row in wrong.fill_null(True).arg_true().to_list()[:1]:
            line = row + 2 if header else None
            raise InputError(f"{column} {frame[column][row]!r}", EXPECTED, location, line)
        values[unit] = numbers.to_numpy().astype(np.float64)
    names = frame[doc].cast(pl.String).to_list()
    if None in names:
        line = names.index(None) + 2 if header else None
        raise InputError("no document", EXPECTED, location, line)
    return _build_lengths(Strings.from_list(names), values, location)
