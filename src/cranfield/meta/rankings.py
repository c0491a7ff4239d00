"""Rank correlation: Kendall's τ, AP correlation, Spearman's ρ, rank-biased overlap.

Systems are ranked by their scores, the highest first. Scores within the rounding error (1e-12 of
the largest) are tied. Every statistic has one equation, which takes many rankings: arrays [...,
lists, systems] give [..., lists, lists].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.arrays import TOLERANCE, Floats, sort_rounded
from cranfield.data.run import Run
from cranfield.dataclass import dataclass
from cranfield.display import Rows, TableResult
from cranfield.errors import InputError, check_choice, is_hashable, to_list
from cranfield.lazy_imports import special, statistics
from cranfield.options import Rows as OptionRows
from cranfield.options import option
from cranfield.runs.difference import diff
from cranfield.runs.overlap import OverlapBounds, P, Ties, TieVariant, compute_rbo_bounds
from cranfield.scores import Interval, Note
from cranfield.stats.result import Bounds, check_confidence, check_open_fraction
from cranfield.stats.samples import to_array, to_mapping
from cranfield.tables import ResultTable, bind_rows, build_columns
from cranfield.wording import format_count, format_names, suggest_keywords

__all__ = ["Correlation", "kendall", "rbo", "spearman", "tau_ap", "tau_ap_symmetric"]

Counts: TypeAlias = NDArray[np.intp]
SystemScores: TypeAlias = Mapping[str, float] | ArrayLike
RankingLike: TypeAlias = Mapping[str, float] | Sequence[Hashable]
Variant: TypeAlias = Literal["a", "b"]
RboKind: TypeAlias = Literal["ext", "min", "max", "res"]
RunInMemory: TypeAlias = Run | Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]]
TiePlaces: TypeAlias = Mapping[Any, tuple[float, float]]  # items above, and items tied, by item


@dataclass(frozen=True)
class Correlation(TableResult):
    """Correlation of two rankings.

    `n` is the number of systems, `assumed` the assumptions of the p-value and the interval. RBO of
    finite rankings has a `minimum` and a `maximum`. Other statistics have no limits (None).
    """

    name: str
    value: float
    n: int
    assumed: str
    bounds: Bounds | None = field(default=None, repr=False, compare=False)
    test: Callable[[], float] | None = field(default=None, repr=False, compare=False)
    minimum: float | None = field(default=None, repr=False)
    maximum: float | None = field(default=None, repr=False)

    @cached_property
    def pvalue(self) -> float | None:
        """P-value of unrelated rankings, None for τ_ap and RBO, which have no classical test."""
        return None if self.test is None else self.test()

    def confidence_interval(self, confidence: float = 0.95) -> Interval | None:
        """Return an interval for other systems like these, None for τ_ap and RBO.

        To generalise to other topics, the usual case, use `correlation`: it resamples the scores of
        topics, for every statistic.
        """
        check_confidence(confidence)
        if self.bounds is None:
            return None
        return Interval(*self.bounds(confidence), self.value, "normal of z", confidence, self.n)


# -- the statistics of two rankings ---------------------------------------------------------------


@suggest_keywords
def kendall(x: SystemScores, y: SystemScores, variant: Variant = "a") -> Correlation:
    """Compute Kendall's τ: concordant minus discordant pairs of systems.

    τ_a = (conc − disc) / (m (m − 1) / 2)
    τ_b = (conc − disc) / √((pairs not tied in x) · (pairs not tied in y))

    m is the number of systems. A pair that is tied in one of the rankings is neither concordant nor
    discordant. With ties, τ_a does not reach 1. τ_b does if the same systems are tied. The p-value,
    exact for few systems without ties, is SciPy's. The interval is symmetric in z = artanh τ, with
    the variance 0.437 / (m − 4); nan for m < 5 and if τ is 1 or −1. τ_b is nan if all scores of x,
    or of y, are the same.

    Mappings ``{system: score}`` and Series with an index are matched by system. Sequences must be
    in the same order.

    Reference: Kendall 1938, A New Measure of Rank Correlation, Biometrika; of the interval
    Fieller, Hartley and Pearson 1957, Tests for Rank Correlation Coefficients I, Biometrika.

    >>> kendall([4, 3, 2, 1], [4, 2, 3, 1]).value == (5 - 1) / 6
    True
    """
    check_choice("variant", variant, Variant)
    a, b = _match_scores(x, y)
    m, tau = len(a), _compute_single(partial(compute_kendall, variant=variant), a, b)
    return Correlation(
        f"Kendall's τ_{variant}",
        tau,
        m,
        "p-value: all orders equally probable; interval: systems drawn at random, few ties",
        partial(_compute_z_interval, tau, 0.437 / (m - 4) if m > 4 else math.nan),
        partial(_compute_scipy_pvalue, "kendalltau", a, b),
    )


@suggest_keywords
def spearman(x: SystemScores, y: SystemScores) -> Correlation:
    """Compute Spearman's ρ: Pearson's correlation of the ranks, tied systems share their mean rank.

    ρ = Σ (r − r̄) (s − s̄)  /  √(Σ (r − r̄)² · Σ (s − s̄)²)

    r and s are a system's ranks in x and y; without ties ρ = 1 − 6 Σ (r − s)² / (m (m² − 1)). The
    p-value is SciPy's, from Student's t with m − 2 degrees of freedom. The interval is symmetric in
    z = artanh ρ, with the variance (1 + ρ²/2) / (m − 3); nan for m < 4 and if ρ is 1 or −1. ρ is
    nan if all scores of x, or of y, are the same. For x and y see `kendall`.

    Reference: Spearman 1904, The Proof and Measurement of Association between Two Things; of the
    interval Bonett and Wright 2000, Sample Size Requirements for Estimating Pearson, Kendall and
    Spearman Correlations, Psychometrika.

    >>> round(spearman([4, 3, 2, 1], [4, 2, 3, 1]).value, 4)  # 1 − 6 · 2 / (4 · 15)
    0.8
    """
    a, b = _match_scores(x, y)
    m, rho = len(a), _compute_single(compute_spearman, a, b)
    return Correlation(
        "Spearman's ρ",
        rho,
        m,
        "p-value: ranks nearly normal; interval: systems drawn at random",
        partial(_compute_z_interval, rho, (1 + rho**2 / 2) / (m - 3) if m > 3 else math.nan),
        partial(_compute_scipy_pvalue, "spearmanr", a, b),
    )


@suggest_keywords
def tau_ap(evaluated: SystemScores, gold: SystemScores) -> Correlation:
    """Compute the AP correlation: agreement with the gold ranking, weighted towards the top.

    τ_ap = 2 / (m − 1) · Σ_{r=2..m} correct(r) / (r − 1) − 1

    correct(r) is the number of systems above rank r of the evaluated ranking that the gold ranking
    also has above that system. The value is 1 for equal rankings and −1 for reversed ones. It
    depends on the choice of the gold ranking. Ties are broken at random, as the mean over all
    orders: among systems tied in the evaluated ranking (τ_ap,a of Urbano and Marrero) and also in
    the gold ranking, in which a tied pair is half correct. For scores see `kendall`.

    Reference: Yilmaz, Aslam and Robertson 2008, A New Rank Correlation Coefficient for Information
    Retrieval, SIGIR; Urbano and Marrero 2017, The Treatment of Ties in AP Correlation, ICTIR.

    >>> round(tau_ap([3, 4, 2, 1], gold=[4, 3, 2, 1]).value, 4)  # 2/3 · (0/1 + 2/2 + 3/3) − 1
    0.3333
    >>> round(tau_ap([4, 3, 1, 2], gold=[4, 3, 2, 1]).value, 4)  # 2/3 · (1/1 + 2/2 + 2/3) − 1
    0.7778
    """
    a, b = _match_scores(evaluated, gold, "evaluated", "gold")
    return Correlation("τ_ap", _compute_single(compute_tau_ap, a, b), len(a), _NO_TEST)


@suggest_keywords
def tau_ap_symmetric(x: SystemScores, y: SystemScores, variant: Variant = "a") -> Correlation:
    """Compute the mean of the two AP correlations, each ranking being gold once.

    Variant a is the mean of two `tau_ap`: ties are broken at random, so a ranking with ties has
    less than 1 with itself. Variant b, τ_ap,b of Urbano and Marrero, excludes pairs tied in the
    evaluated ranking and gives 1:

    τ = 1/m' · 2 Σ_{i not first} correct(i) / (number of systems above i) − 1, both ways

    the m' systems i are those below at least one other. No system is correctly above a system tied
    with it. nan if all scores of x, or of y, are the same. For x and y see `kendall`.

    Reference: as of `tau_ap`.

    >>> round(tau_ap_symmetric([3, 4, 2, 1], [4, 3, 2, 1]).value, 4)  # 1/3 both ways
    0.3333
    >>> tau_ap_symmetric([2, 2, 1], [2, 2, 1]).value  # 2/2 · (0.5/1 + 2/2) − 1
    0.5
    >>> tau_ap_symmetric([2, 2, 1], [2, 2, 1], variant="b").value  # 2/1 · 2/2 − 1
    1.0
    """
    check_choice("variant", variant, Variant)
    a, b = _match_scores(x, y)
    value = _compute_single(partial(compute_symmetric_tau_ap, variant=variant), a, b)
    return Correlation(f"symmetric τ_ap,{variant}", value, len(a), _NO_TEST)


@dataclass(frozen=True)
class TopicOverlap:
    """Rank-biased overlap of two rankings of a topic: extrapolated, with its bounds."""

    topic: str
    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class RunOverlap(TableResult):
    """Rank-biased overlap of two runs by topic. A topic that a run lacks is an empty ranking.

    `value`, `lower` and `upper` are means over topics.

    >>> overlap = rbo({"q1": ["a", "b"]}, {"q1": ["b", "a"]}, p=0.5)
    >>> overlap["q1"].value, round(overlap["q1"].lower, 4), overlap.value
    (0.5, 0.3863, 0.5)
    """

    topics: Rows[TopicOverlap]
    p: float
    ties: TieVariant
    notes: tuple[Note, ...] = ()

    @classmethod
    def from_runs(cls, x: Any, y: Any, p: float, ties: TieVariant) -> RunOverlap:
        result = diff(x, y, p=p, rbo_ties=ties)
        rows = [TopicOverlap(row.topic, row.rbo, row.rbo_lower, row.rbo_upper) for row in result.topics]
        return cls(Rows(rows), p, ties, result.notes)

    def __getitem__(self, topic: str) -> TopicOverlap:
        return next((row for row in self.topics if row.topic == topic), None) or self._reject(topic)

    def _reject(self, topic: str) -> TopicOverlap:
        raise InputError(f"topic {topic!r}", f"one of {format_names([row.topic for row in self.topics], 'topic')}")

    def _compute_mean(self, name: str) -> float:
        return math.fsum(getattr(row, name) for row in self.topics) / len(self.topics)

    @property
    def value(self) -> float:
        """Mean extrapolated RBO."""
        return self._compute_mean("value")

    @property
    def lower(self) -> float:
        """Mean lower bound."""
        return self._compute_mean("lower")

    @property
    def upper(self) -> float:
        """Mean upper bound."""
        return self._compute_mean("upper")

    def _build_tables(self) -> list[ResultTable]:
        column = bind_rows(self.topics)
        caption = f"RBO of {format_count(len(self.topics), 'topic')}, p = {self.p:g}, ties variant {self.ties}"
        names = ("value", "lower", "upper")
        return [ResultTable("topics", (column("topic", key=True), *build_columns(column, *names)), caption)]


@overload
def rbo(x: RunInMemory, y: RunInMemory, p: float = P, *, ties: TieVariant = "a") -> RunOverlap: ...
@overload
def rbo(x: RankingLike, y: RankingLike, p: float = P, kind: RboKind = "ext", ties: TieVariant = "a") -> Correlation: ...
@suggest_keywords
def rbo(x: Any, y: Any, p: float = P, kind: RboKind = "ext", ties: TieVariant = "a") -> Correlation | RunOverlap:
    """Compute the rank-biased overlap of two rankings, which may differ in length and items.

    RBO = (1 − p)/p Σ_{d=1..∞} A_d p^d

    A_d is the agreement of both rankings up to depth d. Without ties A_d = X_d / d, where X_d is
    the number of common items. An item with top rank t and bottom rank b contributes c to depth d:
    0 above t, 1 from b on, and inside its tie (d − t + 1)/(b − t + 1); in variant w 1 from t on. X
    = Σ c c′ over all items, and the variant `ties` chooses the agreement:

    a: A = X / d;   b: A = X / √(Σ c² · Σ c′²);   w: A = 2 X / (Σ c + Σ c′)

    Use ``"w"`` if tied items are equal, ``"a"`` if their order is unknown, and ``"b"`` if the lost
    information should not lower the value (a ranking and itself have 1). For rankings of the same
    length, a is the mean over all orders of tied items.

    `kind` chooses the value for finite rankings: ``"ext"`` assumes that the agreement continues,
    ``"min"`` that no further items agree, ``"max"`` that all possible items agree, and ``"res"`` is
    max − min. The result has `minimum` and `maximum` for every kind. A larger p, between 0 and 1,
    gives more weight to deep ranks. Rankings are sequences of names, or mappings ``{name: score}``.
    `n` is the number of different items.

    Two runs (of `cf.read_run`, or dicts of rankings by topic) give a `RunOverlap`: value, lower and
    upper bound by topic. Documents with equal scores are tied.

    Reference: Webber, Moffat and Zobel 2010, A Similarity Measure for Indefinite Rankings, ACM
    TOIS; Corsi and Urbano 2024, The Treatment of Ties in Rank-Biased Overlap, SIGIR.

    >>> round(rbo(["a", "b"], ["b", "a"], p=0.5).value, 4)  # 0.5/0.5 · (0 + 2/2 · 0.25) + 0.25
    0.5
    >>> rbo(["a", "b"], ["c"], p=0.5).value
    0.0
    >>> x, y = {"a": 3, "b": 3, "c": 2, "d": 1}, {"b": 4, "a": 3, "e": 2, "c": 2}
    >>> [round(rbo(x, y, 0.8, ties=ties).value, 4) for ties in ("a", "w", "b")]
    [0.7507, 0.787, 0.8023]
    """
    check_choice("kind", kind, RboKind)
    check_choice("ties", ties, TieVariant)
    check_open_fraction("p", p)
    if is_run(x) and is_run(y):
        if kind != "ext":
            raise InputError.from_problem("kind is for two rankings", "Use value, lower and upper of each topic.")
        return RunOverlap.from_runs(x, y, p, ties)
    first, second = _find_places(x, "x"), _find_places(y, "y")
    value, lower, upper = _compute_single_rbo(first, second, p, ties)
    variant = "" if ties == "a" else f", ties={ties}"
    return Correlation(
        f"RBO_{kind}(p={p:g}{variant})",
        {"ext": value, "min": lower, "max": upper, "res": upper - lower}[kind],
        len(first.keys() | second.keys()),
        _NO_TEST,
        minimum=lower,
        maximum=upper,
    )


def _compute_single_rbo(x: TiePlaces, y: TiePlaces, p: float, ties: TieVariant) -> OverlapBounds:
    """Return RBO_ext, RBO_min and RBO_max of two rankings of names."""
    first, second = (sorted(ranking, key=lambda item: ranking[item][0]) for ranking in (x, y))
    place = {item: i for i, item in enumerate(first)}
    common = [(place[item], i) for i, item in enumerate(second) if item in place]
    places = np.array(common, dtype=np.int64).reshape(-1, 2).T
    arrays = [
        Ties(*np.array([ranking[item] for item in items], dtype=np.int64).T)
        for ranking, items in ((x, first), (y, second))
    ]
    return compute_rbo_bounds(arrays[0], arrays[1], (places[0], places[1]), p, ties)


_NO_TEST = "descriptive: no test"


# -- the equations, of many rankings at once: [..., k, m] and [..., l, m] give [..., k, l] --------


def compute_kendall(x: Floats, y: Floats, variant: Variant = "a") -> Floats:
    """Return Kendall's τ between the rankings of two stacks."""
    a, b = (_flatten_pairs(_compare_pairs(count_above_and_tied(scores)[0])) for scores in (x, y))
    if variant == "b":
        return _compute_cosine(a, b)
    m: int = x.shape[-1]
    return _sum_products(a, b) / (m * (m - 1))  # each pair twice


