"""`cf.plot.power`: how probable it is to find a difference, with so many topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from cranfield.errors import InputError, describe_value, to_list
from cranfield.report.figures import Figure
from cranfield.report.theme import Theme, ThemeOptions
from cranfield.stats.power import Design

__all__ = ["power"]


def power(designs: Design | Sequence[Design], **options: Unpack[ThemeOptions]) -> Figure:
    """Power against the number of topics: a line for each design, a panel for each test.

    The designs are those of `cf.stats.topics_for_t` and `cf.stats.topics_for_anova`. The options
    say how it looks: `cranfield.report.theme.Theme` explains them.
    """
    from cranfield.report.plan import draw_power_curves

    expected = "designs of cf.stats.topics_for_t or topics_for_anova"
    design_list = (
        [designs] if isinstance(designs, Design) else to_list("designs", designs, expected)
    )
    for design in design_list:
        if not isinstance(design, Design):
            raise InputError(describe_value(design), expected)
    return draw_power_curves(design_list, Theme(**options))
