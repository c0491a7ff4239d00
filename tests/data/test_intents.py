"""Judgments for intents and what is known of intents: readers, and what each refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.intents import read_intents
from cranfield.data.qrels import read_qrels
from cranfield.data.reading.columns import sort_intents
from tests.made import examples

QRELS = "q1 1 a 2\nq1 2 a 1\nq1 2 b 1\nq2 1 c 1\n"
RUN = "q1 Q0 b 1 2 r\nq1 Q0 a 2 1 r\nq2 Q0 c 1 1 r\n"
LIKELY = "q1 1 0.8\nq1 2 0.2\n"

# GG of q1: a 0.8·2 + 0.2·1 = 1.8, b 0.2. The list is b, a: (0.2 + 1.8/log2(3))/(1.8 + 0.2/log2(3))
WEIGHTED = 0.6934

Files = Callable[..., list[str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Writes files and works where they are, so that messages name them as they are called."""
    monkeypatch.chdir(tmp_path)

    def write(**contents: str | bytes) -> list[str]:
        for name, content in contents.items():
            path = tmp_path / name.replace("__", ".")
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return [name.replace("__", ".") for name in contents]

    return write


def scores(intents: Any = None, qrels: Any = None, m: str = "D(nDCG)") -> dict[str, float]:
    """The score of each topic."""
    known = {"q1": {"1": {"a": 2}, "2": {"a": 1, "b": 1}}, "q2": {"1": {"c": 1}}}
    run = {"q1": ["b", "a"], "q2": ["c"]}
    found = cf.evaluate(known if qrels is None else qrels, run, m, intents=intents)
    return {topic: round(found["run", topic, m], 4) for topic in found.topics}


# -- what is known of intents -----------------------------------------------------------------


class TestRead:
    def test_read_intents_path(self, files: Files) -> None:
        files(p=LIKELY)
        assert scores("p") == {"q1": WEIGHTED, "q2": 1.0}
        assert scores(Path("p")) == scores("p") != scores()

    def test_read_intents_memory_forms(self) -> None:
        frame = pl.DataFrame({"topic": ["q1", "q1"], "intent": [1, 2], "probability": [0.8, 0.2]})
        forms: list[Any] = [
            {"q1": {"1": 0.8, "2": 0.2}},
            {"q1": {1: 0.8, 2: "0.2"}},
            [("q1", "1", 0.8), ("q1", "2", 0.2)],
            frame,
            frame.to_pandas(),
            frame.rename({"topic": "qid", "intent": "subtopic", "probability": "p"}),
            [{"q1": {"1": 0.8, "2": 0.2}}, {"q1": {"1": "navigational"}}],
            read_intents({"q1": {"1": 0.8, "2": 0.2}}),
        ]
        for form in forms:
            assert scores(form)["q1"] == WEIGHTED, form

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("p__csv", "topic,intent,probability\nq1,1,0.8\nq1,2,0.2\n"),
            ("p__txt", "topic,intent,probability\nq1,1,0.8\nq1,2,0.2\n"),
            ("p__tsv", "topic\tsubtopic\tweight\nq1\t1\t0.8\nq1\t2\t0.2\n"),
            ("p__json", '{"q1": {"1": 0.8, "2": 0.2}}'),
            (
                "p__jsonl",
                '{"topic": "q1", "intent": "1", "p": 0.8}\n{"topic": "q1", "intent": "2", "p": 0.2}\n',
            ),
            ("p__txt", "# likelihoods\n\nq1\t1  0.8\r\nq1 2 2e-1"),
            ("p__txt", "q1 1 0.8 informational\nq1 2 0.2 navigational\n"),
        ],
    )
    def test_read_intents_tables(self, files: Files, name: str, text: str) -> None:
        [path] = files(**{name: text})
        assert scores(path)["q1"] == WEIGHTED

    def test_read_intents_separator(self, files: Files) -> None:
        files(qrels="q1;an intent;a;2\nq1;another;b;1\n", p="q1;an intent;0.8\nq1;another;0.2\n")
        files(run="q1;Q0;a;1;2;r\n")
        found = cf.evaluate("qrels", "run", "IA(P)@1", intents="p", separator=";")
        assert found["r", "q1", "IA(P)@1"] == 0.8

    def test_read_intents_types(self, files: Files) -> None:
        """a and b are for the second intent: if it is navigational, b at rank 1 mutes a's 0.2."""
        files(p=LIKELY, types="q1 2 navigational\nq1 1 informational\n", short="q1 2 NAV\n")
        files(both="q1 1 0.8\nq1 2 0.2 nav\n", both__csv="topic,intent,p,type\n"
              "q1,1,0.8,\nq1,2,0.2,nav\n")  # fmt: skip
        # (0.2 + 1.6/log2(3))/(1.8 + 0.2/log2(3)) = 1.2095/1.9262
        for intents in (["p", "types"], ["p", "short"], ["types", "p"], "both", "both.csv"):
            assert scores(intents, m="DIN(nDCG)")["q1"] == 0.6279, intents
        known = {"q1": {"1": 0.8, "2": (0.2, "nav")}}
        assert scores(known, m="DIN(nDCG)")["q1"] == 0.6279

    def test_read_intents_topic_in_two_files_is_joined(self, files: Files) -> None:
        files(one="q1 1 0.8\n", other="q1 2 0.2\n")
        assert scores(["one", "other"])["q1"] == WEIGHTED

    def test_read_intents_rounded_probabilities_are_accepted(self, files: Files) -> None:
        files(p="q1 1 0.8000004\nq1 2 0.2\n", q="q1 1 0.8000016\nq1 2 0.2\n")
        assert scores("p")["q1"] == WEIGHTED
        with pytest.raises(cf.CranfieldError, match=r"with sum 1\.0000016 in topic q1"):
            scores("q")

    def test_evaluate_unjudged_intent_counts(self) -> None:
        """They are known, and cannot be covered."""
        known = {"q1": {"1": 0.5, "2": 0.25, "3": 0.25}}
        assert scores(known, m="IRec") == {"q1": 0.6667, "q2": 1.0}
        assert scores(known, m="IRec(intents=relevant)") == {"q1": 1.0, "q2": 1.0}

    def test_repr(self) -> None:
        known = {"q1": {"1": 0.8, "2": 0.2}, "q2": {"1": "nav"}}
        assert repr(read_intents(known)) == "Intents: 3 intents of 2 topics"

    def test_in_order_numbers_before_names(self) -> None:
        assert sort_intents(["10", "9", "1"]) == ["1", "9", "10"]
        assert sort_intents(["b", "a", "10"]) == ["10", "a", "b"]


