"""Scores for programs (TSV, CSV, JSON, Parquet) and for papers (Markdown, LaTeX)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from cranfield.errors import InputError
from cranfield.measures.base import FIVE
from cranfield.report.papers import (
    escape_latex,
    escape_markdown,
    latex_table,
    markdown_table,
    tabular,
)
from cranfield.report.rows import as_json, separated
from cranfield.scores import ALL, Scores, four_decimals, json_number, number
from cranfield.wording import counted

COLUMNS = ("run", "topic", "measure", "value")
Renderer: TypeAlias = Callable[[Scores, bool], bytes]  # of scores, and whether per topic


def render(scores: Scores, format: str, per_topic: bool = False) -> bytes:
    r"""Return scores as the content of a file.

    All formats but ``"table"``, which is `cranfield.report.terminal.table`. Those for programs
    hold every value in full; those for papers have four decimals and the best value in bold, and
    user models of which there are all measurements have a table of their own.

    >>> from cranfield.scores import Scores
    >>> scores = Scores([[[1 / 3]], [[0.25]]], ["bm25", "dense"], ["301"], ["AP"], ["mean"])
    >>> print(render(scores, "tsv").decode().replace("\t", " "))
    run topic measure value
    bm25 all AP 0.3333333333333333
    dense all AP 0.25
    <BLANKLINE>
    >>> print(render(scores, "markdown").decode())
    | run | AP |
    |:---|---:|
    | bm25 | **0.3333** |
    | dense | 0.2500 |
    <BLANKLINE>
    Mean over 1 topic; best in bold.
    <BLANKLINE>
    """
    if format not in _RENDERERS:
        raise InputError(f"format {format!r}", "one of " + ", ".join(_RENDERERS))
    return _RENDERERS[format](scores, per_topic)


# -- for programs: every value in full, one row each, as `Scores.rows` lists them -----------------


def _separated(format: str, scores: Scores, per_topic: bool) -> bytes:
    return separated([COLUMNS, *_rows(scores, per_topic)], format).encode()


def _jsonl(scores: Scores, per_topic: bool) -> bytes:
    return "".join(
        as_json(dict(zip(COLUMNS, (*names, json_number(value)), strict=True)), indent=None)
        for *names, value in _rows(scores, per_topic)
    ).encode()


def _json_document(scores: Scores, per_topic: bool) -> bytes:
    summary: dict[str, dict[str, Any]] = {run: {} for run in scores.runs}
    topics: dict[str, dict[str, dict[str, Any]]] = {run: {} for run in scores.runs}
    for run, topic, measure, value in _rows(scores, per_topic):
        place = summary[run] if topic == ALL else topics[run].setdefault(topic, {})
        place[measure] = json_number(value)
    whole = {"runs": scores.runs, "measures": scores.measures, "all": summary}
    notices = [asdict(notice) for notice in scores.notices]
    return as_json(
        whole | ({"topics": topics} if per_topic else {}) | {"notices": notices}
    ).encode()


def _parquet(scores: Scores, per_topic: bool) -> bytes:
    import polars as pl

    names = dict.fromkeys(COLUMNS[:3], pl.String())
    rows = list(scores.rows(per_topic))
    frame = pl.DataFrame(rows, {**names, "value": pl.Float64()}, orient="row")
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def _rows(scores: Scores, per_topic: bool) -> list[tuple[str, str, str, float | int]]:
    """Return the rows with counts as integers."""
    summary = dict(zip(scores.measures, scores.summaries, strict=True))
    return [
        (run, topic, measure, number(value, summary[measure]))
        for run, topic, measure, value in scores.rows(per_topic)
    ]


# -- for people: four decimals, one line for each run (and topic), the best value marked ----------


@dataclass(frozen=True)
class Cell:
    """A value as people read it, and whether no other run has a better one."""

    text: str
    best: bool


@dataclass(frozen=True)
class Line:
    """What a table shows of a run: its name, that of a topic if asked for, and its values."""

    names: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """What stands above the names and above the values, and the lines below it."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    lines: tuple[Line, ...]


NONE = Cell("–", False)
_BOUND = r"(?:\.lower|\.upper)?(?:\.se)?"
_BESIDE = re.compile(rf"{_BOUND}$")
_OF_MODEL = re.compile(rf"(?P<model>.+)\.(?P<column>(?:{'|'.join(FIVE)}){_BOUND})")


def measured(column: str) -> str:
    """Return the measure that a column is about: bounds and standard errors stand beside it.

    >>> measured("INST(T=2).EU.lower"), measured("ERR.se"), measured("AP")
    ('INST(T=2).EU', 'ERR', 'AP')
    """
    return _BESIDE.sub("", column, count=1)


def tables(scores: Scores, per_topic: bool) -> list[Table]:
    """Return the tables for people: of measures, and of user models with all they measure.

    A user model has a line of its own if all five measurements are there.

    >>> names = ["nDCG", *(f"INST(T=2).{name}" for name in FIVE)]
    >>> scores = Scores([[[0.5, 0.4, 1, 1, 2.5, 2.5]]], ["bm25"], ["301"], names, ["mean"] * 6)
    >>> for table in tables(scores, per_topic=False):
    ...     print(*table.names, *table.measures, sep=", ")
    run, nDCG
    run, user model, EU, ETU, EC, ETC, ED
    """
    heads = ("run", "topic") if per_topic else ("run",)
    rows = list(_lines(scores, per_topic))
    models, columns = _by_model(scores.measures)
    of_models = {f"{model}.{column}" for model in models for column in columns}
    others = tuple(name for name in scores.measures if name not in of_models)
    lines = tuple(Line(names, _cells(x, others)) for names, x in rows)
    found = [Table(heads, others, lines)] if others or not models else []
    if models:
        lines = tuple(
            Line((*names, model), _cells(x, [f"{model}.{column}" for column in columns]))
            for names, x in rows
            for model in models
        )
        found.append(Table((*heads, "user model"), columns, lines))
    return found


