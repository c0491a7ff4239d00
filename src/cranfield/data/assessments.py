"""Labels of several assessors: a file per assessor, or one table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from cranfield.data.reading.cells import (
    Layout,
    detect_layout_format,
    is_plain_file,
    iter_lines,
    read_text_columns,
    read_text_lines,
)
from cranfield.data.reading.columns import SPELLINGS, TOPICS, describe_column, find_spelling
from cranfield.data.reading.formats import JSON, Format
from cranfield.data.reading.lines import Line
from cranfield.data.reading.mappings import read_json
from cranfield.data.reading.source import Source, split_name
from cranfield.data.reading.table import Irregular
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError

AssessmentsLike: TypeAlias = Any  # paths, {assessor: {topic: {doc: label}}}, a frame, or tuples

ASSESSOR = ("assessor", "assessor_id", "rater", "rater_id", "worker", "worker_id", "annotator",
            "annotator_id", "judge", "judge_id", "coder", "user", "user_id")  # fmt: skip
LABEL = ("label", "level", "rating", *SPELLINGS["level"])
IGNORED = SPELLINGS["intent"]  # TREC's second column, if a table has it


IDS = ("topic", "doc", "assessor")


class _Layout(Layout):
    """Layout with id columns. All other columns are labels under their own names."""

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        columns = list(names)
        matches = ((key, find_spelling(spellings, columns)) for key, spellings in self.spellings.items())
        ids = {key: column for key, column in matches if column is not None}
        rest = [name for name in columns if name not in ids.values()]
        return ids | {name: name for name in rest if name.strip().lower() not in IGNORED}

    def describe_missing(self, columns: Mapping[str, str]) -> str:
        missing = (name for name in self.required if name not in columns)
        return next((describe_column(name, self.spellings[name], 4) for name in missing), "")


MANY_ASSESSORS = _Layout(
    ((*IDS, "label"),),
    IDS,
    {"topic": TOPICS, "doc": SPELLINGS["doc"], "assessor": ASSESSOR},
    wide=True,
)
ONE_ASSESSOR = replace(MANY_ASSESSORS, required=IDS[:2])


class Assessment(NamedTuple):
    """Labels of one assessor for one document: a cell for each column that is no id."""

    where: str
    line: int | None  # None if the data have no lines
    topic: str
    doc: str
    assessor: str
    cells: Mapping[str, Any]


def iterate_assessments(data: AssessmentsLike, columns: Mapping[str, str] | None = None) -> Iterator[Assessment]:
    """Yield the assessments of one or several files, a mapping, a frame or rows.

    `columns` maps topic, doc and assessor to the column names of a table.

    >>> next(iterate_assessments([("301", "d1", "ann", "A")]))[2:]
    ('301', 'd1', 'ann', {'label': 'A'})
    """
    if isinstance(data, Mapping):
        return _build_assessments(_read_mapping(data, "assessments"))
    if isinstance(data, str | os.PathLike):
        data = [data]
    if isinstance(data, Iterable) and not (is_frame(data) or isinstance(data, bytes)):
        data = list(data)
        if data and all(isinstance(item, str | os.PathLike) for item in data):
            return _read_files([os.fspath(path) for path in data], _apply_column_names(ONE_ASSESSOR, columns))
    return _build_assessments(iter_lines(data, _apply_column_names(MANY_ASSESSORS, columns), "assessments"))


class AssessmentColumns(NamedTuple):
    """Assessments of a file as columns."""

    where: str
    assessors: list[str]
    topics: list[str]
    docs: list[str]
    names: tuple[str, ...]  # of the label columns
    cells: list[tuple[str, ...]]  # of the label columns, row by row


def read_assessment_columns(data: AssessmentsLike, columns: Mapping[str, str]) -> list[AssessmentColumns]:
    """Read text files and tables as columns. Raise Irregular for any other input."""
    paths = [data] if isinstance(data, str | os.PathLike) else data
    is_collection = isinstance(paths, list | tuple) and len(paths) > 0
    if not is_collection or not all(map(is_plain_file, paths)):
        raise Irregular
    names = [os.fspath(path) for path in paths]
    if len({*map(os.path.realpath, names)}) < len(names):
        raise Irregular
    layout = _apply_column_names(ONE_ASSESSOR, columns)
    return [_read_file_columns(*named_path, layout) for named_path in zip(names, name_assessors(names), strict=True)]


def _read_file_columns(path: str, assessor: str, layout: _Layout) -> AssessmentColumns:
    source = Source.from_path(path)
    format = detect_layout_format(source, layout)
    columns: Mapping[str, list[str]]
    if format.tabular is not None and format.tabular.read_cells is not None:
        cells = format.tabular.read_cells(source)
        columns = {key: cells[spelling] for key, spelling in layout.resolve_columns(cells).items()}
    else:
        text = read_text_columns(source, _build_text_layout(format))
        columns = {name: text[name].tolist() for name in (*IDS[:2], "label")}
    if not columns.keys() >= {*IDS[:2]} or not all(all(columns[i]) for i in IDS if i in columns):
        raise Irregular  # a column is missing, or an identifier
    topics, docs = (columns[name] for name in IDS[:2])
    other_columns = {name.strip(): column for name, column in columns.items() if name not in IDS}
    assessors = columns.get("assessor", [assessor] * len(topics))
    rows = list(zip(*other_columns.values(), strict=True)) or [()] * len(topics)
    return AssessmentColumns(source.name, assessors, topics, docs, tuple(other_columns), rows)


def _apply_column_names(layout: _Layout, columns: Mapping[str, str] | None) -> _Layout:
    """Return the layout for tables with these column names."""
    spellings = {key: (column.lower(),) for key, column in (columns or {}).items()}
    return replace(layout, spellings={**layout.spellings, **spellings})


def name_assessors(paths: Sequence[str]) -> list[str]:
    """Return the assessor of each file: its stem, or its path if stems clash.

    >>> name_assessors(["a/ann.txt", "a/bob.txt.gz"]), name_assessors(["a/1.txt", "b/1.txt"])
    (['ann', 'bob'], ['a/1.txt', 'b/1.txt'])
    """
    stems = ["standard input" if path == "-" else split_name(path)[0] for path in paths]
    clashing = Counter(stems)
    return [stem if clashing[stem] == 1 else p for stem, p in zip(stems, paths, strict=True)]


def _read_files(paths: list[str], layout: _Layout) -> Iterator[Assessment]:
    firsts: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in firsts:
            raise InputError.from_problem(f"{firsts[real]} and {path} are the same file")
        firsts[real] = path
    for path, assessor in zip(paths, name_assessors(paths), strict=True):
        source = Source.from_path(path)
        has_lines = False
        for assessment in _read_file(source, assessor, layout):
            has_lines = True
            yield assessment
        if not has_lines:
            raise InputError.from_problem("no assessments in file", where=source.name)


def _read_file(source: Source, assessor: str, layout: _Layout) -> Iterator[Assessment]:
    format = detect_layout_format(source, layout)
    if format is JSON:
        data = read_json(source)
        is_single = _count_depth(data) == 2
        return _build_assessments(_read_mapping({assessor: data} if is_single else data, source.name))
    if format.tabular is not None:
        return _build_assessments(iter_lines(source, layout, source.name), assessor)
    return _build_assessments(_read_text(source, format), assessor)


def _build_assessments(lines: Iterable[Line], assessor: str = "") -> Iterator[Assessment]:
    """Yield an assessment per line. Lines without an assessor get the default one."""
    for line in lines:
        ids = {name: line.get_name(name) for name in IDS if name in line.cells}
        cells = {name.strip(): cell for name, cell in line.cells.items() if name not in IDS}
        rater = ids.get("assessor", assessor)
        yield Assessment(line.location, line.number, ids["topic"], ids["doc"], rater, cells)


FORMS = {  # of lines of text, with any labels
    "trec": (("topic", "iteration", "doc", "label"), ("topic", "doc", "label")),
    "ntcir": (("topic", "doc", "label"), ("topic", "doc", "label", "class")),
    "early": (("topic", "label", "doc", "relevant"),),
}


def _read_text(source: Source, format: Format) -> Iterator[Line]:
    """Yield lines with TREC's four fields, or in one of NTCIR's forms."""
    for line in read_text_lines(source, _build_text_layout(format)):
        yield line._replace(cells={name: line.cells[name] for name in (*IDS[:2], "label")})


def _build_text_layout(format: Format) -> _Layout:
    forms = FORMS.get(format.name, FORMS["trec"])
    return replace(ONE_ASSESSOR, forms=forms, uniform=True, uniform_note=", as on the lines before")


def _read_mapping(data: Any, location: str) -> Iterator[Line]:
    """Yield the lines of ``{assessor: {topic: {doc: label}}}``.

    A label may be a mapping of criteria.
    """
    if _count_depth(data) < 3:
        raise InputError("a mapping with another structure", "{assessor: {topic: {doc: label}}}", location)
    for assessor, topics in data.items():
        for topic, docs in _require_mapping(topics, f"assessor {assessor}", location).items():
            for doc, label in _require_mapping(docs, f"topic {topic} of {assessor}", location).items():
                ids = dict(zip(IDS, (topic, doc, assessor), strict=True))
                criteria = label if isinstance(label, Mapping) else {"label": label}
                yield Line(location, None, {**criteria, **ids})


def _require_mapping(value: Any, owner: str, location: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    expected = "a mapping in {assessor: {topic: {doc: label}}}"
    raise InputError(f"{type(value).__name__} for {owner}", expected, location)


def _count_depth(value: Any) -> int:
    """Return the nesting depth of a mapping, following the first value of each level."""
    if not isinstance(value, Mapping):
        return 0
    return 1 + max((_count_depth(inner) for inner in list(value.values())[:1]), default=0)
