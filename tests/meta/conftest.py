"""Collections that tests of several methods share."""

from __future__ import annotations

from typing import Any

import pytest

import cranfield as cf


@pytest.fixture(scope="module")
def collection() -> Any:
    return cf.simulate(topics=6, runs=4, depth=30, seed=5)


@pytest.fixture(scope="module")
def files(collection: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    made = [str(path) for path in collection.write(tmp_path_factory.mktemp("made"))]
    return [p for p in made if "qrels" in p] + sorted(p for p in made if "runs" in p)
