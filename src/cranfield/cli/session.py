"""`cranfield session`: score sessions of several queries, or what users clicked in them."""

from __future__ import annotations

import argparse
from typing import Any

from cranfield.cli.asked import measures_of
from cranfield.cli.options import LABELS, add_shared, call, declare, refuse_two_inputs
from cranfield.cli.output import add_scores_output, show, show_scores
from cranfield.data.reading.formats import FORMATS as INPUT_FORMATS
from cranfield.data.run import TIES
from cranfield.errors import InputError
from cranfield.evaluation.sessions import DEFAULT_MEASURES, evaluate_sessions, trailtext

FILES = {
    "qrels QRELS ?": "judgments by topic; with --clicks they may be left out",
    "sessions SESSIONS *": "the lists of a system: topic session query_number doc rank score, and "
    "its name if you like; queries 1, 2, 3, … in the order of time",
    "-m --measure MEASURE …": "nsDCG, sDCG or sU, or for click logs clickU, with cutoff and "
    "parameters; several in one string, or repeated (default: "
    f"{' '.join(DEFAULT_MEASURES)}, for click logs clickU)",
    "--clicks LOG …": "clicks in the order of time: topic session query_number clicked_rank "
    "doc_length, and the level if there is one; with --lengths, a document in the place of its "
    "length. Without SESSIONS, logs are scored (may be repeated); with them, one log says where "
    "lists end for measures with truncate=clicks",
    "--lengths FILE": "lengths of documents in characters, for sU",
}
TRAILS = {
    "--trail": "instead of scores, show the text that sU or clickU believes was read, string by "
    "string",
    "--session TOPIC/SESSION …": "with --trail, only this session; may be repeated",
}
LISTS = {
    "--ties": "order of a list: trec: by score, then document id, both descending (default); rank: "
    "by the rank column; given: as in the file; file: by score, then as in the file",
    **LABELS,
    "--qrels-format": "instead of recognising it",
}


def add_to(command: Any) -> None:
    """Declare the command."""
    p = command()
    declare(p, FILES)
    add_scores_output(p, "session")
    declare(p, TRAILS, session={"dest": "session"})
    other = p.add_argument_group("lists and files")
    declare(other, LISTS, ties={"choices": TIES}, qrels_format={"choices": INPUT_FORMATS})
    add_shared(other, "import")
    p.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score, or show what was read."""
    clicks = options.clicks or []
    refuse_two_inputs(options.qrels, *options.sessions, *clicks, options.lengths)
    if not options.sessions and not clicks:
        raise InputError("no sessions", "SESSIONS after QRELS, or --clicks LOG")
    if options.session and not options.trail:
        raise InputError("--session", "--trail with it (-q shows every session)")
    sessions, asked = options.sessions or None, measures_of(options.measures) or None
    if options.trail:
        return show(call(trailtext, options, sessions=sessions, measure=asked), options)
    scores = call(evaluate_sessions, options, sessions=sessions, measures=asked)
    return show_scores(scores, options)
