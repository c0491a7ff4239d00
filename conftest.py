"""What tests and the examples in the source share: nobody sees the measures that another makes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def registry() -> Iterator[None]:
    """Forgets the measures that a test makes."""
    from cranfield.measures.base import REGISTRY

    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.fixture(autouse=True)
def _of_examples(request: pytest.FixtureRequest) -> None:
    """Examples in the source cannot ask for it."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("registry")
