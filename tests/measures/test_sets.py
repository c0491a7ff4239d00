"""Measures of sets: the ends of what can be returned."""

from __future__ import annotations

import cranfield as cf


def test_pairs_of_which_one_side_is_missing() -> None:
    """Where ir_measures has no number: nothing relevant scores 0, nothing else 1, as we say."""
    assert cf.PairAccuracy()([0, None, 0]) == 0
    assert cf.PairAccuracy()([1, 1]) == 1
