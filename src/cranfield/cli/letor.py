"""`cranfield letor`: LETOR's evaluation tools, under short names and under theirs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from cranfield.cli.drop_ins import found, put
from cranfield.cli.options import COUNT, Action, add_actions
from cranfield.scores import Scores
from cranfield.tools import letor


def add_to(command: Any) -> None:
    """Declare the command and its actions."""
    add_actions(command(), ACTIONS, run_eval, SETTINGS)


def run_eval(work: Callable[..., Scores], options: argparse.Namespace) -> None:
    """Evaluate scores, or positions."""
    scores = found(work, options)
    layout = letor.table if getattr(options, "as_version", None) else letor.blocks
    text = (letor.tidy if options.tidy else layout)(scores, options.flag == "1")
    put(text, scores.notices, options)


def run_ttest(work: Callable[..., Any], options: argparse.Namespace) -> None:
    """Test the difference between two systems."""
    tests, notices = found(work, options)
    text = (letor.tidy_tests if options.tidy else letor.blocks_of_tests)(tests)
    put(text, notices, options)


# -- the table ------------------------------------------------------------------------------------

SETTINGS: dict[str, dict[str, Any]] = {
    "N": COUNT,
    "flag": {"choices": ("0", "1")},
    "as_version": {"choices": tuple(letor.RELEASES)},
    "ties": {"choices": ("file", "trec", "best", "worst", "expected"), "default": "file"},
}
TEST = {"test TEST": "judgments: level qid:ID features # comment"}
SCORES = {"prediction PREDICTION": "scores, one on each line, in the order of TEST"}
RANKS = {"prediction PREDICTION": "rank positions, one on each line, in the order of TEST"}
OUTPUT = {"output OUTPUT": "where results go, whole or not at all; - is standard output"}
RESULTS = OUTPUT | {
    "--tidy": "write a table: topic, measure, value",
    "flag FLAG": "1: every query, and the mean; 0: the mean only",
    "--depth N": f"the largest n of P@n and NDCG@n (default: {letor.DEPTH})",
}
LAYOUTS = {
    "--as-version": "the layout and numbers of a later release: 4 is LETOR 4.0's, mslr that of "
    f"MSLR-WEB10K and 30K, where levels from 2 count for P and MAP (then --depth is {letor.LATER})",
}
TIES = {
    "--ties": "order of equal scores: file: as in TEST (default); trec: by docid, descending; "
    "best, worst: by level; expected: the mean over all orders",
}
TWO = {
    "path_a RESULT_A": "results of one system, with FLAG 1",
    "path_b RESULT_B": "those of the other",
}
TESTS = {"--tidy": "write a table: measure, both means, their difference, t and p"}
ACTIONS = (
    Action("eval-score Eval-Score", TEST | SCORES | RESULTS | LAYOUTS | TIES, letor.eval_score),
    Action("eval-rank Eval-Rank", TEST | RANKS | RESULTS, letor.eval_rank),
    Action("ttest Eval-ttest LETOR-ttest", TWO | OUTPUT | TESTS, letor.ttest, run_ttest),
)
