"""`cranfield gdeval`: the program of TREC's Web track, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

import cranfield
from cranfield.cli.options import COUNT, declare, refuse_two_inputs
from cranfield.cli.output import print_lines
from cranfield.errors import InputError
from cranfield.tools.gdeval import HIGHEST, gdeval

ROWS = {
    "qrels QRELS": f"judgments, with levels up to {HIGHEST}",
    "result_file RUN": "a run, taken in the order of its scores",
    "depth K ?": "the same as -k K",
    "complete -c": "means over all topics with a relevant document, answered or not",
    "-k K": "the last rank that counts, default: 20",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="A drop-in for gdeval.pl: nDCG with gain 2^x - 1 and ERR of each topic that "
        "a run answers, and their means.",
        epilog="gdeval -k 10 qrels.txt run.txt",
    )
    declare(p, ROWS, K=COUNT)
    p.add_argument("-baseline", "-riskAlpha", dest="risk", help=argparse.SUPPRESS)
    p.add_argument("-help", action="help", help="the same as -h")
    p.add_argument("-v", "-version", action="version", version=f"cranfield {cranfield.__version__}")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    if options.risk is not None:
        expected = "neither: risk-sensitive evaluation is not here"
        raise InputError("-baseline or -riskAlpha", expected)
    refuse_two_inputs(options.qrels, options.result_file)
    if options.depth and options.k:
        raise InputError("K twice", "it once")
    k = options.depth or options.k or 20
    lines, notices = gdeval(options.qrels, options.result_file, k, complete=options.complete)
    print_lines(lines, notices)
