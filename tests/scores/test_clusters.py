"""Comparisons of topics in clusters: worked numbers, oracles, enumeration, notes, errors, formats."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import InputError
from cranfield.stats.crossed import resample_means
from tests.evidence import checks

Call = Callable[..., tuple[int, str, str]]
EXACT = 5e-7  # six printed decimals
EXAMPLES: dict[int, tuple[Sequence[float], ...]] = {
    1: ((0.1, 0.3), (0.0, 0.2), (0.2, 0.2), (-0.1, 0.1)),
    2: ((0.1,), (0.2, 0.4), (-0.1, 0.0, 0.1), (0.3, 0.3, 0.2, 0.4)),
    3: ((0.05,), (0.10,), (0.02,), (-0.03,), (0.06,)),
}
EXPECTED = {  # mean, SE, df, p, flips, deff
    1: (0.125, 0.047871, 3, 0.079605, 0.25, 1.115942),
    2: (0.19, 0.092537, 2.392405, 0.155137, 0.25, 3.095095),
    3: (0.04, 0.021679, 4, 0.138781, 0.1875, 1),
}
INTERVALS = {1: (-0.027348, 0.277348), 2: (-0.151678, 0.531678)}


def make_scores(*columns: Sequence[float]) -> dict[str, dict[str, float]]:
    """Return scores of a baseline, and of runs with these differences."""
    base = {str(i): 0.4 for i in range(len(columns[0]))}
    runs = {f"run{k}": {str(i): 0.4 + x for i, x in enumerate(column)} for k, column in enumerate(columns)}
    return {**runs, "base": base}


def read_example(number: int) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    groups = EXAMPLES[number]
    labels = [f"need{g}" for g, values in enumerate(groups) for _ in values]
    scores = make_scores([x for values in groups for x in values])
    return scores, {str(i): label for i, label in enumerate(labels)}


def collect_kinds(result: Any) -> list[str]:
    return [note.kind for note in result.notes]


def make_random(seed: int = 0, runs: int = 3, clusters: int = 12) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Return scores of runs on clusters of 1 to 6 topics."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(clusters), [1 + g % 6 for g in range(clusters)])
    topics = [f"t{i}" for i in range(len(labels))]
    scores = {}
    for k in range(runs):
        values = 0.5 + 0.02 * k + random.normal(0, 0.1, clusters)[labels] + random.normal(0, 0.1, len(labels))
        scores[f"r{k}"] = dict(zip(topics, map(float, values), strict=True))
    return scores, {topic: f"need{g}" for topic, g in zip(topics, labels, strict=True)}


# -- worked examples ------------------------------------------------------------------------------


@checks("cf.compare", against="by hand")
@pytest.mark.parametrize("number", EXAMPLES)
def test_compare_clusters_equal_worked_example(number: int) -> None:
    scores, clusters = read_example(number)
    mean, se, df, pvalue, flips, deff = EXPECTED[number]
    pair = cf.compare(scores, clusters=clusters, test="t").pairs[0]
    assert (pair.difference, pair.pvalue) == pytest.approx((mean, pvalue), abs=EXACT)
    assert (pair.se, pair.df, pair.deff) == pytest.approx((se, df, deff), abs=EXACT)
    assert (pair.topics, pair.clusters) == (len(clusters), len(EXAMPLES[number]))
    if number in INTERVALS:
        assert (pair.low, pair.high) == pytest.approx(INTERVALS[number], abs=EXACT)
    assert cf.compare(scores, clusters=clusters).pairs[0].pvalue == flips


def test_compare_clustered_flips_have_cr2_interval() -> None:
    scores, clusters = make_random(runs=2)
    flips, t = (cf.compare(scores, clusters=clusters, test=test).pairs[0] for test in ("randomisation", "t"))
    assert (flips.low, flips.high) == (t.low, t.high)


@checks("cf.compare", against="by hand")
def test_compare_seeds_and_clusters_equal_worked_example() -> None:
    dense = {"dense-1": [0.4, 0.5, 0.6, 0.3], "dense-2": [0.5, 0.6, 0.8, 0.3]}
    sparse = {"sparse-1": [0.3, 0.4, 0.5, 0.3], "sparse-2": [0.3, 0.5, 0.4, 0.2]}
    scores = {run: dict(zip("1234", values, strict=True)) for run, values in (dense | sparse).items()}
    clusters = {"1": "a", "2": "a", "3": "b", "4": "c"}
    result = cf.compare(scores, systems=["dense-*", "sparse-*"], clusters=clusters)
    pair = result.pairs[0]
    assert (pair.se, pair.df, pair.pvalue) == pytest.approx((0.066536, 1.8, 0.188717), abs=EXACT)
    assert (pair.clusters, pair.seeds, result.test) == (3, 2, "crossed")
    caption = result._build_tables()[1].caption
    assert "in 3 clusters (CR2)" in caption
    assert "for other clusters and other seeds (crossed)" in caption


# -- oracles --------------------------------------------------------------------------------------


@checks("cf.compare", against="statsmodels")
def test_compare_equal_clusters_equal_statsmodels() -> None:
    """With clusters of equal size, CR2 is CR1 of statsmodels, with G − 1 degrees of freedom."""
    sm = pytest.importorskip("statsmodels.api")
    random = np.random.default_rng(3)
    labels = np.repeat(np.arange(15), 4)
    z = random.normal(0.02, 0.1, 15)[labels] + random.normal(0, 0.1, 60)
    clusters = {str(i): f"c{g}" for i, g in enumerate(labels)}
    pair = cf.compare(make_scores(z.tolist()), "base", clusters=clusters, test="t").pairs[0]
    fitted = sm.OLS(z, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": labels, "use_correction": True}, use_t=True
    )
    # statsmodels multiplies by (n − 1) / (n − k) · G / (G − 1), with k = 1
    assert (pair.se, pair.pvalue) == pytest.approx((fitted.bse[0], fitted.pvalues[0]), rel=1e-9)
    assert (pair.low, pair.high) == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-9)


def test_compare_clustered_tukey_is_reproducible_and_by_cluster() -> None:
    scores, clusters = make_random()
    first, second = (cf.compare(scores, clusters=clusters, trials=500, threads=n) for n in (1, 2))
    assert first.pairs == second.pairs
    assert first.test == "randomised-tukey"
    assert "randomised Tukey HSD test by cluster" in first._build_tables()[1].caption


def test_compare_clusters_of_one_topic_equal_no_clusters() -> None:
    scores, _ = make_random()
    singles = {topic: f"c{topic}" for topic in scores["r0"]}
    for test in ("t", "randomisation", "bootstrap", "randomised-tukey"):
        plain = cf.compare(scores, test=test, trials=300)
        single = cf.compare(scores, test=test, trials=300, clusters=singles)
        for first, second in zip(plain.pairs, single.pairs, strict=True):
            assert (first.low, first.high, first.pvalue) == (second.low, second.high, second.pvalue)
            assert second.deff == pytest.approx(1)
        for row, other in zip(plain.runs, single.runs, strict=True):
            assert (row.low, row.high) == pytest.approx((other.low, other.high), rel=1e-12)
        assert "single-clusters" in collect_kinds(single)


def test_resample_means_by_cluster_equals_enumeration() -> None:
    """Three clusters of 1, 2 and 1 topics: all 27 samples."""
    values, sizes = [0.1, 0.4, 0.6, 0.3], [[0], [1, 2], [3]]
    scores = {"a": dict(zip("1234", values, strict=True)), "b": dict.fromkeys("1234", 0.35)}
    clusters = {"1": "x", "2": "y", "3": "y", "4": "z"}
    result = cf.compare(scores, clusters=clusters, ranks=True)
    expected = []
    for sample in product(range(3), repeat=3):
        drawn = [values[t] for g in sample for t in sizes[g]]
        mean = sum(drawn) / len(drawn)
        expected.append(0.5 if math.isclose(mean, 0.35) else float(mean > 0.35))
    [best] = [row.best for row in result.runs if row.run == "a"]
    assert best == pytest.approx(np.mean(expected))
    assert len(resample_means([np.array([[x] for x in values])])) == 256


# -- slices ---------------------------------------------------------------------------------------


def test_compare_slices_and_clusters_use_cr2_in_each_slice() -> None:
    scores, clusters = make_random(runs=2)
    by = {topic: "odd" if int(name.removeprefix("need")) % 2 else "even" for topic, name in clusters.items()}
    result = cf.compare(scores, by=by, clusters=clusters, test="t")
    estimates = []
    for row in result.slice_pairs:
        topics = [topic for topic, name in by.items() if name == row.slice]
        z = {topic: scores[row.run][topic] - scores[row.other][topic] for topic in topics}
        estimate = cf.stats.clustered_mean(z, {topic: clusters[topic] for topic in topics})
        interval = estimate.interval()
        assert (row.difference, row.low, row.high) == pytest.approx((estimate.mean, interval.low, interval.high))
        estimates.append(estimate)
    [interaction] = result.interactions
    # two slices: W is the square of Welch's t, and its df are those of Satterthwaite
    v = [estimate.se**2 for estimate in estimates]
    difference = estimates[0].mean - estimates[1].mean
    df = sum(v) ** 2 / sum(x**2 / estimate.df for x, estimate in zip(v, estimates, strict=True))
    assert interaction.statistic == pytest.approx(difference**2 / sum(v))
    assert interaction.df2 == pytest.approx(df)
    assert interaction.permutation is None


def test_compare_cluster_in_two_slices_has_no_interaction() -> None:
    scores, clusters = make_random(runs=2)
    by = {topic: "ab"[i % 2] for i, topic in enumerate(clusters)}
    result = cf.compare(scores, by=by, clusters=clusters)
    assert result.interactions == ()
    [note] = [note for note in result.notes if note.kind == "no-interaction"]
    assert "in two slices: differences between slices are not tested" in note.text


def test_compare_slice_of_two_clusters_is_not_tested() -> None:
    scores, clusters = make_random(runs=2)
    by = {topic: "small" if name in ("need4", "need5") else "rest" for topic, name in clusters.items()}
    result = cf.compare(scores, by=by, clusters=clusters, test="t")
    small = next(row for row in result.slice_pairs if row.slice == "small")
    assert (small.topics, small.pvalue) == (11, None)
    assert all(math.isnan(row.low) for row in result.slices if row.slice == "small")


# -- scores ---------------------------------------------------------------------------------------


def test_evaluate_clusters_cr2_intervals_and_saved_scores(tmp_path: Path) -> None:
    scores, clusters = make_random(runs=2)
    result = cf.compare(scores, clusters=clusters, test="t")
    summary = result.scores.cluster_means[0]
    estimate = cf.stats.clustered_mean(scores[summary.run], clusters)
    assert (summary.mean, summary.se, summary.df, summary.deff) == pytest.approx(
        (estimate.mean, estimate.se, estimate.df, estimate.deff)
    )
    interval = result.scores.interval()[summary.run]["score"]
    assert (interval.low, interval.high) == (summary.low, summary.high)
    row = next(row for row in result.runs if row.run == summary.run)
    assert (row.low, row.high, row.clusters) == (summary.low, summary.high, summary.clusters)
    for name in ("scores.json", "scores.parquet"):
        result.scores.save(tmp_path / name)
        assert cf.Scores.load(tmp_path / name).clusters == clusters
    with pytest.raises(InputError, match="method 'bootstrap' with clusters"):
        result.scores.interval("bootstrap")


def test_evaluate_clusters_geometric_mean_has_interval_of_logarithms() -> None:
    scores, clusters = make_random(runs=2)
    logs = {run: {topic: math.log(x) for topic, x in values.items()} for run, values in scores.items()}
    attached = cf.compare(scores, clusters=clusters, test="t").scores
    gmean = cf.Scores(attached.values, attached.runs, attached.topics, ("GMAP",), ("gmean",), clusters=clusters)
    for row in gmean.cluster_means:
        interval = cf.stats.clustered_mean(logs[row.run], clusters).interval()
        ends = (row.mean, row.low, row.high)
        assert ends == pytest.approx((math.exp(interval.mean), math.exp(interval.low), math.exp(interval.high)))


# -- notes, gates and errors ----------------------------------------------------------------------


def test_compare_few_clusters_have_a_note() -> None:
    scores, clusters = make_random(clusters=9)
    assert "clusters" in collect_kinds(cf.compare(scores, clusters=clusters))
    scores, clusters = make_random(clusters=30)
    assert "clusters" not in collect_kinds(cf.compare(scores, clusters=clusters))


def test_compare_five_clusters_by_flips_are_too_few_for_a_verdict() -> None:
    scores, clusters = make_random(runs=2, clusters=5)
    result = cf.compare(scores, clusters=clusters)
    [note] = [note for note in result.notes if note.kind == "hopeless"]
    assert "with 5 clusters the smallest p-value of this test is 0.0625" in note.text
    assert "Use 6 clusters or more" in note.text


def test_gate_clusters_counts_clusters_that_differ() -> None:
    scores, clusters = make_random(runs=2, clusters=8)
    gate = cf.compare(scores, "r1", clusters=clusters).gate()
    assert "8 clusters that differ could have shown a loss" in gate.lines[0]
    few = {topic: name for topic, name in clusters.items() if name in {"need0", "need1", "need2", "need3"}}
    small = {run: {topic: values[topic] for topic in few} for run, values in scores.items()}
    lines = cf.compare(small, "r1", clusters=few).gate().lines
    assert "4 clusters cannot show a loss: no p is below 0.1250, use 6 clusters or more" in lines[0]
    with pytest.raises(InputError, match="a margin is not defined with clusters"):
        cf.compare(scores, "r1", clusters=clusters).gate(margin=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": {"t0": "a"}}, "without a cluster, expected a cluster for each of"),
        ({"clusters": lambda c: dict.fromkeys(c, "one")}, "1 cluster, expected at least 3"),
        ({"clusters": lambda c: c, "test": "wilcoxon"}, "test 'wilcoxon' with clusters of topics, expected one of"),
        ({"clusters": lambda c: c, "test": "tukey"}, "test 'tukey' with clusters of topics"),
        ({"clusters": {"zz": "a"}}, "expected an evaluated topic"),
        ({"clusters": lambda c: {topic: {"x": 1, "y": 2} for topic in c}}, "one column with clusters"),
    ],
)
def test_compare_wrong_clusters_raise(options: dict[str, Any], message: str) -> None:
    scores, clusters = make_random()
    values = {name: value(clusters) if callable(value) else value for name, value in options.items()}
    with pytest.raises(InputError, match=message):
        cf.compare(scores, **values)


# -- command --------------------------------------------------------------------------------------


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Write scores and a table of topics; return a function that runs a command."""
    monkeypatch.chdir(tmp_path)
    scores, clusters = make_random()
    rows = [f"{run},{topic},{value}" for run, values in scores.items() for topic, value in values.items()]
    Path("scores.csv").write_text("\n".join(["run,topic,AP", *rows]) + "\n")
    lines = [f"{topic},{name},{name}" for topic, name in clusters.items()]
    Path("topics.csv").write_text("\n".join(["topic,need,other", *lines]) + "\n")
    qrels = [f"{topic} 0 d{i} {i % 2}" for topic in clusters for i in range(4)]
    Path("qrels").write_text("\n".join(qrels) + "\n")
    for k in range(2):
        ranked = [
            f"{topic} Q0 d{i} {i} {1 / (1 + (i + k * len(topic)) % 4)} r{k}" for topic in clusters for i in range(4)
        ]
        Path(f"r{k}.run").write_text("\n".join(ranked) + "\n")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


