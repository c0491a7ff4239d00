"""`cranfield plan`: how many topics are needed, and what a number of topics can show."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import count, settings_of
from cranfield.cli.output import add_output, show, write
from cranfield.cli.plot import refuse_output
from cranfield.cli.scored import add_evaluation, add_options, add_scored, refuse_deciding, scores_of
from cranfield.errors import InputError
from cranfield.report.options import alpha, number, plot
from cranfield.report.pictures import format_of
from cranfield.report.plan import TABLES, picture
from cranfield.stats.plan import DIFFERENCES, METHODS, plan
from cranfield.stats.power import POWER

FILES = (
    "a pilot to take the variance from: QRELS RUN RUN…, or with --scores files with the scores of "
    "topics; none with --variance or --sd"
)


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="Topic set size design: how many topics does it take to find a difference, by "
        "the power of the paired t-test or of one-way ANOVA, or by the width of a confidence "
        "interval? From the variance of a pilot, or from given numbers.",
        usage="cranfield plan [options] --sd S | --variance V\n"
        "       cranfield plan [options] QRELS RUN RUN…\n"
        "       cranfield plan [options] --scores FILE…",
    )
    add_scored(p, files=FILES)
    asked = p.add_argument_group("what is asked")
    asked.add_argument(
        "--method", dest="methods", action="append", choices=METHODS,
        help="t: power of the paired t-test; anova: power of one-way ANOVA, with --systems; "
        "interval: width of the interval of a difference, with --width; may be repeated (default: "
        "all there is enough for)",
    )  # fmt: skip
    asked.add_argument(
        "--difference", dest="differences", action="append", type=float, metavar="D",
        help="the smallest true difference of two means worth finding; of anova, that of the best "
        "and the worst system; may be repeated. One is shown with its half and its double "
        f"(default: {', '.join(map(str, DIFFERENCES))})",
    )  # fmt: skip
    asked.add_argument(
        "--width", dest="widths", action="append", type=float, metavar="W",
        help="the largest width of the interval of a difference, end to end; may be repeated",
    )  # fmt: skip
    asked.add_argument(
        "--systems", type=int, metavar="M", help="systems that anova compares (default: the runs)"
    )
    probable = number("--power", "P", POWER, "how probable it is to find the difference")
    add_options(asked, [alpha("; intervals have confidence 1 − A"), probable])
    asked.add_argument(
        "--for-topics", dest="sizes", action="append", type=count, metavar="N",
        help="also what N topics can show: their power, and the smallest difference they find; may "
        "be repeated",
    )  # fmt: skip
    variance = p.add_argument_group("how much scores vary")
    given = variance.add_mutually_exclusive_group()
    given.add_argument("--variance", type=float, metavar="V", help="variance of scores over topics")
    given.add_argument(
        "--sd", type=float, metavar="S", help="standard deviation of scores over topics"
    )
    variance.add_argument(
        "--of", choices=("scores", "differences"), default="scores",
        help="what V or S is of: the scores of a system (default), or the differences of two, "
        "which vary by 2V",
    )  # fmt: skip
    variance.add_argument(
        "--residual", choices=("one-way", "two-way"),
        help="of a pilot: V_E1, or V_E2 without what topics have in common (default: two-way for t "
        "and interval, one-way for anova)",
    )  # fmt: skip
    add_output(p, TABLES)
    add_options(p, [plot("power against topics, of one measure", "its")])
    add_evaluation(p)
    p.set_defaults(run=run)


ASKED = ("variance", "sd", "of", "residual", "methods", "differences", "widths", "systems", "alpha",
         "power", "sizes")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Design, show the tables, and draw."""
    refuse_output(options.plot)
    _refuse(options)
    scores = scores_of(options, runs=2) if options.files else None
    given = {k: v for k, v in settings_of(options, *ASKED).items() if v is not None}
    found = plan(scores, **given)
    drawn = None if options.plot is None else picture(found).render(format_of(options.plot))
    show(found, options)
    if drawn is not None:
        write(drawn, options.plot)
    return 0


def _refuse(options: argparse.Namespace) -> None:
    """A pilot and a variance, neither of them, and what is about the one without it."""
    if options.variance is None and options.sd is None:
        if options.of != "scores":
            raise InputError("--of", "--variance or --sd with it")
        if not options.files:
            raise InputError("no variance", "files of a pilot, --variance or --sd")
        return
    if options.files:
        raise InputError("files and a variance", "one of them")
    refuse_deciding(options, "a pilot with it")
    if options.residual:
        raise InputError("--residual", "a pilot with it")
