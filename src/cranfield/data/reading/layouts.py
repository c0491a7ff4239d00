"""Tables without a header: which field is what, told by the first lines alone.

What could be read in two ways is refused with both, and with the format that decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from cranfield.data.reading.columns import ITERATIONS, TREC, Kind
from cranfield.data.reading.labels import MOST_LEVELS, are_levels
from cranfield.data.reading.lines import finite, lines, short
from cranfield.data.reading.source import Beginning
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import option

SEPARATORS = (None, ",", ";")  # blanks first
STRATA = 100  # of samples there are fewer


class Shape(NamedTuple):
    """The format of a table without a header, and what separates its fields."""

    format: str
    separator: str | None


def shape_of(beginning: Beginning) -> Shape | None:
    """What the lines of a table without a header are; None if that is not clear."""
    if beginning.separator is not None:
        return _shape(beginning, beginning.separator)
    blanks, tabs = (_Rows.of(beginning, sign) for sign in (None, "\t"))
    name = tabs.format() if tabs.are_whole and tabs.width != blanks.width else None
    if name is not None:
        if blanks.are_trec:
            between = [f"{tabs.width} fields between tabs", f"{blanks.width} between blanks"]
            raise blanks.doubt(between, f"{option('--sep', 'separator=')} sets the separator.")
        return Shape(name, "\t")
    if blanks.are_trec:
        return None
    return next(filter(None, (_shape(beginning, sign) for sign in SEPARATORS)), None)


def _shape(beginning: Beginning, separator: str | None) -> Shape | None:
    name = _Rows.of(beginning, separator).format()
    return None if name is None else Shape(name, separator)


def header_of(beginning: Beginning) -> str | None:
    """csv or tsv, if the first line has no number and all others have: it names columns."""
    if beginning.separator is None:
        for sign, name in {"\t": "tsv", ",": "csv", ";": "csv"}.items():
            if _Rows.of(beginning, sign, 1).are_below_names:
                return name
    return None


@dataclass(frozen=True)
class _Rows:
    """The first lines of a table, cut into fields."""

    beginning: Beginning
    fields: list[list[str]]

    @classmethod
    def of(cls, beginning: Beginning, separator: str | None, first: int = 0) -> _Rows:
        """The lines from the first one on, cut at separators."""
        one = replace(beginning, separator=separator)
        return cls(one, one.fields[first:])

    @property
    def kind(self) -> Kind | None:
        return self.beginning.kind

    @cached_property
    def width(self) -> int:
        """How many fields most lines have."""
        widths = Counter(map(len, self.fields))
        return max(widths, key=widths.__getitem__, default=0)

    @cached_property
    def rows(self) -> list[list[str]]:
        return [row for row in self.fields if len(row) == self.width]

    @property
    def are_below_names(self) -> bool:
        """Whether these lines have some fields, one a number, and the first of all has none."""
        first = self.beginning.fields[:1]
        if self.width < 3 or any(finite(cell) is not None for row in first for cell in row):
            return False
        return any(None not in map(finite, self.column(i)) for i in range(self.width))

    def column(self, i: int) -> list[str]:
        return [row[i] for row in self.rows]

    @property
    def are_whole(self) -> bool:
        """Whether all lines have as many fields, and something in each."""
        return len(self.rows) == len(self.fields) and all(all(row) for row in self.rows)

    @property
    def are_trec(self) -> bool:
        """Whether lines have as many fields as TREC's, of a kind that is known."""
        return self.kind is not None and self.width == len(TREC[self.kind])

    def format(self) -> str | None:
        """The name of the format; None if it is none of these, or the first line is a header."""
        if not self.rows or len(self.fields[0]) != self.width:
            return None
        of_width = {3: self._three, 4: self._four, 5: self._five, 6: self._six}.get(self.width)
        return None if of_width is None else of_width()

    def _three(self) -> str | None:
        if not _are_numbers(self.column(2), self.beginning.labels):
            return None
        run = self.kind == "run" or (self.kind is None and not are_levels(self.column(2)))
        return self._three_of_run() if run else self._three_of_qrels()

    def _three_of_run(self) -> str | None:
        places, counted = self._by_topic(2), self._by_topic(1)
        if places is not None and _in_order(places):
            return "msmarco"
        if counted is not None and _in_order(counted):
            others = "query place score" if places is None else "topic rank doc"
            told = "For RankLib's scores, use `cut -f 3`." if places is None else ""
            raise self.doubt([others, "topic doc score (triples)"], told)
        if all("." in cell and finite(cell) is not None for cell in self.column(1)):
            raise self.doubt(["topic score doc", "topic doc score (triples)"])
        if places is None:
            return "triples"
        if any(len(set(few)) < len(few) for few in places) or _falling(places):
            return "triples"
        raise self.doubt(["topic doc rank (msmarco)", "topic doc score (triples)"])

    def _three_of_qrels(self) -> str:
        places = self._by_topic(2)
        if places is not None and _in_order(places) and max(map(len, places)) > MOST_LEVELS:
            raise self.doubt(["topic doc level (triples)", "topic doc rank of a run"])
        if {*self.column(1)} <= {*ITERATIONS}:
            raise self.doubt(["topic doc level (triples)", "topic iteration doc without a level"])
        if places is not None and are_levels(self.column(1)) and not are_levels(self.column(2)):
            raise self.doubt(["topic doc level (triples)", "topic level doc"])
        return "triples"

    def _four(self) -> str | None:
        places, separated = self._by_topic(2), self.beginning.separator is not None
        numbers = [finite(cell) for cell in self.column(3)]
        if None in numbers:
            return None
        judged = self.kind == "qrels" or {*self.column(1)} <= {*ITERATIONS}
        if judged or places is None or not _in_order(places):
            return "trec" if separated and self.kind != "run" else None
        rising = any(
            above[0] == row[0] and finite(above[3]) < finite(row[3])  # type: ignore[operator]
            for above, row in pairwise(self.rows)
        )
        if rising:
            raise self.doubt(["topic doc rank score (colbert)", "topic doc score rank"])
        return "colbert"

    def _five(self) -> str | None:
        """Samples; preferences, too, have five fields, and are no judgments as others are."""
        levels = [x for x in self.column(4) if x != "?"]  # which is still to be judged
        if self.kind == "run" or None in map(finite, levels):
            return None
        strata = self.column(3)
        sampled = len({*self.column(1)}) == 1 and all(x.isdecimal() for x in strata)
        if sampled and len({*strata}) <= STRATA:
            return "sampled"
        if self.kind == "qrels":
            raise self.doubt(
                ["topic 0 doc stratum level (sampled)",
                 "topic group subgroup doc level (preferences: trec_eval -R prefs)"]
            )  # fmt: skip
        return None

    def _six(self) -> str | None:
        numbers = None not in map(finite, self.column(4))
        return "trec" if self.beginning.separator is not None and numbers else None

    # -- what fields hold -------------------------------------------------------------------------

    def _by_topic(self, i: int) -> list[list[int]] | None:
        """The whole numbers of a field, topic by topic; None if some are not."""
        found: dict[str, list[int]] = {}
        for row in self.rows:
            if not (row[i].isascii() and row[i].isdecimal() and len(row[i]) < 16):
                return None
            found.setdefault(row[0], []).append(int(row[i]))
        return list(found.values())

    def doubt(self, readings: Sequence[str], told: str = "") -> InputError:
        """The error that lines are which can be read in two ways."""
        return ambiguous(self.beginning, self.rows[0], readings, told)


