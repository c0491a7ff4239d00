"""Hierarchies: subtopics of two levels, those of the second below those of the first.

A run of IMine's subtopic mining has ten fields on each line, separated by semicolons:
``topic;0;first-level subtopic;rank;score;0;second-level subtopic;rank;score;tag``. The gold
hierarchy has ``topic;second-level intent;first-level intent``. Tables name their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, read_lines, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line
from cranfield.data.run import Ties
from cranfield.data.systems import RunNames, SeveralRuns, by_tag
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.wording import counted

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
)
PARENTS = Layout(
    (("topic", "second", "first"),),
    ("topic", "second", "first"),
    {"topic": SPELLINGS["topic"], "second": SECOND, "first": FIRST},
)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The subtopics of one system.

    >>> read_hierarchy({"q1": {"apple pie": ["apple pie recipe", "apple pie origin"]}})
    Hierarchy 'run': 1 first-level and 2 second-level subtopics of 1 topic
    """

    name: str
    first: Mapping[str, Mapping[str, float]]  # {topic: {subtopic: what it is ranked by}}
    second: Mapping[str, Mapping[str, float]]
    below: Mapping[str, Mapping[str, str]]  # {topic: {second-level: first-level subtopic}}
    where: str = "run"

    def __repr__(self) -> str:
        firsts, seconds = (sum(map(len, x.values())) for x in (self.first, self.second))
        subtopics = f"{firsts:,} first-level and {counted(seconds, 'second-level subtopic')}"
        return f"Hierarchy {self.name!r}: {subtopics} of {counted(len(self.below), 'topic')}"


def read_hierarchy(
    data: HierarchyLike,
    *,
    name: str | None = None,
    ties: Ties | None = None,
    separator: str = SEPARATOR,
) -> Hierarchy:
    """The subtopics of a system from a path, a mapping, a Polars or pandas frame, or tuples.

    `ties` is the order of both lists, as for runs: by score (``trec``, the default where there
    are scores), by ``rank`` (the default where there are only ranks), as ``given`` (the default
    where there is neither), or by score and then as in the ``file``.
    """
    every = read_hierarchies(data, ties, separator)
    if len(every) > 1:
        raise SeveralRuns([one.name for one in every], every[0].where)
    return replace(every[0], name=name or every[0].name)


def read_hierarchies(
    data: HierarchyLike, ties: Ties | None, separator: str, run_names: RunNames = "tag"
) -> list[Hierarchy]:
    """The subtopics of every system that some data hold, told apart by tags."""
    if isinstance(data, Hierarchy):
        return [data]
    if ties is not None:
        one_of("ties", ties, Ties)
    each = by_tag(read_lines(data, RUN, "run", separator), where_of(data, "run"), run_names)
    return [_made(tag, lines, ties) for tag, lines in each.items()]


def _made(name: str, lines: list[Line], ties: Ties | None) -> Hierarchy:
    """The subtopics of one system."""
    by = _ranked_by(lines, ties)
    first: dict[str, dict[str, float]] = {}
    second: dict[str, dict[str, float]] = {}
    below: dict[str, dict[str, str]] = {}
    for place, line in enumerate(lines):
        topic, above, under = map(line.name, RUN.needed)
        known, value = first.setdefault(topic, {}), _value(line, by, "1", place)
        if known.setdefault(above, value) != value and by != "given":
            found = f"{by} {line.cells[f'{by}1']} of {above!r} in topic {topic}"
            raise line.error(found, "that of the lines before")
        if under in below.setdefault(topic, {}):
            raise line.error(f"{under!r} of topic {topic} again", "each second-level subtopic once")
        below[topic][under] = above
        second.setdefault(topic, {})[under] = _value(line, by, "2", place)
    return Hierarchy(name, first, second, below, lines[0].where)


def _ranked_by(lines: list[Line], ties: Ties | None) -> str:
    """What the lists are ordered by: score, rank, or as they are given."""
    wanted = {None: ("score", "rank"), "rank": ("rank",), "given": ()}.get(ties, ("score",))
    for by in wanted:
        if all(line.cells.get(f"{by}{n}") is not None for line in lines for n in "12"):
            return by
    if ties not in (None, "given"):
        raise lines[0].error(f"no {wanted[0]}s", f"{wanted[0]}s of both levels for ties={ties}")
    return "given"


def _value(line: Line, by: str, level: str, place: int) -> float:
    """What a subtopic is ranked by, larger first."""
    if by == "given":
        return -float(place)
    number = line.value(by + level, found=f"{by} {line.cells[by + level]!r}")
    return number if by == "score" else -number


# -- the gold hierarchy ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Parents:
    """The first-level intent above each second-level intent."""

    of: Mapping[str, Mapping[str, str]]  # {topic: {second: first}}
    lines: Mapping[tuple[str, str], int | None]
    where: str = "parents"

    def of_topic(
        self, topic: str, first: tuple[str, ...], second: tuple[str, ...]
    ) -> Mapping[str, str]:
        """Those of the intents of a topic, all of which must be known and have a parent."""
        known = self.of.get(topic, {})
        for intent, parent in known.items():
            for name, level, every in ((intent, "second", second), (parent, "first", first)):
                if name not in every:
                    found = f"{level}-level intent {name!r} of topic {topic}"
                    line = self.lines[topic, intent]
                    raise InputError(found, f"one of {', '.join(every)}", self.where, line)
        for intent in second:
            if intent not in known:
                found = f"no parent of second-level intent {intent!r} of topic {topic}"
                raise InputError(found, "one for each", self.where)
        return known


def read_parents(data: ParentsLike, separator: str = SEPARATOR) -> Parents:
    """The gold hierarchy from a path, a mapping, a Polars or pandas frame, or tuples.

    >>> read_parents({"q1": {"recipe": "food"}}).of
    {'q1': {'recipe': 'food'}}
    """
    if isinstance(data, Parents):
        return data
    made: dict[str, dict[str, str]] = {}
    numbers: dict[tuple[str, str], int | None] = {}
    for line in read_lines(data, PARENTS, "parents", separator):
        topic, intent, parent = map(line.name, PARENTS.needed)
        if intent in made.setdefault(topic, {}):
            raise line.error(f"the parent of {intent!r} of topic {topic} again", "each once")
        made[topic][intent] = parent
        numbers[topic, intent] = line.number
    return Parents(made, numbers, where_of(data, "parents"))
