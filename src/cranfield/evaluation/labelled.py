"""A labelled list and what was missed: one topic of one run."""

from __future__ import annotations

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult

_MAX_LISTS = 2  # lists that a repr shows


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


@dataclass(frozen=True, repr=False)
class LabelledList(TableResult, tables="labelled"):
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

    def __repr__(self) -> str:
        return self.as_text()


class LabelledLists(Rows[LabelledList], tables="labelled"):
    """The lists of several runs or topics."""

    def __repr__(self) -> str:
        more = [f"… {len(self) - _MAX_LISTS} more lists"] if len(self) > _MAX_LISTS else []
        return "\n\n".join([*map(repr, self[:_MAX_LISTS]), *more])
