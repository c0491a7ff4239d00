"""Messages on standard error, as text or JSON (`--errors json`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cranfield.data.reading.source import make_read_error
from cranfield.errors import (
    CranfieldError,
    FileError,
    InputError,
    MissingPackage,
    UserCodeError,
    format_error,
)
from cranfield.wording import escape_unprintable

if TYPE_CHECKING:
    from cranfield.scores import Note

OPTION, ENVIRONMENT = "--errors", "CRANFIELD_ERRORS"
FORMATS = ("text", "json")
TRACEBACK = "CRANFIELD_TRACEBACK"  # in the environment, as some commands have a -v of their own
KINDS = {  # what programs are told of an error; the first that fits
    MissingPackage: "missing-package",
    FileError: "file",
    InputError: "input",
    UserCodeError: "user-code",
    CranfieldError: "refused",
    MemoryError: "memory",
    BaseException: "internal",
}
# What the words of a mistake in options say, one by one.
USAGE = re.compile(r"found (.+?)(?:, expected (.+?))?(?:; (did you .+))?")

_form = ContextVar("form", default="text")


def get_error_format(words: Sequence[str]) -> str:
    """Return the error format set by the arguments or the environment.

    It is needed before the options are parsed, for errors in options.
    """
    values = [value for word, value in pairwise(words) if word == OPTION]
    values += [word.partition("=")[2] for word in words if word.startswith(f"{OPTION}=")]
    return [os.environ.get(ENVIRONMENT, "text"), *values][-1]


def strip_error_format(words: list[str]) -> list[str]:
    """Return the words without --errors in front of the command."""
    for n, begin in ((2, [OPTION, *FORMATS]), (1, [f"{OPTION}={form}" for form in FORMATS])):
        if len(words) >= n and all(word in begin for word in words[:n]):
            return words[n:]
    return words


@contextmanager
def use_error_format(form: str) -> Iterator[None]:
    """Use this format for all messages in the block."""
    token = _form.set(form)
    try:
        yield
    finally:
        _form.reset(token)


def is_json() -> bool:
    """Return True if messages are JSON."""
    return _form.get() == "json"


def write_message(level: str, kind: str, lines: Iterable[str], **fields: Any) -> None:
    """Say something: its lines to people, an object with these fields to programs."""
    sys.stdout.flush()
    if not is_json():
        print(*lines, sep="\n", file=sys.stderr)
        return
    import json

    record = {"level": level, "kind": kind, "message": "\n".join(lines), **fields}
    print(json.dumps(record), file=sys.stderr)


def write_notes(notes: Iterable[Note], runs: int | None = None, verbose: bool = True) -> None:
    """Write notes; as text, the notes of many runs are summarized."""
    from cranfield.report.formats.terminal import format_note_lines
    from cranfield.scores import PRIORITY_KINDS

    if not is_json():
        sys.stdout.flush()
        for line in format_note_lines(notes, runs, verbose):
            print(line, file=sys.stderr)
        return
    for n in notes:
        level = "warning" if n.kind in PRIORITY_KINDS else "note"
        write_message(level, n.kind, [n.text], run=n.run, topics=[*n.topics])


# -- errors ---------------------------------------------------------------------------------------


def write_error(kind: str, message: str, code: int, display_lines: Sequence[str] = (), **fields: Any) -> None:
    """Write an error; `display_lines` replace the message in the text format."""
    defaults = dict.fromkeys(("file", "line", "found", "expected", "hint"))
    lines = [message] if is_json() else display_lines or [escape_unprintable(message)]
    write_message("error", kind, lines, **defaults | fields, exit=code)


def write_usage_error(command: str, message: str) -> None:
    """Write an error in the words of a command."""
    text, help = f"{command}: {message}", f"`{command} -h` explains"
    match = USAGE.fullmatch(message.partition(": ")[2] if message.startswith("arg") else message)
    value, expected, suggestion = match.groups() if match else (None, None, None)
    fields = {"found": value, "expected": expected, "hint": suggestion or help}
    write_error("usage", text, 2, [escape_unprintable(f"{text} ({help})")], **fields)


def write_unknown_error(command: str, kind: str, word: str, hint: str) -> None:
    """Report an option, a command or a part of a command that does not exist."""
    hint = hint or f"See `{command} --help`."
    label = word if kind == "option" else repr(word)
    write_error("usage", f"{command}: unknown {kind} {label}. {hint}", 2, found=word, hint=hint)


def write_exception(error: BaseException, code: int, traced: bool) -> None:
    """Write an exception, with its traceback if `traced`."""
    source = error.__cause__ if isinstance(error, UserCodeError) else error
    has_trace = traced and (source is not error or not isinstance(error, CranfieldError))
    fields: dict[str, Any] = {}
    if has_trace:
        from traceback import format_exception

        trace = "".join(format_exception(source))
        if is_json():
            fields["traceback"] = trace
        else:
            print(trace, end="", file=sys.stderr)
    if isinstance(error, OSError):
        error = make_read_error(os.fsdecode(error.filename), error)
    kind = next(kind for cls, kind in KINDS.items() if isinstance(error, cls))
    write_error(kind, _format_message(error), code, **_get_fields(error), **fields)


def _get_fields(error: BaseException) -> Mapping[str, Any]:
    """Return the fields of an error for JSON."""
    if isinstance(error, InputError):
        fields = {"file": error.where, "line": error.line, "hint": error.hint or None}
        return {**fields, "found": error.found, "expected": error.expected or None}
    if isinstance(error, UserCodeError):
        return {"file": error.where, "line": error.line, "found": format_error(error.error)}
    if isinstance(error, FileError):
        return {"file": error.where, "found": error.reason}
    if isinstance(error, MissingPackage):
        return {"expected": error.extra, "hint": error.command}
    return {}


def _format_message(error: BaseException) -> str:
    """Return the message of an exception; an unexpected one is a bug of cranfield."""
    if isinstance(error, CranfieldError):
        return str(error)
    if isinstance(error, MemoryError):
        detail = " ".join(str(error).split())
        return "out of memory" + (f": {detail[:1].lower()}{detail[1:]}" if detail else "")
    return f"cranfield failed: {format_error(error)} ({TRACEBACK}=1 shows where)"
