"""`cranfield meta correlation`: do measures, or sets of judgments, rank runs alike?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.compare import add_trials
from cranfield.cli.plot import refuse_output
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_scored, evaluated, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.data.assessments import assessor_names
from cranfield.errors import InputError
from cranfield.meta.correlation import TRIALS, correlation
from cranfield.meta.rankings import STATISTICS, P
from cranfield.report.correlation import TABLES, picture, settings, sheets
from cranfield.report.sheets import FLAT
from cranfield.scores import Scores


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "correlation",
        help="do measures, or sets of judgments, rank runs alike?",
        description="Correlate the rankings of runs by every two measures, or those of every "
        "measure by two sets of judgments, with intervals from resampled topics.",
        usage="cranfield meta correlation [options] QRELS RUN RUN…\n"
        "       cranfield meta correlation [options] --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 ERR@10")
    p.add_argument(
        "--qrels2", metavar="FILE",
        help="other judgments: correlate each measure by QRELS with itself by these",
    )  # fmt: skip
    p.add_argument(
        "--statistic", choices=tuple(STATISTICS), default="kendall", metavar="NAME",
        help=f"one of {', '.join(STATISTICS)} (default: kendall); of tau-ap the measure of the "
        "column, or QRELS, is the gold one",
    )  # fmt: skip
    p.add_argument("--p", type=float, metavar="P", help=f"of rbo: how deep it looks (default: {P})")
    p.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="of intervals (default: 0.95)"
    )
    add_trials(p, TRIALS, "random draws of topics, for intervals")
    p.add_argument(
        "--plot", metavar="FILE",
        help="draw the matrix, or with --qrels2 the means by both: PNG, SVG, PDF, HTML, or its "
        "numbers, by the end of the name; needs pip install 'cranfield[report]'",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, correlate, show."""
    if options.p is not None and options.statistic != "rbo":
        raise InputError("--p", "--statistic rbo with it")
    refuse_output(options.plot)
    others = _others(options)
    scores = scores_of(options, runs=2)
    with Trials("resampling", options.trials) as progress:
        found = correlation(
            scores,
            others,
            options.statistic,
            p=P if options.p is None else options.p,
            confidence=options.confidence,
            trials=options.trials,
            seed=options.seed,
            threads=options.threads,
            progress=progress.step,
            **_names(options),
        )
    if options.plot is not None:
        picture(found).save(options.plot)
    rows = options.format in (*FLAT, "json") or found.between == "sets"
    usual = ("pairs",) if rows else ("matrix",)
    show(sheets(found), found.notices, options, usual, settings(found))
    return 0


def _names(options: argparse.Namespace) -> dict[str, list[str]]:
    """What the two sets of judgments are called: as their files."""
    if options.qrels2 is None:
        return {}
    return {"names": assessor_names([options.files[0], options.qrels2])}


def _others(options: argparse.Namespace) -> Scores | None:
    """The scores by the other judgments, if there are any."""
    if options.qrels2 is None:
        return None
    if options.scores:
        raise InputError("--qrels2 and --scores", "one of them")
    if "-" in (options.qrels2, *options.files):
        raise InputError("-", "files with --qrels2: runs are read twice")
    return evaluated(options, runs=2, qrels=options.qrels2)
