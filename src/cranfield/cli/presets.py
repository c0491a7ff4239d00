"""`cranfield presets`: what tasks evaluate with, listed."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from cranfield.cli.output import terminal_width
from cranfield.errors import CranfieldError
from cranfield.evaluation.presets import WIDTH, Preset, presets, wrapped

COLUMNS = ("name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures")


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="All presets, with their levels, gains and measures; those in whose entry "
        "every WORD occurs; or one, in full, by its name.",
    )
    p.add_argument("words", metavar="WORD", nargs="*", help="such as web, or Q, or ntcir6-clir")
    p.add_argument("--presets", metavar="FILE", help="a TOML file with presets of your own")
    p.add_argument(
        "-f", "--format", choices=("list", "tsv", "json", "markdown"), default="list",
        help="a list (default), a table, all that is known, or the whole page",
    )  # fmt: skip
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
    match options.format:
        case "tsv":
            print("\n".join("\t".join(row) for row in [COLUMNS, *map(_row, wanted)]))
        case "json":
            print(json.dumps([asdict(p) for p in wanted], ensure_ascii=False, indent=2))
        case "markdown":
            from cranfield.report.presets import markdown

            print(markdown(wanted), end="")
        case _ if named:
            print(named[0].text(width or WIDTH))
        case _:
            print("\n".join(_entry(p, width) for p in wanted))
            many = f"{len(wanted)} of {len(known)}" if options.words else str(len(known))
            print(f"\n{many} presets. `cranfield presets NAME` tells more.")
    return 0


def _entry(p: Preset, width: int | None) -> str:
    """The name and a line for each fact; on a terminal, lines that fit."""
    when = {"round": p.round, "year": p.year, "section": p.section}
    facts = {
        "levels": p.levels,
        "gains": p.gains,
        "cutoff": f"l = {p.cutoff}" if p.cutoff else "",
        "measures": ", ".join(p.measures),
    }
    told = ", ".join(f"{name} {text}" for name, text in when.items() if text)
    first = "; ".join(text for text in (p.task, told) if text)
    rest = [f"{name}: {text}" for name, text in facts.items() if text]
    lines = [f"  {line}" for line in (first, *rest) if line]
    return "\n".join([p.name, *(wrapped(line, width, 4) if width else line for line in lines)])


def _row(p: Preset) -> list[str]:
    """The cells of a preset, each on one line; measures are as -m takes them."""
    texts = {
        **{name: getattr(p, name) for name in COLUMNS},
        "cutoff": str(p.cutoff or ""),
        "measures": " ".join(p.measures),
    }
    return [" ".join(text.split()) for text in texts.values()]
