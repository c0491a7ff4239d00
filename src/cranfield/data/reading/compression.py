"""Compressed files, and archives of one file, detected by their first bytes."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

from cranfield.dataclass import dataclass
from cranfield.errors import CranfieldError, InputError
from cranfield.lazy_imports import load

HEADER = 512  # bytes needed for detection
MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06)"),
    "tar": re.compile(rb".{257}ustar(\x00|  \x00)", re.DOTALL),
}
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
WORKBOOK = "xl/workbook.xml"  # in an Excel file
INSPECT_FILES = ("header.json", "_journal/")  # in a log of inspect_ai
MODULES = {"gz": "gzip", "bz2": "bz2", "xz": "lzma", "zst": ZSTD, "lz4": "lz4.frame"}
SUFFIXES = (  # of compressed files
    *(".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4", ".zip", ".tar"),
    *(".tgz", ".tbz2", ".txz", ".tzst"),
)
MAX_LAYERS = 4  # layers: an archive can contain itself
MAX_NAMES = 3  # names listed in an error
# Additional files in archives written by macOS.
MACOS_FILES = re.compile(r"(^|/)(__MACOSX/|\._[^/]*$|\.DS_Store$)")

Bound: TypeAlias = Callable[[int], None]  # raises an error if a file has too many bytes


@dataclass(frozen=True)
class Compression:
    """The layers of compression of a file, outermost first."""

    location: str
    layers: tuple[str, ...] = ()
    member: str | None = None  # name of the file in an archive

    @classmethod
    def from_stream(cls, raw: Any, location: str, bound: Bound) -> Compression:
        """Detect the layers of a file. Raise InputError if an archive has several files."""
        layers: list[str] = []
        member, stream = None, raw
        while (layer := _detect_layer(stream)) is not None and not (layer == "zip" and is_workbook(stream)):
            layers.append(layer)
            if len(layers) > MAX_LAYERS:
                problem = f"more than {MAX_LAYERS} layers of compression ({', '.join(layers[:-1])}, …)"
                raise InputError.from_problem(problem, "", location)
            inner, name = _open_layer(stream, layer, location, MAX_NAMES + 1)
            member = member if name is None else name
            stream = LayerStream(inner, layer, location, bound)
        return cls(location, tuple(layers), member)

    def open(self, raw: Any, bound: Bound) -> Any:
        """Return a stream of the decompressed bytes."""
        for layer in self.layers:
            raw = LayerStream(_open_layer(raw, layer, self.location, 1)[0], layer, self.location, bound)
        return raw


class LayerStream(io.RawIOBase):
    """Stream of one decompressed layer, with a limit on its size."""

    def __init__(self, stream: Any, layer: str, location: str, bound: Bound) -> None:
        self.stream, self.layer, self.location, self.bound, self.position = (
            stream,
            layer,
            location,
            bound,
            0,
        )

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _convert_errors(self.layer, self.location):
            count: int = self.stream.readinto(buffer)
        self.position += count
        self.bound(self.position)
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:  # the size is unknown
            while self.read(1 << 20):
                pass
        to = offset + (0 if whence == os.SEEK_SET else self.position)
        self.bound(to)
        with _convert_errors(self.layer, self.location):
            self.position = self.stream.seek(to)
        return self.position

    def close(self) -> None:
        self.stream.close()
        super().close()


def is_workbook(stream: Any) -> bool:
    """Return True for an Excel file, which is a zip archive of parts."""
    from zipfile import BadZipFile, ZipFile

    try:
        return WORKBOOK in ZipFile(stream).namelist()
    except (BadZipFile, OSError, ValueError, NotImplementedError, EOFError):
        return False
    finally:
        stream.seek(0)


def _detect_layer(stream: Any) -> str | None:
    """Return the compression of a stream, None if it is not compressed."""
    first = stream.read(HEADER)
    stream.seek(0)
    return detect_compression(first)


def detect_compression(first: bytes) -> str | None:
    """Return the compression of a file with these first bytes, or None.

    >>> detect_compression(b"PK\\x03\\x04")
    'zip'
    """
    return next((layer for layer, begins in MAGIC.items() if begins.match(first)), None)


def _open_layer(stream: Any, layer: str, location: str, limit: int) -> tuple[Any, str | None]:
    """Open one layer: return its stream, and the file name if it is an archive.

    At most `limit` files of an archive are inspected.
    """
    with _convert_errors(layer, location):
        if layer in ("zip", "tar"):
            return (_open_zip if layer == "zip" else _open_tar)(stream, location, limit)
        return load(MODULES[layer]).open(stream), None


@contextmanager
def _convert_errors(layer: str, location: str) -> Iterator[None]:
    """Convert all exceptions to InputError: every compression module has its own exceptions."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        raise InputError.from_problem(f"corrupt {layer} data ({error})", "", location) from None


def _open_zip(stream: Any, location: str, limit: int) -> tuple[Any, str]:
    from zipfile import ZipFile

    archive = ZipFile(stream)
    files = [file for file in archive.infolist() if not file.is_dir()]
    if any(file.filename.startswith(INSPECT_FILES) for file in files):
        fix = "Convert it with `inspect log convert --to json --output-dir DIR FILE`."
        raise InputError.from_problem("inspect_ai log in the binary format .eval", fix, location)
    file = _select_file(files, "filename", "zip", location, limit)
    if file.flag_bits & 1:
        raise InputError.from_problem(f"encrypted file {file.filename!r} in zip archive", "", location)
    return archive.open(file), file.filename


def _open_tar(stream: Any, location: str, limit: int) -> tuple[Any, str]:
    import tarfile

    archive = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115 - closed with its stream
    files = (file for file in archive if not file.isdir())
    file = _select_file(files, "name", "tar", location, limit)
    if not file.isfile():
        raise InputError.from_problem(f"{file.name!r} in tar archive is not a file", "", location)
    return archive.extractfile(file), file.name


def _select_file(files: Any, name: str, layer: str, location: str, limit: int) -> Any:
    """Return the only file of an archive. Raise InputError for none or several.

    With `limit` 1, the first file is returned.
    """
    members = [*islice((f for f in files if not MACOS_FILES.search(getattr(f, name))), limit)]
    if not members:
        raise InputError.from_problem(f"no file in {layer} archive", "", location)
    if len(members) > 1:
        names = ", ".join([*(getattr(f, name) for f in members[:MAX_NAMES]), *["…"] * (len(members) > MAX_NAMES)])
        problem = f"several files in {layer} archive ({names})"
        raise InputError.from_problem(problem, "Extract it and pass the files.", location)
    return members[0]
