"""Data of a track's organisers: topics, gains per topic, and teams of runs."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, detect_layout_format, get_location, iter_lines
from cranfield.data.reading.columns import SPELLINGS, TOPICS
from cranfield.data.reading.formats import JSON, detect_format, guess_format
from cranfield.data.reading.lines import (
    BLANK,
    check_not_empty,
    iter_text_lines,
    split_fields,
    truncate_text,
)
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_names

TopicsLike: TypeAlias = Any  # names of topics as a list or 101,102, a path, or @FILE
EVERY_TOPIC = ("judged", "common")  # all judged topics, or judged topics in every run
TeamsLike: TypeAlias = Any  # a path, {run: team}, or a frame with the columns run and team


def read_named_topics(data: TopicsLike, or_file: bool = False) -> tuple[str, ...] | None:
    """Return the named topics, or None for all judged topics or all common topics.

    >>> read_named_topics("common"), read_named_topics("101")
    (None, ('101',))
    """
    is_default = data is None or (isinstance(data, str) and data in EVERY_TOPIC)
    return None if is_default else read_topics(data, or_file)


def read_topics(data: TopicsLike, or_file: bool = False) -> tuple[str, ...]:
    """Read topic names from a list, a text or a file: see `choose_topics`.

    A file is a path object or ``@FILE``. With `or_file`, a text may be the name of a file.

    >>> read_topics("101, 102"), read_topics([101, 102])
    (('101', '102'), ('101', '102'))
    """
    if isinstance(data, TopicNames):
        return data
    location, file = "topics", find_topics_file(data, or_file)
    if file is not None:
        return TopicNames.from_parts([TopicFile.read(Source.from_path(file))])
    if isinstance(data, str):
        data = filter(None, map(str.strip, data.split(",")))
    elif not isinstance(data, Iterable):
        raise InputError(repr(data), "names of topics, or @FILE", location)
    names = tuple(dict.fromkeys(map(str, data)))
    check_not_empty(names, "topics", location)
    return names


def join_topics(texts: Iterable[str]) -> TopicNames:
    """Return the topics of several texts, each with topics or @FILE."""
    read = map(read_topics, texts)
    return TopicNames.from_parts([part for names in read for part in getattr(names, "parts", None) or [names]])


def find_topics_file(data: TopicsLike, or_file: bool = False) -> str | os.PathLike[str] | None:
    """Return the path of a topics file, or None: see `read_topics`."""
    if isinstance(data, str):
        exists = or_file and (data == "-" or os.path.isfile(data))
        return data.removeprefix("@") if exists or data.startswith("@") else None
    return data if isinstance(data, os.PathLike) else None


class TopicNames(tuple[str, ...]):
    """Names of topics. `choose_topics` decides how files among `parts` are read.

    `notes` report these decisions.
    """

    parts: tuple[tuple[str, ...] | TopicFile, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_parts(cls, parts: Sequence[tuple[str, ...] | TopicFile]) -> TopicNames:
        names = [part.names if isinstance(part, TopicFile) else part for part in parts]
        topics = cls(dict.fromkeys(chain.from_iterable(names)))
        topics.parts = tuple(parts)
        return topics


def choose_topics(
    selection: Sequence[str],
    valid_topics: Collection[str],
    owner: str = "judgments",
    strict: bool = True,
) -> TopicNames:
    """Return the named topics. With `strict`, an unknown topic is an error.

    A file is read in one way. If it is a qrels file, a run or a table with a topic column, its
    topics are used. Otherwise, if a line with spaces is a known topic, each line is a topic.
    Otherwise, the first word of each line is a topic, which `notes` report.
    """
    names: dict[str, None] = {}
    notes = []
    for part in getattr(selection, "parts", ()) or [selection]:
        topics, note = part.choose(valid_topics) if isinstance(part, TopicFile) else (part, "")
        names |= dict.fromkeys(topics)
        notes += [note] * bool(note)
        for place, topic in enumerate(topics if strict else ()):
            if topic not in valid_topics:
                location = part.locate(place) if isinstance(part, TopicFile) else ()
                raise make_unknown_topic_error(topic, valid_topics, owner, *location)
    result = TopicNames(names)
    result.notes = tuple(notes)
    return result


@dataclass(frozen=True)
class TopicFile:
    """File with topics: its lines, and its topics if it is qrels, a run or a table."""

    where: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]  # of the lines
    column: tuple[str, ...] | None

    @classmethod
    def read(cls, source: Source) -> TopicFile:
        """Read a file, which has at least one topic."""
        column = _read_topic_column(source)
        lines = {n: line.strip(BLANK) for n, line in iter_text_lines(source)} if _is_text(source) else {}
        check_not_empty(lines if column is None else column, "topics", source.name)
        return cls(source.name, tuple(lines.values()), tuple(lines), column)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of topics before `choose` compares them with the known topics."""
        return self.lines if self.column is None else self.column

    def locate(self, topic: int) -> tuple[str, int | None]:
        """Return the path and line of a topic, given its index in the result of `choose`."""
        return self.where, self.numbers[topic] if self.column is None else None

    def choose(self, valid_topics: Collection[str]) -> tuple[Sequence[str], str]:
        """Return the topics, and a note if lines are shortened: see `choose_topics`."""
        spaced = [line for line in self.lines if len(line.split()) > 1]
        spaced_topic = next((line for line in spaced if line in valid_topics), None)
        if self.column is not None:
            if spaced_topic is not None:
                problem = f"line {truncate_text(spaced_topic)} is a topic, but the file is"
                problem += " also a table of topics"
                fix = "Write one topic on each line, or a table with the column topic."
                raise InputError.from_problem(problem, fix, self.where)
            return self.column, ""
        if spaced_topic is not None or not spaced:
            return self.lines, ""
        tabs = all("\t" in line for line in self.lines)
        cut = [line.partition("\t")[0].strip() if tabs else line.split()[0] for line in self.lines]
        part = "the field before the tab" if tabs else "the first word"
        return cut, f"{self.where}: {part} of each line is read as the topic"


