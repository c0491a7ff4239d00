"""`cranfield meta swap`: how often do two sets of topics disagree on which run is better?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.compare import add_trials
from cranfield.cli.options import count
from cranfield.cli.plot import refuse_output
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_scored, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.meta.swap import TRIALS, checked_rate, swap
from cranfield.report.swap import TABLES, picture, settings, sheets


def sizes(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    return [count(part.strip()) for part in text.split(",")]


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "swap",
        help="how often do two sets of topics disagree on which run is better?",
        description="Compare all pairs of runs on two disjoint sets of topics, drawn again and "
        "again: how often they swap, by how much they differ (Voorhees and Buckley 2002).",
        usage="cranfield meta swap [options] QRELS RUN RUN…\n"
        "       cranfield meta swap [options] --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 RR P@10")
    p.add_argument(
        "--sizes", type=sizes, metavar="N,N,…", help="topics in a set (default: half of all)"
    )
    p.add_argument(
        "--bin", type=float, default=0.01, metavar="D",
        help="how wide bins of differences are (default: 0.01)",
    )  # fmt: skip
    p.add_argument(
        "--filter", choices=("t",),
        help="only pairs that a paired t-test on the first set finds to differ significantly",
    )  # fmt: skip
    p.add_argument(
        "--alpha", type=float, metavar="A",
        help="with --filter t, p-values of at most A are significant (default: 0.05)",
    )  # fmt: skip
    p.add_argument(
        "--rate", type=float, default=0.05, metavar="R",
        help="the swap rate that is tolerated (default: 0.05)",
    )  # fmt: skip
    add_trials(p, TRIALS, "pairs of sets drawn at random")
    p.add_argument(
        "--plot", metavar="FILE",
        help="draw swap rates against differences: PNG, SVG, PDF, HTML, or their numbers, by the "
        "end of the name; needs pip install 'cranfield[report]'",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, draw sets of topics, show."""
    if options.alpha is not None and options.filter is None:
        raise InputError("--alpha", "--filter t with it")
    checked_rate(options.rate)
    refuse_output(options.plot)
    scores = scores_of(options, runs=2)
    with Trials("drawing topics", options.trials * len(scores.measures)) as progress:
        found = swap(
            scores,
            options.sizes,
            options.bin,
            options.filter,
            0.05 if options.alpha is None else options.alpha,
            options.trials,
            options.seed,
            options.threads,
            progress.step,
        )
    if options.plot is not None:
        picture(found, options.rate).save(options.plot)
    usual = TABLES if options.format == "json" else TABLES[:1]
    notices = (*found.notices, *found.cautions(options.rate))
    show(sheets(found, options.rate), notices, options, usual, settings(found, options.rate))
    return 0
