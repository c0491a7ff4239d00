"""Preferences of people between two outputs for a topic: which run did somebody find better?

Text: ``topic preferred other``; or ``topic run other preferred``, where what is preferred is one of
the two runs, a or b for the first and the second, or ``tie``; or ``topic run other preferred
assessor``. Tables may also say which of the two was shown ``first``.
"""

from __future__ import annotations

from operator import eq
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.cells import Layout, columns_of, read_lines, where_of
from cranfield.data.reading.columns import TOPICS
from cranfield.data.reading.lines import BLANK, Line, first_on
from cranfield.data.reading.table import Irregular
from cranfield.dataclass import dataclass
from cranfield.wording import counted

PreferencePairsLike: TypeAlias = Any  # a path, {topic: {preferred: other}}, a frame or tuples

TIE = ("tie", "tied", "equal", "same", "none", "neither", "both", "-", "=", "", "tie (bothbad)")
SIDES = {f"{side}{letter}": letter for side in ("", "run_", "model_", "system_") for letter in "ab"}
BOTH = ("topic", "run", "other", "preferred")
LAYOUT = Layout(
    (("topic", "preferred", "other"), BOTH, (*BOTH, "assessor")),
    ("topic", "preferred", "other"),
    {
        "topic": TOPICS,
        "preferred": ("preferred", "preference", "winner", "better", "choice", "chosen"),
        "other": ("other", "run_b", "run2", "system_b", "system2", "model_b", "second", "right",
                  "loser", "worse", "b", "y"),
        "run": ("run", "run_a", "run1", "system_a", "system1", "model_a", "system", "first", "left",
                "a", "x"),
        "assessor": ("assessor", "assessor_id", "participant", "worker", "worker_id", "judge",
                     "user", "annotator"),
        "first": ("first", "shown_first", "first_shown"),  # if it is not the name of a run's column
    },
    alike=True,
)  # fmt: skip


class PreferencePair(NamedTuple):
    """What one person said: `preferred` is better than `other`, unless they are `tied`."""

    topic: str
    preferred: str
    other: str
    tied: bool = False
    assessor: str | None = None
    first: str | None = None  # which of the two was shown first, if that is known


@dataclass(frozen=True, eq=False)
class PreferencePairs:
    """What people prefer, one judgment after the other.

    >>> read_preference_pairs([("301", "bm25", "dense"), ("302", "bm25", "dense", "tie")])
    PreferencePairs: 2 preferences of 2 topics
    """

    pairs: tuple[PreferencePair, ...]
    where: str = "preferences"

    def __repr__(self) -> str:
        topics = counted(len({pair.topic for pair in self.pairs}), "topic")
        return f"PreferencePairs: {counted(len(self.pairs), 'preference')} of {topics}"


def read_preference_pairs(data: PreferencePairsLike) -> PreferencePairs:
    """Preferences between the outputs of runs, from a path, a mapping, a frame or tuples.

    Lines are ``topic preferred other``, or ``topic run other preferred``, where what is preferred
    is one of the two, ``a`` (the run) or ``b`` (the other), or ``tie``; an assessor may follow.
    Tables (CSV, TSV, JSONL, Parquet, Arrow) have columns of these names, or run_a, run_b and
    winner, and perhaps `first`, the one that was shown first. Several people may judge the same two
    outputs: each line counts. The same assessor may not judge them twice.

    >>> read_preference_pairs({"301": {"bm25": ["dense", "splade"]}}).pairs[1][:3]
    ('301', 'bm25', 'splade')
    """
    if isinstance(data, PreferencePairs):
        return data
    try:
        return PreferencePairs(_by_columns(data), where_of(data, "preferences"))
    except Irregular:
        return PreferencePairs(_by_lines(data), where_of(data, "preferences"))


def _by_columns(data: PreferencePairsLike) -> tuple[PreferencePair, ...]:
    """The preferences of a text in which everything is in order, or Irregular."""
    cells = {name: column.tolist() for name, column in columns_of(data, LAYOUT).items()}
    topics, others, chosen = cells["topic"], cells["other"], cells["preferred"]
    assessors: list[Any] = cells.get("assessor", [None] * len(topics))
    runs = cells.get("run", chosen)
    if any(map(eq, runs, others)):
        raise Irregular
    made = [
        PreferencePair(topic, text, other if text == run else run, False, by)
        if text in (run, other)
        else PreferencePair(topic, run, other, True, by)
        for topic, run, other, text, by in zip(topics, runs, others, chosen, assessors, strict=True)
    ]
    said = {
        (by, topic, one, other) if one < other else (by, topic, other, one)
        for topic, one, other, _, by, _ in made
    }
    unknown = {text for pair, text in zip(made, chosen, strict=True) if pair.tied}
    twice = "assessor" in cells and len(said) < len(made)
    if twice or not all(text.lower() in TIE for text in unknown):
        raise Irregular
    return tuple(made)


def _by_lines(data: PreferencePairsLike) -> tuple[PreferencePair, ...]:
    pairs = []
    firsts: dict[tuple[str, str, frozenset[str]], int | None] = {}
    for line in read_lines(data, LAYOUT, "preferences"):
        pair = _pair(line)
        pairs.append(pair)
        if pair.assessor is not None:
            key = pair.assessor, pair.topic, frozenset((pair.preferred, pair.other))
            if key in firsts:
                found = f"{pair.preferred} and {pair.other} of topic {pair.topic} again"
                expected = "the same two once for an assessor"
                raise line.error(f"{found} by {pair.assessor}{first_on(firsts[key])}", expected)
            firsts[key] = line.number
    return tuple(pairs)


def _pair(line: Line) -> PreferencePair:
    topic, other = line.name("topic"), line.name("other")
    assessor = None if line.cells.get("assessor") in (None, "") else line.name("assessor")
    if "run" not in line.cells:
        preferred = line.name("preferred")
        if preferred == other:
            raise line.error(f"{other} preferred to itself", "two runs")
        return PreferencePair(topic, preferred, other, False, assessor, _first(line, preferred))
    run = line.name("run")
    if run == other:
        raise line.error(f"{run} twice", "two runs")
    first, chosen = _first(line, run), _cell(line, "preferred")
    if (who := _side(line, chosen, run)) is not None:
        return PreferencePair(topic, who, other if who == run else run, False, assessor, first)
    if chosen.lower() in TIE:
        return PreferencePair(topic, run, other, True, assessor, first)
    raise line.error(f"{chosen!r} as the one preferred", f"{run!r}, {other!r}, a, b or tie")


def _first(line: Line, run: str) -> str | None:
    """The one that was shown first, if that is told."""
    told = _cell(line, "first")
    who = _side(line, told, run)
    if told and who is None:
        other = line.name("other")
        raise line.error(f"{told!r} as the one shown first", f"{run!r}, {other!r}, a or b")
    return who


def _side(line: Line, told: str, run: str) -> str | None:
    """The run that is named or, if none is called so, told by its side; None if neither."""
    other = line.name("other")
    sides = {"a": run, "b": other}
    return told if told in (run, other) else sides.get(SIDES.get(told.lower(), ""))


def _cell(line: Line, column: str) -> str:
    """The text of a cell, nothing if there is none."""
    text = line.cells.get(column)
    return "" if text is None else str(text).strip(BLANK)
