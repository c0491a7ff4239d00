"""Measures at many cutoffs: the numbers of `evaluate`, by hand, and how much is judged by rank."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import InputError
from cranfield.evaluation.cutoffs import choose_cutoffs, compute_curves, compute_judged_by_rank
from cranfield.labelling.runs import label_run
from tests.made import examples

# a, b and c are relevant in q1, e in q2; nobody judged x, y and z.
QRELS = {"q1": {"a": 2, "b": 1, "c": 1, "d": 0}, "q2": {"e": 1}}
RUNS = {
    "one": {"q1": ["a", "x", "b", "d"], "q2": ["y", "e"]},
    "two": {"q1": ["d", "x"], "q2": ["z"]},
}


def values(found: Any, run: str, measure: str) -> dict[float, float]:
    return {p.at: p.value for p in found.iter_points() if (p.run, p.measure) == (run, measure)}


class TestCurves:
    def test_recall_by_hand(self) -> None:
        """q1 finds 1, 1, 2, 2 of 3, q2 finds 0, 1, 1, 1 of 1."""
        found = compute_curves(QRELS, RUNS, "Recall")
        assert values(found, "one", "Recall") == pytest.approx(
            {1: (1 / 3 + 0) / 2, 2: (1 / 3 + 1) / 2, 3: (2 / 3 + 1) / 2, 4: (2 / 3 + 1) / 2}
        )
        assert values(found, "two", "Recall") == {1: 0, 2: 0, 3: 0, 4: 0}

    def test_recall_precision_by_hand(self) -> None:
        """q1: 1 at recall 1/3, 2/3 at recall 2/3; q2: 1/2 at recall 1."""
        found = compute_curves(QRELS, RUNS["one"])
        assert found.of_recall == {"IPrec"}
        first, then, last = (1 + 0.5) / 2, (2 / 3 + 0.5) / 2, (0 + 0.5) / 2
        tenths = [i / 10 for i in range(11)]
        expected = [first] * 4 + [then] * 3 + [last] * 4
        assert values(found, "run", "IPrec") == pytest.approx(dict(zip(tenths, expected, strict=True)))

    def test_intervals_are_those_of_the_means(self) -> None:
        """Student's: 0.5 ± t(1; 0.975)·s/√2, where s/√2 is half the distance of the two."""
        first = next(compute_curves(QRELS, RUNS["one"], "P", [1]).iter_points(0.95))  # 1 in q1, 0 in q2
        assert (first.at, first.value) == (1, 0.5)
        assert first.low is not None
        assert first.high is not None
        assert (first.low, first.high) == pytest.approx((0.5 - 12.7062 * 0.5, 0.5 + 12.7062 * 0.5))

    def test_sums_have_no_interval(self) -> None:
        found = compute_curves(QRELS, RUNS["one"], "NumRelRet", [1, 2])
        assert [(p.value, p.low) for p in found.iter_points(0.95)] == [(1, None), (2, None)]

    def test_runs_are_labelled_once(self) -> None:
        with mock.patch("cranfield.evaluation.collection.label_run", wraps=label_run) as labelling:
            compute_curves(QRELS, RUNS, "nDCG P IPrec")
        assert labelling.call_count == len(RUNS)

    def test_settings_of_all_measures_and_names(self) -> None:
        found = compute_curves(QRELS, RUNS, "P hit=Success", [1], rel=2)
        assert [*found.columns] == ["P(rel=2)", "hit"]
        assert values(found, "one", "hit") == {1: 0.5}

    def test_the_depth_is_the_last_cutoff(self) -> None:
        for ties in ("trec", "expected"):
            found = compute_curves(QRELS, {"q1": dict.fromkeys("abdx", 1.0)}, "P", depth=2, ties=ties)
            assert [*found.columns["P"]] == [1, 2]

    def test_notes_are_said_once(self) -> None:
        said = [n.text for n in compute_curves(QRELS, RUNS, "ERR").scores.notes if n.kind == "max-level"]
        [text] = said
        assert text.startswith("ERR: ")

    @pytest.mark.parametrize(
        ("measures", "cutoffs", "words"),
        [
            ("nDCG@10", None, "nDCG@10 has a cutoff. Use nDCG"),
            ("IPrec@0.5", None, "has a cutoff. Use IPrec"),
            ("nDCG", [0, 5], "found cutoff 0, expected integers from 1"),
            ("nDCG", [2.5], "found cutoff 2.5"),
            ("nDCG", [float("inf")], "found cutoff inf"),
            ("nDCG", [1e30], "expected integers from 1 to 1,000,000,000"),
            ("nDCG", [], "found 0 cutoffs"),
            ("nDCG", "10", "found cutoffs '10'"),
            ("nDCG", 10, "found cutoffs 10"),
            ("nDCG", [True], "found cutoff true"),
            ("nDCG", [1, "a"], "found cutoff a"),
            ("nDCG", range(1, 300), "found 299 cutoffs, expected from 1 to 200"),
            ("IPrec", [1.5], "recall levels in .0, 1."),
            ("IPrec P", [1], "IPrec, P have different cutoffs"),
        ],
    )
    def test_what_is_refused(self, measures: str, cutoffs: Any, words: str) -> None:
        with pytest.raises(InputError, match=words):
            compute_curves(QRELS, RUNS, measures, cutoffs)


