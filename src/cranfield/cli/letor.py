"""`cranfield letor`: drop-in replacement for LETOR's evaluation tools."""

from __future__ import annotations

from functools import partial

from cranfield.cli import drop_ins
from cranfield.options import argument, choice, option, switch
from cranfield.tools import letor

TEST = (argument("test", "TEST", "judgments: level qid:ID features # comment"),)
SCORES = (argument("prediction", "PREDICTION", "scores, one on each line, in the order of TEST"),)
RANKS = (argument("prediction", "PREDICTION", "rank positions, one on each line, in the order of TEST"),)
OUTPUT = (argument("output", "OUTPUT", "output file, written completely or not at all; - is standard output"),)
RESULTS = (
    *OUTPUT,
    switch("--tidy", "write a table: topic, measure, value"),
    argument("flag", "FLAG", "1: every query, and the mean; 0: the mean only", choices=("0", "1")),
    option("--depth", "N", f"the largest n of P@n and NDCG@n (default: {letor.DEPTH})", value="count"),
)
LAYOUTS = (
    choice(
        "--as-version",
        tuple(letor.RELEASES),
        "layout and numbers of a later release: 4 is LETOR 4.0, mslr is MSLR-WEB10K and "
        f"30K, with levels ≥ 2 relevant for P and MAP (then --depth is {letor.LATER})",
    ),
)
TIES = (
    choice(
        "--ties",
        ("file", "trec", "best", "worst", "expected"),
        "order of equal scores: file: as in TEST (default); trec: by docid, descending; "
        "best, worst: by level; expected: the mean over all orders",
        default="file",
    ),
)
TWO = (
    argument("path_a", "RESULT_A", "results of one system, with FLAG 1"),
    argument("path_b", "RESULT_B", "results of the other system"),
)
TESTS = (switch("--tidy", "write a table: measure, both means, their difference, t and p"),)
SCORING = TEST + SCORES + RESULTS + LAYOUTS + TIES
build_part = partial(drop_ins.build_part, run=drop_ins.run)
PARTS = (
    build_part("eval-score Eval-Score", SCORING, letor.render_scores),
    build_part("eval-rank Eval-Rank", TEST + RANKS + RESULTS, letor.render_ranks),
    build_part("ttest Eval-ttest LETOR-ttest", TWO + OUTPUT + TESTS, letor.render_tests),
)