def compute_spearman(x: Floats, y: Floats) -> Floats:
    """Return Spearman's ρ between the rankings of two stacks."""
    return _compute_cosine(_compute_ranks(x), _compute_ranks(y))


def compute_tau_ap(evaluated: Floats, gold: Floats) -> Floats:
    """Return the AP correlation between the rankings of two stacks, ties broken at random.

    A system with a systems above it and t − 1 tied with it has rank a + k + 1 for k = 0, …, t − 1
    with equal probability. On average k/2 of the tied systems are then correctly above it.
    """
    m: int = evaluated.shape[-1]
    a, t = count_above_and_tied(evaluated)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, m + 1))])
    weight = (harmonic[a + t - 1] - harmonic[np.maximum(a - 1, 0)]) / t  # the mean of 1/(r − 1)
    tied_share = (t - 1 - a * (harmonic[a + t - 1] - harmonic[a])) / (2 * t)
    # of the a above, (a − Σ order in the gold ranking) / 2 are correct, half of tied ones included
    gold_order = _flatten_pairs(_compare_pairs(count_above_and_tied(gold)[0])).astype(np.float64)
    opposed = _sum_products(_weight_pairs(weight, a), gold_order)
    correct = ((weight * a).sum(axis=-1)[..., None] - opposed) / 2
    return np.asarray(2 / (m - 1) * (correct + tied_share.sum(axis=-1)[..., None]) - 1)


