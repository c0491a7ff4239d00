"""Davidson's model: worked numbers, statsmodels, a search by another method, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranfield.errors import InputError
from cranfield.stats import davidson, intransitive_triples
from tests.evidence import checks


def counts(seed: int, systems: int = 5) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    wins = random.integers(1, 20, (systems, systems))
    np.fill_diagonal(wins, 0)
    ties = np.triu(random.integers(0, 9, (systems, systems)), 1)
    return wins, ties + ties.T


@checks("cf.stats.davidson", against="by hand")
def test_by_hand() -> None:
    """6 wins, 2 losses, 4 ties: π₁/π₂ = 3, ν = 4/√12."""
    found = davidson([[0, 6], [2, 0]], [[0, 4], [4, 0]])
    assert found.nu == pytest.approx(1.1547, abs=5e-5)
    assert found.ratings == pytest.approx([1095.42, 904.58], abs=5e-3)
    assert found.probabilities(0, 1) == pytest.approx((6 / 12, 2 / 12, 4 / 12), abs=1e-6)


@checks("cf.stats.davidson", against="statsmodels")
def test_without_ties_it_is_logistic_regression() -> None:
    """Bradley and Terry's model, by statsmodels."""
    api = pytest.importorskip("statsmodels.api")
    wins, _ = counts(0)
    rows, said = [], []
    for i, j in zip(*np.nonzero(wins), strict=True):
        for k in range(wins[i, j]):
            row = np.zeros(5)
            row[[i, j]] = (1, -1) if k % 2 else (-1, 1)
            rows.append(row)
            said.append(float(k % 2))
    fit = api.Logit(said, np.array(rows)[:, :-1]).fit(disp=0, tol=1e-14)
    theirs = np.append(fit.params, 0)
    found = davidson(wins, ridge=0)
    assert found.nu == 0
    assert found.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-9)


@checks("cf.stats.davidson", against="property")
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_the_likelihood_is_at_its_maximum(ridge: float) -> None:
    """The likelihood, written as in the paper: its derivatives are 0."""
    wins, ties = counts(1)
    found = davidson(wins, ties, ridge)

    def value(x: np.ndarray, eta: float) -> float:
        pi, nu, total = np.exp(x), math.exp(eta), 0.0
        for i in range(5):
            for j in range(i + 1, 5):
                root = nu * math.sqrt(pi[i] * pi[j])
                D = pi[i] + pi[j] + root
                total += wins[i, j] * math.log(pi[i] / D) + wins[j, i] * math.log(pi[j] / D)
                total += ties[i, j] * math.log(root / D)
        return total - ridge / 2 * float((x**2).sum())

    best, x, eta = value(found.strengths, math.log(found.nu)), found.strengths, math.log(found.nu)
    for k in range(5):
        for step in (-1e-3, 1e-3):
            assert value(x + step * np.eye(5)[k], eta) < best + 1e-9
            assert value(x, eta + step) < best
    slopes = [value(x + 1e-5 * e, eta) - value(x - 1e-5 * e, eta) for e in np.eye(5)]
    assert np.abs(slopes).max() / 2e-5 < 1e-4


def test_a_ridge_bounds_who_won_everything() -> None:
    """Without one there is no finite strength: the larger the ridge, the smaller it is."""
    wins = [[0, 5, 5], [0, 0, 3], [0, 1, 0]]
    first = [davidson(wins, ridge=ridge).strengths[0] for ridge in (1e-6, 1e-2, 1.0)]
    assert first[0] > first[1] > first[2] > 0
    assert sum(davidson(wins).strengths) == pytest.approx(0, abs=1e-9)


@checks("cf.stats.intransitive_triples", against="enumeration")
def test_triples() -> None:
    rock = [[0, 2, 0, 3], [1, 0, 2, 3], [2, 0, 0, 3], [0, 0, 0, 0]]  # and one that loses to all
    assert intransitive_triples(rock) == (1, 4)
    assert intransitive_triples([[0, 1], [0, 0]]) == (0, 0)
    assert intransitive_triples([[0, 1, 1], [1, 0, 1], [0, 0, 0]]) == (
        0,
        0,
    )  # 1 : 1 decides nothing


@pytest.mark.parametrize(
    ("wins", "ties", "said"),
    [
        ([[0, 0], [0, 0]], [[0, 4], [4, 0]], "found ties only, expected at least one win"),
        ([[0, 0], [0, 0]], None, "found no battle"),
        ([[0, 1]], None, r"found wins of shape \(1, 2\)"),
        ([[1, 1], [0, 0]], None, "found wins below 0, or of a system against itself"),
        ([[0, -1], [0, 0]], None, "found wins below 0"),
        ([[0, 1], [1, 0]], [[0, 1], [2, 0]], "found ties of shape"),
        ([["a", "b"]], None, "found wins without numbers"),
    ],
)
def test_refused(wins: object, ties: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        davidson(wins, ties)  # type: ignore[arg-type]


def test_refused_ridge() -> None:
    with pytest.raises(InputError, match="found ridge=-1, expected a number ≥ 0"):
        davidson([[0, 1], [1, 0]], ridge=-1)
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 1
    with pytest.raises(InputError, match="battles do not link all systems"):
        davidson(apart, ridge=0)
