"""Records as a table: results that are a few numbers, or several of them, a row each."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from cranfield.display import Rows, TableResult
from cranfield.report.tables import ResultTable, build_record_table

CELL_TYPES = (str, int, float, type(None))


def build_tables(result: TableResult) -> list[ResultTable]:
    """A row for each record, with a column for each thing that is a number or a name."""
    rows: list[Any] = [*result] if isinstance(result, Rows) else [result]
    kind = type(rows[0]).__name__ if rows else "records"
    records = [{x.name: getattr(row, x.name) for x in fields(row)} for row in rows]
    table = build_record_table(kind.lower(), records, people=True)
    fields_with_values = [
        x for x in table.fields if all(isinstance(value, CELL_TYPES) for value in x.values or ())
    ]
    return [replace(table, fields=fields_with_values)]
