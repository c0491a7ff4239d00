"""`cranfield plot`: pictures, as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from cranfield import plot
from cranfield.cli.asked import add_command, add_each, one_measure, parts_of, runs_of
from cranfield.cli.commands import COMMANDS
from cranfield.cli.options import (
    LABELS,
    ONE_ORDER,
    SHARED,
    Rows,
    by_ties,
    call,
    order,
    shared,
    told,
    topics,
)
from cranfield.cli.output import refuse_output
from cranfield.cli.progress import Progress
from cranfield.cli.runner import columns_asked, others_of
from cranfield.cli.saying import say_notices
from cranfield.cli.scored import evaluation, measured, measures_for, scored, scores_of
from cranfield.evaluation.options import NAMES
from cranfield.plot.kinds import Figure, figures
from cranfield.report.options import LOOK
from cranfield.report.pictures import FORMATS, NUMBERS, Picture, format_of
from cranfield.scores import Scores

ENDINGS = ", ".join(f".{format}" for format in FORMATS)
OTHER = shared("formats", "import", "threads")
OUTPUT = {"-o --output FILE !": f"the picture, or its numbers: the name ends in {ENDINGS}"}
FILES = {"qrels QRELS": "judgments, as for `cranfield evaluate`", "runs RUN *": "results"}
LABELLED = {  # where nothing is measured
    "lists and topics": {
        **by_ties(ONE_ORDER),
        "--depth N": SHARED["lists"]["--depth N"],
        "--exclude-self": SHARED["lists"]["--exclude-self"],
        **topics(),
    },
    "relevance": {"--rel N": "lowest relevant level (default: all above 0)", **LABELS},
    "other": shared("formats", "threads"),
}
SCORED = {*NAMES, "measures"} - {"seed", "threads"}  # not asked again of what is drawn from scores


JUDGMENTS, RESULTS = "judgments: topic iteration doc level", "results: topic Q0 doc rank score tag"
LISTS = {"qrels QRELS": JUDGMENTS, "runs RUN +": RESULTS}
PERHAPS = {
    "qrels QRELS ?": f"{JUDGMENTS}; no files for models whose users look at ranks alone",
    "runs RUN *": RESULTS,
}


def _of_models(own: Rows, also: str = "", of: str = "all of them", files: Rows = LISTS) -> Rows:
    """The options of a picture of user models."""
    model = f"a user model such as INST(T=2) or RBP(p=0.8){also}"
    asked = told(f"{model}; several in one string, or repeated", required=True)
    return {
        **files,
        **OUTPUT,
        "models -m --measure MEASURE …": asked,
        **own,
        **topics(of),
        "look": LOOK,
        "lists": order(),
        "relevance": shared("relevance"),
        "costs": shared("costs"),
        "other": OTHER,
    }


RANKS = {"--ranks N": "default: the longest list, at most 30; 30 without files"}
MEASUREMENT = {
    "--measurement NAME …": told(
        "EU, ETU, EC or ETC; may be repeated (default: EU and ETU, and with costs ETC)",
        choices=("EU", "ETU", "EC", "ETC"),
    ),
}
SERIES = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
UPWARDS = {
    "-m --measure MEASURE …": "what is drawn upwards (default: D(nDCG)@10)",
    "against --against-measure MEASURE": "what is drawn to the right (default: IRec@10)",
    "--gamma G": "lines have the same G·against + (1 − G)·measure (default: 0.5)",
    "--intervals": "crosses: confidence intervals of both means",
    "level --confidence C": "confidence of the intervals (default: 0.95)",
}
DIVERSITY = {
    **scored("D(nDCG)@10"),
    **OUTPUT,
    **UPWARDS,
    "look": {
        **LOOK,
        "--zoom": "only where the runs are, not 0 to 1",
        "names --no-names": told("points alone", action="store_false"),
    },
    **evaluation(),
}


def models(options: argparse.Namespace) -> int:
    """Draw and write a picture of user models."""
    refuse_output(options.output)
    runs = options.runs or None
    with Progress([options.qrels or "", *options.runs]) as progress:
        picture = call(plot.cwl, options, runs=runs, progress=progress.step)
    return write(picture, options, len(options.runs))


def diversity(options: argparse.Namespace) -> int:
    """Draw and write a picture of diversified search."""
    refuse_output(options.output)
    both = [one_measure(options.measures, "D(nDCG)@10"), options.against or "IRec@10"]
    options.measures = both
    scores = scores_of(options)
    measure, against = columns_asked(scores, both, options)
    asked = _of_scores(scores) | {"measure": measure, "against": against}
    return write(call(plot.diversity, options, **asked), options, len(scores.runs))


def draw(figure: Figure, options: argparse.Namespace) -> int:
    """Draw and write a figure."""
    refuse_output(options.output)
    if figure.takes == "scores":
        scores = scores_of(options, figure.least)
        given = _of_scores(scores)
        if getattr(options, "qrels2", None) is not None:
            given |= others_of(options)
        return write(call(figure.function, options, **given), options, len(scores.runs))
    runs = runs_of(options.qrels, options.runs, figure.least)
    with Progress([options.qrels, *runs]) as progress:
        given = {"runs": runs, "progress": progress.step}
        given |= {"measures": measures_for(options)} if figure.measures else {}
        return write(call(figure.function, options, **given), options, len(runs))


def _of_scores(scores: Scores) -> dict[str, Any]:
    """What a function is given that draws scores: no option that has already decided them."""
    return dict.fromkeys(SCORED) | {"qrels": scores, "runs": None}


def write(picture: Picture, options: argparse.Namespace, runs: int) -> int:
    """Write a picture, and say what to know of it; numbers alone have room for every name."""
    numbers = format_of(options.output) in NUMBERS
    notices = [n for n in picture.notices if not (numbers and n.kind == "names")]
    say_notices([] if options.quiet else notices, runs, options.verbose)
    picture.save(options.output, options.scale)
    return 0


PARTS = {
    "cwl": {
        "functions": (_of_models(RANKS, SERIES, files=PERHAPS), models),
        "vary": (_of_models(MEASUREMENT, SERIES, "the mean over all"), models),
        "runs": (_of_models({}), models),
    },
    "diversity": (DIVERSITY, diversity),
}


def _usage(figure: Figure) -> str:
    start = f"cranfield plot {figure.name} [options] -o FILE "
    files = ("QRELS RUN…", *(["--scores FILE…"] if figure.takes == "scores" else []))
    return "\n       ".join(start + words for words in files)


def add_to(p: Any) -> None:
    """Declare the command: a part for each figure, and those of user models and of diversity."""
    row = COMMANDS["plot"]
    parts = parts_of(p, row)
    for figure in figures().values():
        with_scores = figure.takes == "scores"
        files, how = FILES, LABELLED
        if figure.measures:
            files = scored(figure.measures) if with_scores else FILES | measured(figure.measures)
            how = evaluation(with_scores)
        rows = {**files, **OUTPUT, **figure.options, "look": LOOK, **how}
        part = parts.add_parser(figure.name, **figure.said, usage=_usage(figure))
        add_command(part, rows, partial(draw, figure), default_measure=figure.measures)
    add_each(parts, row, PARTS)
