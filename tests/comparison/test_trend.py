"""Trends: differences, tests, tables and wrong input."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.comparison.trend import Trend, find_median_night, trend
from cranfield.stats.looks import spend_level
from tests.evidence import checks
from tests.made import examples


def draw_nights(count: int = 10, topics: int = 30, change: float = 0.0, seed: int = 0) -> dict[str, dict[str, float]]:
    """Nights of one run; the last one changes."""
    random = np.random.default_rng(seed)
    base = random.uniform(0.2, 0.8, topics)
    nights = {}
    for k in range(count):
        scores = base + random.normal(change if k == count - 1 else 0, 0.02, topics)
        nights[f"night {k:02d}"] = {str(t): float(x) for t, x in enumerate(scores)}
    return nights


def get_array(nights: dict[str, dict[str, float]], name: str) -> Any:
    return np.array([*nights[name].values()])


class TestDifferences:
    @checks("cf.trend", against="SciPy")
    def test_trend_previous_night_equals_scipy(self) -> None:
        nights = draw_nights()
        row = trend(nights).find("score", "run", "night 04", "previous")
        assert row is not None
        expected = stats.ttest_rel(get_array(nights, "night 04"), get_array(nights, "night 03"))
        ends = expected.confidence_interval(0.95)
        assert (row.uncorrected, row.low, row.high) == pytest.approx((expected.pvalue, ends.low, ends.high))
        assert (row.pvalue, row.look, row.verdict) == (None, None, "")

    @checks("cf.trend", against="SciPy")
    def test_trend_baseline_equals_scipy_divided_by_fraction(self) -> None:
        nights = draw_nights(change=-0.03)
        release = draw_nights(1, seed=0)["night 00"]
        row = trend(nights, release, looks=5).tonight[0]
        expected = stats.ttest_rel(get_array(nights, "night 09"), np.array([*release.values()]))
        assert (row.reference, row.look) == ("baseline", 15)
        assert row.pvalue == pytest.approx(min(1, expected.pvalue / spend_level(15)[-1]))

    def test_trend_median_difference_is_that_of_means(self) -> None:
        """The difference of means is tonight's mean − the median of the last k means."""
        nights = draw_nights(12)
        means = {name: np.mean([*scores.values()]) for name, scores in nights.items()}
        names = [*nights]
        for last in (1, 4, 7):
            result = trend(nights, last=last)
            for place in range(1, 12):
                row = result.find("score", "run", names[place], "median")
                assert row is not None
                earlier = [means[name] for name in names[max(0, place - last) : place]]
                assert row.difference == pytest.approx(means[names[place]] - np.median(earlier))

    def test_find_median_night_is_a_night(self) -> None:
        nights = [np.array([0.0, 1.0]), np.array([0.3, 0.3]), np.array([1.0, 0.8])]
        assert find_median_night(nights).tolist() == [0.0, 1.0]

    def test_trend_first_night_has_no_test_without_baseline(self) -> None:
        result = trend(draw_nights(3))
        assert [row.look for row in result.differences if row.reference == "median"] == [1, 2]
        with_baseline = trend(draw_nights(3), draw_nights(1)["night 00"])
        assert [row.look for row in with_baseline.differences if row.reference == "baseline"] == [1, 2, 3]

    def test_trend_nights_equal_summaries(self) -> None:
        nights = draw_nights(3)
        row = trend(nights).nights[1]
        x = get_array(nights, "night 01")
        half = stats.t.ppf(0.975, 29) * x.std(ddof=1) / math.sqrt(30)
        assert (row.mean, row.low, row.high) == pytest.approx((x.mean(), x.mean() - half, x.mean() + half))

    def test_trend_geometric_means_have_differences_of_logarithms(self) -> None:
        nights = {
            name: {"run": {topic: {"GMAP": x} for topic, x in scores.items()}}
            for name, scores in draw_nights(3).items()
        }
        result = trend(nights)
        row = result.find("GMAP", "run", "night 02", "previous")
        assert row is not None
        x, y = (np.array([t["GMAP"] for t in nights[name]["run"].values()]) for name in ("night 02", "night 01"))
        assert row.difference == pytest.approx(np.log(x).mean() - np.log(y).mean())
        assert "Differences by GMAP are differences of logarithms." in result.to_dict()["captions"]["differences"]
        assert cf.plot.trend(result).data["reference"].to_list() == [None] * 3

    def test_trend_undefined_topics_are_noted_once(self) -> None:
        nights = draw_nights(3)
        nights["night 01"]["7"] = math.nan
        result = trend(nights)
        assert [note.text for note in result.notes] == ["score: 1 topic (7) excluded, undefined for a run"]
        assert {row.topics for row in result.differences} == {29}

    def test_trend_clusters_raise(self) -> None:
        part = replace(cf.read_scores({"run": draw_nights(1)["night 00"]}), clusters={str(t): "a" for t in range(30)})
        with pytest.raises(cf.CranfieldError, match="topics in clusters"):
            trend({"mon": part, "tue": part})


