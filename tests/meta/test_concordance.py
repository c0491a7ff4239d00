"""Measures against simple measures: Figure 17, by hand, its table and its command."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from cranfield.errors import InputError
from cranfield.meta.concordance import ConcordancePair, compute_sign_test, concordance, format_cell
from cranfield.meta.predictive import predictive_power
from cranfield.scores import Scores
from tests.evidence import checks
from tests.made import Command
from tests.meta.made import BY_HAND, scores_of


@checks("cf.meta.concordance", against="by hand")
def test_figure_17_by_hand() -> None:
    """One gold measure; ≥ 0 makes a gold tie concordant with both."""
    found = concordance(BY_HAND, "G", ["M1", "M2"])
    assert found.pairs == (ConcordancePair("M1", "M2", ("G",), 3, 2, (2, 1), (1, 0)),)
    assert found.pairs[0].shares == (1.0, 0.5)
    assert (found.runs, found.topics) == (("a", "b"), ("1", "2", "3"))


def test_concordance_several_gold_measures_used_one_by_one_and_together() -> None:
    """In topic 1 neither is concordant with both; in topic 2 M1 is, and M2 not."""
    found = concordance(BY_HAND, ["G", "H"])
    assert found.gold == (("G",), ("H",), ("G", "H"))
    assert [(p.concordant, p.wins) for p in found.pairs] == [
        ((2, 1), (1, 0)),
        ((1, 1), (1, 1)),
        ((1, 0), (1, 0)),
    ]
    assert found.with_gold() == found.pairs[2:]
    assert found.with_gold("H") == found.pairs[1:2]
    with pytest.raises(InputError, match="gold measures M1"):
        found.with_gold("M1")


def figure_17(scores: Scores, one: int, two: int, gold: list[int]) -> tuple[int, ...]:
    """The loops of the figure; with several gold measures, concordant with each."""
    disagreements = conc1 = conc2 = wins1 = wins2 = 0
    for x, y in combinations(range(len(scores.runs)), 2):
        for q in range(len(scores.topics)):
            delta = scores.values[x, q] - scores.values[y, q]
            if delta[one] * delta[two] < 0:
                disagreements += 1
                first = all(delta[one] * delta[g] >= 0 for g in gold)
                second = all(delta[two] * delta[g] >= 0 for g in gold)
                conc1 += first
                conc2 += second
                wins1 += first and not second
                wins2 += second and not first
    return disagreements, conc1, conc2, wins1, wins2


few = st.integers(2, 5)
values = st.tuples(few, st.integers(1, 4)).flatmap(
    lambda size: st.lists(
        st.lists(
            st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 5),
            min_size=size[1],
            max_size=size[1],
        ),
        min_size=size[0],
        max_size=size[0],
    )
)


@checks("cf.meta.concordance", against="second writing")
@given(values)
def test_loops_of_the_figure(values: Any) -> None:
    """Arrays count what the loops count, for every pair and every set of gold measures."""
    scores = scores_of(values, ["M1", "M2", "M3", "G", "H"])
    for pair in concordance(scores, ["G", "H"]).pairs:
        places = [scores.measures.index(name) for name in (pair.first, pair.second)]
        gold = [scores.measures.index(name) for name in pair.gold]
        counts = (pair.disagreements, *pair.concordant, *pair.wins)
        assert counts == figure_17(scores, places[0], places[1], gold)
        assert pair.compared == len(scores.runs) * (len(scores.runs) - 1) // 2 * len(scores.topics)


@given(values)
def test_concordance_equal_and_reversed_measures_never_disagree(values: Any) -> None:
    """M and M, and a measure that is −M and better if lower."""
    array = np.array(values)
    array[..., 1] = array[..., 0]
    array[..., 2] = 1 - array[..., 0]
    better = ("higher", "higher", "lower", "higher", "higher")
    found = concordance(scores_of(array, ["M", "N", "L", "G", "H"], better), "G", ["M", "N", "L"])
    assert {pair.disagreements for pair in found.pairs} == {0}
    assert np.isnan(found.pairs[0].shares).all()
    assert [n.text for n in found.notes] == ["L: lower is better, so its scores are negated"]


def test_concordance_rounding_error_is_tie() -> None:
    """0.1 + 0.2 is not 0.3 in floating point, but no measure prefers a list for that."""
    scores = scores_of([[[0.1 + 0.2, 0.1, 1]], [[0.3, 0.2, 0]]], ["M1", "M2", "G"])
    assert scores.values[0, 0, 0] > scores.values[1, 0, 0]
    assert concordance(scores, "G").pairs[0].disagreements == 0


def test_concordance_undefined_topics_excluded_with_note() -> None:
    """Of the three topics by hand, M1 is undefined in the first, and M3 nowhere."""
    array = np.concatenate([BY_HAND.values, BY_HAND.values[..., 1:2]], axis=2)
    array[1, 0, 0] = np.nan
    found = concordance(scores_of(array, ["M1", "M2", "G", "H", "M3"]), "G", ["M1", "M2", "M3"])
    assert [(p.compared, p.disagreements) for p in found.pairs] == [(2, 1), (2, 1), (3, 0)]
    assert [n.text for n in found.notes] == ["M1: 1 topic (1) excluded, undefined for a run"]


def test_table_2() -> None:
    """D♯-nDCG and ERR-IA disagree 1106 times; wins of 592 and 130 are 54% and 12% (footnote 21).

    The counts behind 70% and 29% are not printed. conc1 − conc2 = 592 − 130, so that only 778 and
    316, and 779 and 317, round to them.
    """
    pair = ConcordancePair("D#-nDCG", "ERR-IA", ("I-rec", "P"), 6800, 1106, (778, 316), (592, 130))
    assert pair.concordant[0] - pair.concordant[1] == pair.wins[0] - pair.wins[1]
    assert [f"{share:.0%}" for share in pair.win_shares] == ["54%", "12%"]
    assert format_cell(pair, alpha=0.01) == "70%/29%† (1106)"
    assert pair.compared == 50 * 17 * 16 // 2


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_test_is_scipys(first: int, second: int) -> None:
    """The exact binomial test, and 1 where there is nothing to test."""
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert compute_sign_test(first, second) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("gold", "measures", "alpha", "said"),
    [
        ("X", None, 0.01, "scores without X"),
        ([], None, 0.01, "no gold measure"),
        ("G", ["M1", "G"], 0.01, "G is both a measure and a gold measure"),
        ("G", ["M1"], 0.01, "1 measure to compare"),
        ("G", None, 1.0, "alpha=1.0"),
    ],
)
def test_concordance_invalid_arguments_raise(gold: Any, measures: Any, alpha: float, said: str) -> None:
    """Mistakes are told in one sentence."""
    with pytest.raises(InputError, match=said):
        concordance(BY_HAND, gold, measures, alpha)


def test_a_gold_measure_given_twice_counts_once() -> None:
    assert concordance(BY_HAND, ["G", "G"]).gold == (("G",),)


def test_concordance_undefined_gold_topics_excluded() -> None:
    values = [[[0.9, 0.1, 1], [0.9, 0.1, np.nan]], [[0.5, 0.2, 0], [0.5, 0.2, 1]]]
    [pair] = concordance(scores_of(values, ["M1", "M2", "G"]), "G").pairs
    assert (pair.compared, pair.disagreements) == (1, 1)


def test_one_run_has_no_concordance() -> None:
    with pytest.raises(InputError, match="found 1 run, expected at least 2"):
        concordance(scores_of([[[0.9, 0.1, 1]]], ["M1", "M2", "G"]), "G")


@pytest.mark.parametrize("others", [(0.1, 0.1, 0.2, 0.2), (0.2, 0.1, 0.1, 0.2)])
def test_concordance_rounding_error_is_relative_to_largest_score(others: tuple[float, ...]) -> None:
    """1e-12 · 1e6 = 1e-6, which 2e-7 is below: M1 says nothing."""
    x, y = [1e6, *others[:2]], [1e6 + 2e-7, *others[2:]]
    [pair] = concordance(scores_of([[x], [y]], ["M1", "M2", "G"]), "G").pairs
    assert pair.disagreements == 0


def test_concordance_dicts_are_scores() -> None:
    given = BY_HAND.to_dict()
    found = concordance(given, "G")
    assert found.pairs == concordance(BY_HAND, "G").pairs
    said = [("1", "a", "b")]
    assert predictive_power(given, said).measures == predictive_power(BY_HAND, said).measures
    # M1 and M2 disagree in topics 1 and 2: G is with M1 in the first, with both in the second
    assert repr(found).startswith(
        "Concordance of 2 runs, 3 topics, gold G: M1 against M2 1.0000, M2 against M1 0.5000, "
    )


def test_standard_errors_are_no_measures() -> None:
    names = (BY_HAND.runs, BY_HAND.topics, BY_HAND.measures)
    scores = Scores(BY_HAND.values, *names, ("mean", "mean", "mean", "se"))
    assert concordance(scores, "G").measures == ("M1", "M2")


def test_concordance_counts_are_excluded() -> None:
    """What is better at neither end cannot prefer a list."""
    scores = scores_of(BY_HAND.values, ["M1", "M2", "G", "num_ret"], ("higher",) * 3 + ("neither",))
    found = concordance(scores, "G")
    assert found.measures == ("M1", "M2")
    assert "num_ret excluded" in found.notes[0].text
    with pytest.raises(InputError, match="gold measure num_ret"):
        concordance(scores, "num_ret")


# -- the command --------------------------------------------------------------------------------


def test_command_concordance(two_runs: tuple[Path, Path, Path], meta: Command) -> None:
    """AP: x (1/2 + 2/3)/2 = 0.58, y 1/2; RR: x 1/2, y 1. P@3 is with AP: 2/3 against 1/3."""
    out = meta.printed("concordance", *two_runs, "-m", "AP RR", "--gold-measure", "P@3", "-f", "tsv")
    heads, row = (line.split("\t") for line in out.splitlines())
    cells = dict(zip(heads, row, strict=True))
    names = ("gold", "first", "second", "compared", "disagreements", "share_first", "wins_second")
    assert [cells[name] for name in names] == ["P@3", "AP", "RR", "2", "1", "1.0", "0"]


def test_settings_for_all_measures_reach_the_gold_measure(two_runs: tuple[Path, Path, Path], meta: Command) -> None:
    """--rel and --condensed are parameters of gold measures, too, and show in their names."""
    gold = ("--gold-measure", "P@3", "--rel", "1", "--condensed")
    found = json.loads(meta.printed("concordance", *two_runs, "-m", "AP RR", *gold, "-f", "json"))
    [pair] = found["pairs"]
    assert pair["gold"] == "P(rel=1, condensed=true)@3"
    assert found["settings"] == {"alpha": 0.01, "gold": [pair["gold"]], "runs": 2, "topics": 2}


def test_command_concordance_of_scores(tmp_path: Path, meta: Command) -> None:
    """Scores of other tools, under their names; what is not gold is compared."""
    table = tmp_path / "scores.tsv"
    rows = ["run\ttopic\tmap\trecip_rank\tP_3", "x\t1\t0.58\t0.5\t0.67", "y\t1\t0.5\t1\t0.33"]
    table.write_text("\n".join(rows) + "\n")
    out = meta.printed("concordance", "--scores", table, "--gold-measure", "P@3")
    assert "100%/0% (1)" in out
    assert "1 pair of rankings of 2 runs on 1 topic" in out
    said = meta.refused("concordance", "--scores", table, "--gold-measure", "AP@5")
    assert "no scores of AP@5. Measures: " in said


def test_command_measure_that_is_also_gold_raises(two_runs: tuple[Path, Path, Path], meta: Command) -> None:
    """Also if settings make them the same."""
    both = ("-m", "AP P(rel=1)@3", "--gold-measure", "P@3", "--rel", "1")
    assert "use P(rel=1)@3 with either -m or --gold-measure, not both" in meta.refused("concordance", *two_runs, *both)
