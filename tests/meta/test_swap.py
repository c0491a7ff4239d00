"""Swap rates: by hand, by all splits, their tables, picture and command."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.cli.main import main
from cranfield.errors import CranfieldError
from cranfield.meta.swap import Swap, SwapBin, SwapRates, swap
from cranfield.stats.paired import t_test
from tests.evidence import checks
from tests.made import examples, rows_of
from tests.meta.made import by_topic, random_runs

# -- swap -----------------------------------------------------------------------------------------


def rates_of(found: SwapRates) -> dict[float, float]:
    return {one.low: one.rate for one in found.bins}


@checks("cf.meta.swap", against="by hand")
def test_two_topics_by_hand() -> None:
    """One topic in each set. a − b is 0.25 or −0.05: a swap whichever comes first."""
    found = swap(by_topic(a=[0.5, 0.25], b=[0.25, 0.3]), trials=50)["score"]
    assert rates_of(found) == {0.25: 1.0, 0.05: 1.0}
    assert (found.size, found.comparisons, found.required()) == (1, 50, None)
    assert found.sensitivity() == 0


def test_ties_are_half_a_swap() -> None:
    """a − b is 0 or 0.25; a and c never differ; b − c is 0 or −0.25."""
    found = swap(by_topic(a=[0.5, 0.5], b=[0.5, 0.25], c=[0.5, 0.5]), trials=50)["score"]
    zero, quarter = found.bins
    assert (quarter.low, quarter.rate) == (0.25, 0.5)
    assert zero.comparisons + quarter.comparisons == 150
    assert zero.swaps == (zero.comparisons - 50) / 2  # of a and c none


def test_constant_differences_never_swap() -> None:
    x = np.random.default_rng(0).integers(0, 8, 9) / 16
    found = swap(by_topic(a=x.tolist(), b=(x + 0.125).tolist()), [1, 2, 4], trials=30)
    for size in (1, 2, 4):
        assert rates_of(found["score", size]) == {0.12: 0.0}
        assert found["score", size].required() == 0.12
        assert found["score", size].sensitivity() == 1


def test_edges_belong_to_the_bin_above() -> None:
    """0.3 − 0.1 is a little less than 0.2 in floats, and is 0.2."""
    found = swap(by_topic(a=[0.3, 0.3], b=[0.1, 0.1]), bin=0.1, trials=10)["score"]
    assert [(one.low, one.high) for one in found.bins] == [(0.2, 0.3)]


@checks("cf.meta.swap", against="enumeration")
@pytest.mark.parametrize("alpha", [None, 0.05, 0.3])
def test_against_all_splits_one_by_one(alpha: float | None) -> None:
    """Of six topics there are 20 first halves; the second is the rest. In narrow bins each is by
    itself, so that every rate is 0 or 1, as a loop with `t_test` finds them.
    """
    rng = np.random.default_rng(4)
    x = rng.random(6)
    y = x + rng.normal(0.2, 0.2, 6)
    bin = 1e-5
    expected: dict[int, float] = {}
    for half in map(list, combinations(range(6), 3)):
        rest = [i for i in range(6) if i not in half]
        d, other = (float(np.mean(x[part] - y[part])) for part in (half, rest))
        if alpha is None or t_test(x[half], y[half]).pvalue <= alpha:
            expected[int(abs(d) / bin)] = float(d * other < 0)
    found = swap(
        by_topic(x=x.tolist(), y=y.tolist()),
        bin=bin,
        filter=None if alpha is None else "t",
        alpha=0.05 if alpha is None else alpha,
        trials=1000,
    )["score"]
    assert {round(one.low / bin): one.rate for one in found.bins} == expected
    assert len(expected) == 20 if alpha is None else 0 < len(expected) < 20


def test_filter_keeps_constant_differences() -> None:
    """Their t is infinite; where there is no difference, there is nothing to keep."""
    found = swap(by_topic(a=[0.1] * 4, b=[0.2] * 4, c=[0.2] * 4), filter="t", trials=20)["score"]
    assert found.comparisons == 40
    nothing = swap(by_topic(a=[0.2] * 4, b=[0.2] * 4), filter="t", trials=20)["score"]
    assert nothing.bins == ()
    assert math.isnan(nothing.rate)


def test_required_difference_takes_bins_together() -> None:
    """50 of 100, 2 of 100, 1 of 1: the last two are 3 of 101, below 5%."""
    bins = [(0.0, 100, 50.0), (0.01, 100, 2.0), (0.02, 1, 1.0)]
    rates = SwapRates("AP", 10, 5, tuple(SwapBin(a, a + 0.01, n, k) for a, n, k in bins))
    assert rates.required(0.05) == 0.01
    assert rates.sensitivity(0.05) == 101 / 201
    assert rates.required(0.02) is None
    assert rates.rate == 53 / 201


@given(st.integers(0, 10_000), st.integers(1, 5))
@settings(max_examples=examples(15))
def test_swap_rates_are_fractions(seed: int, size: int) -> None:
    found = swap(random_runs(4, 10, seed), size, trials=20)["score"]
    assert found.comparisons == 20 * 6
    assert all(0 <= one.rate <= 1 for one in found.bins)
    assert found.required(1.0) == found.bins[0].low


def test_swap_on_threads() -> None:
    scores = random_runs(60, 12)  # 1,770 pairs: chunks of 282 trials
    one, four = (swap(scores, trials=600, threads=n) for n in (1, 4))
    assert one == four
    assert swap(scores, trials=600, seed=1) != one


def test_swap_invalid_arguments_raise() -> None:
    scores = random_runs(3, 5)
    with pytest.raises(CranfieldError, match="found samples of 3 topics for score, expected 1 to"):
        swap(scores, 3)
    with pytest.raises(CranfieldError, match="samples of 1 topic for score, expected 2 to 2: two"):
        swap(scores, 1, filter="t")
    with pytest.raises(CranfieldError, match="found alpha=2, expected a number between 0 and 1"):
        swap(scores, filter="t", alpha=2)
    with pytest.raises(CranfieldError, match="a number above 0"):
        swap(scores, bin=0)
    with pytest.raises(CranfieldError, match="bin=1e-09 is too small: score differs by"):
        swap(scores, bin=1e-9)
    with pytest.raises(CranfieldError, match="score on 2"):
        swap(scores)["AP"]


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_a_rate_is_from_0_to_1(rate: float) -> None:
    with pytest.raises(CranfieldError, match="found rate="):
        swap(random_runs(3, 5), trials=5)["score"].required(rate)


def test_the_largest_sets_are_meant_if_no_size_is_given() -> None:
    found = swap(random_runs(3, 6), [1, 3], trials=5)
    assert found["score"].size == 3
    rates = [f"score on {one.size} {one.rate:.4f}" for one in found.rates]
    assert repr(found) == f"Swap of 3 runs, 5 trials: {', '.join(rates)}"


def test_rounding_is_no_swap() -> None:
    a, b = [0.1, 0.2, 0.1, 0.2], [0.1 + 1e-16, 0.2, 0.1, 0.2 + 1e-16]
    [one] = swap(by_topic(a=a, b=b), trials=50).rates
    assert (one.rate, one.bins[0].low) == (0, 0)


def test_falling_rates_do_not_rise() -> None:
    """0.5, then 10 of 40, then 3 of 10: the last two do not fall, so both are 13 of 50."""
    bins = [SwapBin(0.0, 0.1, 10, 5), SwapBin(0.1, 0.2, 40, 10), SwapBin(0.2, 0.3, 10, 3)]
    assert SwapRates("AP", 10, 5, tuple(bins)).falling == [0.5, 0.26, 0.26]


def test_swaps_are_shown_as_counts() -> None:
    bins = (SwapBin(0.0, 0.1, 6000, 3112.0), SwapBin(0.1, 0.2, 5000, 1012.5))
    found = Swap(("a", "b"), (SwapRates("AP", 10, 5, bins),), 0.1, None, 0.05, 1000, 0)
    [swaps] = [field for field in found._build_tables()[1].fields if field.name == "swaps"]
    assert swaps.cell_texts == ["3,112", "1,012.5"]


def test_tables_and_picture_of_swaps() -> None:
    found = swap(random_runs(3, 8), [2, 4], bin=0.1, filter="t", trials=100)
    measures, bins = found._build_tables()
    assert [row["set_size"] for row in measures.rows] == [2, 4]
    assert sum(row["comparisons"] for row in bins.rows) == sum(row["comparisons"] for row in measures.rows)
    assert "pairs of 3 runs with a significant difference on it (paired t-test, α = 0.05)" in (measures.caption)
    drawn = found._build_figure()
    legend = json.loads(drawn.render("json"))["layer"][1]["encoding"]["color"]["scale"]["domain"]
    assert legend == ["sets of 2 topics", "sets of 4 topics"]
    names = ["swap_rate", "difference_needed", "share", "tolerated_rate"]
    assert {*names} <= measures.rows[0].keys()
    assert bins.rows[0].keys() >= {"set_size", "swap_rate", "rate_taken_together"}


def test_caption_describes_sizes_of_sets() -> None:
    scores = random_runs(3, 8)
    for sizes, told in (([3], "two sets of 3 of 8 topics"), ([2, 4], "sets drawn from 8 topics")):
        found = swap(scores, sizes, trials=20)
        assert f"3 runs, {told} (20 trials, seed 0)." in found._build_tables()[1].caption


def test_swap_command(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = tmp_path / "swap.csv"
    words = ["meta", "swap", *files, "-m", "AP RR", "--sizes", "2,3", "--trials", "50"]
    assert main([*words, "--plot", str(numbers)]) == 0
    assert "difference needed" in capsys.readouterr().out
    assert main([*words, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == {
        **{"tolerated_rate": 0.05, "bin": 0.01, "filter": "none"},
        **{"alpha": 0.05, "trials": 50, "seed": 0},
    }
    assert main([*words, "--table", "bins", "-f", "csv"]) == 0
    assert rows_of(capsys.readouterr().out) == rows_of(numbers.read_text())
    for more, told in (
        (["--alpha", "0.1"], "--alpha requires --filter t"),
        (["--rate", "5"], "found rate=5.0, expected a number in [0, 1]"),
        (["--plot", "nowhere/swap.svg"], "directory nowhere does not exist"),
    ):
        assert main([*words, *more]) == 2
        assert told in capsys.readouterr().err


def test_cautions_few_comparisons_have_note() -> None:
    """Six comparisons in all: of 4 topics, the 6 ways to draw 2."""
    a, b = [0.9, 0.8, 0.1, 0.2], [0.1, 0.3, 0.2, 0.1]
    given = {run: dict(zip("1234", x, strict=True)) for run, x in (("a", a), ("b", b))}
    found = swap(given, 2, trials=6)
    assert found["score"].required(1.0) is not None
    assert [note.kind for note in found.cautions(1.0)] == ["few-comparisons"]
    assert not found.cautions(0.0) or found["score"].required(0.0) is not None
