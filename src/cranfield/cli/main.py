"""The `cranfield` command."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import cranfield
from cranfield.cli.commands import COMMANDS
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
from cranfield.cli.parser import Parser, Part
from cranfield.cli.paths import check_outputs
from cranfield.cli.record import needs_recording, record_command
from cranfield.data.files import reopen_closed_streams, track_inputs
from cranfield.data.reading.columns import parse_columns
from cranfield.data.reading.source import reading_limits
from cranfield.data.reading.user_columns import UserColumns, use_columns
from cranfield.errors import CranfieldError, InputError, UserCodeError
from cranfield.kernel import USED
from cranfield.lazy_imports import load
from cranfield.options import argument, option, switch
from cranfield.wording import use_flags

OWN_PARSERS = ("trec_eval",)  # the module has a main function of its own
TOP = Part(
    "",
    (
        switch(
            "--version",
            "show the version, and end",
            value="version",
            const=f"cranfield {cranfield.__version__} ({USED})",
        ),
        option(OPTION, "", None, choices=FORMATS),
    ),
    usage="cranfield COMMAND [options] FILE…",
    description="Evaluate search, RAG and ranking systems.",
    epilog="Details: `cranfield COMMAND --help`. Exit codes 0 ok, 1 failed check, 2 error.",
    example="\n".join(f"{name} {COMMANDS[name].examples[0]}" for name in ("evaluate", "compare")),
    parts=tuple(Part(name, help=row.does) for name, row in COMMANDS.items()),
    metavar="COMMAND",
)
HELP = Part("help", (argument("command", "COMMAND", "the command", nargs="*", choices=tuple(COMMANDS)),))


def load_command(name: str) -> Part:
    """Return a command with its options, from the module of its name."""
    if name == "help":
        return HELP
    row, module = COMMANDS[name], import_module(f"cranfield.cli.{name}")
    if name in OWN_PARSERS:
        return Part(name, help=row.does)
    texts = getattr(module, "HELP_TEXTS", {})
    if hasattr(module, "PARTS"):
        return Part(name, help=row.does, parts=module.PARTS, metavar=row.parts, **texts)
    abbreviate = not row.is_native
    return Part(name, module.OPTIONS, module.run, row.does, abbreviate=abbreviate, **texts)


def find_parser(words: Sequence[str]) -> tuple[Parser, Sequence[str]]:
    """Return the parser of the command that is named in some words, and the other words."""
    parser = Parser(TOP)
    while parser.part.parts:
        part, words = parser.choose_part(words)
        if parser.part is TOP:
            part = load_command(part.name)
        parser = Parser(part, f"{parser.prog} {part.name}")
    return parser, words


def list_parsers(names: Iterable[str] = COMMANDS) -> Iterator[Parser]:
    """Yield the parsers of commands and of all their parts."""
    parsers = [Parser(load_command(name), f"cranfield {name}") for name in names]
    while parsers:
        yield (parser := parsers.pop(0))
        parsers[:0] = [Parser(part, f"{parser.prog} {part.name}") for part in parser.part.parts]


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
    """Run a command; the options are set while they are parsed."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "-h"]
    if arguments and arguments[0] in OWN_PARSERS:
        return int(import_module(f"cranfield.cli.{arguments[0]}").main(arguments[1:]))
    if not arguments:
        print(Parser(TOP).format_help(), end="")
    for name in ("quiet", "verbose", "max_line", "max_expansion"):
        setattr(options, name, None)
    parser, words = find_parser(arguments)
    parser.parse(words, options)
    options.arguments = ["cranfield", *arguments]
    row = COMMANDS[parser.prog.split()[1]]
    if row.needs:
        load(row.needs)
    check_outputs(options)
    load_files(getattr(options, "imports", None) or ())
    columns = parse_columns(getattr(options, "columns", None)) if row.is_native else {}
    with reading_limits(options.max_line, options.max_expansion), track_inputs(), use_columns(columns) as used_columns:
        if needs_recording(options, row.name):
            return record_command(parser, words, options, partial(_run_part, parser, options, used_columns))
        return _run_part(parser, options, used_columns)


def compute_again(arguments: Sequence[str]) -> Any:
    """Run a command without output and return what it read and computed, see `cli.record`."""
    options = argparse.Namespace(recorded=True)
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(output), redirect_stderr(output), use_flags():
        try:
            _run(arguments, options)
        except SystemExit:  # argparse, after a wrong option
            raise CranfieldError(f"the command cannot be run: {' '.join(arguments)}") from None
    return options.recording


def _run_part(parser: Parser, options: argparse.Namespace, columns: UserColumns) -> int:
    """Run the command with values instead of words."""
    if parser.is_native:
        from cranfield.cli.arguments import resolve_arguments

        resolve_arguments(options)
    assert parser.part.run is not None  # noqa: S101
    code = int(parser.part.run(options) or 0)  # most commands do not choose their code
    columns.reject_unused()
    if not options.quiet:
        _write_column_notes(columns)
    return code


def _write_column_notes(columns: UserColumns) -> None:
    """Write the choices among several columns."""
    if columns.doubts:
        from cranfield.cli.messages import write_notes
        from cranfield.scores import Note

        write_notes([Note("columns", f"{location}: {text}") for location, text in columns.doubts.items()])


def load_files(paths: Sequence[str]) -> None:
    """Run the files, so that what they define is known."""
    from importlib.util import module_from_spec, spec_from_file_location

    for number, path in enumerate(paths):
        spec = spec_from_file_location(f"_imported_{number}", path)
        if spec is None or spec.loader is None:
            raise InputError.from_problem("file name does not end in .py", where=path)
        module = module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look there for what annotations mean
        try:
            spec.loader.exec_module(module)
        except CranfieldError as error:
            raise CranfieldError(f"{path}: {error}") from None
        except FileNotFoundError:
            raise InputError.from_problem("no such file", where=path) from None
        except (Exception, SystemExit) as error:
            raise UserCodeError(error, path, _find_line(error, path)) from error


def _find_line(error: BaseException, path: str) -> int | None:
    """Return the line of a file in which an error was raised, or None."""
    from traceback import extract_tb

    places = [(f.filename, f.lineno) for f in extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    lines = [line for file, line in places if file == os.path.abspath(path)]
    return lines[-1] if lines else None


def entry() -> NoReturn:
    """Run the installed command and exit with its code.

    The process ends soon after: skip the garbage collection of cycles and the interpreter's
    cleanup, which frees every object one by one.
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
