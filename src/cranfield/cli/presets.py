"""`cranfield presets`: what tasks evaluate with, listed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from cranfield.cli.options import declare
from cranfield.cli.output import terminal_width
from cranfield.errors import CranfieldError
from cranfield.evaluation.presets import WIDTH, Preset, presets
from cranfield.report.formats.programs import as_json, rows_as
from cranfield.wording import folded

ROWS = {
    "words WORD *": "such as web, or Q, or ntcir6-clir",
    "--presets FILE": "a TOML file with presets of your own",
    "-f --format": "a list (default), a table, all that is known, or the whole page",
}
COLUMNS = ("name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures")


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="All presets, with their levels, gains and measures; those in whose entry "
        "every WORD occurs; or one, in full, by its name.",
    )
    declare(p, ROWS, format={"choices": ("list", *RENDERERS), "default": "list"})
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the presets."""
    known = presets(options.presets)
    named = [p for p in known.values() if options.words in ([x] for x in (p.name, *p.aliases))]
    wanted = named or [
        p for p in known.values() if all(w.lower() in str(p).lower() for w in options.words)
    ]
    if not wanted:
        raise CranfieldError(f"found no preset with {' '.join(options.words)!r} in its entry")
    width = terminal_width(None)
    if options.format != "list":
        print(RENDERERS[options.format](wanted), end="")
    elif named:
        print(named[0].text(width or WIDTH))
    else:
        print("\n".join(_entry(p, width) for p in wanted))
        many = f"{len(wanted)} of {len(known)}" if options.words else str(len(known))
        print(f"\n{many} presets. `cranfield presets NAME` tells more.")
    return 0


def _page(wanted: Sequence[Preset]) -> str:
    from cranfield.report.presets import markdown

    return markdown(wanted)


RENDERERS: dict[str, Callable[[Sequence[Preset]], str]] = {
    "tsv": lambda wanted: rows_as("tsv", [COLUMNS, *map(_row, wanted)]),
    "json": lambda wanted: as_json([asdict(p) for p in wanted]),
    "markdown": _page,
}


def _entry(p: Preset, width: int | None) -> str:
    """The name and a line for each fact; on a terminal, lines that fit."""
    facts = dict(reversed(p.facts()))  # a setting may be called as what comes before it
    when = [f"{name} {facts[name]}" for name in ("round", "year", "section") if name in facts]
    first = "; ".join(filter(None, (p.task, ", ".join(when))))
    names = ("levels", "gains", "cutoff", "measures")
    rest = [f"{name}: {facts[name]}" for name in names if name in facts]
    lines = [f"  {line}" for line in (first, *rest) if line]
    if width:
        lines = [part for line in lines for part in folded(line, width, 4)]
    return "\n".join([p.name, *lines])


def _row(p: Preset) -> list[str]:
    """The cells of a preset, each on one line; measures are as -m takes them."""
    texts = vars(p) | {"cutoff": str(p.cutoff or ""), "measures": " ".join(p.measures)}
    return [" ".join(texts[name].split()) for name in COLUMNS]
