"""`cranfield plot`: pictures, as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cranfield.cli.evaluate import (
    ONE_ORDER,
    add_order,
    add_shared,
    list_options,
    measures_of,
    refuse_inputs,
)
from cranfield.cli.options import COUNT, add_import, declare, settings_of
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
    for kind, text in KINDS.items():
        _add_kind(kinds, kind, text)
    _add_diversity(pictures)


OF_KIND = {
    "functions": {"--ranks N": "default: the longest list, at most 30"},
    "vary": {
        "--measurement NAME …": "EU, ETU, EC or ETC; may be repeated (default: EU and ETU, and "
        "with costs ETC)",
    },
    "runs": {},
}
LOOK = {
    "--title TEXT": "above the picture",
    "--width N": "of a panel, in points",
    "--height N": "of a panel, in points",
    "--scale N": "pixels of a PNG a point (default: 2)",
}
DIVERSITY = {
    "-m --measure MEASURE": "what is drawn upwards (default: D(nDCG)@10)",
    "--against MEASURE": "what is drawn to the right (default: IRec@10)",
    "--gamma G": "lines have the same G·against + (1 − G)·measure (default: 0.5)",
    "--intervals": "crosses: confidence intervals of both means",
    "--level C": "confidence of the intervals (default: 0.95)",
}


def _add_kind(kinds: Any, kind: str, said: str) -> None:
    p = kinds.add_parser(kind, help=said, description=f"Draw {said}.")
    _add_files(p, "topic iteration doc level")
    series = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
    model = "a user model such as INST(T=2) or RBP(p=0.8)" + (series if kind == "vary" else "")
    default = "the mean over all" if kind == "vary" else "all"
    rows = {
        "-m --model MODEL …": f"{model}; may be repeated",
        "--topic TOPIC …": f"may be repeated (default: {default})",
        **OF_KIND[kind],
    }
    drawn = {"choices": ("EU", "ETU", "EC", "ETC")}
    declare(p, rows, model={"required": True}, ranks=COUNT, measurement=drawn)
    _add_look(p, LOOK)
    _add_rest(p, ONE_ORDER, "relevance", "costs")
    p.set_defaults(run=run_cwl, kind=kind)


def _add_diversity(pictures: Any) -> None:
    p = pictures.add_parser(
        "diversity",
        help="relevance against intent recall, a point for each run",
        description="Draw how relevant runs are against how many intents they cover, with lines "
        "of equal D♯.",
    )
    _add_files(p, "topic intent doc level")
    declare(
        p,
        DIVERSITY,
        measure={"default": "D(nDCG)@10"},
        against={"default": "IRec@10"},
        gamma={"type": float, "default": 0.5},
        level={"type": float, "default": 0.95},
    )
    add_shared(p, "intents")
    zoom = "only where the runs are, not 0 to 1"
    _add_look(p, {**LOOK, "--zoom": zoom, "--no-names": "points alone"})
    _add_rest(p, TIE_CHOICES, "relevance")
    p.set_defaults(run=run_diversity, costs=None, cost_unit="")


def _add_files(p: Any, judgments: str) -> None:
    """What every picture is made from, and where it goes."""
    rows = {
        "qrels QRELS": f"judgments: {judgments}",
        "runs RUN +": "results: topic Q0 doc rank score tag",
        "-o --output FILE": f"the picture, or its numbers: the name ends in .{', .'.join(FORMATS)}",
    }
    declare(p, rows, output={"required": True})


def _add_look(p: Any, rows: Mapping[str, str]) -> None:
    scale, names = {**COUNT, "default": 2}, {"dest": "names", "action": "store_false"}
    sizes = {"width": COUNT, "height": COUNT, "scale": scale}
    declare(p.add_argument_group("look"), rows, title={"default": ""}, no_names=names, **sizes)


def _add_rest(p: Any, ties: Sequence[str], *kinds: str) -> None:
    """What a picture has in common with `cranfield evaluate`."""
    add_order(p.add_argument_group("lists"), ties)
    for kind in kinds:
        add_shared(p.add_argument_group(kind), kind)
    other = p.add_argument_group("other")
    add_shared(other, "formats")
    add_import(other)


def run_diversity(options: argparse.Namespace) -> int:
    """Draw runs by relevance and intent recall, and write the picture."""
    from cranfield.plot import diversity

    names = ("measure", "against", "gamma", "intervals", "level", "zoom", "names", "width",
             "height", "title")  # fmt: skip
    given = settings_of(options, "qrels", "runs", *names)
    return _drawn(options, lambda step: diversity(**given, **list_options(options), progress=step))


def run_cwl(options: argparse.Namespace) -> int:
    """Draw user models, and write the picture."""
    from cranfield.plot import cwl

    given = settings_of(options, "qrels", "runs", "kind", "topics", "width", "height", "title")
    given |= {name: x for name, x in vars(options).items() if name in ("ranks", "measurements")}
    return _drawn(
        options,
        lambda step: cwl(
            measures_of(options.models), **given, **list_options(options), progress=step
        ),
    )


def _drawn(options: argparse.Namespace, draw: Callable[..., Picture]) -> int:
    """Draw and write a picture; numbers alone have room for every name."""
    refuse_inputs(options, options.qrels, *options.runs)
    refuse_output(options.output)
    with Progress([options.qrels, *options.runs]) as progress:
        picture = draw(progress.step)
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
