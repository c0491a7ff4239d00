"""The leave-one-out test: what if a run, or a team, had not contributed to the pool?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError, InputError
from cranfield.labelling.runs import label_run
from cranfield.meta.leave_one_out import Contributor, LeftOut, leave_one_out
from tests.evidence import checks
from tests.made import Command, examples

# To depth 2, x alone brings b, y alone c, w alone d; a is everybody's, and z, judged, nobody's.
QRELS = {"1": {"a": 1, "b": 1, "c": 1, "d": 0, "z": 1}}
RUNS = {"x": {"1": ["a", "b", "c"]}, "y": {"1": ["a", "c"]}, "w": {"1": ["d", "a"]}}


@pytest.fixture
def command(cranfield: Command) -> Command:
    return cranfield.of("meta", "leave-one-out")


@checks("cf.meta.leave_one_out", against="by hand")
def test_runs_by_hand() -> None:
    """AP of x is (1 + 1 + 1)/4, and without b (R = 3; c now at rank 3 is the second) (1 + 2/3)/3.

    y: (1 + 1)/4, and without c 1/3. w: (1/2)/4, with or without d, which is nonrelevant.
    Ranks of x: 0.75 is first, and so is 0.5556 against y's 0.5. y: second, 1/3 is still.
    """
    found = leave_one_out(QRELS, RUNS, "AP", pool_depth=2)
    assert found.kind == "run"
    assert found.contributors == (
        Contributor("x", ("x",), 2, 1, 1, 1),
        Contributor("y", ("y",), 2, 1, 1, 1),
        Contributor("w", ("w",), 2, 1, 1, 0),
    )
    x, y, w = found.results
    assert [x.before, x.after] == pytest.approx([3 / 4, (1 + 2 / 3) / 3])
    assert [y.before, y.after] == pytest.approx([1 / 2, 1 / 3])
    assert [w.before, w.after] == [0.125, 0.125]
    assert y.relative == pytest.approx(-1 / 3)
    [summary] = found.summaries
    changes = [3 / 4 - 5 / 9, 1 / 2 - 1 / 3, 0]
    assert summary.mean_change == pytest.approx(sum(changes) / 3)
    assert summary.largest_change == pytest.approx(changes[0])
    assert summary.largest_change_of == "x"
    assert (summary.ranks_changed, summary.largest_rank_change, summary.tau) == (0, 0, 1.0)


def test_ranks_are_against_all_judgments() -> None:
    """P@2: x and y 1, w ½. Without b x has ½, and two are not worse: y is better, w the same."""
    found = leave_one_out(QRELS, RUNS, "P@2", pool_depth=2)
    assert found.results == (
        LeftOut("x", "x", "P@2", 1.0, 0.5, 1, 2),
        LeftOut("y", "y", "P@2", 1.0, 0.5, 1, 2),
        LeftOut("w", "w", "P@2", 0.5, 0.5, 3, 3),
    )
    [summary] = found.summaries
    assert (summary.ranks_changed, summary.largest_rank_change) == (2, 1)


def test_a_team_is_left_out_with_all_its_runs() -> None:
    """x and y of one team: b and c go, a stays thanks to w. R = 2 (a and z), so AP is 1/2 both.

    By P@2 both fall to ½, where w is: no run is better, so all are first.
    """
    found = leave_one_out(QRELS, RUNS, "AP P@2", teams={"x": "T", "y": "T"}, pool_depth=2)
    assert found.kind == "team"
    assert found.contributors[0] == Contributor("T", ("x", "y"), 3, 2, 2, 2)
    assert [one.after for one in found.results] == [0.5, 0.5, 0.125, 0.5, 0.5, 0.5]
    assert [one.rank_after for one in found.results[3:]] == [1, 1, 3]
    assert [n.kind for n in found.notes if n.kind == "teams"] == ["teams"]  # w has none


def test_depth_of_the_pool_decides_what_is_unique() -> None:
    """To depth 3, c is of x, too, so that y brings nothing alone."""
    found = leave_one_out(QRELS, RUNS, "AP", pool_depth=3)
    assert [one.unique_judged for one in found.contributors] == [1, 0, 1]
    assert found.results[1].difference == 0.0


def pool_notes(found: Any) -> list[str]:
    return [note.text for note in found.notes if note.kind == "pool-depth"]


def test_leave_one_out_depth_is_the_pool_depth_and_no_cutoff() -> None:
    """The AP of x has c at rank 3, although the pool is 2 deep: as in `test_runs_by_hand`."""
    found = leave_one_out(QRELS, RUNS, "AP", depth=2)
    assert found.pool_depth == 2
    assert found.results == leave_one_out(QRELS, RUNS, "AP", pool_depth=2).results
    assert found.results[0].before == 3 / 4
    assert pool_notes(found) == []


def test_leave_one_out_without_a_depth_derives_it_from_the_judgments() -> None:
    """u of y at rank 3 is the first unjudged document; x has one at rank 4."""
    runs = {"x": {"1": [*"abcv"]}, "y": {"1": [*"acu"]}, "w": {"1": ["d", "a"]}}
    found = leave_one_out(QRELS, runs, "AP")
    assert found.pool_depth == 2
    assert found.results == leave_one_out(QRELS, runs, "AP", depth=2).results
    assert pool_notes(found) == [
        "pool depth 2, to which all rankings are judged: "
        "y has an unjudged document at rank 3 of topic 1. Use depth=K to set it."
    ]


def test_leave_one_out_everything_judged_takes_the_longest_ranking() -> None:
    found = leave_one_out(QRELS, RUNS, "AP")
    assert found.pool_depth == 3
    assert pool_notes(found) == [
        "pool depth 3, the longest ranking: all returned documents are judged. Use depth=K to set it."
    ]


def test_leave_one_out_unjudged_document_at_rank_1_requires_a_depth() -> None:
    runs = {**RUNS, "v": {"1": ["u", "a"]}}
    message = (
        "the judgments do not show the pool depth: v has an unjudged document at rank 1 of "
        "topic 1. Use depth=K with the depth of the pool"
    )
    with pytest.raises(InputError, match=message):
        leave_one_out(QRELS, runs, "AP")


def test_leave_one_out_two_pool_depths_raises() -> None:
    with pytest.raises(InputError, match="two pool depths: depth=2 and pool_depth=3"):
        leave_one_out(QRELS, RUNS, "AP", depth=2, pool_depth=3)


@settings(max_examples=examples(20))
@given(st.integers(1, 5), st.randoms(use_true_random=False))
def test_leave_one_out_complete_pool_derives_at_least_its_depth(depth: int, random: Any) -> None:
    """Every document of the pool is judged, so that no ranking has a gap above its depth."""
    ids = [f"d{i}" for i in range(30)]
    runs = {r: {t: random.sample(ids, 12) for t in "12"} for r in "abc"}
    qrels = {t: {d: 1 for run in runs.values() for d in run[t][:depth]} for t in "12"}
    expected = min(
        next((i for i, d in enumerate(run[t]) if d not in qrels[t]), 12) for run in runs.values() for t in "12"
    )
    assert depth <= expected == leave_one_out(qrels, runs, "AP").pool_depth


def test_condensed_lists_come_through_the_measures() -> None:
    """Without d, w's list condenses to a: AP is 1/4, where d and a have (1/2)/4."""
    found = leave_one_out(QRELS, RUNS, "AP(condensed=true)", pool_depth=2)
    assert (found.results[2].before, found.results[2].after) == (0.125, 0.25)


