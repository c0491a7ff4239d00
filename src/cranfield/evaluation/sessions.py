"""Sessions and click logs in, scores out; and the text that their users read, string by string."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.lengths import LengthsLike, read_lengths
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.run import RankBy, Ties, tie_order
from cranfield.data.sessions import (
    Click,
    ClickLog,
    ClicksLike,
    Key,
    Sessions,
    SessionsLike,
    read_logs,
    read_systems,
    session_name,
)
from cranfield.data.systems import RunNames
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation import notices
from cranfield.evaluation.systems import scores_of
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, measures_for
from cranfield.measures.lists import Gold
from cranfield.measures.reading import U
from cranfield.measures.sessions import (
    Clicks,
    Listed,
    OfSessions,
    SessionLists,
    Trail,
    clickU,
    gold_of,
    sU,
)
from cranfield.scores import Facts, Notice, Scores, about
from cranfield.shown import Rows
from cranfield.wording import disagreement, some, suggests_keywords

DEFAULT_MEASURES = ("nsDCG@10", "sDCG@10")
OF_CLICKS = ("clickU",)


@suggests_keywords
def evaluate_sessions(
    qrels: QrelsLike = None,
    sessions: SessionsLike | Sequence[SessionsLike] | Mapping[str, SessionsLike] = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    clicks: ClicksLike = None,
    lengths: LengthsLike = None,
    ties: Ties | None = None,
    order: RankBy | None = None,
    labels: LabelsLike | None = None,
    qrels_format: str | None = None,
    columns: ColumnsLike | None = None,
    run_names: RunNames = "tag",
) -> Scores:
    """Score the sessions of one or several systems, or click logs.

    `sessions` is ``{topic: {session: [[doc, …], [doc, …]]}}`` with a list for each query in the
    order of time, a path or a frame; several systems are a list, or a dict from their names. Lines
    with several tags are several systems, unless `run_names` is ``file``.
    `qrels` are judgments by topic (`labels`, `qrels_format` and `columns` say how they are written,
    see `read_qrels`): the need is that of the whole session. The topics of the scores
    are sessions, named topic/session. A session that a system lacks counts as zero.

    Without `sessions`, `clicks` are click logs to be scored, one or several: what users clicked.
    With `sessions`, they say where lists end for measures with ``truncate=clicks``. `lengths` are
    those of documents in characters; clicks then name documents, and have their levels from
    `qrels` if these are given. `ties` and `order` are the order of lists, see `read_run`.

    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> evaluate_sessions(qrels, {"q1": {"s1": [["c", "b"], ["a"]]}}, "nsDCG@10")
    Scores: 1 run × 1 topic × 1 measure
    run  nsDCG@10
    run    0.5672
    note: rows are sessions, named topic/session; means are over sessions
    >>> evaluate_sessions(clicks={"q1": {"s1": [(1, 4, 10000), (1, 2, 5000)]}}).mean()
    {'clicks': {'clickU': 0.975}}
    """
    default = OF_CLICKS if sessions is None else DEFAULT_MEASURES
    asked = measures_for(default if measures is None else measures, "sessions")
    how: dict[str, Any] = {"labels": labels, "columns": columns}
    known = None if qrels is None else read_qrels(qrels, qrels_format, **how)
    return _read(known, sessions, clicks, lengths, tie_order(ties, order), run_names).scores(asked)


class Read(NamedTuple):
    """A string of a trailtext: what was read, and what it contributes to U."""

    run: str
    session: str
    kind: str  # snippet or document
    query: int
    rank: int
    doc: str | None  # None where the click log does not say
    length: float  # characters that were read of it
    offset: float  # where it ends
    gain: float
    decay: float
    contribution: float  # gain · decay, divided by `norm` of the measure


class TrailText(Rows[Read], tables="trail"):
    """All that was read in some sessions, string by string."""


@suggests_keywords
def trailtext(
    qrels: QrelsLike = None,
    sessions: SessionsLike | Sequence[SessionsLike] | Mapping[str, SessionsLike] = None,
    measure: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    session: str | Sequence[str] | None = None,
    clicks: ClicksLike = None,
    lengths: LengthsLike = None,
    ties: Ties | None = None,
    order: RankBy | None = None,
    labels: LabelsLike | None = None,
    qrels_format: str | None = None,
    columns: ColumnsLike | None = None,
    run_names: RunNames = "tag",
) -> TrailText:
    """All that was read in sessions, in order: the text that sU and clickU score.

    `measure` is one of these two, with its parameters; without `sessions` it is clickU. `session`
    names one as topic/session, or several; all if none is named. The other arguments are those of
    `evaluate_sessions`.

    >>> for read in trailtext(clicks={"q1": {"s1": [(1, 2, 5000)]}}):
    ...     print(read.kind, read.rank, read.length, read.offset, read.gain)
    snippet 1 200.0 200.0 0.0
    snippet 2 200.0 400.0 0.0
    document 2 1000.0 1400.0 0.5
    """
    default = OF_CLICKS if sessions is None else ("sU",)
    asked = measures_for(default if measure is None else measure, "sessions")
    for m in asked:
        if len(asked) > 1 or not isinstance(m, sU | clickU):
            names = ", ".join(map(str, asked))
            raise InputError(names, "sU or clickU: only they have a trailtext")
    how: dict[str, Any] = {"labels": labels, "columns": columns}
    known = None if qrels is None else read_qrels(qrels, qrels_format, **how)
    wanted = [session] if isinstance(session, str) else session
    given = _read(known, sessions, clicks, lengths, tie_order(ties, order), run_names)
    return TrailText(given.read(asked[0], wanted))


def _read(
    qrels: Qrels | None,
    sessions: Any,
    clicks: Any,
    lengths: LengthsLike,
    ties: Ties | None,
    run_names: RunNames,
) -> _Systems | _Logs:
    """Sessions if there are some, else click logs."""
    if sessions is not None:
        return _Systems.of(qrels, read_systems(sessions, ties, run_names), clicks, lengths)
    if clicks is None:
        raise InputError("neither sessions nor clicks", "one of them")
    return _Logs.of(read_logs(clicks, documents=lengths is not None), qrels, lengths)


def _chosen(keys: Sequence[Key], wanted: Sequence[str] | None) -> set[str]:
    """The names of the sessions asked for, of all if none is."""
    names = [*map(session_name, keys)]
    for name in wanted or ():
        if name not in names:
            raise InputError(f"session {name!r}", f"one of {some(names, 'session')}")
    return set(names if wanted is None else wanted)


class _Lengths:
    """The lengths of some documents in characters, by name."""

    def __init__(self, lengths: LengthsLike, docs: Iterable[str]) -> None:
        given = read_lengths(lengths).in_units([U.length_unit])
        names = list(dict.fromkeys(docs))
        column = Strings.of(names)
        found = given.rows(Table.of(column, np.zeros(len(names)))) if names else np.zeros(0, int)
        values = given.values[U.length_unit][found]
        self.where = given.where
        self.of = dict(zip(names, np.where(found < 0, np.nan, values).tolist(), strict=True))

    def missing(self, doc: str, whose: str) -> InputError:
        return InputError(f"no length of document {doc} {whose}", "one", self.where)


# -- ranked lists ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Systems:
    """Systems that answered the same sessions, with the judgments of these."""

    qrels: Qrels
    systems: Sequence[Sessions]
    log: ClickLog | None
    lengths: _Lengths | None

    @classmethod
    def of(
        cls, qrels: Qrels | None, systems: Sequence[Sessions], clicks: Any, lengths: Any
    ) -> _Systems:
        if qrels is None:
            raise InputError("no judgments", "qrels for the documents of sessions")
        # Only ranks matter here: what stands in the place of the length may be either.
        logs = [] if clicks is None else read_logs(clicks, documents=True)
        if len(logs) > 1:
            raise InputError(f"{len(logs)} click logs beside sessions", "one")
        docs = (doc for s in systems for lists in s.lists.values() for one in lists for doc in one)
        known = None if lengths is None else _Lengths(lengths, docs)
        return cls(qrels, systems, logs[0] if logs else None, known)

    @cached_property
    def levels(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: level}}``."""
        return self.qrels.to_dict()

    @cached_property
    def keys(self) -> list[Key]:
        """The sessions of judged topics, of whichever system."""
        every = dict.fromkeys(key for system in self.systems for key in system.lists)
        found = [key for key in every if key[0] in self.levels]
        if not found:
            topics = some(list(dict.fromkeys(topic for topic, _ in every)), "topic")
            where = self.systems[0].where
            raise InputError(f"sessions of {topics}", "some of judged topics", where)
        return found

    @cached_property
    def gold(self) -> Gold:
        highest = float(self.qrels.levels.max(initial=0.0))
        return gold_of([list(self.levels[topic].values()) for topic, _ in self.keys], highest)

    def block(self, system: Sessions) -> SessionLists:
        """The sessions of a system as measures see them."""
        return SessionLists.of([self._listed(system, key) for key in self.keys], self.gold)

    def _listed(self, system: Sessions, key: Key) -> Listed:
        lists, levels = system.lists.get(key, ()), self.levels[key[0]]
        lengths, clicked = None, None
        if self.lengths is not None:
            lengths = [[self.lengths.of[doc] for doc in docs] for docs in lists]
        if self.log is not None:
            clicked = [0] * len(lists)
            for click in self.log.sessions.get(key, ()):
                if click.query <= len(clicked):
                    clicked[click.query - 1] = max(clicked[click.query - 1], click.rank)
        found = [[levels.get(doc, math.nan) for doc in docs] for docs in lists]
        return Listed(found, lists, lengths, clicked)

    def refuse(self, measures: Sequence[Measure]) -> None:
        """What measures need must be there."""
        for m in measures:
            if not isinstance(m, OfSessions):
                raise CranfieldError(f"{m} scores a click log by itself: leave the sessions out")
            if getattr(m, "truncate", "") == "clicks" and self.log is None:
                raise InputError("no clicks", "them (clicks=, or --clicks LOG)", m)
            if not m.length_unit:
                continue
            if self.lengths is None:
                expected = f"them in {m.length_unit} (lengths=, or --lengths FILE)"
                raise InputError("no document lengths", expected, m)
            self._refuse_unknown(self.lengths, m)

    def _refuse_unknown(self, lengths: _Lengths, m: OfSessions) -> None:
        """Every relevant document that is looked at must have a length."""
        rel = getattr(m, "rel", None)
        for system in self.systems:
            for key in self.keys:
                levels = self.levels[key[0]]
                for doc in (doc for docs in system.lists.get(key, ()) for doc in docs[: m.cutoff]):
                    level = levels.get(doc, -math.inf)
                    relevant = level > 0 or (rel is not None and level >= rel)
                    if relevant and math.isnan(lengths.of[doc]):
                        whose = f"of session {session_name(key)} of {system.name}"
                        raise lengths.missing(doc, whose)

    def scores(self, measures: Sequence[Measure]) -> Scores:
        """Every session of every system."""
        self.refuse(measures)
        blocks: Iterable[Any] = map(self.block, self.systems)
        values = [np.stack([m.score(block) for m in measures], axis=1) for block in blocks]
        return _scores(values, self.systems, self.keys, measures, self._notices(measures))

    def _notices(self, measures: Sequence[Measure]) -> Iterator[Notice]:
        yield from notices.of_judgments(
            self.qrels,
            self.gold.max_level,
            measures,
            [m for m in measures if m.takes_max_level()],
            False,  # classes are of no use here
            self._without_relevant,
            "zero",
        )
        topics = {topic for topic, _ in self.keys}
        left = [topic for topic in self.levels if topic not in topics]
        yield from about("missing-topics", left, "without a session, left out", noun="judged topic")
        for system in self.systems:
            yield from self._notices_of(system)
        if self.log and (lacking := _lacking(self.keys, self.log.sessions)):
            text = f"{some(lacking, 'session')} without clicks, cut to nothing"
            yield Notice("clicks", f"{self.log.where}: {text}", topics=tuple(lacking))

    def _notices_of(self, system: Sessions) -> Iterator[Notice]:
        name, lacking = system.name, _lacking(self.keys, system.lists)
        said = "not answered, counted as zero"
        yield from about("missing-topics", lacking, said, name, "session")
        others = [session_name(key) for key in system.lists if key[0] not in self.levels]
        said = "of topics without judgments, ignored"
        yield from about("unjudged-topics", others, said, name, "session")
        if system.contradicted:
            text = f"{name}: {disagreement(system.contradicted, 'session')}"
            yield Notice("rank-order", text, name, system.contradicted)

    def _without_relevant(self, m: Measure) -> list[str]:
        R = m.view(self.gold.ideal).R
        pairs = zip(self.keys, R, strict=True)
        return list(dict.fromkeys(topic for (topic, _), relevant in pairs if not relevant))

    def read(self, m: Any, wanted: Sequence[str] | None) -> Iterator[Read]:
        """What was read of each system's lists."""
        self.refuse([m])
        chosen = _chosen(self.keys, wanted)
        for system in self.systems:
            for key, trail in zip(self.keys, m.trails(self.block(system)), strict=True):
                if session_name(key) in chosen:
                    lists = enumerate(system.lists.get(key, ()), 1)
                    docs = {(q, r): doc for q, one in lists for r, doc in enumerate(one, 1)}
                    yield from _strings(system.name, key, trail, docs, m.norm)


