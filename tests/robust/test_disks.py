"""Disks that are full, one of a few kilobytes among them: a line, and no half of a file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.data.reading import grouping
from cranfield.data.reading.source import Source
from tests.robust.test_interrupts import SCATTERED, names


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """No file may be larger than a few bytes: nothing is written, and nothing left."""
    (tmp_path / "a").write_bytes(b"old")
    limited = """
import resource, signal, sys
from cranfield.data.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
write_whole(sys.argv[1], b"x" * 100_000)
"""
    done = subprocess.run(
        [sys.executable, "-c", limited, tmp_path / "a"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"Error: cannot write {tmp_path / 'a'}: File too large\n" in done.stderr
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_disk_of_64_kilobytes(tmp_path: Path) -> None:
    """A file system of its own, where one may be made: what fits is written, and nothing else."""
    script = """
mount -t tmpfs -o size=64k none disk || exit 77
cd disk
echo old > out
"$0" -m cranfield simulate --topics 40 --runs 3 --depth 200 -o made 2> ../said
echo $? > ../code
ls -A > ../left
echo "1 0 a 1" > q; echo "1 Q0 a 1 1 r" > r
"$0" -m cranfield evaluate q r -m AP -o out && cp out ../out
"""
    (tmp_path / "disk").mkdir()
    made = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, sys.executable],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode == 77 or "unshare" in made.stderr:
        pytest.skip("no file system can be mounted here")
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "code").read_text() == "2\n"
    assert "No space left on device" in (tmp_path / "said").read_text()
    assert (tmp_path / "left").read_text() == "out\n"
    assert "AP" in (tmp_path / "out").read_text()


def test_without_room_for_scattered_lines_there_is_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (1,))
    monkeypatch.setattr(grouping, "BATCH_LINES", 1)
    monkeypatch.setattr(grouping, "PART_LINES", 1)
    monkeypatch.setattr(grouping, "MEMORY_LIMIT", 1)
    monkeypatch.setattr("tempfile.SpooledTemporaryFile.write", full)
    path = tmp_path / "run.txt"
    path.write_text(SCATTERED)
    with pytest.raises(cf.CranfieldError, match=r"no space left on device in .* \(TMPDIR sets"):
        cf.evaluate({"q": {"b": 1}}, path, "RR")