COMPARE = "compare", "--scores", "scores.csv", "--clusters", "topics.csv:need"


def test_compare_command_clusters_add_columns_in_order(call: Call) -> None:
    for table in ("runs", "pairs"):
        code, out, _ = call(*COMPARE, "--table", table, "-f", "tsv")
        assert code == 0
        assert out.splitlines()[0].split("\t")[-4:] == ["clusters", "se", "df", "deff"]
        assert [*json.loads(call(*COMPARE, "-f", "json")[1])[table][0]][-4:] == ["clusters", "se", "df", "deff"]
    assert "clusters" not in call("compare", "--scores", "scores.csv", "--table", "pairs", "-f", "tsv")[1]


def test_compare_command_caption_states_clusters(call: Call) -> None:
    out = call(*COMPARE)[1]
    assert "topics in 12 clusters (CR2)" in out.replace("\n", " ")


def test_compare_command_wrong_test_exits_2(call: Call) -> None:
    code, out, err = call(*COMPARE, "--test", "sign")
    assert (code, out) == (2, "")
    assert "found test 'sign' with clusters of topics" in err


def test_evaluate_command_shows_cluster_means(call: Call) -> None:
    code, out, _ = call(
        "evaluate", "qrels", "r0.run", "r1.run", "-m", "AP", "--clusters", "topics.csv:need", "-f", "json"
    )
    rows = json.loads(out)["cluster_means"]
    assert code == 0
    assert [*rows[0]] == ["measure", "run", "topics", "mean", "low", "high", "clusters", "se", "df", "deff"]
    assert rows[0]["clusters"] == 12
    code, _, err = call("evaluate", "qrels", "r0.run", "--table", "cluster_means")
    assert (code, "requires --clusters FILE:COLUMN" in err) == (2, True)
