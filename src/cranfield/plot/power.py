"""`cf.plot.power`: how probable it is to find a difference, with so many topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

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

    return power_curves([designs] if isinstance(designs, Design) else designs, Look(**options))
