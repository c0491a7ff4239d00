"""`cranfield distribution`: score distributions over labels against gold ones."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from cranfield.cli.evaluate import add_output, measures_of, show
from cranfield.cli.options import add_import, refuse_two_inputs, settings_of
from cranfield.evaluation.distributions import DEFAULT_MEASURES, Missing, evaluate_distributions


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Score systems' distributions over labels against those of people.",
        epilog="Files may be text, CSV or TSV with a header (item, label, value; or item and one "
        "column for each label), JSON, JSONL, Parquet or Arrow, plain or compressed; - is "
        "standard input. Whole numbers throughout are votes.",
    )
    p.add_argument("gold", metavar="GOLD", help="what people say: item label value")
    p.add_argument("systems", metavar="SYSTEM", nargs="+", help="what a system says, the same")
    p.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
        help="NMD, RNOD, RSNOD or JSD, several in one string, or @FILE with measures; may be "
        f"repeated (default: {' '.join(DEFAULT_MEASURES)})",
    )  # fmt: skip
    add_output(p, "item")
    p.add_argument(
        "--labels", metavar="A,B,…",
        help="all labels in their order, --labels=-1,0,1 if the first begins with - (default: "
        "those of GOLD, if they are numbers)",
    )  # fmt: skip
    p.add_argument(
        "--votes", action="store_true", help="GOLD has single assessments: item assessor label"
    )
    p.add_argument(
        "--missing", choices=get_args(Missing), default="error",
        help="an item that a system lacks is an error (default), or all labels are equally likely",
    )  # fmt: skip
    add_import(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    refuse_two_inputs(options.gold, *options.systems)
    asked = measures_of(options.measures) or None
    settings = settings_of(options, "labels", "votes", "missing")
    scores = evaluate_distributions(options.gold, options.systems, asked, **settings)
    show(scores, options.format, options.per_topic, options.output)
    return 0
