"""What the organisers of a track know: its topics, their gains, and whose the runs are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import Format
from cranfield.data.reading.records import fields_of, rows, text_lines
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame, polars_frame
from cranfield.errors import InputError

TopicsLike: TypeAlias = Any  # a path, or the names of topics
TeamsLike: TypeAlias = Any  # a path, {run: team}, or a frame with the columns run and team

TEAM = ("team", "team_id", "group", "participant")  # how tables call the column


def read_topics(data: TopicsLike) -> tuple[str, ...]:
    """The names in a list, or those that the lines of a file begin with."""
    where = "topics"
    if isinstance(data, str | os.PathLike):
        source = Source.of(data)
        where, data = source.name, (fields_of(line, None)[0] for _, line in text_lines(source))
    found = tuple(dict.fromkeys(map(str, data)))
    if not found:
        raise InputError("no topics", "at least one", where)
    return found


def read_gains(source: Source) -> dict[str, str]:
    """``{topic: gains}`` from the lines ``topic 1:2:3`` of a file."""
    found: dict[str, str] = {}
    for number, line in text_lines(source):
        fields = fields_of(line, None)
        if len(fields) != 2 or fields[0] in found:
            expected = "a topic and its gains, each topic once"
            raise InputError(repr(line.strip()), expected, source.name, number)
        found[fields[0]] = fields[1]
    if not found:
        raise InputError("no gains", "a topic and its gains on each line", source.name)
    return found


def read_teams(data: TeamsLike) -> dict[str, str]:
    """``{run: team}`` from a path, a mapping or a frame."""
    where = "teams"
    pairs: Iterable[tuple[int | None, Any, Any]]
    if isinstance(data, str | os.PathLike):
        source = Source.of(data)
        where, pairs = source.name, _team_rows(source)
    elif is_frame(data):
        frame = polars_frame(data, list, where)
        run, team = _run_and_team(frame.columns, where)
        pairs = ((None, *row) for row in frame.select(run, team).iter_rows())
    elif isinstance(data, Mapping):
        pairs = ((None, run, team) for run, team in data.items())
    else:
        raise InputError(repr(data), "teams as a path, {run: team} or a frame")
    made: dict[str, str] = {}
    for line, run, team in pairs:
        if not (isinstance(run, str) and isinstance(team, str) and run and team):
            raise InputError(f"{run!r}: {team!r}", "a run and its team", where, line)
        if run in made:
            raise InputError(f"run {run} again", "each run once", where, line)
        made[run] = team
    if not made:
        raise InputError("no teams", "a run and its team on each line", where)
    return made


def _team_rows(source: Source) -> Iterator[tuple[int | None, str, str]]:
    """The lines ``run team``, or the rows of a table with these columns."""
    first = next((line for _, line in text_lines(source)), "")
    formats: dict[str, Format] = {",": "csv", "\t": "tsv"}
    for separator, format in formats.items():
        if spelt(TEAM, first.split(separator)):
            yield from _team_table(source, format)
            return
    for number, line in text_lines(source):
        fields = [field.decode().strip() for field in line.encode().split(maxsplit=1)]
        if len(fields) < 2:
            expected = "a run and its team, or a header with the columns run and team"
            raise InputError(repr(line.strip()), expected, source.name, number)
        yield number, fields[0], fields[1]


def _team_table(source: Source, format: Format) -> Iterator[tuple[int | None, str, str]]:
    columns: tuple[str, str] | None = None
    for row in rows(source, format):
        if isinstance(row, InputError):
            raise row
        line, cells = row
        if columns is None:  # the header
            columns = _run_and_team(list(cells), source.name, line)
        else:
            yield line, cells[columns[0]], cells[columns[1]]


def _run_and_team(names: Sequence[str], where: str, line: int | None = None) -> tuple[str, str]:
    run, team = spelt(SPELLINGS["tag"], names), spelt(TEAM, names)
    if run is None or team is None:
        raise InputError(f"columns {', '.join(names)}", "run and team", where, line)
    return run, team
