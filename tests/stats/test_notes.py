"""When a test should not be believed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield.stats.notes import note_constant, note_skewness, note_zeros

# Cautions


def skewed(n: int, ones: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([1.0] * ones + [0.0] * (n - ones))


def test_skewness_is_judged_by_the_number_of_topics() -> None:
    """Of a share p of ones, skewness is (1 − 2p) / √(p (1 − p)): 2.67 for 0.1, either way.

    It is more than three standard errors, 3 √(6 · 98 / (101 · 103)) = 0.71, from 0, and of 100
    topics not above 0.3 √100 = 3. For 0.05 it is 4.13.
    """
    assert note_skewness(skewed(100, 10)) == ()
    assert "(4.13)" in note_skewness(skewed(100, 5))[0].text
    assert "(-4.13)" in note_skewness(-skewed(100, 5))[0].text


def test_of_few_topics_skewness_is_judged_by_its_standard_error() -> None:
    """Of 7 topics 3 √(6 · 5 / (8 · 10)) = 1.837 is above 0.3 √7. By SciPy the skewness of
    five zeros, x and 1 is 1.810 if x is 0.25, and 1.888 if it is 0.2.
    """
    for x, gamma, told in ((0.25, 1.810, 0), (0.2, 1.888, 1)):
        z = np.array([0.0] * 5 + [x, 1.0])
        assert stats.skew(z) == pytest.approx(gamma, abs=5e-4)
        assert len(note_skewness(z)) == told


def test_differences_of_0_are_told_once() -> None:
    assert note_zeros(np.zeros(4)) == ()
    assert note_constant(np.zeros(4), 0.0) == ()
