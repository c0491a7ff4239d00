"""`cranfield battles`: who is stronger, from outputs that were shown two at a time?"""

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
from cranfield.judging.battles import TRIALS, battles
from cranfield.options import Computation, argument, option
from cranfield.report.battles import TABLES
from cranfield.stats.battles import RIDGE
from cranfield.stats.options import (
    build_alpha_option,
    build_confidence_option,
    build_correction_option,
    build_trial_options,
)

FILES = (
    "what a measure says of the same runs: QRELS RUN RUN…, or with --scores files with the scores "
    "of topics; none: the battles alone"
)
OPTIONS = (
    argument(
        "data",
        "FILE",
        "battles: topic run_a run_b winner, which is a, b, tie or the name of a run; "
        "tables may have first, too, the one that was shown first",
    ),
    *build_score_options(files=FILES),
    option(
        "--ridge",
        "R",
        "ridge/2 · Σ (log π)² is taken off, which bounds strengths",
        value="number",
        default=RIDGE,
    ),
    *build_correction_option(
        "holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"
    ),
    *build_alpha_option(),
    *build_confidence_option(),
    *build_trial_options(TRIALS, "bootstrap samples of topics"),
    *build_output_options(TABLES),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Fit, and show the tables."""
    if not options.files:
        reject_options(options, DECIDING - {"scores"}, "QRELS RUN RUN…, or --scores FILE…, with it")
    work = Computation(
        battles,
        "scores" if options.files or options.scores else "nothing",
        activity="drawing topics",
        steps=lambda args, runs, measures: args.trials,
    )
    return runner.run(work, options)
