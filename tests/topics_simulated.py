"""Coverage of intervals, and levels of tests, of topics in clusters and on slices of topics.

Cells of `tests/designs_simulated.py`: differences of topics have a mean of 0 and are symmetric. Topics
of a cluster share a part of the variance. A level is 1 − coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np
import scipy.stats

from cranfield.arrays import Floats, Ints
from cranfield.scores.clusters import Clusters, note_few_clusters
from cranfield.stats.clusters import clustered_bootstrap, clustered_mean, clustered_randomisation
from cranfield.stats.crossed import compare_runs
from cranfield.stats.prediction import compute_t_quantile
from cranfield.stats.slices import build_interaction, welch_interaction

CLUSTERS, SLICES, SLICES_AND_CLUSTERS = "clusters", "slices", "slices and clusters"
CLUSTERS_AND_SEEDS = "clusters and seeds"
SHARES = (0.0, 0.3, 0.8)  # of the variance that topics of a cluster have in common
SIZES = {"of 4 topics": (4,), "of 1 to 8 topics": (1, 2, 8, 3, 1, 5)}  # repeated
COUNTS = (6, 10, 20, 50)
ONE_LARGE = (40, *[1] * 11)  # 51 topics
TRIALS = 499
DESIGNS = {  # topics and standard deviations of slices
    "8, 12, 80 topics, sd .2, .1, .05": ((8, 12, 80), (0.2, 0.1, 0.05)),
    "80, 12, 8 topics, sd .2, .1, .05": ((80, 12, 8), (0.2, 0.1, 0.05)),
    "20, 20, 20 topics, equal sd": ((20, 20, 20), (0.1, 0.1, 0.1)),
    "5, 5, 40 topics, equal sd": ((5, 5, 40), (0.1, 0.1, 0.1)),
    "10, 40 topics, sd .2, .05": ((10, 40), (0.2, 0.05)),
    "30, 30 topics, sd .2, .05": ((30, 30), (0.2, 0.05)),
    "5, 10, 20, 40, 80 topics, sd .2 to .05": ((5, 10, 20, 40, 80), (0.2, 0.16, 0.12, 0.08, 0.05)),
    "5, 10, 20, 40, 80 topics, sd .05 to .2": ((5, 10, 20, 40, 80), (0.05, 0.08, 0.12, 0.16, 0.2)),
}
Random = np.random.Generator


@dataclass(frozen=True)
class Cell:
    """Coverage of several methods for one population."""

    design: str
    name: str
    coverage: dict[str, float]
    promised: tuple[str, ...]
    noted: float = 0.0  # fraction of repetitions with a note


def _draw_with_zeros(chance: Random, shape: tuple[int, ...]) -> Floats:
    z = chance.beta(0.6, 1.6, shape) - chance.beta(0.6, 1.6, shape)
    return np.where(chance.random(shape) < 0.4, 0.0, z)


SHAPES: dict[str, Callable[[Random, tuple[int, ...]], Floats]] = {
    "normal": lambda chance, shape: chance.normal(0, 1, shape),
    "symmetric with zeros": _draw_with_zeros,
}


@cache
def _compute_deviation() -> float:
    """Return the standard deviation of symmetric differences with zeros."""
    return float(_draw_with_zeros(np.random.default_rng(98), (1_000_000,)).std())


def choose_sizes(kind: str, count: int) -> tuple[int, ...]:
    """Return the numbers of topics of clusters."""
    sizes = SIZES[kind]
    return tuple(sizes[g % len(sizes)] for g in range(count))


def draw_clustered(chance: Random, labels: Ints, share: float, repetitions: int) -> Floats:
    """Draw values [repetitions, topics] of variance 1, of which topics of a cluster share a part."""
    alone = _draw_with_zeros(chance, (repetitions, len(labels))) / _compute_deviation()
    common = chance.normal(0, 1, (repetitions, int(labels.max()) + 1))[:, labels]
    return np.asarray(np.sqrt(share) * common + np.sqrt(1 - share) * alone)


def _number(sizes: Sequence[int]) -> tuple[Ints, Clusters]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return labels, Clusters.from_labels(labels.tolist())


def simulate_clusters(text: str, sizes: Sequence[int], share: float, repetitions: int) -> Cell:
    """Simulate the mean of values in clusters, by method."""
    chance = np.random.default_rng([len(sizes), sum(sizes), int(10 * share)])
    labels, clusters = _number(sizes)
    n, count = len(labels), len(sizes)
    held = dict.fromkeys(("CR2", "flips", "bootstrap", "CR1", "clusters ignored"), 0)
    for seed, x in enumerate(draw_clustered(chance, labels, share, repetitions)):
        interval = clustered_mean(x, labels.tolist()).interval(0.95)
        held["CR2"] += interval.low <= 0 <= interval.high
        for name, test in (("flips", clustered_randomisation), ("bootstrap", clustered_bootstrap)):
            outcome = test(x, np.zeros(n), labels.tolist(), trials=TRIALS, seed=seed, threads=1)
            held[name] += outcome.pvalue > 0.05
        cr1 = np.sqrt((clusters.sum(x - x.mean()) ** 2).sum() * count / (count - 1)) / n
        held["CR1"] += abs(x.mean()) <= compute_t_quantile(0.95, count - 1) * cr1
        ignored = x.std(ddof=1) / np.sqrt(n)
        held["clusters ignored"] += abs(x.mean()) <= compute_t_quantile(0.95, n - 1) * ignored
    few = bool(note_few_clusters(clusters))
    return Cell(CLUSTERS, text, _divide(held, repetitions), () if few else ("CR2", "flips"), float(few))


def _divide(counts: dict[str, int], repetitions: int) -> dict[str, float]:
    return {name: count / repetitions for name, count in counts.items()}


def simulate_slices(design: str, shape: str, repetitions: int) -> Cell:
    """Simulate tests of slices with the same mean difference."""
    sizes, deviations = DESIGNS[design]
    chance = np.random.default_rng([*sizes, len(shape)])
    codes = np.repeat(np.arange(len(sizes)), sizes)
    z = SHAPES[shape](chance, (repetitions, len(codes))) * np.array(deviations)[codes]
    kept = dict.fromkeys(("Welch", "Welch, permuted", "F of equal variances"), 0)
    constant = 0
    for seed, x in enumerate(z):
        groups = [x[codes == k] for k in range(len(sizes))]
        if any(np.ptp(group) == 0 for group in groups):  # no test, and a note
            constant += 1
            kept = {name: count + 1 for name, count in kept.items()}
            continue
        found = welch_interaction(groups, trials=TRIALS, seed=seed, threads=1)
        pvalues = found.pvalue, found.permutation, scipy.stats.f_oneway(*groups).pvalue
        kept = {name: kept[name] + (p > 0.05) for name, p in zip(kept, pvalues, strict=True)}
    return Cell(SLICES, f"{design}, {shape}", _divide(kept, repetitions), ("Welch",), constant / repetitions)


def simulate_clustered_slices(count: int, share: float, repetitions: int) -> Cell:
    """Simulate Welch's test of three slices with clusters of 1 to 8 topics, sd .2, .1 and .05."""
    chance = np.random.default_rng([count, int(10 * share)])
    labels, clusters = _number(choose_sizes("of 1 to 8 topics", count))
    parts = [sd * draw_clustered(chance, labels, share, repetitions) for sd in (0.2, 0.1, 0.05)]
    kept = 0
    for x in zip(*parts, strict=True):
        estimates = [clustered_mean(part, labels.tolist()) for part in x]
        means, weights, dfs = np.array([[one.mean, one.se**-2, one.df] for one in estimates]).T
        kept += build_interaction(means, weights, dfs, 3 * len(labels)).pvalue > 0.05
    few = bool(note_few_clusters(clusters))
    text = f"3 slices of {count} clusters, correlation {share:g}"
    return Cell(SLICES_AND_CLUSTERS, text, {"Welch": kept / repetitions}, () if few else ("Welch",), float(few))


