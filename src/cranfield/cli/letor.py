"""`cranfield letor`: LETOR's evaluation tools, under short names and under theirs."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import Action, Argument, add_actions, argument, count, refuse_two_inputs
from cranfield.cli.output import tell, write
from cranfield.scores import Scores
from cranfield.tools import letor
from cranfield.tools.letor import DEPTH


def add_to(command: Any) -> None:
    """Declare the command and its actions."""
    p = command(
        description="A drop-in for LETOR's evaluation tools. Each is known by its own name, too.",
        epilog="LETOR data is read by `cranfield evaluate` as well, for every other measure.",
    )
    add_actions(p, ACTIONS)


def run_score(options: argparse.Namespace) -> int:
    """Evaluate scores."""
    refuse_two_inputs(options.test, options.prediction)
    scores = letor.eval_score(options.test, options.prediction, options.depth, options.ties)
    return _show(scores, options)


def run_rank(options: argparse.Namespace) -> int:
    """Evaluate positions."""
    refuse_two_inputs(options.test, options.prediction)
    return _show(letor.eval_rank(options.test, options.prediction, options.depth), options)


def run_ttest(options: argparse.Namespace) -> int:
    """Test the difference between two systems."""
    refuse_two_inputs(options.result_a, options.result_b)
    tests, notices = letor.ttest(options.result_a, options.result_b)
    tell(notices)
    text = (letor.tidy_tests if options.tidy else letor.blocks_of_tests)(tests)
    _write(text, options.output)
    return 0


def _show(scores: Scores, options: argparse.Namespace) -> int:
    text = (letor.tidy if options.tidy else letor.blocks)(scores, options.flag == "1")
    tell(scores.notices)
    _write(text, options.output)
    return 0


def _write(made: str, output: str) -> None:
    write(made, None if output == "-" else output)


# -- the table ------------------------------------------------------------------------------------


def _output(columns: str) -> tuple[Argument, Argument]:
    return (
        argument("output", metavar="OUTPUT",
                 help="where results go, whole or not at all; - is standard output"),
        argument("--tidy", action="store_true", help=f"write a table: {columns}"),
    )  # fmt: skip


def _arguments(what: str) -> tuple[Argument, ...]:
    return (
        argument("test", metavar="TEST", help="judgments: level qid:ID features # comment"),
        argument("prediction", metavar="PREDICTION",
                 help=f"{what}, one on each line, in the order of TEST"),
        *_output("topic, measure, value"),
        argument("flag", metavar="FLAG", choices=("0", "1"),
                 help="1: every query, and the mean; 0: the mean only"),
        argument("--depth", type=count, metavar="N", default=DEPTH,
                 help=f"the largest n of P@n and NDCG@n (default: {DEPTH})"),
    )  # fmt: skip


TIES = argument(
    "--ties", choices=("file", "trec", "best", "worst", "expected"), default="file",
    help="order of equal scores: file: as in TEST (default); trec: by docid, descending; "
    "best, worst: by level; expected: the mean over all orders",
)  # fmt: skip
ACTIONS = (
    Action(
        "eval-score",
        "P@n, MAP and NDCG@n of scores",
        "Write P@n, MAP and NDCG@n of lists ordered by score, the highest first.",
        (*_arguments("scores"), TIES),
        run_score,
        aliases=["Eval-Score"],
    ),
    Action(
        "eval-rank",
        "P@n, MAP and NDCG@n of rank positions",
        "Write P@n, MAP and NDCG@n of lists ordered by position, 1 first.",
        _arguments("rank positions"),
        run_rank,
        aliases=["Eval-Rank"],
    ),
    Action(
        "ttest",
        "paired, two-sided t-test between the results of two systems",
        "Test whether two systems differ: P@n, MAP and NDCG@n, paired by query, two-sided. OUTPUT "
        "has the p-values.",
        (
            argument("result_a", metavar="RESULT_A", help="results of one system, with FLAG 1"),
            argument("result_b", metavar="RESULT_B", help="those of the other"),
            *_output("measure, both means, their difference, t and p"),
        ),
        run_ttest,
        aliases=["Eval-ttest", "LETOR-ttest"],
    ),
)
