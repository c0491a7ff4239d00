"""Which topics are hard, which divide and decide, and why runs fail: each reason by hand."""

from __future__ import annotations

from typing import Any

import pytest

import cranfield as cf
from cranfield.evaluation.failures import BUCKETS, HardTopics


def buckets(found: HardTopics) -> dict[tuple[str, str], str | None]:
    """The reason of each run and topic."""
    return {(one.run, one.topic): one.bucket for one in found.results}


def why(qrels: Any, runs: Any, measure: str, run: str = "x", **options: Any) -> str | None:
    """Why a run fails at the one topic that there is."""
    return buckets(cf.hard_topics({"t": qrels}, runs, measure, **options))[run, "t"]


def lists(**runs: Any) -> dict[str, dict[str, Any]]:
    """Runs of one topic."""
    return {name: {"t": ranked} for name, ranked in runs.items()}


class TestOneRun:
    """Reasons in their order; each case is one of the next reason, too, where it can be."""

    def test_not_answered(self) -> None:
        found = cf.hard_topics({"t": {"a": 1}, "u": {"b": 1}}, {"t": ["a"]}, "P@1")
        assert buckets(found) == {("run", "t"): None, ("run", "u"): "not answered"}

    def test_none_found(self) -> None:
        assert why({"a": 1, "b": 0}, lists(x=["b", "c"]), "nDCG@1") == "none found"

    def test_an_empty_list_is_an_answer(self) -> None:
        assert why({"a": 1}, lists(x=[]), "nDCG@1") == "none found"

    def test_cut_off(self) -> None:
        """a is at rank 2, below the cutoff; b, unjudged, could be relevant."""
        assert why({"a": 1}, lists(x=["b", "a"]), "nDCG@1") == "cut off"
        assert why({"a": 1}, lists(x=["b", "a"]), "nDCG@1", depth=1) == "none found"

    def test_rel_decides_what_is_found(self) -> None:
        assert why({"a": 2, "b": 1}, lists(x=["b"]), "nDCG@1") == "ranked low"
        assert why({"a": 2, "b": 1}, lists(x=["b"]), "nDCG@1", rel=2) == "none found"

    def test_ties(self) -> None:
        """a and b may trade places: RR is 1 or 1/2; c, unjudged, changes nothing."""
        tied = {"a": 1.0, "b": 1.0, "c": 0.5}
        assert why({"a": 1, "b": 0}, lists(x=tied), "RR") == "ties"
        assert why({"a": 1, "b": 0}, lists(x=tied), "RR", ties="given") is None

    def test_ties_that_change_little(self) -> None:
        """P@10 is 0.1 or 0: not more than 0.1 apart. Of 2 documents of one level nothing is."""
        docs = {f"d{i}": 20.0 - i for i in range(9)} | {"a": 1.0, "z": 1.0}
        judged = dict.fromkeys(docs, 0) | {"a": 1, "d0": 1}
        assert why(judged, lists(x=docs), "P@10") == "ranked low"
        assert why(judged, lists(x=docs), "P@9") == "ranked low"
        assert why(judged | {"a": 2}, lists(x=docs), "DCG@10") == "ties"  # 2/log2(11) is 0.58

    def test_unjudged(self) -> None:
        """If b is relevant RR is 1, else 1/2."""
        assert why({"a": 1}, lists(x=["b", "a"]), "RR") == "unjudged"
        assert why({"a": 1, "b": 0}, lists(x=["b", "a"]), "RR") == "ranked low"
        # P@10 is 0.1 or 0.2, which is not more than 0.1 apart
        assert why({"a": 1, "c": 1}, lists(x=["b", "a"]), "P@10") == "ranked low"

    def test_the_ideal_list_does_not_fail(self) -> None:
        """Nor does any other that scores as much, whatever is unjudged."""
        assert why({"a": 1, "b": 1}, lists(x=["a", "z"]), "RR") is None
        assert why({"a": 2, "b": 1}, lists(x=["a", "b", "z"]), "nDCG@2") is None
        assert why({"a": 2, "b": 1}, lists(x=["b", "a"]), "nDCG@2") == "ranked low"

    def test_lower_is_better(self) -> None:
        """E@2 is 1/3 for the ideal list, which has one relevant document of two, and 1 at worst."""
        qrels = {"t": {"a": 1}, "u": {"a": 1, "b": 1, "c": 0}, "v": {"a": 1, "b": 0}}
        found = cf.hard_topics(qrels, {"t": ["a"], "u": ["a", "c"], "v": ["b"]}, "E@2")
        assert [topic.topic for topic in found.hardest()] == ["v", "u", "t"]
        assert list(buckets(found).values()) == [None, "ranked low", "none found"]


