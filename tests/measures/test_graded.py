"""Measures with graded levels: what their examples do not show."""

from __future__ import annotations

import pytest

import cranfield as cf


def test_a_highest_level_between_whole_ones_counts_in_proportion() -> None:
    """Thresholds up to 1: 1 + 2/2 of 2. The half step above: half of 1/2, of half an item."""
    assert cf.GAP()([1, 1.5], judged=[1.5, 1]) == pytest.approx((2 + 0.25) / (2 + 0.5))
