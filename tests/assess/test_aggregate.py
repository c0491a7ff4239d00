"""Judgments of several assessors become one, by each scheme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.assess.aggregate import SCHEMES, aggregate, majority, unanimity
from cranfield.assess.assessments import read_assessments
from tests.assess.made import CQA, ITEMS, SCORES, votes
from tests.evidence import checks


def levels(*labels: Sequence[Any], scheme: str, **settings: Any) -> list[float]:
    """The levels of such items."""
    read = read_assessments(votes(*labels), labels=settings.pop("labels", None))
    return list(aggregate(read, scheme, **settings).to_dict()["t"].values())


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
    assert "highest possible score set to 2, the highest given" in found.notes[0].text
    with pytest.raises(cf.InputError, match="score 2 is above max_score 1"):
        aggregate(votes((2, 1)), "unanimity", max_score=1)
    one_missing = [("q", "d", "a", 2), ("q", "e", "a", 2), ("q", "d", "b", 1)]
    with pytest.raises(cf.InputError, match="score 9 is above max_score 2"):
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


@pytest.mark.parametrize(("ties", "expected"), [("zero", 0), ("lower", 1), ("higher", 2), (None, 0)])
def test_two_against_two(ties: str | None, expected: int) -> None:
    found = aggregate(votes((2, 2, 1, 1), (3, 1, 1, 0)), "majority", ties=ties)
    assert found.to_dict()["t"] == {"d0": expected, "d1": 1}
    assert found.notes[0].text.startswith("1 item (d0 of t) without a majority, set to ")


@pytest.mark.parametrize(("scheme", "expected"), [("median", [1, 1]), ("min", [0, 1]), ("max", [2, 3])])
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
    assert [note.kind for note in with_best.notes] == ["labels"]
    unknown = aggregate(read, "favourites", best={"q": {"e": 1}})
    assert unknown.to_dict()["q"]["e"] == 1
    assert "1 item (e of q)" in unknown.notes[0].text


def test_all_are_favourites_of_who_scores_all_alike() -> None:
    found = aggregate(votes((0, 1), (0, 0)), "favourites")
    assert found.to_dict() == {"t": {"d0": 1, "d1": 1}}
    assert "1 case (a0 in t)" in found.notes[0].text


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
        message = r"1 item \(e of q not by b\) not judged by every.*Use missing=.skip. or missing=LABEL"
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
        assert found.notes[0].text == (
            "1 item (e of q not by b) not judged by every assessor, missing judgments skipped"
        )

    def test_has_an_assumed_label(self) -> None:
        found = aggregate(self.ROWS, "mean", missing="L1")
        assert found.to_dict() == {"q": {"d": 1.5, "e": 1.5}}
        assert "set to 1" in found.notes[0].text

    @pytest.mark.parametrize("scheme", ["sum", "unanimity"])
    def test_aggregate_sum_of_unequal_numbers_of_labels_raises(self, scheme: str) -> None:
        """e has one label of 2 and d has two of 1 and 2: a sum would rank d above e."""
        message = (
            rf"{scheme}: items have different numbers of labels \(1 for 1 item, 2 for 1 item\)\. "
            r'Use scheme="mean", or missing=LABEL for missing labels'
        )
        with pytest.raises(cf.InputError, match=message):
            aggregate(self.ROWS, scheme, missing="skip")

    def test_aggregate_sum_with_an_assumed_label_adds_it(self) -> None:
        found = aggregate(self.ROWS, "sum", missing="L1")
        assert found.to_dict() == {"q": {"d": 3.0, "e": 3.0}}
        assert found.notes[-1].text == "labels per item: 1 for 1 item, 2 for 1 item"


class TestMedian:
    def test_aggregate_two_relevant_labels_stay_relevant(self) -> None:
        """By hand: (1, 2) has the medians 1 and 2, (2, 2) and (0, 3, 3) have one."""
        found = aggregate(votes((1, 2), (2, 2)))
        assert found.to_dict()["t"] == {"d0": 1, "d1": 2}
        assert [note.text for note in found.notes] == [
            "labels differ in 1 of 2 items, median used, the lower of two medians for 1 item (d0 of t)",
            "labels per item: 2 for 2 items",
        ]

    def test_aggregate_odd_number_of_labels_has_one_median(self) -> None:
        found = aggregate(votes((0, 3, 3), (2, 2, 2)))
        assert found.to_dict()["t"] == {"d0": 3, "d1": 2}
        assert found.notes[0].text == "labels differ in 1 of 2 items, median used"

    def test_aggregate_equal_labels_have_no_note_on_medians(self) -> None:
        found = aggregate(votes((1, 1), (0, 0)))
        assert [note.kind for note in found.notes] == ["labels"]

    def test_aggregate_skipped_labels_are_counted(self) -> None:
        found = aggregate(TestMissing.ROWS, missing="skip")
        assert found.to_dict() == {"q": {"d": 1.0, "e": 2.0}}
        assert found.notes[-1].text == "labels per item: 1 for 1 item, 2 for 1 item"

    @given(ITEMS)
    def test_aggregate_default_is_a_label_with_half_on_each_side(self, items: list[list[int]]) -> None:
        """A second writing: the lowest label that at least half of the labels do not exceed."""
        expected = [min(x for x in item if sum(y <= x for y in item) * 2 >= len(item)) for item in items]
        assert [*aggregate(votes(*items)).to_dict()["t"].values()] == expected


@given(ITEMS, st.sampled_from(SCHEMES), st.randoms(use_true_random=False))
def test_the_order_of_assessors_does_not_matter(items: list[list[int]], scheme: str, random: Any) -> None:
    order = list(range(len(items[0])))
    random.shuffle(order)
    shuffled = [[item[i] for i in order] for item in items]
    assert levels(*items, scheme=scheme) == levels(*shuffled, scheme=scheme)


@checks("cf.assess.aggregate.majority", against="second writing")
@given(st.lists(SCORES, min_size=1, max_size=7))
def test_majority_against_a_second_writing(scores: list[int]) -> None:
    """A score wins if it has more votes than each of the others."""
    winners = [s for s in set(scores) if all(scores.count(s) > scores.count(o) for o in set(scores) - {s})]
    assert majority(scores) == (winners[0] if winners else 0)