COLUMN = Layout((("topic",),), ("topic",), {"topic": (*TOPICS, "_id", "id")}, table="topics")


def _is_text(source: Source) -> bool:
    """Return True if a file has lines, and is neither JSON nor binary."""
    format = guess_format(source)
    return format is not JSON and (format.tabular is None or format.tabular.headed)


def _read_topic_column(source: Source) -> tuple[str, ...] | None:
    """Return the topics of qrels, a run or a table with a topic column, or None."""
    first = source.first_lines[0].decode("utf-8", "replace") if source.first_lines else ""
    layout = COLUMN.with_choices()
    headed = any(sign in first and layout.is_header(first.split(sign)) for sign in "\t,;")
    format = detect_layout_format(source, layout) if headed else guess_format(source)
    if format is JSON:
        return _read_json_topics(source, read_json(source))
    if format.tabular is not None and (headed or not format.tabular.headed):
        return tuple(dict.fromkeys(line.get_name("topic") for line in iter_lines(source, layout, "")))
    if all(len(line.split()) == 1 for line in source.first_lines):
        return None
    return _read_record_topics(source)


def _read_json_topics(source: Source, data: Any) -> tuple[str, ...] | None:
    """Return the topics of a list of ids, ``{topic: query}``, qrels or a run."""
    if isinstance(data, list) and not any(isinstance(item, Mapping | list) for item in data):
        return tuple(dict.fromkeys(map(str, data)))
    if isinstance(data, Mapping) and all(isinstance(query, str) for query in data.values()):
        return tuple(map(str, data))
    topics = _read_record_topics(source) or _read_row_topics(data)
    if topics is None:
        raise InputError("other JSON", "topics, judgments or results", source.name)
    return topics


