"""Relevant documents found by depth: by hand, and as pools of that depth have them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import InputError
from cranfield.meta.contributions import RelevantCount, count_relevant
from tests.made import examples

QRELS = {"1": {"a": 1, "b": 2, "c": 1, "d": 0}, "2": {"e": 1}}
RUNS = {
    "x": {"1": ["a", "b", "d"], "2": ["e"]},
    "y": {"1": ["d", "a"], "2": ["z", "e"]},
    "w": {"1": ["d", "z", "c"]},
}


def test_by_hand() -> None:
    """4 are relevant. First: x has a and e; by rank 2 also b, and y a and e; w has c at rank 3."""
    found = count_relevant(QRELS, RUNS)
    assert (found.relevant, found.topics) == (4, 2)
    assert found.rows == (
        RelevantCount("all", "all", 1, 2, 0.5, None),
        RelevantCount("all", "all", 2, 3, 0.75, None),
        RelevantCount("all", "all", 3, 4, 1.0, None),
        RelevantCount("run", "x", 1, 2, 0.5, 2),
        RelevantCount("run", "x", 2, 3, 0.75, 1),  # b alone
        RelevantCount("run", "x", 3, 3, 0.75, 1),
        RelevantCount("run", "y", 1, 0, 0.0, 0),
        RelevantCount("run", "y", 2, 2, 0.5, 0),
        RelevantCount("run", "y", 3, 2, 0.5, 0),
        RelevantCount("run", "w", 1, 0, 0.0, 0),
        RelevantCount("run", "w", 2, 0, 0.0, 0),
        RelevantCount("run", "w", 3, 1, 0.25, 1),
    )


def test_teams() -> None:
    """Both runs of T have b and c, which nobody else has; a and e are also y's from rank 2 on."""
    found = count_relevant(QRELS, RUNS, [3], teams={"x": "T", "w": "T"})
    assert found.rows[1:] == (
        RelevantCount("team", "T", 3, 4, 1.0, 2),
        RelevantCount("team", "y", 3, 2, 0.5, 0),
    )
    assert [n.text for n in found.notes if n.kind == "teams"] == [
        "1 run (y) without a team: each of them is a separate team"
    ]


def test_count_relevant_topics_and_level() -> None:
    assert count_relevant(QRELS, RUNS, [3], topics=["2"]).relevant == 1
    assert count_relevant(QRELS, RUNS, [3], topics="common").topics == 1
    found = count_relevant(QRELS, RUNS, [3], rel=2)
    assert found.relevant == 1
    assert [(row.name, row.relevant) for row in found.rows[1:]] == [("x", 1), ("y", 0), ("w", 0)]
    assert count_relevant(QRELS, RUNS, depth=2).rows[-1].depth == 2


def test_count_relevant_one_run_equals_all() -> None:
    every, own = count_relevant(QRELS, RUNS["x"], [2]).rows
    assert (every.relevant, own.relevant, own.unique) == (3, 3, 3)


def test_count_relevant_invalid_input_raises() -> None:
    with pytest.raises(InputError, match="no relevant document in the judgments"):
        count_relevant({"1": {"a": 0}}, RUNS)
    with pytest.raises(InputError, match="teams of 1 run \\(v\\), expected those of 3 runs"):
        count_relevant(QRELS, RUNS, teams={"v": "T"})
    with pytest.raises(InputError, match="ties=expected"):
        count_relevant(QRELS, RUNS, ties="expected")
    with pytest.raises(InputError, match="classes and groups of items cannot be pooled"):
        count_relevant(QRELS, RUNS, labelling=cf.EquivalenceClasses({"1": {"a": "k"}}))


LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)


@settings(max_examples=examples(50))
@given(
    st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 1]), min_size=1),
    st.booleans(),
)
def test_count_relevant_equals_pool(
    lists: list[tuple[list[str], list[str]]], judged: dict[str, int], in_teams: bool
) -> None:
    """The pool counts documents by their names, and is made anew for each depth."""
    qrels = {"1": {**judged, "a": 1}, "2": judged}
    runs = {f"r{i}": {"1": one, "2": two} for i, (one, two) in enumerate(lists)}
    teams = {run: f"team{i % 2}" for i, run in enumerate(runs)} if in_teams else None
    rows = count_relevant(qrels, runs, [1, 3, 8], teams=teams).rows
    for depth in (1, 3, 8):
        made = cf.pool(runs, depth, qrels=qrels, teams=teams)
        assert made.is_relevant is not None
        every, *each = [row for row in rows if row.depth == depth]
        assert every.relevant == made.is_relevant.sum()
        kind = "team" if in_teams else "run"
        assert {row.name: row.unique for row in each} == {
            c.name: c.unique_relevant for c in made.contributions() if c.kind == kind
        }
        if not in_teams:
            found = cf.evaluate(qrels, runs, f"NumRelRet@{depth}").summary()
            assert [row.relevant for row in each] == [sum(of.values()) for of in found.values()]
