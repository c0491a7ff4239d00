"""Numbers of seeds and topics required for a difference, from components of variance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.dataclass import dataclass
from cranfield.display import TableResult
from cranfield.errors import InputError, describe_value
from cranfield.lazy_imports import special
from cranfield.scores import Note, Scores
from cranfield.stats.crossed import SeedTerm, Term, Variance, combine_terms, estimate_components
from cranfield.stats.measure_scores import drop_standard_errors, extract_measure
from cranfield.stats.plan import DIFFERENCES
from cranfield.stats.power import ALPHA, POWER, check
from cranfield.tables import Field, ResultTable, bind_rows, build_columns, build_table, format_percent
from cranfield.wording import format_count, suggest_keywords

__all__ = ["SeedDesign", "SeedPlan", "plan_seeds"]

SEEDS = (2, 3, 5, 10)
MAX_TOPICS = 10_000
TABLES = ("seeds", "components")


@dataclass(frozen=True)
class DifferenceComponents:
    """Components of the variance of the difference of two systems, by one measure.

    `var_difference` is the variance between topics of the difference of systems, the mean over pairs.
    `var_seed` and `var_rest` are means over systems of several runs.
    """

    measure: str
    systems: int
    runs: int
    topics: int
    var_difference: float
    var_seed: float
    var_rest: float


@dataclass(frozen=True)
class SeedDesign:
    """Number of topics with which a number of seeds for each system suffices, None if none does.

    The goal is a `difference`, to be detected with the power, or a `width` of the interval.
    `power`, `se` and `df` are the values for `topics` (None: for 10,000 topics).
    """

    measure: str
    difference: float | None
    width: float | None
    seeds: int
    topics: int | None
    runs: int | None
    power: float | None
    se: float
    df: float


@dataclass(frozen=True, repr=False)
class SeedPlan(TableResult):
    """Required numbers of topics for numbers of seeds: designs, and the components of the pilot."""

    designs: tuple[SeedDesign, ...]
    components: tuple[DifferenceComponents, ...]
    alpha: float = ALPHA
    power: float = POWER
    notes: tuple[Note, ...] = ()

    def _build_tables(self) -> list[ResultTable]:
        return [_build_design_table(self), _build_component_table(self)]

    def _build_settings(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "confidence": 1 - self.alpha, "power": self.power}

    def __repr__(self) -> str:
        designs = ", ".join(
            f"{format_count(d.seeds, 'seed')} × {d.topics or '–'} topics ({d.difference or d.width:g})"
            for d in self.designs[:6]
        )
        more = ", …" if len(self.designs) > 6 else ""
        return f"SeedPlan of {format_count(len(self.designs), 'design')}: {designs}{more}"


@suggest_keywords
def plan_seeds(
    scores: Scores,
    systems: Mapping[str, str] | None = None,
    *,
    differences: Sequence[float] = DIFFERENCES,
    widths: Sequence[float] = (),
    seeds: Sequence[int] = SEEDS,
    alpha: float = ALPHA,
    power: float = POWER,
) -> SeedPlan:
    """Compute the numbers of topics and seeds required for differences, or for widths of intervals.

    V(n, s) = σ_d² / n + 2 σ_seed² / s + 2 σ_rest² / (n s)

    V is the variance of the difference of two systems with s seeds each, on n topics. σ_d² is the
    variance between topics of the difference, σ_seed² the variance between seeds of a system, and
    σ_rest² of topics × seeds. They are estimated from a pilot, by mean squares: σ_d² is the mean over
    pairs, the others are means over systems of several runs. The power is that of the two-sided test
    `crossed` at `alpha`, by the noncentral t distribution with the degrees of freedom of the expected
    mean squares. It is approximate. The width is 2 t √V. The smallest number of topics up to 10,000
    is reported, or None: more topics do not reduce σ_seed² / s.

    `scores` are the pilot, `systems` maps its runs to systems (default: `scores.systems`).

    Reference: Searle, Casella and McCulloch 1992, Variance Components; Satterthwaite 1946.

    >>> runs = {"a1": [0.4, 0.5, 0.6, 0.3], "a2": [0.5, 0.6, 0.8, 0.3], "b": [0.3, 0.5, 0.4, 0.3]}
    >>> pilot = Scores([[[x] for x in run] for run in runs.values()], [*runs], "1234", ["AP"], ["mean"])
    >>> plan_seeds(pilot, {"a1": "a", "a2": "a", "b": "b"}, differences=[0.1], seeds=[5, 10])
    SeedPlan of 2 designs: 5 seeds × – topics (0.1), 10 seeds × 45 topics (0.1)
    """
    check(alpha=alpha, power=power)
    for goal in (*differences, *widths):
        check(difference=goal)
    for count in seeds:
        if not (isinstance(count, int) and 2 <= count <= MAX_TOPICS):
            raise InputError(f"{count!r} seeds", "an integer ≥ 2")
    _check_pilot(scores, systems)
    scores = drop_standard_errors(scores)
    groups = _group_runs(scores, systems)
    components = [_estimate_components(scores, measure, groups) for measure in scores.measures]
    goals: list[tuple[float | None, float | None]]
    goals = [(None, width) for width in widths] or [(difference, None) for difference in differences]
    designs = [
        _find_design(part, difference, width, count, alpha, power)
        for part in components
        for difference, width in goals
        for count in dict.fromkeys(seeds)
    ]
    notes = (*scores.notes, *_note_pilot(components), *_note_impossible(designs))
    return SeedPlan(tuple(designs), tuple(components), alpha, power, notes)


def _check_pilot(scores: object, systems: object) -> None:
    """Raise an error for arguments of other types."""
    if not isinstance(scores, Scores):
        raise InputError(f"scores={describe_value(scores)}", "Scores")
    is_mapping = isinstance(systems, Mapping) and all(isinstance(name, str) for name in systems.values())
    if systems is not None and not is_mapping:
        raise InputError(f"systems={describe_value(systems)}", "{run: system}")


def _group_runs(scores: Scores, systems: Mapping[str, str] | None) -> list[list[int]]:
    """Return the positions of the runs of each system."""
    system_of = scores.systems if systems is None else systems
    groups: dict[str, list[int]] = {}
    for position, run in enumerate(scores.runs):
        groups.setdefault(system_of.get(run, run), []).append(position)
    if len(groups) < 2:
        raise InputError(format_count(len(groups), "system"), "at least 2")
    if all(len(runs) == 1 for runs in groups.values()):
        raise InputError.from_problem("all systems have one run", "Use plan without systems.")
    return [*groups.values()]


def _estimate_components(scores: Scores, measure: str, groups: Sequence[Sequence[int]]) -> DifferenceComponents:
    """Estimate the components of the variance of a difference."""
    matrix = extract_measure(scores, measure, turned=False).matrix
    n = len(matrix.topics)
    if n < 2:
        raise InputError(f"{measure} of {format_count(n, 'topic')}", "at least 2")
    values = [matrix.values[:, runs] for runs in groups]
    parts = [estimate_components(x) if x.shape[1] > 1 else None for x in values]
    repeated = [part for part in parts if part is not None]
    rest = [part.var_rest / part.seeds if part else 0.0 for part in parts]
    of_pairs = [
        (values[i].mean(axis=1) - values[j].mean(axis=1)).var(ddof=1) - rest[i] - rest[j]
        for i, j in combinations(range(len(groups)), 2)
    ]
    return DifferenceComponents(
        measure, len(groups), sum(map(len, groups)), n,
        max(0.0, math.fsum(of_pairs) / len(of_pairs)),
        math.fsum(part.var_seed for part in repeated) / len(repeated),
        math.fsum(part.var_rest for part in repeated) / len(repeated),
    )  # fmt: skip


def compute_variance(part: DifferenceComponents, topics: Floats, seeds: int) -> Variance:
    """Return V(n, s) and its degrees of freedom, from expected mean squares.

    >>> part = DifferenceComponents("AP", 2, 4, 50, 0.01, 0.0004, 0.0025)
    >>> variance = compute_variance(part, np.array([50.0]), 5)
    >>> variance.value.round(8).tolist()  # 0.01 / 50 + 2 · 0.0004 / 5 + 2 · 0.0025 / 250
    [0.00038]
    """
    n, s = topics, seeds
    topic_term = Term((part.var_difference + 2 * part.var_rest / s) / n, n - 1)
    within = Term(part.var_rest / (n * s), (n - 1) * (s - 1))
    between = Term((part.var_seed + part.var_rest / n) / s, s - 1)
    return combine_terms([topic_term], [SeedTerm(between, (within,))] * 2)


def _compute_powers(variance: Variance, difference: float, alpha: float) -> Floats:
    """Return the power of the two-sided t-test for each variance."""
    limit = special.stdtrit(variance.df, 1 - alpha / 2)
    shift = np.minimum(difference / np.maximum(variance.se, 1e-300), 40.0)  # beyond 40 SciPy returns NaN
    low, high = (special.nctdtr(variance.df, shift, bound) for bound in (-limit, limit))
    return np.where(np.isnan(high), 1.0, np.nan_to_num(low) + 1 - high)


def _find_design(
    part: DifferenceComponents, difference: float | None, width: float | None, seeds: int, alpha: float, power: float
) -> SeedDesign:
    """Find the smallest number of topics for a goal."""
    topics = np.arange(2.0, MAX_TOPICS + 1)
    variance = compute_variance(part, topics, seeds)
    if difference is not None:
        powers = _compute_powers(variance, difference, alpha)
        reached = powers >= power
    else:
        powers = np.full(len(topics), math.nan)
        reached = 2 * special.stdtrit(variance.df, 1 - alpha / 2) * variance.se <= (width or 0)
    is_possible = bool(reached.any())
    place = int(np.argmax(reached)) if is_possible else len(topics) - 1
    required = int(topics[place]) if is_possible else None
    return SeedDesign(
        part.measure, difference, width, seeds, required, 2 * seeds if is_possible else None,
        None if width is not None else float(powers[place]), float(variance.se[place]), float(variance.df[place]),
    )  # fmt: skip


def _note_pilot(components: Sequence[DifferenceComponents]) -> list[Note]:
    """Note that few runs give an imprecise variance between seeds."""
    part = components[0]
    degrees = part.runs - part.systems
    if degrees >= 10:
        return []
    error = math.sqrt(2 / degrees)
    text = (
        f"{part.runs} runs of {part.systems} systems give an imprecise variance between seeds: it could easily be "
        f"{error:.0%} larger or smaller, and so could the numbers of seeds and topics"
    )
    return [Note("small-pilot", text)]


def _note_impossible(designs: Sequence[SeedDesign]) -> list[Note]:
    """Note goals that no number of topics reaches with a number of seeds."""
    failed = [design for design in designs if design.topics is None]
    if not failed:
        return []
    first = failed[0]
    goal = f"difference {first.difference:g}" if first.difference is not None else f"width {first.width:g}"
    rest = f". Also affected: {format_count(len(failed) - 1, 'other design')}" if len(failed) > 1 else ""
    text = f"{first.measure}: with {first.seeds} seeds, not even {MAX_TOPICS:,} topics suffice for the {goal}"
    return [Note("impossible", f"{text}, because topics do not reduce the variance between seeds{rest}")]


def _build_design_table(plan: SeedPlan) -> ResultTable:
    column = bind_rows(plan.designs)
    several = len(plan.components) > 1
    has_widths = any(design.width is not None for design in plan.designs)
    goal = (
        f"intervals of {format_percent(1 - plan.alpha)} of this width"
        if has_widths
        else f"finding a true difference with power {plan.power:g} (test crossed, two-sided, α = {plan.alpha:g})"
    )
    topics = ["–" if design.topics is None else f"{design.topics:,}" for design in plan.designs]
    measure = "" if several else f" by {plan.components[0].measure}"
    return build_table(
        "seeds",
        f"Smallest number of topics for {goal}{measure}, if both systems have this number of seeds. –: more than "
        f"{MAX_TOPICS:,}. Approximate: the components of variance are estimates.",
        column("measure", visible=several, key=True),
        column("difference", visible=not has_widths, key=True, text="{:g}".format),
        column("width", visible=has_widths, key=True, text="{:g}".format),
        column("seeds", key=True),
        Field("topics", [design.topics for design in plan.designs], texts=topics, dtype=int),
        *build_columns(column, "runs", "power", "se", "df", visible=False),
    )


def _build_component_table(plan: SeedPlan) -> ResultTable:
    column = bind_rows(plan.components)
    heads = {"var_difference": "topics (difference)", "var_seed": "seeds", "var_rest": "topics × seeds"}

    def format_variance(variance: float) -> str:
        return f"{variance:.2g} (sd {math.sqrt(variance):.4f})"

    return build_table(
        "components",
        "Components of variance in the pilot: of the difference of two systems between topics (mean over pairs), "
        "between seeds of a system, and of topics × seeds (means over systems of several runs).",
        column("measure", key=True),
        *build_columns(column, "systems", "runs", "topics"),
        *(column(name, head=head, text=format_variance) for name, head in heads.items()),
    )
