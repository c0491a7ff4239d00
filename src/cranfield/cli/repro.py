"""`cranfield repro`: measures of reproducibility of runs."""

from __future__ import annotations

import argparse

from cranfield.cli.options import build_row, call
from cranfield.cli.output import build_output_options, show
from cranfield.cli.progress import Progress
from cranfield.cli.scores import build_evaluation_options, build_measure_options
from cranfield.data.orders import TIES as READING_TIES
from cranfield.options import OptionGroup, Rows, argument, option
from cranfield.runs.overlap import P
from cranfield.runs.reproduction import MEASURE, repro
from cranfield.stats.options import build_confidence_option, build_trial_options

RUNS = "the advanced run A, and the baseline run B"
OPTIONS: Rows = (
    argument("qrels", "QRELS", "judgments"),
    option("--original", "RUN", f"original runs: {RUNS}", nargs="+", required=True),
    option("--reproduced", "RUN", "reproduced runs, in the same order", nargs="+", required=True),
    option("--replicated", "QRELS2", "judgments of other topics, for the reproduced runs"),
    *build_measure_options(MEASURE),
    option("--p", "P", f"parameter of RBO, between 0 and 1 (default: {P})", value="number"),
    *build_trial_options(text="trials of the bootstrap"),
    *build_confidence_option(),
    *build_output_options(),
    OptionGroup("order of rankings", (build_row("ties", READING_TIES),)),
    *build_evaluation_options(scores=False, without=("ties",)),
)


def run(options: argparse.Namespace) -> int:
    """Compare original and reproduced runs, and show the table."""
    files = [options.qrels, *options.original, *options.reproduced]
    with Progress(files) as progress:
        result = call(repro, options, measures=options.measures, progress=progress.update)
    return show(result, options)
