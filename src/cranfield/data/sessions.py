"""Sessions: rankings of several queries for one information need, and clicks.

Text has ``topic session query_number doc rank score`` on each line, and optionally the tag of the
system. A click log has ``topic session query_number clicked_rank doc_length``, and optionally the
level. Both are in order of time. Tables name such columns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from cranfield.arrays import Bools, Ints
from cranfield.data.impressions import ImpressionLog, is_impression_log, list_ranked, read_impressions
from cranfield.data.lengths import UNITS
from cranfield.data.orders import Ties
from cranfield.data.reading.cells import Layout, get_location, read_lines, read_text_columns
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line, parse_finite, parse_integer
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.trec import require_numbers
from cranfield.data.run import rank_documents
from cranfield.data.systems import (
    RunNames,
    check_distinct_paths,
    group_by_tag,
    require_one,
    resolve_names,
)
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.wording import format_count

SessionsLike: TypeAlias = Any  # a path, {topic: {session: [[doc, …], …]}}, a frame, or Sessions
ClicksLike: TypeAlias = Any  # a path, {topic: {session: [(query, rank, length), …]}}, a frame, …
Key: TypeAlias = tuple[str, str]  # topic and session

COLUMNS = {  # query before topic: the topic column may be named query
    "session": ("session", "session_id", "sessionid", "session_number"),
    "query": ("query_number", "querynumber", "query_no", "qnum", "query", "interaction"),
    "topic": ("topic", *SPELLINGS["topic"]),
    "doc": SPELLINGS["doc"],
    "rank": ("rank", "position", "clicked_rank", "clickedrank"),
    "score": SPELLINGS["score"],
    "length": (*UNITS["characters"], *UNITS[""], "doc_len"),
    "level": ("level", "relevance", "rel", "label", "grade"),
    "tag": SPELLINGS["tag"],
}
QUERY = ("topic", "session", "query")
LISTS = Layout(
    ((*QUERY, "doc", "rank", "score"), (*QUERY, "doc", "rank", "score", "tag")),
    (*QUERY, "doc"),
    COLUMNS,
    uniform=True,
    table="sessions",
)
CLICKS = Layout(
    ((*QUERY, "rank", "length"), (*QUERY, "rank", "length", "level")),
    (*QUERY, "rank"),
    COLUMNS,
    uniform=True,
    table="sessions",
)
CLICKED_DOCS = replace(CLICKS, forms=((*QUERY, "rank", "doc"), (*QUERY, "rank", "doc", "level")))
DEEPEST = 1_000_000  # maximum rank of a click
EMPTY_CELLS = (None, "", "-")


@dataclass(frozen=True, eq=False)
class Sessions:
    """Rankings of one system: for each session, one for each query, in order.

    >>> read_sessions({"q1": {"s1": [["a", "b"], ["c"]]}})
    Sessions 'run': 1 session
    """

    name: str
    lists: Mapping[Key, Sequence[Sequence[str]]]
    where: str = "sessions"
    contradicted: tuple[str, ...] = ()  # sessions with ranks that contradict scores
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Sessions {self.name!r}: {format_count(len(self.lists), 'session')}"


class Click(NamedTuple):
    """Click. Fields that are not in the log are None."""

    line: int | None
    query: int
    rank: int
    doc: str | None
    length: float | None
    level: float | None


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Clicks of users in each session, in order of time.

    >>> read_clicks({"q1": {"s1": [(1, 4, 10000), (1, 2, 5000)]}})
    ClickLog 'clicks': 2 clicks in 1 session
    """

    name: str
    sessions: Mapping[Key, Sequence[Click]]
    where: str = "clicks"
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        clicks = format_count(sum(map(len, self.sessions.values())), "click")
        return f"ClickLog {self.name!r}: {clicks} in {format_count(len(self.sessions), 'session')}"


def format_session(key: Key) -> str:
    """Format the key of a session as "topic/session"."""
    return "/".join(key)


_S = TypeVar("_S", Sessions, ClickLog)


# -- several systems ------------------------------------------------------------------------------


