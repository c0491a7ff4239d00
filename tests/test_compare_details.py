"""Details of how scores are read, tested and shown that nothing else looked at."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.meta.brief import in_brief
from cranfield.meta.cautions import near_alpha, of_rankings
from cranfield.report.comparison import procedure, settings, sheets, usual
from cranfield.report.sheets import Sheet, interval_text, p_field
from cranfield.scores import Notice, Scores
from cranfield.stats.cautions import about_constant, about_normality, about_trials, about_zeros
from cranfield.stats.families import compare_pairs
from cranfield.stats.measured import by_measure, ranking, without_errors
from cranfield.stats.resampling import CELLS, checked_trials, in_chunks
from cranfield.stats.result import Sampled
from cranfield.stats.samples import matrix


def scored(
    values: list[list[list[float]]], measures: tuple[str, ...], notices: tuple[Notice, ...] = ()
) -> Scores:
    runs = tuple(f"r{i}" for i in range(len(values)))
    topics = tuple(map(str, range(len(values[0]))))
    summaries = tuple("se" if m.endswith(".se") else "mean" for m in measures)
    return Scores(np.array(values), runs, topics, measures, summaries, notices=notices)


# Random streams


def test_chunks_of_one_seed_are_not_chunks_of_another() -> None:
    """Seed 0's second chunk is not seed 1's first: results of two seeds are independent."""
    first, second = (
        in_chunks(lambda random, size: random.random(), 2, seed, cells=CELLS) for seed in (0, 1)
    )
    assert not set(first) & set(second)


@pytest.mark.parametrize(("trials", "seed"), [(True, 0), (10, False)])
def test_yes_and_no_are_no_numbers_of_trials(trials: object, seed: object) -> None:
    with pytest.raises(cf.CranfieldError, match="whole number"):
        checked_trials(trials, seed)


@pytest.mark.parametrize("test", ["randomised-tukey", "randomisation"])
def test_progress_is_told_of_every_trial(test: str) -> None:
    told: list[int] = []
    x = np.random.default_rng(0).random((30, 3))
    compare_pairs(x, test, trials=200, progress=told.append)
    assert sum(told) == (200 if test == "randomised-tukey" else 3 * 200)


# What tests see


def test_standard_errors_are_no_measures() -> None:
    scores = scored([[[0.5, 0.1], [0.4, 0.1]], [[0.3, 0.1], [0.2, 0.1]]], ("ERR", "ERR.se"))
    assert without_errors(scores).measures == ("ERR",)
    assert ranking(scores) == (["ERR"], ())
    assert list(by_measure(scores)[0]) == ["ERR"]


def test_one_run_and_one_topic_cannot_be_compared() -> None:
    with pytest.raises(cf.CranfieldError, match="found 1 run, expected at least 2"):
        by_measure(scored([[[0.5], [0.4]]], ("AP",)))
    with pytest.raises(cf.CranfieldError, match="found 1 topic, expected at least 2"):
        by_measure(scored([[[0.5]], [[0.4]]], ("AP",)))


def test_a_measure_defined_for_one_topic_is_left_out() -> None:
    nan = math.nan
    scores = scored([[[0.5, 0.5], [0.4, nan]], [[0.3, 0.3], [0.2, 0.1]]], ("AP", "RR"))
    found, notices = by_measure(scores)
    assert list(found) == ["AP"]
    assert notices[-1].text == "RR is left out: defined for 1 topic only"


def test_notices_of_the_scores_come_first() -> None:
    notice = Notice("ties", "ties matter")
    scores = scored([[[0.5], [0.4]], [[0.3], [0.2]]], ("AP",), notices=(notice,))
    assert by_measure(scores)[1] == (notice,)


# Cautions


def skewed(n: int, ones: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([1.0] * ones + [0.0] * (n - ones))


def test_skewness_is_judged_by_the_number_of_topics() -> None:
    """Of a share p of ones, skewness is (1 − 2p) / √(p (1 − p)): 2.67 for 0.1, either way.

    It is more than three standard errors, 3 √(6 · 98 / (101 · 103)) = 0.71, from 0, and of 100
    topics not above 0.3 √100 = 3. For 0.05 it is 4.13.
    """
    assert about_normality(skewed(100, 10)) == ()
    assert "(4.13)" in about_normality(skewed(100, 5))[0].text
    assert "(-4.13)" in about_normality(-skewed(100, 5))[0].text


def test_differences_of_0_are_told_once() -> None:
    assert about_zeros(np.zeros(4)) == ()
    assert about_constant(np.zeros(4), 0.0) == ()


# Scores of other tools


def test_topics_without_the_measures_asked_for_are_none() -> None:
    of_run = {"1": {"AP": 0.1}, "2": {"AP": 0.2}, "3": {"RR": 0.5}}
    assert cf.read_scores({"a": of_run, "b": of_run}, measures="AP").topics == ("1", "2")


def test_bounds_are_better_at_neither_end() -> None:
    of_run = {"1": {"RBP": 0.1, "RBP.upper": 0.3}, "2": {"RBP": 0.2, "RBP.upper": 0.4}}
    scores = cf.read_scores({"a": of_run, "b": of_run})
    assert dict(zip(scores.measures, scores.better, strict=True)) == {
        "RBP": "higher",
        "RBP.upper": "neither",
    }


def test_saved_scores_and_those_of_another_tool(tmp_path: Path) -> None:
    saved = cf.read_scores({"a": {"1": {"AP": 0.1}, "2": {"AP": 0.2}}})
    (tmp_path / "a.json").write_text(saved.to_json())
    (tmp_path / "b.eval").write_text("AP 1 0.3\nAP 2 0.4\n")
    both = cf.read_scores([tmp_path / "a.json", tmp_path / "b.eval"])
    assert both.runs == ("a", "b")
    assert both.values.ravel().tolist() == [0.1, 0.2, 0.3, 0.4]


# Tables


def test_an_end_of_almost_0_has_no_minus() -> None:
    assert interval_text(-1e-9, 0.5) == "[0.0000, 0.5000]"
    assert interval_text(-1.0, -1e-9, "+") == "[-1.0000, +0.0000]"


def test_p_at_alpha_has_a_star() -> None:
    assert p_field([Sampled(4, 99, seed=0), Sampled(5, 99, seed=0)], 0.05).marks == ["*", ""]


# The tables of a comparison

RANDOM = np.random.default_rng(3).random((12, 3))
RUNS = {
    run: {str(t): {"AP": float(x), "RR": float(x) ** 2} for t, x in enumerate(RANDOM[:, r])}
    for r, run in enumerate("abc")
}


def table(name: str, found: cf.Comparison) -> Sheet:
    return next(sheet for sheet in sheets(found) if sheet.name == name)


def test_programs_see_what_the_comparison_found() -> None:
    found = cf.compare(RUNS, test="bootstrap", trials=200)
    columns = {
        "measure": "measure", "run": "run", "other": "other", "topics": "topics",
        "difference": "difference", "low": "low", "high": "high", "statistic": "statistic",
        "pvalue": "pvalue", "uncorrected": "uncorrected", "asl": "asl", "mc_error": "error",
        "effect": "effect", "dz": "dz", "wins": "wins", "ties": "ties", "losses": "losses",
        "verdict": "verdict",
    }  # fmt: skip
    expected = [{c: getattr(p, name) for c, name in columns.items()} for p in found.pairs]
    assert table("pairs", found).rows == expected
    assert any(p.wins != p.losses for p in found.pairs)  # or the test would not tell
    assert any(p.pvalue != p.uncorrected for p in found.pairs)
    assert any(p.effect != p.dz for p in found.pairs)


def test_programs_see_which_baselines_a_run_differs_from() -> None:
    x = {str(t): t / 20 for t in range(12)}
    better, worse = ({t: v + d for t, v in x.items()} for d in (0.1, -0.1))
    found = cf.compare({"x": x, "better": better, "worse": worse}, "x")
    told = {
        row["run"]: (row["better_than"], row["worse_than"]) for row in table("runs", found).rows
    }
    assert told == {"better": ("x", ""), "x": ("", ""), "worse": ("", "x")}
    marks = dict(zip(*(f.shown for f in table("runs", found).fields if f.name in
                       ("run", "significant")), strict=True))  # fmt: skip
    assert marks == {"better": "+a", "x (a)": "", "worse": "-a"}


def test_the_usual_tables_suit_the_format() -> None:
    found = cf.compare(RUNS, test="t")
    assert usual(found, "csv", None) == ("pairs",)
    assert usual(found, "json", None) == ("runs", "pairs", "movers")
    assert usual(found, "latex", None) == ("results", "pairs")
    assert usual(found, "table", None) == ("runs", "pairs")  # 6 pairs have many movers
    assert usual(found, "table", 2) == ("runs", "pairs", "movers")
    assert usual(found, "table", 0) == ("runs", "pairs")


def test_settings_are_those_of_the_comparison() -> None:
    told = settings(cf.compare(RUNS, test="bootstrap", alpha=0.1, trials=200, seed=4))
    assert told["confidence"] == pytest.approx(0.9)
    assert [told[name] for name in ("test", "correction", "trials", "seed", "topics", "runs")] == [
        "bootstrap", "holm", 200, 4, 12, 3,
    ]  # fmt: skip


def test_captions_say_how_many_comparisons_were_corrected_for() -> None:
    several = cf.compare(RUNS, test="t")
    assert "Holm's correction for 3 comparisons by each measure" in procedure(several)
    two = cf.compare({run: RUNS[run] for run in "ab"}, test="t")
    assert procedure(two) == "paired t-test, two-sided, α = 0.05"


def test_captions_say_for_how_many_pairs_intervals_hold() -> None:
    def caption(runs: str, **options: str) -> str:
        found = cf.compare({run: RUNS[run] for run in runs}, **options)  # type: ignore[arg-type]
        return table("pairs", found).caption

    assert "means, for each pair alone." in caption("abc", test="t")
    assert "means, simultaneous." in caption("abc", test="tukey")
    assert "Bonferroni's, simultaneous." in caption("abc", test="t", correction="bonferroni")
    assert "of the difference of means. Effect" in caption("ab", test="t")


def test_the_27th_baseline_has_a_sign_of_its_own() -> None:
    """After z."""
    runs = {f"r{i:02}": {str(t): float(v) for t, v in enumerate(x)}
            for i, x in enumerate(np.random.default_rng(0).random((28, 4)))}  # fmt: skip
    found = cf.compare(runs, [f"r{i:02}" for i in range(27)], test="t", correction="none")
    names = table("results", found).fields[0].shown
    assert {"r25 (z)", "r26 (b26)", "r27"} <= set(names)
    assert len(names) == 28


# Results in a line, and what is told of rankings


def test_six_numbers_are_shown_in_a_line() -> None:
    six = {f"m{i}": 0.5 for i in range(6)}
    assert in_brief(Exception(), ["1 run"], six).endswith("m5 0.5000")
    assert in_brief(Exception(), ["1 run"], {**six, "m6": 0.5}).endswith("m5 0.5000, …")


def test_rounding_ranks_nothing() -> None:
    """0.1 + 0.2 is no better than 0.3."""
    means = np.array([0.1 + 0.2, 0.3, 0.3, 0.3])
    assert [notice.kind for notice in of_rankings({"AP": means})] == ["constant"]


def test_more_trials_do_not_help_where_all_outcomes_were_counted() -> None:
    """6 topics that all differ the same way: p = 2 / 64, exactly α."""
    x = np.column_stack([np.arange(6.0), np.arange(6.0) + 1])
    tested = compare_pairs(x, "randomisation")
    assert tested[0].pvalue == 2 / 64
    assert near_alpha({"AP": tested}, 2 / 64) == ()


def test_counts_are_compared_if_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, extra in (("a", 0), ("b", 1)):
        lines = [f"map {t} 0.{t}\nnum_ret {t} {t + extra}\n" for t in range(1, 4)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    files = [str(tmp_path / "a.eval"), str(tmp_path / "b.eval")]
    for asked, measures in (([], {"map"}), (["-m", "num_ret map"], {"num_ret", "map"})):
        assert main(["compare", "--scores", *files, *asked, "-f", "csv"]) == 0
        rows = capsys.readouterr().out.splitlines()[1:]
        assert {row.split(",")[0] for row in rows} == measures


# Files and options of commands that begin with scores


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in range(1, 5)))
    (tmp_path / "other").write_text("".join(f"{t} 0 a 0\n{t} 0 b 1\n" for t in range(1, 5)))
    (tmp_path / "runs").mkdir()
    for name, order in (("x", "ab"), ("y", "ba"), ("z", "cab")):
        lines = [f"{t} Q0 {doc} {r} {9 - r} {name}\n" for t in range(1, 5)
                 for r, doc in enumerate(order, 1)]  # fmt: skip
        (tmp_path / "runs" / name).write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("compare qrels runs runs/x", "runs is a directory, expected a run"),
        ("compare --scores one.eval", "found 1 run, expected at least 2"),
        ("compare --scores - -", "standard input"),
        ("compare qrels - -", "standard input"),
    ],
)
def test_files_that_cannot_be_compared(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    (files / "one.eval").write_text("map 1 0.5\nmap 2 0.25\n")
    assert main(arguments.split()) == 2
    assert said in capsys.readouterr().err


def test_counts_alone_are_compared(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        (files / f"{name}.eval").write_text("num_ret 1 5\nnum_ret 2 6\n")
    assert main(["compare", "--scores", "a.eval", "b.eval", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("num_ret,a,b,2,")


def test_a_preset_says_which_measures(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "own.toml").write_text('[presets.own]\ntask = "Own"\nmeasures = ["P@1"]\n')
    arguments = "compare qrels runs/x runs/y --presets own.toml --preset own -f csv"
    assert main(arguments.split()) == 0
    assert {row.split(",")[0] for row in capsys.readouterr().out.splitlines()[1:]} == {"P@1"}


def test_other_judgments_rank_the_other_way(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """RR of x, y, z: 1, 1/2, 1/2 by the first; 1/2, 1, 1/3 by the other.

    Pairs x–y: + and −; x–z: + and +; y–z: tied and +. One for, one against: τ = 0.
    """
    arguments = "meta correlation qrels runs/x runs/y runs/z --qrels2 other -m RR --trials 2"
    assert main([*arguments.split(), "-f", "jsonl"]) == 0
    assert '"value": 0.0' in capsys.readouterr().out


# Verdicts and what cannot be significant


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_the_verdict_is_about_what_the_test_is_about(test: str) -> None:
    """18 of 20 topics are worse, by little; two are much better, so that the mean is, too."""
    z = [-0.01 - t / 1000 for t in range(18)] + [0.9, 0.9]
    base = {str(t): 0.5 for t in range(20)}
    run = {str(t): 0.5 + v for t, v in enumerate(z)}
    [pair] = cf.compare({"base": base, "run": run}, "base", test=test).pairs
    assert pair.difference > 0
    assert (pair.pvalue <= 0.05, pair.verdict) == (True, "worse")


def hopeless(topics: int, runs: int, correction: str) -> bool:
    x = np.random.default_rng(0).random((runs, topics))
    scores = {f"r{i}": {str(t): float(v) for t, v in enumerate(row)} for i, row in enumerate(x)}
    found = cf.compare(scores, test="randomisation", correction=correction)
    return any(notice.kind == "hopeless" for notice in found.notices)


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
    told = [
        [notice.kind for notice in cf.compare(runs, trials=300, alpha=alpha).notices]
        for alpha in (0.05, 0.5)
    ]
    assert told == [["trials"], []]


def test_results_have_a_row_for_each_run() -> None:
    rows = table("results", cf.compare(RUNS, test="t")).rows
    assert sorted(row["run"] for row in rows) == ["a", "b", "c"]
    assert list(rows[0]) == ["run", "AP", "RR"]


# What a second review found


def test_trials_are_too_few_by_the_corrected_p_value() -> None:
    """Of three tests: 3 · 0.019 is near 0.05, 3 · 0.049 is not; errors are three times as large."""
    near, far = Sampled(37, 1999, seed=0), Sampled(97, 1999, seed=0)  # p = 0.019, 0.049
    assert "0.0570" in about_trials(near, 0.05, 3 * near.pvalue)[0].text
    assert about_trials(near, 0.05) == ()
    assert about_trials(far, 0.05, 3 * far.pvalue) == ()
    assert len(about_trials(far, 0.05)) == 1


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


@pytest.mark.parametrize("command", ["compare", "plan", "meta swap"])
def test_standard_errors_alone_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("topic,AP.se\n1,.1\n2,.2\n")
    assert main([*command.split(), "--scores", *map(str, sorted(tmp_path.iterdir()))]) == 2
    assert "found standard errors only (AP.se), expected a measure" in capsys.readouterr().err


def test_a_column_of_topics_is_no_system() -> None:
    frame = pl.DataFrame({"topic": [301, 302], "bm25": [0.1, 0.2], "dense": [0.3, 0.4]})
    for given in (frame, frame.to_pandas(), frame.with_columns(pl.col("topic").cast(pl.String))):
        found = matrix(given)
        assert (found.systems, found.topics) == (("bm25", "dense"), ("301", "302"))
    with pytest.raises(cf.CranfieldError, match="a topic twice"):
        matrix(frame.with_columns(topic=pl.lit(1)))


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_table_for_people_is_no_empty_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    for name, off in (("a", 0), ("b", 1), ("c", 2)):
        lines = [
            f"{m} {t} 0.{(t * k + off) % 7}\n"
            for t in range(1, 5)
            for k, m in enumerate(("map", "P_10"), 1)
        ]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    files = [*map(str, sorted(tmp_path.glob("*.eval")))]
    out = tmp_path / "out"
    asked = ["--trials", "10", "--table", "matrix", "-f", format, "-o", str(out)]
    assert main(["meta", "correlation", "--scores", *files, *asked]) == 2
    assert "expected pairs" in capsys.readouterr().err
    assert not out.exists()