# -- click logs -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Logs:
    """Click logs, each click with the length and the level of its document."""

    logs: Sequence[ClickLog]
    qrels: Qrels | None
    lengths: _Lengths | None

    @classmethod
    def of(cls, logs: Sequence[ClickLog], qrels: Qrels | None, lengths: LengthsLike) -> _Logs:
        made = cls(logs, qrels, None)
        if lengths is not None:
            docs = [click.doc for _, click in made.every if click.doc is not None]
            made = replace(made, lengths=_Lengths(lengths, docs))
        made._refuse_levels()
        return made

    @cached_property
    def every(self) -> list[tuple[ClickLog, Click]]:
        """All clicks, each with its log."""
        return [(log, x) for log in self.logs for clicks in log.sessions.values() for x in clicks]

    @cached_property
    def keys(self) -> list[Key]:
        """The sessions of whichever log."""
        return list(dict.fromkeys(key for log in self.logs for key in log.sessions))

    @cached_property
    def levels(self) -> dict[str, dict[str, float]] | None:
        """``{topic: {doc: level}}``, if there are judgments."""
        return None if self.qrels is None else self.qrels.to_dict()

    @cached_property
    def graded(self) -> bool:
        """Whether anybody says what clicked documents are worth."""
        return self.qrels is not None or any(click.level is not None for _, click in self.every)

    @cached_property
    def highest(self) -> float:
        """The highest level; a click without one counts as 1."""
        if self.qrels is not None:
            return float(self.qrels.levels.max(initial=0.0))
        levels = [click.level for _, click in self.every]
        return max((1.0 if level is None else level for level in levels), default=1.0)

    def _refuse_levels(self) -> None:
        """Levels must be known of all clicks or of none, and from one place."""
        for log, click in self.every:
            if self.qrels is None and self.graded and click.level is None:
                expected = "one for every click of every log, or for none"
                raise InputError("no level", expected, log.where, click.line)
            if self.qrels is not None and (click.level is not None or click.doc is None):
                what = "a level" if click.doc is not None else "no document"
                expected = "a document, whose level the judgments have"
                raise InputError(f"{what} in a click", expected, log.where, click.line)

    def clicks(self, log: ClickLog, key: Key) -> Clicks:
        """A session as measures see it."""
        found = log.sessions[key]
        return Clicks.of([self._click(log, key, click) for click in found], self.highest)

    def _click(self, log: ClickLog, key: Key, click: Click) -> tuple[float, ...]:
        length, level = click.length, click.level
        if length is None:
            if self.lengths is None or click.doc is None:
                expected = "one, or the document and its length (lengths=, --lengths FILE)"
                raise InputError("no length", expected, log.where, click.line)
            length = self.lengths.of[click.doc]
            if math.isnan(length):
                raise self.lengths.missing(click.doc, f"of session {session_name(key)}")
        if self.levels is not None:
            level = self.levels.get(key[0], {}).get(click.doc or "", 0.0)
        return (click.query, click.rank, length, 1.0 if level is None else level)

    def scores(self, measures: Sequence[Measure]) -> Scores:
        """Every session of every log; one that a log lacks is not its own."""
        self._refuse(measures)
        values = np.full((len(self.logs), len(self.keys), len(measures)), np.nan)
        for i, log in enumerate(self.logs):
            for j, key in enumerate(self.keys):
                if key in log.sessions:
                    one: Any = [self.clicks(log, key)]
                    values[i, j] = [m.score(one)[0] for m in measures]
        return _scores(values, self.logs, self.keys, measures, self._notices(measures), "skip")

    def _refuse(self, measures: Sequence[Measure]) -> None:
        for m in measures:
            if isinstance(m, OfSessions):
                raise InputError("no sessions", "their ranked lists", m)

    def _notices(self, measures: Sequence[Measure]) -> Iterator[Notice]:
        open_ones = [m for m in measures if m.takes_max_level()]
        if self.graded and open_ones:
            where = "clicks" if self.qrels is None else "judgments"
            said = f"the highest level is {self.highest:g}, the highest in the {where}"
            text = f"{{measures}}: {said}; max_level= declares another"
            facts = Facts(text, measures=notices.name_columns(open_ones))
            yield Notice.from_facts("max-level", facts)
        if self.levels is not None:
            lacking = [session_name(key) for key in self.keys if key[0] not in self.levels]
            said = "of topics without judgments: clicks gain nothing"
            yield from about("unjudged-topics", lacking, said, noun="session")
        for log in self.logs:
            lacking = _lacking(self.keys, log.sessions)
            said = "of other logs left out of its mean"
            yield from about("missing-topics", lacking, said, log.name, "session")

    def read(self, m: Any, wanted: Sequence[str] | None) -> Iterator[Read]:
        """What was read in each session of each log."""
        self._refuse([m])
        chosen = _chosen(self.keys, wanted)
        for log in self.logs:
            for key, clicks in log.sessions.items():
                if session_name(key) in chosen:
                    docs = {(click.query, click.rank): click.doc for click in clicks}
                    (trail,) = m.trails([self.clicks(log, key)])
                    yield from _strings(log.name, key, trail, docs, m.norm)


