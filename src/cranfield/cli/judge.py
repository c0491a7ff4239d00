"""`cranfield judge`: estimate scores from LLM judgments of all topics and human judgments of
some.
"""

from __future__ import annotations

import argparse
from os.path import normpath
from typing import Any, get_args

from cranfield.cli.answer_options import INVALID
from cranfield.cli.options import call
from cranfield.cli.output import build_output_options, show
from cranfield.cli.progress import Progress
from cranfield.cli.scores import (
    DECIDING,
    WITH_SCORES,
    build_evaluation_options,
    build_score_options,
    choose_measures,
    reject_options,
)
from cranfield.data.systems import get_path_name
from cranfield.errors import InputError
from cranfield.evaluation.options import NAMES
from cranfield.evaluation.results import read_incomplete, read_scores
from cranfield.judging.inputs import AnswerKind, MissingLabels
from cranfield.judging.judge import Sampling, judge
from cranfield.judging.judge_tables import TABLES
from cranfield.options import OptionGroup, choice, option, switch
from cranfield.stats.options import (
    build_alpha_option,
    build_confidence_option,
    build_correction_option,
)
from cranfield.wording import format_count

FILES = (
    "PEOPLE JUDGE RUN…: human judgments, LLM judgments, and runs; with --scores, files "
    "with scores of topics, human first, then LLM"
)
OPTIONS = (
    *build_score_options(files=FILES),
    OptionGroup(
        "human judgments",
        (
            choice(
                "--drawn",
                get_args(Sampling),
                "sampling of the human topics or answers: random; chosen: without intervals; "
                "labels: drawn one by one at random",
            ),
            choice(
                "--missing-labels",
                get_args(MissingLabels),
                "scores that depend on documents of the judge without a human label "
                "are unknown (default), or these count as nonrelevant",
            ),
            choice(
                "--labels-of",
                get_args(AnswerKind),
                "PEOPLE JUDGE are judgments of answers, as for `cranfield answers`: assignments of "
                "nuggets, or support by citations",
                name="of",
            ),
            option(
                "--audit-file",
                "FILE",
                "human judgments of documents of this audit, written by `cranfield pool --audit`, may be incomplete",
                name="audit",
            ),
            *INVALID,
            option(
                "--target",
                "H",
                "target half-width of intervals: report the number of human judgments needed",
                value="nonnegative",
            ),
        ),
    ),
    OptionGroup(
        "judges",
        (
            option(
                "--judge",
                "FILE",
                "judgments of another model, or its scores; may be repeated",
                repeat=True,
            ),
            option(
                "--names",
                "A,B",
                "names of human assessors and LLM judge (default: from their files)",
                value="names",
            ),
            option(
                "--teams",
                "FILE",
                "teams of the runs: lines `run team`, and `judge team` for the family of an LLM "
                "judge; report whether the judge favours a team",
            ),
            option("--family", "TEAM", "the judge's own family", requires="teams"),
            switch("-q --per-topic", "also show the agreement of every topic"),
        ),
    ),
    *build_correction_option("holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"),
    *build_alpha_option(),
    *build_confidence_option(),
    *build_output_options(TABLES),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Estimate, and show the tables."""
    if len(options.files) < 2:
        raise InputError.from_problem(f"found {format_count(len(options.files), 'file')}, expected PEOPLE JUDGE RUN…")
    people, first, *runs = options.files
    more = options.judges or ()
    names = options.names or [*map(get_path_name, (people, first))]
    inputs: dict[str, Any] = {
        "names": names,
        "others": {get_path_name(path): path for path in more},
        "people": people,
        "judge": first,
    }
    paths = [normpath(path) for path in (people, first, *more)]
    if len({*paths}) < len(paths):
        path = min(p for p in paths if paths.count(p) > 1)
        raise InputError.from_problem(f"duplicate file {path}", "Use a file for each judge.")
    if options.of:
        inputs |= _collect_answers(options, runs)
    else:
        inputs |= _collect_scores(options, runs, inputs) if options.scores else _collect_runs(options, runs)
    with Progress([] if options.scores or options.of else [people, first, *runs, *runs]) as progress:
        report = call(judge, options, **inputs, progress=progress.update)
    return show(report, options)


def _collect_runs(options: argparse.Namespace, runs: list[str]) -> dict[str, Any]:
    if not runs:
        alternatives = "--labels-of nuggets or citations, or --scores, with PEOPLE JUDGE"
        raise InputError.from_problem("no run given", f"Use PEOPLE JUDGE RUN…, or {alternatives}.")
    if "-" in options.files:
        raise InputError.from_problem("standard input (-) cannot be read for both judgments", "Use files.")
    if options.audit and options.drawn:
        raise InputError.from_problem("use either --audit-file or --drawn, not both")
    measures = options.measures if options.audit else choose_measures(options)
    return {"runs": runs, "measures": measures}


def _collect_answers(options: argparse.Namespace, rest: list[str]) -> dict[str, Any]:
    """Return the assignments or citations of human assessors and the LLM judge."""
    if rest:
        raise InputError.from_problem(f"found {2 + len(rest)} files with --labels-of, expected 2")
    if options.scores:
        raise InputError.from_problem("use either --labels-of or --scores, not both")
    reject_options(options, DECIDING - {"measures"}, "PEOPLE JUDGE RUN…")
    reject_options(options, {"audit"}, "PEOPLE JUDGE RUN…")
    return {"runs": None, "measures": options.measures, **dict.fromkeys({*NAMES} - {"progress"})}


def _collect_scores(options: argparse.Namespace, rest: list[str], inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the human scores and the scores of the LLM judge."""
    if rest:
        raise InputError.from_problem(f"found {2 + len(rest)} files with --scores, expected 2")
    reject_options(options, DECIDING - WITH_SCORES, "PEOPLE JUDGE RUN…")
    reject_options(options, {"audit"}, "PEOPLE JUDGE RUN…")

    def read(path: str) -> Any:
        reader = read_incomplete if options.missing is None else read_scores
        return call(reader, options, data=path, lower=options.lowers)

    return {
        "people": read(inputs["people"]),
        "judge": read(inputs["judge"]),
        "others": {name: read(path) for name, path in inputs["others"].items()},
        "runs": None,
        "measures": None,
        **dict.fromkeys({*NAMES} - {"progress"}),
    }
