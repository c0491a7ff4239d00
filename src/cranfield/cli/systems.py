"""Options of systems with several runs."""

from __future__ import annotations

from typing import get_args

from cranfield.comparison.systems import Seeds
from cranfield.options import choice, option, switch

SYSTEM_OPTIONS = (
    option(
        "--systems",
        "FILE",
        "runs of each system, such as training seeds: a table (run, system, optionally seed), or a pattern such as "
        "'dense-*'; a pattern may be repeated",
        repeat=True,
    ),
    choice(
        "--seeds",
        get_args(Seeds),
        "seeds that intervals hold for: random: other seeds, by the test crossed (default); fixed: these runs, by any "
        "test of means over runs",
    ),
    switch(
        "--ranks",
        "resample topics (and runs of systems): fraction in which each run is best, and intervals of ranks",
    ),
)