def compute_symmetric_tau_ap(x: Floats, y: Floats, variant: Variant = "a") -> Floats:
    """Return the symmetric AP correlation between the rankings of two stacks."""
    one_way = compute_tau_ap if variant == "a" else _compute_tau_ap_without_ties
    return (one_way(x, y) + np.swapaxes(one_way(y, x), -1, -2)) / 2


def _compute_tau_ap_without_ties(evaluated: Floats, gold: Floats) -> Floats:
    """Return one half of τ_ap,b: pairs tied in the evaluated ranking are excluded."""
    a, _ = count_above_and_tied(evaluated)
    gold_order = _flatten_pairs(_compare_pairs(count_above_and_tied(gold)[0]) < 0).astype(np.float64)
    correct = _sum_products(_weight_pairs(1 / np.maximum(a, 1), a), gold_order)
    ranked_below = (a > 0).sum(axis=-1)[..., None] * np.ones(correct.shape)
    return 2 * _divide(correct, ranked_below) - 1


def compute_rbo(x: Floats, y: Floats, p: float = P) -> Floats:
    """Return the extrapolated RBO between rankings of the same systems, of two stacks."""
    m: int = x.shape[-1]
    return _compute_extrapolated_rbo(_compute_overlaps(count_above_and_tied(x), count_above_and_tied(y), m), p)