def read_systems(data: Any, ties: Ties | None = None, run_names: RunNames = "tag") -> list[Sessions]:
    """Read the sessions of one or several systems: a list, a dict, or several tags."""
    if ties is not None:
        check_choice("ties", ties, Ties)
    check_choice("run_names", run_names, RunNames)
    sessions: list[Sessions] = []
    for name, source in _name_sources(data, "run"):
        read = _read_each(source, ties, run_names)
        sessions += read if name is None else [replace(require_one(read), name=name)]
    return resolve_names(_require_sessions(sessions), "sessions")


def read_logs(data: Any, documents: bool = False) -> list[ClickLog]:
    """Read one or several click logs: a list, or a dict from names."""
    sources = _name_sources(data, "clicks")
    return resolve_names(
        _require_sessions([read_clicks(source, documents, name=n) for n, source in sources]),
        "clicks",
    )


def _require_sessions(systems: list[_S]) -> list[_S]:
    if not systems:
        raise InputError.from_problem("no sessions given")
    return systems


def _name_sources(data: Any, word: str) -> list[tuple[str | None, Any]]:
    """Return (name, data) of each system or log.

    The name is None if the user gave none.
    """
    if isinstance(data, Mapping) and data and all(map(_is_source, data.values())):
        return [(str(name), source) for name, source in data.items()]
    if not isinstance(data, list | tuple) or len(data) == 1:
        return [(None, data[0] if isinstance(data, list | tuple) else data)]
    check_distinct_paths(source for source in data if isinstance(source, str | os.PathLike))
    files = (str, os.PathLike, Sessions, ClickLog)
    numbered = enumerate(data, 1)
    return [(None if isinstance(source, files) else f"{word}{i}", source) for i, source in numbered]


def _is_source(value: Any) -> bool:
    """Return True for a complete system or log, False for the sessions of a topic."""
    if isinstance(value, Mapping):  # {topic: {session: …}}
        return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())
    return isinstance(value, str | os.PathLike | Sessions | ClickLog) or is_frame(value)


# -- ranked lists ---------------------------------------------------------------------------------


def read_sessions(data: SessionsLike, *, name: str | None = None, ties: Ties | None = None) -> Sessions:
    """Read the rankings of one system from a path, a mapping, a frame or tuples.

    A mapping is ``{topic: {session: [list, list, …]}}``. A list has ranked documents, or is
    ``{doc: score}``. `ties` is the order of a ranking, as for runs: ``trec`` by score, then
    document id, both descending (the default if there are scores), ``rank`` by the rank column
    (the default if there are only ranks), ``given`` in input order, or ``file`` by score, then in
    input order.
    """
    sessions = require_one(_read_each(data, ties, "tag"))
    return replace(sessions, name=name or sessions.name)


def _read_each(data: SessionsLike, ties: Ties | None, names: RunNames) -> list[Sessions]:
    """Read the sessions of every system in the data."""
    if isinstance(data, Sessions):
        if ties is not None:
            raise InputError.from_problem("sessions are already read", "Pass ties= to read_sessions.")
        return [data]
    location, name = get_location(data, "sessions"), get_location(data, "run")
    if is_impression_log(data):
        return _read_shown(data, name, location, ties)
    try:
        tag, lists = _read_columns(data)
        lists_by_tag = {name if names == "file" or not tag else tag: lists}
    except Irregular:
        lines = read_lines(data, LISTS, "sessions", nested=_flatten_lists)
        lists_by_tag = {tag: _group_by_query(tag_lines) for tag, tag_lines in group_by_tag(lines, name, names).items()}
    return [_build_sessions(lists, tag, location, ties) for tag, lists in lists_by_tag.items()]


def _read_shown(data: SessionsLike, name: str, location: str, ties: Ties | None) -> list[Sessions]:
    """Return the rankings in an impression log, for each run if each impression has one."""
    if ties not in (None, "rank"):
        raise InputError.from_problem(f"ties={ties!r} for an impression log", "Its rankings have ranks only.", location)
    log = read_impressions(data)
    if len(log.teams) > 1 and not log.is_interleaved:
        problem = f"impressions of several runs ({', '.join(log.teams[:3])}), which have different sessions"
        raise InputError.from_problem(problem, "Split the log into a file for each run.", location)
    lists = {key: [*map(list_ranked, impressions)] for key, impressions in log.group_by_session().items()}
    return [Sessions(name, lists, location, notes=log.notes)]


class _Place(NamedTuple):
    line: int | None
    score: float | None
    rank: float | None


_Lists: TypeAlias = dict[Key, list[dict[str, _Place]]]  # by session and query


