"""How drop-ins for other tools run: a function of `tools` says what to print or to write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import cranfield
from cranfield.cli.messages import write_message, write_notes
from cranfield.cli.options import call, check_single_stdin
from cranfield.cli.output import write
from cranfield.data.ntcir.nev import write_files
from cranfield.scores import Note
from cranfield.tools.drop_ins import join_lines
from cranfield.wording import escape_unprintable

T = TypeVar("T")
Parts: TypeAlias = Mapping[str, Callable[..., Any]]
INPUTS = ("qrels", "result_file", "baseline", "costs", "metrics_file", "gold", "found", "test",
          "prediction", "path_a", "path_b")  # fmt: skip


def run(work: Callable[..., Any], options: argparse.Namespace, parts: Parts | None = None) -> None:
    """Print or write what a function makes of files."""
    result, notes = run_tool(work, options, parts)
    write_output(result, notes, options)


def run_tool(work: Callable[..., T], options: argparse.Namespace, parts: Parts | None = None) -> T:
    """What a function makes of files, of which one may be standard input."""
    files = [getattr(options, name, None) for name in INPUTS]
    check_single_stdin(*files, *getattr(options, "intents", ()))
    return call(work, options, parts, run=getattr(options, "result_file", None))


def write_output(
    result: str | list[str] | dict[str, str], notes: Iterable[Note], options: argparse.Namespace
) -> None:
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


def add_messages(p: Any) -> None:
    """The options of programs of the Web track that print a message."""
    p.add_argument("-help", action="help", help="the same as -h")
    p.add_argument("-v", "-version", action="version", version=f"cranfield {cranfield.__version__}")
