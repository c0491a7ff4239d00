"""Commands of one form: score, compute, draw, show. What is different is in their rows."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from os.path import normpath
from typing import Any, TypeAlias

from cranfield.cli.asked import measures_of, runs_of
from cranfield.cli.options import call
from cranfield.cli.output import refuse_output, show, write
from cranfield.cli.progress import Progress
from cranfield.cli.scored import WITH_SCORES, evaluated, measures_for, refuse_given, scores_of
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.data.systems import path_of
from cranfield.errors import InputError
from cranfield.evaluation.options import Options
from cranfield.evaluation.results import columns_of
from cranfield.measures.grammar import parse_measures
from cranfield.report.look import Look
from cranfield.report.meta import Takes, Work
from cranfield.report.pictures import Picture, format_of
from cranfield.scores import Scores

OF_RUNS = ("measures", "test", "correction", "common")
DECIDED = dict.fromkeys(WITH_SCORES)  # not options of what is computed from scores


Given: TypeAlias = tuple[dict[str, Any], Sequence[str], int, int]
"""Arguments of a function, files that it reads, and how many runs and measures there are."""


def run(work: Work, options: argparse.Namespace, picture: Callable[..., Any] | None = None) -> int:
    """Score, compute, draw, show."""
    plot = getattr(options, "plot", None)
    refuse_output(plot)
    found = computed(work, options)
    drawn = plot and picture and _drawn(picture, found, options)
    show(found, options)
    if drawn:
        write(drawn, plot)
    return 0


def _drawn(picture: Callable[..., Any], found: Any, options: argparse.Namespace) -> bytes:
    """The picture of what was found, as a file."""
    made: Picture = call(picture, options, {"look": Look}, found=found)
    return made.render(format_of(options.plot), options.scale)


def computed(work: Work, options: argparse.Namespace) -> Any:
    """What is computed from scores, or judgments and runs."""
    given, files, *size = GIVEN[work.takes](options)
    with Progress(files, work.doing, work.steps(options, *size)) as bar:
        told = dict.fromkeys(("progress", "tested"), bar.step)
        return call(work.function, options, **given | told)


def _scores(options: argparse.Namespace) -> Given:
    """Scores, which are read or evaluated; perhaps with those by other judgments, or those of gold
    measures.
    """
    given: dict[str, Any] = {}
    if "preferences" in options:  # worth to be read before anything is scored
        given["preferences"] = read_preference_pairs(options.preferences)
    if getattr(options, "qrels2", None) is not None:
        given |= others_of(options)
    if "golds" in options:
        scores, columns = _with_gold(options)
        given |= columns
    else:
        scores = scores_of(options, runs=2)
    if getattr(options, "baselines", None):
        given["baseline"] = _baselines(options, scores)
    return DECIDED | {"scores": scores} | given, (), len(scores.runs), len(scores.measures)


def _runs(options: argparse.Namespace) -> Given:
    """Judgments and runs."""
    files = options.files if hasattr(options, "files") else [options.qrels, *options.runs]
    if not files:
        raise InputError("no files", "QRELS RUN RUN…")
    qrels, *named = files
    runs = runs_of(qrels, named, 2, "QRELS and at least 2 runs")
    given = {"qrels": qrels, "runs": runs, "measures": measures_for(options)}
    return given, files, len(runs), 1


def _judgments(options: argparse.Namespace) -> Given:
    """Two sets of judgments, and perhaps runs, which are read once for each."""
    if "-" in options.runs:
        raise InputError("- as a run", "a file: it is read once for each QRELS")
    if not options.runs:
        refuse_given(options, OF_RUNS, "runs with it: QRELS QRELS2 RUN…")
    chosen = options.preset
    tested = parse_measures(
        [*(chosen.measures if chosen else ()), *(options.measures or ())] or ["AP"]
    )
    given = {
        "first": options.qrels,
        "runs": options.runs or None,
        "names": options.names or [*map(path_of, (options.qrels, options.second))],
        "labels": options.labels or (chosen.labels if chosen else None) or None,
    }
    files = [options.qrels, options.second, *options.runs, *options.runs]
    return given, files, len(options.runs), sum(len(measure.names()) for measure in tested)


GIVEN: dict[Takes, Callable[[argparse.Namespace], Given]] = {
    "scores": _scores,
    "runs": _runs,
    "judgments": _judgments,
    "nothing": lambda options: (DECIDED, (), 0, 0),
}


# -- what else is given ---------------------------------------------------------------------------


def others_of(options: argparse.Namespace) -> dict[str, Any]:
    """The scores by other judgments, and what the two sets of judgments are called."""
    if options.scores:
        raise InputError("--qrels2 and --scores", "one of them")
    if "-" in (options.qrels2, *options.files):
        raise InputError("-", "files with --qrels2: runs are read twice")
    others = evaluated(options, runs=2, qrels=options.qrels2)
    return {"others": others, "names": [*map(path_of, (options.files[0], options.qrels2))]}


def _with_gold(options: argparse.Namespace) -> tuple[Scores, dict[str, Any]]:
    """The scores, also of gold measures; and which columns are of these, and of those asked for."""
    gold = measures_of(options.golds)
    if options.scores:
        named = {"gold": gold, "measures": options.measures or ()}
        options.measures = None
        scores = scores_of(options, runs=2)
        columns = {name: columns_of(scores.measures, given) for name, given in named.items()}
        return scores, columns | {"measures": columns["measures"] or None}
    asked, columns_of_gold = measures_for(options) or [], _columns(gold, options)
    if both := set(columns_of_gold) & set(_columns(asked, options)):
        raise InputError(f"{min(both)} with -m and with --gold-measure", "one of them")
    options.measures = [*asked, *gold]
    return scores_of(options, runs=2), {"gold": columns_of_gold, "measures": None}


def _baselines(options: argparse.Namespace, scores: Scores) -> list[str]:
    """The names of the baselines: of a file, that of the run in it."""
    files = [*map(normpath, options.files if options.scores else options.files[1:])]
    by_file = dict(zip(files, scores.runs, strict=True)) if len(files) == len(scores.runs) else {}
    return [b if b in scores.runs else by_file.get(normpath(b), b) for b in options.baselines]


def columns_asked(
    scores: Scores, texts: Sequence[str], options: argparse.Namespace
) -> Sequence[str]:
    """The columns of scores, read or computed, that measures have which were asked for."""
    return columns_of(scores.measures, texts) if options.scores else _columns([*texts], options)


def _columns(texts: list[str], options: argparse.Namespace) -> list[str]:
    """The columns that measures have among the scores, after the settings for all measures."""
    given = call(Options, options).defaults
    parsed = parse_measures(texts) if texts else ()
    return [name for m in parsed for name in m.with_defaults(given).names()]
