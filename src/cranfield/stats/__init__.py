"""Tests, intervals, effect sizes and power.

Functions of two systems take the scores of each by topic: Scores of one run, such as
``scores["bm25", :, "AP"]``, ``{topic: score}``, or a sequence. Functions of several systems take
Scores of one measure, such as ``scores[:, :, "AP"]``, ``{system: {topic: score}}``, or an array
with its axes, such as ``axes=("topics", "runs")``. Every function returns an object with its
results: statistic, p-value, interval and assumptions.
"""

# ruff: noqa: F403 (each module declares its public names in __all__)
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.stats.anova import *
from cranfield.stats.battles import *
from cranfield.stats.clusters import *
from cranfield.stats.corrections import *
from cranfield.stats.crossed import *
from cranfield.stats.effects import *
from cranfield.stats.families import *
from cranfield.stats.gate import *
from cranfield.stats.letters import *
from cranfield.stats.looks import *
from cranfield.stats.paired import *
from cranfield.stats.plan import *
from cranfield.stats.power import *
from cranfield.stats.prediction import *
from cranfield.stats.result import *
from cranfield.stats.sample_estimates import *
from cranfield.stats.seed_plan import *
from cranfield.stats.slices import *
from cranfield.stats.standardise import *
from cranfield.stats.suites import *
from cranfield.stats.summary import *
from cranfield.stats.tukey import *
from cranfield.stats.unpaired import *

__all__ = [
    name for name, value in sorted(globals().items()) if getattr(value, "__module__", "").startswith("cranfield.stats.")
]

if not TYPE_CHECKING:  # type checkers would accept every name

    def __getattr__(name: str) -> Any:
        """Raise an error for an unknown name. It names the replacement of a removed function."""
        if name == "two_way_replicated":
            raise AttributeError(
                "cf.stats.two_way_replicated was removed: its p-values were too small, because it treated the runs of "
                "a system as independent on every topic. Use cf.stats.crossed or cf.compare(…, systems=…)."
            )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
