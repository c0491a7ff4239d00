"""What tests of several readers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SABC: dict[str, float] = {"S": 3, "A": 2, "B": 1, "C": 0}  # NTCIR's levels of the CLIR tasks


def written(path: Path, write: Callable[[Path], Any]) -> Path:
    """The path, after something was written there."""
    write(path)
    return path


def trec_order(docs: Mapping[str, float]) -> list[str]:
    """By score, then by name, both descending."""
    return sorted(sorted(docs, reverse=True), key=lambda doc: docs[doc], reverse=True)
