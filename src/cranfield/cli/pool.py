"""`cranfield pool`: what to judge, whose it is, and what is still unjudged."""

from __future__ import annotations

import argparse

from cranfield.assess.pool import pool
from cranfield.cli.options import LABELS, TOPICS, by_ties, call, shared
from cranfield.cli.output import format_for, output, show, write
from cranfield.errors import InputError
from cranfield.report.pool import LISTS, render_lists, render_sample

OPTIONS = {
    "runs RUN +": "results: topic Q0 doc rank score tag",
    "--depth N": "only the first N documents of a list (default: 100)",
    "--strata RANKS:RATE,…": "draw of the documents whose best rank is in RANKS the share RATE, "
    "as in 1-10:1,11-100:0.2, and write the pool as topic 0 doc stratum level",
    "--seed S with --strata RANKS:RATE,…": "chooses what is drawn (default: 0)",
    "--pool FILE": "write the pool to FILE; -o FILE does so, too, if no -f is given",
    "--unjudged FILE with --qrels QRELS": "write to FILE what of the pool is not judged yet",
    **output(each="topic", where="with -f write to FILE, else the pool", name="shown"),
    "judgments, topics and teams": {
        "--qrels QRELS": "the judgments made so far",
        "--rel N with --qrels QRELS": "lowest relevant level (default: all above 0)",
        TOPICS: "those to pool: 101,102, or FILE or @FILE, each at the start of a line; common: "
        "those that every run answers (default: judged, or all without judgments)",
        "--teams FILE": "whose the runs are: lines `run team`, or a table with these columns",
    },
    "other": {
        **by_ties(),
        **LABELS,
        **shared("formats"),
    },
}


def run(options: argparse.Namespace) -> int:
    """Pool, write the lists, and show who contributed."""
    _settle(options)
    made = call(pool, options)
    lists = ((options.pool, made.docs), (options.unjudged, made.unjudged))
    files = {
        path: render_lists(docs or {}, format_for(path, LISTS)) for path, docs in lists if path
    }
    if made.sample is not None and options.pool is not None:
        files[options.pool] = render_sample(made, format_for(options.pool, LISTS))
    for path, data in files.items():
        write(data, path)
    return show(made, options)


def _settle(options: argparse.Namespace) -> None:
    """Which file is for what: without -f, -o is for the pool."""
    if options.shown is None and options.pool is None:
        options.pool, options.output = options.output, None
    options.format = options.shown or "table"
    named = [path for path in (options.pool, options.output, options.unjudged) if path is not None]
    if len({*named}) < len(named):
        raise InputError(f"{min(named)} more than once", "a file for each")
