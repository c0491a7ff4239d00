"""Sizes of random samples of topics: which ones can be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cranfield.errors import InputError
from cranfield.wording import counted


def several(values: Any, what: str) -> list[Any]:
    """One value or several; not none.

    >>> several(10, "size"), several([10, 20], "size")
    ([10], [10, 20])
    """
    found = list(values) if isinstance(values, Iterable) else [values]
    if not found:
        raise InputError(f"no {what}", "at least one")
    return found


def checked_sizes(
    sizes: int | Sequence[int], most: int, measure: str, least: int = 1, why: str = ""
) -> list[int]:
    """The sizes in order, each once, if samples for the measure can have so many topics.

    >>> checked_sizes([20, 10, 20], most=50, measure="AP")
    [10, 20]
    """
    found = several(sizes, "size")
    for size in found:
        if not isinstance(size, int | np.integer):
            raise InputError(f"a size of {size!r}", "a whole number of topics")
        if not least <= size <= most:
            asked = f"samples of {counted(int(size), 'topic')} for {measure}"
            raise InputError(asked, f"{least} to {most}{why}")
    return sorted({int(size) for size in found})
