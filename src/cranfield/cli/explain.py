"""`cranfield explain`: all that the registry knows of a measure."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.cli.evaluate import add_order, add_shared, list_options, refuse_inputs
from cranfield.cli.options import add_import
from cranfield.errors import InputError
from cranfield.measures.base import READINGS, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import aliases_of
from cranfield.measures.references import REFERENCES

if TYPE_CHECKING:
    from cranfield.evaluation.steps import Explanation


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Formula, parameters, worked example and reference of a measure; with --on, "
        "how its score for one topic of a run comes about.",
    )
    p.add_argument("measures", metavar="MEASURE", nargs="+", help="such as nDCG@10 or Q(beta=2)")
    p.add_argument("--bibtex", action="store_true", help="print the references as BibTeX only")
    on = p.add_argument_group("the score of one topic, step by step")
    on.add_argument("--on", nargs=2, metavar=("QRELS", "RUN"), help="judgments and results")
    on.add_argument("--topic", metavar="TOPIC", help="the topic (default: the first one judged)")
    add_order(on)
    add_shared(on, "relevance", "intents", "verticals", "costs", "formats")
    add_import(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain each measure."""
    found = parse_measures(options.measures)
    if options.on is not None and options.bibtex:
        raise InputError("--bibtex and --on", "one of them")
    if options.on is not None:
        print("\n\n".join(str(steps) for steps in _on(found, options)))
    elif options.topic is not None:
        raise InputError("--topic", "--on QRELS RUN with it")
    elif options.bibtex:
        keys = dict.fromkeys(key for m in found for key in m.references)
        print("\n\n".join(REFERENCES[key] for key in keys))
    else:
        print("\n\n".join(explanation(m) for m in found))
    return 0


def _on(measures: Sequence[Measure], options: argparse.Namespace) -> list[Explanation]:
    """How each measure comes to its score for the topic."""
    from cranfield.evaluation.tracing import explain_all

    path, results = options.on
    refuse_inputs(options, path, results)
    return explain_all(measures, path, results, options.topic, **list_options(options))


def explanation(m: Measure) -> str:
    """All that is known of a measure, for people."""
    lines = [str(m), "", inspect.getdoc(m) or ""]
    if variant := m.variant():
        lines.insert(1, f"  {variant}")
    if type(m).__name__ in READINGS and not isinstance(m, UserModel):
        lines += ["", f"As a user model: {type(m).__name__}.EU and others (C/W/L)"]
    if aliases := aliases_of(type(m).__name__):
        lines += ["", f"Also called: {', '.join(aliases)}"]
    return "\n".join(lines)
