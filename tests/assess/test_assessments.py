"""What several assessors wrote is read: every format, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.assess.aggregate import aggregate
from cranfield.assess.assessments import read_assessments
from cranfield.assess.rules import read_rules
from cranfield.data.reading.labels import read_labels
from cranfield.data.reading.table import Irregular
from tests.assess.made import CQA, votes

LONG = """topic,doc,assessor,label
q1,a,ann,A
q1,a,bob,B
q1,b,ann,C
q1,b,bob,C
"""
VOTES = {"q1": {"a": {"ann": 2.0, "bob": 1.0}, "b": {"ann": 0.0, "bob": 0.0}}}


# Reading


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ann.txt", "q1 0 a A\nq1 0 b C\n"),
        ("ann.rel", "# by hand\nq1 a A\n\nq1 b C\n"),
        ("ann.lab", "q1 a L2 class1\nq1 b L0 class2\n"),
        ("ann.csv", "query_id,docno,grade\nq1,a,A\nq1,b,C\n"),
        ("ann.tsv", "topic\titeration\tdoc\trating\nq1\t0\ta\tA\nq1\t0\tb\tC\n"),
        ("ann.jsonl", '{"topic":"q1","doc":"a","level":"A"}\n{"topic":"q1","doc":"b","level":"C"}'),
        ("ann.json", '{"q1": {"a": "A", "b": "C"}}'),
    ],
)
def test_a_file_per_assessor_in_any_format(here: Path, name: str, text: str) -> None:
    Path(name).write_text(text)
    Path("bob.txt").write_text("q1 0 a B\nq1 0 b C\n")
    read = read_assessments([name, "bob.txt"], labels=CQA + ",L2=2,L0=0")
    assert read.assessors == ("ann", "bob")
    assert read.votes == VOTES


def test_long_tables_in_any_format(here: Path) -> None:
    Path("long.csv").write_text(LONG)
    Path("long.tsv").write_text(LONG.replace(",", "\t").replace("assessor", "rater"))
    rows = list(csv.DictReader(io.StringIO(LONG)))
    Path("long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame = pl.DataFrame(rows)
    frame.rename({"assessor": "worker"}).write_parquet("long.parquet")
    for path in ("long.csv", "long.tsv", "long.jsonl", "long.parquet"):
        assert read_assessments(path, labels=CQA).votes == VOTES
    nested = {"ann": {"q1": {"a": "A", "b": "C"}}, "bob": {"q1": {"a": "B", "b": "C"}}}
    Path("long.json").write_text(json.dumps(nested))
    tuples = [tuple(row.values()) for row in rows]
    for data in (frame, frame.lazy(), pd.DataFrame(rows), rows, tuples, nested, "long.json"):
        assert read_assessments(data, labels=CQA).votes == VOTES


def test_assessors_whose_files_have_the_same_name(here: Path) -> None:
    for place in ("x", "y"):
        Path(place).mkdir()
        Path(place, "1.txt").write_text("q 0 d 1\n")
    assert read_assessments(["x/1.txt", "y/1.txt"]).assessors == ("x/1.txt", "y/1.txt")


def test_levels_and_numbers_need_no_alphabet() -> None:
    read = read_assessments([("q", "d", "a", "L2"), ("q", "d", "b", 1), ("q", "d", "c", "0.5")])
    assert read.votes == {"q": {"d": {"a": 2.0, "b": 1.0, "c": 0.5}}}


def test_topics_and_documents_stay_in_the_order_of_first_appearance() -> None:
    rows = [("q2", "z", "a", 1), ("q1", "y", "a", 1), ("q2", "b", "a", 1), ("q1", "c", "a", 1)]
    made = aggregate(rows).to_dict()
    assert [(t, d) for t, docs in made.items() for d in docs] == [
        ("q2", "z"), ("q2", "b"), ("q1", "y"), ("q1", "c")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 d A\nq 0 e X\n", r"ann\.txt:2: found label 'X', expected one of A, B, C"),
        ("q d\n", r"ann\.txt:1: found 2 fields .*, expected 4: .* or 3: topic doc label$"),
        ("q 0 12 A\nq 0 13\n", r"ann\.txt:2: found 3 .*, expected 4: .*, as on the lines before$"),
        ("q 0 A\nq 0 d A\n", r"ann\.txt:2: found 4 .*, expected 3: .*, as on the lines before$"),
        ("q d L2 1\nq e L2\n", r"ann\.txt:2: found 3 .*, expected 4: topic doc label class, as on"),
        ("q 0 d A\nq 0 d B\n", r"ann\.txt:2: conflicting scores by ann .* 1, but 2 in ann\.txt:1"),
        ("", "no assessments in file"),
        ("topic,doc\nq,d\n", r"ann\.txt:2: found columns \(none\).*expected one named label"),
        ("topic,doc,label\nq,d\n", r"ann\.txt:2: found 2 fields"),
        ("topic,doc,label\nq,,A\n", r"ann\.txt:2: found doc '', expected an identifier"),
        ("all 0 d A\n", "topic name 'all' is reserved"),
        ('{"topic": "q", "doc": "d", "label": "A"}\n[]', r"ann\.txt:2: .*expected a JSON object"),
        ('{"q": {"d": "A"}, "r": 3}', "found int for topic r of ann"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(here: Path, text: str, message: str) -> None:
    Path("ann.txt").write_text(text)
    with pytest.raises(cf.InputError, match=message):
        read_assessments(["ann.txt"], labels=CQA + ",L2=2")


def test_the_grade_of_early_rounds_is_the_label(here: Path) -> None:
    Path("ann.txt").write_text("q A d 1\nq C e 0\n")
    assert read_assessments("ann.txt", labels=CQA).votes == {"q": {"d": {"ann": 2}, "e": {"ann": 0}}}


def test_a_label_in_the_other_case_is_suggested(here: Path) -> None:
    with pytest.raises(cf.InputError, match=r"'a', expected one of A, B, C; did you mean 'A'\?"):
        read_assessments(votes("a"), labels=CQA)
    rules = read_rules({"rule": [{"when": {"a": 1}, "score": 1}], "criteria": {"a": ["yes", 1]}})
    with pytest.raises(cf.InputError, match=r"a 'Yes', expected one of yes, 1; did you mean 'yes'"):
        rules.score({"a": "Yes"})


@pytest.mark.parametrize("data", [3, [1], [("q", "d", "a")], {"q": {"d": 1}}, {}, []])
def test_other_shapes_are_refused(data: Any) -> None:
    with pytest.raises(cf.InputError):
        read_assessments(data)


def test_a_long_table_needs_an_assessor_for_frames() -> None:
    frame = pl.DataFrame({"topic": ["q"], "doc": ["d"], "label": [1]})
    with pytest.raises(cf.InputError, match=r"a column named assessor \(or"):
        read_assessments(frame)


def test_a_label_without_alphabet_is_refused() -> None:
    with pytest.raises(cf.InputError, match="found label 'S', expected a number or L0, L1"):
        read_assessments([("q", "d", "a", "S")])
    with pytest.raises(cf.InputError, match="found label 'L99"):
        read_assessments([("q", "d", "a", "L" + "9" * 400)])


def test_the_same_judgment_twice_is_a_note() -> None:
    read = read_assessments([("q", "d", "a", 1), ("q", "d", "a", "L1"), ("q", "d", "b", 1)])
    assert [n.text for n in read.notes] == ["1 judgment repeated with equal labels"]
    assert aggregate(read, "sum").notes[:-1] == read.notes


def test_a_file_given_twice_is_refused(here: Path) -> None:
    Path("ann.txt").write_text("q 0 d 1\n")
    Path("link.txt").symlink_to("ann.txt")
    for again in ("ann.txt", "./ann.txt", str(here / "ann.txt"), "link.txt"):
        with pytest.raises(cf.InputError, match=r"ann\.txt and .* are the same file"):
            read_assessments(["ann.txt", again])


def test_one_column_of_several() -> None:
    rows = [{"topic": "q", "doc": "d", "assessor": "a", "fluent": 1, "Useful": 0}]
    assert read_assessments(rows, column="useful").votes == {"q": {"d": {"a": 0.0}}}
    with pytest.raises(cf.InputError, match="columns fluent, Useful"):
        read_assessments(rows)
    with pytest.raises(cf.InputError, match="expected nice"):
        read_assessments(rows, column="nice")


def test_settings_of_reading_go_where_assessments_are_read() -> None:
    data = {"ann": {"q": {"d": "A"}}, "bob": {"q": {"d": "B"}}}
    assert cf.aggregate(data, "sum", labels=CQA).to_dict() == {"q": {"d": 3}}
    assert cf.agreement(data, labels=CQA).labels == ("A", "B", "C")
    rows = [{"topic": "q", "doc": "d", "rater": rater, "fluent": 1, "coherent": 1,
             "emotion-consistent": nice} for rater, nice in (("a", 1), ("b", 0))]  # fmt: skip
    assert cf.aggregate(rows, "sum", rules="ntcir14-stc-cecg").to_dict() == {"q": {"d": 2 + 1}}
    assert cf.agreement(rows, rules="ntcir14-stc-cecg")["agreement"] == 0
    assert cf.aggregate(rows, "sum", column="fluent").to_dict() == {"q": {"d": 1 + 1}}
    assert cf.agreement(rows, column="fluent")["agreement"] == 1
    read = read_assessments(data, labels=CQA)
    settings: list[dict[str, Any]] = [{"labels": CQA}, {"rules": "ntcir12-stc"}, {"column": "x"}]
    for setting in settings:
        with pytest.raises(cf.InputError, match="only valid when assessments are read"):
            cf.aggregate(read, **setting)
        with pytest.raises(cf.InputError, match="only valid when assessments are read"):
            cf.agreement(read, **setting)


@pytest.mark.parametrize(
    "labels",
    ["", "S", "S=", "S=x", "S=1/0", "S=1,S=2", "=1", {}, "S=nan", "S=inf", "S=1e999", "S=1_0",
     "S=1_0/3", "S=1e99999999", "S=1e9/3", {"S": True}, {"S": None}, {"S": math.nan}],
)  # fmt: skip
def test_alphabets_that_are_none(labels: Any) -> None:
    with pytest.raises(cf.InputError):
        read_labels(labels)


def test_alphabets_have_fractions() -> None:
    assert read_labels("S=1, A=2/3,C=0") == {"S": 1.0, "A": 2 / 3, "C": 0.0}
    assert read_labels({"S": 1, "A": 2 / 3}) == {"S": 1.0, "A": 2 / 3}
    assert read_labels({"S": Fraction(1, 3), "A": "1e-2"}) == {"S": 1 / 3, "A": 0.01}


@pytest.mark.parametrize("text", ["q 0 d {}\nq 0 e S\n", "q d {}\nq e S\n"])
def test_judgments_hold_labels_of_the_alphabet_only(here: Path, text: str) -> None:
    """Or the levels these mean, as in files that somebody converted."""
    for label, level in (("3", 3), ("L2", 2), ("0", 0), ("L0", 0), ("A", 2)):
        Path("q").write_text(text.format(label))
        assert cf.read_qrels("q", labels="S=3,A=2").to_dict() == {"q": {"d": level, "e": 3}}
    for label in ("7", "L9", "1", "2.5", "B"):
        Path("q").write_text(text.format(label))
        with pytest.raises(cf.InputError, match=rf"q:1: found level '{label}', expected one of S, A"):
            cf.read_qrels("q", labels="S=3,A=2")


def test_columns_by_other_names(tmp_path: Path) -> None:
    """In files with any separator, and frames; a user is an assessor, and no topic."""
    head = "question,answer,who,stars"
    rows = "q,d,ann,2\nq,d,bob,1\n"
    votes = {"q": {"d": {"ann": 2.0, "bob": 1.0}}}
    own = "topic=question,doc=answer,assessor=who,label=stars"
    path = tmp_path / "labels.csv"
    path.write_text(f"{head}\n{rows}")
    assert read_assessments(path, columns=own).votes == votes
    assert read_assessments(path, columns=own.rpartition(",")[0], column="stars").votes == votes
    names = head.split(",")
    frame = pl.DataFrame([row.split(",") for row in rows.split()], schema=names, orient="row")
    assert read_assessments(frame, columns=own).votes == votes
    assert cf.aggregate(path, "sum", columns=own).to_dict() == {"q": {"d": 3}}
    with pytest.raises(cf.InputError, match="found column level=x, expected column=name"):
        read_assessments(path, columns="level=x")
    path.write_text("doc,user,label\nd,ann,2\n")
    with pytest.raises(cf.InputError, match="expected a column named topic"):
        read_assessments(path)


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        LONG.replace(",", "\t").replace("label", "stars\tlabel").replace("\tA", '\t"5"\tA'),
        LONG.replace("\n", "\r\n"),
        LONG.replace("ann,A", ' ann ," A"'),
        LONG.replace("q1,b", "\nq1,b", 1),  # a blank line
        LONG + "q1,b,bob,C\n",  # twice alike
        LONG + "q1,b,bob,A\n",  # and not
        LONG + "q1,b,,C\n",
        LONG + "q1,b,eve\n",
        LONG + "q1,b,eve,C,x\n",
        LONG + 'q1,b,eve,"C\n',
        LONG.replace("label", "doc"),
        "topic,doc,assessor,label\n",
    ],
)
def test_tables_read_by_columns_or_by_rows_are_the_same(here: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    Path("long.csv").write_text(text, newline="")

    def told() -> Any:
        try:
            read = read_assessments("long.csv", labels=CQA, column="label")
            return read.assessors, read.votes, read.notes
        except cf.InputError as error:
            return str(error)

    by_columns = told()

    def never(*_: Any) -> Any:
        raise Irregular

    monkeypatch.setattr("cranfield.assess.assessments.read_assessment_columns", never)
    assert told() == by_columns
    assert by_columns
