"""Which format a file has: told by its content, or by its name where the content cannot tell."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from typing import Literal, TypeAlias, get_args

from cranfield.data.reading.columns import is_header
from cranfield.data.reading.source import START, Source
from cranfield.errors import InputError

Format: TypeAlias = Literal[
    "trec", "ntcir", "early", "csv", "tsv", "json", "jsonl", "parquet", "arrow", "letor"
]
FORMATS: tuple[Format, ...] = get_args(Format)

ITERATIONS = ("0", "1", "Q0")  # what TREC's second column holds
GRADES = {"S": 3.0, "A": 2.0, "B": 1.0, "C": 0.0}  # of NTCIR's first rounds
LABEL = re.compile(r"L(\d+)")  # NTCIREVAL's relevance labels

_BY_NAME: dict[str, Format] = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


def recognise(
    source: Source,
    forced: str | None = None,
    separator: str | None = None,
    labels: Collection[str] = (),
) -> Format:
    """The format of a file, or the one the user forced; with a separator, one of text.

    `labels` may stand where NTCIR's judgments have L2.
    """
    if forced is not None:
        for known in FORMATS:
            if forced == known:
                return known
        raise InputError(f"format {forced!r}", f"one of {', '.join(FORMATS)}")
    start = source.start
    if separator is not None:
        return _text_format(_lines(start), separator.encode(), labels)
    if re.match(rb"PAR1(?![\s!-~])", start):  # else a topic named PAR1 or PAR1-x
        return "parquet"
    if start.startswith(b"ARROW1\0\0"):
        return "arrow"
    if _names_queries(start):
        return "letor"
    lines = _lines(start)
    if not lines:
        return _by_name(source) or "trec"
    if lines[0].lstrip().startswith(b"{"):
        return _by_name(source, "json", "jsonl") or ("jsonl" if _is_record(lines[0]) else "json")
    for between, name in ((",", "csv"), ("\t", "tsv")):
        if is_header(lines[0].decode("utf-8", "replace").split(between)):
            return "csv" if name == "csv" else "tsv"
    return _by_name(source) or _text_format(lines, None, labels)


def _lines(start: bytes) -> list[bytes]:
    lines = start.splitlines()[: None if len(start) < START else -1]  # the last may be cut
    return [line for line in lines if line.strip() and not line.lstrip().startswith(b"#")]


def _names_queries(start: bytes) -> bool:
    """Whether most lines have ``qid:ID`` as their second field; the last may be cut after it."""
    heads = [line.split(None, 2) for line in start.splitlines()[:100]]
    heads = [fields for fields in heads if fields and not fields[0].startswith(b"#")]
    named = [fields for fields in heads if len(fields) > 1 and fields[1].startswith(b"qid:")]
    return 2 * len(named) > len(heads)


def _text_format(lines: list[bytes], separator: bytes | None, labels: Collection[str]) -> Format:
    """TREC's, or one of NTCIR's judgments, told by where most lines have a label.

    NTCIR has ``topic doc L2`` or ``topic doc L2 class``, and had ``topic S doc 1`` in its first
    rounds. A TREC document may be called L2 as well; but then what stands before it, in the place
    of the document, is the iteration.
    """
    rows = [[field.strip().decode("utf-8", "replace") for field in line.split(separator)]
            for line in lines[:100]]  # fmt: skip
    rows = [row for row in rows if len(row) in (3, 4)]
    grades = {label for label in labels or GRADES if label.isalpha()}
    labelled = [row for row in rows if row[2] in labels or LABEL.fullmatch(row[2])]
    graded = [row for row in rows if len(row) == 4 and row[1] in grades and row[3] in ("0", "1")]
    if 2 * len(graded) > len(rows) and not labelled and _told_once(graded):
        return "early"
    if not rows or 2 * len(labelled) < len(rows):  # one with a mistake is not told here
        return "trec"
    if any(len(row) == 3 for row in labelled):
        return "ntcir"
    items = {tuple(row[:3]) for row in labelled}
    iterations = 2 * len({item[:2] for item in items}) <= len(items)  # a document has one label
    seconds = {row[1] for row in labelled}
    return "trec" if iterations or seconds <= set(ITERATIONS) else "ntcir"


def _told_once(graded: list[list[str]]) -> bool:
    """Whether a grade is either relevant or not, as in NTCIR; TREC's iterations may be both."""
    return len({(row[1], row[3]) for row in graded}) == len({row[1] for row in graded})


def _is_record(line: bytes) -> bool:
    """Whether a line is a whole object that names its columns."""
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and is_header(list(record))


def _by_name(source: Source, *among: Format) -> Format | None:
    root, suffix = os.path.splitext(source.path.lower())
    if suffix in (".gz", ".bz2", ".xz", ".zst", ".zstd"):
        suffix = os.path.splitext(root)[1]
    found = _BY_NAME.get(suffix)
    return found if not among or found in among else None
