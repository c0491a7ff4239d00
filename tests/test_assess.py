"""Several assessors: what they wrote is read, consolidated by each scheme, and compared."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any, get_args

import krippendorff
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.assess.aggregate import SCHEMES, aggregate, majority, unanimity
from cranfield.assess.agreement import (
    Scale,
    Weights,
    agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from cranfield.assess.assessments import read_assessments
from cranfield.assess.rules import built_in, read_rules
from cranfield.cli.main import parser
from cranfield.data.reading.labels import read_labels

CQA = "A=2,B=1,C=0"
LONG = """topic,doc,assessor,label
q1,a,ann,A
q1,a,bob,B
q1,b,ann,C
q1,b,bob,C
"""
VOTES = {"q1": {"a": {"ann": 2.0, "bob": 1.0}, "b": {"ann": 0.0, "bob": 0.0}}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assess(*arguments: str) -> int:
    """Run ``cranfield assess …``."""
    options = parser(["assess"]).parse_args(["assess", *arguments])
    return int(options.run(options))


def votes(*labels: Sequence[Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Items of one topic, each with a label by every assessor."""
    return {
        f"a{i}": {"t": {f"d{j}": item[i] for j, item in enumerate(labels)}}
        for i in range(len(labels[0]))
    }


def levels(*labels: Sequence[Any], scheme: str, **settings: Any) -> list[float]:
    """The levels of such items."""
    read = read_assessments(votes(*labels), labels=settings.pop("labels", None))
    return list(aggregate(read, scheme, **settings).to_dict()["t"].values())


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
        ("q 0 d A\nq 0 d B\n", r"ann\.txt:2: found score 1 by ann .* expected 2 as in ann\.txt:1"),
        ("", "found no assessments"),
        ("topic,doc\nq,d\n", r"ann\.txt:2: found columns \(none\).*expected one named label"),
        ("topic,doc,label\nq,d\n", r"ann\.txt:2: found 2 fields"),
        ("topic,doc,label\nq,,A\n", r"ann\.txt:2: found doc '', expected an identifier"),
        ("all 0 d A\n", "a topic named 'all'"),
        ('{"topic": "q", "doc": "d", "label": "A"}\n[]', r"ann\.txt:2: .*expected a JSON object"),
        ('{"q": {"d": "A"}, "r": 3}', "found int for topic r of ann"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    here: Path, text: str, message: str
) -> None:
    Path("ann.txt").write_text(text)
    with pytest.raises(cf.InputError, match=message):
        read_assessments(["ann.txt"], labels=CQA + ",L2=2")


def test_the_grade_of_early_rounds_is_the_label(here: Path) -> None:
    Path("ann.txt").write_text("q A d 1\nq C e 0\n")
    assert read_assessments("ann.txt", labels=CQA).votes == {
        "q": {"d": {"ann": 2}, "e": {"ann": 0}}
    }


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


def test_the_same_judgment_twice_is_a_notice() -> None:
    read = read_assessments([("q", "d", "a", 1), ("q", "d", "a", "L1"), ("q", "d", "b", 1)])
    assert [n.text for n in read.notices] == ["1 judgment given more than once, each time alike"]
    assert aggregate(read, "sum").notices == read.notices


def test_a_file_given_twice_is_refused(here: Path) -> None:
    Path("ann.txt").write_text("q 0 d 1\n")
    Path("link.txt").symlink_to("ann.txt")
    for again in ("ann.txt", "./ann.txt", str(here / "ann.txt"), "link.txt"):
        with pytest.raises(cf.InputError, match=r"one file twice, ann\.txt and"):
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
        with pytest.raises(cf.InputError, match="assessments that have been read"):
            cf.aggregate(read, **setting)
        with pytest.raises(cf.InputError, match="assessments that have been read"):
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
        with pytest.raises(
            cf.InputError, match=rf"q:1: found level '{label}', expected one of S, A"
        ):
            cf.read_qrels("q", labels="S=3,A=2")


# Schemes


def test_the_survey_s_nine_levels() -> None:
    """Sakai's survey, section 4.5: AAAA is L8, AAAB L7, both AABB and AAAC L6."""
    made = levels("AAAA", "AAAB", "AABB", "AAAC", "CCCC", scheme="sum", labels=CQA)
    assert made == [8, 7, 6, 6, 0]


