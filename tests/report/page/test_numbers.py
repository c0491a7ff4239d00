"""Numbers of the page: short, and rounded for people they are what the command prints."""

from __future__ import annotations

import random

import pytest

from cranfield.report.page.numbers import round_number


@pytest.mark.parametrize("digits", [4, 6, 8])
def test_round_number_keeps_the_displayed_text(digits: int) -> None:
    random_ = random.Random(digits)  # noqa: S311
    for value in (random_.choice((1, -1)) * random_.random() for _ in range(5000)):
        short = round_number(value, digits)
        assert short is not None
        assert f"{short:.4f}" == f"{value:.4f}"
        assert short == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))
        hundreds = round_number(1000 * value, digits)
        assert hundreds is not None
        assert f"{hundreds:.2f}" == f"{1000 * value:.2f}" or abs(1000 * value) < 10


def test_round_number_keeps_more_digits_if_needed() -> None:
    """0.03374987 is 0.0337, by way of 0.03375 it would be 0.0338."""
    assert f"{round(0.03374987, 5) + 1e-12:.4f}" == "0.0338"
    assert round_number(0.03374987, 4) == 0.0337499
    assert round_number(0.03371987, 4) == 0.03372
