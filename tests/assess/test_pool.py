"""Pools: what is in them, who brought it, what is unjudged; and the order of lists they rest on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.assess.pool import Pool, pool
from cranfield.cli.main import main
from cranfield.data.audits import read_audit
from cranfield.data.reading.source import Source
from cranfield.errors import InputError
from tests.evidence import checks
from tests.made import Command, examples, split

few = settings(max_examples=examples(40))

# At depth 2, the pool of q1 is a b c d: a from all three, b from bm25 and bm25+, c from dense
# alone, d from bm25+ alone. That of q2 is x y z: x from bm25 and dense, y and z from bm25+. Team A
# has bm25 and bm25+, team B has dense.
RUNS = {
    "bm25": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}},
    "bm25+": {"q1": {"b": 3.0, "d": 2.0, "a": 1.0}, "q2": {"y": 2.0, "z": 1.0}},
    "dense": {"q1": {"a": 2.0, "c": 1.0}, "q2": {"x": 5.0}},
}
TEAMS = {"bm25": "A", "bm25+": "A", "dense": "B"}
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"z": 1, "w": 2}}


def counts(found: Pool, kind: str = "run", topic: str = "all") -> dict[str, tuple[Any, ...]]:
    """Documents, unique, unique relevant and unjudged of each run or team."""
    return {
        c.name: (c.documents, c.unique, c.unique_relevant, c.unjudged)
        for c in found.contributions(per_topic=True)
        if (c.kind, c.topic) == (kind, topic)
    }


class TestByHand:
    def test_the_pool_is_sorted_by_document(self) -> None:
        found = pool(RUNS, 2)
        assert found.to_dict() == {"q1": ["a", "b", "c", "d"], "q2": ["x", "y", "z"]}
        assert (found.topics, found.depth, len(found)) == (("q1", "q2"), 2, 7)
        assert repr(found) == "Pool: 7 documents of 2 topics at depth 2 from 3 runs"

    def test_without_judgments(self) -> None:
        found = pool(RUNS, 2)
        # bm25: a b x, none alone; bm25+: b d y z, alone d y z; dense: a c x, alone c.
        expected = {
            "bm25": (3, 0, None, None),
            "bm25+": (4, 3, None, None),
            "dense": (3, 1, None, None),
        }
        assert counts(found) == expected
        assert found.unjudged is None
        assert found.relevant is None
        assert counts(found, "team") == {}

    def test_with_judgments(self) -> None:
        found = pool(RUNS, 2, qrels=QRELS)
        # Unjudged are d, x and y. Of what is unique, z (bm25+) and c (dense) are relevant.
        assert found.unjudged == {"q1": ("d",), "q2": ("x", "y")}
        assert found.relevant == {"q1": ("a", "c"), "q2": ("z",)}
        assert counts(found) == {
            "bm25": (3, 0, 0, 1),
            "bm25+": (4, 3, 1, 2),
            "dense": (3, 1, 1, 1),
        }
        assert counts(found, topic="q1")["bm25+"] == (2, 1, 0, 1)
        assert counts(found, topic="q2")["bm25+"] == (2, 2, 1, 1)
        shares = {c.name: c.judged for c in found.contributions()}
        assert shares == {"bm25": 1 - 1 / 3, "bm25+": 0.5, "dense": 1 - 1 / 3}

    def test_teams(self) -> None:
        found = pool(RUNS, 2, qrels=QRELS, teams=TEAMS)
        # A: a b d x y z, of which b d y z are not B's; unjudged d x y. B: a c x, alone c.
        assert counts(found, "team") == {"A": (6, 4, 1, 3), "B": (3, 1, 1, 1)}
        assert [c.team for c in found.contributions()] == ["A", "A", "B", "A", "B"]

    def test_rel_says_what_is_relevant(self) -> None:
        assert pool(RUNS, 2, qrels=QRELS, rel=2).relevant == {"q1": ("a",), "q2": ()}
        assert pool(RUNS, 2, qrels=QRELS, rel=0).relevant == {"q1": ("a", "b", "c"), "q2": ("z",)}

    def test_negative_levels_are_judged(self) -> None:
        found = pool({"q": ["a", "b"]}, qrels={"q": {"a": -1}})
        assert found.unjudged == {"q": ("b",)}
        assert found.relevant == {"q": ()}

    def test_ties_are_broken_by_larger_ids(self) -> None:
        tied = {"q": {"a": 1.0, "c": 1.0, "b": 1.0}}
        assert pool(tied, 2).to_dict() == {"q": ["b", "c"]}
        assert pool(tied, 2, ties="given").to_dict() == {"q": ["a", "c"]}

    def test_the_frame(self) -> None:
        frame = pool(RUNS, 2, qrels=QRELS, teams=TEAMS).to_polars()
        assert frame.row(1, named=True) == {
            "kind": "run", "name": "bm25+", "team": "A", "topic": "all", "documents": 4,
            "unique": 3, "unique_relevant": 1, "unjudged": 2, "judged": 0.5,
        }  # fmt: skip
        assert frame["kind"].to_list() == ["run"] * 3 + ["team"] * 2
        assert len(pool(RUNS, 2).to_polars(per_topic=True)) == 3 * (2 + 1)


class TestTopics:
    def test_the_order_is_that_of_the_runs(self) -> None:
        assert pool([{"b": ["x"]}, {"c": ["x"], "a": ["x"], "b": ["x"]}]).topics == ("b", "c", "a")

    def test_judged_topics_are_pooled_and_others_named(self) -> None:
        found = pool({"r": {"q9": ["a"], "q1": ["a"]}}, qrels=QRELS)
        assert found.to_dict() == {"q1": ["a"], "q2": []}
        assert [n.text for n in found.notes] == [
            "1 topic (q9) of the runs without judgments, excluded",
            "1 topic (q2) missing from all runs",
        ]
        assert [c.judged for c in found.contributions(per_topic=True)] == [1.0, None, 1.0]

    def test_topics_that_are_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "topics.tsv"
        path.write_text("# of this year\nq9\tfishing for tuna\n\nq1 boats\n")
        run = {"q1": ["a"], "q2": ["b"], "q9": ["c"]}
        for topics in (path, str(path), ["q9", "q1"]):
            found = pool(run, qrels=QRELS, topics=topics)
            assert found.to_dict() == {"q9": ["c"], "q1": ["a"]}
            assert found.unjudged == {"q9": ("c",), "q1": ()}
            about_file = [n for n in found.notes if n.kind == "topics-file"]
            assert len(about_file) == (not isinstance(topics, list))
            assert [n.text for n in found.notes if n not in about_file] == [
                "1 topic (q2) of the runs not selected, excluded",
                "1 topic (q9) without judgments, every document is unjudged",
            ]

    def test_a_topic_that_nobody_knows(self, tmp_path: Path) -> None:
        """It is refused if it is named; a track has the topics that it has."""
        run = {"q1": ["a"]}
        for topics in ("q1,q7", ["q1", "q7"]):
            with pytest.raises(InputError, match="topic 'q7' is not in the runs"):
                pool(run, qrels=QRELS, topics=topics)
        assert pool(run, qrels=QRELS, topics="q1,q2").to_dict() == {"q1": ["a"], "q2": []}
        path = tmp_path / "topics"
        path.write_text("q1\nq7\n")
        for file in (path, f"@{path}", str(path)):
            found = pool(run, topics=file)
            assert [n.text for n in found.notes] == ["1 topic (q7) missing from all runs"]

    def test_a_run_that_does_not_answer_a_topic(self) -> None:
        found = pool({"r": {"q1": ["a"], "q2": ["b"]}, "s": {"q2": ["b"]}})
        assert [(n.run, n.topics) for n in found.notes] == [("s", ("q1",))]


class TestTeamFiles:
    @pytest.mark.parametrize(
        "text",
        [
            "bm25 A\nbm25+ A\n# ours\ndense  Univ. of B, Dept. C \r\n",
            'run,team\nbm25,A\nbm25+,A\ndense,"Univ. of B, Dept. C"\n',
            "Team\tnote\tRun_ID\nA\t1\tbm25\nA\t\tbm25+\nUniv. of B, Dept. C\t\tdense\n",
        ],
    )
    def test_lines_and_tables(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "teams"
        path.write_text(text, newline="")
        found = pool(RUNS, teams=path)
        assert found.teams == ("A", "A", "Univ. of B, Dept. C")
        assert not found.notes

    @pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
    def test_frames(self, frame: Callable[[Any], Any]) -> None:
        teams = frame({"run": list(TEAMS), "team": list(TEAMS.values())})
        assert pool(RUNS, teams=teams).teams == ("A", "A", "B")

    def test_a_run_without_a_team_is_one(self) -> None:
        found = pool(RUNS, teams={"bm25": "A", "bm25+": "A", "tfidf": "C"})
        assert found.teams == ("A", "A", "dense")
        assert [n.text for n in found.notes] == [
            "1 run (dense) without a team: each of them is a separate team",
            "teams given for 1 run (tfidf) not pooled, ignored",
        ]

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("bm25 A\ndense\n", ":2: found 'dense', expected a run and its team"),
            ("bm25 A\nbm25 B\n", ":2: duplicate run 'bm25'"),
            ("team,size\nA,3\n", ":1: found columns team, size, expected run and team"),
            ("run,team\nbm25\n", ":2: found 1 field "),
            ("run,team\nbm25,\n", ":2: found 'bm25': '', expected a run and its team"),
            ("run,team\n", ": found no teams"),
            ("", ": found no teams"),
            ("\xff\n", "UTF-8"),
        ],
    )
    def test_what_is_wrong_and_where(self, tmp_path: Path, text: str, error: str) -> None:
        path = tmp_path / "teams"
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(cf.CranfieldError) as caught:
            pool(RUNS, teams=path)
        assert error in str(caught.value)
        assert str(caught.value).startswith(str(path))

    @pytest.mark.parametrize(
        ("teams", "error"),
        [
            ({"tfidf": "A"}, "found teams of 1 run (tfidf), expected those of 3 runs (bm25,"),
            ({"bm25": "dense"}, "run dense has no team, but a team has its name"),
            ({"A": ["bm25", "bm25+"]}, "teams: found 'A': ['bm25', 'bm25+'], expected a run"),
            (pl.DataFrame({"run": ["bm25"]}), "teams: found columns run, expected run and team"),
            (7, "found 7, expected teams as a path"),
        ],
    )
    def test_teams_in_memory(self, teams: Any, error: str) -> None:
        with pytest.raises(cf.CranfieldError) as caught:
            pool(RUNS, teams=teams)
        assert error in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"depth": 0}, "depth must be an integer ≥ 1, found 0"),
        ({"depth": 2.5}, "depth must be an integer ≥ 1, found 2.5"),
        ({"depth": True}, "depth must be an integer ≥ 1, found True"),
        ({"rel": float("nan")}, "rel must be a finite number, found nan"),
        ({"ties": "best"}, "found ties='best', expected one of trec, rank, given"),
        ({"topics": []}, "topics: found no topics, expected at least one"),
        ({"topics": ["q7"]}, "topic 'q7' is not in the runs: 2 topics (q1, q2)"),
        ({"topics": "no such file"}, "topic 'no such file' is not in the runs"),
        ({"topics": "@no such file"}, "cannot read no such file"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], error: str) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        pool(RUNS, **options)
    assert error in str(caught.value)


@pytest.mark.parametrize(
    ("runs", "error"),
    [
        ({"q": {"a": float("nan")}}, "found score nan for document a of topic q"),
        ({"q": {"a": "high"}}, "found score 'high' for document a of topic q"),
        ({"all": {"a": 1.0}}, "topic name 'all' is reserved"),
        ({"q": {}}, "no document for 1 topic (q)"),
        (pl.DataFrame({"topic": [], "doc": [], "score": []}), "no results in run"),
        (["same.run", "same.run"], "duplicate run same.run"),
    ],
)
def test_runs_that_cannot_be_pooled(runs: Any, error: str) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        pool(runs)
    assert error in str(caught.value)


# -- properties -------------------------------------------------------------------------------

docs = st.sampled_from(["a", "b", "c", "é", "中文", "doc-000000001", "doc-00000001", "Z"])
scores = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
lists = st.dictionaries(docs, scores, min_size=1)
one_run = st.dictionaries(st.sampled_from(["t1", "t2", "t3"]), lists, min_size=1)
some_runs = st.lists(one_run, min_size=1, max_size=5).map(lambda runs: {f"r{i}": run for i, run in enumerate(runs)})
depths = st.integers(1, 5)

Lists = dict[str, dict[str, float]]


def top(run: Lists, topic: str, depth: int) -> set[str]:
    """The naive way: sort everything by score and id."""
    pairs = sorted(((score, doc) for doc, score in run.get(topic, {}).items()), reverse=True)
    return {doc for _, doc in pairs[:depth]}


def sets(found: Pool) -> set[tuple[str, str]]:
    return {(topic, doc) for topic, docs in found.docs.items() for doc in docs}


@checks("cf.pool", against="second writing")
@few
@given(some_runs, depths)
def test_the_pool_is_the_union_of_the_tops(runs: dict[str, Lists], depth: int) -> None:
    found = pool(runs, depth)
    for topic in ("t1", "t2", "t3"):
        union = set().union(*(top(run, topic, depth) for run in runs.values()))
        assert set(found.docs.get(topic, ())) == union
    assert all(list(d) == sorted(d) for d in found.docs.values())


@few
@given(some_runs, depths)
def test_unique_is_what_the_pool_would_lack(runs: dict[str, Lists], depth: int) -> None:
    found = pool(runs, depth)
    alone = counts(found)
    for name in runs:
        others = {other: run for other, run in runs.items() if other != name}
        without = sets(pool(others, depth)) if others else set()
        assert alone[name][1] == len(sets(found) - without)


@few
@given(some_runs, depths)
def test_a_duplicate_leaves_nothing_unique(runs: dict[str, Lists], depth: int) -> None:
    found = pool({**runs, "again": runs["r0"]}, depth)
    assert sets(found) == sets(pool(runs, depth))
    assert counts(found)["r0"][1] == counts(found)["again"][1] == 0
    # … but for a team that has both.
    teams = {**{name: name for name in runs}, "again": "r0"}
    paired = counts(pool({**runs, "again": runs["r0"]}, depth, teams=teams), "team")
    assert paired["r0"] == counts(pool(runs, depth))["r0"]


@few
@given(some_runs, depths, st.lists(st.sampled_from("AB"), min_size=5, max_size=5))
def test_a_team_has_at_least_what_its_runs_have(runs: dict[str, Lists], depth: int, letters: list[str]) -> None:
    teams = dict(zip(runs, letters, strict=False))
    found = pool(runs, depth, teams=teams, qrels={t: {"a": 1, "b": 0} for t in ("t1", "t2", "t3")})
    by_run, by_team = counts(found), counts(found, "team")
    for team in set(teams.values()):
        members = [by_run[run] for run in runs if teams[run] == team]
        assert by_team[team][0] <= sum(m[0] for m in members)
        assert by_team[team][1] >= sum(m[1] for m in members)
        assert by_team[team][2] >= sum(m[2] for m in members)
    if len(by_team) == 1:
        assert by_team[letters[0]][:2] == (len(found), len(found))


@few
@given(some_runs, depths)
def test_counts_of_topics_add_up(runs: dict[str, Lists], depth: int) -> None:
    found = pool(runs, depth, qrels={t: {"a": 1, "Z": 2} for t in ("t1", "t2", "t3")})
    for name, whole in counts(found).items():
        parts = [counts(found, topic=topic)[name] for topic in found.topics]
        assert tuple(map(sum, zip(*parts, strict=True))) == whole
    assert len(found) == sum(map(len, found.docs.values()))


# -- one order for all ------------------------------------------------------------------------


def trec(run: Lists) -> list[str]:
    """A run's lines, best score last, and with ranks that say the opposite."""
    return [
        f"{topic} Q0 {doc} {rank} {score} r\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(sorted(docs.items(), key=lambda x: x[1]), 1)
    ]


