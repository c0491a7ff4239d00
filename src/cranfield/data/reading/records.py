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
from cranfield.data.reading.labels import LEVEL, describe_labels, get_level
from cranfield.data.reading.lines import (
    NUMBER,
    format_first_line,
    format_value,
    parse_finite,
    parse_identifier,
    to_number,
    to_separator,
)
from cranfield.dataclass import dataclass
from cranfield.errors import DuplicateError, InputError
from cranfield.wording import remove_numbers

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """Something wrong with a file; an error keeps it from being used, a warning does not."""

    severity: Severity
    location: str
    line: int | None
    text: str
    cause: InputError | None = None
    kind: str = ""  # those of one kind say the same of different lines
    by_intent: bool = False  # whether it would be none, were judgments for intents
    more: int = 0  # problems like this that follow and are not listed

    @classmethod
    def from_error(cls, cause: InputError, location: str) -> Problem:
        """An error, as its sentence without the place."""
        text = str(InputError(cause.found, cause.expected, hint=cause.hint))
        kind = remove_numbers(cause.expected or cause.found)
        return cls("error", location, cause.line, text, cause, kind)


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


RecordItem: TypeAlias = Record | InputError | Problem


@dataclass(frozen=True)
class ReadOptions:
    """How a file is written, where it does not say so itself, and what is wanted of it."""

    separator: str | None = None  # between the fields of a line; None: blanks
    labels: Mapping[str, float] | None = None  # what assessors wrote, and the level it means
    extra_fields: bool = False  # whether lines of a TREC run may go on after the tag
    intents: bool = False  # whether judgments are for intents
    types: bool = False  # whether the types of results are kept
    by_tag: bool = False  # whether results with different tags are different runs
    allows_duplicates: bool = False  # whether a list may have a document twice
    columns: Mapping[str, str] = field(default_factory=dict)  # names or numbers that users gave
    format_given: bool = False  # whether the user named the format
    ordered: bool = False  # whether the user declares that the order of rows is the ranking

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", to_separator(self.separator))

    @property
    def uses_second_column(self) -> bool:
        """Whether the second column of TREC text matters."""
        return self.intents or self.types


DEFAULT_OPTIONS = ReadOptions()
DUPLICATE, COLUMNS = "again", "columns"  # kinds of warnings: judged again; others could be meant


def guess_meaning(fields: list[str], kind: Kind) -> str:
    """What the user may have meant by a line with the wrong number of fields."""
    numbers = [parse_finite(field) is not None for field in fields]
    if kind == "qrels" and numbers == [True]:
        return "these look like predictions: judgments come first"
    if kind == "run" and numbers[1:] == [True, True] and fields[1].isdecimal():  # query place score
        return "RankLib's scores? then cut -f 3"
    return ""


# -- from cells to records ------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordBuilder:
    """What makes records of the named cells of a file."""

    kind: Kind
    location: str
    options: ReadOptions = DEFAULT_OPTIONS
    number_as: str = NUMBER  # how levels and scores are written
    tabular: bool = False  # whether a text may be a number where there are no lines

    def build_record(
        self, cells: Mapping[str, Any], line: int | None = None, scored: bool = False
    ) -> Record | InputError:
        """The record that some cells are, or what is wrong with them.

        A result need not have a score, unless others of its list are `scored`.
        """
        topic, doc = (parse_identifier(cells[name]) for name in ("topic", "doc"))
        if topic is None or doc is None:
            return self._make_name_error(cells, "topic" if topic is None else "doc", line)
        value = cells.get(VALUE[self.kind])
        number = self._parse_value(value, line)
        rank, suffix = parse_finite(cells.get("rank")), f" for document {doc} of topic {topic}"
        if number is None and (self.kind == "qrels" or value is not None or scored):
            return self._make_value_error(value, suffix, line)
        if number is None and rank is None and "rank" in cells:  # which would be what counts
            return self._make_rank_error(cells["rank"], suffix, line)
        second = self._get_second(cells)
        if self.options.intents and second is None:
            return InputError(f"no intent{suffix}", "topic intent doc level", self.location, line)
        tag, group = _to_text(cells.get("tag")), cells.get("class") or None
        record = Record(line, topic, doc, number, rank, tag, group, second)
        return self._add_stratum(record, cells, suffix)

    def _parse_value(self, value: Any, line: int | None) -> float | None:
        """The level or score that a cell holds, or None; where there are lines, all is text."""
        number = parse_finite(value) if self.tabular or line is not None else to_number(value)
        if self.kind == "run":
            return number
        text = str(value) if isinstance(value, str) or self.options.labels else ""
        return get_level(text, self.options.labels, number)

    def _make_name_error(
        self, cells: Mapping[str, Any], wrong: str, line: int | None
    ) -> InputError:
        suffix = f" of topic {cells['topic']}" if wrong == "doc" and line is None else ""
        actual = f"{wrong} {format_value(cells[wrong])}{suffix}"
        return InputError(actual, "an identifier", self.location, line)

    def _add_stratum(
        self, record: Record, cells: Mapping[str, Any], suffix: str
    ) -> Record | InputError:
        """The record with its stratum, if there is one, or what is wrong with that."""
        stratum = cells.get("stratum")
        number = parse_finite(stratum)
        if "stratum" not in cells:
            return record
        if number is not None:
            return record._replace(stratum=number)
        actual = f"stratum {format_value(stratum)}{suffix if record.line is None else ''}"
        return InputError(actual, NUMBER, self.location, record.line)

    def _make_rank_error(self, rank: Any, suffix: str, line: int | None) -> InputError:
        actual = f"rank {format_value(rank)}{suffix if line is None else ''}"
        return InputError(actual, NUMBER, self.location, line)

    def _make_value_error(self, value: Any, suffix: str, line: int | None) -> InputError:
        labels = self.options.labels
        actual = f"{VALUE[self.kind]} {format_value(value)}{suffix if line is None else ''}"
        expected = describe_labels(str(value), labels) if labels else self.number_as
        if self.kind == "qrels" and abs(parse_finite(value) or 0.0) > LARGEST:
            expected = LEVEL
        letters = self.kind == "qrels" and isinstance(value, str) and value.isalpha()
        hint = f"--labels {value}=1,… says what letters mean" if letters and not labels else ""
        return InputError(actual, expected, self.location, line, hint)

    def _get_second(self, cells: Mapping[str, Any]) -> str | None:
        """What stands in the second column of TREC text, or in a table in its place."""
        names = ("intent", "iteration") if self.kind == "qrels" else ("type", "q0")
        return next((parse_identifier(cells[name]) for name in names if name in cells), None)


