"""The work of NTCIREVAL's scripts: their files, their arguments, and their bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.ntcir.nev import check_file_name, read_means, read_results
from cranfield.data.reading.source import Source
from cranfield.tools.ntcir import format_matrix, format_means, read_matrix, read_nev
from tests.made import Command, examples
from tests.tools.made import read, write

QRELS = "0002 d9 L1\n0001 a L2\n0001 b L0\n0003 e L0\n0001 c L1\n"
# Scores rise: the order of the file counts, not that of scores.
BM25 = "0001 Q0 b 1 1.0 t\n0009 Q0 z 1 1.0 t\n0001 Q0 a 2 5.0 t\n0001 Q0 x 3 9.0 t\n"
DENSE = "0001 Q0 c 1 2 t\n0001 Q0 a 2 1 t\n0002 Q0 y 1 2 t\n0002 Q0 d9 2 1 t\n"
XML = """<?xml version="1.0" encoding="UTF-8"?>
<TOPIC_SET>
  <METADATA><RUNID>X</RUNID></METADATA>
  <TOPIC ID="0002">
    <IR4QA_RESULT>
      <DOCUMENT RANK="2" DOCID="y" SCORE="1" />
      <DOCUMENT RANK="1" DOCID="d9" SCORE="2" />
    </IR4QA_RESULT>
  </TOPIC>
</TOPIC_SET>
"""
MANY = "".join(f"1 d{i} L1\n" for i in range(100))  # enough to tell the format by
# Answer strings, two ways to write one answer, with classes.
ANSWERS = "1;東京 タワー;L2;x\n1;東京タワー;L2;x\n1;富士山;L1;y\n"
ANSWER_RUN = "1;0;東京タワー;1;9;r\n1;0;東京 タワー;2;8;r\n1;0;富士山;3;7;r\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with judgments and runs in it."""
    monkeypatch.chdir(tmp_path)
    write("test.qrels", QRELS)
    write("bm25", BM25)
    write("dense", DENSE)
    write("runl", "bm25\ndense\n")
    return tmp_path


@pytest.fixture
def split(ntcir: Command) -> None:
    """Topic directories of the judgments and both runs."""
    ntcir.succeeds("split-qrels", "test.qrels", "rel")
    ntcir.succeeds("split-runs", "test.qrels.tid", "bm25", "dense")


@pytest.fixture
def evaluated(split: None, ntcir: Command) -> None:
    """And their results."""
    arguments = ("test.qrels.tid", "rel", "test", "-g", "1:2", "-cutoffs", "2")
    ntcir.succeeds("eval", *arguments, "--runs", "bm25", "dense")


def files() -> set[str]:
    return {path.as_posix() for path in Path().rglob("*") if path.is_file()}


