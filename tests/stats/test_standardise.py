"""Standardised scores: by hand, and what must hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.stats.standardise import factors, standardise
from tests.evidence import checks
from tests.made import examples, scored
from tests.stats.made import TOPICS_RUNS, numbers

SYSTEMS = {
    "a": {"301": 0.1, "302": 0.4, "303": 0.5},
    "b": {"301": 0.2, "302": 0.4, "303": 0.7},
    "c": {"301": 0.3, "302": 0.4, "303": 0.6},
}


def scores_of(*arguments: Any, **more: Any) -> cf.Scores:
    return cf.Scores(*arguments, **more)


def row(scores: cf.Scores, run: str) -> list[float]:
    return [scores[run, topic, scores.measures[0]] for topic in scores.topics]


class TestStandardise:
    @checks("cf.stats.standardise", against="by hand")
    def test_z_by_hand(self) -> None:
        """301: mean 0.2, deviation 0.1. 302: no deviation. 303: mean 0.6, deviation 0.1."""
        found = standardise(SYSTEMS)
        assert row(found, "a") == pytest.approx([-1, 0, -1])
        assert row(found, "b") == pytest.approx([0, 0, 1])
        assert row(found, "c") == pytest.approx([1, 0, 0])
        assert [n.kind for n in found.notes] == ["standardised", "no-variance"]
        assert found.notes[1].topics == ("302",)

    def test_by_the_whole_population(self) -> None:
        """With m in the denominator the deviation is 0.1 √(2 / 3)."""
        assert row(standardise(SYSTEMS, ddof=0), "c")[0] == pytest.approx(math.sqrt(1.5))

    def test_webber_s_and_sakai_s_forms(self) -> None:
        """Φ(1) = 0.8413; 0.15 + 0.5; and cut to 1 where z = 4: 0.15 · 4 + 0.5 = 1.1."""
        assert row(standardise(SYSTEMS, "cdf"), "c")[0] == pytest.approx(0.841344746)
        assert row(standardise(SYSTEMS, "linear"), "c") == pytest.approx([0.65, 0.5, 0.5])
        far = {"d": {"301": 0.6, "302": 0.4, "303": 0.1}}
        found = standardise(far, "linear", reference=factors(SYSTEMS))
        assert row(found, "d") == pytest.approx([1.0, 0.5, 0.0])
        assert row(standardise(SYSTEMS, "linear", a=0.1, b=0.4), "c")[0] == pytest.approx(0.5)

    @checks("cf.stats.factors", against="by hand")
    def test_new_systems_by_old_ones(self) -> None:
        """The same by the factors, by the scores, and by numbers; topics by name."""
        old = standardise(SYSTEMS)
        new = {"d": {"303": 0.8, "301": 0.0}}
        by_numbers = {"301": (0.2, 0.1), "302": (0.4, 0.0), "303": (0.6, 0.1)}
        scores = scores_of(
            [[[v] for v in x.values()] for x in SYSTEMS.values()],
            list(SYSTEMS), ["301", "302", "303"], ["score"], ["mean"],
        )  # fmt: skip
        for reference in (factors(SYSTEMS), scores, by_numbers):
            found = standardise(new, reference=reference)
            assert found.topics == ("303", "301")
            assert row(found, "d") == pytest.approx([2, -2])
        assert standardise(scores).values == pytest.approx(old.values)

    def test_measures_on_their_own_and_undefined_scores(self) -> None:
        values = [
            [[0.1, 10], [math.nan, 1]],
            [[0.3, 30], [0.2, 2]],
            [[0.2, 20], [0.4, 3]],
        ]
        scores = scores_of(
            values, ["a", "b", "c"], ["301", "302"], ["AP", "num_ret"], ["mean", "sum"],
            undefined="skip", better=["higher", "neither"],
        )  # fmt: skip
        found = standardise(scores)
        assert found.values[:, 0] == pytest.approx(np.array([[-1, -1], [1, 1], [0, 0]]))
        assert math.isnan(found["a", "302", "AP"])
        assert found["b", "302", "AP"] == pytest.approx(-math.sqrt(0.5))  # −0.1 / √0.02
        assert (found.summaries, found.better) == (("mean", "mean"), ("higher", "neither"))

    @checks("cf.stats.standardise", against="property")
    @settings(max_examples=examples(25))
    @given(st.lists(numbers.map(lambda x: x[:4]), min_size=2, max_size=5))
    def test_every_topic_has_mean_0_and_deviation_1(self, rows: list[list[float]]) -> None:
        x = np.array(rows).T  # four topics
        z = standardise(x, axes=TOPICS_RUNS).values[:, :, 0]
        for topic, scores in enumerate(x):
            differ = scores.max() > scores.min()
            assert z[:, topic].mean() == pytest.approx(0, abs=1e-9)
            assert z[:, topic].std(ddof=1) == pytest.approx(1.0 if differ else 0.0)

    def test_refused(self) -> None:
        one = {"d": {"301": 0.1, "999": 0.2}}
        with pytest.raises(CranfieldError, match="found 1 system, expected at least 2"):
            standardise(one)
        with pytest.raises(CranfieldError, match=r"found 1 topic \(999\) that the reference lacks"):
            standardise(one, reference=factors(SYSTEMS))
        with pytest.raises(CranfieldError, match="found method='t', expected one of z, cdf"):
            standardise(SYSTEMS, "t")  # type: ignore[arg-type]
        with pytest.raises(CranfieldError, match="found ddof=2, expected 0 or 1"):
            standardise(SYSTEMS, ddof=2)
        with pytest.raises(CranfieldError, match="std below 0"):
            standardise(one, reference={"301": (0.1, -1.0), "999": (0.1, 1.0)})
        with pytest.raises(CranfieldError, match="not finite"):
            standardise(one, reference={"301": (0.1, math.inf), "999": (0.1, 1.0)})
        with pytest.raises(CranfieldError, match=r"expected \{topic: \(mean, std\)\}"):
            standardise(one, reference={"301": "x", "999": "y"})  # type: ignore[dict-item]


class TestUndefined:
    def test_what_is_undefined_stays_so_where_others_are_equal(self) -> None:
        found = standardise(scored([[0.5], [0.5], [math.nan]], ("a", "b", "c")))
        assert found.values[:2].ravel().tolist() == [0.0, 0.0]
        assert math.isnan(found.values[2, 0, 0])


def test_given_factors_are_of_one_measure() -> None:
    scores = cf.Scores(np.zeros((2, 1, 2)), tuple("ab"), tuple("1"), ("AP", "RR"), ("mean", "mean"))
    with pytest.raises(CranfieldError, match=r"deviations for 2 measures \(AP, RR\), expected score"):
        standardise(scores, reference={"1": (0.5, 0.1)})
