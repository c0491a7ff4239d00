"""The options that say how tables of results are shown, and where; and the showing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cranfield.cli.output import tell, terminal_width, write
from cranfield.errors import InputError
from cranfield.report.sheets import FLAT, FORMATS, Sheet, render
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
    by_name = {sheet.name: sheet for sheet in sheets}
    asked = getattr(options, "tables", None)
    if asked and format in FLAT and len(asked) > 1:
        raise InputError(f"{len(asked)} tables", f"one: {format} holds no more")
    chosen = [by_name[name] for name in asked or usual or by_name if name in by_name]
    if asked and len(chosen) < len(asked):
        lacking = next(name for name in asked if name not in by_name)
        expected = f"one of {', '.join(by_name)}: there is no such table of these results"
        raise InputError(f"--table {lacking}", expected)
    unfit = [x.name for x in chosen if not x.for_programs] if format in (*FLAT, "json") else []
    if asked and unfit:
        fit = ", ".join(sheet.name for sheet in sheets if sheet.for_programs)
        expected = f"{fit}: {format} is for programs"
        raise InputError(f"--table {unfit[0]}", expected)
    if format == "parquet" and options.output is None and sys.stdout.isatty():
        raise InputError("a terminal", "-o FILE for parquet")
    data = render(chosen, format, notices, terminal_width(options.output), settings)
    if format not in ("table", "json"):
        tell(notices)
    write(data, options.output)
