"""`cranfield report`: one page that a colleague can open, from the answer to the lists."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cranfield.cli.answered import ASSIGNMENTS, INVALID, JUDGED, TOKENS, judged
from cranfield.cli.asked import runs_of
from cranfield.cli.options import call
from cranfield.cli.output import refuse_output, write
from cranfield.cli.progress import Progress
from cranfield.cli.saying import say_notices
from cranfield.cli.scored import DECIDING, evaluation, measures_for, refuse_given, scored, scores_of
from cranfield.errors import InputError
from cranfield.evaluation.answers import told_apart
from cranfield.report.options import how_tested
from cranfield.report.page.assembly import template
from cranfield.report.page.pages import DEPTH, TITLE, ReportPage, report_page, source

MEASURES = "nDCG@10 AP"
OF_LISTS = ("docs", "second_qrels", "list_depth")
OF_ANSWERS = ("assignments", "nuggets", "answers", "supports", "rubrics", "gold", "tokens")
OF_RUNS = (DECIDING | {"second_qrels", "list_depth"}) - {"measures", "topics", "undefined"}
SCORED_ANSWERS = (
    "QRELS RUN…, or answers alone; scores of answers are a file for --scores, too (cranfield "
    "answers … -q -o FILE)"
)
WITH_ANSWERS = (
    "QRELS RUN… beside answers, or neither (nuggets go to --assignments FILE, and every file of "
    "answers comes after an --answers of its own; answers may be a RUN, too: their references)"
)
OPTIONS = {
    **scored(f"{MEASURES}, of answers all that suit their files"),
    "-o --output FILE": "write the page to FILE, whole or not at all (default: standard output)",
    "--title TEXT": f"of the page (default: {TITLE})",
    "--queries FILE": "what topics ask: a table (TSV, CSV, JSONL, Parquet) with columns such as "
    "qid and query, of which all others are slices; or lines `topic<TAB>query`",
    "--docs FILE": "titles and texts of documents: such a table with docno (or id), title and "
    "text; or lines `doc<TAB>text`; what is not shown is not kept",
    "--second-qrels FILE": "other judgments of the same topics: how far both agree, and what "
    "becomes of the runs",
    "--list-depth N": f"so many documents of each list are shown (default: {DEPTH})",
    "--complete": "leave nothing out, however large the page becomes",
    "generated answers": {
        "--assignments FILE …": f"{ASSIGNMENTS}; may be repeated",
        **JUDGED,
        **TOKENS,
        **INVALID,
    },
    **how_tested("; intervals have confidence 1 − A"),
    **evaluation(),
}


def run(options: argparse.Namespace) -> None:
    """Evaluate, compare, and write the page."""
    refuse_output(options.output, drawn=False)
    template()  # before the work, not after it
    if options.output is None and sys.stdout.isatty():
        raise InputError("a terminal", "-o FILE for a page")
    page = _made_of(options)(options)
    write(page.html, options.output)
    if not options.quiet:
        say_notices(page.notices)


def _made_of(options: argparse.Namespace) -> Callable[[argparse.Namespace], ReportPage]:
    """What makes the page: of scores, of judgments and runs, or of answers alone."""
    if options.scores:
        return _of_scores
    return _of_runs if options.files or not _answers(options) else _of_answers


def _answers(options: argparse.Namespace) -> dict[str, Any]:
    """The answers, and what was judged of them, as far as they are given."""
    return {name: given for name, given in judged(options).items() if given is not None}


def _of_scores(options: argparse.Namespace) -> ReportPage:
    """The page of scores that are known."""
    refuse_given(options, OF_LISTS, "QRELS RUN… with it: --scores have no lists")
    refuse_given(options, OF_ANSWERS, SCORED_ANSWERS)
    page = _made(options, {"qrels": scores_of(options), "runs": None, "measures": None})
    files = [source("scores", path) for path in options.files]
    told = [*page.contents.reproduce, *files]
    return ReportPage(replace(page.contents, reproduce=told))


def _of_runs(options: argparse.Namespace) -> ReportPage:
    """The page of judgments and runs, and answers if they are given."""
    if not options.files:
        raise InputError("no files", "QRELS RUN…, --scores FILE…, or --answers and what was judged")
    qrels, *named = options.files
    answers = _answers(options)
    runs = runs_of(qrels, named, expected=WITH_ANSWERS) if answers else runs_of(qrels, named)
    options.default_measure = MEASURES
    measures = measures_for(options)
    of_lists, of_answers = told_apart(options.measures)
    if of_answers and not answers:
        raise InputError(f"{of_answers[0]} and no answers", "--assignments, or --support, with it")
    if of_answers and not of_lists:
        measures = [*of_answers, *([] if options.preset else MEASURES.split())]
    given = {"qrels": qrels, "runs": [*runs], "measures": measures}
    with Progress(options.files) as progress:
        return _made(options, given | answers | {"progress": progress.step})


def _of_answers(options: argparse.Namespace) -> ReportPage:
    """The page of answers alone."""
    refuse_given(options, OF_RUNS, "QRELS RUN… with it: there are answers only")
    given = {"qrels": None, "runs": None, "measures": options.measures}
    return _made(options, given | _answers(options))


def _made(options: argparse.Namespace, given: dict[str, Any]) -> ReportPage:
    return call(report_page, options, command=shlex.join(options.arguments), **given)
