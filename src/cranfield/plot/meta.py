"""`cf.plot.meta`: figures of the results of `cf.meta`."""

from __future__ import annotations

from typing import Any

from cranfield.errors import InputError
from cranfield.figures.figure import Figure
from cranfield.figures.theme import Theme

__all__ = ["meta"]


def meta(found: Any, **options: Any) -> Figure:
    """Plot a result of `cf.meta`.

    ASL curves of `discriminative_power` (``whole=True`` shows all p-values, not only those near α),
    the matrix of `correlation` or the means by two sets, the curves of `swap` (``rate=0.05``) and
    `stability`, scores before and after of `leave_one_out`. The other options set the appearance:
    title, width, height, font_size, grey (see `cranfield.figures.theme.Theme`).

    >>> scores = {run: {str(t): (t * k % 7) / 7 for t in range(9)} for k, run in enumerate("abc")}
    >>> from cranfield.meta import discriminative_power
    >>> meta(discriminative_power(scores, "t"))
    Figure of 3 rows: measure, rank, run, other, difference, pvalue
    """
    if not hasattr(found, "_build_figure"):
        problem = f"no figure of type {type(found).__name__}"
        raise InputError.from_problem(problem, "Pass a result of cf.meta that has a figure.")
    theme, figure_options = Theme.split_options(options)
    figure: Figure = found._build_figure(theme, **figure_options)
    return figure
