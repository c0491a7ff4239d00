"""NTCIR's runs begin with ``<SYSDESC>…</SYSDESC>``: every command reads them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import cranfield as cf
from cranfield.data.reading import source
from cranfield.data.reading.lines import scan_lines
from cranfield.data.reading.source import LIMITS, Limits, Source, reading_limits
from cranfield.data.run_reader import read_run
from cranfield.errors import CranfieldError, InputError

RUN = "1 Q0 d1 1 3 A\n1 Q0 d2 2 2 A\n2 Q0 d1 1 1 A\n"
QRELS = "1 0 d2 1\n2 0 d1 1\n"
BEFORE = [
    "<SYSDESC>BM25, k1 = 0.9</SYSDESC>\n",
    "# x\n<sysdesc>\nBM25,\n1 Q0 d9 1 9 B\n</sysDesc>\n",
]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "q", "r", "-m", "RR"],
        ["validate", "q", "r"],
        ["pool", "r", "--depth", "2"],
        ["trec_eval", "-m", "all_trec", "q", "r"],
        ["compare", "q", "r", "other", "-m", "RR"],
        ["label", "q", "r"],
        ["gdeval", "q", "r"],
        ["ndeval", "q", "r"],
        ["cwl_eval", "q", "r"],
        ["ntcir", "split-runs", "tid", "r"],
        ["ntcir", "TRECsplitruns", "tid", "list"],
    ],
    ids=" ".join,
)
def test_every_command(before: str, command: list[str], tmp_path: Path, monkeypatch: Any, cranfield: Any) -> None:
    """What is printed, and written, is the same with and without a description."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(QRELS)
    Path("tid").write_text("1\n2\n")
    Path("list").write_text("r\n")
    Path("other").write_text(RUN.replace("A", "B"))

    def found(run: str) -> tuple[Any, ...]:
        Path("r").write_text(run)
        said = cranfield(*command)
        written = [path.read_text() for path in sorted(tmp_path.glob("*/*.res"))]
        return said.code, said.out, written

    expected = found(RUN)
    assert expected[0] == 0
    assert expected[1] or expected[2]
    assert found(before + RUN) == expected
    assert found(RUN[:14] + BEFORE[0] + RUN[14:]) == expected


# -- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("r", RUN + "1 Q0 " + "x" * 60 + " 3 1 A\n", 4),
        ("r", "# " + "x" * 60 + "\n" + RUN, 1),
        ("r", RUN + "1 Q0 " + "x" * 500, 4),
        ("r.csv", "topic,doc,score\n1,d1,3\n1," + "x" * 60 + ",2\n", 3),
        ("r.jsonl", '{"topic":1,"doc":"' + "x" * 60 + '","score":1}\n', 1),
    ],
)
@pytest.mark.parametrize("size", [8, 64, 1 << 20])
def test_lines_have_a_limit(
    name: str, text: str, line: int, size: int, tmp_path: Path, monkeypatch: Any, cranfield: Any
) -> None:
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
    qrels, run = tmp_path / "q", tmp_path / name
    qrels.write_text(QRELS)
    run.write_text(text)
    said = f"{run}:{line}: line has more than 50 bytes. To allow longer lines, use --max-line"
    assert said in cranfield("evaluate", qrels, run, "--max-line", 50).err
    assert said.partition(": ")[0] in cranfield("validate", run, "--max-line", 50).out
    fine = cranfield("evaluate", qrels, run, "--max-line", 1000)
    assert "--max-line" not in fine.err
    assert LIMITS.get() == Limits()


def test_what_a_line_may_be_is_told_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"abc\ndefg\nhi")
    for most, at in ((3, 4), (4, None), (1, 0), (10**30, None)):
        with reading_limits(max_line=most):
            source = Source.from_path(path)
        assert source.find_long_line(path.read_bytes()) == at
        told = [number for number, x in scan_lines(source) if isinstance(x, InputError)]
        assert told == ([] if at is None else [1 if at == 0 else 2])


@pytest.mark.parametrize("compression", [gzip, bz2, lzma])
def test_compressed_files_have_a_limit(compression: Any, tmp_path: Path, monkeypatch: Any, cranfield: Any) -> None:
    monkeypatch.setattr("cranfield.data.reading.source.HARMLESS", 1 << 16)
    qrels, run = tmp_path / "q", tmp_path / "r.packed"
    qrels.write_text(QRELS)
    run.write_bytes(compression.compress((RUN + "# " + "x" * 60 + "\n").encode() + b"#\n" * 500_000))
    said = "bytes (limit: 100 times its size, and 50 GB)"
    for command in (["evaluate", qrels, run], ["validate", run]):
        found = cranfield(*command)
        assert found.code == 2
        assert said in found.err + found.out
        assert "To allow more, use --max-expansion TIMES." in found.err + found.out
    assert cranfield("evaluate", qrels, run, "--max-expansion", 1e6).code == 0
    with pytest.raises(cf.InputError, match=r"more, use reading_limits\(max_expansion=TIMES\)"):
        cf.evaluate(qrels, run, "AP")
    shown = " ".join(cranfield("evaluate", "--help-all").out.split())
    assert "(default: 100, but at least 100 MB and at most 50 GB)" in shown


