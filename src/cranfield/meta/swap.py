"""Swap rates: disagreement of two topic sets about the better run.

Compare all pairs of runs on random pairs of disjoint topic sets. Show how often they swap, by the
size of the difference (Voorhees and Buckley 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield import tables
from cranfield.arrays import TOLERANCE, Bools, Floats, subtract_rounded
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_number, describe_value, is_one_of
from cranfield.evaluation.results import ScoresLike, read_scores
from cranfield.figures import charts
from cranfield.figures.figure import Figure
from cranfield.figures.theme import DEFAULT_THEME, Theme
from cranfield.lazy_imports import pl, special
from cranfield.meta.results import MethodResult, format_summary
from cranfield.meta.sizes import check_sizes
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
    """Comparisons with a difference in [`low`, `high`)."""

    low: float
    high: float
    comparisons: int
    swaps: float

    @property
    def rate(self) -> float:
        """Fraction of swaps."""
        return self.swaps / self.comparisons


def check_rate(rate: float) -> float:
    """Return the swap rate. Raise an error if it is invalid."""
    if not 0 <= rate <= 1:
        raise InputError(f"rate={rate}", "a number in [0, 1]")
    return rate


@dataclass(frozen=True)
class SwapRates:
    """Swap rates of a measure between two sets of `size` topics.

    `bins` are the bins with comparisons, the smallest differences first.
    """

    measure: str
    topics: int
    size: int
    bins: tuple[SwapBin, ...] = field(repr=False)

    @property
    def comparisons(self) -> int:
        """Number of comparisons in all bins."""
        return sum(swap_bin.comparisons for swap_bin in self.bins)

    @property
    def rate(self) -> float:
        """Fraction of swaps among all comparisons, nan without comparisons."""
        swaps = math.fsum(swap_bin.swaps for swap_bin in self.bins)
        return swaps / self.comparisons if self.comparisons else math.nan

    def required(self, rate: float = 0.05) -> float | None:
        """Return the difference from which at most `rate` are swaps, None without one.

        Swap rates fall as differences grow, except by chance: neighbouring bins that do not fall
        are merged (isotonic regression). The largest differences may be few, without a swap by
        chance. Check `sensitivity`, the fraction of comparisons with that difference.
        """
        check_rate(rate)
        return next((low for low, swaps, n in self._merge_bins() if swaps <= rate * n), None)

    @property
    def falling(self) -> list[float]:
        """Rate of each bin, bins merged if rates do not fall."""
        merged = self._merge_bins()[::-1]
        return [next(swaps / n for low, swaps, n in merged if low <= x.low) for x in self.bins]

    def _merge_bins(self) -> list[tuple[float, float, int]]:
        """Merge bins if rates do not fall: lower limit, swaps, comparisons."""
        merged: list[tuple[float, float, int]] = []
        for swap_bin in self.bins:
            low, swaps, n = swap_bin.low, swap_bin.swaps, swap_bin.comparisons
            while merged and swaps * merged[-1][2] >= merged[-1][1] * n:
                low, swaps, n = merged[-1][0], swaps + merged[-1][1], n + merged[-1][2]
                merged.pop()
            merged.append((low, swaps, n))
        return merged

    def sensitivity(self, rate: float = 0.05) -> float:
        """Return the fraction of comparisons with the required difference."""
        low = self.required(rate)
        counts = [swap_bin.comparisons for swap_bin in self.bins if low is not None and swap_bin.low >= low]
        return sum(counts) / self.comparisons if self.comparisons else math.nan


@dataclass(frozen=True)
class Swap(MethodResult):
    """Swap rates by measure and size of the topic sets.

    ``result["AP"]`` are the rates of AP on the largest sets, ``result["AP", 10]`` on sets of ten
    topics.
    """

    _human_tables = ("measures",)

    runs: tuple[str, ...]
    rates: tuple[SwapRates, ...]
    bin: float
    filter: Filter | None
    alpha: float
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()

    def cautions(self, rate: float = 0.05) -> tuple[Note, ...]:
        """Return a note about required differences that rest on few comparisons."""
        names = [
            f"{rates.measure} on {rates.size} topics"
            for rates in self.rates
            if 0 < rates.sensitivity(rate) * rates.comparisons < MIN_COMPARISONS
        ]
        differences = format_names(names, "required difference")
        text = f"{differences}: based on fewer than {MIN_COMPARISONS} comparisons"
        return (Note("few-comparisons", text),) if names else ()

    def __repr__(self) -> str:
        descriptions = [format_count(len(self.runs), "run"), format_count(self.trials, "trial")]
        return format_summary(self, descriptions, {f"{x.measure} on {x.size}": x.rate for x in self.rates})

    def __getitem__(self, key: str | tuple[str, int]) -> SwapRates:
        measure, size = key if isinstance(key, tuple) else (key, None)
        matches = [x for x in self.rates if x.measure == measure and size in (None, x.size)]
        if not matches:
            valid_keys = ", ".join(f"{x.measure} on {x.size}" for x in self.rates)
            raise InputError.from_problem(f"no swap rates of {key!r}", f"Valid: {valid_keys}.")
        return max(matches, key=lambda x: x.size)

    def _build_tables(self, rate: float = 0.05) -> list[tables.ResultTable]:
        """Return a row for each measure and set size, and a row for each bin."""
        column = tables.bind_rows(self.rates)
        measures = tables.build_table(
            "measures",
            f"{_format_caption(self)} Difference needed: from this difference on, at most "
            f"{tables.format_percent(rate)} of the comparisons are swaps. Bins are merged if the "
            "rate does not fall.",
            column("measure", key=True),
            column("set_size", "size", "topics in a set", key=True),
            column("comparisons"),
            column("swap_rate", "rate"),
            column("difference_needed", lambda rates: rates.required(rate)),
            column("share", lambda rates: rates.sensitivity(rate), "fraction that has it"),
            column("topics", visible=False),
            *tables.build_constant_columns(self._build_settings(rate), self.rates),
        )
        return [measures, _build_bins_table(self)]

    def _build_settings(self, rate: float = 0.05) -> dict[str, Any]:
        values = tables.read_settings(self, "bin", "filter", "alpha", "trials", "seed")
        return {"tolerated_rate": rate} | values | {"filter": self.filter or "none"}

    def _build_figure(self, theme: Theme = DEFAULT_THEME, rate: float = 0.05) -> Figure:
        """Plot the swap rate against the difference: a line for each measure and set size."""
        data = _build_bins_table(self).to_frame()
        return Figure(lambda: _draw_chart(self, theme, data, rate), data, self.notes)

    def _collect_notes(self, rate: float = 0.05) -> tuple[Note, ...]:
        return (*self.notes, *self.cautions(rate))


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
    """Compute how often two topic sets disagree about the better run, by size of the difference.

    In each trial, two disjoint sets of `sizes` topics each (default: half of all topics) are drawn
    at random. Every pair of runs is compared on both sets. The difference d of the means on the
    first set determines the bin, ⌊|d| / bin⌋. The comparison is a swap if the difference d′ on the
    second set has the other sign.

    rate = Σ |sgn(d) − sgn(d′)| / 2 / comparisons, of a bin

    A difference of 0 in one of the sets is half a swap, and 0 in both is no swap: the papers leave
    this open. Differences below the rounding error (1e-12 of the largest score) are 0. With
    ``filter="t"``, only comparisons with a significant paired t-test on the first set, p ≤ `alpha`,
    are counted.

    Swap rates apply to sets of the drawn size, not directly to all topics, which have no two
    disjoint sets of that size. Topics are assumed to be a random sample. Trials overlap, so they
    are dependent. All measures use the same sets.

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
            problem = f"bin={bin} is too small: {measure} differs by {widest:.4g}"
            raise InputError.from_problem(problem)
        trial = _make_trial(matrix, selected, bin, widest, alpha if filter else None)
        cells = max(n, len(matrix.pairs))
        counts = sum(run_in_chunks(trial, trials, seed, cells, threads, progress))
        rates += [
            SwapRates(measure, n, size, tuple(_build_bins(size_counts, bin)))
            for size, size_counts in zip(selected, np.asarray(counts), strict=True)
        ]
    return Swap(runs, tuple(rates), bin, filter, alpha, trials, seed, notes)


