"""Families of tests: pairs by name, their number of trials, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.stats.effects import anova_effect, cohen_dz
from cranfield.stats.families import compare_pairs, get_default_correction
from cranfield.stats.letters import letters
from cranfield.stats.paired import find_critical_value, wilcoxon
from cranfield.stats.power import topics_for_interval
from tests.evidence import checks
from tests.stats.made import TOPICS_RUNS


class TestStatistics:
    def test_an_alpha_that_rounding_made_smaller(self) -> None:
        """1 − 0.9 is less than 0.1: (9 + 1) / (99 + 1) with 91 … 99 is no more than it."""
        assert find_critical_value(np.arange(1.0, 100), 1 - 0.9, exact=False) == 90.0

    def test_alpha_of_an_interval_is_what_was_meant(self) -> None:
        assert topics_for_interval(width=1.0, variance=1.0, confidence=0.95).alpha == 0.05

    def test_the_lower_end_of_a_large_effect(self) -> None:
        """With it, a t of 100 or more has 2.5%. SciPy's search finds upper ends less exactly."""
        z = np.linspace(-1, 1, 4)
        x = z + z.std(ddof=1) * 100 / math.sqrt(4)
        low = cohen_dz(x, np.zeros(4)).confidence_interval().low
        assert stats.nct.sf(100, 3, 2 * low) == pytest.approx(0.025, abs=1e-6)

    def test_a_signed_rank_interval_may_just_reach(self) -> None:
        """Both differences above 0: p = 2 / 2², and so 1, 1.5, 2 are all within 50%."""
        found = wilcoxon([1, 2], [0, 0])
        interval = found.confidence_interval(0.5)
        assert (found.pvalue, interval.low, interval.high) == (0.5, 1.0, 2.0)

    def test_rounding_is_no_variance(self) -> None:
        effect = anova_effect({"x": [0.3, 0.9, 0.4], "y": [0.1, 0.7, 0.2]})["x", "y"]
        assert effect.divisor == 0
        assert math.isnan(effect.confidence_interval().low)

    def test_two_comparisons_are_several(self) -> None:
        assert get_default_correction("t", 2) == "holm"

    def test_the_mean_shift_has_its_name_and_trials(self) -> None:
        told: list[int] = []
        x = np.random.default_rng(5).random((6, 3))
        found = compare_pairs(x, "bootstrap-shift", trials=20, progress=told.append, axes=TOPICS_RUNS)
        assert {pair.outcome.test for pair in found} == {"bootstrap test (mean shift)"}
        assert told == [20, 20, 20]

    @pytest.mark.parametrize(("systems", "enough"), [(52, True), (53, False)])
    def test_as_many_letters_as_there_are(self, systems: int, enough: bool) -> None:
        assert (letters(~np.eye(systems, dtype=bool)) is not None) is enough


def test_pairs_by_name_or_number() -> None:
    x = {"a": [0.1, 0.2, 0.4], "b": [0.2, 0.4, 0.5], "c": [0.3, 0.3, 0.3]}
    by_name = compare_pairs(x, "t", pairs=[("c", "a")])
    by_number = compare_pairs(x, "t", pairs=[(2, 0)])
    assert (by_name[0].first, by_name[0].second) == (2, 0)
    assert by_name[0].pvalue == by_number[0].pvalue
    for wrong in ([("a", "z")], [(0, 5)], ["ab"]):
        with pytest.raises(cf.CranfieldError, match="found pair"):
            compare_pairs(x, "t", pairs=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("test", "correction", "message"),
    [
        ("z", "none", "found test 'z', expected one of randomised-tukey, "),
        ("t", "scheffe", "found correction 'scheffe', expected one of none, "),
        ("tukey", "holm", "found correction 'holm', expected none: the Tukey HSD test allows for"),
    ],
)
def test_tests_and_corrections_that_there_are_not(test: str, correction: str, message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        compare_pairs([[0.1, 0.2], [0.2, 0.4], [0.5, 0.3]], test, correction=correction, axes=TOPICS_RUNS)


@checks("cf.stats.letters", against="by hand")
@pytest.mark.parametrize(
    ("pairs", "enough"),
    [(1, True), (5, True), (6, False), (11, False)],
)
def test_letters_of_disjoint_pairs(pairs: int, enough: bool) -> None:
    """Each pair of different systems doubles the groups: 2, 32, 64 and 2,048, of 52 letters."""
    found = letters(np.kron(np.eye(pairs, dtype=bool), ~np.eye(2, dtype=bool)))
    assert (found is not None) is enough
    if found is not None:
        assert [len(word) for word in found] == [2 ** (pairs - 1)] * 2 * pairs
        assert len(set("".join(found))) == 2**pairs


def test_letters_are_of_a_square() -> None:
    with pytest.raises(cf.CranfieldError, match=r"found an array of shape \(2, 1\), expected"):
        letters([[True], [False]])
