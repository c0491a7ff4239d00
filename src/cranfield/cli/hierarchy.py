"""`cranfield hierarchy`: score subtopics of two levels."""

from __future__ import annotations

import argparse

from cranfield.cli.arguments import parse_single_measure
from cranfield.cli.options import (
    COLUMNS,
    RUN_NAMES,
    build_format_option,
    build_tie_options,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_score_output_options, show_scores
from cranfield.data.reading.formats import FORMATS
from cranfield.evaluation.hierarchy import DEFAULT_MEASURE, evaluate_hierarchy
from cranfield.options import argument, option

JUDGMENTS = "judgments of {}-level subtopics: topic;intent;subtopic;level"
PROBABILITIES = "probabilities of the {}-level intents: topic;intent;probability"
OPTIONS = (
    argument("first", "FIRST_QRELS", JUDGMENTS.format("first")),
    argument("second", "SECOND_QRELS", JUDGMENTS.format("second")),
    argument("parents", "PARENTS", "the gold hierarchy: topic;second-level intent;first-level intent"),
    argument(
        "runs",
        "RUN",
        "topic;0;first-level subtopic;rank;score;0;second-level subtopic;rank;score;"
        "tag, or a table with columns topic, first, second (rank1, score1, rank2, score2)",
        nargs="+",
    ),
    option(
        "-m --measure",
        "MEASURE",
        f"measure for both levels (default: {DEFAULT_MEASURE})",
        repeat=True,
    ),
    option(
        "--first-weight",
        "A",
        "the part of the first level (default: 0.5)",
        name="alpha",
        value="number",
    ),
    option("--intents1", "FILE", PROBABILITIES.format("first")),
    option("--intents2", "FILE", PROBABILITIES.format("second")),
    *build_score_output_options(),
    *build_tie_options(),
    option(
        "--sep",
        "S",
        "field separator in text files (default: ;)",
        name="separator",
        value="separator",
    ),
    build_format_option("--qrels-format", FORMATS),
    RUN_NAMES,
    COLUMNS,
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    measure = parse_single_measure(options.measures, DEFAULT_MEASURE)
    return show_scores(call(evaluate_hierarchy, options, measure=measure), options, options.topics)
