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

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.figures.figure import FORMATS, Figure
from cranfield.figures.layout import choose_places, choose_ticks, shorten_names
from cranfield.measures.base import REGISTRY
from cranfield.plot.cwl import _parse_numbers
from cranfield.wording import format_count
from tests.made import simulated

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


def spec_of(picture: Figure) -> Any:
    """What a picture is drawn from."""
    return json.loads(picture.render("json"))


def panels_of(picture: Figure) -> list[Any]:
    """Its panels, those of a row after each other."""
    return [panel for row in spec_of(picture)["concat"] for panel in row.get("hconcat", [row])]


def texts_of(panel: Any) -> dict[str, str]:
    """What a panel writes beside points, by where it is."""
    return {
        row["label"]: row["place"]
        for layer in panel["layer"]
        if layer["mark"]["type"] == "text"
        for row in layer["data"]["values"]
    }


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
        assert any("seconds" in note.text for note in of_files.notes)

    @pytest.mark.slow
    def test_every_line_and_axis_is_named(self) -> None:
        picture = cf.plot.cwl(["RBP(p=0.8)", cf.INST(T=2)], lists=GAINS, title="Users")
        shown = picture.render("json").decode()
        wanted = ["Users", "RBP(p=0.8)", "INST(T=2)", "C(i), going on", "W(i), attention"]
        for text in (*wanted, "L(i), stopping", "rank i", '"T1"', '"T2"'):
            assert text in shown
        assert len(panels_of(picture)) == 2 * 3

    @pytest.mark.parametrize(
        ("runs", "topics", "legend", "lines"),
        [
            (1, 2, ["topic", "run r0"], ["t0", "t1"]),
            (2, 1, ["run", "topic t0"], ["r0", "r1"]),
            (2, 2, ["run, topic"], ["r0, t0", "r0, t1", "r1, t0", "r1, t1"]),
            (1, 1, ["topic", "run r0"], ["t0"]),
        ],
    )
    def test_the_legend_names_what_differs_and_what_does_not(
        self, runs: int, topics: int, legend: list[str], lines: list[str]
    ) -> None:
        qrels = {f"t{i}": {"a": 1} for i in range(topics)}
        several = {f"r{i}": {t: ["a", "b"] for t in qrels} for i in range(runs)}
        for panel in panels_of(cf.plot.cwl("RBP", qrels, several)):
            line, points, _ = (layer["encoding"] for layer in panel["layer"])
            for channel in (line["color"], points["shape"]):
                assert channel["title"] == legend
                assert channel["scale"]["domain"] == lines
            dash = line["strokeDash"]  # would cut the points of a legend to pieces
            assert (dash["legend"], dash["scale"]["domain"]) == (None, [*lines, ""])

    def test_lists_have_no_run_to_name(self) -> None:
        panel = panels_of(cf.plot.cwl("RBP", lists=GAINS))[0]
        assert panel["layer"][0]["encoding"]["color"]["title"] == ["topic"]

    @pytest.mark.slow
    @pytest.mark.parametrize("topics", [1, 3, 8])
    def test_lines_that_lie_on_each_other_take_turns(self, topics: int) -> None:
        """RBP does the same on all topics: a rank has at most one mark, but for the last."""
        picture = cf.plot.cwl("RBP", lists={f"t{i}": [0.0] * 30 for i in range(topics)})
        rows = spec_of(picture)["data"]["values"]
        marked = [(row["rank"], row["line"]) for row in rows if row["marked"]]
        last = [line for rank, line in marked if rank == 30]
        assert len(last) == topics
        marked = [(rank, line) for rank, line in marked if rank < 30]
        assert len({rank for rank, _ in marked}) == len(marked)
        assert {line for _, line in marked} == {f"t{i}" for i in range(topics)}
        assert len(rows) == 30 * topics  # and all can be pointed at

    def test_cwl_functions_last_rank_of_each_line_has_a_mark(self) -> None:
        """Lines take turns with their marks, and 29 is not the turn of either."""
        lists = {"a": [1.0] * 29, "b": [0.0] * 29}
        picture = cf.plot.cwl("RBP(p=0.5)", lists=lists)
        rows = spec_of(picture)["data"]["values"]
        assert {row["topic"] for row in rows if row["rank"] == 29 and row["marked"]} == {"a", "b"}

    def test_few_ranks_are_all_marked(self) -> None:
        rows = spec_of(cf.plot.cwl("RBP@1", lists=GAINS))["data"]["values"]
        assert [row["marked"] for row in rows] == [True, True]

    def test_users_stop_at_ranks(self) -> None:
        """Peaks of L are as wide as a rank, not triangles between ranks."""
        marks = [panel["layer"][0]["mark"] for panel in panels_of(cf.plot.cwl("BPM", lists=GAINS))]
        assert [mark["interpolate"] for mark in marks] == ["linear", "linear", "step"]

    def test_what_is_not_a_number_is_unjudged(self) -> None:
        """As None is; under min_gain an unjudged item has a gain of its own."""
        missing: list[Any] = [None, float("nan"), np.float32("nan")]
        for unjudged in missing:
            data = cf.plot.cwl("RBP(min_gain=0.5)", lists={"t": [1, unjudged]}).data
            assert data["gain"].to_list() == [1, 0.5]
        assert cf.plot.cwl("RBP", lists={"t": np.array([1.0, np.nan])}).data["gain"][1] == 0

    def test_gains_by_topic(self) -> None:
        """A user who wants 1 has it at once, or needs two items."""
        qrels = {"t": {"a": 1, "b": 1}, "u": {"a": 1, "b": 1}}
        run = {t: ["a", "b"] for t in qrels}
        data = cf.plot.cwl("BPM(T=1)", qrels, run, gains={"t": [1], "u": [0.5]}).data
        assert data["C"].to_list() == [0, 0, 1, 0]

    def test_cwl_values_above_1_extend_axis(self) -> None:
        """TrAP is a user model in form only: W = (1, 1/2, 2/3)/2, so C(2) = 4/3."""
        picture = cf.plot.cwl("TrAP", lists={"t": [1, 0, 1]})
        assert picture.data["C"][1] == pytest.approx(4 / 3)
        scales = [panel["layer"][0]["encoding"]["y"]["scale"] for panel in panels_of(picture)]
        for name, scale in zip("CWL", scales, strict=True):
            low, high = scale["domain"]
            assert low <= min(0, *picture.data[name])
            assert high >= max(picture.data[name])

    def test_values_of_a_parameter_are_lines_of_one_panel(self) -> None:
        """And need no lists, where users look at ranks alone: W(1) = 1 − p."""
        picture = cf.plot.cwl(["RBP(p=0.5|0.8|0.95)", "DCG@10"])
        first = picture.data.filter(rank=1)
        assert first["setting"].to_list() == ["p = 0.5", "p = 0.8", "p = 0.95", "DCG@10"]
        assert first["W"].to_list()[:3] == pytest.approx([0.5, 0.2, 0.05])
        assert picture.data["rank"].max() == 30
        assert not picture.notes
        panels = panels_of(picture)
        assert len(panels) == 2 * 3
        colour = panels[0]["layer"][0]["encoding"]["color"]
        assert colour["scale"]["domain"] == first["setting"].to_list()
        assert cf.plot.cwl("RBP", ranks=5).data["rank"].to_list() == [1, 2, 3, 4, 5]

    def test_rows_have_the_same_scales(self) -> None:
        picture = cf.plot.cwl(["RBP(p=0.5)", "RBP(p=0.95)"])
        tops = [p["layer"][0]["encoding"]["y"]["scale"]["domain"] for p in panels_of(picture)]
        assert tops[:3] == tops[3:]
        assert tops[1][1] >= 0.5

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
        assert texts_of(panels_of(picture)[0]) == {"2": "left", "0.5": "right"}

    def test_ends_that_are_close_are_labelled_once(self) -> None:
        """RBP's depth and total cost are the same for all topics, what they gain is not."""
        picture = cf.plot.cwl("RBP(p=0.2|0.4)", lists={"t": [1], "u": [0, 1]}, kind="vary", measurements=["EU", "ETC"])
        labels = [
            sorted(
                (row["topic"], row["label"])
                for layer in panel["layer"]
                if layer["mark"]["type"] == "text"
                for row in layer["data"]["values"]
            )
            for panel in panels_of(picture)
        ]
        assert labels[0] == [("t", "0.2"), ("t", "0.4"), ("u", "0.2"), ("u", "0.4")]
        assert labels[1] == [("t", "0.2"), ("t", "0.4")]

    @pytest.mark.parametrize(
        ("more", "drawn"),
        [
            ({}, ["EU", "ETU"]),  # without costs, ETC is ED
            ({"costs": COSTS}, ["EU", "ETU", "ETC"]),
            ({"measurements": "ETC"}, ["ETC"]),
            ({"measurements": ("EC", "EU")}, ["EC", "EU"]),
        ],
    )
    def test_measurements(self, more: dict[str, Any], drawn: list[str]) -> None:
        picture = cf.plot.cwl("RBP", lists=GAINS, kind="vary", **more)
        shown = [panel["layer"][0]["encoding"]["y"]["field"] for panel in panels_of(picture)]
        assert shown == drawn

    def test_axes_begin_at_zero(self) -> None:
        picture = cf.plot.cwl(["RBP(p=0.5|0.9)", "P(k=3|9)"], lists=GAINS, kind="vary")
        for panel in panels_of(picture):
            for axis in (panel["layer"][0]["encoding"][name] for name in "xy"):
                assert axis["scale"]["domain"][0] == 0
                step = axis["scale"]["domain"][1] / axis["axis"]["tickCount"]
                assert f"{step:e}"[:8] in ("1.000000", "2.000000", "5.000000")  # a round number

    def test_cwl_single_point_is_drawn(self) -> None:
        """One value, a panel narrower than a label, and no number at all."""
        one = panels_of(cf.plot.cwl("RBP(p=0.5|0.5)", lists={"t": [1]}, kind="vary"))
        assert [texts_of(panel) for panel in one] == [{"0.5": "right"}] * 2
        narrow = panels_of(cf.plot.cwl("RBP", lists=GAINS, kind="vary", width=10, height=10))
        assert [texts_of(panel) for panel in narrow] == [{}, {}]
        picture = cf.plot.cwl("RR", {"t": {"a": 0}}, {"t": ["a"]}, "vary", values={"k": [1, 2]}, undefined="nan")
        assert [texts_of(panel) for panel in panels_of(picture)] == [{}, {}]
        assert picture.render("svg").startswith(b"<svg ")

    def test_cwl_negative_values_are_drawn(self) -> None:
        """P@1 gains −1, P@2 nothing."""
        picture = cf.plot.cwl("P(k=1|2, gain=raw)", lists={"t": [-1, 1]}, kind="vary")
        assert picture.data["EU"].to_list() == [-1, 0]
        low, high = panels_of(picture)[0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
        assert low <= -1
        assert high >= 0

    def test_titles_say_that_it_is_a_user_model(self) -> None:
        titles = [panel.get("title") for panel in panels_of(cf.plot.cwl("RBP(p=0.5|0.9)", lists=GAINS, kind="vary"))]
        assert titles == [{"text": "RBP", "subtitle": "user model, p = 0.5 … 0.9"}, None]
        of_runs = panels_of(cf.plot.cwl("AP", lists=GAINS, kind="runs"))
        assert of_runs[0]["title"] == {"text": "AP", "subtitle": "user model"}
        of_walk = spec_of(cf.plot.cwl("AP", lists=GAINS))["concat"][0]
        assert of_walk["title"] == "user model AP"

    def test_notes_name_one_model_of_a_series(self) -> None:
        qrels, run = {"t": {"a": 2}}, {"t": ["a"]}
        models = ["RBP(p=0.1:0.9:0.1, gain=unit)", "INST(T=1|2|3, gain=unit)"]
        notes = cf.plot.cwl(models, qrels, run, "vary").notes
        found = [note.text for note in notes if note.kind == "max-level"]
        assert [text.split(":")[0] for text in found] == ["RBP(p=0.1, gain=unit), INST(gain=unit)"]
        declared = "RBP(p=0.1|0.5, gain=unit, max_level=1)"
        notes = cf.plot.cwl(declared, qrels, run, "vary").notes
        found = [note.text for note in notes if note.kind == "max-level"]
        assert [text.split(":")[0] for text in found] == ["RBP(p=0.1, gain=unit, max_level=1)"]

    def test_a_parameter_of_a_model_comes_before_the_cutoff(self) -> None:
        """At most k items, by a parameter of its own that is called like the cutoff."""
        before = dict(REGISTRY)
        try:

            @cf.user_model
            def UpTo(x: Any, k: float = 3) -> Any:
                """Reads k items."""
                return np.where(x.i < k, 1.0, 0.0)

            data = cf.plot.cwl("UpTo(k=1|2)", lists=GAINS, kind="vary", topics="T2").data
            assert data["ED"].to_list() == [1, 2]
            assert data["model"].unique().to_list() == ["UpTo: k = 1 … 2"]
        finally:
            REGISTRY.clear()
            REGISTRY.update(before)

    @pytest.mark.slow
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
        assert _parse_numbers(text) == pytest.approx(expected)
        assert _parse_numbers("|".join(map(str, expected)) + "|0") == [*expected, 0]


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

    @pytest.mark.parametrize("count", [1, 12, 20])
    def test_names_where_there_is_room(self, count: int) -> None:
        qrels = {"t": {"a": 1}}
        runs = {f"r{i}": {"t": [*(f"x{k}" for k in range(i)), "a"]} for i in range(count)}
        picture = cf.plot.cwl(["P@20", "RBP(p=0.5)"], qrels, runs, "runs")
        on_one_point, on_a_column = panels_of(picture)
        assert len(texts_of(on_one_point)) == min(count, 4)  # on all sides of it
        assert "r0" in texts_of(on_a_column)  # the best
        for panel in (on_one_point, on_a_column):
            assert [layer["mark"]["type"] for layer in panel["layer"]].count("point") == 1
            tooltip = panel["layer"][0]["encoding"]["tooltip"]
            assert [shown["field"] for shown in tooltip][:2] == ["run", "model"]
        told = [note.text for note in picture.notes if note.kind == "names"]
        nameless = {f"r{i}" for i in range(count)} - (texts_of(on_one_point).keys() & texts_of(on_a_column).keys())
        assert bool(told) == bool(nameless)
        for text in told:
            assert text.startswith(f"no space in the figure for the name of {format_count(len(nameless), 'run')} (")

    def test_long_names_stay_inside_and_different(self) -> None:
        """All begin alike, with more than the width of a panel."""
        begin = "university_of_somewhere_bm25_rm3_monoT5_rerank_"
        qrels = {"t": {"a": 1}}
        runs = {f"{begin}v{i}": {"t": [*(f"x{k}" for k in range(i)), "a"]} for i in range(8)}
        picture = cf.plot.cwl("INST(T=1)", qrels, runs, "runs", width=200)
        texts = texts_of(panels_of(picture)[0])
        assert texts
        for name in texts:
            assert re.fullmatch(r"univ\w*…v\d", name)
            assert len(name) * 6 < 200
        legend = panels_of(cf.plot.cwl("RBP", qrels, runs))[0]["layer"][0]["encoding"]["color"]
        assert len(set(legend["scale"]["domain"])) == 8

    @given(st.lists(st.text("ab_…é検", max_size=12), min_size=1, unique=True), st.integers(8, 14))
    def test_shortened_names(self, names: list[str], most: int) -> None:
        found = shorten_names(names, most)
        assert len(set(found)) == len(names)
        assert all(len(name) <= most for name in found)
        if max(map(len, names)) <= most:
            assert found == names

    def test_without_a_score_there_is_no_point(self) -> None:
        with pytest.raises(cf.CranfieldError, match="RR: no run has a score"):
            cf.plot.cwl("RR", {"t": {"a": 0}}, {"t": ["a"]}, "runs", undefined="nan")

    def test_names_do_not_cover_each_other(self) -> None:
        """Two points side by side have their names on their outer sides."""

        def places(at: list[tuple[float, float]], names: list[str]) -> list[str]:
            points = [(x - 5, y - 5, x + 5, y + 5) for x, y in at]
            return choose_places(at, names, 300, 200, points)

        assert places([(100, 100), (112, 100)], ["left", "right"]) == ["left", "right"]
        assert places([(295, 100)], ["at the edge"]) == ["left"]
        assert places([(150, 100)], ["longer than the panel is wide" * 2]) == [""]
        assert len(set(places([(150, 100)] * 4, ["same"] * 4))) == 4
        assert places([(150, 100)] * 20, ["same"] * 20).count("") >= 12

    def test_titles_are_at_the_same_height(self) -> None:
        """Axes end in a number, which stands out at the top alike in all panels."""
        qrels = {"t": {"a": 1, "b": 1}}
        runs = {"one": {"t": ["a", "b"]}, "two": {"t": ["x", "b"]}, "three": {"t": ["x", "y"]}}
        svg = cf.plot.cwl(["AP", "RBP", "INST", "P@2"], qrels, runs, "runs").render("svg").decode()
        at = re.findall(r'translate\([\d.]+,(-?[\d.]+)\)" font-[^>]*font-weight="bold"[^>]*>\w', svg)
        assert len(at) == 4
        assert len(set(at)) == 1

    @given(st.floats(-1e3, 1e3), st.floats(1e-4, 1e6))
    def test_ticks(self, low: float, more: float) -> None:
        ticks = choose_ticks(low, low + more)
        step = ticks[1] - ticks[0]
        assert ticks[0] <= low + 1e-9 * step
        assert ticks[-1] >= low + more - 1e-9 * step
        assert 2 <= len(ticks) <= 11
        assert np.diff(ticks) == pytest.approx(step, rel=1e-3)


@pytest.fixture(scope="module")
def picture() -> Figure:
    return cf.plot.cwl("RBP(p=0.8)", lists={EVIL: [1, 0], "T & <b>": [0, 1]}, title=EVIL)


class TestFiles:
    def test_images(self, picture: Figure, tmp_path: Path) -> None:
        begins = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "svg": b"<svg "}
        for format, magic in begins.items():
            path = tmp_path / f"figure.{format.upper()}"
            picture.save(path)
            assert path.read_bytes().startswith(magic)
            assert len(path.read_bytes()) > 2000

    def test_scale(self, picture: Figure) -> None:
        def width(data: bytes) -> int:
            return int.from_bytes(data[16:20])  # in the header of a PNG

        once, twice = width(picture.render("png", scale=1)), width(picture.render("png"))
        assert abs(twice - 2 * once) <= 2

    def test_svg_is_well_formed_whatever_the_names(self, picture: Figure) -> None:
        from xml.etree import ElementTree

        svg = ElementTree.fromstring(picture.render("svg"))  # noqa: S314
        said = [element.text for element in svg.iter() if element.text]
        assert EVIL in said
        assert "T & <b>" in said
        assert not [element for element in svg.iter() if element.tag.endswith("script")]

    def test_html_is_whole_and_safe(self, picture: Figure) -> None:
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

    def test_json_is_vega_lite(self, picture: Figure) -> None:
        spec = json.loads(picture.render("json"))
        assert "vega-lite" in spec["$schema"]
        assert len(spec["concat"][0]["hconcat"]) == 3

    def test_numbers(self, picture: Figure, tmp_path: Path) -> None:
        import polars as pl

        for end, separator in (("csv", ","), ("tsv", "\t")):
            path = tmp_path / f"figure.{end}"
            picture.save(path)
            assert pl.read_csv(path, separator=separator).equals(picture.data)

    def test_notebooks(self, picture: Figure) -> None:
        shown = picture._repr_mimebundle_()
        assert shown["image/svg+xml"].startswith("<svg ")
        assert [name for name in shown if re.fullmatch(r"application/vnd\.vegalite\.v\d\+json", name)]
        assert "4 rows" in shown["text/plain"]

    def test_what_is_not_a_number_is_no_point(self) -> None:
        qrels = {"t": {"a": 1}, "u": {"a": 0}}
        run = {"t": ["a"], "u": ["a"]}
        picture = cf.plot.cwl("RR", qrels, run, "vary", values={"k": [1, 2]}, topics=["t", "u"], undefined="nan")
        assert picture.data["EU"].is_nan().sum() == 2
        assert "NaN" not in picture.render("json").decode()

    @pytest.mark.parametrize("name", ["figure.jpg", "figure", "png"])
    def test_unknown_endings_name_those_possible(self, name: str, picture: Figure, tmp_path: Path) -> None:
        with pytest.raises(cf.CranfieldError, match=r"ends in \.png, \.svg, \.pdf, .* or \.tsv"):
            picture.save(tmp_path / name)
        assert not [*tmp_path.iterdir()]

    def test_formats(self, picture: Figure) -> None:
        with pytest.raises(cf.CranfieldError, match="'jpg', expected one of png"):
            picture.render("jpg")
        for scale in (0, -1, float("nan"), float("inf")):
            with pytest.raises(cf.CranfieldError, match=r"found scale .*, expected a number above"):
                picture.render("png", scale)

    def test_more_pixels_than_can_be_drawn(self, picture: Figure) -> None:
        with pytest.raises(cf.CranfieldError, match=r"found a PNG of .* × .* at most 100,000,000"):
            picture.render("png", scale=1000)
        assert picture.render("svg", scale=1000)  # which has no pixels
        assert set(FORMATS) == {"png", "svg", "pdf", "html", "json", "csv", "tsv"}


