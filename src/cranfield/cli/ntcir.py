"""`cranfield ntcir`: drop-in replacements for NTCIREVAL's scripts, under short and original names.

The table of actions is at the end. Most actions run a function of `tools`, whose parameters are the
arguments of the action.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from cranfield.cli import drop_ins
from cranfield.cli import ntcir_eval as one_topic
from cranfield.cli.options import build_format_option, call
from cranfield.cli.output import DEFAULT_LOOK, show
from cranfield.cli.parser import Part
from cranfield.data.reading.formats import FORMATS as QRELS_FORMATS
from cranfield.errors import InputError
from cranfield.options import Rows, argument, choice, merge_rows, option, switch
from cranfield.report.formats import FORMATS
from cranfield.scores import Scores
from cranfield.tools import ntcir as scripts
from cranfield.tools import ntcir_diversity as diversity
from cranfield.tools.ntcir_eval import Setting
from cranfield.tools.one_click import evaluate_texts, split_matches, split_nuggets

run = partial(drop_ins.run, parts={"batch": scripts.Batch, "setting": Setting})


# -- what the actions do --------------------------------------------------------------------------


def run_split(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Split runs that are arguments or listed on standard input."""
    if options.runs[0].isdecimal():
        limit, *runs = options.runs
        options.limit, options.runs = int(limit), runs or "-"
    run(work, options)


