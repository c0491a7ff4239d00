"""Evaluation of sessions and click logs, and their trailtexts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.data.lengths import LengthsLike, read_lengths
from cranfield.data.orders import RankBy, Ties, combine_order
from cranfield.data.qrels import Qrels, QrelsLike, read_qrels
from cranfield.data.reading.columns import ColumnsLike
from cranfield.data.reading.labels import LabelsLike
from cranfield.data.reading.strings import Strings
from cranfield.data.reading.table import Table
from cranfield.data.sessions import (
    Click,
    ClickLog,
    ClicksLike,
    Key,
    Sessions,
    SessionsLike,
    format_session,
    read_logs,
    read_systems,
)
from cranfield.data.systems import RunNames
from cranfield.dataclass import dataclass
from cranfield.display import Rows
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation import notes
from cranfield.evaluation.systems import build_scores
from cranfield.measures.base import Measure
from cranfield.measures.grammar import MeasureLike, parse_measures_for
from cranfield.measures.lists import Gold
from cranfield.measures.reading import U
from cranfield.measures.sessions import (
    Clicks,
    SessionLists,
    SessionMeasure,
    SessionRankings,
    Trail,
    build_gold,
    clickU,
    sU,
)
from cranfield.scores import Facts, Note, Scores, note_topics
from cranfield.tables import Field, ResultTable, bind_rows, build_columns, build_record_table, drop_zero_fraction
from cranfield.wording import (
    describe_disagreement,
    format_count,
    format_names,
    format_number,
    format_option,
    suggest_keywords,
)

DEFAULT_MEASURES = ("nsDCG@10", "sDCG@10")
CLICK_MEASURES = ("clickU",)


@suggest_keywords
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

    `sessions` is ``{topic: {session: [[doc, …], [doc, …]]}}`` with one ranking per query in order
    of time, a path or a frame. Several systems are a list, or a dict from names to systems. Lines
    with several tags are several systems, unless `run_names` is ``file``. `qrels` are judgments by
    topic, for the complete session (for `labels`, `qrels_format` and `columns` see `read_qrels`).
    The topics of the scores are sessions, named topic/session. A missing session scores zero.

    Without `sessions`, `clicks` are one or several click logs to score. With `sessions`, clicks
    truncate the rankings for measures with ``truncate=clicks``. `lengths` are document lengths in
    characters. Clicks then contain document ids, with levels from `qrels` if present. For `ties`
    and `order` see `read_run`.

    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> evaluate_sessions(qrels, {"q1": {"s1": [["c", "b"], ["a"]]}}, "nsDCG@10")
    Scores: 1 run × 1 topic × 1 measure
    run  nsDCG@10
    run    0.5672
    note: rows are sessions, named topic/session, and means are over sessions
    >>> evaluate_sessions(clicks={"q1": {"s1": [(1, 4, 10000), (1, 2, 5000)]}}).mean()
    {'clicks': {'clickU': 0.975}}
    """
    default = CLICK_MEASURES if sessions is None else DEFAULT_MEASURES
    parsed = parse_measures_for(default if measures is None else measures, "sessions")
    settings: dict[str, Any] = {"labels": labels, "columns": columns}
    judgments = None if qrels is None else read_qrels(qrels, qrels_format, **settings)
    return _read_collection(judgments, sessions, clicks, lengths, combine_order(ties, order), run_names).compute_scores(
        parsed
    )


class ReadString(NamedTuple):
    """A string of a trailtext, with its contribution to U."""

    run: str
    session: str
    kind: str  # snippet or document
    query: int
    rank: int
    doc: str | None  # None if unknown
    length: float  # characters read
    offset: float  # end offset
    gain: float
    decay: float
    contribution: float  # gain · decay, divided by `norm` of the measure


class TrailText(Rows[ReadString]):
    """All strings read in some sessions."""

    def _build_tables(self) -> list[ResultTable]:
        rows = [{name: drop_zero_fraction(value) for name, value in step._asdict().items()} for step in self]
        sessions = groupby(self, key=lambda step: (step.run, step.session))
        visible = (_build_session_table(*key, [*steps]) for key, steps in sessions)
        return [build_record_table("read", rows, dict.fromkeys(ReadString._fields)), *visible]

    def _build_document(self) -> list[dict[str, Any]]:
        return [step._asdict() for step in self]


