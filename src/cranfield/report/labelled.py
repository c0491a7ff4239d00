"""Labelled lists: for people side by side with what was missed, for programs a row each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Field, Sheet
from cranfield.report.steps import stretches
from cranfield.scores import printable
from cranfield.wording import counted

COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")

_GAP = "    "
_COLOURS = {"relevant": "green", "nonrelevant": "red", "unjudged": "yellow", "missed": "red"}


def _lists(found: LabelledList | LabelledLists) -> Sequence[LabelledList]:
    return [found] if isinstance(found, LabelledList) else found


def sheets(found: LabelledList | LabelledLists) -> list[Sheet]:
    """For programs every item of every list, those missed included; for people a table a list."""
    rows = document(found)
    values = [Field(x, [whole(row[x]) for row in rows], people=False) for x in COLUMNS]
    return [Sheet("labels", values), *map(_sheet, _lists(found))]


def document(found: LabelledList | LabelledLists) -> list[dict[str, Any]]:
    """Every item, with its list."""
    return [
        {"run": one.run, "topic": one.topic} | {name: getattr(x, name) for name in COLUMNS[2:]}
        for one in _lists(found)
        for x in (*one.items, *one.missed)
    ]


def _sheet(one: LabelledList) -> Sheet:
    items = (*one.items, *one.missed)
    texts = {
        "rank": ["–" if item.rank is None else str(item.rank) for item in items],
        "document": [item.doc for item in items],
        "level": ["–" if item.level is None else f"{item.level:g}" for item in items],
        "status": [item.status + (f": {item.note}" if item.note else "") for item in items],
        "group": [item.group or "" for item in items],
    }
    fields = [
        Field(name, None, texts=column, dtype=float if name in ("rank", "level") else None)
        for name, column in texts.items()
        if any(column)
    ]
    return Sheet(f"{one.run} {one.topic}", fields, title=_head(one))


def _head(one: LabelledList) -> str:
    """Whose list it is, and how much of what is relevant it has."""
    unjudged = sum(item.status == "unjudged" for item in one.items)
    units = {"class": "classes"}.get(one.unit, f"{one.unit}s")
    unit = one.unit if one.relevant == 1 else units
    found = f"{one.found} of {one.relevant:,} relevant {unit} found in "
    found += counted(len(one.items), "document")
    found += f", {unjudged} unjudged" if unjudged else ""
    return f"{one.run}, topic {one.topic}: {found}"


def text(
    found: LabelledList | LabelledLists, width: int | None = None, colour: bool = False
) -> str:
    """What a terminal shows."""
    return "\n\n".join(_side_by_side(one, width, colour) for one in _lists(found))


def _side_by_side(labelled: LabelledList, width: int | None, colour: bool) -> str:
    """The list on the left, what was missed on the right; below each other if that is too wide."""
    head = printable(_head(labelled))
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
