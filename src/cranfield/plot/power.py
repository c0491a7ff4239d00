"""`cf.plot.power`: how probable it is to find a difference, with so many topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from cranfield.errors import InputError, brief, to_list
from cranfield.report.look import Look, LookOptions
from cranfield.report.pictures import Picture
from cranfield.stats.power import Design

__all__ = ["power"]


def power(designs: Design | Sequence[Design], **options: Unpack[LookOptions]) -> Picture:
    """Power against the number of topics: a line for each design, a panel for each test.

    The designs are those of `cf.stats.topics_for_t` and `cf.stats.topics_for_anova`. The options
    say how it looks: `cranfield.report.look.Look` explains them.
    """
    from cranfield.report.plan import power_curves

    expected = "designs of cf.stats.topics_for_t or topics_for_anova"
    several = [designs] if isinstance(designs, Design) else to_list("designs", designs, expected)
    for design in several:
        if not isinstance(design, Design):
            raise InputError(brief(design), expected)
    return power_curves(several, Look(**options))
