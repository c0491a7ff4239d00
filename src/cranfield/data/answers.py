"""Generated answers: what TREC's RAG and RAGTIME tracks collect, an object for each topic.

An answer has sentences and what they cite, or is a text: a line ``topic<TAB>text`` or a row of a
table. What is known of answers comes from files (JSONL, JSON, CSV, TSV with a header, Parquet,
Arrow), frames, records, or dicts ``{run: {topic: …}}``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from cranfield.data.reading.cells import Layout, format_of, lines_of, read_lines, where_of
from cranfield.data.reading.columns import SPELLINGS, TOPICS
from cranfield.data.reading.lines import Line, identifier, short
from cranfield.data.reading.records import Problem, Severity
from cranfield.data.reading.shapes import is_list
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame
from cranfield.data.systems import refuse_twice
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import counted

AnswersLike: TypeAlias = Any  # paths, frames, records, or {run: {topic: …}}
T = TypeVar("T")

FILES = (str, os.PathLike)
TO_ANSWERS = "answers go to --answers"  # what is said to who gives them for what was judged
TEXTS = ("topic", "query")  # which may be ids, too
NAMED = {
    "topic": (*(name for name in TOPICS if name not in TEXTS),
              "narrative_id", "request_id", "id", "_id", "sample_id", *TEXTS,
              "user_input", "question"),
    "run": ("run_id", "runid", *(name for name in SPELLINGS["tag"] if name != "name")),
}  # fmt: skip
ANSWERS = Layout(
    (("topic", "answer"),),
    ("answer",),
    {
        "answer": ("answer", "responses", "response", "sentences", "output", "prediction", "text"),
        **NAMED,
        "references": ("references",),
        "metadata": ("metadata",),
    },
    fields=lambda line, tab: line.split(tab, 1),
    verbatim=True,
)
SENTENCES = Layout((), (), {"text": ("text", "sentence"), "citations": ("citations", "citation")})


# -- whatever is known of answers -----------------------------------------------------------------


class Entry(NamedTuple, Generic[T]):
    """What was found for one answer, and where."""

    found: T
    line: Line


class Outside(NamedTuple):
    """Labels outside the scale that were treated as missing: of which pieces, and the labels."""

    pieces: list[tuple[str, Any]]  # topic, and a nugget or criterion; None for a citation
    labels: dict[str, None]


@dataclass(frozen=True, eq=False)
class ByRun(Generic[T]):
    """What was found for the answers of each run, by topic.

    >>> read_answers({"mine": {"q1": "Paris"}})
    ByRun: answers of 1 run, 1 topic
    """

    what: str
    by_run: Mapping[str, Mapping[str, Entry[T]]]
    outside: Outside = field(default_factory=lambda: Outside([], {}))

    @property
    def topics(self) -> list[str]:
        """Those of whichever run, in their order."""
        return [*dict.fromkeys(topic for found in self.by_run.values() for topic in found)]

    def get(self, run: str, topic: str) -> Entry[T] | None:
        """What was found for an answer, if anything."""
        return self.by_run.get(run, {}).get(topic)

    def __repr__(self) -> str:
        runs, topics = counted(len(self.by_run), "run"), counted(len(self.topics), "topic")
        return f"ByRun: {self.what} of {runs}, {topics}"


def collected(
    data: AnswersLike,
    layout: Layout,
    what: str,
    cell: str,
    made: Callable[[Line, Any], T],
    separator: str | None = None,
    outside: Outside | None = None,
) -> ByRun[T]:
    """What is `made` for each answer: of one `cell` that has all of it, or of several rows."""
    found: dict[str, dict[str, Entry[T]]] = {}
    rows: dict[tuple[str, str], list[Line]] = {}
    for run, topic, line in _lines(data, layout, what, cell, separator):
        of_run = found.setdefault(run, {})
        if cell not in line.cells:
            if layout.text[0][-1] not in line.cells:
                hint = f" ({TO_ANSWERS})" if TO_ANSWERS in layout.columns_are else ""
                expected = f"a list of them, or columns {', '.join(layout.text[0])}{hint}"
                raise line.error(f"no {cell}", expected)
            rows.setdefault((run, topic), []).append(line)
        elif topic in of_run or (run, topic) in rows:
            raise line.error(
                f"topic {topic} of run {run} again", f"each topic once{_unnamed(line)}"
            )
        else:
            of_run[topic] = Entry(made(line, line.cells[cell]), with_cells(line, {}))
    for (run, topic), lines in rows.items():
        found[run][topic] = Entry(made(lines[0], lines), with_cells(lines[0], {}))
    return ByRun(what, found, outside or Outside([], {}))


def _lines(
    data: AnswersLike, layout: Layout, what: str, cell: str, separator: str | None
) -> Iterator[tuple[str, str, Line]]:
    """Every line with its run and its topic, of one file or object or of several files."""

    def nested(given: Mapping[Any, Any], where: str) -> Iterator[dict[str, Any]]:
        for run, topics in given.items():
            if is_list(topics) and topics and all(isinstance(one, Mapping) for one in topics):
                yield from ({**one, NAMED["run"][0]: run} for one in topics)
                continue
            if not isinstance(topics, Mapping):
                found = f"{type(topics).__name__} for run {run!r}"
                raise InputError(found, "{run: {topic: …}} or {run: [record, …]}", where)
            yield from ({"run": run, "topic": topic, cell: x} for topic, x in topics.items())

    several = is_list(data) and any(isinstance(one, FILES) or is_frame(one) for one in data)
    if several:
        refuse_twice((one for one in data if isinstance(one, FILES)), "file")
    for one in data if several else [data]:
        otherwise, told = where_of(one, "run"), None
        for line in read_lines(one, layout, what, separator, nested):
            given = _described(line)
            named = given.cells.get("run") not in (None, "")
            if told is not None and named != told:
                found, expected = ("a run", "none") if named else ("no run", "one")
                raise given.error(found, f"{expected}, as before: all lines name theirs, or none")
            told = named
            if given.cells["topic"] is None:
                raise given.error("no topic", "its name, as topic_id, narrative_id or qid")
            yield (given.name("run") if named else otherwise), given.name("topic"), given


def _unnamed(line: Line) -> str:
    """What may be the matter where a topic comes again, and nothing says of which run."""
    return (
        "" if line.cells.get("run") else f" of a run, or a {NAMED['run'][0]} that tells runs apart"
    )


def _described(line: Line) -> Line:
    """A line with what its metadata say of it, as TREC's answers have them."""
    about = line.cells.get("metadata")
    if about is None:
        return line if "topic" in line.cells else with_cells(line, {"topic": None, **line.cells})
    if not isinstance(about, Mapping):
        if "topic" in line.cells:
            return line
        raise line.error(f"{short(repr(about), False)} as metadata", "an object")
    known = {ours: about[theirs] for ours, theirs in ANSWERS.columns(about).items()}
    return with_cells(line, {"topic": None, **known, **line.cells})


