"""`cranfield ndeval`: the program of the Web track's diversity task, its options and its output."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield.cli.drop_ins import add_messages, run
from cranfield.cli.options import COUNT, FROM_0, NUMBER, declare
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


def add_to(p: Any) -> None:
    """Declare the command."""
    declare(p, ROWS, alpha=NUMBER, beta=NUMBER, DEPTH=COUNT, risk=FROM_0)
    p.add_argument("-a", action="store_true", help=argparse.SUPPRESS)  # known and of no effect
    add_messages(p)
    p.set_defaults(run=partial(run, ndeval))
