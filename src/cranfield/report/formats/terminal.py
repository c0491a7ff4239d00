"""Tables for people who look at a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from cranfield.dataclass import dataclass
from cranfield.report.sheets import Field, Sheet, together
from cranfield.scores import LOUD, Notice, in_brief
from cranfield.wording import cells, folded, printable

if TYPE_CHECKING:
    from cranfield.report.formats import Showing

GAP = "  "
SENTENCES = 80  # a rule above a single column, which may be of sentences, is no longer
COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")  # ANSI


def written(shown: Showing) -> str:
    """Tables one below the other: what each one shows, the best marked, what is to be known."""
    parts, caption = [shown.text] if shown.text else [], ""
    for sheets, best in together(() if shown.text else shown.sheets):
        parts += [part for sheet in sheets for part in _parts(sheet, shown)]
        lines = [sheets[-1].told(best, paper=False), *sheets[-1].lines]
        caption = "\n".join(_folded(line, shown.width) for line in lines if line)
        parts += [caption] if caption else []
    told = "\n".join(line for text in shown.notes for line in wrapped(text, shown.width))
    if told and caption:
        parts[-1] += f"\n{told}"
    elif told:
        parts.append(told)
    return "\n\n".join(parts) + "\n"


def notice_lines(
    notices: Iterable[Notice], runs: int | None = None, every: bool = False, listed: str = "-v"
) -> list[str]:
    """What the user should know: of many runs in brief, or a line for `every` notice.

    >>> notice_lines([Notice("missing-topics", "bm25 has nothing for topic 302.", "bm25")])
    ['note: bm25 has nothing for topic 302.']
    """
    found: dict[str, list[Notice]] = {"WARNING": [], "note": []}
    for notice in notices:
        found["WARNING" if notice.kind in LOUD else "note"].append(notice)
    return [
        f"{how}: {printable(line)}"
        for how, those in found.items()
        for line in ([n.text for n in those] if every else in_brief(those, runs, listed))
    ]


def wrapped(text: str, width: int | None) -> list[str]:
    """A text in lines no longer than the width, if there is one."""
    if not width:  # not a terminal, or one that does not know
        return [text]
    return folded(text, width, len("note: ") if text.startswith("note: ") else 0)


def _parts(sheet: Sheet, shown: Showing) -> list[str]:
    """What stands above a table, and the table."""
    keys = [_column(field, shown.colour) for field in sheet.seen if field.key]
    others = [field for field in sheet.seen if not field.key]
    groups = [
        [_column(field, shown.colour) for field in group]
        for _, group in groupby(others, key=lambda field: field.group or field.name)
    ]
    title = _folded(sheet.title, shown.width)
    return [*([title] if title else []), *_blocks(keys, groups, shown.width)]


def _blocks(keys: list[Column], groups: list[list[Column]], width: int | None) -> list[str]:
    """A table, in several parts if it is too wide, in rows of two lines if names are too long."""
    parts = [[*keys, *part] for part in fitting(keys, groups, width)]
    columns = [column for group in groups for column in group]
    if not width or len(GAP) + width_of(columns) > width:
        return [*map(block, parts)]
    too_long = len(parts) > 2 or width_of(keys) <= width < max(map(width_of, parts))
    return [_stacked(keys, columns)] if too_long else [*map(block, parts)]


def _folded(text: str, width: int | None) -> str:
    """A paragraph."""
    return "\n".join(wrapped(printable(text), width)) if text else ""


# -- columns --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """Texts that take the same width, the first of them the header."""

    width: int
    texts: list[str]


def padded(name: str, texts: Sequence[str], right: bool = False) -> Column:
    """A column of names, or, to the right, of numbers; a Japanese character takes two cells."""
    plain = [printable(text) for text in (name, *texts)]
    widths = [cells(text) for text in plain]
    rooms = [" " * (max(widths) - width) for width in widths]
    made = [room + x if right else x + room for x, room in zip(plain, rooms, strict=True)]
    return Column(max(widths), made)


def _column(field: Field, colour: bool) -> Column:
    """A field: names to the left, numbers to the right, and after them what marks some of them."""
    made = padded(field.title, field.shown, right=not field.is_text)
    best = field.best or [False] * len(field.shown)
    signs = ["*" if one else " " * any(best) for one in best]
    if field.marks:
        signs = [f"{s}{field.apart}{m}" for s, m in zip(signs, field.marks, strict=True)]
    after = padded("", signs)
    texts = [text + sign for text, sign in zip(made.texts, after.texts, strict=True)]
    if colour:
        looks = zip(texts[1:], best, field.colours or [""] * len(best), strict=True)
        texts[1:] = [_coloured(*look) for look in looks]
    return Column(made.width + after.width, texts)


def _coloured(text: str, bold: bool, colour: str) -> str:
    r"""A text as terminals show it bold, or in a colour.

    >>> _coloured("0.5000*", True, ""), _coloured("relevant", False, "green")
    ('\x1b[1m0.5000*\x1b[0m', '\x1b[32mrelevant\x1b[0m')
    """
    codes = ["1"] * bold + ([str(30 + COLOURS.index(colour))] if colour else [])
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text


def fitting(
    names: list[Column], groups: list[list[Column]], width: int | None
) -> Iterator[list[Column]]:
    """Yield the columns of one table after the other, each within the width if it can be.

    Columns of a group stay together, unless they are too wide even alone.
    """
    room = width - width_of(names) - len(GAP) if width else math.inf
    part = list[Column]()
    for group in groups:
        for columns in [group] if width_of(group) <= room else [[column] for column in group]:
            if part and width_of(part + columns) > room:
                yield part
                part = []
            part += columns
    yield part


def lines_of(columns: Sequence[Column]) -> list[str]:
    """The columns side by side, a line for the header and for each row."""
    return [GAP.join(row).rstrip() for row in zip(*(c.texts for c in columns), strict=True)]


def block(columns: Sequence[Column]) -> str:
    """The columns side by side, with a rule below the header.

    >>> print(block([padded("run", ["bm25", "dense"]), padded("AP", ["0.5000", "1"], True)]))
    run        AP
    ─────────────
    bm25   0.5000
    dense       1
    """
    head, *body = lines_of(columns)
    width = width_of(columns) if len(columns) > 1 else min(width_of(columns), SENTENCES)
    return "\n".join([head, "─" * width, *body])


def _stacked(names: Sequence[Column], columns: Sequence[Column]) -> str:
    """Rows of two lines: what names a row, and below it the columns.

    >>> print(_stacked([padded("run", ["bm25", "dense"])], [padded("AP", ["0.5000", "1"], True)]))
    run
          AP
    ────────
    bm25
      0.5000
    dense
           1
    """
    lines = zip(lines_of(names), lines_of(columns), strict=True)
    head, *body = [f"{name}\n{GAP}{line}" for name, line in lines]
    rule = "─" * max(width_of(names), len(GAP) + width_of(columns))
    return "\n".join([head, rule, *body])


def width_of(columns: Sequence[Column]) -> int:
    """How wide the columns are, side by side."""
    return sum(column.width + len(GAP) for column in columns) - len(GAP)
