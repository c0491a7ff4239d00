"""`cranfield presets`: what tasks evaluate with, listed."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cranfield.cli.options import PRESETS
from cranfield.cli.output import output, show, terminal_width
from cranfield.evaluation.presets import WIDTH, Preset, presets
from cranfield.report.formats import FORMATS
from cranfield.report.listing import Listing, with_words

OPTIONS = {
    "words WORD *": "such as web, or Q, or ntcir6-clir",
    "--presets FILE": PRESETS,
    **output(formats=("list", *FORMATS)),
}
COLUMNS = ("name", "task", "round", "year", "section", "levels", "gains", "cutoff", "measures")


def run(options: argparse.Namespace) -> int:
    """List the presets."""
    known = presets(options.presets)
    named = [p for p in known.values() if options.words in ([x] for x in (p.name, *p.aliases))]
    entries = {name: str(p) for name, p in known.items()}
    wanted = named or [known[name] for name in with_words("preset", entries, options.words)]
    many = f"{len(wanted)} of {len(known)}" if options.words else str(len(known))
    lines = [*map(_entry, wanted), "", f"{many} presets. `cranfield presets NAME` tells more."]
    if named:
        lines = [named[0].text(terminal_width(options.output) or WIDTH)]
    found = Listing({"presets": [*map(_row, wanted)]}, lines, [*map(asdict, wanted)])
    return show(found, options)


def _entry(p: Preset) -> str:
    """The name and a line for each fact."""
    facts = dict(reversed(p.facts()))  # a setting may be called as what comes before it
    when = [f"{name} {facts[name]}" for name in ("round", "year", "section") if name in facts]
    first = "; ".join(filter(None, (p.task, ", ".join(when))))
    names = ("levels", "gains", "cutoff", "measures")
    rest = [f"{name}: {facts[name]}" for name in names if name in facts]
    lines = [f"  {line}" for line in (first, *rest) if line]
    return "\n".join([p.name, *lines])


def _row(p: Preset) -> dict[str, str]:
    """The cells of a preset, each on one line; measures are as -m takes them."""
    texts = vars(p) | {"cutoff": str(p.cutoff or ""), "measures": " ".join(p.measures)}
    return {name: " ".join(texts[name].split()) for name in COLUMNS}
