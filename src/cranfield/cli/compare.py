"""`cranfield compare`: which run is better, by how much, and how sure can we be?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any, get_args

from cranfield.cli import runner
from cranfield.cli.options import among, number, told
from cranfield.cli.output import output
from cranfield.cli.scored import evaluation, scored
from cranfield.comparison import Comparison, compare
from cranfield.errors import InputError
from cranfield.report.comparison import TABLES
from cranfield.report.meta import Work
from cranfield.report.options import how_tested
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import steps
from cranfield.stats.gate import Gate, Undecided
from cranfield.wording import decimals

OPTIONS = {
    **scored(),
    "--baseline RUN …": "compare every other run with this one, given by its name or its file; "
    "may be repeated (default: all pairs)",
    **how_tested("; intervals have confidence 1 − A"),
    f"--effect {among(EFFECTS)}": "effect size: Cohen's d_z (dz, default for two runs), Hedges' g "
    "(g), Glass's Δ (glass), or by the residuals of ANOVA (anova, default for more)",
    "--movers K": "show the K topics that differ most, each way (default: 3, if there are few "
    "pairs)",
    "--fail-if-worse with --baseline RUN": "say whether a run is significantly worse than a "
    "baseline by any measure, and exit with 1 if so",
    "--margin M with --fail-if-worse": told(
        "exit with 1 unless it is shown that no run is worse by more than M: by the 1 − 2α paired "
        "t interval of the difference",
        type=partial(number, low=0, which=" from 0"),
    ),
    f"--undecided {among(get_args(Undecided))} with --margin M": "what to do if topics are too few "
    "to tell (default: fail)",
    **output(TABLES),
    **evaluation(),
}


def run(options: argparse.Namespace) -> int:
    """Compare, print, and fail if asked to."""
    if options.movers is not None and options.movers < 0:
        raise InputError(f"--movers {options.movers}", "a number from 0")
    if options.movers == 0 and "movers" in (options.tables or ()):
        raise InputError("--movers 0 and --table movers", "one of them")
    work = Work(compare, doing="testing", steps=_steps)
    if not options.fail_if_worse:
        runner.run(work, options)
        return 0
    runner.run(replace(work, function=_gated(options)), options)
    return _verdict(options.gate, options)


def _steps(options: argparse.Namespace, runs: int, measures: int) -> int:
    """How many steps the tests of all measures have."""
    baselines = len(options.baselines or ())
    pairs = baselines * (runs - 1) if baselines else runs * (runs - 1) // 2
    return measures * steps(options.test, runs, pairs, options.trials)


def _gated(options: argparse.Namespace) -> Callable[..., Comparison]:
    """`compare`, after which the gate decides: its table is one of the comparison's."""

    @wraps(compare)
    def gated(*given: Any, **named: Any) -> Comparison:
        found = compare(*given, **named)
        options.gate = found.gate(options.margin, options.undecided or "fail")
        return replace(found, notices=(*found.notices, *options.gate.notices))

    return gated


def _verdict(gate: Gate, options: argparse.Namespace) -> int:
    """Say what was decided, on standard error, also if notices are not asked for."""
    sys.stdout.flush()
    with decimals(options.decimals):
        print(*gate.lines, sep="\n", file=sys.stderr)
    return 0 if gate.passed else 1
