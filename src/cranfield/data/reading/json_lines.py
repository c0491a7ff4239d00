"""JSON rows that all have the same text between their values, as programs write them.

The texts between values become single bytes, so that positions of values need no JSON parser.
Everything else raises Irregular, and a JSON parser reads the rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.reading.strings import ROOM, Strings, parse_numbers
from cranfield.data.reading.table import Irregular

_CELL = re.compile(rb'([{,]\s*"([^"]*)"\s*:\s*)(?:"([^"]*)"|([^"{}\[\],\s]+))(\s*)')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_CELLS = 9  # the bytes 1 to 9 stand for the texts between values
_QUOTE, _END = b'"', 10
_ZERO, _POINT, _MINUS = ord("0"), ord("."), ord("-")


class Cells(NamedTuple):
    """A column of values: text was in quotation marks."""

    texts: Strings
    is_text: bool


class _Row(NamedTuple):
    """The text of a row: its names, the text before each value, and the text after the last value."""

    names: list[str]
    before: list[bytes]
    after: bytes
    is_text: list[bool]


def split_rows(text: bytes) -> Mapping[str, Cells]:
    r"""Return the values of rows by name. Raise Irregular if the text between values differs.

    >>> columns = split_rows(b'{"qid": "q1", "score": 2}\n{"qid": "q2", "score": 1}\n')
    >>> {name: cells.texts.tolist() for name, cells in columns.items()}
    {'qid': ['q1', 'q2'], 'score': ['2', '1']}
    """
    text = text if text.endswith(b"\n") else text + b"\n"
    if b"\\" in text:
        raise Irregular
    row = _split_first_row(text[: text.index(b"\n")])
    count = text.count(b"\n")
    if not text.startswith(row.before[0]) or not text.endswith(row.after + b"\n"):
        raise Irregular
    body = text[len(row.before[0]) : -len(row.after) - 1] + b"\n"
    body = _replace(body, row.after + b"\n" + row.before[0], b"\n", count - 1)
    for code, before in enumerate(row.before[1:], 1):
        body = _replace(body, before, bytes([code]), count)
    if _QUOTE in body or not (body.isascii() or _is_utf8(body)):
        raise Irregular
    buffer = np.frombuffer(bytes(ROOM) + body + bytes(ROOM), dtype=np.uint8)
    inner = buffer[ROOM : ROOM + len(body)]
    ends = np.flatnonzero(inner < ord(" "))
    width = len(row.names)
    codes = np.array([*range(1, width), _END], dtype=np.uint8)
    if len(ends) != count * width or not (inner[ends].reshape(count, width) == codes).all():
        raise Irregular
    starts = np.concatenate([[0], ends[:-1] + 1])
    places, lengths = ((x + offset).reshape(count, width) for x, offset in ((starts, ROOM), (ends - starts, 0)))
    return {
        name: Cells(Strings(buffer, places[:, i].copy(), lengths[:, i].copy()), row.is_text[i])
        for i, name in enumerate(row.names)
    }


def _split_first_row(line: bytes) -> _Row:
    """Return the text of a row between its values."""
    names, before, is_text = list[str](), list[bytes](), list[bool]()
    position, after = 0, b""
    while match := _CELL.match(line, position):
        quoted = match[3] is not None
        try:
            names.append(match[2].decode())
        except UnicodeDecodeError:  # the record reader names the line
            raise Irregular from None
        before.append(after + match[1] + (_QUOTE if quoted else b""))
        is_text.append(quoted)
        after, position = (_QUOTE if quoted else b"") + match[5], match.end()
    is_row = line[position:].strip() == b"}" and line[:1] == b"{"
    if not is_row or len({*names}) < len(names) or len(names) > _MAX_CELLS:
        raise Irregular
    return _Row(names, before, after + line[position:], is_text)


def _replace(text: bytes, old: bytes, new: bytes, count: int) -> bytes:
    """Replace a text that must occur `count` times."""
    replaced = text.replace(old, new)
    if len(text) - len(replaced) != count * (len(old) - len(new)):
        raise Irregular
    return replaced


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def parse_json_numbers(texts: Strings) -> Floats:
    """Return finite numbers as JSON defines them. Raise Irregular for other texts.

    >>> parse_json_numbers(Strings.from_list(["0.5", "-2", "1e3"])).tolist()
    [0.5, -2.0, 1000.0]
    """
    if not texts.length.all():
        raise Irregular
    numbers = parse_numbers(texts)
    buffer, start = texts.buffer, texts.start + (texts.buffer[texts.start] == _MINUS)
    second = buffer[start + 1]
    is_plain = (
        (buffer[start] != _POINT)
        & (buffer[texts.start + texts.length - 1] != _POINT)
        & ((buffer[start] != _ZERO) | (second < _ZERO) | (second > ord("9")))
        & np.isfinite(numbers)
    )
    rest = np.flatnonzero(~is_plain)
    values: list[Any] = texts[rest].tolist()
    if not all(_NUMBER.fullmatch(value.encode()) for value in values):
        raise Irregular
    numbers[rest] = [float(value) for value in values]
    if not np.isfinite(numbers).all():
        raise Irregular
    return numbers
