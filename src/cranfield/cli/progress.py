"""A progress bar on standard error, for people who wait longer than a second."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from threading import Lock
from typing import Any

from cranfield.data.reading.source import CHUNK
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
        self._tasks: dict[str, Any] = {}
        self._bar: Any = None
        self._lock = Lock()

    def step(self, more: int | str) -> None:
        """So many more steps were done, or another part of a run was read, perhaps by one of
        several threads: they share one bar for each.
        """
        if not self._watched:
            return
        doing = said = self._doing
        if isinstance(more, str):
            doing, said, more = READING, f"{READING} {printable(more)}", CHUNK
        with self._lock:
            self._done[doing] += more
            if time.monotonic() - self._begun < PATIENCE:
                return
            self._bar = self._bar or self.enter_context(_shown())
            if doing not in self._tasks:
                self._tasks[doing] = self._bar.add_task(said, total=self._totals[doing] or None)
            task = self._tasks[doing]
            self._bar.update(task, completed=self._done[doing], description=said)


def _shown() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
