"""Exceptions for user errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any, get_args


class CranfieldError(Exception):
    """Error caused by user input, reported in one line with exit code 2."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling for process pools, independent of the constructor's arguments."""
        return _restore, (type(self), (str(self),), self.__dict__)


def _restore(cls: type[CranfieldError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class MeasureError(CranfieldError):
    """Unknown or invalid measure.

    The message is computed on first use, because the search for similar names is slow.
    """

    def __init__(self, message: Callable[..., str], *values: object) -> None:
        super().__init__(message, *values)

    def __str__(self) -> str:
        message, *values = self.args
        return _escape_newlines(message(*values) if callable(message) else message)


def _escape_newlines(text: str) -> str:
    return text.replace("\n", "\\n")


class InputError(CranfieldError):
    """Invalid input.

    The message is ``file:line: found …, expected …``. The place is omitted if `where` is None.
    `hint` is a possible fix. `wording.format_option` names options in a hint. Use
    `InputError.from_problem` for a message with a problem and its fix.
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
        text, self.hint = _escape_newlines(self.found), hint
        if self.expected:
            self.message = f"{place}found {text}, expected {expected}"
            super().__init__(self.message + (f" ({hint})" if hint else ""))
        else:
            self.message = place + text
            super().__init__(self.message + (f". {hint}" if hint else ""))

    @classmethod
    def from_problem(cls, problem: str, fix: str = "", where: object = None, line: int | None = None) -> InputError:
        """Return an error with the message ``file:line: problem. Fix.``

        >>> InputError.from_problem("file is empty", where="empty.txt")
        InputError('empty.txt: file is empty')
        >>> print(InputError.from_problem("duplicate document 'd1'", "Use X.", "r.txt", 2))
        r.txt:2: duplicate document 'd1'. Use X.
        """
        return cls(problem, "", where, line, fix)


class FileError(CranfieldError):
    """Failed file access: ``cannot read runs/bm25: permission denied``."""

    def __init__(self, verb: str, where: object, reason: str) -> None:
        self.where, self.reason = str(where), reason
        super().__init__(f"cannot {verb} {where}: {reason}")


class MissingPackage(CranfieldError, ImportError):
    """Missing optional package: see `cranfield.lazy_imports`.

    The message has the extra that contains the package, and the command that installs the package
    for the running Python. The command names this Python because ``pip`` can belong to another one.
    It names packages and not the extra because a package index may not have cranfield. Shells of
    Unix and Windows accept the same quotation marks.
    """

    def __init__(self, needed: str, extra: str, packages: Sequence[str]) -> None:
        import shlex

        requirements = " ".join(f'"{package}"' for package in packages)
        self.needed, self.extra = needed, f"cranfield[{extra}]"
        self.command = f"{shlex.quote(shorten_path(sys.executable))} -m pip install {requirements}"
        super().__init__(f"{needed} ({self.extra}): {self.command}")


def check_choice(name: str, value: object, choices: Any) -> None:
    """Raise InputError unless the value is a valid choice.

    >>> check_choice("topics", "all", ("judged", "common"))
    Traceback (most recent call last):
    cranfield.errors.InputError: found topics='all', expected one of judged, common
    """
    valid_names = get_args(choices) or choices  # a Literal, or a sequence of choices
    if not is_one_of(value, valid_names):
        raise InputError(f"{name}={describe_value(value)}", f"one of {', '.join(valid_names)}")


def is_one_of(value: object, choices: Iterable[object]) -> bool:
    """Return True if a value is among the choices. Arrays, frames and lists never are.

    >>> is_one_of("t", ("t", None)), is_one_of(["t"], ("t", None)), is_one_of(None, ("t", None))
    (True, False, True)
    """
    return isinstance(value, str | int | float | None) and value in choices


def is_hashable(value: object) -> bool:
    """Return True if a value can be a name, such as a string or a number."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def describe_value(value: object) -> str:
    """Return the repr of a value if it is short, otherwise the name of its type.

    >>> describe_value("t"), describe_value(list(range(100)))
    ("'t'", 'list')
    """
    text = repr(value)
    return text if len(text) <= MAX_REPR and "\n" not in text else type(value).__name__


MAX_REPR = 60  # maximum length of a value in a message


def check_number(name: str, value: object, expected: str = "a number") -> None:
    """Raise an error if a value is not a real number.

    >>> check_number("alpha", "0.05")
    Traceback (most recent call last):
    cranfield.errors.InputError: found alpha='0.05', expected a number
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name}={describe_value(value)}", expected)


def to_list(name: str, value: Any, expected: str) -> list[Any]:
    """Return the elements of a collection. Raise InputError for other values.

    >>> to_list("gold", 5, "measures")
    Traceback (most recent call last):
    cranfield.errors.InputError: found gold=5, expected measures
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name}={describe_value(value)}", expected)
    return [*value]


class DuplicateError(InputError):
    """Duplicate document in a ranking or in the judgments of a topic."""

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

    def with_hint(self, hint: str) -> DuplicateError:
        """Return the same error with another hint."""
        values = (self.doc, self.found, self.expected, self.where, self.line)
        return DuplicateError(*values, hint)


# -- custom code ------------------------------------------------------------------------------


class UserCodeError(CranfieldError):
    """Exception in a custom measure, user model or labelling strategy.

    The message is ``mine.py:5: TypeError: …``. The original exception is the ``__cause__``.
    """

    def __init__(self, error: BaseException, where: str, line: int | None) -> None:
        self.error, self.where, self.line = error, where, line
        place = f"{where}:{line}" if line else where
        super().__init__(f"{place}: {format_error(error)}")


def format_error(error: BaseException) -> str:
    r"""Format an exception as one line: type and message.

    >>> format_error(ValueError("no\nnumber")), format_error(MemoryError())
    ('ValueError: no number', 'MemoryError')
    """
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return ": ".join(filter(None, (type(error).__name__, " ".join(message.split()))))


@contextmanager
def wrap_user_errors(cls: type) -> Iterator[None]:
    """Raise UserCodeError for exceptions from a custom class.

    If the traceback contains the module of the class, the error names the last line there.
    Other exceptions are unchanged.
    """
    try:
        yield
    except CranfieldError:
        raise
    except Exception as error:
        from traceback import walk_tb

        own_packages = ("cranfield", "builtins")
        user_modules = {c.__module__ for c in cls.__mro__ if c.__module__.split(".")[0] not in own_packages}
        for frame, line in reversed([*walk_tb(error.__traceback__)]):
            if frame.f_globals.get("__name__") in user_modules:
                raise UserCodeError(error, shorten_path(frame.f_code.co_filename), line) from error
        raise


def shorten_path(path: str) -> str:
    """Return the path relative to the current directory if the file is inside it."""
    return path.removeprefix(os.path.join(os.getcwd(), ""))


def warn_renamed(former: str, name: str) -> None:
    """Warn that a public name was replaced."""
    import warnings

    message = f"{former} is deprecated. Use {name}."
    warnings.warn(message, DeprecationWarning, stacklevel=3)
