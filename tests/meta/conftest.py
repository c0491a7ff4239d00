"""Collections that tests of several methods share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from tests.made import Command


@pytest.fixture(scope="module")
def collection() -> Any:
    return cf.simulate(topics=6, runs=4, depth=30, seed=5)


@pytest.fixture(scope="module")
def files(collection: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    made = [str(path) for path in collection.write(tmp_path_factory.mktemp("made"))]
    return [p for p in made if "qrels" in p] + sorted(p for p in made if "runs" in p)


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[Path, Path, Path]:
    """x has the relevant documents of topic 1 deep and both, y one at the top; 2 is a tie."""
    qrels, x, y = (tmp_path / name for name in ("qrels.txt", "x.txt", "y.txt"))
    qrels.write_text("1 0 a 1\n1 0 b 1\n2 0 c 1\n")
    x.write_text("1 Q0 n 1 9 x\n1 Q0 a 2 8 x\n1 Q0 b 3 7 x\n2 Q0 c 1 9 x\n")
    y.write_text("1 Q0 a 1 9 y\n1 Q0 n 2 8 y\n1 Q0 m 3 7 y\n2 Q0 c 1 9 y\n")
    return qrels, x, y


@pytest.fixture
def meta(cranfield: Command) -> Command:
    return cranfield.of("meta")
