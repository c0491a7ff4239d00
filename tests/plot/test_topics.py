"""Scores and differences topic by topic."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.figures.theme import Theme
from tests.made import scored
from tests.plot.made import axis_of, marks_of, panels_of, rows_of

VALUES = [[0.5, 0.25, 0.75, 0.1], [0.25, 0.5, 0.75, 0.4], [0.0, 1.0, 0.5, 0.1]]
SCORES = scored(VALUES, ("a", "b", "c"))
TWO = SCORES.select(runs=["a", "b"])


def test_two_runs_are_compared_the_largest_difference_first() -> None:
    picture = cf.plot.topics(TWO)
    (panel,) = panels_of(picture)
    found = [(row["topic"], row["difference"], row["better"]) for row in rows_of(panel)]
    assert found == [("q0", 0.25, "a"), ("q2", 0, ""), ("q1", -0.25, "b"),
                     ("q3", pytest.approx(-0.3), "b")]  # fmt: skip
    assert axis_of(panel, "x")["scale"]["domain"] == ["q0", "q2", "q1", "q3"]
    assert axis_of(panel, "y")["title"] == "difference in AP"
    assert panel["title"] == {"text": "a − b", "subtitle": "better on 1, worse on 2, equal on 1"}


def test_where_lower_is_better_the_lower_wins() -> None:
    scores = scored(VALUES[:2], ("a", "b"), "RNOD", better=("lower",))
    (panel,) = panels_of(cf.plot.topics(scores))
    assert [row["better"] for row in rows_of(panel)] == ["b", "", "a", "a"]
    assert panel["title"]["subtitle"] == "better on 2, worse on 1, equal on 1"


def test_topics_measure_without_direction_has_no_winner() -> None:
    scores = scored(VALUES[:2], ("a", "b"), "NumRet", better=("neither",))
    (panel,) = panels_of(cf.plot.topics(scores))
    assert {row["better"] for row in rows_of(panel)} == {""}
    assert panel["title"]["subtitle"] == "higher on 1, lower on 2, equal on 1"


def test_the_median_is_that_of_all_runs_with_the_best_and_the_worst() -> None:
    """Of 0.25, 0.5 and 1 on q1: a is 0.25 below, the worst as well, and the best 0.5 above."""
    picture = cf.plot.topics(SCORES, against="median", show="a")
    (panel,) = panels_of(picture)
    of = {row["topic"]: row for row in rows_of(panel)}
    names = ("score", "other", "difference", "best", "worst", "to_best", "to_worst")
    assert [of["q1"][name] for name in names] == [0.25, 0.5, -0.25, 1.0, 0.25, 0.5, -0.25]
    median = np.median(np.array(VALUES), axis=0)
    assert [of[f"q{t}"]["other"] for t in range(4)] == median.tolist()
    assert {"bar", "rule", "tick"} <= set(marks_of(panel))
    assert len(panels_of(cf.plot.topics(SCORES, against="median"))) == 3


def test_a_colour_is_that_of_the_run_in_every_panel_and_figure() -> None:
    """Panels share one scale, in which every run has the colour that it has elsewhere."""
    own = {name: style.colour for name, style in Theme().assign_styles(SCORES.runs).items()}
    for panel in panels_of(cf.plot.topics(SCORES, against="median", show=["c", "a"])):
        [bars] = [layer for layer in panel["layer"] if layer["mark"]["type"] == "bar"]
        scale = bars["encoding"]["color"]["scale"]
        colours = dict(zip(scale["domain"], scale["range"], strict=True))
        assert colours == own | {"median": "#b3b3b3"}
    (panel,) = panels_of(cf.plot.runs(SCORES))
    points = [layer for layer in panel["layer"] if layer["mark"]["type"] == "point"]
    scale = points[0]["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == own


def test_each_run_against_one_of_them() -> None:
    panels = panels_of(cf.plot.topics(SCORES, against="b"))
    assert [panel["title"]["text"] for panel in panels] == ["a − b", "c − b"]


def test_every_run_on_every_topic_the_easiest_first() -> None:
    """Means are 0.25, 0.5833, 0.6667 and 0.2."""
    picture = cf.plot.topics(SCORES)
    (panel,) = panels_of(picture)
    assert axis_of(panel, "x")["scale"]["domain"] == ["q2", "q1", "q0", "q3"]
    found = {(row["run"], row["topic"]): row["score"] for row in rows_of(panel)}
    assert found == {(r, t): SCORES[r, t, "AP"] for r in SCORES.runs for t in SCORES.topics}
    one = cf.plot.topics(SCORES.select(runs="a"))
    assert marks_of(panels_of(one)[0]) == ["bar"]


def test_topics_undefined_topics_have_note() -> None:
    values = [[0.1, np.nan, 0.3], [0.2, np.nan, 0.1]]
    picture = cf.plot.topics(scored(values, ("a", "b")))
    assert [n.text for n in picture.notes] == ["1 topic (q1) without a difference of AP: not shown"]
    assert len(rows_of(panels_of(picture)[0])) == 2


def test_topics_many_runs_without_space_have_note() -> None:
    scores = scored(np.random.default_rng(1).random((20, 3)), tuple(f"r{k}" for k in range(20)))
    picture = cf.plot.topics(scores, against="median")
    assert len(panels_of(picture)) == 12
    assert picture.notes[-1].text.startswith("8 runs (r12, r13, r14, r15, r16, …) without space in the figure")
    assert picture.data["run"].n_unique() == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "d"}, r"unknown run 'd'\. Use median or one of 3 runs \(a, b, c\)"),
        ({"show": "d"}, r"unknown run 'd'\. Use one of 3 runs"),
        ({"show": "a", "against": "a"}, "no run to compare with a"),
    ],
)
def test_topics_invalid_arguments_raise(options: dict[str, str], message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        cf.plot.topics(SCORES, **options)  # type: ignore[arg-type]
