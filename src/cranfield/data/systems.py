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

from cranfield.data.reading.lines import Line, identifier
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError
from cranfield.wording import some

RunNames: TypeAlias = Literal["tag", "file"]
TAGS = 100  # as many runs may be in one file
PATH = (str, os.PathLike)
S = TypeVar("S", bound=Any)  # a dataclass with `name` and `where`


class SeveralRuns(InputError):
    """Lines with another tag in what was read as one run."""

    def __init__(self, tags: Sequence[str], where: str) -> None:
        hint = "run_names='file' or --run-names file takes all of a file as one"
        super().__init__(some(tags, "run tag"), "one run", where, hint=hint)


def refuse_many(tags: Collection[str | None], where: str) -> None:
    """Refuse a file with so many runs that the tags are hardly those of runs."""
    if len(tags) > TAGS:
        found = f"more than {TAGS} run tags ({', '.join(map(str, islice(tags, 3)))}, …)"
        expected = f"at most {TAGS}; --run-names file takes all of a file as one run"
        raise InputError(found, expected, where)


def refuse_twice(paths: Iterable[str | os.PathLike[str]], what: str = "run") -> None:
    """No file may be given twice."""
    seen: set[str] = set()
    for path in paths:
        place = os.path.abspath(path)
        if place in seen:
            raise InputError(f"{os.fspath(path)} twice", f"each {what} once")
        seen.add(place)


def is_file(value: Any) -> bool:
    """Whether this is a path or a frame: a whole system, whatever is in it."""
    return isinstance(value, PATH) or is_frame(value)


def several(given: Any, is_system: Callable[[Any], bool]) -> list[tuple[str | None, Any]]:
    """One system or several of them, each with the name the user gave it, if any.

    >>> several({"a": "a.tsv", "b": "b.tsv"}, is_file)
    [('a', 'a.tsv'), ('b', 'b.tsv')]
    >>> several(["a.tsv", "b.tsv"], is_file), several({"item 1": [0.5, 0.5]}, is_file)
    ([(None, 'a.tsv'), (None, 'b.tsv')], [(None, {'item 1': [0.5, 0.5]})])
    """
    if isinstance(given, Mapping) and any(map(is_system, given.values())):
        return [(str(name), system) for name, system in given.items()]
    if isinstance(given, list | tuple) and any(map(is_system, given)):
        refuse_twice(system for system in given if isinstance(system, PATH))
        return [(None, system) for system in given]
    return [(None, given)]


def named(given: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Systems of a kind that has no tags, by name.

    >>> list(named([(None, "out/a.tsv.gz"), ("mine", "b.tsv"), (None, {"q1": "text"})]))
    ['out/a.tsv.gz', 'mine', 'system1']
    """
    refuse_twice((one for name, one in given if name is None and isinstance(one, PATH)), "system")
    numbered = iter(["system"] if len(given) == 1 else map("system{}".format, count(1)))
    made: dict[str, Any] = {}
    for name, one in given:
        called = name
        if called is None:
            called = path_of(one) if isinstance(one, PATH) else next(numbered)
        if called in made:
            raise InputError(f"system {called} twice", "each system once")
        made[called] = one
    return made


def path_of(path: str | os.PathLike[str]) -> str:
    """What a file or directory is called that has no other name.

    >>> path_of("runs/bm25.txt.gz"), path_of("answers/"), path_of("-")
    ('runs/bm25.txt.gz', 'answers', 'standard input')
    """
    given = os.fspath(path)
    return Source(given.rstrip("/") or given).name


def distinct(systems: Sequence[S], in_memory: str = "run") -> list[S]:
    """Systems under their names; where these clash, the path as given, and the tag if need be."""
    tags, places = Counter(one.name for one in systems), Counter(one.where for one in systems)

    def name(one: S) -> str:
        if tags[one.name] == 1 or one.where == in_memory:
            return str(one.name)
        return str(one.where) if places[one.where] == 1 else f"{one.where}:{one.name}"

    for given, often in Counter(map(name, systems)).items():
        if often > 1:
            raise InputError(f"two runs named {given!r}", "different names")
    return [replace(one, name=name(one)) for one in systems]


def by_tag(lines: Iterable[Line], where: str, names: RunNames) -> dict[str, list[Line]]:
    """The lines of each tag; of all if they have one tag or none, or are those of one run."""
    if names == "file":
        return {where: list(lines)}
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(identifier(line.cells.get("tag")) or "", []).append(line)
        refuse_many(found, where)
    return {tag or where: few for tag, few in found.items()}
