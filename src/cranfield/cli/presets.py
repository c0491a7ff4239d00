"""`cranfield presets`: list the presets."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cranfield.cli.options import PRESETS
from cranfield.cli.output import build_output_options, get_terminal_width, show
from cranfield.evaluation.presets import WIDTH, Preset, presets
from cranfield.options import argument, option
from cranfield.report.formats import FORMATS
from cranfield.report.listing import Listing, find_entries

OPTIONS = (
    argument("words", "WORD", "such as web, or Q, or ntcir6-clir", nargs="*"),
    option("--presets", "FILE", PRESETS),
    *build_output_options(formats=("list", *FORMATS)),
)
COLUMNS = ("name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures")


def run(options: argparse.Namespace) -> int:
    """List the presets."""
    all_presets = presets(options.presets)
    exact_matches = [p for p in all_presets.values() if options.words in ([x] for x in (p.name, *p.aliases))]
    entries = {name: str(p) for name, p in all_presets.items()}
    matches = exact_matches or [all_presets[name] for name in find_entries("preset", entries, options.words)]
    count = f"{len(matches)} of {len(all_presets)}" if options.words else str(len(all_presets))
    lines = [
        *map(_format_entry, matches),
        "",
        f"{count} presets. See `cranfield presets NAME`.",
    ]
    if exact_matches:
        lines = [exact_matches[0].text(get_terminal_width(options.output) or WIDTH)]
    listing = Listing({"presets": [*map(_build_row, matches)]}, lines, [*map(asdict, matches)])
    return show(listing, options)


def _format_entry(p: Preset) -> str:
    """Format the name, and a line per fact."""
    facts = dict(reversed(p.facts()))  # a setting may be called as what comes before it
    when = [f"{name} {facts[name]}" for name in ("round", "year", "section") if name in facts]
    first = "; ".join(filter(None, (p.task, ", ".join(when))))
    names = ("levels", "gains", "cutoff", "measures")
    rest = [f"{name}: {facts[name]}" for name in names if name in facts]
    lines = [f"  {line}" for line in (first, *rest) if line]
    return "\n".join([p.name, *lines])


def _build_row(p: Preset) -> dict[str, str]:
    """Return the cells of a preset, each on one line; measures are as for -m."""
    texts = vars(p) | {"cutoff": str(p.cutoff or ""), "measures": " ".join(p.measures)}
    return {name: " ".join(texts[name].split()) for name in COLUMNS}
