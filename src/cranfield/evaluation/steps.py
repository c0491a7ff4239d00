"""The explanation of a score: items, steps and totals."""

from __future__ import annotations

from dataclasses import field

from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult


@dataclass(frozen=True)
class Row:
    """An item of a ranking. `level` is None if unjudged."""

    rank: int
    doc: str
    level: float | None
    values: tuple[float, ...]  # one per column of the Steps
    tied: tuple[tuple[str, float | None], ...] = ()  # items and levels that can be at this rank

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels of the items that can be at this rank."""
        return tuple(level for _, level in self.tied) or (self.level,)


@dataclass(frozen=True)
class Steps:
    """The computation of a score: values of each item, and totals."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: dict[str, float]
    last: int = 0  # the last rank used. Ranks without a row change nothing


@dataclass(frozen=True)
class Sampled:
    """The random orders of tied items behind a mean score."""

    drawn: tuple[tuple[float, ...], ...]  # values of each order
    errors: dict[str, float]  # standard errors of the means
    best: Explanation  # of the order by level, descending
    worst: Explanation


@dataclass(frozen=True, repr=False)
class Explanation(TableResult, tables="steps"):
    """The score of one topic with its computation steps."""

    measure: str
    variant: str  # description of the definition used
    run: str
    topic: str  # empty for levels without files
    values: dict[str, float]
    counts: bool  # True if the values are counts
    fraction: tuple[float, float] | None  # numerator and denominator of the value, if any
    facts: dict[str, float]  # R, N, n, …
    steps: Steps
    ideal: Steps | None  # of the ideal ranking, if the measure uses it
    legend: dict[str, str] = field(default_factory=dict)  # meanings of symbols
    remarks: tuple[str, ...] = ()
    sampled: Sampled | None = None  # if the values are means of random orders

    @property
    def lists(self) -> dict[str, Steps]:
        """All rankings of the explanation by name. Equal orders are included once."""
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
        """The names of all numbers of the explanation, in order."""
        lists = self.lists.values()
        return [*self.facts, *(name for x in lists for name in (*x.columns, *x.totals))]

    def __repr__(self) -> str:
        return self.as_text()


class Explanations(Rows[Explanation], tables="steps"):
    """Explanations of several measures or topics."""

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))
