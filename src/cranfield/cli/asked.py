"""What the options ask for that several commands have: from words to arguments of functions."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.options import refuse_two_inputs
from cranfield.data.groups import read_groups
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.source import Source
from cranfield.data.tracks import read_gains, read_topics
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.evaluation.presets import Preset
    from cranfield.labelling.strategies import Labelling

LISTS = ("ties", "depth", "condensed", "exclude_self", "rel", "gains", "lengths", "costs",
         "cost_unit", "labels", "separator", "qrels_format", "run_format", "intents", "verticals",
         "embed_verticals")  # fmt: skip


def list_options(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of shared options, as `Evaluator` takes them; some commands lack some."""
    given = {name: getattr(options, name, None) for name in LISTS}
    if (options.gains or "").startswith("@"):
        given["gains"] = read_gains(Source.of(options.gains[1:]))
    given |= {"labelling": labelling_of(options), "topics": topics_of(options)}
    return {name: value for name, value in given.items() if value is not None}


def topics_of(options: argparse.Namespace) -> Any:
    """The topics that all --topics ask for, as `evaluate` takes them."""
    given = options.topics or ["judged"]
    if len(given) == 1:
        return given[0]
    return [topic for text in given for topic in read_topics(text)]


def labelling_of(options: argparse.Namespace) -> Labelling | None:
    """The strategy that the options ask for, if not the plain one."""
    from cranfield.labelling.strategies import Combinations, EquivalenceClasses

    if options.classes:  # read once: it may be standard input
        return EquivalenceClasses(read_groups(options.classes, options.separator))
    if options.groups:
        return Combinations(read_groups(options.groups, options.separator))
    return None


def refuse_inputs(options: argparse.Namespace, *files: str) -> None:
    """Standard input can be read once, by one of the files or of those that options name."""
    gains = getattr(options, "gains", None) or ""
    named = ("classes", "groups", "lengths", "costs", "verticals")
    others = [getattr(options, name, None) for name in named]
    others += [gains[1:], *(getattr(options, "intents", None) or ())]
    others += [text[1:] for text in options.topics or () if text.startswith("@")]
    refuse_two_inputs(*files, *others)


def runs_of(options: argparse.Namespace) -> list[str]:
    """The runs that are named; all of the directory of judgments if none is."""
    refuse_inputs(options, options.qrels, *options.runs)
    runs: list[str] = options.runs or topic_dirs.runs(options.qrels.removesuffix("/"))
    if not runs:
        raise InputError("no run", "RUN (or QRELS a directory with runs)")
    return runs


def measures_of(texts: list[str] | None) -> list[str]:
    """The measures of all -m options, those in files included."""
    found: list[str] = []
    for text in texts or ():
        lines = [text]
        if text.startswith("@"):
            lines = Source.of(text[1:]).read().decode("utf-8", "replace").splitlines()
            lines = [x for x in lines if x.strip() and not x.lstrip().startswith("#")]
        found += lines
    return found


def one_measure(texts: list[str] | None, default: str) -> str:
    """The measure of the -m options, where there can be no other."""
    from cranfield.measures.grammar import parse_measures

    found = parse_measures(measures_of(texts) or default)
    if len(found) != 1:
        raise InputError(f"{len(found)} measures", "one")
    return str(found[0])


def preset_of(options: argparse.Namespace) -> Preset | None:
    """The preset that the options ask for, at the cutoff they ask for."""
    from cranfield.evaluation.presets import preset

    if options.preset:
        chosen = preset(options.preset, options.presets)
        cutoff = getattr(options, "cutoff", None)
        return replace(chosen, measures=tuple(chosen.measures_at(cutoff)))
    for option in ("presets", "cutoff"):
        if getattr(options, option, None) is not None:
            raise InputError(f"--{option}", "--preset NAME with it")
    return None
