"""Sheets of Excel files (``.xlsx``), as rows with named cells.

A sheet is a table with a header. Values of formulas are read as Excel has stored them. Dates, errors
and merged cells are no ids and no numbers: Excel turns texts such as ``1-2`` into dates.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from cranfield.data.reading.columns import reject_duplicates
from cranfield.data.reading.source import Beginning, Source
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import Row, Tabular
from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import load

_START = b"PK\x03\x04"
_MAX_NAMES = 3  # sheets listed in an error


class NoText:
    """A date, a time or an error in a cell. Its text is no id and no number."""

    def __init__(self, noun: str, text: str) -> None:
        self.noun, self.text = noun, text

    def __repr__(self) -> str:
        return f"{self.noun} {self.text}"

    def __str__(self) -> str:
        return self.text


def is_excel(beginning: Beginning) -> bool:
    """Return True for an Excel file. Other zip archives are decompressed."""
    return beginning.start.startswith(_START)


def make_excel() -> Tabular:
    """Return the readers of Excel files."""

    def read_frame(source: Source, columns: Any) -> Any:
        raise Irregular

    return Tabular(read_frame, lambda source, verbatim: read_rows(source), read_names)


def read_names(source: Source) -> list[str]:
    """Return the column names of the sheet with data."""
    _, names, _ = _read_header(source)
    return [name for name in names if name]


def read_rows(source: Source) -> Iterator[Row]:
    """Yield the rows of the sheet with data, with their numbers. Empty rows are skipped."""
    sheet, names, header = _read_header(source)
    formulas: Any = None
    for number, cells in enumerate(sheet.iter_rows(min_row=header + 1, max_col=len(names)), header + 1):
        values = [_read_cell(cell) for cell in cells]
        if any(value is None for value in values):
            formulas = formulas or _open_sheet(source, data_only=False)
            for cell in cells:
                if cell.value is None and formulas[cell.coordinate].data_type == "f":
                    problem = f"formula without a value in cell {cell.coordinate}"
                    raise InputError.from_problem(problem, "Save the file in Excel, or as CSV.", source.name, number)
        if any(value is not None for value in values):
            yield number, {name: value for name, value in zip(names, values, strict=True) if name}


def _read_header(source: Source) -> tuple[Any, list[str], int]:
    """Return the sheet, its column names (empty for columns without a name), and the number of the header."""
    sheet = _open_sheet(source, data_only=True)
    if sheet.merged_cells.ranges:
        place = str(next(iter(sheet.merged_cells.ranges)))
        raise InputError.from_problem(f"merged cells {place}", "Unmerge them, and repeat the value.", source.name)
    for number, cells in enumerate(sheet.iter_rows(), 1):
        names = ["" if cell.value is None else str(cell.value).strip() for cell in cells]
        if any(names):
            reject_duplicates(names, source.name, number)
            return sheet, names, number
    raise InputError.from_problem("no cells in the Excel file", "", source.name)


def _open_sheet(source: Source, data_only: bool) -> Any:
    """Return the only sheet with data. Raise InputError for none or several."""
    openpyxl = load("openpyxl")
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.read()), data_only=data_only)
        sheets = [sheet for sheet in book.worksheets if _has_cells(sheet.iter_rows())]
    except CranfieldError:
        raise
    except Exception as error:  # of zipfile, of XML, and of openpyxl
        raise InputError.from_problem(f"corrupt Excel file ({error})", "", source.name) from None
    if len(sheets) == 1:
        return sheets[0]
    if not sheets:
        raise InputError.from_problem("no cells in the Excel file", "", source.name)
    names = ", ".join([*(sheet.title for sheet in sheets[:_MAX_NAMES]), *["…"] * (len(sheets) > _MAX_NAMES)])
    problem = f"{len(sheets)} sheets with data ({names})"
    raise InputError.from_problem(problem, "Save the sheet in a file of its own.", source.name)


def _has_cells(rows: Iterable[Iterable[Any]]) -> bool:
    return any(cell.value is not None for cells in rows for cell in cells)


def _read_cell(cell: Any) -> Any:
    """Return the value of a cell, None if it is empty."""
    if cell.data_type == "e":
        return NoText("the error", cell.value)
    if cell.data_type == "d":
        return NoText("the date", str(cell.value))
    value = cell.value
    return None if isinstance(value, str) and not value.strip() else value
