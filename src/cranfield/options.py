"""Rows that declare the options and computations of commands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from cranfield.dataclass import dataclass


@dataclass(frozen=True)
class Option:
    """An option of a function and of commands, or a positional argument of a command.

    Attributes
    ----------
    name
        The parameter of the function, and the attribute of the parsed command line.
    default
        Value if the option is omitted.
    doc
        Text for the documentation of the function.
    group
        Section of the help and of the reference.
    flags
        Names on the command line, the long name last. Without flags: a positional argument, or
        an option of the function only.
    metavar
        Name of the value in the help. Without metavar and choices: a switch.
    help
        Text for the help of commands. None hides the option.
    value
        Conversion of the text, see `cranfield.cli.options.CONVERTERS`.
    choices
        Valid values.
    repeat
        True if the option may be repeated, its value is a list.
    requires, requires_value
        Name of an option without which, or without whose value, this option is an error.
    nargs
        Number of values as in argparse: ``?``, ``*``, ``+`` or a number.
    required
        True if the option must not be omitted.
    const
        Value that a switch stores.
    """

    name: str
    default: Any = None
    doc: str = ""
    group: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | tuple[str, ...] = ""
    help: str | None = ""
    value: str = "text"
    choices: Collection[Any] = ()
    repeat: bool = False
    requires: str = ""
    requires_value: str = ""
    nargs: str | int | None = None
    required: bool = False
    const: Any = True

    @property
    def is_switch(self) -> bool:
        """True if no value follows the flag."""
        return bool(self.flags) and not (self.metavar or self.choices)


@dataclass(frozen=True)
class OptionGroup:
    """Options with a title in the help."""

    title: str
    rows: Rows


Rows: TypeAlias = tuple[Option | OptionGroup, ...]


def argument(name: str, metavar: str, help: str, **fields: Any) -> Option:
    """Return a positional argument.

    >>> argument("runs", "RUN", "runs", nargs="+").nargs
    '+'
    """
    return Option(name, metavar=metavar, help=help, **fields)


def option(flags: str, metavar: str | tuple[str, ...], help: str | None, *, name: str = "", **fields: Any) -> Option:
    """Return an option with a value, named after its last flag; in the plural if repeated.

    >>> option("-o --output", "FILE", "write to FILE").name
    'output'
    >>> option("-m --measure", "MEASURE", "a measure", repeat=True).name
    'measures'
    """
    names = tuple(flags.split())
    last = names[-1].lstrip("-").replace("-", "_")
    plural = last.rstrip("s") + "s" if fields.get("repeat") else last
    return Option(name or plural, flags=names, metavar=metavar, help=help, **fields)


def choice(flags: str, choices: Collection[Any], help: str, **fields: Any) -> Option:
    """Return an option with a value that is one of the choices.

    >>> choice("--ties", ("trec", "best"), "order of ties").choices
    ('trec', 'best')
    """
    return option(flags, "", help, choices=choices, **fields)


def switch(flags: str, help: str | None, *, const: Any = True, **fields: Any) -> Option:
    """Return an option without a value, which stores `const`.

    >>> switch("--grey", "no colours").default, switch("--no-names", "points", const=False).default
    (False, True)
    """
    default = not const if isinstance(const, bool) else None
    return option(flags, "", help, const=const, default=default, **fields)


def flatten_rows(rows: Rows) -> Iterator[Option]:
    """Yield all options, including those in groups."""
    for row in rows:
        if isinstance(row, OptionGroup):
            yield from flatten_rows(row.rows)
        else:
            yield row


def add_requirement(rows: Rows, name: str) -> Rows:
    """Return the options, each of which requires the option of this name."""
    return tuple(replace(row, requires=name) for row in flatten_rows(rows))


def merge_rows(*parts: Rows) -> Rows:
    """Return all rows; a row replaces an earlier one of the same name."""
    rows = {getattr(row, "name", ""): row for part in parts for row in part}
    return tuple(rows.values())


InputKind: TypeAlias = Literal["scores", "runs", "judgments", "nothing"]


@dataclass(frozen=True)
class Computation:
    """Function of a command, and its inputs.

    Inputs are scores of topics, QRELS with RUNs, two QRELS with optional RUNs, or nothing. Options
    are passed to arguments of the same name. The progress bar shows the `activity` and the number
    of `steps`, computed from the options and the numbers of runs and measures.
    """

    function: Callable[..., Any]
    inputs: InputKind = "scores"
    activity: str = ""
    steps: Callable[[Any, int, int], int] = lambda options, runs, measures: 0


def build_help(doc: str | None) -> dict[str, str]:
    """Return help and description of a part of a command, from the docstring of its module."""
    title, text = (" ".join(part.split()) for part in (doc or "").split("\n\n"))
    return {"help": title[0].lower() + title[1:].rstrip("."), "description": text}
