"""How many topics are needed, and what a number of topics can show: topic set size design.

The three designs of Sakai (2016), after Nagata: by the power of the paired t-test, by that of
one-way ANOVA, and by the width of the confidence interval of a difference.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_number
from cranfield.lazy_imports import special
from cranfield.stats.anova import one_way, two_way
from cranfield.stats.samples import Axes, Systems, Topics, to_matrix
from cranfield.wording import suggest_keywords

__all__ = [
    "Design", "Pilot", "difference_for_anova", "difference_for_t", "power_of_anova", "power_of_t",
    "topics_for_anova", "topics_for_interval", "topics_for_t", "topics_to_decide", "variance_from",
    "width_of_interval",
]  # fmt: skip

ALPHA, POWER = 0.05, 0.8  # what is asked for if nothing else is
FARTHEST = 1e10  # noncentrality
MAX_TOPICS = 10_000_000  # topics: more than anybody will ever have

_T = (
    "differences of topics are independent and normal, with the given variance; the test is the "
    "two-sided paired t-test"
)
_ANOVA = (
    "scores of topics are independent and normal, with the given variance for every system; best "
    "and worst system differ by the given difference, all others are halfway, which is the worst "
    "case; the test is one-way ANOVA"
)
_INTERVAL = (
    "differences of topics are independent and normal, with the given variance; the width is "
    "that of the t-interval, in the mean over samples"
)


@dataclass(frozen=True)
class Design(TableResult):
    """How many topics are needed for what was asked.

    `method` is ``"t"``, ``"anova"`` or ``"interval"``. `achieved` is what this number of topics
    achieves: a power of at least `power` (the probability of a significant result if the true
    difference is `difference`), or a width of at most `width`. `variance` is that of differences
    for ``"t"`` and ``"interval"``, that of one system's scores for ``"anova"``.
    """

    method: str
    topics: int
    variance: float
    alpha: float
    achieved: float
    assumed: str
    difference: float | None = None
    power: float | None = None
    width: float | None = None
    systems: int = 2

    def power_of(self, topics: int) -> float:
        """The power that another number of topics would have.

        >>> round(topics_for_t(difference=0.5, variance=1.0).power_of(17), 4)
        0.491
        """
        if self.difference is None:
            raise InputError("a design by the width of an interval", "one with a power")
        if self.method == "t":
            return power_of_t(topics, self.difference, self.variance, self.alpha)
        return power_of_anova(topics, self.difference, self.variance, self.systems, self.alpha)

    def smallest_of(self, topics: int) -> float:
        """What another number of topics would show: the smallest true difference that is found
        with the power asked for, or the width of an interval.

        >>> round(topics_for_t(difference=0.5, variance=1.0).smallest_of(17), 4)
        0.7239
        """
        if self.power is None:
            return width_of_interval(topics, self.variance, 1 - self.alpha)
        if self.method == "t":
            return difference_for_t(topics, self.variance, self.alpha, self.power)
        return difference_for_anova(topics, self.variance, self.systems, self.alpha, self.power)


# The paired t-test


@suggest_keywords
def topics_for_t(
    difference: float, variance: float, alpha: float = ALPHA, power: float = POWER
) -> Design:
    """The smallest number of topics with which the paired t-test has the power asked for.

    `difference` is the smallest true difference of two means worth finding, `variance` that of
    the differences over topics, σ_t² (2σ² if each system has σ² and topics have no part in it).
    See `power_of_t` for the formula.

    Half a standard deviation needs 34 topics, as Cohen's tables say:

    >>> design = topics_for_t(difference=0.5, variance=1.0)
    >>> design.topics, round(design.achieved, 3)
    (34, 0.808)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(alpha=alpha, power=power, difference=difference, variance=variance)
    return _find_design(Design("t", 0, variance, alpha, 0.0, _T, difference, power), power)


@suggest_keywords
def power_of_t(topics: int, difference: float, variance: float, alpha: float = ALPHA) -> float:
    """The power of the two-sided paired t-test if the true difference is `difference`.

    power = P(|t| ≥ t(α/2; n − 1))

    t is noncentral with n − 1 degrees of freedom and noncentrality √n · difference / σ_t.
    `variance` is σ_t², that of the differences.

    The difference is one that is assumed. The one that was observed is not the true one: with
    it this says no more than the p-value does.

    >>> round(power_of_t(topics=34, difference=0.5, variance=1.0), 4)
    0.8078

    Reference: Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.
    """
    check(topics=topics, alpha=alpha, difference=difference, variance=variance)
    return _compute_power(1, topics - 1, topics * difference**2 / variance, alpha)