class TestTwoRuns:
    def test_who_is_not_worse_does_not_fail(self) -> None:
        """Though the ideal list is better than both."""
        runs = lists(x=["b", "a"], y=["b", "a"])
        assert why({"a": 1, "b": 0}, runs, "RR") is None
        assert why({"a": 1, "b": 0}, runs, "RR", "y") is None

    def test_who_has_nothing_fails_though_nobody_is_better(self) -> None:
        runs = lists(x=["b", "a"], y=["b"])
        assert why({"a": 1, "b": 0}, runs, "RR@1") == "cut off"
        assert why({"a": 1, "b": 0}, runs, "RR@1", "y") == "none found"

    @pytest.mark.parametrize("measure", ["RR", "AP", "nDCG", "DCG", "ERR"])
    def test_ties(self, measure: str) -> None:
        """If b stands below a, x is as good as y; so it is if y's order is the worst."""
        judged = {"a": 1, "b": 0}
        assert why(judged, lists(x={"a": 1.0, "b": 1.0}, y=["a"]), measure) == "ties"
        tied = lists(x=["b", "a"], y={"b": 1.0, "a": 1.0})
        assert why(judged, tied, measure, ties="best") == "ties"
        assert why(judged, lists(x=["b", "a"], y=["a", "b"]), measure) == "ranked low"

    def test_ties_that_cannot_decide(self) -> None:
        """In its best order x has a at rank 2, y at rank 1."""
        runs = lists(x={"c": 2.0, "a": 1.0, "b": 1.0}, y=["a"])
        assert why({"a": 1, "b": 0, "c": 0}, runs, "RR") == "ranked low"

    @pytest.mark.parametrize("measure", ["RR", "AP", "nDCG@2", "P@2", "DCG", "RBP(p=0.5)", "ERR"])
    def test_unjudged(self, measure: str) -> None:
        """If c is relevant, x is as good as y; c may have been judged, and is not."""
        judged, runs = {"a": 1, "d": 1}, lists(x=["c", "d"], y=["a", "d"])
        assert why(judged, runs, measure) == "unjudged"
        assert why(judged | {"c": 0}, runs, measure) == "ranked low"

    def test_what_is_above_the_cutoff_comes_first(self) -> None:
        """Though a tie, or the unjudged c, could make x as good as y."""
        assert why({"a": 1}, lists(x={"a": 1.0, "c": 1.0}, y=["a"]), "P@1") == "cut off"
        assert why({"a": 1}, lists(x=["c"], y=["a"]), "P@1") == "none found"

    def test_one_document_is_not_two(self) -> None:
        """c is at rank 1 of both: it cannot make x as good as y. Taken for two it could."""
        judged = {"a": 1, "b": 0, "d": 1}
        assert why(judged, lists(x=["c", "b", "a"], y=["c", "a", "d"]), "P@3") == "ranked low"
        assert why(judged, lists(x=["e", "b", "a"], y=["c", "a", "d"]), "P@3") == "unjudged"

    def test_the_tie_comes_before_the_unjudged(self) -> None:
        runs = lists(x={"c": 1.0, "a": 1.0}, y=["a"])
        assert why({"a": 1}, runs, "RR") == "ties"

    def test_the_other_is_the_better_one(self) -> None:
        found = cf.hard_topics({"t": {"a": 1, "b": 0}}, lists(x=["b", "a"], y=["a"]), "RR")
        x, y = found.results
        assert (x.other, x.difference, x.difference_low, x.difference_high) == (
            "y",
            -0.5,
            -0.5,
            -0.5,
        )
        assert (y.other, y.difference, y.bucket) == (None, None, None)