class TestSplitQrels:
    def test_a_file_for_each_topic_and_the_list_of_topics(self, ntcir: Command) -> None:
        _, out, err = ntcir.succeeds("split-qrels", "test.qrels", "rel")
        assert read("test.qrels.tid") == "0001\n0002\n0003\n"
        assert read("0001/0001.rel") == "a L2\nb L0\nc L1\n"
        assert read("0002/0002.rel") == "d9 L1\n"
        assert read("0003/0003.rel") == "e L0\n"
        paths = ["0001/0001.rel", "0002/0002.rel", "0003/0003.rel", "test.qrels.tid"]
        assert (out, err.splitlines()) == ("", [f"created {path}" for path in paths])

    def test_lines_stay_as_they_were(self, ntcir: Command) -> None:
        write("q", "1  a\tL2  c1\n1 b L1 c2\r\n")
        ntcir.succeeds("NTCIRsplitqrels", "q", "erel")
        assert read("1/1.erel") == "a\tL2  c1\nb L1 c2\n"

    def test_answers_with_blanks(self, ntcir: Command) -> None:
        write("q", ANSWERS)
        ntcir.succeeds("NTCIRsplitqrels", "q", "erel", ";")
        assert read("1/1.erel") == "東京 タワー;L2;x\n東京タワー;L2;x\n富士山;L1;y\n"
        assert read("q.tid") == "1\n"

    def test_trec_judgments(self, ntcir: Command) -> None:
        write("q", "301 0 a 2\n301 0 b 0\n302 0 c 1\n")
        said = ntcir.told("split-qrels", "q", "rel", "--dir", "topics")
        assert read("topics/301/301.rel") == "a L2\nb L0\n"
        assert read("q.tid") == "301\n302\n"
        assert "note: q is not in the NTCIR format: levels are written as labels" in said

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (MANY + "1 b LX\n", "q:101: found level 'LX', expected L0, L1, L2, …"),
            (MANY + "1 b\n", "q:101: found 2 fields"),
            ("1 a L1\n../x b L1\n", "found topic '../x', expected a name that a file can have"),
            ("1 a L1\na/b b L1\n", "found topic 'a/b'"),
            ("1 a L1\n.git b L1\n", "found topic '.git'"),
            ("1 0 a 1\n1 0 b -1\n", "q: found level -1 for document b of topic 1"),
            ("1 0 a 1.5\n", "q: found level 1.5 for document a of topic 1"),
            ("1 a L1\n1 a L2\n", "q:2: conflicting levels for document 'a' in topic 1"),
            ("", "q: file is empty"),
        ],
    )
    def test_bad_judgments_leave_nothing_behind(self, ntcir: Command, text: str, said: str) -> None:
        write("q", text)
        before = files()
        assert said in ntcir.refused("split-qrels", "q", "rel")
        assert files() == before

    def test_the_list_needs_a_name(self, ntcir: Command) -> None:
        assert "found -, expected a file" in ntcir.refused("split-qrels", "-", "rel", stdin=QRELS)