def test_the_survey_s_ntcir2_score() -> None:
    """Section 3.1: (1 + 2/3 + 1/3)/3 = 2/3, which is rigidly relevant."""
    alphabet = "S=1,A=2/3,B=1/3,C=0"
    items = ("SAB", "ABB", "CCB", "BBB")
    mean = levels(*items, scheme="mean", labels=alphabet)
    assert mean == pytest.approx([2 / 3, 4 / 9, 1 / 9, 1 / 3])
    rigid = levels(*items, scheme="mean", labels=alphabet, threshold=2 / 3)
    relaxed = levels(*items, scheme="mean", labels=alphabet, threshold=1 / 3)
    assert (rigid, relaxed) == ([1, 0, 0, 0], [1, 1, 0, 1])


def test_thresholds_forgive_the_rounding_of_floats() -> None:
    """0.7 + 0.1 + 0.1 is 0.8999999999999999 in floats added one by one."""
    for order in ((0.7, 0.1, 0.1), (0.1, 0.1, 0.7), (0.1, 0.7, 0.1)):
        assert levels(order, scheme="sum", threshold=0.9) == [1]
    assert levels((0.7, 0.1, 0.0999), scheme="sum", threshold=0.9) == [0]


def test_the_survey_s_unanimity() -> None:
    """Section 4.9: for N = 3, p = 0.2, Dmax = 2, (2,1,1) is 4.6 and (2,2,0) is 4.0."""
    assert levels((2, 1, 1), (2, 2, 0), scheme="unanimity", max_score=2) == [4.6, 4.0]
    # Errata: Eq. 13 to the letter gives three zeros 0 + 0.2 · 3 · (2 − 0) = 1.2.
    assert levels((0, 0, 0), scheme="unanimity", max_score=2) == [1.2]
    assert levels((0, 0, 0), scheme="unanimity", max_score=2, keep_zero=True) == [0]
    assert levels((1, 1, 1), scheme="unanimity", max_score=2, keep_zero=True) == [4.2]
    assert levels((2, 1, 1), scheme="unanimity", max_score=2, p=0.5) == [5.5]


@pytest.mark.parametrize("keep_zero", [False, True])
def test_unanimity_has_the_survey_s_ten_levels(keep_zero: bool) -> None:
    """Table 2 has 7(10) levels: seven sums of three scores in {0, 1, 2}, ten unanimity-aware."""
    scores = list(product((0, 1, 2), repeat=3))
    assert len({sum(s) for s in scores}) == 7
    assert len({unanimity(s, 2, keep_zero=keep_zero) for s in scores}) == 10


def test_the_highest_possible_score_is_declared_or_told() -> None:
    assert levels("AB", scheme="unanimity", labels="S=3,A=2,B=1,C=0") == [3 + 0.2 * 2 * (3 - 1)]
    found = aggregate(votes((2, 1)), "unanimity")
    assert found.to_dict() == {"t": {"d0": 3 + 0.2 * 2 * (2 - 1)}}
    assert "taken to be 2, the highest given" in found.notices[0].text
    with pytest.raises(cf.InputError, match="found score 2, expected at most 1"):
        aggregate(votes((2, 1)), "unanimity", max_score=1)
    one_missing = [("q", "d", "a", 2), ("q", "e", "a", 2), ("q", "d", "b", 1)]
    with pytest.raises(cf.InputError, match="found score 9, expected at most 2"):
        aggregate(one_missing, "unanimity", max_score=2, missing=9)


@pytest.mark.parametrize("number", [math.nan, math.inf, "nan", "inf", "1/0", "half", "1e999", True])
def test_numbers_that_are_none(number: Any) -> None:
    for setting in ("p", "max_score", "threshold"):
        with pytest.raises(cf.InputError, match=f"found {setting} .*, expected a number"):
            aggregate(votes((1, 1)), "unanimity", **{setting: number})


def test_numbers_may_be_fractions() -> None:
    assert levels((2, 1), (0, 1), scheme="mean", threshold="3/2") == [1, 0]
    # 3 + 1/2 · 2 · (5/2 − 1)
    assert levels((2, 1), scheme="unanimity", p="1/2", max_score=Fraction(5, 2)) == [4.5]


@pytest.mark.parametrize("scheme", ["sum", "mean", "median", "unanimity"])
def test_scores_that_cannot_be_added_are_refused(scheme: str) -> None:
    with pytest.raises(cf.InputError):
        aggregate(votes((1e308, 1e308)), scheme)


