"""Tables for programs: values in full, as TSV, CSV, JSON, lines of JSON or Parquet."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cranfield.data.names import check_cell
from cranfield.report.sheets import Sheet
from cranfield.scores import Notice, json_number

if TYPE_CHECKING:
    from cranfield.report.formats import Showing

_FORMULAS = tuple("=+-@")  # what a cell begins with that a spreadsheet computes


def first(shown: Showing) -> Sheet:
    """The table that formats with one table hold."""
    return next((sheet for sheet in shown.sheets if sheet.columns), Sheet("", ()))


def separated(format: str, shown: Showing) -> str:
    """The first table as TSV or CSV."""
    columns = first(shown).columns
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    return rows_as(format, [map(_harmless, row) for row in rows] if shown.spreadsheet else rows)


def _harmless(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers are none."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell


def rows_as(format: str, rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows as TSV or CSV. None is an empty cell.

    Both are quoted as RFC 4180 describes it: a cell with a separator, a quotation mark or the end
    of a line is between quotation marks, and quotation marks in it are doubled.

    >>> rows_as("tsv", [("topic", "value"), ('new "york"!', 0.5), ("q2", None)])
    'topic\tvalue\n"new ""york""!"\t0.5\nq2\t\n'
    """
    separator = "\t" if format == "tsv" else ","
    special = re.compile(f'["\r\n{separator}]')
    lines = []
    for row in rows:
        cells = ["" if cell is None else str(cell) for cell in row]
        for place, cell in enumerate(cells):
            if special.search(cell) or cells == [""]:  # which would be an empty line
                cells[place] = '"' + cell.replace('"', '""') + '"'
            check_cell(cell, format)
        lines.append(separator.join(cells) + "\n")
    return "".join(lines)


def whole(value: Any) -> Any:
    """A whole number without its decimal point, and anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_json(document: Any, indent: int | None = 2) -> str:
    """A document as JSON, a line of its own if it is not indented."""
    import json

    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def json_document(shown: Showing) -> str:
    """All tables, with captions, settings and notices."""
    return as_json(document(shown))


def document(shown: Showing) -> Any:
    """What JSON holds: a result's own document if it has one."""
    if shown.document is not None:
        return shown.document
    seen = [sheet for sheet in shown.sheets if sheet.columns]
    return {
        **{sheet.name: [*map(numbers, sheet.rows)] for sheet in seen},
        **({} if shown.settings is None else {"settings": numbers(shown.settings)}),
        "captions": {sheet.name: sheet.caption for sheet in seen},
        **noted(shown.notices),
    }


def noted(notices: Iterable[Notice]) -> dict[str, Any]:
    """What is to be known, as a part of a document."""
    return {"notices": [notice.to_dict() for notice in notices]}


def jsonl(shown: Showing) -> str:
    """The first table, a line for each row."""
    return "".join(as_json(numbers(row), indent=None) for row in first(shown).rows)


def numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose numbers JSON can hold."""
    return {k: json_number(v) if isinstance(v, float) else v for k, v in row.items()}


def parquet(shown: Showing) -> bytes:
    """The first table."""
    file = io.BytesIO()
    first(shown).frame().write_parquet(file)
    return file.getvalue()
