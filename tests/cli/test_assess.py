"""`cranfield assess` as a user meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.assess.agreement import (
    agreement,
)
from cranfield.assess.assessments import read_assessments
from tests.assess.made import CQA
from tests.made import Command, rows_of


@pytest.fixture
def assess(cranfield: Command) -> Command:
    return cranfield.of("assess")


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
def test_aggregate_prints_qrels(files: list[str], options: list[str], expected: str, assess: Command) -> None:
    note = "note: labels per item: 2 for 3 items\n"
    assert assess("aggregate", *files, "--scheme", "sum", *options) == (0, expected, note)


@pytest.mark.parametrize("topics", ["q2", "common", "@few", "judged"])
def test_aggregate_of_some_topics(files: list[str], topics: str, assess: Command) -> None:
    """Bob judged nothing of q3, so that it is refused unless it is left out."""
    with Path("ann.txt").open("a") as more:
        more.write("q3 0 d A\n")
    Path("few").write_text("q2 fishing\n")
    found = assess("aggregate", *files, "--scheme", "sum", "--topics", topics)
    if topics == "judged":
        assert found[0] == 2
        assert "d of q3 not by bob" in found[2]
    else:
        rows = "q1 0 a 4\nq1 0 b 3\n" * (topics == "common") + "q2 0 c 1\n"
        note = "note: few: the first word of each line is read as the topic\n"
        count = "3 items" if topics == "common" else "1 item"
        notes = note * (topics == "@few") + f"note: labels per item: 2 for {count}\n"
        assert found == (0, rows, notes)


def test_aggregate_knows_no_such_topic(files: list[str], assess: Command) -> None:
    said = "topic 'q9' is not in the assessments: 2 topics (q1, q2)\n"
    code, _, err = assess("aggregate", *files, "--topics", "q1,q9")
    assert (code, err.startswith(said)) == (2, True)


def test_aggregate_writes_what_evaluate_reads(files: list[str], assess: Command) -> None:
    for format in ("trec", "csv", "tsv", "json"):
        assess.succeeds("aggregate", *files, "--scheme", "mean", "-f", format, "-o", f"qrels.{format}")
        read = cf.read_qrels(f"qrels.{format}").to_dict()
        assert read == {"q1": {"a": 2, "b": 1.5}, "q2": {"c": 0.5}}


def test_a_refused_format_leaves_no_file(files: list[str], assess: Command) -> None:
    said = assess.refused("aggregate", *files, "--scheme", "mean", "-f", "ntcir", "-o", "qrels")
    assert "level 1.5 for document b of topic q1, expected integer levels ≥ 0 for the NTCIR" in said
    assert not Path("qrels").exists()


def test_names_with_blanks_are_not_written_as_text(here: Path, assess: Command) -> None:
    Path("long.csv").write_text("topic,doc,rater,label\nq 1,d,a,1\n")
    assert "the name 'q 1'" in assess.refused("aggregate long.csv")
    assert json.loads(assess.printed("aggregate long.csv -f json")) == {"q 1": {"d": 1}}


def test_notes_go_to_standard_error(files: list[str], assess: Command) -> None:
    _, out, err = assess.succeeds("aggregate", *files)
    assert out == "q1 0 a 2\nq1 0 b 1\nq2 0 c 0\n"
    assert err == (
        "note: labels differ in 2 of 3 items, median used, "
        "the lower of two medians for 2 items (b of q1, c of q2)\n"
        "note: labels per item: 2 for 3 items\n"
    )


def test_aggregate_sum_of_unequal_numbers_of_labels_names_options(files: list[str], assess: Command) -> None:
    with Path("ann.txt").open("a") as more:
        more.write("q1 0 d A\n")
    options = ["--scheme", "sum", "--unlabelled", "skip"]
    assert assess.refused("aggregate", *files, *options).strip() == (
        "sum: items have different numbers of labels (1 for 1 item, 2 for 3 items). "
        "Use --scheme mean, or --unlabelled LABEL for missing labels"
    )


def test_a_number_that_is_none_is_a_clear_error(files: list[str], assess: Command) -> None:
    for option in ("--p", "--max-score", "--threshold"):
        said = assess.refused("aggregate", *files, "--scheme", "unanimity", option, "nan")
        assert re.search(r"found .* 'nan', expected a number", said)


def test_agree_for_people(files: list[str], assess: Command) -> None:
    lines = assess.printed("agree", *files, "--per-topic").splitlines()
    # (A,A), (B,A), (C,B). One of three alike; by chance (1·2 + 1·1 + 1·0)/9 = 1/3: κ is 0.
    # Linear: observed 1 + 1, by chance (1·1 + 2·1 + 2·2 + 1·1)/3; quadratic: 2, (1 + 2 + 8 + 1)/3.
    assert lines[2].split() == ["ann", "–", "bob", "3", "0.3333", "0.0000", "0.2500", "0.5000"]
    named = [line.split()[0] for line in lines if line[:2] in ("q1", "q2", "al")]
    assert named == ["q1", "q2", "all"] * 2  # pairs of assessors, then all together
    assert "ann ↓ bob →  A  B  C" in lines
    assert max(map(len, lines)) <= 80
    assert not any("lacks" in line for line in lines)


def test_agree_shows_who_lacks_items(files: list[str], assess: Command) -> None:
    Path("ann.txt").write_text("q1 0 a A\n")
    lines = [line.split() for line in assess.printed("agree", *files).splitlines()]
    assert [lines[0], *lines[2:4]] == [
        ["assessor", "judged", "lacks"], ["ann", "1", "2"], ["bob", "3", "0"]
    ]  # fmt: skip
    assert "all\tann\t\titems\t1\n" in assess.printed("agree", *files, "-f", "tsv")
    assert json.loads(assess.printed("agree", *files, "-f", "json"))["all"]["judged"] == {
        "ann": 1,
        "bob": 3,
    }


def test_agree_of_two_who_share_no_item(tmp_path: Path, assess: Command) -> None:
    """There is no pair to show; how much each of them judged is."""
    for name, doc in (("ann", "a"), ("bob", "b")):
        (tmp_path / name).write_text(f"q1 0 {doc} 1\n")
    _, out, err = assess.succeeds("agree", tmp_path / "ann", tmp_path / "bob")
    assert [line.split() for line in out.splitlines()[2:4]] == [
        ["ann", "1", "1"],
        ["bob", "1", "1"],
    ]
    assert "assessors  items" not in out
    assert "1 of 1 pair of assessors without a common item, excluded" in err


def test_agree_for_programs(files: list[str], assess: Command) -> None:
    found = agreement(read_assessments(files[:2], labels=CQA))
    for format, separator in (("tsv", "\t"), ("csv", ",")):
        rows = rows_of(assess.printed("agree", *files, "-f", format), separator)
        whole = {r["statistic"]: float(r["value"]) for r in rows if not r["assessor"]}
        assert whole == {"items": 3, **found.values}
        pair = {r["statistic"]: float(r["value"]) for r in rows if r["assessor"] == "ann"}
        assert pair["count[B,A]"] == 1
        assert pair["kappa_linear"] == found.pairs[0].values["kappa_linear"]
    assess.succeeds("agree", *files, "-f", "json", "-q", "-o", "agree.json")
    document: Mapping[str, Any] = json.loads(Path("agree.json").read_text())
    assert document["labels"] == ["A", "B", "C"]
    assert document["all"]["kappa"] == found["kappa"]
    assert document["all"]["pairs"][0]["confusion"] == [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert document["topics"]["q2"]["pairs"][0]["kappa"] == 0  # one item, two labels
    assert document["topics"]["q1"]["kappa"] == 0


def test_bad_usage_has_a_clear_end(here: Path, assess: Command) -> None:
    assert "--scheme" in assess.refused("aggregate x --scheme mode")
    assert "cannot read x" in assess.refused("aggregate x")
