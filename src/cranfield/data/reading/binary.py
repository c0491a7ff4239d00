"""Readers of Parquet and Arrow files that survive damaged files and forks.

Polars reads the files. Some damaged files make Polars panic: it writes to standard error and raises
a BaseException. If the counts in a file are too large, Polars runs out of memory and ends the
process. In a process forked while Polars was in use, Polars waits forever for its threads.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from cranfield.data.reading.columns import reject_duplicates
from cranfield.data.reading.source import FileBytes
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.lazy_imports import is_installed, pl

T = TypeVar("T")
Frames: TypeAlias = "Iterator[Callable[[], pl.DataFrame]]"
Data: TypeAlias = bytes | FileBytes
Struct: TypeAlias = dict[int, Any]  # by field number in parquet.thrift
READERS = {"parquet": "read_parquet", "arrow": "read_ipc"}
STREAM_BEGIN, STREAM_END = b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\0\0\0\0"  # Arrow streams


def read_binary(format: str, data: bytes, location: str | None, **options: Any) -> pl.DataFrame:
    """Read a Parquet or Arrow file. Raise InputError if the file is damaged."""
    if format == "parquet":
        Parquet(data, location).reject_damaged(options.get("columns"))
    else:
        reject_duplicates(read_arrow_names(data), location)  # Polars would panic
    stream = format == "arrow" and is_stream(data)
    if stream and not data.endswith(STREAM_END):  # batches may be missing
        raise _make_corrupt_error(format, location, "the end of the stream is missing")
    reader = "read_ipc_stream" if stream else READERS[format]
    frame: pl.DataFrame = _call_polars(reader, format, data, location, lambda x: x, options)
    return frame


def read_column_names(format: str, data: Data, location: str | None) -> list[str]:
    """Return the column names of a file, without reading the columns."""
    if format == "arrow":
        reject_duplicates(read_arrow_names(data), location)  # Polars would list only one of them
    if format == "arrow" and is_stream(data):
        return _call_polars("read_ipc_stream", format, data, location, lambda x: x.columns, {"n_rows": 0})
    return _call_polars(f"{READERS[format]}_schema", format, data, location, list)


def read_arrow(table: Any, location: str | None) -> pl.DataFrame:
    """Convert a table with Arrow's C interface to a frame."""
    reject_forked(location)
    reject_duplicates(getattr(getattr(table, "schema", None), "names", ()), location)
    try:
        with _discard_panics():
            stream = hasattr(table, "__arrow_c_stream__")
            frame = pl.DataFrame(table if stream else pl.from_arrow(table))
    except (pl.exceptions.PanicException, pl.exceptions.PolarsError, TypeError, ValueError):
        problem, fix = _UNSUPPORTED
        raise InputError.from_problem(problem, fix, location) from None
    return decode_bytes(frame)


def is_stream(data: Data) -> bool:
    """Return True if bytes start like an Arrow stream: a marker, then the size of the schema."""
    size = int.from_bytes(data[4:8], "little", signed=True)
    return data[:4] == STREAM_BEGIN and size > 0


def decode_bytes(frame: pl.DataFrame) -> pl.DataFrame:
    """Convert columns of bytes to text if all cells are UTF-8.

    Some Parquet writers store text as bytes.
    """
    for name, dtype in frame.schema.items():
        if dtype == pl.Binary:
            with suppress(pl.exceptions.PolarsError):
                frame = frame.with_columns(frame[name].cast(pl.String))
    return frame


# -- unreadable files --------------------------------------------------------------------

_TO_PARQUET = "Convert it to Parquet or CSV."
# By the first bytes: kind of file, and fix.
OTHER_FILES = {
    rb"FEA1(?![\s!-~])": (
        "Feather version 1 file",
        'Convert it in Python: `from pyarrow.feather import *; write_feather(read_table("OLD"), "NEW")`.',
    ),
    rb"PARE(?![\s!-~])": ("encrypted Parquet file", "Decrypt the file."),
    rb"ORC(?![\s!-~])": ("ORC file", _TO_PARQUET),
    rb"Obj\x01": ("Avro file", _TO_PARQUET),
    rb"\x89HDF\r\n": ("HDF5 file", _TO_PARQUET),
    rb"\xd0\xcf\x11\xe0": ("Excel file of an old version (.xls), or encrypted", "Save it as .xlsx or CSV."),
    rb"SQLite format 3\0": ("SQLite database", "Export a table as Parquet or CSV."),
    rb"\s*```": (
        "Markdown fence around the content",
        "Remove the lines that start with ```.",
    ),
    rb"\x93NUMPY": ("NumPy file", "Pass the array of numpy.load, or write it with np.savetxt."),
}
_UNSUPPORTED = (
    "a column has a type that Polars does not read",
    "Cast columns that are decimal256, run-end-encoded, a union or an interval.",
)
# By the error messages of Polars.
_REASONS = {
    "[Ee]ncrypt": OTHER_FILES[rb"PARE(?![\s!-~])"],
    "not (yet )?implemented|not supported|not support primitive|could not import|precision must": (_UNSUPPORTED),
}


