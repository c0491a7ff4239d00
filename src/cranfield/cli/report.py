"""`cranfield report`: write an HTML report."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cranfield.cli.answer_options import (
    ANSWER_FILES,
    ASSIGNMENTS,
    INVALID,
    TOKENS,
    collect_answer_inputs,
)
from cranfield.cli.arguments import find_runs
from cranfield.cli.messages import write_notes
from cranfield.cli.options import build_rows, call
from cranfield.cli.output import check_output, write
from cranfield.cli.progress import Progress
from cranfield.cli.scores import (
    DECIDING,
    build_evaluation_options,
    build_score_options,
    choose_measures,
    get_scores,
    reject_options,
)
from cranfield.errors import InputError
from cranfield.evaluation.answers import split_measures
from cranfield.options import OptionGroup, option, switch
from cranfield.report.formats.machine_readable import build_document
from cranfield.report.page.contents import ReportData
from cranfield.report.page.html import load_template
from cranfield.report.page.report import DEPTH, TITLE, ReportPage, describe_source, report_page
from cranfield.report.results import prepare_output
from cranfield.stats.options import build_testing_options

MEASURES = "nDCG@10 AP"
LIST_OPTIONS = ("docs", "second_qrels", "list_depth")
ANSWER_OPTIONS = ("assignments", "nuggets", "answers", "supports", "rubrics", "gold", "tokens")
RUN_OPTIONS = (DECIDING | {"second_qrels", "list_depth"}) - {"measures", "topics", "undefined"}
SCORED_ANSWERS = "QRELS RUN…, or only answers; for scores of answers, use --scores (cranfield answers … -q -o FILE)"
WITH_ANSWERS = (
    "QRELS RUN… with answers, or neither (nuggets: --assignments FILE; every file of "
    "answers: --answers FILE; answers can also be a RUN, with their references)"
)
OPTIONS = (
    *build_score_options(f"{MEASURES}, of answers all that suit their files"),
    option(
        "-o --output",
        "FILE",
        "write the report to FILE, completely or not at all (default: standard output)",
    ),
    option("--title", "TEXT", f"title of the report (default: {TITLE})"),
    option(
        "--queries",
        "FILE",
        "queries of topics, as a table or lines `topic<TAB>query`; tables (TSV, CSV, JSONL, Parquet) "
        "have columns such as qid and query, all other columns are slices",
    ),
    *build_rows("by"),
    option(
        "--docs",
        "FILE",
        "titles and texts of documents, as a table or lines `doc<TAB>text`; tables have columns docno "
        "(or id), title and text; only displayed texts are kept",
    ),
    option(
        "--second-qrels",
        "FILE",
        "second judgments of the same topics: agreement, and effect on the runs",
    ),
    option(
        "--list-depth",
        "N",
        f"show the top N documents of each ranking (default: {DEPTH})",
        value="count",
    ),
    switch("--complete", "include everything, regardless of the size of the report"),
    OptionGroup(
        "generated answers",
        (
            option("--assignments", "FILE", f"{ASSIGNMENTS}; may be repeated", repeat=True),
            *ANSWER_FILES,
            *TOKENS,
            *INVALID,
        ),
    ),
    *build_testing_options("; intervals have confidence 1 − A"),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> None:
    """Evaluate, compare, and write the report."""
    check_output(options.output, is_figure=False)
    load_template()  # before the work, not after it
    if options.output is None and sys.stdout.isatty():
        raise InputError.from_problem("the report cannot be written to a terminal", "Use -o FILE.")
    page = _add_sources(_choose_builder(options)(options), options)
    options.recording.set_document(_build_result(page))
    page = replace(page, record=options.recording.embedded.data)
    write(page.html, options.output)
    if not options.quiet:
        write_notes(page.notes)


def _add_sources(page: ReportPage, options: argparse.Namespace) -> ReportPage:
    """Return the report with the hashes of presets and imported files."""
    files = {"preset": [options.presets] if options.presets else [], "import": options.imports or []}
    sources = [describe_source(use, path) for use, paths in files.items() for path in paths]
    return replace(page, contents=replace(page.contents, provenance=[*page.contents.provenance, *sources]))


def _build_result(page: ReportPage) -> dict[str, Any]:
    """Return scores and comparisons as in JSON, for the record."""
    assert isinstance(page.contents, ReportData)  # noqa: S101
    parts = [build_document(prepare_output(x, "json", {"per_topic": True})) for x in page.contents.parts.parts]
    comparisons = [x for x in page.contents.part_comparisons if x is not None]
    compared = [build_document(prepare_output(comparison, "json", {})) for comparison in comparisons]
    return (parts[0] if len(parts) == 1 else {"parts": parts}) | {"comparisons": compared}


def _choose_builder(options: argparse.Namespace) -> Callable[[argparse.Namespace], ReportPage]:
    """Return the function that builds the report of the given inputs."""
    if options.scores:
        return _build_from_scores
    return _build_from_runs if options.files or not _collect_answers(options) else _build_from_answers


def _collect_answers(options: argparse.Namespace) -> dict[str, Any]:
    """Return the inputs of generated answers that are not omitted."""
    return {name: value for name, value in collect_answer_inputs(options).items() if value is not None}


def _build_from_scores(options: argparse.Namespace) -> ReportPage:
    """Build the report of given scores."""
    reject_options(options, LIST_OPTIONS, "QRELS RUN…", "--scores have no rankings.")
    reject_options(options, ANSWER_OPTIONS, SCORED_ANSWERS)
    by, options.by = options.by, None  # the report reads the slices, with its queries
    arguments = {"qrels": get_scores(options), "runs": None, "measures": None, "by": by}
    page = _build_page(options, arguments)
    files = [describe_source("scores", path) for path in options.files]
    sources = [*page.contents.provenance, *files]
    return replace(page, contents=replace(page.contents, provenance=sources))


def _build_from_runs(options: argparse.Namespace) -> ReportPage:
    """Build the report of judgments and runs, with answers if available."""
    if not options.files:
        raise InputError.from_problem("no files given", "Use QRELS RUN…, --scores FILE…, or --answers with judgments.")
    qrels, *paths = options.files
    answers = _collect_answers(options)
    runs = find_runs(qrels, paths, usage=WITH_ANSWERS) if answers else find_runs(qrels, paths)
    options.default_measure = MEASURES
    measures = choose_measures(options)
    list_measures, answer_measures = split_measures(options.measures)
    if answer_measures and not answers:
        raise InputError.from_problem(f"{answer_measures[0]} requires --assignments or --support")
    if answer_measures and not list_measures:
        measures = [*answer_measures, *([] if options.preset else MEASURES.split())]
    arguments = {"qrels": qrels, "runs": [*runs], "measures": measures}
    with Progress(options.files) as progress:
        return _build_page(options, arguments | answers | {"progress": progress.update})


def _build_from_answers(options: argparse.Namespace) -> ReportPage:
    """Build the report of generated answers only."""
    reject_options(options, RUN_OPTIONS, "QRELS RUN…")
    arguments = {"qrels": None, "runs": None, "measures": options.measures}
    return _build_page(options, arguments | _collect_answers(options))


def _build_page(options: argparse.Namespace, arguments: dict[str, Any]) -> ReportPage:
    return call(report_page, options, command=shlex.join(options.arguments), **arguments)
