"""Commands that take generated answers: the options that name them, and what was judged of them."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from cranfield.data.judged_answers import Invalid
from cranfield.measures.texts import MEANINGS
from cranfield.options import Rows, choice, option

ASSIGNMENTS = (
    "which nuggets answers support: JSONL with an object for each answer (qid, run_id, nuggets: "
    "text, importance vital|okay, assignment support|partial_support|not_support), or topic run "
    "nugget importance assignment"
)
ANSWER_FILES: Rows = (
    option(
        "--nuggets",
        "FILE",
        "what nuggets there are, if assignments do not say so: JSONL with an object "
        "for each topic (qid, nuggets: text, importance), or topic nugget importance",
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
        "how far citations support sentences: topic run sentence citation "
        "full|partial|none; may be repeated",
        repeat=True,
    ),
    option(
        "--rubric",
        "FILE",
        "how far answers meet criteria: topic run criterion axis weight met, met "
        "being 0, 0.5 or 1; may be repeated",
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
    """What was judged of answers, by the names that functions have for it."""
    return {
        "assignments": options.assignments or None,
        "nuggets": options.nuggets,
        "answers": options.answers,
        "support": options.supports,
        "rubric": options.rubrics,
        "gold": options.gold,
    }
