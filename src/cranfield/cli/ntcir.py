"""`cranfield ntcir`: the work of NTCIREVAL's scripts, under short names and under theirs."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from cranfield.cli.evaluate import show
from cranfield.cli.one_click import add_text_options
from cranfield.cli.options import count, separator
from cranfield.cli.output import tell, write
from cranfield.data.ntcir.nev import write_files
from cranfield.data.reading.columns import EARLY, TREC
from cranfield.data.reading.formats import GRADES
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from cranfield.report.formats import FORMATS
from cranfield.scores import printable
from cranfield.tools.ntcir import (
    LIMIT,
    ROBUST,
    Made,
    convert,
    evaluate_runs,
    matrix,
    means,
    names,
    results_of,
    split_qrels,
    split_runs,
)
from cranfield.tools.ntcir_diversity import (
    D_MEASURES,
    DIN_MEASURES,
    SHARP,
    evaluate_diversity,
    split_dqrels,
)
from cranfield.tools.ntcir_eval import (
    add_common_options,
    add_options,
    number,
    numbers,
    setting_of,
)
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
    actions = p.add_subparsers(metavar="ACTION", required=True)
    _add_split(actions)
    _add_eval(actions)
    _add_diversity(actions)
    _add_texts(actions)
    _add_results(actions)
    _add_convert(actions)


# -- topic directories ---------------------------------------------------------------------------


def _add_split(actions: Any) -> None:
    p = actions.add_parser(
        "split-qrels",
        aliases=["NTCIRsplitqrels"],
        help="judgments to a directory for each topic",
        description="Write TOPIC/TOPIC.SUFFIX, the judgments of each topic, and QRELS.tid, the "
        "list of topics.",
    )
    p.add_argument("qrels", metavar="QRELS", help="judgments: topic doc L2, or any other format")
    p.add_argument("suffix", metavar="SUFFIX", help="of the files, such as rel")
    p.add_argument("separator", metavar="SEP", nargs="?", type=separator, help="instead of blanks")
    _add_directory(p)
    p.set_defaults(run=run_split_qrels)

    p = actions.add_parser(
        "split-runs",
        help="runs to the directories of topics, without ranking them again",
        description="Write TOPIC/TOPIC.RUN.res, the documents of each topic in the order of the "
        "run's file. RUN is the file's name. XML runs of IR4QA are recognised.",
        usage="%(prog)s [-h] [-s SEP] [--dir DIR] TID [LIMIT] [RUN ...]",
    )
    _add_tid(p)
    p.add_argument(
        "limit_and_runs", metavar="[LIMIT] RUN", nargs="*",
        help=f"how many documents a topic has at most (default: {LIMIT}), and runs (default: "
        "their paths are read from standard input)",
    )  # fmt: skip
    p.add_argument(
        "-s", "--sep", dest="separator", type=separator, metavar="SEP", help="instead of blanks"
    )
    _add_directory(p)
    p.set_defaults(run=run_split_runs)

    p = _add_script(actions, "TRECsplitruns", "split-runs")
    _add_tid(p)
    p.add_argument("limit", metavar="LIMIT", nargs="?", default=str(LIMIT))
    p.add_argument("-s", dest="separator", type=separator, metavar="SEP", help="instead of blanks")
    p.add_argument("list", metavar="RUNPATHLIST", nargs="?", default="-")
    p.set_defaults(run=run_split_scripts, directory="")

    p = _add_script(actions, "IR4QAsplitruns", "split-runs")
    _add_tid(p)
    p.add_argument("list", metavar="RUNPATHLIST", nargs="?", default="-")
    p.set_defaults(run=run_split_scripts, directory="", limit=str(LIMIT), separator=None)


def _add_script(actions: Any, name: str, ours: str, **options: Any) -> argparse.ArgumentParser:
    said = f"the script's arguments for {ours}"
    p: argparse.ArgumentParser = actions.add_parser(name, help=said, description=said, **options)
    return p


def _add_tid(p: argparse.ArgumentParser) -> None:
    p.add_argument("tid", metavar="TID", help="file with topics, one on each line")


def _add_directory(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--dir", dest="directory", metavar="DIR", default="",
        help="where the directories of topics are (default: here)",
    )  # fmt: skip


def run_split_qrels(options: argparse.Namespace) -> int:
    """Split judgments."""
    return _write(split_qrels(options.qrels, options.suffix, options.separator, options.directory))


def run_split_runs(options: argparse.Namespace) -> int:
    """Split runs, those named or those that standard input names."""
    limit, runs = LIMIT, options.limit_and_runs
    if runs and runs[0].isdecimal():
        limit, runs = int(runs[0]), runs[1:]
    runs = runs or names("-")
    return _write(split_runs(runs, options.tid, limit, options.separator, options.directory))


def run_split_scripts(options: argparse.Namespace) -> int:
    """Split runs whose paths are in a list."""
    limit, paths = options.limit, options.list
    if paths == "-" and not limit.lstrip("-").isdecimal():  # releases since 2020 have no LIMIT
        limit, paths = str(LIMIT), limit
    if not limit.isdecimal():
        raise InputError(f"LIMIT {limit!r}", "a whole number from 1")
    runs = names(paths)
    return _write(split_runs(runs, options.tid, int(limit), options.separator, options.directory))


# -- all topics of many runs ---------------------------------------------------------------------


def _add_eval(actions: Any) -> None:
    p = actions.add_parser(
        "eval",
        help="label and compute all topics of many runs",
        description="Write TOPIC/TOPIC.RUN.NAME.lab, the labelled lists, and RUN.NAME.nev, the "
        "results of all topics.",
        allow_abbrev=False,
        conflict_handler="resolve",
    )
    _add_eval_arguments(p)
    _add_lists(p)
    p.set_defaults(run=run_eval, condense=True)
    for name, separated, defaults in (
        ("NTCIR-eval", False, {}),
        ("NTCIR-eval-sep", True, {}),
        ("E-NTCIR-eval", True, {"classes": True, "endings": ("elab", "enev")}),
    ):
        p = _add_script(actions, name, "eval", allow_abbrev=False, conflict_handler="resolve")
        _add_eval_arguments(p, separated)
        # The scripts hand their options on to compute alone.
        p.set_defaults(run=run_eval, runs=None, truncate=None, directory="", condense=False)
        p.set_defaults(**({} if separated else {"separator": None}), **defaults)


def _add_lists(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "-sep", "--sep", dest="separator", type=separator, metavar="S", help="instead of blanks"
    )
    p.add_argument(
        "-truncate", type=count, metavar="N", help="look at the first N items of lists only"
    )
    _add_runs(p)
    _add_directory(p)


def _add_runs(p: argparse.ArgumentParser) -> None:
    p.add_argument("--runs", nargs="+", metavar="RUN", help="default: read from standard input")


def _add_eval_arguments(p: argparse.ArgumentParser, separated: bool = False) -> None:
    _add_tid(p)
    p.add_argument("suffix", metavar="RELSUFFIX", help="of the judgments, such as rel")
    p.add_argument("name", metavar="NAME", help="of the evaluation, in the names of files")
    if separated:
        p.add_argument("separator", metavar="SEP", type=separator, help="instead of blanks")
    add_options(p)
    p.add_argument(
        "-g", dest="gains", required=True, metavar="G1:G2:…",
        help="the gains of L1, L2, …; so many levels there are. topic: 1:2:… up to the highest "
        "level of each topic. @FILE: lines `topic 1:2:3`",
    )  # fmt: skip
    p.add_argument(
        "-j", dest="judged", action="store_true",
        help="compute bpref and its variants, too; eval leaves out unjudged documents",
    )  # fmt: skip
    p.set_defaults(endings=("lab", "nev"))


def run_eval(options: argparse.Namespace) -> int:
    """Label and compute, and write both."""
    given = vars(options)
    return _write(
        evaluate_runs(
            options.runs or names("-"),
            options.tid,
            options.suffix,
            options.name,
            options.gains,
            lambda gains: setting_of(argparse.Namespace(**(given | {"gains": gains}))),
            separator=options.separator,
            truncate=options.truncate,
            condensed=options.judged and options.condense,
            classes=options.classes,
            endings=options.endings,
            directory=options.directory,
        )
    )


# -- the same for topics with intents ------------------------------------------------------------


def _add_diversity(actions: Any) -> None:
    p = actions.add_parser(
        "split-dqrels",
        aliases=["DIN-splitqrels"],
        help="judgments for intents to a directory for each topic",
        description="Write TOPIC/TOPIC.PREFIX.Irelv1, …, the ideal list of each intent, "
        "TOPIC/TOPIC.PREFIX.Grelv, that of all intents together, TOPIC/TOPIC.PREFIX.din, what each "
        "intent adds to gains, and IPROB.tid, the list of topics.",
        allow_abbrev=False,
    )
    p.add_argument("probabilities", metavar="IPROB", help="topic intent probability [inf|nav]")
    p.add_argument("dqrels", metavar="DQRELS", help="judgments: topic intent doc L2")
    p.add_argument("prefix", metavar="PREFIX", help="in the names of files, such as test")
    p.add_argument("separator", metavar="SEP", nargs="?", type=separator, help="instead of blanks")
    p.add_argument(
        "-g", dest="gains", type=numbers, metavar="G1:G2:…",
        help="the gains of L1, L2, … (default: 1:2:…)",
    )  # fmt: skip
    p.add_argument("--types", metavar="FILE", help="topic intent inf|nav, if IPROB has no types")
    _add_directory(p)
    p.set_defaults(run=run_split_dqrels)

    p = actions.add_parser(
        "deval",
        help="add gains and compute D-measures, I-rec and D# of all topics of many runs",
        description="Write TOPIC/TOPIC.RUN.NAME.glab, the lists with gains, and RUN.NAME.Dnev, the "
        "results of all topics: gcompute, irec and D#. With --din, .dinlab and .DINnev.",
        allow_abbrev=False,
        conflict_handler="resolve",
    )
    _add_tid(p)
    _add_prefix(p)
    p.add_argument("name", metavar="NAME", help="of the evaluation, in the names of files")
    add_common_options(p)
    _add_mix(p)
    p.add_argument(
        "--din", dest="kind", action="store_const", const=DIN_MEASURES, default=D_MEASURES,
        help="mute items that repeat a navigational intent",
    )  # fmt: skip
    _add_lists(p)
    p.set_defaults(run=run_deval, sharp=("Q", "nDCG"), runlist="-", gamma=None)
    later = {"version": "190111", "rbp": 0.99, "sharp": tuple(SHARP)}
    for name, kind, separated, defaults in (
        ("D-NTCIR-eval", D_MEASURES, False, {}),
        ("D-NTCIR-eval2", D_MEASURES, False, later),
        ("D-NTCIR-eval-sep", D_MEASURES, True, {}),
        ("DIN-NTCIR-eval", DIN_MEASURES, False, {}),
        ("DIN-NTCIR-eval-sep", DIN_MEASURES, True, {}),
    ):
        p = _add_script(actions, name, "deval", allow_abbrev=False, conflict_handler="resolve")
        _add_tid(p)
        _add_prefix(p)
        p.add_argument("cutoff", metavar="CUTOFF", type=count, help="lists are cut there, too")
        p.add_argument("name", metavar="NAME", help="of the evaluation, in the names of files")
        if separated:
            p.add_argument("separator", metavar="SEP", type=separator, help="instead of blanks")
        p.add_argument("runlist", metavar="RUNLIST", nargs="?", default="-")
        _add_mix(p)
        p.set_defaults(run=run_deval_scripts, kind=kind, runs=None, directory="")
        p.set_defaults(
            **{"sharp": ("Q", "nDCG"), **({} if separated else {"separator": None}), **defaults}
        )


def _add_prefix(p: argparse.ArgumentParser) -> None:
    p.add_argument("prefix", metavar="PREFIX", help="of the files of split-dqrels")


def _add_mix(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "-gamma", dest="mix", type=_share, default=0.5, metavar="X",
        help="how much I-rec counts in D#, from 0 to 1, default: 0.5",
    )  # fmt: skip


def _share(text: str) -> float:
    found = number(text)
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 0 to 1")
    return found


def run_split_dqrels(options: argparse.Namespace) -> int:
    """Split judgments for intents."""
    return _write(
        split_dqrels(
            options.probabilities,
            options.dqrels,
            options.prefix,
            options.gains,
            options.types,
            options.separator,
            options.directory,
        )
    )


def run_deval(options: argparse.Namespace) -> int:
    """Add gains, compute, and write both."""
    return _write(
        evaluate_diversity(
            options.runs or names(options.runlist),
            options.tid,
            options.prefix,
            options.name,
            setting_of(options),
            kind=options.kind,
            gamma=options.mix,
            sharp=options.sharp,
            separator=options.separator,
            truncate=options.truncate,
            directory=options.directory,
        )
    )


def run_deval_scripts(options: argparse.Namespace) -> int:
    """The same with one cutoff, where lists are cut."""
    options.cutoffs, options.truncate = (options.cutoff,), options.cutoff
    return run_deval(options)


# -- the same for texts with nuggets -------------------------------------------------------------


def _add_texts(actions: Any) -> None:
    p = actions.add_parser(
        "split-nuggets",
        aliases=["1CLICK-splitnuggets"],
        help="nuggets to a directory for each topic",
        description="Write TOPIC/TOPIC.SUFFIX, the nuggets of each topic, and NUGGETS.tid, the "
        "list of topics.",
    )
    p.add_argument("nuggets", metavar="NUGGETS", help="topic nugget weight length on each line")
    p.add_argument("suffix", metavar="SUFFIX", help="of the files, such as test.nug")
    _add_directory(p)
    p.set_defaults(run=run_split_nuggets)

    p = actions.add_parser(
        "split-matches",
        help="nuggets found in texts to the directories of topics",
        description="Write TOPIC/TOPIC.RUN.mat, the length of each topic's text and where nuggets "
        "end in it, the first time. RUN is the file's name.",
    )
    _add_tid(p)
    p.add_argument(
        "runs", metavar="RUN", nargs="*",
        help="topic syslen= length, and topic nugget offset on each line (default: their paths "
        "are read from standard input)",
    )  # fmt: skip
    _add_directory(p)
    p.set_defaults(run=run_split_matches, runlist="-")

    p = _add_script(actions, "1CLICK-splitmatch", "split-matches")
    _add_tid(p)
    p.add_argument("runlist", metavar="RUNPATHLIST", nargs="?", default="-")
    p.set_defaults(run=run_split_matches, runs=None, directory="")

    p = actions.add_parser(
        "1click",
        help="compute measures of nuggets found in the texts of all topics of many runs",
        description="Write RUN.NAME.1cl, the results of all topics: what ntcir_eval 1click prints.",
        allow_abbrev=False,
    )
    _add_texts_arguments(p)
    add_text_options(p)
    p.add_argument(
        "-sep", "--sep", dest="separator", type=separator, metavar="S", help="instead of blanks"
    )
    _add_runs(p)
    _add_directory(p)
    p.set_defaults(run=run_texts, runlist="-")

    p = _add_script(actions, "1CLICK-eval", "1click", allow_abbrev=False)
    _add_texts_arguments(p)
    p.add_argument("runlist", metavar="RUNLIST", nargs="?", default="-")
    add_text_options(p, L=500)
    p.set_defaults(run=run_texts, runs=None, separator=None, directory="")


def _add_texts_arguments(p: argparse.ArgumentParser) -> None:
    _add_tid(p)
    p.add_argument("suffix", metavar="NUGSUFFIX", help="of the nuggets, such as test.nug")
    p.add_argument("name", metavar="NAME", help="of the evaluation, in the names of files")


def run_split_nuggets(options: argparse.Namespace) -> int:
    """Split nuggets."""
    return _write(split_nuggets(options.nuggets, options.suffix, options.directory))


def run_split_matches(options: argparse.Namespace) -> int:
    """Split the matches of runs, those named or those of a list."""
    runs = options.runs or names(options.runlist)
    return _write(split_matches(runs, options.tid, options.directory))


def run_texts(options: argparse.Namespace) -> int:
    """Compute the measures of the nuggets found."""
    return _write(
        evaluate_texts(
            options.runs or names(options.runlist),
            options.tid,
            options.suffix,
            options.name,
            L=options.L,
            beta=options.beta,
            separator=options.separator,
            directory=options.directory,
        )
    )


# -- results -------------------------------------------------------------------------------------


def _add_results(actions: Any) -> None:
    p = actions.add_parser(
        "means",
        aliases=["NEV2mean"],
        help="means over topics, a file for each measure",
        description="Write RUNLIST.TID.NEVSUFFIX.MEASURE with lines `run mean`. All topics of TID "
        "count, those without results as 0.",
    )
    _add_runlist(p)
    _add_tid(p)
    _add_nev(p)
    p.add_argument("measures", metavar="MEASURE", nargs="+", help="as the files call it: Q@0010")
    p.add_argument(
        "--mean", choices=("arithmetic", "geometric"), default="arithmetic",
        help="geometric: of values of at least 0.00001, in files that end in .gmean",
    )  # fmt: skip
    p.set_defaults(run=run_means)

    p = actions.add_parser(
        "matrix",
        aliases=["Topicsys-matrix"],
        help="one measure of all topics (lines) and runs (columns)",
        description="Print the values of a measure: a line for each topic, a column for each run, "
        "0 where there is no result.",
    )
    _add_tid(p)
    _add_runlist(p)
    _add_nev(p)
    p.add_argument("measures", metavar="MEASURE", nargs=1, help="as the files call it: Q@0010")
    _add_output(p)
    p.set_defaults(run=run_matrix)

    p = actions.add_parser(
        "table",
        help="all results in one table",
        description="Print run, topic, measure and value, and the means as the topic all.",
    )
    _add_tid(p)
    _add_runlist(p)
    _add_nev(p)
    p.add_argument("measures", metavar="MEASURE", nargs="*", help="default: all")
    p.add_argument("-f", "--format", choices=FORMATS, default="tsv", help="default: tsv")
    _add_output(p)
    p.set_defaults(run=run_table)


def _add_runlist(p: argparse.ArgumentParser) -> None:
    p.add_argument("runlist", metavar="RUNLIST", help="file with runs, one on each line")


def _add_nev(p: argparse.ArgumentParser) -> None:
    p.add_argument("suffix", metavar="NEVSUFFIX", help="results are in RUN.NEVSUFFIX: NAME.nev")


def _add_output(p: argparse.ArgumentParser) -> None:
    p.add_argument("-o", "--output", metavar="FILE", help="write to FILE, whole or not at all")


def run_means(options: argparse.Namespace) -> int:
    """Write the means of each measure."""
    scores = results_of(options.runlist, options.suffix, options.tid, options.measures)
    topics = os.path.basename(options.tid).removesuffix(".tid")
    begin = f"{options.runlist}.{topics}.{options.suffix}"
    texts = means(scores, options.mean)
    end = ".gmean" if options.mean == "geometric" else ""
    files = {f"{begin}.{measure}{end}": text for measure, text in texts.items()}
    return _write((files, list(scores.notices)))


def run_matrix(options: argparse.Namespace) -> int:
    """Print topics by runs."""
    scores = results_of(options.runlist, options.suffix, options.tid, options.measures)
    tell(scores.notices)
    write(matrix(scores), options.output)
    return 0


def run_table(options: argparse.Namespace) -> int:
    """Print everything."""
    scores = results_of(options.runlist, options.suffix, options.tid, options.measures)
    show(scores, options.format, True, options.output)
    return 0


# -- judgments in other formats ------------------------------------------------------------------


def _add_convert(actions: Any) -> None:
    formats = actions.add_parser(
        "convert",
        help="judgments in other formats to NTCIR's",
        description="Print judgments as lines `topic doc L2`.",
    ).add_subparsers(metavar="FORMAT", required=True)
    p = formats.add_parser("early", help="of the first NTCIR rounds: topic S|A|B|C doc 0|1")
    _add_qrels(p)
    p.add_argument(
        "--labels", metavar="S=3,A=2,…", default=GRADES,
        help="the level of each grade (default: S=3,A=2,B=1,C=0)",
    )  # fmt: skip
    p.set_defaults(layout=EARLY)
    p = formats.add_parser("trec", help="of TREC: topic iteration doc level")
    _add_qrels(p)
    p.add_argument(
        "--map", dest="labels", metavar="2=3,1=1,…",
        help="other levels, for each that there is (--map=-2=0,… for one below 0)",
    )  # fmt: skip
    p.set_defaults(layout=TREC["qrels"])
    for name, ours, layout, labels in (
        ("EarlyNTCIRqrels2NTCIRqrels", "convert early", EARLY, GRADES),
        ("TRECrobust2NTCIRqrels", "convert trec --map 2=3,1=1,0=0", TREC["qrels"], ROBUST),
    ):
        p = _add_script(actions, name, ours)
        _add_qrels(p)
        p.set_defaults(layout=layout, labels=labels)


def _add_qrels(p: argparse.ArgumentParser) -> None:
    p.add_argument("qrels", metavar="QRELS", nargs="?", default="-", help="or standard input")
    _add_output(p)
    p.set_defaults(run=run_convert)


def run_convert(options: argparse.Namespace) -> int:
    """Print judgments in NTCIR's format."""
    text = convert(Source.of(options.qrels), options.layout, options.labels)
    write(text, options.output)
    return 0


# -- files and messages --------------------------------------------------------------------------


def _write(made: Made) -> int:
    files, notices = made
    write_files(files)
    for path in files:
        print(f"created {printable(path)}", file=sys.stderr)
    tell(notices)
    return 0
