"""Systems side by side: their scores by measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from cranfield.measures.base import Measure
from cranfield.scores import Notice, Scores


def scores_of(
    values: ArrayLike,
    systems: Iterable[str],
    rows: Iterable[str],
    measures: Sequence[Measure],
    notices: Iterable[Notice],
    undefined: str = "zero",
) -> Scores:
    """The values [systems, rows, measures] as scores; rows are topics, sessions or items."""
    return Scores(
        np.asarray(values),
        tuple(systems),
        tuple(rows),
        tuple(m.called or str(m) for m in measures),
        tuple(m.summary for m in measures),
        undefined,
        tuple(notices),
        tuple(m.better for m in measures),
    )
