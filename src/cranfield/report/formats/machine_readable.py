"""Machine-readable tables: all digits, as TSV, CSV, JSON, JSON Lines or Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from cranfield.data.names import format_json, format_rows
from cranfield.tables import ResultTable, build_notes_entry, convert_numbers

if TYPE_CHECKING:
    from cranfield.report.formats import TableOutput

_FORMULAS = tuple("=+-@")  # what a cell begins with that a spreadsheet computes


def get_first_table(output: TableOutput) -> ResultTable:
    """Return the table that formats with one table contain."""
    return next((table for table in output.tables if table.columns), ResultTable("", ()))


def write_separated(format: str, output: TableOutput) -> str:
    """Return the first table as TSV or CSV."""
    columns = get_first_table(output).columns
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    return format_rows(format, [map(_escape_formula, row) for row in rows] if output.spreadsheet else rows)


def _escape_formula(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs as a formula. Numbers are unchanged."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell


def write_json(output: TableOutput) -> str:
    """Return all tables, with captions, settings and notes."""
    return format_json(build_document(output))


def build_document(output: TableOutput) -> Any:
    """Return the JSON document: the result's own, or its tables."""
    if output.document is not None:
        return output.document
    tables = [table for table in output.tables if table.columns]
    return {
        **{table.name: [*map(convert_numbers, table.rows)] for table in tables},
        **({} if output.settings is None else {"settings": convert_numbers(output.settings)}),
        "captions": {table.name: table.caption for table in tables},
        **build_notes_entry(output.notes),
    }


def write_jsonl(output: TableOutput) -> str:
    """Return the first table, one line per row."""
    return "".join(format_json(convert_numbers(row), indent=None) for row in get_first_table(output).rows)


def write_parquet(output: TableOutput) -> bytes:
    """Return the first table as Parquet."""
    file = io.BytesIO()
    get_first_table(output).to_frame().write_parquet(file)
    return file.getvalue()
