"""`cranfield battles`: rate runs by battles between their outputs."""

from __future__ import annotations

import argparse

from cranfield.cli import runner
from cranfield.cli.output import build_output_options
from cranfield.cli.scores import (
    DECIDING,
    build_evaluation_options,
    build_score_options,
    reject_options,
)
from cranfield.judging.battle_tables import TABLES
from cranfield.judging.battles import TRIALS, battles
from cranfield.options import Computation, argument, option
from cranfield.stats.battles import RIDGE
from cranfield.stats.options import (
    build_alpha_option,
    build_confidence_option,
    build_correction_option,
    build_trial_options,
)

FILES = (
    "scores of a measure for the same runs: QRELS RUN RUN…, or with --scores files "
    "with scores of topics; none: only the battles"
)
OPTIONS = (
    argument(
        "data",
        "FILE",
        "battles: topic run_a run_b winner (a, b, tie or the name of a run); tables can "
        "have a column first, the output shown first",
    ),
    *build_score_options(files=FILES),
    option(
        "--ridge",
        "R",
        "subtract ridge/2 · Σ (log π)², which bounds strengths",
        value="number",
        default=RIDGE,
    ),
    *build_correction_option("holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"),
    *build_alpha_option(),
    *build_confidence_option(),
    *build_trial_options(TRIALS, "bootstrap samples of topics"),
    *build_output_options(TABLES),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Fit, and show the tables."""
    if not options.files:
        reject_options(options, DECIDING - {"scores", "columns"}, "QRELS RUN RUN…, or --scores FILE…")
    work = Computation(
        battles,
        "scores" if options.files or options.scores else "nothing",
        activity="drawing topics",
        steps=lambda args, runs, measures: args.trials,
    )
    return runner.run(work, options)