@dataclass(frozen=True)
class Statistic:
    """Row of `STATISTICS`. Call it with rankings to compute their correlation.

    If it `has_gold`, the order of the arguments matters. `least` is the smallest value.
    """

    name: str
    title: str
    function: Callable[..., Floats]
    has_gold: bool = False
    least: int = -1

    def __call__(self, x: Floats, y: Floats, **settings: Any) -> Floats:
        return self.function(x, y, **settings)


_STATISTICS = (
    Statistic("kendall", "Kendall's τ", compute_kendall),
    Statistic("kendall-b", "Kendall's τ_b", partial(compute_kendall, variant="b")),
    Statistic("tau-ap", "τ_ap", compute_tau_ap, has_gold=True),
    Statistic("tau-ap-symmetric", "Symmetric τ_ap", compute_symmetric_tau_ap),
    Statistic("tau-ap-b", "τ_ap,b", partial(compute_symmetric_tau_ap, variant="b")),
    Statistic("spearman", "Spearman's ρ", compute_spearman),
    Statistic("rbo", "RBO", compute_rbo, least=0),
)
STATISTICS = {statistic.name: statistic for statistic in _STATISTICS}
"""Rows by the names of `statistic`. Only RBO has the parameter p."""


def build_statistic_option(suffix: str = "") -> OptionRows:
    """Return the option for the rank correlation."""
    text = f"one of {', '.join(STATISTICS)} (default: kendall){suffix}"
    return (option("--statistic", "NAME", text, choices=tuple(STATISTICS), default="kendall"),)


