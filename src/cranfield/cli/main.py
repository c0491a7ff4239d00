"""The `cranfield` command."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import cranfield
from cranfield.errors import CranfieldError

COMMANDS = ("evaluate", "validate", "measures", "explain", "simulate")


def parser(commands_needed: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Commands and their options: all of them, or those that are needed."""
    top = argparse.ArgumentParser(
        prog="cranfield",
        description="Which search system is better, and how sure are we?",
        epilog="`cranfield COMMAND -h` explains a command. "
        "Exit codes: 0 fine, 2 bad input or usage.",
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
    options = parser(asked or COMMANDS).parse_args(arguments)
    try:
        return int(options.run(options))
    except CranfieldError as error:
        print(error, file=sys.stderr)
        return 2


def entry() -> None:
    """What the installed command calls."""
    gc.disable()  # a command soon ends, and its memory with it
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
