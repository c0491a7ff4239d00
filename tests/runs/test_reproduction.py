"""`cf.repro`: worked numbers of repro_eval, a second implementation, intervals, bad input, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.errors import CranfieldError
from cranfield.runs.reproduction import Resampling, _MeasureScores, compute_largest_rmse
from tests.made import examples

stats = pytest.importorskip("scipy.stats")

A, B = (0.5, 0.6, 0.4, 0.7), (0.4, 0.5, 0.4, 0.5)
A2, B2 = (0.45, 0.6, 0.35, 0.65), (0.4, 0.45, 0.4, 0.5)
TOPICS = [f"t{i}" for i in range(12)]
QRELS = {topic: {"a": 1, "b": 1} for topic in TOPICS}


def compute(a: Any, b: Any, a2: Any, b2: Any, replicated: bool = False, **resampling: Any) -> dict[str, Any]:
    """Return the values of scores, by name."""
    scores = _MeasureScores("M", np.array([a, b]).T, np.array([a2, b2]).T, replicated)
    rows, notes = scores.list_values(Resampling(**resampling))
    return {row.what: row for row in rows} | {"notes": [note.kind for note in notes]}


def make_runs(*ranks: int, spread: int = 0) -> dict[str, list[str]]:
    """Return a run whose first relevant document has these ranks, topic by topic."""
    docs = [f"d{i}" for i in range(9)]
    return {
        topic: [*docs[: ranks[i % len(ranks)] - 1], "a", *docs[ranks[i % len(ranks)] - 1 : 5 + spread]]
        for i, topic in enumerate(TOPICS)
    }


GOOD, BAD = make_runs(1, 1, 2), make_runs(2, 4, 3, 5)
GOOD2, BAD2 = make_runs(1, 2, 2), make_runs(3, 3, 2, 5)


# -- worked numbers -------------------------------------------------------------------------------


def test_values_of_scores_equal_repro_eval() -> None:
    """repro_eval 0.5.0 computed these numbers."""
    values = compute(A, B, A2, B2)
    expected = {
        "RMSE (A)": 0.0433013,
        "nRMSE (A)": 0.0716728,
        "ER": 0.75,
        "ΔRI": 0.0507937,
        "p (A)": 0.0576689,
        "p (B)": 0.3910022,
    }
    assert {name: values[name].value for name in expected} == pytest.approx(expected, abs=5e-8)


def test_values_of_rankings_equal_specification() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    result = cf.repro(qrels, {t: list("acbd") for t in qrels}, {t: list("bdca") for t in qrels}, "AP")
    assert result.value("KTU (A)").value == pytest.approx(-2 / 3)
    assert result.value("RBO (A)").value == pytest.approx(0.3893712, abs=5e-8)


@given(st.lists(st.permutations("abcdefgh"), min_size=2, max_size=2), st.integers(2, 8), st.integers(2, 8))
@settings(max_examples=examples(60))
def test_union_tau_equals_definition(orders: list[list[str]], n: int, m: int) -> None:
    x, y = orders[0][:n], [f"{doc}{doc}" if doc in "ab" else doc for doc in orders[1][:m]]
    union = list(dict.fromkeys(x + y))
    k = min(len(x), len(y))
    places = [[union.index(doc) for doc in docs[:k]] for docs in (x, y)]
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    result = cf.repro(qrels, dict.fromkeys(qrels, x), dict.fromkeys(qrels, y), "AP", trials=1)
    assert result.value("KTU (A)").value == pytest.approx(stats.kendalltau(*places).statistic)


SCORE = st.floats(0, 1).map(lambda x: round(x, 3))
SCORES = st.integers(3, 12).flatmap(lambda n: st.lists(st.lists(SCORE, min_size=n, max_size=n), min_size=4, max_size=4))


@given(SCORES, st.booleans())
@settings(max_examples=examples(60))
def test_values_of_scores_equal_second_implementation(scores: list[list[float]], replicated: bool) -> None:
    a, b, a2, b2 = (np.array(x) for x in scores)
    values = compute(a, b, a2, b2, replicated, trials=10)
    effect = (a - b).mean()
    if abs(effect) > 1e-9:
        assert values["ER"].value == pytest.approx((a2 - b2).mean() / effect)
    else:
        assert values["ER"].value is None
    if b.mean() > 1e-9 and b2.mean() > 1e-9:
        expected = (a.mean() - b.mean()) / b.mean() - (a2.mean() - b2.mean()) / b2.mean()
        assert values["ΔRI"].value == pytest.approx(expected, abs=1e-9)
    if replicated:
        assert "RMSE (A)" not in values
        expected_p = stats.ttest_ind(a, a2).pvalue
    else:
        assert values["RMSE (A)"].value == pytest.approx(np.sqrt(((a - a2) ** 2).mean()))
        scale = np.sqrt((np.maximum(a, 1 - a) ** 2).mean())
        assert values["nRMSE (A)"].value == pytest.approx(np.sqrt(((a - a2) ** 2).mean()) / scale)
        expected_p = stats.ttest_rel(a, a2).pvalue if (a != a2).any() else 1.0
    if not math.isnan(expected_p) and len({*(a - a2).round(9)}) > 1:
        assert values["p (A)"].value == pytest.approx(expected_p, abs=1e-9)


# -- intervals ------------------------------------------------------------------------------------


def test_intervals_contain_the_values_and_depend_on_the_seed() -> None:
    rng = np.random.default_rng(0)
    b = rng.uniform(0.2, 0.5, 50)
    a = b + rng.uniform(0.05, 0.2, 50)
    a2, b2 = a + rng.normal(0, 0.02, 50), b + rng.normal(0, 0.02, 50)
    values = compute(a, b, a2, b2)
    for name in ("RMSE (A)", "nRMSE (B)", "ER", "ΔRI", "mean A − B"):
        assert values[name].lower < values[name].value < values[name].upper
    assert values["notes"] == []
    assert compute(a, b, a2, b2)["ER"] == values["ER"]
    assert compute(a, b, a2, b2, seed=1)["ER"].lower != values["ER"].lower
    narrow = compute(a, b, a2, b2, confidence=0.5)["ER"]
    assert values["ER"].lower < narrow.lower < narrow.upper < values["ER"].upper


def test_intervals_use_one_draw_for_all_runs() -> None:
    """If the reproduced difference is twice the original in every topic, ER is 2 in every trial."""
    a, b = np.array(A) + 0.1, np.array(B)
    values = compute(a, b, b + 2 * (a - b), b)
    assert [values["ER"].lower, values["ER"].value, values["ER"].upper] == pytest.approx([2, 2, 2])


def test_interval_of_mean_equals_percentiles() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform(size=200), rng.uniform(size=200) / 2
    values = compute(a, b, a, b)
    error = (a - b).std(ddof=1) / math.sqrt(200)
    row = values["mean A − B"]
    assert [row.lower, row.upper] == pytest.approx([row.value - 1.96 * error, row.value + 1.96 * error], abs=0.006)


def test_no_effect_has_a_note_and_no_interval() -> None:
    a, b = (0.5, 0.3, 0.6, 0.3), (0.4, 0.5, 0.3, 0.4)
    values = compute(a, b, a, b)
    assert values["notes"] == ["no-effect"]
    assert (values["ER"].lower, values["ER"].upper) == (None, None)
    assert values["ER"].value == pytest.approx(1)


def test_equal_runs_have_no_effect_ratio() -> None:
    values = compute(A, A, A2, B2)
    assert values["ER"].value is None
    assert values["notes"] == ["no-effect"]


def test_trials_without_a_value_are_counted() -> None:
    """Topic 3 has no difference: drawn four times, ER is 0 / 0. (1/4)⁴ of 10,000 trials are 39."""
    scores = _MeasureScores("M", np.array([A, B]).T, np.array([A2, B2]).T, False)
    rows, notes = scores.list_values(Resampling())
    assert next(row for row in rows if row.what == "ER").lower is not None
    (note,) = notes
    assert note.kind == "undefined"
    assert 10 < int(note.text.split("excludes ")[1].split()[0]) < 80


def test_largest_rmse_outside_0_and_1_is_undefined() -> None:
    assert math.isnan(compute_largest_rmse(np.array([0.5, 1.5])))
    result = cf.repro(QRELS, GOOD, GOOD2, "num_ret")
    assert result.value("RMSE (A)").value == 0
    assert result.value("nRMSE (A)").value is None
    assert "no-nrmse" in {note.kind for note in result.notes}


# -- runs -----------------------------------------------------------------------------------------


def test_repro_without_baseline_has_no_effects() -> None:
    result = cf.repro(QRELS, GOOD, GOOD2, "RR")
    assert {row.what for row in result.rows} == {"KTU (A)", "RBO (A)", "RMSE (A)", "nRMSE (A)", "p (A)"}
    with pytest.raises(CranfieldError, match="found value 'ER', expected one of KTU"):
        result.value("ER")


def test_repro_of_the_same_runs_is_perfect() -> None:
    result = cf.repro(QRELS, [GOOD, BAD], [GOOD, BAD], "RR")
    values = {row.what: row.value for row in result.rows}
    assert (values["ER"], values["ΔRI"], values["RMSE (A)"], values["p (A)"], values["KTU (A)"]) == (1, 0, 0, 1, 1)


def test_repro_equals_scores_of_evaluate() -> None:
    result = cf.repro(QRELS, [GOOD, BAD], [GOOD2, BAD2], "RR AP")
    for measure in ("RR", "AP"):
        runs = {"A": GOOD, "B": BAD, "A2": GOOD2, "B2": BAD2}
        means = {run: row[measure] for run, row in cf.evaluate(QRELS, runs, measure).summary().items()}
        expected = (means["A2"] - means["B2"]) / (means["A"] - means["B"])
        assert result.value("ER", measure).value == pytest.approx(expected)


def test_repro_replicated_uses_other_topics() -> None:
    other = {f"u{i}": {"a": 1} for i in range(8)}
    good, bad = (dict(zip(other, run.values(), strict=False)) for run in (GOOD2, BAD2))
    result = cf.repro(QRELS, [GOOD, BAD], [good, bad], "RR", replicated=other)
    assert {row.what for row in result.rows} == {"p (A)", "p (B)", "mean A − B", "mean A2 − B2", "ER", "ΔRI"}
    first, second = cf.evaluate(QRELS, GOOD, "RR"), cf.evaluate(other, good, "RR")
    expected = stats.ttest_ind(first.values[0, :, 0], second.values[0, :, 0]).pvalue
    assert result.value("p (A)").value == pytest.approx(expected)
    assert "12 topics and 8 other topics" in result.as_text()


def test_repro_missing_topics_are_noted_and_undefined_tau_is_excluded() -> None:
    short = {topic: docs for topic, docs in GOOD2.items() if topic != "t3"}
    result = cf.repro(QRELS, GOOD, short, "RR")
    kinds = {note.kind for note in result.notes}
    assert {"missing-topics", "undefined"} <= kinds


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        (([GOOD, BAD], [GOOD2]), {}, "found 2 runs in original and 1 run in reproduced"),
        (([GOOD, BAD, BAD], [GOOD2]), {}, "found 3 runs in original, expected the advanced run"),
        ((GOOD, {"z": ["a"]}), {}, "found topics z"),
        ((GOOD, GOOD2), {"p": 0}, "found p=0"),
        ((GOOD, GOOD2), {"trials": 0}, "found trials=0"),
        ((GOOD, GOOD2), {"confidence": 2}, "found confidence=2"),
        ((GOOD, GOOD2), {"measures": "nope"}, "nope"),
    ],
)
def test_repro_bad_input_raises(runs: Any, options: Any, message: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.repro(QRELS, *runs, **options)
    assert message in str(error.value)


def test_repro_one_topic_raises() -> None:
    with pytest.raises(CranfieldError, match="found 1 topic, expected at least 2"):
        cf.repro({"q": {"a": 1}}, {"q": ["a"]}, {"q": ["b"]}, "AP")


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, run in {"a": GOOD, "b": BAD, "a2": GOOD2, "b2": BAD2}.items():
        lines = [f"{t} Q0 {d} {r} {9 - r} tag\n" for t, docs in run.items() for r, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    judged = [f"{t} 0 {d} {level}\n" for t, docs in QRELS.items() for d, level in docs.items()]
    (tmp_path / "qrels").write_text("".join(judged))
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = ["repro", "qrels", "--original", "a.run", "b.run", "--reproduced", "a2.run", "b2.run", "-m", "RR"]


def test_repro_command_tsv_equals_function(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "-f", "tsv"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["measure", "what", "value", "lower", "upper"]
    result = cf.repro("qrels", ["a.run", "b.run"], ["a2.run", "b2.run"], "RR")
    ratio = result.value("ER")
    assert ["RR", "ER", *map(repr, (ratio.value, ratio.lower, ratio.upper))] in lines


def test_repro_command_caption_names_runs_with_equal_tags_by_file(files: Path, capsys: Any) -> None:
    assert main(WORDS) == 0
    out = capsys.readouterr().out
    assert "How well a2.run and b2.run reproduce a.run and b.run by RR, on 12 topics." in out
    assert "A: a.run → a2.run, B: b.run → b2.run." in out


def test_repro_command_same_baseline_twice(files: Path, capsys: Any) -> None:
    assert (
        main(
            [
                "repro",
                "qrels",
                "--original",
                "a.run",
                "b.run",
                "--reproduced",
                "a2.run",
                "b.run",
                "-m",
                "RR",
                "-f",
                "json",
            ]
        )
        == 0
    )
    rows = {row["what"]: row["value"] for row in json.loads(capsys.readouterr().out)["values"]}
    assert rows["RMSE (B)"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("repro qrels --original a.run", "the following arguments are required: --reproduced"),
        ("repro qrels --original a.run b.run --reproduced a2.run", "found 2 runs in original and 1 run in reproduced"),
        ("repro a.run --original qrels --reproduced a2.run", "a.run:1: found 6 fields"),
        ("repro qrels --original a.run a.run --reproduced a2.run b2.run", "duplicate run a.run"),
        ("repro qrels --original a.run --reproduced missing.run", "cannot read missing.run"),
        ("repro qrels --original a.run --reproduced a2.run -o a.run", "it is also an input"),
    ],
)
def test_repro_command_bad_input_exits_2(files: Path, capsys: Any, words: str, message: str) -> None:
    try:
        code = main(words.split())
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert message in captured.err
    assert "Traceback" not in captured.err