def test_cutoffs_are_every_rank_or_round_ones() -> None:
    assert choose_cutoffs(0) == (1,)
    assert choose_cutoffs(20) == tuple(range(1, 21))
    assert choose_cutoffs(21) == (1, 2, 3, 5, 7, 10, 15, 20, 21)
    assert choose_cutoffs(100)[-4:] == (30, 50, 70, 100)
    assert choose_cutoffs(1000)[-4:] == (300, 500, 700, 1000)


class TestJudged:
    def test_by_hand(self) -> None:
        """Ranks 1 to 2 of one: a and e judged, x and y not; 3 to 4: b and d, q2 has ended."""
        rows, _ = compute_judged_by_rank(QRELS, RUNS, [2, 4])
        one, two = rows[:2], rows[2:]
        assert [(r.first, r.last, r.documents) for r in one] == [(1, 2, 4), (3, 4, 2)]
        assert [(r.judged, r.relevant) for r in one] == [(0.5, 0.5), (1.0, 0.5)]
        assert [r.judged_to for r in one] == [(1 / 2 + 1 / 2) / 2, (3 / 4 + 1 / 2) / 2]
        assert [(r.documents, r.judged) for r in two] == [(3, 1 / 3), (0, None)]
        assert two[1].judged_to == (1 / 2 + 0) / 2  # as at rank 2, where its lists end

    def test_relevant_as_asked(self) -> None:
        [row] = compute_judged_by_rank(QRELS, RUNS["one"], [1], rel=2)[0]
        assert (row.judged, row.relevant) == (0.5, 0.5)

    @settings(max_examples=examples(50))
    @given(
        st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=4),
        st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 1]), min_size=1),
        st.sets(st.integers(1, 9), min_size=1),
    )
    def test_a_second_writing(self, lists: list[list[str]], judged: dict[str, int], ends: set[int]) -> None:
        qrels = {str(t): judged for t in range(len(lists))}
        run = {str(t): docs for t, docs in enumerate(lists)}
        rows, scores = compute_judged_by_rank(qrels, run, ends)
        above = 0
        for row, last in zip(rows, sorted(ends), strict=True):
            between = [doc for docs in lists for doc in docs[above:last]]
            assert (row.first, row.last, row.documents) == (above + 1, last, len(between))
            if between:
                known = [judged[doc] for doc in between if doc in judged]
                assert row.judged == len(known) / len(between)
                assert row.relevant == sum(known) / len(between)
            else:
                assert row.judged is None
            assert row.judged_to == scores.summary()["run"][f"Judged@{last}"]
            above = last
        direct = cf.evaluate(qrels, run, [f"Judged@{last}" for last in sorted(ends)])
        assert [row.judged_to for row in rows] == [*direct.summary()["run"].values()]
