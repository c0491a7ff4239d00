"""`cranfield plan`: how many topics are needed, and what a number of topics can show."""

from __future__ import annotations

import argparse

from cranfield.cli import runner
from cranfield.cli.output import build_output_options
from cranfield.cli.scores import (
    DECIDING,
    build_evaluation_options,
    build_score_options,
    reject_options,
)
from cranfield.errors import InputError
from cranfield.figures.options import build_plot_options
from cranfield.options import Computation, OptionGroup, choice, option
from cranfield.report.plan import TABLES, build_figure
from cranfield.stats.options import build_alpha_option
from cranfield.stats.plan import DIFFERENCES, METHODS, plan
from cranfield.stats.power import POWER

FILES = (
    "a pilot to take the variance from: QRELS RUN RUN…, or with --scores files with the scores of "
    "topics; none with --variance or --sd"
)
OPTIONS = (
    *build_score_options(files=FILES),
    OptionGroup(
        "what is asked",
        (
            choice(
                "--method",
                METHODS,
                "t: power of the paired t-test; anova: power of "
                "one-way ANOVA, with --systems; interval: width of the interval of a difference, with "
                "--width; may be repeated (default: all there is enough for)",
                repeat=True,
            ),
            option(
                "--difference",
                "D",
                "the smallest true difference of two means worth finding; of anova, "
                "that of the best and the worst system; may be repeated. One is shown with its half and "
                f"its double (default: {', '.join(map(str, DIFFERENCES))})",
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
                "--systems", "M", "systems that anova compares (default: the runs)", value="integer"
            ),
            *build_alpha_option("; intervals have confidence 1 − A"),
            option(
                "--power",
                "P",
                "how probable it is to find the difference",
                value="number",
                default=POWER,
            ),
            option(
                "--for-topics",
                "N",
                "also what N topics can show: their power, and the smallest "
                "difference they find; may be repeated",
                name="sizes",
                value="count",
                repeat=True,
            ),
        ),
    ),
    OptionGroup(
        "how much scores vary",
        (
            option("--variance", "V", "variance of scores over topics", value="number"),
            option("--sd", "S", "standard deviation of scores over topics", value="number"),
            choice(
                "--of",
                ("scores", "differences"),
                "what V or S is of: the scores of a system (default), or the "
                "differences of two, which vary by 2V",
            ),
            choice(
                "--residual",
                ("one-way", "two-way"),
                "of a pilot: V_E1, or V_E2 without what topics have in "
                "common (default: two-way for t and interval, one-way for anova)",
            ),
        ),
    ),
    *build_output_options(TABLES),
    *build_plot_options("power against topics, of one measure", "its"),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Design, show the tables, and draw."""
    _check_variance(options)
    return runner.run(
        Computation(plan, "scores" if options.files else "nothing"), options, build_figure
    )


def _check_variance(options: argparse.Namespace) -> None:
    """A pilot and a variance, neither of them, and what is about the one without it."""
    if options.variance is None and options.sd is None:
        if options.of == "differences":
            raise InputError("--of", "--variance or --sd with it")
        if not options.files:
            raise InputError("no variance", "files of a pilot, --variance or --sd")
        return
    if options.files:
        raise InputError("files and a variance", "one of them")
    reject_options(options, {*DECIDING, "residual"}, "a pilot with it")
