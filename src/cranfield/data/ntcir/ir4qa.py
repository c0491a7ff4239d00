"""Runs of NTCIR's IR4QA tasks: XML, with the documents of each ``<TOPIC ID="…">`` in order.

Documents are the elements that have an attribute DOCID, whatever else they say.
"""

from __future__ import annotations

from xml.parsers import expat

from cranfield.data.reading.source import Source
from cranfield.errors import InputError


def is_ir4qa(source: Source) -> bool:
    """Whether a run is XML: lines of text begin with a topic."""
    return source.start.lstrip().startswith(b"<")


def read_ir4qa(source: Source) -> dict[str, list[str]]:
    """``{topic: [doc, …]}`` of a run, in the order of the file."""
    found: dict[str, dict[str, int]] = {}  # documents with their lines
    topic: str | None = None
    parser = expat.ParserCreate()  # xml.etree does not tell the lines of elements

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal topic
        line = parser.CurrentLineNumber
        if name == "TOPIC":
            topic = attributes.get("ID", "").strip()
            if not topic or topic in found:
                what = f"topic {topic} again" if topic else "<TOPIC> without ID"
                raise InputError(what, 'each <TOPIC ID="…"> once', source.name, line)
            found[topic] = {}
        elif "DOCID" in attributes:
            doc = attributes["DOCID"].strip()
            if topic is None or not doc:
                what = f"DOCID={doc!r}" + ("" if topic else " outside of topics")
                raise InputError(what, "the documents of a topic", source.name, line)
            if doc in found[topic]:
                again = f"document {doc} of topic {topic} again (first on line {found[topic][doc]})"
                raise InputError(again, "each document once", source.name, line)
            found[topic][doc] = line

    def end(name: str) -> None:
        nonlocal topic
        if name == "TOPIC":
            topic = None

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(source.read(), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(what, "well-formed XML", source.name, error.lineno) from None
    except (LookupError, ValueError) as error:  # an encoding that the parser does not have
        raise InputError(str(error), "XML in UTF-8", source.name) from None
    if not any(found.values()):
        what = "no document" if found else "no topics"
        expected = '<TOPIC ID="…"> with elements that have a DOCID'
        raise InputError(what, expected, source.name)
    return {topic: list(docs) for topic, docs in found.items()}
