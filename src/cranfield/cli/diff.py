"""`cranfield diff`: the agreement of two runs, topic by topic."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.options import build_tie_options, build_topics_option, call, get_shared_options
from cranfield.cli.output import build_output_options, show
from cranfield.cli.progress import Progress
from cranfield.cli.scores import MEASURE as MEASURE_HELP
from cranfield.options import OptionGroup, Rows, add_requirement, argument, choice, option, switch
from cranfield.runs.difference import MEASURE, K, diff
from cranfield.runs.difference_tables import TABLES
from cranfield.runs.overlap import P, TieVariant

OPTIONS: Rows = (
    argument("a", "RUN_A", "first run"),
    argument("b", "RUN_B", "second run"),
    option("--qrels", "QRELS", "judgments: also show relevant documents that moved, and differences of -m"),
    option("-m --measure", "MEASURE", f"{MEASURE_HELP} (default: {MEASURE})", repeat=True, requires="qrels"),
    option("--k", "K", f"cutoff of overlap and of documents that entered or left (default: {K})", value="count"),
    option("--p", "P", f"parameter of RBO, between 0 and 1 (default: {P})", value="number"),
    choice(
        "--rbo-ties",
        get_args(TieVariant),
        "RBO of equal scores: order unknown (a, default), not lowered by ties (b), or equal (w)",
    ),
    build_topics_option("judged, common, 101,102 or @FILE; may be repeated (default: all topics of either run)"),
    option("--top", "N", f"number of topics in tables (default: {K})", value="count"),
    switch("--documents", "show all documents that entered, left or moved"),
    *build_output_options(TABLES),
    OptionGroup("lists", build_tie_options()),
    OptionGroup("relevance", add_requirement(get_shared_options("relevance"), "qrels")),
    OptionGroup("other", get_shared_options("formats", "import", "threads")),
)


def run(options: argparse.Namespace) -> int:
    """Compare two runs, and show the tables."""
    files = [file for file in (options.qrels, options.a, options.b) if file is not None]
    with Progress(files) as progress:
        update = None if options.qrels is None else progress.update
        result = call(diff, options, measures=options.measures, progress=update)
    return show(result, options)
