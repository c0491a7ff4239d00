"""`cranfield cwl_eval`: the program of that name, with its options and its output."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.options import add_import, call, count, number, refuse_two_inputs
from cranfield.cli.output import print_lines, write
from cranfield.tools.cwl_eval import COLUMNS, RESIDUALS, VERSION, bibtex, cwl_eval, read_metrics


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="A drop-in for cwl_eval: what users gain from each list of a run, at what "
        "cost and down to which depth, if they behave as each metric says.",
        epilog="cwl_eval qrels.txt run.txt -n -m metrics.txt -c costs.txt",
    )
    p.add_argument("qrels", metavar="QRELS", help="judgments, their levels taken as gains")
    p.add_argument(
        "result_file", metavar="RUN",
        help="a run: topic, element type, document, rank, score, name; taken in its order",
    )  # fmt: skip
    p.add_argument(
        "-c", "--cost_file", dest="costs", metavar="COSTS",
        help="an element type and its cost on each line; or topic, document, cost",
    )  # fmt: skip
    p.add_argument(
        "-m", "--metrics_file", metavar="METRICS",
        help="a metric on each line, as INSTCWLMetric(T=2) or INST(T=2)",
    )  # fmt: skip
    p.add_argument("-b", "--bib_file", metavar="BIB", help="write the BibTeX of the metrics here")
    p.add_argument("-n", "--colnames", action="store_true", help="print the names of the columns")
    p.add_argument("-r", "--residuals", action="store_true",
                   help="how much more each could be, if unjudged documents were good")  # fmt: skip
    p.add_argument("--max_depth", "--max_n", type=count, default=1000, metavar="N",
                   help="the last rank that users look at, default: 1000")  # fmt: skip
    for name, default, text in (
        ("max_gain", 1.0, "highest gain allowed; of unjudged documents at best"),
        ("min_gain", 0.0, "lowest gain allowed"),
        ("max_cost", 1.0, "cost of documents of which it is not known"),
        ("min_cost", 1.0, "the same at best"),
    ):
        p.add_argument(f"--{name}", type=number, default=default, metavar="X",
                       help=f"{text}, default: {default:g}")  # fmt: skip
    p.add_argument("--as-version", choices=(VERSION,),
                   help="dynamic BPM as this release computes it: K never changes")  # fmt: skip
    add_import(p)
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
