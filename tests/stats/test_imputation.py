"""Scores that are no sums, from a sample of documents: worked numbers, coverage."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.arrays import Floats
from cranfield.stats.imputation import (
    Labels,
    compute_explained_variance,
    correct_scores,
    estimate_level_probabilities,
)
from tests.coverage_simulated import by_ratio

VALUES = np.array([0.0, 1.0])


def test_a_sum_is_estimated_by_differences() -> None:
    """The worked case of `difference_estimate`: 0.625 − 0.25·0.5/0.5 + 0.125·0.6/0.4."""
    labels = Labels(
        np.zeros(3, dtype=int),
        np.array([1.0, 1.0, 0.0]),
        np.array([-1, 0, 1]),
        VALUES,
        np.array([0.8, 0.5, 0.4]),
    )
    certain = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])  # as the judge says

    def score(x: Floats) -> Floats:
        return np.array([x @ [0.5, 0.25, 0.125]])

    scores, change = correct_scores(labels, certain, np.arange(3), score, 0)
    assert scores == pytest.approx([0.5625], abs=1e-12)
    assert change == pytest.approx(np.array([[0.0, -0.25, 0.125]]), abs=1e-12)


def test_chances_by_hand() -> None:
    """Two drawn, not relevant and relevant, π = ½, of two topics; the judge says the same of all.

    The third was not drawn: ½ of all, of its label and of its cell. Of the first, from the second
    alone: (1 + ½)/2, (1 + 2·¾)/3, (1 + 4·⅚)/5 = 13/15. In its topic nobody else was drawn. The
    third is of the second's topic: its odds are (1 + 1)/(1 + 2/15), as 2/15 was expected there.
    """
    labels = Labels(np.array([0, 1, 1]), np.zeros(3), np.array([0, 1, -1]), VALUES, np.full(3, 0.5))
    found = estimate_level_probabilities(labels)
    odds = 2 / (1 + 2 / 15)
    expected = [13 / 15, 2 / 15, odds / (1 + odds)]
    assert found[:, 1] == pytest.approx(expected, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(np.ones(3))


def test_explained() -> None:
    labels = Labels(np.array([0, 0]), np.zeros(2), np.array([0, 1]), VALUES, np.array([0.5, 0.5]))
    assert compute_explained_variance(labels, np.array([[1.0, 0.0], [0.0, 1.0]])) == 1
    assert compute_explained_variance(labels, np.full((2, 2), 0.5)) == 0


def test_a_judge_of_many_labels() -> None:
    """Neighbours are put together: 100 labels tell as much as ten."""
    random = np.random.default_rng(0)
    y = random.random(400) < 0.5
    f = np.where(y, random.uniform(50, 100, 400), random.uniform(0, 50, 400))
    labels = Labels(np.arange(400) % 20, f, y.astype(int), VALUES, np.full(400, 0.5))
    assert compute_explained_variance(labels, estimate_level_probabilities(labels)) > 0.8


def test_intervals_hold() -> None:
    held = by_ratio("biased", 300, 16)
    assert min(held.values()) >= 0.75
