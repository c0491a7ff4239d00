"""`cranfield session`: score sessions of several queries, or click logs."""

from __future__ import annotations

import argparse

from cranfield.cli.options import (
    COLUMNS,
    LABELS,
    RUN_NAMES,
    build_format_option,
    build_tie_options,
    call,
    get_shared_options,
)
from cranfield.cli.output import build_score_output_options, show, show_scores
from cranfield.data.reading.formats import FORMATS
from cranfield.errors import InputError
from cranfield.evaluation.sessions import DEFAULT_MEASURES, evaluate_sessions, trailtext
from cranfield.options import OptionGroup, argument, option, switch

OPTIONS = (
    argument("qrels", "QRELS", "judgments by topic; optional with --clicks", nargs="?"),
    argument(
        "sessions",
        "SESSIONS",
        "the lists of a system: topic session query_number doc rank score, "
        "and its name if you like; queries 1, 2, 3, … in the order of time",
        nargs="*",
    ),
    option(
        "-m --measure",
        "MEASURE",
        "nsDCG, sDCG or sU, or for click logs clickU, with cutoff and "
        "parameters; several in one string, or repeated (default: "
        f"{' '.join(DEFAULT_MEASURES)}, for click logs clickU)",
        repeat=True,
    ),
    option(
        "--clicks",
        "LOG",
        "clicks in order of time: topic session query_number clicked_rank doc_length, and "
        "optionally the level; with --lengths, a document instead of its length. Without "
        "SESSIONS, logs are scored (may be repeated); with SESSIONS, one log sets the ends "
        "of rankings for measures with truncate=clicks",
        repeat=True,
    ),
    option("--lengths", "FILE", "lengths of documents in characters, for sU"),
    *build_score_output_options("session"),
    switch(
        "--trail",
        "instead of scores, show the text read according to sU or clickU, string by string",
    ),
    option(
        "--session",
        "TOPIC/SESSION",
        "only this session; may be repeated (-q shows every session)",
        name="session",
        repeat=True,
        requires="trail",
    ),
    OptionGroup(
        "lists and files",
        (
            *build_tie_options(),
            LABELS,
            build_format_option("--qrels-format", FORMATS),
            RUN_NAMES,
            COLUMNS,
            *get_shared_options("import"),
        ),
    ),
)


def run(options: argparse.Namespace) -> int:
    """Score sessions, or show the text that users read."""
    if not options.sessions and not options.clicks:
        raise InputError.from_problem("no sessions given", "Use SESSIONS after QRELS, or --clicks LOG.")
    sessions = options.sessions or None
    if options.trail:
        return show(call(trailtext, options, sessions=sessions, measure=options.measures), options)
    return show_scores(call(evaluate_sessions, options, sessions=sessions), options, options.topics)
