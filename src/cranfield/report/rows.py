"""Rows for programs: values in full, as TSV, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from cranfield.errors import CranfieldError


def separated(rows: Iterable[Iterable[Any]], format: str) -> str:
    r"""Rows as TSV or CSV; nothing is written for None.

    >>> separated([("topic", "value"), ("q1", 0.5), ("q2", None)], "tsv")
    'topic\tvalue\nq1\t0.5\nq2\t\n'
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    forbidden = set("\t\n\r" if format == "tsv" else "\r")  # older csv modules do not quote \r
    for name in (cell for row in cells for cell in row):
        if not forbidden.isdisjoint(name):
            reason = f"cannot be written as {format.upper()}; use JSON"
            raise CranfieldError(f"the name {name!r} {reason}")
    if format == "tsv":
        return "".join("\t".join(row) + "\n" for row in cells)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells)
    return text.getvalue()


def whole(value: Any) -> Any:
    """A whole number without its decimal point, and anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_json(document: Any, indent: int | None = 2) -> str:
    """A document as JSON, a line of its own if it is not indented."""
    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
