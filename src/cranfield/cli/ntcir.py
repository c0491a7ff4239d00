"""`cranfield ntcir`: the work of NTCIREVAL's scripts, under short names and under theirs.

What it can do is the table at the end. Most of its rows let a function of `tools` say what to
write: the parameters of the function are arguments of the action.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from cranfield.cli import ntcir_eval as one_topic
from cranfield.cli.ntcir_eval import exact, setting_of
from cranfield.cli.options import Action, Argument, add_actions, call, count, number, separator
from cranfield.cli.output import PLAIN, show, tell, write
from cranfield.data.ntcir.nev import write_files
from cranfield.data.reading.columns import EARLY, TREC
from cranfield.data.reading.labels import GRADES
from cranfield.errors import InputError
from cranfield.report.formats import FORMATS
from cranfield.scores import Notice, printable
from cranfield.tools import ntcir as scripts
from cranfield.tools import ntcir_diversity as diversity
from cranfield.tools.one_click import evaluate_texts, split_matches, split_nuggets


def add_to(command: Any) -> None:
    """Declare the command, its actions, and the scripts they stand for."""
    p = command(
        description="The work of NTCIREVAL's scripts. Each is known by its own name, too, and then "
        "has its own arguments.",
        epilog="An experiment: split-qrels QRELS rel; split-runs QRELS.tid RUN…; "
        "eval QRELS.tid rel NAME -g 1:2 --runs RUN…; table QRELS.tid RUNLIST NAME.nev. With "
        "intents: split-dqrels IPROB DQRELS PREFIX; split-runs IPROB.tid RUN…; "
        "deval IPROB.tid PREFIX NAME -cutoffs 10 --runs RUN…; table IPROB.tid RUNLIST NAME.Dnev. "
        "With texts: split-nuggets NUGGETS SUFFIX; split-matches NUGGETS.tid RUN…; "
        "1click NUGGETS.tid SUFFIX NAME -L 500 --runs RUN…; table NUGGETS.tid RUNLIST NAME.1cl",
    )
    p.set_defaults(runs="-", directory="", separator=None, truncate=None)  # of most scripts
    add_actions(p, ACTIONS)


# -- what the actions do --------------------------------------------------------------------------


def _make(make: Callable[..., scripts.Made], options: argparse.Namespace, **others: Any) -> None:
    """Write what a function makes of the options; runs and topics may be files with names."""
    if "topics" in options:
        options.runs, options.topics = map(scripts.names, (options.runs or "-", options.topics))
    if "name" in options:
        options.batch = call(scripts.Batch, options)
    _write(*call(make, options, **others))


def _write(files: Mapping[str, str], notices: Iterable[Notice]) -> None:
    write_files(files)
    for path in files:
        print(f"created {printable(path)}", file=sys.stderr)
    tell(notices)


def run_split_runs(options: argparse.Namespace) -> None:
    """Split runs, those named or those that standard input names."""
    limit, options.runs = scripts.LIMIT, options.limit_and_runs
    if options.runs and options.runs[0].isdecimal():
        limit, options.runs = int(options.runs[0]), options.runs[1:]
    _make(scripts.split_runs, options, limit=limit)


def run_split_scripts(options: argparse.Namespace) -> None:
    """Split runs whose paths are in a list."""
    limit = options.limit
    if options.runs == "-" and not limit.lstrip("-").isdecimal():  # since 2020 there is no LIMIT
        limit, options.runs = str(scripts.LIMIT), limit
    if not limit.isdecimal():
        raise InputError(f"LIMIT {limit!r}", "a whole number from 1")
    _make(scripts.split_runs, options, limit=int(limit))


def run_eval(options: argparse.Namespace) -> None:
    """Label and compute, and write both."""
    condensed = options.judged and options.condense
    _make(scripts.evaluate_runs, options, setting=setting_of(options), condensed=condensed)


def run_deval(options: argparse.Namespace) -> None:
    """Add gains, compute, and write both."""
    _make(diversity.evaluate_diversity, options, setting=setting_of(options))


def run_deval_scripts(options: argparse.Namespace) -> None:
    """Add gains and compute with one cutoff, where lists are cut, too."""
    options.cutoffs, options.truncate = (options.cutoff,), options.cutoff
    run_deval(options)


def run_means(options: argparse.Namespace) -> None:
    """Write the means of each measure."""
    scores = call(scripts.results_of, options)
    topics = os.path.basename(options.topics).removesuffix(".tid")
    begin = f"{options.runlist}.{topics}.{options.suffix}"
    end = ".gmean" if options.mean == "geometric" else ""
    texts = scripts.means(scores, options.mean)
    _write({f"{begin}.{m}{end}": text for m, text in texts.items()}, scores.notices)


def run_matrix(options: argparse.Namespace) -> None:
    """Print topics by runs."""
    scores = call(scripts.results_of, options)
    tell(scores.notices)
    write(scripts.matrix(scores), options.output)


def run_table(options: argparse.Namespace) -> None:
    """Print everything."""
    show(call(scripts.results_of, options), options)


def run_convert(options: argparse.Namespace) -> None:
    """Print judgments in NTCIR's format."""
    write(call(scripts.convert, options), options.output)


