"""Where bytes come from: a path or standard input, plain or packed, with or without a BOM."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import cached_property
from typing import IO, Any

from cranfield.data.files import register_input
from cranfield.data.reading import pipes
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.compression import SUFFIXES, Compression
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, FileError, InputError, describe_value
from cranfield.wording import encode_text, format_option

BOM = b"\xef\xbb\xbf"  # a byte order mark
SPACES = rb"[ \t\r\f\v]*"
# What is no data: comments, and how NTCIR's runs describe their system. A description may take
# several lines before the first line of data, elsewhere one.
NO_DATA = re.compile(
    rb"^%b(?:#[^\n]*|<SYSDESC>(?:(?!</?SYSDESC>)[^\n])*</SYSDESC>%b)(?:\n|\Z)" % (SPACES, SPACES),
    re.MULTILINE | re.IGNORECASE,
)
PREAMBLE = re.compile(
    rb"(?:%b)?(?:(?:%b(?:#[^\n]*)?\n)*%b<SYSDESC>(?:(?!</?SYSDESC>).)*</SYSDESC>%b(?:\n|\Z))*"
    % (BOM, *(SPACES,) * 3),
    re.DOTALL | re.IGNORECASE,
)
# What a file says of its system: the lines of ir_metadata, and what NTCIR's runs begin with.
DESCRIPTION = re.compile(
    rb"^%b# *ir_metadata\.start\b[^\n]*\n"
    rb"(?P<comments>(?:%b#(?! *ir_metadata\.end\b)[^\n]*(?:\n|\Z))*)"
    rb"|^%b<SYSDESC>(?P<text>(?:(?!</?SYSDESC>).)*)</SYSDESC>" % ((SPACES,) * 3),
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
DESCRIPTION_SIZE = 1 << 16  # bytes in which it is looked for
CHUNK = 4 << 20
START = 1 << 14


def split_name(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The name of a file without directory and suffix, and its suffix, be it compressed or not.

    >>> split_name("runs/bm25.JSON.gz"), split_name("dense.tar.zst")
    (('bm25', '.json'), ('dense', ''))
    """
    stem, suffix = os.path.splitext(encode_text(os.path.basename(os.fspath(path))).decode())
    while suffix.lower() in SUFFIXES:
        stem, suffix = os.path.splitext(stem)
    return stem, suffix.lower()


@dataclass(frozen=True)
class Limits:
    """What is refused, as it can hardly be meant and would fill the memory."""

    line: int = 1 << 20  # bytes of a line
    expansion: float | None = None  # how many times its size a file may hold; None: the usual


LONGEST_LINE = 1 << 62  # bytes that can be asked for: a limit beyond is none

LIMITS = ContextVar("LIMITS", default=Limits())  # noqa: B039 - frozen; of the files named from now on


@contextmanager
def reading_limits(
    max_line: int | None = None, max_expansion: float | None = None
) -> Iterator[None]:
    """Other limits for the files that are named inside: bytes of a line, times a file's size.

    >>> with reading_limits(max_line=10_000_000):
    ...     Source.of("run.txt").limits.line
    10000000
    """
    defaults = LIMITS.get()
    line = defaults.line if max_line is None else min(max_line, LONGEST_LINE)
    expansion = defaults.expansion if max_expansion is None else max_expansion
    if not (line >= 1 and (expansion is None or expansion >= 1)):
        raise InputError(f"limits {max_line}, {max_expansion}", "numbers from 1")
    token = LIMITS.set(Limits(line, expansion))
    try:
        yield
    finally:
        LIMITS.reset(token)


EXPANSION = 100  # times its size a compressed file usually holds at most,
HARMLESS = 100 << 20  # unless that is no more than this,
LARGEST_FILE = 50 << 30  # and never more than this


