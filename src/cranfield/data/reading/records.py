"""Files one record at a time: slower than the readers, and sure of the place of every problem.

The readers take the fast road and, when something is wrong, ask here where it is. `validate`
asks here for everything.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from cranfield.data.reading.columns import EARLY, NTCIR, TREC, VALUE, Kind, name_columns
from cranfield.data.reading.formats import GRADES, Format
from cranfield.data.reading.labels import level_of, one_of
from cranfield.data.reading.source import Source
from cranfield.errors import CranfieldError, InputError, RepetitionError
from cranfield.wording import counted


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file; an error keeps it from being used, a warning does not."""

    severity: Literal["error", "warning"]
    where: str
    line: int | None
    text: str
    cause: InputError | None = None

    @classmethod
    def error(cls, cause: InputError, where: str) -> Problem:
        """An error, as its sentence without the place."""
        text = f"found {cause.found}, expected {cause.expected}"
        text += f" ({cause.hint})" if cause.hint else ""
        return cls("error", where, cause.line, text, cause)


class Record(NamedTuple):
    """One judgment or result."""

    line: int | None  # None in formats without lines
    topic: str
    doc: str
    value: float | None  # None in lists without scores
    rank: float | None
    tag: str | None
    group: str | None = None  # the class that NTCIR's judgments may name
    type: str | None = None  # of a result, or the intent: the second column of TREC text


Found: TypeAlias = Record | InputError


@dataclass(frozen=True)
class Text:
    """How a file is written, where it does not say so itself."""

    separator: str | None = None  # between the fields of a line; None: blanks
    labels: Mapping[str, float] | None = None  # what assessors wrote, and the level it means
    further: bool = False  # whether lines of a TREC run may go on after the tag
    intents: bool = False  # whether judgments are for intents


PLAIN = Text()
NUMBER = "a finite number"


def records(source: Source, format: Format, kind: Kind, text: Text = PLAIN) -> Iterator[Found]:
    """Everything a file holds, each as a record or as the error that it is."""
    try:
        match format:
            case "trec" | "ntcir" | "early":
                yield from _text_records(source, format, kind, text)
            case "json":
                yield from _json_records(source, kind, text)
            case _:
                yield from _table_records(source, format, kind, text)
    except InputError as error:
        yield error


def lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str | InputError]]:
    """Lines that hold something, with their numbers; those that begin with # do not."""
    with source.reading() as stream:
        for number, raw in enumerate(stream, 1):
            if not raw.strip() or (comments and raw.lstrip().startswith(b"#")):
                continue
            try:
                yield number, raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield number, _not_text(raw[error.start : error.start + 4], source, number)


def text_lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str]]:
    """The same, where one that cannot be read is the end of it."""
    for number, line in lines(source, comments):
        if isinstance(line, InputError):
            raise line
        yield number, line


def _not_text(raw: bytes, source: Source, line: int | None) -> InputError:
    found = f"bytes that are not UTF-8 ({raw!r})"
    return InputError(found, "UTF-8 text", source.name, line)


def fields_of(line: str, separator: str | None) -> list[str]:
    """The fields of a line of text: between ASCII blanks, or between separators."""
    if separator is not None:
        return [field.strip() for field in line.split(separator)]
    return [field.decode() for field in line.encode().split()]


def _text_records(source: Source, format: Format, kind: Kind, text: Text) -> Iterator[Found]:
    if format != "trec" and kind == "run":
        yield InputError("NTCIR judgments", f"a run: {' '.join(TREC['run'])}", source.name)
        return
    layouts = {"ntcir": NTCIR, "early": (EARLY,)}.get(format, (TREC[kind],))
    if format == "early" and text.labels is None:
        text = replace(text, labels=GRADES)
    for number, line in lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        fields = fields_of(line, text.separator)
        if text.further and kind == "run":
            fields = fields[: len(TREC["run"])]
        names = next((names for names in layouts if len(names) == len(fields)), None)
        if names is None:
            expected = " or ".join(f"{len(names)}: {' '.join(names)}" for names in layouts)
            if text.intents:
                expected = expected.replace("iteration", "intent")
            if kind == "qrels" and len(fields) == len(TREC["run"]):
                expected += " (this looks like a run: judgments come first)"
            hint = "" if text.intents else meant(line, fields, kind, format)
            said = f"{counted(len(fields), 'field')} ({short(line.strip())})"
            yield InputError(said, expected, source.name, number, hint)
        else:
            cells = dict(zip(names, fields, strict=True))
            number_as = "L0, L1, L2, …" if format == "ntcir" else NUMBER
            yield _record(cells, kind, source.name, number, text=text, number_as=number_as)


