"""Commands that begin with scores: computed from judgments and runs, or read from files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_args

from cranfield.cli import evaluate as command
from cranfield.cli.options import add_import, count, topics_of
from cranfield.cli.progress import Progress
from cranfield.data.ntcir import topic_dirs
from cranfield.data.tracks import named_topics
from cranfield.errors import CranfieldError, InputError
from cranfield.evaluation.evaluate import evaluate
from cranfield.evaluation.options import TIE_CHOICES
from cranfield.evaluation.results import Missing, read_scores
from cranfield.report.options import Option
from cranfield.scores import Scores
from cranfield.wording import counted

FILES = (
    "QRELS RUN RUN…: judgments and results, as for `cranfield evaluate`; with --scores, files with "
    "the scores of topics, as trec_eval -q, ndeval, gdeval, ir_measures or `cranfield evaluate -q "
    "-f tsv` write them, or tables"
)

ANYWAY = ("files", "threads", "imports")  # what options are called that decide no score
WITH_SCORES = (*ANYWAY, "scores", "lower", "measures", "missing")


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


TYPES: dict[str, Callable[[str], Any]] = {"count": count, "counts": counts, "numbers": numbers}


def add_options(p: Any, options: Iterable[Option]) -> None:
    """Tell argparse of options that are data."""
    for option in options:
        kind = option.settings.get("type")
        typed = {"type": TYPES[kind]} if isinstance(kind, str) else {}
        p.add_argument(*option.flags, **(dict(option.settings) | typed))


class _Remembered:
    """A parser, or a group of one, that remembers the options it was given."""

    def __init__(self, given: Any, actions: list[argparse.Action]) -> None:
        self.given, self.actions = given, actions

    def add_argument(self, *flags: str, **settings: Any) -> None:
        self.actions.append(self.given.add_argument(*flags, **settings))

    def add_argument_group(self, title: str) -> _Remembered:
        return _Remembered(self.given.add_argument_group(title), self.actions)

    def add_mutually_exclusive_group(self) -> _Remembered:
        return _Remembered(self.given.add_mutually_exclusive_group(), self.actions)


def _remembered(p: Any) -> _Remembered:
    """The parser, whose further options can be refused where they decide nothing."""
    actions = p.get_default("deciding") or []
    p.set_defaults(deciding=actions)
    return _Remembered(p, actions)


def add_scored(parser: Any, default: str = "AP", files: str = FILES) -> None:
    """The files and options that scores come from."""
    p = _remembered(parser)
    p.add_argument("files", metavar="FILE", nargs="*", help=files)
    p.add_argument(
        "--scores", action="store_true", help="the files hold scores of topics, not results"
    )
    p.add_argument(
        "--lower-is-better", dest="lower", action="append", metavar="NAME", default=[],
        help="with --scores, a measure of which lower values are better, where cranfield does not "
        "know that; may be repeated",
    )  # fmt: skip
    add_measures(p, f"{default}, or all in the files but counts")
    parser.set_defaults(default_measure=default)


def add_measures(p: Any, default: str) -> None:
    """The options that say what is evaluated."""
    p.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE",
        help="a measure such as nDCG@10, several in one string, or @FILE; may be repeated "
        f"(default: {default})",
    )  # fmt: skip
    command.add_preset(p, "what a task evaluates with (`cranfield presets` lists all)")


def add_evaluation(parser: Any, scores: bool = True) -> None:
    """The options of `cranfield evaluate` that decide the scores; some with --scores."""
    p = _remembered(parser)
    order = p.add_argument_group("lists and topics")
    command.add_order(order, TIE_CHOICES)
    command.add_shared(order, "topics")
    if scores:
        order.add_argument(
            "--missing", choices=get_args(Missing), default="error",
            help="with --scores, topics that a run lacks: an error (default), left out for all "
            "runs (common), or zero",
        )  # fmt: skip
    command.add_shared(p.add_argument_group("relevance"), "relevance")
    command.add_shared(p.add_argument_group("diversity"), "intents", "verticals")
    command.add_shared(p.add_argument_group("user models"), "costs")
    other = p.add_argument_group("other")
    command.add_shared(other, "formats")
    add_import(other)
    other.add_argument("--threads", type=count, metavar="N", help="default: all cores")


# -- scores ---------------------------------------------------------------------------------------


def refuse_deciding(
    options: argparse.Namespace, expected: str, but: Sequence[str] = ANYWAY
) -> None:
    """Options that decide what scores there are, given where they would decide nothing."""
    for option in options.deciding:
        if option.dest not in but and getattr(options, option.dest) != option.default:
            raise InputError(f"{option.option_strings[0]}", expected)


def scores_of(options: argparse.Namespace, runs: int = 1) -> Scores:
    """The scores that the files and options ask for; of at least so many runs."""
    asked = command.measures_of(options.measures)
    if options.scores:
        if not options.files:
            raise InputError("no file", "files with the scores of topics")
        expected = "QRELS RUN… with it: --scores are scores already"
        named = named_topics(topics_of(options))
        but = WITH_SCORES if named is None else (*WITH_SCORES, "topics")
        refuse_deciding(options, expected, but)
        command.refuse_inputs(options, *options.files)
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
    command.refuse_inputs(options, qrels, *runs)
    runs = runs or list(topic_dirs.runs(qrels.removesuffix("/")))
    for run in runs:
        if os.path.isdir(run) and not os.path.isdir(qrels):
            raise CranfieldError(f"{run} is a directory, expected a run ({run}/* are all in it)")
    if len(runs) < least:
        expected = f"QRELS and at least {least} runs{otherwise}"
        raise InputError(counted(len(runs), "run"), expected)
    chosen, asked = command.preset_of(options), command.measures_of(options.measures)
    if not asked and chosen is None:
        asked = options.default_measure.split()
    return runs, {
        "measures": asked or None,
        "preset": chosen,
        "undefined": options.undefined,
        "threads": options.threads,
        **command.list_options(options),
    }
