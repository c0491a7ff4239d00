"""The steps of one score, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from cranfield.scores import printable
from cranfield.wording import aligned

T = TypeVar("T")

_WHOLE = 20  # lists up to this length are shown whole,
_TOP = 10  # of longer ones the top;
_STRETCH = 3  # below it longer stretches of items of no use are counted only


@dataclass(frozen=True)
class Row:
    """An item of a list; `level` is None if nobody judged it."""

    rank: int
    doc: str
    level: float | None
    values: tuple[float, ...]  # of each column of the Steps; empty if there are none


@dataclass(frozen=True)
class Steps:
    """How a score comes about: the items with what was computed for each, then the totals."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: dict[str, float]


@dataclass(frozen=True)
class Explanation:
    """The score of one topic, and the steps that lead to it."""

    measure: str
    variant: str  # which of several definitions this is
    run: str
    topic: str
    values: dict[str, float]
    counts: bool  # whether the values are whole numbers of things
    fraction: tuple[float, float] | None  # the value as a quotient, if it is one
    facts: dict[str, float]  # R, N, n, …
    steps: Steps
    ideal: Steps | None  # of the ideal list, if the measure looked at it

    def __str__(self) -> str:
        return text(self)

    __repr__ = __str__


def text(e: Explanation) -> str:
    """An explanation for people: facts, the list, the ideal list, the score."""
    lines = [f"{e.measure} of {printable(e.run)}, topic {printable(e.topic)}"]
    lines += [e.variant] if e.variant else []
    lines += [", ".join(f"{name} = {_number(value)}" for name, value in e.facts.items()), ""]
    lines += _table(e.steps)
    if e.ideal is not None:
        lines += ["", "ideal list", *_table(e.ideal)]
    quotient = " / ".join(map(_number, e.fraction)) + " = " if e.fraction else ""
    lines.append("")
    for name, value in e.values.items():
        lines.append(f"{name} = {quotient}{_number(value) if e.counts else f'{value:.4f}'}")
    return "\n".join(lines)


def _table(steps: Steps) -> list[str]:
    head = ["rank", "document", "level", *steps.columns]
    full = [head]
    for stretch in stretches(steps.rows, lambda row: (row.level or 0) > 0):
        row, last = stretch[0], stretch[-1]
        level = "–" if row.level is None else _number(row.level)
        cells = [str(row.rank), printable(row.doc), level, *map(_number, row.values)]
        if row is not last:
            unjudged = sum(r.level is None for r in stretch)
            text = {"nonrelevant": len(stretch) - unjudged, "unjudged": unjudged}
            counted = ", ".join(f"{n} {what}" for what, n in text.items() if n)
            cells = [f"{row.rank}–{last.rank}", counted, "…"]
        full.append(cells + [""] * (len(head) - len(cells)))
    lines = aligned(full, "rl" + "r" * (len(head) - 2))
    return lines + [f"{name} = {_number(value)}" for name, value in steps.totals.items()]


def stretches(rows: Sequence[T], useful: Callable[[T], bool]) -> list[list[T]]:
    """The rows of a list one by one, but below the top long stretches of no use together."""
    found: list[list[T]] = []
    top = _TOP if len(rows) > _WHOLE else len(rows)
    for needed, numbered in groupby(enumerate(rows), lambda x: x[0] < top or useful(x[1])):
        group = [row for _, row in numbered]
        together = not needed and len(group) > _STRETCH
        found += [group] if together else [[row] for row in group]
    return found


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4f}"
