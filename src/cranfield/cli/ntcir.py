"""`cranfield ntcir`: the work of NTCIREVAL's scripts, under short names and under theirs.

What it can do is the table at the end. Most of its rows let a function of `tools` say what to
write: the parameters of the function are arguments of the action.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cranfield.cli import drop_ins
from cranfield.cli import ntcir_eval as one_topic
from cranfield.cli.ntcir_eval import exact
from cranfield.cli.options import Action, Rows, build_format_option, call, parse_number
from cranfield.cli.output import DEFAULT_LOOK, show
from cranfield.data.reading.formats import FORMATS as QRELS_FORMATS
from cranfield.errors import InputError
from cranfield.report.formats import FORMATS
from cranfield.scores import Scores
from cranfield.tools import ntcir as scripts
from cranfield.tools import ntcir_diversity as diversity
from cranfield.tools.ntcir_eval import Setting
from cranfield.tools.one_click import evaluate_texts, split_matches, split_nuggets

run = partial(drop_ins.run, parts={"batch": scripts.Batch, "setting": Setting})


# -- what the actions do --------------------------------------------------------------------------


def run_split(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Split runs, those named or those that standard input names."""
    if options.runs[0].isdecimal():
        limit, *runs = options.runs
        options.limit, options.runs = int(limit), runs or "-"
    run(work, options)