class TestRankings:
    """`Run.rankings` has the order that `evaluate` scores, wherever the run comes from."""

    @few
    @given(one_run)
    def test_the_order_is_that_of_evaluate(self, run: Lists) -> None:
        for topic, ranked in cf.read_run(run).rankings().items():
            for rank, doc in enumerate(ranked, 1):
                scored = cf.evaluate({topic: {doc: 1}}, run, "RR")
                assert scored["run", topic, "RR"] == 1 / rank
            assert cf.read_run(run).rank_topic(topic) == ranked

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [1, 40, 1 << 20])
    @pytest.mark.parametrize("ties", ["trec", "rank", "given"])
    def test_files_in_pieces(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, ties: Any) -> None:
        monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
        path = tmp_path / "r.run"

        @few
        @given(one_run, st.none() | depths, st.randoms(use_true_random=False))
        def check(run: Lists, depth: int | None, random: Any) -> None:
            lines = trec(run)
            expected = cf.read_run(run).rankings(depth)
            if ties != "trec":  # as written: from the lowest score up
                expected = {t: [x.split()[2] for x in lines if x.split()[0] == t][:depth] for t in run}
            path.write_text("".join(lines), encoding="utf-8")
            assert cf.read_run(path, ties=ties).rankings(depth) == expected
            if ties != "given":  # lines of a topic may stand anywhere
                random.shuffle(lines)
                path.write_text("".join(lines), encoding="utf-8")
                assert cf.read_run(path, ties=ties).rankings(depth) == expected
                frame = pl.DataFrame(
                    [[c[0], c[2], int(c[3]), float(c[4])] for c in map(str.split, lines)],
                    ["topic", "doc", "rank", "score"],
                    orient="row",
                )
                assert cf.read_run(frame, ties=ties).rankings(depth) == expected

        check()

    @pytest.mark.parametrize("size", [20, 1 << 20])
    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("q Q0 a 1 2 r\np Q0 a 1 1 r\nq Q0 a 2 1 r\n", ":3: duplicate document 'a' in topic q"),
            ("q Q0 a 1 2 r\nq Q0 b 2 1\n", ":2: found 5 fields"),
            ("q Q0 a 1 2 r\nq Q0 b 2 nan r\n", ":2: found score 'nan'"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, text: str, error: str) -> None:
        monkeypatch.setattr(Source.iter_pieces, "__defaults__", (size,))
        path = tmp_path / "r.run"
        path.write_text(text)
        with pytest.raises(cf.CranfieldError) as caught:
            pool(path)
        assert str(path) + error in str(caught.value)


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the runs, the judgments and the teams of above."""
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        lines = [line.replace(" r\n", f" {name}\n") for line in trec(run)]
        Path(f"{name}.run").write_text("".join(lines))
    judged = [f"{t} 0 {doc} {level}\n" for t, levels in QRELS.items() for doc, level in levels.items()]
    Path("qrels").write_text("".join(judged))
    Path("teams").write_text("".join(f"{run} {team}\n" for run, team in TEAMS.items()))
    return tmp_path


ALL_RUNS = ["bm25.run", "bm25+.run", "dense.run"]


class TestCommand:
    def test_the_table(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--depth", "2", "--qrels", "qrels", "--teams", "teams", "-q"]
        assert main(["pool", *ALL_RUNS, *options]) == 0
        # The numbers are those worked out in TestByHand.
        assert (
            capsys.readouterr().out
            == """\
