"""Options and inputs of the commands for generated answers."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from cranfield.data.judged_answers import Invalid
from cranfield.measures.texts import MEANINGS
from cranfield.options import Rows, choice, option

ASSIGNMENTS = (
    "nuggets that answers support, as JSONL or text; JSONL: one object per answer (qid, run_id, "
    "nuggets: text, importance vital|okay, assignment "
    "support|partial_support|not_support); text: topic run nugget importance assignment"
)
ANSWER_FILES: Rows = (
    option(
        "--nuggets",
        "FILE",
        "nuggets, if the assignments do not contain them; JSONL with one object per topic "
        "(qid, nuggets: text, importance), or topic nugget importance",
    ),
    option(
        "--answers",
        "FILE",
        "the answers: JSONL as TREC's RAG and RAGTIME tracks have it, lines "
        "topic<TAB>text, or a table with columns topic, run, text; may be repeated",
        repeat=True,
    ),
    option(
        "--support",
        "FILE",
        "support of sentences by citations: topic run sentence citation full|partial|none; may be repeated",
        repeat=True,
    ),
    option(
        "--rubric",
        "FILE",
        "criteria that answers meet: topic run criterion axis weight met (0, 0.5 or 1); may be repeated",
        repeat=True,
    ),
    option("--gold", "FILE", "right answers, as lines topic<TAB>text; a topic may have several"),
)
INVALID: Rows = (
    choice(
        "--invalid",
        get_args(Invalid),
        "labels outside the scale (-1, null, N/A): an error (default), or missing labels",
    ),
)
TOKENS: Rows = (choice("--tokens", MEANINGS, "; ".join(map(": ".join, MEANINGS.items()))),)


def collect_answer_inputs(options: argparse.Namespace) -> dict[str, Any]:
    """Return the inputs of generated answers, by the parameters of functions."""
    return {
        "assignments": options.assignments or None,
        "nuggets": options.nuggets,
        "answers": options.answers,
        "support": options.supports,
        "rubric": options.rubrics,
        "gold": options.gold,
    }
