"""The recall-precision curve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.errors import InputError
from cranfield.measures.base import Measure, cite, has, measure
from cranfield.measures.lists import Lists, to_floats, total
from cranfield.measures.parameters import TableSetting, format_value, is_number, param, rel_param
from cranfield.measures.sets import compute_reach, reach_param

POINTS = tuple(i / 10 for i in range(11))


def interpolate(x: Lists, recall: float, reach: str) -> Floats:
    """Return the highest precision C(r)/r at a rank that reaches the recall, else 0."""
    enough = (x.I > 0) & (compute_reach(recall, x.R, reach)[:, None] <= x.C)
    return to_floats(np.where(enough, x.C / x.r, 0.0).max(axis=1, initial=0.0))


@measure
class IPrec(Measure):
    """Interpolated precision: the highest precision at a recall level or beyond.

    IPrec@i = max_{r: Recall(r) ≥ i} P(r), 0 if the list does not reach recall i

    The number after @ is a recall, not a rank. IPrec without a number is the recall-precision
    curve: eleven numbers, IPrec@0 to IPrec@1. `reach=nearest` and `reach=trec9` are the rules of
    trec_eval 10 and 9 for reaching a recall.

    >>> (IPrec @ 0.5)([1, None, 1, None, None, 1], judged=[1] * 4)  # 2 of 4 at rank 3
    0.6666666666666666
    """

    rel: float | None = rel_param()
    reach: str = reach_param()
    cutoff: Any = None
    references = cite("buckley2005", "sakai2014metrics")
    task = "precision as a function of recall: one point, or the curve"
    properties = has("normalised")
    cutoff_name = "recall"
    cutoff_meaning = "a recall from 0 to 1, not a rank"

    def score(self, x: Lists) -> Floats:
        return np.stack([interpolate(x, i, self.reach) for i in self.list_recalls()], axis=1)

    def list_recalls(self) -> tuple[float, ...]:
        """Return the recall points: the cutoff, or the eleven points of the curve."""
        return POINTS if self.cutoff is None else (float(self.cutoff),)

    def names(self) -> tuple[str, ...]:
        if not self.called:
            return tuple(str(replace(self, cutoff=i)) for i in self.list_recalls())
        is_curve = self.cutoff is None
        return tuple(self.called + f"@{format_value(i)}" * is_curve for i in self.list_recalls())

    @property
    def last_rank(self) -> None:
        return None

    def _check_cutoff(self, cutoff: Any) -> Any:
        if not is_number(cutoff) or not 0 <= cutoff <= 1:
            value = repr(cutoff) if isinstance(cutoff, str) else format_value(cutoff)
            problem = f"recall after @ must be a number in [0, 1], found {value}"
            raise InputError.from_problem(problem, where="IPrec")
        return int(cutoff) if cutoff in (0, 1) else float(cutoff)


@measure
class AP11(Measure):
    """Eleven-point average precision: the mean height of the recall-precision curve.

    AP11 = (1/11) Σ_{i = 0, 0.1, …, 1} IPrec@i

    `points` are other recall points, such as 0.2:0.5:0.8.

    >>> round(AP11()([1, None, 1], judged=[1, 1]), 4)  # 6 points at 1, 5 at 2/3
    0.8485
    """

    rel: float | None = rel_param()
    reach: str = reach_param()
    points: TableSetting = param(POINTS, "recall points", low=0, high=1, table=True)
    references = cite("buckley2005", "sakai2014metrics")
    task = "comparison with results of the 1980s and early 1990s"
    properties = has("normalised")

    def score(self, x: Lists) -> Floats:
        points = [
            x.step(f"IPrec@{format_value(i)}", interpolate(x, i, self.reach)) for i in sorted(self.points, reverse=True)
        ]
        return x.ratio(total(np.stack(points, axis=1)), len(points))