def reject_unsupported_file(start: bytes, location: str | None) -> None:
    """Raise InputError for known kinds of files that cannot be read."""
    for begin, (problem, fix) in OTHER_FILES.items():
        if match := re.match(begin, start):
            line = match[0].count(b"\n") + 1 if b"`" in match[0] else None
            raise InputError.from_problem(problem, fix, location, line)


def _find_unsupported_error(data: Data, location: str | None, reason: str) -> InputError | None:
    """Return the error for an intact file that Polars does not support, None if it is corrupt."""
    reject_unsupported_file(data[:64], location)
    for words, (problem, fix) in _REASONS.items():
        if re.search(words, reason):
            return InputError.from_problem(problem, fix, location)
    return None


@dataclass(frozen=True, eq=False)
class Parquet:
    """A Parquet file, on disk or in memory, with its footer."""

    data: Data
    location: str | None = None

    @cached_property
    def groups(self) -> list[Struct]:
        """The row groups in the footer; empty if the footer has an unusual layout."""
        try:
            groups: list[Struct] = _read_footer(self.data)[_GROUPS]
            return groups if sum(group[_ROWS_IN_GROUP] for group in groups) > 0 else []
        except (LookupError, TypeError, ValueError, RecursionError):
            return []

    @property
    def rows(self) -> int:
        """The number of rows in the footer; 0 if it has an unusual layout."""
        return sum(group[_ROWS_IN_GROUP] for group in self.groups)

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return read_column_names("parquet", self.data, self.location)

    def iter_parts(self, columns: Sequence[str], rows: int) -> Frames:
        """Yield functions that read columns of the next `rows` rows, independent of row groups."""
        for begin in range(0, self.rows, rows):
            yield partial(self._read_rows, columns, begin, rows)

    def reject_damaged(self, columns: Sequence[str] | None) -> None:
        """Raise InputError if counts in columns (default: all) contradict: Polars would crash."""
        if not _has_valid_counts(self.data, self.groups, columns):
            raise _make_corrupt_error("parquet", self.location)

    def _read_rows(self, columns: Sequence[str], begin: int, count: int) -> pl.DataFrame:
        frame: pl.DataFrame = _call_polars(
            "scan_parquet",
            "parquet",
            self.data,
            self.location,
            lambda lazy: decode_bytes(lazy.select(columns).slice(begin, count).collect()),
            {"glob": False, "hive_partitioning": False},  # a path can have wildcards or =
        )
        if isinstance(self.data, FileBytes):
            self.data.source.reject_changed()
        return frame


def _make_corrupt_error(format: str, location: str | None, reason: str = "") -> InputError:
    problem = f"corrupt {format.capitalize()} file" + (f" ({reason})" if reason else "")
    return InputError.from_problem(problem, "", location)


def _call_polars(
    reader: str,
    format: str,
    data: Data,
    location: str | None,
    convert: Callable[[Any], T],
    options: Mapping[str, Any] = {},
) -> T:
    """Return the converted result of a Polars function, with its errors as InputError."""
    reject_forked(location)
    read = getattr(pl, reader)
    try:
        with _discard_panics():
            file = data.source.path if isinstance(data, FileBytes) else io.BytesIO(data)
            return convert(read(file, **options))
    except pl.exceptions.PanicException as panic:
        raise _find_unsupported_error(data, location, str(panic)) or _make_corrupt_error(format, location) from None
    except pl.exceptions.DuplicateError as error:
        problem = str(error).partition("\n")[0]
        raise InputError.from_problem(problem, "Rename or remove one of them.", location) from None
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise _find_unsupported_error(data, location, reason) or _make_corrupt_error(format, location, reason) from None


_LOCK = Lock()