@suggest_keywords
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
    """Return the trailtext of sessions: all strings read, in order, as scored by sU and clickU.

    `measure` is sU or clickU with parameters (default: sU, or clickU without `sessions`). `session`
    selects one or several sessions as topic/session (default: all). For the other arguments see
    `evaluate_sessions`.

    >>> for read in trailtext(clicks={"q1": {"s1": [(1, 2, 5000)]}}):
    ...     print(read.kind, read.rank, read.length, read.offset, read.gain)
    snippet 1 200.0 200.0 0.0
    snippet 2 200.0 400.0 0.0
    document 2 1000.0 1400.0 0.5
    """
    default = CLICK_MEASURES if sessions is None else ("sU",)
    parsed = parse_measures_for(default if measure is None else measure, "sessions")
    for m in parsed:
        if len(parsed) > 1 or not isinstance(m, sU | clickU):
            names = ", ".join(map(str, parsed))
            raise InputError.from_problem(f"{names}: only sU and clickU have a trailtext")
    settings: dict[str, Any] = {"labels": labels, "columns": columns}
    judgments = None if qrels is None else read_qrels(qrels, qrels_format, **settings)
    session_names = [session] if isinstance(session, str) else session
    collection = _read_collection(judgments, sessions, clicks, lengths, combine_order(ties, order), run_names)
    return TrailText(collection.read(parsed[0], session_names))


def _read_collection(
    qrels: Qrels | None, sessions: Any, clicks: Any, lengths: LengthsLike, ties: Ties | None, run_names: RunNames
) -> _SessionSystems | _ClickLogs:
    """Read sessions, or click logs if there are no sessions."""
    if sessions is not None:
        return _SessionSystems.from_inputs(qrels, read_systems(sessions, ties, run_names), clicks, lengths)
    if clicks is None:
        raise InputError.from_problem("no sessions or clicks given")
    return _ClickLogs.from_inputs(read_logs(clicks, documents=lengths is not None), qrels, lengths)


def _note_reading(inputs: Iterable[Sessions | ClickLog]) -> Iterator[Note]:
    """Note the decisions of the readers, once for each file."""
    for text in dict.fromkeys(f"{x.where}: {note}" for x in inputs for note in x.notes):
        yield Note("reading", text)


def _select_sessions(keys: Sequence[Key], selection: Sequence[str] | None) -> set[str]:
    """Return the names of the selected sessions (default: all)."""
    names = [*map(format_session, keys)]
    for name in selection or ():
        if name not in names:
            problem = f"unknown session {name!r}. Sessions: {format_names(names, 'session')}"
            raise InputError.from_problem(problem)
    return set(names if selection is None else selection)


class _DocumentLengths:
    """Document lengths in characters."""

    def __init__(self, lengths: LengthsLike, docs: Iterable[str]) -> None:
        source = read_lengths(lengths).select_units([U.length_unit])
        names = list(dict.fromkeys(docs))
        column = Strings.from_list(names)
        rows = source.rows(Table.from_columns(column, np.zeros(len(names)))) if names else np.zeros(0, int)
        values = source.values[U.length_unit][rows]
        self.location = source.where
        self.by_doc = dict(zip(names, np.where(rows < 0, np.nan, values).tolist(), strict=True))

    def build_missing_error(self, doc: str, context: str) -> InputError:
        return InputError.from_problem(f"no length of document {doc} {context}", where=self.location)