REFUSED = [
    ("q1 1 0.5\nq1 2 0.4\n", "p:2: found probabilities with sum 0.9 in topic q1, expected 1"),
    ("q2 1 1\nq1 1 0.5\nq1 2 0.6\n", "p:3: found probabilities with sum 1.1 in topic q1"),
    ("q1 1 -0.5\nq1 2 1.5\n", "p:1: found '-0.5' for intent 1 of topic q1, expected a probability"),
    ("q1 1 0\nq1 2 1.5\n", "p:2: found '1.5' for intent 2 of topic q1"),
    ("q1 1 nan\nq1 2 1\n", "p:1: found 'nan'"),
    ("q1 1 inf\nq1 2 infinity\n", "p:2: found 'infinity'"),  # inf is informational
    ("q1 1 navigation\n", "p:1: found 'navigation' .* or informational or navigational"),
    ("q1 1 0.5\nq1 2 0.5\nq1 1 0.5\n", "p:3: duplicate probability of intent 1 in topic q1"),
    ("q1 1 nav\nq1 1 inf\n", "p:2: duplicate type of intent 1 in topic q1"),
    ("q1 1 0.5 0.5\nq1 2 0.5\n", "p:1: duplicate probability of intent 1 in topic q1"),
    ("q1 1\n", r"p:1: found 2 fields \('q1 1'\), expected 3: topic intent probability or 3:"),
    ("q1 1 0.5 nav x\n", "p:1: found 5 fields"),
    ("", "p: found no intents, expected topic intent probability"),
    ("\n \n", "p: found no intents"),
    ("# nothing\n", "p: found no intents"),
    (b"\xff\xfe\x00", "p:1: file is UTF-16, expected UTF-8"),
    ("q1 1 0.8\nq1 3 0.2\n", "qrels:2: found 1 intent (2) of topic q1, expected one of 1, 3, as"),
    ("q1 1 nav\nq1 9 nav\n", "p:2: found 1 intent (9) of topic q1, expected one of 1, 2"),
    ("topic,intent\nq1,1\n", "p:1: found columns topic, intent, expected a column named prob"),
    ("topic,intent,p\nq1,1\n", "p:2: found 2 fields"),
    ("topic,intent,p\nq1,1,0.5\nq1,2,0.4\n", "p:3: found probabilities with sum 0.9"),
    ('{"q1": [1, 2]}', "p: found list for topic 'q1', expected {topic: {intent: probability}}"),
    ('{"q1": {"1": {"a": 1}}}', "p: found \"{'a': 1}\" for intent 1 of topic q1"),
    ('{"q1": {"1": null}}', "p: found 'None' for intent 1 of topic q1"),
    ('{"q1": {"1": true}}', "p: found 'True' for intent 1 of topic q1"),
    ('{"q1": {"1": 0.', "p:1: found invalid JSON"),
]  # fmt: skip


