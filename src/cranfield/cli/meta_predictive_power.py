"""`cranfield meta predictive-power`: do measures agree with what people prefer?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import refuse_two_inputs
from cranfield.cli.scored import add_evaluation, add_scored, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.meta.predictive import predictive_power
from cranfield.report.predictive import TABLES, measures_sheet, pairs_sheet, settings


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "predictive-power",
        help="how often do measures agree with people on which of two outputs is better?",
        description="Predictive power: how often do measures agree with people who were shown the "
        "outputs of two runs for a topic, and said which is better?",
        usage="cranfield meta predictive-power [options] --preferences FILE QRELS RUN RUN…\n"
        "       cranfield meta predictive-power [options] --preferences FILE --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 ERR@10")
    p.add_argument(
        "--preferences", metavar="FILE", required=True,
        help="required: lines `topic preferred other`, or `topic run other preferred`, where what "
        "is preferred is one of the two or tie, and an assessor may follow; or a table with these "
        "columns",
    )  # fmt: skip
    p.add_argument(
        "--interval", choices=("wilson", "exact"), default="wilson",
        help="of the rate of agreement: Wilson's (default), or the exact one of Clopper and "
        "Pearson",
    )  # fmt: skip
    p.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="of intervals (default: 0.95)"
    )
    p.add_argument(
        "--alpha", type=float, default=0.05, metavar="A",
        help="differences of two measures with a p-value of at most A are significant (default: "
        "0.05)",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, compare with people, show."""
    refuse_two_inputs(options.preferences, *options.files)
    preferences = read_preference_pairs(options.preferences)
    found = predictive_power(
        scores_of(options, runs=2),
        preferences,
        method=options.interval,
        confidence=options.confidence,
        alpha=options.alpha,
    )
    sheets = [measures_sheet(found)] + ([pairs_sheet(found)] if found.pairs else [])
    show(sheets, found.notices, options, settings=settings(found))
    return 0
