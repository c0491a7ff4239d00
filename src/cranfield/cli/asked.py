"""What the options ask for that several commands have: from words to arguments of functions."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.cli.commands import BY_NAME, Command
from cranfield.cli.options import SETTINGS, Rows, declare, refuse_two_inputs
from cranfield.cli.output import format_for
from cranfield.cli.paths import input_files
from cranfield.data.groups import read_groups
from cranfield.data.ntcir import topic_dirs
from cranfield.data.reading.lines import text_lines
from cranfield.data.reading.source import Source
from cranfield.data.tracks import join_topics, read_gains
from cranfield.errors import CranfieldError, InputError

if TYPE_CHECKING:
    from cranfield.evaluation.presets import Preset
    from cranfield.labelling.strategies import Labelling


Parts: TypeAlias = Mapping[str, Any]  # options and what runs them, or parts, by name


def add_command(p: Any, rows: Rows, run: Callable[..., Any], **defaults: Any) -> None:
    """Declare a command of ours, or a part of one: its options, and what runs it."""
    declare(p, rows, **SETTINGS)
    p.set_defaults(run=partial(settled, run), declared=p._actions, **defaults)


def add_parts(p: Any, row: Command, parts: Parts) -> None:
    """Declare the parts of a command of ours, which may have parts themselves; which one is asked
    for is an option of the run, called as the row calls parts.
    """
    add_each(parts_of(p, row), row, parts)


def parts_of(p: Any, row: Command) -> Any:
    """What the parts of a command are added to."""
    return p.add_subparsers(metavar=row.parts, dest=row.parts.lower(), required=True)


def add_each(made: Any, row: Command, parts: Parts) -> None:
    """Declare parts, beside others that there may be."""
    for name, part in parts.items():
        own = BY_NAME[f"{row.name} {name}"]
        if isinstance(part, tuple):
            add_command(made.add_parser(name, help=own.does), *part)
        else:
            add_parts(made.add_parser(name, help=own.does), own, part)


def settled(run: Callable[..., Any], options: argparse.Namespace) -> Any:
    """Run a command with what is asked for in the place of words; what is not given stays None."""
    refuse_two_inputs(*input_files(options))
    _refuse_alone(options)
    known = getattr(options, "scores", False)  # and what would decide them will be refused
    if hasattr(options, "classes") and not known:
        options.labelling = labelling_of(options)
    if hasattr(options, "preset") and not known:
        options.preset = preset_of(options)
    for name, read in READ.items():
        given = getattr(options, name, None)
        if isinstance(given, str | list):  # not the numbers of `simulate`
            setattr(options, name, read(given) or None)
    for action in options.declared:
        if action.dest == "format" and options.format is None:
            options.format = format_for(options.output, action.choices)
    return run(options)


def _refuse_alone(options: argparse.Namespace) -> None:
    """Options that mean nothing without another one, or a value of it: see `declare`."""
    by_name = {name: action for action in options.declared for name in action.option_strings}
    for action in options.declared:
        name, *values = getattr(action, "needs", "").split() or [""]
        if not name or getattr(options, action.dest) == action.default:
            continue
        found, value = getattr(options, by_name[name].dest), "".join(values)
        if found != value if value.islower() else found is None or found is False:
            raise InputError(action.option_strings[0], f"{action.needs} with it")


def labelling_of(options: argparse.Namespace) -> Labelling | None:
    """The strategy that the options ask for, if not the plain one."""
    from cranfield.labelling.strategies import Combinations, EquivalenceClasses

    if options.classes and options.groups:
        raise InputError("--classes and --groups", "one of them")
    if options.classes:  # read once: it may be standard input
        return EquivalenceClasses(read_groups(options.classes, options.separator))
    if options.groups:
        return Combinations(read_groups(options.groups, options.separator))
    return None


def preset_of(options: argparse.Namespace) -> Preset | None:
    """The preset that the options ask for, at the cutoff they ask for."""
    from cranfield.evaluation.presets import preset

    if not options.preset:
        return None
    chosen = preset(options.preset, options.presets)
    measures = chosen.measures_at(getattr(options, "cutoff", None))
    return replace(chosen, measures=tuple(measures))


def _gains(text: str) -> Any:
    return read_gains(Source.of(text[1:])) if text.startswith("@") else text


def _topics(given: Sequence[str]) -> Any:
    """The topics that all --topics ask for, as `evaluate` takes them."""
    if len(given) == 1:
        return given[0]
    return join_topics(given)


def measures_of(texts: Sequence[str]) -> list[str]:
    """The measures of all -m options, those in files included."""
    given = [text_lines(Source.of(x[1:])) if x.startswith("@") else [(1, x)] for x in texts]
    return [line for lines in given for _, line in lines]


READ: dict[str, Callable[[Any], Any]] = {
    "gains": _gains,
    "topics": _topics,
    "measures": measures_of,
    "models": measures_of,
}


def one_measure(asked: Sequence[str] | None, default: str) -> str:
    """The measure that is asked for, where there can be no other."""
    from cranfield.measures.grammar import parse_measures

    found = parse_measures(asked or default)
    if len(found) != 1:
        raise InputError(f"{len(found)} measures", "one")
    return str(found[0])


def runs_of(
    qrels: str,
    named: Sequence[str],
    least: int = 1,
    expected: str = "RUN (or QRELS a directory with runs)",
) -> Sequence[str]:
    """The runs that are named; all of the directory of judgments if none is."""
    runs = named or topic_dirs.runs(qrels.removesuffix("/"))
    for run in runs:
        if os.path.isdir(run) and not os.path.isdir(qrels):
            raise CranfieldError(f"{run} is a directory, expected a run ({run}/* are all in it)")
    if not runs:  # a file may hold several
        raise InputError("0 runs" if least > 1 else "no run", expected)
    return runs
