"""Several systems at once: Tukey's HSD, randomised and not."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import InputError
from cranfield.stats.anova import two_way
from cranfield.stats.paired import randomisation, t_test
from cranfield.stats.samples import to_matrix
from cranfield.stats.tukey import (
    Family,
    build_studentised_range,
    randomised_tukey_hsd,
    run_randomised_tukey_hsds,
    tukey_hsd,
)
from tests.evidence import checks
from tests.made import examples, scored
from tests.stats.made import TOPICS_RUNS, close, normal

Tenths = list[list[int]]


def tables(topics: tuple[int, int] = (1, 3), systems: tuple[int, int] = (2, 3)) -> st.SearchStrategy[Tenths]:
    """Scores like P@10, in tenths: a row for each topic, and many ties."""
    return st.tuples(st.integers(*topics), st.integers(*systems)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 10), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


# -- randomised Tukey HSD -------------------------------------------------------------------------


def figure_15(tenths: Tenths, strict: bool) -> dict[tuple[int, int], Fraction]:
    """Figure 15 of seed 001 with every order of every row in place of B random ones, exactly."""
    n = len(tenths)
    rows = [[Fraction(x, 10) for x in row] for row in tenths]
    pairs = list(combinations(range(len(rows[0])), 2))
    mean = [sum(column) / n for column in zip(*rows, strict=True)]
    count = dict.fromkeys(pairs, 0)
    outcomes = list(product(*(list(permutations(row)) for row in rows)))
    for permuted in outcomes:
        means = [sum(column) / n for column in zip(*permuted, strict=True)]
        largest = max(means) - min(means)
        for x, y in pairs:
            difference = abs(mean[x] - mean[y])
            count[x, y] += largest > difference or (largest == difference and not strict)
    return {pair: Fraction(c, len(outcomes)) for pair, c in count.items()}


@checks("cf.stats.randomised_tukey_hsd", against="enumeration")
@given(tables(), st.booleans())
@example([[0, 0]], True)
@settings(max_examples=examples(40))
def test_enumeration_is_figure_15(tenths: Tenths, strict: bool) -> None:
    """In exact arithmetic, in which ties are ties."""
    found = randomised_tukey_hsd(np.array(tenths) / 10, strict=strict, axes=TOPICS_RUNS)
    assert found.exact
    assert found.trials == math.factorial(len(tenths[0])) ** (len(tenths) - 1)
    for (x, y), asl in figure_15(tenths, strict).items():
        assert found.pvalues[x, y] == found.pvalues[y, x] == float(asl)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("strict", [False, True])
def test_ties_are_ties_on_any_scale(scale: float, strict: bool) -> None:
    """The unit that scores are in does not matter, though rounding grows with it."""
    tenths = [[1, 3, 7], [2, 9, 6], [7, 1, 4]]
    found = randomised_tukey_hsd(np.array(tenths) / 10 * scale, strict=strict, axes=TOPICS_RUNS)
    for (x, y), asl in figure_15(tenths, strict).items():
        assert found.pvalues[x, y] == float(asl)


def test_one_topic() -> None:
    """Errata of seed 001: two runs, one topic: 0 as Figure 15 prints it, against 1."""
    scores = {"a": {"301": 0.25}, "b": {"301": 0.5}}
    assert randomised_tukey_hsd(scores, strict=True).pair("a", "b").pvalue == 0
    assert randomised_tukey_hsd(scores).pair("a", "b").pvalue == 1


@given(tables(topics=(1, 8), systems=(2, 2)), st.booleans())
@settings(max_examples=examples(40))
def test_two_systems_are_the_randomisation_test(tenths: Tenths, strict: bool) -> None:
    scores = np.array(tenths) / 10
    flips = randomisation(scores[:, 0], scores[:, 1], strict=strict)
    found = randomised_tukey_hsd(scores, strict=strict, axes=TOPICS_RUNS).pair("1", "2")
    assert found.pvalue == flips.pvalue
    assert found.difference == close(flips.difference)


def test_sampling_converges_to_enumeration() -> None:
    """(3!)³ = 216 ways; of 200 trials, none is enumerated."""
    scores = np.array([[1, 3, 5], [2, 2, 9], [0, 4, 6], [5, 6, 8]]) / 10
    exact, sampled = (
        randomised_tukey_hsd(scores, trials=216, axes=TOPICS_RUNS),
        randomised_tukey_hsd(scores, 200, axes=TOPICS_RUNS),
    )
    assert (exact.exact, exact.trials, exact.seed) == (True, 216, None)
    assert (sampled.exact, sampled.trials, sampled.seed) == (False, 200, 0)
    several = [randomised_tukey_hsd(scores, 200, seed, axes=TOPICS_RUNS).pvalues for seed in range(50)]
    assert np.abs(np.mean(several, axis=0) - exact.pvalues).max() < 0.02  # 4 √(¼ / 10,000)


def test_p_values_count_the_data_as_a_trial() -> None:
    found = randomised_tukey_hsd(normal(10, 3), trials=99, axes=TOPICS_RUNS)
    assert found.counts is not None
    assert found.pvalues.tolist() == ((found.counts + 1) / 100).tolist()
    sampled = found.pair("1", "2").sampled
    assert sampled is not None
    assert sampled.pvalue == found.pvalues[0, 1]
    assert sampled.asl == found.counts[0, 1] / 99
    far = normal(10, 3) + np.array([0, 0, 100])
    assert randomised_tukey_hsd(far, trials=99, axes=TOPICS_RUNS).pair("1", "3").pvalue == 0.01


def test_the_same_on_any_number_of_threads() -> None:
    scores = normal(50, 20)
    done: list[int] = []
    found = [
        randomised_tukey_hsd(scores, 2000, seed=7, threads=threads, progress=done.append, axes=TOPICS_RUNS).pvalues
        for threads in (None, 1, 2, 3)
    ]
    assert all(np.array_equal(found[0], other) for other in found[1:])
    assert len(done) > 4  # several chunks each
    assert sum(done) == 4 * 2000
    assert not np.array_equal(found[0], randomised_tukey_hsd(scores, 2000, seed=8, axes=TOPICS_RUNS).pvalues)


def test_several_together_are_each_as_alone() -> None:
    """They share trials where their shapes are the same, and draw what each would have drawn."""
    made = [normal(50, 20), normal(9, 4), normal(50, 20) ** 3, normal(2, 3), normal(9, 4) + 1]
    done: list[int] = []
    every = [to_matrix(x, axes=TOPICS_RUNS) for x in made]
    found = run_randomised_tukey_hsds(every, 2000, seed=7, progress=done.append)
    for scores, together in zip(made, found, strict=True):
        alone = randomised_tukey_hsd(scores, 2000, seed=7, axes=TOPICS_RUNS)
        for name in ("pvalues", "counts", "differences"):
            assert np.array_equal(getattr(together, name), getattr(alone, name))
        assert together.critical() == alone.critical()
        assert (together.exact, together.trials) == (alone.exact, alone.trials)
    assert [one.exact for one in found] == [False, False, False, True, False]
    assert sum(done) == 4 * 2000 + 6  # 3! orders of a topic


@checks("cf.stats.randomised_tukey_hsd", against="simulation")
def test_family_wise_error_of_skewed_scores() -> None:
    """Equal systems, exponential scores: any pair is found with p ≤ 0.05 in 5% of experiments.

    For continuous scores (count + 1) / 200 is uniform on 1/200 … 1. Of 1,000 experiments, 50 with
    a standard deviation of √(1000 · 0.05 · 0.95) = 6.9; four of them are allowed.
    """
    scores = np.random.default_rng(1).exponential(size=(1000, 8, 4))
    found = [randomised_tukey_hsd(x, 199, seed=e, axes=TOPICS_RUNS) for e, x in enumerate(scores)]
    errors = sum(family.pvalues.min() <= 0.05 for family in found)
    assert 50 - 28 <= errors <= 50 + 28


def test_a_family_has_one_note_about_trials() -> None:
    found = randomised_tukey_hsd(normal(20, 12), trials=20, axes=TOPICS_RUNS)
    (note,) = found.notes
    assert note.kind == "trials"
    assert "other pairs" in note.text
    first = note.text.split("(")[1].split(", and")[0].split(" and ")
    assert [one.kind for one in found.pair(*first).notes] == ["trials"]
    assert found.pair("1", "2").notes == ()


# -- Tukey HSD ------------------------------------------------------------------------------------


def test_a_system_far_from_the_others_is_told() -> None:
    """The variance of what is permuted is NumPy's, with and without d, which is 0.5 lower."""
    rng = np.random.default_rng(1)
    near = 0.5 + rng.normal(0, 0.1, (60, 3))
    both = np.column_stack([near, near[:, 0] - 0.5])
    found = randomised_tukey_hsd(dict(zip("abcd", both.T, strict=True)), trials=500)
    times = math.sqrt(both.var(axis=1, ddof=1).mean() / near.var(axis=1, ddof=1).mean())
    (text,) = (note.text for note in found.notes if note.kind == "far")
    assert text.startswith("the mean of d is farther from all other means than their range")
    assert f"d makes the intervals of other pairs {times:.2g} times as wide: decide" in text
    for x, y, outcome in found.pairs():
        assert ("far" in {note.kind for note in outcome.notes}) == ("d" not in (x, y))
    alone = randomised_tukey_hsd(near, trials=500, axes=TOPICS_RUNS)
    assert found.critical() > times * alone.critical()  # and there are more pairs