def run_listed(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Split runs whose paths are in a list."""
    if options.runs == "-" and not options.limit.lstrip("-").isdecimal():  # none since 2020
        options.limit, options.runs = str(scripts.LIMIT), options.limit
    if not options.limit.isdecimal():
        raise InputError(f"LIMIT {options.limit!r}", "a whole number from 1")
    options.limit = int(options.limit)
    run(work, options)


def run_deval(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Add gains and compute; scripts do so with one cutoff, where lists are cut, too."""
    if "cutoffs" not in options:
        options.cutoffs = (options.truncate,)
    run(work, options)


def run_table(work: Callable[..., Scores], options: argparse.Namespace) -> None:
    """Print everything."""
    show(call(work, options), options)


# -- arguments ------------------------------------------------------------------------------------

SETTINGS = one_topic.SETTINGS | {
    "runs": {"default": "-"},
    "qrels": {"default": "-"},
    "mix": {"type": partial(parse_number, low=0, high=1, which=" from 0 to 1")},
    "kind": {"action": "store_const", "const": diversity.DIN_MEASURES},
    "mean": {"choices": ("arithmetic", "geometric")},
    "format": {"choices": FORMATS, "default": "tsv"},
}
DIR = {"directory --dir DIR": "where the directories of topics are (default: here)"}
TID = {"topics TID": "file with topics, one on each line"}
NAME = {"name NAME": "of the evaluation, in the names of files"}
SEP = {"separator SEP": "instead of blanks"}
SEP_OPTION = {"separator -sep --sep S": "instead of blanks"}
SEP_SHORT = {"separator -s --sep SEP": "instead of blanks"}
RUNS = {"--runs RUN +": "default: read from standard input"}
RUNLIST = {"runs RUNLIST ?": ""}
PATHS = {"runs RUNPATHLIST ?": ""}
LISTS = SEP_OPTION | {"-truncate N": "look at the first N items of lists only"} | RUNS | DIR
OUTPUT = {"-o --output FILE": "write to FILE, whole or not at all"}
QRELS: Rows = {
    "qrels QRELS": "judgments: topic doc L2, or any other format",
    "suffix SUFFIX": "of the files, such as rel",
    "separator SEP ?": "instead of blanks",
    "--qrels-format FORMAT": build_format_option(QRELS_FORMATS),
}
RANKINGS = {
    "runs LIMIT|RUN *": f"how many documents a topic has at most (default: {scripts.LIMIT}), and "
    "runs (default: their paths are read from standard input)",
}
EVALUATED = TID | {"suffix RELSUFFIX": "of the judgments, such as rel"} | NAME
SETTING = {
    **one_topic.LEVELS,
    **one_topic.COMMON,
    "worth -g G1:G2:… !": "the gains of L1, L2, …; so many levels there are. topic: 1:2:… up to "
    "the highest level of each topic. @FILE: lines `topic 1:2:3`",
    "judged -j": "compute bpref and its variants, too; eval leaves out unjudged documents",
}
DQRELS = {
    "probabilities IPROB": "topic intent probability [inf|nav]",
    "dqrels DQRELS": "judgments: topic intent doc L2",
    "prefix PREFIX": "in the names of files, such as test",
    "separator SEP ?": "instead of blanks",
    "gains -g G1:G2:…": "the gains of L1, L2, … (default: 1:2:…)",
    "--types FILE": "topic intent inf|nav, if IPROB has no types",
}
PREFIX = {"prefix PREFIX": "of the files of split-dqrels"}
MIX = {"mix -gamma --gamma X": "how much I-rec counts in D#, from 0 to 1, default: 0.5"}
DIVERSITY = {row: text for row, text in one_topic.COMMON.items() if row != "-gamma --gamma X"} | MIX
MUTED = {"kind --din": "mute items that repeat a navigational intent"}
CUT = TID | PREFIX | {"truncate CUTOFF": "lists are cut there, too"} | NAME
NUGGETS = {
    "nuggets NUGGETS": "topic nugget weight length on each line",
    "suffix SUFFIX": "of the files, such as test.nug",
}
MATCHES = {
    "runs RUN *": "topic syslen= length, and topic nugget offset on each line (default: their "
    "paths are read from standard input)",
}
TEXTS = TID | {"suffix NUGSUFFIX": "of the nuggets, such as test.nug"} | NAME
LENGTH = {"-L L": f"{one_topic.LENGTH}, default: 500"}
NEV = {"suffix NEVSUFFIX": "results are in RUN.NEVSUFFIX: NAME.nev"}
RUN_LIST_FILE = {"runlist RUNLIST": "file with runs, one on each line"}
RESULTS = TID | RUN_LIST_FILE | NEV
MEAN = {
    "measures MEASURE +": "as the files call it: Q@0010",
    "--mean": "geometric: of values of at least 0.00001, in files that end in .gmean",
}
SINGLE_MEASURE = {"measure MEASURE": "as the files call it: Q@0010"}
ALL_MEASURES = {"measures MEASURE *": "default: all", "-f --format": "default: tsv"}
CONVERTED = {"qrels QRELS ?": "or standard input"} | OUTPUT
GRADED = {"--labels S=3,A=2,…": "the level of each grade (default: S=3,A=2,B=1,C=0)"}
MAPPED = {
    "labels --map 2=3,1=1,…": "other levels, for each that there is (--map=-2=0,… for one below 0)",
}

# -- the table ------------------------------------------------------------------------------------


def _build_script(
    action: Action, name: str, arguments: Mapping[str, str], equivalent: str = "", **defaults: Any
) -> Action:
    """A script under its own name, with its own arguments: it does `equivalent` an action of ours."""
    help_text, all_defaults = (
        f"the script's arguments for {equivalent or action.names}",
        action.defaults | defaults,
    )
    return replace(action, names=name, arguments=arguments, help=help_text, defaults=all_defaults)


RELEASE_2019: dict[str, Any] = {"version": "190111", "rbp": 0.99, "sharp": tuple(diversity.SHARP)}
CLASSES: dict[str, Any] = {"classes": True, "endings": ("elab", "enev")}
DIN: dict[str, Any] = {"kind": diversity.DIN_MEASURES}
ROBUST = "convert trec --map 2=3,1=1,0=0"
SPLIT = Action("split-runs", TID | RANKINGS | SEP_SHORT | DIR, scripts.split_runs, run_split)
LISTED_RUNS = replace(SPLIT, run=run_listed, defaults={"limit": str(scripts.LIMIT)})
EVAL = exact("eval", EVALUATED | SETTING | LISTS, scripts.evaluate_runs)
SCRIPT_EVAL = replace(EVAL, defaults={"condense": False})  # compute alone has -j
INTENT_ARGUMENTS = TID | PREFIX | NAME | DIVERSITY | MUTED | LISTS
DEVAL = exact("deval", INTENT_ARGUMENTS, diversity.evaluate_diversity, run_deval)
MATCH = Action("split-matches", TID | MATCHES | DIR, split_matches)
TEXT_ARGUMENTS = TEXTS | one_topic.CLICK | SEP_OPTION | RUNS | DIR
CLICK = exact("1click", TEXT_ARGUMENTS, evaluate_texts)
EARLY = Action("early", CONVERTED | GRADED, scripts.convert_early)
TREC = Action("trec", CONVERTED | MAPPED, scripts.convert_trec)
TABLE_DEFAULTS: dict[str, Any] = {"per_topic": True, **DEFAULT_LOOK}
ACTIONS = (
    Action("split-qrels NTCIRsplitqrels", QRELS | DIR, scripts.split_qrels),
    SPLIT,
    _build_script(LISTED_RUNS, "TRECsplitruns", TID | {"limit LIMIT ?": ""} | SEP_SHORT | PATHS),
    _build_script(LISTED_RUNS, "IR4QAsplitruns", TID | PATHS),
    EVAL,
    _build_script(SCRIPT_EVAL, "NTCIR-eval", EVALUATED | SETTING),
    _build_script(SCRIPT_EVAL, "NTCIR-eval-sep", EVALUATED | SEP | SETTING),
    _build_script(SCRIPT_EVAL, "E-NTCIR-eval", EVALUATED | SEP | SETTING, **CLASSES),
    exact("split-dqrels DIN-splitqrels", DQRELS | DIR, diversity.split_dqrels),
    DEVAL,
    _build_script(DEVAL, "D-NTCIR-eval", CUT | RUNLIST | MIX),
    _build_script(DEVAL, "D-NTCIR-eval2", CUT | RUNLIST | MIX, **RELEASE_2019),
    _build_script(DEVAL, "D-NTCIR-eval-sep", CUT | SEP | RUNLIST | MIX),
    _build_script(DEVAL, "DIN-NTCIR-eval", CUT | RUNLIST | MIX, **DIN),
    _build_script(DEVAL, "DIN-NTCIR-eval-sep", CUT | SEP | RUNLIST | MIX, **DIN),
    Action("split-nuggets 1CLICK-splitnuggets", NUGGETS | DIR, split_nuggets),
    MATCH,
    _build_script(MATCH, "1CLICK-splitmatch", TID | PATHS),
    CLICK,
    _build_script(CLICK, "1CLICK-eval", TEXTS | RUNLIST | one_topic.BETA | LENGTH, L=500),
    Action("means NEV2mean", RUN_LIST_FILE | TID | NEV | MEAN, scripts.build_mean_files),
    Action("matrix Topicsys-matrix", RESULTS | SINGLE_MEASURE | OUTPUT, scripts.build_matrix),
    Action(
        "table",
        RESULTS | ALL_MEASURES | OUTPUT,
        scripts.collect_results,
        run_table,
        defaults=TABLE_DEFAULTS,
    ),
    Action("convert", {}, scripts.convert, parts=(EARLY, TREC)),
    _build_script(EARLY, "EarlyNTCIRqrels2NTCIRqrels", CONVERTED, "convert early"),
    _build_script(TREC, "TRECrobust2NTCIRqrels", CONVERTED, ROBUST, labels=scripts.ROBUST),
)