class TestSplitRuns:
    def test_runs_are_not_ranked_again(self, ntcir: Command) -> None:
        write("tid", "0001\n0002\n")
        err = ntcir.told("split-runs", "tid", "bm25", "dense")
        assert read("0001/0001.bm25.res") == "b\na\nx\n"
        assert read("0002/0002.bm25.res") == ""
        assert read("0002/0002.dense.res") == "y\nd9\n"
        assert "created 0001/0001.bm25.res\n" in err
        assert "note: bm25: nothing for 1 topic (0002)\n" in err
        assert "note: bm25: 1 topic (0009) not in the list of topics, skipped\n" in err

    @pytest.mark.parametrize("command", ["split-runs", "TRECsplitruns"])
    def test_paths_on_standard_input(self, ntcir: Command, command: str) -> None:
        write("tid", "0001\n")
        ntcir.succeeds(command, "tid", "2", stdin="./bm25\n")
        assert read("0001/0001.bm25.res") == "b\na\n"

    def test_the_script_takes_a_list_of_paths(self, ntcir: Command) -> None:
        write("tid", "0001\n")
        ntcir.succeeds("TRECsplitruns", "tid", "1000", "runl")
        assert read("0001/0001.dense.res") == "c\na\n"

    def test_a_thousand_documents_unless_told(self, ntcir: Command) -> None:
        docs = [f"d{i}" for i in range(1001)]
        write("long", "".join(f"1 Q0 {d} 1 1 t\n" for d in docs))
        write("tid", "1\n")
        ntcir.succeeds("split-runs", "tid", "long")
        assert read("1/1.long.res").split() == docs[:1000]

    @pytest.mark.parametrize("arguments", [("10", "-s", ";"), ("-s", ";")])
    def test_answers_with_blanks(self, ntcir: Command, arguments: tuple[str, ...]) -> None:
        write("r", ANSWER_RUN)
        write("tid", "1\n")
        ntcir.succeeds("TRECsplitruns", "tid", *arguments, stdin="r\n")
        assert read("1/1.r.res") == "東京タワー\n東京 タワー\n富士山\n"

    @pytest.mark.parametrize("command", ["split-runs", "IR4QAsplitruns"])
    def test_xml_runs(self, ntcir: Command, command: str) -> None:
        write("X.xml", XML)
        write("tid", "0001\n0002\n")
        ntcir.succeeds(command, "tid", stdin="X.xml\n")
        assert read("0002/0002.X.res") == "y\nd9\n"
        assert read("0001/0001.X.res") == ""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (XML.replace("d9", "y"), "r:7: duplicate document 'y' in topic 0002 (first on line 6)"),
            (XML.replace("</IR4QA_RESULT>", ""), "r:9: found mismatched tag, expected well-formed"),
            (XML.replace("UTF-8", "EUC-JP"), "r: found multi-byte encodings are not supported"),
            (XML.replace(' ID="0002"', ""), "r:4: <TOPIC> without ID"),
            (XML.replace('DOCID="y"', 'DOCID=""'), "r:6: found DOCID=''"),
            (XML.replace("<RUNID>", '<RUNID DOCID="q">'), "r:3: found DOCID='q' outside of topics"),
            ("<TOPIC_SET/>", "r: found no topics"),
            ("0001 Q0 a 1 1 t\n0001 Q0 a 2 1 t\n", "r:2: duplicate document 'a' in topic 0001"),
            ("0001 Q0 a\n", "r:1: found 3 fields"),
        ],
    )
    def test_bad_runs_leave_nothing_behind(self, ntcir: Command, text: str, said: str) -> None:
        write("r", text)
        write("tid", "0001\n")
        before = files()
        assert said in ntcir.refused("split-runs", "tid", "dense", "r")  # dense is fine
        assert files() == before

    def test_a_topic_again_in_xml(self, ntcir: Command) -> None:
        write("r", '<S><TOPIC ID="1"/>\n<TOPIC ID="1"/></S>')
        write("tid", "1\n")
        assert "r:2: duplicate topic '1'" in ntcir.refused("split-runs", "tid", "r")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("tid", "bm25", "other/bm25"), "found bm25 and other/bm25, expected different"),
            (("tid", "0", "bm25"), "found limit 0, expected an integer ≥ 1"),
            (("none", "bm25"), "cannot read none"),
            (("empty", "bm25"), "empty: found no names"),
            (("unsafe", "bm25"), "found topic '..'"),
        ],
    )
    def test_bad_arguments(
        self,
        ntcir: Command,
        arguments: tuple[str, ...],
        said: str,
    ) -> None:
        Path("other").mkdir()
        write("other/bm25", BM25)
        write("tid", "0001\n")
        write("empty", "\n")
        write("unsafe", "..\n")
        assert said in ntcir.refused("split-runs", *arguments)
        assert not Path("0001").exists()


