"""Runs of NTCIR's IR4QA tasks: XML with the ranking of each ``<TOPIC ID="…">``.

Documents are the elements with an attribute DOCID. Other attributes are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from cranfield.data.reading.columns import Kind
from cranfield.data.reading.lines import BLANK, format_first_line
from cranfield.data.reading.records import ReadOptions, Record, RecordItem
from cranfield.data.reading.source import Beginning, Source
from cranfield.errors import InputError


def is_xml(source: Source) -> bool:
    """Return True if a run is XML: lines of text start with a topic."""
    return source.start.lstrip().startswith(b"<")


def detect_ir4qa(beginning: Beginning) -> bool:
    """Return True if the file starts like an IR4QA run."""
    if beginning.kind is None:  # a topic of judgments may be called <q1>
        return is_xml(beginning.source) and b"<TOPIC" in beginning.start
    return beginning.kind == "run" and is_xml(beginning.source)


def read_records(source: Source, kind: Kind, text: ReadOptions) -> Iterator[RecordItem]:
    """Yield the documents of a run, which is named by its file."""
    name = os.path.basename(source.path).removesuffix(".xml")
    for topic, docs in _read_topics(source).items():
        yield from (Record(line, topic, doc, None, None, name) for doc, line in docs.items())


def read_ir4qa(source: Source) -> dict[str, list[str]]:
    """Return ``{topic: [doc, …]}`` of a run, in the order of the file."""
    return {topic: list(docs) for topic, docs in _read_topics(source).items()}


def _read_topics(source: Source) -> dict[str, dict[str, int]]:
    """Return ``{topic: {doc: line}}`` of a run, in the order of the file."""
    from xml.parsers import expat

    topics: dict[str, dict[str, int]] = {}
    topic: str | None = None
    parser = expat.ParserCreate()  # xml.etree has no line numbers of elements

    def handle_start(name: str, attributes: dict[str, str]) -> None:
        nonlocal topic
        line = source.get_line_number(parser.CurrentLineNumber)
        if name == "TOPIC":
            topic = attributes.get("ID", "").strip(BLANK)
            if not topic or topic in topics:
                problem = f"duplicate topic {topic!r}" if topic else "<TOPIC> without ID"
                raise InputError.from_problem(problem, "", source.name, line)
            topics[topic] = {}
        elif "DOCID" in attributes:
            doc = attributes["DOCID"].strip(BLANK)
            if topic is None or not doc:
                problem = f"DOCID={doc!r}" + ("" if topic else " outside of topics")
                raise InputError(problem, "the documents of a topic", source.name, line)
            if doc in topics[topic]:
                problem = f"duplicate document {doc!r} in topic {topic}"
                problem += format_first_line(topics[topic][doc])
                raise InputError.from_problem(problem, "", source.name, line)
            topics[topic][doc] = line

    def handle_end(name: str) -> None:
        nonlocal topic
        if name == "TOPIC":
            topic = None

    parser.StartElementHandler = handle_start
    parser.EndElementHandler = handle_end
    try:
        parser.Parse(source.read(), True)
    except expat.ExpatError as error:
        reason, line = expat.ErrorString(error.code), source.get_line_number(error.lineno)
        raise InputError(reason, "well-formed XML", source.name, line) from None
    except (LookupError, ValueError) as error:  # unknown encoding
        raise InputError(str(error), "XML in UTF-8", source.name) from None
    if not any(topics.values()):
        content = "no document" if topics else "no topics"
        expected = '<TOPIC ID="…"> with elements that have a DOCID'
        raise InputError(content, expected, source.name)
    return topics
