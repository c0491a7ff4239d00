"""`cranfield plan`: number of topics needed, and power of a number of topics."""

from __future__ import annotations

import argparse

from cranfield.cli import runner
from cranfield.cli.options import call
from cranfield.cli.output import build_output_options, show
from cranfield.cli.scores import (
    DECIDING,
    build_evaluation_options,
    build_score_options,
    get_independent_scores,
    reject_options,
)
from cranfield.data.run_systems import group_runs, read_systems
from cranfield.errors import InputError
from cranfield.figures.options import build_plot_options
from cranfield.options import Computation, OptionGroup, choice, option
from cranfield.stats import seed_plan
from cranfield.stats.options import build_alpha_option
from cranfield.stats.plan import DIFFERENCES, METHODS, plan
from cranfield.stats.plan_tables import TABLES, build_figure
from cranfield.stats.power import POWER
from cranfield.stats.seed_plan import SEEDS

FILES = (
    "a pilot to take the variance from: QRELS RUN RUN…, or with --scores files with the scores of "
    "topics; none with --variance or --sd"
)
OPTIONS = (
    *build_score_options(files=FILES),
    OptionGroup(
        "design",
        (
            choice(
                "--method",
                METHODS,
                "computation: t: power of the paired t-test; anova: power of one-way ANOVA, with "
                "--systems; interval: width of the interval of a difference, with "
                "--width; may be repeated (default: all there is enough for)",
                repeat=True,
            ),
            option(
                "--difference",
                "D",
                "smallest true difference of two means to detect; for anova, of the best and the "
                "worst system; may be repeated. A single one is shown with its half and its double "
                f"(default: {', '.join(map(str, DIFFERENCES))})",
                value="number",
                repeat=True,
            ),
            option(
                "--width",
                "W",
                "the largest width of the interval of a difference, end to end; may be repeated",
                value="number",
                repeat=True,
            ),
            option(
                "--systems",
                "FILE",
                "number of systems that anova compares (default: the runs); or runs of each system in a pilot, as in "
                "`cranfield compare`: the numbers of seeds and topics are then planned",
                repeat=True,
            ),
            option(
                "--for-seeds",
                "S",
                f"numbers of seeds of each system; may be repeated (default: {', '.join(map(str, SEEDS))})",
                name="seed_counts",
                value="count",
                repeat=True,
                requires="systems",
            ),
            *build_alpha_option("; intervals have confidence 1 − A"),
            option(
                "--power",
                "P",
                "probability to find the difference",
                value="number",
                default=POWER,
            ),
            option(
                "--for-topics",
                "N",
                "also what N topics can show: their power, and the smallest difference they find; may be repeated",
                name="sizes",
                value="count",
                repeat=True,
            ),
        ),
    ),
    OptionGroup(
        "variance of scores",
        (
            option("--variance", "V", "variance of scores over topics", value="number"),
            option("--sd", "S", "standard deviation of scores over topics", value="number"),
            choice(
                "--of",
                ("scores", "differences"),
                "meaning of V or S: scores of a system (default), or differences of two systems, with variance 2V",
            ),
            choice(
                "--residual",
                ("one-way", "two-way"),
                "residual variance of a pilot: V_E1, or V_E2 without the topic effect (default: "
                "two-way for t and interval, one-way for anova)",
            ),
        ),
    ),
    *build_output_options((*TABLES, *seed_plan.TABLES)),
    *build_plot_options("power against topics, of one measure", "its"),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Design, show the tables, and draw."""
    _check_variance(options)
    if options.systems and not (len(options.systems) == 1 and options.systems[0].isdecimal()):
        return _plan_seeds(options)
    if options.seed_counts:
        raise InputError.from_problem("--for-seeds requires --systems with the runs of each system")
    options.systems = int(options.systems[0]) if options.systems else None
    return runner.run(Computation(plan, "scores" if options.files else "nothing"), options, build_figure)


def _plan_seeds(options: argparse.Namespace) -> int:
    """Show the numbers of seeds and topics for systems of several runs."""
    if not options.files:
        raise InputError.from_problem("--systems with runs requires a pilot", "Use QRELS RUN RUN…, or --scores FILE….")
    if options.plot:
        raise InputError.from_problem("--plot requires runs, or a number as --systems")
    reject_options(options, {"methods", "sizes", "residual"}, "runs, or a number as --systems")
    scores = get_independent_scores(options, runs=2)
    systems = read_systems(options.systems, scores.runs)
    group_runs(systems)  # raises an error if no system has several runs
    return show(call(seed_plan.plan_seeds, options, scores=scores, systems=systems, seeds=options.seed_counts), options)


def _check_variance(options: argparse.Namespace) -> None:
    """Raise an error for missing or conflicting pilot and variance options."""
    if options.variance is None and options.sd is None:
        if options.of == "differences":
            raise InputError.from_problem("--of requires --variance or --sd")
        if not options.files:
            raise InputError.from_problem("no variance given", "Use files of a pilot, --variance or --sd.")
        return
    if options.files:
        raise InputError.from_problem("use either files of a pilot or --variance and --sd, not both")
    reject_options(options, {*DECIDING, "residual"}, "a pilot")
