"""The top of rankings by predictions, for judged documents in arrays.

Every document is judged, so no ids are compared. A ranking is a row of a matrix, and only the ranks
that measures use are sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.arrays import Bools, Floats, Ints
from cranfield.labelling.blocks import Rankings

MAX_PADDING = 4  # cells of the matrix per document
PARTITIONED = 3  # a partition is faster than a sort if rankings have this many times the ranks needed


class RankedTop(NamedTuple):
    """The top of each ranking. `tied`: another order of equal predictions could change it."""

    rankings: Rankings
    tied: bool


class PredictionRanker:
    """Ranks the documents of each topic by predictions. Equal predictions keep their order.

    >>> ranker = PredictionRanker(np.array([0, 3, 5]), np.array([0.0, 2.0, 1.0, 1.0, 0.0]))
    >>> ranker.rank(np.array([0.1, 0.9, 0.5, 0.3, 0.4]), 2).rankings.levels.tolist()
    [2.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, offsets: Ints, levels: Floats) -> None:
        self.sizes = np.diff(offsets)
        self.shape = len(self.sizes), int(self.sizes.max(initial=0))
        self.filled = None if (self.sizes == self.shape[1]).all() else np.arange(self.shape[1]) < self.sizes[:, None]
        self.levels = self._to_matrix(levels, 0.0) if self.is_compact else levels

    @property
    def is_compact(self) -> bool:
        """True if topics have similar sizes, so that a matrix needs little padding."""
        return self.shape[0] * self.shape[1] <= MAX_PADDING * int(self.sizes.sum())

    def _to_matrix(self, values: Floats, padding: float) -> Floats:
        if self.filled is None:
            return values.reshape(self.shape)
        matrix = np.full(self.shape, padding)
        matrix[self.filled] = values
        return matrix

    def rank(self, predictions: Floats, reach: int | None = None) -> RankedTop:
        """Rank finite predictions down to a rank, or all if None. Items have no index (−1)."""
        width = self.shape[1] if reach is None else min(reach, self.shape[1])
        matrix = self._to_matrix(predictions, -np.inf)
        cells, cut = _sort_top(matrix, width)
        values = matrix.ravel()[cells]
        equal = (values[:, 1:] == values[:, :-1]) & (values[:, 1:] > -np.inf)
        lengths = np.minimum(self.sizes, width)
        filled = np.arange(width) < lengths[:, None]
        ranks = np.broadcast_to(np.arange(1, width + 1), filled.shape)[filled]
        rankings = Rankings(
            returned=self.sizes,
            offsets=np.concatenate(([0], np.cumsum(lengths))),
            ranks=ranks,
            items=np.full(len(ranks), -1),
            levels=self.levels.ravel()[cells[filled]],
            first=ranks,
            last=ranks,
            tied=np.zeros(len(self.sizes), dtype=np.int64),
        )
        return RankedTop(rankings, bool(equal.any() or (cut & (self.sizes > width)).any()))


def _sort_top(matrix: Floats, width: int) -> tuple[Ints, Bools]:
    """Return the cells of the highest values of each row, and where equal values are cut.

    Equal values keep their order.
    """
    rows, n = matrix.shape
    if width * PARTITIONED > n:
        return _sort_rows(matrix, np.arange(rows), width)
    limits = np.partition(matrix, n - width, axis=1)[:, n - width, None]
    top = matrix >= limits
    cut = np.zeros(rows, dtype=bool)
    if np.count_nonzero(top) > rows * width:  # sorted below
        cut = np.count_nonzero(top, axis=1) > width
        top[cut] = np.arange(n) < width
    cells = np.flatnonzero(top).reshape(rows, width)
    cells = np.take_along_axis(cells, _argsort_falling(matrix.ravel()[cells]), axis=1)
    if cut.any():
        cells[cut], cut[cut] = _sort_rows(matrix, np.flatnonzero(cut), width)
    return cells, cut


def _sort_rows(matrix: Floats, rows: Ints, width: int) -> tuple[Ints, Bools]:
    """Return the same as `_sort_top` for some rows, by sorting them completely."""
    order = _argsort_falling(matrix[rows])
    cells = order + rows[:, None] * matrix.shape[1]
    if width == matrix.shape[1]:
        return cells, np.zeros(len(rows), dtype=bool)
    edge = matrix.ravel()[cells[:, width - 1 : width + 1]]
    return cells[:, :width], edge[:, 0] == edge[:, 1]


def _argsort_falling(values: Floats) -> Ints:
    """Return the stable order of each row, highest first."""
    order = np.argsort(-values, axis=1)  # faster than a stable sort, and the same without equal values
    ordered = np.take_along_axis(values, order, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return np.argsort(-values, axis=1, kind="stable")
    return order
