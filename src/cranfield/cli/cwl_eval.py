"""`cranfield cwl_eval`: drop-in replacement for the program of that name."""

from __future__ import annotations

import argparse

from cranfield.cli.drop_ins import run_tool, write_output
from cranfield.cli.options import get_shared_options
from cranfield.cli.output import write
from cranfield.options import argument, choice, option, switch
from cranfield.tools.cwl_eval import VERSION, cwl_eval, format_bibtex, read_metrics

OPTIONS = (
    argument("qrels", "QRELS", "judgments; levels are gains"),
    argument(
        "result_file",
        "RUN",
        "a run: topic, element type, document, rank, score, name; taken in its order",
    ),
    option(
        "-c --cost_file",
        "COSTS",
        "an element type, a document, or a topic and a document, and the cost on each line",
        name="costs",
    ),
    option("-m --metrics_file", "METRICS", "a metric on each line, as INSTCWLMetric(T=2) or INST(T=2)"),
    option("-b --bib_file", "BIB", "write the BibTeX of the metrics here"),
    switch("-n --colnames", "print the names of the columns"),
    switch("-r --residuals", "possible increase of each value if unjudged documents were relevant"),
    option(
        "--max_depth --max_n",
        "N",
        "last rank that users read, default: 1000",
        name="max_depth",
        value="count",
    ),
    option(
        "--max_gain",
        "X",
        "highest gain allowed; of unjudged documents at best, default: 1",
        value="finite",
    ),
    option("--min_gain", "X", "lowest gain allowed, default: 0", value="finite"),
    option("--max_cost", "X", "cost of documents of which it is not known, default: 1", value="finite"),
    option("--min_cost", "X", "the same at best, default: 1", value="finite"),
    choice("--as-version", (VERSION,), "dynamic BPM as in this release: K never changes"),
    *get_shared_options("import"),
)


def run(options: argparse.Namespace) -> None:
    """Measure, write the references, print."""
    options.metrics = read_metrics(options.metrics_file)
    result = run_tool(cwl_eval, options)
    if options.bib_file is not None:
        write(format_bibtex(options.metrics), options.bib_file)
    write_output(*result, options)