class TestErrors:
    @pytest.mark.parametrize(("text", "message"), REFUSED)
    def test_files(
        self,
        files: Files,
        capsys: pytest.CaptureFixture[str],
        text: str | bytes,
        message: str,
    ) -> None:
        files(qrels=QRELS, run=RUN, p=text)
        code = main(["evaluate", "qrels", "run", "-m", "Dsharp(nDCG)@10", "--intents", "p"])
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        for part in message.replace("\\", "").split(" .* "):
            assert part in err

    def test_read_intents_error_names_second_file(self, files: Files) -> None:
        files(p=LIKELY, again="q1 2 0.2\n")
        with pytest.raises(cf.CranfieldError, match="again:1: duplicate probability of intent 2"):
            scores(["p", "again"])

    def test_evaluate_unknown_intent_in_table_raises(self, files: Files) -> None:
        """Their line is told there, too."""
        files(qrels__csv="topic,intent,doc,level\nq1,1,a,2\nq1,2,b,1\n", p="q1 1 0.5\nq1 3 0.5\n")
        with pytest.raises(cf.CranfieldError, match=r"qrels.csv:3: found 1 intent \(2\) of topic"):
            scores("p", "qrels.csv")

    @pytest.mark.parametrize(
        "data",
        [
            *([], {}, 5, b"q1 1 1", [5], {"q1": 5}, {"q1": {"1": []}}, [("q1", "1")]),
            *({"q1": {None: 1.0}}, {"q1": {"1": "0.8"}}, {"q1": {"1": float("nan")}}),
            pl.DataFrame({"topic": ["q1"], "intent": ["1"]}),
            pl.DataFrame({"topic": ["q1"], "intent": ["1"], "p": [None]}),
        ],
    )
    def test_read_intents_invalid_data_raises(self, data: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"found .*, expected"):
            scores(data)

    def test_read_intents_missing_file_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match="cannot read nowhere"):
            scores("nowhere")


# -- judgments for intents ----------------------------------------------------------------------

JUDGMENTS = [
    ("q1 a L2\nq1 b L1\n", "qrels:1: found no intent for document a of topic q1"),
    ("2 qid:1 1:0.5 # a\n1 qid:1 1:0.2\n", "qrels: found LETOR data, expected topic intent doc"),
    (QRELS + "q1 2 b 0\n", "qrels:5: conflicting levels for document 'b'"),
    ("all 1 a 1\n", "qrels:1: found a topic named 'all'"),
    ("q1 1 a x\n", "qrels:1: found level 'x'"),
    ("q1 1 a nan\n", "qrels:1: found level 'nan'"),
    ("q1 1 a 2 9\n", "qrels:1: found 5 fields"),
    ("", "qrels: file is empty"),
    ("topic,doc,level\nq1,a,1\n", "qrels:1: found columns topic, doc, level, expected a column"),
    ("topic,intent,doc,level\nq1,1,a,1\nq1,,b,1\n", "qrels:3: found no intent for document b"),
    ('{"q1": {"a": 1}}', "qrels: found int for 'a' of topic 'q1', expected {topic: {intent: {doc"),
    ('{"q1": {"": {"a": 1}}}', "qrels: found no intent for document a of topic q1"),
    ('{"q1": null}', "qrels: found NoneType for topic 'q1'"),
    ('{"q1": {"1": {"a": "x"}}}', "qrels: found level"),
]  # fmt: skip


FINITE = "expected a finite number in {topic: {intent: {doc: level}}}"


