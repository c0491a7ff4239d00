"""`cranfield pool`: documents to judge, contributions of runs, and unjudged documents."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cranfield.assess.pool import Pool, pool
from cranfield.assess.pool_tables import (
    LISTS,
    render_lists,
    render_pairs,
    render_pool,
    render_sample,
)
from cranfield.cli.arguments import parse_single_measure
from cranfield.cli.options import (
    LABELS,
    build_tie_options,
    build_topics_option,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_output_options, choose_format, show, write
from cranfield.errors import InputError
from cranfield.judging.audit import MEASURE, Audit, audit, render_audit
from cranfield.options import OptionGroup, argument, option

OPTIONS = (
    argument("runs", "RUN", "results: topic Q0 doc rank score tag", nargs="+"),
    option("--depth", "N", "only the first N documents of a list (default: 100)", value="count"),
    option("--pool", "FILE", "write the pool to FILE; -o FILE does the same without -f"),
    option("--unjudged", "FILE", "write to FILE what of the pool is not judged yet", requires="qrels"),
    OptionGroup(
        "samples for human assessors",
        (
            option(
                "--strata",
                "RANKS:RATE,…",
                "sample documents with best rank in RANKS at rate RATE, as in 1-10:1,11-100:0.2, "
                "and write the pool as topic 0 doc stratum level",
            ),
            option(
                "--audit",
                "N",
                "draw N documents for human assessors, to check an LLM judge of all documents "
                "(`cranfield judge`); --pool FILE, or -o, is the audit: documents in order of "
                "judging, with the probability of each draw",
                value="count",
            ),
            option(
                "--to-judge",
                "FILE",
                "write the drawn documents to FILE, lines `topic doc`",
                requires="audit",
            ),
            option(
                "-m --measure",
                "MEASURE",
                f"measure whose rank weights set the probabilities of draws: P, DCG or RBP (default: {MEASURE})",
                repeat=True,
                requires="audit",
            ),
            option("--seed", "S", "the same seed draws the same (default: 0)", value="integer"),
        ),
    ),
    *build_output_options(row_name="topic", file_help="with -f write to FILE, else the pool", name="shown"),
    OptionGroup(
        "judgments, topics and teams",
        (
            option("--qrels", "QRELS", "the judgments made so far"),
            option(
                "--rel",
                "N",
                "lowest relevant level (default: all above 0)",
                value="number",
                requires="qrels",
            ),
            build_topics_option(
                "topics to pool: 101,102, or FILE or @FILE, one per line; common: topics in every "
                "run (default: judged, or all without judgments)"
            ),
            option(
                "--teams",
                "FILE",
                "teams of the runs: lines `run team`, or a table with these columns",
            ),
        ),
    ),
    OptionGroup("other", (*build_tie_options(), LABELS, *get_shared_options("formats"))),
)


def run(options: argparse.Namespace) -> int:
    """Pool, write the lists, and show the contributions."""
    _resolve_files(options)
    result = call(pool, options)
    audit_sample = _draw_audit(result, options)
    files: dict[str | None, Callable[[str], str]] = {
        options.unjudged: lambda format: render_lists(result.unjudged or {}, format),
        options.pool: lambda format: render_pool(result, format),
    }
    if result.sample is not None:
        files[options.pool] = lambda format: render_sample(result, format)
    if audit_sample is not None:
        files[options.pool] = lambda format: render_audit(audit_sample, format)
        pairs = audit_sample.order.pairs[: audit_sample.to_judge]
        files[options.to_judge] = lambda format: render_pairs(pairs, format)
    for path, rendered in files.items():
        if path is not None:
            write(rendered(choose_format(path, LISTS)), path)
    return show(audit_sample or result, options)


def _draw_audit(result: Pool, options: argparse.Namespace) -> Audit | None:
    """Return the documents for human assessors, or None without --audit."""
    if options.audit is None:
        return None
    measure = parse_single_measure(options.measures, MEASURE)
    return audit(result, options.audit, measure, seed=options.seed or 0)


def _resolve_files(options: argparse.Namespace) -> None:
    """Assign the files: without -f, -o is the file of the pool."""
    if options.strata is not None and options.audit is not None:
        raise InputError.from_problem("use either --strata or --audit, not both")
    if options.seed is not None and options.strata is None and options.audit is None:
        raise InputError.from_problem("--seed requires --strata or --audit")
    if options.shown is None and options.pool is None:
        options.pool, options.output = options.output, None
    options.format = options.shown or "table"
