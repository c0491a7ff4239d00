"""`cranfield meta`: evaluation of measures, judgments and collections.

`cranfield.meta.methods` is the table of methods. `runner` runs all of them.
"""

from __future__ import annotations

import argparse
from functools import partial

from cranfield.cli.output import build_output_options
from cranfield.cli.parser import Part
from cranfield.cli.runner import run as run_computation
from cranfield.cli.scores import (
    build_evaluation_options,
    build_measure_options,
    build_score_options,
)
from cranfield.meta.methods import METHODS, Method
from cranfield.options import argument, flatten_rows

USAGES = {
    "scores": ("QRELS RUN RUN…", "--scores FILE…"),
    "runs": ("QRELS RUN RUN…",),
    "judgments": ("QRELS QRELS2 [RUN…]",),
}
QRELS = (argument("qrels", "QRELS", "judgments, as for `cranfield evaluate`"),)
SECOND = (argument("second", "QRELS2", "other judgments of the same topics"),)
FILES = {"runs": QRELS, "judgments": QRELS + SECOND}


def build_part(method: Method) -> Part:
    """Return a method: files, its own options, options of output and evaluation."""
    inputs, names = method.computation.inputs, {row.name for row in flatten_rows(method.options)}
    if inputs == "scores":
        files = build_score_options(method.measures)
    else:
        runs = argument("runs", "RUN", method.runs_help, nargs="*", default=[])
        files = (*FILES[inputs], runs, *build_measure_options(method.measures))
    rows = (
        *files,
        *method.options,
        *build_output_options(method.tables),
        *build_evaluation_options(scores=inputs == "scores", without=names),
    )
    return Part(
        method.name,
        rows,
        partial(run, method),
        help=method.help_texts["help"],
        description=method.help_texts["description"],
        usage=_format_usage(method),
        defaults={"default_measure": method.measures},
    )


def _format_usage(method: Method) -> str:
    rows = [row for row in flatten_rows(method.options) if row.required]
    required = "".join(f"{row.flags[-1]} {row.metavar} " for row in rows)
    start = f"cranfield meta {method.name} [options] {required}"
    return "\n       ".join(start + files for files in USAGES[method.computation.inputs])


def run(method: Method, options: argparse.Namespace) -> int:
    """Run a method."""
    method.check(options)
    return run_computation(method.choose_computation(options), options)


PARTS = tuple(build_part(method) for method in METHODS.values())