class TestJudgments:
    @pytest.mark.parametrize(("text", "message"), JUDGMENTS)
    def test_read_qrels_invalid_file_raises(
        self, files: Files, capsys: pytest.CaptureFixture[str], text: str, message: str
    ) -> None:
        files(qrels=text, run=RUN)
        code = main(["evaluate", "qrels", "run", "-m", "IRec@10"])
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert message in err

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (
                {"q1": {"a": 1}},
                "found 1 for 'a' of topic 'q1', expected documents with levels: {topic: {intent: {doc: level}}}",
            ),
            (
                {"q1": {"1": {"a": "x"}}},
                f"found level 'x' for document 'a', intent '1', topic 'q1', {FINITE}",
            ),
            (
                {"q1": {"1": {"a": float("inf")}}},
                f"found level inf for document 'a', intent '1', topic 'q1', {FINITE}",
            ),
            (
                {"q1": {None: {"a": 1}}},
                f"found level 1 for document 'a', intent None, topic 'q1', {FINITE}",
            ),
            ({}, "found no judgments, expected at least one"),
            ({"q1": {}}, "found no judgments, expected at least one"),
            (
                {"q1": None},
                "found None for topic 'q1', expected intents: {topic: {intent: {doc: level}}}",
            ),
            (
                {"all": {"1": {"a": 1}}},
                "found a topic named 'all', expected another name ('all' is the summary)",
            ),
            (
                [("q1", "a", 1)],
                "found row 1 ('q1', 'a', 1), expected (topic, intent, doc, level)",
            ),
            (
                [("q1", "1", "a", 1), ("q1", "1", "a", 2)],
                "conflicting levels for document 'a', intent 1, topic q1: 1 and 2",
            ),
            (
                pl.DataFrame({"topic": ["q1"], "doc": ["a"], "level": [1]}),
                "found columns topic, doc, level, expected a column named intent (or subtopic, "
                'intent_id, subtopic_id, iteration) (use columns={"intent": NAME})',
            ),
            (
                pl.DataFrame({"topic": ["q1"], "intent": [None], "doc": ["a"], "level": [1]}),
                f"found level 1.0 for document 'a', intent '', topic 'q1', {FINITE}",
            ),
            (
                read_qrels({"q1": {"a": 1}}),
                "found judgments without intents, expected {topic: {intent: {doc: level}}}",
            ),
        ],
    )
    def test_read_qrels_invalid_levels_raises(self, data: Any, message: str) -> None:
        with pytest.raises(cf.CranfieldError) as error:
            scores(qrels=data, m="IRec")
        assert str(error.value) == f"qrels: {message}"

    @pytest.mark.parametrize("data", [[1], 5, None, b"q1 1 a 1", {"q1": [("a", 1)]}])
    def test_read_qrels_invalid_data_raises(self, data: Any) -> None:
        with pytest.raises(cf.CranfieldError, match=r"found .*, expected"):
            cf.evaluate(data, {"q1": ["a"]}, "IRec")

    def test_read_qrels_equal_duplicates_are_counted(self, files: Files) -> None:
        files(qrels=QRELS + "q1 2 b 1\n", run=RUN)
        found = cf.evaluate("qrels", "run", "IRec@1")
        assert [n.text for n in found.notes if "repeated" in n.text] == [
            "qrels: 1 judgment repeated with the same level"
        ]
        assert found["r", "q1", "IRec@1"] == 0.5

    def test_read_qrels_document_has_level_per_intent(self, files: Files) -> None:
        """Which is no repetition; and measures of lists take the highest."""
        files(qrels=QRELS, run=RUN)
        found = cf.evaluate("qrels", "run", "IRec@1 nDCG@1")
        assert found["r", "q1", "nDCG@1"] == 0.5  # b is level 1, a is 2
        assert any(n.text == "nDCG@1: the level of a document is its highest level for any intent" for n in found.notes)
        plain = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
        assert read_qrels("qrels", by_intent=True).to_dict() == plain

    def test_evaluate_second_column_is_intent_for_diversity_measures(self, files: Files) -> None:
        files(qrels="q1 0 a 1\nq1 0 b 1\n", run=RUN)
        assert not any("intent" in n.text for n in cf.evaluate("qrels", "run", "AP").notes)
        asked = cf.evaluate("qrels", "run", "IRec")
        assert any("every topic has one intent" in n.text for n in asked.notes)

    def test_evaluate_unused_probabilities_are_noted(self, files: Files) -> None:
        files(qrels=QRELS, run=RUN, p=LIKELY)
        found = cf.evaluate("qrels", "run", "AP", intents="p")
        assert any("intents has no effect: it needs a measure such as Dsharp" in n.text for n in found.notes)

    def test_evaluate_intents_of_unjudged_topics_are_noted(self, files: Files) -> None:
        files(qrels=QRELS, run=RUN, p=LIKELY + "q9 1 1\n")
        found = cf.evaluate("qrels", "run", "D(nDCG)", intents="p")
        assert any(n.topics == ("q9",) and "p: " in n.text for n in found.notes)

    def test_evaluate_missing_probabilities_are_noted(self, files: Files) -> None:
        files(qrels=QRELS, run=RUN, p=LIKELY)
        said = "have equal probability"
        without = cf.evaluate("qrels", "run", "D(nDCG)")
        assert any(said in n.text for n in without.notes)
        given_some = cf.evaluate("qrels", "run", "D(nDCG)", intents="p")  # q2 has one intent
        assert not any(said in n.text for n in given_some.notes)


