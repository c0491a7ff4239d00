"""`cranfield verify`: check a record by repeating its computation."""

from __future__ import annotations

import argparse

from cranfield.cli.output import build_output_options, show
from cranfield.cli.replay import verify
from cranfield.options import argument, option
from cranfield.records.record import Record

OPTIONS = (
    argument("data", "FILE", "record, written by --record"),
    option(
        "--files",
        "DIR",
        "directory of the inputs (default: the directory of the record, then the working directory)",
    ),
    *build_output_options(),
)


def run(options: argparse.Namespace) -> int:
    """Verify, show the checks, and return the exit code."""
    result = verify(Record.read(options.data), options.files)
    show(result, options)
    return result.exit_code
