"""`cranfield reconcile`: find the conventions behind a published score."""

from __future__ import annotations

import argparse

from cranfield.cli.options import COLUMNS, LABELS, SEPARATOR, build_format_option, call
from cranfield.cli.output import build_output_options, show
from cranfield.data.reading.formats import FORMATS, RUN_FORMATS
from cranfield.errors import InputError
from cranfield.measures.grammar import parse_with_texts
from cranfield.options import OptionGroup, argument, choice, option
from cranfield.reconciliation.search import reconcile
from cranfield.reconciliation.tools import NAMES
from cranfield.wording import format_count

OPTIONS = (
    argument("qrels", "QRELS", "judgments"),
    argument("run", "RUN", "run with the published score"),
    option("-m --measure", "MEASURE", "measure of --said; may be repeated, then so must --said", repeat=True),
    option(
        "--said",
        "SCORE",
        "published score such as 0.4127 or 41.3%",
        repeat=True,
        name="said",
    ),
    option("--tolerance", "T", "largest difference (default: half a unit of the last decimal)", value="number"),
    choice("--tool", NAMES, "start from the conventions of a tool (default: cranfield)"),
    option("--depth", "N", "only the first N documents of each ranking (default: all)", value="count"),
    option("--changes", "N", "conventions that may differ, at most 3 (default: 2)", value="integer", default=2),
    *build_output_options(),
    OptionGroup(
        "files",
        (
            build_format_option("--qrels-format", FORMATS),
            build_format_option("--run-format", RUN_FORMATS),
            COLUMNS,
            SEPARATOR,
            LABELS,
        ),
    ),
)


def run(options: argparse.Namespace) -> int:
    """Search, show the matches, and return 1 if there are none."""
    measures = [m for _, m in parse_with_texts(options.measures or ())]
    scores = options.said or []
    if not measures or len(measures) != len(scores) or len(set(measures)) < len(measures):
        problem = f"{format_count(len(measures), 'measure')} (-m) and {format_count(len(scores), 'score')} (--said)"
        raise InputError.from_problem(problem, "Give one --said for each different -m.")
    result = call(reconcile, options, said=dict(zip(measures, scores, strict=True)))
    show(result, options)
    return 0 if result else 1
