"""The best run of each team: which it is, and what is said of the choice."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.assess.teams import select_best_runs
from cranfield.scores import Scores

TEAMS = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c1": "C"}
VALUES = np.array([[[0.3, 9]], [[0.5, 8]], [[0.4, 3]], [[0.1 + 0.3, 2]], [[0.2, 1]]])


def scores(better: str = "higher") -> Scores:
    names = ("AP", "RNOD")
    return Scores(VALUES, (*TEAMS,), ("1",), names, ("mean", "mean"), better=(better, "lower"))


def test_the_best_by_the_first_measure_or_by_another() -> None:
    chosen, best, _ = select_best_runs(scores(), TEAMS)
    assert chosen.runs == ("a2", "b1", "c1")
    assert [(x.team, x.run, len(x.runs)) for x in best] == [("A", "a2", 2), ("B", "b1", 2),
                                                            ("C", "c1", 1)]  # fmt: skip
    assert select_best_runs(scores(), TEAMS, "RNOD")[0].runs == ("a2", "b2", "c1")
    assert select_best_runs(scores("lower"), TEAMS)[0].runs == ("a1", "b1", "c1")


def test_what_is_kept_stays() -> None:
    assert select_best_runs(scores(), TEAMS, extra_runs=["a1"])[0].runs == ("a1", "a2", "b1", "c1")


def test_rounding_decides_nothing() -> None:
    """0.1 + 0.3 is no better than 0.4: the first given is selected, with a note."""
    _, best, notes = select_best_runs(scores(), TEAMS)
    assert best[1].tied == ("b2",)
    assert [note.text for note in notes] == [
        "the best of up to 2 runs per team was selected by AP on the tested topics: its scores are "
        "optimistic, and p-values and intervals ignore the selection",
        "B: 2 runs (b1, b2) have the same AP, the first given represents the team",
    ]


def test_where_no_team_could_choose_nothing_is_said() -> None:
    one = {run: run.upper() for run in TEAMS}
    assert select_best_runs(scores(), one)[2] == []


def test_a_run_without_a_team_is_one() -> None:
    few = {run: team for run, team in TEAMS.items() if run != "c1"}
    chosen, best, notes = select_best_runs(scores(), few | {"d": "D"})
    assert chosen.runs == ("a2", "b1", "c1")
    assert best[2].team == "c1"
    assert [note.text for note in notes][:2] == [
        "1 run (c1) without a team: each of them is a separate team",
        "teams given for 1 run (d) not compared, ignored",
    ]


@pytest.mark.parametrize(
    ("teams", "by", "better", "said"),
    [
        (dict.fromkeys(TEAMS, "A"), None, "higher", "all runs are of one team, A. At least two"),
        (TEAMS, "AP", "neither", "AP cannot select the best run"),
        (TEAMS, "nDCG", "higher", "cannot sort: no measure"),
        ({"x": "X"}, None, "higher", "teams of 1 run"),
    ],
)
def test_what_is_refused(teams: dict[str, str], by: str | None, better: str, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        select_best_runs(scores(better), teams, by)
