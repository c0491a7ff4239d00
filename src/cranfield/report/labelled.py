"""Tables of labelled rankings, with the missed documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.evaluation.labelled import Item, LabelledList, LabelledLists
from cranfield.report.formats.machine_readable import drop_zero_fraction
from cranfield.report.steps import build_ranking_columns, format_level, split_stretches
from cranfield.tables import ResultTable, build_record_table
from cranfield.wording import format_count

COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")

_COLOURS = {"relevant": "green", "nonrelevant": "red", "unjudged": "yellow", "missed": "red"}


def _to_rankings(result: LabelledList | LabelledLists) -> Sequence[LabelledList]:
    return [result] if isinstance(result, LabelledList) else result


def build_tables(result: LabelledList | LabelledLists) -> list[ResultTable]:
    """Build a machine-readable table of all items and a table per ranking."""
    rows = build_document(result)
    values = [{name: drop_zero_fraction(value) for name, value in row.items()} for row in rows]
    return [
        build_record_table("labels", values, dict.fromkeys(COLUMNS)),
        *map(_build_ranking_table, _to_rankings(result)),
    ]


def build_document(result: LabelledList | LabelledLists) -> list[dict[str, Any]]:
    """Return a record for each retrieved or missed item."""
    return [
        {"run": ranking.run, "topic": ranking.topic}
        | {name: getattr(x, name) for name in COLUMNS[2:]}
        for ranking in _to_rankings(result)
        for x in (*ranking.items, *ranking.missed)
    ]


def _build_ranking_table(ranking: LabelledList) -> ResultTable:
    """Build the table of a ranking, with missed items at the end."""
    rows = [
        *split_stretches(ranking.items, lambda item: (item.level or 0) > 0),
        *zip(ranking.missed),
    ]
    fields = build_ranking_columns(
        rows, _format_cells, ["status", "group"], ("rank", "document"), _choose_colour
    )
    visible = fields if any(fields[-1].cell_texts) else fields[:-1]
    return ResultTable(f"{ranking.run} {ranking.topic}", visible, title=_format_title(ranking))


def _format_cells(item: Item) -> list[str]:
    rank = "–" if item.rank is None else str(item.rank)
    note = f": {item.note}" if item.note else ""
    return [rank, item.doc, format_level(item.level), f"{item.status}{note}", item.group or ""]


def _choose_colour(item: Item) -> str:
    return _COLOURS.get(item.status, "magenta")  # excluded by a labelling strategy


def _format_title(ranking: LabelledList) -> str:
    """Return run, topic and counts of relevant and unjudged items."""
    unjudged = sum(item.status == "unjudged" for item in ranking.items)
    units = {"class": "classes"}.get(ranking.unit, f"{ranking.unit}s")
    unit = ranking.unit if ranking.relevant == 1 else units
    text = f"{ranking.found} of {ranking.relevant:,} relevant {unit} found in "
    text += format_count(len(ranking.items), "document")
    text += f", {unjudged} unjudged" if unjudged else ""
    return f"{ranking.run}, topic {ranking.topic}: {text}"
