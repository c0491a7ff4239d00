"""Pipes that say something late, in parts, or nothing; `tests/robust` stops those who wait."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from cranfield.data.reading import pipes

posix = pytest.mark.skipif(os.name != "posix", reason="pipes")
LATE = 2 * pipes.WAIT / 1000  # when it was looked for at least once


def written(path: Path, parts: Iterable[bytes]) -> None:
    time.sleep(LATE)
    with open(path, "wb", buffering=0) as pipe:
        for part in parts:
            time.sleep(LATE)
            pipe.write(part)


@posix
@pytest.mark.parametrize("parts", [[], [b"one"], [b"one", b"x" * 200_000, b"two"]])
def test_all_is_read(tmp_path: Path, parts: list[bytes]) -> None:
    """The end is where the writer leaves, and not before the first one comes."""
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=written, args=(tmp_path / "pipe", parts))
    writer.start()
    assert b"".join(pipes.read_chunks(str(tmp_path / "pipe"))) == b"".join(parts)
    writer.join()


@posix
def test_what_standard_input_holds_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody read a line of it before us."""
    read, write = os.pipe()
    os.write(write, b"read\nleft\n")
    os.close(write)
    with open(read, "rb") as buffer:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))
        assert buffer.readline() == b"read\n"
        assert b"".join(pipes.read_chunks("-")) == b"left\n"
        assert not buffer.closed  # it is not ours


def test_bytes_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"said")))
    assert list(pipes.read_chunks("-")) == [b"said"]