class TestVerdicts:
    def test_trend_change_is_found_and_noise_is_not(self) -> None:
        assert [row.verdict for row in trend(draw_nights(change=-0.05)).tonight] == ["worse"]
        assert [row.verdict for row in trend(draw_nights(change=0.05)).tonight] == ["better"]
        assert [row.verdict for row in trend(draw_nights()).tonight] == [""]

    def test_trend_lower_is_better_turns_verdict(self) -> None:
        nights = {
            name: {"run": {topic: {"latency": x} for topic, x in scores.items()}}
            for name, scores in draw_nights(change=-0.05).items()
        }
        assert [row.verdict for row in trend(nights, lower="latency").tonight] == ["better"]

    def test_trend_unchanged_system_is_not_different(self) -> None:
        scores = draw_nights(1)["night 00"]
        result = trend({"mon": scores, "tue": dict(scores), "wed": dict(scores)})
        assert [(row.difference, row.pvalue, row.verdict) for row in result.tonight] == [(0, 1, "")]
        assert result.passes()

    def test_trend_passes_depends_on_the_last_night(self) -> None:
        nights = draw_nights(change=-0.05)
        assert not trend(nights).passes()
        assert trend({name: nights[name] for name in [*nights][:-1]}).passes()

    def test_trend_few_different_topics_are_undecided(self) -> None:
        """Two of 30 topics lose: the smallest p of two equal losses is above the level of the look."""
        scores = draw_nights(1)["night 00"]
        result = trend({"mon": scores, "tue": dict(scores), "wed": {**scores, "0": 0.0, "1": 0.0}})
        (row,) = result.tonight
        assert result.decide(row) == "undecided"
        assert not result.passes()
        assert result.passes("pass")


@settings(max_examples=examples(20))
@given(st.integers(0, 1000), st.integers(0, 400))
def test_trend_more_looks_never_decrease_p(seed: int, looks: int) -> None:
    nights = draw_nights(4, 12, -0.03, seed)
    first, later = (trend(nights, looks=n).tonight[0] for n in (looks, looks + 1))
    assert first.pvalue is not None
    assert later.pvalue is not None
    assert first.pvalue <= later.pvalue
    assert (later.band_low, first.band_high) <= (first.band_low, later.band_high)


COLUMNS = {
    "nights": "measure run night topics mean low high",
    "differences": "measure run night reference topics difference low high band_low band_high pvalue uncorrected look "
    "wins ties losses verdict",
}


class TestTables:
    @pytest.fixture
    def result(self) -> Trend:
        return trend(draw_nights(change=-0.05))

    @pytest.mark.parametrize("name", COLUMNS)
    def test_columns_are_in_order(self, result: Trend, name: str) -> None:
        assert result.to_polars(name).columns == COLUMNS[name].split()

    def test_json_has_both_tables_and_null_without_test(self, result: Trend) -> None:
        document = result.to_dict()
        assert [*document][:2] == ["nights", "differences"]
        row = document["differences"][0]
        assert (row["reference"], row["pvalue"], row["look"], row["band_low"]) == ("previous", None, None, None)
        assert document["settings"]["tested"] == "median"

    def test_text_starts_with_the_answer(self, result: Trend) -> None:
        first = result.as_text().splitlines()[0]
        assert first.startswith(
            "night 09 is significantly worse than the median of the last 7 nights by score: mean 0."
        )
        assert "(corrected for 9 looks)" in first

    def test_summary_has_verdicts_and_one_table(self, result: Trend) -> None:
        lines = result.to_markdown(summary=True).splitlines()
        assert lines[0] == "**night 09 is significantly worse than the median of the last 7 nights by score.**"
        assert lines[2].startswith("| mean | 95% interval | from previous night |")
        assert sum(line.startswith("|") for line in lines) == 3

    def test_many_series_are_counted(self) -> None:
        nights = {
            name: {run: {t: s + i / 100 for t, s in scores.items()} for i, run in enumerate("abcd")}
            for name, scores in draw_nights(change=-0.05).items()
        }
        first = trend(nights).as_text().splitlines()[0]
        names = "a by score worse, b by score worse, c by score worse, 1 more"
        assert first == f"night 09: 4 of 4 series differ significantly: {names}."

    def test_repr_has_size_and_tests(self, result: Trend) -> None:
        lines = repr(result).splitlines()
        assert lines[0] == "Trend: 10 nights, 1 run"
        assert lines[1].startswith("score: run on night 09 -0.0")
        assert lines[1].endswith("worse")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"last": 0}, "last=0, expected an integer ≥ 1"),
        ({"looks": -1}, "looks=-1, expected an integer ≥ 0"),
        ({"alpha": 2}, "alpha"),
        ({"missing": "zero"}, "missing"),
        ({"measures": "AP"}, "no scores of AP"),
    ],
)
def test_trend_wrong_options_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cf.CranfieldError, match=message):
        trend(draw_nights(3), **options)


def test_trend_one_topic_raises() -> None:
    with pytest.raises(cf.CranfieldError, match="1 topic with score, expected at least 2"):
        trend({"mon": {"1": 0.5}, "tue": {"1": 0.4}})
