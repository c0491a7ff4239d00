"""Pictures: the numbers in them, the files they become, and what is refused.

Numbers are from tables 1 and 2 of Azzopardi, Thomas and Moffat (2019), or computed by hand.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.plot import _numbers
from cranfield.report.cwl import _places
from cranfield.report.pictures import FORMATS, Picture

# The two example topics of the paper, with costs in seconds.
GAINS = {
    "T1": [0.0, 0.0, 0.2, 0.4, 1.0, 0.2, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0],
    "T2": [1.0, 0.0, 1.0, 0.4, 0.0, 0.2, 0.0, 0.0, 1.0, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0],
}
COSTS = {
    "T1": [1.2, 0.6, 0.4, 0.6, 3.6, 1.6, 0.6, 2.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 1.8],
    "T2": [3.2, 1.6, 1.4, 0.6, 3.6, 1.6, 0.6, 1.6, 2.6, 0.2, 1.2, 0.2, 0.2, 0.6, 1.8],
}
FIVE = ("EU", "ETU", "EC", "ETC", "ED")
EVIL = "</script><script>alert(1)</script>"


def spec_of(picture: Picture) -> Any:
    """What a picture is drawn from."""
    return json.loads(picture.render("json"))


def files(folder: Path) -> tuple[str, str, str]:
    """The example as TREC files: the type of an item, the second column, tells its cost."""
    types = {cost: f"type{cost}" for costs in COSTS.values() for cost in costs}
    lines: dict[str, list[str]] = {"qrels": [], "run": [], "costs": []}
    for topic, gains in GAINS.items():
        for rank, (gain, cost) in enumerate(zip(gains, COSTS[topic], strict=True), 1):
            lines["qrels"].append(f"{topic} 0 d{rank} {gain}")
            lines["run"].append(f"{topic} {types[cost]} d{rank} {rank} {100 - rank} seed")
    lines["costs"] = [f"{name} {cost}" for cost, name in types.items()]
    for name, of_file in lines.items():
        (folder / name).write_text("\n".join(of_file) + "\n")
    return str(folder / "qrels"), str(folder / "run"), str(folder / "costs")


class TestFunctions:
    def test_rbp_by_hand(self) -> None:
        """C = p, W(i) = (1 − p)·p^(i − 1), and L is the same."""
        data = cf.plot.cwl("RBP(p=0.8)", lists=GAINS).data
        assert data["topic"].to_list() == ["T1"] * 15 + ["T2"] * 15
        assert data["rank"].to_list() == [*range(1, 16)] * 2
        assert data["C"].to_list() == [0.8] * 30
        falling = [0.2 * 0.8**i for i in range(15)] * 2
        assert data["W"].to_list() == pytest.approx(falling)
        assert data["L"].to_list() == pytest.approx(falling)
        assert data["gain"].to_list() == GAINS["T1"] + GAINS["T2"]

    def test_bpm_by_hand(self) -> None:
        """A user who wants 1 finds it at rank 3, having seen three items alike."""
        data = cf.plot.cwl(["BPM(T=1)"], lists={"t": [0, 0.5, 0.5, 1]}).data
        assert data["C"].to_list() == [1, 1, 0, 0]
        assert data["W"].to_list() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
        assert data["L"].to_list() == [0, 0, 1, 0]

    def test_tbg_with_costs_by_hand(self) -> None:
        """C(i) = W(i + 1)/W(i) = 2^(−c(i)/h)."""
        picture = cf.plot.cwl("TBG(halflife=2)", lists=GAINS, costs=COSTS)
        costs = COSTS["T1"] + COSTS["T2"]
        assert picture.data["cost"].to_list() == costs
        assert picture.data["C"].to_list() == pytest.approx([2 ** (-c / 2) for c in costs])

    def test_ranks(self) -> None:
        lists = {"t": [0.0] * 200}
        assert cf.plot.cwl("RBP", lists=lists).data["rank"].to_list() == [*range(1, 31)]
        assert cf.plot.cwl("RBP", lists=lists, ranks=50).data["rank"].max() == 50
        assert cf.plot.cwl("RBP", lists={"t": [1]}, ranks=3).data["rank"].max() == 3
        assert cf.plot.cwl("RBP@7", lists=lists).data["rank"].max() == 7  # nobody sees more

    def test_files_give_what_lists_give(self, tmp_path: Path) -> None:
        qrels, run, costs = files(tmp_path)
        models = ["RBP(p=0.8)", "TBG(halflife=2)", "BPMD(T=2, K=10, hb=0.5, hc=0.5)"]
        of_files = cf.plot.cwl(models, qrels, run, costs=costs, cost_unit="seconds")
        of_lists = cf.plot.cwl(models, lists=GAINS, costs=COSTS)
        assert of_files.data["run"].unique().to_list() == ["seed"]
        assert of_files.data.drop("run").equals(of_lists.data.drop("run"))
        assert any("seconds" in notice.text for notice in of_files.notices)

    def test_every_line_and_axis_is_named(self) -> None:
        picture = cf.plot.cwl(["RBP(p=0.8)", cf.INST(T=2)], lists=GAINS, title="Users")
        shown = picture.render("json").decode()
        wanted = ["Users", "RBP(p=0.8)", "INST(T=2)", "C(i), going on", "W(i), attention"]
        for text in (*wanted, "L(i), stopping", "rank i", '"T1"', '"T2"'):
            assert text in shown
        assert len(json.loads(shown)["concat"]) == 2 * 3

    @pytest.mark.parametrize(
        ("runs", "topics", "field"),
        [(1, 2, "topic"), (2, 1, "run"), (2, 2, "run, topic"), (1, 1, "topic")],
    )
    def test_lines_are_told_apart_by_what_differs(self, runs: int, topics: int, field: str) -> None:
        qrels = {f"t{i}": {"a": 1} for i in range(topics)}
        several = {f"r{i}": {t: ["a", "b"] for t in qrels} for i in range(runs)}
        panel = spec_of(cf.plot.cwl("RBP", qrels, several))["concat"][0]
        assert panel["layer"][1]["encoding"]["color"]["field"] == field
        assert panel["layer"][1]["encoding"]["shape"]["field"] == field

    def test_gains_by_topic(self) -> None:
        """A user who wants 1 has it at once, or needs two items."""
        qrels = {"t": {"a": 1, "b": 1}, "u": {"a": 1, "b": 1}}
        run = {t: ["a", "b"] for t in qrels}
        data = cf.plot.cwl("BPM(T=1)", qrels, run, gains={"t": [1], "u": [0.5]}).data
        assert data["C"].to_list() == [0, 0, 1, 0]

    def test_what_is_no_probability_is_seen_whole(self) -> None:
        """TrAP is a user model in form only: W = (1, 1/2, 2/3)/2, so C(2) = 4/3."""
        picture = cf.plot.cwl("TrAP", lists={"t": [1, 0, 1]})
        assert picture.data["C"][1] == pytest.approx(4 / 3)
        scales = [
            panel["layer"][0]["encoding"]["y"]["scale"] for panel in spec_of(picture)["concat"]
        ]
        assert scales == [{"zero": True}] * 3

    def test_some_topics(self) -> None:
        data = cf.plot.cwl("RBP", lists=GAINS, topics="T2").data
        assert data["topic"].unique().to_list() == ["T2"]


class TestVary:
    @pytest.mark.parametrize("kind", ["lists", "files"])
    def test_table_2(self, kind: str, tmp_path: Path) -> None:
        """RBP at 0.6, TBG at 2 and P at 5 with costs, of topic T1."""
        models = ["RBP(p=0.1:0.9:0.1)", "TBG(halflife=0.25:2:0.25)", "P(k=1:5:1)"]
        if kind == "lists":
            picture = cf.plot.cwl(models, lists=GAINS, costs=COSTS, kind="vary")
        else:
            qrels, run, costs = files(tmp_path)
            picture = cf.plot.cwl(models, qrels, run, "vary", costs=costs, topics=["T1", "T2"])
        data = picture.data
        assert len(data) == (9 + 8 + 5) * 2
        of_t1 = {
            (row["parameter"], row["value"]): [f"{row[name]:.4f}" for name in FIVE]
            for row in data.iter_rows(named=True)
            if row["topic"] == "T1"
        }
        assert of_t1["p", 0.6] == ["0.1287", "0.3218", "1.0208", "2.5520", "2.5000"]
        assert of_t1["halflife", 2.0] == ["0.2143", "0.7195", "1.1513", "3.8663", "3.3582"]
        assert of_t1["k", 5.0] == ["0.3200", "1.6000", "1.2800", "6.4000", "5.0000"]

    def test_values_of_the_model_and_of_the_user(self) -> None:
        own = cf.plot.cwl("INST", lists=GAINS, kind="vary").data
        assert own["value"].unique().sort().to_list() == [0.5, 1, 2, 3, 5, 10]
        given = cf.plot.cwl([cf.INST, "RBP"], lists=GAINS, kind="vary", values={"T": (4, 2)}).data
        assert given.filter(given["parameter"] == "T")["value"].to_list() == [2, 2, 4, 4]
        assert given.filter(given["parameter"] == "p")["value"].n_unique() == 9

    def test_without_topics_it_is_the_mean(self, tmp_path: Path) -> None:
        """The first item gains 0 and 1, the first three 0.2/3 and 2/3 each."""
        qrels, run, _ = files(tmp_path)
        data = cf.plot.cwl("P(k=1|3)", qrels, run, "vary").data
        assert data["topic"].to_list() == ["all", "all"]
        assert data["EU"].to_list() == pytest.approx([1 / 2, (0.2 / 3 + 2 / 3) / 2])
        assert data["ED"].to_list() == [1, 3]

    def test_tables_are_no_series(self) -> None:
        data = cf.plot.cwl("RBP(gain=1:2:3, p=0.5|0.6)", lists={"t": [2]}, kind="vary").data
        assert data["model"].unique().to_list() == ["RBP(gain=1:2:3): p = 0.5 … 0.6"]
        assert data["EU"].to_list() == pytest.approx([2 * 0.5, 2 * 0.4])  # g·(1 − p)

    def test_ends_are_labelled_on_the_outside(self) -> None:
        """A higher rate makes for a smaller depth, so the last value is on the left."""
        picture = cf.plot.cwl("NPV(rate=0.5|1|2)", lists={"t": [1, 1]}, kind="vary")
        layers = spec_of(picture)["concat"][0]["layer"]
        labels = [layer for layer in layers if layer["mark"]["type"] == "text"]
        rows = {label["mark"]["align"]: label["data"]["values"] for label in labels}
        assert [row["value"] for row in rows["right"]] == [2]  # left of the point
        assert [row["value"] for row in rows["left"]] == [0.5]

    def test_ends_that_are_close_are_labelled_once(self) -> None:
        """RBP's depth and total cost are the same for all topics, what they gain is not."""
        picture = cf.plot.cwl(
            "RBP(p=0.2|0.4)", lists={"t": [1], "u": [0, 1]}, kind="vary", measurements=["EU", "ETC"]
        )
        labels = [
            [row["topic"] for row in layer["data"]["values"]]
            for panel in spec_of(picture)["concat"]
            for layer in panel["layer"]
            if layer["mark"]["type"] == "text"
        ]
        assert labels == [["t", "u"], ["t", "u"], ["t"], ["t"]]

    @pytest.mark.parametrize(
        ("unit", "titles"),
        [
            ("seconds", ["ETC (seconds)", "EC (seconds per item)"]),
            ("", ["expected total cost", "EC (per item)"]),
        ],
    )
    def test_axes_have_units(self, unit: str, titles: list[str]) -> None:
        measurements = ["EU", "ETU", "EC", "ETC"]
        picture = cf.plot.cwl(
            ["RBP(p=0.5|0.8)", "INST(T=1|2)"], lists=GAINS, costs=COSTS, kind="vary",
            cost_unit=unit, measurements=measurements,
        )  # fmt: skip
        shown = picture.render("json").decode()
        for title in (*titles, "EU (gain per item)", "ETU (gain)", "expected depth, ED (items)"):
            assert title in shown
        assert len(json.loads(shown)["concat"]) == 4 * 2

    @given(st.integers(-20, 20), st.integers(0, 50), st.integers(1, 9), st.sampled_from([1, 10, 8]))
    def test_series(self, first: int, more: int, step: int, parts: int) -> None:
        """Whole steps of a fraction, the last one included if it is reached."""
        expected = [n / parts for n in range(first, first + more + 1, step)]
        text = f"{first / parts}:{(first + more) / parts}:{step / parts}"
        assert _numbers(text) == pytest.approx(expected)
        assert _numbers("|".join(map(str, expected)) + "|0") == [*expected, 0]