class TestEval:
    def test_labelled_lists_and_results(self, evaluated: None) -> None:
        assert read("0001/0001.bm25.test.lab") == "b L0\na L2\nx\n"
        assert read("0002/0002.dense.test.lab") == "y\nd9 L1\n"
        assert read("0003/0003.bm25.test.lab") == ""
        lines = read("bm25.test.nev").splitlines()
        # The first relevant document is at rank 2; two are relevant. At rank 2 the blended ratio is
        # (1 + 2) / (2 + 3), gains 2 of 3.
        assert lines[:3] == [
            "0001 # syslen=3 jrel=2 jnonrel=1",
            "0001 # r1=2 rp=2",
            "0001 RR=                  0.5000",
        ]
        assert "0001 AP=                  0.2500" in lines
        assert "0001 Q-measure=           0.3000" in lines
        assert "0001 P@0002=              0.5000" in lines
        assert "0002 # syslen=0 jrel=1 jnonrel=0" in lines
        assert {line[:4] for line in lines} == {"0001", "0002"}
        assert "0002 AP=                  0.5000" in read("dense.test.nev").splitlines()

    def test_a_topic_without_relevant_documents_is_named(self, split: None, ntcir: Command) -> None:
        err = ntcir.told("NTCIR-eval", "test.qrels.tid", "rel", "n", "-g", "1:2", stdin="bm25\n")
        assert err.splitlines() == [
            "created 0001/0001.bm25.n.lab",
            "created 0002/0002.bm25.n.lab",
            "created 0003/0003.bm25.n.lab",
            "created bm25.n.nev",
            "note: 1 topic (0003) without a relevant document, excluded from the results",
        ]

    def test_options_go_to_label_and_compute(self, split: None, ntcir: Command) -> None:
        write("0002/0002.rel", "d9 L1\nz L0\n")
        write("tid", "0001\n0002\n")
        options = ("-g", "1:2", "-j", "-truncate", "2", "-gap")
        ntcir.succeeds("eval", "tid", "rel", "n", *options, stdin="bm25\ndense\n")
        assert read("0001/0001.bm25.n.lab") == "b L0\na L2\n"
        assert read("0002/0002.dense.n.lab") == "d9 L1\n"  # y is unjudged
        results = read_results(Source.from_path("dense.n.nev"))
        assert results["0002"]["AP"] == results["0002"]["bpref"] == 1.0
        assert "GAP@1000" in results["0001"]

    @pytest.mark.parametrize(
        ("command", "endings"),
        [("E-NTCIR-eval", ("elab", "enev")), ("NTCIR-eval-sep", ("lab", "nev"))],
    )
    def test_answers_with_blanks_and_classes(self, ntcir: Command, command: str, endings: tuple[str, str]) -> None:
        lab, nev = endings
        write("q", ANSWERS)
        write("r", ANSWER_RUN)
        ntcir.succeeds("NTCIRsplitqrels", "q", "erel", ";")
        ntcir.succeeds("TRECsplitruns", "q.tid", "10", "-s", ";", stdin="r\n")
        ntcir.succeeds(command, "q.tid", "erel", "n", ";", "-g", "1:2", stdin="r\n")
        labels, lines = read(f"1/1.r.n.{lab}"), read(f"r.n.{nev}").splitlines()
        if command == "E-NTCIR-eval":  # two classes, found at ranks 1 and 3: (1/1 + 2/3) / 2
            assert labels == "東京タワー;L2;x\n東京 タワー\n富士山;L1;y\n"
            assert lines[0] == "1 # syslen=3 jrel=2 jnonrel=0"
            assert "1 AP=                  0.8333" in lines
        else:
            assert labels == "東京タワー;L2\n東京 タワー;L2\n富士山;L1\n"
            assert lines[0] == "1 # syslen=3 jrel=3 jnonrel=0"
            assert "1 AP=                  1.0000" in lines

    def test_ours_do_the_same_in_another_directory(self, ntcir: Command) -> None:
        write("q", ANSWERS)
        write("r", ANSWER_RUN)
        there = ("--dir", "topics")
        ntcir.succeeds("split-qrels", "q", "erel", ";", *there)
        ntcir.succeeds("split-runs", *there, "-s", ";", "q.tid", "10", "r")
        options = ("-ec", "-sep", ";", "-g", "1:2", "--runs", "r", *there)
        ntcir.succeeds("eval", "q.tid", "erel", "n", *options)
        assert read("topics/1/1.r.n.lab") == "東京タワー;L2;x\n東京 タワー\n富士山;L1;y\n"
        assert "1 AP=                  0.8333" in read("r.n.nev").splitlines()

    @pytest.mark.parametrize("gains", ["topic", "@gains"])
    def test_gains_for_each_topic(self, split: None, ntcir: Command, gains: str) -> None:
        """d9 is L1, at rank 2: it stops g/(g_h + 1) of the users, 1/2 if there is no L2, else 1/3.

        a is L2, below c, which is L1: 1/3 + (1 - 1/3) · 2/3 / 2.
        """
        write("gains", "0001 1:2\n0002 1\n")
        arguments = ("eval", "test.qrels.tid", "rel")
        ntcir.succeeds(*arguments, "each", "-g", gains, "--runs", "dense")
        ntcir.succeeds(*arguments, "all", "-g", "1:2", "--runs", "dense")
        each, same = (read_nev(f"dense.{name}.nev", measures=["ERR"]) for name in ("each", "all"))
        assert each["dense.each", "0002", "ERR"] == 0.25
        assert same["dense.all", "0002", "ERR"] == 0.1667
        assert each["dense.each", "0001", "ERR"] == same["dense.all", "0001", "ERR"] == 0.5556
        assert each.topics == ("0001", "0002")

    def test_a_list_that_is_not_there_is_empty(self, split: None, ntcir: Command) -> None:
        Path("0002/0002.dense.res").unlink()
        said = ntcir.told("eval", "test.qrels.tid", "rel", "n", "-g", "1:2", "--runs", "dense")
        assert "note: dense: no file for 1 topic (0002), evaluated as empty" in said
        assert "0002 AP=                  0.0000" in read("dense.n.nev").splitlines()

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (
                ("-g", "1"),
                "0001/0001.rel:1: found level 2 (L2), expected at most 1, the number of gains in -g",
            ),
            (("-g", "2:1"), "found gains 2:1"),
            (("-g", "1:x"), "-g: found gains '1:x', expected numbers such as 1:2:3"),
            (
                ("-g", "@few"),
                "few: found no gains for 1 topic (0002), expected gains of all topics",
            ),
            (("-g", "@odd"), "odd:1: found '0001', expected a topic and its gains"),
            (("-g", "@none"), "cannot read none"),
            (("-g", "1:2", "-ec"), "0001/0001.rel:1: found no class for a"),
            (("-g", "1:2", "--runs", "typo"), "typo: found no file such as 0001/0001.typo.res"),
            (("-g", "1:2", "--runs", "../x"), "found run '../x'"),
        ],
    )
    def test_bad_input_leaves_nothing_behind(
        self,
        split: None,
        ntcir: Command,
        options: tuple[str, ...],
        said: str,
    ) -> None:
        write("few", "0001 1:2\n")
        write("odd", "0001\n")
        before = files()
        assert said in ntcir.refused("eval", "test.qrels.tid", "rel", "n", *options, stdin="dense\n")
        assert files() == before

    def test_judgments_and_names(self, split: None, ntcir: Command) -> None:
        for arguments, said in (
            (("test.qrels.tid", "erel", "n"), "cannot read 0001/0001.erel"),
            (("test.qrels.tid", "rel", "../n"), "found name '../n'"),
        ):
            assert said in ntcir.refused("eval", *arguments, "-g", "1:2", "--runs", "dense")
        write("0001/0001.rel", "a L2\nb relevant\n")
        assert "0001/0001.rel:2: found label 'relevant'" in ntcir.refused(
            "eval", "test.qrels.tid", "rel", "n", "-g", "1:2", "--runs", "dense"
        )