def with_cells(line: Line, cells: Mapping[str, Any]) -> Line:
    """What stands at the same place."""
    return Line(line.where, line.number, cells)


def pieces(line: Line, given: Any, layout: Layout, what: str) -> Iterator[Line]:
    """The rows, or the objects that a list on a line holds, by our names of their keys."""
    keys: tuple[Any, ...] = ()
    columns: dict[str, str] = {}
    for number, one in enumerate(_listed(line, given, what), 1):
        if one.__class__ is Line:
            yield one
            continue
        if one.__class__ is not dict and not isinstance(one, Mapping):
            raise line.error(f"{short(repr(one), False)} as {what} {number}", "an object")
        if tuple(one) != keys:
            keys, columns = tuple(one), layout.columns(one)
        yield with_cells(line, {ours: one[theirs] for ours, theirs in columns.items()})


def _listed(line: Line, given: Any, what: str) -> Sequence[Any]:
    """What a list on a line holds."""
    if not is_list(given):
        raise line.error(f"{short(repr(given), False)} as {what}s", f"a list of {what}s")
    found: Sequence[Any] = given
    return found


@dataclass(frozen=True, eq=False)
class Pieces(Generic[T]):
    """What is made of pieces: most come again with other runs, and are what they were."""

    layout: Layout
    what: str
    known: dict[Any, T] = field(default_factory=dict)

    def of(
        self, line: Line, given: Any, topic: str, made: Callable[[Line, int], T]
    ) -> Iterator[tuple[Line, T]]:
        """What is `made` of each piece and its number, from 1; and the line that it is on."""
        if not all(one.__class__ is dict for one in _listed(line, given, self.what)):
            every = enumerate(pieces(line, given, self.layout, self.what), 1)
            yield from ((one, made(one, number)) for number, one in every)
            return
        for number, one in enumerate(given, 1):
            values = tuple(one.values())
            key: tuple[Any, ...] = topic, number, tuple(one), values, tuple(map(type, values))
            try:
                found = self.known.get(key)
            except TypeError:  # a list is no key
                key, found = (), None
            if found is None:
                (piece,) = pieces(line, [one], self.layout, self.what)
                found = self.known[key] = made(piece, number)
            yield line, found


