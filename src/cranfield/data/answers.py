"""Generated answers of topics, as in TREC's RAG and RAGTIME tracks.

An answer is a list of sentences with citations, or a text: a line ``topic<TAB>text`` or a table
row. Answers and their labels are read from files (JSONL, JSON, CSV, TSV with a header, Parquet,
Arrow), frames, records or dicts ``{run: {topic: …}}``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from cranfield.data.reading.cells import (
    Layout,
    detect_layout_format,
    get_location,
    iter_lines,
    read_lines,
)
from cranfield.data.reading.columns import SPELLINGS, TOPICS, make_unknown_column_error
from cranfield.data.reading.lines import Line, format_value, parse_identifier, truncate_text
from cranfield.data.reading.records import Problem, Severity
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.reading.user_columns import PIECES
from cranfield.data.systems import check_distinct_paths
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_count

AnswersLike: TypeAlias = Any  # paths, frames, records, or {run: {topic: …}}
T = TypeVar("T")

FILES = (str, os.PathLike)
ANSWERS_HINT = "answers go to --answers"  # hint if answers are passed as judgments
TEXT_COLUMNS = ("topic", "query")  # can also be ids
ID_SPELLINGS = {
    "topic": (*(name for name in TOPICS if name not in TEXT_COLUMNS),
              "narrative_id", "request_id", "id", "_id", "sample_id", *TEXT_COLUMNS,
              "user_input", "question"),
    "run": ("run_id", "runid", *(name for name in SPELLINGS["tag"] if name != "name")),
}  # fmt: skip
ANSWERS = Layout(
    (("topic", "answer"),),
    ("answer",),
    {
        "answer": ("answer", "responses", "response", "sentences", "output", "prediction", "text"),
        **ID_SPELLINGS,
        "references": ("references",),
        "metadata": ("metadata",),
    },
    fields=lambda line, tab: line.split(tab, 1),
    verbatim=True,
    table="answers",
)
SENTENCES = Layout((), (), {"text": ("text", "sentence"), "citations": ("citations", "citation")})


# -- whatever is known of answers -----------------------------------------------------------------


class Entry(NamedTuple, Generic[T]):
    """Data of one answer, with the line it was read from."""

    value: T
    line: Line


class InvalidLabels(NamedTuple):
    """Labels outside the scale that count as missing, and the labelled pieces."""

    pieces: list[tuple[str, Any]]  # topic, and a nugget or criterion; None for a citation
    labels: dict[str, None]


@dataclass(frozen=True, eq=False)
class ByRun(Generic[T]):
    """Data of the answers of each run, by topic.

    >>> read_answers({"mine": {"q1": "Paris"}})
    ByRun: answers of 1 run, 1 topic
    """

    kind: str
    by_run: Mapping[str, Mapping[str, Entry[T]]]
    invalid: InvalidLabels = field(default_factory=lambda: InvalidLabels([], {}))

    @property
    def topics(self) -> list[str]:
        """Topics of all runs, in order of their first appearance."""
        return [*dict.fromkeys(topic for entries in self.by_run.values() for topic in entries)]

    def get(self, run: str, topic: str) -> Entry[T] | None:
        """Return the data of one answer, or None."""
        return self.by_run.get(run, {}).get(topic)

    def __repr__(self) -> str:
        runs, topics = (
            format_count(len(self.by_run), "run"),
            format_count(len(self.topics), "topic"),
        )
        return f"ByRun: {self.kind} of {runs}, {topics}"


def read_by_run(
    data: AnswersLike,
    layout: Layout,
    kind: str,
    cell: str,
    build: Callable[[Line, Any], T],
    separator: str | None = None,
    invalid: InvalidLabels | None = None,
) -> ByRun[T]:
    """Call `build` for each answer, with the value of `cell` or with its rows."""
    by_run: dict[str, dict[str, Entry[T]]] = {}
    rows: dict[tuple[str, str], list[Line]] = {}
    for run, topic, line in _read_run_lines(data, layout, kind, cell, separator):
        of_run = by_run.setdefault(run, {})
        if cell not in line.cells:
            if layout.forms[0][-1] not in line.cells:
                hint = f" ({ANSWERS_HINT})" if ANSWERS_HINT in layout.expected_columns else ""
                expected = f"a list of them, or columns {', '.join(layout.forms[0])}{hint}"
                raise line.make_error(f"no {cell}", expected)
            rows.setdefault((run, topic), []).append(line)
        elif topic in of_run or (run, topic) in rows:
            raise line.make_problem(f"duplicate topic {topic!r} in run {run!r}", _format_run_hint(line))
        else:
            of_run[topic] = Entry(build(line, line.cells[cell]), with_cells(line, {}))
    for (run, topic), lines in rows.items():
        by_run[run][topic] = Entry(build(lines[0], lines), with_cells(lines[0], {}))
    return ByRun(kind, by_run, invalid or InvalidLabels([], {}))


def _read_run_lines(
    data: AnswersLike, layout: Layout, kind: str, cell: str, separator: str | None
) -> Iterator[tuple[str, str, Line]]:
    """Yield (run, topic, line) for each line of one or several files or objects."""

    def flatten(mapping: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
        for run, topics in mapping.items():
            if is_list(topics) and topics and all(isinstance(record, Mapping) for record in topics):
                yield from ({**record, ID_SPELLINGS["run"][0]: run} for record in topics)
                continue
            if not isinstance(topics, Mapping):
                problem = f"{type(topics).__name__} for run {run!r}"
                raise InputError(problem, "{run: {topic: …}} or {run: [record, …]}", location)
            yield from ({"run": run, "topic": topic, cell: x} for topic, x in topics.items())

    is_collection = is_list(data) and any(isinstance(source, FILES) or is_frame(source) for source in data)
    if is_collection:
        check_distinct_paths((source for source in data if isinstance(source, FILES)), "file")
    for source in data if is_collection else [data]:
        default_run, earlier_has_run = get_location(source, "run"), None
        for row in read_lines(source, layout, kind, separator, flatten):
            line = _merge_metadata(row)
            has_run = line.cells.get("run") not in (None, "")
            if earlier_has_run is not None and has_run != earlier_has_run:
                names = ("a run", "none") if has_run else ("no run", "one")
                rule = "as on the lines before. Name the run on all lines or on none"
                raise line.make_error(names[0], f"{names[1]}, {rule}")
            earlier_has_run = has_run
            if line.cells["topic"] is None:
                raise line.make_problem("no topic", "Add topic_id, narrative_id or qid.")
            run = line.get_name("run") if has_run else default_run
            yield run, line.get_name("topic"), line


def _format_run_hint(line: Line) -> str:
    """Return a hint for a repeated topic in data without run names."""
    if line.cells.get("run"):
        return ""
    return f"To separate runs, add a column or key {ID_SPELLINGS['run'][0]}."


def _merge_metadata(line: Line) -> Line:
    """Add the cells of the metadata object, as in TREC's answers, to a line."""
    metadata = line.cells.get("metadata")
    if metadata is None:
        return line if "topic" in line.cells else with_cells(line, {"topic": None, **line.cells})
    if not isinstance(metadata, Mapping):
        if "topic" in line.cells:
            return line
        raise line.make_error(f"metadata {format_value(metadata)}", "an object")
    values = {key: metadata[column] for key, column in ANSWERS.resolve_columns(metadata).items()}
    return with_cells(line, {"topic": None, **values, **line.cells})