run    team  documents  unique  unique relevant  unjudged  judged
─────────────────────────────────────────────────────────────────
bm25   A             3       0                0         1  0.6667
bm25+  A             4       3                1         2  0.5000
dense  B             3       1                1         1  0.6667

team  documents  unique  unique relevant  unjudged  judged
──────────────────────────────────────────────────────────
A             6       4                1         3  0.5000
B             3       1                1         1  0.6667

topic  documents  relevant  unjudged
────────────────────────────────────
q1             4         2         1
q2             3         1         2

pool of 2 topics at depth 2 from 3 runs of 2 teams: 7 documents, 3.5 a topic (from 3 to 4); \
4 of them judged, 3 relevant; 3 unjudged
"""
        )

    def test_the_lists(self, here: Path) -> None:
        options = ["--depth", "2", "--qrels", "qrels"]
        assert main(["pool", *ALL_RUNS, *options, "-o", "p.txt", "--unjudged", "u.csv"]) == 0
        assert Path("p.txt").read_text() == "q1 a\nq1 b\nq1 c\nq1 d\nq2 x\nq2 y\nq2 z\n"
        assert Path("u.csv").read_text() == "topic,doc,to_judge\nq1,d,1\nq2,x,1\nq2,y,1\n"
        assert main(["pool", *ALL_RUNS, *options, "-o", "p.json", "--unjudged", "u.tsv"]) == 0
        pooled = json.loads(Path("p.json").read_text())
        flags = {"q1": {"a": 0, "b": 0, "c": 0, "d": 1}, "q2": {"x": 1, "y": 1, "z": 0}}
        assert pooled == [
            {"topic": topic, "doc": doc, "to_judge": flag}
            for topic, docs in flags.items()
            for doc, flag in docs.items()
        ]
        assert Path("u.tsv").read_text() == "topic\tdoc\tto_judge\nq1\td\t1\nq2\tx\t1\nq2\ty\t1\n"

    def test_for_programs(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["pool", "dense.run", "bm25.run", "--depth", "2", "--qrels", "qrels"]
        assert main([*command, "-q", "-f", "csv"]) == 0
        # Of q1, dense has a c and bm25 a b, all judged; of q2 both have x, which is not.
        assert capsys.readouterr().out.splitlines() == [
            "kind,name,team,topic,documents,unique,unique_relevant,unjudged,judged",
            "run,dense,,q1,2,1,1,0,1.0",
            "run,dense,,q2,1,0,0,1,0.0",
            f"run,dense,,all,3,1,1,1,{1 - 1 / 3!r}",
            "run,bm25,,q1,2,1,0,0,1.0",
            "run,bm25,,q2,1,0,0,1,0.0",
            f"run,bm25,,all,3,1,0,1,{1 - 1 / 3!r}",
        ]
        assert main([*command, "-f", "json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["depth"] == 2
        assert document["topics"]["q2"] == {"documents": 1, "relevant": 0, "unjudged": 1}
        assert [c["unique_relevant"] for c in document["contributions"]] == [1, 0]

    def test_notes(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Path("teams").write_text("bm25 A\n")
        command = ["pool", "dense.run", "bm25.run", "--teams", "teams"]
        assert main(command) == 0
        said = "note: 1 run (dense) without a team: each of them is a separate team"
        assert said in capsys.readouterr().err
        assert main([*command, "-f", "tsv"]) == 0
        out, err = capsys.readouterr()
        order = "rank and score disagree in 1 topic (q1). Documents are ordered by score."
        assert err.splitlines() == [said, f"note: dense: {order}", f"note: bm25: {order}"]
        assert out.startswith("kind\tname\t")

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["--unjudged", "u.txt"], "--unjudged requires --qrels QRELS"),
            (
                ["--qrels", "qrels", "-o", "u.txt", "--unjudged", "u.txt"],
                "cannot write u.txt: both --unjudged and -o name this file. Use two files.",
            ),
            (["--qrels", "-", "--teams", "-"], "standard input (-) can be used only once"),
            (["--qrels", "missing"], "cannot read missing"),
            (["-o", "no/such/place"], "cannot write no/such/place: there is no directory no/such"),
            (["dense.run"], "duplicate run dense.run"),
        ],
    )
    def test_mistakes(self, here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], error: str) -> None:
        assert main(["pool", "dense.run", *arguments]) == 2
        out, err = capsys.readouterr()
        assert error in err
        assert not out
        assert not Path("u.txt").exists()

    @pytest.mark.parametrize(
        ("doc", "name", "said"),
        [
            ("two words", "p.txt", "the name 'two words' contains a space. Use a format such as"),
            ("a\t", "p.tsv", "'a\\t' starts or ends with a space, which is lost in TSV"),
            (" a", "p.csv", "' a' starts or ends with a space, which is lost in CSV"),
        ],
    )
    def test_ids_that_a_format_cannot_hold(
        self, here: Path, capsys: pytest.CaptureFixture[str], doc: str, name: str, said: str
    ) -> None:
        Path("r.json").write_text(json.dumps({"q": [doc]}))
        assert main(["pool", "r.json", "-o", name]) == 2
        assert said in capsys.readouterr().err
        assert not Path(name).exists()
        assert main(["pool", "r.json", "-o", "p.json"]) == 0
        rows = [{"topic": "q", "doc": doc, "to_judge": 1}]
        assert json.loads(Path("p.json").read_text()) == rows


POOLS = {
    "pool": "-o {}",
    "unjudged": "--qrels qrels --unjudged {}",
    "audit": "--audit 2 -o {}",
    "to judge": "--audit 2 --to-judge {}",
    "shown audit": "--audit 2 -f {format} -o {}",
}


@pytest.mark.parametrize("what", POOLS)
@pytest.mark.parametrize("format", ["text", "csv", "tsv", "json", "jsonl", "parquet"])
def test_read_pool_as_judgments_or_run_raises(here: Path, cranfield: Command, what: str, format: str) -> None:
    if (format in ("jsonl", "parquet")) != (what == "shown audit"):
        pytest.skip("no such file")
    name = f"p.{format}"
    cranfield.succeeds(*split(f"pool dense.run bm25.run {POOLS[what].format(name, format=format)}"))
    for words in (f"evaluate {name} dense.run", f"evaluate qrels {name}", f"validate {name}"):
        said = cranfield(words)
        assert said.code == 2
        assert "without judgments" in said.out + said.err
    assert cranfield(f"compare --scores {name}").code == 2
    with pytest.raises(cf.CranfieldError, match="without judgments"):
        cf.read_qrels(name)
    with pytest.raises(cf.CranfieldError, match="without judgments"):
        cf.read_run(name)
    cranfield.succeeds(f"evaluate qrels dense.run -m AP --topics @{name}")


@pytest.mark.parametrize("format", ["csv", "tsv", "json"])
def test_read_pool_with_levels_or_scores_returns_them(here: Path, cranfield: Command, format: str) -> None:
    cranfield.succeeds(f"pool dense.run bm25.run --depth 1 -o p.{format}")
    rows = pl.read_json("p.json") if format == "json" else pl.read_csv(
        f"p.{format}", separator="," if format == "csv" else "\t"
    )  # fmt: skip
    frame = rows.with_columns(level=2, mine=1.5)
    assert {*cf.read_qrels(frame).to_dict()} == {"q1", "q2"}
    assert cf.read_run(frame, columns={"score": "mine"}).to_dict()["q2"] == {"x": 1.5}
    with pytest.raises(cf.CranfieldError, match="a pool without judgments"):
        cf.read_qrels(rows)


@pytest.mark.parametrize("format", ["csv", "tsv", "json"])
def test_read_run_sampled_pool_raises(here: Path, cranfield: Command, format: str) -> None:
    cranfield.succeeds(f"pool dense.run bm25.run --strata 1-1:1 -o p.{format}")
    assert "this is a sampled pool" in cranfield.refused(f"evaluate qrels p.{format}")


def test_read_audit_of_each_format_returns_the_same(here: Path, cranfield: Command) -> None:
    for end in ("txt", "csv", "tsv", "json"):
        cranfield.succeeds(f"pool dense.run bm25.run --audit 3 -o a.{end}")
    pairs = [read_audit(f"a.{end}").pairs for end in ("txt", "csv", "tsv", "json")]
    assert pairs == [pairs[0]] * 4


@pytest.mark.parametrize("source", ["dict", "file", "scattered"])
def test_ties_at_the_depth_are_told(source: str, tmp_path: Path) -> None:
    """In q1 b and a have one score, and only one of them is in; in q2 the depth parts no equals."""
    lists = {"q1": {"c": 3.0, "b": 2.0, "a": 2.0}, "q2": {"x": 2.0, "y": 2.0, "z": 1.0}}
    run: Any = lists
    if source != "dict":
        rows = [(t, d, x) for t, docs in lists.items() for d, x in docs.items()]
        rows = rows if source == "file" else rows[::2] + rows[1::2]
        path = tmp_path / "r"
        path.write_text("".join(f"{t} Q0 {d} 0 {x} run\n" for t, d, x in rows))
        run = str(path)
    made = pool(run, depth=2)
    assert made.to_dict() == {"q1": ["b", "c"], "q2": ["x", "y"]}
    said = "run: equal scores on both sides of depth 2 in 1 topic (q1), ordered by document id"
    assert [note.text for note in made.notes] == [said]
    assert not pool(run, depth=2, topics=["q2"]).notes[1:]


def test_with_a_format_o_holds_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without one it is the pool, as ever; --pool names it in any case."""
    monkeypatch.chdir(tmp_path)
    Path("x.run").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    assert main(["pool", "x.run", "-f", "tsv", "-o", "who.tsv", "--pool", "pool.txt"]) == 0
    assert capsys.readouterr().out == ""
    assert Path("who.tsv").read_text().startswith("kind\tname\t")
    assert Path("pool.txt").read_text() == "q1 a\nq1 b\n"
    assert main(["pool", "x.run", "-o", "pool2.txt"]) == 0
    assert Path("pool2.txt").read_text() == "q1 a\nq1 b\n"
    assert "pool of 1 topic" in capsys.readouterr().out


