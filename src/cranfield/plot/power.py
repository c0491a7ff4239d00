"""`cf.plot.power`: power of a test by the number of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from cranfield.errors import InputError, describe_value, to_list
from cranfield.figures.figure import Figure
from cranfield.figures.theme import Theme, ThemeOptions
from cranfield.stats.power import Design

__all__ = ["power"]


def power(designs: Design | Sequence[Design], **options: Unpack[ThemeOptions]) -> Figure:
    """Plot power against the number of topics: one line per design, one panel per test.

    Designs are results of `cf.stats.topics_for_t` and `cf.stats.topics_for_anova`. The options set
    the appearance: see `cranfield.figures.theme.Theme`.
    """
    from cranfield.stats.plan_tables import draw_power_curves

    expected = "designs of cf.stats.topics_for_t or topics_for_anova"
    design_list = [designs] if isinstance(designs, Design) else to_list("designs", designs, expected)
    for design in design_list:
        if not isinstance(design, Design):
            raise InputError(describe_value(design), expected)
    return draw_power_curves(design_list, Theme(**options))
