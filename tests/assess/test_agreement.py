"""How far assessors agree: published examples, a second writing, the package krippendorff."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, get_args

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cranfield as cf
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
from tests.assess.made import ITEMS, SCORES, votes
from tests.evidence import checks

# Agreement: numbers from the literature

# Fleiss (1971): 30 patients, 6 psychiatrists each, 5 diagnoses; how many gave which.
FLEISS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501
30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


@checks("cf.assess.agreement.fleiss_kappa", against="Fleiss 1971")
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


@checks("cf.assess.agreement.cohen_kappa", against="by hand")
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


@checks("cf.assess.agreement.krippendorff_alpha", against="Krippendorff 2011")
def test_krippendorff_s_own_example() -> None:
    """Computing Krippendorff's Alpha-Reliability (2011), section D: four observers, 12 units."""
    data = {
        name: {"t": {f"u{i}": int(c) for i, c in enumerate(row, 1) if c != "."}} for name, row in KRIPPENDORFF.items()
    }
    found = agreement(data)
    assert found["alpha_nominal"] == pytest.approx(0.743, abs=5e-4)
    assert found["alpha_ordinal"] == pytest.approx(0.815, abs=5e-4)
    assert found["alpha_interval"] == pytest.approx(0.849, abs=5e-4)
    assert found["alpha_ratio"] == pytest.approx(0.797, abs=5e-4)
    assert math.isnan(found["fleiss"])
    assert any("Fleiss' κ is nan: 1 to 4 judgments per item" in n.text for n in found.notes)


# Agreement: second writings and properties


def naive_alpha(items: Sequence[Sequence[float]], scale: Scale) -> float:
    """From the coincidences of pairs of values, as Krippendorff (2011) defines it."""
    pairs: list[tuple[float, float, float]] = []  # two values of a unit, and what they weigh
    for unit in (unit for unit in items if len(unit) > 1):
        pairs += [(unit[i], unit[j], 1 / (len(unit) - 1)) for i in range(len(unit)) for j in range(len(unit)) if i != j]
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


@checks("cf.assess.agreement.krippendorff_alpha", against="second writing")
@given(UNITS, st.sampled_from(("nominal", "ordinal", "interval", "ratio")))
def test_alpha_against_a_second_writing(units: list[list[float]], scale: Scale) -> None:
    scores = (0.0, 1.0, 2.0, 4.0)
    counts = [[unit.count(s) for s in scores] for unit in units]
    found = krippendorff_alpha(counts, scale, scores)
    if len({v for unit in units if len(unit) > 1 for v in unit}) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(naive_alpha(units, scale), abs=1e-12)


@checks("cf.assess.agreement.krippendorff_alpha", against="krippendorff")
@given(UNITS, st.sampled_from(("nominal", "ordinal", "interval", "ratio")))
def test_alpha_against_the_package(units: list[list[float]], scale: Scale) -> None:
    domain = (0.0, 1.0, 2.0, 4.0)
    table = np.array([[unit.count(v) for v in domain] for unit in units])
    assume((table[table.sum(axis=1) > 1].sum(axis=0) > 0).sum() > 1)
    theirs = krippendorff.alpha(value_counts=table, value_domain=np.array(domain), level_of_measurement=scale)
    assert krippendorff_alpha(table, scale, domain) == pytest.approx(theirs, abs=1e-12)


@checks("cf.assess.agreement.cohen_kappa", against="second writing")
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
def test_the_order_of_assessors_and_items_changes_nothing(items: list[list[int]], random: Any) -> None:
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
    assert bool(found.notes) == (len(set(labels)) == 1)


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
    with pytest.raises(cf.InputError, match=r"unknown weights 'bogus'. Valid: linear, quadratic"):
        cohen_kappa([[1, 0], [0, 1]], bogus)
    with pytest.raises(cf.InputError, match=r"unknown scale 'bogus'. Valid: nominal, ordinal"):
        krippendorff_alpha([[2, 0], [0, 2]], bogus)


def test_missing_items_are_left_to_those_who_judged_them() -> None:
    rows = [("q", "d", "a", 1), ("q", "d", "b", 1), ("q", "e", "a", 0), ("q", "e", "b", 1),
            ("q", "f", "a", 1), ("q", "g", "c", 1)]  # fmt: skip
    found = agreement(rows)
    assert [(p.assessors, p.items) for p in found.pairs] == [(("a", "b"), 2)]
    assert found["agreement"] == 0.5
    assert found.judged == {"a": 3, "b": 2, "c": 1}
    assert [found.count_missing(name) for name in found.assessors] == [1, 2, 3]
    assert any("2 of 3 pairs of assessors without a common item" in n.text for n in found.notes)


def test_undefined_pairs_are_named_and_not_in_the_mean() -> None:
    found = agreement(votes((1, 1, 1), (1, 1, 0)))
    assert [p.values["kappa"] for p in found.pairs] == pytest.approx([math.nan, 0, 0], nan_ok=True)
    assert found["kappa"] == 0
    assert any("1 pair (a0 and a1)" in n.text for n in found.notes)


def test_scores_below_zero_have_no_ratio() -> None:
    found = agreement(votes((-1, -1), (1, 0)))
    assert math.isnan(found["alpha_ratio"])
    assert found["alpha_interval"] < 1
    assert any("ratio scale is nan" in n.text for n in found.notes)


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
    assert found.notes == ()


def test_topics_without_a_coefficient_are_named() -> None:
    one = {"q": {"d": 1}, "r": {"e": 1, "f": 0}}
    found = agreement({"a": one, "b": one}, per_topic=True)
    assert math.isnan(found.topics["q"]["kappa"])
    assert [n.text for n in found.notes] == ["undefined coefficients are nan in 1 topic (q)"]


def test_agreement_takes_two() -> None:
    with pytest.raises(cf.InputError, match="at least two assessors, found a"):
        agreement([("q", "d", "a", 1)])
    for counts in ([], [[1, 0]], [[2, 0], [1, 0]]):
        with pytest.raises(cf.InputError):
            fleiss_kappa(counts)
    assert math.isnan(cohen_kappa([[0, 0], [0, 0]]))
