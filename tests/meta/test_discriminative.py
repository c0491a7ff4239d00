"""Discriminative power: shares, curves, smallest differences, their tables and their picture."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.errors import CranfieldError
from cranfield.meta.discriminative import DiscriminativePower, discriminative_power
from cranfield.meta.notes import collect_alpha_notes
from cranfield.stats.families import PairTest, compare_pairs
from cranfield.stats.measure_scores import extract_measure, split_by_measure
from cranfield.stats.result import Outcome, Sampled
from tests.evidence import checks
from tests.made import Command, examples, rows_of
from tests.stats.made import TOPICS_RUNS

# Rows are runs. c − a is 0.3 in the mean, b − a and c − b are 0.15.
SMALL = {"a": [0.1, 0.1], "b": [0.2, 0.3], "c": [0.3, 0.5]}


def scores_of(
    values: Any,
    measures: Sequence[str] = ("AP",),
    better: Sequence[str] = (),
    summaries: Sequence[str] = (),
) -> cf.Scores:
    """Scores from [measures, runs, topics]."""
    of_all = np.moveaxis(np.asarray(values, dtype=float), 0, 2)
    runs, topics, many = of_all.shape
    return cf.Scores(
        of_all,
        tuple(f"run{i}" for i in range(runs)),
        tuple(f"q{i}" for i in range(topics)),
        tuple(measures),
        tuple(summaries or ["mean"] * many),
        better=tuple(better),
    )


def random_scores(runs: int, topics: int, measures: Sequence[str], seed: int = 1) -> cf.Scores:
    rng = np.random.default_rng(seed)
    strength = np.linspace(0, 0.5, runs)[:, None]
    return scores_of(rng.random((len(measures), runs, topics)) + strength, measures)


def pvalues(found: DiscriminativePower, measure: str) -> list[float]:
    return [pair.pvalue for pair in found[measure].pairs]


@checks("cf.meta.discriminative_power", against="by hand")
def test_randomised_tukey_by_hand() -> None:
    """All six orders of the second topic: ranges of means 0.3, 0.25, 0.25, 0.15, 0.15, 0.1."""
    found = discriminative_power(scores_of([list(SMALL.values())]), alpha=0.5)["AP"]
    assert [(p.run, p.other) for p in found.pairs[2:]] == [("run0", "run2")]
    assert [p.pvalue for p in found.pairs] == pytest.approx([5 / 6, 5 / 6, 1 / 6])
    assert [p.difference for p in found.pairs] == pytest.approx([-0.15, -0.15, -0.3])
    assert found.share == pytest.approx(1 / 3)
    assert found.smallest == pytest.approx(0.3)
    assert found.critical == pytest.approx(0.15)  # 0.15 has p = 5 / 6, larger ones at most 3 / 6


def test_no_significant_pair() -> None:
    """Two topics: a pair's smallest p-value is 2 / 2², so there is no critical difference."""
    power = discriminative_power(scores_of([list(SMALL.values())]))
    found = power["AP"]
    assert (found.share, found.smallest) == (0.0, None)
    assert found.critical is None
    assert [note.kind for note in power.notes] == ["hopeless"]


def test_no_difference_would_be_significant() -> None:
    """Of 9 trials sampled, p is at least 1 / 10: there is no critical difference."""
    found = discriminative_power(random_scores(4, 9, ["AP"]), trials=9)["AP"]
    assert found.critical is None


def test_tests_of_two_runs_are_not_corrected_unless_asked() -> None:
    """As Sakai 2006: α is the same for all measures. t is 0.4 / (0.1 / √3) for c − a and c − b."""
    scores = scores_of([[[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.5, 0.7, 0.6]]])
    p = 2 * (0.5 - 48**0.5 / (2 * math.sqrt(48 + 2)))  # of Student's t with 2 degrees of freedom
    assert pvalues(discriminative_power(scores, "t"), "AP") == pytest.approx([1, p, p])
    holm = discriminative_power(scores, "t", correction="holm")
    assert pvalues(holm, "AP") == pytest.approx([1, 3 * p, 3 * p])
    assert "no correction" in discriminative_power(scores, "t")._build_tables()[0].caption
    assert "Holm's correction" in holm._build_tables()[0].caption


