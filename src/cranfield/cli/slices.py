"""Options for slices and clusters of topics."""

from __future__ import annotations

import argparse

from cranfield.cli.options import build_rows
from cranfield.errors import InputError
from cranfield.options import OptionGroup

SLICES = (OptionGroup("slices and clusters of topics", build_rows("by", "queries", "clusters")),)
SLICE_TABLES = ("slices", "slice_pairs", "interactions")
CLUSTER_TABLE = "cluster_means"


def check_slices(options: argparse.Namespace) -> None:
    """Raise an error for tables of slices or clusters without the option."""
    for name in options.tables or ():
        if name in SLICE_TABLES and not options.by:
            raise InputError.from_problem(f"--table {name} requires --by FILE:COLUMN")
        if name == CLUSTER_TABLE and not options.clusters:
            raise InputError.from_problem(f"--table {name} requires --clusters FILE:COLUMN")
