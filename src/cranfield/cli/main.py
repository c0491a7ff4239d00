"""The `cranfield` command."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import cranfield
from cranfield.cli.commands import COMMANDS, Command
from cranfield.cli.messages import (
    FORMATS,
    OPTION,
    TRACEBACK,
    get_error_format,
    strip_error_format,
    use_error_format,
    write_error,
    write_exception,
)
from cranfield.cli.parser import Parser, Top
from cranfield.cli.paths import check_outputs
from cranfield.data.files import reopen_closed_streams, track_inputs
from cranfield.data.reading.source import reading_limits
from cranfield.errors import CranfieldError, InputError, UserCodeError
from cranfield.kernel import USED
from cranfield.lazy_imports import load
from cranfield.wording import use_flags

OWN_OPTIONS = ("trec_eval",)  # which argparse cannot read: the module has a main of its own
NO_OPTIONS = (*OWN_OPTIONS, "help")


def build_parser(command_names: Sequence[str] = ()) -> argparse.ArgumentParser:
    """All commands by name, and the options of those that are asked for."""
    top = Top(
        prog="cranfield",
        description="Which search system is better, and how sure are we?",
        usage="cranfield COMMAND [options] FILE…",
        epilog="`cranfield help COMMAND` explains a command, `cranfield completion SHELL` makes a "
        "shell complete what is typed. "
        "Exit codes: 0 fine, 1 a comparison asked to fail, 2 bad input or usage.",
    )
    top.add_argument(
        "--version", action="version", version=f"cranfield {cranfield.__version__} ({USED})"
    )
    top.add_argument(OPTION, choices=FORMATS)
    top.row = COMMANDS["evaluate"]  # a good example
    top.set_defaults(quiet=False, verbose=False, max_line=None, max_expansion=None)
    create_parser: Any = partial(_create_parser, command_names)
    commands = top.add_subparsers(
        metavar="COMMAND", required=True, parser_class=create_parser, prog="cranfield"
    )
    for name, row in COMMANDS.items():
        command = partial(commands.add_parser, name, help=row.does)
        if name in command_names and name not in NO_OPTIONS:
            _declare(command, row)
        else:  # which need not be imported
            command()
    if "help" in command_names:
        commands.choices["help"].add_argument(
            "command", metavar="COMMAND", nargs="*", choices=COMMANDS
        )
    return top


def _create_parser(command_names: Sequence[str], **settings: Any) -> Parser | None:
    """Of a command, if it is asked for: the others are listed by their names."""
    return Parser(**settings) if settings["prog"].split()[1] in command_names else None


def _import_command(command: str) -> Any:
    return import_module(f"cranfield.cli.{command}")


def _declare(command: Callable[..., Parser], row: Command) -> None:
    """Tell argparse of a command: what it can do, its parts, or its options."""
    from cranfield.cli.arguments import add_command, add_parts
    from cranfield.cli.options import add_actions

    module = _import_command(row.name)
    p = command(**getattr(module, "TOLD", {}))
    if hasattr(module, "add_to"):
        module.add_to(p)
    elif hasattr(module, "ACTIONS"):
        add_actions(p, module.ACTIONS, module.run, module.SETTINGS, row.parts)
    elif hasattr(module, "PARTS"):
        add_parts(p, row, module.PARTS)
    else:
        add_command(p, module.OPTIONS, module.run)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = argparse.Namespace()
    words = sys.argv[1:] if arguments is None else list(arguments)
    with use_error_format(get_error_format(words)), use_flags():
        try:
            return _run(strip_error_format(words), options)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # such as a panic of Polars, which is no Exception
            if isinstance(error, OSError) and error.filename is None:
                raise  # standard output: see `entry`
            traced = getattr(options, "verbose", False) or bool(os.environ.get(TRACEBACK))
            write_exception(error, 2, traced)
            return 2


def _run(arguments: Sequence[str], options: argparse.Namespace) -> int:
    """Run a command; the options are those that it finds."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "-h"]
    words = [word for word in arguments if not word.startswith("-")][:1]
    if words and words == arguments[:1] and words[0] in OWN_OPTIONS:
        return int(_import_command(words[0]).main(arguments[1:]))
    top = build_parser(words)
    if not arguments:
        print(top.format_help(), end="")
        top.error("found no command, expected one of these")
    top.parse_args(arguments, options)
    options.arguments = ["cranfield", *arguments]
    if package := COMMANDS[words[0]].needs:
        load(package)
    if "declared" in options:
        check_outputs(options)
    load_files(getattr(options, "imports", None) or ())
    with reading_limits(options.max_line, options.max_expansion), track_inputs():
        return int(options.run(options) or 0)  # most commands do not choose their code


def load_files(paths: Sequence[str]) -> None:
    """Run the files, so that what they define is known."""
    from importlib.util import module_from_spec, spec_from_file_location

    for number, path in enumerate(paths):
        spec = spec_from_file_location(f"_imported_{number}", path)
        if spec is None or spec.loader is None:
            raise InputError("a file that is not Python", "a name that ends in .py", path)
        module = module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look there for what annotations mean
        try:
            spec.loader.exec_module(module)
        except CranfieldError as error:
            raise CranfieldError(f"{path}: {error}") from None
        except FileNotFoundError:
            raise InputError("no such file", "a Python file", path) from None
        except (Exception, SystemExit) as error:
            raise UserCodeError(error, path, _find_line(error, path)) from error


def _find_line(error: BaseException, path: str) -> int | None:
    """Where in a file an error arose."""
    from traceback import extract_tb

    places = [(f.filename, f.lineno) for f in extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    lines = [line for file, line in places if file == os.path.abspath(path)]
    return lines[-1] if lines else None


def entry() -> NoReturn:
    """What the installed command calls.

    A command soon ends, and its memory with it: neither the collection of cycles nor the tidy
    end of the interpreter, which frees every object by itself, is worth the wait.
    """
    gc.disable()
    reopen_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):  # as all that is written: see `encoded`
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = main()
        sys.stdout.flush()
    except SystemExit as stop:  # argparse, after help or a wrong option
        code = stop.code if isinstance(stop.code, int) else 2
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        code = 0
    except OSError as error:  # standard output cannot be written to,
        sys.stdout = io.StringIO()  # nor what it still holds, before it is said
        with suppress(OSError), use_error_format(get_error_format(sys.argv[1:])):
            write_error("output", f"cannot write: {error.strerror}", 2)
        code = 2
    except KeyboardInterrupt:
        code = 130
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
