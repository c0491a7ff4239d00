"""Files are written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.data import files
from cranfield.data.files import TemporaryDirectory, read_bytes, write_all, write_whole
from cranfield.errors import CranfieldError


class TestWriteWhole:
    def test_bytes_and_chunks(self, tmp_path: Path) -> None:
        write_whole(tmp_path / "a", b"one")
        assert read_bytes(tmp_path / "a") == b"one"
        write_whole(tmp_path / "a", (chunk for chunk in (b"two ", b"three")))
        assert read_bytes(str(tmp_path / "a")) == b"two three"

    def test_write_whole_failure_keeps_old_file(self, tmp_path: Path) -> None:
        def chunks() -> Any:
            yield b"half"
            raise KeyError("the other half")

        write_whole(tmp_path / "a", b"old")
        with pytest.raises(KeyError, match="other half"):
            write_whole(tmp_path / "a", chunks())
        assert [p.name for p in tmp_path.iterdir()] == ["a"]
        assert read_bytes(tmp_path / "a") == b"old"

    @pytest.mark.skipif(os.name != "posix", reason="permission bits")
    def test_write_whole_permissions_follow_umask(self, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            write_whole(tmp_path / "a", b"")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640

    @pytest.mark.skipif(os.name != "posix", reason="links and pipes")
    def test_write_whole_keeps_links_and_pipes(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("real")
        write_whole(tmp_path / "link", b"x")
        assert (tmp_path / "link").is_symlink()
        assert read_bytes(tmp_path / "real") == b"x"
        os.mkfifo(tmp_path / "pipe")
        reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_whole(tmp_path / "pipe", b"through")
            assert os.read(reader, 100) == b"through"
        finally:
            os.close(reader)

    def test_write_whole_failure_raises_file_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(CranfieldError, match=r"cannot write .*a: there is no directory .*no"):
            write_whole(tmp_path / "no" / "a", b"")
        with pytest.raises(CranfieldError, match=f"cannot write {tmp_path}: "):
            write_whole(tmp_path, b"")
        with pytest.raises(CranfieldError, match=r"cannot read .*a: No such file"):
            read_bytes(tmp_path / "a")

        def refuse(*_: Any) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(CranfieldError, match=f"no permission to write in {tmp_path}"):
            write_whole(tmp_path / "a", b"")
        assert list(tmp_path.iterdir()) == []

    def test_write_whole_keeps_permissions(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch()
        (tmp_path / "a").chmod(0o600)
        write_whole(tmp_path / "a", b"secret")
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def names(directory: Path) -> list[str]:
    """What is in a directory and those below it."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


