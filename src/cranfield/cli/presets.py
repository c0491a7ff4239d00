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
        *_format_entries(matches, get_terminal_width(options.output)),
        "",
        f"{count} presets. See `cranfield presets NAME`.",
    ]
    if exact_matches:
        lines = [exact_matches[0].text(get_terminal_width(options.output) or WIDTH)]
    listing = Listing({"presets": [*map(_build_row, matches)]}, lines, [*map(asdict, matches)])
    return show(listing, options)


def _format_entries(matches: list[Preset], width: int | None) -> list[str]:
    """Return one line per preset: name, years and task, cut at the width of a terminal."""
    names, years = (max(map(len, texts), default=0) for texts in zip(*((p.name, p.year) for p in matches), strict=True))
    lines = [f"{p.name:{names}}  {p.year:{years}}  {p.task}".rstrip() for p in matches]
    return [line if width is None or len(line) <= width else _cut_line(line, width) for line in lines]


def _cut_line(line: str, width: int) -> str:
    """Return the complete words of a line that fit the width, at least the first."""
    place = line.rfind(" ", 0, width - 1)
    return f"{line[:place].rstrip()} …" if place > 0 else line.split(maxsplit=1)[0]


def _build_row(p: Preset) -> dict[str, str]:
    """Return the cells of a preset, each on one line; measures are as for -m."""
    texts = vars(p) | {"cutoff": str(p.cutoff or ""), "measures": " ".join(p.measures)}
    return {name: " ".join(texts[name].split()) for name in COLUMNS}
