"""`cranfield evaluate`: score runs against judgments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from cranfield.cli.options import (
    COUNT,
    FIELDS,
    LABELS,
    SEPARATOR,
    TOPICS,
    add_import,
    count,
    declare,
    refuse_two_inputs,
    settings_of,
    topics_of,
)
from cranfield.cli.output import add_output, show
from cranfield.cli.progress import Progress
from cranfield.data.groups import read_groups
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.formats import FORMATS as INPUT_FORMATS
from cranfield.data.reading.formats import RUN_FORMATS
from cranfield.data.reading.source import Source
from cranfield.data.tracks import read_gains
from cranfield.errors import InputError
from cranfield.evaluation.asked import DEFAULT_MEASURES
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import TIE_CHOICES, Undefined
from cranfield.evaluation.presets import Preset, preset
from cranfield.labelling.strategies import Combinations, EquivalenceClasses, Labelling
from cranfield.scores import Scores

FILES = {
    "qrels QRELS": "judgments: topic iteration doc level, or topic doc L2, or LETOR data; or a "
    "directory with one for each topic, as NTCIREVAL has them",
    "runs RUN *": "results: topic Q0 doc rank score tag; for LETOR data one number a line; of a "
    "directory DIR the run DIR/NAME, or all of its runs if none is named",
    "-m --measure MEASURE …": "a measure such as nDCG@10, several in one string, or @FILE with "
    f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)}; `cranfield measures` lists "
    "them)",
}
DRAWN = {
    "--tie-samples N": "random orders for --ties expected, where it cannot be computed (default: "
    "100)",
    "--seed S": "chooses the random orders (default: 0)",
}
PER_INTENT = "every intent is a topic of its own, topic/intent; IA(ERR) is then ERR"
USERS = {
    "--measurements": "all five of EU, ETU, EC, ETC and ED in the place of every measure that is a "
    "user model",
    "--residuals": "columns .lower and .upper: all unjudged documents at their worst, at their "
    "best",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Score one or several runs against judgments.",
        epilog="Files may be TREC text, CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, "
        "plain or compressed (gz, bz2, xz, zst); - is standard input.",
    )
    declare(p, FILES)
    add_preset(p, "what a task evaluates with, such as ntcir13-www-english (`cranfield presets` "
               "lists all); -m adds measures")  # fmt: skip
    p.add_argument("--cutoff", type=count, metavar="N", help="cutoff of the preset's measures")
    add_scores_output(p)
    order = p.add_argument_group("lists and topics")
    add_order(order, TIE_CHOICES)
    declare(order, DRAWN, tie_samples={**COUNT, "default": 100}, seed={"type": int, "default": 0})
    add_shared(order, "topics")
    add_shared(p.add_argument_group("relevance"), "relevance")
    diversity = p.add_argument_group("diversity (Dsharp(nDCG)@10, alpha_nDCG@20, IA(ERR)@20, …)")
    add_shared(diversity, "intents")
    diversity.add_argument("--per-intent", action="store_true", help=PER_INTENT)
    add_shared(diversity, "verticals")
    users = p.add_argument_group("user models (C/W/L: RBP.EU, INST(T=2).ETC, …)")
    declare(users, USERS)
    add_shared(users, "costs")
    other = p.add_argument_group("other")
    add_shared(other, "formats")
    add_import(other)
    other.add_argument("--threads", type=count, metavar="N", help="default: all cores, at most 4")
    p.set_defaults(run=run)


# -- options that other commands have as well -----------------------------------------------------


SCORES = {
    "--sort MEASURE": "the best run by this measure first (default: runs in the order given)",
    "--wide": "a line for each topic, a column for each run, a table for each measure",
}


def add_scores_output(p: Any, each: str = "topic") -> None:
    """The options that say how scores are shown, and where."""
    add_output(p, each=each)
    declare(p, SCORES)


def add_preset(p: Any, said: str) -> None:
    """The options that name a preset."""
    declare(p, {"--preset NAME": said, "--presets FILE": "a TOML file with presets of your own"})


ORDERS = {
    "trec": "by score, then document id, both descending (default)",
    "rank": "by the rank column",
    "given": "as in the file (default without scores)",
    "best": "tied documents by level, the best first",
    "worst": "tied documents by level, the worst first",
    "expected": "the mean over all orders of tied documents",
    "file": "by score, then as in the file (default of predictions for LETOR data)",
}
ONE_ORDER = tuple(name for name in TIE_CHOICES if name != "expected")


def add_order(group: Any, ties: Sequence[str] = ONE_ORDER) -> None:
    """The options that decide which items of a list are looked at, and in which order."""
    text = "; ".join(f"{name}: {ORDERS[name]}" for name in ties)
    group.add_argument("--ties", choices=ties, help=f"order of a list: {text}")
    add_shared(group, "lists")
    add_shared(group.add_mutually_exclusive_group(), "together")


SHARED = {
    "lists": {
        "--depth N": "only the first N documents of a list",
        "--condensed": "leave out unjudged documents (after --depth)",
        "--exclude-self": "leave out a document whose id is the topic's",
    },
    "together": {
        "--classes FILE": "equivalence classes, topic doc class (may be QRELS itself: topic doc L2 "
        "class): of a class only the first document found counts",
        "--groups FILE": "groups of documents that are of use only together, topic doc group: a "
        "group counts once, at the last of its documents",
    },
    "topics": {
        TOPICS: "judged: all judged topics count, unanswered ones as empty lists (default); "
        "common: only judged topics that every run answers; 101,102: only these, of which all are "
        "judged; @FILE: those that its lines begin with; may be repeated",
        "--undefined": "a topic without a relevant document counts as 0 (default), is nan, is left "
        "out of the means, or is an error",
    },
    "relevance": {
        "--rel N": "lowest relevant level, for all measures that take rel",
        "--gains GAINS": "linear, exp, binary, unit or a table such as 1:2:3, for all that take "
        "gain; topic: 1:2:… up to the topic's highest level; @FILE: lines `topic 1:2:3`",
        **LABELS,
        "--lengths FILE": "document lengths: doc length, or a table with columns doc, words, "
        "characters; TBG takes words, U characters",
    },
    "intents": {
        "--intents FILE …": "topic intent probability, or topic intent informational|navigational, "
        "or both on a line; may be repeated. QRELS are topic intent doc level (default: all "
        "intents are equally probable and informational)",
    },
    "verticals": {
        "--verticals FILE": "topic intent vertical value: how much users of an intent want images, "
        "news, …; for Vscore and QUscore, where the second column of a run is the vertical",
        "--embed-verticals": "verticals are items of the lists, under their names; other documents "
        "are of the vertical Web (IMine-2 VI)",
    },
    "costs": {
        "--costs FILE": "costs of documents: topic doc cost, or type cost, the type being the "
        "second column of a run (default: 1 each)",
        "--cost-unit UNIT": "such as seconds; told only",
    },
    "formats": {
        "--qrels-format": "instead of recognising it",
        "--run-format": "instead of recognising it",
        **SEPARATOR,
    },
}
SETTINGS: dict[str, dict[str, Any]] = {
    "depth": COUNT,
    "undefined": {"choices": get_args(Undefined), "default": "zero"},
    "rel": {"type": float},
    "cost_unit": {"default": ""},
    "qrels_format": {"choices": INPUT_FORMATS},
    "run_format": {"choices": RUN_FORMATS},
    "sep": FIELDS,
}


def add_shared(group: Any, *kinds: str) -> None:
    """Options that several commands have: all of these kinds."""
    for kind in kinds:
        declare(group, SHARED[kind], **SETTINGS)


# -- what options say -----------------------------------------------------------------------------


def list_options(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the options above, as `Evaluator` takes them."""
    not_all = {"intents": None, "verticals": None, "embed_verticals": False}  # commands have these
    names = ("ties", "depth", "condensed", "exclude_self", "rel", "gains", "lengths", "costs",
             "cost_unit", "labels", "separator", "qrels_format", "run_format")  # fmt: skip
    given = not_all | vars(options)
    settings = {name: given[name] for name in (*names, *not_all)}
    if (options.gains or "").startswith("@"):
        settings["gains"] = read_gains(Source.of(options.gains[1:]))
    return settings | {"labelling": labelling_of(options), "topics": topics_of(options)}


