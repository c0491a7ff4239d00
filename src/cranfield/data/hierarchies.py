"""Hierarchies of subtopics with two levels.

A run of IMine's subtopic mining has ten fields on each line, separated by semicolons:
``topic;0;first-level subtopic;rank;score;0;second-level subtopic;rank;score;tag``. The gold
hierarchy has ``topic;second-level intent;first-level intent``. Tables name their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from cranfield.data.orders import Ties
from cranfield.data.reading.cells import Layout, get_location, read_lines
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line
from cranfield.data.systems import RunNames, group_by_tag, require_one
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_count

HierarchyLike: TypeAlias = Any  # a path, {topic: {first: [second, …]}}, a frame, tuples
ParentsLike: TypeAlias = Any  # a path, {topic: {second: first}}, a frame, tuples

SEPARATOR = ";"
FIRST = ("first", "first_level", "first_level_subtopic", "subtopic1", "level1")
SECOND = ("second", "second_level", "second_level_subtopic", "subtopic2", "level2")
RUN = Layout(
    (("topic", "0", "first", "rank1", "score1", "0", "second", "rank2", "score2", "tag"),),
    ("topic", "first", "second"),
    {
        "topic": SPELLINGS["topic"],
        "first": FIRST,
        "second": SECOND,
        "rank1": ("rank1", "first_rank", "first_level_rank"),
        "score1": ("score1", "first_score", "first_level_score"),
        "rank2": ("rank2", "second_rank", "second_level_rank"),
        "score2": ("score2", "second_score", "second_level_score"),
        "tag": SPELLINGS["tag"],
    },
    table="hierarchy",
)
PARENTS = Layout(
    (("topic", "second", "first"),),
    ("topic", "second", "first"),
    {"topic": SPELLINGS["topic"], "second": SECOND, "first": FIRST},
    table="hierarchy",
)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Subtopics of one run.

    >>> read_hierarchy({"q1": {"apple pie": ["apple pie recipe", "apple pie origin"]}})
    Hierarchy 'run': 1 first-level and 2 second-level subtopics of 1 topic
    """

    name: str
    first: Mapping[str, Mapping[str, float]]  # {topic: {subtopic: sort value}}
    second: Mapping[str, Mapping[str, float]]
    parents: Mapping[str, Mapping[str, str]]  # {topic: {second-level: first-level subtopic}}
    where: str = "run"

    def __repr__(self) -> str:
        firsts, seconds = (sum(map(len, x.values())) for x in (self.first, self.second))
        subtopics = f"{firsts:,} first-level and {format_count(seconds, 'second-level subtopic')}"
        return f"Hierarchy {self.name!r}: {subtopics} of {format_count(len(self.parents), 'topic')}"


def read_hierarchy(
    data: HierarchyLike,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    separator: str = SEPARATOR,
) -> Hierarchy:
    """Read the subtopics of a run from a path, a mapping, a frame or tuples.

    `ties` is the order of both rankings, as for runs: by score (``trec``, the default if there are
    scores), by ``rank`` (the default if there are only ranks), as ``given`` (the default if there
    is neither), or by score and then as in the ``file``.
    """
    hierarchy = require_one(read_hierarchies(data, ties, separator))
    return replace(hierarchy, name=name or hierarchy.name)


def read_hierarchies(
    data: HierarchyLike, ties: Ties | None, separator: str, run_names: RunNames = "tag"
) -> list[Hierarchy]:
    """Read the subtopics of all runs in the data, split by tag."""
    if isinstance(data, Hierarchy):
        return [data]
    if ties is not None:
        check_choice("ties", ties, Ties)
    groups = group_by_tag(read_lines(data, RUN, "run", separator), get_location(data, "run"), run_names)
    return [_build_hierarchy(tag, lines, ties) for tag, lines in groups.items()]


def _build_hierarchy(name: str, lines: list[Line], ties: Ties | None) -> Hierarchy:
    order = _choose_order(lines, ties)
    first: dict[str, dict[str, float]] = {}
    second: dict[str, dict[str, float]] = {}
    parents: dict[str, dict[str, str]] = {}
    for place, line in enumerate(lines):
        topic, parent, child = map(line.get_name, RUN.required)
        values, value = first.setdefault(topic, {}), _compute_value(line, order, "1", place)
        if values.setdefault(parent, value) != value and order != "given":
            problem = f"{order} {line.cells[f'{order}1']} of {parent!r} in topic {topic}"
            raise line.make_error(problem, "the same as on the lines before")
        if child in parents.setdefault(topic, {}):
            raise line.make_duplicate_error(f"second-level subtopic {child!r} in topic {topic}")
        parents[topic][child] = parent
        second.setdefault(topic, {})[child] = _compute_value(line, order, "2", place)
    return Hierarchy(name, first, second, parents, lines[0].location)


def _choose_order(lines: list[Line], ties: Ties | None) -> str:
    """Return the order of the rankings: score, rank or given."""
    candidates = {None: ("score", "rank"), "rank": ("rank",), "given": ()}.get(ties, ("score",))
    for order in candidates:
        if all(line.cells.get(f"{order}{n}") is not None for line in lines for n in "12"):
            return order
    if ties not in (None, "given"):
        raise lines[0].make_error(f"no {candidates[0]}s", f"{candidates[0]}s of both levels for ties={ties}")
    return "given"


def _compute_value(line: Line, order: str, level: str, place: int) -> float:
    """Return the sort value of a subtopic, larger first."""
    if order == "given":
        return -float(place)
    number = line.get_number(order + level, actual=f"{order} {line.cells[order + level]!r}")
    return number if order == "score" else -number


# -- the gold hierarchy ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Parents:
    """First-level intent above each second-level intent."""

    by_topic: Mapping[str, Mapping[str, str]]  # {topic: {second: first}}
    lines: Mapping[tuple[str, str], int | None]
    where: str = "parents"

    def get_parents(self, topic: str, first: tuple[str, ...], second: tuple[str, ...]) -> Mapping[str, str]:
        """Return the parent of each intent of a topic.

        Raise InputError if one is missing.
        """
        parents = self.by_topic.get(topic, {})
        for intent, parent in parents.items():
            for name, level, intents in ((intent, "second", second), (parent, "first", first)):
                if name not in intents:
                    problem = f"{level}-level intent {name!r} of topic {topic}"
                    line = self.lines[topic, intent]
                    raise InputError(problem, f"one of {', '.join(intents)}", self.where, line)
        for intent in second:
            if intent not in parents:
                problem = f"no parent of second-level intent {intent!r} of topic {topic}"
                raise InputError.from_problem(problem, where=self.where)
        return parents


def read_parents(data: ParentsLike, separator: str = SEPARATOR) -> Parents:
    """Read the gold hierarchy from a path, a mapping, a frame or tuples.

    >>> read_parents({"q1": {"recipe": "food"}}).by_topic
    {'q1': {'recipe': 'food'}}
    """
    if isinstance(data, Parents):
        return data
    parents: dict[str, dict[str, str]] = {}
    numbers: dict[tuple[str, str], int | None] = {}
    for line in read_lines(data, PARENTS, "parents", separator):
        topic, intent, parent = map(line.get_name, PARENTS.required)
        if intent in parents.setdefault(topic, {}):
            raise line.make_duplicate_error(f"parent of {intent!r} in topic {topic}")
        parents[topic][intent] = parent
        numbers[topic, intent] = line.number
    return Parents(parents, numbers, get_location(data, "parents"))
