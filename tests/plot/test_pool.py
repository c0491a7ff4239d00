"""The figure of pools: its numbers are those of pools of each depth."""

from __future__ import annotations

from pathlib import Path

import cranfield as cf
from tests.made import Command, written
from tests.made import rows_of as table_of
from tests.plot.made import axis_of, panels_of, rows_of, said_by

QRELS = {"1": {"a": 1, "b": 2, "c": 1, "d": 0}, "2": {"e": 1}}
RUNS = {
    "x": {"1": ["a", "b", "d"], "2": ["e"]},
    "y": {"1": ["d", "a"], "2": ["z", "e"]},
    "w": {"1": ["d", "z", "c"]},
}


def test_numbers_are_those_of_pools() -> None:
    picture = cf.plot.pool(QRELS, RUNS)
    (panel,) = panels_of(picture)
    every = {row["at"]: row["value"] for row in rows_of(panel, 0)}
    assert every == {1: 2 / 4, 2: 3 / 4, 3: 4 / 4}
    for depth in (1, 2, 3):
        found = cf.pool(RUNS, depth, qrels=QRELS).is_relevant
        assert found is not None
        assert every[depth] == found.sum() / 4
        each = {row["line"]: row["relevant"] for row in rows_of(panel) if row["at"] == depth}
        means = cf.evaluate(QRELS, RUNS, f"NumRelRet@{depth}").summary()
        assert each == {run: sum(of.values()) for run, of in means.items()}
    assert axis_of(panel, "y")["title"] == "fraction of 4 relevant documents"
    assert axis_of(panel, "x")["title"] == "depth"
    assert rows_of(panel, 1)[0]["label"] == "all runs"
    assert said_by(picture).strip() == "Relevant documents of 2 topics."
    columns = ["kind", "name", "depth", "relevant", "share", "unique"]
    assert picture.data.columns == columns


def test_teams() -> None:
    picture = cf.plot.pool(QRELS, RUNS, teams={"x": "T", "w": "T", "y": "U"}, cutoffs=[3])
    (panel,) = panels_of(picture)
    assert {row["line"]: row["value"] for row in rows_of(panel)} == {"T": 1.0, "U": 0.5}
    assert rows_of(panel, 1)[0]["label"] == "all teams"
    assert picture.data.filter(kind="team")["unique"].to_list() == [2, 0]


def test_one_run_is_no_pool_of_several() -> None:
    (panel,) = panels_of(cf.plot.pool(QRELS, RUNS["x"]))
    assert not [layer for layer in panel["layer"] if layer["mark"]["type"] == "text"]
    assert [row["value"] for row in rows_of(panel)] == [0.5, 0.75, 0.75]


def test_pool_many_runs_labels_runs_with_most_relevant() -> None:
    relevant = {f"d{i}": 1 for i in range(10)}
    runs = {f"r{i}": {"q": [*relevant][: i + 1]} for i in range(10)}
    picture = cf.plot.pool({"q": relevant}, runs, cutoffs=[10])
    (panel,) = panels_of(picture)
    named = {row["line"]: row["value"] for row in rows_of(panel)}
    assert named == {f"r{i}": (i + 1) / 10 for i in range(2, 10)}
    assert {row["line"] for row in rows_of(panel, 2)} == {"r0", "r1"}
    assert "Named: the 8 of 10 runs with the most relevant documents" in said_by(picture)


def test_the_command(cranfield: Command, here: Path) -> None:
    cf.simulate(topics=4, runs=3, depth=20, seed=7).write(here)
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    teams = written(here / "teams", "sys01 A\nsys02 A\nsys03 B\n")
    plot = cranfield.of("plot", "pool")
    files = ("qrels.txt", *runs)
    plot.succeeds(*files, "--teams", teams, "--cutoffs", "5,20", "--rel", "2", "-o", "pool.csv")
    rows = table_of(Path("pool.csv").read_text())
    assert [row["name"] for row in rows] == ["all", "all", "A", "A", "B", "B"]
    made = cf.pool(runs, 5, qrels="qrels.txt", teams=teams, rel=2).contributions()
    unique = {c.name: c.unique_relevant for c in made if c.kind == "team"}
    assert {r["name"]: int(r["unique"]) for r in rows if r["unique"] and r["depth"] == "5"} == unique
    assert "integers from 1 to" in plot.refused(*files, "--cutoffs", "0", "-o", "pool.csv")