@suggest_keywords
def difference_for_t(
    topics: int, variance: float, alpha: float = ALPHA, power: float = POWER
) -> float:
    """The smallest true difference that the paired t-test finds with the power asked for.

    `power_of_t` solved for the difference.

    >>> round(difference_for_t(topics=34, variance=1.0, power=0.8078), 3)
    0.5

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(topics=topics, alpha=alpha, power=power, variance=variance)
    return math.sqrt(_solve_noncentrality(1, topics - 1, alpha, power) * variance / topics)


# One-way analysis of variance


@suggest_keywords
def topics_for_anova(
    difference: float, variance: float, systems: int, alpha: float = ALPHA, power: float = POWER
) -> Design:
    """The smallest number of topics with which one-way ANOVA has the power asked for.

    `difference` is the smallest true difference of the best and the worst of the systems that is
    worth finding, `variance` that of one system's scores, σ². See `power_of_anova`.

    Cohen's f is √(Σ_i a_i² / m) / σ; in the worst case √(difference² / (2m)) / σ, so that
    f = 0.25 and m = 3 is a difference of 0.25 √6:

    >>> topics_for_anova(difference=0.25 * 6**0.5, variance=1.0, systems=3).topics
    53

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(alpha=alpha, power=power, difference=difference, variance=variance, systems=systems)
    design = Design("anova", 0, variance, alpha, 0.0, _ANOVA, difference, power, systems=systems)
    return _find_design(design, power)


@suggest_keywords
def power_of_anova(
    topics: int, difference: float, variance: float, systems: int, alpha: float = ALPHA
) -> float:
    """The power of one-way ANOVA if best and worst system differ by `difference`.

    power = P(F ≥ F(α; m − 1, m(n − 1)))
    λ = n Σ_i a_i² / σ² ≥ n · difference² / (2σ²)

    F is noncentral with λ, a_i being what system i is above the mean of all. The least λ is taken:
    all but two systems are halfway between best and worst.

    With two systems it is the power of the unpaired t-test:

    >>> round(power_of_anova(topics=64, difference=0.5, variance=1.0, systems=2), 4)
    0.8015

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(topics=topics, alpha=alpha, difference=difference, variance=variance, systems=systems)
    noncentrality = topics * difference**2 / (2 * variance)
    return _compute_power(systems - 1, systems * (topics - 1), noncentrality, alpha)


@suggest_keywords
def difference_for_anova(
    topics: int, variance: float, systems: int, alpha: float = ALPHA, power: float = POWER
) -> float:
    """The smallest true difference of best and worst that ANOVA finds with the power asked for.

    `power_of_anova` solved for the difference.

    >>> round(difference_for_anova(topics=64, variance=1.0, systems=2, power=0.8015), 3)
    0.5

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(topics=topics, alpha=alpha, power=power, variance=variance, systems=systems)
    noncentrality = _solve_noncentrality(systems - 1, systems * (topics - 1), alpha, power)
    return math.sqrt(2 * variance * noncentrality / topics)


# -- the interval of a difference -----------------------------------------------------------------


