"""Records as a table: results that are a few numbers, or several of them, a row each."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from cranfield.report.sheets import Field, Sheet
from cranfield.shown import Rows, Shown

PLAIN = (str, int, float, type(None))


def sheets(found: Shown) -> list[Sheet]:
    """A row for each record, with a column for each thing that is a number or a name."""
    rows = [*found] if isinstance(found, Rows) else [found]
    kind = type(rows[0]).__name__ if rows else "records"
    columns = {
        name: [getattr(row, name) for row in rows] for name in _names(rows[0] if rows else ())
    }
    return [
        Sheet(
            kind.lower(),
            [
                Field(name, values)
                for name, values in columns.items()
                if all(isinstance(value, PLAIN) for value in values)
            ],
        )
    ]


def _names(record: Any) -> tuple[str, ...]:
    if is_dataclass(record):
        return tuple(field.name for field in fields(record))
    return tuple(getattr(record, "_fields", ()))