# -- either ---------------------------------------------------------------------------------------


def _lacking(keys: Iterable[Key], answered: Mapping[Key, Any]) -> list[str]:
    """The names of the sessions that somebody has nothing for."""
    return [session_name(key) for key in keys if key not in answered]


def _scores(
    values: Sequence[Floats] | Floats,
    systems: Sequence[Sessions] | Sequence[ClickLog],
    keys: Sequence[Key],
    measures: Sequence[Measure],
    notices: Iterable[Notice],
    undefined: str = "zero",
) -> Scores:
    text = Notice("sessions", "rows are sessions, named topic/session; means are over sessions")
    names = [system.name for system in systems]
    rows = map(session_name, keys)
    return scores_of(values, names, rows, measures, (text, *notices), undefined)


def _strings(
    run: str, key: Key, trail: Trail, docs: Mapping[tuple[int, int], str | None], norm: float
) -> Iterator[Read]:
    """A trailtext with the names of its documents."""
    numbers = (trail.length, trail.offset, trail.gain, trail.decay, trail.contribution / norm)
    columns = (trail.is_document, trail.query, trail.rank, *numbers)
    for is_document, query, rank, *rest in zip(*(x.tolist() for x in columns), strict=True):
        kind = "document" if is_document else "snippet"
        doc = docs.get((query, rank))
        yield Read(run, session_name(key), kind, query, rank, doc, *rest)
