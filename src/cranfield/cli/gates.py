"""Options and messages of gates: `--fail-if-worse`."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.messages import write_message
from cranfield.errors import InputError
from cranfield.options import Rows, choice, option, switch
from cranfield.stats.gate import Gate, Undecided
from cranfield.tables import convert_numbers
from cranfield.wording import use_decimals

UNDECIDED = choice(
    "--undecided",
    get_args(Undecided),
    "outcome with too few topics to show a loss (default: fail)",
    requires="fail_if_worse",
)
GATE: Rows = (
    switch(
        "--fail-if-worse",
        "report if a run is significantly worse than a baseline by any measure, and exit with 1 if so",
        requires="baselines",
    ),
    option(
        "--margin",
        "M",
        "exit with 1 unless it is shown that no run is worse by "
        "more than M; by the 1 − 2α paired t interval of the difference",
        value="nonnegative",
        requires="fail_if_worse",
    ),
    UNDECIDED,
)

# Fields of a verdict in machine-readable messages.
VERDICT = ("decision", "run", "other", "measure", "topics", "difference", "low", "high", "pvalue")


def check_gate(options: argparse.Namespace) -> None:
    """Raise an error for a gate on systems of several runs."""
    if options.fail_if_worse and options.systems:
        raise InputError.from_problem("--fail-if-worse is not defined with --systems", "Compare single runs.")


def write_verdicts(gate: Gate, options: argparse.Namespace) -> int:
    """Write the verdicts, also with --quiet, and return the exit code."""
    code = 0 if gate.passed else 1
    with use_decimals(options.decimals):
        for line, verdict in zip(gate.lines, gate.verdicts, strict=True):
            level = "error" if verdict in gate.failed else "note"
            slices = ("attribute", "slice") if verdict.attribute else ()
            collections = ("collections",) if verdict.collections is not None else ()
            fields = convert_numbers({name: getattr(verdict, name) for name in (*VERDICT, *slices, *collections)})
            write_message(level, "gate", [line], **fields, exit=code)
    return code
