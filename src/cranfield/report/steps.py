"""How scores come about, step by step: as text that one can follow, and as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

from cranfield.evaluation.steps import Explanation, Explanations, Row, Steps
from cranfield.report.formats.terminal import fitting, left, lines_of, narrowed, right
from cranfield.report.sheets import Field, Sheet, listed
from cranfield.scores import printable
from cranfield.wording import folded

T = TypeVar("T")

_WHOLE = 20  # lists up to this length are shown whole,
_TOP = 10  # of longer ones the top;
_STRETCH = 3  # below it longer stretches of items of no use are counted only
_WIDTH = 100  # of lines of prose where nothing else is known
_NAMED = 3  # so many tied documents are named


def _each(found: Explanation | Explanations) -> Sequence[Explanation]:
    return [found] if isinstance(found, Explanation) else found


def text(found: Explanation | Explanations, width: int | None = None) -> str:
    """What a terminal shows."""
    return "\n\n".join(_one(one, width) for one in _each(found))


# -- tables ---------------------------------------------------------------------------------------


def sheets(found: Explanation | Explanations) -> list[Sheet]:
    """For programs a row for each rank of every list; for people a table for each list."""
    rows = [row for one in _each(found) for row in _rows(one)]
    return [listed("steps", rows), *(sheet for one in _each(found) for sheet in _sheets(one))]


def _rows(e: Explanation) -> Iterator[dict[str, Any]]:
    where = {"measure": e.measure, "run": e.run, "topic": e.topic}
    for name, steps in _lists(e).items():
        for row in steps.rows:
            item = {"list": name, "rank": row.rank, "doc": row.doc, "level": row.level}
            yield where | item | dict(zip(steps.columns, row.values, strict=False))


def _lists(e: Explanation) -> dict[str, Steps]:
    return {"run": e.steps} | ({} if e.ideal is None else {"ideal": e.ideal})


def _sheets(e: Explanation) -> Iterator[Sheet]:
    """The list and the ideal list, with the score and what symbols mean below the last."""
    lists, captions = _lists(e), [*_scores(e), " ".join(_legend(e, _WIDTH))]
    for name, steps in lists.items():
        fields = [
            Field(head, None, head, texts, dtype=None if head == "document" else float)
            for head, *texts in _columns(steps, ([row] for row in steps.rows))
        ]
        last = name == [*lists][-1]
        title = _title(e) if name == "run" else "ideal list"
        yield Sheet(f"{e.measure} {name}", fields, "; ".join(captions) if last else "", title)


def _title(e: Explanation) -> str:
    return f"{e.measure} of {e.run}" + (f", topic {e.topic}" if e.topic else "")


# -- text -----------------------------------------------------------------------------------------


def _one(e: Explanation, width: int | None) -> str:
    """An explanation for people: facts, the list, the ideal list, the symbols, the score."""
    facts = ", ".join(f"{name} = {_number(value)}" for name, value in e.facts.items())
    head = [printable(_title(e)), *e.notes, e.variant, facts]
    wide = width or _WIDTH
    lines = _folded(head, wide)
    lines += ["", *_table(e.steps, width)]
    if e.ideal is not None:
        lines += ["", "ideal list", *_table(e.ideal, width)]
    lines += ["", *_legend(e, wide), "", *_folded(_scores(e), wide)]
    return "\n".join(lines)


def _folded(lines: Sequence[str], width: int) -> list[str]:
    return [part for line in lines for part in folded(line, width, 2)]


def _legend(e: Explanation, width: int) -> list[str]:
    """What the symbols mean, in the order in which they occur."""
    lists = [steps for steps in (e.steps, e.ideal) if steps is not None]
    unjudged = any(None in row.levels for steps in lists for row in steps.rows)
    legend = e.legend | ({"–": "not judged"} if unjudged else {})
    # A line does not end with a symbol: what is between it and its meaning is no blank.
    text = "; ".join(f"{symbol}:\0{meaning}" for symbol, meaning in legend.items())
    return [line.replace("\0", " ") for line in folded(text, width)]


def _scores(e: Explanation) -> list[str]:
    lines = []
    for name, value in e.values.items():
        quotient = " / ".join(map(_number, e.fraction)) + " = " if e.fraction else ""
        line = f"{name} = {quotient}{_number(value) if e.counts else f'{value:.4f}'}"
        if e.sampled is not None:
            best, worst = e.sampled.best[name], e.sampled.worst[name]
            lines.append(f"ties=best gives {best:.4f}, ties=worst {worst:.4f}: explain shows both")
            line += f", standard error {e.sampled.errors[name]:.4f}"
        lines.append(line)
    return lines


def _table(steps: Steps, width: int | None) -> list[str]:
    """The list; in a narrow place documents are cut, then columns go below each other."""
    useful = stretches(steps.rows, lambda row: any((level or 0) > 0 for level in row.levels))
    columns = [
        (left if name == "document" else right)(name, texts)
        for name, *texts in _columns(steps, useful)
    ]
    rank, *others = narrowed(columns, 1, width)
    parts = fitting([rank], [[column] for column in others], width)
    lines = [line for part in parts for line in ("", *lines_of([rank, *part]))][1:]
    shown = steps.rows[-1].rank if steps.rows else 0
    if shown + 1 == steps.last:
        lines.append(f"rank {steps.last} does not change the score")
    elif shown < steps.last:
        lines.append(f"ranks {shown + 1}–{steps.last} do not change the score")
    return lines + [f"{name} = {_number(value)}" for name, value in steps.totals.items()]


def _columns(steps: Steps, rows: Iterable[list[Row]]) -> Iterator[tuple[str, ...]]:
    """The columns of a list as texts, what they are called first."""
    head = ["rank", "document", "level", *steps.columns]
    cells = map(_cells, rows)
    return zip(head, *(row + [""] * (len(head) - len(row)) for row in cells), strict=True)


def _cells(stretch: list[Row]) -> list[str]:
    """A row, or several of no use together."""
    row, last = stretch[0], stretch[-1]
    if row is not last:
        unjudged = sum(r.level is None for r in stretch)
        text = {"nonrelevant": len(stretch) - unjudged, "unjudged": unjudged}
        together = ", ".join(f"{n} {what}" for what, n in text.items() if n)
        return [f"{row.rank}–{last.rank}", together, "…"]
    doc, level = row.doc, _level(row.level)
    if row.tied:
        names = ", ".join(doc for doc, _ in row.tied)
        doc = f"one of {names if len(row.tied) <= _NAMED else f'{len(row.tied)} tied'}"
        known = sorted({x for x in row.levels if x is not None}, reverse=True)
        level = "/".join(map(_level, [*known, *([None] if None in row.levels else [])]))
    return [str(row.rank), doc, level, *map(_number, row.values)]


def _level(level: float | None) -> str:
    return "–" if level is None else _number(level)


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