class TestRuns:
    def test_a_point_for_each_run(self) -> None:
        """RR stops at the first item of use: ED is its rank, EU its gain over the rank."""
        qrels = {"t": {"a": 1, "b": 0}, "u": {"a": 1}}
        runs = {"one": {"t": ["a"], "u": ["a"]}, "two": {"t": ["b", "a"], "u": ["a"]}}
        picture = cf.plot.cwl("RR", qrels, runs, "runs")
        assert picture.data.select("run", "ED", "EU").rows() == [
            ("one", 1.0, 1.0),
            ("two", 1.5, 0.75),
        ]
        assert cf.plot.cwl("RR", qrels, runs, "runs", topics=["t"]).data["ED"].to_list() == [1, 2]

    @pytest.mark.parametrize(("count", "named"), [(1, True), (12, True), (13, False)])
    def test_names_where_there_is_room(self, count: int, named: bool) -> None:
        qrels = {"t": {"a": 1}}
        runs = {f"r{i}": {"t": [*(f"x{k}" for k in range(i)), "a"]} for i in range(count)}
        picture = cf.plot.cwl(["INST(T=1)", "RBP(p=0.5)"], qrels, runs, "runs")
        panels = spec_of(picture)["concat"]
        marks = [layer["mark"]["type"] for panel in panels for layer in panel["layer"]]
        assert ("text" in marks) == named
        assert marks.count("point") == len(panels) == 2
        tooltip = panels[0]["layer"][0]["encoding"]["tooltip"]
        assert [shown["field"] for shown in tooltip][:2] == ["run", "model"]

    def test_without_a_score_there_is_no_point(self) -> None:
        with pytest.raises(cf.CranfieldError, match="RR: found no run with a score"):
            cf.plot.cwl("RR", {"t": {"a": 0}}, {"t": ["a"]}, "runs", undefined="nan")

    def test_names_do_not_cover_each_other(self) -> None:
        """Two points side by side have their names on their outer sides."""
        assert _places([(100, 100), (112, 100)], ["left", "right"], 300, 200) == ["left", "right"]
        assert _places([(295, 100)], ["at the edge"], 300, 200) == ["left"]
        assert len(set(_places([(150, 100)] * 4, ["same"] * 4, 300, 200))) == 4


