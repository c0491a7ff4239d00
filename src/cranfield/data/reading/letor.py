"""LETOR's files: judgments ``level qid:ID 1:0.03 2:0.5 … # comment``, and predictions.

Such are the data of LETOR, MSLR-WEB10K and 30K, Yahoo! and Istella, and whatever is written for
SVMrank. A document has the docid that its comment names (``#docid = GX000-00``). If no line has
one, and every line has a comment whose first word is unique within its query, that word is the
document, as Quepid and hello-ltr write it (``# 56949 rambo``). Otherwise it is the number of the
line. Only the two ends of a line are looked at: features are not read, and not kept.

Predictions are one number a line, in the order of the lines of the judgments. Blank lines and lines
that begin with ``#`` count in neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from cranfield.arrays import LARGEST, Bytes, Floats, Ints
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.labels import LEVEL
from cranfield.data.reading.lines import NUMBER, fields_of, finite, lines, short
from cranfield.data.reading.records import COLUMNS, PLAIN, Found, Problem, Record, Text, meant
from cranfield.data.reading.source import NO_DATA, Beginning, Source
from cranfield.data.reading.strings import ROOM, Strings, spans
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.trec import all_numbers, data_of, number_columns, refuse_other_encodings
from cranfield.errors import InputError
from cranfield.wording import counted

LAYOUT = "level qid:ID features # comment"
PREDICTIONS = "one number a line"
KINDS: Mapping[Kind, str] = {"qrels": "judgments", "run": "predictions"}
QID = np.frombuffer(b"qid:", dtype=np.uint8)
HEAD = 64  # bytes of a line that usually hold its level and its qid
FEW = 64  # tables kept before they are joined: thousands of small ones would leave holes in memory
_DOCID = re.compile(rb"#(?:[^\n]*?\bdocid[^\S\n]*=[^\S\n]*(\S+))?[^\n]*")
_WORD = re.compile(rb"#[^\S\n]*+(?:(\S++)(?![^\S\n]*=))?[^\n]*")  # but no key of `key = value`
BY_WORD = "document ids are the first words after #"
BY_LINE = "document ids are line numbers: the first words after # are missing or not unique"


# -- judgments ------------------------------------------------------------------------------------


def names_queries(beginning: Beginning) -> bool:
    """Whether most lines have ``qid:ID`` as their second field; the last may be cut after it."""
    heads = [line.split(None, 2) for line in beginning.start.splitlines()[:100]]
    heads = [fields for fields in heads if fields and not fields[0].startswith(b"#")]
    named = [fields for fields in heads if len(fields) > 1 and fields[1].startswith(b"qid:")]
    return 2 * len(named) > len(heads)


def read_table(source: Source, kind: Kind = "qrels", text: Text = PLAIN) -> Table:
    """The judgments of a file, in its order.

    Irregular if a line is not in order; `records` says which.
    """
    before, parts = source.line(0), list[tuple[Table, _Comments]]()
    for read in source.pieces():
        piece = read()
        if source.long_line(piece) is not None:
            raise Irregular
        table, comments, lines = _read_lines(piece, before)
        parts.append((table, comments))
        before += lines
        if len(parts) == FEW:
            parts = [_joined(parts)]
    if not sum(len(table) for table, _ in parts):
        raise Irregular
    table, comments = _joined(parts)
    new = table.topics.changes()  # a topic may go on in the next piece
    return _named(replace(table, topics=table.topics[new], starts=table.starts[new]), comments)


class _Comments(NamedTuple):
    """What stands after ``#`` in some lines."""

    words: Strings | None  # the first word of each, if every line has one
    commented: bool  # whether a line has a comment without a docid
    docids: bool  # whether a line has a docid


def _joined(parts: Sequence[tuple[Table, _Comments]]) -> tuple[Table, _Comments]:
    words = [comments.words for table, comments in parts if len(table)]
    every = [few for few in words if few is not None]
    return Table.joined([table for table, _ in parts]), _Comments(
        Strings.joined(every) if every and len(every) == len(words) else None,
        any(comments.commented for _, comments in parts),
        any(comments.docids for _, comments in parts),
    )


def _named(table: Table, comments: _Comments) -> Table:
    """Return the table with documents named by the first words of comments, if these are ids."""
    if comments.docids or not comments.commented:
        return table
    words = comments.words
    if words is None or (len(words) > 1 and words.alike()):
        return replace(table, in_doubt=BY_LINE)
    named = replace(table, docs=words, hashes=words.hashes(), in_doubt=BY_WORD)
    return replace(table, in_doubt=BY_LINE) if named.grouped().repeats() else named


