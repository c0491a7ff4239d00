"""`cranfield plan` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cranfield as cf
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
from tests.made import Command, rows_of


@pytest.fixture
def plan(cranfield: Command) -> Command:
    return cranfield.of("plan")


@pytest.fixture
def pilot(tmp_path: Path) -> list[str]:
    """Judgments and three runs."""
    collection = cf.simulate(topics=12, runs=3, depth=20, seed=3)
    collection.write(tmp_path)
    return [str(tmp_path / "qrels.txt"), *map(str, sorted((tmp_path / "runs").iterdir()))]


class TestCommand:
    def test_from_numbers(self, plan: Command) -> None:
        """A score's variance of 0.5 is one of 1 of differences: d_z = 0.5 and 0.8."""
        asked = ("--difference", "0.5", "--difference", "0.8", "-f", "csv")
        rows = rows_of(plan.printed("--variance", "0.5", *asked))
        assert [(r["method"], r["topics"], r["variance"]) for r in rows] == [
            ("t", "34", "1.0"),
            ("t", "15", "1.0"),
        ]
        for sd in (["--sd", "1", "--of", "differences"], ["--sd", "0.7071067811865476"]):
            assert [r["topics"] for r in rows_of(plan.printed(*sd, *asked))] == ["34", "15"]

    def test_one_difference_and_those_around_it(self, plan: Command) -> None:
        rows = rows_of(plan.printed("--variance", "0.04", "--difference", "0.05", "-f", "csv"))
        assert [float(row["difference"]) for row in rows] == [0.025, 0.05, 0.1]
        rows = rows_of(plan.printed("--variance", "0.04", "-f", "csv"))
        assert [float(row["difference"]) for row in rows] == [0.02, 0.05, 0.1, 0.2]

    def test_all_methods_and_what_so_many_topics_show(self, plan: Command) -> None:
        asked = ("--variance", "0.04", "--difference", "0.1", "--systems", "5", "--width", "0.1")
        found = json.loads(plan.printed(*asked, "--for-topics", "50", "-f", "json"))
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
        assert "An observed difference is not the true difference" in found["captions"]["power"]
        assert found["settings"] == {
            "methods": ["t", "anova", "interval"], "alpha": 0.05, "confidence": 0.95, "power": 0.8,
        }  # fmt: skip

    def test_for_people(self, plan: Command) -> None:
        """Half a deviation needs 34 topics, with an actual power of 0.8078, as G*Power 3 says."""
        text = plan.printed("--variance", "0.5", "--difference", "0.5", "--difference", "0.8")
        assert "power 0.8 at α = 0.05" in text
        assert "Variance: variance of differences." in text
        lines = [line.split() for line in text.splitlines() if line.startswith("t ")]
        assert lines[0] == ["t", "0.5", "2", "1.0000", "34", "0.8078"]

    def test_from_a_pilot(self, pilot: list[str], plan: Command) -> None:
        scores = cf.evaluate(pilot[0], pilot[1:], "AP")
        variance = variance_from(scores)
        found = json.loads(plan.printed(*pilot, "-m", "AP", "-f", "json"))
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
    def test_how_small_a_pilot_is_small(self, tmp_path: Path, topics: int, told: bool, plan: Command) -> None:
        """The error is √(2 / (n − 1)): 25% with 33 topics."""
        rows = [f"{r}\t{t}\tAP\t{t % 5 / 10}\n" for r in "ab" for t in range(topics)]
        (tmp_path / "s.tsv").write_text("run\ttopic\tmeasure\tvalue\n" + "".join(rows))
        words = ["--scores", str(tmp_path / "s.tsv"), "--residual", "one-way", "-f", "json"]
        kinds = [note["kind"] for note in json.loads(plan.printed(*words))["notices"]]
        assert ("small-pilot" in kinds) == told

    @pytest.mark.parametrize("residual", ["one-way", "two-way"])
    def test_which_residual(self, pilot: list[str], residual: str, plan: Command) -> None:
        found = json.loads(plan.printed(*pilot, "--residual", residual, "-f", "json"))
        expected = found["pilot"][0][{"one-way": "v_e1", "two-way": "v_e2"}[residual]]
        variances = {row["method"]: row["variance"] for row in found["topics"]}
        assert variances == {"t": 2 * expected, "anova": expected}

    def test_measures_side_by_side(self, pilot: list[str], plan: Command) -> None:
        rows = rows_of(plan.printed(*pilot, "-m", "AP nDCG@10", "--method", "t", "-f", "csv"))
        assert [row["measure"] for row in rows] == ["AP"] * 4 + ["nDCG@10"] * 4

    def test_from_scores(self, tmp_path: Path, plan: Command) -> None:
        file = tmp_path / "scores.tsv"
        values = {"a": [0.1, 0.3, 0.5], "b": [0.3, 0.3, 0.9]}
        lines = [f"{r}\t{t}\tAP\t{x}\n" for r, xs in values.items() for t, x in enumerate(xs, 301)]
        file.write_text("run\ttopic\tmeasure\tvalue\n" + "".join(lines))
        rows = rows_of(plan.printed("--scores", str(file), "-f", "csv"))
        assert {row["method"] for row in rows} == {"t"}
        assert float(rows[0]["variance"]) == pytest.approx(0.04)

    def test_the_picture(self, tmp_path: Path, plan: Command) -> None:
        numbers, picture = tmp_path / "power.csv", tmp_path / "power.svg"
        for file in (numbers, picture):
            plan.printed("--variance", "0.04", "--difference", "0.1", "--plot", str(file))
        needed = [row["topics"] for row in rows_of(numbers.read_text()) if row["needed"] == "True"]
        assert needed == [str(topics_for_t(d, 0.08).topics) for d in (0.05, 0.1, 0.2)]
        assert "true difference" in picture.read_text()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "no variance given. Use files of a pilot, --variance or --sd."),
            (
                ["--variance", "0.1", "qrels"],
                "use either files of a pilot or --variance and --sd, not both",
            ),
            (["--variance", "0"], "found variance 0, expected a number above 0"),
            (["--sd", "-0.1"], "found sd -0.1, expected a number above 0"),
            (["--variance", "0.1", "--difference", "0"], "found difference=0.0"),
            (["--variance", "0.1", "--alpha", "2"], "found alpha=2.0"),
            (["--variance", "0.1", "--method", "anova"], "expected systems with it"),
            (["--variance", "0.1", "--method", "interval"], "expected width with it"),
            (["--variance", "0.1", "--width", "-1"], "found width=-1.0"),
            (["--variance", "0.1", "--residual", "one-way"], "--residual requires a pilot"),
            (["--sd", "0.2", "-m", "AP"], "-m requires a pilot"),
            (["--sd", "0.2", "--rel", "2"], "--rel requires a pilot"),
            (["--sd", "0.2", "--scores"], "--scores requires a pilot"),
            (["--variance", "0.1", "--for-topics", "1"], "found topics=1"),
            (["--variance", "0.1", "--plot", "a.doc"], "expected a name that ends in"),
            (["--variance", "0.1", "--table", "pilot"], "found table pilot"),
        ],
    )
    def test_refused(self, arguments: list[str], message: str, plan: Command) -> None:
        assert message in plan.refused(*arguments)

    def test_one_run_is_no_pilot(self, pilot: list[str], plan: Command) -> None:
        assert "expected at least 2" in plan.refused(*pilot[:2])

    def test_nothing_is_written_if_something_is_wrong(self, pilot: list[str], tmp_path: Path, plan: Command) -> None:
        file = tmp_path / "power.svg"
        assert plan.refused(*pilot, "-m", "AP", "-m", "P@5", "--plot", str(file))
        assert not file.exists()
        wrong = ("--table", "power", "--plot", str(file))  # without --for-topics there is none
        assert plan.refused("--variance", "0.1", *wrong)
        assert not file.exists()
