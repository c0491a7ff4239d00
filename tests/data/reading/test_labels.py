"""Levels as labels: NTCIR's judgments, grades of the first rounds, alphabets of one's own."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import main
from tests.data.made import SABC
from tests.made import JUDGED, NTCIR_4, Command, written

# -- NTCIR's judgments ------------------------------------------------------------------------

NTCIR_3 = "1 a L2\n1 b L0\n2 c L1\n"
ALIKE = {
    "three columns": NTCIR_3.encode(),
    "four columns": NTCIR_4.encode(),
    "three and four": b"1 a L2 x\n1 b L0\n2 c L1\n",
    "windows": NTCIR_3.replace("\n", "\r\n").encode(),
    "comments and blank lines": f"# qrels\n\n{NTCIR_3}\n  \n# end".encode(),
    "tabs": NTCIR_3.replace(" ", "\t").encode(),
    "gzip": gzip.compress(NTCIR_4.encode()),
    "byte order mark": b"\xef\xbb\xbf" + NTCIR_3.encode(),
    "no last newline": NTCIR_3.rstrip().encode(),
    "csv": b"topic,doc,level\n1,a,L2\n1,b,L0\n2,c,L1\n",
    "tsv": b"topic\tdoc\tlabel\n1\ta\tL2\n1\tb\tL0\n2\tc\tL1\n",
    "trec with labels": b"1 0 a L2\n1 0 b L0\n2 0 c L1\n",
    "trec with some": b"1 0 a L2\n1 0 b 0\n2 0 c 1\n",
}


@pytest.mark.parametrize("written_as", ALIKE)
def test_ntcir_judgments_are_recognised(written_as: str, small: Path) -> None:
    Path("q").write_bytes(ALIKE[written_as])
    assert cf.read_qrels("q").to_dict() == JUDGED
    ours = cf.evaluate("q", "run", ["AP", "nDCG@3"])
    assert ours.values.tolist() == cf.evaluate("trec", "run", ["AP", "nDCG@3"]).values.tolist()


@pytest.mark.parametrize(
    "command",
    [
        "evaluate {} run -m AP -m nDCG@3 -f tsv -q",
        "explain nDCG@3 --on {} run --topic 1",
        "label {} run",
        "pool run --qrels {}",
    ],
)
def test_every_command_reads_ntcir_judgments(command: str, small: Path, cranfield: Command) -> None:
    assert cranfield.printed(command.format("ntcir")) == cranfield.printed(command.format("trec"))


def test_validate_reads_ntcir_judgments(small: Path, cranfield: Command) -> None:
    assert "ntcir: 3 judgments (ntcir), 2 topics: fine" in cranfield.printed("validate ntcir run")


def test_classes_in_judgments_are_used_or_it_is_said(small: Path) -> None:
    scores = cf.evaluate("ntcir", "run", "AP")
    said = "ntcir: 3 judgments with a class, ignored. Use --classes to count each class once."
    assert said in [note.text for note in scores.notes]
    used = cf.evaluate("ntcir", "run", "AP", labelling=cf.EquivalenceClasses("ntcir"))
    assert "classes" not in {note.kind for note in used.notes}


@pytest.mark.parametrize("count", [1, 5])
def test_trec_judgments_of_documents_called_l1(count: int, tmp_path: Path) -> None:
    """What stands where NTCIR has documents is 0 on every line."""
    lines = "".join(f"1 0 L{n} {n}\n" for n in range(count))
    qrels = cf.read_qrels(written(tmp_path / "q", lines)).to_dict()
    assert qrels == {"1": {f"L{n}": n for n in range(count)}}


def test_a_run_is_not_taken_for_judgments_nor_judgments_for_a_run(small: Path) -> None:
    with pytest.raises(cf.InputError, match="ntcir: found NTCIR judgments, expected a run: topic"):
        cf.evaluate("trec", "ntcir", "AP")


WRONG_JUDGMENTS = {
    "1 a L2\n1 b L0\n1 c L-1\n": "q:3: found level 'L-1', expected L0, L1, L2, …",
    "1 a L2\n1 b L1\n1 a L1\n": "q:3: conflicting levels for document 'a' in topic 1: 1 here",
    "1 a L2 x\n1 b L2 x y\n": "q:2: found 5 fields ('1 b L2 x y'), expected 3: topic doc leve",
    "1 0 a L2\n1 0 b Lx\n": "q:2: found level 'Lx', expected a finite number",
    "1 0 a L2\n1 0 b S\n": "q:2: found level 'S', expected a finite number (to map labels",
    "topic,doc,level\n1,a,L2\n1,b,l1\n": "q:3: found level 'l1', expected a finite number",
    "all a L2\n": "q:1: found a topic named 'all'",
}


@pytest.mark.parametrize("content", WRONG_JUDGMENTS)
def test_what_is_wrong_with_labels(content: str, small: Path) -> None:
    Path("q").write_text(content)
    with pytest.raises(cf.InputError) as told:
        cf.read_qrels("q")
    assert str(told.value).startswith(WRONG_JUDGMENTS[content])


def test_the_format_can_be_forced(small: Path) -> None:
    Path("q").write_text("1 0 L1 x\n1 0 L2 y\n")
    with pytest.raises(cf.InputError, match="found level 'x'"):
        cf.read_qrels("q")
    Path("q").write_text("1 0 L1 x\n")
    assert cf.read_qrels("q", "ntcir").to_dict() == {"1": {"0": 1.0}}
    Path("q").write_text("1 a L2\n1 b 0\n")  # a level by its number
    assert cf.read_qrels("q", "ntcir").to_dict() == {"1": {"a": 2.0, "b": 0.0}}


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("1 0 a S\n1 0 b C\n1 0 c B\n", None),
        ("topic,doc,level\n1,a,S\n1,b,C\n1,c,B\n", None),
        ("1 a S\n1 b C\n1 c B\n", "ntcir"),
        ("1 0 a S\n1 0 b 0\n1 0 c L1\n", None),  # levels may stand among letters
        ('{"1": {"a": "S", "b": "C", "c": 1}}', None),
        ('{"topic": 1, "doc": "a", "rel": "S"}\n{"topic": 1, "doc": "b", "rel": "C"}\n'
         '{"topic": 1, "doc": "c", "rel": "B"}\n', None),
    ],
)  # fmt: skip
def test_alphabets(content: str, format: str | None, small: Path) -> None:
    Path("q").write_text(content)
    qrels = cf.read_qrels("q", format, labels=SABC).to_dict()
    assert qrels == {"1": {"a": 3, "b": 0, "c": 1}}


def test_a_label_that_is_not_of_the_alphabet(small: Path) -> None:
    Path("q").write_text("1 0 a S\n1 0 b D\n")
    with pytest.raises(cf.InputError, match=r"^q:2: found level 'D', expected one of S, A, B, C$"):
        cf.evaluate("q", "run", "AP", labels=SABC)


def test_alphabets_on_the_command_line(small: Path, cranfield: Command) -> None:
    Path("q").write_text("1 0 a S\n1 0 b C\n2 0 c B\n")
    rows = cranfield.printed("evaluate q run --labels S=2,B=1,C=0 -m nDCG@3 -q -f tsv")
    assert rows == cranfield.printed("evaluate trec run -m nDCG@3 -q -f tsv")


def test_an_alphabet_in_ntcir_judgments_is_no_silent_zero(small: Path) -> None:
    """`topic doc S class` with labels= that know S is not `topic iteration doc level`."""
    Path("q").write_text("1 a S 1\n1 b C 2\n")
    assert cf.read_qrels("q", labels=SABC).to_dict() == {"1": {"a": 3, "b": 0}}


ANSWERS = "q1|Paul McCartney|L2|1\nq1|ポール・マッカートニー|L1|1\nq1|John  Lennon|L0|2\n"
ANSWERED = "q1|Q0|ポール・マッカートニー|1|2.0|me\nq1|Q0|Paul McCartney|2|1.0|me\n"


def test_answer_strings_with_blanks(small: Path, cranfield: Command) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    judged = cf.read_qrels("q", separator="|").to_dict()["q1"]
    assert judged == {"Paul McCartney": 2, "ポール・マッカートニー": 1, "John  Lennon": 0}
    rows = cranfield.printed("evaluate q r --sep | --classes q -m NumRel -m P@2 -f tsv").splitlines()
    assert rows[1:] == ["me\tall\tNumRel\t1", "me\tall\tP@2\t0.5"]
    shown = cranfield.printed("label q r --sep | --classes q").splitlines()
    # A character of Japanese takes two cells of a terminal: the column is 22 cells wide.
    assert [shown[2], *shown[4:]] == [
        "rank  document                level  status                       group",
        "   1  ポール・マッカートニー      1  relevant                     1",
        "   2  Paul McCartney              2  redundant: counts at rank 1  1",
    ]
    assert "Paul McCartney" in cranfield.printed("explain AP --on q r --sep | --classes q")


def test_a_separator_in_an_answer_is_an_error(small: Path) -> None:
    Path("q").write_text("q1|AC|DC|L2\n")
    with pytest.raises(cf.InputError, match="q:1: found level 'DC'"):
        cf.read_qrels("q", "ntcir", separator="|")
    Path("r").write_text("q1|Q0|AC|DC|1|2.0|me\n")
    with pytest.raises(cf.InputError, match="r:1: found 7 fields"):
        cf.read_run("r", separator="|")


def test_explain_takes_a_separator(small: Path) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    # The first relevant item is at rank 1.
    assert cf.explain("RR", "q", "r", separator="|").values == {"RR": 1.0}


def test_pool_takes_a_separator(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q").write_text(ANSWERS)
    Path("r").write_text(ANSWERED)
    assert main(["pool", "r", "--qrels", "q", "--sep", "|"]) == 0
    assert "2 of them judged" in capsys.readouterr().out


# -- what an organiser stumbled over ----------------------------------------------------------


EARLY = "1 S a 1\n1 B b 0\n1 C c 0\n2 A d 1\n"


def test_judgments_of_the_first_rounds_are_recognised(tmp_path: Path) -> None:
    """The grade stands in TREC's second column, and the last is no level."""
    path = written(tmp_path / "q", EARLY)
    expected = {"1": {"a": 3.0, "b": 1.0, "c": 0.0}, "2": {"d": 2.0}}
    assert cf.read_qrels(path).to_dict() == expected
    assert cf.read_qrels(path, labels={"S": 7, "A": 5, "B": 1, "C": 0}).to_dict()["1"]["a"] == 7
    with pytest.raises(cf.InputError, match="NTCIR judgments, expected a run"):
        cf.evaluate(path, path, "AP")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("1 S a 1\n1 D b 0\n1 C c 0\n", None, "q:2: found level 'D', expected one of S, A, B, C"),
        (EARLY, {"S": 3, "A": 2, "B": 1}, "q:3: found level 'C', expected one of S, A, B"),
    ],
)
def test_a_grade_nobody_knows(
    text: str, labels: Any, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most lines tell the format; the one with a mistake is the mistake."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(text)
    with pytest.raises(cf.InputError, match=re.escape(expected)):
        cf.read_qrels("q", labels=labels)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # An iteration may be relevant and not, a grade cannot.
        ("1 A a 0\n1 A b 1\n", {"1": {"a": 0, "b": 1}}),
        # Iterations come again and again, documents do not.
        ("1 0 L12 1\n1 1 L13 0\n", {"1": {"L12": 1, "L13": 0}}),
        ("1 1 L1 1\n1 1 L2 0\n1 2 L3 1\n1 2 L4 0\n", {"1": {"L1": 1, "L2": 0, "L3": 1, "L4": 0}}),
    ],
)
def test_what_is_trec_after_all(text: str, expected: Any, tmp_path: Path) -> None:
    assert cf.read_qrels(written(tmp_path / "q", text)).to_dict() == expected


