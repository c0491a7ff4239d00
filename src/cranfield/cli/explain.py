"""`cranfield explain`: all that the registry knows of a measure."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence

from cranfield.cli.options import TIES, TOPICS, call, order, shared, told
from cranfield.cli.output import output, show
from cranfield.errors import InputError
from cranfield.measures.base import READINGS, Measure
from cranfield.measures.cwl import UserModel
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import aliases_of
from cranfield.report.listing import Listing
from cranfield.shown import Shown

OPTIONS = {
    "named MEASURE +": "such as nDCG@10 or Q(beta=2)",
    "--bibtex": "print the references as BibTeX only; also of tests, corrections and effect "
    "sizes, by the names that `cranfield compare` has for them",
    **output(),
    "the score of one topic, step by step": {
        "--on": told("judgments and results", nargs=2, metavar=("QRELS", "RUN")),
        f"{TOPICS} with --on QRELS RUN": "101,102, or @FILE with topics; may be repeated (default: "
        "the first one judged)",
        "--levels LEVELS": 'a list without files, as levels in the order of the ranks: "3 2 - 0", '
        "- or ? for an unjudged document",
        "--judged LEVELS with --levels LEVELS": "all judged levels of the topic (default: those "
        "of the list)",
        **order(TIES),
        **shared("drawn", "relevance", "intents", "verticals", "costs", "formats", "threads"),
    },
    **shared("import"),
}


def run(options: argparse.Namespace) -> int:
    """Explain each measure."""
    modes = [x for x in ("bibtex", *MODES) if getattr(options, x, None) not in (None, False)]
    if len(modes) > 1:
        raise InputError(" and ".join(f"--{name}" for name in modes), "one of them")
    if options.bibtex:
        return show(_bibtex(options.named), options)
    found = parse_measures(options.named)
    return show(MODES[modes[0] if modes else ""](found, options), options)


def _about(measures: Sequence[Measure], options: argparse.Namespace) -> Shown:
    rows = [
        {
            "measure": str(m),
            "variant": m.variant(),
            "definition": inspect.getdoc(m),
            "aliases": ", ".join(aliases_of(type(m).__name__)),
        }
        for m in measures
    ]
    return Listing({"measures": rows}, ["\n\n".join(map(explanation, measures))])


def _bibtex(names: Sequence[str]) -> Shown:
    from cranfield.report.bibliography import ENTRIES, bibtex, cited

    keys = dict.fromkeys(key for keys in cited(names).values() for key in keys)
    rows = [{"key": key, "bibtex": ENTRIES[key]} for key in keys]
    return Listing({"references": rows}, [bibtex(*names)])


def _on(measures: Sequence[Measure], options: argparse.Namespace) -> Shown:
    """How each measure comes to its score for the topic."""
    from cranfield.evaluation.tracing import explain_all

    return call(explain_all, options, measures=measures, qrels=options.on[0], run=options.on[1])


def _levels(measures: Sequence[Measure], options: argparse.Namespace) -> Shown:
    """How each measure comes to its score for a list without files."""
    from cranfield.evaluation.tracing import explain_levels

    levels = read_levels("--levels", options.levels)
    judged = None if options.judged is None else read_levels("--judged", options.judged)
    return call(explain_levels, options, measures=measures, levels=levels, judged=judged)


# How measures are explained, by the option that asks for it: of these one can be given.
MODES = {"": _about, "on": _on, "levels": _levels}


def read_levels(option: str, given: str) -> list[float | None]:
    """Levels between blanks or commas; - and ? stand for a document that nobody judged."""
    try:
        parts = given.replace(",", " ").split()
        return [None if part in ("-", "?") else float(part) for part in parts]
    except ValueError:
        raise InputError(repr(given), 'levels such as "3 2 - 0"', option) from None


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
