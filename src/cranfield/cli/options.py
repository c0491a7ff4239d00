"""Options that several commands have, and values of options, checked."""

from __future__ import annotations

import argparse
from typing import Any


def count(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number from 1")
    return number


def separator(text: str) -> str:
    """What stands between fields."""
    if not text:
        raise argparse.ArgumentTypeError("found nothing, expected a separator such as ;")
    return text


def add_labels(group: Any) -> None:
    """The option that says what labels mean."""
    group.add_argument(
        "--labels", metavar="A=2,B=1,…",
        help="the levels that labels in judgments mean, such as S=3,A=2,B=1,C=0",
    )  # fmt: skip


def add_separator(group: Any) -> None:
    """The option that says what stands between fields."""
    group.add_argument(
        "--sep", metavar="S", dest="separator", type=separator,
        help="what separates the fields of a line of text, where they contain blanks",
    )  # fmt: skip
