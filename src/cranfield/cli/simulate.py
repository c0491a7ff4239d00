"""`cranfield simulate`: a synthetic test collection as TREC files."""

from __future__ import annotations

import argparse

from cranfield.cli.options import call
from cranfield.data.simulate import simulate
from cranfield.options import option
from cranfield.wording import escape_unprintable

OPTIONS = (
    option("--topics", "K", "topics (default: 50)", value="integer"),
    option("--runs", "K", "runs (default: 12)", value="integer"),
    option("--depth", "K", "documents of each ranking (default: 1000)", value="integer"),
    option("--levels", "K", "relevance levels above 0 (default: 3)", value="integer"),
    option("--intents", "K", "intents of each topic: 2 to K (default: none)", value="integer"),
    option("--seed", "N", "seed of the random numbers (default: 7)", value="integer", default=7),
    option("-o --output", "DIR", "directory for the files", required=True),
)


def run(options: argparse.Namespace) -> int:
    """Simulate a collection, write it, and print a summary."""
    collection = call(simulate, options)
    paths = collection.write(options.output)
    judged = sum(map(len, collection.qrels.values()))
    print(
        f"{escape_unprintable(options.output)}: {len(collection.qrels)} topics, "
        f"{judged} judgments, {len(collection.runs)} runs, seed {options.seed} "
        f"({len(paths)} files)"
    )
    if options.intents:
        print("judgments for intents: qrels.intents.txt; probabilities of intents: intents.txt")
    return 0