# -- answers --------------------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence, and the documents that it cites."""

    text: str
    citations: tuple[str, ...]


class Written(NamedTuple):
    """An answer; what its sentences cite is not known if there is only a text."""

    text: str
    sentences: tuple[Sentence, ...] | None
    references: tuple[str, ...]

    def document(self, cited: str) -> str | None:
        """What is cited by its name, or by its place among the references, counted from 0."""
        by_place = cited.isdecimal() and cited not in self.references
        return _document(int(cited) if by_place else cited, self.references)


def read_answers(data: AnswersLike) -> ByRun[Written]:
    """Answers, each a text or sentences with what they cite.

    Citations are documents, or their places among the references, counted from 0.

    >>> sentences = [{"text": "Yes.", "citations": [0]}]
    >>> answers = read_answers([{"qid": "1", "references": ["d7"], "answer": sentences}])
    >>> answers.get("run", "1").found.sentences
    (Sentence(text='Yes.', citations=('d7',)),)
    """
    if isinstance(data, ByRun):
        return data
    return collected(data, ANSWERS, "answers", "answer", _written, "\t")


def _written(line: Line, given: Any) -> Written:
    references = _references(line)
    if isinstance(given, str):
        return Written(given.strip(), None, references.names)
    found = enumerate(pieces(line, given, SENTENCES, "sentence"), 1)
    sentences = tuple([_sentence(one, number, references) for number, one in found])
    return Written(" ".join([one.text for one in sentences]), sentences, references.names)


class References(NamedTuple):
    """The documents that an answer may cite, and what stands for them: names, and places from 0."""

    names: tuple[str, ...]
    known: Mapping[Any, str]

    def document(self, cited: Any) -> str | None:
        """What is cited, if it is one of them."""
        usual = cited.__class__ is str or cited.__class__ is int
        found = self.known.get(cited) if usual else None
        return _document(cited, self.names) if found is None else found


def _references(line: Line) -> References:
    given = line.cells.get("references")
    given = () if given is None else given
    found = [identifier(one) for one in given] if is_list(given) else [None]
    names = tuple([name for name in found if name is not None])
    if len(names) < len(found):
        raise line.error(f"{short(repr(given), False)} as references", "a list of documents")
    every = dict(zip(names, names, strict=True))
    places = {place: every.get(str(place), name) for place, name in enumerate(names)}
    return References(names, every | places)


def _sentence(line: Line, number: int, references: References) -> Sentence:
    text, cited = line.cells.get("text"), line.cells.get("citations")
    if not isinstance(text, str):
        found = "no text" if text is None else f"text {short(repr(text), False)}"
        raise line.error(f"{found} in sentence {number}", "text")
    if not (is_list(cited) or isinstance(cited, Mapping | None)):
        found = f"citations {short(repr(cited), False)} in sentence {number}"
        raise line.error(found, "a list, or {document: confidence}")
    made: dict[str, None] = {}
    for one in cited or ():
        document = references.document(one)
        if document is None:
            found = f"citation {short(repr(one), False)} in sentence {number}"
            many = counted(len(references.names), "reference")
            places = ", or its place from 0" if references.names else ""
            places += ", a number" if places and isinstance(one, str) and one.isdecimal() else ""
            raise line.error(found, f"one of the answer's {many}{places}")
        made[document] = None
    return Sentence(text.strip(), tuple(made))


def _document(cited: Any, references: Sequence[str]) -> str | None:
    """What is cited, by its name or its place; where there are no references, names are as good."""
    name = identifier(cited)
    if name is None:
        return None
    if name in references or (isinstance(cited, str) and not references):
        return name
    place = isinstance(cited, int) and not isinstance(cited, bool)
    return references[cited] if place and 0 <= cited < len(references) else None


# -- what validate asks of answers ----------------------------------------------------------------

MAX_WORDS = 1024  # of an answer: TREC RAG's in 2024
MAX_CITATIONS = 3  # of a sentence
FEW = 5  # answers that may all by chance not cite the first of their references


