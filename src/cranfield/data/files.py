"""Files as bytes: read with a friendly error, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable

from cranfield.errors import CranfieldError


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return everything a file holds."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CranfieldError(f"cannot read {os.fspath(path)}: {error.strerror}") from error


def write_whole(path: str | os.PathLike[str], data: bytes | Iterable[bytes]) -> None:
    """Write a file so that `path` holds all of the data, or what it held before.

    The bytes go to a temporary file in the same directory, which takes the name of the real one
    once it is complete. Pipes and devices such as ``/dev/stdout`` are written to directly.
    """
    chunks = [data] if isinstance(data, bytes) else data
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                file.writelines(chunks)
        else:
            _write_and_rename(os.path.realpath(path), chunks)  # a link stays a link
    except OSError as error:
        raise CranfieldError(f"cannot write {os.fspath(path)}: {_reason(path, error)}") from error


def _write_and_rename(path: str, chunks: Iterable[bytes]) -> None:
    # Not mkstemp, which makes files that nobody else may read. The name stays short because
    # that of the target may already be as long as the file system allows.
    temporary = os.path.join(os.path.dirname(path), f".cranfield-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.writelines(chunks)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _reason(path: str | os.PathLike[str], error: OSError) -> str:
    directory = os.path.dirname(os.fspath(path)) or "."
    if not os.path.isdir(directory):
        return f"there is no directory {directory}"
    if isinstance(error, PermissionError):
        return f"no permission to write in {directory}"
    return error.strerror or str(error)


def reopen_closed_streams() -> None:
    """Lead standard streams that are closed nowhere: the next file would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))