def test_identical_runs() -> None:
    """Nothing tells them apart: every p-value is 1."""
    found = discriminative_power(scores_of([[[0.1, 0.9, 0.4, 0.3]] * 4]), trials=200)["AP"]
    assert [pair.pvalue for pair in found.pairs] == [1.0] * 6
    assert found.share == 0


def test_measures_see_the_same_permutations() -> None:
    """So a measure under another name, or on another scale, has the same curve."""
    one = random_scores(5, 25, ["AP"]).values[:, :, 0]
    found = discriminative_power(scores_of([one, one, 8 * one], ["AP", "same", "eight"]))
    assert pvalues(found, "AP") == pvalues(found, "same") == pvalues(found, "eight")
    assert 0 < found["AP"].share < 1
    assert found["eight"].smallest == pytest.approx(8 * found["AP"].smallest)  # type: ignore[operator]


@checks("cf.meta.discriminative_power", against="property")
@given(st.integers(0, 10_000), st.sampled_from(["t", "sign", "tukey", "randomised-tukey"]))
@settings(max_examples=examples(15))
def test_curves_fall_and_are_those_of_the_test(seed: int, test: str) -> None:
    scores = random_scores(4, 6, ["AP", "RR"], seed)
    found = discriminative_power(scores, test, trials=50)
    assert [one.share for one in found.measures] == sorted((one.share for one in found.measures), reverse=True)
    for k, name in enumerate(("AP", "RR")):
        one = found[name]
        direct = compare_pairs(scores.values[:, :, k].T, test, correction="none", trials=50, axes=TOPICS_RUNS)
        assert pvalues(found, name) == sorted((p.pvalue for p in direct), reverse=True)
        assert 0 <= one.share <= 1
        if one.smallest is not None and one.critical is not None:
            assert one.smallest >= one.critical * (1 - 1e-9)


def test_threads_change_nothing() -> None:
    scores = random_scores(30, 40, ["AP", "RR"])
    one, four = (discriminative_power(scores, trials=1000, threads=n) for n in (1, 4))
    assert one == four
    assert discriminative_power(scores, trials=1000, seed=1) != one


# What is compared


def test_discriminative_power_lower_is_better_reversed() -> None:
    values = random_scores(3, 5, ["AP"]).values[:, :, 0]
    scores = scores_of([values, -values], ["AP", "RNOD"], better=("higher", "lower"))
    found = discriminative_power(scores, "t")
    assert found["AP"].pairs == found["RNOD"].pairs
    assert any("RNOD: lower is better" in note.text for note in found.notes)


def test_discriminative_power_measure_without_direction_excluded() -> None:
    """Standard errors are no measures; of counts neither end is better."""
    values = random_scores(3, 5, ["AP"]).values[:, :, 0]
    scores = scores_of([values] * 3, ["ERR", "ERR.se", "NumRet"], summaries=["mean", "se", "sum"])
    matrices, notes = split_by_measure(scores)
    assert list(matrices) == ["ERR"]
    assert [n.text for n in notes] == ["NumRet excluded: neither high nor low values are better"]
    with pytest.raises(CranfieldError, match="cannot rank runs"):
        split_by_measure(scores.select(measures="NumRet"))


def test_discriminative_power_values_passed_to_tests() -> None:
    """Logarithms of geometric means, at least 1e-5; turned round only where that is asked for."""
    scores = scores_of([[[0.5, 0.0], [0.25, 1.0]]], ["x"], ["lower"], ["gmean"])
    logs = np.log([[0.5, 0.25], [1e-5, 1.0]])
    assert extract_measure(scores, "x", turned=False).matrix.values == pytest.approx(logs)
    turned = extract_measure(scores, "x")
    assert turned.values == pytest.approx(-logs)
    assert [note.kind for note in turned.notes] == ["logarithms", "turned-round"]
    with pytest.raises(CranfieldError, match="found scores without AP, expected one of x"):
        extract_measure(scores, "AP")


def test_discriminative_power_undefined_topics_excluded_with_note() -> None:
    values = random_scores(3, 5, ["AP"]).values[:, :, 0].copy()
    lacking = values.copy()
    lacking[1, 2] = np.nan
    found = discriminative_power(scores_of([values, lacking], ["AP", "RR"]), "t")
    assert (found["AP"].topics, found["RR"].topics) == (5, 4)
    assert "RR: 1 topic (q2) excluded, undefined for a run" in {note.text for note in found.notes}
    without = discriminative_power(scores_of([np.delete(values, 2, axis=1)]), "t")
    assert found["RR"].pairs == without["AP"].pairs