@pytest.fixture(scope="module")
def picture() -> Picture:
    return cf.plot.cwl("RBP(p=0.8)", lists={EVIL: [1, 0], "T & <b>": [0, 1]}, title=EVIL)


class TestFiles:
    def test_images(self, picture: Picture, tmp_path: Path) -> None:
        begins = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "svg": b"<svg "}
        for format, magic in begins.items():
            path = tmp_path / f"figure.{format.upper()}"
            picture.save(path)
            assert path.read_bytes().startswith(magic)
            assert len(path.read_bytes()) > 2000

    def test_scale(self, picture: Picture) -> None:
        def width(data: bytes) -> int:
            return int.from_bytes(data[16:20])  # in the header of a PNG

        once, twice = width(picture.render("png", scale=1)), width(picture.render("png"))
        assert abs(twice - 2 * once) <= 2

    def test_svg_is_well_formed_whatever_the_names(self, picture: Picture) -> None:
        from xml.etree import ElementTree

        svg = ElementTree.fromstring(picture.render("svg"))  # noqa: S314
        said = [element.text for element in svg.iter() if element.text]
        assert EVIL in said
        assert "T & <b>" in said
        assert not [element for element in svg.iter() if element.tag.endswith("script")]

    def test_html_is_whole_and_safe(self, picture: Picture) -> None:
        page = picture.render("html").decode()
        assert page.startswith("<!DOCTYPE html>")
        assert EVIL not in page
        assert page.count("<script") == page.count("</script>") == 2
        outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
        assert not re.search(r"src=|href=|<script", outside)  # nothing is fetched
        assert "vegaEmbed=" in page
        spec = re.search(r'vegaEmbed\("#picture", (\{.*\}), \{"actions"', page)
        assert spec is not None
        assert json.loads(spec[1]) == spec_of(picture)

    def test_json_is_vega_lite(self, picture: Picture) -> None:
        spec = json.loads(picture.render("json"))
        assert "vega-lite" in spec["$schema"]
        assert len(spec["concat"]) == 3

    def test_numbers(self, picture: Picture, tmp_path: Path) -> None:
        import polars as pl

        for end, separator in (("csv", ","), ("tsv", "\t")):
            path = tmp_path / f"figure.{end}"
            picture.save(path)
            assert pl.read_csv(path, separator=separator).equals(picture.data)

    def test_notebooks(self, picture: Picture) -> None:
        shown = picture._repr_mimebundle_()
        assert shown["image/svg+xml"].startswith("<svg ")
        assert [
            name for name in shown if re.fullmatch(r"application/vnd\.vegalite\.v\d\+json", name)
        ]
        assert "4 rows" in shown["text/plain"]

    def test_what_is_not_a_number_is_no_point(self) -> None:
        qrels = {"t": {"a": 1}, "u": {"a": 0}}
        run = {"t": ["a"], "u": ["a"]}
        picture = cf.plot.cwl(
            "RR", qrels, run, "vary", values={"k": [1, 2]}, topics=["t", "u"], undefined="nan"
        )
        assert picture.data["EU"].is_nan().sum() == 2
        assert "NaN" not in picture.render("json").decode()

    @pytest.mark.parametrize("name", ["figure.jpg", "figure", "png"])
    def test_unknown_endings_name_those_possible(
        self, name: str, picture: Picture, tmp_path: Path
    ) -> None:
        with pytest.raises(cf.CranfieldError, match=r"ends in \.png, \.svg, \.pdf, .* or \.tsv"):
            picture.save(tmp_path / name)
        assert not [*tmp_path.iterdir()]

    def test_formats(self, picture: Picture) -> None:
        with pytest.raises(cf.CranfieldError, match="'jpg', expected one of png"):
            picture.render("jpg")
        assert set(FORMATS) == {"png", "svg", "pdf", "html", "json", "csv", "tsv"}


