"""What was read in sessions, string by string, a table for each session."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from cranfield.evaluation.sessions import Read, TrailText
from cranfield.report.formats.programs import whole
from cranfield.report.sheets import Field, Sheet, columns, each, listed
from cranfield.wording import counted, rounded


def sheets(found: TrailText) -> list[Sheet]:
    """For programs all strings that were read; for people those of each session."""
    rows = [{name: whole(value) for name, value in row.items()} for row in document(found)]
    sessions = groupby(found, key=lambda one: (one.run, one.session))
    return [listed("read", rows, NAMES), *(_session(*key, [*read]) for key, read in sessions)]


def document(found: TrailText) -> list[dict[str, Any]]:
    """All strings that were read."""
    return [one._asdict() for one in found]


def _session(run: str, session: str, read: list[Read]) -> Sheet:
    """One session, a line for each string."""
    documents = sum(one.kind == "document" for one in read)
    text = f"{read[-1].offset:,.0f} characters read in {counted(len(read) - documents, 'snippet')}"
    text += f" and {counted(documents, 'document')}"
    of, short = columns(read), "{:.10g}".format
    doc = of("doc", lambda one: one.doc or "")
    fields = [
        of("read", "kind", key=True),
        *each(of, "query", "rank", text=short),
        *([doc] if any(doc.shown) else []),
        *each(of, "length", "offset", text=short),
        *(Field(x, None, texts=[_worth(one, x) for one in read], dtype=float) for x in WORTH),
    ]
    worth = sum(one.contribution for one in read)
    title = f"{run}, session {session}: {text}; U = {rounded(worth)}"
    return Sheet(f"{run} {session}", fields, title=title, programs=False)


NAMES = dict.fromkeys(Read._fields)
WORTH = ("gain", "decay", "contribution")


def _worth(one: Read, name: str) -> str:
    """What a document is worth; a snippet is worth nothing."""
    return rounded(getattr(one, name)) if one.kind == "document" else ""
