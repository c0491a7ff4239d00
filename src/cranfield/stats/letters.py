"""Letters for groups of systems that are not significantly different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import InputError
from cranfield.wording import suggest_keywords

__all__ = ["letters"]

MAX_GROUPS = len(ascii_letters)
MAX_LETTERS = 4  # shown in full: longer texts become ranges
_COLUMNS = 2_000  # intermediate groups; with more, the letters would be of no use


@suggest_keywords
def letters(different: NDArray[np.bool_] | Sequence[Sequence[bool]]) -> list[str] | None:
    """Return the letters of each system, given the significantly different pairs.

    Insert and absorb: initially all systems are in one group. Every different pair splits the
    groups that contain both systems, and subsets of other groups are dropped. Systems should be in
    order of their means, so that the first has an a. None if more than 52 letters are required.

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


def assign_letters(systems: Sequence[str], different: Iterable[tuple[str, str]]) -> list[str] | None:
    """Return the letters of ordered systems, given the names of different pairs.

    >>> assign_letters(["x", "y", "z"], [("z", "x")])
    ['a', 'ab', 'b']
    """
    place = {system: i for i, system in enumerate(systems)}
    matrix = np.zeros((len(place), len(place)), dtype=bool)
    for first, second in different:
        i, j = place[first], place[second]
        matrix[i, j] = matrix[j, i] = True
    return letters(matrix)


def shorten_letters(texts: Sequence[str]) -> list[str]:
    """Replace three or more consecutive letters by a range, if a text has more than four letters.

    >>> shorten_letters(["a", "abc", "bcdefg", "aefgh"])
    ['a', 'a–c', 'b–g', 'a,e–h']
    >>> shorten_letters(["a", "abc"])
    ['a', 'abc']
    """
    if max(map(len, texts), default=0) <= MAX_LETTERS:
        return [*texts]
    return [",".join(_format_ranges(text)) for text in texts]


def _format_ranges(text: str) -> Iterator[str]:
    """Yield consecutive letters, as a range if there are three or more."""
    places = [ascii_letters.index(letter) for letter in text]
    for _, run in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        part = "".join(ascii_letters[place] for _, place in run)
        yield part if len(part) < 3 else f"{part[0]}–{part[-1]}"


def _split(groups: list[frozenset[int]], pair: frozenset[int]) -> list[frozenset[int]]:
    """Split groups with both systems of a pair, and drop subsets of others."""
    parts = {group - {member} for group in groups if pair <= group for member in pair}
    remaining = [group for group in groups if not pair <= group]
    for part in sorted(parts, key=len, reverse=True):
        if not any(part <= group for group in remaining):
            remaining.append(part)
    return remaining
