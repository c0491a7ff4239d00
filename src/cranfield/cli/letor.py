"""`cranfield letor`: LETOR's evaluation tools, under short names and under theirs."""

from __future__ import annotations

from typing import Any

from cranfield.cli import drop_ins
from cranfield.cli.options import COUNT, Action
from cranfield.tools import letor

run = drop_ins.run

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
SCORING = TEST | SCORES | RESULTS | LAYOUTS | TIES
ACTIONS = (
    Action("eval-score Eval-Score", SCORING, letor.render_scores),
    Action("eval-rank Eval-Rank", TEST | RANKS | RESULTS, letor.render_ranks),
    Action("ttest Eval-ttest LETOR-ttest", TWO | OUTPUT | TESTS, letor.render_tests),
)
