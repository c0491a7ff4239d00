"""Commands that begin with scores: computed from judgments and runs, or read from files."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from typing import Any, get_args

from cranfield.cli.arguments import find_runs
from cranfield.cli.options import (
    TIES,
    build_mean_options,
    build_order_options,
    build_preset_options,
    call,
    get_shared_options,
)
from cranfield.cli.progress import Progress
from cranfield.data.tracks import choose_topics, read_named_topics
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import NAMES
from cranfield.evaluation.results import Missing, read_scores
from cranfield.options import OptionGroup, Rows, argument, choice, option, switch
from cranfield.scores import Scores, note_topics_file
from cranfield.wording import format_count

FILES = (
    "QRELS RUN RUN…: judgments and results, as for `cranfield evaluate`; with --scores, files with "
    "the scores of topics, as trec_eval -q, ndeval, gdeval, ir_measures or `cranfield evaluate -q "
    "-f tsv` write them, or tables"
)
SCORED = (
    switch("--scores", "the files hold scores of topics, not results"),
    option(
        "--lower-is-better",
        "NAME",
        "a measure of which lower values are "
        "better, where cranfield does not know that; may be repeated",
        name="lowers",
        repeat=True,
        requires="scores",
    ),
)
MEASURE = "a measure such as nDCG@10, several in one string, or @FILE; may be repeated"
MISSING = (
    choice(
        "--missing",
        get_args(Missing),
        "topics that a run lacks: an error (default), left out for all runs (common), or zero",
        requires="scores",
    ),
)
WITH_SCORES = {"scores", "lowers", "measures", "missing", "run_names"}
DECIDING = ({*NAMES, "presets", "classes", "groups"} | WITH_SCORES) - {"seed", "threads"}
"""What options are called that decide scores; those of them that do so with --scores."""


# -- rows of options ------------------------------------------------------------------------------


def build_score_options(default: str = "AP", files: str = FILES) -> Rows:
    """The files and options that scores come from."""
    default_text = f"{default}, or all in the files but counts"
    return (
        argument("files", "FILE", files, nargs="*"),
        *SCORED,
        *build_measure_options(default_text),
    )


def build_measure_options(default: str) -> Rows:
    """The options that say what is evaluated."""
    text = "what a task evaluates with (`cranfield presets` lists all)"
    return (
        option("-m --measure", "MEASURE", f"{MEASURE} (default: {default})", repeat=True),
        *build_preset_options(text),
    )


def build_evaluation_options(scores: bool = True, without: Collection[str] = ()) -> Rows:
    """Return the options of `cranfield evaluate` that decide scores, some of them with --scores."""
    lists = (*build_order_options(TIES), *build_mean_options(), *(MISSING if scores else ()))
    return (
        OptionGroup("lists and topics", tuple(row for row in lists if row.name not in without)),
        OptionGroup("relevance", get_shared_options("relevance")),
        OptionGroup("diversity", get_shared_options("intents", "verticals")),
        OptionGroup("user models", get_shared_options("costs")),
        OptionGroup("other", get_shared_options("formats", "import", "threads")),
    )


# -- scores ---------------------------------------------------------------------------------------


def reject_options(options: argparse.Namespace, names: Collection[str], expected: str) -> None:
    """Options of these names, given where they would decide nothing."""
    for row in options.declared:
        if row.name in names and getattr(options, row.name) != row.default:
            raise InputError(row.flags[0], expected)


def get_scores(options: argparse.Namespace, runs: int = 1) -> Scores:
    """The scores that the files and options ask for; of at least so many runs."""
    if options.scores:
        if not options.files:
            raise InputError("no file", "files with the scores of topics")
        topics = read_named_topics(options.topics)
        names = DECIDING - WITH_SCORES - (set() if topics is None else {"topics"})
        reject_options(options, names, "QRELS RUN… with it: --scores are scores already")
        scores = call(read_scores, options, data=options.files, lower=options.lowers)
        if topics is not None:
            topics = choose_topics(topics, scores.topics, "scores")
            scores = scores.select(topics=list(topics))
            scores = replace(scores, notes=(*scores.notes, *note_topics_file(topics)))
        scores = scores if options.measures else _drop_counts(scores)
    else:
        scores = evaluate_files(options, runs)
    if len(scores.runs) < runs:
        least = f"at least {runs} runs"
        expected = least if options.scores else f"QRELS and {least}, or --scores"
        raise InputError(format_count(len(scores.runs), "run"), expected)
    return scores


def _drop_counts(scores: Scores) -> Scores:
    """Without columns such as num_ret, that nobody asked for and no test is about."""
    measures = [m for m, b in zip(scores.measures, scores.better, strict=True) if b != "neither"]
    return scores.select(measures=measures) if measures else scores


def evaluate_files(options: argparse.Namespace, runs: int = 1, qrels: str | None = None) -> Scores:
    """The scores of QRELS RUN RUN…, or by other judgments of the same runs."""
    if not options.files:
        raise InputError("no files", "QRELS RUN RUN…, or --scores FILE…")
    first_file, *run_files = options.files
    expected = f"QRELS and at least {runs} runs, or --scores"
    with Progress(options.files) as progress:
        return call(
            evaluate,
            options,
            qrels=qrels or first_file,
            runs=find_runs(first_file, run_files, runs, expected),
            measures=choose_measures(options),
            seed=None,  # which is that of tests
            progress=progress.update,
        )


def choose_measures(options: argparse.Namespace) -> Any:
    """The measures that are asked for, those of the preset, or the usual ones."""
    default = getattr(options, "default_measure", "AP").split()
    return options.measures or (None if options.preset else default)