class TestManyRuns:
    def test_the_best_run_of_the_topic(self) -> None:
        """x and y could both be as good as the worse of the others, only y as good as the best."""
        judged = {"a": 1, "b": 0, "c": 0}
        runs = lists(x=["b", "z", "a"], y=["z", "b", "a"], v=["a"], w=["b", "a"])
        found = cf.hard_topics({"t": judged}, runs, "RR")
        assert buckets(found) == {
            ("x", "t"): "ranked low",
            ("y", "t"): "unjudged",
            ("v", "t"): None,
            ("w", "t"): "ranked low",
        }
        assert {one.other for one in found.results} == {"v", None}


# -- topics ---------------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1, "b": 0, "c": 0}, "q4": {"b": 0}}
RUNS = {
    "x": {"q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "a"]},
    "y": {"q1": ["a"], "q2": ["a"], "q3": ["b"], "q4": ["b"]},
}


def test_hardest_and_divisive() -> None:
    """RR: q1 1 and 1, q2 1/2 and 1, q3 1/3 and 0; q4 has no relevant document."""
    found = cf.hard_topics(QRELS, RUNS, "RR")
    assert [topic.topic for topic in found.hardest()] == ["q3", "q2", "q1"]
    assert [topic.mean for topic in found.hardest()] == pytest.approx([1 / 6, 0.75, 1.0])
    assert [topic.topic for topic in found.hardest(1)] == ["q3"]
    assert [topic.topic for topic in found.divisive()] == ["q2", "q3"]
    assert [topic.sd for topic in found.divisive()] == pytest.approx([0.5**1.5, 2**0.5 / 6])
    q1, q2, _ = found.topics
    assert (q1.best_runs, q1.worst_runs) == (("x", "y"), ("x", "y"))
    assert (q2.best, q2.best_runs, q2.worst, q2.worst_runs) == (1.0, ("y",), 0.5, ("x",))
    (note,) = [note for note in found.notes if note.kind == "no-relevant"]
    assert note.text == "1 topic (q4) without relevant documents, excluded"


def test_deciding() -> None:
    """x − y: −1/2 in q2, +1/3 in q3; the sum is −1/6, and without q2 it is not below 0."""
    found = cf.hard_topics(QRELS, RUNS, "RR")
    q2, q3 = found.deciding()
    assert (q2.topic, q2.bucket) == ("q2", "ranked low")
    assert (q2.difference, q2.share, q2.low, q2.high) == pytest.approx((-0.5, 0.6, -0.5, -0.5))
    assert (q3.topic, q3.bucket) == ("q3", "none found")
    assert (q3.score, q3.other_score, q3.share) == pytest.approx((1 / 3, 0, 0.4))
    assert found.decided_by() == 1


def test_bounds_of_differences_are_first_less_second() -> None:
    """b may be relevant: RR of y is 1 or 1/2, that of x 1."""
    found = cf.hard_topics({"t": {"a": 1}}, lists(x=["a"], y=["b", "a"]), "RR")
    (row,) = found.deciding()
    assert (row.difference, row.low, row.high, row.bucket) == (0.5, 0, 0.5, "unjudged")


def test_equal_runs() -> None:
    found = cf.hard_topics(QRELS, {"x": RUNS["x"], "y": RUNS["x"]}, "RR")
    assert (found.divisive(), found.deciding(), found.decided_by()) == ((), (), 0)
    for table in ("deciding", "divisive"):
        assert "All runs have equal scores on each of 3 topics." in found.to_markdown(table)


def test_how_many_topics_decide() -> None:
    """Sums of 1, 1, 1, −1, −1: two topics for x can go before x is no longer better."""
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    better, worse = ["a"], ["b"]
    runs = {
        "x": {t: better if i < 3 else worse for i, t in enumerate(qrels)},
        "y": {t: worse if i < 3 else better for i, t in enumerate(qrels)},
    }
    assert cf.hard_topics(qrels, runs, "P@1").decided_by() == 1
    runs["y"]["q4"] = worse
    assert cf.hard_topics(qrels, runs, "P@1").decided_by() == 2


def test_tally() -> None:
    found = cf.hard_topics(QRELS, RUNS, "RR")
    assert found.tally() == {
        "x": dict.fromkeys(BUCKETS, 0) | {"ranked low": 1, None: 2},
        "y": dict.fromkeys(BUCKETS, 0) | {"none found": 1, None: 2},
    }
    assert sum(found.tally()["x"].values()) == len(found.topics)


@pytest.mark.parametrize(("unjudged", "told"), [(6, True), (5, False)])
def test_that_unjudged_documents_explain_most_failures_is_told(unjudged: int, told: bool) -> None:
    """Of 10 topics at which x fails; of 9 it is not: they are few."""
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(10)}
    x = {f"q{i}": ["z" if i < unjudged else "b", "a"] for i in range(10)}
    runs = {"x": x, "y": {topic: ["a", "c"] for topic in qrels}}
    texts = [n.text for n in cf.hard_topics(qrels, runs, "RR").notes if "failures" in n.text]
    said = "6 of 10 failures could be caused by unjudged documents (15% of the documents above"
    more = "A lower cutoff or depth, or more judgments, would show other reasons."
    assert texts == ([f"{said} the cutoff of RR). {more}"] if told else [])
    few = {topic: qrels[topic] for topic in [*qrels][:9]}
    assert "failures" not in str(cf.hard_topics(few, runs, "RR").notes)


