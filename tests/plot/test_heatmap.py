"""Scores as cells."""

from __future__ import annotations

import numpy as np

import cranfield as cf
from tests.made import scored
from tests.plot.made import axis_of, panels_of, rows_of, said_by


def test_cells_are_the_scores_the_best_run_and_the_easiest_topic_first() -> None:
    scores = scored([[0.1, 0.9, 0.3], [0.2, 0.8, 0.7]], ("a", "b"))
    (panel,) = panels_of(cf.plot.heatmap(scores))
    found = {(row["run"], row["topic"]): row["score"] for row in rows_of(panel)}
    assert found == {(r, t): scores[r, t, "AP"] for r in scores.runs for t in scores.topics}
    assert axis_of(panel, "x")["scale"]["domain"] == ["q1", "q2", "q0"]
    assert panel["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["b", "a"]


def test_where_lower_is_better_the_lowest_is_first() -> None:
    scores = scored([[0.1, 0.9], [0.2, 0.3]], ("a", "b"), "RNOD", better=("lower",))
    picture = cf.plot.heatmap(scores)
    assert picture.data.select("run", "topic").row(0) == ("b", "q0")


def test_heatmap_undefined_cells_are_white_with_caption() -> None:
    scores = scored([[0.1, np.nan], [0.2, 0.3]], ("a", "b"), undefined="skip")
    picture = cf.plot.heatmap(scores)
    assert len(rows_of(panels_of(picture)[0])) == 3
    assert said_by(picture) == "White: undefined."


def test_heatmap_runs_without_space_have_note() -> None:
    """The worst, in the order that is drawn."""
    scores = scored([[0.1, 0.2], [0.8, 0.9], [0.5, 0.6]], ("a", "b", "c"))
    picture = cf.plot.heatmap(scores, height=25)
    assert {row["run"] for row in rows_of(panels_of(picture)[0])} == {"b", "c"}
    assert picture.notes[-1].text.startswith("1 run (a) without space")
