"""The explanation of a score: items, steps and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import chain, groupby
from typing import Any, TypeVar

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.tables import Field, ResultTable, build_record_table
from cranfield.wording import format_count, format_number


@dataclass(frozen=True)
class Row:
    """An item of a ranking. `level` is None if unjudged."""

    rank: int
    doc: str
    level: float | None
    values: tuple[float, ...]  # one per column of the Steps
    tied: tuple[tuple[str, float | None], ...] = ()  # items and levels that can be at this rank

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels of the items that can be at this rank."""
        return tuple(level for _, level in self.tied) or (self.level,)


@dataclass(frozen=True)
class Steps:
    """The computation of a score: values of each item, and totals."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: dict[str, float]
    last: int = 0  # the last rank used. Ranks without a row change nothing


@dataclass(frozen=True)
class Sampled:
    """The random orders of tied items behind a mean score."""

    drawn: tuple[tuple[float, ...], ...]  # values of each order
    errors: dict[str, float]  # standard errors of the means
    best: Explanation  # of the order by level, descending
    worst: Explanation


@dataclass(frozen=True, repr=False)
class Explanation(TableResult):
    """The score of one topic with its computation steps."""

    measure: str
    variant: str  # description of the definition used
    run: str
    topic: str  # empty for levels without files
    values: dict[str, float]
    counts: bool  # True if the values are counts
    fraction: tuple[float, float] | None  # numerator and denominator of the value, if any
    facts: dict[str, float]  # R, N, n, …
    steps: Steps
    ideal: Steps | None  # of the ideal ranking, if the measure uses it
    legend: dict[str, str] = field(default_factory=dict)  # meanings of symbols
    remarks: tuple[str, ...] = ()
    sampled: Sampled | None = None  # if the values are means of random orders

    @property
    def lists(self) -> dict[str, Steps]:
        """All rankings of the explanation by name. Equal orders are included once."""
        shown_lists, ideal = ({"run": self.steps}, {} if self.ideal is None else {"ideal": self.ideal})
        if self.sampled is not None:
            shown_lists |= {"best": self.sampled.best.steps, "worst": self.sampled.worst.steps}
            if shown_lists["best"] == shown_lists["worst"]:
                del shown_lists["worst"]
        return shown_lists | ideal

    @property
    def symbols(self) -> list[str]:
        """The names of all numbers of the explanation, in order."""
        lists = self.lists.values()
        return [*self.facts, *(name for x in lists for name in (*x.columns, *x.totals))]

    def __repr__(self) -> str:
        return self.as_text()

    def _build_tables(self) -> list[ResultTable]:
        return _build_explanation_tables([self])


class Explanations(Rows[Explanation]):
    """Explanations of several measures or topics."""

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))

    def _build_tables(self) -> list[ResultTable]:
        return _build_explanation_tables(self)


# -- tables ---------------------------------------------------------------------------------------

T = TypeVar("T")

_MAX_COMPLETE = 20  # ranks; longer rankings are abridged
_TOP_RANKS = 10  # shown ranks of an abridged ranking
_MIN_STRETCH = 3  # longer stretches without gain are merged below the top
_MAX_TIED_NAMES = 3  # more tied documents are counted only
_TEXT_COLUMNS = ("document", "status", "group")  # left-aligned columns
_TITLES = {  # titles of rankings other than the run
    "best": "one order: tied documents by level, best first (as with ties=best)",
    "worst": "one order: tied documents by level, worst first (as with ties=worst)",
    "ideal": "ideal ranking",
}


def _build_explanation_tables(explanations: Sequence[Explanation]) -> list[ResultTable]:
    """Build a machine-readable table of all ranks and a table per ranking."""
    rows = [row for explanation in explanations for row in _iterate_rows(explanation)]
    return [
        build_record_table("steps", rows),
        *(table for explanation in explanations for table in _build_visible_tables(explanation)),
    ]


def _iterate_rows(e: Explanation) -> Iterator[dict[str, Any]]:
    ids = {"measure": e.measure, "run": e.run, "topic": e.topic}
    for name, steps in e.lists.items():
        for row in steps.rows:
            item = {"list": name, "rank": row.rank, "doc": row.doc, "level": row.level}
            yield ids | item | dict(zip(steps.columns, row.values, strict=False))


def _build_visible_tables(e: Explanation) -> Iterator[ResultTable]:
    """Yield the ranking and the ideal ranking, with facts and the score.

    If the score is a mean over random orders, two orders with their steps and scores follow the
    ranking, and a table counts the drawn scores.
    """
    title = f"{e.measure} of {e.run}" + (f", topic {e.topic}" if e.topic else "")
    facts = ", ".join(f"{name} = {_format_number(value)}" for name, value in e.facts.items())
    unjudged = any(None in row.levels for steps in e.lists.values() for row in steps.rows)
    legend = e.legend | ({"–": "not judged"} if unjudged else {})
    symbols = "; ".join(f"{symbol}: {meaning}" for symbol, meaning in legend.items())
    final_lines = *e.remarks, e.variant, facts, symbols, *_format_scores(e)
    tables = [
        ResultTable(
            f"{e.measure} {name}",
            build_ranking_columns(split_stretches(steps.rows, _is_useful), _format_cells, steps.columns),
            title=_TITLES.get(name, title),
            lines=[*_format_totals(steps), *_format_scores(getattr(e.sampled, name, None))],
        )
        for name, steps in e.lists.items()
    ]
    tables += _build_order_tables(e)
    lines = [line for line in (*tables[-1].lines, *final_lines) if line]
    yield from (*tables[:-1], replace(tables[-1], lines=lines))


def _build_order_tables(e: Explanation) -> list[ResultTable]:
    """Count the random orders by score, rounded until the table is short."""
    if e.sampled is None or len(e.values) > 1:
        return []
    scores = sorted((score for (score,) in e.sampled.drawn), reverse=True)
    fewer = ([f"{score:.{decimals}f}" for score in scores] for decimals in (3, 2, 1, 0))
    tries = map(Counter, chain([map(format_number, scores)], fewer))
    histogram = next((counts for counts in tries if len(counts) <= _MAX_COMPLETE), None)
    if histogram is None:
        return []
    title = f"scores of {format_count(len(scores), 'random order')} of tied documents"
    fields = [Field(e.measure, None, e.measure, [*histogram], key=True, dtype=float)]
    fields += [Field("orders", None, "orders", [*map(str, histogram.values())], dtype=float)]
    return [ResultTable(f"{e.measure} orders", fields, title=title)]


def build_ranking_columns(
    stretches: Sequence[Sequence[T]],
    cells: Callable[[T], Sequence[str]],
    columns: Sequence[str],
    keys: Sequence[str] = ("rank",),
    colour: Callable[[T], str] | None = None,
) -> list[Field]:
    """Build the columns of a ranking, with one row for each merged stretch."""
    head = ["rank", "document", "level", *columns]
    rows = [_summarize_stretch(rows) if len(rows) > 1 else cells(rows[0]) for rows in stretches]
    rows = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    colours = [colour(rows[0]) if colour and len(rows) == 1 else "" for rows in stretches]
    return [
        Field(name, None, name, texts, key=name in keys, colours=colours,
              dtype=None if name in _TEXT_COLUMNS else float)
        for name, *texts in zip(head, *rows, strict=True)
    ]  # fmt: skip


def _format_totals(steps: Steps) -> Iterator[str]:
    """Yield the ranks that are not listed, and sums."""
    last_rank = steps.rows[-1].rank if steps.rows else 0
    if last_rank + 1 == steps.last:
        yield f"rank {steps.last} does not change the score"
    elif last_rank < steps.last:
        yield f"ranks {last_rank + 1}–{steps.last} do not change the score"
    yield from (f"{name} = {_format_number(value)}" for name, value in steps.totals.items())


def _format_scores(e: Explanation | None) -> Iterator[str]:
    if e is None:
        return
    for name, value in e.values.items():
        quotient = " / ".join(map(_format_number, e.fraction)) + " = " if e.fraction else ""
        error = f", standard error {format_number(e.sampled.errors[name])}" if e.sampled else ""
        text = _format_number(value) if e.counts else format_number(value)
        yield f"{name} = {quotient}{text}{error}"


def _is_useful(row: Row) -> bool:
    return any((level or 0) > 0 for level in row.levels)


def _format_cells(row: Row) -> list[str]:
    doc, level = row.doc, format_level(row.level)
    if row.tied:
        names = ", ".join(doc for doc, _ in row.tied)
        doc = f"one of {names if len(row.tied) <= _MAX_TIED_NAMES else f'{len(row.tied)} tied'}"
        levels = sorted({x for x in row.levels if x is not None}, reverse=True)
        level = "/".join(map(format_level, [*levels, *([None] if None in row.levels else [])]))
    return [str(row.rank), doc, level, *map(_format_number, row.values)]


def format_level(level: float | None) -> str:
    """Format a level, – if unjudged."""
    return "–" if level is None else _format_number(level)


def _summarize_stretch(stretch: Sequence[Any]) -> list[str]:
    """Return the ranks of merged rows, and the number of documents of each kind."""
    unjudged = sum(row.level is None for row in stretch)
    counts = {"nonrelevant": len(stretch) - unjudged, "unjudged": unjudged}
    text = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    return [f"{stretch[0].rank}–{stretch[-1].rank}", text, "…"]


def split_stretches(rows: Sequence[T], useful: Callable[[T], bool]) -> list[list[T]]:
    """Split a ranking into rows, and merge long stretches without gain."""
    stretch_list: list[list[T]] = []
    top = _TOP_RANKS if len(rows) > _MAX_COMPLETE else len(rows)
    for shown_alone, numbered in groupby(enumerate(rows), lambda x: x[0] < top or useful(x[1])):
        group = [row for _, row in numbered]
        is_merged = not shown_alone and len(group) > _MIN_STRETCH
        stretch_list += [group] if is_merged else [[row] for row in group]
    return stretch_list


def _format_number(value: float) -> str:
    return str(int(value)) if value == int(value) else format_number(value)
