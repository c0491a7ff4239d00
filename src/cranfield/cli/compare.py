"""`cranfield compare`: which run is better, by how much, and how sure can we be?"""

from __future__ import annotations

import argparse
import sys
from os.path import normpath
from typing import Any

from cranfield.cli.options import count
from cranfield.cli.progress import Trials
from cranfield.cli.scored import add_evaluation, add_scored, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.comparison import EFFECTS, Comparison, compare
from cranfield.errors import InputError
from cranfield.report.comparison import TABLES, settings, sheets, usual_tables
from cranfield.scores import Scores
from cranfield.stats.families import CORRECTION_TITLES, OF_MANY, RANDOM, TESTS, usual_test
from cranfield.stats.resampling import TRIALS
from cranfield.stats.result import stated_p


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
    add_test(p, "; intervals have confidence 1 − A")
    p.add_argument(
        "--effect", choices=EFFECTS,
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


def add_test(p: Any, of_alpha: str = "", of_trials: str = "") -> None:
    """The options that say how differences are tested, and what else two of them decide."""
    p.add_argument(
        "--test", choices=TESTS, metavar="NAME",
        help=f"one of {', '.join(TESTS)} (default: randomised-tukey, or randomisation of two runs)",
    )  # fmt: skip
    p.add_argument(
        "--correction", choices=tuple(CORRECTION_TITLES), metavar="NAME",
        help="of tests of two runs for the number of pairs: holm (default), bonferroni, bh "
        "(Benjamini and Hochberg) or none",
    )  # fmt: skip
    add_alpha(p, of_alpha)
    add_trials(p, also=of_trials)


def add_alpha(p: Any, also: str = "") -> None:
    """The option that says what is significant."""
    p.add_argument(
        "--alpha", type=float, default=0.05, metavar="A",
        help=f"p-values of at most A are significant{also} (default: 0.05)",
    )  # fmt: skip


def add_trials(
    p: Any, trials: int = TRIALS, what: str = "random trials of the test", also: str = ""
) -> None:
    """The options that say how random trials are drawn."""
    p.add_argument(
        "--trials", type=count, default=trials, metavar="B",
        help=f"{what} (default: {trials:,}){also}",
    )  # fmt: skip
    add_seed(p)


def add_seed(p: Any) -> None:
    """The option that chooses the random numbers."""
    p.add_argument(
        "--seed", type=int, default=0, metavar="S",
        help="the same seed gives the same result (default: 0)",
    )  # fmt: skip


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
    with Trials("testing", steps(options, len(scores.runs), len(scores.measures))) as progress:
        found = compare(
            scores,
            baselines,
            test=options.test,
            correction=options.correction,
            alpha=options.alpha,
            trials=options.trials,
            seed=options.seed,
            effect=options.effect,
            threads=options.threads,
            progress=progress.step,
        )
    made = sheets(found, 3 if options.movers is None else options.movers)
    usual = usual_tables(found, options.format, options.movers)
    show(made, found.notices, options, usual, settings(found))
    return _verdict(found) if options.fail_if_worse else 0


def steps(options: argparse.Namespace, runs: int, measures: int) -> int:
    """How many steps the progress bar has: the trials of all measures, and of all pairs if each is
    tested by itself.
    """
    baselines = len(getattr(options, "baselines", None) or ())
    pairs = baselines * (runs - 1) if baselines else runs * (runs - 1) // 2
    test = options.test or usual_test(runs)
    each = options.trials if test in RANDOM else 1
    return each * measures * (1 if test in OF_MANY else pairs)


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
