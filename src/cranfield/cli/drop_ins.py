"""Drop-in replacements: run a function of `tools`, print or write its result."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import cleandoc
from typing import Any, TypeAlias, TypeVar

import cranfield
from cranfield.cli.messages import write_message, write_notes
from cranfield.cli.options import call, check_single_stdin
from cranfield.cli.output import write
from cranfield.cli.parser import Part
from cranfield.data.ntcir.nev import write_files
from cranfield.options import Rows, switch
from cranfield.scores import Note
from cranfield.tools.drop_ins import join_lines
from cranfield.wording import escape_unprintable

T = TypeVar("T")
Parts: TypeAlias = Mapping[str, Callable[..., Any]]
INPUTS = ("qrels", "result_file", "baseline", "costs", "metrics_file", "gold", "found", "test",
          "prediction", "path_a", "path_b")  # fmt: skip


def run(work: Callable[..., Any], options: argparse.Namespace, parts: Parts | None = None) -> None:
    """Run a function of `tools` on files, and print or write the result."""
    result, notes = run_tool(work, options, parts)
    write_output(result, notes, options)


def run_tool(work: Callable[..., T], options: argparse.Namespace, parts: Parts | None = None) -> T:
    """Return the result of a function of `tools`; one file can be standard input."""
    files = [getattr(options, name, None) for name in INPUTS]
    check_single_stdin(*files, *getattr(options, "intents", ()))
    return call(work, options, parts, run=getattr(options, "result_file", None))


def write_output(result: str | list[str] | dict[str, str], notes: Iterable[Note], options: argparse.Namespace) -> None:
    """Write files, by their paths, or print a text, which may come as lines."""
    if isinstance(result, dict):
        write_files(result)
        for path in result:
            write_message("note", "created", [f"created {escape_unprintable(path)}"], file=path)
    write_notes(notes)
    if not isinstance(result, dict):
        output = getattr(options, "output", None)
        text = result if isinstance(result, str) else join_lines(result)
        write(text, None if output == "-" else output)


MESSAGES = (
    switch("-help", "the same as -h", value="help"),
    switch(
        "-v -version",
        "show the version, and end",
        value="version",
        const=f"cranfield {cranfield.__version__}",
    ),
)
"""Options of the programs of the Web track that print a message."""


def build_part(
    names: str,
    rows: Rows,
    work: Callable[..., Any],
    run: Callable[..., Any],
    abbreviate: bool = True,
    defaults: Mapping[str, Any] | None = None,
) -> Part:
    """Return an action of a drop-in, with its names, which runs a function of `tools`.

    The help is the first line of the function's documentation, the description what follows.
    """
    name, *aliases = names.split()
    title, text, *_ = *cleandoc(work.__doc__ or "").split("\n\n"), "", ""
    if title[1:2].islower():  # not in P@n
        title = title[0].lower() + title[1:]
    return Part(
        name,
        rows,
        partial(run, work),
        title.rstrip("."),
        description=text,
        defaults=defaults or {},
        aliases=tuple(aliases),
        abbreviate=abbreviate,
    )
