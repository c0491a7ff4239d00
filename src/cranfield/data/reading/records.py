"""Files one record at a time: slower than the readers, and sure of the place of every problem.

The readers take the fast road and, when something is wrong, ask here where it is. `validate`
asks here for everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from cranfield.arrays import LARGEST
from cranfield.data.reading.columns import VALUE, Kind
from cranfield.data.reading.labels import LEVEL, level_of, one_of
from cranfield.data.reading.lines import (
    NUMBER,
    finite,
    first_on,
    identifier,
    real,
    short,
    to_separator,
)
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, RepetitionError
from cranfield.wording import without_numbers

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file; an error keeps it from being used, a warning does not."""

    severity: Severity
    where: str
    line: int | None
    text: str
    cause: InputError | None = None
    kind: str = ""  # those of one kind say the same of different lines
    by_intent: bool = False  # whether it would be none, were judgments for intents
    more: int = 0  # problems like this that follow and are not listed

    @classmethod
    def error(cls, cause: InputError, where: str) -> Problem:
        """An error, as its sentence without the place."""
        text = str(InputError(cause.found, cause.expected, hint=cause.hint))
        kind = without_numbers(cause.expected or cause.found)
        return cls("error", where, cause.line, text, cause, kind)


class Record(NamedTuple):
    """One judgment or result."""

    line: int | None  # None in formats without lines
    topic: str
    doc: str
    value: float | None  # None in lists without scores
    rank: float | None
    tag: str | None
    group: str | None = None  # the class that NTCIR's judgments may name
    type: str | None = None  # of a result, or the intent: the second column of TREC text
    stratum: float | None = None  # what a judgment was sampled from


Found: TypeAlias = Record | InputError | Problem


@dataclass(frozen=True)
class Text:
    """How a file is written, where it does not say so itself, and what is wanted of it."""

    separator: str | None = None  # between the fields of a line; None: blanks
    labels: Mapping[str, float] | None = None  # what assessors wrote, and the level it means
    further: bool = False  # whether lines of a TREC run may go on after the tag
    intents: bool = False  # whether judgments are for intents
    types: bool = False  # whether the types of results are kept
    by_tag: bool = False  # whether results with different tags are different runs
    repeats: bool = False  # whether a list may have a document twice
    columns: Mapping[str, str] = field(default_factory=dict)  # names or numbers that users gave
    forced: bool = False  # whether the user named the format
    ordered: bool = False  # whether the user declares that the order of rows is the ranking

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", to_separator(self.separator))

    @property
    def typed(self) -> bool:
        """Whether the second column of TREC text matters."""
        return self.intents or self.types


PLAIN = Text()
AGAIN, COLUMNS = "again", "columns"  # kinds of warnings: judged again; others could be meant


def meant(fields: list[str], kind: Kind) -> str:
    """What the user may have meant by a line with the wrong number of fields."""
    numbers = [finite(field) is not None for field in fields]
    if kind == "qrels" and numbers == [True]:
        return "these look like predictions: judgments come first"
    if kind == "run" and numbers[1:] == [True, True] and fields[1].isdecimal():  # query place score
        return "RankLib's scores? then cut -f 3"
    return ""


