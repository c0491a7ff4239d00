"""Where bytes come from: a path or standard input, plain or compressed, with or without a BOM."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any

from cranfield.errors import CranfieldError

BOM = b"\xef\xbb\xbf"
CHUNK = 4 << 20


@dataclass(frozen=True, eq=False)
class Source:
    """A file named by the user (`-` is standard input), opened as often as it is needed."""

    path: str
    _kept: dict[str, bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Source:
        return cls(os.fspath(path))

    @property
    def name(self) -> str:
        """How messages call it."""
        return "standard input" if self.path == "-" else self.path

    @cached_property
    def compression(self) -> str | None:
        """gz, bz2, xz or zst, told by the first bytes and not by the name."""
        with self._raw() as stream:
            first = stream.read(6)
        for name, magic in (
            ("gz", b"\x1f\x8b"),
            ("bz2", b"BZh"),
            ("xz", b"\xfd7zXZ\x00"),
            ("zst", b"\x28\xb5\x2f\xfd"),
        ):
            if first.startswith(magic):
                return name
        return None

    @cached_property
    def start(self) -> bytes:
        """The first few thousand bytes, decompressed."""
        with self.reading() as stream:
            return stream.read(1 << 14)

    def open(self) -> IO[bytes]:
        """The bytes, decompressed and without a byte order mark."""
        stream = io.BufferedReader(self._decompressed(), buffer_size=1 << 17)
        if stream.peek(len(BOM))[: len(BOM)] == BOM:
            stream.read(len(BOM))
        return stream

    def read(self) -> bytes:
        """All bytes at once."""
        with self.reading() as stream:
            return stream.read()

    def pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        """The bytes in pieces that end where a line does, to be read by whoever works on them."""
        if self.compression is not None or not os.path.isfile(self.path):
            for chunk in self._chunks(size):
                yield lambda chunk=chunk: chunk  # type: ignore[misc]
            return
        with self._raw() as stream:
            end = os.fstat(stream.fileno()).st_size
            begin = len(BOM) if stream.read(len(BOM)) == BOM else 0
            while begin < end:
                stream.seek(begin + size)
                stop = min(begin + size + len(stream.readline()), end)
                yield lambda begin=begin, stop=stop: self._range(begin, stop)  # type: ignore[misc]
                begin = stop

    def _range(self, begin: int, stop: int) -> bytes:
        with self._raw() as stream:
            stream.seek(begin)
            return stream.read(stop - begin)

    def _chunks(self, size: int) -> Iterator[bytes]:
        with self.reading() as stream:
            while piece := stream.read(size):
                yield piece + stream.readline()

    def reading(self) -> _Reading:
        """The open stream as a context in which broken compression is a user's error."""
        return _Reading(self)

    def _raw(self) -> IO[bytes]:
        if self.path == "-":
            return io.BytesIO(self._stdin())
        try:
            if os.path.isdir(self.path):
                raise CranfieldError(f"{self.path} is a directory, expected a file")
            # Pipes (process substitution) can be read once only: keep what they say.
            if not os.path.isfile(self.path):
                if "pipe" not in self._kept:
                    with open(self.path, "rb") as pipe:
                        self._kept["pipe"] = pipe.read()
                return io.BytesIO(self._kept["pipe"])
            return open(self.path, "rb", buffering=0)
        except OSError as error:
            raise _cannot_read(self.name, error) from None

    def _decompressed(self) -> Any:
        raw = self._raw()
        match self.compression:
            case "gz":
                import gzip

                return gzip.GzipFile(fileobj=raw)
            case "bz2":
                import bz2

                return bz2.BZ2File(raw)
            case "xz":
                import lzma

                return lzma.LZMAFile(raw)
            case "zst":
                import zstandard

                return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return raw

    def _stdin(self) -> bytes:
        if "stdin" not in self._kept:
            self._kept["stdin"] = sys.stdin.buffer.read()
        return self._kept["stdin"]


class _Reading:
    """A stream whose read errors name the file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __enter__(self) -> IO[bytes]:
        self._stream = self._source.open()
        return self._stream

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._stream.close()
        import zlib

        broken = (EOFError, zlib.error, OSError)
        name = type(error).__name__
        if isinstance(error, broken) or name in ("LZMAError", "ZstdError"):
            raise CranfieldError(
                f"{self._source.name}: found broken {self._source.compression or 'file'} data "
                f"({error}), expected a complete file"
            ) from None


def _cannot_read(name: str, error: OSError) -> CranfieldError:
    return CranfieldError(f"cannot read {name}: {(error.strerror or str(error)).lower()}")
