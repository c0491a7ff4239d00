"""`cranfield ntcir_eval`: NTCIREVAL's program, with its options and its output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.cli.options import (
    Action,
    Argument,
    add_actions,
    argument,
    count,
    number,
    numbers,
    refuse_two_inputs,
    separator,
)
from cranfield.cli.output import tell, write
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.records import Text
from cranfield.data.reading.source import Source
from cranfield.data.texts import read_mat, read_nug
from cranfield.scores import Notice
from cranfield.tools import ntcir_diversity as diversity
from cranfield.tools.ntcir_eval import VERSIONS, Setting, Topic, compute, label, labelled_text
from cranfield.tools.one_click import beyond, one_click
from cranfield.wording import some


def add_to(command: Any) -> None:
    """Declare the command and its subcommands."""
    p = command(
        description="A drop-in for NTCIREVAL's ntcir_eval: one topic, one list.",
        epilog="ntcir_eval label -r 1.rel 1.res | ntcir_eval compute -r 1.rel -g 1:2",
    )
    add_actions(p, ACTIONS, "COMMAND")


# -- files and settings ---------------------------------------------------------------------------


def setting_of(options: argparse.Namespace) -> Setting:
    """The setting that options mean, by the names that they have in common."""
    given = {name: getattr(options, name, None) for name in Setting.__dataclass_fields__}
    return Setting(**{name: value for name, value in given.items() if value is not None})


def _files(options: argparse.Namespace) -> tuple[Source, Source]:
    refuse_two_inputs(options.gold, options.list)
    return Source.of(options.gold), Source.of(options.list)


# -- what the subcommands do ----------------------------------------------------------------------


def run_label(options: argparse.Namespace) -> int:
    """Label a list."""
    rel, ranked = _files(options)
    items = label(
        topic_dirs.read_rel(rel, Text(options.sep), options.classes),
        topic_dirs.read_list(ranked, options.sep),
        condensed=options.judged,
        classes=options.classes,
        truncate=options.truncate,
    )
    write(labelled_text(items, options.sep or " ", options.classes), None)
    return 0


def run_compute(options: argparse.Namespace) -> int:
    """Compute the measures of a labelled list."""
    setting = setting_of(options)
    rel, labelled = _files(options)
    judged = topic_dirs.read_rel(rel, Text(options.sep), setting.classes)
    items = topic_dirs.read_labelled(labelled, options.sep)
    topic = Topic(options.out, judged, items, rel.name, labelled.name)
    return _computed(compute([topic], setting)[0], topic, "no item has a label (label adds them)")


def run_gcompute(options: argparse.Namespace) -> int:
    """Compute the measures of a list with gains."""
    setting = setting_of(options)
    gold, labelled = _files(options)
    ideal = topic_dirs.read_ideal(gold, options.sep)
    items = topic_dirs.read_gained(labelled, options.sep)
    topic = Topic(options.out, ideal, items, gold.name, labelled.name)
    otherwise = "no item has a gain (glabel and dinlabel add them)"
    return _computed(diversity.gcompute([topic], setting)[0], topic, otherwise)


def _computed(results: str, topic: Topic, otherwise: str) -> int:
    if topic.labelled and all(item.level is None for item in topic.labelled):
        tell([Notice("labels", f"{topic.lab}: {otherwise}")])
    write(results, None)
    return 0


def run_add_gains(options: argparse.Namespace) -> int:
    """Add gains to a list: those of an ideal list, or of a din file."""
    gold, ranked = _files(options)
    known = options.read(gold, options.sep)
    docs = topic_dirs.read_list(ranked, options.sep)
    items = options.add(known, docs, condensed=options.judged, truncate=options.truncate)
    write(diversity.gained_text(items, options.sep or " "), None)
    return 0


def _ideal(gold: Source, separator: str | None) -> Sequence[topic_dirs.Judged]:
    ideal = topic_dirs.read_ideal(gold, separator)
    diversity.check_ideal(ideal, gold.name)
    return ideal


def run_irec(options: argparse.Namespace) -> int:
    """Compute intent recall."""
    refuse_two_inputs(options.list, *options.intents)
    docs = topic_dirs.read_list(Source.of(options.list), options.sep)
    intents = [diversity.read_intent(Source.of(path), options.sep) for path in options.intents]
    cutoffs = options.cutoffs or Setting.cutoffs
    write(diversity.irec(docs, intents, cutoffs, options.out, options.verbose), None)
    return 0


def run_one_click(options: argparse.Namespace) -> int:
    """Compute the measures of the nuggets found."""
    gold, found = _files(options)
    nuggets = read_nug(gold, options.sep)
    length, matches = read_mat(found, nuggets, options.sep)
    shown = one_click(
        nuggets,
        matches,
        length,
        L=options.L,
        beta=options.beta,
        prefix=options.out,
        verbose=options.verbose,
        where=gold.name,
    )
    if odd := beyond(matches, length):
        said = f"{some(odd, 'nugget')} found beyond the end of the text, at {length}"
        tell([Notice("offsets", f"{found.name}: {said}")])
    write(shown, None)
    return 0


# -- arguments ------------------------------------------------------------------------------------


def _cutoffs(text: str) -> tuple[int, ...]:
    cutoffs = tuple(map(number, text.split(",")))
    if any(cutoff < 1 or cutoff % 1 for cutoff in cutoffs):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected whole numbers from 1")
    return tuple(map(int, cutoffs))


def _from_zero(text: str) -> float:
    found = number(text)
    if found < 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 0")
    return found


def _flag(option: str, name: str, help: str) -> Argument:
    return argument(option, dest=name, action="store_true", help=help)


def _gold(option: str, metavar: str, help: str) -> Argument:
    return argument(option, dest="gold", required=True, metavar=metavar, help=help)


def _list(help: str, metavar: str = "LIST") -> Argument:
    return argument("list", nargs="?", default="-", metavar=metavar, help=help)


GAINS = argument(
    "-g", dest="gains", type=numbers, required=True, metavar="G1:G2:…",
    help="the gains of L1, L2, …; so many levels there are",
)  # fmt: skip
STOPS = argument(
    "-s", dest="stops", type=numbers, metavar="S1:S2:…",
    help="stop values of L1, L2, … for NCUgu, default: the gains",
)  # fmt: skip
CLASSES = _flag("-ec", "classes", "the judgments have equivalence classes: doc L2 class")
CUTOFFS = argument("-cutoffs", type=_cutoffs, metavar="N,N,…", help="default: 1000")
SETTINGS = {  # the other fields of a setting, and what each says
    "beta": "patience of the blended ratio, default: 1",
    "gamma": "of NCUrb, default: 0.95",
    "logb": "base of the logarithm of nDCG, 0 for the natural one, default: 2",
    "rbp": "p of RBP, default: 0.95",
    "rbup": "p of iRBU, default: 0.99",
}
NUMBERS = {name: argument(f"-{name}", type=number, metavar="X", help=SETTINGS[name])
           for name in SETTINGS}  # fmt: skip
GAP = _flag("-gap", "gap", "graded average precision, too")
BPREF = _flag("-j", "judged", "bpref and its variants, too")
STEPS = _flag("-v", "verbose", "show gains and cumulated gains, rank by rank")
VERSION = argument(
    "--as-version", dest="version", choices=tuple(VERSIONS), default="2011",
    help="the output of the releases since then (190111: of January 2019 only), default: 2011",
)  # fmt: skip
COMMON = (CUTOFFS, *NUMBERS.values(), GAP, BPREF, STEPS, VERSION)

LABELLING = (
    _flag("-j", "judged", "leave out unjudged items"),
    argument("-truncate", type=count, metavar="N", help="look at the first N items only"),
)
SEP = argument(
    "-sep", type=separator, metavar="S", help="what stands between fields, instead of blanks"
)
OUT = argument(
    "-out", metavar="PREFIX", default="", help="what each line of the output begins with"
)
REL = _gold("-r", "REL", "judgments: doc L2 on each line")
IDEAL = _gold("-I", "IDEAL", "the ideal list: doc gain on each line, the highest first")
RANKED = _list("a ranked list, an id on each line")
BETA = argument("-beta", type=_from_zero, metavar="X", default=1.0, help="of F-flat, default: 1")
LENGTH = argument(
    "-L", type=count, required=True, metavar="L",
    help="characters after which a nugget is worth nothing",
)  # fmt: skip

# -- the table ------------------------------------------------------------------------------------

exact = partial(Action, abbreviated=False)  # options are written out, as there
ACTIONS = (
    exact(
        "label",
        "add labels to a ranked list",
        "Print the items of a ranked list, each with its label where it is judged.",
        (
            _flag("-ec", "classes", "label only the first item of each equivalence class: doc L2 "
                  "class"),
            *LABELLING, REL, SEP, RANKED,
        ),
        run_label,
    ),
    exact(
        "compute",
        "compute measures of a labelled list",
        "Print the measures of a labelled list. The labels are believed.",
        (GAINS, STOPS, CLASSES, *COMMON, OUT, REL, SEP,
         _list("a labelled list, as label prints it")),
        run_compute,
    ),
    exact(
        "glabel",
        "add gains to a ranked list",
        "Print the items of a ranked list, each with its gain in the ideal list.",
        (*LABELLING, IDEAL, SEP, RANKED),
        run_add_gains,
        defaults={"read": _ideal, "add": diversity.glabel},
    ),
    exact(
        "dinlabel",
        "add gains, those of navigational intents once only",
        "Print the items of a ranked list, each with its gain, without what it would add for a "
        "navigational intent that an item above it meets.",
        (*LABELLING,
         _gold("-din", "DIN", "intent inf|nav doc gain on each line; the gain is P(i|q)·g_i"),
         SEP, RANKED),
        run_add_gains,
        defaults={"read": topic_dirs.read_din, "add": diversity.dinlabel},
    ),
    exact(
        "gcompute",
        "compute measures of a list with gains",
        "Print the measures of a list with gains. The gains are believed.",
        (*COMMON, OUT, IDEAL, SEP, _list("a list with gains, as glabel and dinlabel print it")),
        run_gcompute,
    ),
    exact(
        "irec",
        "compute intent recall of a ranked list",
        "Print the part of the intents that a ranked list has a relevant item for, at cutoffs and "
        "at n, the number of intents.",
        (CUTOFFS, SEP, OUT, _flag("-v", "verbose", "show the intents that each item meets"),
         RANKED.but(nargs=None),
         argument("intents", nargs="+", metavar="IREL",
                  help="for each intent: its relevant items (doc gain)")),
        run_irec,
    ),
    exact(
        "1click",
        "compute measures of nuggets found in a text",
        "Print the measures of a text by the nuggets that were found in it.",
        (_flag("-v", "verbose", "show the nuggets, too"), SEP, OUT, BETA, LENGTH,
         _gold("-N", "NUGGETS", "nugget weight length on each line, the length being that of the "
               "vital string"),
         _list("first syslen= length, then nugget offset on each line", "MATCHES")),
        run_one_click,
    ),
)  # fmt: skip
