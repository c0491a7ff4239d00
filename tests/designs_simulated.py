"""Coverage of intervals for seeds, suites, slices and clusters, next to evalstats in the same cells, and looks.

`python -m tests.designs_simulated` simulates all cells, with evalstats if it is installed, and
writes `tests/designs_simulated.json`, from which docs/correctness.md shows a table. True differences
are 0, so the Type I error is 1 − coverage.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from cranfield.arrays import Floats
from cranfield.comparison.trend import LAST
from cranfield.stats.crossed import (
    SeedTerm,
    Term,
    combine_terms,
    compute_t_half,
    estimate_variance,
    measure_runs,
    note_few_seeds,
)
from cranfield.stats.looks import spend_level
from cranfield.stats.suites import combine_errors, compute_tau2, compute_weights, generalise_errors
from tests import topics_simulated
from tests.topics_simulated import Cell

REPETITIONS = 2_000
PATH = Path(__file__).with_suffix(".json")
PROMISED = (0.93, 0.98)
CONSERVATIVE = ("collections like these", "one further collection", "median", "baseline", "flips", "Welch")
LIBERAL = 0.919  # a level of at most 0.075 (Bradley 1978), with the error of 2,000 repetitions; looks: 0.95
CHUNK = 100  # repetitions in memory
BEIR = (50, 323, 3452, 7405, 648, 1406, 49, 13145, 10000, 400, 1000, 6666, 1535, 300, 43)  # topics
NESTED, COMPARE = "evalstats nested bootstrap", "evalstats compare"
Random = np.random.Generator


@dataclass(frozen=True)
class Crossed:
    """Two systems with seeds. Standard deviations of topic differences, of seeds, and of topics × seeds."""

    seeds: int
    other_seeds: int
    topics: int
    sd_seed: float
    sd_topic: float = 0.10
    sd_rest: float = 0.05

    @property
    def name(self) -> str:
        """Seeds, topics and components."""
        against = "" if self.seeds == self.other_seeds else f" against {self.other_seeds}"
        parts = f"σ_seed {self.sd_seed:g}, σ_topic {self.sd_topic:g}, σ_rest {self.sd_rest:g}"
        return f"{self.seeds} seeds{against}, {self.topics} topics, {parts}"

    @property
    def is_promised(self) -> bool:
        """Return True unless every repetition has the note few-seeds."""
        return not note_few_seeds(self.seeds, self.other_seeds, 0.0)

    def draw(self, chance: Random, size: int) -> tuple[Floats, Floats]:
        """Draw scores [repetitions, topics, runs] of both systems.

        Topic differences have heavy tails, like those of AP. The variance of topics × seeds differs
        between topics.
        """
        shape = size, self.topics
        difference = chance.beta(0.6, 1.6, shape) - chance.beta(0.6, 1.6, shape)
        difference *= self.sd_topic / math.sqrt(2 * 0.6 * 1.6 / (2.2**2 * 3.2))
        base = 0.5 + chance.normal(0, 0.08, shape)
        scale = self.sd_rest * np.sqrt(chance.gamma(2, 0.5, shape))[..., None]
        systems = []
        for side, s in ((0.5, self.seeds), (-0.5, self.other_seeds)):
            sd_seed = self.sd_seed if s > 1 else 0.0  # a system of one run is deterministic
            effects = chance.normal(0, sd_seed, (size, 1, s)) + scale * chance.normal(0, 1, (*shape, s)) * (s > 1)
            systems.append((base + side * difference)[..., None] + effects)
        return systems[0], systems[1]


CROSSED = (
    *(Crossed(s, s, n, sd) for s, n, sd in (
        (2, 20, 0.01), (2, 50, 0.01), (2, 50, 0.02), (3, 20, 0.02), (3, 50, 0.0), (3, 50, 0.01), (3, 50, 0.02),
        (3, 200, 0.02), (5, 50, 0.01), (5, 200, 0.02), (10, 50, 0.01))),
    *(Crossed(s, 1, 50, sd) for s in (2, 3, 5, 10) for sd in (0.01, 0.02)),
    Crossed(3, 3, 50, 0.03, 0.06, 0.02), Crossed(5, 5, 100, 0.03, 0.20, 0.08), Crossed(5, 3, 50, 0.02),
)  # fmt: skip


def simulate_crossed(cell: Crossed, repetitions: int, evalstats: Any = None) -> Cell:
    """Return the coverage of the crossed interval, of means over runs, and of evalstats."""
    chance = np.random.default_rng([cell.seeds, cell.other_seeds, cell.topics, round(1000 * cell.sd_seed)])
    held: dict[str, list[bool]] = {"crossed": [], "mean over runs": []}
    noted = 0
    for begin in range(0, repetitions, CHUNK):
        x, y = cell.draw(chance, min(CHUNK, repetitions - begin))
        difference = (x.mean(axis=-1) - y.mean(axis=-1)).mean(axis=-1)
        variance = estimate_variance(x, y)
        held["crossed"] += (np.abs(difference) <= compute_t_half(variance, 0.95)).tolist()
        z = x.mean(axis=-1) - y.mean(axis=-1)
        error = z.std(axis=-1, ddof=1) / math.sqrt(cell.topics)
        held["mean over runs"] += (np.abs(difference) <= stdtrit(cell.topics - 1, 0.975) * error).tolist()
        noted += sum(bool(note_few_seeds(cell.seeds, cell.other_seeds, share)) for share in variance.seed_share)
        if evalstats is not None and cell.seeds == cell.other_seeds:
            for name, ends in _ask_evalstats(evalstats, x, y, chance):
                held.setdefault(name, []).append(ends[0] <= 0 <= ends[1])
    coverage = {name: float(np.mean(flags)) for name, flags in held.items()}
    promised = ("crossed",) if cell.is_promised else ()
    return Cell("seeds", cell.name, coverage, promised, noted / repetitions)


def _ask_evalstats(evalstats: Any, x: Floats, y: Floats, chance: Random) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the intervals of both functions of evalstats for each repetition."""
    pandas: Any = import_module("pandas")
    s = x.shape[-1]
    for a, b in zip(x, y, strict=True):
        values = np.clip(np.stack([a, b]), 0, 1)
        if s >= 3:  # fewer runs are averaged
            pair = evalstats.pairwise_differences(values, 0, 1, method="bootstrap", n_bootstrap=500, rng=chance)
            yield NESTED, (pair.ci_low, pair.ci_high)
        index = np.indices(values.shape).reshape(3, -1)
        columns = {"model": np.array(["a", "b"])[index[0]], "item": index[1], "run": index[2]}
        frame = pandas.DataFrame({**columns, "score": values.ravel()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = evalstats.compare(evalstats.load_from(frame), factors="model", omnibus=False)
        [pair] = result.pairwise.results.values()
        yield COMPARE, (pair.ci_low, pair.ci_high)


# -- suites ---------------------------------------------------------------------------------------


def simulate_suite(collections: int, tau: float, is_exponential: bool, repetitions: int) -> Cell:
    """Return the coverage of the intervals of a suite with BEIR's numbers of topics."""
    chance = np.random.default_rng([collections, round(1000 * tau), is_exponential])
    shape = repetitions, collections
    n = np.array(BEIR)[np.argsort(chance.random((repetitions, len(BEIR))), axis=1)[:, :collections]]
    effects = chance.exponential(1, (repetitions, collections + 1)) - 1 if is_exponential else None
    true = tau * (chance.normal(0, 1, (repetitions, collections + 1)) if effects is None else effects)
    sd = chance.uniform(0.15, 0.35, shape)
    d = true[:, :-1] + sd / np.sqrt(n) * chance.normal(0, 1, shape)
    v = sd**2 * chance.chisquare(n - 1) / (n - 1) / n
    mean = d.mean(axis=1)
    error, df = combine_errors(v, n - 1.0)
    wide, wide_df = generalise_errors(d, v, n - 1.0)
    weights = compute_weights(v, compute_tau2(d, v))
    pooled = (weights * d).sum(axis=1)
    pooled_error = np.sqrt((weights * (d - pooled[:, None]) ** 2).sum(axis=1) / (collections - 1))
    half, quantile = stdtrit(wide_df, 0.975), stdtrit(collections - 1, 0.975)
    coverage = {
        "these collections": np.abs(mean - true[:, :-1].mean(axis=1)) <= stdtrit(df, 0.975) * error,
        "collections like these": np.abs(mean) <= half * wide,
        "one further collection": np.abs(mean - true[:, -1]) <= half * wide * math.sqrt(collections + 1),
        "pooled (Hartung–Knapp)": np.abs(pooled) <= quantile * pooled_error,
        "first interval, misread": np.abs(mean) <= stdtrit(df, 0.975) * error,
    }
    effect = "exponential, " if is_exponential else ""
    promised = ("these collections",) if is_exponential else [*coverage][:3]
    shares = {name: float(np.mean(flags)) for name, flags in coverage.items()}
    noted = float(collections < 5)
    return Cell("suites", f"{collections} collections, {effect}τ {tau:g}", shares, tuple(promised), noted)


@dataclass(frozen=True)
class SeededSuite:
    """Collections with runs of two systems. A seed is one model on all collections."""

    sizes: tuple[int, ...]
    seeds: int
    other_seeds: int
    sd_seed: float

    @property
    def name(self) -> str:
        """Collections, seeds and components."""
        against = "" if self.seeds == self.other_seeds else f" against {self.other_seeds}"
        return f"{len(self.sizes)} collections, {self.seeds} seeds{against}, σ_seed {self.sd_seed:g}"


SEEDED = tuple(
    SeededSuite(sizes, *seeds, sd)
    for sizes in ((50, 100, 49), (50, 300, 49, 100, 200))
    for seeds in ((3, 3), (5, 5), (5, 1))
    for sd in (0.01, 0.02)
)


def simulate_seeded(cell: SeededSuite, repetitions: int) -> Cell:
    """Return the coverage of the first interval of a suite with seeds, and without their term."""
    chance = np.random.default_rng([len(cell.sizes), cell.seeds, cell.other_seeds, round(1000 * cell.sd_seed)])
    held: dict[str, list[bool]] = {"these collections": [], "mean over runs": []}
    K = len(cell.sizes)
    for begin in range(0, repetitions, CHUNK):
        size = min(CHUNK, repetitions - begin)
        counts = cell.seeds, cell.other_seeds
        effects = [chance.normal(0, cell.sd_seed, (size, 1, s)) * (s > 1) for s in counts]  # of a model
        means = [np.zeros((size, s)) for s in counts]
        within: list[list[Term]] = [[], []]
        topics, total = [], np.zeros(size)
        for n in cell.sizes:
            part = Crossed(*counts, n, 0.5 * cell.sd_seed, 0.15)  # and of a model on a collection
            systems = [x + e for x, e in zip(part.draw(chance, size), effects, strict=True)]
            z = systems[0].mean(axis=-1) - systems[1].mean(axis=-1)
            total = total + z.mean(axis=-1) / K
            topics.append(Term(z.var(axis=-1, ddof=1) / n / K**2, n - 1))
            for i, (x, s) in enumerate(zip(systems, counts, strict=True)):
                means[i] += x.mean(axis=1) / K
                if s > 1:
                    within[i].append(Term(measure_runs(x)[1] / (n * s) / K**2, (n - 1) * (s - 1)))
        seeds = [
            SeedTerm(Term(means[i].var(axis=1, ddof=1) / s, s - 1), tuple(within[i]))
            for i, s in enumerate(counts) if s > 1
        ]  # fmt: skip
        for name, terms in (("these collections", seeds), ("mean over runs", [])):
            variance = combine_terms(topics, terms)
            held[name] += (np.abs(total) <= compute_t_half(variance, 0.95)).tolist()
    coverage = {name: float(np.mean(flags)) for name, flags in held.items()}
    return Cell("seeds in suites", cell.name, coverage, ("these collections",))


# -- repeated looks -------------------------------------------------------------------------------

NOISE: dict[str, Callable[[Random, tuple[int, ...]], Floats]] = {  # of a night, by topic, with mean 0
    "normal": lambda chance, shape: chance.normal(0, 0.05, shape),
    "heavy tails": lambda chance, shape: 0.2 * (chance.beta(0.6, 1.6, shape) - chance.beta(0.6, 1.6, shape)),
    "10 % of topics change": lambda chance, shape: np.where(
        chance.random(shape) < 0.1, chance.normal(0, 0.3, shape), 0.0
    ),
    "skewed": lambda chance, shape: np.where(
        chance.random(shape) < 0.3, 0.05 * (chance.exponential(1, shape) - 1), 0.0
    ),
}


def simulate_looks(noise: str, topics: int, looks: int, repetitions: int) -> Cell:
    """Return the fraction of series of an unchanged system without a false alarm, by reference.

    All nights have the same topics. The median is that of the last 7 nights.
    """
    chance = np.random.default_rng([len(noise), topics, looks])
    levels = 0.05 * spend_level(looks)
    quiet: dict[str, list[bool]] = {"median": [], "baseline": [], "uncorrected": []}
    for begin in range(0, repetitions, CHUNK):
        x = NOISE[noise](chance, (min(CHUNK, repetitions - begin), looks + 1, topics))
        medians = [_find_median_nights(x[:, max(0, t - LAST) : t]) for t in range(1, looks + 1)]
        references = {"median": np.stack(medians, axis=1), "baseline": x[:, :1]}
        for name, reference in references.items():
            pvalues = _compute_t_pvalues(x[:, 1:] - reference)
            quiet[name].extend(np.all(pvalues > levels, axis=1))
            if name == "median":
                quiet["uncorrected"].extend(np.all(pvalues > 0.05, axis=1))
    coverage = {name: float(np.mean(flags)) for name, flags in quiet.items()}
    return Cell("looks", f"{looks} nights, {topics} topics, {noise}", coverage, ("median", "baseline"))


def _find_median_nights(nights: Floats) -> Floats:
    """Return the night with the median mean, or the mean of two, of [repetitions, nights, topics]."""
    count = nights.shape[1]
    order = np.argsort(nights.mean(axis=-1), axis=1)[:, [(count - 1) // 2, count // 2]]
    return np.asarray(np.take_along_axis(nights, order[:, :, None], axis=1).mean(axis=1))


def _compute_t_pvalues(differences: Floats) -> Floats:
    n = differences.shape[-1]
    error = differences.std(axis=-1, ddof=1) / math.sqrt(n)
    t = np.divide(differences.mean(axis=-1), error, out=np.zeros_like(error), where=error > 0)
    return np.asarray(2 * stdtr(n - 1, -np.abs(t)))


LOOKS = tuple((noise, n, looks) for noise in NOISE for n in (25, 50, 200) for looks in (30, 90))


# -- all cells ------------------------------------------------------------------------------------


def list_cells(evalstats: Any = None) -> list[Callable[[int], Cell]]:
    """Return a function of the number of repetitions for each cell."""
    suites = [(K, tau, False) for K in (3, 5, 10, 15) for tau in (0.0, 0.02, 0.06)]
    suites += [(K, 0.04, True) for K in (5, 13)]
    return [
        *(partial(simulate_crossed, cell, evalstats=evalstats) for cell in CROSSED),
        *(partial(simulate_suite, *cell) for cell in suites),
        *(partial(simulate_seeded, cell) for cell in SEEDED),
        *(partial(simulate_looks, *cell) for cell in LOOKS),
        *topics_simulated.list_cells(),
    ]


def simulate(repetitions: int = REPETITIONS, evalstats: Any = None) -> Iterator[Cell]:
    """Yield the coverage of all cells."""
    for compute in list_cells(evalstats):
        yield compute(repetitions)


def get_bounds(design: str, name: str) -> tuple[float, float]:
    """Return the bounds of a promised coverage, with the error of 2,000 repetitions."""
    lowest = {"looks": 0.94, topics_simulated.SLICES: LIBERAL, topics_simulated.SLICES_AND_CLUSTERS: LIBERAL}
    return lowest.get(design, PROMISED[0]), 1.0 if name in CONSERVATIVE else PROMISED[1]


def iter_promises(repetitions: int) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """Yield each interval with its coverage and its bounds, for `make coverage-simulated`."""
    for cell in simulate(repetitions):
        for name, share in cell.coverage.items():
            bounds = get_bounds(cell.design, name) if name in cell.promised else (0.0, 1.0)
            promise = "" if name in cell.promised else " (no promise)"
            yield f"{cell.design}, {cell.name}: {name}{promise}", share, bounds


def _load_evalstats() -> Any:
    try:
        return import_module("evalstats")
    except ImportError:
        return None


def write(cells: Sequence[Cell], version: str | None) -> None:
    """Write the record that docs/correctness.md shows."""
    rows = [
        {"design": c.design, "cell": c.name, "coverage": c.coverage, "promised": [*c.promised], "noted": c.noted}
        for c in cells
    ]
    content = {"repetitions": REPETITIONS, "evalstats": version, "cells": rows}
    PATH.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Simulate and write all cells."""
    evalstats = _load_evalstats()
    cells = []
    for cell in simulate(REPETITIONS, evalstats):
        cells.append(cell)
        print(cell, flush=True)
    write(cells, getattr(evalstats, "__version__", None))


if __name__ == "__main__":
    main()
