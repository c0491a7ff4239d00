"""`cranfield report`: one page that a colleague can open, from the answer to the lists."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from typing import Any

from cranfield.cli.asked import runs_of
from cranfield.cli.options import call
from cranfield.cli.output import refuse_output, write
from cranfield.cli.progress import Progress
from cranfield.cli.saying import say_notices
from cranfield.cli.scored import evaluation, measures_for, refuse_given, scored, scores_of
from cranfield.errors import InputError
from cranfield.report.options import how_tested
from cranfield.report.page.assembly import template
from cranfield.report.page.pages import DEPTH, TITLE, ReportPage, report_page, source

MEASURES = "nDCG@10 AP"
OF_LISTS = ("docs", "second_qrels", "list_depth")
OPTIONS = {
    **scored(MEASURES),
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
    **how_tested("; intervals have confidence 1 − A"),
    **evaluation(),
}


def run(options: argparse.Namespace) -> None:
    """Evaluate, compare, and write the page."""
    refuse_output(options.output, drawn=False)
    template()  # before the work, not after it
    if options.output is None and sys.stdout.isatty():
        raise InputError("a terminal", "-o FILE for a page")
    page = _of_scores(options) if options.scores else _of_runs(options)
    write(page.html, options.output)
    if not options.quiet:
        say_notices(page.notices)


def _of_scores(options: argparse.Namespace) -> ReportPage:
    """The page of scores that are known."""
    refuse_given(options, OF_LISTS, "QRELS RUN… with it: --scores have no lists")
    page = _made(options, {"qrels": scores_of(options), "runs": None, "measures": None})
    files = [source("scores", path) for path in options.files]
    told = [*page.contents.reproduce, *files]
    return ReportPage(replace(page.contents, reproduce=told))


def _of_runs(options: argparse.Namespace) -> ReportPage:
    """The page of judgments and runs."""
    if not options.files:
        raise InputError("no files", "QRELS RUN…, or --scores FILE…")
    options.default_measure = MEASURES
    qrels, *named = options.files
    given = {"qrels": qrels, "runs": [*runs_of(qrels, named)], "measures": measures_for(options)}
    with Progress(options.files) as progress:
        return _made(options, given | {"progress": progress.step})


def _made(options: argparse.Namespace, given: dict[str, Any]) -> ReportPage:
    return call(report_page, options, command=shlex.join(options.arguments), **given)
