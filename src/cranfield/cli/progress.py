"""A progress bar on standard error, for people who wait longer than a second."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from cranfield.data.source import CHUNK

PATIENCE = 1.0  # seconds


class Progress:
    """Shows itself when the work takes longer than a second and somebody is watching."""

    def __init__(self, paths: list[str]) -> None:
        self._total = sum(os.path.getsize(p) for p in paths if os.path.isfile(p))
        self._begun = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None
        self._done = 0

    def __enter__(self) -> Progress:
        return self

    def step(self, run: str) -> None:
        """Another part of a run was read."""
        if not self._watched:
            return
        self._done += CHUNK
        if self._bar is None:
            if time.monotonic() - self._begun < PATIENCE:
                return
            self._show()
        self._bar.update(self._task, completed=self._done, description=f"reading {run}")

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task("reading", total=self._total or None)

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.stop()
