"""What several assessors wrote: a file each, or one long table with a column for the assessor."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.cells import (
    Layout,
    columns_of,
    format_of,
    is_plain_file,
    lines_of,
    of_text,
)
from cranfield.data.reading.columns import SPELLINGS, TOPICS, column_named, spelt
from cranfield.data.reading.formats import Format
from cranfield.data.reading.lines import Line
from cranfield.data.reading.source import Source, split_name
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError

AssessmentsLike: TypeAlias = Any  # paths, {assessor: {topic: {doc: label}}}, a frame, or tuples

ASSESSOR = ("assessor", "assessor_id", "rater", "rater_id", "worker", "worker_id", "annotator",
            "annotator_id", "judge", "judge_id", "coder", "user", "user_id")  # fmt: skip
LABEL = ("label", "level", "rating", *SPELLINGS["level"])
IGNORED = SPELLINGS["intent"]  # TREC's second column, where a table has kept it


IDS = ("topic", "doc", "assessor")


class _Layout(Layout):
    """Columns that say who judged what; all others are what was judged, by their own names."""

    def columns(self, names: Iterable[Any]) -> dict[str, str]:
        given = list(names)
        known = ((ours, spelt(spellings, given)) for ours, spellings in self.spellings.items())
        ids = {ours: theirs for ours, theirs in known if theirs is not None}
        rest = [name for name in given if name not in ids.values()]
        return ids | {name: name for name in rest if name.strip().lower() not in IGNORED}

    def lacking(self, columns: Mapping[str, str]) -> str:
        missing = (name for name in self.needed if name not in columns)
        return next((column_named(name, self.spellings[name], 4) for name in missing), "")


SEVERAL = _Layout(  # assessors
    ((*IDS, "label"),),
    IDS,
    {"topic": TOPICS, "doc": SPELLINGS["doc"], "assessor": ASSESSOR},
    wide=True,
)
ONE = replace(SEVERAL, needed=IDS[:2])


class Assessment(NamedTuple):
    """What one assessor wrote about one item: a cell for each column that is not an id."""

    where: str
    line: int | None  # None where there are no lines
    topic: str
    doc: str
    assessor: str
    cells: Mapping[str, Any]


def assessments(
    data: AssessmentsLike, columns: Mapping[str, str] | None = None
) -> Iterator[Assessment]:
    """Everything in a file or several, a mapping, a frame, or rows.

    `columns` are names that columns of tables have: topic, doc, assessor.

    >>> next(assessments([("301", "d1", "ann", "A")]))[2:]
    ('301', 'd1', 'ann', {'label': 'A'})
    """
    if isinstance(data, Mapping):
        return _made(_of_mapping(data, "assessments"))
    if isinstance(data, str | os.PathLike):
        data = [data]
    if isinstance(data, Iterable) and not (is_frame(data) or isinstance(data, bytes)):
        data = list(data)
        if data and all(isinstance(one, str | os.PathLike) for one in data):
            return _of_files([os.fspath(path) for path in data], _called(ONE, columns))
    return _made(lines_of(data, _called(SEVERAL, columns), "assessments"))


class Written(NamedTuple):
    """What assessors wrote in a file, column by column."""

    where: str
    assessors: list[str]
    topics: list[str]
    docs: list[str]
    names: tuple[str, ...]  # of the other columns
    cells: list[tuple[str, ...]]  # and what is in them


def written(data: AssessmentsLike, columns: Mapping[str, str]) -> list[Written]:
    """Text files and tables of text; Irregular if there is anything else, or odd about them."""
    paths = [data] if isinstance(data, str | os.PathLike) else data
    several = isinstance(paths, list | tuple) and len(paths) > 0
    if not several or not all(map(is_plain_file, paths)):
        raise Irregular
    names = [os.fspath(path) for path in paths]
    if len({*map(os.path.realpath, names)}) < len(names):
        raise Irregular
    layout = _called(ONE, columns)
    return [_written(*of, layout) for of in zip(names, assessor_names(names), strict=True)]


def _written(path: str, assessor: str, layout: _Layout) -> Written:
    source = Source.of(path)
    format = format_of(source, layout)
    found: Mapping[str, list[str]]
    if format.rows is not None and format.rows.cells is not None:
        cells = format.rows.cells(source)
        found = {ours: cells[theirs] for ours, theirs in layout.columns(cells).items()}
    else:
        text = columns_of(source, _text_layout(format))
        found = {name: text[name].tolist() for name in (*IDS[:2], "label")}
    if not found.keys() >= {*IDS[:2]} or not all(all(found[i]) for i in IDS if i in found):
        raise Irregular  # a column is missing, or an identifier
    topics, docs = (found[name] for name in IDS[:2])
    others = {name.strip(): column for name, column in found.items() if name not in IDS}
    by = found.get("assessor", [assessor] * len(topics))
    rows = list(zip(*others.values(), strict=True)) or [()] * len(topics)
    return Written(source.name, by, topics, docs, tuple(others), rows)


def _called(layout: _Layout, columns: Mapping[str, str] | None) -> _Layout:
    """The layout of tables whose columns have these names."""
    own = {ours: (theirs.lower(),) for ours, theirs in (columns or {}).items()}
    return replace(layout, spellings={**layout.spellings, **own})


def assessor_names(paths: Sequence[str]) -> list[str]:
    """Who wrote each file: its name without directory and suffix, or all of it where two clash.

    >>> assessor_names(["a/ann.txt", "a/bob.txt.gz"]), assessor_names(["a/1.txt", "b/1.txt"])
    (['ann', 'bob'], ['a/1.txt', 'b/1.txt'])
    """
    stems = ["standard input" if path == "-" else split_name(path)[0] for path in paths]
    clashing = Counter(stems)
    return [stem if clashing[stem] == 1 else p for stem, p in zip(stems, paths, strict=True)]


def _of_files(paths: list[str], layout: _Layout) -> Iterator[Assessment]:
    firsts: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in firsts:
            raise InputError(f"one file twice, {firsts[real]} and {path}", "each file once")
        firsts[real] = path
    for path, assessor in zip(paths, assessor_names(paths), strict=True):
        source = Source.of(path)
        found = False
        for assessment in _of_file(source, assessor, layout):
            found = True
            yield assessment
        if not found:
            raise InputError("no assessments", "at least one", source.name)


def _of_file(source: Source, assessor: str, layout: _Layout) -> Iterator[Assessment]:
    format = format_of(source, layout)
    if format.nested is not None:
        found = format.nested(source)
        alone = _depth(found) == 2
        return _made(_of_mapping({assessor: found} if alone else found, source.name))
    if format.rows is not None:
        return _made(lines_of(source, layout, source.name), assessor)
    return _made(_of_text(source, format), assessor)


def _made(lines: Iterable[Line], assessor: str = "") -> Iterator[Assessment]:
    """Assessments from lines; those that name no assessor are by the same one."""
    for line in lines:
        ids = {name: line.name(name) for name in IDS if name in line.cells}
        cells = {name.strip(): cell for name, cell in line.cells.items() if name not in IDS}
        by = ids.get("assessor", assessor)
        yield Assessment(line.where, line.number, ids["topic"], ids["doc"], by, cells)


FORMS = {  # of lines of text, whatever the labels are
    "trec": (("topic", "iteration", "doc", "label"), ("topic", "doc", "label")),
    "ntcir": (("topic", "doc", "label"), ("topic", "doc", "label", "class")),
    "early": (("topic", "label", "doc", "relevant"),),
}


def _of_text(source: Source, format: Format) -> Iterator[Line]:
    """TREC's four fields, or one of NTCIR's forms; one for all lines."""
    for line in of_text(source, _text_layout(format)):
        yield line._replace(cells={name: line.cells[name] for name in (*IDS[:2], "label")})


def _text_layout(format: Format) -> _Layout:
    forms = FORMS.get(format.name, FORMS["trec"])
    return replace(ONE, text=forms, alike=True, before=", as on the lines before")


def _of_mapping(data: Any, where: str) -> Iterator[Line]:
    """From ``{assessor: {topic: {doc: label}}}``; a label may be a mapping of criteria."""
    if _depth(data) < 3:
        raise InputError("a mapping of another shape", "{assessor: {topic: {doc: label}}}", where)
    for assessor, topics in data.items():
        for topic, docs in _mapping(topics, f"assessor {assessor}", where).items():
            for doc, label in _mapping(docs, f"topic {topic} of {assessor}", where).items():
                ids = dict(zip(IDS, (topic, doc, assessor), strict=True))
                criteria = label if isinstance(label, Mapping) else {"label": label}
                yield Line(where, None, {**criteria, **ids})


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
