"""`cranfield meta leave-one-out`: does the collection do justice to runs that were not pooled?"""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.evaluate import add_preset
from cranfield.cli.options import count, refuse_two_inputs
from cranfield.cli.plot import refuse_output
from cranfield.cli.progress import Progress
from cranfield.cli.scored import add_evaluation, evaluation
from cranfield.cli.sheets import add_output, show
from cranfield.meta.leave_one_out import POOL_DEPTH, leave_one_out
from cranfield.report.leave_one_out import (
    TABLES,
    contributors_sheet,
    picture,
    runs_sheet,
    settings,
    summary_sheet,
)
from cranfield.report.sheets import FLAT

DEFAULT = "AP nDCG@10"


def add_to(methods: Any) -> None:
    """Declare the method."""
    p = methods.add_parser(
        "leave-one-out",
        help="are runs that did not contribute to the pool scored as they should be?",
        description="The leave-one-out test. Each run, or team, is left out in turn: its runs are "
        "scored without the judgments of documents that nobody else had in the pool. If scores and "
        "ranks hardly change, the collection can be used for runs that were not pooled.",
        usage="cranfield meta leave-one-out [options] QRELS RUN RUN…",
    )
    p.add_argument("qrels", metavar="QRELS", help="judgments, as for `cranfield evaluate`")
    p.add_argument("runs", metavar="RUN", nargs="*", default=[], help="the runs that made the pool")
    p.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
        help="a measure such as nDCG@10, several in one string, or @FILE; may be repeated "
        f"(default: {DEFAULT})",
    )  # fmt: skip
    add_preset(p, "what a task evaluates with (`cranfield presets` lists all)")
    p.add_argument(
        "--teams", metavar="FILE",
        help="leave out teams, not runs: lines `run team`, or a table with these columns",
    )  # fmt: skip
    p.add_argument(
        "--pool-depth", type=count, metavar="K", default=POOL_DEPTH,
        help=f"how many documents of each list were judged (default: {POOL_DEPTH})",
    )  # fmt: skip
    shown = p.add_argument_group("output")
    add_output(shown, TABLES)
    shown.add_argument(
        "--plot", metavar="FILE",
        help="draw scores before and after: PNG, SVG, PDF, HTML, or the numbers, by the end of the "
        "name; needs pip install 'cranfield[report]'",
    )  # fmt: skip
    add_evaluation(p, scores=False)
    p.set_defaults(run=run, default_measure=DEFAULT)


def run(options: argparse.Namespace) -> int:
    """Leave out one after the other, show what changes, and draw."""
    refuse_output(options.plot)
    refuse_two_inputs(options.teams, options.qrels, *options.runs)
    runs, given = evaluation(options, options.qrels, options.runs, least=2)
    with Progress([options.qrels, *options.runs]) as progress:
        found = leave_one_out(
            options.qrels,
            runs,
            teams=options.teams,
            pool_depth=options.pool_depth,
            **given,
            progress=progress.step,
        )
    if options.plot is not None:
        picture(found).save(options.plot)
    sheets = [summary_sheet(found), runs_sheet(found), contributors_sheet(found)]
    usual = ("runs",) if options.format in FLAT else None
    show(sheets, found.notices, options, usual, settings(found))
    return 0
