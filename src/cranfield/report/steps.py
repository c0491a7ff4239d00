"""The steps of one score, as text."""

from __future__ import annotations

from dataclasses import dataclass

from cranfield.scores import printable

_SHOWN = 3  # items of no use in a row; longer stretches are counted
_LONG = 40  # rows: in longer lists judged items of no use are left out, too


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
    lines += ["", *(f"{name} = {_quotient(e)}{value:.4f}" for name, value in e.values.items())]
    return "\n".join(lines)


def _quotient(e: Explanation) -> str:
    """How the score follows from two totals, if it does."""
    totals = {**(e.ideal.totals if e.ideal else {}), **e.steps.totals}
    both = ("of the list", "of the ideal list")
    if not all(name in totals for name in both):
        return ""
    return " / ".join(_number(totals[name]) for name in both) + " = "


def _table(steps: Steps) -> list[str]:
    head = ["rank", "document", "level", *steps.columns]
    body: list[list[str]] = []
    skipped = "more of no use" if len(steps.rows) > _LONG else "unjudged"
    for row in _shortened(steps.rows):
        if isinstance(row, int):
            body.append(["…", f"{row} {skipped}", "–"])
        else:
            level = "–" if row.level is None else _number(row.level)
            values = [_number(v) for v in row.values]
            body.append([str(row.rank), printable(row.doc), level, *values])
    full = [head, *(cells + [""] * (len(head) - len(cells)) for cells in body)]
    widths = [max(len(cells[i]) for cells in full) for i in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in full
    ]
    shown = {n: v for n, v in steps.totals.items() if n not in ("of the list", "of the ideal list")}
    return lines + [f"{name} = {_number(value)}" for name, value in shown.items()]


def _shortened(rows: tuple[Row, ...]) -> list[Row | int]:
    """The rows, with long stretches of items of no use replaced by their number."""
    found: list[Row | int] = []
    stretch: list[Row] = []
    long = len(rows) > _LONG
    for row in (*rows, None):
        if row is not None and (row.level is None or (long and row.level <= 0)):
            stretch.append(row)
            continue
        found += [len(stretch)] if len(stretch) > _SHOWN else stretch
        stretch = []
        if row is not None:
            found.append(row)
    return found


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4f}"
