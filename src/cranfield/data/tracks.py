"""What the organisers of a track know: its topics, their gains, and whose the runs are."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, lines_of, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import BLANK, fields_of, not_empty, text_lines
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError
from cranfield.wording import some

TopicsLike: TypeAlias = Any  # the names of topics, as a list or 101,102; or a path, or @FILE
EVERY_TOPIC = ("judged", "common")  # all judged topics; those of them that every run answers
TeamsLike: TypeAlias = Any  # a path, {run: team}, or a frame with the columns run and team


def named_topics(data: TopicsLike, or_file: bool = False) -> tuple[str, ...] | None:
    """The topics, if they are named; None stands for all that are judged, or that all answer.

    >>> named_topics("common"), named_topics("101")
    (None, ('101',))
    """
    every = data is None or (isinstance(data, str) and data in EVERY_TOPIC)
    return None if every else read_topics(data, or_file)


def read_topics(data: TopicsLike, or_file: bool = False) -> tuple[str, ...]:
    """The names in a list or in a text, or those that the lines of a file begin with.

    A file is a path object or ``@FILE``; with `or_file`, it may be the name of one that is there.

    >>> read_topics("101, 102"), read_topics([101, 102])
    (('101', '102'), ('101', '102'))
    """
    where, file = "topics", topics_file(data, or_file)
    if file is not None:
        source = Source.of(file)
        where, data = source.name, (fields_of(line, None)[0] for _, line in text_lines(source))
    elif isinstance(data, str):
        data = filter(None, map(str.strip, data.split(",")))
    elif not isinstance(data, Iterable):
        raise InputError(repr(data), "names of topics, or @FILE", where)
    found = tuple(dict.fromkeys(map(str, data)))
    not_empty(found, "topics", where)
    return found


def topics_file(data: TopicsLike, or_file: bool = False) -> str | os.PathLike[str] | None:
    """The file that has the topics, if it is one: see `read_topics`."""
    if isinstance(data, str):
        there = or_file and (data == "-" or os.path.isfile(data))
        return data.removeprefix("@") if there or data.startswith("@") else None
    return data if isinstance(data, os.PathLike) else None


def unknown_topic(topic: str, known: Collection[str], of: str = "judgments") -> InputError:
    """That a topic is none of those there are, with the one that may have been meant."""
    from difflib import get_close_matches

    near = [f"@{topic}"] if os.path.isfile(topic) else get_close_matches(topic, known, 1)
    expected = f"one of the {of}' {some([*known], 'topic')}"
    return InputError(
        f"topic {topic!r}", expected, hint="".join(f"did you mean {x}?" for x in near)
    )


def read_gains(source: Source) -> dict[str, str]:
    """``{topic: gains}`` from the lines ``topic 1:2:3`` of a file."""
    found: dict[str, str] = {}
    for number, line in text_lines(source):
        fields = fields_of(line, None)
        if len(fields) != 2 or fields[0] in found:
            expected = "a topic and its gains, each topic once"
            raise InputError(repr(line.strip()), expected, source.name, number)
        found[fields[0]] = fields[1]
    not_empty(found, "gains", source.name, "a topic and its gains on each line")
    return found


def read_teams(data: TeamsLike) -> dict[str, str]:
    """``{run: team}`` from a path, a mapping, a frame or tuples."""
    if isinstance(data, Mapping):
        data = data.items()
    elif not (isinstance(data, Iterable | str | os.PathLike) or is_frame(data)):
        raise InputError(repr(data), "teams as a path, {run: team} or a frame")
    made: dict[str, str] = {}
    for line in lines_of(data, TEAMS, "teams"):
        run, team = line.cells["run"], line.cells["team"]
        if team is None:
            expected = "a run and its team, or a header with the columns run and team"
            raise line.error(repr(run), expected)
        if not (isinstance(run, str) and isinstance(team, str) and run and team):
            raise line.error(f"{run!r}: {team!r}", "a run and its team")
        if run in made:
            raise line.error(f"run {run} again", "each run once")
        made[run] = team
    not_empty(made, "teams", where_of(data, "teams"), "a run and its team on each line")
    return made


def _two_fields(line: str, separator: str | None) -> list[str | None]:
    """A run and its team, which may have blanks in its name, or be missing."""
    run, *team = (field.decode().strip(BLANK) for field in line.encode().split(maxsplit=1))
    return [run, team[0] if team else None]


TEAMS = Layout(
    (("run", "team"),),
    ("run", "team"),
    {"run": SPELLINGS["tag"], "team": ("team", "team_id", "group", "participant")},
    told=("team",),
    fields=_two_fields,
    columns_are="run and team",
)
