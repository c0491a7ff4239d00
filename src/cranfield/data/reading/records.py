"""Records of judgments and runs, and the problems in them.

Records are slower than columns, but every problem has its line. Readers of columns use records to
find the line of a problem, `validate` uses them for everything.
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
from cranfield.wording import format_count, remove_numbers

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """Problem in a file. A file with an error cannot be used."""

    severity: Severity
    location: str
    line: int | None
    text: str
    cause: InputError | None = None
    kind: str = ""  # problems of one kind have the same message for different lines
    by_intent: bool = False  # no problem if judgments are for intents
    more: int = 0  # further problems of this kind that are not listed

    @classmethod
    def from_error(cls, cause: InputError, location: str) -> Problem:
        """Return an error as a problem, with a message without the place."""
        text = str(InputError(cause.found, cause.expected, hint=cause.hint))
        kind = DUPLICATE_ERROR if isinstance(cause, DuplicateError) else cause.expected
        kind = remove_numbers(kind or cause.found)
        return cls("error", location, cause.line, text, cause, kind)


class Record(NamedTuple):
    """One judgment, or one document of a run."""

    line: int | None  # None in formats without lines
    topic: str
    doc: str
    value: float | None  # None in rankings without scores
    rank: float | None
    tag: str | None
    group: str | None = None  # equivalence class in NTCIR judgments
    type: str | None = None  # element type or intent: the second column of TREC text
    stratum: float | None = None  # of sampled judgments


class Remark(NamedTuple):
    """Text of a note. With a noun, the count of equal remarks comes first."""

    text: str
    noun: str = ""

    def format(self, count: int) -> str:
        """Return the text of the note.

        >>> Remark("are unjudged", "empty rating").format(2)
        '2 empty ratings are unjudged'
        """
        return f"{format_count(count, self.noun)} {self.text}" if self.noun else self.text


UNRATED = Remark("without a value: these documents are unjudged", "rating")
NO_RATINGS = Remark("without ratings", "topic")

RecordItem: TypeAlias = Record | InputError | Problem


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file."""

    separator: str | None = None  # between fields; None: whitespace
    labels: Mapping[str, float] | None = None  # levels of labels
    extra_fields: bool = False  # lines of a TREC run can have more fields
    intents: bool = False  # judgments have intents
    types: bool = False  # read the element types of runs
    by_tag: bool = False  # split runs by tag
    allows_duplicates: bool = False  # allow duplicate documents in rankings
    columns: Mapping[str, str] = field(default_factory=dict)  # names or numbers of columns by role
    format_given: bool = False  # the user chose the format
    ordered: bool = False  # the order of rows is the ranking

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", to_separator(self.separator))

    @property
    def uses_second_column(self) -> bool:
        """True if the second column of TREC text is read."""
        return self.intents or self.types


DEFAULT_OPTIONS = ReadOptions()
# Kinds of problems: duplicate judgments and documents, ambiguous columns, counts of a whole file.
DUPLICATE, DUPLICATE_ERROR, COLUMNS, COUNTS = "again", "duplicate", "columns", "counts"


def guess_meaning(fields: list[str], kind: Kind) -> str:
    """Return a hint for lines that look like another kind of file, or an empty text."""
    numbers = [parse_finite(field) is not None for field in fields]
    if kind == "qrels" and numbers == [True]:
        return "this looks like predictions: judgments must come first"
    if kind == "run" and numbers[1:] == [True, True] and fields[1].isdecimal():  # query place score
        return "for RankLib's scores, use `cut -f 3`"
    return ""