def test_intents_lose_their_documents() -> None:
    """Intent recall of x, a for intent 1 and b for 2: 1, and ½ when x alone had brought b."""
    qrels = {"1": {"1": {"a": 1}, "2": {"b": 1, "z": 1}}}
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["a", "n"]}}
    x, y = leave_one_out(qrels, runs, "IRec@2", pool_depth=2).results
    assert (x.before, x.after) == (1.0, 0.5)
    assert (y.before, y.after) == (0.5, 0.5)


def test_lower_is_better() -> None:
    """E = 1 − F: x finds 1 of 4 with 2 documents, F = 2/6, y 2 of 4, F = 4/6, which is better.

    y without a, unique to it, finds 1 of 3, F = 2/5: still better than x with 2/6.
    """
    runs = {"x": {"1": ["d", "b"]}, "y": {"1": ["a", "b"]}}
    x, y = leave_one_out(QRELS, runs, "E", pool_depth=2).results
    assert [x.before, y.before, y.after] == pytest.approx([4 / 6, 2 / 6, 3 / 5])
    assert (x.rank_before, y.rank_before, y.rank_after) == (2, 1, 1)


def test_topics_that_lose_their_last_relevant_document_are_named() -> None:
    """Topic 2 has b only, which x alone brings; it counts as 0 then, and the user learns so."""
    qrels = {"1": {"a": 1}, "2": {"b": 1, "n": 0}}
    runs = {"x": {"1": ["a"], "2": ["b"]}, "y": {"1": ["a"], "2": ["n"]}}
    found = leave_one_out(qrels, runs, "AP", pool_depth=1)
    assert (found.results[0].before, found.results[0].after) == (1.0, 0.5)
    said = "without 1 run (x): 1 topic (2) without a relevant document"
    assert said in [n.text for n in found.notes]


