"""Which format a file has: told by its content, or by its name where the content cannot tell."""

from __future__ import annotations

import os
import re
from typing import Literal, TypeAlias, get_args

from cranfield.data.columns import is_header
from cranfield.data.source import Source
from cranfield.errors import CranfieldError

Format: TypeAlias = Literal["trec", "csv", "tsv", "json", "jsonl", "parquet", "arrow"]
FORMATS: tuple[Format, ...] = get_args(Format)

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


def recognise(source: Source, forced: str | None = None) -> Format:
    """The format of a file, or the one the user forced."""
    if forced is not None:
        for known in FORMATS:
            if forced == known:
                return known
        raise CranfieldError(f"found format {forced!r}, expected one of {', '.join(FORMATS)}")
    start = source.start
    if re.match(rb"PAR1(?![\s!-~])", start):  # else a topic named PAR1 or PAR1-x
        return "parquet"
    if start.startswith(b"ARROW1\0\0"):
        return "arrow"
    lines = [
        line for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"#")
    ]
    if not lines:
        return _by_name(source) or "trec"
    if lines[0].lstrip().startswith(b"{"):
        return _by_name(source, "json", "jsonl") or ("jsonl" if _is_record(lines[0]) else "json")
    for separator, name in ((b",", "csv"), (b"\t", "tsv")):
        if is_header(lines[0].decode("utf-8", "replace").split(separator.decode())):
            return "csv" if name == "csv" else "tsv"
    return _by_name(source) or "trec"


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
