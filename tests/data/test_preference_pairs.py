"""Winners that name a run, a side or a tie."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.errors import InputError

HEADER = "topic,run_a,run_b,winner"


def csv(path: Path, *rows: str, header: str = HEADER) -> str:
    file = path / "battles.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        (["1,a,b,a", "2,b,a,a"], 3, "'a' is ambiguous: the run 'a' or side a"),
        (["1,x,model_a,model_a"], 2, "'model_a' is ambiguous: the run 'model_a' or side a"),
        (["1,tie,x,tie", "2,tie,x,x"], 2, "'tie' is ambiguous: the run 'tie' or a tie"),
        (["1,x,none,none"], 2, "'none' is ambiguous: the run 'none' or a tie"),
        (["1,b,a,a", "2,x,a,x", "3,x,a,model_b"], 2, "'a' is ambiguous: the run 'a' or side a"),
    ],
)
def test_read_preference_pairs_winner_with_two_meanings_raises(
    tmp_path: Path, rows: list[str], line: int, problem: str
) -> None:
    with pytest.raises(InputError, match=f"battles.csv:{line}: {problem}. Rename the run"):
        read_preference_pairs(csv(tmp_path, *rows))
    text = tmp_path / "battles.txt"
    text.write_text("".join(row.replace(",", " ") + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=f"battles.txt:{line - 1}: {problem}"):
        read_preference_pairs(text)
    with pytest.raises(InputError, match=problem):
        read_preference_pairs([tuple(row.split(",")) for row in rows])


def test_read_preference_pairs_other_winners_are_names_reads_names(tmp_path: Path) -> None:
    made = read_preference_pairs(csv(tmp_path, "1,a,b,a", "2,b,a,a", "3,a,c,c"))
    assert [pair[:4] for pair in made.pairs] == [
        ("1", "a", "b", False),
        ("2", "a", "b", False),
        ("3", "c", "a", False),
    ]
    assert made.notes == ("winner 'a' read as the run in 1 line: other lines name runs",)


def test_read_preference_pairs_other_winners_are_sides_reads_sides(tmp_path: Path) -> None:
    made = read_preference_pairs(csv(tmp_path, "1,b,a,a", "2,x,y,b", "3,tie,x,tie"))
    assert [pair[:4] for pair in made.pairs] == [
        ("1", "b", "a", False),
        ("2", "y", "x", False),
        ("3", "tie", "x", True),
    ]
    assert made.notes == (
        "winner 'a' read as side a in 1 line: other lines use a and b",
        "winner 'tie' read as a tie in 1 line: other lines use a and b",
    )


def test_read_preference_pairs_name_and_side_agree_is_silent(tmp_path: Path) -> None:
    made = read_preference_pairs(csv(tmp_path, "1,a,b,a", "2,a,b,b", "3,a,b,tie"))
    assert [pair.preferred for pair in made.pairs] == ["a", "b", "a"]
    assert not made.notes


def test_read_preference_pairs_shown_first_with_two_meanings_raises(tmp_path: Path) -> None:
    header = f"{HEADER},first"
    with pytest.raises(InputError, match=":2: 'a' is ambiguous"):
        read_preference_pairs(csv(tmp_path, "1,b,a,model_a,a", header=header))
    made = read_preference_pairs(csv(tmp_path, "1,b,a,model_a,a", "2,x,y,b,b", header=header))
    assert [pair.first for pair in made.pairs] == ["b", "y"]


@pytest.mark.parametrize("tie", ["tie (bothbad)", "both_bad"])
def test_read_preference_pairs_both_bad_is_a_reported_tie(tmp_path: Path, tie: str) -> None:
    made = read_preference_pairs(csv(tmp_path, f"1,x,y,{tie}", "2,x,y,winner_model_b"))
    assert [(pair.preferred, pair.tied) for pair in made.pairs] == [("x", True), ("y", False)]
    assert made.notes == ("1 preference for neither (both bad), counted as a tie",)
