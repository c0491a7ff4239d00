"""TREC text: judgments ``topic iteration doc level`` and runs ``topic Q0 doc rank score tag``.

Fields are separated by any blanks; lines may end in CRLF; blank lines and lines that begin with
``#`` are skipped. The meaning of a file is what `columns` below makes of it; `frame` has Polars
do the same faster and hands back to `columns` whatever is not plain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cranfield.data.columns import TREC, VALUE, Kind

if TYPE_CHECKING:
    import polars as pl

_COMMENT = re.compile(rb"^[ \t\r\f\v]*#[^\n]*(?:\n|\Z)", re.MULTILINE)
_ODD = (b"\0", b"\x1c", b"\x1d", b"\x1e", b"\x1f")  # the last four are blanks to str.split only
# What `frame` keeps: the value, and at least the last column, to see that a line has all.
_KEPT = {"qrels": ["topic", "doc", "level"], "run": ["topic", "doc", "score", "rank", "tag"]}
_TO_SPACE = bytes.maketrans(b"\t\r\f\v", b"    ")


class Irregular(ValueError):
    """The text is not what it should be; `problems` finds the line."""


class Columns(NamedTuple):
    """The columns of a piece of text, each as long as there are lines."""

    topic: Sequence[str]
    doc: Sequence[str]
    value: list[float]
    rank: Sequence[str] | None  # as written; None for judgments
    tag: str | None  # of the first line


def _without_comments(text: bytes) -> bytes:
    return _COMMENT.sub(b"", text) if b"#" in text else text


def columns(text: bytes, kind: Kind) -> Columns:
    """The columns of TREC text, or Irregular if any line is not in order."""
    text = _without_comments(text)
    fields = _fields(text, len(TREC[kind]))
    if not fields:
        return Columns([], [], [], None, None)
    at = dict(zip(TREC[kind], fields, strict=True))
    value = numbers(at[VALUE[kind]])
    if value is None:
        raise Irregular
    if kind == "qrels":
        return Columns(at["topic"], at["doc"], value, None, None)
    return Columns(at["topic"], at["doc"], value, at["rank"], at["tag"][0])


def _fields(text: bytes, width: int) -> list[Sequence[str]]:
    """The fields of all lines, column by column; Irregular if a line has more or fewer."""
    return _fields_at_once(text, width) or _fields_by_line(text, width)


def _fields_at_once(text: bytes, width: int) -> list[Sequence[str]]:
    """All fields in one split, or nothing if the text is not plain enough for that.

    The end of a line is made a field of its own: it must come after every `width` fields.
    """
    if not text.isascii() or any(odd in text for odd in _ODD):
        return []
    lines = text.decode("ascii").rstrip("\n") + "\n"
    fields = lines.replace("\n", " \0 ").split()
    if len(fields) != (width + 1) * lines.count("\n") or set(fields[width :: width + 1]) != {"\0"}:
        return []
    return [fields[i :: width + 1] for i in range(width)]


def _fields_by_line(text: bytes, width: int) -> list[Sequence[str]]:
    try:
        lines = [[f.decode() for f in line.split()] for line in text.split(b"\n")]
        found = list(zip(*filter(None, lines), strict=True))
    except ValueError:  # not UTF-8, or some lines have more fields than others
        raise Irregular from None
    if found and len(found) != width:
        raise Irregular
    return list(found)


def numbers(texts: Sequence[str]) -> list[float] | None:
    """Finite numbers, or None if one is not."""
    try:
        found = list(map(float, texts))
    except ValueError:
        return None
    # Python reads 1_000 as a number; nobody writes scores like that.
    return found if np.isfinite(np.array(found)).all() and "_" not in "".join(texts) else None


def frame(text: bytes, kind: Kind) -> pl.DataFrame:
    """The same as a Polars frame: topic, doc, value, and for runs rank and tag."""
    import polars as pl

    text = _without_comments(text)
    separator = b"\t" if b"\t" in text[: text.find(b"\n")] else b" "
    others = b" \t\r\f\v".replace(separator, b"")
    try:
        if any(bytes([blank]) in text for blank in others):
            raise Irregular
        return _parsed(text, kind, separator.decode())
    except (pl.exceptions.PolarsError, Irregular):
        text = single_spaced(text)
    try:
        return _parsed(text, kind, " ")
    except (pl.exceptions.PolarsError, Irregular):
        return _frame_of(columns(text, kind))


def single_spaced(text: bytes) -> bytes:
    """The text with one space between fields, none around them, and no blank lines."""
    characters = np.frombuffer(text.translate(_TO_SPACE), dtype=np.uint8)
    space, end = characters == ord(" "), characters == ord("\n")
    before_blank = np.append((space | end)[1:], True)
    characters = characters[~(space & before_blank)]
    space, end = characters == ord(" "), characters == ord("\n")
    after_end = np.append(True, end[:-1])
    return bytes(characters[~((space | end) & after_end)])


def _parsed(text: bytes, kind: Kind, separator: str) -> pl.DataFrame:
    """What Polars reads, if every line has all its fields and no more."""
    import polars as pl

    numbers = ("rank", VALUE[kind])
    found = (
        pl.scan_csv(
            text,
            separator=separator,
            has_header=False,
            schema={name: pl.Float64 if name in numbers else pl.String for name in TREC[kind]},
            quote_char=None,
        )
        .select(_KEPT[kind])
        .rename({VALUE[kind]: "value"})
        .collect()
    )
    # Polars fills short lines with nulls and, reading some columns only, lets long ones pass.
    separators = np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord(separator))
    complete = not any(column.null_count() for column in found)
    if not complete or separators != (len(TREC[kind]) - 1) * len(found):
        raise Irregular
    if not found["value"].is_finite().all():
        raise Irregular
    return found


def _frame_of(found: Columns) -> pl.DataFrame:
    import polars as pl

    schema = {"topic": pl.String, "doc": pl.String, "value": pl.Float64}
    made = pl.DataFrame([list(found.topic), list(found.doc), found.value], schema=schema)
    if found.tag is None:
        return made
    ranks = numbers(found.rank or ())
    rank = pl.Series("rank", ranks or [None] * len(found.value), dtype=pl.Float64)
    return made.with_columns(rank, pl.lit(found.tag).alias("tag"))