class TestResults:
    @pytest.mark.parametrize("command", ["means", "NEV2mean"])
    def test_means_over_all_topics(self, evaluated: None, ntcir: Command, command: str) -> None:
        """0003 has no results and counts: bm25 0.25 / 3, dense (1 + 0.5) / 3."""
        told = ntcir.told(command, "runl", "test.qrels.tid", "test.nev", "AP", "P@0002")
        said = told.splitlines()
        assert read("runl.test.qrels.test.nev.AP") == "bm25 0.0833\ndense 0.5000\n"
        assert read("runl.test.qrels.test.nev.P@0002") == "bm25 0.1667\ndense 0.5000\n"
        assert said[:2] == [
            "created runl.test.qrels.test.nev.AP",
            "created runl.test.qrels.test.nev.P@0002",
        ]
        assert said[2] == "note: bm25: no results for 1 topic (0003), counted as 0"
        assert read_means("runl.test.qrels.test.nev.AP") == {"bm25": 0.0833, "dense": 0.5}

    def test_geometric_means(self, evaluated: None, ntcir: Command) -> None:
        write("tid", "0001\n0002\n")
        ntcir.succeeds("means", "runl", "tid", "test.nev", "AP", "--mean", "geometric")
        # √(0.25 · 0.00001) and √(1 · 0.5)
        assert read("runl.tid.test.nev.AP.gmean") == "bm25 0.0016\ndense 0.7071\n"

    @pytest.mark.parametrize("command", ["matrix", "Topicsys-matrix"])
    def test_topics_by_runs(self, evaluated: None, ntcir: Command, command: str) -> None:
        text = "0.2500 1.0000\n0.0000 0.5000\n0.0000 0.0000\n"
        assert ntcir.printed(command, "test.qrels.tid", "runl", "test.nev", "AP") == text
        write("matrix", text)
        scores = read_matrix("matrix", "test.qrels.tid", "runl", "AP")
        assert (scores.runs, scores.measures) == (("bm25", "dense"), ("AP",))
        assert scores["dense", "0002", "AP"] == 0.5
        assert scores.mean()["dense"]["AP"] == 0.5

    def test_everything_in_one_table(self, evaluated: None, ntcir: Command) -> None:
        found = ntcir.printed("table", "test.qrels.tid", "runl", "test.nev", "RR")
        assert found.splitlines() == [
            "run\ttopic\tmeasure\tvalue",
            "bm25\t0001\tRR\t0.5",
            "bm25\t0002\tRR\t0.0",
            "bm25\t0003\tRR\t0.0",
            f"bm25\tall\tRR\t{0.5 / 3}",
            "dense\t0001\tRR\t1.0",
            "dense\t0002\tRR\t0.5",
            "dense\t0003\tRR\t0.0",
            "dense\tall\tRR\t0.5",
        ]
        arguments = ("table", "test.qrels.tid", "runl", "test.nev")
        ntcir.succeeds(*arguments, "-f", "json", "-o", "table.json")
        table = json.loads(read("table.json"))
        assert table["topics"]["bm25"]["0001"]["Q-measure"] == 0.3
        assert table["measures"][:2] == ["RR", "O-measure"]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("means", "runl", "test.qrels.tid", "test.nev", "AP", "nDCG@10"),
             "bm25.test.nev: found no nDCG@10 for topic 0001, "
             "expected a measure of the file: nDCG@0002 or MSnDCG@0002"),
            (("matrix", "test.qrels.tid", "runl", "test.nev", "X"), "bm25.test.nev: found no X"),
            (("table", "test.qrels.tid", "runl", "other.nev"), "cannot read bm25.other.nev"),
            (("table", "strange", "runl", "test.nev"), "no results for 1 topic (7)"),
        ],
    )  # fmt: skip
    def test_what_is_not_there_is_an_error(
        self,
        evaluated: None,
        ntcir: Command,
        arguments: tuple[str, ...],
        said: str,
    ) -> None:
        write("strange", "7\n")
        before = files()
        assert said in ntcir.refused(*arguments)
        assert files() == before


