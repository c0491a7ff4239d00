"""Tables of the text read in sessions: one row per string."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from cranfield.evaluation.sessions import ReadString, TrailText
from cranfield.report.formats.machine_readable import drop_zero_fraction
from cranfield.tables import Field, ResultTable, bind_rows, build_columns, build_record_table
from cranfield.wording import format_count, format_number


def build_tables(result: TrailText) -> list[ResultTable]:
    """Build one machine-readable table, and one displayed table per session."""
    rows = [
        {name: drop_zero_fraction(value) for name, value in row.items()}
        for row in build_document(result)
    ]
    sessions = groupby(result, key=lambda step: (step.run, step.session))
    return [
        build_record_table("read", rows, NAMES),
        *(_build_session_table(*key, [*read]) for key, read in sessions),
    ]


def build_document(result: TrailText) -> list[dict[str, Any]]:
    return [step._asdict() for step in result]


def _build_session_table(run: str, session: str, steps: list[ReadString]) -> ResultTable:
    documents = sum(step.kind == "document" for step in steps)
    snippets = format_count(len(steps) - documents, "snippet")
    text = f"{steps[-1].offset:,.0f} characters read in {snippets}"
    text += f" and {format_count(documents, 'document')}"
    column, short = bind_rows(steps), "{:.10g}".format
    doc = column("doc", lambda step: step.doc or "")
    fields = [
        column("read", "kind", key=True),
        *build_columns(column, "query", "rank", text=short),
        *([doc] if any(doc.cell_texts) else []),
        *build_columns(column, "length", "offset", text=short),
        *(
            Field(x, None, texts=[_format_user_value(step, x) for step in steps], dtype=float)
            for x in USER_COLUMNS
        ),
    ]
    total = sum(step.contribution for step in steps)
    title = f"{run}, session {session}: {text}; U = {format_number(total)}"
    return ResultTable(f"{run} {session}", fields, title=title, machine_readable=False)


NAMES = dict.fromkeys(ReadString._fields)
USER_COLUMNS = ("gain", "decay", "contribution")


def _format_user_value(step: ReadString, name: str) -> str:
    """Format the gain, decay or contribution of a document. Snippets have none."""
    return format_number(getattr(step, name)) if step.kind == "document" else ""
