"""What people read of topics and documents: queries and their slices, titles and texts.

Files are TSV, CSV, JSONL or Parquet (packed or not) whose columns have names, or lines
``topic<TAB>query`` and ``doc<TAB>text``, as MS MARCO has them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, lines_of, where_of
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line, short
from cranfield.data.reading.tables import is_frame
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.wording import some

QueriesLike: TypeAlias = Any  # a path, {topic: query}, {topic: {column: value}}, or a frame
DocsLike: TypeAlias = Any  # a path, {doc: text}, {doc: {"title": …, "text": …}}, or a frame

_OTHER = "."  # stands before the names of columns that are slices


@dataclass(frozen=True)
class _Queries(Layout):
    """A topic, its query, and whatever else there is."""

    def columns(self, names: Iterable[Any]) -> dict[str, str]:
        given = list(names)
        found = super().columns(given)
        others = [name for name in given if name not in found.values()]
        return found | {f"{_OTHER}{name}": name for name in others}


@dataclass(frozen=True)
class _Docs(Layout):
    """A document, and its title, its text or both."""

    def lacking(self, columns: Mapping[str, str]) -> str:
        known = "doc" in columns and ("title" in columns or "text" in columns)
        return "" if known else self.columns_are

    def is_header(self, names: Iterable[Any]) -> bool:
        return not self.lacking(self.columns(names))


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
    line="topic<TAB>query",
    columns_are="a column with topics (qid, query_id, topic, id, …) and one with queries (query, "
    "text, title, question, …); all others are slices",
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
    line="doc<TAB>text, or doc<TAB>title<TAB>text",
    columns_are="a column with documents (docno, doc_id, id, …), and title, text (or contents, "
    "body, abstract, …) or both",
)


@dataclass(frozen=True)
class Query:
    """What a topic asks, and what it is, by column: its language, its length, …"""

    text: str
    slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Doc:
    """What people see of a document."""

    title: str = ""
    text: str = ""


def read_queries(data: QueriesLike) -> dict[str, Query]:
    """The queries of topics, each topic once.

    >>> read_queries({"301": "organised crime"})["301"].text
    'organised crime'
    >>> read_queries([{"qid": "301", "query": "organised crime", "lang": "en"}])["301"].slices
    {'lang': 'en'}
    """
    found: dict[str, Query] = {}
    for line in _lines(data, QUERIES, "queries", ("topic", "query")):
        topic = line.name("topic")
        if topic in found:
            raise line.error(f"topic {topic} again", "each topic once")
        others = {x.removeprefix(_OTHER): v for x, v in line.cells.items() if x[0] == _OTHER}
        slices = {name: _text(line, f"{_OTHER}{name}") for name in others}
        kept = {name: value for name, value in slices.items() if value}
        found[topic] = Query(_text(line, "query"), kept)
    if not found:
        raise InputError("no queries", QUERIES.line, where_of(data, "queries"))
    return found


def read_docs(data: DocsLike, wanted: Collection[str], most: int = 1000) -> dict[str, Doc]:
    """Titles and texts of the documents that are wanted, of each the first `most` characters.

    A file is read line by line: of all others nothing is kept.

    >>> read_docs({"d1": "A first text.", "d2": {"title": "Two"}}, {"d2"})
    {'d2': Doc(title='Two', text='')}
    """
    found: dict[str, Doc] = {}
    left = set(wanted)
    for line in _lines(data, DOCS, "documents", ("doc", "text")):
        doc = line.name("doc")
        if doc in left:
            left.remove(doc)
            parts = (_text(line, name)[:most] for name in ("title", "text"))
            found[doc] = Doc(*parts)
            if not left:
                break
    return found


def refuse_strangers(known: Collection[str], topics: Collection[str], where: str) -> None:
    """Refuse queries of which none is of a topic."""
    if not any(topic in known for topic in topics):
        found = f"queries of none of the topics ({some([*known][:1000], 'query')})"
        raise InputError(found, f"those of {some([*topics], 'topic')}", where)


def _lines(data: Any, layout: Layout, what: str, names: tuple[str, str]) -> Iterator[Line]:
    """The lines of a file, a frame or a mapping from ids to texts, or to columns."""
    if not (isinstance(data, str | os.PathLike | Mapping | list) or is_frame(data)):
        raise InputError(type(data).__name__, f"{what} as a path, a dict or a frame")

    def nested(given: Mapping[Any, Any], where: str) -> Iterator[dict[str, Any]]:
        key, text = names
        for name, value in given.items():
            yield {key: name, **value} if isinstance(value, Mapping) else {key: name, text: value}

    return lines_of(data, layout, what, "\t", nested)


def _text(line: Line, name: str) -> str:
    """What a cell says, in one line; nothing, if it is empty or not there."""
    cell = line.cells.get(name)
    if cell is None:
        return ""
    if isinstance(cell, list | tuple | dict):
        raise line.error(f"{short(repr(cell), False)} as {name.lstrip(_OTHER)}", "text or a number")
    return " ".join(str(cell).split())
