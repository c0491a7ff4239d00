"""`cranfield plan`: how many topics are needed, and what a number of topics can show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from cranfield.cli.options import count
from cranfield.cli.output import write
from cranfield.cli.plot import refuse_output
from cranfield.cli.scored import add_evaluation, add_scored, refuse_deciding, scores_of
from cranfield.cli.sheets import add_output, show
from cranfield.errors import InputError
from cranfield.report.pictures import format_of
from cranfield.report.plan import (
    detectable_sheet,
    pilot_sheet,
    power_curves,
    power_sheet,
    settings,
    topics_sheet,
)
from cranfield.scores import Notice
from cranfield.stats.measured import measured, without_errors
from cranfield.stats.power import (
    ALPHA,
    POWER,
    Design,
    Pilot,
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
    variance_from,
)

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
    asked.add_argument(
        "--alpha", type=float, default=ALPHA, metavar="A",
        help="p-values of at most A are significant; intervals have confidence 1 − A (default: "
        f"{ALPHA})",
    )  # fmt: skip
    asked.add_argument(
        "--power", type=float, default=POWER, metavar="P",
        help=f"how probable it is to find the difference (default: {POWER})",
    )  # fmt: skip
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
    shown.add_argument(
        "--plot", metavar="FILE",
        help="draw power against topics, of one measure: PNG, SVG, PDF, HTML, or its "
        "numbers, by the end of the name; needs pip install 'cranfield[report]'",
    )  # fmt: skip
    add_evaluation(p)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Design, show the tables, and draw."""
    refuse_output(options.plot)
    format = None if options.plot is None else format_of(options.plot)
    notices: tuple[Notice, ...] = ()
    if options.variance is not None or options.sd is not None:
        if options.files:
            raise InputError("files and a variance", "one of them")
        refuse_deciding(options, "a pilot with it")
        if options.residual:
            raise InputError("--residual", "a pilot with it")
        pilots: dict[str, Pilot] = {}
        designs = {"": designed(options, *_given(options), options.systems)}
    else:
        if options.of != "scores":
            raise InputError("--of", "--variance or --sd with it")
        if not options.files:
            raise InputError("no variance", "files of a pilot, --variance or --sd")
        scores = without_errors(scores_of(options, runs=2))
        seen = {name: measured(scores, name, turned=False) for name in scores.measures}
        pilots = {measure: variance_from(found.matrix) for measure, found in seen.items()}
        systems = options.systems or (len(scores.runs) if len(scores.runs) > 2 else None)
        designs = {
            measure: designed(options, *_estimated(pilot, options.residual), systems)
            for measure, pilot in pilots.items()
        }
        told = (notice for found in seen.values() for notice in found.notices)
        notices = (*scores.notices, *told, *_unsure(pilots))
    if format and len(designs) > 1:
        raise InputError(f"{len(designs)} measures", "one with --plot")
    measure, first = next(iter(designs.items()))
    picture = power_curves(first, measure).render(format) if format else b""
    sheets = [topics_sheet(designs)]
    if pilots:
        sheets.append(pilot_sheet(pilots))
    if options.sizes:
        if any(d.power for found in designs.values() for d in found):
            sheets.append(power_sheet(designs, options.sizes))
        sheets.append(detectable_sheet(designs, options.sizes))
    show(sheets, notices, options, settings=settings(designs))
    if format:
        write(picture, options.plot)
    return 0


def designed(
    options: argparse.Namespace, of_scores: float, of_differences: float, systems: int | None
) -> list[Design]:
    """A design for each method, and each difference or width."""
    enough = {"t": True, "anova": systems is not None, "interval": bool(options.widths)}
    methods = options.methods or [method for method in METHODS if enough[method]]
    for method, option in (("anova", "--systems M"), ("interval", "--width W")):
        if method in methods and not enough[method]:
            raise InputError(f"--method {method}", f"{option} with it")
    if options.widths and "interval" not in methods:
        raise InputError("--width", "--method interval with it")
    differences = _around(options.differences or DIFFERENCES)
    asked = {"alpha": options.alpha, "power": options.power}
    found: list[Design] = []
    for method in dict.fromkeys(methods):
        if method == "t":
            found += [topics_for_t(d, of_differences, **asked) for d in differences]
        elif method == "anova":
            found += [topics_for_anova(d, of_scores, systems or 0, **asked) for d in differences]
        else:
            confidence = 1 - options.alpha
            found += [topics_for_interval(w, of_differences, confidence) for w in options.widths]
    return found


def _around(differences: Sequence[float]) -> Sequence[float]:
    """One difference with its half and its double, several as they are."""
    if len(differences) > 1:
        return tuple(dict.fromkeys(differences))
    return tuple(round(differences[0] * factor, 12) for factor in (0.5, 1, 2))


def _given(options: argparse.Namespace) -> tuple[float, float]:
    """The variances of scores and of differences that options say."""
    name, value = ("variance", options.variance) if options.sd is None else ("sd", options.sd)
    if not 0 < value < float("inf"):
        raise InputError(f"--{name} {value:g}", "a number above 0")
    variance = value if options.sd is None else value * value
    return (variance / 2, variance) if options.of == "differences" else (variance, 2 * variance)


def _estimated(pilot: Pilot, residual: str | None) -> tuple[float, float]:
    """The variances of scores and of differences that a pilot tells."""
    of_scores = pilot.two_way if residual == "two-way" else pilot.one_way
    of_differences = 2 * pilot.one_way if residual == "one-way" else pilot.difference
    return of_scores, of_differences


def _unsure(pilots: dict[str, Pilot]) -> list[Notice]:
    """Whether a pilot is too small to rely on its variance."""
    smallest = min(pilots.values(), key=lambda pilot: sum(pilot.topics))
    if smallest.error <= UNSURE:
        return []
    text = (
        f"{smallest.topics[0]} topics tell little of a variance: it may easily be "
        f"{smallest.error:.0%} larger or smaller, and so the number of topics needed"
    )
    return [Notice("small-pilot", text)]
