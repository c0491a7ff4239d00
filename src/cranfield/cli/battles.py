"""`cranfield battles`: who is stronger, from outputs that were shown two at a time?"""

from __future__ import annotations

import argparse

from cranfield.cli import runner
from cranfield.cli.output import output
from cranfield.cli.scored import DECIDING, evaluation, refuse_given, scored
from cranfield.judging.battles import TRIALS, battles
from cranfield.report.battles import TABLES
from cranfield.report.meta import Work
from cranfield.report.options import alpha, confidence, correction, told, trials
from cranfield.stats.battles import RIDGE

FILES = (
    "what a measure says of the same runs: QRELS RUN RUN…, or with --scores files with the scores "
    "of topics; none: the battles alone"
)
OPTIONS = {
    "data FILE": "battles: topic run_a run_b winner, which is a, b, tie or the name of a run; "
    "tables may have first, too, the one that was shown first",
    **scored(files=FILES),
    "--ridge R": told("ridge/2 · Σ (log π)² is taken off, which bounds strengths", RIDGE),
    **correction("holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"),
    **alpha(),
    **confidence(),
    **trials(TRIALS, "bootstrap samples of topics"),
    **output(TABLES),
    **evaluation(),
}


def run(options: argparse.Namespace) -> int:
    """Fit, and show the tables."""
    if not options.files:
        refuse_given(options, DECIDING - {"scores"}, "QRELS RUN RUN…, or --scores FILE…, with it")
    work = Work(
        battles,
        "scores" if options.files or options.scores else "nothing",
        doing="drawing topics",
        steps=lambda asked, runs, measures: asked.trials,
    )
    return runner.run(work, options)
