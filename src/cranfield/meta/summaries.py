"""One-line summaries of results for notebooks and `print`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MAX_NUMBERS = 6  # numbers


def format_summary(
    result: object, descriptions: Sequence[str], numbers: Mapping[str, float]
) -> str:
    """Format what was computed and the first numbers.

    >>> in_brief(Exception(), ["3 runs", "test t"], {"AP": 0.5, "RR": 1 / 3})
    'Exception of 3 runs, test t: AP 0.5000, RR 0.3333'
    """
    texts = [f"{name} {value:.4f}" for name, value in list(numbers.items())[:MAX_NUMBERS]]
    more = ["…"] if len(numbers) > MAX_NUMBERS else []
    return f"{type(result).__name__} of {', '.join(descriptions)}: {', '.join([*texts, *more])}"
