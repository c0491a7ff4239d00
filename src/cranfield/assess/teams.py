"""Teams: the owners of runs, and the best run of each team."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats, estimate_rounding, unify_rounded
from cranfield.data.tracks import TeamsLike, read_teams
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import Note, Scores
from cranfield.wording import format_count, format_names


@dataclass(frozen=True)
class TeamBest:
    """The best of a team's `runs` by one measure. `tied` runs have the same score."""

    team: str
    run: str
    runs: tuple[str, ...]
    by: str
    tied: tuple[str, ...] = ()


def note_teams(runs: Sequence[str], team_of: Mapping[str, str], action: str = "pooled") -> Iterator[Note]:
    """Yield notes about teams. Raise InputError if no run has a team."""
    if not set(runs) & team_of.keys():
        expected = f"those of {format_names(list(runs), 'run')}"
        raise InputError(f"teams of {format_names(list(team_of), 'run')}", expected)
    if without_team := [run for run in runs if run not in team_of]:
        if ambiguous := [run for run in without_team if run in team_of.values()]:
            problem = f"run {ambiguous[0]} has no team, but a team has its name"
            raise InputError.from_problem(problem, "Give the team of every run")
        runs_without = format_names(without_team, "run")
        text = f"{runs_without} without a team: each of them is a separate team"
        yield Note("teams", text)
    if extra := [run for run in team_of if run not in runs]:
        yield Note("teams", f"teams given for {format_names(extra, 'run')} not {action}, ignored")


def select_best_runs(
    scores: Scores, teams: TeamsLike, by: Any = None, extra_runs: Collection[str] = ()
) -> tuple[Scores, tuple[TeamBest, ...], list[Note]]:
    """Select the best run of each team by a measure (default: the first).

    Return the scores of these runs and of `extra_runs`, the rows of the selection, and notes. Of
    runs with the same score, the first given is selected.

    >>> scores = Scores([[[0.3]], [[0.5]], [[0.4]]], "abc", ["1"], ["AP"], ["mean"])
    >>> chosen, best, _ = select_best_runs(scores, {"a": "Delft", "b": "Delft", "c": "Turin"})
    >>> chosen.runs, [(one.team, one.run) for one in best]
    (('b', 'c'), [('Delft', 'b'), ('Turin', 'c')])
    """
    team_of = read_teams(teams)
    notes = [*note_teams(scores.runs, team_of, "compared")]
    measure = scores.measures[0] if by is None else str(by)
    ordered = scores.sorted_by(measure).select(measures=[measure])
    (measure,), (better,) = ordered.measures, ordered.better
    if better == "neither":
        problem = f"{measure} cannot select the best run: no value is better"
        raise InputError.from_problem(problem)
    values = _get_means(ordered)
    means = unify_rounded(values, estimate_rounding(values))
    place = {run: float(mean) for run, mean in zip(ordered.runs, means, strict=True)}
    members: dict[str, list[str]] = {}
    for run in ordered.runs:  # best first
        members.setdefault(team_of.get(run, run), []).append(run)
    if len(members) < 2:
        problem = f"all runs are of one team, {next(iter(members))}"
        raise InputError.from_problem(problem, "At least two teams are required")
    best = tuple(
        TeamBest(team, runs[0], tuple(runs), measure,
                 tuple(run for run in runs[1:] if place[run] == place[runs[0]]))
        for team, runs in members.items()
    )  # fmt: skip
    selection = {row.run for row in best} | {*extra_runs}
    selected = scores.select(runs=[run for run in scores.runs if run in selection])
    return selected, best, [*notes, *_note_choice(best)]


def _get_means(scores: Scores) -> Floats:
    """Return the means of the only measure."""
    return np.array([value for of_run in scores.summary().values() for value in of_run.values()])


def _note_choice(best: Sequence[TeamBest]) -> Iterator[Note]:
    """Yield notes about the effect of the selection."""
    choices = [row for row in best if len(row.runs) > 1]
    if choices:
        largest = max(len(row.runs) for row in choices)
        text = (
            f"the best of up to {format_count(largest, 'run')} per team was selected by "
            f"{best[0].by} on the tested topics: its scores are optimistic, and p-values and "
            "intervals ignore the selection"
        )
        yield Note("best-of-team", text)
    for row in best:
        if row.tied:
            names = format_names([row.run, *row.tied], "run")
            text = f"{row.team}: {names} have the same {row.by}, the first given represents the team"
            yield Note("best-of-team", text)