def ambiguous(
    beginning: Beginning, row: Sequence[str], readings: Sequence[str], advice: str = ""
) -> InputError:
    """Return the error for lines such as this row that can be read in two ways.

    A reading ends in the format that decides for it, in parentheses, if there is one.
    """
    flag = "run-format" if beginning.kind == "run" else "qrels-format"
    names = [r.partition("(")[2].rstrip(")") for r in readings if r.endswith(")")]
    formats = [
        option(f"--{flag} {name}", f'{flag.replace("-", "_")}="{name}"')
        for name in names
        if " " not in name
    ]
    fix = [f"Use {' or '.join(formats)}."] if formats else []
    shown = short((beginning.separator or " ").join(row))
    line = next((number for number, _ in lines(beginning.source)), None)
    problem = f"ambiguous format: {shown} can be {' or '.join(readings)}"
    fixes = " ".join([*fix, *([advice] if advice else [])])
    return InputError.problem(problem, fixes, beginning.source.name, line)


def _are_numbers(cells: Sequence[str], labels: Collection[str]) -> bool:
    return all(cell in labels or finite(cell) is not None for cell in cells)


def _in_order(places: Sequence[Sequence[int]]) -> bool:
    """Whether numbers rise by one, from 0 or from 1 in every topic, and some topic shows it."""
    first = {few[0] for few in places}
    rise = all(b == a + 1 for few in places for a, b in pairwise(few))
    return rise and first in ({0}, {1}) and max(map(len, places)) > 1


def _falling(places: Sequence[Sequence[int]]) -> bool:
    """Whether numbers fall in every topic, and some topic shows it."""
    fall = all(b < a for few in places for a, b in pairwise(few))
    return fall and max(map(len, places)) > 1
