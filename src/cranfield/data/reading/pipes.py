"""Reading of standard input and pipes (process substitution)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

CHUNK = 1 << 20
WAIT = 100  # milliseconds between checks for signals


def read_chunks(path: str) -> Iterator[bytes]:
    """Yield the bytes of standard input (`-`) or a pipe as they arrive."""
    with _open(path) as pipe:
        _wait(pipe)
        while chunk := pipe.read1(CHUNK):
            yield chunk
            _wait(pipe)


def _open(path: str) -> AbstractContextManager[Any]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    # On other systems, a pipe without a writer may look like the end of the file.
    return open(path, "rb", opener=_open_nonblocking if sys.platform == "linux" else None)


def _open_nonblocking(path: str, flags: int) -> int:
    """Open a pipe without waiting for a writer. `_wait` waits before the first read."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def _wait(pipe: Any) -> None:
    """Wait for data or the end of the pipe, and handle signals.

    `read` alone would miss signals that arrive just before it or in another thread. It would miss
    all signals if Polars is loaded, because Polars sets SA_RESTART.
    """
    import select

    if not hasattr(select, "poll"):  # Windows
        return
    ready = select.poll()
    with suppress(OSError, ValueError):  # bytes in memory need no waiting
        ready.register(pipe, select.POLLIN)
        while not ready.poll(WAIT):
            pass
