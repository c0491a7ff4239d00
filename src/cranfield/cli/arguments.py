"""Arguments of functions from the options of commands."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.options import check_single_stdin
from cranfield.cli.output import choose_format
from cranfield.cli.paths import list_input_files
from cranfield.data.groups import read_groups
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.lines import iter_text_lines
from cranfield.data.reading.source import Source
from cranfield.data.tracks import join_topics, read_gains
from cranfield.errors import CranfieldError, InputError

if TYPE_CHECKING:
    from cranfield.evaluation.presets import Preset
    from cranfield.labelling.strategies import Labelling


def resolve_arguments(options: argparse.Namespace) -> None:
    """Replace words by values: presets, topics, measures, output format."""
    check_single_stdin(*list_input_files(options))
    _check_requirements(options)
    from_scores = getattr(options, "scores", False)  # `reject_options` reports the others
    if hasattr(options, "classes") and not from_scores:
        options.labelling = build_labelling(options)
    if hasattr(options, "preset") and not from_scores:
        options.preset = resolve_preset(options)
    for name, read in READERS.items():
        value = getattr(options, name, None)
        if isinstance(value, str | list):  # not the numbers of `simulate`
            setattr(options, name, read(value) or None)
    for row in options.declared:
        if row.name == "format" and options.format is None:
            options.format = choose_format(options.output, row.choices)


def _check_requirements(options: argparse.Namespace) -> None:
    """Raise an error if an option is used without the option that it requires."""
    rows = {row.name: row for row in options.declared}
    for row in options.declared:
        if not row.requires or getattr(options, row.name) == row.default:
            continue
        actual = getattr(options, row.requires)
        if actual != row.requires_value if row.requires_value else actual in (None, False):
            required = rows[row.requires]
            value = row.requires_value or required.metavar
            flag = f"{required.flags[-1]} {' '.join(value) if isinstance(value, tuple) else value}"
            raise InputError.from_problem(f"{row.flags[0]} requires {flag.rstrip()}")


def build_labelling(options: argparse.Namespace) -> Labelling | None:
    """Return the strategy for --classes or --groups, or None."""
    from cranfield.labelling.strategies import Combinations, EquivalenceClasses

    if options.classes and options.groups:
        raise InputError.from_problem("use either --classes or --groups, not both")
    if options.classes:  # read once: it may be standard input
        return EquivalenceClasses(read_groups(options.classes, options.separator))
    if options.groups:
        return Combinations(read_groups(options.groups, options.separator))
    return None


def resolve_preset(options: argparse.Namespace) -> Preset | None:
    """Return the preset at the requested cutoff, or None."""
    from cranfield.evaluation.presets import preset

    if not options.preset:
        return None
    task_preset = preset(options.preset, options.presets)
    measures = task_preset.measures_at(getattr(options, "cutoff", None))
    return replace(task_preset, measures=tuple(measures))


def _read_gains(text: str) -> Any:
    return read_gains(Source.from_path(text[1:])) if text.startswith("@") else text


def _join_topics(topics: Sequence[str]) -> Any:
    """Return all topics of --topics, as for `evaluate`."""
    if len(topics) == 1:
        return topics[0]
    return join_topics(topics)


def read_measures(texts: Sequence[str]) -> list[str]:
    """Return the measures of all -m options, including measures in files."""
    numbered_lines = [iter_text_lines(Source.from_path(x[1:])) if x.startswith("@") else [(1, x)] for x in texts]
    return [line for lines in numbered_lines for _, line in lines]


READERS: dict[str, Callable[[Any], Any]] = {
    "gains": _read_gains,
    "topics": _join_topics,
    "measures": read_measures,
    "models": read_measures,
}


def parse_single_measure(texts: Sequence[str] | None, default: str) -> str:
    """Return the measure, or the default. Raise InputError if there are several."""
    from cranfield.measures.grammar import parse_measures

    measures = parse_measures(texts or default)
    if len(measures) != 1:
        raise InputError.from_problem(f"found {len(measures)} measures, expected one")
    return str(measures[0])


def find_runs(
    qrels: str,
    paths: Sequence[str],
    minimum: int = 1,
    usage: str = "QRELS RUN…, or a directory with runs",
) -> Sequence[str]:
    """Return the runs, by default all in the directory of the judgments."""
    runs = paths or topic_dirs.list_runs(qrels.removesuffix("/"))
    for run in runs:
        if os.path.isdir(run) and not os.path.isdir(qrels):
            raise CranfieldError(f"run {run} is a directory. Use {run}/* for all runs in it.")
    if not runs:  # a file may hold several
        raise InputError.from_problem("no run given", f"Usage: {usage}.")
    return runs
