"""Standard input and pipes (process substitution): read once, and waited for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

CHUNK = 1 << 20
WAIT = 100  # milliseconds until Python looks again whether somebody wants to stop


def read_chunks(path: str) -> Iterator[bytes]:
    """What standard input (`-`) or a pipe says, as it comes."""
    with _open(path) as pipe:
        _wait(pipe)
        while chunk := pipe.read1(CHUNK):
            yield chunk
            _wait(pipe)


def _open(path: str) -> AbstractContextManager[Any]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    # Elsewhere a pipe that nobody has written to yet may look like one that has ended.
    return open(path, "rb", opener=_open_nonblocking if sys.platform == "linux" else None)


def _open_nonblocking(path: str, flags: int) -> int:
    """Opens a pipe, whether or not somebody writes to it: that is waited for before it is read."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def _wait(pipe: Any) -> None:
    """Until there is something to read, or the end.

    `read` waits, too, but not for a signal that came just before it, or to another thread, nor
    for any if Polars is loaded, which has Linux go on with what a signal interrupts (SA_RESTART).
    """
    import select

    if not hasattr(select, "poll"):  # Windows
        return
    ready = select.poll()
    with suppress(OSError, ValueError):  # bytes in memory, which need no waiting for
        ready.register(pipe, select.POLLIN)
        while not ready.poll(WAIT):
            pass