class TestReading:
    def test_results_under_the_names_of_files(self, evaluated: None) -> None:
        scores = read_nev(["bm25.test.nev", "dense.test.nev"])
        assert scores.runs == ("bm25.test", "dense.test")
        assert scores.topics == ("0001", "0002")
        assert scores["dense.test", "0001", "AP"] == 1.0
        assert set(scores.summaries) == {"mean"}
        named = read_nev({"BM25": "bm25.test.nev"}, topics=["0002", "0001"])
        assert (named.runs, named.topics) == (("BM25",), ("0002", "0001"))
        assert read_nev(Path("bm25.test.nev")).runs == ("bm25.test",)

    def test_comments_and_steps_are_passed_over(self, split: None, ntcir: Command) -> None:
        options = ("-g", "1:2", "-v", "--runs", "dense")
        ntcir.succeeds("eval", "test.qrels.tid", "rel", "n", *options)
        assert "CGi=" in read("dense.n.nev")
        assert read_nev("dense.n.nev")["dense.n", "0002", "AP"] == 0.5

    def test_names_with_signs(self) -> None:
        write("r", "a b # syslen=1 jrel=1 jnonrel=0\na b D#-nDCG@0010=        0.5000\n")
        assert read_results(Source.from_path("r")) == {"a b": {"D#-nDCG@0010": 0.5}}

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (" AP= 0.5\n", "r:1: found ' AP= 0.5', expected a result such as 0001 AP= 0.5000"),
            ("1 AP= 0.5\n1 AP= 0.5\n", "r:2: duplicate measure AP in topic 1"),
            ("1 AP= nan\n", "r:1: found"),
            ("1 AP 0.5\n", "r:1: found"),
            ("1 AP= 0.5\n1 Q= 0.5\n2 AP= 0.5\n", "r: found no Q for topic 2"),
            ("# nothing\n", "r: found no results"),
        ],
    )
    def test_bad_results(self, text: str, said: str) -> None:
        write("r", text)
        with pytest.raises(cf.InputError) as raised:
            read_nev("r")
        assert str(raised.value).startswith(said)

    def test_names_clash(self) -> None:
        with pytest.raises(cf.InputError, match="found 2 files named r, expected"):
            read_nev(["a/r.nev", "b/r.nev"])
        with pytest.raises(cf.InputError, match="found no files"):
            read_nev([])

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("0.5 0.5\n0.5\n", "m:2: found '0.5', expected 2 numbers"),
            ("0.5 0.5\n0.5 x\n", "m:2: found '0.5 x', expected 2 numbers"),
            ("0.5 0.5\n", "m: found 1 lines, expected 2 (one for each topic)"),
        ],
    )
    def test_bad_matrices(self, text: str, said: str) -> None:
        write("m", text)
        with pytest.raises(cf.InputError) as raised:
            read_matrix("m", ["1", "2"], ["a", "b"], "AP")
        assert str(raised.value) == said

    @pytest.mark.parametrize("text", ["AP not found\n", "0.5\n", "a 0.5\na 0.5\n"])
    def test_bad_means(self, text: str) -> None:
        write("m", text)
        with pytest.raises(cf.InputError, match="expected a run and its mean"):
            read_means("m")

    @settings(max_examples=examples(40))
    @given(st.lists(st.lists(st.integers(0, 10000), min_size=3, max_size=3), min_size=1))
    def test_what_is_written_is_read(self, cells: list[list[int]]) -> None:
        """Four decimals survive a matrix, and means are those of Scores, to four decimals."""
        values = np.array(cells).T[:, :, None] / 10000
        topics = tuple(str(i) for i in range(len(cells)))
        scores = cf.Scores(values, ("a", "b", "c"), topics, ("AP",), ("mean",))
        write("m", format_matrix(scores))
        assert read_matrix("m", topics, list("abc"), "AP") == scores
        write("means", format_means(scores)["AP"])
        for run, mean in read_means("means").items():
            assert mean == pytest.approx(scores.mean()[run]["AP"], abs=0.000051)

    @given(st.text())
    def test_names_of_files_stay_in_their_directory(self, name: str) -> None:
        try:
            assert check_file_name(name) == name
        except cf.InputError:
            assert not name or name[0] == "." or set(name) & set("/\\\0")
        else:
            assert (Path("base") / name).parent == Path("base")