def _to_text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


# -- what can be wrong with a whole file ----------------------------------------------------------


def check_records(
    items: Iterable[RecordItem], kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> Iterator[Problem | Record]:
    """Every record, and every error in its place; identical judgments are warnings."""
    firsts: dict[tuple[str, ...], Record] = {}
    reference: Record | None = None
    for record in items:
        if not isinstance(record, Record):
            yield record if isinstance(record, Problem) else Problem.from_error(record, location)
            continue
        reference = reference or record
        yield from _check_consistency(record, reference, location)
        group = (record.type or "",) if options.intents else ()
        group = (record.tag or "",) if options.by_tag and kind == "run" else group
        first = firsts.setdefault((record.topic, record.doc, *group), record)
        if first is not record and not (options.allows_duplicates and kind == "run"):
            yield _make_duplicate_problem(record, first, location, kind, options.intents)
        elif kind == "qrels" and record.topic == "all":
            expected = "another name: 'all' is the summary's"
            yield Problem.from_error(
                InputError("a topic named 'all'", expected, location, record.line), location
            )
        yield record


def _check_consistency(record: Record, reference: Record, location: str) -> Iterator[Problem]:
    """The error that a result is which is not ordered as another: by a score, or else by a rank."""
    scores, ranks = (record.value, reference.value), (record.rank, reference.rank)
    noun, values = ("rank", ranks) if scores == (None, None) else ("score", scores)
    if (values[0] is None) != (values[1] is None):
        actual = f"{'no' if values[0] is None else 'a'} {noun}"
        expected = f"a {noun} on every line or on none"
        if record.line is None:
            actual += f" for document {record.doc} of topic {record.topic}"
            expected = f"a {noun} for every document or for none"
        yield Problem.from_error(InputError(actual, expected, location, record.line), location)


def _make_duplicate_problem(
    record: Record, first: Record, location: str, kind: Kind, by_intent: bool
) -> Problem:
    document = f"document {record.doc} of topic {record.topic}"
    document += f", intent {record.type}" if by_intent else ""
    place = "" if first.line is None else f" as on line {first.line}"
    other_intent = not by_intent and first.type != record.type
    if kind == "run":
        actual, expected = f"{document} again{format_first_line(first.line)}", "each document once"
        error = DuplicateError(record.doc, actual, expected, location, record.line)
        return Problem.from_error(error, location)
    if first.value == record.value:
        text = f"{document} is judged again,{place or ' alike'}"
        return Problem(
            "warning", location, record.line, text, kind=DUPLICATE, by_intent=other_intent
        )
    actual, expected = f"level {record.value:g} for {document}", f"{first.value:g}{place}"
    hint = "or are these for intents? `evaluate` takes them with a measure of diversity"
    error = DuplicateError(record.doc, actual, expected, location, record.line, hint * other_intent)
    return replace(Problem.from_error(error, location), by_intent=other_intent)
