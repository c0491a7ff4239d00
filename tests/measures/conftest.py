"""What tests of several families of measures share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cranfield.measures.base import REGISTRY


@pytest.fixture
def registry() -> Iterator[None]:
    """Forgets the measures that a test makes."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
