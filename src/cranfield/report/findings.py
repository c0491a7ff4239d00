"""Tables of the nuggets that systems found in a topic (S-measure)."""

from __future__ import annotations

from cranfield.evaluation.texts import Finding, Findings
from cranfield.tables import ResultTable, bind_rows, build_columns, build_record_table
from cranfield.wording import format_number

NAMES = dict.fromkeys(("system", *Finding._fields))


def build_tables(result: Findings) -> list[ResultTable]:
    """Build one machine-readable table, and one displayed table per system."""
    systems = result.systems.items()
    rows = [{"system": system} | nugget._asdict() for system, rows in systems for nugget in rows]
    return [
        build_record_table("nuggets", rows, NAMES),
        *(_build_system_table(result, name) for name in result.systems),
    ]


def _build_system_table(findings: Findings, system: str) -> ResultTable:
    """Build the table of a system, in the order of the pseudo minimal output."""
    rows = findings.systems[system]
    matched = sum(row.end is not None for row in rows)
    column = bind_rows(rows)
    vital = column("vital string", lambda row: row.vital or "")
    fields = [
        column("nugget", key=True),
        column("weight", text="{:g}".format),
        *build_columns(column, "length", "ideal", text=str),
        column("found", "end", text=str, dtype=float),
        column("share", head=findings.measure),
        *([vital] if any(vital.cell_texts) else []),
    ]
    total = f"{findings.measure} = {format_number(sum(row.share for row in rows))}"
    title = f"{system}, topic {findings.topic}: {matched} of {len(rows)} nuggets"
    return ResultTable(system, fields, total, title, machine_readable=False)
