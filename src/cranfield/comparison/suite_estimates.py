"""Estimates of a suite: means and differences of systems over the parts of collections."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from cranfield.arrays import TOLERANCE, Floats, estimate_rounding, subtract_rounded
from cranfield.comparison.slices import extract_matrix
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.evaluation.suites import SuiteScores, get_group
from cranfield.scores.clusters import Clusters, check_cluster_count, compute_cr2_error
from cranfield.stats.crossed import SeedTerm, Term, Variance, combine_terms, measure_runs
from cranfield.stats.paired import build_t_outcome
from cranfield.stats.resampling import run_in_chunks
from cranfield.stats.result import Outcome
from cranfield.stats.suites import combine_variances
from cranfield.wording import format_count

_LIKE_THESE = 3  # collections from which other collections are estimated


def mean(values: Iterable[float]) -> float:
    """Return the mean, independent of the order of the values."""
    items = [*values]
    return math.fsum(items) / len(items)


@dataclass(frozen=True, eq=False)
class SuiteSettings:
    """Systems with their runs, and the settings of comparisons."""

    groups: Mapping[str, tuple[str, ...]]
    random_seeds: bool
    standardise: bool
    correction: str
    alpha: float
    trials: int
    seed: int
    threads: int | None
    baselines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SuitePart:
    """Scores of a measure on a collection, or on a part of one: `systems` are arrays [topics, runs].

    The weights of all parts of a collection have the sum 1. `measure` is its name on this collection.
    `clusters` are those of its topics, if topics are not independent. `attributes` map topics to
    slices.
    """

    collection: str
    measure: str
    weight: float
    runs: tuple[str, ...]
    values: Floats
    topics: tuple[str, ...]
    clusters: Clusters | None = None
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def get_runs(self, names: Sequence[str]) -> Floats:
        """Return the scores of some runs [topics, runs]."""
        return self.values[:, [self.runs.index(name) for name in names]]

    def resample_means(self, x: Floats, generator: np.random.Generator, size: int) -> Floats:
        """Return means [size, columns] of resampled topics of x [topics, columns], or of complete clusters."""
        if self.clusters is None:
            return _draw_counts(generator, size, len(x)) @ x / len(x)
        sums = np.stack([self.clusters.sum(column) for column in x.T], axis=1)
        counts = _draw_counts(generator, size, len(self.clusters))
        return np.asarray(counts @ sums / (counts @ self.clusters.sizes)[:, None])

    def select_topics(self, names: Iterable[str], weight: float) -> SuitePart:
        """Return the part with some of its topics, and another weight."""
        wanted = {*names}
        rows = [row for row, topic in enumerate(self.topics) if topic in wanted]
        clusters = None if self.clusters is None else self.clusters.select(rows)
        topics = tuple(self.topics[row] for row in rows)
        return replace(self, weight=weight, values=self.values[rows], topics=topics, clusters=clusters)


def extract_parts(content: SuiteScores, m: int) -> list[SuitePart]:
    """Return the scores of a measure on each collection or part."""
    sizes: dict[str, int] = {}
    for name in content.scores:
        sizes[get_group(name)] = sizes.get(get_group(name), 0) + 1
    parts = []
    for name, scores in content.scores.items():
        matrix = extract_matrix(scores, scores.measures[m])
        if len(matrix.topics) < 2:
            count = format_count(len(matrix.topics), "topic")
            raise InputError(f"{count} with {scores.measures[m]}", "at least 2", f"collection {name}")
        if matrix.clusters is not None:
            check_cluster_count(matrix.clusters, f"collection {name}: ")
        part = SuitePart(
            get_group(name),
            scores.measures[m],
            1 / sizes[get_group(name)],
            matrix.systems,
            matrix.values,
            matrix.topics,
            matrix.clusters,
            scores.attributes,
        )
        parts.append(part)
    return parts


@dataclass(frozen=True, eq=False)
class SuiteEstimate:
    """Difference of two systems: `d`, `v` and `df` of collections, and the variance of the macro mean.

    `terms` are the seed terms of the macro mean, and `tolerance` the rounding error of differences.
    """

    run: str
    other: str
    d: Floats
    v: Floats
    df: Floats
    variance: Variance
    like_these: Variance | None
    prediction: float
    seeds: tuple[int, int]
    tolerance: float


@dataclass(frozen=True, eq=False)
class SuiteEstimator:
    """Estimates of one measure, from the parts of all collections."""

    parts: Sequence[SuitePart]
    collections: tuple[str, ...]
    settings: SuiteSettings

    @property
    def confidence(self) -> float:
        """Confidence of intervals."""
        return 1 - self.settings.alpha

    def get_systems(self, part: SuitePart, system: str) -> Floats:
        """Return the scores of a system on a part [topics, runs], means over runs of fixed seeds."""
        x = part.get_runs(self.settings.groups[system])
        return x if self.settings.random_seeds else x.mean(axis=1, keepdims=True)

    def list_parts(self, collection: str) -> list[SuitePart]:
        """Return the parts of a collection."""
        return [part for part in self.parts if part.collection == collection]

    def count_topics(self, collection: str) -> int:
        """Return the number of topics of a collection."""
        return sum(len(part.values) for part in self.list_parts(collection))

    def estimate_variance(self, systems: Sequence[str], collections: Sequence[str]) -> Variance:
        """Return the variance of a macro mean, or of a difference, over some collections."""
        parts = [part for part in self.parts if part.collection in collections]
        weights = [part.weight / len(collections) for part in parts]
        samples = [[self.get_systems(part, system) for system in systems] for part in parts]
        topic_terms = []
        for part, weight, xs in zip(parts, weights, samples, strict=True):
            _, variance, df = self._summarise(xs, part.clusters)
            topic_terms.append(Term(weight**2 * variance, df))
        has_clusters = any(part.clusters is not None for part in parts)
        seeds = [_build_seed_term(weights, [xs[i] for xs in samples], has_clusters) for i in range(len(systems))]
        return combine_terms(topic_terms, [term for term in seeds if term is not None])

    def _summarise(self, xs: Sequence[Floats], clusters: Clusters | None) -> tuple[float, float, float]:
        """Return mean, variance and degrees of freedom on a part: of a system, or of a difference.

        The variance is s² / n with n − 1 degrees of freedom, or CR2 for topics in clusters.
        """
        of_topics = [x.mean(axis=1) for x in xs]
        z = of_topics[0] if len(xs) == 1 else subtract_rounded(of_topics[0], of_topics[1], estimate_rounding(*xs))
        n = len(z)
        if clusters is not None:
            return mean(z), compute_cr2_error(z, clusters, estimate_rounding(*xs)) ** 2, clusters.df
        is_constant = np.ptp(z) <= estimate_rounding(*xs)
        deviation = 0.0 if is_constant else float(z.std(ddof=1))
        if not (self.settings.standardise and len(xs) == 2):
            return mean(z), deviation**2 / n, n - 1
        if deviation == 0:
            if z.any():
                raise InputError.from_problem("equal differences on all topics of a collection", "Omit --standardise.")
            return 0.0, 1 / n, n - 1
        d = mean(z) / deviation
        return d, 1 / n + d**2 / (2 * n), n - 1

    def compare(self, run: str, other: str) -> SuiteEstimate:
        """Return the estimates of the difference of two systems."""
        d, v, df = (np.empty(len(self.collections)) for _ in range(3))
        for k, collection in enumerate(self.collections):
            parts = self.list_parts(collection)
            samples = [[self.get_systems(part, system) for system in (run, other)] for part in parts]
            rows = [self._summarise(xs, part.clusters) for xs, part in zip(samples, parts, strict=True)]
            d[k] = mean([row[0] for row in rows])
            total, dof = combine_variances(*np.array([row[1:] for row in rows], dtype=float).T)
            v[k], df[k] = total / len(parts) ** 2, dof
        scale = max(float(np.abs(part.values).max(initial=0.0)) for part in self.parts)
        tolerance = 0.0 if self.settings.standardise else TOLERANCE * scale
        d = np.where(np.abs(d) <= tolerance, 0.0, d)
        variance = self.estimate_variance((run, other), self.collections)
        seeds = [len(self.settings.groups[system]) for system in (run, other)]
        like_these, prediction = self._generalise((run, other), d, v, float(variance.df))
        return SuiteEstimate(run, other, d, v, df, variance, like_these, prediction, (seeds[0], seeds[1]), tolerance)

    def _generalise(self, systems: Sequence[str], d: Floats, v: Floats, df: float) -> tuple[Variance | None, float]:
        """Return the variance of the mean of collections like these, and the error of a prediction."""
        K = len(self.collections)
        if K < _LIKE_THESE:
            return None, math.nan
        spread = max(float(d.var(ddof=1)), float(v.mean()))
        terms = []
        for system in systems:
            by_collection = [self.list_parts(collection) for collection in self.collections]
            run_means = [
                np.mean([self.get_systems(part, system).mean(axis=0) for part in parts], axis=0)
                for parts in by_collection
            ]
            terms += _build_crossed_term(np.array(run_means))
        variance = combine_terms([Term(spread / K, K - 1)], terms)
        variance = replace(variance, df=min(float(variance.df), df))
        return variance, math.sqrt(float(variance.value) + spread)


def _build_seed_term(weights: Sequence[float], samples: Sequence[Floats], has_clusters: bool) -> SeedTerm | None:
    """Return the term of a system with several runs, on parts with weights.

    For topics in clusters, nothing is subtracted.
    """
    s = samples[0].shape[1]
    if s == 1:
        return None
    macro_means = np.sum([w * x.mean(axis=0) for w, x in zip(weights, samples, strict=True)], axis=0)
    is_constant = np.ptp(macro_means) <= estimate_rounding(*samples)
    between = 0.0 if is_constant else float(macro_means.var(ddof=1)) / s
    within: list[Term] = []
    if has_clusters:
        return SeedTerm(Term(between, s - 1))
    for weight, x in zip(weights, samples, strict=True):
        n = len(x)
        within.append(Term(weight**2 * float(measure_runs(x)[1]) / (n * s), (n - 1) * (s - 1)))
    return SeedTerm(Term(between, s - 1), tuple(within))


def _build_crossed_term(x: Floats) -> list[SeedTerm]:
    """Return the seed term of means [collections, runs], with collections as topics."""
    n, s = x.shape
    if s == 1:
        return []
    between, rest = measure_runs(x)
    return [SeedTerm(Term(between / s, s - 1), (Term(rest / (n * s), (n - 1) * (s - 1)),))]


def build_outcome(estimate: float, variance: Variance, n: int) -> Outcome:
    error, df = math.sqrt(float(variance.value)), float(variance.df)
    return build_t_outcome("macro mean", estimate, error, df, n, "", "two-sided", ())


# -- ranks -----------------------------------------------------------------------------------------


def resample_macro_means(estimator: SuiteEstimator) -> Floats:
    """Return macro means [resamples, systems] of resampled topics, and of runs if seeds are random."""
    settings, K = estimator.settings, len(estimator.collections)
    systems = [*settings.groups]
    samples = [[estimator.get_systems(part, system) for system in systems] for part in estimator.parts]
    sizes = [x.shape[1] for x in samples[0]]
    matrices = [np.concatenate(xs, axis=1) for xs in samples]
    starts = np.cumsum([0, *sizes[:-1]])

    def draw_means(generator: np.random.Generator, size: int) -> Floats:
        means = np.zeros((size, sum(sizes)))
        for part, x in zip(estimator.parts, matrices, strict=True):
            means += part.weight / K * part.resample_means(x, generator, size)
        columns = []
        for start, s in zip(starts, sizes, strict=True):
            of_runs = means[:, start : start + s]
            columns.append((of_runs * _draw_counts(generator, size, s)).sum(axis=1) / s if s > 1 else of_runs[:, 0])
        return np.stack(columns, axis=1)

    cells = sum(map(len, matrices))
    return np.concatenate(run_in_chunks(draw_means, settings.trials, settings.seed, cells, settings.threads))


def _draw_counts(generator: np.random.Generator, size: int, n: int) -> Floats:
    """Draw n of n items with replacement. Return how often each was drawn [size, n]."""
    draws = generator.integers(n, size=(size, n)) + np.arange(size)[:, None] * n
    return np.bincount(draws.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
