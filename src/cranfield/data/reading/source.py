"""Where bytes come from: a path or standard input, plain or compressed, with or without a BOM."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import IO, Any

from cranfield.data.reading.columns import Kind
from cranfield.errors import CranfieldError, InputError

BLANKS = rb"[ \t\r\f\v]*"
# What is no data: comments, and how NTCIR's runs describe their system. A description may take
# several lines before the first line of data, elsewhere one.
NO_DATA = re.compile(
    rb"^%b(?:#[^\n]*|<SYSDESC>(?:(?!</?SYSDESC>)[^\n])*</SYSDESC>%b)(?:\n|\Z)" % (BLANKS, BLANKS),
    re.MULTILINE | re.IGNORECASE,
)
BEFORE = re.compile(
    rb"(?:\xef\xbb\xbf)?"  # a byte order mark
    rb"(?:(?:%b(?:#[^\n]*)?\n)*%b<SYSDESC>(?:(?!</?SYSDESC>).)*</SYSDESC>%b(?:\n|\Z))*"
    % ((BLANKS,) * 3),
    re.DOTALL | re.IGNORECASE,
)
CHUNK = 4 << 20
START = 1 << 14
MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd")  # what names of compressed files end in


def split_name(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The name of a file without directory and suffix, and its suffix, be it compressed or not.

    >>> split_name("runs/bm25.JSON.gz")
    ('bm25', '.json')
    """
    stem, suffix = os.path.splitext(os.path.basename(path))
    if suffix.lower() in COMPRESSED:
        stem, suffix = os.path.splitext(stem)
    return stem, suffix.lower()


@dataclass(frozen=True, eq=False)
class Source:
    """A file named by the user (`-` is standard input), opened as often as it is needed."""

    path: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Source:
        return path if isinstance(path, Source) else cls(os.fspath(path))

    def __fspath__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """How messages call it."""
        return "standard input" if self.path == "-" else self.path

    @cached_property
    def compression(self) -> str | None:
        """gz, bz2, xz or zst, told by the first bytes and not by the name."""
        with self._raw() as stream:
            first = stream.read(10)
        return next((name for name, magic in MAGIC.items() if magic.match(first)), None)

    @cached_property
    def start(self) -> bytes:
        """The first few thousand bytes, decompressed."""
        with self.reading() as stream:
            return stream.read(START)

    def open(self) -> IO[bytes]:
        """The bytes, decompressed, without what stands before the data."""
        stream = io.BufferedReader(self._decompressed(), buffer_size=1 << 17)
        stream.read(len(self._before))
        return stream

    @cached_property
    def _before(self) -> bytes:
        """A byte order mark, and descriptions of the system."""
        with self._decompressed() as stream:
            found = BEFORE.match(stream.read(START))
        return found.group() if found else b""

    def line(self, number: int) -> int:
        """The number that a line has in the file, counted in what is read."""
        return self._before.count(b"\n") + number

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
            begin = len(self._before)
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

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """The open stream; broken compression is a user's error and not ours."""
        import zlib

        try:
            with self.open() as stream:
                yield stream
        except (EOFError, OSError, zlib.error) as error:
            raise self._broken(error) from None
        except Exception as error:  # these two have their classes in modules not always there
            if type(error).__name__ in ("LZMAError", "ZstdError"):
                raise self._broken(error) from None
            raise

    def _broken(self, error: Exception) -> CranfieldError:
        what = f"broken {self.compression or 'file'} data ({error})"
        return InputError(what, "a complete file", self.name)

    def _raw(self) -> IO[bytes]:
        if self.path == "-":
            return io.BytesIO(self._once)
        try:
            if os.path.isdir(self.path):
                raise CranfieldError(f"{self.path} is a directory, expected a file")
            if not os.path.isfile(self.path):
                return io.BytesIO(self._once)
            return open(self.path, "rb", buffering=0)
        except OSError as error:
            raise cannot_read(self.name, error) from None
        except ValueError:  # a NUL in the name
            raise InputError(f"file name {self.path!r}", "another", None) from None

    def _decompressed(self) -> Any:
        raw = self._raw()
        if self.compression is None:
            return raw
        module = {"gz": "gzip", "bz2": "bz2", "xz": "lzma", "zst": ZSTD}[self.compression]
        return import_module(module).open(raw)

    @cached_property
    def _once(self) -> bytes:
        """What standard input or a pipe (process substitution) says, which is read once only."""
        if self.path == "-":
            return sys.stdin.buffer.read()
        with open(self.path, "rb") as pipe:
            return pipe.read()


def cannot_read(name: str, error: OSError) -> CranfieldError:
    """The error that a file or a directory is that cannot be read."""
    return CranfieldError(f"cannot read {name}: {(error.strerror or str(error)).lower()}")


@dataclass(frozen=True)
class Beginning:
    """What tells the format of a file: how it begins, and what the user says of it."""

    source: Source
    kind: Kind | None = None  # what it holds, where that is known
    separator: str | None = None  # between the fields of a line; None: blanks
    labels: Collection[str] = ()  # what may stand where NTCIR's judgments have L2

    @property
    def start(self) -> bytes:
        """The first few thousand bytes."""
        return self.source.start

    @cached_property
    def lines(self) -> list[bytes]:
        """The first lines that hold something, but for one that may be cut."""
        lines = self.start.splitlines()[: None if len(self.start) < START else -1]
        return [line for line in lines if line.strip() and not NO_DATA.match(line)]

    @property
    def first(self) -> str:
        """The first of these lines, if there is one."""
        return self.lines[0].decode("utf-8", "replace") if self.lines else ""

    @cached_property
    def fields(self) -> list[list[str]]:
        """The fields of the first hundred lines."""
        between = None if self.separator is None else self.separator.encode()
        cut = (line.split(between) for line in self.lines[:100])
        return [[field.strip().decode("utf-8", "replace") for field in line] for line in cut]