def test_geometric_means_are_compared_by_logarithms() -> None:
    values = random_scores(3, 5, ["AP"]).values[:, :, 0]
    scores = scores_of([values, np.log(values)], ["GMAP", "log"], summaries=["gmean", "mean"])
    found = discriminative_power(scores, "t")
    assert found["GMAP"].pairs == found["log"].pairs


def test_p_of_exactly_alpha_is_significant() -> None:
    """Two topics with the same sign: 2 of 2² outcomes are as large, p = 0.5."""
    scores = {"a": {"1": 0.5, "2": 0.75}, "b": {"1": 0.25, "2": 0.5}}
    assert discriminative_power(scores, "randomisation", alpha=0.5)["score"].share == 1
    assert discriminative_power(scores, "randomisation", alpha=0.49)["score"].share == 0


def test_nothing_counts_as_less_than_the_floor_of_the_geometric_mean() -> None:
    scores = scores_of([[[0.0, 0.1], [0.1, 0.1]]], ["GMAP"], summaries=["gmean"])
    [pair] = discriminative_power(scores, "t")["GMAP"].pairs
    assert pair.difference == pytest.approx((math.log(1e-5) - math.log(0.1)) / 2)


def test_a_measure_defined_for_one_topic_is_left_out() -> None:
    scores = scores_of([[[0.1, 0.3], [0.2, 0.1]], [[0.2, math.nan], [0.3, 0.1]]], ["AP", "RR"])
    found = discriminative_power(scores, "t")
    assert [one.measure for one in found.measures] == ["AP"]
    assert "RR excluded: defined for only 1 topic" in [n.text for n in found.notes]


def test_repr_is_one_line() -> None:
    """Of a, b and c, which differ by 0.4, 0.5 and 0.3, two pairs of three are significant."""
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.5, 0.7, 0.6]}
    by_topic = {run: dict(zip("123", x, strict=True)) for run, x in scores.items()}
    found = discriminative_power(by_topic, "t")
    assert repr(found) == "DiscriminativePower of 3 runs, t test, α = 0.05: score 0.6667"


def test_discriminative_power_invalid_arguments_raise() -> None:
    scores = random_scores(3, 5, ["AP"])
    with pytest.raises(CranfieldError, match="at least 2"):
        discriminative_power(scores.select(runs="run0"))
    with pytest.raises(CranfieldError, match="expected none: the randomised Tukey HSD"):
        discriminative_power(scores, correction="holm")
    with pytest.raises(CranfieldError, match="found alpha=2, expected a number between 0 and 1"):
        discriminative_power(scores, alpha=2)
    with pytest.raises(CranfieldError, match=r"unknown measure 'RR'\. Measures: AP"):
        discriminative_power(scores, "t")["RR"]


def test_discriminative_power_p_near_alpha_has_note() -> None:
    """Of two runs, 5 wins and 3 losses have p = 0.73, which ten trials do not tell from 0.7; at
    0.01 nothing depends on more of them.
    """
    wins = scores_of([[[1] * 5 + [0] * 3, [0] * 5 + [1] * 3]] * 2, ["AP", "RR"])
    near = discriminative_power(wins, "bootstrap-shift", alpha=0.7, trials=10)
    assert [note.text for note in near.notes if note.kind == "trials"] == [
        "AP: 1 p-value, RR: 1 p-value too close to 0.7 to decide. Use more trials."
    ]
    far = discriminative_power(wins, "bootstrap-shift", alpha=0.01, trials=10_000)
    assert "trials" not in {note.kind for note in far.notes}


def test_a_corrected_p_value_has_a_larger_error() -> None:
    """p = 20/1000 has the error √(0.02 · 0.98 / 999) = 0.0044. Three times as large, 0.06 has
    0.0133, and is within two of 0.05; two of 0.0044 are less than 0.01.
    """
    sampled = Sampled(19, 999, 0)
    outcome = Outcome("t", 0, sampled.pvalue, 0, 5, "", lambda _: (0, 0), sampled=sampled)
    assert collect_alpha_notes({"AP": [PairTest(0, 1, outcome, 0.06)]}, 0.05)
    assert not collect_alpha_notes({"AP": [PairTest(0, 1, outcome, 0.02)]}, 0.03)


