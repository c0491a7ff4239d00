"""A progress bar on standard error, for people who wait longer than a second."""

from __future__ import annotations

import os
import sys
import time
from threading import Lock
from typing import Any, Self

from cranfield.data.reading.source import CHUNK

PATIENCE = 1.0  # seconds


class Waiting:
    """Shows itself when the work takes longer than a second and somebody is watching."""

    def __init__(self, said: str, total: int | None = None) -> None:
        self._said, self._total = said, total
        self._begun = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None
        self._done = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def advance(self, by: int, said: str | None = None) -> None:
        """Some more was done, perhaps by one of several threads: there is one bar for all."""
        if not self._watched:
            return
        with self._lock:
            self._done += by
            if self._bar is None:
                if time.monotonic() - self._begun < PATIENCE:
                    return
                self._show()
            self._bar.update(self._task, completed=self._done, description=said or self._said)

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
        self._task = self._bar.add_task(self._said, total=self._total or None)

    def end(self, *problem: object) -> None:
        """There is no more to show: a terminal has room for one bar."""
        if self._bar is not None:
            self._bar.stop()

    __exit__ = end


class Progress(Waiting):
    """Of files that are read."""

    def __init__(self, paths: list[str]) -> None:
        super().__init__("reading", sum(os.path.getsize(p) for p in paths if os.path.isfile(p)))

    def step(self, run: str) -> None:
        """Another part of a run was read."""
        self.advance(CHUNK, f"reading {run}")


class Trials(Waiting):
    """Of random trials; how many there will be may be unknown."""

    def step(self, trials: int) -> None:
        """So many more were done."""
        self.advance(trials)
