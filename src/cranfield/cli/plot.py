"""`cranfield plot`: pictures, as PNG, SVG, PDF or interactive HTML."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from cranfield.cli.asked import list_options, measures_of, one_measure, refuse_inputs
from cranfield.cli.options import (
    COUNT,
    NUMBER,
    ONE_ORDER,
    TIES,
    TOPICS,
    add_order,
    add_shared,
    call,
    declare,
)
from cranfield.cli.output import refuse_output, tell
from cranfield.cli.progress import Progress
from cranfield.report.pictures import FORMATS, NUMBERS, Picture, format_of

LOOK = {
    "--title TEXT": "above the picture",
    "--plot-width N": "of a panel, in points",
    "--plot-height N": "of a panel, in points",
    "--scale N": "pixels of a PNG a point (default: 2)",
}


@dataclass(frozen=True)
class Figure:
    """A picture: its name and options on the command line, and how it is drawn."""

    name: str
    help: str
    draw: Callable[..., Picture]  # with the options, and what is told of every part read
    options: Mapping[str, str]  # its own, for `declare`,
    settings: Mapping[str, Mapping[str, Any]]  # and what else argparse is told about them
    description: str = ""  # what it draws, if more is to be said than the help does
    judgments: str = "topic iteration doc level"
    topics: str = "all of them"
    intents: bool = False  # whether it asks what is known of them
    look: Mapping[str, str] = field(default_factory=lambda: LOOK)
    ties: Sequence[str] = ONE_ORDER
    shared: tuple[str, ...] = ("relevance",)  # groups of options that other commands have
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def add_to(self, pictures: Any) -> None:
        """Declare it."""
        p = pictures.add_parser(
            self.name, help=self.help, description=self.description or f"Draw {self.help}."
        )
        files = {
            "qrels QRELS": f"judgments: {self.judgments}",
            "runs RUN +": "results: topic Q0 doc rank score tag",
            "-o --output FILE": "the picture, or its numbers: the name ends in ."
            + ", .".join(FORMATS),
        }
        declare(p, files, output={"required": True})
        declare(p, self.options, **self.settings)
        declare(p, {TOPICS: f"101,102, or @FILE with topics; common: those that every run answers; "
                    f"may be repeated (default: judged, {self.topics})"})  # fmt: skip
        if self.intents:
            add_shared(p, "intents")
        scale, names = {**COUNT, "default": 2}, {"dest": "names", "action": "store_false"}
        sizes = {f"plot_{name}": {**COUNT, "dest": name} for name in ("width", "height")}
        look = p.add_argument_group("look")
        declare(look, self.look, title={"default": ""}, no_names=names, scale=scale, **sizes)
        add_order(p.add_argument_group("lists"), self.ties)
        for kind in self.shared:
            add_shared(p.add_argument_group(kind), kind)
        other = p.add_argument_group("other")
        add_shared(other, "formats", "import")
        p.set_defaults(run=partial(_drawn, self.draw), **self.defaults)


def add_to(command: Any) -> None:
    """Declare the command and the pictures it draws."""
    pictures = command().add_subparsers(metavar="PICTURE", required=True)
    cwl = pictures.add_parser("cwl", help="user models (C/W/L)")
    kinds = cwl.add_subparsers(metavar="KIND", required=True)
    for figure in OF_MODELS:
        figure.add_to(kinds)
    for figure in FIGURES:
        figure.add_to(pictures)


# -- the table of pictures ------------------------------------------------------------------------


def _diversity(options: argparse.Namespace, **progress: Any) -> Picture:
    from cranfield.plot import diversity

    measure = one_measure(options.measures, "D(nDCG)@10")
    return call(diversity, options, measure=measure, **list_options(options), **progress)


def _cwl(options: argparse.Namespace, **progress: Any) -> Picture:
    from cranfield.plot import cwl

    models = measures_of(options.measures)
    return call(cwl, options, models=models, **list_options(options), **progress)


def _of_models(kind: str, said: str, own: Mapping[str, str], **settings: Any) -> Figure:
    """A picture of user models."""
    series = ", or with a parameter that varies, RBP(p=0.1:0.9:0.1) or RBP(p=0.1|0.5|0.9)"
    model = "a user model such as INST(T=2) or RBP(p=0.8)" + (series if kind == "vary" else "")
    options = {
        "-m --measure MEASURE …": f"{model}; several in one string, or repeated",
        **own,
    }
    told = {"measure": {"required": True}, **settings}
    of = "the mean over all" if kind == "vary" else "all of them"
    shared = ("relevance", "costs")
    return Figure(
        kind, said, _cwl, options, told, topics=of, shared=shared, defaults={"kind": kind}
    )


OF_MODELS = (
    _of_models(
        "functions",
        "C, W and L of user models, rank by rank",
        {"--ranks N": "default: the longest list, at most 30"},
        ranks=COUNT,
    ),
    _of_models(
        "vary",
        "measurements against expected depth as a parameter of a model varies",
        {
            "--measurement NAME …": "EU, ETU, EC or ETC; may be repeated (default: EU and ETU, "
            "and with costs ETC)",
        },
        measurement={"choices": ("EU", "ETU", "EC", "ETC")},
    ),
    _of_models("runs", "expected utility against expected depth, a point for each run", {}),
)
FIGURES = (
    Figure(
        "diversity",
        "relevance against intent recall, a point for each run",
        _diversity,
        {
            "-m --measure MEASURE …": "what is drawn upwards (default: D(nDCG)@10)",
            "--against-measure MEASURE": "what is drawn to the right (default: IRec@10)",
            "--gamma G": "lines have the same G·against + (1 − G)·measure (default: 0.5)",
            "--intervals": "crosses: confidence intervals of both means",
            "--confidence C": "confidence of the intervals (default: 0.95)",
        },
        {
            "against_measure": {"dest": "against", "default": "IRec@10"},
            "gamma": {**NUMBER, "default": 0.5},
            "confidence": {**NUMBER, "dest": "level", "default": 0.95},
        },
        "Draw how relevant runs are against how many intents they cover, with lines of equal D♯.",
        "topic intent doc level",
        intents=True,
        look={
            **LOOK,
            "--zoom": "only where the runs are, not 0 to 1",
            "--no-names": "points alone",
        },
        ties=TIES,
    ),
)


def _drawn(draw: Callable[..., Picture], options: argparse.Namespace) -> int:
    """Draw and write a picture; numbers alone have room for every name."""
    refuse_inputs(options, options.qrels, *options.runs)
    refuse_output(options.output)
    with Progress([options.qrels, *options.runs]) as progress:
        picture = draw(options, progress=progress.step)
    numbers = format_of(options.output) in NUMBERS
    told = [n for n in picture.notices if not (numbers and n.kind == "names")]
    tell([] if options.quiet else told, len(options.runs), options.verbose)
    picture.save(options.output, options.scale)
    return 0
