"""The gate: its decisions by SciPy's intervals, its error rates, and what it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.stats.gate import within_margin
from cranfield.stats.paired import find_smallest_rank_p, find_smallest_sign_p, find_smallest_t_p
from cranfield.stats.power import MAX_TOPICS, topics_to_decide
from tests.evidence import checks
from tests.made import examples, scored

SCORES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=30).filter(
    lambda pairs: len({x - y for x, y in pairs}) > 1
)
MARGINS = st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0])


def old_and_new(losses: list[float], topics: int) -> cf.Comparison:
    """A baseline of 0.5 everywhere, and a run that loses so much on some topics."""
    z = np.zeros(topics)
    z[: len(losses)] = losses
    return cf.compare(scored([np.full(topics, 0.5), 0.5 - z], ("old", "new")), "old")


def by_hand(low: float, high: float, margin: float) -> str:
    return "pass" if low >= -margin else "fail" if high < 0 else "undecided"


# The decision


@checks("cf.stats.within_margin", against="SciPy")
@given(SCORES, MARGINS)
def test_it_is_scipys_interval_that_decides(pairs: list[tuple[int, int]], margin: float) -> None:
    x, y = np.array(pairs, dtype=float).T
    found = within_margin(x, y, margin, trials=10)
    theirs = stats.ttest_rel(x, y).confidence_interval(0.9)
    assert (found.interval.low, found.interval.high) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    near = min(abs(theirs.low + margin), abs(theirs.high)) < 1e-9
    assert near or found.decision == by_hand(theirs.low, theirs.high, margin)


@checks("cf.stats.topics_to_decide", against="second writing")
@given(SCORES, st.sampled_from([0.5, 1.0, 3.0]))
def test_topics_needed_are_the_fewest_that_decide(pairs: list[tuple[int, int]], margin: float) -> None:
    """The same mean and deviation with so many topics decide, with one topic less they do not."""
    z = np.subtract(*np.array(pairs, dtype=float).T)
    found = within_margin(z, np.zeros(len(z)), margin, trials=10)
    if found.decision != "undecided":
        assert found.needed is None
        return
    assert found.needed is not None
    assert found.needed > len(z)
    for n, decided in ((found.needed, True), (found.needed - 1, False)):
        reach = stats.t.ppf(0.95, n - 1) * z.std(ddof=1) / math.sqrt(n)
        low, high = z.mean() - reach, z.mean() + reach
        if min(abs(low + margin), abs(high)) > 1e-9:
            assert (by_hand(low, high, margin) != "undecided") == decided


@pytest.mark.parametrize("factor", [1, 10, 100])
def test_rounding_does_not_decide(factor: int) -> None:
    """All topics lose 0.1, or 0.3 − 0.2 or 0.4 − 0.3, which is not the same: that is the margin."""
    x, y = np.array([0.2, 0.3, 0.9, 0.1]) * factor, np.array([0.3, 0.4, 1.0, 0.2]) * factor
    assert within_margin(x, y, 0.1 * factor, trials=10).decision == "pass"
    assert within_margin(x, y, 0.099 * factor, trials=10).decision == "fail"
    assert within_margin(x, x + 1e-17, 0.0, trials=10).decision == "pass"


@checks("cf.stats.within_margin", against="simulation")
def test_error_rates() -> None:
    """A run worse by the margin passes, and one as good fails, with probability 0.05 each."""
    random = np.random.default_rng(7)
    z = random.normal(0, 1, (2000, 20))
    wrong = {-0.5: 0, 0.0: 0}
    for true, bad in ((-0.5, "pass"), (0.0, "fail")):
        for row in z + true:
            wrong[true] += within_margin(row, np.zeros(20), 0.5, trials=1).decision == bad
    for count in wrong.values():
        assert count == pytest.approx(2000 * 0.05, abs=3 * math.sqrt(2000 * 0.05 * 0.95))


def test_false_passes_are_more_frequent_with_long_left_tails() -> None:
    """Losses are exponential, and the margin is their mean: 10% of 25 topics, as is documented."""
    losses = np.random.default_rng(11).exponential(1, (2000, 25))
    passes = sum(within_margin(-z, 0 * z, 1.0, trials=1).decision == "pass" for z in losses)
    assert passes / 2000 == pytest.approx(0.10, abs=0.02)


def test_the_bootstrap_interval_is_wider_where_the_tail_is() -> None:
    """With a long left tail it reaches further down, and less far up: Hall 1992."""
    z = np.array([0.02] * 36 + [-0.4] * 4)
    found = within_margin(z, np.zeros(40), 0.05)
    assert found.bootstrap.low < found.interval.low
    assert found.bootstrap.high < found.interval.high
    mean, error = z.mean(), z.std(ddof=1) / math.sqrt(40)
    drawn = np.random.default_rng(1).choice(z - mean, (20_000, 40))
    spread = drawn.std(axis=1, ddof=1)
    t = np.divide(drawn.mean(axis=1) * math.sqrt(40), spread, where=spread > 1e-9,
                  out=np.full(len(drawn), math.inf))  # fmt: skip
    ends = mean - np.quantile(t, [0.95, 0.05]) * error
    assert (found.bootstrap.low, found.bootstrap.high) == pytest.approx(ends, rel=0.05)


def test_more_topics_than_anybody_has() -> None:
    assert topics_to_decide(0.0, 1.0, 0.0) is None
    assert topics_to_decide(-1e-9, 1.0, 0.0) is None
    enough = topics_to_decide(-0.01, 1.0, 0.0)
    assert enough is not None
    assert 27_000 < enough < 27_100 < MAX_TOPICS  # (1.645 / 0.01)² = 27,055


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf, "0.1", True, None])
def test_what_is_no_margin(margin: object) -> None:
    with pytest.raises(cf.InputError, match="expected a number ≥ 0"):
        within_margin([1, 2], [1, 3], margin)  # type: ignore[arg-type]


# The smallest p-value that topics can show


@given(st.integers(1, 5), st.integers(0, 2))
@settings(max_examples=examples(25))
def test_no_differences_of_so_many_topics_have_a_smaller_p(differ: int, equal: int) -> None:
    random = np.random.default_rng(differ * 100 + equal)
    zeros, n = np.zeros(equal), differ + equal
    for _ in range(3):
        z = np.concatenate([random.normal(0.5, 0.5, differ), zeros])
        if n > 1:
            assert stats.ttest_1samp(z, 0).pvalue >= find_smallest_t_p(z) - 1e-12
        assert cf.stats.sign_test(z, np.zeros(n)).pvalue >= find_smallest_sign_p(z)
        assert cf.stats.wilcoxon(z, np.zeros(n)).pvalue >= find_smallest_rank_p(z) - 1e-12
    assert find_smallest_sign_p(z) == min(1.0, 2 * 0.5**differ)


def test_random_trials_of_few_topics_that_differ_are_near_the_least() -> None:
    """2 / 2⁵ of all signs; 10,000 trials err by 0.0024."""
    z = np.array([-0.28] * 5 + [0.0] * 35)
    assert cf.stats.randomisation(z, np.zeros(40)).pvalue == pytest.approx(0.0625, abs=0.0075)


# What is said


def test_five_of_forty_destroyed() -> None:
    """−7%, which the randomisation test of 5 topics that differ cannot show: 2 / 2⁵."""
    gate = old_and_new([0.28] * 5, 40).gate()
    [verdict] = gate.verdicts
    assert not gate.passed
    assert (verdict.decision, verdict.least, verdict.needed) == ("undecided", 0.0625, 6)
    [line] = gate.lines
    start = "verdict: undecided, which fails: cannot tell whether new is worse than old by AP: -0.0350 "
    assert line.startswith(start)
    assert "(-7.0%), 95% interval [-0.0" in line
    assert "5 topics worse and 0 better of 40; " in line
    end = "5 topics that differ could not have shown a loss: no exact p is below 0.0625"
    assert line.endswith(f"{end}, 6 would be needed")
    assert old_and_new([0.28] * 5, 40).gate(undecided="pass").passed


def test_gate_few_topics_that_differ_without_a_loss_passes() -> None:
    """Five topics of 40 are better, or none differs: nothing suggests a loss."""
    for losses in ([-0.28] * 5, []):
        gate = old_and_new(losses, 40).gate()
        assert ([v.decision for v in gate.verdicts], gate.passed) == (["pass"], True)


@pytest.mark.parametrize("loss", [0.35, 0.0, -0.1])
@pytest.mark.parametrize("test", ["randomisation", "sign", "wilcoxon", "bootstrap-shift"])
def test_gate_fewer_than_six_topics_is_undecided(test: str, loss: float) -> None:
    """2 / 2² = 0.5 and 2 / 2⁵ = 0.0625 are above 0.05, whatever the difference: a loss of 70%."""
    for n, smallest in ((2, 0.5), (5, 0.0625)):
        x = np.linspace(0.45, 0.55, n)
        found = cf.compare(scored([x, x - loss], ("old", "new")), "old", test=test)
        gate = found.gate()
        [verdict] = gate.verdicts
        assert (verdict.decision, verdict.needed, gate.passed) == ("undecided", 6, False)
        assert (verdict.low, verdict.high) == (-math.inf, math.inf)
        end = f"; {n} topics cannot show a loss: no p is below {smallest:.4f}, use 6 topics or more"
        assert gate.lines[0].endswith(end)
        assert found.gate(undecided="pass").passed


def test_gate_many_runs_and_few_topics_is_undecided() -> None:
    """Corrected for 2 pairs, 2 · 2 / 2⁶ = 0.0625: 7 topics are needed."""
    x = np.linspace(0.4, 0.6, 6)
    scores = scored([x, x - 0.1, x - 0.2], ("old", "a", "b"))
    gate = cf.compare(scores, "old", test="sign").gate()
    assert [(v.decision, v.needed) for v in gate.verdicts] == [("undecided", 7)] * 2


def test_six_could_have_shown_it() -> None:
    line = old_and_new([0.28] * 5 + [-0.01], 40).gate().lines[0]
    assert line.endswith("5 topics worse and 1 better of 40; 6 topics that differ could have shown "
                         "a loss")  # fmt: skip


def test_with_a_margin_five_of_forty_fail_or_pass_as_it_says() -> None:
    """s = 0.28 √(5 · 35 / (40 · 39)), t(0.95; 39) = 1.6849: −0.035 ± 0.02498."""
    found = old_and_new([0.28] * 5, 40)
    reach = 1.684875 * 0.28 * math.sqrt(5 * 35 / (40 * 39)) / math.sqrt(40)
    gate = found.gate(margin=0.05)
    [verdict] = gate.verdicts
    assert (verdict.low, verdict.high) == pytest.approx((-0.035 - reach, -0.035 + reach), rel=1e-6)
    assert (verdict.decision, gate.passed) == ("fail", False)
    assert gate.lines[0].startswith("verdict: fail: new is worse than old by AP: -0.0350 (-7.0%), "
                                    "90% t interval [-0.0600, -0.0100], bootstrap-t [")  # fmt: skip
    within = found.gate(margin=0.07)
    assert within.passed
    told = "verdict: pass: new is worse than old by AP, but within the margin of 0.07: -0.0350"
    assert within.lines[0].startswith(told)


def test_undecided_says_how_many_topics_would_do() -> None:
    """z = ±0.1: d = 0, s² = 0.01 · 10 / 9; t(0.95; n − 1) s / √n ≤ 0.05 from n = 14 on."""
    found = old_and_new([0.1, -0.1] * 5, 10)
    needed = next(
        n for n in range(2, 99)
        if stats.t.ppf(0.95, n - 1) * math.sqrt(0.1 / 9 / n) <= 0.05
    )  # fmt: skip
    for undecided, how in (("fail", "fails"), ("pass", "passes")):
        gate = found.gate(0.05, undecided)  # type: ignore[arg-type]
        assert gate.passed == (undecided == "pass")
        assert gate.verdicts[0].needed == needed
        said = "cannot tell whether new is worse than old by AP by more than 0.05: +0.0000 (+0.0%)"
        assert gate.lines[0].startswith(f"verdict: undecided, which {how}: {said}")
        assert gate.lines[0].endswith(f"; about {needed} topics like these would decide")
    assert found.gate(0).lines[0].endswith("; not even 10,000,000 topics like these would decide")


def test_lower_is_better_turns_the_sign() -> None:
    x = np.linspace(0.1, 0.5, 12)
    random = np.random.default_rng(3).normal(0, 0.01, 12)
    higher = scored([x, x - 0.1 + random], ("old", "new"))
    lower = scored([-x, -x + 0.1 - random], ("old", "new"), better=("lower",))
    for margin in (None, 0.0, 0.05, 0.1, 0.2):
        up, down = (cf.compare(one, "old").gate(margin) for one in (higher, lower))
        [a], [b] = up.verdicts, down.verdicts
        assert (a.decision, a.needed, a.losses) == (b.decision, b.needed, b.losses)
        assert (b.low, b.high) == pytest.approx((-a.high, -a.low))
        assert "+0.1" in down.lines[0]
        assert "lower is better" in down.lines[0]
    assert "but within the margin" in down.lines[0]


def test_any_measure_that_fails_fails() -> None:
    x = np.linspace(0.1, 0.5, 12)
    values = np.stack([np.stack([x, x + 0.05 * s * (1 + x)], axis=1) for s in (0, -1)])
    names = {"runs": ("old", "new"), "topics": [*map(str, range(12))], "measures": ("AP", "RR")}
    scores = cf.Scores(values, **names, summaries=("mean", "mean"))  # type: ignore[arg-type]
    found = cf.compare(scores, "old")
    assert [v.decision for v in found.gate().verdicts] == ["pass", "fail"]
    assert [v.measure for v in found.gate(0.01).failed] == ["RR"]
    assert not found.gate(0.01).passed
    assert found.gate(0.1).passed


def test_measures_without_a_better_end_have_no_verdict() -> None:
    x = np.linspace(0.1, 0.5, 12)
    values = np.stack([np.stack([x, x], axis=1), np.stack([x, x + 1], axis=1)])
    names = {"runs": ("old", "new"), "topics": [*map(str, range(12))], "measures": ("AP", "NumRet")}
    better = {"summaries": ("mean", "mean"), "better": ("higher", "neither")}
    scores = cf.Scores(values, **names, **better)  # type: ignore[arg-type]
    gate = cf.compare(scores, "old").gate()
    assert [v.measure for v in gate.verdicts] == ["AP"]
    assert gate.notes[0].text.startswith("NumRet has no verdict")
    with pytest.raises(cf.InputError, match="no measure to decide by"):
        cf.compare(scores.select(measures=["NumRet"]), "old").gate()


def test_what_is_refused() -> None:
    found = old_and_new([0.1], 5)
    with pytest.raises(cf.InputError, match="expected a number ≥ 0"):
        found.gate(-1)
    with pytest.raises(cf.InputError, match="undecided='maybe'"):
        found.gate(0.1, "maybe")  # type: ignore[arg-type]
    with pytest.raises(cf.InputError, match="has no baseline"):
        cf.compare(found.scores).gate()
    with pytest.raises(cf.InputError, match=r"alpha=0\.5.*below 0\.5"):
        cf.compare(found.scores, "old", alpha=0.5).gate(0.1)


def test_trials_too_few_to_show_anything() -> None:
    x = np.linspace(0.1, 0.5, 30)
    found = cf.compare(scored([x, x - 0.1], ("old", "new")), "old", trials=10)
    assert found.gate().lines[0].endswith("; 10 trials cannot show a loss: no p is below 0.0909, use more trials")
    many = cf.compare(scored([x, x - 0.1, x], ("old", "new", "same")), "old", trials=10)
    end = "; 10 trials cannot show a loss: no p is below 0.0909, use more trials"
    assert many.gate().lines[-1].endswith(end)


def test_of_many_runs_it_says_which_loss_would_fail() -> None:
    """Tukey's intervals are as wide everywhere: half of that is what is significant."""
    random = np.random.default_rng(2)
    x = random.uniform(0, 1, 25)
    rows = [x, x - 0.02 + random.normal(0, 0.2, 25), x + random.normal(0, 0.2, 25)]
    found = cf.compare(scored(rows, ("old", "new", "other")), "old", test="tukey")
    gate = found.gate()
    assert len(gate.verdicts) == 2
    for verdict, line in zip(gate.verdicts, gate.lines, strict=True):
        assert verdict.least is None
        half = (verdict.high - verdict.low) / 2
        assert line.endswith(f"; a loss of {half:.4f} would fail")