@suggest_keywords
def topics_for_interval(width: float, variance: float, confidence: float = 1 - ALPHA) -> Design:
    """The smallest number of topics whose confidence interval is as narrow as asked for.

    `width` is the largest width of the interval of a difference, from end to end, in the mean
    over samples; `variance` that of the differences, σ_t². See `width_of_interval`.

    If σ_t were known, 4 · 1.96² = 15.4 topics would do for a width of one σ_t, 16 therefore:

    >>> topics_for_interval(width=1.0, variance=1.0).topics
    18

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(width=width, variance=variance, confidence=confidence)

    def compute_width(topics: int) -> float:
        return width_of_interval(topics, variance, confidence)

    topics = _find_smallest(lambda n: compute_width(n) <= width)
    width_achieved = compute_width(topics)
    alpha = round(1 - confidence, 12)  # 0.05, not what rounding makes of it
    return Design("interval", topics, variance, alpha, width_achieved, _INTERVAL, width=width)


@suggest_keywords
def width_of_interval(topics: int, variance: float, confidence: float = 1 - ALPHA) -> float:
    """The width, in the mean over samples, of the t-interval of a difference.

    width = 2 t(α/2; n − 1) E[s] / √n
    E[s] = σ_t √(2 / (n − 1)) Γ(n / 2) / Γ((n − 1) / 2)

    E[s] is the mean of the standard deviation s of normal differences.

    With two topics E[s] = σ_t √(2 / π), and half the confidence needs t = 1:

    >>> round(width_of_interval(topics=2, variance=math.pi, confidence=0.5), 9)
    2.0

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(topics=topics, variance=variance, confidence=confidence)
    df = topics - 1
    bias = math.sqrt(2 / df) * math.exp(math.lgamma(topics / 2) - math.lgamma(df / 2))
    t = float(special.stdtrit(df, (1 + confidence) / 2))
    return 2 * t * bias * math.sqrt(variance / topics)


@suggest_keywords
def topics_to_decide(
    difference: float, variance: float, margin: float = 0.0, alpha: float = ALPHA
) -> int | None:
    """The smallest number of topics that would decide whether a difference is within a margin.

    With n topics of this mean difference d and variance s² the interval d ± t(1 − α; n − 1) s / √n
    is above −margin, or below 0: n is the smallest with t(1 − α; n − 1) s / √n ≤ max(d + margin,
    −d). See `within_margin`. None if even ten million topics would not decide.

    If the interval has to be narrower than half a deviation, Student's table says t(0.95; 12) =
    1.782 and 1.782 / √13 = 0.494, but 1.796 / √12 = 0.518:

    >>> topics_to_decide(difference=0.0, variance=1.0, margin=0.5)
    13

    Reference: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
    approach, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680: its test.
    """
    check(variance=variance, alpha=alpha)
    check_number("difference", difference)
    check_number("margin", margin)
    room = max(difference + margin, -difference)

    def is_enough(topics: int) -> bool:
        t = float(special.stdtrit(topics - 1, 1 - alpha))
        return t * math.sqrt(variance / topics) <= room

    return _find_smallest(is_enough) if is_enough(MAX_TOPICS) else None


# -- variances of pilots --------------------------------------------------------------------------


@dataclass(frozen=True)
class Pilot(TableResult):
    """How much scores vary, estimated from pilots: the residual variances of ANOVA.

    `one_way` (V_E1) is the variance of a system's scores over topics; `two_way` (V_E2) what is
    left of it without that part which topics have in common for all systems. `topics` and
    `systems` are the sizes of the pilots.
    """

    one_way: float
    two_way: float
    topics: tuple[int, ...]
    systems: tuple[int, ...]

    @property
    def difference(self) -> float:
        """σ_t², the variance of the differences of two systems on the same topics: 2 V_E2.

        It is the mean of the variances of differences over all pairs of systems.
        """
        return 2 * self.two_way

    @property
    def error(self) -> float:
        """The relative standard error of such a variance if scores are normal, √(2 / Σ (n − 1)).

        Systems are not counted: if all fail on the same topics, more of them tell nothing new.
        """
        return math.sqrt(2 / sum(n - 1 for n in self.topics))


