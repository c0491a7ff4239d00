"""What people are told of many runs: a line for each kind; and of a run with short lists."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.report.formats.terminal import format_note_lines
from cranfield.scores import Note, format_notes

TOPICS = [f"t{i}" for i in range(8)]
QRELS = {topic: {"a": 1, "b": 0, "c": 1} for topic in TOPICS}


def run(answered: int = 8, ties: int = 0, unjudged: int = 0) -> cf.Run:
    """A run that answers some of the topics, in some with a tie, in some with an unjudged one."""
    made = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in TOPICS[:answered]}
    for topic in TOPICS[:ties]:
        made[topic]["a"] = 2.0
    for topic in TOPICS[:unjudged]:
        made[topic]["x"] = 0.5
    return cf.read_run(made)  # declared to be a run: nothing is said of its few scores


def lines(scores: cf.Scores) -> list[str]:
    return format_notes(scores.notes, len(scores.runs), "-v")


class TestInBrief:
    def test_a_line_for_what_is_said_of_several_runs(self) -> None:
        runs = {"a": run(), **{name: run(ties=n) for n, name in enumerate("bcd", 1)}}
        scores = cf.evaluate(QRELS, runs, "AP")
        assert [n.run for n in scores.notes] == ["b", "c", "d"]  # in Python all of them
        assert lines(scores) == ["ties could change a score in 3 of 4 runs; -v lists them"]

    def test_numbers_go_from_the_least_to_the_most(self) -> None:
        """P@4 sees 3 documents of each of 8 topics, and the unjudged ones of 2, 5 and 8 topics."""
        runs = {f"r{n}": run(unjudged=n) for n in (2, 8, 5)}
        assert lines(cf.evaluate(QRELS, runs, "P@4")) == [
            "all 3 runs: 2 to 8 of 26 to 32 documents in the top 4 are unjudged and count as nonrelevant; -v lists them"
        ]

    def test_one_topic_and_several(self) -> None:
        runs = {f"r{n}": run(answered=n) for n in (5, 7, 6, 8)}
        assert lines(cf.evaluate(QRELS, runs, "AP")) == [
            "3 of 4 runs: 1 to 3 topics missing, scored as empty; -v lists them"
        ]

    def test_two_runs_are_told_of_one_by_one(self) -> None:
        runs = {"a": run(ties=1), "b": run(), "c": run(answered=7, ties=2)}
        scores = cf.evaluate(QRELS, runs, "AP")
        assert sorted(lines(scores)) == sorted(n.text for n in scores.notes)
        assert [line[:8] for line in lines(scores)] == ["a: ties ", "c: ties ", "c: 1 top"]

    def test_what_is_of_no_run_stays_as_it_is(self) -> None:
        told = [Note("gains", f"number {i}", topics=("1",)) for i in range(4)]
        assert format_notes(told, 9, "-v") == [n.text for n in told]

    def test_what_differs_in_words_is_told_apart(self) -> None:
        """As of the two levels of a hierarchy."""
        told = [
            Note("ties", f"{level} level: {name}: ties could change a score in 1 topic (1): 2 of "
                   "3 tied documents", name, ("1",))
            for name in "abcd"
            for level in ("first", "second")
        ]  # fmt: skip
        assert format_notes(told, 4) == [
            "first level: ties could change a score in all 4 runs",
            "second level: ties could change a score in all 4 runs",
        ]

    def test_nobody_says_how_many_runs_there_are(self) -> None:
        told = [Note("x", f"{name}: odd", name) for name in "abc"]
        assert format_notes(told) == ["3 runs: odd"]

    def test_names_with_numbers_are_no_numbers(self) -> None:
        told = [Note("x", f"run-{i}: 2 topics (q{i}, 30{i}) odd", f"run-{i}") for i in range(3)]
        assert format_notes(told, 3) == ["all 3 runs: 2 topics odd"]

    def test_ranks_that_contradict_scores(self, tmp_path: Any) -> None:
        for name in "abc":
            text = f"t0 Q0 b 1 1.0 {name}\nt0 Q0 a 2 2.0 {name}\n"
            (tmp_path / name).write_text(text)
        scores = cf.evaluate({"t0": {"a": 1, "b": 0}}, [tmp_path / name for name in "abc"], "AP")
        told = "rank and score disagree in all 3 runs. Documents are ordered by score."
        told += " Use -v for details."
        assert lines(scores) == [told]

    def test_pools(self) -> None:
        made = cf.pool({name: {"t0": {"a": 1.0, "b": 1.0}} for name in "abc"}, depth=1)
        told = "equal scores on both sides of depth 1 in all 3 runs, ordered by document id"
        assert format_notes(made.notes, 3) == [told]

    def test_texts_and_distributions(self) -> None:
        """Kinds of other rooms have sentences as well."""
        gold = {"i1": {"1": 1.0, "2": 0.0}, "i2": {"1": 0.5, "2": 0.5}}
        systems = {name: {"i1": {"1": 1.0, "2": 0.0}} for name in "abc"}
        scores = cf.evaluate_distributions(gold, systems, missing="uniform")
        assert "all 3 runs: 1 item missing, scored as uniform" in format_notes(scores.notes, 3)


def test_tables_and_reprs_are_brief() -> None:
    runs = {name: run(ties=1) for name in "abc"}
    scores = cf.evaluate(QRELS, runs, "AP")
    brief = "note: ties could change a score in all 3 runs"
    assert repr(scores).splitlines()[-1] == f"{brief}; .notes lists them"
    assert format_note_lines(scores.notes, 3) == [f"{brief}; -v lists them"]
    assert format_note_lines(scores.notes, 3, all_notes=True) == [f"note: {n.text}" for n in scores.notes]


class TestShortLists:
    @staticmethod
    def told(lengths: dict[str, int], measures: str = "AP", **options: Any) -> list[str]:
        runs = {name: {topic: [f"d{i}" for i in range(n)] for topic in TOPICS} for name, n in lengths.items()}
        scores = cf.evaluate({t: {"d0": 1} for t in TOPICS}, runs, measures, **options)
        return [n.text for n in scores.notes if n.kind == "short-lists"]

    def test_a_run_with_shorter_lists(self) -> None:
        assert self.told({"bm25": 1000, "dense": 100}) == [
            "dense: rankings are short (median 100 documents over 8 topics, other runs 1,000). "
            "At deeper cutoffs, the missing ranks are empty."
        ]

    @pytest.mark.parametrize(
        ("lengths", "measures"),
        [
            ({"dense": 100}, "AP"),  # alone
            ({"bm25": 1000, "dense": 500}, "AP"),  # not much shorter
            ({"bm25": 1000, "dense": 100}, "nDCG@10 P@100"),  # nobody looks deeper
            ({"bm25": 9, "dense": 2}, "AP"),  # all lists are short
            ({"bm25": 1000, "dense": 100}, "NumRet"),  # which is what it is about
        ],
    )
    def test_nothing_to_say(self, lengths: dict[str, int], measures: str) -> None:
        assert self.told(lengths, measures) == []

    def test_a_depth_makes_them_alike(self) -> None:
        assert self.told({"bm25": 1000, "dense": 100}, depth=100) == []

    def test_the_others_are_the_middle_one(self) -> None:
        """100, 1000, 1000: for a run of 1000 documents, the others have 550 in the median."""
        (text,) = self.told({"a": 1000, "b": 1000, "dense": 100}, "nDCG@200")
        assert text.startswith("dense: rankings are short (median 100 documents over 8 topics")


# -- notices of a selection -----------------------------------------------------------------------

SIMULATED = cf.simulate(topics=12, runs=3, depth=30, levels=2, seed=5)
NAMES = list(SIMULATED.qrels)
ODD_QRELS = {**SIMULATED.qrels, NAMES[0]: dict.fromkeys(SIMULATED.qrels[NAMES[0]], 0)}
ODD_RUNS = {
    name: {
        topic: {doc: round(score) for doc, score in docs.items()}  # tied
        for topic, docs in lists.items()
        if (int(name[-1]) + int(topic)) % 5
    }
    for name, lists in SIMULATED.runs.items()
}
STATED = "nDCG@5 P@10 RR AP ERR DCG@20"


def texts(scores: cf.Scores, *without: str) -> list[str]:
    return [note.text for note in scores.notes if note.kind not in without]


class TestSelection:
    """The notices of a selection are those of an evaluation of what is selected."""

    @pytest.mark.parametrize(
        "options",
        [{}, {"depth": 7}, {"ties": "expected"}, {"ties": "best"}, {"undefined": "skip"},
         {"gains": {topic: [1, 2 + i % 2] for i, topic in enumerate(NAMES)}}],
    )  # fmt: skip
    @pytest.mark.parametrize("topics", [NAMES[:5], NAMES[3:4], NAMES])
    def test_select_topics_notes_equal_those_of_evaluation(self, options: dict[str, Any], topics: list[str]) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED, **options)
        fresh = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED, topics=topics, **options)
        assert {"missing-topics", "no-relevant"} <= {n.kind for n in scores.notes}
        appear = ("few-topics", "short-lists")  # for a selection alone, which nobody computed
        assert texts(scores.select(topics=topics), *appear) == texts(fresh, *appear)

    @pytest.mark.parametrize("measures", ["P@10", "AP", "nDCG@5 ERR", "RR DCG@20"])
    @pytest.mark.parametrize("ties", [None, "expected", "worst"])
    def test_select_measures_notes_equal_those_of_evaluation(self, measures: str, ties: Any) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED, ties=ties)
        fresh = cf.evaluate(ODD_QRELS, ODD_RUNS, measures, ties=ties)
        chosen = scores.select(measures=list(fresh.measures))
        assert texts(chosen) == texts(fresh)

    def test_select_measures_names_those_selected(self) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, "AP RR AP(rel=2)")
        few = [note for note in scores.notes if note.kind == "no-relevant"]
        assert [n.text.partition(":")[0] for n in few] == ["AP, RR", "AP(rel=2)"]
        for measure in scores.measures:
            (lacking,) = [n for n in scores[:, :, measure].notes if n.kind == "no-relevant"]
            assert lacking.text.startswith(f"{measure}: ")

    def test_select_runs_drops_notes_of_others(self) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED)
        assert {n.run for n in scores["sys02"].notes} == {None, "sys02"}
        assert scores.sorted_by("AP").notes == scores.notes

    def test_select_topics_counts_are_of_the_selection(self) -> None:
        scores = cf.evaluate(QRELS, {"a": run(answered=6, ties=4, unjudged=3)}, "AP P@4")
        assert texts(scores) == [
            "a: 2 topics (t6, t7) missing, scored as empty",
            "a: ties could change a score in 4 topics (t0, t1, t2, t3): 8 of 8 tied documents",
            "a: 3 of 21 documents in the top 4 are unjudged and count as nonrelevant",
        ]
        chosen = scores[:, ["t2", "t3", "t7"]]
        assert texts(chosen) == [
            "a: 1 topic (t7) missing, scored as empty",
            "a: ties could change a score in 2 topics (t2, t3): 4 of 4 tied documents",
            "a: 1 of 7 documents in the top 4 are unjudged and count as nonrelevant",
        ]
        assert [n.topics for n in chosen.notes] == [("t7",), ("t2", "t3"), ()]
        assert texts(chosen[:, "t7"]) == ["a: 1 topic (t7) missing, scored as empty"]
        assert texts(scores.select(topics="t5")) == []

    def test_few_topics_holds_for_the_selection(self) -> None:
        scores = cf.evaluate(QRELS, {"a": run(answered=3)}, "AP")
        (few,) = texts(scores, "missing-topics")
        assert few == "a: only 3 of 8 judged topics are in the run"
        assert texts(scores.select(topics=TOPICS[:7]), "missing-topics") == [
            "a: only 3 of 7 judged topics are in the run"
        ]
        assert texts(scores.select(topics=TOPICS[:6]), "missing-topics") == []
        assert texts(scores.select(topics=TOPICS[6:]), "missing-topics") == [
            "a: only 0 of 2 judged topics are in the run"
        ]

    @pytest.mark.parametrize("suffix", ["json", "parquet", "copied"])
    def test_saved_notes_are_of_the_selection(self, suffix: str, tmp_path: Path) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED)
        path = tmp_path / f"x.{suffix}"
        if suffix == "copied":
            read = copy.deepcopy(scores)  # as pickle does
        else:
            scores.save(path)
            read = cf.Scores.load(path)
        assert read == scores
        chosen = {"topics": NAMES[:4], "measures": ["AP"]}
        assert read.select(**chosen).notes == scores.select(**chosen).notes

    def test_notes_are_json(self) -> None:
        scores = cf.evaluate(ODD_QRELS, ODD_RUNS, STATED)
        assert any(note.facts for note in scores.notes)
        saved = json.loads(json.dumps([note.to_dict() for note in scores.notes]))
        assert {key for note in saved for key in note} == {"kind", "text", "run", "topics"}

    def test_one_document_counts_the_topics_of_the_selection(self) -> None:
        topics = [f"q{i}" for i in range(12)]
        scores = cf.evaluate({t: {"a": 1} for t in topics}, {"x": {t: ["a"] for t in topics}}, "AP")
        (text,) = texts(scores.select(topics=topics[:3]))
        assert text.startswith("x: one document in each of 3 topics. If")

    def test_per_intent_notes_follow_their_topics(self) -> None:
        qrels = [(t, i, d, 1) for t in "12" for i in "xy" for d in "ab"]
        scores = cf.evaluate(qrels, {"a": {"1": ["a"]}}, "AP", per_intent=True)
        said = "a: 1 topic (2) missing, scored as empty"
        assert said in texts(scores)
        assert said in texts(scores.select(topics=["1/x", "2/y"]))
        assert said not in texts(scores.select(topics=["1/x", "1/y"]))

    def test_hostile_names_stay_as_they_are(self) -> None:
        name = "{topics} 1 topic (t0) {0}"
        scores = cf.evaluate(QRELS, {name: run(answered=6, ties=2)}, "AP")
        assert texts(scores[:, "t0"]) == [f"{name}: ties could change a score in 1 topic (t0): 2 of 2 tied documents"]
        assert texts(scores[:, "t7"], "few-topics") == [f"{name}: 1 topic (t7) missing, scored as empty"]


def test_few_scores_of_ranks_are_not_noted(tmp_path: Path) -> None:
    """A run by rank has no scores, so its ranks are no levels."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{i} 0 a 2\nq{i} 0 b 0\n" for i in range(6)))
    rows = "".join(f"q{i},{doc},{rank}\n" for i in range(6) for rank, doc in enumerate("ab", 1))
    notes = {}
    for column in ("rank", "score"):
        path = tmp_path / f"{column}.csv"
        path.write_text(f"qid,docid,{column}\n{rows}")
        notes[column] = [note.kind for note in cf.evaluate(qrels, path, "AP").notes]
    assert "few-scores" in notes["score"]
    assert "few-scores" not in notes["rank"]
