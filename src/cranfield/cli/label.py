"""`cranfield label`: rankings with the label of each document, and missed documents."""

from __future__ import annotations

import argparse

from cranfield.cli.arguments import find_runs
from cranfield.cli.options import (
    LABELS,
    build_order_options,
    build_preset_options,
    build_topic_options,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_output_options, show
from cranfield.evaluation.listing import label
from cranfield.options import OptionGroup, argument, option
from cranfield.report.formats import FORMATS

OPTIONS = (
    argument("qrels", "QRELS", "judgments"),
    argument("runs", "RUN", "runs, all shown for each topic", nargs="*"),
    *build_topic_options(),
    *build_output_options(formats=(*FORMATS, "text")),
    OptionGroup("lists", build_order_options()),
    OptionGroup(
        "judgments and files",
        (
            option("--rel", "N", "lowest relevant level (default: all above 0)", value="number"),
            LABELS,
            *build_preset_options("take depth and labels from there (`cranfield presets` lists all)"),
            *get_shared_options("formats", "threads"),
        ),
    ),
)


def run(options: argparse.Namespace) -> int:
    """Label and print."""
    return show(call(label, options, runs=find_runs(options.qrels, options.runs)), options)
