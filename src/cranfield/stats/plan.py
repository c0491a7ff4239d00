"""Topic set size design by method, from a pilot or a given variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, check_choice
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import drop_standard_errors, extract_measure
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
from cranfield.tables import ResultTable
from cranfield.wording import format_count, suggest_keywords

__all__ = ["Plan", "plan"]

MethodName: TypeAlias = Literal["t", "anova", "interval"]
VarianceOf: TypeAlias = Literal["scores", "differences"]
Residual: TypeAlias = Literal["one-way", "two-way"]

METHODS = get_args(MethodName)
DIFFERENCES = (0.02, 0.05, 0.1, 0.2)
UNSURE = 0.25  # relative error of the variance above which there is a note


@dataclass(frozen=True, repr=False)
class Plan(TableResult):
    """Required numbers of topics: designs by measure, and their pilots.

    If variances are given, the measure has no name and there are no pilots. `sizes` are further
    numbers of topics, for which reports show the power.
    """

    designs: Mapping[str, Sequence[Design]]
    pilots: Mapping[str, Pilot]
    sizes: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()

    def _build_tables(self) -> list[ResultTable]:
        from cranfield.stats.plan_tables import build_tables

        return build_tables(self)

    def _build_settings(self) -> dict[str, Any]:
        from cranfield.stats.plan_tables import build_settings

        return build_settings(self)

    def __repr__(self) -> str:
        designs = [design for group in self.designs.values() for design in group]
        first_designs = ", ".join(
            f"{format_count(d.topics, 'topic')} ({d.method}, {d.difference or d.width:g})" for d in designs[:6]
        )
        more = ", …" if len(designs) > 6 else ""
        return f"Plan of {format_count(len(designs), 'design')}: {first_designs}{more}"


@dataclass(frozen=True)
class _Variances:
    """Variances of scores and of differences by a measure, and the number of systems."""

    measure: str
    scores: float
    differences: float
    systems: int | None
    pilot: Pilot | None = None


@suggest_keywords
def plan(
    scores: Systems | None = None,
    *,
    variance: float | None = None,
    sd: float | None = None,
    of: VarianceOf = "scores",
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
    """Compute the number of topics required for differences, or for a width.

    scores, variance, sd, of, residual
        The variance of scores. It is estimated from the scores of a pilot, by V_E1 (``one-way``)
        or V_E2 (``two-way``, the default for t and interval), or given as variance or standard
        deviation `of` the scores of a system or of the differences of two systems. Scores are the
        result of `evaluate`, ``{system: {topic: score}}``, or an array with its `axes`.
    methods
        ``t``: power of the paired t-test; ``anova``: power of one-way ANOVA of `systems`;
        ``interval``: width of the interval of a difference. Default: all methods with enough
        arguments.
    differences, widths
        Differences to detect, and widths of intervals. A single difference is shown with its half
        and its double.
    sizes
        Further numbers of topics for which the power is shown.

    >>> plan(sd=0.2, differences=[0.05, 0.1])
    Plan of 2 designs: 254 topics (t, 0.05), 65 topics (t, 0.1)

    Reference: Sakai (2016), Topic set size design, Information Retrieval Journal 19(3), 256-283.
    """
    variance_arguments = (("variance", variance), ("sd", sd))
    if scores is not None:
        variances, notes = _estimate_variances(as_scores(scores, axes), residual, systems)
    else:
        variances, notes = [_read_variances(dict(variance_arguments), of, systems)], ()
    designs = {
        estimated.measure: _build_designs(estimated, methods, _expand_differences(differences), widths, alpha, power)
        for estimated in variances
    }
    pilots = {estimated.measure: estimated.pilot for estimated in variances if estimated.pilot is not None}
    return Plan(designs, pilots, tuple(sizes), notes)


def _read_variances(arguments: Mapping[str, float | None], of: str, systems: int | None) -> _Variances:
    """Compute both variances from the given variance or standard deviation."""
    check_choice("of", of, get_args(VarianceOf))
    numbers = {name: value for name, value in arguments.items() if value is not None}
    if len(numbers) != 1:
        raise InputError(f"{' and '.join(numbers) or 'no variance'}", "scores, variance or sd")
    [(name, value)] = numbers.items()
    if not 0 < value < float("inf"):
        raise InputError(f"{name} {value:g}", "a number above 0")
    if not 1e-9 <= value <= 1e9:
        raise InputError(f"{name} {value:g}", "a number in [1e-9, 1e9]")
    variance = value if name == "variance" else value * value
    both_variances = (variance / 2, variance) if of == "differences" else (variance, 2 * variance)
    return _Variances("", *both_variances, systems)


def _estimate_variances(
    scores: Scores, residual: str | None, systems: int | None
) -> tuple[list[_Variances], tuple[Note, ...]]:
    """Estimate the variances from a pilot."""
    if residual is not None:
        check_choice("residual", residual, get_args(Residual))
    scores = drop_standard_errors(scores)
    systems = systems or (len(scores.runs) if len(scores.runs) > 2 else None)
    variances, notes = [], [*scores.notes]
    for name in scores.measures:
        extracted = extract_measure(scores, name, turned=False)
        pilot = variance_from(extracted.matrix)
        of_scores = pilot.two_way if residual == "two-way" else pilot.one_way
        of_differences = 2 * (pilot.one_way if residual == "one-way" else pilot.two_way)
        variances.append(_Variances(name, of_scores, of_differences, systems, pilot))
        notes += extracted.notes
    return variances, (
        *notes,
        *_note_small_pilot([estimated.pilot for estimated in variances if estimated.pilot]),
    )


def _note_small_pilot(pilots: Sequence[Pilot]) -> list[Note]:
    """Note that the pilot is too small for a reliable variance."""
    smallest = min(pilots, key=lambda pilot: sum(pilot.topics))
    if smallest.error <= UNSURE:
        return []
    text = (
        f"{smallest.topics[0]} topics give an imprecise variance: it could easily be "
        f"{smallest.error:.0%} larger or smaller, and so could the required number of topics"
    )
    return [Note("small-pilot", text)]


def _build_designs(
    variances: _Variances,
    methods: Sequence[MethodName],
    differences: Sequence[float],
    widths: Sequence[float],
    alpha: float,
    power: float,
) -> list[Design]:
    """Build a design for each method and each difference or width."""
    is_possible = {"t": True, "anova": variances.systems is not None, "interval": bool(widths)}
    selected: Sequence[str] = methods or [method for method in METHODS if is_possible[method]]
    for method in selected:
        check_choice("method", method, METHODS)
        if not is_possible[method]:
            requirement = {"anova": "systems", "interval": "width"}[method]
            raise InputError(f"method {method}", f"{requirement} with it")
    if widths and "interval" not in selected:
        raise InputError.from_problem("widths without method interval", "Add the method interval.")
    levels = {"alpha": alpha, "power": power}
    build_design = {
        "t": partial(topics_for_t, variance=variances.differences, **levels),
        "anova": partial(topics_for_anova, variance=variances.scores, systems=variances.systems or 0, **levels),
        "interval": partial(topics_for_interval, variance=variances.differences, confidence=1 - alpha),
    }
    sizes = {"t": differences, "anova": differences, "interval": widths}
    return [build_design[method](size) for method in dict.fromkeys(selected) for size in sizes[method]]


def _expand_differences(differences: Sequence[float]) -> Sequence[float]:
    """Return a single difference with its half and its double, several unchanged."""
    for difference in differences:
        check(difference=difference)
    if len(differences) != 1:
        return tuple(dict.fromkeys(differences))
    return tuple(float(f"{differences[0] * factor:.12g}") for factor in (0.5, 1, 2))
