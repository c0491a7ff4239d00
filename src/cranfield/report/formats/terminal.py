"""Tables for terminals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING

from cranfield.dataclass import dataclass
from cranfield.scores import PRIORITY_KINDS, Note, format_notes
from cranfield.tables import Field, ResultTable, group_by_caption
from cranfield.wording import escape_unprintable, fold_text, measure_width

if TYPE_CHECKING:
    from cranfield.report.formats import TableOutput

GAP = "  "
SENTENCES = 80  # a rule above a single column, which may be of sentences, is no longer
COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")  # ANSI


def write_tables(output: TableOutput) -> str:
    """Return tables one below the other, with captions, the best marked, and notes."""
    parts, caption = _wrap_lines(output.answer, output.width) + [output.text] * bool(output.text), ""
    for tables, best in group_by_caption(() if output.text else output.tables):
        parts += [part for table in tables for part in _format_parts(table, output)]
        lines = [tables[-1].format_caption(best, paper=False), *tables[-1].lines]
        caption = "\n".join(_wrap_paragraph(line, output.width) for line in lines if line)
        parts += [caption] if caption else []
    note_text = "\n".join(line for text in output.note_lines for line in wrap_text(text, output.width))
    if note_text and caption:
        parts[-1] += f"\n{note_text}"
    elif note_text:
        parts.append(note_text)
    return "\n\n".join(parts) + "\n"


def format_note_lines(
    notes: Iterable[Note], runs: int | None = None, all_notes: bool = False, listing_option: str = "-v"
) -> list[str]:
    """Format notes and warnings: a summary for many runs, or all of them.

    >>> format_note_lines([Note("missing-topics", "bm25: 1 missing topic (302)", "bm25")])
    ['note: bm25: 1 missing topic (302)']
    """
    notes_by_label: dict[str, list[Note]] = {"warning": [], "note": []}
    for note in notes:
        notes_by_label["warning" if note.kind in PRIORITY_KINDS else "note"].append(note)
    return [
        f"{label}: {escape_unprintable(line)}"
        for label, group in notes_by_label.items()
        for line in ([n.text for n in group] if all_notes else format_notes(group, runs, listing_option))
    ]


def wrap_text(text: str, width: int | None) -> list[str]:
    """Wrap a text at the width, or return one line without a width."""
    if not width:  # not a terminal, or one that does not know
        return [text]
    return fold_text(text, width, len("note: ") if text.startswith("note: ") else 0)


def _format_parts(table: ResultTable, output: TableOutput) -> list[str]:
    """Return the title and the parts of a table."""
    keys, groups = _make_columns(table, output.colour)
    if output.width and compute_width([*keys, *chain(*groups)]) > output.width:
        narrow_keys, narrow_groups = _make_columns(table, output.colour, folded=True)
        columns = [*narrow_keys, *chain(*narrow_groups)]
        for gap in (GAP, " "):
            if compute_width(columns, gap) <= output.width:
                return [*_format_title(table, output), format_block(columns, gap)]
    return [*_format_title(table, output), *_format_blocks(keys, groups, output.width)]


def _format_title(table: ResultTable, output: TableOutput) -> list[str]:
    return _wrap_lines(table.title, output.width)


def _make_columns(table: ResultTable, colour: bool, folded: bool = False) -> tuple[list[Column], list[list[Column]]]:
    """Return the columns of names and the groups of other columns. `folded` wraps long headers."""
    keys = [_make_field_column(field, colour, folded) for field in table.visible_fields if field.key]
    other_fields = [field for field in table.visible_fields if not field.key]
    groups = groupby(other_fields, key=lambda field: field.group or field.name)
    return keys, [[_make_field_column(field, colour, folded) for field in group] for _, group in groups]


def _format_blocks(keys: list[Column], groups: list[list[Column]], width: int | None) -> list[str]:
    """Return a table in several parts if it is too wide, stacked if names are too long."""
    parts = [[*keys, *part] for part in split_columns(keys, groups, width)]
    columns = [column for group in groups for column in group]
    if not width or len(GAP) + compute_width(columns) > width:
        return [*map(format_block, parts)]
    too_long = len(parts) > 2 or compute_width(keys) <= width < max(map(compute_width, parts))
    return [_format_stacked(keys, columns)] if too_long else [*map(format_block, parts)]


def _wrap_lines(text: str, width: int | None) -> list[str]:
    """Return the wrapped lines of a text as one part, or no part for an empty text."""
    return ["\n".join(_wrap_paragraph(line, width) for line in text.splitlines())] if text else []


def _wrap_paragraph(text: str, width: int | None) -> str:
    return "\n".join(wrap_text(escape_unprintable(text), width)) if text else ""


# -- columns --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """Texts of the same width, starting with the header of one or two lines."""

    width: int
    texts: list[str]
    headers: int = 1


def make_column(name: str, texts: Sequence[str], right: bool = False) -> Column:
    """Return a column, right-aligned for numbers. A Japanese character takes two cells."""
    printable_texts = [escape_unprintable(text) for text in (name, *texts)]
    widths = [measure_width(text) for text in printable_texts]
    rooms = [" " * (max(widths) - width) for width in widths]
    padded_texts = [room + x if right else x + room for x, room in zip(printable_texts, rooms, strict=True)]
    return Column(max(widths), padded_texts)


def _fold_header(title: str, cell_texts: Sequence[str]) -> tuple[str, str]:
    """Split a header that is wider than its cells into two lines.

    >>> _fold_header("effect size", ["+0.31"]), _fold_header("run", ["sys01"])
    (('effect', 'size'), ('', 'run'))
    """
    splits = [match.end() for match in re.finditer(r"[ /](?=\S)", title)]
    if len(title) <= max(map(len, cell_texts), default=0) or not splits:
        return "", title
    place = min(splits, key=lambda place: max(place, len(title) - place))
    return title[:place].rstrip(), title[place:]


def _make_field_column(field: Field, colour: bool, folded: bool = False) -> Column:
    """Return the column of a field: names on the left, numbers on the right, then marks."""
    headers = _fold_header(field.title, field.cell_texts) if folded else (field.title,)
    base = make_column(headers[0], [*headers[1:], *field.cell_texts], right=not field.is_text)
    best = field.best or [False] * len(field.cell_texts)
    marks = ["*" if is_best else " " * any(best) for is_best in best]
    if field.marks:
        marks = [f"{s}{field.mark_separator}{m}" for s, m in zip(marks, field.marks, strict=True)]
    mark_column = make_column("", [*[""] * len(headers[1:]), *marks])
    texts = [text + sign for text, sign in zip(base.texts, mark_column.texts, strict=True)]
    if colour:
        looks = zip(texts[len(headers) :], best, field.colours or [""] * len(best), strict=True)
        texts[len(headers) :] = [_add_style(*look) for look in looks]
    return Column(base.width + mark_column.width, texts, len(headers))


def _add_style(text: str, bold: bool, colour: str) -> str:
    r"""Return a text with the terminal codes for bold or a colour.

    >>> _add_style("0.5000*", True, ""), _add_style("relevant", False, "green")
    ('\x1b[1m0.5000*\x1b[0m', '\x1b[32mrelevant\x1b[0m')
    """
    codes = ["1"] * bold + ([str(30 + COLOURS.index(colour))] if colour else [])
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text


def split_columns(names: list[Column], groups: list[list[Column]], width: int | None) -> Iterator[list[Column]]:
    """Yield the columns of one table after the other, each within the width if possible.

    Columns of a group stay together, unless the group is too wide.
    """
    room = width - compute_width(names) - len(GAP) if width else math.inf
    room = _balance_parts(groups, room)
    part = list[Column]()
    for group in groups:
        for columns in [group] if compute_width(group) <= room else [[column] for column in group]:
            if part and compute_width(part + columns) > room:
                yield part
                part = []
            part += columns
    yield part


def _balance_parts(groups: list[list[Column]], room: float) -> float:
    """Return the smallest room with the same number of parts: no part has a single leftover column."""
    if room == math.inf or any(compute_width(group) > room for group in groups):
        return room
    rooms = range(max(map(compute_width, groups), default=0), int(room) + 1)
    return next((size for size in rooms if _count_parts(groups, size) == _count_parts(groups, room)), room)


def _count_parts(groups: list[list[Column]], room: float) -> int:
    parts, used = 1, 0
    for group in groups:
        width = compute_width(group)
        if used and used + len(GAP) + width > room:
            parts, used = parts + 1, 0
        used += width + len(GAP) * bool(used)
    return parts


def format_lines(columns: Sequence[Column], gap: str = GAP) -> list[str]:
    """Return the columns side by side, one line for each line of the header and each row."""
    return [gap.join(row).rstrip() for row in zip(*(c.texts for c in columns), strict=True)]


def format_block(columns: Sequence[Column], gap: str = GAP) -> str:
    """Return the columns side by side, with a rule below the header.

    >>> names, scores = ["bm25", "dense"], ["0.5000", "1"]
    >>> print(format_block([make_column("run", names), make_column("AP", scores, right=True)]))
    run        AP
    ─────────────
    bm25   0.5000
    dense       1
    """
    lines, headers = format_lines(columns, gap), max((column.headers for column in columns), default=1)
    width = compute_width(columns, gap) if len(columns) > 1 else min(compute_width(columns), SENTENCES)
    return "\n".join([*lines[:headers], "─" * width, *lines[headers:]])


def _format_stacked(names: Sequence[Column], columns: Sequence[Column]) -> str:
    """Return rows of two lines: the name of the row, and its columns below.

    >>> names, scores = make_column("run", ["bm25"]), make_column("AP", ["0.5000"], right=True)
    >>> print(_format_stacked([names], [scores]))
    run
          AP
    ────────
    bm25
      0.5000
    """
    lines = zip(format_lines(names), format_lines(columns), strict=True)
    head, *body = [f"{name}\n{GAP}{line}" for name, line in lines]
    rule = "─" * max(compute_width(names), len(GAP) + compute_width(columns))
    return "\n".join([head, rule, *body])


def compute_width(columns: Sequence[Column], gap: str = GAP) -> int:
    """Return the width of the columns side by side."""
    return sum(column.width + len(gap) for column in columns) - len(gap)
