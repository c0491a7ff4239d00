"""`cranfield letor`: LETOR's evaluation tools, under short names and under theirs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from cranfield.cli.options import Action, Argument, add_actions, call, count, refuse_two_inputs
from cranfield.cli.output import tell, write
from cranfield.scores import Notice, Scores
from cranfield.tools import letor
from cranfield.tools.letor import DEPTH


def add_to(command: Any) -> None:
    """Declare the command and its actions."""
    p = command(
        description="A drop-in for LETOR's evaluation tools. Each is known by its own name, too.",
        epilog="LETOR data is read by `cranfield evaluate` as well, for every other measure.",
    )
    add_actions(p, ACTIONS)


def run_eval(options: argparse.Namespace) -> None:
    """Evaluate scores, or positions."""
    refuse_two_inputs(options.test, options.prediction)
    scores: Scores = call(options.evaluate, options)
    text = (letor.tidy if options.tidy else letor.blocks)(scores, options.flag == "1")
    _write(text, scores.notices, options.output)


def run_ttest(options: argparse.Namespace) -> None:
    """Test the difference between two systems."""
    refuse_two_inputs(options.result_a, options.result_b)
    tests, notices = letor.ttest(options.result_a, options.result_b)
    text = (letor.tidy_tests if options.tidy else letor.blocks_of_tests)(tests)
    _write(text, notices, options.output)


def _write(text: str, notices: Iterable[Notice], output: str) -> None:
    tell(notices)
    write(text, None if output == "-" else output)


# -- the table ------------------------------------------------------------------------------------


def _output(columns: str) -> tuple[Argument, Argument]:
    return (
        Argument("output", metavar="OUTPUT",
                 help="where results go, whole or not at all; - is standard output"),
        Argument("--tidy", action="store_true", help=f"write a table: {columns}"),
    )  # fmt: skip


def _arguments(what: str) -> tuple[Argument, ...]:
    return (
        Argument("test", metavar="TEST", help="judgments: level qid:ID features # comment"),
        Argument("prediction", metavar="PREDICTION",
                 help=f"{what}, one on each line, in the order of TEST"),
        *_output("topic, measure, value"),
        Argument("flag", metavar="FLAG", choices=("0", "1"),
                 help="1: every query, and the mean; 0: the mean only"),
        Argument("--depth", type=count, metavar="N", default=DEPTH,
                 help=f"the largest n of P@n and NDCG@n (default: {DEPTH})"),
    )  # fmt: skip


TIES = Argument(
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
        run_eval,
        defaults={"evaluate": letor.eval_score},
        aliases=["Eval-Score"],
    ),
    Action(
        "eval-rank",
        "P@n, MAP and NDCG@n of rank positions",
        "Write P@n, MAP and NDCG@n of lists ordered by position, 1 first.",
        _arguments("rank positions"),
        run_eval,
        defaults={"evaluate": letor.eval_rank},
        aliases=["Eval-Rank"],
    ),
    Action(
        "ttest",
        "paired, two-sided t-test between the results of two systems",
        "Test whether two systems differ: P@n, MAP and NDCG@n, paired by query, two-sided. OUTPUT "
        "has the p-values.",
        (
            Argument("result_a", metavar="RESULT_A", help="results of one system, with FLAG 1"),
            Argument("result_b", metavar="RESULT_B", help="those of the other"),
            *_output("measure, both means, their difference, t and p"),
        ),
        run_ttest,
        aliases=["Eval-ttest", "LETOR-ttest"],
    ),
)