def _build_sessions(by_session: _Lists, name: str, location: str, ties: Ties | None) -> Sessions:
    """Rank the documents of each query."""
    places = [place for lists in by_session.values() for docs in lists for place in docs.values()]
    order = _choose_order(places, ties, location)
    contradicted = [
        format_session(key)
        for key, lists in by_session.items()
        if order in ("trec", "file") and any(_has_rank_conflict(docs, order) for docs in lists)
    ]
    ordered = {key: [_rank_documents(docs, order) for docs in lists] for key, lists in by_session.items()}
    return Sessions(name, ordered, location, tuple(contradicted))


def _read_columns(data: SessionsLike) -> tuple[str, _Lists]:
    """Return the tag and the rankings of a valid text.

    Raise Irregular for other input.
    """
    cells = read_text_columns(data, LISTS)
    if "tag" in cells and not cells["tag"].is_constant():
        raise Irregular
    starts = np.unique(np.concatenate([cells[name].find_changes() for name in QUERY]))
    queries = _parse_integers(cells["query"][starts]).tolist()
    topics, sessions = (cells[name][starts].tolist() for name in QUERY[:2])
    scores, ranks = (require_numbers(cells[name]).tolist() for name in ("score", "rank"))
    docs = cells["doc"].tolist()
    places = [*map(_Place, range(1, len(docs) + 1), scores, ranks)]
    by_session: _Lists = {}
    bounds = pairwise([*starts.tolist(), len(docs)])
    for *key, query, (a, b) in zip(topics, sessions, queries, bounds, strict=True):
        lists = by_session.setdefault((key[0], key[1]), [])
        lists.append(dict(zip(docs[a:b], places[a:b], strict=True)))
        if query != len(lists) or len(lists[-1]) < b - a:
            raise Irregular
    return next(iter(cells["tag"][:1]), "") if "tag" in cells else "", by_session


def _parse_integers(column: Strings) -> Ints:
    """Return integers ≥ 1, or raise Irregular."""
    numbers = require_numbers(column)
    if not ((numbers >= 1) & (numbers % 1 == 0) & (numbers < 2**53)).all():
        raise Irregular
    return numbers.astype(np.int64)


def _group_by_query(lines: Iterable[Line]) -> _Lists:
    """Group rows by query. The queries of a session must be numbered 1, 2, 3, …."""
    by_session: _Lists = {}
    for line in lines:
        docs = _find_list(line, by_session)
        if line.cells["doc"] is None:
            continue  # a query without documents
        doc = line.get_name("doc")
        if doc in docs:
            query = f"query {_read_query(line)} of session {line.get_name('session')}"
            duplicate = f"document {doc!r} for {query} in topic {line.get_name('topic')}"
            raise line.make_duplicate_error(duplicate, docs[doc].line)
        docs[doc] = _Place(line.number, _read_optional(line, "score"), _read_optional(line, "rank"))
    return by_session


def _find_list(line: Line, by_session: _Lists) -> dict[str, _Place]:
    """Return the ranking of a line: of the last query of its session, or a new one."""
    key, query = (line.get_name("topic"), line.get_name("session")), _read_query(line)
    lists = by_session.setdefault(key, [])
    if query == len(lists) + 1:
        lists.append({})
    elif query != len(lists):
        position = f" after query {len(lists)}" if lists else " first"
        expected = f"{len(lists)} or {len(lists) + 1}" if lists else "1"
        text = f"query {query}{position} in session {key[1]} of topic {key[0]}"
        raise line.make_error(text, f"{expected} (queries in order of time)")
    return lists[-1]


def _read_query(line: Line) -> int:
    return _read_integer(line, "query", "query number")


def _choose_order(places: Sequence[_Place], ties: Ties | None, location: str) -> Ties:
    """Return the order of rankings, from the columns that have values on all lines."""
    options: dict[str, tuple[Ties, ...]] = {"score": ("trec", "file"), "rank": ("rank",)}
    possible: list[Ties] = []
    for name, orders in options.items():
        without = [place for place in places if getattr(place, name) is None]
        if without and (len(without) < len(places) or ties in orders):
            raise InputError(f"no {name}", f"a {name} on every line", location, without[0].line)
        possible += orders if len(without) < len(places) else ()
    return ties or (*possible, "given")[0]


