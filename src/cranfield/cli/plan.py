"""`cranfield plan`: how many topics are needed, and what a number of topics can show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from cranfield.cli.options import count
from cranfield.cli.output import write
from cranfield.cli.plot import refuse_output
from cranfield.cli.scored import add_evaluation, add_options, add_scored, refuse_deciding, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.report import plan
from cranfield.report.options import alpha, number, plot
from cranfield.report.pictures import format_of
from cranfield.scores import Notice
from cranfield.stats import power
from cranfield.stats.measured import measured, without_errors

METHODS = ("t", "anova", "interval")
DIFFERENCES = (0.02, 0.05, 0.1, 0.2)
TABLES = ("pilot", "topics", "power", "detectable")
UNSURE = 0.25  # a relative error of the variance that is worth a sentence
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
    probable = number("--power", "P", power.POWER, "how probable it is to find the difference")
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
    shown = p.add_argument_group("output")
    add_output(shown, TABLES)
    add_options(shown, [plot("power against topics, of one measure", "its")])
    add_evaluation(p)
    p.set_defaults(run=run)


@dataclass(frozen=True)
class Variances:
    """How much scores, and differences, vary by a measure; and how many systems are compared.

    The measure has no name, and there is no pilot, where variances are given.
    """

    measure: str
    scores: float
    differences: float
    systems: int | None
    pilot: power.Pilot | None = None


def run(options: argparse.Namespace) -> int:
    """Design, show the tables, and draw."""
    refuse_output(options.plot)
    format = None if options.plot is None else format_of(options.plot)
    known, notices = _given(options) or _estimated(options)
    designs = {one.measure: designed(options, one) for one in known}
    if format and len(designs) > 1:
        raise InputError(f"{len(designs)} measures", "one with --plot")
    measure, first = next(iter(designs.items()))
    picture = plan.power_curves(first, measure).render(format) if format else b""
    pilots = {one.measure: one.pilot for one in known if one.pilot is not None}
    sheets = [plan.topics_sheet(designs), *([plan.pilot_sheet(pilots)] if pilots else [])]
    if options.sizes:
        if any(d.power for found in designs.values() for d in found):
            sheets.append(plan.power_sheet(designs, options.sizes))
        sheets.append(plan.detectable_sheet(designs, options.sizes))
    show(sheets, notices, options, settings=plan.settings(designs))
    if format:
        write(picture, options.plot)
    return 0


def designed(options: argparse.Namespace, vary: Variances) -> list[power.Design]:
    """A design for each method, and each difference or width."""
    enough = {"t": True, "anova": vary.systems is not None, "interval": bool(options.widths)}
    methods = options.methods or [method for method in METHODS if enough[method]]
    for method, option in (("anova", "--systems M"), ("interval", "--width W")):
        if method in methods and not enough[method]:
            raise InputError(f"--method {method}", f"{option} with it")
    if options.widths and "interval" not in methods:
        raise InputError("--width", "--method interval with it")
    asked = {"alpha": options.alpha, "power": options.power}
    of_method = {
        "t": partial(power.topics_for_t, variance=vary.differences, **asked),
        "anova": partial(
            power.topics_for_anova, variance=vary.scores, systems=vary.systems or 0, **asked
        ),
        "interval": partial(
            power.topics_for_interval, variance=vary.differences, confidence=1 - options.alpha
        ),
    }
    differences = _around(options.differences or DIFFERENCES)
    sizes = {"t": differences, "anova": differences, "interval": options.widths}
    return [of_method[method](size) for method in dict.fromkeys(methods) for size in sizes[method]]


def _around(differences: Sequence[float]) -> Sequence[float]:
    """One difference with its half and its double, several as they are."""
    if len(differences) > 1:
        return tuple(dict.fromkeys(differences))
    return tuple(round(differences[0] * factor, 12) for factor in (0.5, 1, 2))


def _given(options: argparse.Namespace) -> tuple[list[Variances], tuple[Notice, ...]] | None:
    """The variances that options say, if they do."""
    if options.variance is None and options.sd is None:
        return None
    if options.files:
        raise InputError("files and a variance", "one of them")
    refuse_deciding(options, "a pilot with it")
    if options.residual:
        raise InputError("--residual", "a pilot with it")
    name, value = ("variance", options.variance) if options.sd is None else ("sd", options.sd)
    if not 0 < value < float("inf"):
        raise InputError(f"--{name} {value:g}", "a number above 0")
    variance = value if options.sd is None else value * value
    both = (variance / 2, variance) if options.of == "differences" else (variance, 2 * variance)
    return [Variances("", *both, options.systems)], ()


def _estimated(options: argparse.Namespace) -> tuple[list[Variances], tuple[Notice, ...]]:
    """The variances that a pilot tells."""
    if options.of != "scores":
        raise InputError("--of", "--variance or --sd with it")
    if not options.files:
        raise InputError("no variance", "files of a pilot, --variance or --sd")
    scores = without_errors(scores_of(options, runs=2))
    seen = [measured(scores, name, turned=False) for name in scores.measures]
    systems = options.systems or (len(scores.runs) if len(scores.runs) > 2 else None)
    pilots = [power.variance_from(one.matrix) for one in seen]
    known = []
    for one, pilot in zip(seen, pilots, strict=True):
        of_scores = pilot.two_way if options.residual == "two-way" else pilot.one_way
        of_differences = 2 * (pilot.one_way if options.residual == "one-way" else pilot.two_way)
        known.append(Variances(one.measure, of_scores, of_differences, systems, pilot))
    return known, (*scores.notices, *chain(*(one.notices for one in seen)), *_unsure(pilots))


def _unsure(pilots: Sequence[power.Pilot]) -> list[Notice]:
    """Whether a pilot is too small to rely on its variance."""
    smallest = min(pilots, key=lambda pilot: sum(pilot.topics))
    if smallest.error <= UNSURE:
        return []
    text = (
        f"{smallest.topics[0]} topics tell little of a variance: it may easily be "
        f"{smallest.error:.0%} larger or smaller, and so the number of topics needed"
    )
    return [Notice("small-pilot", text)]