def test_numbers_in_the_second_column_are_iterations(tmp_path: Path) -> None:
    path = written(tmp_path / "q", "1 0 a 1\n1 1 b 0\n")
    labels = {"0": 0, "1": 1, "A": 2}
    assert cf.read_qrels(path, labels=labels).to_dict() == {"1": {"a": 1.0, "b": 0.0}}


IR4QA = """<?xml version="1.0" encoding="UTF-8"?>
<TOPIC_SET>
<TOPIC ID="1"><IR4QA_RESULT>
<DOCUMENT RANK="1" DOCID="b" SCORE="0.1" />
<DOCUMENT RANK="2" DOCID="a" SCORE="0.9" />
</IR4QA_RESULT></TOPIC>
</TOPIC_SET>
"""


def test_xml_runs_are_runs(tmp_path: Path) -> None:
    """In the order of the file: a is second whatever the scores say."""
    path = written(tmp_path / "MSRA-01.xml", IR4QA)
    scores = cf.evaluate({"1": {"a": 1}}, path, "RR")
    assert scores.summary() == {"MSRA-01": {"RR": 0.5}}
    empty = written(tmp_path / "low.xml", IR4QA.replace("DOCID", "docid"))
    with pytest.raises(cf.InputError, match="found no document, expected <TOPIC"):
        cf.evaluate({"1": {"a": 1}}, empty, "RR")


