"""What the organisers of a track know: its topics, their gains, and whose the runs are."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, format_of, lines_of, where_of
from cranfield.data.reading.columns import SPELLINGS, TOPICS, spelt
from cranfield.data.reading.formats import decide, recognise
from cranfield.data.reading.lines import BLANK, fields_of, not_empty, short, text_lines
from cranfield.data.reading.records import Record
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
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
    """The names in a list or in a text, or those in a file: see `choose_topics`.

    A file is a path object or ``@FILE``; with `or_file`, it may be the name of one that is there.

    >>> read_topics("101, 102"), read_topics([101, 102])
    (('101', '102'), ('101', '102'))
    """
    if isinstance(data, TopicNames):
        return data
    where, file = "topics", topics_file(data, or_file)
    if file is not None:
        return TopicNames.from_parts([TopicFile.read(Source.of(file))])
    if isinstance(data, str):
        data = filter(None, map(str.strip, data.split(",")))
    elif not isinstance(data, Iterable):
        raise InputError(repr(data), "names of topics, or @FILE", where)
    found = tuple(dict.fromkeys(map(str, data)))
    not_empty(found, "topics", where)
    return found


def join_topics(texts: Iterable[str]) -> TopicNames:
    """Return the topics of several texts, each of them topics or @FILE."""
    read = map(read_topics, texts)
    return TopicNames.from_parts(
        [part for names in read for part in getattr(names, "parts", None) or [names]]
    )


def topics_file(data: TopicsLike, or_file: bool = False) -> str | os.PathLike[str] | None:
    """The file that has the topics, if it is one: see `read_topics`."""
    if isinstance(data, str):
        there = or_file and (data == "-" or os.path.isfile(data))
        return data.removeprefix("@") if there or data.startswith("@") else None
    return data if isinstance(data, os.PathLike) else None


class TopicNames(tuple[str, ...]):
    """Names of topics, some of which are in files that `choose_topics` decides how to read.

    `notes` report how it did.
    """

    parts: tuple[tuple[str, ...] | TopicFile, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_parts(cls, parts: Sequence[tuple[str, ...] | TopicFile]) -> TopicNames:
        names = [part.names if isinstance(part, TopicFile) else part for part in parts]
        made = cls(dict.fromkeys(chain.from_iterable(names)))
        made.parts = tuple(parts)
        return made


def choose_topics(
    named: Sequence[str], known: Collection[str], of: str = "judgments", strict: bool = True
) -> TopicNames:
    """Return the topics that are named, all of which are known if this is `strict`.

    A file is read in one way. If it is a qrels file, a run or a table with a topic column, its
    topics are meant. Otherwise, if a line with spaces is a known topic, each line is a topic.
    Otherwise, the first word of each line is a topic, which `notes` report.
    """
    names: dict[str, None] = {}
    notes = []
    for part in getattr(named, "parts", ()) or [named]:
        chosen, note = part.choose(known) if isinstance(part, TopicFile) else (part, "")
        names |= dict.fromkeys(chosen)
        notes += [note] * bool(note)
        for place, topic in enumerate(chosen if strict else ()):
            if topic not in known:
                where = part.place(place) if isinstance(part, TopicFile) else ()
                raise unknown_topic(topic, known, of, *where)
    made = TopicNames(names)
    made.notes = tuple(notes)
    return made


@dataclass(frozen=True)
class TopicFile:
    """A file with topics: its lines, and its topics if it is a qrels file, a run or a table."""

    where: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]  # of the lines
    column: tuple[str, ...] | None

    @classmethod
    def read(cls, source: Source) -> TopicFile:
        """Read a file, which has at least one topic."""
        column = _topic_column(source)
        lines = {n: line.strip(BLANK) for n, line in text_lines(source)} if _is_text(source) else {}
        not_empty(lines if column is None else column, "topics", source.name)
        return cls(source.name, tuple(lines.values()), tuple(lines), column)

    @property
    def names(self) -> tuple[str, ...]:
        """The topics, before it is known which there are."""
        return self.lines if self.column is None else self.column

    def place(self, topic: int) -> tuple[str, int | None]:
        """Return where a topic is, by its number among those that `choose` returns."""
        return self.where, self.numbers[topic] if self.column is None else None

    def choose(self, known: Collection[str]) -> tuple[Sequence[str], str]:
        """Return the topics, and a note if lines are shortened: see `choose_topics`."""
        spaced = [line for line in self.lines if len(line.split()) > 1]
        whole = next((line for line in spaced if line in known), None)
        if self.column is not None:
            if whole is not None:
                problem = f"line {short(whole)} is a topic, and the file is also a table of topics"
                fix = "Write one topic on each line, or a table with the column topic."
                raise InputError.problem(problem, fix, self.where)
            return self.column, ""
        if whole is not None or not spaced:
            return self.lines, ""
        tabs = all("\t" in line for line in self.lines)
        cut = [line.partition("\t")[0].strip() if tabs else line.split()[0] for line in self.lines]
        what = "the field before the tab" if tabs else "the first word"
        return cut, f"{self.where}: {what} of each line is read as the topic"


COLUMN = Layout((("topic",),), ("topic",), {"topic": (*TOPICS, "_id", "id")})


def _is_text(source: Source) -> bool:
    """Return True if a file is lines, and neither JSON nor binary."""
    format = recognise(source)
    return format.nested is None and (format.rows is None or format.rows.headed)


def _topic_column(source: Source) -> tuple[str, ...] | None:
    """Return the topics of a qrels file, a run or a table with a topic column, None of others."""
    first = source.first_lines[0].decode("utf-8", "replace") if source.first_lines else ""
    headed = any(sign in first and COLUMN.is_header(first.split(sign)) for sign in "\t,;")
    format = format_of(source, COLUMN) if headed else recognise(source)
    if format.nested is not None:
        return _json_topics(source, format.nested(source))
    if format.rows is not None and (headed or not format.rows.headed):
        return tuple(dict.fromkeys(line.name("topic") for line in lines_of(source, COLUMN, "")))
    if all(len(line.split()) == 1 for line in source.first_lines):
        return None
    return _record_topics(source)


def _json_topics(source: Source, data: Any) -> tuple[str, ...] | None:
    """Return the topics of a list of ids, of ``{topic: query}``, or of judgments or results."""
    if isinstance(data, list) and not any(isinstance(item, Mapping | list) for item in data):
        return tuple(dict.fromkeys(map(str, data)))
    if isinstance(data, Mapping) and all(isinstance(query, str) for query in data.values()):
        return tuple(map(str, data))
    topics = _record_topics(source) or _rows_topics(data)
    if topics is None:
        raise InputError("JSON of another kind", "topics, judgments or results", source.name)
    return topics


def _rows_topics(data: Any) -> tuple[str, ...] | None:
    """Return the topics of rows that all have a topic, such as the rows of a pool."""
    rows = data if isinstance(data, list) else []
    topics = [row.get(spelt(TOPICS, row)) for row in rows if isinstance(row, Mapping)]
    if not topics or None in topics or len(topics) < len(rows):
        return None
    return tuple(dict.fromkeys(map(str, topics)))


def _record_topics(source: Source) -> tuple[str, ...] | None:
    """Return the topics of judgments or results, None if a line is neither."""
    try:
        decision = decide(source)
    except InputError:
        return None
    format, text = decision.format, decision.text
    kind = format.kind_of(source, text)
    try:
        parts = format.parts(source, kind, text) if format.piece else iter([])
        names = [part().names for part in parts] or [format.table(source, kind, text).names]
        return tuple(dict.fromkeys(chain.from_iterable(names)))
    except Irregular:
        records = [*format.each(source, kind, text)]
    if not all(isinstance(record, Record) for record in records):
        return None
    return tuple(dict.fromkeys(record.topic for record in records if isinstance(record, Record)))


def unknown_topic(
    topic: str,
    known: Collection[str],
    of: str = "judgments",
    where: str | None = None,
    line: int | None = None,
) -> InputError:
    """That a topic is none of those there are, with the one that may have been meant."""
    from difflib import get_close_matches

    near = [f"@{topic}"] if os.path.isfile(topic) else get_close_matches(topic, known, 1)
    expected = f"one of the {of}' {some([*known], 'topic')}"
    hint = "".join(f"did you mean {x}?" for x in near)
    return InputError(f"topic {topic!r}", expected, where, line, hint)


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