def _compute_extrapolated_rbo(overlap: Floats, p: float) -> Floats:
    """Return RBO_ext of rankings of one length from X_1, …, X_l in the last axis."""
    d = np.arange(1, overlap.shape[-1] + 1)
    partial_sum = (1 - p) / p * (overlap / d * p**d).sum(axis=-1)
    return np.asarray(partial_sum + overlap[..., -1] / d[-1] * p ** d[-1])


def count_above_and_tied(scores: Floats) -> tuple[Counts, Counts]:
    """Return the number of systems above each, and tied with it including itself."""
    order, first = sort_rounded(-scores, TOLERANCE * np.abs(scores).max(axis=-1, keepdims=True))
    place = np.arange(scores.shape[-1])
    next_untied = np.full(scores.shape, len(place), dtype=np.intp)  # the first that is not tied with it
    next_untied[..., :-1] = np.where(first[..., 1:] == place[1:], place[1:], len(place))
    next_untied = np.flip(np.minimum.accumulate(np.flip(next_untied, axis=-1), axis=-1), axis=-1)
    n_above, n_tied = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(n_above, order, first, axis=-1)
    np.put_along_axis(n_tied, order, next_untied - first, axis=-1)
    return n_above, n_tied


def _compute_ranks(scores: Floats) -> Floats:
    """Return ranks from 1, minus their mean. Tied systems share their mean rank."""
    n_above, n_tied = count_above_and_tied(scores)
    return np.asarray(n_above + (n_tied + 1) / 2 - (scores.shape[-1] + 1) / 2)