@dataclass(frozen=True, eq=False)
class Source:
    """A file named by the user (`-` is standard input), opened as often as it is needed."""

    path: str
    limits: Limits = field(default_factory=LIMITS.get)

    @classmethod
    def from_path(cls, path: str | os.PathLike[str]) -> Source:
        if isinstance(path, Source):
            return path
        if not isinstance(path, str | os.PathLike):
            raise InputError(describe_value(path), "a path")
        return cls(os.fspath(path))

    def __fspath__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """How messages call it, and results that nothing else names."""
        return "standard input" if self.path == "-" else encode_text(self.path).decode()

    @property
    def suffix(self) -> str:
        """What its name ends in, or in an archive that of the file, packed or not."""
        return split_name(self.compression.member or self.path)[1]

    @cached_property
    def compression(self) -> Compression:
        """What it is packed in, told by the first bytes and not by the name."""
        with self._open_raw() as stream:
            return Compression.from_stream(stream, self.name, self._make_bound(stream))

    @cached_property
    def start(self) -> bytes:
        """The first few thousand bytes, unpacked."""
        with self.open_checked() as stream:
            return stream.read(START)

    @cached_property
    def first_lines(self) -> list[bytes]:
        """The first lines that hold something, but for one that may be cut."""
        lines = self.start.splitlines()[: None if len(self.start) < START else -1]
        return [line for line in lines if line.strip() and not NO_DATA.match(line)]

    def open(self) -> IO[bytes]:
        """The bytes, unpacked, without what stands before the data."""
        stream = io.BufferedReader(self._open_decompressed(), buffer_size=1 << 17)
        stream.read(len(self._preamble))
        return stream

    @cached_property
    def _preamble(self) -> bytes:
        """A byte order mark, and descriptions of the system."""
        with self._open_decompressed() as stream:
            match = PREAMBLE.match(stream.read(START))
        return match.group() if match else b""

    @cached_property
    def description(self) -> str:
        """What it says of its system, be that YAML or anything else; nothing, if it is silent."""
        from textwrap import dedent

        with io.BufferedReader(self._open_decompressed()) as stream:
            begin = stream.read(DESCRIPTION_SIZE).removeprefix(BOM).replace(b"\r\n", b"\n")
        parts = []
        for match in DESCRIPTION.finditer(begin):
            comments, text = (match[name] for name in ("comments", "text"))
            uncommented = re.sub(rb"^%b#" % SPACES, b"", comments or b"", flags=re.MULTILINE)
            parts.append(dedent((text or uncommented).decode("utf-8", "replace")).strip("\n "))
        return "\n".join(parts)

    def get_line_number(self, number: int) -> int:
        """The number that a line has in the file, counted in what is read."""
        return self._preamble.count(b"\n") + number

    def read(self) -> bytes:
        """All bytes at once."""
        with self.open_checked() as stream:
            return stream.read()

    def iter_pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        """The bytes in pieces that end where a line does, to be read by whoever works on them."""
        if not self.is_seekable:
            for chunk in self._iter_chunks(size):
                yield lambda chunk=chunk: chunk  # type: ignore[misc]
            return
        for begin, stop in self.iter_bounds(size):
            yield lambda begin=begin, stop=stop: self.read_range(begin, stop)  # type: ignore[misc]

    def iter_bounds(
        self, size: int, begin: int | None = None, end: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """Where the stretches of a plain file begin and stop, each where a line does."""
        with self._open_raw() as stream:
            end = os.fstat(stream.fileno()).st_size if end is None else end
            begin = len(self._preamble) if begin is None else begin
            while begin < end:
                stream.seek(begin + size)
                stop = min(begin + size + len(stream.readline(self.limits.line + 1)), end)
                yield begin, stop
                begin = stop

    @property
    def is_seekable(self) -> bool:
        """Whether its bytes can be had from anywhere: it is neither packed nor a pipe."""
        return not self.compression.layers and os.path.isfile(self.path)

    def read_range(self, begin: int, stop: int) -> bytes:
        """The bytes begin..stop-1 of a file that is plain."""
        with self._open_raw() as stream:
            stream.seek(begin)
            data = stream.read(stop - begin)
            self.reject_changed(stream)
        if len(data) < stop - begin:
            raise self._make_changed_error()
        return data

    def _iter_chunks(self, size: int) -> Iterator[bytes]:
        with self.open_checked() as stream:
            while piece := stream.read(size):
                yield piece + stream.readline(self.limits.line + 1)

    def find_long_line(self, text: bytes) -> int | None:
        """Where a line begins that is longer than lines may be, if there is one.

        Looks for the end of a line in every stretch of that length, and not for all ends.
        """
        limit, begin = self.limits.line, 0
        while len(text) - begin > limit:
            end = text.rfind(b"\n", begin, begin + limit + 1)
            if end < 0:
                return begin
            begin = end + 1
        return None

    def make_long_line_error(self, line: int | None) -> InputError:
        """The error that a line is which is longer than lines may be."""
        actual = f"a line of more than {self.limits.line:,} bytes"
        return InputError(actual, "shorter ones", self.name, line, "--max-line BYTES allows others")

    @contextmanager
    def open_checked(self) -> Iterator[IO[bytes]]:
        """The open stream; a disk that fails is a user's error and not ours."""
        try:
            with self.open() as stream:
                yield stream
            self.reject_changed()
        except OSError as error:
            raise InputError(f"broken file data ({error})", "a complete file", self.name) from None

    @contextmanager
    def _open_raw(self) -> Iterator[IO[bytes]]:
        """The open stream as it is, packed or not; a disk may fail in the middle of it."""
        try:
            with self._open_file() as stream:
                yield stream
        except OSError as error:
            raise make_read_error(self.name, error) from None

    def _open_file(self) -> IO[bytes]:
        try:
            if self.path != "-" and os.path.isdir(self.path):
                raise CranfieldError(f"{self.path} is a directory, expected a file")
            if self.path == "-" or not os.path.isfile(self.path):
                return io.BytesIO(self._pipe_data)
            stream = open(self.path, "rb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise make_read_error(self.name, error) from None
        except ValueError:  # a NUL in the name
            raise InputError(f"file name {self.path!r}", "another", None) from None
        register_input(os.fstat(stream.fileno()))
        self.reject_changed(stream)
        return stream

    @cached_property
    def _first_identity(self) -> tuple[int, ...]:
        """What tells a file from what it was before, or from another of its name."""
        return _get_identity(os.stat(self.path))

    def reject_changed(self, stream: IO[bytes] | None = None) -> None:
        """A file is read in parts, and more than once: it must stay what it was."""
        if not os.path.isfile(self.path) and "_known" not in self.__dict__:
            return  # standard input or a pipe
        try:
            now = os.stat(self.path) if stream is None else os.fstat(stream.fileno())
            is_same = _get_identity(now) == self._first_identity
        except OSError:
            is_same = False
        if not is_same:
            raise self._make_changed_error()

    def _make_changed_error(self) -> InputError:
        return InputError("a file that was changed while it was read", "the same", self.name)

    def _open_decompressed(self) -> Any:
        packing = self.compression
        raw = self._open_file()
        return packing.open(raw, self._make_bound(raw)) if packing.layers else raw

    @property
    def compression_ratio(self) -> float:
        """How many of its bytes stand for one that it holds, as far as it has been unpacked."""
        return self._compression_ratio[0]

    @cached_property
    def _compression_ratio(self) -> list[float]:
        return [1.0]

    def _make_bound(self, raw: IO[bytes]) -> Callable[[int], None]:
        """Refuses more bytes than a file of that size may hold."""
        times = EXPANSION if self.limits.expansion is None else self.limits.expansion
        size = raw.seek(0, os.SEEK_END)
        raw.seek(0)
        default = min(max(EXPANSION * size, HARMLESS), LARGEST_FILE)
        limit = default if self.limits.expansion is None else times * size

        def check_size(count: int) -> None:
            self._compression_ratio[0] = raw.tell() / max(1, count)
            if count > limit:
                text = f"more than {int(limit):,} bytes in a compressed file"
                expected = f"at most {times:g} times its size, and {LARGEST_FILE >> 30} GB"
                limits = "reading_limits(max_expansion=TIMES)"
                hint = f"{format_option('--max-expansion TIMES', limits)} allows more"
                raise InputError(text, expected, self.name, hint=hint)

        return check_size

    @cached_property
    def _pipe_data(self) -> bytes:
        """What standard input or a pipe (process substitution) says, which is read once only.

        It is held in memory, and may not end.
        """
        buffer, limit = io.BytesIO(), get_memory_limit()
        for chunk in pipes.read_chunks(self.path):
            if buffer.tell() + len(chunk) > limit:
                actual = f"more than {limit / 2**30:.3g} GB in a pipe, half of the memory"
                raise InputError(actual, "a file, which is read in pieces", self.name)
            buffer.write(chunk)
        return buffer.getvalue()


def get_memory_limit() -> int:
    """The bytes of what can be read only once: half of the memory, where its size is known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):  # not POSIX
        return 8 << 30


@dataclass(frozen=True, eq=False)
class Piece(Source):
    """Some whole lines of a file, after so many others, or all that it holds, in memory."""

    text: bytes = b""
    line_offset: int = 0

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.text)

    @cached_property
    def compression(self) -> Compression:
        """It has been unpacked."""
        return Compression(self.name)

    def iter_pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        yield lambda: self.text

    def get_line_number(self, number: int) -> int:
        return self.line_offset + number

    def reject_changed(self, stream: IO[bytes] | None = None) -> None:
        """It has been read."""


@dataclass(frozen=True, eq=False)
class FileBytes:
    """The bytes of a file that is plain, of which only those are read that are asked for."""

    source: Source

    def __len__(self) -> int:
        return os.path.getsize(self.source.path)

    def __getitem__(self, key: slice) -> bytes:
        begin, stop, _ = key.indices(len(self))
        return self.source.read_range(begin, max(begin, stop))


def _get_identity(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns


def make_read_error(name: str, error: OSError) -> FileError:
    """The error that a file or a directory is that cannot be read."""
    return FileError("read", name, (error.strerror or str(error)).lower())


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

    @property
    def lines(self) -> list[bytes]:
        """The first lines that hold something."""
        return self.source.first_lines

    @property
    def first(self) -> str:
        """The first of these lines, if there is one."""
        return self.lines[0].decode("utf-8", "replace") if self.lines else ""

    @cached_property
    def fields(self) -> list[list[str]]:
        """The fields of the first hundred lines."""
        separator = None if self.separator is None else self.separator.encode()
        cut = (line.split(separator) for line in self.lines[:100])
        return [[field.strip().decode("utf-8", "replace") for field in line] for line in cut]
