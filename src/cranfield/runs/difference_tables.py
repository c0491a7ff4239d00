"""Tables of two compared runs: means, topics, effects, values and documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, get_args

from cranfield import tables
from cranfield.runs.difference import Change, MovedDocument, RunDifference, TopicDifference
from cranfield.tables import Field, ResultTable, build_notes_entry, convert_numbers
from cranfield.wording import format_count, format_number

TABLES = ("means", "topics", "effects", "values", "documents")
_RESIDUAL = 5e-5  # bounds of RBO are shown if they differ in the fourth decimal


def build_tables(result: RunDifference, top: int) -> list[ResultTable]:
    """Build all tables. Those for display have the `top` topics."""
    effects = [] if result.scores is None else [_build_effect_table(result, top)]
    return [
        _build_mean_table(result),
        _build_topic_table(result, top),
        *effects,
        _build_value_table(result),
        _build_document_table(result),
    ]


def build_document(result: RunDifference) -> dict[str, Any]:
    """Return the content of JSON: values by topic, means, and documents that moved."""
    return {
        "runs": [*result.runs],
        "k": result.k,
        "p": result.p,
        "rbo_ties": result.rbo_ties,
        "topics": {topic: convert_numbers(values) for topic, values in result.values.items()},
        "all": convert_numbers(result.means),
        "undefined": result.undefined,
        "entered": _list_documents(result.select_documents("entered")),
        "left": _list_documents(result.select_documents("left")),
        "moved": _list_documents(result.select_documents("rose", "fell")),
        **build_notes_entry(result.notes),
    }


def _list_documents(documents: Sequence[MovedDocument]) -> list[dict[str, Any]]:
    return [
        {"topic": x.topic, "doc": x.doc, "from": x.from_rank, "to": x.to_rank, "level": _format_level(x.level)}
        for x in documents
    ]


def _format_level(level: float | None) -> Any:
    return tables.drop_zero_fraction(level)


def _format_mean(name: str, mean: float) -> str:
    return "–" if math.isnan(mean) else format_number(mean, "+" if name.startswith("Δ ") else "")


def _describe_settings(result: RunDifference) -> str:
    """Describe the direction and the variant of RBO."""
    variant = "" if result.rbo_ties == "a" else f", ties variant {result.rbo_ties}"
    return f"RBO: extrapolated, p = {result.p:g}{variant}"


def _build_mean_table(result: RunDifference) -> ResultTable:
    a, b = result.runs
    names = [name for name in result.means if not name.startswith("RBO ")]
    ends = result.means["RBO lower"], result.means["RBO upper"]
    bounds = tables.format_interval(*ends)
    texts = [_format_mean(name, result.means[name]) for name in names]
    lines = [f"{_describe_settings(result)}. τ∩: common documents. τ∪: all, absent ones tied below the end."]
    if result.scores is not None:
        judged = format_count(len(result.scores.topics), "judged topic")
        lines.append(f"Δ: {b} minus {a}, over {judged}.")
    undefined = [result.undefined.get(name, 0) for name in names]
    return ResultTable(
        "means",
        (
            Field("measure", names, key=True),
            Field("mean", [result.means[name] for name in names], texts=texts),
            Field(
                "bounds",
                None,
                texts=[bounds if name == "RBO" else "" for name in names],
                visible=ends[1] - ends[0] > _RESIDUAL,
            ),
            Field("undefined", undefined, texts=[str(n) if n else "" for n in undefined], visible=any(undefined)),
        ),
        f"How far {a} and {b} agree: means over {format_count(len(result.topics), 'topic')}. {' '.join(lines)}",
    )


def _build_topic_table(result: RunDifference, top: int) -> ResultTable:
    rows, names = result.topics[:top], result.columns
    column = tables.bind_rows(rows)
    bounds = [tables.format_interval(row.rbo_lower, row.rbo_upper) for row in rows]
    has_bounds = any(row.rbo_upper - row.rbo_lower > _RESIDUAL for row in rows)
    moves = ("entered", "left", "largest_move")
    shown = f"The {len(rows):,} topics" if len(rows) < len(result.topics) else "Topics"
    a, b = result.runs
    return ResultTable(
        "topics",
        (
            column("topic", key=True),
            *(column(name, head=names[name]) for name in ("overlap", "jaccard", "rbo")),
            *tables.build_columns(column, "rbo_lower", "rbo_upper", visible=False),
            Field("bounds", None, texts=bounds, visible=has_bounds),
            *(column(name, head=names[name], dtype=float) for name in ("tau_common", "tau_union")),
            *(column(name, head=name.replace("_", " ")) for name in moves),
        ),
        f"{shown} with the least RBO first. Entered, left: documents of {b} and {a} only, in the top {result.k}. "
        "Largest move: largest difference of ranks, an absent document counts as the one after the last.",
    )


def _build_effect_table(result: RunDifference, top: int) -> ResultTable:
    assert result.scores is not None  # noqa: S101
    rows: list[TopicDifference] = result.sort_by_effect()
    shown, measures = rows[:top], result.scores.measures
    column = tables.bind_rows(shown)
    a, b = result.runs
    counts = get_args(Change)
    return ResultTable(
        "effects",
        (
            column("topic", key=True),
            *(column(name, lambda row, name=name: row.relevant[name], group="relevant") for name in counts),
            *(
                column(f"Δ {name}", lambda row, name=name: row.differences[name], text=tables.format_difference)
                for name in measures
            ),
        ),
        f"Effect on relevant documents, the largest difference of {measures[0]} first ({len(shown):,} of "
        f"{format_count(len(rows), 'topic')}). Entered, left: the top {result.k}. Rose, fell: other ranks. "
        f"Δ: {b} minus {a}.",
    )


def _build_value_table(result: RunDifference) -> ResultTable:
    rows = [
        (topic, name, value)
        for topic, values in (*result.values.items(), ("all", result.means))
        for name, value in values.items()
    ]
    topics, names, values = ([*column] for column in zip(*rows, strict=True))
    fields = (Field("topic", topics, visible=False), Field("measure", names, visible=False))
    return ResultTable("values", (*fields, Field("value", values, visible=False, dtype=float)))


def _build_document_table(result: RunDifference) -> ResultTable:
    a, b = result.runs
    column = tables.bind_rows(result.documents)
    return ResultTable(
        "documents",
        (
            column("topic", key=True, dtype=str),
            column("doc", key=True, dtype=str),
            column("from", "from_rank", dtype=int),
            column("to", "to_rank", dtype=int),
            column("level", lambda x: _format_level(x.level), visible=result.scores is not None, dtype=float),
        ),
        f"Documents that entered or left the top {result.k}, or moved within it"
        f"{'' if result.scores is None else ', and all relevant documents that moved'}. "
        f"From: rank in {a}. To: rank in {b}. –: absent.",
    )
