"""What is asked of every kind of figure: few and many runs, odd names, odd scores, one look."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import cranfield as cf
from cranfield.evaluation.options import Options
from cranfield.figures.figure import Figure
from cranfield.figures.theme import Theme
from cranfield.plot.kinds import Drawing, load_figures
from tests.made import Command, scored, simulated
from tests.plot.made import spec_of

KINDS = {name: row for name, row in load_figures().items() if row.takes == "scores" and name != "slices"}
"""Figures of any scores. Slices need attributes of topics: see test_slices.py."""
LONG = "a_run_with_a_very_long_name_of_sixty_characters_and_a_number"
EVIL = "</script><script>alert(1)</script>"
each_kind = pytest.mark.parametrize("kind", KINDS)
COLLECTION = cf.simulate(topics=6, runs=3, depth=20, seed=7)


def drawn(kind: str, scores: cf.Scores, **options: Any) -> Figure:
    """A figure; two measures, where it is about these."""
    if kind == "agreement" and len(scores.measures) == 1:
        twice = np.concatenate([scores.values, scores.values**2], axis=2)
        better = (*scores.better, *scores.better)
        names = (scores.measures[0], "Q")
        scores = cf.Scores(twice, scores.runs, scores.topics, names, ("mean", "mean"), better=better)
    own = {"trials": 99} if "trials" in inspect.signature(KINDS[kind].function).parameters else {}
    picture: Figure = KINDS[kind].function(scores, **own, **options)
    return picture


def numbers_in(picture: Figure) -> set[float]:
    """Every number in the data of a specification."""
    found: set[float] = set()

    def look(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("values"), list):
                rows = [row for row in part["values"] if isinstance(row, dict)]
                found.update(v for row in rows for v in row.values() if isinstance(v, float))
            for inner in part.values():
                look(inner)
        elif isinstance(part, list):
            for inner in part:
                look(inner)

    look(spec_of(picture))
    return found


# -- every kind -----------------------------------------------------------------------------------


CASES: dict[str, cf.Scores] = {
    "two runs": simulated(2, topics=5),
    "equal scores": scored(np.full((3, 5), 0.5), ("a", "b", "c")),
    "all zero": scored(np.zeros((3, 5)), ("a", "b", "c")),
    "lower is better": scored(simulated(3, topics=5).values[:, :, 0], ("a", "b", "c"), "RNOD",
                              better=("lower",)),
    "below zero": scored(simulated(3, topics=5).values[:, :, 0] - 1, ("a", "b", "c")),
    "some undefined": scored([[0.1, np.nan, 0.3, 0.5], [0.2, np.nan, 0.6, 0.1]], ("a", "b")),
    "infinite": scored([[0.1, np.inf, 0.3, 0.5], [0.2, 0.1, -np.inf, 0.1]], ("a", "b")),
    "neither is better": scored(simulated(3, topics=5).values[:, :, 0], ("a", "b", "c"), "NumRet",
                                better=("neither",)),
    "long names": scored(simulated(3, topics=4).values[:, :, 0],
                         tuple(f"{LONG}_{k}" for k in range(3))),
    "names that mean something to a page": scored(
        simulated(2, topics=4).values[:, :, 0], (EVIL, "a.b[c]'\"\\")),
    "forty runs": simulated(40, topics=4, gap=0.002),
}  # fmt: skip


@each_kind
@pytest.mark.parametrize("case", CASES)
def test_figure_is_drawn_for_any_scores(kind: str, case: str) -> None:
    """One that Vega-Lite can draw, with something in it, and whose numbers are those of `data`."""
    if (kind, case) == ("agreement", "neither is better"):
        with pytest.raises(cf.CranfieldError, match="neither high nor low values"):
            drawn(kind, CASES[case])
        return
    picture = drawn(kind, CASES[case])
    assert picture.data.height > 0
    svg = picture._render_svg()
    assert len(re.findall(r'<path[^>]* d="M', svg)) > 3
    if case not in ("equal scores", "all zero"):
        named = {"score", "mean", "first", "second", "pvalue", "difference"}
        drawn_from = picture.data.select(name for name in picture.data.columns if name in named)
        known = {v for column in drawn_from for v in column.drop_nans().to_list()}
        shown = numbers_in(picture)
        left_out = any(note.kind == "names" for note in picture.notes)
        assert known <= shown or left_out
    assert "<script" not in svg


@each_kind
def test_figure_has_all_names_or_note(kind: str) -> None:
    """A hundred runs, or forty in a matrix: a picture is as high as it needs to be, or says which
    have no room.
    """
    many = 40 if kind == "pairs" else 100
    scores = simulated(many, topics=4, gap=0.002)
    picture = drawn(kind, scores)
    svg = picture._render_svg()
    written = {run for run in scores.runs if f">{run}<" in svg}
    nameless = kind == "topics"  # which says that a point is a run
    told = " ".join(note.text for note in picture.notes)
    assert len(written) == many or "space in the figure" in told or (nameless and "a point is a run" in svg)
    low = drawn(kind, scores, height=200)
    assert any("space in the figure" in note.text for note in low.notes) or nameless


@each_kind
@pytest.mark.parametrize("runs", [1, 2])
def test_figure_one_run_one_topic_drawn_or_raises(kind: str, runs: int) -> None:
    """A picture, or a sentence that says what is missing."""
    scores = scored(np.full((runs, 1), 0.5), ("a", "b")[:runs])
    if kind in ("agreement", "pairs"):
        message = "found 1 topic, expected at least 2"
        if kind == "pairs":
            message = (
                "compare needs at least 2 runs, found 1" if runs == 1 else "found AP of 1 topic, expected at least 2"
            )
        with pytest.raises(cf.CranfieldError, match=f"^{message}$"):
            drawn(kind, scores)
        return
    picture = drawn(kind, scores)
    assert 0.5 in numbers_in(picture)
    assert "NaN" not in picture.render("json").decode()


@each_kind
def test_figure_without_defined_values_raises(kind: str) -> None:
    message = {
        "runs": "no run has a mean of AP$",
        "topics": "no topic has a difference of AP$",
        "heatmap": "no run has a score of AP$",
        "distribution": "no run has a score of AP$",
        "agreement": r"found 0 comparable measures \(AP excluded: .*\), expected at least 2$",
        "pairs": "found AP of 0 topics, expected at least 2$",
    }[kind]
    with pytest.raises(cf.CranfieldError, match=f"^{message}"):
        drawn(kind, scored(np.full((2, 3), np.nan), ("a", "b")))


@each_kind
def test_all_have_one_look(kind: str) -> None:
    picture = drawn(kind, simulated(3, topics=5), title="A <title>", width=155, font_size=7, grey=True)
    spec, svg = spec_of(picture), picture._render_svg()
    assert spec["title"]["text"] == "A <title>"
    assert spec["config"]["axis"]["labelFontSize"] == 7
    assert '"width": 155' in json.dumps(spec)
    colours = {c.lower() for c in re.findall(r"#[0-9a-fA-F]{6}\b", svg)}
    colours |= {f"#{int(r):02x}{int(g):02x}{int(b):02x}"
                for r, g, b in re.findall(r"rgb\((\d+), ?(\d+), ?(\d+)\)", svg)}  # fmt: skip
    assert colours
    assert not [c for c in colours if not c[1:3] == c[3:5] == c[5:7]]


@each_kind
def test_plot_empty_title_leaves_nothing_above(kind: str) -> None:
    assert "title" not in spec_of(drawn(kind, simulated(3, topics=5), title=""))


@each_kind
def test_scores_and_judgments_give_same_figure(kind: str) -> None:
    """Judgments and runs, and the scores of them."""
    function, asked = KINDS[kind].function, "AP nDCG@10"
    few = {"trials": 99} if "trials" in inspect.signature(function).parameters else {}
    qrels, runs = COLLECTION.qrels, COLLECTION.runs
    one = function(qrels, runs, asked, **few)
    other = function(cf.evaluate(qrels, runs, asked), **few)
    assert one.data.equals(other.data)
    with pytest.raises(cf.CranfieldError, match="option depth has no effect on scores"):
        function(cf.evaluate(qrels, runs, asked), depth=10)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        function(qrels, runs, asked, colour="red")


@each_kind
def test_signatures_show_every_option(kind: str) -> None:
    shown = inspect.signature(KINDS[kind].function).parameters
    assert {f.name for one in (Theme, Options) for f in fields(one)} <= set(shown)
    assert "font_size" in (inspect.getdoc(KINDS[kind].function) or "")
    assert not [p for p in shown.values() if p.kind is p.VAR_KEYWORD]


def test_options_have_the_same_names_everywhere() -> None:
    assert {f.name for one in (Theme, Options) for f in fields(one)} == set(get_type_hints(Drawing))


@each_kind
def test_the_command(kind: str, cranfield: Command, here: Path) -> None:
    """The file is there, as SVG and as numbers, from runs and from scores."""
    COLLECTION.write(here)
    runs = sorted(map(str, Path("runs").glob("*.txt")))
    asked = ["-m", "AP nDCG@10"]
    draw = cranfield.of("plot", kind)
    draw.succeeds("qrels.txt", *runs, *asked, "--grey", "-o", "x.svg")
    assert Path("x.svg").read_text().startswith("<svg ")
    draw.succeeds("qrels.txt", *runs, *asked, "-o", "x.csv")
    cranfield.succeeds("evaluate", "qrels.txt", *runs, *asked, "-q", "-f", "tsv", "-o", "s.tsv")
    draw.succeeds("--scores", "s.tsv", *asked, "-o", "y.csv")
    assert Path("x.csv").read_text() == Path("y.csv").read_text()
    said = draw.refused("--scores", "s.tsv", "--font-size", "99", "-o", "z.svg")
    assert "expected a number" in said
    assert not Path("z.svg").exists()


# -- pictures of other commands -------------------------------------------------------------------

SCORED = ("--scores", "s.tsv", "-m", "AP RR", "--trials", "20")
OTHERS = {
    "plan": ("plan", "--sd", "0.2", "--method", "t"),
    "discriminative-power": ("meta", "discriminative-power", *SCORED),
    "swap": ("meta", "swap", *SCORED),
    "stability": ("meta", "stability", *SCORED),
    "correlation": ("meta", "correlation", *SCORED),
    "leave-one-out": ("meta", "leave-one-out", "qrels.txt", "runs/sys1.txt", "runs/sys2.txt"),
}


@pytest.mark.parametrize("command", OTHERS)
def test_pictures_of_meta_and_plan_have_the_same_look(command: str, cranfield: Command, here: Path) -> None:
    COLLECTION.write(here)
    for number, path in enumerate(sorted(Path("runs").iterdir()), 1):
        path.rename(f"runs/sys{number}.txt")
    scores = cf.evaluate("qrels.txt", ["runs/sys1.txt", "runs/sys2.txt"], "AP RR")
    scores.to_polars().write_csv("s.tsv", separator="\t")
    look = ("--title", "Mine", "--plot-width", "155", "--font-size", "7", "--grey")
    cranfield.succeeds(*OTHERS[command], "--plot", "x.json", *look)
    spec = json.loads(Path("x.json").read_text())
    assert spec["title"]["text"] == "Mine"
    assert spec["config"]["axis"]["labelFontSize"] == 7
    assert '"width": 155' in json.dumps(spec)
    cranfield.succeeds(*OTHERS[command], "--plot", "y.json", "--title", "")
    assert "title" not in json.loads(Path("y.json").read_text())
    colours = re.findall(r"#[0-9a-fA-F]{6}\b", json.dumps(spec))
    assert not [c for c in colours if not c[1:3] == c[3:5] == c[5:7]]
    assert "requires --plot FILE" in cranfield.refused(*OTHERS[command], *look)


def test_points_of_a_legend_have_no_dashes() -> None:
    """They would be cut to pieces; the lines have them."""
    designs = [cf.stats.topics_for_t(difference, 0.08) for difference in (0.05, 0.1)]
    svg = cf.plot.power(designs, title="Power")._render_svg()
    symbols = re.findall(r'role-legend-symbol"[^>]*><path[^>]*>', svg)
    assert len(symbols) == 2
    assert not [symbol for symbol in symbols if "stroke-dasharray" in symbol]
    assert "stroke-dasharray" in svg


def test_a_measure_has_its_colour_in_pictures_of_meta() -> None:
    """Whatever is said beside its name."""
    a = simulated(3, topics=6)
    values = np.concatenate([a.values, a.values**2], axis=2)
    scores = cf.Scores(values, a.runs, a.topics, ("AP", "RR"), ("mean", "mean"))
    own = [style.colour for style in Theme().assign_styles(scores.measures).values()]
    for found in (
        cf.meta.discriminative_power(scores, trials=99),
        cf.meta.stability(scores, trials=9),
        cf.meta.swap(scores, trials=9),
    ):
        layers = spec_of(cf.plot.meta(found, title="Mine"))["layer"]
        [line] = [layer for layer in layers if layer["mark"]["type"] == "line"]
        scale = line["encoding"]["color"]["scale"]
        order = [name.split(":")[0] for name in scale["domain"]]
        assert [scale["range"][order.index(name)] for name in ("AP", "RR")] == own
