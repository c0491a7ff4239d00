"""Labelled rankings with missed relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.evaluation.steps import build_ranking_columns, format_level, split_stretches
from cranfield.tables import ResultTable, build_record_table, drop_zero_fraction
from cranfield.wording import format_count

_MAX_LISTS = 2  # rankings in a repr


@dataclass(frozen=True)
class Item:
    """A retrieved or missed document."""

    rank: int | None  # None if not retrieved
    doc: str
    level: float | None  # judged level, None if unjudged
    counts: float  # level used by measures
    status: str  # relevant, nonrelevant, unjudged, redundant, waiting, incomplete, or missed
    group: str | None = None  # class or group of the document
    note: str = ""


@dataclass(frozen=True, repr=False)
class LabelledList(TableResult):
    """The ranking of a topic with the label of each document, and the missed documents."""

    run: str
    topic: str
    items: tuple[Item, ...]
    missed: tuple[Item, ...]
    relevant: int  # R
    unit: str = "document"  # or "class" or "group"

    @property
    def found(self) -> int:
        """Number of relevant documents, classes or groups retrieved."""
        return sum(item.status == "relevant" for item in self.items)

    def __repr__(self) -> str:
        return self.as_text()

    def _build_tables(self) -> list[ResultTable]:
        return _build_label_tables([self])

    def _build_document(self) -> list[dict[str, Any]]:
        return _list_items([self])


class LabelledLists(Rows[LabelledList]):
    """Labelled rankings of several runs or topics."""

    def __repr__(self) -> str:
        more = [f"… {len(self) - _MAX_LISTS} more lists"] if len(self) > _MAX_LISTS else []
        return "\n\n".join([*map(repr, self[:_MAX_LISTS]), *more])

    def _build_tables(self) -> list[ResultTable]:
        return _build_label_tables(self)

    def _build_document(self) -> list[dict[str, Any]]:
        return _list_items(self)


# -- tables ---------------------------------------------------------------------------------------

COLUMNS = ("run", "topic", "rank", "doc", "level", "counts", "status", "group", "note")

_COLOURS = {"relevant": "green", "nonrelevant": "red", "unjudged": "yellow", "missed": "red"}


def _build_label_tables(rankings: Sequence[LabelledList]) -> list[ResultTable]:
    """Build a machine-readable table of all items and a table per ranking."""
    rows = _list_items(rankings)
    values = [{name: drop_zero_fraction(value) for name, value in row.items()} for row in rows]
    return [build_record_table("labels", values, dict.fromkeys(COLUMNS)), *map(_build_ranking_table, rankings)]


def _list_items(rankings: Sequence[LabelledList]) -> list[dict[str, Any]]:
    """Return a record for each retrieved or missed item."""
    return [
        {"run": ranking.run, "topic": ranking.topic} | {name: getattr(x, name) for name in COLUMNS[2:]}
        for ranking in rankings
        for x in (*ranking.items, *ranking.missed)
    ]


def _build_ranking_table(ranking: LabelledList) -> ResultTable:
    """Build the table of a ranking, with missed items at the end."""
    rows = [*split_stretches(ranking.items, lambda item: (item.level or 0) > 0), *zip(ranking.missed)]
    fields = build_ranking_columns(rows, _format_cells, ["status", "group"], ("rank", "document"), _choose_colour)
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
