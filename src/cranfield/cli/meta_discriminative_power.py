"""`cranfield meta discriminative-power`: how many pairs of runs does a measure tell apart?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.compare import add_alpha, add_trials, steps
from cranfield.cli.plot import refuse_output
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_scored, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.meta.discriminative import discriminative_power
from cranfield.report.discriminative import TABLES, picture, settings, sheets
from cranfield.stats.families import CORRECTION_TITLES, TESTS


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "discriminative-power",
        help="how many pairs of runs does each measure tell apart?",
        description="Test all pairs of runs by each measure: how many differ significantly, from "
        "which difference on, and the p-values of all as a curve (ASL curve).",
        usage="cranfield meta discriminative-power [options] QRELS RUN RUN…\n"
        "       cranfield meta discriminative-power [options] --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 RR P@10")
    p.add_argument(
        "--test", choices=TESTS, metavar="NAME", default="randomised-tukey",
        help=f"one of {', '.join(TESTS)} (default: randomised-tukey)",
    )  # fmt: skip
    p.add_argument(
        "--correction", choices=tuple(CORRECTION_TITLES), metavar="NAME", default="none",
        help="of tests of two runs for the number of pairs: none (default, as the method has it), "
        "holm, bonferroni or bh",
    )  # fmt: skip
    add_alpha(p)
    add_trials(p)
    p.add_argument(
        "--plot", metavar="FILE",
        help="draw the ASL curves: PNG, SVG, PDF, HTML, or their numbers, by the end of the name; "
        "needs pip install 'cranfield[report]'",
    )  # fmt: skip
    p.add_argument(
        "--whole", action="store_true",
        help="with --plot, p-values from 0 to 1 (default: to three times alpha)",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, test, show."""
    if options.whole and options.plot is None:
        raise InputError("--whole", "--plot FILE with it")
    refuse_output(options.plot)
    scores = scores_of(options, runs=2)
    with Trials("testing", steps(options, len(scores.runs), len(scores.measures))) as progress:
        found = discriminative_power(
            scores,
            options.test,
            options.alpha,
            options.correction,
            options.trials,
            options.seed,
            options.threads,
            progress.step,
        )
    if options.plot is not None:
        picture(found, options.whole).save(options.plot)
    usual = TABLES if options.format == "json" else TABLES[:1]
    show(sheets(found), found.notices, options, usual, settings(found))
    return 0
