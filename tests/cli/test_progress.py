"""The progress bar."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from cranfield.cli import progress


def test_threads_share_one_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    original = progress._shown

    def show() -> object:
        shown.append(1)
        return original()

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_shown", show)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    together = Barrier(4)

    def work(bar: progress.Progress) -> None:
        together.wait()
        bar.step(1)

    with progress.Progress((), "testing", 4) as bar, ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [bar] * 4))
    assert len(shown) == 1
    assert bar._done == {"testing": 4}
