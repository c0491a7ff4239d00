"""`cranfield answers`: score generated answers."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.options import among, call, shared
from cranfield.cli.output import scores_output, show, show_scores
from cranfield.evaluation.answers import AnswerCollection, evaluate_answers
from cranfield.evaluation.options import Undefined
from cranfield.measures.names import GROUPS
from cranfield.measures.texts import MEANINGS
from cranfield.report.answers import TABLES

OPTIONS = {
    "assignments ASSIGNMENTS *": "which nuggets answers support: JSONL with an object for each "
    "answer (qid, run_id, nuggets: text, importance vital|okay, assignment "
    "support|partial_support|not_support), or topic run nugget importance assignment",
    "--nuggets FILE": "what nuggets there are, if assignments do not say so: JSONL with an object "
    "for each topic (qid, nuggets: text, importance), or topic nugget importance",
    "--answers FILE …": "the answers: JSONL as TREC's RAG and RAGTIME tracks have it, lines "
    "topic<TAB>text, or a table with columns topic, run, text; may be repeated",
    "--support FILE …": "how far citations support sentences: topic run sentence citation "
    "full|partial|none; may be repeated",
    "--rubric FILE …": "how far answers meet criteria: topic run criterion axis weight met, met "
    "being 0, 0.5 or 1; may be repeated",
    "--gold FILE": "right answers, as lines topic<TAB>text; a topic may have several",
    "-m --measure MEASURE …": f"a measure, one of the groups {', '.join(GROUPS)}, several in one "
    "string, or @FILE with measures; may be repeated (default: all that suit the files)",
    f"--undefined {among(get_args(Undefined))}": "where a measure is undefined, as NuggetV is "
    "without vital nuggets, it counts as 0 (default), is nan, is left out of the means, or is an "
    "error",
    f"--tokens {among(MEANINGS)}": "; ".join(map(": ".join, MEANINGS.items())),
    "--explain TOPIC": "show each nugget, each sentence with its citations and their support, and "
    "each criterion, of the answers to a topic",
    **scores_output(),
    "--table NAME … with --explain TOPIC": f"one of {', '.join(TABLES)}; may be repeated",
    **shared("import"),
}


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    files = {
        "assignments": options.assignments or None,
        "support": options.supports,
        "rubric": options.rubrics,
    }
    if options.explain is None:
        return show_scores(call(evaluate_answers, options, **files), options, options.topics)
    given = call(AnswerCollection.of, options, **files)
    return show(given.details(options.explain, given.asked(options.measures)), options)
