"""Text in columns, and notices below it: what every table for people is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cranfield.scores import Notice, printable

GAP = "  "


def notice_lines(notices: Iterable[Notice]) -> list[str]:
    """What the user should know, a line for each notice.

    >>> notice_lines([Notice("missing-topics", "bm25 has nothing for topic 302.", "bm25")])
    ['note: bm25 has nothing for topic 302.']
    """
    return [f"note: {printable(notice.text)}" for notice in notices]


@dataclass(frozen=True)
class Column:
    """Texts that take the same width, the first of them the header."""

    width: int
    texts: list[str]


def left(name: str, texts: Sequence[str]) -> Column:
    """A column of names; a Japanese one takes two cells for each character."""
    return _column(name, texts, lambda text, room: text + room)


def right(name: str, texts: Sequence[str]) -> Column:
    """A column of numbers."""
    return _column(name, texts, lambda text, room: room + text)


def _column(name: str, texts: Sequence[str], pad: Callable[[str, str], str]) -> Column:
    from rich.cells import cell_len

    plain = [printable(text) for text in (name, *texts)]
    width = max(map(cell_len, plain))
    return Column(width, [pad(text, " " * (width - cell_len(text))) for text in plain])


def lines_of(columns: Sequence[Column]) -> list[str]:
    """The columns side by side, a line for the header and for each row."""
    return [GAP.join(row).rstrip() for row in zip(*(c.texts for c in columns), strict=True)]


def block(columns: Sequence[Column]) -> str:
    """The columns side by side, with a rule below the header.

    >>> print(block([left("run", ["bm25", "dense"]), right("AP", ["0.5000", "1"])]))
    run        AP
    ─────────────
    bm25   0.5000
    dense       1
    """
    head, *body = lines_of(columns)
    return "\n".join([head, "─" * width_of(columns), *body])


def rows_block(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as a block: names in the first column, numbers in the others.

    >>> print(rows_block(["topic", "items"], [["q1", "20"], ["q2", "5"]]))
    topic  items
    ────────────
    q1        20
    q2         5
    """
    first, *others = zip(*rows, strict=True)
    numbers = (right(head, texts) for head, texts in zip(heads[1:], others, strict=True))
    return block([left(heads[0], first), *numbers])


def stacked(names: Sequence[Column], columns: Sequence[Column]) -> str:
    """Rows of two lines: what names a row, and below it the columns.

    >>> print(stacked([left("run", ["bm25", "dense"])], [right("AP", ["0.5000", "1"])]))
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
