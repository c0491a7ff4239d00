"""Impression logs, and outcomes of interleaving."""

from __future__ import annotations

import json
from math import log, log2
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cranfield as cf
from cranfield.data.impressions import read_impressions, read_interleaving
from cranfield.data.preference_pairs import read_preference_pairs
from cranfield.data.sessions import read_clicks, read_sessions
from cranfield.evaluation.sessions import evaluate_sessions
from tests.made import Command, written

HEADER = "session,query,document,rank,clicked,time"
# Two sessions. The rows of s1 are neither in the order of time nor of ranks.
ROWS = [
    "s1,lamp,d2,2,1,2026-05-03T10:00:30Z",
    "s1,lamp,d1,1,1,2026-05-03T10:00:40Z",
    "s2,chair,c1,1,no,2026-05-03T09:00:00+00:00",
]
QRELS = {"lamp": {"d1": 1, "d2": 3}, "chair": {"c1": 0, "c2": 1}}


def table(path: Path, *rows: str, header: str = HEADER) -> str:
    return written(path / "log.csv", "\n".join([header, *rows]) + "\n")


def test_read_sessions_log_in_order_of_ranks_and_clicks_in_order_of_time(tmp_path: Path) -> None:
    path = table(tmp_path, *ROWS)
    sessions = read_sessions(path)
    assert sessions.lists == {("lamp", "s1"): [["d1", "d2"]], ("chair", "s2"): [["c1"]]}
    clicks = read_clicks(path)
    assert [(x.query, x.rank, x.doc, x.line) for x in clicks.sessions["lamp", "s1"]] == [
        (1, 2, "d2", 2),
        (1, 1, "d1", 3),
    ]
    assert clicks.sessions["chair", "s2"] == []


@pytest.mark.parametrize("shape", ["csv", "jsonl", "frame"])
def test_evaluate_sessions_log_equals_calculation(shape: str, tmp_path: Path) -> None:
    """Session DCG (Sakai 2014): gains by log2(r + 1) in the concatenation and log4(q + 3)."""
    rows = [
        {"topic": "t", "session": "s", "query": query, "doc": doc, "rank": rank, "clicked": 0, "time": time}
        for query, doc, rank, time in (("b", "d3", 1, 20), ("a", "d1", 1, 10), ("a", "d2", 2, 10))
    ]
    data: Any = pd.DataFrame(rows)
    if shape == "csv":
        data.to_csv(tmp_path / "x.csv", index=False)
        data = tmp_path / "x.csv"
    elif shape == "jsonl":
        data = written(tmp_path / "x.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    scores = evaluate_sessions({"t": {"d2": 2, "d3": 1}}, data, "sDCG")
    expected = 2 / log2(3) + 1 / (log2(4) * log(5, 4))
    assert [*scores.mean().values()] == [{"sDCG": pytest.approx(expected)}]


def test_evaluate_sessions_clicks_of_a_log_equal_clicks_with_lengths(tmp_path: Path) -> None:
    path = table(tmp_path, *ROWS)
    lengths = {"d1": 5000, "d2": 10000}
    given = {"lamp": {"s1": [(1, 2, 10000), (1, 1, 5000)]}}
    scores = evaluate_sessions(clicks=path, lengths=lengths)
    expected = evaluate_sessions(clicks=given)["clicks", "lamp/s1", "clickU"]
    assert [*scores.to_dict().values()] == [{"lamp/s1": {"clickU": expected}, "chair/s2": {"clickU": 0.0}}]
    cut = evaluate_sessions(QRELS, path, "nsDCG(truncate=clicks)@10", clicks=path)
    assert cut.topics == ("lamp/s1", "chair/s2")


def test_read_impressions_same_query_is_separated_by_time(tmp_path: Path) -> None:
    rows = ["s,lamp,d1,1,0,10", "s,lamp,d2,2,0,10", "s,lamp,d2,1,1,5", "s,lamp,d1,2,0,5"]
    assert read_sessions(table(tmp_path, *rows)).lists == {("lamp", "s"): [["d2", "d1"], ["d1", "d2"]]}


def test_read_impressions_without_sessions_are_sessions(tmp_path: Path) -> None:
    header = "impression_id,query_id,doc_id,position,clicked"
    path = table(tmp_path, "i0,1,a,1,0", "i0,2,b,1,1", "i1,1,c,1,0", header=header)
    sessions = read_sessions(path)
    assert sessions.lists == {("1", "i0"): [["a"]], ("2", "i0"): [["b"]], ("1", "i1"): [["c"]]}
    assert sessions.notes == ("no column time: impressions and clicks are in the order of rows and ranks",)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["s,lamp,d1,1,0,1", "s,chair,d1,1,0,2"], r"log.csv:2: session s has 2 queries \(lamp, chair\) and no topic"),
        (["s,lamp,d1,1,0,", "s,lamp,d1,2,0,"], r"log.csv:3: document 'd1' again .*\(first on line 2\). Add a column"),
        (["s,lamp,d1,1,0,1", "s,lamp,d2,1,0,1"], r"log.csv:3: rank 1 again for query 'lamp'"),
        (["s,lamp,d1,1,0,1", "s,lamp,d1,2,1,3"], r"log.csv:3: document 'd1' again"),  # times of clicks
        (["s,lamp,d1,1,0,1", "s,lamp,d2,3,0,1"], r"log.csv:3: no row for rank 2 of query 'lamp' in session s"),
        (["s,lamp,d1,0,0,1"], r"log.csv:2: found rank '0', expected an integer ≥ 1"),
        (["s,lamp,d1,1,0.25,1"], r"log.csv:2: found clicked '0.25', expected 0 or 1 \(click rates are no clicks"),
        (["s,lamp,d1,1,,1"], r"log.csv:2: found clicked '', expected 0 or 1"),
        (["s,lamp,d1,1,-1,1"], r"log.csv:2: found clicked '-1', expected 0 or 1"),
        (["s,lamp,d1,1,0,noon"], r"log.csv:2: found time 'noon'"),
        (["s,,d1,1,0,1"], r"log.csv:2: found query ''"),
    ],
)
def test_read_sessions_invalid_log_raises(rows: list[str], problem: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=problem):
        read_sessions(table(tmp_path, *rows))


