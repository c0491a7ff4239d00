"""Files as people have them: compressed, in an archive, in an archive that is compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import lz4.frame
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.source import Source
from cranfield.data.run_reader import read_run
from cranfield.errors import CranfieldError
from tests.data.shapes import MEASURES, SHAPES
from tests.data.shapes import QRELS as QRELS_OF_SHAPES
from tests.data.shapes import RUN as RUN_OF_SHAPES
from tests.made import Command, examples

RUN = "1 Q0 d1 1 3 A\n1 Q0 d2 2 2 A\n2 Q0 d1 1 1 A\n"
QRELS = "1 0 d2 1\n2 0 d1 1\n"  # RR is 1/2 and 1
CSV = "topic,doc,level\n1,d2,1\n2,d1,1\n"


def in_zip(data: bytes, name: str = "runs/run.txt", **others: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("runs") if hasattr(archive, "mkdir") else archive.writestr("runs/", b"")
        archive.writestr(name, data)
        for other, content in others.items():
            archive.writestr(other, content)
    return made.getvalue()


def in_tar(data: bytes, name: str = "runs/run.txt", **others: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        folder = tarfile.TarInfo("runs")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for called, content in {name: data, **others}.items():
            file = tarfile.TarInfo(called)
            file.size = len(content)
            archive.addfile(file, io.BytesIO(content))
    return made.getvalue()


LAYERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "lz4": partial(lz4.frame.compress, content_checksum=True),  # as the command lz4 does
    "zip": in_zip,
    "tar": in_tar,
}
EACH = pytest.mark.parametrize(
    "layers",
    [*LAYERS, "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "tar.lz4", "gz.tar", "gz.zip", "zip.gz"],
)


def packed(data: bytes, layers: str) -> bytes:
    """Some bytes, packed in the first of some layers, in the second, …"""
    for layer in layers.split("."):
        data = LAYERS[layer](data)
    return data


@EACH
def test_every_packing_is_read(layers: str, here: Path, cranfield: Command) -> None:
    """Whatever its name is, and from standard input, too."""
    Path("q").write_bytes(packed(QRELS.encode(), layers))
    Path("r").write_bytes(packed(RUN.encode(), layers))
    said = cranfield.printed("evaluate", "q", "r", "-m", "RR")
    assert "A    0.7500" in said
    assert cranfield("validate", "q", "r").code == 0
    piped = Path("r").read_bytes()
    assert cranfield.printed("evaluate", "q", "-", "-m", "RR", stdin=piped) == said


@pytest.mark.parametrize("layers", [*LAYERS, "tar.gz", "gz.zip"])
def test_every_shape_is_read_out_of_it(layers: str, here: Path) -> None:
    """Whatever is packed scores what it scores; its name in the archive counts."""
    for shape in SHAPES:
        name = f"file{shape.suffix}"
        first, _, second = layers.partition(".")
        named = {"zip": in_zip, "tar": in_tar}
        inner = named[first](shape.content, name) if first in named else packed(shape.content, first)
        Path(f"{name}.{layers}").write_bytes(packed(inner, second) if second else inner)
        both: list[Any] = [QRELS_OF_SHAPES, f"{name}.{layers}"]
        if shape.other is not None:
            both[0] = "other"
            Path("other").write_bytes(shape.other)
        if shape.kind == "qrels":
            both = [both[1], RUN_OF_SHAPES]
        found = cf.evaluate(both[0], both[1], MEASURES).values.mean(axis=1)[0].tolist()
        assert found == pytest.approx(shape.scores, abs=1e-12), shape


@EACH
@pytest.mark.parametrize("keep", [0.97, 0.6, 0.3])
def test_what_is_cut_is_refused(layers: str, keep: float, here: Path) -> None:
    """Also where all that is left is whole lines."""
    text = "".join(f"a Q0 d{i} {i} {1 / (i + 1)} t\n" for i in range(3000)).encode()
    whole = packed(text, layers)
    if layers.endswith("tar"):  # its end is zeros
        whole = whole.rstrip(b"\0")
    Path("r").write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(CranfieldError, match=r"^r: corrupt \w+ data \(.*\)"):
        read_run("r").to_dict()


@pytest.mark.parametrize("layers", ["zip", "tar", "tar.gz"])
def test_the_name_in_an_archive_counts(layers: str, here: Path, cranfield: Command) -> None:
    """A table is told by .csv, though its first line could be data."""
    inner, *outer = layers.split(".")
    archived = {"zip": in_zip, "tar": in_tar}[inner](gzip.compress(CSV.encode()), "judged.CSV.gz")
    Path("q").write_bytes(packed(archived, outer[0]) if outer else archived)
    Path("r").write_text(RUN)
    assert Source("q").suffix == ".csv"
    assert "A    0.7500" in cranfield("evaluate", "q", "r", "-m", "RR").out


@pytest.mark.parametrize("layer", ["zip", "tar"])
def test_archives_of_none_or_several(layer: str, here: Path) -> None:
    pack: Any = {"zip": in_zip, "tar": in_tar}[layer]
    others = {f"r{i}": b"" for i in range(9)}
    for content, said in (
        (
            pack(b"", "b", a=b""),
            rf"several files in {layer} archive \(b, a\)\. Extract it",
        ),
        (pack(b"", "b", **others), rf"several files in {layer} archive \(b, r0, r1, …\)\. Ext"),
        (pack(b"", ".DS_Store"), rf"no file in {layer} archive$"),
    ):
        Path("r").write_bytes(content)
        with pytest.raises(CranfieldError, match=rf"^r: {said}"):
            read_run("r")


@pytest.mark.parametrize("layer", ["zip", "tar"])
def test_what_macos_adds_is_no_file(layer: str, here: Path) -> None:
    pack: Any = {"zip": in_zip, "tar": in_tar}[layer]
    others = {"__MACOSX/runs/._run.txt": b"\0\5", "runs/._run.txt": b"\0", ".DS_Store": b"\0"}
    Path("r").write_bytes(pack(RUN.encode(), **others))
    assert read_run("r").get_scores("2") == {"d1": 1.0}


def test_an_archive_without_files(here: Path) -> None:
    with zipfile.ZipFile("empty.zip", "w"):
        pass
    with pytest.raises(CranfieldError, match="no file in zip archive"):
        read_run("empty.zip")
    with tarfile.open("link.tar", "w") as archive:
        link = tarfile.TarInfo("run")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hosts"
        archive.addfile(link)
    with pytest.raises(CranfieldError, match="'run' in tar archive is not a file"):
        read_run("link.tar")


def test_an_encrypted_archive(here: Path) -> None:
    content = bytearray(in_zip(RUN.encode(), "r"))
    at = content.rindex(b"PK\x01\x02")  # the entry of the file in the list at the end
    content[at + 8] |= 1
    Path("r").write_bytes(content)
    with pytest.raises(CranfieldError, match="encrypted file 'r' in zip archive"):
        read_run("r")


@pytest.mark.parametrize("layers", ["lz4", "zip", "tar.gz", "gz.zip", "gz.gz"])
def test_all_have_a_limit(layers: str, here: Path, monkeypatch: Any, cranfield: Command) -> None:
    monkeypatch.setattr("cranfield.data.reading.source.HARMLESS", 1 << 16)
    Path("q").write_text(QRELS)
    Path("r").write_bytes(packed(RUN.encode() + b"#\n" * 2_000_000, layers))
    said = cranfield("evaluate", "q", "r")
    assert said.code == 2
    assert "bytes (limit: 100 times its size" in said.err
    assert cranfield("evaluate", "q", "r", "--max-expansion", "1e6").code == 0


def test_a_hole_in_a_tar_has_a_limit(here: Path, monkeypatch: Any) -> None:
    """GNU's sparse files: a few bytes stand for as many zeros as one likes."""
    monkeypatch.setattr("cranfield.data.reading.source.HARMLESS", 1 << 16)
    header = tarfile.TarInfo("run")
    header.type, header.size = tarfile.GNUTYPE_SPARSE, 0
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"%011o\0" % (1 << 32)  # the real size
    block[386:410] = b"%011o\0%011o\0" % (1 << 32, 0)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    Path("r").write_bytes(bytes(block) + bytes(1024))
    with pytest.raises(CranfieldError, match=r"compressed file has more than .* bytes"):
        Source("r").read()


