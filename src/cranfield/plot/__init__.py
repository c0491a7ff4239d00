"""`cf.plot`: pictures of what is measured, and of what measures believe.

Each function returns a `Picture`, which shows itself in a notebook; ``.save("x.png")`` writes it as
PNG, SVG, PDF or interactive HTML, or its numbers as CSV, and ``.data`` has these as a frame.
"""

# ruff: noqa: F403 (what a module offers is in its own __all__)
from __future__ import annotations

from cranfield.plot.agreement import *
from cranfield.plot.curve import *
from cranfield.plot.cwl import *
from cranfield.plot.distribution import *
from cranfield.plot.diversity import *
from cranfield.plot.heatmap import *
from cranfield.plot.meta import *
from cranfield.plot.pairs import *
from cranfield.plot.pool import *
from cranfield.plot.power import *
from cranfield.plot.runs import *
from cranfield.plot.topics import *
from cranfield.plot.unjudged import *

__all__ = [
    name
    for name, value in sorted(globals().items())
    if getattr(value, "__module__", "").startswith("cranfield.plot.")
]
