"""The options that say how tables of results are shown, and where; and the showing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cranfield.cli.output import tell, terminal_width, write
from cranfield.errors import InputError
from cranfield.report.sheets import FLAT, FORMATS, PROGRAMS, Sheet, render
from cranfield.scores import Notice


def add_output(p: Any, tables: Sequence[str]) -> None:
    """The options of a command that shows tables with these names."""
    p.add_argument("-f", "--format", choices=FORMATS, default="table", help="default: table")
    p.add_argument("-o", "--output", metavar="FILE", help="write to FILE, whole or not at all")
    if len(tables) > 1:
        p.add_argument(
            "--table", dest="tables", action="append", choices=tables, metavar="NAME",
            help=f"one of {', '.join(tables)}; may be repeated (default: what suits the format; "
            f"{', '.join(FLAT)} hold one)",
        )  # fmt: skip


def show(
    sheets: Sequence[Sheet],
    notices: Iterable[Notice],
    options: argparse.Namespace,
    usual: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write tables to a file or standard output; notices to standard error but for people.

    Those shown are the ones asked for, else the `usual` ones, else all. JSON has `settings`, too.
    """
    format, notices = options.format, tuple(notices)
    asked = getattr(options, "tables", None)
    chosen = _asked(sheets, asked, format) if asked else _usual(sheets, usual)
    if format == "parquet" and options.output is None and sys.stdout.isatty():
        raise InputError("a terminal", "-o FILE for parquet")
    data = render(chosen, format, notices, terminal_width(options.output), settings)
    if format not in ("table", "json"):
        tell(notices)
    write(data, options.output)


def _usual(sheets: Sequence[Sheet], usual: Sequence[str] | None) -> list[Sheet]:
    """Those of the tables there are that are shown if none is named; else all."""
    by_name = {sheet.name: sheet for sheet in sheets}
    return [by_name[name] for name in usual or () if name in by_name] or [*sheets]


def _asked(sheets: Sequence[Sheet], asked: Sequence[str], format: str) -> list[Sheet]:
    """The tables asked for, if there are such, and the format is for them."""
    if format in FLAT and len(asked) > 1:
        raise InputError(f"{len(asked)} tables", f"one: {format} holds no more")
    by_name = {sheet.name: sheet for sheet in sheets}
    for name in asked:
        if name not in by_name:
            expected = f"one of {', '.join(by_name)}: there is no such table of these results"
            raise InputError(f"--table {name}", expected)
    for name in asked if format in PROGRAMS else ():
        if not by_name[name].for_programs:
            fit = ", ".join(sheet.name for sheet in sheets if sheet.for_programs)
            raise InputError(f"--table {name}", f"{fit}: {format} is for programs")
    return [by_name[name] for name in asked]
