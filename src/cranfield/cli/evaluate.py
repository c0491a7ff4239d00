"""`cranfield evaluate`: score runs against judgments."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.asked import list_options, measures_of, preset_of, runs_of
from cranfield.cli.options import COUNT, TIES, add_order, add_preset, add_shared, call, declare
from cranfield.cli.output import add_scores_output, show_scores
from cranfield.cli.progress import Progress
from cranfield.evaluation.asked import DEFAULT_MEASURES
from cranfield.evaluation.evaluate import evaluate

FILES = {
    "qrels QRELS": "judgments: topic iteration doc level, or topic doc L2, or LETOR data; or a "
    "directory with one for each topic, as NTCIREVAL has them",
    "runs RUN *": "results: topic Q0 doc rank score tag; for LETOR data one number a line; of a "
    "directory DIR the run DIR/NAME, or all of its runs if none is named",
    "-m --measure MEASURE …": "a measure such as nDCG@10, several in one string, or @FILE with "
    f"measures; may be repeated (default: {' '.join(DEFAULT_MEASURES)}; `cranfield measures` lists "
    "them)",
}
PRESET = (
    "what a task evaluates with, such as ntcir13-www-english (`cranfield presets` lists all); -m "
    "adds measures"
)
CUTOFF = {"--cutoff N": "cutoff of the preset's measures"}
THREADS = {"--threads N": "default: all cores, at most 4"}
PER_INTENT = {
    "--per-intent": "every intent is a topic of its own, topic/intent; IA(ERR) is then ERR",
}
USERS = {
    "--measurements": "all five of EU, ETU, EC, ETC and ED in the place of every measure that is a "
    "user model",
    "--residuals": "columns .lower and .upper: all unjudged documents at their worst, at their "
    "best",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, FILES)
    add_preset(p, PRESET)
    declare(p, CUTOFF, N=COUNT)
    add_scores_output(p, chosen=False)
    order = p.add_argument_group("lists and topics")
    add_order(order, TIES)
    add_shared(order, "drawn", "topics")
    add_shared(p.add_argument_group("relevance"), "relevance")
    diversity = p.add_argument_group("diversity (Dsharp(nDCG)@10, alpha_nDCG@20, IA(ERR)@20, …)")
    add_shared(diversity, "intents")
    declare(diversity, PER_INTENT)
    add_shared(diversity, "verticals")
    users = p.add_argument_group("user models (C/W/L: RBP.EU, INST(T=2).ETC, …)")
    declare(users, USERS)
    add_shared(users, "costs")
    other = p.add_argument_group("other")
    add_shared(other, "formats", "import")
    declare(other, THREADS, N=COUNT)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    runs = runs_of(options)
    with Progress([options.qrels, *options.runs]) as progress:
        scores = call(
            evaluate,
            options,
            **list_options(options) | {"runs": runs},
            measures=measures_of(options.measures) or None,
            preset=preset_of(options),
            progress=progress.step,
        )
    return show_scores(scores, options)
