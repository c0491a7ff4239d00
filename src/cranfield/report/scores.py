"""Scores as tables: run, topic, measure and value for programs, a column a measure for people."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE
from cranfield.errors import InputError
from cranfield.measures.base import FIVE
from cranfield.report.formats.programs import noted
from cranfield.report.sheets import Field, Sheet, columns, listed
from cranfield.scores import ALL, Scores, json_number, number, readable
from cranfield.wording import counted

Values: TypeAlias = dict[tuple[str, str], dict[str, float]]  # of a run and a topic, by measure
Cell: TypeAlias = tuple[tuple[str, str], str]  # where a value is


def sheets(scores: Scores, per_topic: bool = False, wide: bool = False) -> list[Sheet]:
    """The tables of scores: means, or those of every topic, too.

    Programs see a row for each value. People see a line for each run (and topic), and user models
    of which there are all measurements have a table of their own. `wide` is for both a line for
    each topic, a column for each run.
    """
    return [*(_wide(scores) if wide else (_long(scores, per_topic), *_people(scores, per_topic)))]


# -- for programs: every value in full ------------------------------------------------------------


def _rows(scores: Scores, per_topic: bool) -> Iterator[tuple[str, str, str, float | int]]:
    """The rows with counts as integers."""
    summary = dict(zip(scores.measures, scores.summaries, strict=True))
    for run, topic, measure, value in scores.rows(per_topic):
        yield run, topic, measure, number(value, summary[measure])


def _long(scores: Scores, per_topic: bool) -> Sheet:
    of = columns(_rows(scores, per_topic))
    kinds = enumerate({"run": str, "topic": str, "measure": str, "value": float}.items())
    fields = [of(name, itemgetter(i), people=False, dtype=kind) for i, (name, kind) in kinds]
    return Sheet("scores", fields)


def document(scores: Scores, per_topic: bool = False) -> dict[str, Any]:
    """Scores by run and measure, and by topic."""
    summary: dict[str, dict[str, Any]] = {run: {} for run in scores.runs}
    topics: dict[str, dict[str, dict[str, Any]]] = {run: {} for run in scores.runs}
    for run, topic, measure, value in _rows(scores, per_topic):
        place = summary[run] if topic == ALL else topics[run].setdefault(topic, {})
        place[measure] = json_number(value)
    whole = {"runs": scores.runs, "measures": scores.measures, "all": summary}
    return whole | ({"topics": topics} if per_topic else {}) | noted(scores.notices)


# -- for people: rounded, one line for each run (and topic), the best value marked ----------------


_BOUND = r"(?:\.lower|\.upper)?(?:\.se)?"
_BESIDE = re.compile(rf"{_BOUND}$")
_OF_MODEL = re.compile(rf"(?P<model>.+)\.(?P<column>(?:{'|'.join(FIVE)}){_BOUND})")


def measured(column: str) -> str:
    """Return the measure that a column is about: bounds and standard errors stand beside it.

    >>> measured("INST(T=2).EU.lower"), measured("ERR.se"), measured("AP")
    ('INST(T=2).EU', 'ERR', 'AP')
    """
    return _BESIDE.sub("", column, count=1)


def _people(scores: Scores, per_topic: bool) -> Iterator[Sheet]:
    """A table of measures, and one of user models with all they measure."""
    values = _values(scores, per_topic)
    column = _columns(scores, values)
    models, parts = _by_model(scores.measures)
    of_models = {f"{model}.{x}" for model, x in product(models, parts)}
    told = caption(scores, per_topic), "", counted(len(scores.runs), "run")
    others = [name for name in scores.measures if name not in of_models]
    if others or not models:
        fields = [column(name, [(row, name) for row in values]) for name in others]
        measures = [*_names(values, per_topic), *fields]
        yield Sheet("measures", measures, *(() if models else told))
    if models:
        rows = [*product(values, models)]
        fields = [column(x, [(row, f"{model}.{x}") for row, model in rows]) for x in parts]
        names = _names([row for row, _ in rows], per_topic)
        names.append(Field("model", None, "user model", [model for _, model in rows], key=True))
        yield Sheet("models", names + fields, *told)


def _names(rows: Collection[tuple[str, str]], per_topic: bool) -> list[Field]:
    """The columns that name runs, and topics."""
    names = "run", "topic"
    return [
        Field(name, None, texts=[row[i] for row in rows], key=True)
        for i, name in enumerate(names if per_topic else names[:1])
    ]


def _columns(scores: Scores, values: Values) -> Callable[[str, Iterable[Cell]], Field]:
    """What makes a column: of runs and topics the value of a measure, the best of them marked."""
    summaries = dict(zip(scores.measures, scores.summaries, strict=True))
    best = _best(scores, values)

    def column(name: str, cells: Iterable[Cell]) -> Field:
        texts, marked = [], []
        for row, measure in cells:
            value = values.get(row, {}).get(measure, math.nan)
            known = measure in summaries
            texts.append(readable(value, summaries[measure]) if known else "–")
            top = best.get((row[1], measure), math.nan)
            marked.append(math.isclose(value, top, rel_tol=TOLERANCE))
        return Field(name, None, name, texts, best=marked, group=measured(name), dtype=float)

    return column


def _values(scores: Scores, per_topic: bool) -> Values:
    values: Values = {}
    for run, topic, measure, value in scores.rows(per_topic):
        values.setdefault((run, topic), {})[measure] = value
    return values


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


def _best(scores: Scores, values: Values) -> dict[tuple[str, str], float]:
    """The best value of each topic and measure that has a best.

    It is the highest value of any run (the lowest, for measures where lower is better); runs that
    tie share it. A run that is alone is not best.
    """
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


# -- topics by runs -------------------------------------------------------------------------------


def _wide(scores: Scores) -> Iterator[Sheet]:
    """Topics, with a column for each run: for people a table for each measure."""
    for name in {"measure", "topic"} & {*scores.runs}:
        raise InputError(f"a run named {name!r}", "another name in a wide table")
    values = _values(scores, per_topic=True)
    topics = [*scores.topics, ALL]
    rows = [
        {"measure": measure, "topic": topic}
        | {run: values.get((run, topic), {}).get(measure, math.nan) for run in scores.runs}
        for measure, topic in product(scores.measures, topics)
    ]
    kinds = {"measure": str, "topic": str, **dict.fromkeys(scores.runs, float)}
    yield listed("wide", rows, kinds)
    column = _columns(scores, values)
    for measure in scores.measures:
        fields = [column(run, [((run, topic), measure) for topic in topics]) for run in scores.runs]
        names = Field("topic", None, texts=topics, key=True)
        told = caption(scores.select(measures=[measure]), per_topic=True)
        of = counted(len(scores.runs), "run")
        yield Sheet(measure, [names, *fields], told, measure, of)


def _left_out(scores: Scores) -> str:
    """Over how many topics other measures are, if these are the same for all runs."""
    holes = np.isnan(scores.values)
    if (holes.any(axis=0) != holes.all(axis=0)).any():
        return ", undefined values left out"
    few: dict[int, list[str]] = {}
    for measure, known in zip(scores.measures, (~holes[0]).sum(axis=0).tolist(), strict=True):
        few.setdefault(known, []).append(measure)
    few.pop(len(scores.topics), None)
    return "".join(f", {', '.join(of)} over {known}" for known, of in few.items())


def caption(scores: Scores, per_topic: bool) -> str:
    """What the values of a table are.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["301"], ["AP", "num_ret"], ["mean", "sum"])
    >>> caption(scores, per_topic=False)
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
        text += _left_out(scores)
    return f"per topic, and all: {text}" if per_topic else text
