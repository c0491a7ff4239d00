"""The presets as a page: how they are written and what they do, in their own words."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from cranfield.evaluation import presets
from cranfield.evaluation.presets import Preset
from cranfield.report.catalogue import escaped, table

HEAD = """# Presets

Printed by `cranfield presets -f markdown`: what is said here is what `--preset` does.
"""


def markdown(wanted: Sequence[Preset]) -> str:
    """How to write presets, a table of them all, and a section for each."""
    head = ["preset", "round", "year", "levels", "gains", "measures", "section"]
    rows = [
        [f"[{p.name}](#{p.name})", p.round, p.year, *map(_escaped, (p.levels, p.gains)),
         ", ".join(f"`{m}`" for m in p.measures), p.section]
        for p in wanted
    ]  # fmt: skip
    text = "## All\n\n" + "\n".join(table(head, rows))
    how = inspect.cleandoc(presets.__doc__ or "")
    return "\n\n".join([HEAD.strip(), how, text, *map(_section, wanted)]) + "\n"


def _section(p: Preset) -> str:
    lines = [f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in p.facts() if name != "task"]
    parts = [f"### {p.name}", _escaped(p.task), "\n".join(lines)]
    return "\n\n".join(filter(None, parts))


def _escaped(text: str) -> str:
    return escaped(text).replace("|", "\\|")
