"""Which topics count: --topics has one meaning in all commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.meta import compare_judgments, leave_one_out
from tests.made import Command

QRELS = {
    "101": {"a": 1, "b": 0, "c": 1},
    "102": {"a": 3, "d": 1},
    "103": {"e": 0},
    "104": {"f": 2, "g": 1, "h": 0},
}
RUN = {
    "101": {"a": 3.0, "b": 2.0, "x": 1.0},
    "102": {"y": 2.0, "a": 2.0, "d": 1.0},  # a tie
    "104": {"z": 2.0, "g": 2.0, "f": 2.0},
    "900": {"a": 1.0},  # not judged
}
OTHER = {"101": {"c": 1.0}, "103": {"e": 1.0}, "104": {"f": 1.0}}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{t} 0 {d} {level}\n" for t, docs in QRELS.items() for d, level in docs.items()]
    Path("qrels").write_text("".join(lines))
    for name, run in (("one", RUN), ("two", OTHER)):
        ranked = [
            f"{t} Q0 {d} {rank} {score} {name}\n"
            for t, docs in run.items()
            for rank, (d, score) in enumerate(docs.items(), 1)
        ]
        Path(name).write_text("".join(ranked))
    Path("some").write_text("104 the last\n102 another\n")


class TestEvaluate:
    @pytest.mark.parametrize("topics", [["104", "102"], "104,102", "102, 104", (104, 102)])
    def test_those_named(self, topics: Any) -> None:
        """In the order of the judgments; relevant documents of 102 are at ranks 2 and 3 of 3."""
        scores = cf.evaluate(QRELS, {"102": {"y": 3.0, "a": 2.0, "d": 1.0}}, "AP", topics=topics)
        assert scores.topics == ("102", "104")
        assert scores.values[0, :, 0].tolist() == [(1 / 2 + 2 / 3) / 2, 0]

    def test_those_in_a_file(self, files: None) -> None:
        for topics in ("@some", Path("some")):
            assert cf.evaluate("qrels", "one", "AP", topics=topics).topics == ("102", "104")

    def test_a_topic_called_judged(self) -> None:
        qrels = {"judged": {"a": 1}, "x": {"a": 1}}
        assert cf.evaluate(qrels, {"x": ["a"]}, "AP", topics=["judged"]).topics == ("judged",)
        assert len(cf.evaluate(qrels, {"x": ["a"]}, "AP", topics="judged").topics) == 2

    @pytest.mark.parametrize(
        ("topics", "message"),
        [
            ("101,900", r"topic '900' is not in the judgments: 4 topics \(101, 102"),
            ("1011", r"topic '1011' is not in .*Did you mean 101\?"),
            (
                ["102", "x"],
                r"topic 'x' is not in .* \(101, 102, 103, 104\)$",
            ),
            (
                __file__,
                r"topic '.*test_arguments.py' is not in .*Did you mean @.*test_arguments.py\?",
            ),
            ([], "found no topics"),
            (" , ", "found no topics"),
            (7, "topics: found 7, expected names of topics"),
            ("@nowhere", "cannot read nowhere"),
        ],
    )
    def test_what_is_refused(self, topics: Any, message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            cf.evaluate(QRELS, RUN, "AP", topics=topics)

    def test_the_highest_level_is_that_of_the_collection(self) -> None:
        """ERR of level 1 of 3, at rank 1: (2^1 − 1) / 2^3 = 1/8, whatever topics are asked for."""
        scores = cf.evaluate(QRELS, {"101": ["a"]}, "ERR", topics=["101"])
        assert scores.values.tolist() == [[[1 / 8]]]

    def test_undefined_topics_that_do_not_count_are_no_error(self) -> None:
        assert cf.evaluate(QRELS, RUN, "AP", topics="101,102", undefined="error").topics
        with pytest.raises(cf.CranfieldError, match="no relevant document for 1 topic"):
            cf.evaluate(QRELS, RUN, "AP", topics="101,103", undefined="error")

    def test_lengths_and_gains_are_asked_for_in_these_topics_only(self) -> None:
        lengths = {"a": 100, "b": 50, "x": 10}
        whole = cf.evaluate(QRELS, {"101": RUN["101"]}, "TBG", lengths=lengths)
        part = cf.evaluate(QRELS, RUN, "TBG", lengths=lengths, topics="101")
        assert part.values[0, 0, 0] == whole["run", "101", "TBG"] > 0
        gains = {"101": "5:6"}
        assert cf.evaluate(QRELS, RUN, "nDCG@1", gains=gains, topics="101").values == 1
        with pytest.raises(cf.CranfieldError, match="no gains for topic 102"):
            cf.evaluate(QRELS, RUN, "nDCG@1", gains=gains, topics="101,102")


class TestNotes:
    @staticmethod
    def told(topics: Any, measures: str = "AP P@2") -> dict[str, str]:
        scores = cf.evaluate(QRELS, cf.read_run(RUN), measures, topics=topics)
        assert not [n for n in scores.notes if set(n.topics) - set(scores.topics)]
        return {n.kind: n.text for n in scores.notes}

    def test_only_of_these_topics(self) -> None:
        assert self.told("101", "AP") == {
            "unjudged": "run: 1 of 3 returned documents are unjudged and count as nonrelevant"
        }
        assert self.told("102,103") == {
            "no-relevant": "1 topic (103) without relevant documents, scored 0",
            "missing-topics": "run: 1 topic (103) missing, scored as empty",
            "ties": "run: ties could change a score in 1 topic (102): 2 of 2 tied documents",
            "unjudged": "run: 1 of 2 documents in the top 2 are unjudged and count as nonrelevant",
        }

    def test_nothing_judged(self) -> None:
        run = {"101": ["x"], "102": ["a"]}
        scores = cf.evaluate(QRELS, run, "AP", topics="101")
        assert [n.text for n in scores.notes] == [
            "run: no retrieved document is judged. Check that the qrels columns are topic, doc, level."
        ]
        assert cf.evaluate(QRELS, run, "AP", topics="102").notes == ()

    def test_intents(self) -> None:
        qrels = {"1": {"i": {"a": 1}, "j": {"b": 1}}, "2": {"i": {"a": 1}}}
        kinds = [[n.kind for n in cf.evaluate(qrels, {"2": ["a"]}, "IRec@10", topics=t).notes] for t in ("1", "2")]
        assert ("one-intent" in kinds[0], "one-intent" in kinds[1]) == (False, True)


LEVELS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), max_size=5)
LISTS = st.dictionaries(st.sampled_from("abcdefxyz"), st.sampled_from([1.0, 2.0, 3.0]), max_size=6)
TOPICS = st.sampled_from(["1", "2", "3", "4"])


@given(
    st.dictionaries(TOPICS, LEVELS, min_size=1),
    st.lists(st.dictionaries(TOPICS, LISTS, min_size=1), min_size=1, max_size=2),
    st.sampled_from([None, "best", "expected"]),
    st.sampled_from(["zero", "nan", "skip"]),
    st.data(),
)
def test_some_topics_are_those_of_all(
    qrels: Any, runs: list[Any], ties: Any, undefined: Any, data: st.DataObject
) -> None:
    """Bit by bit, whatever the measure and whatever is done about ties."""
    assume(all(qrels.keys() & run.keys() for run in runs))
    named = data.draw(st.lists(st.sampled_from(sorted(qrels)), min_size=1, unique=True))
    asked = "AP nDCG@3 ERR GAP Q RBP bpref P@2 NumRelRet Rprec"
    settings: dict[str, Any] = {"ties": ties, "undefined": undefined, "tie_samples": 3}
    given_runs = {f"run{i}": run for i, run in enumerate(runs)}
    whole = cf.evaluate(qrels, given_runs, asked, **settings)
    part = cf.evaluate(qrels, given_runs, asked, topics=named, **settings)
    kept = [topic for topic in whole.topics if topic in named]
    assert part.topics == tuple(kept)
    assert part.measures == whole.measures
    assert np.array_equal(part.values, whole.select(topics=kept).values, equal_nan=True)
    for note in part.notes:
        assert set(note.topics) <= set(kept)


class TestCommands:
    def test_evaluate(self, files: None, cranfield: Command) -> None:
        by = ("evaluate", "qrels", "one", "-m", "AP", "-q", "-f", "csv")
        one = cranfield.printed(*by, "--topics", "102,104")
        assert [line.split(",")[1] for line in one.splitlines()[1:]] == ["102", "104", "all"]
        for ways in (["@some"], ["102", "--topics", "104"], ["102", "--topic", "@some"]):
            assert cranfield.printed(*by, "--topics", *ways) == one
        assert "--topics" in cranfield.refused(*by, "--topics")

    def test_an_error_is_a_line(self, files: None, cranfield: Command) -> None:
        told = cranfield.refused("evaluate qrels one --topics 101,1022")
        assert "topic '1022' is not in the judgments: 4 topics" in told
        assert "Did you mean 102?" in told

    def test_standard_input_once(self, files: None, cranfield: Command) -> None:
        assert "can be used only once" in cranfield.refused("evaluate - one --topics @-")

    def test_compare_and_scores(self, files: None, cranfield: Command) -> None:
        scores = cranfield.printed("evaluate", "qrels", "one", "two", "-q", "-f", "tsv", "-m", "AP")
        Path("scores.tsv").write_text(scores)
        again = cranfield.printed("compare", "--scores", "scores.tsv", "--topics", "101,104", "-f", "csv")
        first = cranfield.printed("compare", "qrels", "one", "two", "--topics", "101,104", "-f", "csv")
        assert again == first
        topics, difference = first.splitlines()[1].split(",")[3:5]  # 1/2 − 1/2 and 7/12 − 1/2
        assert topics == "2"
        assert float(difference) == pytest.approx(1 / 24)
        said = cranfield.refused("compare --scores scores.tsv --topics common")
        assert said.startswith("--topics requires QRELS RUN")

    def test_label(self, files: None, cranfield: Command) -> None:
        of = [
            cranfield.printed("label", "qrels", "one", *arguments)
            for arguments in (
                ["--topics", "104,102"],
                ["--topic", "104", "--topic", "102"],
                ["--topics", "@some"],
            )
        ]
        assert of[0] == of[1] == of[2]
        assert of[0].index("topic 104") < of[0].index("topic 102")
        both = cranfield.printed("label", "qrels", "one", "two", "--topics", "common", "-f", "json")
        assert {'"101"' in both, '"104"' in both} == {True}
        assert {'"102"' in both, '"103"' in both} == {False}

    def test_explain(self, files: None, cranfield: Command) -> None:
        by = ("explain", "AP", "--on", "qrels", "one")
        first, second = (cranfield.printed(*by, "--topic", topic) for topic in ("104", "102"))
        assert "AP of one, topic 104" in first
        assert cranfield.printed(*by, "--topics", "104,102") == f"{first}\n{second}"
        assert "topic 101" in cranfield.printed(*by)
        assert "topic 103" in cranfield.printed("explain", "AP", "--on", "qrels", "two", "--topic", "103")

    def test_pool(self, files: None, cranfield: Command) -> None:
        by = ("pool", "one", "two", "-f", "json", "-q")
        made = cranfield.printed(*by, "--topics", "some")
        assert cranfield.printed(*by, "--topics", "@some") == made
        Path("plain").write_text("104\n102\n")
        plain = cranfield.printed(*by, "--topics", "plain")
        assert cranfield.printed(*by, "--topics", "104,102") == plain
        assert cf.pool({"a": RUN, "b": OTHER}, topics="common").topics == ("101", "104")
        assert cf.pool(RUN, qrels=QRELS, topics="judged").topics == tuple(QRELS)
        with pytest.raises(cf.CranfieldError, match="topics=judged requires qrels="):
            cf.pool(RUN, topics="judged")
        with pytest.raises(cf.CranfieldError, match="the runs have no topic in common"):
            cf.pool({"a": {"1": ["x"]}, "b": {"2": ["x"]}}, topics="common")

    def test_plot(self, files: None, cranfield: Command) -> None:
        for topics in (["104,102"], ["104", "--topic", "102"], ["@some"]):
            by = ("plot", "cwl", "functions", "qrels", "one", "-m", "RBP")
            cranfield.succeeds(*by, "--topics", *topics, "-o", "out.csv")
            seen = [line.split(",")[2] for line in Path("out.csv").read_text().splitlines()[1:]]
            assert list(dict.fromkeys(seen)) == ["104", "102"]
        drawn = cf.plot.cwl("RBP", QRELS, {"a": RUN, "b": OTHER}, "runs", topics="common")
        mean = cf.evaluate(QRELS, {"a": RUN, "b": OTHER}, "RBP.EU", topics=["101", "104"])
        assert drawn.data["EU"].to_list() == [x["RBP.EU"] for x in mean.summary().values()]

    def test_assess(self, files: None, cranfield: Command) -> None:
        """Of 101, two of three agree; of all, five of six."""
        Path("ann").write_text("101 0 a 1\n101 0 b 1\n101 0 c 0\n102 0 a 1\n103 0 a 0\n")
        Path("bob").write_text("101 0 a 1\n101 0 b 1\n101 0 c 1\n102 0 a 1\n")
        by = ("assess", "agree", "ann", "bob", "-f", "json")
        assert '"items": 3' in cranfield.printed(*by, "--topics", "101")
        assert '"items": 4' in cranfield.printed(*by, "--topics", "common")
        assert '"items": 5' in cranfield.printed(*by)
        assert "Did you mean 103?" in cranfield.refused(*by, "--topics", "1033")


class TestMeta:
    def test_leave_one_out(self) -> None:
        """What a contributor brought is counted in these topics only."""
        runs = {"a": RUN, "b": OTHER}
        found = leave_one_out(QRELS, runs, "AP", topics="101")
        assert found.topics == ("101",)
        assert [one.unique_judged for one in found.contributors] == [2, 1]  # a, b; c

    def test_two_sets_of_judgments(self) -> None:
        other = {"101": {"a": 1, "b": 1}, "102": {"a": 0}, "200": {"a": 1}}
        found = compare_judgments(QRELS, other, {"a": RUN, "b": OTHER}, "AP", topics="101,200")
        assert (found.items.both, found.topics.both) == (2, 1)
        assert found.rankings[0].topics == 1
        with pytest.raises(cf.CranfieldError, match="topic '300' is not in the judgments: 5"):
            compare_judgments(QRELS, other, topics="300")
