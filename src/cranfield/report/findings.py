"""Which nuggets of a topic were found, where, and what they add to S-measure."""

from __future__ import annotations

from cranfield.evaluation.texts import Finding, Findings
from cranfield.report.sheets import Sheet, columns, each, listed
from cranfield.wording import rounded

NAMES = dict.fromkeys(("system", *Finding._fields))


def sheets(found: Findings) -> list[Sheet]:
    """For programs all nuggets of all systems; for people a table for each system."""
    each_of = found.systems.items()
    rows = [{"system": system} | one._asdict() for system, rows in each_of for one in rows]
    return [listed("nuggets", rows, NAMES), *(_system(found, name) for name in found.systems)]


def _system(found: Findings, system: str) -> Sheet:
    """The nuggets in the order of the pseudo minimal output."""
    rows = found.systems[system]
    there = sum(row.end is not None for row in rows)
    of = columns(rows)
    vital = of("vital string", lambda row: row.vital or "")
    fields = [
        of("nugget", key=True),
        of("weight", text="{:g}".format),
        *each(of, "length", "ideal", text=str),
        of("found", "end", text=str, dtype=float),
        of("share", head=found.measure),
        *([vital] if any(vital.shown) else []),
    ]
    total = f"{found.measure} = {rounded(sum(row.share for row in rows))}"
    title = f"{system}, topic {found.topic}: {there} of {len(rows)} nuggets"
    return Sheet(system, fields, total, title, programs=False)
