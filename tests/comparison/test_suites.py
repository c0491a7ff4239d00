"""Suites: worked numbers, properties, tables and wrong input."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.comparison.suites import Suite, suite
from cranfield.errors import CranfieldError
from cranfield.stats.crossed import crossed
from tests.evidence import checks
from tests.made import examples


def scores(**runs: Any) -> dict[str, dict[str, float]]:
    """Scores of runs by topic, from tuples."""
    return {run: {str(i): x for i, x in enumerate(values)} for run, values in runs.items()}


EXAMPLE = {  # example 3 of section 4
    "x": scores(a=(0.5, 0.6, 0.4, 0.7), b=(0.4, 0.5, 0.4, 0.5)),
    "y": scores(a=(0.2, 0.3, 0.4), b=(0.3, 0.2, 0.1)),
    "z": scores(a=(0.9, 0.8, 0.7, 0.6, 0.8), b=(0.7, 0.7, 0.7, 0.5, 0.6)),
}
SEEDS = {  # the example of section 5
    "x": scores(**{"a-1": (0.5, 0.6, 0.4), "a-2": (0.6, 0.6, 0.5), "b": (0.4, 0.5, 0.4)}),
    "y": scores(**{"a-1": (0.2, 0.4, 0.3, 0.3), "a-2": (0.3, 0.4, 0.4, 0.3), "b": (0.2, 0.2, 0.3, 0.2)}),
}
SYSTEMS = {"a-1": "a", "a-2": "a", "b": "b"}


def draw_suite(sizes: tuple[int, ...] = (20, 30, 25, 40), runs: str = "abc", seed: int = 0) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {f"k{k}": scores(**{run: random.random(n).round(3) for run in runs}) for k, n in enumerate(sizes)}


class TestWorkedNumbers:
    @checks("cf.suite", against="by hand")
    def test_suite_pair_equals_worked_numbers(self) -> None:
        pair = suite(EXAMPLE).pair("a", "b")
        assert (pair.difference, pair.se) == pytest.approx((0.106667, 0.042687), abs=1e-6)
        assert pair.df == pytest.approx(2.978357, abs=1e-6)
        assert (pair.low, pair.high) == pytest.approx((-0.029744, 0.243078), abs=1e-6)
        assert pair.pvalue == pytest.approx(0.088414, abs=1e-6)
        assert (pair.further_low, pair.further_high) == pytest.approx((-0.077003, 0.290336), abs=1e-6)
        assert (pair.q, pair.tau) == pytest.approx((0.138817, 0), abs=1e-6)
        assert (pair.collections, pair.topics, pair.wins, pair.ties, pair.losses) == (3, 12, 3, 0, 0)

    @checks("cf.suite", against="by hand")
    def test_suite_seeds_equal_worked_numbers(self) -> None:
        pair = suite(SEEDS, systems=SYSTEMS).pair("a", "b")
        assert (pair.difference, pair.se) == pytest.approx((0.1, 0.035355), abs=1e-6)
        assert pair.df == pytest.approx(2, abs=1e-4)
        assert (pair.low, pair.high) == pytest.approx((-0.052122, 0.252122), abs=1e-5)
        assert pair.seed_share == pytest.approx(0.583333, abs=1e-6)
        assert (pair.seeds, pair.other_seeds) == (2, 1)
        assert math.isnan(pair.further_low)
        assert pair.further_p is None

    def test_suite_fixed_seeds_equal_means_over_runs(self) -> None:
        fixed = suite(SEEDS, systems=SYSTEMS, seeds="fixed").pair("a", "b")
        means = {
            name: {"a": {t: (of["a-1"][t] + of["a-2"][t]) / 2 for t in of["b"]}, "b": of["b"]}
            for name, of in SEEDS.items()
        }
        pair = suite(means).pair("a", "b")
        assert (fixed.se, fixed.df, fixed.pvalue) == pytest.approx((pair.se, pair.df, pair.pvalue))
        assert fixed.seed_share is None

    def test_suite_forest_row_equals_t_test(self) -> None:
        result = suite(EXAMPLE)
        x, y = EXAMPLE["x"]["a"], EXAMPLE["x"]["b"]
        outcome = cf.stats.t_test(x, y)
        ends = outcome.confidence_interval()
        [row] = [row for row in result.forest if row.collection == "x"]
        assert (row.difference, row.low, row.high) == pytest.approx((outcome.difference, ends.low, ends.high))
        assert sum(row.weight for row in result.forest) == pytest.approx(1)

    def test_suite_forest_row_with_seeds_equals_crossed(self) -> None:
        result = suite(SEEDS, systems=SYSTEMS)
        part = SEEDS["y"]
        outcome = crossed({run: part[run] for run in ("a-1", "a-2")}, {"b": part["b"]})
        row = result.forest[1]
        ends = outcome.confidence_interval()
        assert (row.difference, row.se) == pytest.approx((outcome.difference, outcome.se))
        assert (row.low, row.high) == pytest.approx((ends.low, ends.high))

    def test_suite_cells_equal_summaries(self) -> None:
        result = suite(EXAMPLE)
        expected = cf.compare(EXAMPLE["z"], test="t").runs
        cells = [cell for cell in result.cells if cell.collection == "z"]
        for cell, row in zip(cells, expected, strict=True):
            assert (cell.run, cell.topics) == (row.run, row.topics)
            assert (cell.mean, cell.low, cell.high) == pytest.approx((row.mean, row.low, row.high))


class TestParts:
    def test_suite_parts_are_averaged_first(self) -> None:
        """Two parts of a collection: d and v/m² are averaged, with degrees of freedom by Satterthwaite."""
        whole = draw_suite()
        parts = {"k0": whole["k0"], "cqa/x": whole["k1"], "cqa/y": whole["k2"], "k3": whole["k3"]}
        result = suite(parts, baseline="a").pair("b", "a")
        differences = [np.subtract([*of["b"].values()], [*of["a"].values()]) for of in parts.values()]
        d = [x.mean() for x in differences]
        v = [x.var(ddof=1) / len(x) for x in differences]
        df = [len(x) - 1 for x in differences]
        both = (v[1] + v[2]) / 4
        of_part = (v[1] + v[2]) ** 2 / (v[1] ** 2 / df[1] + v[2] ** 2 / df[2])
        outcome = cf.stats.combine_collections(
            [d[0], (d[1] + d[2]) / 2, d[3]], [v[0], both, v[3]], [df[0], of_part, df[3]]
        )
        assert result.collections == 3
        assert result.difference == pytest.approx(outcome.difference)
        assert result.df == pytest.approx(outcome.df)
        assert result.uncorrected == pytest.approx(outcome.pvalue)

    def test_suite_means_of_parts_have_equal_weights(self) -> None:
        result = suite({"c/x": EXAMPLE["x"], "c/y": EXAMPLE["y"], "z": EXAMPLE["z"]})
        assert result.collections == ("c", "z")
        assert result.means["a", "c", "score"] == pytest.approx((0.55 + 0.3) / 2)
        assert result.cells[0].topics == 7


class TestPairs:
    def test_suite_pvalues_are_corrected_over_pairs(self) -> None:
        result = suite(draw_suite(runs="abcd"))
        corrected = cf.stats.holm([pair.uncorrected for pair in result.pairs]).pvalues
        assert [pair.pvalue for pair in result.pairs] == pytest.approx([*corrected])
        assert suite(draw_suite(), correction="none").pairs[0].pvalue == pytest.approx(
            suite(draw_suite()).pairs[0].uncorrected
        )

    def test_suite_bonferroni_widens_intervals(self) -> None:
        content = draw_suite()
        wide, single = suite(content, correction="bonferroni").pairs[0], suite(content, alpha=0.05 / 3).pairs[0]
        assert (wide.low, wide.high) == pytest.approx((single.low, single.high))

    def test_suite_verdict_of_lower_is_better(self) -> None:
        better = {
            name: {"a": {t: x - 1 for t, x in of["a"].items()}, "b": of["a"]} for name, of in draw_suite().items()
        }
        noise = np.random.default_rng(0)
        for of in better.values():
            of["a"] = {t: x + 0.01 * noise.random() for t, x in of["a"].items()}
        assert suite(better).pair("b", "a").verdict == "better"
        result = suite(better, lower="score")
        assert [row.run for row in result.runs] == ["a", "b"]
        assert result.pair("a", "b").verdict == "better"
        assert result.pair("a", "b").wins == 4
        assert result.runs[0].best == 1
        assert [v.run for v in suite(better, lower="score", baseline="a").gate().failed] == ["b"]

    def test_suite_two_collections_have_no_further_collections(self) -> None:
        result = suite({name: EXAMPLE[name] for name in "xy"})
        pair = result.pairs[0]
        assert math.isnan(pair.prediction_low)
        assert pair.further_p is None
        assert pair.q_pvalue is not None
        assert "few-collections" in {note.kind for note in result.notes}

    def test_suite_standardised_differences(self) -> None:
        """d = mean / s and v = 1/n + d²/(2n)."""
        result = suite(EXAMPLE, standardise=True)
        z = np.subtract([*EXAMPLE["x"]["a"].values()], [*EXAMPLE["x"]["b"].values()])
        d = z.mean() / z.std(ddof=1)
        assert result.forest[0].difference == pytest.approx(d)
        assert result.forest[0].se == pytest.approx(math.sqrt(1 / 4 + d**2 / 8))

    def test_suite_identical_systems_have_p_1(self) -> None:
        result = suite({name: {"a": of["a"], "b": of["a"]} for name, of in EXAMPLE.items()})
        [pair] = result.pairs
        assert (pair.pvalue, pair.verdict, pair.ties, pair.q_pvalue) == (1, "", 3, None)
        assert "identical scores on all collections" in " ".join(note.text for note in result.notes)


class TestRanks:
    @checks("cf.suite", against="enumeration")
    def test_best_equals_enumeration_of_topics(self) -> None:
        """Two collections of two topics: all 4 × 4 samples have the same probability."""
        content = {"x": scores(a=(0.1, 0.9), b=(0.4, 0.5)), "y": scores(a=(0.3, 0.6), b=(0.7, 0.2))}
        wins = 0.0
        for i in np.ndindex(2, 2, 2, 2):
            means = [content["x"][run][str(i[0])] + content["x"][run][str(i[1])] for run in "ab"]
            means = [
                m + content["y"][r][str(i[2])] + content["y"][r][str(i[3])] for m, r in zip(means, "ab", strict=True)
            ]
            lead = round(means[0] - means[1], 9)
            wins += (lead > 0) + (lead == 0) / 2
        best = {row.run: row.best for row in suite(content, trials=20_000).runs}
        assert best == {"a": pytest.approx(wins / 16, abs=0.015), "b": pytest.approx(1 - wins / 16, abs=0.015)}

    def test_clear_winner_has_rank_1(self) -> None:
        content = draw_suite()
        content = {name: {**of, "a": {t: x + 1 for t, x in of["a"].items()}} for name, of in content.items()}
        first, *others = suite(content, trials=200).runs
        assert (first.run, first.best, first.rank_low, first.rank_high, first.mean_rank) == ("a", 1.0, 1, 1, 1.0)
        assert {row.rank_low for row in others} <= {2, 3}

    def test_seeds_of_ranks_are_resampled(self) -> None:
        """One seed of a is better than b, one is worse, on all topics: a is best in ½ + ½ · ½ … of 4 samples."""
        content = {name: scores(**{"a-1": (0.6,) * 3, "a-2": (0.4,) * 3, "b": (0.45,) * 3}) for name in "xy"}
        rows = {row.run: row for row in suite(content, systems=SYSTEMS, trials=4000).runs}
        assert rows["a"].best == pytest.approx(0.75, abs=0.03)
        assert {row.run: row.best for row in suite(content, systems=SYSTEMS, seeds="fixed").runs}["a"] == 1

    def test_threads_change_nothing(self) -> None:
        content = draw_suite()
        assert suite(content, threads=1).runs == suite(content, threads=3).runs


@checks("cf.suite", against="property")
@settings(max_examples=examples(20), deadline=None)
@given(st.permutations(range(4)), st.integers(0, 50))
def test_suite_order_of_collections_is_irrelevant(order: list[int], seed: int) -> None:
    content = draw_suite(seed=seed)
    names = [*content]
    shuffled = suite({names[i]: content[names[i]] for i in order}, trials=10)
    expected = suite(content, trials=10)
    for pair, other in zip(expected.pairs, shuffled.pairs, strict=True):
        assert [pair.pvalue, pair.difference, pair.tau, pair.pooled, pair.further_low] == pytest.approx(
            [other.pvalue, other.difference, other.tau, other.pooled, other.further_low], rel=1e-9, abs=1e-9
        )


COLUMNS = {
    "cells": "measure collection run topics mean low high",
    "runs": "measure run collections mean low high mean_rank best rank_low rank_high",
    "forest": "measure run other collection topics difference low high se weight",
    "pairs": "measure run other collections topics difference se df low high pvalue uncorrected further_low "
    "further_high further_p prediction_low prediction_high q q_pvalue i2 tau pooled pooled_low pooled_high wins "
    "ties losses verdict",
}


class TestTables:
    @pytest.fixture
    def result(self) -> Suite:
        return suite(EXAMPLE, trials=50)

    @pytest.mark.parametrize("name", COLUMNS)
    def test_columns_are_in_order(self, result: Suite, name: str) -> None:
        assert result.to_polars(name).columns == COLUMNS[name].split()

    def test_columns_with_seeds(self) -> None:
        frame = suite(SEEDS, systems=SYSTEMS, trials=10).to_polars("pairs")
        assert frame.columns == [*COLUMNS["pairs"].split(), "seeds", "other_seeds", "seed_share"]

    def test_json_absent_values_are_null(self) -> None:
        document = suite({name: EXAMPLE[name] for name in "xy"}, trials=10).to_dict()
        assert [*document][:4] == ["cells", "runs", "forest", "pairs"]
        pair = document["pairs"][0]
        assert pair["further_low"] is None
        assert pair["further_p"] is None

    def test_latex_layout_of_beir(self, result: Suite) -> None:
        """Collections are columns, the macro mean is last, best bold, second best underlined."""
        text = result.to_latex("results")
        assert r"system & x & y & z & macro mean \\" in text
        assert r"a & \best{0.5500} & \best{0.3000} & \best{0.7600} & \best{0.5367} \\" in text
        assert r"b & \underline{0.4500} & \underline{0.2000} & \underline{0.6400} & \underline{0.4300} \\" in text
        assert "best in bold, second best underlined" in text.lower()

    def test_text_starts_with_the_answer(self, result: Suite) -> None:
        first = result.as_text().splitlines()[0]
        assert first.startswith("By score, a is not significantly different from b on these 3 collections:")
        assert "95% interval for other topics [-0.0297, +0.2431], p = 0.0884" in first

    def test_captions_state_sampled_units(self) -> None:
        document = suite(SEEDS, systems=SYSTEMS, trials=10).to_dict()
        assert "these 2 collections, other topics and other seeds" in document["captions"]["runs"]
        assert "fractions of resamples, not probabilities" in document["captions"]["runs"]

    def test_several_measures_have_their_own_rows(self) -> None:
        content = {
            name: cf.read_scores({run: {"AP": s, "RR": {t: 1 - x for t, x in s.items()}} for run, s in of.items()})
            for name, of in EXAMPLE.items()
        }
        result = suite(content, trials=10)
        assert [(row.measure, row.run) for row in result.runs] == [("AP", "a"), ("AP", "b"), ("RR", "b"), ("RR", "a")]
        assert result.to_latex("results").count(r"\best{") == 8

    def test_pooled_columns_are_displayed_with_pool(self, result: Suite) -> None:
        assert "pooled" in result.to_markdown("pairs", pool=True)
        assert "pooled" not in result.to_markdown("pairs")

    def test_repr_has_pairs_and_notes(self, result: Suite) -> None:
        lines = repr(result).splitlines()
        assert lines[0] == "Suite: 2 systems × 3 collections, α = 0.05"
        assert lines[1] == "score: a − b = +0.1067 [-0.0297, +0.2431], p = 0.0884"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "c"}, r"found baseline 'c', expected one of 2 runs \(a, b\)"),
        ({"alpha": 2}, "found alpha=2"),
        ({"seeds": "random"}, "seeds without systems of several runs"),
        ({"seeds": "other"}, "found seeds='other', expected one of random, fixed"),
        ({"correction": "holms"}, "found correction='holms'"),
        ({"measures": "AP"}, "collection x: .*AP"),
        ({"trials": 0}, "found trials=0"),
    ],
)
def test_suite_wrong_options_raise(options: Any, message: str) -> None:
    with pytest.raises(CranfieldError, match=message):
        suite(EXAMPLE, **options)


def test_suite_collection_of_one_topic_raises() -> None:
    with pytest.raises(CranfieldError, match="collection y: found 1 topic with score, expected at least 2"):
        suite({"x": EXAMPLE["x"], "y": scores(a=(0.5,), b=(0.4,))})


def test_suite_standardise_with_random_seeds_raises() -> None:
    with pytest.raises(CranfieldError, match="standardised differences of random seeds"):
        suite(SEEDS, systems=SYSTEMS, standardise=True)


def test_pair_unknown_names_raise() -> None:
    result = suite(EXAMPLE, trials=10)
    with pytest.raises(CranfieldError, match="the pair b – a by score, expected one of 1 pair"):
        result.pair("b", "a")
    with pytest.raises(CranfieldError, match="measure 'AP'"):
        result.pair("a", "b", "AP")


def name_scores(clusters: dict[str, str] | None = None, **runs: Any) -> cf.Scores:
    scores_of_runs = cf.read_scores({run.replace("_", "-"): x for run, x in scores(**runs).items()})
    return replace(scores_of_runs, clusters=clusters or {})


def test_suite_records_equal_scores(tmp_path: Path) -> None:
    qrels = {str(t): {"d": 1} for t in range(4)}
    runs = {"a": {str(t): ["d", "x"] for t in range(4)}, "b": {str(t): ["x", "d"][t % 2 :] for t in range(4)}}
    part = cf.evaluate(qrels, runs, "RR")
    for name in "xy":
        part.record().write(tmp_path / f"{name}.json")
    from_records = suite({name: tmp_path / f"{name}.json" for name in "xy"}, trials=20)
    assert from_records.pairs == suite({"x": part, "y": part}, trials=20).pairs


class TestClusters:
    @checks("cf.suite", against="by hand")
    def test_suite_clusters_equal_worked_numbers(self) -> None:
        """Example 1 of section 2 of the specification on a collection: CR2."""
        differences = (0.1, 0.3, 0.0, 0.2, 0.2, 0.2, -0.1, 0.1)
        part = name_scores({str(i): str(i // 2) for i in range(8)}, a=differences, b=(0.0,) * 8)
        result = suite({"x": part, "y": part}, trials=50)
        row = result.forest[0]
        assert (row.difference, row.se) == pytest.approx((0.125, 0.047871), abs=1e-6)
        assert (row.low, row.high) == pytest.approx((-0.027348, 0.277348), abs=1e-6)
        pair = result.pairs[0]
        assert (pair.se, pair.df) == pytest.approx((row.se / 2**0.5, 6))  # two equal terms of 3 degrees of freedom
        assert "other clusters of topics (CR2)" in result.to_dict()["captions"]["runs"]

    @checks("cf.suite", against="by hand")
    def test_suite_seeds_and_clusters_equal_worked_numbers(self) -> None:
        """Section 5: example 3.1 with the clusters {1, 2}, {3}, {4}."""
        runs = {"d_1": (0.4, 0.5, 0.6, 0.3), "d_2": (0.5, 0.6, 0.8, 0.3)}
        runs |= {"b_1": (0.3, 0.4, 0.5, 0.3), "b_2": (0.3, 0.5, 0.4, 0.2)}
        part = name_scores({"0": "p", "1": "p", "2": "q", "3": "r"}, **runs)
        row = suite({"x": part, "y": part}, systems=["d-*", "b-*"], trials=50).forest[0]
        assert row.se == pytest.approx(0.066536, abs=1e-6)
        half = (row.high - row.low) / 2
        assert half / row.se == pytest.approx(stats.t.ppf(0.975, 1.8), rel=1e-5)

    @checks("cf.suite", against="enumeration")
    def test_suite_clusters_are_resampled_completely(self) -> None:
        """Three clusters of unequal size on one collection, and a constant other: 27 samples."""
        x = np.array([0.5, 0.1, 0.2, 0.4, 0.9, 0.3])
        groups = ([0, 1, 2], [3], [4, 5])
        part = name_scores({str(i): str(g) for g, rows in enumerate(groups) for i in rows}, a=x, b=(0.45,) * 6)
        other = name_scores({str(i): str(i) for i in range(3)}, a=(0.5,) * 3, b=(0.5,) * 3)
        share = np.mean([
            x[[i for g in draw for i in groups[g]]].mean() > 0.45 for draw in product(range(3), repeat=3)
        ])  # fmt: skip
        row = next(row for row in suite({"x": part, "y": other}, trials=40_000).runs if row.run == "a")
        assert row.best == pytest.approx(share, abs=0.02)

    def test_suite_standardise_with_clusters_raises(self) -> None:
        part = name_scores({str(i): str(i) for i in range(4)}, a=(0.1, 0.2, 0.3, 0.4), b=(0.2,) * 4)
        with pytest.raises(CranfieldError, match="standardised differences of topics in clusters"):
            suite({"x": part, "y": part}, standardise=True)

    def test_suite_two_clusters_raise(self) -> None:
        part = name_scores({str(i): str(i // 2) for i in range(4)}, a=(0.1, 0.2, 0.3, 0.4), b=(0.2,) * 4)
        with pytest.raises(CranfieldError, match="collection x: 2 clusters, expected at least 3"):
            suite({"x": part, "y": part})


class TestSlices:
    @pytest.fixture
    def content(self) -> dict[str, cf.Scores]:
        """Topics of two kinds; on k2, rare topics."""
        parts = {name: cf.read_scores(of_runs) for name, of_runs in draw_suite(sizes=(20, 30, 24)).items()}
        return {
            name: replace(part, attributes={"kind": {
                t: "rare" if name == "k2" and int(t) > 20 else ("nav", "fact")[int(t) % 2] for t in part.topics
            }})
            for name, part in parts.items()
        }  # fmt: skip

    def test_suite_slice_equals_suite_of_its_topics(self, content: dict[str, cf.Scores]) -> None:
        result = suite(content, trials=20, baseline="a")
        restricted = {
            name: part.select(topics=[t for t in part.topics if part.attributes["kind"][t] == "nav"])
            for name, part in content.items()
        }
        expected = suite(restricted, trials=20, baseline="a")
        rows = [row for row in result.slice_pairs if row.slice == "nav"]
        for row in rows:
            pair = expected.pair(row.run, row.other)
            assert (row.difference, row.low, row.high) == pytest.approx((pair.difference, pair.low, pair.high))
            assert row.uncorrected == pytest.approx(pair.uncorrected)
            assert row.topics == pair.topics
        means = {row.run: row for row in expected.runs}
        for summary in [summary for summary in result.slices if summary.slice == "nav"]:
            expected_mean = means[summary.run]
            assert (summary.mean, summary.low) == pytest.approx((expected_mean.mean, expected_mean.low))

    def test_suite_slices_are_corrected_over_pairs_and_slices(self, content: dict[str, cf.Scores]) -> None:
        rows = suite(content, trials=20).slice_pairs
        assert len(rows) == 6
        expected = cf.stats.holm([row.uncorrected for row in rows]).pvalues
        assert [row.pvalue for row in rows] == pytest.approx([*expected])

    def test_suite_small_slice_is_noted(self, content: dict[str, cf.Scores]) -> None:
        result = suite(content, trials=20)
        assert {row.slice for row in result.slices} == {"nav", "fact"}
        [note] = [note for note in result.notes if note.kind == "small-slice"]
        assert "slice rare has fewer than 5 topics" in note.text
        assert "(k2)" in note.text

    def test_suite_slice_columns_are_in_order(self, content: dict[str, cf.Scores]) -> None:
        result = suite(content, trials=20)
        common = "measure attribute slice run"
        assert result.to_polars("slices").columns == f"{common} collections topics mean low high".split()
        assert result.to_polars("slice_pairs").columns == (
            f"{common} other collections topics difference low high pvalue uncorrected wins ties losses verdict".split()
        )
        assert "slices" in result.to_dict()
        with pytest.raises(CranfieldError, match="table slices"):
            suite(EXAMPLE, trials=20).to_polars("slices")
