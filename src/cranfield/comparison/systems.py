"""Systems of several runs (seeds) in a comparison: means over runs, components, ranks, notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cranfield.data.run_systems import SystemsLike, group_runs, read_systems
from cranfield.dataclass import dataclass
from cranfield.errors import InputError, check_choice
from cranfield.scores import FLOOR, Note, Scores
from cranfield.scores.clusters import convert_mean
from cranfield.stats.crossed import (
    REVERSED,
    CrossedOutcome,
    compute_t_half,
    count_reversals,
    estimate_components,
    estimate_variance,
    rank_runs,
)
from cranfield.stats.families import TESTS
from cranfield.stats.measure_scores import extract_measure
from cranfield.stats.result import Outcome
from cranfield.stats.samples import Matrix, mean
from cranfield.wording import format_count, format_names

Seeds: TypeAlias = Literal["random", "fixed"]


@dataclass(frozen=True)
class ComponentSummary:
    """Components of the variance of a system's scores, and its lowest and highest run mean."""

    measure: str
    run: str
    seeds: int
    topics: int
    var_topic: float
    var_seed: float
    var_rest: float
    lowest: float
    highest: float


@dataclass(frozen=True, eq=False)
class SystemRuns:
    """Scores of all runs, the runs of each system, and the meaning of seeds."""

    scores: Scores
    groups: Mapping[str, tuple[str, ...]]
    seeds: Seeds

    def average(self) -> Scores:
        """Return the scores of systems: means over runs, geometric if means over topics are."""
        values = []
        is_gmean = np.array([kind == "gmean" for kind in self.scores.summaries])
        for runs in self.groups.values():
            of_runs = self.scores.values[[self.scores.runs.index(run) for run in runs]]
            logs = np.log(np.maximum(of_runs, FLOOR)).mean(axis=0)
            values.append(np.where(is_gmean, np.exp(logs), of_runs.mean(axis=0)) if len(runs) > 1 else of_runs[0])
        return replace(self.scores, values=np.array(values), runs=tuple(self.groups), systems={})

    def attach_runs(self, part: Matrix, measure: str) -> Matrix:
        """Return the matrix of a measure with the scores of the runs of each system."""
        runs = extract_measure(self.scores, measure, turned=False).matrix
        columns = {run: i for i, run in enumerate(runs.systems)}
        replicates = [runs.values[:, [columns[run] for run in self.groups[name]]] for name in part.systems]
        return replace(part, replicates=tuple(replicates))

    def describe_pair(self, part: Matrix, first: int, second: int, outcome: Outcome) -> dict[str, Any]:
        """Return the fields of a pair that depend on runs."""
        x, y = part.replicates[first], part.replicates[second]
        fields: dict[str, Any] = {"seeds": x.shape[1], "other_seeds": y.shape[1], "reversals": count_reversals(x, y)}
        if isinstance(outcome, CrossedOutcome):
            fields |= {"se": outcome.se, "df": outcome.df, "seed_share": outcome.seed_share}
        return fields

    def describe_system(self, part: Matrix, place: int, alpha: float, summary: str = "mean") -> dict[str, Any]:
        """Return the fields of a system that depend on runs.

        The interval of a geometric mean is transformed back from logarithms.
        """
        x = part.replicates[place]
        if self.seeds == "fixed":
            return {"seeds": x.shape[1]}
        variance = estimate_variance(x, clusters=part.clusters)
        middle, half = mean(part.values[:, place]), float(compute_t_half(variance, 1 - alpha))
        interval = {"low": convert_mean(summary, middle - half), "high": convert_mean(summary, middle + half)}
        return {"seeds": x.shape[1], "se": float(variance.se), "df": float(variance.df), **interval}

    def estimate_components(self, part: Matrix, measure: str) -> Iterator[ComponentSummary]:
        """Yield the components of systems with several runs."""
        for name, x in zip(part.systems, part.replicates, strict=True):
            if x.shape[1] > 1:
                c = estimate_components(x)
                variances = c.var_topic, c.var_seed, c.var_rest
                yield ComponentSummary(measure, name, c.seeds, c.topics, *variances, c.lowest, c.highest)

    def note_runs(self) -> Iterator[Note]:
        """Note systems of one run, if other seeds are meant."""
        names = [name for name, runs in self.groups.items() if len(runs) == 1]
        if names and self.seeds == "random":
            text = f"{format_names(names, 'system')} of one run: intervals are for this run"
            yield Note("one-run", f"{text}, and hold for the system if it is deterministic")

    def note_reversals(self, part: Matrix, measure: str, pairs: Sequence[tuple[int, int]]) -> Iterator[Note]:
        """Note the first pair whose single runs are often in the opposite order."""
        reversed_pairs = [
            pair for pair in pairs if count_reversals(*(part.replicates[i] for i in pair)) > REVERSED + 1e-9
        ]
        if not reversed_pairs:
            return
        first, second = reversed_pairs[0]
        rest = len(reversed_pairs) - 1
        likewise = f". Also affected: {format_count(rest, 'other pair')}" if rest else ""
        yield Note("seeds", f"{measure}: {_describe_reversals(part, first, second)}{likewise}")


