"""`cranfield label`: what a run found, label by label, and what it missed."""

from __future__ import annotations

import argparse

from cranfield.cli.asked import runs_of
from cranfield.cli.options import LABELS, call, order, preset, shared, topics
from cranfield.cli.output import output, show
from cranfield.evaluation.listing import label
from cranfield.report.formats import FORMATS

OPTIONS = {
    "qrels QRELS": "judgments",
    "runs RUN *": "results; of each topic all are shown",
    **topics(),
    **output(formats=(*FORMATS, "text")),
    "lists": order(),
    "judgments and files": {
        "--rel N": "lowest relevant level (default: all above 0)",
        **LABELS,
        **preset("take depth and labels from there (`cranfield presets` lists all)"),
        **shared("formats", "threads"),
    },
}


def run(options: argparse.Namespace) -> int:
    """Label and print."""
    return show(call(label, options, runs=runs_of(options.qrels, options.runs)), options)
