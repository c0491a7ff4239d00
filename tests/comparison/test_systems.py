"""Systems of several runs in `compare`: worked numbers, captions, notes, errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import InputError
from tests.evidence import checks

Call = Callable[..., tuple[int, str, str]]
TOPICS = "1234"
DENSE = {"dense-1": [0.4, 0.5, 0.6, 0.3], "dense-2": [0.5, 0.6, 0.8, 0.3]}
SPARSE = {"sparse-1": [0.3, 0.4, 0.5, 0.3], "sparse-2": [0.3, 0.5, 0.4, 0.2]}
ONE = {"bm25": [0.35, 0.45, 0.5, 0.25]}
PATTERNS = ["dense-*", "sparse-*"]
EXACT = 5e-7  # six printed decimals


def name_topics(runs: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    return {run: dict(zip(TOPICS, values, strict=True)) for run, values in runs.items()}


def compare(runs: dict[str, list[float]], **options: Any) -> cf.Comparison:
    return cf.compare(name_topics(runs), **options)


def make_many(seed: int = 0, n: int = 30) -> dict[str, dict[str, float]]:
    """Three systems: two of three seeds each, and one run."""
    random = np.random.default_rng(seed)
    topics, runs = random.uniform(0.2, 0.8, n), {}
    for name, count in (("a", 3), ("b", 3), ("c", 1)):
        effects = random.normal(0, 0.05, n)
        for k in range(count):
            values = topics + effects + random.normal(0, 0.02) + random.normal(0, 0.03, n)
            runs[f"{name}-{k}"] = {str(t): float(v) for t, v in enumerate(values)}
    return runs


# -- numbers --------------------------------------------------------------------------------------


@checks("cf.compare", against="second writing")
def test_compare_systems_worked_example() -> None:
    result = compare(DENSE | SPARSE, systems=PATTERNS)
    pair = result.pair("dense", "sparse")
    assert (result.test, result.correction, result.seeds) == ("crossed", "none", "random")
    assert (pair.difference, pair.se, pair.df) == pytest.approx((0.1375, 0.0625, 2.021200), abs=EXACT)
    assert (pair.low, pair.high, pair.pvalue) == pytest.approx((-0.128731, 0.403731, 0.157476), abs=EXACT)
    assert (pair.seeds, pair.other_seeds, pair.reversals) == (2, 2, 0)
    assert pair.seed_share == pytest.approx(0.533333, abs=EXACT)
    dense = result.runs[0]
    assert (dense.mean, dense.se, dense.df) == pytest.approx((0.5, 0.095743, 3), abs=EXACT)
    assert (dense.low, dense.high) == pytest.approx((0.195304, 0.804696), abs=EXACT)
    row = result.components[0]
    assert (row.var_topic, row.var_seed, row.var_rest) == pytest.approx((0.026667, 0.004167, 0.003333), abs=EXACT)
    assert (row.run, row.seeds, row.topics) == ("dense", 2, 4)
    assert (row.lowest, row.highest) == pytest.approx((0.45, 0.55))


def test_compare_fixed_seeds_worked_example() -> None:
    pair = compare(DENSE | SPARSE, systems=PATTERNS, seeds="fixed", test="t").pairs[0]
    assert (pair.low, pair.high, pair.pvalue) == pytest.approx((0.001623, 0.273377, 0.048567), abs=EXACT)
    assert (pair.se, pair.df, pair.seed_share, pair.reversals, pair.seeds) == (None, None, None, 0, 2)


def test_compare_system_against_one_run_worked_example() -> None:
    result = compare(DENSE | ONE, systems={"dense-1": "dense", "dense-2": "dense", "bm25": "bm25"})
    pair = result.pair("dense", "bm25")
    assert (pair.difference, pair.se, pair.df) == pytest.approx((0.1125, 0.055434, 1.423334), abs=EXACT)
    assert (pair.low, pair.high, pair.pvalue) == pytest.approx((-0.247387, 0.472387, 0.228600), abs=EXACT)
    notes = {note.kind: note.text for note in result.notes}
    assert notes["one-run"].startswith("1 system (bm25) of one run: intervals are for this run")
    assert notes["few-seeds"] == ("score: 2 seeds against one run: the interval may be too narrow. Use 4 seeds or more")
    assert [row.run for row in result.components] == ["dense"]


def test_compare_fixed_seeds_equals_compare_of_means() -> None:
    runs = make_many()
    means = {
        name: {t: float(np.mean([runs[run][t] for run in runs if run[0] == name])) for t in runs["a-0"]}
        for name in "abc"
    }
    result, expected = cf.compare(runs, systems=["a-*", "b-*", "c-*"], seeds="fixed"), cf.compare(means)
    for pair, other in zip(result.pairs, expected.pairs, strict=True):
        assert (pair.run, pair.other, pair.wins) == (other.run, other.other, other.wins)
        assert (pair.pvalue, pair.low) == pytest.approx((other.pvalue, other.low))


def test_compare_crossed_pvalues_are_corrected_by_holm() -> None:
    result = cf.compare(make_many(), systems=["a-*", "b-*", "c-*"])
    assert result.correction == "holm"
    raw = sorted(pair.uncorrected for pair in result.pairs)
    corrected = sorted(pair.pvalue for pair in result.pairs)
    assert corrected[0] == pytest.approx(min(1, 3 * raw[0]))
    assert corrected[1] == pytest.approx(min(1, max(corrected[0], 2 * raw[1])))


def test_compare_lower_is_better_turns_verdicts_and_ranks() -> None:
    runs = make_many()
    scores = {run: {t: {"latency": v} for t, v in values.items()} for run, values in runs.items()}
    turned = {run: {t: {"latency": 1 - v} for t, v in values.items()} for run, values in runs.items()}
    low = cf.compare(scores, systems=["a-*", "b-*"], lower="latency")
    high = cf.compare(turned, systems=["a-*", "b-*"])
    assert [row.run for row in low.runs] == [row.run for row in high.runs]
    ranks = [[(row.best, row.rank_low, row.rank_high) for row in result.runs] for result in (low, high)]
    assert ranks[0] == ranks[1]


def test_compare_geometric_means_average_logarithms() -> None:
    values = np.array([[0.1, 0.4], [0.2, 0.3], [0.3, 0.5]])[:, :, None]
    scores = cf.Scores(values, ("a-1", "a-2", "b"), ("1", "2"), ("GMAP",), ("gmean",))
    result = cf.compare(scores, systems="a-*")
    expected = np.log(values[:2]).mean() - np.log(values[2]).mean()
    assert abs(result.pairs[0].difference) == pytest.approx(abs(expected))


def test_compare_undefined_topic_of_one_seed_is_excluded() -> None:
    values = np.array([[0.1, 0.4, math.nan], [0.2, 0.3, 0.3], [0.3, 0.5, 0.9]])[:, :, None]
    scores = cf.Scores(values, ("a-1", "a-2", "b"), ("1", "2", "3"), ("AP",), ("mean",), "skip")
    result = cf.compare(scores, systems="a-*")
    assert result.pairs[0].topics == 2
    assert abs(result.pairs[0].difference) == pytest.approx(0.15)


def test_compare_reversals_are_noted() -> None:
    runs = {"dense-1": [0.5, 0.6, 0.7, 0.4], "dense-2": [0.3, 0.4, 0.4, 0.3], "bm25": [0.4, 0.5, 0.4, 0.4]}
    result = compare(runs, systems="dense-*")
    pair = result.pairs[0]
    assert pair.reversals == 0.5
    text = next(note.text for note in result.notes if note.kind == "seeds")
    assert text == (
        "score: seeds of dense differ (sd 0.1414) as much as dense and bm25 (0.0250): single runs would be in the "
        "opposite order in 1 of 2 pairs"
    )


def test_compare_copies_of_a_seed_are_noted() -> None:
    runs = DENSE | {"dense-3": DENSE["dense-1"]} | ONE
    texts = [note.text for note in compare(runs, systems="dense-*").notes if note.kind == "identical"]
    assert texts == [
        "2 runs (dense-1, dense-3) have identical scores by every measure. Check that they are not copies."
    ]


# -- ranks ----------------------------------------------------------------------------------------


def test_compare_ranks_worked_example_without_systems() -> None:
    runs = {"a": {"1": 0.4, "2": 0.6, "3": 0.5}, "b": {"1": 0.5, "2": 0.5, "3": 0.4}}
    result = cf.compare(runs, ranks=True)
    assert [row.best for row in result.runs] == pytest.approx([20 / 27, 7 / 27])
    assert [(row.rank_low, row.rank_high) for row in result.runs] == [(1, 2), (1, 2)]
    assert all(row.best is None for row in cf.compare(runs).runs)


def test_compare_fixed_seeds_resample_topics_only() -> None:
    runs = {"a-1": {"1": 0.9, "2": 0.9}, "a-2": {"1": 0.2, "2": 0.2}, "b": {"1": 0.5, "2": 0.5}}
    results = cf.compare(runs, systems="a-*"), cf.compare(runs, systems="a-*", seeds="fixed", test="t")
    best = [{row.run: row.best for row in result.runs} for result in results]
    assert best == [{"a": 0.75, "b": 0.25}, {"a": 1, "b": 0}]


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": "fixed"}, "seeds without systems of several runs"),
        ({"systems": "dense-*", "test": "t"}, "test 't' compares runs, and seeds are random. Use --seeds fixed"),
        ({"systems": "dense-*", "seeds": "fixed", "test": "crossed"}, "test 'crossed' with fixed seeds"),
        ({"test": "crossed"}, "test 'crossed' compares systems of several runs"),
        ({"systems": "dense-*", "baseline": "dense-1"}, "found baseline 'dense-1', expected one of 2 runs"),
        ({"systems": "dense-*", "teams": {"bm25": "x"}}, "use either teams or systems, not both"),
        ({"systems": "dense-*", "seeds": "any"}, "seeds"),
    ],
)
def test_compare_systems_invalid_options_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        compare(DENSE | ONE, **options)


def test_gate_of_systems_raises() -> None:
    result = compare(DENSE | ONE, systems="dense-*", baseline="bm25")
    with pytest.raises(InputError, match="the check for worse runs is not defined for systems of several runs"):
        result.gate()


# -- command line and score files -----------------------------------------------------------------


@pytest.fixture
def scores_file(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        f"{run},{topic},AP,{value}"
        for run, values in (DENSE | ONE).items()
        for topic, value in zip(TOPICS, values, strict=True)
    ]
    path.write_text("\n".join(["run,topic,measure,value", *rows]))
    return path


def test_command_systems_prints_seed_columns_and_units(scores_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--scores", str(scores_file), "--systems", "dense-*"]) == 0
    output, notes = capsys.readouterr()
    text = " ".join(output.split())
    assert "Means of 2 systems (3 runs) on 4 topics by AP" in text
    assert "95% intervals for other topics and other seeds (crossed)" in text
    assert "They are not probabilities of truth, and they are approximate." in text
    assert "seeds’ share" in output
    assert "topics × seeds" in output
    assert "few-seeds" not in notes
    assert "Use 4 seeds or more" in notes


def test_command_systems_json_has_components_and_settings(
    scores_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--scores", str(scores_file), "--systems", "dense-*", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    names = ["measure", "run", "seeds", "topics", "var_topic", "var_seed", "var_rest", "lowest", "highest"]
    assert [*document["components"][0]] == names
    assert [*document["pairs"][0]][-6:] == ["seeds", "other_seeds", "se", "df", "seed_share", "reversals"]
    assert [*document["runs"][0]][-6:] == ["seeds", "se", "df", "best", "rank_low", "rank_high"]
    assert document["settings"]["systems"] == {"dense": ["dense-1", "dense-2"], "bm25": ["bm25"]}
    settings = document["settings"]
    assert (settings["seeds"], settings["test"], settings["resamples"]) == ("random", "crossed", 10_000)


def test_command_fail_if_worse_with_systems_raises(scores_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", "--scores", str(scores_file), "--systems", "dense-*", "--baseline", "bm25", "--fail-if-worse"]
    assert main(command) == 2
    assert "--fail-if-worse is not defined with --systems" in capsys.readouterr().err


def test_compare_seed_column_of_score_file_names_systems(tmp_path: Path) -> None:
    path = tmp_path / "seeds.csv"
    rows = [
        f"{run.partition('-')[0]},{run.partition('-')[2]},{topic},AP,{value}"
        for run, values in (DENSE | ONE).items()
        for topic, value in zip(TOPICS, values, strict=True)
    ]
    path.write_text("\n".join(["run,seed,topic,measure,value", *rows]))
    result, expected = cf.compare(path), compare(DENSE | ONE, systems="dense-*")
    assert result.pairs[0].pvalue == expected.pairs[0].pvalue
    assert [*result.systems] == ["dense", "bm25"]


def test_scores_systems_survive_selection_and_files() -> None:
    values = np.zeros((3, 2, 1))
    scores = cf.Scores(values, ("a-1", "a-2", "b"), ("1", "2"), ("AP",), ("mean",), systems={"a-1": "a", "a-2": "a"})
    assert scores["a-1"].systems == {"a-1": "a"}
    assert cf.Scores.from_json(scores.to_json()).systems == scores.systems
    assert "systems" not in cf.Scores(values, ("a", "b", "c"), ("1", "2"), ("AP",), ("mean",)).to_json()


def test_compare_geometric_mean_of_systems_has_interval_around_it() -> None:
    """Intervals are exp of the intervals of mean logarithms."""
    scores = make_many()
    values = np.array([[[x] for x in run.values()] for run in scores.values()])
    topics = tuple(next(iter(scores.values())))
    gmean = cf.Scores(values, tuple(scores), topics, ("GMAP",), ("gmean",))
    logs = cf.Scores(np.log(values), tuple(scores), topics, ("log",), ("mean",))
    by = {topic: "ab"[i % 2] for i, topic in enumerate(topics)}
    first, second = (cf.compare(x, systems=["a-*", "b-*"], by=by) for x in (gmean, logs))
    rows: list[tuple[Any, Any]] = [
        *zip(first.runs, second.runs, strict=True),
        *zip(first.slices, second.slices, strict=True),
    ]
    for row, log in rows:
        expected = (math.exp(log.mean), math.exp(log.low), math.exp(log.high))
        assert (row.mean, row.low, row.high) == pytest.approx(expected)
