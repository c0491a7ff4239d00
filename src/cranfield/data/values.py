"""Detection of swapped inputs: values that look like levels or like scores.

The rules were measured on the 17 runs of Robust 2003 and 390 generated pairs. See
`tests/properties/test_decisions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import chain, islice

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.data.qrels import Qrels
from cranfield.data.reading.table import Table
from cranfield.data.run import ListRun, Run
from cranfield.dataclass import dataclass

LOWEST, HIGHEST = -5, 20  # integers in this range may be levels
MAX_LEVELS = 21  # maximum number of distinct levels
LONG, ENOUGH = 3, 10  # minimum documents of a topic, and of all such topics
UNIFORM = 5  # minimum documents per topic of a run cut at a depth
HEAD = 1 << 12  # values examined first, which decide for most runs
_MAX_LISTED = 5  # maximum number of values in a note


@dataclass(frozen=True, eq=False)
class Values:
    """Distinct values of topics, with numbers of documents and presence of ties.

    >>> Values.from_values(np.array([3.0, 0.5, 7.25]), np.array([3])).look_like_scores
    True
    >>> Values.from_values(np.array([1.0, 0.0, 1.0]), np.array([3])).look_like_scores
    False
    """

    different: Floats
    sizes: Ints
    tied: bool = False  # True if a topic has two equal values

    @classmethod
    def from_values(cls, values: Floats, sizes: Ints) -> Values:
        """Summarise the values of adjacent topics of some sizes."""
        different = _find_distinct(values)
        crowded = bool(sizes.max(initial=0) > len(different))
        return cls(different, sizes, crowded or _has_equal(values, sizes))

    @classmethod
    def join(cls, parts: Sequence[Values], sizes: Ints | None = None) -> Values:
        """Summarise parts.

        `sizes` are the numbers of documents of topics that parts have cut.
        """
        different = _sort_unique(np.concatenate([part.different for part in parts]))
        tied = any(part.tied for part in parts)
        if sizes is None:
            return cls(different, np.concatenate([part.sizes for part in parts]), tied)
        return cls(different, sizes, tied or bool(sizes.max(initial=0) > len(different)))

    @classmethod
    def from_qrels(cls, qrels: Qrels) -> Values:
        """Summarise levels."""
        return cls.from_values(qrels.levels, np.diff(qrels.offsets))

    @classmethod
    def from_lists(cls, lists: Mapping[str, Mapping[str, float]]) -> Values | None:
        """Summarise ``{topic: {doc: score}}``. Return None if a score is not a number."""
        scores = chain.from_iterable(docs.values() for docs in lists.values())
        try:
            head = _find_distinct(np.fromiter(islice(scores, HEAD), np.float64))
            if _are_scores(head):
                return cls(head, np.zeros(0, dtype=np.int64))
            scores = chain.from_iterable(docs.values() for docs in lists.values())
            values = np.fromiter(scores, np.float64)
        except (TypeError, ValueError, OverflowError):
            return None
        return cls.from_values(values, np.array([len(docs) for docs in lists.values()], dtype=np.int64))

    @cached_property
    def odd(self) -> bool:
        """True if a value is not an integer from LOWEST to HIGHEST."""
        return _are_odd(self.different)

    @property
    def look_like_scores(self) -> bool:
        """True if the values look like scores, not like levels."""
        long = self.sizes[self.sizes >= LONG].sum()
        distinct = not self.tied and (self.odd or long >= ENOUGH)
        return distinct or _are_scores(self.different)

    @property
    def uniform(self) -> int:
        """Number of documents of every topic, 0 if topics differ."""
        sizes = self.sizes
        return int(sizes[0]) if len(sizes) and (sizes == sizes[0]).all() else 0

    @property
    def is_too_small(self) -> bool:
        """True if there are too few documents to decide, and no ties."""
        return not self.tied and self.sizes.sum() < ENOUGH

    def __str__(self) -> str:
        """Format the values: ``0, 1 and 2`` or ``from 0.02 to 0.97, 311 different``."""
        texts = [f"{value:g}" for value in self.different]
        if len(texts) > _MAX_LISTED:
            return f"from {texts[0]} to {texts[-1]}, {len(texts):,} different"
        return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def look_swapped(levels: Values, scores: Values) -> bool:
    """Return True if the levels look like scores, and the scores like levels."""
    return levels.look_like_scores and not scores.look_like_scores


def can_be_right(levels: Values, scores: Values) -> bool:
    """Return True if values that look swapped may be right.

    This is so if there are too few values, or only the run has one depth.
    """
    uniform = scores.uniform >= UNIFORM and not levels.uniform
    return uniform or scores.is_too_small or levels.sizes.sum() < ENOUGH


def _find_distinct(values: Floats) -> Floats:
    """Return the distinct values, ascending. Fast if all are small integers."""
    if len(values) and values.min() >= LOWEST and values.max() <= HIGHEST:
        integers = values.astype(np.int64)
        if (integers == values).all():
            return np.flatnonzero(np.bincount(integers - LOWEST)).astype(np.float64) + LOWEST
    return _sort_unique(values)


def _sort_unique(values: Floats) -> Floats:
    """Return each value once, ascending.

    np.unique would import numpy.ma, which is slow.
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    different: Floats = ordered[first]
    return different


def _are_odd(values: Floats) -> bool:
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    return bool(low < LOWEST or high > HIGHEST or (values != np.trunc(values)).any())


def _are_scores(different: Floats) -> bool:
    return len(different) > MAX_LEVELS and _are_odd(different)


def _has_equal(values: Floats, sizes: Ints) -> bool:
    """Return True if a topic has two equal values."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    is_repeated = np.repeat(sizes > 1, sizes)
    values, group = values[is_repeated], group[is_repeated]
    order = np.lexsort((values, group))
    return bool(((np.diff(values[order]) == 0) & (np.diff(group[order]) == 0)).any())


@dataclass(eq=False)
class ValueRecorder:
    """Recorder for the values of a run while its topics are labelled."""

    parts: list[Values] = field(default_factory=list)
    are_scores: bool = False  # True if no more topics need to be examined

    def clear(self) -> None:
        """Drop all values: the run is read again."""
        self.parts.clear()
        self.are_scores = False

    def note(self, table: Table) -> None:
        """Record the values of whole topics."""
        if self.are_scores or not len(table):
            return
        head = Values(_find_distinct(table.values[:HEAD]), table.sizes[:0])
        self.are_scores = _are_scores(head.different)
        self.parts.append(head if self.are_scores else Values.from_values(table.values, table.sizes))

    def collect_values(self, run: Run) -> Values | None:
        """Return the values of a labelled run, or None if it has none."""
        if run.keeps_order:
            return None
        if isinstance(run, ListRun):
            return Values.from_lists(run.lists)
        if not self.parts:
            return None
        return Values.join(self.parts)
