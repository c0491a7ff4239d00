"""Scores as tests see them: measures without errors, runs and topics enough."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cranfield as cf
from cranfield.scores import Note, Scores
from cranfield.stats.measure_scores import (
    drop_standard_errors,
    extract_measure,
    find_ranking_measures,
    find_undefined_topics,
    get_sign,
    split_by_measure,
)


def scored_by(values: list[list[list[float]]], measures: tuple[str, ...], notes: tuple[Note, ...] = ()) -> Scores:
    runs = tuple(f"r{i}" for i in range(len(values)))
    topics = tuple(map(str, range(len(values[0]))))
    summaries = tuple("se" if m.endswith(".se") else "mean" for m in measures)
    return Scores(np.array(values), runs, topics, measures, summaries, notes=notes)


# What tests see


def test_standard_errors_are_no_measures() -> None:
    scores = scored_by([[[0.5, 0.1], [0.4, 0.1]], [[0.3, 0.1], [0.2, 0.1]]], ("ERR", "ERR.se"))
    assert drop_standard_errors(scores).measures == ("ERR",)
    assert find_ranking_measures(scores) == (["ERR"], ())
    assert list(split_by_measure(scores)[0]) == ["ERR"]


def test_one_run_and_one_topic_cannot_be_compared() -> None:
    with pytest.raises(cf.CranfieldError, match="found 1 run, expected at least 2"):
        split_by_measure(scored_by([[[0.5], [0.4]]], ("AP",)))
    with pytest.raises(cf.CranfieldError, match="found 1 topic, expected at least 2"):
        split_by_measure(scored_by([[[0.5]], [[0.4]]], ("AP",)))


def test_a_measure_defined_for_one_topic_is_left_out() -> None:
    nan = math.nan
    scores = scored_by([[[0.5, 0.5], [0.4, nan]], [[0.3, 0.3], [0.2, 0.1]]], ("AP", "RR"))
    found, notes = split_by_measure(scores)
    assert list(found) == ["AP"]
    assert notes[-1].text == "RR excluded: defined for only 1 topic"


def test_notes_of_the_scores_come_first() -> None:
    note = Note("ties", "ties matter")
    scores = scored_by([[[0.5], [0.4]], [[0.3], [0.2]]], ("AP",), notes=(note,))
    assert split_by_measure(scores)[1] == (note,)


def test_a_geometric_mean_is_compared_by_logarithms() -> None:
    """0 is taken as 0.00001, the floor of the geometric mean."""
    scores = Scores(
        np.array([[[1.0], [0.0]], [[math.e], [1.0]]]),
        tuple("ab"),
        tuple("12"),
        ("GMAP",),
        ("gmean",),
    )
    found = extract_measure(scores, "GMAP")
    assert found.values == pytest.approx(np.array([[0.0, 1.0], [math.log(1e-5), 0.0]]))
    assert [note.kind for note in found.notes] == ["logarithms"]


def test_direction_of_a_measure() -> None:
    scores = Scores(
        np.zeros((1, 1, 2)),
        tuple("a"),
        tuple("1"),
        ("AP", "RNOD"),
        ("mean",) * 2,
        better=("higher", "lower"),
    )
    assert [get_sign(scores, name) for name in ("AP", "RNOD")] == [1.0, -1.0]
    with pytest.raises(cf.CranfieldError, match="found scores without RR, expected one of AP, RNOD"):
        get_sign(scores, "RR")


def test_scores_that_rank_nothing() -> None:
    with pytest.raises(cf.CranfieldError, match=r"only standard errors \(ERR.se\)"):
        drop_standard_errors(scored_by([[[0.1]]], ("ERR.se",)))
    counts = Scores(np.zeros((2, 2, 1)), tuple("ab"), tuple("12"), ("NumRet",), ("sum",), better=("neither",))
    with pytest.raises(cf.CranfieldError, match=r"cannot rank runs \(NumRet excluded"):
        split_by_measure(counts)


def test_topics_unknown_to_any_of_several_sets_or_of_one() -> None:
    """What is said of the measure itself is said once."""
    first, second = (
        Scores(np.array([values]), ("r",), ("1", "2", "3"), ("GMAP",), ("gmean",))
        for values in ([[0.5], [math.nan], [0.2]], [[math.nan], [0.5], [0.2]])
    )
    unknown, notes = find_undefined_topics([first, second], "GMAP")
    assert (unknown, [note.kind for note in notes]) == ({"1", "2"}, ["logarithms"])
    unknown, notes = find_undefined_topics([first], "GMAP")
    assert (unknown, [note.kind for note in notes]) == ({"2"}, ["logarithms"])
