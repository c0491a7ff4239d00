"""What was read in sessions, string by string, a table for each session."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from cranfield.evaluation.sessions import Read, TrailText
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Field, Sheet
from cranfield.wording import counted, rounded


def sheets(found: TrailText) -> list[Sheet]:
    """For programs all strings that were read; for people those of each session."""
    values = [
        Field(name, [whole(getattr(one, name)) for one in found], people=False)
        for name in Read._fields
    ]
    sessions = groupby(found, key=lambda one: (one.run, one.session))
    return [Sheet("read", values), *(_session(*key, [*read]) for key, read in sessions)]


def document(found: TrailText) -> list[dict[str, Any]]:
    """All strings that were read."""
    return [one._asdict() for one in found]


def _session(run: str, session: str, read: list[Read]) -> Sheet:
    """One session, a line for each string."""
    documents = sum(one.kind == "document" for one in read)
    text = f"{read[-1].offset:,.0f} characters read in {counted(len(read) - documents, 'snippet')}"
    text += f" and {counted(documents, 'document')}"
    numbers = {
        **{name: [f"{getattr(one, name):.10g}" for one in read] for name in WHERE},
        **{name: [_worth(one, name) for one in read] for name in WORTH},
    }
    fields = [Field(name, None, texts=texts, dtype=float) for name, texts in numbers.items()]
    fields.insert(0, Field("read", None, texts=[one.kind for one in read], key=True))
    if any(one.doc is not None for one in read):
        fields.insert(3, Field("doc", None, texts=[one.doc or "" for one in read]))
    worth = sum(one.contribution for one in read)
    title = f"{run}, session {session}: {text}; U = {rounded(worth)}"
    return Sheet(f"{run} {session}", fields, title=title)


WHERE = ("query", "rank", "length", "offset")
WORTH = ("gain", "decay", "contribution")


def _worth(one: Read, name: str) -> str:
    """What a document is worth; a snippet is worth nothing."""
    return rounded(getattr(one, name)) if one.kind == "document" else ""
