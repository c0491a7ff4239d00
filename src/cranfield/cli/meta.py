"""`cranfield meta`: can the measure, the judgments and the collection be trusted?

All methods are run alike, see `runner`; what is different is in their rows, in `report/meta`.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield.cli.arguments import add_command
from cranfield.cli.options import build_option
from cranfield.cli.output import build_output_options
from cranfield.cli.runner import run as run_work
from cranfield.cli.scores import (
    build_evaluation_options,
    build_measure_options,
    build_score_options,
)
from cranfield.report.meta import Method, load_methods

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
    for module in load_methods().values():
        add_method(parsers, module)


def add_method(parsers: Any, module: Any) -> None:
    """Declare a method: what it begins with, its own options, those of output and evaluation."""
    method, takes = module.METHOD, module.METHOD.computation.inputs
    p = parsers.add_parser(method.name, **method.help_texts, usage=_format_usage(method))
    if takes == "scores":
        rows = build_score_options(method.measures)
    else:
        rows = FILES[takes] | {"runs RUN *": build_option(method.runs_help, default=[])}
        rows |= build_measure_options(method.measures)
    rows |= {**method.options, **build_output_options(module.TABLES)}
    rows |= build_evaluation_options(scores=takes == "scores", without=method.options)
    add_command(p, rows, partial(run, module), default_measure=method.measures)


def _format_usage(method: Method) -> str:
    required = [row.rstrip("…!") for row in method.options if row.endswith("!")]
    start = f"cranfield meta {method.name} [options] {''.join(required)}"
    return "\n       ".join(start + files for files in USAGES[method.computation.inputs])


def run(module: Any, options: argparse.Namespace) -> int:
    """Run a method, by the functions of a module of `report/meta`."""
    if hasattr(module, "check_options"):
        module.check_options(options)
    return run_work(
        module.METHOD.choose_computation(options), options, getattr(module, "build_figure", None)
    )