# -- from cells to records ------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorder:
    """What makes records of the named cells of a file."""

    kind: Kind
    where: str
    text: Text = PLAIN
    number_as: str = NUMBER  # how levels and scores are written
    tabular: bool = False  # whether a text may be a number where there are no lines

    def record(
        self, cells: Mapping[str, Any], line: int | None = None, scored: bool = False
    ) -> Record | InputError:
        """The record that some cells are, or what is wrong with them.

        A result need not have a score, unless others of its list are `scored`.
        """
        topic, doc = (identifier(cells[name]) for name in ("topic", "doc"))
        if topic is None or doc is None:
            return self._no_name(cells, "topic" if topic is None else "doc", line)
        value = cells.get(VALUE[self.kind])
        number = self._number(value, line)
        rank, of = finite(cells.get("rank")), f" for document {doc} of topic {topic}"
        if number is None and (self.kind == "qrels" or value is not None or scored):
            return self._no_number(value, of, line)
        if number is None and rank is None and "rank" in cells:  # which would be what counts
            return self._no_rank(cells["rank"], of, line)
        second = self._second(cells)
        if self.text.intents and second is None:
            return InputError(f"no intent{of}", "topic intent doc level", self.where, line)
        tag, group = _text(cells.get("tag")), cells.get("class") or None
        made = Record(line, topic, doc, number, rank, tag, group, second)
        return self._in_stratum(made, cells, of)

    def _number(self, value: Any, line: int | None) -> float | None:
        """The level or score that a cell holds, or None; where there are lines, all is text."""
        number = finite(value) if self.tabular or line is not None else real(value)
        if self.kind == "run":
            return number
        text = str(value) if isinstance(value, str) or self.text.labels else ""
        return level_of(text, self.text.labels, number)

    def _no_name(self, cells: Mapping[str, Any], wrong: str, line: int | None) -> InputError:
        of = f" of topic {cells['topic']}" if wrong == "doc" and line is None else ""
        found = f"{wrong} {short(repr(cells[wrong]), quote=False)}{of}"
        return InputError(found, "an identifier", self.where, line)

    def _in_stratum(self, made: Record, cells: Mapping[str, Any], of: str) -> Record | InputError:
        """The record with its stratum, if there is one, or what is wrong with that."""
        stratum = cells.get("stratum")
        number = finite(stratum)
        if "stratum" not in cells:
            return made
        if number is not None:
            return made._replace(stratum=number)
        found = f"stratum {short(repr(stratum), quote=False)}{of if made.line is None else ''}"
        return InputError(found, NUMBER, self.where, made.line)

    def _no_rank(self, rank: Any, of: str, line: int | None) -> InputError:
        found = f"rank {short(repr(rank), quote=False)}{of if line is None else ''}"
        return InputError(found, NUMBER, self.where, line)

    def _no_number(self, value: Any, of: str, line: int | None) -> InputError:
        labels = self.text.labels
        found = f"{VALUE[self.kind]} {short(repr(value), quote=False)}{of if line is None else ''}"
        expected = one_of(str(value), labels) if labels else self.number_as
        if self.kind == "qrels" and abs(finite(value) or 0.0) > LARGEST:
            expected = LEVEL
        letters = self.kind == "qrels" and isinstance(value, str) and value.isalpha()
        hint = f"--labels {value}=1,… says what letters mean" if letters and not labels else ""
        return InputError(found, expected, self.where, line, hint)

    def _second(self, cells: Mapping[str, Any]) -> str | None:
        """What stands in the second column of TREC text, or in a table in its place."""
        names = ("intent", "iteration") if self.kind == "qrels" else ("type", "q0")
        return next((identifier(cells[name]) for name in names if name in cells), None)


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


# -- what can be wrong with a whole file ----------------------------------------------------------


def checked(
    found: Iterable[Found], kind: Kind, where: str, text: Text = PLAIN
) -> Iterator[Problem | Record]:
    """Every record, and every error in its place; identical judgments are warnings."""
    seen: dict[tuple[str, ...], Record] = {}
    before: Record | None = None
    for record in found:
        if not isinstance(record, Record):
            yield record if isinstance(record, Problem) else Problem.error(record, where)
            continue
        before = before or record
        yield from _unlike(record, before, where)
        which = (record.type or "",) if text.intents else ()
        which = (record.tag or "",) if text.by_tag and kind == "run" else which
        first = seen.setdefault((record.topic, record.doc, *which), record)
        if first is not record and not (text.repeats and kind == "run"):
            yield _duplicate(record, first, where, kind, text.intents)
        elif kind == "qrels" and record.topic == "all":
            expected = "another name: 'all' is the summary's"
            yield Problem.error(
                InputError("a topic named 'all'", expected, where, record.line), where
            )
        yield record


def _unlike(record: Record, before: Record, where: str) -> Iterator[Problem]:
    """The error that a result is which is not ordered as another: by a score, or else by a rank."""
    scores, ranks = (record.value, before.value), (record.rank, before.rank)
    what, both = ("rank", ranks) if scores == (None, None) else ("score", scores)
    if (both[0] is None) != (both[1] is None):
        found = f"{'no' if both[0] is None else 'a'} {what}"
        expected = f"a {what} on every line or on none"
        if record.line is None:
            found += f" for document {record.doc} of topic {record.topic}"
            expected = f"a {what} for every document or for none"
        yield Problem.error(InputError(found, expected, where, record.line), where)


def _duplicate(record: Record, first: Record, where: str, kind: Kind, by_intent: bool) -> Problem:
    what = f"document {record.doc} of topic {record.topic}"
    what += f", intent {record.type}" if by_intent else ""
    before = "" if first.line is None else f" as on line {first.line}"
    others = not by_intent and first.type != record.type
    if kind == "run":
        found, expected = f"{what} again{first_on(first.line)}", "each document once"
        error = RepetitionError(record.doc, found, expected, where, record.line)
        return Problem.error(error, where)
    if first.value == record.value:
        text = f"{what} is judged again,{before or ' alike'}"
        return Problem("warning", where, record.line, text, kind=AGAIN, by_intent=others)
    found, expected = f"level {record.value:g} for {what}", f"{first.value:g}{before}"
    hint = "or are these for intents? `evaluate` takes them with a measure of diversity"
    error = RepetitionError(record.doc, found, expected, where, record.line, hint * others)
    return replace(Problem.error(error, where), by_intent=others)