@pytest.mark.parametrize(("lower", "systems"), [(0.1, 3), (0.5, 2)])
def test_a_system_that_is_not_far_or_of_few_is_not(lower: float, systems: int) -> None:
    near = 0.5 + np.random.default_rng(1).normal(0, 0.1, (60, systems))
    both = np.column_stack([near, near[:, 0] - lower])
    notes = randomised_tukey_hsd(both, trials=500, axes=TOPICS_RUNS).notes
    assert "far" not in {note.kind for note in notes}


def test_compare_outlier_is_noted_for_undecided_pairs_of_others_alone() -> None:
    """d is 0.5 lower. Of pairs with d, and of others that all differ, nothing depends on it."""
    rng = np.random.default_rng(1)
    near, apart = rng.normal(0.5, 0.1, (60, 3)), rng.normal([0.8, 0.7, 0.6], 0.01, (400, 3))
    for values, baseline, is_noted in (
        (near, None, True), (near, "a", True), (near, "d", False), (apart, None, False)
    ):  # fmt: skip
        rows = [*values.T, values[:, 0] - 0.5]
        found = cf.compare(scored(rows, tuple("abcd")), baseline, trials=500)
        texts = [note.text for note in found.notes if note.kind == "far"]
        assert len(texts) == is_noted
        assert all("the mean of d is farther" in text for text in texts)


