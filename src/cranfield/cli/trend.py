"""`cranfield trend`: nightly results, and whether tonight differs."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.gates import UNDECIDED
from cranfield.cli.messages import write_message
from cranfield.cli.options import COLUMNS, call
from cranfield.cli.output import build_output_options, show
from cranfield.cli.scores import MEASURE
from cranfield.comparison.trend import LAST, NightDifference, Trend, trend
from cranfield.comparison.trend_tables import TABLES, write_sentence
from cranfield.errors import InputError
from cranfield.evaluation.nights import MissingTopics
from cranfield.options import Rows, argument, choice, option, switch
from cranfield.stats.gate import Undecided
from cranfield.stats.options import build_alpha_option
from cranfield.tables import convert_numbers
from cranfield.wording import use_decimals

TREND_OPTIONS: Rows = (
    argument("nights", "NIGHT", "scores of topics for each night, oldest first, as for --scores", nargs="+"),
    option(
        "--baseline", "RELEASE", "scores of a release: test each night against it (default: the median)", name="release"
    ),
    option("-m --measure", "MEASURE", f"{MEASURE} (default: all in the files but counts)", repeat=True),
    option("--last", "K", f"nights of the median (default: {LAST})", value="count", default=LAST),
    option("--looks", "N", "number of tests before the first NIGHT (default: 0)", value="integer", default=0),
    *build_alpha_option(": probability of any false alarm; intervals have confidence 1 − A"),
    option(
        "--lower-is-better",
        "NAME",
        "measure with lower values better; may be repeated",
        name="lowers",
        repeat=True,
    ),
    choice(
        "--missing",
        get_args(MissingTopics),
        "topics or runs that some nights lack: an error (default), or excluded (common)",
    ),
    COLUMNS,
)
OPTIONS = (
    *TREND_OPTIONS,
    switch("--summary", "write a short message in Markdown, for a chat"),
    switch("--fail-if-worse", "exit with 1 if the last night is significantly worse by any measure"),
    UNDECIDED,
    *build_output_options(TABLES),
)
VERDICT = ("measure", "run", "night", "reference", "topics", "difference", "low", "high", "pvalue", "look")


def run(options: argparse.Namespace) -> int:
    """Show the series and the tests, and return the exit code of the gate."""
    if options.summary and options.tables:
        raise InputError.from_problem("use either --summary or --table, not both")
    options.format = "markdown" if options.summary else options.format
    result = compute_trend(options)
    show(result, options)
    if not options.fail_if_worse:
        return 0
    undecided: Undecided = options.undecided or "fail"
    code = 0 if result.passes(undecided) else 1
    with use_decimals(options.decimals):
        for row in result.tonight:
            decision = result.decide(row, undecided)
            fails = decision == "fail" or (decision == "undecided" and undecided == "fail")
            fields = convert_numbers({name: getattr(row, name) for name in VERDICT})
            line = f"{decision}: {_explain(result, row, decision)}"
            write_message("error" if fails else "note", "gate", [line], decision=decision, **fields, exit=code)
    return code


def _explain(result: Trend, row: NightDifference, decision: str) -> str:
    few = " Too few topics differ for any loss to be significant." if decision == "undecided" else ""
    return f"{write_sentence(result, row)}{few}"


def compute_trend(options: argparse.Namespace) -> Trend:
    """Read and analyse the nights that the options describe."""
    return call(trend, options, nights=options.nights, baseline=options.release, lower=options.lowers)
