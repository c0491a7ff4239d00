"""Tests for what mutations of stats, comparison and results got away with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.comparison import compare
from cranfield.evaluation.results import read_scores
from cranfield.report.comparison import procedure
from cranfield.stats.effects import anova_effect, cohen_dz
from cranfield.stats.families import compare_pairs, usual_correction
from cranfield.stats.letters import letters
from cranfield.stats.paired import randomisations, reach, wilcoxon
from cranfield.stats.power import power_of_t, topics_for_interval
from cranfield.stats.result import shown_p
from cranfield.stats.samples import matrix
from cranfield.stats.standardise import standardise


def scored(values: Any, runs: tuple[str, ...], **more: Any) -> cf.Scores:
    """Scores of AP: values [runs, topics]."""
    array = np.asarray(values, dtype=np.float64)
    topics = tuple(f"q{t}" for t in range(array.shape[1]))
    return cf.Scores(array[:, :, None], runs, topics, ("AP",), ("mean",), **more)


class TestComparison:
    def test_standard_errors_are_no_measure(self) -> None:
        values = np.random.default_rng(1).random((2, 5, 2))
        topics = tuple("12345")
        given = cf.Scores(values, ("x", "y"), topics, ("AP", "AP.se"), ("mean", "se"))
        found = compare(given)
        assert found.scores.measures == ("AP",)
        assert {pair.measure for pair in found.pairs} == {"AP"}

    def test_intervals_of_bonferroni_are_simultaneous(self) -> None:
        """Three pairs: each interval has confidence 1 − 0.05 / 3."""
        x = np.random.default_rng(2).random((3, 9))
        given = scored(x, ("a", "b", "c"))
        found = compare(given, test="t", correction="bonferroni")
        for pair in found.pairs:
            i, j = (given.runs.index(run) for run in (pair.run, pair.other))
            theirs = stats.ttest_rel(x[i], x[j]).confidence_interval(1 - 0.05 / 3)
            assert (pair.low, pair.high) == pytest.approx((theirs.low, theirs.high))

    def test_p_of_alpha_is_significant(self) -> None:
        """Three topics, all better: p = 2 / 2³."""
        found = compare(scored([[0.5, 0.6, 0.7], [0.1, 0.3, 0.2]], ("x", "y")), alpha=0.25)
        assert (found.pairs[0].pvalue, found.pairs[0].verdict) == (0.25, "better")

    def test_the_sign_test_decides_by_its_median(self) -> None:
        """Nine topics better, one much worse: 2 · (1 + 10) / 2¹⁰; the mean says the contrary."""
        x, y = [0.51] * 9 + [0.0], [0.5] * 9 + [0.9]
        pair = compare(scored([x, y], ("x", "y")), "y", test="sign").pairs[0]
        assert pair.pvalue == pytest.approx(22 / 1024)
        assert pair.difference < 0
        assert pair.verdict == "better"

    def test_letters_go_by_corrected_p_values(self) -> None:
        """All differences of a pair have one sign: p = 2 / 2⁴, by Holm three times that."""
        x = [[0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.5, 0.6], [0.9, 0.8, 0.7, 0.9]]
        given = scored(x, ("a", "b", "c"))
        together = compare(given, test="randomisation", alpha=0.2)
        assert [run.groups for run in together.runs] == ["a", "a", "a"]
        alone = compare(given, test="randomisation", correction="none", alpha=0.2)
        assert [run.groups for run in alone.runs] == ["a", "b", "c"]

    def test_intervals_of_means_have_the_confidence_asked_for(self) -> None:
        """1 and 3: the error of their mean is 1, and t(1) has 0.75 below 1."""
        found = compare(scored([[1.0, 3.0], [0.0, 1.0]], ("x", "y")), alpha=0.5)
        assert (found.runs[0].low, found.runs[0].high) == pytest.approx((1.0, 3.0))

    def test_a_caution_names_its_pair(self) -> None:
        x = np.random.default_rng(3).random(8)
        found = compare(scored([x, x, x[::-1]], ("a", "b", "c")), test="t")
        (notice,) = (n for n in found.notices if n.kind == "identical")
        assert notice.text.startswith("AP, a – b: all 8 differences are 0")

    def test_effects_of_many_share_a_divisor(self) -> None:
        assert compare(scored(np.random.default_rng(4).random((3, 6)), tuple("abc"))).effect == (
            "anova"
        )

    def test_threads_are_as_many_as_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def noted(*given: Any, **more: Any) -> Any:
            asked.append(more["threads"])
            return compare_pairs(*given, **more)

        monkeypatch.setattr("cranfield.comparison.compare_pairs", noted)
        compare(scored([[0.1, 0.2], [0.3, 0.5]], ("x", "y")), threads=1)
        assert asked == [1]


class TestResults:
    def test_counts_and_bounds_have_no_better_end(self) -> None:
        given = {"num_pages": 3.0, "AP.lower": 0.1, "AP.upper": 0.3, "AP.se": 0.1, "mine": 0.2}
        found = read_scores({"a": {"1": given}})
        assert found.better == ("neither", "neither", "neither", "neither", "higher")
        assert found.summaries == ("sum", "mean", "mean", "se", "mean")

    def test_scores_beside_a_frame(self) -> None:
        frame = pl.DataFrame({"run": ["y"], "topic": ["q0"], "measure": ["AP"], "value": [0.5]})
        found = read_scores([scored([[0.25]], ("x",)), frame])
        assert found.mean() == {"x": {"AP": 0.25}, "y": {"AP": 0.5}}


class TestStandardise:
    def test_what_is_undefined_stays_so_where_others_are_equal(self) -> None:
        found = standardise(scored([[0.5], [0.5], [math.nan]], ("a", "b", "c")))
        assert found.values[:2].ravel().tolist() == [0.0, 0.0]
        assert math.isnan(found.values[2, 0, 0])


class TestStatistics:
    def test_an_alpha_that_rounding_made_smaller(self) -> None:
        """1 − 0.9 is less than 0.1: (9 + 1) / (99 + 1) with 91 … 99 is no more than it."""
        assert reach(np.arange(1.0, 100), 1 - 0.9, exact=False) == 90.0

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
        assert usual_correction("t", 2) == "holm"

    def test_the_mean_shift_has_its_name_and_trials(self) -> None:
        told: list[int] = []
        x = np.random.default_rng(5).random((6, 3))
        found = compare_pairs(x, "bootstrap-shift", trials=20, progress=told.append)
        assert {pair.outcome.test for pair in found} == {"bootstrap test (mean shift)"}
        assert told == [20, 20, 20]

    @pytest.mark.parametrize(("systems", "enough"), [(52, True), (53, False)])
    def test_as_many_letters_as_there_are(self, systems: int, enough: bool) -> None:
        assert (letters(~np.eye(systems, dtype=bool)) is not None) is enough


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_a_verdict_is_the_tests(test: str) -> None:
    """Of 60 topics 40 are equal, 18 better, 2 much worse: the median is 0, the mean below it."""
    x = [0.5] * 40 + [0.51] * 18 + [0.0] * 2
    y = [0.5] * 40 + [0.5] * 18 + [0.9] * 2
    topics = [str(t) for t in range(60)]
    given = {"x": dict(zip(topics, x, strict=True)), "y": dict(zip(topics, y, strict=True))}
    assert cf.compare(given, "y", test=test).pairs[0].verdict == "better"


def test_enumerated_only_if_all_measures_were() -> None:
    """AP has 30 topics, P@5 eight of them: one is sampled, the other is not."""
    rng = np.random.default_rng(0)
    given = {
        run: {f"t{i}": {"AP": rng.random(), **({"P@5": rng.random()} if i < 8 else {})}
              for i in range(30)}
        for run in "ab"
    }  # fmt: skip
    for order in ("AP P@5", "P@5 AP"):
        assert "10,000 trials, seed 0" in procedure(cf.compare(given, measures=order))


def test_power_is_a_number() -> None:
    assert power_of_t(20, 1.0, 0.01, 0.001) == pytest.approx(1)


class TestHopeless:
    def test_few_topics(self) -> None:
        """Five topics can be swapped in 32 ways: 2 / 32 is more than 0.05."""
        found = compare(scored([[0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.45]], ("x", "y")))
        assert [n.kind for n in found.notices] == ["hopeless"]

    def test_few_trials_for_many_pairs(self) -> None:
        x = np.random.default_rng(3).random((5, 20))
        found = compare(scored(x, tuple("abcde")), test="randomisation", trials=99)
        assert "hopeless" in {n.kind for n in found.notices}  # 10 pairs × 1 / 100
        enough = compare(scored(x, tuple("abcde")), test="randomisation", trials=999)
        assert "hopeless" not in {n.kind for n in enough.notices}


def test_trials_are_too_few_for_the_level_that_is_asked_for() -> None:
    """p is about 0.011: on either side of 0.01, not of 0.05."""
    x = np.random.default_rng(8).normal(0.5, 0.2, (2, 40))
    x[0] += 0.14
    given = scored(x, ("x", "y"))
    p = compare(given, test="t").pairs[0].pvalue
    near = compare(given, trials=300, alpha=round(p, 4))
    assert [n.kind for n in near.notices] == ["trials"]
    assert "either side" in near.notices[0].text
    assert not [n for n in compare(given, trials=300, alpha=0.5).notices if "either" in n.text]


def test_pairs_by_name_or_number() -> None:
    x = {"a": [0.1, 0.2, 0.4], "b": [0.2, 0.4, 0.5], "c": [0.3, 0.3, 0.3]}
    by_name = compare_pairs(x, "t", pairs=[("c", "a")])
    by_number = compare_pairs(x, "t", pairs=[(2, 0)])
    assert (by_name[0].first, by_name[0].second) == (2, 0)
    assert by_name[0].pvalue == by_number[0].pvalue
    for wrong in ([("a", "z")], [(0, 5)], ["ab"]):
        with pytest.raises(cf.CranfieldError, match="found pair"):
            compare_pairs(x, "t", pairs=wrong)  # type: ignore[arg-type]


def test_one_way_takes_columns_as_groups() -> None:
    x = np.random.default_rng(4).random((20, 4))
    assert cf.stats.one_way(x).rows[0].df == 3
    assert pytest.approx(stats.f_oneway(*x.T).statistic) == cf.stats.one_way(x).rows[0].F


@pytest.mark.parametrize("trials", [999, 3000, 7000, 30_000])
def test_a_bound_holds(trials: int) -> None:
    assert 1 / (trials + 1) <= float(shown_p(1 / (trials + 1), trials, least=True)[1:])
    assert 1 / trials <= float(shown_p(1 / (trials + 1), trials, least=True)[1:])


def test_what_is_no_matrix_of_numbers() -> None:
    for wrong in (
        [["a", "b"], ["c", "d"]],
        [[1.0], [1.0, 2.0]],
        np.array([[1e200, 1.0], [2.0, 3.0]]),
    ):
        with pytest.raises(cf.CranfieldError):
            matrix(wrong)


@pytest.mark.parametrize("topics", [6, 30])
def test_pairs_together_are_as_one_by_one(topics: int) -> None:
    """More pairs than are drawn for at a time, on topics that are enumerated and that are not."""
    values = np.round(np.random.default_rng(5).random((topics, 12)), 1)
    pairs = [(i, j) for i in range(12) for j in range(i)]  # 66
    for (i, j), found in zip(pairs, randomisations(values, pairs, 500, 3), strict=True):
        alone = cf.stats.randomisation(values[:, i], values[:, j], 500, 3)
        assert (found.pvalue, found.sampled) == (alone.pvalue, alone.sampled)
        ours, theirs = found.confidence_interval(), alone.confidence_interval()
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
