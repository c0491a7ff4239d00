"""`cranfield plot`: figures as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from cranfield import plot
from cranfield.cli.arguments import find_runs, parse_single_measure
from cranfield.cli.commands import BY_NAME
from cranfield.cli.messages import write_notes
from cranfield.cli.options import (
    DEPTH,
    EXCLUDE_SELF,
    LABELS,
    ONE_ORDER,
    build_order_options,
    build_tie_options,
    build_topic_options,
    call,
    get_shared_options,
)
from cranfield.cli.output import check_output
from cranfield.cli.parser import Part
from cranfield.cli.progress import Progress
from cranfield.cli.runner import collect_second_scores, find_columns
from cranfield.cli.scores import (
    build_evaluation_options,
    build_measure_options,
    build_score_options,
    choose_measures,
    get_scores,
)
from cranfield.cli.suite import SUITE_OPTIONS, compute_suite
from cranfield.cli.trend import TREND_OPTIONS, compute_trend
from cranfield.evaluation.options import NAMES
from cranfield.figures.figure import DATA_FORMATS, FORMATS, Figure, get_figure_format
from cranfield.figures.options import THEME_OPTIONS
from cranfield.figures.theme import OPTION_NAMES
from cranfield.options import OptionGroup, Rows, argument, merge_rows, option, switch
from cranfield.plot.kinds import FigureKind, load_figures
from cranfield.scores import Scores

ENDINGS = ", ".join(f".{format}" for format in FORMATS)
OTHER_OPTIONS = get_shared_options("formats", "import", "threads")
OUTPUT = (
    option(
        "-o --output",
        "FILE",
        f"the figure, or its numbers; the extension is {ENDINGS}",
        required=True,
    ),
)
FILES = (
    argument("qrels", "QRELS", "judgments, as for `cranfield evaluate`"),
    argument("runs", "RUN", "results", nargs="*"),
)
LABEL_OPTIONS = (
    OptionGroup(
        "lists and topics",
        (
            *build_tie_options(ONE_ORDER),
            DEPTH,
            EXCLUDE_SELF,
            *build_topic_options(),
        ),
    ),
    OptionGroup(
        "relevance",
        (
            option("--rel", "N", "lowest relevant level (default: all above 0)", value="number"),
            LABELS,
        ),
    ),
    OptionGroup("other", get_shared_options("formats", "threads")),
)
RESULT_OPTIONS = {"suite": (SUITE_OPTIONS, compute_suite), "trend": (TREND_OPTIONS, compute_trend)}
"Options and functions of results that are drawn, from the command of their name."
SCORED = {*NAMES, "measures"} - {"seed", "threads"}  # not asked again of what is drawn from scores


JUDGMENTS, RESULTS = "judgments: topic iteration doc level", "results: topic Q0 doc rank score tag"
LISTS = (argument("qrels", "QRELS", JUDGMENTS), argument("runs", "RUN", RESULTS, nargs="+"))
OPTIONAL_LISTS = (
    argument(
        "qrels",
        "QRELS",
        f"{JUDGMENTS}; no files for models that depend only on ranks",
        nargs="?",
    ),
    argument("runs", "RUN", RESULTS, nargs="*"),
)


def _build_model_options(
    options: Rows, model_suffix: str = "", topics_default: str = "all of them", files: Rows = LISTS
) -> Rows:
    """Return the options of a figure of user models."""
    model = f"a user model such as INST(T=2) or RBP(p=0.8){model_suffix}"
    text = f"{model}; several in one string, or repeated"
    return (
        *files,
        *OUTPUT,
        option("-m --measure", "MEASURE", text, name="models", repeat=True, required=True),
        *options,
        *build_topic_options(topics_default),
        OptionGroup("look", THEME_OPTIONS),
        OptionGroup("lists", build_order_options()),
        OptionGroup("relevance", get_shared_options("relevance")),
        OptionGroup("costs", get_shared_options("costs")),
        OptionGroup("other", OTHER_OPTIONS),
    )


RANKS = (option("--ranks", "N", "default: the longest list, at most 30; 30 without files", value="count"),)
MEASUREMENT = (
    option(
        "--measurement",
        "NAME",
        "EU, ETU, EC or ETC; may be repeated (default: EU and ETU, and with costs ETC)",
        choices=("EU", "ETU", "EC", "ETC"),
        repeat=True,
    ),
)
SERIES = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
AXES = (
    option("-m --measure", "MEASURE", "measure of the y axis (default: D(nDCG)@10)", repeat=True),
    option(
        "--against-measure",
        "MEASURE",
        "measure of the x axis (default: IRec@10)",
        name="against",
    ),
    option(
        "--gamma",
        "G",
        "lines have the same G·against + (1 − G)·measure (default: 0.5)",
        value="number",
    ),
    switch("--intervals", "crosses: confidence intervals of both means"),
    option(
        "--confidence",
        "C",
        "confidence of the intervals (default: 0.95)",
        name="level",
        value="number",
    ),
)
DIVERSITY = (
    *merge_rows(build_score_options("D(nDCG)@10"), OUTPUT, AXES),
    OptionGroup(
        "look",
        (
            *THEME_OPTIONS,
            switch("--zoom", "only the range of the runs, not 0 to 1"),
            switch("--no-names", "points alone", name="names", const=False),
        ),
    ),
    *build_evaluation_options(),
)


def draw_user_models(options: argparse.Namespace) -> int:
    """Draw and write a figure of user models."""
    check_output(options.output)
    runs = options.runs or None
    with Progress([options.qrels or "", *options.runs]) as progress:
        picture = call(plot.cwl, options, runs=runs, progress=progress.update)
    return write(picture, options, len(options.runs))


def draw_diversity(options: argparse.Namespace) -> int:
    """Draw and write a figure of diversified search."""
    check_output(options.output)
    measures = [parse_single_measure(options.measures, "D(nDCG)@10"), options.against or "IRec@10"]
    options.measures = measures
    scores = get_scores(options)
    measure, against = find_columns(scores, measures, options)
    arguments = _build_score_arguments(scores) | {"measure": measure, "against": against}
    return write(call(plot.diversity, options, **arguments), options, len(scores.runs))


def draw(figure: FigureKind, options: argparse.Namespace) -> int:
    """Draw and write a figure."""
    check_output(options.output)
    if figure.takes == "scores":
        scores = get_scores(options, figure.least)
        arguments = _build_score_arguments(scores)
        if getattr(options, "qrels2", None) is not None:
            arguments |= collect_second_scores(options)
        return write(call(figure.function, options, **arguments), options, len(scores.runs))
    runs = find_runs(options.qrels, options.runs, figure.least)
    with Progress([options.qrels, *runs]) as progress:
        arguments = {"runs": runs, "progress": progress.update}
        arguments |= {"measures": choose_measures(options)} if figure.measures else {}
        return write(call(figure.function, options, **arguments), options, len(runs))


def draw_result(figure: FigureKind, compute: Callable[[argparse.Namespace], Any], options: argparse.Namespace) -> int:
    """Draw and write a figure of a result, such as a suite."""
    check_output(options.output)
    result = compute(options)
    look = {name: getattr(options, name) for name in OPTION_NAMES if getattr(options, name, None) is not None}
    return write(figure.function(result, **look), options)


def _build_score_arguments(scores: Scores) -> dict[str, Any]:
    """Return the arguments for a figure of scores, without options that decided the scores."""
    return dict.fromkeys(SCORED) | {"qrels": scores, "runs": None}


def write(picture: Figure, options: argparse.Namespace, runs: int | None = None) -> int:
    """Write a figure and its notes; files with numbers have room for all names."""
    numbers = get_figure_format(options.output) in DATA_FORMATS
    notes = [n for n in picture.notes if not (numbers and n.kind == "names")]
    write_notes([] if options.quiet else notes, runs, options.verbose)
    picture.save(options.output, options.scale)
    return 0


def _format_usage(figure: FigureKind) -> str:
    start = f"cranfield plot {figure.name} [options] -o FILE "
    files = ("QRELS RUN…", *(["--scores FILE…"] if figure.takes == "scores" else []))
    return "\n       ".join(start + words for words in files)


def build_part(figure: FigureKind) -> Part:
    """Return the part for a figure of `cf.plot`."""
    if figure.takes in RESULT_OPTIONS:
        return _build_result_part(figure)
    with_scores = figure.takes == "scores"
    files: Rows = FILES
    evaluation_options: Rows = LABEL_OPTIONS
    if figure.measures:
        measures = () if with_scores else build_measure_options(figure.measures)
        files = build_score_options(figure.measures) if with_scores else (*FILES, *measures)
        evaluation_options = build_evaluation_options(with_scores)
    look = OptionGroup("look", THEME_OPTIONS)
    return Part(
        figure.name,
        (*files, *OUTPUT, *figure.options, look, *evaluation_options),
        partial(draw, figure),
        help=figure.help_texts["help"],
        description=figure.help_texts["description"],
        usage=_format_usage(figure),
        defaults={"default_measure": figure.measures},
    )


def _build_result_part(figure: FigureKind) -> Part:
    """Return the part for a figure of a result, with the options of its command."""
    rows, compute = RESULT_OPTIONS[figure.takes]
    look = OptionGroup("look", THEME_OPTIONS)
    evaluation = build_evaluation_options(scores=False) if figure.takes == "suite" else ()
    return Part(
        figure.name,
        (*rows, *OUTPUT, *figure.options, look, *evaluation),
        partial(draw_result, figure, compute),
        help=figure.help_texts["help"],
        description=figure.help_texts["description"],
    )


def _build_model_part(kind: str, rows: Rows) -> Part:
    help_text = BY_NAME[f"plot cwl {kind}"].does
    return Part(kind, rows, draw_user_models, help_text, defaults={"kind": kind})


CWL = BY_NAME["plot cwl"]
PARTS = (
    *map(build_part, load_figures().values()),
    Part(
        "cwl",
        help=CWL.does,
        metavar=CWL.parts,
        parts=(
            _build_model_part("functions", _build_model_options(RANKS, SERIES, files=OPTIONAL_LISTS)),
            _build_model_part("vary", _build_model_options(MEASUREMENT, SERIES, "mean over all")),
            _build_model_part("runs", _build_model_options(())),
        ),
    ),
    Part("diversity", DIVERSITY, draw_diversity, BY_NAME["plot diversity"].does),
)
