"""Scores as a table in the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from cranfield.report.formats import Cell, header, lines, shown
from cranfield.scores import Scores, printable
from cranfield.wording import counted

_GAP = "  "


def table(
    scores: Scores, per_topic: bool = False, width: int | None = None, colour: bool = False
) -> str:
    """Return scores as aligned text, the best run of each measure marked with ``*``.

    Names and numbers are never cut: measures that do not fit in `width` go to a second table
    below the first. Without a `width` everything is in one table. Notices follow.

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
    rows = lines(scores, per_topic)
    names = [
        _left(name, [line.names[i] for line in rows]) for i, name in enumerate(header(per_topic))
    ]
    measures = [
        _right(name, [line.cells[i] for line in rows], colour)
        for i, name in enumerate(scores.measures)
    ]
    blocks = [_block([*names, *part]) for part in _parts(names, measures, width)]
    caption = shown(scores, per_topic)
    if any(cell.best for line in rows for cell in line.cells):
        caption += f" · * best of {counted(len(scores.runs), 'run')}"
    notes = [part for text in (caption, *notice_lines(scores)) for part in _wrap(text, width)]
    return "\n\n".join([*blocks, "\n".join(notes)])


def notice_lines(scores: Scores) -> list[str]:
    """Return what the user should know about the scores, a line for each notice.

    >>> from cranfield.scores import Notice, Scores
    >>> notice = Notice("missing-topics", "bm25 has nothing for topic 302.", "bm25", ("302",))
    >>> notice_lines(Scores([[[0.5]]], ["bm25"], ["302"], ["AP"], ["mean"], notices=[notice]))
    ['note: bm25 has nothing for topic 302.']
    """
    return [f"note: {printable(notice.text)}" for notice in scores.notices]


@dataclass(frozen=True)
class _Column:
    """Texts that take the same width, the first of them the header."""

    width: int
    texts: list[str]


def _left(name: str, texts: list[str]) -> _Column:
    """Return a column of names."""
    from rich.cells import cell_len  # a Japanese name takes two cells for each character

    plain = [printable(text) for text in (name, *texts)]
    width = max(map(cell_len, plain))
    return _Column(width, [text + " " * (width - cell_len(text)) for text in plain])


def _right(name: str, cells: list[Cell], colour: bool) -> _Column:
    """Return a column of numbers; the best are marked, and all others leave room for the mark."""
    from rich.cells import cell_len

    name = printable(name)
    width = max([cell_len(name), *(len(cell.text) for cell in cells)])
    room = " " if any(cell.best for cell in cells) else ""
    texts = [" " * (width - cell_len(name)) + name + room]
    for cell in cells:
        text = cell.text.rjust(width) + ("*" if cell.best else room)
        texts.append(_bold(text) if cell.best and colour else text)
    return _Column(width + len(room), texts)


def _bold(text: str) -> str:
    from rich.style import Style

    return Style(bold=True).render(text)


def _parts(
    names: list[_Column], measures: list[_Column], width: int | None
) -> Iterator[list[_Column]]:
    """Yield the measures of one table after the other, each within the width if it can be."""
    margin = sum(column.width + len(_GAP) for column in names) - len(_GAP)
    used, part = margin, list[_Column]()
    for column in measures:
        needed = len(_GAP) + column.width
        if width and part and used + needed > width:
            yield part
            used, part = margin, []
        used += needed
        part.append(column)
    yield part


def _block(columns: list[_Column]) -> str:
    head, *body = [_GAP.join(row).rstrip() for row in zip(*(c.texts for c in columns), strict=True)]
    rule = "─" * (sum(column.width + len(_GAP) for column in columns) - len(_GAP))
    return "\n".join([head, rule, *body])


def _wrap(text: str, width: int | None) -> list[str]:
    if not width:  # not a terminal, or one that does not know
        return [text]
    indent = " " * len("note: ") if text.startswith("note: ") else ""
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