def labelling_of(options: argparse.Namespace) -> Labelling | None:
    """The strategy that the options ask for, if not the plain one."""
    if options.classes:  # read once: it may be standard input
        return EquivalenceClasses(read_groups(options.classes, options.separator))
    if options.groups:
        return Combinations(read_groups(options.groups, options.separator))
    return None


def refuse_inputs(options: argparse.Namespace, *files: str) -> None:
    """Standard input can be read once, by one of the files or of those that options name."""
    gains = getattr(options, "gains", None) or ""
    named = ("classes", "groups", "lengths", "costs", "verticals")
    others = [getattr(options, name, None) for name in named]
    others += [gains[1:], *(getattr(options, "intents", None) or ())]
    others += [text[1:] for text in options.topics or () if text.startswith("@")]
    refuse_two_inputs(*files, *others)


def runs_of(options: argparse.Namespace) -> list[str]:
    """The runs that are named; all of the directory of judgments if none is."""
    refuse_inputs(options, options.qrels, *options.runs)
    runs: list[str] = options.runs or topic_dirs.runs(options.qrels.removesuffix("/"))
    if not runs:
        raise InputError("no run", "RUN (or QRELS a directory with runs)")
    return runs


def measures_of(texts: list[str] | None) -> list[str]:
    """The measures of all -m options, those in files included."""
    found: list[str] = []
    for text in texts or ():
        lines = [text]
        if text.startswith("@"):
            lines = Source.of(text[1:]).read().decode("utf-8", "replace").splitlines()
            lines = [x for x in lines if x.strip() and not x.lstrip().startswith("#")]
        found += lines
    return found


def one_measure(texts: list[str] | None, default: str) -> str:
    """The measure of the -m options, where there can be no other."""
    from cranfield.measures.grammar import parse_measures

    found = parse_measures(measures_of(texts) or default)
    if len(found) != 1:
        raise InputError(f"{len(found)} measures", "one")
    return str(found[0])


def preset_of(options: argparse.Namespace) -> Preset | None:
    """The preset that the options ask for, at the cutoff they ask for."""
    if options.preset:
        chosen = preset(options.preset, options.presets)
        cutoff = getattr(options, "cutoff", None)
        return replace(chosen, measures=tuple(chosen.measures_at(cutoff)))
    for option in ("presets", "cutoff"):
        if getattr(options, option, None) is not None:
            raise InputError(f"--{option}", "--preset NAME with it")
    return None


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    runs = runs_of(options)
    names = ("undefined", "tie_samples", "seed", "measurements", "residuals",
             "per_intent", "threads")  # fmt: skip
    with Progress([options.qrels, *options.runs]) as progress:
        scores = evaluate(
            options.qrels,
            runs,
            measures_of(options.measures) or None,
            preset=preset_of(options),
            **settings_of(options, *names),
            **list_options(options),
            progress=progress.step,
        )
    return show_scores(scores, options)


def show_scores(scores: Scores, options: argparse.Namespace) -> int:
    """Show scores, the best run first if that is asked for."""
    return show(scores if options.sort is None else scores.sorted_by(options.sort), options)