# -- arguments ------------------------------------------------------------------------------------


def _separator(*names: str, metavar: str = "SEP", **settings: Any) -> Argument:
    return Argument(*names, metavar=metavar, type=separator, help="instead of blanks", **settings)


def _runs_in(metavar: str) -> Argument:
    """A file with the runs, or standard input."""
    return Argument("runs", metavar=metavar, nargs="?", default="-")


def _suffix(metavar: str, help: str) -> Argument:
    return Argument("suffix", metavar=metavar, help=help)


DIR = Argument(
    "--dir", dest="directory", metavar="DIR", default="",
    help="where the directories of topics are (default: here)",
)  # fmt: skip
TID = Argument("topics", metavar="TID", help="file with topics, one on each line")
NAME = Argument("name", metavar="NAME", help="of the evaluation, in the names of files")
PREFIX = Argument("prefix", metavar="PREFIX", help="of the files of split-dqrels")
RUNLIST = Argument("runlist", metavar="RUNLIST", help="file with runs, one on each line")
NEV = _suffix("NEVSUFFIX", "results are in RUN.NEVSUFFIX: NAME.nev")
MEASURE = Argument("measures", metavar="MEASURE", nargs="+", help="as the files call it: Q@0010")
OUTPUT = Argument("-o", "--output", metavar="FILE", help="write to FILE, whole or not at all")
QRELS = Argument("qrels", metavar="QRELS", nargs="?", default="-", help="or standard input")
SEP = _separator("separator")
SEP_LAST = _separator("separator", nargs="?")
SEP_OPTION = _separator("-sep", "--sep", metavar="S", dest="separator")
RUNS = Argument(
    "--runs", nargs="+", metavar="RUN", default="-", help="default: read from standard input"
)
TRUNCATE = Argument(
    "-truncate", type=count, metavar="N", help="look at the first N items of lists only"
)
LISTS = (SEP_OPTION, TRUNCATE, RUNS, DIR)
MIX = Argument(
    "-gamma", dest="mix", type=partial(number, low=0, high=1, which=" from 0 to 1"), default=0.5,
    metavar="X", help="how much I-rec counts in D#, from 0 to 1, default: 0.5",
)  # fmt: skip
GAINS = one_topic.GAINS.but(
    dest="worth",
    type=None,
    help="the gains of L1, L2, …; so many levels there are. topic: 1:2:… up to the highest level "
    "of each topic. @FILE: lines `topic 1:2:3`",
)
JUDGED = one_topic.BPREF.but(
    help="compute bpref and its variants, too; eval leaves out unjudged documents"
)
SETTING = (
    *(one_topic.STOPS, one_topic.CLASSES),
    *(x for x in one_topic.COMMON if x is not one_topic.BPREF),
    *(GAINS, JUDGED),
)
DIVERSITY = tuple(x for x in one_topic.COMMON if x is not one_topic.NUMBERS["gamma"])  # γ of D#
EVALUATED = (TID, _suffix("RELSUFFIX", "of the judgments, such as rel"), NAME)
TEXTS = (TID, _suffix("NUGSUFFIX", "of the nuggets, such as test.nug"), NAME)
LENGTH_500 = one_topic.LENGTH.but(
    required=False, default=500, help=f"{one_topic.LENGTH.settings['help']}, default: 500"
)

# -- the table ------------------------------------------------------------------------------------


def _script(name: str, ours: str, *others: Any, **settings: Any) -> Action:
    """A script under its own name, with its own arguments."""
    text = f"the script's arguments for {ours}"
    return Action(name, text, text, *others, **settings)


def _eval_script(name: str, arguments: Sequence[Argument] = (), **defaults: Any) -> Action:
    """A script that hands its options on to compute alone."""
    endings = {"endings": ("lab", "nev"), "condense": False}
    return _script(name, "eval", (*EVALUATED, *arguments, *SETTING), run_eval,
                   defaults=endings | defaults, abbreviated=False)  # fmt: skip