def _cells(of_line: Mapping[str, Cell], measures: Iterable[str]) -> tuple[Cell, ...]:
    return tuple(of_line.get(measure, NONE) for measure in measures)


def _by_model(measures: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the user models of which all five measurements are there, and their columns.

    >>> _by_model(["AP", *(f"{m}.{x}" for m in ("INST", "RBP(p=0.5)") for x in FIVE), "INSQ.ED"])
    (('INST', 'RBP(p=0.5)'), ('EU', 'ETU', 'EC', 'ETC', 'ED'))
    """
    columns: dict[str, list[str]] = {}
    for match in filter(None, map(_OF_MODEL.fullmatch, measures)):
        columns.setdefault(match["model"], []).append(match["column"])
    whole = {model: found for model, found in columns.items() if {*FIVE} <= {*found}}
    every = dict.fromkeys(column for found in whole.values() for column in found)
    return tuple(whole), tuple(sorted(every, key=lambda column: FIVE.index(measured(column))))


def marked(shown: Iterable[Table]) -> bool:
    """Return whether any value is marked as the best."""
    return any(cell.best for table in shown for line in table.lines for cell in line.cells)


def _lines(scores: Scores, per_topic: bool) -> Iterator[tuple[tuple[str, ...], dict[str, Cell]]]:
    """Yield for each run (and topic) its names, and a cell for each measure.

    The best is the highest value of any run (the lowest, for measures where lower is better),
    for each topic and measure; runs that tie share it. A run that is alone is not best.
    """
    values: dict[tuple[str, str], dict[str, float]] = {}
    for run, topic, measure, value in scores.rows(per_topic):
        values.setdefault((run, topic), {})[measure] = value
    best = _best(scores, values)
    for (run, topic), row in values.items():
        cells = {}
        for m, summary in zip(scores.measures, scores.summaries, strict=True):
            value = row.get(m, math.nan)
            cells[m] = Cell(four_decimals(value, summary), value == best.get((topic, m)))
        yield (run, topic) if per_topic else (run,), cells


def _best(
    scores: Scores, values: dict[tuple[str, str], dict[str, float]]
) -> dict[tuple[str, str], float]:
    """Return the best value of each topic and measure that has a best."""
    if len(scores.runs) < 2:
        return {}
    ends = {"higher": max, "lower": min}
    better = {m: ends[b] for m, b in zip(scores.measures, scores.better, strict=True) if b in ends}
    best: dict[tuple[str, str], float] = {}
    for (_, topic), row in values.items():
        for measure, value in row.items():
            if measure in better and not math.isnan(value):
                best[topic, measure] = better[measure](value, best.get((topic, measure), value))
    return best


def shown(scores: Scores, per_topic: bool) -> str:
    """Return what the values of a table are.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["301"], ["AP", "num_ret"], ["mean", "sum"])
    >>> shown(scores, per_topic=False)
    'mean over 1 topic, counts summed'
    """
    kinds = set(scores.summaries)
    names = {"mean": "mean", "gmean": "geometric mean", "sum": "sum", "se": "standard error"}
    main = next((kind for kind in names if kind in kinds), "mean")
    text = f"{names[main]} over {counted(len(scores.topics), 'topic')}"
    for kind in ("gmean", "sum"):
        if kind in kinds and kind != main:
            of = [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s == kind]
            text += ", counts summed" if kind == "sum" else f", geometric of {', '.join(of)}"
    if scores.undefined == "skip" and np.isnan(scores.values).any():
        text += ", undefined values left out"
    return f"per topic, and all: {text}" if per_topic else text


def _caption(scores: Scores, parts: Iterable[Table], per_topic: bool) -> str:
    text = shown(scores, per_topic)
    best = "; best in bold" if marked(parts) else ""
    return f"{text[0].upper()}{text[1:]}{best}."


def _markdown(scores: Scores, per_topic: bool) -> bytes:
    parts = tables(scores, per_topic)
    shown = (_of_paper(table, escape_markdown, "**{}**") for table in parts)
    text = [line for part in shown for line in (*markdown_table(*part), "")]
    return "\n".join([*text, _caption(scores, parts, per_topic), ""]).encode()


def _latex(scores: Scores, per_topic: bool) -> bytes:
    parts = tables(scores, per_topic)
    shown = [tabular(*_of_paper(table, escape_latex, r"\textbf{{{}}}")) for table in parts]
    return "\n".join([*latex_table(_caption(scores, parts, per_topic), shown), ""]).encode()


def _of_paper(
    table: Table, escape: Callable[[str], str], best: str
) -> tuple[list[str], list[bool], list[list[str]]]:
    """Heads, which columns are to the left, and rows: everything escaped, the best in bold."""
    rows = [
        [*map(escape, line.names)]
        + [best.format(cell.text) if cell.best else cell.text for cell in line.cells]
        for line in table.lines
    ]
    left = [True] * len(table.names) + [False] * len(table.measures)
    return [*map(escape, (*table.names, *table.measures))], left, rows


_RENDERERS: dict[str, Renderer] = {
    "tsv": partial(_separated, "tsv"),
    "csv": partial(_separated, "csv"),
    "json": _json_document,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "latex": _latex,
    "parquet": _parquet,
}
FORMATS = ("table", *_RENDERERS)
