"""Groups of judged items: equivalence classes, and groups that count as one item.

A file has ``topic doc class`` on each line, or is a table with such columns. It may be a qrels
file in NTCIREVAL's format with classes (``topic doc L2 class``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.cells import Layout, get_location, iter_lines
from cranfield.data.reading.columns import ITERATIONS, SPELLINGS
from cranfield.data.reading.formats import DIRECTORIES, NTCIR, guess_format
from cranfield.data.reading.lines import BLANK, Line, check_not_empty, split_fields
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

GroupsLike: TypeAlias = Any  # a path, {topic: {doc: class}}, a frame, tuples, or Groups
TEXT = ("topic", "doc", "class")
LAYOUT = Layout(
    (TEXT, ("topic", "doc", "L2", "class")),  # or judgments with classes, with any labels
    TEXT,
    {name: SPELLINGS[name] for name in TEXT},
    uniform=True,
    table="groups",
    expected_line=" ".join(TEXT),
    expected_columns=f"the columns {', '.join(TEXT)}",
)


@dataclass(frozen=True)
class Groups:
    """Class of each item, if it has one.

    >>> read_groups({"q1": {"Paul McCartney": "paul", "McCartney": "paul"}})
    Groups: 2 items of 1 topic
    """

    names: Mapping[str, Mapping[str, str]]  # {topic: {doc: class}}
    where: str = "classes"

    def __repr__(self) -> str:
        items = format_count(sum(map(len, self.names.values())), "item")
        return f"Groups: {items} of {format_count(len(self.names), 'topic')}"


def read_groups(data: GroupsLike, separator: str | None = None) -> Groups:
    """Read classes from a path, a mapping, a Polars or pandas frame, or tuples."""
    if isinstance(data, Groups):
        return data
    layout = LAYOUT
    if isinstance(data, str | os.PathLike):
        data = Source.from_path(data)
        format = guess_format(data, None, separator, kind="qrels")
        if format is DIRECTORIES:
            return Groups(topic_dirs.read_groups(data.path, separator), data.path)
        if format is NTCIR:  # judgments without classes also have three fields
            layout = replace(LAYOUT, forms=LAYOUT.forms[1:], fields=_split_judgment)
    elif not isinstance(data, Iterable) and not is_frame(data):
        raise InputError(repr(data), "classes as a path, a mapping, a frame or tuples")
    location = get_location(data, "classes")
    classes = _build_classes(iter_lines(data, layout, "classes", separator))
    check_not_empty(classes, "classes", location)
    return Groups(classes, location)


def _split_judgment(line: str, separator: str | None) -> list[str | None]:
    """Return the fields of a judgment, with None for a missing class."""
    fields = split_fields(line, separator)
    return [*fields, None] if len(fields) == 3 else [*fields]


def _build_classes(lines: Iterable[Line]) -> dict[str, dict[str, str]]:
    """Map each item to its class. Raise InputError if it has more than one."""
    classes: dict[str, dict[str, str]] = {}
    for line in lines:
        cells = {name: "" if x is None else str(x).strip(BLANK) for name, x in line.cells.items()}
        topic, doc, name = (cells[column] for column in TEXT)
        text = " ".join(cells.values()).rstrip()
        if "L2" in cells and line.cells["class"] is None:
            raise line.make_error(f"no class ({text!r})", "topic doc L2 class")
        if not (topic and doc and name) or ("L2" in cells and doc in ITERATIONS):
            raise line.make_error(f"{format_count(len(cells), 'field')} ({text!r})", LAYOUT.expected_line)
        first_class = classes.setdefault(topic, {}).setdefault(doc, name)
        if first_class != name:
            problem = f"conflicting classes for document {doc!r} in topic {topic}"
            raise line.make_problem(f"{problem}: {name} here, {first_class} before")
    return classes
