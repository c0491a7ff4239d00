"""The figure of what is judged: its numbers are counts of judged documents, and Judged@k."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

import cranfield as cf
from tests.made import Command
from tests.made import rows_of as table_of
from tests.plot.made import axis_of, panels_of, rows_of, said_by

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}
RUNS = {
    "one": {"q1": ["a", "x", "b"], "q2": ["y", "d"]},
    "two": {"q1": ["x", "b"], "q2": ["d"]},
}


def test_by_rank() -> None:
    """At rank 1 a is judged and y is not, then x is not and d is, then there is b alone."""
    picture = cf.plot.unjudged(QRELS, RUNS)
    (panel,) = panels_of(picture)
    found = {(row["line"], row["at"]): row["value"] for row in rows_of(panel)}
    assert found == {
        ("one", 1): 0.5, ("one", 2): 0.5, ("one", 3): 1.0,
        ("two", 1): 0.5, ("two", 2): 1.0, ("two", 3): None,
    }  # fmt: skip
    assert [axis_of(panel, side)["title"] for side in "xy"] == ["rank", "fraction judged"]
    assert axis_of(panel, "y")["scale"]["domain"] == [0, 1]
    assert "Documents of 2 topics. Rankings that end above a rank do not count" in said_by(picture)
    assert picture.data.columns == [
        "run", "first", "last", "documents", "judged", "relevant", "judged_to",
    ]  # fmt: skip


def test_cumulative_is_the_measure() -> None:
    picture = cf.plot.unjudged(QRELS, RUNS, cumulative=True)
    means = cf.evaluate(QRELS, RUNS, "Judged@1 Judged@2 Judged@3").summary()
    (panel,) = panels_of(picture)
    for row in rows_of(panel):
        assert row["value"] == means[row["line"]][f"Judged@{row['at']}"]
    assert len(rows_of(panel)) == 6
    assert [axis_of(panel, side)["title"] for side in "xy"] == ["cutoff k", "Judged@k"]
    assert "Means over 2 topics." in said_by(picture)


def test_groups_of_ranks_stand_in_their_middle() -> None:
    run = {"q1": [f"d{i}" for i in range(30)]}
    (panel,) = panels_of(cf.plot.unjudged(QRELS, run, cutoffs=[10, 30]))
    assert [row["at"] for row in rows_of(panel)] == [sqrt(10), sqrt(11 * 30)]
    assert axis_of(panel, "x")["title"] == "rank (log scale)"
    (panel,) = panels_of(cf.plot.unjudged(QRELS, run, cutoffs=[4, 10]))
    assert [row["at"] for row in rows_of(panel)] == [2.5, 7.5]


def test_unjudged_many_runs_labels_runs_with_fewest_judged() -> None:
    """Run i has i judged documents among ten."""
    judged = {f"j{i}": 0 for i in range(10)}
    runs = {f"r{i}": {"q": [*judged][:i] + [f"x{k}" for k in range(10 - i)]} for i in range(10)}
    picture = cf.plot.unjudged({"q": {**judged, "a": 1}}, runs, cutoffs=[10])
    (panel,) = panels_of(picture)
    assert {row["line"]: row["value"] for row in rows_of(panel)} == {f"r{i}": i / 10 for i in range(8)}
    assert {row["line"] for row in rows_of(panel, 0)} == {"r8", "r9"}
    assert "Named: the 8 of 10 runs with the fewest judged documents" in said_by(picture)


def test_unjudged_runs_without_documents_raise() -> None:
    with pytest.raises(cf.CranfieldError, match="the runs have no documents"):
        cf.plot.unjudged(QRELS, {"q1": [], "q2": []})


def test_the_command(cranfield: Command, here: Path) -> None:
    cf.simulate(topics=4, runs=2, depth=30, seed=7).write(here)
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    plot = cranfield.of("plot", "unjudged")
    plot.succeeds("qrels.txt", *runs, "--depth", "25", "-o", "unjudged.csv")
    rows = table_of(Path("unjudged.csv").read_text())
    assert [int(row["last"]) for row in rows if row["run"] == rows[0]["run"]][-2:] == [20, 25]
    means = cf.evaluate("qrels.txt", runs, "Judged@20").summary()
    for row in rows:
        if row["last"] == "20":
            assert float(row["judged_to"]) == means[row["run"]]["Judged@20"]
    assert "-m" in plot.refused("qrels.txt", *runs, "-m", "AP", "-o", "unjudged.csv")
