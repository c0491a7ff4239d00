"""Commands that begin with scores: computed from judgments and runs, or read from files."""

from __future__ import annotations

import argparse
import os
from typing import Any, get_args

from cranfield.cli.asked import (
    LISTS,
    list_options,
    measures_of,
    preset_of,
    refuse_inputs,
    topics_of,
)
from cranfield.cli.options import (
    COUNT,
    NUMBER,
    TIES,
    add_order,
    add_preset,
    add_shared,
    count,
    declare,
)
from cranfield.cli.progress import Progress
from cranfield.data.ntcir import topic_dirs
from cranfield.data.tracks import named_topics
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.results import Missing, read_scores
from cranfield.scores import Scores
from cranfield.wording import counted

FILES = (
    "QRELS RUN RUN…: judgments and results, as for `cranfield evaluate`; with --scores, files with "
    "the scores of topics, as trec_eval -q, ndeval, gdeval, ir_measures or `cranfield evaluate -q "
    "-f tsv` write them, or tables"
)
SCORED = {
    "--scores": "the files hold scores of topics, not results",
    "--lower-is-better NAME …": "with --scores, a measure of which lower values are better, where "
    "cranfield does not know that; may be repeated",
}
MEASURE = "a measure such as nDCG@10, several in one string, or @FILE; may be repeated"
MISSING = {
    "--missing": "with --scores, topics that a run lacks: an error (default), left out for all "
    "runs (common), or zero",
}
EVALUATION = {  # groups of options that `cranfield evaluate` has
    "relevance": ("relevance",),
    "diversity": ("intents", "verticals"),
    "user models": ("costs",),
}
WITH_SCORES = ("scores", "lower", "measures", "missing")
DECIDING = {*WITH_SCORES, *LISTS, "preset", "presets", "classes", "groups", "topics", "undefined"}
"""What options are called that decide scores, after those of them that do so with --scores."""


# -- declaring options ----------------------------------------------------------------------------


def counts(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    return [count(part.strip()) for part in text.split(",")]


def numbers(text: str) -> list[float]:
    """Numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        expected = "numbers such as 0.1,0.5"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}") from None


VALUES: dict[str, dict[str, Any]] = {  # what values are that are called so
    **dict.fromkeys("ACDPR", NUMBER), "S": {"type": int}, **dict.fromkeys("BK", COUNT),
    "N,N,…": {"type": counts}, "S,S,…": {"type": numbers},
}  # fmt: skip


def add_scored(p: Any, default: str = "AP", files: str = FILES) -> None:
    """The files and options that scores come from."""
    declare(p, {"files FILE *": files, **SCORED}, lower_is_better={"dest": "lower", "default": []})
    add_measures(p, default, f"{default}, or all in the files but counts")


def add_measures(p: Any, default: str, said: str) -> None:
    """The options that say what is evaluated."""
    declare(p, {"-m --measure MEASURE …": f"{MEASURE} (default: {said})"})
    add_preset(p, "what a task evaluates with (`cranfield presets` lists all)")
    p.set_defaults(default_measure=default)


def add_evaluation(p: Any, scores: bool = True) -> None:
    """The options of `cranfield evaluate` that decide the scores; some with --scores."""
    order = p.add_argument_group("lists and topics")
    add_order(order, TIES)
    add_shared(order, "topics")
    if scores:
        declare(order, MISSING, missing={"choices": get_args(Missing), "default": "error"})
    for title, kinds in EVALUATION.items():
        add_shared(p.add_argument_group(title), *kinds)
    other = p.add_argument_group("other")
    add_shared(other, "formats", "import")
    declare(other, {"--threads N": "default: all cores"}, N=COUNT)
    p.set_defaults(declared=p._actions)


# -- scores ---------------------------------------------------------------------------------------


def refuse_deciding(options: argparse.Namespace, expected: str, *but: str) -> None:
    """Options that decide what scores there are, given where they would decide nothing."""
    for option in options.declared:
        decides = option.dest in DECIDING and option.dest not in but
        if decides and getattr(options, option.dest) != option.default:
            raise InputError(option.option_strings[0], expected)


def scores_of(options: argparse.Namespace, runs: int = 1) -> Scores:
    """The scores that the files and options ask for; of at least so many runs."""
    asked = measures_of(options.measures)
    if options.scores:
        if not options.files:
            raise InputError("no file", "files with the scores of topics")
        expected = "QRELS RUN… with it: --scores are scores already"
        named = named_topics(topics_of(options))
        but = WITH_SCORES if named is None else (*WITH_SCORES, "topics")
        refuse_deciding(options, expected, *but)
        refuse_inputs(options, *options.files)
        scores = read_scores(options.files, options.missing, asked or None, options.lower)
        scores = scores.select(topics=named and list(named))
        scores = scores if asked else _without_counts(scores)
    else:
        scores = evaluated(options, runs)
    if len(scores.runs) < runs:
        raise InputError(f"{len(scores.runs)} run", f"at least {runs}")
    return scores


def _without_counts(scores: Scores) -> Scores:
    """Without columns such as num_ret, that nobody asked for and no test is about."""
    kept = [m for m, b in zip(scores.measures, scores.better, strict=True) if b != "neither"]
    return scores.select(measures=kept) if kept else scores


def evaluated(
    options: argparse.Namespace, runs: int = 1, qrels: str | None = None, **more: Any
) -> Scores:
    """The scores of QRELS RUN RUN…, or by other judgments of the same runs."""
    if options.missing != "error":
        raise InputError("--missing", "--scores with it")
    if options.lower:
        raise InputError("--lower-is-better", "--scores with it")
    if not options.files:
        raise InputError("no files", "QRELS RUN RUN…, or --scores FILE…")
    own, *files = options.files
    files, given = evaluation(options, own, files, runs, ", or --scores")
    with Progress(options.files) as progress:
        return evaluate(qrels or own, files, **given, **more, progress=progress.step)


def evaluation(
    options: argparse.Namespace, qrels: str, runs: list[str], least: int, otherwise: str = ""
) -> tuple[list[str], dict[str, Any]]:
    """The runs, all of the topic directory if none is named, and the other arguments of `evaluate`
    that the options ask for.
    """
    refuse_inputs(options, qrels, *runs)
    runs = runs or list(topic_dirs.runs(qrels.removesuffix("/")))
    for run in runs:
        if os.path.isdir(run) and not os.path.isdir(qrels):
            raise CranfieldError(f"{run} is a directory, expected a run ({run}/* are all in it)")
    if len(runs) < least:
        expected = f"QRELS and at least {least} runs{otherwise}"
        raise InputError(counted(len(runs), "run"), expected)
    chosen, asked = preset_of(options), measures_of(options.measures)
    if not asked and chosen is None:
        asked = options.default_measure.split()
    return runs, {
        "measures": asked or None,
        "preset": chosen,
        "undefined": options.undefined,
        "threads": options.threads,
        **list_options(options),
    }
