"""`cranfield gdeval`: the program of TREC's Web track, with its options and its output."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield.cli.drop_ins import add_messages, run
from cranfield.cli.options import COUNT, declare
from cranfield.errors import InputError
from cranfield.tools.gdeval import HIGHEST, gdeval

ROWS = {
    "qrels QRELS": f"judgments, with levels up to {HIGHEST}",
    "result_file RUN": "a run, taken in the order of its scores",
    "complete -c": "means over all topics with a relevant document, answered or not",
}
CUTOFF = {"last K ?": "the same as -k K", "-k K": "the last rank that counts, default: 20"}


def add_to(p: Any) -> None:
    """Declare the command."""
    declare(p, ROWS)
    declare(p.add_mutually_exclusive_group(), CUTOFF, K=COUNT)
    p.add_argument("-baseline", "-riskAlpha", type=reject_option, help=argparse.SUPPRESS)
    add_messages(p)
    p.set_defaults(run=partial(run, gdeval, parts={"k": choose_cutoff}))


def choose_cutoff(k: int = 20, last: int | None = None) -> int:
    """The last rank that counts, however it is given."""
    return last or k


def reject_option(_: str) -> None:
    """What the program can do, and this one cannot."""
    raise InputError("-baseline or -riskAlpha", "neither: risk-sensitive evaluation is not here")
