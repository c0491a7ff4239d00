"""Battles of arenas: FastChat, LMArena and Kaggle."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data.preference_pairs import read_preference_pairs
from tests.made import written

HEADER = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"


def test_read_kaggle_battles_winner_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", HEADER + "7,x,y,1,0,0\n8,x,y,0,1,0\n9,y,x,0,0,1\n")
    assert [pair[:4] for pair in read_preference_pairs(path).pairs] == [
        ("7", "x", "y", False),
        ("8", "y", "x", False),
        ("9", "y", "x", True),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("7,x,y,1,0,1", "x.csv:2: found 2 winners of a battle .*, expected one of winner_model_a"),
        ("7,x,y,0,0,0", "x.csv:2: found 0 winners of a battle"),
        ("7,x,y,,0,0", "x.csv:2: found winner_model_a '' .*, expected 0 or 1"),
        ("7,x,y,0.5,0.5,0", "x.csv:2: found winner_model_a '0.5'"),
        ("7,x,x,1,0,0", "x.csv:2: run 'x' compared with itself"),
    ],
)
def test_read_kaggle_battles_invalid_row_raises(row: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=problem):
        read_preference_pairs(written(tmp_path / "x.csv", HEADER + row + "\n"))


def test_read_battles_topic_is_the_id_if_there_is_no_question(tmp_path: Path) -> None:
    text = "id,question_id,model_a,model_b,winner\n1,q,x,y,model_a\n"
    assert read_preference_pairs(written(tmp_path / "x.csv", text)).pairs[0].topic == "q"
    text = "id,model_a,model_b,winner\n1,x,y,model_a\n"
    assert read_preference_pairs(written(tmp_path / "y.csv", text)).pairs[0].topic == "1"


@pytest.mark.parametrize("winner", ["null", '""'])
def test_read_battles_without_a_winner_raises(winner: str, tmp_path: Path) -> None:
    row = f'{{"question_id": 1, "model_a": "x", "model_b": "y", "winner": {winner}}}\n'
    with pytest.raises(cf.InputError, match=r"x.jsonl:1: invalid preference ''"):
        read_preference_pairs(written(tmp_path / "x.jsonl", row))
