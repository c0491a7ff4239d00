"""What several assessors wrote: a file each, or one long table with a column for the assessor."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.columns import SPELLINGS, spelt
from cranfield.data.reading.formats import Format, recognise
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.records import HEADED, fields_of, rows, text_lines
from cranfield.data.reading.source import Source
from cranfield.data.reading.tables import is_frame, polars_frame
from cranfield.errors import InputError
from cranfield.wording import counted

AssessmentsLike: TypeAlias = Any  # paths, {assessor: {topic: {doc: label}}}, a frame, or tuples

ASSESSOR = ("assessor", "assessor_id", "rater", "rater_id", "worker", "worker_id", "annotator",
            "annotator_id", "judge", "judge_id", "coder", "user", "user_id")  # fmt: skip
LABEL = ("label", "level", "rating", *SPELLINGS["level"])
IGNORED = SPELLINGS["intent"]  # TREC's second column, where a table has kept it


class Assessment(NamedTuple):
    """What one assessor wrote about one item: a cell for each column that is not an id."""

    where: str
    line: int | None  # None where there are no lines
    topic: str
    doc: str
    assessor: str
    cells: Mapping[str, Any]


def assessments(data: AssessmentsLike) -> Iterator[Assessment]:
    """Everything in a file or several, a mapping, a frame, or rows.

    >>> next(assessments([("301", "d1", "ann", "A")]))[2:]
    ('301', 'd1', 'ann', {'label': 'A'})
    """
    if isinstance(data, str | os.PathLike):
        yield from _of_files([os.fspath(data)])
    elif is_frame(data):
        frame = polars_frame(data, list, "assessments")
        yield from _of_table(((None, row) for row in frame.iter_rows(named=True)), "assessments")
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, "assessments")
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        given = list(data)
        if given and all(isinstance(one, str | os.PathLike) for one in given):
            yield from _of_files([os.fspath(path) for path in given])
        else:
            yield from _of_table(_of_rows(given), "assessments")
    else:
        expected = "assessments as paths, a mapping, a frame or tuples"
        raise InputError(type(data).__name__, expected)


def assessor_names(paths: Sequence[str]) -> list[str]:
    """Who wrote each file: its name without directory and suffix, or all of it where two clash.

    >>> assessor_names(["a/ann.txt", "a/bob.txt.gz"]), assessor_names(["a/1.txt", "b/1.txt"])
    (['ann', 'bob'], ['a/1.txt', 'b/1.txt'])
    """
    stems = []
    for path in paths:
        name, suffix = os.path.splitext(os.path.basename(path))
        if suffix in (".gz", ".bz2", ".xz", ".zst", ".zstd"):
            name = os.path.splitext(name)[0]
        stems.append("standard input" if path == "-" else name)
    clashing = Counter(stems)
    return [stem if clashing[stem] == 1 else p for stem, p in zip(stems, paths, strict=True)]


def _of_files(paths: list[str]) -> Iterator[Assessment]:
    firsts: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in firsts:
            raise InputError(f"one file twice, {firsts[real]} and {path}", "each file once")
        firsts[real] = path
    for path, assessor in zip(paths, assessor_names(paths), strict=True):
        source = Source.of(path)
        found = False
        for assessment in _of_file(source, assessor):
            found = True
            yield assessment
        if not found:
            raise InputError("no assessments", "at least one", source.name)


def _of_file(source: Source, assessor: str) -> Iterator[Assessment]:
    format = recognise(source)
    if format == "json":
        found = read_json(source)
        alone = _depth(found) == 2
        yield from _of_mapping({assessor: found} if alone else found, source.name)
    elif format in ("trec", "ntcir", "early"):
        yield from _of_table(_text_rows(source, format), source.name, assessor)
    else:
        yield from _of_table(_table_rows(source, format), source.name, assessor)


_Rows: TypeAlias = Iterator[tuple[int | None, Mapping[str, Any]]]  # with their lines

_LAYOUTS = {
    "trec": ("topic iteration doc label", "topic doc label"),
    "ntcir": ("topic doc label", "topic doc label class"),
    "early": ("topic label doc relevant",),
}


def _text_rows(source: Source, format: Format) -> _Rows:
    """TREC's four fields, or one of NTCIR's layouts, whatever the labels are; one for all lines."""
    layouts = {len(names.split()): names for names in _LAYOUTS[format]}
    before = ""
    for number, line in text_lines(source):
        fields = fields_of(line, None)
        if len(fields) not in layouts:
            found = f"{counted(len(fields), 'field')} ({line.strip()[:60]!r})"
            expected = ", or ".join(f"{n}: {names}" for n, names in layouts.items())
            raise InputError(found, expected + before, source.name, number)
        names = layouts[len(fields)]
        layouts, before = {len(fields): names}, ", as on the lines before"
        cells = dict(zip(names.split(), fields, strict=True))
        yield number, {name: cells[name] for name in ("topic", "doc", "label")}


def _table_rows(source: Source, format: Format) -> _Rows:
    headed = format in HEADED
    for row in rows(source, format):
        if isinstance(row, InputError):
            raise row
        if not headed:
            yield row
        headed = False


def _of_rows(given: Iterable[Any]) -> _Rows:
    """Tuples (topic, doc, assessor, label), or a mapping for each row of a table."""
    names = ("topic", "doc", "assessor", "label")
    for number, row in enumerate(given, 1):
        if isinstance(row, Mapping):
            yield None, row
        elif isinstance(row, Sequence) and not isinstance(row, str) and len(row) == len(names):
            yield None, dict(zip(names, row, strict=True))
        else:
            raise InputError(f"{row!r} as row {number}", f"({', '.join(names)})", "assessments")


def _of_table(table: _Rows, where: str, assessor: str | None = None) -> Iterator[Assessment]:
    """Rows with names for their cells; without a column for it, all by the same assessor."""
    known: tuple[str, ...] = ()
    ids: dict[str, str] = {}
    rest: list[str] = []
    for line, row in table:
        if tuple(row) != known:
            known = tuple(row)
            ids = _id_columns(known, assessor is None, where, line)
            rest = [
                name
                for name in known
                if name not in ids.values() and name.strip().lower() not in IGNORED
            ]
        topic, doc, *by = (_id(row[ids[name]], name, where, line) for name in ids)
        cells = {name.strip(): row[name] for name in rest}
        yield Assessment(where, line, topic, doc, by[0] if by else assessor or "", cells)


def _id_columns(
    names: Sequence[str], needs_assessor: bool, where: str, line: int | None
) -> dict[str, str]:
    """Our name -> the table's own, for what says who judged what."""
    wanted = {"topic": SPELLINGS["topic"], "doc": SPELLINGS["doc"], "assessor": ASSESSOR}
    found: dict[str, str] = {}
    for ours, spellings in wanted.items():
        theirs = spelt(spellings, names)
        if theirs is not None:
            found[ours] = theirs
        elif ours != "assessor" or needs_assessor:
            expected = f"a column named {ours} (or {', '.join(spellings[1:5])})"
            raise InputError(f"columns {', '.join(names) or '(none)'}", expected, where, line)
    return found


