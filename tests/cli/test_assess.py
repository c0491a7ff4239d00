"""`cranfield assess` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.assess.agreement import (
    agreement,
)
from cranfield.assess.assessments import read_assessments
from cranfield.cli.main import parser
from tests.assess.made import CQA


def assess(*arguments: str) -> int:
    """Run ``cranfield assess …``."""
    options = parser(["assess"]).parse_args(["assess", *arguments])
    return int(options.run(options))


# The command line


@pytest.fixture
def files(here: Path) -> list[str]:
    Path("ann.txt").write_text("q1 0 a A\nq1 0 b B\nq2 0 c C\n")
    Path("bob.txt").write_text("q1 a A\nq1 b A\nq2 c B\n")
    return ["ann.txt", "bob.txt", "--labels", CQA]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "q1 0 a 4\nq1 0 b 3\nq2 0 c 1\n"),
        (["-f", "ntcir"], "q1 a L4\nq1 b L3\nq2 c L1\n"),
        (["-f", "csv"], "topic,doc,level\nq1,a,4\nq1,b,3\nq2,c,1\n"),
        (["-f", "tsv"], "topic\tdoc\tlevel\nq1\ta\t4\nq1\tb\t3\nq2\tc\t1\n"),
        (["--threshold", "3"], "q1 0 a 1\nq1 0 b 1\nq2 0 c 0\n"),
        (["--map", "4=2,3=2,1=1/2"], "q1 0 a 2\nq1 0 b 2\nq2 0 c 0.5\n"),
    ],
)
def test_aggregate_prints_qrels(
    files: list[str], options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assess("aggregate", *files, "--scheme", "sum", *options) == 0
    assert capsys.readouterr() == (expected, "")


def test_aggregate_writes_what_evaluate_reads(files: list[str]) -> None:
    for format in ("trec", "csv", "tsv", "json"):
        assess("aggregate", *files, "--scheme", "mean", "-f", format, "-o", f"qrels.{format}")
        read = cf.read_qrels(f"qrels.{format}").to_dict()
        assert read == {"q1": {"a": 2, "b": 1.5}, "q2": {"c": 0.5}}


def test_a_refused_format_leaves_no_file(files: list[str]) -> None:
    with pytest.raises(cf.InputError, match=r"level 1\.5 for document b .* whole levels"):
        assess("aggregate", *files, "--scheme", "mean", "-f", "ntcir", "-o", "qrels")
    assert not Path("qrels").exists()


def test_names_with_blanks_are_not_written_as_text(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("long.csv").write_text("topic,doc,rater,label\nq 1,d,a,1\n")
    with pytest.raises(cf.InputError, match="the name 'q 1'"):
        assess("aggregate", "long.csv")
    assert assess("aggregate", "long.csv", "-f", "json") == 0
    assert json.loads(capsys.readouterr().out) == {"q 1": {"d": 1}}


def test_notices_go_to_standard_error(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assess("aggregate", *files)
    out, err = capsys.readouterr()
    assert out == "q1 0 a 2\nq1 0 b 0\nq2 0 c 0\n"
    assert err == "note: 2 items (b of q1, c of q2) without a majority, given level 0\n"


def test_a_number_that_is_none_is_a_clear_error(files: list[str]) -> None:
    for option in ("--p", "--max-score", "--threshold"):
        with pytest.raises(cf.InputError, match=r"found .* 'nan', expected a number"):
            assess("aggregate", *files, "--scheme", "unanimity", option, "nan")


def test_agree_for_people(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assess("agree", *files, "--per-topic")
    lines = capsys.readouterr().out.splitlines()
    # (A,A), (B,A), (C,B). One of three alike; by chance (1·2 + 1·1 + 1·0)/9 = 1/3: κ is 0.
    # Linear: observed 1 + 1, by chance (1·1 + 2·1 + 2·2 + 1·1)/3; quadratic: 2, (1 + 2 + 8 + 1)/3.
    assert lines[2].split() == ["ann", "–", "bob", "3", "0.3333", "0.0000", "0.2500", "0.5000"]
    named = [line.split()[0] for line in lines if line[:2] in ("q1", "q2", "al")]
    assert named == ["q1", "q2", "all"] * 2  # pairs of assessors, then all together
    assert "ann ↓ bob →  A  B  C" in lines
    assert max(map(len, lines)) <= 80
    assert not any("lacks" in line for line in lines)


def test_agree_shows_who_lacks_items(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ann.txt").write_text("q1 0 a A\n")
    assess("agree", *files)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [lines[0], *lines[2:4]] == [
        ["assessor", "judged", "lacks"], ["ann", "1", "2"], ["bob", "3", "0"]
    ]  # fmt: skip
    assess("agree", *files, "-f", "tsv")
    assert "all\tann\t\titems\t1\n" in capsys.readouterr().out
    assess("agree", *files, "-f", "json")
    assert json.loads(capsys.readouterr().out)["all"]["judged"] == {"ann": 1, "bob": 3}


def test_agree_of_two_who_share_no_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no pair to show; how much each of them judged is."""
    for name, doc in (("ann", "a"), ("bob", "b")):
        (tmp_path / name).write_text(f"q1 0 {doc} 1\n")
    assess("agree", str(tmp_path / "ann"), str(tmp_path / "bob"))
    out, err = capsys.readouterr()
    assert [line.split() for line in out.splitlines()[2:4]] == [
        ["ann", "1", "1"],
        ["bob", "1", "1"],
    ]
    assert "assessors  items" not in out
    assert "1 of 1 pair of assessors share no item and are left out" in err


def test_agree_for_programs(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = agreement(read_assessments(files[:2], labels=CQA))
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        assess("agree", *files, "-f", format)
        rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter=separator))
        whole = {r["statistic"]: float(r["value"]) for r in rows if not r["assessor"]}
        assert whole == {"items": 3, **found.values}
        pair = {r["statistic"]: float(r["value"]) for r in rows if r["assessor"] == "ann"}
        assert pair["count[B,A]"] == 1
        assert pair["kappa_linear"] == found.pairs[0].values["kappa_linear"]
    assess("agree", *files, "-f", "json", "-q", "-o", "agree.json")
    document: Mapping[str, Any] = json.loads(Path("agree.json").read_text())
    assert document["labels"] == ["A", "B", "C"]
    assert document["all"]["kappa"] == found["kappa"]
    assert document["all"]["pairs"][0]["confusion"] == [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert document["topics"]["q2"]["pairs"][0]["kappa"] == 0  # one item, two labels
    assert document["topics"]["q1"]["kappa"] == 0


def test_bad_usage_has_a_clear_end(here: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        assess("aggregate", "x", "--scheme", "mode")
    assert stop.value.code == 2
    with pytest.raises(cf.CranfieldError, match="cannot read x"):
        assess("aggregate", "x")
