"""`cranfield evaluate`: score runs against judgments."""

from __future__ import annotations

import argparse

from cranfield.cli.asked import runs_of
from cranfield.cli.options import TIES, call, judged, order, preset, shared
from cranfield.cli.output import SORTED, output, show_scores
from cranfield.cli.progress import Progress
from cranfield.errors import InputError
from cranfield.evaluation.asked import DEFAULT_MEASURES
from cranfield.evaluation.evaluate import evaluate

OPTIONS = {
    "qrels QRELS": "judgments: topic iteration doc level, or topic doc L2, or LETOR data; or a "
    "directory with one for each topic, as NTCIREVAL has them",
    "runs RUN *": "results: topic Q0 doc rank score tag; for LETOR data one number a line; of "
    "a directory DIR the run DIR/NAME, or all of its runs if none is named",
    "-m --measure MEASURE …": "a measure such as nDCG@10, several in one string, or @FILE with "
    f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)}; `cranfield measures` "
    "lists them)",
    **preset(
        "what a task evaluates with, such as ntcir13-www-english (`cranfield presets` lists all); "
        "-m adds measures"
    ),
    "--cutoff N with --preset NAME": "cutoff of its measures",
    **output(each="topic"),
    **SORTED,
    "lists and topics": {**order(TIES), **shared("drawn"), **judged()},
    "relevance": shared("relevance"),
    "diversity (Dsharp(nDCG)@10, alpha_nDCG@20, IA(ERR)@20, …)": {
        **shared("intents"),
        "--per-intent": "every intent is a topic of its own, topic/intent; IA(ERR) is then ERR",
        **shared("verticals"),
    },
    "user models (C/W/L: RBP.EU, INST(T=2).ETC, …)": {
        "--measurements": "all five of EU, ETU, EC, ETC and ED in the place of every measure that "
        "is a user model",
        "--residuals": "columns .lower and .upper: all unjudged documents at their worst, at their "
        "best",
        **shared("costs"),
    },
    "other": shared("formats", "import", "threads"),
    "many machines (Spark, which has to be installed)": {
        "--engine {local,spark}": "where the work is done (default: local)",
        "--master URL with --engine spark": "of the cluster (default: as Spark is set up, else all "
        "cores here)",
        "--spark-conf K=V … with --engine spark": "a setting of Spark; may be repeated",
        "--bad-rows {first,count} with --engine spark": "the error shows the first "
        "bad row that is found (default), or tells how many there are",
        "--skip-duplicates with --engine spark": "do not look for documents that are in a list "
        "twice, unless they are judged",
        "--judgments {auto,broadcast,spread} with --engine spark": "sent to all workers, or spread "
        "over them (default: spread from two million on)",
    },
}


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    if options.engine == "spark":
        return _on_spark(options)
    runs = runs_of(options.qrels, options.runs)
    with Progress([options.qrels, *options.runs]) as progress:
        found = call(evaluate, options, runs=runs, progress=progress.step)
    return show_scores(found, options)


def _on_spark(options: argparse.Namespace) -> int:
    """The same by Spark, whose session lasts as long as what is said may ask for it."""
    from cranfield.spark.engine import scores
    from cranfield.spark.session import started

    if not options.runs:
        raise InputError("no run", "RUN with --engine spark")
    with started(options.master, options.spark_confs or ()) as spark:
        with Progress() as progress:
            found = call(
                scores,
                options,
                spark=spark,
                check_duplicates=not options.skip_duplicates,
                progress=lambda told: progress.count(told, told.done, told.tasks, "task"),
            )
            if not options.quiet:
                _ = len(found.notices)  # which may be another pass
        return show_scores(found, options)
