"""`cranfield meta`: can the measure, the judgments and the collection be trusted?

All methods are run alike, see `runner`; what is different is in their rows, in `report/meta`.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield.cli.asked import add_command
from cranfield.cli.options import told
from cranfield.cli.output import output
from cranfield.cli.runner import run as run_work
from cranfield.cli.scored import evaluation, measured, scored
from cranfield.report.meta import Method, methods

USAGES = {
    "scores": ("QRELS RUN RUN…", "--scores FILE…"),
    "runs": ("QRELS RUN RUN…",),
    "judgments": ("QRELS QRELS2 [RUN…]",),
}
QRELS = {"qrels QRELS": "judgments, as for `cranfield evaluate`"}
SECOND = {"second QRELS2": "other judgments of the same topics"}
FILES = {"runs": QRELS, "judgments": QRELS | SECOND}


def add_to(p: Any) -> None:
    """Declare the command, and a method for each question."""
    parsers = p.add_subparsers(metavar="METHOD", required=True)
    for shown in methods().values():
        add_method(parsers, shown)


def add_method(parsers: Any, shown: Any) -> None:
    """Declare a method: what it begins with, its own options, those of output and evaluation."""
    method, takes = shown.METHOD, shown.METHOD.work.takes
    p = parsers.add_parser(method.name, **method.said, usage=_usage(method))
    if takes == "scores":
        rows = scored(method.measures)
    else:
        rows = FILES[takes] | {"runs RUN *": told(method.runs, default=[])}
        rows |= measured(method.measures)
    rows |= {**method.options, **output(shown.TABLES)}
    rows |= evaluation(scores=takes == "scores", without=method.options)
    add_command(p, rows, partial(run, shown), default_measure=method.measures)


def _usage(method: Method) -> str:
    required = [row.rstrip("…!") for row in method.options if row.endswith("!")]
    start = f"cranfield meta {method.name} [options] {''.join(required)}"
    return "\n       ".join(start + files for files in USAGES[method.work.takes])


def run(shown: Any, options: argparse.Namespace) -> int:
    """Run a method, by the functions of a module of `report/meta`."""
    if hasattr(shown, "check"):
        shown.check(options)
    return run_work(shown.METHOD.work_for(options), options, getattr(shown, "picture", None))