def test_randomised_tukey_hsd_system_that_varies_most_is_no_outlier() -> None:
    """The third of four means, 0.4, is among the others, though its scores are far from theirs."""
    topics = np.arange(40)
    rows = [
        0.5 + 0 * topics,
        0.45 + 0.01 * (topics % 2),
        0.4 + 0.4 * (-1.0) ** topics,
        0.3 + 0 * topics,
    ]
    notes = randomised_tukey_hsd(dict(zip("abcd", rows, strict=True)), trials=500).notes
    assert "far" not in {note.kind for note in notes}


def test_two_systems_are_the_paired_t_test() -> None:
    for seed in range(5):
        x, y = normal(12, 2, seed).T
        pair, t = tukey_hsd({"x": x, "y": y}).pair("x", "y"), t_test(x, y)
        assert pair.pvalue == close(t.pvalue, abs=1e-12)
        assert pair.statistic == close(abs(t.statistic) * math.sqrt(2))
        ours, theirs = pair.confidence_interval(0.9), t.confidence_interval(0.9)
        assert (ours.low, ours.high) == close((theirs.low, theirs.high), abs=1e-9)


@checks("cf.stats.tukey_hsd", against="by hand")
def test_three_systems_by_hand() -> None:
    """Means 2, 3 and 7 of three topics.

    Without effects of topics (0, 0, 0) and systems, residuals are 1 −1 0, −1 1 0, 0 0 0: of squares
    4, V_E2 = 4 / ((3 − 1)(3 − 1)) = 1. t = 1 / √(1/3) = √3 for a and b, 5 √3 for a and c.
    """
    found = tukey_hsd([[3, 2, 7], [1, 4, 7], [2, 3, 7]], axes=TOPICS_RUNS)
    assert found.df == 4
    assert found.statistics is not None
    assert found.statistics[0].tolist() == close([0, math.sqrt(3), 5 * math.sqrt(3)])
    assert found.differences[0].tolist() == close([0, -1, -5])
    # tables have q = 5.04 for three means, 4 degrees of freedom and 0.05
    assert found.critical(0.05) == close(5.04 / math.sqrt(3), abs=0.005)


@pytest.mark.parametrize(
    ("alpha", "m", "df", "q"),
    [(0.05, 2, 10, 3.15), (0.05, 3, 10, 3.88), (0.01, 3, 10, 5.27), (0.05, 4, 20, 3.96)],
)
def test_studentised_range_of_the_tables(alpha: float, m: int, df: int, q: float) -> None:
    """As every book on the analysis of variance prints it, to two decimals."""
    tail = build_studentised_range(m, df)
    assert tail(q - 0.005) > alpha > tail(q + 0.005)


