"""TREC text: judgments ``topic iteration doc level`` and runs ``topic Q0 doc rank score tag``.

Fields are separated by any blanks; lines may end in CRLF; blank lines and lines that begin with
``#`` are skipped. A piece of text is cut into fields with a few array operations; anything out of
order makes it Irregular, and `records` finds the line.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.reading.columns import TREC, VALUE, Kind
from cranfield.data.reading.records import finite
from cranfield.data.reading.source import Source
from cranfield.data.reading.strings import ROOM, Bytes, Strings, numbers, whole_numbers
from cranfield.data.reading.table import Table

FURTHER = re.compile(rb"^([^\S\n]*(?:\S+[^\S\n]+){5}\S+)[^\S\n]+[^\n]*", re.MULTILINE)
COMMENT = re.compile(rb"^[ \t\r\f\v]*#[^\n]*(?:\n|\Z)", re.MULTILINE)


class Irregular(ValueError):
    """The text is not what it should be; `records` finds the line."""


def read_table(text: bytes, kind: Kind, types: bool = False, further: bool = False) -> Table:
    """The lines of TREC text, or Irregular if one is not in order.

    With `types`, the second column is kept: the type of each result, or the intent of a judgment.
    With `further`, what follows the six fields of a run on a line is left out.
    """
    if b"#" in text:
        text = COMMENT.sub(b"", text)
    try:
        column = Fields(text, len(TREC[kind])).column
    except Irregular:
        if not further:
            raise
        column = Fields(FURTHER.sub(rb"\1", text), len(TREC[kind])).column
    at = TREC[kind].index
    values = all_numbers(column(at(VALUE[kind])))
    if values is None:
        raise Irregular
    made = Table.of(column(at("doc")), values, column(at("topic")))
    if types:
        made = replace(made, types=column(1))
    if kind == "qrels":
        return made
    rank, tag = column(at("rank")), column(at("tag"), slice(1)).tolist()
    ranks = whole_numbers(rank)
    ranks = all_numbers(rank) if ranks is None else ranks
    return replace(made, ranks=ranks, tag=tag[0] if tag else None)


def read_ntcir(text: bytes) -> Table:
    """The lines ``topic doc L2`` of NTCIR's judgments, or Irregular if one is not in order."""
    if b"#" in text:
        text = COMMENT.sub(b"", text)
    topics, docs, labels = (Fields(text, 3).column(i) for i in range(3))
    levels = whole_numbers(Strings(labels.buffer, labels.start + 1, labels.length - 1))
    marked = labels.buffer[labels.start] == ord("L")
    if levels is None or not (marked & (labels.length > 1)).all():
        raise Irregular
    return Table.of(docs, levels, topics)


def last_tag(source: Source) -> str | None:
    """The name of the run on the last line of its file, which may not be that on the first."""
    last = b"".join(read() for read in deque(source.pieces(), maxlen=2))
    end, at = len(last), TREC["run"].index("tag")
    while end > 0:
        begin = last.rfind(b"\n", 0, end) + 1
        fields = last[begin:end].split()
        if len(fields) > at and not fields[0].startswith(b"#"):
            return fields[at].decode("utf-8", "replace")
        end = begin - 1
    return None


class Fields:
    """Where the fields of a text are; Irregular if a line has more or fewer than `width`."""

    def __init__(self, text: bytes, width: int) -> None:
        _refuse_other_encodings(text)
        around = b"\n" * ROOM
        end = b"" if text.endswith(b"\n") else b"\n"
        self.buffer = np.frombuffer(b"".join((around, text, end, around)), dtype=np.uint8)
        self.starts, self.ends = self._by_single_blanks(width) or self._by_blanks(width)

    def column(self, i: int, lines: slice = slice(None)) -> Strings:
        """The i-th field of every line, or of some."""
        start, end = self.starts[lines, i], self.ends[lines, i]
        return Strings(self.buffer, start + ROOM, end - start)

    def _by_single_blanks(self, width: int) -> tuple[Ints, Ints] | None:
        """Begin and end of each field, if one blank ends each; None if more are anywhere."""
        inside = self.buffer[ROOM:-ROOM]
        ends = np.flatnonzero(inside <= ord(" "))
        lines, extra = divmod(len(ends), width)
        newlines, spaces = (np.count_nonzero(inside == ord(c)) for c in "\n ")
        tabs = len(ends) - newlines - spaces
        if extra or newlines != lines or (tabs and tabs != np.count_nonzero(inside == ord("\t"))):
            return None
        starts = np.empty_like(ends)
        starts[:1], starts[1:] = 0, ends[:-1] + 1
        whole_lines = (inside[ends[width - 1 :: width]] == ord("\n")).all()
        if not whole_lines or not (starts < ends).all():
            return None
        return starts.reshape(-1, width), ends.reshape(-1, width)

    def _by_blanks(self, width: int) -> tuple[Ints, Ints]:
        """The same for any blanks: a field begins or ends where blank turns to something else."""
        blank = (self.buffer - np.uint8(9) < 5) | (self.buffer == ord(" "))  # 9 to 13 and 32
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + (1 - ROOM)
        if len(edges) % (2 * width):
            raise Irregular
        starts, ends = edges[0::2].reshape(-1, width), edges[1::2].reshape(-1, width)
        _refuse_other_lines(self.buffer, starts[:, 0] + ROOM, ends[:, -1] + ROOM)
        return starts, ends


def _refuse_other_encodings(text: bytes) -> None:
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise Irregular from None


def _refuse_other_lines(buffer: Bytes, first: Ints, last: Ints) -> None:
    """Every row of fields, from `first` to `last`, must be a line of its own."""
    ends = np.flatnonzero(buffer == ord("\n"))
    after = ends[ROOM : ROOM + len(first)]  # the end of each line, if none is blank
    if len(after) < len(first):  # fewer lines than rows
        raise Irregular
    if (after >= last).all() and (after[:-1] < first[1:]).all():
        return
    line, line_too = np.searchsorted(ends, first), np.searchsorted(ends, last)
    if (line != line_too).any() or (line[1:] == line[:-1]).any():
        raise Irregular


def all_numbers(texts: Strings) -> Floats | None:
    """Finite numbers, or None if one is not."""
    found = numbers(texts)
    rows = np.flatnonzero(np.isnan(found))
    for row, text in zip(rows.tolist(), texts[rows].tolist(), strict=True):
        number = finite(text)
        if number is None:
            return None
        found[row] = number
    return found