# -- files that change while they are read ----------------------------------------------------


def truncated(path: Path) -> None:
    os.truncate(path, 20)


def replaced(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def appended(path: Path) -> None:
    with path.open("a") as file:
        file.write("3 Q0 d1 1 1 A\n")


CHANGES = pytest.mark.parametrize("change", [truncated, replaced, appended, Path.unlink])


@CHANGES
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_that_changes_while_it_is_read(
    change: Any, threads: int, tmp_path: Path, monkeypatch: Any, cranfield: Any
) -> None:
    """A mean over what was left was printed, without a word."""
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (8,))
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text(QRELS)
    later = "".join(f"{topic} Q0 d1 1 1 A\n" for topic in range(3, 60))
    run.write_text(RUN + later)  # more pieces than threads could have read before the change
    read = Source.read_range

    def once(self: Source, begin: int, stop: int) -> bytes:
        found = read(self, begin, stop)
        if self.path == str(qrels):
            return found
        monkeypatch.setattr(Source, "read_range", read)
        change(run)
        return found

    monkeypatch.setattr(Source, "read_range", once)
    said = cranfield("evaluate", qrels, run, "--threads", threads)
    assert said.code == 2
    assert "changed while it was being read" in said.err or "no such file" in said.err


@CHANGES
@pytest.mark.parametrize("name", ["q", "q.csv"])
def test_judgments_that_change_while_they_are_read(change: Any, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text({"q": QRELS, "q.csv": "topic,doc,level\n1,d2,1\n"}[name])
    source = Source.from_path(path)
    assert source.start
    change(path)
    with pytest.raises(CranfieldError, match=r"changed while it was being read|no such file"):
        source.read()


def test_a_file_that_is_cut_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text(QRELS)
    found = scan_lines(Source.from_path(path))
    next(found)
    truncated(path)
    with pytest.raises(InputError, match="changed while it was being read"):
        list(found)


def test_a_pipe_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held in memory: no more of it than fits there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(source, "get_memory_limit", lambda: 1 << 22)

    def write() -> None:
        with suppress(BrokenPipeError), open(pipe, "w") as stream:
            while True:
                stream.write(RUN * 1000)

    writer = Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(InputError, match=r"pipe: pipe has more than 0\.00391 GB \(half of"):
        read_run(pipe)
    writer.join(10)
    assert not writer.is_alive()  # nobody listens any more


# -- descriptions ---------------------------------------------------------------------------------

# As ir_metadata.org has it: YAML in comments before the data.
METADATA = """\
# ir_metadata.start
# platform:
#   hardware:
#     ram: '64 GB'
# actor:
#   team: ours
# ir_metadata.end
"""
SAID = "platform:\n  hardware:\n    ram: '64 GB'\nactor:\n  team: ours"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (METADATA, SAID),
        (METADATA.replace("\n", "\r\n"), SAID),
        ("\ufeff" + METADATA + "# another\n", SAID),
        (METADATA.replace("# ir_metadata.end\n", ""), SAID),
        (METADATA.replace("# ", "#"), SAID),
        (BEFORE[0], "BM25, k1 = 0.9"),
        (BEFORE[1], "BM25,\n1 Q0 d9 1 9 B"),
        (BEFORE[0] + METADATA, "BM25, k1 = 0.9\n" + SAID),
        ("# nothing\n", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("size", [8, 1 << 20])
def test_descriptions_are_kept(
    before: str, said: str, size: int, tmp_path: Path, monkeypatch: Any, cranfield: Any
) -> None:
    """And the lists are those of the run without one."""
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
    monkeypatch.chdir(tmp_path)
    Path("r").write_bytes((before + RUN).encode())
    Path("r.gz").write_bytes(gzip.compress((before + RUN).encode()))
    plain = {"1": {"d1": 3.0, "d2": 2.0}, "2": {"d1": 1.0}}
    for name in ("r", "r.gz"):
        run = read_run(name)
        assert run.description == said
        assert run.to_dict() == plain
        told = cranfield("validate", name, "-v").out
        assert all(f"{name}: {line}\n" in told for line in said.splitlines())
        assert "team" not in cranfield("validate", name).out
    assert read_run(plain).description == ""