# -- nothing brings it down -----------------------------------------------------------------------

WORDS = (
    *("q1", "1", "2", "a", "0.5", "nav", "-1", "nan", "é", "\x00", "#", '"', "L2"),
    *("topic", "intent", "p", "doc", "level", "{", "}", "[", ":"),
)
CELLS = st.sampled_from(["", *WORDS])
TEXTS = st.lists(st.tuples(st.lists(CELLS, max_size=6), st.sampled_from([" ", ",", "\t"])), max_size=5).map(
    lambda lines: "\n".join(between.join(cells) for cells, between in lines)
)


class TestAnything:
    """Whatever a file holds, it is read or refused with a sentence."""

    def check_rejected_or_scored(self, **options: Any) -> None:
        run = {"q1": ["a", "b"]}
        try:
            found = cf.evaluate(options.pop("qrels", "qrels"), run, "Dsharp(nDCG)@3", **options)
        except cf.CranfieldError as problem:
            said = str(problem)
        else:
            said = "" if ((found.values >= 0) & (found.values <= 1)).all() else "out of range"
        reasons = (
            "expected",
            "cannot read",
            "file is empty",
            "no judgments in file",
            "conflicting",
        )
        assert said == "" or any(reason in said for reason in reasons), said

    @given(text=TEXTS)
    @example(text="topic,intent,p")
    @example(text="q1 1 0.5\nq1 2 0.5 \x00")
    @settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_text(self, files: Files, text: str) -> None:
        files(qrels=QRELS, fuzz=text)
        self.check_rejected_or_scored(intents="fuzz")
        self.check_rejected_or_scored(qrels="fuzz")

    @given(data=st.binary(max_size=60))
    @settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_bytes(self, files: Files, data: bytes) -> None:
        files(qrels=QRELS, fuzz=data)
        self.check_rejected_or_scored(intents="fuzz")
        self.check_rejected_or_scored(qrels="fuzz")

    @given(
        data=st.recursive(
            st.one_of(st.none(), st.booleans(), st.floats(), st.sampled_from(["1", "a", "nav"])),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(st.sampled_from(["q1", "1", "2", ""]), inner, max_size=3),
            ),
            max_leaves=8,
        )
    )
    @settings(max_examples=examples(80))
    def test_objects(self, data: Any) -> None:
        known = {"q1": {"1": {"a": 2}, "2": {"b": 1}}}
        if data is not None and not isinstance(data, str):  # a string is a path
            self.check_rejected_or_scored(qrels=known, intents=data)


# -- ideal lists of intents in topic directories ------------------------------------------------


def _directory(tmp_path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = tmp_path / "dirs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path / "dirs")


IDEAL_LISTS = {
    "0001/0001.div.Irelv1": "a 2\n",
    "0001/0001.div.Irelv2": "a 1\nb 0.5\n",
    "0001/0001.mine.res": "c\nb\na\n",
}


def test_read_qrels_directory_reads_ideal_lists(tmp_path: Path) -> None:
    path = _directory(tmp_path, IDEAL_LISTS)
    same = {"0001": {"1": {"a": 2}, "2": {"a": 1, "b": 0.5}}}
    for qrels in (path, f"{path}/*.div.Irelv"):
        scores = cf.evaluate(qrels, f"{path}/mine", ["D(Q)", "IRec@2", "alpha_nDCG"])
        expected = cf.evaluate(same, {"0001": ["c", "b", "a"]}, ["D(Q)", "IRec@2", "alpha_nDCG"])
        assert scores.values.tolist() == expected.values.tolist()
    assert scores["mine", "0001", "IRec@2"] == 0.5  # b serves the second


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"0001/0001.rel": "a L1\n"}, "found no file such as 0001/0001.PREFIX.Irelv1"),
        (
            IDEAL_LISTS | {"0001/0001.other.Irelv1": "a 1\n"},
            "found ideal lists *.div.Irelv, *.other.Irelv, expected ideal lists of intents with one prefix",
        ),
        (IDEAL_LISTS | {"0001/0001.div.Irelv2": "b 1\na 2\n"}, "Irelv2:2: found gain 2 after 1"),
    ],
)
def test_read_qrels_directory_without_ideal_lists_raises(tmp_path: Path, files: dict[str, str], said: str) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        cf.evaluate(_directory(tmp_path, files), {"0001": ["a"]}, "IRec")
    assert said in str(caught.value)


