"""`cranfield plot`: pictures, as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cranfield.cli.evaluate import (
    add_costs,
    add_formats,
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
from cranfield.evaluate import TIE_CHOICES
from cranfield.report.pictures import FORMATS, NUMBERS, altair, format_of

KINDS = {
    "functions": "C, W and L of user models, rank by rank",
    "vary": "measurements against expected depth as a parameter of a model varies",
    "runs": "expected utility against expected depth, a point for each run",
}


def add_to(commands: Any) -> None:
    """Declare the command and the pictures it draws."""
    p = commands.add_parser(
        "plot",
        help="draw pictures: what user models believe, and what they measure",
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


def _add_kind(kinds: Any, kind: str, said: str) -> None:
    p = kinds.add_parser(kind, help=said, description=f"Draw {said}.")
    p.add_argument("qrels", metavar="QRELS", help="judgments: topic iteration doc level")
    p.add_argument("runs", metavar="RUN", nargs="+", help="results: topic Q0 doc rank score tag")
    series = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
    p.add_argument(
        "-m", "--model", dest="models", action="append", metavar="MODEL", required=True,
        help="a user model such as INST(T=2) or RBP(p=0.8)" + (series if kind == "vary" else "")
        + "; may be repeated",
    )  # fmt: skip
    p.add_argument(
        "-o", "--output", metavar="FILE", required=True,
        help="the picture, or its numbers: the name ends in ." + ", .".join(FORMATS),
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
    look = p.add_argument_group("look")
    look.add_argument("--title", metavar="TEXT", default="", help="above the picture")
    look.add_argument("--width", type=count, metavar="N", help="of a panel, in points")
    look.add_argument("--height", type=count, metavar="N", help="of a panel, in points")
    look.add_argument(
        "--scale", type=count, metavar="N", default=2, help="pixels of a PNG a point (default: 2)"
    )
    order = p.add_argument_group("lists")
    add_order(order, [name for name in TIE_CHOICES if name != "expected"])
    add_relevance(p.add_argument_group("relevance"))
    add_costs(p.add_argument_group("costs"))
    other = p.add_argument_group("other")
    add_formats(other)
    add_import(other)
    p.set_defaults(run=run, kind=kind)


def run(options: argparse.Namespace) -> int:
    """Draw, and write the picture."""
    from cranfield.plot import cwl

    refuse_inputs(options, options.qrels, *options.runs)
    numbers = _refuse_output(options.output)
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
    tell(n for n in picture.notices if not (numbers and n.kind == "names"))
    picture.save(options.output, options.scale)
    return 0


def _refuse_output(path: str) -> bool:
    """Before the work, not after it: can the file be written? And is it numbers alone?"""
    numbers = format_of(path) in NUMBERS
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise CranfieldError(f"cannot write {path}: there is no directory {directory}")
    if not numbers:
        altair()
    return numbers
