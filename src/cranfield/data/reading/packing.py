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
from cranfield.late import load

HEADER = 512  # the bytes that tell
TOLD = {
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
DEEPEST = 4  # layers: a file can hold itself
FEW = 3  # names that an error lists
# What macOS puts beside files.
BESIDE = re.compile(r"(^|/)(__MACOSX/|\._[^/]*$|\.DS_Store$)")

Bound: TypeAlias = Callable[[int], None]  # refuses a file that holds too many bytes


@dataclass(frozen=True)
class Packing:
    """What has to be taken off a file before its bytes are there, the outermost first."""

    where: str
    layers: tuple[str, ...] = ()
    member: str | None = None  # the name of the file in an archive

    @classmethod
    def of(cls, raw: Any, where: str, bound: Bound) -> Packing:
        """How a file is packed; an archive of more than one file is refused."""
        layers: list[str] = []
        member, stream = None, raw
        while (layer := _layer(stream)) is not None:
            layers.append(layer)
            if len(layers) > DEEPEST:
                found = f"files in files ({', '.join(layers[:-1])}, …)"
                raise InputError(found, f"at most {DEEPEST}", where)
            inner, name = _opened(stream, layer, where, FEW + 1)
            member = member if name is None else name
            stream = Unpacked(inner, layer, where, bound)
        return cls(where, tuple(layers), member)

    def opened(self, raw: Any, bound: Bound) -> Any:
        """The bytes that are packed in a file."""
        for layer in self.layers:
            raw = Unpacked(_opened(raw, layer, self.where, 1)[0], layer, self.where, bound)
        return raw


class Unpacked(io.RawIOBase):
    """What is in one layer, up to a limit: a few bytes may stand for all there is."""

    def __init__(self, stream: Any, layer: str, where: str, bound: Bound) -> None:
        self.stream, self.layer, self.where, self.bound, self.at = stream, layer, where, bound, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _breaking(self.layer, self.where):
            found: int = self.stream.readinto(buffer)
        self.at += found
        self.bound(self.at)
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:  # where that is, nobody knows before
            while self.read(1 << 20):
                pass
        to = offset + (0 if whence == os.SEEK_SET else self.at)
        self.bound(to)
        with _breaking(self.layer, self.where):
            self.at = self.stream.seek(to)
        return self.at

    def close(self) -> None:
        self.stream.close()
        super().close()


def _layer(stream: Any) -> str | None:
    """What a stream is packed in, if it is."""
    first = stream.read(HEADER)
    stream.seek(0)
    return packed_in(first)


def packed_in(first: bytes) -> str | None:
    """What a file is packed in that begins like this, if it is.

    >>> packed_in(b"PK\\x03\\x04")
    'zip'
    """
    return next((layer for layer, begins in TOLD.items() if begins.match(first)), None)


def _opened(stream: Any, layer: str, where: str, looked_at: int) -> tuple[Any, str | None]:
    """What is in one layer, and its name, if it has one; of an archive some files are looked at."""
    with _breaking(layer, where):
        if layer in ("zip", "tar"):
            return (_in_zip if layer == "zip" else _in_tar)(stream, where, looked_at)
        return load(MODULES[layer]).open(stream), None


@contextmanager
def _breaking(layer: str, where: str) -> Iterator[None]:
    """Where anything that goes wrong is that of the file: each module has errors of its own."""
    try:
        yield
    except (CranfieldError, MemoryError):
        raise
    except Exception as error:
        what = f"broken {layer} data ({error})"
        raise InputError(what, "a complete file", where) from None


def _in_zip(stream: Any, where: str, looked_at: int) -> tuple[Any, str]:
    from zipfile import ZipFile

    archive = ZipFile(stream)
    files = [file for file in archive.infolist() if not file.is_dir()]
    file = _only(files, "filename", "zip", where, looked_at)
    if file.flag_bits & 1:
        raise InputError(f"{file.filename} encrypted", "a zip archive without a password", where)
    return archive.open(file), file.filename


def _in_tar(stream: Any, where: str, looked_at: int) -> tuple[Any, str]:
    import tarfile

    archive = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115 - closed with its stream
    files = (file for file in archive if not file.isdir())
    file = _only(files, "name", "tar", where, looked_at)
    if not file.isfile():
        raise InputError(f"{file.name}, which is no file, in a tar archive", "a file", where)
    return archive.extractfile(file), file.name


def _only(files: Any, name: str, layer: str, where: str, looked_at: int) -> Any:
    """The one file of an archive, if so many are looked at."""
    few = [*islice((f for f in files if not BESIDE.search(getattr(f, name))), looked_at)]
    if not few:
        raise InputError(f"no file in a {layer} archive", "one", where)
    if len(few) > 1:
        names = ", ".join([*(getattr(f, name) for f in few[:FEW]), *["…"] * (len(few) > FEW)])
        found = f"several files in a {layer} archive ({names})"
        raise InputError(found, "one", where, hint="unpack it and name the files")
    return few[0]
