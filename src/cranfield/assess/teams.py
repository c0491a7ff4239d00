"""Teams: whose the runs are, and which run of a team is its best."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats, rounding_of, settled
from cranfield.data.tracks import TeamsLike, read_teams
from cranfield.dataclass import dataclass
from cranfield.errors import InputError
from cranfield.scores import Notice, Scores
from cranfield.wording import counted, some


@dataclass(frozen=True)
class TeamBest:
    """The best of the `runs` of a team by one measure; `tied` are others with the same score."""

    team: str
    run: str
    runs: tuple[str, ...]
    by: str
    tied: tuple[str, ...] = ()


def about_teams(
    runs: Sequence[str], team_of: Mapping[str, str], what: str = "pooled"
) -> Iterator[Notice]:
    """What is odd about the teams; an error if they are those of other runs."""
    if not set(runs) & team_of.keys():
        expected = f"those of {some(list(runs), 'run')}"
        raise InputError(f"teams of {some(list(team_of), 'run')}", expected)
    if alone := [run for run in runs if run not in team_of]:
        if named := [run for run in alone if run in team_of.values()]:
            found = f"a team named as the run {named[0]}, which has no team"
            raise InputError(found, "the team of every run")
        text = f"no team is given for {some(alone, 'run')}: each such run is a team of its own"
        yield Notice("teams", text)
    if others := [run for run in team_of if run not in runs]:
        yield Notice("teams", f"teams are given for {some(others, 'run')} not {what}")


def best_of_teams(
    scores: Scores, teams: TeamsLike, by: Any = None, kept: Collection[str] = ()
) -> tuple[Scores, tuple[TeamBest, ...], list[Notice]]:
    """The scores of the best run of each team by a measure (the first), and of runs to be `kept`;
    how they were chosen; and what to know of that.

    Of runs with the same score the one that is given first is taken.

    >>> scores = Scores([[[0.3]], [[0.5]], [[0.4]]], "abc", ["1"], ["AP"], ["mean"])
    >>> chosen, best, _ = best_of_teams(scores, {"a": "Delft", "b": "Delft", "c": "Turin"})
    >>> chosen.runs, [(one.team, one.run) for one in best]
    (('b', 'c'), [('Delft', 'b'), ('Turin', 'c')])
    """
    team_of = read_teams(teams)
    notices = [*about_teams(scores.runs, team_of, "compared")]
    measure = scores.measures[0] if by is None else str(by)
    ordered = scores.sorted_by(measure).select(measures=[measure])
    (measure,), (better,) = ordered.measures, ordered.better
    if better == "neither":
        raise InputError(f"the best run by {measure}", "a measure of which one end is better")
    values = _means(ordered)
    means = settled(values, rounding_of(values))
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
    named = {one.run for one in best} | {*kept}
    chosen = scores.select(runs=[run for run in scores.runs if run in named])
    return chosen, best, [*notices, *_about_choice(best)]


def _means(scores: Scores) -> Floats:
    """Of the one measure there is."""
    return np.array([value for of_run in scores.summary().values() for value in of_run.values()])


def _about_choice(best: Sequence[TeamBest]) -> Iterator[Notice]:
    """What the choice means for what is said of those chosen."""
    several = [one for one in best if len(one.runs) > 1]
    if several:
        most = max(len(one.runs) for one in several)
        text = (
            f"of up to {counted(most, 'run')} of a team the best by {best[0].by} was chosen on the "
            "topics that it is tested on: its scores are optimistic, and p-values and intervals do "
            "not know of the choice"
        )
        yield Notice("best-of-team", text)
    for one in best:
        if one.tied:
            same = some([one.run, *one.tied], "run")
            text = f"{one.team}: {same} have the same {one.by}; the first given stands for the team"
            yield Notice("best-of-team", text)
