"""`cranfield compare`: differences of runs, with intervals, p-values and effect sizes."""

from __future__ import annotations

import argparse
from dataclasses import replace

from cranfield.cli.arguments import find_runs
from cranfield.cli.gates import GATE, check_gate, write_verdicts
from cranfield.cli.options import call
from cranfield.cli.output import build_output_options, show
from cranfield.cli.runner import compute_result
from cranfield.cli.scores import build_evaluation_options, build_score_options, choose_measures
from cranfield.cli.slices import SLICES, check_slices
from cranfield.cli.systems import SYSTEM_OPTIONS
from cranfield.comparison import Comparison, UnjudgedRange, compare
from cranfield.comparison.tables import MARKS, TABLES
from cranfield.errors import InputError
from cranfield.evaluation.options import Options
from cranfield.evaluation.unjudged import bound_differences
from cranfield.measures.bounds import BOUNDED, has_outer_bounds, is_bounded
from cranfield.measures.grammar import parse_measures
from cranfield.options import Computation, choice, option, switch
from cranfield.scores import Note
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS, count_steps
from cranfield.stats.options import build_testing_options

OPTIONS = (
    *build_score_options(),
    option(
        "--baseline",
        "RUN",
        "compare every other run with this one, given by its name or its file; may be repeated (default: all pairs)",
        repeat=True,
    ),
    choice(
        "--marks",
        MARKS,
        "marks of runs that differ significantly from a baseline: letters, +a better and "
        "-a worse (default), or daggers, † ‡ § … better",
        requires="baselines",
    ),
    option(
        "--teams",
        "FILE",
        "compare only the best run of each team: lines `run team`, or a table with these columns; baselines stay",
    ),
    option(
        "--best-by",
        "MEASURE",
        "measure for the best run of a team (default: the first)",
        requires="teams",
    ),
    *SYSTEM_OPTIONS,
    *build_testing_options("; intervals have confidence 1 − A", tests=tuple(TESTS)),
    choice(
        "--effect",
        EFFECTS,
        "effect size: Cohen's d_z (dz, default for two runs), Hedges' g "
        "(g), Glass's Δ (glass), or by the residuals of ANOVA (anova, default for more)",
    ),
    option(
        "--movers",
        "K",
        "show the K topics that differ most, each way (default: 3, if there are few pairs)",
        value="integer",
    ),
    switch(
        "--unjudged", "show the range of each difference over all judgments of unjudged documents", name="bounds_shown"
    ),
    *GATE,
    *build_output_options(TABLES),
    *SLICES,
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Compare runs, show the tables, and return the exit code of the gate."""
    _check_options(options)
    comparison = compute_result(Computation(compare, activity="testing", steps=_count_steps), options)
    if options.bounds_shown:
        comparison = _add_ranges(comparison, options)
    if not options.fail_if_worse:
        return show(comparison, options)
    gate = options.gate = comparison.gate(options.margin, options.undecided or "fail")
    show(replace(comparison, notes=(*comparison.notes, *gate.notes)), options)
    return write_verdicts(gate, options)


def _check_options(options: argparse.Namespace) -> None:
    """Raise an error for options that contradict each other."""
    if options.movers is not None and options.movers < 0:
        raise InputError(f"--movers {options.movers}", "an integer ≥ 0")
    check_slices(options)
    _check_unjudged(options)
    check_gate(options)
    if options.movers == 0 and "movers" in (options.tables or ()):
        raise InputError.from_problem("use either --movers 0 or --table movers, not both")


def _check_unjudged(options: argparse.Namespace) -> None:
    """Raise an error if the ranges for unjudged documents are not defined."""
    if not options.bounds_shown:
        return
    if options.scores:
        raise InputError.from_problem("--unjudged requires judgments and runs", "Use QRELS RUN RUN….")
    if options.systems:
        raise InputError.from_problem("--unjudged is not defined with --systems", "Compare single runs.")
    if options.undefined not in (None, "zero"):
        fix = "Judgments can add relevant documents to every topic."
        raise InputError.from_problem(f"--unjudged is not defined with --undefined {options.undefined}", fix)
    if "-" in options.files:
        raise InputError.from_problem("standard input (-) cannot be read twice, as --unjudged does", "Use files.")


def _add_ranges(comparison: Comparison, options: argparse.Namespace) -> Comparison:
    """Return the comparison with the ranges of its differences. Files are read again."""
    qrels, *paths = options.files
    runs = find_runs(qrels, paths, 2, "QRELS RUN RUN…")
    preset = options.preset
    texts = [*(preset.measures if preset else ()), *(options.measures or ())] or choose_measures(options)
    ranges, unknown = [], []
    defaults = call(Options, options).defaults
    for measure in (m.with_defaults(defaults) for m in parse_measures(texts)):
        name = measure.names()[0]
        pairs = [(pair.run, pair.other) for pair in comparison.pairs if pair.measure == name]
        if not is_bounded(measure):
            unknown.append(name)
        elif pairs:
            rows = call(bound_differences, options, qrels=qrels, runs=runs, measure=measure, pairs=pairs, seed=None)
            exact = not has_outer_bounds(measure)
            ranges += [UnjudgedRange(name, x.run, str(x.other), x.value, x.low, x.high, exact) for x in rows]
    if unknown and not ranges:
        fix = f"Supported: {', '.join(BOUNDED)}."
        raise InputError.from_problem(f"--unjudged: no bounds for {', '.join(unknown)}", fix)
    text = f"no range over judgments of unjudged documents is known for {', '.join(unknown)}"
    notes = [Note("bounds", text)] if unknown else []
    return replace(comparison, unjudged=tuple(ranges), notes=(*comparison.notes, *notes))


def _count_steps(options: argparse.Namespace, runs: int, measures: int) -> int:
    """Return the number of steps of all tests."""
    if options.systems:
        return 0
    baselines = len(options.baselines or ())
    pairs = baselines * (runs - 1) if baselines else runs * (runs - 1) // 2
    return measures * count_steps(options.test, runs, pairs, options.trials)
