"""The `cranfield` command."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import cranfield
from cranfield.cli.options import import_files
from cranfield.data.files import reopen_closed_streams
from cranfield.errors import CranfieldError

COMMANDS = (
    "evaluate", "compare", "plan", "meta", "label", "validate", "measures", "explain", "presets",
    "plot", "assess", "pool", "simulate", "session", "text", "distribution", "hierarchy",
    "cwl_eval", "gdeval", "letor", "ndeval", "ntcir_eval", "ntcir", "trec_eval",
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (`{self.prog} -h` explains)\n")


def parser(commands_needed: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Commands and their options: all of them, or those that are needed."""
    top = Parser(
        prog="cranfield",
        description="Which search system is better, and how sure are we?",
        epilog="`cranfield COMMAND -h` explains a command. "
        "Exit codes: 0 fine, 1 a comparison asked to fail, 2 bad input or usage.",
    )
    top.add_argument("--version", action="version", version=f"cranfield {cranfield.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in commands_needed:
        import_module(f"cranfield.cli.{command}").add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    asked = [c for c in COMMANDS if arguments[:1] == [c]]  # the others need not be imported
    try:
        if arguments[:1] == ["trec_eval"]:  # whose options are getopt's
            from cranfield.cli import trec_eval

            return trec_eval.main(arguments[1:])
        options, rest = parser(asked or COMMANDS).parse_known_args(arguments)
        if rest:
            said = " ".join(arguments[: 2 if asked == ["meta"] else 1]) if asked else ""
            command = Parser(prog=f"cranfield {said}".rstrip())
            command.error(f"found {' '.join(rest)}, which it does not know")
        if getattr(options, "imports", ()):
            import_files(options.imports)
        return int(options.run(options))
    except CranfieldError as error:
        print(error, file=sys.stderr)
        return 2


def entry() -> NoReturn:
    """What the installed command calls.

    A command soon ends, and its memory with it: neither the collection of cycles nor the tidy
    end of the interpreter, which frees every object by itself, is worth the wait.
    """
    gc.disable()
    reopen_closed_streams()
    try:
        code = main()
        sys.stdout.flush()
    except SystemExit as stop:  # argparse, after help or a wrong option
        code = stop.code if isinstance(stop.code, int) else 2
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        code = 0
    except OSError as error:  # standard output cannot be written to
        with suppress(OSError):
            print(f"cannot write: {error.strerror}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        code = 130
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
