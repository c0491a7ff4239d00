"""Which format a file has: told by its content, or by its name where the content cannot tell."""

from __future__ import annotations

import os
import re
from typing import Literal, TypeAlias, get_args

from cranfield.data.columns import is_header
from cranfield.data.source import START, Source
from cranfield.errors import CranfieldError

Format: TypeAlias = Literal["trec", "ntcir", "csv", "tsv", "json", "jsonl", "parquet", "arrow"]
FORMATS: tuple[Format, ...] = get_args(Format)

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


def recognise(source: Source, forced: str | None = None, separator: str | None = None) -> Format:
    """The format of a file, or the one the user forced; with a separator, one of text."""
    if forced is not None:
        for known in FORMATS:
            if forced == known:
                return known
        raise CranfieldError(f"found format {forced!r}, expected one of {', '.join(FORMATS)}")
    start = source.start
    if separator is not None:
        return "ntcir" if _is_ntcir(_lines(start), separator.encode()) else "trec"
    if re.match(rb"PAR1(?![\s!-~])", start):  # else a topic named PAR1 or PAR1-x
        return "parquet"
    if start.startswith(b"ARROW1\0\0"):
        return "arrow"
    lines = _lines(start)
    if not lines:
        return _by_name(source) or "trec"
    if lines[0].lstrip().startswith(b"{"):
        return _by_name(source, "json", "jsonl") or ("jsonl" if _is_record(lines[0]) else "json")
    for between, name in ((",", "csv"), ("\t", "tsv")):
        if is_header(lines[0].decode("utf-8", "replace").split(between)):
            return "csv" if name == "csv" else "tsv"
    return _by_name(source) or ("ntcir" if _is_ntcir(lines) else "trec")


def _lines(start: bytes) -> list[bytes]:
    lines = start.splitlines()[: None if len(start) < START else -1]  # the last may be cut
    return [line for line in lines if line.strip() and not line.lstrip().startswith(b"#")]


def _is_ntcir(lines: list[bytes], separator: bytes | None = None) -> bool:
    """Whether lines read ``topic doc L2`` or ``topic doc L2 class``.

    A TREC document may be called L2 as well. But then what stands before it, in the place of the
    document, does not change from line to line.
    """
    rows = [[field.strip() for field in line.split(separator)] for line in lines[:100]]
    rows = [row for row in rows if len(row) in (3, 4)]
    labelled = [row for row in rows if LABEL.fullmatch(row[2].decode("latin-1"))]
    if 2 * len(labelled) <= len(rows):  # most lines decide: one with a mistake is not told here
        return False
    return len(labelled[0]) == 3 or {row[1] for row in labelled} != {b"0"}


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