def test_the_survey_s_majority() -> None:
    """Section 4.9, CECG: the majority, but L0 if all three differ."""
    assert levels((2, 1, 1), (2, 1, 0), (2, 2, 0), scheme="majority") == [1, 0, 2]


@pytest.mark.parametrize(
    ("ties", "expected"), [("zero", 0), ("lower", 1), ("higher", 2), (None, 0)]
)
def test_two_against_two(ties: str | None, expected: int) -> None:
    found = aggregate(votes((2, 2, 1, 1), (3, 1, 1, 0)), "majority", ties=ties)
    assert found.to_dict()["t"] == {"d0": expected, "d1": 1}
    assert found.notices[0].text.startswith("1 item (d0 of t) without a majority, given ")


@pytest.mark.parametrize(
    ("scheme", "expected"), [("median", [1, 1.5]), ("min", [0, 1]), ("max", [2, 3])]
)
def test_order_statistics(scheme: str, expected: list[float]) -> None:
    assert levels((2, 0, 1, 1), (3, 1, 2, 1), scheme=scheme) == expected


def test_the_union_of_favourites() -> None:
    """Section 4.5: an assessor's favourites need not be rated A; the best answer is added."""
    judged = {
        "ann": {"q": {"a": "A", "b": "B", "c": "C", "d": "C"}},
        "bob": {"q": {"a": "C", "b": "B", "c": "B", "d": "C"}},
    }
    read = read_assessments(judged, labels=CQA)
    assert aggregate(read, "favourites").to_dict() == {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}
    with_best = aggregate(read, "favourites", best={"q": {"d": 1, "c": 0}})
    assert with_best.to_dict() == {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    assert with_best.notices == ()
    unknown = aggregate(read, "favourites", best={"q": {"e": 1}})
    assert unknown.to_dict()["q"]["e"] == 1
    assert "1 item (e of q)" in unknown.notices[0].text


def test_all_are_favourites_of_who_scores_all_alike() -> None:
    found = aggregate(votes((0, 1), (0, 0)), "favourites")
    assert found.to_dict() == {"t": {"d0": 1, "d1": 1}}
    assert "1 case (a0 in t)" in found.notices[0].text


def test_maps_of_the_math_tasks() -> None:
    """Section 3.4. NTCIR-11: RR and RP are relevant, NN is not, the rest partially."""
    table = "4=2,3=2,2=1,1=1,0=0"
    pairs = ("RR", "RP", "PR", "PP", "RN", "PN", "NN")
    made = levels(*pairs, scheme="sum", labels="R=2,P=1,N=0", levels=table)
    assert made == [2, 2, 2, 1, 1, 1, 0]
    # NTCIR-10: 4 points if both say relevant, or the only one who judged.
    rows = [("q", "a", "x", "R"), ("q", "b", "x", "R"), ("q", "b", "y", "R"), ("q", "c", "y", "N")]
    read = read_assessments(rows, labels="R=4,P=2,N=0")
    found = aggregate(read, "mean", missing="skip")
    assert found.to_dict() == {"q": {"a": 4, "b": 4, "c": 0}}
    mapped = aggregate(read, "mean", missing="skip", levels=table)
    assert mapped.to_dict() == {"q": {"a": 2, "b": 2, "c": 0}}


def test_maps_have_fractions_and_every_score() -> None:
    assert levels((1, 0, 0), scheme="mean", levels="1/3=7,0=0") == [7]
    with pytest.raises(cf.InputError, match="found score 2 for document d0 of topic t"):
        levels((1, 1), scheme="sum", levels={0: 0, 1: 1})


@pytest.mark.parametrize(
    ("scheme", "settings"),
    [
        ("mode", {}),
        ("sum", {"ties": "zero"}),
        ("majority", {"ties": "random"}),
        ("majority", {"p": 0.0}),
        ("sum", {"keep_zero": True}),
        ("mean", {"best": {"t": {"d0": 1}}}),
        ("mean", {"threshold": 1, "levels": "1=1"}),
        ("mean", {"missing": "X"}),
    ],
)
def test_settings_that_mean_nothing_are_refused(scheme: str, settings: dict[str, Any]) -> None:
    with pytest.raises(cf.InputError):
        aggregate(votes((1, 1)), scheme, **settings)


class TestMissing:
    ROWS = (("q", "d", "a", 2), ("q", "d", "b", 1), ("q", "e", "a", 2))

    def test_is_an_error(self) -> None:
        message = r"1 item \(e of q not by b\) not judged by every.*or --unlabelled skip"
        with pytest.raises(cf.InputError, match=message):
            aggregate(self.ROWS)

    def test_names_five_items_and_who_lacks_them(self) -> None:
        rows = [("q", f"d{i}", "a", 1) for i in range(7)]
        rows += [("q", "d0", "b", 1), ("q", "d0", "c", 1), ("q", "d1", "c", 1)]
        with pytest.raises(cf.InputError) as refused:
            aggregate(rows)
        assert refused.value.found == (
            "6 items (d1 of q not by b, d2 of q not by b and c, d3 of q not by b and c, "
            "d4 of q not by b and c, d5 of q not by b and c, …) not judged by every assessor"
        )

    def test_is_skipped_and_counted(self) -> None:
        found = aggregate(self.ROWS, "mean", missing="skip")
        assert found.to_dict() == {"q": {"d": 1.5, "e": 2.0}}
        assert found.notices[0].text == (
            "1 item (e of q not by b) not judged by every assessor, missing judgments left out"
        )

    def test_has_an_assumed_label(self) -> None:
        found = aggregate(self.ROWS, "mean", missing="L1")
        assert found.to_dict() == {"q": {"d": 1.5, "e": 1.5}}
        assert "taken as 1" in found.notices[0].text

    def test_counts_in_unanimity(self) -> None:
        """N is 1 for e: 2 + 0.2 · 1 · 2; and 2 for d: 3 + 0.2 · 2 · 1."""
        found = aggregate(self.ROWS, "unanimity", max_score=2, missing="skip")
        assert found.to_dict() == {"q": {"d": 3.4, "e": 2.4}}


SCORES = st.integers(0, 3)
ITEMS = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(SCORES, min_size=n, max_size=n), min_size=1, max_size=8)
)