def run_listed(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Split runs with paths in a list."""
    if options.runs == "-" and not options.limit.lstrip("-").isdecimal():  # none since 2020
        options.limit, options.runs = str(scripts.LIMIT), options.limit
    if not options.limit.isdecimal():
        raise InputError(f"LIMIT {options.limit!r}", "an integer ≥ 1")
    options.limit = int(options.limit)
    run(work, options)


def run_deval(work: Callable[..., scripts.FileTexts], options: argparse.Namespace) -> None:
    """Add gains and compute. Scripts use one cutoff, at which lists are also cut."""
    if "cutoffs" not in options:
        options.cutoffs = (options.truncate,)
    run(work, options)


def run_table(work: Callable[..., Scores], options: argparse.Namespace) -> None:
    """Print everything."""
    show(call(work, options), options)


# -- arguments ------------------------------------------------------------------------------------

DIR = (option("--dir", "DIR", "directory of the topic directories (default: here)", name="directory"),)
TID = (argument("topics", "TID", "file with topics, one on each line"),)
NAME = (argument("name", "NAME", "name of the evaluation, part of file names"),)
SEP = (argument("separator", "SEP", "instead of spaces", value="separator"),)
SEP_OPTION = (option("-sep --sep", "S", "instead of spaces", name="separator", value="separator"),)
SEP_SHORT = (option("-s --sep", "SEP", "instead of spaces", name="separator", value="separator"),)
RUNS = (option("--runs", "RUN", "default: read from standard input", nargs="+", default="-"),)
RUNLIST = (argument("runs", "RUNLIST", "", nargs="?", default="-"),)
PATHS = (argument("runs", "RUNPATHLIST", "", nargs="?", default="-"),)
LISTS = (
    *SEP_OPTION,
    option("-truncate", "N", "read only the first N items of lists", value="count"),
    *RUNS,
    *DIR,
)
OUTPUT = (option("-o --output", "FILE", "write to FILE, whole or not at all"),)
QRELS: Rows = (
    argument("qrels", "QRELS", "judgments: topic doc L2, or any other format", default="-"),
    argument("suffix", "SUFFIX", "suffix of the files, such as rel"),
    argument("separator", "SEP", "instead of spaces", nargs="?", value="separator"),
    build_format_option("--qrels-format", QRELS_FORMATS),
)
RANKINGS = (
    argument(
        "runs",
        "LIMIT|RUN",
        f"maximum number of documents per topic (default: {scripts.LIMIT}), and runs "
        "(default: paths on standard input)",
        nargs="*",
        default="-",
    ),
)
EVALUATED = (*TID, argument("suffix", "RELSUFFIX", "suffix of the judgments, such as rel"), *NAME)
SETTING = merge_rows(
    one_topic.LEVELS,
    one_topic.COMMON,
    (
        option(
            "-g",
            "G1:G2:…",
            "gains of L1, L2, …, which are all levels. topic: 1:2:… up to the highest level of "
            "each topic. @FILE: lines `topic 1:2:3`",
            name="worth",
            required=True,
        ),
        switch(
            "-j",
            "also compute bpref and its variants; eval excludes unjudged documents",
            name="judged",
        ),
    ),
)
DQRELS = (
    argument("probabilities", "IPROB", "topic intent probability [inf|nav]"),
    argument("dqrels", "DQRELS", "judgments: topic intent doc L2"),
    argument("prefix", "PREFIX", "in the names of files, such as test"),
    argument("separator", "SEP", "instead of spaces", nargs="?", value="separator"),
    option("-g", "G1:G2:…", "the gains of L1, L2, … (default: 1:2:…)", name="gains", value="gains"),
    option("--types", "FILE", "topic intent inf|nav, if IPROB has no types"),
)
PREFIX = (argument("prefix", "PREFIX", "prefix of the files of split-dqrels"),)
MIX = (
    option(
        "-gamma --gamma",
        "X",
        "weight of I-rec in D#, in [0, 1], default: 0.5",
        name="mix",
        value="fraction",
    ),
)
DIVERSITY = tuple(row for row in one_topic.COMMON if row.name != "gamma") + MIX
MUTED = (
    switch(
        "--din",
        "mute items that repeat a navigational intent",
        name="kind",
        const=diversity.DIN_MEASURES,
    ),
)
CUT = TID + PREFIX + (argument("truncate", "CUTOFF", "cutoff, also of lists", value="count"),) + NAME
NUGGETS = (
    argument("nuggets", "NUGGETS", "topic nugget weight length on each line"),
    argument("suffix", "SUFFIX", "suffix of the files, such as test.nug"),
)
MATCHES = (
    argument(
        "runs",
        "RUN",
        "topic syslen= length, and topic nugget offset on each line (default: their "
        "paths are read from standard input)",
        nargs="*",
        default="-",
    ),
)
TEXTS = (*TID, argument("suffix", "NUGSUFFIX", "suffix of the nuggets, such as test.nug"), *NAME)
LENGTH = (option("-L", "L", f"{one_topic.LENGTH}, default: 500", value="count"),)
NEV = (argument("suffix", "NEVSUFFIX", "results are in RUN.NEVSUFFIX: NAME.nev"),)
RUN_LIST_FILE = (argument("runlist", "RUNLIST", "file with runs, one on each line"),)
RESULTS = TID + RUN_LIST_FILE + NEV
MEAN = (
    argument("measures", "MEASURE", "as the files call it: Q@0010", nargs="+"),
    choice(
        "--mean",
        ("arithmetic", "geometric"),
        "geometric: of values of at least 0.00001, in files that end in .gmean",
    ),
)
SINGLE_MEASURE = (argument("measure", "MEASURE", "as the files call it: Q@0010"),)
ALL_MEASURES = (
    argument("measures", "MEASURE", "default: all", nargs="*"),
    choice("-f --format", FORMATS, "default: tsv", default="tsv"),
)
CONVERTED = (argument("qrels", "QRELS", "or standard input", nargs="?", default="-"), *OUTPUT)
GRADED = (option("--labels", "S=3,A=2,…", "the level of each grade (default: S=3,A=2,B=1,C=0)"),)
MAPPED = (
    option(
        "--map",
        "2=3,1=1,…",
        "other levels, for each that there is (--map=-2=0,… for one below 0)",
        name="labels",
    ),
)

# -- the table ------------------------------------------------------------------------------------


def _build_script(part: Part, name: str, rows: Rows, equivalent: str = "", **defaults: Any) -> Part:
    """Return a script under its own name, with its own arguments, that works as an action."""
    names = " ".join([equivalent] if equivalent else [part.name, *part.aliases])
    text = f"arguments of the script for {names}"
    return replace(
        part,
        name=name,
        aliases=(),
        rows=rows,
        help=text,
        description=text,
        defaults={**part.defaults, **defaults},
    )


build_part = partial(drop_ins.build_part, run=run)
build_exact_part = partial(build_part, abbreviate=False)
RELEASE_2019: dict[str, Any] = {"version": "190111", "rbp": 0.99, "sharp": tuple(diversity.SHARP)}
CLASSES: dict[str, Any] = {"classes": True, "endings": ("elab", "enev")}
DIN: dict[str, Any] = {"kind": diversity.DIN_MEASURES}
ROBUST = "convert trec --map 2=3,1=1,0=0"
SPLIT = build_part("split-runs", TID + RANKINGS + SEP_SHORT + DIR, scripts.split_runs, run=run_split)
LISTED_RUNS = replace(
    SPLIT,
    run=partial(run_listed, scripts.split_runs),
    defaults={"limit": str(scripts.LIMIT)},
)
EVAL = build_exact_part("eval", EVALUATED + SETTING + LISTS, scripts.evaluate_runs)
SCRIPT_EVAL = replace(EVAL, defaults={"condense": False})  # only compute has -j
INTENT_ARGUMENTS = TID + PREFIX + NAME + DIVERSITY + MUTED + LISTS
DEVAL = build_exact_part("deval", INTENT_ARGUMENTS, diversity.evaluate_diversity, run=run_deval)
MATCH = build_part("split-matches", TID + MATCHES + DIR, split_matches)
TEXT_ARGUMENTS = TEXTS + one_topic.CLICK + SEP_OPTION + RUNS + DIR
CLICK = build_exact_part("1click", TEXT_ARGUMENTS, evaluate_texts)
EARLY = build_part("early", CONVERTED + GRADED, scripts.convert_early)
TREC = build_part("trec", CONVERTED + MAPPED, scripts.convert_trec)
TABLE_DEFAULTS: dict[str, Any] = {"per_topic": True, **DEFAULT_LOOK}
LIMIT = (argument("limit", "LIMIT", "", nargs="?"),)
PARTS = (
    build_part("split-qrels NTCIRsplitqrels", QRELS + DIR, scripts.split_qrels),
    SPLIT,
    _build_script(LISTED_RUNS, "TRECsplitruns", TID + LIMIT + SEP_SHORT + PATHS),
    _build_script(LISTED_RUNS, "IR4QAsplitruns", TID + PATHS),
    EVAL,
    _build_script(SCRIPT_EVAL, "NTCIR-eval", EVALUATED + SETTING),
    _build_script(SCRIPT_EVAL, "NTCIR-eval-sep", EVALUATED + SEP + SETTING),
    _build_script(SCRIPT_EVAL, "E-NTCIR-eval", EVALUATED + SEP + SETTING, **CLASSES),
    build_exact_part("split-dqrels DIN-splitqrels", DQRELS + DIR, diversity.split_dqrels),
    DEVAL,
    _build_script(DEVAL, "D-NTCIR-eval", CUT + RUNLIST + MIX),
    _build_script(DEVAL, "D-NTCIR-eval2", CUT + RUNLIST + MIX, **RELEASE_2019),
    _build_script(DEVAL, "D-NTCIR-eval-sep", CUT + SEP + RUNLIST + MIX),
    _build_script(DEVAL, "DIN-NTCIR-eval", CUT + RUNLIST + MIX, **DIN),
    _build_script(DEVAL, "DIN-NTCIR-eval-sep", CUT + SEP + RUNLIST + MIX, **DIN),
    build_part("split-nuggets 1CLICK-splitnuggets", NUGGETS + DIR, split_nuggets),
    MATCH,
    _build_script(MATCH, "1CLICK-splitmatch", TID + PATHS),
    CLICK,
    _build_script(CLICK, "1CLICK-eval", TEXTS + RUNLIST + one_topic.BETA + LENGTH, L=500),
    build_part("means NEV2mean", RUN_LIST_FILE + TID + NEV + MEAN, scripts.build_mean_files),
    build_part("matrix Topicsys-matrix", RESULTS + SINGLE_MEASURE + OUTPUT, scripts.build_matrix),
    build_part(
        "table",
        RESULTS + ALL_MEASURES + OUTPUT,
        scripts.collect_results,
        run=run_table,
        defaults=TABLE_DEFAULTS,
    ),
    replace(build_part("convert", (), scripts.convert), parts=(EARLY, TREC), metavar="FORMAT"),
    _build_script(EARLY, "EarlyNTCIRqrels2NTCIRqrels", CONVERTED, "convert early"),
    _build_script(TREC, "TRECrobust2NTCIRqrels", CONVERTED, ROBUST, labels=scripts.ROBUST),
)
