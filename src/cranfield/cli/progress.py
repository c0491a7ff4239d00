"""A progress bar on standard error, for people who wait longer than a second."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from threading import Lock
from typing import Any

from cranfield.data.reading.table import PartRead
from cranfield.wording import printable

PATIENCE = 1.0  # seconds
READING = "reading"


class Progress(ExitStack):
    """Of files that are read, and of what is done with them in so many steps, if that is known.

    Shows itself when the work takes longer than a second and somebody is watching.
    """

    def __init__(self, files: Iterable[str] = (), doing: str = "", steps: int = 0) -> None:
        super().__init__()
        size = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
        self._doing, self._totals = doing, {READING: size, doing: steps}
        self._begun = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._done = Counter[str]()
        self._lines = 0
        self._tasks: dict[str, Any] = {}
        self._bar: Any = None
        self._lock = Lock()

    def step(self, more: int | PartRead) -> None:
        """So many more steps were done, or another part of a run was read, perhaps by one of
        several threads: they share one bar for each.
        """
        if not self._watched:
            return
        doing = said = self._doing
        lines = 0
        if isinstance(more, PartRead):
            doing, said = READING, f"{READING} {printable(more)}"
            lines, more = more.lines, more.taken
        with self._lock:
            self._done[doing] += more
            self._lines += lines
            taken = time.monotonic() - self._begun
            if taken < PATIENCE:
                return
            self._bar = self._bar or self.enter_context(_shown())
            total = self._totals[doing] or None
            if doing not in self._tasks:
                self._tasks[doing] = self._bar.add_task(said, total=total, rate="")
            done = min(self._done[doing], total or math.inf)  # lines may be read twice
            rate = f"{self._lines / taken / 1e6:.1f} M lines/s" if doing == READING else ""
            self._bar.update(self._tasks[doing], completed=done, description=said, rate=rate)


def _shown() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        transient=True,
    )