@given(ITEMS, st.sampled_from(SCHEMES), st.randoms(use_true_random=False))
def test_the_order_of_assessors_does_not_matter(
    items: list[list[int]], scheme: str, random: Any
) -> None:
    order = list(range(len(items[0])))
    random.shuffle(order)
    shuffled = [[item[i] for i in order] for item in items]
    assert levels(*items, scheme=scheme) == levels(*shuffled, scheme=scheme)


@given(st.lists(SCORES, min_size=1, max_size=7))
def test_majority_against_a_second_writing(scores: list[int]) -> None:
    """A score wins if it has more votes than each of the others."""
    winners = [
        s for s in set(scores) if all(scores.count(s) > scores.count(o) for o in set(scores) - {s})
    ]
    assert majority(scores) == (winners[0] if winners else 0)


# Rules


@pytest.mark.parametrize("name", built_in())
def test_built_in_rules_say_what_may_be_answered(name: str) -> None:
    rules = read_rules(name)
    assert rules.top == 2
    assert rules.otherwise == 0
    assert all(0 in answers and 1 in answers for answers in rules.criteria.values())


def said(scheme: str, *answers: int) -> float:
    """The score of answers in the order of the scheme's criteria."""
    rules = read_rules(scheme)
    return rules.score(dict(zip(rules.criteria, answers, strict=True)))


@pytest.mark.parametrize("answers", [*product((0, 1), repeat=4)])
@pytest.mark.parametrize("scheme", ["ntcir12-stc", "ntcir13-stc-chinese"])
def test_four_binary_criteria(scheme: str, answers: tuple[int, ...]) -> None:
    """Section 4.9: L1 if the first two hold, L2 if the others hold as well."""
    first, second, third, fourth = answers
    graded = 2 if third and fourth else 1
    assert said(scheme, *answers) == (graded if first and second else 0)


@pytest.mark.parametrize("answers", [*product((0, 1), (0, 1), (0, 1, 2), (0, 1, 2))])
def test_the_two_japanese_schemes(answers: tuple[int, ...]) -> None:
    """SCHEME1 and SCHEME2 as section 4.9 writes them."""
    fluent, coherent, dependent, informative = answers
    scheme1 = scheme2 = 0
    if fluent and coherent:
        if dependent == 2 and informative == 2:
            scheme1 = scheme2 = 2
        elif dependent == 0 or informative == 0:
            scheme1, scheme2 = 1, 0
        else:
            scheme1 = scheme2 = 1
    assert said("ntcir13-stc-japanese-1", *answers) == scheme1
    assert said("ntcir13-stc-japanese-2", *answers) == scheme2