def _read_lines(text: bytes, before: int) -> tuple[Table, _Comments, int]:
    """The judgments of some whole lines that come after `before` others; how many lines."""
    if b"<" in text or not text.isascii():
        text = NO_DATA.sub(b"\n", text)  # the lines after it keep their numbers
    refuse_other_encodings(text)
    if not text.endswith(b"\n"):
        text += b"\n"
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    buffer, line, level, query = _heads(np.frombuffer(text, dtype=np.uint8), ends + 1)
    marked = (buffer[query.start[:, None] + np.arange(len(QID))] == QID).all()
    levels = all_numbers(level)
    topics = Strings(buffer, query.start + len(QID), query.length - len(QID))
    if not marked or (topics.length < 1).any() or levels is None:
        raise Irregular
    docs, comments = _documents(text, ends, line, before)
    return Table.of(docs, levels, topics), comments, len(ends)


def _heads(text: Bytes, end: Ints) -> tuple[Bytes, Ints, Strings, Strings]:
    """The beginnings of lines side by side; which lines hold something, and their two first fields.

    Beginnings are made longer until they hold two whole fields of every line.
    """
    begin = np.append(0, end[:-1])
    width = HEAD
    while True:
        taken = np.minimum(end - begin, width)
        buffer = np.full(taken.sum() + 2 * ROOM, ord("\n"), dtype=np.uint8)
        buffer[ROOM:-ROOM] = text[spans(begin, taken)]
        stop = ROOM + np.cumsum(taken)
        blank = (buffer - np.uint8(9) < 5) | (buffer == ord(" "))
        blank[stop - 1] = True  # the end of the line, or where it is cut
        start, after = (np.flatnonzero(blank[1:] != blank[:-1]) + 1).reshape(-1, 2).T
        first = np.searchsorted(start, stop - taken)  # field of each line
        fields = np.diff(first, append=len(start))
        if ((fields > 2) | (taken == end - begin)).all():
            break
        width *= 4
    line = np.flatnonzero(fields > 0)
    line = line[buffer[start[first[line]]] != ord("#")]
    if (fields[line] < 2).any():
        raise Irregular
    level, query = first[line], first[line] + 1
    comment = np.append(np.flatnonzero(buffer == ord("#")), len(buffer))
    stop = np.minimum(after[query], comment[np.searchsorted(comment, start[query])])
    return (
        buffer,
        line,
        Strings(buffer, start[level], after[level] - start[level]),
        Strings(buffer, start[query], stop - start[query]),
    )


def _documents(text: bytes, ends: Ints, line: Ints, before: int) -> tuple[Strings, _Comments]:
    """The names of the documents on some of the lines that end there, after `before` others."""
    digits = (line + before + 1).astype("S20").view(np.uint8).reshape(-1, 20)
    numbers = Strings.packed(digits[digits > 0].tobytes(), np.count_nonzero(digits, axis=1))
    if b"#" not in text:
        return numbers, _Comments(None, False, False)
    place, at, docids = _after_sign(_DOCID, text, ends, line)
    if not len(place):
        place, at, words = _after_sign(_WORD, text, ends, line)
        named = len(place) == len(line) > 0
        return numbers, _Comments(words[at].copy() if named else None, len(place) > 0, False)
    which = np.arange(len(line))
    which[place] = len(line) + at
    return Strings.joined([numbers, docids])[which].copy(), _Comments(None, False, True)


def _after_sign(
    pattern: re.Pattern[bytes], text: bytes, ends: Ints, line: Ints
) -> tuple[Ints, Ints, Strings]:
    """Return the places among `line` where the pattern matches, and which match each has."""
    matches = [(m.start(), m[1]) for m in pattern.finditer(text) if m[1]]
    named = np.searchsorted(ends, np.array([place for place, _ in matches], dtype=np.int64))
    names = [name for _, name in matches]
    packed = Strings.packed(b"".join(names), np.array([len(name) for name in names], dtype=int))
    _, place, at = np.intersect1d(line, named, assume_unique=True, return_indices=True)
    return place, at, packed


# -- predictions ----------------------------------------------------------------------------------


def are_predictions(source: Source) -> bool:
    """Whether most of the first lines of a file are a number and nothing else."""
    first = [line.split() for line in data_of(source.start).splitlines()[:100]]
    first = [fields for fields in first if fields]
    return 2 * sum(len(fields) == 1 and _is_number(fields[0]) for fields in first) > len(first)


def are_meant(source: Source) -> bool:
    """Whether the first lines of a text are what becomes predictions: one field each, or RankLib's.

    RankLib counts the documents of a query from 0, lines are counted from 1.
    """
    first = [line.split() for line in data_of(source.start).splitlines()[:100]]
    first = [fields for fields in first if fields]
    ranklib = bool(first) and first[0][1:2] == [b"0"] and len(first[0]) == 3
    return ranklib or 2 * sum(len(fields) == 1 for fields in first) > len(first)


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_predictions(source: Source, expected: int, judgments: str, where: str) -> Floats:
    """The predictions of a file: as many as there are judgments."""
    try:
        found = np.concatenate([np.empty(0), *map(_numbers, (p() for p in source.pieces()))])
    except Irregular:
        wrong = (x for x in records(source, "run") if isinstance(x, InputError))
        unknown = InputError("lines out of order", PREDICTIONS, source.name)
        raise next(wrong, unknown) from None
    if len(found) != expected:
        at = line_of(source, min(expected, len(found)))
        raise _wrong_number(len(found), expected, judgments, where, at)
    return found


