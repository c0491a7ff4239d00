"""Systems of runs: a table run, system, seed, or patterns such as ``dense-*``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from cranfield.data.reading.cells import Layout, get_location, iter_lines
from cranfield.data.reading.columns import SPELLINGS
from cranfield.data.reading.lines import Line, check_not_empty
from cranfield.data.reading.tables import is_frame
from cranfield.errors import InputError
from cranfield.wording import format_names

SystemsLike: TypeAlias = Any  # a path, patterns, {run: system}, or a frame with the columns run and system
ANY = "*"  # of a pattern
_LAYOUT = Layout(
    (("run", "system"), ("run", "system", "seed")),
    ("run", "system"),
    {
        "system": ("system", "system_id", "model"),
        "run": tuple(name for name in SPELLINGS["tag"] if name != "system"),
        "seed": ("seed", "random_seed"),
    },
    header=("system",),
    table="systems",
    expected_columns="run and system (and optionally seed)",
)
_LOCATION = "systems"


def read_systems(data: SystemsLike, runs: Sequence[str]) -> dict[str, str]:
    """Return the system of each run.

    `data` is a path, a mapping, a frame or rows with a system for every run. A pattern such as
    ``dense-*``, or a list of patterns, names the system of matching runs by the part before ``*``,
    without trailing ``-_.``. Other runs are systems of one run.

    >>> read_systems("dense-*", ["bm25", "dense-1", "dense-2"])
    {'bm25': 'bm25', 'dense-1': 'dense', 'dense-2': 'dense'}
    """
    texts = [data] if isinstance(data, str) else data
    if isinstance(texts, list | tuple) and texts and all(isinstance(text, str) for text in texts):
        patterns = [text for text in texts if ANY in text]
        if len(patterns) == len(texts):
            return _match_patterns(patterns, runs)
        if len(texts) > 1:
            raise InputError.from_problem("--systems: give either one file, or patterns such as 'dense-*'")
        data = texts[0]
    return _read_table(data, runs)


def _match_patterns(patterns: Sequence[str], runs: Sequence[str]) -> dict[str, str]:
    """Return the system of each run by patterns."""
    systems: dict[str, str] = {}
    names: dict[str, str] = {}
    for pattern in dict.fromkeys(patterns):
        name = pattern.partition(ANY)[0].rstrip("-_.")
        if not name:
            raise InputError(f"pattern {pattern!r}", "a name before *, as in 'dense-*'", _LOCATION)
        if name in names:
            problem = f"patterns {names[name]!r} and {pattern!r} name the same system, {name!r}"
            raise InputError.from_problem(problem, "Use a table with the columns run and system.")
        names[name] = pattern
        expression = re.compile(".*".join(map(re.escape, pattern.split(ANY))), re.DOTALL)
        matches = [run for run in runs if expression.fullmatch(run)]
        if not matches:
            raise InputError(f"pattern {pattern!r} without a match", f"some of {format_names(runs, 'run')}", _LOCATION)
        for run in matches:
            if run in systems:
                raise _make_several_systems_error(run, systems[run], name)
            systems[run] = name
    return {run: systems.get(run, run) for run in runs}


def _read_table(data: SystemsLike, runs: Sequence[str]) -> dict[str, str]:
    """Return the system of each run by a table, which has to name every run."""
    if isinstance(data, Mapping):
        data = data.items()
    elif not (isinstance(data, Iterable | str | os.PathLike) or is_frame(data)):
        raise InputError(repr(data), "systems as a path, a pattern, {run: system} or a frame")
    systems: dict[str, str] = {}
    lines: dict[tuple[str, str], Line] = {}  # by system and seed
    for line in iter_lines(data, _LAYOUT, _LOCATION):
        run, system = line.get_name("run"), line.get_name("system")
        if run not in runs:
            raise line.make_error(f"unknown run {run!r}", f"one of {format_names(runs, 'run')}")
        if systems.get(run, system) != system:
            raise line.make_problem(str(_make_several_systems_error(run, systems[run], system)))
        if run in systems:
            raise line.make_duplicate_error(f"run {run!r}")
        systems[run] = system
        _check_seed(line, system, lines)
    location = get_location(data, _LOCATION)
    check_not_empty(systems, "systems", location, "a run and its system on each line")
    if missing := [run for run in runs if run not in systems]:
        raise InputError(f"{format_names(missing, 'run')} without a system", "a system for every run", location)
    return {run: systems[run] for run in runs}


def _check_seed(line: Line, system: str, lines: dict[tuple[str, str], Line]) -> None:
    """Raise an error for a seed that a system has twice."""
    seed = line.cells.get("seed")
    if seed is None or str(seed) == "":
        return
    first = lines.setdefault((system, str(seed)), line)
    if first is not line:
        raise line.make_duplicate_error(f"seed {seed} of system {system!r}", first.number)


def _make_several_systems_error(run: str, first: str, second: str) -> InputError:
    return InputError.from_problem(f"run {run!r} has two systems, {first!r} and {second!r}")


def group_runs(systems: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the runs of each system. Raise an error if no system has several runs.

    >>> group_runs({"bm25": "bm25", "dense-1": "dense", "dense-2": "dense"})
    {'bm25': ('bm25',), 'dense': ('dense-1', 'dense-2')}
    """
    groups: dict[str, list[str]] = {}
    for run, system in systems.items():
        groups.setdefault(system, []).append(run)
    if len(groups) < 2:
        raise InputError(f"only one system, {next(iter(groups), '')!r}", "at least 2", _LOCATION)
    if all(len(members) == 1 for members in groups.values()):
        raise InputError.from_problem("all systems have one run", "Omit --systems.")
    for system in groups:
        if systems.get(system, system) != system:
            problem = f"system {system!r} has the name of a run of system {systems[system]!r}"
            raise InputError.from_problem(problem, "Rename the system.", _LOCATION)
    return {system: tuple(members) for system, members in groups.items()}
