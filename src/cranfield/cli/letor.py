"""`cranfield letor`: LETOR's evaluation tools, under short names and under theirs."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import count, refuse_two_inputs
from cranfield.cli.output import tell, write
from cranfield.scores import Scores
from cranfield.tools.letor import (
    DEPTH,
    blocks,
    blocks_of_tests,
    eval_rank,
    eval_score,
    tidy,
    tidy_tests,
    ttest,
)

TIES = ("file", "trec", "best", "worst", "expected")


def add_to(command: Any) -> None:
    """Declare the command and its actions."""
    p = command(
        description="A drop-in for LETOR's evaluation tools. Each is known by its own name, too.",
        epilog="LETOR data is read by `cranfield evaluate` as well, for every other measure.",
    )
    actions = p.add_subparsers(metavar="ACTION", required=True)
    p = _add_eval(actions, "eval-score", "Eval-Score", "scores", "score, the highest first")
    p.add_argument(
        "--ties", choices=TIES, default="file",
        help="order of equal scores: file: as in TEST (default); trec: by docid, descending; "
        "best, worst: by level; expected: the mean over all orders",
    )  # fmt: skip
    p.set_defaults(run=run_score)
    p = _add_eval(actions, "eval-rank", "Eval-Rank", "rank positions", "position, 1 first")
    p.set_defaults(run=run_rank)

    p = actions.add_parser(
        "ttest",
        aliases=["Eval-ttest", "LETOR-ttest"],
        help="paired, two-sided t-test between the results of two systems",
        description="Test whether two systems differ: P@n, MAP and NDCG@n, paired by query, "
        "two-sided. OUTPUT has the p-values.",
    )
    p.add_argument("result_a", metavar="RESULT_A", help="results of one system, with FLAG 1")
    p.add_argument("result_b", metavar="RESULT_B", help="those of the other")
    _add_output(p, "measure, both means, their difference, t and p")
    p.set_defaults(run=run_ttest)


def _add_eval(actions: Any, name: str, script: str, what: str, order: str) -> Any:
    p = actions.add_parser(
        name,
        aliases=[script],
        help=f"P@n, MAP and NDCG@n of {what}",
        description=f"Write P@n, MAP and NDCG@n of lists ordered by {order}.",
    )
    p.add_argument("test", metavar="TEST", help="judgments: level qid:ID features # comment")
    p.add_argument("prediction", metavar="PREDICTION",
                   help=f"{what}, one on each line, in the order of TEST")  # fmt: skip
    _add_output(p, "topic, measure, value")
    p.add_argument("flag", metavar="FLAG", choices=("0", "1"),
                   help="1: every query, and the mean; 0: the mean only")  # fmt: skip
    p.add_argument("--depth", type=count, metavar="N", default=DEPTH,
                   help=f"the largest n of P@n and NDCG@n (default: {DEPTH})")  # fmt: skip
    return p


def _add_output(p: Any, columns: str) -> None:
    p.add_argument("output", metavar="OUTPUT",
                   help="where results go, whole or not at all; - is standard output")  # fmt: skip
    p.add_argument("--tidy", action="store_true", help=f"write a table: {columns}")


def run_score(options: argparse.Namespace) -> int:
    """Evaluate scores."""
    refuse_two_inputs(options.test, options.prediction)
    scores = eval_score(options.test, options.prediction, options.depth, options.ties)
    return _show(scores, options)


def run_rank(options: argparse.Namespace) -> int:
    """Evaluate positions."""
    refuse_two_inputs(options.test, options.prediction)
    return _show(eval_rank(options.test, options.prediction, options.depth), options)


def run_ttest(options: argparse.Namespace) -> int:
    """Test the difference between two systems."""
    refuse_two_inputs(options.result_a, options.result_b)
    tests, notices = ttest(options.result_a, options.result_b)
    tell(notices)
    _write(tidy_tests(tests) if options.tidy else blocks_of_tests(tests), options.output)
    return 0


def _show(scores: Scores, options: argparse.Namespace) -> int:
    made = (tidy if options.tidy else blocks)(scores, options.flag == "1")
    tell(scores.notices)
    _write(made, options.output)
    return 0


def _write(made: str, output: str) -> None:
    write(made, None if output == "-" else output)
