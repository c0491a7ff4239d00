"""The answers of a page are those that were given, their numbers those of `evaluate_answers`."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import cranfield as cf
from cranfield.report.page.limits import Limits
from cranfield.report.page.numbers import round_number

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d4": 1}}
RUNS = {"x": {"q1": ["d1", "d9"], "q2": ["d5", "d4"]}, "y": {"q1": ["d2", "d1"], "q2": ["d4"]}}
ANSWERS = {
    "x": {
        "q1": [
            {"text": "One.", "citations": ["d1", "d2"]},
            {"text": "Two.", "citations": []},
            {"text": "Three.", "citations": ["d9", "d1"]},
        ],
        "q2": [{"text": "Red.", "citations": ["d4"]}],
    },
    "y": {"q1": [{"text": "Uno.", "citations": ["d2"]}], "q2": []},
}
SUPPORT = {
    "x": {"q1": [{"d1": "full", "d2": "none"}, {}, {"d1": "partial"}], "q2": [{"d4": "full"}]},
    "y": {"q1": [{"d2": "none"}]},
}
NUGGETS = {
    "x": {
        "q1": {"b": ("okay", "partial_support"), "a": ("vital", "support")},
        "q2": {"c": ("vital", "support")},
    },
    "y": {
        "q1": {"b": ("okay", "support"), "a": ("vital", "not_support")},
        "q2": {"c": ("vital", "not_support")},
    },
}
JUDGED: dict[str, Any] = {"assignments": NUGGETS, "answers": ANSWERS, "support": SUPPORT}
MEASURES = "RR NuggetV NuggetA CitationP CitationR"


@cache
def page() -> cf.ReportPage:
    return cf.report_page(QRELS, RUNS, MEASURES, **JUDGED)


def topic(t: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = page().data["answers"]["topics"][t]
    return found


class TestNumbers:
    def test_scores_equal_evaluate_and_evaluate_answers(self) -> None:
        shown = page().data
        lists = cf.evaluate(QRELS, RUNS, "RR")
        answers = cf.evaluate_answers(NUGGETS, MEASURES[3:], answers=ANSWERS, support=SUPPORT)
        assert [one["name"] for one in shown["measures"]] == MEASURES.split()
        assert [one["answers"] for one in shown["measures"]] == [False, True, True, True, True]
        for scores, columns in ((lists, shown["scores"][:1]), (answers, shown["scores"][1:])):
            for m, column in enumerate(columns):
                assert column == [[round_number(x, 8) for x in row] for row in scores.values[:, :, m]]
        means = answers.summary()
        for m, name in enumerate(answers.measures, 1):
            assert shown["board"][m]["means"] == [round_number(means[run][name]) for run in "xy"]
            pair = cf.compare(answers, measures=[name]).pairs[0]
            assert shown["pairs"][m]["p"][0][0] == round_number(pair.pvalue, 8)

    def test_by_hand(self) -> None:
        """x on q1: (1 + 0 + 1/2) / 3 of 3 judged citations; 1 of 1 vital; on q2 1 and 1."""
        shown = page().data
        assert shown["scores"][1:4] == [
            [[1, 1], [0, 0]],
            [[0.75, 1], [0.5, 0]],
            [[0.5, 1], [0, 0]],
        ]
        assert "1 of 5 citations not judged" in str(shown["notices"])

    def test_summary_covers_rankings_and_answers(self) -> None:
        shown = page().data
        first, second = (shown["answer"][i] for i in shown["leads"])
        assert first.startswith("x and y are best by RR, both 0.7500")
        assert second.startswith("x is best by NuggetV, 1.0000")
        assert "It is also best by NuggetA, CitationP and CitationR." in shown["answer"]


class TestSentences:
    def test_sentences_have_their_citations_in_order(self) -> None:
        said = topic()["said"][0]
        docs = topic()["docs"]
        cited = [[(docs[doc], mark) for doc, mark in of] for _, of in said["sentences"]]
        assert [text for text, _ in said["sentences"]] == ["One.", "Two.", "Three."]
        assert cited == [[("d1", 2), ("d2", 0)], [], [("d9", None), ("d1", 1)]]
        assert said["first"] == 1
        assert said["told"] == (
            "3 sentences, 1 without citations · 4 citations: 1 full, 1 partial, 1 none, 1 not judged"
        )

    def test_levels_of_cited_documents_are_those_of_the_judgments(self) -> None:
        levels = [one["level"] for one in page().data["answers"]["levels"]]
        assert levels == [0, 1, 2]
        known = zip(topic()["docs"], topic()["level"], strict=True)
        assert {doc: None if at is None else levels[at] for doc, at in known} == {
            "d1": 2, "d2": 0, "d9": None,
        }  # fmt: skip

    def test_empty_answer_is_counted(self) -> None:
        assert topic(1)["said"][1]["sentences"] == []

    def test_chunks_are_judged_as_their_documents(self) -> None:
        answers = {"x": {"q1": [{"text": "One.", "citations": ["d1#7"]}]}}
        shown = cf.report_page(QRELS, {"x": {"q1": ["d1#1", "d2#9"]}}, "RR", answers=answers, chunks="#").data[
            "answers"
        ]
        assert shown["topics"][0]["docs"] == ["d1#7"]
        assert shown["topics"][0]["listed"] == ["d1"]
        assert shown["levels"][shown["topics"][0]["level"][0]]["level"] == 2

    def test_texts_and_gold(self) -> None:
        short = {"x": {"q1": "Paris"}, "y": {"q1": "Rome"}}
        shown = cf.report_page(answers=short, gold={"q1": ["Paris", "paris"]}).data
        assert shown["answers"]["topics"][0]["said"] == [{"text": "Paris"}, {"text": "Rome"}]
        assert shown["answers"]["topics"][0]["gold"] == ["Paris", "paris"]
        assert shown["scores"][0] == [[1], [0]]

    def test_support_without_answers_has_no_texts(self) -> None:
        shown = cf.report_page(support=SUPPORT).data["answers"]["topics"][0]
        assert [text for text, _ in shown["said"][0]["sentences"]] == [None] * 3

    def test_documents_that_are_cited_have_texts(self) -> None:
        docs = {"d9": {"title": "Nine"}, "d4": "Four."}
        shown = cf.report_page(**JUDGED, docs=docs).data
        first, second = shown["answers"]["topics"]
        assert first["titles"] == {str(first["docs"].index("d9")): {"title": "Nine"}}
        assert second["titles"] == {"0": {"text": "Four."}}


class TestChecklists:
    def test_nuggets_vital_ones_first(self) -> None:
        assert topic()["nuggets"] == {
            "rows": [["a", "vital", ""], ["b", "okay", ""]],
            "marks": [[2, 1], [0, 2]],
            "told": ["vital: 1 of 1; okay: 0 of 1, 1 in part", "vital: 0 of 1; okay: 1 of 1"],
        }

    def test_runs_with_different_nuggets(self) -> None:
        own = {"x": {"q": {"a": ("vital", "support")}}, "y": {"q": {"b": ("okay", "support")}}}
        shown = cf.report_page(assignments=own, measures="NuggetA").data["answers"]["topics"][0]
        assert shown["nuggets"]["rows"] == [["a", "vital", ""], ["b", "okay", ""]]
        assert shown["nuggets"]["marks"] == [[2, None], [None, 2]]

    def test_duplicate_nugget_has_two_rows(self) -> None:
        twice = [{"text": "a", "importance": "vital", "assignment": x}
                 for x in ("support", "support")]  # fmt: skip
        given = [{"qid": "q", "run_id": "x", "nuggets": twice}]
        shown = cf.report_page(assignments=given, measures="NuggetA").data["answers"]["topics"][0]
        assert shown["nuggets"]["marks"] == [[2, 2]]

    def test_run_without_answer_has_no_marks(self) -> None:
        given = {"x": NUGGETS["x"], "y": {"q1": NUGGETS["y"]["q1"]}}
        shown = cf.report_page(assignments=given, measures="NuggetV").data
        assert shown["answers"]["topics"][1]["nuggets"]["marks"] == [[2], None]
        assert shown["scores"] == [[[1, 1], [0, 0]]]

    def test_criteria_of_negative_weight_are_counted_separately(self) -> None:
        rubric = {"x": {"q": [{"criterion": "polite", "weight": 2, "met": 1, "axis": "tone"},
                              {"criterion": "lies", "weight": -3, "met": 0.5}]}}  # fmt: skip
        shown = cf.report_page(rubric=rubric).data
        assert shown["answers"]["topics"][0]["criteria"] == {
            "rows": [["polite", 2, "tone"], ["lies", -3, ""]],
            "marks": [[2, 1]],
            "told": ["1 of 1; negative weight: 0 of 1, 1 in part"],
        }


class TestWhatBelongsTogether:
    def test_runs_with_other_names_have_notes(self) -> None:
        others = {"z" if run == "y" else run: of for run, of in NUGGETS.items()}
        made = cf.report_page(QRELS, RUNS, "RR NuggetV", assignments=others)
        assert [run["name"] for run in made.data["runs"]] == ["x", "y", "z"]
        assert made.data["board"][1]["means"] == [1, None, 0]
        told = [note.text for note in made.notes]
        assert [text.split(":")[0] for text in told] == [
            "1 run (y) without answers", "1 run (z) without rankings",
        ]  # fmt: skip
        shown = next(one for one in made.data["notices"] if one["kind"] == "unmatched")
        assert shown["texts"] == told

    def test_topics_of_either(self) -> None:
        more = {run: of | {"q3": {"n": ("vital", "support")}} for run, of in NUGGETS.items()}
        shown = cf.report_page(QRELS, RUNS, "RR NuggetV", assignments=more).data
        assert [one["id"] for one in shown["topics"]] == ["q1", "q2", "q3"]
        assert len(shown["lists"]["topics"]) == 2
        assert "level" not in shown["answers"]["topics"][2]
        assert shown["over"] == "2 topics by RR; 3 topics by NuggetV"

    def test_chosen_topics(self) -> None:
        shown = cf.report_page(QRELS, RUNS, "RR NuggetV", assignments=NUGGETS, topics="q2").data
        assert [one["id"] for one in shown["topics"]] == ["q2"]
        alone = cf.report_page(assignments=NUGGETS, topics=["q1"]).data
        assert [one["id"] for one in alone["topics"]] == ["q1"]
        with pytest.raises(cf.InputError, match="topic 'q9'"):
            cf.report_page(assignments=NUGGETS, topics="q9")

    def test_unjudged_answers_are_shown_with_rankings(self) -> None:
        shown = cf.report_page(QRELS, RUNS, "RR", answers=ANSWERS).data
        assert [one["name"] for one in shown["measures"]] == ["RR"]
        assert not shown["answers"]["supported"]
        assert shown["answers"]["topics"][0]["said"][0]["told"] == ("3 sentences, 1 without citations · 4 citations")

    def test_answers_without_rankings(self) -> None:
        shown = cf.report_page(**JUDGED, measures="NuggetV").data
        assert shown["lists"] is shown["buckets"] is None
        assert shown["sections"] == []
        assert {row["label"]: (row["value"], row.get("note")) for row in shown["collection"]} == {
            "topics": ("2", None),
            "runs": ("2", None),
            "answers": ("4", "of 2 runs to 2 topics"),
            "sentences": ("5", "1 without citations"),
            "citations": ("6", "2 full · 1 partial · 2 none · 1 not judged"),
            "nuggets": ("3", "2 vital · 1 okay"),
        }


class TestMistakes:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({}, "no runs, expected qrels and runs, scores, or answers"),
            ({"runs": RUNS, **JUDGED}, "no judgments"),
            ({"qrels": QRELS, **JUDGED}, "no runs"),
            ({"answers": ANSWERS}, "no judgments given"),
            ({"measures": "AP", **JUDGED}, "AP without runs, expected qrels and runs, or measures"),
            ({"rel": 2, **JUDGED}, "rel without runs"),
            ({"second_qrels": QRELS, **JUDGED}, "second_qrels without runs"),
            ({"assignments": NUGGETS, "measures": "CitationF"}, "CitationF needs support"),
        ],
    )
    def test_say_what_is_expected(self, given: dict[str, Any], said: str) -> None:
        with pytest.raises(cf.CranfieldError, match=said):
            cf.report_page(**given)

    def test_scores_and_answers(self) -> None:
        with pytest.raises(cf.InputError, match="scores and answers"):
            cf.report_page(cf.evaluate(QRELS, RUNS, "RR"), answers=ANSWERS)

    def test_support_of_uncited_document_raises(self) -> None:
        wrong = {"x": {"q1": [{"d7": "full"}]}}
        with pytest.raises(cf.InputError, match="citation d7 of sentence 1"):
            _ = cf.report_page(QRELS, RUNS, "RR", answers=ANSWERS, support=wrong).data


def test_answers_above_the_limit_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those first on which runs differ most: by NuggetA 1/4 and 1."""
    small = Limits(answers=300)
    monkeypatch.setattr(Limits, "from_complete", classmethod(lambda cls, complete: small))
    made = cf.report_page(QRELS, RUNS, "RR NuggetA", **JUDGED)
    assert [one is None for one in made.data["answers"]["topics"]] == [True, False]
    assert made.data["answers"]["known"] == [True, True]
    text = "Answers are shown for 1 of 2 topics with the largest differences between runs. To show"
    assert [x.text for x in made.notes if x.text.startswith(text)]


def test_complete_has_all() -> None:
    assert cf.report_page(QRELS, RUNS, "RR", **JUDGED, complete=True).data["left_out"] == []


def test_answers_with_markup_are_text() -> None:
    bad = "</script><script>alert(1)</script>\u202e\x00"
    given = {"x": {bad: [{"text": bad, "citations": [bad]}]}}
    nuggets = {"x": {bad: {bad: ("vital", "support")}}}
    support = {"x": {bad: [{bad: "full"}]}}
    made = cf.report_page(answers=given, assignments=nuggets, support=support)
    assert made.data["answers"]["topics"][0]["said"][0]["sentences"] == [[bad, [[0, 2]]]]
    assert "alert(1)</script>" not in made.html
    assert made.html.count("</script>") == 2


def test_answer_measures_have_no_note_about_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for one pair by one measure: that of lists."""
    small = Limits(bounds=1)
    monkeypatch.setattr(Limits, "from_complete", classmethod(lambda cls, complete: small))
    assert cf.report_page(QRELS, RUNS, MEASURES, **JUDGED).data["left_out"] == []