def with_cells(line: Line, cells: Mapping[str, Any]) -> Line:
    """Return a line at the same place with other cells."""
    return Line(line.location, line.number, cells)


def read_pieces(line: Line, value: Any, layout: Layout, kind: str) -> Iterator[Line]:
    """Yield the rows, or the objects of a list, as lines with our column names."""
    keys: tuple[Any, ...] = ()
    columns: dict[str, str] = {}
    layout = layout.with_choices()
    for number, item in enumerate(_require_list(line, value, kind), 1):
        if item.__class__ is Line:
            yield item
            continue
        if item.__class__ is not dict and not isinstance(item, Mapping):
            raise line.make_error(f"{kind} {number} {format_value(item)}", "an object")
        if tuple(item) != keys:
            keys, columns = tuple(item), layout.resolve_columns(item)
            _check_choices(line, layout, keys)
        yield with_cells(line, {key: item[column] for key, column in columns.items()})


def _check_choices(line: Line, layout: Layout, keys: Sequence[Any]) -> None:
    """Raise InputError if an object lacks a column that the user has chosen for objects in lists."""
    chosen = layout.find_choices(keys)
    for role in chain.from_iterable(PIECES.values()):
        if role in layout.choices and role not in chosen:
            raise make_unknown_column_error(layout.choices[role].column, [*keys], line.location, line.number)