class TestStrata:
    RUNS: ClassVar[dict[str, Any]] = {
        "one": {"q": [f"d{i:02}" for i in range(1, 31)], "p": ["a", "b", "c"]},
        "two": {"q": [f"d{i:02}" for i in range(30, 0, -1)]},
    }

    def test_a_stratum_is_that_of_the_best_rank(self) -> None:
        """d30 is first in run two; ranks 1-5 of the two are d01..d05 and d26..d30."""
        made = cf.pool(self.RUNS, strata="1-5:1,6-15:0.25", seed=1)
        assert made.depth == 15
        rows = made.list_sample()
        top = {doc for topic, doc, stratum, _ in rows if (topic, stratum) == ("q", 1)}
        assert top == {f"d{i:02}" for i in (*range(1, 6), *range(26, 31))}
        drawn = [row for row in rows if row[0] == "q" and row[2] == 2 and row[3] is None]
        assert len(drawn) == 5  # of 20: d06 to d25
        assert all(level is None for topic, _, stratum, level in rows if stratum == 1)
        assert {level for *_, level in rows} == {None, -1.0}

    def test_what_is_drawn_depends_on_seed_and_topic_alone(self) -> None:
        whole = cf.pool(self.RUNS, strata="1-15:0.3", seed=4).list_sample()
        one = cf.pool(self.RUNS, strata="1-15:0.3", seed=4, topics="q").list_sample()
        assert [row for row in whole if row[0] == "q"] == one
        drawn = [cf.pool(self.RUNS, strata="1-15:0.3", topics="q", seed=s) for s in range(9)]
        others = {tuple(made.list_sample()) for made in drawn}
        assert len(others) > 5

    def test_every_document_is_drawn_as_often(self) -> None:
        """3 of 10 in 2,000 draws: within four standard errors of 0.3."""
        run = {"q": [f"d{i}" for i in range(10)]}
        counts = np.zeros(10)
        for seed in range(2000):
            sample = cf.pool(run, strata="1-10:0.3", seed=seed).sample
            assert sample is not None
            counts += sample.is_drawn
        assert (np.abs(counts / 2000 - 0.3) < 4 * (0.3 * 0.7 / 2000) ** 0.5).all()
        assert counts.sum() == 3 * 2000

    def test_judgments_made_so_far(self) -> None:
        qrels = {"q": {"d01": 2, "d30": 0, "d10": 1}}
        made = cf.pool(self.RUNS, strata="1-1:1,2-15:0.1", seed=0, qrels=qrels)
        levels = {doc: level for topic, doc, _, level in made.list_sample() if topic == "q"}
        assert (levels["d01"], levels["d30"]) == (2, 0)
        assert levels["d10"] in (1, -1)  # −1 if it was not drawn, whatever it was judged

    def test_in_the_mean_the_estimate_is_what_it_estimates(self) -> None:
        """AP and nDCG of a list of 60, from samples of a quarter of it below rank 10."""
        rng = np.random.default_rng(5)
        docs = [f"d{i:02}" for i in range(60)]
        judged = dict(zip(docs, rng.choice([0, 0, 1, 2], 60).tolist(), strict=True))
        run = {"q": docs}
        whole = cf.evaluate({"q": judged}, run, "AP nDCG").values[0, 0]
        found = []
        for seed in range(300):
            made = cf.pool(run, strata="1-10:1,11-60:0.25", seed=seed, qrels={"q": judged})
            frame = pl.DataFrame(made.list_sample(), schema=["topic", "doc", "stratum", "level"], orient="row")
            found.append(cf.evaluate(frame, run, "xinfAP infNDCG").values[0, 0])
        errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
        assert (np.abs(np.mean(found, axis=0) - whole) < 4 * errors + 0.01).all()

    @pytest.mark.parametrize("strata", ["1-10", "2-10:1", "1-10:1,12-20:1", "1-10:0", "1-10:1.5", "5-1:1", "", "1-x:1"])
    def test_strata_that_are_none(self, strata: str) -> None:
        with pytest.raises(cf.InputError, match="Use ranks from 1 without gaps"):
            cf.pool(self.RUNS, strata=strata)

    def test_strata_say_how_deep(self) -> None:
        with pytest.raises(cf.InputError, match="use either depth or strata"):
            cf.pool(self.RUNS, 10, strata="1-10:1")
        with pytest.raises(cf.InputError, match=r"seed must be an integer ≥ 0, found -1"):
            cf.pool(self.RUNS, strata="1-10:1", seed=-1)

    def test_files(self, tmp_path: Path, capsys: Any) -> None:
        run = tmp_path / "r.run"
        run.write_text("".join(f"q Q0 d{i} {i} {9 - i} r\n" for i in range(1, 5)))
        for name in ("s.txt", "s.csv", "s.json"):
            out = str(tmp_path / name)
            asked = ["--strata", "1-2:1,3-4:0.5", "--seed", "2", "-o", out]
            assert main(["pool", str(run), *asked]) == 0
        shown = capsys.readouterr().out
        assert main(["pool", str(run), "--strata", "1-2:1,3-4:0.5", "-f", "json"]) == 0
        whole = json.loads(capsys.readouterr().out)
        second = {"stratum": 2, "ranks": "3-4", "documents": 2, "drawn": 1, "to_judge": 1}
        assert (whole["strata"][1], whole["seed"]) == (second, 0)
        assert "1-2" in shown
        assert "3 drawn (seed 2)" in shown
        text = (tmp_path / "s.txt").read_text()
        assert text.splitlines()[:2] == ["q 0 d1 1 ?", "q 0 d2 1 ?"]
        assert sorted(line.split()[-1] for line in text.splitlines()[2:]) == ["-1", "?"]
        assert (tmp_path / "s.csv").read_text().startswith("topic,doc,stratum,level\nq,d1,1,?\n")
        assert '"level": null' in (tmp_path / "s.json").read_text()
        with pytest.raises(cf.InputError, match=r"s.txt:1: found level '\?', expected a finite"):
            cf.evaluate(tmp_path / "s.txt", run, "xinfAP")


def test_a_run_whose_scores_grow_with_its_ranks_is_named(tmp_path: Path) -> None:
    distances = tmp_path / "distances"  # of a dense index: the nearest documents have the smallest
    distances.write_text("q1 Q0 a 1 0.1 d\nq1 Q0 b 2 0.5 d\nq1 Q0 c 3 0.9 d\nq2 Q0 x 1 0.3 d\n")
    found = pool(str(distances), 1)
    assert found.to_dict() == {"q1": ["c"], "q2": ["x"]}
    (note,) = found.notes
    assert (note.kind, note.run, note.topics) == ("rank-order", "d", ("q1",))
    by_rank = pool(str(distances), 1, ties="rank")
    assert (by_rank.to_dict(), by_rank.notes) == ({"q1": ["a"], "q2": ["x"]}, ())
    tied = tmp_path / "tied"  # equal scores may have any ranks
    tied.write_text("q1 Q0 a 2 0.9 d\nq1 Q0 b 1 0.9 d\nq1 Q0 c 3 0.1 d\n")
    assert [x.kind for x in pool(str(tied), 3).notes] == []