def test_validate_by_intent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("1 1 a 2\n1 2 a 1\n1 2 b 1\n1 2 b 0\n")
    assert main(["validate", str(path)]) == 2
    out = capsys.readouterr().out
    assert "qrels.txt:2: error: conflicting levels for document 'a' in topic 1: 1 here, 2" in out
    assert "If column 2 is the intent, use a diversity measure." in out
    assert main(["validate", "--by-intent", str(path)]) == 2
    found = capsys.readouterr().out.splitlines()
    assert len(found) == 2
    assert "qrels.txt:4: error: conflicting levels for document 'b' in topic 1, intent 2" in found[0]


# -- what newcomers do ----------------------------------------------------------------------------

TWO = {"1": {"1": {"a": 1}, "2": {"b": 1}}}
RAN = {"1": ["a", "b"]}


def test_evaluate_intents_without_common_topic_raises() -> None:
    """0401 and 401 are different names: nothing would be known of any topic."""
    with pytest.raises(cf.InputError, match=r"intents of 1 topic \(01\), expected some of the"):
        cf.evaluate(TWO, RAN, "D(nDCG)", intents={"01": {"1": 0.5, "2": 0.5}})


def test_read_intents_badly_rounded_probabilities_raise_with_hint() -> None:
    with pytest.raises(cf.InputError, match=r"with sum 0\.999 .*if they are rounded"):
        read_intents({"1": {"1": 0.333, "2": 0.333, "3": 0.333}})


@pytest.mark.parametrize(("name", "told"), [("DIN(nDCG)", True), ("PplusQ", True), ("D(Q)", False)])
def test_evaluate_missing_types_are_noted(name: str, told: bool) -> None:
    known = {"1": {"1": 0.5, "2": 0.5}}
    texts = [n.text for n in cf.evaluate(TWO, RAN, name, intents=known).notes]
    assert any("all intents are informational" in text for text in texts) == told
    typed = {"1": {"1": (0.5, "nav"), "2": 0.5}}
    assert not any("informational" in n.text for n in cf.evaluate(TWO, RAN, name, intents=typed).notes)


def test_evaluate_swapped_columns_are_noted() -> None:
    swapped = [("1", "a", "1", 1), ("1", "b", "2", 1)]  # topic doc intent level
    notes = cf.evaluate(swapped, RAN, "IRec@2").notes
    advice = "Check that the qrels columns are topic, intent, doc, level."
    assert [n.text for n in notes] == [f"run: no retrieved document is judged. {advice}"]


def test_read_qrels_named_tuples_are_read_by_name() -> None:
    class Sub(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        subtopic_id: str

    rows = [Sub("1", "a", 1, "1"), Sub("1", "b", 1, "2")]
    frame = pl.DataFrame([row._asdict() for row in rows])
    for judged in (rows, frame):
        assert read_qrels(judged, by_intent=True).by_intent.names == (("1", "2"),)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (
            lambda: (cf.alpha_nDCG @ 3)([1, 0, 1]),
            "alpha_nDCG@3: invalid levels. Pass the levels of each item for all intents",
        ),
        (
            lambda: (cf.IRec @ 3)([["x"]]),
            "IRec@3: invalid levels. Pass the levels of each item for all intents",
        ),
        (lambda: (cf.IRec @ 3)([[1, 0], [1]]), "found levels for 1 intents, expected 2"),
        (lambda: (cf.alpha_nDCG @ 3)([[1, 0]]), "requires the levels of all judged items"),
        (
            lambda: cf.IRec()([[1, 0]], probabilities=[0.5, 0.6]),
            r"probabilities must be ≥ 0 with a sum of 1, found \[0.5, 0.6\]",
        ),
    ],
)
def test_measure_single_list_without_intents_raises(score: Callable[[], float], said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        score()


def test_read_runs_nested_judgments_raises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.json"
    path.write_text('{"1": {"1": {"a": 1}, "2": {"a": 2, "b": 0}}}')
    assert main(["validate", "--by-intent", str(path)]) == 0
    assert "3 judgments (json), 1 topic: fine" in capsys.readouterr().out