class TestWriteAll:
    def test_write_all_failure_writes_nothing(self, tmp_path: Path) -> None:
        """The second file fails while it is made: the first is not there, nor are directories."""
        with pytest.raises(ZeroDivisionError):
            write_all({f"{tmp_path}/a/x": b"1", f"{tmp_path}/b/y": (b"%d" % (1 // 0) for _ in "1")})
        assert names(tmp_path) == []
        write_all({f"{tmp_path}/a/x": b"1", f"{tmp_path}/b/y": [b"2", b"3"]})
        assert names(tmp_path) == ["a", "a/x", "b", "b/y"]
        assert (tmp_path / "b/y").read_bytes() == b"23"

    def test_write_all_directory_is_file_raises(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch()
        with pytest.raises(CranfieldError, match=r"cannot make .*a: file exists"):
            write_all({f"{tmp_path}/a/x": b"1"})

    def test_write_all_keeps_order(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Judgments of a simulated collection take their name after all runs."""
        renamed: list[str] = []
        replace = os.replace

        def noted(made: str, name: str) -> None:
            renamed.append(name)
            replace(made, name)

        monkeypatch.setattr(os, "replace", noted)
        cf.simulate(2, 2, 5).write(tmp_path)
        assert renamed[-1] == f"{os.path.realpath(tmp_path)}/qrels.txt"
        assert len(renamed) == 3


LEFT = ".cranfield-0123456789abcdef.tmp"


def leave(directory: Path, name: str = LEFT) -> Path:
    """Make the directory that a killed process leaves."""
    left = directory / name
    left.mkdir()
    (left / "0").write_text("half")
    (left / "cranfield").write_text(f"temporary directory {name} of cranfield\n")
    return left


@pytest.mark.skipif(os.name != "posix", reason="links, owners and locks")
class TestTemporaryDirectory:
    def test_enter_left_directory_removes_it_and_no_locked_one(self, tmp_path: Path) -> None:
        leave(tmp_path)
        with TemporaryDirectory(str(tmp_path)) as held:
            made = os.path.basename(held.path)
            assert names(tmp_path) == [made, f"{made}/cranfield"]
            write_whole(tmp_path / "a", b"1")
            assert names(tmp_path) == [made, f"{made}/cranfield", "a"]
        assert names(tmp_path) == ["a"]

    def test_enter_link_to_directory_keeps_its_files(self, tmp_path: Path) -> None:
        victim = tmp_path / "victim"
        victim.mkdir()
        (tmp_path / ".cranfield-00000000000000aa.tmp").symlink_to(victim)
        (tmp_path / LEFT).symlink_to(leave(victim))
        before = names(tmp_path)
        write_whole(tmp_path / "a", b"1")
        assert names(tmp_path) == sorted([*before, "a"])

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda left: (left / "notes.txt").write_text("mine"),
            lambda left: (left / "1").mkdir(),
            lambda left: (left / "1").symlink_to("0"),
            lambda left: (left / "\N{ARABIC-INDIC DIGIT ONE}").write_text("mine"),
            lambda left: (left / "cranfield").unlink(),
            lambda left: (left / "cranfield").write_text("mine"),
            lambda left: left.rename(left.with_name(LEFT.replace("0", "1"))),
        ],
        ids=["file", "directory", "link", "digit", "unmarked", "mark", "renamed"],
    )
    def test_enter_foreign_directory_keeps_it(self, tmp_path: Path, spoil: Callable[[Path], object]) -> None:
        left = leave(tmp_path)
        spoil(left)
        before = names(tmp_path)
        write_whole(tmp_path / "a", b"1")
        assert names(tmp_path) == sorted([*before, "a"])

    def test_enter_directory_of_other_owner_keeps_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        leave(tmp_path)
        monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
        write_whole(tmp_path / "a", b"1")
        assert names(tmp_path) == [LEFT, f"{LEFT}/0", f"{LEFT}/cranfield", "a"]

    def test_exit_directory_replaced_by_link_keeps_its_target(self, tmp_path: Path) -> None:
        victim, moved = tmp_path / "victim", tmp_path / "moved"
        victim.mkdir()
        (victim / "0").write_text("mine")
        with TemporaryDirectory(str(tmp_path)) as held:
            os.rename(held.path, moved)
            os.symlink(victim, held.path)
        assert (victim / "0").read_text() == "mine"
        assert list(moved.iterdir()) == []

    def test_exit_foreign_file_keeps_it(self, tmp_path: Path) -> None:
        with TemporaryDirectory(str(tmp_path)) as held:
            Path(held.path, "notes.txt").write_text("mine")
            Path(held.path, "0").write_text("ours")
        assert [os.path.basename(name) for name in names(tmp_path)] == [
            os.path.basename(held.path),
            "notes.txt",
        ]

    @pytest.mark.parametrize("missing", ["fcntl", "descriptors"])
    def test_enter_without_locks_removes_its_own_directory_only(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
    ) -> None:
        def refuse(*_: Any) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        leave(tmp_path)
        if missing == "fcntl":
            monkeypatch.setattr("fcntl.flock", refuse)
        else:
            monkeypatch.setattr(files, "_DESCRIPTORS", False)
        write_whole(tmp_path / "a", b"1")
        assert names(tmp_path) == [LEFT, f"{LEFT}/0", f"{LEFT}/cranfield", "a"]

    def test_enter_interrupted_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(files, "_open_directory", interrupt)
        with pytest.raises(KeyboardInterrupt):
            TemporaryDirectory(str(tmp_path)).__enter__()
        assert names(tmp_path) == []
