"""The picture of diversified search: its numbers, its lines, its files, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.figures.figure import FORMATS, Figure
from cranfield.report.diversity import compute_levels

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-quic", "--disable-background-networking", "--disable-component-update"),
    *("--virtual-time-budget=10000", "--dump-dom"),
)

X, Y = "IRec@10", "D(nDCG)@10"
UNIT = [[0.0, 1.0], [0.0, 1.0]]


def scores_of(values: Any, runs: Any = None, measures: tuple[str, str] = (X, Y)) -> cf.Scores:
    """Scores by run, topic and measure, first the one to the right."""
    many, topics, _ = np.shape(values)
    names = runs or tuple(f"run{i}" for i in range(1, many + 1))
    return cf.Scores(values, names, tuple(f"q{i}" for i in range(topics)), measures, ("mean", "mean"))


TWO = scores_of([[[0.5, 0.4], [0.7, 0.2]], [[1.0, 0.2], [0.6, 0.4]]], ["bm25", "mmr"])


def random_scores(runs: int, seed: int = 1) -> cf.Scores:
    rng = np.random.default_rng(seed)
    return scores_of(np.clip(rng.normal(0.5, 0.2, (runs, 5, 2)), 0, 1))


def spec_of(picture: Figure) -> Any:
    return json.loads(picture.render("json"))


def layers_of(picture: Figure, mark: str) -> list[Any]:
    return [layer for layer in spec_of(picture)["layer"] if layer["mark"]["type"] == mark]


def names_of(picture: Figure) -> list[str]:
    """The names of runs that are shown."""
    rows = [row for layer in layers_of(picture, "text") for row in layer["data"]["values"]]
    return sorted({row["run"] for row in rows if "run" in row})


class TestNumbers:
    def test_by_hand(self) -> None:
        """bm25: I-rec (0.5 + 0.7)/2, D (0.4 + 0.2)/2; mmr: (1 + 0.6)/2 and the same D."""
        data = cf.plot.diversity(TWO).data
        assert data.columns == ["run", X, Y, "sharp"]
        assert data["run"].to_list() == ["bm25", "mmr"]
        assert data[X].to_list() == pytest.approx([0.6, 0.8])
        assert data[Y].to_list() == pytest.approx([0.3, 0.3])
        assert data["sharp"].to_list() == pytest.approx([0.45, 0.55])

    @pytest.mark.parametrize("gamma", [0, 0.25, 1])
    def test_gamma_weights_intent_recall(self, gamma: float) -> None:
        data = cf.plot.diversity(TWO, gamma=gamma).data
        by_hand = [gamma * 0.6 + (1 - gamma) * 0.3, gamma * 0.8 + (1 - gamma) * 0.3]
        assert data["sharp"].to_list() == pytest.approx(by_hand)

    def test_intervals_by_hand(self) -> None:
        """Two topics: half the interval is t(1) · s/√2 = t(1) · |a − b|/2; t(1) is 1 at 50%."""
        data = cf.plot.diversity(TWO, intervals=True, level=0.5).data
        low, high = data[f"{X}.low"].to_list(), data[f"{X}.high"].to_list()
        assert low == pytest.approx([0.5, 0.6])
        assert high == pytest.approx([0.7, 1.0])
        assert data[f"{Y}.low"].to_list() == pytest.approx([0.2, 0.2])
        assert data[f"{Y}.high"].to_list() == pytest.approx([0.4, 0.4])

    def test_scores_and_files_give_equal_data(self) -> None:
        collection = cf.simulate(topics=4, runs=3, depth=30, seed=3)
        asked: dict[str, Any] = {"measure": "nDCG@10", "against": "Recall@10"}
        of_files = cf.plot.diversity(collection.qrels, collection.runs, **asked)
        scores = cf.evaluate(collection.qrels, collection.runs, ["nDCG@10", "AP", "Recall@10"])
        of_scores = cf.plot.diversity(scores, **asked)
        assert of_files.data.equals(of_scores.data)
        means = scores.summary()
        assert of_files.data["nDCG@10"].to_list() == [m["nDCG@10"] for m in means.values()]

    @pytest.mark.parametrize("gamma", [0.5, 0.2])
    def test_lines_have_equal_d_sharp(self, gamma: float, tmp_path: Path) -> None:
        """D♯ is linear in I-rec and D, so that its mean is where the two means are."""
        qrels, run = tmp_path / "qrels", tmp_path / "run"
        qrels.write_text("q1 1 a 2\nq1 2 b 1\nq1 2 a 1\nq2 1 c 1\nq2 2 d 3\nq2 3 e 1\n")
        run.write_text("q1 Q0 b 1 3 x\nq1 Q0 z 2 2 x\nq1 Q0 a 3 1 x\nq2 Q0 d 1 2 x\nq2 Q0 c 2 1 x\n")
        picture = cf.plot.diversity(qrels, run, gamma=gamma)
        sharp = cf.evaluate(qrels, run, f"Dsharp(nDCG, gamma={gamma})@10").summary()["x"]
        assert picture.data["sharp"].to_list() == pytest.approx(list(sharp.values()))
        # all 2 intents of q1 and 2 of the 3 of q2
        assert picture.data[X].to_list() == pytest.approx([(1 + 2 / 3) / 2])

    def test_measures_are_found_by_definition(self) -> None:
        scores = scores_of([[[0.2, 0.4]]], measures=("Recall@10", "nDCG@10"))
        data = cf.plot.diversity(scores, measure=cf.nDCG @ 10, against="recall@10").data
        assert data.columns[1:3] == ["Recall@10", "nDCG@10"]


class TestLines:
    def test_in_the_unit_square(self) -> None:
        """Where γ is 1/2, the line of c has its ends where x + y = 2c meets the square."""
        found = compute_levels(0.5, UNIT, UNIT)
        assert [level.value for level in found] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
        assert found[1][1:] == ((0, 0.4), (0.4, 0))
        assert found[4][1:] == ((0, 1), (1, 0))
        assert found[6][1:] == ((0.4, 1), (1, 0.4))

    def test_of_one_measure_alone(self) -> None:
        assert compute_levels(0, UNIT, UNIT)[2] == (0.3, (0, 0.3), (1, 0.3))
        assert compute_levels(1, UNIT, UNIT)[2] == (0.3, (0.3, 1), (0.3, 0))

    @given(
        st.floats(0, 1),
        st.floats(-2, 2),
        st.floats(-2, 2),
        st.floats(0.001, 3),
        st.floats(0.001, 3),
    )
    def test_lines_have_their_value(
        self, gamma: float, left: float, bottom: float, width: float, height: float
    ) -> None:
        window = [[left, left + width], [bottom, bottom + height]]
        found = compute_levels(gamma, window, window)
        assert 3 <= len(found) <= 11
        for value, *both in found:
            for x, y in both:
                assert gamma * x + (1 - gamma) * y == pytest.approx(value, abs=1e-9)
                assert left - 1e-9 <= x <= left + width + 1e-9
                assert bottom - 1e-9 <= y <= bottom + height + 1e-9

    def test_figure_has_lines_and_their_formula(self) -> None:
        picture = cf.plot.diversity(TWO, gamma=0.3)
        title = spec_of(picture)["title"]
        assert title["text"] == "D(nDCG)@10 against IRec@10"
        assert title["subtitle"] == ["lines: D# = 0.3 IRec@10 + 0.7 D(nDCG)@10"]
        values = [
            row["value"] for layer in layers_of(picture, "text") for row in layer["data"]["values"] if "value" in row
        ]
        assert {"0.1", "0.5", "0.9"} <= set(values)

    def test_other_measures_are_no_d_sharp(self) -> None:
        scores = scores_of([[[0.2, 0.4]]], measures=("Recall@10", "nDCG@10"))
        spec = spec_of(cf.plot.diversity(scores, measure="nDCG@10", against="Recall@10"))
        assert spec["title"]["subtitle"] == ["lines: 0.5 Recall@10 + 0.5 nDCG@10"]


class TestLook:
    def test_axes_start_at_zero_unless_zoomed(self) -> None:
        def ends(**options: Any) -> list[tuple[float, float]]:
            points = layers_of(cf.plot.diversity(TWO, **options), "point")[0]["encoding"]
            ticks = [points[axis]["axis"]["values"] for axis in "xy"]
            return [(values[0], values[-1]) for values in ticks]

        assert ends() == [(0, 1), (0, 1)]
        (left, right), (bottom, top) = ends(zoom=True)
        assert 0.5 <= left < 0.6
        assert 0.8 < right <= 0.9
        assert 0.2 <= bottom < 0.3 < top <= 0.4

    def test_values_beyond_one_are_shown(self) -> None:
        picture = cf.plot.diversity(scores_of([[[0.5, 3.2]], [[0.4, -0.5]]]))
        ticks = layers_of(picture, "point")[0]["encoding"]["y"]["axis"]["values"]
        assert ticks[0] <= -0.5
        assert ticks[-1] >= 3.2

    def test_intervals_draws_crosses_with_caption(self) -> None:
        lines_alone = layers_of(cf.plot.diversity(TWO), "rule")
        crossed = cf.plot.diversity(TWO, intervals=True, level=0.9)
        assert len(layers_of(crossed, "rule")) == len(lines_alone) + 2
        said = spec_of(crossed)["title"]["subtitle"][1]
        assert said == "crosses: 90% confidence intervals of the means over 2 topics (Student's t)"

    def test_undefined_topics_are_not_counted(self) -> None:
        values = np.array([[[0.5, 0.1], [0.7, 0.3], [math.nan, 0.5]]])
        scores = cf.Scores(values, ("a",), tuple("pqr"), (X, Y), ("mean", "mean"), "skip")
        said = spec_of(cf.plot.diversity(scores, intervals=True))["title"]["subtitle"][1]
        assert "over 2 to 3 topics" in said

    @pytest.mark.parametrize("runs", [2, 30, 100])
    def test_runs_without_a_name_have_a_note(self, runs: int) -> None:
        picture = cf.plot.diversity(random_scores(runs), zoom=True)
        shown = names_of(picture)
        told = [n.text for n in picture.notes if n.kind == "names"]
        assert len(shown) >= min(runs, 8)
        if len(shown) < runs:
            assert told[0].startswith(f"no space in the figure for the name of {runs - len(shown)} run")
        else:
            assert not told

    def test_names_false_draws_points_only(self) -> None:
        picture = cf.plot.diversity(TWO, names=False)
        assert names_of(picture) == []
        assert not picture.notes
        assert names_of(cf.plot.diversity(TWO)) == ["bm25", "mmr"]

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
    def test_equal_runs_are_drawn(self, value: float) -> None:
        for zoom in (False, True):
            picture = cf.plot.diversity(scores_of(np.full((3, 4, 2), value)), zoom=zoom, intervals=True)
            assert picture.render("svg").startswith(b"<svg")

    def test_run_without_a_mean_has_a_note(self) -> None:
        picture = cf.plot.diversity(scores_of([[[0.5, 0.4]], [[math.nan, 0.4]]]))
        assert names_of(picture) == ["run1"]
        assert [n.text for n in picture.notes] == ["1 run (run2) without a mean of IRec@10 or D(nDCG)@10: not shown"]
        assert len(picture.data) == 2


class TestRefused:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"gamma": 1.5}, r"gamma=1.5, expected a number in \[0, 1\]"),
            ({"gamma": "half"}, "gamma='half'"),
            ({"width": -3}, "width -3"),
            ({"measure": "IRec@10"}, "IRec@10 is used for both axes"),
            ({"measure": "nDCG@5"}, r"no scores of nDCG@5. Measures: IRec@10"),
            ({"depth": 3}, "scores cannot be combined with runs or options"),
            ({"runs": "x.run"}, "scores cannot be combined with runs or options"),
            ({"intervals": True, "level": 2}, "confidence=2"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], said: str) -> None:
        with pytest.raises(cf.CranfieldError, match=said):
            cf.plot.diversity(TWO, **options)

    def test_judgments_without_runs_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match="no runs"):
            cf.plot.diversity({"q": {"d": 1}}, measure="nDCG", against="Recall")

    def test_no_run_to_draw_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match="no run has both"):
            cf.plot.diversity(scores_of([[[math.nan, 0.4]]]))

    def test_intervals_of_one_topic(self) -> None:
        with pytest.raises(cf.CranfieldError, match="found 1 topic, expected at least 2 for intervals"):
            cf.plot.diversity(scores_of([[[0.5, 0.4]]]), intervals=True)


class TestFiles:
    @pytest.mark.parametrize("format", FORMATS)
    def test_every_format(self, format: str) -> None:
        begins = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF", "html": b"<!DOCTYPE html>",
                  "json": b"{", "csv": b"run,", "tsv": b"run\t"}  # fmt: skip
        made = cf.plot.diversity(TWO, intervals=True).render(format)
        assert made.startswith(begins[format])

    def test_data_are_exact(self) -> None:
        picture = cf.plot.diversity(TWO, gamma=1 / 3, intervals=True)
        rows = list(csv.DictReader(io.StringIO(picture.render("csv").decode())))
        assert list(rows[0]) == ["run", X, Y, "sharp", f"{X}.low", f"{X}.high", f"{Y}.low",
                                 f"{Y}.high"]  # fmt: skip
        for row, numbers in zip(rows, picture.data.iter_rows(), strict=True):
            assert row["run"] == numbers[0]
            assert [float(cell) for cell in list(row.values())[1:]] == list(numbers[1:])

    @pytest.fixture
    def collection(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        monkeypatch.chdir(tmp_path)
        cf.simulate(topics=3, runs=2, depth=20, seed=5).write(tmp_path)
        runs = sorted(map(str, Path("runs").iterdir()))
        return ["qrels.txt", *runs, "-m", "nDCG@10", "--against", "Recall@10"]

    def test_the_command(self, collection: list[str]) -> None:
        command = ["plot", "diversity", *collection, "--gamma", "0.3"]
        assert main([*command, "-o", "made.csv"]) == 0
        rows = list(csv.DictReader(Path("made.csv").read_text().splitlines()))
        assert list(rows[0]) == ["run", "Recall@10", "nDCG@10", "sharp"]
        for row in rows:
            mixed = 0.3 * float(row["Recall@10"]) + 0.7 * float(row["nDCG@10"])
            assert float(row["sharp"]) == pytest.approx(mixed, abs=1e-15)
        more = ["--intervals", "--level", "0.9", "--zoom", "--no-names", "--title", "Two runs"]
        assert main([*command, *more, "-o", "made.svg"]) == 0
        shown = Path("made.svg").read_text()
        assert "Two runs" in shown
        assert "90% confidence intervals" in shown

    def test_command_reads_scores(self, collection: list[str]) -> None:
        qrels, *rest = collection
        runs = [word for word in rest if not word.startswith("-")][: rest.index("-m")]
        asked = ["-m", "nDCG@10 Recall@10"]
        assert main(["evaluate", qrels, *runs, *asked, "-q", "-f", "tsv", "-o", "s.tsv"]) == 0
        assert main(["plot", "diversity", *collection, "-o", "a.csv"]) == 0
        command = ["plot", "diversity", "--scores", "s.tsv", *rest[rest.index("-m") :]]
        assert main([*command, "-o", "b.csv"]) == 0
        assert Path("a.csv").read_text() == Path("b.csv").read_text()

    def test_errors_leave_no_file(self, collection: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        for more, said in (
            (["--gamma", "2", "-o", "made.svg"], "gamma=2.0"),
            (["-o", "made.doc"], "made.doc"),
            (["-o", "nowhere/made.svg"], "directory nowhere does not exist"),
        ):
            assert main(["plot", "diversity", *collection, *more]) == 2
            assert said in capsys.readouterr().err
        assert not list(Path().glob("made*"))

    @pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH")
    def test_html_figure_is_drawn_in_a_browser(self, tmp_path: Path) -> None:
        name = "</script><script>document.title='broken out'</script>"
        scores = scores_of([[[0.5, 0.4], [0.7, 0.2]], [[1.0, 0.2], [0.6, 0.4]]], ["bm25", name])
        cf.plot.diversity(scores, intervals=True).save(tmp_path / "picture.html")
        command = [str(BROWSER), *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"]
        command.append((tmp_path / "picture.html").as_uri())
        done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=120)
        shown = done.stdout
        drawn = re.search(r'<svg [^>]*class="marks" width="(\d+)" height="(\d+)"', shown)
        assert drawn is not None, shown[-2000:]
        assert int(drawn[1]) > 380
        assert len(re.findall('aria-roledescription="point"', shown)) == 2
        assert "<title>cranfield</title>" in shown