def test_a_correction_is_part_of_the_least_p() -> None:
    """6 topics: 2 / 2⁶ = 0.031 for one pair, times 2 by Bonferroni: 0.0625."""
    x = np.arange(1.0, 7)
    rows = [x, x + np.array([1, -1, 2, -2, 3, 1]), x - np.array([1, -1, 2, -2, 3, 1])]
    scores = scored(rows, ("old", "a", "b"))
    for correction, least in (("none", 2 / 64), ("bonferroni", 4 / 64)):
        found = cf.compare(scores, "old", test="sign", correction=correction)
        assert [v.least for v in found.gate().verdicts] == [least, least]


def test_names_do_not_reach_the_terminal_as_they_are() -> None:
    x = np.linspace(0.1, 0.5, 12)
    found = cf.compare(scored([x, x - 0.1], ("old\x1b[2J", "new\nverdict: pass")), "old\x1b[2J")
    for gate in (found.gate(), found.gate(0.01)):
        text = repr(gate)
        assert "\x1b" not in text
        assert text.count("\n") == 1
        assert r"old\x1b[2J" in text
        assert "\x1b" not in gate.as_text()


def test_it_is_a_table() -> None:
    gate = old_and_new([0.28] * 5, 40).gate(margin=0.05)
    [row] = gate.to_dict()["verdicts"]
    assert (row["decision"], row["passes"], row["losses"]) == ("fail", False, 5)
    assert gate.to_dict()["settings"]["passed"] is False
    assert "| new | old | fail |" in gate.to_markdown()
    assert gate.to_polars()["text"].to_list() == gate.lines
    assert gate.as_text().splitlines() == gate.lines
