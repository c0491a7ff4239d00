"""`cranfield hierarchy`: score subtopics of two levels."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.asked import one_measure
from cranfield.cli.options import FIELDS, NUMBER, add_shared, call, declare, refuse_two_inputs
from cranfield.cli.output import add_scores_output, show_scores
from cranfield.data.hierarchies import SEPARATOR
from cranfield.data.run import TIES
from cranfield.evaluation.hierarchy import DEFAULT_MEASURE, evaluate_hierarchy

JUDGMENTS = "judgments of {}-level subtopics: topic;intent;subtopic;level"
PROBABILITIES = "probabilities of the {}-level intents: topic;intent;probability"
FILES = {
    "first FIRST_QRELS": JUDGMENTS.format("first"),
    "second SECOND_QRELS": JUDGMENTS.format("second"),
    "parents PARENTS": "the gold hierarchy: topic;second-level intent;first-level intent",
    "runs RUN +": "topic;0;first-level subtopic;rank;score;0;second-level subtopic;rank;score;tag, "
    "or a table with columns topic, first, second (rank1, score1, rank2, score2)",
    "-m --measure MEASURE …": f"what both levels are scored by (default: {DEFAULT_MEASURE})",
    "--first-weight A": "the part of the first level (default: 0.5)",
    "--intents1 FILE": PROBABILITIES.format("first"),
    "--intents2 FILE": PROBABILITIES.format("second"),
}
OPTIONS = {
    "--ties": "order of both lists: trec: by score, then name, both descending (default); rank: by "
    "rank; given: as in the file; file: by score, then as in the file",
    "--sep S": "what separates the fields of a line of text (default: ;)",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, FILES, first_weight={**NUMBER, "dest": "alpha", "default": 0.5})
    add_scores_output(p)
    declare(p, OPTIONS, ties={"choices": TIES}, sep={**FIELDS, "default": SEPARATOR})
    add_shared(p, "import")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    gold = (options.first, options.second, options.parents)
    refuse_two_inputs(*gold, *options.runs, options.intents1, options.intents2)
    measure = one_measure(options.measures, DEFAULT_MEASURE)
    return show_scores(call(evaluate_hierarchy, options, measure=measure), options)