def meant(line: str, fields: list[str], kind: Kind, format: Format) -> str:
    """What the user may have meant by a line with the wrong number of fields."""
    numbers = [finite(field) is not None for field in fields]
    if kind == "qrels" and numbers == [True]:
        return "these look like predictions: judgments come first"
    if kind == "run" and numbers[1:] == [True, True]:  # a query, a place in it, a score
        return "RankLib's scores? then cut -f 3"
    for separator in ";|,\t":
        if format != "letor" and len(fields) < 3 and line.count(separator) >= 2:
            return f"or are fields separated by {separator!r}? then say so: --sep"
    judgments = kind == "qrels" and format == "trec" and len(fields) != len(TREC["run"])
    return "or topic doc L2" if judgments else ""


Row: TypeAlias = tuple[int | None, dict[str, Any]]
HEADED = ("csv", "tsv")


def rows(source: Source, format: Format, verbatim: bool = False) -> Iterator[Row | InputError]:
    """The rows of a table with named columns, each with its line if it has one.

    The first row of a `HEADED` format is the header itself. Blanks around its cells are no part of
    them, unless they are taken `verbatim`.
    """
    match format:
        case "csv" | "tsv":
            return _separated(source, "," if format == "csv" else "\t", verbatim)
        case "jsonl":
            return _json_lines(source)
        case _:
            from cranfield.data.reading.tables import read_binary

            table = read_binary(source, format)
            return ((None, row) for row in table.iter_rows(named=True))


def _table_records(source: Source, format: Format, kind: Kind, text: Text) -> Iterator[Found]:
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows(source, format):
        if isinstance(row, InputError):
            yield row
            continue
        line, cells = row
        columns = tuple(cells)
        if columns not in known:
            try:
                typed = kind == "run" or text.intents
                known[columns] = name_columns(list(cells), kind, source.name, line, typed)
            except InputError as error:
                yield error
                if format == "jsonl":  # where every line names its own
                    continue
                return
            if format in HEADED:
                continue
        ours = {name: cells[column] for name, column in known[columns].items()}
        binary = line is None and VALUE[kind] in ours
        yield _record(ours, kind, source.name, line, scored=binary, text=text)