@pytest.mark.parametrize("answers", [*product((0, 1), repeat=3)])
def test_emotional_conversations(answers: tuple[int, ...]) -> None:
    fluent, coherent, emotion = answers
    assert said("ntcir14-stc-cecg", *answers) == fluent * coherent * (1 + emotion)


def test_rules_give_a_score_for_each_assessor(here: Path) -> None:
    Path("stc.csv").write_text(
        "topic,doc,worker,Fluent,Coherent,Emotion Consistent,note\n"
        "t,r,a,1,1,1,fine\nt,r,b,1,1,0,\nt,r,c,0,1,1,\n"
    )
    read = read_assessments("stc.csv", rules="ntcir14-stc-cecg")
    assert read.votes == {"t": {"r": {"a": 2.0, "b": 1.0, "c": 0.0}}}
    assert aggregate(read).to_dict() == {"t": {"r": 0}}  # L2, L1 and L0: no majority
    assert aggregate(read, "unanimity").notices == ()  # the rules say what the highest score is


def test_answers_with_names(here: Path) -> None:
    Path("rules.toml").write_text(
        'otherwise = 0\n[[rule]]\nwhen = {useful = ["yes", "mostly"], words = "!=0"}\nscore = 2\n'
        '[[rule]]\nwhen = {useful = "partly", words = "> 10"}\nscore = 1\n'
    )
    rules = read_rules("rules.toml")
    assert rules.score({"useful": "mostly", "words": "3"}) == 2
    assert rules.score({"useful": "partly", "words": 11}) == 1
    assert rules.score({"useful": "partly", "words": 10}) == 0
    with pytest.raises(cf.InputError, match="words 'many', expected a number"):
        rules.score({"useful": "partly", "words": "many"})
    with pytest.raises(cf.InputError, match="expected an answer"):
        rules.score({"useful": "", "words": 3})


def test_an_alphabet_for_answers() -> None:
    row = {"topic": "t", "doc": "r", "assessor": "a", "fluent": "yes", "coherent": "yes",
           "emotion-consistent": "no", "comment": "nice"}  # fmt: skip
    read = read_assessments([row], labels="yes=1,no=0", rules="ntcir14-stc-cecg")
    assert read.votes == {"t": {"r": {"a": 1.0}}}
    true = {"fluent": True, "coherent": True, "emotion-consistent": True}
    assert read_rules("ntcir14-stc-cecg").score(true) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule = 3", "found no rules"),
        ("otherwise = 0", "found no rules"),
        ("[[rule]]\nscore = 1", "rule 1 without when"),
        ("[[rule]]\nwhen = {a = 1}", "None as score of rule 1"),
        ('[[rule]]\nwhen = {a = 1}\nscore = "2"', "'2' as score of rule 1"),
        ("[[rule]]\nwhen = {a = 1}\nscore = 1\notherwise = 0", "stands above the first"),
        ('[[rule]]\nwhen = {a = ">x"}\nscore = 1', "a comparison with a number"),
        ("[[rule]]\nwhen = {a = {b = 1}}\nscore = 1", "a value, a list or a comparison"),
        ("[criteria]\nb = [1]\n[[rule]]\nwhen = {a = 1}\nscore = 1", "the criterion a"),
        ("[criteria]\na = 1\n[[rule]]\nwhen = {a = 1}\nscore = 1", "a list of the answers"),
        ("else = 0", "found else in the table"),
        ("[[rule", "broken TOML"),
    ],
)
def test_tables_that_are_no_rules(here: Path, text: str, message: str) -> None:
    Path("rules.toml").write_text(text)
    with pytest.raises(cf.InputError, match=message):
        read_rules("rules.toml")


def test_answers_that_no_rule_knows(here: Path) -> None:
    rules = read_rules({"rule": [{"when": {"a": 1}, "score": 1}]})
    with pytest.raises(cf.InputError, match=r"x\.csv:7: found a 2, expected a rule"):
        rules.score({"a": 2}, "x.csv", 7)
    with pytest.raises(cf.InputError, match=r"fluent '7', expected one of 0, 1"):
        read_rules("ntcir14-stc-cecg").score({"fluent": 7})
    with pytest.raises(cf.InputError, match="one of ntcir12-stc"):
        read_rules("nothing")
    Path("a.txt").write_text("q 0 d 1\n")
    with pytest.raises(cf.InputError, match=r"a\.txt:1: found columns label, expected one for"):
        read_assessments("a.txt", rules="ntcir12-stc")


