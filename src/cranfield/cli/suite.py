"""`cranfield suite`: comparisons of systems over several collections."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from typing import Any, get_args

from cranfield.cli.gates import GATE, check_gate, write_verdicts
from cranfield.cli.options import call
from cranfield.cli.output import build_output_options, check_output, show, write
from cranfield.cli.progress import Progress
from cranfield.cli.scores import build_evaluation_options, build_measure_options
from cranfield.cli.slices import SLICES
from cranfield.cli.systems import SYSTEM_OPTIONS
from cranfield.comparison.suite_tables import TABLES
from cranfield.comparison.suites import Suite, suite
from cranfield.evaluation.options import OPTIONS as EVALUATION_OPTIONS
from cranfield.evaluation.suites import DEFAULT_MEASURE, MissingRuns, list_files
from cranfield.options import Rows, argument, choice, option, switch
from cranfield.report.page.html import load_template
from cranfield.report.page.report import report_page
from cranfield.stats.options import build_alpha_option, build_correction_option, build_trial_options

SOURCE: Rows = (
    argument("suite", "SUITE", "suite file (TOML), or a directory with NAME/qrels/test.tsv for each collection"),
    option("--runs", "RUNS", "for a directory: directory with SYSTEM/NAME.run for each system and collection"),
    choice(
        "--missing",
        get_args(MissingRuns),
        "missing runs: an error (default), or only collections that all systems have (common)",
    ),
)
COMPARED: Rows = (
    option(
        "--baseline",
        "RUN",
        "compare every other system with this one; may be repeated (default: all pairs)",
        repeat=True,
    ),
    *(row for row in SYSTEM_OPTIONS if row.name != "ranks"),
    *build_correction_option("holm (default), bonferroni, bh (Benjamini and Hochberg) or none"),
    *build_alpha_option("; intervals have confidence 1 − A"),
    *build_trial_options(text="resamples of topics for ranks"),
    switch("--standardise", "divide the differences of each collection by their standard deviation"),
)
SUITE_OPTIONS: Rows = (*SOURCE, *build_measure_options(f"that of the file, or {DEFAULT_MEASURE}"), *COMPARED)
OPTIONS = (
    *SUITE_OPTIONS,
    switch("--pool", "show the pooled difference, in which large collections have more weight"),
    *GATE,
    option("--report", "FILE", "also write an HTML report with a switch between collections"),
    *build_output_options(TABLES),
    *SLICES,
    *build_evaluation_options(scores=False),
)
SUITE_TITLE = "Suite"


def run(options: argparse.Namespace) -> int:
    """Compare systems over collections, and show the tables."""
    check_gate(options)
    if options.report is not None:
        check_output(options.report, is_figure=False)
        load_template()  # before the work, not after it
    result = compute_suite(options)
    gate = options.gate = result.gate(options.margin, options.undecided or "fail") if options.fail_if_worse else None
    if gate is not None:
        result = replace(result, notes=(*result.notes, *gate.notes))
    if options.report is not None:
        options.recording.set_result(result)
        page = report_page(result, title=SUITE_TITLE, command=shlex.join(options.arguments))
        write(replace(page, record=options.recording.embedded.data).html, options.report)
    show(result, options)
    return 0 if gate is None else write_verdicts(gate, options)


def compute_suite(options: argparse.Namespace) -> Suite:
    """Read, evaluate and compare the suite that the options describe."""
    with Progress(list_files(options.suite, options.runs)) as progress:
        settings = collect_settings(options) | {"progress": progress.update}
        return call(
            suite,
            options,
            collections=options.suite,
            baseline=options.baselines,
            evaluation=settings,
        )


def collect_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `evaluate` that were given. The seed is that of resamples."""
    names = [name for name in EVALUATION_OPTIONS if name not in ("seed", "progress")]
    values = {name: getattr(options, name, None) for name in names}
    return {name: x for name, x in values.items() if x is not None and x is not False}
