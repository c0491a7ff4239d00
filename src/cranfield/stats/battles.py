"""Davidson's model of wins, losses and ties in paired comparisons."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from cranfield.arrays import Bools, Floats, Ints
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError
from cranfield.wording import suggest_keywords

__all__ = ["Davidson", "davidson", "intransitive_triples"]

RIDGE = 1e-6  # changes no printed digit, unless only the ridge bounds a strength
SCALE, MIDDLE = 400 / math.log(10), 1000.0  # the Elo scale
_STEPS = 100  # Newton steps; four to ten are usual
_HALVINGS = 40
_TOLERANCE = 1e-10  # size of the last step


@dataclass(frozen=True, eq=False)
class Davidson(TableResult):
    """Strengths log π, with sum 0, `ratings` on the Elo scale, and ν of ties."""

    strengths: Floats
    nu: float
    ridge: float

    @property
    def ratings(self) -> Floats:
        """400/ln 10 · log π + 1000."""
        return compute_ratings(self.strengths)

    def probabilities(self, i: int, j: int) -> tuple[float, float, float]:
        """Return the probabilities that i wins, that j wins, and of a tie.

        >>> model = davidson([[0, 6], [2, 0]], [[0, 4], [4, 0]])
        >>> [round(p, 4) for p in model.probabilities(0, 1)]
        [0.5, 0.1667, 0.3333]
        """
        half = float(self.strengths[i] - self.strengths[j]) / 2
        terms = [math.exp(half), math.exp(-half), self.nu]
        first, second, tied = (x / math.fsum(terms) for x in terms)
        return first, second, tied


@suggest_keywords
def davidson(wins: ArrayLike, ties: ArrayLike | None = None, ridge: float = RIDGE) -> Davidson:
    """Estimate strengths of systems by maximum likelihood from wins and ties.

    P(i beats j) = π_i/D,   P(tie) = ν √(π_i π_j) / D,   D = π_i + π_j + ν √(π_i π_j)

    ``wins[i, j]`` is the number of wins of i against j. ``ties[i, j]``, a symmetric array, is the
    number of ties. Σ log π = 0. The log-likelihood minus ridge/2 · Σ (log π)² is maximised: without
    a ridge, a system that won or lost every battle has no finite strength. Without ties, ν is 0 and
    the model is that of Bradley and Terry. Battles without any win raise an error.

    6 wins, 2 losses, 4 ties: π_1/π_2 = 3, ν = 4/√(6 · 2).

    >>> model = davidson([[0, 6], [2, 0]], [[0, 4], [4, 0]])
    >>> round(model.nu, 4), model.ratings.round(2).tolist()
    (1.1547, [1095.42, 904.58])

    Reference: Davidson 1970, On extending the Bradley-Terry model to accommodate ties in paired
    comparison experiments, JASA 65(329), 317-328; Bradley and Terry 1952, Rank analysis of
    incomplete block designs, Biometrika 39, 324-345.
    """
    win_table = _to_table(wins, "wins")
    tie_table = np.zeros(win_table.shape) if ties is None else _to_table(ties, "ties")
    if win_table.shape != tie_table.shape or not np.array_equal(tie_table, tie_table.T):
        raise InputError(f"ties of shape {tie_table.shape}", "a symmetric array")
    check_ridge(ridge)
    if not win_table.any():
        raise InputError("ties only" if tie_table.any() else "no battle", "at least one win")
    counts = Counts.from_tables(win_table, tie_table)
    if len(set(find_groups(counts.pairs, len(win_table)))) > 1 and ridge == 0:
        raise InputError.from_problem("battles do not link all systems", "Use a ridge above 0.")
    strengths, nu = fit_strengths(counts, ridge)
    return Davidson(strengths[0], float(nu[0]), ridge)


def compute_ratings(strengths: Floats) -> Floats:
    """Return strengths on the Elo scale: 400 points are ten wins per loss."""
    return SCALE * strengths + MIDDLE


def check_ridge(ridge: float) -> None:
    """Raise an error unless the ridge is a number ≥ 0."""
    number = isinstance(ridge, int | float) and not isinstance(ridge, bool)
    if not number or not 0 <= ridge < math.inf:
        raise InputError(f"ridge={ridge!r}", "a number ≥ 0")


@suggest_keywords
def intransitive_triples(wins: ArrayLike) -> tuple[int, int]:
    """Count intransitive triples, and triples in which each pair has a winner.

    >>> intransitive_triples([[0, 2, 0], [1, 0, 2], [2, 0, 0]])  # a beats b beats c beats a
    (1, 1)

    Reference: Kendall and Babington Smith 1940, On the method of paired comparisons, Biometrika
    31, 324-345.
    """
    won = _to_table(wins, "wins")
    ahead = won > won.T
    has_winner = ahead | ahead.T
    circles, triples = 0, 0
    for i, j in combinations(range(len(won)), 2):
        third = has_winner[i] & has_winner[j] & has_winner[i, j]
        third[: j + 1] = False
        circle = (ahead[j] & ahead[:, i]) if ahead[i, j] else (ahead[i] & ahead[:, j])
        triples += int(np.count_nonzero(third))
        circles += int(np.count_nonzero(third & circle))
    return circles, triples


# -- many fits together ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Counts:
    """Battles of pairs of systems, in one or many samples: [samples, pairs]."""

    pairs: Ints  # [pairs, 2]
    systems: int
    first: Floats  # wins of the first system of the pair
    second: Floats  # wins of the second
    tied: Floats  # ties

    @classmethod
    def from_tables(cls, wins: Floats, ties: Floats) -> Counts:
        """Build the counts of one sample, for pairs with at least one battle."""
        met = np.triu(wins + wins.T + ties, 1) > 0
        i, j = np.nonzero(met)
        rows = (x[None, :] for x in (wins[i, j], wins[j, i], ties[i, j]))
        return cls(np.stack((i, j), axis=1), len(wins), *rows)

    @property
    def total(self) -> Floats:
        """Number of battles of each pair."""
        return self.first + self.second + self.tied

    @property
    def separated(self) -> Bools:
        """Samples [samples] in which a system won, or lost, every battle."""
        won, lost = (self.sum_by_system(x, y) for x, y in
                     ((self.first, self.second), (self.second, self.first)))  # fmt: skip
        tied = self.sum_by_system(self.tied, self.tied)
        fought = (won + lost + tied) > 0
        alone = fought & (tied == 0) & ((won == 0) | (lost == 0))
        return np.asarray(alone.any(axis=1))

    def sum_by_system(self, of_first: Floats, of_second: Floats) -> Floats:
        """Sum numbers of pairs for each system: [samples, systems]."""
        i, j = (np.eye(self.systems)[side] for side in self.pairs.T)
        return np.asarray(of_first @ i + of_second @ j)


def find_groups(pairs: Ints, systems: int) -> list[int]:
    """Return the group of each system. Battles link systems, also indirectly."""
    group_of = list(range(systems))
    for i, j in pairs.tolist():
        if group_of[i] != group_of[j]:
            smaller, larger = group_of[i], group_of[j]
            group_of = [smaller if x == larger else x for x in group_of]
    return group_of


def fit_strengths(counts: Counts, ridge: float) -> tuple[Floats, Floats]:
    """Fit strengths [samples, systems] and ν [samples] by Newton's method.

    With δ = log π_i − log π_j and η = log ν, in which the log-likelihood is concave, a pair
    contributes (wins − losses) δ/2 + ties η − n log(2 cosh δ/2 + ν).
    """
    samples, systems = len(counts.first), counts.systems
    has_ties = np.asarray(counts.tied.any(axis=1))
    x, eta = np.zeros((samples, systems)), np.where(has_ties, 0.0, -np.inf)
    has_wins = counts.first.any(axis=1) | counts.second.any(axis=1)
    going = np.flatnonzero(has_wins)  # otherwise all strengths are equal
    for _ in range(_STEPS):
        if not len(going):
            break
        part = _NewtonFit(counts, going, has_ties[going], ridge)
        step, slope = part.compute_step(x[going], eta[going])
        size = part.find_step_size(x[going], eta[going], step, slope)
        x[going] += size[:, None] * step[:, :-1]
        eta[going] = np.where(part.ties, eta[going] + size * step[:, -1], -np.inf)
        going = going[(np.abs(size[:, None] * step) > _TOLERANCE).any(axis=1)]
    return x - x.mean(axis=1, keepdims=True), np.exp(eta)


class _NewtonFit:
    """Samples whose fit has not converged yet."""

    def __init__(self, counts: Counts, samples: Ints, ties: Bools, ridge: float) -> None:
        self.pairs, self.systems, self.ridge, self.ties = (
            counts.pairs, counts.systems, ridge, ties
        )  # fmt: skip
        self.first, self.second, self.tied = (x[samples] for x in (counts.first, counts.second, counts.tied))
        self.n = self.first + self.second + self.tied
        self.counts = counts

    def compute_likelihood(self, x: Floats, eta: Floats) -> Floats:
        """Return the log-likelihood minus the ridge penalty."""
        half = (x[:, self.pairs[:, 0]] - x[:, self.pairs[:, 1]]) / 2
        finite_eta = np.where(self.ties, eta, 0.0)[:, None]
        nu = np.exp(eta)[:, None]
        terms = (self.first - self.second) * half + self.tied * finite_eta
        terms -= self.n * np.log(2 * np.cosh(half) + nu)
        return np.asarray(terms.sum(axis=1) - self.ridge / 2 * (x**2).sum(axis=1))

    def compute_step(self, x: Floats, eta: Floats) -> tuple[Floats, Floats]:
        """Return the Newton step of strengths and η, and the slope in its direction."""
        i, j = self.pairs.T
        half = (x[:, i] - x[:, j]) / 2
        nu = np.exp(eta)[:, None]
        c, s = np.cosh(half), np.sinh(half)
        D = 2 * c + nu
        of_delta = (self.first - self.second) / 2 - self.n * s / D
        curved, mixed = self.n * (1 + nu / 2 * c) / D**2, self.n * nu * s / D**2
        gradient = np.zeros((len(x), self.systems + 1))
        gradient[:, :-1] = self.counts.sum_by_system(of_delta, -of_delta) - self.ridge * x
        gradient[:, -1] = np.where(self.ties, (self.tied - self.n * nu / D).sum(axis=1), 0.0)
        H = np.zeros((len(x), self.systems + 1, self.systems + 1))
        H[:, i, j] = H[:, j, i] = -curved
        diagonal = np.arange(self.systems)
        H[:, diagonal, diagonal] = self.counts.sum_by_system(curved, curved) + self.ridge
        H[:, :-1, :-1] += 1.0 / self.systems  # fixes only Σ log π
        H[:, :-1, -1] = H[:, -1, :-1] = -self.counts.sum_by_system(mixed, -mixed)
        H[:, -1, -1] = np.where(self.ties, (2 * self.n * nu * c / D**2).sum(axis=1), 1.0)
        H[~self.ties, :-1, -1] = H[~self.ties, -1, :-1] = 0.0
        step = np.linalg.solve(H, gradient[..., None])[..., 0]
        return np.asarray(step, dtype=np.float64), np.asarray((step * gradient).sum(axis=1))

    def find_step_size(self, x: Floats, eta: Floats, step: Floats, slope: Floats) -> Floats:
        """Halve each step until it increases the likelihood."""
        size = np.minimum(1.0, 3.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))
        now = self.compute_likelihood(x, eta)
        for _ in range(_HALVINGS):
            new_eta = np.where(self.ties, eta + size * step[:, -1], -np.inf)
            gained = self.compute_likelihood(x + size[:, None] * step[:, :-1], new_eta) - now
            short = gained < 1e-4 * size * slope - 1e-9 * np.abs(now)
            if not short.any():
                break
            size = np.where(short, size / 2, size)
        return np.asarray(size)


def _to_table(values: ArrayLike, noun: str) -> Floats:
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{noun} without numbers", "an array [systems, systems]") from None
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise InputError(f"{noun} of shape {table.shape}", "[systems, systems], of at least 2")
    if not (np.isfinite(table) & (table >= 0)).all() or table.diagonal().any():
        raise InputError(f"{noun} below 0, or of a system against itself", "counts ≥ 0")
    return table
