"""The ways a user can be told that something is wrong."""

from __future__ import annotations

from typing import Any, get_args


class CranfieldError(Exception):
    """A user's mistake, said in one sentence. The command line prints it and exits with 2."""


class InputError(CranfieldError):
    """Something found in the input is not what was expected there.

    Reads as ``file:line: found …, expected …``; `where` and `line` are left out when unknown.
    A `hint` says what the user may have meant; it names options of `cranfield evaluate`.
    """

    def __init__(
        self,
        found: object,
        expected: object,
        where: object = None,
        line: int | None = None,
        hint: str = "",
    ) -> None:
        self.found, self.expected, self.line = str(found), str(expected), line
        self.where = None if where is None else str(where)
        place = "" if where is None else f"{where}" + (f":{line}" if line else "") + ": "
        self.plain, self.hint = f"{place}found {found}, expected {expected}", hint
        super().__init__(self.plain + (f" ({hint})" if hint else ""))


def one_of(name: str, value: object, choices: Any) -> None:
    """Refuse a setting that is none of its choices.

    >>> one_of("topics", "all", ("judged", "common"))
    Traceback (most recent call last):
    cranfield.errors.InputError: found topics='all', expected one of judged, common
    """
    known = get_args(choices) or choices  # of a Literal, or as they are
    if value not in known:
        raise InputError(f"{name}={value!r}", f"one of {', '.join(known)}")


class RepetitionError(InputError):
    """A document stands in a list, or among the judgments of a topic, twice."""

    def __init__(
        self,
        doc: str,
        found: str,
        expected: str,
        where: str | None,
        line: int | None,
        hint: str = "",
    ) -> None:
        super().__init__(found, expected, where, line, hint)
        self.doc = doc
