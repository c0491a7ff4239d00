"""Ways to give a run, and a directory for files of examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.properties.made import Give, Lists, frame_of, trec


@pytest.fixture(params=["mapping", "frame", "file", "file in pieces"])
def give(request: pytest.FixtureRequest, tmp_path: Path, pieces: Callable[[int], None]) -> Give:
    """Takes lists to where runs come from."""

    def file(run: Lists) -> Path:
        path = tmp_path / "r.txt"
        path.write_text(trec(run), encoding="utf-8")
        return path

    if request.param == "file in pieces":
        pieces(40)
    how: dict[str, Callable[[Lists], Any]] = {"mapping": dict, "frame": frame_of}
    return lambda run: {"r": how.get(request.param, file)(run)}


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")
