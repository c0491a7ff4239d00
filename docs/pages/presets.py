"""Page of the presets: file format, a table, and a section for each."""

from __future__ import annotations

import inspect

from measures import escape_md, table

from cranfield.evaluation import presets
from cranfield.evaluation.presets import Preset

HEAD = """# Presets

This page is generated from the presets that `--preset` uses.
"""


def page() -> str:
    """Return the page: file format, a table of all presets, and a section for each."""
    every = presets.presets().values()
    head = ["preset", "round", "year", "levels", "gains", "measures", "section"]
    rows = [
        [f"[{p.name}](#{p.name})", p.round, p.year, *map(_escaped, (p.levels, p.gains)),
         ", ".join(f"`{m}`" for m in p.measures), p.section]
        for p in every
    ]  # fmt: skip
    text = "## All\n\n" + "\n".join(table(head, rows))
    how = inspect.cleandoc(presets.__doc__ or "")
    return "\n\n".join([HEAD.strip(), how, text, *map(_section, every)]) + "\n"


def _section(p: Preset) -> str:
    lines = [f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in p.facts() if name != "task"]
    parts = [f"### {p.name}", _escaped(p.task), "\n".join(lines)]
    return "\n\n".join(filter(None, parts))


def _escaped(text: str) -> str:
    return escape_md(text).replace("|", "\\|")
