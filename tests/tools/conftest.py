"""Commands that several tests call."""

from __future__ import annotations

import pytest

from tests.made import Command


@pytest.fixture
def ntcir(cranfield: Command) -> Command:
    return cranfield.of("ntcir")


@pytest.fixture
def ntcir_eval(cranfield: Command) -> Command:
    return cranfield.of("ntcir_eval")
