"""Text files line by line: slower than the readers, and sure of the line of every problem.

The readers take the fast road and, when something is wrong, ask here where it is. `validate`
asks here for everything.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from cranfield.data.columns import TREC, VALUE, Kind, name_columns
from cranfield.data.formats import Format
from cranfield.data.source import Source
from cranfield.errors import CranfieldError, InputError


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file; an error keeps it from being used, a warning does not."""

    severity: Literal["error", "warning"]
    where: str
    line: int | None
    text: str
    found: str = ""
    expected: str = ""

    @classmethod
    def error(cls, found: str, expected: str, where: str, line: int | None) -> Problem:
        """What was found where something else was expected."""
        text = f"found {found}, expected {expected}"
        return cls("error", where, line, text, found, expected)

    def as_error(self) -> InputError:
        """The same, to be raised."""
        return InputError(self.found, self.expected, self.where, self.line)


class Record(NamedTuple):
    """One line of judgments or results."""

    line: int
    topic: str
    doc: str
    value: float | None  # None in lists without scores
    rank: float | None
    tag: str | None


def records(source: Source, format: Format, kind: Kind) -> Iterator[Record | InputError]:
    """Every line as a record, or as the error that it is."""
    if format == "trec":
        yield from _trec_records(source, kind)
    elif format in ("csv", "tsv"):
        yield from _table_records(source, "," if format == "csv" else "\t", kind)
    elif format == "jsonl":
        yield from _json_records(source, kind)
    else:
        raise ValueError(f"{format} is not read line by line")


def _lines(source: Source) -> Iterator[tuple[int, str | InputError]]:
    with source.reading() as stream:
        for number, raw in enumerate(stream, 1):
            try:
                yield number, raw.decode()
            except UnicodeDecodeError as error:
                found = f"bytes that are not UTF-8 ({raw[error.start : error.start + 4]!r})"
                yield number, InputError(found, "UTF-8 text", source.name, number)


def _trec_records(source: Source, kind: Kind) -> Iterator[Record | InputError]:
    names = TREC[kind]
    for number, line in _lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        fields = _fields(line)
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != len(names):
            yield InputError(
                f"{len(fields)} fields ({_short(line.strip())})",
                f"{len(names)}: {' '.join(names)}",
                source.name,
                number,
            )
        else:
            yield _record(dict(zip(names, fields, strict=True)), kind, source.name, number)


def _table_records(source: Source, separator: str, kind: Kind) -> Iterator[Record | InputError]:
    import csv

    text = source.read().decode("utf-8", "replace")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    named: dict[str, str] = {}
    try:
        for row in rows:
            if not row:
                continue
            if not header:
                header, named = row, name_columns(row, kind, f"{source.name}:{rows.line_num}")
            elif len(row) != len(header):
                yield InputError(
                    f"{len(row)} fields ({_short(separator.join(row))})",
                    f"{len(header)}: {' '.join(header)}",
                    source.name,
                    rows.line_num,
                )
            else:
                cells = dict(zip(header, row, strict=True))
                ours = {name: cells[column] for name, column in named.items()}
                yield _record(ours, kind, source.name, rows.line_num)
    except csv.Error as error:
        yield InputError(str(error), "a well-formed table", source.name, rows.line_num)


def _json_records(source: Source, kind: Kind) -> Iterator[Record | InputError]:
    import json

    for number, line in _lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError
            named = name_columns(list(row), kind, f"{source.name}:{number}")
        except ValueError:
            yield InputError(_short(line.strip()), "a JSON object", source.name, number)
        except InputError as error:
            yield error
        else:
            ours = {name: row[column] for name, column in named.items()}
            yield _record(ours, kind, source.name, number)


def _record(cells: dict[str, Any], kind: Kind, where: str, line: int) -> Record | InputError:
    ids: list[str] = []
    for name in ("topic", "doc"):
        cell = cells[name]
        if isinstance(cell, bool) or not isinstance(cell, str | int) or cell == "":
            return InputError(f"{name} {cell!r}", "an identifier", where, line)
        ids.append(str(cell))
    value = cells.get(VALUE[kind])
    number = finite(value)
    if number is None and not (kind == "run" and value is None):
        return InputError(f"{VALUE[kind]} {value!r}", "a finite number", where, line)
    tag = cells.get("tag")
    topic, doc = ids
    rank = finite(cells.get("rank"))
    return Record(line, topic, doc, number, rank, None if tag is None else str(tag))


def finite(value: Any) -> float | None:
    """The finite number a text or a value stands for, or None."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def real(value: Any) -> float | None:
    """The finite number a value is; a text is none, whatever it says."""
    return None if isinstance(value, str | bytes) else finite(value)


def _fields(line: str) -> list[str]:
    """The fields of a line: separated by ASCII blanks only, as trec_eval does."""
    return [f.decode() for f in line.encode().split()]


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


# -- what can be wrong with a whole file ------------------------------------------------------


def errors(source: Source, format: Format, kind: Kind) -> Iterator[Problem | Record]:
    """Every record of a file, and every error in its place; identical judgments are warnings."""
    seen: dict[tuple[str, str], tuple[int, float | None]] = {}
    empty = True
    for record in records(source, format, kind):
        empty = False
        if isinstance(record, InputError):
            yield Problem.error(record.found, record.expected, source.name, record.line)
            continue
        first = seen.setdefault((record.topic, record.doc), (record.line, record.value))
        if first[0] != record.line:
            yield _duplicate(record, first, source.name, kind)
        elif kind == "qrels" and record.topic == "all":
            expected = "another name: 'all' is the summary's"
            yield Problem.error("a topic named 'all'", expected, source.name, record.line)
        yield record
    if empty:
        expected = "judgments" if kind == "qrels" else "results"
        yield Problem.error("an empty file", expected, source.name, None)


def _duplicate(record: Record, first: tuple[int, float | None], where: str, kind: Kind) -> Problem:
    line, value = first
    what = f"document {record.doc} of topic {record.topic}"
    if kind == "run":
        found = f"{what} again (first on line {line})"
        return Problem.error(found, "each document once", where, record.line)
    if value == record.value:
        return Problem("warning", where, record.line, f"{what} is judged again, as on line {line}")
    found, expected = f"level {record.value:g} for {what}", f"{value:g} as on line {line}"
    return Problem.error(found, expected, where, record.line)


def first_error(source: Source, format: Format, kind: Kind) -> CranfieldError:
    """The error to refuse a file with."""
    for problem in errors(source, format, kind):
        if isinstance(problem, Problem) and problem.severity == "error":
            return problem.as_error()
    return CranfieldError(f"cannot read {source.name} as {format} {kind}")
