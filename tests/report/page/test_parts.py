"""Scores of lists and of answers, side by side."""

from __future__ import annotations

import math

import pytest

import cranfield as cf
from cranfield.report.page.parts import ScoreParts

LISTS = cf.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"x": {"q1": ["a"]}, "y": {"q2": ["b"]}}, "RR")


def answers(*runs: str, topics: tuple[str, ...] = ("q2", "q3")) -> cf.Scores:
    judged = {"n": ("vital", "support")}
    return cf.evaluate_answers({run: dict.fromkeys(topics, judged) for run in runs}, "NuggetV")


def test_joined_is_nan_for_missing_runs_and_topics() -> None:
    joined = ScoreParts([LISTS, answers("y", "z")], 0.95).joined
    assert joined.runs == ("x", "y", "z")
    assert joined.topics == ("q1", "q2", "q3")
    assert joined.measures == ("RR", "NuggetV")
    assert joined["x", "q1", "RR"] == 1
    assert joined["y", "q3", "NuggetV"] == 1
    for unknown in (("x", "q2", "NuggetV"), ("y", "q1", "NuggetV"), ("z", "q2", "RR")):
        assert math.isnan(joined[unknown])


def test_means_are_computed_per_part() -> None:
    parts = ScoreParts([LISTS, answers("y")], 0.95)
    assert [parts.get_mean(0, run) for run in ("x", "y")] == [0.5, 0.5]
    assert parts.get_mean(1, "y") == 1
    assert math.isnan(parts.get_mean(1, "x"))
    assert parts.get_interval(0, "x") == LISTS.interval("t", confidence=0.95)["x"]["RR"]
    assert parts.get_interval(1, "x") is None
    assert parts.topics_text == "2 topics by RR; 2 topics by NuggetV"
    assert ScoreParts([LISTS, answers("x", topics=("q1", "q2"))], 0.95).topics_text == "2 topics"
    assert ScoreParts([LISTS], 0.95).joined is not None


@pytest.mark.parametrize(
    ("runs", "topics", "said"),
    [
        (("x", "y"), ("q1",), []),
        (("x",), ("q1",), ["1 run (y) without answers"]),
        (("x", "y", "z"), ("q1",), ["1 run (z) without rankings"]),
        (("u", "v"), ("q1",), ["no run has both rankings and answers (runs x, y, answers u, v)"]),
        (
            ("x", "y"),
            ("1",),
            ["no topic has both rankings and answers (topics of rankings q1, q2, of"],
        ),
    ],
)
def test_note_unmatched_names_runs_and_topics(runs: tuple[str, ...], topics: tuple[str, ...], said: list[str]) -> None:
    texts = [one.text for one in ScoreParts([LISTS, answers(*runs, topics=topics)], 0.95).note_unmatched()]
    assert len(texts) == len(said)
    assert all(text.startswith(start) for text, start in zip(texts, said, strict=True))
