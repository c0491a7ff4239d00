"""What commands list: for people in lines of their own, for programs in tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import CranfieldError
from cranfield.tables import ResultTable, build_record_table
from cranfield.wording import escape_unprintable, fold_text

T = TypeVar("T")


@dataclass(frozen=True)
class Listing(TableResult, tables="listing"):
    """Tables, given as rows by their names, and the lines that a terminal shows instead.

    A `build_document` is what JSON has instead.
    """

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    lines: Sequence[str]
    document: Any = None


def build_tables(result: Listing) -> list[ResultTable]:
    """All tables."""
    return [build_record_table(name, rows, visible=True) for name, rows in result.tables.items()]


def build_document(result: Listing) -> Any:
    """What JSON has, if it is not all tables."""
    return result.document


def format_text(result: Listing, width: int | None = None) -> str:
    """What a terminal shows: lines that fit, what is beside a name below itself."""
    lines = [escape_unprintable(line) for text in result.lines for line in text.split("\n")]
    if width:
        lines = [
            part for line in lines for part in fold_text(line, width, _find_indent(line)) or [""]
        ]
    return "\n".join(lines)


def _find_indent(line: str) -> int:
    """Where a line goes on.

    >>> _indent("AP    Average precision"), _indent("  cutoff: 10"), _indent("These are used most.")
    (6, 4, 0)
    """
    entry = re.match(r"\s*\S+\s{2,}", line)
    margin = len(line) - len(line.lstrip())
    return entry.end() if entry else margin + 2 if margin else 0


def find_entries(kind: str, entries: Mapping[T, str], words: Sequence[str]) -> list[T]:
    """Those in whose entry every word occurs."""
    matches = [x for x, text in entries.items() if all(w.lower() in text.lower() for w in words)]
    if not matches:
        raise CranfieldError(f"found no {kind} with {' '.join(words)!r} in its entry")
    return matches
