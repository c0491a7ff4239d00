"""Records as a table: results that are a few numbers, or several of them, a row each."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from cranfield.report.sheets import Sheet, listed
from cranfield.shown import Rows, Shown

PLAIN = (str, int, float, type(None))


def sheets(found: Shown) -> list[Sheet]:
    """A row for each record, with a column for each thing that is a number or a name."""
    rows: list[Any] = [*found] if isinstance(found, Rows) else [found]
    kind = type(rows[0]).__name__ if rows else "records"
    records = [{x.name: getattr(row, x.name) for x in fields(row)} for row in rows]
    sheet = listed(kind.lower(), records, people=True)
    plain = [x for x in sheet.fields if all(isinstance(value, PLAIN) for value in x.values or ())]
    return [replace(sheet, fields=plain)]