def _separated(source: Source, separator: str, verbatim: bool) -> Iterator[Row | InputError]:
    import csv

    text = source.read()
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        yield _not_text(text[error.start : error.start + 4], source, line)
        return
    table = csv.reader(io.StringIO(decoded, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    try:
        for row in table:
            if not any(cell.strip() for cell in row):
                continue
            cells = [cell if verbatim and header else cell.strip() for cell in row]
            if not header:
                header = cells
                yield table.line_num, dict(zip(header, header, strict=True))
            elif len(cells) != len(header):
                yield InputError(
                    f"{counted(len(cells), 'field')} ({short(separator.join(cells))})",
                    f"{len(header)}: {' '.join(header)}",
                    source.name,
                    table.line_num,
                )
            else:
                yield table.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        yield InputError(str(error), "a well-formed table", source.name, table.line_num)


def _json_lines(source: Source) -> Iterator[Row | InputError]:
    import json

    for number, line in lines(source):
        if isinstance(line, InputError):
            yield line
            continue
        try:
            row = json.loads(line, object_pairs_hook=_without_repetition)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield number, row
        else:
            yield InputError(short(line.strip()), "a JSON object", source.name, number)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key twice")
    return made


def _json_records(source: Source, kind: Kind, text: Text) -> Iterator[Found]:
    from cranfield.data.reading.mappings import read_json

    data = read_json(source)
    if not isinstance(data, Mapping):
        yield InputError(short(repr(data)), "a JSON object", source.name)
        return
    for topic, docs in data.items():
        if text.intents and isinstance(docs, Mapping):
            yield from _json_intents(source, topic, docs, text)
        elif isinstance(docs, Mapping):
            for doc, value in docs.items():
                cells = {"topic": topic, "doc": doc, VALUE[kind]: value}
                yield _record(cells, kind, source.name, None, scored=True, text=text)
        elif isinstance(docs, list) and kind == "run":
            for doc in docs:
                yield _record({"topic": topic, "doc": doc}, kind, source.name, None)
        else:
            found = f"{type(docs).__name__} for topic {topic!r}"
            yield InputError(found, f"{{doc: {VALUE[kind]}}}", source.name)


def _json_intents(
    source: Source, topic: str, intents: Mapping[str, Any], text: Text
) -> Iterator[Found]:
    for intent, docs in intents.items():
        if not isinstance(docs, Mapping):
            found = f"{type(docs).__name__} for {intent!r} of topic {topic!r}"
            yield InputError(found, "{topic: {intent: {doc: level}}}", source.name)
            continue
        for doc, value in docs.items():
            cells = {"topic": topic, "intent": intent, "doc": doc, "level": value}
            yield _record(cells, "qrels", source.name, None, scored=True, text=text)


def _record(
    cells: dict[str, Any],
    kind: Kind,
    where: str,
    line: int | None,
    scored: bool = False,
    text: Text = PLAIN,
    number_as: str = NUMBER,
) -> Found:
    ids: list[str] = []
    for name in ("topic", "doc"):
        found_id = identifier(cells[name])
        if found_id is None:
            return InputError(f"{name} {cells[name]!r}", "an identifier", where, line)
        ids.append(found_id)
    topic, doc = ids
    value = cells.get(VALUE[kind])
    number = finite(value) if line is not None else real(value)
    if kind == "qrels" and (isinstance(value, str) or text.labels):
        number = level_of(str(value), text.labels, number)
    if number is None and not (kind == "run" and value is None and not scored):
        found = f"{VALUE[kind]} {short(repr(value), quote=False)}"
        found += "" if line is not None else f" for document {doc} of topic {topic}"
        expected = one_of(str(value), text.labels) if text.labels else number_as
        letters = kind == "qrels" and isinstance(value, str) and value.isalpha()
        told = letters and not text.labels
        hint = f"--labels {value}=1,… says what letters mean" if told else ""
        return InputError(found, expected, where, line, hint)
    tag = cells.get("tag")
    rank = finite(cells.get("rank"))
    tag = None if tag is None else str(tag)
    second = ("intent", "iteration") if kind == "qrels" else ("type", "q0")
    kept = next((identifier(cells[name]) for name in second if name in cells), None)
    if text.intents and kept is None:
        found = f"no intent for document {doc} of topic {topic}"
        return InputError(found, "topic intent doc level", where, line)
    return Record(line, topic, doc, number, rank, tag, cells.get("class") or None, kept)


def identifier(cell: Any) -> str | None:
    """The name a cell holds, or None; whole numbers are names as well."""
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        return None
    try:
        return str(cell) if str(cell).encode() else None
    except UnicodeEncodeError:  # JSON may hold half a character
        return None


def finite(value: Any) -> float | None:
    """The finite number a text or a value stands for, or None."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def real(value: Any) -> float | None:
    """The finite number a value is; a text is none, whatever it says."""
    return None if isinstance(value, str | bytes) else finite(value)


def short(text: str, quote: bool = True) -> str:
    """A text as an error shows it."""
    shown = text if len(text) <= 60 else text[:57] + "…"
    return repr(shown) if quote else shown


# -- what can be wrong with a whole file ------------------------------------------------------


def errors(
    source: Source, format: Format, kind: Kind, text: Text = PLAIN
) -> Iterator[Problem | Record]:
    """Every record of a file, and every error in its place; identical judgments are warnings."""
    seen: dict[tuple[str, ...], Record] = {}
    empty = True
    for record in records(source, format, kind, text):
        empty = False
        if isinstance(record, InputError):
            yield Problem.error(record, source.name)
            continue
        which = (record.type or "",) if text.intents else ()
        first = seen.setdefault((record.topic, record.doc, *which), record)
        if first is not record:
            yield _duplicate(record, first, source.name, kind, text.intents)
        elif kind == "qrels" and record.topic == "all":
            expected = "another name: 'all' is the summary's"
            error = InputError("a topic named 'all'", expected, source.name, record.line)
            yield Problem.error(error, source.name)
        yield record
    if empty:
        what = "judgments" if kind == "qrels" else "results"
        if format in ("trec", "ntcir", "early", "csv", "tsv", "jsonl"):
            nothing = InputError("an empty file", what, source.name)
        else:
            nothing = InputError(f"no {what}", "at least one", source.name)
        yield Problem.error(nothing, source.name)


def _duplicate(record: Record, first: Record, where: str, kind: Kind, by_intent: bool) -> Problem:
    what = f"document {record.doc} of topic {record.topic}"
    what += f", intent {record.type}" if by_intent else ""
    before = "" if first.line is None else f" as on line {first.line}"
    if kind == "run":
        again = "" if first.line is None else f" (first on line {first.line})"
        found, expected = f"{what} again{again}", "each document once"
        error = RepetitionError(record.doc, found, expected, where, record.line)
        return Problem.error(error, where)
    if first.value == record.value:
        return Problem(
            "warning", where, record.line, f"{what} is judged again,{before or ' alike'}"
        )
    found, expected = f"level {record.value:g} for {what}", f"{first.value:g}{before}"
    hint = "or are these for intents? `evaluate` takes them with a measure of diversity"
    hint = "" if by_intent or first.type == record.type else hint
    error = RepetitionError(record.doc, found, expected, where, record.line, hint)
    return Problem.error(error, where)


def line_of(source: Source, kind: Kind, topic: str, doc: str) -> int | None:
    """The line of a TREC file that holds a document of a topic."""
    every = records(source, "trec", kind)
    found = (r.line for r in every if isinstance(r, Record) and (r.topic, r.doc) == (topic, doc))
    return next(found, None)


def first_error(source: Source, format: Format, kind: Kind, text: Text = PLAIN) -> CranfieldError:
    """The error to refuse a file with."""
    for problem in errors(source, format, kind, text):
        if isinstance(problem, Problem) and problem.cause is not None:
            return problem.cause
    return CranfieldError(f"cannot read {source.name} as {format} {kind}")
