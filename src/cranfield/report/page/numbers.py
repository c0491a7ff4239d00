"""Short numbers for the data of the HTML report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

Number: TypeAlias = float | int | None


def round_number(value: Any, digits: int = 6) -> Number:
    """Round to significant digits. None for NaN, infinite and missing values.

    Rounding the result to the displayed decimals must give the same text as rounding the exact
    number. Otherwise more digits are kept.

    >>> round_number(1 / 3), round_number(1.0), round_number(math.nan), round_number(None)
    (0.333333, 1, None, None)
    >>> round_number(0.03374987, 4), round_number(0.03371987, 4)
    (0.0337499, 0.03372)
    """
    if value is None or not math.isfinite(value):
        return None
    display_format = ".4f" if abs(value) < 10 else ".2f"
    displayed, short = format(value, display_format), float(f"{value:.{digits}g}")
    while format(short, display_format) != displayed:
        digits += 1
        short = float(f"{value:.{digits}g}")  # 17 digits are exact
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def round_numbers(values: Iterable[Any], digits: int = 6) -> list[Number]:
    return [round_number(value, digits) for value in values]
