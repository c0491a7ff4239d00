"""`cranfield label`: what a run found, label by label, next to what it missed."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.asked import labelling_of, preset_of, runs_of, topics_of
from cranfield.cli.options import (
    LABELS,
    NUMBER,
    TOPICS,
    add_order,
    add_preset,
    add_shared,
    call,
    declare,
)
from cranfield.cli.output import add_output, show
from cranfield.evaluation.listing import label
from cranfield.report.formats import FORMATS

FILES = {
    "qrels QRELS": "judgments",
    "runs RUN *": "results; of each topic all are shown",
    TOPICS: "101,102, or @FILE with topics; common: those that every run answers; may be repeated "
    "(default: judged, all of them)",
}
JUDGED = {"--rel N": "lowest relevant level (default: all above 0)", **LABELS}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, FILES)
    add_output(p, formats=("text", *FORMATS), default="text")
    add_order(p.add_argument_group("lists"))
    other = p.add_argument_group("judgments and files")
    declare(other, JUDGED, rel=NUMBER)
    add_preset(other, "take depth and labels from there (`cranfield presets` lists all)")
    add_shared(other, "formats")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Label and print."""
    lists = call(
        label,
        options,
        runs=runs_of(options),
        topics=topics_of(options),
        labelling=labelling_of(options),
        preset=preset_of(options),
    )
    return show(lists, options)
