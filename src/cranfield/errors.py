"""The ways a user can be told that something is wrong."""

from __future__ import annotations


class CranfieldError(Exception):
    """A user's mistake, said in one sentence. The command line prints it and exits with 2."""


class InputError(CranfieldError):
    """Something found in the input is not what was expected there.

    Reads as ``file:line: found …, expected …``; `where` and `line` are left out when unknown.
    A `hint` says what the user may have meant; it names options of `cranfield evaluate`.
    """

    def __init__(
        self,
        found: str,
        expected: str,
        where: str | None = None,
        line: int | None = None,
        hint: str = "",
    ) -> None:
        self.found, self.expected, self.where, self.line = found, expected, where, line
        place = "" if where is None else where + (f":{line}" if line else "") + ": "
        self.plain, self.hint = f"{place}found {found}, expected {expected}", hint
        super().__init__(self.plain + (f" ({hint})" if hint else ""))


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
