"""Labelled rankings with missed relevant documents."""

from __future__ import annotations

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult

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
class LabelledList(TableResult, tables="labelled"):
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


class LabelledLists(Rows[LabelledList], tables="labelled"):
    """Labelled rankings of several runs or topics."""

    def __repr__(self) -> str:
        more = [f"… {len(self) - _MAX_LISTS} more lists"] if len(self) > _MAX_LISTS else []
        return "\n\n".join([*map(repr, self[:_MAX_LISTS]), *more])
