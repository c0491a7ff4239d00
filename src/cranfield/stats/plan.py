"""Topic set size design as a whole: what is asked, how much scores vary, and the designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias, get_args

from cranfield.dataclass import dataclass
from cranfield.errors import InputError, one_of
from cranfield.scores import Notice, Scores
from cranfield.shown import Shown
from cranfield.stats.measured import measured, without_errors
from cranfield.stats.power import (
    ALPHA,
    POWER,
    Design,
    Pilot,
    check,
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
    variance_from,
)
from cranfield.stats.samples import Axes, Systems, as_scores
from cranfield.wording import counted, suggests_keywords

__all__ = ["Plan", "plan"]

MethodName: TypeAlias = Literal["t", "anova", "interval"]
Of: TypeAlias = Literal["scores", "differences"]
Residual: TypeAlias = Literal["one-way", "two-way"]

METHODS = get_args(MethodName)
DIFFERENCES = (0.02, 0.05, 0.1, 0.2)
UNSURE = 0.25  # a relative error of the variance that is worth a sentence


@dataclass(frozen=True, repr=False)
class Plan(Shown, tables="plan"):
    """How many topics are needed: designs by each measure, and the pilots they are made from.

    The measure has no name, and there is no pilot, where variances are given. `sizes` are numbers
    of topics that are asked about as well.
    """

    designs: Mapping[str, Sequence[Design]]
    pilots: Mapping[str, Pilot]
    sizes: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        made = [design for found in self.designs.values() for design in found]
        few = ", ".join(
            f"{counted(d.topics, 'topic')} ({d.method}, {d.difference or d.width:g})"
            for d in made[:6]
        )
        return f"Plan of {counted(len(made), 'design')}: {few}{', …' if len(made) > 6 else ''}"


@dataclass(frozen=True)
class _Variances:
    """How much scores, and differences, vary by a measure; how many systems are compared."""

    measure: str
    scores: float
    differences: float
    systems: int | None
    pilot: Pilot | None = None


@suggests_keywords
def plan(
    scores: Systems | None = None,
    *,
    variance: float | None = None,
    sd: float | None = None,
    of: Of = "scores",
    residual: Residual | None = None,
    methods: Sequence[MethodName] = (),
    differences: Sequence[float] = DIFFERENCES,
    widths: Sequence[float] = (),
    systems: int | None = None,
    alpha: float = ALPHA,
    power: float = POWER,
    sizes: Sequence[int] = (),
    axes: Axes | None = None,
) -> Plan:
    """How many topics it takes to find differences, or for intervals of some width.

    scores, variance, sd, of, residual
        How much scores vary: estimated from those of a pilot, by V_E1 (``one-way``) or V_E2
        (``two-way``, the default for t and interval); or given as variance or standard deviation
        `of` the scores of a system or of the differences of two. Scores are those of
        `evaluate`, ``{system: {topic: score}}``, or an array with its `axes`.
    methods
        ``t``: power of the paired t-test; ``anova``: power of one-way ANOVA of `systems`;
        ``interval``: width of the interval of a difference. All there is enough for, if none is
        named.
    differences, widths
        What is worth finding. One difference is shown with its half and its double.
    sizes
        Numbers of topics to tell the power of, too.

    >>> found = plan(sd=0.2, differences=[0.05, 0.1])
    >>> found
    Plan of 2 designs: 254 topics (t, 0.05), 65 topics (t, 0.1)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    given = (("variance", variance), ("sd", sd))
    if scores is not None:
        known, notices = _estimated(as_scores(scores, axes), residual, systems)
    else:
        known, notices = [_given(dict(given), of, systems)], ()
    designs = {
        one.measure: _designed(one, methods, _around(differences), widths, alpha, power)
        for one in known
    }
    pilots = {one.measure: one.pilot for one in known if one.pilot is not None}
    return Plan(designs, pilots, tuple(sizes), notices)


def _given(given: Mapping[str, float | None], of: str, systems: int | None) -> _Variances:
    """The variances that are given: one number says them all."""
    one_of("of", of, get_args(Of))
    numbers = {name: value for name, value in given.items() if value is not None}
    if len(numbers) != 1:
        raise InputError(f"{' and '.join(numbers) or 'no variance'}", "scores, variance or sd")
    [(name, value)] = numbers.items()
    if not 0 < value < float("inf"):
        raise InputError(f"{name} {value:g}", "a number above 0")
    if not 1e-9 <= value <= 1e9:
        raise InputError(f"{name} {value:g}", "a number from 1e-9 to 1e9")
    variance = value if name == "variance" else value * value
    both = (variance / 2, variance) if of == "differences" else (variance, 2 * variance)
    return _Variances("", *both, systems)


def _estimated(
    scores: Scores, residual: str | None, systems: int | None
) -> tuple[list[_Variances], tuple[Notice, ...]]:
    """The variances that a pilot tells."""
    if residual is not None:
        one_of("residual", residual, get_args(Residual))
    scores = without_errors(scores)
    systems = systems or (len(scores.runs) if len(scores.runs) > 2 else None)
    known, notices = [], [*scores.notices]
    for name in scores.measures:
        seen = measured(scores, name, turned=False)
        pilot = variance_from(seen.matrix)
        of_scores = pilot.two_way if residual == "two-way" else pilot.one_way
        of_differences = 2 * (pilot.one_way if residual == "one-way" else pilot.two_way)
        known.append(_Variances(name, of_scores, of_differences, systems, pilot))
        notices += seen.notices
    return known, (*notices, *_unsure([one.pilot for one in known if one.pilot]))


def _unsure(pilots: Sequence[Pilot]) -> list[Notice]:
    """Whether a pilot is too small to rely on its variance."""
    smallest = min(pilots, key=lambda pilot: sum(pilot.topics))
    if smallest.error <= UNSURE:
        return []
    text = (
        f"{smallest.topics[0]} topics tell little of a variance: it may easily be "
        f"{smallest.error:.0%} larger or smaller, and so the number of topics needed"
    )
    return [Notice("small-pilot", text)]


def _designed(
    vary: _Variances,
    methods: Sequence[MethodName],
    differences: Sequence[float],
    widths: Sequence[float],
    alpha: float,
    power: float,
) -> list[Design]:
    """A design for each method, and each difference or width."""
    enough = {"t": True, "anova": vary.systems is not None, "interval": bool(widths)}
    named: Sequence[str] = methods or [method for method in METHODS if enough[method]]
    for method in named:
        one_of("method", method, METHODS)
        if not enough[method]:
            needed = {"anova": "systems", "interval": "width"}[method]
            raise InputError(f"method {method}", f"{needed} with it")
    if widths and "interval" not in named:
        raise InputError("width", "method interval with it")
    asked = {"alpha": alpha, "power": power}
    of_method = {
        "t": partial(topics_for_t, variance=vary.differences, **asked),
        "anova": partial(
            topics_for_anova, variance=vary.scores, systems=vary.systems or 0, **asked
        ),
        "interval": partial(topics_for_interval, variance=vary.differences, confidence=1 - alpha),
    }
    sizes = {"t": differences, "anova": differences, "interval": widths}
    return [of_method[method](size) for method in dict.fromkeys(named) for size in sizes[method]]


def _around(differences: Sequence[float]) -> Sequence[float]:
    """One difference with its half and its double, several as they are."""
    for difference in differences:
        check(difference=difference)
    if len(differences) != 1:
        return tuple(dict.fromkeys(differences))
    return tuple(float(f"{differences[0] * factor:.12g}") for factor in (0.5, 1, 2))
