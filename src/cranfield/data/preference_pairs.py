"""Preferences of assessors between the outputs of two runs for a topic.

Text: ``topic preferred other``, or ``topic run other preferred``, where the preferred one is one
of the two runs, a or b for the first and the second, or ``tie``, or ``topic run other preferred
assessor``. Tables may have a column ``first`` for the run shown first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import eq
from typing import Any, Literal, NamedTuple, TypeAlias

from cranfield.data.impressions import is_interleaving, read_interleaving
from cranfield.data.reading.cells import Layout, get_location, read_lines, read_text_columns
from cranfield.data.reading.columns import TOPICS
from cranfield.data.reading.lines import BLANK, Line
from cranfield.data.reading.table import Irregular
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

PreferencePairsLike: TypeAlias = Any  # a path, {topic: {preferred: other}}, a frame or tuples

BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad", "both bad")  # labels of ties in arenas
TIE = (
    *("tie", "tied", "equal", "same", "none", "neither", "both", "-", "=", "winner_tie"),
    *BOTH_BAD,
)
PREFIXES = ("", "run_", "model_", "system_", "winner_model_")
SIDES = {f"{prefix}{letter}": letter for prefix in PREFIXES for letter in "ab"}
PAIR_FIELDS = ("topic", "run", "other", "preferred")
LAYOUT = Layout(
    (("topic", "preferred", "other"), PAIR_FIELDS, (*PAIR_FIELDS, "assessor")),
    ("topic", "preferred", "other"),
    {
        "topic": (*TOPICS, "id"),
        "preferred": ("preferred", "preference", "winner", "better", "choice", "chosen"),
        "other": ("other", "run_b", "run2", "system_b", "system2", "model_b", "second", "right",
                  "loser", "worse", "b", "y"),
        "run": ("run", "run_a", "run1", "system_a", "system1", "model_a", "system", "first", "left",
                "a", "x"),
        "assessor": ("assessor", "assessor_id", "participant", "worker", "worker_id", "judge",
                     "user", "annotator"),
        "first": ("first", "shown_first", "first_shown"),  # unless it is the column of a run
    },
    uniform=True,
    use="battles",
    table="battles",
)  # fmt: skip


class PreferencePair(NamedTuple):
    """Preference of one assessor: `preferred` is better than `other`, unless `tied`."""

    topic: str
    preferred: str
    other: str
    tied: bool = False
    assessor: str | None = None
    first: str | None = None  # the run shown first, if known


@dataclass(frozen=True, eq=False)
class PreferencePairs:
    """Preferences in input order, one per judgment.

    >>> read_preference_pairs([("301", "bm25", "dense"), ("302", "bm25", "dense", "tie")])
    PreferencePairs: 2 preferences of 2 topics
    """

    pairs: tuple[PreferencePair, ...]
    where: str = "preferences"
    notes: tuple[str, ...] = ()  # interpretation of ambiguous winners

    def __repr__(self) -> str:
        topics = format_count(len({pair.topic for pair in self.pairs}), "topic")
        return f"PreferencePairs: {format_count(len(self.pairs), 'preference')} of {topics}"


def read_preference_pairs(data: PreferencePairsLike) -> PreferencePairs:
    """Read preferences between runs from a path, a mapping, a frame or tuples.

    Lines are ``topic preferred other``, or ``topic run other preferred``. The preferred one is one
    of the two runs, ``a`` (the run), ``b`` (the other) or ``tie``. An assessor may follow. Tables
    (CSV, TSV, JSONL, Parquet, Arrow) have columns of these names, or run_a, run_b and winner, and
    optionally `first`, the run shown first. Several assessors may judge the same two outputs: each
    line counts. An assessor may not judge them more than once.

    Interleaved impressions are battles, and their topics are the queries. They are rows with the
    credits of two runs (``query run_a run_b clicks_a clicks_b``), or a log with a row for each shown
    document (``impression query rank doc team clicked``). See `cranfield.data.impressions`.

    A run may be named like a side (``a``) or a tie (``tie``). If the winner of a line then has two
    meanings, the other lines decide: winners that can only be names, or only be sides. `notes`
    report the decision. If they do not decide, an error is raised.

    >>> read_preference_pairs({"301": {"bm25": ["dense", "splade"]}}).pairs[1][:3]
    ('301', 'bm25', 'splade')
    """
    if isinstance(data, PreferencePairs):
        return data
    try:
        return PreferencePairs(_read_columns(data), get_location(data, "preferences"))
    except Irregular:
        pairs, notes = _read_outcomes(data) if is_interleaving(data) else _read_lines(data)
        return PreferencePairs(pairs, get_location(data, "preferences"), notes)


def _read_columns(data: PreferencePairsLike) -> tuple[PreferencePair, ...]:
    """Read the preferences of a valid text. Raise Irregular for any other input."""
    cells = {name: column.tolist() for name, column in read_text_columns(data, LAYOUT).items()}
    topics, other_runs, winners = cells["topic"], cells["other"], cells["preferred"]
    assessors: list[Any] = cells.get("assessor", [None] * len(topics))
    runs = cells.get("run", winners)
    if any(map(eq, runs, other_runs)) or any(map(_is_word, {*runs, *other_runs})):
        raise Irregular
    pairs = [
        PreferencePair(topic, text, other_run if text == run else run, False, assessor)
        if text in (run, other_run)
        else PreferencePair(topic, run, other_run, True, assessor)
        for topic, run, other_run, text, assessor in zip(topics, runs, other_runs, winners, assessors, strict=True)
    ]
    keys = {
        (assessor, topic, first_run, other_run) if first_run < other_run else (assessor, topic, other_run, first_run)
        for topic, first_run, other_run, _, assessor, _ in pairs
    }
    unknown = {text.lower() for pair, text in zip(pairs, winners, strict=True) if pair.tied}
    twice = "assessor" in cells and len(keys) < len(pairs)
    if twice or unknown.difference(TIE) or not unknown.isdisjoint(BOTH_BAD):
        raise Irregular
    return tuple(pairs)


def _read_outcomes(data: PreferencePairsLike) -> tuple[tuple[PreferencePair, ...], tuple[str, ...]]:
    """Return a preference for each interleaved impression: the run with more credits wins."""
    interleaving = read_interleaving(data)
    pairs = []
    for query, (run, other_run), (credit, other_credit) in interleaving.outcomes:
        winner, loser = (run, other_run) if credit >= other_credit else (other_run, run)
        pairs.append(PreferencePair(query, winner, loser, credit == other_credit))
    return tuple(pairs), interleaving.notes


def _read_lines(data: PreferencePairsLike) -> tuple[tuple[PreferencePair, ...], tuple[str, ...]]:
    """Return the preferences, and notes on ambiguous winners."""
    lines = [*read_lines(data, LAYOUT, "preferences")]
    winners, shown_first = (_Choices.from_lines(lines, column) for column in ("preferred", "first"))
    pairs = []
    firsts: dict[tuple[str, str, frozenset[str]], int | None] = {}
    for line in lines:
        pair = _read_pair(line, winners, shown_first)
        pairs.append(pair)
        if pair.assessor is not None:
            key = pair.assessor, pair.topic, frozenset((pair.preferred, pair.other))
            if key in firsts:
                pair_text = f"{pair.preferred} and {pair.other} in topic {pair.topic}"
                preference = f"preference between {pair_text} by {pair.assessor}"
                raise line.make_duplicate_error(preference, firsts[key])
            firsts[key] = line.number
    bad = sum(_read_cell(line, "preferred").lower() in BOTH_BAD for line in lines if "run" in line.cells)
    of_bad = [f"{format_count(bad, 'preference')} for neither (both bad), counted as a tie"] * bool(bad)
    return tuple(pairs), (*winners.list_notes(), *shown_first.list_notes(), *of_bad)


def _read_pair(line: Line, winners: _Choices, shown_first: _Choices) -> PreferencePair:
    topic, other_run = line.get_name("topic"), line.get_name("other")
    assessor = None if line.cells.get("assessor") in (None, "") else line.get_name("assessor")
    if "run" not in line.cells:
        preferred = line.get_name("preferred")
        if preferred == other_run:
            raise line.make_problem(f"run {other_run!r} preferred to itself")
        first = _read_first(line, preferred, shown_first)
        return PreferencePair(topic, preferred, other_run, False, assessor, first)
    run = line.get_name("run")
    if run == other_run:
        raise line.make_problem(f"run {run!r} compared with itself")
    first, winner = _read_first(line, run, shown_first), winners.choose(line, run)
    if winner is None:
        text = _read_cell(line, "preferred")
        raise line.make_problem(f"invalid preference {text!r}: expected {run!r}, {other_run!r}, a, b or tie")
    if winner == TIED:
        return PreferencePair(topic, run, other_run, True, assessor, first)
    return PreferencePair(topic, winner, other_run if winner == run else run, False, assessor, first)


def _read_first(line: Line, run: str, shown_first: _Choices) -> str | None:
    """Return the run that was shown first, or None if it is unknown."""
    text = _read_cell(line, "first")
    first_run = shown_first.choose(line, run) if text else None
    if text and first_run in (None, TIED):
        other_run = line.get_name("other")
        raise line.make_problem(f"invalid first run {text!r}: expected {run!r}, {other_run!r}, a or b")
    return first_run


def _read_cell(line: Line, column: str) -> str:
    """Return the text of a cell, "" if it is missing."""
    text = line.cells.get(column)
    return "" if text is None else str(text).strip(BLANK)


# -- names, sides and ties ------------------------------------------------------------------------

TIED = ""  # replaces the run if neither is preferred


def _is_word(name: str) -> bool:
    """Return True if the name of a run could also be a side or a tie."""
    return name.lower() in SIDES or name.lower() in TIE


class _Meanings(NamedTuple):
    """Meanings of a text: as the name of a run, and as a side or `TIED`.

    None if invalid.
    """

    name: str | None
    word: str | None

    @classmethod
    def from_text(cls, text: str, run: str, other_run: str) -> _Meanings:
        side = {"a": run, "b": other_run}.get(SIDES.get(text.lower(), ""))
        word = TIED if side is None and text.lower() in TIE else side
        return cls(text if text in (run, other_run) else None, word)

    @property
    def ambiguous(self) -> bool:
        """True if the two meanings differ."""
        return None not in self and self.name != self.word


@dataclass(frozen=True, eq=False)
class _Choices:
    """Interpretation of a column that names one of two runs, the same for all lines."""

    column: str
    ambiguous: dict[str, int]  # texts with two meanings, with counts
    decision: Literal["name", "word"] | None  # if all unambiguous lines agree

    @classmethod
    def from_lines(cls, lines: Sequence[Line], column: str) -> _Choices:
        ambiguous: dict[str, int] = {}
        evidence: set[Literal["name", "word"]] = set()
        for text, meanings in _iterate_meanings(lines, column):
            if meanings.ambiguous:
                ambiguous[text] = ambiguous.get(text, 0) + 1
            elif meanings.word is None and meanings.name is not None:
                evidence.add("name")
            elif meanings.name is None and meanings.word:
                evidence.add("word")
        return cls(column, ambiguous, evidence.pop() if len(evidence) == 1 else None)

    def choose(self, line: Line, run: str) -> str | None:
        """Return the run that a line chooses, `TIED`, or None if it is no choice."""
        text = _read_cell(line, self.column)
        meanings = _Meanings.from_text(text, run, line.get_name("other"))
        if not meanings.ambiguous:
            return meanings.word if meanings.name is None else meanings.name
        if self.decision == "word":
            return meanings.word
        if self.decision == "name" and meanings.word != TIED:  # winners are names or ties
            return meanings.name
        raise _make_ambiguity_error(line, text)

    def list_notes(self) -> Iterable[str]:
        """Yield a note for each ambiguous text, with its interpretation."""
        for text, count in self.ambiguous.items():
            meaning = "the run" if self.decision == "name" else _describe_meaning(text)
            reasons = {"name": "other lines name runs", "word": "other lines use a and b"}
            reason = reasons.get(self.decision or "", "")
            column = "winner" if self.column == "preferred" else self.column
            yield f"{column} {text!r} read as {meaning} in {format_count(count, 'line')}: {reason}"


def _iterate_meanings(lines: Sequence[Line], column: str) -> Iterable[tuple[str, _Meanings]]:
    """Yield the text of each line in a column, with its meanings."""
    for line in lines:
        run, other_run = line.cells.get("run", line.cells.get("preferred")), line.cells["other"]
        if column in line.cells and not (column == "preferred" and "run" not in line.cells):
            text = _read_cell(line, column)
            yield text, _Meanings.from_text(text, str(run), str(other_run))


def _describe_meaning(text: str) -> str:
    """Return the meaning of a text that names no run."""
    return f"side {SIDES[text.lower()]}" if text.lower() in SIDES else "a tie"


def _make_ambiguity_error(line: Line, text: str) -> InputError:
    """Return the error for a text that is a run and also a side or a tie."""
    problem = f"{text!r} is ambiguous: the run {text!r} or {_describe_meaning(text)}"
    fix = f"Rename the run {text!r} in all lines."
    return InputError.from_problem(problem, fix, line.location, line.number)
