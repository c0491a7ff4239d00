"""`cranfield presets`: what tasks evaluate with, listed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cranfield.cli.options import declare
from cranfield.cli.output import add_output, show, terminal_width, write
from cranfield.errors import CranfieldError
from cranfield.evaluation.presets import WIDTH, Preset, presets
from cranfield.report.formats import FORMATS
from cranfield.report.listing import Listing
from cranfield.wording import folded

ROWS = {
    "words WORD *": "such as web, or Q, or ntcir6-clir",
    "--presets FILE": "a TOML file with presets of your own",
}
MORE = "`cranfield presets NAME` tells more."
COLUMNS = ("name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures")


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="All presets, with their levels, gains and measures; those in whose entry "
        "every WORD occurs; or one, in full, by its name.",
    )
    declare(p, ROWS)
    add_output(p, formats=("list", *FORMATS), default="list")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the presets."""
    known = presets(options.presets)
    named = [p for p in known.values() if options.words in ([x] for x in (p.name, *p.aliases))]
    wanted = named or _with_words([*known.values()], options.words)
    if options.format == "markdown":
        from cranfield.report.presets import markdown

        write(markdown(wanted), options.output)
        return 0
    width = terminal_width(options.output)
    many = f"{len(wanted)} of {len(known)}" if options.words else str(len(known))
    lines = [*(_entry(p, width) for p in wanted), "", f"{many} presets. {MORE}"]
    if named:
        lines = [named[0].text(width or WIDTH)]
    rows = [*map(_row, wanted)]
    return show(Listing({"presets": rows}, lines, [*map(asdict, wanted)]), options)


def _with_words(known: Sequence[Preset], words: Sequence[str]) -> list[Preset]:
    """Those in whose entry every word occurs."""
    wanted = [p for p in known if all(word.lower() in str(p).lower() for word in words)]
    if not wanted:
        raise CranfieldError(f"found no preset with {' '.join(words)!r} in its entry")
    return wanted


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


def _row(p: Preset) -> dict[str, str]:
    """The cells of a preset, each on one line; measures are as -m takes them."""
    texts = vars(p) | {"cutoff": str(p.cutoff or ""), "measures": " ".join(p.measures)}
    return {name: " ".join(texts[name].split()) for name in COLUMNS}
