"""Topic set size design: against published numbers, SciPy and simulations; and `cranfield plan`."""

from __future__ import annotations

import csv
import io
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
from cranfield.report.plan import power_curves
from cranfield.stats.power import (
    difference_for_anova,
    difference_for_t,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
    variance_from,
    width_of_interval,
)

differences = st.floats(0.05, 3)
variances = st.floats(0.1, 3)


class TestT:
    @pytest.mark.parametrize(
        ("d", "power", "topics"),
        [
            (0.2, 0.8, 199),  # G*Power 3, paired t: d_z = 0.2, 0.5 and 0.8
            (0.5, 0.8, 34),
            (0.8, 0.8, 15),
            (0.25, 0.75, 113),  # R's pwr.t.test, type="paired": n = 112.9798
            (0.5, 0.75, 30),  # n = 29.7355
        ],
    )
    def test_published_numbers(self, d: float, power: float, topics: int) -> None:
        assert topics_for_t(d, 1.0, power=power).topics == topics

    def test_jmp_s_example(self) -> None:
        """Deviation 2, difference 1.5, power 0.9: 21, which achieve 90.4 or 90.5%."""
        design = topics_for_t(1.5, 4.0, power=0.9)
        assert design.topics == 21
        assert design.achieved == pytest.approx(0.9045, abs=0.0006)
        assert (design.method, design.difference, design.power) == ("t", 1.5, 0.9)

    @pytest.mark.parametrize("n", [2, 3, 10, 50, 400])
    @pytest.mark.parametrize("d", [0.1, 0.5, 1.2])
    def test_power_is_that_of_the_noncentral_t(self, n: int, d: float) -> None:
        from scipy.stats import nct, t

        critical, shift = t.isf(0.01, n - 1), d * math.sqrt(n)
        expected = nct.sf(critical, n - 1, shift) + np.nan_to_num(nct.cdf(-critical, n - 1, shift))
        assert power_of_t(n, d, 1.0, alpha=0.02) == pytest.approx(expected, abs=1e-9)

    def test_power_by_simulation(self) -> None:
        """Of 20,000 samples of 20 topics; four standard errors are at most 0.0142."""
        z = np.random.default_rng(1).normal(0.1, 0.2, (20_000, 20))
        t = z.mean(axis=1) / (z.std(axis=1, ddof=1) / math.sqrt(20))
        found = (np.abs(t) >= 2.0930240544).mean()  # t(0.025; 19), from tables
        assert power_of_t(20, 0.1, 0.04) == pytest.approx(found, abs=0.0142)

    @settings(max_examples=40, deadline=None)
    @given(differences, variances, st.sampled_from([0.5, 0.8, 0.95]))
    def test_it_is_the_smallest_number(self, d: float, variance: float, power: float) -> None:
        design = topics_for_t(d, variance, power=power)
        assert design.achieved == power_of_t(design.topics, d, variance) >= power
        assert design.topics == 2 or power_of_t(design.topics - 1, d, variance) < power

    def test_the_difference_is_the_inverse(self) -> None:
        d = difference_for_t(50, 0.08, power=0.9)
        assert power_of_t(50, d, 0.08) == pytest.approx(0.9, abs=1e-12)

    def test_almost_nothing_is_found_with_probability_alpha(self) -> None:
        assert power_of_t(30, 1e-9, 1.0, alpha=0.03) == pytest.approx(0.03)

    def test_more_than_there_are(self) -> None:
        with pytest.raises(CranfieldError, match="more than 10,000,000 topics"):
            topics_for_t(1e-6, 1.0)


