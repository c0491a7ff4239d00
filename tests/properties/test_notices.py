"""What is told, and when."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import cranfield as cf
from tests.properties.made import EACH, HOLES, HOLES_RUN, Give, Lists, collections, evaluate, few

# -- notices ----------------------------------------------------------------------------------


def kinds(scores: cf.Scores) -> list[str]:
    return [n.kind for n in scores.notes]


def the(scores: cf.Scores, kind: str) -> cf.Note:
    (found,) = [n for n in scores.notes if n.kind == kind]
    return found


class TestNotes:
    def test_none_where_all_is_well(self) -> None:
        assert cf.evaluate({"a": {"x": 1}}, {"a": {"x": 1.0}}, "AP nDCG@5").notes == ()

    def test_missing_topics(self) -> None:
        note = the(cf.evaluate(HOLES, HOLES_RUN, "AP"), "missing-topics")
        assert (note.run, note.topics) == ("run", ("c",))
        assert note.text.startswith("run: 1 topic (c) missing, scored as empty")
        assert "empty" in note.text
        common = the(cf.evaluate(HOLES, HOLES_RUN, "AP", topics="common"), "missing-topics")
        assert "excluded" in common.text

    def test_unjudged_topics(self) -> None:
        note = the(cf.evaluate(HOLES, HOLES_RUN, "AP"), "unjudged-topics")
        assert note.topics == ("z",)
        assert note.text.startswith("run: 1 topic (z) without judgments")

    def test_only_a_few_topics_are_named(self) -> None:
        qrels = {f"t{i}": {"x": 1} for i in range(9)}
        note = the(cf.evaluate(qrels, {"t0": {"x": 1.0}}, "AP"), "missing-topics")
        assert "8 topics (t1, t2, t3, t4, t5, …)" in note.text
        assert len(note.topics) == 8

    def test_ties_that_matter(self, give: Give) -> None:
        qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}}
        run = {"a": {"x": 1.0, "y": 1.0, "z": 0.5}, "b": {"u": 1.0, "x": 1.0, "v": 1.0, "w": 2.0}}
        note = the(cf.evaluate(qrels, give(run), "AP"), "ties")
        assert note.topics == ("a", "b")
        assert "5 of 5 tied documents" in note.text

    @pytest.mark.parametrize(
        ("judged", "ranked"),
        [
            ({"x": 1, "y": 1}, {"x": 1.0, "y": 1.0}),
            ({"x": 1, "y": 0, "z": -1}, {"x": 2.0, "y": 1.0, "z": 1.0, "u": 1.0}),
            ({"x": 1}, {"x": 2.0, "u": 1.0, "v": 1.0}),
        ],
        ids=["all of one level", "none relevant", "none judged"],
    )
    def test_ties_that_do_not(self, give: Give, judged: dict[str, float], ranked: dict[str, float]) -> None:
        assert "ties" not in kinds(cf.evaluate({"a": judged}, give({"a": ranked}), "AP"))

    @given(collections())
    @few
    def test_ties_that_are_not_reported_change_nothing(self, drawn: tuple[Lists, Lists]) -> None:
        qrels, run = drawn
        measures = [m for m in EACH if getattr(m, "rel", None) != 0.0 and not m.length_unit]
        scores = evaluate(qrels, run, measures)
        reported = {t for n in scores.notes if n.kind == "ties" for t in n.topics}
        turned = {
            t: sorted(docs, key=lambda d, docs=docs: (-docs[d], d.encode()))  # type: ignore[misc]
            for t, docs in run.items()
        }
        other = evaluate(qrels, turned, measures)
        for t, topic in enumerate(scores.topics):
            if topic not in reported:
                assert np.array_equal(other.values[0, t], scores.values[0, t]), topic

    def test_ties_of_documents_of_different_lengths(self) -> None:
        """Documents of one level, but not of one length: their order changes TBG."""
        qrels, run = {"a": {"x": 1, "y": 1}}, {"a": {"x": 1.0, "y": 1.0}}
        turned, lengths = {"a": {"x": 2.0, "y": 1.0}}, {"x": 10.0, "y": 1000.0}
        scores = cf.evaluate(qrels, run, "TBG", lengths=lengths)
        assert scores.values != cf.evaluate(qrels, turned, "TBG", lengths=lengths).values
        assert "ties" in kinds(scores)

    def test_ties_below_every_cutoff_are_not_reported(self) -> None:
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"z": 2.0, "x": 1.0, "y": 1.0}}
        assert "ties" not in kinds(cf.evaluate(qrels, run, "P@1"))
        assert "ties" in kinds(cf.evaluate(qrels, run, "P@2"))
        assert "ties" in kinds(cf.evaluate(qrels, run, "P@1 AP"))

    def test_ties_above_a_cutoff_of_the_condensed_list(self) -> None:
        """The unjudged z is left out, so that the tie is about rank 1."""
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"z": 2.0, "x": 1.0, "y": 1.0}}
        better = {"a": {"z": 2.0, "x": 1.1, "y": 1.0}}
        names = "P(condensed=true)@1"
        assert cf.evaluate(qrels, run, names).values != cf.evaluate(qrels, better, names).values
        assert "ties" in kinds(cf.evaluate(qrels, run, names))

    def test_ties_across_the_depth(self) -> None:
        """y stands before x by its name only: with a depth of 1, the tie decides everything."""
        qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"x": 1.0, "y": 1.0}}
        assert "ties" in kinds(cf.evaluate(qrels, run, "AP", depth=1))

    def test_unjudged_at_the_cutoff(self) -> None:
        qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x", "u"], "b": ["v", "w", "y"]}
        note = the(cf.evaluate(qrels, run, "P@2 nDCG@10"), "unjudged")
        assert "3 of 4 documents in the top 2 are unjudged" in note.text
        note = the(cf.evaluate(qrels, run, "AP"), "unjudged")
        assert "3 of 5 returned documents are unjudged" in note.text
        assert "unjudged" not in kinds(cf.evaluate(qrels, run, "P@2", condensed=True))
        assert "unjudged" not in kinds(cf.evaluate(qrels, {"a": ["x", "u"]}, "P@1"))

    @pytest.mark.parametrize("text", ["ERR", "ERR(prob=linear)@5", "RBP", "RBP(gain=exp)", "ERR(gain=binary)"])
    def test_max_level_is_said_where_nobody_declared_it(self, text: str) -> None:
        qrels = {"a": {"x": 1, "y": 3}}
        note = the(cf.evaluate(qrels, {"a": ["x"]}, ["AP", text]), "max-level")
        assert "the highest level is 3" in note.text
        assert text in note.text
        low = cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, text)
        high = cf.evaluate(qrels, {"a": ["x"]}, text)
        assert low.values != high.values, "the highest level matters"

    @pytest.mark.parametrize(
        "text",
        ["ERR(max_level=3)", "ERR(gain=1:2:3)", "RBP(rel=1)", "RBP(gain=binary)", "AP", "nDCG"],
    )
    def test_max_level_is_not_said_where_it_does_not_matter(self, text: str) -> None:
        qrels = {"a": {"x": 1, "y": 3}}
        assert "max-level" not in kinds(cf.evaluate(qrels, {"a": ["x"]}, text))

    def test_max_level_is_that_of_the_whole_collection(self) -> None:
        qrels = {"a": {"x": 1}, "b": {"y": 4}}
        scores = cf.evaluate(qrels, {"a": ["x"]}, "ERR RBP(p=0.5)")
        assert scores.values[0, 0].tolist() == [1 / 16, 0.125]

    @pytest.mark.parametrize("size", [20, 1 << 20])
    @pytest.mark.parametrize(
        ("text", "topics"),
        {
            "one of two": ("a Q x 1 1 r\na Q y 2 9 r\nb Q x 1 9 r\nb Q y 2 1 r\n", ("a",)),
            "none": ("a Q x 1 9 r\na Q y 2 1 r\n", ()),
            "interleaved": ("a Q x 1 1 r\nb Q x 1 1 r\na Q y 2 9 r\n", ("a",)),
            "in an unjudged topic": ("z Q x 1 1 r\nz Q y 2 9 r\na Q x 1 1 r\n", ()),
            "beside a tie": ("a Q w 1 3 r\na Q x 5 2 r\na Q y 2 2 r\na Q z 3 1 r\n", ("a",)),
            "equal ranks": ("a Q x 1 3 r\na Q y 1 2 r\na Q z 2 2 r\n", ()),
            "ranks from 0": ("a Q x 0 3 r\na Q y 1 2 r\na Q z 2 2 r\n", ()),
            "not numbers": ("a Q x - 1 r\na Q y - 2 r\n", ()),
        }.values(),
    )
    def test_ranks_that_contradict_scores(
        self,
        tmp_path: Path,
        pieces: Callable[[int], None],
        size: int,
        text: str,
        topics: tuple[str, ...],
    ) -> None:
        path = tmp_path / "r.txt"
        path.write_text(text)
        pieces(size)
        qrels = {"a": {"x": 1}, "b": {"x": 1}}
        scores = cf.evaluate(qrels, path, "RR")
        assert [n.topics for n in scores.notes if n.kind == "rank-order"] == [topics][: len(topics)]
        assert kinds(scores).count("rank-order") == kinds(cf.evaluate(qrels, path, "RR", ties="trec")).count(
            "rank-order"
        )
        assert "rank-order" not in kinds(cf.evaluate(qrels, path, "RR", ties="given"))
        if "-" not in text:
            assert "rank-order" not in kinds(cf.evaluate(qrels, path, "RR", ties="rank"))

    def test_ranks_matter_no_more_when_a_read_run_is_taken_as_given(self, tmp_path: Path) -> None:
        path = tmp_path / "r.txt"
        path.write_text("a Q0 x 1 0.1 r\na Q0 y 2 0.9 r\n")
        scores = cf.evaluate({"a": {"x": 1}}, cf.read_run(path), "RR", ties="given")
        assert scores.values.tolist() == [[[1.0]]]
        assert "rank-order" not in kinds(scores)

    @pytest.mark.parametrize("form", ["file", "frame", "tuples"])
    def test_repeated_judgments(self, tmp_path: Path, form: str) -> None:
        rows = [("a", "x", 1), ("a", "y", 0), ("a", "x", 1)]
        path = tmp_path / "q.txt"
        path.write_text("".join(f"{t} 0 {d} {x}\n" for t, d, x in rows))
        frame = pl.DataFrame(rows, schema=["topic", "doc", "level"], orient="row")
        data: Any = {"file": path, "frame": frame, "tuples": rows}[form]
        scores = cf.evaluate(data, {"a": ["y", "x"]}, "AP")
        assert scores.values.tolist() == [[[0.5]]]
        assert "1 judgment" in the(scores, "duplicates").text

    def test_no_measure(self) -> None:
        with pytest.raises(cf.CranfieldError, match="no measure"):
            cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, [])

    @pytest.mark.parametrize("depth", [0, -1])
    def test_depth_is_from_1(self, depth: int) -> None:
        with pytest.raises(cf.CranfieldError, match="depth must be an integer"):
            cf.evaluate({"a": {"x": 1}}, {"a": ["x"]}, depth=depth)


def test_of_a_measure_of_ones_own_no_bound_is_claimed() -> None:
    @cf.measure
    class LastHit(cf.Measure):
        """The last relevant rank."""

        def score(self, x: Any) -> Any:
            return (x.I * x.r).max(axis=1, initial=0.0)

    try:
        run = {"t": {"a": 1.0, "b": 1.0}}
        scores = cf.evaluate({"t": {"a": 1, "b": 0}}, run, "LastHit", ties="best")
    finally:
        del cf.REGISTRY["LastHit"]
    said = [n.text for n in scores.notes if n.kind == "tie-order"]
    assert said[0].endswith("another order may score better under LastHit")


def test_unjudged_documents_are_counted_in_the_order_scored() -> None:
    qrels, run = {"t": {"a": 1}}, {"t": {"a": 1.0, "b": 1.0}}

    def said(ties: Any) -> list[str]:
        scores = cf.evaluate(qrels, run, "P@1", ties=ties)
        return [n.text for n in scores.notes if n.kind == "unjudged"]

    assert said("best") == []
    assert len(said("worst")) == 1
    assert said("expected") == []  # there is no one order


def test_the_worst_of_E_is_not_called_0() -> None:
    scores = cf.evaluate({"t": {"a": 0}}, {"t": ["a"]}, "E")
    assert scores.values.item() == 1
    assert [n.text for n in scores.notes if n.kind == "no-relevant"] == [
        "1 topic (t) without relevant documents, scored worst"
    ]


def test_levels_above_the_declared_highest_are_said_to_count_as_it() -> None:
    scores = cf.evaluate({"t": {"a": 2}}, {"t": ["a"]}, "ERR(max_level=1)")
    said = [n.text for n in scores.notes if n.kind == "max-level"]
    assert said == ["ERR(max_level=1): levels up to 2 in the judgments count as 1"]
