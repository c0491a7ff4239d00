"""Topic set size design: required topics, and detectable differences.

Sakai (2016), after Nagata, has three designs: by the power of the paired t-test, by the power of
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

ALPHA, POWER = 0.05, 0.8  # defaults
FARTHEST = 1e10  # noncentrality
MAX_TOPICS = 10_000_000  # topics

_T = (
    "differences of topics are independent and normal, with the given variance; the test is the two-sided paired t-test"
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
    """Number of topics required for a power or a width.

    `method` is ``"t"``, ``"anova"`` or ``"interval"``. `achieved` is the result with `topics`
    topics: a power of at least `power` (the probability of a significant result if the true
    difference is `difference`), or a width of at most `width`. `variance` is the variance of
    differences for ``"t"`` and ``"interval"``, and the variance of the scores of one system for
    ``"anova"``.
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
        """Return the power with another number of topics.

        >>> round(topics_for_t(difference=0.5, variance=1.0).power_of(17), 4)
        0.491
        """
        if self.difference is None:
            raise InputError.from_problem("a design by the width of an interval has no power")
        if self.method == "t":
            return power_of_t(topics, self.difference, self.variance, self.alpha)
        return power_of_anova(topics, self.difference, self.variance, self.systems, self.alpha)

    def smallest_of(self, topics: int) -> float:
        """Return the smallest difference, or the width, for another number of topics.

        A true difference of this size is detected with the power of the design.

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
def topics_for_t(difference: float, variance: float, alpha: float = ALPHA, power: float = POWER) -> Design:
    """Return the smallest number of topics for a power of the paired t-test.

    `difference` is the smallest true difference of two means to be detected. `variance` is the
    variance of the differences over topics, σ_t² (2σ² if each system has σ² and topics have no
    effect). See `power_of_t` for the formula.

    Half a standard deviation needs 34 topics, as in Cohen's tables:

    >>> design = topics_for_t(difference=0.5, variance=1.0)
    >>> design.topics, round(design.achieved, 3)
    (34, 0.808)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(alpha=alpha, power=power, difference=difference, variance=variance)
    return _find_design(Design("t", 0, variance, alpha, 0.0, _T, difference, power), power)


@suggest_keywords
def power_of_t(topics: int, difference: float, variance: float, alpha: float = ALPHA) -> float:
    """Return the power of the two-sided paired t-test for a true difference.

    power = P(|t| ≥ t(α/2; n − 1))

    t is noncentral with n − 1 degrees of freedom and noncentrality √n · difference / σ_t.
    `variance` is σ_t², the variance of the differences.

    The true difference is an assumption. Do not use the observed difference: the power computed
    from it has no more information than the p-value.

    >>> round(power_of_t(topics=34, difference=0.5, variance=1.0), 4)
    0.8078

    Reference: Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.
    """
    check(topics=topics, alpha=alpha, difference=difference, variance=variance)
    return _compute_power(1, topics - 1, topics * difference**2 / variance, alpha)


