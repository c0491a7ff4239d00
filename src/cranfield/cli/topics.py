"""`cranfield topics`: hard, divisive and decisive topics, and why runs fail there."""

from __future__ import annotations

import argparse

from cranfield.cli.arguments import find_runs
from cranfield.cli.options import (
    build_order_options,
    build_preset_options,
    build_rows,
    build_topic_options,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_output_options, show
from cranfield.cli.progress import Progress
from cranfield.cli.slices import check_slices
from cranfield.evaluation.failures import TABLES, TOP_TOPICS, hard_topics
from cranfield.evaluation.unjudged import MEASURE
from cranfield.options import OptionGroup, argument, option

OPTIONS = (
    argument("qrels", "QRELS", "judgments"),
    argument("runs", "RUN", "results", nargs="*"),
    option(
        "-m --measure",
        "MEASURE",
        f"the measure, only one (default: {MEASURE}, or the measure of --preset)",
        repeat=True,
    ),
    option("--top", "N", f"number of topics to list (default: {TOP_TOPICS})", value="count"),
    *build_topic_options(),
    *build_output_options(TABLES),
    OptionGroup("slices of topics", build_rows("by", "queries")),
    OptionGroup("lists", build_order_options()),
    OptionGroup(
        "relevance",
        (
            *build_preset_options(
                "take depth, labels and the first measure from there (`cranfield presets` lists all)"
            ),
            *get_shared_options("relevance"),
        ),
    ),
    OptionGroup("diversity", get_shared_options("intents", "verticals")),
    OptionGroup("user models", get_shared_options("costs")),
    OptionGroup("other", get_shared_options("formats", "import", "threads")),
)


def run(options: argparse.Namespace) -> int:
    """Find and show the topics."""
    check_slices(options)
    runs = find_runs(options.qrels, options.runs)
    with Progress([options.qrels, *options.runs]) as progress:
        result = call(hard_topics, options, runs=runs, measure=options.measures, progress=progress.update)
    return show(result, options)
