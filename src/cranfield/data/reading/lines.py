"""Lines of text, their fields, and what the cells of a line hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sized
from functools import partial
from typing import Any, NamedTuple

from cranfield.data.reading.source import NO_DATA, Source
from cranfield.errors import InputError

NUMBER = "a finite number"
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # what such text begins with
STARTS = {  # of files that are no text, and what to do with them
    **dict.fromkeys(UTF16, "UTF-16, as Windows writes it? then iconv -f UTF-16 -t UTF-8"),
    b"\x93NUM": "an array of NumPy's? then write it with np.savetxt",
}
BLANK = " \t\n\r\v\f"  # what surrounds a field; any other blank is a part of it


def scan_lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str | InputError]]:
    """Lines that hold something, with their numbers; comments and descriptions do not."""
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
                expected = "UTF-8 text, as `iconv -f UTF-16 -t UTF-8` makes it"
                yield number, InputError("UTF-16 text", expected, source.name, number)
                return
            try:
                yield number, raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield (
                    number,
                    make_encoding_error(raw[error.start : error.start + 4], source, number),
                )


def iter_text_lines(source: Source, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Lines that hold something, with their numbers, up to one that cannot be read."""
    for number, line in scan_lines(source, comments):
        if isinstance(line, InputError):
            raise line
        yield number, line


def make_encoding_error(raw: bytes, source: Source, line: int | None) -> InputError:
    """The error that some bytes of a file are."""
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
    r"""Return the separator that a name stands for, others as they are.

    >>> to_separator("tab"), to_separator(r"\t"), to_separator("::")
    ('\t', '\t', '::')
    """
    return None if name is None else SEPARATOR_NAMES.get(name, name)


def split_fields(line: str, separator: str | None) -> list[str]:
    """The fields of a line of text: between ASCII blanks, or between separators."""
    if separator is not None:
        return [field.strip(BLANK) for field in line.split(separator)]
    return [field.decode() for field in line.encode().split()]


def parse_identifier(cell: Any) -> str | None:
    """The name a cell holds, or None; whole numbers are names as well."""
    if cell.__class__ is str and cell.isascii():  # as most are
        return cell or None
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        return None
    try:
        return str(cell) if str(cell).encode() else None
    except UnicodeEncodeError:  # JSON may hold half a character
        return None


def parse_finite(value: Any) -> float | None:
    """The finite number a text or a value stands for, or None.

    >>> finite("2.5"), finite("1_000"), finite("１"), finite("nan")
    (2.5, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None  # Python's ways to write a number are not those of files
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
    """The finite number a value is; a text is none, whatever it says, nor a truth value.

    >>> real(2**53 + 1), real("1"), real(True)
    (9007199254740992.0, None, None)
    """
    if isinstance(value, str | bytes) or str(getattr(value, "dtype", "")).endswith("bool"):
        return None
    return parse_finite(value)


def truncate_text(text: str, quote: bool = True) -> str:
    """A text as an error shows it."""
    excerpt = text if len(text) <= 60 else text[:57] + "…"
    return repr(excerpt) if quote else excerpt


def format_value(value: Any) -> str:
    """Return the repr of a value for an error, truncated if it is long."""
    return truncate_text(repr(value), quote=False)


class Line(NamedTuple):
    """The cells of one line, by name."""

    location: str
    number: int | None  # None where there are no lines
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
        """The identifier in a cell."""
        name = parse_identifier(self.cells[column])
        if name is None or not name.strip(BLANK):
            raise self.make_error(f"{column} {self.cells[column]!r}", "an identifier")
        return name

    def get_number(
        self, column: str, expected: str = NUMBER, low: float = -math.inf, actual: str = ""
    ) -> float:
        """The number in a cell, at least `low`; `actual` is what messages say of another."""
        number = parse_finite(self.cells[column])
        if number is None or number < low:
            raise self.make_error(actual or f"{column} {self.cells[column]!r}", expected)
        return number


def format_first_line(line: int | None) -> str:
    """What is added to the message that something comes again."""
    return f" (first on line {line})" if line else ""


def check_not_empty(items: Sized, noun: str, location: str, expected: str = "at least one") -> None:
    """Refuse data that hold nothing of what is wanted."""
    if not len(items):
        raise InputError(f"no {noun}", expected, location)
