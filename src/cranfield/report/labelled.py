"""Labelled lists for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.evaluation.labelled import LabelledList
from cranfield.report.rows import as_json, separated, whole

FORMATS = ("text", "tsv", "json")
COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")


def records(labelled: LabelledList) -> list[dict[str, Any]]:
    """Every item as a row of a table, those missed included."""
    return [
        {"run": labelled.run, "topic": labelled.topic}
        | {name: getattr(item, name) for name in COLUMNS[2:]}
        for item in (*labelled.items, *labelled.missed)
    ]


def render(lists: Sequence[LabelledList], format: str) -> str:
    """All lists for programs, as TSV or JSON."""
    rows = [row for labelled in lists for row in records(labelled)]
    if format == "json":
        return as_json(rows)
    return separated([COLUMNS, *([whole(row[name]) for name in COLUMNS] for row in rows)], format)
