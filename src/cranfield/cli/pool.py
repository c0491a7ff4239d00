"""`cranfield pool`: documents to judge, contributions of runs, and unjudged documents."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

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
from cranfield.data.run_reader import read_runs
from cranfield.errors import InputError
from cranfield.evaluation.unjudged import MEASURE as SETTLED
from cranfield.judging.audit import MEASURE, Audit, audit, render_audit
from cranfield.options import OptionGroup, argument, option
from cranfield.report.formats import FORMATS

OPTIONS = (
    argument("runs", "RUN", "results: topic Q0 doc rank score tag", nargs="+"),
    option("--depth", "N", "only the first N documents of a list (default: 100)", value="count"),
    option("--pool", "FILE", "write the pool to FILE; -o FILE does the same without -f"),
    option("--unjudged", "FILE", "write to FILE what of the pool is not judged yet", requires="qrels"),
    option(
        "--settle",
        ("RUN", "RUN"),
        "list the documents whose judgments would decide which of two runs is better, by -m",
        nargs=2,
        requires="qrels",
    ),
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
                "write the drawn or listed documents to FILE, lines `topic doc`",
            ),
            option(
                "-m --measure",
                "MEASURE",
                f"for --audit, measure whose rank weights set the probabilities of draws: P, DCG or RBP (default: "
                f"{MEASURE}); for --settle, measure of the comparison (default: {SETTLED})",
                repeat=True,
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
    _check_options(options)
    if options.settle is not None:
        return _show_settlement(options)
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


def _check_options(options: argparse.Namespace) -> None:
    """Raise an error for options that need --audit or --settle, or contradict --settle."""
    for flag, value in (("-m", options.measures), ("--to-judge", options.to_judge)):
        if value and options.audit is None and options.settle is None:
            raise InputError.from_problem(f"{flag} requires --audit N or --settle RUN RUN")
    if options.settle is None:
        return
    others = ("strata", "audit", "pool", "unjudged", "teams", "seed", "per_topic")
    for row in (row for row in options.declared if row.name in others):
        if getattr(options, row.name) != row.default:
            raise InputError.from_problem(f"use either --settle or {row.flags[-1]}, not both")


def _show_settlement(options: argparse.Namespace) -> int:
    """Show and write the documents that decide a comparison."""
    from cranfield.evaluation.settling import settle

    run, other = _resolve_names(options.settle, options.runs)
    measure = parse_single_measure(options.measures, SETTLED)
    result = call(settle, options, run=run, other=other, measure=measure, seed=None)
    if options.to_judge is not None:
        pairs = [(document.topic, document.doc) for document in result.documents]
        write(render_pairs(pairs, choose_format(options.to_judge, LISTS)), options.to_judge)
    options.format = options.shown or choose_format(options.output, FORMATS)
    return show(result, options)


def _resolve_names(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the names of two runs: for a file, the name of its run."""
    return [_read_name(name) if name in paths else name for name in names]


def _read_name(path: str) -> str:
    runs = read_runs(path)
    if len(runs) > 1:
        raise InputError.from_problem(f"{path} has {len(runs)} runs", "Name one of them.")
    return runs[0].name


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
