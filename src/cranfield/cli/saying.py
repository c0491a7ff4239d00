"""What commands say beside their results, on standard error: lines for people, or JSON objects for
programs, one on each line (`--errors json`).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cranfield.data.reading.source import cannot_read
from cranfield.errors import (
    CranfieldError,
    FileError,
    InputError,
    MissingPackage,
    UserCodeError,
    in_one_line,
)
from cranfield.wording import printable

if TYPE_CHECKING:
    from cranfield.scores import Notice

OPTION, ENVIRONMENT = "--errors", "CRANFIELD_ERRORS"
FORMS = ("text", "json")
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


def asked(words: Sequence[str]) -> str:
    """The form that options ask for, or the environment: looked for before options are read, as
    mistakes in them are told in it, too.
    """
    given = [value for word, value in pairwise(words) if word == OPTION]
    given += [word.partition("=")[2] for word in words if word.startswith(f"{OPTION}=")]
    return [os.environ.get(ENVIRONMENT, "text"), *given][-1]


def before_command(words: list[str]) -> list[str]:
    """The words without what stands before the command, where other tools' commands have it."""
    for n, begin in ((2, [OPTION, *FORMS]), (1, [f"{OPTION}={form}" for form in FORMS])):
        if len(words) >= n and all(word in begin for word in words[:n]):
            return words[n:]
    return words


@contextmanager
def said_as(form: str) -> Iterator[None]:
    """All is said in this form meanwhile."""
    token = _form.set(form)
    try:
        yield
    finally:
        _form.reset(token)


def for_programs() -> bool:
    """Whether programs read what is said."""
    return _form.get() == "json"


def say(level: str, kind: str, lines: Iterable[str], **fields: Any) -> None:
    """Say something: its lines to people, an object with these fields to programs."""
    sys.stdout.flush()
    if not for_programs():
        print(*lines, sep="\n", file=sys.stderr)
        return
    import json

    told = {"level": level, "kind": kind, "message": "\n".join(lines), **fields}
    print(json.dumps(told), file=sys.stderr)


def say_notices(notices: Iterable[Notice], runs: int | None = None, every: bool = True) -> None:
    """What the user should know: programs are told all of it, people of many runs in brief."""
    from cranfield.report.formats.terminal import notice_lines
    from cranfield.scores import LOUD

    if not for_programs():
        sys.stdout.flush()
        for line in notice_lines(notices, runs, every):
            print(line, file=sys.stderr)
        return
    for n in notices:
        level = "warning" if n.kind in LOUD else "note"
        say(level, n.kind, [n.text], run=n.run, topics=[*n.topics])


# -- errors ---------------------------------------------------------------------------------------


def say_wrong(kind: str, message: str, code: int, shown: Sequence[str] = (), **fields: Any) -> None:
    """Say what is wrong; `shown` are the lines that people see in the place of the message."""
    known = dict.fromkeys(("file", "line", "found", "expected", "hint"))
    lines = [message] if for_programs() else shown or [printable(message)]
    say("error", kind, lines, **known | fields, exit=code)


def say_usage(command: str, message: str) -> None:
    """Say what is wrong with the words of a command."""
    whole, help = f"{command}: {message}", f"`{command} -h` explains"
    said = USAGE.fullmatch(message.partition(": ")[2] if message.startswith("arg") else message)
    found, expected, near = said.groups() if said else (None, None, None)
    fields = {"found": found, "expected": expected, "hint": near or help}
    say_wrong("usage", whole, 2, [printable(f"{whole} ({help})")], **fields)


def say_unknown(command: str, kind: str, word: str, hint: str) -> None:
    """Report an option, a command or a part of a command that does not exist."""
    hint = hint or f"See `{command} --help`."
    shown = word if kind == "option" else repr(word)
    say_wrong("usage", f"{command}: unknown {kind} {shown}. {hint}", 2, found=word, hint=hint)


def say_error(error: BaseException, code: int, traced: bool) -> None:
    """Say what an error is; if that is asked for, where it arose."""
    where = error.__cause__ if isinstance(error, UserCodeError) else error
    shown = traced and (where is not error or not isinstance(error, CranfieldError))
    fields: dict[str, Any] = {}
    if shown:
        from traceback import format_exception

        trace = "".join(format_exception(where))
        if for_programs():
            fields["traceback"] = trace
        else:
            print(trace, end="", file=sys.stderr)
    if isinstance(error, OSError):
        error = cannot_read(os.fsdecode(error.filename), error)
    kind = next(kind for cls, kind in KINDS.items() if isinstance(error, cls))
    say_wrong(kind, _message(error), code, **_fields(error), **fields)


def _fields(error: BaseException) -> Mapping[str, Any]:
    """What an error knows about itself."""
    if isinstance(error, InputError):
        known = {"file": error.where, "line": error.line, "hint": error.hint or None}
        return {**known, "found": error.found, "expected": error.expected or None}
    if isinstance(error, UserCodeError):
        return {"file": error.where, "line": error.line, "found": in_one_line(error.error)}
    if isinstance(error, FileError):
        return {"file": error.where, "found": error.reason}
    if isinstance(error, MissingPackage):
        return {"expected": error.extra, "hint": error.command}
    return {}


def _message(error: BaseException) -> str:
    """What a user is told of an error; most of those that nobody foresaw are mistakes of ours."""
    if isinstance(error, CranfieldError):
        return str(error)
    if isinstance(error, MemoryError):
        needed = " ".join(str(error).split())
        return "out of memory" + (f": {needed[:1].lower()}{needed[1:]}" if needed else "")
    return f"cranfield failed: {in_one_line(error)} ({TRACEBACK}=1 shows where)"