class TestMistakes:
    @pytest.mark.parametrize(
        ("models", "more", "message"),
        [
            ("nDCG@10", {}, "found nDCG@10, expected a user model: AP, BPM, "),
            ("RBP(p=2)", {}, "found p=2, expected a number between 0 and 1"),
            ("RBP(n=0)", {}, "found n=0, expected a whole number"),
            ([], {}, "found no model"),
            (["RBP", "RBP(p=0.8)"], {}, "same model twice"),
            ("RBP", {"kind": "scatter"}, "found kind 'scatter', expected functions, vary, runs"),
            ("RBP", {"topics": ["T9"]}, r"found topic 'T9', .* 2 topics \(T1, T2\)"),
            ("RBP", {"ranks": 0}, "found 0 ranks"),
            ("RBP", {"costs": {"T1": [1]}}, "found 1 costs of T1, expected 15"),
            ("RBP", {"ties": "expected"}, "found ties=expected"),
            ("RBP", {"qrels": {"t": {"a": 1}}}, "found lists beside qrels"),
            ("RBP", {"lists": None}, "found no lists to walk down"),
            ("RBP", {"lists": {str(i): [1] for i in range(9)}}, "found 9 lines .* at most 8"),
            ("INST", {"lists": {"t": [2]}}, "INST.*: found gain 2, expected gains from 0 to 1"),
            ("P", {"kind": "vary"}, "P: found no values to vary"),
            ("RBP(p=0.1:0.9)", {"kind": "vary"}, "RBP p=0.1:0.9, expected first:last:step"),
            ("RBP(p=a|b)", {"kind": "vary"}, r"found RBP p=a\|b"),
            ("RBP(p=0.1:0.9:1e-9)", {"kind": "vary"}, "at most 1000 values"),
            ("RBP(p=0.9:0.1:0.1)", {"kind": "vary"}, "expected first:last:step"),
            ("RBP(p=0.5:1.5:0.5)", {"kind": "vary"}, "RBP: found p=1, expected a number between"),
            ("BPM(T=1|2, K=1|2)", {"kind": "vary"}, "found values of T and K, expected one"),
            ("RBP(q=1|2)", {"kind": "vary"}, "no parameter 'q'"),
            ("RBP", {"kind": "vary", "values": {"q": [1]}}, "found values of 'q'"),
            ("RBP", {"kind": "vary", "values": {"p": []}}, "found no value of 'p'"),
            (
                "RBP",
                {"kind": "vary", "measurements": ["ED"]},
                r"found measurements \(ED\), expected some of EU, ETU, EC",
            ),
            ("RBP", {"kind": "vary", "measurements": []}, "found measurements"),
        ],
    )
    def test_say_what_was_expected(self, models: Any, more: dict[str, Any], message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            cf.plot.cwl(models, **{"lists": GAINS, **more})

    def test_without_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "altair", None)
        with pytest.raises(
            cf.CranfieldError, match=r"need altair.* pip install 'cranfield\[report"
        ):
            cf.plot.cwl("RBP", lists=GAINS)

    def test_nothing_is_imported_before_it_is_drawn(self) -> None:
        code = (
            "import cranfield, sys; cranfield.plot.cwl; import cranfield.cli.plot; "
            "print({'altair', 'vl_convert', 'polars'} & set(sys.modules))"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "set()"


class TestCommand:
    @pytest.mark.parametrize(
        ("arguments", "rows"),
        [
            (["functions", "-m", "RBP(p=0.8)", "-m", "INST(T=2)", "--topic", "T1"], 2 * 15),
            (["functions", "-m", "RBP", "--ranks", "4"], 2 * 4),
            (["vary", "-m", "RBP(p=0.1:0.9:0.1)"], 9),
            (["vary", "-m", "BPM", "--topic", "T2", "--measurement", "EC"], 8),
            (["runs", "-m", "INST(T=2)", "-m", "AP"], 2),
        ],
    )
    def test_draws(
        self, arguments: list[str], rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        qrels, run, costs = files(tmp_path)
        kind, *options = arguments
        options += ["--costs", costs, "--cost-unit", "seconds", "--title", "A title"]
        for end in ("tsv", "json"):
            output = tmp_path / f"figure.{end}"
            assert main(["plot", "cwl", kind, qrels, run, *options, "-o", str(output)]) == 0
        assert len((tmp_path / "figure.tsv").read_text().splitlines()) == 1 + rows
        assert "A title" in (tmp_path / "figure.json").read_text()
        assert "seconds" in capsys.readouterr().err

    def test_size_of_panels(self, tmp_path: Path) -> None:
        qrels, run, _ = files(tmp_path)
        output = tmp_path / "figure.json"
        command = ["plot", "cwl", "runs", qrels, run, "-m", "AP", "-o", str(output)]
        assert main([*command, "--width", "123", "--height", "77"]) == 0
        panel = json.loads(output.read_text())["concat"][0]
        assert (panel["width"], panel["height"]) == (123, 77)

    @pytest.mark.parametrize(
        ("output", "model", "message"),
        [
            ("figure.gif", "RBP", "ends in .png"),
            ("figure.png", "nDCG", "expected a user model"),
            ("no/figure.json", "RBP", "there is no directory"),
        ],
    )
    def test_mistakes(
        self, output: str, model: str, message: str, tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        qrels, run, _ = files(tmp_path)
        before = sorted(tmp_path.iterdir())
        command = ["plot", "cwl", "functions", qrels, run, "-m", model]
        assert main([*command, "-o", str(tmp_path / output)]) == 2
        assert message in capsys.readouterr().err
        assert sorted(tmp_path.iterdir()) == before
