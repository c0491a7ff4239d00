"""`compare`: in Python and on the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.cli.main import main
from cranfield.comparison import Comparison, compare
from cranfield.stats.letters import letters


def scored(values: Any, runs: tuple[str, ...], measure: str = "AP", **more: Any) -> cf.Scores:
    """Scores of one measure: values [runs, topics]."""
    array = np.asarray(values, dtype=np.float64)
    topics = tuple(f"q{t}" for t in range(array.shape[1]))
    return cf.Scores(
        array[:, :, None], runs, topics, (measure,), **{"summaries": ("mean",), **more}
    )


def simulated(runs: int = 4, topics: int = 30, seed: int = 1, gap: float = 0.1) -> cf.Scores:
    """Runs that are better by `gap` one after the other."""
    random = np.random.default_rng(seed)
    hard = random.uniform(0.1, 0.5, topics)
    values = [hard + gap * r + random.normal(0, 0.05, topics) for r in range(runs)]
    return scored(np.array(values), tuple(f"run{r}" for r in range(runs)))


def two(x: list[float], y: list[float]) -> cf.Scores:
    return scored([x, y], ("x", "y"))


class TestPairs:
    def test_by_hand(self) -> None:
        """z = 0.1, 0.2, 0.3, −0.1: mean 0.125; as far from 0 are sums of ±0.5 and more."""
        found = compare(two([0.5, 0.5, 0.5, 0.5], [0.4, 0.3, 0.2, 0.6]))
        (pair,) = found.pairs
        assert (pair.run, pair.other, pair.topics) == ("x", "y", 4)
        assert pair.difference == pytest.approx(0.125)
        assert pair.pvalue == 6 / 16  # ±0.7, ±(0.7 − 2 · 0.1) in two ways
        assert (pair.wins, pair.ties, pair.losses) == (3, 0, 1)
        assert pair.verdict == ""
        assert found.test == "randomisation"
        assert found.enumerated
        sd = math.sqrt((0.025**2 + 0.075**2 + 0.175**2 + 0.225**2) / 3)
        assert pair.effect == pair.dz == pytest.approx(0.125 / sd)

    def test_a_difference_by_rounding_alone_is_a_tie(self) -> None:
        (pair,) = compare(two([0.1 + 0.2, 0.5], [0.3, 0.25])).pairs
        assert (pair.wins, pair.ties, pair.losses) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("test", "theirs"),
        [
            ("t", lambda x, y: stats.ttest_rel(x, y).pvalue),
            ("wilcoxon", lambda x, y: stats.wilcoxon(x, y).pvalue),
            ("sign", lambda x, y: stats.binomtest(int((x > y).sum()), len(x)).pvalue),
        ],
    )
    @pytest.mark.parametrize("correction", ["none", "bonferroni", "bh", "holm"])
    def test_tests_of_two_are_scipys_corrected(
        self, test: str, theirs: Callable[[Any, Any], float], correction: str
    ) -> None:
        scores = simulated(gap=0.01)
        found = compare(scores, test=test, correction=correction)
        values = dict(zip(scores.runs, scores.values[:, :, 0], strict=True))
        raw = np.array([theirs(values[p.run], values[p.other]) for p in found.pairs])
        assert [p.uncorrected for p in found.pairs] == pytest.approx(raw, rel=1e-9)
        step_down = {
            "none": raw,
            "bonferroni": np.minimum(1, 6 * raw),
            "bh": stats.false_discovery_control(raw),
        }
        if correction in step_down:
            assert [p.pvalue for p in found.pairs] == pytest.approx(step_down[correction], rel=1e-9)
        else:
            order = np.argsort(raw)
            held = np.minimum(1, np.maximum.accumulate(raw[order] * np.arange(6, 0, -1)))
            assert np.array([p.pvalue for p in found.pairs])[order] == pytest.approx(held, rel=1e-9)

    def test_holm_is_the_default_of_several_tests_of_two(self) -> None:
        assert compare(simulated(), test="t").correction == "holm"
        assert compare(simulated(2), test="t").correction == "none"
        assert compare(simulated()).correction == "none"

    def test_an_interval_without_0_is_significant(self) -> None:
        for test in ("randomised-tukey", "tukey", "t", "randomisation", "bootstrap"):
            found = compare(simulated(3, gap=0.03), test=test, correction="none", trials=999)
            assert any(p.verdict for p in found.pairs)
            for pair in found.pairs:
                assert (pair.low > 0 or pair.high < 0) == (pair.pvalue <= 0.05), (test, pair)

    def test_baselines_are_tested_with_all_runs(self) -> None:
        """With more than two runs, the null of Tukey's test is over all of them."""
        scores = simulated()
        every = compare(scores, trials=999)
        some = compare(scores, baseline="run0", trials=999)
        assert [(p.run, p.other) for p in some.pairs] == [
            ("run3", "run0"), ("run2", "run0"), ("run1", "run0")]  # fmt: skip
        for pair in some.pairs:
            assert pair.pvalue == every.pair(pair.run, "run0").pvalue

    def test_several_baselines(self) -> None:
        found = compare(simulated(), baseline=["run0", "run1"], trials=999)
        assert [(p.run, p.other) for p in found.pairs] == [
            ("run3", "run0"), ("run2", "run0"), ("run1", "run0"),
            ("run3", "run1"), ("run2", "run1")]  # fmt: skip
        best = next(r for r in found.runs if r.run == "run3")
        assert best.better_than == ("run0", "run1")
        assert best.worse_than == ()

    def test_lower_may_be_better(self) -> None:
        x = np.linspace(0.1, 0.5, 12)
        scores = scored([x, x + 0.2], ("few", "many"), "E", better=("lower",))
        (pair,) = compare(scores).pairs
        assert (pair.run, pair.other, pair.verdict) == ("few", "many", "better")
        assert pair.difference == pytest.approx(-0.2)
        assert (pair.wins, pair.losses) == (12, 0)

    def test_a_measure_without_a_better_end_has_no_verdict(self) -> None:
        x = np.linspace(0.1, 0.5, 12)
        scores = scored([x, x + 0.2], ("a", "b"), "Judged", better=("neither",))
        (pair,) = compare(scores).pairs
        assert pair.pvalue < 0.01
        assert pair.verdict == ""

    def test_geometric_means_are_compared_by_logarithms(self) -> None:
        values = [[0.1, 0.2, 0.4, 0.0], [0.2, 0.1, 0.8, 0.5]]
        scores = scored(values, ("a", "b"), "GMAP", summaries=("gmean",))
        found = compare(scores)
        logs = np.log(np.maximum(values, 1e-5)).mean(axis=1)
        assert found.pair("b", "a").difference == pytest.approx(logs[1] - logs[0])
        assert found.runs[1].mean == pytest.approx(math.exp(logs[0]))
        assert any(n.kind == "logarithms" for n in found.notices)

    def test_undefined_topics_are_left_out_and_named(self) -> None:
        values = [[0.1, math.nan, 0.4, 0.2], [0.2, 0.1, 0.8, 0.6]]
        scores = scored(values, ("a", "b"), undefined="skip")
        found = compare(scores)
        assert found.pairs[0].topics == 3
        (notice,) = (n for n in found.notices if n.kind == "undefined")
        assert notice.topics == ("q1",)

    def test_the_seed_decides_and_threads_do_not(self) -> None:
        scores = simulated(3, gap=0.01)
        first = compare(scores, trials=2000, seed=3, threads=1)
        again = compare(scores, trials=2000, seed=3, threads=3)
        other = compare(scores, trials=2000, seed=4)
        assert [p.pvalue for p in first.pairs] == [p.pvalue for p in again.pairs]
        assert [p.pvalue for p in first.pairs] != [p.pvalue for p in other.pairs]

    def test_the_order_of_topics_does_not_matter(self) -> None:
        scores = simulated(3, topics=7, gap=0.01)
        turned = scores.select(topics=list(reversed(scores.topics)))
        for a, b in zip(compare(scores, test="tukey").pairs,
                        compare(turned, test="tukey").pairs, strict=True):  # fmt: skip
            assert (a.run, a.other) == (b.run, b.other)
            assert a.pvalue == pytest.approx(b.pvalue, rel=1e-9)

    def test_effects(self) -> None:
        scores = two([0.5, 0.4, 0.9], [0.4, 0.2, 0.6])
        assert compare(scores).pairs[0].effect == pytest.approx(2)  # 0.2 / 0.1
        glass = 0.2 / np.std([0.4, 0.2, 0.6], ddof=1)
        assert compare(scores, effect="glass").pairs[0].effect == pytest.approx(glass)
        hedges = 2 / math.sqrt(math.pi)  # J(2) = 1 / √π
        assert compare(scores, effect="g").pairs[0].effect == pytest.approx(hedges)
        residual = math.sqrt(0.01 / 2)  # of two runs, half the variance of differences
        assert compare(scores, effect="anova").pairs[0].effect == pytest.approx(0.2 / residual)

    def test_movers(self) -> None:
        found = compare(two([0.5, 0.9, 0.3, 0.2], [0.5, 0.1, 0.2, 0.7]))
        moved = [(m.topic, round(m.difference, 4)) for m in found.movers(1)]
        assert moved == [("q1", 0.8), ("q3", -0.5)]

    def test_frame_and_repr(self) -> None:
        found = compare(simulated(3), trials=99)
        assert found.to_polars()["run"].to_list() == ["run2", "run2", "run1"]
        assert "run2 − run1" in repr(found)

    def test_people_see_no_p_of_0_and_a_few_notices(self) -> None:
        found = compare(simulated(6, gap=0.5), trials=1000)  # 15 pairs
        lines = repr(found).splitlines()
        assert len(lines) == 1 + 10 + 1 + len(found.notices)
        assert lines[5].startswith("AP: run5 − run0 = ")  # as far apart as can be
        assert lines[5].endswith(", p < 0.001")
        assert lines[11] == "… 5 more in .pairs"
        told = replace(found, notices=tuple(cf.Notice("x", f"notice {i}") for i in range(7)))
        assert repr(told).splitlines()[-2:] == ["note: notice 4", "… 2 more in .notices"]

    def test_a_corrected_p_is_not_below_one_trial(self) -> None:
        """Of 99 trials none is as extreme: p = 1/100, by Bonferroni for 3 pairs 3/100."""
        found = compare(
            simulated(3, gap=0.5), test="randomisation", correction="bonferroni", trials=99
        )
        assert found.shown_p(found.pairs[0]) == "0.0300"
        assert ", p = 0.0300" in repr(found)

    def test_runs_that_are_the_same_are_named(self) -> None:
        values = simulated(3).values[:, :, 0]
        scores = scored([*values, values[1]], ("a", "b", "c", "d"))
        (notice,) = (n for n in compare(scores, trials=99).notices if n.kind == "identical")
        assert notice.text.startswith("2 runs (b, d) have the same scores by every measure")
        assert not any(n.kind == "identical" for n in compare(simulated(3), trials=99).notices)

    def test_tests_of_two_need_not_be_told_twice(self) -> None:
        x = [0.5, 0.25, 0.75]
        notices = compare(two(x, x), test="t").notices
        assert len([n for n in notices if n.kind == "identical"]) == 1

    @pytest.mark.parametrize(
        ("better", "bold"),
        [("higher", ["b", "c"]), ("lower", ["a"]), ("neither", [])],
    )
    def test_the_best_means_are_bold_in_papers(self, better: str, bold: list[str]) -> None:
        values = [[0.1, 0.3, 0.2], [0.6, 0.4, 0.5], [0.4, 0.5, 0.6]]  # means 0.2, 0.5, 0.5
        found = compare(scored(values, ("a", "b", "c"), better=(better,)), trials=99)
        shown = found.to_markdown("results")
        rows = [line.split("|")[1:3] for line in shown.splitlines() if "0." in line and "|" in line]
        assert sorted(run.strip() for run, mean in rows if "**" in mean) == bold
        assert ("Best in bold." in shown) == bool(bold)


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"baseline": "nobody"}, "found baseline 'nobody', expected one of 4 runs"),
            ({"test": "z"}, "found test 'z', expected one of randomised-tukey"),
            ({"alpha": 1.5}, "found alpha=1.5"),
            ({"correction": "holm"}, "allows for the number of systems by itself"),
            ({"correction": "x", "test": "t"}, "found correction 'x'"),
            ({"effect": "d"}, "found effect='d'"),
            ({"trials": 0}, "found trials=0"),
            ({"baseline": ["run0", "run1", "run2", "run3"]}, "found 4 baselines"),
        ],
    )
    def test_options(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(cf.CranfieldError) as error:
            compare(simulated(), **options)  # type: ignore[arg-type]
        assert said in str(error.value)

    def test_one_run(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found 1 run"):
            compare(simulated(1))

    def test_one_topic(self) -> None:
        with pytest.raises(cf.CranfieldError, match="at least 2 topics"):
            compare(simulated(2, topics=1))

    def test_other_topics_are_not_paired_by_position(self) -> None:
        scores = {"a": {"q1": 0.5, "q2": 0.4}, "b": {"q3": 0.5, "q4": 0.4}}
        with pytest.raises(cf.CranfieldError, match="expected the same topics of every run"):
            compare(scores)
        with pytest.raises(cf.CranfieldError, match="found no topic that all"):
            compare(scores, missing="common")


class TestLetters:
    def test_classes_of_a_chain(self) -> None:
        """a – c and b – d differ: three groups, ab, bc, cd."""
        different = np.zeros((4, 4), dtype=bool)
        for i, j in ((0, 2), (0, 3), (1, 3)):
            different[i, j] = different[j, i] = True
        assert letters(different) == ["a", "ab", "bc", "c"]

    def test_nothing_differs(self) -> None:
        assert letters(np.zeros((3, 3), dtype=bool)) == ["a", "a", "a"]

    def test_everything_differs(self) -> None:
        assert letters(~np.eye(3, dtype=bool)) == ["a", "b", "c"]

    def test_more_than_there_are_letters(self) -> None:
        assert letters(~np.eye(60, dtype=bool)) is None

    @given(st.integers(2, 7), st.data())
    @settings(max_examples=60, deadline=None)
    def test_two_share_a_letter_if_they_do_not_differ(self, n: int, data: st.DataObject) -> None:
        different = np.zeros((n, n), dtype=bool)
        for i, j in combinations(range(n), 2):
            different[i, j] = different[j, i] = data.draw(st.booleans())
        found = letters(different)
        assert found is not None
        for i, j in combinations(range(n), 2):
            assert bool(set(found[i]) & set(found[j])) == (not different[i, j])
        groups = [
            {i for i in range(n) if letter in found[i]} for letter in sorted(set("".join(found)))
        ]
        assert not any(a < b for a in groups for b in groups)


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
            runs[name] += [
                f"q{t} Q0 {d} {r} {scores[d]:.6f} {name}" for r, d in enumerate(ranked, 1)
            ]
    (tmp_path / "qrels.txt").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    return [str(tmp_path / name) for name in ("qrels.txt", "good.run", "fair.run", "bad.run")]


class TestCommand:
    def test_says_what_was_compared(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["compare", *files, "-m", "AP", "--trials", "1000", "--seed", "7"]) == 0
        shown = capsys.readouterr().out
        assert "randomised Tukey HSD test, 1,000 trials, seed 7, two-sided, α = 0.05" in shown
        assert "3 runs on 20 topics by AP" in shown
        assert " 0.0000" not in shown  # no p-value is
        assert "<0.001*" in shown

    def test_fails_if_worse(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        gate = ["compare", *files, "-m", "AP", "--trials", "999", "--fail-if-worse"]
        assert main([*gate, "--baseline", "good"]) == 1
        assert "worse: bad than good by AP" in capsys.readouterr().err
        assert main([*gate, "--baseline", "bad"]) == 0
        assert main([*gate, "--baseline", files[1]]) == 1  # by its file
        folder, name = files[1].rsplit("/", 1)
        assert main([*gate, "--baseline", f"{folder}/./{name}"]) == 1
        assert main(gate) == 2
        assert "expected --baseline RUN with it" in capsys.readouterr().err

    def test_json_has_everything(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
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
    def test_formats(
        self, files: list[str], capsys: pytest.CaptureFixture[str], format: str
    ) -> None:
        assert main(["compare", *files, "-m", "AP", "-f", format, "--trials", "99"]) == 0
        shown = capsys.readouterr().out
        assert "good" in shown
        if format in ("markdown", "latex"):
            assert "randomised Tukey HSD test, 99 trials, seed 0" in shown
        else:
            assert len(shown.splitlines()) == 3 + (format != "jsonl")

    def test_scores_of_other_tools(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
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
            ([], "found no files"),
            (["--scores"], "found no file"),
            (["Q"], "found 0 runs, expected QRELS and at least 2 runs"),
            (["Q", "GOOD"], "found 1 run, expected QRELS and at least 2 runs"),
            (["Q", "GOOD", "BAD", "--baseline", "x"], "found baseline 'x'"),
            (["Q", "GOOD", "BAD", "--movers", "-1"], "found --movers -1"),
            (["Q", "GOOD", "BAD", "--movers", "0", "--table", "movers"], "found --movers 0 and"),
            (["Q", "GOOD", "BAD", "--missing", "zero"], "found --missing, expected --scores"),
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


class TestPictures:
    def test_of_what_meta_found(self) -> None:
        found = cf.meta.discriminative_power(simulated(3), trials=99)
        assert len(cf.plot.meta(found).data) == 3  # pairs

    def test_of_power(self) -> None:
        design = cf.stats.topics_for_t(0.1, 0.04)
        assert design.topics in cf.plot.power(design).data["topics"].to_list()

    def test_of_power_says_what_was_asked_for(self) -> None:
        designs = [cf.stats.topics_for_t(d, 0.04, alpha=0.01, power=0.9) for d in (0.1, 0.2)]
        spec = json.loads(cf.plot.power(designs).render("json"))
        (panel,) = spec["vconcat"]
        assert panel["title"]["text"] == "paired t-test"
        said = "α = 0.01, power 0.9, variance of differences 0.0400"
        assert panel["title"]["subtitle"] == said

    def test_of_nothing_that_has_one(self) -> None:
        with pytest.raises(
            cf.CranfieldError, match=r"found int, expected what a function of cf\.meta"
        ):
            cf.plot.meta(3)