class TestMistakes:
    @pytest.mark.parametrize(
        ("models", "more", "message"),
        [
            (
                "nDCG@10",
                {},
                "nDCG@10 is not a user model. User models: (\\w+, )*AP, (\\w+, )*BPM, ",
            ),
            ("RBP(p=2)", {}, "p must be a number between 0 and 1, found 2"),
            ("RBP(n=0)", {}, "n must be an integer"),
            ([], {}, "no user model given"),
            (["RBP", "RBP(p=0.8)"], {}, "duplicate user model"),
            ("RBP", {"kind": "scatter"}, "unknown kind 'scatter'. Use functions, vary, runs"),
            ("RBP", {"topics": ["T9"]}, r"topic 'T9' is not in the judgments: 2 topics \(T1, T2\)"),
            ("RBP", {"topics": []}, "found no topics"),
            ("RBP", {"ranks": 0}, "found ranks=0, expected an integer ≥ 1"),
            ("RBP", {"ranks": "3"}, "found ranks='3', expected an integer"),
            ("RBP", {"ranks": True}, "found ranks=True, expected an integer"),
            ("RBP", {"lists": [[1, 0]]}, r"found lists=\[\[1, 0\]\], expected {topic: gains}"),
            ("RBP", {"lists": {}}, r"found lists={}, expected {topic: gains}"),
            ("RBP", {"lists": {"t": 1}}, "found 1 as the list of topic t, expected gains"),
            ("RBP", {"lists": {"t": ["x"]}}, "found gain 'x' in the list of t, expected a number"),
            ("RBP", {"costs": {"T1": 1}}, "found 0 costs of topic T1, expected 15"),
            ("RBP", {"width": 1e9}, "found width 1000000000.0, expected a number of points"),
            ("RBP", {"height": -1}, "found height -1, expected a number of points"),
            ("RBP", {"height": "9"}, "found height '9', expected a number of points"),
            (None, {}, "None is not a measure"),
            (
                "RBP(p=0.1|0.5)",
                {"kind": "runs"},
                "has several values of p. Use one value with kind",
            ),
            ("RBP(p=0.01:0.5:0.01)", {}, "found 100 lines to draw, expected at most 8"),
            (
                "INST",
                {"lists": None},
                "INST depends on gains. Pass qrels and runs, or lists",
            ),
            ("RBP", {"costs": {"T1": [1]}}, "found 1 costs of topic T1, expected 15"),
            ("RBP", {"ties": "expected"}, "ties=expected is not supported for a single ranking"),
            ("RBP", {"qrels": {"t": {"a": 1}}}, "use either lists or qrels and runs, not both"),
            ("RBP", {"lists": None, "kind": "vary"}, "no rankings given"),
            ("RBP", {"lists": {str(i): [1] for i in range(9)}}, "found 9 lines .* at most 8"),
            ("INST", {"lists": {"t": [2]}}, r"INST.*: gains must be in \[0, 1\], found 2"),
            ("P", {"kind": "vary"}, "P: no parameter varies. Give values"),
            ("RBP(p=0.1:0.9)", {"kind": "vary"}, "RBP p=0.1:0.9, expected first:last:step"),
            ("RBP(p=a|b)", {"kind": "vary"}, r"found RBP p=a\|b"),
            ("RBP(p=0.1:0.9:1e-9)", {"kind": "vary"}, "at most 1000 values"),
            ("RBP(p=0.9:0.1:0.1)", {"kind": "vary"}, "expected the lower limit first: 0.1:0.9:0.1"),
            (
                "RBP(p=0.9:0.1:-0.1)",
                {"kind": "vary"},
                "expected the lower limit first: 0.1:0.9:0.1",
            ),
            ("RBP(p=0.1:0.9:0)", {"kind": "vary"}, "expected first:last:step"),
            (
                "RBP(p=0.5:1.5:0.5)",
                {"kind": "vary"},
                "RBP: p must be a number between 0 and 1, found 1",
            ),
            (
                "BPM(T=1|2, K=1|2)",
                {"kind": "vary"},
                "values of T and K: only one parameter can vary",
            ),
            ("RBP(q=1|2)", {"kind": "vary"}, "unknown parameter 'q'"),
            (
                "RBP",
                {"kind": "vary", "values": {"q": [1]}},
                "values: the models have no parameter 'q'",
            ),
            ("RBP", {"kind": "vary", "values": {"p": []}}, "no value of 'p' given"),
            (
                "RBP",
                {"kind": "vary", "measurements": ["ED"]},
                r"invalid measurements \['ED'\]. Valid: EU, ETU, EC",
            ),
            ("RBP", {"kind": "vary", "measurements": []}, "invalid measurements \\[\\]"),
            ("RBP", {"kind": "vary", "measurements": True}, "invalid measurements True. Valid"),
            ("RBP", {"kind": "vary", "values": [0.5]}, r"found values=\[0.5\], expected {param"),
            (
                "RBP",
                {"kind": "vary", "values": {"p": 0.5}},
                "found values={'p': 0.5}, expected {param",
            ),
            ("RBP", {"kind": "vary", "values": {"p": ["x"]}}, "found 'x' in the values of 'p'"),
            (
                "RBP",
                {"kind": "vary", "lists": {str(i): [1] for i in range(9)}},
                "found 9 lines .* at most 8",
            ),
        ],
    )
    def test_cwl_invalid_arguments_raise(self, models: Any, more: dict[str, Any], message: str) -> None:
        with pytest.raises(cf.CranfieldError, match=message):
            cf.plot.cwl(models, **{"lists": GAINS, **more})

    def test_without_the_extra(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Numbers can be had all the same; for the rest one is told what to install."""
        monkeypatch.setitem(sys.modules, "altair", None)
        picture = cf.plot.cwl("RBP", lists=GAINS)
        picture.save(tmp_path / "figure.csv")
        assert (tmp_path / "figure.csv").read_text().startswith("model,run,topic,rank,gain,")
        missing = r'need Altair .* -m pip install "altair>=5.5" "vl-convert-python>=1.9"'
        with pytest.raises(cf.CranfieldError, match=missing):
            picture.save(tmp_path / "figure.png")
        qrels, run, _ = files(tmp_path)
        command = ["plot", "cwl", "runs", qrels, run, "-m", "RBP", "-o"]
        assert main([*command, str(tmp_path / "runs.tsv")]) == 0
        assert main([*command, str(tmp_path / "runs.png")]) == 2
        assert re.search(missing, capsys.readouterr().err)

    def test_nothing_is_imported_before_it_is_drawn(self) -> None:
        code = (
            "import cranfield, sys; cranfield.plot.cwl; import cranfield.cli.plot; "
            "print({'altair', 'vl_convert', 'polars'} & set(sys.modules))"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "set()"


class TestCommand:
    @pytest.mark.slow
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
    def test_draws(self, arguments: list[str], rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        qrels, run, costs = files(tmp_path)
        kind, *options = arguments
        options += ["--costs", costs, "--cost-unit", "seconds", "--title", "A title"]
        for end in ("tsv", "json"):
            output = tmp_path / f"figure.{end}"
            assert main(["plot", "cwl", kind, qrels, run, *options, "-o", str(output)]) == 0
        assert len((tmp_path / "figure.tsv").read_text().splitlines()) == 1 + rows
        assert "A title" in (tmp_path / "figure.json").read_text()
        assert "seconds" in capsys.readouterr().err

    def test_functions_of_models_that_look_at_ranks_need_no_files(self, tmp_path: Path) -> None:
        output = tmp_path / "rbp.csv"
        command = ["plot", "cwl", "functions", "-m", "RBP(p=0.5|0.8)", "-o", str(output)]
        assert main([*command, "--ranks", "2"]) == 0
        rows = [line.split(",") for line in output.read_text().splitlines()]
        at = rows[0].index("W")
        assert [float(row[at]) for row in rows[1:]] == pytest.approx([0.5, 0.25, 0.2, 0.16])

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
            ("figure.png", "nDCG", "is not a user model"),
            ("no/figure.json", "RBP", "no does not exist"),
        ],
    )
    def test_command_invalid_options_raise(
        self, output: str, model: str, message: str, tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        qrels, run, _ = files(tmp_path)
        before = sorted(tmp_path.iterdir())
        command = ["plot", "cwl", "functions", qrels, run, "-m", model]
        assert main([*command, "-o", str(tmp_path / output)]) == 2
        assert message in capsys.readouterr().err
        assert sorted(tmp_path.iterdir()) == before


class TestPictures:
    def test_meta_draws_results(self) -> None:
        found = cf.meta.discriminative_power(simulated(3), trials=99)
        assert len(cf.plot.meta(found).data) == 3  # pairs

    def test_power_draws_designs(self) -> None:
        design = cf.stats.topics_for_t(0.1, 0.04)
        assert design.topics in cf.plot.power(design).data["topics"].to_list()

    def test_power_caption_describes_design(self) -> None:
        designs = [cf.stats.topics_for_t(d, 0.04, alpha=0.01, power=0.9) for d in (0.1, 0.2)]
        spec = json.loads(cf.plot.power(designs).render("json"))
        (panel,) = spec["vconcat"]
        assert panel["title"]["text"] == "paired t-test"
        said = "α = 0.01, power 0.9, variance of differences 0.0400"
        assert panel["title"]["subtitle"] == said

    def test_meta_result_without_figure_raises(self) -> None:
        with pytest.raises(cf.CranfieldError, match=r"no figure of type int. Pass a result of cf\.meta"):
            cf.plot.meta(3)
