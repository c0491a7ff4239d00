"""Impression logs: a row for each document that a user saw, with its rank and clicks.

Tables have a session or an impression, a query, a document, `clicked`, and optionally the rank, the time
and the `team` of the document in an interleaved ranking. Outcomes of interleaving can also be rows with
the credits of two runs.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.cells import Layout, get_location, list_columns, read_lines
from cranfield.data.reading.columns import SPELLINGS, TOPICS
from cranfield.data.reading.contents import is_empty
from cranfield.data.reading.lines import Line, format_value, parse_finite, parse_integer
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count, format_names

ImpressionsLike: TypeAlias = Any  # a path, a frame or a list of mappings

_TOPIC = ("topic", "topic_id", "topic-id", "topicid")
COLUMNS: Mapping[str, Sequence[str]] = {
    "impression": ("impression_id", "impression", "serp_id", "search_id", "page_view_id", "request_id",
                   "query_number", "query_no"),
    "session": ("session_id", "session", "session_number", "visit_id"),
    "clicked": ("clicked", "click", "is_clicked", "is_click", "clicks"),
    "team": ("team", "ranker", "run", "system", "run_id", "variant"),
    "topic": _TOPIC,
    "query": (*(name for name in TOPICS if name not in _TOPIC), "query_text", "search_text", *_TOPIC),
    "doc": (*SPELLINGS["doc"], "url", "id"),
    "rank": ("rank", "position", "doc_position"),
    "time": ("time", "timestamp", "event_time", "datetime", "created_at", "date"),
}  # fmt: skip
LAYOUT = Layout(
    (("session", "query", "doc", "rank", "clicked", "time"),), ("clicked", "doc", "query"), COLUMNS, table="impressions"
)
CREDITS = Layout(
    (("query", "run", "other", "credit_a", "credit_b"),),
    ("credit_a", "credit_b", "query"),
    {
        "credit_a": ("credit_a", "clicks_a", "a_clicks", "credits_a"),
        "credit_b": ("credit_b", "clicks_b", "b_clicks", "credits_b"),
        "run": ("run_a", "run1", "system_a", "team_a", "ranker_a", "a"),
        "other": ("run_b", "run2", "system_b", "team_b", "ranker_b", "b"),
        "query": (*TOPICS, "query_text"),
    },
    table="impressions",
)
CLICKED = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
NO_TEAM = ("", "both", "none", "shared", "-")  # documents without credit
ADD_IMPRESSION = "Add a column impression with an id for each page of results."


class Shown(NamedTuple):
    """Document that a user saw."""

    line: Line
    doc: str
    rank: int | None
    clicked: bool
    time: float | None
    team: str | None


@dataclass(frozen=True, eq=False)
class Impression:
    """Ranking that a user saw after a query, in the order of ranks."""

    session: str
    query: str
    topic: str | None
    shown: tuple[Shown, ...]

    @property
    def need(self) -> str:
        """The topic, or the query if the log has no topics."""
        return self.query if self.topic is None else self.topic

    @property
    def time(self) -> float | None:
        """The first time, or None if a row has none."""
        times = [x.time for x in self.shown]
        return None if None in times else min(time for time in times if time is not None)

    @property
    def clicks(self) -> list[Shown]:
        """The clicked documents, by time and rank."""
        clicks = [x for x in self.shown if x.clicked]
        return clicks if self.time is None else sorted(clicks, key=lambda x: x.time or 0.0)

    @property
    def teams(self) -> set[str]:
        """The teams with a document."""
        return {x.team for x in self.shown if x.team is not None}


@dataclass(frozen=True, eq=False)
class ImpressionLog:
    """Impressions in input order.

    >>> row = {"session": "s1", "query": "lamp", "doc": "d1", "rank": 1, "clicked": 0}
    >>> read_impressions([row, {**row, "doc": "d2", "rank": 2, "clicked": 1}])
    ImpressionLog: 1 impression of 1 session
    """

    impressions: tuple[Impression, ...]
    where: str
    notes: tuple[str, ...] = ()
    has_sessions: bool = True  # without sessions, each impression is one

    def __repr__(self) -> str:
        sessions = format_count(len({x.session for x in self.impressions}), "session")
        return f"ImpressionLog: {format_count(len(self.impressions), 'impression')} of {sessions}"

    @property
    def teams(self) -> list[str]:
        """The teams, or runs, in input order."""
        return list(dict.fromkeys(x.team for each in self.impressions for x in each.shown if x.team is not None))

    @property
    def topics(self) -> list[str]:
        """The topics, or the queries if the log has no topics."""
        return list(dict.fromkeys(impression.need for impression in self.impressions))

    @property
    def is_interleaved(self) -> bool:
        """True if an impression has documents of several teams."""
        return any(len(impression.teams) > 1 for impression in self.impressions)

    def group_by_session(self) -> dict[tuple[str, str], list[Impression]]:
        """Return the impressions of each topic and session, in order of time.

        The topic is the information need. Without a column topic, it is the only query of the session.
        """
        sessions: dict[tuple[str, str], list[Impression]] = {}
        for impression in self.impressions:
            query = "" if self.has_sessions else impression.query
            sessions.setdefault((impression.session, query), []).append(impression)
        return {
            (topic, session): impressions
            for (session, _), parts in sessions.items()
            for topic, impressions in _split_by_topic(session, _sort_by_time(parts)).items()
        }


def _sort_by_time(impressions: list[Impression]) -> list[Impression]:
    """Return the impressions in order of time, or in input order if a time is missing."""
    if any(impression.time is None for impression in impressions):
        return impressions
    return sorted(impressions, key=lambda impression: impression.time or 0.0)


def _split_by_topic(session: str, impressions: Sequence[Impression]) -> dict[str, list[Impression]]:
    """Group the impressions of a session by topic. Raise InputError for several queries without topics."""
    by_topic: dict[str, list[Impression]] = {}
    for impression in impressions:
        by_topic.setdefault(impression.need, []).append(impression)
    if len(by_topic) > 1 and impressions[0].topic is None:
        problem = f"session {session} has {len(by_topic)} queries ({', '.join([*by_topic][:3])}) and no topic"
        fix = "Add a column topic with the information need of the session."
        raise impressions[0].shown[0].line.make_problem(problem, fix)
    return by_topic


# -- reading --------------------------------------------------------------------------------------


def is_impression_log(data: ImpressionsLike) -> bool:
    """Return True for a table with clicked documents of sessions or impressions.

    >>> is_impression_log([{"session": "s1", "query": "lamp", "doc": "d1", "clicked": 0}])
    True
    """
    layout = LAYOUT.with_choices()
    columns = layout.resolve_columns(list_columns(data, layout)).keys()
    return {"clicked", "doc"} <= columns and not columns.isdisjoint(("session", "impression"))


def read_impressions(data: ImpressionsLike) -> ImpressionLog:
    """Read an impression log from the path of a table, a frame or a list of mappings.

    An impression has the rows with the same session and impression, or with the same session and query.
    If a session has a query more than once, the time separates its impressions. Without sessions, the rows
    of an impression and a query are a session.
    """
    location = get_location(data, "impressions")
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in read_lines(data, LAYOUT, "impressions"):
        groups.setdefault(_find_key(line), []).append(line)
    lines = [group[0] for group in groups.values()]
    first = lines[0].cells
    impressions = [x for key, group in groups.items() for x in _build_impressions(key[0], group)]
    notes = []
    if "time" not in first:
        notes.append("no column time: impressions and clicks are in the order of rows and ranks")
    if "rank" not in first:
        notes.append("no column rank: documents are in the order of rows")
    return ImpressionLog(tuple(impressions), location, tuple(notes), "session" in first)


def _find_key(line: Line) -> tuple[str, str]:
    """Return the session of a row, and its impression or query. The session can be the impression."""
    if "session" not in line.cells and "impression" not in line.cells:
        raise line.make_error("columns without session and impression", "a column session or impression")
    if "session" not in line.cells:
        return line.get_name("impression"), line.get_name("query")
    return line.get_name("session"), line.get_name("impression" if "impression" in line.cells else "query")


def _build_impressions(session: str, lines: Sequence[Line]) -> Iterator[Impression]:
    """Yield the impression of a group of rows, or several if their times differ and documents repeat."""
    rows = [_read_row(line) for line in lines]
    duplicate = _find_duplicate(rows)
    if duplicate is None:
        yield _build_impression(session, rows)
        return
    line, error = duplicate
    by_time: dict[float | None, list[Shown]] = {}
    for row in rows:
        by_time.setdefault(row.time, []).append(row)
    if "impression" in line.cells or None in by_time or any(map(_find_duplicate, by_time.values())):
        raise error
    for part in by_time.values():
        if [row.rank for row in part] != list(range(1, len(part) + 1)):  # times of clicks, not of pages
            raise error
        yield _build_impression(session, part)


def _build_impression(session: str, rows: Sequence[Shown]) -> Impression:
    first = rows[0].line
    query, topic = first.get_name("query"), first.get_name("topic") if "topic" in first.cells else None
    for row in rows[1:]:
        if row.line.get_name("query") != query or (topic is not None and row.line.get_name("topic") != topic):
            problem = f"impression {first.cells.get('impression')} has two queries: {query!r}"
            raise row.line.make_problem(f"{problem} and {row.line.get_name('query')!r}", ADD_IMPRESSION)
    shown = sorted(rows, key=lambda row: row.rank or 0) if rows[0].rank is not None else rows
    return Impression(session, query, topic, tuple(shown))


def _find_duplicate(rows: Iterable[Shown]) -> tuple[Line, InputError] | None:
    """Return the first row with a document or rank of a former row, and its error; None if there is none."""
    lines: dict[tuple[str, Any], Line] = {}
    for row in rows:
        for noun, value in (("document", row.doc), ("rank", row.rank)):
            first = lines.setdefault((noun, value), row.line)
            if value is not None and first is not row.line:
                name = repr(value) if noun == "document" else str(value)
                query = f"query {row.line.get_name('query')!r} of the same session or impression"
                place = f" (first on line {first.number})" if first.number else ""
                problem = f"{noun} {name} again for {query}{place}"
                fix = "" if "impression" in row.line.cells else ADD_IMPRESSION
                return row.line, row.line.make_problem(problem, fix)
    return None


def _read_row(line: Line) -> Shown:
    rank = None
    if "rank" in line.cells:
        rank = parse_integer(line.cells["rank"], 1)
        if rank is None:
            raise line.make_error(f"rank {format_value(line.cells['rank'])}", "an integer ≥ 1")
    team = str(line.cells.get("team") or "").strip()
    return Shown(
        line,
        line.get_name("doc"),
        rank,
        _read_clicked(line),
        _read_time(line),
        None if team.lower() in NO_TEAM else team,
    )


def _read_clicked(line: Line) -> bool:
    """Return True for a clicked document. Raise InputError for click rates and other values."""
    cell = line.cells["clicked"]
    number = parse_finite(cell)
    if number is not None and number >= 0 and number == int(number):
        return number > 0
    word = CLICKED.get(str(cell).strip().lower())
    if word is None:
        is_rate = number is not None and 0 < number < 1
        hint = "click rates are no clicks: use a row for each shown document" if is_rate else ""
        raise line.make_error(f"clicked {format_value(cell)}", "0 or 1", hint)
    return word


def _read_time(line: Line) -> float | None:
    """Return the time of a row in seconds, from a number or an ISO 8601 text. Times without a zone are UTC."""
    cell = line.cells.get("time")
    if is_empty(cell):
        return None
    if (number := parse_finite(cell)) is not None:
        return number
    try:
        moment = cell if isinstance(cell, datetime.datetime) else datetime.datetime.fromisoformat(str(cell).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        raise line.make_error(f"time {format_value(cell)}", "a number or a time such as 2026-05-03T10:00:00") from None


# -- sessions -------------------------------------------------------------------------------------


def list_ranked(impression: Impression) -> list[str]:
    """Return the documents of an impression. Raise InputError if a rank is missing."""
    for place, row in enumerate(impression.shown, 1):
        if row.rank not in (None, place):
            problem = f"no row for rank {place} of query {impression.query!r} in session {impression.session}"
            raise row.line.make_problem(problem, "A log needs a row for every shown document, from rank 1.")
    return [row.doc for row in impression.shown]


# -- interleaving ---------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Credits of two runs for an impression."""

    query: str
    runs: tuple[str, str]
    credits: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Interleaving:
    """Outcomes of impressions with a click, and notes."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]

    @property
    def topics(self) -> list[str]:
        """The queries."""
        return list(dict.fromkeys(outcome.query for outcome in self.outcomes))


def is_interleaving(data: ImpressionsLike) -> bool:
    """Return True for the credits of two runs, or an impression log with teams.

    >>> is_interleaving([{"query": "lamp", "clicks_a": 2, "clicks_b": 0}])
    True
    """
    return _has_credits(data) or is_impression_log(data)


def _has_credits(data: ImpressionsLike) -> bool:
    layout = CREDITS.with_choices()
    return layout.resolve_columns(list_columns(data, layout)).keys() >= {*layout.required}


def read_interleaving(data: ImpressionsLike) -> Interleaving:
    """Read the outcomes of interleaved impressions. A click is a credit for the team of the document.

    Impressions without credits decide nothing and are excluded.

    >>> row = {"impression": "i1", "query": "lamp", "rank": 1, "doc": "d1", "clicked": 0, "team": "A"}
    >>> read_interleaving([row, {**row, "rank": 2, "doc": "d2", "clicked": 1, "team": "B"}]).outcomes
    (Outcome(query='lamp', runs=('A', 'B'), credits=(0, 1)),)
    """
    location = get_location(data, "impressions")
    notes: list[str] = []
    if _has_credits(data):
        outcomes = [_read_credits(line) for line in read_lines(data, CREDITS, "impressions")]
    else:
        outcomes, notes = _count_credits(read_impressions(data))
    decided = tuple(outcome for outcome in outcomes if any(outcome.credits))
    if not decided:
        raise InputError.from_problem("no impression has a credited click", "", location)
    without = len(outcomes) - len(decided)
    if without:
        notes.append(f"{format_count(without, 'impression')} without a credited click excluded")
    return Interleaving(decided, tuple(notes))


def _read_credits(line: Line) -> Outcome:
    values = []
    for name in ("credit_a", "credit_b"):
        value = parse_finite(line.cells[name])
        if value is None or value < 0:
            raise line.make_error(f"{name} {format_value(line.cells[name])}", "a number ≥ 0")
        values.append(value)
    runs = [line.get_name(name) if name in line.cells else name[-1] for name in ("run", "other")]
    names = (runs[0], runs[1]) if "run" in line.cells and "other" in line.cells else ("a", "b")
    if names[0] == names[1]:
        raise line.make_problem(f"run {names[0]!r} compared with itself")
    return Outcome(line.get_name("query"), names, (values[0], values[1]))


def _count_credits(log: ImpressionLog) -> tuple[list[Outcome], list[str]]:
    """Return the outcome of each impression, and notes."""
    teams = log.teams
    if len(teams) != 2:
        count = format_names(teams, "team") if teams else "no column team"
        raise InputError.from_problem(count, "Interleaving needs a column team with two runs.", log.where)
    if not log.is_interleaved:
        problem = "every impression has documents of one team: this is no interleaving"
        raise InputError.from_problem(problem, "Use `cranfield session` for logs of separate runs.", log.where)
    runs = teams[0], teams[1]
    outcomes = []
    for impression in log.impressions:
        clicks = [row.team for row in impression.clicks]
        outcomes.append(Outcome(impression.need, runs, (clicks.count(runs[0]), clicks.count(runs[1]))))
    uncredited = sum(row.team is None for each in log.impressions for row in each.clicks)
    notes = [f"{format_count(uncredited, 'click')} on documents of no team, without credit"] if uncredited else []
    return outcomes, notes
