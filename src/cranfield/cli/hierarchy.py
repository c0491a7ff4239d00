"""`cranfield hierarchy`: score subtopics of two levels."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.evaluate import add_output, show
from cranfield.cli.options import add_import, refuse_two_inputs, separator, settings_of
from cranfield.data.hierarchies import SEPARATOR
from cranfield.data.run import TIES
from cranfield.evaluation.hierarchy import DEFAULT_MEASURE, evaluate_hierarchy


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Score systems that return subtopics of two levels, those of the second below "
        "those of the first: H-measure, Hscore, and a D♯-measure of each level.",
        epilog="Fields of text are separated by semicolons, as subtopics contain blanks. Files may "
        "also be CSV or TSV with a header, JSON, JSONL, Parquet or Arrow, plain or compressed; - "
        "is standard input.",
    )
    for level in ("first", "second"):
        p.add_argument(
            level, metavar=f"{level.upper()}_QRELS",
            help=f"judgments of {level}-level subtopics: topic;intent;subtopic;level",
        )  # fmt: skip
    p.add_argument(
        "parents", metavar="PARENTS",
        help="the gold hierarchy: topic;second-level intent;first-level intent",
    )  # fmt: skip
    p.add_argument(
        "runs", metavar="RUN", nargs="+",
        help="topic;0;first-level subtopic;rank;score;0;second-level subtopic;rank;score;tag, or a "
        "table with columns topic, first, second (rank1, score1, rank2, score2)",
    )  # fmt: skip
    p.add_argument(
        "-m", "--measure", metavar="MEASURE", default=DEFAULT_MEASURE,
        help=f"what both levels are scored by (default: {DEFAULT_MEASURE})",
    )  # fmt: skip
    p.add_argument(
        "--alpha", type=float, metavar="A", default=0.5,
        help="the part of the first level (default: 0.5)",
    )  # fmt: skip
    for number, level in (("1", "first"), ("2", "second")):
        p.add_argument(
            f"--intents{number}", metavar="FILE",
            help=f"probabilities of the {level}-level intents: topic;intent;probability",
        )  # fmt: skip
    add_output(p)
    p.add_argument(
        "--ties", choices=TIES,
        help="order of both lists: trec: by score, then name, both descending (default); rank: by "
        "rank; given: as in the file; file: by score, then as in the file",
    )  # fmt: skip
    p.add_argument(
        "--sep", metavar="S", dest="separator", type=separator, default=SEPARATOR,
        help="what separates the fields of a line of text (default: ;)",
    )  # fmt: skip
    add_import(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    gold = (options.first, options.second, options.parents)
    refuse_two_inputs(*gold, *options.runs, options.intents1, options.intents2)
    settings = settings_of(options, "intents1", "intents2", "alpha", "ties", "separator")
    scores = evaluate_hierarchy(*gold, options.runs, options.measure, **settings)
    show(scores, options.format, options.per_topic, options.output)
    return 0