def test_ranks_contradict_scores_whatever_the_separator(tmp_path: Path) -> None:
    lines = "1;0;a b;2;9;r\n1;0;c;1;8;r\n"
    path = written(tmp_path / "r", lines)
    scores = cf.evaluate({"1": {"a b": 1, "c": 0}}, path, "RR", separator=";")
    assert scores.summary()["r"]["RR"] == 1.0
    assert [n.kind for n in scores.notes] == ["rank-order"]
    assert cf.evaluate({"1": {"a b": 1}}, path, "RR", separator=";", ties="rank").summary() == {"r": {"RR": 0.5}}


def test_labels_in_memory_and_in_json(tmp_path: Path) -> None:
    assert cf.read_qrels({"1": {"a": "S"}}, labels="S=3").to_dict() == {"1": {"a": 3.0}}
    path = written(tmp_path / "q.json", '{"1": {"a": "L2"}, "2": {}}')
    assert cf.read_qrels(path).to_dict() == {"1": {"a": 2.0}, "2": {}}
    with pytest.raises(cf.InputError, match="found level 7 for document a of topic 1"):
        cf.read_qrels(written(tmp_path / "n.json", '{"1": {"a": 7}}'), labels="S=3")


def test_validate_knows_separators_and_alphabets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "q", "1;a b;S;x\n1;c;Z;y\n")
    assert main(["validate", path, "--sep", ";", "--labels", "S=3,A=2"]) == 2
    out = capsys.readouterr().out
    assert f"{path}:2: error: found level 'Z', expected one of S, A" in out
    assert "1 judgment (ntcir), 1 topic: 1 error" in out
    run = written(tmp_path / "r", "1;0;a b;1;2;t\n")
    assert main(["validate", run, "--sep", ";"]) == 0
    assert "1 result (trec)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "line", "hint"),
    [
        ("qrels", "1;a;L2", "for fields separated by ';', use --sep"),
        ("qrels", "1 Q0 a 1 2 t", "this looks like a run: judgments must come first"),
        ("qrels", "1 a", "4: topic iteration doc level (topic and document are a"),
        ("qrels", "1 a 1 1 1 1 1", "4: topic iteration doc level (or topic doc L2)"),
        ("qrels", "1 0 a S", "to map labels to levels, use --labels S=1,…"),
    ],
)
def test_hints(kind: str, line: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match=re.escape(hint)):
        cf.read_qrels(written(tmp_path / "q", line + "\n"))
