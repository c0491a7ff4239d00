"""`cranfield judge`: what runs score if a model judged all and people some; can it be trusted?"""

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
from cranfield.options import OptionGroup, choice, option, switch
from cranfield.report.judge import TABLES
from cranfield.stats.options import (
    build_alpha_option,
    build_confidence_option,
    build_correction_option,
)
from cranfield.wording import format_count

FILES = (
    "PEOPLE JUDGE RUN…: judgments of people, judgments of a model, and results; with --scores, "
    "files with the scores of topics, those by people first, then those by the judge"
)
OPTIONS = (
    *build_score_options(files=FILES),
    OptionGroup(
        "what people judged",
        (
            choice(
                "--drawn",
                get_args(Sampling),
                "how people's topics or answers were drawn from those "
                "of the judge: at random; chosen, for which there are no intervals; or labels, which were "
                "drawn one by one at random",
            ),
            choice(
                "--missing-labels",
                get_args(MissingLabels),
                "scores that depend on documents of "
                "the judge without a human label are unknown (default), or these count as nonrelevant",
            ),
            choice(
                "--labels-of",
                get_args(AnswerKind),
                "PEOPLE JUDGE are what they judged of answers, as "
                "`cranfield answers` reads it: assignments of nuggets, or support by citations",
                name="of",
            ),
            option(
                "--audit-file",
                "FILE",
                "people judged documents of this audit, which `cranfield "
                "pool --audit` wrote, as far as they came",
                name="audit",
            ),
            *INVALID,
            option(
                "--target",
                "H",
                "half-width of intervals that is wanted: how many have people to judge?",
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
                "what people and the judge are called (default: as their files)",
                value="names",
            ),
            option(
                "--teams",
                "FILE",
                "whose the runs are: lines `run team`, and `judge team` for a judge's own "
                "family; does the judge favour any?",
            ),
            option("--family", "TEAM", "the judge's own family", requires="teams"),
            switch("-q --per-topic", "agreement of every topic, too"),
        ),
    ),
    *build_correction_option(
        "holm (default), bonferroni, bh (Benjamini and Hochberg) or none", "holm"
    ),
    *build_alpha_option(),
    *build_confidence_option(),
    *build_output_options(TABLES),
    *build_evaluation_options(),
)


def run(options: argparse.Namespace) -> int:
    """Estimate, and show the tables."""
    if len(options.files) < 2:
        raise InputError(format_count(len(options.files), "file"), "PEOPLE JUDGE RUN…")
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
        raise InputError(f"{min(p for p in paths if paths.count(p) > 1)} twice", "a file for each")
    if options.of:
        inputs |= _collect_answers(options, runs)
    else:
        inputs |= (
            _collect_scores(options, runs, inputs)
            if options.scores
            else _collect_runs(options, runs)
        )
    with Progress(
        [] if options.scores or options.of else [people, first, *runs, *runs]
    ) as progress:
        report = call(judge, options, **inputs, progress=progress.update)
    return show(report, options)


def _collect_runs(options: argparse.Namespace, runs: list[str]) -> dict[str, Any]:
    if not runs:
        alternatives = "--labels-of nuggets or citations, or --scores, with PEOPLE JUDGE"
        raise InputError("judgments and no run", f"PEOPLE JUDGE RUN…, or {alternatives}")
    if "-" in options.files:
        raise InputError("-", "files: runs are read once for people and once for the judge")
    if options.audit and options.drawn:
        raise InputError("--audit-file and --drawn", "one of them: an audit says what was drawn")
    measures = options.measures if options.audit else choose_measures(options)
    return {"runs": runs, "measures": measures}


def _collect_answers(options: argparse.Namespace, rest: list[str]) -> dict[str, Any]:
    """What people and the judge said of answers, as it is."""
    if rest:
        raise InputError(f"{2 + len(rest)} files with --labels-of", "two: people's and the judge's")
    if options.scores:
        raise InputError("--labels-of and --scores", "one of them")
    reject_options(
        options, DECIDING - {"measures"}, "PEOPLE JUDGE RUN… with it: --labels-of are answers"
    )
    reject_options(options, {"audit"}, "PEOPLE JUDGE RUN… with it: it is of documents")
    return {"runs": None, "measures": options.measures, **dict.fromkeys({*NAMES} - {"progress"})}


def _collect_scores(
    options: argparse.Namespace, rest: list[str], inputs: dict[str, Any]
) -> dict[str, Any]:
    """People's scores and the judge's, as they are."""
    if rest:
        raise InputError(f"{2 + len(rest)} files with --scores", "two: people's and the judge's")
    reject_options(
        options, DECIDING - WITH_SCORES, "PEOPLE JUDGE RUN… with it: --scores are scores"
    )
    reject_options(options, {"audit"}, "PEOPLE JUDGE RUN… with it: it is of documents")

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
