"""`cranfield explain`: all that the registry knows of a measure."""

from __future__ import annotations

import argparse
import inspect
import re
from typing import Any

from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measures
from cranfield.measures.names import ALIASES, NTCIREVAL
from cranfield.measures.references import REFERENCES


def add_to(commands: Any) -> None:
    """Declare the command."""
    p = commands.add_parser(
        "explain",
        help="formula, parameters and reference of a measure",
        description="Formula, parameters, worked example and reference of a measure.",
    )
    p.add_argument("measures", metavar="MEASURE", nargs="+", help="such as nDCG@10 or Q(beta=2)")
    p.add_argument("--bibtex", action="store_true", help="print the references as BibTeX only")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain each measure."""
    found = parse_measures(options.measures)
    if options.bibtex:
        keys = dict.fromkeys(key for m in found for key in m.references)
        print("\n\n".join(REFERENCES[key] for key in keys))
    else:
        print("\n\n".join(explanation(m) for m in found))
    return 0


def explanation(m: Measure) -> str:
    """All that is known of a measure, for people."""
    lines = [str(m), "", inspect.getdoc(m) or ""]
    if aliases := aliases_of(type(m)):
        lines += ["", f"Also called: {', '.join(aliases)}"]
    return "\n".join(lines)


def aliases_of(c: type[Measure]) -> list[str]:
    """What other tools call it."""

    def ours(target: str) -> str:
        return re.split(r"[(|]", target)[0]

    plain = [
        a for a, target in ALIASES.items() if ours(target) == c.__name__ and a != c.__name__.lower()
    ]
    ntcir = [f"ntcir:{a}" for a, target in NTCIREVAL.items() if ours(target) == c.__name__]
    return plain + ntcir
