"""A progress bar on standard error, for people who wait longer than a second."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from threading import Lock

from cranfield.cli.saying import for_programs
from cranfield.data.reading.table import PartRead
from cranfield.wording import cells, counted, printable

PATIENCE, OFTEN = 1.0, 0.1  # seconds, before it is shown, and until it is shown again
WIDTH = 24  # of the bar
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
        self._watched = sys.stderr.isatty() and not for_programs()
        self.callback(self._leave)
        self._done = Counter[str]()
        self._lines = 0
        self._since = {READING: 0.0}  # seconds from the beginning to the first step
        self._bar: Bar | None = None
        self._lock = Lock()

    def _leave(self) -> None:
        """Show nothing more: others write now."""
        self._watched = False

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
            if (taken := self._taken(doing)) >= PATIENCE:
                total = self._totals[doing]
                share = min(1.0, self._done[doing] / total) if total else None  # some read twice
                rate = f"{self._lines / taken / 1e6:.1f} M lines/s" if doing == READING else ""
                self._show(told(said, share, taken - self._since[doing], rate))

    def count(self, doing: str, done: int, total: int, what: str) -> None:
        """So many in all are done by now, of as many as are known of: tasks, or other things."""
        if not self._watched:
            return
        with self._lock:
            if (taken := self._taken(doing)) >= PATIENCE:
                rate = f"{done:,} of {counted(total, what)}"
                self._show(told(doing, done / total, taken - self._since[doing], rate))

    def _taken(self, doing: str) -> float:
        """Seconds since the beginning; the first that are spent with this are remembered."""
        taken = time.monotonic() - self._begun
        self._since.setdefault(doing, taken)
        return taken

    def _show(self, text: str) -> None:
        self._bar = self._bar or self.enter_context(closing(Bar()))
        self._bar.show(text)


def told(said: str, share: float | None, taken: float, rate: str = "") -> str:
    """How far the work is, and how long the rest takes if it goes on like that.

    >>> told("reading bm25", 0.25, 20.0, "2.0 M lines/s")
    'reading bm25 ━━━━━━────────────────── 2.0 M lines/s 1:00 left'
    >>> told("testing", None, 20.0)
    'testing'
    """
    parts = [said]
    if share is not None:
        done = round(WIDTH * share)
        parts.append("━" * done + "─" * (WIDTH - done))
    if rate:
        parts.append(rate)
    if share:
        minutes, seconds = divmod(round(taken * (1 - share) / share), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return " ".join(parts)


class Bar:
    """A line on standard error that is written over, and gone in the end."""

    def __init__(self) -> None:
        self._width, self._next = 0, 0.0

    def show(self, text: str) -> None:
        """Write it, not more often than somebody can read it."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + OFTEN
            self._write(text[: _columns() - 1])

    def close(self) -> None:
        """Leave an empty line, and begin at its beginning."""
        self._write("")
        self._write("")

    def _write(self, text: str) -> None:
        before, self._width = self._width, cells(text)
        sys.stderr.write("\r" + text + " " * (before - self._width))
        sys.stderr.flush()


def _columns() -> int:
    """How wide the terminal is."""
    with suppress(OSError):
        return os.get_terminal_size(2).columns
    return 80
