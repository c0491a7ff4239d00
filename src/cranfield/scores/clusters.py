"""Means of runs over topics in clusters, such as variations of one information need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cranfield import tables
from cranfield.arrays import Floats, Ints, estimate_rounding
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.lazy_imports import special
from cranfield.scores import FLOOR, Interval, Note, Scores
from cranfield.tables import ResultTable
from cranfield.wording import format_count

MIN_CLUSTERS = 3
"""Fewer clusters are an error."""
ENOUGH_CLUSTERS = 10  # fewer clusters, or fewer degrees of freedom, have a note
ENOUGH_DF = 5.0


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of topics: `codes` [topics] are their numbers, `sizes` [clusters] their topics.

    >>> clusters = Clusters.from_labels(["a", "a", "b", "c", "c"])
    >>> clusters.sizes.tolist(), clusters.sum(np.array([1.0, 2, 3, 4, 5])).tolist()
    ([2, 1, 2], [3.0, 3.0, 9.0])
    """

    codes: Ints
    sizes: Ints

    @classmethod
    def from_labels(cls, labels: Sequence[Any]) -> Clusters:
        """Number the clusters in order of their first topics."""
        numbers: dict[Any, int] = {}
        codes = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
        return cls(codes, np.bincount(codes, minlength=len(numbers)))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def are_single(self) -> bool:
        """True if each cluster has one topic."""
        return len(self.sizes) == len(self.codes)

    @cached_property
    def weights(self) -> Floats:
        """Fraction of the topics in each cluster, w_g."""
        return self.sizes / len(self.codes)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom ν of the CR2 standard error of a mean.

        ν = 1 / (Σ w_g² + (Σ a_g)² − Σ a_g²),   a_g = w_g² / (1 − w_g)
        """
        squares = self.weights**2
        a = squares / (1 - self.weights)
        return float(1 / (squares.sum() + a.sum() ** 2 - (a * a).sum()))

    def sum(self, values: Floats) -> Floats:
        """Return the sums of values over the topics of each cluster, along the first axis."""
        sums = np.zeros((len(self), *values.shape[1:]))
        np.add.at(sums, self.codes, values)
        return sums

    def select(self, rows: Sequence[int]) -> Clusters:
        """Return the clusters of some topics."""
        return Clusters.from_labels(self.codes[rows].tolist())

    def scale(self, values: Floats) -> Floats:
        """Return sums over clusters whose mean over clusters is the mean over topics."""
        return self.sum(values) * (len(self) / len(self.codes))


@dataclass(frozen=True)
class ClusterSummary:
    """Mean of a run over topics in clusters, with its CR2 interval, standard error and design effect.

    The interval is NaN for fewer than 3 clusters. For a geometric mean, `se` and `deff` belong to
    the logarithms.
    """

    measure: str
    run: str
    topics: int
    mean: float
    low: float
    high: float
    clusters: int
    se: float
    df: float
    deff: float


def compute_cr2_error(x: Floats, clusters: Clusters, tolerance: float = 0.0) -> float:
    """Return the CR2 standard error of a mean, or 0 if the means of clusters are equal."""
    e = clusters.sum(x - math.fsum(x) / len(x))
    if np.abs(e).max() <= tolerance * clusters.sizes.max():
        return 0.0
    return math.sqrt(float((e**2 / (1 - clusters.weights)).sum())) / len(x)


def compute_design_effect(x: Floats, error: float, tolerance: float = 0.0) -> float:
    """Return SE² / (s² / n), the variance divided by the variance of independent topics."""
    variance = float(x.var(ddof=1)) if np.ptp(x) > tolerance else 0.0
    return error**2 * len(x) / variance if variance else math.nan


def check_cluster_count(clusters: Clusters, prefix: str = "", location: str | None = None) -> None:
    """Raise an error for fewer than three clusters."""
    if len(clusters) < MIN_CLUSTERS:
        found = f"{prefix}{format_count(len(clusters), 'cluster')}"
        raise InputError(found, f"at least {MIN_CLUSTERS}", location)


def note_few_clusters(clusters: Clusters, prefix: str = "") -> tuple[Note, ...]:
    """Note few clusters, or few degrees of freedom.

    >>> note_few_clusters(Clusters.from_labels("aabbccdd"), "AP: ")[0].text
    'AP: 4 clusters (3.0 degrees of freedom): intervals are wide and depend on single clusters'
    """
    if len(clusters) >= ENOUGH_CLUSTERS and clusters.df >= ENOUGH_DF:
        return ()
    size = f"{format_count(len(clusters), 'cluster')} ({clusters.df:.1f} degrees of freedom)"
    return (Note("clusters", f"{prefix}{size}: intervals are wide and depend on single clusters"),)


def note_single_topics(clusters: Clusters) -> tuple[Note, ...]:
    """Note that clusters do not change results.

    >>> note_single_topics(Clusters.from_labels("abc"))[0].text
    'each cluster has one topic: the results are the same as without clusters'
    """
    if not clusters.are_single:
        return ()
    return (Note("single-clusters", "each cluster has one topic: the results are the same as without clusters"),)


def summarise_clusters(scores: Scores, confidence: float = 0.95) -> Iterator[ClusterSummary]:
    """Yield the means of all runs, by measure."""
    for m, (measure, summary) in enumerate(zip(scores.measures, scores.summaries, strict=True)):
        for r, run in enumerate(scores.runs if summary != "se" else ()):
            yield _summarise_run(scores, m, scores.values[r, :, m], measure, run, confidence)


def _summarise_run(scores: Scores, m: int, values: Floats, measure: str, run: str, confidence: float) -> ClusterSummary:
    """Summarise the scores of a run. The mean of logarithms is transformed back."""
    defined = ~np.isnan(values) if scores.undefined == "skip" else np.ones(len(values), dtype=bool)
    x = np.log(np.maximum(values[defined], FLOOR)) if scores.summaries[m] == "gmean" else values[defined]
    labels = [scores.clusters[topic] for topic, is_defined in zip(scores.topics, defined, strict=True) if is_defined]
    clusters = Clusters.from_labels(labels)
    average = math.fsum(x) / len(x) if len(x) else math.nan
    error = df = deff = half = math.nan
    if len(clusters) >= MIN_CLUSTERS and not math.isnan(average):
        tolerance = float(estimate_rounding(x))
        error, df = compute_cr2_error(x, clusters, tolerance), clusters.df
        deff = compute_design_effect(x, error, tolerance)
        half = float(special.stdtrit(df, (1 + confidence) / 2)) * error
    mean, low, high = (convert_mean(scores.summaries[m], end) for end in (average, average - half, average + half))
    return ClusterSummary(measure, run, len(x), mean, low, high, len(clusters), error, df, deff)


def convert_mean(summary: str, value: float) -> float:
    """Return a mean or an end of its interval in the units of scores."""
    if summary == "gmean":
        return math.exp(value)
    return min(1.0, max(0.0, value)) if summary == "clipped" else value


def compute_intervals(scores: Scores, confidence: float) -> dict[str, dict[str, Interval]]:
    """Return the CR2 intervals of all means, by run and measure."""
    intervals: dict[str, dict[str, Interval]] = {run: {} for run in scores.runs}
    for row in summarise_clusters(scores, confidence):
        interval = Interval(row.low, row.high, row.mean, "CR2", confidence, row.topics)
        intervals[row.run][row.measure] = interval
    return intervals


def build_cluster_table(
    rows: Sequence[ClusterSummary], several_measures: bool, confidence: float = 0.95
) -> ResultTable:
    """Build the table of means over topics in clusters."""
    column = tables.bind_rows(rows)
    measure = "" if several_measures or not rows else f" by {rows[0].measure}"
    sizes = {(row.topics, row.clusters) for row in rows}
    units = [f"{tables.format_topics([topics])} in {count:,} clusters" for topics, count in sorted(sizes)]
    sure = tables.format_percent(confidence)
    return tables.build_table(
        "cluster_means",
        f"Means over {' or '.join(units)} (CR2){measure}, with {sure} intervals for other clusters. "
        "deff: design effect, the variance of the mean divided by its variance for independent topics.",
        column("measure", visible=several_measures, key=True),
        column("run", key=True),
        column("topics", visible=False),
        column("mean"),
        *tables.build_interval_columns(rows, confidence),
        column("clusters"),
        column("se", visible=False),
        column("df", text="{:.1f}".format),
        column("deff", text="{:.2f}".format),
    )