def _rank_documents(docs: Mapping[str, _Place], order: Ties) -> list[str]:
    values = {doc: (-(p.rank or 0.0) if order == "rank" else p.score or 0.0) for doc, p in docs.items()}
    return rank_documents(values, order == "given", order in ("file", "rank"))


def _has_rank_conflict(docs: Mapping[str, _Place], order: Ties) -> bool:
    """Return True if ranks contradict the order by scores."""
    ranks = [docs[doc].rank for doc in _rank_documents(docs, order)]
    return any(a > b for a, b in pairwise(ranks) if a is not None and b is not None)


# -- clicks ---------------------------------------------------------------------------------------


def read_clicks(data: ClicksLike, documents: bool = False, *, name: str | None = None) -> ClickLog:
    """Read a click log from a path, a mapping, a frame or tuples.

    A mapping is ``{topic: {session: [(query, rank, length), …]}}``, with an optional level after
    the length. With `documents`, the document replaces the length. A query without clicks may have
    a line with ``-`` as rank and length.
    """
    if isinstance(data, ClickLog):
        return replace(data, name=name or data.name)
    layout = CLICKED_DOCS if documents else CLICKS
    location = get_location(data, "clicks")
    if is_impression_log(data):
        log = read_impressions(data)
        return ClickLog(name or location, _list_clicks(log), location, notes=log.notes)
    try:
        by_session = _read_click_columns(data, layout)
    except Irregular:
        by_session = _read_click_lines(data, layout, location)
    return ClickLog(name or location, by_session, location)


def _list_clicks(log: ImpressionLog) -> dict[Key, list[Click]]:
    """Return the clicks in an impression log."""
    return {
        key: [
            Click(row.line.number, query, impression.shown.index(row) + 1 if row.rank is None else row.rank,
                  row.doc, None, None)
            for query, impression in enumerate(impressions, 1)
            for row in impression.clicks
        ]
        for key, impressions in log.group_by_session().items()
    }  # fmt: skip


def _read_click_columns(data: ClicksLike, layout: Layout) -> dict[Key, list[Click]]:
    """Read the clicks of a valid text. Raise Irregular for any other input."""
    cells = read_text_columns(data, layout)
    clicked = np.flatnonzero((cells["rank"].length > 1) | ~_find_dashes(cells["rank"]))
    ranks = _parse_integers(cells["rank"][clicked])
    queries = _parse_integers(cells["query"])
    unknown: list[Any] = [None] * len(clicked)
    lengths = levels = docs = unknown
    if "doc" in cells:
        docs = cells["doc"][clicked].tolist()
    else:
        characters = require_numbers(cells["length"][clicked])
        lengths = characters.tolist()
        if (characters < 0).any():
            raise Irregular
    if "level" in cells:
        levels = require_numbers(cells["level"][clicked]).tolist()
    if (ranks > DEEPEST).any() or any(doc in EMPTY_CELLS for doc in {*docs} - {None}):
        raise Irregular
    clicks = map(
        Click, (clicked + 1).tolist(), queries[clicked].tolist(), ranks.tolist(), docs, lengths,
        levels,
    )  # fmt: skip
    by_session: dict[Key, list[Click]] = {}
    last: dict[Key, int] = {}
    topics, sessions = (cells[name].tolist() for name in QUERY[:2])
    was_clicked = np.isin(np.arange(len(topics)), clicked).tolist()
    for *key, query, is_click in zip(topics, sessions, queries.tolist(), was_clicked, strict=True):
        of_session = by_session.setdefault((key[0], key[1]), [])
        previous = last.get((key[0], key[1]), 0)
        if query > previous + 1:
            raise Irregular
        last[key[0], key[1]] = max(query, previous)
        if is_click:
            of_session.append(next(clicks))
    return by_session


def _find_dashes(column: Strings) -> Bools:
    return np.asarray(column.buffer[column.start] == ord("-"))


