"""`cranfield text`: score summaries and answers."""

from __future__ import annotations

import argparse

from cranfield.cli.options import COLUMNS, call, get_shared_options
from cranfield.cli.output import build_score_output_options, show, show_scores
from cranfield.errors import InputError
from cranfield.evaluation.texts import BY_NUGGETS, BY_REFERENCES, TextCollection, evaluate_texts
from cranfield.measures.grammar import parse_measures
from cranfield.measures.texts import MEANINGS, Smeasure, Ssharp
from cranfield.options import argument, choice, option

OPTIONS = (
    argument(
        "files",
        "FILE",
        "the references, then the texts of each system; with --nuggets or "
        "--references every FILE is a system. A directory with a file for each topic, lines "
        "topic<TAB>text, or a table with columns topic and text",
        nargs="*",
    ),
    option("--references", "FILE", "reference texts; a topic may have several"),
    option(
        "--nuggets",
        "FILE",
        "nuggets: topic nugget weight length; length of the vital string; or a table with "
        "columns topic, nugget, weight, text, the vital string",
    ),
    option(
        "--matches",
        "FILE",
        "positions of nuggets in the texts of a system: topic nugget offset, the end in "
        "characters; once per system, in order (default: positions of the vital strings)",
        repeat=True,
    ),
    option(
        "-m --measure",
        "MEASURE",
        "a measure such as rouge-2, several in one string, or @FILE with "
        f"measures; may be repeated (default: {' '.join(BY_REFERENCES)} with references, "
        f"{' '.join(BY_NUGGETS)} with nuggets)",
        repeat=True,
    ),
    choice("--tokens", MEANINGS, "; ".join(map(": ".join, MEANINGS.items()))),
    option(
        "--explain",
        "TOPIC",
        "show the matched nuggets of a topic, their positions, and their contribution to S-measure",
    ),
    *build_score_output_options(),
    COLUMNS,
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    files, references = list(options.files), options.references
    if references is None and options.nuggets is None:
        if not files:
            raise InputError.from_problem("no file given", "Use REFERENCES SYSTEM…, or --nuggets.")
        references = files.pop(0)
    texts = {"references": references, "systems": files or None}
    if options.explain is None:
        return show_scores(call(evaluate_texts, options, **texts), options, options.topics)
    collection = call(TextCollection.from_inputs, options, **texts, tokens=options.tokens or "auto")
    measures = parse_measures(options.measures or ())
    S = next((Smeasure(L=m.L) for m in measures if isinstance(m, Smeasure | Ssharp)), Smeasure())
    return show(collection.compute_findings(options.explain, S), options)
