"""Options for slices and clusters of topics."""

from __future__ import annotations

import argparse

from cranfield.cli.options import build_rows
from cranfield.errors import InputError
from cranfield.options import OptionGroup, option

SLICES = (OptionGroup("slices of topics", build_rows("by", "queries")),)
CLUSTERS = (
    option(
        "--clusters",
        "FILE:COLUMN",
        "clusters of topics, such as variations of one need: intervals and tests by cluster",
    ),
)
SLICE_TABLES = ("slices", "slice_pairs", "interactions")


def check_slices(options: argparse.Namespace) -> None:
    """Raise an error for tables of slices without attributes."""
    for name in options.tables or ():
        if name in SLICE_TABLES and not options.by:
            raise InputError.from_problem(f"--table {name} requires --by FILE:COLUMN")
