"""`cranfield topics`: the hardest topics, those that divide or decide, and why runs fail there."""

from __future__ import annotations

import argparse

from cranfield.cli.asked import runs_of
from cranfield.cli.options import call, order, preset, shared, topics
from cranfield.cli.output import output, show
from cranfield.cli.progress import Progress
from cranfield.evaluation.failures import TOP, hard_topics
from cranfield.evaluation.unjudged import MEASURE
from cranfield.report.failures import TABLES

OPTIONS = {
    "qrels QRELS": "judgments",
    "runs RUN *": "results",
    "-m --measure MEASURE …": f"the measure, only one (default: {MEASURE}, or that of --preset)",
    "--top N": f"so many topics are shown (default: {TOP})",
    **topics(),
    **output(TABLES),
    "lists": order(),
    "relevance": {
        **preset("take depth, labels and the first measure from there (`cranfield presets` lists "
                 "all)"),
        **shared("relevance"),
    },
    "diversity": shared("intents", "verticals"),
    "user models": shared("costs"),
    "other": shared("formats", "import", "threads"),
}  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Look at topics and print."""
    runs = runs_of(options.qrels, options.runs)
    with Progress([options.qrels, *options.runs]) as progress:
        found = call(
            hard_topics, options, runs=runs, measure=options.measures, progress=progress.step
        )
    return show(found, options)
