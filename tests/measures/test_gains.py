"""Gains by topic: from files, in memory, up to the highest level of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.measures.gains import compute_gains
from tests.made import Command, Qrels

# -- gains by topic ---------------------------------------------------------------------------

TOPICS: Qrels = {
    "1": {"a": 1, "b": 0, "c": 1},
    "2": {"a": 3, "b": 1, "c": 2},
    "3": {"a": 0, "b": 0},
    "4": {"a": 2, "c": 2, "d": 1},
}
LISTS: dict[str, list[str]] = {
    "1": ["b", "a", "x", "c"],
    "2": ["c", "x", "a"],
    "3": ["a"],
    "4": ["d", "a", "b"],
}
GAINS = {"1": "1", "2": "1:2:4", "3": "1", "4": "1:3"}
GRADED = ["nDCG@3", "Q", "ERR", "RBP", "nERR", "Pplus", "gAP", "DCG", "AP", "ntcir:ERR"]


@pytest.mark.parametrize("order", ["1234", "4321", "3142"])
@pytest.mark.parametrize("block_cells", [1, 7, 1000])
def test_gains_by_topic_are_those_of_each_topic_alone(order: str, block_cells: int) -> None:
    qrels = {topic: TOPICS[topic] for topic in order}
    together = cf.evaluate(qrels, LISTS, GRADED, gains=GAINS, block_cells=block_cells)
    for t, topic in enumerate(order):
        alone = cf.evaluate({topic: TOPICS[topic]}, {topic: LISTS[topic]}, GRADED, gains=GAINS[topic])
        assert together.values[0, t].tolist() == alone.values[0, 0].tolist(), topic


def test_gains_up_to_the_highest_level_of_each_topic() -> None:
    """Seed 000, section 2.2: -g 1 for some topics and -g 1:2 for other topics."""
    own = {"1": "1", "2": "1:2:3", "3": "1", "4": "1:2"}
    ours = cf.evaluate(TOPICS, LISTS, GRADED, gains="topic")
    assert ours.values.tolist() == cf.evaluate(TOPICS, LISTS, GRADED, gains=own).values.tolist()
    said = "gains by topic: 1 in 2 topics, 1:2:3 in 1 topic, 1:2 in 1 topic"
    assert said in [note.text for note in ours.notes]


def test_the_highest_level_really_changes_by_topic() -> None:
    """One relevant item of level 1 on top, with h = 1 and with h = 2 (levels of Figure 1)."""
    qrels: Qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 2}}
    run = {"1": ["a"], "2": ["a"]}
    scores = cf.evaluate(qrels, run, ["ntcir:ERR", "ntcir:RBP"], gains="topic")
    # ERR: g/(g_h + 1) is 1/2 and 1/3. RBP: (1 − p)·g/g_h with p = 0.95.
    expected = [[1 / 2, 0.05], [1 / 3, 0.025]]
    np.testing.assert_allclose(scores.values[0], expected, rtol=1e-12)


def test_gains_by_topic_meet_classes() -> None:
    """Classes leave the levels of a topic as they are, and so its gains."""
    qrels: Qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}
    classes = cf.EquivalenceClasses({"1": {"a": "x", "b": "x"}})
    scores = cf.evaluate(qrels, {"1": ["a"], "2": ["a"]}, "nDCG", gains="topic", labelling=classes)
    assert scores.values[0, :, 0].tolist() == [1 / 2, 1]


@pytest.mark.parametrize(
    ("gains", "said"),
    [
        ({"1": "1"}, "no gains for topic 2. Set gains for all"),
        (GAINS | {"2": "1:2"}, "found level 3 in the judgments, expected levels ≤ 2"),
        (GAINS | {"4": "x"}, "invalid gain 'x'. Use linear, exp, binary, "),
        ({}, "invalid gain {}. Use linear"),
    ],
)
def test_what_is_wrong_with_gains_by_topic(gains: Any, said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=re.escape(said)):
        cf.evaluate(TOPICS, LISTS, "nDCG", gains=gains)


def test_gains_by_level_are_still_gains_by_level() -> None:
    one_table = cf.evaluate(TOPICS, LISTS, "nDCG", gains={1: 1, 2: 2, 3: 4})
    assert one_table.measures == ("nDCG(gain=1:2:4)",)
    by_topic = cf.evaluate(TOPICS, LISTS, "nDCG", gains={1: "1", 2: "1:2:4", 3: "1", 4: "1:3"})
    assert by_topic.values.tolist() == cf.evaluate(TOPICS, LISTS, "nDCG", gains=GAINS).values.tolist()


def test_gains_from_a_file(small: Path, cranfield: Command, capsys: Any) -> None:
    Path("gains").write_text("# topic gains\n1 1:3\n\n2 1\n")
    rows = cranfield.printed("evaluate trec run -m ntcir:ERR -q -f tsv --gains @gains").splitlines()
    # a of topic 1 is at rank 2, its gain is 3: 3/4/2. c of topic 2 is not found.
    assert [row.split("\t")[3] for row in rows[1:3]] == ["0.375", "0.0"]
    for content, said in (
        ("1 1:3\n1 1:2\n", "gains:2: found '1 1:2', expected a topic and its gains, each topic"),
        ("1 1 2\n", "gains:1: found '1 1 2', expected a topic and its gains"),
        ("1 1:3\n", "no gains for topic 2"),
    ):
        Path("gains").write_text(content)
        assert main(["evaluate", "trec", "run", "-m", "AP", "--gains", "@gains"]) == 2
        assert said in capsys.readouterr().err


def test_topic_gains_on_the_command_line(small: Path, cranfield: Command) -> None:
    rows = cranfield.printed("evaluate trec run -m ntcir:ERR -q -f tsv --gains topic").splitlines()
    # Topic 1 has h = 2: 2/3/2.
    assert float(rows[1].split("\t")[3]) == pytest.approx(1 / 3)


def test_levels_that_a_gain_is_not_for() -> None:
    """2^1023 is the last power of 2 that is a number; a table of two gains has levels 1 and 2."""
    assert compute_gains("exp", np.array([3.0])).tolist() == [7.0]
    assert compute_gains((1.0, 3.0), np.array([2.0, 0.0, -1.0])).tolist() == [3.0, 0.0, 0.0]
    for gain, level, expected in (
        ("exp", 2000.0, "levels ≤"),
        ((1.0, 3.0), 0.5, "integer levels"),
        ((1.0, 3.0), 3.0, "levels ≤ 2"),
    ):
        with pytest.raises(cf.CranfieldError, match=f"expected {expected}"):
            compute_gains(gain, np.array([level]))
