"""Lists printed by commands: lines for a terminal, tables for other formats."""

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
class Listing(TableResult):
    """Tables by name, and the lines that a terminal prints instead.

    JSON contains the `document`, if there is one.
    """

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    lines: Sequence[str]
    document: Any = None

    def _build_tables(self) -> list[ResultTable]:
        return [build_record_table(name, rows, visible=True) for name, rows in self.tables.items()]

    def _build_document(self) -> Any:
        return self.document

    def _format_text(self, width: int | None = None) -> str:
        """Return the lines, folded to the width. Continuation lines are indented."""
        lines = [escape_unprintable(line) for text in self.lines for line in text.split("\n")]
        if width:
            folded = (fold_text(line, width, _find_indent(line)) or [""] for line in lines)
            lines = [part for parts in folded for part in parts]
        return "\n".join(lines)


def _find_indent(line: str) -> int:
    """Return the indentation of continuation lines.

    >>> [_find_indent(x) for x in ("AP    Average precision", "  cutoff: 10", "Used most.")]
    [6, 4, 0]
    """
    entry = re.match(r"\s*\S+\s{2,}", line)
    margin = len(line) - len(line.lstrip())
    return entry.end() if entry else margin + 2 if margin else 0


def find_entries(kind: str, entries: Mapping[T, str], words: Sequence[str]) -> list[T]:
    """Return the names with every word in their entry, or raise an error."""
    matches = [x for x, text in entries.items() if all(w.lower() in text.lower() for w in words)]
    if not matches:
        raise CranfieldError(f"found no {kind} with {' '.join(words)!r} in its entry")
    return matches
