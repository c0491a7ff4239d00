"""Input files: a path or standard input, compressed or not, with or without a BOM."""

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

from cranfield.data.files import log_data, register_input
from cranfield.data.reading import pipes
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.compression import SUFFIXES, Compression
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, FileError, InputError, describe_value
from cranfield.wording import encode_text, format_option

BOM = b"\xef\xbb\xbf"  # a byte order mark
SPACES = rb"[ \t\r\f\v]*"
# Comments, and descriptions of the system in NTCIR runs. Before the first line of data, a
# description can have several lines, elsewhere one.
NO_DATA = re.compile(
    rb"^%b(?:#[^\n]*|<SYSDESC>(?:(?!</?SYSDESC>)[^\n])*</SYSDESC>%b)(?:\n|\Z)" % (SPACES, SPACES),
    re.MULTILINE | re.IGNORECASE,
)
PREAMBLE = re.compile(
    rb"(?:%b)?(?:(?:%b(?:#[^\n]*)?\n)*%b<SYSDESC>(?:(?!</?SYSDESC>).)*</SYSDESC>%b(?:\n|\Z))*" % (BOM, *(SPACES,) * 3),
    re.DOTALL | re.IGNORECASE,
)
# Descriptions of the system: lines of ir_metadata, and the start of NTCIR runs.
DESCRIPTION = re.compile(
    rb"^%b# *ir_metadata\.start\b[^\n]*\n"
    rb"(?P<comments>(?:%b#(?! *ir_metadata\.end\b)[^\n]*(?:\n|\Z))*)"
    rb"|^%b<SYSDESC>(?P<text>(?:(?!</?SYSDESC>).)*)</SYSDESC>" % ((SPACES,) * 3),
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
DESCRIPTION_SIZE = 1 << 16  # bytes searched for a description
CHUNK = 4 << 20
START = 1 << 14


def split_lines(data: bytes) -> list[bytes]:
    r"""Split data at the line ends of the readers: ``\n`` and ``\r\n``, not a single ``\r``.

    >>> split_lines(b"a b\r\nc\rd\n")
    [b'a b', b'c\rd', b'']
    """
    return [line.removesuffix(b"\r") for line in data.split(b"\n")]


def split_name(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the name of a file without directory and suffixes, and its suffix.

    Suffixes of compressed files are removed.

    >>> split_name("runs/bm25.JSON.gz"), split_name("dense.tar.zst")
    (('bm25', '.json'), ('dense', ''))
    """
    stem, suffix = os.path.splitext(encode_text(os.path.basename(os.fspath(path))).decode())
    while suffix.lower() in SUFFIXES:
        stem, suffix = os.path.splitext(stem)
    return stem, suffix.lower()


@dataclass(frozen=True)
class Limits:
    """Limits of input files that protect the memory."""

    line: int = 1 << 20  # bytes per line
    expansion: float | None = None  # decompressed size / size; None: the default


LONGEST_LINE = 1 << 62  # larger limits are no limit

LIMITS = ContextVar("LIMITS", default=Limits())  # noqa: B039 - frozen


@contextmanager
def reading_limits(max_line: int | None = None, max_expansion: float | None = None) -> Iterator[None]:
    """Set limits for files opened within a context: bytes per line, decompressed size / size.

    >>> with reading_limits(max_line=10_000_000):
    ...     Source.from_path("run.txt").limits.line
    10000000
    """
    defaults = LIMITS.get()
    line = defaults.line if max_line is None else min(max_line, LONGEST_LINE)
    expansion = defaults.expansion if max_expansion is None else max_expansion
    if not (line >= 1 and (expansion is None or expansion >= 1)):
        raise InputError(f"limits {max_line}, {max_expansion}", "numbers ≥ 1")
    token = LIMITS.set(Limits(line, expansion))
    try:
        yield
    finally:
        LIMITS.reset(token)


EXPANSION = 100  # default limit of decompressed size / size,
HARMLESS = 100 << 20  # smaller decompressed files are allowed,
LARGEST_FILE = 50 << 30  # larger ones are not


@dataclass(frozen=True, eq=False)
class Source:
    """An input file (`-` is standard input), which can be opened more than once."""

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
        """The name in messages, and of results without another name."""
        return "standard input" if self.path == "-" else encode_text(self.path).decode()

    @property
    def suffix(self) -> str:
        """The suffix of the file, or of the file in an archive, without suffixes of compression."""
        return split_name(self.compression.member or self.path)[1]

    @cached_property
    def compression(self) -> Compression:
        """The compression, detected by the first bytes."""
        with self.open_raw() as stream:
            return Compression.from_stream(stream, self.name, self._make_bound(stream))

    @cached_property
    def start(self) -> bytes:
        """The first bytes, decompressed."""
        with self.open_checked() as stream:
            return stream.read(START)

    @cached_property
    def first_lines(self) -> list[bytes]:
        """The first complete lines that are not blank and not comments."""
        lines = split_lines(self.start)[: None if len(self.start) < START else -1]
        return [line for line in lines if line.strip() and not NO_DATA.match(line)]

    def open(self) -> IO[bytes]:
        """Return a stream of the decompressed bytes, without BOM and descriptions."""
        stream = io.BufferedReader(self.open_decompressed(), buffer_size=1 << 17)
        stream.read(len(self._preamble))
        return stream

    @cached_property
    def _preamble(self) -> bytes:
        """A byte order mark, and descriptions before the data."""
        with self.open_decompressed() as stream:
            match = PREAMBLE.match(stream.read(START))
        return match.group() if match else b""

    @cached_property
    def description(self) -> str:
        """The description of the system in the file, such as YAML; empty if it has none."""
        from textwrap import dedent

        with io.BufferedReader(self.open_decompressed()) as stream:
            begin = stream.read(DESCRIPTION_SIZE).removeprefix(BOM).replace(b"\r\n", b"\n")
        parts = []
        for match in DESCRIPTION.finditer(begin):
            comments, text = (match[name] for name in ("comments", "text"))
            uncommented = re.sub(rb"^%b#" % SPACES, b"", comments or b"", flags=re.MULTILINE)
            parts.append(dedent((text or uncommented).decode("utf-8", "replace")).strip("\n "))
        return "\n".join(parts)

    def get_line_number(self, number: int) -> int:
        """Convert a line number in the data to the line number in the file."""
        return self._preamble.count(b"\n") + number

    def read(self) -> bytes:
        """Return all decompressed bytes."""
        with self.open_checked() as stream:
            return stream.read()

    def iter_pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        """Yield functions that each read a piece of complete lines."""
        if not self.is_seekable:
            for chunk in self._iter_chunks(size):
                yield lambda chunk=chunk: chunk  # type: ignore[misc]
            return
        for begin, stop in self.iter_bounds(size):
            yield lambda begin=begin, stop=stop: self.read_range(begin, stop)  # type: ignore[misc]

    def iter_bounds(self, size: int, begin: int | None = None, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield start and end of pieces of complete lines in a seekable file."""
        with self.open_raw() as stream:
            end = os.fstat(stream.fileno()).st_size if end is None else end
            begin = len(self._preamble) if begin is None else begin
            while begin < end:
                stream.seek(begin + size)
                stop = min(begin + size + len(stream.readline(self.limits.line + 1)), end)
                yield begin, stop
                begin = stop

    @property
    def is_seekable(self) -> bool:
        """True if the file can be read from any position: it is not compressed and not a pipe."""
        return not self.compression.layers and os.path.isfile(self.path)

    def read_range(self, begin: int, stop: int) -> bytes:
        """Return the bytes begin..stop-1 of a seekable file."""
        with self.open_raw() as stream:
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
        """Return the start of a line that is too long, or None.

        Searches for one line end per range of the maximum length, and not for all line ends.
        """
        limit, begin = self.limits.line, 0
        while len(text) - begin > limit:
            end = text.rfind(b"\n", begin, begin + limit + 1)
            if end < 0:
                return begin
            begin = end + 1
        return None

    def make_long_line_error(self, line: int | None) -> InputError:
        """Return the error for a line that is too long."""
        problem = f"line has more than {self.limits.line:,} bytes"
        fix = "To allow longer lines, use --max-line BYTES."
        return InputError.from_problem(problem, fix, self.name, line)

    @contextmanager
    def open_checked(self) -> Iterator[IO[bytes]]:
        """Open the stream. Convert disk errors to InputError."""
        try:
            with self.open() as stream:
                yield stream
            self.reject_changed()
        except OSError as error:
            raise InputError.from_problem(f"corrupt data ({error})", "", self.name) from None

    @contextmanager
    def open_raw(self) -> Iterator[IO[bytes]]:
        """Open the stream without decompression. Convert disk errors to FileError."""
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
            raise InputError.from_problem(f"invalid file name {self.path!r}") from None
        register_input(os.fstat(stream.fileno()), self.path)
        self.reject_changed(stream)
        return stream

    @cached_property
    def _first_identity(self) -> tuple[int, ...]:
        """Device, inode, size and time of the file when it was first opened."""
        return _get_identity(os.stat(self.path))

    def reject_changed(self, stream: IO[bytes] | None = None) -> None:
        """Raise InputError if the file changed since it was first opened."""
        if not os.path.isfile(self.path) and "_first_identity" not in self.__dict__:
            return  # standard input or a pipe
        try:
            now = os.stat(self.path) if stream is None else os.fstat(stream.fileno())
            is_same = _get_identity(now) == self._first_identity
        except OSError:
            is_same = False
        if not is_same:
            raise self._make_changed_error()

    def _make_changed_error(self) -> InputError:
        problem = "file changed while it was being read"
        return InputError.from_problem(problem, "Rerun the command.", self.name)

    def open_decompressed(self) -> Any:
        compression, raw = self.compression, self._open_file()
        return compression.open(raw, self._make_bound(raw)) if compression.layers else raw

    @property
    def compression_ratio(self) -> float:
        """Size / decompressed size, as far as the file has been read."""
        return self._compression_ratio[0]

    @cached_property
    def _compression_ratio(self) -> list[float]:
        return [1.0]

    def _make_bound(self, raw: IO[bytes]) -> Callable[[int], None]:
        """Return a function that raises InputError if a file decompresses to too many bytes."""
        times = EXPANSION if self.limits.expansion is None else self.limits.expansion
        size = raw.seek(0, os.SEEK_END)
        raw.seek(0)
        default = min(max(EXPANSION * size, HARMLESS), LARGEST_FILE)
        limit = default if self.limits.expansion is None else times * size

        def check_size(count: int) -> None:
            self._compression_ratio[0] = raw.tell() / max(1, count)
            if count > limit:
                limits = f"{times:g} times its size, and {LARGEST_FILE >> 30} GB"
                problem = f"compressed file has more than {int(limit):,} bytes (limit: {limits})"
                option = format_option("--max-expansion TIMES", "reading_limits(max_expansion=TIMES)")
                raise InputError.from_problem(problem, f"To allow more, use {option}.", self.name)

        return check_size

    @cached_property
    def _pipe_data(self) -> bytes:
        """The bytes of standard input or a pipe (process substitution), kept in memory."""
        buffer, limit = io.BytesIO(), get_memory_limit()
        for chunk in pipes.read_chunks(self.path):
            if buffer.tell() + len(chunk) > limit:
                problem = f"pipe has more than {limit / 2**30:.3g} GB (half of the memory)"
                raise InputError.from_problem(problem, "Use a file.", self.name)
            buffer.write(chunk)
        log_data(self.path, buffer.getvalue())
        return buffer.getvalue()


def get_memory_limit() -> int:
    """Return the limit for the bytes of a pipe: half of the memory, or 8 GB if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):  # not POSIX
        return 8 << 30


@dataclass(frozen=True, eq=False)
class Piece(Source):
    """Complete lines of a file in memory, after `line_offset` other lines."""

    text: bytes = b""
    line_offset: int = 0

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.text)

    @cached_property
    def compression(self) -> Compression:
        return Compression(self.name)

    def iter_pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        yield lambda: self.text

    def get_line_number(self, number: int) -> int:
        return self.line_offset + number

    def reject_changed(self, stream: IO[bytes] | None = None) -> None:
        """Do nothing: the piece is in memory."""


@dataclass(frozen=True, eq=False)
class FileBytes:
    """The bytes of a seekable file, read when they are sliced."""

    source: Source

    def __len__(self) -> int:
        return os.path.getsize(self.source.path)

    def __getitem__(self, key: slice) -> bytes:
        begin, stop, _ = key.indices(len(self))
        return self.source.read_range(begin, max(begin, stop))


def _get_identity(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns


def make_read_error(name: str, error: OSError) -> FileError:
    """Return the error for an unreadable file or directory."""
    return FileError("read", name, (error.strerror or str(error)).lower())


@dataclass(frozen=True)
class Beginning:
    """The first lines of a file and the user's options, for format detection."""

    source: Source
    kind: Kind | None = None  # if known
    separator: str | None = None  # between fields; None: whitespace
    labels: Collection[str] = ()  # accepted as L2 in NTCIR judgments

    @property
    def start(self) -> bytes:
        """The first bytes."""
        return self.source.start

    @property
    def lines(self) -> list[bytes]:
        """The first lines with content."""
        return self.source.first_lines

    @property
    def first(self) -> str:
        """The first line with content, or an empty text."""
        return self.lines[0].decode("utf-8", "replace") if self.lines else ""

    @cached_property
    def fields(self) -> list[list[str]]:
        """The fields of the first 100 lines."""
        separator = None if self.separator is None else self.separator.encode()
        cut = (line.split(separator) for line in self.lines[:100])
        return [[field.strip().decode("utf-8", "replace") for field in line] for line in cut]
