"""`cranfield ntcir_eval`: NTCIREVAL's program, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.one_click import add_one_click
from cranfield.cli.options import count, refuse_two_inputs, separator
from cranfield.cli.output import tell, write
from cranfield.data.ntcir.topic_dirs import (
    read_din,
    read_gained,
    read_ideal,
    read_labelled,
    read_list,
    read_rel,
)
from cranfield.data.reading.records import Text
from cranfield.data.reading.source import Source
from cranfield.scores import Notice
from cranfield.tools.ntcir_diversity import (
    check_ideal,
    dinlabel,
    gained_text,
    gcompute,
    glabel,
    irec,
    read_intent,
)
from cranfield.tools.ntcir_eval import (
    Setting,
    Topic,
    add_common_options,
    add_cutoffs,
    add_options,
    compute,
    label,
    labelled_text,
    setting_of,
)


def add_to(command: Any) -> None:
    """Declare the command and its subcommands."""
    p = command(
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
    labels.add_argument(
        "-ec", dest="classes", action="store_true",
        help="label only the first item of each equivalence class: doc L2 class",
    )  # fmt: skip
    _add_labelling(labels)
    _add_gold(labels, "-r", "REL", "judgments: doc L2 on each line")
    _add_list(labels, RANKED)
    labels.set_defaults(run=run_label)
    computes = parts.add_parser(
        "compute",
        help="compute measures of a labelled list",
        description="Print the measures of a labelled list. The labels are believed.",
        allow_abbrev=False,
    )
    add_options(computes)
    _add_out(computes)
    _add_gold(computes, "-r", "REL", "judgments: doc L2 on each line")
    _add_list(computes, "a labelled list, as label prints it")
    computes.set_defaults(run=run_compute)
    _add_diversity(parts)
    add_one_click(parts)


def _add_diversity(parts: Any) -> None:
    p = parts.add_parser(
        "glabel",
        help="add gains to a ranked list",
        description="Print the items of a ranked list, each with its gain in the ideal list.",
        allow_abbrev=False,
    )
    _add_labelling(p)
    _add_gold(p, "-I", "IDEAL", IDEAL)
    _add_list(p, RANKED)
    p.set_defaults(run=run_glabel)
    p = parts.add_parser(
        "dinlabel",
        help="add gains, those of navigational intents once only",
        description="Print the items of a ranked list, each with its gain, without what it would "
        "add for a navigational intent that an item above it meets.",
        allow_abbrev=False,
    )
    _add_labelling(p)
    _add_gold(p, "-din", "DIN", "intent inf|nav doc gain on each line; the gain is P(i|q)·g_i")
    _add_list(p, RANKED)
    p.set_defaults(run=run_dinlabel)
    p = parts.add_parser(
        "gcompute",
        help="compute measures of a list with gains",
        description="Print the measures of a list with gains. The gains are believed.",
        allow_abbrev=False,
    )
    add_common_options(p)
    _add_out(p)
    _add_gold(p, "-I", "IDEAL", IDEAL)
    _add_list(p, "a list with gains, as glabel and dinlabel print it")
    p.set_defaults(run=run_gcompute)
    p = parts.add_parser(
        "irec",
        help="compute intent recall of a ranked list",
        description="Print the part of the intents that a ranked list has a relevant item for, at "
        "cutoffs and at n, the number of intents.",
        allow_abbrev=False,
    )
    add_cutoffs(p)
    _add_separator(p)
    _add_out(p)
    p.add_argument(
        "-v", dest="verbose", action="store_true", help="show the intents that each item meets"
    )
    p.add_argument("list", metavar="LIST", help=RANKED)
    p.add_argument(
        "intents", nargs="+", metavar="IREL", help="for each intent: its relevant items (doc gain)"
    )
    p.set_defaults(run=run_irec)


RANKED = "a ranked list, an id on each line"
IDEAL = "the ideal list: doc gain on each line, the highest first"


def _add_labelling(p: argparse.ArgumentParser) -> None:
    p.add_argument("-j", dest="judged", action="store_true", help="leave out unjudged items")
    p.add_argument("-truncate", type=count, metavar="N", help="look at the first N items only")


def _add_gold(p: argparse.ArgumentParser, option: str, name: str, what: str) -> None:
    p.add_argument(option, dest="gold", required=True, metavar=name, help=what)


def _add_list(p: argparse.ArgumentParser, what: str) -> None:
    _add_separator(p)
    p.add_argument("list", nargs="?", default="-", metavar="LIST", help=what)


def _add_separator(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "-sep", type=separator, metavar="S", help="what stands between fields, instead of blanks"
    )


def _add_out(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "-out", metavar="PREFIX", default="", help="what each line of the output begins with"
    )


def _files(options: argparse.Namespace) -> tuple[Source, Source]:
    refuse_two_inputs(options.gold, options.list)
    return Source.of(options.gold), Source.of(options.list)


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
    return _computed(compute([topic], setting)[0], topic, "no item has a label (label adds them)")


def _computed(found: str, topic: Topic, otherwise: str) -> int:
    if topic.labelled and all(item.level is None for item in topic.labelled):
        tell([Notice("labels", f"{topic.lab}: {otherwise}")])
    write(found, None)
    return 0


def run_glabel(options: argparse.Namespace) -> int:
    """Add gains to a list."""
    gold, ranked = _files(options)
    ideal = read_ideal(gold, options.sep)
    check_ideal(ideal, gold.name)
    docs = read_list(ranked, options.sep)
    found = glabel(ideal, docs, condensed=options.judged, truncate=options.truncate)
    write(gained_text(found, options.sep or " "), None)
    return 0


def run_dinlabel(options: argparse.Namespace) -> int:
    """Add gains to a list, those of navigational intents once."""
    din, ranked = _files(options)
    shares, docs = read_din(din, options.sep), read_list(ranked, options.sep)
    found = dinlabel(shares, docs, condensed=options.judged, truncate=options.truncate)
    write(gained_text(found, options.sep or " "), None)
    return 0


def run_gcompute(options: argparse.Namespace) -> int:
    """Compute the measures of a list with gains."""
    setting = setting_of(options)
    gold, labelled = _files(options)
    ideal, items = read_ideal(gold, options.sep), read_gained(labelled, options.sep)
    topic = Topic(options.out, ideal, items, gold.name, labelled.name)
    otherwise = "no item has a gain (glabel and dinlabel add them)"
    return _computed(gcompute([topic], setting)[0], topic, otherwise)


def run_irec(options: argparse.Namespace) -> int:
    """Compute intent recall."""
    refuse_two_inputs(options.list, *options.intents)
    docs = read_list(Source.of(options.list), options.sep)
    intents = [read_intent(Source.of(path), options.sep) for path in options.intents]
    cutoffs = options.cutoffs or Setting.cutoffs
    write(irec(docs, intents, cutoffs, options.out, options.verbose), None)
    return 0