def _numbers(text: bytes) -> Floats:
    return number_columns(text, 1)[1]


def line_of(source: Source, place: int) -> int:
    """The line of the prediction at a place from 0; after the last one, the next line."""
    number = 0
    for at, (number, _) in enumerate(lines(source)):
        if at == place:
            return number
    return number + 1


def predictions_of(values: object, expected: int, judgments: str, where: str) -> Floats:
    """Predictions from an array, a list or a series of numbers."""
    found = np.asarray(values)
    if found.ndim != 1 or found.dtype.kind not in "fiu":
        text = f"{found.dtype} of shape {'×'.join(map(str, found.shape)) or 'none'}"
        raise InputError(text, "predictions: one number for each judgment", where)
    if len(found) != expected:
        raise _wrong_number(len(found), expected, judgments, where)
    found = found.astype(np.float64)
    for place in np.flatnonzero(~np.isfinite(found)).tolist():
        raise InputError(f"prediction {place + 1}: {found[place]}", NUMBER, where)
    return found


def _wrong_number(
    found: int, expected: int, judgments: str, where: str, line: int | None = None
) -> InputError:
    text = f"{expected:,}: one for each judgment of {judgments}"
    return InputError(counted(found, "prediction"), text, where, line)


# -- line by line, for errors ---------------------------------------------------------------------


def records(source: Source, kind: Kind, text: Text = PLAIN) -> Iterator[Found]:
    """Every judgment or prediction of a file, and every error in its place."""
    naming = _naming(source) if kind == "qrels" else ""
    if naming:
        yield Problem("warning", source.name, None, naming, kind=COLUMNS)
    read = partial(_judgment, by_word=naming == BY_WORD) if kind == "qrels" else _prediction
    seen: dict[tuple[str, str], int] = {}
    for number, line in lines(source):
        found = line if isinstance(line, InputError) else read(line, source.name, number)
        if isinstance(found, Record):
            first = seen.setdefault((found.topic, found.doc), number)
            if first != number:
                said = f"document {found.doc} of topic {found.topic} again (first on line {first})"
                found = InputError(said, "each document once", source.name, number)
        yield found


def _naming(source: Source) -> str:
    """Return what names documents, if no docid does and there are comments: see `_named`."""
    words: dict[tuple[str, str], int] = {}
    count = commented = 0
    for number, line in lines(source):
        if isinstance(line, InputError):
            continue
        record = _judgment(line, source.name, number, by_word=True)
        if not isinstance(record, Record):
            continue
        named = _DOCID.search(line.encode())
        if named and named[1]:
            return ""
        count += 1
        if record.doc:
            commented += 1
            words[record.topic, record.doc] = number
    if not commented:
        return ""
    alike = count > 1 and len({doc for _, doc in words}) == 1
    return BY_LINE if alike or len(words) < count else BY_WORD


def _judgment(line: str, where: str, number: int, by_word: bool = False) -> Record | InputError:
    data, _, comment = line.partition("#")
    level, query = [field.decode() for field in (*data.encode().split(None, 2), b"", b"")][:2]
    if not query.startswith("qid:"):
        text = f"no qid in the second field ({short(line.strip())})"
        return InputError(text, LAYOUT, where, number, meant(fields_of(line, None), "qrels"))
    if not (topic := query.removeprefix("qid:")):
        return InputError(f"a qid without a name ({short(line.strip())})", LAYOUT, where, number)
    if topic == "all":
        expected = "another name: 'all' is the summary's"
        return InputError("a topic named 'all'", expected, where, number)
    if (value := finite(level)) is None or abs(value) > LARGEST:
        expected = NUMBER if value is None else LEVEL
        return InputError(f"level {level!r}", expected, where, number)
    named = (_WORD if by_word else _DOCID).match(f"#{comment}".encode())
    unnamed = "" if by_word else str(number)
    doc = named[1].decode() if named and named[1] else unnamed
    return Record(number, topic, doc, value, None, None)


def _prediction(line: str, where: str, number: int) -> Record | InputError:
    fields = fields_of(line, None)
    value = finite(fields[0]) if len(fields) == 1 else None
    if value is None:
        hint = meant(fields, "run")
        return InputError(short(line.strip()), PREDICTIONS, where, number, hint)
    return Record(number, "", str(number), value, None, None)
