"""`cranfield pool`: what to judge, whose it is, and what is still unjudged."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cranfield.assess.pool import pool
from cranfield.cli.evaluate import add_formats
from cranfield.cli.options import add_labels, count, refuse_two_inputs, settings_of
from cranfield.cli.output import tell, write
from cranfield.data.run import TIES
from cranfield.errors import InputError
from cranfield.report.pool import FORMATS, render, render_lists, table


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command(
        description="For each topic, take together the first K documents of all runs. Shows what "
        "each run and each team brought, and with judgments what is still unjudged.",
        epilog="Lists of documents are written as lines `topic doc`, or as CSV, TSV or JSON if the "
        "name of the file ends so. They are in the order of document ids, which tells nothing of "
        "ranks.",
    )
    p.add_argument("runs", metavar="RUN", nargs="+", help="results: topic Q0 doc rank score tag")
    p.add_argument("--depth", type=count, metavar="K", default=100, help="default: 100")
    p.add_argument("-o", "--output", metavar="FILE", help="write the pool to FILE")
    p.add_argument(
        "--unjudged", metavar="FILE",
        help="write to FILE what of the pool is not judged yet; needs --qrels",
    )  # fmt: skip
    p.add_argument("-q", "--per-topic", action="store_true", help="show every topic too")
    p.add_argument(
        "-f", "--format", choices=FORMATS, default="table",
        help="of what is shown: a table for people (default), or all numbers for programs",
    )  # fmt: skip
    who = p.add_argument_group("judgments, topics and teams")
    who.add_argument("--qrels", metavar="QRELS", help="the judgments made so far")
    who.add_argument(
        "--rel", type=float, metavar="N", help="lowest relevant level (default: all above 0)"
    )
    who.add_argument(
        "--topics", metavar="FILE",
        help="the topics to pool, each at the start of a line (default: those of the judgments, "
        "else all)",
    )  # fmt: skip
    who.add_argument(
        "--teams", metavar="FILE",
        help="whose the runs are: lines `run team`, or a table with these columns",
    )  # fmt: skip
    other = p.add_argument_group("other")
    other.add_argument(
        "--ties", choices=TIES,
        help="order of a list: trec: by score, then document id, both descending (default); rank: "
        "by the rank column; given: as in the file (default without scores); file: by score, then "
        "as in the file",
    )  # fmt: skip
    add_labels(other)
    add_formats(other)
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Pool, write the lists, and show who contributed."""
    refuse_two_inputs(*options.runs, options.qrels, options.topics, options.teams)
    for option in ("unjudged", "rel"):
        if getattr(options, option) is not None and options.qrels is None:
            raise InputError(f"--{option}", "--qrels QRELS with it")
    if options.output is not None and options.output == options.unjudged:
        raise InputError(f"{options.output} for -o and --unjudged", "two files")
    names = ("depth", "qrels", "teams", "topics", "rel", "ties", "qrels_format", "run_format",
             "separator", "labels")  # fmt: skip
    made = pool(options.runs, **settings_of(options, *names))
    lists = ((options.output, made.docs), (options.unjudged, made.unjudged))
    files = [(path, render_lists(docs or {}, _format(path))) for path, docs in lists if path]
    if options.format == "table":
        shown = table(made, options.per_topic) + "\n"
    else:
        shown = render(made, options.format, options.per_topic)
        tell(made.notices)
    for path, data in files:
        write(data, path)
    write(shown, None)
    return 0


def _format(path: str) -> str:
    suffix = os.path.splitext(path)[1].lower().removeprefix(".")
    return suffix if suffix in ("csv", "tsv", "json") else "text"
