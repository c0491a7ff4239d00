"""`cranfield topics` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.made import Command, rows_of, written

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 1\n"
X = "1 Q0 a 1 2 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n"
Y = "1 Q0 b 1 2 y\n2 Q0 a 1 2 y\n3 Q0 z 1 2 y\n3 Q0 a 2 1 y\n"


@pytest.fixture
def topics(cranfield: Command) -> Command:
    return cranfield.of("topics")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    named = {"qrels": QRELS, "x.run": X, "y.run": Y}
    return [written(tmp_path / name, text) for name, text in named.items()]


def test_two_runs(topics: Command, files: list[str]) -> None:
    """RR: 1 and 0, 1/2 and 1, 0 and 1/2."""
    done = topics.succeeds(*files, "-m", "RR")
    head, _, *rows = done.out.splitlines()
    assert head.split() == ["topic", "relevant", "mean", "x", "why", "y", "why"]
    assert rows[:3] == [
        "3             1  0.2500  0.0000  not answered  0.5000  –",
        "1             1  0.5000  1.0000  –             0.0000  none found",
        "2             1  0.7500  0.5000  ranked low    1.0000  –",
    ]
    assert "The 3 most decisive of 3 topics" in done.out
    assert "The means are equal." in done.out
    assert "x: 1 topic (3) missing, scored as empty" in done.err


def test_tables_and_formats(topics: Command, files: list[str]) -> None:
    rows = rows_of(topics.printed(*files, "-m", "RR", "-f", "csv"))
    assert [(row["topic"], row["run"], row["bucket"]) for row in rows] == [
        ("1", "x", ""),
        ("1", "y", "none found"),
        ("2", "x", "ranked low"),
        ("2", "y", ""),
        ("3", "x", "not answered"),
        ("3", "y", ""),
    ]
    hardest = rows_of(topics.printed(*files, "-m", "RR", "--table", "hardest", "-f", "csv", "--top", "1"))
    assert [(row["topic"], row["best_run"]) for row in hardest] == [("3", "y")]
    whole = json.loads(topics.printed(*files, "-m", "RR", "-f", "json"))
    assert [*whole][:5] == ["hardest", "divisive", "deciding", "tally", "results"]
    assert whole["settings"]["decided_by"] == 0
    assert whole["tally"][0]["not answered"] == 1


def test_one_run_and_options(topics: Command, files: list[str]) -> None:
    """At depth 1 of topic 2 nothing relevant is left; nobody judged z."""
    rows = rows_of(topics.printed(*files[:2], "-m", "RR", "--depth", "1", "-f", "csv"))
    assert [row["bucket"] for row in rows] == ["", "none found", "not answered"]
    (row,) = rows_of(topics.printed(files[0], files[2], "-m", "RR", "--topics", "3", "-f", "csv"))
    assert (row["bucket"], row["unjudged_low"], row["unjudged_high"]) == ("unjudged", "0.5", "1.0")


def test_to_a_file(topics: Command, files: list[str], tmp_path: Path) -> None:
    assert topics.printed(*files, "-m", "RR", "-o", tmp_path / "hard.md") == ""
    assert (tmp_path / "hard.md").read_text(encoding="utf-8").startswith("| topic | relevant |")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["-m", "AP", "-m", "RR"], "found 2 measures (AP, RR), expected one"),
        (["-m", "NumRel"], "NumRel: neither higher nor lower scores are better"),
        (["--table", "divisive", "-f", "csv", "--table", "tally"], "found 2 tables, expected one"),
        (["--topics", "9"], "topic '9' is not in the judgments: 3 topics"),
        (["--top", "none"], "argument --top: found 'none', expected an integer ≥ 1"),
        (["--ties", "expected"], "argument --ties: found 'expected', expected one of trec"),
    ],
)
def test_what_is_refused(topics: Command, files: list[str], asked: list[str], message: str) -> None:
    assert message in topics.refused(*files, *asked)


def test_the_table_of_two_runs_needs_two(topics: Command, files: list[str]) -> None:
    line = topics.refused(*files[:2], "--table", "deciding")
    assert line == ("found table deciding, expected a table of this result: hardest, tally, results")


def test_topics_slices_equal_means_of_their_topics(topics: Command, files: list[str], tmp_path: Path) -> None:
    """RR by run: x has 1, 1/2, 0 and y has 0, 1, 1/2 on the topics 1, 2, 3."""
    table = written(tmp_path / "topics.csv", "topic,kind\n1,fact\n3,fact\n2,how\n")
    rows = rows_of(topics.printed(*files, "-m", "RR", "--by", f"{table}:kind", "--table", "slices", "-f", "csv"))
    values = {(row["slice"], row["run"]): (float(row["mean"]), row["topics"], row["low"]) for row in rows}
    assert values == {
        ("fact", "x"): (0.5, "2", ""),
        ("fact", "y"): (0.25, "2", ""),
        ("how", "x"): (0.5, "1", ""),
        ("how", "y"): (1.0, "1", ""),
    }
    done = topics.succeeds(*files, "-m", "RR", "--by", f"{table}:kind")
    assert done.out.splitlines()[0].split()[:3] == ["topic", "kind", "relevant"]
    assert "slices" in json.loads(topics.printed(*files, "--by", f"{table}:kind", "-f", "json"))
    assert "slices" not in json.loads(topics.printed(*files, "-f", "json"))


def test_topics_table_slices_without_by_is_rejected(topics: Command, files: list[str]) -> None:
    assert "--table slices requires --by FILE:COLUMN" in topics.refused(*files, "--table", "slices")
