"""Scores as a table in the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from cranfield.report.columns import GAP, Column, block, left, notice_lines, width_of
from cranfield.report.formats import Cell, Table, marked, measured, shown, tables
from cranfield.scores import Scores, printable
from cranfield.wording import counted, folded


def table(
    scores: Scores, per_topic: bool = False, width: int | None = None, colour: bool = False
) -> str:
    """Return scores as aligned text, the best run of each measure marked with ``*``.

    User models of which there are all measurements have a table of their own, a line for each.
    Names and numbers are never cut: measures that do not fit in `width` go to a second table
    below the first, a measure and its bounds together. Without a `width` everything is in one
    table. Notices follow.

    >>> from cranfield.scores import Notice, Scores
    >>> scores = Scores([[[1 / 3]], [[0.25]]], ["bm25", "dense"], ["301"], ["AP"], ["mean"],
    ...                 notices=[Notice("ties", "bm25 has tied documents in 1 topic.", "bm25")])
    >>> print(table(scores))
    run        AP
    ──────────────
    bm25   0.3333*
    dense  0.2500
    <BLANKLINE>
    mean over 1 topic · * best of 2 runs
    note: bm25 has tied documents in 1 topic.
    """
    parts = tables(scores, per_topic)
    caption = shown(scores, per_topic)
    if marked(parts):
        caption += f" · * best of {counted(len(scores.runs), 'run')}"
    texts = (caption, *notice_lines(scores.notices))
    notes = [line for text in texts for line in wrapped(text, width)]
    blocks = [text for part in parts for text in _blocks(part, width, colour)]
    return "\n\n".join([*blocks, "\n".join(notes)])


def _blocks(whole: Table, width: int | None, colour: bool) -> list[str]:
    """A table, or several if it is too wide."""
    names = [
        left(name, [line.names[i] for line in whole.lines]) for i, name in enumerate(whole.names)
    ]
    columns = {
        name: _right(name, [line.cells[i] for line in whole.lines], colour)
        for i, name in enumerate(whole.measures)
    }
    groups = [[columns[name] for name in group] for _, group in groupby(columns, key=measured)]
    return [block([*names, *part]) for part in parts_of(names, groups, width)]


def _right(name: str, cells: list[Cell], colour: bool) -> Column:
    """Return a column of numbers; the best are marked, and all others leave room for the mark."""
    from rich.cells import cell_len
    from rich.style import Style

    name = printable(name)
    width = max([cell_len(name), *(len(cell.text) for cell in cells)])
    room = " " if any(cell.best for cell in cells) else ""
    texts = [" " * (width - cell_len(name)) + name + room]
    for cell in cells:
        text = cell.text.rjust(width) + ("*" if cell.best else room)
        texts.append(Style(bold=True).render(text) if cell.best and colour else text)
    return Column(width + len(room), texts)


def parts_of(
    names: list[Column], groups: list[list[Column]], width: int | None
) -> Iterator[list[Column]]:
    """Yield the measures of one table after the other, each within the width if it can be.

    A measure and its bounds stay together, unless they are too wide even alone.
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


def wrapped(text: str, width: int | None) -> list[str]:
    """A text in lines no longer than the width, if there is one."""
    if not width:  # not a terminal, or one that does not know
        return [text]
    return folded(text, width, len("note: ") if text.startswith("note: ") else 0)