def simulate_seeds(count: int, seeds: int, deviation: float, share: float, repetitions: int) -> Cell:
    """Simulate a difference for other clusters and other seeds; topic sd .1, topics × seeds .05."""
    chance = np.random.default_rng([count, seeds, int(1000 * deviation)])
    labels, clusters = _number(choose_sizes("of 1 to 8 topics", count))
    held, noted = 0, 0
    for z in 0.1 * draw_clustered(chance, labels, share, repetitions):
        x, y = (
            half + chance.normal(0, deviation, seeds) + chance.normal(0, 0.05, (len(labels), seeds))
            for half in (z[:, None] / 2, -z[:, None] / 2)
        )
        outcome = compare_runs(x, y, clusters=clusters)
        interval = outcome.confidence_interval(0.95)
        held += interval.low <= 0 <= interval.high
        noted += "few-seeds" in {note.kind for note in outcome.notes}
    text = f"{count} clusters, {seeds} seeds, σ_seed {deviation:g}, correlation {share:g}"
    coverage = {"crossed by cluster": held / repetitions}
    return Cell(CLUSTERS_AND_SEEDS, text, coverage, ("crossed by cluster",), noted / repetitions)


def list_cells() -> Iterator[Callable[[int], Cell]]:
    """Yield a function of the number of repetitions for each cell."""
    for kind, count, share in product(SIZES, COUNTS, SHARES):
        text = f"{count} clusters {kind}, correlation {share:g}"
        yield partial(simulate_clusters, text, choose_sizes(kind, count), share)
    for share in SHARES:
        yield partial(simulate_clusters, f"one cluster of 40 of 51 topics, correlation {share:g}", ONE_LARGE, share)
    for design, shape in product(DESIGNS, SHAPES):
        yield partial(simulate_slices, design, shape)
    for count, share in product((6, 10, 20), SHARES):
        yield partial(simulate_clustered_slices, count, share)
    for count, seeds, deviation in product((10, 20, 50), (2, 3, 5), (0.01, 0.02)):
        yield partial(simulate_seeds, count, seeds, deviation, 0.3)
