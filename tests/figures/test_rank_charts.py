"""Lines against ranks: which have names and marks, and what the axes and the legend show."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from cranfield.figures import rank_charts
from cranfield.figures.rank_charts import MARK_PATHS, NamedLines, build_sample_path
from cranfield.figures.theme import DASHES, MAX_STYLES, SHAPES, Style, Theme


def test_few_lines_stay_in_their_order_and_of_many_the_best_come_first() -> None:
    few = NamedLines.from_values({"b": 1.0, "a": 2.0}, Theme())
    assert ([*few.labels], [*few.unnamed]) == (["b", "a"], [])
    assert few.describe_names("that are best", "run") == []
    assert few.collect_notes("run") == ()
    worth = {f"r{i}": float(i) for i in range(MAX_STYLES + 1)} | {"none": math.nan}
    many = NamedLines.from_values(worth, Theme())
    assert [*many.labels] == [f"r{i}" for i in range(MAX_STYLES, 0, -1)]
    assert [*many.unnamed] == ["r0", "none"]
    [note] = many.collect_notes("run")
    assert note.text.startswith("2 of 10 runs are grey and have no name")


def test_the_legend_is_not_wider_than_the_panels() -> None:
    names = [f"{'x' * 20}{i}" for i in range(6)]
    for look, panels in ((Theme(width=190, font_size=8), 1), (Theme(), 1), (Theme(width=200), 2)):
        lines = NamedLines.from_values(dict.fromkeys(names, 0.0), look, panels)
        legend = lines.build_legend(look)[0].to_dict()["legend"]
        entry = look.scale_points(rank_charts.SAMPLE_LENGTH + rank_charts.LETTER * max(map(len, lines.labels.values())))
        assert legend["columns"] * entry <= lines.width == panels * (look.width or rank_charts.WIDTH)


def test_every_line_has_another_sample() -> None:
    each = [build_sample_path(Style("", shape, dash)) for shape in SHAPES for dash in DASHES]
    assert len({*each}) == len(SHAPES) * len(DASHES)
    solid = build_sample_path(Style("", "square", [1, 0]))
    assert solid.startswith("M-1.000,-0.06H1.000V0.06H-1.000Z")  # in one piece
    assert all(shape in MARK_PATHS or shape.startswith("M") for shape in SHAPES)
    path = build_sample_path(Style("", "M-1,1L0.5,0Z", [1, 0]))
    assert path.endswith("M-0.340,0.340L0.170,0.000Z")


def marked(points: Any) -> list[float]:
    data = rank_charts._flag_marks(pl.DataFrame({"at": [float(at) for at in points]}))
    return data.filter("marked")["at"].to_list()


def test_marks_are_not_on_each_other() -> None:
    assert marked([5]) == [5]
    tenths = [i / 10 for i in range(11)]
    assert marked(tenths) == tenths
    assert marked([1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]) == [
        1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100,
    ]  # fmt: skip
    assert marked(range(1, 21)) == [*range(1, 21)]
    found = marked(range(1, 201))
    steps = [math.log(b / a) for a, b in pairwise(found)]
    assert min(steps) >= math.log(200) / rank_charts.MAX_MARKS
    assert len(found) <= rank_charts.MAX_MARKS + 1


@pytest.mark.parametrize(
    ("values", "highs", "ends"),
    [
        ([0.2, 0.55], [], [0, 0.6]),
        ([0.2, 0.55], [0.9, 7.0], [0, 1]),  # a share is not above 1, whatever its interval is
        ([0.2, 5.5], [6.5], [0, 7]),
        ([0.0, 0.0], [], [0, 1]),
        ([-0.3, 0.5], [], [-0.3, 0.5]),
        ([None, math.nan, 0.4], [], [0, 0.4]),
    ],
)
def test_what_an_axis_of_values_shows(values: list[float | None], highs: list[float], ends: list[float]) -> None:
    columns = {"value": values} | ({"high": (highs * 9)[: len(values)]} if highs else {})
    axis = rank_charts.build_value_axis(pl.DataFrame(columns), "P").to_dict()
    assert axis["scale"]["domain"] == ends


def test_what_an_axis_of_ranks_shows() -> None:
    for first, last, title, values in (
        (1, 1, "cutoff", [1]),
        (1, 5, "cutoff", [1, 2, 3, 4, 5]),
        (1, 20, "cutoff", [1, 5, 10, 15, 20]),
        (1, 60, "cutoff (log scale)", [1, 2, 5, 10, 20, 60]),
        (1, 1000, "cutoff (log scale)", [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
    ):
        axis = rank_charts.build_rank_axis(first, last, "cutoff", Theme()).to_dict()
        assert (axis["title"], axis["axis"]["values"]) == (title, values)
