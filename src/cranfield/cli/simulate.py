"""`cranfield simulate`: a synthetic test collection as TREC files."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import call
from cranfield.data.simulate import simulate

NUMBERS = {
    "topics": (50, "default: 50"),
    "runs": (12, "default: 12"),
    "depth": (1000, "documents a list, default: 1000"),
    "levels": (3, "relevance levels above 0, default: 3"),
    "intents": (0, "up to N intents a topic, from 2"),
    "seed": (7, "default: 7"),
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    for name, (default, text) in NUMBERS.items():
        p.add_argument(f"--{name}", type=int, default=default, metavar="N", help=text)
    p.add_argument("-o", "--output", required=True, metavar="DIR", help="directory for the files")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Simulate, write, and say what and where."""
    collection = call(simulate, options)
    paths = collection.write(options.output)
    judged = sum(map(len, collection.qrels.values()))
    print(
        f"{options.output}: {len(collection.qrels)} topics, {judged} judgments, "
        f"{len(collection.runs)} runs, seed {options.seed} ({len(paths)} files)"
    )
    if options.intents:
        print("judgments for intents: qrels.intents.txt; how probable they are: intents.txt")
    return 0
