"""`cranfield judge`: what runs score if a model judged all and people some; can it be trusted?"""

from __future__ import annotations

import argparse
from os.path import normpath
from typing import Any, get_args

from cranfield.cli.answered import INVALID
from cranfield.cli.options import among, call
from cranfield.cli.output import output, show
from cranfield.cli.progress import Progress
from cranfield.cli.scored import (
    DECIDING,
    WITH_SCORES,
    evaluation,
    measures_for,
    refuse_given,
    scored,
)
from cranfield.data.systems import path_of
from cranfield.errors import InputError
from cranfield.evaluation.options import NAMES
from cranfield.evaluation.results import read_incomplete, read_scores
from cranfield.judging.given import MissingLabels, Of
from cranfield.judging.judge import Drawn, judge
from cranfield.report.judge import TABLES
from cranfield.report.options import alpha, confidence, correction
from cranfield.wording import counted

FILES = (
    "PEOPLE JUDGE RUN…: judgments of people, judgments of a model, and results; with --scores, "
    "files with the scores of topics, those by people first, then those by the judge"
)
OPTIONS = {
    **scored(files=FILES),
    "what people judged": {
        f"--drawn {among(get_args(Drawn))}": "how people's topics or answers were drawn from those "
        "of the judge: at random; chosen, for which there are no intervals; or labels, which were "
        "drawn one by one at random",
        f"--missing-labels {among(get_args(MissingLabels))}": "scores that depend on documents of "
        "the judge without a human label are unknown (default), or these count as nonrelevant",
        f"of --labels-of {among(get_args(Of))}": "PEOPLE JUDGE are what they judged of answers, as "
        "`cranfield answers` reads it: assignments of nuggets, or support by citations",
        "audit --audit-file FILE": "people judged documents of this audit, which `cranfield "
        "pool --audit` wrote, as far as they came",
        **INVALID,
        "--target H": "half-width of intervals that is wanted: how many have people to judge?",
    },
    "judges": {
        "--judge FILE …": "judgments of another model, or its scores; may be repeated",
        "--names A,B": "what people and the judge are called (default: as their files)",
        "--teams FILE": "whose the runs are: lines `run team`, and `judge team` for a judge's own "
        "family; does the judge favour any?",
        "--family TEAM with --teams FILE": "the judge's own family",
        "-q --per-topic": "agreement of every topic, too",
    },
    **correction("holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"),
    **alpha(),
    **confidence(),
    **output(TABLES),
    **evaluation(),
}


def run(options: argparse.Namespace) -> int:
    """Estimate, and show the tables."""
    if len(options.files) < 2:
        raise InputError(counted(len(options.files), "file"), "PEOPLE JUDGE RUN…")
    people, first, *runs = options.files
    more = options.judges or ()
    named = options.names or [*map(path_of, (people, first))]
    given: dict[str, Any] = {
        "names": named,
        "others": {path_of(path): path for path in more},
        "people": people,
        "judge": first,
    }
    paths = [normpath(path) for path in (people, first, *more)]
    if len({*paths}) < len(paths):
        raise InputError(f"{min(p for p in paths if paths.count(p) > 1)} twice", "a file for each")
    if options.of:
        given |= _answers(options, runs)
    else:
        given |= _scores(options, runs, given) if options.scores else _runs(options, runs)
    with Progress(
        [] if options.scores or options.of else [people, first, *runs, *runs]
    ) as progress:
        found = call(judge, options, **given, progress=progress.step)
    return show(found, options)


def _runs(options: argparse.Namespace, runs: list[str]) -> dict[str, Any]:
    if not runs:
        others = "--labels-of nuggets or citations, or --scores, with PEOPLE JUDGE"
        raise InputError("judgments and no run", f"PEOPLE JUDGE RUN…, or {others}")
    if "-" in options.files:
        raise InputError("-", "files: runs are read once for people and once for the judge")
    if options.audit and options.drawn:
        raise InputError("--audit-file and --drawn", "one of them: an audit says what was drawn")
    measures = options.measures if options.audit else measures_for(options)
    return {"runs": runs, "measures": measures}


def _answers(options: argparse.Namespace, rest: list[str]) -> dict[str, Any]:
    """What people and the judge said of answers, as it is."""
    if rest:
        raise InputError(f"{2 + len(rest)} files with --labels-of", "two: people's and the judge's")
    if options.scores:
        raise InputError("--labels-of and --scores", "one of them")
    refuse_given(
        options, DECIDING - {"measures"}, "PEOPLE JUDGE RUN… with it: --labels-of are answers"
    )
    refuse_given(options, {"audit"}, "PEOPLE JUDGE RUN… with it: it is of documents")
    return {"runs": None, "measures": options.measures, **dict.fromkeys({*NAMES} - {"progress"})}


def _scores(options: argparse.Namespace, rest: list[str], given: dict[str, Any]) -> dict[str, Any]:
    """People's scores and the judge's, as they are."""
    if rest:
        raise InputError(f"{2 + len(rest)} files with --scores", "two: people's and the judge's")
    refuse_given(options, DECIDING - WITH_SCORES, "PEOPLE JUDGE RUN… with it: --scores are scores")
    refuse_given(options, {"audit"}, "PEOPLE JUDGE RUN… with it: it is of documents")

    def read(path: str) -> Any:
        reader = read_incomplete if options.missing is None else read_scores
        return call(reader, options, data=path, lower=options.lowers)

    return {
        "people": read(given["people"]),
        "judge": read(given["judge"]),
        "others": {name: read(path) for name, path in given["others"].items()},
        "runs": None,
        "measures": None,
        **dict.fromkeys({*NAMES} - {"progress"}),
    }
