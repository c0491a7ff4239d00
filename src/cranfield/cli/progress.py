"""A progress bar on standard error, for work that takes longer than a second."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from threading import Lock

from cranfield.cli.messages import is_json
from cranfield.data.reading.table import PartRead
from cranfield.wording import escape_unprintable, format_count, measure_width

DELAY, INTERVAL = 1.0, 0.1  # seconds, before it is shown, and until it is shown again
WIDTH = 24  # of the bar
READING = "reading"


class Progress(ExitStack):
    """Progress of reading files, and of a number of steps if known.

    The bar is shown if the work takes longer than a second and standard error is a terminal.
    """

    def __init__(self, files: Iterable[str] = (), doing: str = "", steps: int = 0) -> None:
        super().__init__()
        size = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
        self._doing, self._totals = doing, {READING: size, doing: steps}
        self._start = time.monotonic()
        self._visible = sys.stderr.isatty() and not is_json()
        self.callback(self._stop)
        self._done = Counter[str]()
        self._lines = 0
        self._start_times = {READING: 0.0}  # seconds from the beginning to the first step
        self._bar: Bar | None = None
        self._lock = Lock()

    def _stop(self) -> None:
        """Show nothing more: others write now."""
        self._visible = False

    def update(self, more: int | PartRead) -> None:
        """Add steps, or a part of a run that was read.

        Several threads share one bar.
        """
        if not self._visible:
            return
        doing = label = self._doing
        lines = 0
        if isinstance(more, PartRead):
            doing, label = READING, f"{READING} {escape_unprintable(more)}"
            lines, more = more.lines, more.bytes_read
        with self._lock:
            self._done[doing] += more
            self._lines += lines
            if (elapsed := self._measure_time(doing)) >= DELAY:
                total = self._totals[doing]
                share = min(1.0, self._done[doing] / total) if total else None  # some read twice
                rate = f"{self._lines / elapsed / 1e6:.1f} M lines/s" if doing == READING else ""
                self._show(format_progress(label, share, elapsed - self._start_times[doing], rate))

    def count(self, doing: str, done: int, total: int, noun: str) -> None:
        """So many in all are done by now, of as many as are known of: tasks, or other things."""
        if not self._visible:
            return
        with self._lock:
            if (elapsed := self._measure_time(doing)) >= DELAY:
                rate = f"{done:,} of {format_count(total, noun)}"
                self._show(format_progress(doing, done / total, elapsed - self._start_times[doing], rate))

    def _measure_time(self, doing: str) -> float:
        """Return the seconds since the start, and remember the start of an activity."""
        elapsed = time.monotonic() - self._start
        self._start_times.setdefault(doing, elapsed)
        return elapsed

    def _show(self, text: str) -> None:
        self._bar = self._bar or self.enter_context(closing(Bar()))
        self._bar.show(text)


def format_progress(label: str, fraction: float | None, elapsed: float, rate: str = "") -> str:
    """Format progress and the estimated time left.

    >>> format_progress("reading bm25", 0.25, 20.0, "2.0 M lines/s")
    'reading bm25 ━━━━━━────────────────── 2.0 M lines/s 1:00 left'
    >>> format_progress("testing", None, 20.0)
    'testing'
    """
    parts = [label]
    if fraction is not None:
        done = round(WIDTH * fraction)
        parts.append("━" * done + "─" * (WIDTH - done))
    if rate:
        parts.append(rate)
    if fraction:
        minutes, seconds = divmod(round(elapsed * (1 - fraction) / fraction), 60)
        parts.append(f"{minutes}:{seconds:02} left")
    return " ".join(parts)


class Bar:
    """A line on standard error that is written over, and gone in the end."""

    def __init__(self) -> None:
        self._width, self._next = 0, 0.0

    def show(self, text: str) -> None:
        """Write the text, unless the last text was written just before."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + INTERVAL
            self._write(text[: _get_columns() - 1])

    def close(self) -> None:
        """Leave an empty line, with the cursor at its start."""
        self._write("")
        self._write("")

    def _write(self, text: str) -> None:
        old_width, self._width = self._width, measure_width(text)
        sys.stderr.write("\r" + text + " " * (old_width - self._width))
        sys.stderr.flush()


def _get_columns() -> int:
    """Return the width of the terminal."""
    with suppress(OSError):
        return os.get_terminal_size(2).columns
    return 80
