"""`cranfield ntcir_eval`: NTCIREVAL's program, with its options and its output."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield.cli.options import (
    Action,
    Argument,
    add_actions,
    call,
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


def run_label(options: argparse.Namespace) -> None:
    """Label a list."""
    rel, ranked = _files(options)
    judged = _judged(rel, options)
    docs = topic_dirs.read_list(ranked, options.separator)
    items = call(label, options, judged=judged, docs=docs, condensed=options.judged)
    write(labelled_text(items, options.separator or " ", options.classes))


def _judged(rel: Source, options: argparse.Namespace) -> list[topic_dirs.Judged]:
    return topic_dirs.read_rel(rel, Text(options.separator), options.classes)


def _ideal(gold: Source, options: argparse.Namespace) -> list[topic_dirs.Judged]:
    return topic_dirs.read_ideal(gold, options.separator)


def run_compute(options: argparse.Namespace) -> None:
    """Compute the measures of a list with labels, or with gains."""
    setting = setting_of(options)
    gold, labelled = _files(options)
    judged = options.read_gold(gold, options)
    items = options.read(labelled, options.separator)
    topic = Topic(options.prefix, judged, items, gold.name, labelled.name)
    (results,) = options.compute([topic], setting)
    if items and all(item.level is None for item in items):
        tell([Notice("labels", f"{labelled.name}: no item has a {options.unlabelled}")])
    write(results)


def run_add_gains(options: argparse.Namespace) -> None:
    """Add gains to a list: those of an ideal list, or of a din file."""
    gold, ranked = _files(options)
    known = options.read(gold, options.separator)
    if options.add is diversity.glabel:
        diversity.check_ideal(known, gold.name)
    docs = topic_dirs.read_list(ranked, options.separator)
    items = options.add(known, docs, condensed=options.judged, truncate=options.truncate)
    write(diversity.gained_text(items, options.separator or " "))


def run_irec(options: argparse.Namespace) -> None:
    """Compute intent recall."""
    refuse_two_inputs(options.list, *options.intents)
    separator = options.separator
    docs = topic_dirs.read_list(Source.of(options.list), separator)
    intents = [diversity.read_intent(Source.of(path), separator) for path in options.intents]
    cutoffs = options.cutoffs or Setting.cutoffs
    write(call(diversity.irec, options, docs=docs, intents=intents, cutoffs=cutoffs))


def run_one_click(options: argparse.Namespace) -> None:
    """Compute the measures of the nuggets found."""
    gold, found = _files(options)
    nuggets = read_nug(gold, options.separator)
    length, matches = read_mat(found, nuggets, options.separator)
    text = {"nuggets": nuggets, "matches": matches, "length": length, "where": gold.name}
    shown = call(one_click, options, **text)
    if odd := beyond(matches, length):
        said = f"{some(odd, 'nugget')} found beyond the end of the text, at {length}"
        tell([Notice("offsets", f"{found.name}: {said}")])
    write(shown)


# -- arguments ------------------------------------------------------------------------------------


def _cutoffs(text: str) -> tuple[int, ...]:
    cutoffs = tuple(map(number, text.split(",")))
    if any(cutoff < 1 or cutoff % 1 for cutoff in cutoffs):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected whole numbers from 1")
    return tuple(map(int, cutoffs))


def _flag(option: str, name: str, help: str) -> Argument:
    return Argument(option, dest=name, action="store_true", help=help)


def _gold(option: str, metavar: str, help: str) -> Argument:
    return Argument(option, dest="gold", required=True, metavar=metavar, help=help)


def _list(help: str, metavar: str = "LIST") -> Argument:
    return Argument("list", nargs="?", default="-", metavar=metavar, help=help)


GAINS = Argument(
    "-g", dest="gains", type=numbers, required=True, metavar="G1:G2:…",
    help="the gains of L1, L2, …; so many levels there are",
)  # fmt: skip
STOPS = Argument(
    "-s", dest="stops", type=numbers, metavar="S1:S2:…",
    help="stop values of L1, L2, … for NCUgu, default: the gains",
)  # fmt: skip
CLASSES = _flag("-ec", "classes", "the judgments have equivalence classes: doc L2 class")
CUTOFFS = Argument("-cutoffs", type=_cutoffs, metavar="N,N,…", help="default: 1000")
SETTINGS = {  # the other fields of a setting, and what each says
    "beta": "patience of the blended ratio, default: 1",
    "gamma": "of NCUrb, default: 0.95",
    "logb": "base of the logarithm of nDCG, 0 for the natural one, default: 2",
    "rbp": "p of RBP, default: 0.95",
    "rbup": "p of iRBU, default: 0.99",
}
NUMBERS = {name: Argument(f"-{name}", type=number, metavar="X", help=SETTINGS[name])
           for name in SETTINGS}  # fmt: skip
GAP = _flag("-gap", "gap", "graded average precision, too")
BPREF = _flag("-j", "judged", "bpref and its variants, too")
STEPS = _flag("-v", "verbose", "show gains and cumulated gains, rank by rank")
VERSION = Argument(
    "--as-version", dest="version", choices=tuple(VERSIONS), default="2011",
    help="the output of the releases since then (190111: of January 2019 only), default: 2011",
)  # fmt: skip
COMMON = (CUTOFFS, *NUMBERS.values(), GAP, BPREF, STEPS, VERSION)

LABELLING = (
    _flag("-j", "judged", "leave out unjudged items"),
    Argument("-truncate", type=count, metavar="N", help="look at the first N items only"),
)
SEP = Argument(
    "-sep", dest="separator", type=separator, metavar="S",
    help="what stands between fields, instead of blanks",
)  # fmt: skip
OUT = Argument(
    "-out", dest="prefix", metavar="PREFIX", default="",
    help="what each line of the output begins with",
)  # fmt: skip
REL = _gold("-r", "REL", "judgments: doc L2 on each line")
IDEAL = _gold("-I", "IDEAL", "the ideal list: doc gain on each line, the highest first")
RANKED = _list("a ranked list, an id on each line")
BETA = Argument(
    "-beta", type=partial(number, low=0, which=" from 0"), metavar="X", default=1.0,
    help="of F-flat, default: 1",
)  # fmt: skip
LENGTH = Argument(
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
        defaults={"read_gold": _judged, "read": topic_dirs.read_labelled, "compute": compute,
                  "unlabelled": "label (label adds them)"},
    ),
    exact(
        "glabel",
        "add gains to a ranked list",
        "Print the items of a ranked list, each with its gain in the ideal list.",
        (*LABELLING, IDEAL, SEP, RANKED),
        run_add_gains,
        defaults={"read": topic_dirs.read_ideal, "add": diversity.glabel},
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
        run_compute,
        defaults={"read_gold": _ideal, "read": topic_dirs.read_gained,
                  "compute": diversity.gcompute,
                  "unlabelled": "gain (glabel and dinlabel add them)"},
    ),
    exact(
        "irec",
        "compute intent recall of a ranked list",
        "Print the part of the intents that a ranked list has a relevant item for, at cutoffs and "
        "at n, the number of intents.",
        (CUTOFFS, SEP, OUT, _flag("-v", "verbose", "show the intents that each item meets"),
         RANKED.but(nargs=None),
         Argument("intents", nargs="+", metavar="IREL",
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