@dataclass(frozen=True)
class AnswerLimits:
    """How long answers may be: what is beyond TREC's limits is odd, beyond one's own an error.

    `all_cited` refuses references that no sentence cites, `metadata_keys` all other keys there.
    """

    max_words: int | None = None
    max_citations: int | None = None
    all_cited: bool = False
    metadata_keys: tuple[str, ...] = ()

    def problems(self, source: Source) -> Iterator[Problem]:
        """Every problem of a file of answers, but for lines that are no objects."""
        first: list[int] = []  # the first place among its references that an answer cites
        for line in _readable(source):
            first += _first_place(line)
            try:
                yield from self._of_answer(line)
            except InputError as error:
                yield Problem.error(error, source.name)
        if len(first) >= FEW and 0 not in first:
            found = (
                f"place 0 among the references in none of {len(first):,} answers that cite places"
            )
            text = f"found {found}, expected some: are places counted from 1? They are from 0"
            yield Problem("warning", source.name, None, text, kind="places")

    def _of_answer(self, line: Line) -> Iterator[Problem]:
        if "answer" not in line.cells:
            raise line.error("no answer", ANSWERS.lacking({}))
        given, references = line.cells["answer"], _references(line)
        if isinstance(given, str):
            words = len(given.split())
        else:
            sentences = [*pieces(line, given, SENTENCES, "sentence")]
            words = sum(len(str(one.cells.get("text") or "").split()) for one in sentences)
            for number, one in enumerate(sentences, 1):
                yield from self._of_sentence(one, number, references)
            if self.all_cited:
                yield from _uncited(line, sentences, references)
        yield from self._of_metadata(line)
        if words > (self.max_words or MAX_WORDS):
            severity: Severity = "error" if self.max_words else "warning"
            yield _beyond(severity, line, words, "word", self.max_words or MAX_WORDS)

    def _of_metadata(self, line: Line) -> Iterator[Problem]:
        about = line.cells.get("metadata")
        if not self.metadata_keys or about is None:
            return
        if not isinstance(about, Mapping):
            raise line.error(f"{short(repr(about), False)} as metadata", "an object")
        for key in about:
            if key not in self.metadata_keys:
                known = f"one of {', '.join(self.metadata_keys)}"
                yield Problem.error(line.error(f"key {key!r} in metadata", known), line.where)

    def _of_sentence(self, line: Line, number: int, references: References) -> Iterator[Problem]:
        try:
            cited = len(_sentence(line, number, references).citations)
        except InputError as error:
            yield Problem.error(error, line.where)
            return
        if cited > (self.max_citations or MAX_CITATIONS):
            severity: Severity = "error" if self.max_citations else "warning"
            most = self.max_citations or MAX_CITATIONS
            yield _beyond(severity, line, cited, "citation", most, f" in sentence {number}")


def _uncited(line: Line, sentences: Sequence[Line], references: References) -> Iterator[Problem]:
    """References that no sentence cites."""
    listed: list[Any] = [one.cells.get("citations") for one in sentences]
    every = [
        one for cited in listed if is_list(cited) or isinstance(cited, Mapping) for one in cited
    ]
    made = {references.document(one) for one in every}
    for name in dict.fromkeys(references.names):
        if name not in made:
            found = f"reference {short(name)}, which no sentence cites"
            yield Problem.error(line.error(found, "each reference to be cited"), line.where)


def _first_place(line: Line) -> list[int]:
    """The first place among its references that an answer cites, if it cites places."""
    given: Any = line.cells.get("answer")
    objects = [one for one in given if isinstance(one, Mapping)] if is_list(given) else []
    sentences = pieces(line, objects, SENTENCES, "sentence")
    cited: list[Any] = [one.cells.get("citations") for one in sentences]
    places = [one for those in cited if is_list(those) for one in those if one.__class__ is int]
    return [min(places)] if places else []


def _readable(source: Source) -> Iterator[Line]:
    """The answers of a file that are objects."""
    rows = format_of(source, ANSWERS, "\t").rows
    if rows is None:
        yield from lines_of(source, ANSWERS, source.name, "\t")
        return
    for row in rows.rows(source, True):
        if not isinstance(row, InputError):
            number, cells = row
            columns = ANSWERS.columns(cells)
            known = {ours: cells[theirs] for ours, theirs in columns.items()}
            yield Line(source.name, number, known)


def _beyond(
    severity: Severity, line: Line, found: int, noun: str, most: int, where: str = ""
) -> Problem:
    text = f"found {counted(found, noun)}{where}, expected at most {most:,}"
    return Problem(severity, line.where, line.number, text, kind=noun)
