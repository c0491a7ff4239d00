"""`cranfield distribution`: score distributions over labels against gold ones."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from cranfield.cli.asked import measures_of
from cranfield.cli.options import add_shared, call, declare, refuse_two_inputs
from cranfield.cli.output import add_scores_output, show_scores
from cranfield.evaluation.distributions import DEFAULT_MEASURES, Missing, evaluate_distributions

FILES = {
    "gold GOLD": "what people say: item label value",
    "systems SYSTEM +": "what a system says, the same",
    "-m --measure MEASURE …": "NMD, RNOD, RSNOD or JSD, several in one string, or @FILE with "
    f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)})",
}
OPTIONS = {
    "--label-order A,B,…": "all labels in their order, --label-order=-1,0,1 if the first begins "
    "with - (default: those of GOLD, if they are numbers)",
    "--votes": "GOLD has single assessments: item assessor label",
    "--missing-items": "an item that a system lacks is an error (default), or all labels are "
    "equally likely",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, FILES)
    add_scores_output(p, "item")
    missing = {"dest": "missing", "choices": get_args(Missing), "default": "error"}
    declare(p, OPTIONS, label_order={"dest": "labels"}, missing_items=missing)
    add_shared(p, "import")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    refuse_two_inputs(options.gold, *options.systems)
    asked = measures_of(options.measures) or None
    return show_scores(call(evaluate_distributions, options, measures=asked), options)
