"""Systems side by side: which of them there are, and what they are called.

One rule for all inputs: a system is called as the user says, else by its tag; where tags clash or
there is none, by its path as given.
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
MAX_TAGS = 100  # as many runs may be in one file
PATH = (str, os.PathLike)
S = TypeVar("S", bound=Any)  # a dataclass with `name` and `where`


class SeveralRuns(InputError):
    """Lines with another tag in what was read as one run."""

    def __init__(self, tags: Sequence[str], location: str) -> None:
        hint = "run_names='file' or --run-names file takes all of a file as one"
        super().__init__(format_names(tags, "run tag"), "one run", location, hint=hint)


def check_tag_count(tags: Collection[str | None], location: str) -> None:
    """Refuse a file with so many runs that the tags are hardly those of runs."""
    if len(tags) > MAX_TAGS:
        problem = f"more than {MAX_TAGS} run tags ({', '.join(map(str, islice(tags, 3)))}, …)"
        expected = f"at most {MAX_TAGS}; --run-names file takes all of a file as one run"
        raise InputError(problem, expected, location)


def check_distinct_paths(paths: Iterable[str | os.PathLike[str]], noun: str = "run") -> None:
    """No file may be given twice."""
    places: set[str] = set()
    for path in paths:
        place = os.path.abspath(path)
        if place in places:
            raise InputError(f"{os.fspath(path)} twice", f"each {noun} once")
        places.add(place)


def is_file(value: Any) -> bool:
    """Whether this is a path or a frame: a whole system, whatever is in it."""
    return isinstance(value, PATH) or is_frame(value)


def list_systems(data: Any, is_system: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """One system or several of them, each with the name the user gave it, if any.

    >>> several({"a": "a.tsv", "b": "b.tsv"}, is_file)
    [('a', 'a.tsv'), ('b', 'b.tsv')]
    >>> several(["a.tsv", "b.tsv"], is_file), several({"item 1": [0.5, 0.5]}, is_file)
    ([(None, 'a.tsv'), (None, 'b.tsv')], [(None, {'item 1': [0.5, 0.5]})])
    """
    if isinstance(data, Mapping) and any(map(is_system, data.values())):
        return [(str(name), system) for name, system in data.items()]
    if isinstance(data, list | tuple) and any(map(is_system, data)):
        check_distinct_paths(system for system in data if isinstance(system, PATH))
        return [(None, system) for system in data]
    return [(None, data)]


def name_systems(systems: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Systems of a kind that has no tags, by name.

    >>> list(named([(None, "out/a.tsv.gz"), ("mine", "b.tsv"), (None, {"q1": "text"})]))
    ['out/a.tsv.gz', 'mine', 'system1']
    """
    check_distinct_paths(
        (system for name, system in systems if name is None and isinstance(system, PATH)), "system"
    )
    numbered = iter(["system"] if len(systems) == 1 else map("system{}".format, count(1)))
    by_name: dict[str, Any] = {}
    for name, system in systems:
        system_name = name
        if system_name is None:
            system_name = get_path_name(system) if isinstance(system, PATH) else next(numbered)
        if system_name in by_name:
            raise InputError(f"system {system_name} twice", "each system once")
        by_name[system_name] = system
    return by_name


def get_path_name(path: str | os.PathLike[str]) -> str:
    """What a file or directory is called that has no other name.

    >>> path_of("runs/bm25.txt.gz"), path_of("answers/"), path_of("-")
    ('runs/bm25.txt.gz', 'answers', 'standard input')
    """
    text = os.fspath(path)
    return Source(text.rstrip("/") or text).name


def resolve_names(systems: Sequence[S], in_memory: str = "run") -> list[S]:
    """Systems under their names; where these clash, the path as given, and the tag if need be."""
    tags, places = Counter(one.name for one in systems), Counter(one.where for one in systems)

    def name(system: S) -> str:
        if tags[system.name] == 1 or system.where == in_memory:
            return str(system.name)
        return str(system.where) if places[system.where] == 1 else f"{system.where}:{system.name}"

    for assigned, often in Counter(map(name, systems)).items():
        if often > 1:
            raise InputError(f"two runs named {assigned!r}", "different names")
    return [replace(one, name=name(one)) for one in systems]


def group_by_tag(lines: Iterable[Line], location: str, names: RunNames) -> dict[str, list[Line]]:
    """The lines of each tag; of all if they have one tag or none, or are those of one run."""
    if names == "file":
        return {location: list(lines)}
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(parse_identifier(line.cells.get("tag")) or "", []).append(line)
        check_tag_count(groups, location)
    return {tag or location: tag_lines for tag, tag_lines in groups.items()}
