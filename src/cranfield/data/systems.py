"""Names of systems.

One rule for all inputs: the name given by the user, otherwise the tag. If tags clash or are
missing, the path as given.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any, Literal, TypeAlias, TypeVar

from cranfield.data.reading.lines import Line, parse_identifier
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError
from cranfield.wording import format_names

RunNames: TypeAlias = Literal["tag", "file"]
MAX_TAGS = 100  # maximum number of runs in a file
PATH = (str, os.PathLike)
S = TypeVar("S", bound=Any)  # a dataclass with `name` and `where`


class SeveralRuns(InputError):
    """Several run tags in data that were read as one run."""

    def __init__(self, tags: Sequence[str], location: str) -> None:
        hint = "use run_names='file' or --run-names file to read a file as one run"
        super().__init__(format_names(tags, "run tag"), "one run", location, hint=hint)


def check_tag_count(tags: Collection[str | None], location: str) -> None:
    """Raise an error for a file with so many tags that they are unlikely to be runs."""
    if len(tags) > MAX_TAGS:
        names = ", ".join(map(str, islice(tags, 3)))
        problem = f"more than {MAX_TAGS} run tags ({names}, …)"
        fix = "Use --run-names file to read a file as one run."
        raise InputError.from_problem(problem, fix, location)


def check_distinct_paths(paths: Iterable[str | os.PathLike[str]], noun: str = "run") -> None:
    """Raise an error if a file is given more than once."""
    places: set[str] = set()
    for path in paths:
        place = os.path.abspath(path)
        if place in places:
            raise InputError.from_problem(f"duplicate {noun} {os.fspath(path)}")
        places.add(place)


def is_file(value: Any) -> bool:
    """Return True for a path or a frame: a complete system."""
    return isinstance(value, PATH) or is_frame(value)


def list_systems(data: Any, is_system: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """Return (name, data) of each system. The name is None if the user gave none.

    >>> list_systems({"a": "a.tsv", "b": "b.tsv"}, is_file)
    [('a', 'a.tsv'), ('b', 'b.tsv')]
    >>> list_systems(["a.tsv", "b.tsv"], is_file), list_systems({"item 1": [0.5, 0.5]}, is_file)
    ([(None, 'a.tsv'), (None, 'b.tsv')], [(None, {'item 1': [0.5, 0.5]})])
    """
    if isinstance(data, Mapping) and any(map(is_system, data.values())):
        return [(str(name), system) for name, system in data.items()]
    if isinstance(data, list | tuple) and any(map(is_system, data)):
        check_distinct_paths(system for system in data if isinstance(system, PATH))
        return [(None, system) for system in data]
    return [(None, data)]


def name_systems(systems: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Return the systems of a kind without tags, by name.

    >>> list(name_systems([(None, "out/a.tsv.gz"), ("mine", "b.tsv"), (None, {"q1": "text"})]))
    ['out/a.tsv.gz', 'mine', 'system1']
    """
    check_distinct_paths((system for name, system in systems if name is None and isinstance(system, PATH)), "system")
    numbered = iter(["system"] if len(systems) == 1 else map("system{}".format, count(1)))
    by_name: dict[str, Any] = {}
    for name, system in systems:
        system_name = name
        if system_name is None:
            system_name = get_path_name(system) if isinstance(system, PATH) else next(numbered)
        if system_name in by_name:
            raise InputError.from_problem(f"duplicate system {system_name!r}")
        by_name[system_name] = system
    return by_name


def get_path_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file or directory without another name.

    >>> get_path_name("runs/bm25.txt.gz"), get_path_name("answers/"), get_path_name("-")
    ('runs/bm25.txt.gz', 'answers', 'standard input')
    """
    text = os.fspath(path)
    return Source(text.rstrip("/") or text).name


def require_one(systems: Sequence[S], location: str | None = None) -> S:
    """Return the only system. Raise SeveralRuns if there are several."""
    if len(systems) > 1:
        raise SeveralRuns([system.name for system in systems], location or systems[0].where)
    return systems[0]


def resolve_names(systems: Sequence[S], in_memory: str = "run") -> list[S]:
    """Return the systems with unique names: tag, or path, or path and tag."""
    tags, places = Counter(x.name for x in systems), Counter(x.where for x in systems)

    def name(system: S) -> str:
        if tags[system.name] == 1 or system.where == in_memory:
            return str(system.name)
        return str(system.where) if places[system.where] == 1 else f"{system.where}:{system.name}"

    for assigned, often in Counter(map(name, systems)).items():
        if often > 1:
            raise InputError.from_problem(f"duplicate run name {assigned!r}")
    return [replace(system, name=name(system)) for system in systems]


def group_by_tag(lines: Iterable[Line], location: str, names: RunNames) -> dict[str, list[Line]]:
    """Group lines by tag. Without tags, or with `names` ``file``, they are one group."""
    if names == "file":
        return {location: list(lines)}
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(parse_identifier(line.cells.get("tag")) or "", []).append(line)
        check_tag_count(groups, location)
    return {tag or location: tag_lines for tag, tag_lines in groups.items()}