@pytest.mark.parametrize("undefined", ["zero", "skip", "nan", "error"])
def test_scores_before_and_after_are_of_the_same_topics(undefined: str) -> None:
    """x alone brings c, the one relevant document of topic 2: a mean over topic 1 only, 1, would
    hide that. The judgments themselves have a relevant document for every topic: no error.
    """
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 0}}
    runs = {"x": {"1": ["a", "b"], "2": ["c", "d"]}, "y": {"1": ["b", "a"], "2": ["d"]}}
    found = leave_one_out(qrels, runs, "AP", undefined=undefined)
    assert [(one.before, one.after) for one in found.results] == [(1, 0.5), (0.5, 0.5)]


def test_topics_that_never_had_a_relevant_document_stay_left_out() -> None:
    """Topic 3 has none: means are over topics 1 and 2, of which x loses the second."""
    qrels = {"1": {"a": 1}, "2": {"c": 1, "d": 0}, "3": {"e": 0}}
    runs = {"x": {"1": ["a"], "2": ["c"], "3": ["e"]}, "y": {"1": ["a"], "2": ["d"]}}
    for undefined in ("skip", "nan"):
        found = leave_one_out(qrels, runs, "AP", undefined=undefined)
        assert [(one.before, one.after) for one in found.results] == [(1, 0.5), (0.5, 0.5)]
        assert found.topics == ("1", "2")
    with pytest.raises(InputError, match="no relevant document for 1 topic"):
        leave_one_out(qrels, runs, "AP", undefined="error")


def test_leave_one_out_topics_without_relevant_documents_have_no_lost_note() -> None:
    qrels = {"1": {"a": 0, "b": 0}, "2": {"c": 1, "d": 1}}
    runs = {"x": {"1": ["a"], "2": ["c"]}, "y": {"1": ["b"], "2": ["d"]}}
    found = leave_one_out(qrels, runs, "P@1")
    assert not [note for note in found.notes if note.text.startswith("leaving out")]


def test_tied_runs_that_stay_tied_have_the_same_ranking() -> None:
    runs = {"x": {"1": ["a"]}, "y": {"1": ["a"]}, "z": {"1": ["n"]}}
    found = leave_one_out({"1": {"a": 1, "n": 0}}, runs, "P@1")
    assert found.summaries[0].tau == 1  # τ_a would be 2/3
    assert math.isnan(found.results[2].relative)  # of 0