def test_discriminative_power_cautions_are_summarized() -> None:
    """Every two runs are equal on one of five topics: three pairs by each of two measures."""
    values = [[0.5, 0.1, 0.2, 0.3, 0.4], [0.5, 0.2, 0.4, 0.6, 0.8], [0.5, 0.4, 0.6, 0.9, 0.7]]
    found = discriminative_power(scores_of([values] * 2, ["AP", "RR"]), "sign")
    assert [note.text for note in found.notes if note.kind == "zeros"] == [
        "AP: 1 of 5 topics excluded (difference 0). Also affected: 1 other measure"
    ]
    assert "Notice" not in repr(found)


def test_the_honestly_significant_difference_shows_no_tolerance() -> None:
    """Means of tenths over ten topics are hundredths, and so are their differences."""
    tenths = np.random.default_rng(5).integers(0, 11, (1, 4, 10)) / 10
    critical = discriminative_power(scores_of(tenths), trials=200)["AP"].critical
    assert critical is not None
    assert critical == round(critical, 2)


# Tables, picture, command


def test_tables() -> None:
    found = discriminative_power(random_scores(6, 30, ["AP", "RR"]), trials=500)
    measures, curves = found._build_tables()
    assert [row["pairs"] for row in measures.rows] == [15, 15]
    assert {"smallest_significant", "hsd"} <= measures.rows[0].keys()
    made = {"test": "randomised-tukey", "correction": "none", "alpha": 0.05}
    assert found._build_settings() == {**made, "trials": 500, "seed": 0}
    assert measures.caption == (
        "Discriminative power: pairs of 6 runs that differ significantly at α = 0.05 by the "
        "randomised Tukey HSD test (500 trials, seed 0), on 30 topics. HSD: honestly "
        "significant difference, larger differences are significant."
    )
    assert [row["rank"] for row in curves.rows] == [*range(1, 16)] * 2
    pvalues = next(field for field in curves.fields if field.name == "pvalue")
    shown = [p + mark for p, mark in zip(pvalues.cell_texts, pvalues.marks, strict=True)]
    none_as_extreme = [pair.sampled and pair.sampled.count == 0 for pair in found["AP"].pairs]
    assert any(none_as_extreme)
    assert (shown[14], curves.rows[14]["pvalue"]) == ("<0.002*", 1 / 501)
    assert shown[0] == f"{curves.rows[0]['pvalue']:.4f}"  # not significant


def test_build_figure_near_alpha_and_whole() -> None:
    """Curves near α, or whole; a line each, more than there are colours."""
    found = discriminative_power(random_scores(3, 10, [f"m{k}" for k in range(10)]), "t")
    near, whole = (found._build_figure(whole=x) for x in (False, True))
    assert near.data.columns == ["measure", "rank", "run", "other", "difference", "pvalue"]
    assert len(near.data) == 10 * 3
    for drawn, top in ((near, 0.15), (whole, 1.0)):
        lines = json.loads(drawn.render("json"))["layer"][1]["encoding"]
        assert lines["y"]["scale"]["domain"] == pytest.approx([0, top])
        looks = zip(*(map(str, lines[x]["scale"]["range"]) for x in ("color", "strokeDash")), strict=True)
        assert len(set(looks)) == 10


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and three runs."""
    made = cf.simulate(topics=8, runs=3, depth=20, seed=3).write(tmp_path)
    return [str(path) for path in made if "qrels" in str(path)] + sorted(
        str(path) for path in made if "runs" in str(path)
    )


@pytest.fixture
def power(cranfield: Command) -> Command:
    return cranfield.of("meta", "discriminative-power")


def test_command(files: list[str], tmp_path: Path, power: Command) -> None:
    curves = tmp_path / "curves.csv"
    asked = (*files, "-m", "AP RR", "--trials", "100")
    shown = power.printed(*asked, "--plot", curves)
    assert "smallest significant difference" in shown
    assert "(100 trials, seed 0), on 8 topics" in shown
    rows = rows_of(power.printed(*asked, "--table", "curves", "-f", "csv"))
    assert rows == rows_of(curves.read_text())
    assert [row["measure"] for row in rows].count("AP") == 3
    assert "--whole requires --plot FILE" in power.refused(*files, "--whole")
