"""Commands of one form: score, compute, draw, show. What is different is in their rows."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from os.path import normpath
from typing import Any

from cranfield.cli.asked import list_options, measures_of, preset_of, refuse_inputs
from cranfield.cli.options import call, refuse_two_inputs
from cranfield.cli.output import refuse_output, show, write
from cranfield.cli.progress import Progress, Trials
from cranfield.cli.scored import WITH_SCORES, evaluated, evaluation, scores_of
from cranfield.data.assessments import assessor_names
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.errors import InputError
from cranfield.evaluation.results import columns_of
from cranfield.measures.grammar import parse_measures
from cranfield.report.meta import Work
from cranfield.report.pictures import format_of
from cranfield.scores import Scores

OF_RUNS = {
    "measures": "-m", "test": "--test", "correction": "--correction", "common": "--common",
}  # fmt: skip
DECIDED = dict.fromkeys(WITH_SCORES)  # not options of what is computed from scores
READ_FIRST = {"preferences": read_preference_pairs}  # and then score


def run(work: Work, options: argparse.Namespace, picture: Callable[..., Any] | None = None) -> Any:
    """Score, compute, draw, show; and what was found."""
    plot = getattr(options, "plot", None)
    refuse_output(plot)
    found = COMPUTED[work.takes](work, options)
    drawn = plot and picture and call(picture, options, found=found).render(format_of(plot))
    show(found, options)
    if drawn:
        write(drawn, plot)
    return found


def _bar(work: Work, options: argparse.Namespace, runs: int, measures: int) -> Trials:
    return Trials(work.doing, work.steps(options, runs, measures))


def _of_scores(work: Work, options: argparse.Namespace) -> Any:
    """Of scores, which are read or evaluated; perhaps with those by other judgments, or those of
    gold measures.
    """
    given = _read_first(options, *options.files)
    if getattr(options, "qrels2", None) is not None:
        given |= _others(options)
    if getattr(options, "gold", None) is not None:
        scores, columns = _with_gold(options)
        given |= columns
    else:
        scores = scores_of(options, runs=2)
    if getattr(options, "baselines", None):
        given["baseline"] = _baselines(options, scores)
    with _bar(work, options, len(scores.runs), len(scores.measures)) as bar:
        if work.doing:
            given["progress"] = bar.step
        return call(work.function, options, **DECIDED | {"scores": scores} | given)


def _of_runs(work: Work, options: argparse.Namespace) -> Any:
    """Of judgments and runs."""
    files = options.files if hasattr(options, "files") else [options.qrels, *options.runs]
    if not files:
        raise InputError("no files", "QRELS RUN RUN…")
    refuse_two_inputs(getattr(options, "teams", None), *files)
    qrels, *named = files
    runs, given = evaluation(options, qrels, named, least=2)
    bar: Any = _bar(work, options, len(runs), 1) if work.doing else Progress([qrels, *named])
    with bar:
        given |= {"qrels": qrels, "runs": runs, "progress": bar.step}
        return call(work.function, options, **given)


def _of_judgments(work: Work, options: argparse.Namespace) -> Any:
    """Of two sets of judgments, and perhaps runs, which are read once for each."""
    files = [options.qrels, options.second, *options.runs]
    refuse_inputs(options, *files)
    if "-" in options.runs:
        raise InputError("- as a run", "a file: it is read once for each QRELS")
    for name, flag in OF_RUNS.items():
        if getattr(options, name) and not options.runs:
            raise InputError(flag, "runs with it: QRELS QRELS2 RUN…")
    chosen, asked = preset_of(options), measures_of(options.measures)
    given = list_options(options)
    if chosen is not None:
        given["labels"] = given.get("labels") or chosen.labels or None
    tested = parse_measures([*(chosen.measures if chosen else ()), *asked] or ["AP"])
    columns = sum(len(measure.names()) for measure in tested)
    given |= {
        "first": options.qrels,
        "runs": options.runs or None,
        "measures": asked or None,
        "names": _names(options),
        "preset": chosen,
        "undefined": options.undefined,
    }
    reading = Progress([*files, *options.runs])
    with reading, _bar(work, options, len(options.runs), columns) as testing:

        def step(trials: int) -> None:
            reading.end()
            testing.step(trials)

        given |= {"progress": reading.step, "tested": step}
        return call(work.function, options, **given)


def _of_nothing(work: Work, options: argparse.Namespace) -> Any:
    """Of options alone."""
    return call(work.function, options, **DECIDED)


COMPUTED = {
    "scores": _of_scores,
    "runs": _of_runs,
    "judgments": _of_judgments,
    "nothing": _of_nothing,
}


# -- what else is given ---------------------------------------------------------------------------


def _read_first(options: argparse.Namespace, *files: str) -> dict[str, Any]:
    """What is in files that options name, if it is worth to be read before anything is scored."""
    paths = {name: getattr(options, name) for name in READ_FIRST if hasattr(options, name)}
    if paths:
        refuse_two_inputs(*paths.values(), *files)
    return {name: READ_FIRST[name](path) for name, path in paths.items()}


def _names(options: argparse.Namespace) -> list[str]:
    """What two sets of judgments are called: as is said, or as their files."""
    if options.names is None:
        return assessor_names([options.qrels, options.second])
    return [name.strip() for name in options.names.split(",")]


def _others(options: argparse.Namespace) -> dict[str, Any]:
    """The scores by other judgments, and what the two sets of judgments are called."""
    if options.scores:
        raise InputError("--qrels2 and --scores", "one of them")
    if "-" in (options.qrels2, *options.files):
        raise InputError("-", "files with --qrels2: runs are read twice")
    others = evaluated(options, runs=2, qrels=options.qrels2)
    return {"others": others, "names": assessor_names([options.files[0], options.qrels2])}


def _with_gold(options: argparse.Namespace) -> tuple[Scores, dict[str, Any]]:
    """The scores, also of gold measures; and which columns are of these, and of those asked for."""
    gold, asked = measures_of(options.gold), measures_of(options.measures)
    if options.scores:
        options.measures = None
        scores = scores_of(options, runs=2)
        named = {"gold": gold, "measures": asked}
        columns = {name: columns_of(scores.measures, given) for name, given in named.items()}
        return scores, columns | {"measures": columns["measures"] or None}
    if not asked and options.preset is None:
        asked = [options.default_measure]
    columns_of_gold = _columns(gold, options)
    if both := set(columns_of_gold) & set(_columns(asked, options)):
        raise InputError(f"{min(both)} with -m and with --gold", "one of them")
    options.measures = [*asked, *gold]
    return scores_of(options, runs=2), {"gold": columns_of_gold, "measures": None}


def _baselines(options: argparse.Namespace, scores: Scores) -> list[str]:
    """The names of the baselines: of a file, that of the run in it."""
    files = [*map(normpath, options.files if options.scores else options.files[1:])]
    by_file = dict(zip(files, scores.runs, strict=True)) if len(files) == len(scores.runs) else {}
    return [b if b in scores.runs else by_file.get(normpath(b), b) for b in options.baselines]


def _columns(texts: list[str], options: argparse.Namespace) -> list[str]:
    """The columns that measures have among the scores, after the settings for all measures."""
    by_topic = (options.gains or "").startswith("@") or options.gains == "topic"
    settings = {
        "rel": options.rel,
        "gain": None if by_topic else options.gains,
        "condensed": options.condensed or None,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    parsed = parse_measures(texts) if texts else ()
    return [name for m in parsed for name in m.with_defaults(given).names()]
