"""`cranfield measures`: the registry, listed."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence
from itertools import zip_longest

from cranfield.cli.options import get_shared_options
from cranfield.cli.output import build_output_options, show
from cranfield.measures.base import MEASUREMENTS, PROPERTIES, READINGS, REGISTRY, TAKES, Measure
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import list_aliases
from cranfield.measures.parameters import format_value
from cranfield.options import argument, switch
from cranfield.report.formats import FORMATS
from cranfield.report.listing import Listing, find_entries

MOST_USED = (
    "nDCG@10", "AP", "P@10", "RR", "Recall@1000", "Success@10", "Rprec", "ERR@20", "Q", "RBP",
    "bpref", "Judged@10",
)  # fmt: skip

OPTIONS = (
    argument("words", "WORD", "such as graded, or ntcir, or rank", nargs="*"),
    switch("--all", "all measures, each with its whole entry"),
    *build_output_options(formats=("list", *FORMATS)),
    *get_shared_options("import"),
)
MORE = """`cranfield measures --all` lists all.
`cranfield measures graded` lists those with a word in their entry (intents, ntcir, rank, …).
`cranfield explain nDCG@10` tells the formula, the parameters, and how a score comes about."""

HELP_TEXTS = {"epilog": f"Properties: {'; '.join(map(': '.join, PROPERTIES.items()))}."}


def run(options: argparse.Namespace) -> int:
    """List the registry, or its most used measures."""
    classes = sorted(REGISTRY.values(), key=lambda c: c.__name__.lower())
    entries = {c: " ".join([c.__name__, *_format_entry(c)]) for c in classes}
    matches = find_entries("measure", entries, options.words)
    begins = not (options.words or options.all or options.imports)
    lines = _format_overview() if begins else _format_list(matches, len(classes))
    return show(Listing({"measures": [*map(_build_row, matches)]}, lines), options)


def _format_overview() -> list[str]:
    """A line for each of the measures that are used most, and where to go from there."""
    width = max(map(len, MOST_USED))
    lines = [f"{m!s:<{width}}  {_build_row(type(m))['does']}" for m in parse_measures(MOST_USED)]
    summary = f"These {len(MOST_USED)} of {len(REGISTRY)} measures are used most."
    return [*lines, "", summary, MORE]


def _format_list(classes: Sequence[type[Measure]], total: int) -> list[str]:
    """Format the entries of measures and their number."""
    width = max(len(c.__name__) for c in REGISTRY.values())
    entries = [zip_longest([c.__name__], _format_entry(c), fillvalue="") for c in classes]
    lines = [f"{name:<{width}}  {line}" for entry in entries for name, line in entry]
    count = str(total) if len(classes) == total else f"{len(classes)} of {total}"
    return [*lines, "", f"{count} measures. See `cranfield explain NAME`."]


def _build_row(c: type[Measure]) -> dict[str, str]:
    """Return the facts of a measure, by their names in the entry and in JSON."""
    model = c.__name__ in READINGS
    diverse = ", diversity" if c.takes == "intents" else ""
    return {
        "name": c.__name__,
        "does": (inspect.getdoc(c) or "").partition("\n")[0],
        "parameters": ", ".join(f"{f.name}={format_value(f.default)}" for f in c.list_parameters()),
        "scores": f"{c.takes}{diverse} (cranfield {TAKES[c.takes]})" if c.takes != "lists" else "",
        "properties": ", ".join(c.properties),
        "as a user model": ", ".join(f"{c.__name__}.{x}" for x in MEASUREMENTS) if model else "",
        "also called": ", ".join(list_aliases(c.__name__)),
    }


def _format_entry(c: type[Measure]) -> list[str]:
    _, does, *facts = _build_row(c).items()
    return [does[1], *(f"{name}: {fact}" for name, fact in facts if fact)]