class TestConvert:
    EARLY = "1 S d1 1\n1 A d2 1\n2 B d3 0\n2 C d4 0\n"
    TREC = "301 0 a 2\n301 0 b 1\n302 0 c 0\n"

    @pytest.mark.parametrize(
        ("arguments", "text", "expected"),
        [
            (("convert", "early"), EARLY, "1 d1 L3\n1 d2 L2\n2 d3 L1\n2 d4 L0\n"),
            (("EarlyNTCIRqrels2NTCIRqrels",), EARLY, "1 d1 L3\n1 d2 L2\n2 d3 L1\n2 d4 L0\n"),
            (("convert", "early", "--labels", "S=1,A=1,B=0,C=0"), EARLY,
             "1 d1 L1\n1 d2 L1\n2 d3 L0\n2 d4 L0\n"),
            (("convert", "trec"), TREC, "301 a L2\n301 b L1\n302 c L0\n"),
            (("TRECrobust2NTCIRqrels",), TREC, "301 a L3\n301 b L1\n302 c L0\n"),
            (("convert", "trec", "--map=-2=0,1=1"), "1 0 a -2\n1 0 b 1\n", "1 a L0\n1 b L1\n"),
        ],
    )  # fmt: skip
    def test_grades_become_labels(
        self,
        ntcir: Command,
        arguments: tuple[str, ...],
        text: str,
        expected: str,
    ) -> None:
        assert ntcir.printed(*arguments, stdin=text) == expected
        write("old", text)
        ntcir.succeeds(*arguments, "old", "-o", "new")
        assert read("new") == expected
        assert cf.read_qrels("new").topics == tuple(dict.fromkeys(x.split()[0] for x in
                                                    expected.splitlines()))  # fmt: skip

    @pytest.mark.parametrize(
        ("arguments", "text", "said"),
        [
            (("early",), "1 S d 1\n1 D d 0\n", "q:2: found level 'D', expected one of S, A, B, C"),
            (("early",), "1 S d\n", "q:1: found 3 fields ('1 S d'), expected 4: topic level doc"),
            (
                ("trec",),
                "1 0 d 1\n1 0 e -2\n",
                "q:2: found level '-2', expected an integer ≥ 0, or --map",
            ),
            (("trec",), "1 0 d 0.5\n", "q:1: found level '0.5', expected an integer ≥ 0, or --map"),
            (("trec", "--map", "1=1"), "1 0 d 2\n", "q:1: found level '2', expected one of 1"),
            (("trec", "--map", "1=0.5"), "1 0 d 1\n", "expected integers ≥ 0"),
            (("trec", "--map", "1"), "1 0 d 1\n", "expected labels with levels"),
            (("trec",), "", "q: file is empty"),
        ],
    )
    def test_unknown_grades(
        self,
        ntcir: Command,
        arguments: tuple[str, ...],
        text: str,
        said: str,
    ) -> None:
        write("q", text)
        assert said in ntcir.refused("convert", *arguments, "q", "-o", "new")
        assert not Path("new").exists()


