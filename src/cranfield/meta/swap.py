"""The swap method: how often do two sets of topics disagree on which run is better?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

import numpy as np

from cranfield.arrays import TOLERANCE, Bools, Floats, subtract_rounded
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_number, describe_value, is_one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.lazy_imports import special
from cranfield.meta.sizes import check_sizes
from cranfield.meta.summaries import format_summary
from cranfield.scores import Note
from cranfield.stats.measure_scores import split_by_measure
from cranfield.stats.resampling import Progress, run_in_chunks
from cranfield.stats.result import check_alpha
from cranfield.stats.samples import Matrix
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["Swap", "SwapRates", "swap"]

TRIALS = 1000
MOST_BINS = 100_000
ROUNDING = 1e-9  # of a bin: a difference of 0.02 is not below 0.02

Filter: TypeAlias = Literal["t"]

MIN_COMPARISONS = 100  # comparisons, on which a difference should not rest


@dataclass(frozen=True)
class SwapBin:
    """Comparisons with a difference from `low` up to, not including, `high`."""

    low: float
    high: float
    comparisons: int
    swaps: float

    @property
    def rate(self) -> float:
        """The share of swaps."""
        return self.swaps / self.comparisons


def check_rate(rate: float) -> float:
    """The swap rate itself, if it can be one."""
    if not 0 <= rate <= 1:
        raise InputError(f"rate={rate}", "a number from 0 to 1")
    return rate


@dataclass(frozen=True)
class SwapRates:
    """How often runs swap by a measure, between two sets of `size` topics.

    `bins` are those that have comparisons, the smallest differences first.
    """

    measure: str
    topics: int
    size: int
    bins: tuple[SwapBin, ...] = field(repr=False)

    @property
    def comparisons(self) -> int:
        """Of all bins."""
        return sum(swap_bin.comparisons for swap_bin in self.bins)

    @property
    def rate(self) -> float:
        """The share of swaps among all comparisons; nan if there are none."""
        swaps = math.fsum(swap_bin.swaps for swap_bin in self.bins)
        return swaps / self.comparisons if self.comparisons else math.nan

    def required(self, rate: float = 0.05) -> float | None:
        """The difference from which on no more than `rate` are swaps; None if there is none.

        Swap rates fall as differences grow, but for chance: neighbouring bins that do not fall are
        taken together (isotonic regression). The largest differences may be few, and have no swap
        by chance: look at `sensitivity`, the share of comparisons that have the difference.
        """
        check_rate(rate)
        return next((low for low, swaps, n in self._merge_bins() if swaps <= rate * n), None)

    @property
    def falling(self) -> list[float]:
        """The rate of each bin, bins being taken together where rates do not fall."""
        merged = self._merge_bins()[::-1]
        return [next(swaps / n for low, swaps, n in merged if low <= x.low) for x in self.bins]

    def _merge_bins(self) -> list[tuple[float, float, int]]:
        """Bins taken together where rates do not fall: low end, swaps, comparisons."""
        merged: list[tuple[float, float, int]] = []
        for swap_bin in self.bins:
            low, swaps, n = swap_bin.low, swap_bin.swaps, swap_bin.comparisons
            while merged and swaps * merged[-1][2] >= merged[-1][1] * n:
                low, swaps, n = merged[-1][0], swaps + merged[-1][1], n + merged[-1][2]
                merged.pop()
            merged.append((low, swaps, n))
        return merged

    def sensitivity(self, rate: float = 0.05) -> float:
        """The share of comparisons that have the required difference."""
        low = self.required(rate)
        counts = [
            swap_bin.comparisons
            for swap_bin in self.bins
            if low is not None and swap_bin.low >= low
        ]
        return sum(counts) / self.comparisons if self.comparisons else math.nan


@dataclass(frozen=True)
class Swap(TableResult, tables="meta.swap"):
    """The swap rates of each measure and size of topic sets.

    ``found["AP"]`` are those of AP on the largest sets, ``found["AP", 10]`` on sets of ten topics.
    """

    runs: tuple[str, ...]
    rates: tuple[SwapRates, ...]
    bin: float
    filter: Filter | None
    alpha: float
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()

    def cautions(self, rate: float = 0.05) -> tuple[Note, ...]:
        """Which required differences rest on too few comparisons to be relied on."""
        names = [
            f"{rates.measure} on {rates.size} topics"
            for rates in self.rates
            if 0 < rates.sensitivity(rate) * rates.comparisons < MIN_COMPARISONS
        ]
        text = f"fewer than {MIN_COMPARISONS} comparisons are behind {format_names(names, 'difference needed')}"
        return (Note("few-comparisons", text),) if names else ()

    def __repr__(self) -> str:
        descriptions = [format_count(len(self.runs), "run"), format_count(self.trials, "trial")]
        return format_summary(
            self, descriptions, {f"{x.measure} on {x.size}": x.rate for x in self.rates}
        )

    def __getitem__(self, key: str | tuple[str, int]) -> SwapRates:
        measure, size = key if isinstance(key, tuple) else (key, None)
        matches = [x for x in self.rates if x.measure == measure and size in (None, x.size)]
        if not matches:
            valid_keys = ", ".join(f"{x.measure} on {x.size}" for x in self.rates)
            raise InputError(f"swap rates of {key!r}", f"one of {valid_keys}")
        return max(matches, key=lambda x: x.size)


@suggest_keywords
def swap(
    scores: ScoresLike,
    sizes: int | Sequence[int] | None = None,
    bin: float = 0.01,
    filter: Filter | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Swap:
    """How often two sets of topics disagree on which run is better, by how much runs differ.

    In each trial two disjoint sets of `sizes` topics each (half of all topics, if not given) are
    drawn at random. Every pair of runs is compared on both: the difference d of the means on the
    first set says in which bin the comparison counts, ⌊|d| / bin⌋; it is a swap if the difference
    d′ on the second has the other sign.

    rate = Σ |sgn(d) − sgn(d′)| / 2 / comparisons, of a bin

    So a difference of 0 in one of the sets is half a swap, and no swap if both are 0: the papers
    leave that open. Differences below rounding (1e-12 of the largest score) are 0. With
    ``filter="t"`` only comparisons count that a paired t-test on the first set finds significant,
    p ≤ `alpha`.

    Swap rates are of sets as large as those drawn; they say nothing directly about all topics, of
    which two disjoint sets cannot be had. Assumed is that topics are a random sample; trials
    overlap, so they are not independent of each other. All measures see the same sets.

    Reference: Voorhees and Buckley 2002, The effect of topic set size on retrieval experiment
    error, SIGIR; of the filter Sanderson and Zobel 2005, Information retrieval system evaluation:
    effort, sensitivity, and reliability, SIGIR.

    >>> scores = {"a": {"1": 0.5, "2": 0.5}, "b": {"1": 0.2, "2": 0.2}, "c": {"1": 0.3, "2": 0.1}}
    >>> found = swap(scores, bin=0.1)["score"]  # a − b: 0.3, 0.3; a − c: 0.2, 0.4; b − c: −0.1, 0.1
    >>> [(round(x.low, 1), x.rate) for x in found.bins]
    [(0.1, 1.0), (0.2, 0.0), (0.3, 0.0), (0.4, 0.0)]
    >>> round(found.required(), 1)
    0.2
    """
    check_alpha(alpha)
    if not is_one_of(filter, (None, "t")):
        raise InputError(f"filter={describe_value(filter)}", "'t' or None")
    check_number("bin", bin, "a number above 0")
    if not 0 < bin < math.inf:
        raise InputError(f"bin={bin}", "a number above 0")
    matrices, notes = split_by_measure(read_scores(scores))
    runs = next(iter(matrices.values())).systems
    measure_sizes = {m: _choose_sizes(sizes, x, m, 2 if filter else 1) for m, x in matrices.items()}
    rates: list[SwapRates] = []
    for measure, matrix in matrices.items():
        n, selected = len(matrix.topics), measure_sizes[measure]
        widest = float(np.ptp(matrix.values, axis=1).max())
        if widest / bin > MOST_BINS:
            raise InputError(f"bin={bin}", f"a larger one: {measure} differs by {widest:.4g}")
        trial = _make_trial(matrix, selected, bin, widest, alpha if filter else None)
        cells = max(n, len(matrix.pairs))
        counts = sum(run_in_chunks(trial, trials, seed, cells, threads, progress))
        rates += [
            SwapRates(measure, n, size, tuple(_build_bins(size_counts, bin)))
            for size, size_counts in zip(selected, np.asarray(counts), strict=True)
        ]
    return Swap(runs, tuple(rates), bin, filter, alpha, trials, seed, notes)


def _choose_sizes(
    sizes: int | Sequence[int] | None, matrix: Matrix, measure: str, minimum: int
) -> list[int]:
    """Those asked for, or half of the topics."""
    topics = len(matrix.topics)
    reason = f": two sets of {format_count(topics, 'topic')}"
    return check_sizes(
        topics // 2 if sizes is None else sizes, topics // 2, measure, minimum, reason
    )


def _make_trial(
    matrix: Matrix, sizes: Sequence[int], bin: float, widest: float, alpha: float | None
) -> Callable[[np.random.Generator, int], Floats]:
    """Comparisons and swaps of a chunk of trials: [sizes, 2, bins]."""
    x, n = matrix.values, len(matrix.topics)
    first, second = np.array(matrix.pairs).T
    bins = int(widest / bin + ROUNDING) + 1
    rounding = TOLERANCE * matrix.scale

    def compute_differences(topic_mask: Bools, size: int) -> Floats:
        means = topic_mask @ x / size
        return subtract_rounded(means[:, first], means[:, second], rounding)

    z = x[:, first] - x[:, second] if alpha is not None else np.empty(0)

    def run_trials(rng: np.random.Generator, trials: int) -> Floats:
        place = rng.permuted(np.tile(np.arange(n), (trials, 1)), axis=1)
        counts = np.zeros((len(sizes), 2, bins))
        for k, size in enumerate(sizes):
            first_set = place < size
            d = compute_differences(first_set, size)
            other_d = compute_differences((place >= size) & (place < 2 * size), size)
            swapped = np.abs(np.sign(d) - np.sign(other_d)) / 2
            bins_of_d = np.minimum(np.abs(d) / bin + ROUNDING, bins - 1).astype(np.int64)
            if alpha is not None:
                is_significant = _find_significant(first_set, z, d, size, alpha, rounding)
                bins_of_d, swapped = bins_of_d[is_significant], swapped[is_significant]
            counts[k, 0] = np.bincount(bins_of_d.ravel(), minlength=bins)
            counts[k, 1] = np.bincount(bins_of_d.ravel(), swapped.ravel(), minlength=bins)
        return counts

    return run_trials


def _find_significant(
    first_set: Bools, z: Floats, d: Floats, size: int, alpha: float, rounding: float
) -> Bools:
    """Where a paired t-test on the topics drawn has p ≤ α: |d| ≥ t · s / √size.

    If all differences are the same, but not 0, p is 0: as in `cranfield.stats.t_test`.
    """
    centred = z - z.mean(axis=0)  # which s does not change by, but for less rounding
    sums, squares = first_set @ centred, first_set @ centred**2
    s = np.sqrt(np.maximum(squares - sums**2 / size, 0.0) / (size - 1))
    s = np.where(s <= rounding, 0.0, s)
    threshold = float(special.stdtrit(size - 1, 1 - alpha / 2)) * s / math.sqrt(size)
    return np.asarray((np.abs(d) >= threshold) & (d != 0))


def _build_bins(counts: Floats, bin: float) -> list[SwapBin]:
    """Those that have comparisons; edges as short decimals where the width is one."""
    return [
        SwapBin(round(k * bin, 12), round((k + 1) * bin, 12), int(comparisons), float(swaps))
        for k, (comparisons, swaps) in enumerate(counts.T)
        if comparisons
    ]
