"""Tables for pages and papers written in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cranfield.report.sheets import Field, Sheet, together
from cranfield.wording import printable

if TYPE_CHECKING:
    from cranfield.report.formats import Showing

# Everything that Markdown would read as markup; an underscore only at the edge of a word.
_MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")


def written(shown: Showing) -> str:
    """All tables, captions below."""
    return "\n".join(_lines(shown))


def _lines(shown: Showing) -> Iterator[str]:
    for sheets, best in together(shown.sheets):
        for sheet in sheets:
            yield from _table(sheet)
        if caption := sheets[-1].told(best):
            yield from (escaped(caption), "")


def _table(sheet: Sheet) -> Iterator[str]:
    if sheet.title:
        yield from (f"**{escaped(sheet.title)}**", "")
    columns = [[escaped(field.title), *_cells(field)] for field in sheet.seen]
    head, *rows = ["| " + " | ".join(row) + " |" for row in zip(*columns, strict=True)]
    sides = [":---|" if field.is_text else "---:|" for field in sheet.seen]
    yield from (head, "|" + "".join(sides), *rows, "")


def _cells(field: Field) -> list[str]:
    """What people see, the best in bold, marks after it."""
    return field.cells(escaped, "**{}**", lambda mark: mark and field.apart + escaped(mark))


def escaped(name: str) -> str:
    r"""A name that Markdown shows as it is.

    >>> print(escaped("bm25_v1 *new*"))
    bm25_v1 \*new\*
    """
    return _MARKDOWN.sub(r"\\\g<0>", printable(name))