def _of_mapping(data: Any, where: str) -> Iterator[Assessment]:
    """From ``{assessor: {topic: {doc: label}}}``; a label may be a mapping of criteria."""
    if _depth(data) < 3:
        raise InputError("a mapping of another shape", "{assessor: {topic: {doc: label}}}", where)
    for assessor, topics in data.items():
        for topic, docs in _mapping(topics, f"assessor {assessor}", where).items():
            for doc, label in _mapping(docs, f"topic {topic} of {assessor}", where).items():
                yield Assessment(
                    where,
                    None,
                    _id(topic, "topic", where, None),
                    _id(doc, "doc", where, None),
                    _id(assessor, "assessor", where, None),
                    label if isinstance(label, Mapping) else {"label": label},
                )


def _mapping(value: Any, what: str, where: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    expected = "a mapping in {assessor: {topic: {doc: label}}}"
    raise InputError(f"{type(value).__name__} for {what}", expected, where)


def _depth(value: Any) -> int:
    """How many mappings are inside each other, told by the first of each."""
    if not isinstance(value, Mapping):
        return 0
    return 1 + max((_depth(inner) for inner in list(value.values())[:1]), default=0)


def _id(cell: Any, name: str, where: str, line: int | None) -> str:
    """Identifiers are strings; whole numbers are taken as they are written."""
    if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
        raise InputError(f"{name} {cell!r}", "an identifier", where, line)
    return str(cell)
