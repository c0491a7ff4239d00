"""`cranfield report` as a user meets it."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.made import Command, written

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 1\n"
X = "1 Q0 a 1 2 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n"
Y = "1 Q0 b 1 2 y\n2 Q0 a 1 2 y\n3 Q0 z 1 2 y\n3 Q0 a 2 1 y\n"


@pytest.fixture
def report(cranfield: Command) -> Command:
    return cranfield.of("report")


@pytest.fixture
def files(here: Path) -> list[str]:
    named = {"qrels": QRELS, "x.run": X, "y.run": Y}
    for name, text in named.items():
        written(here / name, text)
    return [*named]


def data_in(path: str | Path) -> dict[str, Any]:
    """What the script of a page reads."""
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_page(report: Command, files: list[str]) -> None:
    written(Path("q.tsv"), "1\tone\n2\ttwo\n")
    written(Path("d.jsonl"), '{"id": "a", "title": "Ay"}\n')
    written(Path("qrels2"), QRELS.replace("1 0 b 0", "1 0 b 1"))
    line = "qrels x.run y.run -m 'RR P@1' -o r.html --queries q.tsv --docs d.jsonl"
    done = report.succeeds(f"{line} --second-qrels qrels2 --list-depth 1 --title 'Two runs'")
    assert done.out == ""
    shown = data_in("r.html")
    assert shown["title"] == "Two runs"
    assert shown["scores"][0] == [[1, 0.5, 0], [0, 1, 0.5]]
    assert shown["lists"]["depth"] == 1
    assert shown["topics"][1]["query"] == "two"
    assert "Ay" in json.dumps(shown["lists"])
    assert [one["id"] for one in shown["sections"]] == ["difference", "unjudged", "second"]
    told = {row["label"]: row["value"] for row in shown["reproduce"]}
    assert told["command"].startswith("cranfield report qrels x.run y.run -m 'RR P@1' -o r.html")
    digest = hashlib.sha256(QRELS.encode()).hexdigest()
    assert told["judgments"] == f"qrels sha256:{digest}"
    assert "test" in told


def test_to_standard_output(report: Command, files: list[str]) -> None:
    assert report.printed(*files).startswith("<!DOCTYPE html>")


def test_usual_measures(report: Command, files: list[str]) -> None:
    report.succeeds(*files, "-o", "r.html")
    assert [one["name"] for one in data_in("r.html")["measures"]] == ["nDCG@10", "AP"]


def test_of_scores(report: Command, cranfield: Command, files: list[str]) -> None:
    cranfield.succeeds("evaluate", *files, "-m", "RR", "-q", "-f", "tsv", "-o", "s.tsv")
    report.succeeds("--scores", "s.tsv", "-o", "s.html")
    shown = data_in("s.html")
    assert shown["lists"] is None
    assert shown["scores"] == [[[1, 0.5, 0], [0, 1, 0.5]]]
    assert shown["measures"][0]["title"].startswith("Reciprocal rank")
    assert shown["reproduce"][-1]["value"] != ""
    assert any(row["label"] == "scores" and "sha256:" in row["value"] for row in shown["reproduce"])


def test_a_run_from_standard_input(report: Command, files: list[str]) -> None:
    """It can be read once: nothing reads it again."""
    report.succeeds(*files[:2], "-", "-m", "RR", "-o", "r.html", stdin=Y)
    assert data_in("r.html")["scores"] == [[[1, 0.5, 0], [0, 1, 0.5]]]


def test_several_runs_in_a_file(report: Command, files: list[str]) -> None:
    written(Path("both.run"), X + Y)
    report.succeeds("qrels", "both.run", "-m", "RR", "-o", "r.html")
    assert [one["name"] for one in data_in("r.html")["runs"]] == ["x", "y"]


def test_runs_of_equal_names(report: Command, files: list[str]) -> None:
    written(Path("again.run"), X)
    report.succeeds("qrels", "x.run", "again.run", "-m", "RR", "-o", "r.html")
    assert [one["name"] for one in data_in("r.html")["runs"]] == ["x.run", "again.run"]


ANSWERS = """\
{"run_id": "x", "qid": "1", "references": ["a", "b"], "answer": [{"text": "A.", "citations": [0]}]}
{"run_id": "y", "qid": "1", "references": ["b"], "answer": [{"text": "B.", "citations": [0]}]}
"""
SUPPORT = "1 x 1 a full\n1 y 1 b none\n"
NUGGETS = "topic,run,nugget,importance,assignment\n1,x,n,vital,support\n1,y,n,vital,not_support\n"


@pytest.fixture
def answered(files: list[str]) -> str:
    """What names the answers, and what was judged of them."""
    for name, text in {"a.jsonl": ANSWERS, "s.txt": SUPPORT, "n.csv": NUGGETS}.items():
        written(Path(name), text)
    return "--assignments n.csv --answers a.jsonl --support s.txt"


def names_of(shown: dict[str, Any]) -> list[str]:
    return [one["name"] for one in shown["measures"]]


class TestAnswers:
    def test_beside_lists(self, report: Command, answered: str) -> None:
        line = f"qrels x.run y.run {answered} -m 'RR NuggetV CitationP' -o r.html"
        assert report.succeeds(line).err == ""
        shown = data_in("r.html")
        assert names_of(shown) == ["RR", "NuggetV", "CitationP"]
        assert shown["scores"][1] == [[1, None, None], [0, None, None]]
        assert shown["over"] == "3 topics by RR; 1 topic by NuggetV, CitationP"
        told = {row["label"]: row["value"] for row in shown["reproduce"]}
        for label, text in {"answers": ANSWERS, "support": SUPPORT, "assignments": NUGGETS}.items():
            assert told[label].endswith(f"sha256:{hashlib.sha256(text.encode()).hexdigest()}")

    def test_alone(self, report: Command, answered: str) -> None:
        report.succeeds(f"{answered} -o r.html")
        shown = data_in("r.html")
        assert shown["lists"] is None
        assert names_of(shown)[0] == "NuggetV(strict=true)"
        assert {"NuggetW", "CitationP", "CitationR", "CitationF"} < set(names_of(shown))

    def test_usual_measures_of_whatever_is_not_named(self, report: Command, answered: str) -> None:
        report.succeeds(f"qrels x.run y.run {answered} -m NuggetV -o r.html")
        assert names_of(data_in("r.html")) == ["nDCG@10", "AP", "NuggetV"]
        report.succeeds(f"qrels x.run y.run {answered} -m RR -o r.html")
        assert names_of(data_in("r.html"))[:2] == ["RR", "NuggetV(strict=true)"]

    def test_their_references_are_a_run(self, report: Command, answered: str) -> None:
        report.succeeds(f"qrels a.jsonl {answered} -m 'RR NuggetV' -o r.html")
        assert [one["name"] for one in data_in("r.html")["runs"]] == ["x", "y"]

    def test_names_that_do_not_match_are_told(self, report: Command, answered: str) -> None:
        done = report.succeeds(f"qrels x.run {answered} -m 'RR NuggetV' -o r.html")
        assert done.err == ("note: 1 run (y) without rankings: runs and answers are matched by name\n")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("qrels x.run -m NuggetV", "NuggetV requires --assignments"),
            ("n.csv --answers a.jsonl", "QRELS RUN… with answers, or neither"),
            ("--answers a.jsonl", "no judgments given. Pass assignments, support"),
            ("--assignments n.csv -m RR", "found RR without runs"),
            ("--assignments n.csv --rel 2", "--rel requires QRELS RUN…"),
            ("--assignments n.csv --list-depth 3", "--list-depth requires QRELS RUN…"),
            ("--scores t.tsv --answers a.jsonl", "for scores of answers, use --scores"),
            ("--assignments s.txt", "s.txt:1: found assignment 'full' for nugget '1', expected"),
            ("--answers a.jsonl --support bad.txt", "bad.txt:2: found citation b of sentence 1 of"),
            ("--assignments bad.jsonl", "bad.jsonl:1: found importance 'much' for nugget 'n'"),
            ("--assignments n.csv --answers wrong.jsonl", "wrong.jsonl:1: found citation 7 in"),
        ],
    )
    def test_mistakes(self, report: Command, answered: str, line: str, said: str) -> None:
        written(Path("bad.txt"), SUPPORT.replace("y 1 b", "x 1 b"))
        nugget = '{"text": "n", "importance": "much", "assignment": "support"}'
        written(Path("bad.jsonl"), f'{{"qid": "1", "run_id": "x", "nuggets": [{nugget}]}}\n')
        written(Path("wrong.jsonl"), ANSWERS.replace("[0]", "[7]"))
        done = report(f"{line} -o r.html")
        assert done.code == 2
        assert said in done.err
        assert not Path("r.html").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "no files"),
        ("qrels", "no run"),
        ("qrels x.run -m RR --queries nowhere.tsv", "nowhere.tsv"),
        ("qrels x.run -m RR --queries bad.csv", "expected a column with topics"),
        ("qrels x.run -m RR --docs bad.csv", "expected a column with documents"),
        ("qrels x.run y.run -m RR --alpha 7", "alpha=7"),
        ("qrels x.run -m nosuch", "nosuch"),
        ("qrels x.run --list-depth 0", "expected an integer ≥ 1"),
        ("--scores s.tsv --docs bad.csv", "--scores have no rankings"),
        ("qrels x.run -o nowhere/r.html", "directory nowhere does not exist"),
    ],
)
def test_mistakes(report: Command, files: list[str], line: str, said: str) -> None:
    written(Path("bad.csv"), "a,b\n1,2\n")
    done = report(f"{line} -o r.html" if "-o" not in line else line)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not Path("r.html").exists()


def test_without_the_package(report: Command, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before the work, and with the command that helps."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = report(*files, "-o", "r.html")
    assert done.code == 2
    assert "jinja2" in done.err
