"""The `cranfield` command."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import cranfield
from cranfield.cli.options import import_files
from cranfield.data.files import reopen_closed_streams
from cranfield.errors import CranfieldError, UserCodeError

COMMANDS = {  # what each does, in a line; its options and its work are in the module of that name
    "evaluate": "score runs against judgments",
    "compare": "which run is better, and how sure are we?",
    "plan": "how many topics are needed, and what a number of topics can show",
    "meta": "can the measure, the judgments, the collection be trusted?",
    "label": "lists with the label of each document, next to what was missed",
    "validate": "list every problem of judgments and runs, with its line",
    "measures": "list all measures",
    "explain": "formula, parameters and reference of a measure; how a score comes about",
    "presets": "list the presets: what tasks evaluate with",
    "plot": "draw pictures: what user models believe, and where diversified runs stand",
    "assess": "consolidate several assessors' labels, or measure how they agree",
    "pool": "pool the top documents of runs, and see who contributed what",
    "simulate": "write a realistic synthetic test collection",
    "session": "score sessions of several queries, or click logs",
    "text": "score summaries and answers",
    "distribution": "score distributions over labels against those of people",
    "hierarchy": "score subtopics of two levels (H-measure)",
    "cwl_eval": "cwl_eval: five measurements of each topic and user model",
    "gdeval": "gdeval: nDCG and ERR of each topic, as CSV",
    "letor": "LETOR's tools: P@n, MAP and NDCG@n of predictions, and a t-test",
    "ndeval": "ndeval: diversity and novelty of each topic, as CSV",
    "ntcir_eval": "NTCIREVAL's ntcir_eval: label, compute, glabel, dinlabel, gcompute, irec, "
    "1click",
    "ntcir": "NTCIREVAL's scripts: topic directories, all topics of many runs, means, matrices",
    "trec_eval": "trec_eval 10, with its options and output",
}
OWN_OPTIONS = ("trec_eval",)  # which argparse cannot read: the module has a main of its own


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (`{self.prog} -h` explains)\n")


def parser(asked: Sequence[str] = ()) -> argparse.ArgumentParser:
    """All commands by name, and the options of those that are asked for."""
    top = Parser(
        prog="cranfield",
        description="Which search system is better, and how sure are we?",
        epilog="`cranfield COMMAND -h` explains a command. "
        "Exit codes: 0 fine, 1 a comparison asked to fail, 2 bad input or usage.",
    )
    top.add_argument("--version", action="version", version=f"cranfield {cranfield.__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = partial(commands.add_parser, name, help=text)
        if name in asked and name not in OWN_OPTIONS:
            _module(name).add_to(command)
        else:  # which need not be imported
            command()
    return top


def _module(command: str) -> Any:
    return import_module(f"cranfield.cli.{command}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    first, options = arguments[0] if arguments else "", argparse.Namespace()
    try:
        if first in OWN_OPTIONS:
            return int(_module(first).main(arguments[1:]))
        words = [word for word in arguments if not word.startswith("-")]
        options, rest = parser(words[:1]).parse_known_args(arguments)
        if rest:
            text = " ".join(arguments[: 2 if first == "meta" else 1]) if first in COMMANDS else ""
            command = Parser(prog=f"cranfield {text}".rstrip())
            command.error(f"found {' '.join(rest)}, which it does not know")
        if getattr(options, "imports", ()):
            import_files(options.imports)
        return int(options.run(options) or 0)  # most commands do not choose their code
    except CranfieldError as error:
        if isinstance(error, UserCodeError) and getattr(options, "verbose", False):
            from traceback import print_exception

            print_exception(error.__cause__)
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
