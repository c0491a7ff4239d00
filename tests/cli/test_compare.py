"""`cranfield compare`, and other commands that begin with scores."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.comparison import Comparison, compare
from cranfield.stats.samples import to_matrix
from tests.made import Command, simulated

# On the command line


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and three runs: `good` finds the relevant document first, `bad` seldom."""
    random = np.random.default_rng(5)
    qrels, runs = [], {name: [] for name in ("good", "fair", "bad")}  # type: ignore[var-annotated]
    for t in range(20):
        qrels += [f"q{t} 0 d{i} {int(i < 3)}" for i in range(10)]
        for name, luck in (("good", 3.0), ("fair", 2.5), ("bad", 0.0)):
            scores = {f"d{i}": luck * (i < 3) + random.normal() for i in range(10)}
            ranked = sorted(scores, key=lambda d: -scores[d])
            runs[name] += [f"q{t} Q0 {d} {r} {scores[d]:.6f} {name}" for r, d in enumerate(ranked, 1)]
    (tmp_path / "qrels.txt").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    return [str(tmp_path / name) for name in ("qrels.txt", "good.run", "fair.run", "bad.run")]


class TestCommand:
    def test_says_what_was_compared(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["compare", *files, "-m", "AP", "--trials", "1000", "--seed", "7"]) == 0
        shown = capsys.readouterr().out
        assert "randomised Tukey HSD test, 1,000 trials, seed 7, two-sided, α = 0.05" in shown
        assert "3 runs on 20 topics by AP" in shown
        assert " 0.0000" not in shown  # no p-value is
        assert "<0.001*" in shown

    def test_fails_if_worse(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        gate = ["compare", *files, "-m", "AP", "--trials", "999", "--fail-if-worse"]
        assert main([*gate, "--baseline", "good"]) == 1
        said = "verdict: fail: bad is significantly worse than good by AP: -"
        assert said in capsys.readouterr().err
        assert main([*gate, "--baseline", "bad"]) == 0
        assert main([*gate, "--baseline", files[1]]) == 1  # by its file
        folder, name = files[1].rsplit("/", 1)
        assert main([*gate, "--baseline", f"{folder}/./{name}"]) == 1
        assert main(gate) == 2
        assert "requires --baseline RUN" in capsys.readouterr().err

    def test_json_has_everything(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["compare", *files, "-m", "AP P@1", "-f", "json", "--trials", "99"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert {"runs", "pairs", "movers", "captions", "notices"} <= set(shown)
        assert len(shown["pairs"]) == 6
        assert shown["settings"] == {
            "test": "randomised-tukey",
            "correction": "none",
            "alpha": 0.05,
            "confidence": 0.95,
            "trials": 99,
            "seed": 0,
            "enumerated": False,
            "effect": "anova",
            "baselines": [],
            "topics": 20,
            "runs": 3,
        }
        expected = compare(cf.evaluate(files[0], files[1:], ["AP", "P@1"]), trials=99)
        assert [p["pvalue"] for p in shown["pairs"]] == [p.pvalue for p in expected.pairs]
        assert [p["low"] for p in shown["pairs"]] == [p.low for p in expected.pairs]

    @pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "markdown", "latex"])
    def test_formats(self, files: list[str], capsys: pytest.CaptureFixture[str], format: str) -> None:
        assert main(["compare", *files, "-m", "AP", "-f", format, "--trials", "99"]) == 0
        shown = capsys.readouterr().out
        assert "good" in shown
        if format in ("markdown", "latex"):
            assert "randomised Tukey HSD test, 99 trials, seed 0" in shown
        else:
            assert len(shown.splitlines()) == 3 + (format != "jsonl")

    def test_scores_of_other_tools(self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        scores = cf.evaluate(files[0], files[1:], "AP")
        for run in scores.runs:
            lines = [f"map\t{t}\t{scores[run, t, 'AP']!r}" for t in scores.topics]
            text = "\n".join([*lines, f"runid\tall\t{run}", "map\tall\t0.5"])
            (tmp_path / f"{run}.eval").write_text(text + "\n")
        evals = [str(tmp_path / f"{run}.eval") for run in scores.runs]
        assert main(["compare", "--scores", *evals, "-f", "json", "--trials", "99"]) == 0
        shown = json.loads(capsys.readouterr().out)
        expected = compare(scores, trials=99)
        assert [p["pvalue"] for p in shown["pairs"]] == [p.pvalue for p in expected.pairs]
        assert {p["measure"] for p in shown["pairs"]} == {"map"}

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "no files given"),
            (["--scores"], "no file with scores given"),
            (["Q"], "no run given. Usage: QRELS RUN RUN…"),
            (["Q", "GOOD"], "found 1 run, expected at least 2"),
            (["Q", "GOOD", "BAD", "--baseline", "x"], "found baseline 'x'"),
            (["Q", "GOOD", "BAD", "--movers", "-1"], "found --movers -1"),
            (
                ["Q", "GOOD", "BAD", "--movers", "0", "--table", "movers"],
                "use either --movers 0 or",
            ),
            (["Q", "GOOD", "BAD", "--missing", "zero"], "--missing requires --scores"),
            (["Q", "GOOD", "BAD", "--alpha", "0"], "found alpha=0.0"),
            (["Q", "GOOD", "BAD", "--seed", "-1"], "found seed=-1"),
        ],
    )
    def test_mistakes(
        self, files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
    ) -> None:
        names = {"Q": files[0], "GOOD": files[1], "BAD": files[3]}
        assert main(["compare", *(names.get(a, a) for a in arguments)]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert "Traceback" not in told

    def test_the_object_is_exported(self) -> None:
        assert isinstance(cf.compare(simulated(2)), Comparison)


def test_counts_are_compared_if_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, extra in (("a", 0), ("b", 1)):
        lines = [f"map {t} 0.{t}\nnum_ret {t} {t + extra}\n" for t in range(1, 4)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    four_topics = [str(tmp_path / "a.eval"), str(tmp_path / "b.eval")]
    for asked, measures in (([], {"map"}), (["-m", "num_ret map"], {"num_ret", "map"})):
        assert main(["compare", "--scores", *four_topics, *asked, "-f", "csv"]) == 0
        rows = capsys.readouterr().out.splitlines()[1:]
        assert {row.split(",")[0] for row in rows} == measures


# Files and options of commands that begin with scores


@pytest.fixture
def four_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
        ("compare qrels runs runs/x", "run runs is a directory. Use"),
        ("compare --scores one.eval", "found 1 run, expected at least 2"),
        ("compare --scores - -", "standard input"),
        ("compare qrels - -", "standard input"),
    ],
)
def test_files_that_cannot_be_compared(
    four_topics: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    (four_topics / "one.eval").write_text("map 1 0.5\nmap 2 0.25\n")
    assert main(arguments.split()) == 2
    assert said in capsys.readouterr().err


def test_counts_alone_are_compared(four_topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        (four_topics / f"{name}.eval").write_text("num_ret 1 5\nnum_ret 2 6\n")
    assert main(["compare", "--scores", "a.eval", "b.eval", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("num_ret,a.eval,b.eval,2,")


def test_a_preset_says_which_measures(four_topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (four_topics / "own.toml").write_text('[presets.own]\ntask = "Own"\nmeasures = ["P@1"]\n')
    arguments = "compare qrels runs/x runs/y --presets own.toml --preset own -f csv"
    assert main(arguments.split()) == 0
    assert {row.split(",")[0] for row in capsys.readouterr().out.splitlines()[1:]} == {"P@1"}


def test_other_judgments_rank_the_other_way(four_topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """RR of x, y, z: 1, 1/2, 1/2 by the first; 1/2, 1, 1/3 by the other.

    Pairs x–y: + and −; x–z: + and +; y–z: tied and +. One for, one against: τ = 0.
    """
    arguments = "meta correlation qrels runs/x runs/y runs/z --qrels2 other -m RR --trials 2"
    assert main([*arguments.split(), "-f", "jsonl"]) == 0
    assert '"value": 0.0' in capsys.readouterr().out


# The gate


@pytest.fixture
def forty(here: Path) -> Path:
    """Scores of 40 topics: of 0.5, and of a run that loses 0.28 on five of them, which is 7%."""
    for name, lost in (("old", 0.0), ("new", 0.28)):
        lines = [f"map q{t} {0.5 - lost * (t < 5):.2f}\nRR q{t} 0.5\n" for t in range(40)]
        (here / f"{name}").write_text("".join(lines))
    return here


GATE = "compare --scores old new --baseline old --fail-if-worse"
VERDICT = "cannot tell whether new is worse than old by map: -0.0350 (-7.0%), 95% interval ["


def test_a_gate_that_cannot_fire_says_so(forty: Path, cranfield: Command) -> None:
    done = cranfield(f"{GATE} -m map")
    assert done.code == 1
    [line] = [line for line in done.err.splitlines() if line.startswith("verdict: ")]
    assert line.startswith(f"verdict: undecided, which fails: {VERDICT}")
    assert line.endswith("5 topics worse and 0 better of 40; 5 topics that differ could not have "
                         "shown a loss: no exact p is below 0.0625, 6 would be needed")  # fmt: skip
    assert cranfield(f"{GATE} -m map --undecided pass").code == 0
    assert cranfield(f"{GATE} -m map --quiet").err == f"{line}\n"
    assert "-0.035 (-7.0%), 95% interval [-0.06" in cranfield(f"{GATE} --decimals 3").err


@pytest.mark.parametrize(
    ("margin", "code", "said"),
    [
        ("0", 1, "verdict: fail: new is worse than old by map: -0.0350"),
        ("0.05", 1, "verdict: fail: new is worse than old by map: -0.0350"),
        ("0.07", 0, "verdict: pass: new is worse than old by map, but within the margin of 0.07"),
    ],
)
def test_a_margin_decides(forty: Path, cranfield: Command, margin: str, code: int, said: str) -> None:
    """90% t interval [−0.0600, −0.0100]; any measure that fails, fails: RR is the same."""
    done = cranfield(f"{GATE} --margin {margin}")
    assert done.code == code
    assert said in done.err
    assert "verdict: pass: new is not worse than old by RR" in done.err


def test_undecided_fails_unless_it_may_pass(forty: Path, cranfield: Command) -> None:
    """One topic lost, one won: the mean is 0, and its interval [−0.02, 0.02]."""
    for name, moved in (("old", {}), ("new", {0: -0.3, 1: 0.3})):
        lines = [f"map q{t} {0.5 + moved.get(t, 0.0):.2f}\n" for t in range(40)]
        (forty / f"{name}").write_text("".join(lines))
    for asked, code, how in (("", 1, "fails"), ("fail", 1, "fails"), ("pass", 0, "passes")):
        also = f" --undecided {asked}" if asked else ""
        done = cranfield(f"{GATE} --margin 0.01{also}")
        assert done.code == code
        assert f"verdict: undecided, which {how}: cannot tell whether new is worse" in done.err
        assert re.search(r"; about \d+ topics like these would decide$", done.err, re.MULTILINE)
    assert cranfield(f"{GATE} --margin 0.1").code == 0
    assert cranfield(f"{GATE} --margin 0 --undecided pass").code == 0


def test_lower_may_be_better_at_the_gate(forty: Path, cranfield: Command) -> None:
    turned = "compare --scores old new --baseline new --fail-if-worse --margin 0.05"
    done = cranfield(f"{turned} -m map --lower-is-better map")
    assert done.code == 1
    assert "fail: old is worse than new by map: +0.0350 (+7.5%), lower is better, " in done.err


def test_json_has_the_verdict(forty: Path, cranfield: Command) -> None:
    done = cranfield(f"{GATE} --margin 0.05 -m map -f json")
    document = json.loads(done.out)
    [verdict] = document["verdicts"]
    assert (verdict["decision"], verdict["passes"], verdict["losses"]) == ("fail", False, 5)
    assert verdict["text"] == done.err.rstrip("\n")
    gate = document["settings"]["gate"]
    assert (gate["margin"], gate["undecided"], gate["passed"]) == (0.05, "fail", False)
    assert "verdicts" not in json.loads(cranfield(f"{GATE[:-16]} -m map -f json").out)
    table = cranfield(f"{GATE} --margin 0.05 -m map --table verdicts -f csv")
    assert table.out.splitlines()[1].startswith("map,new,old,fail,False,40,")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--baseline old --margin 0.1", "--margin requires --fail-if-worse"),
        ("--baseline old --undecided pass", "requires --fail-if-worse"),
        ("--baseline old --fail-if-worse --margin -1", "found '-1', expected a number ≥ 0"),
        ("--baseline old --fail-if-worse --margin nan", "found 'nan', expected a number"),
        ("--baseline old --fail-if-worse --margin x", "found 'x', expected a number"),
        ("--baseline old --fail-if-worse --margin 1 --undecided x", "expected one of fail, pass"),
        ("--baseline old --fail-if-worse --margin 1 --alpha 0.5", "a number below 0.5"),
        ("--fail-if-worse --margin 1", "--fail-if-worse requires --baseline RUN"),
        ("--table verdicts", "expected a table of this result"),
    ],
)
def test_what_no_gate_is_asked(forty: Path, cranfield: Command, asked: str, said: str) -> None:
    done = cranfield(f"compare --scores old new {asked}")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_gate_needs_a_measure_that_can_be_worse(here: Path, cranfield: Command) -> None:
    for name in ("old", "new"):
        (here / f"{name}").write_text("num_ret 1 5\nnum_ret 2 6\n")
    done = cranfield(GATE)
    assert done.code == 2
    assert "found no measure to decide by" in done.err


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


@pytest.mark.parametrize("command", ["compare", "plan", "meta swap"])
def test_standard_errors_alone_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("topic,AP.se\n1,.1\n2,.2\n")
    assert main([*command.split(), "--scores", *map(str, sorted(tmp_path.iterdir()))]) == 2
    assert "only standard errors (AP.se), no measure" in capsys.readouterr().err


def test_a_column_of_topics_is_no_system() -> None:
    frame = pl.DataFrame({"topic": [301, 302], "bm25": [0.1, 0.2], "dense": [0.3, 0.4]})
    for given in (frame, frame.to_pandas(), frame.with_columns(pl.col("topic").cast(pl.String))):
        found = to_matrix(given)
        assert (found.systems, found.topics) == (("bm25", "dense"), ("301", "302"))
    with pytest.raises(cf.CranfieldError, match="frame has duplicate topics"):
        to_matrix(frame.with_columns(topic=pl.lit(1)))


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_table_for_people_is_no_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str) -> None:
    for name, off in (("a", 0), ("b", 1), ("c", 2)):
        lines = [f"{m} {t} 0.{(t * k + off) % 7}\n" for t in range(1, 5) for k, m in enumerate(("map", "P_10"), 1)]
        (tmp_path / f"{name}.eval").write_text("".join(lines))
    four_topics = [*map(str, sorted(tmp_path.glob("*.eval")))]
    out = tmp_path / "out"
    asked = ["--trials", "10", "--table", "matrix", "-f", format, "-o", str(out)]
    assert main(["meta", "correlation", "--scores", *four_topics, *asked]) == 2
    assert "expected pairs" in capsys.readouterr().err
    assert not out.exists()


def test_a_topic_that_no_scores_are_of_is_refused(here: Path, cranfield: Command) -> None:
    """As one without judgments is, where there are some."""
    for name in ("a", "b"):
        Path(name).write_text("map 1 0.5\nmap 2 0.25\n")
    said = cranfield.refused("compare --scores a b -m map --topics 3")
    assert said == "topic '3' is not in the scores: 2 topics (1, 2)"


# Teams and daggers


@pytest.fixture
def teams(files: list[str], tmp_path: Path) -> list[str]:
    """Two teams; the better run of the first is `good`, by AP."""
    (tmp_path / "teams").write_text("good Delft\nfair Delft\nbad Turin Tech\n")
    return ["compare", *files, "--teams", str(tmp_path / "teams"), "--trials", "999"]


def test_the_best_run_of_each_team(teams: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*teams, "-m", "map RR", "--best-by", "map", "--table", "teams", "-f", "csv"]) == 0
    done = capsys.readouterr()
    head, *rows = done.out.splitlines()
    assert head == "team,run,runs,AP,AP marks,RR,RR marks"
    assert [row.split(",")[:3] for row in rows] == [["Delft", "good", "2"],
                                                    ["Turin Tech", "bad", "1"]]  # fmt: skip
    assert "note: the best of up to 2 runs per team was selected by AP on the" in done.err


def test_tables_of_teams_are_shown_first(teams: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*teams, "-m", "AP", "--best-by", "AP"]) == 0
    answer, _, rest = capsys.readouterr().out.partition("\n\n")
    assert answer.startswith("By AP, ")
    assert rest.startswith("team        run   of runs")
    assert main([*teams, "-m", "AP", "-f", "json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert [row["team"] for row in held["teams"]] == ["Delft", "Turin Tech"]
    assert held["settings"]["best_by"] == "AP"


def test_baselines_stay(teams: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = ["--baseline", "fair", "--marks", "daggers", "--table", "teams", "-f", "latex"]
    assert main([*teams, "-m", "AP", *told]) == 0
    shown = capsys.readouterr().out
    assert r"Delft & fair ($\dagger$) & 2 &" in shown
    assert r"$\dagger$ significantly better than fair; with $-$ significantly worse (rand" in shown


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--marks daggers", "--marks"),
        ("--best-by AP", "--best-by"),
        ("--table teams", "expected a table of this result"),
    ],
)
def test_teams_and_marks_need_something(
    files: list[str], capsys: pytest.CaptureFixture[str], asked: str, said: str
) -> None:
    assert main(["compare", *files, *asked.split()]) == 2
    assert said in capsys.readouterr().err


def test_the_best_by_a_measure_that_is_not_there(teams: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*teams, "-m", "AP", "--best-by", "RR"]) == 2
    assert "cannot sort: no measure 'RR'" in capsys.readouterr().err


class TestUnjudged:
    """--unjudged: ranges of differences over all judgments of unjudged documents."""

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("q").write_text("1 0 a 1\n1 0 d 0\n2 0 a 1\n")
        runs = {"x": ["abc", "a"], "y": ["cda", "a"], "z": ["abc", "a"]}
        for name, topics in runs.items():
            lines = [
                f"{t} Q0 {doc} {i} {9 - i} {name}\n" for t, docs in enumerate(topics, 1) for i, doc in enumerate(docs)
            ]
            Path(name).write_text("".join(lines))

    def read(self, capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
        assert main(["compare", "q", *words, "--unjudged", "-f", "json", "--quiet"]) == 0
        rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["unjudged"]
        return rows

    def test_compare_unjudged_ranges_equal_the_worked_example(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Topic 1 with P@3: x has a and may have b and c, y has a and may have c. Topic 2 is fixed."""
        (row,) = self.read(capsys, "x", "y", "-m", "P@3")
        assert (row["difference"], row["low"]) == (0.0, 0.0)
        assert row["high"] == pytest.approx(1 / 6)
        assert (row["sign"], row["exact"]) == ("can change", True)

    def test_compare_unjudged_ranges_equal_bounds(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = self.read(capsys, "x", "y", "z", "-m", "nDCG@3 AP bpref", "--baseline", "y", "--rel", "1")
        assert {row["measure"] for row in rows} == {"nDCG(rel=1)@3", "AP(rel=1)"}
        for row in rows:
            bounds = cf.bounds("q", [row["run"], "y"], row["measure"])
            (mean,) = [x for x in bounds if (x.run, x.other, x.topic) == (row["run"], "y", "all")]
            assert (row["low"], row["high"]) == (mean.low, mean.high)
            assert row["exact"] == row["measure"].startswith("nDCG")
            assert row["sign"] == ("can change" if row["exact"] else "could change")

    def test_compare_unjudged_equal_runs_is_fixed(self, capsys: pytest.CaptureFixture[str]) -> None:
        (row,) = self.read(capsys, "x", "z", "-m", "P@3")
        assert (row["low"], row["high"], row["sign"]) == (0.0, 0.0, "fixed")

    @pytest.mark.parametrize(
        ("words", "problem"),
        [
            ("q x y -m bpref", "no bounds for bpref"),
            ("q x y --undefined skip", "--unjudged is not defined with --undefined skip"),
            ("q x y --ties expected", "expected"),
            ("--scores x y", "--unjudged requires judgments and runs"),
            ("q x -", "cannot be read twice"),
        ],
    )
    def test_compare_unjudged_bad_input_exits_2(
        self, capsys: pytest.CaptureFixture[str], words: str, problem: str
    ) -> None:
        assert main(["compare", *words.split(), "--unjudged"]) == 2
        assert problem in capsys.readouterr().err