def _read_row_topics(data: Any) -> tuple[str, ...] | None:
    """Return the topics of rows that all have a topic, such as the rows of a pool."""
    rows = data if isinstance(data, list) else []
    layout = COLUMN.with_choices()
    spellings = replace(layout, spellings={"topic": TOPICS}, cache={})
    topics = [row.get(spellings.resolve_columns(row).get("topic", "")) for row in rows if isinstance(row, Mapping)]
    if not topics or None in topics or len(topics) < len(rows):
        return None
    return tuple(dict.fromkeys(map(str, topics)))


def _read_record_topics(source: Source) -> tuple[str, ...] | None:
    """Return the topics of judgments or results, None if a line is neither."""
    try:
        decision = detect_format(source)
    except InputError:
        return None
    format, text = decision.format, decision.options
    kind = format.detect_kind(source, text)
    try:
        parts = format.iter_parts(source, kind, text) if format.read_piece else iter([])
        names = [part().names for part in parts] or [format.read_table(source, kind, text).names]
        return tuple(dict.fromkeys(chain.from_iterable(names)))
    except Irregular:
        records = [*format.iter_records(source, kind, text)]
    if not all(isinstance(record, Record) for record in records):
        return None
    return tuple(dict.fromkeys(record.topic for record in records if isinstance(record, Record)))


def make_unknown_topic_error(
    topic: str,
    valid_topics: Collection[str],
    owner: str = "judgments",
    location: str | None = None,
    line: int | None = None,
) -> InputError:
    """Return the error for an unknown topic, with a similar known topic."""
    from difflib import get_close_matches

    suggestions = [f"@{topic}"] if os.path.isfile(topic) else get_close_matches(topic, valid_topics, 1)
    names = format_names([*valid_topics], "topic")
    problem = f"topic {topic!r} is not in the {owner}: {names}"
    fix = "".join(f"Did you mean {x}?" for x in suggestions)
    return InputError.from_problem(problem, fix, location, line)


def read_gains(source: Source) -> dict[str, str]:
    """Read ``{topic: gains}`` from lines ``topic 1:2:3``."""
    gains: dict[str, str] = {}
    for number, line in iter_text_lines(source):
        fields = split_fields(line, None)
        if len(fields) != 2 or fields[0] in gains:
            expected = "a topic and its gains, each topic once"
            raise InputError(repr(line.strip()), expected, source.name, number)
        gains[fields[0]] = fields[1]
    check_not_empty(gains, "gains", source.name, "a topic and its gains on each line")
    return gains


def read_teams(data: TeamsLike) -> dict[str, str]:
    """Read ``{run: team}`` from a path, a mapping, a frame or tuples."""
    if isinstance(data, Mapping):
        data = data.items()
    elif not (isinstance(data, Iterable | str | os.PathLike) or is_frame(data)):
        raise InputError(repr(data), "teams as a path, {run: team} or a frame")
    teams: dict[str, str] = {}
    for line in iter_lines(data, TEAMS, "teams"):
        run, team = line.cells["run"], line.cells["team"]
        if team is None:
            expected = "a run and its team, or a header with the columns run and team"
            raise line.make_error(repr(run), expected)
        if not (isinstance(run, str) and isinstance(team, str) and run and team):
            raise line.make_error(f"{run!r}: {team!r}", "a run and its team")
        if run in teams:
            raise line.make_duplicate_error(f"run {run!r}")
        teams[run] = team
    check_not_empty(teams, "teams", get_location(data, "teams"), "a run and its team on each line")
    return teams


def _split_fields(line: str, separator: str | None) -> list[str | None]:
    """Return a run and its team, which may contain spaces or be missing."""
    run, *team = (field.decode().strip(BLANK) for field in line.encode().split(maxsplit=1))
    return [run, team[0] if team else None]


TEAMS = Layout(
    (("run", "team"),),
    ("run", "team"),
    {"run": SPELLINGS["tag"], "team": ("team", "team_id", "group", "participant")},
    header=("team",),
    table="teams",
    fields=_split_fields,
    expected_columns="run and team",
)