def _deval_script(name: str, arguments: Sequence[Argument] = (), **defaults: Any) -> Action:
    cutoff = Argument("cutoff", metavar="CUTOFF", type=count, help="lists are cut there, too")
    every = (TID, PREFIX, cutoff, NAME, *arguments, _runs_in("RUNLIST"), MIX)
    return _script(name, "deval", every, run_deval_scripts,
                   defaults={"kind": diversity.D_MEASURES, **SHARPENED, **defaults},
                   abbreviated=False)  # fmt: skip


SHARPENED = {"sharp": ("Q", "nDCG")}
ACTIONS = (
    Action(
        "split-qrels",
        "judgments to a directory for each topic",
        "Write TOPIC/TOPIC.SUFFIX, the judgments of each topic, and QRELS.tid, the list of topics.",
        (
            QRELS.but(nargs=None, help="judgments: topic doc L2, or any other format"),
            _suffix("SUFFIX", "of the files, such as rel"),
            *(SEP_LAST, DIR),
        ),
        partial(_make, scripts.split_qrels),
        aliases=["NTCIRsplitqrels"],
    ),
    Action(
        "split-runs",
        "runs to the directories of topics, without ranking them again",
        "Write TOPIC/TOPIC.RUN.res, the documents of each topic in the order of the run's file. "
        "RUN is the file's name. XML runs of IR4QA are recognised.",
        (
            TID,
            Argument("limit_and_runs", metavar="[LIMIT] RUN", nargs="*",
                     help=f"how many documents a topic has at most (default: {scripts.LIMIT}), and "
                     "runs (default: their paths are read from standard input)"),
            *(_separator("-s", "--sep", dest="separator"), DIR),
        ),
        run_split_runs,
        usage="%(prog)s [-h] [-s SEP] [--dir DIR] TID [LIMIT] [RUN ...]",
    ),
    _script(
        "TRECsplitruns",
        "split-runs",
        (
            TID,
            Argument("limit", metavar="LIMIT", nargs="?", default=str(scripts.LIMIT)),
            *(_separator("-s", dest="separator"), _runs_in("RUNPATHLIST")),
        ),
        run_split_scripts,
    ),
    _script("IR4QAsplitruns", "split-runs", (TID, _runs_in("RUNPATHLIST")), run_split_scripts,
            defaults={"limit": str(scripts.LIMIT)}),
    exact(
        "eval",
        "label and compute all topics of many runs",
        "Write TOPIC/TOPIC.RUN.NAME.lab, the labelled lists, and RUN.NAME.nev, the results of all "
        "topics.",
        (*EVALUATED, *SETTING, *LISTS),
        run_eval,
        defaults={"endings": ("lab", "nev"), "condense": True},
    ),
    _eval_script("NTCIR-eval"),
    _eval_script("NTCIR-eval-sep", [SEP]),
    _eval_script("E-NTCIR-eval", [SEP], classes=True, endings=("elab", "enev")),
    exact(
        "split-dqrels",
        "judgments for intents to a directory for each topic",
        "Write TOPIC/TOPIC.PREFIX.Irelv1, …, the ideal list of each intent, "
        "TOPIC/TOPIC.PREFIX.Grelv, that of all intents together, TOPIC/TOPIC.PREFIX.din, what each "
        "intent adds to gains, and IPROB.tid, the list of topics.",
        (
            Argument("probabilities", metavar="IPROB", help="topic intent probability [inf|nav]"),
            Argument("dqrels", metavar="DQRELS", help="judgments: topic intent doc L2"),
            PREFIX.but(help="in the names of files, such as test"),
            SEP_LAST,
            one_topic.GAINS.but(required=False, help="the gains of L1, L2, … (default: 1:2:…)"),
            Argument("--types", metavar="FILE", help="topic intent inf|nav, if IPROB has no types"),
            DIR,
        ),
        partial(_make, diversity.split_dqrels),
        aliases=["DIN-splitqrels"],
    ),
    exact(
        "deval",
        "add gains and compute D-measures, I-rec and D# of all topics of many runs",
        "Write TOPIC/TOPIC.RUN.NAME.glab, the lists with gains, and RUN.NAME.Dnev, the results of "
        "all topics: gcompute, irec and D#. With --din, .dinlab and .DINnev.",
        (
            *(TID, PREFIX, NAME, *DIVERSITY, MIX),
            Argument("--din", dest="kind", action="store_const", const=diversity.DIN_MEASURES,
                     default=diversity.D_MEASURES,
                     help="mute items that repeat a navigational intent"),
            *LISTS,
        ),
        run_deval,
        defaults=SHARPENED,
    ),
    _deval_script("D-NTCIR-eval"),
    _deval_script("D-NTCIR-eval2", version="190111", rbp=0.99, sharp=tuple(diversity.SHARP)),
    _deval_script("D-NTCIR-eval-sep", [SEP]),
    _deval_script("DIN-NTCIR-eval", kind=diversity.DIN_MEASURES),
    _deval_script("DIN-NTCIR-eval-sep", [SEP], kind=diversity.DIN_MEASURES),
    Action(
        "split-nuggets",
        "nuggets to a directory for each topic",
        "Write TOPIC/TOPIC.SUFFIX, the nuggets of each topic, and NUGGETS.tid, the list of topics.",
        (
            Argument("nuggets", metavar="NUGGETS", help="topic nugget weight length on each line"),
            _suffix("SUFFIX", "of the files, such as test.nug"),
            DIR,
        ),
        partial(_make, split_nuggets),
        aliases=["1CLICK-splitnuggets"],
    ),
    Action(
        "split-matches",
        "nuggets found in texts to the directories of topics",
        "Write TOPIC/TOPIC.RUN.mat, the length of each topic's text and where nuggets end in it, "
        "the first time. RUN is the file's name.",
        (
            TID,
            Argument("runs", metavar="RUN", nargs="*",
                     help="topic syslen= length, and topic nugget offset on each line (default: "
                     "their paths are read from standard input)"),
            DIR,
        ),
        partial(_make, split_matches),
    ),
    _script("1CLICK-splitmatch", "split-matches", (TID, _runs_in("RUNPATHLIST")),
            partial(_make, split_matches)),
    exact(
        "1click",
        "compute measures of nuggets found in the texts of all topics of many runs",
        "Write RUN.NAME.1cl, the results of all topics: what ntcir_eval 1click prints.",
        (*TEXTS, one_topic.BETA, one_topic.LENGTH, SEP_OPTION, RUNS, DIR),
        partial(_make, evaluate_texts),
    ),
    _script("1CLICK-eval", "1click",
            (*TEXTS, _runs_in("RUNLIST"), one_topic.BETA, LENGTH_500),
            partial(_make, evaluate_texts), abbreviated=False),
    Action(
        "means",
        "means over topics, a file for each measure",
        "Write RUNLIST.TID.NEVSUFFIX.MEASURE with lines `run mean`. All topics of TID count, those "
        "without results as 0.",
        (
            *(RUNLIST, TID, NEV, MEASURE),
            Argument("--mean", choices=("arithmetic", "geometric"), default="arithmetic",
                     help="geometric: of values of at least 0.00001, in files that end in .gmean"),
        ),
        run_means,
        aliases=["NEV2mean"],
    ),
    Action(
        "matrix",
        "one measure of all topics (lines) and runs (columns)",
        "Print the values of a measure: a line for each topic, a column for each run, 0 where "
        "there is no result.",
        (TID, RUNLIST, NEV, MEASURE.but(nargs=1), OUTPUT),
        run_matrix,
        aliases=["Topicsys-matrix"],
    ),
    Action(
        "table",
        "all results in one table",
        "Print run, topic, measure and value, and the means as the topic all.",
        (
            *(TID, RUNLIST, NEV, MEASURE.but(nargs="*", help="default: all")),
            Argument("-f", "--format", choices=FORMATS, default="tsv", help="default: tsv"),
            OUTPUT,
        ),
        run_table,
        defaults={"per_topic": True, **PLAIN},
    ),
    Action(
        "convert",
        "judgments in other formats to NTCIR's",
        "Print judgments as lines `topic doc L2`.",
        parts=(
            Action(
                "early",
                "of the first NTCIR rounds: topic S|A|B|C doc 0|1",
                arguments=(
                    *(QRELS, OUTPUT),
                    Argument("--labels", metavar="S=3,A=2,…", default=GRADES,
                             help="the level of each grade (default: S=3,A=2,B=1,C=0)"),
                ),
                run=run_convert,
                defaults={"layout": EARLY},
            ),
            Action(
                "trec",
                "of TREC: topic iteration doc level",
                arguments=(
                    *(QRELS, OUTPUT),
                    Argument("--map", dest="labels", metavar="2=3,1=1,…",
                             help="other levels, for each that there is (--map=-2=0,… for one "
                             "below 0)"),
                ),
                run=run_convert,
                defaults={"layout": TREC["qrels"]},
            ),
        ),
    ),
    _script("EarlyNTCIRqrels2NTCIRqrels", "convert early", (QRELS, OUTPUT), run_convert,
            defaults={"layout": EARLY, "labels": GRADES}),
    _script("TRECrobust2NTCIRqrels", "convert trec --map 2=3,1=1,0=0", (QRELS, OUTPUT),
            run_convert, defaults={"layout": TREC["qrels"], "labels": scripts.ROBUST}),
)  # fmt: skip
