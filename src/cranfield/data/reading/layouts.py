"""Detection of the columns of tables without a header, from the first lines.

Ambiguous lines are an error that lists both readings and the options that select one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from cranfield.data.reading.columns import ITERATIONS, TREC, Kind
from cranfield.data.reading.labels import MAX_LEVELS, can_be_levels
from cranfield.data.reading.lines import parse_finite, scan_lines, truncate_text
from cranfield.data.reading.source import Beginning
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_option

SEPARATORS = (None, ",", ";")  # whitespace first
MAX_STRATA = 100  # samples have fewer strata


class LineFormat(NamedTuple):
    """Format and separator of a table without a header."""

    format: str
    separator: str | None


def detect_shape(beginning: Beginning) -> LineFormat | None:
    """Detect the format of a table without a header, None if no format fits."""
    if beginning.separator is not None:
        return _detect_separated(beginning, beginning.separator)
    blanks, tabs = (_Rows.from_beginning(beginning, sign) for sign in (None, "\t"))
    name = tabs.detect_format() if tabs.is_complete and tabs.width != blanks.width else None
    if name is not None:
        if blanks.is_trec_width:
            readings = [f"{tabs.width} fields between tabs", f"{blanks.width} between blanks"]
            raise blanks.make_error(readings, f"{format_option('--sep', 'separator=')} sets the separator.")
        return LineFormat(name, "\t")
    if blanks.is_trec_width:
        return None
    return next(filter(None, (_detect_separated(beginning, sign) for sign in SEPARATORS)), None)


def _detect_separated(beginning: Beginning, separator: str | None) -> LineFormat | None:
    name = _Rows.from_beginning(beginning, separator).detect_format()
    return None if name is None else LineFormat(name, separator)


def detect_header(beginning: Beginning) -> str | None:
    """Return csv or tsv if the first line has no numbers and the other lines have, else None."""
    if beginning.separator is None:
        for sign, name in {"\t": "tsv", ",": "csv", ";": "csv"}.items():
            if _Rows.from_beginning(beginning, sign, 1).has_header:
                return name
    return None


@dataclass(frozen=True)
class _Rows:
    """The first lines of a table, split into fields."""

    beginning: Beginning
    fields: list[list[str]]

    @classmethod
    def from_beginning(cls, beginning: Beginning, separator: str | None, first: int = 0) -> _Rows:
        """Split the lines of the beginning, from line `first` on."""
        view = replace(beginning, separator=separator)
        return cls(view, view.fields[first:])

    @property
    def kind(self) -> Kind | None:
        return self.beginning.kind

    @cached_property
    def width(self) -> int:
        """The most frequent number of fields."""
        widths = Counter(map(len, self.fields))
        return max(widths, key=widths.__getitem__, default=0)

    @cached_property
    def rows(self) -> list[list[str]]:
        return [row for row in self.fields if len(row) == self.width]

    @property
    def has_header(self) -> bool:
        """True if these lines have a column of numbers, and the first line has no numbers."""
        first = self.beginning.fields[:1]
        if self.width < 3 or any(parse_finite(cell) is not None for row in first for cell in row):
            return False
        return any(None not in map(parse_finite, self.get_column(i)) for i in range(self.width))

    def get_column(self, i: int) -> list[str]:
        return [row[i] for row in self.rows]

    @property
    def is_complete(self) -> bool:
        """True if all lines have the same number of fields, and no field is empty."""
        return len(self.rows) == len(self.fields) and all(all(row) for row in self.rows)

    @property
    def is_trec_width(self) -> bool:
        """True if the kind is known and lines have the number of fields of its TREC format."""
        return self.kind is not None and self.width == len(TREC[self.kind])

    def detect_format(self) -> str | None:
        """Return the name of the format, None for other formats or a header."""
        if not self.rows or len(self.fields[0]) != self.width:
            return None
        of_width = {
            3: self._detect_three,
            4: self._detect_four,
            5: self._detect_five,
            6: self._detect_six,
        }.get(self.width)
        return None if of_width is None else of_width()

    def _detect_three(self) -> str | None:
        if not _has_numbers(self.get_column(2), self.beginning.labels):
            return None
        run = self.kind == "run" or (self.kind is None and not can_be_levels(self.get_column(2)))
        return self._detect_three_run() if run else self._detect_three_qrels()

    def _detect_three_run(self) -> str | None:
        places, second_places = self._group_integers(2), self._group_integers(1)
        if places is not None and _is_rank_sequence(places):
            return "msmarco"
        if second_places is not None and _is_rank_sequence(second_places):
            reading = "query place score" if places is None else "topic rank doc"
            advice = "For RankLib's scores, use `cut -f 3`." if places is None else ""
            raise self.make_error([reading, "topic doc score (triples)"], advice)
        if all("." in cell and parse_finite(cell) is not None for cell in self.get_column(1)):
            raise self.make_error(["topic score doc", "topic doc score (triples)"])
        if places is None:
            return "triples"
        if any(len(set(group)) < len(group) for group in places) or _is_falling(places):
            return "triples"
        raise self.make_error(["topic doc rank (msmarco)", "topic doc score (triples)"])

    def _detect_three_qrels(self) -> str:
        places = self._group_integers(2)
        if places is not None and _is_rank_sequence(places) and max(map(len, places)) > MAX_LEVELS:
            raise self.make_error(["topic doc level (triples)", "topic doc rank of a run"])
        if {*self.get_column(1)} <= {*ITERATIONS}:
            raise self.make_error(["topic doc level (triples)", "topic iteration doc without a level"])
        if places is not None and can_be_levels(self.get_column(1)) and not can_be_levels(self.get_column(2)):
            raise self.make_error(["topic doc level (triples)", "topic level doc"])
        return "triples"

    def _detect_four(self) -> str | None:
        places, separated = self._group_integers(2), self.beginning.separator is not None
        numbers = [parse_finite(cell) for cell in self.get_column(3)]
        if None in numbers:
            return None
        judged = self.kind == "qrels" or {*self.get_column(1)} <= {*ITERATIONS}
        if judged or places is None or not _is_rank_sequence(places):
            return "trec" if separated and self.kind != "run" else None
        rising = any(
            previous[0] == row[0] and parse_finite(previous[3]) < parse_finite(row[3])  # type: ignore[operator]
            for previous, row in pairwise(self.rows)
        )
        if rising:
            raise self.make_error(["topic doc rank score (colbert)", "topic doc score rank"])
        return "colbert"

    def _detect_five(self) -> str | None:
        """Detect sampled judgments. Preferences also have five fields: raise InputError."""
        levels = [x for x in self.get_column(4) if x != "?"]  # ? marks unjudged documents
        if self.kind == "run" or None in map(parse_finite, levels):
            return None
        strata = self.get_column(3)
        sampled = len({*self.get_column(1)}) == 1 and all(x.isdecimal() for x in strata)
        if sampled and len({*strata}) <= MAX_STRATA:
            return "sampled"
        if self.kind == "qrels":
            raise self.make_error(
                ["topic 0 doc stratum level (sampled)",
                 "topic group subgroup doc level (preferences: trec_eval -R prefs)"]
            )  # fmt: skip
        return None

    def _detect_six(self) -> str | None:
        numbers = None not in map(parse_finite, self.get_column(4))
        return "trec" if self.beginning.separator is not None and numbers else None

    # -- what fields hold -------------------------------------------------------------------------

    def _group_integers(self, i: int) -> list[list[int]] | None:
        """Return the integers in field i by topic, None if a field is not an integer ≥ 0."""
        groups: dict[str, list[int]] = {}
        for row in self.rows:
            if not (row[i].isascii() and row[i].isdecimal() and len(row[i]) < 16):
                return None
            groups.setdefault(row[0], []).append(int(row[i]))
        return list(groups.values())

    def make_error(self, readings: Sequence[str], advice: str = "") -> InputError:
        """Return the error for ambiguous lines."""
        return make_ambiguity_error(self.beginning, self.rows[0], readings, advice)


def make_ambiguity_error(
    beginning: Beginning, row: Sequence[str], readings: Sequence[str], advice: str = ""
) -> InputError:
    """Return the error for ambiguous lines, with a row as example.

    A reading ends with the format that selects it, in parentheses, if there is one.
    """
    flag = "run-format" if beginning.kind == "run" else "qrels-format"
    names = [r.partition("(")[2].rstrip(")") for r in readings if r.endswith(")")]
    formats = [
        format_option(f"--{flag} {name}", f'{flag.replace("-", "_")}="{name}"') for name in names if " " not in name
    ]
    fix = [f"Use {' or '.join(formats)}."] if formats else []
    example = truncate_text((beginning.separator or " ").join(row))
    line = next((number for number, _ in scan_lines(beginning.source)), None)
    problem = f"ambiguous format: {example} can be {' or '.join(readings)}"
    fixes = " ".join([*fix, *([advice] if advice else [])])
    return InputError.from_problem(problem, fixes, beginning.source.name, line)


def _has_numbers(cells: Sequence[str], labels: Collection[str]) -> bool:
    return all(cell in labels or parse_finite(cell) is not None for cell in cells)


def _is_rank_sequence(places: Sequence[Sequence[int]]) -> bool:
    """Return True if numbers count up from 0 or 1 in each topic, and a topic has two or more."""
    first = {group[0] for group in places}
    rise = all(b == a + 1 for group in places for a, b in pairwise(group))
    return rise and first in ({0}, {1}) and max(map(len, places)) > 1


def _is_falling(places: Sequence[Sequence[int]]) -> bool:
    """Return True if numbers decrease in each topic, and a topic has two or more."""
    fall = all(b < a for group in places for a, b in pairwise(group))
    return fall and max(map(len, places)) > 1