def _read_click_lines(data: ClicksLike, layout: Layout, location: str) -> dict[Key, list[Click]]:
    by_session: dict[Key, list[Click]] = {}
    queries: dict[Key, int] = {}
    for line in read_lines(data, layout, "clicks", nested=partial(_flatten_clicks, layout)):
        key = line.get_name("topic"), line.get_name("session")
        query = _read_query(line)
        if query > queries.get(key, 0) + 1:
            text = f"query {query} in session {key[1]} of topic {key[0]}"
            expected = f"query {queries.get(key, 0) + 1} (use rank - for a query without clicks)"
            raise line.make_error(text, expected)
        queries[key] = max(query, queries.get(key, 0))
        clicks = by_session.setdefault(key, [])
        if line.cells["rank"] not in EMPTY_CELLS:
            clicks.append(_read_click(line, query))
    all_clicks = [click for clicks in by_session.values() for click in clicks]
    without = [click for click in all_clicks if click.level is None]
    if 0 < len(without) < len(all_clicks):
        problem = "click without a level, but other clicks have levels"
        fix = "Give a level for every click or for none."
        raise InputError.from_problem(problem, fix, location, without[0].line)
    return by_session


def _read_click(line: Line, query: int) -> Click:
    rank = _read_integer(line, "rank", "rank")
    if rank > DEEPEST:
        raise line.make_error(f"rank {rank}", f"at most {DEEPEST:,}")
    doc, length = line.cells.get("doc"), line.cells.get("length")
    if doc in EMPTY_CELLS and length in EMPTY_CELLS:
        raise line.make_problem("click without length and document")
    name = None if doc in EMPTY_CELLS else line.get_name("doc")
    characters = None
    if length not in EMPTY_CELLS:
        characters = parse_finite(length)
        if characters is None or characters < 0:
            hint = "use lengths= or --lengths FILE if these are documents" if line.number else ""
            raise line.make_error(f"length {length!r}", "a number ≥ 0", hint)
    return Click(line.number, query, rank, name, characters, _read_optional(line, "level"))


# -- mappings, and cells --------------------------------------------------------------------------


def _flatten_lists(data: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
    """Yield rows from ``{topic: {session: [[doc, …], {doc: score, …}, …]}}``."""
    for topic, session, lists in _iterate_sessions(data, location, "[[doc, doc, …], …]"):
        for query, docs in enumerate(lists, 1):
            cells = {"topic": topic, "session": session, "query": query}
            if isinstance(docs, Mapping):
                rows = [{"doc": doc, "score": score} for doc, score in docs.items()]
            elif isinstance(docs, Sequence) and not isinstance(docs, str):
                rows = [{"doc": doc} for doc in docs]
            else:
                text = f"{docs!r} for query {query} of session {session!r} of topic {topic!r}"
                raise InputError(text, "a list of documents, or {doc: score}", location)
            yield from (cells | row for row in rows or [{"doc": None}])


def _flatten_clicks(layout: Layout, data: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
    """Yield rows from ``{topic: {session: [(query, rank, length), …]}}``."""
    shapes = [names[2:] for names in layout.forms]
    expected = " or ".join(f"({', '.join(names)})" for names in shapes)
    for topic, session, clicks in _iterate_sessions(data, location, f"[{expected}, …]"):
        for click in clicks:
            cells = {"topic": topic, "session": session}
            if isinstance(click, Mapping):
                yield cells | dict(click)
                continue
            size = len(click) if isinstance(click, Sequence) and not isinstance(click, str) else 0
            names = next((names for names in shapes if len(names) == size), None)
            if names is None:
                text = f"{click!r} in session {session!r} of topic {topic!r}"
                raise InputError(text, expected, location)
            yield cells | dict(zip(names, click, strict=True))


def _iterate_sessions(data: Mapping[Any, Any], location: str, shape: str) -> Iterator[tuple[Any, Any, Sequence[Any]]]:
    for topic, sessions in data.items():
        if not isinstance(sessions, Mapping):
            problem = f"{type(sessions).__name__} for topic {topic!r}"
            raise InputError(problem, f"{{session: {shape}}}", location)
        for session, values in sessions.items():
            if not isinstance(values, Sequence) or isinstance(values, str):
                problem = f"{type(values).__name__} for session {session!r} of topic {topic!r}"
                raise InputError(problem, shape, location)
            yield topic, session, values


def _read_integer(line: Line, column: str, noun: str) -> int:
    number = parse_integer(line.cells[column], 1)
    if number is None:
        raise line.make_error(f"{noun} {line.cells[column]!r}", "an integer ≥ 1")
    return number


def _read_optional(line: Line, column: str) -> float | None:
    """Return a number, or None if the cell is empty."""
    return None if line.cells.get(column) in (None, "") else line.get_number(column)