@contextmanager
def _discard_panics() -> Iterator[None]:
    """Remove Polars' panic messages from standard error, and keep everything else.

    All threads share the descriptor, including Polars' threads. Other output is written to the
    real standard error afterwards.
    """
    from tempfile import TemporaryFile

    with _LOCK, TemporaryFile() as file:
        try:
            stderr_copy = os.dup(2)
        except OSError:  # it is closed
            yield
            return
        os.dup2(file.fileno(), 2)
        reason = ""
        try:
            yield
        except BaseException as error:
            reason = str(error)
            raise
        finally:
            os.dup2(stderr_copy, 2)
            os.close(stderr_copy)
            file.seek(0)
            with suppress(OSError):
                _write_all(2, remove_panics(file.read(), reason))


def remove_panics(text: bytes, reason: str = "") -> bytes:
    r"""Remove Rust panic messages from a text.

    `reason` is the message of the exception: it identifies panic messages of several lines.

    >>> panic = b"\nthread 'polars-3' (17) panicked at src/a.rs:1:2:\nno such page\n"
    >>> remove_panics(b"mine\n" + panic + b"note: run with `RUST_BACKTRACE=1`\nyours\n")
    b'mine\nyours\n'
    """
    reason_pattern = re.escape(reason.encode("utf-8", "replace"))
    message = rb"(?:%b\n|[^\n]*\n?)" % (reason_pattern or b"(?!)")
    return re.sub(_PANIC + message + _BACKTRACE, b"", text)


_PANIC = rb"\n?thread '[^\n]*' (?:\(\d+\) )?panicked at [^\n]*\n"  # followed by the message
_BACKTRACE = rb"(?:stack backtrace:\n(?: +[^\n]*\n)*)?(?:note: [^\n]*RUST_BACKTRACE=[^\n]*\n?)?"


def _write_all(descriptor: int, text: bytes) -> None:
    """Write all bytes, also to a pipe that accepts only some of them at a time."""
    while text:
        text = text[os.write(descriptor, text) :]


# -- forks ----------------------------------------------------------------------------------------

_polars = {
    "at work": False,
    "forked": False,
}  # before the latest fork; before a fork of this process


def is_forked() -> bool:
    """Return True if this process was forked while Polars was in use: calls would never return."""
    return _polars["forked"]


def can_read_text() -> bool:
    """Return True if Polars can read tables of text. There is a slower reader without Polars."""
    return not is_forked() and is_installed("polars")


def reject_forked(location: str | None) -> None:
    """Raise InputError if this process was forked while Polars was in use."""
    if is_forked():
        problem = "this process was forked while Polars was in use"
        raise InputError.from_problem(problem, "Use spawn or forkserver.", location)


def _prepare_fork() -> None:
    _polars["at work"] = "polars" in sys.modules and _has_threads()


def _mark_fork() -> None:
    _polars["forked"] |= _polars["at work"]


def _has_threads() -> bool:
    """Return True if Polars has worker threads."""
    try:
        return any(map(_is_worker, os.listdir("/proc/self/task")))
    except OSError:  # not Linux
        return True


def _is_worker(task: str) -> bool:
    with suppress(OSError), open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
        return re.match(r"polars-\d", file.read()) is not None
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_prepare_fork, after_in_child=_mark_fork)


# -- Arrow ----------------------------------------------------------------------------------------

_HEADER, _FIELDS, _NAME = 2, 1, 0  # fields of a message, a schema and a column, in Arrow's *.fbs


def read_arrow_names(data: Data) -> list[str]:
    """Return the column names of an Arrow file or stream, an empty list if it is damaged.

    The schema is a FlatBuffer: see https://flatbuffers.dev/internals.
    """
    start = 0 if is_stream(data) else len(b"ARROW1\0\0")
    size = int.from_bytes(data[start + 4 : start + 8], "little")
    text = data[start + 8 : start + 8 + size]
    try:
        schema = _find_field(text, _find_field(text, _read_number(text, 0), _HEADER), _FIELDS)
        columns = (schema + 4 + 4 * i for i in range(_read_number(text, schema)))
        names = [_find_field(text, position + _read_number(text, position), _NAME) for position in columns]
        return [text[position + 4 : position + 4 + _read_number(text, position)].decode() for position in names]
    except ValueError:
        return []


