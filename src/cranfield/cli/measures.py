"""`cranfield measures`: the registry, listed."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence
from itertools import zip_longest

from cranfield.cli.options import shared
from cranfield.cli.output import output, show
from cranfield.measures.base import FIVE, PROPERTIES, READINGS, REGISTRY, TAKES, Measure
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import aliases_of
from cranfield.measures.parameters import shown
from cranfield.report.formats import FORMATS
from cranfield.report.listing import Listing, with_words

MOST_USED = (
    "nDCG@10", "AP", "P@10", "RR", "Recall@1000", "Success@10", "Rprec", "ERR@20", "Q", "RBP",
    "bpref", "Judged@10",
)  # fmt: skip

OPTIONS = {
    "words WORD *": "such as graded, or ntcir, or rank",
    "--all": "all measures, each with its whole entry",
    **output(formats=("list", *FORMATS)),
    **shared("import"),
}
MORE = """`cranfield measures --all` lists all.
`cranfield measures graded` lists those with a word in their entry (intents, ntcir, rank, …).
`cranfield explain nDCG@10` tells the formula, the parameters, and how a score comes about."""

TOLD = {"epilog": f"Properties: {'; '.join(map(': '.join, PROPERTIES.items()))}."}


def run(options: argparse.Namespace) -> int:
    """List the registry, or how it begins."""
    classes = sorted(REGISTRY.values(), key=lambda c: c.__name__.lower())
    entries = {c: " ".join([c.__name__, *_entry(c)]) for c in classes}
    wanted = with_words("measure", entries, options.words)
    begins = not (options.words or options.all or options.imports)
    lines = _begin() if begins else _listed(wanted, len(classes))
    return show(Listing({"measures": [*map(_row, wanted)]}, lines), options)


def _begin() -> list[str]:
    """A line for each of the measures that are used most, and where to go from there."""
    width = max(map(len, MOST_USED))
    lines = [f"{m!s:<{width}}  {_row(type(m))['does']}" for m in parse_measures(MOST_USED)]
    many = f"These {len(MOST_USED)} of {len(REGISTRY)} measures are used most."
    return [*lines, "", many, MORE]


def _listed(wanted: Sequence[type[Measure]], known: int) -> list[str]:
    """The entries of measures, and how many there are."""
    width = max(len(c.__name__) for c in REGISTRY.values())
    entries = [zip_longest([c.__name__], _entry(c), fillvalue="") for c in wanted]
    lines = [f"{name:<{width}}  {line}" for entry in entries for name, line in entry]
    many = str(known) if len(wanted) == known else f"{len(wanted)} of {known}"
    return [*lines, "", f"{many} measures. `cranfield explain NAME` tells more."]


def _row(c: type[Measure]) -> dict[str, str]:
    """What there is to say of a measure, by the names that its entry and programs have for it."""
    model = c.__name__ in READINGS
    diverse = ", diversity" if c.takes == "intents" else ""
    return {
        "name": c.__name__,
        "does": (inspect.getdoc(c) or "").partition("\n")[0],
        "parameters": ", ".join(f"{f.name}={shown(f.default)}" for f in c.parameters()),
        "scores": f"{c.takes}{diverse} (cranfield {TAKES[c.takes]})" if c.takes != "lists" else "",
        "properties": ", ".join(c.properties),
        "as a user model": ", ".join(f"{c.__name__}.{x}" for x in FIVE) if model else "",
        "also called": ", ".join(aliases_of(c.__name__)),
    }


def _entry(c: type[Measure]) -> list[str]:
    _, does, *facts = _row(c).items()
    return [does[1], *(f"{name}: {fact}" for name, fact in facts if fact)]
