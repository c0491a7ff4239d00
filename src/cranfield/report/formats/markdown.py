"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cranfield.tables import Field, ResultTable, group_by_caption
from cranfield.wording import escape_unprintable

if TYPE_CHECKING:
    from cranfield.report.formats import TableOutput

# Everything that Markdown would read as markup; an underscore only at the edge of a word.
_MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")


def write_tables(output: TableOutput) -> str:
    """Return all tables, with captions below."""
    return "\n".join(_format_lines(output))


def _format_lines(output: TableOutput) -> Iterator[str]:
    for tables, best in group_by_caption(output.tables):
        for table in tables:
            yield from _format_table(table)
        if caption := tables[-1].format_caption(best):
            yield from (escape_text(caption), "")


def _format_table(table: ResultTable) -> Iterator[str]:
    for line in table.title.splitlines():
        yield from (f"**{escape_text(line)}**", "")
    columns = [[escape_text(field.title), *_format_cells(field)] for field in table.visible_fields]
    head, *rows = ["| " + " | ".join(row) + " |" for row in zip(*columns, strict=True)]
    sides = [":---|" if field.is_text else "---:|" for field in table.visible_fields]
    yield from (head, "|" + "".join(sides), *rows, "")


def _format_cells(field: Field) -> list[str]:
    """Format the cells of a column: the best in bold, marks after them."""
    return field.format_cells(
        escape_text, "**{}**", lambda mark: mark and field.mark_separator + escape_text(mark), "<u>{}</u>"
    )


def escape_text(name: str) -> str:
    r"""Escape a text for Markdown.

    >>> print(escape_text("bm25_v1 *new*"))
    bm25_v1 \*new\*
    """
    return _MARKDOWN.sub(r"\\\g<0>", escape_unprintable(name))
