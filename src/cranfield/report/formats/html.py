"""Tables as HTML: in notebooks, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cranfield.report.sheets import Field, Sheet, is_raised, together
from cranfield.wording import printable

if TYPE_CHECKING:
    from cranfield.report.formats import Showing

_STYLE = """<style>
.cranfield table {border-collapse: collapse; margin: 1em 0 .3em}
.cranfield th, .cranfield td {padding: .15em 0 .15em 1.2em; font-weight: normal}
.cranfield th, .cranfield td {text-align: right !important}
.cranfield thead th {border-bottom: 1px solid currentColor; font-weight: bold}
.cranfield .name, .cranfield .mark {text-align: left !important}
.cranfield .mark {padding-left: .2em}
.cranfield p {margin: .2em 0; max-width: 60em}
</style>"""  # notebooks have an opinion on sides


def written(shown: Showing) -> str:
    """A file that can be opened: all tables, and what is to be known of them."""
    names = ", ".join(sheet.title or sheet.name for sheet in shown.sheets if sheet.seen)
    head = f'<meta charset="utf-8"><title>cranfield: {_text(names)}</title>'
    return f'<!doctype html>\n<html lang="en">{head}\n<body>\n{fragment(shown)}</body></html>\n'


def fragment(shown: Showing, most: int | None = None) -> str:
    """The tables as a part of a page, such as a notebook; of each at most so many rows."""
    tables = [
        line
        for sheets, best in together(shown.sheets)
        for sheet in sheets
        for line in _table(sheet, sheet.told(best and sheet is sheets[-1]), most)
    ]
    notes = [f"<p>{_text(line)}</p>" for line in shown.notes]
    return "\n".join([f'<div class="cranfield">{_STYLE}', *tables, *notes, "</div>"]) + "\n"


def _table(sheet: Sheet, caption: str, most: int | None) -> Iterator[str]:
    if sheet.title:
        yield f"<h4>{_text(sheet.title)}</h4>"
    rows = [*zip(*map(_cells, sheet.seen), strict=True)]
    yield f"<table><thead><tr>{''.join(map(_head, sheet.seen))}</tr></thead>"
    yield "<tbody>" + "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows[:most]) + "</tbody>"
    yield "</table>"
    if most is not None and len(rows) > most:
        yield f"<p>… {len(rows) - most:,} more rows</p>"
    if caption:
        yield f"<p>{_text(caption)}</p>"


def _side(field: Field) -> str:
    return ' class="name"' if field.is_text else ""


def _head(field: Field) -> str:
    both = ' colspan="2"' if field.marks else ""
    return f"<th{both}{_side(field)}>{_text(field.title)}</th>"


def _cells(field: Field) -> Sequence[str]:
    """What people see, the best in bold; marks in the next cell."""
    tag = "th" if field.key else "td"
    texts = field.cells(_text, "<b>{}</b>", lambda mark: f'</td><td class="mark">{_marked(mark)}')
    return [f"<{tag}{_side(field)}>{text}</{tag}>" for text in texts]


def _marked(mark: str) -> str:
    return f"<sup>{_text(mark)}</sup>" if is_raised(mark) else _text(mark)


def _text(text: str) -> str:
    from html import escape

    return escape(printable(text))