# -- from cells to records ------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordBuilder:
    """Builder of records from named cells."""

    kind: Kind
    location: str
    options: ReadOptions = DEFAULT_OPTIONS
    number_as: str = NUMBER  # expected values in errors
    tabular: bool = False  # numbers can be texts if there are no lines

    def build_record(
        self, cells: Mapping[str, Any], line: int | None = None, scored: bool = False
    ) -> Record | InputError:
        """Return the record of some cells, or the error in them.

        A document of a run needs no score unless others of its ranking are `scored`.
        """
        topic, doc = (parse_identifier(cells[name]) for name in ("topic", "doc"))
        if topic is None or doc is None:
            return self._make_name_error(cells, "topic" if topic is None else "doc", line)
        value = cells.get(VALUE[self.kind])
        number = self._parse_value(value, line)
        rank, suffix = parse_finite(cells.get("rank")), f" for document {doc} of topic {topic}"
        if number is None and (self.kind == "qrels" or value is not None or scored):
            return self._make_value_error(value, suffix, line)
        if number is None and rank is None and "rank" in cells:  # the rank determines the order
            return self._make_rank_error(cells["rank"], suffix, line)
        second = self._get_second(cells)
        if self.options.intents and second is None:
            return InputError(f"no intent{suffix}", "topic intent doc level", self.location, line)
        tag, group = _to_text(cells.get("tag")), cells.get("class") or None
        record = Record(line, topic, doc, number, rank, tag, group, second)
        return self._add_stratum(record, cells, suffix)

    def _parse_value(self, value: Any, line: int | None) -> float | None:
        """Return the level or score in a cell, or None. Cells of lines are text."""
        number = parse_finite(value) if self.tabular or line is not None else to_number(value)
        if self.kind == "run":
            return number
        text = str(value) if isinstance(value, str) or self.options.labels else ""
        return get_level(text, self.options.labels, number)

    def _make_name_error(self, cells: Mapping[str, Any], wrong: str, line: int | None) -> InputError:
        suffix = f" of topic {cells['topic']}" if wrong == "doc" and line is None else ""
        actual = f"{wrong} {format_value(cells[wrong])}{suffix}"
        return InputError(actual, "an identifier", self.location, line)

    def _add_stratum(self, record: Record, cells: Mapping[str, Any], suffix: str) -> Record | InputError:
        """Return the record with its stratum, or the error in the stratum."""
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
        hint = f"to map labels to levels, use --labels {value}=1,…" if letters and not labels else ""
        return InputError(actual, expected, self.location, line, hint)

    def _get_second(self, cells: Mapping[str, Any]) -> str | None:
        """Return the second column of TREC text, or the column of a table with its role."""
        names = ("intent", "iteration") if self.kind == "qrels" else ("type", "q0")
        return next((parse_identifier(cells[name]) for name in names if name in cells), None)


def _to_text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


# -- problems of several records ----------------------------------------------------------


def check_records(
    items: Iterable[RecordItem], kind: Kind, location: str, options: ReadOptions = DEFAULT_OPTIONS
) -> Iterator[Problem | Record]:
    """Yield records and problems. Duplicate judgments with the same level are warnings."""
    firsts: dict[tuple[str, ...], Record] = {}
    reference: Record | None = None
    for record in items:
        if not isinstance(record, Record):
            yield record if isinstance(record, Problem) else Problem.from_error(record, location)
            continue
        reference = reference or record
        yield from check_consistency(record, reference, location)
        group = (record.type or "",) if options.intents else ()
        group = (record.tag or "",) if options.by_tag and kind == "run" else group
        first = firsts.setdefault((record.topic, record.doc, *group), record)
        if first is not record and not (options.allows_duplicates and kind == "run"):
            yield _make_duplicate_problem(record, first, location, kind, options.intents)
        elif kind == "qrels" and record.topic == "all":
            expected = "another name: 'all' is the summary's"
            yield Problem.from_error(InputError("a topic named 'all'", expected, location, record.line), location)
        yield record


def check_consistency(record: Record, reference: Record, location: str) -> Iterator[Problem]:
    """Yield an error if only some documents have a score, or without scores, a rank."""
    scores, ranks = (record.value, reference.value), (record.rank, reference.rank)
    noun, values = ("rank", ranks) if scores == (None, None) else ("score", scores)
    if (values[0] is None) != (values[1] is None):
        actual = f"{'no' if values[0] is None else 'a'} {noun}"
        expected = f"a {noun} on every line or on none"
        if record.line is None:
            actual += f" for document {record.doc} of topic {record.topic}"
            expected = f"a {noun} for every document or for none"
        yield Problem.from_error(InputError(actual, expected, location, record.line), location)


def _make_duplicate_problem(record: Record, first: Record, location: str, kind: Kind, by_intent: bool) -> Problem:
    document = f"document {record.doc!r} in topic {record.topic}"
    document += f", intent {record.type}" if by_intent else ""
    other_intent = not by_intent and first.type != record.type
    if kind == "run":
        problem = f"duplicate {document}{format_first_line(first.line)}"
        error = DuplicateError(record.doc, problem, "", location, record.line)
        return Problem.from_error(error, location)
    if first.value == record.value:
        text = f"duplicate judgment of {document}{format_first_line(first.line)}"
        return Problem("warning", location, record.line, text, kind=DUPLICATE, by_intent=other_intent)
    levels = f"{first.value:g} and {record.value:g}"
    if record.line is not None and first.line is not None:
        levels = f"{record.value:g} here, {first.value:g} on line {first.line}"
    problem = f"conflicting levels for {document}: {levels}"
    fix = "If column 2 is the intent, use a diversity measure."
    error = DuplicateError(record.doc, problem, "", location, record.line, fix * other_intent)
    return replace(Problem.from_error(error, location), by_intent=other_intent)
