"""What tests find: bounds of p-values that are shown."""

from __future__ import annotations

import pytest

from cranfield.stats.result import format_p


@pytest.mark.parametrize("trials", [999, 3000, 7000, 30_000])
def test_a_bound_holds(trials: int) -> None:
    assert 1 / (trials + 1) <= float(format_p(1 / (trials + 1), trials, least=True)[1:])
    assert 1 / trials <= float(format_p(1 / (trials + 1), trials, least=True)[1:])


def test_trials_that_were_as_extreme_make_no_bound() -> None:
    assert format_p(0.0321, trials=1000) == "0.0321"
    assert format_p(0.0, least=True) == "<0.0001"
