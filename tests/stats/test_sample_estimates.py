"""A judge of all documents and people of a sample: worked numbers, unbiased, coverage."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from cranfield.errors import InputError
from cranfield.stats import difference_estimate, inclusion_probabilities
from tests.coverage_simulated import by_sample
from tests.evidence import checks

NAN = float("nan")
W, F, P = [0.5, 0.25, 0.125], [1, 1, 0], [0.8, 0.5, 0.4]


@checks("cf.stats.difference_estimate", against="by hand")
def test_by_hand() -> None:
    """0.75 − 0.25/0.5 + 0.125/0.4; 0.5/0.25 · 0.0625 + 0.6/0.16 · 0.015625."""
    found = difference_estimate(W, F, [NAN, 0, 1], P)
    assert found.estimate == pytest.approx(0.5625, abs=1e-12)
    assert found.error**2 == pytest.approx(0.18359375, abs=1e-12)
    assert (found.low, found.judge, found.sampled, found.differ) == (None, 0.75, 2, 2)


@checks("cf.stats.difference_estimate", against="enumeration")
def test_unbiased_over_all_samples() -> None:
    """The mean over all 8 samples is the truth, and that of the variance its variance."""
    y = np.array([0.0, 0.0, 1.0])
    truth = float(np.dot(W, y))
    mean, spread, variance = 0.0, 0.0, 0.0
    for drawn in product((True, False), repeat=3):
        chance = float(np.prod(np.where(drawn, P, 1 - np.array(P))))
        found = difference_estimate(W, F, np.where(drawn, y, NAN), P)
        mean += chance * found.estimate
        spread += chance * (found.estimate - truth) ** 2
        variance += chance * found.error**2
    assert mean == pytest.approx(truth, abs=1e-12)
    assert variance == pytest.approx(spread, abs=1e-12)


def test_five_that_differ_give_an_interval() -> None:
    """Σ = 5 · 0.1/0.5 = 1; variance 5 · 0.5/0.25 · 0.01 = 0.1; t(4) = 2.7764."""
    found = difference_estimate([0.1] * 5, [0] * 5, [1] * 5, [0.5] * 5)
    assert found.estimate == pytest.approx(1.0)
    half = 2.7764 * 0.1**0.5
    assert (found.low, found.high) == pytest.approx((1 - half, 1 + half), abs=1e-4)
    assert found.people == found.estimate  # the judge said 0 of all: it is of no use
    assert difference_estimate([0.1] * 4, [0] * 4, [1] * 4, [0.5] * 4).low is None


def test_all_judged_leaves_no_doubt() -> None:
    found = difference_estimate(W, F, [1, 0, 1], [1, 1, 1])
    assert (found.estimate, found.error) == (0.625, 0)
    assert (found.low, found.high) == (0.625, 0.625)


@pytest.mark.parametrize(
    ("people", "probabilities"),
    [
        ([NAN, NAN], [0.1, 0.1]),  # nothing was drawn
        ([1, NAN], [1, 0.1]),  # only what is drawn for certain
        ([1, NAN], [0.5, 1]),
    ],
)
def test_difference_estimate_undrawn_documents_without_five_that_differ_has_no_interval(
    people: list[float], probabilities: list[float]
) -> None:
    found = difference_estimate([0.5, 0.25], [1, 1], people, probabilities)
    assert found.estimate == 0.75
    assert (found.low, found.high) == (None, None)


def test_difference_estimate_undrawn_document_without_weight_leaves_no_doubt() -> None:
    """What was not drawn weighs nothing: the sum is known."""
    found = difference_estimate([0.5, 0], [1, 1], [0, NAN], [1, 0])
    assert (found.estimate, found.low, found.high) == (0, 0, 0)


def test_difference_estimate_document_that_cannot_be_drawn_raises() -> None:
    with pytest.raises(InputError, match="found probability 0 for document 2 of weight"):
        difference_estimate([0.5, 0.25], [1, 1], [1, NAN], [1, 0])


@checks("cf.stats.inclusion_probabilities", against="by hand")
def test_probabilities() -> None:
    """min(1, c w) that add up: 4, 2, 1, 1 → c = 1/4 after the first is certain."""
    assert inclusion_probabilities([4, 2, 1, 1], 2).tolist() == [1, 0.5, 0.25, 0.25]
    assert inclusion_probabilities([1, 1, 0], 5).tolist() == [1, 1, 0]
    random = np.random.default_rng(0)
    for size in (0.5, 3, 20, 49):
        w = random.pareto(1, 50)
        p = inclusion_probabilities(w, size)
        assert p.sum() == pytest.approx(size)
        assert p.max() <= 1
        rest = p < 1
        assert np.allclose((p / w)[rest], (p / w)[rest][0])
        assert (p[~rest] <= (p / w)[rest][0] * w[~rest] + 1e-12).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((W, F, [0, 1], P), "found weights of shape"),
        ((W, F, [0, 1, NAN], [0, 0.5, 1]), "probability of a drawn document outside"),
        ((W, [1, 1, NAN], [0, 1, NAN], P), "weights or labels are not finite"),
    ],
)
def test_refused(given: tuple[Any, Any, Any, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        difference_estimate(*given)


@pytest.mark.parametrize(("weights", "size"), [([-1, 2], 1), ([1, NAN], 1), ([1, 2], 0)])
def test_refused_probabilities(weights: list[float], size: float) -> None:
    with pytest.raises(InputError):
        inclusion_probabilities(weights, size)


@checks("cf.stats.difference_estimate interval", against="simulation")
def test_intervals_hold() -> None:
    assert 0.93 <= by_sample(0.3, 300, 500) <= 0.985
