"""`cranfield compare`: which run is better, by how much, and how sure can we be?"""

from __future__ import annotations

import argparse
import sys

from cranfield.cli import runner
from cranfield.cli.options import among
from cranfield.cli.output import output
from cranfield.cli.scored import evaluation, scored
from cranfield.comparison import Comparison, compare
from cranfield.errors import InputError
from cranfield.report.comparison import TABLES
from cranfield.report.meta import Work
from cranfield.report.options import how_tested
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import steps
from cranfield.stats.result import stated_p

OPTIONS = {
    **scored(),
    "--baseline RUN …": "compare every other run with this one, given by its name or its file; "
    "may be repeated (default: all pairs)",
    **how_tested("; intervals have confidence 1 − A"),
    f"--effect {among(EFFECTS)}": "effect size: Cohen's d_z (dz, default for two runs), Hedges' g "
    "(g), Glass's Δ (glass), or by the residuals of ANOVA (anova, default for more)",
    "--movers K": "show the K topics that differ most, each way (default: 3, if there are few "
    "pairs)",
    "--fail-if-worse with --baseline RUN": "exit with 1 if a run is significantly worse than a "
    "baseline by any measure",
    **output(TABLES),
    **evaluation(),
}


def run(options: argparse.Namespace) -> int:
    """Compare, print, and fail if asked to."""
    if options.movers is not None and options.movers < 0:
        raise InputError(f"--movers {options.movers}", "a number from 0")
    if options.movers == 0 and "movers" in (options.tables or ()):
        raise InputError("--movers 0 and --table movers", "one of them")
    found = runner.run(Work(compare, doing="testing", steps=_steps), options)
    return _verdict(found) if options.fail_if_worse else 0


def _steps(options: argparse.Namespace, runs: int, measures: int) -> int:
    """How many steps the tests of all measures have."""
    baselines = len(options.baselines or ())
    pairs = baselines * (runs - 1) if baselines else runs * (runs - 1) // 2
    return measures * steps(options.test, runs, pairs, options.trials)


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
