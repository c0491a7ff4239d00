"""`cranfield ntcir_eval`: NTCIREVAL's program, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import count, refuse_two_inputs, separator
from cranfield.cli.output import tell, write
from cranfield.data.records import Text
from cranfield.data.source import Source
from cranfield.data.topic_dirs import read_labelled, read_list, read_rel
from cranfield.scores import Notice
from cranfield.tools.ntcir_eval import Topic, add_options, compute, label, labelled_text, setting_of


def add_to(commands: Any) -> None:
    """Declare the command and its subcommands."""
    p = commands.add_parser(
        "ntcir_eval",
        help="NTCIREVAL's ntcir_eval: label and compute",
        description="A drop-in for NTCIREVAL's ntcir_eval: one topic, one list.",
        epilog="ntcir_eval label -r 1.rel 1.res | ntcir_eval compute -r 1.rel -g 1:2",
    )
    parts = p.add_subparsers(metavar="COMMAND", required=True)
    labels = parts.add_parser(
        "label",
        help="add labels to a ranked list",
        description="Print the items of a ranked list, each with its label where it is judged.",
        allow_abbrev=False,
    )
    labels.add_argument("-j", dest="judged", action="store_true", help="leave out unjudged items")
    labels.add_argument(
        "-ec", dest="classes", action="store_true",
        help="label only the first item of each equivalence class: doc L2 class",
    )  # fmt: skip
    labels.add_argument("-truncate", type=count, metavar="N", help="look at the first N items only")
    _add_files(labels, "a ranked list, an id on each line")
    labels.set_defaults(run=run_label)
    computes = parts.add_parser(
        "compute",
        help="compute measures of a labelled list",
        description="Print the measures of a labelled list. The labels are believed.",
        allow_abbrev=False,
    )
    add_options(computes)
    computes.add_argument(
        "-out", metavar="PREFIX", default="", help="what each line of the output begins with"
    )
    _add_files(computes, "a labelled list, as label prints it")
    computes.set_defaults(run=run_compute)


def _add_files(p: argparse.ArgumentParser, what: str) -> None:
    p.add_argument("-r", required=True, metavar="REL", help="judgments: doc L2 on each line")
    p.add_argument(
        "-sep", type=separator, metavar="S", help="what stands between fields, instead of blanks"
    )
    p.add_argument("list", nargs="?", default="-", metavar="LIST", help=what)


def _files(options: argparse.Namespace) -> tuple[Source, Source]:
    refuse_two_inputs(options.r, options.list)
    return Source.of(options.r), Source.of(options.list)


def run_label(options: argparse.Namespace) -> int:
    """Label a list."""
    rel, ranked = _files(options)
    found = label(
        read_rel(rel, Text(options.sep), options.classes),
        read_list(ranked, options.sep),
        condensed=options.judged,
        classes=options.classes,
        truncate=options.truncate,
    )
    write(labelled_text(found, options.sep or " ", options.classes), None)
    return 0


def run_compute(options: argparse.Namespace) -> int:
    """Compute the measures of a labelled list."""
    setting = setting_of(options)
    rel, labelled = _files(options)
    topic = Topic(
        options.out,
        read_rel(rel, Text(options.sep), setting.classes),
        read_labelled(labelled, options.sep),
        rel.name,
        labelled.name,
    )
    found = compute([topic], setting)[0]
    if topic.labelled and all(item.level is None for item in topic.labelled):
        tell([Notice("labels", f"{labelled.name}: no item has a label (label adds them)")])
    write(found, None)
    return 0
