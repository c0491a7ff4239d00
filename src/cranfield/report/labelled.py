"""Labelled lists: for people each above what it missed, for programs a row for each document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Sheet, listed
from cranfield.report.steps import level_text, ranked, stretches
from cranfield.wording import counted

COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")

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
    """The list, and below it what was missed."""
    rows = [*stretches(one.items, lambda item: (item.level or 0) > 0), *zip(one.missed)]
    fields = ranked(rows, _cells, ["status", "group"], ("rank", "document"), _colour)
    shown = fields if any(fields[-1].shown) else fields[:-1]
    return Sheet(f"{one.run} {one.topic}", shown, title=_head(one))


def _cells(item: Item) -> list[str]:
    rank = "–" if item.rank is None else str(item.rank)
    note = f": {item.note}" if item.note else ""
    return [rank, item.doc, level_text(item.level), f"{item.status}{note}", item.group or ""]


def _colour(item: Item) -> str:
    return _COLOURS.get(item.status, "magenta")  # what a strategy takes out of the count


def _head(one: LabelledList) -> str:
    """Whose list it is, and how much of what is relevant it has."""
    unjudged = sum(item.status == "unjudged" for item in one.items)
    units = {"class": "classes"}.get(one.unit, f"{one.unit}s")
    unit = one.unit if one.relevant == 1 else units
    found = f"{one.found} of {one.relevant:,} relevant {unit} found in "
    found += counted(len(one.items), "document")
    found += f", {unjudged} unjudged" if unjudged else ""
    return f"{one.run}, topic {one.topic}: {found}"
