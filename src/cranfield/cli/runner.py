"""Run commands of one form: score, compute, show, draw."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from os.path import normpath
from typing import Any, TypeAlias

from cranfield.cli.arguments import find_runs, read_measures
from cranfield.cli.options import call
from cranfield.cli.output import check_output, show, write
from cranfield.cli.progress import Progress
from cranfield.cli.scores import (
    WITH_SCORES,
    choose_measures,
    evaluate_files,
    get_independent_scores,
    reject_options,
)
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.data.systems import get_path_name
from cranfield.errors import InputError
from cranfield.evaluation.options import Options
from cranfield.evaluation.results import choose_columns
from cranfield.figures.figure import Figure, get_figure_format
from cranfield.figures.theme import Theme
from cranfield.measures.grammar import parse_measures
from cranfield.options import Computation, InputKind
from cranfield.scores import Scores

RUN_OPTIONS = ("measures", "test", "correction", "common")
SCORE_OPTIONS = dict.fromkeys(WITH_SCORES)  # not options of what is computed from scores


Inputs: TypeAlias = tuple[dict[str, Any], Sequence[str], int, int]
"Arguments of a function, files it reads, numbers of runs and measures."


def run(work: Computation, options: argparse.Namespace, picture: Callable[..., Any] | None = None) -> int:
    """Score, compute, draw, show."""
    plot = getattr(options, "plot", None)
    check_output(plot)
    result = compute_result(work, options)
    figure = plot and _render_figure(picture, result, options)
    show(result, options)
    if figure:
        write(figure, plot)
    return 0


def _render_figure(picture: Any, result: Any, options: argparse.Namespace) -> bytes:
    """Return the figure of a result, in the format of its file."""
    if hasattr(result, "_build_figure"):
        figure: Figure = call(result._build_figure, options, {"theme": Theme})
    else:
        figure = call(picture, options, {"theme": Theme}, result=result)
    return figure.render(get_figure_format(options.plot), options.scale)


def compute_result(work: Computation, options: argparse.Namespace) -> Any:
    """Compute the result from scores, or from judgments and runs."""
    arguments, files, *size = INPUT_COLLECTORS[work.inputs](options)
    with Progress(files, work.activity, work.steps(options, *size)) as bar:
        callbacks = dict.fromkeys(("progress", "tested"), bar.update)
        return call(work.function, options, **arguments | callbacks)


def _collect_scores(options: argparse.Namespace) -> Inputs:
    """Return scores from files or an evaluation, also by other judgments or gold measures."""
    arguments: dict[str, Any] = {}
    if "preferences" in options:  # worth to be read before anything is scored
        arguments["preferences"] = read_preference_pairs(options.preferences)
    if getattr(options, "qrels2", None) is not None:
        arguments |= collect_second_scores(options)
    if "golds" in options:
        scores, columns = _collect_gold_scores(options)
        arguments |= columns
    else:
        scores = get_independent_scores(options, runs=2)
    if getattr(options, "baselines", None):
        arguments["baseline"] = _resolve_baselines(options, scores)
    return (
        SCORE_OPTIONS | {"scores": scores} | arguments,
        (),
        len(scores.runs),
        len(scores.measures),
    )


def _collect_runs(options: argparse.Namespace) -> Inputs:
    """Return judgments and runs."""
    files = options.files if hasattr(options, "files") else [options.qrels, *options.runs]
    if not files:
        raise InputError.from_problem("no files given", "Usage: QRELS RUN RUN….")
    qrels, *paths = files
    runs = find_runs(qrels, paths, 2, "QRELS RUN RUN…")
    arguments = {"qrels": qrels, "runs": runs, "measures": choose_measures(options)}
    return arguments, files, len(runs), 1


def _collect_judgments(options: argparse.Namespace) -> Inputs:
    """Return two sets of judgments, and runs, which are read for each set."""
    if "-" in options.runs:
        raise InputError.from_problem("standard input (-) cannot be a run: runs are read twice", "Use files.")
    if not options.runs:
        reject_options(options, RUN_OPTIONS, "runs: QRELS QRELS2 RUN…")
    preset = options.preset
    tested = parse_measures([*(preset.measures if preset else ()), *(options.measures or ())] or ["AP"])
    arguments = {
        "first": options.qrels,
        "runs": options.runs or None,
        "names": options.names or [*map(get_path_name, (options.qrels, options.second))],
        "labels": options.labels or (preset.labels if preset else None) or None,
    }
    files = [options.qrels, options.second, *options.runs, *options.runs]
    return arguments, files, len(options.runs), sum(len(measure.names()) for measure in tested)


INPUT_COLLECTORS: dict[InputKind, Callable[[argparse.Namespace], Inputs]] = {
    "scores": _collect_scores,
    "runs": _collect_runs,
    "judgments": _collect_judgments,
    "nothing": lambda options: (SCORE_OPTIONS, (), 0, 0),
}


# -- what else is given ---------------------------------------------------------------------------


def collect_second_scores(options: argparse.Namespace) -> dict[str, Any]:
    """Return the scores by the second judgments, and the names of both judgments."""
    if options.scores:
        raise InputError.from_problem("use either --qrels2 or --scores, not both")
    if "-" in (options.qrels2, *options.files):
        raise InputError.from_problem(
            "standard input (-) cannot be used with --qrels2: runs are read twice", "Use files."
        )
    scores = evaluate_files(options, runs=2, qrels=options.qrels2)
    return {"others": scores, "names": [*map(get_path_name, (options.files[0], options.qrels2))]}


def _collect_gold_scores(options: argparse.Namespace) -> tuple[Scores, dict[str, Any]]:
    """Return the scores with gold measures, and the columns of gold and other measures."""
    gold = read_measures(options.golds)
    if options.scores:
        measure_texts = {"gold": gold, "measures": options.measures or ()}
        options.measures = None
        scores = get_independent_scores(options, runs=2)
        columns = {name: choose_columns(scores.measures, texts) for name, texts in measure_texts.items()}
        return scores, columns | {"measures": columns["measures"] or None}
    measures, columns_of_gold = choose_measures(options) or [], _list_columns(gold, options)
    if common := set(columns_of_gold) & set(_list_columns(measures, options)):
        names = ", ".join(sorted(common))
        raise InputError.from_problem(f"use {names} with either -m or --gold-measure, not both")
    options.measures = [*measures, *gold]
    return get_independent_scores(options, runs=2), {"gold": columns_of_gold, "measures": None}


def _resolve_baselines(options: argparse.Namespace, scores: Scores) -> list[str]:
    """Return the names of the baselines: for a file, the name of its run."""
    files = [*map(normpath, options.files if options.scores else options.files[1:])]
    by_file = dict(zip(files, scores.runs, strict=True)) if len(files) == len(scores.runs) else {}
    return [b if b in scores.runs else by_file.get(normpath(b), b) for b in options.baselines]


def find_columns(scores: Scores, texts: Sequence[str], options: argparse.Namespace) -> Sequence[str]:
    """Return the columns of measures in scores that were read or computed."""
    return choose_columns(scores.measures, texts) if options.scores else _list_columns([*texts], options)


def _list_columns(texts: list[str], options: argparse.Namespace) -> list[str]:
    """Return the columns of measures, with the settings for all measures."""
    defaults = call(Options, options).defaults
    parsed = parse_measures(texts) if texts else ()
    return [name for m in parsed for name in m.with_defaults(defaults).names()]
