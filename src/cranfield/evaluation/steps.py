"""The steps of one score."""

from __future__ import annotations

from dataclasses import field

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult


@dataclass(frozen=True)
class Row:
    """An item of a list; `level` is None if nobody judged it."""

    rank: int
    doc: str
    level: float | None
    values: tuple[float, ...]  # of each column of the Steps; empty if there are none
    tied: tuple[tuple[str, float | None], ...] = ()  # items and levels, if any of them may be here

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels of the items that may be here."""
        return tuple(level for _, level in self.tied) or (self.level,)


@dataclass(frozen=True)
class Steps:
    """How a score comes about: the items with what was computed for each, then the totals."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: dict[str, float]
    last: int = 0  # the last rank looked at: if there is no row of it, it changes nothing


@dataclass(frozen=True)
class Sampled:
    """What is known of a score that is the mean of random orders of tied items."""

    drawn: tuple[tuple[float, ...], ...]  # the values that each of the orders has
    errors: dict[str, float]  # standard errors of their means
    best: Explanation  # of the order by level, the best first
    worst: Explanation


@dataclass(frozen=True, repr=False)
class Explanation(TableResult, tables="steps"):
    """The score of one topic, and the steps that lead to it."""

    measure: str
    variant: str  # which of several definitions this is
    run: str
    topic: str  # empty if levels were given, and no files
    values: dict[str, float]
    counts: bool  # whether the values are whole numbers of things
    fraction: tuple[float, float] | None  # the value as a quotient, if it is one
    facts: dict[str, float]  # R, N, n, …
    steps: Steps
    ideal: Steps | None  # of the ideal list, if the measure looked at it
    legend: dict[str, str] = field(default_factory=dict)  # what the symbols mean
    notes: tuple[str, ...] = ()
    sampled: Sampled | None = None  # if the values are means of some orders

    @property
    def lists(self) -> dict[str, Steps]:
        """All lists that are shown, by name; of two orders that are alike, one."""
        shown_lists, ideal = (
            {"run": self.steps},
            {} if self.ideal is None else {"ideal": self.ideal},
        )
        if self.sampled is not None:
            shown_lists |= {"best": self.sampled.best.steps, "worst": self.sampled.worst.steps}
            if shown_lists["best"] == shown_lists["worst"]:
                del shown_lists["worst"]
        return shown_lists | ideal

    @property
    def symbols(self) -> list[str]:
        """The names of all numbers that are shown, in their order."""
        lists = self.lists.values()
        return [*self.facts, *(name for x in lists for name in (*x.columns, *x.totals))]

    def __repr__(self) -> str:
        return self.as_text()


class Explanations(Rows[Explanation], tables="steps"):
    """The scores of several measures or topics."""

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))
