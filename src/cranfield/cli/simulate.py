"""`cranfield simulate`: a synthetic test collection as TREC files."""

from __future__ import annotations

import argparse

from cranfield.cli.options import build_option, call
from cranfield.data.simulate import simulate
from cranfield.wording import escape_unprintable

OPTIONS = {
    "--topics K": "default: 50",
    "--runs K": "default: 12",
    "--depth K": "documents a list, default: 1000",
    "--levels K": "relevance levels above 0, default: 3",
    "--intents K": "up to K intents a topic, from 2",
    "--seed N": build_option("default: 7", default=7),
    "-o --output DIR !": "directory for the files",
}


def run(options: argparse.Namespace) -> int:
    """Simulate, write, and say what and where."""
    collection = call(simulate, options)
    paths = collection.write(options.output)
    judged = sum(map(len, collection.qrels.values()))
    print(
        f"{escape_unprintable(options.output)}: {len(collection.qrels)} topics, {judged} judgments, "
        f"{len(collection.runs)} runs, seed {options.seed} ({len(paths)} files)"
    )
    if options.intents:
        print("judgments for intents: qrels.intents.txt; how probable they are: intents.txt")
    return 0
