"""`cranfield measures`: the registry, listed."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from cranfield.cli.options import add_shared, declare
from cranfield.errors import CranfieldError
from cranfield.measures.base import FIVE, PROPERTIES, READINGS, REGISTRY, TAKES, Measure
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import aliases_of
from cranfield.measures.parameters import shown

MOST_USED = (
    "nDCG@10", "AP", "P@10", "RR", "Recall@1000", "Success@10", "Rprec", "ERR@20", "Q", "RBP",
    "bpref", "Judged@10",
)  # fmt: skip

OPTIONS = {
    "words WORD *": "such as graded, or ntcir, or rank",
    "--all": "all measures, each with its whole entry",
    "-f --format": "a list (default), or the whole catalogue as a Markdown page",
}
MORE = """`cranfield measures --all` lists all.
`cranfield measures graded` lists those with a word in their entry (intents, ntcir, rank, …).
`cranfield explain nDCG@10` tells the formula, the parameters, and how a score comes about."""


def add_to(command: Any) -> None:
    """Declare the command."""
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in PROPERTIES.items())
    p = command(epilog=f"Properties: {meanings}.")
    declare(p, OPTIONS, format={"choices": ("list", "markdown"), "default": "list"})
    add_shared(p, "import")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the registry, or how it begins."""
    if not (options.words or options.all or options.imports) and options.format == "list":
        return _begin()
    words = [word.lower() for word in options.words]
    classes = sorted(REGISTRY.values(), key=lambda c: c.__name__.lower())
    wanted = [c for c in classes if _has(c, words)]
    if not wanted:
        raise CranfieldError(f"found no measure with {' '.join(options.words)!r} in its entry")
    if options.format == "markdown":
        from cranfield.report.catalogue import markdown

        print(markdown([c for c in REGISTRY.values() if c in wanted]), end="")
        return 0
    width = max(len(c.__name__) for c in classes)
    for c in wanted:
        _print(c, width)
    many = f"{len(wanted)} of {len(classes)}" if options.words else str(len(classes))
    print(f"\n{many} measures. `cranfield explain NAME` tells more.")
    return 0


def _begin() -> int:
    """A line for each of the measures that are used most, and where to go from there."""
    width = max(map(len, MOST_USED))
    for m in parse_measures(MOST_USED):
        print(f"{m!s:<{width}}  {_entry(type(m))[0]}")
    print(f"\nThese {len(MOST_USED)} of {len(REGISTRY)} measures are used most.\n{MORE}")
    return 0


def _print(c: type[Measure], width: int) -> None:
    for name, line in zip_longest([c.__name__], _entry(c), fillvalue=""):
        print(f"{name:<{width}}  {line}")


def _has(c: type[Measure], words: Sequence[str]) -> bool:
    """Whether every word occurs in an entry."""
    text = " ".join([c.__name__, *_entry(c)]).lower()
    return all(word in text for word in words)


def _entry(c: type[Measure]) -> list[str]:
    lines = [(inspect.getdoc(c) or "").partition("\n")[0]]
    own = ", ".join(f"{f.name}={shown(f.default)}" for f in c.parameters())
    lines += [f"parameters: {own}"] if own else []
    if c.takes != "lists":
        diverse = ", diversity" if c.takes == "intents" else ""
        lines.append(f"scores: {c.takes}{diverse} (cranfield {TAKES[c.takes]})")
    if c.properties:
        lines.append(f"properties: {', '.join(c.properties)}")
    if c.__name__ in READINGS:
        lines.append(f"as a user model: {', '.join(f'{c.__name__}.{x}' for x in FIVE)}")
    if aliases := aliases_of(c.__name__):
        lines.append(f"also called: {', '.join(aliases)}")
    return lines
