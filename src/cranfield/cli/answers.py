"""`cranfield answers`: score generated answers."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.answered import ASSIGNMENTS, INVALID, JUDGED, TOKENS, judged
from cranfield.cli.options import among, call, shared
from cranfield.cli.output import scores_output, show, show_scores
from cranfield.evaluation.answers import AnswerCollection, evaluate_answers
from cranfield.evaluation.options import Undefined
from cranfield.measures.names import GROUPS
from cranfield.report.answers import TABLES

OPTIONS = {
    "assignments ASSIGNMENTS *": ASSIGNMENTS,
    **JUDGED,
    "-m --measure MEASURE …": f"a measure, one of the groups {', '.join(GROUPS)}, several in one "
    "string, or @FILE with measures; may be repeated (default: all that suit the files)",
    f"--undefined {among(get_args(Undefined))}": "where a measure is undefined, as NuggetV is "
    "without vital nuggets, it counts as 0 (default), is nan, is left out of the means, or is an "
    "error",
    **TOKENS,
    **INVALID,
    "--explain TOPIC": "show each nugget, each sentence with its citations and their support, and "
    "each criterion, of the answers to a topic",
    **scores_output(),
    "--table NAME … with --explain TOPIC": f"one of {', '.join(TABLES)}; may be repeated",
    **shared("import"),
}


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    files = judged(options)
    if options.explain is None:
        return show_scores(call(evaluate_answers, options, **files), options, options.topics)
    given = call(AnswerCollection.of, options, **files)
    return show(given.details(options.explain, given.asked(options.measures)), options)
