"""How drop-ins for other tools run: a function of `tools` says what to print or to write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import cranfield
from cranfield.cli.options import call, refuse_two_inputs
from cranfield.cli.output import write
from cranfield.cli.saying import say, say_notices
from cranfield.data.ntcir.nev import write_files
from cranfield.scores import Notice
from cranfield.tools.drop_ins import text_of
from cranfield.wording import printable

T = TypeVar("T")
Parts: TypeAlias = Mapping[str, Callable[..., Any]]
INPUTS = ("qrels", "result_file", "baseline", "costs", "metrics_file", "gold", "found", "test",
          "prediction", "path_a", "path_b")  # fmt: skip


def run(work: Callable[..., Any], options: argparse.Namespace, parts: Parts | None = None) -> None:
    """Print or write what a function makes of files."""
    made, notices = found(work, options, parts)
    put(made, notices, options)


def found(work: Callable[..., T], options: argparse.Namespace, parts: Parts | None = None) -> T:
    """What a function makes of files, of which one may be standard input."""
    files = [getattr(options, name, None) for name in INPUTS]
    refuse_two_inputs(*files, *getattr(options, "intents", ()))
    return call(work, options, parts, run=getattr(options, "result_file", None))


def put(
    made: str | list[str] | dict[str, str], notices: Iterable[Notice], options: argparse.Namespace
) -> None:
    """Write files, by their paths, or print a text, which may come as lines."""
    if isinstance(made, dict):
        write_files(made)
        for path in made:
            say("note", "created", [f"created {printable(path)}"], file=path)
    say_notices(notices)
    if not isinstance(made, dict):
        output = getattr(options, "output", None)
        text = made if isinstance(made, str) else text_of(made)
        write(text, None if output == "-" else output)


def add_messages(p: Any) -> None:
    """The options of programs of the Web track that print a message."""
    p.add_argument("-help", action="help", help="the same as -h")
    p.add_argument("-v", "-version", action="version", version=f"cranfield {cranfield.__version__}")