# Agreement: numbers from the literature

# Fleiss (1971): 30 patients, 6 psychiatrists each, 5 diagnoses; how many gave which.
FLEISS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501
30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


def test_fleiss_own_example() -> None:
    """Fleiss, Measuring nominal scale agreement among many raters (1971): κ = 0.430."""
    counts = [[int(n) for n in row] for row in FLEISS.split()]
    assert len(counts) == 30
    assert fleiss_kappa(counts) == pytest.approx(0.430, abs=5e-4)


def test_fleiss_on_wikipedia() -> None:
    """Wikipedia, Fleiss' kappa, worked example: 10 subjects, 14 raters, κ = 0.210."""
    counts = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
              [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0],
              [0, 2, 2, 3, 7]]  # fmt: skip
    assert fleiss_kappa(counts) == pytest.approx(0.210, abs=5e-4)


def test_cohen_on_wikipedia() -> None:
    """Wikipedia, Cohen's kappa: three tables of two raters."""
    assert cohen_kappa([[20, 5], [10, 15]]) == pytest.approx(0.40)
    assert cohen_kappa([[45, 15], [25, 15]]) == pytest.approx(0.1304, abs=5e-5)
    assert cohen_kappa([[25, 35], [5, 35]]) == pytest.approx(0.2593, abs=5e-5)


def test_cohen_by_sas() -> None:
    """A printout of SAS PROC FREQ, in the tests of statsmodels: 0.4842, weighted 0.4701."""
    table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
    assert cohen_kappa(table) == pytest.approx(0.4842, abs=5e-5)
    assert cohen_kappa(table, "linear") == pytest.approx(0.4701, abs=5e-5)
    # By hand, with squares: observed 4·1 + 1·4 + 1·1 = 9, by chance
    # (5·13·1 + 5·6·4 + 8·6·1 + 6·13·1)/19 = 311/19.
    assert cohen_kappa(table, "quadratic") == pytest.approx(1 - 9 * 19 / 311)
    assert percent_agreement(table) == pytest.approx(13 / 19)


KRIPPENDORFF = {
    "A": "12332141 2...".replace(" ", ""),
    "B": "123322412 5.3".replace(" ", ""),
    "C": ".33323422 51.".replace(" ", ""),
    "D": "123324412 51.".replace(" ", ""),
}


def test_krippendorff_s_own_example() -> None:
    """Computing Krippendorff's Alpha-Reliability (2011), section D: four observers, 12 units."""
    data = {
        name: {"t": {f"u{i}": int(c) for i, c in enumerate(row, 1) if c != "."}}
        for name, row in KRIPPENDORFF.items()
    }
    found = agreement(data)
    assert found["alpha_nominal"] == pytest.approx(0.743, abs=5e-4)
    assert found["alpha_ordinal"] == pytest.approx(0.815, abs=5e-4)
    assert found["alpha_interval"] == pytest.approx(0.849, abs=5e-4)
    assert found["alpha_ratio"] == pytest.approx(0.797, abs=5e-4)
    assert math.isnan(found["fleiss"])
    assert any("Fleiss' κ is nan: found 1 to 4 judgments" in n.text for n in found.notices)


# Agreement: second writings and properties


def naive_alpha(items: Sequence[Sequence[float]], scale: Scale) -> float:
    """From the coincidences of pairs of values, as Krippendorff (2011) defines it."""
    pairs: list[tuple[float, float, float]] = []  # two values of a unit, and what they weigh
    for unit in (unit for unit in items if len(unit) > 1):
        pairs += [
            (unit[i], unit[j], 1 / (len(unit) - 1))
            for i in range(len(unit))
            for j in range(len(unit))
            if i != j
        ]
    values = [v for unit in items if len(unit) > 1 for v in unit]

    def distance(a: float, b: float) -> float:
        if a == b:
            return 0.0
        if scale == "nominal":
            return 1.0
        if scale == "interval":
            return (a - b) ** 2
        if scale == "ratio":
            return ((a - b) / (a + b)) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in values)
        return (between - (values.count(a) + values.count(b)) / 2) ** 2

    observed = math.fsum(w * distance(a, b) for a, b, w in pairs) / len(values)
    expected = math.fsum(distance(a, b) for a in values for b in values)
    expected /= len(values) * (len(values) - 1)
    return 1 - observed / expected