class TestAnova:
    @pytest.mark.parametrize(
        ("f", "systems", "topics"),
        [
            (0.25, 3, 53),  # G*Power 3: 159 in all; R's pwr.anova.test: 52.3966
            (0.28, 4, 36),  # Cohen (1988), exercise 8.10; R's pwr.anova.test: 35.75789
        ],
    )
    def test_published_numbers(self, f: float, systems: int, topics: int) -> None:
        """f² = Σ a_i² / (m σ²), and the worst case has Σ a_i² = D² / 2: D = f σ √(2m)."""
        design = topics_for_anova(f * math.sqrt(2 * systems), 1.0, systems)
        assert design.topics == topics
        assert (design.method, design.systems) == ("anova", systems)

    def test_two_systems_are_the_unpaired_t_test(self) -> None:
        """G*Power 3, two independent means: d = 0.5 needs 64 in each group."""
        assert topics_for_anova(0.5, 1.0, 2).topics == 64

    @pytest.mark.parametrize(("n", "m"), [(2, 2), (10, 3), (50, 10), (100, 100)])
    def test_power_is_that_of_the_noncentral_f(self, n: int, m: int) -> None:
        from scipy.stats import f, ncf

        critical = f.isf(0.05, m - 1, m * (n - 1))
        expected = ncf.sf(critical, m - 1, m * (n - 1), n * 0.3**2 / (2 * 0.04))
        assert power_of_anova(n, 0.3, 0.04, m) == pytest.approx(expected, abs=1e-9)

    def test_power_by_simulation_of_the_worst_case(self) -> None:
        """Best and worst 0.2 apart, two halfway; 8,000 samples, four standard errors 0.0224."""
        from scipy.special import fdtri

        n, m = 15, 4
        x = np.random.default_rng(2).normal([-0.1, 0, 0, 0.1], 0.2, (8_000, n, m))
        between = n * x.mean(axis=1).var(axis=1, ddof=1)
        within = x.var(axis=1, ddof=1).mean(axis=1)
        found = (between / within >= fdtri(m - 1, m * (n - 1), 0.95)).mean()
        assert power_of_anova(n, 0.2, 0.04, m) == pytest.approx(found, abs=0.0224)

    @settings(max_examples=25, deadline=None)
    @given(differences, variances, st.integers(2, 30))
    def test_it_is_the_smallest_number(self, d: float, variance: float, systems: int) -> None:
        design = topics_for_anova(d, variance, systems)
        assert design.achieved == design.power_of(design.topics) >= 0.8
        assert design.topics == 2 or design.power_of(design.topics - 1) < 0.8

    def test_the_difference_is_the_inverse(self) -> None:
        d = difference_for_anova(50, 0.04, 10, alpha=0.01, power=0.7)
        assert power_of_anova(50, d, 0.04, 10, alpha=0.01) == pytest.approx(0.7, abs=1e-12)


class TestInterval:
    def test_two_and_three_topics_by_hand(self) -> None:
        """E[s] is σ √(2/π) for n = 2 and σ √π / 2 for n = 3; tables: t = 12.7062 and 4.3027."""
        expected = 2 * 12.7062047 * math.sqrt(2 / math.pi) / math.sqrt(2)
        assert width_of_interval(2, 1.0) == pytest.approx(expected)
        expected = 2 * 4.30265273 * math.sqrt(math.pi) / 2 / math.sqrt(3)
        assert width_of_interval(3, 1.0) == pytest.approx(expected)

    def test_width_by_simulation(self) -> None:
        z = np.random.default_rng(3).normal(0, 0.3, (20_000, 8))
        widths = 2 * 2.36462425 * z.std(axis=1, ddof=1) / math.sqrt(8)  # t(0.025; 7), from tables
        error = widths.std() / math.sqrt(20_000)
        assert width_of_interval(8, 0.09) == pytest.approx(widths.mean(), abs=4 * error)

    @settings(max_examples=25, deadline=None)
    @given(st.floats(0.1, 5), variances, st.sampled_from([0.8, 0.95]))
    def test_it_is_the_smallest_number(self, w: float, variance: float, level: float) -> None:
        design = topics_for_interval(w, variance, level)
        assert design.achieved <= w
        assert design.topics == 2 or width_of_interval(design.topics - 1, variance, level) > w
        assert (design.width, design.difference, design.power) == (w, None, None)
        assert design.alpha == pytest.approx(1 - level)

    def test_it_has_no_power(self) -> None:
        with pytest.raises(CranfieldError, match="expected one with a power"):
            topics_for_interval(0.1, 0.1).power_of(10)


