"""How scores come about, step by step: for programs every rank, for people what one can follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, TypeVar

from cranfield.evaluation.steps import Explanation, Explanations, Row, Steps
from cranfield.report.sheets import Field, Sheet, listed
from cranfield.wording import counted, rounded

T = TypeVar("T")

_WHOLE = 20  # lists up to this length are shown whole,
_TOP = 10  # of longer ones the top;
_STRETCH = 3  # below it longer stretches of items of no use are counted only
_NAMED = 3  # so many tied documents are named
_WORDS = ("document", "status", "group")  # columns that are written to the left
_TITLES = {  # of lists other than that of the run
    "best": "one order: tied documents by level, the best first (as with ties=best)",
    "worst": "one order: tied documents by level, the worst first (as with ties=worst)",
    "ideal": "ideal list",
}


def sheets(found: Explanation | Explanations) -> list[Sheet]:
    """For programs a row for each rank of every list; for people a table for each list."""
    each = [found] if isinstance(found, Explanation) else found
    rows = [row for one in each for row in _rows(one)]
    return [listed("steps", rows), *(sheet for one in each for sheet in _sheets(one))]


def _rows(e: Explanation) -> Iterator[dict[str, Any]]:
    where = {"measure": e.measure, "run": e.run, "topic": e.topic}
    for name, steps in e.lists.items():
        for row in steps.rows:
            item = {"list": name, "rank": row.rank, "doc": row.doc, "level": row.level}
            yield where | item | dict(zip(steps.columns, row.values, strict=False))


def _sheets(e: Explanation) -> Iterator[Sheet]:
    """The list and the ideal list; below the last facts, what symbols mean, and the score.

    Where the score is the mean of random orders, two orders stand between them, with their steps
    and scores, and at the end how often each score was drawn.
    """
    title = f"{e.measure} of {e.run}" + (f", topic {e.topic}" if e.topic else "")
    facts = ", ".join(f"{name} = {_number(value)}" for name, value in e.facts.items())
    unjudged = any(None in row.levels for steps in e.lists.values() for row in steps.rows)
    legend = e.legend | ({"–": "not judged"} if unjudged else {})
    symbols = "; ".join(f"{symbol}: {meaning}" for symbol, meaning in legend.items())
    told = *e.notes, e.variant, facts, symbols, *_scores(e)
    found = [
        Sheet(
            f"{e.measure} {name}",
            ranked(stretches(steps.rows, _useful), _cells, steps.columns),
            title=_TITLES.get(name, title),
            lines=[*_totals(steps), *_scores(getattr(e.sampled, name, None))],
        )
        for name, steps in e.lists.items()
    ]
    found += _drawn(e)
    lines = [line for line in (*found[-1].lines, *told) if line]
    yield from (*found[:-1], replace(found[-1], lines=lines))


def _drawn(e: Explanation) -> list[Sheet]:
    """How many of the random orders have which score: in so few decimals that one can read it."""
    if e.sampled is None or len(e.values) > 1:
        return []
    scores = sorted((score for (score,) in e.sampled.drawn), reverse=True)
    fewer = ([f"{score:.{places}f}" for score in scores] for places in (3, 2, 1, 0))
    tries = map(Counter, chain([map(rounded, scores)], fewer))
    found = next((few for few in tries if len(few) <= _WHOLE), None)
    if found is None:
        return []
    title = f"scores of {counted(len(scores), 'random order')} of tied documents"
    fields = [Field(e.measure, None, e.measure, [*found], key=True, dtype=float)]
    fields += [Field("orders", None, "orders", [*map(str, found.values())], dtype=float)]
    return [Sheet(f"{e.measure} orders", fields, title=title)]


def ranked(
    found: Sequence[Sequence[T]],
    cells: Callable[[T], Sequence[str]],
    columns: Sequence[str],
    keys: Sequence[str] = ("rank",),
    colour: Callable[[T], str] | None = None,
) -> list[Field]:
    """The columns of a list for people: its rows, of stretches of no use only what they are."""
    head = ["rank", "document", "level", *columns]
    rows = [_together(rows) if len(rows) > 1 else cells(rows[0]) for rows in found]
    rows = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    colours = [colour(rows[0]) if colour and len(rows) == 1 else "" for rows in found]
    return [
        Field(name, None, name, texts, key=name in keys, colours=colours,
              dtype=None if name in _WORDS else float)
        for name, *texts in zip(head, *rows, strict=True)
    ]  # fmt: skip


def _totals(steps: Steps) -> Iterator[str]:
    """What stands below a list: ranks that are not in it, and sums."""
    shown = steps.rows[-1].rank if steps.rows else 0
    if shown + 1 == steps.last:
        yield f"rank {steps.last} does not change the score"
    elif shown < steps.last:
        yield f"ranks {shown + 1}–{steps.last} do not change the score"
    yield from (f"{name} = {_number(value)}" for name, value in steps.totals.items())


def _scores(e: Explanation | None) -> Iterator[str]:
    if e is None:
        return
    for name, value in e.values.items():
        quotient = " / ".join(map(_number, e.fraction)) + " = " if e.fraction else ""
        error = f", standard error {rounded(e.sampled.errors[name])}" if e.sampled else ""
        yield f"{name} = {quotient}{_number(value) if e.counts else rounded(value)}{error}"


def _useful(row: Row) -> bool:
    return any((level or 0) > 0 for level in row.levels)


def _cells(row: Row) -> list[str]:
    doc, level = row.doc, level_text(row.level)
    if row.tied:
        names = ", ".join(doc for doc, _ in row.tied)
        doc = f"one of {names if len(row.tied) <= _NAMED else f'{len(row.tied)} tied'}"
        known = sorted({x for x in row.levels if x is not None}, reverse=True)
        level = "/".join(map(level_text, [*known, *([None] if None in row.levels else [])]))
    return [str(row.rank), doc, level, *map(_number, row.values)]


def level_text(level: float | None) -> str:
    """How a document was judged, if it was."""
    return "–" if level is None else _number(level)


def _together(stretch: Sequence[Any]) -> list[str]:
    """The ranks of several rows of no use, and what they are."""
    unjudged = sum(row.level is None for row in stretch)
    counts = {"nonrelevant": len(stretch) - unjudged, "unjudged": unjudged}
    text = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    return [f"{stretch[0].rank}–{stretch[-1].rank}", text, "…"]


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
    return str(int(value)) if value == int(value) else rounded(value)