UNITS = st.lists(st.lists(st.sampled_from((0.0, 1.0, 2.0, 4.0)), max_size=4), min_size=2)


@given(UNITS, st.sampled_from(("nominal", "ordinal", "interval", "ratio")))
def test_alpha_against_a_second_writing(units: list[list[float]], scale: Scale) -> None:
    scores = (0.0, 1.0, 2.0, 4.0)
    counts = [[unit.count(s) for s in scores] for unit in units]
    found = krippendorff_alpha(counts, scale, scores)
    if len({v for unit in units if len(unit) > 1 for v in unit}) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(naive_alpha(units, scale), abs=1e-12)


@given(UNITS, st.sampled_from(("nominal", "ordinal", "interval", "ratio")))
def test_alpha_against_the_package(units: list[list[float]], scale: Scale) -> None:
    domain = (0.0, 1.0, 2.0, 4.0)
    table = np.array([[unit.count(v) for v in domain] for unit in units])
    assume((table[table.sum(axis=1) > 1].sum(axis=0) > 0).sum() > 1)
    theirs = krippendorff.alpha(
        value_counts=table, value_domain=np.array(domain), level_of_measurement=scale
    )
    assert krippendorff_alpha(table, scale, domain) == pytest.approx(theirs, abs=1e-12)


@given(ITEMS)
def test_kappa_against_a_second_writing(items: list[list[int]]) -> None:
    """κ = (p_o − p_e)/(1 − p_e), for each pair of assessors."""
    found = agreement(votes(*items))
    assert len(found.pairs) == len(list(combinations(items[0], 2)))
    for pair, (i, j) in zip(found.pairs, combinations(range(len(items[0])), 2), strict=True):
        n = len(items)
        a, b = [item[i] for item in items], [item[j] for item in items]
        p_o = sum(x == y for x, y in zip(a, b, strict=True)) / n
        p_e = sum(a.count(v) * b.count(v) for v in range(4)) / n**2
        assert pair.items == n
        assert pair.values["agreement"] == pytest.approx(p_o)
        expected = math.nan if p_e == 1 else (p_o - p_e) / (1 - p_e)
        assert pair.values["kappa"] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_order_of_assessors_and_items_changes_nothing(
    items: list[list[int]], random: Any
) -> None:
    order = list(range(len(items[0])))
    random.shuffle(order)
    shuffled = [[item[i] for i in order] for item in items]
    random.shuffle(shuffled)
    found, again = agreement(votes(*items)), agreement(votes(*shuffled))
    for name, value in found.values.items():
        assert again[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@given(st.lists(SCORES, min_size=2, max_size=9), st.integers(2, 5))
def test_perfect_agreement_is_one(labels: list[int], assessors: int) -> None:
    found = agreement(votes(*([label] * assessors for label in labels)))
    expected = math.nan if len(set(labels)) == 1 else 1.0
    assert found["agreement"] == 1
    for name, value in found.values.items():
        if name != "agreement":
            assert value == pytest.approx(expected, nan_ok=True), name
    assert bool(found.notices) == (len(set(labels)) == 1)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_kappa_is_symmetric_and_weights_do_not_matter_for_two(table: list[list[int]]) -> None:
    every: tuple[Weights | None, ...] = (None, "linear", "quadratic")
    for weights in every:
        one, other = cohen_kappa(table, weights), cohen_kappa(np.array(table).T, weights)
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True)
    binary = [row[:2] for row in table[:2]]
    for weights in every[1:]:
        found = cohen_kappa(binary, weights)
        assert found == pytest.approx(cohen_kappa(binary), abs=1e-12, nan_ok=True)


def test_weights_are_differences_of_points() -> None:
    """A=3, B=1, C=0: observed |3−1| + |1−0| = 3 in four items; by chance, with rows (2, 1, 1)
    and columns (1, 1, 2), (2·1·2 + 2·2·3 + 1·1·2 + 1·2·1 + 1·1·3 + 1·1·1)/4 = 6."""
    read = read_assessments(votes("AA", "AB", "BC", "CC"), labels="A=3,B=1,C=0")
    assert agreement(read)["kappa_linear"] == pytest.approx(1 - 3 / 6)


