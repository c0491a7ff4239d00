"""`cranfield explain`: formula, parameters and reference of a measure."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence

from cranfield.cli.options import (
    TIES,
    build_order_options,
    build_topics_option,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_output_options, show
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.measures.base import READINGS, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import list_aliases
from cranfield.options import OptionGroup, argument, option, switch
from cranfield.report.listing import Listing

OPTIONS = (
    argument("named", "MEASURE", "such as nDCG@10 or Q(beta=2)", nargs="+"),
    switch(
        "--bibtex",
        "print the references as BibTeX only; also of tests, corrections and effect "
        "sizes, by the names that `cranfield compare` has for them",
    ),
    *build_output_options(),
    OptionGroup(
        "the score of one topic, step by step",
        (
            option("--on", ("QRELS", "RUN"), "judgments and results", nargs=2),
            build_topics_option(
                "101,102, or @FILE with topics; may be repeated (default: the first one judged)",
                requires="on",
            ),
            option(
                "--levels",
                "LEVELS",
                'a list without files, as levels in the order of the ranks: "3 2 - 0", - or ? for an unjudged document',
            ),
            option(
                "--judged",
                "LEVELS",
                "all judged levels of the topic (default: levels of the ranking)",
                requires="levels",
            ),
            *build_order_options(TIES),
            *get_shared_options("drawn", "relevance", "intents", "verticals", "costs", "formats", "threads"),
        ),
    ),
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> int:
    """Explain each measure."""
    modes = [x for x in ("bibtex", *MODES) if getattr(options, x, None) not in (None, False)]
    if len(modes) > 1:
        names = " or ".join(f"--{name}" for name in modes)
        raise InputError.from_problem(f"use either {names}, not both")
    if options.bibtex:
        return show(_list_references(options.named), options)
    measures = parse_measures(options.named)
    return show(MODES[modes[0] if modes else ""](measures, options), options)


def _describe_measures(measures: Sequence[Measure], options: argparse.Namespace) -> TableResult:
    rows = [
        {
            "measure": str(m),
            "variant": m.describe_variant(),
            "definition": inspect.getdoc(m),
            "aliases": ", ".join(list_aliases(type(m).__name__)),
        }
        for m in measures
    ]
    return Listing({"measures": rows}, ["\n\n".join(map(format_measure, measures))])


def _list_references(names: Sequence[str]) -> TableResult:
    from cranfield.report.bibliography import bibtex, find_references, get_entry

    keys = dict.fromkeys(key for keys in find_references(names).values() for key in keys)
    rows = [{"key": key, "bibtex": get_entry(key)} for key in keys]
    return Listing({"references": rows}, [bibtex(*names)])


def _explain_run(measures: Sequence[Measure], options: argparse.Namespace) -> TableResult:
    """Explain the score of each measure for one topic."""
    from cranfield.evaluation.tracing import explain_all

    return call(explain_all, options, measures=measures, qrels=options.on[0], run=options.on[1])


def _explain_levels(measures: Sequence[Measure], options: argparse.Namespace) -> TableResult:
    """Explain the score of each measure for a ranking without files."""
    from cranfield.evaluation.tracing import explain_levels

    levels = read_levels("--levels", options.levels)
    judged = None if options.judged is None else read_levels("--judged", options.judged)
    return call(explain_levels, options, measures=measures, levels=levels, judged=judged)


# How measures are explained, by the option that asks for it: of these one can be given.
MODES = {"": _describe_measures, "on": _explain_run, "levels": _explain_levels}


def read_levels(option: str, text: str) -> list[float | None]:
    """Parse levels separated by spaces or commas; - and ? are unjudged documents."""
    try:
        parts = text.replace(",", " ").split()
        return [None if part in ("-", "?") else float(part) for part in parts]
    except ValueError:
        problem = f"invalid levels {text!r}"
        raise InputError.from_problem(problem, 'Example: "3 2 - 0".', option) from None


def format_measure(m: Measure) -> str:
    """Format the entry of a measure as text."""
    lines = [str(m), "", inspect.getdoc(m) or ""]
    if variant := m.describe_variant():
        lines.insert(1, f"  {variant}")
    if type(m).__name__ in READINGS and not isinstance(m, UserModel):
        lines += ["", f"As a user model: {type(m).__name__}.EU and others (C/W/L)"]
    if aliases := list_aliases(type(m).__name__):
        lines += ["", f"Also called: {', '.join(aliases)}"]
    return "\n".join(lines)