def _describe_reversals(part: Matrix, first: int, second: int) -> str:
    names, runs = (part.systems[first], part.systems[second]), (part.replicates[first], part.replicates[second])
    deviations = [float(x.mean(axis=0).std(ddof=1)) if x.shape[1] > 1 else 0.0 for x in runs]
    worst = int(deviations[1] > deviations[0])
    difference = abs(float(part.means[first] - part.means[second]))
    seeds = f"seeds of {names[worst]} differ (sd {deviations[worst]:.4f})"
    between = f"{names[0]} and {names[1]}"
    if deviations[worst] >= difference:
        effect = f"{seeds} as much as {between} ({difference:.4f})"
    else:
        effect = f"{seeds}, {between} differ by {difference:.4f}"
    count = math.prod(x.shape[1] for x in runs)
    times = count_reversals(*runs) * count
    return f"{effect}: single runs would be in the opposite order in {times:g} of {format_count(count, 'pair')}"


def describe_run_count(count: int, systems: Mapping[str, Sequence[str]]) -> str:
    """Return the number of runs, or of systems and their runs.

    >>> describe_run_count(2, {}), describe_run_count(2, {"bm25": ["b"], "dense": ["d1", "d2"]})
    ('2 runs', '2 systems (3 runs)')
    """
    runs = sum(map(len, systems.values()))
    return f"{format_count(count, 'system')} ({format_count(runs, 'run')})" if systems else format_count(count, "run")


def read_system_runs(scores: Scores, systems: SystemsLike, seeds: Seeds | None) -> SystemRuns | None:
    """Return the runs of each system, or None if every run is a system.

    Without `systems`, scores with a column of seeds name them.
    """
    if seeds is not None:
        check_choice("seeds", seeds, get_args(Seeds))
    mode: Seeds = seeds or "random"
    if systems is not None:
        return SystemRuns(scores, group_runs(read_systems(systems, scores.runs)), mode)
    system_of = {run: scores.systems.get(run, run) for run in scores.runs}
    if len(scores.runs) > len({*system_of.values()}) > 1:
        return SystemRuns(scores, group_runs(system_of), mode)
    if seeds is not None:
        raise InputError.from_problem("seeds without systems of several runs", "Use systems=… or --systems.")
    return None


def choose_system_test(test: str | None, groups: SystemRuns | None) -> str | None:
    """Return the test for systems of several runs, or the given test."""
    if groups is None:
        return test
    is_crossed = test is not None and test in TESTS and TESTS[test].crossed
    if groups.seeds == "random" and test is not None and not is_crossed:
        problem = f"test {test!r} compares runs, and seeds are random"
        raise InputError.from_problem(problem, "Use --seeds fixed (seeds='fixed') to test means over these runs.")
    if groups.seeds == "fixed" and is_crossed:
        raise InputError.from_problem("test 'crossed' with fixed seeds", "Use --seeds random, or another test.")
    return "crossed" if groups.seeds == "random" else test


def rank_part(
    part: Matrix, better: str, alpha: float, groups: SystemRuns | None, trials: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Return best, rank_low and rank_high of each system; none if neither direction is better.

    Runs are resampled, too, unless seeds are fixed.
    """
    if better == "neither":
        return {}
    sign = -1.0 if better == "lower" else 1.0
    has_runs = groups is not None and groups.seeds == "random"
    samples = part.replicates if has_runs else [part.values[:, [i]] for i in range(len(part.systems))]
    samples = [sign * x for x in samples]
    ranks = rank_runs(part.systems, samples, alpha, trials, seed, clusters=part.clusters)
    return {row.system: {"best": row.best, "rank_low": row.rank_low, "rank_high": row.rank_high} for row in ranks}