def _choose_sizes(sizes: int | Sequence[int] | None, matrix: Matrix, measure: str, minimum: int) -> list[int]:
    """Return the requested sizes, or half of the topics."""
    topics = len(matrix.topics)
    reason = f": two sets of {format_count(topics, 'topic')}"
    return check_sizes(topics // 2 if sizes is None else sizes, topics // 2, measure, minimum, reason)


def _make_trial(
    matrix: Matrix, sizes: Sequence[int], bin: float, widest: float, alpha: float | None
) -> Callable[[np.random.Generator, int], Floats]:
    """Return a function that counts comparisons and swaps: [sizes, 2, bins]."""
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


def _find_significant(first_set: Bools, z: Floats, d: Floats, size: int, alpha: float, rounding: float) -> Bools:
    """Return whether a paired t-test on the drawn topics has p ≤ α: |d| ≥ t · s / √size.

    If all differences are equal and not 0, p is 0, as in `cranfield.stats.t_test`.
    """
    centred = z - z.mean(axis=0)  # which s does not change by, but for less rounding
    sums, squares = first_set @ centred, first_set @ centred**2
    s = np.sqrt(np.maximum(squares - sums**2 / size, 0.0) / (size - 1))
    s = np.where(s <= rounding, 0.0, s)
    threshold = float(special.stdtrit(size - 1, 1 - alpha / 2)) * s / math.sqrt(size)
    return np.asarray((np.abs(d) >= threshold) & (d != 0))


def _build_bins(counts: Floats, bin: float) -> list[SwapBin]:
    """Return the bins with comparisons. Limits are short decimals if the width is."""
    return [
        SwapBin(round(k * bin, 12), round((k + 1) * bin, 12), int(comparisons), float(swaps))
        for k, (comparisons, swaps) in enumerate(counts.T)
        if comparisons
    ]


# -- tables and figures ---------------------------------------------------------------------------


def _build_bins_table(result: Swap) -> tables.ResultTable:
    column, bin_column = tables.bind_nested_rows(result.rates, "bins")
    falling = [rate for rates in result.rates for rate in rates.falling]
    return tables.build_table(
        "bins",
        _format_caption(result),
        column("measure", key=True),
        column("set_size", "size", "topics in a set", key=True),
        bin_column("low", head="from"),
        bin_column("high", head="below"),
        bin_column("comparisons"),
        bin_column("swaps", text=lambda n: f"{n:,.1f}".removesuffix(".0")),
        bin_column("swap_rate", "rate"),
        tables.Field("rate_taken_together", falling, "merged rate"),
    )


def _format_caption(result: Swap) -> str:
    return (
        "Swap rates: fraction of comparisons in which two disjoint sets of topics disagree about "
        f"the better of two runs, by the difference on the first set (bins of {result.bin:g}). "
        f"All pairs of {format_count(len(result.runs), 'run')}{_describe_filter(result)}, "
        f"{_describe_sample(result)}."
    )


def _describe_filter(result: Swap) -> str:
    significant = f" with a significant difference on it (paired t-test, α = {result.alpha:g})"
    return significant if result.filter == "t" else ""


def _describe_sample(result: Swap) -> str:
    """Describe the size of the sets, if all are equal, and the topics.

    >>> rates = (SwapRates("AP", 50, 25, ()),)
    >>> _describe_sample(Swap(("a", "b"), rates, 0.01, None, 0.05, 1000, 0))
    'two sets of 25 of 50 topics (1,000 trials, seed 0)'
    """
    topics = format_count(max(rates.topics for rates in result.rates), "topic")
    sizes = {(rates.size, rates.topics) for rates in result.rates}
    sets = "sets drawn from" if len(sizes) > 1 else f"two sets of {result.rates[0].size} of"
    return f"{sets} {topics} ({format_count(result.trials, 'trial')}, seed {result.seed})"


def _draw_chart(result: Swap, theme: Theme, data: pl.DataFrame, rate: float) -> Any:
    measures = pl.Series([rates.measure for rates in result.rates])
    short = dict(zip(measures, charts.shorten_name_column(measures), strict=True))
    names = [_format_line(result, rates, short) for rates in result.rates]  # also of those without bins
    measure_styles = theme.assign_styles(short) if len(short) == len(names) else None
    styles = measure_styles and {n: measure_styles[r.measure] for n, r in zip(names, result.rates, strict=True)}
    line = [name for name, rates in zip(names, result.rates, strict=True) for _ in rates.bins]
    middle = (pl.col("low") + pl.col("high")) / 2
    curve_data = data.with_columns(pl.Series("line", line, pl.String), middle=middle)
    plain_fields = "measure:N", "set_size:Q", "low:Q", "high:Q", "comparisons:Q", "swaps:Q"
    first = "difference on the first set of topics"
    chart = charts.draw_curves(
        curve_data,
        charts.build_axis("x", "middle", first, grid=False),
        charts.build_axis("y", "rate_taken_together", "swap rate"),
        "measure" if len(short) > 1 else measures[0],
        [*plain_fields, *charts.build_number_tooltips("swap_rate")],
        theme,
        charts.draw_horizontal_lines("rate_taken_together", rate),
        names=pl.Series("line", names),
        styles=styles,
    )
    heading = "Swap rates" + (" of significant differences" if result.filter else "")
    together = "bins are merged if the rate does not fall"
    captions = [_describe_sample(result), together, f"grey line: {tables.format_percent(rate)}"]
    return charts.finish_chart(chart, theme, heading, captions)


def _format_line(result: Swap, rates: SwapRates, short: dict[str, str]) -> str:
    """Label a line by its measure, the size of its sets, or both."""
    sizes = {x.size for x in result.rates}
    if len(short) == 1:
        return f"sets of {format_count(rates.size, 'topic')}"
    return short[rates.measure] + (f", {format_count(rates.size, 'topic')}" if len(sizes) > 1 else "")
