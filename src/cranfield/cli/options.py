"""Values of options, checked."""

from __future__ import annotations

import argparse


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