# -- ranked lists ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _SessionSystems:
    """The sessions of systems, with judgments."""

    qrels: Qrels
    systems: Sequence[Sessions]
    log: ClickLog | None
    lengths: _DocumentLengths | None

    @classmethod
    def from_inputs(
        cls, qrels: Qrels | None, systems: Sequence[Sessions], clicks: Any, lengths: Any
    ) -> _SessionSystems:
        if qrels is None:
            problem = "no judgments for the documents of sessions"
            raise InputError.from_problem(problem, "Pass qrels.")
        # Only ranks matter here, so a document or a length may follow the rank.
        logs = [] if clicks is None else read_logs(clicks, documents=True)
        if len(logs) > 1:
            raise InputError(f"{len(logs)} click logs with sessions", "1")
        docs = (doc for s in systems for lists in s.lists.values() for ranking in lists for doc in ranking)
        doc_lengths = None if lengths is None else _DocumentLengths(lengths, docs)
        return cls(qrels, systems, logs[0] if logs else None, doc_lengths)

    @cached_property
    def levels(self) -> dict[str, dict[str, float]]:
        """``{topic: {doc: level}}``."""
        return self.qrels.to_dict()

    @cached_property
    def keys(self) -> list[Key]:
        """The sessions of judged topics of all systems."""
        all_keys = dict.fromkeys(key for system in self.systems for key in system.lists)
        judged_keys = [key for key in all_keys if key[0] in self.levels]
        if not judged_keys:
            topics = format_names(list(dict.fromkeys(topic for topic, _ in all_keys)), "topic")
            location = self.systems[0].where
            problem = f"no session of a judged topic, only of {topics}"
            raise InputError.from_problem(problem, where=location)
        return judged_keys

    @cached_property
    def gold(self) -> Gold:
        highest = float(self.qrels.levels.max(initial=0.0))
        return build_gold([list(self.levels[topic].values()) for topic, _ in self.keys], highest)

    def build_block(self, system: Sessions) -> SessionLists:
        """Return the sessions of a system for measures."""
        return SessionLists.from_sessions([self._build_listed(system, key) for key in self.keys], self.gold)

    def _build_listed(self, system: Sessions, key: Key) -> SessionRankings:
        lists, levels = system.lists.get(key, ()), self.levels[key[0]]
        lengths, clicked = None, None
        if self.lengths is not None:
            lengths = [[self.lengths.by_doc[doc] for doc in docs] for docs in lists]
        if self.log is not None:
            clicked = [0] * len(lists)
            for click in self.log.sessions.get(key, ()):
                if click.query <= len(clicked):
                    clicked[click.query - 1] = max(clicked[click.query - 1], click.rank)
        levels_found = [[levels.get(doc, math.nan) for doc in docs] for docs in lists]
        return SessionRankings(levels_found, lists, lengths, clicked)

    def check_measures(self, measures: Sequence[Measure]) -> None:
        """Raise an error for measures without their inputs."""
        for m in measures:
            if not isinstance(m, SessionMeasure):
                raise CranfieldError(f"{m} scores click logs only. Omit the sessions.")
            if getattr(m, "truncate", "") == "clicks" and self.log is None:
                fix = f"Use {format_option('--clicks LOG', 'clicks=')}."
                raise InputError.from_problem("no clicks", fix, m)
            if not m.length_unit:
                continue
            if self.lengths is None:
                fix = f"Use {format_option('--lengths FILE', 'lengths=')}."
                raise InputError.from_problem(f"no document lengths in {m.length_unit}", fix, m)
            self._check_lengths(self.lengths, m)

    def _check_lengths(self, lengths: _DocumentLengths, m: SessionMeasure) -> None:
        """Raise an error if a relevant document within the cutoff has no length."""
        rel = getattr(m, "rel", None)
        for system in self.systems:
            for key in self.keys:
                levels = self.levels[key[0]]
                for doc in (doc for docs in system.lists.get(key, ()) for doc in docs[: m.cutoff]):
                    level = levels.get(doc, -math.inf)
                    relevant = level > 0 or (rel is not None and level >= rel)
                    if relevant and math.isnan(lengths.by_doc[doc]):
                        context = f"of session {format_session(key)} of {system.name}"
                        raise lengths.build_missing_error(doc, context)

    def compute_scores(self, measures: Sequence[Measure]) -> Scores:
        """Compute the scores of every session of every system."""
        self.check_measures(measures)
        blocks: Iterable[Any] = map(self.build_block, self.systems)
        values = [np.stack([m.score(block) for m in measures], axis=1) for block in blocks]
        return _build_session_scores(values, self.systems, self.keys, measures, self._collect_notes(measures))

    def _collect_notes(self, measures: Sequence[Measure]) -> Iterator[Note]:
        yield from notes.collect_judgment_notes(
            self.qrels,
            self.gold.max_level,
            measures,
            [m for m in measures if m.takes_max_level()],
            False,  # classes are not supported
            self._find_topics_without_relevant,
            "zero",
        )
        topics = {topic for topic, _ in self.keys}
        without_session = [topic for topic in self.levels if topic not in topics]
        yield from note_topics("missing-topics", without_session, "without a session, excluded", noun="judged topic")
        yield from _note_reading(self.systems)
        for system in self.systems:
            yield from self._collect_system_notes(system)
        if self.log and (missing := _find_missing(self.keys, self.log.sessions)):
            text = f"{format_names(missing, 'session')} without clicks, cut to empty rankings"
            yield Note("clicks", f"{self.log.where}: {text}", topics=tuple(missing))

    def _collect_system_notes(self, system: Sessions) -> Iterator[Note]:
        name, missing = system.name, _find_missing(self.keys, system.lists)
        reason = "missing, scored 0"
        yield from note_topics("missing-topics", missing, reason, name, "session")
        unjudged = [format_session(key) for key in system.lists if key[0] not in self.levels]
        reason = "of topics without judgments, ignored"
        yield from note_topics("unjudged-topics", unjudged, reason, name, "session")
        if system.contradicted:
            text = f"{name}: {describe_disagreement(system.contradicted, 'session')}"
            yield Note("rank-order", text, name, system.contradicted)

    def _find_topics_without_relevant(self, m: Measure) -> list[str]:
        R = m.view(self.gold.ideal).R
        pairs = zip(self.keys, R, strict=True)
        return list(dict.fromkeys(topic for (topic, _), relevant in pairs if not relevant))

    def read(self, m: Any, selection: Sequence[str] | None) -> Iterator[ReadString]:
        """Yield the strings read in the sessions of each system."""
        self.check_measures([m])
        selected = _select_sessions(self.keys, selection)
        for system in self.systems:
            for key, trail in zip(self.keys, m.build_trails(self.build_block(system)), strict=True):
                if format_session(key) in selected:
                    lists = enumerate(system.lists.get(key, ()), 1)
                    docs = {(q, r): doc for q, ranking in lists for r, doc in enumerate(ranking, 1)}
                    yield from _iter_strings(system.name, key, trail, docs, m.norm)


