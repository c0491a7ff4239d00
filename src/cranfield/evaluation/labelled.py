"""A labelled list next to what was missed: one topic of one run, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from cranfield.evaluation.steps import stretches
from cranfield.scores import printable
from cranfield.wording import counted

_GAP = "    "
_COLOURS = {"relevant": "green", "nonrelevant": "red", "unjudged": "yellow", "missed": "red"}


@dataclass(frozen=True)
class Item:
    """A document of a list, or one that is missing there."""

    rank: int | None  # None if the list does not have it
    doc: str
    level: float | None  # as it was judged, None if it was not
    counts: float  # the level it counts as
    status: str  # relevant, nonrelevant, unjudged, redundant, waiting, incomplete, or missed
    group: str | None = None  # what it belongs to
    note: str = ""


@dataclass(frozen=True)
class LabelledList:
    """A topic's list with the label of each document, and the relevant ones it lacks."""

    run: str
    topic: str
    items: tuple[Item, ...]
    missed: tuple[Item, ...]
    relevant: int  # R
    unit: str = "document"  # what is counted: documents, classes or groups

    @property
    def found(self) -> int:
        """How many of the R relevant documents, classes or groups were found."""
        return sum(item.status == "relevant" for item in self.items)

    def __str__(self) -> str:
        return text(self)

    __repr__ = __str__


def text(labelled: LabelledList, width: int | None = None, colour: bool = False) -> str:
    """The list on the left, what was missed on the right; below each other if that is too wide."""
    unjudged = sum(item.status == "unjudged" for item in labelled.items)
    units = {"class": "classes"}.get(labelled.unit, f"{labelled.unit}s")
    unit = labelled.unit if labelled.relevant == 1 else units
    text = f"{labelled.found} of {labelled.relevant:,} relevant {unit} found in "
    text += counted(len(labelled.items), "document")
    text += f", {unjudged} unjudged" if unjudged else ""
    head = f"{printable(labelled.run)}, topic {printable(labelled.topic)}: {text}"
    left = _table(["rank", "document", "level", "", ""], _rows(labelled.items), 1, width, colour)
    if not labelled.missed:
        return "\n".join([head, "", *(line for line, _ in left)])
    right = _table(["missed", "level", ""], _missed(labelled.missed), 0, width, colour)
    margin = max(size for _, size in left)
    if width is not None and margin + len(_GAP) + max(size for _, size in right) > width:
        return "\n".join([head, "", *(x for x, _ in left), "", *(x for x, _ in right)])
    lines = [
        (line + " " * (margin - size) + _GAP + beside).rstrip()
        for (line, size), (beside, _) in zip_longest(left, right, fillvalue=("", 0))
    ]
    return "\n".join([head, "", *lines])


_Row = tuple[list[str], str | None]  # the cells, and the colour


def _rows(items: Sequence[Item]) -> list[_Row]:
    rows: list[_Row] = []
    for stretch in stretches(items, lambda item: (item.level or 0) > 0):
        item, last = stretch[0], stretch[-1]
        if item is not last:
            kinds = {s: sum(i.status == s for i in stretch) for s in ("nonrelevant", "unjudged")}
            text = ", ".join(f"{n} {status}" for status, n in kinds.items() if n)
            rows.append(([f"{item.rank}–{last.rank}", f"({text})", "", "", ""], None))
            continue
        what = item.status + (f": {item.note}" if item.note else "")
        level = "–" if item.level is None else f"{item.level:g}"
        group = "" if item.group is None else f"[{printable(item.group)}]"
        cells = [str(item.rank), printable(item.doc), level, what, group]
        rows.append((cells, _COLOURS.get(item.status, "magenta")))
    return rows


def _missed(items: Sequence[Item]) -> list[_Row]:
    rows: list[_Row] = []
    for item in items:
        group = "" if item.group is None else f"[{printable(item.group)}] "
        cells = [printable(item.doc), f"{item.counts:g}", group + item.note]
        rows.append((cells, _COLOURS["missed"]))
    return rows


def _table(
    head: list[str], rows: Sequence[_Row], doc: int, width: int | None, colour: bool
) -> list[tuple[str, int]]:
    """Lines and their widths; in narrow places the documents, in column `doc`, are shortened."""
    # A Japanese character takes two cells, a colour none.
    from rich.cells import cell_len, set_cell_size
    from rich.style import Style

    full = [(head, None), *rows]
    widths = [max(cell_len(cells[i]) for cells, _ in full) for i in range(len(head))]
    over = 0 if width is None else sum(widths) + 2 * (len(widths) - 1) - width
    if over > 0:
        widths[doc] = max(widths[doc] - over, len(head[doc]), 8)
    numbers = {i for i, name in enumerate(head) if name in ("rank", "level")}
    lines = []
    for cells, name in full:
        padded = []
        for i, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
            fits = cell_len(cell) <= wide
            text = cell if fits else set_cell_size(cell, wide - 1) + "…"
            room = " " * (wide - cell_len(text))
            padded.append(room + text if i in numbers else text + room)
        line = "  ".join(padded).rstrip()
        shown = Style(color=name).render(line) if colour and name else line
        lines.append((shown, cell_len(line)))
    return lines