def test_labels_are_in_the_order_of_their_alphabet() -> None:
    read = read_assessments(votes("SC", "AA", "XC"), labels="S=3,A=2,B=1,C=0,X=0")
    found = agreement(read)
    assert found.labels == ("S", "A", "B", "C/X")
    assert found.pairs[0].confusion.tolist() == [
        [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]
    ]  # fmt: skip


def test_labels_with_the_same_score_are_one_to_alpha() -> None:
    for scale in get_args(Scale):
        assert math.isnan(krippendorff_alpha([[2, 0], [1, 1], [0, 2]], scale, [1, 1]))
        merged = krippendorff_alpha([[2, 0, 0], [1, 0, 1], [0, 1, 1]], scale, [2, 1, 1])
        assert merged == krippendorff_alpha([[0, 2], [1, 1], [2, 0]], scale, [1, 2])


def test_weights_and_scales_that_are_none() -> None:
    bogus: Any = "bogus"
    with pytest.raises(cf.InputError, match="weights 'bogus', expected one of linear, quadratic"):
        cohen_kappa([[1, 0], [0, 1]], bogus)
    with pytest.raises(cf.InputError, match="scale 'bogus', expected one of nominal, ordinal"):
        krippendorff_alpha([[2, 0], [0, 2]], bogus)


def test_missing_items_are_left_to_those_who_judged_them() -> None:
    rows = [("q", "d", "a", 1), ("q", "d", "b", 1), ("q", "e", "a", 0), ("q", "e", "b", 1),
            ("q", "f", "a", 1), ("q", "g", "c", 1)]  # fmt: skip
    found = agreement(rows)
    assert [(p.assessors, p.items) for p in found.pairs] == [(("a", "b"), 2)]
    assert found["agreement"] == 0.5
    assert found.judged == {"a": 3, "b": 2, "c": 1}
    assert [found.lacks(name) for name in found.assessors] == [1, 2, 3]
    assert any("2 of 3 pairs of assessors share no item" in n.text for n in found.notices)


def test_undefined_pairs_are_named_and_not_in_the_mean() -> None:
    found = agreement(votes((1, 1, 1), (1, 1, 0)))
    assert [p.values["kappa"] for p in found.pairs] == pytest.approx([math.nan, 0, 0], nan_ok=True)
    assert found["kappa"] == 0
    assert any("1 pair (a0 and a1)" in n.text for n in found.notices)


def test_scores_below_zero_have_no_ratio() -> None:
    found = agreement(votes((-1, -1), (1, 0)))
    assert math.isnan(found["alpha_ratio"])
    assert found["alpha_interval"] < 1
    assert any("ratio scale is nan" in n.text for n in found.notices)


def test_per_topic_is_as_alone() -> None:
    rows = {"a": {"q": {"d": 1, "e": 0}, "r": {"f": 1, "g": 1, "h": 0}},
            "b": {"q": {"d": 1, "e": 0}, "r": {"f": 0, "g": 1, "h": 0}}}  # fmt: skip
    found = agreement(rows, per_topic=True)
    assert list(found.topics) == ["q", "r"]
    for topic, one in found.topics.items():
        alone = agreement({a: {topic: docs[topic]} for a, docs in rows.items()})
        assert one.values == alone.values
    assert found.topics["q"]["kappa"] == 1
    assert found.topics["r"]["kappa"] == pytest.approx(0.4)  # 2/3 agree, 4/9 by chance
    assert found.notices == ()


def test_topics_without_a_coefficient_are_named() -> None:
    one = {"q": {"d": 1}, "r": {"e": 1, "f": 0}}
    found = agreement({"a": one, "b": one}, per_topic=True)
    assert math.isnan(found.topics["q"]["kappa"])
    assert [n.text for n in found.notices] == ["nan where a coefficient is undefined: 1 topic (q)"]


def test_agreement_takes_two() -> None:
    with pytest.raises(cf.InputError, match="one assessor, a, expected two"):
        agreement([("q", "d", "a", 1)])
    for counts in ([], [[1, 0]], [[2, 0], [1, 0]]):
        with pytest.raises(cf.InputError):
            fleiss_kappa(counts)
    assert math.isnan(cohen_kappa([[0, 0], [0, 0]]))


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