class TestVariance:
    def test_by_hand(self) -> None:
        """Squares about 0.3 and 0.5: 0.08 and 0.24, by 2 · 2; differences 0.2, 0 and 0.4."""
        found = variance_from({"a": [0.1, 0.3, 0.5], "b": [0.3, 0.3, 0.9]})
        assert found.one_way == pytest.approx(0.32 / 4)
        assert found.difference == pytest.approx(0.04)
        assert (found.topics, found.systems) == ((3,), (2,))

    def test_differences_vary_so_in_the_mean_over_pairs(self) -> None:
        x = np.random.default_rng(4).random((12, 5))
        pairs = [(x[:, i] - x[:, j]).var(ddof=1) for i in range(5) for j in range(i)]
        assert variance_from(x).difference == pytest.approx(np.mean(pairs))
        assert variance_from(x).one_way == pytest.approx(x.var(axis=0, ddof=1).mean())

    def test_collections_are_pooled_by_their_topics(self) -> None:
        a, b = np.random.default_rng(5).random((2, 11, 3))
        b = b[:6]
        one, other, both = variance_from(a), variance_from(b), variance_from(a, b)
        assert both.one_way == pytest.approx((10 * one.one_way + 5 * other.one_way) / 15)
        assert both.two_way == pytest.approx((10 * one.two_way + 5 * other.two_way) / 15)
        assert both.topics == (11, 6)
        assert both.error == pytest.approx(math.sqrt(2 / 15))

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="found no pilot"):
            variance_from()
        with pytest.raises(CranfieldError, match="found 1 systems, expected at least 2"):
            variance_from({"a": [0.1, 0.2]})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"alpha": 0}, "found alpha=0, expected a number between 0 and 1"),
        ({"alpha": 1.5}, "found alpha=1.5"),
        ({"power": 1.0}, "found power=1.0, expected a number between 0 and 1"),
        ({"power": 0.04}, "found power=0.04, expected more than alpha=0.05"),
        ({"variance": -1.0}, "found variance=-1.0, expected a number above 0"),
        ({"variance": math.nan}, "found variance=nan"),
        ({"difference": 0}, "found difference=0, expected a number above 0"),
        ({"difference": math.inf}, "found difference=inf"),
        ({"systems": 1}, "found systems=1, expected a whole number from 2"),
        ({"systems": 2.5}, "found systems=2.5"),
    ],
)
def test_wrong_numbers(changed: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {"difference": 0.1, "variance": 0.1, "systems": 3}
    with pytest.raises(CranfieldError, match=message):
        topics_for_anova(**{**right, **changed})
    if "systems" not in changed:
        del right["systems"]
        with pytest.raises(CranfieldError, match=message):
            topics_for_t(**{**right, **changed})


class TestPicture:
    DESIGNS = [topics_for_t(d, 0.08) for d in (0.1, 0.2)] + [topics_for_anova(0.2, 0.04, 5)]

    def test_its_numbers(self) -> None:
        data = power_curves(self.DESIGNS).data
        needed = data.filter("needed")
        assert needed["topics"].to_list() == [design.topics for design in self.DESIGNS]
        assert needed["power"].to_list() == [design.achieved for design in self.DESIGNS]
        assert data["test"].unique(maintain_order=True).to_list() == [
            "paired t-test",
            "one-way ANOVA of 5 systems",
        ]
        assert data["topics"].min() == 2
        assert data["topics"].max() == 2 * max(design.topics for design in self.DESIGNS)

    def test_its_panels_lines_and_rule(self) -> None:
        spec = json.loads(power_curves(self.DESIGNS, title="Plan").render("json"))
        assert [panel["title"]["text"] for panel in spec["vconcat"]] == [
            "paired t-test",
            "one-way ANOVA of 5 systems",
        ]
        marks = [layer["mark"]["type"] for layer in spec["vconcat"][0]["layer"]]
        assert {"rule", "line", "point", "text"} <= set(marks)
        rule = spec["vconcat"][0]["layer"][marks.index("rule")]
        values = rule.get("data", {}).get("values") or spec["datasets"][rule["data"]["name"]]
        assert values == [{"asked": 0.8}]

    def test_refused(self) -> None:
        with pytest.raises(CranfieldError, match="found no design with a power"):
            power_curves([topics_for_interval(0.1, 0.08)])
        with pytest.raises(CranfieldError, match=r"found 2 designs for a difference of 0\.1"):
            power_curves([topics_for_t(0.1, 0.08), topics_for_t(0.1, 0.09)])
        with pytest.raises(CranfieldError, match="found 9 lines to draw"):
            power_curves([topics_for_t(d / 10, 0.08) for d in range(1, 10)])


def plan(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What the command prints, or says if it fails."""
    assert main(["plan", *arguments]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def pilot(tmp_path: Path) -> list[str]:
    """Judgments and three runs."""
    collection = cf.simulate(topics=12, runs=3, depth=20, seed=3)
    collection.write(tmp_path)
    return [str(tmp_path / "qrels.txt"), *map(str, sorted((tmp_path / "runs").iterdir()))]


class TestCommand:
    def test_from_numbers(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A score's variance of 0.5 is one of 1 of differences: d_z = 0.5 and 0.8."""
        asked = ("--difference", "0.5", "--difference", "0.8", "-f", "csv")
        rows = table(plan(capsys, "--variance", "0.5", *asked))
        assert [(r["method"], r["topics"], r["variance"]) for r in rows] == [
            ("t", "34", "1.0"),
            ("t", "15", "1.0"),
        ]
        for sd in (["--sd", "1", "--of", "differences"], ["--sd", "0.7071067811865476"]):
            assert [r["topics"] for r in table(plan(capsys, *sd, *asked))] == ["34", "15"]

    def test_one_difference_and_those_around_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = table(plan(capsys, "--variance", "0.04", "--difference", "0.05", "-f", "csv"))
        assert [float(row["difference"]) for row in rows] == [0.025, 0.05, 0.1]
        rows = table(plan(capsys, "--variance", "0.04", "-f", "csv"))
        assert [float(row["difference"]) for row in rows] == [0.02, 0.05, 0.1, 0.2]

    def test_all_methods_and_what_so_many_topics_show(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = ("--variance", "0.04", "--difference", "0.1", "--systems", "5", "--width", "0.1")
        found = json.loads(plan(capsys, *asked, "--for-topics", "50", "-f", "json"))
        designs = {(row["method"], row["difference"]): row for row in found["topics"]}
        assert designs["t", 0.1]["topics"] == topics_for_t(0.1, 0.08).topics
        assert designs["anova", 0.1]["topics"] == topics_for_anova(0.1, 0.04, 5).topics
        assert designs["interval", None]["topics"] == topics_for_interval(0.1, 0.08).topics
        powers = {(row["method"], row["difference"]): row["power"] for row in found["power"]}
        assert powers["t", 0.2] == power_of_t(50, 0.2, 0.08)
        assert powers["anova", 0.05] == power_of_anova(50, 0.05, 0.04, 5)
        assert {row["method"]: row["smallest"] for row in found["detectable"]} == {
            "t": difference_for_t(50, 0.08),
            "anova": difference_for_anova(50, 0.04, 5),
            "interval": pytest.approx(width_of_interval(50, 0.08)),
        }
        assert "observed is not the true one" in found["captions"]["power"]
        assert found["settings"] == {
            "methods": ["t", "anova", "interval"], "alpha": 0.05, "confidence": 0.95, "power": 0.8,
        }  # fmt: skip

    def test_for_people(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Half a deviation needs 34 topics, with an actual power of 0.8078, as G*Power 3 says."""
        text = plan(capsys, "--variance", "0.5", "--difference", "0.5", "--difference", "0.8")
        assert "power 0.8 at α = 0.05" in text
        assert "Variances are those of differences." in text
        lines = [line.split() for line in text.splitlines() if line.startswith("t ")]
        assert lines[0] == ["t", "0.5", "2", "1.0000", "34", "0.8078"]

    def test_from_a_pilot(self, capsys: pytest.CaptureFixture[str], pilot: list[str]) -> None:
        scores = cf.evaluate(pilot[0], pilot[1:], "AP")
        variance = variance_from(scores)
        found = json.loads(plan(capsys, *pilot, "-m", "AP", "-f", "json"))
        by_method = {row["method"]: row for row in found["topics"]}
        assert by_method["t"]["variance"] == variance.difference
        assert by_method["anova"]["variance"] == variance.one_way
        assert by_method["anova"]["systems"] == 3
        assert found["pilot"] == [
            {
                **{"measure": "AP", "topics": 12, "runs": 3},
                **{"v_e1": variance.one_way, "v_e2": variance.two_way},
            }
        ]
        (small,) = (n for n in found["notices"] if n["kind"] == "small-pilot")
        assert "12 topics" in small["text"]
        assert "43%" in small["text"]  # √(2 / 11)

    @pytest.mark.parametrize(("topics", "told"), [(32, True), (34, False)])
    def test_how_small_a_pilot_is_small(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, topics: int, told: bool
    ) -> None:
        """The error is √(2 / (n − 1)): 25% with 33 topics."""
        rows = [f"{r}\t{t}\tAP\t{t % 5 / 10}\n" for r in "ab" for t in range(topics)]
        (tmp_path / "s.tsv").write_text("run\ttopic\tmeasure\tvalue\n" + "".join(rows))
        words = ["--scores", str(tmp_path / "s.tsv"), "--residual", "one-way", "-f", "json"]
        kinds = [notice["kind"] for notice in json.loads(plan(capsys, *words))["notices"]]
        assert ("small-pilot" in kinds) == told

    @pytest.mark.parametrize("residual", ["one-way", "two-way"])
    def test_which_residual(
        self, capsys: pytest.CaptureFixture[str], pilot: list[str], residual: str
    ) -> None:
        found = json.loads(plan(capsys, *pilot, "--residual", residual, "-f", "json"))
        expected = found["pilot"][0][{"one-way": "v_e1", "two-way": "v_e2"}[residual]]
        variances = {row["method"]: row["variance"] for row in found["topics"]}
        assert variances == {"t": 2 * expected, "anova": expected}

    def test_measures_side_by_side(
        self, capsys: pytest.CaptureFixture[str], pilot: list[str]
    ) -> None:
        rows = table(plan(capsys, *pilot, "-m", "AP nDCG@10", "--method", "t", "-f", "csv"))
        assert [row["measure"] for row in rows] == ["AP"] * 4 + ["nDCG@10"] * 4

    def test_from_scores(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        file = tmp_path / "scores.tsv"
        values = {"a": [0.1, 0.3, 0.5], "b": [0.3, 0.3, 0.9]}
        lines = [f"{r}\t{t}\tAP\t{x}\n" for r, xs in values.items() for t, x in enumerate(xs, 301)]
        file.write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
        rows = table(plan(capsys, "--scores", str(file), "-f", "csv"))
        assert {row["method"] for row in rows} == {"t"}
        assert float(rows[0]["variance"]) == pytest.approx(0.04)

    def test_the_picture(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        numbers, picture = tmp_path / "power.csv", tmp_path / "power.svg"
        for file in (numbers, picture):
            plan(capsys, "--variance", "0.04", "--difference", "0.1", "--plot", str(file))
        needed = [row["topics"] for row in table(numbers.read_text()) if row["needed"] == "True"]
        assert needed == [str(topics_for_t(d, 0.08).topics) for d in (0.05, 0.1, 0.2)]
        assert "true difference" in picture.read_text()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "found no variance, expected files of a pilot, --variance or --sd"),
            (["--variance", "0.1", "qrels"], "found files and a variance, expected one of them"),
            (["--variance", "0"], "found variance 0, expected a number above 0"),
            (["--sd", "-0.1"], "found sd -0.1, expected a number above 0"),
            (["--variance", "0.1", "--difference", "0"], "found difference=0.0"),
            (["--variance", "0.1", "--alpha", "2"], "found alpha=2.0"),
            (["--variance", "0.1", "--method", "anova"], "expected systems with it"),
            (["--variance", "0.1", "--method", "interval"], "expected width with it"),
            (["--variance", "0.1", "--width", "-1"], "found width=-1.0"),
            (["--variance", "0.1", "--residual", "one-way"], "expected a pilot with it"),
            (["--sd", "0.2", "-m", "AP"], "found -m, expected a pilot with it"),
            (["--sd", "0.2", "--rel", "2"], "found --rel, expected a pilot with it"),
            (["--sd", "0.2", "--scores"], "found --scores, expected a pilot with it"),
            (["--variance", "0.1", "--for-topics", "1"], "found topics=1"),
            (["--variance", "0.1", "--plot", "a.doc"], "expected a name that ends in"),
            (["--variance", "0.1", "--table", "pilot"], "found table pilot"),
        ],
    )
    def test_refused(
        self, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
    ) -> None:
        assert message in plan(capsys, *arguments, code=2)

    def test_one_run_is_no_pilot(
        self, capsys: pytest.CaptureFixture[str], pilot: list[str]
    ) -> None:
        assert "at least 2 runs" in plan(capsys, *pilot[:2], code=2)

    def test_nothing_is_written_if_something_is_wrong(
        self, capsys: pytest.CaptureFixture[str], pilot: list[str], tmp_path: Path
    ) -> None:
        file = tmp_path / "power.svg"
        plan(capsys, *pilot, "-m", "AP", "-m", "P@5", "--plot", str(file), code=2)
        assert not file.exists()
        wrong = ("--table", "power", "--plot", str(file))  # without --for-topics there is none
        plan(capsys, "--variance", "0.1", *wrong, code=2)
        assert not file.exists()
