"""LETOR files: judgments ``level qid:ID 1:0.03 2:0.5 … # comment``, and predictions.

LETOR, MSLR-WEB10K and 30K, Yahoo!, Istella and files for SVMrank have this format. The document id
is the docid in the comment (``#docid = GX000-00``). If no line has a docid, and the first words of
the comments are unique within each query, these words are the ids, as in files of Quepid and
hello-ltr (``# 56949 rambo``). Otherwise, the line number is the id. Features are skipped.

Predictions are one number per line, in the order of the judgments. Blank lines and lines that start
with ``#`` are skipped in both files.
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
from cranfield.data.reading.lines import (
    NUMBER,
    format_first_line,
    parse_finite,
    scan_lines,
    split_fields,
    truncate_text,
)
from cranfield.data.reading.records import (
    COLUMNS,
    DEFAULT_OPTIONS,
    Problem,
    ReadOptions,
    Record,
    RecordItem,
    guess_meaning,
)
from cranfield.data.reading.source import NO_DATA, Beginning, Source, split_lines
from cranfield.data.reading.strings import ROOM, Strings, expand_spans
from cranfield.data.reading.table import Irregular, Table
from cranfield.data.reading.trec import (
    parse_finite_numbers,
    read_number_columns,
    reject_other_encodings,
    strip_comments,
)
from cranfield.errors import InputError
from cranfield.wording import format_count

LAYOUT = "level qid:ID features # comment"
PREDICTIONS = "one number per line"
KINDS: Mapping[Kind, str] = {"qrels": "judgments", "run": "predictions"}
QID = np.frombuffer(b"qid:", dtype=np.uint8)
HEAD = 64  # bytes of a line that usually contain level and qid
MAX_PARTS = 64  # tables before concatenation: thousands of small tables would fragment the memory
_DOCID = re.compile(rb"#(?:[^\n]*?\bdocid[^\S\n]*=[^\S\n]*(\S+))?[^\n]*")
_WORD = re.compile(rb"#[^\S\n]*+(?:(\S++)(?![^\S\n]*=))?[^\n]*")  # except the key of `key = value`
BY_WORD = "document ids are the first words after #"
BY_LINE = "document ids are line numbers: the first words after # are missing or not unique"


# -- judgments ------------------------------------------------------------------------------------


def is_letor(beginning: Beginning) -> bool:
    """Return True if most lines have ``qid:ID`` as second field."""
    heads = [line.split(None, 2) for line in split_lines(beginning.start)[:100]]
    heads = [fields for fields in heads if fields and not fields[0].startswith(b"#")]
    matches = [fields for fields in heads if len(fields) > 1 and fields[1].startswith(b"qid:")]
    return 2 * len(matches) > len(heads)


def read_table(source: Source, kind: Kind = "qrels", options: ReadOptions = DEFAULT_OPTIONS) -> Table:
    """Read the judgments of a file. Raise Irregular if a line is invalid.

    `read_records` finds the line.
    """
    line_offset, parts = source.get_line_number(0), list[tuple[Table, _Comments]]()
    for read in source.iter_pieces():
        piece = read()
        if source.find_long_line(piece) is not None:
            raise Irregular
        table, comments, lines = _read_lines(piece, line_offset)
        parts.append((table, comments))
        line_offset += lines
        if len(parts) == MAX_PARTS:
            parts = [_concatenate(parts)]
    if not sum(len(table) for table, _ in parts):
        raise Irregular
    table, comments = _concatenate(parts)
    new = table.topics.find_changes()  # a topic can continue in the next piece
    return _name_documents(replace(table, topics=table.topics[new], starts=table.starts[new]), comments)


class _Comments(NamedTuple):
    """Comments after ``#`` of some lines."""

    words: Strings | None  # first words, if every line has one
    commented: bool  # a line has a comment without a docid
    docids: bool  # a line has a docid


def _concatenate(parts: Sequence[tuple[Table, _Comments]]) -> tuple[Table, _Comments]:
    words = [comments.words for table, comments in parts if len(table)]
    columns = [column for column in words if column is not None]
    return Table.concatenate([table for table, _ in parts]), _Comments(
        Strings.concatenate(columns) if columns and len(columns) == len(words) else None,
        any(comments.commented for _, comments in parts),
        any(comments.docids for _, comments in parts),
    )


def _name_documents(table: Table, comments: _Comments) -> Table:
    """Use the first words of comments as document ids, if they are unique."""
    if comments.docids or not comments.commented:
        return table
    words = comments.words
    if words is None or (len(words) > 1 and words.is_constant()):
        return replace(table, doubts=BY_LINE)
    result = replace(table, docs=words, hashes=words.compute_hashes(), doubts=BY_WORD)
    return replace(table, doubts=BY_LINE) if result.group_by_topic().find_duplicate() else result


