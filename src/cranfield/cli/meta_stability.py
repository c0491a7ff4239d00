"""`cranfield meta stability`: is the ranking the same on fewer topics, or with fewer judgments?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.compare import add_seed
from cranfield.cli.meta_swap import sizes
from cranfield.cli.options import count
from cranfield.cli.plot import refuse_output
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_scored, evaluation, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.meta.rankings import STATISTICS
from cranfield.meta.stability import (
    SHARES,
    TRIALS,
    TRIALS_OF_JUDGMENTS,
    Stability,
    stability,
    stability_of_judgments,
)
from cranfield.report.sheets import FLAT
from cranfield.report.stability import TABLES, picture, settings, sheets

ONLY_TOPICS = {"sizes": None, "against": "all", "replacement": False, "scores": False}


def shares(text: str) -> list[float]:
    """Numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        expected = "numbers such as 0.1,0.5"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}") from None


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "stability",
        help="is the ranking of runs the same on fewer topics, or with fewer judgments?",
        description="Rank runs on random samples of the topics, or with random parts of the "
        "judgments, and compare the rankings with that on all of them.",
        usage="cranfield meta stability [options] QRELS RUN RUN…\n"
        "       cranfield meta stability [options] --scores FILE…",
    )
    add_scored(p, default="AP nDCG@10 RR P@10")
    p.add_argument(
        "--sample", choices=("topics", "judgments"), default="topics",
        help="what is drawn at random (default: topics)",
    )  # fmt: skip
    p.add_argument(
        "--sizes", type=sizes, metavar="N,N,…", help="topics in a sample (default: ten sizes)"
    )
    p.add_argument(
        "--against", choices=("all", "others"), default="all",
        help="a sample of topics is compared with all (default), or with as many others",
    )  # fmt: skip
    p.add_argument(
        "--replacement", action="store_true", help="a topic may be in a sample several times"
    )
    p.add_argument(
        "--shares", type=shares, metavar="S,S,…",
        help="of the judgments that are kept (default: 0.1,0.2,…,1)",
    )  # fmt: skip
    p.add_argument(
        "--statistic", choices=tuple(STATISTICS), default="kendall", metavar="NAME",
        help=f"one of {', '.join(STATISTICS)} (default: kendall)",
    )  # fmt: skip
    p.add_argument(
        "--confidence", type=float, default=0.95, metavar="C",
        help="the share of trials that intervals hold (default: 0.95)",
    )  # fmt: skip
    p.add_argument(
        "--trials", type=count, metavar="B",
        help=f"random samples of each size (default: {TRIALS:,}; {TRIALS_OF_JUDGMENTS} with "
        "--sample judgments)",
    )  # fmt: skip
    add_seed(p)
    p.add_argument(
        "--plot", metavar="FILE",
        help="draw the curves: PNG, SVG, PDF, HTML, or their numbers, by the end of the name; "
        "needs pip install 'cranfield[report]'",
    )  # fmt: skip
    add_output(p.add_argument_group("output"), TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, sample, show."""
    refuse_output(options.plot)
    found = _of_topics(options) if options.sample == "topics" else _of_judgments(options)
    if options.plot is not None:
        picture(found).save(options.plot)
    rows = options.format in (*FLAT, "json")
    usual = ("points",) if rows else ("sizes",)
    show(sheets(found), found.notices, options, usual, settings(found))
    return 0


def _of_topics(options: argparse.Namespace) -> Stability:
    if options.shares is not None:
        raise InputError("--shares", "--sample judgments with it")
    trials = options.trials or TRIALS
    scores = scores_of(options, runs=2)
    with Trials("drawing topics", trials * len(scores.measures)) as progress:
        return stability(
            scores,
            options.sizes,
            options.statistic,
            options.against,
            options.replacement,
            options.confidence,
            trials,
            options.seed,
            options.threads,
            progress.step,
        )


def _of_judgments(options: argparse.Namespace) -> Stability:
    for name, usual in ONLY_TOPICS.items():
        if getattr(options, name) != usual:
            raise InputError(f"--{name}", "--sample topics with it")
    if not options.files:
        raise InputError("no files", "QRELS RUN RUN…")
    qrels, *files = options.files
    runs, given = evaluation(options, qrels, files, least=2)
    trials = options.trials or TRIALS_OF_JUDGMENTS
    with Trials("drawing judgments", trials) as progress:
        return stability_of_judgments(
            qrels,
            runs,
            shares=options.shares or SHARES,
            statistic=options.statistic,
            confidence=options.confidence,
            trials=trials,
            seed=options.seed,
            progress=progress.step,
            **given,
        )
