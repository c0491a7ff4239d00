"""Conversion of texts to values of options."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from cranfield.options import Option
from cranfield.wording import suggest_names

T = TypeVar("T")
DIGITS = 9  # of a count
DASHES = "\0"  # after a value of two dashes, which argparse would remove


def parse_count(text: str) -> int:
    """Return an integer ≥ 1."""
    digits = text.strip().lstrip("0")
    if not digits.isdecimal() or len(digits) > DIGITS:
        limit = f" of at most {DIGITS} digits" if digits.isdecimal() else ""
        from cranfield.data.reading.lines import truncate_text

        problem = f"found {truncate_text(text)}, expected an integer ≥ 1{limit}"
        raise argparse.ArgumentTypeError(problem)
    return int(digits)


def parse_number(text: str, low: float = -math.inf, high: float = math.inf, interval: str = "") -> float:
    """Return a finite number; `interval` names its range in messages."""
    from cranfield.data.reading.lines import parse_finite

    value = parse_finite(text)
    if value is None or not low <= value <= high:
        expected = f"a number{'' if value is None else interval}"
        raise argparse.ArgumentTypeError(f"found {text!r}, expected {expected}")
    return value


def parse_separator(text: str) -> str:
    """Return the field separator that a character or a name stands for."""
    if not text:
        raise argparse.ArgumentTypeError("found '', expected a separator such as ;")
    from cranfield.data.reading.lines import SEPARATOR_NAMES

    return SEPARATOR_NAMES.get(text, text)


def _build_list_converter(convert: Callable[[str], T], sign: str = ",") -> Callable[[str], Any]:
    return lambda text: tuple(convert(part.strip()) for part in text.split(sign))


CONVERTERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "count": parse_count,
    "number": float,
    "finite": parse_number,
    "integer": int,
    "nonnegative": partial(parse_number, low=0, interval=" ≥ 0"),
    "fraction": partial(parse_number, low=0, high=1, interval=" in [0, 1]"),
    "counts": _build_list_converter(parse_count),
    "numbers": _build_list_converter(parse_number),
    "names": _build_list_converter(str),
    "gains": _build_list_converter(parse_number, ":"),
    "separator": parse_separator,
}
"""Conversions of texts, by the names in `Option.value`."""


def build_converter(row: Option) -> Callable[[str], Any]:
    """Return the function that converts and checks the value of an option."""
    convert = CONVERTERS[row.value]

    def parse(text: str) -> Any:
        value = convert(text.removesuffix(DASHES))
        if row.choices and value not in row.choices:
            names = [*map(str, row.choices)]
            expected = f"one of {', '.join(names)}{format_suggestion(text, names)}"
            raise argparse.ArgumentTypeError(f"found {value!r}, expected {expected}")
        return value

    parse.__name__ = getattr(convert, "__name__", "parse")  # argparse: invalid float value
    return parse


def format_suggestion(word: str, names: Iterable[str]) -> str:
    """Return the end of a message that names the nearest name, or an empty string.

    >>> format_suggestion("evalute", ["evaluate", "compare"])
    '; did you mean evaluate?'
    """
    return "".join(f"; did you mean {name}?" for name in suggest_names(word, names))