def _read_lines(text: bytes, line_offset: int) -> tuple[Table, _Comments, int]:
    """Read complete lines after `line_offset` others: return judgments, comments, line count."""
    if b"<" in text or not text.isascii():
        text = NO_DATA.sub(b"\n", text)  # keeps the numbers of later lines
    reject_other_encodings(text)
    if not text.endswith(b"\n"):
        text += b"\n"
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    buffer, line, level, query = _read_heads(np.frombuffer(text, dtype=np.uint8), ends + 1)
    has_qids = (buffer[query.start[:, None] + np.arange(len(QID))] == QID).all()
    levels = parse_finite_numbers(level)
    topics = Strings(buffer, query.start + len(QID), query.length - len(QID))
    if not has_qids or (topics.length < 1).any() or levels is None:
        raise Irregular
    docs, comments = _read_documents(text, ends, line, line_offset)
    return Table.from_columns(docs, levels, topics), comments, len(ends)


def _read_heads(text: Bytes, end: Ints) -> tuple[Bytes, Ints, Strings, Strings]:
    """Return the starts of lines as a buffer, the lines with content, and their first two fields.

    The starts are extended until they contain two complete fields of every line.
    """
    begin = np.append(0, end[:-1])
    width = HEAD
    while True:
        sizes = np.minimum(end - begin, width)
        buffer = np.full(sizes.sum() + 2 * ROOM, ord("\n"), dtype=np.uint8)
        buffer[ROOM:-ROOM] = text[expand_spans(begin, sizes)]
        stop = ROOM + np.cumsum(sizes)
        blank = (buffer - np.uint8(9) < 5) | (buffer == ord(" "))
        blank[stop - 1] = True  # end of the line or of its start
        start, field_end = (np.flatnonzero(blank[1:] != blank[:-1]) + 1).reshape(-1, 2).T
        first = np.searchsorted(start, stop - sizes)  # first field of each line
        fields = np.diff(first, append=len(start))
        if ((fields > 2) | (sizes == end - begin)).all():
            break
        width *= 4
    line = np.flatnonzero(fields > 0)
    line = line[buffer[start[first[line]]] != ord("#")]
    if (fields[line] < 2).any():
        raise Irregular
    level, query = first[line], first[line] + 1
    comment = np.append(np.flatnonzero(buffer == ord("#")), len(buffer))
    stop = np.minimum(field_end[query], comment[np.searchsorted(comment, start[query])])
    return (
        buffer,
        line,
        Strings(buffer, start[level], field_end[level] - start[level]),
        Strings(buffer, start[query], stop - start[query]),
    )


def _read_documents(text: bytes, ends: Ints, line: Ints, line_offset: int) -> tuple[Strings, _Comments]:
    """Return the document ids of lines, from docids or line numbers, and the comments."""
    digits = (line + line_offset + 1).astype("S20").view(np.uint8).reshape(-1, 20)
    numbers = Strings.from_bytes(digits[digits > 0].tobytes(), np.count_nonzero(digits, axis=1))
    if b"#" not in text:
        return numbers, _Comments(None, False, False)
    place, match, docids = _match_comments(_DOCID, text, ends, line)
    if not len(place):
        place, match, words = _match_comments(_WORD, text, ends, line)
        has_ids = len(place) == len(line) > 0
        return numbers, _Comments(words[match].copy() if has_ids else None, len(place) > 0, False)
    rows = np.arange(len(line))
    rows[place] = len(line) + match
    return Strings.concatenate([numbers, docids])[rows].copy(), _Comments(None, False, True)


def _match_comments(pattern: re.Pattern[bytes], text: bytes, ends: Ints, line: Ints) -> tuple[Ints, Ints, Strings]:
    """Match comments: return indices into `line`, indices of their matches, and all matches."""
    matches = [(m.start(), m[1]) for m in pattern.finditer(text) if m[1]]
    match_lines = np.searchsorted(ends, np.array([place for place, _ in matches], dtype=np.int64))
    names = [name for _, name in matches]
    packed = Strings.from_bytes(b"".join(names), np.array([len(name) for name in names], dtype=int))
    _, place, match = np.intersect1d(line, match_lines, assume_unique=True, return_indices=True)
    return place, match, packed


# -- predictions ----------------------------------------------------------------------------------


def has_predictions(source: Source) -> bool:
    """Return True if most of the first lines are a single number."""
    first = [line.split() for line in split_lines(strip_comments(source.start))[:100]]
    first = [fields for fields in first if fields]
    return 2 * sum(len(fields) == 1 and _is_number(fields[0]) for fields in first) > len(first)