# -- click logs -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ClickLogs:
    """Click logs with the lengths and levels of clicked documents."""

    logs: Sequence[ClickLog]
    qrels: Qrels | None
    lengths: _DocumentLengths | None

    @classmethod
    def from_inputs(cls, logs: Sequence[ClickLog], qrels: Qrels | None, lengths: LengthsLike) -> _ClickLogs:
        click_logs = cls(logs, qrels, None)
        if lengths is not None:
            docs = [click.doc for _, click in click_logs.all_clicks if click.doc is not None]
            click_logs = replace(click_logs, lengths=_DocumentLengths(lengths, docs))
        click_logs._check_levels()
        return click_logs

    @cached_property
    def all_clicks(self) -> list[tuple[ClickLog, Click]]:
        """All clicks, each with its log."""
        return [(log, x) for log in self.logs for clicks in log.sessions.values() for x in clicks]

    @cached_property
    def keys(self) -> list[Key]:
        """The sessions of all logs."""
        return list(dict.fromkeys(key for log in self.logs for key in log.sessions))

    @cached_property
    def levels(self) -> dict[str, dict[str, float]] | None:
        """``{topic: {doc: level}}``, if there are judgments."""
        return None if self.qrels is None else self.qrels.to_dict()

    @cached_property
    def has_levels(self) -> bool:
        """True if levels of clicked documents are known."""
        return self.qrels is not None or any(click.level is not None for _, click in self.all_clicks)

    @cached_property
    def highest(self) -> float:
        """The highest level; a click without one counts as 1."""
        if self.qrels is not None:
            return float(self.qrels.levels.max(initial=0.0))
        levels = [click.level for _, click in self.all_clicks]
        return max((1.0 if level is None else level for level in levels), default=1.0)

    def _check_levels(self) -> None:
        """Raise an error unless all clicks or no clicks have levels, from one source."""
        for log, click in self.all_clicks:
            if self.qrels is None and self.has_levels and click.level is None:
                problem = "click without a level, but other clicks have one"
                fix = "Give a level for every click or for none."
                raise InputError.from_problem(problem, fix, log.where, click.line)
            if self.qrels is not None and (click.level is not None or click.doc is None):
                problem = "a level" if click.doc is not None else "no document"
                expected = "a document with a level in the judgments"
                raise InputError(f"{problem} in a click", expected, log.where, click.line)

    def build_clicks(self, log: ClickLog, key: Key) -> Clicks:
        """Return the clicks of a session for measures."""
        clicks = log.sessions[key]
        return Clicks.from_rows([self._build_click(log, key, click) for click in clicks], self.highest)

    def _build_click(self, log: ClickLog, key: Key, click: Click) -> tuple[float, ...]:
        length, level = click.length, click.level
        if length is None:
            if self.lengths is None or click.doc is None:
                fix = f"Add lengths or {format_option('--lengths FILE', 'lengths=')}."
                raise InputError.from_problem("click without a length", fix, log.where, click.line)
            length = self.lengths.by_doc[click.doc]
            if math.isnan(length):
                raise self.lengths.build_missing_error(click.doc, f"of session {format_session(key)}")
        if self.levels is not None:
            level = self.levels.get(key[0], {}).get(click.doc or "", 0.0)
        return (click.query, click.rank, length, 1.0 if level is None else level)

    def compute_scores(self, measures: Sequence[Measure]) -> Scores:
        """Compute the scores of every session of every log. Sessions of other logs are NaN."""
        self._check_measures(measures)
        values = np.full((len(self.logs), len(self.keys), len(measures)), np.nan)
        for i, log in enumerate(self.logs):
            for j, key in enumerate(self.keys):
                if key in log.sessions:
                    session: Any = [self.build_clicks(log, key)]
                    values[i, j] = [m.score(session)[0] for m in measures]
        return _build_session_scores(values, self.logs, self.keys, measures, self._collect_notes(measures), "skip")

    def _check_measures(self, measures: Sequence[Measure]) -> None:
        for m in measures:
            if isinstance(m, SessionMeasure):
                raise InputError.from_problem("no sessions with rankings", where=m)

    def _collect_notes(self, measures: Sequence[Measure]) -> Iterator[Note]:
        undeclared = [m for m in measures if m.takes_max_level()]
        if self.has_levels and undeclared:
            location = "clicks" if self.qrels is None else "judgments"
            text_missing = f"the highest level is {self.highest:g}, as in the {location}"
            text = f"{{measures}}: {text_missing}. Use max_level= to declare another."
            facts = Facts(text, measures=notes.name_columns(undeclared))
            yield Note.from_facts("max-level", facts)
        if self.levels is not None:
            missing = [format_session(key) for key in self.keys if key[0] not in self.levels]
            text_missing = "of topics without judgments: clicks have no gain"
            yield from note_topics("unjudged-topics", missing, text_missing, noun="session")
        yield from _note_reading(self.logs)
        for log in self.logs:
            missing = _find_missing(self.keys, log.sessions)
            text_missing = "of other logs excluded from its mean"
            yield from note_topics("missing-topics", missing, text_missing, log.name, "session")

    def read(self, m: Any, selection: Sequence[str] | None) -> Iterator[ReadString]:
        """Yield the strings read in each session of each log."""
        self._check_measures([m])
        selected = _select_sessions(self.keys, selection)
        for log in self.logs:
            for key, clicks in log.sessions.items():
                if format_session(key) in selected:
                    docs = {(click.query, click.rank): click.doc for click in clicks}
                    (trail,) = m.build_trails([self.build_clicks(log, key)])
                    yield from _iter_strings(log.name, key, trail, docs, m.norm)


