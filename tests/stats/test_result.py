"""What tests find: bounds of p-values that are shown."""

from __future__ import annotations

import pytest

from cranfield.stats.result import shown_p


@pytest.mark.parametrize("trials", [999, 3000, 7000, 30_000])
def test_a_bound_holds(trials: int) -> None:
    assert 1 / (trials + 1) <= float(shown_p(1 / (trials + 1), trials, least=True)[1:])
    assert 1 / trials <= float(shown_p(1 / (trials + 1), trials, least=True)[1:])