def can_be_predictions(source: Source) -> bool:
    """Return True if the first lines have one field each, or are scores of RankLib.

    RankLib numbers the documents of a query from 0.
    """
    first = [line.split() for line in split_lines(strip_comments(source.start))[:100]]
    first = [fields for fields in first if fields]
    ranklib = bool(first) and first[0][1:2] == [b"0"] and len(first[0]) == 3
    return ranklib or 2 * sum(len(fields) == 1 for fields in first) > len(first)


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_predictions(source: Source, expected: int, judgments: str, location: str) -> Floats:
    """Read predictions. Raise InputError if their number differs from the judgments."""
    try:
        values = np.concatenate([np.empty(0), *map(_read_numbers, (p() for p in source.iter_pieces()))])
    except Irregular:
        wrong = (x for x in read_records(source, "run") if isinstance(x, InputError))
        unknown = InputError("lines out of order", PREDICTIONS, source.name)
        raise next(wrong, unknown) from None
    if len(values) != expected:
        line = find_line(source, min(expected, len(values)))
        raise _make_count_error(len(values), expected, judgments, location, line)
    return values


def _read_numbers(text: bytes) -> Floats:
    return read_number_columns(text, 1)[1]


def find_line(source: Source, place: int) -> int:
    """Return the line of a prediction, counted from 0. After the last one, the next line."""
    number = 0
    for index, (number, _) in enumerate(scan_lines(source)):
        if index == place:
            return number
    return number + 1


def to_predictions(values: object, expected: int, judgments: str, location: str) -> Floats:
    """Convert an array, a list or a series of numbers to predictions."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        text = f"{array.dtype} of shape {'×'.join(map(str, array.shape)) or 'none'}"
        raise InputError(text, "predictions: one number per judgment", location)
    if len(array) != expected:
        raise _make_count_error(len(array), expected, judgments, location)
    array = array.astype(np.float64)
    for place in np.flatnonzero(~np.isfinite(array)).tolist():
        raise InputError(f"prediction {place + 1}: {array[place]}", NUMBER, location)
    return array


def _make_count_error(count: int, expected: int, judgments: str, location: str, line: int | None = None) -> InputError:
    text = f"{expected:,} (one per judgment of {judgments})"
    return InputError(format_count(count, "prediction"), text, location, line)


# -- line by line ---------------------------------------------------------------------


def read_records(source: Source, kind: Kind, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[RecordItem]:
    """Yield every judgment or prediction of a file, and every error."""
    naming = _detect_naming(source) if kind == "qrels" else ""
    if naming:
        yield Problem("warning", source.name, None, naming, kind=COLUMNS)
    read = partial(_parse_judgment, by_word=naming == BY_WORD) if kind == "qrels" else _parse_prediction
    first_lines: dict[tuple[str, str], int] = {}
    for number, line in scan_lines(source):
        record = line if isinstance(line, InputError) else read(line, source.name, number)
        if isinstance(record, Record):
            first = first_lines.setdefault((record.topic, record.doc), number)
            if first != number:
                problem = f"duplicate document {record.doc!r} in topic {record.topic}"
                problem += format_first_line(first)
                record = InputError.from_problem(problem, "", source.name, number)
        yield record


def _detect_naming(source: Source) -> str:
    """Return the source of document ids, BY_WORD or BY_LINE; empty with docids or no comments."""
    words: dict[tuple[str, str], int] = {}
    count = commented = 0
    for number, line in scan_lines(source):
        if isinstance(line, InputError):
            continue
        record = _parse_judgment(line, source.name, number, by_word=True)
        if not isinstance(record, Record):
            continue
        match = _DOCID.search(line.encode())
        if match and match[1]:
            return ""
        count += 1
        if record.doc:
            commented += 1
            words[record.topic, record.doc] = number
    if not commented:
        return ""
    same_word = count > 1 and len({doc for _, doc in words}) == 1
    return BY_LINE if same_word or len(words) < count else BY_WORD


def _parse_judgment(line: str, location: str, number: int, by_word: bool = False) -> Record | InputError:
    data, _, comment = line.partition("#")
    level, query = [field.decode() for field in (*data.encode().split(None, 2), b"", b"")][:2]
    if not query.startswith("qid:"):
        text = f"no qid in the second field ({truncate_text(line.strip())})"
        return InputError(text, LAYOUT, location, number, guess_meaning(split_fields(line, None), "qrels"))
    if not (topic := query.removeprefix("qid:")):
        return InputError(f"a qid without a name ({truncate_text(line.strip())})", LAYOUT, location, number)
    if topic == "all":
        expected = "another name ('all' is the summary)"
        return InputError("a topic named 'all'", expected, location, number)
    if (value := parse_finite(level)) is None or abs(value) > LARGEST:
        expected = NUMBER if value is None else LEVEL
        return InputError(f"level {level!r}", expected, location, number)
    match = (_WORD if by_word else _DOCID).match(f"#{comment}".encode())
    unnamed = "" if by_word else str(number)
    doc = match[1].decode() if match and match[1] else unnamed
    return Record(number, topic, doc, value, None, None)


def _parse_prediction(line: str, location: str, number: int) -> Record | InputError:
    fields = split_fields(line, None)
    value = parse_finite(fields[0]) if len(fields) == 1 else None
    if value is None:
        hint = guess_meaning(fields, "run")
        return InputError(truncate_text(line.strip()), PREDICTIONS, location, number, hint)
    return Record(number, "", str(number), value, None, None)