def test_common_topics_are_those_of_all_runs() -> None:
    """y does not answer topic 2, also when x is left out and scored by itself."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 0, "d": 1}}
    runs = {"x": {"1": ["a"], "2": ["c"]}, "y": {"1": ["b"]}}
    found = leave_one_out(qrels, runs, "P@1", topics="common")
    assert found.topics == ("1",)
    assert [(one.before, one.after) for one in found.results] == [(1, 0), (1, 0)]


def test_common_topics_stay_when_one_is_left_out() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    runs = {"x": {"1": ["n", "a"], "2": ["c"]}, "y": {"1": ["b"]}, "z": {"1": ["n"], "2": ["c"]}}
    found = leave_one_out(qrels, runs, "P@1", topics="common", depth=100)
    assert [(one.run, one.after) for one in found.results] == [("x", 0), ("y", 0), ("z", 0)]


def test_leave_one_out_rel_sets_relevant_documents() -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 1}}
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["c"]}}
    found = leave_one_out(qrels, runs, "P@1", rel=2)
    assert [one.unique_relevant for one in found.contributors] == [1, 0]


def test_leave_one_out_keeps_intents_of_other_documents() -> None:
    """a, which x alone has, is relevant to intent 1; b, which both have, to both intents."""
    qrels = [("1", "1", "a", 1), ("1", "1", "b", 1), ("1", "2", "b", 1), ("1", "2", "c", 1)]
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "n"]}}
    x, y = leave_one_out(qrels, runs, "IRec@2", depth=2).results
    assert (x.before, x.after, y.after) == (1, 1, 1)


def test_leave_one_out_lost_highest_level_has_note() -> None:
    """ERR depends on the highest level, which only b, unique to x, has."""
    qrels = {"1": {"a": 1, "b": 2, "n": 0}}
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["a", "n"]}}
    texts = [n.text for n in leave_one_out(qrels, runs, "ERR", pool_depth=2).notes]
    assert "without 1 run (x), no document has the highest level. Use max_level= to declare it." in texts
    declared = leave_one_out(qrels, runs, "ERR(max_level=2)", pool_depth=2).notes
    assert not [n for n in declared if n.kind == "max-level"]


docs = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)
lists = st.fixed_dictionaries({"1": docs, "2": docs})
levels = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), min_size=1)


@settings(max_examples=examples(20))
@given(
    st.fixed_dictionaries({"1": levels, "2": levels}),
    st.lists(lists, min_size=2, max_size=4),
    st.integers(1, 4),
    st.booleans(),
)
def test_judgments_without_unique_ones(
    qrels: dict[str, dict[str, int]], given_lists: list[Any], depth: int, in_teams: bool
) -> None:
    """The sets of Figure 18, topic by topic, and an evaluation for each left out."""
    runs = {f"r{i}": one for i, one in enumerate(given_lists)}
    team_of = {run: (f"t{i // 2}" if in_teams else run) for i, run in enumerate(runs)}
    if len(set(team_of.values())) < 2:
        team_of["r1"] = "t1"
    found = leave_one_out(qrels, runs, ["AP", "nDCG@3"], teams=team_of if in_teams else None, pool_depth=depth)
    after = {(one.run, one.measure): one.after for one in found.results}
    for run, team in team_of.items():
        less = {}
        for topic, of_topic in qrels.items():
            own = {d for r, t in team_of.items() if t == team for d in runs[r][topic][:depth]}
            other = {d for r, t in team_of.items() if t != team for d in runs[r][topic][:depth]}
            less[topic] = {d: level for d, level in of_topic.items() if d not in own - other}
        expected = cf.evaluate(less, {run: runs[run]}, ["AP", "nDCG@3"]).summary()[run]
        assert {m: after[run, m] for m in expected} == pytest.approx(expected, abs=1e-15)


@settings(max_examples=examples(20))
@given(lists, st.lists(lists, min_size=1, max_size=3))
def test_leave_one_out_run_without_unique_documents_keeps_score(same: Any, others: list[Any]) -> None:
    """Two runs that are the same have no unique documents."""
    qrels = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 0}}
    runs = {"x": same, "y": same, **{f"r{i}": one for i, one in enumerate(others)}}
    found = leave_one_out(qrels, runs, "AP", pool_depth=3)
    assert [one.unique for one in found.contributors[:2]] == [0, 0]
    assert [(one.difference, one.rank_change) for one in found.results[:2]] == [(0.0, 0)] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"teams": {"x": "T", "y": "T", "w": "T"}}, r"found 1 team \(T\), expected at least 2"),
        ({"measures": "num_ret"}, "no measure can rank the runs"),
        (
            {"labelling": cf.EquivalenceClasses({"1": {"a": "1"}})},
            "classes and groups of items are not supported",
        ),
        ({"pool_depth": 0}, "depth must be an integer ≥ 1, found 0"),
    ],
)
def test_leave_one_out_invalid_arguments_raise(options: dict[str, Any], said: str) -> None:
    """Mistakes are told in one sentence."""
    with pytest.raises((CranfieldError, InputError), match=said):
        leave_one_out(QRELS, RUNS, **{"measures": "AP", **options})


# -- files --------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The judgments and the runs, ranked by score and by rank alike."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"1 0 {doc} {level}\n" for doc, level in QRELS["1"].items()))
    paths = [qrels]
    for name, of_topics in RUNS.items():
        rows = [f"1 Q0 {d} {r} {9 - r} {name}\n" for r, d in enumerate(of_topics["1"], 1)]
        paths.append(tmp_path / f"{name}.txt")
        paths[-1].write_text("".join(rows))
    return paths


@pytest.mark.parametrize("ties", [None, "rank", "file", "expected"])
def test_files_give_what_mappings_give(files: list[Path], ties: str | None) -> None:
    """Also in the orders that runs are read in."""
    found = leave_one_out(files[0], files[1:], ["AP", "P@2"], pool_depth=2, ties=ties)
    assert found.results == leave_one_out(QRELS, RUNS, ["AP", "P@2"], pool_depth=2).results


def test_command_with_a_team_file(files: list[Path], tmp_path: Path, command: Command) -> None:
    """As above, from files."""
    teams = tmp_path / "teams.txt"
    teams.write_text("x T\ny T\nw W\n")
    arguments: list[str | Path] = [*files, "-m", "AP P@2", "--teams", teams, "--depth", "2"]
    found = json.loads(command.printed(*arguments, "-f", "json"))
    assert [row["after"] for row in found["runs"]] == [0.5, 0.5, 0.125, 0.5, 0.5, 0.5]
    assert found["contributors"][0]["unique_relevant"] == 2
    assert found["settings"] == {"pool_depth": 2, "kind": "team", "runs": 3, "topics": 1}
    assert "3 runs of 2 teams on 1 topic" in found["captions"]["summary"]
    older = [word if word != "--depth" else "--pool-depth" for word in arguments]
    assert json.loads(command.printed(*older, "-f", "json")) == found
    shown = command.printed(*arguments)
    assert "unique relevant" in shown
    assert "-0.2500" in shown  # x: 0.5 − 0.75
    assert "+0.0000" in shown  # w


def test_command_one_run_raises(files: list[Path], tmp_path: Path, command: Command) -> None:
    """One run; a run that is not in order; a picture of an unknown kind."""
    assert "found 1 run (x), expected at least 2" in command.refused(*files[:2])
    files[1].write_text("1 Q0 a 1 9 x\n1 Q0 a\n")
    assert "x.txt:2: found 3 fields" in command.refused(*files)
    said = command.refused(*files, "--plot", tmp_path / "loo.docx")
    assert "expected a name that ends in" in said


def test_picture_has_a_point_for_each_run_and_measure() -> None:
    """And the numbers of the results."""
    drawn = leave_one_out(QRELS, RUNS, ["AP", "P@2"], pool_depth=2)._build_figure()
    assert drawn.data.select("run", "after").rows()[3:] == [("x", 0.5), ("y", 0.5), ("w", 0.5)]
    chart = drawn.chart.to_dict()
    assert len(chart["concat"]) == 2
    assert chart["title"]["text"] == "Leave-one-out test: 3 runs on 1 topic"


def test_leave_one_out_depth_beyond_pool_has_note() -> None:
    """To depth 2 all unique documents are judged; to depth 3, u of x and v of y are not."""
    deeper = {**RUNS, "x": {"1": ["a", "b", "u"]}, "y": {"1": ["a", "c", "v"]}}
    told = {
        depth: [n.text for n in leave_one_out(QRELS, deeper, "AP", pool_depth=depth).notes
                if n.kind == "pool-depth"]
        for depth in (2, 3)
    }  # fmt: skip
    assert told == {
        2: [],
        3: [
            "2 of 3 runs have unjudged documents in the first 3 that no other run has. Check that the pool depth is 3."
        ],
    }


def test_runs_are_labelled_once() -> None:
    """Whoever is left out: what a run loses is known from where it placed all judged documents."""
    with mock.patch("cranfield.evaluation.collection.label_run", side_effect=label_run) as labelled:
        leave_one_out(QRELS, RUNS, "AP", pool_depth=2)
    assert labelled.call_count == len(RUNS)


TIED = {
    "x": {"1": {"a": 2.0, "b": 2.0, "u": 2.0, "c": 1.0, "e": 1.0}, "2": {"a": 1.0, "d": 1.0}},
    "y": {"1": {"a": 2.0, "e": 1.0, "d": 1.0, "v": 1.0}, "2": {"b": 3.0, "e": 1.0, "c": 1.0}},
    "w": {"1": {"d": 1.0, "c": 1.0, "a": 1.0}, "2": {"c": 1.0}},
}
LEVELS = {"1": {"a": 1, "b": 3, "c": 2, "d": 0, "e": 1}, "2": {"a": 2, "b": 1, "c": 0, "e": 1}}


@checks("cf.meta.leave_one_out", against="second writing")
@pytest.mark.parametrize(
    "options",
    [
        *({"ties": ties} for ties in ("trec", "best", "worst", "expected")),
        {"gains": "topic"},
        {"lengths": {doc: 3.0 + i for i, doc in enumerate("abcdeuv")}, "ties": "worst"},
        {"exclude_self": True, "topics": ["2"]},
    ],
)
def test_leave_one_out_equals_evaluation_with_reduced_judgments(options: dict[str, Any]) -> None:
    """To the last bit, whatever else is asked for; b goes with x in topic 1 and with y in 2."""
    measures = ["AP", "nDCG@3", "Q", "ERR", "bpref", *(["U"] if "lengths" in options else [])]
    found = leave_one_out(LEVELS, TIED, measures, pool_depth=2, **options)
    after = {(one.run, one.measure): one.after for one in found.results}
    tops = {run: {(t, doc) for t, docs in lists.items() for doc in top(docs, 2)} for run, lists in TIED.items()}
    for run, own in tops.items():
        alone = own.difference(*(other for name, other in tops.items() if name != run))
        less = {t: {doc: level for doc, level in docs.items() if (t, doc) not in alone} for t, docs in LEVELS.items()}
        expected = cf.evaluate(less, {run: TIED[run]}, measures, **options).summary()[run]
        assert {m: after[run, m] for m in found.measures} == {m: expected[m] for m in found.measures}


def top(docs: dict[str, float], depth: int) -> list[str]:
    """The first few, by score and then by id, both falling."""
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:depth]
