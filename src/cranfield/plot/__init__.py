"""`cf.plot`: figures of scores, pools, comparisons and user models.

Each function returns a `Figure`, which notebooks display. ``.save("x.png")`` writes PNG, SVG, PDF
or interactive HTML, or the numbers as CSV. ``.data`` is a data frame of the numbers.
"""

# ruff: noqa: F403 (what a module offers is in its own __all__)
from __future__ import annotations

from cranfield.plot.agreement import *
from cranfield.plot.curve import *
from cranfield.plot.cwl import *
from cranfield.plot.distribution import *
from cranfield.plot.diversity import *
from cranfield.plot.forest import *
from cranfield.plot.heatmap import *
from cranfield.plot.meta import *
from cranfield.plot.pairs import *
from cranfield.plot.pool import *
from cranfield.plot.power import *
from cranfield.plot.runs import *
from cranfield.plot.slices import *
from cranfield.plot.topics import *
from cranfield.plot.trend import *
from cranfield.plot.unjudged import *

__all__ = [
    name for name, value in sorted(globals().items()) if getattr(value, "__module__", "").startswith("cranfield.plot.")
]
