"""Which judged items belong together: equivalence classes, and groups that count as one.

A file has ``topic doc class`` on each line, or is a table with such columns; it may be the
judgments themselves, in NTCIREVAL's format with classes (``topic doc L2 class``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import ITERATIONS, recognise
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import HEADED, fields_of, rows, text_lines
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted

GroupsLike: TypeAlias = Any  # a path, {topic: {doc: class}}, a frame, tuples, or Groups
EXPECTED = "topic doc class"


@dataclass(frozen=True)
class Groups:
    """The class of each item that has one.

    >>> read_groups({"q1": {"Paul McCartney": "paul", "McCartney": "paul"}})
    Groups: 2 items of 1 topic
    """

    names: Mapping[str, Mapping[str, str]]  # {topic: {doc: class}}
    where: str = "classes"

    def __repr__(self) -> str:
        items = counted(sum(map(len, self.names.values())), "item")
        return f"Groups: {items} of {counted(len(self.names), 'topic')}"


def read_groups(data: GroupsLike, separator: str | None = None) -> Groups:
    """Classes from a path, a mapping, a Polars or pandas frame, or tuples."""
    if isinstance(data, Groups):
        return data
    where = "classes"
    if isinstance(data, str | os.PathLike):
        where = os.fspath(data)
        if (inside := topic_dirs.groups(where, separator)) is not None:
            return Groups(inside, where)
        found = _of_file(Source.of(data), separator)
    elif is_frame(data):
        frame = polars_frame(data, list, where)
        found = _of_rows(((None, row) for row in frame.iter_rows(named=True)), where)
    elif isinstance(data, Mapping):
        found = _of_mapping(data, where)
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        found = ((None, tuple(row)) for row in data)
    else:
        raise InputError(repr(data), "classes as a path, a mapping, a frame or tuples")
    return Groups(_once(found, where), where)


_Line: TypeAlias = tuple[int | None, tuple[Any, ...]]


def _of_file(source: Source, separator: str | None) -> Iterator[_Line]:
    format = recognise(source, None, separator)
    if format == "json":
        yield from _of_mapping(read_json(source), source.name)
    elif format not in ("trec", "ntcir", "early"):
        yield from _of_rows(rows(source, format), source.name, format in HEADED)
    else:
        width = None
        for number, line in text_lines(source):
            fields = fields_of(line, separator)
            width = width or len(fields)
            if format == "ntcir" and len(fields) == 3:
                found = f"no class ({line.strip()!r})"
                raise InputError(found, "topic doc L2 class", source.name, number)
            if len(fields) == width == 4 and fields[1] not in ITERATIONS:
                del fields[2]  # judgments with classes, whatever their labels
            yield number, tuple(fields)


def _of_rows(
    table: Iterable[tuple[int | None, dict[str, Any]] | InputError],
    where: str,
    headed: bool = False,
) -> Iterator[_Line]:
    for row in table:
        if isinstance(row, InputError):
            raise row
        line, cells = row
        wanted = ("topic", "doc", "class")
        named = [spelt(SPELLINGS[name], cells) for name in wanted]
        if None in named:
            found = f"columns {', '.join(map(str, cells))}"
            raise InputError(found, f"the columns {', '.join(wanted)}", where, line)
        if headed:
            headed = False
        else:
            yield line, tuple(cells[name] for name in named if name is not None)


def _of_mapping(data: Any, where: str) -> Iterator[_Line]:
    if not isinstance(data, Mapping):
        raise InputError(type(data).__name__, "{topic: {doc: class}}", where)
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            found = f"{type(docs).__name__} for topic {topic!r}"
            raise InputError(found, "{doc: class}", where)
        for doc, name in docs.items():
            yield None, (topic, doc, name)


def _once(given: Iterable[_Line], where: str) -> dict[str, dict[str, str]]:
    """Each item in one class: more than one is refused, as nobody says what it would mean."""
    made: dict[str, dict[str, str]] = {}
    for line, cells in given:
        texts = ["" if cell is None else str(cell).strip() for cell in cells]
        if len(texts) != 3 or not all(texts):
            said = " ".join(texts)
            found = f"{counted(len(texts), 'field')} ({said!r})"
            raise InputError(found, EXPECTED, where, line)
        topic, doc, name = texts
        before = made.setdefault(topic, {}).setdefault(doc, name)
        if before != name:
            said = f"class {name} for document {doc} of topic {topic}"
            raise InputError(said, f"one class, {before}", where, line)
    if not made:
        raise InputError("no classes", "at least one", where)
    return made
