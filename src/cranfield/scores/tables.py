"""Tables of scores: a row per value, or a column per measure for display."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import product
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE
from cranfield.errors import InputError
from cranfield.measures.base import MEASUREMENTS
from cranfield.scores import ALL, Scores, format_value, to_number
from cranfield.tables import (
    Field,
    ResultTable,
    bind_rows,
    build_notes_entry,
    build_record_table,
    convert_numbers,
    to_json_number,
)
from cranfield.wording import format_count

Values: TypeAlias = dict[tuple[str, str], dict[str, float]]  # (run, topic): measure: value
Cell: TypeAlias = tuple[tuple[str, str], str]  # (run, topic), measure


def build_tables(scores: Scores, per_topic: bool, wide: bool) -> list[ResultTable]:
    """Build the tables of scores: means, or also scores per topic.

    The machine-readable table has a row per value. Displayed tables have a line per run (and
    topic), and a separate table for user models with all five measurements. With `wide`, both have
    a line per topic and a column per run."""
    from cranfield.scores.clusters import build_cluster_table
    from cranfield.scores.slices import CLUSTERED, build_slice_table

    several = len(scores.measures) > 1
    units = CLUSTERED if scores.clusters else ""
    clusters = [build_cluster_table(scores.cluster_means, several)] if scores.clusters else []
    slices = [build_slice_table(scores.slices, several, units=units)] if scores.attributes else []
    return [
        *(
            _build_wide_tables(scores)
            if wide
            else (_build_long_table(scores, per_topic), *_build_visible_tables(scores, per_topic))
        ),
        *clusters,
        *slices,
    ]


# -- machine-readable: exact values ---------------------------------------------------------------


def _iterate_rows(scores: Scores, per_topic: bool) -> Iterator[tuple[str, str, str, float | int]]:
    """Yield rows, with counts as integers."""
    summary = dict(zip(scores.measures, scores.summaries, strict=True))
    for run, topic, measure, value in scores.rows(per_topic):
        yield run, topic, measure, to_number(value, summary[measure])


def _build_long_table(scores: Scores, per_topic: bool) -> ResultTable:
    column = bind_rows(_iterate_rows(scores, per_topic))
    kinds = enumerate({"run": str, "topic": str, "measure": str, "value": float}.items())
    fields = [column(name, itemgetter(i), visible=False, dtype=kind) for i, (name, kind) in kinds]
    return ResultTable("scores", fields)


def build_document(scores: Scores, per_topic: bool) -> dict[str, Any]:
    """Return scores by run and measure, and by topic."""
    summary: dict[str, dict[str, Any]] = {run: {} for run in scores.runs}
    topics: dict[str, dict[str, dict[str, Any]]] = {run: {} for run in scores.runs}
    for run, topic, measure, value in _iterate_rows(scores, per_topic):
        values = summary[run] if topic == ALL else topics[run].setdefault(topic, {})
        values[measure] = to_json_number(value)
    content: dict[str, Any] = {"runs": scores.runs, "measures": scores.measures, "all": summary}
    content |= {"topics": topics} if per_topic else {}
    content |= {"clusters": dict(scores.clusters)} if per_topic and scores.clusters else {}
    content |= {"cluster_means": _convert_rows(scores.cluster_means)} if scores.clusters else {}
    content |= {"slices": _convert_rows(scores.slices)} if scores.attributes else {}
    return content | build_notes_entry(scores.notes)


def _convert_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [convert_numbers(asdict(row)) for row in rows]


# -- displayed: rounded, a line per run (and topic), best values marked ---------------------------


_BOUND = r"(?:\.lower|\.upper)?(?:\.se)?"
_SUFFIX = re.compile(rf"{_BOUND}$")
_MODEL_COLUMN = re.compile(rf"(?P<model>.+)\.(?P<column>(?:{'|'.join(MEASUREMENTS)}){_BOUND})")


def get_measure(column: str) -> str:
    """Return the measure of a column, without suffixes such as .lower or .se.

    >>> get_measure("INST(T=2).EU.lower"), get_measure("ERR.se"), get_measure("AP")
    ('INST(T=2).EU', 'ERR', 'AP')
    """
    return _SUFFIX.sub("", column, count=1)


def _build_visible_tables(scores: Scores, per_topic: bool) -> Iterator[ResultTable]:
    """Yield a table of measures, and a table of user models with all measurements."""
    values = _collect_values(scores, per_topic)
    build_column = _bind_values(scores, values)
    models, parts = _group_by_model(scores.measures)
    of_models = {f"{model}.{x}" for model, x in product(models, parts)}
    caption_fields = build_caption(scores, per_topic), "", format_count(len(scores.runs), "run")
    other_measures = [name for name in scores.measures if name not in of_models]
    if other_measures or not models:
        fields = [build_column(name, [(row, name) for row in values]) for name in other_measures]
        measures = [*_build_name_columns(values, per_topic), *fields]
        yield ResultTable("measures", measures, *(() if models else caption_fields))
    if models:
        rows = [*product(values, models)]
        fields = [build_column(x, [(row, f"{model}.{x}") for row, model in rows]) for x in parts]
        names = _build_name_columns([row for row, _ in rows], per_topic)
        names.append(Field("model", None, "user model", [model for _, model in rows], key=True))
        yield ResultTable("models", names + fields, *caption_fields)


def _build_name_columns(rows: Collection[tuple[str, str]], per_topic: bool) -> list[Field]:
    """Build the columns with runs and topics."""
    names = "run", "topic"
    return [
        Field(name, None, texts=[row[i] for row in rows], key=True)
        for i, name in enumerate(names if per_topic else names[:1])
    ]


def _bind_values(scores: Scores, values: Values) -> Callable[[str, Iterable[Cell]], Field]:
    """Return a function that builds the column of a measure."""
    summaries = dict(zip(scores.measures, scores.summaries, strict=True))
    best = _find_best(scores, values)

    def build_column(name: str, cells: Iterable[Cell]) -> Field:
        texts, is_best = [], []
        for row, measure in cells:
            value = values.get(row, {}).get(measure, math.nan)
            has_measure = measure in summaries
            texts.append(format_value(value, summaries[measure]) if has_measure else "–")
            top = best.get((row[1], measure), math.nan)
            is_best.append(math.isclose(value, top, rel_tol=TOLERANCE))
        return Field(name, None, name, texts, best=is_best, group=get_measure(name), dtype=float)

    return build_column


def _collect_values(scores: Scores, per_topic: bool) -> Values:
    values: Values = {}
    for run, topic, measure, value in scores.rows(per_topic):
        values.setdefault((run, topic), {})[measure] = value
    return values


def _group_by_model(measures: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the user models with all five measurements, and their columns.

    >>> columns = [f"{m}.{x}" for m in ("INST", "RBP(p=0.5)") for x in MEASUREMENTS]
    >>> _group_by_model(["AP", *columns, "INSQ.ED"])
    (('INST', 'RBP(p=0.5)'), ('EU', 'ETU', 'EC', 'ETC', 'ED'))
    """
    columns: dict[str, list[str]] = {}
    for match in filter(None, map(_MODEL_COLUMN.fullmatch, measures)):
        columns.setdefault(match["model"], []).append(match["column"])
    complete = {model: model_columns for model, model_columns in columns.items() if {*MEASUREMENTS} <= {*model_columns}}
    all_columns = dict.fromkeys(column for model_columns in complete.values() for column in model_columns)
    return tuple(complete), tuple(sorted(all_columns, key=lambda column: MEASUREMENTS.index(get_measure(column))))


