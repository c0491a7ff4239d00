"""Lines of text, their fields, and identifiers and numbers in cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sized
from functools import partial
from typing import Any, NamedTuple

from cranfield.data.reading.source import NO_DATA, Source
from cranfield.errors import InputError

NUMBER = "a finite number"
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # first bytes of UTF-16 text
STARTS = {  # first bytes of files that are not UTF-8 text, and the fix
    **dict.fromkeys(UTF16, "for UTF-16 text, use iconv -f UTF-16 -t UTF-8"),
    b"\x93NUM": "write NumPy arrays with np.savetxt",
}
BLANK = " \t\n\r\v\f"  # removed around a field; other Unicode spaces belong to the field


def scan_lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str | InputError]]:
    """Yield (number, line or error) of lines, without blank lines, comments and descriptions."""
    limit = source.limits.line
    with source.open_checked() as stream:
        raw_lines = iter(partial(stream.readline, limit + 1), b"")
        for number, raw in enumerate(raw_lines, source.get_line_number(1)):
            if len(raw) > limit and raw[-1:] != b"\n":
                yield number, source.make_long_line_error(number)
                return
            if not raw.strip() or (comments and NO_DATA.match(raw)):
                continue
            if number == 1 and raw.startswith(UTF16):
                problem = "file is UTF-16, expected UTF-8"
                fix = "Convert it with `iconv -f UTF-16 -t UTF-8`."
                yield number, InputError.from_problem(problem, fix, source.name, number)
                return
            try:
                yield number, raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield (
                    number,
                    make_encoding_error(raw[error.start : error.start + 4], source, number),
                )


def iter_text_lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of lines with content. Raise the error of an unreadable line."""
    for number, line in scan_lines(source, comments):
        if isinstance(line, InputError):
            raise line
        yield number, line


def make_encoding_error(raw: bytes, source: Source, line: int | None) -> InputError:
    """Return the error for bytes that are not UTF-8."""
    actual = f"bytes that are not UTF-8 ({raw!r})"
    hint = next((advice for start, advice in STARTS.items() if raw.startswith(start)), "")
    return InputError(actual, "UTF-8 text", source.name, line, hint)


SEPARATOR_NAMES = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "space": " ",
}


def to_separator(name: str | None) -> str | None:
    r"""Return the separator with a name. Other texts are separators themselves.

    >>> to_separator("tab"), to_separator(r"\t"), to_separator("::")
    ('\t', '\t', '::')
    """
    return None if name is None else SEPARATOR_NAMES.get(name, name)


def split_fields(line: str, separator: str | None) -> list[str]:
    """Split a line at ASCII whitespace, or at separators."""
    if separator is not None:
        return [field.strip(BLANK) for field in line.split(separator)]
    return [field.decode() for field in line.encode().split()]


def parse_identifier(cell: Any) -> str | None:
    """Return the identifier in a cell, a string or an integer, or None."""
    if cell.__class__ is str and cell.isascii():  # the usual case
        return cell or None
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        return None
    try:
        return str(cell) if str(cell).encode() else None
    except UnicodeEncodeError:  # JSON can contain surrogates
        return None


def parse_finite(value: Any) -> float | None:
    """Return the finite number in a text or a value, or None.

    >>> parse_finite("2.5"), parse_finite("1_000"), parse_finite("１"), parse_finite("nan")
    (2.5, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None  # valid in Python, but not in files
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def parse_integer(value: Any, low: int = 0) -> int | None:
    """Return the integer that a text or a value represents if it is at least `low`, or None.

    >>> parse_integer("2"), parse_integer(2.0), parse_integer(2.5), parse_integer("0", 1)
    (2, 2, None, None)
    """
    number = parse_finite(value)
    return int(number) if number is not None and number >= low and number % 1 == 0 else None


def to_number(value: Any) -> float | None:
    """Return the finite number that a value is, or None. Texts and booleans are not numbers.

    >>> to_number(2**53 + 1), to_number("1"), to_number(True)
    (9007199254740992.0, None, None)
    """
    if isinstance(value, str | bytes) or str(getattr(value, "dtype", "")).endswith("bool"):
        return None
    return parse_finite(value)


def truncate_text(text: str, quote: bool = True) -> str:
    """Return a text for an error message, at most 60 characters long."""
    excerpt = text if len(text) <= 60 else text[:57] + "…"
    return repr(excerpt) if quote else excerpt


def format_value(value: Any) -> str:
    """Return the repr of a value for an error, truncated if it is long."""
    return truncate_text(repr(value), quote=False)


class Line(NamedTuple):
    """The cells of one line by column."""

    location: str
    number: int | None  # None in formats without lines
    cells: Mapping[str, Any]

    def make_error(self, actual: str, expected: str, hint: str = "") -> InputError:
        """Return the error "found …, expected …" for this line."""
        return InputError(actual, expected, self.location, self.number, hint)

    def make_problem(self, problem: str, fix: str = "") -> InputError:
        """Return the error "problem. Fix." for this line."""
        return InputError.from_problem(problem, fix, self.location, self.number)

    def make_duplicate_error(self, item: str, first: int | None = None) -> InputError:
        """Return the error for an item that was read before, on line `first`."""
        return self.make_problem(f"duplicate {item}{format_first_line(first)}")

    def get_name(self, column: str) -> str:
        """Return the identifier in a cell. Raise InputError if it has none."""
        name = parse_identifier(self.cells[column])
        if name is None or not name.strip(BLANK):
            raise self.make_error(f"{column} {self.cells[column]!r}", "an identifier")
        return name

    def get_number(self, column: str, expected: str = NUMBER, low: float = -math.inf, actual: str = "") -> float:
        """The number in a cell, at least `low`; `actual` is what messages say of another."""
        number = parse_finite(self.cells[column])
        if number is None or number < low:
            raise self.make_error(actual or f"{column} {self.cells[column]!r}", expected)
        return number


def format_first_line(line: int | None) -> str:
    """Format the line number of the first occurrence."""
    return f" (first on line {line})" if line else ""


def check_not_empty(items: Sized, noun: str, location: str, expected: str = "at least one") -> None:
    """Raise InputError if a collection is empty."""
    if not len(items):
        raise InputError(f"no {noun}", expected, location)
