"""`cranfield plot`: pictures, as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cranfield.cli.evaluate import (
    add_costs,
    add_formats,
    add_intents,
    add_order,
    add_relevance,
    list_options,
    measures_of,
    refuse_inputs,
)
from cranfield.cli.options import add_import, count
from cranfield.cli.output import tell
from cranfield.cli.progress import Progress
from cranfield.errors import CranfieldError
from cranfield.evaluation.options import TIE_CHOICES
from cranfield.report.pictures import FORMATS, NUMBERS, Picture, altair, format_of

KINDS = {
    "functions": "C, W and L of user models, rank by rank",
    "vary": "measurements against expected depth as a parameter of a model varies",
    "runs": "expected utility against expected depth, a point for each run",
}


def add_to(command: Any) -> None:
    """Declare the command and the pictures it draws."""
    p = command(
        description="Draw a picture. It needs pip install 'cranfield[report]'.",
    )
    pictures = p.add_subparsers(metavar="PICTURE", required=True)
    cwl = pictures.add_parser(
        "cwl",
        help="user models (C/W/L)",
        description="User models at work: how they walk down a list, and what they measure.",
    )
    kinds = cwl.add_subparsers(metavar="KIND", required=True)
    for kind, said in KINDS.items():
        _add_kind(kinds, kind, said)
    _add_diversity(pictures)


def _add_kind(kinds: Any, kind: str, said: str) -> None:
    p = kinds.add_parser(kind, help=said, description=f"Draw {said}.")
    _add_files(p, "topic iteration doc level")
    series = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
    p.add_argument(
        "-m", "--model", dest="models", action="append", metavar="MODEL", required=True,
        help="a user model such as INST(T=2) or RBP(p=0.8)" + (series if kind == "vary" else "")
        + "; may be repeated",
    )  # fmt: skip
    default = {"functions": "all", "vary": "the mean over all", "runs": "all"}[kind]
    p.add_argument(
        "--topic", dest="topics", action="append", metavar="TOPIC",
        help=f"may be repeated (default: {default})",
    )  # fmt: skip
    if kind == "functions":
        p.add_argument(
            "--ranks", type=count, metavar="N", help="default: the longest list, at most 30"
        )
    if kind == "vary":
        p.add_argument(
            "--measurement", dest="measurements", action="append", metavar="NAME",
            choices=("EU", "ETU", "EC", "ETC"),
            help="EU, ETU, EC or ETC; may be repeated (default: EU and ETU, and with costs ETC)",
        )  # fmt: skip
    _add_look(p)
    order = p.add_argument_group("lists")
    add_order(order, [name for name in TIE_CHOICES if name != "expected"])
    add_relevance(p.add_argument_group("relevance"))
    add_costs(p.add_argument_group("costs"))
    other = p.add_argument_group("other")
    add_formats(other)
    add_import(other)
    p.set_defaults(run=run_cwl, kind=kind)


def _add_diversity(pictures: Any) -> None:
    p = pictures.add_parser(
        "diversity",
        help="relevance against intent recall, a point for each run",
        description="Draw how relevant runs are against how many intents they cover, with lines "
        "of equal D♯.",
    )
    _add_files(p, "topic intent doc level")
    p.add_argument(
        "-m", "--measure", metavar="MEASURE", default="D(nDCG)@10",
        help="what is drawn upwards (default: D(nDCG)@10)",
    )  # fmt: skip
    p.add_argument(
        "--against", metavar="MEASURE", default="IRec@10",
        help="what is drawn to the right (default: IRec@10)",
    )  # fmt: skip
    p.add_argument(
        "--gamma", type=float, metavar="G", default=0.5,
        help="lines have the same G·against + (1 − G)·measure (default: 0.5)",
    )  # fmt: skip
    p.add_argument(
        "--intervals", action="store_true", help="crosses: confidence intervals of both means"
    )
    p.add_argument(
        "--level", type=float, metavar="C", default=0.95,
        help="confidence of the intervals (default: 0.95)",
    )  # fmt: skip
    add_intents(p)
    look = _add_look(p)
    look.add_argument("--zoom", action="store_true", help="only where the runs are, not 0 to 1")
    look.add_argument("--no-names", dest="names", action="store_false", help="points alone")
    add_order(p.add_argument_group("lists"), TIE_CHOICES)
    add_relevance(p.add_argument_group("relevance"))
    other = p.add_argument_group("other")
    add_formats(other)
    add_import(other)
    p.set_defaults(run=run_diversity, costs=None, cost_unit="")


def _add_files(p: Any, judgments: str) -> None:
    """What every picture is made from, and where it goes."""
    p.add_argument("qrels", metavar="QRELS", help=f"judgments: {judgments}")
    p.add_argument("runs", metavar="RUN", nargs="+", help="results: topic Q0 doc rank score tag")
    p.add_argument(
        "-o", "--output", metavar="FILE", required=True,
        help="the picture, or its numbers: the name ends in ." + ", .".join(FORMATS),
    )  # fmt: skip


def _add_look(p: Any) -> Any:
    look = p.add_argument_group("look")
    look.add_argument("--title", metavar="TEXT", default="", help="above the picture")
    look.add_argument("--width", type=count, metavar="N", help="of a panel, in points")
    look.add_argument("--height", type=count, metavar="N", help="of a panel, in points")
    look.add_argument(
        "--scale", type=count, metavar="N", default=2, help="pixels of a PNG a point (default: 2)"
    )
    return look


def run_diversity(options: argparse.Namespace) -> int:
    """Draw runs by relevance and intent recall, and write the picture."""
    from cranfield.plot import diversity

    refuse_inputs(options, options.qrels, *options.runs)
    refuse_output(options.output)
    asked = ("measure", "against", "gamma", "intervals", "level", "zoom", "names", "width",
             "height", "title")  # fmt: skip
    with Progress([options.qrels, *options.runs]) as progress:
        picture = diversity(
            options.qrels,
            options.runs,
            **{name: getattr(options, name) for name in asked},
            **list_options(options),
            progress=progress.step,
        )
    return _written(picture, options)


def run_cwl(options: argparse.Namespace) -> int:
    """Draw user models, and write the picture."""
    from cranfield.plot import cwl

    refuse_inputs(options, options.qrels, *options.runs)
    refuse_output(options.output)
    asked = {name: getattr(options, name, None) for name in ("ranks", "measurements")}
    with Progress([options.qrels, *options.runs]) as progress:
        picture = cwl(
            measures_of(options.models),
            options.qrels,
            options.runs,
            options.kind,
            topics=options.topics,
            width=options.width,
            height=options.height,
            title=options.title,
            **{name: value for name, value in asked.items() if value is not None},
            **list_options(options),
            progress=progress.step,
        )
    return _written(picture, options)


def _written(picture: Picture, options: argparse.Namespace) -> int:
    """Write a picture; numbers alone have room for every name."""
    numbers = format_of(options.output) in NUMBERS
    tell(n for n in picture.notices if not (numbers and n.kind == "names"))
    picture.save(options.output, options.scale)
    return 0


def refuse_output(path: str | None) -> None:
    """Before the work, not after it: can the file be written? None is no file."""
    if path is None:
        return
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise CranfieldError(f"cannot write {path}: there is no directory {directory}")
    if format_of(path) not in NUMBERS:
        altair()