def _find_best(scores: Scores, values: Values) -> dict[tuple[str, str], float]:
    """Return the best value of each topic and measure, if a direction is better.

    Best is the highest value of all runs, or the lowest if lower is better. Tied runs share it. A
    single run is never best.
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


def _build_wide_tables(scores: Scores) -> Iterator[ResultTable]:
    """Yield a table of topics by runs, and a displayed table per measure."""
    for name in {"measure", "topic"} & {*scores.runs}:
        raise InputError(f"a run named {name!r}", "a name other than measure or topic in a wide table")
    values = _collect_values(scores, per_topic=True)
    topics = [*scores.topics, ALL]
    rows = [
        {"measure": measure, "topic": topic}
        | {run: values.get((run, topic), {}).get(measure, math.nan) for run in scores.runs}
        for measure, topic in product(scores.measures, topics)
    ]
    kinds = {"measure": str, "topic": str, **dict.fromkeys(scores.runs, float)}
    yield build_record_table("wide", rows, kinds)
    build_column = _bind_values(scores, values)
    for measure in scores.measures:
        fields = [build_column(run, [((run, topic), measure) for topic in topics]) for run in scores.runs]
        names = Field("topic", None, texts=topics, key=True)
        table_caption = build_caption(scores.select(measures=[measure]), per_topic=True)
        runs_text = format_count(len(scores.runs), "run")
        yield ResultTable(measure, [names, *fields], table_caption, measure, runs_text)


def _describe_missing_topics(scores: Scores) -> str:
    """Return the numbers of topics with defined values, if equal for all runs."""
    holes = np.isnan(scores.values)
    if (holes.any(axis=0) != holes.all(axis=0)).any():
        return ", undefined values excluded"
    by_count: dict[int, list[str]] = {}
    for measure, topic_count in zip(scores.measures, (~holes[0]).sum(axis=0).tolist(), strict=True):
        by_count.setdefault(topic_count, []).append(measure)
    by_count.pop(len(scores.topics), None)
    return "".join(f", {', '.join(measures)} over {topic_count}" for topic_count, measures in by_count.items())


def build_caption(scores: Scores, per_topic: bool) -> str:
    """Describe the values of a table.

    >>> scores = Scores([[[0.5, 10]]], ["bm25"], ["301"], ["AP", "num_ret"], ["mean", "sum"])
    >>> build_caption(scores, per_topic=False)
    'mean over 1 topic, counts summed'
    """
    kinds = set(scores.summaries)
    names = {"mean": "mean", "gmean": "geometric mean", "sum": "sum", "se": "standard error"}
    main = next((kind for kind in names if kind in kinds), "mean")
    text = f"{names[main]} over {format_count(len(scores.topics), 'topic')}"
    for kind in ("gmean", "sum"):
        if kind in kinds and kind != main:
            other_measures = [m for m, s in zip(scores.measures, scores.summaries, strict=True) if s == kind]
            text += ", counts summed" if kind == "sum" else f", geometric of {', '.join(other_measures)}"
    if scores.undefined == "skip" and np.isnan(scores.values).any():
        text += _describe_missing_topics(scores)
    return f"per topic, and all: {text}" if per_topic else text
