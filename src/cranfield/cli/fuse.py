"""`cranfield fuse`: one run from several runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from cranfield.cli.messages import write_notes
from cranfield.cli.options import SHARED, build_tie_options, call
from cranfield.data.files import write_whole
from cranfield.data.reading.table import Table
from cranfield.data.run_reader import read_runs
from cranfield.data.run_writer import format_run
from cranfield.options import OptionGroup, argument, choice, option
from cranfield.runs.fusion import METHODS, NORMS, build_settings, fuse_runs

OPTIONS = (
    argument("runs", "RUN", "two or more runs", nargs="+"),
    choice("--method", tuple(METHODS), "fusion method (default: rrf)"),
    choice("--norm", tuple(NORMS), "normalisation of scores for comb methods (default: min-max)"),
    option("--weights", "W,…", "weight of each run, as in 2,1 (default: 1)"),
    option("--k", "K", "parameter of rrf (default: 60)", value="number", default=60),
    option("--phi", "P", "parameter of rbc (default: 0.8)", value="number", default=0.8),
    choice(
        "--absent", ("zero", "min"), "score of absent documents for comb methods: none (zero, default), or the lowest"
    ),
    option("--depth", "N", "documents of a fused ranking (default: 1000)", value="count", default=1000),
    option("--name", "NAME", "name of the fused run (default: fused)", default="fused"),
    option("-o --output", "FILE", "write to FILE: TREC text, or CSV or TSV by extension (default: print)"),
    OptionGroup(
        "files",
        (*build_tie_options(), *(row for row in SHARED["formats"] if getattr(row, "name", "") != "qrels_format")),
    ),
)


def run(options: argparse.Namespace) -> int:
    """Fuse the runs, write the result topic by topic, and print the notes."""
    settings = call(
        build_settings, options, method=options.method or "rrf", norm=options.norm, absent=options.absent or "zero"
    )

    def write(tables: Iterator[Table]) -> None:
        lines = format_run(tables, options.name, options.output)
        if options.output is not None:
            write_whole(options.output, lines)
        else:
            sys.stdout.buffer.writelines(lines)

    runs = call(read_runs, options, format=options.run_format, look=False)
    _, notes = fuse_runs(runs, options.weights, settings, write)
    if not options.quiet:
        write_notes(notes, verbose=options.verbose)
    return 0