def test_a_file_in_itself(here: Path) -> None:
    """There is a gz file that holds itself."""
    Path("r").write_bytes(packed(RUN.encode(), "gz.gz.gz.gz"))
    assert read_run("r").get_scores("2") == {"d1": 1.0}
    Path("r").write_bytes(packed(RUN.encode(), "gz.gz.gz.gz.gz"))
    with pytest.raises(CranfieldError, match=r"more than 4 layers of compression \(gz, gz, gz, gz, …\)"):
        read_run("r")


def test_without_lz4_the_command_is_named(here: Path, monkeypatch: Any) -> None:
    Path("r").write_bytes(packed(RUN.encode(), "lz4"))
    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    said = r'^lz4 files need a package \(cranfield\[lz4\]\): .* -m pip install "lz4>=4.3.3"$'
    with pytest.raises(CranfieldError, match=said):
        read_run("r")


def test_names_keep_all_suffixes(here: Path, cranfield: Command) -> None:
    """Where tags clash a run is called by its path as given."""
    Path("q").write_text(QRELS)
    for name, layers in (("a.zstd", "zst"), ("a.tar.lz4", "tar.lz4")):
        Path(name).write_bytes(packed(RUN.encode(), layers))
    said = cranfield("evaluate", "q", "a.zstd", "a.tar.lz4", "-m", "RR").out
    assert "a.zstd " in said
    assert "a.tar.lz4 " in said


@given(
    layers=st.sampled_from(["zip", "tar", "lz4", "tar.gz", "gz.zip"]),
    edits=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), min_size=1, max_size=4),
)
@settings(max_examples=examples(200))
def test_damaged_files_never_break(
    tmp_path_factory: pytest.TempPathFactory, layers: str, edits: list[tuple[float, bytes]]
) -> None:
    """Anything but a CranfieldError is a crash; what has a checksum is read right or not at all."""
    content = packed(RUN.encode(), layers)
    for where, inserted in edits:
        at = int(where * len(content))
        content = content[:at] + inserted + content[at + len(inserted) :]
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    with suppress(CranfieldError):
        found = read_run(path).to_dict()
        assert "tar" in layers or found == {"1": {"d1": 3.0, "d2": 2.0}, "2": {"d1": 1.0}}