def test_read_impressions_without_sessions_or_rows_raises(tmp_path: Path) -> None:
    path = table(tmp_path, "lamp,d1,1,0", header="query,document,rank,clicked")
    with pytest.raises(cf.InputError, match=r"log.csv:2: .*expected a column session or impression"):
        read_impressions(path)
    with pytest.raises(cf.InputError, match=r"x.json: found no impressions, expected session query doc rank clicked"):
        read_impressions(written(tmp_path / "x.json", "{}"))


def test_read_sessions_log_of_two_runs_raises(tmp_path: Path) -> None:
    path = table(tmp_path, "s,lamp,d1,1,0,1,x", "t,lamp,d1,1,0,1,y", header=HEADER + ",system")
    with pytest.raises(cf.InputError, match=r"log.csv: impressions of several runs \(x, y\).*a file for each run"):
        read_sessions(path)


# -- interleaving ---------------------------------------------------------------------------------

TEAMS = "impression,query,document,rank,clicked,team"
# Credits by hand: i1 A 2, B 1: A wins. i2 A 0, B 1: B wins. i3 one each: a tie. i4 no click. i5: both teams' document.
INTERLEAVED = [
    *("i1,q1,a,1,1,A", "i1,q1,b,2,1,B", "i1,q1,c,3,1,A"),
    *("i2,q1,b,1,1,B", "i2,q1,a,2,0,A"),
    *("i3,q2,b,1,1,B", "i3,q2,a,2,1,A"),
    *("i4,q2,b,1,0,B", "i4,q2,a,2,0,A"),
    *("i5,q2,z,1,1,both", "i5,q2,a,2,0,A"),
]


def test_read_interleaving_team_draft_credits_by_hand(tmp_path: Path) -> None:
    path = table(tmp_path, *INTERLEAVED, header=TEAMS)
    battles = read_preference_pairs(path)
    assert [pair[:4] for pair in battles.pairs] == [
        ("q1", "A", "B", False),
        ("q1", "B", "A", False),
        ("q2", "A", "B", True),
    ]
    assert battles.notes == (
        "1 click on documents of no team, without credit",
        "2 impressions without a credited click excluded",
    )


def test_battles_credits_of_impressions_equal_battles(tmp_path: Path) -> None:
    """6 wins, 2 losses, 4 ties: the ratings are 1095.42 and 904.58 (Davidson, ν = 2/√3)."""
    credit = ["x,y,2,1"] * 6 + ["x,y,0,1"] * 2 + ["y,x,3,3"] * 4 + ["x,y,0,0"] * 5
    rows = [f"q{i},{text}" for i, text in enumerate(credit)]
    result = cf.battles(table(tmp_path, *rows, header="query,run_a,run_b,clicks_a,clicks_b"))
    ratings = {run.run: run.rating for run in result.runs}
    assert ratings == pytest.approx({"x": 1095.42, "y": 904.58}, abs=0.005)


@pytest.mark.parametrize(
    ("header", "rows", "problem"),
    [
        (TEAMS, ["i,q,d,1,0,A", "i,q,e,2,0,B"], "log.csv: no impression has a credited click"),
        (TEAMS, ["i,q,d,1,1,A", "j,q,e,1,0,B"], "every impression has documents of one team: this is no interleaving"),
        (TEAMS, ["i,q,d,1,1,A", "i,q,e,2,0,B", "i,q,f,3,0,C"], r"3 teams \(A, B, C\)"),
        (TEAMS.removesuffix(",team"), ["i,q,d,1,1"], "no column team. Interleaving needs a column team"),
        ("query,clicks_a,clicks_b", ["q,1,-1"], "log.csv:2: found credit_b '-1', expected a number ≥ 0"),
        ("query,run_a,run_b,clicks_a,clicks_b", ["q,x,x,1,0"], "log.csv:2: run 'x' compared with itself"),
    ],
)
def test_read_interleaving_invalid_raises(header: str, rows: list[str], problem: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=problem):
        read_preference_pairs(table(tmp_path, *rows, header=header))


def test_validate_detects_logs_and_outcomes(tmp_path: Path, cranfield: Command) -> None:
    out = cranfield.succeeds("validate", "-v", table(tmp_path, *ROWS)).out
    assert "log.csv: impressions, session in column session, clicked in column clicked" in out
    assert "log.csv: impressions, 2 topics: fine" in out
    outcomes = written(tmp_path / "y.csv", "query,clicks_a,clicks_b\nq,1,0\n")
    assert "y.csv: interleaving outcomes, 1 topic: fine" in cranfield.succeeds("validate", outcomes).out


def test_repr_of_a_log_counts_impressions(tmp_path: Path) -> None:
    assert repr(read_impressions(table(tmp_path, *ROWS))) == "ImpressionLog: 2 impressions of 2 sessions"
    assert len(read_interleaving(table(tmp_path, *INTERLEAVED, header=TEAMS)).outcomes) == 3