# -- sessions and click logs ----------------------------------------------------------------------


def _find_missing(keys: Iterable[Key], answered: Mapping[Key, Any]) -> list[str]:
    """Return the names of sessions that are missing."""
    return [format_session(key) for key in keys if key not in answered]


def _build_session_scores(
    values: Sequence[Floats] | Floats,
    systems: Sequence[Sessions] | Sequence[ClickLog],
    keys: Sequence[Key],
    measures: Sequence[Measure],
    notes: Iterable[Note],
    undefined: str = "zero",
) -> Scores:
    text = Note("sessions", "rows are sessions, named topic/session, and means are over sessions")
    names = [system.name for system in systems]
    rows = map(format_session, keys)
    return build_scores(values, names, rows, measures, (text, *notes), undefined)


def _iter_strings(
    run: str, key: Key, trail: Trail, docs: Mapping[tuple[int, int], str | None], norm: float
) -> Iterator[ReadString]:
    """Yield the strings of a trailtext with document ids."""
    numbers = (trail.length, trail.offset, trail.gain, trail.decay, trail.contribution / norm)
    columns = (trail.is_document, trail.query, trail.rank, *numbers)
    for is_document, query, rank, *rest in zip(*(x.tolist() for x in columns), strict=True):
        kind = "document" if is_document else "snippet"
        doc = docs.get((query, rank))
        yield ReadString(run, format_session(key), kind, query, rank, doc, *rest)


def _build_session_table(run: str, session: str, steps: list[ReadString]) -> ResultTable:
    documents = sum(step.kind == "document" for step in steps)
    snippets = format_count(len(steps) - documents, "snippet")
    text = f"{steps[-1].offset:,.0f} characters read in {snippets}"
    text += f" and {format_count(documents, 'document')}"
    column, short = bind_rows(steps), "{:.10g}".format
    doc = column("doc", lambda step: step.doc or "")
    fields = [
        column("read", "kind", key=True),
        *build_columns(column, "query", "rank", text=short),
        *([doc] if any(doc.cell_texts) else []),
        *build_columns(column, "length", "offset", text=short),
        *(Field(x, None, texts=[_format_user_value(step, x) for step in steps], dtype=float) for x in _USER_COLUMNS),
    ]
    total = sum(step.contribution for step in steps)
    title = f"{run}, session {session}: {text}; U = {format_number(total)}"
    return ResultTable(f"{run} {session}", fields, title=title, machine_readable=False)


_USER_COLUMNS = ("gain", "decay", "contribution")


def _format_user_value(step: ReadString, name: str) -> str:
    """Format the gain, decay or contribution of a document. Snippets have none."""
    return format_number(getattr(step, name)) if step.kind == "document" else ""