@pytest.mark.parametrize(("m", "df"), [(2, 1), (3, 4), (5, 45), (30, 29), (100, 4851)])
def test_studentised_range_of_scipy(m: int, df: int) -> None:
    from scipy.stats import studentized_range

    tail, middle = build_studentised_range(m, df), math.sqrt(2 * math.log(m)) * 2
    for q in (0.5 * middle, middle, 1.5 * middle):
        assert tail(q) == close(float(studentized_range.sf(q, m, df)), abs=1e-10)
    assert (tail(0.0), tail(math.inf)) == close((1.0, 0.0), abs=1e-13)


@checks("cf.stats.tukey_hsd", against="simulation")
def test_family_wise_error_of_normal_scores() -> None:
    """5% of 400 experiments, with four standard deviations √(400 · 0.05 · 0.95) = 4.4."""
    scores = np.random.default_rng(2).normal(size=(400, 6, 3))
    errors = sum(tukey_hsd(x, axes=TOPICS_RUNS).pvalues.min() <= 0.05 for x in scores)
    assert 20 - 17 <= errors <= 20 + 17


def test_randomised_and_classical_agree_on_normal_scores() -> None:
    """To the Monte-Carlo error of 10,000 trials (4 √(¼ / 10,000)), and 0.01 for 60 topics."""
    scores = normal(60, 6, seed=3)
    ours, classical = (
        randomised_tukey_hsd(scores, axes=TOPICS_RUNS),
        tukey_hsd(scores, axes=TOPICS_RUNS),
    )
    assert np.abs(ours.pvalues - classical.pvalues).max() < 0.03
    assert 0.05 < classical.pvalues.min() < 0.95  # something to compare
    assert ours.critical(0.05) == close(classical.critical(0.05), rel=0.03)


@pytest.mark.parametrize(("shift", "kind", "p"), [(0.0, "identical", 1), (0.1, "constant", 0)])
def test_systems_that_differ_by_a_constant(shift: float, kind: str, p: float) -> None:
    x = np.array([0.1, 0.7, 0.3])
    found = tukey_hsd({"a": x, "b": x + shift, "c": x + 2 * shift})
    assert [note.kind for note in found.notes] == [kind]
    assert found.pair("a", "c").pvalue == close(p, abs=1e-12)
    assert (abs(found.differences[0, 2]) > found.critical(0.05)) == (p == 0)


# -- families, however they were found ------------------------------------------------------------


def families(tenths: Tenths) -> list[Family]:
    scores = np.array(tenths) / 10
    return [
        randomised_tukey_hsd(scores, axes=TOPICS_RUNS),
        randomised_tukey_hsd(scores, strict=True, axes=TOPICS_RUNS),
        randomised_tukey_hsd(scores, trials=20, axes=TOPICS_RUNS),
        tukey_hsd(scores, axes=TOPICS_RUNS),
    ]


@given(tables(topics=(3, 4), systems=(2, 3)), st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5]))
@example([[0, 0]] * 3, 0.05)
@settings(max_examples=examples(25))
def test_critical_difference_and_p_values_tell_the_same(tenths: Tenths, alpha: float) -> None:
    for found in families(tenths):
        off = ~np.eye(len(found.systems), dtype=bool)
        beyond = np.abs(found.differences) > found.critical(alpha)
        if found.smallest_pvalue > alpha:  # no difference of so few topics is significant
            assert found.critical(alpha) == math.inf
            continue
        assert (beyond == (found.pvalues <= alpha))[off].all()
        for x, y, outcome in found.pairs():
            interval = outcome.confidence_interval(1 - alpha)
            assert interval == found.confidence_interval(x, y, 1 - alpha)
            clear = (interval.low > 0) | (interval.high < 0)
            assert clear == (outcome.pvalue <= alpha)


@given(tables(topics=(3, 3), systems=(3, 3)))
@settings(max_examples=examples(25))
def test_p_values_fall_as_differences_grow(tenths: Tenths) -> None:
    for found in families(tenths):
        assert (np.diag(found.pvalues) == 1).all()
        assert np.array_equal(found.pvalues, found.pvalues.T)
        assert np.array_equal(found.differences, -found.differences.T)
        difference, p = (x[np.triu_indices(3, 1)] for x in (found.differences, found.pvalues))
        assert (np.diff(p[np.argsort(-np.abs(difference), kind="stable")]) >= -1e-9).all()


