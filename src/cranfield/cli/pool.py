"""`cranfield pool`: what to judge, whose it is, and what is still unjudged."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cranfield.assess.pool import pool
from cranfield.cli.asked import topics_of
from cranfield.cli.options import (
    COUNT,
    LABELS,
    NUMBER,
    TOPICS,
    add_shared,
    call,
    declare,
    refuse_two_inputs,
)
from cranfield.cli.output import add_output, show, write
from cranfield.data.run import TIES
from cranfield.errors import InputError
from cranfield.report.pool import render_lists

OPTIONS = {
    "runs RUN +": "results: topic Q0 doc rank score tag",
    "--depth N": "only the first N documents of a list (default: 100)",
    "--pool FILE": "write the pool to FILE; -o FILE does so, too, if no -f is given",
    "--unjudged FILE": "write to FILE what of the pool is not judged yet; needs --qrels",
}
WHO = {
    "--qrels QRELS": "the judgments made so far",
    "--rel N": "lowest relevant level (default: all above 0)",
    TOPICS: "those to pool: 101,102, or FILE or @FILE, each at the start of a line; common: those "
    "that every run answers (default: judged, or all without judgments)",
    "--teams FILE": "whose the runs are: lines `run team`, or a table with these columns",
}
LISTS = {
    "--ties": "order of a list: trec: by score, then document id, both descending (default); rank: "
    "by the rank column; given: as in the file (default without scores); file: by score, then as "
    "in the file",
    **LABELS,
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, OPTIONS, depth={**COUNT, "default": 100})
    add_output(p, each="topic", where="with -f write to FILE, else the pool")
    p.set_defaults(format=None)
    declare(p.add_argument_group("judgments, topics and teams"), WHO, rel=NUMBER)
    other = p.add_argument_group("other")
    declare(other, LISTS, ties={"choices": TIES})
    add_shared(other, "formats")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Pool, write the lists, and show who contributed."""
    topics = topics_of(options) if options.topics else None
    files = [text.removeprefix("@") for text in options.topics or ()]
    refuse_two_inputs(*options.runs, options.qrels, options.teams, *files)
    _settle(options)
    made = call(pool, options, topics=topics)
    lists = ((options.pool, made.docs), (options.unjudged, made.unjudged))
    files = [(path, render_lists(docs or {}, _format(path))) for path, docs in lists if path]
    for path, data in files:
        write(data, path)
    return show(made, options)


def _settle(options: argparse.Namespace) -> None:
    """Which file is for what: without -f, -o is for the pool."""
    for option in ("unjudged", "rel"):
        if getattr(options, option) is not None and options.qrels is None:
            raise InputError(f"--{option}", "--qrels QRELS with it")
    if options.format is None and options.pool is None:
        options.pool, options.output = options.output, None
    options.format = options.format or "table"
    named = [path for path in (options.pool, options.output, options.unjudged) if path is not None]
    if len({*named}) < len(named):
        raise InputError(f"{min(named)} more than once", "a file for each")


def _format(path: str) -> str:
    suffix = os.path.splitext(path)[1].lower().removeprefix(".")
    return suffix if suffix in ("csv", "tsv", "json") else "text"
