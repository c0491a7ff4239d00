"""Scores for commands: evaluated from judgments and runs, or read from files."""

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
from cranfield.evaluation.attributes import attach_attributes, attach_clusters
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import NAMES
from cranfield.evaluation.results import Missing, read_scores
from cranfield.options import OptionGroup, Rows, argument, choice, option, switch
from cranfield.scores import Note, Scores, note_topics_file
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
        "measure with lower values better; may be repeated",
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
        "missing topics: an error (default), excluded for all runs (common), or zero",
        requires="scores",
    ),
)
WITH_SCORES = {"scores", "lowers", "measures", "missing", "run_names", "by", "queries", "clusters", "columns"}
DECIDING = ({*NAMES, "presets", "classes", "groups"} | WITH_SCORES) - {"seed", "threads"}
"Names of options that decide scores, and of those that do so with --scores."


# -- rows of options ------------------------------------------------------------------------------


def build_score_options(default: str = "AP", files: str = FILES) -> Rows:
    """Return the arguments and options for the source of scores."""
    default_text = f"{default}, or all in the files but counts"
    return (
        argument("files", "FILE", files, nargs="*"),
        *SCORED,
        *build_measure_options(default_text),
    )


def build_measure_options(default: str) -> Rows:
    """Return the options for measures and presets."""
    text = "settings of a task (`cranfield presets` lists all)"
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


def reject_options(options: argparse.Namespace, names: Collection[str], required: str, fix: str = "") -> None:
    """Raise an error for options that have no effect here."""
    for row in options.declared:
        if row.name in names and getattr(options, row.name) != row.default:
            raise InputError.from_problem(f"{row.flags[0]} requires {required}", fix)


def get_scores(options: argparse.Namespace, runs: int = 1) -> Scores:
    """Return the scores from the files, of at least this number of runs."""
    if options.scores:
        if not options.files:
            raise InputError.from_problem("no file with scores given")
        topics = read_named_topics(options.topics)
        names = DECIDING - WITH_SCORES - (set() if topics is None else {"topics"})
        reject_options(options, names, "QRELS RUN…", "--scores are already evaluated.")
        scores = call(read_scores, options, data=options.files, lower=options.lowers)
        if topics is not None:
            topics = choose_topics(topics, scores.topics, "scores")
            scores = scores.select(topics=list(topics))
            scores = replace(scores, notes=(*scores.notes, *note_topics_file(topics)))
        scores = scores if options.measures else _drop_counts(scores)
        if getattr(options, "by", None):
            scores = attach_attributes(scores, options.by, options.queries)
        if getattr(options, "clusters", None):
            scores = attach_clusters(scores, options.clusters)
    else:
        scores = evaluate_files(options, runs)
    if len(scores.runs) < runs:
        raise InputError.from_problem(f"found {format_count(len(scores.runs), 'run')}, expected at least {runs}")
    return scores


def get_independent_scores(options: argparse.Namespace, runs: int = 1) -> Scores:
    """Return scores with a warning if topics are in clusters and the command has no such option."""
    scores = get_scores(options, runs)
    if not scores.clusters or "clusters" in options:
        return scores
    count = format_count(len({*scores.clusters.values()}), "cluster")
    text = f"topics are in {count}, which this command ignores: the results assume independent topics"
    return replace(scores, notes=(*scores.notes, Note("clusters", text)))


def _drop_counts(scores: Scores) -> Scores:
    """Remove columns such as num_ret, which are not tested."""
    measures = [m for m, b in zip(scores.measures, scores.better, strict=True) if b != "neither"]
    return scores.select(measures=measures) if measures else scores


def evaluate_files(options: argparse.Namespace, runs: int = 1, qrels: str | None = None) -> Scores:
    """Evaluate QRELS RUN RUN…, or the same runs by other judgments."""
    if not options.files:
        raise InputError.from_problem("no files given", "Use QRELS RUN RUN…, or --scores FILE….")
    first_file, *run_files = options.files
    usage = "QRELS RUN RUN…, or --scores FILE…" if runs > 1 else "QRELS RUN…, or --scores FILE…"
    with Progress(options.files) as progress:
        return call(
            evaluate,
            options,
            qrels=qrels or first_file,
            runs=find_runs(first_file, run_files, runs, usage),
            measures=choose_measures(options),
            seed=None,  # which is that of tests
            progress=progress.update,
        )


def choose_measures(options: argparse.Namespace) -> Any:
    """Return the requested measures, those of the preset, or the default."""
    default = getattr(options, "default_measure", "AP").split()
    return options.measures or (None if options.preset else default)