def _require_list(line: Line, value: Any, kind: str) -> Sequence[Any]:
    if not is_list(value):
        raise line.make_error(f"{kind}s {format_value(value)}", f"a list of {kind}s")
    items: Sequence[Any] = value
    return items


@dataclass(frozen=True, eq=False)
class PieceCache(Generic[T]):
    """Objects built from pieces, cached because most pieces repeat in other runs."""

    layout: Layout
    kind: str
    cache: dict[Any, T] = field(default_factory=dict)

    def read(self, line: Line, items: Any, topic: str, build: Callable[[Line, int], T]) -> Iterator[tuple[Line, T]]:
        """Yield (line, object) for each piece.

        `build` gets the piece and its number, from 1.
        """
        if not all(item.__class__ is dict for item in _require_list(line, items, self.kind)):
            numbered = enumerate(read_pieces(line, items, self.layout, self.kind), 1)
            yield from ((item, build(item, number)) for number, item in numbered)
            return
        for number, item in enumerate(items, 1):
            values = tuple(item.values())
            key: tuple[Any, ...] = topic, number, tuple(item), values, tuple(map(type, values))
            try:
                value = self.cache.get(key)
            except TypeError:  # a list is not hashable
                key, value = (), None
            if value is None:
                (piece,) = read_pieces(line, [item], self.layout, self.kind)
                value = self.cache[key] = build(piece, number)
            yield line, value


# -- answers --------------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """Sentence with the documents that it cites."""

    text: str
    citations: tuple[str, ...]


class Answer(NamedTuple):
    """Answer. `sentences` is None if the answer is a text without citations."""

    text: str
    sentences: tuple[Sentence, ...] | None
    references: tuple[str, ...]

    def find_document(self, cited: str) -> str | None:
        """Return the cited document, given its id or its index in the references."""
        by_place = cited.isdecimal() and cited not in self.references
        return _find_reference(int(cited) if by_place else cited, self.references)


def read_answers(data: AnswersLike) -> ByRun[Answer]:
    """Read answers, each a text or a list of sentences with citations.

    Citations are document ids, or indexes in the references, counted from 0.

    >>> sentences = [{"text": "Yes.", "citations": [0]}]
    >>> answers = read_answers([{"qid": "1", "references": ["d7"], "answer": sentences}])
    >>> answers.get("run", "1").value.sentences
    (Sentence(text='Yes.', citations=('d7',)),)
    """
    if isinstance(data, ByRun):
        return data
    return read_by_run(data, ANSWERS, "answers", "answer", _build_answer, "\t")


def _build_answer(line: Line, value: Any) -> Answer:
    references = _read_references(line)
    if isinstance(value, str):
        return Answer(value.strip(), None, references.names)
    numbered = enumerate(read_pieces(line, value, SENTENCES, "sentence"), 1)
    sentences = tuple([_read_sentence(sentence, number, references) for number, sentence in numbered])
    return Answer(" ".join([sentence.text for sentence in sentences]), sentences, references.names)


