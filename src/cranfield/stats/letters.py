"""Letters for groups of systems: two that share one are not significantly different."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import InputError
from cranfield.wording import suggest_keywords

__all__ = ["letters"]

MAX_GROUPS = len(ascii_letters)
_COLUMNS = 2_000  # groups looked at on the way: beyond that no letters would help


@suggest_keywords
def letters(different: NDArray[np.bool_] | Sequence[Sequence[bool]]) -> list[str] | None:
    """The letters of each system, from which pairs are significantly different.

    Insert and absorb: at first all systems share one group; every different pair splits the groups
    that hold both, and groups within others go. Systems should be in order of their means, so that
    the first has an a. None if more than 52 letters were needed.

    Reference: Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2).

    >>> letters([[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    matrix = np.asarray(different, dtype=bool)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1]:
        raise InputError(f"an array of shape {matrix.shape}", "[systems, systems]")
    groups = [frozenset(range(len(matrix)))]
    for i, j in zip(*np.nonzero(np.triu(matrix, 1)), strict=True):
        groups = _split(groups, frozenset((i, j)))
        if len(groups) > _COLUMNS:
            return None
    if len(groups) > MAX_GROUPS:
        return None
    groups.sort(key=sorted)
    return [
        "".join(letter for letter, g in zip(ascii_letters, groups, strict=False) if system in g)
        for system in range(len(matrix))
    ]


def _split(groups: list[frozenset[int]], pair: frozenset[int]) -> list[frozenset[int]]:
    """Groups of which none holds both of the pair, and none is within another."""
    parts = {group - {member} for group in groups if pair <= group for member in pair}
    remaining = [group for group in groups if not pair <= group]  # none of which is within a part
    for part in sorted(parts, key=len, reverse=True):
        if not any(part <= group for group in remaining):
            remaining.append(part)
    return remaining