class TestTogether:
    def test_the_whole_way_agrees_with_evaluate(self, ntcir: Command) -> None:
        """Split, evaluated by topic and read back: the values of `evaluate`, to four decimals."""
        collection = cf.simulate(topics=5, runs=3, depth=40, seed=1)
        collection.write("c")
        runs = sorted(path.name for path in Path("c/runs").iterdir())
        write("list", "".join(f"{run}\n" for run in runs))
        ntcir.succeeds("split-qrels", "c/qrels.txt", "rel")
        ntcir.succeeds("split-runs", "c/qrels.txt.tid", *(f"c/runs/{run}" for run in runs))
        options = ("-g", "1:2:3", "-cutoffs", "10,1000", "--runs", *runs)
        ntcir.succeeds("eval", "c/qrels.txt.tid", "rel", "n", *options)

        theirs = ["AP", "Q-measure", "RR", "nDCG@0010", "MSnDCG@0010", "nERR@0010", "Hit@0010"]
        ours = [f"ntcir:{name}" for name in theirs]
        scores = cf.evaluate("c/qrels.txt", [f"c/runs/{run}" for run in runs], ours, ties="given")
        by_topic = cf.evaluate(".", [f"./{run}" for run in runs], ours)
        read_back = read_nev({run: f"{run}.n.nev" for run in runs}, measures=theirs)
        order = [scores.topics.index(topic) for topic in read_back.topics]
        np.testing.assert_allclose(read_back.values, scores.values[:, order], atol=0.000051)
        assert np.array_equal(by_topic.values, scores[:, list(by_topic.topics)].values)

        ntcir.succeeds("means", "list", "c/qrels.txt.tid", "n.nev", *theirs)
        means_of = list(scores.mean().values())
        for name, measure in zip(theirs, scores.measures, strict=True):
            found = read_means(f"list.qrels.txt.n.nev.{name}")
            assert list(found) == runs
            for of_run, mean in zip(means_of, found.values(), strict=True):
                assert mean == pytest.approx(of_run[measure], abs=0.000101)