@suggest_keywords
def difference_for_t(topics: int, variance: float, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the smallest true difference detected by the paired t-test.

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
    """Return the smallest number of topics with which one-way ANOVA has this power.

    `difference` is the smallest true difference of the best and the worst system to be detected.
    `variance` is the variance of the scores of one system, σ². See `power_of_anova`.

    Cohen's f is √(Σ_i a_i² / m) / σ. In the worst case it is √(difference² / (2m)) / σ, so that
    f = 0.25 and m = 3 correspond to a difference of 0.25 √6:

    >>> topics_for_anova(difference=0.25 * 6**0.5, variance=1.0, systems=3).topics
    53

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(alpha=alpha, power=power, difference=difference, variance=variance, systems=systems)
    design = Design("anova", 0, variance, alpha, 0.0, _ANOVA, difference, power, systems=systems)
    return _find_design(design, power)


@suggest_keywords
def power_of_anova(topics: int, difference: float, variance: float, systems: int, alpha: float = ALPHA) -> float:
    """Return the power of one-way ANOVA for a difference of best and worst.

    power = P(F ≥ F(α; m − 1, m(n − 1)))
    λ = n Σ_i a_i² / σ² ≥ n · difference² / (2σ²)

    F is noncentral with λ. a_i is the difference of system i and the mean of all systems. The
    smallest λ is used: all other systems are halfway between best and worst.

    With two systems, this is the power of the unpaired t-test:

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
    """Return the smallest difference of best and worst detected by ANOVA.

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
    """Return the smallest number of topics for a width of the interval.

    `width` is the largest mean width of the interval of a difference over samples, from end to
    end. `variance` is the variance of the differences, σ_t². See `width_of_interval`.

    With a known σ_t, a width of one σ_t would need 4 · 1.96² = 15.4, that is 16 topics:

    >>> topics_for_interval(width=1.0, variance=1.0).topics
    18

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    check(width=width, variance=variance, confidence=confidence)

    def compute_width(topics: int) -> float:
        return width_of_interval(topics, variance, confidence)

    topics = _find_smallest(lambda n: compute_width(n) <= width)
    width_achieved = compute_width(topics)
    alpha = round(1 - confidence, 12)  # 0.05, without the rounding error
    return Design("interval", topics, variance, alpha, width_achieved, _INTERVAL, width=width)


@suggest_keywords
def width_of_interval(topics: int, variance: float, confidence: float = 1 - ALPHA) -> float:
    """Return the mean width over samples of the t-interval of a difference.

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
def topics_to_decide(difference: float, variance: float, margin: float = 0.0, alpha: float = ALPHA) -> int | None:
    """Return the smallest number of topics that decides a gate with a margin.

    With n topics of mean difference d and variance s², the interval d ± t(1 − α; n − 1) s / √n must
    be above −margin, or below 0. n is the smallest number with t(1 − α; n − 1) s / √n ≤
    max(d + margin, −d). See `within_margin`. None if ten million topics are not enough.

    For an interval narrower than half a deviation, Student's table has t(0.95; 12) = 1.782 and
    1.782 / √13 = 0.494, but 1.796 / √12 = 0.518:

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
    """Variances of scores estimated from pilots: the residual variances of ANOVA.

    `one_way` (V_E1) is the variance of the scores of a system over topics. `two_way` (V_E2) is V_E1
    without the effect of topics that is common to all systems. `topics` and `systems` are the sizes
    of the pilots.
    """

    one_way: float
    two_way: float
    topics: tuple[int, ...]
    systems: tuple[int, ...]

    @property
    def difference(self) -> float:
        """Variance σ_t² of the differences of two systems on the same topics: 2 V_E2.

        It is the mean variance of differences over all pairs of systems.
        """
        return 2 * self.two_way

    @property
    def error(self) -> float:
        """Relative standard error of the variance of normal scores, √(2 / Σ (n − 1)).

        The number of systems is ignored: if all systems fail on the same topics, more systems add
        no information.
        """
        return math.sqrt(2 / sum(n - 1 for n in self.topics))


@suggest_keywords
def variance_from(*pilots: Systems, topics: Topics = "same", axes: Axes | None = None) -> Pilot:
    """Estimate the residual variances of one-way and two-way ANOVA from pilots.

    V_E1 = Σ_ij (x_ij − x̄_i)² / (m (n − 1))
    V_E2 = Σ_ij (x_ij − x̄_i − x̄_j + x̄)² / ((m − 1)(n − 1))
    V = Σ_C (n_C − 1) V_C / Σ_C (n_C − 1)

    x_ij is the score of system i on topic j. Several pilots C (collections) are pooled to V. Pilots
    are Scores of one measure, ``{system: {topic: score}}``, or arrays with their `axes`,
    ``("topics", "runs")`` or ``("runs", "topics")``.

    >>> pilot = variance_from({"bm25": [0.1, 0.3, 0.5], "dense": [0.3, 0.3, 0.9]})
    >>> round(pilot.one_way, 4), round(pilot.difference, 4)  # the differences are 0.2, 0 and 0.4
    (0.08, 0.04)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    if not pilots:
        raise InputError.from_problem("no pilot", "Pass the scores of at least two systems.")
    matrices = [to_matrix(pilot, topics, axes) for pilot in pilots]
    weights = [len(x.topics) - 1 for x in matrices]
    return Pilot(
        float(np.average([one_way(list(x.values.T)).residual.mean_square for x in matrices],
                         weights=weights)),
        float(np.average([two_way(x).residual.mean_square for x in matrices], weights=weights)),
        tuple(len(x.topics) for x in matrices),
        tuple(len(x.systems) for x in matrices),
    )  # fmt: skip


# -- shared functions -----------------------------------------------------------------------------


def _compute_power(between: int, within: int, noncentrality: float, alpha: float) -> float:
    """Return P(F ≥ its critical value) of the noncentral F.

    The t-test is the case of 1 degree of freedom, t² = F. Unlike the noncentral t, this
    distribution has no far tail that underflows.
    """
    if noncentrality > FARTHEST:
        problem = f"differences so large, or a variance so small, that F is about {noncentrality:g}"
        raise InputError(problem, f"at most {FARTHEST:g}: any number of topics finds them")
    critical = float(special.fdtri(between, within, 1 - alpha))
    probability = float(special.ncfdtr(between, within, noncentrality, critical))
    if math.isnan(probability):  # SciPy returns nan for some noncentralities near 2,000
        probability = _compute_beta_mixture(between, within, noncentrality, critical)
    return 1 - probability


def _compute_beta_mixture(between: int, within: int, noncentrality: float, f: float) -> float:
    """Return P(F ≤ f) of the noncentral F as a Poisson mixture of beta distributions."""
    half = noncentrality / 2
    spread = 10 * math.sqrt(half) + 10
    j = np.arange(max(0, math.floor(half - spread)), math.ceil(half + spread))
    weights = np.exp(j * math.log(half) - half - special.gammaln(j + 1))
    x = between * f / (between * f + within)
    return float((weights * special.betainc(between / 2 + j, within / 2, x)).sum())


def _solve_noncentrality(between: int, within: int, alpha: float, power: float) -> float:
    """Return the noncentrality with this power."""
    low, high = 0.0, 1.0
    while _compute_power(between, within, high, alpha) < power:
        high *= 2
    while low < (middle := (low + high) / 2) < high:  # until they are adjacent floats
        is_too_low = _compute_power(between, within, middle, alpha) < power
        low, high = (middle, high) if is_too_low else (low, middle)
    return high


def _find_design(design: Design, power: float) -> Design:
    """Return the design with the smallest number of topics with the power."""
    topics = _find_smallest(lambda n: design.power_of(n) >= power)
    return replace(design, topics=topics, achieved=design.power_of(topics))


def _find_smallest(is_enough: Callable[[int], bool]) -> int:
    """Return the smallest sufficient number of topics, by bisection."""
    low, high = 1, 2  # one topic is never enough: it has no variance
    while not is_enough(high):
        if high > MAX_TOPICS:
            raise InputError.from_problem(
                f"more than {MAX_TOPICS:,} topics needed", "Use a larger difference or width."
            )
        low, high = high, 2 * high
    return bisect_left(range(high), True, low + 1, key=is_enough)


def check(**numbers: float) -> None:
    """Raise an error for numbers outside their range."""
    for name, value in numbers.items():
        if not isinstance(value, int | float | np.number):
            raise InputError(f"{name}={value!r}", "a number")
        if name in ("topics", "systems"):
            if not isinstance(value, int | np.integer) or value < 2:
                raise InputError(f"{name}={value!r}", "an integer ≥ 2")
        elif name in ("alpha", "power", "confidence"):
            if not 0 < value < 1:
                raise InputError(f"{name}={value}", "a number between 0 and 1")
        elif not value > 0:
            raise InputError(f"{name}={value}", "a number above 0")
        elif not 1e-18 <= value <= 1e12:
            raise InputError(f"{name}={value:g}", "a number in [1e-18, 1e12]")
    if numbers.get("power", 1.0) <= numbers.get("alpha", 0.0):
        raise InputError(f"power={numbers['power']}", f"more than alpha={numbers['alpha']}")
