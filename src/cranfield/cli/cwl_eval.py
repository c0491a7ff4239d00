"""`cranfield cwl_eval`: the program of that name, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.drop_ins import run_tool, write_output
from cranfield.cli.options import COUNT, declare, get_shared_options, parse_number
from cranfield.cli.output import write
from cranfield.tools.cwl_eval import VERSION, cwl_eval, format_bibtex, read_metrics

ROWS = {
    "qrels QRELS": "judgments, their levels taken as gains",
    "result_file RUN": "a run: topic, element type, document, rank, score, name; taken in its "
    "order",
    "costs -c --cost_file COSTS": "an element type, a document, or a topic and a document, "
    "and the cost on each line",
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


def add_to(p: Any) -> None:
    """Declare the command."""
    declare(p, ROWS, N=COUNT, X={"type": parse_number}, as_version={"choices": (VERSION,)})
    declare(p, get_shared_options("import"))
    p.set_defaults(run=run, declared=p._actions)


def run(options: argparse.Namespace) -> None:
    """Measure, write the references, print."""
    options.metrics = read_metrics(options.metrics_file)
    result = run_tool(cwl_eval, options)
    if options.bib_file is not None:
        write(format_bibtex(options.metrics), options.bib_file)
    write_output(*result, options)
