"""What files are packed in: compressions, archives that hold one file; bytes tell, not names."""

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

HEADER = 512  # the bytes that tell
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
MODULES = {"gz": "gzip", "bz2": "bz2", "xz": "lzma", "zst": ZSTD, "lz4": "lz4.frame"}
SUFFIXES = (  # of the names of packed files
    *(".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4", ".zip", ".tar"),
    *(".tgz", ".tbz2", ".txz", ".tzst"),
)
MAX_LAYERS = 4  # layers: a file can hold itself
MAX_NAMES = 3  # names that an error lists
# What macOS puts beside files.
MACOS_FILES = re.compile(r"(^|/)(__MACOSX/|\._[^/]*$|\.DS_Store$)")

Bound: TypeAlias = Callable[[int], None]  # refuses a file that holds too many bytes


@dataclass(frozen=True)
class Compression:
    """What has to be taken off a file before its bytes are there, the outermost first."""

    location: str
    layers: tuple[str, ...] = ()
    member: str | None = None  # the name of the file in an archive

    @classmethod
    def from_stream(cls, raw: Any, location: str, bound: Bound) -> Compression:
        """How a file is packed; an archive of more than one file is refused."""
        layers: list[str] = []
        member, stream = None, raw
        while (layer := _detect_layer(stream)) is not None:
            layers.append(layer)
            if len(layers) > MAX_LAYERS:
                actual = f"files in files ({', '.join(layers[:-1])}, …)"
                raise InputError(actual, f"at most {MAX_LAYERS}", location)
            inner, name = _open_layer(stream, layer, location, MAX_NAMES + 1)
            member = member if name is None else name
            stream = LayerStream(inner, layer, location, bound)
        return cls(location, tuple(layers), member)

    def open(self, raw: Any, bound: Bound) -> Any:
        """The bytes that are packed in a file."""
        for layer in self.layers:
            raw = LayerStream(
                _open_layer(raw, layer, self.location, 1)[0], layer, self.location, bound
            )
        return raw


class LayerStream(io.RawIOBase):
    """What is in one layer, up to a limit: a few bytes may stand for all there is."""

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
        if whence == os.SEEK_END:  # where that is, nobody knows before
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


def _detect_layer(stream: Any) -> str | None:
    """What a stream is packed in, if it is."""
    first = stream.read(HEADER)
    stream.seek(0)
    return detect_compression(first)


def detect_compression(first: bytes) -> str | None:
    """What a file is packed in that begins like this, if it is.

    >>> packed_in(b"PK\\x03\\x04")
    'zip'
    """
    return next((layer for layer, begins in MAGIC.items() if begins.match(first)), None)


def _open_layer(stream: Any, layer: str, location: str, limit: int) -> tuple[Any, str | None]:
    """What is in one layer, and its name, if it has one; of an archive some files are looked at."""
    with _convert_errors(layer, location):
        if layer in ("zip", "tar"):
            return (_open_zip if layer == "zip" else _open_tar)(stream, location, limit)
        return load(MODULES[layer]).open(stream), None


@contextmanager
def _convert_errors(layer: str, location: str) -> Iterator[None]:
    """Where anything that goes wrong is that of the file: each module has errors of its own."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        actual = f"broken {layer} data ({error})"
        raise InputError(actual, "a complete file", location) from None


def _open_zip(stream: Any, location: str, limit: int) -> tuple[Any, str]:
    from zipfile import ZipFile

    archive = ZipFile(stream)
    files = [file for file in archive.infolist() if not file.is_dir()]
    file = _select_file(files, "filename", "zip", location, limit)
    if file.flag_bits & 1:
        raise InputError(f"{file.filename} encrypted", "a zip archive without a password", location)
    return archive.open(file), file.filename


def _open_tar(stream: Any, location: str, limit: int) -> tuple[Any, str]:
    import tarfile

    archive = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115 - closed with its stream
    files = (file for file in archive if not file.isdir())
    file = _select_file(files, "name", "tar", location, limit)
    if not file.isfile():
        raise InputError(f"{file.name}, which is no file, in a tar archive", "a file", location)
    return archive.extractfile(file), file.name


def _select_file(files: Any, name: str, layer: str, location: str, limit: int) -> Any:
    """The one file of an archive, if so many are looked at."""
    members = [*islice((f for f in files if not MACOS_FILES.search(getattr(f, name))), limit)]
    if not members:
        raise InputError(f"no file in a {layer} archive", "one", location)
    if len(members) > 1:
        names = ", ".join(
            [*(getattr(f, name) for f in members[:MAX_NAMES]), *["…"] * (len(members) > MAX_NAMES)]
        )
        actual = f"several files in a {layer} archive ({names})"
        raise InputError(actual, "one", location, hint="unpack it and name the files")
    return members[0]