def _compare_pairs(n_above: Counts) -> NDArray[np.float32]:
    """Return [..., i, j]: 1 if system i is above system j, −1 if below, 0 if tied."""
    places = n_above.astype(np.float32)  # half the memory; sums of ±1 are exact
    difference = places[..., None, :] - places[..., :, None]
    return np.clip(difference, -1, 1, out=difference)


def _weight_pairs(weight: Floats, n_above: Counts) -> Floats:
    """Return [..., i and j]: the weight of system i if j is above it, else 0."""
    return np.asarray(_flatten_pairs((n_above[..., :, None] > n_above[..., None, :]) * weight[..., :, None]))


def _compute_overlaps(x: tuple[Any, Any], y: tuple[Any, Any], depth: int) -> Floats:
    """Return [..., list, list, d]: X_1, …, X_depth between the lists of two stacks.

    Depths are computed one by one to save memory.
    """
    products = [_sum_products(_compute_inclusion(*x, d), _compute_inclusion(*y, d)) for d in range(1, depth + 1)]
    return np.stack(products, axis=-1)


def _compute_inclusion(n_above: Any, n_tied: Any, depth: int) -> Floats:
    """Return [..., list, item]: probability that an item is within the depth, ties random."""
    probabilities: Floats = (depth - n_above) / n_tied
    return np.clip(probabilities, 0.0, 1.0, out=probabilities)


def _flatten_pairs(pairs: Any) -> Any:
    return pairs.reshape(*pairs.shape[:-2], -1)


