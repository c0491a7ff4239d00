"""Texts of topics and documents: queries with their slices, titles and texts.

Files are TSV, CSV, JSONL or Parquet (compressed or not) with named columns, or lines
``topic<TAB>query`` and ``doc<TAB>text``, as in MS MARCO.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, get_location, iter_lines
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line, format_value
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import format_names

QueriesLike: TypeAlias = Any  # a path, {topic: query}, {topic: {column: value}}, or a frame
DocsLike: TypeAlias = Any  # a path, {doc: text}, {doc: {"title": …, "text": …}}, or a frame

_SLICE_PREFIX = "."  # prefix of columns that are slices


@dataclass(frozen=True)
class _Queries(Layout):
    """Topic, query and any other columns."""

    def resolve_columns(self, names: Iterable[Any]) -> dict[str, str]:
        all_columns = list(names)
        columns = super().resolve_columns(all_columns)
        slices = [name for name in all_columns if name not in columns.values()]
        return columns | {f"{_SLICE_PREFIX}{name}": name for name in slices}


@dataclass(frozen=True)
class _Docs(Layout):
    """Document with a title, a text or both."""

    def describe_missing(self, columns: Mapping[str, str]) -> str:
        is_complete = "doc" in columns and ("title" in columns or "text" in columns)
        return "" if is_complete else self.expected_columns

    def has_header(self, names: Iterable[Any]) -> bool:
        return not self.describe_missing(self.resolve_columns(names))


QUERIES = _Queries(
    (("topic", "query"),),
    ("topic", "query"),
    {
        "topic": (
            *(name for name in SPELLINGS["topic"] if name != "query"),
            *("question_id", "number", "num", "_id", "id"),
        ),
        "query": ("query", "query_text", "text", "title", "question", "utterance"),
    },
    verbatim=True,
    table="queries",
    expected_line="topic<TAB>query",
    expected_columns="a column with topics (qid, query_id, topic, id, …) and a column with queries "
    "(query, text, title, question, …)",
)
DOCS = _Docs(
    (("doc", "text"), ("doc", "title", "text")),
    ("doc",),
    {
        "doc": (*SPELLINGS["doc"], "_id", "id"),
        "title": ("title", "headline", "name"),
        "text": ("text", "contents", "content", "body", "abstract", "passage", "snippet"),
    },
    verbatim=True,
    table="docs",
    expected_line="doc<TAB>text, or doc<TAB>title<TAB>text",
    expected_columns="a column with documents (docno, doc_id, id, …), and title, "
    "text (or contents, body, abstract, …) or both",
)


@dataclass(frozen=True)
class Query:
    """Query of a topic. `slices` maps other columns (language, length, …) to values."""

    text: str
    slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Doc:
    """Title and text of a document."""

    title: str = ""
    text: str = ""


def read_queries(data: QueriesLike) -> dict[str, Query]:
    """Read the queries of topics. Raise InputError if a topic is repeated.

    >>> read_queries({"301": "organised crime"})["301"].text
    'organised crime'
    >>> read_queries([{"qid": "301", "query": "organised crime", "lang": "en"}])["301"].slices
    {'lang': 'en'}
    """
    queries: dict[str, Query] = {}
    for line in _read_lines(data, QUERIES, "queries", ("topic", "query")):
        topic = line.get_name("topic")
        if topic in queries:
            raise line.make_duplicate_error(f"topic {topic!r}")
        other_cells = {x.removeprefix(_SLICE_PREFIX): v for x, v in line.cells.items() if x[0] == _SLICE_PREFIX}
        slices = {name: _read_text(line, f"{_SLICE_PREFIX}{name}") for name in other_cells}
        filled = {name: value for name, value in slices.items() if value}
        queries[topic] = Query(_read_text(line, "query"), filled)
    if not queries:
        fix = f"Expected lines: {QUERIES.expected_line}"
        raise InputError.from_problem("no queries in file", fix, get_location(data, "queries"))
    return queries


def read_docs(data: DocsLike, doc_ids: Collection[str], max_length: int = 1000) -> dict[str, Doc]:
    """Read titles and texts of documents, up to `max_length` characters of each.

    A file is read line by line. Other documents are not kept in memory.

    >>> read_docs({"d1": "A first text.", "d2": {"title": "Two"}}, {"d2"})
    {'d2': Doc(title='Two', text='')}
    """
    docs: dict[str, Doc] = {}
    remaining = set(doc_ids)
    for line in _read_lines(data, DOCS, "documents", ("doc", "text")):
        doc = line.get_name("doc")
        if doc in remaining:
            remaining.remove(doc)
            parts = (_read_text(line, name)[:max_length] for name in ("title", "text"))
            docs[doc] = Doc(*parts)
            if not remaining:
                break
    return docs


def check_query_topics(query_topics: Collection[str], topics: Collection[str], location: str) -> None:
    """Raise InputError if no query belongs to one of the topics."""
    if not any(topic in query_topics for topic in topics):
        queries = format_names([*query_topics][:1000], "query")
        problem = f"no query for any of {format_names([*topics], 'topic')}: {queries}"
        raise InputError.from_problem(problem, where=location)


def _read_lines(data: Any, layout: Layout, kind: str, names: tuple[str, str]) -> Iterator[Line]:
    """Yield the lines of a file, a frame or a mapping from ids to texts or columns."""
    if not (isinstance(data, str | os.PathLike | Mapping | list) or is_frame(data)):
        raise InputError(type(data).__name__, f"{kind} as a path, a dict or a frame")

    def flatten(mapping: Mapping[Any, Any], location: str) -> Iterator[dict[str, Any]]:
        key, text = names
        for name, value in mapping.items():
            yield {key: name, **value} if isinstance(value, Mapping) else {key: name, text: value}

    return iter_lines(data, layout, kind, "\t", flatten)


def _read_text(line: Line, name: str) -> str:
    """Return the text of a cell on one line, "" if it is empty or missing."""
    cell = line.cells.get(name)
    if cell is None:
        return ""
    if isinstance(cell, list | tuple | dict):
        raise line.make_error(f"{name.lstrip(_SLICE_PREFIX)} {format_value(cell)}", "text or a number")
    return " ".join(str(cell).split())