class References(NamedTuple):
    """Documents that an answer may cite.

    `by_id` maps ids and indexes (from 0) to them.
    """

    names: tuple[str, ...]
    by_id: Mapping[Any, str]

    def find_document(self, cited: Any) -> str | None:
        """Return the cited document, or None if it is not a reference."""
        is_id = cited.__class__ is str or cited.__class__ is int
        document = self.by_id.get(cited) if is_id else None
        return _find_reference(cited, self.names) if document is None else document


def _read_references(line: Line) -> References:
    cell = line.cells.get("references")
    cell = () if cell is None else cell
    identifiers = [parse_identifier(item) for item in cell] if is_list(cell) else [None]
    names = tuple([name for name in identifiers if name is not None])
    if len(names) < len(identifiers):
        raise line.make_error(f"references {format_value(cell)}", "a list of documents")
    by_name = dict(zip(names, names, strict=True))
    places = {place: by_name.get(str(place), name) for place, name in enumerate(names)}
    return References(names, by_name | places)


def _read_sentence(line: Line, number: int, references: References) -> Sentence:
    text, cited = line.cells.get("text"), line.cells.get("citations")
    if not isinstance(text, str):
        problem = "no text" if text is None else f"text {format_value(text)}"
        raise line.make_error(f"{problem} in sentence {number}", "text")
    if not (is_list(cited) or isinstance(cited, Mapping | None)):
        problem = f"citations {format_value(cited)} in sentence {number}"
        raise line.make_error(problem, "a list, or {document: confidence}")
    documents: dict[str, None] = {}
    for item in cited or ():
        document = references.find_document(item)
        if document is None:
            problem = f"citation {format_value(item)} in sentence {number}"
            reference_count = format_count(len(references.names), "reference")
            places = ", or its index from 0" if references.names else ""
            places += ", a number" if places and isinstance(item, str) and item.isdecimal() else ""
            raise line.make_error(problem, f"one of the answer's {reference_count}{places}")
        documents[document] = None
    return Sentence(text.strip(), tuple(documents))


def _find_reference(cited: Any, references: Sequence[str]) -> str | None:
    """Return the document for an id or an index. Without references, any id is valid."""
    name = parse_identifier(cited)
    if name is None:
        return None
    if name in references or (isinstance(cited, str) and not references):
        return name
    place = isinstance(cited, int) and not isinstance(cited, bool)
    return references[cited] if place and 0 <= cited < len(references) else None


# -- what validate asks of answers ----------------------------------------------------------------

MAX_WORDS = 1024  # per answer, as in TREC RAG 2024
MAX_CITATIONS = 3  # per sentence
MIN_ANSWERS = 5  # fewer answers may by chance all skip their first reference


