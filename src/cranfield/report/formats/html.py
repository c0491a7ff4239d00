"""Tables as HTML, in notebooks and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cranfield.tables import Field, ResultTable, group_by_caption, is_raised
from cranfield.wording import escape_unprintable

if TYPE_CHECKING:
    from cranfield.report.formats import TableOutput

_STYLE = """<style>
.cranfield table {border-collapse: collapse; margin: 1em 0 .3em}
.cranfield th, .cranfield td {padding: .15em 0 .15em 1.2em; font-weight: normal}
.cranfield th, .cranfield td {text-align: right !important}
.cranfield thead th {border-bottom: 1px solid currentColor; font-weight: bold}
.cranfield .name, .cranfield .mark {text-align: left !important}
.cranfield .mark {padding-left: .2em}
.cranfield p {margin: .2em 0; max-width: 60em}
</style>"""  # notebooks have an opinion on sides


def write_tables(output: TableOutput) -> str:
    """Return an HTML file with all tables and notes."""
    names = ", ".join(table.title or table.name for table in output.tables if table.visible_fields)
    head = f'<meta charset="utf-8"><title>cranfield: {_escape_text(names)}</title>'
    body = f"<body>\n{format_fragment(output)}</body>"
    return f'<!doctype html>\n<html lang="en">{head}\n{body}</html>\n'


def format_fragment(output: TableOutput, max_rows: int | None = None) -> str:
    """Format the tables as an HTML fragment, each with at most `max_rows` rows."""
    lines = [
        line
        for tables, best in group_by_caption(output.tables)
        for table in tables
        for line in _format_table(table, table.format_caption(best and table is tables[-1]), max_rows)
    ]
    notes = [f"<p>{_escape_text(line)}</p>" for line in output.note_lines]
    return "\n".join([f'<div class="cranfield">{_STYLE}', *lines, *notes, "</div>"]) + "\n"


def _format_table(table: ResultTable, caption: str, max_rows: int | None) -> Iterator[str]:
    if table.title:
        yield f"<h4>{_escape_text(table.title)}</h4>"
    rows = [*zip(*map(_format_cells, table.visible_fields), strict=True)]
    yield f"<table><thead><tr>{''.join(map(_format_head, table.visible_fields))}</tr></thead>"
    yield "<tbody>" + "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows[:max_rows]) + "</tbody>"
    yield "</table>"
    if max_rows is not None and len(rows) > max_rows:
        yield f"<p>… {len(rows) - max_rows:,} more rows</p>"
    if caption:
        yield f"<p>{_escape_text(caption)}</p>"


def _format_side(field: Field) -> str:
    return ' class="name"' if field.is_text else ""


def _format_head(field: Field) -> str:
    span = ' colspan="2"' if field.marks else ""
    return f"<th{span}{_format_side(field)}>{_escape_text(field.title)}</th>"


def _format_cells(field: Field) -> Sequence[str]:
    """Format the cells of a column: the best in bold, marks in the next cell."""
    tag = "th" if field.key else "td"
    texts = field.format_cells(
        _escape_text, "<b>{}</b>", lambda mark: f'</td><td class="mark">{_format_mark(mark)}', "<u>{}</u>"
    )
    return [f"<{tag}{_format_side(field)}>{text}</{tag}>" for text in texts]


def _format_mark(mark: str) -> str:
    return f"<sup>{_escape_text(mark)}</sup>" if is_raised(mark) else _escape_text(mark)


def _escape_text(text: str) -> str:
    from html import escape

    return escape(escape_unprintable(text))
