"""TREC text: judgments ``topic iteration doc level`` and runs ``topic Q0 doc rank score tag``.

Fields are separated by any blanks; lines may end in CRLF; blank lines and lines that begin with
``#`` are skipped. The meaning of a file is what `columns` below makes of it; `frame` has Polars
do the same faster and hands back to `columns` whatever is not plain.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cranfield.data.columns import TREC, VALUE, Kind

if TYPE_CHECKING:
    import polars as pl

_COMMENT = re.compile(rb"^[ \t\r\f\v]*#[^\n]*", re.MULTILINE)
_IS_BLANK = np.isin(np.arange(256), list(b" \t\n\r\f\v"))
# What `frame` keeps: the value, and at least the last column, to see that a line has all.
_KEPT = {"qrels": ["topic", "doc", "level"], "run": ["topic", "doc", "score", "rank", "tag"]}
_TO_SPACE = bytes.maketrans(b"\t\r\f\v", b"    ")


class Irregular(ValueError):
    """The text is not what it should be; `problems` finds the line."""


class Columns(NamedTuple):
    """The columns of a piece of text, each as long as there are lines."""

    topic: list[str]
    doc: list[str]
    value: list[float]
    rank: list[float] | None  # None for judgments, or where a rank is not a number
    tag: str | None


def columns(text: bytes, kind: Kind) -> Columns:
    """The columns of TREC text, or Irregular if any line is not in order."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    fields = text.split()
    names = TREC[kind]
    width = len(names)
    if not _all_lines_have(text, len(fields), width):
        raise Irregular
    at = {name: fields[i::width] for i, name in enumerate(names)}
    value = _numbers(at[VALUE[kind]])
    if value is None or not np.isfinite(np.array(value)).all():
        raise Irregular
    return Columns(
        topic=_decoded(at["topic"]),
        doc=_decoded(at["doc"]),
        value=value,
        rank=_numbers(at["rank"]) if kind == "run" else None,
        tag=_decoded(at["tag"][:1])[0] if kind == "run" and fields else None,
    )


def _all_lines_have(text: bytes, found: int, width: int) -> bool:
    """Whether every line that is not blank has `width` fields."""
    if found % width:
        return False
    characters = np.frombuffer(text, dtype=np.uint8)
    blank = _IS_BLANK[characters]
    begins = ~blank
    begins[1:] &= blank[:-1]
    line = np.cumsum(characters == ord("\n"), dtype=np.int32)[begins].reshape(-1, width)
    return bool((line[:, 0] == line[:, -1]).all() and (line[1:, 0] > line[:-1, -1]).all())


def _numbers(texts: list[bytes]) -> list[float] | None:
    try:
        numbers = list(map(float, texts))
    except ValueError:
        return None
    # Python reads 1_000 as a number; nobody writes scores like that.
    return None if b"_" in b" ".join(texts) else numbers


def _decoded(texts: list[bytes]) -> list[str]:
    try:
        return b"\n".join(texts).decode().split("\n") if texts else []
    except UnicodeDecodeError:
        raise Irregular from None


def frame(text: bytes, kind: Kind) -> pl.DataFrame:
    """The same as a Polars frame: topic, doc, value, and for runs rank and tag."""
    import polars as pl

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
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    text = b"\n" + text.translate(_TO_SPACE) + b"\n"
    for doubled, single in ((b"  ", b" "), (b"\n ", b"\n"), (b" \n", b"\n"), (b"\n\n", b"\n")):
        while doubled in text:
            text = text.replace(doubled, single)
    return text[1:]


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
            comment_prefix="#",
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
    made = pl.DataFrame([found.topic, found.doc, found.value], schema=schema)
    if found.tag is None:
        return made
    rank = pl.Series("rank", found.rank or [None] * len(found.value), dtype=pl.Float64)
    return made.with_columns(rank, pl.lit(found.tag).alias("tag"))