@given(tables(topics=(2, 4), systems=(3, 3)), st.permutations(range(3)))
@settings(max_examples=examples(25))
def test_order_of_systems_does_not_matter(tenths: Tenths, order: list[int]) -> None:
    scores = np.array(tenths) / 10
    moved = np.ix_(order, order)
    exact, again = (
        randomised_tukey_hsd(scores, axes=TOPICS_RUNS),
        randomised_tukey_hsd(scores[:, order], axes=TOPICS_RUNS),
    )
    assert np.array_equal(exact.pvalues[moved], again.pvalues)
    assume(two_way(scores, axes=TOPICS_RUNS).residual.mean_square > 1e-6)  # p of 0 / 0 would be rounding
    classical, again = (
        tukey_hsd(scores, axes=TOPICS_RUNS),
        tukey_hsd(scores[:, order], axes=TOPICS_RUNS),
    )
    assert np.allclose(classical.pvalues[moved], again.pvalues, rtol=0, atol=1e-10)


def test_topics_are_paired_by_name() -> None:
    a, b = {"301": 0.1, "302": 0.9, "303": 0.4}, {"303": 0.5, "301": 0.3, "302": 0.8}
    by_name, by_hand = (
        tukey_hsd({"a": a, "b": b}),
        tukey_hsd([[0.1, 0.3], [0.9, 0.8], [0.4, 0.5]], axes=TOPICS_RUNS),
    )
    assert np.array_equal(by_name.pvalues, by_hand.pvalues)
    with pytest.raises(InputError, match="304"):
        randomised_tukey_hsd({"a": {**a, "304": 0.5}, "b": b})
    common = randomised_tukey_hsd({"a": {**a, "304": 0.5}, "b": b}, topics="common")
    assert common.n == 3


def test_what_a_family_refuses() -> None:
    found = randomised_tukey_hsd({"bm25": [0.1, 0.2], "dense": [0.3, 0.1]})
    with pytest.raises(InputError, match=r"system 'bm52', expected 2 systems \(bm25, dense\)"):
        found.pair("bm25", "bm52")
    with pytest.raises(InputError, match="between 0 and 1"):
        found.critical(1.5)
    with pytest.raises(InputError, match="trials=0"):
        randomised_tukey_hsd([[1, 2], [3, 4]], trials=0, axes=TOPICS_RUNS)
    with pytest.raises(InputError, match="at least 2"):
        tukey_hsd([[1, 2]], axes=TOPICS_RUNS)


def test_no_difference_is_significant_with_too_few_trials() -> None:
    """p is 1/20 at least."""
    found = randomised_tukey_hsd(normal(10, 3), trials=19, axes=TOPICS_RUNS)
    assert found.critical(0.04) == math.inf
    assert found.critical(0.06) < math.inf


def test_compare_with_baseline_computes_only_requested_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 30 runs and one baseline, 29 p-values and not 435; they are those of all pairs."""
    rng = np.random.default_rng(3)
    scores = {f"r{i}": {str(t): float(x) for t, x in enumerate(rng.random(12) + i / 50)} for i in range(30)}
    every = {test: cf.compare(scores, test=test, trials=200) for test in ("tukey", None)}
    calls: list[float] = []

    def counted(m: int, df: float) -> Callable[[float], float]:
        upper_tail = build_studentised_range(m, df)

        def tail(q: float) -> float:
            calls.append(q)
            return upper_tail(q)

        return tail

    monkeypatch.setattr("cranfield.stats.tukey.build_studentised_range", counted)
    for test, all_pairs in every.items():
        found = cf.compare(scores, "r0", test=test, trials=200)
        assert len(found.pairs) == 29
        known = {frozenset((p.run, p.other)): (p.pvalue, abs(p.difference)) for p in all_pairs.pairs}
        for pair in found.pairs:
            assert known[frozenset((pair.run, pair.other))] == (pair.pvalue, abs(pair.difference))
    assert len(calls) < 29 + 70  # of which some 60 find the interval


def test_family_arrays_equal_those_of_pairs() -> None:
    rng = np.random.default_rng(4)
    data = {name: rng.random(9).tolist() for name in "abcd"}
    for family in (tukey_hsd(data), randomised_tukey_hsd(data, trials=99)):
        for i, x in enumerate(family.systems):
            for j, y in enumerate(family.systems):
                pair = family.pair(x, y)
                assert pair.pvalue == family.pvalues[i, j]
                assert pair.difference == family.differences[i, j]
                if family.statistics is not None:
                    assert pair.statistic == family.statistics[i, j]
                if family.counts is not None and pair.sampled is not None:
                    assert pair.sampled.count == family.counts[i, j]
