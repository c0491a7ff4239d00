"""The progress bar."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.cli import progress
from cranfield.cli.messages import use_error_format
from cranfield.data.reading import tables
from cranfield.data.reading.source import Source
from cranfield.data.reading.table import PartRead


def test_threads_share_one_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[progress.Bar] = []

    class Counted(progress.Bar):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "Bar", Counted)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    together = Barrier(4)

    def work(bar: progress.Progress) -> None:
        together.wait()
        bar.update(1)

    with progress.Progress((), "testing", 4) as bar, ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [bar] * 4))
    assert len(made) == 1
    assert bar._done == {"testing": 4}


LINES = 2000
TEXT = "".join(f"{n // 100} Q0 d{n % 100} {n % 100} {-n} r\n" for n in range(LINES))
SCATTERED = "".join(sorted(TEXT.splitlines(keepends=True), key=lambda line: int(line.split()[3])))


def packed(path: Path, suffix: str) -> Path:
    import bz2
    import gzip

    pack: Any = {".gz": gzip.compress, ".bz2": bz2.compress, ".txt": bytes}[suffix]
    made = path / f"run{suffix}"
    made.write_bytes(pack(TEXT.encode()))
    return made


def parquet(path: Path) -> Path:
    rows = [line.split() for line in TEXT.splitlines()]
    names = ["topic", "q0", "doc", "rank", "score", "tag"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("score").cast(float))
    frame.write_parquet(path / "run.parquet")
    return path / "run.parquet"


def scattered(path: Path) -> Path:
    (path / "run").write_text(SCATTERED)
    return path / "run"


@pytest.mark.parametrize("form", [".txt", ".gz", ".bz2", "parquet"])
def test_lines_and_bytes_of_the_file_are_told(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines, and, however it is packed, nearly all bytes that the file has."""
    monkeypatch.setattr(Source.iter_pieces, "__defaults__", (4000,))
    monkeypatch.setattr(tables, "PART", 300)
    path = parquet(tmp_path) if form == "parquet" else packed(tmp_path, form)
    told: list[PartRead] = []
    cf.evaluate({"1": {"d1": 1}}, path, "AP", progress=told.append)
    assert len(told) > 3
    assert sum(part.lines for part in told) == LINES
    taken = sum(part.bytes_read for part in told) / path.stat().st_size
    assert taken == pytest.approx(1, abs=0.01) if form in (".txt", "parquet") else 0.8 < taken < 3


def test_lines_of_scattered_topics_are_told_when_they_are_grouped(tmp_path: Path) -> None:
    told: list[PartRead] = []
    cf.evaluate({"1": {"d1": 1}}, scattered(tmp_path), "AP", progress=told.append)
    assert sum(part.lines for part in told) in (LINES, 2 * LINES)


def test_rate_and_time_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half of the file, four million lines in two seconds."""
    now = iter([0.0, *[2.0] * 9])
    monkeypatch.setattr("cranfield.cli.progress.time.monotonic", lambda: next(now))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    path = tmp_path / "run"
    path.write_bytes(bytes(100))
    shown: list[str] = []
    monkeypatch.setattr(progress.Bar, "show", lambda self, text: shown.append(text))
    with progress.Progress([str(path)]) as bar:
        bar.update(PartRead("bm25", 4_000_000, 50))
        bar.update(PartRead("bm25", 4_000_000, 80))
    half, whole = shown
    assert half == f"reading bm25 {'━' * 12}{'─' * 12} 2.0 M lines/s 0:02 left"
    assert whole == f"reading bm25 {'━' * 24} 4.0 M lines/s 0:00 left"  # twice is no more than all


def test_steps_have_their_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that began when the files were read: a quarter in 3 s, so 9 s are left."""
    now = iter([0.0, 10.0, 13.0])
    monkeypatch.setattr("cranfield.cli.progress.time.monotonic", lambda: next(now))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    shown: list[str] = []
    monkeypatch.setattr(progress.Bar, "show", lambda self, text: shown.append(text))
    with progress.Progress((), "testing", 8) as bar:
        bar.update(0)
        bar.update(2)
    assert shown == [f"testing {'─' * 24}", f"testing {'━' * 6}{'─' * 18} 0:09 left"]


def test_tasks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of a pass that began after 10 s took 3 s; it is not shown when others write."""
    now = iter([0.0, 0.5, 10.0, 13.0])
    monkeypatch.setattr("cranfield.cli.progress.time.monotonic", lambda: next(now))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    shown: list[str] = []
    monkeypatch.setattr(progress.Bar, "show", lambda self, text: shown.append(text))
    monkeypatch.setattr(progress.Bar, "close", lambda self: shown.append("closed"))
    with progress.Progress() as bar:
        bar.count("finding", 3, 4, "task")
        bar.count("counting", 0, 4000, "task")
        bar.count("counting", 1000, 4000, "task")
    bar.count("counting", 2000, 4000, "task")
    assert shown == [
        f"counting {'─' * 24} 0 of 4,000 tasks",
        f"counting {'━' * 6}{'─' * 18} 1,000 of 4,000 tasks 0:09 left",
        "closed",
    ]


def test_a_line_is_written_over_and_gone(capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.Bar()
    bar.show("reading 検索")
    bar.show("too soon to be read")
    bar.close()
    assert capsys.readouterr().err == f"\rreading 検索\r{' ' * 12}\r"


def test_programs_see_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with use_error_format("json"):
        assert not progress.Progress()._visible
    assert progress.Progress()._visible