def _find_field(text: bytes, table: int, number: int) -> int:
    """Return the offset that a field of a FlatBuffer table refers to."""
    layout = table - _read_number(text, table)
    position = table + _read_number(text, layout + 4 + 2 * number, 2)
    return position + _read_number(text, position)


def _read_number(text: bytes, position: int, size: int = 4) -> int:
    if not 0 <= position <= len(text) - size:
        raise ValueError(position)
    return int.from_bytes(text[position : position + size], "little", signed=size == 4)


# -- Parquet --------------------------------------------------------------------------------------

_GROUPS, _ROWS_IN_GROUP, _COLUMNS, _CHUNK = 4, 3, 1, 3  # fields of files, groups, columns
_PATH, _VALUES, _SIZE, _DATA_AT, _DICTIONARY_AT = 3, 5, 7, 9, 11  # fields of chunks
_UNPACKED, _PACKED, _PAGE, _DICTIONARY, _PAGE_V2, _COUNT = 2, 3, 5, 7, 8, 1  # fields of pages


HEADER = 1 << 16  # bytes read for the header of a page, which is shorter


def _has_valid_counts(data: Data, groups: Sequence[Struct], columns: Sequence[str] | None = None) -> bool:
    """Return True if pages have the number of values in the metadata, and no fewer than rows.

    Also True for unusual layouts: Polars checks these.
    """
    names = None if columns is None else {name.encode() for name in columns}
    try:
        return all(
            0 <= group[_ROWS_IN_GROUP] <= column[_CHUNK][_VALUES]
            and _count_values(data, column[_CHUNK]) == column[_CHUNK][_VALUES]
            for group in groups
            for column in group[_COLUMNS]
            if names is None or column[_CHUNK][_PATH][0] in names
        )
    except (LookupError, TypeError, ValueError, RecursionError):
        return True


def _read_footer(data: Data) -> Struct:
    size = int.from_bytes(data[-8:-4], "little")
    return Thrift(data[-8 - size : -8]).read_struct()


def _count_values(data: Data, chunk: Struct) -> int:
    """Return the number of values in the pages of a column, −1 if a count is invalid."""
    position = min(chunk[_DATA_AT], chunk.get(_DICTIONARY_AT) or chunk[_DATA_AT])
    end, total = position + chunk[_SIZE], 0
    while position < end:
        thrift = Thrift(data[position : position + HEADER])
        page = thrift.read_struct()
        if page[_PACKED] < 0:
            return -1
        if _DICTIONARY in page:  # every entry takes at least a byte
            if not 0 <= page[_DICTIONARY][_COUNT] <= page[_UNPACKED]:
                return -1
        else:
            count = (page.get(_PAGE) or page[_PAGE_V2])[_COUNT]
            if count < 0:
                return -1
            total += count
        position += thrift.position + page[_PACKED]
    return total


class Thrift:
    """Reader of Thrift's compact protocol, used in Parquet footers and headers."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def read_struct(self) -> Struct:
        """Return the fields of a struct by number."""
        fields: Struct = {}
        number = 0
        while head := self.read_byte():
            number = number + (head >> 4) if head >> 4 else self.read_integer()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self.read_value(kind)
        return fields

    def read_value(self, kind: int) -> Any:
        """Return a value of a type outside of a struct, where booleans are bytes."""
        if kind in (4, 5, 6):
            return self.read_integer()
        if kind in (1, 2, 3):
            return self.read_byte()
        if kind == 7:
            return self.take(8)
        if kind == 8:
            return self.take(self.read_varint())
        if kind in (9, 10):
            return self.read_sequence()
        if kind == 12:
            return self.read_struct()
        raise ValueError(kind)  # a map: not used in Parquet

    def read_sequence(self) -> list[Any]:
        """Return the values of a list or a set."""
        head = self.read_byte()
        size = head >> 4 if head >> 4 < 15 else self.read_varint()
        return [self.read_value(head & 15) for _ in range(size)]

    def read_integer(self) -> int:
        """Return a signed integer (zigzag encoding)."""
        number = self.read_varint()
        return number >> 1 ^ -(number & 1)

    def read_varint(self) -> int:
        """Return an unsigned integer: seven bits per byte, the last byte is below 128."""
        data, number = self.data, 0
        for shift in range(0, 70, 7):
            byte = data[self.position]
            self.position += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("integer has more than 64 bits")

    def read_byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def take(self, size: int) -> bytes:
        self.position += size
        if self.position > len(self.data):
            raise IndexError
        return self.data[self.position - size : self.position]