def test_more_that_are_as_hard() -> None:
    found = cf.hard_topics({f"q{i}": {"a": 1, "b": 0} for i in range(4)}, {"q0": ["b", "a"]}, "RR")
    assert (found.count_tied(1), found.count_tied(3), found.count_tied(4)) == (2, 0, 0)
    text = found.to_markdown("hardest", top=1)
    assert "The hardest of 4 topics by RR (2 more topics as hard" in text


# -- measures and options -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "options"),
    [("bpref", {}), ("AP", {"condensed": True}), ("AP", {"intents": {}}), ("E", {}), ("Q@3", {})],
)
def test_where_no_bounds_are_known(measure: str, options: Any) -> None:
    """It is said, no failure is put down to unjudged documents, and no number pretends to know."""
    qrels: Any = {"t": {"a": 1, "b": 0}}
    if "intents" in options:
        qrels = [("t", "1", "a", 1), ("t", "1", "b", 0)]
        options = {"intents": {"t": {"1": 1.0}}}
    found = cf.hard_topics(qrels, lists(x=["z", "b", "a"], y=["a"]), measure, **options)
    assert not found.bounded
    assert [note.kind for note in found.notes].count("bounds") == 1
    assert {one.unjudged_low for one in found.results} == {None}
    assert found.to_polars("tally")["unjudged"].to_list() == [None, None]
    with pytest.raises(cf.InputError, match="Supported: P, SetP, DCG"):
        cf.bounds(qrels, lists(x=["z"]), measure, **options)


def test_with_classes_no_bounds_are_known() -> None:
    classes = cf.EquivalenceClasses({"t": {"a": "1", "b": "1"}})
    found = cf.hard_topics({"t": {"a": 1, "b": 1}}, lists(x=["z", "a"]), "AP", labelling=classes)
    (note,) = [note for note in found.notes if note.kind == "bounds"]
    assert note.text.startswith("classes or groups of documents: the effect of unjudged documents")


def test_measures_of_intents() -> None:
    qrels = [("t", "1", "a", 1), ("t", "2", "b", 1), ("u", "1", "c", 1)]
    runs = {"x": {"t": ["a", "b"], "u": ["z"]}, "y": {"t": ["b", "z"], "u": ["c"]}}
    found = cf.hard_topics(qrels, runs, "alpha_nDCG@2")
    assert buckets(found)["x", "u"] == "none found"
    assert buckets(found)["y", "t"] == "ranked low"
    (alone,) = cf.hard_topics(qrels, {"u": ["c"], "t": ["z", "a"]}, "IRec@2").deciding() or [None]
    assert alone is None


def test_measures_that_take_lengths() -> None:
    """What the ideal list would score is not known: its documents may be of any length."""
    lengths = dict.fromkeys("abz", 100)
    found = cf.hard_topics({"t": {"a": 1}}, lists(x=["a"]), "TBG", lengths=lengths)
    assert buckets(found) == {("x", "t"): "ranked low"}


