"""Teams: whose the runs are, and which run of a team is its best."""

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
    """The best of the `runs` of a team by one measure; `tied` are others with the same score."""

    team: str
    run: str
    runs: tuple[str, ...]
    by: str
    tied: tuple[str, ...] = ()


def note_teams(
    runs: Sequence[str], team_of: Mapping[str, str], action: str = "pooled"
) -> Iterator[Note]:
    """What is odd about the teams; an error if they are those of other runs."""
    if not set(runs) & team_of.keys():
        expected = f"those of {format_names(list(runs), 'run')}"
        raise InputError(f"teams of {format_names(list(team_of), 'run')}", expected)
    if without_team := [run for run in runs if run not in team_of]:
        if ambiguous := [run for run in without_team if run in team_of.values()]:
            problem = f"a team named as the run {ambiguous[0]}, which has no team"
            raise InputError(problem, "the team of every run")
        text = f"no team is given for {format_names(without_team, 'run')}: each such run is a team of its own"
        yield Note("teams", text)
    if extra := [run for run in team_of if run not in runs]:
        yield Note("teams", f"teams are given for {format_names(extra, 'run')} not {action}")


def select_best_runs(
    scores: Scores, teams: TeamsLike, by: Any = None, extra_runs: Collection[str] = ()
) -> tuple[Scores, tuple[TeamBest, ...], list[Note]]:
    """The scores of the best run of each team by a measure (the first), and of runs to be `extra_runs`;
    how they were chosen; and what to know of that.

    Of runs with the same score the one that is given first is taken.

    >>> scores = Scores([[[0.3]], [[0.5]], [[0.4]]], "abc", ["1"], ["AP"], ["mean"])
    >>> chosen, best, _ = best_of_teams(scores, {"a": "Delft", "b": "Delft", "c": "Turin"})
    >>> chosen.runs, [(one.team, one.run) for one in best]
    (('b', 'c'), [('Delft', 'b'), ('Turin', 'c')])
    """
    team_of = read_teams(teams)
    notes = [*note_teams(scores.runs, team_of, "compared")]
    measure = scores.measures[0] if by is None else str(by)
    ordered = scores.sorted_by(measure).select(measures=[measure])
    (measure,), (better,) = ordered.measures, ordered.better
    if better == "neither":
        raise InputError(f"the best run by {measure}", "a measure of which one end is better")
    values = _get_means(ordered)
    means = unify_rounded(values, estimate_rounding(values))
    place = {run: float(mean) for run, mean in zip(ordered.runs, means, strict=True)}
    members: dict[str, list[str]] = {}
    for run in ordered.runs:  # the best first
        members.setdefault(team_of.get(run, run), []).append(run)
    if len(members) < 2:
        raise InputError(f"runs of one team, {next(iter(members))}", "at least two teams")
    best = tuple(
        TeamBest(team, runs[0], tuple(runs), measure,
                 tuple(run for run in runs[1:] if place[run] == place[runs[0]]))
        for team, runs in members.items()
    )  # fmt: skip
    selection = {row.run for row in best} | {*extra_runs}
    selected = scores.select(runs=[run for run in scores.runs if run in selection])
    return selected, best, [*notes, *_note_choice(best)]


def _get_means(scores: Scores) -> Floats:
    """Of the one measure there is."""
    return np.array([value for of_run in scores.summary().values() for value in of_run.values()])


def _note_choice(best: Sequence[TeamBest]) -> Iterator[Note]:
    """What the choice means for what is said of those chosen."""
    choices = [row for row in best if len(row.runs) > 1]
    if choices:
        largest = max(len(row.runs) for row in choices)
        text = (
            f"of up to {format_count(largest, 'run')} of a team the best by {best[0].by} was chosen on the "
            "topics that it is tested on: its scores are optimistic, and p-values and intervals do "
            "not know of the choice"
        )
        yield Note("best-of-team", text)
    for row in best:
        if row.tied:
            names = format_names([row.run, *row.tied], "run")
            text = (
                f"{row.team}: {names} have the same {row.by}; the first given stands for the team"
            )
            yield Note("best-of-team", text)
