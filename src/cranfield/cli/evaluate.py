"""`cranfield evaluate`: score runs against judgments."""

from __future__ import annotations

import argparse

from cranfield.cli.arguments import find_runs
from cranfield.cli.options import (
    TIES,
    build_mean_options,
    build_order_options,
    build_preset_options,
    build_row,
    build_rows,
    call,
    get_shared_options,
)
from cranfield.cli.output import SORTED, build_output_options, show_scores
from cranfield.cli.progress import Progress
from cranfield.cli.slices import SLICES, check_slices
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.measures.selection import DEFAULT_MEASURES
from cranfield.options import OptionGroup, argument, choice, option, switch

TABLES = ("scores", "cluster_means", "slices")
OPTIONS = (
    argument(
        "qrels",
        "QRELS",
        "judgments: topic iteration doc level, or topic doc L2, or LETOR data; or a "
        "directory with one for each topic, as NTCIREVAL has them",
    ),
    argument(
        "runs",
        "RUN",
        "runs: topic Q0 doc rank score tag; for LETOR data one number per line; in a "
        "directory DIR the run DIR/NAME, by default all of its runs",
        nargs="*",
    ),
    option(
        "-m --measure",
        "MEASURE",
        "a measure such as nDCG@10, several in one string, or @FILE with "
        f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)}; `cranfield measures` "
        "lists them)",
        repeat=True,
    ),
    *build_preset_options(
        "settings of a task, such as ntcir13-www-english (`cranfield presets` lists all); -m adds measures"
    ),
    option("--cutoff", "N", "cutoff of its measures", value="count", requires="preset"),
    *build_output_options(TABLES, row_name="topic"),
    *SORTED,
    *SLICES,
    OptionGroup(
        "lists and topics",
        (*build_order_options(TIES), *get_shared_options("drawn"), *build_mean_options()),
    ),
    OptionGroup("relevance", get_shared_options("relevance")),
    OptionGroup(
        "diversity (Dsharp(nDCG)@10, alpha_nDCG@20, IA(ERR)@20, …)",
        (
            *get_shared_options("intents"),
            build_row("per_intent"),
            *get_shared_options("verticals"),
        ),
    ),
    OptionGroup(
        "user models (C/W/L: RBP.EU, INST(T=2).ETC, …)",
        (
            *build_rows("measurements", "residuals"),
            *get_shared_options("costs"),
        ),
    ),
    OptionGroup("other", get_shared_options("formats", "import", "threads")),
    OptionGroup(
        "many machines (Spark, which has to be installed)",
        (
            choice("--engine", ("local", "spark"), "engine for the evaluation (default: local)"),
            option(
                "--master",
                "URL",
                "of the cluster (default: Spark's own setting, else all local cores)",
                requires="engine",
                requires_value="spark",
            ),
            option(
                "--spark-conf",
                "K=V",
                "a setting of Spark; may be repeated",
                repeat=True,
                requires="engine",
                requires_value="spark",
            ),
            choice(
                "--bad-rows",
                ("first", "count"),
                "first: report the first bad row (default); count: report the number of bad rows",
                requires="engine",
                requires_value="spark",
            ),
            switch(
                "--skip-duplicates",
                "do not search for duplicate documents, unless they are judged",
                requires="engine",
                requires_value="spark",
            ),
            choice(
                "--judgments",
                ("auto", "broadcast", "spread"),
                "sent to all workers, or spread over them (default: spread from two million on)",
                requires="engine",
                requires_value="spark",
            ),
        ),
    ),
)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    check_slices(options)
    if options.engine == "spark":
        return _run_on_spark(options)
    runs = find_runs(options.qrels, options.runs)
    with Progress([options.qrels, *options.runs]) as progress:
        scores = call(evaluate, options, runs=runs, progress=progress.update)
    return show_scores(scores, options)


def _run_on_spark(options: argparse.Namespace) -> int:
    """Evaluate with Spark; the session must outlive the notes, which can start a pass."""
    from cranfield.spark.engine import scores
    from cranfield.spark.session import open_session

    if not options.runs:
        raise InputError.from_problem("no run given: --engine spark requires RUN")
    with open_session(options.master, options.spark_confs or ()) as spark:
        with Progress() as progress:
            result = call(
                scores,
                options,
                spark=spark,
                check_duplicates=not options.skip_duplicates,
                progress=lambda status: progress.count(status, status.done, status.tasks, "task"),
            )
            if not options.quiet:
                _ = len(result.notes)  # which may be another pass
        return show_scores(result, options)
