"""Files in the current directory."""

from __future__ import annotations

from pathlib import Path


def write(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")


def read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
