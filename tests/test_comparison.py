"""`compare` in Python: pairs, letters, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.comparison import compare
from cranfield.comparison.tables import describe_procedure
from cranfield.meta.notes import collect_alpha_notes
from cranfield.stats.families import compare_each, compare_pairs
from cranfield.stats.letters import letters
from cranfield.stats.notes import note_trials
from cranfield.stats.result import Sampled
from tests.made import examples, scored, simulated
from tests.stats.made import TOPICS_RUNS


def two(x: list[float], y: list[float]) -> cf.Scores:
    return scored([x, y], ("x", "y"))


class TestPairs:
    def test_by_hand(self) -> None:
        """z = 0.1, 0.2, 0.3, −0.1: mean 0.125; as far from 0 are sums of ±0.5 and more."""
        found = compare(two([0.5, 0.5, 0.5, 0.5], [0.4, 0.3, 0.2, 0.6]))
        (pair,) = found.pairs
        assert (pair.run, pair.other, pair.topics) == ("x", "y", 4)
        assert pair.difference == pytest.approx(0.125)
        assert pair.pvalue == 6 / 16  # ±0.7, ±(0.7 − 2 · 0.1) in two ways
        assert (pair.wins, pair.ties, pair.losses) == (3, 0, 1)
        assert pair.verdict == ""
        assert found.test == "randomisation"
        assert found.enumerated
        sd = math.sqrt((0.025**2 + 0.075**2 + 0.175**2 + 0.225**2) / 3)
        assert pair.effect == pair.dz == pytest.approx(0.125 / sd)

    def test_a_difference_by_rounding_alone_is_a_tie(self) -> None:
        (pair,) = compare(two([0.1 + 0.2, 0.5], [0.3, 0.25])).pairs
        assert (pair.wins, pair.ties, pair.losses) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("test", "theirs"),
        [
            ("t", lambda x, y: stats.ttest_rel(x, y).pvalue),
            ("wilcoxon", lambda x, y: stats.wilcoxon(x, y).pvalue),
            ("sign", lambda x, y: stats.binomtest(int((x > y).sum()), len(x)).pvalue),
        ],
    )
    @pytest.mark.parametrize("correction", ["none", "bonferroni", "bh", "holm"])
    def test_tests_of_two_are_scipys_corrected(
        self, test: str, theirs: Callable[[Any, Any], float], correction: str
    ) -> None:
        scores = simulated(gap=0.01)
        found = compare(scores, test=test, correction=correction)
        values = dict(zip(scores.runs, scores.values[:, :, 0], strict=True))
        raw = np.array([theirs(values[p.run], values[p.other]) for p in found.pairs])
        assert [p.uncorrected for p in found.pairs] == pytest.approx(raw, rel=1e-9)
        step_down = {
            "none": raw,
            "bonferroni": np.minimum(1, 6 * raw),
            "bh": stats.false_discovery_control(raw),
        }
        if correction in step_down:
            assert [p.pvalue for p in found.pairs] == pytest.approx(step_down[correction], rel=1e-9)
        else:
            order = np.argsort(raw)
            held = np.minimum(1, np.maximum.accumulate(raw[order] * np.arange(6, 0, -1)))
            assert np.array([p.pvalue for p in found.pairs])[order] == pytest.approx(held, rel=1e-9)

    def test_holm_is_the_default_of_several_tests_of_two(self) -> None:
        assert compare(simulated(), test="t").correction == "holm"
        assert compare(simulated(2), test="t").correction == "none"
        assert compare(simulated()).correction == "none"

    def test_an_interval_without_0_is_significant(self) -> None:
        for test in ("randomised-tukey", "tukey", "t", "randomisation", "bootstrap"):
            found = compare(simulated(3, gap=0.03), test=test, correction="none", trials=999)
            assert any(p.verdict for p in found.pairs)
            for pair in found.pairs:
                assert (pair.low > 0 or pair.high < 0) == (pair.pvalue <= 0.05), (test, pair)

    def test_baselines_are_tested_with_all_runs(self) -> None:
        """With more than two runs, the null of Tukey's test is over all of them."""
        scores = simulated()
        every = compare(scores, trials=999)
        some = compare(scores, baseline="run0", trials=999)
        assert [(p.run, p.other) for p in some.pairs] == [
            ("run3", "run0"), ("run2", "run0"), ("run1", "run0")]  # fmt: skip
        for pair in some.pairs:
            assert pair.pvalue == every.pair(pair.run, "run0").pvalue

    def test_several_baselines(self) -> None:
        found = compare(simulated(), baseline=["run0", "run1"], trials=999)
        assert [(p.run, p.other) for p in found.pairs] == [
            ("run3", "run0"), ("run2", "run0"), ("run1", "run0"),
            ("run3", "run1"), ("run2", "run1")]  # fmt: skip
        best = next(r for r in found.runs if r.run == "run3")
        assert best.better_than == ("run0", "run1")
        assert best.worse_than == ()

    def test_lower_may_be_better(self) -> None:
        x = np.linspace(0.1, 0.5, 12)
        scores = scored([x, x + 0.2], ("few", "many"), "E", better=("lower",))
        (pair,) = compare(scores).pairs
        assert (pair.run, pair.other, pair.verdict) == ("few", "many", "better")
        assert pair.difference == pytest.approx(-0.2)
        assert (pair.wins, pair.losses) == (12, 0)

    def test_a_measure_without_a_better_end_has_no_verdict(self) -> None:
        x = np.linspace(0.1, 0.5, 12)
        scores = scored([x, x + 0.2], ("a", "b"), "Judged", better=("neither",))
        (pair,) = compare(scores).pairs
        assert pair.pvalue < 0.01
        assert pair.verdict == ""

    def test_geometric_means_are_compared_by_logarithms(self) -> None:
        values = [[0.1, 0.2, 0.4, 0.0], [0.2, 0.1, 0.8, 0.5]]
        scores = scored(values, ("a", "b"), "GMAP", summaries=("gmean",))
        found = compare(scores)
        logs = np.log(np.maximum(values, 1e-5)).mean(axis=1)
        assert found.pair("b", "a").difference == pytest.approx(logs[1] - logs[0])
        assert found.runs[1].mean == pytest.approx(math.exp(logs[0]))
        assert any(n.kind == "logarithms" for n in found.notes)

    def test_undefined_topics_are_left_out_and_named(self) -> None:
        values = [[0.1, math.nan, 0.4, 0.2], [0.2, 0.1, 0.8, 0.6]]
        scores = scored(values, ("a", "b"), undefined="skip")
        found = compare(scores)
        assert found.pairs[0].topics == 3
        (note,) = (n for n in found.notes if n.kind == "undefined")
        assert note.topics == ("q1",)

    def test_the_seed_decides_and_threads_do_not(self) -> None:
        scores = simulated(3, gap=0.01)
        first = compare(scores, trials=2000, seed=3, threads=1)
        again = compare(scores, trials=2000, seed=3, threads=3)
        other = compare(scores, trials=2000, seed=4)
        assert [p.pvalue for p in first.pairs] == [p.pvalue for p in again.pairs]
        assert [p.pvalue for p in first.pairs] != [p.pvalue for p in other.pairs]

    def test_the_order_of_topics_does_not_matter(self) -> None:
        scores = simulated(3, topics=7, gap=0.01)
        turned = scores.select(topics=list(reversed(scores.topics)))
        for a, b in zip(compare(scores, test="tukey").pairs,
                        compare(turned, test="tukey").pairs, strict=True):  # fmt: skip
            assert (a.run, a.other) == (b.run, b.other)
            assert a.pvalue == pytest.approx(b.pvalue, rel=1e-9)

    def test_effects(self) -> None:
        scores = two([0.5, 0.4, 0.9], [0.4, 0.2, 0.6])
        assert compare(scores).pairs[0].effect == pytest.approx(2)  # 0.2 / 0.1
        glass = 0.2 / np.std([0.4, 0.2, 0.6], ddof=1)
        assert compare(scores, effect="glass").pairs[0].effect == pytest.approx(glass)
        hedges = 2 / math.sqrt(math.pi)  # J(2) = 1 / √π
        assert compare(scores, effect="g").pairs[0].effect == pytest.approx(hedges)
        residual = math.sqrt(0.01 / 2)  # of two runs, half the variance of differences
        assert compare(scores, effect="anova").pairs[0].effect == pytest.approx(0.2 / residual)

    def test_movers(self) -> None:
        found = compare(two([0.5, 0.9, 0.3, 0.2], [0.5, 0.1, 0.2, 0.7]))
        moved = [(m.topic, round(m.difference, 4)) for m in found.movers(1)]
        assert moved == [("q1", 0.8), ("q3", -0.5)]

    def test_frame_and_repr(self) -> None:
        found = compare(simulated(3), trials=99)
        assert found.to_polars()["run"].to_list() == ["run2", "run2", "run1"]
        assert "run2 − run1" in repr(found)

    def test_people_see_no_p_of_0_and_a_few_notes(self) -> None:
        found = compare(simulated(6, gap=0.5), trials=1000)  # 15 pairs
        lines = repr(found).splitlines()
        assert len(lines) == 1 + 10 + 1 + len(found.notes)
        assert lines[5].startswith("AP: run5 − run0 = ")  # as far apart as can be
        assert lines[5].endswith(", p < 0.001")
        assert lines[11] == "… 5 more in .pairs"
        told = replace(found, notes=tuple(cf.Note("x", f"notice {i}") for i in range(7)))
        assert repr(told).splitlines()[-2:] == ["note: notice 4", "… 2 more in .notes"]

    def test_a_corrected_p_is_not_below_one_trial(self) -> None:
        """Of 99 trials none is as extreme: p = 1/100, by Bonferroni for 3 pairs 3/100."""
        found = compare(simulated(3, gap=0.5), test="randomisation", correction="bonferroni", trials=99)
        assert found.shown_p(found.pairs[0]) == "0.0300"
        assert ", p = 0.0300" in repr(found)

    def test_runs_that_are_the_same_are_named(self) -> None:
        values = simulated(3).values[:, :, 0]
        scores = scored([*values, values[1]], ("a", "b", "c", "d"))
        (note,) = (n for n in compare(scores, trials=99).notes if n.kind == "identical")
        assert note.text.startswith("2 runs (b, d) have identical scores by every measure")
        assert not any(n.kind == "identical" for n in compare(simulated(3), trials=99).notes)

    def test_tests_of_two_need_not_be_told_twice(self) -> None:
        x = [0.5, 0.25, 0.75]
        notes = compare(two(x, x), test="t").notes
        assert len([n for n in notes if n.kind == "identical"]) == 1

    @pytest.mark.parametrize(
        ("better", "bold"),
        [("higher", ["b", "c"]), ("lower", ["a"]), ("neither", [])],
    )
    def test_the_best_means_are_bold_in_papers(self, better: str, bold: list[str]) -> None:
        values = [[0.1, 0.3, 0.2], [0.6, 0.4, 0.5], [0.4, 0.5, 0.6]]  # means 0.2, 0.5, 0.5
        found = compare(scored(values, ("a", "b", "c"), better=(better,)), trials=99)
        shown = found.to_markdown("results")
        rows = [line.split("|")[1:3] for line in shown.splitlines() if "0." in line and "|" in line]
        assert sorted(run.strip() for run, mean in rows if "**" in mean) == bold
        assert ("Best in bold." in shown) == bool(bold)


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"baseline": "nobody"}, "found baseline 'nobody', expected one of 4 runs"),
            ({"test": "z"}, "found test 'z', expected one of randomised-tukey"),
            ({"alpha": 1.5}, "found alpha=1.5"),
            ({"correction": "holm"}, "allows for the number of systems by itself"),
            ({"correction": "x", "test": "t"}, "found correction 'x'"),
            ({"effect": "d"}, "found effect='d'"),
            ({"trials": 0}, "found trials=0"),
            ({"baseline": ["run0", "run1", "run2", "run3"]}, "found 4 baselines"),
        ],
    )
    def test_options(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(cf.CranfieldError) as error:
            compare(simulated(), **options)  # type: ignore[arg-type]
        assert said in str(error.value)

    def test_one_run(self) -> None:
        with pytest.raises(cf.CranfieldError, match="needs at least 2 runs, found 1"):
            compare(simulated(1))

    def test_one_topic(self) -> None:
        with pytest.raises(cf.CranfieldError, match="AP of 1 topic, expected at least 2"):
            compare(simulated(2, topics=1))

    def test_other_topics_are_not_paired_by_position(self) -> None:
        scores = {"a": {"q1": 0.5, "q2": 0.4}, "b": {"q3": 0.5, "q4": 0.4}}
        with pytest.raises(cf.CranfieldError, match="expected the same topics of every run"):
            compare(scores)
        with pytest.raises(cf.CranfieldError, match=r"2 runs \(a, b\) have no topic in common"):
            compare(scores, missing="common")


class TestLetters:
    def test_classes_of_a_chain(self) -> None:
        """a – c and b – d differ: three groups, ab, bc, cd."""
        different = np.zeros((4, 4), dtype=bool)
        for i, j in ((0, 2), (0, 3), (1, 3)):
            different[i, j] = different[j, i] = True
        assert letters(different) == ["a", "ab", "bc", "c"]

    def test_nothing_differs(self) -> None:
        assert letters(np.zeros((3, 3), dtype=bool)) == ["a", "a", "a"]

    def test_everything_differs(self) -> None:
        assert letters(~np.eye(3, dtype=bool)) == ["a", "b", "c"]

    def test_more_than_there_are_letters(self) -> None:
        assert letters(~np.eye(60, dtype=bool)) is None

    @given(st.integers(2, 7), st.data())
    @settings(max_examples=examples(60))
    def test_two_share_a_letter_if_they_do_not_differ(self, n: int, data: st.DataObject) -> None:
        different = np.zeros((n, n), dtype=bool)
        for i, j in combinations(range(n), 2):
            different[i, j] = different[j, i] = data.draw(st.booleans())
        found = letters(different)
        assert found is not None
        for i, j in combinations(range(n), 2):
            assert bool(set(found[i]) & set(found[j])) == (not different[i, j])
        groups = [{i for i in range(n) if letter in found[i]} for letter in sorted(set("".join(found)))]
        assert not any(a < b for a in groups for b in groups)


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
        (note,) = (n for n in found.notes if n.kind == "identical")
        assert note.text.startswith("AP, a – b: all 8 differences are 0")

    def test_effects_of_many_share_a_divisor(self) -> None:
        assert compare(scored(np.random.default_rng(4).random((3, 6)), tuple("abc"))).effect == ("anova")

    def test_threads_are_as_many_as_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def noted(*given: Any, **more: Any) -> Any:
            asked.append(more["threads"])
            return compare_each(*given, **more)

        monkeypatch.setattr("cranfield.comparison.compare_each", noted)
        compare(scored([[0.1, 0.2], [0.3, 0.5]], ("x", "y")), threads=1)
        assert asked == [1]


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
        assert "10,000 trials, seed 0" in describe_procedure(cf.compare(given, measures=order))


class TestHopeless:
    def test_few_topics(self) -> None:
        """Five topics can be swapped in 32 ways: 2 / 32 is more than 0.05."""
        found = compare(scored([[0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.45]], ("x", "y")))
        assert [n.kind for n in found.notes] == ["hopeless"]

    def test_few_trials_for_many_pairs(self) -> None:
        x = np.random.default_rng(3).random((5, 20))
        found = compare(scored(x, tuple("abcde")), test="randomisation", trials=99)
        assert "hopeless" in {n.kind for n in found.notes}  # 10 pairs × 1 / 100
        enough = compare(scored(x, tuple("abcde")), test="randomisation", trials=999)
        assert "hopeless" not in {n.kind for n in enough.notes}


def test_trials_are_too_few_for_the_level_that_is_asked_for() -> None:
    """p is about 0.011: on either side of 0.01, not of 0.05."""
    x = np.random.default_rng(8).normal(0.5, 0.2, (2, 40))
    x[0] += 0.14
    given = scored(x, ("x", "y"))
    p = compare(given, test="t").pairs[0].pvalue
    near = compare(given, trials=300, alpha=round(p, 4))
    assert [n.kind for n in near.notes] == ["trials"]
    assert "either side" in near.notes[0].text
    assert not [n for n in compare(given, trials=300, alpha=0.5).notes if "either" in n.text]


def test_more_trials_do_not_help_where_all_outcomes_were_counted() -> None:
    """6 topics that all differ the same way: p = 2 / 64, exactly α."""
    x = np.column_stack([np.arange(6.0), np.arange(6.0) + 1])
    tested = compare_pairs(x, "randomisation", axes=TOPICS_RUNS)
    assert tested[0].pvalue == 2 / 64
    assert collect_alpha_notes({"AP": tested}, 2 / 64) == ()


def hopeless(topics: int, runs: int, correction: str) -> bool:
    x = np.random.default_rng(0).random((runs, topics))
    scores = {f"r{i}": {str(t): float(v) for t, v in enumerate(row)} for i, row in enumerate(x)}
    found = cf.compare(scores, test="randomisation", correction=correction)
    return any(note.kind == "hopeless" for note in found.notes)


def test_so_few_topics_that_nothing_can_be_significant() -> None:
    """The smallest p-value is 2 / 2ⁿ: 0.0625 of 5 topics, 0.031 of 6; times 3 pairs 0.094."""
    assert hopeless(5, 2, "none")
    assert not hopeless(6, 2, "none")
    assert not hopeless(6, 3, "none")
    assert hopeless(6, 3, "holm")


def test_trials_are_few_by_the_level_asked_for() -> None:
    """p is near 0.05, which is no matter at 0.5."""
    z = np.random.default_rng(1).normal(0.08, 0.2, 30)
    runs = {
        "a": {str(t): 1 + float(v) for t, v in enumerate(z)},
        "b": {str(t): 1.0 for t in range(30)},
    }
    told = [[note.kind for note in cf.compare(runs, trials=300, alpha=alpha).notes] for alpha in (0.05, 0.5)]
    assert told == [["trials"], []]


# What a second review found


def test_trials_are_too_few_by_the_corrected_p_value() -> None:
    """Of three tests: 3 · 0.019 is near 0.05, 3 · 0.049 is not; errors are three times as large."""
    near, far = Sampled(37, 1999, seed=0), Sampled(97, 1999, seed=0)  # p = 0.019, 0.049
    assert "0.0570" in note_trials(near, 0.05, 3 * near.pvalue)[0].text
    assert note_trials(near, 0.05) == ()
    assert note_trials(far, 0.05, 3 * far.pvalue) == ()
    assert len(note_trials(far, 0.05)) == 1


def constant_steps(*names: str) -> dict[str, dict[str, float]]:
    return {name: {str(t): t / 50 + i / 10 for t in range(12)} for i, name in enumerate(names)}


def test_a_baseline_that_is_worse_than_another_is_no_failure() -> None:
    found = cf.compare(constant_steps("old", "prod", "new"), ["prod", "old"])
    assert found.pair("old", "prod").verdict == "worse"
    assert found.worse == ()
    told = {run.run: (run.better_than, run.worse_than) for run in found.runs}
    assert told == {"new": (("prod", "old"), ()), "prod": (("old",), ()), "old": ((), ("prod",))}


def test_counts_can_differ_significantly() -> None:
    values = np.arange(10.0)[None, :, None] + np.array([0.0, 5.0])[:, None, None]
    topics = tuple(map(str, range(10)))
    scores = cf.Scores(values, ("a", "b"), topics, ("NumRet",), ("sum",), better=("neither",))
    found = cf.compare(scores)
    assert (len(found.significant), found.pairs[0].verdict) == (1, "")


def test_several_tests_without_a_correction() -> None:
    """Three pairs of three runs: 1 − 0.95³ = 0.14; one test, or Tukey's of all, is no reason."""

    def told(runs: int, **how: Any) -> list[str]:
        found = compare(simulated(runs), **how)
        return [note.text for note in found.notes if note.kind == "family"]

    (text,) = told(3, test="t", correction="none")
    assert text.startswith("3 tests by each measure, each at α = 0.05, uncorrected: ")
    assert text.endswith("significant with probability 0.14")
    assert not told(2, test="t", correction="none")
    assert not told(3, test="t", correction="holm")
    assert not told(3, test="tukey")


def test_a_pair_that_is_not_there_is_told_by_measure() -> None:
    scores = {run: {str(t): {"AP": t / 9, "RR": t / 8} for t in range(4)} for run in "ab"}
    found = compare(scores)
    with pytest.raises(cf.InputError, match=r"^found measure 'MAP', expected one of 2 measures \(AP, RR"):
        found.pair("a", "b", "MAP")
    with pytest.raises(cf.InputError, match=r"a – c by RR, expected one of 1 pair \(a – b\)$"):
        found.pair("a", "c", "RR")
