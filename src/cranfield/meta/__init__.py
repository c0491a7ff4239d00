"""Meta-evaluation: methods that evaluate measures and collections."""

# ruff: noqa: F403 (what a module offers is in its own __all__)
from __future__ import annotations

from cranfield.meta.concordance import *
from cranfield.meta.correlation import *
from cranfield.meta.discriminative import *
from cranfield.meta.judgments import *
from cranfield.meta.leave_one_out import *
from cranfield.meta.predictive import *
from cranfield.meta.rankings import *
from cranfield.meta.stability import *
from cranfield.meta.swap import *

__all__ = [
    name for name, value in sorted(globals().items()) if getattr(value, "__module__", "").startswith("cranfield.meta.")
]
