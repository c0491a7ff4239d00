"""`cranfield ndeval`: the program of the Web track's diversity task, its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

import cranfield
from cranfield.cli.options import COUNT, call, declare, refuse_two_inputs
from cranfield.cli.output import print_lines
from cranfield.tools.ndeval import ndeval

ROWS = {
    "qrels QRELS": "judgments: topic subtopic document level",
    "result_file RUN": "a run, taken in the order of its ranks",
    "-traditional": "take the run in the order of its scores, then of document ids",
    "complete -c": "means over all topics with judgments, answered or not",
    "-alpha A": "how much less a subtopic is worth each time it was found, default: 0.5",
    "-beta B": "probability of going on to the next rank, for NRBP, default: 0.5",
    "depth -M DEPTH": "the last rank that counts",
    "-baseline RUN": "print differences from this run",
    "risk -riskAlpha A": "with a baseline: count losses 1 + A times, default: 0",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="A drop-in for ndeval: ERR-IA, alpha-nDCG, NRBP and others of each topic that "
        "a run answers, and their means.",
        epilog="ndeval -c qrels.txt run.txt",
    )
    number = {"type": float}
    declare(p, ROWS, alpha=number, beta=number, DEPTH=COUNT, risk={"type": weight})
    p.add_argument("-a", action="store_true", help=argparse.SUPPRESS)  # known and of no effect
    p.add_argument("-help", action="help", help="the same as -h")
    p.add_argument("-v", "-version", action="version", version=f"cranfield {cranfield.__version__}")
    p.set_defaults(run=run)


def weight(text: str) -> float:
    """A number from 0."""
    from cranfield.data.reading.lines import finite

    number = finite(text)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 0")
    return number


def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    refuse_two_inputs(options.qrels, options.result_file, options.baseline)
    print_lines(*call(ndeval, options, run=options.result_file))
