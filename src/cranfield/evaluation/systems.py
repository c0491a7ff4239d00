"""Scores of systems from arrays of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from cranfield.measures.base import Measure
from cranfield.scores import Note, Scores


def build_scores(
    values: ArrayLike,
    systems: Iterable[str],
    rows: Iterable[str],
    measures: Sequence[Measure],
    notes: Iterable[Note],
    undefined: str = "zero",
) -> Scores:
    """Build scores from values [systems, rows, measures]. Rows are topics, sessions or items."""
    return Scores(
        np.asarray(values),
        tuple(systems),
        tuple(rows),
        tuple(m.called or str(m) for m in measures),
        tuple(m.summary for m in measures),
        undefined,
        tuple(notes),
        tuple(m.better for m in measures),
    )
