"""`cranfield measures`: the registry, listed."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from cranfield.cli.explain import aliases_of
from cranfield.measures.base import REGISTRY, shown


def add_to(commands: Any) -> None:
    """Declare the command."""
    p = commands.add_parser(
        "measures",
        help="list all measures",
        description="All measures, their parameters and what other tools call them.",
    )
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the registry."""
    classes = sorted(REGISTRY.values(), key=lambda c: c.__name__.lower())
    width = max(len(c.__name__) for c in classes)
    for c in classes:
        first = (inspect.getdoc(c) or "").partition("\n")[0]
        print(f"{c.__name__:<{width}}  {first}")
        own = ", ".join(f"{f.name}={shown(f.default)}" for f in c.parameters())
        print(f"{'':<{width}}  parameters: {own}")
        if aliases := aliases_of(c):
            print(f"{'':<{width}}  also called: {', '.join(aliases)}")
    print(f"\n{len(classes)} measures. `cranfield explain NAME` tells more.")
    return 0
