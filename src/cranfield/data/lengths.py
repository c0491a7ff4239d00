"""Document lengths: ``doc length`` on each line, or a table with a column for each unit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import FORMAT, TREC, Format, recognise
from cranfield.data.reading.lines import fields_of, finite, not_empty, real, text_lines
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.tables import is_frame, polars_frame
from cranfield.data.reading.trec import number_columns
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.late import load, pl

LengthsLike: TypeAlias = Any  # a path, {doc: length}, {unit: {doc: length}}, a frame, DocLengths

UNITS = {
    "words": ("words", "word_count", "tokens", "num_words"),
    "characters": ("characters", "chars", "character_count", "num_characters"),
    "": ("length", "len", "doc_length", "doclen", "size"),  # the unit is the measure's
}
EXPECTED = "a document and its length, a number from 0"


@dataclass(frozen=True, eq=False)
class DocLengths:
    """How long documents are, in one unit or several; the unit may be unnamed ('')."""

    known: Table  # the documents, in one group
    values: Mapping[str, Floats]  # by unit
    where: str = "lengths"

    def in_units(self, wanted: Sequence[str]) -> DocLengths:
        """The lengths in each wanted unit: those named so, else those without a name."""
        unnamed = [unit for unit in wanted if unit not in self.values]
        if len(unnamed) > 1 or (unnamed and "" not in self.values):
            have = ", ".join(unit or "no named unit" for unit in self.values)
            expected = f"a table with the columns doc, {', '.join(wanted)}"
            raise InputError(f"lengths in {have}", expected, self.where)
        values = {unit: self.values.get(unit, self.values.get("")) for unit in wanted}
        return replace(self, values={u: v for u, v in values.items() if v is not None})

    def rows(self, lines: Table) -> Ints:
        """The row of the document of each line, -1 where its length is not known."""
        return self.known.find(lines.docs, lines.hashes, np.zeros_like(lines.group))


def read_lengths(data: LengthsLike) -> DocLengths:
    """Document lengths from a path, a mapping or a frame.

    >>> read_lengths({"d1": 120, "d2": 80}).values
    {'': array([120.,  80.])}
    """
    if isinstance(data, DocLengths):
        return data
    if isinstance(data, Mapping):
        return _from_mapping(data, "lengths")
    if is_frame(data):
        return _from_frame(polars_frame(data, list, "lengths"), "lengths")
    if isinstance(data, str | os.PathLike):
        return _from_file(Source.of(data))
    raise InputError(repr(data), "lengths as a path, a dict or a frame")


def _checked(docs: Strings, values: dict[str, Floats], where: str) -> DocLengths:
    not_empty(docs, "lengths", where)
    known = Table.of(docs, np.zeros(len(docs)))
    if twice := known.repeats():
        raise InputError(f"document {twice[1]} twice", "each document once", where)
    return DocLengths(known, values, where)


def _from_mapping(data: Mapping[Any, Any], where: str) -> DocLengths:
    units = dict(data) if all(isinstance(v, Mapping) for v in data.values()) else {"": data}
    first: Mapping[Any, Any] = next(iter(units.values()), {})
    values = {}
    for unit, lengths in units.items():
        if unit not in UNITS or lengths.keys() != first.keys():
            expected = "{doc: length}, or the same documents under 'words' and 'characters'"
            raise InputError(f"lengths under {unit!r}", expected, where)
        for doc, length in lengths.items():
            number = real(length)
            if not isinstance(doc, str) or number is None or number < 0:
                raise InputError(f"{doc!r}: {length!r}", EXPECTED, where)
        values[unit] = np.array(list(lengths.values()), dtype=np.float64)
    return _checked(Strings.of(list(first)), values, where)


def _from_file(source: Source) -> DocLengths:
    format = _format(source)
    if format.nested is not None:
        found = format.nested(source)
        if not isinstance(found, dict):
            raise InputError("JSON that is not an object", "{doc: length}", source.name)
        return _from_mapping(found, source.name)
    if format.rows is None:
        return _from_text(source)
    load("polars", "tables of lengths need Polars")
    try:
        frame = format.rows.frame(source, None)
    except (pl.exceptions.PolarsError, Irregular) as error:
        reason = str(error).partition("\n")[0] or "a quotation mark or a carriage return amiss"
        broken = f"a broken {format.name} file ({reason})"
        raise InputError(broken, EXPECTED, source.name) from None
    return _from_frame(frame, source.name, header=format.rows.headed)


def _format(source: Source) -> Format:
    """As for runs, but that a header need not name topics."""
    for line in source.start.decode("utf-8", "replace").splitlines()[:1]:
        for name, separator in (("csv", ","), ("tsv", "\t")):
            if spelt(SPELLINGS["doc"], line.split(separator)):
                return FORMAT[name]
    found = recognise(source)
    return TREC if found.rows is not None and found.rows.headed else found


def _from_text(source: Source) -> DocLengths:
    try:
        (docs,), lengths = number_columns(source.read(), 2)
        if (lengths < 0).any():
            raise Irregular
    except Irregular:
        raise _first_error(source) from None
    return _checked(docs, {"": lengths}, source.name)


def _first_error(source: Source) -> InputError:
    for number, line in text_lines(source):
        parts = fields_of(line, None)
        length = finite(parts[1]) if len(parts) == 2 else None
        if length is None or length < 0:
            return InputError(repr(line.strip()), EXPECTED, source.name, number)
    return InputError("lines that are not text", EXPECTED, source.name)


def _from_frame(frame: pl.DataFrame, where: str, header: bool = False) -> DocLengths:
    doc = spelt(SPELLINGS["doc"], frame.columns)
    found_units = {unit: spelt(names, frame.columns) for unit, names in UNITS.items()}
    units = {unit: name for unit, name in found_units.items() if name is not None}
    if doc is None or not units:
        found = f"columns {', '.join(frame.columns)}"
        raise InputError(found, "doc, and length, words or characters", where)
    for column in (doc, *units.values()):
        if frame[column].dtype.is_nested():
            found = f"{column} of type {frame[column].dtype}"
            raise InputError(found, EXPECTED, where)
    values = {}
    for unit, column in units.items():
        numbers = frame[column].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
        wrong = numbers.is_null() | ~numbers.is_finite() | (numbers < 0)
        for row in wrong.fill_null(True).arg_true().to_list()[:1]:
            line = row + 2 if header else None
            raise InputError(f"{column} {frame[column][row]!r}", EXPECTED, where, line)
        values[unit] = numbers.to_numpy().astype(np.float64)
    names = frame[doc].cast(pl.String).to_list()
    if None in names:
        line = names.index(None) + 2 if header else None
        raise InputError("no document", EXPECTED, where, line)
    return _checked(Strings.of(names), values, where)
