"""`cranfield simulate`: a synthetic test collection as TREC files."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.data.simulate import simulate


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Write a realistic synthetic test collection as TREC files: systems of "
        "different strength, pooled graded judgments, unjudged documents, ties, missing topics.",
    )
    p.add_argument("--topics", type=int, default=50, metavar="N", help="default: 50")
    p.add_argument("--runs", type=int, default=12, metavar="N", help="default: 12")
    p.add_argument(
        "--depth", type=int, default=1000, metavar="N", help="documents a list, default: 1000"
    )
    p.add_argument(
        "--levels", type=int, default=3, metavar="N", help="relevance levels above 0, default: 3"
    )
    p.add_argument(
        "--intents", type=int, default=0, metavar="N", help="up to N intents a topic, from 2"
    )
    p.add_argument("--seed", type=int, default=7, metavar="N", help="default: 7")
    p.add_argument("-o", "--output", required=True, metavar="DIR", help="directory for the files")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Simulate, write, and say what and where."""
    collection = simulate(
        options.topics,
        options.runs,
        options.depth,
        options.levels,
        options.seed,
        intents=options.intents,
    )
    paths = collection.write(options.output)
    judged = sum(map(len, collection.qrels.values()))
    print(
        f"{options.output}: {len(collection.qrels)} topics, {judged} judgments, "
        f"{len(collection.runs)} runs, seed {options.seed} ({len(paths)} files)"
    )
    if options.intents:
        print("judgments for intents: qrels.intents.txt; how probable they are: intents.txt")
    return 0
