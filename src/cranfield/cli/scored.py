"""Commands that begin with scores: computed from judgments and runs, or read from files."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from typing import Any, get_args

from cranfield.cli.asked import runs_of
from cranfield.cli.options import TIES, Rows, among, call, judged, order, preset, shared
from cranfield.cli.progress import Progress
from cranfield.data.tracks import choose_topics, named_topics
from cranfield.errors import InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import NAMES
from cranfield.evaluation.results import Missing, read_scores
from cranfield.scores import Scores, about_topics
from cranfield.wording import counted

FILES = (
    "QRELS RUN RUN…: judgments and results, as for `cranfield evaluate`; with --scores, files with "
    "the scores of topics, as trec_eval -q, ndeval, gdeval, ir_measures or `cranfield evaluate -q "
    "-f tsv` write them, or tables"
)
SCORED = {
    "--scores": "the files hold scores of topics, not results",
    "lowers --lower-is-better NAME … with --scores": "a measure of which lower values are "
    "better, where cranfield does not know that; may be repeated",
}
MEASURE = "a measure such as nDCG@10, several in one string, or @FILE; may be repeated"
MISSING = {
    f"--missing {among(get_args(Missing))} with --scores": "topics that a run lacks: an error "
    "(default), left out for all runs (common), or zero",
}
WITH_SCORES = {"scores", "lowers", "measures", "missing", "run_names"}
DECIDING = ({*NAMES, "presets", "classes", "groups"} | WITH_SCORES) - {"seed", "threads"}
"""What options are called that decide scores; those of them that do so with --scores."""


# -- rows of options ------------------------------------------------------------------------------


def scored(default: str = "AP", files: str = FILES) -> Rows:
    """The files and options that scores come from."""
    usual = f"{default}, or all in the files but counts"
    return {"files FILE *": files, **SCORED, **measured(usual)}


def measured(default: str) -> Rows:
    """The options that say what is evaluated."""
    text = "what a task evaluates with (`cranfield presets` lists all)"
    return {"-m --measure MEASURE …": f"{MEASURE} (default: {default})", **preset(text)}


def evaluation(scores: bool = True, without: Collection[str] = ()) -> Rows:
    """The options of `cranfield evaluate` that decide the scores; some with --scores."""
    lists = {**order(TIES), **judged(), **(MISSING if scores else {})}
    return {
        "lists and topics": {row: text for row, text in lists.items() if row not in without},
        "relevance": shared("relevance"),
        "diversity": shared("intents", "verticals"),
        "user models": shared("costs"),
        "other": shared("formats", "import", "threads"),
    }


# -- scores ---------------------------------------------------------------------------------------


def refuse_given(options: argparse.Namespace, names: Collection[str], expected: str) -> None:
    """Options of these names, given where they would decide nothing."""
    for option in options.declared:
        if option.dest in names and getattr(options, option.dest) != option.default:
            raise InputError(option.option_strings[0], expected)


def scores_of(options: argparse.Namespace, runs: int = 1) -> Scores:
    """The scores that the files and options ask for; of at least so many runs."""
    if options.scores:
        if not options.files:
            raise InputError("no file", "files with the scores of topics")
        named = named_topics(options.topics)
        names = DECIDING - WITH_SCORES - (set() if named is None else {"topics"})
        refuse_given(options, names, "QRELS RUN… with it: --scores are scores already")
        scores = call(read_scores, options, data=options.files, lower=options.lowers)
        if named is not None:
            named = choose_topics(named, scores.topics, "scores")
            scores = scores.select(topics=list(named))
            scores = replace(scores, notices=(*scores.notices, *about_topics(named)))
        scores = scores if options.measures else _without_counts(scores)
    else:
        scores = evaluated(options, runs)
    if len(scores.runs) < runs:
        least = f"at least {runs} runs"
        expected = least if options.scores else f"QRELS and {least}, or --scores"
        raise InputError(counted(len(scores.runs), "run"), expected)
    return scores


def _without_counts(scores: Scores) -> Scores:
    """Without columns such as num_ret, that nobody asked for and no test is about."""
    kept = [m for m, b in zip(scores.measures, scores.better, strict=True) if b != "neither"]
    return scores.select(measures=kept) if kept else scores


def evaluated(options: argparse.Namespace, runs: int = 1, qrels: str | None = None) -> Scores:
    """The scores of QRELS RUN RUN…, or by other judgments of the same runs."""
    if not options.files:
        raise InputError("no files", "QRELS RUN RUN…, or --scores FILE…")
    own, *named = options.files
    expected = f"QRELS and at least {runs} runs, or --scores"
    with Progress(options.files) as progress:
        return call(
            evaluate,
            options,
            qrels=qrels or own,
            runs=runs_of(own, named, runs, expected),
            measures=measures_for(options),
            seed=None,  # which is that of tests
            progress=progress.step,
        )


def measures_for(options: argparse.Namespace) -> Any:
    """The measures that are asked for, those of the preset, or the usual ones."""
    usual = getattr(options, "default_measure", "AP").split()
    return options.measures or (None if options.preset else usual)
