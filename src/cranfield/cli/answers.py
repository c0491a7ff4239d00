"""`cranfield answers`: score generated answers."""

from __future__ import annotations

import argparse
from typing import get_args

from cranfield.cli.answer_options import (
    ANSWER_FILES,
    ASSIGNMENTS,
    INVALID,
    TOKENS,
    collect_answer_inputs,
)
from cranfield.cli.options import COLUMNS, call, get_shared_options
from cranfield.cli.output import build_score_output_options, show, show_scores
from cranfield.evaluation.answer_tables import TABLES
from cranfield.evaluation.answers import AnswerCollection, evaluate_answers
from cranfield.evaluation.options import Undefined
from cranfield.measures.names import GROUPS
from cranfield.options import argument, choice, option

OPTIONS = (
    argument("assignments", "ASSIGNMENTS", ASSIGNMENTS, nargs="*"),
    *ANSWER_FILES,
    option(
        "-m --measure",
        "MEASURE",
        f"a measure, one of the groups {', '.join(GROUPS)}, several in one "
        "string, or @FILE with measures; may be repeated (default: all that suit the files)",
        repeat=True,
    ),
    choice(
        "--undefined",
        get_args(Undefined),
        "undefined measures, such as NuggetV without vital nuggets: 0 (zero, default), "
        "nan, excluded from the means (skip), or an error",
    ),
    *TOKENS,
    *INVALID,
    option(
        "--explain",
        "TOPIC",
        "show each nugget, each sentence with its citations and their support, and "
        "each criterion, of the answers to a topic",
    ),
    *build_score_output_options(),
    option(
        "--table",
        "NAME",
        f"one of {', '.join(TABLES)}; may be repeated",
        repeat=True,
        requires="explain",
    ),
    COLUMNS,
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    files = collect_answer_inputs(options)
    if options.explain is None:
        return show_scores(call(evaluate_answers, options, **files), options, options.topics)
    collection = call(AnswerCollection.from_inputs, options, **files)
    return show(
        collection.build_details(options.explain, collection.choose_measures(options.measures)),
        options,
    )
