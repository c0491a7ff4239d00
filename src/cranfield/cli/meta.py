"""`cranfield meta`: can the measure, the judgments and the collection be trusted?"""

from __future__ import annotations

from importlib import import_module
from typing import Any

METHODS = (
    "discriminative_power", "swap", "stability", "correlation", "concordance", "predictive_power",
    "leave_one_out", "judgments",
)  # fmt: skip


def add_to(command: Any) -> None:
    """Declare the command, and a method for each question."""
    p = command(
        description="Evaluate measures, judgments and collections themselves.",
        epilog="`cranfield meta METHOD -h` explains a method.",
    )
    methods = p.add_subparsers(metavar="METHOD", required=True)
    for method in METHODS:
        import_module(f"cranfield.cli.meta_{method}").add_to(methods)
