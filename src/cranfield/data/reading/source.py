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

from cranfield.data.files import record_input
from cranfield.data.reading import pipes
from cranfield.data.reading.columns import Kind
from cranfield.data.reading.packing import SUFFIXES, Packing
from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, FileError, InputError, brief
from cranfield.wording import encoded, option

BOM = b"\xef\xbb\xbf"  # a byte order mark
BLANKS = rb"[ \t\r\f\v]*"
# What is no data: comments, and how NTCIR's runs describe their system. A description may take
# several lines before the first line of data, elsewhere one.
NO_DATA = re.compile(
    rb"^%b(?:#[^\n]*|<SYSDESC>(?:(?!</?SYSDESC>)[^\n])*</SYSDESC>%b)(?:\n|\Z)" % (BLANKS, BLANKS),
    re.MULTILINE | re.IGNORECASE,
)
BEFORE = re.compile(
    rb"(?:%b)?(?:(?:%b(?:#[^\n]*)?\n)*%b<SYSDESC>(?:(?!</?SYSDESC>).)*</SYSDESC>%b(?:\n|\Z))*"
    % (BOM, *(BLANKS,) * 3),
    re.DOTALL | re.IGNORECASE,
)
# What a file says of its system: the lines of ir_metadata, and what NTCIR's runs begin with.
DESCRIPTION = re.compile(
    rb"^%b# *ir_metadata\.start\b[^\n]*\n"
    rb"(?P<comments>(?:%b#(?! *ir_metadata\.end\b)[^\n]*(?:\n|\Z))*)"
    rb"|^%b<SYSDESC>(?P<text>(?:(?!</?SYSDESC>).)*)</SYSDESC>" % ((BLANKS,) * 3),
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
DESCRIBED = 1 << 16  # bytes in which it is looked for
CHUNK = 4 << 20
START = 1 << 14


def split_name(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The name of a file without directory and suffix, and its suffix, be it compressed or not.

    >>> split_name("runs/bm25.JSON.gz"), split_name("dense.tar.zst")
    (('bm25', '.json'), ('dense', ''))
    """
    stem, suffix = os.path.splitext(encoded(os.path.basename(os.fspath(path))).decode())
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
    usual = LIMITS.get()
    line = usual.line if max_line is None else min(max_line, LONGEST_LINE)
    expansion = usual.expansion if max_expansion is None else max_expansion
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
    def of(cls, path: str | os.PathLike[str]) -> Source:
        if isinstance(path, Source):
            return path
        if not isinstance(path, str | os.PathLike):
            raise InputError(brief(path), "a path")
        return cls(os.fspath(path))

    def __fspath__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """How messages call it, and results that nothing else names."""
        return "standard input" if self.path == "-" else encoded(self.path).decode()

    @property
    def suffix(self) -> str:
        """What its name ends in, or in an archive that of the file, packed or not."""
        return split_name(self.packing.member or self.path)[1]

    @cached_property
    def packing(self) -> Packing:
        """What it is packed in, told by the first bytes and not by the name."""
        with self._bytes() as stream:
            return Packing.of(stream, self.name, self._bound(stream))

    @cached_property
    def start(self) -> bytes:
        """The first few thousand bytes, unpacked."""
        with self.reading() as stream:
            return stream.read(START)

    @cached_property
    def first_lines(self) -> list[bytes]:
        """The first lines that hold something, but for one that may be cut."""
        lines = self.start.splitlines()[: None if len(self.start) < START else -1]
        return [line for line in lines if line.strip() and not NO_DATA.match(line)]

    def open(self) -> IO[bytes]:
        """The bytes, unpacked, without what stands before the data."""
        stream = io.BufferedReader(self._unpacked(), buffer_size=1 << 17)
        stream.read(len(self._before))
        return stream

    @cached_property
    def _before(self) -> bytes:
        """A byte order mark, and descriptions of the system."""
        with self._unpacked() as stream:
            found = BEFORE.match(stream.read(START))
        return found.group() if found else b""

    @cached_property
    def description(self) -> str:
        """What it says of its system, be that YAML or anything else; nothing, if it is silent."""
        from textwrap import dedent

        with io.BufferedReader(self._unpacked()) as stream:
            begin = stream.read(DESCRIBED).removeprefix(BOM).replace(b"\r\n", b"\n")
        said = []
        for found in DESCRIPTION.finditer(begin):
            comments, text = (found[name] for name in ("comments", "text"))
            plain = re.sub(rb"^%b#" % BLANKS, b"", comments or b"", flags=re.MULTILINE)
            said.append(dedent((text or plain).decode("utf-8", "replace")).strip("\n "))
        return "\n".join(said)

    def line(self, number: int) -> int:
        """The number that a line has in the file, counted in what is read."""
        return self._before.count(b"\n") + number

    def read(self) -> bytes:
        """All bytes at once."""
        with self.reading() as stream:
            return stream.read()

    def pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        """The bytes in pieces that end where a line does, to be read by whoever works on them."""
        if not self.plain:
            for chunk in self._chunks(size):
                yield lambda chunk=chunk: chunk  # type: ignore[misc]
            return
        for begin, stop in self.bounds(size):
            yield lambda begin=begin, stop=stop: self.stretch(begin, stop)  # type: ignore[misc]

    def bounds(
        self, size: int, begin: int | None = None, end: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """Where the stretches of a plain file begin and stop, each where a line does."""
        with self._bytes() as stream:
            end = os.fstat(stream.fileno()).st_size if end is None else end
            begin = len(self._before) if begin is None else begin
            while begin < end:
                stream.seek(begin + size)
                stop = min(begin + size + len(stream.readline(self.limits.line + 1)), end)
                yield begin, stop
                begin = stop

    @property
    def plain(self) -> bool:
        """Whether its bytes can be had from anywhere: it is neither packed nor a pipe."""
        return not self.packing.layers and os.path.isfile(self.path)

    def stretch(self, begin: int, stop: int) -> bytes:
        """The bytes begin..stop-1 of a file that is plain."""
        with self._bytes() as stream:
            stream.seek(begin)
            found = stream.read(stop - begin)
            self.refuse_changed(stream)
        if len(found) < stop - begin:
            raise self._changed()
        return found

    def _chunks(self, size: int) -> Iterator[bytes]:
        with self.reading() as stream:
            while piece := stream.read(size):
                yield piece + stream.readline(self.limits.line + 1)

    def long_line(self, text: bytes) -> int | None:
        """Where a line begins that is longer than lines may be, if there is one.

        Looks for the end of a line in every stretch of that length, and not for all ends.
        """
        most, begin = self.limits.line, 0
        while len(text) - begin > most:
            end = text.rfind(b"\n", begin, begin + most + 1)
            if end < 0:
                return begin
            begin = end + 1
        return None

    def too_long(self, line: int | None) -> InputError:
        """The error that a line is which is longer than lines may be."""
        found = f"a line of more than {self.limits.line:,} bytes"
        return InputError(found, "shorter ones", self.name, line, "--max-line BYTES allows others")

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """The open stream; a disk that fails is a user's error and not ours."""
        try:
            with self.open() as stream:
                yield stream
            self.refuse_changed()
        except OSError as error:
            raise InputError(f"broken file data ({error})", "a complete file", self.name) from None

    @contextmanager
    def _bytes(self) -> Iterator[IO[bytes]]:
        """The open stream as it is, packed or not; a disk may fail in the middle of it."""
        try:
            with self._raw() as stream:
                yield stream
        except OSError as error:
            raise cannot_read(self.name, error) from None

    def _raw(self) -> IO[bytes]:
        try:
            if self.path != "-" and os.path.isdir(self.path):
                raise CranfieldError(f"{self.path} is a directory, expected a file")
            if self.path == "-" or not os.path.isfile(self.path):
                return io.BytesIO(self._once)
            stream = open(self.path, "rb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise cannot_read(self.name, error) from None
        except ValueError:  # a NUL in the name
            raise InputError(f"file name {self.path!r}", "another", None) from None
        record_input(os.fstat(stream.fileno()))
        self.refuse_changed(stream)
        return stream

    @cached_property
    def _known(self) -> tuple[int, ...]:
        """What tells a file from what it was before, or from another of its name."""
        return _identity(os.stat(self.path))

    def refuse_changed(self, stream: IO[bytes] | None = None) -> None:
        """A file is read in parts, and more than once: it must stay what it was."""
        if not os.path.isfile(self.path) and "_known" not in self.__dict__:
            return  # standard input or a pipe
        try:
            now = os.stat(self.path) if stream is None else os.fstat(stream.fileno())
            same = _identity(now) == self._known
        except OSError:
            same = False
        if not same:
            raise self._changed()

    def _changed(self) -> InputError:
        return InputError("a file that was changed while it was read", "the same", self.name)

    def _unpacked(self) -> Any:
        packing = self.packing
        raw = self._raw()
        return packing.opened(raw, self._bound(raw)) if packing.layers else raw

    @property
    def packed(self) -> float:
        """How many of its bytes stand for one that it holds, as far as it has been unpacked."""
        return self._packed[0]

    @cached_property
    def _packed(self) -> list[float]:
        return [1.0]

    def _bound(self, raw: IO[bytes]) -> Callable[[int], None]:
        """Refuses more bytes than a file of that size may hold."""
        times = EXPANSION if self.limits.expansion is None else self.limits.expansion
        held = raw.seek(0, os.SEEK_END)
        raw.seek(0)
        usual = min(max(EXPANSION * held, HARMLESS), LARGEST_FILE)
        most = usual if self.limits.expansion is None else times * held

        def bound(count: int) -> None:
            self._packed[0] = raw.tell() / max(1, count)
            if count > most:
                text = f"more than {int(most):,} bytes in a compressed file"
                expected = f"at most {times:g} times its size, and {LARGEST_FILE >> 30} GB"
                limits = "reading_limits(max_expansion=TIMES)"
                hint = f"{option('--max-expansion TIMES', limits)} allows more"
                raise InputError(text, expected, self.name, hint=hint)

        return bound

    @cached_property
    def _once(self) -> bytes:
        """What standard input or a pipe (process substitution) says, which is read once only.

        It is held in memory, and may not end.
        """
        held, most = io.BytesIO(), held_at_most()
        for chunk in pipes.chunks(self.path):
            if held.tell() + len(chunk) > most:
                found = f"more than {most / 2**30:.3g} GB in a pipe, half of the memory"
                raise InputError(found, "a file, which is read in pieces", self.name)
            held.write(chunk)
        return held.getvalue()


def held_at_most() -> int:
    """The bytes of what can be read only once: half of the memory, where its size is known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):  # not POSIX
        return 8 << 30


@dataclass(frozen=True, eq=False)
class Piece(Source):
    """Some whole lines of a file, after so many others, or all that it holds, in memory."""

    text: bytes = b""
    before: int = 0

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.text)

    @cached_property
    def packing(self) -> Packing:
        """It has been unpacked."""
        return Packing(self.name)

    def pieces(self, size: int = CHUNK) -> Iterator[Callable[[], bytes]]:
        yield lambda: self.text

    def line(self, number: int) -> int:
        return self.before + number

    def refuse_changed(self, stream: IO[bytes] | None = None) -> None:
        """It has been read."""


@dataclass(frozen=True, eq=False)
class FileBytes:
    """The bytes of a file that is plain, of which only those are read that are asked for."""

    source: Source

    def __len__(self) -> int:
        return os.path.getsize(self.source.path)

    def __getitem__(self, where: slice) -> bytes:
        begin, stop, _ = where.indices(len(self))
        return self.source.stretch(begin, max(begin, stop))


def _identity(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns


def cannot_read(name: str, error: OSError) -> FileError:
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
        between = None if self.separator is None else self.separator.encode()
        cut = (line.split(between) for line in self.lines[:100])
        return [[field.strip().decode("utf-8", "replace") for field in line] for line in cut]
