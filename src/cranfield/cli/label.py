"""`cranfield label`: what a run found, label by label, next to what it missed."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.evaluate import (
    add_formats,
    add_order,
    add_preset,
    labelling_of,
    preset_of,
    refuse_inputs,
)
from cranfield.cli.options import add_labels
from cranfield.cli.output import coloured, terminal_width, write
from cranfield.data.ntcir import topic_dirs
from cranfield.errors import InputError
from cranfield.evaluation.labelled import text
from cranfield.evaluation.listing import label
from cranfield.evaluation.options import TIE_CHOICES
from cranfield.report.labelled import FORMATS, render


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Show the lists of runs with the label of each document, next to the relevant "
        "documents that were missed: where to begin when a topic fails.",
    )
    p.add_argument("qrels", metavar="QRELS", help="judgments")
    p.add_argument("runs", metavar="RUN", nargs="*", help="results; of each topic all are shown")
    p.add_argument(
        "--topic", dest="topics", metavar="TOPIC", action="append",
        help="the topic; may be repeated (default: all that are judged)",
    )  # fmt: skip
    p.add_argument("-f", "--format", choices=FORMATS, default="text", help="default: text")
    p.add_argument("-o", "--output", metavar="FILE", help="write to FILE, whole or not at all")
    add_order(p.add_argument_group("lists"), [name for name in TIE_CHOICES if name != "expected"])
    other = p.add_argument_group("judgments and files")
    other.add_argument(
        "--rel", type=float, metavar="N", help="lowest relevant level (default: all above 0)"
    )
    add_labels(other)
    add_preset(other, "take depth and labels from there (`cranfield presets` lists all)")
    add_formats(other)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Label and print."""
    refuse_inputs(options, options.qrels, *options.runs)
    runs = options.runs or topic_dirs.runs(options.qrels.removesuffix("/"))
    if not runs:
        raise InputError("no run", "RUN (or QRELS a directory with runs)")
    names = ("rel", "ties", "depth", "condensed", "exclude_self", "labels", "separator",
             "qrels_format", "run_format")  # fmt: skip
    settings = {name: getattr(options, name) for name in names}
    lists = label(
        options.qrels,
        runs,
        options.topics,
        labelling=labelling_of(options),
        preset=preset_of(options),
        **settings,
    )
    if options.format != "text":
        shown = render(lists, options.format)
    else:
        width = terminal_width(options.output)
        shown = "\n\n".join(text(one, width, coloured(width)) for one in lists) + "\n"
    write(shown, options.output)
    return 0
