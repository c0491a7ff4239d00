"""Topic set size design: what is asked, and how much scores vary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield.errors import InputError
from cranfield.scores import Scores
from cranfield.stats.plan import plan
from tests.evidence import checks

PILOT = Scores(
    np.array([[[0.1], [0.3], [0.5]], [[0.3], [0.3], [0.9]]]),
    ("bm25", "dense"),
    tuple("123"),
    ("AP",),
    ("mean",),
)
"""V_E1 = (0.08 + 0.24) / 4 = 0.08; the differences, 0.2, 0 and 0.4, have variance 0.04 = 2 V_E2."""


@checks("cf.stats.plan", against="by hand")
@pytest.mark.parametrize(
    ("residual", "of_differences", "of_scores"),
    [(None, 0.04, 0.08), ("two-way", 0.04, 0.02), ("one-way", 0.16, 0.08)],
)
def test_variances_of_a_pilot(residual: Any, of_differences: float, of_scores: float) -> None:
    found = plan(PILOT, residual=residual, systems=3, widths=[0.1], differences=[0.1, 0.2])
    by_method = {design.method: design.variance for design in found.designs["AP"]}
    assert by_method == {
        "t": pytest.approx(of_differences),
        "anova": pytest.approx(of_scores),
        "interval": pytest.approx(of_differences),
    }
    assert found.pilots["AP"].one_way == pytest.approx(0.08)


def test_three_topics_tell_little_and_33_enough() -> None:
    """The relative error is √(2 / 2) = 100 %, and √(2 / 32) = 25 %."""
    [note] = plan(PILOT).notes
    assert note.text.startswith("3 topics give an imprecise variance: it could easily be 100% larger")
    values = np.random.default_rng(1).random((2, 33, 1))
    topics = tuple(str(t) for t in range(33))
    assert plan(Scores(values, tuple("ab"), topics, ("AP",), ("mean",))).notes == ()
    fewer = Scores(values[:, :32], tuple("ab"), topics[:32], ("AP",), ("mean",))
    assert [note.kind for note in plan(fewer).notes] == ["small-pilot"]


def test_more_than_two_runs_of_a_pilot_are_compared_by_anova() -> None:
    three = Scores(
        np.random.default_rng(1).random((3, 9, 1)),
        tuple("abc"),
        tuple("123456789"),
        ("AP",),
        ("mean",),
    )
    assert [d.systems for d in plan(three).designs["AP"] if d.method == "anova"] == [3] * 4
    assert {d.method for d in plan(PILOT).designs["AP"]} == {"t"}


@pytest.mark.parametrize(
    ("given", "variance"),
    [
        ({"variance": 0.02}, 0.04),
        ({"sd": 0.2}, 0.08),
        ({"variance": 0.02, "of": "differences"}, 0.02),
        ({"sd": 0.2, "of": "differences"}, 0.04),
    ],
)
def test_variance_of_differences_from_what_is_given(given: Any, variance: float) -> None:
    """Differences of two independent systems vary twice as much as scores."""
    designs = plan(**given).designs[""]
    assert [design.variance for design in designs] == pytest.approx([variance] * 4)
    anova = plan(**given, systems=2, methods=["anova"]).designs[""]
    assert [design.variance for design in anova] == pytest.approx([variance / 2] * 4)


def test_differences_that_are_asked_about_unless_others_are() -> None:
    designs = plan(sd=0.2).designs[""]
    assert [design.difference for design in designs] == [0.02, 0.05, 0.1, 0.2]


def test_a_pilot_is_as_small_as_its_measure_with_fewest_topics() -> None:
    """34 topics are enough, √(2 / 33) = 25 %; 9 of them are not: √(2 / 8) = 50 %."""
    values = np.random.default_rng(1).random((2, 34, 2))
    values[0, 9:, 1] = np.nan
    pilot = Scores(values, tuple("ab"), tuple(str(t) for t in range(34)), ("AP", "Q"), ("mean", "mean"))
    *_, note = plan(pilot).notes
    assert note.text.startswith("9 topics give an imprecise variance: it could easily be 50% larger")


def test_small_differences_have_halves_and_doubles_too() -> None:
    """Differences that are small beside 1 need not be small beside the deviation."""
    one = plan(sd=1e-9, differences=[4.5e-12]).designs[""]
    assert [design.difference for design in one] == [2.25e-12, 4.5e-12, 9e-12]


def test_one_difference_is_shown_with_its_half_and_its_double() -> None:
    one = plan(sd=0.2, differences=[0.1]).designs[""]
    assert [design.difference for design in one] == [0.05, 0.1, 0.2]
    twice = plan(sd=0.2, differences=[0.1, 0.3, 0.1]).designs[""]
    assert [design.difference for design in twice] == [0.1, 0.3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "found no variance, expected scores, variance or sd"),
        ({"variance": 0.1, "sd": 0.2}, "found variance and sd, expected scores, variance or sd"),
        ({"sd": 0}, "found sd 0, expected a number above 0"),
        ({"variance": float("inf")}, "found variance inf, expected a number above 0"),
        ({"sd": 0.2, "of": "topics"}, "found of='topics', expected "),
        ({"scores": PILOT, "residual": "three-way"}, "found residual='three-way', expected "),
        ({"sd": 0.2, "methods": ["z"]}, "found method='z', expected "),
        ({"sd": 0.2, "methods": ["anova"]}, "found method anova, expected systems with it"),
        ({"sd": 0.2, "methods": ["interval"]}, "found method interval, expected width with it"),
        ({"sd": 0.2, "methods": ["t"], "widths": [0.1]}, "widths without method interval"),
    ],
)
def test_what_cannot_be_planned(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**given)
