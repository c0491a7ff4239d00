"""`cranfield compare`: which run is better, by how much, and how sure can we be?"""

from __future__ import annotations

import argparse
import sys
from os.path import normpath
from typing import Any

from cranfield.cli.output import add_output, show
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_options, add_scored, scores_of
from cranfield.comparison import Comparison, compare
from cranfield.errors import InputError
from cranfield.report.comparison import TABLES
from cranfield.report.options import how_tested
from cranfield.scores import Scores
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import steps
from cranfield.stats.result import stated_p

ASKED = ("test", "correction", "alpha", "trials", "seed", "effect", "threads")
"""Options that are arguments of `compare`."""


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Compare runs: differences of means with intervals, p-values and effect sizes.",
        usage="cranfield compare [options] QRELS RUN RUN…\n"
        "       cranfield compare [options] --scores FILE…",
        epilog="Exit codes: 0 fine, 1 a run is worse (with --fail-if-worse), 2 bad input or usage.",
    )
    add_scored(p)
    p.add_argument(
        "--baseline", action="append", metavar="RUN", dest="baselines",
        help="compare every other run with this one, given by its name or its file; may be "
        "repeated (default: all pairs)",
    )  # fmt: skip
    add_options(p, how_tested("; intervals have confidence 1 − A"))
    p.add_argument(
        "--effect", choices=tuple(EFFECTS),
        help="effect size: Cohen's d_z (dz, default for two runs), Hedges' g (g), Glass's Δ "
        "(glass), or by the residuals of ANOVA (anova, default for more)",
    )  # fmt: skip
    p.add_argument(
        "--movers", type=int, metavar="K",
        help="show the K topics that differ most, each way (default: 3, if there are few pairs)",
    )  # fmt: skip
    p.add_argument(
        "--fail-if-worse", action="store_true",
        help="exit with 1 if a run is significantly worse than a baseline by any measure",
    )  # fmt: skip
    add_output(p, TABLES)
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare, print, and fail if asked to."""
    if options.fail_if_worse and not options.baselines:
        raise InputError("--fail-if-worse", "--baseline RUN with it")
    if options.movers is not None and options.movers < 0:
        raise InputError(f"--movers {options.movers}", "a number from 0")
    if options.movers == 0 and "movers" in (options.tables or ()):
        raise InputError("--movers 0 and --table movers", "one of them")
    scores = scores_of(options, runs=2)
    baselines = _baselines(options, scores)
    with Trials("testing", _steps(options, scores)) as progress:
        asked = {name: getattr(options, name) for name in ASKED}
        found = compare(scores, baselines, **asked, progress=progress.step)
    show(found, options)
    return _verdict(found) if options.fail_if_worse else 0


def _steps(options: argparse.Namespace, scores: Scores) -> int:
    """How many steps the tests of all measures have."""
    runs, baselines = len(scores.runs), len(options.baselines or ())
    pairs = baselines * (runs - 1) if baselines else runs * (runs - 1) // 2
    return len(scores.measures) * steps(options.test, runs, pairs, options.trials)


def _baselines(options: argparse.Namespace, scores: Scores) -> list[str] | None:
    """The names of the baselines: of a file, that of the run in it."""
    files = [*map(normpath, options.files if options.scores else options.files[1:])]
    by_file = dict(zip(files, scores.runs, strict=True)) if len(files) == len(scores.runs) else {}
    given = options.baselines or ()
    return [b if b in scores.runs else by_file.get(normpath(b), b) for b in given] or None


def _verdict(found: Comparison) -> int:
    """Say which runs are worse, and what that means for the exit code."""
    sys.stdout.flush()
    for pair in found.worse:
        print(
            f"worse: {pair.run} than {pair.other} by {pair.measure}: {pair.difference:+.4f}, "
            f"{stated_p(found.shown_p(pair))}",
            file=sys.stderr,
        )
    return 1 if found.worse else 0
