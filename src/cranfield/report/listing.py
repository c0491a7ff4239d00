"""What commands list: for people in lines of their own, for programs in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cranfield.report.sheets import Field, Sheet
from cranfield.shown import Shown


@dataclass(frozen=True)
class Listing(Shown, tables="listing"):
    """Tables, given as rows by their names, and the lines that a terminal shows instead.

    A `document` is what JSON has instead.
    """

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    lines: Sequence[str]
    document: Any = None


def sheets(found: Listing) -> list[Sheet]:
    """All tables."""
    return [
        Sheet(name, [Field(x, [row.get(x) for row in rows]) for x in _columns(rows)])
        for name, rows in found.tables.items()
    ]


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [*dict.fromkeys(name for row in rows for name in row)]


def document(found: Listing) -> Any:
    """What JSON has, if it is not all tables."""
    return found.document


def text(found: Listing) -> str:
    """What a terminal shows."""
    return "\n".join(found.lines)
