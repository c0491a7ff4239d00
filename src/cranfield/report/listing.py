"""What commands list: for people in lines of their own, for programs in tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError
from cranfield.report.sheets import Sheet, listed
from cranfield.shown import Shown
from cranfield.wording import folded, printable

T = TypeVar("T")


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
    return [listed(name, rows, people=True) for name, rows in found.tables.items()]


def document(found: Listing) -> Any:
    """What JSON has, if it is not all tables."""
    return found.document


def text(found: Listing, width: int | None = None) -> str:
    """What a terminal shows: lines that fit, what is beside a name below itself."""
    lines = [printable(line) for text in found.lines for line in text.split("\n")]
    if width:
        lines = [part for line in lines for part in folded(line, width, _indent(line)) or [""]]
    return "\n".join(lines)


def _indent(line: str) -> int:
    """Where a line goes on.

    >>> _indent("AP    Average precision"), _indent("  cutoff: 10"), _indent("These are used most.")
    (6, 4, 0)
    """
    named = re.match(r"\s*\S+\s{2,}", line)
    blanks = len(line) - len(line.lstrip())
    return named.end() if named else blanks + 2 if blanks else 0


def with_words(kind: str, entries: Mapping[T, str], words: Sequence[str]) -> list[T]:
    """Those in whose entry every word occurs."""
    found = [x for x, text in entries.items() if all(w.lower() in text.lower() for w in words)]
    if not found:
        raise CranfieldError(f"found no {kind} with {' '.join(words)!r} in its entry")
    return found
