"""Sessions: the ranked lists of several queries about one need, and the clicks on them.

Text has ``topic session query_number doc rank score``, and the system's name if there is one, on
each line; a click log ``topic session query_number clicked_rank doc_length``, and the level if
there is one. Both are in the order of time. Tables name such columns.
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
from cranfield.data.lengths import UNITS
from cranfield.data.reading.cells import Layout, columns_of, read_lines, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line, finite, first_on
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.trec import finite_numbers
from cranfield.data.run import Ties, from_the_top
from cranfield.data.systems import RunNames, SeveralRuns, by_tag, distinct, refuse_twice
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.wording import counted

SessionsLike: TypeAlias = Any  # a path, {topic: {session: [[doc, …], …]}}, a frame, or Sessions
ClicksLike: TypeAlias = Any  # a path, {topic: {session: [(query, rank, length), …]}}, a frame, …
Key: TypeAlias = tuple[str, str]  # topic and session

COLUMNS = {  # the query before the topic, which may be called query as well
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
    alike=True,
)
CLICKS = Layout(
    ((*QUERY, "rank", "length"), (*QUERY, "rank", "length", "level")),
    (*QUERY, "rank"),
    COLUMNS,
    alike=True,
)
CLICKED_DOCS = replace(CLICKS, text=((*QUERY, "rank", "doc"), (*QUERY, "rank", "doc", "level")))
DEEPEST = 1_000_000  # nobody clicks there
NOTHING = (None, "", "-")


@dataclass(frozen=True, eq=False)
class Sessions:
    """What one system answered in each session: a list of documents for each query, in order.

    >>> read_sessions({"q1": {"s1": [["a", "b"], ["c"]]}})
    Sessions 'run': 1 session
    """

    name: str
    lists: Mapping[Key, Sequence[Sequence[str]]]
    where: str = "sessions"
    contradicted: tuple[str, ...] = ()  # sessions in which ranks are not in the order of scores

    def __repr__(self) -> str:
        return f"Sessions {self.name!r}: {counted(len(self.lists), 'session')}"


class Click(NamedTuple):
    """One click; what the log does not say is None."""

    line: int | None
    query: int
    rank: int
    doc: str | None
    length: float | None
    level: float | None


@dataclass(frozen=True, eq=False)
class ClickLog:
    """What users clicked in each session, in the order of time.

    >>> read_clicks({"q1": {"s1": [(1, 4, 10000), (1, 2, 5000)]}})
    ClickLog 'clicks': 2 clicks in 1 session
    """

    name: str
    sessions: Mapping[Key, Sequence[Click]]
    where: str = "clicks"

    def __repr__(self) -> str:
        clicks = counted(sum(map(len, self.sessions.values())), "click")
        return f"ClickLog {self.name!r}: {clicks} in {counted(len(self.sessions), 'session')}"


def session_name(key: Key) -> str:
    """How a session is called among others."""
    return "/".join(key)


_S = TypeVar("_S", Sessions, ClickLog)


# -- several systems ------------------------------------------------------------------------------


def read_systems(
    data: Any, ties: Ties | None = None, run_names: RunNames = "tag"
) -> list[Sessions]:
    """The sessions of one system or several: a list, a dict from their names, or several tags."""
    if ties is not None:
        one_of("ties", ties, Ties)
    one_of("run_names", run_names, RunNames)
    found: list[Sessions] = []
    for name, one in _named(data, "run"):
        read = _each(one, ties, run_names)
        found += read if name is None else [replace(_the_one(read), name=name)]
    return distinct(_some(found), "sessions")


def read_logs(data: Any, documents: bool = False) -> list[ClickLog]:
    """One click log or several: a list, or a dict from their names."""
    named = _named(data, "clicks")
    return distinct(_some([read_clicks(one, documents, name=n) for n, one in named]), "clicks")


def _some(systems: list[_S]) -> list[_S]:
    if not systems:
        raise InputError("no sessions", "at least one file or dict")
    return systems


def _named(data: Any, word: str) -> list[tuple[str | None, Any]]:
    """Systems or logs, each with the name the user gave it, if any."""
    if isinstance(data, Mapping) and data and all(map(_is_whole, data.values())):
        return [(str(name), one) for name, one in data.items()]
    if not isinstance(data, list | tuple) or len(data) == 1:
        return [(None, data[0] if isinstance(data, list | tuple) else data)]
    refuse_twice(one for one in data if isinstance(one, str | os.PathLike))
    files = (str, os.PathLike, Sessions, ClickLog)
    numbered = enumerate(data, 1)
    return [(None if isinstance(one, files) else f"{word}{i}", one) for i, one in numbered]


def _is_whole(value: Any) -> bool:
    """Whether a value is a system or a log by itself, and not the sessions of a topic."""
    if isinstance(value, Mapping):  # {topic: {session: …}}
        return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())
    return isinstance(value, str | os.PathLike | Sessions | ClickLog) or is_frame(value)


# -- ranked lists ---------------------------------------------------------------------------------


def read_sessions(
    data: SessionsLike, *, name: str | None = None, ties: Ties | None = None
) -> Sessions:
    """The ranked lists of one system's sessions, from a path, a mapping, a frame or tuples.

    A mapping is ``{topic: {session: [list, list, …]}}``; a list has documents from the top down,
    or is ``{doc: score}``. `ties` is the order of a list, as for runs: ``trec`` by score, then
    document id, both descending (the default where there are scores); ``rank`` by the rank column
    (the default where there are only ranks); ``given`` as they come; ``file`` by score, then as
    they come.
    """
    one = _the_one(_each(data, ties, "tag"))
    return replace(one, name=name or one.name)


def _each(data: SessionsLike, ties: Ties | None, names: RunNames) -> list[Sessions]:
    """The sessions of every system that some data hold."""
    if isinstance(data, Sessions):
        if ties is not None:
            raise InputError("sessions already read", "ties= when they are read")
        return [data]
    where, name = where_of(data, "sessions"), where_of(data, "run")
    try:
        tag, lists = _by_columns(data)
        made = {name if names == "file" or not tag else tag: lists}
    except Irregular:
        lines = read_lines(data, LISTS, "sessions", nested=_of_nested_lists)
        made = {tag: _by_query(few) for tag, few in by_tag(lines, name, names).items()}
    return [_in_time(lists, tag, where, ties) for tag, lists in made.items()]


def _the_one(systems: Sequence[Sessions]) -> Sessions:
    if len(systems) > 1:
        raise SeveralRuns([one.name for one in systems], systems[0].where)
    return systems[0]


class _Place(NamedTuple):
    line: int | None
    score: float | None
    rank: float | None


_Lists: TypeAlias = dict[Key, list[dict[str, _Place]]]  # of each session, by query


def _in_time(made: _Lists, name: str, where: str, ties: Ties | None) -> Sessions:
    """Sessions from the documents of each query as they come."""
    every = [place for lists in made.values() for docs in lists for place in docs.values()]
    order = _order(every, ties, where)
    contradicted = [
        session_name(key)
        for key, lists in made.items()
        if order in ("trec", "file") and any(_contradict(docs, order) for docs in lists)
    ]
    ordered = {key: [_ranked(docs, order) for docs in lists] for key, lists in made.items()}
    return Sessions(name, ordered, where, tuple(contradicted))


def _by_columns(data: SessionsLike) -> tuple[str, _Lists]:
    """The tag and the lists of a text of one system, each in one piece, or Irregular."""
    cells = columns_of(data, LISTS)
    if "tag" in cells and not cells["tag"].alike():
        raise Irregular
    starts = np.unique(np.concatenate([cells[name].changes() for name in QUERY]))
    queries = _whole_numbers(cells["query"][starts]).tolist()
    topics, sessions = (cells[name][starts].tolist() for name in QUERY[:2])
    scores, ranks = (finite_numbers(cells[name]).tolist() for name in ("score", "rank"))
    docs = cells["doc"].tolist()
    places = [*map(_Place, range(1, len(docs) + 1), scores, ranks)]
    made: _Lists = {}
    bounds = pairwise([*starts.tolist(), len(docs)])
    for *key, query, (a, b) in zip(topics, sessions, queries, bounds, strict=True):
        lists = made.setdefault((key[0], key[1]), [])
        lists.append(dict(zip(docs[a:b], places[a:b], strict=True)))
        if query != len(lists) or len(lists[-1]) < b - a:
            raise Irregular
    return next(iter(cells["tag"][:1]), "") if "tag" in cells else "", made


def _whole_numbers(column: Strings) -> Ints:
    """Whole numbers from 1, or Irregular."""
    found = finite_numbers(column)
    if not ((found >= 1) & (found % 1 == 0) & (found < 2**53)).all():
        raise Irregular
    return found.astype(np.int64)


def _by_query(found: Iterable[Line]) -> _Lists:
    """Lists from rows, the queries of a session being 1, 2, 3, … in the order of the rows."""
    made: _Lists = {}
    for line in found:
        docs = _list_of(line, made)
        if line.cells["doc"] is None:
            continue  # a query without an answer
        doc = line.name("doc")
        if doc in docs:
            query = f"query {_query(line)} of session {line.name('session')}"
            again = f"document {doc} again for {query} of topic {line.name('topic')}"
            raise line.error(again + first_on(docs[doc].line), "each document once in a list")
        docs[doc] = _Place(line.number, _optional(line, "score"), _optional(line, "rank"))
    return made


def _list_of(line: Line, made: _Lists) -> dict[str, _Place]:
    """The list that a line belongs to: that of the last query of its session, or a new one."""
    key, query = (line.name("topic"), line.name("session")), _query(line)
    lists = made.setdefault(key, [])
    if query == len(lists) + 1:
        lists.append({})
    elif query != len(lists):
        before = f" after query {len(lists)}" if lists else " first"
        expected = f"{len(lists)} or {len(lists) + 1}" if lists else "1"
        text = f"query {query}{before} in session {key[1]} of topic {key[0]}"
        raise line.error(text, f"{expected}: sessions in the order of time")
    return lists[-1]


def _query(line: Line) -> int:
    return _whole(line, "query", "query number")


def _order(places: Sequence[_Place], ties: Ties | None, where: str) -> Ties:
    """What decides the order of lists: what there is on every line."""
    known: dict[str, tuple[Ties, ...]] = {"score": ("trec", "file"), "rank": ("rank",)}
    possible: list[Ties] = []
    for name, orders in known.items():
        without = [place for place in places if getattr(place, name) is None]
        if without and (len(without) < len(places) or ties in orders):
            raise InputError(f"no {name}", "one on every line", where, without[0].line)
        possible += orders if len(without) < len(places) else ()
    return ties or (*possible, "given")[0]


def _ranked(docs: Mapping[str, _Place], order: Ties) -> list[str]:
    values = {
        doc: (-(p.rank or 0.0) if order == "rank" else p.score or 0.0) for doc, p in docs.items()
    }
    return from_the_top(values, order == "given", order in ("file", "rank"))


def _contradict(docs: Mapping[str, _Place], order: Ties) -> bool:
    """Whether the order by scores is not that of the ranks, where there are some."""
    ranks = [docs[doc].rank for doc in _ranked(docs, order)]
    return any(a > b for a, b in pairwise(ranks) if a is not None and b is not None)


# -- clicks ---------------------------------------------------------------------------------------


def read_clicks(data: ClicksLike, documents: bool = False, *, name: str | None = None) -> ClickLog:
    """A click log from a path, a mapping, a frame or tuples.

    A mapping is ``{topic: {session: [(query, rank, length), …]}}``, with a level after the length
    if there are levels. With `documents`, what stands in the place of the length is the document.
    A query without clicks may have a line with ``-`` as its rank and length.
    """
    if isinstance(data, ClickLog):
        return replace(data, name=name or data.name)
    layout = CLICKED_DOCS if documents else CLICKS
    where = where_of(data, "clicks")
    try:
        made = _clicks_by_columns(data, layout)
    except Irregular:
        made = _clicks_by_lines(data, layout, where)
    return ClickLog(name or where, made, where)


def _clicks_by_columns(data: ClicksLike, layout: Layout) -> dict[Key, list[Click]]:
    """The clicks of a text in which everything is in order, or Irregular."""
    cells = columns_of(data, layout)
    clicked = np.flatnonzero((cells["rank"].length > 1) | ~_dashes(cells["rank"]))
    ranks = _whole_numbers(cells["rank"][clicked])
    queries = _whole_numbers(cells["query"])
    unknown: list[Any] = [None] * len(clicked)
    lengths = levels = docs = unknown
    if "doc" in cells:
        docs = cells["doc"][clicked].tolist()
    else:
        characters = finite_numbers(cells["length"][clicked])
        lengths = characters.tolist()
        if (characters < 0).any():
            raise Irregular
    if "level" in cells:
        levels = finite_numbers(cells["level"][clicked]).tolist()
    if (ranks > DEEPEST).any() or any(doc in NOTHING for doc in {*docs} - {None}):
        raise Irregular
    clicks = map(
        Click, (clicked + 1).tolist(), queries[clicked].tolist(), ranks.tolist(), docs, lengths,
        levels,
    )  # fmt: skip
    made: dict[Key, list[Click]] = {}
    last: dict[Key, int] = {}
    topics, sessions = (cells[name].tolist() for name in QUERY[:2])
    was_clicked = np.isin(np.arange(len(topics)), clicked).tolist()
    for *key, query, here in zip(topics, sessions, queries.tolist(), was_clicked, strict=True):
        of_session = made.setdefault((key[0], key[1]), [])
        before = last.get((key[0], key[1]), 0)
        if query > before + 1:
            raise Irregular
        last[key[0], key[1]] = max(query, before)
        if here:
            of_session.append(next(clicks))
    return made


def _dashes(column: Strings) -> Bools:
    return np.asarray(column.buffer[column.start] == ord("-"))


def _clicks_by_lines(data: ClicksLike, layout: Layout, where: str) -> dict[Key, list[Click]]:
    made: dict[Key, list[Click]] = {}
    queries: dict[Key, int] = {}
    for line in read_lines(data, layout, "clicks", nested=partial(_of_nested_clicks, layout)):
        key = line.name("topic"), line.name("session")
        query = _query(line)
        if query > queries.get(key, 0) + 1:
            text = f"query {query} in session {key[1]} of topic {key[0]}"
            expected = f"{queries.get(key, 0) + 1} first, with - as its rank if nothing was clicked"
            raise line.error(text, expected)
        queries[key] = max(query, queries.get(key, 0))
        clicks = made.setdefault(key, [])
        if line.cells["rank"] not in NOTHING:
            clicks.append(_click(line, query))
    every = [click for clicks in made.values() for click in clicks]
    without = [click for click in every if click.level is None]
    if 0 < len(without) < len(every):
        raise InputError("no level", "one for every click or for none", where, without[0].line)
    return made


def _click(line: Line, query: int) -> Click:
    rank = _whole(line, "rank", "rank")
    if rank > DEEPEST:
        raise line.error(f"rank {rank}", f"at most {DEEPEST:,}")
    doc, length = line.cells.get("doc"), line.cells.get("length")
    if doc in NOTHING and length in NOTHING:
        raise line.error("neither length nor doc", "one of them for a click")
    name = None if doc in NOTHING else line.name("doc")
    characters = None
    if length not in NOTHING:
        characters = finite(length)
        if characters is None or characters < 0:
            hint = "lengths= or --lengths FILE, if these are documents" if line.number else ""
            raise line.error(f"length {length!r}", "a number from 0", hint)
    return Click(line.number, query, rank, name, characters, _optional(line, "level"))


# -- mappings, and cells --------------------------------------------------------------------------


def _of_nested_lists(data: Mapping[Any, Any], where: str) -> Iterator[dict[str, Any]]:
    """From ``{topic: {session: [[doc, …], {doc: score, …}, …]}}``."""
    for topic, session, lists in _nested(data, where, "[[doc, doc, …], …]"):
        for query, docs in enumerate(lists, 1):
            cells = {"topic": topic, "session": session, "query": query}
            if isinstance(docs, Mapping):
                found = [{"doc": doc, "score": score} for doc, score in docs.items()]
            elif isinstance(docs, Sequence) and not isinstance(docs, str):
                found = [{"doc": doc} for doc in docs]
            else:
                text = f"{docs!r} for query {query} of session {session!r} of topic {topic!r}"
                raise InputError(text, "a list of documents, or {doc: score}", where)
            yield from (cells | one for one in found or [{"doc": None}])


def _of_nested_clicks(
    layout: Layout, data: Mapping[Any, Any], where: str
) -> Iterator[dict[str, Any]]:
    """From ``{topic: {session: [(query, rank, length), …]}}``."""
    shapes = [names[2:] for names in layout.text]
    expected = " or ".join(f"({', '.join(names)})" for names in shapes)
    for topic, session, clicks in _nested(data, where, f"[{expected}, …]"):
        for click in clicks:
            cells = {"topic": topic, "session": session}
            if isinstance(click, Mapping):
                yield cells | dict(click)
                continue
            size = len(click) if isinstance(click, Sequence) and not isinstance(click, str) else 0
            names = next((names for names in shapes if len(names) == size), None)
            if names is None:
                text = f"{click!r} in session {session!r} of topic {topic!r}"
                raise InputError(text, expected, where)
            yield cells | dict(zip(names, click, strict=True))


def _nested(
    data: Mapping[Any, Any], where: str, inside: str
) -> Iterator[tuple[Any, Any, Sequence[Any]]]:
    for topic, sessions in data.items():
        if not isinstance(sessions, Mapping):
            found = f"{type(sessions).__name__} for topic {topic!r}"
            raise InputError(found, f"{{session: {inside}}}", where)
        for session, given in sessions.items():
            if not isinstance(given, Sequence) or isinstance(given, str):
                found = f"{type(given).__name__} for session {session!r} of topic {topic!r}"
                raise InputError(found, inside, where)
            yield topic, session, given


def _whole(line: Line, column: str, what: str) -> int:
    number = finite(line.cells[column])
    if number is None or number < 1 or number % 1:
        raise line.error(f"{what} {line.cells[column]!r}", "a whole number from 1")
    return int(number)


def _optional(line: Line, column: str) -> float | None:
    """A number, or None where there is nothing."""
    return None if line.cells.get(column) in (None, "") else line.value(column)
