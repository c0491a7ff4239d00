"""Sizes of random samples of topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cranfield.errors import InputError
from cranfield.wording import format_count


def to_nonempty_list(values: Any, noun: str) -> list[Any]:
    """Return one or several values as a list. Raise an error without values.

    >>> to_nonempty_list(10, "size"), to_nonempty_list([10, 20], "size")
    ([10], [10, 20])
    """
    items = list(values) if isinstance(values, Iterable) else [values]
    if not items:
        raise InputError.from_problem(f"no {noun} given")
    return items


def check_sizes(
    sizes: int | Sequence[int], maximum: int, measure: str, minimum: int = 1, reason: str = ""
) -> list[int]:
    """Return the sizes in order, without duplicates. Raise an error if one is invalid.

    >>> check_sizes([20, 10, 20], maximum=50, measure="AP")
    [10, 20]
    """
    values = to_nonempty_list(sizes, "size")
    for size in values:
        if not isinstance(size, int | np.integer):
            raise InputError(f"size {size!r}", "an integer number of topics")
        if not minimum <= size <= maximum:
            problem = f"samples of {format_count(int(size), 'topic')} for {measure}"
            raise InputError(problem, f"{minimum} to {maximum}{reason}")
    return sorted({int(size) for size in values})
