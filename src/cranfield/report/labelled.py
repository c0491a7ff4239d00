"""Labelled lists: for people side by side with what was missed, for programs a row each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.report.formats import terminal
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Sheet, columns, listed
from cranfield.report.steps import stretches, together
from cranfield.wording import counted, printable

COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")

_GAP = "    "
_COLOURS = {"relevant": "green", "nonrelevant": "red", "unjudged": "yellow", "missed": "red"}


def _lists(found: LabelledList | LabelledLists) -> Sequence[LabelledList]:
    return [found] if isinstance(found, LabelledList) else found


def sheets(found: LabelledList | LabelledLists) -> list[Sheet]:
    """For programs every item of every list, those missed included; for people a table a list."""
    rows = document(found)
    values = [{name: whole(value) for name, value in row.items()} for row in rows]
    return [listed("labels", values, dict.fromkeys(COLUMNS)), *map(_sheet, _lists(found))]


def document(found: LabelledList | LabelledLists) -> list[dict[str, Any]]:
    """Every item, with its list."""
    return [
        {"run": one.run, "topic": one.topic} | {name: getattr(x, name) for name in COLUMNS[2:]}
        for one in _lists(found)
        for x in (*one.items, *one.missed)
    ]


def _sheet(one: LabelledList) -> Sheet:
    of = columns((*one.items, *one.missed))
    fields = [
        of("rank", text=str, dtype=float),
        of("document", "doc"),
        of("level", text="{:g}".format, dtype=float),
        of("status", _status),
        of("group", lambda item: item.group or ""),
    ]
    seen = [field for field in fields if any(field.shown)]
    return Sheet(f"{one.run} {one.topic}", seen, title=_head(one), programs=False)


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
    left = _table(["rank", "document", "level", "", ""], _rows(labelled.items), width, colour)
    if not labelled.missed:
        return "\n".join([head, "", *(line for line, _ in left)])
    right = _table(["missed", "level", ""], [*map(_missed, labelled.missed)], width, colour)
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
        item = stretch[0]
        if len(stretch) > 1:
            ranks, text = together(stretch)
            rows.append(([ranks, f"({text})", "", "", ""], None))
            continue
        level = "–" if item.level is None else f"{item.level:g}"
        cells = [str(item.rank), item.doc, level, _status(item), _group(item)]
        rows.append((cells, _COLOURS.get(item.status, "magenta")))
    return rows


def _missed(item: Item) -> _Row:
    return [item.doc, f"{item.counts:g}", f"{_group(item)} {item.note}".strip()], _COLOURS["missed"]


def _status(item: Item) -> str:
    return item.status + (f": {item.note}" if item.note else "")


def _group(item: Item) -> str:
    return "" if item.group is None else f"[{item.group}]"


def _table(
    head: list[str], rows: Sequence[_Row], width: int | None, colour: bool
) -> list[tuple[str, int]]:
    """Lines and their widths; in narrow places the documents are cut."""
    from rich.cells import cell_len
    from rich.style import Style

    columns = [
        terminal.padded(name, texts, right=name in ("rank", "level"))
        for name, *texts in zip(head, *(cells for cells, _ in rows), strict=True)
    ]
    lines = terminal.lines_of(terminal.narrowed(columns, head.index("level") - 1, width))
    styles = [Style(color=name if colour else None) for name in (None, *(name for _, name in rows))]
    return [(s.render(line), cell_len(line)) for s, line in zip(styles, lines, strict=True)]
