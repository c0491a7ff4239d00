"""Provenance of inputs: hashes, sizes, formats and columns of files, and hashes of data in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from cranfield.data import catalogues
from cranfield.data.files import InputLog
from cranfield.data.reading.cells import Layout, iter_lines
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.formats import DIRECTORIES, LETOR, DetectedFormat, Format, guess_format
from cranfield.data.reading.records import Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular, Table
from cranfield.errors import CranfieldError

Description: TypeAlias = dict[str, Any]

MEMORY = "memory"  # format of dicts and frames
BINARY = ("parquet", "arrow")  # formats without lines
_BLOCK = 1 << 20
_SUFFIXES = {".py": "python", ".toml": "toml"}
_SPELLINGS = {"q0": "Q0"}


def describe_file(path: str, log: InputLog) -> Description:
    """Return hash, size, lines, topics, format, columns and ir_metadata of a file that was read."""
    data = log.data.get(path)
    stored = hash_stored(path) if data is None else _hash_blocks([data])
    reading = log.readings.get(path)
    if reading is not None and isinstance(reading[0], DetectedFormat):
        detected, kind = reading
        content = _describe_run_or_qrels(Source.from_path(path), detected, kind, data)
    elif reading is not None:
        format, layout, separator = reading
        content = _describe_layout(Source.from_path(path), format, layout, separator, data)
    else:
        content = _describe_other(path, data)
    lines = None if content["format"] in BINARY else _count_lines(path, data)
    description = "" if data is not None or lines is None else Source.from_path(path).description
    return {**stored, "lines": lines, **content, **({"description": description} if description else {})}


def find_kind(path: str, log: InputLog) -> str:
    """Return how a file was read: ``qrels``, ``run``, ``scores``, …, or an empty text."""
    reading = log.readings.get(path)
    if reading is None:
        return ""
    if isinstance(reading[0], DetectedFormat):
        return str(reading[1])
    return reading[1].use or ""


def hash_stored(path: str) -> Description:
    """Return the SHA-256 and the size of a file as stored."""
    with Source.from_path(path).open_raw() as stream:
        return _hash_blocks(iter(lambda: stream.read(_BLOCK), b""))


def _hash_blocks(blocks: Iterable[bytes]) -> Description:
    digest, size = hashlib.sha256(), 0
    for block in blocks:
        digest.update(block)
        size += len(block)
    return {"sha256": digest.hexdigest(), "bytes": size}


def _count_lines(path: str, data: bytes | None) -> int | None:
    """Return the number of lines of the decompressed text."""
    blocks = iter([data]) if data is not None else _iter_decompressed(path)
    count, last = 0, b"\n"
    try:
        for block in blocks:
            count += block.count(b"\n")
            last = block[-1:] or last
    except CranfieldError:
        return None
    return count + (last != b"\n")


def _iter_decompressed(path: str) -> Iterator[bytes]:
    with Source.from_path(path).open_decompressed() as stream:
        while block := stream.read(_BLOCK):
            yield block


def _describe_other(path: str, data: bytes | None) -> Description:
    """Describe a file by its suffix or its content."""
    format, columns = _SUFFIXES.get(os.path.splitext(path)[1].lower()), None
    if format is None and data is None:
        source = Source.from_path(path)
        with suppress(CranfieldError):
            guess = guess_format(source)
            format = "text" if guess.tabular is None and guess.fields else guess.name
            columns = None if guess.tabular is None else _read_header(source, guess)
    return {"topics": None, "format": format, "columns": columns}


# -- formats, columns, topics ---------------------------------------------------------------------


def _describe_run_or_qrels(source: Source, detected: DetectedFormat, kind: Kind, data: bytes | None) -> Description:
    format = detected.format
    if data is not None:  # a pipe cannot be read twice
        return {"topics": None, "format": format.name, "columns": _list_columns(None, format, kind)}
    topics = (
        None if format is DIRECTORIES or (format is LETOR and kind == "run") else _count_topics(source, detected, kind)
    )
    return {"topics": topics, "format": format.name, "columns": _list_columns(source, format, kind)}


def _list_columns(source: Source | None, format: Format, kind: Kind) -> list[str] | None:
    """Return the fields of lines, or the columns of a table."""
    if format.tabular is not None:
        return None if source is None else _read_header(source, format)
    fields = format.fields.get(kind)
    return None if fields is None else [_SPELLINGS.get(name, name) for name in fields]


def _read_header(source: Source, format: Format) -> list[str] | None:
    assert format.tabular is not None  # noqa: S101
    with suppress(CranfieldError, ValueError):
        return [str(name) for name in format.tabular.read_names(source)]
    return None


def _count_topics(source: Source, detected: DetectedFormat, kind: Kind) -> int | None:
    """Return the number of topics in a file."""
    try:
        names: set[str] = set()
        for table in _iter_tables(source, detected, kind):
            names.update(table.names)
        return len(names)
    except Irregular:
        records = detected.format.iter_records(source, kind, detected.options)
        return len({record.topic for record in records if isinstance(record, Record)})
    except CranfieldError:
        return None


def _iter_tables(source: Source, detected: DetectedFormat, kind: Kind) -> Iterator[Table]:
    format, options = detected.format, detected.options
    tabular = format.get_tabular(options)
    if kind == "run" and tabular is not None and (parts := tabular.get_parts(source, kind, options)) is not None:
        yield from (part() for part in parts())
    elif format.read_piece is not None and options.labels is None:
        yield from (part() for part in format.iter_parts(source, kind, options))
    else:
        yield format.read_table(source, kind, options)


def _describe_layout(
    source: Source, format: Format, layout: Layout, separator: str | None, data: bytes | None
) -> Description:
    """Describe a file of lines of named cells, such as costs, intents or scores."""
    name, columns, topics = format.name, None, None
    if data is None and format.tabular is not None:
        columns = _read_header(source, format)
    elif data is None and format.name not in BINARY and format.fields:
        name = "text"
        columns = _find_form(source, layout, separator)
    if data is None and "topic" in layout.spellings:
        with suppress(CranfieldError, ValueError, TypeError):
            cells = (line.cells for line in iter_lines(source, layout, source.name, separator))
            topics = len({str(row["topic"]) for row in cells if row.get("topic") is not None})
    return {"topics": topics or None, "format": name, "columns": columns}


def _find_form(source: Source, layout: Layout, separator: str | None) -> list[str] | None:
    """Return the fields of the first line of text."""
    if not source.first_lines:
        return None
    width = len(layout.fields(source.first_lines[0].decode("utf-8", "replace"), separator))
    return next((list(form) for form in layout.forms if len(form) == width), None)


# -- data in memory -------------------------------------------------------------------------------


def describe_rows(rows: Mapping[str, Mapping[str, float]]) -> Description:
    r"""Return hash, size, lines and topics of ``{topic: {doc: value}}`` as lines ``topic\tdoc\tvalue``.

    >>> describe_rows({"301": {"a": 2}})["lines"]
    1
    """
    lines = [
        f"{topic}\t{doc}\t{float(value)!r}\n".encode("utf-8", "surrogatepass")
        for topic, docs in rows.items()
        for doc, value in docs.items()
    ]
    content = {"lines": len(lines), "topics": len(rows), "format": MEMORY, "columns": ["topic", "doc", "value"]}
    return {**_hash_blocks(sorted(lines)), **content}


def describe_catalogue(name: str, role: str) -> Description:
    """Return hash, size, lines and topics of the judgments or the run of a collection of ir_datasets."""
    rows = catalogues.read_judgments(name, False) if role == "qrels" else catalogues.read_scores(name)
    by_topic: dict[str, dict[str, float]] = {}
    for topic, doc, value in rows:
        by_topic.setdefault(topic, {})[doc] = value
    return {**describe_rows(by_topic), "format": "irds"}


def describe_text(text: str, format: str) -> Description:
    """Return hash, size and lines of a text that is part of cranfield."""
    stored = _hash_blocks([text.encode()])
    return {**stored, "lines": len(text.splitlines()), "topics": None, "format": format, "columns": None}


# -- finding files again --------------------------------------------------------------------------


def find_input(directories: Iterable[str], path: str, sha256: str | None, size: int | None) -> str | None:
    """Return the file of an input: by path, then by name, then by size and hash. None if it is missing."""
    directories = [*directories]
    name = path.rpartition("/")[2]
    for directory in directories:
        for candidate in (os.path.join(directory, *path.split("/")), os.path.join(directory, name)):
            if path != "-" and os.path.isfile(candidate):
                return candidate
        if match := _find_by_hash(directory, sha256, size):
            return match
    return None


def _find_by_hash(directory: str, sha256: str | None, size: int | None) -> str | None:
    with suppress(OSError):
        for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
            if entry.is_file() and entry.stat().st_size == size and hash_stored(entry.path)["sha256"] == sha256:
                return entry.path
    return None
