"""`cranfield distribution`: score distributions over labels against gold ones."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.options import COLUMNS, call, get_shared_options
from cranfield.cli.output import build_score_output_options, show_scores
from cranfield.evaluation.distributions import DEFAULT_MEASURES, Missing, evaluate_distributions
from cranfield.options import argument, choice, option, switch

OPTIONS = (
    argument("gold", "GOLD", "human distributions: item label value"),
    argument("systems", "SYSTEM", "distributions of a system: item label value", nargs="+"),
    option(
        "-m --measure",
        "MEASURE",
        "NMD, RNOD, RSNOD or JSD, several in one string, or @FILE with "
        f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)})",
        repeat=True,
    ),
    *build_score_output_options("item"),
    option(
        "--label-order",
        "A,B,…",
        "all labels in order; --label-order=-1,0,1 if the first starts with - (default: "
        "labels of GOLD, if they are numbers)",
        name="labels",
    ),
    switch("--votes", "GOLD has single assessments: item assessor label"),
    choice(
        "--missing-items",
        get_args(Missing),
        "items that a system lacks: error (default); uniform: all labels are equally likely",
        name="missing",
    ),
    COLUMNS,
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    return show_scores(call(evaluate_distributions, options), options, options.topics)
