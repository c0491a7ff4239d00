"""`cranfield cwl_eval`: the program of that name, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import COUNT, add_shared, call, declare, number, refuse_two_inputs
from cranfield.cli.output import print_lines, write
from cranfield.tools.cwl_eval import COLUMNS, RESIDUALS, VERSION, bibtex, cwl_eval, read_metrics

ROWS = {
    "qrels QRELS": "judgments, their levels taken as gains",
    "result_file RUN": "a run: topic, element type, document, rank, score, name; taken in its "
    "order",
    "costs -c --cost_file COSTS": "an element type and its cost on each line; or topic, document, "
    "cost",
    "-m --metrics_file METRICS": "a metric on each line, as INSTCWLMetric(T=2) or INST(T=2)",
    "-b --bib_file BIB": "write the BibTeX of the metrics here",
    "-n --colnames": "print the names of the columns",
    "-r --residuals": "how much more each could be, if unjudged documents were good",
    "max_depth --max_depth --max_n N": "the last rank that users look at, default: 1000",
    "--max_gain X": "highest gain allowed; of unjudged documents at best, default: 1",
    "--min_gain X": "lowest gain allowed, default: 0",
    "--max_cost X": "cost of documents of which it is not known, default: 1",
    "--min_cost X": "the same at best, default: 1",
    "--as-version": "dynamic BPM as this release computes it: K never changes",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="A drop-in for cwl_eval: what users gain from each list of a run, at what "
        "cost and down to which depth, if they behave as each metric says.",
        epilog="cwl_eval qrels.txt run.txt -n -m metrics.txt -c costs.txt",
    )
    declare(p, ROWS, N=COUNT, X={"type": number}, as_version={"choices": (VERSION,)})
    add_shared(p, "import")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Measure, write the references, print."""
    run, metrics_file, update_K = options.result_file, options.metrics_file, not options.as_version
    refuse_two_inputs(options.qrels, run, options.costs, metrics_file)
    metrics = read_metrics(metrics_file)
    lines, notices = call(cwl_eval, options, run=run, metrics=metrics, update_K=update_K)
    if options.colnames:
        lines.insert(0, "\t".join(COLUMNS + RESIDUALS * options.residuals))
    if options.bib_file is not None:
        write(bibtex(metrics), options.bib_file)
    print_lines(lines, notices)