@dataclass(frozen=True)
class AnswerLimits:
    """Limits for answers. Without a user limit, TREC's limit applies as a warning.

    With `all_cited`, references that no sentence cites are errors. With `metadata_keys`, other
    keys in the metadata are errors.
    """

    max_words: int | None = None
    max_citations: int | None = None
    all_cited: bool = False
    metadata_keys: tuple[str, ...] = ()

    def find_problems(self, source: Source) -> Iterator[Problem]:
        """Yield the problems of a file of answers. Skip lines that are no JSON objects."""
        first: list[int] = []  # the lowest reference index of each answer
        for line in _read_objects(source):
            first += _find_first_place(line)
            try:
                yield from self._check_answer(line)
            except InputError as error:
                yield Problem.from_error(error, source.name)
        if len(first) >= MIN_ANSWERS and 0 not in first:
            problem = f"place 0 among the references in none of {len(first):,} answers that cite places"
            text = f"found {problem}, expected some: are places counted from 1? They are from 0"
            yield Problem("warning", source.name, None, text, kind="places")

    def _check_answer(self, line: Line) -> Iterator[Problem]:
        if "answer" not in line.cells:
            raise line.make_error("no answer", ANSWERS.describe_missing({}))
        answer, references = line.cells["answer"], _read_references(line)
        if isinstance(answer, str):
            words = len(answer.split())
        else:
            sentences = [*read_pieces(line, answer, SENTENCES, "sentence")]
            words = sum(len(str(sentence.cells.get("text") or "").split()) for sentence in sentences)
            for number, sentence in enumerate(sentences, 1):
                yield from self._check_sentence(sentence, number, references)
            if self.all_cited:
                yield from _find_uncited(line, sentences, references)
        yield from self._check_metadata(line)
        if words > (self.max_words or MAX_WORDS):
            severity: Severity = "error" if self.max_words else "warning"
            yield _make_limit_problem(severity, line, words, "word", self.max_words or MAX_WORDS)

    def _check_metadata(self, line: Line) -> Iterator[Problem]:
        metadata = line.cells.get("metadata")
        if not self.metadata_keys or metadata is None:
            return
        if not isinstance(metadata, Mapping):
            raise line.make_error(f"metadata {format_value(metadata)}", "an object")
        for key in metadata:
            if key not in self.metadata_keys:
                valid_keys = f"one of {', '.join(self.metadata_keys)}"
                yield Problem.from_error(line.make_error(f"key {key!r} in metadata", valid_keys), line.location)

    def _check_sentence(self, line: Line, number: int, references: References) -> Iterator[Problem]:
        try:
            cited = len(_read_sentence(line, number, references).citations)
        except InputError as error:
            yield Problem.from_error(error, line.location)
            return
        if cited > (self.max_citations or MAX_CITATIONS):
            severity: Severity = "error" if self.max_citations else "warning"
            limit = self.max_citations or MAX_CITATIONS
            yield _make_limit_problem(severity, line, cited, "citation", limit, f" in sentence {number}")


def _find_uncited(line: Line, sentences: Sequence[Line], references: References) -> Iterator[Problem]:
    """Yield an error for each reference that no sentence cites."""
    citations: list[Any] = [item.cells.get("citations") for item in sentences]
    items = [item for cited in citations if is_list(cited) or isinstance(cited, Mapping) for item in cited]
    documents = {references.find_document(item) for item in items}
    for name in dict.fromkeys(references.names):
        if name not in documents:
            problem = f"reference {truncate_text(name)} is not cited by any sentence"
            yield Problem.from_error(line.make_problem(problem), line.location)


def _find_first_place(line: Line) -> list[int]:
    """Return the lowest reference index that an answer cites, in a list, or []."""
    answer: Any = line.cells.get("answer")
    objects = [item for item in answer if isinstance(item, Mapping)] if is_list(answer) else []
    sentences = read_pieces(line, objects, SENTENCES, "sentence")
    cited: list[Any] = [item.cells.get("citations") for item in sentences]
    places = [item for items in cited if is_list(items) for item in items if item.__class__ is int]
    return [min(places)] if places else []


def _read_objects(source: Source) -> Iterator[Line]:
    """Yield the answers of a file that are objects."""
    rows = detect_layout_format(source, ANSWERS, "\t").tabular
    if rows is None:
        yield from iter_lines(source, ANSWERS, source.name, "\t")
        return
    layout = ANSWERS.with_choices()
    for row in rows.read_rows(source, True):
        if not isinstance(row, InputError):
            number, cells = row
            columns = layout.resolve_columns(cells)
            values = {key: cells[column] for key, column in columns.items()}
            yield Line(source.name, number, values)


def _make_limit_problem(
    severity: Severity, line: Line, count: int, noun: str, limit: int, context: str = ""
) -> Problem:
    text = f"found {format_count(count, noun)}{context}, expected at most {limit:,}"
    return Problem(severity, line.location, line.number, text, kind=noun)
