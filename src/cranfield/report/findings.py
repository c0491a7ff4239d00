"""Which nuggets of a topic were found, where, and what they add to S-measure."""

from __future__ import annotations

from cranfield.evaluation.texts import Finding, Findings
from cranfield.report.sheets import Field, Sheet
from cranfield.wording import rounded


def sheets(found: Findings) -> list[Sheet]:
    """For programs all nuggets of all systems; for people a table for each system."""
    rows = [(system, one) for system, rows in found.systems.items() for one in rows]
    values = [Field("system", [system for system, _ in rows], people=False)]
    values += [
        Field(name, [getattr(one, name) for _, one in rows], people=False)
        for name in Finding._fields
    ]
    return [Sheet("nuggets", values), *(_system(found, name) for name in found.systems)]


def _system(found: Findings, system: str) -> Sheet:
    """The nuggets in the order of the pseudo minimal output."""
    rows = found.systems[system]
    there = sum(row.end is not None for row in rows)
    texts = {
        "weight": [f"{row.weight:g}" for row in rows],
        "length": [str(row.length) for row in rows],
        "ideal": [str(row.ideal) for row in rows],
        "found": ["–" if row.end is None else str(row.end) for row in rows],
        found.measure: [rounded(row.share) for row in rows],
    }
    fields = [Field("nugget", None, texts=[row.nugget for row in rows], key=True)]
    fields += [Field(name, None, name, column, dtype=float) for name, column in texts.items()]
    if any(row.vital for row in rows):
        fields.append(Field("vital string", None, texts=[row.vital or "" for row in rows]))
    total = f"{found.measure} = {rounded(sum(row.share for row in rows))}"
    title = f"{system}, topic {found.topic}: {there} of {len(rows)} nuggets"
    return Sheet(system, fields, total, title)
