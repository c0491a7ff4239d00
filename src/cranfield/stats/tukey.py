"""Tukey's honestly significant differences: all pairs of several systems at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import TOLERANCE, Floats
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.late import special
from cranfield.scores import Interval, Notice
from cranfield.stats.anova import two_way
from cranfield.stats.cautions import about_normality, about_trials
from cranfield.stats.few_topics import is_out_of_reach, smallest_by_signs
from cranfield.stats.paired import reach
from cranfield.stats.resampling import CELLS, TRIALS, Progress, checked_trials, in_chunks
from cranfield.stats.result import Outcome, Sampled, checked_confidence
from cranfield.stats.samples import Axes, Matrix, Systems, Topics, matrix
from cranfield.wording import counted, some, suggests_keywords

__all__ = ["Family", "randomised_tukey_hsd", "tukey_hsd"]

FAR = 1.2  # how many times as wide an outlier makes intervals, if there is a notice about it
SIMULTANEOUS = (
    "p-values and intervals hold for all pairs at once: if all systems are equal, the probability "
    "that any pair is found to differ is at most α"
)


@dataclass(frozen=True, eq=False)
class Family:
    """What a test of all pairs of systems found.

    `differences`, `pvalues`, `statistics` and `counts` are arrays [systems, systems]; the
    difference is the mean of the row's system minus that of the column's, and the p-value on the
    diagonal is 1. `counts` are of `trials`, all there are if `exact`: only of tests that count.
    The arrays are computed when they are first used. With thousands of systems, `pair` is faster.
    """

    test: str
    systems: tuple[str, ...]
    means: Floats
    n: int
    assumed: str
    threshold: Callable[[float], float] = field(repr=False)
    statistic: Callable[[Any], Any] | None = field(default=None, repr=False)  # of |difference|
    tail: Callable[[float], float] | None = field(default=None, repr=False)  # p of a statistic
    df: int | None = None
    count: Callable[[Any], Any] | None = field(default=None, repr=False)  # of |difference|
    trials: int | None = None
    seed: int | None = None
    exact: bool = False
    of_all: tuple[Notice, ...] = ()  # the notices on all pairs
    of_pair: Callable[[int, int], tuple[Notice, ...]] | None = field(default=None, repr=False)
    smallest_pvalue: float = 0.0

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """The notices on all pairs, and one for each kind of notice on single pairs."""
        numbers = combinations(range(len(self.systems)), 2)
        single = [(i, j, notice) for i, j in numbers for notice in self._notices(i, j)]
        return self.of_all + tuple(self._joined(single))

    @cached_property
    def differences(self) -> Floats:
        return self.means[:, None] - self.means

    @cached_property
    def statistics(self) -> Floats | None:
        return None if self.statistic is None else self.statistic(np.abs(self.differences))

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        if self.count is None or self.trials is None:
            return None
        made: NDArray[np.int64] = self.count(np.abs(self.differences))
        np.fill_diagonal(made, self.trials)
        return made

    @cached_property
    def pvalues(self) -> Floats:
        if self.counts is not None and self.trials is not None:
            itself = 0 if self.exact else 1  # the data as they are, one more trial
            return (self.counts + itself) / (self.trials + itself)
        made = np.ones((len(self.systems), len(self.systems)))
        for i, j in combinations(range(len(self.systems)), 2):
            made[i, j] = made[j, i] = self._of(i, j)[1]
        return made

    def critical(self, alpha: float = 0.05) -> float:
        """The honestly significant difference: pairs that differ by more are significant.

        Infinite if no difference would be: `alpha` is below `smallest_pvalue`.
        """
        checked_confidence(1 - alpha)
        return math.inf if is_out_of_reach(self.smallest_pvalue, alpha) else self.threshold(alpha)

    def confidence_interval(self, x: str, y: str, confidence: float = 0.95) -> Interval:
        """An interval of the difference of two systems: all intervals hold at once.

        difference ± critical(1 − confidence)
        """
        return self.pair(x, y).confidence_interval(confidence)

    def pair(self, x: str, y: str) -> Outcome:
        """What was found of two systems."""
        i, j = self._place(x), self._place(y)
        difference = float(self.means[i] - self.means[j])
        statistic, pvalue, sampled = self._of(i, j)
        return Outcome(
            test=self.test,
            statistic=difference if statistic is None else statistic,
            pvalue=pvalue,
            difference=difference,
            n=self.n,
            assumed=self.assumed,
            bounds=partial(_bounds_around, difference, self.threshold),
            df=self.df,
            sampled=sampled,
            notices=tuple(n for n in self.of_all if n.kind != "far" or n.run not in (x, y))
            + self._notices(i, j),
            smallest_pvalue=self.smallest_pvalue,
        )

    def pairs(self) -> list[tuple[str, str, Outcome]]:
        """All pairs of systems, the first with each other, then the second with those after it."""
        return [(x, y, self.pair(x, y)) for x, y in combinations(self.systems, 2)]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {system: i for i, system in reversed([*enumerate(self.systems)])}

    def _place(self, system: str) -> int:
        if system not in self._places:
            raise InputError(f"system {system!r}", some(self.systems, "system"))
        return self._places[system]

    def _notices(self, i: int, j: int) -> tuple[Notice, ...]:
        """Return the notices on a single pair."""
        if self.of_pair is not None:
            return self.of_pair(i, j)
        sampled = self._of(i, j)[2]
        return () if sampled is None else about_trials(sampled)

    def _joined(self, single: Iterable[tuple[int, int, Notice]]) -> Iterator[Notice]:
        """Return the first notice of each kind, with its pair and the number of other pairs."""
        by_kind: dict[str, list[tuple[int, int, Notice]]] = {}
        for row in single:
            by_kind.setdefault(row[2].kind, []).append(row)
        for (i, j, notice), *others in by_kind.values():
            more = f", and {counted(len(others), 'other pair')}" if others else ""
            pair = f"{self.systems[i]} and {self.systems[j]}{more}"
            yield replace(notice, text=f"{notice.text} ({pair})")

    def _of(self, i: int, j: int) -> tuple[float | None, float, Sampled | None]:
        """The statistic of a pair, its p-value, and its trials."""
        size = abs(float(self.means[i] - self.means[j]))
        if self.count is not None and self.trials is not None:
            count = self.trials if i == j else int(self.count(size))
            sampled = Sampled(count, self.trials, self.seed, self.exact)
            return None, sampled.pvalue, sampled
        if self.statistic is None or self.tail is None:
            raise TypeError("a family without a test")
        statistic = float(self.statistic(size))
        return statistic, 1.0 if i == j else self.tail(statistic), None


# -- by permutation -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cached:
    """A threshold by alpha, computed once for each; unlike `functools.cache`, it can be pickled."""

    function: Callable[[float], float]
    values: dict[float, float] = field(default_factory=dict)

    def __call__(self, alpha: float) -> float:
        if alpha not in self.values:
            self.values[alpha] = self.function(alpha)
        return self.values[alpha]


def _bounds_around(
    difference: float, threshold: Callable[[float], float], confidence: float
) -> tuple[float, float]:
    half = threshold(1 - confidence)
    return difference - half, difference + half


def _count(ranges: Floats, slack: float, sizes: Any) -> Any:
    return len(ranges) - np.searchsorted(ranges, sizes + slack)


def _randomised_threshold(ranges: Floats, exact: bool, slack: float, alpha: float) -> float:
    return reach(ranges, alpha, exact) - slack


def _studentised(unit: float, tolerance: float, sizes: Any) -> Any:
    return sizes / unit if unit else np.where(sizes > tolerance, math.inf, 0.0)


def _studentised_threshold(
    upper_tail: Callable[[float], float], tolerance: float, unit: float, alpha: float
) -> float:
    low, high = 0.0, 1.0
    while upper_tail(high) > alpha:
        low, high = high, 2 * high
    for _ in range(50):  # halves
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(middle) > alpha else (low, middle)
    return max(tolerance, unit * high)


@suggests_keywords
def randomised_tukey_hsd(
    scores: Systems,
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    topics: Topics = "same",
    threads: int | None = None,
    progress: Progress | None = None,
    axes: Axes | None = None,
) -> Family:
    """Randomised Tukey HSD: is a difference larger than chance makes the largest of all?

    In every trial the scores of each topic are permuted among the systems. A pair's p-value is
    the share of trials in which the range of the systems' means, max_j ū_j − min_j ū_j, is at
    least its difference; ``strict=True`` asks for more than that, as Figure 15 of Sakai 2014
    prints it. If there are no more than `trials` ways to permute, all are enumerated.

    Assumed is only that the systems of a topic are exchangeable if they are equal: no shape of
    the scores' distribution. For two systems it is the paired randomisation test. `scores` are
    Scores of one measure, ``{system: {topic: score}}``, or an array with its `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    Reference: Carterette 2012, Multiple testing in statistical analysis of systems-based
    information retrieval experiments, ACM TOIS 30; Sakai 2014, Metrics, Statistics, Tests,
    Figure 15.

    >>> found = randomised_tukey_hsd({"a": [0.1, 0.1], "b": [0.2, 0.3], "c": [0.3, 0.5]})
    >>> found.exact, found.trials  # the first topic stays, 3! orders of the second
    (True, 6)
    >>> for x, y, outcome in found.pairs():  # ranges are 0.3, 0.25, 0.25, 0.15, 0.15, 0.1
    ...     print(x, y, f"{outcome.difference:.4f} {outcome.pvalue:.4f}")
    a b -0.1500 0.8333
    a c -0.3000 0.1667
    b c -0.1500 0.8333
    """
    data = matrix(scores, topics, axes, least=1)
    return randomised_tukey_hsds([data], trials, seed, strict, threads, progress)[0]


def randomised_tukey_hsds(
    every: Sequence[Matrix],
    trials: int = TRIALS,
    seed: int = 0,
    strict: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Family]:
    """`randomised_tukey_hsd` of each of several matrices, such as those of several measures.

    One seed permutes all of a shape alike: they share their trials, which take most of the time.
    """
    checked_trials(trials, seed)
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, data in enumerate(every):
        alike.setdefault(data.values.shape, []).append(place)
    found: dict[int, Family] = {}
    for (n, m), places in alike.items():
        together = [every[place].values for place in places]
        few = (n - 1) * math.lgamma(m + 1) <= math.log(trials) + 1  # else not worth multiplying out
        ways = math.factorial(m) ** (n - 1) if few else math.inf  # but the first: that is enough
        used = None if ways <= trials else seed
        if used is None:
            each = [[*_all_ranges(values, progress)] for values in together]
        else:
            told = None if progress is None else _times(progress, len(together))
            made = in_chunks(_random_ranges(together), trials, seed, n * m, threads, told)
            each = [[*of] for of in zip(*made, strict=True)]
        for place, ranges in zip(places, each, strict=True):
            found[place] = _family(every[place], np.sort(np.concatenate(ranges)), used, strict)
    return [found[place] for place in range(len(every))]


def _times(progress: Progress, several: int) -> Progress:
    return lambda trials: progress(trials * several)


def _family(data: Matrix, ranges: Floats, seed: int | None, strict: bool) -> Family:
    """What the ranges of all trials, which are sorted, say of each pair; without a seed they are
    all there are.
    """
    trials, exact = len(ranges), seed is None
    tolerance = TOLERANCE * (data.scale or 1.0)  # a strict test needs one, if all scores are 0
    slack = tolerance if strict else -tolerance

    count = partial(_count, ranges, slack)

    return Family(
        test="randomised Tukey HSD",
        systems=data.systems,
        means=data.means,
        n=len(data.values),
        assumed=f"equal systems could have had each other's scores of a topic; {SIMULTANEOUS}",
        threshold=Cached(partial(_randomised_threshold, ranges, exact, slack)),
        count=count,
        trials=trials,
        seed=seed,
        exact=exact,
        of_all=_about_equal(data.values, tolerance) + _about_far(data),
        smallest_pvalue=max(smallest_by_signs(len(data.values)), 0 if exact else 1 / (trials + 1)),
    )


def _random_ranges(
    every: Sequence[Floats],
) -> Callable[[np.random.Generator, int], list[Floats]]:
    """Of the systems' means, in trials that permute every topic but the first, of all alike."""
    n, m = every[0].shape
    # One matrix is permuted itself; of several the places of scores are, from which each takes its.
    places = np.arange(m, n * m).reshape(n - 1, m)
    permuted = every[0][1:] if len(every) == 1 else places

    def trial(rng: np.random.Generator, size: int) -> list[Floats]:
        rows = np.repeat(permuted[:, None], size, axis=1)  # [topics, trials, systems]
        rng.permuted(rows, axis=2, out=rows)  # without Python's lock: threads help
        if len(every) == 1:
            return [_ranges(every[0][0] + rows.sum(axis=0), n)]
        room = np.empty(rows.shape)  # for all: new memory would cost more than the numbers in it
        taken = (values.take(rows, out=room, mode="clip") for values in every)
        each = zip(every, taken, strict=True)
        return [_ranges(values[0] + one.sum(axis=0), n) for values, one in each]

    return trial


def _all_ranges(values: Floats, progress: Progress | None) -> Iterator[Floats]:
    """The ranges of means for all orders of all topics but the first."""
    orders = [np.array(list(permutations(row))) for row in values[1:]]
    ways = math.prod(map(len, orders))
    size = max(1, CELLS // values.shape[1])
    for begin in range(0, ways, size):
        number = np.arange(begin, min(begin + size, ways))  # its digits are the topics' orders
        sums = np.repeat(values[:1], len(number), axis=0)
        for rows in orders:
            number, digit = np.divmod(number, len(rows))
            sums += rows[digit]
        yield _ranges(sums, len(values))
        if progress is not None:
            progress(len(sums))


def _ranges(sums: Floats, n: int) -> Floats:
    return np.asarray(np.ptp(sums, axis=1) / n)


# -- by the studentised range ---------------------------------------------------------------------


@suggests_keywords
def tukey_hsd(scores: Systems, topics: Topics = "same", axes: Axes | None = None) -> Family:
    """Tukey HSD for paired scores: all pairs of systems, by the studentised range.

    t = |x̄_·j − x̄_·k| / √(V_E2 / n),   p = P(q ≥ t)

    V_E2 is the residual mean square of two-way ANOVA without replication, q the studentised range
    of m means with (m − 1)(n − 1) degrees of freedom. Assumes that the effects of topics and
    systems add up, and residuals that are independent and normal with the same variance. For two
    systems it is the paired t-test. `scores` and `axes` are those of `two_way`.

    Reference: Sakai 2018, Laboratory Experiments in Information Retrieval, Springer; Tukey 1949,
    Comparing individual means in the analysis of variance, Biometrics 5.

    >>> found = tukey_hsd({"a": [0.1, 0.2, 0.6], "b": [0.3, 0.4, 0.5]})
    >>> pair = found.pair("b", "a")  # differences 0.2, 0.2, −0.1: V_E2 = 0.03 / 2, t = 0.1 / √0.005
    >>> round(pair.statistic, 4), pair.df, round(pair.pvalue, 4)  # as t(2) = 0.1 / 0.1 = 1
    (1.4142, 2, 0.4226)
    """
    data = matrix(scores, topics, axes)
    n, m = data.values.shape
    tolerance = TOLERANCE * data.scale
    residual = two_way(data).residual
    cautions = _about_equal(data.values, tolerance)
    unit = 0.0 if cautions else math.sqrt(residual.mean_square / n)  # or that of rounding
    upper_tail = studentised_range(m, residual.df)
    threshold = partial(_studentised_threshold, upper_tail, tolerance, unit)
    return Family(
        test="Tukey HSD",
        systems=data.systems,
        means=data.means,
        n=n,
        assumed="effects of topics and systems add up, residuals are independent and normal with "
        f"the same variance; {SIMULTANEOUS}",
        threshold=Cached(threshold),  # the same for all pairs
        statistic=partial(_studentised, unit, tolerance),
        tail=upper_tail,
        df=residual.df,
        of_all=cautions,
        of_pair=None if cautions else partial(_about_normality, data.values),
    )


def _about_normality(values: Floats, i: int, j: int) -> tuple[Notice, ...]:
    return about_normality(values[:, i] - values[:, j])


def studentised_range(m: int, df: float) -> Callable[[float], float]:
    """The upper tail of the studentised range: q ↦ P(range of m normal means / s ≥ q).

    P(q) = 1 − ∫ f(s) ∫ m φ(z) (Φ(z) − Φ(z − q s))^(m − 1) dz ds

    f is the density of s, the root of a χ² divided by its `df` degrees of freedom. Both integrals
    are sums over equal steps, of z and of log s: where integrands are smooth and vanish at
    both ends, such sums are exact to 13 digits with few steps. scipy.stats.studentized_range,
    which adapts its steps, takes a hundred times longer, minutes for the pairs of 100 systems.

    Reference: Lund and Lund 1983, Algorithm AS 190: Probabilities and upper quantiles for the
    studentized range, Applied Statistics 32.

    >>> round(studentised_range(3, 10)(3.877), 4)  # tables have q = 3.88 for 0.05
    0.05
    """
    half, outside = df / 2, 1e-17
    ends = (f(half, outside) for f in (special.gammaincinv, special.gammainccinv))
    low, high = (math.log(end / half) / 2 for end in ends)
    log_s = np.arange(low, high, min(0.1, 0.5 / math.sqrt(2 * df)))  # half a deviation of log s
    s = np.exp(log_s)
    density = np.exp(df * log_s - half * (s * s - 1))  # of log s, but for a constant
    density /= density.sum()
    step = 0.1
    z = np.arange(-8.5, 8.5, step)
    weights = m * step * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    below = special.ndtr(z)
    return partial(_upper_tail, m, s, density, z, weights, below)


def _upper_tail(
    m: int, s: Floats, density: Floats, z: Floats, weights: Floats, below: Floats, q: float
) -> float:
    within = (below - special.ndtr(z - q * s[:, None])) ** (m - 1) @ weights
    return min(1.0, max(0.0, 1.0 - float(density @ within)))


# -- what should be known about them --------------------------------------------------------------


def _about_equal(values: Floats, tolerance: float) -> tuple[Notice, ...]:
    """Whether systems differ in nothing, or by as much on every topic."""
    apart = values - values[:, :1]
    if np.ptp(apart, axis=0).max() > tolerance:
        return ()
    if np.abs(apart).max() <= tolerance:
        text = "all systems have the same scores: nothing tells them apart"
        return (Notice("identical", text),)
    text = "systems differ by the same on every topic: the variance, which is 0, says nothing"
    return (Notice("constant", text),)


def _find_outlier(means: Floats) -> int | None:
    """Return the system whose mean is farther from all others than these are from each other.

    >>> _find_outlier(np.array([0.5, 0.1, 0.48, 0.52]))
    1
    >>> _find_outlier(np.array([0.5, 0.3, 0.4, 0.2])) is None
    True
    """
    order = np.argsort(means, kind="stable")
    ordered = means[order]
    gaps = ordered[1] - ordered[0], ordered[-1] - ordered[-2]
    others = ordered[-1] - ordered[1], ordered[-2] - ordered[0]
    for end, gap, spread in zip((0, -1), gaps, others, strict=True):
        if gap > spread:
            return int(order[end])
    return None


def _about_far(data: Matrix) -> tuple[Notice, ...]:
    """Return a notice if one of four systems or more is an outlier that makes intervals wide.

    Its scores are permuted among those of the others. Intervals are as wide as the root of the
    variance of what is permuted, Σ_i Σ_j (x_ij − x̄_i·)² / (n (m − 1)). The notice is for systems
    without which it is smaller by the factor `FAR` or more.
    """
    k = _find_outlier(data.means) if len(data.systems) > 3 else None
    if k is None:
        return ()
    every, others = (
        math.sqrt(float(values.var(axis=1, ddof=1).mean()))
        for values in (data.values, np.delete(data.values, k, axis=1))
    )
    if every < FAR * others:
        return ()
    times = every / others if others else math.inf
    name = data.systems[k]
    far = f"the mean of {name} is farther from all other means than these are from each other"
    wide = f"{name} makes the intervals of other pairs {times:.2g} times as wide"
    text = f"{far}. {wide}: decide without p-values whether it belongs to the comparison"
    return (Notice("far", text, run=name),)