@suggest_keywords
def variance_from(*pilots: Systems, topics: Topics = "same", axes: Axes | None = None) -> Pilot:
    """The residual variances of pilots: of one-way ANOVA, and of two-way without replication.

    V_E1 = Σ_ij (x_ij − x̄_i)² / (m (n − 1))
    V_E2 = Σ_ij (x_ij − x̄_i − x̄_j + x̄)² / ((m − 1)(n − 1))
    V = Σ_C (n_C − 1) V_C / Σ_C (n_C − 1)

    x_ij is of system i and topic j. Several pilots C (collections) are pooled to V. Pilots are
    Scores of one measure, ``{system: {topic: score}}``, or arrays with their `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    >>> found = variance_from({"bm25": [0.1, 0.3, 0.5], "dense": [0.3, 0.3, 0.9]})
    >>> round(found.one_way, 4), round(found.difference, 4)  # the differences are 0.2, 0 and 0.4
    (0.08, 0.04)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    if not pilots:
        raise InputError("no pilot", "the scores of at least two systems")
    matrices = [to_matrix(pilot, topics, axes) for pilot in pilots]
    weights = [len(x.topics) - 1 for x in matrices]
    return Pilot(
        float(np.average([one_way(list(x.values.T)).residual.mean_square for x in matrices],
                         weights=weights)),
        float(np.average([two_way(x).residual.mean_square for x in matrices], weights=weights)),
        tuple(len(x.topics) for x in matrices),
        tuple(len(x.systems) for x in matrices),
    )  # fmt: skip


# -- what all have in common ----------------------------------------------------------------------


def _compute_power(between: int, within: int, noncentrality: float, alpha: float) -> float:
    """P(F ≥ its critical value) of the noncentral F. The t-test is the case of 1 degree of freedom:
    t² is F, and unlike that of t, this distribution has no far tail that gets lost.
    """
    if noncentrality > FARTHEST:
        problem = f"differences so large, or a variance so small, that F is about {noncentrality:g}"
        raise InputError(problem, f"at most {FARTHEST:g}: any number of topics finds them")
    critical = float(special.fdtri(between, within, 1 - alpha))
    probability = float(special.ncfdtr(between, within, noncentrality, critical))
    if math.isnan(probability):  # SciPy's has islands of nan, at noncentralities about 2,000
        probability = _compute_beta_mixture(between, within, noncentrality, critical)
    return 1 - probability


def _compute_beta_mixture(between: int, within: int, noncentrality: float, f: float) -> float:
    """P(F ≤ f) of the noncentral F as a Poisson mixture of beta distributions."""
    half = noncentrality / 2
    spread = 10 * math.sqrt(half) + 10
    j = np.arange(max(0, math.floor(half - spread)), math.ceil(half + spread))
    weights = np.exp(j * math.log(half) - half - special.gammaln(j + 1))
    x = between * f / (between * f + within)
    return float((weights * special.betainc(between / 2 + j, within / 2, x)).sum())


def _solve_noncentrality(between: int, within: int, alpha: float, power: float) -> float:
    """That at which `_compute_power` is the power asked for."""
    low, high = 0.0, 1.0
    while _compute_power(between, within, high, alpha) < power:
        high *= 2
    while low < (middle := (low + high) / 2) < high:  # until they are neighbours
        is_too_low = _compute_power(between, within, middle, alpha) < power
        low, high = (middle, high) if is_too_low else (low, middle)
    return high


def _find_design(design: Design, power: float) -> Design:
    """The design with the smallest number of topics that have the power."""
    topics = _find_smallest(lambda n: design.power_of(n) >= power)
    return replace(design, topics=topics, achieved=design.power_of(topics))


def _find_smallest(is_enough: Callable[[int], bool]) -> int:
    """The smallest number of topics that is enough; more are enough, too."""
    low, high = 1, 2  # one is never enough: it has no variance
    while not is_enough(high):
        if high > MAX_TOPICS:
            raise InputError(f"a need for more than {MAX_TOPICS:,} topics", "to ask for less")
        low, high = high, 2 * high
    return bisect_left(range(high), True, low + 1, key=is_enough)


def check(**numbers: float) -> None:
    """Refuse what are no such numbers."""
    for name, value in numbers.items():
        if not isinstance(value, int | float | np.number):
            raise InputError(f"{name}={value!r}", "a number")
        if name in ("topics", "systems"):
            if not isinstance(value, int | np.integer) or value < 2:
                raise InputError(f"{name}={value!r}", "a whole number from 2")
        elif name in ("alpha", "power", "confidence"):
            if not 0 < value < 1:
                raise InputError(f"{name}={value}", "a number between 0 and 1")
        elif not value > 0:
            raise InputError(f"{name}={value}", "a number above 0")
        elif not 1e-18 <= value <= 1e12:
            raise InputError(f"{name}={value:g}", "a number from 1e-18 to 1e12")
    if numbers.get("power", 1.0) <= numbers.get("alpha", 0.0):
        raise InputError(f"power={numbers['power']}", f"more than alpha={numbers['alpha']}")
