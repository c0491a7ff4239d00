"""Scores as a table in the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cranfield.measures.base import FIVE
from cranfield.report.columns import GAP, Column, block, left, notice_lines
from cranfield.report.formats import Cell, Line, header, lines, shown
from cranfield.scores import Scores, printable
from cranfield.wording import counted


def table(
    scores: Scores, per_topic: bool = False, width: int | None = None, colour: bool = False
) -> str:
    """Return scores as aligned text, the best run of each measure marked with ``*``.

    User models of which there are all measurements have a table of their own, a line for each.
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
    rows, head = lines(scores, per_topic), header(per_topic)
    models, measurements = _by_model(scores.measures)
    of_models = {f"{model}.{name}" for model in models for name in measurements}
    others = [name for name in scores.measures if name not in of_models]
    blocks = []
    if others or not models:
        blocks += _blocks(head, _lines_of(scores.measures, rows, others), others, width, colour)
    if models:
        parts = [
            replace(part, names=(*part.names, model))
            for line in rows
            for model in models
            for part in _lines_of(
                scores.measures, [line], [f"{model}.{name}" for name in measurements]
            )
        ]
        blocks += _blocks((*head, "user model"), parts, measurements, width, colour)
    caption = shown(scores, per_topic)
    if any(cell.best for line in rows for cell in line.cells):
        caption += f" · * best of {counted(len(scores.runs), 'run')}"
    notes = [
        part for text in (caption, *notice_lines(scores.notices)) for part in _wrap(text, width)
    ]
    return "\n\n".join([*blocks, "\n".join(notes)])


def _by_model(measures: Sequence[str]) -> tuple[list[str], list[str]]:
    """The user models of which all five measurements are there, and what they are.

    >>> _by_model(["AP", *(f"{m}.{x}" for m in ("INST", "RBP(p=0.5)") for x in FIVE), "INSQ.ED"])
    (['INST', 'RBP(p=0.5)'], ['EU', 'ETU', 'EC', 'ETC', 'ED'])
    """
    models = [name.removesuffix(".EU") for name in measures if name.endswith(".EU")]
    models = [model for model in models if {f"{model}.{x}" for x in FIVE} <= set(measures)]
    suffixes = [f"{x}{bound}" for x in FIVE for bound in ("", ".lower", ".upper")]
    return models, [x for x in suffixes if any(f"{model}.{x}" in measures for model in models)]


def _lines_of(measures: Sequence[str], rows: Sequence[Line], some: Sequence[str]) -> list[Line]:
    """The lines with some of the measures only, and a dash for what is not among them."""
    places = [measures.index(name) if name in measures else None for name in some]
    none = Cell("–", False)
    return [
        replace(line, cells=tuple(none if i is None else line.cells[i] for i in places))
        for line in rows
    ]


def _blocks(
    head: Sequence[str],
    rows: Sequence[Line],
    measures: Sequence[str],
    width: int | None,
    colour: bool,
) -> list[str]:
    """A table, or several if it is too wide."""
    names = [left(name, [line.names[i] for line in rows]) for i, name in enumerate(head)]
    columns = [
        _right(name, [line.cells[i] for line in rows], colour) for i, name in enumerate(measures)
    ]
    return [block([*names, *part]) for part in _parts(names, columns, width)]


def _right(name: str, cells: list[Cell], colour: bool) -> Column:
    """Return a column of numbers; the best are marked, and all others leave room for the mark."""
    from rich.cells import cell_len

    name = printable(name)
    width = max([cell_len(name), *(len(cell.text) for cell in cells)])
    room = " " if any(cell.best for cell in cells) else ""
    texts = [" " * (width - cell_len(name)) + name + room]
    for cell in cells:
        text = cell.text.rjust(width) + ("*" if cell.best else room)
        texts.append(_bold(text) if cell.best and colour else text)
    return Column(width + len(room), texts)


def _bold(text: str) -> str:
    from rich.style import Style

    return Style(bold=True).render(text)


def _parts(
    names: list[Column], measures: list[Column], width: int | None
) -> Iterator[list[Column]]:
    """Yield the measures of one table after the other, each within the width if it can be."""
    margin = sum(column.width + len(GAP) for column in names) - len(GAP)
    used, part = margin, list[Column]()
    for column in measures:
        needed = len(GAP) + column.width
        if width and part and used + needed > width:
            yield part
            used, part = margin, []
        used += needed
        part.append(column)
    yield part


def _wrap(text: str, width: int | None) -> list[str]:
    if not width:  # not a terminal, or one that does not know
        return [text]
    indent = " " * len("note: ") if text.startswith("note: ") else ""
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