def test_the_measure_of_a_preset() -> None:
    """The first, as its depth and labels are taken; -m takes its place."""
    qrels = {"t": {"a": 1, "b": 0}}
    run, name = lists(x=["b", "a"]), "ntcir13-www-english"
    first = cf.evaluate(qrels, run, preset=name).measures[0]
    assert cf.hard_topics(qrels, run, preset=name).measure == first
    assert cf.hard_topics(qrels, run, "RR", preset=name).measure == "RR"
    assert cf.hard_topics(qrels, run).measure == "nDCG@10"


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("NumRet", {}, "NumRet: neither higher nor lower scores"),
        ("AP P@1", {}, r"found 2 measures \(AP, P@1\), expected one"),
        ("IPrec", {}, "found 11 measures"),
        ("AP", {"ties": "expected"}, "ties=expected is not supported for a single ranking"),
        ("AP", {"per_intent": True}, "per_intent is not supported"),
        ("AP", {"topics": ["nope"]}, "topic 'nope' is not in the judgments"),
        ("AP", {"topics": ["q4"]}, "no topic with a relevant document"),
    ],
)
def test_what_is_refused(measure: str, options: Any, message: str) -> None:
    qrels: Any = QRELS
    if options.get("per_intent"):
        qrels = [("q1", "1", "a", 1)]
    with pytest.raises(cf.CranfieldError, match=message):
        cf.hard_topics(qrels, RUNS, measure, **options)


def test_a_run_of_other_topics_is_refused() -> None:
    with pytest.raises(cf.InputError, match="found topics z, expected some of q1, q2"):
        cf.hard_topics(QRELS, {"z": ["a"]}, "AP")


def test_only_the_topics_asked_for() -> None:
    found = cf.hard_topics(QRELS, RUNS, "RR", topics=["q3", "q2"])
    assert [topic.topic for topic in found.topics] == ["q2", "q3"]
    common = cf.hard_topics(QRELS, {"x": RUNS["x"], "y": {"q2": ["b"]}}, "RR", topics="common")
    assert [topic.topic for topic in common.topics] == ["q2"]


@pytest.mark.parametrize("undefined", ["zero", "nan", "skip"])
def test_topics_without_a_relevant_document(undefined: Any) -> None:
    found = cf.hard_topics(QRELS, RUNS, "nDCG@10", undefined=undefined)
    assert [topic.topic for topic in found.topics] == ["q1", "q2", "q3"]


def test_unjudged_documents_above_a_tie_that_is_reordered() -> None:
    """In the worst order the documents above the cutoff come from below it."""
    tied = {"d": 3.0, "c": 2.0, "b": 2.0, "a": 2.0}
    found = cf.hard_topics({"t": {"c": 1, "d": 0}}, lists(x=tied), "P@2", ties="worst")
    (one,) = found.results
    assert (one.score, one.ties_low, one.ties_high) == (0, 0, 0.5)
    assert (one.unjudged_low, one.unjudged_high) == (0, 0.5)  # b is at rank 2
    (exact,) = [row for row in cf.bounds({"t": {"c": 1, "d": 0}}, lists(x=tied), "P@2") if row.topic == "t"]
    assert (exact.low, exact.high) == (0.5, 0.5)


def test_a_document_that_is_its_own_topic() -> None:
    """It is left out, and the next one moves up."""
    runs = {"x": {"t": ["t", "z", "a"]}}
    (one,) = cf.hard_topics({"t": {"a": 1}}, runs, "P@2", exclude_self=True).results
    assert (one.score, one.unjudged_low, one.unjudged_high) == (0.5, 0.5, 1.0)


def test_from_files_as_from_memory(tmp_path: Any) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q1 0 a 1\nq2 0 a 1\nq2 0 b 0\n")
    run.write_text("q1 Q0 z 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 b 1 2 x\nq2 Q0 a 2 1 x\n")
    judged = {"q1": {"a": 1}, "q2": {"a": 1, "b": 0}}
    lists = {"x": {"q1": {"z": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}}
    assert cf.hard_topics(qrels, run, "AP").results == cf.hard_topics(judged, lists, "AP").results