def _sum_products(a: Any, b: Any) -> Floats:
    """Return Σ a b between the rows of two stacks."""
    return np.asarray((a @ np.swapaxes(b, -1, -2)).astype(np.float64))


def _compute_cosine(a: Any, b: Any) -> Floats:
    squares = [(z**2).sum(axis=-1, dtype=np.float64) for z in (a, b)]
    return _divide(_sum_products(a, b), np.sqrt(squares[0][..., :, None] * squares[1][..., None, :]))


def _divide(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.divide(a, b, out=np.full(a.shape, np.nan), where=b > 0))


# -- what is given --------------------------------------------------------------------------------


def _match_scores(x: SystemScores, y: SystemScores, *names: str) -> tuple[Floats, Floats]:
    """Return two scores of each system: mappings by name, sequences in order."""
    x, y = to_mapping(x), to_mapping(y)
    if isinstance(x, Mapping) != isinstance(y, Mapping):
        problem = "only one of the two sets of scores has names"
        raise InputError.from_problem(problem, "Give names to both or to neither.")
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        unmatched = [str(name) for name in [*x, *y] if (name in x) != (name in y)]
        if unmatched:
            raise InputError(f"{format_names(unmatched, 'system')} in only one ranking", "the same systems in both")
        y = [y[name] for name in x]
        x = list(x.values())
    a, b = (to_array(z, argument) for z, argument in zip((x, y), names or "xy", strict=True))
    if len(a) != len(b):
        raise InputError(f"{len(a)} and {len(b)} scores", "equal numbers of scores")
    if len(a) < 2:
        raise InputError(format_count(len(a), "system"), "at least 2")
    return a, b


def is_run(ranking: Any) -> bool:
    """Return True for the rankings of all topics, False for the ranking of one."""
    inner = next(iter(ranking.values()), None) if isinstance(ranking, Mapping) else None
    return isinstance(ranking, Run) or isinstance(inner, Mapping | list | tuple)


def _find_places(ranking: RankingLike, argument: str) -> dict[Any, tuple[float, float]]:
    """Map each item to the number of items above it and tied with it, itself included."""
    ranking = to_mapping(ranking)
    if is_run(ranking):
        fix = "Pass two runs, or the rankings of one topic: a.rank_topic(topic) of cf.read_run."
        raise InputError.from_problem(f"{argument} is a run with a ranking for each topic", fix)
    if isinstance(ranking, Mapping):
        names: list[Any] = list(ranking)
        scores = to_array(ranking, argument)
        n_above, n_tied = count_above_and_tied(scores) if names else (scores, scores)
        places = dict(zip(names, zip(n_above.tolist(), n_tied.tolist(), strict=True), strict=True))
    else:
        names = to_list(argument, ranking, "names in rank order, or {name: score}")
        if any(isinstance(name, float) or not is_hashable(name) for name in names):
            raise InputError(f"{argument} with numbers", "names in rank order, or {name: score}")
        places = {name: (rank, 1) for rank, name in enumerate(names)}
    if not names:
        raise InputError(f"{argument}={ranking!r}", "a ranking of names")
    if len(places) < len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise InputError.from_problem(f"duplicate name {duplicate!r} in {argument}")
    return places


def _compute_single(statistic: Callable[[Floats, Floats], Floats], x: Floats, y: Floats) -> float:
    return float(statistic(x[None], y[None])[0, 0])


def _compute_z_interval(value: float, variance: float, confidence: float) -> tuple[float, float]:
    """Return the interval that is symmetric about artanh of the value."""
    if math.isnan(variance) or not abs(value) < 1:
        return math.nan, math.nan
    half = float(special.ndtri((1 + confidence) / 2)) * math.sqrt(variance)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _compute_scipy_pvalue(name: str, x: Floats, y: Floats) -> float:
    """Return the p-value of SciPy's test on ranks, so that ties are the same as here."""
    ranks = [_compute_ranks(z) for z in (x, y)]
    if not all(r.any() for r in ranks):
        return math.nan  # where SciPy warns
    return float(getattr(statistics, name)(*ranks).pvalue)
